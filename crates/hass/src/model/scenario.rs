//! A schedule as a scenario for Home Assistant itself, in the form of `oracle/home_assistant.py`.
//!
//! Automations are given as they were written. Replaced is what Home Assistant cannot have here: a trigger of the outside
//! world becomes an event, triggers, conditions and actions of devices become those of their entities, and a condition
//! that nobody can know becomes what was taken for it.

use super::follow::Followed;
use super::layout::{expand, members, targets};
use super::services::{Effect, effects, is_helper};
use super::system::{Doing, Model, Who};
use crate::config::{
    Action, ActionKind, Call, Condition, ConditionKind, Match, Routine, RoutineKind, Target, Templated, Trigger,
    TriggerKind,
};
use crate::template::Val;
use crate::yaml::{Node, Place, Value};
use mazurka_core::Move;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json, json};

/// What is played when a trigger of the outside world fires.
const OUTSIDE: &str = "mazurka_outside";

/// A script that plays scenarios in Home Assistant and tells which of them happened as foretold.
pub fn test_script(scenarios: &[String]) -> String {
    let harness = include_str!("../../oracle/home_assistant.py");
    let all = Json::String(format!("[{}]", scenarios.join(",\n")));
    // A text of JSON is a text of Python.
    harness.replace("SCENARIOS = \"[]\"", &format!("SCENARIOS = {all}"))
}

impl Model {
    /// A schedule as a scenario. `name` is what is wrong.
    pub(crate) fn scenario(&self, name: &str, moves: &[Move]) -> Json {
        let followed = self.follow(moves);
        let mut configuration = self.configuration_of(&followed);
        let states = self.states_at_start(&mut configuration);
        let mut steps = Vec::new();
        for (next, &time) in moves.iter().zip(&followed.times) {
            if let Some(mut step) = self.step_of(next) {
                step["at"] = json!(seconds(time));
                steps.push(step);
            }
        }
        let last = followed.times.last().copied().unwrap_or(0);
        steps.push(json!({"at": seconds(last + 700)}));
        let answers = followed.calls.iter().map(|(began, ended)| {
            let length = ended.map_or(600_000, |ended| followed.times[ended] - followed.times[*began]);
            json!(seconds(length))
        });
        let answers: Vec<Json> = answers.collect();
        let expected: Vec<&String> = followed.steps.iter().flat_map(|happened| &happened.log).collect();
        let clock = format!("{:02}:{:02}:00", followed.start / 3600, followed.start / 60 % 60);
        let attributes: Vec<(&String, &String)> =
            self.layout.slots.iter().filter_map(|slot| Some((&slot.name.0, slot.name.1.as_ref()?))).collect();
        json!({
            "name": name,
            "attributes": attributes,
            "start": format!("2026-01-05T{clock}"),
            "sun": [self.options.sunrise, self.options.sunset],
            "configuration": configuration,
            "states": states,
            "devices": self.devices(),
            "steps": steps,
            "answers": answers,
            "settle": 0,
            "expected": expected,
        })
    }

