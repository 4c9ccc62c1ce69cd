//! The functions, filters, tests and methods that templates have.

use super::eval::{Error, Eval, MOST_OUTPUT, Result, equal, fail, order, truth};
use super::tree::Comparison;
use super::value::{Moment, Val, spelled};
use std::cmp::Ordering;
use std::sync::Arc;

/// The functions that are known here.
pub(super) const FUNCTIONS: [&str; 44] = [
    "states",
    "is_state",
    "state_attr",
    "is_state_attr",
    "has_value",
    "expand",
    "now",
    "utcnow",
    "as_timestamp",
    "as_datetime",
    "as_local",
    "timedelta",
    "as_timedelta",
    "today_at",
    "strptime",
    "int",
    "float",
    "bool",
    "iif",
    "is_number",
    "min",
    "max",
    "sum",
    "average",
    "median",
    "range",
    "dict",
    "namespace",
    "list",
    "set",
    "abs",
    "round",
    "length",
    "area_entities",
    "device_entities",
    "label_entities",
    "floor_entities",
    "integration_entities",
    "closest",
    "distance",
    "random",
    "slugify",
    "zip",
    "this",
];

/// Functions and filters whose result cannot be known.
pub(super) const UNKNOWABLE: [&str; 23] = [
    "closest",
    "distance",
    "random",
    "relative_time",
    "time_since",
    "time_until",
    "timestamp_custom",
    "timestamp_local",
    "timestamp_utc",
    "strptime",
    "device_attr",
    "area_id",
    "area_name",
    "device_id",
    "labels",
    "floor_id",
    "areas",
    "state_translated",
    "config_entry_id",
    "is_device_attr",
    "hash",
    "md5",
    "sha256",
];

fn opaque<T>(what: impl AsRef<str>) -> std::result::Result<Val, T> {
    Ok(Val::opaque(what))
}

