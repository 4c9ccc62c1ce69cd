//! An app: its script, and the inputs that its preferences ask for.

use crate::reading;
use crate::{Capabilities, Profile};
use mazurka_core::Diagnostic;
use mazurka_groovy::{Frozen, Script, Span, parse};
use std::sync::Arc;

/// A smart app as it was read.
#[derive(Debug)]
pub struct App {
    /// The file, as the user named it.
    pub file: Arc<str>,
    /// Its text.
    pub source: Arc<str>,
    /// The name that its definition gives it.
    pub name: String,
    /// What it asks for, each name once.
    pub inputs: Vec<Input>,
    /// What stopped a page of its preferences from being read to its end.
    pub page_trouble: Vec<String>,
    pub(crate) script: Arc<Script>,
    /// The names of all inputs that its text speaks of, also on pages that were never shown. Those without a value are
    /// null.
    pub(crate) mentioned: Vec<String>,
    /// The entries of `state` that its pages set. What a person does with the pages is not modelled.
    pub(crate) set_by_pages: Vec<String>,
    /// The names of variables that last from one event to the next.
    pub(crate) fields: Vec<String>,
}

/// Something that an app asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Input {
    /// The name by which the app knows it.
    pub name: String,
    /// What is asked for.
    pub kind: InputKind,
    /// Whether there can be several.
    pub multiple: bool,
    /// Whether the app can do without.
    pub required: bool,
    /// What can be chosen from, for an `enum`.
    pub options: Vec<String>,
    /// The value that it has unless it is given another one.
    pub default: Option<Frozen>,
    pub(crate) span: Span,
}

/// What an input asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A device that can do something, by the name of its capability.
    Capability(String),
    /// A device of one make.
    Device(String),
    /// Any device: `capability.*`.
    AnyDevice,
    /// A number.
    Number,
    /// Yes or no.
    Bool,
    /// One of some texts.
    Enum,
    /// A time of day.
    Time,
    /// A text.
    Text,
    /// A phone number.
    Phone,
    /// A person of the contact book.
    Contact,
    /// A mode of the home.
    Mode,
    /// A hub.
    Hub,
    /// Nothing that an app could read: a picture, a paragraph.
    Decoration,
}

/// How an input asks for any device.
pub(crate) const ANY_DEVICE: &str = "capability.*";

/// The types of inputs that are no devices.
const TYPES: &[(&str, InputKind)] = &[
    ("number", InputKind::Number),
    ("decimal", InputKind::Number),
    ("float", InputKind::Number),
    ("long", InputKind::Number),
    ("int", InputKind::Number),
    ("integer", InputKind::Number),
    ("bool", InputKind::Bool),
    ("boolean", InputKind::Bool),
    ("enum", InputKind::Enum),
    ("time", InputKind::Time),
    ("date", InputKind::Time),
    ("text", InputKind::Text),
    ("string", InputKind::Text),
    ("password", InputKind::Text),
    ("email", InputKind::Text),
    ("textarea", InputKind::Text),
    ("textbox", InputKind::Text),
    ("color", InputKind::Text),
    ("room", InputKind::Text),
    ("phone", InputKind::Phone),
    ("contact", InputKind::Contact),
    ("mode", InputKind::Mode),
    ("hub", InputKind::Hub),
    ("icon", InputKind::Decoration),
    ("image", InputKind::Decoration),
    ("paragraph", InputKind::Decoration),
    ("button", InputKind::Decoration),
    ("app", InputKind::Decoration),
];

impl InputKind {
    /// What an input type stands for; what is wrong with it otherwise, and what was expected.
    pub(crate) fn of(kind: &str, table: &Capabilities) -> Result<InputKind, (String, String)> {
        if kind == ANY_DEVICE {
            return Ok(InputKind::AnyDevice);
        }
        if let Some(name) = kind.strip_prefix("capability.") {
            let known = |capability: &crate::Capability| InputKind::Capability(capability.name.clone());
            return table.get(name).map(known).ok_or_else(|| {
                (
                    format!("there is no capability {name:?}"),
                    format!("expected one of: {}", nearest(name, table.names())),
                )
            });
        }
        if let Some(name) = kind.strip_prefix("device.") {
            let of_table = table.get(kind).map(|capability| InputKind::Capability(capability.name.clone()));
            return Ok(of_table.unwrap_or_else(|| InputKind::Device(name.to_owned())));
        }
        let known = TYPES.iter().find(|(name, _)| name.eq_ignore_ascii_case(kind)).map(|(_, kind)| kind.clone());
        known.ok_or_else(|| {
            let names = nearest(kind, TYPES.iter().map(|&(name, _)| name));
            (format!("there is no input type {kind:?}"), format!("expected capability.…, or one of: {names}"))
        })
    }

