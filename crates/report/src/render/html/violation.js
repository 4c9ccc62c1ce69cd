// One violation: what is wrong and why, the lanes, and a stepper that shows the state and the source at each step.

/** The section of a violation. `tell` is called with the number of steps done whenever that changes. */
function violationView(data, violation, index, tell) {
  const last = violation.schedule.length;
  const order = orderOf(violation);
  const lanes = lanesOf(violation, order, (steps) => view.go(steps));
  const state = stateTable(violation);
  const source = sourceView(data.sources, violation);
  const controls = stepper(last, (steps) => view.go(steps), (on) => {
    lanes.ordered = on;
    lanes.settle();
  });
  const side = element("div", { class: "side" }, controls.node, state.node, source.node);
  const hint = element(
    "p",
    { class: "dim hint" },
    "Point at a step to see what comes before and after it in every order; what fades could have come at another time. ",
    "Arrow keys step.",
    violation.folds.length > 0 ? [" ", element("kbd", {}, "f"), " opens or folds critical sections."] : null,
  );
  const rest = last === 0 && violation.still ? element("p", { class: "why" }, `✗ ${violation.still}`) : null;
  const walk =
    last > 0
      ? element("div", { class: "walk" }, element("div", { class: "schedule" }, lanes.node, hint), side)
      : element("div", { class: "walk" }, side);
  const node = element(
    "section",
    { class: "violation", id: `violation-${index + 1}` },
    headline(data, violation, index),
    explanation(violation),
    deadlockView(violation),
    roundView(violation),
    rest,
    walk,
    footnotes(violation),
  );
  const view = { node, steps: last, shown: false };
  view.go = (steps) => {
    view.steps = Math.max(0, Math.min(last, steps));
    lanes.show(view.steps);
    state.show(view.steps);
    source.show(view.steps);
    controls.show(view.steps, stepWords(violation, view.steps));
    tell(index, view.steps);
    // Where the stepper stays in sight, the step comes into sight too.
    if (view.shown && getComputedStyle(side).position === "sticky") {
      lanes.rows[view.steps - 1]?.scrollIntoView({ block: "nearest" });
    }
  };
  view.draw = () => {
    if (last > 0) lanes.draw();
  };
  view.toggleOrder = controls.toggleOrder;
  view.toggleFolds = lanes.toggleFolds;
  return view;
}

function headline(data, violation, index) {
  const number = data.violations.length > 1 ? `${index + 1} of ${data.violations.length} · ` : "";
  const place = violation.where ? `${violation.where.file}:${violation.where.line}` : null;
  return element(
    "header",
    {},
    element("p", { class: "kicker" }, `${number}${violation.kind}`, place ? element("span", { class: "dim" }, ` · ${place}`) : null),
    element("h2", {}, violation.waits ? "deadlock: no actor can move" : violation.message),
    violation.replayed ? null : element("p", { class: "notice" }, "The program does not come to this violation along this schedule."),
  );
}

function explanation(violation) {
  const parts = [];
  if (violation.why) parts.push(element("p", { class: "why" }, reason(violation)));
  if (violation.remedy) parts.push(element("p", { class: "remedy" }, sentence(violation.remedy)));
  if (violation.race) parts.push(racePair(violation));
  if (violation.early) parts.push(earlyPair(violation));
  if (violation.choice) parts.push(choicePair(violation));
  const values = violation.failing === null ? Object.entries(violation.values) : [];
  for (const [label, list] of [["values", values], ["start", violation.start_values]]) {
    if (list.length > 0) {
      parts.push(element("p", { class: "values" }, `${label}: `, element("code", {}, list.map(([n, v]) => `${n} = ${v}`).join(", "))));
    }
  }
  return parts;
}

/** What is done again and again, with an arrow from the end back to the beginning. */
function roundView(violation) {
  if (!violation.repeats) return null;
  return element(
    "section",
    { class: "round" },
    element("h3", {}, "Again and again"),
    element("ol", {}, violation.repeats.map((deed) => element("li", {}, deed))),
    element("p", { class: "dim" }, "From here it starts again."),
  );
}

