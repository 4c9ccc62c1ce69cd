//! Who can move.

use crate::Outcome;
use fixedbitset::FixedBitSet;

/// An event, a thread or a message: what can be chosen to move next. Ids are dense, so that sets of actors are bit sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActorId(pub u32);

impl ActorId {
    /// The id as an index into a table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One entry of a schedule: who moved, and which of the step's outcomes was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    /// Who moved.
    pub actor: ActorId,
    /// Which outcome was taken where the step had a choice; [`Outcome::FIRST`] where it had none.
    pub outcome: Outcome,
}

impl From<ActorId> for Move {
    fn from(actor: ActorId) -> Self {
        Move { actor, outcome: Outcome::FIRST }
    }
}

/// A set of actors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActorSet(FixedBitSet);

impl ActorSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an actor; true when it was not yet there.
    pub fn insert(&mut self, actor: ActorId) -> bool {
        self.0.grow(actor.index() + 1);
        !self.0.put(actor.index())
    }

    /// Takes an actor out.
    pub fn remove(&mut self, actor: ActorId) {
        if actor.index() < self.0.len() {
            self.0.set(actor.index(), false);
        }
    }

    /// Whether the actor is in the set.
    pub fn contains(&self, actor: ActorId) -> bool {
        self.0.contains(actor.index())
    }

    /// The members in the order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = ActorId> + '_ {
        self.0.ones().map(|index| ActorId(index as u32))
    }

    /// Whether nobody is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.is_clear()
    }

    /// How many are in the set.
    pub fn len(&self) -> usize {
        self.0.count_ones(..)
    }

    /// Takes everybody out and keeps the memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl FromIterator<ActorId> for ActorSet {
    fn from_iter<I: IntoIterator<Item = ActorId>>(actors: I) -> Self {
        let mut set = ActorSet::new();
        for actor in actors {
            set.insert(actor);
        }
        set
    }
}

impl Extend<ActorId> for ActorSet {
    fn extend<I: IntoIterator<Item = ActorId>>(&mut self, actors: I) {
        for actor in actors {
            self.insert(actor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_grows_with_its_members_and_keeps_their_order() {
        let mut set: ActorSet = [ActorId(70), ActorId(3)].into_iter().collect();
        assert!(!set.insert(ActorId(3)));
        assert!(set.insert(ActorId(0)));
        set.remove(ActorId(1000));
        assert_eq!(set.iter().map(|a| a.0).collect::<Vec<_>>(), [0, 3, 70]);
        assert_eq!(set.len(), 3);
    }
}