/// Calls a function.
pub(super) fn function(
    eval: &mut Eval<'_>,
    name: &str,
    positional: Vec<Val>,
    named: Vec<(String, Val)>,
) -> Result<Val> {
    let first = positional.first().cloned().unwrap_or(Val::Undefined);
    let second = positional.get(1).cloned();
    match name {
        "states" => match entity(&first) {
            Ok(entity) => Ok(eval.world.state(&entity).unwrap_or_else(|| Val::text("unknown"))),
            Err(value) => Ok(value),
        },
        "is_state" => match entity(&first) {
            Ok(entity) => {
                let wanted = second.unwrap_or(Val::Undefined);
                let Some(state) = eval.world.state(&entity) else { return Ok(Val::Bool(false)) };
                match &wanted {
                    Val::List(_) => eval.compare(Comparison::In, &state, &wanted),
                    _ => eval.compare(Comparison::Equal, &state, &wanted),
                }
            }
            Err(value) => Ok(value),
        },
        "state_attr" => match (entity(&first), second) {
            (Ok(entity), Some(Val::Text(attribute))) => Ok(eval.world.attribute(&entity, &attribute)),
            (Err(value), _) => Ok(value),
            _ => opaque("an attribute without a name"),
        },
        "is_state_attr" => match (entity(&first), second, positional.get(2)) {
            (Ok(entity), Some(Val::Text(attribute)), Some(wanted)) => {
                let value = eval.world.attribute(&entity, &attribute);
                eval.compare(Comparison::Equal, &value, wanted)
            }
            (Err(value), ..) => Ok(value),
            _ => opaque("an attribute without a name"),
        },
        "has_value" => match entity(&first) {
            Ok(entity) => Ok(match eval.world.state(&entity) {
                Some(Val::Text(state)) => Val::Bool(&*state != "unavailable" && &*state != "unknown"),
                Some(other) => other,
                None => Val::Bool(false),
            }),
            Err(value) => Ok(value),
        },
        "expand" => {
            let mut states = Vec::new();
            let mut queue = positional;
            while let Some(value) = queue.pop() {
                eval.spend(1)?;
                match value {
                    Val::Opaque(_) => return Ok(value),
                    Val::Text(name) => {
                        for member in eval.world.expand(&name) {
                            if eval.world.state(&member).is_some() {
                                states.push(Arc::<str>::from(member));
                            }
                        }
                    }
                    Val::State(entity) => states.push(entity),
                    other => queue.extend(eval.items(&other)?),
                }
            }
            states.sort();
            states.dedup();
            Ok(Val::list(states.into_iter().map(Val::State).collect()))
        }
        "area_entities" | "device_entities" | "label_entities" | "floor_entities" | "integration_entities" => {
            match eval.world.members(name, &first.to_string()) {
                Some(members) => Ok(Val::list(members.iter().map(Val::text).collect())),
                None => opaque(format!("`{name}`, which the registry would tell")),
            }
        }
        "now" | "utcnow" => Ok(Val::Moment(Moment::Now, 0)),
        "today_at" => match &first {
            Val::Text(text) => match seconds_of(text) {
                Some(seconds) => Ok(Val::Moment(Moment::Today, seconds * 1000)),
                None => fail(format!("`{text}` is no time of day")),
            },
            Val::Undefined => Ok(Val::Moment(Moment::Today, 0)),
            _ => opaque("`today_at` of something unknown"),
        },
        "timedelta" => {
            const NAMES: [(&str, f64); 7] = [
                ("days", 86_400_000.0),
                ("seconds", 1000.0),
                ("microseconds", 0.001),
                ("milliseconds", 1.0),
                ("minutes", 60_000.0),
                ("hours", 3_600_000.0),
                ("weeks", 604_800_000.0),
            ];
            let mut milliseconds = 0.0;
            let by_place = positional.iter().zip(NAMES).map(|(value, (_, unit))| (value, unit));
            let by_name = named.iter().filter_map(|(name, value)| {
                NAMES.iter().find(|(known, _)| known == name).map(|(_, unit)| (value, *unit))
            });
            for (value, unit) in by_place.chain(by_name) {
                match value.number() {
                    Some(number) => milliseconds += number * unit,
                    None if matches!(value, Val::Opaque(_)) => return Ok(value.clone()),
                    None => return fail(format!("`{}` is no number", value.kind())),
                }
            }
            Ok(Val::Span(milliseconds as i64))
        }
        "iif" => filter(eval, "iif", first, positional.into_iter().skip(1).collect(), named),
        "min" | "max" if positional.len() > 1 => filter(eval, name, Val::list(positional), Vec::new(), named),
        "sum" | "average" | "median" if positional.len() > 1 => {
            filter(eval, name, Val::list(positional), Vec::new(), named)
        }
        "range" => {
            let numbers: Vec<i64> =
                positional.iter().filter_map(|value| value.number().map(|number| number as i64)).collect();
            let (from, to, step) = match numbers[..] {
                [to] => (0, to, 1),
                [from, to] => (from, to, 1),
                [from, to, step] if step != 0 => (from, to, step),
                _ => return opaque("a range without numbers"),
            };
            let mut items = Vec::new();
            let mut at = from;
            while (step > 0 && at < to) || (step < 0 && at > to) {
                eval.spend(1)?;
                items.push(Val::Int(at));
                at += step;
            }
            Ok(Val::list(items))
        }
        "dict" => {
            let mut entries = match first {
                Val::Map(entries) => entries.as_ref().clone(),
                Val::List(pairs) => {
                    let mut entries = Vec::new();
                    for pair in pairs.iter() {
                        match eval.items(pair)?.as_slice() {
                            [key, value] => entries.push((key.clone(), value.clone())),
                            _ => return fail("a pair has two items"),
                        }
                    }
                    entries
                }
                _ => Vec::new(),
            };
            entries.extend(named.into_iter().map(|(name, value)| (Val::text(name), value)));
            Ok(Val::Map(Arc::new(entries)))
        }
        "namespace" => Ok(eval.new_space(named)),
        _ if UNKNOWABLE.contains(&name) => opaque(format!("`{name}`")),
        _ if is_filter(name) => filter(eval, name, first, positional.into_iter().skip(1).collect(), named),
        _ => match name {
            "trigger" | "this" | "wait" | "repeat" => opaque(format!("`{name}`")),
            _ => opaque(format!("`{name}(…)`, which is not known here")),
        },
    }
}

/// The entity that a value names, or what the result is instead.
fn entity(value: &Val) -> std::result::Result<String, Val> {
    match value {
        Val::Text(name) => Ok(name.to_lowercase()),
        Val::State(name) => Ok(name.to_string()),
        Val::Opaque(_) => Err(value.clone()),
        _ => Ok(String::new()),
    }
}

/// The seconds of `HH:MM[:SS]`.
pub(crate) fn seconds_of(text: &str) -> Option<i64> {
    let mut seconds = 0;
    let parts: Vec<&str> = text.trim().split(':').collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    for (index, part) in parts.iter().enumerate() {
        let value: i64 = part.parse().ok().filter(|value| (0..if index == 0 { 24 } else { 60 }).contains(value))?;
        seconds = seconds * 60 + value;
    }
    Some(if parts.len() == 2 { seconds * 60 } else { seconds })
}

/// Whether a filter of this name is known.
pub(super) fn is_filter(name: &str) -> bool {
    FILTERS.contains(&name) || FUNCTIONS.contains(&name) || UNKNOWABLE.contains(&name)
}

