//! Runs a random program as a Rust closure over the doubles of std, so that closures can be held against `.mz`.
//!
//! Each visible operation is done by one call of a double, in the order in which `.mz` evaluates them; locals are locals. Threads are
//! spawned by the closure, which does nothing else that they could see, so it adds no trace. Whoever leaves a lock taken in `.mz`
//! leaves it taken here. What has no such form is refused, with the reason: events, invariants, semaphores, channels (those of
//! std have one receiver), atomic blocks, waits with a limit, and an `assume` that looks at what others write.

use mazurka_lang::ast::{
    BinaryOp, Block, Call, Expr, ExprKind, Function, Initial, Item, ObjectKind, Place, Statement, StatementKind,
    SyncOp, UnaryOp, Unit,
};
use mazurka_rust::mailbox::Handler;
use mazurka_rust::sync::atomic::AtomicI64;
use mazurka_rust::sync::{Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};
use mazurka_rust::{Closure, assume, choose, thread};
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, PoisonError};

/// The values of all variables, in the order of the source.
pub(crate) type Values = Vec<i64>;

/// The values that executions have ended with, of those in which all actors came to their ends.
#[derive(Clone, Default)]
pub(crate) struct Finals(Arc<std::sync::Mutex<BTreeSet<Values>>>);

impl Finals {
    pub(crate) fn values(&self) -> BTreeSet<Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The program as a closure, what its executions end with, and how many variables it has; why not if there is none.
pub(crate) fn as_closure(unit: &Unit) -> Result<(Closure, Finals, usize), &'static str> {
    let program = Arc::new(Program::new(unit)?);
    let finals = Finals::default();
    let (seen, count) = (finals.clone(), program.initial.len());
    Ok((Closure::new(move || Shared::run(&program, &seen)), finals, count))
}

type Refused<T = ()> = Result<T, &'static str>;

/// Where things of a name are, and how many.
type Range = (usize, Option<usize>);

/// What never changes.
#[derive(Default)]
struct Program {
    constants: HashMap<String, i64>,
    variables: HashMap<String, Range>,
    initial: Vec<i64>,
    objects: HashMap<String, (ObjectKind, Range)>,
    counts: HashMap<&'static str, usize>,
    handlers: Vec<(String, bool)>,
    threads: Vec<(Option<(String, i64)>, Block)>,
    functions: HashMap<String, Function>,
}

/// How objects of a kind are counted.
fn table(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::Mutex => "mutex",
        ObjectKind::Cond => "cond",
        ObjectKind::RwLock => "rwlock",
        ObjectKind::FifoHandler | ObjectKind::AnyHandler => "handler",
    }
}

impl Program {
    fn new(unit: &Unit) -> Refused<Self> {
        let mut program = Program::default();
        unit.items.iter().try_for_each(|item| program.add(item))?;
        Ok(program)
    }

