//! Devices: what apps can ask of them and tell them to do.

use super::{app, devices_of, kind, outside};
use crate::Profile;
use crate::capability::{Attribute, Command, Effect, spaced};
use crate::clock;
use crate::happening::Notice;
use crate::stage::Stage;
use mazurka_groovy::{Frozen, Object, Run, Span, Trouble, Value};
use std::sync::Arc;

/// The value that an attribute has, with its name.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct AttributeValue {
    pub(super) name: Arc<str>,
    pub(super) value: Frozen,
}

/// A value with its name, as `currentState` gives it.
pub(super) fn reading_of(name: &str, value: &Value) -> Value {
    let value = value.freeze().unwrap_or_default();
    Value::Object(Object::with(kind::READING, 0, AttributeValue { name: name.into(), value }))
}

/// What the study's lists of devices do with their elements. Everything else takes such a list for one device.
const OF_ELEMENTS: [&str; 7] = ["each", "eachWithIndex", "find", "count", "sort", "collect", "size"];

/// Who is told to do something: a device, in the study perhaps through the list that it is in.
#[derive(Clone, Copy)]
struct Receiver {
    device: u32,
    through_list: bool,
}

/// What every device has and nothing is known of.
const UNSAID: [&str; 16] = [
    "controllerType",
    "deviceTypeId",
    "driverType",
    "endpointId",
    "groupId",
    "hubId",
    "lastActivity",
    "locationId",
    "manufacturerName",
    "modelName",
    "parentAppId",
    "parentDeviceId",
    "roomId",
    "roomName",
    "zigbeeId",
    "zigbeeNodeType",
];

/// Commands that every device understands and that change nothing here.
const WITHOUT_EFFECT: [&str; 6] = ["refresh", "poll", "configure", "ping", "save", "installed"];

/// Whether a name looks like a command of a driver's own, and not like a question or a method of lists.
fn is_own_command(name: &str, arguments: &[Value]) -> bool {
    const QUESTIONS: [&str; 8] = ["get", "is", "has", "current", "latest", "supports", "to", "events"];
    let asks = |word: &str| name.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_uppercase));
    let of_lists = crate::reading::COLLECTION.contains(&name) || QUESTIONS.contains(&name);
    !of_lists && !QUESTIONS.iter().any(|word| asks(word)) && !matches!(arguments.last(), Some(Value::Closure(_)))
}

/// The colors by name, with which the study answers a color in hexadecimal.
const COLORS: [(&str, &str); 7] = [
    ("#0000FF", "Blue"),
    ("#00FF00", "Green"),
    ("#FFFF00", "Yellow"),
    ("#FF6000", "Orange"),
    ("#BF7FBF", "Purple"),
    ("#FF5F5F", "Pink"),
    ("#FF0000", "Red"),
];

