//! Cutoffs: events after which nothing new can happen (section 5.2).
//!
//! An event is a cutoff if its local configuration leads to a state to which a smaller one leads as well: whatever can
//! follow here can follow there. The empty configuration counts as one. Sizes are compared as McMillan did.
//!
//! The table only grows. That matters: completeness rests on an event that is no cutoff having been none at any time
//! before, see the head of `unfolding.rs`. Where the table is full, states are no longer added; the events of an
//! execution are then still compared with their own causes, which is enough for every search to end.

use super::events::Events;
use crate::bits::Bits;
use crate::options;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use mazurka_core::Fingerprint;
use rustc_hash::FxBuildHasher;

/// So many states are remembered: about 64 MiB of them.
const MOST_STATES: usize = 1 << 21;

/// The smallest configuration that leads to each state.
pub(super) struct Cutoffs {
    kind: options::Cutoffs,
    smallest: HashMap<Fingerprint, u32, FxBuildHasher>,
    most: usize,
    start: Option<Fingerprint>,
}

impl Cutoffs {
    /// No state is known yet.
    pub(super) fn new(kind: options::Cutoffs) -> Self {
        Cutoffs { kind, smallest: HashMap::default(), most: MOST_STATES, start: None }
    }

    /// The empty configuration leads to this state.
    pub(super) fn begin(&mut self, state: Fingerprint) {
        self.start = Some(state);
        self.smallest.insert(state, 0);
    }

    /// Whether what is cut is lost: nothing else leads to the same state in a smaller way.
    pub(super) fn are_bounds(&self) -> bool {
        self.kind == options::Cutoffs::None
    }

    /// An event with these causes leads to a state; whether it is a cutoff.
    pub(super) fn meet(&mut self, state: Fingerprint, causes: &Bits, events: &Events) -> bool {
        if self.are_bounds() || self.smallest.len() >= self.most {
            let comes_back = self.start == Some(state) || causes.iter().any(|cause| events.state(cause) == state);
            if comes_back || self.are_bounds() {
                return comes_back;
            }
        }
        self.note(state, causes.len() as u32 + 1)
    }

    /// A configuration of this size leads to this state; whether a smaller one does too.
    fn note(&mut self, state: Fingerprint, size: u32) -> bool {
        let full = self.smallest.len() >= self.most;
        match self.smallest.entry(state) {
            Entry::Occupied(mut known) => {
                let smaller = *known.get() < size;
                known.insert(size.min(*known.get()));
                smaller
            }
            Entry::Vacant(_) if full => false,
            Entry::Vacant(place) => {
                place.insert(size);
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
        let mut cutoffs = Cutoffs { most: 2, ..Cutoffs::new(options::Cutoffs::Size) };
        let [one, other, third] = [1, 2, 3].map(Fingerprint);
        assert!(!cutoffs.note(one, 5) && !cutoffs.note(one, 5) && cutoffs.note(one, 6));
        assert!(!cutoffs.note(one, 3) && cutoffs.note(one, 5) && !cutoffs.note(one, 3));
        assert!(!cutoffs.note(other, 9) && !cutoffs.note(third, 1), "there is no room for a third state");
        assert!(!cutoffs.note(third, 2) && cutoffs.note(one, 4));
    }
}
