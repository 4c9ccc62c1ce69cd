//! What one step records: what it touched, what it chose, what was wrong.

use crate::panics::caught;
use crate::{Access, ActorId, Choices, Footprint, Move, ObjectId, Outcome, System, Violation};
use smallvec::SmallVec;

/// What a step records while it runs.
#[derive(Clone, Debug, Default)]
pub struct Step {
    footprint: Footprint,
    /// The footprint is not needed.
    without_footprint: bool,
    choices: Choices,
    violations: Vec<Violation>,
    made: SmallVec<[ActorId; 2]>,
    cannot_wait: bool,
    is_plain: bool,
    is_progress: bool,
}

impl Step {
    /// Records steps without their footprints, for searches that do not need them.
    pub fn without_footprint() -> Self {
        Step { without_footprint: true, ..Step::default() }
    }

    /// Prepares for the next step, which will take this outcome.
    #[inline]
    pub fn begin(&mut self, outcome: Outcome) {
        self.footprint.clear();
        self.violations.clear();
        self.made.clear();
        self.cannot_wait = false;
        self.is_plain = false;
        self.is_progress = false;
        self.choices.begin(outcome);
    }

    /// Moves an enabled actor. All steps of a program are taken here, so that a panic in one is a violation. What the step
    /// did before it panicked stays.
    #[inline]
    pub fn take<S: System>(&mut self, system: &S, state: &mut S::State, step: Move) {
        self.begin(step.outcome);
        if let Err(panic) = caught(|| system.step(state, step.actor, self)) {
            self.fail(Violation { actor: Some(step.actor), ..panic.violation() });
        }
    }

    /// Records what another step recorded that did the same.
    pub fn repeat(&mut self, other: &Step) {
        if !self.without_footprint {
            self.footprint.clone_from(&other.footprint);
        }
        self.choices.clone_from(&other.choices);
        self.violations.clone_from(&other.violations);
        self.made.clone_from(&other.made);
        (self.cannot_wait, self.is_plain) = (other.cannot_wait, other.is_plain);
        self.is_progress = other.is_progress;
    }

    /// Whether the footprint is recorded.
    pub fn has_footprint(&self) -> bool {
        !self.without_footprint
    }

    /// The step read an object.
    pub fn read(&mut self, object: ObjectId) {
        self.touch(object, Access::READ);
    }

    /// The step wrote an object.
    pub fn write(&mut self, object: ObjectId) {
        self.touch(object, Access::WRITE);
    }

    /// The step touched an object in some way.
    #[inline]
    pub fn touch(&mut self, object: ObjectId, access: Access) {
        if !self.without_footprint {
            self.footprint.touch(object, access);
        }
    }

    /// Takes one of `alternatives` (at least 1); all of them will be explored.
    pub fn choose(&mut self, alternatives: u64) -> u64 {
        self.choices.pick(alternatives)
    }

    /// The step made an actor, which was not there before. To say so is not required: it tells engines what they would
    /// find out by trying.
    pub fn made(&mut self, actor: ActorId) {
        self.made.push(actor);
    }

    /// No other actor can block this step when it is next, except by holding an object that the step writes, and that is
    /// released with [`Access::RELEASE`]. To say so is not required either.
    pub fn cannot_wait(&mut self) {
        self.cannot_wait = true;
    }

    /// The step accessed shared variables by plain reads and writes. A step that does not say so accessed them atomically.
    /// Only a search for data races asks, and only of programs with
    /// [`Traits::tells_plain_accesses`](crate::Traits::tells_plain_accesses).
    pub fn plain(&mut self) {
        self.is_plain = true;
    }

    /// The step is progress: see [`Form::Progress`](crate::Form::Progress).
    pub fn progress(&mut self) {
        self.is_progress = true;
    }

    /// Something is wrong.
    pub fn fail(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    /// Something is wrong unless `holds`.
    pub fn assert(&mut self, holds: bool, message: &str) {
        if !holds {
            self.fail(Violation::new(crate::ViolationKind::Assertion, format!("assertion failed: {message}")));
        }
    }

    /// What was touched.
    pub fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    /// What was touched, to be brought into its normal form.
    pub fn footprint_mut(&mut self) -> &mut Footprint {
        &mut self.footprint
    }

    /// What is wrong.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// The actors that the step made, as far as it says so.
    pub fn actors_made(&self) -> &[ActorId] {
        &self.made
    }

    /// Whether it said that no other actor can block it; see [`Step::cannot_wait`].
    pub fn is_certain(&self) -> bool {
        self.cannot_wait
    }

    /// Whether it said that it accessed shared variables by plain reads and writes.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Whether it said that it is progress.
    pub fn is_progress(&self) -> bool {
        self.is_progress
    }

    /// The outcome to try after this one at the same place.
    pub fn next_outcome(&self) -> Option<Outcome> {
        self.choices.next()
    }

    /// Which choices the step made.
    pub fn choices(&self) -> &Choices {
        &self.choices
    }
}
