// A deadlock as a cycle of those who wait for each other, and a list of who holds what.

/** The picture and the list; nothing if the program does not tell who waits. */
function deadlockView(violation) {
  if (!violation.waits) return null;
  const cycle = (violation.cycle ?? []).map((actor) => violation.waits.find((wait) => wait.actor === actor));
  const list = element(
    "ul",
    { class: "waits" },
    violation.waits.map((wait) =>
      element(
        "li",
        {},
        element("strong", {}, wait.actor),
        wait.holds.length > 0 ? ` holds ${wait.holds.join(", ")} and` : "",
        ` waits for ${wait.for}`,
        wait.held_by && !wait.for.endsWith(wait.held_by) ? `, which ${wait.held_by} holds` : "",
        element("div", { class: "dim" }, "next: ", element("code", {}, wait.text), wait.where ? `, line ${wait.where.line}` : ""),
      ),
    ),
  );
  const heading = cycle.length > 1 ? "Each waits for the next, in a cycle" : "Who waits for what";
  return element(
    "section",
    { class: "deadlock" },
    element("h3", {}, heading),
    element("div", { class: "beside" }, cycle.length > 1 ? cyclePicture(cycle) : null, list),
  );
}

function cyclePicture(cycle) {
  const radius = Math.max(84, cycle.length * 30);
  const [width, height] = [radius * 2.9 + 190, cycle.length === 2 ? 120 : radius * 2 + 60];
  const boxes = cycle.map((wait, index) => {
    // Two stand side by side, so that there is room for what is on their arrows.
    const angle = (index / cycle.length) * 2 * Math.PI - (cycle.length === 2 ? Math.PI : Math.PI / 2);
    const half = Math.min(92, Math.max(34, wait.actor.length * 4.3 + 12));
    return { x: width / 2 + radius * 1.4 * Math.cos(angle), y: height / 2 + radius * Math.sin(angle), half };
  });
  const arrows = cycle.map((wait, index) => waitArrow(boxes[index], boxes[(index + 1) % boxes.length], wait.for));
  const names = cycle.map((wait, index) => waiter(wait.actor, boxes[index], index));
  const attributes = { viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 11, markerHeight: 11, orient: "auto" };
  const head = svg(
    "marker",
    { id: "wait-head", markerUnits: "userSpaceOnUse", ...attributes },
    svg("path", { d: "M0 0.5 L7.5 4 L0 7.5 Z" }),
  );
  const words = cycle.map((wait) => `${wait.actor} waits for ${wait.for}`).join("; ");
  return svg(
    "svg",
    { class: "cycle", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words },
    svg("defs", {}, head),
    arrows.map(([line]) => line),
    names,
    arrows.map(([, label]) => label),
  );
}

const BOX_HEIGHT = 30;

function waiter(actor, { x, y, half }, index) {
  return svg(
    "g",
    { class: `waiter lane-${index % LANE_COLOURS}` },
    svg("rect", { x: x - half, y: y - BOX_HEIGHT / 2, width: half * 2, height: BOX_HEIGHT, rx: BOX_HEIGHT / 2 }),
    svg("text", { x, y: y + 4.5 }, actor.length > 20 ? `${actor.slice(0, 19)}…` : actor),
    svg("title", {}, actor),
  );
}

/** An arrow between two boxes that bows to its left, so that two who wait for each other have two arrows. */
function waitArrow(from, to, awaited) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy);
  const bow = { x: (from.x + to.x) / 2 + (dy / length) * 34, y: (from.y + to.y) / 2 - (dx / length) * 34 };
  const edge = (box) => {
    const [x, y] = [bow.x - box.x, bow.y - box.y];
    const scale = Math.min((box.half + 5) / Math.abs(x || 1), (BOX_HEIGHT / 2 + 5) / Math.abs(y || 1));
    return { x: box.x + x * scale, y: box.y + y * scale };
  };
  const [start, end] = [edge(from), edge(to)];
  const at = { x: (start.x + 2 * bow.x + end.x) / 4, y: (start.y + 2 * bow.y + end.y) / 4 };
  return [
    svg("path", {
      class: "wait",
      d: `M${start.x} ${start.y} Q${bow.x} ${bow.y} ${end.x} ${end.y}`,
      "marker-end": "url(#wait-head)",
    }),
    svg("text", { class: "awaited", x: at.x, y: at.y }, awaited),
  ];
}
