//! Ends the process where a search does not come to its end by itself.
//!
//! Engines look at the limits again and again, but not everything that takes long is an engine: a file may take long to be
//! read, and a single step may be large. A thread watches from the start of the command on. If a limit was reached, or
//! Ctrl-C was pressed, and the command goes on all the same, the thread tells what is known and ends the process.

use mazurka::{
    Budget, Checked, Counter, Engine, Exploration, Found, Observer, Progress, Searched, Statistics, StopReason,
    Verdict, Violation,
    report::{Basis, Story},
};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_millis(5);
/// A limit may be overstepped by one part in so many: the search has that long to end by itself.
const SLACK: u32 = 20;
/// And by this time.
const GRACE: Duration = Duration::from_millis(700);

/// What is locked stays usable whatever happened to others.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Stands behind a command.
#[derive(Default)]
pub(crate) struct Backstop {
    is_disarmed: Mutex<bool>,
    changed: Condvar,
}

impl Backstop {
    /// Watches until it is disarmed. If a limit is overstepped before that, `end` tells what is known and returns the exit
    /// code of the process. Nobody gets past [`Backstop::disarm`] then.
    pub(crate) fn watch(&self, budget: &Budget, end: impl FnOnce(StopReason) -> u8) {
        let started = Instant::now();
        let mut cancelled = None;
        let mut is_disarmed = lock(&self.is_disarmed);
        loop {
            is_disarmed = self.changed.wait_timeout(is_disarmed, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
            if *is_disarmed {
                return;
            }
            if budget.cancel.is_cancelled() {
                cancelled.get_or_insert_with(Instant::now);
            }
            if let Some(reason) = overstepped(budget, started, cancelled) {
                std::process::exit(i32::from(end(reason)));
            }
        }
    }

    /// The command has come to its end by itself, or will soon.
    pub(crate) fn disarm(&self) {
        *lock(&self.is_disarmed) = true;
        self.changed.notify_all();
    }

    /// Disarms it when it goes out of scope.
    pub(crate) fn disarmed_at_end(&self) -> impl Drop {
        AtEnd(self)
    }
}

struct AtEnd<'b>(&'b Backstop);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        self.0.disarm();
    }
}

/// The limit that was overstepped by more than a little.
fn overstepped(budget: &Budget, started: Instant, cancelled: Option<Instant>) -> Option<StopReason> {
    if cancelled.is_some_and(|since| since.elapsed() >= GRACE) {
        return Some(StopReason::Cancelled);
    }
    if budget.time.is_some_and(|limit| started.elapsed() >= limit + limit / SLACK + GRACE) {
        return Some(StopReason::TimeLimit);
    }
    let (limit, in_use) = budget.memory.zip(budget.memory_in_use)?;
    (in_use() >= limit + limit / u64::from(SLACK)).then_some(StopReason::MemoryLimit)
}

/// What is known of a check while it runs.
pub(crate) struct Known {
    /// The program's files.
    pub(crate) program: String,
    /// The engine that runs or will.
    pub(crate) engine: Engine,
    started: Instant,
    progress: Option<Progress>,
    violations: Vec<Violation>,
    /// What the search came to, if it has ended.
    pub(crate) searched: Option<Searched>,
}

impl Known {
    /// Nothing yet.
    pub(crate) fn new(program: String, engine: Engine) -> Self {
        Known { program, engine, started: Instant::now(), progress: None, violations: Vec::new(), searched: None }
    }

    /// The result as far as it is known.
    pub(crate) fn so_far(&self, reason: StopReason) -> Checked {
        let (engine, exploration, picked) = match &self.searched {
            Some(Searched { engine, exploration, picked, .. }) => (*engine, exploration.clone(), picked.clone()),
            None => (self.engine, self.unfinished(reason), None),
        };
        let untold =
            |found: &Found| Story::untold(found, format!("{} before its schedule was worked out", reason.words()));
        Checked {
            program: self.program.clone(),
            engine,
            picked,
            basis: Basis::default(),
            alternative: None,
            hint: self.hint(),
            shortened: exploration.violations.clone(),
            stories: exploration.violations.iter().map(untold).collect(),
            exploration,
        }
    }

    fn unfinished(&self, reason: StopReason) -> Exploration {
        let mut statistics = Statistics::default();
        statistics.seconds = self.started.elapsed().as_secs_f64();
        if let Some(progress) = self.progress {
            let found = if progress.unit == "states" { Counter::States } else { Counter::Executions };
            statistics.set(found, progress.found);
            statistics.set(Counter::Transitions, progress.transitions);
        }
        Exploration {
            verdict: Verdict::Inconclusive(reason),
            stop: reason,
            cut: None,
            violations: Vec::new(),
            statistics,
        }
    }

    /// What was seen and is not in the result.
    fn hint(&self) -> Option<String> {
        let seen = self.violations.first().filter(|_| self.searched.is_none())?;
        Some(format!("a violation was seen, but there was no time to work out its schedule: {}", seen.message))
    }
}

/// Notes how a search goes, and passes it on.
pub(crate) struct Noting<'a, O> {
    pub(crate) known: &'a Mutex<Known>,
    pub(crate) to: &'a mut O,
}

impl<O: Observer> Observer for Noting<'_, O> {
    fn progress(&mut self, progress: &Progress) {
        lock(self.known).progress = Some(*progress);
        self.to.progress(progress);
    }

    fn violation(&mut self, violation: &Violation) {
        lock(self.known).violations.push(violation.clone());
        self.to.violation(violation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_may_be_overstepped_by_a_little_only() {
        let now = Instant::now();
        let time = |milliseconds| Budget { time: Some(Duration::from_millis(milliseconds)), ..Budget::default() };
        let earlier = now.checked_sub(Duration::from_millis(900));
        assert_eq!(overstepped(&time(300), now, None), None);
        assert_eq!(earlier.and_then(|earlier| overstepped(&time(100), earlier, None)), Some(StopReason::TimeLimit));
        assert_eq!(overstepped(&Budget::default(), now, earlier), earlier.map(|_| StopReason::Cancelled));
        let memory = |limit| Budget { memory: Some(limit), memory_in_use: Some(|| 1000), ..Budget::default() };
        assert_eq!(overstepped(&memory(990), now, None), None);
        assert_eq!(overstepped(&memory(900), now, None), Some(StopReason::MemoryLimit));
    }

    #[test]
    fn what_was_seen_is_told() {
        let known = Mutex::new(Known::new("p.mz".to_owned(), Engine::Dpor));
        let mut noting = Noting { known: &known, to: &mut mazurka::Silent };
        noting.progress(&Progress { found: 7, unit: "executions", transitions: 70, ..Progress::default() });
        noting.violation(&Violation::new(mazurka::ViolationKind::Assertion, "x is 1"));
        let checked = lock(&known).so_far(StopReason::TimeLimit);
        assert_eq!(checked.exploration.verdict, Verdict::Inconclusive(StopReason::TimeLimit));
        assert_eq!(checked.exploration.statistics.get(Counter::Executions), Some(7));
        assert!(checked.hint.is_some_and(|hint| hint.ends_with("x is 1")));
    }
}
