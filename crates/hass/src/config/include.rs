//! Files and the tags that join them: `!include` and its kin, `!secret`, `!env_var`. `!input` is left to blueprints.

use super::files::{Files, beside};
use crate::yaml::{self, FileId, MOST_NODES, Node, Place, Value};
use rustc_hash::FxHashMap;

/// Something that is wrong with a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What.
    pub message: String,
    /// What was expected, or what Home Assistant does about it.
    pub expected: String,
}

impl Problem {
    /// A problem at a place.
    pub fn new(place: Place, message: impl Into<String>, expected: impl Into<String>) -> Self {
        Problem { place, message: message.into(), expected: expected.into() }
    }
}

/// A file that was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// Its path below the folder.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// How deep files may include each other.
const MOST_INCLUDES: usize = 20;

/// The most files of a configuration.
const MOST_FILES: usize = 20_000;

pub(super) struct Loader<'f> {
    files: &'f mut dyn Files,
    pub(super) sources: Vec<Source>,
    pub(super) problems: Vec<Problem>,
    secrets: FxHashMap<String, Option<Node>>,
    /// The files that are being read, each included by the one before.
    open: Vec<String>,
    spare: usize,
}

impl<'f> Loader<'f> {
    pub(super) fn new(files: &'f mut dyn Files) -> Self {
        Loader {
            files,
            sources: Vec::new(),
            problems: Vec::new(),
            secrets: FxHashMap::default(),
            open: Vec::new(),
            spare: MOST_NODES,
        }
    }

    fn complain(&mut self, place: Place, message: impl Into<String>, expected: impl Into<String>) {
        self.problems.push(Problem::new(place, message, expected));
    }

    pub(super) fn list(&mut self, folder: &str) -> Option<Vec<(String, bool)>> {
        self.files.list(folder).ok().flatten()
    }

    /// A file as text, which is not part of the sources.
    pub(super) fn plain(&mut self, path: &str) -> Option<String> {
        self.files.read(path).ok().flatten()
    }

    /// Reads a file with everything that it includes. Without a place a file that is not there is no problem.
    pub(super) fn file(&mut self, path: &str, from: Option<Place>) -> Option<Node> {
        if self.open.iter().any(|open| open == path) {
            self.complain(
                from.unwrap_or_default(),
                format!("{path} includes itself"),
                "expected files that come to an end",
            );
            return None;
        }
        if self.open.len() >= MOST_INCLUDES || self.sources.len() >= MOST_FILES {
            let expected =
                format!("expected at most {MOST_INCLUDES} files inside of each other, and {MOST_FILES} in all");
            self.complain(from.unwrap_or_default(), format!("{path} is one file too many"), expected);
            return None;
        }
        let text = match self.files.read(path) {
            Ok(Some(text)) => text,
            Ok(None) => {
                if let Some(place) = from {
                    self.complain(place, format!("there is no file {path}"), "expected a file of the configuration");
                }
                return None;
            }
            Err(why) => {
                self.complain(from.unwrap_or_default(), format!("{path}: {why}"), "expected a file that can be read");
                return None;
            }
        };
        let id = FileId(self.sources.len() as u32);
        let parsed = yaml::parse(id, &text, &mut self.spare);
        self.sources.push(Source { path: path.to_owned(), text });
        let (node, doubles) = match parsed {
            Ok(parsed) => parsed,
            Err(error) => {
                self.complain(
                    error.place,
                    format!("this is no YAML: {}", error.message),
                    "expected YAML; the file is left out",
                );
                return None;
            }
        };
        for (place, key) in doubles {
            self.complain(
                place,
                format!("the key `{key}` stands here a second time"),
                "Home Assistant takes the last one",
            );
        }
        self.open.push(path.to_owned());
        let node = self.resolve(node, path);
        self.open.pop();
        Some(node)
    }

    /// Resolves the tags of a node.
    fn resolve(&mut self, node: Node, path: &str) -> Node {
        let Node { place, value } = node;
        let value = match value {
            Value::List(items) => Value::List(items.into_iter().map(|item| self.resolve(item, path)).collect()),
            Value::Map(entries) => {
                Value::Map(entries.into_iter().map(|(key, value)| (key, self.resolve(value, path))).collect())
            }
            Value::Tag(tag, inner) => return self.tagged(&tag, *inner, place, path),
            value => value,
        };
        Node { place, value }
    }

