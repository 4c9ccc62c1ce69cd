//! The double of `std::thread_local!`: the threads of a model run on one OS thread, so they need locals of their own.

use crate::exec::{is_running, with};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The double of `std::thread::LocalKey`; made by `thread_local!`.
pub struct LocalKey<T: 'static> {
    real: &'static std::thread::LocalKey<T>,
    init: fn() -> T,
}

impl<T> std::fmt::Debug for LocalKey<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LocalKey")
    }
}

/// Like `std::thread_local!`.
#[macro_export]
macro_rules! thread_local {
    () => {};
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = const $init:block; $($rest:tt)*) => {
        $crate::thread_local! { $(#[$attribute])* $visibility static $name: $type = $init; $($rest)* }
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = const $init:block) => {
        $crate::thread_local! { $(#[$attribute])* $visibility static $name: $type = $init; }
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr; $($rest:tt)*) => {
        $crate::thread_local! { $(#[$attribute])* $visibility static $name: $type = $init }
        $crate::thread_local! { $($rest)* }
    };
    ($(#[$attribute:meta])* $visibility:vis static $name:ident: $type:ty = $init:expr) => {
        $(#[$attribute])*
        $visibility static $name: $crate::thread::LocalKey<$type> = {
            fn init() -> $type {
                $init
            }
            ::std::thread_local! { static REAL: $type = init() }
            $crate::thread::LocalKey::__new(&REAL, init)
        };
    };
}

impl<T: 'static> LocalKey<T> {
    #[doc(hidden)]
    pub const fn __new(real: &'static std::thread::LocalKey<T>, init: fn() -> T) -> Self {
        LocalKey { real, init }
    }

    /// The value of the present thread, which is made when it is first asked for.
    fn value(&'static self) -> Rc<T> {
        let key = std::ptr::from_ref(self) as usize;
        let known = || {
            with(|exec| {
                let locals = &exec.actors[exec.current].locals;
                let (_, local) = locals.iter().find(|(known, _)| *known == key)?;
                local.downcast_ref::<Rc<T>>().cloned()
            })
        };
        known().unwrap_or_else(|| {
            let value = Rc::new((self.init)());
            with(|exec| exec.actors[exec.current].locals.push((key, Box::new(Rc::clone(&value)))));
            value
        })
    }

    /// As `std` has it.
    pub fn with<R>(&'static self, act: impl FnOnce(&T) -> R) -> R {
        if is_running() { act(&self.value()) } else { self.real.with(act) }
    }

    /// As `std` has it.
    pub fn try_with<R>(&'static self, act: impl FnOnce(&T) -> R) -> Result<R, std::thread::AccessError> {
        if is_running() { Ok(act(&self.value())) } else { self.real.try_with(act) }
    }
}

impl<T: 'static> LocalKey<Cell<T>> {
    /// As `std` has it.
    pub fn set(&'static self, value: T) {
        self.with(|cell| cell.set(value));
    }

    /// As `std` has it.
    pub fn get(&'static self) -> T
    where
        T: Copy,
    {
        self.with(Cell::get)
    }

    /// As `std` has it.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(Cell::take)
    }

    /// As `std` has it.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}

impl<T: 'static> LocalKey<RefCell<T>> {
    /// As `std` has it.
    pub fn with_borrow<R>(&'static self, act: impl FnOnce(&T) -> R) -> R {
        self.with(|cell| act(&cell.borrow()))
    }

    /// As `std` has it.
    pub fn with_borrow_mut<R>(&'static self, act: impl FnOnce(&mut T) -> R) -> R {
        self.with(|cell| act(&mut cell.borrow_mut()))
    }

    /// As `std` has it.
    pub fn set(&'static self, value: T) {
        self.with(|cell| *cell.borrow_mut() = value);
    }

    /// As `std` has it.
    pub fn take(&'static self) -> T
    where
        T: Default,
    {
        self.with(RefCell::take)
    }

    /// As `std` has it.
    pub fn replace(&'static self, value: T) -> T {
        self.with(|cell| cell.replace(value))
    }
}
