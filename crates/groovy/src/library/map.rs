//! Methods of maps.

use super::arguments::{size, test};
use super::sort::{self, Order};
use super::{Answer, each};
use crate::native::Native;
use crate::run::{Env, entries_of, entry};
use crate::tree::Binary;
use crate::trouble::Trouble;
use crate::value::{Closure, Map, Value};
use std::cell::Cell;
use std::rc::Rc;

/// Calls a method of a map. A key whose value is a closure is a method too.
pub(super) fn call(env: &mut Env<'_>, map: &Rc<Map>, name: &str, arguments: &[Value]) -> Answer {
    if let Some(value) = look(env, map, name, arguments)? {
        return Ok(Some(value));
    }
    if let Some(value) = change(env, map, name, arguments)? {
        return Ok(Some(value));
    }
    if let [Value::Closure(closure)] = arguments
        && let Some(value) = filter(env, map, name, closure)?
    {
        return Ok(Some(value));
    }
    if let Some(Value::Closure(closure)) = map.get(name) {
        return env.call_closure(&closure, arguments).map(Some);
    }
    each::call(env, &Value::Map(map.clone()), entries_of(map), name, arguments)
}

fn look(env: &mut Env<'_>, map: &Rc<Map>, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("size", []) => Value::int(map.len() as i64),
        ("isEmpty", []) => Value::Bool(map.is_empty()),
        ("get" | "getAt", [key]) => map.find_or_null(key),
        ("getOrDefault", [key, default]) => map.find(key).unwrap_or_else(|| default.clone()),
        ("containsKey", [key]) => Value::Bool(map.find(key).is_some()),
        ("containsValue", [value]) => Value::Bool(env.contains(&map.values(), value)?),
        ("keySet", []) => Value::set(map.keys()),
        ("values", []) => Value::list(map.values()),
        ("entrySet", []) => Value::list(entries_of(map)),
        ("iterator", []) => Value::Native(Rc::new(Native::Iterator { items: entries_of(map), taken: Cell::new(0) })),
        ("subMap", [keys]) => {
            let keys = env.iterated(keys)?;
            Value::map(keys.into_iter().filter_map(|key| map.find(&key).map(|value| (key, value))))
        }
        ("plus", [other @ Value::Map(_)]) => env.binary(Binary::Add, &Value::Map(map.clone()), other)?,
        ("minus" | "intersect", [Value::Map(other)]) => {
            let shared = name == "intersect";
            let mut kept = Vec::new();
            for (key, value) in map.entries() {
                let same = match other.find(&key) {
                    Some(theirs) => env.equal(&theirs, &value)?,
                    None => false,
                };
                if same == shared {
                    kept.push((key, value));
                }
            }
            Value::map(kept)
        }
        ("asImmutable" | "asSynchronized", []) => Value::Map(map.clone()),
        ("clone", []) => Value::map(map.entries()),
        ("sort" | "toSorted", []) => {
            let keys = sort::sorted(env, map.keys(), &Order::Natural)?;
            Value::map(keys.into_iter().map(|key| (key.clone(), map.find(&key).unwrap_or_default())))
        }
        ("take", [n]) => {
            let n = size(env, n)?;
            Value::map(map.entries().into_iter().take(n))
        }
        ("drop", [n]) => {
            let n = size(env, n)?;
            Value::map(map.entries().into_iter().skip(n))
        }
        ("withDefault" | "stream" | "spread", _) => {
            return Err(Trouble::unsupported(format!("the map method {name}")));
        }
        ("toMapString", []) => Value::from(env.text(&Value::Map(map.clone()))?),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn change(env: &mut Env<'_>, map: &Rc<Map>, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("put" | "putAt", [key, value]) => {
            env.run.charge_items(2)?;
            map.insert(key.clone(), value.clone()).unwrap_or_default()
        }
        // With a default, the entry is made if it is missing.
        ("get", [key, default]) => {
            if map.find(key).is_none() {
                env.run.charge_items(2)?;
                map.insert(key.clone(), default.clone());
            }
            map.find(key).unwrap_or_default()
        }
        ("putIfAbsent", [key, value]) => match map.find(key) {
            Some(known) if !known.is_null() => known,
            _ => {
                env.run.charge_items(2)?;
                map.insert(key.clone(), value.clone());
                Value::Null
            }
        },
        ("putAll" | "leftShift", [Value::Map(more)]) => {
            env.run.charge_items(2 * more.len())?;
            for (key, value) in more.entries() {
                map.insert(key, value);
            }
            if name == "leftShift" { Value::Map(map.clone()) } else { Value::Null }
        }
        ("remove", [key]) => map.remove(key).unwrap_or_default(),
        ("clear", []) => {
            map.clear();
            Value::Null
        }
        ("setProperty", [Value::Text(key), value]) => {
            map.set(key, value.clone());
            Value::Null
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Methods whose result is a map again, or an entry.
fn filter(env: &mut Env<'_>, map: &Rc<Map>, name: &str, closure: &Rc<Closure>) -> Answer {
    let value = match name {
        "findAll" => Value::map(matching(env, map, closure, true)?),
        "removeAll" | "retainAll" => {
            let dropped = matching(env, map, closure, name == "removeAll")?;
            for (key, _) in &dropped {
                map.remove(key);
            }
            Value::Bool(!dropped.is_empty())
        }
        "sort" | "toSorted" => {
            let sorted = sort::sorted(env, entries_of(map), &Order::by(closure))?;
            Value::map(sorted.into_iter().filter_map(pair))
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn matching(env: &mut Env<'_>, map: &Map, closure: &Rc<Closure>, wanted: bool) -> Result<Vec<(Value, Value)>, Trouble> {
    let mut kept = Vec::new();
    for (key, value) in map.entries() {
        if test(env, closure, &entry(key.clone(), value.clone()))? == wanted {
            kept.push((key, value));
        }
    }
    env.run.charge_items(2 * kept.len())?;
    Ok(kept)
}

fn pair(value: Value) -> Option<(Value, Value)> {
    let Value::Native(native) = value else { return None };
    let Native::Entry(key, value) = &*native else { return None };
    Some((key.clone(), value.clone()))
}