impl Stage<'_> {
    /// Calls a method of a device, or of all devices of a list.
    pub(super) fn call_device(
        &mut self,
        run: &mut Run,
        object: &Object,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        if object.kind == kind::LIST && OF_ELEMENTS.contains(&name) {
            let elements = Value::list(vec![Value::Object(Object::new(kind::DEVICE, object.id))]);
            return run.call_on(self, &elements, name, arguments).map(Some);
        }
        let devices = devices_of(object);
        if let Some(answers) = self.query(run, &devices, name, arguments)? {
            return Ok(Some(self.one_or_all(object, answers)));
        }
        if let Some(answer) = self.history(run, object, name, arguments)? {
            return Ok(Some(answer));
        }
        let mut understood = false;
        for device in devices {
            let receiver = Receiver { device, through_list: object.kind == kind::LIST };
            understood |= self.command(run, receiver, name, arguments, at)?;
        }
        Ok(understood.then_some(Value::Null))
    }

    /// What one device answers, or what all devices of a list answer.
    fn one_or_all(&self, object: &Object, mut answers: Vec<Value>) -> Value {
        match (object.kind, answers.len()) {
            (kind::DEVICES, _) | (_, 0) => Value::list(answers),
            _ => answers.swap_remove(0),
        }
    }

    /// The answers of devices to a question; `None` if it is not one.
    fn query(
        &mut self,
        run: &mut Run,
        devices: &[u32],
        name: &str,
        arguments: &[Value],
    ) -> Result<Option<Vec<Value>>, Trouble> {
        let about = match arguments {
            [about, ..] if !matches!(about, Value::Closure(_) | Value::Map(_)) => Some(run.text(self, about)?),
            _ => None,
        };
        let about = about.as_deref();
        let is_question = matches!(
            (name, about),
            (
                "currentValue"
                    | "latestValue"
                    | "currentState"
                    | "latestState"
                    | "hasAttribute"
                    | "hasCommand"
                    | "hasCapability",
                Some(_)
            ) | ("getDataValue" | "getDeviceDataByName" | "getSetting", _)
                | ("updateDataValue" | "setDisplayName" | "setLabel" | "setName" | "updateSetting", _)
        );
        if !is_question {
            return Ok(None);
        }
        let about = about.unwrap_or_default();
        let answer = |device: &u32| match name {
            "currentValue" | "latestValue" => self.attribute_value(*device, about).unwrap_or_default(),
            "currentState" | "latestState" => self.reading(*device, about).unwrap_or_default(),
            "hasAttribute" => Value::Bool(self.powers(*device).attribute(about).is_some()),
            "hasCommand" => Value::Bool(self.powers(*device).command(about).is_some()),
            "hasCapability" => Value::Bool(self.has_capability(*device, about)),
            _ => Value::Null,
        };
        Ok(Some(devices.iter().map(answer).collect()))
    }

    fn powers(&self, device: u32) -> &crate::Capability {
        &self.home.wiring.devices[device as usize].powers
    }

    fn has_capability(&self, device: u32, name: &str) -> bool {
        let wanted: String = name.split_whitespace().collect();
        let known = &self.home.wiring.devices[device as usize].capabilities;
        known.iter().any(|known| known.eq_ignore_ascii_case(&wanted))
    }

    /// The value of an attribute; `None` if the device does not have it.
    pub(super) fn attribute_value(&mut self, device: u32, name: &str) -> Option<Value> {
        let attribute = self.powers(device).attribute(name)?;
        let value = self.value(self.home.layout.attribute(device, attribute))?;
        Some(value.thaw())
    }

    fn reading(&mut self, device: u32, name: &str) -> Option<Value> {
        let value = self.attribute_value(device, name)?;
        Some(reading_of(name, &value))
    }

    /// A property of what `currentState` gives.
    pub(super) fn get_of_reading(&self, object: &Object, name: &str) -> Option<Value> {
        let reading = object.extra::<AttributeValue>()?;
        let notice = Notice::of_home(&reading.name, reading.value.clone());
        Some(match name {
            // In the study a reading is the plain text, of which this would be the array of its letters.
            "value" if self.home.profile == Profile::Paper => Value::Null,
            "value" | "stringValue" => Value::text(notice.text()),
            "name" => Value::Text(reading.name.clone()),
            "date" | "dateCreated" | "rawDateCreated" | "dateValue" | "lastUpdated" => Value::Date(clock::NOW),
            "isoDate" => Value::text("2019-08-01T21:14:40.896Z"),
            "numberValue" | "numericValue" | "integerValue" | "longValue" | "doubleValue" | "floatValue" => {
                notice.number().unwrap_or_default()
            }
            "jsonValue" | "unit" | "id" | "xyzValue" => Value::Null,
            _ => return None,
        })
    }

    /// A property of a device, or of each device of a list.
    pub(super) fn get_of_devices(&mut self, object: &Object, name: &str) -> Result<Option<Value>, Trouble> {
        let mut answers = Vec::new();
        for device in devices_of(object) {
            let answer = match self.copy_value(device, name, object.kind == kind::LIST) {
                Some(value) => Some(value),
                None => self.get_of_device(device, name),
            };
            match answer {
                Some(answer) => answers.push(answer),
                None => return Ok(None),
            }
        }
        // Of an empty list, what a list itself has.
        if answers.is_empty() {
            return Ok(None);
        }
        Ok(Some(self.one_or_all(object, answers)))
    }

    /// What a copy of an attribute holds, if there is one of that name.
    fn copy_value(&mut self, device: u32, name: &str, in_list: bool) -> Option<Value> {
        let copy = self.powers(device).copy(name, in_list)?;
        let value = self.value(self.home.layout.copy(device, copy))?;
        Some(value.thaw())
    }

    fn get_of_device(&mut self, device: u32, name: &str) -> Option<Value> {
        if let Some(attribute) = attribute_of_property(name)
            && let Some(value) = self.attribute_value(device, &attribute)
        {
            return Some(value);
        }
        if let Some(attribute) = name.strip_suffix("State")
            && let Some(reading) = self.reading(device, attribute)
        {
            return Some(reading);
        }
        if let Some(value) = self.attribute_value(device, name.strip_suffix("LatestValue").unwrap_or(name)) {
            return Some(value);
        }
        let wired = &self.home.wiring.devices[device as usize];
        let named = |name: &str| Value::record([("name", Value::text(name))]);
        Some(match name {
            "id" | "deviceId" | "deviceNetworkId" => Value::Text(wired.id.clone()),
            "displayName" | "label" | "name" => Value::Text(wired.label.clone()),
            "capabilities" => Value::list(wired.capabilities.iter().map(|name| named(name)).collect()),
            "supportedAttributes" => Value::list(wired.powers.attributes.iter().map(described).collect()),
            "supportedCommands" => {
                Value::list(wired.powers.commands.iter().map(|command| named(&command.name)).collect())
            }
            "currentStates" => {
                let names: Vec<String> =
                    wired.powers.attributes.iter().map(|attribute| attribute.name.clone()).collect();
                Value::list(names.iter().filter_map(|name| self.reading(device, name)).collect())
            }
            "typeName" => Value::text(&wired.powers.words),
            "hub" | "device" => outside(),
            "status" => Value::text("ONLINE"),
            "disabled" | "isDisabled" | "isComponent" => Value::Bool(false),
            "data" | "properties" => Value::map([]),
            _ if UNSAID.contains(&name) => Value::unknown(format!("the {name} of a device, which is not modelled")),
            // A device need not have what an app asks it for.
            _ if attribute_of_property(name).is_some() || wired.unknown_make => Value::Null,
            _ => return None,
        })
    }

    /// Tells a device to do something; false if it does not know how.
    fn command(
        &mut self,
        run: &mut Run,
        receiver: Receiver,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<bool, Trouble> {
        let device = receiver.device;
        let wired = &self.home.wiring.devices[device as usize];
        let powers = &wired.powers;
        let Some(command) = powers.command(name).cloned() else {
            // A real device may be able to do more than the app asked for; what that changes is not looked at then.
            let is_known = wired.unknown_make
                || WITHOUT_EFFECT.contains(&name)
                || self.home.table.knows_command(name)
                || self.home.is_of_hubitat(app(run)) && is_own_command(name, arguments);
            if is_known {
                self.note_command(run, device, name, at);
            }
            return Ok(is_known);
        };
        if command.effects.is_empty() {
            self.note_command(run, device, name, at);
        }
        let effects = if receiver.through_list { command.effects.len() } else { command.own_effects };
        for (index, effect) in &command.effects[..effects] {
            let attribute = self.powers(device).attributes[*index].clone();
            if let Some(value) = self.result(run, (device, *index), &attribute, effect, arguments)? {
                if receiver.through_list && !self.tell_list((device, *index), &value, arguments) {
                    continue;
                }
                self.set_attribute(run, (device, *index), value, &command, at)?;
            }
        }
        Ok(true)
    }

    /// A command comes to the list that a device is in: its copies follow. False if it keeps the command to itself, as it
    /// has that value already.
    fn tell_list(&mut self, (device, attribute): (u32, usize), value: &Frozen, arguments: &[Value]) -> bool {
        let home = self.home;
        let id = home.store.intern_value(value.clone());
        let copies = || home.wiring.devices[device as usize].powers.copies_of(attribute, true);
        for (index, _) in copies().filter(|(_, copy)| copy.guards) {
            if self.read(home.layout.copy(device, index)) == id {
                return false;
            }
        }
        for (index, copy) in copies().filter(|(_, copy)| copy.by_apps) {
            let slot = home.layout.copy(device, index);
            if !copy.flips {
                self.write(slot, id);
            } else if arguments.iter().any(|argument| matches!(argument, Value::Map(_))) {
                let is_true = self.value(slot).is_some_and(|value| value.to_string() == "true");
                let flipped = home.store.intern_value(Frozen::text(if is_true { "false" } else { "true" }));
                self.write(slot, flipped);
            }
        }
        true
    }

    fn note_command(&mut self, run: &Run, device: u32, name: &str, at: Span) {
        let home = self.home;
        self.note_action(app(run), at, || {
            format!("tells the {} to {}", home.wiring.devices[device as usize].name, spaced(name))
        });
    }

    /// The value to which a command brings an attribute; `None` if it leaves it alone.
    fn result(
        &mut self,
        run: &mut Run,
        (device, index): (u32, usize),
        attribute: &Attribute,
        effect: &Effect,
        arguments: &[Value],
    ) -> Result<Option<Frozen>, Trouble> {
        let slot = self.home.layout.attribute(device, index);
        let given = match effect {
            Effect::Value(value) => return Ok(Some(attribute.value(value))),
            Effect::Argument(index) => {
                arguments.iter().filter(|argument| !matches!(argument, Value::Map(_))).nth(*index).cloned()
            }
            Effect::Entry(key) => arguments.iter().find_map(|argument| argument.as_map()?.get(key)),
            Effect::Color => arguments.iter().find_map(|argument| self.color(argument)),
            Effect::Not => {
                let is_true = self.value(slot).is_some_and(|value| value.to_string() == "true");
                return Ok(Some(Frozen::text(if is_true { "false" } else { "true" })));
            }
            Effect::Add(number) => {
                let now = self.value(slot).map_or(0, |value| value.to_string().parse().unwrap_or(0));
                return Ok(Some(Value::int(now + number).freeze().unwrap_or_default()));
            }
        };
        match given {
            None | Some(Value::Null) => Ok(None),
            Some(value) if attribute.number => Ok(number(&value)),
            Some(value) => Ok(Some(Frozen::Text(run.text(self, &value)?.into()))),
        }
    }

    /// The color that a command is given.
    fn color(&self, argument: &Value) -> Option<Value> {
        let text = match argument {
            Value::Text(_) => return Some(argument.clone()),
            Value::Map(map) => map.get("hex").or_else(|| map.get("color")),
            _ => None,
        };
        if self.home.profile == Profile::Usual {
            return text;
        }
        if !matches!(argument, Value::Map(_)) {
            return None;
        }
        let text = text.map(|text| text.to_string()).unwrap_or_default();
        let name = COLORS.iter().find(|(hex, _)| hex.eq_ignore_ascii_case(&text)).map_or("Blue", |&(_, name)| name);
        Some(Value::text(name))
    }

    /// An app brings an attribute to a value. Where it is already, nothing happens and no app is told.
    fn set_attribute(
        &mut self,
        run: &mut Run,
        (device, index): (u32, usize),
        value: Frozen,
        command: &Command,
        at: Span,
    ) -> Result<(), Trouble> {
        let home = self.home;
        let slot = home.layout.attribute(device, index);
        let attribute = &home.wiring.devices[device as usize].powers.attributes[index];
        let id = home.store.intern_value(value.clone());
        let changes = self.read(slot) != id;
        if !changes && !attribute.always {
            return Ok(());
        }
        let app = app(run);
        if changes {
            self.note_writer(slot, app, &value, at);
            if !attribute.fixed {
                self.write(slot, id);
            }
            if !command.bare {
                for (copy, _) in home.wiring.devices[device as usize].powers.copies_of(index, false) {
                    self.write(home.layout.copy(device, copy), id);
                }
            }
            self.note_change(app, at, slot, || home.deed(device, index, &value));
        }
        let name = command.event_name.as_deref().unwrap_or(&attribute.name);
        let notice =
            Notice { name: name.into(), value, device: Some(device), physical: false, manual: false, data: None };
        self.refuse_endless_cascade(&notice, app, at)?;
        self.tell(run, &notice, None)
    }
}

