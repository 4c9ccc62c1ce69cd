//! Vector clocks.

use crate::ActorId;

/// For each actor, how many of its steps lie in the causal past.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VectorClock(Vec<u32>);

impl VectorClock {
    /// The clock that knows of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many steps of `actor` lie in the past.
    pub fn get(&self, actor: ActorId) -> u32 {
        self.0.get(actor.index()).copied().unwrap_or(0)
    }

    /// Sets one component.
    pub fn set(&mut self, actor: ActorId, steps: u32) {
        if self.0.len() <= actor.index() {
            self.0.resize(actor.index() + 1, 0);
        }
        self.0[actor.index()] = steps;
    }

    /// Takes the larger of each component.
    pub fn join(&mut self, other: &VectorClock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Whether everything this clock knows of, the other knows of too.
    pub fn le(&self, other: &VectorClock) -> bool {
        self.0.iter().enumerate().all(|(index, &steps)| steps <= other.0.get(index).copied().unwrap_or(0))
    }
}
