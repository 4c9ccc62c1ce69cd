//! Programs that are measured, each written once and run by Mazurka and by its peers.
//!
//! A program is a set of plain functions over one compact state type (`Native`); `Ours` shows it to Mazurka and
//! `Theirs` to Stateright. So both search the same states by the same code.
//!
//! Where engines of ours are measured against each other, that is here, too.
#![forbid(unsafe_code)]

mod beside;
mod dining;
mod two_phase;
mod usage;

pub use beside::stateful_beside_exhaustive;
pub use dining::Dining;
pub use two_phase::TwoPhase;
pub use usage::{cpu_seconds, peak_bytes};

use mazurka_core::{ActorId, ObjectId, Step, System};
use std::fmt::Debug;
use std::hash::Hash;

/// A program as plain functions.
pub trait Native: Clone + Send + Sync + 'static {
    /// Everything that can change.
    type State: Clone + Debug + Eq + Hash + Send + Sync + 'static;

    /// Where it begins.
    fn start(&self) -> Self::State;

    /// Tells of each action that is possible.
    fn actions(&self, state: &Self::State, each: impl FnMut(u32));

    /// Does a possible action.
    fn act(&self, state: &mut Self::State, action: u32);

    /// The shared objects that an action touches.
    fn objects(&self, action: u32) -> [u32; 2];
}

/// A program as Mazurka sees it.
#[derive(Clone)]
pub struct Ours<N>(pub N);

impl<N: Native> System for Ours<N> {
    type State = N::State;

    fn initial_states(&self) -> Vec<N::State> {
        vec![self.0.start()]
    }

    fn enabled(&self, state: &N::State, into: &mut Vec<ActorId>) {
        self.0.actions(state, |action| into.push(ActorId(action)));
    }

    fn step(&self, state: &mut N::State, actor: ActorId, step: &mut Step) {
        for object in self.0.objects(actor.0) {
            step.write(ObjectId(object));
        }
        self.0.act(state, actor.0);
    }
}

/// A program as Stateright sees it. Its one property always holds, so that everything is searched.
#[derive(Clone)]
pub struct Theirs<N>(pub N);

impl<N: Native> stateright::Model for Theirs<N> {
    type State = N::State;
    type Action = u32;

    fn init_states(&self) -> Vec<N::State> {
        vec![self.0.start()]
    }

    fn actions(&self, state: &N::State, actions: &mut Vec<u32>) {
        self.0.actions(state, |action| actions.push(action));
    }

    fn next_state(&self, last_state: &N::State, action: u32) -> Option<N::State> {
        let mut state = last_state.clone();
        self.0.act(&mut state, action);
        Some(state)
    }

    fn properties(&self) -> Vec<stateright::Property<Self>> {
        vec![stateright::Property::always("true", |_, _| true)]
    }
}
