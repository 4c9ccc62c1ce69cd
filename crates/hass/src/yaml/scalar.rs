//! What a plain scalar of YAML 1.1 means, by the resolvers of PyYAML.

use super::Value;

/// The value of a scalar without quotes.
pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" | "on" | "On" | "ON" | "yes" | "Yes" | "YES" => return Value::Bool(true),
        "false" | "False" | "FALSE" | "off" | "Off" | "OFF" | "no" | "No" | "NO" => return Value::Bool(false),
        _ => {}
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.')) {
        return Value::Text(text.to_owned());
    }
    whole(text)
        .map(Value::Int)
        .or_else(|| float(text).map(Value::Float))
        .unwrap_or_else(|| Value::Text(text.to_owned()))
}

fn signed(text: &str) -> (i64, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// A whole number: decimal, `0b`, `0x`, octal with a leading zero, or in parts of sixty such as `12:30`.
fn whole(text: &str) -> Option<i64> {
    let (sign, digits) = signed(text);
    let first = digits.chars().next()?;
    if !first.is_ascii_digit() {
        return None;
    }
    if digits.contains(':') {
        let mut number = 0_i64;
        for (index, part) in digits.split(':').enumerate() {
            let value: i64 = decimal(part)?;
            let too_long = index > 0 && part.len() > 2;
            if too_long
                || (index > 0 && value > 59)
                || (index == 0 && first == '0' && part.len() == 1 && value == 0 && digits.len() == 1)
            {
                return None;
            }
            number = number.checked_mul(60)?.checked_add(value)?;
        }
        // The first part begins with 1 to 9 in PyYAML: `06:30` stays a text.
        return (first != '0').then_some(sign * number);
    }
    let clean = digits.replace('_', "");
    if let Some(bits) = clean.strip_prefix("0b") {
        return i64::from_str_radix(bits, 2).ok().map(|number| sign * number);
    }
    if let Some(hex) = clean.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16).ok().map(|number| sign * number);
    }
    if clean.len() > 1 && first == '0' {
        return i64::from_str_radix(&clean, 8).ok().map(|number| sign * number);
    }
    decimal(digits)?.checked_mul(sign)
}

fn decimal(digits: &str) -> Option<i64> {
    let clean = digits.replace('_', "");
    (!clean.is_empty() && clean.bytes().all(|byte| byte.is_ascii_digit())).then(|| clean.parse().ok())?
}

/// A number with a point; an exponent needs one too, and a sign.
fn float(text: &str) -> Option<f64> {
    let (sign, digits) = signed(text);
    match digits {
        ".inf" | ".Inf" | ".INF" => return Some(sign as f64 * f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" if digits == text => return Some(f64::NAN),
        _ => {}
    }
    let clean = digits.replace('_', "");
    let (mantissa, exponent) = match clean.find(['e', 'E']) {
        Some(at) => (&clean[..at], Some(&clean[at + 1..])),
        None => (clean.as_str(), None),
    };
    let (before, after) = mantissa.split_once('.')?;
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(before) || !all_digits(after) || before.len() + after.len() == 0 {
        return None;
    }
    if let Some(exponent) = exponent {
        let digits = exponent.strip_prefix(['+', '-'])?;
        if digits.is_empty() || !all_digits(digits) {
            return None;
        }
    }
    clean.parse::<f64>().ok().map(|number| sign as f64 * number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    /// Each line was read by PyYAML's safe loader.
    #[test]
    fn plain_scalars_mean_what_they_mean_in_yaml_1_1() {
        for (source, value) in [
            ("on", Value::Bool(true)),
            ("Off", Value::Bool(false)),
            ("YES", Value::Bool(true)),
            ("oN", text("oN")),
            ("y", text("y")),
            ("12:30:00", Value::Int(45_000)),
            ("06:30:00", text("06:30:00")),
            ("1:60", text("1:60")),
            ("010", Value::Int(8)),
            ("08", text("08")),
            ("0x1F", Value::Int(31)),
            ("1_000", Value::Int(1_000)),
            ("1e3", text("1e3")),
            ("1.0e+3", Value::Float(1_000.0)),
            ("-5", Value::Int(-5)),
            ("-.5", Value::Float(-0.5)),
            ("0.5", Value::Float(0.5)),
            ("5.", Value::Float(5.0)),
            ("~", Value::Null),
            ("", Value::Null),
            ("-", text("-")),
            ("99999999999999999999", text("99999999999999999999")),
        ] {
            assert_eq!(plain(source), value, "{source}");
        }
    }
}
