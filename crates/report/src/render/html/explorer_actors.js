// The actors that can move, each with its next step; which actor is blocked on what; and which next steps conflict.

// More conflicts than this are not drawn, only listed; and no more than this many are listed.
const DRAWN_CLASHES = 12;
const LISTED_CLASHES = 40;
const WORDED_CLASHES = 3;
// About how long a letter of a mark is.
const LETTER_OF_CLASH = 6.4;

/** The list of actors. `move` is called with the step that the reader picks. */
function actorsView(move) {
  const list = element("ol", { class: "movers" });
  const marks = svg("svg", { class: "clash-marks", "aria-hidden": "true", focusable: "false" });
  const clashes = element("ul", { class: "clashes" });
  const clashBox = element("div", { class: "clash-box" }, element("h3", {}, "Next steps that conflict"), clashes);
  const halt = element("p", { class: "halt", role: "status" });
  const node = element(
    "section",
    { class: "who", "aria-label": "who can move" },
    element("h2", {}, "Who can move"),
    halt,
    element("div", { class: "movers-box" }, marks, list),
    clashBox,
  );
  let shown = null;
  const view = { node };
  view.show = (here, lanes) => {
    shown = here;
    halt.textContent = here.halt ? haltWords(here.halt) : "";
    halt.className = here.halt ? `halt ${here.halt.kind}` : "halt";
    list.replaceChildren(...here.movers.map((mover, index) => moverRow(mover, index, lanes, move)));
    const rows = new Map(here.movers.map((mover, index) => [mover.turn, list.children[index]]));
    const names = new Map(here.movers.map((mover) => [mover.turn, mover.name]));
    clashes.replaceChildren(...here.clashes.slice(0, LISTED_CLASHES).map((clash) => clashRow(clash, names, rows)));
    if (here.clashes.length > LISTED_CLASHES) clashes.append(element("li", { class: "dim" }, `and ${here.clashes.length - LISTED_CLASHES} more`));
    clashBox.hidden = here.clashes.length === 0;
    view.draw();
  };
  view.draw = () => {
    if (shown) drawClashes(marks, list, shown);
  };
  /** Moves the n-th actor that can move, or shows its outcomes where there are several. */
  view.pick = (index) => {
    const mover = shown?.movers.find((one) => one.turn === index);
    if (!mover) return;
    if (mover.ways.length === 1) move(mover.ways[0].turn);
    else list.children[shown.movers.indexOf(mover)]?.querySelector(".ways button")?.focus();
  };
  view.focusBy = (by) => {
    const buttons = [...list.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : buttons.length - 1) : at + by;
    buttons[next]?.focus();
  };
  return view;
}

function haltWords({ kind, cycle }) {
  if (kind === "finished") return "Everything is done: no actor has anything left to do.";
  if (kind === "assumption") return "An assumption is false here, so this execution does not count.";
  const round = cycle.length > 0 ? `: ${[...cycle, cycle[0]].join(" → ")}` : "";
  return `Deadlock: no actor can move${round}.`;
}

