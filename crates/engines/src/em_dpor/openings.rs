//! Openings: steps that somebody was seen to take, or to wait for, and what they need before them.
//!
//! To leave an event out, something else has to come in its way: a step of another task that depends on it and comes
//! first. Every step that was taken anywhere is remembered, and every one that somebody waited to take at the end of an
//! execution: by its task and its number there, and not by its past, which may be another one when it comes first.

use super::events::Event;
use super::tasks::{Tasks, Thread, Touches};
use crate::tally::FastSet;
use mazurka_core::{ActorId, FootprintId, Move, ObjectId, Outcome};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A step by its task and its number there, from 1.
pub(super) type Place = (ActorId, u32);

/// A step that can come in the way of others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) place: Place,
    pub(super) outcome: Outcome,
    pub(super) thread: Thread,
    pub(super) touches: Touches,
}

/// What was seen of a step.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// What it touches, if that was always the same.
    touches: Option<Touches>,
    /// What has to be done before it, beside the step before it in its task.
    needs: SmallVec<[Place; 2]>,
}

/// All that are known.
#[derive(Default)]
pub(super) struct Openings {
    all: Vec<Opening>,
    known: FastSet<(Place, Outcome, FootprintId)>,
    by_object: FxHashMap<ObjectId, Vec<u32>>,
    seen: FxHashMap<Place, Seen>,
    /// The messages of each queue, by their first steps, and the queues that were jammed at the end of an execution.
    messages: FxHashMap<Thread, Vec<Opening>>,
    jammed: FastSet<Thread>,
    /// The outcomes beyond the first one that a step was seen to have.
    outcomes: FxHashMap<Place, SmallVec<[Outcome; 2]>>,
    /// The step that makes an actor, and the one that changes an object, if it is always the same one.
    makers: FxHashMap<ActorId, Option<Place>>,
    changes: FxHashMap<ObjectId, Option<Place>>,
}

fn only(known: &mut Option<Place>, place: Place) {
    *known = known.filter(|&known| known == place);
}

impl Openings {
    /// Remembers a step that somebody takes or waits to take.
    pub(super) fn add(&mut self, place: Place, outcome: Outcome, touches: Touches, tasks: &Tasks) {
        if !self.known.insert((place, outcome, touches.whole)) {
            return;
        }
        let number = self.all.len() as u32;
        let mut needs: SmallVec<[Place; 2]> = SmallVec::new();
        for touch in tasks.footprint(touches.whole).touches() {
            if touch.access.changes() {
                only(self.changes.entry(touch.object).or_insert(Some(place)), place);
            } else if tasks.is_gate(touch.object) {
                needs.extend(self.changes.get(&touch.object).copied().flatten());
            }
            if !tasks.is_gate(touch.object) {
                self.by_object.entry(touch.object).or_default().push(number);
            }
        }
        match self.seen.get_mut(&place) {
            Some(seen) => *seen = Seen::default(),
            None => drop(self.seen.insert(place, Seen { touches: Some(touches), needs })),
        }
        let opening = Opening { place, outcome, thread: tasks.thread(place.0), touches };
        if place.1 == 1 && matches!(opening.thread, Thread::Queue(_)) {
            self.messages.entry(opening.thread).or_default().push(opening);
        }
        self.all.push(opening);
    }

    /// Remembers that a step has a further outcome.
    pub(super) fn add_outcome(&mut self, place: Place, outcome: Outcome) {
        let outcomes = self.outcomes.entry(place).or_default();
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    }

    /// The moves of an actor that are known for its step with this number, the first outcome last.
    pub(super) fn moves(&self, place: Place) -> impl Iterator<Item = Move> + '_ {
        let further = self.outcomes.get(&place).into_iter().flatten().rev().copied();
        further.chain([Outcome::FIRST]).map(move |outcome| Move { actor: place.0, outcome })
    }

    /// Remembers who made an actor.
    pub(super) fn add_maker(&mut self, actor: ActorId, place: Place) {
        only(self.makers.entry(actor).or_insert(Some(place)), place);
    }

    /// Remembers a queue whose messages wait behind one that is stuck.
    pub(super) fn add_jammed(&mut self, thread: Thread) {
        self.jammed.insert(thread);
    }

    /// The messages that could go ahead of that of an event and leave it out in a way that was not seen yet: because the
    /// queue may be jammed, or, where steps are not fixed, because the two messages have to do with each other.
    pub(super) fn ahead_of(&self, event: &Event, fixed_steps: bool, tasks: &Tasks) -> Vec<Opening> {
        let may_never_begin = event.number == 1 && self.jammed.contains(&event.thread);
        let goes_ahead = |other: &&Opening| {
            other.place.0 != event.actor()
                && (may_never_begin || !fixed_steps && self.oppose(event.actor(), other.place.0, tasks))
        };
        let messages = self.messages.get(&event.thread).into_iter().flatten();
        messages.filter(goes_ahead).copied().collect()
    }

    /// Whether a step of one task was seen that depends on one of another task.
    fn oppose(&self, one: ActorId, other: ActorId, tasks: &Tasks) -> bool {
        let of = |actor: ActorId| self.all.iter().filter(move |opening| opening.place.0 == actor);
        let key = |opening: &Opening| (opening.thread, opening.touches);
        of(one).any(|mine| of(other).any(|theirs| tasks.oppose(key(mine), key(theirs))))
    }

    /// The step that changes an object, if no other one was seen to.
    pub(super) fn only_change(&self, object: ObjectId) -> Option<Place> {
        self.changes.get(&object).copied().flatten()
    }

    /// What a step touches, if that was always the same.
    pub(super) fn touches(&self, place: Place) -> Option<Touches> {
        self.seen.get(&place)?.touches
    }

    /// The steps that have to be done before a step, beside the one before it in its task.
    pub(super) fn needs(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let maker = (place.1 == 1).then(|| self.makers.get(&place.0).copied().flatten()).flatten();
        self.seen.get(&place).into_iter().flat_map(|seen| seen.needs.iter().copied()).chain(maker)
    }

    /// The openings of other tasks that are in the way of an event.
    pub(super) fn against(&self, event: &Event, tasks: &Tasks) -> Vec<Opening> {
        let touches = tasks.footprint(event.touches.whole).touches();
        let lists = touches.iter().filter_map(|touch| self.by_object.get(&touch.object));
        let mut numbers: Vec<u32> = lists.flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let openings = numbers.into_iter().map(|number| self.all[number as usize]);
        let in_the_way = |opening: &Opening| {
            opening.place.0 != event.actor() && tasks.oppose((opening.thread, opening.touches), event.key())
        };
        openings.filter(in_the_way).collect()
    }
}
