//! Limits on a search, and every way in which it can stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Asks a running search to stop. Clones ask the same search.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Asks for a stop.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// What a search may use.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// How long it may take.
    pub time: Option<Duration>,
    /// How many bytes the process may hold; asked of `memory_in_use`.
    pub memory: Option<u64>,
    /// How long a schedule may become; what lies beyond is cut, and the verdict says so.
    pub depth: Option<u64>,
    /// How large the search may grow before another one takes over: how many states it may store, or how many steps it may
    /// take where it stores none.
    pub size: Option<u64>,
    /// How many bytes the process holds now. The core cannot know: whoever sets the budget tells.
    pub memory_in_use: Option<fn() -> u64>,
    /// Lets somebody else stop the search.
    pub cancel: Cancel,
}

/// Why a search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// There was nothing left to explore.
    Complete,
    /// A violation was found and one was enough.
    FirstViolation,
    /// The time limit was reached.
    TimeLimit,
    /// The memory limit was reached.
    MemoryLimit,
    /// The search grew larger than it was meant to.
    SizeLimit,
    /// Somebody asked for a stop.
    Cancelled,
}

impl StopReason {
    /// The reason in words that end a sentence beginning with "stopped: ".
    pub fn words(self) -> &'static str {
        match self {
            StopReason::Complete => "everything was explored",
            StopReason::FirstViolation => "a violation was found (--all looks for more)",
            StopReason::TimeLimit => "the time limit was reached",
            StopReason::MemoryLimit => "the memory limit was reached",
            StopReason::SizeLimit => "the search grew too large",
            StopReason::Cancelled => "interrupted",
        }
    }
}

/// Asking how much memory is in use takes a while.
const WEIGH_EVERY: Duration = Duration::from_millis(10);

/// Watches a budget while a search runs.
#[derive(Clone, Debug)]
pub struct Meter {
    budget: Budget,
    /// Lets those stop this part of a search that it is a part of.
    part: Cancel,
    started: Instant,
    peak_bytes: Option<u64>,
    last_progress: Instant,
    last_weighing: Instant,
}

impl Meter {
    /// Starts the clock.
    pub fn start(budget: &Budget) -> Self {
        let started = Instant::now();
        let mut meter = Meter {
            budget: budget.clone(),
            part: Cancel::default(),
            started,
            peak_bytes: None,
            last_progress: started,
            last_weighing: started,
        };
        meter.weigh();
        meter
    }

    /// Watches a part of the search that runs beside it, with the same clock; `cancel` stops that part.
    pub fn of_part(&self, cancel: Cancel) -> Self {
        Meter { part: cancel, ..self.clone() }
    }

    /// Looks at the clock, the memory and the cancellation: cheap enough for every few thousand steps.
    pub fn check(&mut self) -> Option<StopReason> {
        if self.budget.cancel.is_cancelled() || self.part.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        if self.budget.time.is_some_and(|limit| self.started.elapsed() >= limit) {
            return Some(StopReason::TimeLimit);
        }
        if self.last_weighing.elapsed() >= WEIGH_EVERY {
            self.weigh();
        }
        match (self.budget.memory, self.peak_bytes) {
            (Some(limit), Some(bytes)) if bytes >= limit => Some(StopReason::MemoryLimit),
            _ => None,
        }
    }

    /// Whether it is time to tell the observer how things stand: a few times a second.
    pub fn progress_is_due(&mut self) -> bool {
        let due = self.last_progress.elapsed() >= Duration::from_millis(100);
        if due {
            self.last_progress = Instant::now();
        }
        due
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// The most memory that was seen, where it is known.
    pub fn peak_bytes(&mut self) -> Option<u64> {
        self.weigh();
        self.peak_bytes
    }

    fn weigh(&mut self) {
        self.last_weighing = Instant::now();
        if let Some(in_use) = self.budget.memory_in_use {
            self.peak_bytes = self.peak_bytes.max(Some(in_use()));
        }
    }
}
