//! Helpers, groups, scenes and template entities.
#![allow(missing_docs, reason = "fields and variants are called what Home Assistant calls them")]

use super::include::Problem;
use super::routine::{Reader, fixed};
use crate::duration;
use crate::template::{Template, Val};
use crate::words::slug;
use crate::yaml::{Node, Place, Value};
use std::sync::Arc;

/// An entity that lives in Home Assistant itself: an `input_boolean`, a `timer` and the like.
#[derive(Clone, Debug, PartialEq)]
pub struct Helper {
    pub entity: String,
    pub place: Option<Place>,
    /// What it is at the start, if that is said.
    pub initial: Option<String>,
    /// The options of an `input_select`.
    pub options: Vec<String>,
    /// The range and step of a number.
    pub range: Option<(f64, f64, f64)>,
    /// The milliseconds of a `timer`.
    pub duration: Option<i64>,
}

/// A group.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub entity: String,
    pub place: Place,
    pub members: Vec<String>,
    /// Whether it is on only if all members are.
    pub all: bool,
}

impl Group {
    /// What it says when it is on, and when it is off: as its members do, if they all say the same.
    pub(crate) fn words(&self) -> (&'static str, &'static str) {
        let of = |member: &String| match member.split('.').next().unwrap_or("") {
            "person" | "device_tracker" => ("home", "not_home"),
            "cover" => ("open", "closed"),
            "lock" => ("unlocked", "locked"),
            _ => ("on", "off"),
        };
        let mut words = self.members.iter().map(of);
        let first = words.next().unwrap_or(("on", "off"));
        if words.all(|other| other == first) { first } else { ("on", "off") }
    }
}

/// An entity of a scene with its state and attributes.
pub(super) type SceneState = (String, String, Vec<(String, Val)>);

/// A scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    pub entity: String,
    pub place: Place,
    /// Entities with their states and attributes.
    pub states: Vec<SceneState>,
}

/// An entity whose state is a template.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    pub entity: String,
    pub place: Place,
    pub state: Arc<Template>,
}

/// The domains of helpers.
pub(super) const HELPERS: [&str; 9] = [
    "input_boolean",
    "input_number",
    "input_select",
    "input_text",
    "input_datetime",
    "input_button",
    "timer",
    "counter",
    "schedule",
];

pub(super) fn helper(domain: &str, object: &str, node: &Node) -> Helper {
    let number = |key: &str| node.get(key).and_then(|node| fixed(node).as_number());
    let entity = format!("{domain}.{object}");
    let initial = node.get("initial").filter(|node| !node.is_null()).map(|node| match &node.value {
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        _ => node.to_string(),
    });
    let range = match domain {
        "input_number" => {
            Some((number("min").unwrap_or(0.0), number("max").unwrap_or(100.0), number("step").unwrap_or(1.0)))
        }
        "counter" => Some((
            number("minimum").unwrap_or(f64::NEG_INFINITY),
            number("maximum").unwrap_or(f64::INFINITY),
            number("step").unwrap_or(1.0),
        )),
        _ => None,
    };
    let options = node.get("options").map(Node::items).unwrap_or_default().iter().map(Node::to_string).collect();
    let duration = node.get("duration").and_then(|node| duration::of_value(&fixed(node)));
    Helper { entity, place: Some(node.place), initial, options, range, duration }
}

pub(super) fn group(object: &str, node: &Node) -> Group {
    let members = node.get("entities").unwrap_or(node);
    let names = members.items().iter().filter_map(Node::text).flat_map(|text| text.split(','));
    let members = names.map(|name| name.trim().to_lowercase()).filter(|name| name.contains('.')).collect();
    let all = node.get("all").is_some_and(|all| all.value == Value::Bool(true));
    Group { entity: format!("group.{object}"), place: node.place, members, all }
}

pub(super) fn scene(node: &Node) -> Option<Scene> {
    let name = node.get("name").or_else(|| node.get("id"))?.to_string();
    let mut states = Vec::new();
    for (entity, value) in node.get("entities").map(Node::entries).unwrap_or_default() {
        let shown = |node: &Node| match &node.value {
            Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
            _ => node.to_string(),
        };
        let (state, attributes) = match value.get("state") {
            Some(state) => {
                let others = value.entries().iter().filter(|(key, _)| key.text() != Some("state"));
                (shown(state), others.map(|(key, value)| (key.to_string(), fixed(value))).collect())
            }
            None if value.is_map() => continue,
            None => (shown(value), Vec::new()),
        };
        states.push((entity.to_string().to_lowercase(), state, attributes));
    }
    Some(Scene { entity: format!("scene.{}", slug(&name)), place: node.place, states })
}

impl Reader<'_> {
    /// The entities of a block of `template:`, new spelling; those with triggers are left to the environment.
    pub(super) fn template_block(&mut self, node: &Node, into: &mut Vec<Derived>, problems: &mut Vec<Problem>) {
        if node.get_any(&["trigger", "triggers"]).is_some() {
            return;
        }
        for domain in ["sensor", "binary_sensor", "switch", "light", "number", "select"] {
            for item in node.get(domain).map(Node::items).unwrap_or_default() {
                let name = item
                    .get("default_entity_id")
                    .map(Node::to_string)
                    .and_then(|id| id.split_once('.').map(|(_, object)| object.to_owned()));
                let Some(name) = name.or_else(|| item.get_any(&["name", "unique_id"]).map(Node::to_string)) else {
                    continue;
                };
                self.derived(domain, &name, item.get("state"), item.place, into, problems);
            }
        }
    }

    /// The entities of a `platform: template` in the old spelling.
    pub(super) fn template_platform(
        &mut self,
        domain: &str,
        node: &Node,
        into: &mut Vec<Derived>,
        problems: &mut Vec<Problem>,
    ) {
        let key = if domain == "binary_sensor" || domain == "sensor" { "sensors" } else { "switches" };
        for (name, item) in node.get(key).map(Node::entries).unwrap_or_default() {
            self.derived(domain, &name.to_string(), item.get("value_template"), item.place, into, problems);
        }
    }

    fn derived(
        &mut self,
        domain: &str,
        name: &str,
        state: Option<&Node>,
        place: Place,
        into: &mut Vec<Derived>,
        problems: &mut Vec<Problem>,
    ) {
        let Some(state) = state else { return };
        match self.template(&state.to_string(), state.place, false) {
            Ok(template) => into.push(Derived { entity: format!("{domain}.{}", slug(name)), place, state: template }),
            Err(problem) => problems.push(problem),
        }
    }
}
