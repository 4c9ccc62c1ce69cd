//! The double of `std::sync::Barrier`.

use crate::exec::{Exec, is_running, perform, with};
use crate::handle::Handle;
use crate::names::{Kind, Site};
use crate::operation::{Needs, Operation, Verb};
use mazurka_core::{Access, VectorClock};
use std::panic::Location;

/// The double of `std::sync::Barrier`.
#[derive(Debug)]
pub struct Barrier {
    handle: Handle,
    real: std::sync::Barrier,
    size: usize,
}

/// Whether a thread was the last to arrive.
#[derive(Clone, Copy, Debug)]
pub struct BarrierWaitResult(bool);

impl BarrierWaitResult {
    /// Whether it was: of the threads that leave a barrier together, one.
    pub fn is_leader(&self) -> bool {
        self.0
    }
}

impl Barrier {
    /// A barrier that this number of threads pass together.
    #[track_caller]
    pub fn new(size: usize) -> Self {
        let handle = Handle::new(Kind::Barrier, Location::caller(), |_, _| {});
        Barrier { handle, real: std::sync::Barrier::new(size), size }
    }

    fn object(&self, exec: &mut Exec, site: Site) -> u32 {
        self.handle.object(exec, Kind::Barrier, site, |_, _| {})
    }

    /// As `std` has it.
    #[track_caller]
    pub fn wait(&self) -> BarrierWaitResult {
        let site = Location::caller();
        if !is_running() {
            return BarrierWaitResult(self.real.wait().is_leader());
        }
        let object = with(|exec| self.object(exec, site));
        if !perform(Operation::new(Verb::Arrive, object, Access::READ_WRITE, site), None) {
            return BarrierWaitResult(true);
        }
        let is_last = with(|exec| self.arrive(exec, object));
        if !is_last {
            perform(Operation::new(Verb::Depart, object, Access::READ, site).needing(Needs::Awake), None);
        }
        BarrierWaitResult(is_last)
    }

    fn arrive(&self, exec: &mut Exec, object: u32) -> bool {
        exec.touch(object, Access::READ_WRITE);
        exec.actors[exec.current].looks.clear();
        let slot = exec.current as u32;
        exec.objects[object as usize].queue.push(slot);
        if exec.objects[object as usize].queue.len() < self.size.max(1) {
            exec.saw(0);
            exec.fall_asleep();
            return false;
        }
        exec.saw(1);
        let all = std::mem::take(&mut exec.objects[object as usize].queue);
        // What each knew when it arrived, all know when they leave.
        let mut known = VectorClock::new();
        all.iter().for_each(|&slot| known.join(&exec.actors[slot as usize].clock));
        for &other in &all {
            exec.actors[other as usize].clock.join(&known);
            exec.actors[other as usize].tick();
            if other != slot {
                exec.wake(other as usize);
            }
        }
        true
    }
}
