//! Methods and properties of the library's own objects.

use super::arguments::{long, size};
use super::{Answer, date, each, format, text};
use crate::json;
use crate::native::Native;
use crate::pattern::Matcher;
use crate::run::Env;
use crate::trouble::{Trouble, TroubleKind};
use crate::value::Value;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Calls a method of an object.
pub(super) fn call(env: &mut Env<'_>, native: &Rc<Native>, name: &str, arguments: &[Value]) -> Answer {
    match &**native {
        Native::Calendar { millis, zone } => date::call_calendar(env, millis, zone, name, arguments),
        Native::Zone(zone) => date::call_zone(env, zone, name, arguments),
        Native::DateFormat { pattern, zone } => date_format(env, pattern, zone, name, arguments),
        Native::Matcher(matcher) => call_matcher(env, native, matcher, name, arguments),
        Native::Builder(content) => builder(env, native, content, name, arguments),
        Native::Iterator { items, taken } => match (name, arguments) {
            ("hasNext", []) => Ok(Some(Value::Bool(taken.get() < items.len()))),
            ("next", []) => {
                let item = items.get(taken.get()).cloned();
                taken.set(taken.get() + 1);
                let missing = TroubleKind::Thrown { class: "NoSuchElementException".to_owned(), message: None };
                item.map(Some).ok_or_else(|| Trouble::new(missing))
            }
            _ => Ok(None),
        },
        Native::Random => random(env, name, arguments),
        Native::NumberFormat(pattern) => match (name, arguments) {
            ("format", [value]) => format::decimal_format(env, pattern, value).map(Some),
            ("parse", [value]) => {
                let value = env.text(value)?;
                format::parse_number(&value).map(Some).ok_or_else(|| unparseable(&value))
            }
            _ => Err(Trouble::unsupported(format!("DecimalFormat.{name}"))),
        },
        Native::JsonSlurper => match (name, arguments) {
            ("parseText" | "parse", [value]) => {
                if value.is_null() {
                    return Err(Trouble::illegal("Text must not be null or empty"));
                }
                let value = env.text(value)?;
                env.run.charge(value.len() * 4)?;
                json::parse(&value).map(Some)
            }
            _ => Ok(None),
        },
        Native::JsonBuilder(content) => json_builder(env, native, content, name, arguments),
        Native::Entry(..) | Native::Exception { .. } | Native::Duration { .. } => match arguments {
            [] => match name.strip_prefix("get") {
                Some(rest) => property(env, native, &super::lower_first(rest)),
                None if matches!(name, "printStackTrace") => Ok(Some(Value::Null)),
                None => property(env, native, name),
            },
            [other] if name == "plus" || name == "minus" => {
                let op = if name == "plus" { crate::tree::Binary::Add } else { crate::tree::Binary::Subtract };
                env.binary(op, &Value::Native(native.clone()), other).map(Some)
            }
            _ => Ok(None),
        },
    }
}

fn unparseable(text: &str) -> Trouble {
    let message = format!("Unparseable number: \"{text}\"");
    Trouble::new(TroubleKind::BadFormat { class: "ParseException", message })
}

