//! Plain memory that threads share.

use crate::exec::{Exec, halt, is_running, with};
use crate::handle::Handle;
use crate::names::{Kind, Site};
use std::panic::Location;

pub use std::cell::{BorrowError, BorrowMutError, Cell, OnceCell, Ref, RefCell, RefMut};

/// The double of `std::cell::UnsafeCell`: each access is compared with those of other threads, and two that nothing orders are a data
/// race. It has `with` and `with_mut` instead of `get`, so that it is known when an access begins.
#[derive(Debug)]
pub struct UnsafeCell<T: ?Sized> {
    handle: Handle,
    data: std::cell::UnsafeCell<T>,
}

impl<T> UnsafeCell<T> {
    /// A new cell. Making it is a write.
    #[track_caller]
    pub fn new(data: T) -> Self {
        let site = Location::caller();
        let handle = Handle::new(Kind::Cell, site, |exec, object| {
            exec.access(object, true, site);
        });
        UnsafeCell { handle, data: std::cell::UnsafeCell::new(data) }
    }

    /// The data, where no other thread can have the cell.
    pub fn into_inner(self) -> T {
        self.data.into_inner()
    }
}

impl<T: ?Sized> UnsafeCell<T> {
    fn object(&self, exec: &mut Exec, site: Site) -> u32 {
        self.handle.object(exec, Kind::Cell, site, |exec, _| {
            // SAFETY: only the size is asked for, which is no access.
            if size_of_val(unsafe { &*self.data.get() }) > 0 {
                exec.outlives("UnsafeCell", site);
            }
        })
    }

    fn access(&self, writes: bool, site: Site) {
        if is_running()
            && with(|exec| {
                let object = self.object(exec, site);
                exec.access(object, writes, site) || exec.is_broken()
            })
        {
            halt();
        }
    }

    /// Reads the data through a pointer.
    #[track_caller]
    pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        self.access(false, Location::caller());
        read(self.data.get())
    }

    /// Writes the data through a pointer.
    #[track_caller]
    pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        self.access(true, Location::caller());
        write(self.data.get())
    }

    /// A pointer to the data for an access that writes, at this moment. Accesses through it later on are not seen: prefer
    /// [`UnsafeCell::with_mut`].
    #[track_caller]
    pub fn get(&self) -> *mut T {
        self.access(true, Location::caller());
        self.data.get()
    }

    /// A reference, while there can be no other.
    #[track_caller]
    pub fn get_mut(&mut self) -> &mut T {
        self.access(true, Location::caller());
        self.data.get_mut()
    }
}

impl<T: Default> Default for UnsafeCell<T> {
    #[track_caller]
    fn default() -> Self {
        UnsafeCell::new(T::default())
    }
}
