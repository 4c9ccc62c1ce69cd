//! Methods and constants of classes: `Math.max`, `Integer.parseInt`, `Calendar.getInstance`.

use super::arguments::{double, long};
use super::number::in_radix;
use super::{Answer, date, format, native};
use crate::native::Native;
use crate::number;
use crate::run::{Env, number_format, number_of_text};
use crate::trouble::{Trouble, TroubleKind};
use crate::value::Value;
use crate::{codec, json};
use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::rc::Rc;
use std::sync::Arc;

/// Calls a method of a class.
pub(super) fn call(env: &mut Env<'_>, name: &str, method: &str, arguments: &[Value]) -> Answer {
    let value = match name {
        "Math" => math(env, method, arguments)?,
        "Integer" | "Long" | "Double" | "Float" | "BigDecimal" | "BigInteger" | "Short" | "Byte" | "Number" => {
            numeric(env, name, method, arguments)?
        }
        "Boolean" | "String" | "Character" => scalar(env, name, method, arguments)?,
        "Date" | "Calendar" | "GregorianCalendar" | "TimeZone" | "System" | "TimeCategory" => {
            time(env, name, method, arguments)?
        }
        "JsonOutput" | "JsonSlurper" => json_static(env, method, arguments)?,
        "URLEncoder" | "URLDecoder" | "UUID" | "Pattern" | "Collections" | "Arrays" | "Objects" | "Eval" => {
            utility(env, name, method, arguments)?
        }
        _ => None,
    };
    if value.is_some() {
        return Ok(value);
    }
    match (method, arguments) {
        ("getName" | "getSimpleName" | "getCanonicalName", []) => Ok(Some(Value::text(name))),
        ("isInstance", [value]) => Ok(Some(Value::Bool(env.is_instance(value, name)))),
        ("newInstance", _) => env.construct(name, arguments, env.run.at()).map(Some),
        ("toString" | "equals" | "hashCode" | "is" | "isCase" | "getClass" | "with", _) => Ok(None),
        _ => match env.host.class_member(env.run, name, method, Some(arguments))? {
            Some(value) => Ok(Some(value)),
            None => Err(Trouble::unsupported(format!("{name}.{method}"))),
        },
    }
}

/// Reads a constant of a class.
pub(super) fn property(env: &mut Env<'_>, name: &str, property: &str) -> Answer {
    let value = match (name, property) {
        ("Math", "PI") => Value::Double(std::f64::consts::PI),
        ("Math", "E") => Value::Double(std::f64::consts::E),
        ("Integer", "MAX_VALUE") => Value::Int(i32::MAX),
        ("Integer", "MIN_VALUE") => Value::Int(i32::MIN),
        ("Long", "MAX_VALUE") => Value::Long(i64::MAX),
        ("Long", "MIN_VALUE") => Value::Long(i64::MIN),
        ("Double" | "Float", "MAX_VALUE") => Value::Double(f64::MAX),
        ("Double" | "Float", "MIN_VALUE") => Value::Double(f64::from_bits(1)),
        ("Double" | "Float", "NaN") => Value::Double(f64::NAN),
        ("BigDecimal" | "BigInteger", "ZERO") => Value::Decimal(0.into()),
        ("BigDecimal" | "BigInteger", "ONE") => Value::Decimal(1.into()),
        ("BigDecimal", _) if property.starts_with("ROUND_") => Value::text(&property[6..]),
        ("RoundingMode", _) => Value::text(property),
        ("Boolean", "TRUE") => Value::Bool(true),
        ("Boolean", "FALSE") => Value::Bool(false),
        ("Calendar" | "GregorianCalendar", _) => match date::calendar_constant(property) {
            Some(constant) => Value::Int(constant),
            None if property == "instance" => return time(env, name, "getInstance", &[]),
            None => return Err(Trouble::unsupported(format!("{name}.{property}"))),
        },
        ("TimeZone", "default") => return time(env, name, "getDefault", &[]),
        ("Closure", _) => Value::Int(0),
        (_, "name" | "simpleName" | "canonicalName") => Value::text(name),
        (_, "class") => Value::Class(Arc::from(name)),
        ("Locale" | "Pattern", _) => Value::text(property),
        _ => match env.host.class_member(env.run, name, property, None)? {
            Some(value) => value,
            None => return Err(Trouble::unsupported(format!("{name}.{property}"))),
        },
    };
    Ok(Some(value))
}

