// Happens-before over the steps of one violation: what comes before what, however the schedule is arranged.

/** For each step the steps that it directly follows and those that directly follow it. */
function orderOf(violation) {
  const before = violation.schedule.map(() => []);
  const after = violation.schedule.map(() => []);
  const last = new Map();
  violation.schedule.forEach((step, index) => {
    const direct = violation.causes[index].map((cause) => cause.row);
    if (last.has(step.actor)) direct.push(last.get(step.actor));
    for (const earlier of direct) {
      before[index].push(earlier);
      after[earlier].push(index);
    }
    last.set(step.actor, index);
  });
  return { past: (index) => reachable(before, index), future: (index) => reachable(after, index) };
}

function reachable(neighbours, from) {
  const seen = new Set();
  const waiting = [from];
  while (waiting.length > 0) {
    for (const next of neighbours[waiting.pop()]) {
      if (!seen.has(next)) {
        seen.add(next);
        waiting.push(next);
      }
    }
  }
  return seen;
}
