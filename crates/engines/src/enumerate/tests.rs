use crate::programs::{Chain, Counters, Dice, Locks, LostUpdate, Notes, Ring, Walk, actors};
use crate::{Engine, Options, explore};
use mazurka_core::{
    Bound, Budget, Counter, Dependence, Exploration, Silent, StopReason, System, Verdict, ViolationKind,
};
use std::time::Duration;

fn all() -> Options {
    Options { all: true, ..Options::default() }
}

fn run<S: System>(system: &S, options: &Options) -> Exploration {
    explore(Engine::Enumerate, system, options, &mut Silent)
}

/// Executions, traces, transitions, end states, depth.
fn counts(exploration: &Exploration) -> [u64; 5] {
    [Counter::Executions, Counter::Traces, Counter::Transitions, Counter::EndStates, Counter::MaxDepth]
        .map(|counter| exploration.statistics.get(counter).unwrap_or(u64::MAX))
}

#[test]
fn independent_steps_make_one_trace_and_conflicting_ones_make_as_many_as_there_are_executions() {
    let exploration = run(&Counters { actors: 3, steps: 2, shared: false }, &all());
    assert_eq!(counts(&exploration), [90, 1, 3 + 9 + 24 + 54 + 90 + 90, 1, 6]);
    assert_eq!(exploration.verdict, Verdict::Verified);
    let exploration = run(&Counters { actors: 3, steps: 2, shared: true }, &all());
    assert_eq!(counts(&exploration), [90, 90, 270, 1, 6]);
}

#[test]
fn dependence_decides_what_a_trace_is() {
    // Without any conflict of rewrites or posts the counts stay: the counters write.
    let options = Options { dependence: Dependence { posts: false, rewrites: false }, ..all() };
    assert_eq!(counts(&run(&Counters { actors: 2, steps: 2, shared: true }, &options))[1], 6);
}

#[test]
fn every_outcome_of_a_choice_makes_executions() {
    let exploration = run(&Dice { sides: 4 }, &all());
    assert_eq!(counts(&exploration), [50, 50, 60, 25, 2]);
    let mut notes = Notes { wants_values: true, ..Notes::default() };
    let exploration = explore(Engine::Enumerate, &Dice { sides: 4 }, &all(), &mut notes);
    assert_eq!((exploration.violations.len(), notes.violations.len(), notes.ends.len()), (10, 10, 25));
}

#[test]
fn the_shortest_schedule_that_was_seen_is_kept() {
    let exploration = run(&Walk { side: 6 }, &all());
    let found: Vec<_> = exploration.violations.iter().map(|found| found.schedule.moves.len()).collect();
    assert_eq!(found, [6, 2, 10]);
    assert_eq!(counts(&exploration), [252, 252, 922, 1, 10]);
}

#[test]
fn the_first_violation_ends_the_search() {
    let exploration = run(&LostUpdate { bystanders: 0 }, &Options::default());
    assert_eq!((exploration.stop, exploration.violations.len()), (StopReason::FirstViolation, 1));
    assert_eq!(actors(&exploration.violations[0]), [0, 1, 0, 1, 2]);
    let exploration = run(&Ring { size: 9, starts: vec![3] }, &Options::default());
    assert_eq!((exploration.stop, counts(&exploration)), (StopReason::FirstViolation, [0; 5]));
}

#[test]
fn a_deadlock_is_an_execution_and_a_violation() {
    let exploration = run(&Locks { bystanders: 0 }, &all());
    assert_eq!(exploration.violations.len(), 1);
    assert_eq!(exploration.violations[0].violation.kind, ViolationKind::Deadlock);
    // Each thread first and the other after it, or a deadlock in either order of the two first steps.
    assert_eq!(counts(&exploration), [4, 3, 2 + 4 + 8, 2, 6]);
}

#[test]
fn a_cycle_is_cut_and_counted() {
    let exploration = run(&Ring { size: 10, starts: vec![0, 5] }, &all());
    assert_eq!(exploration.verdict, Verdict::Bounded { bound: Bound::Cycle, cuts: 2 });
    assert_eq!(counts(&exploration), [0, 0, 20, 0, 10]);
}

#[test]
fn beyond_the_depth_bound_runs_are_cut_and_counted() {
    let bounded = |depth| {
        let budget = Budget { depth: Some(depth), ..Budget::default() };
        run(&Counters { actors: 2, steps: 3, shared: true }, &Options { budget, ..all() })
    };
    assert_eq!(bounded(2).verdict, Verdict::Bounded { bound: Bound::Depth(2), cuts: 4 });
    assert_eq!(bounded(6).verdict, Verdict::Verified);
    assert_eq!(counts(&bounded(6))[0], 20);
}

#[test]
fn limits_end_a_search_with_what_is_known() {
    let many = Counters { actors: 10, steps: 10, shared: false };
    let limited = |budget| run(&many, &Options { budget, ..all() }).verdict;
    let time = Budget { time: Some(Duration::from_millis(20)), ..Budget::default() };
    assert_eq!(limited(time), Verdict::Inconclusive(StopReason::TimeLimit));
    let cancelled = Budget::default();
    cancelled.cancel.cancel();
    assert_eq!(limited(cancelled), Verdict::Inconclusive(StopReason::Cancelled));
}

#[test]
fn a_deep_execution_is_no_problem() {
    let exploration = run(&Chain(20_000), &all());
    assert_eq!(counts(&exploration), [1, 1, 20_000, 1, 20_000]);
}
