//! Which devices there are, and what the apps' inputs stand for.
//!
//! By default each capability is one device, shared by all apps and inputs that ask for it: the case in which apps can
//! meet. A `home.toml` can say otherwise.

use crate::app::{App, Input, InputKind, nearest};
use crate::capability::{Attribute, Capabilities, Capability, spaced};
use crate::home_file::{AppEntry, DeviceEntry, Given, HomeFile, Placed};
use crate::{MODES, PAPER_MODES, Profile};
use mazurka_core::Diagnostic;
use mazurka_groovy::Frozen;
use std::sync::Arc;

/// Who is there and what is plugged into what.
#[derive(Debug)]
pub(crate) struct Wiring {
    pub(crate) devices: Vec<Device>,
    pub(crate) modes: Vec<Arc<str>>,
    /// The mode in each of the two initial states.
    pub(crate) start_modes: [Arc<str>; 2],
    /// For each app the values of its inputs, in their order.
    pub(crate) inputs: Vec<Vec<InputValue>>,
}

/// A device.
#[derive(Clone, Debug)]
pub(crate) struct Device {
    /// What people call it.
    pub(crate) name: String,
    /// What apps see as its label.
    pub(crate) label: Arc<str>,
    /// What apps see as its id.
    pub(crate) id: Arc<str>,
    /// The names of what it can do.
    pub(crate) capabilities: Vec<String>,
    /// All that it can do, together.
    pub(crate) powers: Capability,
    /// For each attribute its value in each of the two initial states.
    pub(crate) start: Vec<[Frozen; 2]>,
    /// Whether it is of a make that is not known, so that it may understand any command.
    pub(crate) unknown_make: bool,
}

/// What an input stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum InputValue {
    /// One device.
    Device(u32),
    /// In the study: a device as the list that it is in.
    List(u32),
    /// A list of devices.
    Devices(Arc<[u32]>),
    /// Anything else.
    Value(Frozen),
}

impl InputValue {
    /// Whether it is not said what it stands for.
    pub(crate) fn is_nothing(&self) -> bool {
        matches!(self, InputValue::Value(Frozen::Null))
    }
}

/// Wires apps to the devices that they ask for by default.
pub(crate) fn wire(apps: &[App], table: &Capabilities, profile: Profile) -> Wiring {
    Wirer::new(table, profile).wire(apps)
}

/// Wires apps to the devices of a home.
pub(crate) fn wire_by_file(
    apps: &[App],
    table: &Capabilities,
    profile: Profile,
    file: &HomeFile,
) -> Result<Wiring, Vec<Diagnostic>> {
    let mut wirer = Wirer::new(table, profile);
    wirer.take_devices(file);
    wirer.take_modes(file);
    let entries = wirer.match_apps(apps, file);
    let mut wiring = wirer.wire(apps);
    for (app, entry) in entries {
        for (name, given) in &entry.inputs {
            wirer.give(&apps[app], name, given, &mut wiring.inputs[app]);
        }
    }
    wiring.devices = wirer.devices;
    if wirer.diagnostics.is_empty() { Ok(wiring) } else { Err(wirer.diagnostics) }
}

/// What an input that takes any device stands for where nothing asks for a device of some kind.
const SOME_DEVICE: &str = "switch";

struct Wirer<'t> {
    table: &'t Capabilities,
    profile: Profile,
    devices: Vec<Device>,
    modes: Vec<Arc<str>>,
    start_modes: [Arc<str>; 2],
    diagnostics: Vec<Diagnostic>,
}

impl<'t> Wirer<'t> {
    fn new(table: &'t Capabilities, profile: Profile) -> Self {
        let modes: Vec<Arc<str>> = match profile {
            Profile::Usual => MODES.iter().map(|&mode| mode.into()).collect(),
            Profile::Paper => PAPER_MODES.iter().map(|&mode| mode.into()).collect(),
        };
        let start_modes = [Arc::clone(&modes[0]), Arc::clone(&modes[1])];
        Wirer { table, profile, devices: Vec::new(), modes, start_modes, diagnostics: Vec::new() }
    }

