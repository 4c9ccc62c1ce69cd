// An engine at work: the tree of the steps that it takes, what it has still to try and why, and buttons that let it go on.

// Finished parts of the tree that have more nodes than this are folded.
const LARGEST_OPEN = 40;
// The deepest indentation, in steps.
const DEEPEST = 60;
// How long one step takes where they come one by one.
const SPEEDS = [["as fast as it can", 0], ["five steps a second", 200], ["one step a second", 1000]];
// Why the first branch of a state is there: that needs no words in the tree.
const FIRST = "the search begins with it";
const LEAF_WORDS = {
  finished: "the end",
  assumption: "ends at an assumption",
  deadlock: "deadlock",
  asleep: "given up: whoever can move sleeps",
  met: "known: this state was met before",
  cut: "cut",
};

/** The part of the page in which an engine is watched. `open` is called with a place that the reader wants to see, `found` with
 *  each violation. */
function watchView(token, engines, open, found) {
  const choice = element("select", { "aria-label": "engine" });
  for (const engine of engines) {
    choice.append(element("option", { value: engine.name, disabled: engine.refuses !== null, title: engine.refuses ?? engine.summary }, engine.name));
  }
  const usable = engines.filter((engine) => engine.refuses === null).map((engine) => engine.name);
  choice.value = ["optimal", "dpor", usable[0]].find((name) => usable.includes(name)) ?? "";
  const speed = element("select", { "aria-label": "speed", on: { change: () => tick() } }, SPEEDS.map(([words, pause]) => element("option", { value: pause }, words)));
  const button = (label, name, listener) => element("button", { type: "button", class: `pace-${name}`, on: { click: listener } }, label);
  const run = button("run", "run", () => go("run"));
  const pause = button("pause", "pause", () => go("pause"));
  const step = button("one step", "step", () => go("step"));
  const execution = button("one execution", "execution", () => go("execution"));
  const stop = button("stop", "stop", () => go("stop"));
  const counts = element("p", { class: "counts", "aria-live": "off" });
  const trouble = element("p", { class: "note", role: "status" });
  const list = element("ol", { class: "tree", "aria-label": "the tree of the search" });
  const details = element("div", { class: "node-sets" });
  const node = element(
    "details",
    { class: "watch" },
    element("summary", {}, "Watch an engine"),
    element("div", { class: "tools" }, choice, run, pause, step, execution, stop, speed),
    trouble,
    counts,
    element("div", { class: "watch-box" }, list, details),
    element("p", { class: "dim tree-legend" }, [["going", "on the path"], ["done", "done"], ["todo", "still to be tried"], ["asleep", "given up, asleep"], ["met", "state met again"], ["wrong", "violation"]].flatMap(([kind, words]) => [element("span", { class: `mark ${kind}` }), ` ${words}  `])),
  );

  let [nodes, runs, timer, wanted] = [new Map(), false, null, null];
  let done = { steps: 0, leaves: 0, nodes: 0 };
  let chosen = null;

  const show = () => {
    for (const one of [pause, stop]) one.disabled = !runs;
    choice.disabled = runs;
    // For tests: what was seen so far.
    Object.assign(document.documentElement.dataset, { engine: runs ? (done.waits ? "waits" : "runs") : "none", nodes: nodes.size, leaves: done.leaves, branches: list.querySelectorAll(".todo-row").length });
  };
  const tell = () => {
    const words = [count(done.steps, "step", "steps"), count(done.leaves, "path has ended", "paths have ended")];
    if (nodes.size - 1 < done.steps && done.untold) words.push("the tree is too large to be shown whole");
    counts.textContent = done.verdict ? `${done.verdict} ${words.join(", ")}.` : `${words.join(", ")}.`;
    show();
  };

  /** Lets the engine go on, or starts it. */
  async function go(pace) {
    trouble.textContent = "";
    clearInterval(timer);
    wanted = pace;
    const slow = Number(speed.value);
    const sent = pace === "run" && slow > 0 ? "step" : pace;
    try {
      if (runs) await ask(token, "go", { pace: sent });
      else if (pace !== "pause" && pace !== "stop") await begin(sent);
    } catch (error) {
      trouble.textContent = error.message;
      return;
    }
    tick();
  }

  function tick() {
    clearInterval(timer);
    const slow = Number(speed.value);
    if (runs && wanted === "run" && slow > 0) timer = setInterval(() => runs ? ask(token, "go", { pace: "step" }).catch(() => clearInterval(timer)) : clearInterval(timer), slow);
    else if (runs && wanted === "run") ask(token, "go", { pace: "run" }).catch(() => {});
  }

  async function begin(pace) {
    const response = await send(token, "watch", { engine: choice.value, pace });
    nodes = new Map();
    done = { steps: 0, leaves: 0, waits: false };
    chosen = null;
    list.replaceChildren();
    details.replaceChildren();
    runs = true;
    show();
    read(response.body.getReader()).catch((error) => (trouble.textContent = error.message)).finally(() => {
      runs = false;
      clearInterval(timer);
      tell();
    });
  }

  /** Reads what the engine shows, line by line. */
  async function read(reader) {
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done: ended, value } = await reader.read();
      rest += decoder.decode(value ?? new Uint8Array(), { stream: !ended });
      const lines = rest.split("\n");
      rest = lines.pop();
      for (const line of lines) see(JSON.parse(line));
      tell();
      scroll();
      if (ended) return;
    }
  }

  function see(sign) {
    if (sign.step !== undefined && sign.place !== undefined) seeStep(sign);
    else if (sign.state !== undefined) Object.assign(nodes.get(sign.state) ?? {}, { enabled: sign.enabled, asleep: sign.asleep });
    else if (sign.branch !== undefined) seeBranch(sign);
    else if (sign.leaf !== undefined) seeLeaf(sign);
    else if (sign.closed !== undefined) seeClosed(nodes.get(sign.closed));
    else if (sign.wrong !== undefined) seeWrong(sign);
    else if (sign.verdict !== undefined) seeEnd(sign);
    else if (sign.steps !== undefined) Object.assign(done, { steps: sign.steps, leaves: sign.leaves, waits: sign.waits, untold: sign.steps > nodes.size });
    if (chosen) showDetails(chosen);
  }

  function seeStep({ step: number, parent, actor, text, place }) {
    if (parent !== null) done.steps++;
    done.waits = false;
    const known = nodes.get(number);
    if (known) return current(known);
    const above = nodes.get(parent);
    const depth = above ? above.depth + 1 : 0;
    const words = actor ? [element("span", { class: "actor" }, actor), text && text !== actor ? element("code", {}, text) : null] : [element("span", { class: "actor" }, text)];
    const badge = element("span", { class: "badge" });
    const mark = element("span", { class: "mark going" });
    const fold = element("button", { type: "button", class: "fold-button", hidden: true, on: { click: () => toggle(one) } });
    const row = element(
      "li",
      { class: "node-row", style: `padding-left:${Math.min(depth, DEEPEST) * 13}px` },
      fold,
      element("button", { type: "button", class: "node-button", title: "go to this place", on: { click: () => choose(one) } }, mark, words, badge),
    );
    const one = { number, place, actor, row, mark, badge, fold, above, depth, below: [], todo: [], tried: [], size: 1, isOpen: true, enabled: [], asleep: [] };
    nodes.set(number, one);
    if (above) {
      const turns = turnsOf(place);
      const outcome = turns[turns.length - 1].split("~")[1];
      const label = outcome ? `${actor} ~${outcome}` : actor;
      for (const branch of above.todo.filter(({ actors }) => actors[0] === label)) {
        above.todo.splice(above.todo.indexOf(branch), 1);
        branch.row.remove();
        one.why ??= branch.why;
        // The rest of a wakeup sequence is to be tried below.
        if (branch.actors.length > 1) addTodo(one, branch.actors.slice(1), branch.why);
      }
      above.tried.push(actor);
      lastBelow(above).after(row);
      above.below.push(one);
      for (let up = above; up; up = up.above) up.size++;
      row.after(...one.todo.map((branch) => branch.row));
    } else {
      list.append(row);
    }
    if (one.why && one.why !== FIRST) row.append(element("span", { class: "dim reason" }, `⇐ ${one.why}`));
    current(one);
  }

  /** The last row of a node's part of the tree: what is to be tried stands behind what was tried. */
  function lastRow(one) {
    return one.todo.length > 0 ? one.todo[one.todo.length - 1].row : lastBelow(one);
  }

  /** The last row of what was tried after a node. */
  function lastBelow(one) {
    return one.below.length > 0 ? lastRow(one.below[one.below.length - 1]) : one.row;
  }

  let now = null;
  function current(one) {
    now?.row.classList.remove("is-now");
    now = one;
    one.row.classList.add("is-now");
  }

  function addTodo(one, actors, why) {
    const sequence = actors.join(" ");
    const row = element(
      "li",
      { class: "todo-row", style: `padding-left:${Math.min(one.depth + 1, DEEPEST) * 13 + 20}px` },
      element("span", { class: "mark todo" }),
      element("span", { class: "actor" }, sequence),
      element("span", { class: "dim" }, `to be tried: ${why}`),
    );
    one.todo.push({ actors, why, row });
    return row;
  }

  function seeBranch({ branch, actors, why }) {
    const one = nodes.get(branch);
    if (!one) return;
    const last = lastRow(one);
    last.after(addTodo(one, actors, why));
  }

  function seeLeaf({ leaf, kind }) {
    done.leaves++;
    const one = nodes.get(leaf);
    if (!one) return;
    one.leaf = kind;
    one.mark.className = `mark ${one.isWrong ? "wrong" : kind === "finished" ? "done" : kind}`;
    one.row.classList.add("leaf", kind);
    one.badge.textContent = LEAF_WORDS[kind];
  }

  function seeWrong({ wrong, message }) {
    const one = nodes.get(wrong);
    if (!one) return;
    one.isWrong = true;
    one.mark.className = "mark wrong";
    one.row.append(element("span", { class: "tag wrong" }, `✗ ${message.split("\n")[0]}`));
    found(message, "", one.place);
  }

  function seeClosed(one) {
    if (!one) return;
    one.isClosed = true;
    if (!one.isWrong) one.mark.className = "mark done";
    // Whatever was covered on the way is not tried any more.
    for (const branch of one.todo.splice(0)) branch.row.remove();
    if (one.above && one.size > LARGEST_OPEN) {
      one.isOpen = false;
      fold(one);
    }
  }

  function toggle(one) {
    one.isOpen = !one.isOpen;
    fold(one);
  }

  /** Hides or shows what is below a node. */
  function fold(one) {
    const leaves = (below) => below.below.reduce((sum, next) => sum + leaves(next), below.leaf ? 1 : 0);
    one.fold.hidden = false;
    one.fold.textContent = one.isOpen ? "▾" : "▸";
    one.fold.setAttribute("aria-expanded", String(one.isOpen));
    one.badge.textContent = one.isOpen ? "" : `${count(one.size - 1, "step", "steps")}, ${count(leaves(one), "path", "paths")} below`;
    const hide = (below, hidden) => {
      for (const next of below.below) {
        next.row.hidden = hidden;
        for (const branch of next.todo) branch.row.hidden = hidden;
        hide(next, hidden || !next.isOpen);
      }
    };
    hide(one, !one.isOpen);
  }

  function seeEnd({ verdict, reason, violations, statistics }) {
    now?.row.classList.remove("is-now");
    for (const one of violations) if (one.place) found(one.message, one.kind, one.place);
    const said = ["executions", "states", "transitions", "blocked", "races", "backtrack_points"].filter((name) => statistics[name] !== undefined);
    done.verdict = `${choice.value}: ${reason || verdict}. ${said.map((name) => `${name.replace("_", " ")} ${statistics[name]}`).join(", ")}.`;
    document.documentElement.dataset.verdict = verdict;
  }

  function choose(one) {
    chosen?.row.classList.remove("chosen");
    chosen = one;
    one.row.classList.add("chosen");
    showDetails(one);
    open(one.place);
  }

  /** The sets of a node, and the race that put it there. */
  function showDetails(one) {
    const todo = one.todo.map((branch) => branch.actors.join(" "));
    const backtrack = [...new Set([...one.tried, ...one.todo.map((branch) => branch.actors[0])])];
    const rows = [["enabled", one.enabled], ["backtrack", backtrack], ["done", one.isClosed ? one.tried : one.tried.slice(0, -1)], ["to be tried", todo], ["asleep", one.asleep]];
    details.replaceChildren(
      element("h3", {}, one.actor ? `after ${one.actor}` : "start"),
      element("dl", {}, rows.map(([name, actors]) => element("div", {}, element("dt", {}, name), element("dd", {}, actors.length > 0 ? actors.join(", ") : "—")))),
      element("p", {}, one.why ? `Why this branch: ${one.why}.` : ""),
    );
  }

  function scroll() {
    if (node.open && now?.row && runs) bringIntoBox(list, now.row);
  }

  show();
  return { node, isRunning: () => runs };
}
