//! Automations and scripts, understood.
#![allow(missing_docs, reason = "fields and variants are called what Home Assistant calls them")]

use crate::template::{Template, Val};
use crate::yaml::{Node, Place};
use std::sync::Arc;

/// An automation or a script.
#[derive(Clone, Debug, PartialEq)]
pub struct Routine {
    /// What it is.
    pub kind: RoutineKind,
    /// What the owner calls it: its alias, else its id, else its place.
    pub name: String,
    /// Its entity, as in `automation.hall_on`.
    pub entity: String,
    /// Where it stands.
    pub place: Place,
    /// What happens when it is triggered while it runs.
    pub mode: Mode,
    /// How many runs there may be.
    pub max: usize,
    /// What starts it.
    pub triggers: Vec<Trigger>,
    /// What must hold then.
    pub conditions: Vec<Condition>,
    /// What it does.
    pub actions: Vec<Action>,
    /// What is rendered when it starts, in order.
    pub variables: Vec<(String, Templated)>,
    /// Whether it is on from the start.
    pub initially_on: bool,
    /// What was not understood.
    pub opaque: Vec<Opaque>,
    /// As it was written, with the inputs of its blueprint.
    pub source: Arc<Node>,
}

/// What a routine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoutineKind {
    Automation,
    Script,
}

/// What happens when a routine is to start while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    Single,
    Restart,
    Queued,
    Parallel,
}

impl Mode {
    /// As the configuration writes it.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Single => "single",
            Mode::Restart => "restart",
            Mode::Queued => "queued",
            Mode::Parallel => "parallel",
        }
    }
}

/// A part that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opaque {
    /// Where.
    pub place: Place,
    /// What.
    pub what: String,
    /// Whether it decides something: a condition, a trigger, a target, a value that is set.
    pub decides: bool,
}

/// A value with templates in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Templated {
    Val(Val),
    Template(Arc<Template>),
    List(Vec<Templated>),
    Map(Vec<(String, Templated)>),
}

impl Templated {
    /// The value, where there is no template in it.
    pub fn fixed(&self) -> Option<Val> {
        Some(match self {
            Templated::Val(value) => value.clone(),
            Templated::Template(_) => return None,
            Templated::List(items) => Val::list(items.iter().map(Templated::fixed).collect::<Option<_>>()?),
            Templated::Map(entries) => {
                let entry = |(key, value): &(String, Templated)| Some((Val::text(key), value.fixed()?));
                Val::Map(Arc::new(entries.iter().map(entry).collect::<Option<_>>()?))
            }
        })
    }

    /// Visits the templates.
    pub fn templates<'t>(&'t self, visit: &mut dyn FnMut(&'t Arc<Template>)) {
        match self {
            Templated::Val(_) => {}
            Templated::Template(template) => visit(template),
            Templated::List(items) => items.iter().for_each(|item| item.templates(visit)),
            Templated::Map(entries) => entries.iter().for_each(|(_, value)| value.templates(visit)),
        }
    }
}

/// A trigger.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    pub place: Place,
    /// Its id: given, or its number.
    pub id: String,
    pub kind: TriggerKind,
    pub variables: Vec<(String, Templated)>,
}

/// What fires.
#[derive(Clone, Debug, PartialEq)]
pub enum TriggerKind {
    State {
        entities: Vec<String>,
        attribute: Option<String>,
        from: Match,
        to: Match,
        hold: Option<Templated>,
        blind: bool,
    },
    Numeric {
        entities: Vec<String>,
        attribute: Option<String>,
        above: Option<Bound>,
        below: Option<Bound>,
        value: Option<Arc<Template>>,
        hold: Option<Templated>,
    },
    Template {
        template: Arc<Template>,
        hold: Option<Templated>,
    },
    Time {
        at: Vec<At>,
        weekdays: Option<Vec<u32>>,
    },
    /// At intervals of this many seconds.
    Pattern {
        period: i64,
        words: String,
    },
    Sun {
        rises: bool,
        offset: i64,
    },
    Start,
    Shutdown,
    Event {
        names: Vec<String>,
        data: Vec<(String, Templated)>,
    },
    /// Something outside that is not modelled: a message, a button of a remote. Equal texts are the same thing.
    Outside(String),
    /// Not understood: it can fire at any time.
    Opaque(String),
}

