//! Executions without end: threads that go round for ever and never come to their ends.
//!
//! A [`Closure`] never comes back to a state, since what a thread has seen is part of it. [`Rounds`] is the same program with
//! states that are no more than what can be seen from outside: before which operation each thread stands, and what objects hold. What
//! a thread keeps in variables of its own is not seen, so states that look the same may have different futures, and nothing
//! can be proved here. But what looks like a loop can be run on: it counts if threads go round it [`ROUNDS`] times more.
//!
//! Loops are looked for in executions in which threads take turns, so that they are fair: first from the beginning, then after
//! a beginning that is random or given. A loop with a step of progress ([`crate::progress`]) is none.

use super::{Closure, State};
use crate::exec::{Exec, Shape, Status, mix};
use mazurka_core::{
    ActorId, ActorKind, BlockedVisitor, Ending, Fingerprint, Form, Insight, Lap, Lasso, Liveness, Meter, Move,
    Narrator, Object, ObjectId, Outcome, Property, Random, Schedule, Step, System, Traits, Violation,
};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many rounds threads have to go for a loop to count as one without end.
const ROUNDS: usize = 64;

/// How many steps in a row a thread takes at most before it is another one's turn.
const MOST_IN_A_ROW: usize = 3;

/// How many random beginnings are tried, and how long they are at most.
const BEGINNINGS: usize = 48;
const LONGEST_BEGINNING: usize = 64;

/// A closure whose executions may come back to where they were.
pub struct Rounds {
    closure: Closure,
    properties: [Property; 1],
}

impl Rounds {
    /// The closure must not wait in loops by itself: what it does there is to be shown.
    pub fn new(closure: Closure) -> Self {
        let message = "livelock: threads go round for ever, and never all come to their ends".to_owned();
        let property = Property { form: Form::Progress, text: "no livelock".to_owned(), message, location: None };
        Rounds { closure: closure.spin_detection(false), properties: [property] }
    }

    /// What it is that loops are a violation of.
    pub fn violation(&self) -> Violation {
        self.properties[0].violation()
    }

    /// The schedule of threads that go round for ever, if one is found within this many steps for each execution and while the
    /// meter allows.
    pub fn find(&self, steps: usize, meter: &Meter) -> Option<Schedule> {
        self.closure.settled(|_| {
            let mut random = Random::new(27);
            (0..=BEGINNINGS).find_map(|number| {
                let length = number * LONGEST_BEGINNING / BEGINNINGS;
                let beginning: Vec<usize> = (0..length).map(|_| random.word() as usize).collect();
                let mut choices = beginning.into_iter();
                self.find_after(steps, meter, |enabled| {
                    choices.next().map(|at| Move::from(enabled[at % enabled.len()]))
                })
            })
        })
    }

    /// The same after the moves of a schedule of another model of the closure, whose names its narrator knows.
    pub fn find_behind(&self, schedule: &Schedule, names: &Closure, steps: usize, meter: &Meter) -> Option<Schedule> {
        self.closure.settled(|_| {
            let mut moves = schedule.moves.iter();
            self.find_after(steps, meter, |enabled| {
                let next = moves.next()?;
                let name = names.actor_name(next.actor);
                let actor = enabled.iter().find(|&&actor| self.closure.actor_name(actor) == name)?;
                Some(Move { actor: *actor, outcome: next.outcome })
            })
        })
    }

    /// Takes a beginning, as far as it goes, and then lets threads take turns.
    fn find_after(
        &self,
        steps: usize,
        meter: &Meter,
        mut beginning: impl FnMut(&[ActorId]) -> Option<Move>,
    ) -> Option<Schedule> {
        let state = self.initial_states().into_iter().next()?;
        let (mut state, mut begun, mut enabled, mut step) = (state, Vec::new(), Vec::new(), Step::without_footprint());
        loop {
            enabled.clear();
            self.enabled(&state, &mut enabled);
            if enabled.is_empty() || meter.is_over() {
                return None;
            }
            let Some(next) = beginning(&enabled) else { break };
            step.take(self, &mut state, next);
            begun.push(next);
        }
        (1..=MOST_IN_A_ROW).find_map(|in_a_row| self.take_turns(state.clone(), begun.clone(), in_a_row, steps, meter))
    }

    /// Lets threads take turns until they go round for ever, or do not.
    fn take_turns(
        &self,
        mut state: State,
        mut moves: Vec<Move>,
        most_in_a_row: usize,
        steps: usize,
        meter: &Meter,
    ) -> Option<Schedule> {
        let begun = moves.len();
        let (mut enabled, mut step, mut last) = (Vec::new(), Step::without_footprint(), None::<(ActorId, usize)>);
        // When something was last seen from outside, with who had moved and how often in a row.
        let mut known: HashMap<(Fingerprint, ActorId, usize), usize> = HashMap::new();
        // How long the loop is that seems to be there, and since when.
        let (mut period, mut since) = (0, 0);
        for number in 0..steps {
            if meter.is_over() {
                return None;
            }
            enabled.clear();
            self.enabled(&state, &mut enabled);
            let again = last.filter(|(actor, in_a_row)| *in_a_row < most_in_a_row && enabled.contains(actor));
            let after = |last: ActorId| enabled.iter().copied().find(|&actor| actor > last);
            let (actor, in_a_row) = match (again, last) {
                (Some((actor, in_a_row)), _) => (actor, in_a_row + 1),
                (None, Some((last, _))) => (after(last).or(enabled.first().copied())?, 1),
                (None, None) => (*enabled.first()?, 1),
            };
            last = Some((actor, in_a_row));
            let next = Move { actor, outcome: Outcome::FIRST };
            step.take(self, &mut state, next);
            if !step.violations().is_empty() {
                return None;
            }
            moves.push(next);
            let key = (self.fingerprint(&state), actor, in_a_row);
            let distance = known.insert(key, number).map_or(0, |before| number - before);
            if distance == 0 || distance != period {
                (period, since) = (distance, number);
            } else if number - since >= ROUNDS * period {
                let from = begun + since + 1 - period;
                moves.truncate(from + period);
                let schedule = Schedule { lasso: Some(Lasso { from, ..Lasso::default() }), ..Schedule::new(0, moves) };
                return self.goes_round(&schedule).then(|| self.shortened(schedule, meter));
            }
        }
        None
    }

