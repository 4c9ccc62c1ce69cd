//! What a step tells the clocks of data races.

use super::Run;
use super::access::for_each_object;
use crate::clocks::Access;
use crate::ir::Order;
use crate::memory::is_hidden;
use crate::model::Model;
use mazurka_core::{ActorId, ObjectId, Violation, ViolationKind};
use rustc_hash::FxHashMap;
use std::sync::{PoisonError, RwLock};

impl Run<'_> {
    /// A step begins.
    #[inline]
    pub(super) fn tick(&mut self) {
        if let Some(clocks) = &mut self.state.clocks {
            clocks.tick(self.actor);
        }
    }

    /// This many bytes were accessed. What an atomic section does is atomic, whatever the access itself says.
    #[inline]
    pub(super) fn accessed(&mut self, address: u64, size: u64, reads: bool, writes: bool, order: Order) {
        if self.state.clocks.is_some() && !is_hidden(address) {
            let order = if self.atomics > 0 && order == Order::None { Order::Sequential } else { order };
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

    fn tell_race(&mut self, object: ObjectId, other: u32) {
        let pc = self.pc as u32;
        let mut violation = self.model.races().told((object, pc, other), || race(self.model, object, pc, other));
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

/// Races that were told. A race is met in very many executions, and its words take longer than they do.
#[derive(Debug, Default)]
pub(crate) struct Races {
    table: RwLock<FxHashMap<(ObjectId, u32, u32), Violation>>,
}

impl Races {
    fn told(&self, key: (ObjectId, u32, u32), tell: impl FnOnce() -> Violation) -> Violation {
        if let Some(known) = self.table.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let violation = tell();
        self.table.write().unwrap_or_else(PoisonError::into_inner).insert(key, violation.clone());
        violation
    }
}

/// Both places, the earlier line first, so that a race is the same in both orders.
fn race(model: &Model, object: ObjectId, one: u32, other: u32) -> Violation {
    let (one, other) = (model.location(one), model.location(other));
    let (first, second) = (one.as_ref().min(other.as_ref()), one.as_ref().max(other.as_ref()));
    let name = crate::words::object_name(model, object);
    let mut message = format!("data race on {name}");
    if let (Some(first), Some(second)) = (first, second) {
        let elsewhere = if first.file == second.file { String::new() } else { format!("{}:", second.file) };
        message +=
            &format!(" between {}:{} and {elsewhere}{}:{}", first.line, first.column, second.line, second.column);
    }
    let mut violation = Violation::new(ViolationKind::Race, message);
    violation.location = first.cloned();
    violation
}