    /// The configuration of the automations, in the order in which they were called.
    fn configuration_of(&self, followed: &Followed) -> Json {
        let mut open: FxHashMap<&str, bool> = FxHashMap::default();
        for (why, yes) in followed.steps.iter().flat_map(|happened| &happened.decided) {
            open.insert(why, *yes);
        }
        let mut automations: Vec<u16> = Vec::new();
        for routine in 0..self.routines.len() as u16 {
            if self.routines[routine as usize].kind == RoutineKind::Script {
                continue;
            }
            let is_after = |before: &u16| {
                self.pair_mark(*before, routine).is_none_or(|mark| followed.end.marks[mark as usize] != 2)
            };
            let place = automations.iter().rposition(is_after).map_or(0, |at| at + 1);
            automations.insert(place, routine);
        }
        let mut scripts = Map::new();
        for routine in self.routines.iter().filter(|routine| routine.kind == RoutineKind::Script) {
            let name = routine.entity.trim_start_matches("script.");
            let source = written(&routine.source, &self.replaced(routine, &open));
            let source = if source.is_array() { json!({"sequence": source}) } else { source };
            scripts.insert(name.to_owned(), source);
        }
        let automations: Vec<Json> = automations
            .into_iter()
            .map(|routine| {
                let routine = &self.routines[routine as usize];
                let mut source = written(&routine.source, &self.replaced(routine, &open));
                source["alias"] = json!(routine.name);
                // Names are enough; two with one id would be one.
                if let Some(entries) = source.as_object_mut() {
                    entries.remove("id");
                }
                source
            })
            .collect();
        let mut configuration = json!({"automation": automations});
        if !scripts.is_empty() {
            configuration["script"] = Json::Object(scripts);
        }
        for helper in &self.configuration.helpers {
            let Some((domain, object)) = helper.entity.split_once('.') else { continue };
            let Some(slot) = self.layout.slot(&helper.entity, None) else { continue };
            let about = &self.layout.slots[slot as usize];
            configuration[domain][object] = match domain {
                "timer" => json!({"duration": seconds(helper.duration.unwrap_or(60_000))}),
                "counter" => {
                    let mut made =
                        json!({"initial": about.values[about.initial as usize].as_number().unwrap_or(0.0) as i64});
                    if let Some((low, high, step)) = helper.range {
                        made["step"] = json!(step as i64);
                        if low.is_finite() {
                            made["minimum"] = json!(low as i64);
                        }
                        if high.is_finite() {
                            made["maximum"] = json!(high as i64);
                        }
                    }
                    made
                }
                _ => continue,
            };
        }
        for group in &self.configuration.groups {
            if self.layout.slot(&group.entity, None).is_some()
                && let Some(object) = group.entity.strip_prefix("group.")
            {
                configuration["group"][object] = json!({"entities": group.members, "all": group.all});
            }
        }
        let mut templates = Vec::new();
        for derived in &self.configuration.derived {
            if self.layout.slot(&derived.entity, None).is_some()
                && let Some((domain @ ("sensor" | "binary_sensor"), object)) = derived.entity.split_once('.')
            {
                templates.push(json!({domain: [{"name": object, "state": derived.state.text}]}));
            }
        }
        if !templates.is_empty() {
            configuration["template"] = Json::Array(templates);
        }
        configuration
    }

    /// The states at the start. Helpers become a part of the configuration.
    fn states_at_start(&self, configuration: &mut Json) -> Json {
        let mut states = Map::new();
        let initial = self.initial_with(std::iter::empty());
        let derived = |entity: &str| {
            self.configuration.derived.iter().any(|known| known.entity == *entity)
                || entity.starts_with("group.") && self.configuration.groups.iter().any(|known| known.entity == *entity)
        };
        for (number, slot) in self.layout.slots.iter().enumerate() {
            let (entity, attribute) = &slot.name;
            let Some((domain, object)) = entity.split_once('.') else { continue };
            if matches!(domain, "automation" | "script" | "scene" | "timer" | "counter") || derived(entity) {
                continue;
            }
            let value = &slot.values[initial.values[number] as usize];
            let text = value.to_string();
            match (domain, attribute) {
                (_, Some(_)) if !is_helper(entity) => {}
                ("input_boolean", None) => configuration[domain][object] = json!({"initial": text == "on"}),
                ("input_select", None) => {
                    let helper = self.configuration.helpers.iter().find(|helper| helper.entity == *entity);
                    let mut options = helper.map(|helper| helper.options.clone()).unwrap_or_default();
                    for value in &slot.values {
                        if !options.contains(&value.to_string()) {
                            options.push(value.to_string());
                        }
                    }
                    configuration[domain][object] = json!({"options": options, "initial": text});
                }
                ("input_number", None) => {
                    let initial = value.as_number().unwrap_or(0.0);
                    configuration[domain][object] = json!({"min": -1e6, "max": 1e6, "initial": initial});
                }
                ("input_text", None) => configuration[domain][object] = json!({"initial": text}),
                ("input_button", None) => configuration[domain][object] = json!({}),
                (_, None) => {
                    let entry = states.entry(entity.clone()).or_insert_with(|| json!(["", {}]));
                    entry[0] = json!(text);
                }
                _ => {}
            }
            if let (Some(attribute), false, true) = (attribute, is_helper(entity), *value != Val::None) {
                let entry = states.entry(entity.clone()).or_insert_with(|| json!(["", {}]));
                entry[1][attribute] = of_value(value);
            }
        }
        Json::Object(states)
    }

