//! The configuration that is being explored, in one of the orders in which its events can happen.

use super::cutoffs::Rank;
use super::events::{AttemptId, EventId, Events};
use crate::bits::Bits;
use crate::tally::FastSet;
use mazurka_core::{ActorId, Fingerprint, Machine, Move};

/// A configuration and how it came about. The last events can be taken back.
pub(super) struct Path<K> {
    /// C: the events.
    pub(super) configuration: Bits,
    /// The initial state.
    start: K,
    places: Vec<Place<K>>,
    /// Everybody who is there or was.
    pub(super) actors: Vec<ActorId>,
    /// What everybody who has not come to its end would do, after each of the events.
    turns: Vec<Vec<Turn>>,
    /// For each actor its first event in the configuration and its last one.
    ends: Vec<Option<(EventId, EventId)>>,
    /// The states on the way, where they are wanted; `None` for one that came back.
    states: Vec<Option<Fingerprint>>,
    met: FastSet<Fingerprint>,
    /// For each event of the configuration the next one of its actor.
    following: Vec<Option<EventId>>,
}

/// What an actor would do now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) actor: ActorId,
    /// Its last step.
    pub(super) before: Option<EventId>,
    pub(super) attempt: AttemptId,
}

/// An event of the configuration, and where it leads.
struct Place<K> {
    event: EventId,
    state: K,
    /// The rank of the configuration with it.
    rank: Rank,
    /// How many actors there were before.
    actors: usize,
}

impl<K> Path<K> {
    /// The empty configuration.
    pub(super) fn new(start: K) -> Self {
        Path {
            configuration: Bits::default(),
            start,
            places: Vec::new(),
            actors: Vec::new(),
            turns: Vec::new(),
            ends: Vec::new(),
            states: Vec::new(),
            met: FastSet::default(),
            following: Vec::new(),
        }
    }

    /// How many events there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// What the configuration is compared by.
    pub(super) fn rank(&self) -> Rank {
        self.places.last().map_or(Rank::default(), |place| place.rank)
    }

    /// The event that was added last.
    pub(super) fn newest(&self) -> Option<EventId> {
        self.places.last().map(|place| place.event)
    }

    /// The state to which all events lead.
    pub(super) fn state(&self) -> &K {
        self.places.last().map_or(&self.start, |place| &place.state)
    }

    /// Brings a machine to the state to which a part of the configuration leads; returns the steps that this took.
    pub(super) fn rewind<M: Machine<Mark = K>>(&self, machine: &mut M, part: &Bits, events: &Events) -> u64 {
        let kept = self.places.iter().take_while(|place| part.contains(place.event)).count();
        machine.rewind(if kept == 0 { &self.start } else { &self.places[kept - 1].state });
        let mut steps = 0;
        for place in self.places[kept..].iter().filter(|place| part.contains(place.event)) {
            machine.step(events.step(place.event));
            steps += 1;
        }
        steps
    }

    /// The moves of a part of the configuration, in an order in which they can happen.
    pub(super) fn moves(&self, part: &Bits, events: &Events) -> Vec<Move> {
        let members = self.places.iter().filter(|place| part.contains(place.event));
        members.map(|place| events.step(place.event)).collect()
    }

    /// The events of the configuration.
    pub(super) fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        self.places.iter().map(|place| place.event)
    }

    /// The last event of a part of the configuration.
    pub(super) fn last_of(&self, part: &Bits) -> Option<EventId> {
        if part.is_empty() {
            return None;
        }
        self.places.iter().rev().map(|place| place.event).find(|&event| part.contains(event))
    }

    /// The last event of an actor.
    pub(super) fn last(&self, actor: ActorId) -> Option<EventId> {
        self.ends(actor).map(|ends| ends.1)
    }

    fn ends(&self, actor: ActorId) -> Option<(EventId, EventId)> {
        self.ends.get(actor.index()).copied().flatten()
    }

    fn set_ends(&mut self, actor: ActorId, ends: Option<(EventId, EventId)>) {
        if self.ends.len() <= actor.index() {
            self.ends.resize(actor.index() + 1, None);
        }
        self.ends[actor.index()] = ends;
    }

    /// The next event of an actor after its own `before`, or its first one.
    pub(super) fn following(&self, before: Option<EventId>, actor: ActorId) -> Option<EventId> {
        match before {
            Some(before) => self.following.get(before as usize).copied().flatten(),
            None => self.ends(actor).map(|ends| ends.0),
        }
    }

    /// Adds an event that leads to a state.
    pub(super) fn push(&mut self, event: EventId, state: K, events: &Events) {
        self.configuration.insert(event);
        let rank = self.rank().and(events.weight(event));
        self.places.push(Place { event, state, rank, actors: self.actors.len() });
        self.actors.extend_from_slice(events.creates(event));
        let actor = events.step(event).actor;
        self.set_ends(actor, Some((self.ends(actor).map_or(event, |ends| ends.0), event)));
        self.link(events.before(event), Some(event));
    }

    /// Says to which state all events lead.
    pub(super) fn note_state(&mut self, state: Fingerprint) {
        self.states.push(self.met.insert(state).then_some(state));
    }

    /// Whether fewer of the events led to the same state; known only where states are noted.
    pub(super) fn comes_back(&self) -> bool {
        self.states.last().is_some_and(Option::is_none)
    }

    /// Takes the last event back.
    pub(super) fn pop(&mut self, events: &Events) {
        self.turns.pop();
        if let Some(Some(state)) = self.states.pop() {
            self.met.remove(&state);
        }
        if let Some(place) = self.places.pop() {
            self.configuration.remove(place.event);
            self.actors.truncate(place.actors);
            let (before, actor) = (events.before(place.event), events.step(place.event).actor);
            let first = self.ends(actor).map(|ends| ends.0);
            self.set_ends(actor, first.zip(before));
            self.link(before, None);
        }
    }

    /// Says what follows an actor's own event.
    fn link(&mut self, before: Option<EventId>, next: Option<EventId>) {
        let Some(before) = before.map(|before| before as usize) else { return };
        if self.following.len() <= before {
            self.following.resize(before + 1, None);
        }
        self.following[before] = next;
    }

    /// What was last said of what everybody would do.
    pub(super) fn turns(&self) -> &[Turn] {
        self.turns.last().map_or(&[], |turns| turns)
    }

    /// Says what everybody would do now.
    pub(super) fn take_turns(&mut self, turns: Vec<Turn>) {
        self.turns.push(turns);
    }

    /// Appends the events that can be added and are no cutoffs.
    pub(super) fn enabled(&self, events: &Events, into: &mut Vec<EventId>) {
        let turns = self.turns().iter();
        let possible = turns.flat_map(|turn| events.attempt(turn.attempt).events.iter().copied());
        into.extend(possible.filter(|&event| !events.is_cutoff(event)));
    }
}
