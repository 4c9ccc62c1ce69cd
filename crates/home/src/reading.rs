//! Reading what an app asks for, by running its `definition` and its `preferences`.
//!
//! Pages can be computed, so they are run. Nothing is known of the home yet: inputs have stand-ins as soon as they are
//! declared, and whatever else a page asks for is null. A page that cannot be run to its end keeps the inputs so far.

use crate::app::{Input, InputKind};
use crate::clock;
use crate::wiring::{default_identity, default_value};
use crate::{Capabilities, Profile};
use mazurka_core::Diagnostic;
use mazurka_groovy::{
    Elements, Host, Instance, Limits, Native, Object, Run, Script, Span, Trouble, TroubleKind, Value,
};
use std::rc::Rc;
use std::sync::Arc;

/// What the app says of itself.
pub(crate) struct Read {
    pub(crate) name: String,
    pub(crate) inputs: Vec<Input>,
    pub(crate) trouble: Vec<String>,
    /// The keys of what the pages keep in `state`.
    pub(crate) state: Vec<String>,
}

/// The objects that pages can meet.
mod kind {
    pub(super) const DEVICE: u16 = 1;
    pub(super) const LOCATION: u16 = 2;
    pub(super) const ANYTHING: u16 = 3;
}

/// Pages depend on inputs that later pages declare, so they are run again while that brings new inputs, so often at most.
const ROUNDS: usize = 8;

/// Reads an app's definition and inputs.
pub(crate) fn read(script: &Arc<Script>, table: &Capabilities, profile: Profile) -> Result<Read, Vec<Diagnostic>> {
    let mut reading = Reading {
        table,
        profile,
        script,
        state: Value::map([]),
        name: None,
        inputs: Vec::new(),
        pages: Vec::new(),
        diagnostics: Vec::new(),
        trouble: Vec::new(),
    };
    for _ in 0..ROUNDS {
        let before = reading.inputs.len();
        reading.pages.clear();
        reading.trouble.clear();
        reading.diagnostics.clear();
        reading.round()?;
        if reading.inputs.len() == before {
            break;
        }
    }
    // The study's apps include some from before there were definitions.
    if reading.name.is_none() && profile == Profile::Usual {
        reading.diagnostics.push(
            Diagnostic::new(
                "the app has no definition",
                0..0,
                "expected a call of definition(name: …) somewhere in the file",
            )
            .note("an app is a script that calls definition and preferences and has methods such as installed"),
        );
    }
    if !reading.diagnostics.is_empty() {
        return Err(reading.diagnostics);
    }
    let state = reading.state.as_map().map_or_else(Vec::new, |state| state.keys());
    let state = state.iter().map(ToString::to_string).collect();
    Ok(Read { name: reading.name.unwrap_or_default(), inputs: reading.inputs, trouble: reading.trouble, state })
}

struct Reading<'a> {
    table: &'a Capabilities,
    profile: Profile,
    script: &'a Arc<Script>,
    state: Value,
    name: Option<String>,
    inputs: Vec<Input>,
    /// The pages that are made by methods, in the order in which they are named.
    pages: Vec<String>,
    diagnostics: Vec<Diagnostic>,
    trouble: Vec<String>,
}

