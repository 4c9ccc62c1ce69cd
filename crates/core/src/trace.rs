//! A canonical form of traces.
//!
//! Two executions belong to one trace exactly when they consist of the same steps with the same dependent predecessors.
//! So each step gets a hash of its actor, its outcome and its history (the hashes of all earlier steps that it depends
//! on): an event of the program's unfolding. A trace is the set of its events; its name is the sum of their hashes.

use crate::{ActorId, Fingerprint, FootprintId, FootprintTable, Move};

#[derive(Clone, Copy, Debug)]
struct Event {
    actor: ActorId,
    footprint: FootprintId,
    hash: u128,
    /// The sum of the hashes up to and with this one.
    sum: u128,
}

/// Builds the name of a trace step by step; the last steps can be taken back.
#[derive(Debug, Default)]
pub struct TraceBuilder {
    events: Vec<Event>,
}

impl TraceBuilder {
    /// The empty trace.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a step.
    pub fn push(&mut self, step: Move, footprint: FootprintId, table: &FootprintTable) {
        let history = self
            .events
            .iter()
            .filter(|event| event.actor == step.actor || table.conflict(event.footprint, footprint))
            .fold(0u128, |sum, event| sum.wrapping_add(event.hash));
        let mut bytes = [0u8; 28];
        bytes[..4].copy_from_slice(&step.actor.0.to_le_bytes());
        bytes[4..12].copy_from_slice(&step.outcome.0.to_le_bytes());
        bytes[12..].copy_from_slice(&history.to_le_bytes());
        let hash = Fingerprint::of_bytes(&bytes).0;
        let sum = self.name().0.wrapping_add(hash);
        self.events.push(Event { actor: step.actor, footprint, hash, sum });
    }

    /// Takes back all steps from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.events.truncate(len);
    }

    /// The name of one event: of a step with everything that happens before it.
    pub fn event(&self, index: usize) -> Fingerprint {
        Fingerprint(self.events[index].hash)
    }

    /// The name of the trace of the first `len` steps.
    pub fn prefix(&self, len: usize) -> Fingerprint {
        Fingerprint(len.checked_sub(1).map_or(0, |last| self.events[last].sum))
    }

    /// The name that all executions of this trace share.
    pub fn name(&self) -> Fingerprint {
        Fingerprint(self.events.last().map_or(0, |event| event.sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, Dependence, Footprint, ObjectId};

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
            let mut trace = TraceBuilder::new();
            for &(actor, footprint) in steps {
                trace.push(ActorId(actor).into(), footprint, table);
            }
            trace.name()
        };
        assert_eq!(name(&[(0, x), (1, y)], &table), name(&[(1, y), (0, x)], &table));
        assert_ne!(name(&[(0, x), (1, x)], &table), name(&[(1, x), (0, x)], &table));
    }
}
