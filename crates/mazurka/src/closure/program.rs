//! A closure as something that can be checked, and what its verdict rests on.

use crate::subject::Subject;
use mazurka_core::{Exploration, Location, Meter, Observer, System, Verdict};
use mazurka_engines::{Engine, Options};
use mazurka_report::{Basis, Considered};
use mazurka_rust::Closure;

/// What `verified` means for a program with locks, channels and `SeqCst` atomics only.
const FOR_ALL: &str =
    "no execution that Rust's memory model allows panics, deadlocks, spins for ever or has a data race";

/// What it means for a program with weaker atomics.
const FOR_CONSISTENT: &str = "no sequentially consistent execution panics, deadlocks, spins for ever, or has a data race by \
                              the orderings as written; wrong values that weaker atomics may read are not looked for";

/// How many weak operations are named.
const MOST_NAMED: usize = 5;

/// A closure to be checked.
pub(super) struct RustProgram(Closure);

impl RustProgram {
    pub(super) fn new(closure: Closure) -> Self {
        RustProgram(closure)
    }

    pub(super) fn not_covered(&self) -> Vec<Location> {
        self.0.not_covered()
    }

    pub(super) fn closure(&self) -> &Closure {
        &self.0
    }

    /// The engine that suits a closure: one execution of each trace.
    pub(super) fn usual_engine(&self) -> Engine {
        // Which handlers there are becomes known when the closure runs.
        let _ = self.0.initial_states();
        if System::traits(&self.0).any_mailboxes { Engine::Event } else { Engine::Optimal }
    }
}

impl Subject for RustProgram {
    fn inner(&self) -> &dyn Subject {
        &self.0
    }

    fn explore(&self, engine: Engine, options: &Options, observer: &mut dyn Observer) -> Exploration {
        self.0.settled(|closure| closure.explore(engine, options, observer))
    }

    fn basis(&self, exploration: &Exploration) -> Basis {
        let weak = self.0.weak_operations();
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
        self.0.footprints(meter)
    }
}
