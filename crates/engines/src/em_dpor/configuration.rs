//! A configuration: events of one execution, each with its whole past.

use super::events::{EventId, Events};
use mazurka_core::ActorId;
use rustc_hash::FxHashMap;

/// Events that have been settled, in an order that their pasts allow; the last ones can be taken back.
#[derive(Default)]
pub(super) struct Configuration {
    order: Vec<EventId>,
    contains: Vec<bool>,
    tasks: FxHashMap<ActorId, u32>,
}

impl Configuration {
    pub(super) fn events(&self) -> &[EventId] {
        &self.order
    }

    pub(super) fn contains(&self, event: EventId) -> bool {
        self.contains.get(event.index()).is_some_and(|&contained| contained)
    }

    /// How many events of an actor it has.
    pub(super) fn count(&self, actor: ActorId) -> u32 {
        self.tasks.get(&actor).copied().unwrap_or(0)
    }

    pub(super) fn push(&mut self, id: EventId, events: &Events) {
        if self.contains.len() <= id.index() {
            self.contains.resize(id.index() + 1, false);
        }
        self.contains[id.index()] = true;
        self.order.push(id);
        *self.tasks.entry(events.get(id).actor()).or_default() += 1;
    }

    pub(super) fn pop(&mut self, events: &Events) {
        let Some(id) = self.order.pop() else { return };
        self.contains[id.index()] = false;
        if let Some(count) = self.tasks.get_mut(&events.get(id).actor()) {
            *count -= 1;
        }
    }
}
