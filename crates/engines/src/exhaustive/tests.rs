use crate::programs::{Chain, Counters, Dice, Locks, LostUpdate, Notes, Ring, Walk, actors};
use crate::{Engine, Options, explore};
use mazurka_core::{
    Bound, Budget, Counter, Ending, Exploration, Move, Outcome, Silent, StopReason, System, Verdict, ViolationKind,
};
use std::time::Duration;

fn all() -> Options {
    Options { all: true, threads: 1, ..Options::default() }
}

fn run<S: System>(system: &S, options: &Options) -> Exploration {
    explore(Engine::Exhaustive, system, options, &mut Silent)
}

/// States, transitions, end states, depth.
fn counts(exploration: &Exploration) -> [u64; 4] {
    [Counter::States, Counter::Transitions, Counter::EndStates, Counter::MaxDepth]
        .map(|counter| exploration.statistics.get(counter).unwrap_or(u64::MAX))
}

#[test]
fn counters_visit_every_combination() {
    let exploration = run(&Counters { actors: 3, steps: 4, shared: false }, &all());
    assert_eq!(counts(&exploration), [125, 3 * 4 * 25, 1, 12]);
    assert_eq!((exploration.verdict, exploration.stop), (Verdict::Verified, StopReason::Complete));
}

#[test]
fn a_ring_ends_when_it_closes() {
    let exploration = run(&Ring { size: 100, starts: vec![5] }, &all());
    assert_eq!(counts(&exploration), [100, 100, 0, 99]);
    assert_eq!(exploration.verdict, Verdict::Verified);
}

#[test]
fn equal_starts_count_once_and_a_wrong_start_has_an_empty_schedule() {
    let ring = Ring { size: 10, starts: vec![5, 5, 3, 0] };
    let exploration = run(&ring, &all());
    assert_eq!(counts(&exploration), [10, 10, 0, 4]);
    assert_eq!(exploration.violations.len(), 1);
    assert_eq!((exploration.violations[0].schedule.start, exploration.violations[0].schedule.moves.len()), (2, 0));

    let exploration = run(&ring, &Options { all: false, ..all() });
    assert_eq!((exploration.stop, counts(&exploration)), (StopReason::FirstViolation, [3, 0, 0, 0]));
}

#[test]
fn every_outcome_of_a_choice_is_taken() {
    // Five outcomes per die: two of a one, and four sides.
    let exploration = run(&Dice { sides: 4 }, &all());
    assert_eq!(counts(&exploration), [1 + 5 + 5 + 25, 10 + 50, 25, 2]);
    assert_eq!(exploration.violations.len(), 1);

    let mut notes = Notes { wants_values: true, ..Notes::default() };
    let exploration = explore(Engine::Exhaustive, &Dice { sides: 4 }, &all(), &mut notes);
    // Five values, and either die can be the second.
    assert_eq!(exploration.violations.len(), 10);
    assert_eq!(notes.violations.len(), 10);
    assert_eq!(notes.ends.len(), 25);
    assert!(exploration.violations.iter().all(|found| found.schedule.moves.len() == 2));
}

#[test]
fn a_deadlock_is_found_by_the_shortest_schedule() {
    let mut notes = Notes::default();
    let exploration = explore(Engine::Exhaustive, &Locks { bystanders: 1 }, &all(), &mut notes);
    assert_eq!(exploration.violations.len(), 1);
    assert_eq!(exploration.violations[0].violation.kind, ViolationKind::Deadlock);
    assert_eq!(actors(&exploration.violations[0]), [0, 1, 2]);
    assert_eq!(notes.ends.iter().filter(|(ending, _)| *ending == Ending::Finished).count(), 1);
    assert_eq!(notes.ends.len(), 2);
}

#[test]
fn the_first_violation_is_the_shortest_and_ends_its_level() {
    let exploration = run(&Walk { side: 50 }, &Options { all: false, ..all() });
    assert_eq!(exploration.stop, StopReason::FirstViolation);
    assert_eq!(exploration.violations.len(), 1);
    assert_eq!(actors(&exploration.violations[0]), [0, 1]);
    assert_eq!(counts(&exploration), [6, 6, 0, 2]);
}

#[test]
fn a_violation_does_not_end_the_search_for_others() {
    let exploration = run(&Walk { side: 50 }, &all());
    let found: Vec<_> = exploration
        .violations
        .iter()
        .map(|found| (found.violation.message.as_str(), found.schedule.moves.len()))
        .collect();
    assert_eq!(
        found,
        [
            ("assertion failed: not on the diagonal", 2),
            ("assertion failed: not on the other diagonal", 50),
            ("fell off the far corner", 98)
        ]
    );
    assert_eq!(counts(&exploration), [2500, 2 * 49 * 50, 1, 98]);
}

