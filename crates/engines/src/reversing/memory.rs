//! Remembers which reversals were seen to, in little room.
//!
//! Executions that differ only near their end have most of their races in common, and often what is kept for the reversal
//! too. Once a reversal was inserted, or found to lead nowhere new, that holds for the rest of the search: so it need not be
//! looked at again. There is room for so many of them; a new one may take the place of another, which is then only looked at
//! once more.

use mazurka_core::Fingerprint;

/// So many reversals are remembered at most.
const SLOTS: usize = 1 << 16;

/// A set that forgets.
pub(super) struct Memory {
    slots: Vec<Fingerprint>,
}

impl Memory {
    /// Nothing is remembered yet.
    pub(super) fn new() -> Self {
        Memory { slots: Vec::new() }
    }

    /// Remembers something; false if it was remembered already.
    pub(super) fn insert(&mut self, name: Fingerprint) -> bool {
        // Most programs have few races.
        if self.slots.is_empty() {
            self.slots = vec![Fingerprint(0); SLOTS];
        }
        let slot = &mut self.slots[name.0 as usize % SLOTS];
        std::mem::replace(slot, name) != name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_not_new_and_what_is_forgotten_is() {
        let mut memory = Memory::new();
        let (one, other) = (Fingerprint(5), Fingerprint(5 + SLOTS as u128));
        assert!(memory.insert(one) && !memory.insert(one));
        assert!(memory.insert(other) && memory.insert(one));
    }
}
