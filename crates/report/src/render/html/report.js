// Puts the page together: the verdict, each violation, the states, the program, the search; then keys and the address.

function verdictView(data) {
  return element(
    "header",
    { class: data.headline === data.verdict ? `verdict ${data.verdict}` : "verdict" },
    data.up ? element("p", {}, element("a", { href: data.up[1] }, `← ${data.up[0]}`)) : null,
    element("p", { class: "kicker" }, data.program),
    element("h1", {}, element("span", { class: "sign", "aria-hidden": "true" }, SIGNS[data.verdict]), ` ${data.headline}`),
    // Without a violation, what the verdict means is the finding.
    data.violations.length === 0 ? remarksView(data) : null,
  );
}

function remarksView(data) {
  return data.remarks.map((remark) => element("p", {}, sentence(remark)));
}

/** How it was found: last, since what was found matters more. */
function searchView(data) {
  return element(
    "section",
    { class: "search" },
    element("h2", {}, "The search"),
    data.violations.length > 0 ? remarksView(data) : null,
    element(
      "dl",
      { class: "statistics" },
      element("div", {}, element("dt", {}, "engine"), element("dd", {}, data.engine)),
      data.statistics.map((one) => element("div", { title: one.meaning }, element("dt", {}, one.name), element("dd", {}, one.value))),
    ),
  );
}

/** Links to the violations where there are several, those of one race together. */
function contentsView(data) {
  if (data.violations.length < 2) return null;
  const link = (index) =>
    element("li", {}, element("a", { href: `#violation-${index + 1}` }, `${index + 1}. ${data.violations[index].message}`));
  const heading = ({ race, early, choice, schedule, kind }) => {
    if (early) return `${schedule[early.step - 1].actor} before ${early.actor} on ${early.object}`;
    if (choice) return `the choice of ${schedule[choice.step - 1].actor} in step ${choice.step}`;
    if (!race) return kind;
    const [one, other] = [schedule[race.first - 1], schedule[race.second - 1]];
    return `race on ${race.object}: ${one.actor} with ${other.actor}`;
  };
  const groups = data.groups.map((members) =>
    element("div", {}, element("h2", {}, heading(data.violations[members[0]])), element("ul", {}, members.map(link))),
  );
  return element(
    "nav",
    { class: "contents", "aria-label": "violations" },
    groups,
    data.untold > 0 ? element("p", { class: "dim" }, `${count(data.untold, "more violation is", "more violations are")} not shown here`) : null,
  );
}

function programView(data) {
  if (data.violations.length > 0 || data.sources.length === 0) return null;
  const boxes = data.sources.map((source) =>
    element("figure", { class: "source-box whole" }, element("figcaption", {}, source.file), sourceList(source)),
  );
  return element("section", { class: "program" }, element("h2", {}, "The program"), boxes);
}

/** `#violation-2-step-5` names a violation and a step. */
function fromAddress(views) {
  const match = /^#violation-(\d+)(?:-step-(\d+))?$/.exec(location.hash);
  const view = match && views[Number(match[1]) - 1];
  if (!view) return null;
  if (match[2] !== undefined) view.go(Number(match[2]));
  return Number(match[1]) - 1;
}

function toAddress(index, steps) {
  try {
    history.replaceState(null, "", `#violation-${index + 1}-step-${steps}`);
  } catch {
    // Some browsers do not let a file change its address: then the address stays as it is.
  }
}

function listenToKeys(views, active) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || views.length === 0) return;
    if (event.target.closest?.("input, .source, .graph")) return;
    const view = views[active()];
    const inRows = event.target.closest?.(".rows");
    const moves = { ArrowLeft: view.steps - 1, ArrowRight: view.steps + 1 };
    if (inRows) Object.assign(moves, { ArrowUp: view.steps - 1, ArrowDown: view.steps + 1, Home: 0, End: Infinity });
    if (event.key in moves) {
      event.preventDefault();
      view.go(moves[event.key]);
      if (inRows) view.node.querySelector(".rows .current button")?.focus();
    } else if (event.key === "h") {
      view.toggleOrder();
    } else if (event.key === "f") {
      view.toggleFolds();
    }
  });
}

function start() {
  const data = JSON.parse(document.getElementById("data").textContent);
  let active = 0;
  let ready = false;
  const graph = data.graph ? graphView(data.graph, (violation, steps) => views[violation]?.go(steps)) : null;
  const tell = (index, steps) => {
    active = index;
    graph?.show(index, steps);
    if (ready) toAddress(index, steps);
  };
  const views = data.violations.map((violation, index) => violationView(data, violation, index, tell));
  views.forEach((view, index) => view.node.addEventListener("pointerdown", () => (active = index)));
  views.forEach((view, index) => view.node.addEventListener("focusin", () => (active = index)));
  document.getElementById("page").append(
    ...[verdictView(data), contentsView(data), ...views.map((view) => view.node), document.getElementById("unfolding"), graph?.node, programView(data), searchView(data)].filter(Boolean),
  );
  const draw = () => views.forEach((view) => view.draw());
  draw();
  [...views].reverse().forEach((view) => view.go(view.steps));
  for (const view of views) view.shown = true;
  active = fromAddress(views) ?? 0;
  addEventListener("hashchange", () => (active = fromAddress(views) ?? active));
  addEventListener("resize", draw);
  listenToKeys(views, () => active);
  ready = true;
  // For tests: the page is complete, and shows so many steps and states.
  document.documentElement.dataset.steps = document.querySelectorAll(".picture .step").length;
  document.documentElement.dataset.states = document.querySelectorAll(".graph .node").length;
  document.documentElement.dataset.ready = "yes";
}

try {
  start();
} catch (error) {
  document.documentElement.dataset.ready = `failed: ${error.message}`;
  throw error;
}
