//! Remembers which reversals were done, in little memory.
//!
//! Executions that differ only near their end have most of their races in common, and often what is kept for the
//! reversal too. Once a reversal was inserted, or found to lead nowhere new, that holds for the rest of the search: so
//! it need not be looked at again. The memory is of a fixed size: a new one may replace another, which is then only
//! looked at once more.
//!
//! A part of a search that is explored ahead of its turn does not know what will be remembered by then. Where something
//! depends on that (see `parts`), it supposes that it is what was remembered when the part was given away. After a first
//! name has come to a place of the memory, what is found there is what would have been found in its turn too: so the part
//! can only be wrong about the first name that comes to each place, and keeps a list of those on which something depends.
//! The search compares them when it adds the part.

use mazurka_core::Fingerprint;

/// How many reversals are remembered.
const MANY: usize = 1 << 16;

/// A set of fixed size: a new member replaces an old one.
#[derive(Default)]
pub(super) struct Memory {
    /// What came last to each place, or 0.
    slots: Vec<u128>,
    /// What is supposed in a part of a search.
    part: Option<Suppositions>,
}

struct Suppositions {
    /// What was remembered when the part was given away.
    before: Vec<u128>,
    /// The reversal that is being done, if that depends on its not having been done before.
    current: Option<Fingerprint>,
    /// Whether nothing was asked for the race that is being reversed.
    is_first: bool,
    /// What has to be remembered when it is the part's turn, and what must not be.
    known: Vec<Fingerprint>,
    unknown: Vec<Fingerprint>,
}

/// What is known of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recall {
    /// It is remembered.
    Known,
    /// It is not.
    New,
    /// It is supposed to be remembered.
    SupposedKnown,
    /// It is supposed not to be.
    SupposedNew,
}

impl Recall {
    fn is_known(self) -> bool {
        matches!(self, Recall::Known | Recall::SupposedKnown)
    }
}

impl Memory {
    /// Nothing is remembered yet.
    pub(super) fn new() -> Self {
        Memory { slots: vec![0; MANY], part: None }
    }

    /// The memory of a part that is given away now.
    pub(super) fn of_part(&self) -> Self {
        let mut before = self.slots.clone();
        if let Some(part) = &self.part {
            let untouched = before.iter_mut().zip(&part.before).filter(|(slot, _)| **slot == 0);
            untouched.for_each(|(slot, &earlier)| *slot = earlier);
        }
        let (known, unknown) = (Vec::new(), Vec::new());
        let part = Suppositions { before, current: None, is_first: true, known, unknown };
        Memory { slots: vec![0; MANY], part: Some(part) }
    }

    fn recall(&self, name: Fingerprint) -> Recall {
        let place = name.0 as usize % MANY;
        match (self.slots[place], &self.part) {
            (0, Some(part)) if part.before[place] == name.0 => Recall::SupposedKnown,
            (0, Some(_)) => Recall::SupposedNew,
            (known, _) if known == name.0 => Recall::Known,
            _ => Recall::New,
        }
    }

    /// A race is about to be reversed.
    pub(super) fn begin(&mut self) {
        if let Some(part) = &mut self.part {
            (part.current, part.is_first) = (None, true);
        }
    }

    /// Remembers something; false if it was remembered already.
    pub(super) fn insert(&mut self, name: Fingerprint) -> bool {
        let recall = self.recall(name);
        self.slots[name.0 as usize % MANY] = name.0;
        if let Some(part) = &mut self.part {
            part.known.extend((recall == Recall::SupposedKnown).then_some(name));
            let new = (recall == Recall::SupposedNew).then_some(name);
            if std::mem::take(&mut part.is_first) {
                part.current = new;
            } else {
                // Had the first one been known, this one would not have been asked for.
                part.unknown.extend(part.current.take().into_iter().chain(new));
            }
        }
        !recall.is_known()
    }

    /// What must not be remembered, so that what is being done is done.
    pub(super) fn condition(&self) -> Option<Fingerprint> {
        self.part.as_ref().and_then(|part| part.current)
    }

