//! The double of `std::sync::RwLock`. To unlock is no scheduling point, as with a mutex.

use super::lock::{Attempt, Lock, around, around_attempt, wrap};
use crate::exec::{Exec, is_running, perform, with};
use crate::handle::Handle;
use crate::names::{Kind, Site};
use crate::operation::{Needs, Operation, Verb};
use crate::spin::{Frame, frame};
use mazurka_core::Access;
use std::cell::UnsafeCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::sync::atomic::Ordering;
use std::sync::{LockResult, TryLockError, TryLockResult};

/// The double of `std::sync::RwLock`.
pub struct RwLock<T: ?Sized> {
    handle: Handle,
    real: std::sync::RwLock<()>,
    data: UnsafeCell<T>,
}

// SAFETY: `data` is reached through guards: one that writes, or several that read, as the execution or the real lock sees to. For
// guards of executions that are given up, see `Mutex`.
unsafe impl<T: ?Sized + Send> Send for RwLock<T> {}
// SAFETY: as above; several threads may read at once.
unsafe impl<T: ?Sized + Send + Sync> Sync for RwLock<T> {}

/// The double of `std::sync::RwLockReadGuard`.
#[must_use]
pub struct RwLockReadGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    real: Option<std::sync::RwLockReadGuard<'a, ()>>,
    site: Site,
}

/// The double of `std::sync::RwLockWriteGuard`.
#[must_use]
pub struct RwLockWriteGuard<'a, T: ?Sized> {
    lock: &'a RwLock<T>,
    real: Option<std::sync::RwLockWriteGuard<'a, ()>>,
    site: Site,
    was_panicking: bool,
}

impl<T> RwLock<T> {
    /// A new lock.
    #[track_caller]
    pub fn new(data: T) -> Self {
        let handle = Handle::new(Kind::RwLock, Location::caller(), |_, _| {});
        RwLock { handle, real: std::sync::RwLock::new(()), data: UnsafeCell::new(data) }
    }

    /// The data, where no other thread can have the lock.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        let is_poisoned = self.was_poisoned(Location::caller());
        wrap(self.data.into_inner(), is_poisoned)
    }
}

impl<T: ?Sized> Lock for RwLock<T> {
    fn object(&self, exec: &mut Exec, site: Site) -> u32 {
        let is_poisoned = self.real.is_poisoned();
        self.handle.object(exec, Kind::RwLock, site, |exec, object| {
            exec.objects[object as usize].is_poisoned = is_poisoned;
            // SAFETY: only the size is asked for, which is no access.
            if size_of_val(unsafe { &*self.data.get() }) > 0 {
                exec.outlives("RwLock", site);
            }
        })
    }

    fn is_really_poisoned(&self) -> bool {
        self.real.is_poisoned()
    }
}