impl Reading<'_> {
    fn round(&mut self) -> Result<(), Vec<Diagnostic>> {
        let instance = Instance::new(Arc::clone(self.script), 0);
        let mut run = Run::new(Limits::default());
        let result = run.run_script(self, &instance).map(|_| ());
        self.note(result)?;
        let mut next = 0;
        while next < self.pages.len() {
            let page = self.pages[next].clone();
            next += 1;
            let result = run.call_method(self, &instance, &page, &[]).map(|_| ());
            self.note(result)?;
        }
        Ok(())
    }

    /// A page ends where it comes into trouble; one that uses up its budget is not read.
    fn note(&mut self, result: Result<(), Trouble>) -> Result<(), Vec<Diagnostic>> {
        let Err(trouble) = result else { return Ok(()) };
        let span = trouble.span().map_or(0..0, Span::range);
        match trouble.kind() {
            TroubleKind::OutOfFuel | TroubleKind::OutOfMemory | TroubleKind::TooDeep => {
                Err(vec![Diagnostic::new("the preferences cannot be followed to their end", span, trouble.to_string())])
            }
            _ => {
                let line = trouble.position().map_or(0, |position| position.line);
                self.trouble.push(format!("line {line}: {trouble}"));
                Ok(())
            }
        }
    }

    fn visit(&mut self, page: &str) {
        if self.script.has_method(page) && !self.pages.iter().any(|known| known == page) {
            self.pages.push(page.to_owned());
        }
    }

    fn input(&mut self, arguments: &[Value], at: Span) {
        let (named, texts) = parts(arguments);
        let option = |key: &str| named.as_ref().and_then(|map| map.get(key));
        let text = |value: Option<Value>| value.map(|value| value.to_string());
        let name = text(option("name")).or_else(|| text(texts.first().cloned()));
        let declared = text(option("type")).or_else(|| text(texts.get(1).cloned()));
        let Some(name) = name.filter(|name| !name.is_empty()) else { return };
        let kind = match InputKind::of(declared.as_deref().unwrap_or("text"), self.table) {
            Ok(kind) => kind,
            Err((message, expected)) => {
                let asked = format!("{message}, which the input {name:?} asks for");
                self.diagnostics.push(Diagnostic::new(asked, at.range(), expected));
                return;
            }
        };
        let is_true = |value: Option<Value>| matches!(value.as_ref().map(ToString::to_string).as_deref(), Some("true"));
        let values = option("options").or_else(|| option("metadata")?.as_map()?.get("values"));
        let input = Input {
            name,
            kind,
            multiple: is_true(option("multiple")),
            required: option("required").is_none_or(|value| value.to_string() != "false"),
            options: values.map_or_else(Vec::new, |values| self.options(&values)),
            default: option("defaultValue").or_else(|| option("default")).and_then(|value| value.freeze().ok()),
            span: at,
        };
        match self.inputs.iter_mut().find(|known| known.name == input.name) {
            // What is declared twice with different types is what it was declared first.
            Some(known) if known.kind == input.kind => *known = input,
            Some(_) => {}
            None => self.inputs.push(input),
        }
    }

    /// What an `enum` offers. The study took the text of whatever stands in a list, and nothing from a map.
    fn options(&self, values: &Value) -> Vec<String> {
        match values {
            Value::List(list) => list.items().iter().map(|item| self.option(item)).collect(),
            Value::Map(map) if self.profile == Profile::Usual => map.keys().iter().map(ToString::to_string).collect(),
            _ => Vec::new(),
        }
    }

    fn option(&self, item: &Value) -> String {
        match item {
            Value::Map(map) if self.profile == Profile::Usual => {
                map.keys().first().map(ToString::to_string).unwrap_or_default()
            }
            other => other.to_string(),
        }
    }

    /// The label and the id of a stand-in: those that the device will have, as options of further inputs may be made of them.
    fn identity(&self, object: &Object) -> (String, String) {
        match self.inputs.get(object.id as usize).map(|input| &input.kind) {
            Some(InputKind::Capability(name)) => {
                let words = self.table.get(name).map_or("", |capability| capability.words.as_str());
                default_identity(name, words, self.profile)
            }
            _ => ("device".to_owned(), "device".to_owned()),
        }
    }

    /// A stand-in for an input that was declared.
    fn stand_in(&self, name: &str) -> Option<Value> {
        let index = self.inputs.iter().position(|input| input.name == name)?;
        let input = &self.inputs[index];
        if input.kind.is_device() {
            return Some(Value::Object(Object::new(kind::DEVICE, index as u32)));
        }
        Some(default_value(input, self.profile, crate::MODES[0]).thaw())
    }

    fn call_platform(
        &mut self,
        run: &mut Run,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        let (named, texts) = parts(arguments);
        let text_of = |key: &str| named.as_ref().and_then(|map| map.get(key)).map(|value| value.to_string());
        match name {
            "definition" => {
                self.name = Some(text_of("name").unwrap_or_else(|| "an app without a name".to_owned()));
                return Ok(Some(Value::Null));
            }
            "mappings" => return Ok(Some(Value::Null)),
            "input" => self.input(arguments, at),
            "page" => {
                if let Some(page) = text_of("name").or_else(|| texts.first().map(ToString::to_string)) {
                    self.visit(&page);
                }
            }
            // The study knew only pages that are declared by `page`.
            "href" if self.profile == Profile::Usual => {
                if let Some(page) = text_of("page") {
                    self.visit(&page);
                }
            }
            "now" => return Ok(Some(Value::Long(clock::NOW))),
            "timeToday" | "timeTodayAfter" | "toDateTime" => {
                let time = texts.iter().rev().find_map(|text| clock::time_of_day(&text.to_string()));
                let (hour, minute) = time.unwrap_or((12, 0));
                return Ok(Some(Value::Date(clock::today_at(hour, minute))));
            }
            "timeZone" => return Ok(Some(Value::Native(Rc::new(Native::Zone(clock::ZONE.into()))))),
            "getChildDevices" | "getAllChildDevices" | "getChildApps" | "findAllChildAppsByName" => {
                return Ok(Some(Value::list(Vec::new())));
            }
            _ => {}
        }
        if let Some(Value::Closure(body)) = arguments.last() {
            run.call_closure(self, body, &[])?;
        }
        Ok(Some(Value::Null))
    }
}

