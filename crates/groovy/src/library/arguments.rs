//! Arguments of library methods.

use crate::number;
use crate::run::Env;
use crate::trouble::Trouble;
use crate::value::{Closure, ClosureBody, Value};
use std::rc::Rc;

/// A number without its fraction.
pub(super) fn long(env: &mut Env<'_>, value: &Value) -> Result<i64, Trouble> {
    number::to_long(value).ok_or_else(|| env.bad_cast(value, "int"))
}

/// A size, an index or a count, which is not negative.
pub(super) fn size(env: &mut Env<'_>, value: &Value) -> Result<usize, Trouble> {
    let number = long(env, value)?;
    usize::try_from(number).map_err(|_| Trouble::illegal(format!("a negative size: {number}")))
}

/// A double.
pub(super) fn double(env: &mut Env<'_>, value: &Value) -> Result<f64, Trouble> {
    number::to_double(value).ok_or_else(|| env.bad_cast(value, "double"))
}

/// How many parameters a closure has. One that only has `it` has one.
pub(super) fn arity(closure: &Closure) -> usize {
    match &closure.body {
        ClosureBody::Code { index, .. } => closure.instance.script().closure(*index).function.parameters.len(),
        ClosureBody::Method { .. } => 1,
        ClosureBody::Curried { inner, before, after } => arity(inner).saturating_sub(before.len() + after.len()),
        ClosureBody::Composed { first, .. } => arity(first),
    }
}

/// Calls a closure with one value and asks whether the result counts as true.
pub(super) fn test(env: &mut Env<'_>, closure: &Rc<Closure>, value: &Value) -> Result<bool, Trouble> {
    let result = env.call_closure(closure, std::slice::from_ref(value))?;
    env.truth(&result)
}
