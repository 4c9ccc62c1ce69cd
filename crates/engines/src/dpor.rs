//! Dynamic partial-order reduction: at least one execution of each trace.
//!
//! After Flanagan and Godefroid, *Dynamic Partial-Order Reduction for Model Checking Software*, POPL 2005, with the sleep
//! sets of Godefroid (1996) and the source sets of Abdulla, Aronis, Jonsson and Sagonas, *Optimal Dynamic Partial Order
//! Reduction*, POPL 2014. The theorem: of a program that terminates, at least one execution of each Mazurkiewicz trace is
//! run. So every assertion that can fail fails with every set of values that it can read, and every state in which the
//! program can end is met. A run that comes back to a state of its own is cut there, and the verdict says so.
//!
//! # The algorithm
//!
//! It runs an execution to its end. Each step is compared with the last steps that touched the same objects: those that
//! conflict with it and that nothing else orders before it, by vector clocks, are in a *race* with it. In the state in front
//! of such a step an actor has to be tried that begins an execution in which the two come in the other order. When an
//! execution has ended, the search goes back to the last state with something left to try. The search itself is in
//! `backtracking.rs`; `dpor` remembers nothing of states ([`Stateless`]).
//!
//! *The backtrack set.* In the paper: the later actor, or one that has to move before it, or all. The sets that arise so are
//! persistent, and `--plain` uses them. Otherwise source sets arise: if an initial of the other order (see `execution.rs`)
//! is in the backtrack set already, none is added. Two traces that differ only behind such an initial are both
//! found behind it.
//!
//! *Sleep sets* (`sleep.rs`) end runs that could only repeat what was seen; `--no-sleep` does without them, as the
//! papers measured the algorithm. With them, two executions hardly ever belong to one trace, but some runs are given up
//! on the way.
//!
//! *Blocked next operations* (`waiting.rs`). The paper considers the next operation of every thread in every state. Here it is
//! enough to consider steps when they are taken, and blocked actors when they come to be blocked, or blocked on something
//! else than before: an actor that can move moves in the end, or is disabled, and then it is blocked.
//!
//! *Steps that enable an actor.* If an actor is blocked and the step in front wrote the one object that it awaits (a mutex
//! that is released, an event that is switched on, a message that is posted), the two are not to be reversed: any other
//! step that writes that object conflicts with that step by itself. Where an actor may await one of several objects, all
//! actors are tried in front of the step.
//!
//! # What was changed
//!
//! - *What a step touches may depend on the state*: of an event or an atomic block it is known only when it has run, and a
//!   guard that is false hides what comes behind it. So an actor may sleep with a step that touches more than the step which
//!   it takes, or is blocked on, later. A step of another actor in between, in conflict with the former and not with the
//!   latter, would never be tried first. Such a sleeper is woken (`Path::sleeps_wrongly`;
//!   `tests/papers/dpor/finding-sleeper-that-touches-more.mz`).
//! - *Persistent sets and sleep sets* are said to combine. But the paper's sets are persistent only because of the races that
//!   are found behind each actor that is added to them, and behind a sleeping actor none are. So a sleeping actor is added
//!   only if it is an initial (`tests/papers/dpor/finding-sleeper-that-is-no-initial.mz`).
//! - *A release and the next acquire* are ordered and yet no race, so an acquire is compared with the acquire before it, not
//!   with the release in between ([`mazurka_core::Dependence::races`]).
//! - *Choices*: a step with several outcomes is run with all of them, and sleeps with all of them.
//! - *Cost*: a step costs what its objects were touched by since they were last written, and the blocked actors; not the length of the
//!   execution. Nothing is run again, but for very long executions (`trail.rs`).

use crate::Options;
use crate::backtracking::{Counts, Search, Stateless};
use crate::shared::tally::{Tally, from_each_start};
use crate::shared::waiting::unless_it_tells_blocked;
use mazurka_core::{Exploration, Observer, System, Traits};

/// Suits every program that tells which actors are blocked: without that, a step that is never taken would conflict with
/// nothing.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    unless_it_tells_blocked(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut tally = Tally::new(options, observer);
    let mut counts = Counts::default();
    let walked = from_each_start(system, &mut tally, |machine, tally| {
        let mut search = Search::new(machine, tally, Stateless);
        let walked = search.run();
        counts.add(search.counts());
        walked
    });
    tally.conclude(system, walked, &counts.named(false))
}
