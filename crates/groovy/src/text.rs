//! The text of values, as Groovy prints them.

use super::calendar;
use super::native::Native;
use super::number;
use super::trouble::{Trouble, TroubleKind};
use super::value::{List, ListKind, Map, Object, Value};
use std::fmt::Write;

/// How an object of the host is told in words.
pub(super) type ObjectText<'a> = dyn FnMut(&Object) -> Result<String, Trouble> + 'a;

/// Deeper values are not printed: a list may contain itself.
const MAX_NESTING: u32 = 64;
/// No text gets longer.
pub(super) const MAX_TEXT: usize = 16 << 20;

/// Writes the text of a value.
pub(super) fn write(value: &Value, into: &mut String, object: &mut ObjectText<'_>) -> Result<(), Trouble> {
    Writer { into, object }.value(value, 0)
}

struct Writer<'a, 'o> {
    into: &'a mut String,
    object: &'a mut ObjectText<'o>,
}

impl Writer<'_, '_> {
    fn value(&mut self, value: &Value, depth: u32) -> Result<(), Trouble> {
        if self.into.len() > MAX_TEXT {
            return Err(Trouble::new(TroubleKind::OutOfMemory));
        }
        match value {
            Value::Null | Value::Unknown(_) => self.into.push_str("null"),
            Value::Bool(flag) => self.into.push_str(if *flag { "true" } else { "false" }),
            Value::Text(text) | Value::Method(text) => self.into.push_str(text),
            Value::Int(_) | Value::Long(_) | Value::Decimal(_) | Value::Double(_) => number::write(value, self.into),
            Value::Date(millis) => self.into.push_str(&calendar::plain_text(*millis)),
            Value::List(list) => self.list(list, depth)?,
            Value::Map(map) => self.map(map, depth)?,
            Value::Pattern(pattern) => self.into.push_str(pattern.source()),
            Value::Class(name) => {
                self.into.push_str("class ");
                self.into.push_str(name);
            }
            Value::Closure(_) => self.into.push_str("a closure"),
            Value::Object(object) => {
                let text = (self.object)(object)?;
                self.into.push_str(&text);
            }
            Value::Native(native) => self.native(native, depth)?,
        }
        Ok(())
    }

    fn list(&mut self, list: &List, depth: u32) -> Result<(), Trouble> {
        if depth > MAX_NESTING {
            self.into.push_str("(this Collection)");
            return Ok(());
        }
        let items = list.items();
        if let (ListKind::Range, [first, .., last]) = (list.kind(), items.as_slice()) {
            self.value(first, depth + 1)?;
            self.into.push_str("..");
            return self.value(last, depth + 1);
        }
        self.into.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.into.push_str(", ");
            }
            self.value(item, depth + 1)?;
        }
        self.into.push(']');
        Ok(())
    }

    fn map(&mut self, map: &Map, depth: u32) -> Result<(), Trouble> {
        if depth > MAX_NESTING {
            self.into.push_str("(this Map)");
            return Ok(());
        }
        let entries = map.entries();
        if entries.is_empty() {
            self.into.push_str("[:]");
            return Ok(());
        }
        for (index, (key, value)) in entries.iter().enumerate() {
            self.into.push_str(if index == 0 { "[" } else { ", " });
            self.value(key, depth + 1)?;
            self.into.push(':');
            self.value(value, depth + 1)?;
        }
        self.into.push(']');
        Ok(())
    }

    fn native(&mut self, native: &Native, depth: u32) -> Result<(), Trouble> {
        match native {
            Native::Entry(..) if depth > MAX_NESTING => self.into.push_str("(this Entry)"),
            Native::Entry(key, value) => {
                self.value(key, depth + 1)?;
                self.into.push('=');
                self.value(value, depth + 1)?;
            }
            Native::Exception { class, message } => {
                self.into.push_str(class);
                if let Some(message) = message {
                    self.into.push_str(": ");
                    self.into.push_str(message);
                }
            }
            Native::Zone(zone) => self.into.push_str(zone),
            Native::Builder(text) => self.into.push_str(&text.borrow()),
            Native::JsonBuilder(content) => {
                let content = content.borrow().clone();
                super::json::write(&content, self.into, self.object)?;
            }
            Native::Duration { months, millis } => {
                let _ = write!(self.into, "{}", calendar::duration_text(*months, *millis));
            }
            Native::Calendar { millis, .. } => self.into.push_str(&calendar::plain_text(millis.get())),
            other => {
                let _ = write!(self.into, "a {}", other.class());
            }
        }
        Ok(())
    }
}
