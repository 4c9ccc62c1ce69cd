// The state after so many steps, and what the last of them changed.

// More values than this, and those that never change are folded away.
const MANY_VALUES = 14;

/** The values before the first step and after each one: lists of [name, value]. */
function statesOf(violation) {
  const states = [new Map(violation.initial)];
  for (const step of violation.schedule) {
    const state = new Map(states[states.length - 1]);
    for (const change of step.changes) {
      if (change.new === null) state.delete(change.name);
      else state.set(change.name, change.new);
    }
    states.push(state);
  }
  return states;
}

/** The local variables of each actor that has moved: those of the one that moves last stand out. */
function localRows(violation, steps) {
  const last = new Map(violation.schedule.slice(0, steps).map((step) => [step.actor, step.locals ?? {}]));
  const mover = steps > 0 ? violation.schedule[steps - 1].actor : null;
  return [...last].flatMap(([actor, locals]) =>
    Object.entries(locals).map(([name, value]) =>
      element(
        "tr",
        { class: actor === mover ? "local own" : "local" },
        element("th", { scope: "row" }, element("span", { class: "dim" }, `${actor} · `), name),
        element("td", {}, value),
      ),
    ),
  );
}

/** A table of the state. */
function stateTable(violation) {
  const states = statesOf(violation);
  const changing = new Set(violation.schedule.flatMap((step) => step.changes.map((change) => change.name)));
  const body = element("tbody");
  const table = element(
    "table",
    { class: "state" },
    element("caption", {}, "State"),
    element("thead", { class: "unseen" }, element("tr", {}, element("th", {}, "name"), element("th", {}, "value"))),
    body,
  );
  const locals = element("tbody", { class: "locals" });
  table.append(locals);
  const all = new Set(states.flatMap((state) => [...state.keys()]));
  const fold = all.size > MANY_VALUES && changing.size > 0 && changing.size < all.size;
  const box = element("input", { type: "checkbox", on: { change: () => show(shown) } });
  const choice = fold
    ? element("label", { class: "choice" }, box, ` also the ${all.size - changing.size} values that never change`)
    : null;
  let shown = 0;
  const show = (steps) => {
    shown = steps;
    const changes = new Map((steps > 0 ? violation.schedule[steps - 1].changes : []).map((c) => [c.name, c]));
    const wanted = (name) => !fold || box.checked || changing.has(name);
    const rows = [...states[steps]].filter(([name]) => wanted(name)).map(([name, value]) => {
      const change = changes.get(name);
      return element(
        "tr",
        { class: change ? "changed" : null },
        element("th", { scope: "row" }, name),
        element(
          "td",
          {},
          change && change.old !== null ? [element("del", {}, change.old), " → "] : null,
          change ? element("ins", {}, value) : value,
        ),
      );
    });
    const gone = [...changes.values()].filter((change) => change.new === null).map((change) =>
      element(
        "tr",
        { class: "changed" },
        element("th", { scope: "row" }, change.name),
        element("td", {}, element("del", {}, change.old), " gone"),
      ),
    );
    body.replaceChildren(...rows, ...gone);
    locals.replaceChildren(...localRows(violation, steps));
  };
  const hasLocals = violation.schedule.some((step) => step.locals);
  const node = all.size === 0 && !hasLocals ? null : element("div", { class: "state-box" }, table, choice);
  return { node, show };
}
