//! What the doubles of `Mutex` and `RwLock` share: poison, and attempts that do not wait.
//!
//! A panic poisons when the guard is dropped, and whoever looks at the poison notices when that is. So unlocking has to be a step of its own
//! in a program that looks, as in one that attempts.

use crate::exec::{Exec, perform, with};
use crate::names::Site;
use crate::operation::{Operation, Verb};
use crate::spin::Frame;
use mazurka_core::Access;
use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};

/// A lock that a panic poisons.
pub(super) trait Lock {
    /// The object that stands for it in a model.
    fn object(&self, exec: &mut Exec, site: Site) -> u32;

    /// Whether the real lock is poisoned; for use outside of a model.
    fn is_really_poisoned(&self) -> bool;

    /// Whether a thread panicked while it held the lock for writing. Clears that if asked to.
    fn look_at_poison(&self, site: Site, clears: bool) -> bool {
        let object = with(|exec| {
            exec.want_fine();
            self.object(exec, site)
        });
        let access = if clears { Access::READ_WRITE } else { Access::READ };
        let is_live = perform(Operation::new(Verb::Look, object, access, site), None);
        with(|exec| {
            let Some(was_poisoned) = exec.objects.get(object as usize).map(|object| object.is_poisoned) else {
                return false;
            };
            if is_live {
                exec.touch(object, access);
                exec.saw(u64::from(was_poisoned));
                if clears {
                    exec.changed(object);
                    exec.objects[object as usize].is_poisoned = false;
                }
            }
            was_poisoned
        })
    }

    /// Whether it is poisoned, where no other thread can have it: no operation.
    fn was_poisoned(&self, site: Site) -> bool {
        if !crate::exec::is_running() {
            return self.is_really_poisoned();
        }
        with(|exec| {
            let object = self.object(exec, site);
            exec.objects.get(object as usize).is_some_and(|object| object.is_poisoned)
        })
    }

    /// Attempts to take it, which fails at once where `is_taken` says so.
    #[inline(never)]
    fn attempt(&self, site: Site, access: Access, frame: &Frame, is_taken: impl FnOnce(&Exec, u32) -> bool) -> Attempt {
        let object = with(|exec| {
            exec.want_fine();
            self.object(exec, site)
        });
        let is_live = perform(Operation::new(Verb::TryLock, object, access, site), Some(frame));
        let fails = is_live
            && with(|exec| {
                let is_taken = is_taken(exec, object);
                if exec.is_same_round(!is_taken) {
                    return is_taken;
                }
                exec.saw(u64::from(is_taken));
                if is_taken {
                    exec.touch(object, Access::READ);
                }
                is_taken
            });
        if fails { Attempt::Fails } else { Attempt::Succeeds { object, is_live } }
    }
}

/// What came of an attempt.
pub(super) enum Attempt {
    Fails,
    /// The lock is free, and is to be taken within the step.
    Succeeds {
        object: u32,
        is_live: bool,
    },
}

/// What `std` returns with a guard of a lock that may be poisoned.
pub(super) fn wrap<G>(guard: G, is_poisoned: bool) -> LockResult<G> {
    if is_poisoned { Err(PoisonError::new(guard)) } else { Ok(guard) }
}

/// What a real lock said, with a guard of ours around its own.
pub(super) fn around<G, H>(result: LockResult<G>, guard: impl FnOnce(G) -> H) -> LockResult<H> {
    match result {
        Ok(real) => Ok(guard(real)),
        Err(poisoned) => Err(PoisonError::new(guard(poisoned.into_inner()))),
    }
}

/// The same of an attempt.
pub(super) fn around_attempt<G, H>(result: TryLockResult<G>, guard: impl FnOnce(G) -> H) -> TryLockResult<H> {
    match result {
        Ok(real) => Ok(guard(real)),
        Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
        Err(TryLockError::Poisoned(poisoned)) => {
            Err(TryLockError::Poisoned(PoisonError::new(guard(poisoned.into_inner()))))
        }
    }
}
