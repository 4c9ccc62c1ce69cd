//! A closure as something that can be checked, and what its verdict rests on.

use crate::subject::{Origin, Subject};
use mazurka_core::{
    Budget, Exploration, Found, Location, Meter, Observer, Schedule, Statistics, StopReason, System, Verdict,
    Violation, ViolationKind,
};
use mazurka_engines::{Engine, Options};
use mazurka_report::{Basis, Considered, ReplayError, ScheduleFile, Story};
use mazurka_rust::{Closure, Rounds};
use std::time::Duration;

/// What `verified` means for a program with locks, channels and `SeqCst` atomics only.
const FOR_ALL: &str =
    "no execution that Rust's memory model allows panics, deadlocks, spins for ever or has a data race";

/// What it means for a program with weaker atomics.
const FOR_CONSISTENT: &str = "no sequentially consistent execution panics, deadlocks, spins for ever, or has a data race by \
                              the orderings as written; wrong values that weaker atomics may read are not looked for";

/// How long threads are looked for that go round for ever.
const LOOKING_FOR_ROUNDS: Duration = Duration::from_secs(10);

/// How many weak operations are named.
const MOST_NAMED: usize = 5;

/// A closure to be checked.
pub(super) struct RustProgram {
    closure: Closure,
    /// The same closure, asked for threads that go round for ever, if that is wanted. Executions without end are told in its names.
    rounds: Option<Rounds>,
}

impl RustProgram {
    pub(super) fn new(closure: Closure, rounds: Option<Rounds>) -> Self {
        RustProgram { closure, rounds }
    }

    /// What a schedule is a schedule of.
    fn subject_of(&self, is_lasso: bool) -> &dyn Subject {
        match &self.rounds {
            Some(rounds) if is_lasso => rounds,
            _ => &self.closure,
        }
    }

    /// The schedule of threads that go round for ever, from the beginning or behind another schedule.
    fn livelock(&self, behind: Option<&Schedule>, options: &Options) -> Option<Found> {
        let rounds = self.rounds.as_ref()?;
        let time = Some(options.budget.time.map_or(LOOKING_FOR_ROUNDS, |limit| (limit / 2).min(LOOKING_FOR_ROUNDS)));
        let meter = Meter::start(&Budget { time, ..options.budget.clone() });
        let steps = options.budget.depth.map_or(usize::MAX, |steps| steps as usize);
        let schedule = match behind {
            Some(schedule) => rounds.find_behind(schedule, &self.closure, steps, &meter),
            None => rounds.find(steps, &meter),
        };
        Some(Found { violation: rounds.violation(), schedule: schedule? })
    }

    pub(super) fn not_covered(&self) -> Vec<Location> {
        self.closure.not_covered()
    }

    pub(super) fn closure(&self) -> &Closure {
        &self.closure
    }

    /// The engine that suits a closure: one execution of each trace.
    pub(super) fn usual_engine(&self) -> Engine {
        // Which handlers there are becomes known when the closure runs.
        let _ = self.closure.initial_states();
        if System::traits(&self.closure).any_mailboxes { Engine::Event } else { Engine::Optimal }
    }
}

impl Subject for RustProgram {
    fn inner(&self) -> &dyn Subject {
        &self.closure
    }

    fn explore(&self, engine: Engine, options: &Options, observer: &mut dyn Observer) -> Exploration {
        let livelock = self.livelock(None, options);
        if let Some(found) = livelock.clone().filter(|_| !options.all) {
            observer.violation(&found.violation);
            return Exploration::conclude(StopReason::FirstViolation, None, vec![found], Statistics::default());
        }
        let exploration = self.closure.settled(|closure| closure.explore(engine, options, observer));
        let Exploration { stop, cut, mut violations, statistics, verdict, .. } = exploration.clone();
        // Where threads spin, their rounds can be shown.
        for found in violations.iter_mut().filter(|found| found.violation.kind == ViolationKind::Livelock) {
            if let Some(rounds) = self.livelock(Some(&found.schedule), options) {
                *found = rounds;
            }
        }
        if let Some(livelock) =
            livelock.filter(|livelock| violations.iter().all(|it| it.violation != livelock.violation))
        {
            violations.push(livelock);
        }
        if violations == exploration.violations || matches!(verdict, Verdict::Unsupported(_)) {
            return exploration;
        }
        Exploration::conclude(stop, cut, violations, statistics)
    }

    fn story(&self, found: &Found, original: &Schedule, meter: &Meter) -> Story {
        self.subject_of(found.schedule.lasso.is_some()).story(found, original, meter)
    }

    fn shorten(&self, found: &Found, meter: &Meter) -> Found {
        self.subject_of(found.schedule.lasso.is_some()).shorten(found, meter)
    }

    fn record(&self, found: &Found, origin: &Origin) -> ScheduleFile {
        self.subject_of(found.schedule.lasso.is_some()).record(found, origin)
    }

    fn resolve(&self, file: &ScheduleFile) -> Result<Schedule, ReplayError> {
        self.subject_of(file.lasso.is_some()).resolve(file)
    }

    fn replay(&self, schedule: &Schedule) -> Option<Vec<Violation>> {
        self.subject_of(schedule.lasso.is_some()).replay(schedule)
    }

    fn basis(&self, exploration: &Exploration) -> Basis {
        let weak = self.closure.weak_operations();
        if exploration.verdict != Verdict::Verified || weak.is_empty() {
            return Basis::of(if weak.is_empty() { FOR_ALL } else { FOR_CONSISTENT });
        }
        let mut named: Vec<String> =
            weak.iter().take(MOST_NAMED).map(|(place, order)| format!("{order} at {place}")).collect();
        if weak.len() > MOST_NAMED {
            named.push(format!("{} more", weak.len() - MOST_NAMED));
        }
        let text = format!("{} run as if SeqCst: {}", weak.len(), named.join(", "));
        let considered = vec![Considered { what: "weak operations".to_owned(), text }];
        Basis { considered, ..Basis::of(FOR_CONSISTENT) }
    }

    fn hint(&self, _meter: &Meter) -> Option<String> {
        None
    }

    fn growth(&self, _meter: &Meter) -> Option<usize> {
        None
    }

    fn footprints(&self, meter: &Meter) -> Result<(), String> {
        self.closure.footprints(meter)
    }
}
