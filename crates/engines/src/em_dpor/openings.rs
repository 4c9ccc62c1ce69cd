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
use smallvec::SmallVec;

/// Somebody about to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) actor: ActorId,
    /// Its last event, or the one that made it.
    pub(super) base: Option<EventId>,
    pub(super) outcome: Outcome,
    pub(super) thread: Thread,
    pub(super) touches: Touches,
}

/// All that are known.
#[derive(Default)]
pub(super) struct Openings {
    all: Vec<Opening>,
    known: FastSet<(Option<EventId>, ActorId, FootprintId)>,
    by_object: FxHashMap<ObjectId, Vec<u32>>,
    /// The messages that were stuck at the end of an execution, with what they waited to do.
    stuck: Vec<Opening>,
    /// What somebody stood waiting for: an object that had to be changed.
    waits: FxHashMap<(ActorId, Option<EventId>), SmallVec<[ObjectId; 2]>>,
    /// The task that changes an object, if it is always the same one; it may do so in one step only.
    changes: FxHashMap<ObjectId, Option<(ActorId, u32)>>,
}

impl Openings {
    /// Remembers a step that somebody takes or waits to take, and that is the `place`-th one of its task.
    pub(super) fn add(&mut self, actor: ActorId, base: Option<EventId>, place: u32, touches: Touches, tasks: &Tasks) {
        if !self.known.insert((base, actor, touches.whole)) {
            return;
        }
        let number = self.all.len() as u32;
        for touch in tasks.footprint(touches.whole).touches() {
            if !tasks.is_gate(touch.object) {
                self.by_object.entry(touch.object).or_default().push(number);
            }
            if touch.access.changes() {
                let by = self.changes.entry(touch.object).or_insert(Some((actor, place)));
                *by = by.filter(|&by| by == (actor, place));
            }
        }
        self.all.push(Opening { actor, base, outcome: Outcome::FIRST, thread: tasks.thread(actor), touches });
    }

    /// Remembers a message that waits for ever to take a step.
    pub(super) fn add_stuck(&mut self, actor: ActorId, base: Option<EventId>, touches: Touches, tasks: &Tasks) {
        if !self.stuck.iter().any(|stuck| stuck.actor == actor && stuck.base == base) {
            let thread = tasks.thread(actor);
            self.stuck.push(Opening { actor, base, outcome: Outcome::FIRST, thread, touches });
        }
    }

    /// The messages behind which a message might never begin.
    pub(super) fn stuck_before(&self, event: &Event) -> Vec<Opening> {
        let may_block =
            |stuck: &&Opening| event.number == 1 && stuck.thread == event.thread && stuck.actor != event.actor();
        self.stuck.iter().filter(may_block).copied().collect()
    }

    /// Remembers that somebody waits until an object is changed.
    pub(super) fn wait(&mut self, actor: ActorId, base: Option<EventId>, object: ObjectId) {
        let waits = self.waits.entry((actor, base)).or_default();
        if !waits.contains(&object) {
            waits.push(object);
        }
    }

    /// The step that changes an object, by its actor and its number there, if no other one was seen to.
    pub(super) fn only_change(&self, object: ObjectId) -> Option<(ActorId, u32)> {
        self.changes.get(&object).copied().flatten()
    }

    /// Whether an opening waits for the step of an event, and for nobody else's.
    fn waits_for(&self, opening: &Opening, event: &Event) -> bool {
        let by = Some((event.actor(), event.number));
        let waits = self.waits.get(&(opening.actor, opening.base));
        waits.is_some_and(|objects| objects.iter().any(|object| self.changes.get(object) == Some(&by)))
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
            opening.actor != event.actor()
                && tasks.oppose((opening.thread, opening.touches), event.key())
                && !self.waits_for(opening, event)
        };
        openings.filter(in_the_way).collect()
    }
}
