//! A small program for the tests of this crate: threads that increment a counter, take locks and assert.

use crate::Story;
use mazurka_core::{
    Access, ActorId, Awaited, BlockedVisitor, Counter, Description, Ending, Explanation, Found, Insight, Location,
    Move, Narrator, Object, ObjectId, ObjectKind, Outcome, Race, Schedule, Statistics, Step, Stepper, System, Value,
    Violation, ViolationKind,
};

const X: ObjectId = ObjectId(0);
const Z: ObjectId = ObjectId(1);
const LOCKS: u32 = 2;

/// What an engine might have counted.
pub(crate) fn counts(counts: &[(Counter, u64)], seconds: f64) -> Statistics {
    let mut statistics = Statistics::default();
    statistics.seconds = seconds;
    for &(counter, count) in counts {
        statistics.set(counter, count);
    }
    statistics
}

/// One operation of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// `x++`, which also keeps the old value in the thread's own `r`.
    Increment,
    /// `r = z`, where `z` is always 0.
    LoadZ,
    /// `assert r == 0`, on what the increment found.
    AssertFirst,
    /// An assertion that always fails.
    Fail,
    /// Acquires a lock.
    Lock(usize),
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct State {
    at: Vec<usize>,
    registers: Vec<i64>,
    x: i64,
    holders: [Option<usize>; 2],
}

/// Threads, each a list of operations.
#[derive(Clone)]
pub(crate) struct Threads {
    pub(crate) threads: Vec<Vec<Op>>,
    pub(crate) names: Vec<String>,
    pub(crate) starts: Vec<i64>,
    pub(crate) bad_start: bool,
}

impl Threads {
    pub(crate) fn of(threads: Vec<Vec<Op>>) -> Self {
        let names = (1..=threads.len()).map(|number| format!("T{number}")).collect();
        Threads { threads, names, starts: vec![0], bad_start: false }
    }

    /// Three threads increment `x`; the first believes that it is the first.
    pub(crate) fn three() -> Self {
        Threads::of(vec![vec![Op::Increment, Op::AssertFirst], vec![Op::Increment], vec![Op::LoadZ, Op::Increment]])
    }

    /// Two threads acquire two locks in opposite orders.
    pub(crate) fn crossed_locks() -> Self {
        Threads::of(vec![vec![Op::Lock(0), Op::Lock(1)], vec![Op::Lock(1), Op::Lock(0)]])
    }

    /// The schedule in which these threads move, with the violation at its end (one that did not happen, if none did).
    pub(crate) fn found(&self, threads: &[u32]) -> Found {
        let moves = threads.iter().map(|&thread| Move::from(ActorId(thread))).collect();
        let schedule = Schedule::new(0, moves);
        let violation = Stepper::replay(self, &schedule)
            .and_then(|(_, mut violations)| violations.pop())
            .unwrap_or_else(|| Violation::new(ViolationKind::Crash, "it did not happen"));
        Found { violation, schedule }
    }

    /// The story of these moves: as if it had been shortened from `originally` steps, with the first race on `x`.
    pub(crate) fn tell(&self, threads: &[u32], originally: usize) -> Story {
        let found = self.found(threads);
        let moves = (0..originally).map(|step| Move::from(ActorId(step as u32 / 2))).collect();
        let original = if originally == threads.len() { found.schedule.clone() } else { Schedule::new(0, moves) };
        let mut at = vec![0; self.threads.len()];
        let mut increments = Vec::new();
        for (index, &thread) in threads.iter().enumerate() {
            let op = self.threads[thread as usize].get(at[thread as usize]);
            if matches!(op, Some(Op::Increment)) {
                increments.push((index, thread));
            }
            at[thread as usize] += 1;
        }
        let race = increments.windows(2).find(|pair| pair[0].1 != pair[1].1).map(|pair| Race {
            first: pair[0].0,
            second: pair[1].0,
            object: X,
        });
        Story::tell(self, &found, &original, race.map(Explanation::Race))
    }

    fn op(&self, state: &State, thread: usize) -> Option<Op> {
        self.threads[thread].get(state.at[thread]).copied()
    }

    pub(crate) fn location(thread: usize, at: usize) -> Option<Location> {
        Some(Location { file: "three.mz".into(), line: (10 * thread + at + 1) as u32, column: 3 })
    }
}

