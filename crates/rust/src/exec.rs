//! One execution of a closure: its threads are fibers on the OS thread that explores, and stand before their next visible
//! operation.
//!
//! A visible operation suspends its fiber *before* it acts. A step resumes one fiber: it does the operation that it stands
//! before, and runs local code up to the next one. New threads are run to their first operation at the end of the step that made
//! them. So every thread always stands before an operation that is known, and to spawn is no scheduling point.

use crate::memory::{CellRecord, ReadFrom, Stored};
use crate::names::{Born, Kind, Known, Names, Site};
use crate::operation::{NO_OBJECT, Needs, Operation, Verb};
use crate::spin::{Frame, Look, Probe};
use crate::stop::{self, Busy, Stopped, Why};
use crate::unwind::{self, Unwinding};
use crate::watch::{Watch, told};
use corosensei::stack::{DefaultStack, Stack};
use corosensei::{Coroutine, CoroutineResult, Yielder};
use mazurka_core::{
    Access, ActorId, ActorKind, Awaited, Footprint, ObjectId, Panic, Step, VectorClock, Violation, ViolationKind,
    caught,
};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

type Fiber = Coroutine<(), (), (), DefaultStack>;

thread_local! {
    /// The execution that runs on this OS thread right now.
    static RUNNING: Cell<*mut Exec> = const { Cell::new(std::ptr::null_mut()) };
    /// Stacks of fibers that have ended.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// How many threads, tasks and messages one execution may make: a page table has room for their stacks.
const MOST_ACTORS: usize = 5_000;
/// How many objects: they take some hundred megabytes, and a handle has room for their numbers.
const MOST_OBJECTS: usize = 1 << 20;

/// How many steps are taken without being recorded to end an execution that is no longer needed.
const LAST_STEPS: usize = 300;

/// How many operations of a thread that is unwound for that return at once: a destructor may wait in a loop.
const LAST_ANSWERS: usize = 1_000;

/// The panic that unwinds the threads of an execution that is no longer needed.
struct GivenUp;

/// What all executions of a closure share.
pub(crate) struct Shared {
    pub(crate) names: Names,
    pub(crate) stack_size: usize,
    pub(crate) spin_detection: bool,
    /// So long a step may take.
    pub(crate) step_time: Duration,
    /// Whether unlocking and dropping references are steps of their own.
    pub(crate) fine: AtomicBool,
    /// Whether executions are kept parked where they stand.
    pub(crate) parks: AtomicBool,
    /// Whether the search has to be begun again: with finer steps, or with loops that are none.
    pub(crate) again: AtomicBool,
    /// Where the program turned out not to be deterministic, or not to be modelled.
    pub(crate) trouble: Mutex<Option<Violation>>,
    pub(crate) has_trouble: AtomicBool,
    /// Atomic operations weaker than `SeqCst`.
    pub(crate) weak: Mutex<Vec<(Site, &'static str)>>,
    /// Of data races, by what is said of them, where an edge is missing.
    pub(crate) edges: Mutex<HashMap<String, String>>,
    /// The places of `cover!` that were come to, and whether the condition ever held.
    pub(crate) covers: Mutex<Vec<(Site, bool)>>,
    /// Places of looks that are no spin loops, although they seemed so.
    pub(crate) no_loops: Mutex<Vec<Site>>,
    /// How often loops were run on, by their places.
    pub(crate) probed: Mutex<HashMap<usize, u32>>,
    /// Where shared values are made whose destructors come to visible operations.
    pub(crate) seen_dropping: Mutex<Vec<Site>>,
    /// Whether handlers of the two kinds were made.
    pub(crate) fifo: AtomicBool,
    pub(crate) any: AtomicBool,
    /// Whether the order of a handler's messages matters, whatever they touch.
    pub(crate) handlers_are_locks: AtomicBool,
    /// Executions begun, and steps run again.
    pub(crate) begun: AtomicU64,
    pub(crate) replayed: AtomicU64,
}

impl Shared {
    /// Keeps the first thing that makes all further exploration pointless.
    pub(crate) fn report(&self, violation: Violation) {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(violation);
        self.has_trouble.store(true, Ordering::Release);
    }

    /// Why nothing more is to be explored, if so.
    pub(crate) fn trouble(&self) -> Option<Violation> {
        if self.again.load(Ordering::Relaxed) {
            return Some(Violation::new(ViolationKind::Unsupported, "the search has to be begun again"));
        }
        if !self.has_trouble.load(Ordering::Acquire) {
            return None;
        }
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Status {
    /// Stands before an operation.
    Ready,
    /// Stands before the second half of a wait, and was not woken.
    Asleep,
    /// Goes no further: it met a data race, or an assumption that is false.
    Halted,
    Ended,
}

/// A thread, a task or a message.
pub(crate) struct Actor {
    pub(crate) id: ActorId,
    pub(crate) life: ObjectId,
    fiber: Option<Fiber>,
    yielder: *const Yielder<(), ()>,
    /// The bounds of its stack.
    bounds: (usize, usize),
    pub(crate) operation: Option<Operation>,
    pub(crate) status: Status,
    /// Has not done its first operation.
    pub(crate) is_fresh: bool,
    children: usize,
    objects: usize,
    /// What it has seen, in 128 bits. A thread is deterministic, so its local state follows from it.
    pub(crate) history: u128,
    pub(crate) clock: VectorClock,
    /// What its relaxed loads have read, for an acquire fence.
    pub(crate) acquirable: VectorClock,
    /// What it knew at its last release fence.
    pub(crate) releasable: VectorClock,
    /// The last stores of others that it read.
    pub(crate) reads: Vec<ReadFrom>,
    /// What it looked at since it last changed something.
    pub(crate) looks: Vec<Look>,
    /// The objects, with their versions, that have to change before a thread that spins goes on.
    pub(crate) spins: Vec<(u32, u32)>,
    /// Where the stack of its own code begins.
    pub(crate) stack_base: usize,
    /// Its stack and registers where it stands, in 64 bits, if it looks at something.
    pub(crate) image: u64,
    /// A loop that is being run on, to see that it is one.
    pub(crate) probe: Option<Box<Probe>>,
    /// Counts whose last reference it is dropping right now, and where what they count was made.
    pub(crate) dropping: Vec<(u32, Site)>,
    /// The handler that runs it, and its mailbox if that is one with an order; for messages.
    pub(crate) message: Option<Message>,
    pub(crate) token: u32,
    pub(crate) name: Option<Arc<str>>,
    /// Its thread-locals, by the addresses of their keys.
    pub(crate) locals: Vec<(usize, Box<dyn Any>)>,
    /// It stands while it unwinds.
    pub(crate) unwinding: Option<Unwinding>,
}

/// What a message belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Message {
    pub(crate) handler: u32,
    pub(crate) mailbox: Option<u32>,
}

impl Actor {
    /// What it does from now on is not known to those who know what it did so far.
    pub(crate) fn tick(&mut self) {
        let now = self.clock.get(self.id);
        self.clock.set(self.id, now + 1);
    }
}

/// How the bits of an atomic are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Opaque,
    Bool,
    Unsigned,
    Signed,
    Pointer,
}

/// A shared object.
pub(crate) struct Object {
    pub(crate) id: ObjectId,
    pub(crate) kind: Kind,
    /// Who holds it: a slot.
    pub(crate) holder: Option<u32>,
    pub(crate) readers: u32,
    /// Who waits for it, and who stands in a queue.
    pub(crate) queue: Vec<u32>,
    /// How many things are in it, and for how many there is room.
    pub(crate) count: u64,
    pub(crate) room: u64,
    pub(crate) is_closed: bool,
    pub(crate) is_poisoned: bool,
    /// The value of an atomic.
    pub(crate) bits: u64,
    pub(crate) shape: Shape,
    /// The value of an atomic is in the double right now: one thread has exclusive access.
    pub(crate) is_lent: bool,
    /// How often its value changed.
    pub(crate) version: u32,
    /// A name of its value, the same in equivalent executions.
    pub(crate) value: u128,
    /// What a thread learns that acquires it.
    pub(crate) released: VectorClock,
    /// What a thread that acquires it for itself learns from those that shared it.
    pub(crate) shared: VectorClock,
    pub(crate) cell: CellRecord,
    /// The last store into an atomic.
    pub(crate) stored: Option<Stored>,
}

/// An execution that is under way.
pub(crate) struct Exec {
    pub(crate) shared: Arc<Shared>,
    /// Tells this execution from all others.
    pub(crate) epoch: u64,
    pub(crate) actors: Vec<Actor>,
    pub(crate) objects: Vec<Object>,
    /// The slot of the thread that runs.
    pub(crate) current: usize,
    newborn: Vec<usize>,
    /// What is recorded of the present step, if it is asked for.
    record: Step,
    is_recording: bool,
    /// The thread that runs is in a loop that is run on: what it looks at, it has looked at before.
    pub(crate) is_probing: bool,
    /// This execution is no longer needed: its threads unwind, and operations of their destructors return at once.
    pub(crate) given_up: bool,
    /// How many did so of the thread that runs.
    answers: usize,
    pub(crate) has_cells: bool,
    /// A fiber was stopped in the midst of the user's code: none is run again.
    is_broken: bool,
    watch: Option<Rc<Watch>>,
    known: Known,
    outside: HashMap<usize, u32>,
    weak_seen: Vec<usize>,
    /// Values that this execution made for what outlives it, by object. They are leaked.
    pub(crate) values: HashMap<u32, *const ()>,
    /// Panics go to the hook of the user: for a replay.
    pub(crate) loud: bool,
}

/// Mixes what was seen into a history.
#[inline]
pub(crate) fn mix(history: u128, seen: u64) -> u128 {
    let mixed = (history ^ u128::from(seen) ^ 0x9E37_79B9_7F4A_7C15)
        .wrapping_mul(0xDA94_2042_E4DD_58B5_D6E8_FEB8_6659_FD93)
        .wrapping_add(0xA076_1D64_78BD_642F);
    mixed ^ (mixed >> 64)
}

/// Whether a double is used within a closure that is checked.
#[inline]
pub(crate) fn is_running() -> bool {
    !RUNNING.get().is_null()
}

/// The execution that runs on this OS thread. `act` must not suspend.
#[inline]
pub(crate) fn with<R>(act: impl FnOnce(&mut Exec) -> R) -> R {
    let exec = RUNNING.get();
    assert!(!exec.is_null(), "a double is used as if within a model, and there is none");
    // SAFETY: as below.
    if stop::is_low() || unsafe { (*exec).is_broken } {
        cannot_go_on();
    }
    let _busy = Busy::new();
    // SAFETY: the pointer is set by `run` for as long as a fiber runs, from a `&mut Exec` that is not used meanwhile. One
    // fiber runs at a time, and `act` does not suspend, so no other reference is made while this one is in use.
    act(unsafe { &mut *exec })
}

/// Comes to a visible operation, and returns when it is to be done. False if the execution was given up: then nothing is to
/// be recorded, and nothing can be waited for.
#[inline(never)]
pub(crate) fn perform(operation: Operation, frame: Option<&Frame>) -> bool {
    let yielder = match with(|exec| exec.stand_before(operation, frame)) {
        Standing::Here(yielder) => yielder,
        Standing::Now => return with(|exec| exec.go_ahead(false)),
        Standing::Again => return true,
        Standing::Nowhere => return give_way(),
        Standing::Stuck => stand_still(),
    };
    // SAFETY: the yielder lives at the root of this fiber's stack for as long as the fiber runs, and we are on this fiber.
    unsafe { (*yielder).suspend(()) };
    with(|exec| exec.go_ahead(frame.is_some())) || give_way()
}

/// The execution was given up: the thread unwinds, and if it does so already, it goes on without the operation.
#[cold]
#[inline(never)]
fn give_way() -> bool {
    let answers = with(|exec| {
        exec.answers += 1;
        exec.answers
    });
    if answers > LAST_ANSWERS {
        stand_still();
    }
    if !std::thread::panicking() {
        resume_unwind(Box::new(GivenUp));
    }
    false
}

/// Does not come back, unless to be unwound: the thread goes no further.
pub(crate) fn halt() {
    let yielder = with(|exec| {
        exec.actors[exec.current].status = Status::Halted;
        (!exec.given_up && !unwind::is_held()).then(|| exec.actors[exec.current].yielder)
    });
    if let Some(yielder) = yielder {
        // SAFETY: as in `perform`.
        unsafe { (*yielder).suspend(()) };
        give_way();
    }
}

/// A fiber is not to go on, unless it cannot be suspended.
#[cold]
#[inline(never)]
fn cannot_go_on() {
    if unwind::is_held() {
        return;
    }
    if stop::is_low() {
        stop::stop_here();
    }
    stand_still()
}

/// Suspends the fiber that runs for ever.
pub(crate) fn stand_still() -> ! {
    // SAFETY: as in `with`.
    let exec = unsafe { &*RUNNING.get() };
    let yielder = exec.actors[exec.current].yielder;
    loop {
        // SAFETY: as in `perform`. Its execution is leaked, so it is neither resumed nor unwound.
        unsafe { (*yielder).suspend(()) };
    }
}

/// Where a thread is that comes to an operation.
enum Standing {
    /// Before it: to be suspended.
    Here(*const Yielder<(), ()>),
    /// It panics and cannot be suspended: the operation belongs to the step that it is in.
    Now,
    /// In a loop that is run on, to see that it is one.
    Again,
    /// The execution is no longer needed.
    Nowhere,
    /// It would have to wait there: it goes no further.
    Stuck,
}

/// What a thread left to those who join it.
pub(crate) type Outcome<T> = Arc<Mutex<Option<Result<T, Box<dyn Any + Send>>>>>;

impl Exec {
    pub(crate) fn new(shared: Arc<Shared>, watch: Rc<Watch>) -> Box<Self> {
        unwind::install();
        Box::new(Exec {
            shared,
            epoch: 0,
            actors: Vec::new(),
            objects: Vec::new(),
            current: usize::MAX,
            newborn: Vec::new(),
            record: Step::default(),
            is_recording: false,
            is_probing: false,
            given_up: false,
            answers: 0,
            has_cells: false,
            is_broken: false,
            watch: Some(watch),
            known: Known::default(),
            outside: HashMap::new(),
            weak_seen: Vec::new(),
            values: HashMap::new(),
            loud: false,
        })
    }

    /// From now on, a step may take as long as it wants.
    pub(crate) fn unwatched(&mut self) {
        self.watch = None;
    }

    /// How many threads it has: what it takes to keep it.
    pub(crate) fn weight(&self) -> usize {
        self.actors.len()
    }

    /// Gives up the present execution, and begins another one.
    pub(crate) fn restart(&mut self, body: &Arc<dyn Fn() + Send + Sync>, step: &mut Step) {
        static EPOCHS: AtomicU64 = AtomicU64::new(1);
        self.give_up();
        self.epoch = EPOCHS.fetch_add(1, Ordering::Relaxed);
        self.shared.begun.fetch_add(1, Ordering::Relaxed);
        let body = Arc::clone(body);
        self.recording(step, |exec| {
            exec.add_actor(None, ActorKind::Thread, || None, 0, Box::new(move || body()));
            exec.settle();
        });
    }

    /// Takes a step of the thread in a slot.
    pub(crate) fn step(&mut self, slot: usize, step: &mut Step) {
        self.recording(step, |exec| {
            exec.run(slot);
            exec.settle();
        });
    }

    fn recording(&mut self, step: &mut Step, act: impl FnOnce(&mut Exec)) {
        // Not behind a pointer: the record has to lie at one place, since the stacks of fibers are compared.
        std::mem::swap(&mut self.record, step);
        self.is_recording = true;
        act(self);
        self.is_recording = false;
        std::mem::swap(&mut self.record, step);
    }

    /// The present step is progress.
    pub(crate) fn progress(&mut self) {
        self.record.progress();
    }

    /// Runs new threads to their first operation.
    fn settle(&mut self) {
        while let Some(slot) = self.newborn.pop() {
            self.run(slot);
        }
    }

    /// Runs a fiber up to its next operation.
    fn run(&mut self, slot: usize) {
        if self.is_broken {
            return;
        }
        let Some(mut fiber) = self.actors[slot].fiber.take() else { return };
        self.current = slot;
        let loud = self.loud;
        let Actor { id, bounds: (limit, base), operation, .. } = self.actors[slot];
        let site = operation.map(|operation| operation.site);
        if let Some(unwinding) = self.actors[slot].unwinding.take() {
            unwinding.put_back();
        }
        static UNWATCHED: AtomicU8 = AtomicU8::new(0);
        stop::enter(limit, base, self.watch.as_ref().map_or(&UNWATCHED, |watch| watch.begin(id, site)));
        let before = RUNNING.replace(self);
        let mut resume = || fiber.resume(());
        let resumed = if loud { Ok(resume()) } else { caught(resume) };
        RUNNING.set(before);
        if let Some(watch) = &self.watch {
            watch.end();
        }
        let stopped = stop::leave();
        if std::thread::panicking() {
            self.actors[slot].unwinding = unwind::take();
            if self.actors[slot].unwinding.is_none() {
                self.lost_its_hook(slot);
            }
        }
        if let Some(stopped) = stopped {
            self.was_stopped(slot, site, &stopped);
        }
        self.current = usize::MAX;
        match resumed {
            Ok(CoroutineResult::Yield(())) => self.actors[slot].fiber = Some(fiber),
            Ok(CoroutineResult::Return(())) => keep_stack(fiber),
            // The root of a fiber catches what its thread panics with, so this is a fault of ours.
            Err(panic) => self.fail(Violation { actor: Some(self.actors[slot].id), ..panic.violation() }),
        }
    }

    /// Ends an execution that is no longer needed. To let its threads run on is several times cheaper than to unwind
    /// them, so only those are unwound that have not ended after some steps, and only where they wait.
    pub(crate) fn give_up(&mut self) {
        // What made it pointless to go on might come again, such as a step without end.
        let has_trouble = self.shared.has_trouble.load(Ordering::Relaxed);
        if std::thread::panicking() || self.is_broken || has_trouble {
            // Where the thread that explores is unwinding, no fiber can be unwound: what they hold is leaked.
            return self.leak();
        }
        let mut slot = 0;
        for _ in 0..LAST_STEPS {
            let count = self.actors.len();
            let next = (0..count).map(|n| (slot + n) % count).find(|&slot| self.can_move(slot));
            let Some(next) = next else { break };
            slot = next;
            self.run(slot);
            self.settle();
        }
        if self.is_broken {
            return self.leak();
        }
        // A thread that stands elsewhere, in the midst of lock-free code, say, or while it unwinds, cannot be unwound. Nor can the others
        // then: what their destructors find may be half done.
        let may_unwind = |actor: &Actor| {
            let stands_well = actor.operation.is_some_and(|operation| operation.verb.may_unwind());
            actor.fiber.is_none() || stands_well && actor.unwinding.is_none()
        };
        if !self.actors.iter().all(may_unwind) {
            return self.leak();
        }
        self.given_up = true;
        // The last first: a thread may borrow from the stack of one that was there before it.
        for slot in (0..self.actors.len()).rev() {
            self.answers = 0;
            self.run(slot);
            if self.actors[slot].fiber.is_some() {
                // It was stopped half-way.
                return self.leak();
            }
        }
        self.leak();
    }

    /// Leaves the fibers as they are, with all that is on their stacks.
    fn leak(&mut self) {
        self.actors.iter_mut().filter_map(|actor| actor.fiber.take()).for_each(leak);
        self.forget();
    }

    fn forget(&mut self) {
        for actor in &mut self.actors {
            // Their destructors are the user's, and the thread has run those that it could.
            std::mem::forget(std::mem::take(&mut actor.locals));
        }
        self.actors.clear();
        self.objects.clear();
        self.newborn.clear();
        self.outside.clear();
        self.values.clear();
        self.given_up = false;
        self.has_cells = false;
        self.is_probing = false;
        self.is_broken = false;
    }

    /// A fiber was stopped in the midst of the user's code. Nothing of this execution is run again.
    fn was_stopped(&mut self, slot: usize, site: Option<Site>, stopped: &Stopped) {
        self.break_off();
        if self.given_up && matches!(stopped.why, Why::Overflow | Why::Abort) {
            return;
        }
        if stopped.waited && self.shared.parks.swap(false, Ordering::Relaxed) {
            // An execution that is parked may have what it waits for: the search is begun again with one at a time.
            return self.shared.again.store(true, Ordering::Relaxed);
        }
        let id = self.actors[slot].id;
        if stopped.why == Why::Abort {
            let (message, location) = self.actors[slot].unwinding.as_ref().map(Unwinding::aborts).unwrap_or_default();
            let violation = Violation::new(ViolationKind::Crash, message);
            return self.fail(Violation { location, actor: Some(id), ..violation });
        }
        let mut message = told(&self.shared, id, site, stopped.why);
        let mut location = site.map(crate::memory::location);
        if let Some((function, place)) = stopped.function() {
            let place = place.map_or_else(String::new, |place| format!(" ({place})"));
            message += &match stopped.why {
                Why::Overflow => format!(" in {function}"),
                _ => format!("; it is in {function}{place}"),
            };
        }
        let hint = match stopped.why {
            Why::Overflow => "; `stack_size` makes room, if it needs only more",
            Why::Stuck => {
                "; a lock, channel or thread of std blocks all threads of a model, and `step_time` gives a step more time"
            }
            Why::Memory | Why::Abort => "",
        };
        message += hint;
        if stopped.why == Why::Overflow {
            // Where exactly it was is another place in each kind of build.
            location = None;
            self.fail(Violation { location, actor: Some(id), ..Violation::new(ViolationKind::Crash, message) });
        } else {
            self.shared.report(Violation { location, ..Violation::new(ViolationKind::Unsupported, message) });
        }
    }

    /// Whether no thread of this execution goes any further.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// No thread of this execution goes any further.
    fn break_off(&mut self) {
        self.is_broken = true;
        self.newborn.clear();
        for actor in &mut self.actors {
            if actor.status != Status::Ended {
                actor.status = Status::Halted;
            }
        }
    }

    /// A thread panics, cannot be suspended there, and comes to an operation that it would have to wait for. So the search ends.
    #[cold]
    fn waits_while_held(&mut self, slot: usize, operation: &Operation) -> Standing {
        let panicked = mazurka_core::panicked_at().map_or_else(String::new, |place| format!(" at {place}"));
        let site = operation.site;
        let message = format!(
            "{} panics{panicked}, and before that is over, it {} at {}:{}, for which it would have to wait: what follows \
             cannot be looked at",
            self.shared.names.actor_name(self.actors[slot].id),
            self.words(operation.verb, operation.object),
            site.file(),
            site.line()
        );
        let violation = Violation::new(ViolationKind::Unsupported, message);
        self.shared.report(Violation { location: Some(crate::memory::location(site)), ..violation });
        self.break_off();
        Standing::Stuck
    }

    /// A thread stands while it unwinds, and the count of panics cannot be taken from the OS thread.
    #[cold]
    fn lost_its_hook(&mut self, slot: usize) {
        let name = self.shared.names.actor_name(self.actors[slot].id);
        let message = format!("{name} unwinds, and the panic hook was replaced during the check: install it before");
        self.shared.report(Violation::new(ViolationKind::Unsupported, message));
        self.break_off();
    }

    /// Ends the search, and the thread that runs: what it uses was made before the closure ran, and has data that last from one execution
    /// to the next, several of which may be under way.
    #[cold]
    pub(crate) fn outlives(&mut self, what: &str, site: Site) {
        let message = format!(
            "the {what} that is used here was made before the closure ran, so its data last from one execution to the \
             next: make it in the closure, or in a static `LazyLock` of the doubles"
        );
        let location = Some(crate::memory::location(site));
        self.shared.report(Violation { location, ..Violation::new(ViolationKind::Unsupported, message) });
        self.break_off();
    }

    /// Ends the search, and the thread that runs: it makes more than there is room for.
    fn too_many(&mut self, what: &str, most: usize) {
        let name = self.shared.names.actor_name(self.actors[self.current].id);
        let message = format!("{name} makes more than {most} {what} in one execution");
        self.shared.report(Violation::new(ViolationKind::Unsupported, message));
        self.break_off();
    }

    fn add_actor(
        &mut self,
        creator: Option<usize>,
        kind: ActorKind,
        name: impl FnOnce() -> Option<String>,
        stack_size: usize,
        body: Box<dyn FnOnce()>,
    ) -> usize {
        let slot = self.actors.len();
        let names = &self.shared.names;
        let (born, history, clock) = match creator.map(|creator| &mut self.actors[creator]) {
            None => (names.actor(None, 0, kind, name), 1, VectorClock::new()),
            Some(creator) => {
                let number = creator.children;
                creator.children += 1;
                let known = self.known.child(creator.id, number);
                let born = known.unwrap_or_else(|| {
                    let born = names.actor(Some(creator.id), number, kind, name);
                    self.known.add_child(creator.id, born);
                    born
                });
                (born, mix(creator.history, number as u64), creator.clock.clone())
            }
        };
        let Born { actor: id, life } = born;
        let needed = self.shared.stack_size.max(stack_size) + stop::BEYOND;
        let stack = STACKS.with_borrow_mut(Vec::pop).filter(|stack| size_of_stack(stack) >= needed);
        let stack = stack.map_or_else(|| new_stack(needed), Ok);
        let mut bounds = (0, 0);
        let fiber = match stack {
            Ok(stack) => {
                bounds = (stack.limit().get(), stack.base().get());
                Some(Coroutine::with_stack(stack, move |yielder: &Yielder<(), ()>, ()| root(slot, yielder, body)))
            }
            Err(error) => {
                let message = format!("there is no memory for the stack of another thread: {error}");
                self.shared.report(Violation::new(ViolationKind::Unsupported, message));
                None
            }
        };
        let status = if fiber.is_some() { Status::Ready } else { Status::Halted };
        let mut actor = Actor {
            id,
            life,
            fiber,
            yielder: std::ptr::null(),
            bounds,
            operation: None,
            status,
            is_fresh: true,
            children: 0,
            objects: 0,
            history,
            clock,
            acquirable: VectorClock::new(),
            releasable: VectorClock::new(),
            reads: Vec::new(),
            looks: Vec::new(),
            spins: Vec::new(),
            stack_base: 0,
            image: 0,
            probe: None,
            dropping: Vec::new(),
            message: None,
            token: NO_OBJECT,
            name: None,
            locals: Vec::new(),
            unwinding: None,
        };
        actor.tick();
        self.actors.push(actor);
        self.newborn.push(slot);
        slot
    }

    /// Makes an actor, which comes to its first operation before the step ends. Its stack may have to be larger than others.
    pub(crate) fn spawn(
        &mut self,
        kind: ActorKind,
        name: impl FnOnce() -> Option<String>,
        stack_size: usize,
        body: Box<dyn FnOnce()>,
    ) -> usize {
        let creator = self.current;
        if self.actors.len() >= MOST_ACTORS {
            self.too_many("threads, tasks and messages", MOST_ACTORS);
        }
        let slot = self.add_actor(Some(creator), kind, name, stack_size, body);
        let (id, life) = (self.actors[slot].id, self.actors[slot].life);
        self.touch_id(life, Access::WRITE);
        if self.is_recording {
            self.record.made(id);
        }
        self.actors[creator].tick();
        self.actors[creator].looks.clear();
        slot
    }

    /// A thread comes to an operation.
    fn stand_before(&mut self, operation: Operation, frame: Option<&Frame>) -> Standing {
        if self.given_up {
            return Standing::Nowhere;
        }
        let slot = self.current;
        for index in 0..self.actors[slot].dropping.len() {
            // What the destructor of a shared value does is seen, so it matters who drops the last reference.
            let (_, site) = self.actors[slot].dropping[index];
            if !self.is_seen_dropping(site) {
                let mut seen = self.shared.seen_dropping.lock().unwrap_or_else(PoisonError::into_inner);
                seen.push(site);
                self.shared.again.store(true, Ordering::Relaxed);
            }
        }
        let actor = &mut self.actors[slot];
        actor.operation = Some(operation);
        if unwind::is_held() {
            return if self.can_move(slot) { Standing::Now } else { self.waits_while_held(slot, &operation) };
        }
        if self.comes_again(slot, &operation, frame) {
            return Standing::Again;
        }
        Standing::Here(self.actors[slot].yielder)
    }

    /// A thread is to do the operation that it stands before.
    fn go_ahead(&mut self, may_spin: bool) -> bool {
        if self.given_up {
            return false;
        }
        let slot = self.current;
        let actor = &mut self.actors[slot];
        let Some(operation) = actor.operation.take() else { return true };
        // Where it stands follows from what it saw and how far it came.
        actor.history = mix(actor.history, operation.verb as u64 + 1);
        let reads_life = std::mem::take(&mut actor.is_fresh)
            || matches!(operation.needs, Needs::Awake | Needs::AwakeAndFree | Needs::Turn);
        let life = actor.life;
        if reads_life {
            self.touch_id(life, Access::READ);
        }
        let spun = std::mem::take(&mut self.actors[slot].spins);
        let is_message = self.actors[slot].message.is_some();
        let can_wait = match operation.needs {
            Needs::Turn => self.actors[slot].message.is_some_and(|message| message.mailbox.is_some()),
            Needs::Nothing => !spun.is_empty(),
            Needs::Free => self.is_fine() || self.objects[operation.object as usize].kind != Kind::Mutex,
            _ => true,
        };
        if is_message && !matches!(operation.needs, Needs::Nothing | Needs::Turn) {
            self.handlers_are_locks();
        }
        for (object, _) in spun {
            self.touch(object, Access::READ);
            self.actors[slot].looks.clear();
        }
        if self.is_recording && !can_wait {
            self.record.cannot_wait();
        }
        if may_spin && operation.verb.looks() {
            self.note_look(slot, &operation);
        } else {
            self.actors[slot].looks.clear();
        }
        true
    }

    /// Whether unlocking and dropping references are steps of their own.
    pub(crate) fn is_fine(&self) -> bool {
        self.shared.fine.load(Ordering::Relaxed)
    }

    /// The program does what can be seen only if unlocking and dropping references are steps: the search has to be begun again.
    pub(crate) fn want_fine(&mut self) {
        if !self.shared.fine.swap(true, Ordering::Relaxed) {
            self.shared.again.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the destructors of shared values that are made at a place come to visible operations.
    pub(crate) fn is_seen_dropping(&self, site: Site) -> bool {
        self.shared.seen_dropping.lock().unwrap_or_else(PoisonError::into_inner).contains(&site)
    }

    /// Whether the thread in a slot can move.
    #[inline]
    pub(crate) fn can_move(&self, slot: usize) -> bool {
        let actor = &self.actors[slot];
        if matches!(actor.status, Status::Ended | Status::Halted) {
            return false;
        }
        let Some(operation) = &actor.operation else { return false };
        let object = || &self.objects[operation.object as usize];
        match operation.needs {
            Needs::Nothing => {
                actor.spins.is_empty()
                    || actor.spins.iter().any(|&(object, version)| self.objects[object as usize].version != version)
            }
            Needs::Free => object().holder.is_none() && object().readers == 0,
            Needs::NoWriter => object().holder.is_none(),
            Needs::Awake => actor.status != Status::Asleep,
            Needs::AwakeAndFree => actor.status != Status::Asleep && object().holder.is_none() && object().readers == 0,
            Needs::Ended(other) => self.actors[other as usize].status == Status::Ended,
            Needs::Items => object().count > 0 || object().is_closed,
            Needs::Room => object().count < object().room || object().is_closed,
            Needs::Taken(number) => object().bits > number || object().is_closed,
            Needs::Turn => self.is_turn(slot),
            Needs::Never => false,
        }
    }

    /// What the operation touches that a thread stands before, as far as that is known, and what it awaits.
    pub(crate) fn obstacle(&self, slot: usize, footprint: &mut Footprint) -> Option<Awaited> {
        let actor = &self.actors[slot];
        let operation = actor.operation.as_ref()?;
        let id = || self.objects[operation.object as usize].id;
        let is_asleep = actor.status == Status::Asleep;
        if actor.is_fresh || matches!(operation.needs, Needs::Awake | Needs::AwakeAndFree | Needs::Turn) {
            footprint.touch(actor.life, Access::READ);
        }
        if operation.object != NO_OBJECT {
            footprint.touch(id(), operation.access);
        }
        match operation.needs {
            Needs::Nothing => {
                let mut only = Some(id());
                for &(object, _) in &actor.spins {
                    let other = self.objects[object as usize].id;
                    footprint.touch(other, Access::READ);
                    only = only.filter(|only| *only == other);
                }
                only.map(Awaited::Freed)
            }
            Needs::Awake | Needs::AwakeAndFree if is_asleep => Some(Awaited::Made(actor.life)),
            Needs::Awake | Needs::Never => None,
            Needs::Free
            | Needs::NoWriter
            | Needs::AwakeAndFree
            | Needs::Items
            | Needs::Room
            | Needs::Taken(_)
            | Needs::Turn => Some(Awaited::Freed(id())),
            Needs::Ended(other) => {
                let life = self.actors[other as usize].life;
                footprint.touch(life, Access::READ);
                Some(Awaited::Made(life))
            }
        }
    }

    /// Makes an object of the present thread.
    pub(crate) fn new_object(&mut self, kind: Kind, site: Site) -> u32 {
        let actor = &mut self.actors[self.current];
        let (creator, number) = (actor.id, actor.objects);
        actor.objects += 1;
        let names = &self.shared.names;
        let id = self.known.object(creator, number).unwrap_or_else(|| {
            let id = names.object(creator, number, kind, site);
            self.known.add_object(creator, id);
            id
        });
        self.add_object(id, kind)
    }

    /// An object that was made before the closure ran: by its address.
    pub(crate) fn outside_object(&mut self, address: usize, kind: Kind, site: Site) -> (u32, bool) {
        if let Some(&known) = self.outside.get(&address) {
            return (known, false);
        }
        let id = self.shared.names.outside(address, kind, site);
        let object = self.add_object(id, kind);
        self.outside.insert(address, object);
        (object, true)
    }

    /// The token of a thread, which is named after it, whichever thread uses it first.
    pub(crate) fn token_of(&mut self, slot: usize) -> u32 {
        let id = self.shared.names.token(self.actors[slot].id);
        self.add_object(id, Kind::Token)
    }

    fn add_object(&mut self, id: ObjectId, kind: Kind) -> u32 {
        if self.objects.len() >= MOST_OBJECTS {
            self.too_many("locks, atomics and other objects", MOST_OBJECTS);
            return 0;
        }
        if kind == Kind::Cell {
            self.has_cells = true;
            if self.shared.any.load(Ordering::Relaxed) {
                self.handlers_are_locks();
            }
        }
        self.objects.push(Object {
            id,
            kind,
            holder: None,
            readers: 0,
            queue: Vec::new(),
            count: 0,
            room: u64::MAX,
            is_closed: false,
            is_poisoned: false,
            bits: 0,
            shape: Shape::Opaque,
            is_lent: false,
            version: 0,
            value: 0,
            released: VectorClock::new(),
            shared: VectorClock::new(),
            cell: CellRecord::default(),
            stored: None,
        });
        self.objects.len() as u32 - 1
    }

    #[inline]
    pub(crate) fn touch_id(&mut self, object: ObjectId, access: Access) {
        if self.is_recording && !self.is_probing {
            self.record.touch(object, access);
        }
    }

    #[inline]
    pub(crate) fn touch(&mut self, object: u32, access: Access) {
        self.touch_id(self.objects[object as usize].id, access);
    }

    /// The present thread saw something.
    #[inline]
    pub(crate) fn saw(&mut self, seen: u64) {
        let actor = &mut self.actors[self.current];
        actor.history = mix(actor.history, seen);
    }

    /// The present thread saw what an object holds.
    #[inline]
    pub(crate) fn saw_value(&mut self, object: u32) {
        let value = self.objects[object as usize].value;
        let actor = &mut self.actors[self.current];
        actor.history = mix(mix(actor.history, value as u64), (value >> 64) as u64);
    }

    /// The present thread changed what an object holds: what that is follows from what it has seen.
    pub(crate) fn changed(&mut self, object: u32) {
        let actor = &mut self.actors[self.current];
        actor.looks.clear();
        let object = &mut self.objects[object as usize];
        object.version += 1;
        object.value = mix(actor.history, 0x55);
    }

    /// The present thread wakes another one.
    pub(crate) fn wake(&mut self, slot: usize) {
        if self.actors[slot].status == Status::Asleep {
            self.actors[slot].status = Status::Ready;
        }
        let life = self.actors[slot].life;
        self.touch_id(life, Access::WRITE);
    }

    /// The present thread falls asleep: it will stand before the second half of a wait.
    pub(crate) fn fall_asleep(&mut self) {
        self.actors[self.current].status = Status::Asleep;
    }

    pub(crate) fn choose(&mut self, alternatives: u64) -> u64 {
        let chosen = if self.is_recording { self.record.choose(alternatives) } else { 0 };
        self.saw(chosen);
        chosen
    }

    pub(crate) fn fail(&mut self, violation: Violation) {
        if self.is_recording {
            self.record.fail(violation);
        }
    }

    /// Notes an atomic operation that is weaker than `SeqCst`.
    pub(crate) fn note_order(&mut self, order: Ordering, site: Site) {
        if order == Ordering::SeqCst || self.weak_seen.contains(&(std::ptr::from_ref(site) as usize)) {
            return;
        }
        self.weak_seen.push(std::ptr::from_ref(site) as usize);
        let name = match order {
            Ordering::Relaxed => "Relaxed",
            Ordering::Acquire => "Acquire",
            Ordering::Release => "Release",
            _ => "AcqRel",
        };
        let mut weak = self.shared.weak.lock().unwrap_or_else(PoisonError::into_inner);
        if !weak.iter().any(|(known, _)| *known == site) {
            weak.push((site, name));
        }
    }

    /// What each thread has seen, where it stands, and what objects hold. Where there are cells, also what happens before
    /// what: otherwise a search that takes equal states for one would miss data races.
    pub(crate) fn fingerprint(&self) -> u128 {
        let mut sum = 0u128;
        let mut add = |what: u64, history: u128| sum = sum.wrapping_add(mix(mix(history, what), what));
        for actor in &self.actors {
            let standing = actor.status as u64 | u64::from(!actor.spins.is_empty()) << 2;
            add(u64::from(actor.id.0) << 8 | standing, actor.history);
        }
        for object in &self.objects {
            let holder = object.holder.map_or(0, |slot| u64::from(self.actors[slot as usize].id.0) + 1);
            let flags = u64::from(object.is_closed) | u64::from(object.is_poisoned) << 1;
            let held = holder | u64::from(object.readers) << 32 | flags << 48;
            let mut value = mix(object.value, held);
            if object.count > 0 || !object.queue.is_empty() {
                value = mix(value, object.count);
                for &slot in &object.queue {
                    value = mix(value, u64::from(self.actors[slot as usize].id.0));
                }
            }
            add(u64::from(object.id.0) << 1 | 1 << 40, value);
        }
        if self.has_cells { sum.wrapping_add(self.knowledge()) } else { sum }
    }

    /// The part of a fingerprint that tells what happens before what.
    fn knowledge(&self) -> u128 {
        let mut sum = 0u128;
        let told = |mut hash: u128, clock: &VectorClock| {
            for actor in &self.actors {
                let known = clock.get(actor.id);
                if known > 0 {
                    // A sum, since slots come in another order in equivalent executions.
                    hash = hash.wrapping_add(mix(u128::from(actor.id.0), u64::from(known)));
                }
            }
            mix(hash, 3)
        };
        for actor in &self.actors {
            let own = mix(u128::from(actor.id.0), 7);
            let clocks = told(told(told(own, &actor.clock), &actor.acquirable), &actor.releasable);
            sum = sum.wrapping_add(clocks);
        }
        for object in &self.objects {
            let hash = told(mix(u128::from(object.id.0), 11), &object.released);
            let mut hash = told(hash, &object.shared);
            if let Some(write) = &object.cell.write {
                hash = mix(mix(hash, u64::from(write.actor.0)), u64::from(write.at));
            }
            let reads = object.cell.reads.iter();
            let reads = reads.map(|read| mix(u128::from(read.actor.0), u64::from(read.at) << 1));
            sum = sum.wrapping_add(mix(hash, reads.fold(0u128, u128::wrapping_add) as u64));
        }
        sum
    }
}

impl Drop for Exec {
    fn drop(&mut self) {
        // The OS thread may be on its way out, without its thread-locals, so that nothing of the user's can be run any more.
        self.leak();
    }
}

fn new_stack(size: usize) -> std::io::Result<DefaultStack> {
    let stack = DefaultStack::new(size)?;
    stop::close_reserve(stack.limit().get());
    Ok(stack)
}

fn size_of_stack(stack: &DefaultStack) -> usize {
    stack.base().get() - stack.limit().get()
}

/// Leaves a fiber as it is, with all that is on its stack.
fn leak(mut fiber: Fiber) {
    // SAFETY: what is on the stack is leaked, and never returned to. Nothing that lives elsewhere borrows from it but other
    // fibers of its execution, none of which is run any more.
    unsafe { fiber.force_reset() };
}

fn keep_stack(fiber: Fiber) {
    let stack = fiber.into_stack();
    STACKS.with_borrow_mut(|stacks| stacks.push(stack));
}

/// The whole life of a fiber.
fn root(slot: usize, yielder: &Yielder<(), ()>, body: Box<dyn FnOnce()>) {
    with(|exec| {
        exec.actors[slot].yielder = yielder;
        // Above are the links of the fiber to its resumer, which differ from step to step.
        exec.actors[slot].stack_base = crate::spin::here();
    });
    let is_given_up = || with(|exec| exec.given_up);
    let result = catch_unwind(AssertUnwindSafe(|| if is_given_up() { drop(body) } else { body() }));
    if let Err(payload) = &result
        && !is_given_up()
    {
        let panic = unwind::caught(&**payload);
        with(|exec| exec.panicked(slot, panic));
    }
    // The destructors of thread-locals are code of the thread, and may make others.
    let local = || with(|exec| exec.actors[slot].locals.pop());
    let dropped = catch_unwind(AssertUnwindSafe(|| {
        while let Some(local) = local() {
            drop(local)
        }
    }));
    if is_given_up() {
        return;
    }
    with(|exec| {
        if let Err(payload) = &dropped {
            let Panic { message, location } = unwind::caught(&**payload);
            let message = format!("aborts: the destructor of a thread-local panicked: {message}");
            let violation = Violation::new(ViolationKind::Crash, message);
            exec.fail(Violation { location, actor: Some(exec.actors[slot].id), ..violation });
        }
        exec.end(slot);
    });
}

impl Exec {
    /// A thread panicked: a violation, with the values of `assert_eq!` told apart.
    pub(crate) fn panicked(&mut self, slot: usize, panic: Panic) {
        let violation = crate::panic::violation(&panic);
        self.fail(Violation { actor: Some(self.actors[slot].id), ..violation });
    }

    /// A thread has come to its end.
    fn end(&mut self, slot: usize) {
        if let Some(probe) = self.actors[slot].probe.take() {
            self.is_no_loop(*probe);
        }
        match self.actors[slot].message {
            Some(message) => self.end_message(message.handler),
            None => self.touch_id(self.actors[slot].life, Access::WRITE),
        }
        let actor = &mut self.actors[slot];
        actor.status = Status::Ended;
        actor.operation = None;
    }

    /// What is written of an operation where no source is at hand.
    pub(crate) fn words(&self, verb: Verb, object: u32) -> String {
        match self.objects.get(object as usize) {
            Some(object) => format!("{} {}", verb.words(), self.shared.names.object_name(object.id)),
            None => verb.words().to_owned(),
        }
    }
}
