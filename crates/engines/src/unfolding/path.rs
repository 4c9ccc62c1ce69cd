//! The configuration that is being explored, in one of the orders in which its events can happen.
//!
//! It knows what it *bars*: the known events that are in direct conflict with a member. Neither these nor anything that
//! has one of them among its causes can be added. Each barred event is put down at the first member that it is in
//! conflict with, so nothing has to be computed again when members are added and taken back. When the exploration of a
//! member is over, what is put down there and fits to everything before are its *rivals*: the events by which it can be
//! avoided.

use super::cutoffs::Rank;
use super::events::{AttemptId, EventId, Events};
use crate::shared::common_bits::CommonBits as Bits;
use crate::shared::tally::FastSet;
use mazurka_core::{ActorId, Fingerprint, Machine, Move};

/// A configuration and how it came about. The last events can be taken back.
pub(super) struct Path<K> {
    /// C: the events.
    pub(super) configuration: Bits,
    /// What is in direct conflict with one of them.
    pub(super) barred: Bits,
    /// The initial state.
    start: K,
    members: Vec<Member<K>>,
    /// For each event of the configuration its place.
    positions: Vec<u32>,
    /// All actors that exist or existed, in the order in which they came to be.
    pub(super) actors: Vec<ActorId>,
    /// The same.
    known: Bits,
    /// For each actor its events, in their order.
    chains: Vec<Vec<EventId>>,
    /// What each actor that has not ended would do, first and after each of the events.
    turns: Vec<Turn>,
    /// Where that begins for each of them.
    turns_from: Vec<usize>,
    /// The events instead of which their actors may have touched something else.
    pub(super) wavering: Bits,
    /// The states on the way, where they are wanted; `None` for one that came back.
    states: Vec<Option<Fingerprint>>,
    met: FastSet<Fingerprint>,
    /// States of events that were taken back: their room is used again.
    spare: Vec<K>,
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
struct Member<K> {
    event: EventId,
    state: K,
    /// The rank of the configuration with it.
    rank: Rank,
    /// How many actors there were before.
    actors: usize,
    /// What it bars and nothing before it does.
    barred: Vec<EventId>,
}

impl<K> Path<K> {
    /// The empty configuration.
    pub(super) fn new(start: K) -> Self {
        Path {
            configuration: Bits::default(),
            barred: Bits::default(),
            start,
            members: Vec::new(),
            positions: Vec::new(),
            actors: Vec::new(),
            known: Bits::default(),
            chains: Vec::new(),
            turns: Vec::new(),
            turns_from: Vec::new(),
            spare: Vec::new(),
            wavering: Bits::default(),
            states: Vec::new(),
            met: FastSet::default(),
        }
    }

    /// Actors have come to be.
    pub(super) fn meet(&mut self, actors: &[ActorId]) {
        self.actors.extend_from_slice(actors);
        self.known.extend(actors.iter().map(|actor| actor.0));
    }

    /// Whether an actor is there or was.
    pub(super) fn knows(&self, actor: ActorId) -> bool {
        self.known.contains(actor.0)
    }

    /// How many events there are.
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// What the configuration is compared by.
    pub(super) fn rank(&self) -> Rank {
        self.members.last().map_or(Rank::default(), |place| place.rank)
    }

    /// The event that was added last.
    pub(super) fn newest(&self) -> Option<EventId> {
        self.members.last().map(|place| place.event)
    }

    /// The state to which all events lead.
    pub(super) fn state(&self) -> &K {
        self.members.last().map_or(&self.start, |place| &place.state)
    }

    /// Brings a machine to the state to which a part of the configuration leads; returns the steps that this took.
    pub(super) fn rewind<M: Machine<Mark = K>>(&self, machine: &mut M, part: &Bits, events: &Events) -> u64 {
        let kept = self.first(self.configuration.without(part)).unwrap_or(self.members.len());
        machine.rewind(if kept == 0 { &self.start } else { &self.members[kept - 1].state });
        let mut steps = 0;
        for place in self.members[kept..].iter().filter(|place| part.contains(place.event)) {
            machine.step(events.step(place.event));
            steps += 1;
        }
        steps
    }

    /// The place of an event of the configuration.
    fn position(&self, event: EventId) -> usize {
        self.positions[event as usize] as usize
    }

    /// The first place of some events of the configuration.
    fn first(&self, events: impl Iterator<Item = EventId>) -> Option<usize> {
        events.map(|event| self.position(event)).min()
    }

    /// The moves of a part of the configuration, in an order in which they can happen.
    pub(super) fn moves(&self, part: &Bits, events: &Events) -> Vec<Move> {
        let mut members: Vec<usize> = part.iter().map(|event| self.position(event)).collect();
        members.sort_unstable();
        members.into_iter().map(|place| events.step(self.members[place].event)).collect()
    }

    /// The events of the configuration.
    pub(super) fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        self.members.iter().map(|place| place.event)
    }

    /// The events of an actor.
    fn chain(&self, actor: ActorId) -> &[EventId] {
        self.chains.get(actor.index()).map_or(&[], |chain| chain)
    }

