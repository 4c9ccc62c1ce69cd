//! Numbers, durations and sizes as people write them, in both directions.

use mazurka_core::Counter;
use std::time::{Duration, SystemTime};

/// A number with its digits in groups of three: `1,234,567`.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of things: `1 state`, `2 states`.
pub fn count(how_many: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(how_many), if how_many == 1 { one } else { many })
}

/// What a counter stands at, in words.
pub fn counted(counter: Counter, how_many: u64) -> String {
    match counter {
        Counter::Executions => count(how_many, "execution", "executions"),
        Counter::Blocked => count(how_many, "blocked run", "blocked runs"),
        Counter::Traces => count(how_many, "trace", "traces"),
        Counter::EventTraces => count(how_many, "event-driven trace", "event-driven traces"),
        Counter::States => count(how_many, "state", "states"),
        Counter::Transitions => count(how_many, "transition", "transitions"),
        Counter::Revisited => count(how_many, "state met again", "states met again"),
        Counter::Races => count(how_many, "race", "races"),
        Counter::BacktrackPoints => count(how_many, "backtracking point", "backtracking points"),
        Counter::Events => count(how_many, "event", "events"),
        Counter::Cutoffs => count(how_many, "cutoff", "cutoffs"),
        Counter::Configurations => count(how_many, "maximal configuration", "maximal configurations"),
        Counter::AssumeBlocked => count(how_many, "blocked end", "blocked ends"),
        Counter::EndStates => count(how_many, "end state", "end states"),
        Counter::KeptSteps => count(how_many, "kept step", "kept steps"),
        Counter::MaxDepth => format!("longest schedule {}", count(how_many, "step", "steps")),
        Counter::PeakBytes => format!("{} of memory", mebibytes(how_many)),
    }
}

/// A duration: `0.4 ms`, `12 s`, `3 min 2 s`.
pub fn duration(seconds: f64) -> String {
    let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
    // Each limit is where the next smaller form would round up to one digit too many.
    if seconds < 0.000_095 {
        return format!("{:.0} µs", seconds * 1e6);
    } else if seconds < 0.009_95 {
        return format!("{:.1} ms", seconds * 1e3);
    } else if seconds < 0.999_5 {
        return format!("{:.0} ms", seconds * 1e3);
    } else if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let (minutes, hours) = (whole.saturating_add(30) / 60, whole.saturating_add(1800) / 3600);
    if whole < 60 {
        format!("{whole} s")
    } else if whole < 3600 {
        two_units((whole / 60, "min"), (whole % 60, "s"))
    } else if minutes < 24 * 60 {
        two_units((minutes / 60, "h"), (minutes % 60, "min"))
    } else {
        two_units((hours / 24, "d"), (hours % 24, "h"))
    }
}

fn two_units(large: (u64, &str), small: (u64, &str)) -> String {
    let large = format!("{} {}", number(large.0), large.1);
    if small.0 == 0 { large } else { format!("{large} {} {}", small.0, small.1) }
}

/// A number of bytes in MiB, so that sizes can be compared at a glance: `0.3 MiB`, `12 MiB`, `2,048 MiB`.
pub fn mebibytes(bytes: u64) -> String {
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    if mebibytes < 9.95 { format!("{mebibytes:.1} MiB") } else { format!("{} MiB", number(mebibytes.round() as u64)) }
}

/// Something that should have been a duration or a size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not a {what}: expected {expected}")]
pub struct QuantityError {
    what: &'static str,
    found: String,
    expected: &'static str,
}

/// Reads a duration: `5s`, `2m`, `1h30m`, `250ms`, and what [`duration`] writes.
///
/// ```
/// use mazurka_report::format::parse_duration;
/// use std::time::Duration;
///
/// assert_eq!(parse_duration("1h30m").unwrap(), Duration::from_secs(5400));
/// assert_eq!(
///     parse_duration("5 apples").unwrap_err().to_string(),
///     "`5 apples` is not a duration: expected numbers with units (ms, s, m, h, d), such as `250ms`, `5s` or `1h30m`"
/// );
/// ```
pub fn parse_duration(text: &str) -> Result<Duration, QuantityError> {
    let error = || QuantityError {
        what: "duration",
        found: text.to_owned(),
        expected: "numbers with units (ms, s, m, h, d), such as `250ms`, `5s` or `1h30m`",
    };
    let mut total = Duration::ZERO;
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(error());
    }
    while !rest.is_empty() {
        let (digits, after) = split_while(rest, |c| c.is_ascii_digit() || c == '.');
        let (unit, after) = split_while(after.trim_start(), char::is_alphabetic);
        let seconds = match unit.to_lowercase().as_str() {
            "us" | "µs" => 1e-6,
            "ms" => 1e-3,
            "s" | "sec" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return Err(error()),
        };
        let amount: f64 = digits.parse().map_err(|_| error())?;
        let part = Duration::try_from_secs_f64(amount * seconds).map_err(|_| error())?;
        total = total.checked_add(part).ok_or_else(error)?;
        rest = after.trim_start();
    }
    Ok(total)
}