/// The named arguments of a call, and the others that are no closures.
fn parts(arguments: &[Value]) -> (Option<Rc<mazurka_groovy::Map>>, Vec<Value>) {
    let named = arguments.iter().find_map(|argument| argument.as_map().cloned());
    let others =
        arguments.iter().filter(|argument| !matches!(argument, Value::Map(_) | Value::Closure(_))).cloned().collect();
    (named, others)
}

/// The library's methods on collections, which also work on devices.
pub(crate) const COLLECTION: &[&str] = &[
    "any",
    "collect",
    "collectEntries",
    "contains",
    "count",
    "each",
    "eachWithIndex",
    "every",
    "find",
    "findAll",
    "first",
    "flatten",
    "get",
    "getAt",
    "groupBy",
    "head",
    "inject",
    "isEmpty",
    "iterator",
    "join",
    "last",
    "max",
    "min",
    "plus",
    "size",
    "sort",
    "sum",
    "tail",
    "toList",
    "unique",
];

impl Host for Reading<'_> {
    fn call(
        &mut self,
        run: &mut Run,
        receiver: Option<&Object>,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        match receiver {
            None => self.call_platform(run, name, arguments, at),
            Some(object) if object.kind == kind::DEVICE && COLLECTION.contains(&name) => Ok(None),
            Some(_) if name == "getPhrases" => Ok(Some(phrases())),
            Some(_) => Ok(Some(Value::Null)),
        }
    }

    fn get(&mut self, _: &mut Run, receiver: Option<&Object>, name: &str, _: Span) -> Result<Option<Value>, Trouble> {
        let anything = || Value::Object(Object::new(kind::ANYTHING, 0));
        let Some(object) = receiver else {
            return Ok(match name {
                "state" | "atomicState" => Some(self.state.clone()),
                "location" => Some(Value::Object(Object::new(kind::LOCATION, 0))),
                "settings" => {
                    let known: Vec<_> = self.inputs.iter().map(|input| input.name.clone()).collect();
                    let entry = |name: &String| Some((Value::text(name), self.stand_in(name)?));
                    Some(Value::map(known.iter().filter_map(entry)))
                }
                "log" | "app" | "params" | "request" => Some(anything()),
                // A name that is also a method stands for the method.
                _ => self.stand_in(name).or_else(|| (!self.script.has_method(name)).then_some(Value::Null)),
            });
        };
        Ok(Some(match (object.kind, name) {
            (kind::DEVICE, "id" | "deviceNetworkId") => Value::text(self.identity(object).1),
            (kind::DEVICE, "displayName" | "label" | "name") => Value::text(self.identity(object).0),
            (kind::LOCATION, "modes") => Value::list(
                crate::MODES.iter().map(|&mode| Value::record([("name", mode.into()), ("id", mode.into())])).collect(),
            ),
            (kind::LOCATION, "mode") => Value::text(crate::MODES[0]),
            (kind::LOCATION, "hubs") => Value::list(Vec::new()),
            (kind::LOCATION, "timeZone") => Value::Native(Rc::new(Native::Zone(clock::ZONE.into()))),
            (kind::LOCATION, "helloHome") => anything(),
            _ => Value::Null,
        }))
    }

    fn set(&mut self, _: &mut Run, receiver: Option<&Object>, _: &str, _: &Value, _: Span) -> Result<bool, Trouble> {
        Ok(receiver.is_some())
    }

    fn elements(&mut self, _: &mut Run, object: &Object) -> Result<Option<Elements>, Trouble> {
        Ok((object.kind == kind::DEVICE).then(|| Elements::List(vec![Value::Object(object.clone())])))
    }

    fn truth(&mut self, _: &mut Run, _: &Object) -> Result<bool, Trouble> {
        Ok(true)
    }

    fn text(&mut self, _: &mut Run, object: &Object) -> Result<String, Trouble> {
        Ok(self.identity(object).0)
    }

    fn construct(&mut self, _: &mut Run, _: &str, _: &[Value], _: Span) -> Result<Option<Value>, Trouble> {
        Ok(Some(Value::Object(Object::new(kind::ANYTHING, 0))))
    }

    fn now(&mut self, _: &mut Run) -> Result<i64, Trouble> {
        Ok(clock::NOW)
    }

    fn zone_offset(&mut self, zone: Option<&str>, at_moment: i64) -> Option<i64> {
        clock::zone_offset(zone, at_moment)
    }

    fn random(&mut self, _: &mut Run, _: u64) -> Result<u64, Trouble> {
        Ok(0)
    }
}

/// The phrases that every home knows.
pub(crate) fn phrases() -> Value {
    let phrase = |label: &&str| Value::record([("label", Value::text(label)), ("id", Value::text(label))]);
    Value::list(["Good Morning!", "Good Night!", "Goodbye!", "I'm Back!"].iter().map(phrase).collect())
}
