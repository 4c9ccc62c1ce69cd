//! Lengths of time and times of day, as configurations write them.

use crate::template::Val;

/// The milliseconds of `HH:MM[:SS]`, of a number of seconds, or of nothing else.
pub(crate) fn of_text(text: &str) -> Option<i64> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if !digits.contains(':') {
        return digits
            .parse::<f64>()
            .ok()
            .filter(|seconds| seconds.is_finite())
            .map(|seconds| sign * (seconds * 1000.0) as i64);
    }
    let parts: Vec<f64> = digits.split(':').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    let [hours, minutes, seconds] = match parts[..] {
        [hours, minutes] => [hours, minutes, 0.0],
        [hours, minutes, seconds] => [hours, minutes, seconds],
        _ => return None,
    };
    Some(sign * ((hours * 3600.0 + minutes * 60.0 + seconds) * 1000.0) as i64)
}

/// The milliseconds of a value: a number of seconds, a text, or a mapping with `hours`, `minutes` and so on.
pub(crate) fn of_value(value: &Val) -> Option<i64> {
    match value {
        Val::Int(seconds) => seconds.checked_mul(1000),
        Val::Float(seconds) => Some((seconds.0 * 1000.0) as i64),
        Val::Text(text) => of_text(text),
        Val::Span(ms) => Some(*ms),
        Val::Map(entries) => {
            let mut total = 0.0;
            for (key, value) in entries.iter() {
                let unit = match key.to_string().as_str() {
                    "days" => 86_400_000.0,
                    "hours" => 3_600_000.0,
                    "minutes" => 60_000.0,
                    "seconds" => 1000.0,
                    "milliseconds" => 1.0,
                    _ => return None,
                };
                total += value.as_number()? * unit;
            }
            Some(total as i64)
        }
        _ => None,
    }
}

/// A length of time for people: `5 min`, `1 h 30 min`, `200 ms`.
pub(crate) fn told(milliseconds: i64) -> String {
    if milliseconds % 1000 != 0 {
        return format!("{milliseconds} ms");
    }
    let seconds = milliseconds / 1000;
    let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")];
    let told: Vec<String> =
        parts.iter().filter(|(number, _)| *number != 0).map(|(number, unit)| format!("{number} {unit}")).collect();
    if told.is_empty() { "0 s".to_owned() } else { told.join(" ") }
}
