//! The prefix of the unfolding that a search makes, kept for a picture.

use super::events::{EventId, Events, Name};
use hashbrown::HashMap;
use mazurka_core::{FootprintId, Move, StopReason};
use rustc_hash::FxBuildHasher;

/// An event of a prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrefixEvent {
    /// The initial state that it follows, by its number.
    pub start: usize,
    /// The actor that moves, and the outcome.
    pub step: Move,
    /// All its causes, by their places in the prefix, in an order in which they can happen.
    pub history: Vec<usize>,
    /// Those causes that are no cause of another one.
    pub causes: Vec<usize>,
    /// The earlier events of the prefix with which it is in immediate conflict: no execution has both, and no conflict
    /// among their causes is the reason.
    pub conflicts: Vec<usize>,
    /// Whether nothing needs to be explored after it.
    pub is_cutoff: bool,
}

/// Writes down events as they are made.
pub(super) struct Recorder {
    most: usize,
    places: HashMap<Name, usize, FxBuildHasher>,
    footprints: Vec<FootprintId>,
    events: Vec<PrefixEvent>,
}

impl Recorder {
    /// Writes down at most `most` events.
    pub(super) fn new(most: usize) -> Self {
        Recorder { most, places: HashMap::default(), footprints: Vec::new(), events: Vec::new() }
    }

    /// A new event was made. Its causes were made before it. One too many ends the search.
    pub(super) fn note(&mut self, event: EventId, events: &Events) -> Result<(), StopReason> {
        if self.events.len() == self.most {
            return Err(StopReason::Cancelled);
        }
        let place = |event: EventId| self.places.get(&events.name(event)).copied();
        let mut history: Vec<usize> = events.causes(event).iter().filter_map(place).collect();
        let mut causes: Vec<usize> = events.nearest(event).iter().copied().filter_map(place).collect();
        history.sort_unstable();
        causes.sort_unstable();
        self.places.insert(events.name(event), self.events.len());
        self.footprints.push(events.footprint(event));
        let (step, is_cutoff) = (events.step(event), events.is_cutoff(event));
        self.events.push(PrefixEvent { start: 0, step, history, causes, conflicts: Vec::new(), is_cutoff });
        Ok(())
    }

    /// What was written down, with the conflicts.
    pub(super) fn finish(mut self, start: usize, events: &Events) -> Vec<PrefixEvent> {
        let conflicts: Vec<Vec<usize>> = (0..self.events.len())
            .map(|one| (0..one).filter(|&other| self.conflict_at_once(one, other, events)).collect())
            .collect();
        for (event, conflicts) in self.events.iter_mut().zip(conflicts) {
            (event.start, event.conflicts) = (start, conflicts);
        }
        self.events
    }

    /// Whether two events are in immediate conflict.
    fn conflict_at_once(&self, one: usize, other: usize, events: &Events) -> bool {
        let local = |event: usize| self.events[event].history.iter().copied().chain([event]);
        let mut pairs = local(one).flat_map(|mine| local(other).map(move |theirs| (mine, theirs)));
        self.exclude_each_other(one, other, events)
            && !pairs.any(|pair| pair != (one, other) && self.exclude_each_other(pair.0, pair.1, events))
    }

    /// Whether two events depend on each other and neither is a cause of the other.
    fn exclude_each_other(&self, one: usize, other: usize, events: &Events) -> bool {
        let (mine, theirs) = (&self.events[one], &self.events[other]);
        let is_ordered = one == other || mine.history.contains(&other) || theirs.history.contains(&one);
        let depends = || events.conflict(self.footprints[one], self.footprints[other]);
        !is_ordered && (mine.step.actor == theirs.step.actor || depends())
    }
}