function moverRow(mover, index, lanes, move) {
  const lane = lanes.get(mover.name);
  const place = mover.where ? element("span", { class: "dim" }, `${baseName(mover.where.file)}:${mover.where.line}`) : null;
  const name = element("span", { class: "actor" }, mover.name);
  const next = mover.text && mover.text !== mover.name ? element("code", {}, mover.text) : null;
  const classes = `mover ${mover.standing}${lane === undefined ? "" : ` lane-${lane % LANE_COLOURS}`}`;
  if (mover.standing === "ended") return element("li", { class: classes }, name, element("span", { class: "dim" }, "ended"));
  if (mover.standing === "blocked") {
    const cannot = mover.kind === "event" ? "cannot happen: waits for" : "waits for";
    return element(
      "li",
      { class: classes },
      name,
      next,
      element("span", { class: "awaits" }, `${cannot} ${mover.awaits}`, mover.holder ? `, held by ${mover.holder}` : ""),
      place,
    );
  }
  const key = mover.turn < 9 ? element("kbd", {}, String(mover.turn + 1)) : null;
  const several = mover.ways.length > 1 || mover.more;
  const first = mover.ways[0];
  const wrong = (way) => (way?.wrong ? element("span", { class: "tag wrong", title: way.wrong }, "✗ goes wrong") : null);
  const touched = element("span", { class: "touched dim" }, mover.touched.map((one) => `${one.access} ${one.object}`).join(", "));
  const words = [element("span", { class: "mover-head" }, key, name, place), next, several ? null : wrong(first), touched];
  const turn = first?.turn ?? String(mover.turn);
  const head = several
    ? element("div", { class: "mover-words" }, words)
    : element("button", { type: "button", class: "mover-words", title: `move ${mover.name}`, on: { click: () => move(turn) } }, words);
  const ways = several
    ? element(
        "div",
        { class: "ways", role: "group", "aria-label": `outcomes of ${mover.name}` },
        mover.ways.map((way) =>
          element("button", { type: "button", on: { click: () => move(way.turn) } }, element("code", {}, way.text || `outcome ${way.turn}`), wrong(way)),
        ),
        mover.more ? element("span", { class: "dim" }, "and more outcomes") : null,
      )
    : null;
  return element("li", { class: classes, "data-turn": mover.turn }, head, ways);
}

/** `x: T1 write / T2 read` */
function clashRow({ turns, object, accesses }, names, rows) {
  const both = turns.map((turn) => rows.get(turn)).filter(Boolean);
  const mark = (on) => both.forEach((row) => row.classList.toggle("clashing", on));
  return element(
    "li",
    { on: { mouseenter: () => mark(true), mouseleave: () => mark(false) } },
    element("strong", {}, object),
    `: ${names.get(turns[0])} ${accesses[0]} / ${names.get(turns[1])} ${accesses[1]}`,
  );
}

/** Joins the rows of next steps that conflict by brackets with the name of the object. */
function drawClashes(marks, list, here) {
  const rows = new Map([...list.children].filter((row) => row.dataset.turn !== undefined).map((row) => [Number(row.dataset.turn), row]));
  const top = list.getBoundingClientRect().top;
  const middle = (row) => {
    const box = row.getBoundingClientRect();
    return box.top - top + Math.min(18, box.height / 2);
  };
  const drawn = here.clashes.filter(({ turns }) => turns.every((turn) => rows.has(turn))).slice(0, DRAWN_CLASHES);
  // Few brackets have their words beside them.
  const [columns, pitch] = drawn.length <= WORDED_CLASHES ? [drawn.length, 17] : [6, 8];
  const width = drawn.length === 0 ? 0 : 14 + columns * pitch;
  list.style.paddingLeft = `${width}px`;
  marks.setAttribute("width", width);
  marks.setAttribute("height", list.offsetHeight);
  marks.replaceChildren(
    ...drawn.map(({ turns, object, accesses }, index) => {
      const [from, to] = turns.map((turn) => middle(rows.get(turn)));
      const x = width - 12 - (index % columns) * pitch;
      const words = `${object}: ${accesses[0]}/${accesses[1]}`;
      // What does not fit beside the bracket stands in the list below.
      const room = Math.floor((Math.abs(to - from) + 24) / LETTER_OF_CLASH);
      const label = [words, object].find((text) => text.length <= room) ?? `${object.slice(0, Math.max(1, room - 1))}…`;
      return svg(
        "g",
        { class: "clash" },
        svg("path", { d: `M${width - 3} ${from} H${x + 4} Q${x} ${from} ${x} ${from + 4} V${to - 4} Q${x} ${to} ${x + 4} ${to} H${width - 3}` }),
        drawn.length > WORDED_CLASHES ? null : svg("text", { x: x - 3, y: (from + to) / 2, transform: `rotate(-90 ${x - 3} ${(from + to) / 2})` }, label),
        svg("title", {}, words),
      );
    }),
  );
}
