//! Doubles of `std::thread`.

use crate::exec::{Exec, Outcome, is_running, perform, with};
use crate::names::Site;
use crate::operation::{NO_OBJECT, Needs, Operation, Verb};
use crate::source;
use mazurka_core::{Access, ActorKind};
use std::any::Any;
use std::io;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use crate::local::LocalKey;
pub use crate::thread_local;
pub use std::thread::{AccessError, Result, available_parallelism, panicking};

/// The double of `std::thread::JoinHandle`.
#[derive(Debug)]
pub struct JoinHandle<T>(Kin<T>);

#[derive(Debug)]
enum Kin<T> {
    Real(std::thread::JoinHandle<T>),
    Modelled(Child<T>),
}

/// A thread of a model.
#[derive(Debug)]
struct Child<T> {
    thread: Thread,
    outcome: Outcome<T>,
}

/// The double of `std::thread::Thread`.
#[derive(Clone, Debug)]
pub struct Thread(Who);

#[derive(Clone, Debug)]
enum Who {
    Real(std::thread::Thread),
    Modelled { slot: u32, id: u32, name: Option<Arc<str>> },
}

/// The double of `std::thread::ThreadId`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ThreadId(Number);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Number {
    Real(std::thread::ThreadId),
    Modelled(u32),
}

/// The double of `std::thread::Builder`.
#[derive(Debug, Default)]
pub struct Builder {
    name: Option<String>,
    stack_size: Option<usize>,
}

impl Builder {
    /// Sets up a thread.
    pub fn new() -> Self {
        Builder::default()
    }

    /// The thread's name.
    #[must_use]
    pub fn name(self, name: String) -> Self {
        Builder { name: Some(name), ..self }
    }

    /// The size of its stack. Within a model it is at least what the model's builder says.
    #[must_use]
    pub fn stack_size(self, size: usize) -> Self {
        Builder { stack_size: Some(size), ..self }
    }

    fn real(self) -> std::thread::Builder {
        let mut real = std::thread::Builder::new();
        if let Some(name) = self.name {
            real = real.name(name);
        }
        if let Some(size) = self.stack_size {
            real = real.stack_size(size);
        }
        real
    }

    /// Makes the thread.
    #[track_caller]
    pub fn spawn<F, T>(self, body: F) -> io::Result<JoinHandle<T>>
    where
        F: FnOnce() -> T + Send + 'static,
        T: Send + 'static,
    {
        if !is_running() {
            return Ok(JoinHandle(Kin::Real(self.real().spawn(body)?)));
        }
        let outcome = Outcome::default();
        let running = run_into(Arc::clone(&outcome), body);
        Ok(JoinHandle(Kin::Modelled(Child { thread: begin(self, Box::new(running), Location::caller()), outcome })))
    }
}

impl Builder {
    /// Makes a thread that may borrow what outlives the scope.
    #[track_caller]
    pub fn spawn_scoped<'scope, 'env, F, T>(
        self,
        scope: &'scope Scope<'scope, 'env>,
        body: F,
    ) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        scope.begin(self, body)
    }
}

/// Makes a thread.
#[track_caller]
pub fn spawn<F, T>(body: F) -> JoinHandle<T>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    match Builder::new().spawn(body) {
        Ok(handle) => handle,
        Err(error) => panic!("failed to spawn a thread: {error}"),
    }
}

/// Runs a thread's body and leaves what it came to. A panic is a violation, and a thread that joins it gets it.
fn run_into<T>(outcome: Outcome<T>, body: impl FnOnce() -> T) -> impl FnOnce() {
    move || {
        let result = catch_unwind(AssertUnwindSafe(body));
        if let Err(payload) = &result {
            with(|exec| {
                if !exec.given_up {
                    let slot = exec.current;
                    exec.panicked(slot, crate::unwind::caught(&**payload));
                }
            });
        }
        let is_given_up = with(|exec| exec.given_up);
        match result {
            // The unwinding of a fiber has to come to its root.
            Err(payload) if is_given_up => resume_unwind(payload),
            result => *outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(result),
        }
    }
}

