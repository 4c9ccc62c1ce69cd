//! Methods of texts.

use super::arguments::{long, size};
use super::{Answer, each, format, list};
use crate::run::{Env, compare_texts, number_format, number_of_text, out_of_range};
use crate::tree::Binary;
use crate::trouble::Trouble;
use crate::value::Value;
use crate::{class, codec};
use std::sync::Arc;

/// Calls a method of a text.
pub(super) fn call(env: &mut Env<'_>, text: &Arc<str>, name: &str, arguments: &[Value]) -> Answer {
    let groups = [look, change, cut, numeric, patterns, codecs];
    for group in groups {
        if let Some(value) = group(env, text, name, arguments)? {
            return Ok(Some(value));
        }
    }
    let Some(Value::Closure(_)) = arguments.last() else { return Ok(None) };
    let receiver = Value::Text(text.clone());
    let characters = env.iterated(&receiver)?;
    each::call(env, &receiver, characters, name, arguments)
}

fn answer(value: impl Into<Value>) -> Answer {
    Ok(Some(value.into()))
}

/// Questions about a text.
fn look(env: &mut Env<'_>, text: &Arc<str>, name: &str, arguments: &[Value]) -> Answer {
    match (name, arguments) {
        ("length" | "size", []) => answer(text.chars().count() as i32),
        ("isEmpty", []) => answer(text.is_empty()),
        ("isBlank" | "isAllWhitespace", []) => answer(text.trim().is_empty()),
        ("contains" | "startsWith" | "endsWith", [Value::Null]) => Err(Trouble::null(format!("{name}(null)"))),
        ("contains", [part]) => answer(text.contains(&env.text(part)?)),
        ("startsWith", [part]) => answer(text.starts_with(&env.text(part)?)),
        ("endsWith", [part]) => answer(text.ends_with(&env.text(part)?)),
        ("containsIgnoreCase", [part]) => answer(text.to_lowercase().contains(&env.text(part)?.to_lowercase())),
        ("startsWithIgnoreCase", [part]) => answer(text.to_lowercase().starts_with(&env.text(part)?.to_lowercase())),
        ("endsWithIgnoreCase", [part]) => answer(text.to_lowercase().ends_with(&env.text(part)?.to_lowercase())),
        ("equals", [other]) => answer(matches!(other, Value::Text(other) | Value::Method(other) if other == text)),
        ("equalsIgnoreCase", [Value::Null]) => answer(false),
        ("equalsIgnoreCase", [other]) => answer(text.to_lowercase() == env.text(other)?.to_lowercase()),
        ("compareTo", [other]) => answer(compare_texts(text, &env.text(other)?) as i32),
        ("compareToIgnoreCase", [other]) => {
            answer(compare_texts(&text.to_lowercase(), &env.text(other)?.to_lowercase()) as i32)
        }
        ("indexOf", [part]) => answer(index_of(text, &env.text(part)?, 0)),
        ("indexOf", [part, from]) => {
            let from = size(env, from)?;
            answer(index_of(text, &env.text(part)?, from))
        }
        ("lastIndexOf", [part]) => {
            let part = env.text(part)?;
            answer(text.rfind(&part).map_or(-1, |at| text[..at].chars().count() as i32))
        }
        ("charAt" | "getAt", [index]) => env.get_index(&Value::Text(text.clone()), index, env.run.at()).map(Some),
        ("codePointAt", [index]) => {
            let at = size(env, index)?;
            let code = text.chars().nth(at).map(|character| character as i32);
            answer(code.ok_or_else(|| out_of_range(index, text.chars().count()))?)
        }
        ("count", [part]) if !matches!(part, Value::Closure(_)) => {
            let part = env.text(part)?;
            answer(if part.is_empty() { 0 } else { text.matches(&*part).count() as i32 })
        }
        ("hashCode", []) => answer(java_hash(text)),
        ("execute", _) => Err(Trouble::unsupported("running a program of the system")),
        _ => Ok(None),
    }
}

