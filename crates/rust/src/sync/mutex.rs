//! The double of `std::sync::Mutex`.
//!
//! To unlock is no scheduling point: it belongs to the step before. An unlock moves to the left of whatever other threads do in
//! between, since nothing but a lock of the same mutex could notice, and that has to wait. A `try_lock` does notice, so a program
//! that calls it is explored again with unlocks as steps of their own.

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

/// The double of `std::sync::Mutex`.
pub struct Mutex<T: ?Sized> {
    handle: Handle,
    real: std::sync::Mutex<()>,
    data: UnsafeCell<T>,
}

// SAFETY: `data` is reached through guards, of which there is one at a time: within a model the execution hands out the lock to one
// thread, outside the real mutex does. A guard that is handed out while an execution is given up or a thread unwinds is used
// by destructors on this OS thread only, one fiber at a time.
unsafe impl<T: ?Sized + Send> Send for Mutex<T> {}
// SAFETY: as above.
unsafe impl<T: ?Sized + Send> Sync for Mutex<T> {}

/// The double of `std::sync::MutexGuard`.
#[must_use]
pub struct MutexGuard<'a, T: ?Sized> {
    pub(super) mutex: &'a Mutex<T>,
    held: Held<'a>,
}

/// What a guard holds.
pub(super) enum Held<'a> {
    /// The real mutex, outside of a model.
    Real(#[allow(dead_code)] std::sync::MutexGuard<'a, ()>),
    /// The lock of a model, and where it was taken.
    Modelled { site: Site, was_panicking: bool },
}

impl<T> Mutex<T> {
    /// A new mutex.
    #[track_caller]
    pub fn new(data: T) -> Self {
        let handle = Handle::new(Kind::Mutex, Location::caller(), |_, _| {});
        Mutex { handle, real: std::sync::Mutex::new(()), data: UnsafeCell::new(data) }
    }

    /// The data, where no other thread can have the mutex.
    #[track_caller]
    pub fn into_inner(self) -> LockResult<T> {
        let is_poisoned = self.was_poisoned(Location::caller());
        wrap(self.data.into_inner(), is_poisoned)
    }
}

impl<T: ?Sized> Lock for Mutex<T> {
    fn object(&self, exec: &mut Exec, site: Site) -> u32 {
        let is_poisoned = self.real.is_poisoned();
        self.handle.object(exec, Kind::Mutex, site, |exec, object| {
            exec.objects[object as usize].is_poisoned = is_poisoned;
            // SAFETY: only the size is asked for, which is no access.
            if size_of_val(unsafe { &*self.data.get() }) > 0 {
                exec.outlives("Mutex", site);
            }
        })
    }

    fn is_really_poisoned(&self) -> bool {
        self.real.is_poisoned()
    }
}

