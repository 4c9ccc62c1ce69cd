//! Optimal dynamic partial-order reduction: exactly one execution of each trace, and none that is given up.
//!
//! After Abdulla, Aronis, Jonsson, Sagonas: *Optimal Dynamic Partial Order Reduction* (POPL 2014) and *Source Sets: A
//! Foundation for Optimal Dynamic Partial Order Reduction* (JACM 2017), Optimal-DPOR with wakeup trees. Its theorems: every
//! maximal execution of a terminating program is equivalent to one that is run, and to one only; none is blocked by a
//! sleep set. `mazurka agree` compares the number of executions with the traces that `enumerate` counts.
//!
//! The search is in `reversing`, the trees are in `wakeup`. Where it departs from the papers, or says what they leave open:
//!
//! - **Nothing is run again.** States are cheap, so each state of the path has a mark (`trail`). A reversal is run once
//!   before it is inserted, and so its last step has the footprint that it has there, not the one that it had in the other
//!   order: an exchange that fails, a branch that ends the actor, an atomic block may touch other things then.
//! - **Blocked actors.** Acquiring a mutex that an earlier step released is ordered after it and yet no race
//!   (`Dependence::races`); the race is with the step that acquired it before, and a handler is such a mutex. Where a step
//!   cannot be taken once its race is reversed, since an assumption, a guard, a join or a signal is missing, the steps that
//!   wrote what it reads are left out one after the other until it can. Actors that are blocked at the end of an execution
//!   are treated alike: without that, an assumption that came true for a moment would be missed. (`reversal`; `tests/papers/optimal-dpor` has the
//!   programs.)
//! - **Choices.** Each outcome of a step is a step of its own, in conflict with the other outcomes: each of them is
//!   inserted like the reversal of a race between the two.
//! - **Reversals that were done** are remembered (`memory`), within a fixed size: executions that end differently have
//!   most of their races in common. (To reverse only races whose later step is new would lose executions.)
//! - **Threads.** Other threads explore branches ahead of their turn, on an assumption that is checked when their turn
//!   comes (`parts`): so all counts are the same on any number of them.
//!
//! An execution that comes back to a state, or grows too long, is cut there; its races are reversed all the same, and the
//! verdict is `bounded`.

use crate::Options;
use crate::shared::waiting::unless_it_tells_blocked;
use mazurka_core::{Exploration, Observer, System, Traits};

/// Suits every program that tells which actors are blocked: without that, a step that is never taken would not be reversed.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    unless_it_tells_blocked(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    crate::reversing::explore(system, options, observer, &|_| false, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::{Chain, Counters, Dice, LostUpdate, Ring};
    use mazurka_core::{Counter, Silent, Verdict};

    /// How many executions are run and how many are given up, and the verdict.
    fn explored<S: System>(system: &S) -> (u64, u64, Verdict) {
        let exploration = explore(system, &Options { all: true, ..Options::default() }, &mut Silent);
        let count = |counter| exploration.statistics.get(counter).unwrap_or_default();
        (count(Counter::Executions), count(Counter::Blocked), exploration.verdict)
    }

    #[test]
    fn every_trace_is_run_once() {
        let counters = |actors, steps, shared| explored(&Counters { actors, steps, shared });
        assert_eq!(counters(3, 2, true), (90, 0, Verdict::Verified));
        assert_eq!(counters(5, 1, true), (120, 0, Verdict::Verified));
        assert_eq!(counters(5, 3, false), (1, 0, Verdict::Verified));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let on = |threads| {
            let options = Options { all: true, threads, ..Options::default() };
            let lost = explore(&LostUpdate { bystanders: 3 }, &options, &mut Silent);
            let counters = explore(&Counters { actors: 4, steps: 2, shared: true }, &options, &mut Silent);
            let counts = |exploration: &Exploration| {
                let counted = Counter::ALL.iter().filter(|counter| **counter != Counter::PeakBytes);
                counted.map(|&counter| exploration.statistics.get(counter)).collect::<Vec<_>>()
            };
            (counts(&lost), lost.violations, counts(&counters))
        };
        let alone = on(1);
        assert!(alone.2.contains(&Some(2_520)));
        (0..20).for_each(|_| assert!(on(2) == alone && on(4) == alone));
    }

    #[test]
    fn violations_are_found_and_end_no_execution() {
        assert_eq!(explored(&LostUpdate { bystanders: 2 }).2, Verdict::Violated);
        assert_eq!(explored(&Dice { sides: 4 }).2, Verdict::Violated);
    }

    #[test]
    fn what_comes_back_is_cut_and_never_called_verified() {
        let (_, _, verdict) = explored(&Ring { size: 4, starts: vec![0] });
        assert!(matches!(verdict, Verdict::Bounded { .. }), "{verdict}");
        assert_eq!(explored(&Chain(500)).0, explored(&Chain(3)).0);
    }
}
