//! What the tests share: a plain breadth-first search that keeps whole states, so that it is wrong in no way that an
//! engine or a fingerprint could be.
#![allow(dead_code, reason = "each test file uses its own part")]

use mazurka_core::{
    ActorId, Ending, Footprint, Insight, Move, Narrator, Outcome, Random, Step, System, Violation, ViolationKind,
};
use mazurka_lang::{Identity, Model, State, compile};
use proptest::collection::vec;
use proptest::prelude::Strategy;
use proptest::sample::select;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

/// Compiles a program that has no errors.
pub(crate) fn model(source: &str, identity: Identity) -> Model {
    model_with(source, &[], identity)
}

/// The same with constants set.
pub(crate) fn model_with(source: &str, defines: &[(&str, i64)], identity: Identity) -> Model {
    let defines: Vec<(String, i64)> = defines.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    match compile("test.mz", source, &defines) {
        Ok(program) => Model::new(Arc::new(program), identity),
        Err(error) => panic!("{error:?}\n{source}"),
    }
}

pub(crate) fn enabled(model: &Model, state: &State) -> Vec<ActorId> {
    let mut actors = Vec::new();
    model.enabled(state, &mut actors);
    actors
}

/// What a step did.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) step: Move,
    pub(crate) after: State,
    pub(crate) footprint: Footprint,
    pub(crate) violations: Vec<Violation>,
}

pub(crate) fn take(model: &Model, state: &State, step: Move) -> (Taken, Option<Outcome>) {
    let mut record = Step::default();
    record.begin(step.outcome);
    let mut after = state.clone();
    model.step(&mut after, step.actor, &mut record);
    record.footprint_mut().seal();
    let (footprint, violations) = (record.footprint().clone(), record.violations().to_vec());
    (Taken { step, after, footprint, violations }, record.next_outcome())
}

/// Everything that one actor can do, one entry for each outcome.
pub(crate) fn outcomes(model: &Model, state: &State, actor: ActorId) -> Vec<Taken> {
    let mut all = Vec::new();
    let mut outcome = Some(Outcome::FIRST);
    while let Some(current) = outcome {
        let (taken, next) = take(model, state, Move { actor, outcome: current });
        all.push(taken);
        outcome = next;
    }
    all
}

/// All that can happen.
pub(crate) struct Explored {
    pub(crate) states: Vec<State>,
    pub(crate) steps: usize,
    pub(crate) violations: BTreeSet<Violation>,
    /// The endings, each with the state it is of.
    pub(crate) endings: Vec<(Ending, State)>,
}

/// More states than any test needs.
const MAX_STATES: usize = 200_000;

pub(crate) fn explore(model: &Model) -> Explored {
    let mut explored = Explored { states: Vec::new(), steps: 0, violations: BTreeSet::new(), endings: Vec::new() };
    let mut met: HashSet<State> = HashSet::new();
    let mut queue = VecDeque::new();
    for state in model.initial_states() {
        let mut violations = Vec::new();
        model.violations_at_start(&state, &mut violations);
        explored.violations.extend(violations);
        met.insert(state.clone());
        queue.push_back(state);
    }
    while let Some(state) = queue.pop_front() {
        let actors = enabled(model, &state);
        if actors.is_empty() {
            explored.endings.push((model.ending(&state), state.clone()));
        }
        for actor in actors {
            for taken in outcomes(model, &state, actor) {
                explored.steps += 1;
                explored.violations.extend(taken.violations);
                if met.insert(taken.after.clone()) {
                    queue.push_back(taken.after);
                }
            }
        }
        explored.states.push(state);
        assert!(explored.states.len() < MAX_STATES, "more than {MAX_STATES} states");
    }
    explored
}

impl Explored {
    /// The violations as `kind line message {name=value …}`, sorted.
    pub(crate) fn told(&self) -> Vec<String> {
        let mut told: Vec<String> = self.violations.iter().map(tell).collect();
        told.sort();
        told.dedup();
        told
    }

