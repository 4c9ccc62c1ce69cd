//! Doubles of `std::sync::Once` and `std::sync::OnceLock`.
//!
//! That the initialiser has ended is no step of its own, as with a mutex, unless the program looks whether it has.

use crate::exec::{Exec, is_running, perform, with};
use crate::handle::Handle;
use crate::names::{Kind, Site};
use crate::operation::{Needs, Operation, Verb};
use mazurka_core::Access;
use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;

const DONE: u64 = 1;

/// Takes the right to initialise; false if it was done already.
fn begin(object: u32, site: Site, ignores_poison: bool) -> bool {
    let operation = Operation::new(Verb::Lock, object, Access::READ_WRITE, site).needing(Needs::Free);
    if !perform(operation, None) {
        return false;
    }
    let (is_done, is_poisoned) = with(|exec| {
        let it = &exec.objects[object as usize];
        let (is_done, is_poisoned) = (it.bits == DONE, it.is_poisoned);
        exec.saw(u64::from(is_done));
        exec.acquire(object, Ordering::Acquire);
        exec.touch(object, if is_done { Access::READ } else { Access::READ_WRITE });
        if is_done {
            exec.saw_value(object);
        } else if !is_poisoned || ignores_poison {
            exec.objects[object as usize].holder = Some(exec.current as u32);
            exec.actors[exec.current].looks.clear();
        }
        (is_done, is_poisoned)
    });
    assert!(is_done || !is_poisoned || ignores_poison, "Once instance has previously been poisoned");
    !is_done
}

/// The initialiser has ended, or panicked.
fn end(object: u32, site: Site, is_done: bool) {
    let is_fine = with(|exec| exec.is_fine());
    if is_fine && !perform(Operation::new(Verb::Unlock, object, Access::WRITE, site), None) {
        return;
    }
    with(|exec| {
        if exec.given_up || exec.objects.get(object as usize).is_none() {
            return;
        }
        exec.touch(object, Access::WRITE);
        exec.changed(object);
        let it = &mut exec.objects[object as usize];
        it.holder = None;
        it.bits = u64::from(is_done);
        it.is_poisoned = !is_done;
        exec.release(object, Ordering::Release, true);
    });
}

/// Looks whether it was done.
fn is_done(object: u32, site: Site) -> bool {
    with(|exec| exec.want_fine());
    if !perform(Operation::new(Verb::Load, object, Access::READ, site), None) {
        return with(|exec| exec.objects.get(object as usize).is_some_and(|object| object.bits == DONE));
    }
    with(|exec| {
        exec.touch(object, Access::READ);
        let is_done = exec.objects[object as usize].bits == DONE;
        exec.saw(u64::from(is_done));
        if is_done {
            exec.acquire(object, Ordering::Acquire);
            exec.saw_value(object);
        }
        is_done
    })
}

/// The double of `std::sync::Once`.
pub struct Once {
    handle: Handle,
    real: std::sync::Once,
}

/// The double of `std::sync::OnceState`.
#[derive(Debug)]
pub struct OnceState(bool);

impl OnceState {
    /// Whether an earlier initialiser panicked.
    pub fn is_poisoned(&self) -> bool {
        self.0
    }
}

impl Default for Once {
    #[track_caller]
    fn default() -> Self {
        Once::new()
    }
}

impl fmt::Debug for Once {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Once")
    }
}

impl Once {
    /// A new one.
    #[track_caller]
    pub fn new() -> Self {
        Once { handle: Handle::new(Kind::Once, Location::caller(), |_, _| {}), real: std::sync::Once::new() }
    }

    fn object(&self, exec: &mut Exec, site: Site) -> u32 {
        let is_done = self.real.is_completed();
        self.handle.object(exec, Kind::Once, site, |exec, object| {
            exec.objects[object as usize].bits = u64::from(is_done);
        })
    }

    /// As `std` has it.
    #[track_caller]
    pub fn call_once(&self, init: impl FnOnce()) {
        let site = Location::caller();
        if is_running() { self.call(site, false, |_| init()) } else { self.real.call_once(init) }
    }

    /// As `std` has it: an initialiser that panicked before does not matter.
    #[track_caller]
    pub fn call_once_force(&self, init: impl FnOnce(&OnceState)) {
        let site = Location::caller();
        if is_running() {
            self.call(site, true, init);
        } else {
            self.real.call_once_force(|state| init(&OnceState(state.is_poisoned())));
        }
    }

    fn call(&self, site: Site, force: bool, init: impl FnOnce(&OnceState)) {
        let object = with(|exec| self.object(exec, site));
        if begin(object, site, force) {
            let was_poisoned = with(|exec| exec.objects.get(object as usize).is_some_and(|object| object.is_poisoned));
            let result = catch_unwind(AssertUnwindSafe(|| init(&OnceState(was_poisoned))));
            end(object, site, result.is_ok());
            if let Err(payload) = result {
                resume_unwind(payload);
            }
        }
    }