    /// Something is about to be done on a condition that a part had; false if it does not hold here.
    pub(super) fn resume(&mut self, condition: Option<Fingerprint>) -> bool {
        let recall = condition.map_or(Recall::New, |name| self.recall(name));
        if let Some(part) = &mut self.part {
            part.known.extend(condition.filter(|_| recall == Recall::SupposedKnown));
            part.current = condition.filter(|_| recall == Recall::SupposedNew);
        }
        !recall.is_known()
    }

    /// More depends on what is being done than what it leaves to others.
    pub(super) fn depend(&mut self) {
        if let Some(part) = &mut self.part {
            part.unknown.extend(part.current.take());
        }
    }

    /// Whether all that a part supposed is so, now that it is its turn.
    pub(super) fn admits(&self, part: &Memory) -> bool {
        part.part.as_ref().is_none_or(|part| {
            part.known.iter().all(|&name| self.recall(name).is_known())
                && !part.unknown.iter().any(|&name| self.recall(name).is_known())
        })
    }

    /// What a part remembers comes after what is remembered here, unless nothing depends on what it supposed.
    pub(super) fn add(&mut self, part: Memory) {
        let Some(Suppositions { mut known, mut unknown, .. }) = part.part else { return };
        known.retain(|&name| self.recall(name) == Recall::SupposedKnown);
        unknown.retain(|&name| self.recall(name) == Recall::SupposedNew);
        if let Some(mine) = &mut self.part {
            mine.known.append(&mut known);
            mine.unknown.append(&mut unknown);
        }
        let newer = self.slots.iter_mut().zip(part.slots).filter(|(_, newer)| *newer != 0);
        newer.for_each(|(slot, newer)| *slot = newer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [Fingerprint; 3] = [Fingerprint(1), Fingerprint(2), Fingerprint(3)];

    #[test]
    fn what_is_remembered_is_not_new_and_what_is_forgotten_is() {
        let mut memory = Memory::new();
        let (one, other) = (Fingerprint(5), Fingerprint(5 + MANY as u128));
        assert!(memory.insert(one) && !memory.insert(one));
        assert!(memory.insert(other) && memory.insert(one));
    }

    #[test]
    fn a_part_that_was_wrong_about_what_is_known_is_not_admitted() {
        let [one, two, three] = NAMES;
        let mut whole = Memory::new();
        let mut part = whole.of_part();
        part.begin();
        assert!(part.insert(one) && part.condition() == Some(one));
        part.depend();
        part.begin();
        assert!(!part.insert(one) && part.condition().is_none(), "what came to its place it would have found there");
        part.begin();
        assert!(part.insert(two) && part.condition() == Some(two), "nothing depends on it");
        whole.insert(two);
        assert!(whole.admits(&part) && !whole.resume(Some(two)) && whole.resume(Some(one)));
        whole.insert(one);
        assert!(!whole.admits(&part));

        let mut part = whole.of_part();
        assert!(!part.insert(one) && whole.admits(&part));
        whole.insert(Fingerprint(one.0 + MANY as u128));
        assert!(!whole.admits(&part), "it was forgotten");
        assert!(part.insert(three));
    }

    #[test]
    fn what_a_part_of_a_part_supposed_the_part_supposes_too() {
        let [one, two, three] = NAMES;
        let mut whole = Memory::new();
        whole.insert(one);
        let mut part = whole.of_part();
        part.insert(three);
        let mut inner = part.of_part();
        assert!(!inner.insert(one) && !inner.insert(three) && inner.insert(two));
        assert!(part.admits(&inner));
        part.add(inner);
        assert!(whole.admits(&part));
        let mut other = Memory::new();
        assert!(!other.admits(&part), "it does not know the first name");
        other.insert(one);
        other.insert(two);
        assert!(!other.admits(&part), "it knows the second one");
        whole.add(part);
        assert!(!NAMES.into_iter().any(|name| whole.insert(name)));
    }
}
