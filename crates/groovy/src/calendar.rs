//! Dates: the civil calendar, and texts of dates after Java's patterns.
//!
//! Moments are milliseconds since 1970 UTC. A zone is how far its clocks are ahead of UTC at a moment.

use super::native::Native;
use super::number;
use super::run::DAY;
use super::value::Value;
use std::fmt::Write;
use std::rc::Rc;

/// Fields of dates stay within this, so that no sum of them overflows.
const FAR: i64 = 1_000_000_000;
/// Numbers in texts of dates have at most this many digits.
const MAX_DIGITS: usize = 9;

const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A moment as a wall clock and a calendar show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Civil {
    pub(super) year: i64,
    /// From 1.
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) milli: i64,
}

impl Civil {
    /// What a clock shows that is so far ahead of UTC.
    pub(super) fn at(millis: i64, offset: i64) -> Self {
        let local = millis.saturating_add(offset);
        let (days, rest) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (year, month, day) = civil_of_days(days);
        Civil {
            year,
            month,
            day,
            hour: rest / 3_600_000,
            minute: rest / 60_000 % 60,
            second: rest / 1000 % 60,
            milli: rest % 1000,
        }
    }

    /// The moment at which a clock that is so far ahead of UTC shows this. Fields may be beyond their range.
    pub(super) fn millis(&self, offset: i64) -> i64 {
        let month = self.month - 1;
        let days = days_of_civil(self.year + month.div_euclid(12), month.rem_euclid(12) + 1, 1) + self.day - 1;
        let rest = ((self.hour * 60 + self.minute) * 60 + self.second) * 1000 + self.milli;
        days.saturating_mul(DAY).saturating_add(rest).saturating_sub(offset)
    }

    /// The day of the week; Sunday is 0.
    pub(super) fn weekday(&self) -> i64 {
        (days_of_civil(self.year, self.month, self.day) + 4).rem_euclid(7)
    }

    /// The day of the year, from 1.
    pub(super) fn day_of_year(&self) -> i64 {
        days_of_civil(self.year, self.month, self.day) - days_of_civil(self.year, 1, 1) + 1
    }
}

/// A field of a date, brought into a range that no script comes near.
pub(super) fn near(field: i64) -> i64 {
    field.clamp(-FAR, FAR)
}

/// Days since 1970 to year, month and day, by eras of 400 years that begin in March.
fn civil_of_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn days_of_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let shifted_month = if month > 2 { month - 3 } else { month + 9 };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// The offset of a zone that says itself what it is: `UTC`, `GMT-05:00`, `+0100`.
pub(super) fn fixed_offset(zone: &str) -> Option<i64> {
    if matches!(zone, "UTC" | "GMT" | "Z" | "Etc/UTC" | "Etc/GMT" | "Zulu" | "Universal") {
        return Some(0);
    }
    let rest = zone.strip_prefix("GMT").or_else(|| zone.strip_prefix("UTC")).unwrap_or(zone);
    let sign = match rest.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let digits: String = rest[1..].chars().filter(|&c| c != ':').collect();
    let (hours, minutes) = match digits.len() {
        1 | 2 => (digits.as_str(), "0"),
        3 | 4 if digits.is_ascii() => digits.split_at(digits.len() - 2),
        _ => return None,
    };
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    Some(sign * (hours * 60 + minutes) * 60_000)
}

/// The text of a date in UTC as Java prints it: `Thu Aug 01 21:14:40 UTC 2019`.
pub(super) fn plain_text(millis: i64) -> String {
    format(millis, 0, "UTC", "EEE MMM dd HH:mm:ss zzz yyyy").unwrap_or_else(|_| millis.to_string())
}

/// The text of a stretch of time, as Groovy prints durations.
pub(super) fn duration_text(months: i64, millis: i64) -> String {
    let parts = [
        (months / 12, "years"),
        (months % 12, "months"),
        (millis / DAY, "days"),
        (millis / 3_600_000 % 24, "hours"),
        (millis / 60_000 % 60, "minutes"),
    ];
    let mut texts: Vec<String> =
        parts.iter().filter(|(count, _)| *count != 0).map(|(count, unit)| format!("{count} {unit}")).collect();
    let (seconds, rest) = (millis / 1000 % 60, millis % 1000);
    if seconds != 0 || rest != 0 {
        texts.push(format!("{seconds}.{:03} seconds", rest.abs()));
    }
    if texts.is_empty() { "0".to_owned() } else { texts.join(", ") }
}