impl<T: ?Sized> Mutex<T> {
    /// As `std` has it.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let site = Location::caller();
        if !is_running() {
            return around(self.real.lock(), |real| MutexGuard::of_real(self, real));
        }
        let (object, access) = with(|exec| (self.object(exec, site), locking(exec)));
        let is_live = perform(Operation::new(Verb::Lock, object, access, site).needing(Needs::Free), None);
        self.taken(object, is_live, site)
    }

    /// As `std` has it: fails if another thread has the lock.
    #[track_caller]
    #[inline(always)]
    pub fn try_lock(&self) -> TryLockResult<MutexGuard<'_, T>> {
        self.try_from(Location::caller(), &frame())
    }

    #[inline(never)]
    fn try_from(&self, site: Site, frame: &Frame) -> TryLockResult<MutexGuard<'_, T>> {
        if !is_running() {
            return around_attempt(self.real.try_lock(), |real| MutexGuard::of_real(self, real));
        }
        let is_taken = |exec: &Exec, object: u32| exec.objects[object as usize].holder.is_some();
        match self.attempt(site, Access::READ_WRITE, frame, is_taken) {
            Attempt::Fails => Err(TryLockError::WouldBlock),
            Attempt::Succeeds { object, is_live } => self.taken(object, is_live, site).map_err(TryLockError::Poisoned),
        }
    }

    /// The present thread has got the lock.
    pub(super) fn taken(&self, object: u32, is_live: bool, site: Site) -> LockResult<MutexGuard<'_, T>> {
        let is_poisoned = is_live
            && with(|exec| {
                let access = locking(exec);
                exec.touch(object, access);
                exec.objects[object as usize].holder = Some(exec.current as u32);
                exec.acquire(object, Ordering::Acquire);
                exec.saw_value(object);
                exec.actors[exec.current].looks.clear();
                exec.objects[object as usize].is_poisoned
            });
        let held = Held::Modelled { site, was_panicking: std::thread::panicking() };
        wrap(MutexGuard { mutex: self, held }, is_poisoned)
    }

    /// The present thread releases the lock, within the step that it is in.
    pub(super) fn give_back(&self, exec: &mut Exec, site: Site, poisons: bool) {
        let object = self.object(exec, site);
        let slot = exec.current as u32;
        if exec.objects.get(object as usize).is_none_or(|object| object.holder != Some(slot)) {
            return;
        }
        let access = if exec.is_fine() { Access::WRITE } else { Access::RELEASE };
        exec.touch(object, access);
        exec.changed(object);
        exec.objects[object as usize].holder = None;
        exec.objects[object as usize].is_poisoned |= poisons;
        exec.release(object, Ordering::Release, true);
    }

    /// Whether a thread panicked while it had the lock.
    #[track_caller]
    pub fn is_poisoned(&self) -> bool {
        let site = Location::caller();
        if !is_running() {
            return self.real.is_poisoned();
        }
        self.look_at_poison(site, false)
    }

    /// Forgets that a thread panicked while it had the lock.
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
}

/// How a lock touches its mutex: one that others only try to take is an object like any other.
pub(super) fn locking(exec: &Exec) -> Access {
    if exec.is_fine() { Access::READ_WRITE } else { Access::WRITE }
}

impl<T: Default> Default for Mutex<T> {
    #[track_caller]
    fn default() -> Self {
        Mutex::new(T::default())
    }
}

impl<T> From<T> for Mutex<T> {
    #[track_caller]
    fn from(data: T) -> Self {
        Mutex::new(data)
    }
}

impl<T: ?Sized> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mutex")
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for MutexGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the guard has the lock, so there is no other reference; see the impl of `Send`.
        unsafe { &*self.mutex.data.get() }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as in `deref`, and the guard is borrowed for writing.
        unsafe { &mut *self.mutex.data.get() }
    }
}

impl<'a, T: ?Sized> MutexGuard<'a, T> {
    /// Where the lock was taken, for a guard of a model that releases it by other means.
    pub(super) fn into_parts(self) -> (&'a Mutex<T>, Option<Site>) {
        let site = match self.held {
            Held::Modelled { site, .. } => Some(site),
            Held::Real(_) => None,
        };
        let mutex = self.mutex;
        if site.is_some() {
            std::mem::forget(self);
        }
        (mutex, site)
    }

    /// The real guard, outside of a model.
    pub(super) fn into_real(self) -> Result<(&'a Mutex<T>, std::sync::MutexGuard<'a, ()>), Self> {
        if matches!(self.held, Held::Modelled { .. }) {
            return Err(self);
        }
        let mutex = self.mutex;
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `this` is not dropped and not used again, so the guard is moved out once.
        match unsafe { std::ptr::read(&raw const this.held) } {
            Held::Real(real) => Ok((mutex, real)),
            Held::Modelled { .. } => unreachable!("it was looked at above"),
        }
    }

    /// The guard of a real lock.
    pub(super) fn of_real(mutex: &'a Mutex<T>, real: std::sync::MutexGuard<'a, ()>) -> Self {
        MutexGuard { mutex, held: Held::Real(real) }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        let Held::Modelled { site, was_panicking } = self.held else { return };
        if !is_running() {
            return;
        }
        let poisons = !was_panicking && std::thread::panicking();
        let (is_fine, object) = with(|exec| (exec.is_fine(), self.mutex.object(exec, site)));
        let access = if is_fine { Access::WRITE } else { Access::RELEASE };
        if is_fine && !perform(Operation::new(Verb::Unlock, object, access, site), None) {
            return;
        }
        with(|exec| {
            if !exec.given_up {
                self.mutex.give_back(exec, site, poisons);
            }
        });
    }
}
