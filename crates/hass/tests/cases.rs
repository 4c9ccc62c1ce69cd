//! Small scenarios, each with what Home Assistant itself did (2025.2.5 with the dispatch of 2026.7): the model does the same.
//!
//! The cases are in `cases.json`, in the form of the harness that plays them in Home Assistant; `log` and `final` are what
//! it printed. Compared are the changes of states in their order, the automations in the order in which they ran, and
//! the states at the end.

use mazurka_hass::config::{Memory, read_configuration};
use mazurka_hass::model::{Played, Scenario, ScenarioStep, play};
use mazurka_hass::template::Val;
use serde_json::{Value as Json, json};
use std::sync::Arc;

fn text(json: &Json) -> String {
    json.as_str().map_or_else(|| json.to_string(), str::to_owned)
}

fn scenario(case: &Json) -> Scenario {
    let names = ["x", "y", "z", "a", "b", "c"].map(|name| (name.to_owned(), Json::Null));
    let configuration = json!({
        "input_boolean": Json::Object(names.into_iter().collect()),
        "timer": case.get("timers").cloned().unwrap_or(json!({})),
        "script": case.get("scripts").cloned().unwrap_or(json!({})),
        "automation": case["automations"],
    });
    // JSON is YAML.
    let yaml = configuration.to_string();
    let configuration =
        read_configuration(&mut Memory::new([("configuration.yaml", yaml.as_str())])).expect("it can be read");
    assert!(configuration.broken.is_empty(), "{:?}", configuration.broken);
    let mut steps = Vec::new();
    for step in case["steps"].as_array().expect("a list of steps") {
        if let Some(seconds) = step.get("wait").and_then(Json::as_f64) {
            steps.push(ScenarioStep::Wait((seconds * 1000.0) as i64));
        }
        if let Some(set) = step.get("set").and_then(Json::as_object) {
            // The harness turns on first.
            for wanted in ["on", "off"] {
                let names = set.iter().filter(|(_, value)| *value == wanted);
                steps
                    .extend(names.map(|(name, value)| ScenarioStep::Set(format!("input_boolean.{name}"), text(value))));
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
    let settle = case.get("settle").and_then(Json::as_f64).unwrap_or(0.3);
    Scenario { configuration: Arc::new(configuration), steps, settle: (settle * 1000.0) as i64 }
}

/// What Home Assistant did, as far as it is compared.
fn wanted(case: &Json) -> (Vec<String>, Vec<String>) {
    let log: Vec<String> = case["log"].as_array().expect("a log").iter().map(text).collect();
    (
        log.iter().filter(|line| line.contains("->")).cloned().collect(),
        log.iter().filter(|line| line.starts_with('[')).cloned().collect(),
    )
}

fn difference(case: &Json) -> Option<String> {
    let name = text(&case["name"]);
    let Played { log, states } = match play(&scenario(case)) {
        Ok(played) => played,
        Err(error) => return Some(format!("{name}: {error}")),
    };
    let (mut changes, runs) = wanted(case);
    let own = |wanted: &dyn Fn(&&String) -> bool| log.iter().filter(wanted).cloned().collect::<Vec<_>>();
    let (mut own_changes, own_runs) = (own(&|line| line.contains("->")), own(&|line| line.starts_with('[')));
    // In which order Home Assistant changes the entities of one call is not fixed.
    if case.get("unordered").is_some() {
        changes.sort();
        own_changes.sort();
    }
    if own_changes != changes || own_runs != runs {
        return Some(format!(
            "{name}:\n  Home Assistant: {changes:?} {runs:?}\n  the model:      {own_changes:?} {own_runs:?}"
        ));
    }
    for (entity, state) in states {
        let known = case["final"].get(&entity).map(text);
        if known.as_deref().unwrap_or("None") != state {
            return Some(format!("{name}: {entity} is {known:?} in Home Assistant, and {state} in the model"));
        }
    }
    None
}

#[test]
fn the_model_does_what_home_assistant_did() {
    let cases: Json = serde_json::from_str(include_str!("cases.json")).expect("the cases are JSON");
    let cases = cases.as_array().expect("a list of cases");
    let differences: Vec<String> = cases.iter().filter_map(difference).collect();
    assert!(
        differences.is_empty(),
        "{} of {} cases differ:\n{}",
        differences.len(),
        cases.len(),
        differences.join("\n")
    );
    assert_eq!(cases.len(), 51);
}