pub(super) const FILTERS: [&str; 63] = [
    "int",
    "float",
    "bool",
    "string",
    "list",
    "set",
    "abs",
    "round",
    "length",
    "count",
    "lower",
    "upper",
    "title",
    "capitalize",
    "trim",
    "replace",
    "join",
    "split",
    "first",
    "last",
    "min",
    "max",
    "sum",
    "average",
    "median",
    "sort",
    "unique",
    "reverse",
    "default",
    "d",
    "iif",
    "is_number",
    "map",
    "select",
    "reject",
    "selectattr",
    "rejectattr",
    "regex_match",
    "regex_search",
    "regex_replace",
    "regex_findall",
    "to_json",
    "from_json",
    "slugify",
    "as_timestamp",
    "as_datetime",
    "as_local",
    "as_timedelta",
    "items",
    "dictsort",
    "tojson",
    "safe",
    "contains",
    "format",
    "ordinal",
    "add",
    "multiply",
    "bitwise_and",
    "batch",
    "groupby",
    "combine",
    "wordcount",
    "urlencode",
];

/// Applies a filter.
pub(super) fn filter(
    eval: &mut Eval<'_>,
    name: &str,
    value: Val,
    positional: Vec<Val>,
    named: Vec<(String, Val)>,
) -> Result<Val> {
    let argument = |index: usize, name: &str| {
        let named = || named.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        positional.get(index).cloned().or_else(named)
    };
    // What is unknown stays unknown, unless it can only be replaced.
    if let Val::Opaque(_) = value {
        return Ok(value);
    }
    match name {
        "int" => {
            let number = match &value {
                Val::Text(text) => {
                    text.trim().parse::<i64>().ok().map(|number| number as f64).or_else(|| spelled(text))
                }
                other => other.number(),
            };
            match (number, argument(0, "default")) {
                (Some(number), _) if number.is_finite() => Ok(Val::Int(number as i64)),
                (_, Some(default)) => Ok(default),
                _ => fail(format!("`{value}` is no number and there is no default")),
            }
        }
        "float" => match (value.as_number(), argument(0, "default")) {
            (Some(number), _) => Ok(Val::float(number)),
            (None, Some(default)) => Ok(default),
            (None, None) => fail(format!("`{value}` is no number and there is no default")),
        },
        "bool" => {
            let known = match &value {
                Val::Bool(value) => Some(*value),
                Val::Int(_) | Val::Float(_) => value.number().map(|number| number != 0.0),
                Val::Text(text) => match text.to_lowercase().as_str() {
                    "true" | "yes" | "on" | "enable" | "1" => Some(true),
                    "false" | "no" | "off" | "disable" | "0" => Some(false),
                    _ => None,
                },
                _ => None,
            };
            match (known, argument(0, "default")) {
                (Some(value), _) => Ok(Val::Bool(value)),
                (None, Some(default)) => Ok(default),
                (None, None) => fail(format!("`{value}` is no boolean and there is no default")),
            }
        }
        "string" | "safe" => Ok(value.why_opaque().map_or_else(|| Val::text(value.to_string()), Val::Opaque)),
        "list" | "set" => Ok(Val::list(eval.items(&value)?)),
        "abs" => Ok(match &value {
            Val::Int(number) => Val::Int(number.wrapping_abs()),
            Val::Between(..) => Val::opaque("a calculation with times"),
            other => Val::float(number_of(other)?.abs()),
        }),
        "round" => {
            let Some(number) = value.as_number() else {
                return match argument(2, "default") {
                    Some(default) => Ok(default),
                    None => fail(format!("`{value}` is no number and there is no default")),
                };
            };
            let digits = argument(0, "precision").and_then(|value| value.number()).unwrap_or(0.0) as i32;
            let scale = 10_f64.powi(digits.clamp(-15, 15));
            let method = argument(1, "method").map(|method| method.to_string());
            let rounded = match method.as_deref() {
                Some("floor") => (number * scale).floor(),
                Some("ceil") => (number * scale).ceil(),
                Some("half") => return Ok(Val::float((number * 2.0).round() / 2.0)),
                _ => (number * scale).round_ties_even(),
            };
            Ok(if digits > 0 { Val::float(rounded / scale) } else { Val::Int((rounded / scale) as i64) })
        }
        "length" | "count" => match &value {
            Val::Text(text) => Ok(Val::Int(text.chars().count() as i64)),
            other => Ok(Val::Int(eval.items(other)?.len() as i64)),
        },
        "lower" | "upper" | "title" | "capitalize" | "trim" | "slugify" => {
            let text = value.to_string();
            Ok(Val::text(match name {
                "lower" => text.to_lowercase(),
                "upper" => text.to_uppercase(),
                "trim" => text.trim().to_owned(),
                "slugify" => slug(&text),
                "capitalize" => capitalized(&text),
                _ => text.split(' ').map(capitalized).collect::<Vec<_>>().join(" "),
            }))
        }
        "replace" => {
            let (from, to) = (argument(0, "old"), argument(1, "new"));
            match (from, to) {
                (Some(Val::Opaque(why)), _) | (_, Some(Val::Opaque(why))) => Ok(Val::Opaque(why)),
                (Some(from), Some(to)) => replaced(&value.to_string(), &from.to_string(), &to.to_string()),
                _ => fail("`replace` needs what to replace, and by what"),
            }
        }
        "join" => {
            let separator = argument(0, "d").map_or_else(String::new, |value| value.to_string());
            let attribute = argument(1, "attribute").map(|value| value.to_string());
            let mut texts = Vec::new();
            for item in eval.items(&value)? {
                let item = match &attribute {
                    Some(attribute) => eval.attribute(&item, attribute)?,
                    None => item,
                };
                if let Some(why) = item.why_opaque() {
                    return Ok(Val::Opaque(why));
                }
                texts.push(item.to_string());
            }
            // Whether there is room has to be known before the text is made.
            let length = texts.iter().map(|text| text.len() + separator.len()).sum::<usize>();
            if length > MOST_OUTPUT + separator.len() {
                return fail(TOO_MUCH);
            }
            limited(texts.join(&separator))
        }
        "split" => method(eval, &value, "split", &positional, &named),
        "items" => method(eval, &value, "items", &positional, &named),
        "first" | "last" => {
            let items = eval.items(&value)?;
            let item = if name == "first" { items.first() } else { items.last() };
            Ok(item.cloned().unwrap_or(Val::Undefined))
        }
        "min" | "max" => {
            let mut best: Option<Val> = None;
            for item in eval.items(&value)? {
                if let Val::Opaque(_) = item {
                    return Ok(item);
                }
                let wanted = if name == "min" { Ordering::Less } else { Ordering::Greater };
                best = match best {
                    None => Some(item),
                    Some(best) => match order(&item, &best) {
                        Some(order) if order == wanted => Some(item),
                        Some(_) => Some(best),
                        None => return fail("the items have no order"),
                    },
                };
            }
            Ok(best.unwrap_or(Val::Undefined))
        }
        "sum" | "average" | "median" => {
            let items = eval.items(&value)?;
            if let Some(why) = items.iter().find_map(Val::why_opaque) {
                return Ok(Val::Opaque(why));
            }
            let mut numbers = items.iter().map(number_of).collect::<Result<Vec<f64>>>()?;
            if name == "sum" {
                let all_whole = items.iter().all(|item| matches!(item, Val::Int(_) | Val::Bool(_)));
                let sum: f64 = numbers.iter().sum();
                return Ok(if all_whole { Val::Int(sum as i64) } else { Val::float(sum) });
            }
            if numbers.is_empty() {
                return argument(0, "default").map_or_else(|| fail("there are no numbers"), Ok);
            }
            if name == "average" {
                return Ok(Val::float(numbers.iter().sum::<f64>() / numbers.len() as f64));
            }
            numbers.sort_by(f64::total_cmp);
            let middle = numbers.len() / 2;
            Ok(Val::float(if numbers.len() % 2 == 1 {
                numbers[middle]
            } else {
                (numbers[middle - 1] + numbers[middle]) / 2.0
            }))
        }
        "sort" | "unique" | "reverse" => {
            if let (Val::Text(text), "reverse") = (&value, name) {
                return Ok(Val::text(text.chars().rev().collect::<String>()));
            }
            let mut items = eval.items(&value)?;
            if let Some(why) = items.iter().find_map(Val::why_opaque) {
                return Ok(Val::Opaque(why));
            }
            match name {
                "reverse" => items.reverse(),
                "unique" => {
                    let mut seen: Vec<Val> = Vec::new();
                    eval.spend(items.len() * items.len() / 4)?;
                    items.retain(|item| {
                        let fresh = !seen.iter().any(|known| equal(known, item));
                        if fresh {
                            seen.push(item.clone());
                        }
                        fresh
                    });
                }
                _ => {
                    if let Some(attribute) = argument(2, "attribute") {
                        let mut keyed = Vec::new();
                        for item in items {
                            keyed.push((path(eval, &item, &attribute.to_string())?, item));
                        }
                        if keyed.iter().any(|(key, _)| key.why_opaque().is_some()) {
                            return opaque("an order of times");
                        }
                        keyed.sort_by(|one, other| order(&one.0, &other.0).unwrap_or(Ordering::Equal));
                        items = keyed.into_iter().map(|(_, item)| item).collect();
                    } else {
                        items.sort_by(|one, other| order(one, other).unwrap_or(Ordering::Equal));
                    }
                    if argument(0, "reverse").is_some_and(|reverse| truth(&reverse, eval.world)) {
                        items.reverse();
                    }
                }
            }
            Ok(Val::list(items))
        }
        "default" | "d" => {
            let also_false = argument(1, "boolean").is_some_and(|value| truth(&value, eval.world));
            let replaces = value == Val::Undefined || (also_false && !truth(&value, eval.world));
            Ok(if replaces { argument(0, "default_value").unwrap_or_else(|| Val::text("")) } else { value })
        }
        "iif" => {
            if value == Val::None
                && let Some(if_none) = argument(2, "if_none")
            {
                return Ok(if_none);
            }
            let holds = truth(&value, eval.world);
            Ok(if holds {
                argument(0, "if_true").unwrap_or(Val::Bool(true))
            } else {
                argument(1, "if_false").unwrap_or(Val::Bool(false))
            })
        }
        "is_number" => Ok(Val::Bool(value.as_number().is_some())),
        "map" => {
            let mut mapped = Vec::new();
            let items = eval.items(&value)?;
            let attribute = named.iter().find(|(name, _)| name == "attribute").map(|(_, value)| value.to_string());
            let default = named.iter().find(|(name, _)| name == "default").map(|(_, value)| value.clone());
            for item in items {
                eval.spend(1)?;
                mapped.push(match &attribute {
                    Some(attribute) => match path(eval, &item, attribute)? {
                        Val::Undefined => default.clone().unwrap_or(Val::Undefined),
                        value => value,
                    },
                    None => {
                        let Some(Val::Text(filter_name)) = positional.first() else {
                            return opaque("`map` without a filter");
                        };
                        let named = named.clone();
                        filter_or_function(eval, &filter_name.clone(), item, positional[1..].to_vec(), named)?
                    }
                });
            }
            Ok(Val::list(mapped))
        }
        "select" | "reject" | "selectattr" | "rejectattr" => {
            let wanted = name.starts_with("select");
            let by_attribute = name.ends_with("attr");
            let mut rest = positional.into_iter();
            let attribute = if by_attribute { rest.next().map(|value| value.to_string()) } else { None };
            let test_name = rest.next().map(|value| value.to_string());
            let arguments: Vec<Val> = rest.collect();
            let mut kept = Vec::new();
            for item in eval.items(&value)? {
                eval.spend(1)?;
                let subject = match &attribute {
                    Some(attribute) => path(eval, &item, attribute)?,
                    None => item.clone(),
                };
                let result = match &test_name {
                    Some(name) => test(eval, name, &subject, &arguments)?,
                    None => subject,
                };
                if truth(&result, eval.world) == wanted {
                    kept.push(item);
                }
            }
            Ok(Val::list(kept))
        }
        "to_json" | "tojson" => opaque("`to_json`"),
        "from_json" => match &value {
            Val::Text(text) => match serde_json::from_str(text) {
                Ok(json) => Ok(from_json(&json)),
                Err(_) => fail("the text is no JSON"),
            },
            _ => fail("only a text is JSON"),
        },
        "as_timestamp" => match &value {
            Val::Moment(..) => Ok(value),
            Val::Text(_) => opaque("`as_timestamp` of a text"),
            Val::Int(_) | Val::Float(_) => Ok(value),
            _ => argument(0, "default").map_or_else(|| fail(format!("`{}` is no time", value.kind())), Ok),
        },
        "as_datetime" | "as_local" => match &value {
            Val::Moment(..) => Ok(value),
            _ => opaque(format!("`{name}`")),
        },
        "as_timedelta" => match &value {
            Val::Text(text) => Ok(crate::duration::of_text(text).map_or_else(|| Val::None, Val::Span)),
            _ => opaque("`as_timedelta`"),
        },
        "regex_match" | "regex_search" | "regex_replace" | "regex_findall" | "regex_findall_index" => {
            let pattern = argument(0, "find").map_or_else(String::new, |value| value.to_string());
            regex(name, &value.to_string(), &pattern)
        }
        "contains" => match argument(0, "item") {
            Some(item) => eval.compare(Comparison::In, &item, &value),
            None => opaque("`contains` without a value"),
        },
        "add" | "multiply" => {
            let (Some(one), Some(other)) =
                (value.as_number(), argument(0, "amount").and_then(|value| value.as_number()))
            else {
                return argument(1, "default").map_or_else(|| fail("this is no number"), Ok);
            };
            Ok(Val::float(if name == "add" { one + other } else { one * other }))
        }
        "dictsort" => Ok(match value {
            Val::Map(entries) => {
                let mut entries = entries.as_ref().clone();
                entries.sort_by(|one, other| order(&one.0, &other.0).unwrap_or(Ordering::Equal));
                Val::list(entries.into_iter().map(|(key, value)| Val::list(vec![key, value])).collect())
            }
            other => other,
        }),
        _ if FUNCTIONS.contains(&name) || UNKNOWABLE.contains(&name) => {
            let arguments = [value].into_iter().chain(positional).collect();
            function(eval, name, arguments, named)
        }
        _ => opaque(format!("the filter `{name}`")),
    }
}

