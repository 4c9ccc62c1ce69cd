//! The whole configuration.
#![allow(missing_docs, reason = "fields and variants are called what Home Assistant calls them")]

use super::ast::Routine;
use super::blueprint::{instance, instantiate};
use super::entities::{self, Derived, Group, HELPERS, Helper, Scene};
use super::expectation::{Expectation, expectations};
use super::files::Files;
use super::include::{Loader, Problem, Source};
use super::registry::Registry;
use super::routine::Reader;
use crate::template::Val;
use crate::words::slug;
use crate::yaml::{Node, Place, Value};
use serde_json::Value as Json;

/// A configuration that was read.
#[derive(Clone, Debug, Default)]
pub struct Configuration {
    /// The files, by the numbers that places have.
    pub sources: Vec<Source>,
    /// Automations, in the order in which Home Assistant sets them up.
    pub automations: Vec<Routine>,
    pub scripts: Vec<Routine>,
    pub helpers: Vec<Helper>,
    pub groups: Vec<Group>,
    pub scenes: Vec<Scene>,
    pub derived: Vec<Derived>,
    pub registry: Registry,
    /// What the owner expects: `mazurka.yaml`.
    pub expectations: Vec<Expectation>,
    /// Automations and scripts that could not be read.
    pub broken: Vec<Broken>,
    /// What else is wrong.
    pub problems: Vec<Problem>,
}

/// An automation or script that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// What it is called.
    pub name: String,
    /// Whether it is a script.
    pub is_script: bool,
    /// Where it stands.
    pub place: Place,
    /// Why it could not be read.
    pub problem: Problem,
}

impl Configuration {
    /// The path of a place's file.
    pub fn path(&self, place: Place) -> &str {
        self.sources.get(place.file.0 as usize).map_or("the configuration", |source| &source.path)
    }

    /// A place for people: `automations.yaml:12`.
    pub fn shown(&self, place: Place) -> String {
        format!("{}:{}", self.path(place), place.line)
    }

    /// The text of a line.
    pub fn line(&self, place: Place) -> &str {
        let source = self.sources.get(place.file.0 as usize);
        source.and_then(|source| source.text.lines().nth(place.line as usize - 1)).unwrap_or("")
    }
}

/// Reads the configuration of a folder, beginning with `configuration.yaml`. Fails only if there is nothing to read.
pub fn read_configuration(files: &mut dyn Files) -> Result<Configuration, Problem> {
    let mut loader = Loader::new(files);
    let Some(root) = loader.file("configuration.yaml", Some(Place::default())) else {
        return Err(loader.problems.into_iter().next().unwrap_or_else(|| {
            Problem::new(Place::default(), "there is no configuration.yaml", "expected the folder of a configuration")
        }));
    };
    let mut parts = Parts::default();
    parts.add(&root, &mut loader.problems);
    let packages = root.get("homeassistant").and_then(|core| core.get("packages"));
    for (name, package) in packages.map(Node::entries).unwrap_or_default() {
        if package.is_map() {
            parts.add(package, &mut loader.problems);
        } else if !package.is_null() {
            let message = format!("the package {name} is {}", package.kind());
            loader.problems.push(Problem::new(
                package.place,
                message,
                "expected a mapping; Home Assistant leaves the package out",
            ));
        }
    }
    let registry = Registry::read(
        loader.plain(".storage/core.entity_registry").as_deref(),
        loader.plain(".storage/core.device_registry").as_deref(),
        loader.plain(".storage/core.area_registry").as_deref(),
    );
    let expectations = expected(&mut loader, EXPECTATIONS)?;
    Ok(Configuration { expectations, ..finish(loader, parts, registry) })
}

