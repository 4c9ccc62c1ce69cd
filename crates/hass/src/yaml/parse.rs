//! From text to a tree.

use super::scalar::plain;
use super::{FileId, MOST_DEPTH, MOST_NODES, Node, Place, Value};
use rustc_hash::FxHashMap;
use saphyr_parser::{Event, Parser, ScalarStyle, Span, Tag};

/// Why a text is no YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub message: String,
}

/// Keys that stand twice in one mapping: where the second one is, and the key.
pub(super) type Doubles = Vec<(Place, String)>;

/// Reads the first document of a text; nothing at all is `null`. `spare` is how many nodes may still be made.
pub fn parse(file: FileId, text: &str, spare: &mut usize) -> Result<(Node, Doubles), YamlError> {
    let before = *spare;
    let mut mended: Option<String> = None;
    for _ in 0..MOST_MENDED {
        *spare = before;
        match read(file, mended.as_deref().unwrap_or(text), spare) {
            Err(error) if error.message.contains("invalid indentation in quoted scalar") => {
                let again = indented(mended.as_deref().unwrap_or(text), error.place);
                mended = Some(again.ok_or(error)?);
            }
            other => return other,
        }
    }
    *spare = before;
    read(file, text, spare)
}

/// How many quoted texts of a file may have to be indented.
const MOST_MENDED: usize = 50;

/// A quoted text may go on in lines that are indented less than YAML 1.2 wants: PyYAML takes them. Here these lines are moved
/// to the right, up to the closing quote. Lines stay lines, so places stay right.
fn indented(text: &str, opening: Place) -> Option<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let start = (opening.line as usize).checked_sub(1)?;
    let quote = lines.get(start)?.chars().nth(opening.column as usize - 1)?;
    let closes = |line: &str| line.replace("\\\\", "").replace("\\\"", "").matches(quote).count() % 2 == 1;
    let before = text.len();
    for line in lines.iter_mut().skip(start + 1) {
        *line = format!("{}{}", " ".repeat(opening.column as usize), line.trim_start());
        if closes(line) {
            break;
        }
    }
    let mended = lines.join("\n") + "\n";
    (mended.len() > before).then_some(mended)
}

/// What is being built: a list, or a mapping with the key that waits for its value.
struct Open {
    place: Place,
    anchor: usize,
    tag: Option<String>,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map(Vec<(Node, Node)>, Option<Node>),
}

struct TreeBuilder<'s> {
    file: FileId,
    spare: &'s mut usize,
    open: Vec<Open>,
    anchors: FxHashMap<usize, (Node, usize)>,
    doubles: Doubles,
    root: Option<Node>,
}

fn read(file: FileId, text: &str, spare: &mut usize) -> Result<(Node, Doubles), YamlError> {
    let mut builder =
        TreeBuilder { file, spare, open: Vec::new(), anchors: FxHashMap::default(), doubles: Vec::new(), root: None };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let mark = error.marker();
            let place = Place { file, line: mark.line() as u32, column: mark.col() as u32 + 1 };
            YamlError { place, message: error.info().to_owned() }
        })?;
        if let Event::DocumentEnd = event {
            break;
        }
        builder.take(event, span)?;
    }
    let nothing = Node::new(Place { file, line: 1, column: 1 }, Value::Null);
    Ok((builder.root.unwrap_or(nothing), builder.doubles))
}