    /// What the environment does in a move; nothing where a clock goes off.
    fn step_of(&self, next: &Move) -> Option<Json> {
        let Who::Doing((doing, _)) = self.who(next.actor) else { return None };
        Some(match doing {
            Doing::Change(slot, value) => {
                let about = &self.layout.slots[*slot as usize];
                let (entity, attribute) = &about.name;
                let value = &about.values[*value as usize];
                let text = value.to_string();
                let domain = entity.split('.').next().unwrap_or("");
                let target = |key: &str, value: Json| json!({"entity_id": entity, key: value});
                match (domain, attribute) {
                    (_, Some(attribute)) => json!({"state": [entity, null, {attribute: of_value(value)}]}),
                    ("input_boolean", None) => json!({"set": {entity: text}}),
                    ("input_select", None) => {
                        json!({"call": [domain, "select_option", target("option", json!(text))]})
                    }
                    ("input_number", None) => {
                        json!({"call": [domain, "set_value", target("value", json!(value.as_number().unwrap_or(0.0)))]})
                    }
                    ("input_text", None) => json!({"call": [domain, "set_value", target("value", json!(text))]}),
                    ("input_button", None) => json!({"call": [domain, "press", {"entity_id": entity}]}),
                    _ => json!({"state": [entity, text]}),
                }
            }
            Doing::Event(name, data) => {
                let is_outside = self.routines.iter().any(|routine| outside(routine).any(|words| words == name));
                if is_outside {
                    json!({"event": [OUTSIDE, {"what": name}]})
                } else {
                    json!({"event": [name, of_value(data)]})
                }
            }
            Doing::Start => json!({"restart": true}),
            Doing::Day => return None,
        })
    }

    /// What the calls of the automations do to devices.
    fn devices(&self) -> Json {
        let mut devices = json!({});
        for (op, ..) in self.codes.iter().flat_map(|code| &code.ops) {
            let super::code::Op::Call(call) = op else { continue };
            let Some(Val::Text(service)) = call.service.fixed() else { continue };
            let domain = service.split('.').next().unwrap_or("");
            if matches!(domain, "script" | "automation") {
                continue;
            }
            let data: Vec<(String, Val)> =
                call.data.iter().filter_map(|(key, value)| Some((key.clone(), value.fixed()?))).collect();
            for (named, entity) in self.named_targets(call) {
                let mut writes: Vec<Json> = Vec::new();
                for member in expand(&self.configuration, &entity) {
                    if let Some(scene) = self.configuration.scenes.iter().find(|scene| scene.entity == member) {
                        let known = scene.states.iter().filter(|(entity, ..)| self.layout.slot(entity, None).is_some());
                        writes.extend(known.map(|(entity, state, _)| json!([entity, state])));
                        continue;
                    }
                    let Some(slot) = self.layout.slot(&member, None) else { continue };
                    let about = &self.layout.slots[slot as usize];
                    for effect in effects(&service, &member, &data).unwrap_or_default() {
                        match effect {
                            Effect::State(text) if about.values.contains(&Val::text(&text)) => {
                                writes.push(json!([member, text]));
                            }
                            Effect::Toggle => writes.push(json!([member, "toggle"])),
                            Effect::Press => writes.push(json!([member, "press"])),
                            Effect::Attribute(attribute, value)
                                if self.layout.slot(&member, Some(attribute)).is_some() =>
                            {
                                writes.push(json!([member, null, {attribute: of_value(&value)}]));
                            }
                            _ => {}
                        }
                    }
                }
                let when: Map<String, Json> = data.iter().map(|(key, value)| (key.clone(), of_value(value))).collect();
                let service: &str = if domain == "homeassistant" {
                    &format!("{}.{}", entity.split('.').next().unwrap_or(""), service.rsplit('.').next().unwrap_or(""))
                } else {
                    &service
                };
                if writes.is_empty() || is_helper(service) {
                    continue;
                }
                let known = &mut devices[service][named];
                if known.is_null() {
                    *known = json!([]);
                }
                if let Some(known) = known.as_array_mut() {
                    known.push(json!({"when": when, "writes": writes}));
                }
            }
        }
        devices
    }

