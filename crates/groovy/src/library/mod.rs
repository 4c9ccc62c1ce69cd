//! The methods and properties of values, and the few classes that apps use.
//!
//! One file per kind of value. Each answers `None` for a method that it does not know, so that the caller can go on to
//! what every value has, and then report the method as missing. A class that is known by name but not modelled is
//! reported as unsupported.

mod arguments;
mod closure;
mod construct;
mod date;
mod each;
mod format;
mod list;
mod map;
mod native;
mod number;
mod plain;
mod sort;
mod statics;
mod text;

use super::native::Native;
use super::run::Env;
use super::trouble::Trouble;
use super::value::Value;

pub(super) use date::changed as changed_date;
pub(super) use plain::call as call_plain;

/// What a method of the library gives, if it knows the method.
pub(super) type Answer = Result<Option<Value>, Trouble>;

/// Calls a method of a value that is no object of the host.
pub(super) fn call(env: &mut Env<'_>, receiver: &Value, name: &str, arguments: &[Value]) -> Answer {
    let answer = match receiver {
        Value::Null | Value::Unknown(_) => return plain::call_null(env, name, arguments),
        Value::Text(text) | Value::Method(text) => text::call(env, &text.clone(), name, arguments)?,
        Value::Int(_) | Value::Long(_) | Value::Decimal(_) | Value::Double(_) => {
            number::call(env, receiver, name, arguments)?
        }
        Value::List(list) => list::call(env, &list.clone(), name, arguments)?,
        Value::Map(map) => map::call(env, &map.clone(), name, arguments)?,
        Value::Closure(closure) => closure::call(env, &closure.clone(), name, arguments)?,
        Value::Date(millis) => date::call(env, *millis, name, arguments)?,
        Value::Class(class) => statics::call(env, &class.clone(), name, arguments)?,
        Value::Native(native) => native::call(env, &native.clone(), name, arguments)?,
        Value::Pattern(_) => native::call_pattern(env, receiver, name, arguments)?,
        Value::Bool(_) | Value::Object(_) => None,
    };
    match answer {
        Some(value) => Ok(Some(value)),
        None => plain::call(env, receiver, name, arguments),
    }
}

/// Reads a property of a value that is neither a map nor an object of the host.
pub(super) fn property(env: &mut Env<'_>, receiver: &Value, name: &str) -> Answer {
    let own = match receiver {
        Value::Class(class) => statics::property(env, class, name)?,
        Value::Date(millis) => date::property(env, *millis, name)?,
        Value::Native(native) => native::property(env, &native.clone(), name)?,
        Value::Closure(closure) => closure::property(closure, name),
        Value::List(list) if name == "empty" => Some(Value::Bool(list.is_empty())),
        // Arrays are lists here, and have their size as a property.
        Value::List(list) if name == "length" => Some(Value::int(list.len() as i64)),
        Value::List(_) if name == "indices" => call(env, receiver, "getIndices", &[])?,
        Value::List(_) if name != "class" => return Ok(None),
        _ if env.in_time_category() && receiver.is_number() => date::duration(receiver, name),
        _ => None,
    };
    if own.is_some() {
        return Ok(own);
    }
    if name == "class" {
        return Ok(Some(Value::Class(env.class_of(receiver).into())));
    }
    // A property is the getter of its name: `"abc".bytes` is `"abc".getBytes()`.
    let capitalised = upper_first(name);
    match call(env, receiver, &format!("get{capitalised}"), &[])? {
        Some(value) => Ok(Some(value)),
        None => call(env, receiver, &format!("is{capitalised}"), &[]),
    }
}

/// Writes a property of a value of the library; `false` if it has none of that name.
pub(super) fn set_property(env: &mut Env<'_>, receiver: &Value, name: &str, value: &Value) -> Result<bool, Trouble> {
    if matches!(receiver, Value::List(_)) {
        for item in env.iterated(receiver)? {
            env.call_on(&item, "setProperty", &[Value::text(name), value.clone()])?;
        }
        return Ok(true);
    }
    let setter = format!("set{}", upper_first(name));
    Ok(call(env, receiver, &setter, std::slice::from_ref(value))?.is_some())
}

/// Calls a method that needs no receiver and that the host does not have.
pub(super) fn global(env: &mut Env<'_>, name: &str, arguments: &[Value]) -> Answer {
    match (name, arguments) {
        // What a script prints is dropped.
        ("println" | "print", [] | [_]) => Ok(Some(Value::Null)),
        ("use", [Value::Class(class), Value::Closure(body)]) if &**class == "TimeCategory" => {
            env.with_time_category(body).map(Some)
        }
        ("use", [Value::Class(class), ..]) => Err(Trouble::unsupported(format!("use({class})"))),
        ("with", [Value::Closure(body)]) => env.call_closure(body, &[]).map(Some),
        ("sleep" | "evaluate" | "run", _) => Err(Trouble::unsupported(format!("the method {name}"))),
        _ => Ok(None),
    }
}

/// An exception as a value.
pub(super) fn exception(class: &str, message: Option<&str>) -> Value {
    Value::Native(std::rc::Rc::new(Native::Exception { class: class.into(), message: message.map(Into::into) }))
}

/// A name with its first letter small.
fn lower_first(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

/// A name with its first letter large.
pub(super) fn upper_first(name: &str) -> String {
    let mut characters = name.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
