//! `home.toml`: which devices a home has, which of them an app's inputs stand for, and what the other inputs are.
//!
//! ```toml
//! modes = ["Home", "Away", "Night"]
//!
//! [[device]]
//! name = "front door"
//! capability = "lock"
//! start = { lock = "locked" }
//!
//! [app."lock-it-when-i-leave.groovy"]
//! lock1 = "front door"
//! unlock = "Yes"
//! ```

use crate::app::nearest;
use mazurka_core::Diagnostic;
use mazurka_groovy::Frozen;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What a `home.toml` says, before it is known whether it fits the apps.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct HomeFile {
    pub(crate) modes: Vec<String>,
    /// The mode in which the home begins.
    pub(crate) mode: Option<Placed<String>>,
    pub(crate) devices: Vec<DeviceEntry>,
    pub(crate) apps: Vec<AppEntry>,
}

/// Something and where the file has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed<T> {
    pub(crate) it: T,
    pub(crate) span: Range<usize>,
}

/// A `[[device]]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DeviceEntry {
    pub(crate) name: Placed<String>,
    pub(crate) capabilities: Vec<Placed<String>>,
    /// The values in which attributes begin: one for both initial states, or one for each.
    pub(crate) start: Vec<(Placed<String>, Vec<Placed<Frozen>>)>,
}

/// An `[app."…"]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AppEntry {
    pub(crate) app: Placed<String>,
    pub(crate) inputs: Vec<(Placed<String>, Placed<Given>)>,
}

/// The value of an input as the file has it: one, or a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    One(Frozen),
    Several(Vec<Placed<Frozen>>),
}

impl HomeFile {
    /// Reads a file.
    pub(crate) fn read(text: &str) -> Result<HomeFile, Vec<Diagnostic>> {
        let table = DeTable::parse(text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            vec![Diagnostic::new("this is not TOML", span, error.message().to_owned())]
        })?;
        let mut reader = Reader { diagnostics: Vec::new() };
        let file = reader.file(table.get_ref());
        if reader.diagnostics.is_empty() { Ok(file) } else { Err(reader.diagnostics) }
    }
}

struct Reader {
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn file(&mut self, table: &DeTable<'_>) -> HomeFile {
        let mut file = HomeFile::default();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "modes" => file.modes = self.texts(value).into_iter().map(|mode| mode.it).collect(),
                "mode" => file.mode = self.text(value),
                "device" => {
                    let entries = self.array(value);
                    file.devices = entries.iter().filter_map(|entry| self.device(entry)).collect();
                }
                "app" => {
                    for (app, inputs) in self.table(value) {
                        let inputs = self.table(inputs).into_iter().filter_map(|(key, value)| {
                            Some((placed(key, key.get_ref().to_string()), self.given(value)?))
                        });
                        let inputs = inputs.collect();
                        file.apps.push(AppEntry { app: placed(app, app.get_ref().to_string()), inputs });
                    }
                }
                other => self.unknown(key, other, &["modes", "mode", "device", "app"]),
            }
        }
        file
    }

    fn device(&mut self, entry: &Spanned<DeValue<'_>>) -> Option<DeviceEntry> {
        let (mut name, mut capabilities, mut start) = (None, Vec::new(), Vec::new());
        for (key, value) in self.table(entry) {
            match key.get_ref().as_ref() {
                "name" => name = self.text(value),
                "capability" => capabilities = self.texts(value),
                "start" => {
                    for (attribute, value) in self.table(value) {
                        let values = match value.get_ref() {
                            DeValue::Array(values) => values.iter().collect(),
                            _ => vec![value],
                        };
                        let values = values.into_iter().filter_map(|value| Some(placed(value, self.value(value)?)));
                        let values = values.collect();
                        start.push((placed(attribute, attribute.get_ref().to_string()), values));
                    }
                }
                other => self.unknown(key, other, &["name", "capability", "start"]),
            }
        }
        if capabilities.is_empty() || name.is_none() {
            let message = "a device needs a name and a capability";
            self.fail(message, entry.span(), "expected name = \"…\" and capability = \"…\"");
        }
        Some(DeviceEntry { name: name?, capabilities, start })
    }

    fn given(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Placed<Given>> {
        let given = match value.get_ref() {
            DeValue::Array(items) => {
                let items = items.iter().filter_map(|item| Some(placed(item, self.value(item)?)));
                Given::Several(items.collect())
            }
            _ => Given::One(self.value(value)?),
        };
        Some(placed(value, given))
    }

    fn value(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Frozen> {
        let number = |text: &str| text.replace('_', "").parse::<i64>().ok();
        let decimal = |text: &str| text.replace('_', "").parse().ok();
        let read = match value.get_ref() {
            DeValue::String(text) => Some(Frozen::text(text)),
            DeValue::Integer(text) => number(text.as_str()).map(whole),
            DeValue::Float(text) => decimal(text.as_str()).map(Frozen::Decimal),
            DeValue::Boolean(flag) => Some(Frozen::Bool(*flag)),
            DeValue::Datetime(time) => Some(Frozen::text(&time.to_string())),
            DeValue::Array(_) | DeValue::Table(_) => None,
        };
        if read.is_none() {
            self.fail("this value has no meaning here", value.span(), "expected a text, a number, true or false");
        }
        read
    }

    fn text(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Placed<String>> {
        let text = value.get_ref().as_str().map(|text| placed(value, text.to_owned()));
        if text.is_none() {
            self.fail("this is not a text", value.span(), "expected a text in quotes");
        }
        text
    }

    /// A list of texts, or one that stands alone.
    fn texts(&mut self, value: &Spanned<DeValue<'_>>) -> Vec<Placed<String>> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().filter_map(|item| self.text(item)).collect(),
            _ => self.text(value).into_iter().collect(),
        }
    }

    fn table<'t, 'i>(
        &mut self,
        value: &'t Spanned<DeValue<'i>>,
    ) -> Vec<(&'t Spanned<std::borrow::Cow<'i, str>>, &'t Spanned<DeValue<'i>>)> {
        match value.get_ref() {
            DeValue::Table(table) => table.iter().collect(),
            _ => {
                self.fail("this is not a table", value.span(), "expected key = value in it");
                Vec::new()
            }
        }
    }

    fn array<'t, 'i>(&mut self, value: &'t Spanned<DeValue<'i>>) -> Vec<&'t Spanned<DeValue<'i>>> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().collect(),
            _ => {
                self.fail("this is not a list", value.span(), "expected [[device]] for each device");
                Vec::new()
            }
        }
    }

    fn unknown(&mut self, key: &Spanned<std::borrow::Cow<'_, str>>, name: &str, known: &[&str]) {
        let expected = format!("expected one of: {}", nearest(name, known.iter().copied()));
        self.fail(&format!("{name:?} is not known here"), key.span(), &expected);
    }

    fn fail(&mut self, message: &str, span: Range<usize>, expected: &str) {
        self.diagnostics.push(Diagnostic::new(message, span, expected));
    }
}