fn math(env: &mut Env<'_>, method: &str, arguments: &[Value]) -> Answer {
    let value = match (method, arguments) {
        ("max" | "min", [left, right]) => {
            let order = number::compare(left, right).ok_or_else(|| env.bad_cast(left, "double"))?;
            let wanted = if method == "max" { Ordering::Less } else { Ordering::Greater };
            let chosen = if order == wanted { right } else { left };
            // One double makes the result a double.
            let is_double = |value: &Value| matches!(value, Value::Double(_));
            if is_double(left) || is_double(right) { Value::Double(double(env, chosen)?) } else { chosen.clone() }
        }
        ("abs", [value]) => return env.call_on(value, "abs", &[]).map(Some),
        ("round", [value]) => Value::Long((double(env, value)? + 0.5).floor() as i64),
        ("random", []) => native::random_double(env)?,
        ("floorMod", [left, right]) => {
            let (left, right) = (long(env, left)?, long(env, right)?);
            if right == 0 {
                return Err(Trouble::new(TroubleKind::Arithmetic("/ by zero".to_owned())));
            }
            Value::int(left.wrapping_rem_euclid(right))
        }
        ("pow", [base, exponent]) => Value::Double(double(env, base)?.powf(double(env, exponent)?)),
        ("atan2", [y, x]) => Value::Double(double(env, y)?.atan2(double(env, x)?)),
        ("hypot", [x, y]) => Value::Double(double(env, x)?.hypot(double(env, y)?)),
        (_, [value]) => {
            let number = double(env, value)?;
            Value::Double(match method {
                "floor" => number.floor(),
                "ceil" => number.ceil(),
                "rint" => number.round_ties_even(),
                "sqrt" => number.sqrt(),
                "cbrt" => number.cbrt(),
                "exp" => number.exp(),
                "log" => number.ln(),
                "log10" => number.log10(),
                "sin" => number.sin(),
                "cos" => number.cos(),
                "tan" => number.tan(),
                "asin" => number.asin(),
                "acos" => number.acos(),
                "atan" => number.atan(),
                "sinh" => number.sinh(),
                "cosh" => number.cosh(),
                "tanh" => number.tanh(),
                "toRadians" => number.to_radians(),
                "toDegrees" => number.to_degrees(),
                "signum" => number.signum(),
                _ => return Ok(None),
            })
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn numeric(env: &mut Env<'_>, name: &str, method: &str, arguments: &[Value]) -> Answer {
    let value = match (method, arguments) {
        ("parseInt" | "parseLong" | "parseByte" | "parseShort" | "valueOf", [text, radix]) => {
            let (text, radix) = (env.text(text)?, long(env, radix)?);
            let radix = u32::try_from(radix).ok().filter(|radix| (2..=36).contains(radix));
            let number = radix.and_then(|radix| i64::from_str_radix(text.trim(), radix).ok());
            let number = number.ok_or_else(|| number_format(&text))?;
            if name == "Long" { Value::Long(number) } else { Value::int(number) }
        }
        ("parseInt" | "parseLong" | "parseDouble" | "parseFloat" | "parseByte" | "parseShort", [Value::Null]) => {
            return Err(number_format("null"));
        }
        ("parseInt" | "parseLong" | "parseDouble" | "parseFloat" | "parseByte" | "parseShort" | "decode", [value]) => {
            let text = env.text(value)?;
            number_of_text(&text, name).ok_or_else(|| number_format(&text))?
        }
        ("valueOf", [value]) => env.convert(value, name)?,
        ("toString", [value]) => Value::from(env.text(value)?),
        ("toString", [value, radix]) => {
            let (value, radix) = (long(env, value)?, long(env, radix)?);
            Value::from(in_radix(value, radix))
        }
        ("toHexString", [Value::Int(value)]) => Value::from(format!("{value:x}")),
        ("toHexString", [value]) => Value::from(format!("{:x}", long(env, value)?)),
        ("toBinaryString", [Value::Int(value)]) => Value::from(format!("{value:b}")),
        ("toOctalString", [Value::Int(value)]) => Value::from(format!("{value:o}")),
        ("compare", [left, right]) => Value::Int(env.compare(left, right)? as i32),
        ("isNaN", [value]) => Value::Bool(double(env, value)?.is_nan()),
        ("max" | "min" | "sum", [_, _]) => return math(env, method, arguments),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn scalar(env: &mut Env<'_>, name: &str, method: &str, arguments: &[Value]) -> Answer {
    let value = match (name, method, arguments) {
        ("Boolean", "parseBoolean" | "valueOf", [Value::Bool(flag)]) => Value::Bool(*flag),
        ("Boolean", "parseBoolean" | "valueOf", [value]) => Value::Bool(env.text(value)?.eq_ignore_ascii_case("true")),
        ("String", "format", [pattern, rest @ ..]) => {
            let pattern = env.text(pattern)?;
            format::formatted(env, &pattern, rest)?
        }
        ("String", "valueOf" | "copyValueOf", [value]) => Value::from(env.text(value)?),
        ("String", "join", [between, Value::List(list)]) => {
            let between = env.text(between)?;
            super::list::join(env, &list.items(), &between)?
        }
        ("Character", "isDigit" | "isLetter" | "isWhitespace" | "isUpperCase" | "isLowerCase", [value]) => {
            let text = env.text(value)?;
            let character = text.chars().next().unwrap_or(' ');
            Value::Bool(match method {
                "isDigit" => character.is_numeric(),
                "isLetter" => character.is_alphabetic(),
                "isWhitespace" => character.is_whitespace(),
                "isUpperCase" => character.is_uppercase(),
                _ => character.is_lowercase(),
            })
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Calls a method of a class that has to do with time.
pub(super) fn time(env: &mut Env<'_>, name: &str, method: &str, arguments: &[Value]) -> Answer {
    let value = match (name, method, arguments) {
        ("Date", "parse", [pattern, value]) => {
            let (pattern, value) = (env.text(pattern)?, env.text(value)?);
            date::parsed(env, &value, &pattern, None)?
        }
        ("Date", "parse", [pattern, value, zone]) => {
            let (pattern, value) = (env.text(pattern)?, env.text(value)?);
            let zone = date::zone_name(env, zone)?;
            date::parsed(env, &value, &pattern, zone.as_deref())?
        }
        ("Calendar" | "GregorianCalendar", "getInstance", [] | [_]) => {
            let zone = match arguments {
                [zone] => date::zone_name(env, zone)?,
                _ => None,
            };
            let now = env.host.now(env.run)?;
            Value::Native(Rc::new(Native::Calendar { millis: Cell::new(now), zone: RefCell::new(zone) }))
        }
        ("TimeZone", "getTimeZone", [zone]) => match date::zone_name(env, zone)? {
            Some(zone) => Value::Native(Rc::new(Native::Zone(zone))),
            None => return Err(Trouble::null("TimeZone.getTimeZone(null)")),
        },
        ("TimeZone", "getDefault", []) => Value::Native(Rc::new(Native::Zone(Arc::from("UTC")))),
        ("System", "currentTimeMillis", []) => Value::Long(env.host.now(env.run)?),
        ("TimeCategory", "minus", [left, right]) => {
            let (left, right) = (env.call_on(left, "getTime", &[])?, env.call_on(right, "getTime", &[])?);
            let millis = long(env, &left)?.saturating_sub(long(env, &right)?);
            Value::Native(Rc::new(Native::Duration { months: 0, millis }))
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn json_static(env: &mut Env<'_>, method: &str, arguments: &[Value]) -> Answer {
    let value = match (method, arguments) {
        ("toJson", [value]) => {
            let mut text = String::new();
            let Env { run, host } = env;
            json::write(value, &mut text, &mut |object| host.text(run, object))?;
            env.run.charge(text.len())?;
            Value::from(text)
        }
        ("prettyPrint", [value]) => Value::from(json::pretty(&env.text(value)?)),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn utility(env: &mut Env<'_>, name: &str, method: &str, arguments: &[Value]) -> Answer {
    let value = match (name, method, arguments) {
        ("URLEncoder", "encode", [value, ..]) => Value::from(codec::url_encode(&env.text(value)?)),
        ("URLDecoder", "decode", [value, ..]) => {
            let text = env.text(value)?;
            let decoded = codec::url_decode(&text);
            Value::from(decoded.ok_or_else(|| Trouble::illegal(format!("not an encoded text: {text}")))?)
        }
        ("UUID", "randomUUID", []) => {
            let digits = env.host.random(env.run, 1 << 48)?;
            Value::from(format!("00000000-0000-4000-8000-{digits:012x}"))
        }
        ("Pattern", "compile", [source, ..]) => Value::Pattern(env.pattern(source)?),
        ("Pattern", "quote", [value]) => Value::from(regex::escape(&env.text(value)?)),
        ("Pattern", "matches", [pattern, value]) => {
            let text = env.text(value)?;
            Value::Bool(env.pattern(pattern)?.matches(&text))
        }
        ("Collections", "max" | "min" | "sort" | "shuffle" | "reverse", [list]) => {
            let arguments: &[Value] = if method == "reverse" { &[Value::Bool(true)] } else { &[] };
            return env.call_on(list, method, arguments).map(Some);
        }
        ("Collections", "emptyList", []) => Value::list(Vec::new()),
        ("Collections", "emptyMap", []) => Value::map([]),
        ("Collections", "unmodifiableList" | "unmodifiableMap" | "synchronizedMap", [value]) => value.clone(),
        ("Collections", "singletonList", [value]) => Value::list(vec![value.clone()]),
        ("Arrays", "asList", [list @ Value::List(_)]) => list.clone(),
        ("Arrays", "asList", items) => Value::list(items.to_vec()),
        ("Arrays", "toString", [list]) => Value::from(env.text(list)?),
        _ => return Ok(None),
    };
    Ok(Some(value))
}
