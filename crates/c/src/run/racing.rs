//! What a step tells the clocks of data races.

use super::Run;
use super::access::for_each_object;
use crate::clocks::Access;
use crate::ir::Order;
use crate::memory::is_hidden;
use mazurka_core::{ActorId, ObjectId, Violation, ViolationKind};

impl Run<'_> {
    /// A step begins.
    #[inline]
    pub(super) fn tick(&mut self) {
        if let Some(clocks) = &mut self.state.clocks {
            clocks.tick(self.actor);
        }
    }

    /// So many bytes were accessed.
    #[inline]
    pub(super) fn accessed(&mut self, address: u64, size: u64, reads: bool, writes: bool, order: Order) {
        if self.state.clocks.is_some() && !is_hidden(address) {
            self.tell_access(address, size, Access { reads, writes, order, pc: self.pc as u32 });
        }
    }

    fn tell_access(&mut self, address: u64, size: u64, access: Access) {
        let Some(clocks) = &mut self.state.clocks else { return };
        let (actor, mut race) = (self.actor, None);
        for_each_object(self.model, address, size, |object| {
            if let Some(other) = clocks.access(actor, object.0, access) {
                race = race.or(Some((object, other)));
            }
        });
        if let Some((object, other)) = race {
            self.tell_race(object, other);
        }
    }

    /// Both places, the earlier line first, so that a race is the same in both orders.
    fn tell_race(&mut self, object: ObjectId, other: u32) {
        let (one, other) = (self.model.location(self.pc as u32), self.model.location(other));
        let (first, second) = (one.as_ref().min(other.as_ref()), one.as_ref().max(other.as_ref()));
        let name = crate::words::object_name(self.model, object);
        let mut message = format!("data race on {name}");
        if let (Some(first), Some(second)) = (first, second) {
            let elsewhere = if first.file == second.file { String::new() } else { format!("{}:", second.file) };
            message +=
                &format!(" between {}:{} and {elsewhere}{}:{}", first.line, first.column, second.line, second.column);
        }
        let mut violation = Violation::new(ViolationKind::Race, message);
        violation.location = first.cloned();
        violation.actor = Some(ActorId(self.actor));
        self.step.fail(violation);
    }

    pub(super) fn acquired(&mut self, object: ObjectId) {
        if let Some(clocks) = &mut self.state.clocks {
            clocks.acquire(self.actor, object.0);
        }
    }

    pub(super) fn released(&mut self, object: ObjectId) {
        if let Some(clocks) = &mut self.state.clocks {
            clocks.release(self.actor, object.0);
        }
    }

    /// The actor made another one, or started it.
    pub(super) fn born(&mut self, child: u32) {
        if let Some(clocks) = &mut self.state.clocks {
            clocks.learn(child, self.actor);
        }
    }

    pub(super) fn joined(&mut self, thread: u32) {
        if let Some(clocks) = &mut self.state.clocks {
            clocks.learn(self.actor, thread);
        }
    }

    pub(super) fn fence(&mut self, order: Order) {
        if let Some(clocks) = &mut self.state.clocks {
            clocks.fence(self.actor, order);
        }
    }
}
