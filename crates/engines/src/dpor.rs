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
//! It runs an execution to its end. Each step is held against the last steps that touched the same objects: those that
//! conflict with it and that nothing else orders before it, by vector clocks, are in a *race* with it. In the state in front
//! of such a step somebody has to be tried who begins an execution in which the two come in the other order. When an
//! execution has ended, the search goes back to the last state with something left to try. The search itself is in
//! `backtracking.rs`; `dpor` remembers nothing of states ([`Stateless`]).
//!
//! *Who has to be tried.* In the paper: the later actor, or somebody who has to move before it, or everybody. The sets that
//! arise so are persistent, and `--plain` uses them. Otherwise source sets arise: if an initial of the other order (see
//! `execution.rs`) is to be tried already, nobody is added. Two traces that differ only behind such an initial are both
//! found behind it.
//!
//! *Sleep sets* (`sleep.rs`) end runs that could only repeat what was seen; `--no-sleep` does without them, as the papers
//! measured the algorithm. With them, hardly ever do two executions belong to one trace, but some runs are given up on the way.
//!
//! *Blocked next operations* (`waiting.rs`). The paper looks at the next operation of every thread in every state. Here it is
//! enough to look at steps when they are taken, and at who waits when it comes to wait or waits for something else than
//! before: an actor that can move moves in the end, or is disabled, and then it waits.
//!
//! *Steps that let somebody move.* If an actor waits and the step in front changed the one object that it waits for (the
//! mutex that is given back, the event that is switched on, the message that is posted), the two are not to be reversed:
//! whoever else could change that object comes into conflict with that step by itself. Where an actor may wait for one of
//! several objects to change, everybody is tried in front of the step.
//!
//! # What was changed
//!
//! - *What a step touches may depend on the state*: of an event or an atomic block it is known only when it has run, and a
//!   guard that is false hides what comes behind it. So an actor may sleep with a step that touches more than the step which
//!   it takes, or waits to take, later on. Somebody else's step in between, in conflict with the former and not with the
//!   latter, would never be tried first. Such a sleeper is woken (`Path::sleeps_wrongly`;
//!   `tests/papers/dpor/finding-sleeper-that-touches-more.mz`).
//! - *Persistent sets and sleep sets* are said to combine. But the paper's sets are persistent only because of what is found
//!   out behind everybody who is added to them, and behind somebody asleep nothing is. So somebody asleep is added only if it
//!   is an initial (`tests/papers/dpor/finding-sleeper-that-is-no-initial.mz`).
//! - *Giving back and taking again* are ordered and yet no race, so a lock is held against the lock before it, not against
//!   the unlock in between ([`mazurka_core::Dependence::races`]).
//! - *Choices*: a step with several outcomes is run with all of them, and sleeps with all of them.
//! - *Cost*: a step costs what its objects were touched by since they were last written, and who waits; not the length of the
//!   execution. Nothing is run again, but for very long executions (`trail.rs`).

use crate::Options;
use crate::backtracking::{Counts, Search, Stateless};
use crate::shared::tally::{Tally, from_each_start};
use crate::shared::waiting::unless_it_tells_blocked;
use mazurka_core::{Exploration, Observer, System, Traits};

/// Suits every program that tells who waits: without that, a step that is never taken would be held against nothing.
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
