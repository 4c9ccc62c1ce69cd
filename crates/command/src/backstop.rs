//! Ends the process if a search does not stop at its limits by itself.
//!
//! Engines check the limits at every step, but other work may take long, too: reading a file, or a single large step. A
//! thread watches from the start of the command. If a limit was reached, or Ctrl-C was pressed, and the command does not
//! stop in time, the thread prints what is known and ends the process.

use crate::console::memory_in_use;
use mazurka::{
    Budget, Checked, Counter, Engine, Exploration, Found, Observer, Progress, Searched, Statistics, StopReason,
    Verdict, Violation,
    report::{Basis, Story},
};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_millis(5);
/// A limit may be exceeded by this fraction before the process is ended: by 1/20.
const SLACK: u32 = 20;
/// A time limit may be exceeded by this much more.
const GRACE: Duration = Duration::from_millis(700);

/// Locks a mutex, even if another thread panicked while it held it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Watches a command.
#[derive(Default)]
pub(crate) struct Backstop {
    is_disarmed: Mutex<bool>,
    changed: Condvar,
}

impl Backstop {
    /// Watches until it is disarmed. If a limit is exceeded before that, `end` prints what is known and returns the exit
    /// code of the process. [`Backstop::disarm`] blocks then.
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

    /// The command has finished by itself, or is about to.
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

/// The limit that was exceeded by more than is allowed.
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
        statistics.set(Counter::PeakBytes, memory_in_use());
        if let Some(progress) = self.progress {
            let found = if progress.unit == "states" { Counter::States } else { Counter::Executions };
            statistics.set(found, progress.found);
            statistics.set(Counter::Transitions, progress.transitions);
        }
        Exploration { verdict: Verdict::Inconclusive(reason), stop: reason, statistics, ..Exploration::unsupported("") }
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
