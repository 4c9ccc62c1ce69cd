//! `String.format` and `DecimalFormat`.

use crate::number::{self, to_decimal, to_double, to_long};
use crate::run::Env;
use crate::trouble::{Trouble, TroubleKind};
use crate::value::Value;
use rust_decimal::{Decimal, RoundingStrategy};

/// One `%` of a format.
#[derive(Default)]
struct Spec {
    left: bool,
    zeros: bool,
    plus: bool,
    groups: bool,
    width: usize,
    precision: Option<usize>,
    index: Option<usize>,
    kind: char,
}

/// Widths beyond this are mistakes.
const MAX_WIDTH: usize = 10_000;

/// The text of `String.format`.
pub(super) fn formatted(env: &mut Env<'_>, format: &str, arguments: &[Value]) -> Result<Value, Trouble> {
    let arguments = match arguments {
        [Value::List(list)] => list.items(),
        other => other.to_vec(),
    };
    let mut text = String::new();
    let mut next = 0;
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let (spec, after) = spec(&rest[at + 1..]).ok_or_else(|| bad_format(&rest[at..]))?;
        rest = after;
        match spec.kind {
            '%' => text.push('%'),
            'n' => text.push('\n'),
            _ => {
                let index = spec.index.unwrap_or(next);
                next += usize::from(spec.index.is_none());
                let value = arguments.get(index).ok_or_else(|| missing_argument(spec.kind))?;
                let written = argument(env, &spec, value)?;
                text.push_str(&padded(&spec, written));
            }
        }
    }
    text.push_str(rest);
    env.run.charge(text.len())?;
    Ok(Value::from(text))
}

fn bad_format(text: &str) -> Trouble {
    let shown: String = text.chars().take(10).collect();
    Trouble::unsupported(format!("the format `{shown}`"))
}

fn missing_argument(kind: char) -> Trouble {
    let message = Some(format!("Format specifier '%{kind}'"));
    Trouble::new(TroubleKind::Thrown { class: "MissingFormatArgumentException".to_owned(), message })
}

fn spec(text: &str) -> Option<(Spec, &str)> {
    let mut spec = Spec::default();
    let mut rest = text;
    if let Some((digits, after)) = text.split_once('$')
        && let Ok(index) = digits.parse::<usize>()
    {
        spec.index = Some(index.checked_sub(1)?);
        rest = after;
    }
    loop {
        match rest.chars().next()? {
            '-' => spec.left = true,
            '0' => spec.zeros = true,
            '+' => spec.plus = true,
            ',' => spec.groups = true,
            ' ' | '#' => {}
            _ => break,
        }
        rest = &rest[1..];
    }
    let (width, after) = digits(rest)?;
    spec.width = width.unwrap_or(0);
    rest = after;
    if let Some(after) = rest.strip_prefix('.') {
        let (precision, after) = digits(after)?;
        spec.precision = Some(precision?);
        rest = after;
    }
    spec.kind = rest.chars().next()?;
    Some((spec, &rest[spec_len(rest)..]))
}

fn spec_len(rest: &str) -> usize {
    rest.chars().next().map_or(0, char::len_utf8)
}

fn digits(text: &str) -> Option<(Option<usize>, &str)> {
    let length = text.bytes().take_while(u8::is_ascii_digit).count();
    if length == 0 {
        return Some((None, text));
    }
    let number = text[..length].parse().ok().filter(|&number| number <= MAX_WIDTH)?;
    Some((Some(number), &text[length..]))
}

fn argument(env: &mut Env<'_>, spec: &Spec, value: &Value) -> Result<String, Trouble> {
    let whole = |value: &Value| match value {
        Value::Int(_) | Value::Long(_) => to_long(value),
        Value::Decimal(number) if number.scale() == 0 => to_long(value),
        _ => None,
    };
    let text = match spec.kind {
        's' | 'S' => {
            let text = env.text(value)?;
            let cut: String = text.chars().take(spec.precision.unwrap_or(usize::MAX)).collect();
            if spec.kind == 'S' { cut.to_uppercase() } else { cut }
        }
        'b' | 'B' => env.truth(value)?.to_string(),
        'c' => env.text(value)?,
        _ if value.is_null() => "null".to_owned(),
        'd' => {
            let number = whole(value).ok_or_else(|| conversion(env, spec.kind, value))?;
            signed(spec, number < 0, grouped(spec.groups, &number.unsigned_abs().to_string()))
        }
        'x' | 'X' | 'o' => {
            let number = whole(value).ok_or_else(|| conversion(env, spec.kind, value))?;
            let digits = match (spec.kind, value) {
                ('o', _) => format!("{number:o}"),
                (_, Value::Int(number)) => format!("{number:x}"),
                _ => format!("{number:x}"),
            };
            if spec.kind == 'X' { digits.to_uppercase() } else { digits }
        }
        'f' => {
            let digits = spec.precision.unwrap_or(6).min(28) as u32;
            let text = fixed(value, digits).ok_or_else(|| conversion(env, spec.kind, value))?;
            let (negative, text) = text.strip_prefix('-').map_or((false, text.as_str()), |text| (true, text));
            let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
            let mut digits = grouped(spec.groups, whole);
            if let Some(fraction) = fraction {
                digits.push('.');
                digits.push_str(fraction);
            }
            signed(spec, negative, digits)
        }
        'e' | 'E' => {
            let number = to_double(value).ok_or_else(|| conversion(env, spec.kind, value))?;
            let precision = spec.precision.unwrap_or(6).min(30);
            format!("{number:.precision$e}")
        }
        _ => return Err(Trouble::unsupported(format!("the format `%{}`", spec.kind))),
    };
    Ok(text)
}