    /// The targets of a call: how the call names them, and the entities that they are here.
    fn named_targets(&self, call: &Call) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for target in &call.targets {
            match target {
                Target::Members(kind, id) => {
                    let entities = members(&self.configuration, kind, id, call);
                    found.extend(entities.into_iter().map(|entity| (format!("{kind}_id:{id}"), entity)));
                }
                Target::Entities(_) => {
                    let alone = Call { targets: vec![target.clone()], ..call.clone() };
                    let entities = targets(&alone, &self.configuration);
                    found.extend(entities.into_iter().map(|entity| (entity.clone(), entity)));
                }
            }
        }
        found
    }

    /// What stands in the place of parts of a routine.
    fn replaced(&self, routine: &Routine, open: &FxHashMap<&str, bool>) -> FxHashMap<Place, Json> {
        let mut found = Replaced { open, parts: FxHashMap::default() };
        routine.triggers.iter().for_each(|trigger| found.trigger(trigger));
        routine.conditions.iter().for_each(|condition| found.condition(condition));
        found.actions(&routine.actions);
        found.parts
    }
}

/// The names of the triggers of the outside world that a routine has.
fn outside(routine: &Routine) -> impl Iterator<Item = &String> {
    fn waits(actions: &[Action]) -> Vec<&Trigger> {
        let mut found = Vec::new();
        for action in actions {
            if let ActionKind::WaitTrigger { triggers, .. } = &action.kind {
                found.extend(triggers);
            }
            crate::home::inner(&action.kind).into_iter().for_each(|actions| found.extend(waits(actions)));
        }
        found
    }
    let triggers = routine.triggers.iter().chain(waits(&routine.actions));
    triggers.filter_map(|trigger| match &trigger.kind {
        TriggerKind::Outside(words) | TriggerKind::Opaque(words) => Some(words),
        _ => None,
    })
}

struct Replaced<'o> {
    open: &'o FxHashMap<&'o str, bool>,
    parts: FxHashMap<Place, Json>,
}

impl Replaced<'_> {
    fn trigger(&mut self, trigger: &Trigger) {
        let made = match &trigger.kind {
            TriggerKind::Outside(words) | TriggerKind::Opaque(words) => {
                json!({"trigger": "event", "event_type": OUTSIDE, "event_data": {"what": words}})
            }
            TriggerKind::State { entities, attribute, from, to, hold, blind } => {
                let mut made = json!({"trigger": "state", "entity_id": entities});
                for (key, not, wanted) in [("from", "not_from", from), ("to", "not_to", to)] {
                    match wanted {
                        Match::Open => {}
                        Match::Any => made[key] = Json::Null,
                        Match::In(values) => made[key] = json!(values),
                        Match::NotIn(values) => made[not] = json!(values),
                    }
                }
                if *blind && *from == Match::Open {
                    made["not_from"] = json!(["unavailable", "unknown"]);
                }
                if let Some(attribute) = attribute {
                    made["attribute"] = json!(attribute);
                }
                if let Some(hold) = hold {
                    made["for"] = of_templated(hold);
                }
                made
            }
            _ => return,
        };
        let mut made = made;
        made["id"] = json!(trigger.id);
        self.parts.insert(trigger.place, made);
    }

    fn condition(&mut self, condition: &Condition) {
        let made = match &condition.kind {
            ConditionKind::And(inner) | ConditionKind::Or(inner) | ConditionKind::Not(inner) => {
                return inner.iter().for_each(|condition| self.condition(condition));
            }
            ConditionKind::Opaque(what) => {
                let yes = self.open.get(what.as_str()).copied().unwrap_or(false);
                json!({"condition": "template", "value_template": if yes { "{{ true }}" } else { "{{ false }}" }})
            }
            ConditionKind::State { entities, any, attribute, states, hold } => {
                let mut made = json!({"condition": "state", "entity_id": entities, "state": states});
                if *any {
                    made["match"] = json!("any");
                }
                if let Some(attribute) = attribute {
                    made["attribute"] = json!(attribute);
                }
                if let Some(hold) = hold {
                    made["for"] = of_templated(hold);
                }
                made
            }
            _ => return,
        };
        self.parts.insert(condition.place, made);
    }

    fn actions(&mut self, actions: &[Action]) {
        for action in actions {
            match &action.kind {
                ActionKind::Call(call) => {
                    let mut targets = Map::new();
                    for target in &call.targets {
                        match target {
                            Target::Entities(entities) => {
                                targets.insert("entity_id".to_owned(), of_templated(entities))
                            }
                            Target::Members(kind, id) => targets.insert(format!("{kind}_id"), json!([id])),
                        };
                    }
                    let data = call.data.iter().map(|(key, value)| (key.clone(), of_templated(value)));
                    let data: Map<String, Json> = data.collect();
                    self.parts.insert(
                        action.place,
                        json!({"action": of_templated(&call.service), "target": targets, "data": data}),
                    );
                }
                ActionKind::Condition(condition) => self.condition(condition),
                ActionKind::WaitTrigger { triggers, .. } => {
                    triggers.iter().for_each(|trigger| self.trigger(trigger));
                }
                ActionKind::Choose { branches, .. } => {
                    branches.iter().flat_map(|(conditions, _)| conditions).for_each(|inner| self.condition(inner));
                }
                ActionKind::If { conditions, .. } => conditions.iter().for_each(|inner| self.condition(inner)),
                _ => {}
            }
            crate::home::inner(&action.kind).into_iter().for_each(|actions| self.actions(actions));
        }
    }
}

