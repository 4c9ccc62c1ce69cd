//! A tiny platform to try scripts on: two switches, a log, a clock that stands still.
#![allow(dead_code, missing_docs)]

use mazurka_groovy::{Elements, Host, Instance, Limits, Object, Run, Span, Trouble, Value, parse};
use std::rc::Rc;
use std::sync::Arc;

pub(crate) const SWITCHES: u16 = 1;
pub(crate) const SWITCH: u16 = 2;
pub(crate) const LOG: u16 = 3;

/// 2019-08-01 21:14:40.896 UTC.
pub(crate) const NOW: i64 = 1_564_694_080_896;

#[derive(Default)]
pub(crate) struct TestHost {
    /// What the script did, a line each.
    pub(crate) done: Vec<String>,
    pub(crate) state: Value,
    pub(crate) on: [bool; 2],
    pub(crate) random: u64,
}

impl TestHost {
    pub(crate) fn new() -> Self {
        TestHost { state: Value::map([]), ..TestHost::default() }
    }

    fn record(&mut self, run: &mut Run, name: &str, arguments: &[Value]) -> Result<Value, Trouble> {
        let mut texts = Vec::new();
        for argument in arguments {
            texts.push(run.text(self, argument)?);
        }
        self.done.push(format!("{name}({})", texts.join(", ")));
        Ok(Value::Null)
    }
}

impl Host for TestHost {
    fn call(
        &mut self,
        run: &mut Run,
        receiver: Option<&Object>,
        name: &str,
        arguments: &[Value],
        _at: Span,
    ) -> Result<Option<Value>, Trouble> {
        match (receiver.map(|object| (object.kind, object.id)), name) {
            (None, "section" | "preferences" | "page") => {
                let (closure, rest) = match arguments {
                    [rest @ .., Value::Closure(closure)] => (Some(closure.clone()), rest),
                    rest => (None, rest),
                };
                self.record(run, name, rest)?;
                closure.map_or(Ok(Value::Null), |closure| run.call_closure(self, &closure, &[])).map(Some)
            }
            (None, "input" | "definition" | "subscribe" | "runIn" | "sendPush" | "record") => {
                self.record(run, name, arguments).map(Some)
            }
            (None, "stop") => Err(Trouble::host("the platform stops")),
            (None, "now") => Ok(Some(Value::Long(NOW))),
            (Some((LOG, _)), _) => self.record(run, &format!("log.{name}"), arguments).map(Some),
            (Some((SWITCH, id)), "on" | "off") => {
                self.on[id as usize] = name == "on";
                self.record(run, &format!("switch{id}.{name}"), arguments).map(Some)
            }
            (Some((SWITCHES, _)), "on" | "off") => {
                self.on = [name == "on"; 2];
                self.record(run, &format!("switches.{name}"), arguments).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn get(&mut self, _: &mut Run, receiver: Option<&Object>, name: &str, _: Span) -> Result<Option<Value>, Trouble> {
        Ok(match (receiver.map(|object| (object.kind, object.id)), name) {
            (None, "log") => Some(Object::new(LOG, 0).into()),
            (None, "switches") => Some(Object::new(SWITCHES, 0).into()),
            (None, "state") => Some(self.state.clone()),
            (None, "settings") => Some(Value::record([("x1", Value::Int(11)), ("x2", Value::Int(22))])),
            (None, "x1") => Some(Value::Int(11)),
            (None, "unset") => Some(Value::Null),
            (Some((SWITCH, id)), "name" | "displayName") => Some(Value::from(format!("switch {id}"))),
            (Some((SWITCH, id)), "currentSwitch") => Some(Value::text(if self.on[id as usize] { "on" } else { "off" })),
            _ => None,
        })
    }

    fn set(&mut self, _: &mut Run, _: Option<&Object>, _: &str, _: &Value, _: Span) -> Result<bool, Trouble> {
        Ok(false)
    }

    fn elements(&mut self, _: &mut Run, object: &Object) -> Result<Option<Elements>, Trouble> {
        let element = |id| Object::new(SWITCH, id).into();
        Ok((object.kind == SWITCHES).then(|| Elements::List(vec![element(0), element(1)])))
    }

    fn text(&mut self, _: &mut Run, object: &Object) -> Result<String, Trouble> {
        Ok(match object.kind {
            SWITCH => format!("switch {}", object.id),
            kind => format!("object of kind {kind}"),
        })
    }

    fn class(&self, object: &Object) -> String {
        (if object.kind == SWITCH { "Device" } else { "Object" }).to_owned()
    }

    fn now(&mut self, _: &mut Run) -> Result<i64, Trouble> {
        Ok(NOW)
    }

    fn zone_offset(&mut self, zone: Option<&str>, _: i64) -> Option<i64> {
        (zone == Some("America/New_York")).then_some(-4 * 3_600_000)
    }

    fn random(&mut self, _: &mut Run, bound: u64) -> Result<u64, Trouble> {
        Ok(self.random % bound)
    }
}

/// A parsed script, ready to run.
pub(crate) fn instance(source: &str) -> Rc<Instance> {
    match parse(source) {
        Ok(script) => Instance::new(Arc::new(script), 0),
        Err(errors) => panic!("{:?} in\n{source}", errors[0]),
    }
}

/// Calls the method `test` of a script and returns the text of its result, or of the trouble.
pub(crate) fn call_test(source: &str, host: &mut TestHost) -> String {
    let instance = instance(source);
    let mut run = Run::new(Limits { fuel: 100_000, memory: 4 << 20 });
    let result = run.call_method(host, &instance, "test", &[]).and_then(|value| run.text(host, &value));
    match result {
        Ok(text) => text,
        Err(trouble) => format!("{trouble} @ {}", trouble.position().map_or(String::new(), |at| at.to_string())),
    }
}

/// The value of a method's body, as text.
pub(crate) fn eval(body: &str) -> String {
    call_test(&format!("def test() {{\n{body}\n}}"), &mut TestHost::new())
}

/// What a method's body does to the platform.
pub(crate) fn effects(body: &str) -> Vec<String> {
    let mut host = TestHost::new();
    let result = call_test(&format!("def test() {{\n{body}\n}}"), &mut host);
    if result.contains(" @ ") {
        host.done.push(result);
    }
    host.done
}

/// Checks lines of the form `expression` and the text of its value.
pub(crate) fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(source, expected)| {
            let found = eval(source);
            (found != *expected).then(|| format!("{source}\n    gives    {found}\n    expected {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
