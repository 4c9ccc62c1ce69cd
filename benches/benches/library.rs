//! What a model that is built costs beside one that implements `System` by hand, and beside the same program in `.mz`.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench library` prints a table. Dining philosophers: six of them, one of
//! which begins with the other hand, and each eats once. Counters: three events, each of which counts to 40, so that all that
//! a step does is to read and write variables. All engines run on one thread, and each figure is the best of five runs.
//! That the programs are the same is asserted; nothing is asserted about time.

use mazurka_core::{
    Access, ActorId, Awaited, BlockedVisitor, Counter, Insight, Object, ObjectId, ObjectKind, Rule, Silent, Step,
    System, Traits,
};
use mazurka_engines::{Engine, Options, explore};
use mazurka_lang::{Identity, compile};
use mazurka_model::Model;
use std::time::Duration;

const SEATS: usize = 6;
const ENGINES: [Engine; 4] = [Engine::Exhaustive, Engine::Stateful, Engine::Dpor, Engine::Optimal];

/// The forks of a philosopher, in the order in which they are taken.
fn forks(seat: usize) -> [usize; 2] {
    let (left, right) = (seat, (seat + 1) % SEATS);
    if seat == 0 { [right, left] } else { [left, right] }
}

struct ByHand;

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    at: [u8; SEATS],
    /// Who holds each fork, from 1.
    holders: [u8; SEATS],
    meals: [u8; SEATS],
}

fn meals_of(seat: usize) -> ObjectId {
    ObjectId((SEATS + seat) as u32)
}

/// The fork that a philosopher is about to take.
fn wanted(state: &State, seat: usize) -> Option<usize> {
    forks(seat).get(usize::from(state.at[seat])).copied()
}

fn is_enabled(state: &State, seat: usize) -> bool {
    state.at[seat] < 5 && wanted(state, seat).is_none_or(|fork| state.holders[fork] == 0)
}

impl System for ByHand {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        vec![State { at: [0; SEATS], holders: [0; SEATS], meals: [0; SEATS] }]
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        into.extend((0..SEATS).filter(|&seat| is_enabled(state, seat)).map(|seat| ActorId(seat as u32)));
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        let seat = actor.index();
        let [first, second] = forks(seat);
        match state.at[seat] {
            at @ 0..2 => {
                let fork = forks(seat)[usize::from(at)];
                step.write(ObjectId(fork as u32));
                state.holders[fork] = seat as u8 + 1;
            }
            2 => {
                step.write(meals_of(seat));
                state.meals[seat] += 1;
            }
            at => {
                let fork = if at == 3 { second } else { first };
                step.touch(ObjectId(fork as u32), Access::RELEASE);
                state.holders[fork] = 0;
            }
        }
        state.at[seat] += 1;
    }

    fn blocked(&self, state: &State, _enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        for seat in (0..SEATS).filter(|&seat| !is_enabled(state, seat)) {
            if let Some(fork) = wanted(state, seat) {
                let fork = ObjectId(fork as u32);
                visit(ActorId(seat as u32), &mut |footprint| {
                    footprint.touch(fork, Access::WRITE);
                    Some(Awaited::Freed(fork))
                });
            }
        }
    }

    fn object(&self, object: ObjectId) -> Object {
        if object < meals_of(0) {
            Object { kind: ObjectKind::Lock, rule: Rule::Mutex }
        } else {
            ObjectKind::Variable.into()
        }
    }

    fn insight(&self) -> &dyn Insight<State> {
        self
    }

    fn traits(&self) -> Traits {
        Traits { threads: true, terminates: true, tells_blocked: true, ..Traits::default() }
    }
}

impl Insight<State> for ByHand {
    fn holder(&self, state: &State, object: ObjectId) -> Option<ActorId> {
        let holder = state.holders.get(object.0 as usize)?.checked_sub(1)?;
        Some(ActorId(u32::from(holder)))
    }
}