    fn add(&mut self, item: &Item) -> Refused {
        match item {
            Item::Include { .. } => return Err("an include"),
            Item::Event { .. } => return Err("events"),
            Item::Never { .. } => return Err("an invariant"),
            Item::Promise { .. } => return Err("what has to happen in the end"),
            Item::Channel { .. } => return Err("channels"),
            Item::Semaphore { .. } => return Err("semaphores"),
            Item::Const { name, value } => {
                let value = self.constant(value)?;
                self.constants.insert(name.text.clone(), value);
            }
            Item::Enum { members, .. } => {
                let mut next = 0;
                for (name, value) in members {
                    next = value.as_ref().map_or(Ok(next), |value| self.constant(value))?;
                    self.constants.insert(name.text.clone(), next);
                    next += 1;
                }
            }
            Item::Shared { name, length, initial, .. } => {
                let length = length.as_ref().map(|length| self.constant(length)).transpose()?;
                let first = self.initial.len();
                match initial {
                    Initial::Same(value) => {
                        let value = self.constant(value)?;
                        self.initial.extend(std::iter::repeat_n(value, length.unwrap_or(1) as usize));
                    }
                    Initial::Each(values, _) => {
                        let values = values.iter().map(|value| self.constant(value)).collect::<Refused<Vec<_>>>()?;
                        self.initial.extend(values);
                    }
                }
                self.variables.insert(name.text.clone(), (first, length.map(|length| length as usize)));
            }
            Item::Object { name, kind, length, .. } => {
                let length = length.as_ref().map(|length| self.constant(length)).transpose()?;
                let count = self.counts.entry(table(*kind)).or_default();
                let range = (*count, length.map(|length| length as usize));
                *count += range.1.unwrap_or(1);
                if table(*kind) == "handler" {
                    let one = (name.text.clone(), *kind == ObjectKind::AnyHandler);
                    self.handlers.extend(std::iter::repeat_n(one, range.1.unwrap_or(1)));
                }
                self.objects.insert(name.text.clone(), (*kind, range));
            }
            Item::Thread { family: None, body, .. } => {
                check(body)?;
                self.threads.push((None, body.clone()));
            }
            Item::Thread { family: Some(family), body, .. } => {
                check(body)?;
                let (from, to) = (self.constant(&family.from)?, self.constant(&family.to)?);
                let one = |value| (Some((family.parameter.text.clone(), value)), body.clone());
                self.threads.extend((from..to).map(one));
            }
            Item::Message(function) | Item::Def(function) => {
                check(&function.body)?;
                self.functions.insert(function.name.text.clone(), function.clone());
            }
        }
        Ok(())
    }

    fn constant(&self, expr: &Expr) -> Refused<i64> {
        match &expr.kind {
            ExprKind::Number(value) => Ok(*value),
            ExprKind::Place(Place { name, index: None }) => {
                self.constants.get(&name.text).copied().ok_or("a constant that is none")
            }
            ExprKind::Unary(op, operand) => Ok(unary(*op, self.constant(operand)?)),
            ExprKind::Binary(op, left, right) => Ok(binary(*op, self.constant(left)?, self.constant(right)?)),
            _ => Err("a constant that is none"),
        }
    }
}

/// Refuses what has no form.
fn check(block: &Block) -> Refused {
    block.statements.iter().try_for_each(|statement| match &statement.kind {
        StatementKind::Atomic(_) => Err("atomic blocks"),
        StatementKind::Enable(_) | StatementKind::Disable(_) => Err("events"),
        StatementKind::Progress => Err("progress"),
        StatementKind::If(_, then, otherwise) => {
            check(then)?;
            otherwise.iter().try_for_each(check)
        }
        StatementKind::While(_, body) | StatementKind::DoWhile(body, _) | StatementKind::For(_, _, _, body) => {
            check(body)
        }
        StatementKind::ForLoop(of) => check(&of.body),
        StatementKind::Switch(_, cases) => cases.iter().try_for_each(|case| check(&case.body)),
        _ => Ok(()),
    })
}

fn unary(op: UnaryOp, value: i64) -> i64 {
    match op {
        UnaryOp::Negate => value.wrapping_neg(),
        UnaryOp::Not => i64::from(value == 0),
    }
}

fn binary(op: BinaryOp, left: i64, right: i64) -> i64 {
    match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide => left / right,
        BinaryOp::Remainder => left % right,
        BinaryOp::And => left & right,
        BinaryOp::Or => left | right,
        BinaryOp::Xor => left ^ right,
        BinaryOp::ShiftLeft => left << right,
        BinaryOp::ShiftRight => left >> right,
        BinaryOp::Equal => i64::from(left == right),
        BinaryOp::NotEqual => i64::from(left != right),
        BinaryOp::Less => i64::from(left < right),
        BinaryOp::LessEqual => i64::from(left <= right),
        BinaryOp::Greater => i64::from(left > right),
        BinaryOp::GreaterEqual => i64::from(left >= right),
    }
}

/// A message that was posted: in which world, which, with what.
type Posted = (Arc<Shared>, String, Values);

/// What the actors of one execution share.
struct Shared {
    program: Arc<Program>,
    variables: Vec<AtomicI64>,
    mutexes: Vec<Mutex<()>>,
    conditions: Vec<Condvar>,
    locks: Vec<RwLock<()>>,
    handlers: Vec<Handler<Posted>>,
    finals: Finals,
}