/// Reads files by themselves: lists of automations, mappings of scripts, parts of a configuration, blueprints.
pub fn read_files(files: &mut dyn Files, paths: &[String]) -> Result<Configuration, Problem> {
    let mut loader = Loader::new(files);
    let mut parts = Parts::default();
    for path in paths {
        let before = loader.problems.len();
        let Some(node) = loader.file(path, Some(Place::default())) else {
            let problem = loader.problems.drain(before..).next_back();
            return Err(problem.unwrap_or_else(|| {
                Problem::new(Place::default(), format!("there is no file {path}"), "expected a file")
            }));
        };
        if node.get("blueprint").is_some() {
            let is_script = node.get("sequence").is_some();
            let made = instance(&node)?;
            if is_script { parts.scripts.push((slug(path), made)) } else { parts.automations.push(made) }
        } else if let Value::List(items) = &node.value {
            let is_scene = |item: &Node| {
                item.get("entities").is_some() && item.get_any(&["trigger", "triggers", "use_blueprint"]).is_none()
            };
            for item in items {
                if is_scene(item) { parts.scenes.push(item.clone()) } else { parts.automations.push(item.clone()) }
            }
        } else if node.get_any(&["trigger", "triggers"]).is_some()
            && node.get_any(&["action", "actions"]).is_some_and(|node| !node.is_null())
        {
            parts.automations.push(node);
        } else if node.is_map()
            && node.entries().iter().all(|(_, value)| value.get_any(&["sequence", "use_blueprint"]).is_some())
        {
            parts.scripts.extend(node.entries().iter().map(|(name, value)| (name.to_string(), value.clone())));
        } else if node.is_map() {
            parts.add(&node, &mut loader.problems);
        } else {
            let message = format!("{path} is {}", node.kind());
            return Err(Problem::new(
                node.place,
                message,
                "expected automations, scripts, a blueprint or a configuration",
            ));
        }
    }
    let folder =
        paths.first().and_then(|path| path.rsplit_once('/')).map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let expectations = expected(&mut loader, &(folder + EXPECTATIONS))?;
    Ok(Configuration { expectations, ..finish(loader, parts, Registry::default()) })
}

/// The file with what the owner expects.
const EXPECTATIONS: &str = "mazurka.yaml";

/// What the owner expects. A sentence that cannot be read is an error: nobody wants it passed over.
fn expected(loader: &mut Loader<'_>, path: &str) -> Result<Vec<Expectation>, Problem> {
    let before = loader.problems.len();
    let node = loader.file(path, None);
    let problem = loader.problems.drain(before..).next();
    let wrong = |problem: Problem| {
        let line = problem.place.line;
        let message = format!("{path}:{line}: {}", problem.message);
        Problem::new(Place::default(), message, problem.expected)
    };
    match (node, problem) {
        (_, Some(problem)) => Err(wrong(problem)),
        (Some(node), None) => expectations(&node).map_err(wrong),
        (None, None) => Ok(Vec::new()),
    }
}