    fn wire(&mut self, apps: &[App]) -> Wiring {
        let mut inputs: Vec<Vec<InputValue>> = Vec::new();
        for app in apps {
            inputs.push(app.inputs.iter().map(|input| self.usual_value(input)).collect());
        }
        // What takes any device takes those that others ask for, so it comes last.
        for (app, values) in apps.iter().zip(&mut inputs) {
            for (input, value) in app.inputs.iter().zip(values) {
                if input.kind == InputKind::AnyDevice {
                    *value = self.usual_devices(input);
                }
            }
        }
        Wiring {
            devices: self.devices.clone(),
            modes: self.modes.clone(),
            start_modes: self.start_modes.clone(),
            inputs,
        }
    }

    /// The value of an input that is not given one.
    fn usual_value(&mut self, input: &Input) -> InputValue {
        match input.kind {
            InputKind::AnyDevice => return InputValue::Value(Frozen::Null),
            _ if input.kind.is_device() => return self.usual_devices(input),
            _ => {}
        }
        InputValue::Value(default_value(input, self.profile, &self.modes[0]))
    }

    fn usual_devices(&mut self, input: &Input) -> InputValue {
        let able: Vec<u32> = (0..self.devices.len() as u32)
            .filter(|&device| is_able(&self.devices[device as usize], &input.kind))
            .collect();
        let able = if able.is_empty() { vec![self.add_default(&input.kind)] } else { able };
        match self.profile {
            Profile::Usual if input.multiple => InputValue::Devices(able.into()),
            Profile::Usual => InputValue::Device(able[0]),
            Profile::Paper => InputValue::List(able[0]),
        }
    }

    fn add_default(&mut self, kind: &InputKind) -> u32 {
        let (name, capability) = match kind {
            InputKind::Capability(name) => (name.as_str(), self.table.get(name).cloned()),
            InputKind::Device(make) => (make.as_str(), None),
            _ => (SOME_DEVICE, self.table.get(SOME_DEVICE).cloned()),
        };
        let unknown_make = capability.is_none();
        let powers = capability.unwrap_or_else(|| Capability { name: name.into(), ..Capability::default() });
        let words = if powers.words.is_empty() { spaced(name) } else { powers.words.clone() };
        let (label, id) = default_identity(name, &words, self.profile);
        let start = powers.attributes.iter().map(start_values).collect();
        self.devices.push(Device {
            name: words,
            label: label.into(),
            id: id.into(),
            capabilities: vec![name.to_owned()],
            powers,
            start,
            unknown_make,
        });
        self.devices.len() as u32 - 1
    }

    fn take_devices(&mut self, file: &HomeFile) {
        for entry in &file.devices {
            if self.devices.iter().any(|device| device.name == entry.name.it) {
                let message = format!("there are two devices named {:?}", entry.name.it);
                self.fail(message, &entry.name.span, "expected a name of its own");
                continue;
            }
            let powers = self.powers_of(entry);
            let mut start: Vec<[Frozen; 2]> = powers.attributes.iter().map(start_values).collect();
            for (attribute, values) in &entry.start {
                match powers.attribute(&attribute.it) {
                    Some(index) => start[index] = self.given_start(&powers, index, values, attribute),
                    None => {
                        let known = nearest(&attribute.it, powers.attributes.iter().map(|known| known.name.as_str()));
                        let message = format!("{:?} has no attribute {:?}", entry.name.it, attribute.it);
                        self.fail(message, &attribute.span, &format!("expected one of: {known}"));
                    }
                }
            }
            self.devices.push(Device {
                name: entry.name.it.clone(),
                label: entry.name.it.as_str().into(),
                id: entry.name.it.as_str().into(),
                capabilities: entry.capabilities.iter().map(|capability| capability.it.clone()).collect(),
                powers,
                start,
                unknown_make: false,
            });
        }
    }

    /// Everything that a device of several capabilities can do.
    fn powers_of(&mut self, entry: &DeviceEntry) -> Capability {
        let mut powers: Option<Capability> = None;
        for name in &entry.capabilities {
            match (self.table.get(&name.it), &mut powers) {
                (Some(capability), Some(powers)) => powers.join(capability),
                (Some(capability), None) => powers = Some(capability.clone()),
                (None, _) => {
                    let expected = format!("expected one of: {}", nearest(&name.it, self.table.names()));
                    self.fail(format!("there is no capability {:?}", name.it), &name.span, &expected);
                }
            }
        }
        powers.unwrap_or_default()
    }

