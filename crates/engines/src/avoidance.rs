//! Whether a violation can still be avoided: searches for an execution from a given state in which it does not occur.

use hashbrown::HashSet;
use mazurka_core::{
    ActorId, Ending, Fingerprint, Machine, Meter, Move, Outcome, Stepper, System, Violation, ViolationKind,
};
use rustc_hash::FxBuildHasher;

/// All searches for one violation together take at most this many steps.
const MOST_STEPS: usize = 50_000;
/// An execution of this many steps without the violation counts as one that avoids it.
const LONG: usize = 5_000;

/// What a search found.
pub(crate) enum Avoidable {
    /// These moves lead to an end, or around a cycle, without the violation.
    Yes(Vec<Move>),
    /// Every execution from this state leads to the violation.
    No,
    /// The search gave up.
    Unknown,
}

/// A search for executions without a violation, which remembers the states from which there is none.
pub(crate) struct Avoidance<'s, S: System> {
    system: &'s S,
    wanted: &'s Violation,
    meter: &'s Meter,
    doomed: HashSet<Fingerprint, FxBuildHasher>,
    steps_left: usize,
}

/// A state on the way, and the moves from it that are still to be tried.
struct PathState<State> {
    state: State,
    name: Fingerprint,
    actors: Vec<ActorId>,
    outcome: Outcome,
}

impl<'s, S: System> Avoidance<'s, S> {
    pub(crate) fn new(system: &'s S, wanted: &'s Violation, meter: &'s Meter) -> Self {
        Avoidance { system, wanted, meter, doomed: HashSet::default(), steps_left: MOST_STEPS }
    }

    /// Whether a step met the violation.
    pub(crate) fn is_met(&self, violations: &[Violation]) -> bool {
        violations.iter().any(|violation| violation.same_site(self.wanted))
    }

    /// Whether the violation can be avoided from a state on: a depth-first search. An execution that ends with an
    /// assumption that stays false does not count. One that goes around in a cycle counts if there is none that ends.
    pub(crate) fn from(&mut self, state: &S::State) -> Avoidable {
        let mut stepper = Stepper::new(self.system, state.clone());
        let mut doomed: HashSet<Fingerprint, FxBuildHasher> = HashSet::default();
        let mut on_path: HashSet<Fingerprint, FxBuildHasher> = HashSet::default();
        let mut cycle = None;
        let mut places: Vec<PathState<S::State>> = Vec::new();
        let mut path: Vec<Move> = Vec::new();
        match self.arrive(&stepper) {
            Arrival::Avoids => return Avoidable::Yes(path),
            Arrival::Ends => return Avoidable::No,
            Arrival::Goes(place) => {
                on_path.insert(place.name);
                places.push(place);
            }
        }
        while let Some(place) = places.last_mut() {
            let Some(&actor) = place.actors.last() else {
                on_path.remove(&place.name);
                doomed.insert(place.name);
                places.pop();
                path.pop();
                continue;
            };
            if self.steps_left == 0 || self.meter.is_over() {
                return Avoidable::Unknown;
            }
            // Where many actors can move, a step costs more.
            self.steps_left = self.steps_left.saturating_sub(1 + stepper.enabled().len() / 8);
            let step = Move { actor, outcome: place.outcome };
            stepper.rewind(&place.state);
            let record = stepper.step(step);
            match record.next_outcome {
                Some(next) => place.outcome = next,
                None => {
                    place.actors.pop();
                    place.outcome = Outcome::FIRST;
                }
            }
            if record.violations.iter().any(|violation| violation.same_site(self.wanted)) {
                continue;
            }
            path.push(step);
            if path.len() > LONG {
                return Avoidable::Yes(path);
            }
            match self.arrive(&stepper) {
                Arrival::Avoids => return Avoidable::Yes(path),
                Arrival::Ends => {
                    path.pop();
                }
                Arrival::Goes(mut next) => {
                    if on_path.contains(&next.name) {
                        cycle.get_or_insert_with(|| path.clone());
                        path.pop();
                    } else if self.doomed.contains(&next.name) || doomed.contains(&next.name) {
                        path.pop();
                    } else {
                        // To go on with one actor leads to an end soonest.
                        if let Some(same) = next.actors.iter().position(|&next| next == actor) {
                            next.actors[same..].rotate_left(1);
                        }
                        on_path.insert(next.name);
                        places.push(next);
                    }
                }
            }
        }
        match cycle {
            Some(path) => Avoidable::Yes(path),
            None => {
                self.doomed.extend(doomed);
                Avoidable::No
            }
        }
    }

    fn arrive(&self, stepper: &Stepper<'_, S>) -> Arrival<S::State> {
        if !stepper.enabled().is_empty() {
            return Arrival::Goes(PathState {
                state: stepper.mark(),
                name: stepper.fingerprint(),
                actors: stepper.enabled().iter().rev().copied().collect(),
                outcome: Outcome::FIRST,
            });
        }
        match stepper.ending() {
            Ending::Finished => Arrival::Avoids,
            Ending::Deadlock(_) if self.wanted.kind != ViolationKind::Deadlock => Arrival::Avoids,
            Ending::Deadlock(_) | Ending::Blocked => Arrival::Ends,
        }
    }
}

/// Where a step leads.
enum Arrival<State> {
    /// To an end without the violation.
    Avoids,
    /// To an end with the violation, or to one that does not count.
    Ends,
    /// To a state from which the search continues.
    Goes(PathState<State>),
}