/// Reads a property of an object.
pub(super) fn property(env: &mut Env<'_>, native: &Rc<Native>, name: &str) -> Answer {
    let value = match (&**native, name) {
        (Native::Entry(key, _), "key") => key.clone(),
        (Native::Entry(_, value), "value") => value.clone(),
        (Native::Exception { message, .. }, "message" | "localizedMessage") => {
            message.clone().map_or(Value::Null, Value::Text)
        }
        (Native::Exception { .. }, "cause") => Value::Null,
        (Native::Exception { .. }, "stackTrace" | "suppressed") => Value::list(Vec::new()),
        (Native::Exception { class, .. }, "class") => Value::Class(class.clone()),
        (Native::Exception { class, .. }, "response" | "statusCode") => {
            return Err(Trouble::unsupported(format!("{name} of {class}")));
        }
        (Native::Duration { months, millis }, _) => return date::duration_property(env, *months, *millis, name),
        (Native::Zone(zone), "ID" | "displayName") => Value::Text(zone.clone()),
        (Native::Calendar { millis, .. }, "time") => Value::Date(millis.get()),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn date_format(
    env: &mut Env<'_>,
    pattern: &Arc<str>,
    zone: &RefCell<Option<Arc<str>>>,
    name: &str,
    arguments: &[Value],
) -> Answer {
    let own = zone.borrow().clone();
    let value = match (name, arguments) {
        ("format", [Value::Date(millis)]) => date::formatted(env, *millis, pattern, own.as_deref())?,
        ("format", [number]) if number.is_number() => {
            let millis = long(env, number)?;
            date::formatted(env, millis, pattern, own.as_deref())?
        }
        ("format" | "parse", [Value::Null]) => return Err(Trouble::null(format!("{name}(null)"))),
        ("parse", [value]) => {
            let value = env.text(value)?;
            date::parsed(env, &value, pattern, own.as_deref())?
        }
        ("setTimeZone", [value]) => {
            *zone.borrow_mut() = date::zone_name(env, value)?;
            Value::Null
        }
        ("setLenient", [_]) => Value::Null,
        ("getTimeZone", []) => own.map_or(Value::Null, |zone| Value::Native(Rc::new(Native::Zone(zone)))),
        ("toPattern", []) => Value::Text(pattern.clone()),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn call_matcher(env: &mut Env<'_>, native: &Rc<Native>, matcher: &Matcher, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("matches", []) => Value::Bool(matcher.matches()),
        ("find", []) => Value::Bool(matcher.find()),
        ("size" | "getCount", []) => Value::int(matcher.count() as i64),
        ("groupCount", []) => Value::int(matcher.group_count() as i64),
        ("hasGroup", []) => Value::Bool(matcher.group_count() > 0),
        ("group", []) => group(matcher, 0)?,
        ("group", [number]) => {
            let number = size(env, number)?;
            group(matcher, number)?
        }
        ("getAt", [index]) => env.get_index(&Value::Native(native.clone()), index, env.run.at())?,
        ("replaceAll" | "replaceFirst", [with]) => {
            let pattern = Value::Pattern(matcher.pattern().clone());
            return text::call(env, matcher.text(), name, &[pattern, with.clone()]);
        }
        ("reset" | "lookingAt" | "start" | "end", _) => {
            return Err(Trouble::unsupported(format!("the matcher method {name}")));
        }
        _ => {
            let receiver = Value::Native(native.clone());
            let items = env.iterated(&receiver)?;
            return each::call(env, &receiver, items, name, arguments);
        }
    };
    Ok(Some(value))
}

fn group(matcher: &Matcher, number: usize) -> Result<Value, Trouble> {
    matcher.group(number).ok_or_else(|| Trouble::thrown("IllegalStateException", "No match found"))
}

/// Calls a method of a pattern.
pub(super) fn call_pattern(env: &mut Env<'_>, pattern: &Value, name: &str, arguments: &[Value]) -> Answer {
    match (name, arguments) {
        ("matcher", [text]) => {
            let text = env.text(text)?;
            let matcher = Matcher::new(env.pattern(pattern)?, Arc::from(text));
            Ok(Some(Value::Native(Rc::new(Native::Matcher(matcher)))))
        }
        ("pattern", []) => Ok(Some(Value::from(env.text(pattern)?))),
        ("split", [text]) => {
            let text: Arc<str> = Arc::from(env.text(text)?);
            text::call(env, &text, "split", std::slice::from_ref(pattern))
        }
        _ => Ok(None),
    }
}

fn builder(
    env: &mut Env<'_>,
    native: &Rc<Native>,
    content: &RefCell<String>,
    name: &str,
    arguments: &[Value],
) -> Answer {
    let this = Value::Native(native.clone());
    let value = match (name, arguments) {
        ("append" | "leftShift", [value]) => {
            let text = env.text(value)?;
            env.run.charge(text.len())?;
            content.borrow_mut().push_str(&text);
            this
        }
        ("toString", []) => Value::from(content.borrow().clone()),
        ("setLength", [length]) => {
            let length = size(env, length)?;
            let cut: String = content.borrow().chars().take(length).collect();
            *content.borrow_mut() = cut;
            Value::Null
        }
        ("reverse", []) => {
            let reversed: String = content.borrow().chars().rev().collect();
            *content.borrow_mut() = reversed;
            this
        }
        ("insert" | "deleteCharAt" | "delete" | "setCharAt", _) => {
            return Err(Trouble::unsupported(format!("StringBuilder.{name}")));
        }
        _ => {
            let text: Arc<str> = Arc::from(content.borrow().as_str());
            return text::call(env, &text, name, arguments);
        }
    };
    Ok(Some(value))
}

/// Random numbers come from the host, which may explore all of them or choose one.
fn random(env: &mut Env<'_>, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("nextInt", [bound]) => {
            let bound = long(env, bound)?;
            let Ok(bound @ 1..) = u64::try_from(bound) else { return Err(Trouble::illegal("bound must be positive")) };
            Value::int(env.host.random(env.run, bound)? as i64)
        }
        ("nextBoolean", []) => Value::Bool(env.host.random(env.run, 2)? == 1),
        ("nextInt", []) => Value::Int(env.host.random(env.run, 1 << 32)? as u32 as i32),
        ("nextDouble" | "nextFloat", []) => random_double(env)?,
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// A number from 0 up to but not including 1, in thousandths: enough for apps, and few enough to explore.
pub(super) fn random_double(env: &mut Env<'_>) -> Result<Value, Trouble> {
    Ok(Value::Double(env.host.random(env.run, 1000)? as f64 / 1000.0))
}

fn json_builder(
    env: &mut Env<'_>,
    native: &Rc<Native>,
    content: &RefCell<Value>,
    name: &str,
    arguments: &[Value],
) -> Answer {
    let value = match (name, arguments) {
        ("toString", []) => Value::from(env.text(&Value::Native(native.clone()))?),
        ("toPrettyString", []) => {
            let text = env.text(&Value::Native(native.clone()))?;
            Value::from(json::pretty(&text))
        }
        ("getContent", []) => content.borrow().clone(),
        ("call", [value]) if !matches!(value, Value::Closure(_)) => {
            *content.borrow_mut() = value.clone();
            value.clone()
        }
        _ => return Err(Trouble::unsupported(format!("JsonBuilder.{name}"))),
    };
    Ok(Some(value))
}
