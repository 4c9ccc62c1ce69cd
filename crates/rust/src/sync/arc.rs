//! Doubles of `std::sync::Arc` and `std::sync::Weak`.
//!
//! The thread that drops the last reference runs the destructor, so the order of drops matters if the destructor does
//! something that others can see. But a step for each drop would make all orders of drops count. So to clone and to
//! drop are no steps: they add to the count. If a destructor comes to a visible operation, the search is begun again,
//! and from then on a drop that leaves one reference or none conflicts with other drops of such values: then, and only
//! then, each thread is tried as the last. It has to be both, as from a state with two references neither drop commutes
//! with the other. A program that looks at counts (`strong_count`, `get_mut`, `try_unwrap`, `upgrade`) is explored
//! again with a step for each drop.

use crate::exec::{Exec, is_running, perform, with};
use crate::handle::Handle;
use crate::names::{Kind, Site};
use crate::operation::{Operation, Verb};
use crate::stop::Busy;
use mazurka_core::Access;
use std::collections::HashMap;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::panic::Location;
use std::sync::atomic::Ordering;
use std::sync::{LazyLock, Mutex, PoisonError};

/// How many references there are.
struct Count {
    handle: Handle,
    site: Site,
}

impl Count {
    #[track_caller]
    fn new() -> std::sync::Arc<Self> {
        let site = Location::caller();
        let handle = Handle::new(Kind::Count, site, |exec, object| exec.objects[object as usize].count = 1);
        std::sync::Arc::new(Count { handle, site })
    }

    /// The object; nothing if the references were made outside of the execution, or it was given up.
    fn object(&self, exec: &mut Exec) -> Option<usize> {
        let object = self.handle.object(exec, Kind::Count, self.site, |_, _| {});
        let known = exec.objects.get(object as usize).is_some_and(|object| object.count > 0);
        (known && !exec.given_up).then_some(object as usize)
    }

    /// A step of its own, where the program looks at counts.
    fn step(&self, access: Access) {
        let object = with(|exec| self.object(exec).filter(|_| exec.is_fine()));
        if let Some(object) = object {
            perform(Operation::new(Verb::Count, object as u32, access, self.site), None);
        }
    }

    fn add(&self) {
        self.step(Access::ADD);
        with(|exec| {
            if let Some(object) = self.object(exec) {
                exec.objects[object].count += 1;
                exec.touch(object as u32, Access::ADD);
            }
        });
    }

    /// Drops a reference: true if it was the last one, whose destructor is to be run before [`Count::dropped`].
    fn remove(&self) -> bool {
        self.step(Access::ADD);
        with(|exec| {
            let Some(object) = self.object(exec) else { return false };
            let number = object as u32;
            exec.release(number, Ordering::Release, true);
            let count = exec.objects[object].count;
            let decides = count <= 2 && exec.is_seen_dropping(self.site);
            exec.touch(number, if decides { Access::READ_WRITE } else { Access::ADD });
            if count == 1 {
                exec.acquire(number, Ordering::Acquire);
                let slot = exec.current;
                exec.actors[slot].dropping.push((number, self.site));
            } else {
                exec.objects[object].count -= 1;
            }
            count == 1
        })
    }

    /// The destructor was run.
    fn dropped(&self) {
        with(|exec| {
            let slot = exec.current;
            if let Some((object, _)) = exec.actors.get_mut(slot).and_then(|actor| actor.dropping.pop())
                && let Some(object) = exec.objects.get_mut(object as usize)
            {
                object.count = 0;
            }
        });
    }

    /// Looks at the count, which is then seen in all orders of drops.
    fn look(&self, site: Site) {
        with(|exec| exec.want_fine());
        let object = with(|exec| self.object(exec));
        if let Some(object) = object
            && perform(Operation::new(Verb::Count, object as u32, Access::READ_WRITE, site), None)
        {
            with(|exec| {
                exec.touch(object as u32, Access::READ_WRITE);
                exec.saw(exec.objects[object].count);
                exec.acquire(object as u32, Ordering::Acquire);
            });
        }
    }
}

type Counts = HashMap<usize, Vec<std::sync::Arc<Count>>>;

/// The counts of references that are raw pointers, by address.
static RAW: LazyLock<Mutex<Counts>> = LazyLock::new(Mutex::default);

