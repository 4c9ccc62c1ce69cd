//! The double of `std::sync::LazyLock`, for statics: each execution makes the value again.

use super::once::force;
use crate::exec::is_running;
use crate::handle::Handle;
use std::fmt;
use std::ops::Deref;
use std::panic::Location;

/// The double of `std::sync::LazyLock`. It is made for statics, which are known by their addresses: make no other within a model.
pub struct LazyLock<T, F = fn() -> T> {
    handle: Handle,
    real: std::sync::LazyLock<T, F>,
    init: F,
}

impl<T: 'static, F: Fn() -> T + Copy> LazyLock<T, F> {
    /// A value that is made when it is first used.
    pub const fn new(init: F) -> Self {
        LazyLock { handle: Handle::unknown(), real: std::sync::LazyLock::new(init), init }
    }

    /// Makes the value if it is not made yet.
    #[track_caller]
    pub fn force(this: &Self) -> &T {
        let site = Location::caller();
        if !is_running() {
            return std::sync::LazyLock::force(&this.real);
        }
        match force(&this.handle, site, this.init) {
            Some(value) => value,
            None => panic!("an execution that was given up cannot make a lazy value"),
        }
    }
}

impl<T: 'static, F: Fn() -> T + Copy> Deref for LazyLock<T, F> {
    type Target = T;

    #[track_caller]
    fn deref(&self) -> &T {
        LazyLock::force(self)
    }
}

impl<T, F> fmt::Debug for LazyLock<T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LazyLock")
    }
}