impl Shared {
    fn run(program: &Arc<Program>, finals: &Finals) {
        let count = |table| 0..program.counts.get(table).copied().unwrap_or(0);
        let handler = |(name, takes_any): &(String, bool)| {
            let run = |(world, message, arguments): Posted| {
                Actor::new(&world).call(&message, arguments);
            };
            if *takes_any { Handler::any(name, run) } else { Handler::fifo(name, run) }
        };
        let world = Arc::new(Shared {
            program: Arc::clone(program),
            variables: program.initial.iter().map(|&value| AtomicI64::new(value)).collect(),
            mutexes: count("mutex").map(|_| Mutex::new(())).collect(),
            conditions: count("cond").map(|_| Condvar::new()).collect(),
            locks: count("rwlock").map(|_| RwLock::new(())).collect(),
            handlers: program.handlers.iter().map(handler).collect(),
            finals: finals.clone(),
        });
        for number in 0..program.threads.len() {
            let world = Arc::clone(&world);
            thread::spawn(move || {
                let (parameter, body) = &world.program.threads[number];
                let mut actor = Actor::new(&world);
                actor.locals.extend(parameter.iter().map(|(name, value)| (name.clone(), Slot::Number(*value))));
                // A thread's body returns nothing.
                let _ = actor.block(body);
            });
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // In an execution that is given up, fibers are unwound.
        if !std::thread::panicking() {
            let values = self.variables.iter_mut().map(|variable| *variable.get_mut()).collect();
            self.finals.0.lock().unwrap_or_else(PoisonError::into_inner).insert(values);
        }
    }
}

/// Where a block leaves to.
enum Leave {
    Break,
    Continue,
    Return(i64),
}

type Flow = Result<(), Leave>;

enum Slot {
    Number(i64),
    Array(Vec<i64>),
    Thread(Option<thread::JoinHandle<()>>),
}

/// An actor with its locals and what it holds.
struct Actor<'w> {
    world: &'w Arc<Shared>,
    locals: Vec<(String, Slot)>,
    mutexes: Vec<(usize, MutexGuard<'w, ()>)>,
    reads: Vec<(usize, RwLockReadGuard<'w, ()>)>,
    writes: Vec<(usize, RwLockWriteGuard<'w, ()>)>,
}

impl Drop for Actor<'_> {
    fn drop(&mut self) {
        // As in `.mz`, what was not given back stays taken.
        std::mem::take(&mut self.mutexes).into_iter().for_each(std::mem::forget);
        std::mem::take(&mut self.reads).into_iter().for_each(std::mem::forget);
        std::mem::take(&mut self.writes).into_iter().for_each(std::mem::forget);
    }
}

/// Takes what is held of a thing.
fn take<G>(held: &mut Vec<(usize, G)>, number: usize) -> Option<G> {
    let place = held.iter().rposition(|(other, _)| *other == number)?;
    Some(held.remove(place).1)
}

impl<'w> Actor<'w> {
    fn new(world: &'w Arc<Shared>) -> Self {
        Actor { world, locals: Vec::new(), mutexes: Vec::new(), reads: Vec::new(), writes: Vec::new() }
    }

    /// Runs a function or a message, with its own locals.
    fn call(&mut self, name: &str, arguments: Values) -> i64 {
        let function = &self.world.program.functions[name];
        let names = function.parameters.iter().map(|name| name.text.clone());
        let locals = names.zip(arguments.into_iter().map(Slot::Number)).collect();
        let outer = std::mem::replace(&mut self.locals, locals);
        let flow = self.block(&function.body);
        self.locals = outer;
        if let Err(Leave::Return(value)) = flow { value } else { 0 }
    }

    fn block(&mut self, block: &Block) -> Flow {
        let locals = self.locals.len();
        let flow = block.statements.iter().try_for_each(|statement| self.statement(statement));
        self.locals.truncate(locals);
        flow
    }

    /// One round of a loop: whether it goes on.
    fn round(&mut self, body: &Block) -> Result<bool, Leave> {
        match self.block(body) {
            Ok(()) | Err(Leave::Continue) => Ok(true),
            Err(Leave::Break) => Ok(false),
            Err(other) => Err(other),
        }
    }

    fn statement(&mut self, statement: &Statement) -> Flow {
        let world: &'w Shared = self.world;
        match &statement.kind {
            StatementKind::Let(name, value) => {
                let value = self.value(value);
                self.locals.push((name.text.clone(), Slot::Number(value)));
            }
            StatementKind::Declare(of) => {
                let length = of.length.as_ref().map(|length| self.value(length));
                let local = match (&of.initial, length) {
                    (Initial::Each(values, _), _) => {
                        Slot::Array(values.iter().map(|value| self.value(value)).collect())
                    }
                    (Initial::Same(value), Some(length)) => Slot::Array(vec![self.value(value); length as usize]),
                    (Initial::Same(value), None) => Slot::Number(self.value(value)),
                };
                self.locals.push((of.name.text.clone(), local));
            }
            StatementKind::Spawn(name, call) => {
                let thread = self.spawn(call);
                self.locals.extend(name.as_ref().map(|name| (name.text.clone(), Slot::Thread(Some(thread)))));
            }
            StatementKind::Respawn(name, call) => {
                let thread = self.spawn(call);
                *self.local(&name.text) = Slot::Thread(Some(thread));
            }
            StatementKind::Join(name) => {
                if let Slot::Thread(thread) = self.local(&name.text)
                    && let Some(thread) = thread.take()
                {
                    // What it panicked with was seen.
                    let _ = thread.join();
                }
            }
            StatementKind::Assign(place, value) => {
                let index = self.index(place);
                let value = self.value(value);
                self.store(place, index, value);
            }
            StatementKind::Update(place, op, value) => {
                let index = self.index(place);
                let old = self.load(place, index);
                let value = binary(*op, old, self.value(value));
                self.store(place, index, value);
            }
            StatementKind::Evaluate(value) => {
                self.value(value);
            }
            StatementKind::If(condition, then, otherwise) => {
                if self.value(condition) != 0 {
                    self.block(then)?;
                } else if let Some(otherwise) = otherwise {
                    self.block(otherwise)?;
                }
            }
            StatementKind::Switch(value, cases) => {
                let value = self.value(value);
                let is_label = |label: &Option<Expr>| match label {
                    Some(label) => world.program.constant(label) == Ok(value),
                    None => false,
                };
                let has = |test: &dyn Fn(&Option<Expr>) -> bool| {
                    cases.iter().position(|case| case.labels.iter().any(|label| test(&label.value)))
                };
                let first = has(&is_label).or_else(|| has(&|label| label.is_none()));
                for case in &cases[first.unwrap_or(cases.len())..] {
                    match self.block(&case.body) {
                        Err(Leave::Break) => break,
                        flow => flow?,
                    }
                }
            }
            StatementKind::While(condition, body) => while self.value(condition) != 0 && self.round(body)? {},
            StatementKind::DoWhile(body, condition) => while self.round(body)? && self.value(condition) != 0 {},
            StatementKind::For(name, from, to, body) => {
                let (from, to) = (self.value(from), self.value(to));
                for value in from..to {
                    self.locals.push((name.text.clone(), Slot::Number(value)));
                    let goes_on = self.round(body);
                    self.locals.pop();
                    if !goes_on? {
                        break;
                    }
                }
            }
            StatementKind::ForLoop(of) => {
                let locals = self.locals.len();
                of.start.iter().try_for_each(|start| self.statement(start))?;
                while of.condition.as_ref().is_none_or(|condition| self.value(condition) != 0)
                    && self.round(&of.body)?
                {
                    of.next.iter().try_for_each(|next| self.statement(next))?;
                }
                self.locals.truncate(locals);
            }
            StatementKind::Break => return Err(Leave::Break),
            StatementKind::Continue => return Err(Leave::Continue),
            StatementKind::Return(value) => {
                let value = value.as_ref().map_or(0, |value| self.value(value));
                return Err(Leave::Return(value));
            }
            StatementKind::Assert(condition, _) => {
                let holds = self.value(condition) != 0;
                assert!(holds, "assertion at {}", statement.span.start);
            }
            StatementKind::Assume(condition) => {
                let holds = self.value(condition) != 0;
                assume(holds);
            }
            StatementKind::Lock(mutex) => {
                let mutex = self.object(mutex);
                let guard = world.mutexes[mutex].lock().unwrap_or_else(PoisonError::into_inner);
                self.mutexes.push((mutex, guard));
            }
            StatementKind::Unlock(mutex) => {
                let mutex = self.object(mutex);
                drop(take(&mut self.mutexes, mutex));
            }
            StatementKind::Wait(condition, mutex) => {
                let (condition, mutex) = (self.object(condition), self.object(mutex));
                if let Some(guard) = take(&mut self.mutexes, mutex) {
                    let guard = world.conditions[condition].wait(guard).unwrap_or_else(PoisonError::into_inner);
                    self.mutexes.push((mutex, guard));
                }
            }
            StatementKind::Signal(condition) => {
                let condition = self.object(condition);
                world.conditions[condition].notify_one();
            }
            StatementKind::Broadcast(condition) => {
                let condition = self.object(condition);
                world.conditions[condition].notify_all();
            }
            StatementKind::Post(handler, call) => {
                let handler = self.object(handler);
                let arguments = self.arguments(call);
                world.handlers[handler].post((Arc::clone(self.world), call.name.text.clone(), arguments));
            }
            StatementKind::Enable(_)
            | StatementKind::Disable(_)
            | StatementKind::Atomic(_)
            | StatementKind::Progress => {
                unreachable!("it was refused")
            }
        }
        Ok(())
    }

    fn spawn(&mut self, call: &Call) -> thread::JoinHandle<()> {
        let arguments = self.arguments(call);
        let (world, name) = (Arc::clone(self.world), call.name.text.clone());
        thread::spawn(move || {
            Actor::new(&world).call(&name, arguments);
        })
    }

    fn arguments(&mut self, call: &Call) -> Values {
        call.arguments.iter().map(|argument| self.value(argument)).collect()
    }

    fn local(&mut self, name: &str) -> &mut Slot {
        let place = self.locals.iter().rposition(|(local, _)| local == name);
        &mut self.locals[place.expect("it compiled")].1
    }

    fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|(local, _)| local == name)
    }