fn filter_or_function(
    eval: &mut Eval<'_>,
    name: &str,
    value: Val,
    positional: Vec<Val>,
    named: Vec<(String, Val)>,
) -> Result<Val> {
    filter(eval, name, value, positional, named)
}

/// An attribute of an attribute, as in `attributes.battery`.
fn path(eval: &mut Eval<'_>, item: &Val, path: &str) -> Result<Val> {
    if let (Val::State(entity), Some(attribute)) = (item, path.strip_prefix("attributes.")) {
        return Ok(match eval.world.attribute(entity, attribute) {
            Val::None => Val::Undefined,
            other => other,
        });
    }
    let mut value = item.clone();
    for name in path.split('.') {
        value = match (&value, name.parse::<i64>()) {
            (Val::Undefined | Val::None, _) => return Ok(Val::Undefined),
            (_, Ok(index)) => eval.item(&value, &Val::Int(index))?,
            _ => eval.attribute(&value, name)?,
        };
    }
    Ok(value)
}

/// What is said of a template that makes too much.
const TOO_MUCH: &str = "the template makes more text than is looked at";

fn limited(text: String) -> Result<Val> {
    if text.len() > MOST_OUTPUT { fail(TOO_MUCH) } else { Ok(Val::text(text)) }
}

/// A text with something replaced. Whether there is room has to be known before it is made.
fn replaced(text: &str, from: &str, to: &str) -> Result<Val> {
    let places = if to.len() > from.len() { text.matches(from).count() } else { 0 };
    let length = text.len().saturating_add(places.saturating_mul(to.len() - from.len().min(to.len())));
    if length > MOST_OUTPUT { fail(TOO_MUCH) } else { limited(text.replace(from, to)) }
}

