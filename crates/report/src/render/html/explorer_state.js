// The state at a place: values with a filter, what the last step changed and touched, and where the program stands in its text.

// A table of more values than this is cut; the filter finds the others.
const MOST_VALUES = 400;

function placeView(sources) {
  const filter = element("input", { type: "search", class: "filter", placeholder: "filter values", "aria-label": "filter values", on: { input: () => table() } });
  const body = element("tbody");
  const more = element("p", { class: "dim" });
  const touched = element("p", { class: "touched" });
  const lists = new Map(sources.map((source) => [source.file, sourceList(source)]));
  const boxes = sources.map((source) => element("figure", { class: "source-box" }, element("figcaption", {}, source.file), lists.get(source.file)));
  const node = element(
    "section",
    { class: "what", "aria-label": "the state" },
    element("h2", {}, "The state"),
    element("div", { class: "state-box" }, filter, element("table", { class: "state" }, element("thead", { class: "unseen" }, element("tr", {}, element("th", {}, "name"), element("th", {}, "value"))), body), more),
    touched,
    element("div", { class: "sources" }, boxes),
  );
  let [values, changes, locals] = [[], new Map(), []];
  const table = () => {
    const wanted = filter.value.toLowerCase();
    const fits = ([name, value]) => name.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted);
    const fitting = [...values, ...locals].filter(fits);
    body.replaceChildren(...fitting.slice(0, MOST_VALUES).map((one) => valueRow(one, changes.get(one[0]))), ...goneRows(changes, fits));
    more.textContent = fitting.length > MOST_VALUES ? `${fitting.length - MOST_VALUES} more values: the filter finds them` : "";
  };
  const lineOf = (place) => place && lists.get(place.file)?.children[place.line - 1];
  const show = (here, last) => {
    changes = new Map((last?.changes ?? []).map((change) => [change.name, change]));
    values = here.values;
    locals = Object.entries(last?.locals ?? {}).map(([name, value]) => [name, value, last.actor]);
    table();
    touched.replaceChildren(
      ...(last ? [element("strong", {}, `${last.actor} `), last.touched.length > 0 ? `touched ${last.touched.map((one) => `${one.object} (${one.access})`).join(", ")}` : "touched nothing that others see"] : ["No step was taken yet."]),
    );
    for (const line of node.querySelectorAll(".source .current, .source .next")) line.classList.remove("current", "next");
    for (const mover of here.movers) lineOf(mover.where)?.classList.add("next");
    const line = lineOf(last?.where);
    line?.classList.add("current");
    const sight = line ?? here.movers.map((mover) => lineOf(mover.where)).find(Boolean);
    if (sight) bringIntoBox(sight.parentElement, sight);
  };
  return { node, show, filter };
}

function valueRow([name, value, actor], change) {
  const isChange = change && !actor;
  return element(
    "tr",
    { class: isChange ? "changed" : actor ? "local own" : null },
    element("th", { scope: "row" }, actor ? element("span", { class: "dim" }, `${actor} · `) : null, name),
    element(
      "td",
      {},
      isChange && change.old !== null ? [element("del", {}, change.old), " → "] : null,
      isChange ? element("ins", {}, value) : value,
    ),
  );
}

function goneRows(changes, fits) {
  const gone = [...changes.values()].filter((change) => change.new === null && fits([change.name, change.old ?? ""]));
  return gone.map((change) => element("tr", { class: "changed" }, element("th", { scope: "row" }, change.name), element("td", {}, element("del", {}, change.old), " gone")));
}
