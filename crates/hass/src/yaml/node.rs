//! A tree of YAML with places.

use std::fmt;

/// A file of a configuration, by its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// Where a node stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// A node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub place: Place,
    /// What it is.
    pub value: Value,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`, `~` or nothing at all.
    Null,
    /// `true`, `on`, `yes` and their opposites, without quotes.
    Bool(bool),
    /// A whole number, `12:30` among them.
    Int(i64),
    /// A number with a point.
    Float(f64),
    /// A text, or what is none of the above.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<(Node, Node)>),
    /// A node with a tag of Home Assistant, such as `!include`, without the exclamation mark.
    Tag(String, Box<Node>),
}

impl Node {
    /// A node at a place.
    pub fn new(place: Place, value: Value) -> Self {
        Node { place, value }
    }

    /// The value of a key of a mapping.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(name, _)| name.text() == Some(key)).map(|(_, value)| value)
    }

    /// The value of the first of these keys that is there.
    pub fn get_any(&self, keys: &[&str]) -> Option<&Node> {
        keys.iter().find_map(|key| self.get(key))
    }

    /// The entries of a mapping; none of anything else.
    pub fn entries(&self) -> &[(Node, Node)] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list, or the node itself where one item stands for a list of one; nothing for `null`.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            Value::Null => &[],
            _ => std::slice::from_ref(self),
        }
    }

    /// The boolean that Home Assistant takes it for: a text such as `off` is one, too, and so is a number.
    pub fn truth(&self) -> Option<bool> {
        match &self.value {
            Value::Bool(value) => Some(*value),
            Value::Int(number) => Some(*number != 0),
            Value::Text(text) => match text.to_lowercase().trim() {
                "1" | "true" | "yes" | "on" | "enable" => Some(true),
                "0" | "false" | "no" | "off" | "disable" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it is `null`.
    pub fn is_null(&self) -> bool {
        self.value == Value::Null
    }

    /// Whether it is a mapping.
    pub fn is_map(&self) -> bool {
        matches!(self.value, Value::Map(_))
    }

    /// How many nodes this one consists of.
    pub fn size(&self) -> usize {
        1 + match &self.value {
            Value::List(items) => items.iter().map(Node::size).sum(),
            Value::Map(entries) => entries.iter().map(|(key, value)| key.size() + value.size()).sum(),
            Value::Tag(_, inner) => inner.size(),
            _ => 0,
        }
    }

    /// What kind of thing it is, for messages.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Int(_) | Value::Float(_) => "a number",
            Value::Text(_) => "a text",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
            Value::Tag(..) => "a tag",
        }
    }
}

/// A scalar as Python writes it; lists and mappings in the manner of JSON.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Value::Null => f.write_str("null"),
            Value::Bool(true) => f.write_str("True"),
            Value::Bool(false) => f.write_str("False"),
            Value::Int(number) => write!(f, "{number}"),
            Value::Float(number) => write!(f, "{number:?}"),
            Value::Text(text) => f.write_str(text),
            Value::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Value::Map(entries) => {
                f.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    write!(f, "{}{key}: {value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
            Value::Tag(tag, inner) => write!(f, "!{tag} {inner}"),
        }
    }
}
