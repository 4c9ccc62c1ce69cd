//! Random programs, once as a closure over the doubles and once as a `.mz` program, which is an independent oracle: the same number
//! of traces, the same final values, the same verdict; and of the closure, the same ends by all engines.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{options, search};
use mazurka_core::{ActorId, Counter, Ending, Move, Random, Silent, Step, System};
use mazurka_engines::{Engine, Options, explore};
use mazurka_lang::{Identity, Model};
use mazurka_rust::sync::Mutex;
use mazurka_rust::sync::atomic::AtomicI64;
use mazurka_rust::{Closure, thread};
use std::collections::{BTreeSet, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

const VARIABLES: usize = 2;
const MUTEXES: usize = 2;

/// A statement. Each thread has one local variable.
#[derive(Clone, Debug)]
enum Statement {
    Load(usize),
    /// Stores the local variable and a number.
    Store(usize, i64),
    Add(usize, i64),
    Swap(usize, i64),
    Exchange(usize, i64, i64),
    /// If the local variable is this number.
    If(i64, Vec<Statement>),
    Lock(usize, Vec<Statement>),
    TryLock(usize, Vec<Statement>),
}

struct Generator {
    random: Random,
    /// How many statements may still be made.
    left: usize,
    has_attempts: bool,
}

impl Generator {
    fn below(&mut self, limit: usize) -> usize {
        self.random.below(limit)
    }

    fn body(&mut self, most: usize, held: &[usize]) -> Vec<Statement> {
        let count = 1 + self.below(most);
        (0..count).filter_map(|_| self.statement(held)).collect()
    }

    fn statement(&mut self, held: &[usize]) -> Option<Statement> {
        self.left = self.left.checked_sub(1)?;
        let (variable, number) = (self.below(VARIABLES), self.below(2) as i64);
        Some(match self.below(13) {
            0 | 1 => Statement::Load(variable),
            2 | 3 => Statement::Store(variable, number),
            4 => Statement::Add(variable, 1),
            5 => Statement::Swap(variable, number),
            6 => Statement::Exchange(variable, number, 2),
            7 => Statement::If(number, self.body(1, held)),
            kind => {
                let mutex = self.below(MUTEXES);
                if held.contains(&mutex) {
                    return Some(Statement::Load(variable));
                }
                let body = self.body(3, &[held, &[mutex]].concat());
                if kind > 10 && self.has_attempts {
                    Statement::TryLock(mutex, body)
                } else {
                    Statement::Lock(mutex, body)
                }
            }
        })
    }
}

fn generate(seed: u64) -> Vec<Vec<Statement>> {
    let mut generator = Generator { random: Random::new(seed), left: 10, has_attempts: seed.is_multiple_of(3) };
    let threads = 2 + generator.below(2);
    (0..threads).map(|_| generator.body(4, &[])).collect()
}

fn as_mz(threads: &[Vec<Statement>]) -> String {
    fn write(body: &[Statement], text: &mut String) {
        for statement in body {
            let _ = match statement {
                Statement::Load(x) => writeln!(text, "t = x{x};"),
                Statement::Store(x, n) => writeln!(text, "x{x} = t + {n};"),
                Statement::Add(x, n) => writeln!(text, "t = fetch_add(x{x}, {n});"),
                Statement::Swap(x, n) => writeln!(text, "t = swap(x{x}, {n});"),
                Statement::Exchange(x, old, new) => writeln!(text, "t = cas(x{x}, {old}, {new});"),
                Statement::If(n, then) => {
                    let _ = writeln!(text, "if (t == {n}) {{");
                    write(then, text);
                    writeln!(text, "}}")
                }
                Statement::Lock(m, then) => {
                    let _ = writeln!(text, "lock(m{m});");
                    write(then, text);
                    writeln!(text, "unlock(m{m});")
                }
                Statement::TryLock(m, then) => {
                    let _ = writeln!(text, "if (trylock(m{m}) == 1) {{");
                    write(then, text);
                    writeln!(text, "unlock(m{m}); }}")
                }
            };
        }
    }
    let mut text = String::new();
    (0..VARIABLES).for_each(|x| writeln!(text, "shared x{x} = 0;").unwrap());
    (0..MUTEXES).for_each(|m| writeln!(text, "mutex m{m};").unwrap());
    for (number, body) in threads.iter().enumerate() {
        let _ = writeln!(text, "thread p{number} {{ let t = 0;");
        write(body, &mut text);
        text.push_str("}\n");
    }
    text
}

struct Memory {
    variables: [AtomicI64; VARIABLES],
    mutexes: [Mutex<()>; MUTEXES],
}

fn run(body: &[Statement], memory: &Memory, local: &mut i64) {
    for statement in body {
        match statement {
            Statement::Load(x) => *local = memory.variables[*x].load(SeqCst),
            Statement::Store(x, n) => memory.variables[*x].store(*local + n, SeqCst),
            Statement::Add(x, n) => *local = memory.variables[*x].fetch_add(*n, SeqCst),
            Statement::Swap(x, n) => *local = memory.variables[*x].swap(*n, SeqCst),
            Statement::Exchange(x, old, new) => {
                *local = memory.variables[*x].compare_exchange(*old, *new, SeqCst, SeqCst).is_ok().into();
            }
            Statement::If(n, then) if *local == *n => run(then, memory, local),
            Statement::If(..) => {}
            Statement::Lock(m, then) => {
                let _guard = memory.mutexes[*m].lock().unwrap();
                run(then, memory, local);
            }
            Statement::TryLock(m, then) => {
                if let Ok(_guard) = memory.mutexes[*m].try_lock() {
                    run(then, memory, local);
                }
            }
        }
    }
}

type Finals = BTreeSet<Vec<i64>>;

/// The closure, and what executions end with.
fn as_closure(threads: Vec<Vec<Statement>>) -> (Closure, Arc<std::sync::Mutex<Finals>>) {
    let finals = Arc::new(std::sync::Mutex::new(Finals::new()));
    let seen = Arc::clone(&finals);
    let threads = Arc::new(threads);
    let body = move || {
        let memory = Arc::new(Memory {
            variables: std::array::from_fn(|_| AtomicI64::new(0)),
            mutexes: std::array::from_fn(|_| Mutex::new(())),
        });
        let handles: Vec<_> = (0..threads.len())
            .map(|number| {
                let (memory, threads) = (Arc::clone(&memory), Arc::clone(&threads));
                thread::spawn(move || run(&threads[number], &memory, &mut 0))
            })
            .collect();
        handles.into_iter().for_each(|handle| handle.join().unwrap());
        let values = memory.variables.iter().map(|variable| variable.load(SeqCst)).collect();
        seen.lock().unwrap().insert(values);
    };
    (Closure::new(body), finals)
}

/// What executions of a `.mz` program end with, by a walk over all states.
fn finals_of(model: &Model) -> Finals {
    let (mut finals, mut seen) = (Finals::new(), HashSet::new());
    let mut work = model.initial_states();
    let (mut enabled, mut step): (Vec<ActorId>, _) = (Vec::new(), Step::default());
    while let Some(state) = work.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        enabled.clear();
        model.enabled(&state, &mut enabled);
        if enabled.is_empty() && model.ending(&state) == Ending::Finished {
            let mut values = Vec::new();
            model.narrator().observe(&state, &mut values);
            let values = values.iter().filter(|value| value.name.starts_with('x'));
            finals.insert(values.map(|value| value.value.parse().unwrap()).collect());
        }
        for &actor in &enabled {
            let mut next = state.clone();
            step.take(model, &mut next, Move::from(actor));
            work.push(next);
        }
    }
    finals
}

