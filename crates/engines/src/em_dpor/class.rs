//! The name of a class of executions: its steps and the order of those that depend on each other, without the order of
//! posts.
//!
//! Two executions with one name cover each other (definition 2.4 of the paper). The name is that of a trace
//! ([`crate::shared::trace`]) with the dependence of the paper.

use super::tasks::{Tasks, Thread, Touches};
use crate::shared::trace::TraceName;
use mazurka_core::{Fingerprint, Move};

/// Builds a name step by step; the last steps can be taken back.
#[derive(Default)]
pub(super) struct ClassName(TraceName<(Thread, Touches)>);

impl ClassName {
    /// Adds a step.
    pub(super) fn push(&mut self, step: Move, touches: Touches, tasks: &Tasks) {
        self.0.push(step, (tasks.thread(step.actor), touches), |one, other| tasks.depend(one, other));
    }

    /// Takes back all steps from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// The name that all executions that cover each other share.
    pub(super) fn name(&self) -> Fingerprint {
        self.0.name()
    }
}
