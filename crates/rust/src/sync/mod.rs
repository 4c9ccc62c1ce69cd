//! Doubles of `std::sync`.
//!
//! Each contains the real thing, which serves outside of a model. Within one, what threads see is kept by the execution.

mod arc;
pub mod atomic;
mod barrier;
mod condvar;
mod lazy;
mod lock;
pub mod mpsc;
mod mutex;
mod once;
mod rwlock;

pub use arc::{Arc, Weak};
pub use barrier::{Barrier, BarrierWaitResult};
pub use condvar::{Condvar, WaitTimeoutResult};
pub use lazy::LazyLock;
pub use mutex::{Mutex, MutexGuard};
pub use once::{Once, OnceLock, OnceState};
pub use rwlock::{RwLock, RwLockReadGuard, RwLockWriteGuard};
pub use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