/** The reason as a sentence. A name stays as it is, also at the beginning. */
function reason({ why, actors }) {
  return actors.some((actor) => why.startsWith(actor)) ? `${why}.` : sentence(why);
}

function sentence(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Two steps side by side. */
function pairOf(label, one, joint, other) {
  return element("div", { class: "pair", role: "group", "aria-label": label }, one, element("span", { class: "versus" }, joint), other);
}

/** One of the two: who does what, and a remark on when and where. */
function sideOf(violation, { actor, text, where }, remark) {
  const lane = violation.actors.indexOf(actor);
  const place = where ? `line ${where.line}` : null;
  return element(
    "div",
    { class: lane < 0 ? "racer" : `racer lane-${lane % LANE_COLOURS}` },
    actor ? element("span", { class: "actor" }, actor) : null,
    text === actor ? null : element("code", {}, text),
    element("span", { class: "dim" }, [remark, place].filter(Boolean).join(", ")),
  );
}

function stepSide(violation, number) {
  return sideOf(violation, violation.schedule[number - 1], `step ${number}`);
}

function racePair(violation) {
  const { first, second } = violation.race;
  return pairOf("the race", stepSide(violation, first), "races with", stepSide(violation, second));
}

/** A step, and one of another actor that did not come before it. */
function earlyPair(violation) {
  const { early } = violation;
  return pairOf("the early step", stepSide(violation, early.step), "came before", sideOf(violation, early, "not part of this schedule"));
}

/** A step, and the same step with another outcome. */
function choicePair(violation) {
  const { step, instead } = violation.choice;
  const other = { actor: null, text: instead, where: null };
  return pairOf("the choice", stepSide(violation, step), "instead of", sideOf(violation, other, "can avoid it"));
}

function footnotes(violation) {
  return element(
    "footer",
    {},
    violation.shortened ? element("p", { class: "dim" }, sentence(violation.shortened)) : null,
    violation.schedule_file
      ? element("p", {}, "Run it again: ", element("code", { class: "command" }, `mazurka replay ${violation.schedule_file}`))
      : null,
    violation.schedule_file
      ? element("p", {}, "Leave this path: ", element("code", { class: "command" }, `mazurka explore ${violation.schedule_file}`))
      : null,
  );
}

/** What the reader hears when the stepper moves. */
function stepWords(violation, steps) {
  if (steps === 0) return "Before the first step";
  const step = violation.schedule[steps - 1];
  const what = step.text === step.actor ? "" : `: ${step.text}`;
  const end = violation.failing === steps - 1 ? " ✗" : "";
  return `${step.actor}${what}${end}`;
}

/** Buttons, a slider and the words of the current step. */
function stepper(last, go, order) {
  let steps = last;
  const button = (label, sign, target) =>
    element("button", { type: "button", "aria-label": label, title: label, on: { click: () => go(target()) } }, sign);
  const first = button("to the start", "«", () => 0);
  const back = button("one step back", "‹", () => steps - 1);
  const next = button("one step on", "›", () => steps + 1);
  const end = button("to the end", "»", () => last);
  const slider = element("input", {
    type: "range",
    min: 0,
    max: last,
    "aria-label": "step",
    on: { input: () => go(Number(slider.value)) },
  });
  const position = element("span", { class: "position" });
  const words = element("p", { class: "now", "aria-live": "polite" });
  const box = element("input", { type: "checkbox", on: { change: () => order(box.checked) } });
  const node = element(
    "div",
    { class: "stepper" },
    element("div", { class: "buttons" }, first, back, position, next, end),
    last > 1 ? slider : null,
    words,
    last > 1 ? element("label", { class: "choice" }, box, " show what is ordered with this step ", element("kbd", {}, "h")) : null,
  );
  const show = (now, text) => {
    steps = now;
    slider.value = now;
    position.textContent = `${now} / ${last}`;
    words.textContent = text;
    for (const [control, off] of [[first, now === 0], [back, now === 0], [next, now === last], [end, now === last]]) {
      control.disabled = off;
    }
  };
  const toggleOrder = () => {
    box.checked = !box.checked;
    order(box.checked);
  };
  return { node: last > 0 ? node : null, show, toggleOrder };
}
