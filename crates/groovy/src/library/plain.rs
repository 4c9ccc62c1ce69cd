//! What every value can do, and null can.

use super::{Answer, each, text};
use crate::run::Env;
use crate::trouble::Trouble;
use crate::value::Value;
use std::sync::Arc;

/// Calls a method that every value has.
pub(crate) fn call(env: &mut Env<'_>, receiver: &Value, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("toString" | "inspect", []) => Value::from(env.text(receiver)?),
        ("equals", [other]) => Value::Bool(env.equal(receiver, other)?),
        ("is", [other]) => Value::Bool(receiver.same(other)),
        ("compareTo", [other]) => Value::Int(env.compare(receiver, other)? as i32),
        ("isCase", [other]) => Value::Bool(env.is_case(receiver, other)?),
        ("asBoolean", []) => Value::Bool(env.truth(receiver)?),
        ("hashCode", []) => {
            let own = env.text(receiver)?;
            Value::Int(text::java_hash(&own))
        }
        ("getClass", []) => Value::Class(Arc::from(env.class_of(receiver))),
        ("asType", [Value::Class(class)]) => env.convert(receiver, class)?,
        ("with" | "tap", [Value::Closure(closure)]) => {
            let result = env.call_with_delegate(closure, receiver.clone(), std::slice::from_ref(receiver))?;
            if name == "tap" { receiver.clone() } else { result }
        }
        ("getAt" | "getProperty", [Value::Text(property)]) => {
            return Ok(Some(env.get_index_or_property(receiver, property)?));
        }
        ("setProperty", [Value::Text(property), value]) => {
            env.set_any_property(receiver, property, value.clone())?;
            Value::Null
        }
        ("invokeMethod", [Value::Text(method), arguments]) => {
            let arguments = env.iterated(arguments)?;
            env.call_on(receiver, method, &arguments)?
        }
        ("sleep" | "getMetaClass" | "respondsTo" | "hasProperty" | "wait" | "notify", _) => {
            return Err(Trouble::unsupported(format!("the method {name}")));
        }
        _ => return iteration(env, receiver, name, arguments),
    };
    Ok(Some(value))
}

/// A single value is its own only element.
fn iteration(env: &mut Env<'_>, receiver: &Value, name: &str, arguments: &[Value]) -> Answer {
    let iterates = matches!(
        name,
        "each"
            | "eachWithIndex"
            | "collect"
            | "find"
            | "findAll"
            | "any"
            | "every"
            | "inject"
            | "grep"
            | "findIndexOf"
            | "findResult"
            | "split"
    );
    match arguments {
        [.., Value::Closure(_)] if iterates && !matches!(receiver, Value::List(_) | Value::Map(_)) => {
            let items = env.iterated(receiver)?;
            each::call(env, receiver, items, name, arguments)
        }
        _ => Ok(None),
    }
}

/// Calls a method of null: a few do not fail.
pub(super) fn call_null(env: &mut Env<'_>, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("toString" | "inspect", []) => Value::text("null"),
        ("equals" | "is", [other]) => Value::Bool(other.is_null()),
        ("asBoolean", []) => Value::Bool(false),
        ("getClass", []) => Value::Class(Arc::from("NullObject")),
        ("plus", [other @ Value::Text(_)]) => Value::from(format!("null{}", env.text(other)?)),
        ("iterator", []) => Value::list(Vec::new()),
        ("asType", [_]) => Value::Null,
        ("isCase", [other]) => Value::Bool(other.is_null()),
        ("with", [Value::Closure(closure)]) => env.call_closure(closure, &[Value::Null])?,
        _ => return iteration(env, &Value::Null, name, arguments),
    };
    Ok(Some(value))
}
