//! A closure as a [`System`].
//!
//! A state is the *place* after a schedule. It knows who can move there, who is blocked on what, and the place before it. A
//! step is run by the execution that stands at its place; where none does, the schedule is run again from the start. So places are
//! plain data, cheap to keep, and to go back costs nothing until a step is taken from there. Two places are equal if their
//! fingerprints are: what the threads have seen, and what objects hold.
//!
//! The thread that moved, and the operation before which it stood, are compared whenever a schedule is run again, and
//! so is the fingerprint at the end of it. A difference means that the program is not deterministic: the search ends,
//! with the verdict `unsupported`.

mod rounds;

pub use rounds::Rounds;

use crate::exec::{Exec, Shape, Shared, Status};
use crate::memory::location;
use crate::names::{Kind, Names, Site};
use crate::operation::{Needs, Verb};
use crate::source;
use crate::unwind::Unwinding;
use crate::watch::Watch;
use mazurka_core::{
    Access, ActorId, ActorKind, Awaited, BlockedVisitor, Description, Ending, Fingerprint, Footprint, Found, Insight,
    Location, Move, Narrator, Object, ObjectId, Outcome, Rule, Schedule, Step, System, Traits, Value, Violation,
    ViolationKind,
};
use std::cell::RefCell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How large the stack of a thread is unless something is said.
const STACK_SIZE: usize = 256 * 1024;

/// How long a step may take unless something is said.
const STEP_TIME: Duration = Duration::from_secs(10);

/// What a place remembers of the step that led to it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Stood {
    verb: Verb,
    object: Option<ObjectId>,
    site: Site,
}

/// The place after a schedule.
struct Place {
    before: Option<State>,
    /// How many steps lead here.
    depth: u32,
    by: Move,
    stood: Option<Stood>,
    enabled: Vec<ActorId>,
    blocked: Vec<Blocked>,
    holders: Vec<(ObjectId, ActorId)>,
    ending: Ending,
    fingerprint: u128,
    /// What was wrong before the first step.
    at_start: Vec<Violation>,
}

struct Blocked {
    actor: ActorId,
    footprint: Footprint,
    awaited: Option<Awaited>,
}

impl Drop for Place {
    fn drop(&mut self) {
        // A long path must not be a deep recursion.
        let mut next = self.before.take();
        while let Some(State(place)) = next {
            next = Arc::try_unwrap(place).ok().and_then(|mut place| place.before.take());
        }
    }
}

/// A state of a closure: the place after a schedule.
#[derive(Clone)]
pub struct State(Arc<Place>);

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.0.fingerprint == other.0.fingerprint
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.fingerprint.hash(state);
    }
}

/// How many executions are kept where they stand, and how many threads they may have together.
const MOST_PARKED: usize = 64;
const MOST_THREADS: usize = 2_048;

/// An execution, and where it stands.
struct Live {
    exec: Box<Exec>,
    at: Option<State>,
    /// The steps that it took beyond the place that it was brought to.
    taken: Vec<Taken>,
    /// When it was last used.
    used: u64,
}

/// A step that was taken once. Taken again from the same place, it gives the same.
struct Taken {
    from: State,
    by: Move,
    record: Step,
    to: State,
}

/// The executions of this OS thread. An engine tries what a sequence of steps leads to, and comes back later to follow it: so some
/// executions are kept parked where they stand, together with what their last steps did. To take such a step again runs nothing.
struct Parked {
    of: u64,
    lives: Vec<Live>,
    watch: Rc<Watch>,
    now: u64,
    scratch: Step,
    path: Vec<State>,
}

impl Parked {
    /// A step that an execution has taken from a place.
    fn taken(&self, from: &State, by: Move) -> Option<&Taken> {
        let depth = from.0.depth;
        self.lives.iter().find_map(|live| {
            let first = live.taken.first()?.from.0.depth;
            let taken = live.taken.get(depth.checked_sub(first)? as usize)?;
            (Arc::ptr_eq(&taken.from.0, &from.0) && taken.by == by).then_some(taken)
        })
    }

