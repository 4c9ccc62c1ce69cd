//! JSON, in both directions.

use super::calendar;
use super::native::Native;
use super::number;
use super::text::{self, ObjectText};
use super::trouble::{Trouble, TroubleKind};
use super::value::{Map, Value};
use std::fmt::Write;
use std::rc::Rc;

/// Deeper values are neither read nor written.
const MAX_NESTING: u32 = 100;

/// Writes a value as JSON.
pub(super) fn write(value: &Value, into: &mut String, object: &mut ObjectText<'_>) -> Result<(), Trouble> {
    write_at(value, into, object, 0)
}

fn write_at(value: &Value, into: &mut String, object: &mut ObjectText<'_>, depth: u32) -> Result<(), Trouble> {
    if depth > MAX_NESTING || into.len() > text::MAX_TEXT {
        return Err(Trouble::new(TroubleKind::OutOfMemory));
    }
    match value {
        Value::Null | Value::Unknown(_) => into.push_str("null"),
        Value::Bool(flag) => into.push_str(if *flag { "true" } else { "false" }),
        Value::Int(_) | Value::Long(_) | Value::Decimal(_) | Value::Double(_) => number::write(value, into),
        Value::List(list) => {
            into.push('[');
            for (index, item) in list.items().iter().enumerate() {
                if index > 0 {
                    into.push(',');
                }
                write_at(item, into, object, depth + 1)?;
            }
            into.push(']');
        }
        Value::Map(map) => {
            into.push('{');
            for (index, (key, value)) in map.entries().iter().enumerate() {
                if index > 0 {
                    into.push(',');
                }
                let mut name = String::new();
                text::write(key, &mut name, object)?;
                quote(&name, into);
                into.push(':');
                write_at(value, into, object, depth + 1)?;
            }
            into.push('}');
        }
        Value::Date(millis) => {
            let date = calendar::format(*millis, 0, "UTC", "yyyy-MM-dd'T'HH:mm:ssZ").unwrap_or_default();
            quote(&date, into);
        }
        Value::Native(native) if matches!(&**native, Native::JsonBuilder(_)) => {
            if let Native::JsonBuilder(content) = &**native {
                let content = content.borrow().clone();
                write_at(&content, into, object, depth + 1)?;
            }
        }
        other => {
            let mut plain = String::new();
            text::write(other, &mut plain, object)?;
            quote(&plain, into);
        }
    }
    Ok(())
}

fn quote(text: &str, into: &mut String) {
    into.push('"');
    for character in text.chars() {
        match character {
            '"' => into.push_str("\\\""),
            '\\' => into.push_str("\\\\"),
            '\n' => into.push_str("\\n"),
            '\r' => into.push_str("\\r"),
            '\t' => into.push_str("\\t"),
            control if control < ' ' => {
                let _ = write!(into, "\\u{:04x}", control as u32);
            }
            other => into.push(other),
        }
    }
    into.push('"');
}

/// JSON with line breaks and four blanks per level.
pub(super) fn pretty(json: &str) -> String {
    let mut text = String::new();
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for character in json.chars() {
        if quoted {
            text.push(character);
            quoted = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        let line = |depth: usize, text: &mut String| {
            text.push('\n');
            text.push_str(&"    ".repeat(depth));
        };
        match character {
            '"' => {
                quoted = true;
                text.push(character);
            }
            '{' | '[' => {
                depth += 1;
                text.push(character);
                line(depth, &mut text);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(depth, &mut text);
                text.push(character);
            }
            ',' => {
                text.push(character);
                line(depth, &mut text);
            }
            ':' => text.push_str(": "),
            blank if blank.is_whitespace() => {}
            other => text.push(other),
        }
    }
    text
}

/// Reads JSON into a value.
///
/// # Errors
/// If the text is not JSON.
pub fn parse(text: &str) -> Result<Value, Trouble> {
    let mut reader = JsonReader { text, at: 0 };
    let value = reader.value(0);
    reader.blanks();
    match value {
        Some(value) if reader.at == text.len() => Ok(value),
        _ => Err(bad_json(text, reader.at)),
    }
}

fn bad_json(text: &str, at: usize) -> Trouble {
    let near: String = text.get(at..).unwrap_or_default().chars().take(20).collect();
    let message = format!("not JSON at character {at}: {near}");
    Trouble::new(TroubleKind::BadFormat { class: "JsonException", message })
}

struct JsonReader<'t> {
    text: &'t str,
    at: usize,
}

impl JsonReader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    fn accept(&mut self, sign: &str) -> bool {
        let is = self.rest().starts_with(sign);
        if is {
            self.at += sign.len();
        }
        is
    }

    fn value(&mut self, depth: u32) -> Option<Value> {
        self.blanks();
        if depth > MAX_NESTING {
            return None;
        }
        match self.rest().chars().next()? {
            '{' => self.map(depth),
            '[' => self.list(depth),
            '"' => self.text().map(Value::from),
            't' if self.accept("true") => Some(Value::Bool(true)),
            'f' if self.accept("false") => Some(Value::Bool(false)),
            'n' if self.accept("null") => Some(Value::Null),
            _ => self.number(),
        }
    }

    fn map(&mut self, depth: u32) -> Option<Value> {
        self.at += 1;
        let map = Map::default();
        self.blanks();
        if self.accept("}") {
            return Some(Value::Map(Rc::new(map)));
        }
        loop {
            self.blanks();
            let key = self.text()?;
            self.blanks();
            if !self.accept(":") {
                return None;
            }
            let value = self.value(depth + 1)?;
            map.set(&key, value);
            self.blanks();
            if self.accept("}") {
                return Some(Value::Map(Rc::new(map)));
            }
            if !self.accept(",") {
                return None;
            }
        }
    }

    fn list(&mut self, depth: u32) -> Option<Value> {
        self.at += 1;
        let mut items = Vec::new();
        self.blanks();
        if self.accept("]") {
            return Some(Value::list(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.accept("]") {
                return Some(Value::list(items));
            }
            if !self.accept(",") {
                return None;
            }
        }
    }

    fn text(&mut self) -> Option<String> {
        if !self.accept("\"") {
            return None;
        }
        let mut content = String::new();
        loop {
            let character = self.rest().chars().next()?;
            self.at += character.len_utf8();
            match character {
                '"' => return Some(content),
                '\\' => content.push(self.escape()?),
                other => content.push(other),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let character = self.rest().chars().next()?;
        self.at += character.len_utf8();
        Some(match character {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let code = u32::from_str_radix(self.rest().get(..4)?, 16).ok()?;
                self.at += 4;
                char::from_u32(code).unwrap_or('\u{fffd}')
            }
            '"' | '\\' | '/' => character,
            _ => return None,
        })
    }

    fn number(&mut self) -> Option<Value> {
        let numeric = |c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | 'e' | 'E');
        let length = self.rest().find(|c| !numeric(c)).unwrap_or(self.rest().len());
        let digits = self.rest().get(..length).filter(|digits| !digits.is_empty())?;
        let value = match digits.parse::<i64>() {
            Ok(whole) => Value::int(whole),
            Err(_) => Value::Decimal(number::parse_decimal(digits)?),
        };
        self.at += length;
        Some(value)
    }
}
