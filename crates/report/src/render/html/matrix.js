// Apps against apps: a matrix with a sign in each cell, and below it a section for each pair of which there is something to say.

/** What cells mean, in the order of the legend. */
const MEANINGS = [
  ["fight", "the apps undo what the other did, or set each other off: so many ways were found"],
  ["violated", "something else is wrong: an app crashes, a rule is broken"],
  ["verified", "no order of events breaks them"],
  ["bounded", "a bound cut the search"],
  ["inconclusive", "time or memory ran out"],
  ["unsupported", "an app does what is not modelled"],
  ["failed", "could not be checked"],
  ["accepted", "what was found is accepted"],
];

const pairId = (index) => `pair-${index + 1}`;

/** Whether a pair has a section of its own. */
const isTold = (pair) => pair.verdict !== "verified";

function pairName(data, pair) {
  return [...new Set(pair.apps)].map((app) => data.apps[app].name).join(" + ");
}

/** What a cell shows: a fight, or what the verdict is. */
function cellKind(pair) {
  return pair.fights > 0 ? "fight" : pair.verdict;
}

/** What stands in a cell: in how many ways they fight, or the sign of the verdict. */
function cellSign(pair) {
  return pair.fights > 0 ? String(pair.fights) : SIGNS[pair.verdict];
}

function cellWords(data, pair) {
  const what = pair.summary || (isTold(pair) && pair.reason) || "";
  return `${pairName(data, pair)}: ${pair.verdict}${what ? `, ${what}` : ""}`;
}

/** The matrix. Arrow keys move in it; a line below says what the cell means. */
function matrixView(data) {
  const at = new Map();
  data.pairs.forEach((pair, index) => {
    const [one, other] = pair.apps;
    at.set(`${one} ${other}`, index).set(`${other} ${one}`, index);
  });
  const hint = "Point at a cell, or move with the arrow keys; a red one leads to what was found.";
  const now = element("p", { class: "cell-words", "aria-live": "polite" }, hint);
  const table = element("table", { class: "matrix" });
  const cells = [];
  const heads = data.apps.map((app) => element("th", { scope: "col" }, element("span", {}, app.name)));
  table.append(element("thead", {}, element("tr", {}, element("td"), heads)));
  const body = element("tbody");
  data.apps.forEach((app, row) => {
    const line = data.apps.map((_, column) => {
      const index = at.get(`${row} ${column}`);
      if (index === undefined) return element("td", { class: row === column ? "self" : null });
      const pair = data.pairs[index];
      const words = cellWords(data, pair);
      const attributes = { class: `cell ${cellKind(pair)}`, tabindex: cells.length === 0 ? 0 : -1, "aria-label": words, title: words };
      const cell = isTold(pair)
        ? element("a", { ...attributes, href: `#${pairId(index)}` }, cellSign(pair))
        : element("span", { ...attributes, role: "img" }, cellSign(pair));
      cell.addEventListener("mouseenter", () => (now.textContent = words));
      cell.addEventListener("focus", () => (now.textContent = words));
      cells.push({ cell, row, column });
      return element("td", {}, cell);
    });
    const trouble = app.fights > 0 ? element("span", { class: "trouble" }, ` ${app.fights}`) : null;
    const name = element("th", { scope: "row", title: `${app.name} fights with ${count(app.fights, "app", "apps")}` }, app.name, trouble);
    body.append(element("tr", {}, name, line));
  });
  table.append(body);
  table.addEventListener("keydown", (event) => moveInMatrix(event, cells));
  return element(
    "section",
    { class: "apps" },
    element("div", { class: "scroll", tabindex: -1 }, table),
    element("div", { class: "beside-matrix" }, now, legend(data)),
  );
}

/** Moves to the nearest cell in the direction of an arrow key. */
function moveInMatrix(event, cells) {
  const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
  const from = cells.find(({ cell }) => cell === document.activeElement);
  if (!step || !from) return;
  event.preventDefault();
  const ahead = ({ row, column }) => (row - from.row) * step[0] + (column - from.column) * step[1];
  const inLine = ({ row, column }) => (step[0] === 0 ? row === from.row : column === from.column);
  const candidates = cells.filter((one) => inLine(one) && ahead(one) > 0);
  const to = candidates.sort((one, other) => ahead(one) - ahead(other))[0];
  if (!to) return;
  from.cell.tabIndex = -1;
  to.cell.tabIndex = 0;
  to.cell.focus();
}

function legend(data) {
  const item = ([kind, meaning]) => {
    const number = data.pairs.filter((pair) => cellKind(pair) === kind).length;
    if (number === 0) return null;
    const sign = element("span", { class: `cell ${kind}`, "aria-hidden": "true" }, kind === "fight" ? "2" : SIGNS[kind]);
    return element("li", {}, sign, element("span", {}, element("strong", {}, kind), ` · ${count(number, "pair", "pairs")} · ${meaning}`));
  };
  return element("ul", { class: "legend" }, MEANINGS.map(item));
}

/** What was found in a pair: sentences, each with the events that lead there. */
function pairView(data, pair, index) {
  const finding = (violation, number) =>
    element(
      "li",
      {},
      element(
        "p",
        { class: violation.accepted ? "dim" : null },
        element("span", { class: violation.accepted ? "tag" : "tag wrong" }, [violation.severity, violation.kind].filter(Boolean).join(" ")),
        ` ${violation.message}${violation.accepted ? " (accepted)" : ""}`,
      ),
      violation.events.length > 0
        ? element("ol", { class: "events", "aria-label": "in this order" }, violation.events.map((event) => element("li", {}, element("span", {}, event))))
        : element("p", { class: "dim" }, "as soon as they are installed"),
      pair.page ? element("p", {}, element("a", { href: `${encodeURI(pair.page)}#violation-${number + 1}` }, "Step through it")) : null,
    );
  return element(
    "section",
    { class: "duel", id: pairId(index), tabindex: -1 },
    element(
      "header",
      {},
      element("h2", {}, [...new Set(pair.apps)].map((app, place) => [place > 0 ? " + " : "", element("span", {}, data.apps[app].name)]).flat()),
      element("p", { class: "dim" }, [pair.verdict, pair.summary, pair.effort].filter(Boolean).join(" · ")),
    ),
    pair.violations.length > 0 ? element("ol", { class: "findings" }, pair.violations.map(finding)) : element("p", {}, pair.reason ?? ""),
  );
}

function startMatrix() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const told = data.pairs.map((pair, index) => (isTold(pair) ? pairView(data, pair, index) : null)).filter(Boolean);
  const fights = data.pairs.some((pair) => pair.fights > 0);
  document.getElementById("page").append(
    element(
      "header",
      { class: `verdict ${fights ? "violated" : told.length > 0 ? "" : "verified"}` },
      element("p", { class: "kicker" }, `${count(data.apps.length, "app", "apps")}, two at a time`),
      element("h1", {}, fights ? "Which apps fight" : "No apps are known to fight"),
      element("p", {}, `${data.conclusion}.`),
    ),
    matrixView(data),
    ...told,
  );
  document.documentElement.dataset.cells = document.querySelectorAll(".matrix .cell").length;
  document.documentElement.dataset.told = told.length;
  document.documentElement.dataset.ready = "yes";
  // The section that the address names was not there when the browser looked for it.
  if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

try {
  startMatrix();
} catch (error) {
  document.documentElement.dataset.ready = `failed: ${error.message}`;
  throw error;
}