    /// The execution that stands at a place.
    fn at(&mut self, state: &State) -> Option<&mut Live> {
        let is_there = |live: &&mut Live| live.at.as_ref().is_some_and(|at| Arc::ptr_eq(&at.0, &state.0));
        self.now += 1;
        let now = self.now;
        let live = self.lives.iter_mut().find(is_there)?;
        live.used = now;
        Some(live)
    }

    /// An execution that can be begun again: one that has come to its end, a new one, or the one that was not used for the longest time.
    fn free(&mut self, shared: &Arc<Shared>) -> &mut Live {
        let has_ended = |live: &Live| live.at.as_ref().is_none_or(|at| at.0.enabled.is_empty());
        let weight: usize = self.lives.iter().map(|live| live.exec.weight()).sum();
        let index = self.lives.iter().position(has_ended).unwrap_or_else(|| {
            let has_room = weight < MOST_THREADS && shared.parks.load(Ordering::Relaxed);
            if self.lives.len() < MOST_PARKED && has_room || self.lives.is_empty() {
                let exec = Exec::new(Arc::clone(shared), Rc::clone(&self.watch));
                self.lives.push(Live { exec, at: None, taken: Vec::new(), used: 0 });
                return self.lives.len() - 1;
            }
            let oldest = self.lives.iter().enumerate().min_by_key(|(_, live)| live.used);
            oldest.map_or(0, |(index, _)| index)
        });
        self.now += 1;
        let live = &mut self.lives[index];
        live.used = self.now;
        live.at = None;
        live.taken.clear();
        live
    }

    fn give_up(&mut self) {
        for live in &mut self.lives {
            live.exec.give_up();
        }
    }
}

thread_local! {
    static PARKED: RefCell<Option<Parked>> = const { RefCell::new(None) };
}

/// A closure to be checked.
pub struct Closure {
    id: u64,
    body: Arc<dyn Fn() + Send + Sync>,
    shared: Arc<Shared>,
}

/// What was done to explore a closure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Executions that were begun.
    pub begun: u64,
    /// Steps that were run again to come to a place.
    pub replayed: u64,
}

impl Closure {
    /// A closure that is run again and again.
    pub fn new(body: impl Fn() + Send + Sync + 'static) -> Self {
        static CLOSURES: AtomicU64 = AtomicU64::new(1);
        Closure {
            id: CLOSURES.fetch_add(1, Ordering::Relaxed),
            body: Arc::new(body),
            shared: Arc::new(Shared {
                names: Names::default(),
                stack_size: STACK_SIZE,
                spin_detection: true,
                step_time: STEP_TIME,
                fine: AtomicBool::new(false),
                parks: AtomicBool::new(true),
                again: AtomicBool::new(false),
                trouble: Mutex::new(None),
                has_trouble: AtomicBool::new(false),
                weak: Mutex::new(Vec::new()),
                edges: Mutex::default(),
                covers: Mutex::new(Vec::new()),
                no_loops: Mutex::new(Vec::new()),
                probed: Mutex::default(),
                seen_dropping: Mutex::new(Vec::new()),
                fifo: AtomicBool::new(false),
                any: AtomicBool::new(false),
                handlers_are_locks: AtomicBool::new(false),
                begun: AtomicU64::new(0),
                replayed: AtomicU64::new(0),
            }),
        }
    }

