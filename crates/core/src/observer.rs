//! How an engine tells what it is doing.

use crate::{Ending, Fingerprint, Violation};

/// How a search stands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// What the engine counts first: states or executions.
    pub found: u64,
    /// The word for it.
    pub unit: &'static str,
    /// Steps taken.
    pub transitions: u64,
    /// How deep the search is.
    pub depth: u64,
    /// What is known to wait: states of the frontier, or alternatives on the path.
    pub waiting: u64,
}

/// What a search tells while it runs. All methods have empty bodies: implement those you need.
pub trait Observer: Send {
    /// A few times a second.
    fn progress(&mut self, _progress: &Progress) {}

    /// Each violation, once for every distinct [`Violation`] (values and actor included).
    fn violation(&mut self, _violation: &Violation) {}

    /// Each distinct state in which no actor can move; an engine may tell of one several times.
    fn end(&mut self, _ending: &Ending, _state: Fingerprint) {}

    /// Whether [`Observer::violation`] wants every distinct set of values. Otherwise one per place is enough.
    fn wants_values(&self) -> bool {
        false
    }
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