fn placed<T, U>(at: &Spanned<T>, it: U) -> Placed<U> {
    Placed { it, span: at.span() }
}

fn whole(number: i64) -> Frozen {
    i32::try_from(number).map_or(Frozen::Long(number), Frozen::Int)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_with_a_door_and_an_app() {
        let text = "modes = [\"Home\", \"Away\"]\nmode = \"Away\"\n[[device]]\nname = \"front door\"\n\
                    capability = [\"lock\", \"battery\"]\nstart = { lock = \"locked\", battery = [5, 90] }\n\
                    [app.\"a.groovy\"]\nlock1 = \"front door\"\nminutes = 10\nwho = [\"x\", \"y\"]\n";
        let file = HomeFile::read(text).expect("it is well formed");
        assert_eq!(file.modes, ["Home", "Away"]);
        assert_eq!(file.mode.as_ref().map(|mode| mode.it.as_str()), Some("Away"));
        let door = &file.devices[0];
        assert_eq!(door.name.it, "front door");
        assert_eq!(&text[door.name.span.clone()], "\"front door\"");
        assert_eq!(door.capabilities.len(), 2);
        assert_eq!(door.start[1].1[0].it, Frozen::Int(5));
        assert_eq!(door.start[1].1[1].it, Frozen::Int(90));
        let app = &file.apps[0];
        assert_eq!(app.app.it, "a.groovy");
        assert_eq!(app.inputs[1].1.it, Given::One(Frozen::Int(10)));
        assert!(matches!(&app.inputs[2].1.it, Given::Several(items) if items.len() == 2));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let text = "mods = [\"Home\"]\n[[device]]\nname = \"door\"\n";
        let errors = HomeFile::read(text).expect_err("two things are wrong");
        assert_eq!(errors[0].message, "\"mods\" is not known here");
        assert_eq!(&text[errors[0].span.clone()], "mods");
        assert!(errors[0].label.starts_with("expected one of: mode"), "{}", errors[0].label);
        assert_eq!(errors[1].message, "a device needs a name and a capability");
        let errors = HomeFile::read("modes = [").expect_err("this is no TOML");
        assert_eq!(errors[0].message, "this is not TOML");
    }
}
