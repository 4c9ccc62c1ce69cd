//! Sorting with comparisons that run script code and can fail.

use super::arguments::arity;
use crate::number;
use crate::run::Env;
use crate::trouble::Trouble;
use crate::value::{Closure, Value};
use std::cmp::Ordering;
use std::rc::Rc;

/// What decides the order.
#[derive(Clone)]
pub(super) enum Order {
    /// That of the values themselves.
    Natural,
    /// That of what a closure makes of each.
    Key(Rc<Closure>),
    /// What a closure says about two.
    Comparator(Rc<Closure>),
}

impl Order {
    /// A closure with two parameters compares, one with one parameter makes keys.
    pub(super) fn by(closure: &Rc<Closure>) -> Self {
        if arity(closure) == 2 { Order::Comparator(closure.clone()) } else { Order::Key(closure.clone()) }
    }
}

/// A value, and what it is sorted by.
type Keyed = (Value, Value);

/// Sorts; equal values keep their order.
pub(super) fn sorted(env: &mut Env<'_>, items: Vec<Value>, order: &Order) -> Result<Vec<Value>, Trouble> {
    let mut keyed = Vec::with_capacity(items.len());
    for item in items {
        keyed.push((key(env, order, &item)?, item));
    }
    Ok(merge_sort(env, keyed, order)?.into_iter().map(|(_, item)| item).collect())
}

fn key(env: &mut Env<'_>, order: &Order, item: &Value) -> Result<Value, Trouble> {
    match order {
        Order::Key(closure) => env.call_closure(closure, std::slice::from_ref(item)),
        Order::Natural | Order::Comparator(_) => Ok(item.clone()),
    }
}

fn compare(env: &mut Env<'_>, order: &Order, left: &Value, right: &Value) -> Result<Ordering, Trouble> {
    env.run.tick()?;
    match order {
        Order::Comparator(closure) => {
            let result = env.call_closure(closure, &[left.clone(), right.clone()])?;
            Ok(number::compare(&result, &Value::Int(0)).unwrap_or(Ordering::Equal))
        }
        Order::Natural | Order::Key(_) => env.compare(left, right),
    }
}

fn merge_sort(env: &mut Env<'_>, mut left: Vec<Keyed>, order: &Order) -> Result<Vec<Keyed>, Trouble> {
    if left.len() < 2 {
        return Ok(left);
    }
    let right = left.split_off(left.len() / 2);
    let left = merge_sort(env, left, order)?;
    let right = merge_sort(env, right, order)?;
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let side = if compare(env, order, &a.0, &b.0)? == Ordering::Greater { &mut right } else { &mut left };
        merged.extend(side.next());
    }
    merged.extend(left);
    merged.extend(right);
    Ok(merged)
}

/// The first of the smallest or largest values.
pub(super) fn extreme(env: &mut Env<'_>, items: Vec<Value>, order: &Order, wanted: Ordering) -> Result<Value, Trouble> {
    let mut best: Option<Keyed> = None;
    for item in items {
        let key = key(env, order, &item)?;
        let better = match &best {
            Some((best, _)) => compare(env, order, &key, best)? == wanted,
            None => true,
        };
        if better {
            best = Some((key, item));
        }
    }
    Ok(best.map(|(_, item)| item).unwrap_or_default())
}