    /// How many ends there are: finished, blocked, deadlocked.
    pub(crate) fn ends(&self) -> [usize; 3] {
        let count = |of: fn(&Ending) -> bool| self.endings.iter().filter(|(ending, _)| of(ending)).count();
        [
            count(|ending| matches!(ending, Ending::Finished)),
            count(|ending| matches!(ending, Ending::Blocked)),
            count(|ending| matches!(ending, Ending::Deadlock(_))),
        ]
    }

    /// The messages of the deadlocks, sorted.
    pub(crate) fn deadlocks(&self) -> Vec<String> {
        let mut messages: Vec<String> = self
            .endings
            .iter()
            .filter_map(|(ending, _)| match ending {
                Ending::Deadlock(violation) => {
                    assert_eq!(violation.kind, ViolationKind::Deadlock);
                    let line = violation.location.as_ref().map_or(0, |location| location.line);
                    Some(format!("{line}: {}", violation.message))
                }
                _ => None,
            })
            .collect();
        messages.sort();
        messages.dedup();
        messages
    }

    /// The values that something can have at an end, sorted, each once: `x` or `x y` for several.
    pub(crate) fn final_values(&self, model: &Model, names: &[&str]) -> Vec<String> {
        let found: BTreeSet<String> = self
            .endings
            .iter()
            .map(|(_, state)| names.iter().map(|name| value(model, state, name)).collect::<Vec<_>>().join(" "))
            .collect();
        found.into_iter().collect()
    }
}

/// What a person sees of one variable, mutex, event or handler.
pub(crate) fn value(model: &Model, state: &State, name: &str) -> String {
    let mut values = Vec::new();
    model.observe(state, &mut values);
    values.iter().find(|value| value.name == name).map_or_else(|| panic!("no {name}"), |value| value.value.clone())
}

pub(crate) fn tell(violation: &Violation) -> String {
    let line = violation.location.as_ref().map_or(0, |location| location.line);
    let values: Vec<String> = violation.values.iter().map(|value| format!("{}={}", value.name, value.value)).collect();
    let told = format!("{line}: {}", violation.message);
    if values.is_empty() { told } else { format!("{told} {{{}}}", values.join(" ")) }
}

/// Random numbers below what is asked for.
pub(crate) fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut random = Random::new(seed);
    move |below| random.below(below)
}

/// Statements that may stand in one step, with a number `r` and a thread handle `k` at hand.
const IMMEDIATE: &[&str] = &[
    "x = r;",
    "r = x;",
    "r += 1;",
    "y -= 1;",
    "x = 1;",
    "a[r] = 1;",
    "r = a[x % 3];",
    "unlock(m);",
    "signal(c);",
    "broadcast(c);",
    "post h, n(r);",
    "post g, n(x);",
    "post g, n(1);",
    "post h, o(1);",
    "k = spawn f(r);",
    "spawn f(x);",
    "spawn both(1);",
    "enable e;",
    "disable e;",
    "enable d[1];",
    "disable d[r];",
    "r = choose(0..2);",
    "assert(r < 3);",
    "r = cas(x, 0, r);",
    "r = swap(y, 2);",
    "fetch_add(a[1], r);",
    "return;",
    "r = x && y || r;",
    "r = x ? y : r ? a[1] : 2;",
    "assert(x ? y < 3 : r < 3);",
    "r = f(r);",
    "for i in 0..2 { y = i; }",
    "do { y = r; r += 1; } while (r < 2);",
    "b[r] = x;",
    "b[1] += y;",
    "b[x] -= b[r] + 1;",
    "r = b[x % 2] + b[0];",
    "assert(b[r] == b[1] || b[x] < 2);",
    "if (true) { let own[2] = [x, r]; y = own[1] + own[y]; }",
    "switch (x) { case 0: y = 1; break; default: break; case 1: case 2: y = r; }",
    "while (true) { y += 1; switch (r) { case 1: r = 0; continue; default: break; } break; }",
    "for (let i = x; i < 2; i += 1) { y = i; if (i == r) { continue; } x = i; }",
    "release(q);",
    "r = try_acquire(q);",
    "read_unlock(l);",
    "r = try_read_lock(l);",
    "if (try_write_lock(l)) { write_unlock(l); }",
    "if (trylock(u)) { unlock(u); }",
    "r = trylock(u);",
    "r = try_send(z, r);",
    "r = try_receive(z, 1);",
];

