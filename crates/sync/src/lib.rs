//! `std::sync`, `std::thread`, `std::cell` and `std::hint`, for code that Mazurka checks in tests.
//!
//! Without features these are the modules of `std` themselves, and this crate has no dependencies. With the feature `check`, which tests
//! turn on, they are doubles: within `mazurka::model` every order of threads is tried, and outside of it they behave like `std`.
#![forbid(unsafe_code)]

#[cfg(feature = "check")]
pub use mazurka_rust::{cell, hint, sync, thread};

#[cfg(not(feature = "check"))]
pub use std::{hint, sync, thread};

/// Plain memory that threads share.
#[cfg(not(feature = "check"))]
pub mod cell {
    pub use std::cell::{BorrowError, BorrowMutError, Cell, OnceCell, Ref, RefCell, RefMut};

    /// `std::cell::UnsafeCell` with `with` and `with_mut`, so that a checker knows when an access begins.
    #[derive(Debug, Default)]
    pub struct UnsafeCell<T: ?Sized>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        /// A new cell.
        pub const fn new(data: T) -> Self {
            UnsafeCell(std::cell::UnsafeCell::new(data))
        }

        /// The data, where no other thread can have the cell.
        pub fn into_inner(self) -> T {
            self.0.into_inner()
        }
    }

    impl<T: ?Sized> UnsafeCell<T> {
        /// Reads the data through a pointer.
        #[inline(always)]
        pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        /// Writes the data through a pointer.
        #[inline(always)]
        pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }

        /// A pointer to the data.
        #[inline(always)]
        pub const fn get(&self) -> *mut T {
            self.0.get()
        }

        /// A reference, while there can be no other.
        #[inline(always)]
        pub const fn get_mut(&mut self) -> &mut T {
            self.0.get_mut()
        }
    }
}
