//! What has to happen in the end, and which actors must not wait for ever.
//!
//! An execution goes on for ever or stands still for ever: at every state there is a step of no actor, which changes nothing
//! and is always possible, but where an assumption blocks the execution ([`Ending::Blocked`](crate::Ending::Blocked)). That
//! makes finished programs, deadlocks and "nothing has to happen any more" one case. Which executions count is a matter of
//! fairness: a [`ClassId`] of actors that is weakly fair does not stay able to move for ever without a move, one that is
//! strongly fair does not become able again and again without one.

use crate::{ActorId, ActorKind, Location, ObjectId, System, Violation, ViolationKind};

/// What must not happen to a class of actors in an execution without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fairness {
    /// Anything may: nobody has to come home.
    None,
    /// It can always move from some point on, and never does.
    Weak,
    /// It can move again and again, and from some point on never does.
    Strong,
}

impl Fairness {
    /// All of them, the least first.
    pub const ALL: [Fairness; 3] = [Fairness::None, Fairness::Weak, Fairness::Strong];

    /// The name in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Fairness::None => "none",
            Fairness::Weak => "weak",
            Fairness::Strong => "strong",
        }
    }

    /// The fairness with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Fairness::ALL.into_iter().find(|fairness| fairness.name() == name)
    }
}

/// Actors that are treated fairly together: the messages of a handler, or an actor by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ClassId {
    /// One actor.
    Actor(ActorId),
    /// Whichever message a handler runs.
    Handler(ObjectId),
}

/// What has to hold in every fair execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// The goal, at some point.
    Eventually,
    /// The goal, again and again.
    AlwaysEventually,
    /// After every state with the cause, the goal: then or later.
    LeadsTo,
    /// A step of progress ([`Step::progress`](crate::Step::progress)), again and again. A state in which the goal is reached
    /// counts as one.
    Progress,
}

/// Something that has to happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Property {
    /// What kind of thing.
    pub form: Form,
    /// As the user wrote it.
    pub text: String,
    /// What is wrong in an execution in which it does not happen. See [`Violation::message`].
    pub message: String,
    /// Where it stands.
    pub location: Option<Location>,
}

impl Property {
    /// `eventually goal`.
    pub fn eventually(goal: &str) -> Self {
        Property::new(Form::Eventually, format!("eventually {goal}"), format!("may never come true: {goal}"))
    }

    /// `always eventually goal`.
    pub fn always_eventually(goal: &str) -> Self {
        let text = format!("always eventually {goal}");
        Property::new(Form::AlwaysEventually, text, format!("may stay false for ever: {goal}"))
    }

    /// `cause leads_to goal`.
    pub fn leads_to(cause: &str, goal: &str) -> Self {
        let text = format!("{cause} leads_to {goal}");
        Property::new(Form::LeadsTo, text, format!("{cause} may never lead to {goal}"))
    }

    /// Progress, again and again.
    pub fn progress() -> Self {
        Property::new(Form::Progress, "progress".to_owned(), "may go on for ever without progress".to_owned())
    }

    fn new(form: Form, text: String, message: String) -> Self {
        Property { form, text, message, location: None }
    }

    /// The same with its place.
    #[must_use]
    pub fn at(self, location: Location) -> Self {
        Property { location: Some(location), ..self }
    }

    /// The same under a name, which reports begin with.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Property { message: format!("{name}: {}", self.message), ..self }
    }

    /// That it does not happen.
    pub fn violation(&self) -> Violation {
        Violation { location: self.location.clone(), ..Violation::new(ViolationKind::Liveness, self.message.clone()) }
    }
}

/// What a program has to do in the end. A program without properties writes nothing of this.
pub trait Liveness<State> {
    /// What has to happen.
    fn properties(&self) -> &[Property] {
        &[]
    }

    /// Whether the goal of a property is reached in this state.
    fn holds(&self, _state: &State, _property: usize) -> bool {
        false
    }

    /// Whether the cause of a `leads_to` is there in this state.
    fn begins(&self, _state: &State, _property: usize) -> bool {
        true
    }

    /// The class of an actor that can move. By default the messages of a handler are one class, and every other actor
    /// is a class by itself.
    fn class(&self, _state: &State, _actor: ActorId) -> Option<ClassId> {
        None
    }

    /// How a class is treated. By default events are not treated fairly, and everything else is weakly fair.
    fn fairness(&self, _class: ClassId) -> Option<Fairness> {
        None
    }

    /// What the user writes to have a class treated so: "write `fair event timeout`".
    fn remedy(&self, _class: ClassId, _fairness: Fairness) -> Option<String> {
        None
    }
}

/// A program that does not have to do anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLiveness;

impl<State> Liveness<State> for NoLiveness {}

/// The class of an actor that can move in a state.
pub fn class_of<S: System>(system: &S, state: &S::State, actor: ActorId) -> ClassId {
    system.liveness().class(state, actor).unwrap_or_else(|| match system.actor(actor) {
        ActorKind::Message { handler, .. } => ClassId::Handler(handler),
        ActorKind::Event | ActorKind::Thread => ClassId::Actor(actor),
    })
}

/// How a class is treated. `all` is for all classes that are treated fairly at all.
pub fn fairness_of<S: System>(system: &S, class: ClassId, all: Option<Fairness>) -> Fairness {
    let own = system.liveness().fairness(class).unwrap_or_else(|| match class {
        ClassId::Actor(actor) if system.actor(actor) == ActorKind::Event => Fairness::None,
        ClassId::Actor(_) | ClassId::Handler(_) => Fairness::Weak,
    });
    match all {
        Some(fairness) if own != Fairness::None => fairness,
        _ => own,
    }
}

/// The name of a class.
pub fn class_name<S: System>(system: &S, class: ClassId) -> String {
    match class {
        ClassId::Actor(actor) => system.narrator().actor_name(actor),
        ClassId::Handler(handler) => system.narrator().object_name(handler),
    }
}