    /// The values in which an attribute begins: those that the file gives, if it can have them.
    fn given_start(
        &mut self,
        powers: &Capability,
        index: usize,
        values: &[Placed<Frozen>],
        place: &Placed<String>,
    ) -> [Frozen; 2] {
        let attribute = &powers.attributes[index];
        let (one, other) = match values {
            [one] => (one, one),
            [one, other] => (one, other),
            _ => {
                let message = format!("{:?} has {} starting values", place.it, values.len());
                self.fail(message, &place.span, "expected one, or a list of two: one for each initial state");
                return start_values(attribute);
            }
        };
        let texts = powers.texts(index);
        for value in values {
            let (is_able, expected) = match (&value.it, &texts) {
                (Frozen::Int(_) | Frozen::Long(_) | Frozen::Decimal(_), _) if attribute.number => continue,
                _ if attribute.number => (false, "expected a number".to_owned()),
                (Frozen::Text(text), Some(known)) => {
                    let names = known.iter().map(String::as_str);
                    (known.iter().any(|known| **known == **text), format!("expected one of: {}", nearest(text, names)))
                }
                (Frozen::Text(_), None) => continue,
                (_, Some(known)) => (false, format!("expected one of: {}", known.join(", "))),
                (_, None) => (false, "expected a text in quotes".to_owned()),
            };
            if !is_able {
                self.fail(format!("{:?} is never {}", place.it, shown(&value.it)), &value.span, &expected);
            }
        }
        [one.it.clone(), other.it.clone()]
    }

    fn take_modes(&mut self, file: &HomeFile) {
        if !file.modes.is_empty() {
            self.modes = file.modes.iter().map(|mode| mode.as_str().into()).collect();
            let other = self.modes.get(1).unwrap_or(&self.modes[0]);
            self.start_modes = [Arc::clone(&self.modes[0]), Arc::clone(other)];
        }
        if let Some(mode) = &file.mode {
            self.check_mode(&mode.it, &mode.span);
            self.start_modes = [mode.it.as_str().into(), mode.it.as_str().into()];
        }
    }

    fn check_mode(&mut self, mode: &str, span: &std::ops::Range<usize>) {
        if !self.modes.iter().any(|known| **known == *mode) {
            let expected = format!("expected one of: {}", nearest(mode, self.modes.iter().map(AsRef::as_ref)));
            self.fail(format!("the home has no mode {mode:?}"), span, &expected);
        }
    }

