//! How an engine tells what it is doing.

use crate::{ActorId, Ending, Fingerprint, Move, Schedule, Violation};

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

/// What a search does, told to those who watch it. States of the current path are told by how many steps lead there.
#[derive(Clone, Copy, Debug)]
pub enum Explored<'a> {
    /// A path begins at the initial state of this number.
    Start(usize),
    /// The search goes on from a state that is not on its path: the one that this schedule leads to.
    Jump(&'a Schedule),
    /// The search goes back on its path, to the state after this many steps.
    Back(usize),
    /// A step is taken from the last state of the path.
    Step(Move),
    /// The search goes on from the state that the last step led to.
    State {
        /// The actors that can move there.
        enabled: &'a [ActorId],
        /// Those that sleep there.
        asleep: &'a [ActorId],
    },
    /// Something is to be tried in a state of the path.
    Branch {
        /// Which state.
        depth: usize,
        /// The steps that are to be tried, one after the other.
        moves: &'a [Move],
        /// Why.
        because: Because,
    },
    /// The path ends: no actor can move.
    Ended(&'a Ending),
    /// The path ends: whoever can move sleeps.
    Asleep,
    /// The path ends: what comes after the state is known.
    Met,
    /// The path ends: it is as long as it may be, or has come back to one of its own states.
    Cut,
    /// Everything was tried in the state after this many steps, which leaves the path.
    Closed(usize),
}

/// Why something is to be tried in a state. Steps are told by their places in the path, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Because {
    /// Something has to be tried first.
    First,
    /// Two steps of the path race.
    Race {
        /// The earlier one.
        first: usize,
        /// The later one.
        second: usize,
    },
    /// A step of the path races with one that was not taken yet.
    NextStep {
        /// The step of the path.
        first: usize,
        /// The actor whose next step it is.
        actor: ActorId,
    },
    /// An actor is blocked where the path ends, and might have moved without some of the steps before.
    Waiting {
        /// The actor.
        actor: ActorId,
    },
    /// A step of the path has another outcome.
    Choice {
        /// The step.
        step: usize,
    },
    /// The step that was taken in the state conflicts with what an actor may do after it.
    Conflict {
        /// The actor.
        actor: ActorId,
    },
    /// It is not known which steps enable what comes later, so all of them are tried.
    All,
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

    /// Whether the search is watched: then it tells all that it does ([`Observer::explored`]), on one thread. Asked once, when
    /// the search begins.
    fn wants_tree(&self) -> bool {
        false
    }

    /// What a watched search does. The search waits until this comes back.
    fn explored(&mut self, _explored: &Explored<'_>) {}
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
