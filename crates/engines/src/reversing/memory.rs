//! Remembers which reversals were seen to, in little room.
//!
//! Executions that differ only near their end have most of their races in common, and often what is kept for the reversal
//! too. Once a reversal was inserted, or found to lead nowhere new, that holds for the rest of the search: so it need not be
//! looked at again. There is room for so many of them; a new one may take the place of another, which is then only looked at
//! once more.

use mazurka_core::Fingerprint;

/// Room for so many at first, and at most.
const FEW: usize = 1 << 8;
const MANY: usize = 1 << 16;

/// A set that forgets.
#[derive(Clone, Default)]
pub(super) struct Memory {
    slots: Vec<Fingerprint>,
    used: usize,
}

impl Memory {
    /// Nothing is remembered yet.
    pub(super) fn new() -> Self {
        Memory { slots: vec![Fingerprint(0); FEW], used: 0 }
    }

    /// Remembers something; false if it was remembered already.
    pub(super) fn insert(&mut self, name: Fingerprint) -> bool {
        if 2 * self.used >= self.slots.len() && self.slots.len() < MANY {
            self.grow();
        }
        let place = name.0 as usize % self.slots.len();
        let before = std::mem::replace(&mut self.slots[place], name);
        self.used += usize::from(before == Fingerprint(0));
        before != name
    }

    fn grow(&mut self) {
        let larger = vec![Fingerprint(0); self.slots.len() * 4];
        let old = std::mem::replace(&mut self.slots, larger);
        self.used = 0;
        for name in old.into_iter().filter(|name| *name != Fingerprint(0)) {
            self.insert(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_not_new_and_what_is_forgotten_is() {
        let mut memory = Memory::new();
        let (one, other) = (Fingerprint(5), Fingerprint(5 + MANY as u128));
        assert!(memory.insert(one) && !memory.insert(one));
        assert!(memory.insert(other) && memory.insert(one));
    }

    #[test]
    fn it_grows_with_what_it_holds_up_to_a_limit() {
        let mut memory = Memory::new();
        (1..=FEW as u128).for_each(|name| assert!(memory.insert(Fingerprint(name))));
        (1..=FEW as u128).for_each(|name| assert!(!memory.insert(Fingerprint(name))));
        (1..4 * MANY as u128).for_each(|name| {
            memory.insert(Fingerprint(name));
        });
        assert_eq!(memory.slots.len(), MANY);
    }
}