fn begin(builder: Builder, body: Box<dyn FnOnce()>, site: Site) -> Thread {
    let Builder { name, stack_size } = builder;
    with(|exec| {
        let shown = name.clone();
        let name_it = || shown.or_else(|| source::name_at(site));
        let slot = exec.spawn(ActorKind::Thread, name_it, stack_size.unwrap_or(0), body);
        exec.actors[slot].name = name.map(Arc::from);
        Thread::of(exec, slot)
    })
}

/// The outcome of a thread that has ended. One that was given up has none.
fn taken<T>(outcome: &Outcome<T>) -> Result<T> {
    let taken = outcome.lock().unwrap_or_else(PoisonError::into_inner).take();
    taken.unwrap_or_else(|| Err(Box::new("the thread was given up") as Box<dyn Any + Send>))
}

/// Waits for the end of a thread.
fn wait_for_end(slot: u32, site: Site) {
    if perform(Operation::new(Verb::Join, NO_OBJECT, Access::READ, site).needing(Needs::Ended(slot)), None) {
        with(|exec| {
            let child = &exec.actors[slot as usize];
            let (life, clock, history) = (child.life, child.clock.clone(), child.history);
            exec.touch_id(life, Access::READ);
            exec.actors[exec.current].clock.join(&clock);
            exec.saw(history as u64);
            exec.saw((history >> 64) as u64);
        });
    }
}

impl<T> JoinHandle<T> {
    /// As `std` has it.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            Kin::Real(real) => real.join(),
            Kin::Modelled(Child { thread, outcome }) => {
                if let (Who::Modelled { slot, .. }, true) = (&thread.0, is_running()) {
                    wait_for_end(*slot, Location::caller());
                }
                taken(&outcome)
            }
        }
    }

    /// The thread.
    pub fn thread(&self) -> Thread {
        match &self.0 {
            Kin::Real(real) => Thread(Who::Real(real.thread().clone())),
            Kin::Modelled(child) => child.thread.clone(),
        }
    }

    /// As `std` has it.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Kin::Real(real) => real.is_finished(),
            Kin::Modelled(child) => child.thread.has_ended(Location::caller()),
        }
    }
}

impl Thread {
    fn of(exec: &Exec, slot: usize) -> Self {
        let actor = &exec.actors[slot];
        Thread(Who::Modelled { slot: slot as u32, id: actor.id.0, name: actor.name.clone() })
    }

    fn has_ended(&self, site: Site) -> bool {
        let (Who::Modelled { slot, .. }, true) = (&self.0, is_running()) else { return true };
        let is_live = perform(Operation::new(Verb::Look, NO_OBJECT, Access::READ, site), None);
        !is_live
            || with(|exec| {
                let other = &exec.actors[*slot as usize];
                let (life, has_ended) = (other.life, other.status == crate::exec::Status::Ended);
                exec.touch_id(life, Access::READ);
                exec.saw(u64::from(has_ended));
                has_ended
            })
    }

    /// The thread's name, if it was given one.
    pub fn name(&self) -> Option<&str> {
        match &self.0 {
            Who::Real(real) => real.name(),
            Who::Modelled { name, .. } => name.as_deref(),
        }
    }

    /// The thread's id.
    pub fn id(&self) -> ThreadId {
        ThreadId(match &self.0 {
            Who::Real(real) => Number::Real(real.id()),
            Who::Modelled { id, .. } => Number::Modelled(*id),
        })
    }

    /// As `std` has it.
    #[track_caller]
    pub fn unpark(&self) {
        match &self.0 {
            Who::Real(real) => real.unpark(),
            Who::Modelled { .. } if !is_running() => {}
            Who::Modelled { slot, .. } => unpark(*slot as usize, Location::caller()),
        }
    }
}

