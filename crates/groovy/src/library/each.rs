//! Methods with closures, which every collection has: lists, maps (over their entries), texts (over their characters),
//! and even single values.

use super::Answer;
use super::arguments::{arity, test};
use super::sort::{self, Order};
use crate::native::Native;
use crate::run::Env;
use crate::tree::Binary;
use crate::trouble::Trouble;
use crate::value::{Closure, Map, Value};
use std::cmp::Ordering;
use std::rc::Rc;

/// Calls a method of a collection with these elements.
pub(super) fn call(env: &mut Env<'_>, receiver: &Value, items: Vec<Value>, name: &str, arguments: &[Value]) -> Answer {
    let [.., Value::Closure(closure)] = arguments else {
        return without_closure(env, items, name, arguments);
    };
    let value = match (name, arguments) {
        ("each" | "forEach", [_]) => {
            for item in items {
                env.call_closure(closure, &[item])?;
            }
            receiver.clone()
        }
        ("reverseEach", [_]) => {
            for item in items.into_iter().rev() {
                env.call_closure(closure, &[item])?;
            }
            receiver.clone()
        }
        ("eachWithIndex", [_]) => {
            for (index, item) in items.into_iter().enumerate() {
                call_with_index(env, closure, item, index)?;
            }
            receiver.clone()
        }
        ("collect", [_]) => Value::list(collected(env, items, closure)?),
        ("collect", [Value::List(into), _]) => {
            for value in collected(env, items, closure)? {
                into.push(value);
            }
            Value::List(into.clone())
        }
        ("collectMany", [_]) => collect_many(env, items, closure)?,
        ("collectEntries", [_]) => collect_entries(env, items, Some(closure))?,
        ("inject", [_] | [_, _]) => inject(env, items, arguments, closure)?,
        ("groupBy", [_]) => group_by(env, items, closure)?,
        ("countBy", [_]) => count_by(env, items, closure)?,
        ("sum", [_]) => {
            let values = collected(env, items, closure)?;
            sum(env, values, None)?
        }
        ("min", [_]) => sort::extreme(env, items, &Order::by(closure), Ordering::Less)?,
        ("max", [_]) => sort::extreme(env, items, &Order::by(closure), Ordering::Greater)?,
        _ => return search(env, items, name, arguments, closure),
    };
    Ok(Some(value))
}