fn raw<R>(act: impl FnOnce(&mut Counts) -> R) -> R {
    // The lock is never left taken by a fiber that is stopped.
    let _busy = Busy::new();
    act(&mut RAW.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The double of `std::sync::Arc`. A reference to an unsized type is made from one of `std`, by [`Arc::from_std`].
pub struct Arc<T: ?Sized> {
    /// Present until it is dropped.
    real: Option<std::sync::Arc<T>>,
    count: std::sync::Arc<Count>,
}

/// The double of `std::sync::Weak`.
pub struct Weak<T: ?Sized> {
    real: std::sync::Weak<T>,
    count: Option<std::sync::Arc<Count>>,
}

impl<T> Arc<T> {
    /// A value with one reference.
    #[track_caller]
    pub fn new(value: T) -> Self {
        Arc { real: Some(std::sync::Arc::new(value)), count: Count::new() }
    }

    /// The value, if this is the only reference.
    #[track_caller]
    pub fn try_unwrap(mut this: Self) -> Result<T, Self> {
        if is_running() {
            this.count.look(Location::caller());
        }
        let Some(real) = this.real.take() else { unreachable!("it is not dropped") };
        match std::sync::Arc::try_unwrap(real) {
            Ok(value) => Ok(value),
            Err(real) => {
                this.real = Some(real);
                Err(this)
            }
        }
    }

    /// The value, if this is the only reference.
    #[track_caller]
    pub fn into_inner(this: Self) -> Option<T> {
        Arc::try_unwrap(this).ok()
    }

    /// As `std` has it: a reference as a pointer, which counts until it is made a reference again.
    pub fn into_raw(this: Self) -> *const T {
        let mut this = ManuallyDrop::new(this);
        let Some(real) = this.real.take() else { unreachable!("it is not dropped") };
        // SAFETY: `this` is not dropped and not used again, so the count is moved out once.
        let count = unsafe { std::ptr::read(&raw const this.count) };
        let pointer = std::sync::Arc::into_raw(real);
        raw(|counts| counts.entry(pointer as usize).or_default().push(count));
        pointer
    }

    /// As `std` has it.
    ///
    /// # Safety
    /// The pointer comes from [`Arc::into_raw`], and is made a reference once.
    #[track_caller]
    pub unsafe fn from_raw(pointer: *const T) -> Self {
        let count = raw(|counts| {
            let known = counts.get_mut(&(pointer as usize))?;
            let count = known.pop();
            if known.is_empty() {
                counts.remove(&(pointer as usize));
            }
            count
        });
        // SAFETY: by the contract.
        let real = unsafe { std::sync::Arc::from_raw(pointer) };
        Arc { real: Some(real), count: count.unwrap_or_else(Count::new) }
    }

    /// As `std` has it.
    ///
    /// # Safety
    /// The pointer comes from [`Arc::into_raw`], and there is a reference.
    #[track_caller]
    pub unsafe fn increment_strong_count(pointer: *const T) {
        // SAFETY: by the contract; it is a pointer again below.
        let this = unsafe { Arc::from_raw(pointer) };
        let other = Arc::clone(&this);
        let _ = (Arc::into_raw(this), Arc::into_raw(other));
    }

    /// As `std` has it.
    ///
    /// # Safety
    /// The pointer comes from [`Arc::into_raw`], and is not used again unless there is another reference.
    #[track_caller]
    pub unsafe fn decrement_strong_count(pointer: *const T) {
        // SAFETY: by the contract.
        drop(unsafe { Arc::from_raw(pointer) });
    }
}

impl<T: ?Sized> Arc<T> {
    fn real(&self) -> &std::sync::Arc<T> {
        match &self.real {
            Some(real) => real,
            None => unreachable!("it is not dropped"),
        }
    }

    /// A reference of `std`, of which there is no other.
    #[track_caller]
    pub fn from_std(real: std::sync::Arc<T>) -> Self {
        Arc { real: Some(real), count: Count::new() }
    }

    /// Whether both refer to the same value.
    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(this.real(), other.real())
    }

    /// A pointer to the value.
    pub fn as_ptr(this: &Self) -> *const T {
        std::sync::Arc::as_ptr(this.real())
    }

    /// How many references there are.
    #[track_caller]
    pub fn strong_count(this: &Self) -> usize {
        if is_running() {
            this.count.look(Location::caller());
        }
        std::sync::Arc::strong_count(this.real())
    }

    /// A reference to write, if this is the only one.
    #[track_caller]
    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        if is_running() {
            this.count.look(Location::caller());
        }
        std::sync::Arc::get_mut(this.real.as_mut()?)
    }

    /// A reference that does not keep the value.
    #[track_caller]
    pub fn downgrade(this: &Self) -> Weak<T> {
        if is_running() {
            with(|exec| exec.want_fine());
        }
        Weak { real: std::sync::Arc::downgrade(this.real()), count: Some(std::sync::Arc::clone(&this.count)) }
    }
}