/// Texts made of a text.
fn change(env: &mut Env<'_>, text: &Arc<str>, name: &str, arguments: &[Value]) -> Answer {
    match (name, arguments) {
        ("toString" | "intern", []) => answer(Value::Text(text.clone())),
        ("toUpperCase", [] | [_]) => answer(text.to_uppercase()),
        ("toLowerCase", [] | [_]) => answer(text.to_lowercase()),
        ("capitalize", []) => answer(with_first(text, |first| first.to_uppercase().collect())),
        ("uncapitalize", []) => answer(with_first(text, |first| first.to_lowercase().collect())),
        ("trim" | "strip", []) => answer(text.trim_matches(|c: char| c <= ' ')),
        ("reverse", []) => answer(text.chars().rev().collect::<String>()),
        ("concat" | "plus", [other]) => env.binary(Binary::Add, &Value::Text(text.clone()), other).map(Some),
        ("minus", [other]) => env.binary(Binary::Subtract, &Value::Text(text.clone()), other).map(Some),
        ("multiply", [times]) => env.binary(Binary::Multiply, &Value::Text(text.clone()), times).map(Some),
        ("replace", [from, to]) => {
            let (from, to) = (env.text(from)?, env.text(to)?);
            let replaced = text.replace(&from, &to);
            env.run.charge(replaced.len())?;
            answer(replaced)
        }
        ("padLeft", _) => padded(env, text, arguments, |missing| (missing, 0)),
        ("padRight", _) => padded(env, text, arguments, |missing| (0, missing)),
        ("center", _) => padded(env, text, arguments, |missing| (missing / 2, missing - missing / 2)),
        ("next", []) => env.neighbour(&Value::Text(text.clone()), true).map(Some),
        ("previous", []) => env.neighbour(&Value::Text(text.clone()), false).map(Some),
        ("tr", [from, to]) => {
            let (from, to): (Vec<char>, Vec<char>) =
                (env.text(from)?.chars().collect(), env.text(to)?.chars().collect());
            let swap = |c: char| match from.iter().position(|&known| known == c) {
                Some(at) => to.get(at).or(to.last()).copied().unwrap_or(c),
                None => c,
            };
            answer(text.chars().map(swap).collect::<String>())
        }
        ("stripIndent", []) => answer(strip_indent(text)),
        ("stripMargin", []) => {
            let line = |line: &str| match line.trim_start().strip_prefix('|') {
                Some(rest) => rest.to_owned(),
                None => line.to_owned(),
            };
            answer(text.split('\n').map(line).collect::<Vec<_>>().join("\n"))
        }
        ("normalize", []) => answer(text.replace("\r\n", "\n")),
        ("format" | "formatted", _) => answer(format::formatted(env, text, arguments)?),
        _ => Ok(None),
    }
}

/// Parts of a text.
fn cut(env: &mut Env<'_>, text: &Arc<str>, name: &str, arguments: &[Value]) -> Answer {
    let count = || text.chars().count();
    match (name, arguments) {
        ("substring" | "subSequence", [from]) => substring(env, text, from, None).map(Some),
        ("substring" | "subSequence", [from, to]) => substring(env, text, from, Some(to)).map(Some),
        ("take", [n]) => answer(text.chars().take(size(env, n)?).collect::<String>()),
        ("drop", [n]) => answer(text.chars().skip(size(env, n)?).collect::<String>()),
        ("takeRight", [n]) => answer(text.chars().skip(count().saturating_sub(size(env, n)?)).collect::<String>()),
        ("dropRight", [n]) => answer(text.chars().take(count().saturating_sub(size(env, n)?)).collect::<String>()),
        ("toList" | "toCharArray" | "getChars" | "chars" | "toSet", []) => {
            let characters = env.iterated(&Value::Text(text.clone()))?;
            env.run.charge_items(characters.len())?;
            answer(if name == "toSet" { Value::set(characters) } else { Value::list(characters) })
        }
        ("readLines", []) => answer(Value::list(text.lines().map(Value::from).collect())),
        ("eachLine", [Value::Closure(closure)]) => {
            let mut last = Value::Null;
            for line in text.lines() {
                last = env.call_closure(closure, &[Value::from(line)])?;
            }
            answer(last)
        }
        ("tokenize", []) => answer(tokens(text, " \t\n\r\u{c}")),
        ("tokenize", [between]) => {
            let between = env.text(between)?;
            answer(tokens(text, &between))
        }
        ("split", [] | [_] | [_, _]) if !matches!(arguments.first(), Some(Value::Closure(_))) => {
            split(env, text, arguments).map(Some)
        }
        ("join", [between]) => {
            let characters = env.iterated(&Value::Text(text.clone()))?;
            let between = env.text(between)?;
            list::join(env, &characters, &between).map(Some)
        }
        _ => Ok(None),
    }
}

