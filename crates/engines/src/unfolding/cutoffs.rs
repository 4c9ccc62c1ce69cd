//! Cutoffs: events after which nothing new can happen (section 5.2).
//!
//! An event is a cutoff if its local configuration leads to a state to which a smaller one leads as well: whatever can
//! follow here can follow there. The empty configuration counts as one. By size, as the paper does after McMillan,
//! smaller is what has fewer events.
//!
//! [`options::Cutoffs::Order`] cuts more, in two ways. A smaller configuration need not be that of one event: it is
//! enough that the search has come through it, and that is where most states are met. And of two configurations of the
//! same size one is still the smaller one: each step has a weight that depends on the actor, on the outcome and on how
//! objects are touched, and weights are added up. What follows adds the same to both, so this is an adequate order.
//! Actors that come to be on the way have no lasting names and count as one.
//!
//! An event is compared when it is made and not again when it is its turn. That was tried and cut nothing: what the
//! search meets in between lies behind larger configurations.
//!
//! The table only grows. That matters: completeness rests on this: an event that is no cutoff was never one before, see
//! the head of `unfolding.rs`. Where the table is full, states are no longer added; the events of an execution are then
//! still compared with their own causes, which is enough for every search to end.

use super::events::{Events, History};
use crate::options;
use crate::shared::bits::Bits;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use mazurka_core::{Access, ActorId, Fingerprint, Footprint, Move};
use rustc_hash::FxBuildHasher;

/// The most states that are remembered: about 100 MiB of them.
const MOST_STATES: usize = 1 << 21;

/// What configurations are compared by: their numbers of events, and then their weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    events: u32,
    weight: u64,
}

impl Rank {
    /// The rank with one more event.
    pub(super) fn and(self, weight: u32) -> Rank {
        Rank { events: self.events + 1, weight: self.weight + u64::from(weight) }
    }
}

/// The smallest configuration that leads to each state.
pub(super) struct SmallestConfigurations {
    kind: options::Cutoffs,
    smallest: HashMap<Fingerprint, Rank, FxBuildHasher>,
    most: usize,
    start: Option<Fingerprint>,
    /// Actors that are there from the start.
    lasting: Bits,
}

impl SmallestConfigurations {
    /// No state is known yet.
    pub(super) fn new(kind: options::Cutoffs) -> Self {
        let (smallest, lasting) = (HashMap::default(), Bits::default());
        SmallestConfigurations { kind, smallest, most: MOST_STATES, start: None, lasting }
    }

    /// The empty configuration leads to this state, in which these actors are there.
    pub(super) fn begin(&mut self, state: Fingerprint, actors: &[ActorId]) {
        if self.kind == options::Cutoffs::Order {
            // Weights of different starts cannot be compared: others are there.
            self.smallest.clear();
        }
        self.start = Some(state);
        self.lasting.clear();
        self.lasting.extend(actors.iter().map(|actor| actor.0));
        self.smallest.insert(state, Rank::default());
    }

    /// Whether there are any.
    pub(super) fn apply(&self) -> bool {
        self.kind != options::Cutoffs::None
    }

    /// What a step adds to the weight of a configuration.
    pub(super) fn weight(&self, step: Move, footprint: &Footprint) -> u32 {
        if self.kind != options::Cutoffs::Order {
            return 0;
        }
        let actor = if self.lasting.contains(step.actor.0) { step.actor.0 } else { u32::MAX };
        let ways = [Access::READ, Access::WRITE, Access::REWRITE, Access::ADD, Access::POST, Access::RELEASE];
        let mut bytes = [0u8; 18];
        bytes[..4].copy_from_slice(&actor.to_le_bytes());
        bytes[4..12].copy_from_slice(&step.outcome.0.to_le_bytes());
        for (count, way) in bytes[12..].iter_mut().zip(ways) {
            *count = footprint.touches().iter().filter(|touch| touch.access.contains(way)).count() as u8;
        }
        Fingerprint::of_bytes(&bytes).0 as u32
    }

    /// An event leads to a state: whether it is a cutoff, if this is its history and that the rank of all of it.
    pub(super) fn meet(&mut self, state: Fingerprint, rank: Rank, history: &History, events: &Events) -> bool {
        if self.smallest.len() >= self.most
            && (self.start == Some(state) || history.causes.iter().any(|cause| events.state(cause) == state))
        {
            return true;
        }
        self.note(state, rank)
    }

    /// The search has come to a state with a configuration of this rank.
    pub(super) fn reach(&mut self, state: impl FnOnce() -> Fingerprint, rank: Rank) {
        if self.kind == options::Cutoffs::Order {
            self.note(state(), rank);
        }
    }

    /// A configuration of this rank leads to this state; whether a smaller one does too.
    fn note(&mut self, state: Fingerprint, rank: Rank) -> bool {
        let full = self.smallest.len() >= self.most;
        match self.smallest.entry(state) {
            Entry::Occupied(mut known) => {
                let smaller = *known.get() < rank;
                known.insert(rank.min(*known.get()));
                smaller
            }
            Entry::Vacant(_) if full => false,
            Entry::Vacant(place) => {
                place.insert(rank);
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_cut_where_a_smaller_configuration_led_there() {
        let mut cutoffs = SmallestConfigurations { most: 2, ..SmallestConfigurations::new(options::Cutoffs::Size) };
        let sized = |events| Rank { events, weight: 0 };
        let [one, other, third] = [1, 2, 3].map(Fingerprint);
        assert!(!cutoffs.note(one, sized(5)) && !cutoffs.note(one, sized(5)) && cutoffs.note(one, sized(6)));
        assert!(!cutoffs.note(one, sized(3)) && cutoffs.note(one, sized(5)) && !cutoffs.note(one, sized(3)));
        assert!(!cutoffs.note(other, sized(9)) && !cutoffs.note(third, sized(1)), "there is no room for a third state");
        assert!(!cutoffs.note(third, sized(2)) && cutoffs.note(one, sized(4)));
        assert!(cutoffs.note(one, Rank { weight: 1, ..sized(3) }), "of two with as many events one is smaller");
    }
}