/// The token of a thread: whether it may pass the next `park`.
fn token(exec: &mut Exec, slot: usize) -> u32 {
    if exec.actors[slot].token == NO_OBJECT {
        exec.actors[slot].token = exec.token_of(slot);
    }
    exec.actors[slot].token
}

fn unpark(slot: usize, site: Site) {
    let object = with(|exec| token(exec, slot));
    if perform(Operation::new(Verb::Unpark, object, Access::WRITE, site), None) {
        with(|exec| {
            exec.touch(object, if exec.objects[object as usize].count == 0 { Access::WRITE } else { Access::REWRITE });
            exec.objects[object as usize].count = 1;
            exec.release(object, std::sync::atomic::Ordering::Release, true);
            exec.actors[exec.current].looks.clear();
        });
    }
}

/// Waits for an `unpark`, which may have come before. It never returns without one.
#[track_caller]
pub fn park() {
    if !is_running() {
        return std::thread::park();
    }
    park_until(Location::caller(), false);
}

/// Waits for an `unpark`, or until the time is over: within a model that may be at any moment.
#[track_caller]
pub fn park_timeout(limit: Duration) {
    if !is_running() {
        return std::thread::park_timeout(limit);
    }
    park_until(Location::caller(), true);
}

/// Waits for a task to be woken.
pub(crate) fn pend(site: Site) {
    park_until(site, false);
}

fn park_until(site: Site, may_time_out: bool) {
    let object = with(|exec| {
        let slot = exec.current;
        token(exec, slot)
    });
    let needs = if may_time_out { Needs::Nothing } else { Needs::Items };
    if perform(Operation::new(Verb::Park, object, Access::READ_WRITE, site).needing(needs), None) {
        with(|exec| {
            exec.touch(object, Access::READ_WRITE);
            let count = std::mem::take(&mut exec.objects[object as usize].count);
            exec.saw(count);
            exec.acquire(object, std::sync::atomic::Ordering::Acquire);
        });
    }
}

/// The thread that asks.
pub fn current() -> Thread {
    if is_running() { with(|exec| Thread::of(exec, exec.current)) } else { Thread(Who::Real(std::thread::current())) }
}

/// Nothing: other threads may move at any operation in any case, and a thread that would do the same again waits by itself.
pub fn yield_now() {
    if !is_running() {
        std::thread::yield_now();
    }
}

/// Nothing, within a model: time does not order anything there.
pub fn sleep(time: Duration) {
    if !is_running() {
        std::thread::sleep(time);
    }
}

/// The double of `std::thread::Scope`.
pub struct Scope<'scope, 'env: 'scope> {
    real: Option<&'scope std::thread::Scope<'scope, 'env>>,
    /// The threads that were made in it, and whether one of them panicked without being joined.
    children: Mutex<Vec<u32>>,
    panicked: Arc<Mutex<bool>>,
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

/// The double of `std::thread::ScopedJoinHandle`.
pub struct ScopedJoinHandle<'scope, T>(Scoped<'scope, T>);

enum Scoped<'scope, T> {
    Real(std::thread::ScopedJoinHandle<'scope, T>),
    Modelled { child: Child<T>, panicked: Arc<Mutex<bool>> },
}

