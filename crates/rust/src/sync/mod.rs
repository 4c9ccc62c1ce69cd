//! Doubles of `std::sync`.
//!
//! Each contains the real thing, which serves outside of a model. Within one, what threads see is kept by the execution.

pub mod atomic;
mod condvar;
mod mutex;

pub use condvar::{Condvar, WaitTimeoutResult};
pub use mutex::{Mutex, MutexGuard};
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