impl crate::Home {
    /// What an app does when it brings an attribute to a value: "locks the front door".
    fn deed(&self, device: u32, attribute: usize, value: &Frozen) -> String {
        let device = &self.wiring.devices[device as usize];
        let attribute = &device.powers.attributes[attribute].name;
        let value = value.to_string();
        match device.powers.verbs(attribute, &value) {
            Some((does, _)) => format!("{does} the {}", device.name),
            None => format!("sets the {} of the {} to {value}", spaced(attribute), device.name),
        }
    }
}

/// What a device says of one of its attributes.
fn described(attribute: &Attribute) -> Value {
    let kind = if attribute.number { "NUMBER" } else { "ENUM" };
    let values = if attribute.number { Vec::new() } else { attribute.events.iter().map(Value::text).collect() };
    Value::record([
        ("name", Value::text(&attribute.name)),
        ("dataType", Value::text(kind)),
        ("values", Value::list(values)),
    ])
}

/// `currentSwitch` asks for the attribute `switch`.
fn attribute_of_property(name: &str) -> Option<String> {
    let rest = name.strip_prefix("current").or_else(|| name.strip_prefix("latest"))?;
    let mut letters = rest.chars();
    let first = letters.next().filter(|first| first.is_uppercase())?;
    Some(first.to_lowercase().chain(letters).collect())
}

/// A number as devices keep it: whole if it can be.
fn number(value: &Value) -> Option<Frozen> {
    let whole = |number: i64| Value::int(number).freeze().ok();
    match value {
        Value::Int(number) => Some(Frozen::Int(*number)),
        Value::Long(number) => whole(*number),
        Value::Double(number) if number.fract() == 0.0 && number.abs() < 1e15 => whole(*number as i64),
        Value::Double(number) => Some(Frozen::Double(number.to_bits())),
        Value::Decimal(number) => match number.normalize().to_string().parse::<i64>() {
            Ok(number) => whole(number),
            Err(_) => Some(Frozen::Decimal(number.normalize())),
        },
        Value::Text(text) => match (text.trim().parse::<i64>(), text.trim().parse::<f64>()) {
            (Ok(number), _) => whole(number),
            (Err(_), Ok(number)) => self::number(&Value::Double(number)),
            _ => Some(Frozen::Text(text.clone())),
        },
        _ => None,
    }
}