    /// Whether a device is asked for.
    pub fn is_device(&self) -> bool {
        matches!(self, InputKind::Capability(_) | InputKind::Device(_) | InputKind::AnyDevice)
    }
}

/// The names that look most like a wrong one first, all of them: for a name that was mistyped.
pub(crate) fn nearest<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_by_key(|name| distance(wrong, name));
    names.truncate(12);
    names.join(", ")
}

/// In how many letters two names differ.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, letter) in one.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for column in 0..other.len() {
            let substituted = diagonal + usize::from(other[column] != letter);
            diagonal = row[column + 1];
            row[column + 1] = substituted.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

impl App {
    /// Reads an app.
    pub fn read(file: &str, source: &str, table: &Capabilities, profile: Profile) -> Result<App, Vec<Diagnostic>> {
        let script = Arc::new(parse(source)?);
        let read = reading::read(&script, table, profile)?;
        Ok(App {
            file: file.into(),
            source: source.into(),
            name: if read.name.is_empty() { file.to_owned() } else { read.name },
            inputs: read.inputs,
            page_trouble: read.trouble,
            script,
            set_by_pages: read.state,
            mentioned: mentioned(source),
            fields: fields(source, profile),
        })
    }

    /// The input with this name.
    pub fn input(&self, name: &str) -> Option<&Input> {
        self.inputs.iter().find(|input| input.name == name)
    }
}

/// In the study a variable outside of all methods is one of the app, and lasts.
fn fields(source: &str, profile: Profile) -> Vec<String> {
    if profile != Profile::Paper {
        return Vec::new();
    }
    let lines = source.lines().filter_map(|line| line.strip_prefix("def ")).filter(|rest| !rest.contains('('));
    lines.filter_map(|rest| rest.split_whitespace().next()).map(str::to_owned).collect()
}

/// The first text in quotes after each word `input`.
fn mentioned(source: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, word) in source.match_indices("input") {
        let rest = &source[at + word.len()..];
        let line = rest.lines().next().unwrap_or_default();
        let Some(open) = line.find(['"', '\'']) else { continue };
        let name = line[open + 1..].split(['"', '\'']).next().unwrap_or_default();
        if !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_') {
            names.push(name.to_owned());
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_that_were_not_shown_are_still_known() {
        let source =
            "if (x) { input \"a\", \"number\" } else { input(name: 'b', type: \"text\") }\nlog \"the input is $it\"";
        assert_eq!(mentioned(source), ["a", "b"]);
        assert_eq!(fields("def x\ndef y() {}\n  def z", Profile::Paper), ["x"]);
        assert_eq!(fields("def x", Profile::Usual), [""; 0]);
    }

    #[test]
    fn a_wrong_type_is_met_with_the_right_ones() {
        let table = Capabilities::of(Profile::Usual);
        assert_eq!(InputKind::of("capability.lock", &table), Ok(InputKind::Capability("lock".into())));
        assert_eq!(InputKind::of("device.myEcobeeDevice", &table), Ok(InputKind::Device("myEcobeeDevice".into())));
        assert_eq!(InputKind::of("device.aeonKeyFob", &table), Ok(InputKind::Capability("button".into())));
        let (message, expected) = InputKind::of("capability.swich", &table).expect_err("mistyped");
        assert_eq!(message, "there is no capability \"swich\"");
        assert!(expected.starts_with("expected one of: switch,"), "{expected}");
        let (message, expected) = InputKind::of("numbr", &table).expect_err("mistyped");
        assert_eq!(message, "there is no input type \"numbr\"");
        assert!(expected.starts_with("expected capability.…, or one of: number,"), "{expected}");
    }
}
