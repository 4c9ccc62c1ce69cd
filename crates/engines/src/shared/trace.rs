//! Names of events and traces.
//!
//! Two executions belong to one trace exactly when they consist of the same steps with the same dependent predecessors.
//! So each step gets a name made of its actor, its outcome and its history (the names of the earlier steps that it depends
//! on): an event of the program's unfolding. A trace is the set of its events; its name is the sum of their names.

use mazurka_core::{Fingerprint, Move};

/// The name of an event: a step of an actor after a history.
pub(crate) fn event_name(actor: u64, outcome: u64, history: u128) -> u128 {
    let mut bytes = [0u8; 32];
    bytes[..8].copy_from_slice(&actor.to_le_bytes());
    bytes[8..16].copy_from_slice(&outcome.to_le_bytes());
    bytes[16..].copy_from_slice(&history.to_le_bytes());
    Fingerprint::of_bytes(&bytes).0
}

/// The name of a step after a history, where actors have the same numbers in all executions.
pub(crate) fn step_name(step: Move, history: u128) -> u128 {
    event_name(step.actor.0.into(), step.outcome.0, history)
}

#[derive(Clone, Copy, Debug)]
struct NamedStep<T> {
    step: Move,
    touches: T,
    name: u128,
    /// The sum of the names up to and with this one.
    sum: u128,
}

/// Builds the name of a trace step by step; the last steps can be taken back. `T` is what a step touches.
#[derive(Debug)]
pub(crate) struct TraceName<T> {
    steps: Vec<NamedStep<T>>,
}

impl<T> Default for TraceName<T> {
    fn default() -> Self {
        TraceName { steps: Vec::new() }
    }
}

impl<T: Copy> TraceName<T> {
    /// Adds a step; `depend` tells whether two steps of different actors depend on each other.
    pub(crate) fn push(&mut self, step: Move, touches: T, depend: impl Fn(T, T) -> bool) {
        let history = self
            .steps
            .iter()
            .filter(|earlier| earlier.step.actor == step.actor || depend(earlier.touches, touches))
            .fold(0u128, |sum, earlier| sum.wrapping_add(earlier.name));
        let name = step_name(step, history);
        let sum = self.name().0.wrapping_add(name);
        self.steps.push(NamedStep { step, touches, name, sum });
    }

    /// Takes back all steps from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.steps.truncate(len);
    }

    /// The name that all executions of this trace share.
    pub(crate) fn name(&self) -> Fingerprint {
        Fingerprint(self.steps.last().map_or(0, |step| step.sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::{Access, ActorId, Dependence, Footprint, FootprintId, FootprintTable, ObjectId};

    #[test]
    fn independent_steps_may_be_swapped_and_dependent_ones_may_not() {
        let mut table = FootprintTable::new(Dependence::default());
        let mut writing = |object| {
            let mut footprint = Footprint::default();
            footprint.touch(ObjectId(object), Access::WRITE);
            table.intern(&footprint)
        };
        let (x, y) = (writing(0), writing(1));
        let name = |steps: &[(u32, FootprintId)], table: &FootprintTable| {
            let mut trace = TraceName::default();
            for &(actor, footprint) in steps {
                trace.push(ActorId(actor).into(), footprint, |one, other| table.conflict(one, other));
            }
            trace.name()
        };
        assert_eq!(name(&[(0, x), (1, y)], &table), name(&[(1, y), (0, x)], &table));
        assert_ne!(name(&[(0, x), (1, x)], &table), name(&[(1, x), (0, x)], &table));
    }
}