impl<T: ?Sized> RwLock<T> {
    /// As `std` has it.
    #[track_caller]
    pub fn read(&self) -> LockResult<RwLockReadGuard<'_, T>> {
        let site = Location::caller();
        if !is_running() {
            return around(self.real.read(), |real| RwLockReadGuard { lock: self, real: Some(real), site });
        }
        let object = with(|exec| self.object(exec, site));
        let operation = Operation::new(Verb::ReadLock, object, Access::ADD, site).needing(Needs::NoWriter);
        let is_live = perform(operation, None);
        self.reading(object, is_live, site)
    }

    fn reading(&self, object: u32, is_live: bool, site: Site) -> LockResult<RwLockReadGuard<'_, T>> {
        let is_poisoned = is_live
            && with(|exec| {
                exec.touch(object, Access::ADD);
                exec.objects[object as usize].readers += 1;
                exec.acquire(object, Ordering::Acquire);
                exec.saw_value(object);
                exec.objects[object as usize].is_poisoned
            });
        wrap(RwLockReadGuard { lock: self, real: None, site }, is_poisoned)
    }

    /// As `std` has it.
    #[track_caller]
    pub fn write(&self) -> LockResult<RwLockWriteGuard<'_, T>> {
        let (site, was_panicking) = (Location::caller(), std::thread::panicking());
        if !is_running() {
            return around(self.real.write(), |real| RwLockWriteGuard {
                lock: self,
                real: Some(real),
                site,
                was_panicking,
            });
        }
        let object = with(|exec| self.object(exec, site));
        let operation = Operation::new(Verb::Lock, object, Access::READ_WRITE, site).needing(Needs::Free);
        let is_live = perform(operation, None);
        self.writing(object, is_live, site)
    }

    fn writing(&self, object: u32, is_live: bool, site: Site) -> LockResult<RwLockWriteGuard<'_, T>> {
        let is_poisoned = is_live
            && with(|exec| {
                exec.touch(object, Access::READ_WRITE);
                exec.objects[object as usize].holder = Some(exec.current as u32);
                exec.acquire_shared(object);
                exec.saw_value(object);
                exec.actors[exec.current].looks.clear();
                exec.objects[object as usize].is_poisoned
            });
        wrap(RwLockWriteGuard { lock: self, real: None, site, was_panicking: std::thread::panicking() }, is_poisoned)
    }

    /// As `std` has it: fails if another thread writes.
    #[track_caller]
    #[inline(always)]
    pub fn try_read(&self) -> TryLockResult<RwLockReadGuard<'_, T>> {
        self.try_read_from(Location::caller(), &frame())
    }

    #[inline(never)]
    fn try_read_from(&self, site: Site, frame: &Frame) -> TryLockResult<RwLockReadGuard<'_, T>> {
        if !is_running() {
            return around_attempt(self.real.try_read(), |real| RwLockReadGuard { lock: self, real: Some(real), site });
        }
        let is_taken = |exec: &Exec, object: u32| exec.objects[object as usize].holder.is_some();
        match self.attempt(site, Access::READ | Access::ADD, frame, is_taken) {
            Attempt::Fails => Err(TryLockError::WouldBlock),
            Attempt::Succeeds { object, is_live } => {
                if is_live {
                    with(|exec| exec.touch(object, Access::READ));
                }
                self.reading(object, is_live, site).map_err(TryLockError::Poisoned)
            }
        }
    }

    /// As `std` has it: fails if another thread reads or writes.
    #[track_caller]
    #[inline(always)]
    pub fn try_write(&self) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        self.try_write_from(Location::caller(), &frame())
    }

    #[inline(never)]
    fn try_write_from(&self, site: Site, frame: &Frame) -> TryLockResult<RwLockWriteGuard<'_, T>> {
        let was_panicking = std::thread::panicking();
        if !is_running() {
            return around_attempt(self.real.try_write(), |real| RwLockWriteGuard {
                lock: self,
                real: Some(real),
                site,
                was_panicking,
            });
        }
        let is_taken = |exec: &Exec, object: u32| {
            let object = &exec.objects[object as usize];
            object.holder.is_some() || object.readers > 0
        };
        match self.attempt(site, Access::READ_WRITE, frame, is_taken) {
            Attempt::Fails => Err(TryLockError::WouldBlock),
            Attempt::Succeeds { object, is_live } => {
                self.writing(object, is_live, site).map_err(TryLockError::Poisoned)
            }
        }
    }

    /// Whether a thread panicked while it wrote.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        let site = Location::caller();
        if !is_running() {
            return self.real.is_poisoned();
        }
        self.look_at_poison(site, false)
    }

    /// Forgets that a thread panicked while it wrote.
    #[track_caller]
    pub fn clear_poison(&self) {
        let site = Location::caller();
        if !is_running() {
            return self.real.clear_poison();
        }
        self.look_at_poison(site, true);
    }

    /// A reference to the data, while there can be no other.
    #[track_caller]
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        let is_poisoned = self.was_poisoned(Location::caller());
        wrap(self.data.get_mut(), is_poisoned)
    }

    /// A guard of a model is dropped: `act` releases the lock.
    fn unlock(&self, verb: Verb, access: Access, site: Site, act: impl FnOnce(&mut Exec, u32)) {
        if !is_running() {
            return;
        }
        let (is_fine, object) = with(|exec| (exec.is_fine(), self.object(exec, site)));
        if is_fine && !perform(Operation::new(verb, object, access, site), None) {
            return;
        }
        with(|exec| {
            if !exec.given_up && exec.objects.get(object as usize).is_some() {
                exec.touch(object, access);
                act(exec, object);
            }
        });
    }
}

impl<T: Default> Default for RwLock<T> {
    #[track_caller]
    fn default() -> Self {
        RwLock::new(T::default())
    }
}

impl<T> From<T> for RwLock<T> {
    #[track_caller]
    fn from(data: T) -> Self {
        RwLock::new(data)
    }
}

impl<T: ?Sized> fmt::Debug for RwLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RwLock")
    }
}

impl<T: ?Sized> Deref for RwLockReadGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard has the lock for reading, so no thread writes; see the impl of `Send`.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> Deref for RwLockWriteGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard has the lock for itself; see the impl of `Send`.
        unsafe { &*self.lock.data.get() }
    }
}

impl<T: ?Sized> DerefMut for RwLockWriteGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and the guard is borrowed for writing.
        unsafe { &mut *self.lock.data.get() }
    }
}

impl<T: ?Sized> Drop for RwLockReadGuard<'_, T> {
    fn drop(&mut self) {
        if self.real.is_none() {
            self.lock.unlock(Verb::ReadUnlock, Access::ADD, self.site, |exec, object| {
                let lock = &mut exec.objects[object as usize];
                lock.readers = lock.readers.saturating_sub(1);
                lock.version += 1;
                exec.release_shared(object);
            });
        }
    }
}

impl<T: ?Sized> Drop for RwLockWriteGuard<'_, T> {
    fn drop(&mut self) {
        if self.real.is_none() {
            let poisons = !self.was_panicking && std::thread::panicking();
            self.lock.unlock(Verb::Unlock, Access::WRITE, self.site, |exec, object| {
                if exec.objects[object as usize].holder == Some(exec.current as u32) {
                    exec.changed(object);
                    exec.objects[object as usize].holder = None;
                    exec.objects[object as usize].is_poisoned |= poisons;
                    exec.release(object, Ordering::Release, true);
                }
            });
        }
    }
}
