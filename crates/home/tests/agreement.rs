//! Random small homes: footprints tell the truth, and engines agree.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{app, home_with};
use mazurka_core::{
    ActorId, Dependence, Footprint, Insight, Narrator, Outcome, Random, Silent, Step, System, Verdict, Violation,
};
use mazurka_engines::{Engine, explore};
use mazurka_home::{Home, Options, Profile, State};
use std::collections::{BTreeSet, HashSet, VecDeque};

/// One of several.
fn one<'t>(chance: &mut Random, of: &[&'t str]) -> &'t str {
    of[chance.below(of.len())]
}

const INPUTS: &str = "input \"light\", \"capability.switch\"\ninput \"door\", \"capability.lock\"\n\
                      input \"gate\", \"capability.contactSensor\"\ninput \"eye\", \"capability.motionSensor\"";

const EVENTS: [&str; 8] = [
    "light, \"switch\"",
    "light, \"switch.on\"",
    "door, \"lock.unlocked\"",
    "door, \"lock\"",
    "gate, \"contact\"",
    "eye, \"motion.active\"",
    "location, \"mode\"",
    "gate, \"contact.open\"",
];

const CONDITIONS: [&str; 7] = [
    "evt?.value == \"on\"",
    "light.currentSwitch == \"on\"",
    "door.currentLock == \"locked\"",
    "state.a",
    "state.b == 2",
    "location.mode == \"Home\"",
    "eye.currentMotion == \"active\"",
];

const ACTIONS: [&str; 19] = [
    "light.on()",
    "light.off()",
    "door.lock()",
    "door.unlock()",
    "state.a = true",
    "state.a = !state.a",
    "state.b = ((state.b ?: 0) + 1) % 3",
    "state.remove(\"a\")",
    "state.c = state.size()",
    "setLocationMode(\"Away\")",
    "setLocationMode(\"Home\")",
    "runIn(60, later)",
    "unschedule(later)",
    "unschedule()",
    "runIn(5, again, [overwrite: false])",
    "state.l = [light.currentSwitch]",
    "unsubscribe(gate)",
    "subscribe(eye, \"motion\", moved)",
    "state.d = door.eventsSince(new Date()).size() > 0",
];

fn statement(chance: &mut Random) -> String {
    let action = one(chance, &ACTIONS);
    match chance.below(3) {
        0 => action.to_owned(),
        1 => format!("if ({}) {{ {action} }}", one(chance, &CONDITIONS)),
        _ => format!("if ({}) {{ {action} }} else {{ {} }}", one(chance, &CONDITIONS), one(chance, &ACTIONS)),
    }
}

fn body(chance: &mut Random) -> String {
    let count = 1 + chance.below(2);
    (0..count).map(|_| statement(chance)).collect::<Vec<_>>().join("\n")
}

fn random_app(chance: &mut Random, name: &str) -> String {
    let handlers = ["first", "second"];
    let count = 1 + chance.below(2);
    let subscribe: Vec<String> =
        handlers[..count].iter().map(|handler| format!("subscribe({}, {handler})", one(chance, &EVENTS))).collect();
    let mut methods = format!("def installed() {{ {} }}\n", subscribe.join("; "));
    for method in ["first", "second", "moved"] {
        methods += &format!("def {method}(evt) {{\n{}\n}}\n", body(chance));
    }
    for method in ["later", "again"] {
        methods += &format!("def {method}() {{ def evt = null\n{}\n}}\n", body(chance));
    }
    app(name, INPUTS, &methods)
}

fn random_home(seed: u64) -> (Vec<String>, Home) {
    let mut chance = Random::new(seed);
    let apps = vec![random_app(&mut chance, "One"), random_app(&mut chance, "Two")];
    let options = Options {
        profile: if chance.below(4) == 0 { Profile::Paper } else { Profile::Usual },
        conflicts: chance.below(2) == 0,
        never: if chance.below(2) == 0 {
            vec!["lock == \"unlocked\" and switch == \"off\"".into()]
        } else {
            Vec::new()
        },
        home: None,
        ..Options::default()
    };
    let home = home_with(&options, &apps);
    (apps, home)
}

/// What a step did.
#[derive(Clone, PartialEq, Debug)]
struct Done {
    state: State,
    footprint: Footprint,
    violations: Vec<Violation>,
    next: Option<Outcome>,
}

fn take(home: &Home, state: &State, actor: ActorId, outcome: Outcome) -> Done {
    let mut state = state.clone();
    let mut step = Step::default();
    step.begin(outcome);
    home.step(&mut state, actor, &mut step);
    step.footprint_mut().seal();
    Done {
        state,
        footprint: step.footprint().clone(),
        violations: step.violations().to_vec(),
        next: step.next_outcome(),
    }
}

