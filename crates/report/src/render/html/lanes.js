// The schedule as a picture: one lane per actor, time runs downwards, one row per step with its words beside it.

// About how wide a letter of an actor's name is.
const LETTER = 7.6;
// Links of these kinds are there in every row of some programs: they are shown for the step at hand only.
const QUIET_KINDS = new Set(["handler", "mailbox", "invariant"]);
// A link through a variable that is longer than this crosses too much to help.
const LONGEST_QUIET_LINK = 8;

/** The rows that the reason is about. */
function decidingRows({ race, early, choice }) {
  return (race ? [race.first, race.second] : [early?.step, choice?.step].filter(Boolean)).map((number) => number - 1);
}

/** The lanes of a violation. `choose` is called with the number of a step that the reader picks. Where only a part of a path is
 *  drawn, `violation.before` is how many steps come before it. */
function lanesOf(violation, order, choose) {
  const rows = violation.schedule.map((step, index) => rowOf(violation, step, index, choose));
  const ending = !violation.replayed ? null : violation.kind === "deadlock" ? endingRow("✗", "no actor can move") : foreverRow(violation);
  const list = element("ol", { class: "rows" }, rows, ending);
  const folds = violation.folds.map(([first, last, lock]) => foldOf(violation, rows, first, last, lock, () => lanes.draw()));
  const picture = svg("svg", { class: "picture", "aria-hidden": "true", focusable: "false" });
  const heads = element("div", { class: "heads", "aria-hidden": "true" });
  const node = element("div", { class: "lanes" }, heads, element("div", { class: "body" }, picture, list));
  const lanes = { node, rows, current: 0, ordered: false };

  const relate = (index) => showOrder(violation, order, rows, picture, index);
  lanes.settle = () => relate(lanes.ordered && lanes.current > 0 ? lanes.current - 1 : null);
  rows.forEach((row, index) => {
    row.addEventListener("mouseenter", () => relate(index));
    row.addEventListener("mouseleave", lanes.settle);
  });
  lanes.draw = () => {
    drawHeads(heads, violation, drawPicture(picture, list, rows, folds, violation));
    lanes.show(lanes.current);
  };
  lanes.toggleFolds = () => {
    const close = folds.every((fold) => fold.isOpen());
    for (const fold of folds) fold.set(!close);
    lanes.draw();
  };
  lanes.show = (steps) => {
    lanes.current = steps;
    // The step at hand is always in sight.
    const hiding = folds.find((fold) => fold.holds(steps - 1) && !fold.isOpen());
    if (hiding) {
      hiding.set(true);
      lanes.draw();
      return;
    }
    rows.forEach((row, index) => {
      row.classList.toggle("current", index === steps - 1);
      row.classList.toggle("ahead", index >= steps);
      row.querySelector("button").setAttribute("aria-current", index === steps - 1 ? "step" : "false");
    });
    for (const part of picture.querySelectorAll("[data-row]")) {
      part.classList.toggle("current", Number(part.dataset.row) === steps - 1);
    }
    lanes.settle();
  };
  return lanes;
}

function rowOf(violation, step, index, choose) {
  const race = decidingRows(violation).includes(index);
  const tag = violation.race ? `race on ${violation.race.object}` : violation.early ? `came before ${violation.early.actor}` : "this choice decides";
  const fails = violation.failing === index;
  const number = numberOf(violation, index);
  const words = element(
    "span",
    { class: "words" },
    element("span", { class: "actor" }, step.actor),
    step.text === step.actor ? null : element("code", {}, step.text),
    race ? element("span", { class: "tag race" }, tag) : null,
    fails ? element("span", { class: "tag wrong" }, violation.failing_line ? `✗ wrong at line ${violation.failing_line}` : "✗ wrong here") : null,
    step.changes.map((change) => element("span", { class: "change" }, changeWords(change))),
  );
  const button = element(
    "button",
    { type: "button", title: `go to step ${number}`, on: { click: () => choose(index + 1) } },
    element("span", { class: "number" }, String(number)),
    element("span", { class: "space" }),
    words,
  );
  const repeated = isRepeated(violation, index);
  return element("li", { class: `row${race ? " race" : ""}${fails ? " wrong" : ""}${repeated ? " repeated" : ""}` }, button);
}