    /// The next event of an actor after its own `before`, or its first one.
    pub(super) fn following(&self, before: Option<EventId>, actor: ActorId, events: &Events) -> Option<EventId> {
        self.chain(actor).get(before.map_or(0, |before| events.turn(before) + 1)).copied()
    }

    /// Takes an event and everything that comes after it out of a part of the configuration.
    pub(super) fn exclude(&self, part: &mut Bits, event: EventId, events: &Events) {
        part.remove(event);
        for chain in &self.chains {
            let unaffected = chain.partition_point(|&other| other != event && !events.causes(other).contains(event));
            chain[unaffected..].iter().for_each(|&other| part.remove(other));
        }
    }

    /// Adds an event that leads to where a machine stands.
    pub(super) fn push<M: Machine<Mark = K>>(&mut self, event: EventId, machine: &M, events: &Events) {
        debug_assert!(!self.barred.contains(event), "what is in conflict with a member is not added");
        self.configuration.insert(event);
        let rank = self.rank().and(events.weight(event));
        let mut related = events.related(event);
        related.subtract(&self.configuration);
        related.subtract(&self.barred);
        let barred: Vec<EventId> = related.iter().filter(|&other| !events.causes(other).contains(event)).collect();
        self.barred.extend(barred.iter().copied());
        if self.positions.len() <= event as usize {
            self.positions.resize(event as usize + 1, 0);
        }
        self.positions[event as usize] = self.members.len() as u32;
        let state = match self.spare.pop() {
            Some(mut state) => {
                machine.mark_again(&mut state);
                state
            }
            None => machine.mark(),
        };
        self.members.push(Member { event, state, rank, actors: self.actors.len(), barred });
        self.meet(events.creates(event));
        let actor = events.step(event).actor;
        if self.chains.len() <= actor.index() {
            self.chains.resize_with(actor.index() + 1, Vec::new);
        }
        self.chains[actor.index()].push(event);
        if events.wavers(event) {
            self.wavering.insert(event);
        }
    }

    /// An event has become known: bars it if it is in conflict with a member.
    pub(super) fn bar(&mut self, event: EventId, events: &Events) {
        let mut conflicts = events.related(event);
        conflicts.intersect(&self.configuration);
        conflicts.subtract(events.causes(event));
        if let Some(first) = self.first(conflicts.iter()) {
            self.barred.insert(event);
            self.members[first].barred.push(event);
        }
    }

    /// An actor has been found to have a further attempt after its own step `before`.
    pub(super) fn note_attempt(&mut self, before: Option<EventId>, actor: ActorId, events: &Events) {
        let following = self.following(before, actor, events);
        self.wavering.extend(following.filter(|&following| events.wavers(following)));
    }

    /// Events were forgotten.
    pub(super) fn retain(&mut self, kept: &Bits) {
        self.barred.intersect(kept);
        self.members.iter_mut().for_each(|place| place.barred.retain(|&event| kept.contains(event)));
    }

    /// For each member what it bars and nothing before it does.
    pub(super) fn barred_in_turn(&self) -> impl Iterator<Item = &[EventId]> {
        self.members.iter().map(|place| place.barred.as_slice())
    }

    /// Says to which state all events lead.
    pub(super) fn note_state(&mut self, state: Fingerprint) {
        self.states.push(self.met.insert(state).then_some(state));
    }

    /// Whether fewer of the events led to the same state; known only where states are noted.
    pub(super) fn comes_back(&self) -> bool {
        self.states.last().is_some_and(Option::is_none)
    }

    /// Takes the last event back and says what its rivals are.
    pub(super) fn pop(&mut self, events: &mut Events) {
        self.turns.truncate(self.turns_from.pop().unwrap_or_default());
        if let Some(Some(state)) = self.states.pop() {
            self.met.remove(&state);
        }
        if let Some(place) = self.members.pop() {
            let can_be_first = |&other: &EventId| !events.is_cutoff(other) && !events.causes(other).meets(&self.barred);
            let rivals = place.barred.iter().copied().filter(can_be_first).collect();
            events.set_rivals(place.event, rivals);
            place.barred.iter().for_each(|&other| self.barred.remove(other));
            self.configuration.remove(place.event);
            self.wavering.remove(place.event);
            self.actors.drain(place.actors..).for_each(|actor| self.known.remove(actor.0));
            self.chains[events.step(place.event).actor.index()].pop();
            self.spare.push(place.state);
        }
    }

    /// What each actor would do, as it was last noted.
    pub(super) fn turns(&self) -> &[Turn] {
        &self.turns[self.turns_from.last().copied().unwrap_or_default()..]
    }

    /// Notes what each actor would do now.
    pub(super) fn take_turns(&mut self, turns: &[Turn]) {
        self.turns_from.push(self.turns.len());
        self.turns.extend_from_slice(turns);
    }

    /// The events that can be added and are no cutoffs.
    pub(super) fn enabled<'a>(&'a self, events: &'a Events) -> impl Iterator<Item = EventId> + 'a {
        let possible = self.turns().iter().flat_map(|turn| events.attempt(turn.attempt).events.iter().copied());
        possible.filter(|&event| !events.is_cutoff(event))
    }
}
