//! The face of a program that an engine drives: a program standing at one point of one execution.
//!
//! Every [`System`] is a [`Machine`] through [`Stepper`]. A program without cheap states can be one directly: its mark
//! is then a snapshot, or a schedule to run again.

use crate::{
    ActorId, Awaited, Ending, Fingerprint, Footprint, Move, ObjectId, Outcome, Queue, Schedule, Step, System,
    ToldAccesses, Violation,
};
use smallvec::SmallVec;

/// What an actor would do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing, ever again.
    Finished,
    /// It waits; the footprint is that of the step it waits to take.
    Blocked,
    /// It can move; the footprint is that of its operation (what follows the operation may add to it).
    Ready,
    /// Nobody knows before it is run.
    Unknown,
}

/// What a step did.
#[derive(Clone, Debug, Default)]
pub struct StepRecord {
    /// What it touched, sealed.
    pub footprint: Footprint,
    /// What was wrong.
    pub violations: Vec<Violation>,
    /// The outcome to try next at the same place, if the step had a choice left.
    pub next_outcome: Option<Outcome>,
    /// Whom it made; see [`Step::made`].
    pub made: SmallVec<[ActorId; 2]>,
    /// Whether nobody could have kept the actor from it; see [`Step::cannot_wait`].
    pub is_certain: bool,
    /// Whether the step has the outcome that was asked for. Otherwise it took another one.
    pub has_outcome: bool,
    /// What it did to shared variables, if the machine tells that.
    pub accesses: Option<Box<ToldAccesses>>,
}

/// A program standing at one point of one execution.
pub trait Machine {
    /// A place to come back to.
    type Mark;

    /// Remembers this place.
    fn mark(&self) -> Self::Mark;

    /// Remembers this place in the room of another mark.
    fn mark_again(&self, mark: &mut Self::Mark) {
        *mark = self.mark();
    }

    /// Comes back to a place.
    fn rewind(&mut self, mark: &Self::Mark);

    /// Who can move.
    fn enabled(&self) -> &[ActorId];

    /// What an actor would do next.
    fn next(&self, actor: ActorId, footprint: &mut Footprint) -> Next;

    /// Appends the actors that may move some day but cannot move now.
    fn waiting(&self, into: &mut Vec<ActorId>);

    /// What an actor that cannot move waits for, if that is one object.
    fn awaits(&self, actor: ActorId) -> Option<Awaited>;

    /// The first-in-first-out mailbox that an actor came into, if it did.
    fn queue(&self, actor: ActorId) -> Option<Queue>;

    /// Whether an object is a mutex.
    fn is_mutex(&self, object: ObjectId) -> bool;

    /// Whether an object is a gate.
    fn is_gate(&self, object: ObjectId) -> bool;

    /// Moves an enabled actor.
    fn step(&mut self, step: Move) -> &StepRecord;

    /// 128 bits of the whole present state.
    fn fingerprint(&self) -> Fingerprint;

    /// 128 bits of what is no actor's own.
    fn shared_fingerprint(&self) -> Fingerprint;

    /// Appends what only an actor sees and changes.
    fn locals(&self, actor: ActorId, into: &mut Vec<i64>);

    /// What it means that nobody can move.
    fn ending(&self) -> Ending;
}

/// A [`System`] at one point of one execution.
pub struct Stepper<'s, S: System> {
    system: &'s S,
    state: S::State,
    enabled: Vec<ActorId>,
    step: Step,
    record: StepRecord,
    tells_accesses: bool,
}

impl<S: System> Clone for Stepper<'_, S> {
    fn clone(&self) -> Self {
        Stepper::new(self.system, self.state.clone()).telling_accesses(self.tells_accesses)
    }
}

impl<'s, S: System> Stepper<'s, S> {
    /// Stands at a state.
    pub fn new(system: &'s S, state: S::State) -> Self {
        let mut stepper = Stepper {
            system,
            state,
            enabled: Vec::new(),
            step: Step::default(),
            record: StepRecord::default(),
            tells_accesses: false,
        };
        stepper.look_around();
        stepper
    }

    /// Whether to tell what each step did to shared variables, for those who look for data races.
    #[must_use]
    pub fn telling_accesses(self, tells_accesses: bool) -> Self {
        Stepper { tells_accesses, ..self }
    }

