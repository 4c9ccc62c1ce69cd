//! Converting values: `as`, casts, declared types, `instanceof`, ranges, `++`.

use super::Env;
use crate::host::Elements;
use crate::native::Native;
use crate::trouble::{Trouble, TroubleKind};
use crate::value::{ListKind, Value};
use crate::{class, number};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

/// The first letter of an alphabet, and so on: texts of one character count up and down by their codes.
fn neighbour_of_char(text: &str, up: bool) -> Option<String> {
    let last = text.chars().next_back()?;
    let code = if up { (last as u32).checked_add(1)? } else { (last as u32).checked_sub(1)? };
    let mut result: String = text[..text.len() - last.len_utf8()].to_owned();
    result.push(char::from_u32(code)?);
    Some(result)
}

impl Env<'_> {
    /// The error of a value that cannot become one of a class.
    pub(crate) fn bad_cast(&mut self, value: &Value, class: &str) -> Trouble {
        Trouble::new(TroubleKind::BadCast { value: self.in_words(value), class: class.to_owned() }).by_unknown([value])
    }

    /// `value as class`.
    pub(crate) fn convert(&mut self, value: &Value, class: &str) -> Result<Value, Trouble> {
        let primitive = class::is_primitive(class);
        match (class, value) {
            ("boolean" | "Boolean", Value::Null | Value::Unknown(_)) if primitive => Ok(Value::Bool(false)),
            (_, Value::Null | Value::Unknown(_)) if primitive => Err(self.bad_cast(value, class)),
            (_, Value::Null | Value::Unknown(_)) => Ok(value.clone()),
            (_, Value::Text(text)) if class::is_numeric(class) => {
                let number = number_of_text(text, class);
                number.ok_or_else(|| not_a_number(text))
            }
            ("List" | "ArrayList" | "Collection" | "LinkedList", Value::Map(_)) => Err(self.bad_cast(value, class)),
            ("Set" | "HashSet" | "LinkedHashSet" | "TreeSet" | "SortedSet", _) => {
                let items = self.iterated(value)?;
                Ok(Value::set(items))
            }
            ("List" | "ArrayList" | "Collection" | "LinkedList", _) => Ok(Value::list(self.iterated(value)?)),
            ("Date", Value::Long(_) | Value::Int(_)) => Err(self.bad_cast(value, class)),
            _ if class.ends_with("[]") => Ok(Value::list(self.iterated(value)?)),
            _ => self.cast(value.clone(), class),
        }
    }

    /// `(class) value`, and what a declared type does to a value.
    pub(crate) fn cast(&mut self, value: Value, class: &str) -> Result<Value, Trouble> {
        let cast = match (class, &value) {
            ("boolean", _) => Some(Value::Bool(self.truth(&value)?)),
            (_, Value::Null | Value::Unknown(_)) if class::is_primitive(class) => None,
            ("Object" | "def", _) | (_, Value::Null | Value::Unknown(_)) => Some(value.clone()),
            ("Boolean", _) => Some(Value::Bool(self.truth(&value)?)),
            ("String" | "GString" | "CharSequence", Value::Text(_)) => Some(value.clone()),
            ("String" | "GString" | "CharSequence", _) => Some(Value::from(self.text(&value)?)),
            ("char" | "Character", Value::Text(_)) => Some(value.clone()),
            _ if class::is_numeric(class) => narrow(&value, class),
            ("List" | "ArrayList" | "Collection" | "LinkedList", _) => self.as_items(&value)?.map(Value::list),
            ("Set" | "HashSet" | "LinkedHashSet" | "TreeSet", _) => self.as_items(&value)?.map(Value::set),
            ("Map" | "HashMap" | "LinkedHashMap" | "TreeMap", Value::Object(object)) => {
                match self.host.elements(self.run, object)? {
                    Some(Elements::List(_)) => None,
                    _ => Some(value.clone()),
                }
            }
            _ if class.ends_with("[]") => self.as_items(&value)?.map(Value::list),
            _ if self.is_instance(&value, class) => Some(value.clone()),
            (_, Value::Object(_)) => Some(value.clone()),
            _ => None,
        };
        match cast {
            // A list that is one already stays the same list.
            Some(Value::List(_)) if self.is_instance(&value, class) => Ok(value),
            Some(cast) => Ok(cast),
            None => Err(self.bad_cast(&value, class)),
        }
    }

    fn as_items(&mut self, value: &Value) -> Result<Option<Vec<Value>>, Trouble> {
        self.collection_items(value)
    }

    /// `value instanceof class`.
    pub(crate) fn is_instance(&self, value: &Value, class: &str) -> bool {
        if value.is_null() {
            return false;
        }
        if matches!(class, "Object" | "def") {
            return true;
        }
        match value {
            Value::Null | Value::Unknown(_) => false,
            Value::Bool(_) => matches!(class, "Boolean" | "boolean"),
            Value::Int(_) => matches!(class, "Integer" | "int" | "Number" | "Comparable"),
            Value::Long(_) => matches!(class, "Long" | "long" | "Number" | "Comparable"),
            Value::Decimal(number) => {
                matches!(class, "BigDecimal" | "Number" | "Comparable")
                    || (class == "BigInteger" && number.scale() == 0)
            }
            Value::Double(_) => matches!(class, "Double" | "Float" | "double" | "float" | "Number" | "Comparable"),
            Value::Text(_) | Value::Method(_) => matches!(class, "String" | "GString" | "CharSequence" | "Comparable"),
            Value::List(list) => match class {
                "Collection" | "Iterable" => true,
                "Set" | "HashSet" | "LinkedHashSet" => list.kind() == ListKind::Set,
                "List" => list.kind() != ListKind::Set,
                "Range" | "IntRange" => list.kind() == ListKind::Range,
                "ArrayList" => list.kind() == ListKind::List,
                other => other.ends_with("[]"),
            },
            Value::Map(_) => matches!(class, "Map" | "HashMap" | "LinkedHashMap"),
            Value::Closure(_) => matches!(class, "Closure" | "Runnable"),
            Value::Date(_) => matches!(class, "Date" | "Comparable"),
            Value::Pattern(_) => class == "Pattern",
            Value::Class(_) => class == "Class",
            Value::Object(object) => self.host.class(object) == class,
            Value::Native(native) => match &**native {
                Native::Exception { class: own, .. } => class::is_subclass(own, class),
                other => other.class() == class,
            },
        }
    }

    /// Whether a parameter of a declared class takes a value, perhaps after widening a number.
    pub(super) fn accepts(&mut self, class: &str, value: &Value) -> bool {
        match (class, value) {
            (_, Value::Null | Value::Unknown(_)) => !class::is_primitive(class),
            ("int" | "Integer" | "short" | "byte" | "Short" | "Byte", _) => matches!(value, Value::Int(_)),
            ("long" | "Long" | "BigInteger", _) => matches!(value, Value::Int(_) | Value::Long(_)),
            ("float" | "double" | "Float" | "Double" | "BigDecimal" | "Number", _) => value.is_number(),
            ("char", _) => matches!(value, Value::Text(_) | Value::Int(_)),
            ("List" | "Set" | "Collection" | "Map", Value::Object(_)) => true,
            _ if class.ends_with("[]") => matches!(value, Value::List(_)),
            _ => self.is_instance(value, class),
        }
    }

    /// The elements of `from..to`.
    pub(crate) fn range_items(&mut self, from: &Value, to: &Value, exclusive: bool) -> Result<Vec<Value>, Trouble> {
        if let (Value::Text(from), Value::Text(to)) = (from, to) {
            return self.text_range(from, to, exclusive);
        }
        let (Some(first), Some(last)) = (number::to_long(from), number::to_long(to)) else {
            let odd = if from.is_number() { to } else { from };
            return Err(if odd.is_null() {
                Trouble::null("a range without an end")
            } else {
                self.bad_cast(odd, "Integer")
            });
        };
        let down = first > last;
        let size = first.abs_diff(last) + u64::from(!exclusive);
        self.run.charge_items(usize::try_from(size).unwrap_or(usize::MAX))?;
        let wide = matches!(from, Value::Long(_)) || matches!(to, Value::Long(_));
        let item = |number: i64| if wide { Value::Long(number) } else { Value::int(number) };
        let steps = 0..size as i64;
        Ok(steps.map(|step| item(if down { first - step } else { first + step })).collect())
    }

    fn text_range(&mut self, from: &str, to: &str, exclusive: bool) -> Result<Vec<Value>, Trouble> {
        let (mut from_chars, mut to_chars) = (from.chars(), to.chars());
        let ends = (from_chars.next(), from_chars.next(), to_chars.next(), to_chars.next());
        let (Some(first), None, Some(last), None) = ends else {
            return Err(Trouble::unsupported("a range of texts of several characters"));
        };
        let (first, last) = (i64::from(first as u32), i64::from(last as u32));
        let codes = self.range_items(&Value::Long(first), &Value::Long(last), exclusive)?;
        let char_of = |code: &Value| number::to_long(code).and_then(|code| char::from_u32(code as u32));
        Ok(codes.iter().filter_map(char_of).map(|character| Value::from(character.to_string())).collect())
    }

    /// `value++` or `value--`.
    pub(crate) fn neighbour(&mut self, value: &Value, up: bool) -> Result<Value, Trouble> {
        use crate::tree::Binary;
        match value {
            Value::Text(text) => {
                neighbour_of_char(text, up).map(Value::from).ok_or_else(|| Trouble::illegal("an empty text"))
            }
            Value::Null | Value::Unknown(_) => Err(Trouble::null(format!(
                "Cannot invoke method {}() on null object",
                if up { "next" } else { "previous" }
            ))
            .by_unknown([value])),
            value => self.binary(if up { Binary::Add } else { Binary::Subtract }, value, &Value::Int(1)),
        }
    }
}

