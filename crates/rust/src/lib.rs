//! Ordinary Rust code under Mazurka's engines.
//!
//! A [`Closure`] is a [`System`](mazurka_core::System): a closure that is run again and again, in one order of its threads after the
//! other. Its threads are fibers on the OS thread that explores, and it uses the doubles of `std` that are here: [`sync`],
//! [`thread`], [`cell`], [`hint`]. Outside of a model, a double behaves like the original.
//!
//! This crate has all the `unsafe` code of the project. It knows no engine: `mazurka` puts the two together, and `mazurka-sync` is
//! what users depend on.

pub mod cell;
mod check;
mod exec;
pub mod future;
mod handle;
mod local;
pub mod mailbox;
mod memory;
mod names;
mod operation;
mod panic;
mod source;
mod spin;
mod stop;
pub mod sync;
mod system;
pub mod thread;
mod unwind;
mod watch;

pub use check::{assume, choose, cover, progress};
pub use system::{Closure, Cost, Rounds, State};

/// Whether the caller runs within a closure that is being checked.
pub fn is_checking() -> bool {
    exec::is_running()
}

/// Doubles of `std::hint`.
pub mod hint {
    pub use std::hint::{assert_unchecked, black_box, unreachable_unchecked};

    /// Nothing, within a model: a thread that would do the same again waits by itself.
    pub fn spin_loop() {
        if !crate::exec::is_running() {
            std::hint::spin_loop();
        }
    }
}