/// Which values a state trigger takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Match {
    /// Not given.
    Open,
    /// Given as null: any other value.
    Any,
    In(Vec<String>),
    NotIn(Vec<String>),
}

impl Match {
    /// Whether a value fits; nothing is the value of an entity that is not there.
    pub fn fits(&self, value: Option<&str>) -> bool {
        match self {
            Match::Open | Match::Any => true,
            Match::In(values) => value.is_some_and(|value| values.iter().any(|known| known == value)),
            Match::NotIn(values) => !value.is_some_and(|value| values.iter().any(|known| known == value)),
        }
    }
}

/// A bound of a number.
#[derive(Clone, Debug, PartialEq)]
pub enum Bound {
    Number(f64),
    Entity(String),
}

/// A time of day.
#[derive(Clone, Debug, PartialEq)]
pub enum At {
    /// The second of the day.
    Fixed(i64),
    /// What an entity says, plus milliseconds.
    Entity(String, i64),
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    pub place: Place,
    pub kind: ConditionKind,
}

/// What must hold.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionKind {
    And(Vec<Condition>),
    Or(Vec<Condition>),
    Not(Vec<Condition>),
    State {
        entities: Vec<String>,
        any: bool,
        attribute: Option<String>,
        states: Vec<String>,
        hold: Option<Templated>,
    },
    Numeric {
        entities: Vec<String>,
        attribute: Option<String>,
        above: Option<Bound>,
        below: Option<Bound>,
        value: Option<Arc<Template>>,
    },
    Template(Arc<Template>),
    Time {
        after: Option<At>,
        before: Option<At>,
        weekdays: Option<Vec<u32>>,
    },
    Sun {
        after: Option<(bool, i64)>,
        before: Option<(bool, i64)>,
    },
    Trigger(Vec<String>),
    /// Switched off: neither true nor false.
    Disabled,
    /// Not understood: both ways are tried.
    Opaque(String),
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    pub place: Place,
    pub goes_on: bool,
    pub kind: ActionKind,
}

/// What is done.
#[derive(Clone, Debug, PartialEq)]
pub enum ActionKind {
    Call(Call),
    Delay(Templated),
    WaitTemplate { template: Arc<Template>, timeout: Option<Templated>, goes_on: bool },
    WaitTrigger { triggers: Vec<Trigger>, timeout: Option<Templated>, goes_on: bool },
    Condition(Condition),
    Choose { branches: Vec<(Vec<Condition>, Vec<Action>)>, otherwise: Vec<Action> },
    If { conditions: Vec<Condition>, then: Vec<Action>, otherwise: Vec<Action> },
    Repeat { repeat: Repeat, body: Vec<Action> },
    Parallel(Vec<Vec<Action>>),
    Sequence(Vec<Action>),
    Variables(Vec<(String, Templated)>),
    Stop { error: bool },
    Event { name: String, data: Vec<(String, Templated)> },
    Nothing,
}

/// How often.
#[derive(Clone, Debug, PartialEq)]
pub enum Repeat {
    Count(Templated),
    While(Vec<Condition>),
    Until(Vec<Condition>),
    Each(Templated),
}

/// A call of a service.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// `domain.service`
    pub service: Templated,
    pub targets: Vec<Target>,
    pub data: Vec<(String, Templated)>,
    /// The variable that takes what it answers.
    pub answer: Option<String>,
}

/// What a call is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// Entities: a text, a list, a template.
    Entities(Templated),
    /// A device, an area, a floor or a label, and its id.
    Members(&'static str, String),
}