    fn index(&mut self, place: &Place) -> usize {
        place.index.as_ref().map_or(0, |index| self.value(index)) as usize
    }

    fn object(&mut self, place: &Place) -> usize {
        let first = self.world.program.objects[&place.name.text].1.0;
        first + self.index(place)
    }

    fn variable(&self, place: &Place, index: usize) -> &'w AtomicI64 {
        let (first, length) = self.world.program.variables[&place.name.text];
        assert!(index < length.unwrap_or(1), "index out of range");
        &self.world.variables[first + index]
    }

    fn load(&mut self, place: &Place, index: usize) -> i64 {
        if self.is_local(&place.name.text) {
            return match self.local(&place.name.text) {
                Slot::Number(value) => *value,
                Slot::Array(values) => values[index],
                Slot::Thread(_) => 0,
            };
        }
        match self.world.program.constants.get(&place.name.text) {
            Some(&value) => value,
            None => self.variable(place, index).load(SeqCst),
        }
    }

    fn store(&mut self, place: &Place, index: usize, value: i64) {
        if !self.is_local(&place.name.text) {
            return self.variable(place, index).store(value, SeqCst);
        }
        match self.local(&place.name.text) {
            Slot::Number(number) => *number = value,
            Slot::Array(values) => values[index] = value,
            Slot::Thread(_) => {}
        }
    }

    fn value(&mut self, expr: &Expr) -> i64 {
        match &expr.kind {
            ExprKind::Number(value) => *value,
            ExprKind::Place(place) => {
                let index = self.index(place);
                self.load(place, index)
            }
            ExprKind::Unary(op, operand) => unary(*op, self.value(operand)),
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left), self.value(right));
                binary(*op, left, right)
            }
            ExprKind::Logical(and, left, right) => {
                let left = self.value(left) != 0;
                i64::from(if left == *and { self.value(right) != 0 } else { left })
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let side = if self.value(condition) != 0 { then } else { otherwise };
                self.value(side)
            }
            ExprKind::Call(call) => {
                let arguments = self.arguments(call);
                self.call(&call.name.text, arguments)
            }
            ExprKind::Cas(place, old, new) => {
                let index = self.index(place);
                let (old, new) = (self.value(old), self.value(new));
                self.variable(place, index).compare_exchange(old, new, SeqCst, SeqCst).is_ok().into()
            }
            ExprKind::Swap(place, value) => {
                let (index, value) = (self.index(place), self.value(value));
                self.variable(place, index).swap(value, SeqCst)
            }
            ExprKind::FetchAdd(place, value) => {
                let (index, value) = (self.index(place), self.value(value));
                self.variable(place, index).fetch_add(value, SeqCst)
            }
            ExprKind::Choose(from, to) => {
                let (from, to) = (self.value(from), self.value(to));
                from + choose((to - from) as usize) as i64
            }
            ExprKind::Sync(op, object, _) => self.sync(*op, object),
            ExprKind::WaitTimeout(..) => unreachable!("it was refused"),
        }
    }

    fn sync(&mut self, op: SyncOp, object: &Place) -> i64 {
        let number = self.object(object);
        let world: &'w Shared = self.world;
        match op {
            SyncOp::TryLock => {
                let guard = world.mutexes[number].try_lock().ok();
                let is_taken = guard.is_some();
                self.mutexes.extend(guard.map(|guard| (number, guard)));
                return is_taken.into();
            }
            SyncOp::TryReadLock => {
                let guard = world.locks[number].try_read().ok();
                let is_taken = guard.is_some();
                self.reads.extend(guard.map(|guard| (number, guard)));
                return is_taken.into();
            }
            SyncOp::TryWriteLock => {
                let guard = world.locks[number].try_write().ok();
                let is_taken = guard.is_some();
                self.writes.extend(guard.map(|guard| (number, guard)));
                return is_taken.into();
            }
            SyncOp::ReadLock => {
                let guard = world.locks[number].read().unwrap_or_else(PoisonError::into_inner);
                self.reads.push((number, guard));
            }
            SyncOp::WriteLock => {
                let guard = world.locks[number].write().unwrap_or_else(PoisonError::into_inner);
                self.writes.push((number, guard));
            }
            SyncOp::ReadUnlock => drop(take(&mut self.reads, number)),
            SyncOp::WriteUnlock => drop(take(&mut self.writes, number)),
            _ => unreachable!("semaphores and channels were refused"),
        }
        0
    }
}

