//! Openings: places where somebody stood about to touch something.
//!
//! To leave an event out, something else has to come in its way: a step of another task that depends on it and comes
//! first. Every step that was taken anywhere, and every one that somebody waited to take at the end of an execution, is
//! remembered with the last event of its task before it.

use super::events::{Event, EventId};
use super::tasks::{Tasks, Thread, Touches};
use crate::tally::FastSet;
use mazurka_core::{ActorId, FootprintId, ObjectId, Outcome};
use rustc_hash::FxHashMap;

/// Somebody about to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) actor: ActorId,
    /// Its last event, or the one that made it.
    pub(super) base: Option<EventId>,
    pub(super) outcome: Outcome,
    thread: Thread,
    touches: Touches,
}

/// All that are known.
#[derive(Default)]
pub(super) struct Openings {
    all: Vec<Opening>,
    known: FastSet<(Option<EventId>, ActorId, FootprintId)>,
    by_object: FxHashMap<ObjectId, Vec<u32>>,
}

impl Openings {
    /// Remembers a step that somebody takes or waits to take.
    pub(super) fn add(&mut self, actor: ActorId, base: Option<EventId>, touches: Touches, tasks: &Tasks) {
        if !self.known.insert((base, actor, touches.whole)) {
            return;
        }
        let number = self.all.len() as u32;
        for touch in tasks.footprint(touches.whole).touches() {
            self.by_object.entry(touch.object).or_default().push(number);
        }
        self.all.push(Opening { actor, base, outcome: Outcome::FIRST, thread: tasks.thread(actor), touches });
    }

    /// The openings of other tasks that are in the way of an event.
    pub(super) fn against(&self, event: &Event, tasks: &Tasks) -> Vec<Opening> {
        let touches = tasks.footprint(event.touches.whole).touches();
        let lists = touches.iter().filter_map(|touch| self.by_object.get(&touch.object));
        let mut numbers: Vec<u32> = lists.flatten().copied().collect();
        if touches.len() > 1 {
            numbers.sort_unstable();
            numbers.dedup();
        }
        let openings = numbers.into_iter().map(|number| self.all[number as usize]);
        let in_the_way = |opening: &Opening| {
            opening.actor != event.actor() && tasks.depend((opening.thread, opening.touches), event.key())
        };
        openings.filter(in_the_way).collect()
    }
}
