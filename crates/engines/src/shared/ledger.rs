//! What every search counts and finds, when it looks at the limits, and how it concludes.
//!
//! A search along executions has a [`Tally`](super::tally::Tally) around it, which also knows the current path.

use super::findings::{Finding, Findings};
use crate::Options;
use mazurka_core::{
    Bound, Counter, Ending, Exploration, Fingerprint, Found, Meter, Observer, Progress, Schedule, Statistics, Stepper,
    StopReason, System, Verdict, Violation, ViolationKind,
};

/// How many transitions are taken between two looks at the limits.
pub(crate) const CHECK_EVERY: u64 = 1024;

/// What a search counts and finds; `P` tells where a violation was met.
pub(crate) struct Ledger<'a, P> {
    pub(crate) options: &'a Options,
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) meter: Meter,
    pub(crate) findings: Findings<P>,
    pub(crate) transitions: u64,
    /// The number of transitions at which the limits are looked at again.
    pub(crate) next_check: u64,
    pub(crate) end_states: u64,
    /// End states, or runs that end, in which an actor is blocked on an assumption.
    pub(crate) assume_blocked: u64,
    pub(crate) max_depth: u64,
}

impl<'a, P> Ledger<'a, P> {
    /// Nothing was done yet.
    pub(crate) fn new(options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        Ledger {
            options,
            meter: Meter::start(&options.budget),
            findings: Findings::new(observer.wants_values()),
            observer,
            transitions: 0,
            next_check: 0,
            end_states: 0,
            assume_blocked: 0,
            max_depth: 0,
        }
    }

    /// Keeps violations at the end of a schedule of this length. The first one ends the search, unless all are wanted.
    pub(crate) fn note(
        &mut self,
        violations: &[Violation],
        length: u64,
        mut place: impl FnMut() -> P,
    ) -> Result<(), StopReason> {
        for violation in violations {
            if self.findings.note(violation, length, &mut place) {
                self.observer.violation(violation);
            }
            if !self.options.all {
                return Err(StopReason::FirstViolation);
            }
        }
        Ok(())
    }

    /// A state was met for the first time in which no actor can move.
    pub(crate) fn end(&mut self, ending: &Ending, state: Fingerprint) {
        self.end_states += 1;
        self.assume_blocked += u64::from(*ending == Ending::Blocked);
        self.observer.end(ending, state);
    }

    /// Counts transitions; true if it is time to look at the limits.
    #[inline]
    pub(crate) fn count(&mut self, transitions: u64) -> bool {
        self.transitions += transitions;
        let is_due = self.transitions >= self.next_check || self.meter.is_over();
        if is_due {
            self.next_check = self.transitions + CHECK_EVERY;
        }
        is_due
    }

    /// Looks at the limits, and tells the observer how the search stands when that is due.
    pub(crate) fn check(&mut self, progress: impl FnOnce(&Self) -> Progress) -> Result<(), StopReason> {
        if self.meter.progress_is_due() {
            let progress = progress(self);
            self.observer.progress(&progress);
        }
        self.meter.check().map_or(Ok(()), Err)
    }

    /// Draws the conclusion, with what else was counted. `schedule` is the way to where a violation was met.
    pub(crate) fn conclude<S: System>(
        mut self,
        system: &S,
        stop: StopReason,
        cut: Option<(Bound, u64)>,
        counted: &[(Counter, u64)],
        schedule: impl Fn(P) -> Option<Schedule>,
    ) -> Exploration {
        let found = |Finding { violation, place, .. }| {
            let schedule = schedule(place)?;
            Some(Found { violation, schedule })
        };
        let found: Vec<_> = self.findings.drain().map(found).collect();
        let mut statistics = Statistics::default();
        statistics.set(Counter::Transitions, self.transitions);
        statistics.set(Counter::EndStates, self.end_states);
        statistics.set(Counter::MaxDepth, self.max_depth);
        // Where something was found, an actor may be blocked because of that: then nothing is said.
        if self.assume_blocked > 0 && found.is_empty() {
            statistics.set(Counter::AssumeBlocked, self.assume_blocked);
        }
        counted.iter().for_each(|&(counter, count)| statistics.set(counter, count));
        if let Some(bytes) = self.meter.peak_bytes() {
            statistics.set(Counter::PeakBytes, bytes);
        }
        statistics.seconds = self.meter.elapsed().as_secs_f64();
        conclude(system, stop, cut, found, statistics)
    }
}

/// Whether the violation occurs when its schedule is run from the start.
pub(crate) fn occurs<S: System>(system: &S, found: &Found) -> bool {
    Stepper::replay(system, &found.schedule).is_some_and(|(_, violations)| violations.contains(&found.violation))
}

/// Replays every violation from the start, then draws the conclusion.
///
/// A violation that does not occur again is one of a program that is not deterministic: no engine can decide about it.
/// What the program says is not supported is not replayed.
fn conclude<S: System>(
    system: &S,
    stop: StopReason,
    cut: Option<(Bound, u64)>,
    found: Vec<Option<Found>>,
    statistics: Statistics,
) -> Exploration {
    let expected = found.len();
    let is_unsupported = |found: &Found| found.violation.kind == ViolationKind::Unsupported;
    let holds = |found: &Found| is_unsupported(found) || occurs(system, found);
    let violations: Vec<Found> = found.into_iter().flatten().filter(holds).collect();
    let lost = violations.len() < expected;
    let mut exploration = Exploration::conclude(stop, cut, violations, statistics);
    if let Some(unsupported) = system.insight().unsupported()
        && exploration.verdict != Verdict::Violated
    {
        exploration.verdict = Verdict::Unsupported(unsupported.told());
    } else if lost && exploration.verdict != Verdict::Violated {
        exploration.verdict = Verdict::Unsupported("the program did not do the same thing twice".into());
    }
    exploration
}
