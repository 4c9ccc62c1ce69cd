//! What a verdict means, and what to do next.

use crate::Report;
use crate::format::{count, number};
use mazurka_core::{Bound, StopReason, Verdict};

/// What is said of a search that found something and left nothing out.
pub(crate) const COMPLETE: &str = "the search went on to its end";

/// Why the verdict is what it is, in one sentence without a full stop.
pub(crate) fn reason(report: &Report<'_>) -> Option<String> {
    match &report.exploration.verdict {
        Verdict::Verified if report.promise.is_empty() => None,
        Verdict::Verified => Some(report.promise.to_owned()),
        Verdict::Violated => Some(match report.exploration.stop {
            StopReason::Complete => COMPLETE.to_owned(),
            StopReason::FirstViolation => "the search stopped at the first violation".to_owned(),
            early => format!("the search stopped early: {}", early.words()),
        }),
        Verdict::Unsupported(reason) => Some(reason.clone()),
        verdict @ (Verdict::Bounded { .. } | Verdict::Inconclusive(_)) => {
            unproven(verdict).map(|short| short + "; nothing was found so far")
        }
    }
}

/// Why a verdict is neither a proof nor a violation.
pub(crate) fn unproven(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Verified | Verdict::Violated => None,
        Verdict::Bounded { bound: Bound::Depth(steps), cuts } => {
            Some(format!("{} cut at {}", were(*cuts), count(*steps, "step", "steps")))
        }
        Verdict::Bounded { bound: Bound::Cycle, cuts } => Some(format!("{} cut where a state came back", were(*cuts))),
        Verdict::Inconclusive(stop) => Some(stop.words().to_owned()),
        Verdict::Unsupported(reason) => Some(reason.clone()),
    }
}

fn were(cuts: u64) -> String {
    if cuts == 1 { "1 schedule was".to_owned() } else { format!("{} schedules were", number(cuts)) }
}

/// What to do next, if there is something to do.
pub(crate) fn advice(report: &Report<'_>) -> Option<&'static str> {
    match (&report.exploration.verdict, report.exploration.stop) {
        (Verdict::Verified, _) | (Verdict::Violated, StopReason::Complete) => None,
        (Verdict::Violated, StopReason::FirstViolation) => Some("--all looks for more"),
        (Verdict::Violated, _) => Some("there may be more"),
        (Verdict::Bounded { bound: Bound::Depth(_), .. }, _) => Some("a higher --max-steps looks further"),
        (Verdict::Bounded { bound: Bound::Cycle, .. }, _) => Some("choose an engine that follows cycles with --engine"),
        (Verdict::Inconclusive(StopReason::TimeLimit), _) => Some("a longer --time-limit looks further"),
        (Verdict::Inconclusive(StopReason::MemoryLimit), _) => Some("a larger --memory-limit looks further"),
        (Verdict::Inconclusive(_), _) => Some("an uninterrupted run tells more"),
        // An engine that refuses a program has counted nothing. Otherwise it is the program that went where nobody
        // can follow.
        (Verdict::Unsupported(_), _) if report.exploration.statistics.iter().next().is_none() => {
            Some("--engine auto picks an engine that fits")
        }
        (Verdict::Unsupported(_), _) => Some("what comes after that is not known, so nothing is claimed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::counts;
    use mazurka_core::{Counter, Exploration, Statistics};

    fn advice_on(statistics: Statistics) -> Option<&'static str> {
        let exploration = &Exploration { statistics, ..Exploration::unsupported("odd") };
        let (program, engine, promise) = ("three.mz", "exhaustive", "");
        advice(&Report { program, engine, picked: None, promise, hint: None, exploration, stories: &[] })
    }

    #[test]
    fn another_engine_is_advised_only_where_it_helps() {
        assert_eq!(advice_on(Statistics::default()), Some("--engine auto picks an engine that fits"));
        let went_there = counts(&[(Counter::States, 6)], 0.25);
        assert_eq!(advice_on(went_there), Some("what comes after that is not known, so nothing is claimed"));
    }
}