/// Numbers and truth values in texts.
fn numeric(_env: &mut Env<'_>, text: &Arc<str>, name: &str, arguments: &[Value]) -> Answer {
    let [] = arguments else { return Ok(None) };
    let convert = |class: &str| number_of_text(text, class).map(Some).ok_or_else(|| number_format(text));
    let is = |class: &str| answer(number_of_text(text, class).is_some());
    match name {
        "toInteger" | "toShort" => convert("Integer"),
        "toLong" => convert("Long"),
        "toFloat" => convert("Float"),
        "toDouble" => convert("Double"),
        "toBigDecimal" => convert("BigDecimal"),
        "toBigInteger" => convert("BigInteger"),
        "toBoolean" => answer(matches!(text.trim().to_lowercase().as_str(), "true" | "y" | "1")),
        "isNumber" | "isBigDecimal" => is("BigDecimal"),
        "isInteger" => is("Integer"),
        "isLong" => is("Long"),
        "isFloat" => is("Float"),
        "isDouble" => is("Double"),
        "isBigInteger" => is("BigInteger"),
        "isNumeric" => answer(!text.is_empty() && text.chars().all(|c| c.is_ascii_digit())),
        _ => Ok(None),
    }
}

/// Regular expressions.
fn patterns(env: &mut Env<'_>, text: &Arc<str>, name: &str, arguments: &[Value]) -> Answer {
    match (name, arguments) {
        ("matches", [pattern]) => answer(env.pattern(pattern)?.matches(text)),
        ("replaceAll" | "replaceFirst", [pattern, Value::Closure(closure)]) => {
            let pattern = env.pattern(pattern)?;
            let mut replaced = String::new();
            let mut rest = 0;
            for found in pattern.regex().captures_iter(text) {
                let Some(whole) = found.get(0) else { continue };
                let groups = found.iter().map(|group| group.map_or(Value::Null, |group| Value::from(group.as_str())));
                let groups: Vec<Value> = groups.collect();
                let result =
                    env.call_closure(closure, &groups[..groups.len().min(super::arguments::arity(closure).max(1))])?;
                replaced.push_str(&text[rest..whole.start()]);
                env.write_text(&result, &mut replaced)?;
                rest = whole.end();
                if name == "replaceFirst" {
                    break;
                }
            }
            replaced.push_str(&text[rest..]);
            env.run.charge(replaced.len())?;
            answer(replaced)
        }
        ("replaceAll" | "replaceFirst", [pattern, with]) => {
            let pattern = env.pattern(pattern)?;
            let with = java_replacement(&env.text(with)?);
            let limit = usize::from(name == "replaceFirst");
            let replaced = pattern.regex().replacen(text, limit, with.as_str()).into_owned();
            env.run.charge(replaced.len())?;
            answer(replaced)
        }
        ("find", [pattern]) if !matches!(pattern, Value::Closure(_)) => {
            let pattern = env.pattern(pattern)?;
            answer(pattern.regex().find(text).map_or(Value::Null, |found| Value::from(found.as_str())))
        }
        ("findAll", [pattern]) if !matches!(pattern, Value::Closure(_)) => {
            let pattern = env.pattern(pattern)?;
            answer(Value::list(pattern.regex().find_iter(text).map(|found| Value::from(found.as_str())).collect()))
        }
        ("asType", [Value::Class(class)]) if class::is_numeric(class) => {
            env.convert(&Value::Text(text.clone()), class).map(Some)
        }
        _ => Ok(None),
    }
}

/// Bytes and encodings.
fn codecs(_env: &mut Env<'_>, text: &Arc<str>, name: &str, arguments: &[Value]) -> Answer {
    match (name, arguments) {
        ("getBytes", [] | [_]) => answer(codec::bytes_value(text.as_bytes())),
        ("encodeAsBase64", []) => answer(codec::base64(text.as_bytes())),
        ("decodeBase64", []) => {
            let bytes = codec::unbase64(text).ok_or_else(|| Trouble::illegal("a text that is not Base64"))?;
            answer(codec::bytes_value(&bytes))
        }
        ("encodeAsURL", []) => answer(codec::url_encode(text)),
        ("decodeHex", []) => {
            let bytes = codec::unhex(text).ok_or_else(|| Trouble::illegal("a text that is not hexadecimal"))?;
            answer(codec::bytes_value(&bytes))
        }
        ("encodeAsMD5" | "encodeAsSHA1" | "encodeAsHTML" | "md5" | "sha256", _) => {
            Err(Trouble::unsupported(format!("the text method {name}")))
        }
        _ => Ok(None),
    }
}