/// The parts of all packages, by kind.
#[derive(Default)]
struct Parts {
    automations: Vec<Node>,
    scripts: Vec<(String, Node)>,
    scenes: Vec<Node>,
    groups: Vec<(String, Node)>,
    helpers: Vec<(&'static str, String, Node)>,
    templates: Vec<Node>,
    platforms: Vec<(String, Node)>,
}

impl Parts {
    fn add(&mut self, node: &Node, problems: &mut Vec<Problem>) {
        for (key, value) in node.entries() {
            let key = key.to_string();
            let domain = key.split(' ').next().unwrap_or(&key);
            match domain {
                "automation" => self.automations.extend(list_of(value, problems)),
                "scene" => self.scenes.extend(list_of(value, problems)),
                "script" => self.scripts.extend(named(value)),
                "group" => self.groups.extend(named(value)),
                "template" => self.templates.extend(value.items().iter().cloned()),
                "sensor" | "binary_sensor" | "switch" | "light" => {
                    let wanted = value.items().iter().filter(|item| {
                        item.get("platform")
                            .and_then(Node::text)
                            .is_some_and(|platform| platform == "template" || platform == "group")
                    });
                    self.platforms.extend(wanted.map(|item| (domain.to_owned(), item.clone())));
                }
                other => {
                    if let Some(helper) = HELPERS.iter().find(|helper| **helper == other) {
                        self.helpers.extend(named(value).into_iter().map(|(name, node)| (*helper, name, node)));
                    }
                }
            }
        }
    }
}

/// A list; lists in it are its parts, which `!include_dir_list` of lists makes.
fn list_of(node: &Node, problems: &mut Vec<Problem>) -> Vec<Node> {
    let mut items = Vec::new();
    for item in node.items() {
        match &item.value {
            Value::List(inner) => items.extend(inner.iter().cloned()),
            Value::Map(entries) if entries.is_empty() => {}
            Value::Null => {}
            Value::Map(_) => items.push(item.clone()),
            _ => problems.push(Problem::new(
                item.place,
                format!("{} stands in a list of automations or scenes", item.kind()),
                "expected a mapping",
            )),
        }
    }
    items
}

fn named(node: &Node) -> Vec<(String, Node)> {
    let blocks = match &node.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    blocks
        .iter()
        .flat_map(|block| block.entries().iter().map(|(name, value)| (name.to_string(), value.clone())))
        .collect()
}

fn finish(mut loader: Loader<'_>, parts: Parts, registry: Registry) -> Configuration {
    let mut configuration = Configuration::default();
    let name_of =
        |node: &Node, usual: &str| node.get_any(&["alias", "id"]).map_or_else(|| usual.to_owned(), Node::to_string);
    for (number, node) in parts.automations.iter().enumerate() {
        let mut reader = Reader::new(&registry);
        let read = instantiate(node, "automation", &mut loader).and_then(|node| reader.automation(&node, number));
        match read {
            Ok(mut automation) => {
                let same = |known: &Routine, entity: &str| known.entity == entity;
                let base = automation.entity.clone();
                let mut twin = 2;
                while configuration.automations.iter().any(|known| same(known, &automation.entity)) {
                    automation.entity = format!("{base}_{twin}");
                    twin += 1;
                }
                configuration.automations.push(automation);
            }
            Err(problem) => {
                let name = name_of(node, &format!("automation {number}"));
                configuration.broken.push(Broken { name, is_script: false, place: node.place, problem });
            }
        }
    }
    for (object, node) in &parts.scripts {
        let mut reader = Reader::new(&registry);
        match instantiate(node, "script", &mut loader).and_then(|node| reader.script(object, &node)) {
            Ok(script) => configuration.scripts.push(script),
            Err(problem) => configuration.broken.push(Broken {
                name: name_of(node, object),
                is_script: true,
                place: node.place,
                problem,
            }),
        }
    }
    let mut reader = Reader::new(&registry);
    let mut problems = Vec::new();
    for block in &parts.templates {
        reader.template_block(block, &mut configuration.derived, &mut problems);
    }
    for (domain, node) in &parts.platforms {
        match node.get("platform").and_then(Node::text) {
            Some("group") => {
                let name =
                    node.get_any(&["name", "unique_id"]).map_or_else(|| format!("{domain} group"), Node::to_string);
                let group = entities::group(&slug(&name), node);
                configuration.groups.push(Group { entity: format!("{domain}.{}", slug(&name)), ..group });
            }
            _ => reader.template_platform(domain, node, &mut configuration.derived, &mut problems),
        }
    }
    configuration.helpers =
        parts.helpers.iter().map(|(domain, name, node)| entities::helper(domain, name, node)).collect();
    configuration.groups.extend(parts.groups.iter().map(|(name, node)| entities::group(name, node)));
    configuration.scenes = parts.scenes.iter().filter_map(entities::scene).collect();
    stored_helpers(&mut loader, &mut configuration.helpers);
    problems.splice(0..0, std::mem::take(&mut loader.problems));
    Configuration { sources: loader.sources, registry, problems, ..configuration }
}

/// The helpers that were made in the user interface.
fn stored_helpers(loader: &mut Loader<'_>, helpers: &mut Vec<Helper>) {
    for domain in HELPERS {
        let Some(text) = loader.plain(&format!(".storage/{domain}")) else { continue };
        let Ok(json) = serde_json::from_str::<Json>(&text) else { continue };
        for item in json.pointer("/data/items").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default() {
            let word = |key: &str| item.get(key).and_then(Json::as_str).map(str::to_owned);
            let number = |key: &str| item.get(key).and_then(Json::as_f64);
            let Some(object) = word("id").or_else(|| word("name").map(|name| slug(&name))) else { continue };
            let entity = format!("{domain}.{object}");
            if helpers.iter().any(|helper| helper.entity == entity) {
                continue;
            }
            let options = item.get("options").and_then(Json::as_array).map(Vec::as_slice).unwrap_or_default();
            helpers.push(Helper {
                entity,
                place: None,
                initial: item.get("initial").and_then(|initial| match initial {
                    Json::Bool(on) => Some(if *on { "on" } else { "off" }.to_owned()),
                    Json::String(text) => Some(text.clone()),
                    Json::Number(number) => Some(number.to_string()),
                    _ => None,
                }),
                options: options.iter().filter_map(Json::as_str).map(str::to_owned).collect(),
                range: match domain {
                    "input_number" => Some((
                        number("min").unwrap_or(0.0),
                        number("max").unwrap_or(100.0),
                        number("step").unwrap_or(1.0),
                    )),
                    "counter" => Some((
                        number("minimum").unwrap_or(f64::NEG_INFINITY),
                        number("maximum").unwrap_or(f64::INFINITY),
                        number("step").unwrap_or(1.0),
                    )),
                    _ => None,
                },
                duration: item
                    .get("duration")
                    .and_then(|duration| crate::duration::of_value(&duration_value(duration))),
            });
        }
    }
}

fn duration_value(json: &Json) -> Val {
    crate::template::from_json(json)
}
