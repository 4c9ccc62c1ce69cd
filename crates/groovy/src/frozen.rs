//! Values between runs: immutable, comparable, shared between threads.

use super::value::{List, ListKind, Map, Object, Value};
use rust_decimal::Decimal;
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

/// A value that stays in a state. Maps keep the order of insertion, and two maps that differ only in it are different.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Frozen {
    /// `null`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An `Integer`.
    Int(i32),
    /// A `Long`.
    Long(i64),
    /// A `BigDecimal`.
    Decimal(Decimal),
    /// The bits of a double.
    Double(u64),
    /// A text, or the name of a method.
    Text(Arc<str>),
    /// A list, set or range.
    List(Arc<[Frozen]>),
    /// A map.
    Map(Arc<[(Frozen, Frozen)]>),
    /// A date.
    Date(i64),
    /// An object of the host, without its attachment.
    Object(u16, u32),
}

/// Why a value cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotFreezable {
    /// It has something of this kind in it, which only means something while a script runs.
    Kind(&'static str),
    /// It is nested too deeply, or contains itself.
    Nested,
    /// It has too many elements.
    Large,
}

impl fmt::Display for NotFreezable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFreezable::Kind(kind) => write!(f, "{kind} cannot be kept in the state"),
            NotFreezable::Large => f.write_str("a value of a million elements is not kept in the state"),
            NotFreezable::Nested => {
                f.write_str("a value that contains itself, or is nested too deeply, is not kept in the state")
            }
        }
    }
}

impl std::error::Error for NotFreezable {}

/// Deeper values are taken for cyclic.
const MAX_NESTING: u32 = 64;
/// Larger values are refused: a list of few bytes may hold the same list twice, and that one again.
const MAX_SIZE: u32 = 1_000_000;

pub(super) fn freeze(value: &Value) -> Result<Frozen, NotFreezable> {
    at_depth(value, 0, &mut { MAX_SIZE })
}

fn at_depth(value: &Value, depth: u32, left: &mut u32) -> Result<Frozen, NotFreezable> {
    *left = left.checked_sub(1).ok_or(NotFreezable::Large)?;
    if depth > MAX_NESTING {
        return Err(NotFreezable::Nested);
    }
    Ok(match value {
        Value::Null | Value::Unknown(_) => Frozen::Null,
        Value::Bool(flag) => Frozen::Bool(*flag),
        Value::Int(number) => Frozen::Int(*number),
        Value::Long(number) => Frozen::Long(*number),
        Value::Decimal(number) => Frozen::Decimal(*number),
        Value::Double(number) => Frozen::Double(number.to_bits()),
        Value::Text(text) | Value::Method(text) => Frozen::Text(text.clone()),
        Value::Date(date) => Frozen::Date(*date),
        Value::Object(object) => Frozen::Object(object.kind, object.id),
        Value::List(list) => list.look(|items| freeze_items(items, depth, left))?,
        Value::Map(map) => freeze_entries(map, depth, left)?,
        Value::Closure(_) => return Err(NotFreezable::Kind("a closure")),
        Value::Pattern(_) => return Err(NotFreezable::Kind("a pattern")),
        Value::Class(_) => return Err(NotFreezable::Kind("a class")),
        Value::Native(native) => return Err(NotFreezable::Kind(native.class())),
    })
}

fn freeze_items(items: &[Value], depth: u32, left: &mut u32) -> Result<Frozen, NotFreezable> {
    let items: Result<Vec<_>, _> = items.iter().map(|item| at_depth(item, depth + 1, left)).collect();
    Ok(Frozen::List(items?.into()))
}

fn freeze_entries(map: &Map, depth: u32, left: &mut u32) -> Result<Frozen, NotFreezable> {
    let mut entries = Vec::with_capacity(map.len());
    for (key, value) in map.entries() {
        entries.push((at_depth(&key, depth + 1, left)?, at_depth(&value, depth + 1, left)?));
    }
    Ok(Frozen::Map(entries.into()))
}

impl Frozen {
    /// How many values it is made of, itself included.
    pub fn size(&self) -> usize {
        match self {
            Frozen::List(items) => 1 + items.iter().map(Frozen::size).sum::<usize>(),
            Frozen::Map(entries) => 1 + entries.iter().map(|(key, value)| key.size() + value.size()).sum::<usize>(),
            _ => 1,
        }
    }

    /// A text.
    pub fn text(text: &str) -> Self {
        Frozen::Text(Arc::from(text))
    }

    /// A fresh value of the same content, which a script may change without harm to the frozen one.
    pub fn thaw(&self) -> Value {
        match self {
            Frozen::Null => Value::Null,
            Frozen::Bool(flag) => Value::Bool(*flag),
            Frozen::Int(number) => Value::Int(*number),
            Frozen::Long(number) => Value::Long(*number),
            Frozen::Decimal(number) => Value::Decimal(*number),
            Frozen::Double(bits) => Value::Double(f64::from_bits(*bits)),
            Frozen::Text(text) => Value::Text(text.clone()),
            Frozen::Date(date) => Value::Date(*date),
            Frozen::Object(kind, id) => Value::Object(Object::new(*kind, *id)),
            Frozen::List(items) => {
                Value::List(Rc::new(List::new(items.iter().map(Frozen::thaw).collect(), ListKind::List)))
            }
            Frozen::Map(entries) => Value::map(entries.iter().map(|(key, value)| (key.thaw(), value.thaw()))),
        }
    }
}

impl fmt::Display for Frozen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.thaw().fmt(f)
    }
}
