//! Methods of dates, calendars, zones and stretches of time.

use super::Answer;
use super::arguments::long;
use crate::calendar::{self, Civil};
use crate::native::Native;
use crate::number;
use crate::run::{DAY, Env};
use crate::tree::Binary;
use crate::trouble::{Trouble, TroubleKind};
use crate::value::Value;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// A zone's name, or `None` for that of the home.
type Zone<'a> = Option<&'a str>;

/// How far a zone is ahead of UTC at a moment.
pub(super) fn offset(env: &mut Env<'_>, zone: Zone<'_>, millis: i64) -> Result<i64, Trouble> {
    if let Some(fixed) = zone.and_then(calendar::fixed_offset) {
        return Ok(fixed);
    }
    match (env.host.zone_offset(zone, millis), zone) {
        (Some(offset), _) => Ok(offset),
        // A home that does not say where it is has its clocks at UTC.
        (None, None) => Ok(0),
        (None, Some(zone)) => Err(Trouble::unsupported(format!("the time zone {zone}"))),
    }
}

fn civil(env: &mut Env<'_>, millis: i64, zone: Zone<'_>) -> Result<Civil, Trouble> {
    Ok(Civil::at(millis, offset(env, zone, millis)?))
}

/// The moment at which the clocks of a zone show something.
fn moment(env: &mut Env<'_>, civil: &Civil, zone: Zone<'_>) -> Result<i64, Trouble> {
    let guess = civil.millis(0);
    let first = civil.millis(offset(env, zone, guess)?);
    Ok(civil.millis(offset(env, zone, first)?))
}

/// The name of a zone that a value is.
pub(super) fn zone_name(env: &mut Env<'_>, value: &Value) -> Result<Option<Arc<str>>, Trouble> {
    match value {
        Value::Null | Value::Unknown(_) => Ok(None),
        Value::Native(native) => match &**native {
            Native::Zone(zone) => Ok(Some(zone.clone())),
            _ => Err(env.bad_cast(value, "TimeZone")),
        },
        other => Ok(Some(Arc::from(env.text(other)?))),
    }
}

/// The text of a date after a pattern.
pub(super) fn formatted(env: &mut Env<'_>, millis: i64, pattern: &str, zone: Zone<'_>) -> Result<Value, Trouble> {
    let offset = offset(env, zone, millis)?;
    let text = calendar::format(millis, offset, zone.unwrap_or("UTC"), pattern);
    text.map(Value::from)
        .map_err(|letter| Trouble::unsupported(format!("`{letter}` in the date pattern \"{pattern}\"")))
}

/// Reads a date after a pattern.
pub(super) fn parsed(env: &mut Env<'_>, text: &str, pattern: &str, zone: Zone<'_>) -> Result<Value, Trouble> {
    let at_utc = calendar::parse(text, pattern, 0);
    let own = match at_utc {
        Some(millis) => offset(env, zone, millis)?,
        None => 0,
    };
    calendar::parse(text, pattern, own).map(Value::Date).ok_or_else(|| {
        let message = format!("Unparseable date: \"{text}\"");
        Trouble::new(TroubleKind::BadFormat { class: "ParseException", message })
    })
}