fn number_of(value: &Val) -> Result<f64> {
    value.number().ok_or_else(|| Error(format!("`{}` is no number", value.kind())))
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + &chars.as_str().to_lowercase())
}

/// A name as Home Assistant makes entity ids of it.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.chars().flat_map(char::to_lowercase) {
        let plain = match c {
            'a'..='z' | '0'..='9' => c,
            'ä' | 'á' | 'à' | 'â' | 'å' | 'ã' => 'a',
            'é' | 'è' | 'ê' | 'ë' => 'e',
            'í' | 'ì' | 'î' | 'ï' => 'i',
            'ö' | 'ó' | 'ò' | 'ô' | 'õ' | 'ø' => 'o',
            'ü' | 'ú' | 'ù' | 'û' => 'u',
            'ß' => {
                slug.push('s');
                's'
            }
            'ç' => 'c',
            'ñ' => 'n',
            '\'' => continue,
            _ => '_',
        };
        if plain != '_' || !slug.ends_with('_') {
            slug.push(plain);
        }
    }
    slug.trim_matches('_').to_owned()
}

/// Plain patterns are searched for as texts; others are not looked into.
fn regex(name: &str, text: &str, pattern: &str) -> Result<Val> {
    let anchored_end = pattern.ends_with('$') && !pattern.ends_with("\\$");
    let anchored_start = pattern.starts_with('^');
    let core = &pattern[usize::from(anchored_start)..pattern.len() - usize::from(anchored_end)];
    let alternatives: Vec<&str> = core.trim_start_matches('(').trim_end_matches(')').split('|').collect();
    let unescaped: Vec<String> = alternatives.iter().map(|part| part.replace("\\.", "\u{1}")).collect();
    if unescaped.iter().any(|part| part.contains(['\\', '*', '+', '?', '[', '(', ')', '{', '.', '^', '$']))
        || name.contains("find")
        || name.contains("replace")
    {
        return opaque("a regular expression");
    }
    let plain: Vec<String> = unescaped.iter().map(|part| part.replace('\u{1}', ".")).collect();
    let from_start = anchored_start || name == "regex_match";
    Ok(Val::Bool(plain.iter().any(|part| match (from_start, anchored_end) {
        (true, true) => text == part,
        (true, false) => text.starts_with(part.as_str()),
        (false, true) => text.ends_with(part.as_str()),
        (false, false) => text.contains(part.as_str()),
    })))
}

