//! A home as a `home.toml`, to be changed by hand: what is assumed where nothing is said.

use crate::app::{App, Input};
use crate::home::Home;
use crate::overview::kind_name;
use crate::wiring::{Device, InputValue};
use mazurka_groovy::Frozen;
use std::fmt::Write;

impl Home {
    /// The home as a file that makes the same home again. What such a file cannot say stands in a comment.
    pub fn written(&self) -> String {
        let mut text = String::from(
            "# The home in which the apps are checked. Change what is different in yours: give each device its own entry and\n\
             # each app the devices that it has.\n",
        );
        let modes: Vec<String> = self.wiring.modes.iter().map(|mode| quoted(mode)).collect();
        let _ = writeln!(text, "modes = [{}]", modes.join(", "));
        for device in self.wiring.devices.iter().filter(|device| !device.unknown_make) {
            let _ = write!(text, "\n{}", device_entry(device));
        }
        for (app, values) in self.apps.iter().zip(&self.wiring.inputs) {
            let _ = write!(text, "\n{}", self.app_entry(app, values));
        }
        text
    }

    fn app_entry(&self, app: &App, values: &[InputValue]) -> String {
        // Two apps may have one name, but not one file.
        let is_unique = self.apps.iter().filter(|other| other.name == app.name).count() == 1;
        let mut text = format!("[app.{}]\n", quoted(if is_unique { &app.name } else { &app.file }));
        for (input, value) in app.inputs.iter().zip(values) {
            text += &self.input_line(input, value);
        }
        text
    }

    /// `door = "lock"  # capability.lock`
    fn input_line(&self, input: &Input, value: &InputValue) -> String {
        let device = |&index: &u32| {
            let device = &self.wiring.devices[index as usize];
            (!device.unknown_make).then(|| quoted(&device.name))
        };
        let several = |devices: &[u32]| {
            let names: Option<Vec<String>> = devices.iter().map(device).collect();
            names.map(|names| format!("[{}]", names.join(", ")))
        };
        let said = match value {
            InputValue::Device(index) | InputValue::List(index) => device(index),
            InputValue::Devices(devices) => several(devices),
            InputValue::Value(value) => toml(value),
        };
        let (name, kind) = (key(&input.name), kind_name(&input.kind));
        let offered = if input.options.is_empty() {
            String::new()
        } else {
            format!(": one of {}", input.options.iter().map(|option| quoted(option)).collect::<Vec<_>>().join(", "))
        };
        // A comment ends with its line.
        let asked: String = format!("{kind}{offered}").chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        match said {
            Some(said) => format!("{name} = {said}  # {asked}\n"),
            None => format!("# {name} =   # {asked}; without an answer\n"),
        }
    }
}

fn device_entry(device: &Device) -> String {
    let capabilities: Vec<String> = device.capabilities.iter().map(|capability| quoted(capability)).collect();
    let capability = match &capabilities[..] {
        [one] => one.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    let mut text = format!("[[device]]\nname = {}\ncapability = {capability}\n", quoted(&device.name));
    let attributes = device.powers.attributes.iter().zip(&device.start);
    let starts: Vec<String> = attributes
        .filter_map(|(attribute, [one, other])| {
            let values = if one == other { toml(one)? } else { format!("[{}, {}]", toml(one)?, toml(other)?) };
            Some(format!("{} = {values}", key(&attribute.name)))
        })
        .collect();
    if !starts.is_empty() {
        let _ = writeln!(text, "start = {{ {} }}", starts.join(", "));
    }
    text
}

/// A value, if the file can say it.
fn toml(value: &Frozen) -> Option<String> {
    match value {
        Frozen::Bool(value) => Some(value.to_string()),
        Frozen::Int(value) => Some(value.to_string()),
        Frozen::Long(value) => Some(value.to_string()),
        Frozen::Decimal(value) if value.scale() > 0 => Some(value.to_string()),
        Frozen::Text(text) => Some(quoted(text)),
        Frozen::List(items) => {
            let items: Option<Vec<String>> = items.iter().map(toml).collect();
            items.map(|items| format!("[{}]", items.join(", ")))
        }
        _ => None,
    }
}

/// A key, in quotes where it needs them.
fn key(name: &str) -> String {
    let is_bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if is_bare { name.to_owned() } else { quoted(name) }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