    fn set(mut self, change: impl FnOnce(&mut Shared)) -> Self {
        // There is no copy before the first execution.
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            change(shared);
        }
        self
    }

    /// How large the stacks of threads are, in bytes.
    #[must_use]
    pub fn stack_size(self, bytes: usize) -> Self {
        self.set(|shared| shared.stack_size = bytes.max(16 * 1024))
    }

    /// How long a thread may take to come to its next operation.
    #[must_use]
    pub fn step_time(self, limit: Duration) -> Self {
        self.set(|shared| shared.step_time = limit)
    }

    /// Whether a thread that would do the same again waits until something changes.
    #[must_use]
    pub fn spin_detection(self, on: bool) -> Self {
        self.set(|shared| shared.spin_detection = on)
    }

    /// Explores the closure with `explore`; again if the program did what can be seen only in finer steps, or has loops
    /// that only seemed to spin. The last answer counts.
    pub fn settled<T>(&self, mut explore: impl FnMut(&Closure) -> T) -> T {
        loop {
            let explored = explore(self);
            if !self.shared.again.swap(false, Ordering::Relaxed) {
                return explored;
            }
            self.leave();
        }
    }

    /// The atomic operations weaker than `SeqCst` that were run, with their orderings, by place.
    pub fn weak_operations(&self) -> Vec<(Location, &'static str)> {
        let weak = self.shared.weak.lock().unwrap_or_else(PoisonError::into_inner);
        let mut weak: Vec<_> = weak.iter().map(|(site, name)| (location(site), *name)).collect();
        weak.sort();
        weak
    }

    /// The places of `cover!` where the condition never held.
    pub fn not_covered(&self) -> Vec<Location> {
        let covers = self.shared.covers.lock().unwrap_or_else(PoisonError::into_inner);
        covers.iter().filter(|(_, is_covered)| !is_covered).map(|(site, _)| location(site)).collect()
    }

    /// What was done to explore it so far.
    pub fn cost(&self) -> Cost {
        Cost {
            begun: self.shared.begun.load(Ordering::Relaxed),
            replayed: self.shared.replayed.load(Ordering::Relaxed),
        }
    }

    /// Runs a schedule once, with the panic hook and the output that the user's code has. The violations are those of the last step.
    pub fn run_once(&self, schedule: &Schedule) -> Vec<Violation> {
        self.parked(|parked| {
            let mut step = Step::default();
            let exec = &mut parked.free(&self.shared).exec;
            // It may be run under a debugger, where time does not count.
            exec.unwatched();
            exec.loud = true;
            step.begin(Outcome::FIRST);
            exec.restart(&self.body, &mut step);
            for next in &schedule.moves {
                let slot = exec.actors.iter().position(|actor| actor.id == next.actor);
                let Some(slot) = slot.filter(|&slot| exec.can_move(slot)) else { break };
                step.begin(next.outcome);
                exec.step(slot, &mut step);
            }
            exec.loud = false;
            let mut violations = step.violations().to_vec();
            if let Ending::Deadlock(deadlock) = self.ending_of(exec) {
                violations.push(*deadlock);
            }
            exec.give_up();
            violations
        })
    }

    fn parked<R>(&self, act: impl FnOnce(&mut Parked) -> R) -> R {
        PARKED.with_borrow_mut(|parked| {
            if parked.as_ref().is_none_or(|parked| parked.of != self.id) {
                if let Some(old) = parked.as_mut() {
                    old.give_up();
                }
                *parked = Some(Parked {
                    of: self.id,
                    lives: Vec::new(),
                    watch: Rc::new(Watch::new(&self.shared)),
                    now: 0,
                    scratch: Step::default(),
                    path: Vec::new(),
                });
            }
            act(parked.as_mut().expect("it was just made"))
        })
    }

    /// Gives up the executions of this OS thread, if they are of this closure.
    fn leave(&self) {
        PARKED.with_borrow_mut(|parked| {
            if parked.as_ref().is_some_and(|parked| parked.of == self.id)
                && let Some(mut parked) = parked.take()
            {
                parked.give_up();
            }
        });
    }

    /// An execution that stands at a place; none if the program does not go there again.
    fn go_to<'p>(&self, parked: &'p mut Parked, state: &State) -> Option<&'p mut Live> {
        if parked.at(state).is_some() {
            return parked.at(state);
        }
        if self.shared.trouble().is_some() {
            // What made it pointless to go on might come again.
            return None;
        }
        let (mut path, mut scratch) = (std::mem::take(&mut parked.path), std::mem::take(&mut parked.scratch));
        let live = parked.free(&self.shared);
        let is_there = self.replay(&mut live.exec, state, &mut path, &mut scratch);
        live.at = is_there.then(|| state.clone());
        path.clear();
        (parked.path, parked.scratch) = (path, scratch);
        if is_there { parked.at(state) } else { None }
    }

    /// Runs the closure from its start to a place; false if it does not go there again.
    fn replay(&self, exec: &mut Exec, state: &State, path: &mut Vec<State>, scratch: &mut Step) -> bool {
        path.clear();
        let mut place = state;
        while let Some(before) = &place.0.before {
            path.push(place.clone());
            place = before;
        }
        self.shared.replayed.fetch_add(path.len() as u64, Ordering::Relaxed);
        scratch.begin(Outcome::FIRST);
        exec.restart(&self.body, scratch);
        let mut number = 0;
        while let Some(next) = path.pop() {
            number += 1;
            if let Err(difference) = self.follow(exec, &next, scratch) {
                self.differs(&format!("step {number}: {difference}"), next.0.stood);
                return false;
            }
        }
        if exec.fingerprint() != state.0.fingerprint {
            let what = match state.0.before {
                Some(_) => format!("after the same {number} steps, threads have seen other values"),
                None => "before the first step, threads have seen other values".to_owned(),
            };
            self.differs(&what, state.0.stood);
            return false;
        }
        true
    }

    /// Takes the step that led to a place again.
    fn follow(&self, exec: &mut Exec, next: &State, scratch: &mut Step) -> Result<(), String> {
        let Move { actor, outcome } = next.0.by;
        let name = || self.shared.names.actor_name(actor);
        let told = |stood: Option<Stood>| stood.map_or_else(|| "did nothing".to_owned(), |stood| self.told(&stood));
        let Some(slot) = exec.actors.iter().position(|other| other.id == actor) else {
            return Err(format!("{} {}; now there is no such thread", name(), told(next.0.stood)));
        };
        let now = self.stood(exec, slot);
        if now != next.0.stood {
            return Err(format!("{} {}; now it {}", name(), told(next.0.stood), told(now)));
        }
        if !exec.can_move(slot) {
            return Err(format!("{} {}; now it is blocked there", name(), told(next.0.stood)));
        }
        scratch.begin(outcome);
        exec.step(slot, scratch);
        if scratch.choices().outcome() == outcome {
            Ok(())
        } else {
            Err(format!("{} {}; now it has other choices", name(), told(next.0.stood)))
        }
    }

    /// The program did not do the same thing twice.
    fn differs(&self, difference: &str, stood: Option<Stood>) {
        let message = format!(
            "the closure is not deterministic: run again in the same order, it did something else. {difference}. Usual causes: \
             the order of a HashMap, the time, random numbers, addresses as numbers, threads and locks of std, statics that \
             keep their values"
        );
        let violation = Violation::new(ViolationKind::Unsupported, message);
        self.shared.report(Violation { location: stood.map(|stood| location(stood.site)), ..violation });
    }

    fn stood(&self, exec: &Exec, slot: usize) -> Option<Stood> {
        let operation = exec.actors[slot].operation.as_ref()?;
        let object = exec.objects.get(operation.object as usize).map(|object| object.id);
        Some(Stood { verb: operation.verb, object, site: operation.site })
    }

    fn told(&self, stood: &Stood) -> String {
        let object =
            stood.object.map_or_else(String::new, |object| format!(" {}", self.shared.names.object_name(object)));
        format!("{}{object} ({}:{})", stood.verb.words(), stood.site.file(), stood.site.line())
    }

    /// The place where the execution stands.
    fn look(&self, exec: &Exec, before: Option<State>, by: Move, stood: Option<Stood>) -> State {
        let (mut enabled, mut blocked) = (Vec::with_capacity(exec.actors.len()), Vec::new());
        for (slot, actor) in exec.actors.iter().enumerate() {
            if matches!(actor.status, Status::Ended | Status::Halted) {
                continue;
            }
            if exec.can_move(slot) {
                enabled.push(actor.id);
            } else {
                let mut footprint = Footprint::default();
                let awaited = exec.obstacle(slot, &mut footprint);
                footprint.seal();
                blocked.push(Blocked { actor: actor.id, footprint, awaited });
            }
        }
        // Slots come in another order in equivalent executions.
        enabled.sort_unstable();
        let held = exec.objects.iter().filter_map(|object| Some((object.id, object.holder?)));
        let holders = held.map(|(id, slot)| (id, exec.actors[slot as usize].id)).collect();
        let ending = if enabled.is_empty() && !blocked.is_empty() { self.ending_of(exec) } else { Ending::Finished };
        let fingerprint = exec.fingerprint();
        let depth = before.as_ref().map_or(0, |before| before.0.depth + 1);
        State(Arc::new(Place {
            before,
            depth,
            by,
            stood,
            enabled,
            blocked,
            holders,
            ending,
            fingerprint,
            at_start: Vec::new(),
        }))
    }

    /// A place from which nothing follows: the search is over.
    fn nowhere(&self, before: &State) -> State {
        State(Arc::new(Place {
            before: before.0.before.clone(),
            depth: before.0.depth,
            by: before.0.by,
            stood: before.0.stood,
            enabled: Vec::new(),
            blocked: Vec::new(),
            holders: Vec::new(),
            ending: Ending::Finished,
            fingerprint: !before.0.fingerprint,
            at_start: Vec::new(),
        }))
    }

    /// What it means that no thread can move.
    fn ending_of(&self, exec: &Exec) -> Ending {
        let is_waiting = |slot: &usize| {
            let actor = &exec.actors[*slot];
            !matches!(actor.status, Status::Ended | Status::Halted) && actor.operation.is_some()
        };
        let waiting: Vec<usize> = (0..exec.actors.len()).filter(is_waiting).collect();
        if waiting.is_empty() || waiting.iter().any(|&slot| exec.can_move(slot)) {
            return Ending::Finished;
        }
        // A blocked thread may be blocked on one that met a race.
        if exec.actors.iter().any(|actor| actor.status == Status::Halted) {
            return Ending::Finished;
        }
        let needs = |slot: usize| exec.actors[slot].operation.as_ref().map(|operation| operation.needs);
        if waiting.iter().any(|&slot| needs(slot) == Some(Needs::Never)) {
            return Ending::Blocked;
        }
        let mut spins = false;
        let mut told = Vec::new();
        for &slot in &waiting {
            let (actor, Some(stood)) = (&exec.actors[slot], self.stood(exec, slot)) else { continue };
            spins |= !actor.spins.is_empty();
            let name = self.shared.names.actor_name(actor.id);
            let Stood { site, object, verb } = stood;
            let object = object.map(|object| self.shared.names.object_name(object));
            let what = match (verb, object) {
                (_, Some(object)) if !actor.spins.is_empty() => format!("spins on {object}"),
                (Verb::Join, _) => match needs(slot) {
                    Some(Needs::Ended(other)) => {
                        format!("joins {}", self.shared.names.actor_name(exec.actors[other as usize].id))
                    }
                    _ => "joins".to_owned(),
                },
                (Verb::Reacquire, _) if actor.status == Status::Asleep => "waits to be notified".to_owned(),
                (verb, Some(object)) => format!("{} {object}", verb.words()),
                (verb, None) => verb.words().to_owned(),
            };
            let unwinds = actor.unwinding.as_ref().and_then(Unwinding::place);
            let unwinds =
                unwinds.map_or_else(String::new, |place| format!(", while it unwinds after a panic at {place}"));
            told.push(format!("{name} {what} ({}:{}){unwinds}", site.file(), site.line()));
        }
        let (kind, word) =
            if spins { (ViolationKind::Livelock, "livelock") } else { (ViolationKind::Deadlock, "deadlock") };
        Ending::Deadlock(Box::new(Violation::new(kind, format!("{word}: {}", told.join(", ")))))
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        self.leave();
    }
}

