//! What can be wrong with a program.

use crate::{ActorId, Value};
use std::fmt;
use std::sync::Arc;

/// A place in a source text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file, as the user named it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The kinds of violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ViolationKind {
    /// An assertion was false.
    Assertion,
    /// A global invariant was broken.
    Invariant,
    /// No actor can move, and some actor still has something to do.
    Deadlock,
    /// No actor makes progress: those that are not blocked repeat what they did, for ever.
    Livelock,
    /// What has to happen in the end does not: see [`crate::Liveness`]. The schedule goes on for ever.
    Liveness,
    /// The program did what has no meaning: a division by zero, an index out of range, an overflow.
    Crash,
    /// Two apps fight over a device.
    Conflict,
    /// One event sets off others without end.
    Cascade,
    /// Two accesses of a shared variable that nothing orders: see [`crate::Accesses`].
    Race,
    /// The program did what is not modelled. What follows is unknown, so this is no fault of the program but the end of
    /// what can be said: see [`crate::Exploration::conclude`].
    Unsupported,
}

impl ViolationKind {
    /// The kind's name in machine-readable reports.
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::Invariant => "invariant",
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::Livelock => "livelock",
            ViolationKind::Liveness => "liveness",
            ViolationKind::Crash => "crash",
            ViolationKind::Conflict => "conflict",
            ViolationKind::Cascade => "cascade",
            ViolationKind::Race => "race",
            ViolationKind::Unsupported => "unsupported",
        }
    }

    /// The kind with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        use ViolationKind::{
            Assertion, Cascade, Conflict, Crash, Deadlock, Invariant, Livelock, Liveness, Race, Unsupported,
        };
        [Assertion, Invariant, Deadlock, Livelock, Liveness, Crash, Conflict, Cascade, Race, Unsupported]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// How much a violation matters, where the program can tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// It is a matter of comfort.
    Low,
    /// It should be looked at.
    #[default]
    Medium,
    /// Safety depends on it.
    High,
}

impl Severity {
    /// All of them, the least first.
    pub const ALL: [Severity; 3] = [Severity::Low, Severity::Medium, Severity::High];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
        }
    }

    /// The severity with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Severity::ALL.into_iter().find(|severity| severity.name() == name)
    }
}

/// Something that is wrong, as it was met in one execution.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Violation {
    /// What kind of thing.
    pub kind: ViolationKind,
    /// One sentence. It does not contain values, so it is the same however the violation is reached.
    pub message: String,
    /// Where in the program, if that can be said.
    pub location: Option<Location>,
    /// Whose step it was; `None` for a deadlock.
    pub actor: Option<ActorId>,
    /// The values that were read there, by name.
    pub values: Vec<Value>,
}

impl Violation {
    /// A violation without a place and without values.
    pub fn new(kind: ViolationKind, message: impl Into<String>) -> Self {
        Violation { kind, message: message.into(), location: None, actor: None, values: Vec::new() }
    }

    /// The violation with its place, on one line.
    pub fn told(&self) -> String {
        match &self.location {
            Some(location) => format!("{location}: {}", self.message),
            None => self.message.clone(),
        }
    }

    /// Whether both are the same fault of the program, whatever the values and the actor.
    pub fn same_site(&self, other: &Violation) -> bool {
        self.kind == other.kind && self.location == other.location && self.message == other.message
    }
}
