// Engines side by side: their verdicts as a table, and a small bar chart for each thing that was counted.

const BAR = { height: 26, names: 110, room: 420, values: 120 };
// When the largest is so many times the smallest, bars are as long as the logarithms.
const TOO_FAR_APART = 200;

function verdictTable(data) {
  const explained = data.engines.some((entry) => entry.reason);
  const row = (entry) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, entry.engine),
      element("td", { class: `told ${entry.verdict}` }, entry.verdict),
      element("td", {}, entry.violations > 0 ? count(entry.violations, "violation", "violations") : ""),
      explained ? element("td", { class: "dim" }, entry.reason ?? "") : null,
    );
  const heads = ["engine", "verdict", "found", ...(explained ? ["why"] : [])].map((head) => element("th", { scope: "col" }, head));
  return element(
    "table",
    { class: "engines" },
    element("thead", {}, element("tr", {}, heads)),
    element("tbody", {}, data.engines.map(row)),
  );
}

/** Bars for one counter, one for each engine that counts it. */
function barChart(metric) {
  const numbers = metric.bars.map((bar) => bar.number).filter((number) => number > 0);
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  const logarithmic = most / least > TOO_FAR_APART;
  const share = (number) => {
    if (!(number > 0)) return 0;
    // The smallest one has a bar too.
    return logarithmic ? 0.06 + (0.94 * Math.log(number / least)) / Math.log(most / least) : number / most;
  };
  const width = BAR.names + BAR.room + BAR.values;
  const bars = metric.bars.map((bar, index) => {
    const y = index * BAR.height;
    const length = Math.max(1.5, share(bar.number) * BAR.room);
    return svg(
      "g",
      { class: `bar lane-${bar.engine % LANE_COLOURS}` },
      svg("text", { x: BAR.names - 10, y: y + 17, "text-anchor": "end" }, metric.names[index]),
      svg("rect", { x: BAR.names, y: y + 4, width: length, height: BAR.height - 9, rx: 3 }),
      svg("text", { x: BAR.names + length + 8, y: y + 17, class: "value" }, bar.text),
    );
  });
  const words = metric.bars.map((bar, index) => `${metric.names[index]} ${bar.text}`).join(", ");
  const height = metric.bars.length * BAR.height;
  return element(
    "figure",
    { class: "chart" },
    element("figcaption", { title: metric.meaning }, metric.name, logarithmic ? element("span", { class: "dim" }, " (logarithmic)") : null),
    svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${metric.name}: ${words}` }, bars),
  );
}

function startComparison() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const charts = data.metrics.map((metric) =>
    barChart({ ...metric, names: metric.bars.map((bar) => data.engines[bar.engine].engine) }),
  );
  document.getElementById("page").append(
    element("header", {}, element("p", { class: "kicker" }, data.program), element("h1", {}, "Engines side by side")),
    element("section", { class: "comparison" }, verdictTable(data)),
    element("section", { class: "comparison charts" }, charts),
  );
  document.documentElement.dataset.bars = document.querySelectorAll(".bar").length;
  document.documentElement.dataset.ready = "yes";
}

try {
  startComparison();
} catch (error) {
  document.documentElement.dataset.ready = `failed: ${error.message}`;
  throw error;
}
