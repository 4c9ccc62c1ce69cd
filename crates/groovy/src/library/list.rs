//! Methods of lists, sets and ranges.

use super::arguments::{long, size, test};
use super::sort::{self, Order};
use super::{Answer, each};
use crate::codec;
use crate::native::Native;
use crate::run::{Env, at_index, out_of_range};
use crate::tree::Binary;
use crate::trouble::{Trouble, TroubleKind};
use crate::value::{List, ListKind, Value};
use std::cell::Cell;
use std::cmp::Ordering;
use std::rc::Rc;

/// Flattening goes no deeper: a list may contain itself.
const MAX_NESTING: u32 = 64;

/// Calls a method of a list.
pub(super) fn call(env: &mut Env<'_>, list: &Rc<List>, name: &str, arguments: &[Value]) -> Answer {
    if let Some(value) = whole(env, list, name, arguments)? {
        return Ok(Some(value));
    }
    if let Some(value) = change(env, list, name, arguments)? {
        return Ok(Some(value));
    }
    if let Some(value) = part(env, list, name, arguments)? {
        return Ok(Some(value));
    }
    each::call(env, &Value::List(list.clone()), list.items(), name, arguments)
}

/// Methods that ask about the whole list, or make another one of it.
fn whole(env: &mut Env<'_>, list: &Rc<List>, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("size" | "length", []) => Value::int(list.len() as i64),
        ("isEmpty", []) => Value::Bool(list.is_empty()),
        ("contains", [value]) => Value::Bool(env.contains(&list.items(), value)?),
        ("containsAll", [values]) => {
            let items = list.items();
            for value in env.iterated(values)? {
                if !env.contains(&items, &value)? {
                    return Ok(Some(Value::Bool(false)));
                }
            }
            Value::Bool(true)
        }
        ("containsWithinBounds", [value]) => Value::Bool(env.is_case(&Value::List(list.clone()), value)?),
        ("join", []) => join(env, &list.items(), "")?,
        ("join", [between]) => {
            let between = env.text(between)?;
            join(env, &list.items(), &between)?
        }
        ("flatten", []) => {
            let mut flat = Vec::new();
            flatten(env, &list.items(), &mut flat, 0)?;
            same_kind(list, flat)
        }
        ("reverse", []) => reversed(list),
        ("reverse", [Value::Bool(false)]) => reversed(list),
        ("toList" | "asList" | "toArray" | "clone" | "collect", []) => Value::list(list.items()),
        ("asImmutable" | "asUnmodifiable" | "asSynchronized", []) => Value::List(list.clone()),
        ("toSet", []) => Value::set(list.items()),
        ("toSorted", []) => Value::list(sort::sorted(env, list.items(), &Order::Natural)?),
        ("toSorted", [Value::Closure(closure)]) => Value::list(sort::sorted(env, list.items(), &Order::by(closure))?),
        ("toUnique", []) => Value::list(unique(env, list.items())?),
        ("transpose", []) => transpose(env, list)?,
        ("withIndex", []) => indexed(list, true),
        ("indexed", []) => indexed(list, false),
        ("intersect", [other]) => {
            let others = env.iterated(other)?;
            keep(env, list, |env, item| env.contains(&others, item))?
        }
        ("disjoint", [other]) => {
            let others = env.iterated(other)?;
            for item in list.items() {
                if env.contains(&others, &item)? {
                    return Ok(Some(Value::Bool(false)));
                }
            }
            Value::Bool(true)
        }
        ("collate", [width]) => {
            let width = size(env, width)?.max(1);
            Value::list(list.items().chunks(width).map(|chunk| Value::list(chunk.to_vec())).collect())
        }
        ("step", [by]) => {
            let by = size(env, by)?.max(1);
            Value::list(list.items().into_iter().step_by(by).collect())
        }
        ("iterator" | "listIterator", []) => {
            Value::Native(Rc::new(Native::Iterator { items: list.items(), taken: Cell::new(0) }))
        }
        ("plus", [other]) => env.binary(Binary::Add, &Value::List(list.clone()), other)?,
        ("minus", [other]) => env.binary(Binary::Subtract, &Value::List(list.clone()), other)?,
        ("multiply", [times]) => env.binary(Binary::Multiply, &Value::List(list.clone()), times)?,
        ("encodeHex", []) => {
            codec::bytes_of(&Value::List(list.clone())).map(|bytes| Value::from(codec::hex(&bytes))).unwrap_or_default()
        }
        ("encodeBase64", []) => codec::bytes_of(&Value::List(list.clone()))
            .map(|bytes| Value::from(codec::base64(&bytes)))
            .unwrap_or_default(),
        ("permutations" | "combinations" | "stream" | "parallelStream" | "eachPermutation" | "subsequences", _) => {
            return Err(Trouble::unsupported(format!("the list method {name}")));
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Methods that change the list.
fn change(env: &mut Env<'_>, list: &Rc<List>, name: &str, arguments: &[Value]) -> Answer {
    let this = Value::List(list.clone());
    let value = match (name, arguments) {
        ("add" | "push" | "addLast" | "offer" | "leftShift", [value]) => {
            env.run.charge_items(1)?;
            let added = list.push(value.clone());
            if name == "leftShift" { this } else { Value::Bool(added) }
        }
        ("add", [index, value]) => {
            env.run.charge_items(1)?;
            insert(env, list, index, vec![value.clone()])?
        }
        ("addAll", [values]) => {
            let values = env.iterated(values)?;
            env.run.charge_items(values.len())?;
            let before = list.len();
            for value in values {
                list.push(value);
            }
            Value::Bool(list.len() > before)
        }
        ("addAll", [index, values]) => {
            let values = env.iterated(values)?;
            env.run.charge_items(values.len())?;
            insert(env, list, index, values)?
        }
        ("remove" | "removeAt", [index @ Value::Int(_)]) if list.kind() != ListKind::Set => {
            let at = long(env, index)?;
            let Some(at) = usize::try_from(at).ok().filter(|&at| at < list.len()) else {
                return Err(out_of_range(index, list.len()));
            };
            list.change(|items| items.remove(at))
        }
        ("remove" | "removeElement", [value]) => Value::Bool(remove_first(env, list, value)?),
        ("removeAll" | "retainAll", [Value::Closure(closure)]) => {
            let keeps = name == "retainAll";
            let mut rest = Vec::new();
            for item in list.items() {
                if test(env, closure, &item)? == keeps {
                    rest.push(item);
                }
            }
            replaced(list, rest)
        }
        ("removeAll" | "retainAll", [values]) => {
            let values = env.iterated(values)?;
            let keeps = name == "retainAll";
            let mut rest = Vec::new();
            for item in list.items() {
                if env.contains(&values, &item)? == keeps {
                    rest.push(item);
                }
            }
            replaced(list, rest)
        }
        ("clear", []) => {
            list.change(Vec::clear);
            Value::Null
        }
        ("pop" | "removeLast", []) => list.change(Vec::pop).ok_or_else(|| empty("pop"))?,
        ("removeFirst" | "poll", []) => {
            if list.is_empty() {
                return if name == "poll" { Ok(Some(Value::Null)) } else { Err(empty(name)) };
            }
            list.change(|items| items.remove(0))
        }
        ("set" | "putAt", [index, value]) => {
            let old = env.get_index(&this, index, env.run.at())?;
            env.set_index(&this, index, value.clone(), env.run.at())?;
            old
        }
        ("swap", [from, to]) => {
            let (from, to, len) = (size(env, from)?, size(env, to)?, list.len());
            if from >= len || to >= len {
                return Err(out_of_range(&Value::int(from.max(to) as i64), len));
            }
            list.change(|items| items.swap(from, to));
            this
        }
        ("sort", _) => return sort(env, list, arguments),
        ("unique", []) => {
            let rest = unique(env, list.items())?;
            replaced(list, rest);
            this
        }
        ("unique", [Value::Bool(change)]) => {
            let rest = unique(env, list.items())?;
            if !change {
                return Ok(Some(same_kind(list, rest)));
            }
            replaced(list, rest);
            this
        }
        ("unique", [Value::Closure(closure)]) => {
            let rest = unique_by(env, list.items(), closure)?;
            replaced(list, rest);
            this
        }
        ("reverse", [Value::Bool(true)]) => {
            list.change(|items| items.reverse());
            this
        }
        ("shuffle", []) => {
            shuffle(env, list)?;
            Value::Null
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Methods that take elements out of the list.
fn part(env: &mut Env<'_>, list: &Rc<List>, name: &str, arguments: &[Value]) -> Answer {
    let items = || list.items();
    let count = list.len();
    let value = match (name, arguments) {
        ("get", [index]) => {
            let at = long(env, index)?;
            let at = usize::try_from(at).ok().and_then(|at| list.get(at));
            at.ok_or_else(|| out_of_range(index, count))?
        }
        ("getAt", [index]) => env.get_index(&Value::List(list.clone()), index, env.run.at())?,
        ("first" | "head" | "getFirst" | "element", []) => list.get(0).ok_or_else(|| empty(name))?,
        ("last" | "getLast", []) => list.get(count.wrapping_sub(1)).ok_or_else(|| empty(name))?,
        ("peek", []) => list.get(count.wrapping_sub(1)).unwrap_or_default(),
        ("getFrom", []) if list.kind() == ListKind::Range => list.get(0).unwrap_or_default(),
        ("getTo", []) if list.kind() == ListKind::Range => list.get(count.wrapping_sub(1)).unwrap_or_default(),
        ("tail", []) => same_kind(list, items().into_iter().skip(1).collect()),
        ("init", []) => same_kind(list, items().into_iter().take(count.saturating_sub(1)).collect()),
        ("take", [n]) => {
            let n = size(env, n)?;
            same_kind(list, items().into_iter().take(n).collect())
        }
        ("drop", [n]) => {
            let n = size(env, n)?;
            same_kind(list, items().into_iter().skip(n).collect())
        }
        ("takeRight", [n]) => {
            let n = size(env, n)?;
            same_kind(list, items().into_iter().skip(count.saturating_sub(n)).collect())
        }
        ("dropRight", [n]) => {
            let n = size(env, n)?;
            same_kind(list, items().into_iter().take(count.saturating_sub(n)).collect())
        }
        ("subList", [from, to]) => {
            let (first, last) = (size(env, from)?, size(env, to)?);
            let part = items().get(first..last).map(<[Value]>::to_vec);
            Value::list(part.ok_or_else(|| out_of_range(to, count))?)
        }
        ("indexOf", [value]) => {
            for (index, item) in items().iter().enumerate() {
                if env.equal(item, value)? {
                    return Ok(Some(Value::int(index as i64)));
                }
            }
            Value::Int(-1)
        }
        ("lastIndexOf", [value]) => {
            for (index, item) in items().iter().enumerate().rev() {
                if env.equal(item, value)? {
                    return Ok(Some(Value::int(index as i64)));
                }
            }
            Value::Int(-1)
        }
        ("getIndices", []) => env.range_items(&Value::Int(0), &Value::int(count as i64), true).map(Value::list)?,
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn empty(method: &str) -> Trouble {
    let message = Some(format!("Cannot access {method}() element from an empty List"));
    Trouble::new(TroubleKind::Thrown { class: "NoSuchElementException".to_owned(), message })
}

fn same_kind(list: &List, items: Vec<Value>) -> Value {
    if list.kind() == ListKind::Set { Value::set(items) } else { Value::list(items) }
}

fn reversed(list: &List) -> Value {
    same_kind(list, list.items().into_iter().rev().collect())
}

/// Replaces the elements, and says whether there are fewer or more now.
fn replaced(list: &List, items: Vec<Value>) -> Value {
    let changed = items.len() != list.len();
    list.change(|old| *old = items);
    Value::Bool(changed)
}

fn keep(
    env: &mut Env<'_>,
    list: &List,
    mut test: impl FnMut(&mut Env<'_>, &Value) -> Result<bool, Trouble>,
) -> Result<Value, Trouble> {
    let mut kept = Vec::new();
    for item in list.items() {
        if test(env, &item)? {
            kept.push(item);
        }
    }
    Ok(same_kind(list, kept))
}

fn insert(env: &mut Env<'_>, list: &List, index: &Value, values: Vec<Value>) -> Result<Value, Trouble> {
    let at = size(env, index)?;
    if at > list.len() {
        return Err(out_of_range(index, list.len()));
    }
    list.change(|items| {
        items.splice(at..at, values);
    });
    Ok(Value::Null)
}

fn remove_first(env: &mut Env<'_>, list: &List, value: &Value) -> Result<bool, Trouble> {
    for (index, item) in list.items().iter().enumerate() {
        if env.equal(item, value)? {
            if index < list.len() {
                list.change(|items| items.remove(index));
            }
            return Ok(true);
        }
    }
    Ok(false)
}

/// The texts of the elements with something between them.
pub(super) fn join(env: &mut Env<'_>, items: &[Value], between: &str) -> Result<Value, Trouble> {
    let mut text = String::new();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push_str(between);
        }
        env.write_text(item, &mut text)?;
    }
    env.run.charge(text.len())?;
    Ok(Value::from(text))
}

fn flatten(env: &mut Env<'_>, items: &[Value], into: &mut Vec<Value>, depth: u32) -> Result<(), Trouble> {
    if depth > MAX_NESTING {
        return Err(Trouble::new(TroubleKind::TooDeep));
    }
    for item in items {
        match item {
            Value::List(inner) => flatten(env, &inner.items(), into, depth + 1)?,
            other => into.push(other.clone()),
        }
    }
    env.run.charge_items(items.len())
}

fn transpose(env: &mut Env<'_>, list: &List) -> Result<Value, Trouble> {
    let mut rows = Vec::new();
    for item in list.items() {
        rows.push(env.iterated(&item)?);
    }
    let width = rows.iter().map(Vec::len).min().unwrap_or(0);
    let column = |at: usize| Value::list(rows.iter().map(|row| row[at].clone()).collect());
    Ok(Value::list((0..width).map(column).collect()))
}

fn indexed(list: &List, pairs: bool) -> Value {
    let numbered = list.items().into_iter().enumerate().map(|(index, item)| (Value::int(index as i64), item));
    if pairs {
        Value::list(numbered.map(|(index, item)| Value::list(vec![item, index])).collect())
    } else {
        Value::map(numbered)
    }
}

fn unique(env: &mut Env<'_>, items: Vec<Value>) -> Result<Vec<Value>, Trouble> {
    let mut kept: Vec<Value> = Vec::new();
    for item in items {
        if !env.contains(&kept, &item)? {
            kept.push(item);
        }
    }
    Ok(kept)
}

fn unique_by(env: &mut Env<'_>, items: Vec<Value>, closure: &Rc<crate::value::Closure>) -> Result<Vec<Value>, Trouble> {
    if super::arguments::arity(closure) == 2 {
        let mut kept: Vec<Value> = Vec::new();
        'items: for item in items {
            for other in &kept {
                let result = env.call_closure(closure, &[other.clone(), item.clone()])?;
                if crate::number::compare(&result, &Value::Int(0)) == Some(Ordering::Equal) {
                    continue 'items;
                }
            }
            kept.push(item);
        }
        return Ok(kept);
    }
    let (mut keys, mut kept) = (Vec::new(), Vec::new());
    for item in items {
        let key = env.call_closure(closure, std::slice::from_ref(&item))?;
        if !env.contains(&keys, &key)? {
            keys.push(key);
            kept.push(item);
        }
    }
    Ok(kept)
}

/// `sort()` changes a list, but gives a new one for a set, a range, or if told so.
fn sort(env: &mut Env<'_>, list: &Rc<List>, arguments: &[Value]) -> Answer {
    let (change, order) = match arguments {
        [] => (true, Order::Natural),
        [Value::Bool(change)] => (*change, Order::Natural),
        [Value::Closure(closure)] => (true, Order::by(closure)),
        [Value::Bool(change), Value::Closure(closure)] => (*change, Order::by(closure)),
        _ => return Ok(None),
    };
    let items = sort::sorted(env, list.items(), &order)?;
    if change && list.kind() == ListKind::List {
        list.change(|old| *old = items);
        return Ok(Some(Value::List(list.clone())));
    }
    Ok(Some(Value::list(items)))
}

fn shuffle(env: &mut Env<'_>, list: &List) -> Result<(), Trouble> {
    for last in (1..list.len()).rev() {
        let other = env.host.random(env.run, last as u64 + 1)?;
        if let Some(other) = at_index(other as i64, list.len()) {
            list.change(|items| items.swap(last, other));
        }
    }
    Ok(())
}
