// A sweep: the verdicts as a table, and for each thing that was counted how it grows from point to point.

const PLOT = { width: 560, height: 300, left: 64, right: 110, top: 14, bottom: 34, label: 15 };
// When the largest is this many times the smallest, the scale is logarithmic.
const TOO_FAR_APART = 50;

/** `N=3, M=4` */
function pointName(point) {
  return Object.entries(point.constants).map(([name, value]) => `${name}=${value}`).join(", ");
}

function verdictTable(data) {
  const at = (engine, point) => point.engines.find((entry) => entry.engine === engine);
  const cell = (engine, point) => {
    const entry = at(engine, point);
    if (!entry) return element("td", { class: "dim" }, "");
    return element("td", { class: `told ${entry.verdict}`, title: entry.reason ?? "" }, entry.verdict);
  };
  const row = (point) =>
    element("tr", {}, element("th", { scope: "row" }, pointName(point)), data.engines.map((engine) => cell(engine, point)));
  const heads = ["", ...data.engines].map((head) => element("th", { scope: "col" }, head));
  return element(
    "table",
    { class: "engines" },
    element("thead", {}, element("tr", {}, heads)),
    element("tbody", {}, data.points.map(row)),
  );
}

/** Where a number stands between the least and the most, from 0 to 1, and the numbers that the axis names. */
function scale(numbers) {
  const positive = numbers.filter((number) => number > 0);
  const [least, most] = [Math.min(...positive), Math.max(...positive)];
  if (most / least > TOO_FAR_APART) {
    const [from, to] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
    const every = Math.ceil((to - from) / 6);
    const ticks = [];
    for (let power = from; power <= to; power += every) ticks.push(10 ** power);
    return { logarithmic: true, share: (n) => (n > 0 ? (Math.log10(n) - from) / (to - from) : 0), ticks };
  }
  const top = positive.length > 0 ? most : 1;
  return { logarithmic: false, share: (n) => n / top, ticks: [0, top / 2, top] };
}

/** A number that has room beside an axis. */
function short(number) {
  if (number === 0) return "0";
  if (number >= 1e6 || number < 1e-2) return number.toExponential(0).replace("e+", "e");
  return String(Number(number.toPrecision(3)));
}

/** Heights of the names at the right end, apart from each other by at least a line. */
function spread(wanted) {
  const order = wanted.map((_, index) => index).sort((one, other) => wanted[one] - wanted[other]);
  const heights = [...wanted];
  let [above, below] = [-Infinity, PLOT.height - PLOT.bottom + PLOT.label];
  for (const index of order) {
    heights[index] = Math.max(heights[index], above + PLOT.label);
    above = heights[index];
  }
  for (const index of order.reverse()) {
    heights[index] = Math.min(heights[index], below - PLOT.label);
    below = heights[index];
  }
  return heights;
}

/** The curves of one counter, one for each engine that counts it. */
function plot(metric, data) {
  const inner = { width: PLOT.width - PLOT.left - PLOT.right, height: PLOT.height - PLOT.top - PLOT.bottom };
  const { logarithmic, share, ticks } = scale(metric.curves.flatMap((curve) => curve.dots.map((dot) => dot.number)));
  const last = Math.max(1, data.points.length - 1);
  const x = (place) => PLOT.left + (place / last) * inner.width;
  const y = (number) => PLOT.top + (1 - share(number)) * inner.height;
  const lines = ticks.flatMap((tick) => [
    svg("line", { class: "grid", x1: PLOT.left, x2: PLOT.left + inner.width, y1: y(tick), y2: y(tick) }),
    svg("text", { class: "value", x: PLOT.left - 8, y: y(tick) + 4, "text-anchor": "end" }, short(tick)),
  ]);
  const every = Math.ceil(data.points.length / 8);
  const places = data.points.map((point, place) =>
    place % every === 0
      ? svg("text", { class: "value", x: x(place), y: PLOT.height - 10, "text-anchor": "middle" }, pointName(point))
      : null,
  );
  const ends = spread(metric.curves.map((curve) => y(curve.dots.at(-1).number)));
  const curves = metric.curves.map((curve, index) => {
    const name = data.engines[curve.engine];
    const dots = curve.dots.map((dot) =>
      svg(
        "circle",
        { class: dot.whole ? "dot" : "dot stopped", cx: x(dot.place), cy: y(dot.number), r: 4 },
        svg("title", {}, `${name}, ${pointName(data.points[dot.place])}: ${dot.text} (${dot.verdict})`),
      ),
    );
    const path = curve.dots.map((dot) => `${x(dot.place)},${y(dot.number)}`).join(" ");
    const end = x(curve.dots.at(-1).place);
    return svg(
      "g",
      { class: `curve lane-${curve.engine % LANE_COLOURS}` },
      svg("polyline", { points: path }),
      dots,
      svg("text", { class: "name", x: end + 10, y: ends[index] + 4 }, name),
    );
  });
  const told = metric.curves.map((curve) => `${data.engines[curve.engine]} ${curve.dots.map((dot) => dot.text).join(" ")}`);
  return element(
    "figure",
    { class: "chart" },
    element("figcaption", { title: metric.meaning }, metric.name, logarithmic ? element("span", { class: "dim" }, " (logarithmic)") : null),
    svg(
      "svg",
      { viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img", "aria-label": `${metric.name}: ${told.join("; ")}` },
      lines,
      places,
      curves,
    ),
  );
}

function startSweep() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const stopped = data.metrics.some((metric) => metric.curves.some((curve) => curve.dots.some((dot) => !dot.whole)));
  document.getElementById("page").append(
    element("header", {}, element("p", { class: "kicker" }, data.program), element("h1", {}, "Engines side by side")),
    element("section", { class: "comparison" }, verdictTable(data)),
    stopped
      ? element("p", { class: "dim" }, "A hollow dot is a run that was stopped before its end: its number would be larger.")
      : "",
    element("section", { class: "comparison charts" }, data.metrics.map((metric) => plot(metric, data))),
  );
  document.documentElement.dataset.dots = document.querySelectorAll(".dot").length;
  document.documentElement.dataset.stopped = document.querySelectorAll(".dot.stopped").length;
  document.documentElement.dataset.ready = "yes";
}

try {
  startSweep();
} catch (error) {
  document.documentElement.dataset.ready = `failed: ${error.message}`;
  throw error;
}
