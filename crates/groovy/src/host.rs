//! What lies outside of the language.

use super::run::Run;
use super::span::Span;
use super::trouble::Trouble;
use super::value::{Object, Value};
use std::rc::Rc;

/// What an object of the host looks like to the library's methods.
pub enum Elements {
    /// A list of values: `each`, `find`, `[0]`, `*.on()`, `size()` and all other list methods work on it.
    List(Vec<Value>),
    /// A map: `each`, `keySet`, `containsKey`, `size()` and all other map methods work on it. Changes to it are lost
    /// unless the host shows the map itself.
    Map(Rc<super::value::Map>),
}

/// The platform that a script runs on.
///
/// Every method hears who is running through [`Run::instance`], and can run script code by the methods of [`Run`]: a
/// closure argument, or a handler of another app. A receiver of `None` means the name was used without one. The names
/// of named arguments come as a leading [`Value::Map`], as Groovy has it.
pub trait Host {
    /// Calls a method; `None` says that there is none of that name here. For a call without a receiver the interpreter
    /// has then already looked among the variables and the script's own methods; for one with a receiver it goes on to
    /// the library's methods on [`Host::elements`].
    fn call(
        &mut self,
        run: &mut Run,
        receiver: Option<&Object>,
        name: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble>;

    /// Reads a property; `None` says that there is none of that name. Without a receiver it is a name that is neither a
    /// variable nor a field of the script: an input, `state`, `location`, … The name of a method of the script is asked
    /// for too, as in `subscribe(app, handler)`: the answer is then `None`, and the interpreter makes a
    /// [`Value::Method`] of it.
    fn get(&mut self, run: &mut Run, receiver: Option<&Object>, name: &str, at: Span)
    -> Result<Option<Value>, Trouble>;

    /// Writes a property; `false` says that there is none of that name. Without a receiver the interpreter then makes
    /// it a script-level variable of the instance.
    fn set(
        &mut self,
        run: &mut Run,
        receiver: Option<&Object>,
        name: &str,
        value: &Value,
        at: Span,
    ) -> Result<bool, Trouble>;

    /// Reads `object[key]`; `None` makes the interpreter look in [`Host::elements`], and a text key is then a property.
    fn index(&mut self, run: &mut Run, object: &Object, key: &Value, at: Span) -> Result<Option<Value>, Trouble> {
        let _ = (run, object, key, at);
        Ok(None)
    }

    /// Writes `object[key]`; `false` makes the interpreter take a text key for a property.
    fn set_index(
        &mut self,
        run: &mut Run,
        object: &Object,
        key: &Value,
        value: &Value,
        at: Span,
    ) -> Result<bool, Trouble> {
        let _ = (run, object, key, value, at);
        Ok(false)
    }

    /// What the object looks like to the library's list and map methods, if it is a collection at all.
    fn elements(&mut self, run: &mut Run, object: &Object) -> Result<Option<Elements>, Trouble> {
        let _ = (run, object);
        Ok(None)
    }

    /// Whether the object counts as true. By default a collection does if it is not empty, and anything else always.
    fn truth(&mut self, run: &mut Run, object: &Object) -> Result<bool, Trouble> {
        Ok(match self.elements(run, object)? {
            Some(Elements::List(items)) => !items.is_empty(),
            Some(Elements::Map(map)) => !map.is_empty(),
            None => true,
        })
    }

    /// The object's text, as in `"$device"`.
    fn text(&mut self, run: &mut Run, object: &Object) -> Result<String, Trouble>;

    /// The simple name of the object's class, for messages and `instanceof`.
    fn class(&self, object: &Object) -> String {
        let _ = object;
        "object".to_owned()
    }

    /// Whether the object equals a value, which may be another object.
    fn equal(&mut self, run: &mut Run, object: &Object, other: &Value) -> Result<bool, Trouble> {
        let _ = run;
        Ok(matches!(other, Value::Object(other) if other.kind == object.kind && other.id == object.id))
    }

    /// Makes an object of a class that the library does not have: `new HubAction(…)`; `None` if the host has it neither.
    fn construct(
        &mut self,
        run: &mut Run,
        class: &str,
        arguments: &[Value],
        at: Span,
    ) -> Result<Option<Value>, Trouble> {
        let _ = (run, class, arguments, at);
        Ok(None)
    }

    /// A constant of a class that the library does not have (`Protocol.LAN`), or a call of its static method if there are
    /// arguments; `None` if the host has it neither.
    fn class_member(
        &mut self,
        run: &mut Run,
        class: &str,
        name: &str,
        arguments: Option<&[Value]>,
    ) -> Result<Option<Value>, Trouble> {
        let _ = (run, class, name, arguments);
        Ok(None)
    }

    /// The present moment in milliseconds since 1970 UTC.
    fn now(&mut self, run: &mut Run) -> Result<i64, Trouble>;

    /// How far the zone of a name (`America/New_York`), or the home's own, is ahead of UTC at a moment, in milliseconds.
    /// The library itself knows UTC, GMT and offsets such as `GMT-05:00`.
    fn zone_offset(&mut self, zone: Option<&str>, at_moment: i64) -> Option<i64> {
        let _ = (zone, at_moment);
        None
    }

    /// A random whole number from 0 up to but not including `bound`, for `Random` and `Math.random()`.
    fn random(&mut self, run: &mut Run, bound: u64) -> Result<u64, Trouble>;
}