    /// The entries of the file, each with the app that it is about: named by its file, or by its own name.
    fn match_apps<'f>(&mut self, apps: &[App], file: &'f HomeFile) -> Vec<(usize, &'f AppEntry)> {
        let mut matched = Vec::new();
        for entry in &file.apps {
            let named = |app: &App| {
                let short = app.file.rsplit(['/', '\\']).next().unwrap_or(&app.file);
                [app.name.as_str(), &*app.file, short, short.trim_end_matches(".groovy")]
                    .contains(&entry.app.it.as_str())
            };
            match apps.iter().position(named) {
                Some(app) => matched.push((app, entry)),
                None => {
                    let known = nearest(&entry.app.it, apps.iter().map(|app| app.name.as_str()));
                    let message = format!("there is no app {:?}", entry.app.it);
                    self.fail(message, &entry.app.span, &format!("expected a file's name, or one of: {known}"));
                }
            }
        }
        matched
    }

    /// Gives an input what the file says.
    fn give(&mut self, app: &App, name: &Placed<String>, given: &Placed<Given>, values: &mut [InputValue]) {
        let Some(index) = app.inputs.iter().position(|input| input.name == name.it) else {
            let known = nearest(&name.it, app.inputs.iter().map(|input| input.name.as_str()));
            let message = format!("{:?} has no input {:?}", app.name, name.it);
            return self.fail(message, &name.span, &format!("expected one of: {known}"));
        };
        let input = &app.inputs[index];
        let value =
            if input.kind.is_device() { self.given_devices(input, given) } else { self.given_value(input, given) };
        if let Some(value) = value {
            values[index] = value;
        }
    }

    fn given_devices(&mut self, input: &Input, given: &Placed<Given>) -> Option<InputValue> {
        match &given.it {
            Given::One(one) => {
                let device = self.given_device(input, one, &given.span)?;
                Some(match self.profile {
                    Profile::Usual if input.multiple => InputValue::Devices(Arc::from([device])),
                    Profile::Usual => InputValue::Device(device),
                    Profile::Paper => InputValue::List(device),
                })
            }
            Given::Several(_) if !input.multiple => {
                let message = format!("the input {:?} takes one device", input.name);
                self.fail(message, &given.span, "expected the name of a device");
                None
            }
            Given::Several(several) => {
                let devices: Option<Vec<u32>> =
                    several.iter().map(|one| self.given_device(input, &one.it, &one.span)).collect();
                Some(InputValue::Devices(devices?.into()))
            }
        }
    }

    fn given_device(&mut self, input: &Input, name: &Frozen, span: &std::ops::Range<usize>) -> Option<u32> {
        let name = name.to_string();
        let Some(index) = self.devices.iter().position(|device| device.name == name) else {
            let known = nearest(&name, self.devices.iter().map(|device| device.name.as_str()));
            self.fail(format!("there is no device {name:?}"), span, &format!("expected one of: {known}"));
            return None;
        };
        if is_able(&self.devices[index], &input.kind) {
            return Some(index as u32);
        }
        let wanted = match &input.kind {
            InputKind::Capability(wanted) | InputKind::Device(wanted) => wanted.as_str(),
            _ => "",
        };
        let able: Vec<&str> = self
            .devices
            .iter()
            .filter(|device| is_able(device, &input.kind))
            .map(|device| device.name.as_str())
            .collect();
        let expected = if able.is_empty() {
            format!("expected a device with capability = {wanted:?}")
        } else {
            format!("expected one of: {}", able.join(", "))
        };
        let has = self.devices[index].capabilities.join(", ");
        let message = format!("{name:?} is a {has}, and the input {:?} asks for a {wanted}", input.name);
        self.fail(message, span, &expected);
        None
    }

    fn given_value(&mut self, input: &Input, given: &Placed<Given>) -> Option<InputValue> {
        let values: Vec<(Frozen, std::ops::Range<usize>)> = match &given.it {
            Given::One(one) => vec![(one.clone(), given.span.clone())],
            Given::Several(several) => several.iter().map(|one| (one.it.clone(), one.span.clone())).collect(),
        };
        for (value, span) in &values {
            self.check_value(input, value, span);
        }
        let is_list = matches!(given.it, Given::Several(_));
        let mut values: Vec<Frozen> = values.into_iter().map(|(value, _)| value).collect();
        Some(InputValue::Value(match values.pop() {
            Some(one) if !is_list && values.is_empty() => one,
            last => Frozen::List(values.into_iter().chain(last).collect()),
        }))
    }

    fn check_value(&mut self, input: &Input, value: &Frozen, span: &std::ops::Range<usize>) {
        let text = value.to_string();
        let is_number = matches!(value, Frozen::Int(_) | Frozen::Long(_) | Frozen::Decimal(_));
        match input.kind {
            InputKind::Mode => self.check_mode(&text, span),
            InputKind::Enum if !input.options.is_empty() && !input.options.contains(&text) => {
                let expected = nearest(&text, input.options.iter().map(String::as_str));
                let message = format!("the input {:?} does not offer {text:?}", input.name);
                self.fail(message, span, &format!("expected one of: {expected}"));
            }
            InputKind::Number if !is_number => {
                self.fail(format!("the input {:?} is a number", input.name), span, "expected a number");
            }
            InputKind::Bool if !matches!(value, Frozen::Bool(_)) => {
                self.fail(format!("the input {:?} is true or false", input.name), span, "expected true or false");
            }
            _ => {}
        }
    }

    fn fail(&mut self, message: String, span: &std::ops::Range<usize>, expected: &str) {
        self.diagnostics.push(Diagnostic::new(message, span.clone(), expected));
    }
}

