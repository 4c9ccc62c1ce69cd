// Puts the explorer together: where the reader stands, what the server said of it, buttons, keys and the address.

// This many steps of a path are drawn, around the one at hand.
const DRAWN_STEPS = 160;
// This many violations are remembered.
const MOST_WRONGS = 30;

/** The path with the steps that were taken back and can be taken again, and what there is to see at the step at hand. */
function explorer(token, program) {
  const page = { start: "0", turns: [], rows: [], actors: [], steps: 0, here: null, pathWrongs: [], halt: null, race: null };
  const met = new Map();

  const note = element("p", { class: "note", role: "status", "aria-live": "polite" });
  const wrongList = element("ul", { class: "wrongs", "aria-label": "violations met so far" });
  const actors = actorsView((turn) => take(turn));
  const state = placeView(program.sources);
  const watch = watchView(token, program.engines, (there) => come(there), (message, kind, there) => {
    remember(message, kind, there);
    showWrongs();
  });
  const path = element("div", { class: "path" });
  const races = element("div", { class: "races" });
  const button = (label, title, listener) => element("button", { type: "button", title, on: { click: listener } }, label);
  const back = button("back", "one step back (b or ←)", () => go(page.steps - 1));
  const on = button("on", "one step on, where one was taken back (→)", () => go(page.steps + 1));
  const minimise = button("minimise", "a shorter way to the last violation on this path", () => find("minimise", { place: whole() }));
  const save = button("save as schedule", "a file for mazurka replay: the way to the last violation on this path", () => act(async () => saveFile(await ask(token, "save", { place: whole() }))));
  const copy = button("copy link", "the address of this place", () => act(async () => { await navigator.clipboard.writeText(location.href); say("The link is copied."); }));
  const starts = program.starts > 1 ? startChoice() : null;
  let lanes = null;

  const node = element(
    "div",
    { class: "explorer-page" },
    element("header", { class: "bar" }, element("h1", {}, program.program), starts, wrongList),
    note,
    element(
      "div",
      { class: "columns" },
      actors.node,
      element("section", { class: "how", "aria-label": "the path so far" }, element("h2", {}, "The path so far"), element("div", { class: "tools" }, back, on, minimise, save, copy), races, path),
      state.node,
    ),
    watch.node,
    element(
      "footer",
      { class: "dim" },
      ["1", "…", "9"].map((key) => element("kbd", {}, key)), " move an actor · ",
      element("kbd", {}, "←"), " ", element("kbd", {}, "→"), " along the path · ",
      element("kbd", {}, "↑"), " ", element("kbd", {}, "↓"), " to the actors · ",
      element("kbd", {}, "b"), " back · ", element("kbd", {}, "r"), " reverse the race of this step · ",
      element("kbd", {}, "/"), " filter values",
    ),
  );

  function startChoice() {
    const choice = element("select", { "aria-label": "initial state", on: { change: () => come(choice.value) } });
    choice.append(...Array.from({ length: Math.min(program.starts, 1000) }, (_, start) => element("option", { value: start }, `initial state ${start}`)));
    return choice;
  }

  const whole = () => placeOf(page.start, page.turns);
  const place = (steps) => placeOf(page.start, page.turns.slice(0, steps));
  const say = (text) => {
    note.textContent = text;
  };

  // One thing after the other; what is asked for while something is answered waits.
  let last = Promise.resolve();
  function act(deed) {
    document.documentElement.dataset.busy = "yes";
    const done = last.then(deed).catch((error) => say(error instanceof Unanswered ? error.message : `Something went wrong here: ${error.message}`));
    last = done.then(() => {
      if (last === waited) delete document.documentElement.dataset.busy;
    });
    const waited = last;
    return last;
  }

  /** Takes one step from the place at hand. */
  function take(turn) {
    return act(async () => {
      const same = page.turns[page.steps] === turn;
      const turns = same ? page.turns : [...page.turns.slice(0, page.steps), turn];
      await arrive(page.start, turns, page.steps + 1);
    });
  }

  /** Goes to another step of the path. */
  function go(steps) {
    return act(async () => {
      if (steps < 0 || steps > page.turns.length) return;
      await arrive(page.start, page.turns, steps);
    });
  }

  /** Goes to another place. */
  function come(text, words = "") {
    return act(async () => {
      await arrive(startOf(text), turnsOf(text), turnsOf(text).length);
      say(words);
    });
  }

  /** Asks for another path, and goes to its end. */
  function find(name, body) {
    return act(async () => {
      const found = await ask(token, name, body);
      await arrive(startOf(found.place), turnsOf(found.place), turnsOf(found.place).length);
      say(`${found.note.charAt(0).toUpperCase()}${found.note.slice(1)}.`);
    });
  }

  async function arrive(start, turns, steps) {
    let known = 0;
    if (start === page.start) while (known < turns.length && known < page.rows.length && turns[known] === page.turns[known]) known++;
    const isWhole = steps === turns.length;
    let all = null;
    if (known < turns.length || isWhole || turns.length < page.turns.length) all = await ask(token, "at", { place: placeOf(start, turns), known });
    const here = isWhole ? all : await ask(token, "at", { place: placeOf(start, turns.slice(0, steps)), known: steps });
    if (all) {
      page.rows = [...page.rows.slice(0, known), ...all.path];
      Object.assign(page, { actors: all.actors, pathWrongs: all.wrongs, halt: all.halt });
    }
    Object.assign(page, { start, turns, steps, here, race: null });
    for (const wrong of page.pathWrongs) remember(wrong.message, wrong.kind, place(wrong.steps));
    say("");
    show();
  }

  /** Keeps where a violation was met first. */
  function remember(message, kind, at) {
    const key = message;
    const known = met.get(key);
    if (known ? turnsOf(known.at).length <= turnsOf(at).length : met.size >= MOST_WRONGS) return;
    met.set(key, { message, kind, at });
  }

  function showWrongs() {
    const onPath = new Set(page.pathWrongs.filter((wrong) => wrong.steps <= page.steps).map((wrong) => wrong.message));
    wrongList.replaceChildren(
      ...[...met].map(([key, wrong]) =>
        element(
          "li",
          { class: onPath.has(key) ? "here" : null },
          element(
            "button",
            { type: "button", title: "go to where this was met", on: { click: () => come(wrong.at) } },
            `✗ ${wrong.message.split("\n")[0]}`,
          ),
        ),
      ),
    );
  }

  /** The races of the step at hand, each with a button. */
  function showRaces() {
    const step = page.rows[page.steps - 1];
    const listed = (step?.races ?? []).map(({ first, object }, index) => {
      const earlier = page.rows[first];
      const words = `step ${page.steps} (${step.actor}) races with step ${first + 1} (${earlier.actor}: ${earlier.text}) on ${object}`;
      const point = (on) => () => {
        page.race = on ? { first: first + 1, second: page.steps, object } : null;
        drawLanes();
      };
      return element(
        "p",
        { class: "race-partner" },
        words,
        " ",
        element(
          "button",
          {
            type: "button",
            class: "reverse",
            title: index === 0 ? "let the later step come first (r)" : "let the later step come first",
            on: { click: () => reverse(first, page.steps - 1), mouseenter: point(true), mouseleave: point(false), focus: point(true), blur: point(false) },
          },
          "reverse this race",
        ),
      );
    });
    races.replaceChildren(...listed);
  }

  function reverse(first, second) {
    return find("reverse", { place: whole(), first, second });
  }

  /** The part of the path around the step at hand, as lanes. */
  function drawLanes() {
    const most = Math.max(0, page.rows.length - DRAWN_STEPS);
    const offset = Math.min(most, Math.max(0, page.steps - DRAWN_STEPS / 2));
    const rows = page.rows.slice(offset, offset + DRAWN_STEPS);
    const wrong = page.pathWrongs.find((one) => one.steps > offset && one.steps <= offset + rows.length && one.kind !== "deadlock");
    const inside = (number) => number > offset && number <= offset + rows.length;
    const race = page.race && inside(page.race.first) && inside(page.race.second) ? { ...page.race, first: page.race.first - offset, second: page.race.second - offset } : null;
    const shown = {
      schedule: rows,
      actors: page.actors.filter((actor) => rows.some((row) => row.actor === actor)),
      causes: rows.map((row) => row.causes.filter((cause) => cause.row >= offset).map((cause) => ({ ...cause, row: cause.row - offset }))),
      folds: [],
      before: offset,
      race,
      replayed: true,
      kind: page.halt?.kind === "deadlock" && offset + rows.length === page.rows.length ? "deadlock" : "",
      failing: wrong ? wrong.steps - 1 - offset : null,
    };
    lanes = null;
    if (rows.length === 0) {
      path.replaceChildren(element("p", { class: "dim" }, "Nothing has happened yet: pick an actor."));
      return;
    }
    lanes = lanesOf(shown, orderOf(shown), (steps) => go(steps + offset));
    const left = (number, where) => (number > 0 ? element("p", { class: "dim" }, `${count(number, "step", "steps")} ${where}`) : null);
    path.replaceChildren(...[left(offset, "before these"), lanes.node, left(page.rows.length - offset - rows.length, "after these")].filter(Boolean));
    lanes.draw();
    lanes.show(page.steps - offset);
    const row = lanes.rows[page.steps - offset - 1];
    if (row) bringIntoBox(path, row);
  }

  function show() {
    const { steps, here, rows } = page;
    const colours = new Map(page.actors.map((actor, index) => [actor, index]));
    actors.show(here, colours);
    state.show(here, steps > 0 ? rows[steps - 1] : null);
    showWrongs();
    showRaces();
    drawLanes();
    back.disabled = steps === 0;
    on.disabled = steps === page.turns.length;
    minimise.disabled = save.disabled = page.pathWrongs.length === 0;
    if (starts) starts.value = page.start;
    const address = `#${token}/${place(steps)}`;
    if (location.hash !== address) history.replaceState(null, "", address);
    document.title = `${program.program} · Mazurka explorer`;
    // For tests: where the page stands.
    Object.assign(document.documentElement.dataset, { place: place(steps), steps, wrongs: page.pathWrongs.filter((wrong) => wrong.steps <= steps).length, able: here.movers.filter((mover) => mover.standing === "able").length });
  }

  function keys(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.("input, select")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const deeds = {
      ArrowLeft: () => go(page.steps - 1),
      ArrowRight: () => go(page.steps + 1),
      ArrowUp: () => actors.focusBy(-1),
      ArrowDown: () => actors.focusBy(1),
      Home: () => go(0),
      End: () => go(page.turns.length),
      b: () => go(page.steps - 1),
      r: () => races.querySelector("button")?.click(),
      "/": () => state.filter.focus(),
    };
    const deed = /^[1-9]$/.test(event.key) ? () => actors.pick(Number(event.key) - 1) : deeds[event.key];
    if (!deed) return;
    event.preventDefault();
    deed();
  }

  const draw = () => {
    if (!page.here) return;
    actors.draw();
    if (lanes) drawLanes();
  };
  return { node, come, keys, draw, place: () => place(page.steps) };
}

async function start() {
  const { token, place } = fromHash(location.hash);
  const root = document.getElementById("page");
  try {
    const program = await ask(token, "program", {});
    const view = explorer(token, program);
    root.replaceChildren(view.node);
    await view.come(place ?? program.place);
    // A place that does not exist is told, and the page begins where the program does.
    if (!document.documentElement.dataset.place) {
      const trouble = root.querySelector(".note").textContent;
      await view.come(program.place, trouble);
    }
    document.addEventListener("keydown", view.keys);
    addEventListener("resize", view.draw);
    addEventListener("hashchange", () => {
      const there = fromHash(location.hash);
      if (there.token !== token) location.reload();
      else if (there.place && there.place !== view.place()) view.come(there.place);
    });
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    root.replaceChildren(element("h1", {}, "Mazurka explorer"), element("p", { class: "note", role: "alert" }, error.message), element("p", {}, "Open the address that ", element("code", {}, "mazurka explore"), " prints: it has a token behind its #."));
    document.documentElement.dataset.ready = `failed: ${error.message}`;
    // Another address may have the right token.
    addEventListener("hashchange", () => location.reload());
  }
}

start();