    /// As `std` has it.
    #[track_caller]
    pub fn is_completed(&self) -> bool {
        let site = Location::caller();
        if !is_running() {
            return self.real.is_completed();
        }
        let object = with(|exec| self.object(exec, site));
        is_done(object, site)
    }
}

/// The double of `std::sync::OnceLock`. One that was made before the closure ran (in a static, say) is empty again in each
/// execution; what executions put into it is leaked.
pub struct OnceLock<T> {
    handle: Handle,
    real: std::sync::OnceLock<T>,
    /// Whether it belongs to an execution, and ends with it.
    is_within: bool,
}

impl<T> Default for OnceLock<T> {
    #[track_caller]
    fn default() -> Self {
        OnceLock::new()
    }
}

impl<T> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OnceLock")
    }
}

impl<T> OnceLock<T> {
    /// An empty one.
    #[track_caller]
    pub fn new() -> Self {
        let handle = Handle::new(Kind::Once, Location::caller(), |_, _| {});
        OnceLock { handle, real: std::sync::OnceLock::new(), is_within: is_running() }
    }

    fn object(&self, exec: &mut Exec, site: Site) -> u32 {
        self.handle.object(exec, Kind::Once, site, |_, _| {})
    }

    fn value(&self, object: u32) -> Option<&T> {
        if self.is_within { self.real.get() } else { leaked(object) }
    }

    fn put(&self, object: u32, value: T) {
        if self.is_within {
            // Set before only if the execution is given up.
            let _ = self.real.set(value);
        } else {
            leak(object, value);
        }
    }

    /// As `std` has it.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        let site = Location::caller();
        if !is_running() {
            return self.real.get();
        }
        let object = with(|exec| self.object(exec, site));
        if is_done(object, site) { self.value(object) } else { None }
    }

    /// As `std` has it.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        let site = Location::caller();
        if !is_running() {
            return self.real.set(value);
        }
        let kept = Cell::new(Some(value));
        self.init(site, || kept.take());
        kept.into_inner().map_or(Ok(()), Err)
    }

    /// As `std` has it.
    #[track_caller]
    pub fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
        let site = Location::caller();
        if !is_running() {
            return self.real.get_or_init(init);
        }
        let object = self.init(site, || Some(init()));
        match self.value(object) {
            Some(value) => value,
            None => panic!("an execution that was given up cannot initialise a OnceLock"),
        }
    }

    fn init(&self, site: Site, init: impl FnOnce() -> Option<T>) -> u32 {
        let object = with(|exec| self.object(exec, site));
        if begin(object, site, true) {
            let (value, panic) = match catch_unwind(AssertUnwindSafe(init)) {
                Ok(value) => (value, None),
                Err(payload) => (None, Some(payload)),
            };
            let is_done = value.is_some();
            if let Some(value) = value {
                self.put(object, value);
            }
            end(object, site, is_done);
            if let Some(payload) = panic {
                resume_unwind(payload);
            }
        }
        object
    }

    /// The value, where there can be no other reference.
    pub fn into_inner(self) -> Option<T> {
        self.real.into_inner()
    }

    /// A reference, while there can be no other.
    pub fn get_mut(&mut self) -> Option<&mut T> {
        self.real.get_mut()
    }
}

/// Keeps a value for this execution, of an object that outlives it.
pub(super) fn leak<T>(object: u32, value: T) {
    let value = Box::into_raw(Box::new(value));
    with(|exec| exec.values.insert(object, value.cast_const().cast()));
}

/// The value that this execution keeps for an object. `T` must be the type that was leaked for it.
pub(super) fn leaked<'a, T>(object: u32) -> Option<&'a T> {
    let value = with(|exec| exec.values.get(&object).copied())?;
    // SAFETY: an object belongs to one double, which leaks and asks with one type; what is leaked lives for ever.
    Some(unsafe { &*value.cast::<T>() })
}

/// Initialises what a static holds, for this execution.
pub(super) fn force<T>(handle: &Handle, site: Site, init: impl FnOnce() -> T) -> Option<&'static T>
where
    T: 'static,
{
    let object = with(|exec| handle.object(exec, Kind::Once, site, |_, _| {}));
    if begin(object, site, false) {
        let result = catch_unwind(AssertUnwindSafe(init));
        let is_done = result.is_ok();
        match result {
            Ok(value) => {
                leak(object, value);
                end(object, site, is_done);
            }
            Err(payload) => {
                end(object, site, is_done);
                resume_unwind(payload);
            }
        }
    }
    leaked(object)
}