impl System for Closure {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        self.parked(|parked| {
            let mut step = Step::default();
            step.begin(Outcome::FIRST);
            let live = parked.free(&self.shared);
            if self.shared.trouble().is_none() {
                live.exec.restart(&self.body, &mut step);
            }
            let state = self.look(&live.exec, None, Move::from(ActorId(0)), None);
            let mut place =
                Arc::try_unwrap(state.0).unwrap_or_else(|_| unreachable!("there is no other reference to it"));
            place.at_start = step.violations().to_vec();
            place.at_start.extend(self.shared.trouble());
            let state = State(Arc::new(place));
            live.at = Some(state.clone());
            vec![state]
        })
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        into.extend_from_slice(&state.0.enabled);
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        self.parked(|parked| {
            let wanted = Move { actor, outcome: step.choices().wanted() };
            if let Some(taken) = parked.taken(state, wanted) {
                step.repeat(&taken.record);
                *state = taken.to.clone();
                return;
            }
            let live = self.go_to(parked, state).filter(|_| self.shared.trouble().is_none());
            let from = state.clone();
            match live.and_then(|live| live.exec.actors.iter().position(|other| other.id == actor).zip(Some(live))) {
                Some((slot, live)) => {
                    let stood = self.stood(&live.exec, slot);
                    live.exec.step(slot, step);
                    let by = Move { actor, outcome: step.choices().outcome() };
                    *state = self.look(&live.exec, Some(from.clone()), by, stood);
                    live.at = Some(state.clone());
                    if step.has_footprint() && wanted == by {
                        live.taken.push(Taken { from, by, record: step.clone(), to: state.clone() });
                    } else {
                        live.taken.clear();
                    }
                }
                None => *state = self.nowhere(state),
            }
            if let Some(trouble) = self.shared.trouble() {
                step.fail(trouble);
            }
        });
    }

    fn blocked(&self, state: &State, _enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        for blocked in &state.0.blocked {
            visit(blocked.actor, &mut |footprint| {
                footprint.include(&blocked.footprint);
                blocked.awaited
            });
        }
    }

    fn ending(&self, state: &State) -> Ending {
        state.0.ending.clone()
    }

    fn traits(&self) -> Traits {
        Traits {
            threads: true,
            fifo_mailboxes: self.shared.fifo.load(Ordering::Relaxed),
            any_mailboxes: self.shared.any.load(Ordering::Relaxed),
            // A fingerprint never forgets how often a thread moved, so no state comes back. An execution may still go on
            // for ever: the bound for the length of schedules cuts it.
            terminates: true,
            tells_blocked: true,
            ..Traits::default()
        }
    }

    fn actor(&self, actor: ActorId) -> ActorKind {
        self.shared.names.actor_kind(actor)
    }

    fn object(&self, object: ObjectId) -> Object {
        let kind = self.shared.names.object_kind(object);
        let rule = match kind {
            // A mutex has data of its own, which no other footprint shows: the order of locks is all that is known of it.
            Kind::Handler { any: true } if !self.shared.handlers_are_locks.load(Ordering::Relaxed) => Rule::Bag,
            _ => Rule::Free,
        };
        Object { kind: kind.object_kind(), rule }
    }

    fn narrator(&self) -> &dyn Narrator<State> {
        self
    }

    fn insight(&self) -> &dyn Insight<State> {
        self
    }
}