    /// Whether the loop of a schedule is one, fair and without progress, and is gone round this many times.
    fn goes_round(&self, schedule: &Schedule) -> bool {
        let Some(from) = schedule.lasso.as_ref().map(|lasso| lasso.from).filter(|&from| from < schedule.moves.len())
        else {
            return false;
        };
        if Lap::follow(self, schedule).is_none_or(|lap| lap.violated.is_empty()) {
            return false;
        }
        let Some(mut state) = self.initial_states().into_iter().next() else { return false };
        let (stem, round) = schedule.moves.split_at(from);
        let (mut enabled, mut step) = (Vec::new(), Step::without_footprint());
        let mut seen = Vec::new();
        for (number, &next) in stem.iter().chain(round.iter().cycle().take(ROUNDS * round.len())).enumerate() {
            enabled.clear();
            self.enabled(&state, &mut enabled);
            if !enabled.contains(&next.actor) {
                return false;
            }
            step.take(self, &mut state, next);
            let Some(at) = number.checked_sub(from) else { continue };
            let fingerprint = self.fingerprint(&state);
            match seen.get(at % round.len()).filter(|_| at >= round.len()) {
                Some(known) if *known != fingerprint => return false,
                Some(_) => {}
                None => seen.push(fingerprint),
            }
        }
        true
    }

    /// Leaves out steps as long as threads still go round.
    fn shortened(&self, mut schedule: Schedule, meter: &Meter) -> Schedule {
        let mut at = schedule.moves.len();
        while at > 0 && !meter.is_over() {
            at = (at - 1).min(schedule.moves.len() - 1);
            let mut shorter = schedule.clone();
            shorter.moves.remove(at);
            if let Some(lasso) = &mut shorter.lasso {
                lasso.from -= usize::from(at < lasso.from);
            }
            if self.goes_round(&shorter) {
                schedule = shorter;
            }
        }
        schedule
    }

    fn fingerprint(&self, state: &State) -> Fingerprint {
        let seen = self.closure.parked(|parked| {
            let live = self.closure.go_to(parked, state)?;
            Some(seen_from_outside(&live.exec))
        });
        Fingerprint(seen.unwrap_or(state.0.fingerprint))
    }
}

/// What can be seen of an execution: where threads stand, and what objects hold.
fn seen_from_outside(exec: &Exec) -> u128 {
    let mut sum = 0u128;
    let mut add = |id: u64, hash: u64| sum = sum.wrapping_add(mix(mix(0, id), hash));
    let hash = |what: &dyn Fn(&mut DefaultHasher)| {
        let mut hasher = DefaultHasher::new();
        what(&mut hasher);
        hasher.finish()
    };
    for actor in exec.actors.iter().filter(|actor| actor.status != Status::Ended) {
        let stands = hash(&|hasher| {
            (actor.status as u8).hash(hasher);
            if let Some(operation) = &actor.operation {
                let object = exec.objects.get(operation.object as usize).map(|object| object.id);
                (operation.verb as u8, object, operation.site).hash(hasher);
            }
        });
        add(u64::from(actor.id.0) << 1, stands);
    }
    let actor = |slot: u32| exec.actors[slot as usize].id;
    for object in &exec.objects {
        let holds = hash(&|hasher| {
            // An address says nothing.
            let bits = if object.shape == Shape::Pointer { 0 } else { object.bits };
            (object.holder.map(actor), object.readers, object.count, bits).hash(hasher);
            (object.is_closed, object.is_poisoned).hash(hasher);
            object.queue.iter().for_each(|&slot| actor(slot).hash(hasher));
        });
        add(u64::from(object.id.0) << 1 | 1, holds);
    }
    sum
}

impl System for Rounds {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        self.closure.initial_states()
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        self.closure.enabled(state, into);
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        self.closure.step(state, actor, step);
    }

    fn blocked(&self, state: &State, enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        self.closure.blocked(state, enabled, visit);
    }

    fn ending(&self, state: &State) -> Ending {
        self.closure.ending(state)
    }

    fn traits(&self) -> Traits {
        Traits { terminates: false, ..self.closure.traits() }
    }

    fn actor(&self, actor: ActorId) -> ActorKind {
        self.closure.actor(actor)
    }

    fn object(&self, object: ObjectId) -> Object {
        self.closure.object(object)
    }

    fn narrator(&self) -> &dyn Narrator<State> {
        &self.closure
    }

    fn insight(&self) -> &dyn Insight<State> {
        self
    }

    fn liveness(&self) -> &dyn Liveness<State> {
        self
    }
}

impl Insight<State> for Rounds {
    fn fingerprint(&self, state: &State) -> Fingerprint {
        self.fingerprint(state)
    }

    fn holder(&self, state: &State, object: ObjectId) -> Option<ActorId> {
        self.closure.holder(state, object)
    }

    fn unsupported(&self) -> Option<Violation> {
        self.closure.unsupported()
    }
}

impl Liveness<State> for Rounds {
    fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// Whether no thread can move any more: they have ended, or it is a deadlock.
    fn holds(&self, state: &State, _property: usize) -> bool {
        state.0.enabled.is_empty()
    }
}