/// Reads a size in bytes: `4GiB`, `512MB`, `1000B`. A unit is needed: a bare number is more often meant in another one. A bare `K`, `M`, `G` or `T` is taken as `KiB`, `MiB` and so on.
pub fn parse_size(text: &str) -> Result<u64, QuantityError> {
    let error = || QuantityError {
        what: "size",
        found: text.to_owned(),
        expected: "a number with a unit (B, kB, MB, GB, KiB, MiB, GiB), such as `4GiB` or `512MB`",
    };
    let (digits, unit) = split_while(text.trim(), |c| c.is_ascii_digit() || c == '.');
    let factor: u64 = match unit.trim_start().to_ascii_lowercase().as_str() {
        "b" => 1,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        _ => return Err(error()),
    };
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.checked_mul(factor).ok_or_else(error);
    }
    let bytes = digits.parse::<f64>().map_err(|_| error())? * factor as f64;
    if bytes < u64::MAX as f64 { Ok(bytes.round() as u64) } else { Err(error()) }
}

fn split_while(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}

/// A moment as `2001-09-09T01:46:40`, in UTC.
pub fn timestamp(when: SystemTime) -> String {
    const DAY: u64 = 24 * 60 * 60;
    let seconds = when.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let (hours, minutes, rest) = (seconds % DAY / 3600, seconds % 3600 / 60, seconds % 60);
    let (mut year, mut day) = (1970, seconds / DAY);
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}T{hours:02}:{minutes:02}:{rest:02}", day + 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn moments_are_written_as_machines_read_them() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00"),
            (1_000_000_000, "2001-09-09T01:46:40"),
            (951_782_399, "2000-02-28T23:59:59"),
            (951_868_799, "2000-02-29T23:59:59"),
            (1_735_689_599, "2024-12-31T23:59:59"),
        ] {
            assert_eq!(timestamp(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn numbers_are_grouped_and_agree_with_their_nouns() {
        let shown: Vec<_> = [0, 7, 999, 1000, 12_345, 1_234_567, u64::MAX].map(number).into();
        assert_eq!(shown, ["0", "7", "999", "1,000", "12,345", "1,234,567", "18,446,744,073,709,551,615"]);
        assert_eq!(counted(Counter::States, 1), "1 state");
        assert_eq!(counted(Counter::EndStates, 0), "0 end states");
        assert_eq!(counted(Counter::MaxDepth, 1), "longest schedule 1 step");
        assert_eq!(counted(Counter::PeakBytes, 300_000), "0.3 MiB of memory");
        assert_eq!(mebibytes(2 << 30), "2,048 MiB");
    }

    #[test]
    fn durations_have_two_digits_or_two_units() {
        for (seconds, shown) in [
            (0.0, "0 µs"),
            (4e-5, "40 µs"),
            (4e-4, "0.4 ms"),
            (0.00996, "10 ms"),
            (0.0126, "13 ms"),
            (0.9996, "1.0 s"),
            (1.23, "1.2 s"),
            (9.96, "10 s"),
            (12.3, "12 s"),
            (59.7, "1 min"),
            (182.0, "3 min 2 s"),
            (3599.6, "1 h"),
            (9000.0, "2 h 30 min"),
            (86_399.0, "1 d"),
            (100_000.0, "1 d 4 h"),
            (f64::NAN, "0 µs"),
            (-1.0, "0 µs"),
        ] {
            assert_eq!(duration(seconds), shown);
        }
    }

    #[test]
    fn durations_are_read_as_people_write_them() {
        let read = |text: &str| parse_duration(text).unwrap().as_millis();
        assert_eq!(
            ["5s", "2m", "1h30m", "250ms", "0.5 s", "3 min 2 s", "1D"].map(read),
            [5000, 120_000, 5_400_000, 250, 500, 182_000, 86_400_000]
        );
        for bad in ["", " ", "5", "s", "5x", "1h30", "-5s", "1.2.3s", "1e3s", "99999999999999999999d", "5s!", "∞"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        let read = |text: &str| parse_size(text).unwrap();
        assert_eq!(
            ["1000B", "4GiB", "512MB", "2 k", "1.5 MiB", "0b"].map(read),
            [1000, 4 << 30, 512_000_000, 2048, 3 << 19, 0]
        );
        for bad in ["", "5", "0", "GiB", "4 GiX", "-1", "1.5.1k", "99999999999TiB", "4GiB4", "1e3"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
        assert_eq!(
            parse_size("lots").unwrap_err().to_string(),
            "`lots` is not a size: expected a number with a unit (B, kB, MB, GB, KiB, MiB, GiB), \
             such as `4GiB` or `512MB`"
        );
    }

    proptest! {
        #[test]
        fn what_is_written_can_be_read(seconds in 0.0..1e9f64) {
            let read = parse_duration(&duration(seconds).replace(',', "")).unwrap().as_secs_f64();
            prop_assert!((read - seconds).abs() <= seconds * 0.05 + 1e-6);
        }

        #[test]
        fn no_text_panics(text in ".*") {
            let _ = (parse_duration(&text), parse_size(&text));
        }
    }
}
