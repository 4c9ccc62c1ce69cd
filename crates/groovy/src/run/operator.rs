//! Operators on values: truth, equality, order, arithmetic and its cousins on texts, lists, maps and dates.

use super::Env;
use crate::host::Elements;
use crate::native::Native;
use crate::number;
use crate::pattern::{Matcher, Pattern};
use crate::tree::Binary;
use crate::trouble::{Trouble, TroubleKind};
use crate::value::{List, ListKind, Map, Value};
use crate::{calendar, class};
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

/// Deeper values are not compared: a list may contain itself.
const MAX_COMPARED: u32 = 64;

/// The milliseconds of a day.
pub(crate) const DAY: i64 = 86_400_000;

impl Env<'_> {
    /// Whether a value counts as true.
    pub(crate) fn truth(&mut self, value: &Value) -> Result<bool, Trouble> {
        Ok(match value {
            Value::Null | Value::Unknown(_) => false,
            Value::Bool(flag) => *flag,
            Value::Int(number) => *number != 0,
            Value::Long(number) => *number != 0,
            Value::Decimal(number) => !number.is_zero(),
            Value::Double(number) => *number != 0.0,
            Value::Text(text) => !text.is_empty(),
            Value::List(list) => !list.is_empty(),
            Value::Map(map) => !map.is_empty(),
            Value::Object(object) => self.host.truth(self.run, object)?,
            Value::Native(native) => match &**native {
                Native::Matcher(matcher) => matcher.is_found(),
                Native::Builder(text) => !text.borrow().is_empty(),
                Native::Iterator { items, taken } => taken.get() < items.len(),
                _ => true,
            },
            Value::Closure(_) | Value::Method(_) | Value::Date(_) | Value::Pattern(_) | Value::Class(_) => true,
        })
    }

    /// `left == right`.
    pub(crate) fn equal(&mut self, left: &Value, right: &Value) -> Result<bool, Trouble> {
        self.equal_at(left, right, 0)
    }

    fn equal_at(&mut self, left: &Value, right: &Value, depth: u32) -> Result<bool, Trouble> {
        if depth > MAX_COMPARED {
            return Err(Trouble::new(TroubleKind::TooDeep));
        }
        if depth > 0 {
            self.run.tick()?;
        }
        match (left, right) {
            (left, right) if left.is_null() || right.is_null() => Ok(left.is_null() && right.is_null()),
            (Value::Text(a) | Value::Method(a), Value::Text(b) | Value::Method(b)) => Ok(a == b),
            (Value::Object(object), other) | (other, Value::Object(object)) => self.host.equal(self.run, object, other),
            (Value::List(a), Value::List(b)) => self.equal_lists(a, b, depth),
            (Value::Map(a), Value::Map(b)) => self.equal_maps(a, b, depth),
            (Value::Text(text), number) | (number, Value::Text(text)) if number.is_number() => {
                Ok(number::compare(&char_code(text), number) == Some(Ordering::Equal))
            }
            (Value::Native(native), Value::Text(text)) | (Value::Text(text), Value::Native(native)) => {
                Ok(matches!(&**native, Native::Zone(zone) if zone == text))
            }
            _ if left.is_number() && right.is_number() => Ok(number::compare(left, right) == Some(Ordering::Equal)),
            _ => Ok(left.same(right)),
        }
    }

    fn equal_lists(&mut self, left: &Rc<List>, right: &Rc<List>, depth: u32) -> Result<bool, Trouble> {
        if Rc::ptr_eq(left, right) {
            return Ok(true);
        }
        if left.len() != right.len() {
            return Ok(false);
        }
        let (left_items, right_items) = (left.items(), right.items());
        if left.kind() == ListKind::Set && right.kind() == ListKind::Set {
            return Ok(left_items.iter().all(|item| right_items.iter().any(|other| other.same(item))));
        }
        for (a, b) in left_items.iter().zip(&right_items) {
            if !self.equal_at(a, b, depth + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn equal_maps(&mut self, left: &Rc<Map>, right: &Rc<Map>, depth: u32) -> Result<bool, Trouble> {
        if Rc::ptr_eq(left, right) {
            return Ok(true);
        }
        if left.len() != right.len() {
            return Ok(false);
        }
        for (key, value) in left.entries() {
            match right.find(&key) {
                Some(other) if self.equal_at(&value, &other, depth + 1)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The order of two values as `<=>` has it: null comes first.
    pub(crate) fn compare(&mut self, left: &Value, right: &Value) -> Result<Ordering, Trouble> {
        let order = match (left, right) {
            (left, right) if left.is_null() || right.is_null() => Some(right.is_null().cmp(&left.is_null())),
            (Value::Text(a) | Value::Method(a), Value::Text(b) | Value::Method(b)) => Some(compare_texts(a, b)),
            (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
            (Value::Date(a), Value::Date(b)) => Some(a.cmp(b)),
            (Value::Text(text), number) if number.is_number() && is_char(text) => {
                number::compare(&char_code(text), number)
            }
            (number, Value::Text(text)) if number.is_number() && is_char(text) => {
                number::compare(number, &char_code(text))
            }
            (Value::Native(a), Value::Native(b)) => compare_natives(a, b),
            _ if left.is_number() && right.is_number() => {
                // As in Java, what is not a number is larger than all numbers.
                Some(number::compare(left, right).unwrap_or_else(|| is_nan(left).cmp(&is_nan(right))))
            }
            _ if self.equal(left, right)? => Some(Ordering::Equal),
            _ => None,
        };
        order.ok_or_else(|| self.incomparable(left, right))
    }

    fn incomparable(&mut self, left: &Value, right: &Value) -> Trouble {
        let (left, right) = (self.in_words(left), self.in_words(right));
        Trouble::illegal(format!("Cannot compare {left} and {right}"))
    }

    /// A value in a message: its class and its text.
    pub(crate) fn in_words(&mut self, value: &Value) -> String {
        if value.is_null() {
            return "null".to_owned();
        }
        let text = self.text(value).unwrap_or_default();
        let short: String = text.chars().take(60).collect();
        format!("{} '{short}'", self.class_of(value))
    }

    /// The simple name of a value's class.
    pub(crate) fn class_of(&self, value: &Value) -> String {
        match value {
            Value::Object(object) => self.host.class(object),
            value => class::name_of(value).to_owned(),
        }
    }

    /// `left op right`, for all operators that evaluate both sides first.
    pub(crate) fn binary(&mut self, op: Binary, left: &Value, right: &Value) -> Result<Value, Trouble> {
        if let (Value::Int(left), Value::Int(right)) = (left, right)
            && let Some(result) = number::of_ints(op, *left, *right)
        {
            return Ok(result);
        }
        self.operate(op, left, right).map_err(|trouble| trouble.by_unknown([left, right]))
    }

    fn operate(&mut self, op: Binary, left: &Value, right: &Value) -> Result<Value, Trouble> {
        Ok(Value::Bool(match op {
            Binary::Equal => self.equal(left, right)?,
            Binary::NotEqual => !self.equal(left, right)?,
            Binary::Identical => identical(left, right),
            Binary::NotIdentical => !identical(left, right),
            Binary::Less => self.compare(left, right)? == Ordering::Less,
            Binary::LessEqual => self.compare(left, right)? != Ordering::Greater,
            Binary::Greater => self.compare(left, right)? == Ordering::Greater,
            Binary::GreaterEqual => self.compare(left, right)? != Ordering::Less,
            Binary::In => self.is_case(right, left)?,
            Binary::NotIn => !self.is_case(right, left)?,
            Binary::Match => self.matches_whole(left, right)?,
            Binary::Compare => return Ok(Value::Int(self.compare(left, right)? as i32)),
            Binary::Find => return self.find(left, right),
            _ => return self.arithmetic(op, left, right),
        }))
    }

    fn arithmetic(&mut self, op: Binary, left: &Value, right: &Value) -> Result<Value, Trouble> {
        if let Some(result) = number::arithmetic(op, left, right) {
            return result;
        }
        if let Some(result) = self.special(op, left, right)? {
            return Ok(result);
        }
        let method = operator_method(op);
        if left.is_null() {
            return Err(Trouble::null(format!("Cannot invoke method {method}() on null object")));
        }
        Err(self.missing_method(left, method, std::slice::from_ref(right)))
    }

    /// What the operators do to values that are not numbers.
    fn special(&mut self, op: Binary, left: &Value, right: &Value) -> Result<Option<Value>, Trouble> {
        Ok(Some(match (op, left, right) {
            (Binary::Add, Value::Text(_) | Value::Method(_), _) => self.join(left, right)?,
            (Binary::Add, Value::Null | Value::Unknown(_), Value::Text(_)) => self.join(left, right)?,
            (Binary::Add, number, Value::Text(_)) if number.is_number() => self.join(left, right)?,
            (Binary::Add, Value::List(list), _) => self.list_plus(list, right)?,
            (Binary::Add, Value::Map(a), Value::Map(b)) => self.map_plus(a, b)?,
            (Binary::Add, Value::Map(map), Value::Object(object)) => match self.host.elements(self.run, object)? {
                Some(Elements::Map(more)) => self.map_plus(map, &more)?,
                _ => return Ok(None),
            },
            (Binary::Subtract, Value::Text(text), _) => {
                let part = self.text(right)?;
                Value::from(text.replacen(&part, "", 1))
            }
            (Binary::Subtract, Value::List(list), _) => self.list_minus(list, right)?,
            (Binary::Multiply, Value::Text(text), times) if times.is_number() => self.repeat(text, times)?,
            (Binary::Multiply, Value::List(list), times) if times.is_number() => self.repeat_list(list, times)?,
            (Binary::ShiftLeft | Binary::ShiftRight, Value::Closure(_), Value::Closure(_)) => {
                self.call_on(left, operator_method(op), std::slice::from_ref(right))?
            }
            (Binary::ShiftLeft, _, _) => return self.append(left, right),
            (Binary::BitAnd, Value::Bool(a), Value::Bool(b)) => Value::Bool(a & b),
            (Binary::BitOr, Value::Bool(a), Value::Bool(b)) => Value::Bool(a | b),
            (Binary::BitXor, Value::Bool(a), Value::Bool(b)) => Value::Bool(a ^ b),
            (Binary::Add | Binary::Subtract, Value::Date(_) | Value::Native(_), _) => {
                return Ok(calendar::shifted(op == Binary::Add, left, right));
            }
            (_, Value::Object(object), _) => return self.object_operator(op, &object.clone(), right),
            _ => return Ok(None),
        }))
    }

    /// A collection of the host is a list to the operators.
    fn object_operator(
        &mut self,
        op: Binary,
        object: &crate::value::Object,
        right: &Value,
    ) -> Result<Option<Value>, Trouble> {
        let at = self.run.at;
        let arguments = std::slice::from_ref(right);
        if let Some(result) = self.host.call(self.run, Some(object), operator_method(op), arguments, at)? {
            return Ok(Some(result));
        }
        match self.host.elements(self.run, object)? {
            Some(Elements::List(items)) => {
                let list = Value::list(items);
                self.special(op, &list, right)
            }
            Some(Elements::Map(map)) => self.special(op, &Value::Map(map), right),
            None => Ok(None),
        }
    }

    fn join(&mut self, left: &Value, right: &Value) -> Result<Value, Trouble> {
        let mut text = self.text(left)?;
        self.write_text(right, &mut text)?;
        self.run.charge(text.len())?;
        Ok(Value::from(text))
    }

    fn list_plus(&mut self, list: &List, right: &Value) -> Result<Value, Trouble> {
        let mut items = list.items();
        match self.collection_items(right)? {
            Some(more) => items.extend(more),
            None => items.push(right.clone()),
        }
        self.run.charge_items(items.len())?;
        Ok(if list.kind() == ListKind::Set { Value::set(items) } else { Value::list(items) })
    }

    fn list_minus(&mut self, list: &List, right: &Value) -> Result<Value, Trouble> {
        let removed = self.collection_items(right)?.unwrap_or_else(|| vec![right.clone()]);
        let mut kept = Vec::new();
        for item in list.items() {
            if !self.contains(&removed, &item)? {
                kept.push(item);
            }
        }
        Ok(if list.kind() == ListKind::Set { Value::set(kept) } else { Value::list(kept) })
    }

    fn map_plus(&mut self, left: &Map, right: &Map) -> Result<Value, Trouble> {
        let entries = left.entries().into_iter().chain(right.entries());
        self.run.charge_items(left.len() + right.len())?;
        Ok(Value::map(entries))
    }

    fn repeat(&mut self, text: &str, times: &Value) -> Result<Value, Trouble> {
        let times = self.repetitions(times)?;
        self.run.charge(text.len().saturating_mul(times))?;
        Ok(Value::from(text.repeat(times)))
    }

    fn repeat_list(&mut self, list: &List, times: &Value) -> Result<Value, Trouble> {
        let times = self.repetitions(times)?;
        let items = list.items();
        self.run.charge_items(items.len().saturating_mul(times))?;
        Ok(Value::list(items.iter().cycle().take(items.len() * times).cloned().collect()))
    }

    fn repetitions(&self, times: &Value) -> Result<usize, Trouble> {
        let times = number::to_long(times).unwrap_or(0);
        usize::try_from(times).map_err(|_| Trouble::illegal(format!("a negative number of repetitions: {times}")))
    }

    /// `left << right`.
    fn append(&mut self, left: &Value, right: &Value) -> Result<Option<Value>, Trouble> {
        self.run.charge_items(1)?;
        Ok(Some(match (left, right) {
            (Value::List(list), _) => {
                list.push(right.clone());
                left.clone()
            }
            (Value::Map(map), Value::Map(more)) => {
                for (key, value) in more.entries() {
                    map.insert(key, value);
                }
                left.clone()
            }
            (Value::Map(map), Value::Native(native)) => {
                let Native::Entry(key, value) = &**native else { return Ok(None) };
                map.insert(key.clone(), value.clone());
                left.clone()
            }
            (Value::Text(_), _) => self.join(left, right)?,
            (Value::Native(native), _) => {
                let Native::Builder(builder) = &**native else { return Ok(None) };
                let text = self.text(right)?;
                self.run.charge(text.len())?;
                builder.borrow_mut().push_str(&text);
                left.clone()
            }
            (Value::Object(object), _) => {
                let object = object.clone();
                let at = self.run.at;
                let arguments = std::slice::from_ref(right);
                return self.host.call(self.run, Some(&object), "leftShift", arguments, at);
            }
            _ => return Ok(None),
        }))
    }

    /// `candidate.isCase(subject)`: what `case` and `in` ask.
    pub(crate) fn is_case(&mut self, candidate: &Value, subject: &Value) -> Result<bool, Trouble> {
        match candidate {
            Value::Class(class) => Ok(self.is_instance(subject, class)),
            Value::List(list) if list.kind() == ListKind::Range => self.range_contains(list, subject),
            Value::List(list) => self.contains(&list.items(), subject),
            Value::Map(map) => {
                let value = map.find(subject).unwrap_or_default();
                self.truth(&value)
            }
            Value::Pattern(pattern) => {
                let text = self.text(subject)?;
                Ok(pattern.matches(&text))
            }
            Value::Closure(closure) => {
                let result = self.call_closure(&closure.clone(), std::slice::from_ref(subject))?;
                self.truth(&result)
            }
            Value::Object(object) => match self.host.elements(self.run, object)? {
                Some(Elements::List(items)) => self.contains(&items, subject),
                Some(Elements::Map(map)) => Ok(map.find(subject).is_some()),
                None => self.equal(candidate, subject),
            },
            _ => self.equal(candidate, subject),
        }
    }

    /// A number between the elements of a range is in the range.
    fn range_contains(&mut self, range: &List, subject: &Value) -> Result<bool, Trouble> {
        let items = range.items();
        let (Some(first), Some(last)) = (items.first(), items.last()) else { return Ok(false) };
        if !(subject.is_number() && first.is_number()) {
            return self.contains(&items, subject);
        }
        let inside = |low, high| {
            number::compare(low, subject) != Some(Ordering::Greater)
                && number::compare(subject, high) != Some(Ordering::Greater)
        };
        Ok(inside(first, last) || inside(last, first))
    }

    /// Whether a value is among others.
    pub(crate) fn contains(&mut self, items: &[Value], value: &Value) -> Result<bool, Trouble> {
        for item in items {
            if self.equal(item, value)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The pattern that a value is or describes.
    pub(crate) fn pattern(&mut self, value: &Value) -> Result<Rc<Pattern>, Trouble> {
        if let Value::Pattern(pattern) = value {
            return Ok(pattern.clone());
        }
        let source: Arc<str> = match value {
            Value::Text(text) => text.clone(),
            other => Arc::from(self.text(other)?),
        };
        self.run.compiled(&source)
    }

    fn matches_whole(&mut self, left: &Value, right: &Value) -> Result<bool, Trouble> {
        if left.is_null() || right.is_null() {
            return Ok(false);
        }
        let text = self.text(left)?;
        Ok(self.pattern(right)?.matches(&text))
    }

    fn find(&mut self, left: &Value, right: &Value) -> Result<Value, Trouble> {
        let text = self.text(left)?;
        let pattern = self.pattern(right)?;
        self.run.charge(text.len())?;
        Ok(Value::Native(Rc::new(Native::Matcher(Matcher::new(pattern, Arc::from(text))))))
    }

    /// The elements of a value that is a collection: a list, or an object of the host that looks like one.
    pub(crate) fn collection_items(&mut self, value: &Value) -> Result<Option<Vec<Value>>, Trouble> {
        Ok(match value {
            Value::List(list) => Some(list.items()),
            Value::Object(object) => match self.host.elements(self.run, object)? {
                Some(Elements::List(items)) => Some(items),
                _ => None,
            },
            _ => None,
        })
    }

    /// What a loop or `each` goes through. A value that is no collection is its only element, null has none.
    pub(crate) fn iterated(&mut self, value: &Value) -> Result<Vec<Value>, Trouble> {
        Ok(match value {
            Value::Null | Value::Unknown(_) => Vec::new(),
            Value::List(list) => list.items(),
            Value::Map(map) => entries_of(map),
            Value::Text(text) => text.chars().map(|character| Value::text(character.to_string())).collect(),
            Value::Object(object) => match self.host.elements(self.run, object)? {
                Some(Elements::List(items)) => items,
                Some(Elements::Map(map)) => entries_of(&map),
                None => vec![value.clone()],
            },
            Value::Native(native) => match &**native {
                Native::Matcher(matcher) => (0..matcher.count()).filter_map(|index| matcher.at(index)).collect(),
                Native::Iterator { items, taken } => items.get(taken.get()..).unwrap_or_default().to_vec(),
                _ => vec![value.clone()],
            },
            other => vec![other.clone()],
        })
    }
}

/// The entries of a map as values.
pub(crate) fn entries_of(map: &Map) -> Vec<Value> {
    map.entries().into_iter().map(|(key, value)| entry(key, value)).collect()
}

/// An entry as a value.
pub(crate) fn entry(key: Value, value: Value) -> Value {
    Value::Native(Rc::new(Native::Entry(key, value)))
}

/// Java compares texts by their UTF-16 units; for everything but rare characters that is the order of code points.
pub(crate) fn compare_texts(left: &str, right: &str) -> Ordering {
    left.encode_utf16().cmp(right.encode_utf16())
}

fn compare_natives(left: &Native, right: &Native) -> Option<Ordering> {
    match (left, right) {
        (Native::Duration { months: a, millis: b }, Native::Duration { months: c, millis: d }) => {
            let total = |months: &i64, millis: &i64| months.saturating_mul(30 * DAY).saturating_add(*millis);
            Some(total(a, b).cmp(&total(c, d)))
        }
        (Native::Calendar { millis: a, .. }, Native::Calendar { millis: b, .. }) => Some(a.get().cmp(&b.get())),
        _ => None,
    }
}

fn is_nan(value: &Value) -> bool {
    matches!(value, Value::Double(number) if number.is_nan())
}

fn is_char(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some() && characters.next().is_none()
}

/// Groovy takes a text of one character for that character when it meets a number.
fn char_code(text: &str) -> Value {
    if is_char(text) { text.chars().next().map_or(Value::Null, |code| Value::Int(code as i32)) } else { Value::Null }
}

fn identical(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::List(a), Value::List(b)) => Rc::ptr_eq(a, b),
        (Value::Map(a), Value::Map(b)) => Rc::ptr_eq(a, b),
        _ => left.same(right),
    }
}

/// The method that an operator calls on a value which has no meaning of its own for it.
fn operator_method(op: Binary) -> &'static str {
    match op {
        Binary::Add => "plus",
        Binary::Subtract => "minus",
        Binary::Multiply => "multiply",
        Binary::Divide => "div",
        Binary::Remainder => "mod",
        Binary::Power => "power",
        Binary::ShiftLeft => "leftShift",
        Binary::ShiftRight => "rightShift",
        Binary::ShiftRightUnsigned => "rightShiftUnsigned",
        Binary::BitAnd => "and",
        Binary::BitOr => "or",
        Binary::BitXor => "xor",
        _ => "compareTo",
    }
}
