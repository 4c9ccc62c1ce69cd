//! Actors and moves.

use crate::Outcome;

/// An event, a thread or a message: what can be chosen to move next. Ids are dense, so that sets of actors can be bit sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActorId(pub u32);

impl ActorId {
    /// The id as an index into a table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One entry of a schedule: which actor moved, and which of the step's outcomes was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    /// The actor that moved.
    pub actor: ActorId,
    /// Which outcome was taken where the step had a choice; [`Outcome::FIRST`] where it had none.
    pub outcome: Outcome,
}

impl From<ActorId> for Move {
    fn from(actor: ActorId) -> Self {
        Move { actor, outcome: Outcome::FIRST }
    }
}