fn not_a_number(text: &str) -> Trouble {
    let message = format!("For input string: \"{text}\"");
    Trouble::new(TroubleKind::BadFormat { class: "NumberFormatException", message })
}

/// The error of a text that is no number, for the library.
pub(crate) fn number_format(text: &str) -> Trouble {
    not_a_number(text)
}

/// Reads a number of a class; whole numbers may have no fraction.
pub(crate) fn number_of_text(text: &str, class: &str) -> Option<Value> {
    let trimmed = text.trim();
    match class {
        "int" | "Integer" | "short" | "Short" | "byte" | "Byte" => trimmed.parse().ok().map(Value::Int),
        "long" | "Long" => trimmed.parse().ok().map(Value::Long),
        "BigInteger" => number::parse_decimal(trimmed).filter(|number| number.scale() == 0).map(Value::Decimal),
        "float" | "Float" | "double" | "Double" => number::parse_double(trimmed).map(Value::Double),
        _ => number::parse_decimal(trimmed).map(Value::Decimal),
    }
}

/// A number as one of another class; a text of one character is its code.
fn narrow(value: &Value, class: &str) -> Option<Value> {
    let code;
    let value = match value {
        Value::Text(text) if text.chars().count() == 1 => {
            code = Value::Int(text.chars().next()? as i32);
            &code
        }
        other => other,
    };
    if !value.is_number() {
        return None;
    }
    Some(match class {
        "int" | "Integer" => Value::Int(number::to_int(value)?),
        "short" | "Short" => Value::Int(i32::from(number::to_long(value)? as i16)),
        "byte" | "Byte" => Value::Int(i32::from(number::to_long(value)? as i8)),
        "char" | "Character" => Value::from(char::from_u32(number::to_long(value)? as u32)?.to_string()),
        "long" | "Long" => Value::Long(number::to_long(value)?),
        "float" | "Float" | "double" | "Double" => Value::Double(number::to_double(value)?),
        "BigInteger" => Value::Decimal(Decimal::from(number::to_decimal(value)?.trunc().to_i128()?)),
        "BigDecimal" => Value::Decimal(number::to_decimal(value)?),
        _ => value.clone(),
    })
}