    fn tagged(&mut self, tag: &str, inner: Node, place: Place, path: &str) -> Node {
        let node = |value: Value| Node { place, value };
        let argument = inner.to_string();
        match tag {
            "include" => {
                let Some(target) = self.target(path, &argument, place) else { return node(Value::Null) };
                match self.file(&target, Some(place)) {
                    Some(Node { value: Value::Null, place }) => Node { place, value: Value::Map(Vec::new()) },
                    Some(included) => included,
                    None => node(Value::Map(Vec::new())),
                }
            }
            "include_dir_list" => {
                let files = self.folder(path, &argument, place);
                let nodes = files.iter().filter_map(|file| self.file(file, Some(place)));
                let nodes: Vec<Node> = nodes.filter(|node| !node.is_null()).collect();
                node(Value::List(nodes))
            }
            "include_dir_merge_list" => {
                let files = self.folder(path, &argument, place);
                let mut items = Vec::new();
                for file in files {
                    match self.file(&file, Some(place)) {
                        Some(Node { value: Value::List(more), .. }) => items.extend(more),
                        Some(other) if !other.is_null() => {
                            self.complain(
                                other.place,
                                format!("{file} is {}", other.kind()),
                                "expected a list; Home Assistant leaves the file out",
                            );
                        }
                        _ => {}
                    }
                }
                node(Value::List(items))
            }
            "include_dir_named" => {
                let files = self.folder(path, &argument, place);
                let mut entries = Vec::new();
                for file in files {
                    let name = file.rsplit('/').next().unwrap_or(&file).trim_end_matches(".yaml").to_owned();
                    let value = self.file(&file, Some(place)).unwrap_or_else(|| node(Value::Map(Vec::new())));
                    let value = if value.is_null() { Node { value: Value::Map(Vec::new()), ..value } } else { value };
                    entries.push((Node::new(value.place, Value::Text(name)), value));
                }
                node(Value::Map(entries))
            }
            "include_dir_merge_named" => {
                let files = self.folder(path, &argument, place);
                let mut entries: Vec<(Node, Node)> = Vec::new();
                for file in files {
                    let Some(read) = self.file(&file, Some(place)) else { continue };
                    for (key, value) in read.entries() {
                        match entries.iter_mut().find(|(known, _)| known.value == key.value) {
                            Some(known) => *known = (key.clone(), value.clone()),
                            None => entries.push((key.clone(), value.clone())),
                        }
                    }
                }
                node(Value::Map(entries))
            }
            "secret" => self.secret(&argument, path).map_or_else(
                || node(Value::Text(format!("<secret {argument}>"))),
                |value| Node { place, value: value.value },
            ),
            "env_var" => {
                let mut words = argument.splitn(2, ' ');
                let name = words.next().unwrap_or("");
                let default = words.next().map(str::to_owned);
                node(Value::Text(default.unwrap_or_else(|| format!("<environment {name}>"))))
            }
            // Blueprints replace their inputs; what is unknown stays as it is.
            _ => node(Value::Tag(tag.to_owned(), Box::new(self.resolve(inner, path)))),
        }
    }

    fn target(&mut self, path: &str, argument: &str, place: Place) -> Option<String> {
        let target = beside(path, argument);
        if target.is_none() {
            self.complain(
                place,
                format!("{argument} lies outside of the folder"),
                "expected a path inside of the configuration's folder",
            );
        }
        target
    }

    /// The `.yaml` files below a folder, in Home Assistant's order: those of a folder by name, then those of its folders.
    fn folder(&mut self, path: &str, argument: &str, place: Place) -> Vec<String> {
        let Some(target) = self.target(path, argument, place) else { return Vec::new() };
        let mut files = Vec::new();
        if self.list(&target).is_none() {
            self.complain(place, format!("there is no folder {target}"), "expected a folder of the configuration");
        }
        self.below(&target, &mut files, 0);
        files
    }

    fn below(&mut self, folder: &str, files: &mut Vec<String>, depth: usize) {
        if depth > MOST_INCLUDES || files.len() > MOST_FILES {
            return;
        }
        let mut names = self.list(folder).unwrap_or_default();
        names.retain(|(name, _)| !name.starts_with('.'));
        names.sort();
        let join = |name: &str| if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        for (name, is_folder) in &names {
            if !is_folder && name.ends_with(".yaml") && name != "secrets.yaml" {
                files.push(join(name));
            }
        }
        for (name, is_folder) in &names {
            if *is_folder {
                self.below(&join(name), files, depth + 1);
            }
        }
    }

    /// A secret: from the file beside, or from one of those above.
    fn secret(&mut self, name: &str, path: &str) -> Option<Node> {
        let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        loop {
            let file = if folder.is_empty() { "secrets.yaml".to_owned() } else { format!("{folder}/secrets.yaml") };
            if !self.secrets.contains_key(&file) {
                let text = self.files.read(&file).ok().flatten();
                // Secrets are no part of what reports show.
                let read = text.and_then(|text| yaml::parse(FileId(u32::MAX), &text, &mut self.spare).ok());
                self.secrets.insert(file.clone(), read.map(|(node, _)| node));
            }
            if let Some(Some(node)) =
                self.secrets.get(&file).map(|secrets| secrets.as_ref().map(|secrets| secrets.get(name).cloned()))
                && node.is_some()
            {
                return node;
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        }
    }
}
