//! What can happen in a home, and what apps are told of it.

use crate::store::ValueId;
use mazurka_groovy::{Frozen, Value};
use std::sync::Arc;

/// What an actor does: one thing that the environment can do at any time, or a timer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Happening {
    /// An attribute of a device gets a value.
    Attribute { device: u32, attribute: usize, value: ValueId },
    /// A person taps an app; in the study, whichever apps listen.
    Touch { app: Option<u32> },
    /// The mode becomes another one.
    Mode { value: ValueId },
    /// The sun rises or sets. In the study the mode is overwritten with this text.
    Sun { name: Arc<str> },
    /// A method of an app runs at its time: the study's way with schedules.
    Method { app: u32, method: Arc<str> },
    /// Nothing at all.
    Nothing,
}

/// An actor of the environment.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) happening: Happening,
    /// What people call it; no two events have the same name.
    pub(crate) name: String,
}

/// What an app's handler is told.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    pub(crate) name: Arc<str>,
    pub(crate) value: Frozen,
    pub(crate) device: Option<u32>,
    /// Whether a person or the world did it, not an app.
    pub(crate) physical: bool,
    /// Whether a person asked the apps to act.
    pub(crate) manual: bool,
    /// What else there is to know, as an app would get it from `jsonData`.
    pub(crate) data: Option<Frozen>,
}

impl Notice {
    /// A notice of the home itself.
    pub(crate) fn of_home(name: &str, value: Frozen) -> Self {
        Notice { name: name.into(), value, device: None, physical: true, manual: false, data: None }
    }

    /// The value as text, which is what subscriptions are compared with.
    pub(crate) fn text(&self) -> String {
        self.value.to_string()
    }

    /// The value as a number, if it is one.
    pub(crate) fn number(&self) -> Option<Value> {
        match &self.value {
            Frozen::Int(_) | Frozen::Long(_) | Frozen::Decimal(_) | Frozen::Double(_) => Some(self.value.thaw()),
            Frozen::Text(text) => {
                let whole = text.parse::<i64>().ok().map(Value::int);
                whole.or_else(|| text.parse::<f64>().ok().map(Value::Double))
            }
            _ => None,
        }
    }
}