/// A node as it was written, but for what is replaced: what only Home Assistant with devices could have.
fn written(node: &Node, replaced: &FxHashMap<Place, Json>) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => json!(value),
        Value::Int(value) => json!(value),
        Value::Float(value) => json!(value),
        Value::Text(text) => json!(text),
        Value::Tag(_, inner) => json!(inner.to_string()),
        Value::List(items) => items.iter().map(|item| written(item, replaced)).collect(),
        Value::Map(entries) => {
            if let Some(other) = replaced.get(&node.place).filter(|_| needs_replacement(node)) {
                return other.clone();
            }
            let entries = entries.iter().map(|(key, value)| (key.to_string(), written(value, replaced)));
            Json::Object(entries.collect())
        }
    }
}

/// Whether a trigger, condition or action is one that Home Assistant without devices and newer than 2025.2 does not have.
fn needs_replacement(node: &Node) -> bool {
    const TRIGGERS: [&str; 7] = ["state", "numeric_state", "template", "time", "time_pattern", "event", "sun"];
    const CONDITIONS: [&str; 9] = ["state", "numeric_state", "template", "time", "sun", "trigger", "and", "or", "not"];
    let word = |keys: &[&str]| node.get_any(keys).and_then(Node::text);
    if node.get("device_id").is_some() && node.get_any(&["domain", "type"]).is_some() {
        return true;
    }
    if let Some(platform) = word(&["platform", "trigger"]) {
        return !TRIGGERS.contains(&platform) && platform != "homeassistant";
    }
    word(&["condition"]).is_some_and(|condition| !CONDITIONS.contains(&condition) && !condition.contains("{{"))
}

fn of_templated(value: &Templated) -> Json {
    match value {
        Templated::Val(value) => of_value(value),
        Templated::Template(template) => json!(template.text),
        Templated::List(items) => items.iter().map(of_templated).collect(),
        Templated::Map(entries) => {
            Json::Object(entries.iter().map(|(key, value)| (key.clone(), of_templated(value))).collect())
        }
    }
}

fn of_value(value: &Val) -> Json {
    match value {
        Val::Bool(value) => json!(value),
        Val::Int(value) => json!(value),
        Val::Span(milliseconds) => json!(seconds(*milliseconds)),
        Val::List(items) => items.iter().map(of_value).collect(),
        Val::Map(entries) => {
            Json::Object(entries.iter().map(|(key, value)| (key.to_string(), of_value(value))).collect())
        }
        Val::None | Val::Undefined => Json::Null,
        other => match other.as_number().filter(|_| !matches!(other, Val::Text(_))) {
            Some(number) => json!(number),
            None => json!(other.to_string()),
        },
    }
}

fn seconds(milliseconds: i64) -> f64 {
    milliseconds as f64 / 1000.0
}
