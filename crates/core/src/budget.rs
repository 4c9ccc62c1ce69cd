//! Limits on a search, and every way in which it can stop.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
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
    #[inline]
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
    /// How many bytes the process holds now. The core cannot know: this is set with the budget.
    pub memory_in_use: Option<fn() -> u64>,
    /// Stops the search from outside.
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
    /// There are more states or transitions than the engine has numbers for.
    NumbersRanOut,
    /// A stop was asked for.
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
            StopReason::NumbersRanOut => "there are more states or transitions than this engine can number, 2^32",
            StopReason::Cancelled => "interrupted",
        }
    }
}

/// Asking how much memory is in use takes a while.
const WEIGH_EVERY: Duration = Duration::from_millis(10);

/// How often the thread beside a search looks at the clock and the memory: some megabytes are filled in this time.
const WATCH_EVERY: Duration = Duration::from_millis(2);

/// What the thread beside a search has seen.
#[derive(Debug, Default)]
struct Watched {
    /// 0 as long as no limit was reached.
    reached: AtomicU8,
    peak_bytes: AtomicU64,
}

const TIME: u8 = 1;
const MEMORY: u8 = 2;

impl Watched {
    /// Watches the limits from a thread of its own, for as long as the meter is in use. A search that is busy for long with one
    /// state then still learns of a limit at little cost.
    fn start(budget: &Budget, started: Instant) -> Arc<Watched> {
        let watched = Arc::<Watched>::default();
        let (time, memory) = (budget.time, budget.memory.zip(budget.memory_in_use));
        if time.is_some() || memory.is_some() {
            let weak = Arc::downgrade(&watched);
            // Where no thread can be had, the search looks at the limits itself.
            let spawned = std::thread::Builder::new().name("limits".to_owned()).spawn(move || {
                Watched::watch(&weak, started, time, memory);
            });
            drop(spawned);
        }
        watched
    }

    fn watch(watched: &Weak<Watched>, started: Instant, time: Option<Duration>, memory: Option<(u64, fn() -> u64)>) {
        loop {
            std::thread::sleep(WATCH_EVERY);
            let Some(watched) = watched.upgrade() else { return };
            if time.is_some_and(|limit| started.elapsed() >= limit) {
                watched.reached.store(TIME, Ordering::Relaxed);
                return;
            }
            if let Some((limit, in_use)) = memory {
                let bytes = in_use();
                watched.peak_bytes.fetch_max(bytes, Ordering::Relaxed);
                if bytes >= limit {
                    watched.reached.store(MEMORY, Ordering::Relaxed);
                    return;
                }
            }
        }
    }
}

/// Watches a budget while a search runs.
#[derive(Clone, Debug)]
pub struct Meter {
    budget: Budget,
    /// Lets those stop this part of a search that it is a part of.
    part: Cancel,
    watched: Arc<Watched>,
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
            watched: Watched::start(budget, started),
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

    /// Whether it is known that the search has to stop. This is cheap enough for every step: it looks at what others have
    /// seen. [`Meter::check`] then tells why.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.watched.reached.load(Ordering::Relaxed) != 0
            || self.budget.cancel.is_cancelled()
            || self.part.is_cancelled()
    }

    /// Looks at the clock, the memory and the cancellation: cheap enough for every few thousand steps.
    pub fn check(&mut self) -> Option<StopReason> {
        if self.budget.cancel.is_cancelled() || self.part.is_cancelled() {
            return Some(StopReason::Cancelled);
        }
        match self.watched.reached.load(Ordering::Relaxed) {
            TIME => return Some(StopReason::TimeLimit),
            MEMORY => return Some(StopReason::MemoryLimit),
            _ => {}
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
        let watched = self.watched.peak_bytes.load(Ordering::Relaxed);
        self.peak_bytes.map(|bytes| bytes.max(watched))
    }

    fn weigh(&mut self) {
        self.last_weighing = Instant::now();
        if let Some(in_use) = self.budget.memory_in_use {
            self.peak_bytes = self.peak_bytes.max(Some(in_use()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waits for what the thread beside a search sees.
    fn becomes_over(meter: &Meter) -> bool {
        (0..1000).any(|_| {
            std::thread::sleep(WATCH_EVERY);
            meter.is_over()
        })
    }

    #[test]
    fn a_limit_is_seen_from_outside() {
        let mut timed = Meter::start(&Budget { time: Some(Duration::from_millis(1)), ..Budget::default() });
        assert!(becomes_over(&timed));
        assert_eq!(timed.check(), Some(StopReason::TimeLimit));
        let budget = Budget { memory: Some(1000), memory_in_use: Some(|| 1000), ..Budget::default() };
        let mut full = Meter::start(&budget);
        assert!(becomes_over(&full.of_part(Cancel::default())));
        assert_eq!(full.check(), Some(StopReason::MemoryLimit));
        assert_eq!(full.peak_bytes(), Some(1000));
    }

    #[test]
    fn whoever_cancels_stops_a_part_or_all() {
        let whole = Meter::start(&Budget::default());
        let cancel = Cancel::default();
        let mut part = whole.of_part(cancel.clone());
        assert!(!part.is_over());
        cancel.cancel();
        assert!(part.is_over() && !whole.is_over());
        assert_eq!(part.check(), Some(StopReason::Cancelled));
    }
}
