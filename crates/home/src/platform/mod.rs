//! What apps can ask of the platform, as far as they can see it: functions, devices, events, `state`, the home.
//!
//! One file for each kind of thing. Whatever would reach outside (messages, web requests, logging) is noted and not done.

mod children;
mod devices;
mod functions;
mod history;
mod maps;
mod notices;
mod place;
mod subscriptions;
mod timers;
mod times;

use crate::Profile;
use crate::clock;
use crate::stage::Stage;
use crate::store::MapKind;
use crate::wiring::InputValue;
use mazurka_groovy::{Elements, Host, Object, Run, Span, Trouble, Value};
use std::sync::Arc;

/// The kinds of objects that apps can hold.
pub(crate) mod kind {
    /// A device, by its number.
    pub(crate) const DEVICE: u16 = 1;
    /// A list of devices, which it carries along.
    pub(crate) const DEVICES: u16 = 2;
    /// In the study: a device as the list that it is in, which keeps copies of what the device knows.
    pub(crate) const LIST: u16 = 12;
    /// An app's `state`.
    pub(crate) const STATE: u16 = 3;
    /// An app's `atomicState`.
    pub(crate) const ATOMIC_STATE: u16 = 4;
    /// The home.
    pub(crate) const LOCATION: u16 = 5;
    /// An app.
    pub(crate) const APP: u16 = 6;
    /// What a handler is told; the notice is carried along.
    pub(crate) const EVENT: u16 = 7;
    /// `log`.
    pub(crate) const LOG: u16 = 8;
    /// `location.helloHome`.
    pub(crate) const HELLO_HOME: u16 = 9;
    /// Something outside of the home, of which nothing is known: what is asked of it is null, what it is told is noted.
    pub(crate) const OUTSIDE: u16 = 10;
    /// A child device, which it carries along.
    pub(crate) const CHILD: u16 = 13;
    /// The value that an attribute has, with its name: what `currentState` gives. Both are carried along.
    pub(crate) const READING: u16 = 11;
}

/// Something outside of the home.
pub(crate) fn outside() -> Value {
    Value::Object(Object::new(kind::OUTSIDE, 0))
}

/// What is asked of something outside of the home.
fn unknown_outside() -> Value {
    Value::unknown("something outside of the home, which is not modelled")
}

/// The value of a setting that has none.
pub(crate) fn unanswered(name: &str) -> Value {
    Value::unknown(format!("the setting {name:?}, which was never answered"))
}

/// A list of devices, as apps see it.
pub(crate) fn device_list(devices: &Arc<[u32]>) -> Value {
    let id = devices.first().copied().unwrap_or(u32::MAX);
    Value::Object(Object::with(kind::DEVICES, id, Arc::clone(devices)))
}

/// The value of an input, as apps see it.
pub(crate) fn input_value(value: &InputValue) -> Value {
    match value {
        InputValue::Device(device) => Value::Object(Object::new(kind::DEVICE, *device)),
        InputValue::List(device) => Value::Object(Object::new(kind::LIST, *device)),
        InputValue::Devices(devices) => device_list(devices),
        InputValue::Value(value) => value.thaw(),
    }
}

