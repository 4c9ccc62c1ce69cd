use super::*;
use crate::Cutoffs as Kind;
use crate::programs::Notes;
use mazurka_core::{ActorId, Budget, ObjectId, Silent, Step, Verdict};

/// Actors that take this many steps each, all on one object or each on its own, and go back to their beginnings or not.
/// An actor may throw a die with each step.
struct Walkers {
    actors: u32,
    steps: u8,
    shared: bool,
    round: bool,
    sides: u64,
}

const WALKERS: Walkers = Walkers { actors: 2, steps: 2, shared: true, round: false, sides: 1 };

impl System for Walkers {
    type State = Vec<u8>;

    fn initial_states(&self) -> Vec<Vec<u8>> {
        vec![vec![0; self.actors as usize]]
    }

    fn enabled(&self, state: &Vec<u8>, into: &mut Vec<ActorId>) {
        into.extend((0..self.actors).map(ActorId).filter(|actor| state[actor.index()] < self.steps));
    }

    fn step(&self, state: &mut Vec<u8>, actor: ActorId, step: &mut Step) {
        step.write(ObjectId(if self.shared { 0 } else { actor.0 }));
        let thrown = step.choose(self.sides);
        step.assert(thrown < 2, "no actor throws a three");
        let at = &mut state[actor.index()];
        *at = if self.round { (*at + 1) % self.steps } else { *at + 1 };
    }

    fn traits(&self) -> Traits {
        Traits { tells_blocked: true, ..Traits::default() }
    }
}

fn counts(exploration: &Exploration) -> [u64; 4] {
    [Counter::Executions, Counter::Events, Counter::Cutoffs, Counter::Configurations]
        .map(|counter| exploration.statistics.get(counter).unwrap_or_default())
}

fn unfold(system: &Walkers, cutoffs: Kind) -> Exploration {
    explore(system, &Options { all: true, cutoffs, ..Options::default() }, &mut Silent)
}

#[test]
fn every_order_of_dependent_steps_is_a_configuration_and_others_are_not() {
    assert_eq!(counts(&unfold(&WALKERS, Kind::None)), [6, 18, 0, 6]);
    assert_eq!(counts(&unfold(&Walkers { shared: false, ..WALKERS }, Kind::None)), [1, 4, 0, 1]);
}

#[test]
fn each_outcome_of_a_choice_is_an_event() {
    let die = Walkers { actors: 1, steps: 1, sides: 3, ..WALKERS };
    let thrown = unfold(&die, Kind::None);
    assert_eq!((counts(&thrown), thrown.verdict), ([3, 3, 0, 3], Verdict::Violated));
    assert_eq!(counts(&unfold(&Walkers { sides: 2, ..WALKERS }, Kind::None))[0], 6 * 16);
}

#[test]
fn a_program_without_an_end_is_proved_with_cutoffs_and_bounded_without() {
    let round = Walkers { round: true, ..WALKERS };
    for cutoffs in [Kind::Size, Kind::Order] {
        assert_eq!(unfold(&round, cutoffs).verdict, Verdict::Verified);
    }
    assert!(matches!(unfold(&round, Kind::None).verdict, Verdict::Bounded { .. }));
    // By size only larger configurations are cut: those that return to where one actor or none has moved.
    assert_eq!(counts(&unfold(&Walkers { shared: false, ..round }, Kind::Size)), [0, 4, 2, 1]);
}

#[test]
fn the_order_cuts_what_size_does_not() {
    // All sides of a die lead to one state, and one of them has the least weight.
    let walkers = Walkers { actors: 1, steps: 2, sides: 8, ..WALKERS };
    let [by_size, by_order] = [Kind::Size, Kind::Order].map(|cutoffs| counts(&unfold(&walkers, cutoffs)));
    assert_eq!(by_size, [64, 72, 0, 64]);
    assert!(by_order[2] > 0 && by_order[3] < 64, "{by_order:?}");
}

#[test]
fn a_long_execution_needs_no_long_stack() {
    let long = Walkers { actors: 20, steps: 100, shared: false, ..WALKERS };
    let searched = std::thread::Builder::new().stack_size(1 << 18);
    let searched = searched.spawn(move || counts(&unfold(&long, Kind::Size))).expect("a thread can be started");
    assert_eq!(searched.join().expect("it does not overflow"), [1, 2000, 0, 1]);
}

#[test]
fn bounds_and_limits_are_kept() {
    let cut = |budget| explore(&WALKERS, &Options { budget, all: true, ..Options::default() }, &mut Silent);
    let short = cut(Budget { depth: Some(3), ..Budget::default() });
    assert!(matches!(short.verdict, Verdict::Bounded { .. }), "{:?}", short.verdict);
    let full = cut(Budget { memory: Some(1), memory_in_use: Some(|| 2), ..Budget::default() });
    assert_eq!(full.verdict, Verdict::Inconclusive(StopReason::MemoryLimit));
}

#[test]
fn what_is_found_is_told_once_and_with_its_schedule() {
    let dice = Walkers { sides: 3, ..WALKERS };
    let mut notes = Notes::default();
    let exploration = explore(&dice, &Options { all: true, ..Options::default() }, &mut notes);
    assert_eq!((notes.violations.len(), notes.ends.len()), (1, 1));
    assert_eq!(exploration.violations[0].schedule.moves.len(), 1);
}

#[test]
fn a_program_that_does_not_tell_who_waits_is_refused() {
    let dice = crate::programs::Dice { sides: 2 };
    let refused = crate::explore(crate::Engine::Unfolding, &dice, &Options::default(), &mut Silent);
    assert!(matches!(refused.verdict, Verdict::Unsupported(_)));
}
