// All states of a small program: layers by their distance from the start, the violating path marked.

const SWEEPS = 12;

/** The graph's section. `choose` is called with the number of a violation and of a step when a state of its path is picked. */
function graphView(graph, choose) {
  const paths = graph.paths.filter((path) => path.length > 0);
  const layout = layoutOf(graph);
  const details = element("div", { class: "node-details", "aria-live": "polite" });
  const nodes = graph.nodes.map((node, number) => drawNode(graph, node, number, layout.places[number]));
  const onPath = new Set(paths.flatMap((path) => path.slice(1).map((to, index) => `${path[index]}-${to}`)));
  const picture = svg(
    "svg",
    {
      class: "graph",
      width: layout.width,
      height: layout.height,
      viewBox: `0 0 ${layout.width} ${layout.height}`,
      role: "group",
      "aria-label": `${count(graph.nodes.length, "state", "states")}, ${count(graph.edges.length, "step", "steps")}`,
    },
    svg("defs", {}, graphHead("graph-head"), graphHead("graph-head-path")),
    drawEdges(graph, layout, onPath),
    nodes,
  );
  let chosen = 0;
  const pick = (number, focus) => {
    nodes[chosen].setAttribute("tabindex", -1);
    nodes[chosen].classList.remove("chosen");
    chosen = number;
    nodes[chosen].setAttribute("tabindex", 0);
    nodes[chosen].classList.add("chosen");
    if (focus) nodes[chosen].focus();
    details.replaceChildren(...nodeDetails(graph, number));
  };
  nodes.forEach((node, number) => {
    node.addEventListener("mouseenter", () => details.replaceChildren(...nodeDetails(graph, number)));
    node.addEventListener("mouseleave", () => details.replaceChildren(...nodeDetails(graph, chosen)));
    node.addEventListener("click", () => {
      pick(number, false);
      graph.paths.some((path, violation) => path.includes(number) && (choose(violation, path.indexOf(number)), true));
    });
    node.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      pick((number + step + nodes.length) % nodes.length, true);
    });
  });
  pick(0, false);
  const view = element(
    "section",
    { class: "graph-section", id: "states" },
    element("h2", {}, "All states"),
    element(
      "p",
      {},
      `The program has ${count(graph.nodes.length, "state", "states")}. Each dot is one, the start is at the `,
      layout.across ? "left" : "top",
      paths.length > 0 ? "; the red path leads to the violation." : ".",
      " A ring is a state in which no actor can move. Point at a state to see it.",
    ),
    element("div", { class: "graph-box" }, element("div", { class: "scroll" }, picture), details),
  );
  const show = (violation, steps) => {
    const here = graph.paths[violation]?.[steps];
    nodes.forEach((node, number) => node.classList.toggle("here", number === here));
  };
  return { node: view, show };
}

function graphHead(id) {
  const attributes = { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" };
  attributes.markerUnits = "userSpaceOnUse";
  return svg("marker", attributes, svg("path", { d: "M0 0.5 L7.5 4 L0 7.5 Z" }));
}

/** Places for all states: layers by depth, each ordered so that its states stand near their neighbours. */
function layoutOf(graph) {
  const layers = [];
  graph.nodes.forEach((node, number) => (layers[node.depth] ||= []).push(number));
  const neighbours = graph.nodes.map(() => []);
  for (const { from, to } of graph.edges) {
    if (Math.abs(graph.nodes[from].depth - graph.nodes[to].depth) !== 1) continue;
    neighbours[from].push(to);
    neighbours[to].push(from);
  }
  const position = [];
  const settle = (layer) => layer.forEach((number, index) => (position[number] = index - (layer.length - 1) / 2));
  layers.forEach(settle);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const down = sweep % 2 === 0;
    const side = down ? -1 : 1;
    for (const layer of down ? layers : [...layers].reverse()) {
      const wish = new Map(
        layer.map((number) => {
          const there = neighbours[number].filter((n) => graph.nodes[n].depth === graph.nodes[number].depth + side);
          const sum = there.reduce((total, n) => total + position[n], 0);
          return [number, there.length > 0 ? sum / there.length : position[number]];
        }),
      );
      layer.sort((one, other) => wish.get(one) - wish.get(other));
      settle(layer);
    }
  }
  const widest = Math.max(...layers.map((layer) => layer.length));
  const across = layers.length > widest;
  const [apart, deep, margin] = [34, 54, 30];
  const [long, wide] = [(layers.length - 1) * deep + 2 * margin, (widest - 1) * apart + 2 * margin];
  const places = graph.nodes.map((node, number) => {
    const [along, aside] = [margin + node.depth * deep, wide / 2 + position[number] * apart];
    return across ? { x: along, y: aside } : { x: aside, y: along };
  });
  return { places, across, width: across ? long : wide, height: across ? wide : long };
}