/// Calls a method of a date.
pub(super) fn call(env: &mut Env<'_>, millis: i64, name: &str, arguments: &[Value]) -> Answer {
    let date = Value::Date(millis);
    let value = match (name, arguments) {
        ("format", [pattern]) => {
            let pattern = env.text(pattern)?;
            formatted(env, millis, &pattern, None)?
        }
        ("format", [pattern, zone]) => {
            let pattern = env.text(pattern)?;
            let zone = zone_name(env, zone)?;
            formatted(env, millis, &pattern, zone.as_deref())?
        }
        ("before", [Value::Date(other)]) => Value::Bool(millis < *other),
        ("after", [Value::Date(other)]) => Value::Bool(millis > *other),
        ("before" | "after", [Value::Null]) => return Err(Trouble::null(format!("{name}(null)"))),
        ("plus", [other]) => env.binary(Binary::Add, &date, other)?,
        ("minus", [other]) => env.binary(Binary::Subtract, &date, other)?,
        ("next", []) => Value::Date(millis.saturating_add(DAY)),
        ("previous", []) => Value::Date(millis.saturating_sub(DAY)),
        ("clone" | "toTimestamp", []) => date,
        ("parse", _) => return super::statics::time(env, "Date", "parse", arguments),
        ("toCalendar", []) => {
            Value::Native(Rc::new(Native::Calendar { millis: Cell::new(millis), zone: RefCell::new(None) }))
        }
        ("copyWith", [Value::Map(fields)]) => {
            let mut civil = civil(env, millis, None)?;
            for (key, value) in fields.entries() {
                let key = env.text(&key)?;
                let value = long(env, &value)?;
                set_named(&mut civil, &key, value)?;
            }
            Value::Date(moment(env, &civil, None)?)
        }
        _ if name.starts_with("set") || name == "clearTime" => {
            return Ok(changed(env, millis, name, arguments)?.map(Value::Date));
        }
        (_, []) => {
            let Some(property_name) = name.strip_prefix("get") else { return Ok(None) };
            let lower = super::lower_first(property_name);
            return property(env, millis, &lower);
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// What a date becomes by a method that changes it in place.
///
/// A date is a plain value here, so the interpreter stores the result where the date came from. Another variable that
/// holds the same date does not see the change.
pub(crate) fn changed(env: &mut Env<'_>, millis: i64, name: &str, arguments: &[Value]) -> Result<Option<i64>, Trouble> {
    let mut fields = civil(env, millis, None)?;
    match (name, arguments) {
        ("clearTime", []) => (fields.hour, fields.minute, fields.second, fields.milli) = (0, 0, 0, 0),
        ("setTime", [value]) => return long(env, value).map(Some),
        ("set", [Value::Map(values)]) => {
            for (key, value) in values.entries() {
                let key = env.text(&key)?;
                let value = long(env, &value)?;
                set_named(&mut fields, &key, value)?;
            }
        }
        (_, [value]) => {
            let value = calendar::near(long(env, value)?);
            match name {
                "setHours" => fields.hour = value,
                "setMinutes" => fields.minute = value,
                "setSeconds" => fields.second = value,
                "setDate" => fields.day = value,
                "setMonth" => fields.month = value + 1,
                "setYear" => fields.year = value + 1900,
                _ => return Ok(None),
            }
        }
        _ => return Ok(None),
    }
    moment(env, &fields, None).map(Some)
}

/// `new Date(year, month, day, …)` and `new Date(hours: 5)`.
pub(super) fn from_fields(env: &mut Env<'_>, arguments: &[Value]) -> Answer {
    let now = env.host.now(env.run)?;
    if let [Value::Map(values)] = arguments {
        let mut millis = now;
        for (key, value) in values.entries() {
            let setter = format!("set{}", super::upper_first(&env.text(&key)?));
            let Some(next) = changed(env, millis, &setter, &[value])? else { return Ok(None) };
            millis = next;
        }
        return Ok(Some(Value::Date(millis)));
    }
    let (3..=6, true) = (arguments.len(), arguments.iter().all(Value::is_number)) else { return Ok(None) };
    let mut millis = changed(env, now, "clearTime", &[])?.unwrap_or(now);
    // The day is set to the first before the month, so that no month overflows.
    let setters = ["setYear", "setMonth", "setDate", "setHours", "setMinutes", "setSeconds"];
    millis = changed(env, millis, "setDate", &[Value::Int(1)])?.unwrap_or(millis);
    for (setter, value) in setters.iter().zip(arguments) {
        millis = changed(env, millis, setter, std::slice::from_ref(value))?.unwrap_or(millis);
    }
    Ok(Some(Value::Date(millis)))
}

fn set_named(civil: &mut Civil, field: &str, value: i64) -> Result<(), Trouble> {
    let value = calendar::near(value);
    match field {
        "year" => civil.year = value,
        "month" => civil.month = value + 1,
        "date" | "dayOfMonth" => civil.day = value,
        "hourOfDay" => civil.hour = value,
        "minute" => civil.minute = value,
        "second" => civil.second = value,
        other => return Err(Trouble::unsupported(format!("the date field {other}"))),
    }
    Ok(())
}

/// Reads a property of a date.
pub(super) fn property(env: &mut Env<'_>, millis: i64, name: &str) -> Answer {
    let value = match name {
        "time" => Value::Long(millis),
        "timezoneOffset" => Value::int(-offset(env, None, millis)? / 60_000),
        _ => {
            let civil = civil(env, millis, None)?;
            Value::int(match name {
                "year" => civil.year - 1900,
                "month" => civil.month - 1,
                "date" => civil.day,
                "day" => civil.weekday(),
                "hours" => civil.hour,
                "minutes" => civil.minute,
                "seconds" => civil.second,
                _ => return Ok(None),
            })
        }
    };
    Ok(Some(value))
}

/// `5.minutes` and its kind.
pub(super) fn duration(count: &Value, unit: &str) -> Option<Value> {
    let count = number::to_long(count)?;
    let (months, millis) = match unit {
        "millisecond" | "milliseconds" => (0, count),
        "second" | "seconds" => (0, count.saturating_mul(1000)),
        "minute" | "minutes" => (0, count.saturating_mul(60_000)),
        "hour" | "hours" => (0, count.saturating_mul(3_600_000)),
        "day" | "days" => (0, count.saturating_mul(DAY)),
        "week" | "weeks" => (0, count.saturating_mul(7 * DAY)),
        "month" | "months" => (count, 0),
        "year" | "years" => (count.saturating_mul(12), 0),
        _ => return None,
    };
    Some(Value::Native(Rc::new(Native::Duration { months, millis })))
}

/// Reads a property of a stretch of time.
pub(super) fn duration_property(env: &mut Env<'_>, months: i64, millis: i64, name: &str) -> Answer {
    let value = match name {
        "days" => millis / DAY,
        "hours" => millis / 3_600_000 % 24,
        "minutes" => millis / 60_000 % 60,
        "seconds" => millis / 1000 % 60,
        "months" => months % 12,
        "years" => months / 12,
        "toMilliseconds" => return Ok(Some(Value::Long(millis))),
        "from" | "ago" => {
            let now = Value::Date(env.host.now(env.run)?);
            if name == "from" {
                return Ok(Some(Value::record([("now", shifted_now(&now, months, millis, true))])));
            }
            return Ok(Some(shifted_now(&now, months, millis, false)));
        }
        _ => return Ok(None),
    };
    Ok(Some(Value::int(value)))
}

fn shifted_now(now: &Value, months: i64, millis: i64, plus: bool) -> Value {
    let duration = Value::Native(Rc::new(Native::Duration { months, millis }));
    calendar::shifted(plus, now, &duration).unwrap_or_default()
}

/// The number of a `Calendar` field, as Java has it.
pub(super) fn calendar_constant(name: &str) -> Option<i32> {
    Some(match name {
        "ERA" => 0,
        "YEAR" => 1,
        "MONTH" => 2,
        "WEEK_OF_YEAR" => 3,
        "WEEK_OF_MONTH" => 4,
        "DATE" | "DAY_OF_MONTH" => 5,
        "DAY_OF_YEAR" => 6,
        "DAY_OF_WEEK" => 7,
        "AM_PM" => 9,
        "HOUR" => 10,
        "HOUR_OF_DAY" => 11,
        "MINUTE" => 12,
        "SECOND" => 13,
        "MILLISECOND" => 14,
        "SUNDAY" => 1,
        "MONDAY" => 2,
        "TUESDAY" => 3,
        "WEDNESDAY" => 4,
        "THURSDAY" => 5,
        "FRIDAY" => 6,
        "SATURDAY" => 7,
        "JANUARY" => 0,
        "FEBRUARY" => 1,
        "MARCH" => 2,
        "APRIL" => 3,
        "MAY" => 4,
        "JUNE" => 5,
        "JULY" => 6,
        "AUGUST" => 7,
        "SEPTEMBER" => 8,
        "OCTOBER" => 9,
        "NOVEMBER" => 10,
        "DECEMBER" => 11,
        "AM" => 0,
        "PM" => 1,
        _ => return None,
    })
}

fn calendar_get(civil: &Civil, field: i64) -> Result<i64, Trouble> {
    Ok(match field {
        1 => civil.year,
        2 => civil.month - 1,
        3 => (civil.day_of_year() + 6 + (7 - civil.weekday()) % 7) / 7,
        5 => civil.day,
        6 => civil.day_of_year(),
        7 => civil.weekday() + 1,
        9 => civil.hour / 12,
        10 => civil.hour % 12,
        11 => civil.hour,
        12 => civil.minute,
        13 => civil.second,
        14 => civil.milli,
        other => return Err(Trouble::unsupported(format!("the calendar field {other}"))),
    })
}

fn calendar_set(civil: &mut Civil, field: i64, value: i64) -> Result<(), Trouble> {
    let value = calendar::near(value);
    match field {
        1 => civil.year = value,
        2 => civil.month = value + 1,
        5 => civil.day = value,
        6 => (civil.month, civil.day) = (1, value),
        7 => civil.day += value - 1 - civil.weekday(),
        9 => civil.hour = civil.hour % 12 + 12 * value,
        10 => civil.hour = civil.hour / 12 * 12 + value,
        11 => civil.hour = value,
        12 => civil.minute = value,
        13 => civil.second = value,
        14 => civil.milli = value,
        other => return Err(Trouble::unsupported(format!("the calendar field {other}"))),
    }
    Ok(())
}

/// Calls a method of a calendar.
pub(super) fn call_calendar(
    env: &mut Env<'_>,
    millis: &Cell<i64>,
    zone: &RefCell<Option<Arc<str>>>,
    name: &str,
    arguments: &[Value],
) -> Answer {
    let own = zone.borrow().clone();
    let value = match (name, arguments) {
        ("getTime", []) => Value::Date(millis.get()),
        ("getTimeInMillis", []) => Value::Long(millis.get()),
        ("getTimeZone", []) => own.map_or(Value::Null, |zone| Value::Native(Rc::new(Native::Zone(zone)))),
        ("setTime", [Value::Date(date)]) => {
            millis.set(*date);
            Value::Null
        }
        ("setTimeInMillis", [value]) => {
            millis.set(long(env, value)?);
            Value::Null
        }
        ("setTimeZone", [value]) => {
            *zone.borrow_mut() = zone_name(env, value)?;
            Value::Null
        }
        ("get" | "getAt", [field]) => {
            let field = long(env, field)?;
            let civil = civil(env, millis.get(), own.as_deref())?;
            Value::int(calendar_get(&civil, field)?)
        }
        ("set" | "putAt" | "add", [field, value]) => {
            let (field, value) = (long(env, field)?, long(env, value)?);
            let mut civil = civil(env, millis.get(), own.as_deref())?;
            let value = if name == "add" { calendar_get(&civil, field)?.saturating_add(value) } else { value };
            calendar_set(&mut civil, field, value)?;
            millis.set(moment(env, &civil, own.as_deref())?);
            Value::Null
        }
        ("set", [year, month, day, rest @ ..]) => {
            let mut civil = civil(env, millis.get(), own.as_deref())?;
            for (value, field) in [(year, 1), (month, 2), (day, 5)] {
                let value = long(env, value)?;
                calendar_set(&mut civil, field, value)?;
            }
            for (value, field) in rest.iter().zip([11, 12, 13]) {
                let value = long(env, value)?;
                calendar_set(&mut civil, field, value)?;
            }
            millis.set(moment(env, &civil, own.as_deref())?);
            Value::Null
        }
        ("format", [pattern]) => {
            let pattern = env.text(pattern)?;
            formatted(env, millis.get(), &pattern, own.as_deref())?
        }
        ("setLenient" | "clear", _) => return Err(Trouble::unsupported(format!("the calendar method {name}"))),
        ("before" | "after", [other]) => {
            let other = env.call_on(other, "getTimeInMillis", &[])?;
            let other = long(env, &other)?;
            Value::Bool(if name == "before" { millis.get() < other } else { millis.get() > other })
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Calls a method of a zone.
pub(super) fn call_zone(env: &mut Env<'_>, zone: &Arc<str>, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("getID" | "getDisplayName", []) => Value::Text(zone.clone()),
        ("getOffset", [at]) => {
            let at = long(env, at)?;
            Value::int(offset(env, Some(zone), at)?)
        }
        ("getRawOffset", []) => {
            let now = env.host.now(env.run)?;
            Value::int(offset(env, Some(zone), now)?)
        }
        ("inDaylightTime" | "getDSTSavings" | "useDaylightTime", _) => {
            return Err(Trouble::unsupported(format!("the zone method {name}")));
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}