/// Programs as closures held against the same programs in `.mz`.
mod compare {
    use super::{Values, as_closure};
    use crate::as_c::leave_out_what_c_lacks;
    use crate::{EndClass, Generated, generate, reference};
    use mazurka_core::{
        ActorId, Budget, Counter, Ending, Exploration, Move, Silent, Step, StopReason, System, Verdict, ViolationKind,
    };
    use mazurka_engines::{Engine, Options, explore, refuses};
    use mazurka_lang::{Identity, Model, compile, print};
    use mazurka_rust::Closure;
    use rustc_hash::FxHashSet;
    use std::collections::{BTreeMap, BTreeSet};
    use std::fmt;
    use std::ops::Range;
    use std::sync::Arc;
    use std::time::Duration;

    /// The most states of a program that is compared.
    const MOST_STATES: usize = 600;
    /// The most steps of one search.
    const MOST_SIZE: u64 = 20_000;
    const MOST_TIME: Duration = Duration::from_secs(5);
    /// The engines that run each trace once.
    const COUNTING: [Engine; 2] = [Engine::Optimal, Engine::Event];
    /// Engines beside them.
    const FINDING: [Engine; 5] = [Engine::Dpor, Engine::Sdpor, Engine::Stateful, Engine::Unfolding, Engine::Exhaustive];