impl Insight<State> for Closure {
    fn violations_at_start(&self, state: &State, into: &mut Vec<Violation>) {
        into.extend_from_slice(&state.0.at_start);
    }

    fn holder(&self, state: &State, object: ObjectId) -> Option<ActorId> {
        if let Kind::Life(actor) = self.shared.names.object_kind(object) {
            return Some(actor);
        }
        state.0.holders.iter().find(|(held, _)| *held == object).map(|(_, holder)| *holder)
    }

    fn fingerprint(&self, state: &State) -> Fingerprint {
        Fingerprint(state.0.fingerprint)
    }

    fn unsupported(&self) -> Option<Violation> {
        self.shared.trouble()
    }

    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        if let Some(life) = self.shared.names.life(actor) {
            footprint.touch(life, Access::READ);
        }
    }
}

impl Narrator<State> for Closure {
    fn actor_name(&self, actor: ActorId) -> String {
        self.shared.names.actor_name(actor)
    }

    fn object_name(&self, object: ObjectId) -> String {
        self.shared.names.object_name(object)
    }

    fn touch_verb(&self, object: ObjectId, access: Access) -> &'static str {
        let (reads, writes) = (access.contains(Access::READ), access.contains(Access::WRITE));
        match self.shared.names.object_kind(object) {
            Kind::Mutex | Kind::RwLock if access.contains(Access::WRITE) => "locked",
            Kind::Mutex | Kind::RwLock if access.contains(Access::RELEASE) => "unlocked",
            Kind::Condvar if access.contains(Access::ADD) => "waited on",
            Kind::Condvar => "notified",
            Kind::Handler { .. } => "ran on",
            Kind::Mailbox => "posted to",
            Kind::Atomic if reads && writes => "updated",
            Kind::Atomic if writes || access.contains(Access::REWRITE) => "stored to",
            Kind::Atomic => "loaded",
            Kind::Life(_) if access.changes() => "started or ended",
            _ if access.changes() => "changed",
            _ => "looked at",
        }
    }

    fn describe(&self, state: &State, actor: ActorId, _outcome: Outcome) -> Description {
        self.parked(|parked| {
            let Some(live) = self.go_to(parked, state) else {
                return Description { text: "not known: the closure is not deterministic".to_owned(), location: None };
            };
            let exec = &live.exec;
            let slot = exec.actors.iter().position(|other| other.id == actor);
            let Some(stood) = slot.and_then(|slot| self.stood(exec, slot)) else {
                return Description { text: "nothing".to_owned(), location: None };
            };
            let operation = slot.and_then(|slot| exec.actors[slot].operation);
            let object = operation.map_or(crate::operation::NO_OBJECT, |operation| operation.object);
            let mut text = match (stood.verb, source::line_at(stood.site)) {
                (
                    Verb::Unlock | Verb::ReadUnlock | Verb::Reacquire | Verb::Disconnect | Verb::Depart | Verb::Count,
                    _,
                )
                | (_, None) => exec.words(stood.verb, object),
                (_, Some(line)) => line,
            };
            if stood.verb.looks()
                && let Some(object) = exec.objects.get(object as usize)
            {
                text = format!("{text} → {}", shown(object.shape, object.bits));
            }
            Description { text, location: Some(location(stood.site)) }
        })
    }

    fn observe(&self, state: &State, into: &mut Vec<Value>) {
        self.parked(|parked| {
            let Some(live) = self.go_to(parked, state) else { return };
            let atomics = live.exec.objects.iter().filter(|object| object.kind == Kind::Atomic);
            let mut values: Vec<_> = atomics.map(|object| (object.id, shown(object.shape, object.bits))).collect();
            values.sort();
            into.extend(values.into_iter().map(|(id, value)| Value { name: self.shared.names.object_name(id), value }));
        });
    }

    fn explain(&self, found: &Found) -> Option<String> {
        match found.violation.kind {
            ViolationKind::Race => {
                let edges = self.shared.edges.lock().unwrap_or_else(PoisonError::into_inner);
                let told = "whichever of the two comes first, no release and acquire, lock or join stands between them";
                let edge = edges.get(&found.violation.message).map_or_else(String::new, |edge| format!(": {edge}"));
                Some(format!("{told}{edge}"))
            }
            ViolationKind::Livelock => {
                Some("a thread that spins waits for a change that no thread is left to make".to_owned())
            }
            _ if found.schedule.moves.is_empty() => {
                Some("it comes before the first operation that another thread could see: in every order".to_owned())
            }
            _ => None,
        }
    }
}

/// The bits of an atomic as the source would write them.
fn shown(shape: Shape, bits: u64) -> String {
    match shape {
        Shape::Bool => (bits != 0).to_string(),
        Shape::Signed => (bits as i64).to_string(),
        Shape::Unsigned => bits.to_string(),
        Shape::Pointer if bits == 0 => "null".to_owned(),
        Shape::Pointer | Shape::Opaque => "a pointer".to_owned(),
    }
}