impl TreeBuilder<'_> {
    fn error(&self, place: Place, message: impl Into<String>) -> YamlError {
        YamlError { place, message: message.into() }
    }

    fn spend(&mut self, nodes: usize, place: Place) -> Result<(), YamlError> {
        match self.spare.checked_sub(nodes) {
            Some(left) => {
                *self.spare = left;
                Ok(())
            }
            None => {
                Err(self.error(place, format!("with its aliases, the configuration has more than {MOST_NODES} values")))
            }
        }
    }

    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), YamlError> {
        let place = Place { file: self.file, line: span.start.line() as u32, column: span.start.col() as u32 + 1 };
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.spend(1, place)?;
                let value = match (style, &tag) {
                    (_, Some(tag)) if core_tag(tag, "str") => Value::Text(text.into_owned()),
                    (ScalarStyle::Plain, _) => plain(&text),
                    _ => Value::Text(text.into_owned()),
                };
                let node = tagged(Node::new(place, value), tag.as_deref().and_then(own_tag));
                self.add(node, anchor)
            }
            Event::Alias(anchor) => {
                let Some((node, size)) = self.anchors.get(&anchor) else {
                    return Err(self.error(place, "an alias stands inside of what it is an alias of"));
                };
                let (node, size) = (node, *size);
                // Whether there is room has to be known before the copy is made.
                if size > *self.spare {
                    return self.spend(size, place);
                }
                let node = node.clone();
                self.spend(size, place)?;
                self.add(node, 0)
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(place, anchor, tag.as_deref().and_then(own_tag), Content::List(Vec::new()))
            }
            Event::MappingStart(anchor, tag) => {
                self.begin(place, anchor, tag.as_deref().and_then(own_tag), Content::Map(Vec::new(), None))
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { place, anchor, tag, content }) = self.open.pop() else { return Ok(()) };
                let value = match content {
                    Content::List(items) => Value::List(items),
                    Content::Map(entries, _) => Value::Map(self.merge(entries)?),
                };
                self.add(tagged(Node::new(place, value), tag), anchor)
            }
            _ => Ok(()),
        }
    }

    fn begin(&mut self, place: Place, anchor: usize, tag: Option<String>, content: Content) -> Result<(), YamlError> {
        self.spend(1, place)?;
        if self.open.len() >= MOST_DEPTH {
            return Err(self.error(place, format!("values are nested more than {MOST_DEPTH} deep")));
        }
        self.open.push(Open { place, anchor, tag, content });
        Ok(())
    }

    fn add(&mut self, node: Node, anchor: usize) -> Result<(), YamlError> {
        if anchor > 0 {
            let size = node.size();
            self.spend(size, node.place)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        match self.open.last_mut().map(|open| &mut open.content) {
            None => self.root = Some(node),
            Some(Content::List(items)) => items.push(node),
            Some(Content::Map(entries, key)) => match key.take() {
                None => *key = Some(node),
                Some(key) => entries.push((key, node)),
            },
        }
        Ok(())
    }

    /// Resolves merge keys (`<<`), and of keys that stand twice takes the last one, as PyYAML does.
    fn merge(&mut self, entries: Vec<(Node, Node)>) -> Result<Vec<(Node, Node)>, YamlError> {
        let mut merged: Vec<(Node, Node)> = Vec::with_capacity(entries.len());
        let mut places: FxHashMap<String, usize> = FxHashMap::default();
        let (inherited, own): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(key, _)| key.text() == Some("<<"));
        for (key, value) in own {
            let name = key.to_string();
            match places.get(&name) {
                Some(&at) => {
                    self.doubles.push((key.place, name));
                    merged[at] = (key, value);
                }
                None => {
                    places.insert(name, merged.len());
                    merged.push((key, value));
                }
            }
        }
        for (_, value) in inherited {
            for source in value.items() {
                if !source.is_map() {
                    return Err(self.error(source.place, "what is merged with `<<` is no mapping"));
                }
                for (key, value) in source.entries() {
                    let name = key.to_string();
                    if let std::collections::hash_map::Entry::Vacant(e) = places.entry(name) {
                        e.insert(merged.len());
                        merged.push((key.clone(), value.clone()));
                    }
                }
            }
        }
        Ok(merged)
    }
}

fn tagged(node: Node, tag: Option<String>) -> Node {
    match tag {
        Some(tag) => Node::new(node.place, Value::Tag(tag, Box::new(node))),
        None => node,
    }
}

fn core_tag(tag: &Tag, name: &str) -> bool {
    tag.is_yaml_core_schema() && tag.suffix == name
}

/// The name of a tag that is not one of YAML's own.
fn own_tag(tag: &Tag) -> Option<String> {
    (!tag.is_yaml_core_schema() && !tag.suffix.is_empty()).then(|| tag.suffix.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Node, Doubles), YamlError> {
        parse(FileId(0), text, &mut 10_000)
    }

    #[test]
    fn a_tree_has_places_tags_and_merged_keys() {
        let text = "base: &b {x: 1, y: 2}\nuse:\n  <<: *b\n  y: on\nfile: !include a.yaml\nuse: 3\nuse:\n  - *b\n";
        let (node, doubles) = read(text).expect("it is YAML");
        assert_eq!(node.to_string(), "{base: {x: 1, y: 2}, use: [{x: 1, y: 2}], file: !include a.yaml}");
        assert_eq!(node.get("file").map(|node| (node.place.line, node.place.column)), Some((5, 7)));
        assert_eq!(
            doubles.iter().map(|(place, key)| (place.line, key.as_str())).collect::<Vec<_>>(),
            [(6, "use"), (7, "use")]
        );
        let (node, _) = read("a: &b {x: 1, y: 2}\nc:\n  <<: *b\n  y: on\n").expect("it is YAML");
        assert_eq!(node.get("c").map(Node::to_string).as_deref(), Some("{y: True, x: 1}"));
    }

    #[test]
    fn bombs_are_refused() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..12 {
            let before = format!("*a{},", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{before}]\n");
        }
        let error = read(&bomb).expect_err("it is too large");
        assert!(error.message.contains("more than 2000000 values"), "{error:?}");
        let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(read(&deep).is_err());
        assert!(read("a: &a [*a]\n").is_err());
        assert!(read("a: 'b").is_err());
        assert!(read("a: 1\n b: 2\n").is_err_and(|error| error.place.line == 2));
    }

    #[test]
    fn a_quoted_text_may_be_indented_too_little() {
        let (node, _) = read("a:\n  b: \"one\n two\"\nc: 1\n").expect("PyYAML takes it");
        assert_eq!(node.to_string(), "{a: {b: one two}, c: 1}");
        let (node, _) = read("a:\n  b: \"one\ntwo\"\nc: 1\n").expect("PyYAML takes it");
        assert_eq!(node.to_string(), "{a: {b: one two}, c: 1}");
    }
}