impl System for Threads {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        let count = self.threads.len();
        let start = |&x: &i64| State { at: vec![0; count], registers: vec![0; count], x, holders: [None; 2] };
        self.starts.iter().map(start).collect()
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        for thread in 0..self.threads.len() {
            let free = match self.op(state, thread) {
                Some(Op::Lock(lock)) => state.holders[lock].is_none(),
                op => op.is_some(),
            };
            if free {
                into.push(ActorId(thread as u32));
            }
        }
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        let thread = actor.index();
        let holds = match self.op(state, thread) {
            Some(Op::Increment) => {
                step.touch(X, Access::READ | Access::WRITE);
                state.registers[thread] = state.x;
                state.x += 1;
                true
            }
            Some(Op::LoadZ) => {
                step.read(Z);
                true
            }
            Some(Op::Lock(lock)) => {
                step.write(ObjectId(LOCKS + lock as u32));
                state.holders[lock] = Some(thread);
                true
            }
            Some(Op::AssertFirst) => state.registers[thread] == 0,
            Some(Op::Fail) | None => false,
        };
        if !holds {
            let register = format!("r{}", thread + 1);
            step.fail(Violation {
                kind: ViolationKind::Assertion,
                message: format!("assertion failed: {register} == 0"),
                location: Self::location(thread, state.at[thread]),
                actor: Some(actor),
                values: vec![Value { name: register, value: state.registers[thread].to_string() }],
            });
        }
        state.at[thread] += 1;
    }

    fn ending(&self, state: &State) -> Ending {
        let waits: Vec<_> = (0..self.threads.len())
            .filter_map(|thread| match self.op(state, thread)? {
                Op::Lock(lock) => {
                    let holder = state.holders[lock].map(|holder| &self.names[holder])?;
                    Some(format!("{} waits for lock {lock}, held by {holder}", self.names[thread]))
                }
                _ => None,
            })
            .collect();
        if waits.is_empty() {
            return Ending::Finished;
        }
        let message = format!("deadlock: {}", waits.join("; "));
        Ending::Deadlock(Box::new(Violation::new(ViolationKind::Deadlock, message)))
    }

    fn blocked(&self, state: &State, _enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        for thread in 0..self.threads.len() {
            if let Some(Op::Lock(lock)) = self.op(state, thread)
                && state.holders[lock].is_some()
            {
                let object = ObjectId(LOCKS + lock as u32);
                visit(ActorId(thread as u32), &mut |footprint| {
                    footprint.touch(object, Access::WRITE);
                    Some(Awaited::Freed(object))
                });
            }
        }
    }

    fn object(&self, object: ObjectId) -> Object {
        if object.0 < LOCKS { ObjectKind::Variable.into() } else { ObjectKind::Lock.into() }
    }

    fn narrator(&self) -> &dyn Narrator<State> {
        self
    }

    fn insight(&self) -> &dyn Insight<State> {
        self
    }
}

impl Insight<State> for Threads {
    fn violations_at_start(&self, state: &State, into: &mut Vec<Violation>) {
        if self.bad_start {
            let mut violation = Violation::new(ViolationKind::Invariant, "invariant broken: x > 0");
            violation.values.push(Value { name: "x".to_owned(), value: state.x.to_string() });
            into.push(violation);
        }
    }

    fn holder(&self, state: &State, object: ObjectId) -> Option<ActorId> {
        let lock = object.0.checked_sub(LOCKS)?;
        state.holders[lock as usize].map(|holder| ActorId(holder as u32))
    }
}

impl Narrator<State> for Threads {
    fn actor_name(&self, actor: ActorId) -> String {
        self.names[actor.index()].clone()
    }

    fn object_name(&self, object: ObjectId) -> String {
        match object {
            X => "x".to_owned(),
            Z => "z".to_owned(),
            ObjectId(lock) => format!("lock {}", lock - LOCKS),
        }
    }

    fn touch_verb(&self, object: ObjectId, access: Access) -> &'static str {
        match (object, access.changes()) {
            (X, true) => "incremented",
            (X | Z, _) => "read",
            _ => "took",
        }
    }

    fn describe(&self, state: &State, actor: ActorId, _outcome: Outcome) -> Description {
        let thread = actor.index();
        let text = match self.op(state, thread) {
            Some(Op::Increment) => format!("r{} = x++", thread + 1),
            Some(Op::LoadZ) => format!("r{} = z", thread + 1),
            Some(Op::AssertFirst | Op::Fail) => format!("assert r{} == 0", thread + 1),
            Some(Op::Lock(lock)) => format!("lock {lock}"),
            None => "nothing".to_owned(),
        };
        Description { text, location: Self::location(thread, state.at[thread]) }
    }

    fn observe(&self, state: &State, into: &mut Vec<Value>) {
        into.push(Value { name: "x".to_owned(), value: state.x.to_string() });
        for (thread, register) in state.registers.iter().enumerate() {
            into.push(Value { name: format!("r{}", thread + 1), value: register.to_string() });
        }
        for (lock, holder) in state.holders.iter().enumerate() {
            if let Some(holder) = holder {
                into.push(Value { name: format!("lock {lock}"), value: self.names[*holder].clone() });
            }
        }
    }
}