impl<T: Clone> Arc<T> {
    /// A reference to write, to a copy of the value if this is not the only reference.
    #[track_caller]
    pub fn make_mut(this: &mut Self) -> &mut T {
        if Arc::get_mut(this).is_none() {
            *this = Arc::new(T::clone(this));
        }
        match this.real.as_mut().and_then(std::sync::Arc::get_mut) {
            Some(value) => value,
            None => unreachable!("it is the only reference"),
        }
    }

    /// The value, or a copy if this is not the only reference.
    #[track_caller]
    pub fn unwrap_or_clone(this: Self) -> T {
        Arc::try_unwrap(this).unwrap_or_else(|this| T::clone(&this))
    }
}

impl<T: ?Sized> Clone for Arc<T> {
    fn clone(&self) -> Self {
        if is_running() {
            self.count.add();
        }
        Arc { real: self.real.clone(), count: std::sync::Arc::clone(&self.count) }
    }
}

impl<T: ?Sized> Drop for Arc<T> {
    fn drop(&mut self) {
        let is_last = is_running() && self.real.is_some() && self.count.remove();
        self.real = None;
        if is_last {
            self.count.dropped();
        }
    }
}

impl<T: ?Sized> Deref for Arc<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.real()
    }
}

impl<T: ?Sized> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: Default> Default for Arc<T> {
    #[track_caller]
    fn default() -> Self {
        Arc::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    #[track_caller]
    fn from(value: T) -> Self {
        Arc::new(value)
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized + fmt::Display> fmt::Display for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: ?Sized> std::borrow::Borrow<T> for Arc<T> {
    fn borrow(&self) -> &T {
        self
    }
}

impl<T: ?Sized + std::hash::Hash> std::hash::Hash for Arc<T> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: ?Sized + PartialOrd> PartialOrd for Arc<T> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        (**self).partial_cmp(&**other)
    }
}

impl<T: ?Sized + Ord> Ord for Arc<T> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (**self).cmp(&**other)
    }
}

impl<T: ?Sized + PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: ?Sized + Eq> Eq for Arc<T> {}

impl<T> Weak<T> {
    /// A reference to nothing.
    pub const fn new() -> Self {
        Weak { real: std::sync::Weak::new(), count: None }
    }
}

impl<T> Default for Weak<T> {
    fn default() -> Self {
        Weak::new()
    }
}

impl<T: ?Sized> Weak<T> {
    /// A reference that keeps the value, if it is still there.
    #[track_caller]
    pub fn upgrade(&self) -> Option<Arc<T>> {
        let count = self.count.as_ref()?;
        if is_running() {
            count.look(Location::caller());
        }
        let real = self.real.upgrade()?;
        if is_running() {
            with(|exec| {
                if let Some(object) = count.object(exec) {
                    exec.objects[object].count += 1;
                }
            });
        }
        Some(Arc { real: Some(real), count: std::sync::Arc::clone(count) })
    }
}

impl<T: ?Sized> Weak<T> {
    /// How many references keep the value.
    #[track_caller]
    pub fn strong_count(&self) -> usize {
        if let (Some(count), true) = (&self.count, is_running()) {
            count.look(Location::caller());
        }
        self.real.strong_count()
    }

    /// Whether both refer to the same value.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        self.real.ptr_eq(&other.real)
    }
}

impl<T: ?Sized> Clone for Weak<T> {
    fn clone(&self) -> Self {
        Weak { real: self.real.clone(), count: self.count.clone() }
    }
}

impl<T: ?Sized> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(Weak)")
    }
}