fn with_first(text: &str, change: impl FnOnce(char) -> String) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => change(first) + characters.as_str(),
        None => String::new(),
    }
}

fn index_of(text: &str, part: &str, from: usize) -> i32 {
    let skipped: usize = text.chars().take(from).map(char::len_utf8).sum();
    text[skipped..].find(part).map_or(-1, |at| text[..skipped + at].chars().count() as i32)
}

fn substring(env: &mut Env<'_>, text: &str, from: &Value, to: Option<&Value>) -> Result<Value, Trouble> {
    let count = text.chars().count();
    let first = long(env, from)?;
    let last = match to {
        Some(to) => long(env, to)?,
        None => count as i64,
    };
    if first < 0 || last > count as i64 || first > last {
        return Err(out_of_range(if first < 0 || to.is_none() { from } else { to.unwrap_or(from) }, count));
    }
    Ok(Value::from(text.chars().skip(first as usize).take((last - first) as usize).collect::<String>()))
}

fn padded(env: &mut Env<'_>, text: &str, arguments: &[Value], sides: impl FnOnce(usize) -> (usize, usize)) -> Answer {
    let (width, with) = match arguments {
        [width] => (size(env, width)?, " ".to_owned()),
        [width, with] => (size(env, width)?, env.text(with)?),
        _ => return Ok(None),
    };
    env.run.charge(width)?;
    let (left, right) = sides(width.saturating_sub(text.chars().count()));
    let fill = |size: usize| with.chars().cycle().take(size).collect::<String>();
    answer(fill(left) + text + &fill(right))
}

fn tokens(text: &str, between: &str) -> Value {
    let parts = text.split(|c: char| between.contains(c)).filter(|part| !part.is_empty());
    Value::list(parts.map(Value::from).collect())
}

/// Java's split: by a regular expression, without the empty parts at the end.
fn split(env: &mut Env<'_>, text: &str, arguments: &[Value]) -> Result<Value, Trouble> {
    let [pattern, rest @ ..] = arguments else {
        return Ok(Value::list(text.split_whitespace().map(Value::from).collect()));
    };
    let limit = match rest.first() {
        Some(limit) => long(env, limit)?,
        None => 0,
    };
    let pattern = env.pattern(pattern)?;
    let mut parts: Vec<&str> = match usize::try_from(limit) {
        Ok(limit) if limit > 0 => pattern.regex().splitn(text, limit).collect(),
        _ => pattern.regex().split(text).collect(),
    };
    // A pattern that matches nothing splits before the first character for us, but not for Java.
    if parts.len() > 1 && parts.first() == Some(&"") && pattern.regex().find(text).is_some_and(|found| found.is_empty())
    {
        parts.remove(0);
    }
    while limit == 0 && parts.len() > 1 && parts.last() == Some(&"") {
        parts.pop();
    }
    env.run.charge_items(parts.len())?;
    Ok(Value::list(parts.into_iter().map(Value::from).collect()))
}

/// Java writes `$1` and `\$` in replacements, we write `${1}` and `$$`.
fn java_replacement(with: &str) -> String {
    let mut ours = String::new();
    let mut characters = with.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('$') => ours.push_str("$$"),
                Some(other) => ours.push(other),
                None => {}
            },
            '$' => {
                let digit = characters.next_if(char::is_ascii_digit);
                match digit {
                    Some(digit) => ours.push_str(&format!("${{{digit}}}")),
                    None => ours.push_str("$$"),
                }
            }
            other => ours.push(other),
        }
    }
    ours
}

fn strip_indent(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let least = text.lines().filter(|line| !line.trim().is_empty()).map(indent).min().unwrap_or(0);
    text.split('\n').map(|line| line.get(least..).unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// Java's hash of a text.
pub(super) fn java_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}