    /// What was compared.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct RustTally {
        /// Programs that were made.
        pub programs: u64,
        /// Those that were compared.
        pub compared: u64,
        /// Those of them in which something can go wrong.
        pub violated: u64,
        /// Numbers of traces that were compared, and how many traces these were.
        pub counts: u64,
        /// Traces of all of them.
        pub traces: u64,
        /// Programs of which the values at the end were compared.
        pub ends: u64,
        /// Why the others were not compared.
        pub left_out: BTreeMap<&'static str, u64>,
    }

    impl fmt::Display for RustTally {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            writeln!(
                f,
                "{} programs, {} of them compared as closures: {} violated; {} counts of {} traces; {} sets of ends",
                self.programs, self.compared, self.violated, self.counts, self.traces, self.ends
            )?;
            self.left_out.iter().try_for_each(|(reason, count)| writeln!(f, "  {count} left out: {reason}"))
        }
    }

    /// Compares the programs of these numbers; the differences, each with the program.
    pub fn compare_as_closures(seeds: Range<u64>, tally: &mut RustTally) -> Vec<String> {
        let mut differences = Vec::new();
        for seed in seeds {
            tally.programs += 1;
            let Generated { mut unit, .. } = generate(seed);
            leave_out_what_c_lacks(&mut unit);
            let source = print(&unit);
            match compare(&unit, &source, tally) {
                Ok(()) => {}
                Err(Unequal::LeftOut(reason)) => *tally.left_out.entry(reason).or_default() += 1,
                Err(Unequal::Differs(words)) => {
                    differences.push(format!("program {seed} is not the same as a closure: {words}\n\n{source}"));
                }
            }
        }
        differences
    }

    enum Unequal {
        LeftOut(&'static str),
        Differs(String),
    }

    fn options() -> Options {
        let budget = Budget { time: Some(MOST_TIME), size: Some(MOST_SIZE), depth: Some(5_000), ..Budget::default() };
        Options { budget, all: true, threads: 1, ..Options::default() }
    }

    fn whole(exploration: Exploration) -> Option<Exploration> {
        let is_whole =
            exploration.stop == StopReason::Complete && !matches!(exploration.verdict, Verdict::Bounded { .. });
        is_whole.then_some(exploration)
    }

    /// The kinds of things that can go wrong; a panic of the closure is an assertion.
    fn kinds(exploration: &Exploration) -> BTreeSet<&'static str> {
        let kind = |kind| if kind == ViolationKind::Crash { ViolationKind::Assertion } else { kind };
        exploration.violations.iter().map(|found| kind(found.violation.kind).name()).collect()
    }

    fn compare(unit: &mazurka_lang::ast::Unit, source: &str, tally: &mut RustTally) -> Result<(), Unequal> {
        for word in ["wait_timeout", "assume("] {
            if source.contains(word) {
                return Err(Unequal::LeftOut(if word == "assume(" { "an assumption" } else { "waits with a limit" }));
            }
        }
        let (closure, finals, variables) = as_closure(unit).map_err(Unequal::LeftOut)?;
        let closure = closure.spin_detection(false);
        let program = compile("random.mz", source, &[]).map_err(|_| Unequal::Differs("it does not compile".into()))?;
        let program = Arc::new(program);
        let [presence, history] =
            [Identity::Presence, Identity::History].map(|identity| Model::new(Arc::clone(&program), identity));
        let Some(reference) = reference::explore(&presence, MOST_STATES, false) else {
            return Err(Unequal::LeftOut("too many states"));
        };
        if !reference.terminates {
            return Err(Unequal::LeftOut("it may run for ever"));
        }
        let oracle = whole(explore(Engine::Exhaustive, &presence, &options(), &mut Silent));
        let Some(oracle) = oracle else { return Err(Unequal::LeftOut("too many states")) };
        if oracle.violations.iter().any(|found| found.violation.kind == ViolationKind::Crash) {
            return Err(Unequal::LeftOut("a crash that closures have not"));
        }
        let expected = kinds(&oracle);
        let stops = expected.contains(ViolationKind::Assertion.name());
        let is_blocked = reference.observations.ends.iter().any(|(class, _)| *class == EndClass::Blocked);
        // In `.mz`, a signal for which no thread waits conflicts with others, a handle that is forgotten with the end of its
        // thread, and one reader with another. In closures they do not. A thread that panics ends, and one in `.mz` stands
        // for ever.
        let is_coarser = ["signal(", "broadcast(", "spawn ", "read_lock("].iter().any(|word| source.contains(word));
        // And a handler of any order counts as a lock if one of its messages might wait, though none may be posted that does.
        let has_coarse_handlers = source.contains(" any;") && source.contains("lock(");
        let mut ends = None;
        for engine in COUNTING.into_iter().chain(FINDING) {
            let run = |closure: &Closure| {
                finals.clear();
                let is_refused = refuses(engine, &closure.traits()).is_some();
                (!is_refused).then(|| explore(engine, closure, &options(), &mut Silent))
            };
            let Some(found) = closure.settled(run) else { continue };
            if let Verdict::Unsupported(reason) = &found.verdict {
                return Err(Unequal::Differs(format!("{engine}: {reason}")));
            }
            let Some(found) = whole(found) else { continue };
            let mut kinds = kinds(&found);
            let deadlock = ViolationKind::Deadlock.name();
            if stops {
                // Who waits for one that an assertion stopped is in a deadlock in one of the two.
                kinds.insert(deadlock);
            }
            let wanted: BTreeSet<_> = expected.iter().copied().chain(stops.then_some(deadlock)).collect();
            if kinds != wanted {
                return Err(Unequal::Differs(format!("{engine} finds {kinds:?} in the closure, {wanted:?} in .mz")));
            }
            if stops || is_blocked {
                continue;
            }
            if COUNTING.contains(&engine) {
                let Some(ours) = whole(explore(engine, &history, &options(), &mut Silent)) else { continue };
                let get = |exploration: &Exploration| exploration.statistics.get(Counter::Executions).unwrap_or(0);
                let (ours, theirs) = (get(&ours), get(&found));
                let is_coarser = is_coarser || engine == Engine::Event && has_coarse_handlers;
                if ours != theirs && !(theirs < ours && is_coarser) {
                    let words = format!("{engine} runs {theirs} executions of the closure, {ours} of .mz");
                    return Err(Unequal::Differs(words));
                }
                tally.counts += 1;
                tally.traces += theirs;
            }
            // Where reports show names of an enum, nothing is compared.
            let ends = ends.get_or_insert_with(|| finals_of(&presence, variables));
            if let Some(ends) = ends
                && finals.values() != *ends
            {
                let words = format!("{engine}: the closure ends with {:?}, .mz with {ends:?}", finals.values());
                return Err(Unequal::Differs(words));
            }
        }
        tally.compared += 1;
        tally.violated += u64::from(!expected.is_empty());
        tally.ends += u64::from(ends.flatten().is_some());
        Ok(())
    }

    /// The values of all variables with which the actors of a `.mz` program come to their ends, by a walk over all states.
    fn finals_of(model: &Model, variables: usize) -> Option<BTreeSet<Values>> {
        let mut finals = BTreeSet::new();
        let mut work = model.initial_states();
        let mut seen: FxHashSet<_> = work.iter().cloned().collect();
        let (mut enabled, mut step): (Vec<ActorId>, _) = (Vec::new(), Step::default());
        while let Some(state) = work.pop() {
            enabled.clear();
            model.enabled(&state, &mut enabled);
            if enabled.is_empty() && model.ending(&state) == Ending::Finished {
                let mut values = Vec::new();
                model.narrator().observe(&state, &mut values);
                let values = values[..variables].iter().map(|value| value.value.parse().ok());
                finals.insert(values.collect::<Option<Values>>()?);
            }
            for &actor in &enabled {
                let mut next = Some(Move::from(actor));
                while let Some(wanted) = next {
                    let mut after = state.clone();
                    step.take(model, &mut after, wanted);
                    next = step.next_outcome().map(|outcome| Move { actor, outcome });
                    if seen.insert(after.clone()) {
                        work.push(after);
                    }
                }
            }
        }
        Some(finals)
    }
}

pub use compare::{RustTally, compare_as_closures};

impl Finals {
    fn clear(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