/// A value of JSON.
pub(crate) fn from_json(json: &serde_json::Value) -> Val {
    match json {
        serde_json::Value::Null => Val::None,
        serde_json::Value::Bool(value) => Val::Bool(*value),
        serde_json::Value::Number(number) => {
            number.as_i64().map_or_else(|| Val::float(number.as_f64().unwrap_or(0.0)), Val::Int)
        }
        serde_json::Value::String(text) => Val::text(text),
        serde_json::Value::Array(items) => Val::list(items.iter().map(from_json).collect()),
        serde_json::Value::Object(entries) => {
            Val::Map(Arc::new(entries.iter().map(|(key, value)| (Val::text(key), from_json(value))).collect()))
        }
    }
}

/// Asks a test.
pub(super) fn test(eval: &mut Eval<'_>, name: &str, value: &Val, arguments: &[Val]) -> Result<Val> {
    let first = arguments.first().cloned().unwrap_or(Val::Undefined);
    if let Val::Opaque(_) = value {
        return Ok(if name == "defined" { Val::Bool(true) } else { value.clone() });
    }
    Ok(Val::Bool(match name {
        "defined" => *value != Val::Undefined,
        "undefined" => *value == Val::Undefined,
        "none" => *value == Val::None,
        "number" => matches!(value, Val::Int(_) | Val::Float(_) | Val::Bool(_)),
        "integer" => matches!(value, Val::Int(_)),
        "float" => matches!(value, Val::Float(_)),
        "boolean" => matches!(value, Val::Bool(_)),
        "true" => *value == Val::Bool(true),
        "false" => *value == Val::Bool(false),
        "string" | "string_like" => matches!(value, Val::Text(_)),
        "mapping" => matches!(value, Val::Map(_)),
        "list" => matches!(value, Val::List(_)),
        "iterable" | "sequence" => matches!(value, Val::List(_) | Val::Map(_) | Val::Text(_)),
        "datetime" => matches!(value, Val::Moment(..)),
        "odd" => number_of(value)? as i64 % 2 != 0,
        "even" => number_of(value)? as i64 % 2 == 0,
        "divisibleby" => number_of(value)? % number_of(&first)? == 0.0,
        "is_number" => value.as_number().is_some(),
        "has_value" | "is_state" => {
            return function(
                eval,
                name,
                [value.clone()].into_iter().chain(arguments.iter().cloned()).collect(),
                Vec::new(),
            );
        }
        "eq" | "equalto" | "==" | "sameas" => return eval.compare(Comparison::Equal, value, &first),
        "ne" | "!=" => return eval.compare(Comparison::Unequal, value, &first),
        "lt" | "<" | "lessthan" => return eval.compare(Comparison::Less, value, &first),
        "le" | "<=" => return eval.compare(Comparison::AtMost, value, &first),
        "gt" | ">" | "greaterthan" => return eval.compare(Comparison::Greater, value, &first),
        "ge" | ">=" => return eval.compare(Comparison::AtLeast, value, &first),
        "in" => return eval.compare(Comparison::In, value, &first),
        "contains" => return eval.compare(Comparison::In, &first, value),
        "match" => return regex("regex_match", &value.to_string(), &first.to_string()),
        "search" => return regex("regex_search", &value.to_string(), &first.to_string()),
        "lower" => matches!(value, Val::Text(text) if text.chars().all(|c| !c.is_uppercase())),
        "upper" => matches!(value, Val::Text(text) if text.chars().all(|c| !c.is_lowercase())),
        _ => return opaque(format!("the test `{name}`")),
    }))
}