/** A row that stands for steps within a critical section, or for more steps on one line of the source, and opens them. */
function foldOf(violation, rows, first, last, lock, redraw) {
  const { actor } = violation.schedule[first];
  const words = element("span", { class: "words" });
  const button = element(
    "button",
    { type: "button", "aria-expanded": "false", on: { click: () => { fold.set(!fold.isOpen()); redraw(); } } },
    element("span", { class: "number" }),
    element("span", { class: "space" }),
    words,
  );
  const row = element("li", { class: "row fold" }, button);
  rows[first].before(row);
  let open = false;
  const fold = { row, holds: (index) => first <= index && index <= last, isOpen: () => open };
  fold.set = (on) => {
    open = on;
    button.setAttribute("aria-expanded", String(open));
    const number = last - first + 1;
    const steps = lock ? `${count(number, "step", "steps")} of ${actor} while it holds ${lock}` : `${count(number, "more step", "more steps")} of ${actor} on this line`;
    const sign = element("span", { class: "sign", "aria-hidden": "true" }, open ? "▾" : "▸");
    words.replaceChildren(element("span", {}, sign, `${steps} (${first + 1} to ${last + 1})`));
    for (let index = first; index <= last; index++) rows[index].hidden = !open;
  };
  fold.set(false);
  return fold;
}

/** The number of a row's step. */
function numberOf(violation, index) {
  return (violation.before ?? 0) + index + 1;
}

function endingRow(sign, words) {
  return element(
    "li",
    { class: "row ending" },
    element("span", { class: "number" }, sign),
    element("span", { class: "space" }),
    element("span", { class: "words" }, element("span", { class: "tag wrong" }, words)),
  );
}

/** How an execution without end goes on. */
function foreverRow(violation) {
  if (!violation.loop) return null;
  return violation.still ? endingRow("✗", violation.still) : endingRow("↻", `again from step ${violation.loop}, for ever`);
}

/** Whether a step is one of those that are repeated for ever. */
function isRepeated(violation, row) {
  return Boolean(violation.loop) && row >= violation.loop - 1;
}

/** `x: 0 → 1` */
function changeWords(change) {
  if (change.old === null) return `${change.name} = ${change.new}`;
  return `${change.name}: ${change.old} → ${change.new === null ? "gone" : change.new}`;
}

/** Draws lanes, links and steps beside the rows as they stand, and returns the places of the lanes. */
function drawPicture(picture, list, rows, folds, violation) {
  const actors = violation.actors;
  const room = list.clientWidth * (list.clientWidth < 560 ? 0.34 : 0.42);
  const pitch = Math.max(16, Math.min(96, room / Math.max(1, actors.length)));
  const lane = (actor) => pitch * (actor + 0.5);
  const width = pitch * actors.length;
  list.style.setProperty("--lanes", `${width}px`);
  const height = list.offsetHeight;
  const top = list.getBoundingClientRect().top;
  const middles = rows.map((row, index) => {
    // A step that is folded away stands where its fold does.
    const shown = row.hidden ? folds.find((fold) => fold.holds(index)).row : row;
    const box = shown.getBoundingClientRect();
    row.style.setProperty("--height", `${box.height}px`);
    return box.top - top + box.height / 2;
  });
  picture.setAttribute("width", width);
  picture.setAttribute("height", height);
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const numbers = new Map(actors.map((actor, index) => [actor, index]));
  const place = (row) => ({ x: lane(numbers.get(violation.schedule[row].actor)), y: middles[row] });
  picture.replaceChildren(
    arrowHeads(),
    ...actors.map((actor, index) => drawLane(violation, actor, index, lane(index), middles, height)),
    ...violation.causes.flatMap((causes, row) => causes.map((cause) => drawLink(violation, cause, row, place))),
    ...(violation.race ? [drawRace(violation, place)] : []),
    ...drawLoop(violation, rows, middles, width, pitch),
    ...violation.schedule.map((step, row) => drawStep(violation, row, place(row), numbers.get(step.actor))),
  );
  return { pitch, lane };
}