fn conversion(env: &mut Env<'_>, kind: char, value: &Value) -> Trouble {
    let message = Some(format!("{kind} != {}", env.class_of(value)));
    Trouble::new(TroubleKind::Thrown { class: "IllegalFormatConversionException".to_owned(), message })
}

/// A number with a fixed number of digits after the point, halves rounded up.
fn fixed(value: &Value, digits: u32) -> Option<String> {
    let number = match value {
        Value::Decimal(_) | Value::Double(_) => to_decimal(value)?,
        _ => return None,
    };
    let mut rounded = number.round_dp_with_strategy(digits, RoundingStrategy::MidpointAwayFromZero);
    rounded.rescale(digits);
    Some(rounded.to_string())
}

fn signed(spec: &Spec, negative: bool, digits: String) -> String {
    let sign = match (negative, spec.plus) {
        (true, _) => "-",
        (false, true) => "+",
        (false, false) => "",
    };
    let zeros = if spec.zeros { spec.width.saturating_sub(sign.len() + digits.len()) } else { 0 };
    format!("{sign}{}{digits}", "0".repeat(zeros))
}

fn grouped(groups: bool, digits: &str) -> String {
    if !groups {
        return digits.to_owned();
    }
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn padded(spec: &Spec, text: String) -> String {
    let fill = spec.width.saturating_sub(text.chars().count());
    match (spec.left, spec.zeros && matches!(spec.kind, 'x' | 'X' | 'o')) {
        (true, _) => text + &" ".repeat(fill),
        (false, true) => "0".repeat(fill) + &text,
        (false, false) => " ".repeat(fill) + &text,
    }
}

/// The text of `new DecimalFormat(pattern).format(value)`.
pub(super) fn decimal_format(env: &mut Env<'_>, pattern: &str, value: &Value) -> Result<Value, Trouble> {
    let number = to_decimal(value).ok_or_else(|| env.bad_cast(value, "Number"))?;
    let positive = pattern.split(';').next().unwrap_or(pattern);
    let is_digit = |c: char| matches!(c, '0' | '#' | '.' | ',');
    let start = positive.find(is_digit).unwrap_or(positive.len());
    let end = positive.rfind(is_digit).map_or(start, |last| last + 1);
    let (prefix, core, suffix) = (&positive[..start], &positive[start..end], &positive[end..]);
    if core.contains('E') {
        return Err(Trouble::unsupported(format!("the number pattern \"{pattern}\"")));
    }
    let percent = if positive.contains('%') { Decimal::ONE_HUNDRED } else { Decimal::ONE };
    let number = number.checked_mul(percent).unwrap_or(number);
    let text = format!("{}{}{}", prefix.replace('\'', ""), digits_after(core, number), suffix.replace('\'', ""));
    Ok(Value::from(if number.is_sign_negative() && !number.is_zero() { format!("-{text}") } else { text }))
}

/// The digits of a number after the middle of a pattern, such as `#,##0.00`.
fn digits_after(core: &str, number: Decimal) -> String {
    let (whole, fraction) = core.split_once('.').unwrap_or((core, ""));
    let least_whole = whole.matches('0').count();
    let least_fraction = fraction.matches('0').count();
    let most_fraction = fraction.chars().filter(|c| matches!(c, '0' | '#')).count().min(28);
    let mut rounded = number.abs().round_dp_with_strategy(most_fraction as u32, RoundingStrategy::MidpointNearestEven);
    rounded.rescale(most_fraction as u32);
    let digits = rounded.to_string();
    let (own_whole, own_fraction) = digits.split_once('.').unwrap_or((&digits, ""));
    let own_whole = own_whole.trim_start_matches('0');
    let own_whole = format!("{}{own_whole}", "0".repeat(least_whole.saturating_sub(own_whole.len())));
    let own_whole = grouped(whole.contains(','), &own_whole);
    let mut kept = own_fraction.to_owned();
    while kept.len() > least_fraction && kept.ends_with('0') {
        kept.pop();
    }
    match (own_whole.is_empty(), kept.is_empty()) {
        (true, true) => "0".to_owned(),
        (_, true) => own_whole,
        _ => format!("{own_whole}.{kept}"),
    }
}

/// Reads a number as `DecimalFormat.parse` does, leaving out what follows it.
pub(super) fn parse_number(text: &str) -> Option<Value> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | ','))).unwrap_or(text.len());
    let number = number::parse_decimal(&text[..end].replace(',', ""))?;
    Some(if number.scale() == 0 {
        Value::Long(to_long(&Value::Decimal(number))?)
    } else {
        Value::Double(to_double(&Value::Decimal(number))?)
    })
}
