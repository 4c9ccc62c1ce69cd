//! The name of what an execution covers: its steps and the order of those that depend on each other, without the order of
//! posts.
//!
//! Two executions with one name cover each other (definition 2.4 of the paper). The name is built as that of a trace
//! ([`mazurka_core::TraceBuilder`]): a step's hash is made of its actor, its outcome and the hashes of the earlier steps
//! that it depends on, and the name is the sum of the hashes.

use super::tasks::{Tasks, Thread, Touches};
use mazurka_core::{Fingerprint, Move};

struct Named {
    step: Move,
    thread: Thread,
    touches: Touches,
    hash: u128,
    sum: u128,
}

/// Builds a name step by step; the last steps can be taken back.
#[derive(Default)]
pub(super) struct ClassName {
    steps: Vec<Named>,
}

impl ClassName {
    /// Adds a step.
    pub(super) fn push(&mut self, step: Move, touches: Touches, tasks: &Tasks) {
        let thread = tasks.thread(step.actor);
        let history = self
            .steps
            .iter()
            .filter(|earlier| {
                earlier.step.actor == step.actor || tasks.depend((earlier.thread, earlier.touches), (thread, touches))
            })
            .fold(0u128, |sum, earlier| sum.wrapping_add(earlier.hash));
        let mut bytes = [0u8; 28];
        bytes[..4].copy_from_slice(&step.actor.0.to_le_bytes());
        bytes[4..12].copy_from_slice(&step.outcome.0.to_le_bytes());
        bytes[12..].copy_from_slice(&history.to_le_bytes());
        let hash = Fingerprint::of_bytes(&bytes).0;
        let sum = self.name().0.wrapping_add(hash);
        self.steps.push(Named { step, thread, touches, hash, sum });
    }

    /// Takes back all steps from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.steps.truncate(len);
    }

    /// The name that all executions that cover each other share.
    pub(super) fn name(&self) -> Fingerprint {
        Fingerprint(self.steps.last().map_or(0, |step| step.sum))
    }
}
