//! A watched engine: it runs on a thread of its own, waits where it is told to, and writes what it does to one page.
//!
//! A run belongs to the response that shows it: where the page goes away, the response is dropped, and the engine ends.

use crate::session::Exhibit;
use mazurka::engines::Options;
use mazurka::report::explore::wire::{self, Pace, Passed};
use mazurka::report::explore::{Audience, Sign, Waypoint};
use mazurka::{Cancel, Engine};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::Sender;

/// The largest tree that is shown. Beyond it, steps are counted.
const MOST_NODES: usize = 5_000;
/// How often counts are told.
const BETWEEN_COUNTS: Duration = Duration::from_millis(50);

/// Where an engine waits until it may go on.
pub(crate) struct Gate {
    pace: Mutex<Pace>,
    changed: Condvar,
    /// Ends the engine.
    cancel: Cancel,
}

impl Gate {
    pub(crate) fn new(pace: Pace) -> Arc<Self> {
        Arc::new(Gate { pace: Mutex::new(pace), changed: Condvar::new(), cancel: Cancel::default() })
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        self.pace.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the engine how to go on. Once it was told to stop, nothing else counts.
    pub(crate) fn go(&self, pace: Pace) {
        let mut now = self.pace();
        if *now != Pace::Stop {
            *now = pace;
        }
        if pace == Pace::Stop {
            self.cancel.cancel();
        }
        self.changed.notify_all();
    }

    /// Whether the engine was told to stop, or has ended.
    pub(crate) fn is_over(&self) -> bool {
        *self.pace() == Pace::Stop
    }

    fn must_wait(&self) -> bool {
        *self.pace() == Pace::Pause
    }

    /// Waits until a step may be taken.
    fn step(&self) {
        let mut pace = self.pace();
        while *pace == Pace::Pause {
            pace = self.changed.wait(pace).unwrap_or_else(PoisonError::into_inner);
        }
        if *pace == Pace::Step {
            *pace = Pace::Pause;
        }
    }

    /// A path has ended.
    fn leaf(&self) {
        let mut pace = self.pace();
        if *pace == Pace::Execution {
            *pace = Pace::Pause;
        }
    }
}

/// A run that is to begin: the engine, its gate, and the page that watches.
pub(crate) struct Run {
    pub(crate) engine: Engine,
    pub(crate) gate: Arc<Gate>,
    pub(crate) lines: Sender<String>,
}

/// Runs an engine and shows what it does.
pub(crate) fn run(exhibit: &Exhibit<'_>, Run { engine, gate, lines }: Run) {
    let mut budget = exhibit.options.budget.clone();
    budget.cancel = gate.cancel.clone();
    let options = Options { budget, ..exhibit.options.clone() };
    let mut spectator =
        Spectator { gate: &gate, lines: &lines, nodes: 0, passed: Passed::default(), told: Instant::now() };
    let exploration = exhibit.subject.watch(engine, &options, &mut spectator);
    spectator.count(false);
    let mut follower = exhibit.subject.follower(exhibit.options.races);
    let places: Vec<Option<Waypoint>> =
        exploration.violations.iter().map(|found| follower.waypoint(&found.schedule)).collect();
    // Whoever watched may have gone away.
    let _ = lines.blocking_send(wire::concluded(&exploration, &places));
    gate.go(Pace::Stop);
}

/// Writes what an engine does, and has it wait.
struct Spectator<'r> {
    gate: &'r Gate,
    lines: &'r Sender<String>,
    nodes: usize,
    passed: Passed,
    /// When counts were told.
    told: Instant,
}

impl Spectator<'_> {
    fn write(&self, line: String) {
        if self.lines.blocking_send(line).is_err() {
            self.gate.go(Pace::Stop);
        }
    }

    fn count(&mut self, waits: bool) {
        self.told = Instant::now();
        self.write(wire::so_far(self.passed, waits));
    }

    /// Waits until a step may be taken, and says so.
    fn wait(&mut self) {
        if self.gate.must_wait() {
            self.count(true);
        }
        self.gate.step();
        self.passed.steps += 1;
    }

    fn leaf(&mut self) {
        self.passed.leaves += 1;
        self.gate.leaf();
    }
}

impl Audience for Spectator<'_> {
    fn see(&mut self, sign: Sign) {
        if self.gate.is_over() {
            return;
        }
        match &sign {
            Sign::Step { parent: Some(_), node, .. } => {
                self.wait();
                self.nodes = self.nodes.max(*node as usize + 1);
            }
            Sign::Leaf { .. } => self.leaf(),
            _ => {}
        }
        self.write(wire::sign(&sign));
    }

    fn wants_signs(&mut self) -> bool {
        self.nodes < MOST_NODES
    }

    fn passed(&mut self, is_leaf: bool) {
        if self.gate.is_over() {
            return;
        }
        if is_leaf {
            self.leaf();
        } else {
            self.wait();
        }
        if self.told.elapsed() >= BETWEEN_COUNTS {
            self.count(false);
        }
    }
}
