//! What a search concludes.

use crate::{Move, ObjectId, Outcome, Property, Schedule, Statistics, StopReason, Violation, ViolationKind};
use std::fmt;

/// A violation and a schedule that leads to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// What is wrong.
    pub violation: Violation,
    /// How to get there.
    pub schedule: Schedule,
}

/// Two conflicting steps of a schedule, adjacent in happens-before, whose order could have been the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The index of the earlier step in the schedule.
    pub first: usize,
    /// The index of the later step.
    pub second: usize,
    /// An object on which they conflict.
    pub object: ObjectId,
}

/// What makes a violation happen, as far as replays can show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explanation {
    /// Two steps of the schedule, in an order that leads to the violation.
    Race(Race),
    /// A step of the schedule that came before a step of another actor, which is not part of the schedule.
    Early {
        /// The index of the step that came too early.
        step: usize,
        /// How many steps of the schedule come before what would have to be done instead.
        after: usize,
        /// What would have to be done there: the last of these moves conflicts with the step.
        instead: Vec<Move>,
        /// An object on which they conflict.
        object: ObjectId,
    },
    /// A step that had a choice and took an outcome that leads to the violation.
    Choice {
        /// The index of the step.
        step: usize,
        /// An outcome that does not lead there.
        instead: Outcome,
    },
    /// Every execution comes to this.
    Always,
}

impl Explanation {
    /// The two steps whose order matters, if both are part of the schedule.
    pub fn race(&self) -> Option<Race> {
        match self {
            Explanation::Race(race) => Some(*race),
            _ => None,
        }
    }
}

/// What cut a search short of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Schedules were cut at this length.
    Depth(u64),
    /// Schedules were cut where a state came back; the engine is for programs that terminate.
    Cycle,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The engine's promise holds for all schedules.
    Verified,
    /// At least one violation was found.
    Violated,
    /// A bound cut something, this many times.
    Bounded {
        /// Which bound.
        bound: Bound,
        /// How often.
        cuts: u64,
    },
    /// The search stopped before its end.
    Inconclusive(StopReason),
    /// The engine is not made for this program: why.
    Unsupported(String),
}

impl Verdict {
    /// The verdict's stable name.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Verified => "verified",
            Verdict::Violated => "violated",
            Verdict::Bounded { .. } => "bounded",
            Verdict::Inconclusive(_) => "inconclusive",
            Verdict::Unsupported(_) => "unsupported",
        }
    }

    /// The exit code of a command that ends with this verdict.
    pub fn exit_code(&self) -> u8 {
        match self {
            Verdict::Verified => 0,
            Verdict::Violated => 1,
            Verdict::Bounded { .. } => 3,
            Verdict::Inconclusive(_) => 4,
            Verdict::Unsupported(_) => 5,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What became of something that has to happen in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// What has to happen.
    pub property: Property,
    /// Why it was never put to the test, in words that follow it, if every state was looked at and none put it to the test.
    pub vacuous: Option<String>,
}

/// The result of running an engine on a program.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// The answer.
    pub verdict: Verdict,
    /// Why the search stopped.
    pub stop: StopReason,
    /// What was not followed on the way, and how often. A search with cuts did not see everything, whatever it found.
    pub cut: Option<(Bound, u64)>,
    /// The violations, one per place in the program unless values were asked for.
    pub violations: Vec<Found>,
    /// What was counted.
    pub statistics: Statistics,
    /// What has to happen in the end, as far as it was asked for.
    pub answered: Vec<Answered>,
}

impl Exploration {
    /// Draws the conclusion: a violation is one whatever stopped the search, a bound or a limit rules out a proof. A
    /// program that did what is not modelled was not checked, unless something was found wrong with it all the same.
    pub fn conclude(
        stop: StopReason,
        cut: Option<(Bound, u64)>,
        violations: Vec<Found>,
        statistics: Statistics,
    ) -> Self {
        let is_unsupported = |found: &Found| found.violation.kind == ViolationKind::Unsupported;
        if let Some(first) = violations.first()
            && violations.iter().all(is_unsupported)
        {
            return Exploration { stop, cut, statistics, ..Exploration::unsupported(first.violation.told()) };
        }
        let verdict = if !violations.is_empty() {
            Verdict::Violated
        } else if !matches!(stop, StopReason::Complete | StopReason::FirstViolation) {
            Verdict::Inconclusive(stop)
        } else if let Some((bound, cuts)) = cut {
            Verdict::Bounded { bound, cuts }
        } else {
            Verdict::Verified
        };
        Exploration { verdict, stop, cut, violations, statistics, answered: Vec::new() }
    }

    /// The engine declines, and says why.
    pub fn unsupported(reason: impl Into<String>) -> Self {
        Exploration {
            verdict: Verdict::Unsupported(reason.into()),
            stop: StopReason::Complete,
            cut: None,
            violations: Vec::new(),
            statistics: Statistics::default(),
            answered: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: ViolationKind) -> Found {
        Found { violation: Violation::new(kind, "something"), schedule: Schedule::default() }
    }

    fn verdict(found: Vec<Found>) -> Verdict {
        Exploration::conclude(StopReason::Complete, None, found, Statistics::default()).verdict
    }

    #[test]
    fn what_is_not_modelled_is_no_violation_and_no_proof() {
        assert_eq!(verdict(vec![found(ViolationKind::Unsupported)]), Verdict::Unsupported("something".into()));
        assert_eq!(verdict(vec![found(ViolationKind::Unsupported), found(ViolationKind::Crash)]), Verdict::Violated);
        assert_eq!(verdict(Vec::new()), Verdict::Verified);
    }
}