/// Calls a method of a value.
pub(super) fn method(
    eval: &mut Eval<'_>,
    of: &Val,
    name: &str,
    positional: &[Val],
    named: &[(String, Val)],
) -> Result<Val> {
    let first = positional.first().cloned().unwrap_or(Val::Undefined);
    if let Some(Val::Opaque(_)) = positional.iter().find(|value| matches!(value, Val::Opaque(_))) {
        return opaque("a call with something unknown");
    }
    Ok(match (of, name) {
        (Val::Opaque(_), _) => of.clone(),
        (Val::Undefined, _) => return fail(format!("nothing is defined that could have `{name}`")),
        (Val::Text(text), _) => {
            let text: &str = text;
            let argument = first.to_string();
            match name {
                "lower" | "upper" | "title" | "capitalize" => {
                    return filter(eval, name, of.clone(), Vec::new(), Vec::new());
                }
                "strip" if first == Val::Undefined => Val::text(text.trim()),
                "strip" => Val::text(text.trim_matches(|c| argument.contains(c))),
                "lstrip" if first == Val::Undefined => Val::text(text.trim_start()),
                "lstrip" => Val::text(text.trim_start_matches(|c| argument.contains(c))),
                "rstrip" if first == Val::Undefined => Val::text(text.trim_end()),
                "rstrip" => Val::text(text.trim_end_matches(|c| argument.contains(c))),
                "startswith" => Val::Bool(text.starts_with(&argument)),
                "endswith" => Val::Bool(text.ends_with(&argument)),
                "replace" => {
                    let by = positional.get(1).map_or_else(String::new, Val::to_string);
                    return replaced(text, &argument, &by);
                }
                "split" if first == Val::Undefined || first == Val::None => {
                    Val::list(text.split_whitespace().map(Val::text).collect())
                }
                "split" if argument.is_empty() => return fail("an empty text splits nothing"),
                "split" => match positional.get(1).and_then(Val::number) {
                    Some(most) if most >= 0.0 => {
                        Val::list(text.splitn(most as usize + 1, &argument).map(Val::text).collect())
                    }
                    _ => Val::list(text.split(&argument).map(Val::text).collect()),
                },
                "rsplit" => Val::list(text.split(&argument).map(Val::text).collect()),
                "count" => Val::Int(text.matches(&argument).count() as i64),
                "find" => Val::Int(text.find(&argument).map_or(-1, |at| text[..at].chars().count() as i64)),
                "isdigit" | "isnumeric" => Val::Bool(!text.is_empty() && text.chars().all(char::is_numeric)),
                "isalpha" => Val::Bool(!text.is_empty() && text.chars().all(char::is_alphabetic)),
                "join" => return filter(eval, "join", first, vec![of.clone()], Vec::new()),
                "removeprefix" => Val::text(text.strip_prefix(&argument).unwrap_or(text)),
                "removesuffix" => Val::text(text.strip_suffix(&argument).unwrap_or(text)),
                _ => Val::opaque(format!("`.{name}()` of a text")),
            }
        }
        (Val::Map(entries), _) => match name {
            "get" => {
                let default = positional.get(1).cloned().unwrap_or(Val::None);
                entries.iter().find(|(key, _)| equal(key, &first)).map_or(default, |(_, value)| value.clone())
            }
            "items" => {
                Val::list(entries.iter().map(|(key, value)| Val::list(vec![key.clone(), value.clone()])).collect())
            }
            "keys" => Val::list(entries.iter().map(|(key, _)| key.clone()).collect()),
            "values" => Val::list(entries.iter().map(|(_, value)| value.clone()).collect()),
            _ => match eval.attribute(of, name)? {
                Val::Undefined => Val::opaque(format!("`.{name}()` of a mapping")),
                _ => Val::opaque(format!("`.{name}()`")),
            },
        },
        (Val::List(items), _) => match name {
            "index" => match items.iter().position(|item| equal(item, &first)) {
                Some(at) => Val::Int(at as i64),
                None => return fail("the list does not have that item"),
            },
            "count" => Val::Int(items.iter().filter(|item| equal(item, &first)).count() as i64),
            _ => Val::opaque(format!("`.{name}()` of a list")),
        },
        (Val::Moment(Moment::Now, 0), "weekday" | "isoweekday") => match eval.world.clock() {
            Some((_, Some(day))) => Val::Int(i64::from(day) + i64::from(name == "isoweekday")),
            _ => Val::opaque("the weekday"),
        },
        (Val::Moment(Moment::Now, 0), "strftime") => match (eval.world.clock(), first.to_string().as_str()) {
            (Some((second, _)), "%H:%M") => Val::text(format!("{:02}:{:02}", second / 3600, second / 60 % 60)),
            (Some((second, _)), "%H:%M:%S" | "%X" | "%T") => {
                Val::text(format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60))
            }
            (Some((second, _)), "%H") => Val::text(format!("{:02}", second / 3600)),
            (Some((_, Some(day))), "%w") => Val::text(format!("{}", (day + 1) % 7)),
            (Some((_, Some(day))), "%u") => Val::text(format!("{}", day + 1)),
            (Some((_, Some(day))), "%a") => {
                Val::text(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][day as usize % 7])
            }
            (Some((_, Some(day))), "%A") => Val::text(
                ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"][day as usize % 7],
            ),
            _ => Val::opaque("a date"),
        },
        (Val::Moment(Moment::Changed(_) | Moment::Now, _), "timestamp") => of.clone(),
        (Val::Moment(..), _) => Val::opaque(format!("`.{name}()` of a moment")),
        (Val::Between(..), "total_seconds") => of.clone(),
        (Val::Between(..), _) => Val::opaque("a calculation with times"),
        (Val::Span(ms), "total_seconds") => Val::float(*ms as f64 / 1000.0),
        (Val::States(_), _) => {
            let _ = named;
            Val::opaque(format!("`states.{name}()`"))
        }
        (other, _) => match eval.attribute(other, name)? {
            Val::Opaque(why) => Val::Opaque(why),
            _ => Val::opaque(format!("`.{name}()`")),
        },
    })
}