/// Everything that must not depend on the number of threads.
fn fingerprint_of_run<S: System>(system: &S, options: &Options, wants_values: bool) -> String {
    let mut notes = Notes { wants_values, ..Notes::default() };
    let exploration = explore(Engine::Exhaustive, system, options, &mut notes);
    let Exploration { verdict, stop, violations, .. } = &exploration;
    format!("{verdict:?} {stop:?} {violations:?} {:?} {:?} {:?}", counts(&exploration), notes.violations, notes.ends)
}

fn is_the_same_on_any_number_of_threads<S: System>(system: &S) {
    for all in [true, false] {
        for depth in [None, Some(40)] {
            for wants_values in [true, false] {
                let budget = Budget { depth, ..Budget::default() };
                let options = |threads| Options { all, threads, budget: budget.clone(), ..Options::default() };
                let alone = fingerprint_of_run(system, &options(1), wants_values);
                for threads in [2, 3, 7] {
                    assert_eq!(fingerprint_of_run(system, &options(threads), wants_values), alone);
                }
            }
        }
    }
}

#[test]
fn nothing_depends_on_the_number_of_threads() {
    is_the_same_on_any_number_of_threads(&Walk { side: 120 });
    is_the_same_on_any_number_of_threads(&Counters { actors: 6, steps: 4, shared: true });
    is_the_same_on_any_number_of_threads(&Dice { sides: 300 });
    is_the_same_on_any_number_of_threads(&LostUpdate { bystanders: 6 });
    is_the_same_on_any_number_of_threads(&Locks { bystanders: 10 });
    is_the_same_on_any_number_of_threads(&Ring { size: 5_000, starts: (0..5_000).step_by(7).collect() });
}

#[test]
fn an_outcome_is_part_of_the_schedule() {
    let exploration = run(&Dice { sides: 3 }, &all());
    let outcomes: Vec<_> = exploration.violations[0].schedule.moves.iter().map(|step| step.outcome).collect();
    assert_eq!(outcomes, [Outcome(0), Outcome(0)]);
    let mut notes = Notes { wants_values: true, ..Notes::default() };
    let exploration = explore(Engine::Exhaustive, &Dice { sides: 3 }, &all(), &mut notes);
    let last = exploration.violations.iter().rfind(|found| found.violation.values[0].value == "101");
    let outcomes = last.map(|found| found.schedule.moves.iter().map(|step: &Move| step.outcome.0).collect::<Vec<_>>());
    assert_eq!(outcomes, Some(vec![3, 3]));
}

#[test]
fn beyond_the_depth_bound_states_are_cut_and_counted() {
    let counters = Counters { actors: 2, steps: 10, shared: false };
    let bounded = |depth| {
        let budget = Budget { depth: Some(depth), ..Budget::default() };
        run(&counters, &Options { budget, ..all() })
    };
    let exploration = bounded(4);
    assert_eq!(exploration.verdict, Verdict::Bounded { bound: Bound::Depth(4), cuts: 5 });
    assert_eq!(counts(&exploration), [15, 20, 0, 4]);
    assert_eq!(bounded(0).verdict, Verdict::Bounded { bound: Bound::Depth(0), cuts: 1 });
    // Nothing is cut where everything ends within the bound.
    assert_eq!(bounded(20).verdict, Verdict::Verified);
    assert_eq!(counts(&bounded(20)), [121, 220, 1, 20]);
}

#[test]
fn limits_end_a_search_with_what_is_known() {
    let endless = Ring { size: u32::MAX, starts: vec![0] };
    let limited = |budget| run(&endless, &Options { budget, ..all() }).verdict;
    let time = Budget { time: Some(Duration::from_millis(20)), ..Budget::default() };
    assert_eq!(limited(time), Verdict::Inconclusive(StopReason::TimeLimit));
    let memory = Budget { memory: Some(1000), memory_in_use: Some(|| 1000), ..Budget::default() };
    assert_eq!(limited(memory), Verdict::Inconclusive(StopReason::MemoryLimit));
    let cancelled = Budget::default();
    cancelled.cancel.cancel();
    assert_eq!(limited(cancelled), Verdict::Inconclusive(StopReason::Cancelled));
}

#[test]
fn a_search_can_be_cancelled_while_it_runs() {
    let budget = Budget::default();
    let cancel = budget.cancel.clone();
    let mut notes = Notes::default();
    let exploration = std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            cancel.cancel();
        });
        let options = Options { budget, all: true, threads: 2, ..Options::default() };
        explore(Engine::Exhaustive, &Ring { size: u32::MAX, starts: vec![0] }, &options, &mut notes)
    });
    assert_eq!(exploration.stop, StopReason::Cancelled);
    assert!(exploration.statistics.get(Counter::States) > Some(1000) && notes.progress > 0);
}

#[test]
fn a_deep_program_is_no_problem() {
    let exploration = run(&Chain(1_000_000), &Options { threads: 2, ..all() });
    assert_eq!(counts(&exploration), [1_000_001, 1_000_000, 1, 1_000_000]);
    assert_eq!(exploration.violations[0].schedule.moves.len(), 1_000_000);
}
