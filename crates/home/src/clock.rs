//! Time, which stands still.
//!
//! A search does not know how much time passes between two events, so every event happens at the same moment.

/// The moment: the evening of 1 August 2019 in New York. The study had the same one.
pub(crate) const NOW: i64 = 1_564_694_080_896;

/// The home's time zone.
pub(crate) const ZONE: &str = "America/New_York";

const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;

/// Sunrise and sunset of that day, in milliseconds after midnight.
pub(crate) const SUNRISE: i64 = 6 * HOUR;
pub(crate) const SUNSET: i64 = 20 * HOUR;

/// How far a time zone is ahead of UTC. It is always summer.
pub(crate) fn zone_offset(zone: Option<&str>, _at_moment: i64) -> Option<i64> {
    let hours = match zone {
        None | Some("America/New_York" | "US/Eastern" | "EDT") => -4,
        Some("EST") => -5,
        Some("America/Chicago" | "US/Central" | "CDT") => -5,
        Some("America/Denver" | "US/Mountain" | "MDT") => -6,
        Some("America/Los_Angeles" | "US/Pacific" | "PDT") => -7,
        Some("Europe/London") => 1,
        Some("Europe/Berlin" | "Europe/Paris" | "Europe/Amsterdam" | "Europe/Stockholm") => 2,
        Some("Australia/Sydney" | "Australia/Melbourne") => 10,
        Some(_) => return None,
    };
    Some(hours * HOUR)
}

/// The midnight, in the home's own zone, with which the day of a moment begins.
pub(crate) fn midnight(moment: i64) -> i64 {
    let offset = zone_offset(None, moment).unwrap_or(0);
    (moment + offset).div_euclid(DAY) * DAY - offset
}

/// The hour and minute of a text such as `15:00` or `2019-08-01T15:00:00.000-0400`.
pub(crate) fn time_of_day(text: &str) -> Option<(i64, i64)> {
    let clock = text.split_once('T').map_or(text, |(_, clock)| clock);
    let (hour, rest) = clock.split_once(':')?;
    let minute: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let (hour, minute): (i64, i64) = (hour.trim().parse().ok()?, minute.parse().ok()?);
    ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some((hour, minute))
}

/// Today at a time of day.
pub(crate) fn today_at(hour: i64, minute: i64) -> i64 {
    midnight(NOW) + hour * HOUR + minute * 60_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day() {
        assert_eq!(time_of_day("15:00"), Some((15, 0)));
        assert_eq!(time_of_day("2019-08-01T07:30:00.000-0400"), Some((7, 30)));
        assert_eq!(time_of_day("soon"), None);
        assert_eq!(time_of_day("25:00"), None);
    }

    #[test]
    fn the_day_begins_in_the_homes_own_zone() {
        assert_eq!(NOW - midnight(NOW), 17 * HOUR + 14 * 60_000 + 40_896);
        assert_eq!(today_at(17, 14), NOW - 40_896);
    }
}
