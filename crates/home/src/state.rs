//! A state of a home.

use crate::store::{NOTHING, Slot, ValueId};
use mazurka_core::{pack_row, unpack_row};

/// No state has more slots than this.
const MOST_SLOTS: usize = 1 << 28;

/// Everything in a home that can change: for each slot the number of its value.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// Without empty slots at the end, so that equal states are equal however many slots are known.
    cells: Vec<ValueId>,
}

impl Clone for State {
    fn clone(&self) -> Self {
        State { cells: self.cells.clone() }
    }

    /// Keeps the memory: searches copy states into a scratch state for each step.
    fn clone_from(&mut self, source: &Self) {
        self.cells.clone_from(&source.cells);
    }
}

impl State {
    /// The number of a slot's value.
    #[inline]
    pub(crate) fn get(&self, slot: Slot) -> ValueId {
        self.cells.get(slot.index()).copied().unwrap_or(NOTHING)
    }

    /// How many slots are in use.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Appends what differs from another state.
    pub(crate) fn pack(&self, before: &Self, into: &mut Vec<u8>) {
        pack_row(&self.cells, &before.cells, into);
    }

    /// Becomes a state that was packed against this one; false if there is none.
    pub(crate) fn unpack(&mut self, bytes: &mut &[u8]) -> bool {
        unpack_row(bytes, &mut self.cells, MOST_SLOTS).is_some()
    }

    /// Changes a slot's value.
    #[inline]
    pub(crate) fn set(&mut self, slot: Slot, value: ValueId) {
        let index = slot.index();
        if index >= self.cells.len() {
            if value == NOTHING {
                return;
            }
            self.cells.resize(index + 1, NOTHING);
        }
        self.cells[index] = value;
        if value == NOTHING && index + 1 == self.cells.len() {
            let end = self.cells.iter().rposition(|&value| value != NOTHING).map_or(0, |last| last + 1);
            self.cells.truncate(end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_slots_at_the_end_do_not_count() {
        let mut state = State::default();
        state.set(Slot(2), 7);
        state.set(Slot(5), 1);
        state.set(Slot(5), NOTHING);
        state.set(Slot(9), NOTHING);
        let mut other = State::default();
        other.set(Slot(2), 7);
        assert_eq!(state, other);
        assert_eq!((state.get(Slot(2)), state.get(Slot(9))), (7, NOTHING));
        state.set(Slot(2), NOTHING);
        assert_eq!(state, State::default());
    }
}