fn enabled(home: &Home, state: &State) -> Vec<ActorId> {
    let mut enabled = Vec::new();
    home.enabled(state, &mut enabled);
    enabled
}

/// Two steps that do not conflict can come in either order: each does the same, and they end in the same state.
fn check_commutation(home: &Home, state: &State) {
    let dependence = Dependence { rewrites: false, ..Dependence::default() };
    let actors = enabled(home, state);
    let steps: Vec<(ActorId, Done)> =
        actors.iter().map(|&actor| (actor, take(home, state, actor, Outcome::FIRST))).collect();
    for (one, first) in &steps {
        for (other, second) in &steps {
            if one >= other || dependence.conflicts(&first.footprint, &second.footprint) {
                continue;
            }
            let names = (home.actor_name(*one), home.actor_name(*other));
            assert!(enabled(home, &first.state).contains(other), "{names:?}: disabled");
            assert!(enabled(home, &second.state).contains(one), "{names:?}: disabled");
            let then = take(home, &first.state, *other, Outcome::FIRST);
            let reversed = take(home, &second.state, *one, Outcome::FIRST);
            assert_eq!(then.state, reversed.state, "{names:?}");
            assert_eq!((&then.footprint, &then.violations), (&second.footprint, &second.violations), "{names:?}");
            assert_eq!((&reversed.footprint, &reversed.violations), (&first.footprint, &first.violations), "{names:?}");
        }
    }
}

/// An idle step does what is said of it: nothing.
fn check_idleness(home: &Home, state: &State) -> usize {
    let (mut idle, mut footprint) = (0, Footprint::default());
    for actor in enabled(home, state) {
        if home.is_idle(state, actor, &mut footprint) {
            let told = Done { state: state.clone(), footprint: footprint.clone(), violations: Vec::new(), next: None };
            assert_eq!(take(home, state, actor, Outcome::FIRST), told, "{}", home.actor_name(actor));
            idle += 1;
        }
    }
    idle
}

fn reachable(home: &Home, limit: usize) -> Vec<State> {
    let mut seen: HashSet<State> = home.initial_states().into_iter().collect();
    let mut queue: VecDeque<State> = seen.iter().cloned().collect();
    let mut all = Vec::new();
    while let Some(state) = queue.pop_front() {
        for actor in enabled(home, &state) {
            let mut outcome = Some(Outcome::FIRST);
            while let Some(current) = outcome {
                let done = take(home, &state, actor, current);
                outcome = done.next;
                if seen.len() < limit && seen.insert(done.state.clone()) {
                    queue.push_back(done.state);
                }
            }
        }
        all.push(state);
    }
    all
}

/// How many homes to look at: a few, or as many as `MAZURKA_HOMES` says.
fn seeds(few: u64) -> std::ops::Range<u64> {
    0..std::env::var("MAZURKA_HOMES").ok().and_then(|number| number.parse().ok()).unwrap_or(few)
}

#[test]
fn steps_that_do_not_conflict_commute_and_idle_ones_do_nothing() {
    let mut idle = 0;
    for seed in seeds(60) {
        let (apps, home) = random_home(seed);
        let states = reachable(&home, 200);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            states
                .iter()
                .map(|state| {
                    check_commutation(&home, state);
                    check_idleness(&home, state)
                })
                .sum::<usize>()
        }));
        assert!(result.is_ok(), "seed {seed}:\n{}", apps.join("\n----\n"));
        idle += result.unwrap_or_default();
    }
    assert!(idle > 1000, "{idle} idle steps");
}

#[test]
fn engines_agree_on_what_is_wrong() {
    for seed in seeds(150) {
        let (apps, home) = random_home(seed);
        let options = mazurka_engines::Options { all: true, threads: 1, ..mazurka_engines::Options::default() };
        let found = |engine| {
            let exploration = explore(engine, &home, &options, &mut Silent);
            match &exploration.verdict {
                Verdict::Verified | Verdict::Violated => {}
                // Apps that count while they set each other off are followed for a while only.
                Verdict::Unsupported(reason) => assert!(reason.contains("is not followed to its end"), "{reason}"),
                verdict => panic!("{verdict:?}"),
            }
            let sites = exploration.violations.iter().map(|found| {
                let violation = &found.violation;
                (violation.kind, violation.message.clone(), violation.location.clone())
            });
            sites.collect::<BTreeSet<_>>()
        };
        let (all, reduced) = (found(Engine::Exhaustive), found(Engine::Stateful));
        assert_eq!(all, reduced, "seed {seed}:\n{}", apps.join("\n----\n"));
    }
}
