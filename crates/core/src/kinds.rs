//! What actors and objects are: one answer for engines and for people.

use crate::ObjectId;

/// What kind of thing an actor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActorKind {
    /// An event does everything in one step, and may happen again and again.
    Event,
    /// A thread takes one step after the other, and may come to its end.
    Thread,
    /// A message, which a handler runs. Its first step writes the handler and no other step does; from there to its end no
    /// other message of that handler can move.
    Message {
        /// What runs it.
        handler: ObjectId,
        /// What it was posted into, if that is a first-in-first-out mailbox: its messages run in the order of their posts.
        fifo: Option<ObjectId>,
    },
}

impl ActorKind {
    /// The handler that runs a message.
    pub fn handler(self) -> Option<ObjectId> {
        match self {
            ActorKind::Message { handler, .. } => Some(handler),
            ActorKind::Event | ActorKind::Thread => None,
        }
    }
}

/// How a program tells actors apart that are created while it runs. An engine says which one it wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// The n-th thing that its creator made: the same actor in every execution.
    History,
    /// What the actor is at present, so that states come back.
    Presence,
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// The kind of thing, for words and pictures.
    pub kind: ObjectKind,
    /// What engines may rely on.
    pub rule: Rule,
}

impl From<ObjectKind> for Object {
    fn from(kind: ObjectKind) -> Self {
        Object { kind, rule: Rule::Free }
    }
}

/// How steps use an object. A frontend that promises nothing says [`Rule::Free`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// In any way.
    Free,
    /// A mutex: held from a step that writes it to a step that releases it. It can be written only while no other actor
    /// holds it, and [`Insight::holder`](crate::Insight::holder) tells which one does.
    Mutex,
    /// A gate: one step writes it, once, and no other step can touch it before that.
    Gate,
    /// A handler that takes its messages in any order, each of which runs to its end without ever being blocked. A message
    /// writes the handler in its first step and releases it in its last one; whether two of them conflict is seen in
    /// what else they touch.
    Bag,
}

/// What kind of thing a shared object is, for words and pictures. Where one step depends on another through several
/// objects, the kind that comes first here tells most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectKind {
    /// Whether an actor was made, woken or has ended.
    Life,
    /// A condition variable.
    Signal,
    /// A mutex.
    Lock,
    /// Whether an event can happen.
    Switch,
    /// A shared variable.
    Variable,
    /// The messages that wait for a handler.
    Mailbox,
    /// A handler, which runs one message at a time.
    Handler,
    /// A condition that must always hold.
    Invariant,
}

impl ObjectKind {
    /// The kind's name in machine-readable reports.
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Life => "life",
            ObjectKind::Signal => "signal",
            ObjectKind::Lock => "lock",
            ObjectKind::Switch => "switch",
            ObjectKind::Variable => "variable",
            ObjectKind::Mailbox => "mailbox",
            ObjectKind::Handler => "handler",
            ObjectKind::Invariant => "invariant",
        }
    }
}
