//! Names and sentences for people. No search depends on them.

use crate::{Access, ActorId, Found, Location, ObjectId, Outcome, Schedule};

/// What people are told of a program. Everything has a default, which numbers things.
pub trait Narrator<State> {
    /// An actor's name, the same in every execution.
    fn actor_name(&self, actor: ActorId) -> String {
        format!("actor {}", actor.0)
    }

    /// An object's name.
    fn object_name(&self, object: ObjectId) -> String {
        format!("object {}", object.0)
    }

    /// What touching an object is called: a verb in the past tense, for "T1 incremented x before T2 read it".
    fn touch_verb(&self, _object: ObjectId, access: Access) -> &'static str {
        if access.changes() { "wrote" } else { "read" }
    }

    /// What `actor` is about to do in this state.
    fn describe(&self, _state: &State, actor: ActorId, _outcome: Outcome) -> Description {
        Description { text: self.actor_name(actor), location: None }
    }

    /// Appends what a person would want to see of the state, in a fixed order.
    fn observe(&self, _state: &State, _into: &mut Vec<Value>) {}

    /// Appends the local variables of `actor`, by name.
    fn observe_locals(&self, _state: &State, _actor: ActorId, _into: &mut Vec<Value>) {}

    /// Why a violation comes about, in one sentence without a full stop, where the program can say it better than "one
    /// step came before the other".
    fn explain(&self, _found: &Found) -> Option<String> {
        None
    }

    /// What a person should know besides why a violation comes about, in one sentence without a full stop.
    fn background(&self, _found: &Found) -> Option<String> {
        None
    }

    /// What the program prints along a schedule, step by step; empty if it prints nothing or that is not known.
    fn output(&self, _schedule: &Schedule) -> Vec<String> {
        Vec::new()
    }

    /// Whether steps of one actor on one line of the source, one after the other, are told as one.
    fn tells_lines(&self) -> bool {
        false
    }

    /// What is done again and again, in order, where the violation is that something never ends.
    fn repeats(&self, _found: &Found) -> Vec<String> {
        Vec::new()
    }
}

/// The narrator of a program that has none: everything is called by its number.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByNumber;

impl<State> Narrator<State> for ByNumber {}

/// A named value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    /// Whose value.
    pub name: String,
    /// The value, as it is shown.
    pub value: String,
}

/// A step in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// What is done, as the source has it.
    pub text: String,
    /// Where the source has it.
    pub location: Option<Location>,
}
