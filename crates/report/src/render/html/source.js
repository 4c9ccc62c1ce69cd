// The program's text with the line of the current step.

const KEYWORDS = new Set(
  ("const shared mutex cond handler any fifo thread message def event when disabled never let if else while for in break " +
    "continue return assert assume lock unlock wait signal broadcast spawn join post enable disable atomic choose").split(" "),
);

const KEYWORDS_OF_C = new Set(
  ("auto bool break case char const continue default do double else enum extern float for goto if inline int long register " +
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while").split(" "),
);

/** A line in pieces: comments, strings, numbers and keywords are set apart. */
function highlighted(line, keywords) {
  const pieces = line.match(/\/\/.*|\/\*(?:.*?\*\/|.*)|"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|\d+|\s+|[^\sA-Za-z_\d"]/g) || [];
  return pieces.map((piece) => {
    const kind = /^\/[/*]/.test(piece)
      ? "comment"
      : piece.startsWith('"')
        ? "string"
        : /^\d/.test(piece)
          ? "digits"
          : keywords.has(piece)
            ? "keyword"
            : null;
    return kind ? element("span", { class: kind }, piece) : piece;
  });
}

/** The text of a file, line by line. */
function sourceList(source) {
  const keywords = /\.[chi]$/.test(source.file) ? KEYWORDS_OF_C : KEYWORDS;
  const lines = source.text.replace(/\n$/, "").split("\n");
  return element(
    "ol",
    { class: "source", tabindex: 0, "aria-label": `the text of ${baseName(source.file)}` },
    lines.map((line) => element("li", {}, element("code", {}, highlighted(line, keywords)))),
  );
}

/** The texts of the program beside a violation; `show` marks the line of a step. */
function sourceView(sources, violation) {
  const lists = new Map(sources.map((source) => [source.file, sourceList(source)]));
  const lineOf = (place) => place && lists.get(place.file)?.children[place.line - 1];
  for (const row of decidingRows(violation)) lineOf(violation.schedule[row].where)?.classList.add("race");
  if (violation.early) lineOf(violation.early.where)?.classList.add("race");
  lineOf(violation.where)?.classList.add("wrong");
  let marked = null;
  const show = (steps) => {
    if (marked) {
      marked.classList.remove("current");
      marked.removeAttribute("aria-current");
    }
    marked = steps > 0 ? lineOf(violation.schedule[steps - 1].where) : null;
    if (!marked) return;
    marked.classList.add("current");
    marked.setAttribute("aria-current", "true");
    bringIntoBox(marked.parentElement, marked);
  };
  const boxes = sources.map((source) =>
    element("figure", { class: "source-box" }, element("figcaption", {}, source.file), lists.get(source.file)),
  );
  return { node: sources.length > 0 ? element("div", { class: "sources" }, boxes) : null, show };
}
