//! Blueprints: an automation whose inputs are filled in.

use super::include::{Loader, Problem};
use crate::yaml::{Node, Place, Value};

/// The inputs of a blueprint, those of sections among them: name, and what is said about it.
pub(super) fn inputs(blueprint: &Node) -> Vec<(String, Node)> {
    fn collect(node: &Node, into: &mut Vec<(String, Node)>, depth: usize) {
        for (name, about) in node.entries() {
            match about.get("input") {
                Some(section) if depth < 3 && section.is_map() => collect(section, into, depth + 1),
                _ => into.push((name.to_string(), about.clone())),
            }
        }
    }
    let mut found = Vec::new();
    if let Some(input) = blueprint.get("blueprint").and_then(|head| head.get("input")) {
        collect(input, &mut found, 0);
    }
    found
}

/// The automation that a use of a blueprint stands for; nothing changes for one that uses none.
pub(super) fn instantiate(node: &Node, domain: &str, loader: &mut Loader<'_>) -> Result<Node, Problem> {
    let Some(usage) = node.get("use_blueprint") else { return Ok(node.clone()) };
    let Some(path) = usage.get("path").and_then(Node::text) else {
        return Err(Problem::new(usage.place, "the blueprint has no path", "expected `path:`"));
    };
    let clean: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    if clean.contains(&"..") || path.starts_with('/') {
        return Err(Problem::new(
            usage.place,
            format!("{path} lies outside of the folder"),
            "expected a path below blueprints",
        ));
    }
    let file = format!("blueprints/{domain}/{}", clean.join("/"));
    let before = loader.problems.len();
    let Some(blueprint) = loader.file(&file, Some(usage.place)) else {
        let problem = loader.problems.drain(before..).next_back();
        return Err(problem.unwrap_or_else(|| {
            Problem::new(usage.place, format!("there is no blueprint {file}"), "expected a file of the configuration")
        }));
    };
    let given = usage.get("input");
    let mut values = Vec::new();
    let mut missing = Vec::new();
    for (name, about) in inputs(&blueprint) {
        match given.and_then(|given| given.get(&name)).or_else(|| about.get("default")) {
            Some(value) => values.push((name, value.clone())),
            None => missing.push(name),
        }
    }
    if let Some(name) = missing.first() {
        let expected = "expected a value under `input:`, since the blueprint has no default";
        return Err(Problem::new(
            usage.place,
            format!("the input `{name}` of the blueprint {path} is not given"),
            expected,
        ));
    }
    let filled = fill(&blueprint, &values)?;
    let Value::Map(entries) = filled.value else {
        return Err(Problem::new(filled.place, format!("the blueprint is {}", filled.kind()), "expected a mapping"));
    };
    // What the automation says itself comes first.
    let mut merged: Vec<(Node, Node)> =
        node.entries().iter().filter(|(key, _)| key.text() != Some("use_blueprint")).cloned().collect();
    for (key, value) in entries {
        if key.text() != Some("blueprint") && !merged.iter().any(|(known, _)| known.value == key.value) {
            merged.push((key, value));
        }
    }
    Ok(Node::new(node.place, Value::Map(merged)))
}

/// Replaces inputs by their values.
fn fill(node: &Node, values: &[(String, Node)]) -> Result<Node, Problem> {
    let value = match &node.value {
        Value::Tag(tag, inner) if tag == "input" => {
            let name = inner.to_string();
            return match values.iter().find(|(known, _)| *known == name) {
                Some((_, value)) => Ok(value.clone()),
                None => Err(Problem::new(
                    node.place,
                    format!("the blueprint has no input `{name}`"),
                    "expected an input that its head names",
                )),
            };
        }
        Value::List(items) => Value::List(items.iter().map(|item| fill(item, values)).collect::<Result<_, _>>()?),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| Ok((key.clone(), fill(value, values)?)));
            Value::Map(entries.collect::<Result<_, Problem>>()?)
        }
        other => other.clone(),
    };
    Ok(Node::new(node.place, value))
}

/// One instance of a blueprint that is given by itself: entities are named after their inputs, numbers take their default or
/// the middle of what can be chosen, actions do nothing.
pub(super) fn instance(blueprint: &Node) -> Result<Node, Problem> {
    let values: Vec<(String, Node)> =
        inputs(blueprint).into_iter().map(|(name, about)| (name.clone(), stand_in(&name, &about))).collect();
    let filled = fill(blueprint, &values)?;
    let name = blueprint.get("blueprint").and_then(|head| head.get("name")).cloned();
    let mut entries: Vec<(Node, Node)> =
        filled.entries().iter().filter(|(key, _)| key.text() != Some("blueprint")).cloned().collect();
    if let Some(name) = name.filter(|_| filled.get("alias").is_none()) {
        entries.push((Node::new(name.place, Value::Text("alias".to_owned())), name));
    }
    Ok(Node::new(filled.place, Value::Map(entries)))
}

fn stand_in(name: &str, about: &Node) -> Node {
    let place = about.place;
    let text = |text: String| Node::new(place, Value::Text(text));
    if let Some(default) = about.get("default")
        && !is_empty(default)
    {
        return default.clone();
    }
    let selector = about.get("selector");
    let kind = selector.and_then(|selector| selector.entries().first()).map(|(key, value)| (key.to_string(), value));
    let object = crate::words::slug(name);
    let entity =
        |about: &Node, usual: &str| format!("{}.{object}", domain_of(about).unwrap_or_else(|| usual.to_owned()));
    match kind {
        Some((kind, about)) => match kind.as_str() {
            "entity" if about.get("multiple").is_some_and(|node| node.value == Value::Bool(true)) => {
                Node::new(place, Value::List(vec![text(entity(about, "entity"))]))
            }
            "entity" => text(entity(about, "entity")),
            "target" => {
                let name =
                    about.get("entity").map_or_else(|| format!("light.{object}"), |inner| entity(inner, "light"));
                Node::new(place, Value::Map(vec![(text("entity_id".to_owned()), text(name))]))
            }
            "number" => {
                let bound = |key: &str, usual: i64| match about.get(key).map(|node| &node.value) {
                    Some(Value::Int(number)) => *number,
                    Some(Value::Float(number)) => *number as i64,
                    _ => usual,
                };
                let (low, high) = (bound("min", 0), bound("max", 100));
                Node::new(place, Value::Int(low + (high - low) / 2))
            }
            "boolean" => Node::new(place, Value::Bool(true)),
            "select" => match about.get("options").map(Node::items).and_then(<[Node]>::first) {
                Some(option) => option.get("value").unwrap_or(option).clone(),
                None => text(String::new()),
            },
            "duration" => Node::new(place, Value::Int(60)),
            "time" => text("12:00:00".to_owned()),
            "action" | "condition" | "trigger" => Node::new(place, Value::List(Vec::new())),
            "device" => text(format!("device_{object}")),
            "area" | "floor" | "label" => text(object),
            // A text that names what is called.
            _ if name.contains("service") => text(format!("notify.{object}")),
            _ => text(object),
        },
        None => text(object),
    }
    .at(place)
}

fn is_empty(node: &Node) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

fn domain_of(about: &Node) -> Option<String> {
    let filter = about.get("filter").and_then(|filter| filter.items().first());
    let domain = about.get("domain").or_else(|| filter.and_then(|filter| filter.get("domain")))?;
    domain.items().first().map(Node::to_string)
}

impl Node {
    fn at(mut self, place: Place) -> Node {
        self.place = place;
        self
    }
}