function drawNode(graph, node, number, { x, y }) {
  const wrong = graph.edges.some((edge) => edge.to === number && edge.wrong);
  const on = graph.paths.some((path) => path.includes(number));
  const classes = ["node", node.mark === "end" && "end", node.mark === "deadlock" && "deadlock"];
  classes.push(wrong && "wrong", on && "on-path", node.depth === 0 && "start");
  const trouble = node.mark === "deadlock" || (wrong && on);
  const label = `state ${number}, ${count(node.depth, "step", "steps")} from the start`;
  return svg(
    "g",
    {
      class: classes.filter(Boolean).join(" "),
      transform: `translate(${x} ${y})`,
      tabindex: -1,
      role: "button",
      "aria-label": label,
    },
    svg("circle", { class: "halo", r: 14 }),
    node.mark === "end" ? svg("circle", { class: "ring", r: 10.5 }) : null,
    svg("circle", { class: "dot", r: 7 }),
    trouble ? svg("path", { class: "cross", d: "M-3 -3 L3 3 M3 -3 L-3 3" }) : null,
  );
}

/** One line per pair of states, however many steps lead from one to the other. */
function drawEdges(graph, layout, onPath) {
  const pairs = new Map();
  for (const edge of graph.edges) {
    const key = `${edge.from}-${edge.to}`;
    if (!pairs.has(key)) pairs.set(key, []);
    pairs.get(key).push(edge);
  }
  const drawn = [...pairs].map(([key, edges]) => drawEdge(graph, layout, edges, onPath.has(key)));
  // What is marked stands above the rest.
  return drawn.sort((one, other) => one.classList.contains("on-path") - other.classList.contains("on-path"));
}

function drawEdge(graph, layout, edges, marked) {
  const [a, b] = [layout.places[edges[0].from], layout.places[edges[0].to]];
  const back = graph.nodes[edges[0].to].depth <= graph.nodes[edges[0].from].depth;
  const words = edges.map((edge) => (edge.text === edge.actor ? edge.actor : `${edge.actor}: ${edge.text}`));
  return svg(
    "path",
    {
      class: `edge${back ? " back" : ""}${marked ? " on-path" : ""}`,
      d: a === b ? loop(a) : edgeCurve(a, b, back, layout.across),
      "marker-end": marked ? "url(#graph-head-path)" : "url(#graph-head)",
    },
    svg("title", {}, words.join("\n")),
  );
}

function loop({ x, y }) {
  return `M${x + 5} ${y - 7} C${x + 26} ${y - 26} ${x + 30} ${y + 14} ${x + 10} ${y + 4}`;
}

function edgeCurve(a, b, back, across) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = Math.hypot(dx, dy);
  const bow = back ? Math.min(60, 18 + length * 0.16) : 0;
  // A step back bows out to one side, so that it does not lie on the step forth.
  const [nx, ny] = [(-dy / length) * bow, (dx / length) * bow];
  const middle = { x: (a.x + b.x) / 2 + nx, y: (a.y + b.y) / 2 + ny };
  const shorten = (from, towards, by) => {
    const far = Math.hypot(towards.x - from.x, towards.y - from.y) || 1;
    return { x: from.x + ((towards.x - from.x) / far) * by, y: from.y + ((towards.y - from.y) / far) * by };
  };
  if (back) {
    const [start, end] = [shorten(a, middle, 9), shorten(b, middle, 12)];
    return `M${start.x} ${start.y} Q${middle.x} ${middle.y} ${end.x} ${end.y}`;
  }
  const [start, end] = [shorten(a, b, 9), shorten(b, a, 12)];
  const half = across ? (end.x - start.x) / 2 : (end.y - start.y) / 2;
  return across
    ? `M${start.x} ${start.y} C${start.x + half} ${start.y} ${end.x - half} ${end.y} ${end.x} ${end.y}`
    : `M${start.x} ${start.y} C${start.x} ${start.y + half} ${end.x} ${end.y - half} ${end.x} ${end.y}`;
}

function nodeDetails(graph, number) {
  const node = graph.nodes[number];
  const mark = { end: " · an end", deadlock: " · a deadlock" }[node.mark] || "";
  const next = graph.edges.filter((edge) => edge.from === number);
  return [
    element("h3", {}, `State ${number}`),
    element("p", { class: "dim" }, `${count(node.depth, "step", "steps")} from the start${mark}`),
    element(
      "table",
      { class: "state" },
      element(
        "tbody",
        {},
        node.values.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value))),
      ),
    ),
    next.length > 0 ? element("h4", {}, "Next") : element("p", { class: "dim" }, "No actor can move."),
    element(
      "ul",
      {},
      next.slice(0, 12).map((edge) =>
        element(
          "li",
          { class: edge.wrong ? "wrong" : null },
          edge.actor,
          edge.text === edge.actor ? "" : [": ", element("code", {}, edge.text)],
          element("span", { class: "dim" }, ` → ${edge.to}`),
          edge.wrong ? " ✗" : "",
        ),
      ),
      next.length > 12 ? element("li", {}, `and ${next.length - 12} more`) : null,
    ),
  ];
}