/// `MAZURKA_AGREE_RUST=20000` compares more programs.
#[test]
fn closures_do_what_mz_programs_do() {
    let (mut deadlocks, mut most) = (0, 0);
    let programs = std::env::var("MAZURKA_AGREE_RUST").map_or(300, |programs| programs.parse().unwrap());
    for seed in 0..programs {
        let threads = generate(seed);
        let source = as_mz(&threads);
        let program =
            mazurka_lang::compile("random.mz", &source, &[]).unwrap_or_else(|error| panic!("{error:?}\n{source}"));
        let model = Model::new(Arc::new(program), Identity::History);
        let all = Options { threads: 1, all: true, ..Options::default() };
        let oracle = explore(Engine::Optimal, &model, &all, &mut Silent);
        let (closure, finals) = as_closure(threads);
        let searched = search(&closure, Engine::Optimal, &options());
        let executions = |statistics: &mazurka_core::Statistics| statistics.get(Counter::Executions);
        assert_eq!(searched.exploration.verdict, oracle.verdict, "program {seed}\n{source}");
        let (ours, theirs) = (executions(&searched.exploration.statistics), executions(&oracle.statistics));
        assert_eq!(ours, theirs, "executions of program {seed}\n{source}");
        assert_eq!(*finals.lock().unwrap(), finals_of(&model), "final values of program {seed}\n{source}");
        deadlocks += u32::from(!searched.exploration.violations.is_empty());
        most = most.max(ours.unwrap_or(0));
        if ours.is_some_and(|executions| executions > 40) {
            continue;
        }
        for engine in
            [Engine::Enumerate, Engine::Dpor, Engine::Sdpor, Engine::Stateful, Engine::Unfolding, Engine::Exhaustive]
        {
            let other = search(&closure, engine, &options());
            assert_eq!(other.exploration.verdict, oracle.verdict, "{engine}, program {seed}\n{source}");
            assert_eq!(other.ends, searched.ends, "{engine}, ends of program {seed}\n{source}");
        }
    }
    assert!(deadlocks > 0 && most > 100, "{deadlocks} programs with deadlocks, {most} executions at most");
}
