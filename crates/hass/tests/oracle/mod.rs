//! Scenarios in the form of `oracle/home_assistant.py`, and the difference between what Home Assistant did and what the
//! model does.
#![allow(dead_code, reason = "not every test uses all of it")]

#[path = "../../../load/tests/common/mod.rs"]
mod files;

use mazurka_hass::config::{Memory, read_configuration};
use mazurka_hass::model::{Played, Scenario, ScenarioStep, play};
use mazurka_hass::template::Val;
use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

pub(crate) fn text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

/// A scenario for the model; nothing if it has parts that cannot be read.
pub(crate) fn scenario(case: &Json) -> Option<Scenario> {
    // JSON is YAML.
    let yaml = case["configuration"].to_string();
    let configuration = read_configuration(&mut Memory::new([("configuration.yaml", yaml.as_str())])).ok()?;
    if !configuration.broken.is_empty() {
        return None;
    }
    let mut steps = Vec::new();
    for step in case["steps"].as_array()? {
        if let Some(seconds) = step.get("wait").and_then(Json::as_f64) {
            steps.push(ScenarioStep::Wait((seconds * 1000.0).round() as i64));
        }
        if let Some(set) = step.get("set").and_then(Json::as_object) {
            // The harness turns on first.
            for wanted in ["on", "off"] {
                let names = set.iter().filter(|(_, value)| *value == wanted);
                steps.extend(names.map(|(name, value)| ScenarioStep::Set(name.clone(), text(value))));
            }
        }
        if let Some(state) = step.get("state") {
            steps.push(ScenarioStep::Set(text(&state[0]), text(&state[1])));
        }
        if let Some(event) = step.get("event") {
            let data =
                event[1].as_object().into_iter().flatten().map(|(key, value)| (key.clone(), Val::text(text(value))));
            steps.push(ScenarioStep::Event(text(&event[0]), data.collect()));
        }
        if let Some(call) = step.get("call")
            && call[1] == "turn_on"
        {
            steps.push(ScenarioStep::Renew(text(&call[2]["entity_id"])));
        }
    }
    let states = case.get("states").and_then(Json::as_object).into_iter().flatten();
    let states = states.map(|(entity, state)| (entity.clone(), text(state))).collect();
    let settle = case.get("settle").and_then(Json::as_f64).unwrap_or(0.3);
    Some(Scenario { configuration: Arc::new(configuration), states, steps, settle: (settle * 1000.0).round() as i64 })
}

/// A line of a log with numbers as the model writes them: `20.0` is `20`.
fn plain(line: &str) -> String {
    line.replace(".0->", "->").strip_suffix(".0").map_or_else(|| line.replace(".0->", "->"), str::to_owned)
}

/// How the model differs from what Home Assistant `did`; nothing if it does not.
pub(crate) fn difference(case: &Json, did: &Json) -> Option<String> {
    let name = text(&case["name"]);
    let scenario = scenario(case)?;
    let (log, states, is_endless) = match play(&scenario) {
        // Which of two timers that are due at one time comes first is open.
        Ok(Played { has_tie: true, .. }) if case.get("log").is_none() => return None,
        Ok(Played { log, states, is_endless, .. }) => (log, states, is_endless),
        Err(error) => return Some(format!("{name}: {error}")),
    };
    let lines = |json: &Json| -> Vec<String> { json.as_array().into_iter().flatten().map(text).collect() };
    // What the program neither reads nor changes is no part of the model.
    let is_known = |line: &String| match line.split_once("->").and_then(|(change, _)| change.rsplit_once(':')) {
        Some((entity, _)) => states.iter().any(|(known, _)| known == entity),
        None => line != "|",
    };
    let wanted: Vec<String> = lines(&did["log"]).iter().filter(|line| is_known(line)).map(|line| plain(line)).collect();
    let own: Vec<String> = log.iter().filter(|line| *line != "|").map(|line| plain(line)).collect();
    let count = if is_endless { own.len().min(wanted.len()) } else { wanted.len() };
    if is_endless && own.len() < 20
        || own.get(..own.len().min(wanted.len())) != wanted.get(..count)
        || !is_endless && own.len() != count
    {
        return Some(format!("{name}:\n  Home Assistant: {wanted:?}\n  the model:      {own:?}"));
    }
    for (entity, state) in states {
        let known = did["final"].get(&entity).map(text);
        if !is_endless && plain(known.as_deref().unwrap_or("None")) != plain(&state) {
            return Some(format!("{name}: {entity} is {known:?} in Home Assistant, and {state} in the model"));
        }
    }
    None
}

/// A Home Assistant that answers scenario by scenario.
pub(crate) struct Oracle {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts it, if there is one.
    pub(crate) fn start() -> Option<Oracle> {
        let Ok(python) = std::env::var("MAZURKA_HOME_ASSISTANT") else {
            let why = "MAZURKA_HOME_ASSISTANT is not the path of a Python with Home Assistant";
            files::skip("homeassistant", why);
            return None;
        };
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/oracle/home_assistant.py");
        let mut child = Command::new(python)
            .args([script, "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the Python of MAZURKA_HOME_ASSISTANT can be started");
        let output = BufReader::new(child.stdout.take().expect("its output is piped"));
        Some(Oracle { child, output })
    }

    pub(crate) fn play(&mut self, program: &Json) -> Json {
        let input = self.child.stdin.as_mut().expect("its input is piped");
        writeln!(input, "{program}").and_then(|()| input.flush()).expect("it reads");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("it answers in JSON, not {line:?} to {program}"))
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