function arrowHeads() {
  const head = (id) =>
    svg(
      "marker",
      { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" },
      svg("path", { d: "M0 0.5 L7.5 4 L0 7.5 Z" }),
    );
  return svg("defs", {}, head("head"), head("head-race"), head("head-loop"));
}

function drawLane(violation, actor, index, x, middles, height) {
  const own = violation.schedule.flatMap((step, row) => (step.actor === actor ? [middles[row]] : []));
  const colour = `lane-${index % LANE_COLOURS}`;
  return svg(
    "g",
    { class: `lane ${colour}` },
    svg("line", { class: "rest", x1: x, y1: 0, x2: x, y2: height }),
    svg("line", { class: "life", x1: x, y1: own[0], x2: x, y2: own[own.length - 1] }),
  );
}

function curve(from, to) {
  const bend = Math.min(46, (to.y - from.y) * 0.6);
  const side = Math.sign(to.x - from.x);
  const [start, end] = [from.x + side * 3, to.x - side * 8];
  return `M${start} ${from.y + 4} C${from.x + side * 4} ${from.y + bend} ${end - side * 26} ${to.y} ${end} ${to.y}`;
}

function drawLink(violation, cause, row, place) {
  const quiet = QUIET_KINDS.has(cause.kind) || (cause.kind === "variable" && row - cause.row > LONGEST_QUIET_LINK);
  return svg(
    "path",
    {
      class: `link ${cause.kind}${quiet ? " quiet" : ""}`,
      d: curve(place(cause.row), place(row)),
      "marker-end": "url(#head)",
      "data-from": cause.row,
      "data-to": row,
    },
    svg("title", {}, `step ${numberOf(violation, row)} depends on step ${numberOf(violation, cause.row)} through ${cause.object}`),
  );
}

function drawRace(violation, place) {
  const { race } = violation;
  const [from, to] = [place(race.first - 1), place(race.second - 1)];
  return svg(
    "path",
    { class: "race-link", d: curve(from, to), "marker-end": "url(#head-race)" },
    svg("title", {}, `steps ${numberOf(violation, race.first - 1)} and ${numberOf(violation, race.second - 1)} race on ${race.object}`),
  );
}

/** A frame around the lanes of the steps that are repeated, with an arrow from the last one back to the first. */
function drawLoop(violation, rows, middles, width, pitch) {
  if (!violation.loop || violation.loop > rows.length) return [];
  const [first, last] = [middles[violation.loop - 1], middles[rows.length - 1]];
  const [left, right, top, bottom] = [1.5, width - 1.5, first - 11, last + 11];
  // It leaves the frame's inside beside the last step, and comes back beside the first one.
  const [out, inside] = [right - 5, right - Math.max(11, Math.min(22, pitch / 2 - 9))];
  const back = `M${inside} ${last + 6} H${out} Q${right} ${last + 6} ${right} ${last + 1} V${first - 1} Q${right} ${first - 6} ${out} ${first - 6} H${inside}`;
  const title = () => svg("title", {}, `the steps ${violation.loop} to ${rows.length} are repeated for ever`);
  return [
    svg("rect", { class: "loop-frame", x: left, y: top, width: Math.max(1, right - left), height: bottom - top, rx: 7 }, title()),
    svg("path", { class: "loop-back", d: back, "marker-end": "url(#head-loop)" }, title()),
  ];
}

function drawStep(violation, row, { x, y }, actor) {
  const race = decidingRows(violation).includes(row);
  const fails = violation.failing === row;
  const classes = ["step", `lane-${actor % LANE_COLOURS}`, race && "race", fails && "wrong"].filter(Boolean);
  return svg(
    "g",
    { class: classes.join(" "), "data-row": row, transform: `translate(${x} ${y})` },
    svg("circle", { class: "halo", r: 11 }),
    svg("circle", { class: "dot", r: 6.5 }),
    fails ? svg("path", { class: "cross", d: "M-3 -3 L3 3 M3 -3 L-3 3" }) : null,
  );
}

// Slanted names are cut beyond this; the style has it too. So much of a name's length is its height.
const LONGEST_HEAD = 210;
const SLANT = Math.sin((42 / 180) * Math.PI);

function drawHeads(heads, violation, { pitch, lane }) {
  const slanted = violation.actors.some((actor) => actor.length * LETTER > pitch - 8);
  heads.classList.toggle("slanted", slanted);
  const longest = Math.min(LONGEST_HEAD, LETTER * Math.max(...violation.actors.map((actor) => actor.length)));
  heads.style.height = slanted ? `${longest * SLANT + 14}px` : "";
  heads.replaceChildren(
    ...violation.actors.map((actor, index) =>
      element(
        "span",
        { class: `lane-${index % LANE_COLOURS}`, style: `left:${lane(index)}px`, title: actor },
        actor,
      ),
    ),
  );
}

/** Marks what comes before a step, what comes after it, and what is ordered with neither. */
function showOrder(violation, order, rows, picture, index) {
  const off = index === null;
  const [past, future] = off ? [new Set(), new Set()] : [order.past(index), order.future(index)];
  const related = (row) => row === index || past.has(row) || future.has(row);
  const mark = (node, row) => {
    node.classList.toggle("is-before", past.has(row));
    node.classList.toggle("is-after", future.has(row));
    node.classList.toggle("is-apart", !off && !related(row));
  };
  rows.forEach(mark);
  for (const step of picture.querySelectorAll(".step")) mark(step, Number(step.dataset.row));
  for (const link of picture.querySelectorAll(".link")) {
    const [from, to] = [Number(link.dataset.from), Number(link.dataset.to)];
    const inPast = (row) => row === index || past.has(row);
    const inFuture = (row) => row === index || future.has(row);
    link.classList.toggle("told", !off && ((inPast(from) && inPast(to)) || (inFuture(from) && inFuture(to))));
    link.classList.toggle("is-apart", !off && !link.classList.contains("told"));
  }
}
