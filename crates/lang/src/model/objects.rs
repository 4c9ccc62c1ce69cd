//! The objects of a program by number: cells, mutexes, semaphores and their like, condition variables, handlers,
//! mailboxes, events, invariants, and then for each actor its life (created, woken, ended) and the slots of its children.

use super::Model;
use crate::coverage::Marks;
use crate::guard::Watch;
use crate::names::Names;
use crate::state::Layout;
use mazurka_core::{ActorId, ObjectId};

impl Model {
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn marks(&self) -> &Marks {
        &self.marks
    }

    pub(crate) fn watches(&self) -> &[Watch] {
        &self.watches
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn first_event(&self) -> u32 {
        self.program.threads.len() as u32
    }

    pub(crate) fn cell_object(&self, cell: usize) -> ObjectId {
        ObjectId(cell as u32)
    }

    pub(crate) fn mutex_object(&self, mutex: usize) -> ObjectId {
        ObjectId((self.program.cells.len() + mutex) as u32)
    }

    /// A semaphore, a read-write lock or a channel.
    pub(crate) fn sync_object(&self, number: usize) -> ObjectId {
        self.mutex_object(self.program.mutexes.len() + number)
    }

    pub(crate) fn condition_object(&self, condition: usize) -> ObjectId {
        self.sync_object(self.program.syncs.len() + condition)
    }

    pub(super) fn first_handler_object(&self) -> u32 {
        self.condition_object(self.program.conditions.len()).0
    }

    pub(crate) fn handler_object(&self, handler: u32) -> ObjectId {
        ObjectId(self.first_handler_object() + handler)
    }

    pub(crate) fn mailbox_object(&self, handler: u32) -> ObjectId {
        ObjectId(self.first_handler_object() + self.program.handlers.len() as u32 + handler)
    }

    pub(crate) fn event_object(&self, event: usize) -> ObjectId {
        ObjectId(self.first_handler_object() + (2 * self.program.handlers.len() + event) as u32)
    }

    pub(crate) fn invariant_object(&self, invariant: u32) -> ObjectId {
        self.event_object(self.program.events.len() + invariant as usize)
    }

    fn first_actor_object(&self) -> u32 {
        self.invariant_object(self.program.invariants.len() as u32).0
    }

    pub(crate) fn life(&self, actor: ActorId) -> ObjectId {
        ObjectId(self.first_actor_object() + 2 * actor.0)
    }

    pub(crate) fn children(&self, actor: ActorId) -> ObjectId {
        ObjectId(self.first_actor_object() + 2 * actor.0 + 1)
    }
}