/// The text of a moment after a pattern of `SimpleDateFormat`; the error is a letter that means nothing.
pub(super) fn format(millis: i64, offset: i64, zone: &str, pattern: &str) -> Result<String, char> {
    let civil = Civil::at(millis, offset);
    let mut text = String::new();
    for part in parts(pattern) {
        match part {
            Part::Literal(literal) => text.push_str(&literal),
            Part::Field(letter, width) => field(&mut text, &civil, offset, zone, letter, width)?,
        }
    }
    Ok(text)
}

fn field(text: &mut String, civil: &Civil, offset: i64, zone: &str, letter: char, width: usize) -> Result<(), char> {
    let number = |value: i64| format!("{value:0width$}");
    let named = |name: &str| if width >= 4 { name.to_owned() } else { name[..3].to_owned() };
    let month = MONTHS[(civil.month - 1).rem_euclid(12) as usize];
    let written = match letter {
        'y' | 'Y' | 'u' if width == 2 => format!("{:02}", civil.year.rem_euclid(100)),
        'y' | 'Y' => number(civil.year),
        'M' | 'L' if width >= 3 => named(month),
        'M' | 'L' => number(civil.month),
        'd' => number(civil.day),
        'D' => number(civil.day_of_year()),
        'E' => named(WEEKDAYS[civil.weekday() as usize]),
        'u' => number((civil.weekday() + 6) % 7 + 1),
        'a' => (if civil.hour < 12 { "AM" } else { "PM" }).to_owned(),
        'H' => number(civil.hour),
        'k' => number(if civil.hour == 0 { 24 } else { civil.hour }),
        'K' => number(civil.hour % 12),
        'h' => number((civil.hour + 11) % 12 + 1),
        'm' => number(civil.minute),
        's' => number(civil.second),
        'S' => number(civil.milli),
        'z' => zone.to_owned(),
        'Z' => offset_text(offset, ""),
        'X' if offset == 0 => "Z".to_owned(),
        'X' if width == 1 => offset_text(offset, "")[..3].to_owned(),
        'X' => offset_text(offset, if width >= 3 { ":" } else { "" }),
        'G' => (if civil.year > 0 { "AD" } else { "BC" }).to_owned(),
        'F' => number((civil.day - 1) / 7 + 1),
        other => return Err(other),
    };
    text.push_str(&written);
    Ok(())
}

fn offset_text(offset: i64, between: &str) -> String {
    let minutes = offset.abs() / 60_000;
    let mut text = String::from(if offset < 0 { "-" } else { "+" });
    let _ = write!(text, "{:02}{between}{:02}", minutes / 60, minutes % 60);
    text
}

enum Part {
    Literal(String),
    Field(char, usize),
}

/// A pattern as runs of letters and what stands between them.
fn parts(pattern: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '\'' {
            let mut literal = String::new();
            // Two quotes in a row are one quote.
            if characters.next_if_eq(&'\'').is_some() {
                literal.push('\'');
            } else {
                for inner in characters.by_ref() {
                    if inner == '\'' {
                        break;
                    }
                    literal.push(inner);
                }
            }
            parts.push(Part::Literal(literal));
        } else if character.is_ascii_alphabetic() {
            let mut width = 1;
            while characters.next_if_eq(&character).is_some() {
                width += 1;
            }
            parts.push(Part::Field(character, width));
        } else {
            parts.push(Part::Literal(character.to_string()));
        }
    }
    parts
}