/// Methods that look for elements.
fn search(env: &mut Env<'_>, items: Vec<Value>, name: &str, arguments: &[Value], closure: &Rc<Closure>) -> Answer {
    let [_] = arguments else { return Ok(None) };
    let value = match name {
        "find" => first_match(env, &items, closure)?.map(|(_, item)| item).unwrap_or_default(),
        "findIndexOf" => first_match(env, &items, closure)?.map_or(Value::Int(-1), |(index, _)| Value::int(index)),
        "any" => Value::Bool(first_match(env, &items, closure)?.is_some()),
        "every" => {
            let matching = matching(env, &items, closure)?;
            Value::Bool(matching.len() == items.len())
        }
        "findAll" | "grep" => Value::list(matching(env, &items, closure)?),
        "count" => Value::int(matching(env, &items, closure)?.len() as i64),
        "findResult" => {
            for item in items {
                let result = env.call_closure(closure, &[item])?;
                if !result.is_null() {
                    return Ok(Some(result));
                }
            }
            Value::Null
        }
        "findResults" => {
            let results = collected(env, items, closure)?;
            Value::list(results.into_iter().filter(|result| !result.is_null()).collect())
        }
        "findLastIndexOf" => {
            let mut last = -1;
            for (index, item) in items.iter().enumerate() {
                if test(env, closure, item)? {
                    last = index as i64;
                }
            }
            Value::int(last)
        }
        "findIndexValues" => {
            let mut indices = Vec::new();
            for (index, item) in items.iter().enumerate() {
                if test(env, closure, item)? {
                    indices.push(Value::Long(index as i64));
                }
            }
            Value::list(indices)
        }
        "split" => {
            let (mut yes, mut no) = (Vec::new(), Vec::new());
            for item in items {
                if test(env, closure, &item)? { yes.push(item) } else { no.push(item) }
            }
            Value::list(vec![Value::list(yes), Value::list(no)])
        }
        "takeWhile" => Value::list(items[..prefix(env, &items, closure)?].to_vec()),
        "dropWhile" => Value::list(items[prefix(env, &items, closure)?..].to_vec()),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn without_closure(env: &mut Env<'_>, items: Vec<Value>, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("find", []) => {
            for item in items {
                if env.truth(&item)? {
                    return Ok(Some(item));
                }
            }
            Value::Null
        }
        ("findAll" | "grep", []) => Value::list(truthy(env, items)?),
        ("any", []) => Value::Bool(!truthy(env, items)?.is_empty()),
        ("every", []) => {
            let size = items.len();
            Value::Bool(truthy(env, items)?.len() == size)
        }
        ("grep", [filter]) => {
            let mut kept = Vec::new();
            for item in items {
                if env.is_case(filter, &item)? {
                    kept.push(item);
                }
            }
            Value::list(kept)
        }
        ("collect", []) => Value::list(items),
        ("collectEntries", []) => collect_entries(env, items, None)?,
        ("sum", []) => sum(env, items, None)?,
        ("sum", [first]) => sum(env, items, Some(first.clone()))?,
        ("min", []) => sort::extreme(env, items, &Order::Natural, Ordering::Less)?,
        ("max", []) => sort::extreme(env, items, &Order::Natural, Ordering::Greater)?,
        ("count", [value]) => {
            let mut count = 0;
            for item in &items {
                count += i32::from(env.equal(item, value)?);
            }
            Value::Int(count)
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn truthy(env: &mut Env<'_>, items: Vec<Value>) -> Result<Vec<Value>, Trouble> {
    let mut kept = Vec::new();
    for item in items {
        if env.truth(&item)? {
            kept.push(item);
        }
    }
    Ok(kept)
}

fn first_match(env: &mut Env<'_>, items: &[Value], closure: &Rc<Closure>) -> Result<Option<(i64, Value)>, Trouble> {
    for (index, item) in items.iter().enumerate() {
        if test(env, closure, item)? {
            return Ok(Some((index as i64, item.clone())));
        }
    }
    Ok(None)
}

/// The elements for which a closure gives a true value.
pub(super) fn matching(env: &mut Env<'_>, items: &[Value], closure: &Rc<Closure>) -> Result<Vec<Value>, Trouble> {
    let mut kept = Vec::new();
    for item in items {
        if test(env, closure, item)? {
            kept.push(item.clone());
        }
    }
    env.run.charge_items(kept.len())?;
    Ok(kept)
}

fn prefix(env: &mut Env<'_>, items: &[Value], closure: &Rc<Closure>) -> Result<usize, Trouble> {
    for (index, item) in items.iter().enumerate() {
        if !test(env, closure, item)? {
            return Ok(index);
        }
    }
    Ok(items.len())
}

/// What a closure makes of each element.
pub(super) fn collected(env: &mut Env<'_>, items: Vec<Value>, closure: &Rc<Closure>) -> Result<Vec<Value>, Trouble> {
    env.run.charge_items(items.len())?;
    items.into_iter().map(|item| env.call_closure(closure, &[item])).collect()
}

fn collect_many(env: &mut Env<'_>, items: Vec<Value>, closure: &Rc<Closure>) -> Result<Value, Trouble> {
    let mut all = Vec::new();
    for result in collected(env, items, closure)? {
        all.extend(env.iterated(&result)?);
    }
    env.run.charge_items(all.len())?;
    Ok(Value::list(all))
}

/// A map of pairs: entries, lists of two, or maps.
fn collect_entries(env: &mut Env<'_>, items: Vec<Value>, closure: Option<&Rc<Closure>>) -> Result<Value, Trouble> {
    let map = Map::default();
    for item in items {
        let result = match closure {
            Some(closure) => env.call_closure(closure, &[item])?,
            None => item,
        };
        env.run.charge_items(2)?;
        match &result {
            Value::Map(entries) => entries.entries().into_iter().for_each(|(key, value)| {
                map.insert(key, value);
            }),
            Value::List(pair) => {
                map.insert(pair.get(0).unwrap_or_default(), pair.get(1).unwrap_or_default());
            }
            Value::Native(native) if matches!(&**native, Native::Entry(..)) => {
                if let Native::Entry(key, value) = &**native {
                    map.insert(key.clone(), value.clone());
                }
            }
            other => return Err(env.bad_cast(other, "Map.Entry")),
        }
    }
    Ok(Value::Map(Rc::new(map)))
}

fn inject(env: &mut Env<'_>, items: Vec<Value>, arguments: &[Value], closure: &Rc<Closure>) -> Result<Value, Trouble> {
    let mut items = items.into_iter();
    let mut result = match arguments {
        [first, _] => first.clone(),
        _ => items.next().unwrap_or_default(),
    };
    for item in items {
        let arguments = match &item {
            Value::Native(native) if arity(closure) == 3 => match &**native {
                Native::Entry(key, value) => vec![result, key.clone(), value.clone()],
                _ => vec![result, item],
            },
            _ => vec![result, item],
        };
        result = env.call_closure(closure, &arguments)?;
    }
    Ok(result)
}

fn call_with_index(env: &mut Env<'_>, closure: &Rc<Closure>, item: Value, index: usize) -> Result<Value, Trouble> {
    let index = Value::int(index as i64);
    if let (3, Value::Native(native)) = (arity(closure), &item)
        && let Native::Entry(key, value) = &**native
    {
        return env.call_closure(closure, &[key.clone(), value.clone(), index]);
    }
    env.call_closure(closure, &[item, index])
}

/// Lists of elements, by what a closure makes of them. The entries of a map are gathered into maps.
fn group_by(env: &mut Env<'_>, items: Vec<Value>, closure: &Rc<Closure>) -> Result<Value, Trouble> {
    let groups = Map::default();
    for item in items {
        let key = env.call_closure(closure, std::slice::from_ref(&item))?;
        env.run.charge_items(2)?;
        match (&item, groups.find(&key)) {
            (Value::Native(native), known) if matches!(&**native, Native::Entry(..)) => {
                let Native::Entry(own, value) = &**native else { continue };
                let group = match known {
                    Some(Value::Map(group)) => group,
                    _ => Rc::default(),
                };
                group.insert(own.clone(), value.clone());
                groups.insert(key, Value::Map(group));
            }
            (_, Some(Value::List(group))) => {
                group.push(item);
            }
            _ => {
                groups.insert(key, Value::list(vec![item]));
            }
        }
    }
    Ok(Value::Map(Rc::new(groups)))
}

fn count_by(env: &mut Env<'_>, items: Vec<Value>, closure: &Rc<Closure>) -> Result<Value, Trouble> {
    let counts = Map::default();
    for item in items {
        let key = env.call_closure(closure, &[item])?;
        let count = counts.find(&key).unwrap_or(Value::Int(0));
        let count = env.binary(Binary::Add, &count, &Value::Int(1))?;
        counts.insert(key, count);
    }
    Ok(Value::Map(Rc::new(counts)))
}

/// The sum by `+`, whatever the elements are; null if there are none.
fn sum(env: &mut Env<'_>, items: Vec<Value>, first: Option<Value>) -> Result<Value, Trouble> {
    let mut total = first;
    for item in items {
        total = Some(match total {
            Some(total) => env.binary(Binary::Add, &total, &item)?,
            None => item,
        });
    }
    Ok(total.unwrap_or_default())
}
