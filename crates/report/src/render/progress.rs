//! How a search stands, on one line.
//!
//! How many states a program has is not known before they are counted, so no share of the whole is claimed. What is known
//! to wait takes at least one step each: at the present rate that is a time which the search will surely still take.

use crate::format::{duration, number};
use mazurka_core::Progress;

/// A shorter rest is not worth a word.
const WORTH_SAYING: f64 = 2.0;

/// The line. `limit` is the time limit in seconds, if there is one.
pub fn line(progress: &Progress, seconds: f64, limit: Option<f64>) -> String {
    let seconds = seconds.max(0.001);
    let mut parts = vec![
        format!("{} {}", number(progress.found), progress.unit),
        format!("{}/s", number((progress.found as f64 / seconds) as u64)),
        format!("{} deep", number(progress.depth)),
    ];
    if progress.waiting > 0 {
        parts.push(format!("{} waiting", number(progress.waiting)));
    }
    let spent = duration(seconds.round());
    parts.push(limit.map_or(spent.clone(), |limit| format!("{spent} of {}", duration(limit))));
    parts.extend(at_least(progress, seconds).map(|rest| format!("at least {} more", duration(rest.round()))));
    parts.join(", ")
}

/// How long what is known to wait takes at the present rate.
fn at_least(progress: &Progress, seconds: f64) -> Option<f64> {
    let steps_per_second = progress.transitions as f64 / seconds;
    let rest = progress.waiting as f64 / steps_per_second;
    (rest.is_finite() && rest >= WORTH_SAYING).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_known_is_said() {
        let progress = Progress { found: 50_000, unit: "states", transitions: 120_000, depth: 31, waiting: 40_000 };
        assert_eq!(
            line(&progress, 10.0, None),
            "50,000 states, 5,000/s, 31 deep, 40,000 waiting, 10 s, at least 3.0 s more"
        );
        let nearly_done = Progress { waiting: 100, ..progress };
        assert_eq!(line(&nearly_done, 10.0, Some(60.0)), "50,000 states, 5,000/s, 31 deep, 100 waiting, 10 s of 1 min");
        let unknown = Progress { unit: "executions", waiting: 0, ..progress };
        assert_eq!(line(&unknown, 10.0, None), "50,000 executions, 5,000/s, 31 deep, 10 s");
        let nothing_yet = Progress { waiting: 1, ..Progress::default() };
        assert_eq!(line(&nothing_yet, 0.0, None), "0 , 0/s, 0 deep, 1 waiting, 0 µs");
    }
}