/// Reads a date after a pattern; `zone` gives the offset of clocks without one of their own.
pub(super) fn parse(text: &str, pattern: &str, zone: i64) -> Option<i64> {
    let mut civil = Civil { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, milli: 0 };
    let (mut offset, mut afternoon) = (zone, None);
    let mut rest = text;
    let parts = parts(pattern);
    for (index, part) in parts.iter().enumerate() {
        match part {
            Part::Literal(literal) if literal.trim().is_empty() => rest = rest.trim_start(),
            Part::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
            Part::Field(letter, width) => {
                let packed = matches!(parts.get(index + 1), Some(Part::Field(next, _)) if next.is_ascii_alphabetic() && !"azZX".contains(*next));
                rest = read_field(rest, *letter, *width, packed, &mut civil, &mut offset, &mut afternoon)?;
            }
        }
    }
    if let Some(afternoon) = afternoon {
        civil.hour = civil.hour % 12 + if afternoon { 12 } else { 0 };
    }
    Some(civil.millis(offset))
}

fn read_field<'t>(
    text: &'t str,
    letter: char,
    width: usize,
    packed: bool,
    civil: &mut Civil,
    offset: &mut i64,
    afternoon: &mut Option<bool>,
) -> Option<&'t str> {
    let number = || read_number(text, packed.then_some(width));
    match letter {
        'M' if width >= 3 => {
            let (index, rest) = read_name(text, &MONTHS)?;
            civil.month = index as i64 + 1;
            Some(rest)
        }
        'E' => read_name(text, &WEEKDAYS).map(|(_, rest)| rest),
        'a' => {
            let rest = text.get(2..)?;
            *afternoon = Some(text[..2].eq_ignore_ascii_case("PM"));
            Some(rest)
        }
        'z' | 'Z' | 'X' => {
            let end = text.find(char::is_whitespace).unwrap_or(text.len());
            *offset = fixed_offset(&text[..end])?;
            Some(&text[end..])
        }
        'y' => {
            let (year, rest) = number()?;
            civil.year = if width <= 2 && year < 100 { 2000 + year } else { year };
            Some(rest)
        }
        _ => {
            let (value, rest) = number()?;
            let field = match letter {
                'M' => &mut civil.month,
                'd' => &mut civil.day,
                'H' | 'h' | 'K' | 'k' => &mut civil.hour,
                'm' => &mut civil.minute,
                's' => &mut civil.second,
                'S' => &mut civil.milli,
                _ => return None,
            };
            *field = value;
            Some(rest)
        }
    }
}

fn read_number(text: &str, width: Option<usize>) -> Option<(i64, &str)> {
    let text = text.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count().min(width.unwrap_or(MAX_DIGITS)).min(MAX_DIGITS);
    Some((text.get(..digits)?.parse().ok()?, &text[digits..]))
}

fn read_name<'t>(text: &'t str, names: &[&str]) -> Option<(usize, &'t str)> {
    for (index, name) in names.iter().enumerate() {
        for candidate in [*name, &name[..3]] {
            if text.get(..candidate.len()).is_some_and(|start| start.eq_ignore_ascii_case(candidate)) {
                return Some((index, &text[candidate.len()..]));
            }
        }
    }
    None
}

/// `date + days`, `date - date`, `date + 5.minutes`, `1.hour + 5.minutes`.
pub(super) fn shifted(plus: bool, left: &Value, right: &Value) -> Option<Value> {
    let sign = if plus { 1 } else { -1 };
    let duration = |value: &Value| match value {
        Value::Native(native) => match &**native {
            Native::Duration { months, millis } => Some((*months, *millis)),
            _ => None,
        },
        _ => None,
    };
    if let Value::Date(date) = left {
        if let Value::Date(other) = right {
            // A difference of dates is a number of whole days.
            return (!plus).then(|| Value::int(date.saturating_sub(*other) / DAY));
        }
        if let Some((months, millis)) = duration(right) {
            let mut civil = Civil::at(*date, 0);
            civil.month += sign * near(months);
            return Some(Value::Date(civil.millis(0).saturating_add(millis.saturating_mul(sign))));
        }
        let days = number::to_long(right)?;
        return Some(Value::Date(date.saturating_add(days.saturating_mul(sign * DAY))));
    }
    let (months, millis) = duration(left)?;
    if let (Value::Date(_), true) = (right, plus) {
        return shifted(true, right, left);
    }
    let (more_months, more_millis) = duration(right)?;
    let months = months.saturating_add(more_months.saturating_mul(sign));
    let millis = millis.saturating_add(more_millis.saturating_mul(sign));
    Some(Value::Native(Rc::new(Native::Duration { months, millis })))
}