/// Runs `body`, within which threads can be made that borrow, and waits for all of them.
#[track_caller]
pub fn scope<'env, F, T>(body: F) -> T
where
    F: for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T,
{
    let site = Location::caller();
    if !is_running() {
        let mut kept: *mut () = std::ptr::null_mut();
        let value = std::thread::scope(|real| {
            let scope = Box::into_raw(Box::new(Scope::new(Some(real))));
            kept = scope.cast();
            // SAFETY: it is freed below, when the real scope has waited for all threads that can use it.
            body(unsafe { &*scope })
        });
        // SAFETY: made above by `Box::into_raw`; lifetimes do not change what a type is like. After a panic it is leaked.
        drop(unsafe { Box::from_raw(kept.cast::<Scope<'_, '_>>()) });
        return value;
    }
    let scope = Scope::new(None);
    let result = catch_unwind(AssertUnwindSafe(|| body(&scope)));
    loop {
        let child = scope.children.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(child) = child else { break };
        wait_for_end(child, site);
    }
    match result {
        Err(payload) => resume_unwind(payload),
        Ok(_) if *scope.panicked.lock().unwrap_or_else(PoisonError::into_inner) => panic!("a scoped thread panicked"),
        Ok(value) => value,
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    fn new(real: Option<&'scope std::thread::Scope<'scope, 'env>>) -> Self {
        Scope { real, children: Mutex::default(), panicked: Arc::default(), scope: PhantomData, env: PhantomData }
    }

    /// Makes a thread that may borrow what outlives the scope.
    #[track_caller]
    pub fn spawn<F, T>(&'scope self, body: F) -> ScopedJoinHandle<'scope, T>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        match Builder::new().spawn_scoped(self, body) {
            Ok(handle) => handle,
            Err(error) => panic!("failed to spawn a thread: {error}"),
        }
    }

    #[track_caller]
    fn begin<F, T>(&'scope self, builder: Builder, body: F) -> io::Result<ScopedJoinHandle<'scope, T>>
    where
        F: FnOnce() -> T + Send + 'scope,
        T: Send + 'scope,
    {
        if let Some(real) = self.real {
            return Ok(ScopedJoinHandle(Scoped::Real(builder.real().spawn_scoped(real, body)?)));
        }
        let outcome = Outcome::default();
        let panicked = Arc::clone(&self.panicked);
        let running = run_into(Arc::clone(&outcome), body);
        let left = Arc::clone(&outcome);
        let running: Box<dyn FnOnce() + 'scope> = Box::new(move || {
            running();
            let failed = matches!(&*left.lock().unwrap_or_else(PoisonError::into_inner), Some(Err(_)));
            if failed {
                *panicked.lock().unwrap_or_else(PoisonError::into_inner) = true;
            }
        });
        // SAFETY: what the thread borrows outlives `'scope`, and `scope` does not return before the thread has ended. If the
        // execution is given up, the fibers of threads are unwound before those of threads that were there earlier, of which
        // the one that called `scope` is one; and a fiber that is leaked is never run again.
        let running = unsafe { std::mem::transmute::<Box<dyn FnOnce() + 'scope>, Box<dyn FnOnce()>>(running) };
        let thread = begin(builder, running, Location::caller());
        if let Who::Modelled { slot, .. } = thread.0 {
            self.children.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
        }
        let child = Child { thread, outcome };
        Ok(ScopedJoinHandle(Scoped::Modelled { child, panicked: Arc::clone(&self.panicked) }))
    }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// As `std` has it.
    #[track_caller]
    pub fn join(self) -> Result<T> {
        match self.0 {
            Scoped::Real(real) => real.join(),
            Scoped::Modelled { child: Child { thread, outcome }, panicked } => {
                if let (Who::Modelled { slot, .. }, true) = (&thread.0, is_running()) {
                    wait_for_end(*slot, Location::caller());
                }
                let result = taken(&outcome);
                if result.is_err() {
                    // The thread that joins it handles its panic.
                    *panicked.lock().unwrap_or_else(PoisonError::into_inner) = false;
                }
                result
            }
        }
    }

    /// The thread.
    pub fn thread(&self) -> Thread {
        match &self.0 {
            Scoped::Real(real) => Thread(Who::Real(real.thread().clone())),
            Scoped::Modelled { child, .. } => child.thread.clone(),
        }
    }

    /// As `std` has it.
    #[track_caller]
    pub fn is_finished(&self) -> bool {
        match &self.0 {
            Scoped::Real(real) => real.is_finished(),
            Scoped::Modelled { child, .. } => child.thread.has_ended(Location::caller()),
        }
    }
}
