//! What there is to see at a place.

use super::Waypoint;
use crate::Row;
use mazurka_core::{Access, ActorKind, Location, ObjectKind, Outcome, Value, Violation};

/// What there is to see at a place.
#[derive(Clone, Debug)]
pub struct At {
    /// The place.
    pub waypoint: Waypoint,
    /// The actors that have moved, in the order of their first moves.
    pub actors: Vec<String>,
    /// How many of the first steps the reader knows: the path is told from there on.
    pub known: usize,
    /// The steps that lead here.
    pub path: Vec<PathStep>,
    /// The values of the state.
    pub values: Vec<Value>,
    /// Who can move, who cannot, and who has ended.
    pub movers: Vec<Mover>,
    /// The next steps that conflict.
    pub clashes: Vec<Clash>,
    /// What it means that no actor can move, if none can.
    pub halt: Option<Halt>,
    /// What has gone wrong on the way.
    pub wrongs: Vec<Wrong>,
}

/// A step that leads to a place.
#[derive(Clone, Debug)]
pub struct PathStep {
    /// What it did.
    pub row: Row,
    /// What it touched.
    pub touched: Vec<TouchedAs>,
    /// The earlier steps that it races with.
    pub races: Vec<RaceWith>,
}

/// An object, and how a step touched it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedAs {
    /// The object's name.
    pub object: String,
    /// What kind of thing it is.
    pub kind: ObjectKind,
    /// How it was touched.
    pub access: &'static str,
}

/// An earlier step that conflicts with a step, directly before it in happens-before, so that the order could have been the
/// other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RaceWith {
    /// The index of the earlier step.
    pub first: usize,
    /// The name of an object on which they conflict.
    pub object: String,
}

/// An actor at a place.
#[derive(Clone, Debug)]
pub struct Mover {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ActorKind,
    /// What it would do next, as the source has it; empty if it has ended.
    pub text: String,
    /// Where the source has it.
    pub location: Option<Location>,
    /// Whether it can move.
    pub standing: Standing,
}

/// Whether an actor can move.
#[derive(Clone, Debug)]
pub enum Standing {
    /// It can.
    Able {
        /// Which of those that can, from 0.
        turn: u32,
        /// What its step would touch, over all of its ways that were looked at.
        touched: Vec<TouchedAs>,
        /// Its outcomes; the first ones, if there are many.
        ways: Vec<Way>,
        /// Whether there are more.
        has_more: bool,
    },
    /// It is blocked.
    Blocked {
        /// What it waits for, in a few words that follow "waits for".
        awaits: String,
        /// The actor that has that.
        holder: Option<String>,
    },
    /// It has done all that it had to do.
    Ended,
}

/// One outcome of a next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Its number.
    pub outcome: Outcome,
    /// What the step does then, as the source has it.
    pub text: String,
    /// What would go wrong.
    pub wrong: Option<String>,
}

/// Two next steps that conflict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The places of the two actors among those that can move.
    pub turns: (u32, u32),
    /// The name of the object.
    pub object: String,
    /// How each of them would touch it.
    pub accesses: (&'static str, &'static str),
}

/// What it means that no actor can move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Halt {
    /// Everything is done.
    Finished,
    /// An assumption is false, so the execution does not count.
    Assumption,
    /// Some actor still has something to do. Those that wait for each other in a cycle, each for the next.
    Deadlock(Vec<String>),
}

/// Something that went wrong on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// After how many steps.
    pub steps: usize,
    /// What.
    pub violation: Violation,
}

/// How an object was touched, in a word or two.
pub(super) fn access_words(access: Access) -> &'static str {
    if access.contains(Access::RELEASE) {
        "release"
    } else if access.contains(Access::READ_WRITE) {
        "update"
    } else if access.contains(Access::WRITE) {
        "write"
    } else if access.contains(Access::POST) {
        "post"
    } else if access.contains(Access::ADD) {
        "add"
    } else if access.contains(Access::REWRITE) {
        "write the same"
    } else {
        "read"
    }
}
