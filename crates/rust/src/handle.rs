//! What a double knows of the object that it stands for.

use crate::exec::{Exec, is_running, with};
use crate::names::{Kind, Site};
use crate::operation::NO_OBJECT;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bits for the number of an object; the others tell the execution.
const NUMBER_BITS: u32 = 24;

/// The object in the present execution that a double stands for. What was made within a closure is known from then on; what was
/// made before becomes known when it is first used in an execution, by its address.
#[derive(Debug)]
pub(crate) struct Handle(AtomicU64);

impl Handle {
    /// Of a static, which is known by its address.
    pub(crate) const fn unknown() -> Self {
        Handle(AtomicU64::new(0))
    }

    /// A double was made.
    pub(crate) fn new(kind: Kind, site: Site, init: impl FnOnce(&mut Exec, u32)) -> Self {
        let handle = Handle(AtomicU64::new(0));
        if is_running() {
            with(|exec| {
                if !exec.given_up {
                    let object = exec.new_object(kind, site);
                    init(exec, object);
                    handle.keep(exec, object);
                }
            });
        }
        handle
    }

    fn keep(&self, exec: &Exec, object: u32) {
        self.0.store(exec.epoch << NUMBER_BITS | u64::from(object), Ordering::Relaxed);
    }

    /// The number of the object in the execution that runs; [`NO_OBJECT`] if that was given up before it was known.
    #[inline]
    pub(crate) fn object(&self, exec: &mut Exec, kind: Kind, site: Site, init: impl FnOnce(&mut Exec, u32)) -> u32 {
        let known = self.0.load(Ordering::Relaxed);
        if known >> NUMBER_BITS == exec.epoch {
            return (known & ((1 << NUMBER_BITS) - 1)) as u32;
        }
        if exec.given_up {
            return NO_OBJECT;
        }
        let (object, is_new) = exec.outside_object(std::ptr::from_ref(self) as usize, kind, site);
        if is_new {
            init(exec, object);
        }
        self.keep(exec, object);
        object
    }
}