/// The label and the id of the one device that has a capability.
pub(crate) fn default_identity(capability: &str, words: &str, profile: Profile) -> (String, String) {
    match profile {
        Profile::Paper => (format!("{capability}0"), format!("{capability}ID0")),
        Profile::Usual => (words.to_owned(), capability.to_owned()),
    }
}

/// The value of an input that is not given one.
pub(crate) fn default_value(input: &Input, profile: Profile, mode: &str) -> Frozen {
    match profile {
        Profile::Paper => value_of_the_study(input),
        Profile::Usual => value_of_a_home(input, mode),
    }
}

/// In the study everything has a value, and no default of the app counts.
fn value_of_the_study(input: &Input) -> Frozen {
    match input.kind {
        InputKind::Number => Frozen::Int(50),
        InputKind::Bool => Frozen::text("true"),
        InputKind::Enum => Frozen::text(input.options.first().map_or("null", String::as_str)),
        InputKind::Time => Frozen::text("15:00"),
        InputKind::Text => Frozen::text("This is just a text!"),
        InputKind::Phone => Frozen::Long(9_495_379_373),
        InputKind::Contact => Frozen::text("AJ"),
        InputKind::Mode => Frozen::text("home"),
        _ => Frozen::Null,
    }
}

/// A home's input has the app's own default, or one that is likely to make the app do something.
fn value_of_a_home(input: &Input, mode: &str) -> Frozen {
    if let Some(default) = &input.default {
        return of_kind(default, &input.kind);
    }
    let one = match input.kind {
        InputKind::Number => Frozen::Int(50),
        InputKind::Bool => Frozen::Bool(true),
        InputKind::Enum => Frozen::text(input.options.first().map_or("", String::as_str)),
        InputKind::Time => Frozen::text("2019-08-01T15:00:00.000-0400"),
        InputKind::Text => Frozen::text("some text"),
        InputKind::Phone => Frozen::text("5550100"),
        InputKind::Contact => Frozen::text("somebody"),
        InputKind::Mode => Frozen::text(mode),
        _ => Frozen::Null,
    };
    let is_list = input.multiple && matches!(input.kind, InputKind::Enum | InputKind::Mode | InputKind::Contact);
    if is_list { Frozen::List(Arc::from([one])) } else { one }
}

/// A default of an app, as the platform hands it out: numbers and truth values may be written as texts.
fn of_kind(default: &Frozen, kind: &InputKind) -> Frozen {
    let Frozen::Text(text) = default else { return default.clone() };
    let text = text.trim();
    let read = match kind {
        InputKind::Number => match (text.parse::<i32>(), text.parse()) {
            (Ok(number), _) => Some(Frozen::Int(number)),
            (Err(_), Ok(number)) => Some(Frozen::Decimal(number)),
            _ => None,
        },
        InputKind::Bool => text.parse().ok().map(Frozen::Bool),
        _ => None,
    };
    read.unwrap_or_else(|| default.clone())
}

/// Whether a device can do what an input asks for.
fn is_able(device: &Device, kind: &InputKind) -> bool {
    match kind {
        InputKind::Capability(wanted) => device.capabilities.contains(wanted),
        InputKind::Device(make) => device.unknown_make && device.capabilities.contains(make),
        InputKind::AnyDevice => true,
        _ => false,
    }
}

/// A value as a `home.toml` has it.
fn shown(value: &Frozen) -> String {
    match value {
        Frozen::Text(text) => format!("{text:?}"),
        other => other.to_string(),
    }
}

fn start_values(attribute: &Attribute) -> [Frozen; 2] {
    [attribute.value(&attribute.start[0]), attribute.value(&attribute.start[1])]
}

impl Wiring {
    /// Makes sure that there is a device with a capability.
    pub(crate) fn need(&mut self, capability: &str, table: &Capabilities, profile: Profile) {
        if self.devices.iter().any(|device| device.powers.name == capability) {
            return;
        }
        let mut wirer = Wirer::new(table, profile);
        wirer.devices = std::mem::take(&mut self.devices);
        wirer.add_default(&InputKind::Capability(capability.to_owned()));
        self.devices = wirer.devices;
    }
}