    /// Runs a schedule from its initial state as far as it goes. `None` if the start or a move is not possible; the
    /// violations are those of the last step (or of the start, for an empty schedule), and the data races between the
    /// last two steps.
    pub fn replay(system: &'s S, schedule: &Schedule) -> Option<(Self, Vec<Violation>)> {
        let state = system.initial_states().into_iter().nth(schedule.start)?;
        let mut violations = Vec::new();
        system.violations_at_start(&state, &mut violations);
        let mut stepper = Stepper::new(system, state);
        let mut before: Option<Box<ToldAccesses>> = None;
        for (index, &step) in schedule.moves.iter().enumerate() {
            violations.clear();
            stepper.tells_accesses = index + 2 >= schedule.moves.len();
            let record = stepper.try_step(step)?;
            violations.extend_from_slice(&record.violations);
            let accesses = record.accesses.clone();
            if let (Some(before), Some(accesses)) = (&before, &accesses) {
                violations.extend(before.races_with(accesses).map(|(_, violation)| violation));
            }
            before = accesses;
        }
        stepper.tells_accesses = false;
        if stepper.enabled.is_empty()
            && let Ending::Deadlock(violation) = system.ending(&stepper.state)
        {
            violations.push(*violation);
        }
        Some((stepper, violations))
    }

    /// Moves an actor if it can move and has that outcome.
    pub fn try_step(&mut self, step: Move) -> Option<&StepRecord> {
        if !self.enabled.contains(&step.actor) {
            return None;
        }
        self.step(step);
        // An outcome beyond the last one decodes to one that exists: the digits left over tell.
        self.record.has_outcome.then_some(&self.record)
    }

    /// The state it stands at.
    pub fn state(&self) -> &S::State {
        &self.state
    }

    fn look_around(&mut self) {
        self.enabled.clear();
        self.system.enabled(&self.state, &mut self.enabled);
    }
}

impl<S: System> Machine for Stepper<'_, S> {
    type Mark = S::State;

    fn mark(&self) -> S::State {
        self.state.clone()
    }

    fn mark_again(&self, mark: &mut S::State) {
        mark.clone_from(&self.state);
    }

    fn rewind(&mut self, mark: &S::State) {
        self.state.clone_from(mark);
        self.look_around();
    }

    fn enabled(&self) -> &[ActorId] {
        &self.enabled
    }

    fn next(&self, actor: ActorId, footprint: &mut Footprint) -> Next {
        self.system.next(&self.state, actor, footprint)
    }

    fn waiting(&self, into: &mut Vec<ActorId>) {
        self.system.waiting(&self.state, into);
    }

    fn awaits(&self, actor: ActorId) -> Option<Awaited> {
        self.system.awaits(&self.state, actor)
    }

    fn queue(&self, actor: ActorId) -> Option<Queue> {
        self.system.queue(&self.state, actor)
    }

    fn is_mutex(&self, object: ObjectId) -> bool {
        self.system.is_mutex(object)
    }

    fn is_gate(&self, object: ObjectId) -> bool {
        self.system.is_gate(object)
    }

    fn step(&mut self, step: Move) -> &StepRecord {
        if self.tells_accesses {
            let accesses = ToldAccesses::take(self.system, &mut self.state, step, &mut self.step);
            self.record.accesses = Some(Box::new(accesses));
        } else {
            self.step.take(self.system, &mut self.state, step);
            self.step.footprint_mut().seal();
        }
        // What the last step touched is forgotten when the next one begins.
        std::mem::swap(&mut self.record.footprint, self.step.footprint_mut());
        self.record.violations.clear();
        self.record.violations.extend_from_slice(self.step.violations());
        self.record.next_outcome = self.step.next_outcome();
        self.record.made.clear();
        self.record.made.extend_from_slice(self.step.actors_made());
        self.record.is_certain = self.step.is_certain();
        self.record.has_outcome = self.step.choices().exhausted();
        self.look_around();
        &self.record
    }

    fn fingerprint(&self) -> Fingerprint {
        self.system.fingerprint(&self.state)
    }

    fn shared_fingerprint(&self) -> Fingerprint {
        self.system.shared_fingerprint(&self.state)
    }

    fn locals(&self, actor: ActorId, into: &mut Vec<i64>) {
        self.system.locals(&self.state, actor, into);
    }

    fn ending(&self) -> Ending {
        self.system.ending(&self.state)
    }
}