/// Statements that may have to wait.
const WAITING: &[&str] = &[
    "lock(m);",
    "lock(m); x += 1; unlock(m);",
    "lock(m); wait(c, m); unlock(m);",
    "wait(c, m);",
    "join k;",
    "assume(look(3));",
    "assume(x == y);",
    "assume(x == b[0]);",
    "atomic { assume(x > 0); x -= 1; y += 1; }",
    "if (r < 2) { r = both(r + 1); }",
    "acquire(q); x += 1; release(q);",
    "acquire(q);",
    "read_lock(l); r = x; read_unlock(l);",
    "read_lock(l);",
    "write_lock(l); x = r; write_unlock(l);",
    "lock(u); unlock(u);",
    "lock(m); r = wait_timeout(c, m); unlock(m);",
    "send(z, r);",
    "r = receive(z);",
];

fn block(statements: impl Strategy<Value = String> + 'static) -> impl Strategy<Value = String> {
    vec(statements, 0..5).prop_map(|statements| statements.join(" "))
}

/// The body of something that may wait.
fn body() -> impl Strategy<Value = String> {
    let words = |from: &'static [&'static str]| select(from).prop_map(str::to_owned);
    let atomic = block(words(IMMEDIATE)).prop_map(|block| format!("atomic {{ {block} }}"));
    let simple = proptest::prop_oneof![4 => words(IMMEDIATE), 3 => words(WAITING), 1 => atomic];
    let nested = simple.prop_recursive(2, 8, 4, |inner| {
        // A loop without a visible operation would be a crash of its own, and slow.
        let heads = select(
            &[
                "if (x == r) {",
                "while (r < 2) { x = r; r += 1;",
                "do { x += 1; } while (x < 2); if (r) {",
                "switch (r) { default: break; case 0: x = 1; if (x) {",
                "if (r) { r = 0; } else {",
            ][..],
        );
        (heads, block(inner)).prop_map(|(head, block)| {
            // A `switch` needs a brace more.
            let end = if head.starts_with("switch") { "} }" } else { "}" };
            format!("{head} {block} {end}")
        })
    });
    block(nested)
}

/// A random program that uses every construct.
pub(crate) fn program() -> impl Strategy<Value = String> {
    let step = || block(select(IMMEDIATE).prop_map(str::to_owned));
    (body(), body(), body(), body(), step(), step()).prop_map(|(s, t, n, both, e, d)| {
        let start = "let k = spawn f(1); let b[2] = [0, 1];";
        format!(
            "shared x; shared y; shared a[3]; mutex m, u; cond c; semaphore q = 1; rwlock l; channel z(1);
            handler h; handler g any;
            never x == 1 && a[1] == 1;
            def f(v) {{ y = v; return v + 1; }} def look(v) {{ return x < v; }} def both(r) {{ {start} {both} }}
            thread s {{ let r = 0; {start} {s} }} thread t {{ let r = 1; {start} {t} }}
            message n(r) {{ {start} {n} }} message o(v) {{ let r = v; y += v; if (x == 2) {{ post g, n(r); }} }}
            event e disabled when x < 3 {{ let r = 1; {start} {e} }} event d(r in 0..2) {{ {start} {d} disable d[r]; }}"
        )
    })
}

/// Explores a program by presence.
pub(crate) fn all(source: &str) -> (Model, Explored) {
    let model = model(source, Identity::Presence);
    let explored = explore(&model);
    (model, explored)
}

/// All that can go wrong in a program.
pub(crate) fn violations(source: &str) -> Vec<String> {
    all(source).1.told()
}

/// What its variables can be at the end.
pub(crate) fn finals(source: &str, names: &[&str]) -> Vec<String> {
    let (model, explored) = all(source);
    explored.final_values(&model, names)
}

/// How its executions end.
pub(crate) fn ends(source: &str) -> [usize; 3] {
    all(source).1.ends()
}