fn built() -> Model {
    let mut model = Model::new();
    let all: Vec<_> = (0..SEATS).map(|n| model.mutex(format!("fork {n}"))).collect();
    for seat in 0..SEATS {
        let [first, second] = forks(seat).map(|fork| all[fork]);
        let meals = model.variable(format!("meals of {seat}"), 0u8);
        model.thread(format!("philosopher {seat}"), |t| {
            t.lock(first);
            t.lock(second);
            t.step("eat").then(move |s| s[meals] += 1);
            t.unlock(second);
            t.unlock(first);
        });
    }
    model
}

fn mz() -> mazurka_lang::Model {
    let philosopher = |seat: usize| {
        let [first, second] = forks(seat);
        format!(
            "thread p{seat} {{ lock(fork[{first}]); lock(fork[{second}]); atomic {{ meals[{seat}] += 1; }}
             unlock(fork[{second}]); unlock(fork[{first}]); }}"
        )
    };
    let all: String = (0..SEATS).map(philosopher).collect();
    let source = format!("shared meals[{SEATS}]; mutex fork[{SEATS}]; {all}");
    let program = compile("philosophers.mz", &source, &[]).expect("it compiles");
    mazurka_lang::Model::new(program.into(), Identity::Presence)
}

/// The best of five runs, and what they count: states where they are stored, otherwise executions.
fn best<S: System>(system: &S, engine: Engine) -> (Duration, u64) {
    let run = || {
        let started = std::time::Instant::now();
        let exploration = explore(engine, system, &Options::default(), &mut Silent);
        let count = |counter| exploration.statistics.get(counter);
        (started.elapsed(), count(Counter::States).or(count(Counter::Executions)).expect("it counts"))
    };
    (0..5).map(|_| run()).min().expect("it was run")
}

const MOST: u8 = 40;

struct CountersByHand;

impl System for CountersByHand {
    type State = [u8; 3];

    fn initial_states(&self) -> Vec<[u8; 3]> {
        vec![[0; 3]]
    }

    fn enabled(&self, counts: &[u8; 3], into: &mut Vec<ActorId>) {
        into.extend((0..3).filter(|&n| counts[n] < MOST).map(|n| ActorId(n as u32)));
    }

    fn step(&self, counts: &mut [u8; 3], actor: ActorId, step: &mut Step) {
        step.write(ObjectId(actor.0));
        counts[actor.index()] += 1;
    }
}

fn built_counters() -> Model {
    let mut model = Model::new();
    for n in 0..3 {
        let count = model.variable(format!("count {n}"), 0);
        model.event(format!("event {n}")).when(move |s| s[count] < MOST).then(move |s| s[count] += 1);
    }
    model
}

fn mz_counters() -> mazurka_lang::Model {
    let source = format!("shared count[3]; event e(i in 0..3) when count[i] < {MOST} {{ count[i] += 1; }}");
    let program = compile("counters.mz", &source, &[]).expect("it compiles");
    mazurka_lang::Model::new(program.into(), Identity::Presence)
}

fn row(name: &str, engine: Engine, [by_hand, built, mz]: [(Duration, u64); 3]) {
    assert!(by_hand.1 == built.1 && built.1 == mz.1, "{name}, {engine}: {} {} {}", by_hand.1, built.1, mz.1);
    let milliseconds = |time: Duration| format!("{:.1} ms", time.as_secs_f64() * 1e3);
    let factor = built.0.as_secs_f64() / by_hand.0.as_secs_f64();
    let [hand_time, built_time, mz_time] = [by_hand.0, built.0, mz.0].map(milliseconds);
    let engine = engine.name();
    println!("{name:13} {engine:12} {:>10} {hand_time:>10} {built_time:>10} {mz_time:>10}   {factor:.1}", built.1);
}

fn main() {
    let head = ["program", "engine", "counted", "by hand", "built", ".mz"];
    let [program, engine, counted, by_hand, built_, mz_] = head;
    println!("{program:13} {engine:12} {counted:>10} {by_hand:>10} {built_:>10} {mz_:>10}   built / by hand");
    let (model, program) = (built(), mz());
    for engine in ENGINES {
        row("philosophers", engine, [best(&ByHand, engine), best(&model, engine), best(&program, engine)]);
    }
    let (model, program) = (built_counters(), mz_counters());
    let engine = Engine::Exhaustive;
    row("counters", engine, [best(&CountersByHand, engine), best(&model, engine), best(&program, engine)]);
}
