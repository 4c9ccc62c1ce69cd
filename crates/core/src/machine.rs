//! The face of a program that an engine drives: a program standing at one point of one execution.
//!
//! Every [`System`] is a [`Machine`] through [`Stepper`]. A program without cheap states can be one directly: its mark
//! is then a snapshot, or a schedule to run again.

use crate::{
    ActorId, ActorKind, BlockedVisitor, Ending, Fingerprint, Footprint, Lap, Move, Object, ObjectId, Outcome, Schedule,
    Step, System, ToldAccesses, Violation,
};
use smallvec::SmallVec;

/// What a step did.
#[derive(Clone, Debug, Default)]
pub struct StepRecord {
    /// What it touched, sealed.
    pub footprint: Footprint,
    /// What was wrong.
    pub violations: Vec<Violation>,
    /// The outcome to try next at the same place, if the step had a choice left.
    pub next_outcome: Option<Outcome>,
    /// The actors that it made; see [`Step::made`].
    pub made: SmallVec<[ActorId; 2]>,
    /// Whether no other actor could have blocked it; see [`Step::cannot_wait`].
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

    /// The enabled actors.
    fn enabled(&self) -> &[ActorId];

    /// Visits the actors that cannot move now but may later.
    fn blocked(&self, visit: &mut BlockedVisitor<'_>);

    /// What an enabled actor's next operation touches; what follows the operation may add to it.
    fn foresee(&self, actor: ActorId, footprint: &mut Footprint);

    /// What an actor reads that does not exist here; see [`Insight::absent`](crate::Insight::absent).
    fn absent(&self, actor: ActorId, footprint: &mut Footprint);

    /// What an actor is.
    fn actor(&self, actor: ActorId) -> ActorKind;

    /// What an object is.
    fn object(&self, object: ObjectId) -> Object;

    /// Appends the actors that exist: first the enabled ones, then the blocked ones.
    fn present(&self, into: &mut Vec<ActorId>) {
        into.extend_from_slice(self.enabled());
        self.blocked(&mut |actor, _| into.push(actor));
    }

    /// The footprint of the step that an actor which cannot move is blocked on; false if it has none. An event that does
    /// not exist now may exist again: it is blocked on that.
    fn obstacle(&self, actor: ActorId, footprint: &mut Footprint) -> bool {
        footprint.clear();
        let mut is_blocked = false;
        self.blocked(&mut |blocked, obstacle| {
            if blocked == actor {
                is_blocked = true;
                obstacle(footprint);
            }
        });
        if !is_blocked && self.actor(actor) == ActorKind::Event {
            self.absent(actor, footprint);
            is_blocked = !footprint.touches().is_empty();
        }
        footprint.seal();
        is_blocked
    }

    /// Moves an enabled actor.
    fn step(&mut self, step: Move) -> &StepRecord;

    /// 128 bits of the whole present state.
    fn fingerprint(&self) -> Fingerprint;

    /// 128 bits of what is no actor's own.
    fn shared_fingerprint(&self) -> Fingerprint;

    /// Appends what only an actor sees and changes.
    fn locals(&self, actor: ActorId, into: &mut Vec<i64>);

    /// What it means that no actor can move.
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

    /// Whether to tell what each step did to shared variables, for a search for data races.
    #[must_use]
    pub fn telling_accesses(self, tells_accesses: bool) -> Self {
        Stepper { tells_accesses, ..self }
    }

    /// Runs a schedule from its initial state as far as it goes. `None` if the start or a move is not possible; the
    /// violations are those of the last step (or of the start, for an empty schedule), and the data races between the
    /// last two steps.
    pub fn replay(system: &'s S, schedule: &Schedule) -> Option<(Self, Vec<Violation>)> {
        let mut replay = Replay::start(system, schedule)?;
        for &step in &schedule.moves {
            replay.step(step)?;
        }
        Some(replay.end())
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

/// A schedule that is being followed, to look at every step of it. [`Stepper::replay`] is the whole of it.
pub struct Replay<'s, S: System> {
    stepper: Stepper<'s, S>,
    violations: Vec<Violation>,
    before: Option<Box<ToldAccesses>>,
    /// How many moves of the schedule are left.
    left: usize,
    /// The schedule, if it goes on for ever.
    endless: Option<Schedule>,
}

impl<'s, S: System> Replay<'s, S> {
    /// Stands at the initial state of a schedule; `None` if there is none of that number.
    pub fn start(system: &'s S, schedule: &Schedule) -> Option<Self> {
        let state = system.initial_states().into_iter().nth(schedule.start)?;
        let mut violations = Vec::new();
        system.insight().violations_at_start(&state, &mut violations);
        let (stepper, left) = (Stepper::new(system, state), schedule.moves.len());
        let endless = schedule.lasso.is_some().then(|| schedule.clone());
        Some(Replay { stepper, violations, before: None, left, endless })
    }

    /// The state it stands at.
    pub fn state(&self) -> &S::State {
        self.stepper.state()
    }

    /// Takes the next move of the schedule; `None` if it is not possible.
    pub fn step(&mut self, step: Move) -> Option<&StepRecord> {
        self.violations.clear();
        // A data race is between the last two steps.
        self.stepper.tells_accesses = self.left <= 2;
        self.left = self.left.saturating_sub(1);
        let record = self.stepper.try_step(step)?;
        self.violations.extend_from_slice(&record.violations);
        if let (Some(before), Some(accesses)) = (&self.before, &record.accesses) {
            self.violations.extend(before.races_with(accesses).map(|(_, violation)| violation));
        }
        self.before.clone_from(&record.accesses);
        Some(&self.stepper.record)
    }

    /// Where it ends, and what is violated there; by a schedule that goes on for ever, also what does not happen on it.
    pub fn end(mut self) -> (Stepper<'s, S>, Vec<Violation>) {
        self.stepper.tells_accesses = false;
        if self.stepper.enabled.is_empty()
            && let Ending::Deadlock(violation) = self.stepper.ending()
        {
            self.violations.push(*violation);
        }
        if let Some(schedule) = self.endless.filter(|_| self.left == 0) {
            self.violations.extend(Lap::violations(self.stepper.system, &schedule));
        }
        (self.stepper, self.violations)
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

    fn blocked(&self, visit: &mut BlockedVisitor<'_>) {
        self.system.blocked(&self.state, &self.enabled, visit);
    }

    fn foresee(&self, actor: ActorId, footprint: &mut Footprint) {
        footprint.clear();
        if !self.system.insight().foresee(&self.state, actor, footprint) {
            let (mut state, mut step) = (self.state.clone(), Step::default());
            step.take(self.system, &mut state, Move::from(actor));
            std::mem::swap(footprint, step.footprint_mut());
        }
        footprint.seal();
    }

    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        self.system.insight().absent(actor, footprint);
    }

    fn actor(&self, actor: ActorId) -> ActorKind {
        self.system.actor(actor)
    }

    fn object(&self, object: ObjectId) -> Object {
        self.system.object(object)
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
        self.system.insight().fingerprint(&self.state)
    }

    fn shared_fingerprint(&self) -> Fingerprint {
        self.system.insight().shared_fingerprint(&self.state)
    }

    fn locals(&self, actor: ActorId, into: &mut Vec<i64>) {
        self.system.insight().locals(&self.state, actor, into);
    }

    fn ending(&self) -> Ending {
        self.system.ending(&self.state)
    }
}
