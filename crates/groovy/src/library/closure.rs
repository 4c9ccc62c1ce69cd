//! Methods of closures.

use super::Answer;
use super::arguments::arity;
use crate::run::Env;
use crate::trouble::Trouble;
use crate::value::{Closure, ClosureBody, Delegate, Value};
use std::cell::RefCell;
use std::rc::Rc;

/// Calls a method of a closure.
pub(super) fn call(env: &mut Env<'_>, closure: &Rc<Closure>, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("call" | "doCall" | "run", _) => env.call_closure(closure, arguments)?,
        ("curry", _) => derived(
            closure,
            ClosureBody::Curried { inner: closure.clone(), before: arguments.to_vec(), after: Vec::new() },
        ),
        ("rcurry", _) => derived(
            closure,
            ClosureBody::Curried { inner: closure.clone(), before: Vec::new(), after: arguments.to_vec() },
        ),
        ("rightShift", [Value::Closure(second)]) => {
            derived(closure, ClosureBody::Composed { first: closure.clone(), second: second.clone() })
        }
        ("leftShift", [Value::Closure(first)]) => {
            derived(closure, ClosureBody::Composed { first: first.clone(), second: closure.clone() })
        }
        ("memoize" | "clone" | "rehydrate" | "dehydrate", _) => Value::Closure(closure.clone()),
        ("setDelegate", [delegate]) => {
            let outer = closure.delegate.borrow().clone();
            *closure.delegate.borrow_mut() = Some(Rc::new(Delegate { value: delegate.clone(), outer }));
            Value::Null
        }
        ("setResolveStrategy", [_]) => Value::Null,
        ("ncurry" | "trampoline" | "memoizeAtMost", _) => {
            return Err(Trouble::unsupported(format!("the closure method {name}")));
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Reads a property of a closure.
pub(super) fn property(closure: &Rc<Closure>, name: &str) -> Option<Value> {
    match name {
        "maximumNumberOfParameters" => Some(Value::int(arity(closure) as i64)),
        "delegate" => Some(closure.delegate.borrow().as_ref().map_or(Value::Null, |link| link.value.clone())),
        _ => None,
    }
}

fn derived(closure: &Closure, body: ClosureBody) -> Value {
    let instance = closure.instance.clone();
    Value::Closure(Rc::new(Closure { instance, body, delegate: RefCell::new(None) }))
}