/// The devices behind an object.
pub(crate) fn devices_of(object: &Object) -> Vec<u32> {
    match object.kind {
        kind::DEVICE | kind::LIST => vec![object.id],
        kind::DEVICES => object.extra::<Arc<[u32]>>().map(|devices| devices.to_vec()).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// The devices behind a value: one, a list of them, or a list that an app made.
pub(crate) fn devices_in(value: &Value) -> Vec<u32> {
    match value {
        Value::Object(object) => devices_of(object),
        Value::List(list) => list.items().iter().flat_map(devices_in).collect(),
        _ => Vec::new(),
    }
}

/// The app that is running. Only apps call the platform.
pub(crate) fn app(run: &Run) -> u32 {
    run.instance().map_or(0, |instance| instance.tag())
}

/// `getLabel` asks for the property `label`.
fn property_of_getter(name: &str) -> Option<String> {
    let rest = name.strip_prefix("get").or_else(|| name.strip_prefix("is"))?;
    let mut letters = rest.chars();
    let first = letters.next().filter(|first| first.is_uppercase())?;
    Some(first.to_lowercase().chain(letters).collect())
}

impl Host for Stage<'_> {
    fn call(
        &mut self,
        run: &mut Run,
        receiver: Option<&Object>,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        let Some(object) = receiver else { return self.call_function(run, name, arguments, at) };
        let answer = match object.kind {
            kind::DEVICE | kind::DEVICES | kind::LIST => self.call_device(run, object, name, arguments, at)?,
            kind::STATE | kind::ATOMIC_STATE => self.call_map(run, object, name, arguments)?,
            kind::LOCATION => self.call_location(run, name, arguments, at)?,
            kind::HELLO_HOME => self.call_hello_home(run, name, arguments, at)?,
            kind::APP => self.call_app(run, name, arguments, at)?,
            kind::LOG => Some(Value::Null),
            kind::OUTSIDE => Some(unknown_outside()),
            kind::CHILD => self.call_child(run, object, name, arguments, at)?,
            _ => None,
        };
        if answer.is_some() || !arguments.is_empty() {
            return Ok(answer);
        }
        match property_of_getter(name) {
            Some(property) => self.get(run, receiver, &property, at),
            None => Ok(None),
        }
    }

    fn get(
        &mut self,
        run: &mut Run,
        receiver: Option<&Object>,
        name: &str,
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        let Some(object) = receiver else { return Ok(self.name(run, name)) };
        match object.kind {
            kind::DEVICE | kind::DEVICES | kind::LIST => self.get_of_devices(object, name),
            kind::STATE | kind::ATOMIC_STATE => Ok(Some(self.get_entry(object, name))),
            kind::EVENT => self.get_of_notice(run, object, name),
            kind::READING => Ok(self.get_of_reading(object, name)),
            kind::LOCATION => Ok(self.get_of_location(name)),
            kind::APP => Ok(self.get_of_app(object.id, name)),
            kind::HELLO_HOME if name == "phrases" => self.call(run, receiver, "getPhrases", &[], at),
            kind::OUTSIDE => Ok(Some(unknown_outside())),
            kind::CHILD => self.get_of_child(object, name).map(Some),
            _ => Ok(None),
        }
    }

    fn set(
        &mut self,
        run: &mut Run,
        receiver: Option<&Object>,
        name: &str,
        value: &Value,
        at: Span,
    ) -> Result<bool, Trouble> {
        let Some(object) = receiver else { return self.set_name(run, name, value, at) };
        match object.kind {
            kind::STATE | kind::ATOMIC_STATE => {
                self.set_entry(object.id, map_kind(object), name, value)?;
                Ok(true)
            }
            kind::LOCATION if name == "mode" => {
                self.set_mode(run, value, at)?;
                Ok(true)
            }
            kind::OUTSIDE => Ok(true),
            _ => Ok(false),
        }
    }

    fn index(&mut self, run: &mut Run, object: &Object, key: &Value, _: Span) -> Result<Option<Value>, Trouble> {
        if object.kind == kind::LIST && !matches!(key, Value::Text(_)) {
            return Ok(Some(Value::Object(Object::new(kind::DEVICE, object.id))));
        }
        if !matches!(object.kind, kind::STATE | kind::ATOMIC_STATE) {
            return Ok(None);
        }
        let key = run.text(self, key)?;
        Ok(Some(self.get_entry(object, &key)))
    }

    fn set_index(
        &mut self,
        run: &mut Run,
        object: &Object,
        key: &Value,
        value: &Value,
        _: Span,
    ) -> Result<bool, Trouble> {
        if !matches!(object.kind, kind::STATE | kind::ATOMIC_STATE) {
            return Ok(false);
        }
        let key = run.text(self, key)?;
        self.set_entry(object.id, map_kind(object), &key, value)?;
        Ok(true)
    }

    fn elements(&mut self, _: &mut Run, object: &Object) -> Result<Option<Elements>, Trouble> {
        Ok(match object.kind {
            kind::DEVICE | kind::DEVICES => {
                let device = |id: u32| Value::Object(Object::new(kind::DEVICE, id));
                Some(Elements::List(devices_of(object).into_iter().map(device).collect()))
            }
            // What does not know such a list takes it for one thing.
            kind::LIST => Some(Elements::List(vec![Value::Object(object.clone())])),
            kind::STATE | kind::ATOMIC_STATE => Some(Elements::Map(self.whole_map(object))),
            _ => None,
        })
    }

    fn truth(&mut self, _: &mut Run, object: &Object) -> Result<bool, Trouble> {
        Ok(match object.kind {
            kind::DEVICES => !devices_of(object).is_empty(),
            kind::STATE | kind::ATOMIC_STATE => !self.keys(object.id, map_kind(object)).is_empty(),
            _ => true,
        })
    }

    fn text(&mut self, run: &mut Run, object: &Object) -> Result<String, Trouble> {
        Ok(match object.kind {
            kind::DEVICE | kind::LIST => self.home.wiring.devices[object.id as usize].label.to_string(),
            kind::DEVICES => {
                let labels =
                    devices_of(object).into_iter().map(|id| self.home.wiring.devices[id as usize].label.to_string());
                format!("[{}]", labels.collect::<Vec<_>>().join(", "))
            }
            kind::STATE | kind::ATOMIC_STATE => {
                let map = Value::Map(self.whole_map(object));
                run.text(self, &map)?
            }
            kind::EVENT => self.text_of_notice(object),
            kind::READING => {
                object.extra::<devices::AttributeValue>().map_or_else(String::new, |reading| reading.value.to_string())
            }
            kind::LOCATION => "Home".to_owned(),
            kind::APP => self.home.apps[object.id as usize].name.clone(),
            kind::CHILD => self.text_of_child(object),
            _ => "object".to_owned(),
        })
    }

    fn class(&self, object: &Object) -> String {
        match object.kind {
            kind::DEVICE | kind::LIST => "device",
            kind::DEVICES => "list of devices",
            kind::STATE | kind::ATOMIC_STATE => "state",
            kind::LOCATION => "location",
            kind::APP => "app",
            kind::EVENT => "event",
            kind::LOG => "log",
            kind::CHILD => "child device",
            _ => "object",
        }
        .to_owned()
    }

    /// A reading also equals its plain value: the study had the one where others have the other.
    fn equal(&mut self, run: &mut Run, object: &Object, other: &Value) -> Result<bool, Trouble> {
        match (object.extra::<devices::AttributeValue>(), other) {
            (Some(reading), Value::Object(other)) => {
                Ok(other.extra::<devices::AttributeValue>().is_some_and(|other| other == reading))
            }
            (Some(reading), plain) => run.equal(self, &reading.value.thaw(), plain),
            (None, Value::Object(other)) => {
                let is_same = other.kind == object.kind && other.id == object.id;
                Ok(is_same && devices_of(object) == devices_of(other))
            }
            (None, _) => Ok(false),
        }
    }

    fn construct(&mut self, _: &mut Run, class: &str, _: &[Value], _: Span) -> Result<Option<Value>, Trouble> {
        let is_outside = matches!(class, "HubAction" | "RestAction" | "HubSoapAction" | "HubMultiAction");
        Ok(is_outside.then(outside))
    }

    fn class_member(
        &mut self,
        _: &mut Run,
        class: &str,
        _: &str,
        _: Option<&[Value]>,
    ) -> Result<Option<Value>, Trouble> {
        let is_outside = matches!(class, "Protocol" | "HubAction" | "HubResponse" | "RestAction");
        Ok(is_outside.then(outside))
    }

    fn now(&mut self, _: &mut Run) -> Result<i64, Trouble> {
        Ok(clock::NOW)
    }

    fn zone_offset(&mut self, zone: Option<&str>, at_moment: i64) -> Option<i64> {
        clock::zone_offset(zone, at_moment)
    }

    /// Any number could come: the first, one from the middle and the last one stand for all.
    fn random(&mut self, _: &mut Run, bound: u64) -> Result<u64, Trouble> {
        if self.home.profile == Profile::Paper || bound < 2 {
            return Ok(0);
        }
        Ok(match self.choose(bound.min(3)) {
            0 => 0,
            1 if bound > 2 => bound / 2,
            _ => bound - 1,
        })
    }
}

/// Which map an object stands for.
pub(crate) fn map_kind(object: &Object) -> MapKind {
    if object.kind == kind::STATE { MapKind::State } else { MapKind::Atomic }
}
