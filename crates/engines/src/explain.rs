//! Why a violation happens: the step after which it cannot be avoided any more.
//!
//! Going back from the end of the schedule, a search asks for each state whether the violation can still be avoided from
//! there ([`Avoidance`]). The *decisive* step is the last step before which it can. There are two cases. Either the step
//! has another outcome that avoids the violation. Or, since steps that do not conflict commute, there is a conflicting
//! step of another actor, and the violation is avoided if that step comes first; it may be part of the schedule or not.
//! If the decisive step is the last step of the schedule, an earlier race explains more, provided that its other order
//! avoids the violation as well; see `race.rs`. If two critical sections are in the wrong order, the explanation names
//! the conflicting accesses inside them, not the lock.

use crate::avoidance::{Avoidable, Avoidance};
use crate::race::{Replayed, accesses_that_race};
use mazurka_core::{
    Access, ActorId, ActorKind, Dependence, Explanation, Footprint, Found, Machine, Meter, Move, ObjectId, ObjectKind,
    Outcome, Race, Stepper, System, ViolationKind,
};

/// Longer schedules are not looked at state by state.
const LONGEST: usize = 5_000;
/// The most steps of another actor that are tried before a step.
const MOST_INSTEAD: usize = 200;

/// What makes a violation happen. `None` if that is not known, or was not found while `meter` allowed it.
pub fn explain<S: System>(system: &S, found: &Found, meter: &Meter) -> Option<Explanation> {
    if found.violation.kind == ViolationKind::Race {
        return accesses_that_race(system, found).map(Explanation::Race);
    }
    // What a schedule without end leaves out is told by those who follow its loop.
    if found.schedule.lasso.is_some() {
        return None;
    }
    let run = Replayed::of(system, found, meter)?;
    let moves = &found.schedule.moves;
    let last = moves.len().checked_sub(1)?;
    let mut avoidance = Avoidance::new(system, &found.violation, meter);
    // An event can happen at any time: what comes after a step of one hardly ever decides anything.
    let has_events = system.traits().events && moves.iter().any(|step| system.actor(step.actor) == ActorKind::Event);
    let symmetric = !matches!(
        found.violation.kind,
        ViolationKind::Assertion | ViolationKind::Invariant | ViolationKind::Deadlock | ViolationKind::Crash
    );
    let decisive = if has_events || symmetric || moves.len() > LONGEST {
        Decisive::Unknown
    } else {
        decisive(system, found, &mut avoidance)
    };
    let why = Why { system, run: &run, moves };
    let explanation = match decisive {
        Decisive::Always => return Some(Explanation::Always),
        Decisive::Unknown => {
            let avoidance = (!has_events && !symmetric).then_some(&mut avoidance);
            run.telling_race(system, found, avoidance, None, symmetric, meter).map(Explanation::Race)
        }
        Decisive::Step(step, state, path) => {
            let choice = why.other_outcome(step, &state, &mut avoidance);
            match choice.or_else(|| why.came_too_early(step, &state, path, &mut avoidance)) {
                Some(told @ (Explanation::Choice { .. } | Explanation::Race(_))) => Some(told),
                // A race of two steps that happened tells more than one with a step that did not.
                early => {
                    let second = (early.is_some() && step != last).then_some(step);
                    let race = run.telling_race(system, found, Some(&mut avoidance), second, false, meter);
                    race.map(Explanation::Race).or(early)
                }
            }
        }
    };
    explanation.map(|explanation| why.within_sections(found, explanation))
}

enum Decisive<State> {
    /// The violation can be avoided before this step, and not after it: with the state before it, and with moves from
    /// there that avoid it.
    Step(usize, State, Vec<Move>),
    /// It cannot be avoided at all.
    Always,
    Unknown,
}

fn decisive<S: System>(system: &S, found: &Found, avoidance: &mut Avoidance<'_, S>) -> Decisive<S::State> {
    let Some(state) = system.initial_states().into_iter().nth(found.schedule.start) else { return Decisive::Unknown };
    let mut stepper = Stepper::new(system, state);
    let mut states = Vec::with_capacity(found.schedule.moves.len());
    for &step in &found.schedule.moves {
        states.push(stepper.mark());
        if stepper.try_step(step).is_none() {
            return Decisive::Unknown;
        }
    }
    for (step, state) in states.into_iter().enumerate().rev() {
        match avoidance.from(&state) {
            Avoidable::Yes(path) => return Decisive::Step(step, state, path),
            Avoidable::No => {}
            Avoidable::Unknown => return Decisive::Unknown,
        }
    }
    if system.initial_states().len() == 1 { Decisive::Always } else { Decisive::Unknown }
}

struct Why<'a, S: System> {
    system: &'a S,
    run: &'a Replayed,
    moves: &'a [Move],
}

impl<S: System> Why<'_, S> {
    fn footprint(&self, step: usize) -> &Footprint {
        &self.run.footprints[step].1
    }

    /// Another outcome of a step that had a choice.
    fn other_outcome(&self, step: usize, state: &S::State, avoidance: &mut Avoidance<'_, S>) -> Option<Explanation> {
        let taken = self.moves[step];
        let mut next = Some(Outcome::FIRST);
        let mut tried = 0;
        while let Some(outcome) = next.filter(|_| tried < MOST_INSTEAD) {
            tried += 1;
            let mut stepper = Stepper::new(self.system, state.clone());
            let record = stepper.step(Move { outcome, ..taken });
            next = record.next_outcome;
            let met = avoidance.is_met(&record.violations);
            let text = |outcome| self.system.narrator().describe(state, taken.actor, outcome).text;
            // An outcome that cannot be seen is no answer.
            let is_other = outcome != taken.outcome && text(outcome) != text(taken.outcome);
            if is_other && !met && matches!(avoidance.from(stepper.state()), Avoidable::Yes(_)) {
                return Some(Explanation::Choice { step, instead: outcome });
            }
        }
        None
    }

    /// A conflicting step of another actor that would have avoided the violation by coming before this one.
    fn came_too_early(
        &self,
        step: usize,
        state: &S::State,
        avoiding: Vec<Move>,
        avoidance: &mut Avoidance<'_, S>,
    ) -> Option<Explanation> {
        let me = self.moves[step].actor;
        let soon = self.moves[step + 1..].iter().map(|step| step.actor);
        let others = Stepper::new(self.system, state.clone()).enabled().to_vec();
        let mut tried = vec![me];
        for actor in soon.chain(others) {
            if tried.contains(&actor) {
                continue;
            }
            tried.push(actor);
            let own = self.moves[step + 1..].iter().filter(|step| step.actor == actor).copied();
            let moves = own.chain(std::iter::repeat(Move { actor, outcome: Outcome::FIRST }));
            let moves: Vec<Move> = moves.take(MOST_INSTEAD).collect();
            if let Some((instead, object)) = self.up_to_conflict(step, state, &moves, Some(avoidance)) {
                return Some(self.pair(step, instead, object));
            }
        }
        let (instead, object) = self.up_to_conflict(step, state, &avoiding, None)?;
        Some(self.pair(step, instead, object))
    }

    /// Takes moves up to the first one of another actor that conflicts with a step and, if that is asked, after which
    /// the step itself leads to where the violation can be avoided.
    fn up_to_conflict(
        &self,
        step: usize,
        state: &S::State,
        moves: &[Move],
        mut avoidance: Option<&mut Avoidance<'_, S>>,
    ) -> Option<(Vec<Move>, ObjectId)> {
        let mut stepper = Stepper::new(self.system, state.clone());
        for (count, &next) in (1..).zip(moves) {
            let footprint = stepper.try_step(next)?.footprint.clone();
            if next.actor == self.moves[step].actor {
                continue;
            }
            let Some(object) = self.conflict(self.footprint(step), &footprint) else { continue };
            let avoids = avoidance.as_deref_mut().is_none_or(|avoidance| {
                let mut after = stepper.clone();
                let met = after.try_step(self.moves[step]).is_some_and(|record| avoidance.is_met(&record.violations));
                !met && matches!(avoidance.from(after.state()), Avoidable::Yes(_))
            });
            if avoids {
                return Some((moves[..count].to_vec(), object));
            }
        }
        None
    }

    /// The most telling object on which two footprints conflict.
    fn conflict(&self, one: &Footprint, other: &Footprint) -> Option<ObjectId> {
        Dependence::default().common(one, other).min_by_key(|&object| (self.system.object(object).kind, object))
    }

    /// The step and the last of the moves that should have come before it: as a race where that one is part of the schedule.
    fn pair(&self, step: usize, instead: Vec<Move>, object: ObjectId) -> Explanation {
        let actor = instead.last().map(|last| last.actor);
        let number = instead.iter().filter(|other| Some(other.actor) == actor).count();
        let mut rows = (step + 1..self.moves.len()).filter(|&row| Some(self.moves[row].actor) == actor);
        let same = rows.nth(number.saturating_sub(1));
        match same.and_then(|second| Some((second, self.conflict(self.footprint(step), self.footprint(second))?))) {
            Some((second, object)) => Explanation::Race(Race { first: step, second, object }),
            None => Explanation::Early { step, after: step, instead, object },
        }
    }

    /// Where two steps acquire one lock, the steps under the lock that conflict.
    fn within_sections(&self, found: &Found, explanation: Explanation) -> Explanation {
        match explanation {
            Explanation::Race(race) if self.is_lock(race.object) => {
                let (one, other) = (self.section(race.first, race.object), self.section(race.second, race.object));
                let footprint = |row: usize| (row, self.footprint(row));
                let pair = self.telling_pair(
                    one.into_iter().map(footprint),
                    &other.into_iter().map(footprint).collect::<Vec<_>>(),
                );
                let told = pair.map(|(first, second, object)| Race { first, second, object });
                Explanation::Race(told.unwrap_or(race))
            }
            Explanation::Early { step, after, instead, object } if self.is_lock(object) => self
                .early_within(found, step, &instead, object)
                .unwrap_or(Explanation::Early { step, after, instead, object }),
            other => other,
        }
    }

    /// The same for a step that is not part of the schedule: its actor continues until it releases the lock.
    fn early_within(&self, found: &Found, step: usize, instead: &[Move], lock: ObjectId) -> Option<Explanation> {
        let start = self.system.initial_states().into_iter().nth(found.schedule.start)?;
        let mut stepper = Stepper::new(self.system, start);
        for &step in self.moves[..step].iter().chain(instead) {
            stepper.try_step(step)?;
        }
        let mut moves = instead.to_vec();
        let next = Move { actor: moves.last()?.actor, outcome: Outcome::FIRST };
        let mut section: Vec<(usize, Footprint)> = Vec::new();
        while moves.len() < MOST_INSTEAD {
            let Some(record) = stepper.try_step(next) else { break };
            moves.push(next);
            section.push((moves.len(), record.footprint.clone()));
            if releases(&record.footprint, lock) {
                break;
            }
        }
        let mine = self.section(step, lock).into_iter().map(|row| (row, self.footprint(row)));
        let theirs: Vec<(usize, &Footprint)> = section.iter().map(|(length, footprint)| (*length, footprint)).collect();
        let (within, length, object) = self.telling_pair(mine, &theirs)?;
        moves.truncate(length);
        Some(Explanation::Early { step: within, after: step, instead: moves, object })
    }

    fn is_lock(&self, object: ObjectId) -> bool {
        self.system.object(object).kind == ObjectKind::Lock
    }

    /// The steps of an actor from the one that acquires a lock to the one that releases it.
    fn section(&self, from: usize, lock: ObjectId) -> Vec<usize> {
        let actor: ActorId = self.moves[from].actor;
        let mut section = Vec::new();
        for row in (from + 1..self.moves.len()).filter(|&row| self.moves[row].actor == actor) {
            section.push(row);
            if releases(self.footprint(row), lock) {
                break;
            }
        }
        section
    }

    /// Of two critical sections the two steps whose conflict tells most: the last one of the first section with the
    /// first one of the second.
    fn telling_pair<'f>(
        &self,
        one: impl Iterator<Item = (usize, &'f Footprint)>,
        other: &[(usize, &'f Footprint)],
    ) -> Option<(usize, usize, ObjectId)> {
        let mut best: Option<(ObjectKind, std::cmp::Reverse<usize>, usize, ObjectId)> = None;
        for (first, footprint) in one {
            for &(second, theirs) in other {
                for object in Dependence::default().common(footprint, theirs) {
                    let kind = self.system.object(object).kind;
                    if matches!(kind, ObjectKind::Signal | ObjectKind::Variable) {
                        let candidate = (kind, std::cmp::Reverse(first), second, object);
                        best = Some(best.map_or(candidate, |best| best.min(candidate)));
                    }
                }
            }
        }
        best.map(|(_, first, second, object)| (first.0, second, object))
    }
}

fn releases(footprint: &Footprint, lock: ObjectId) -> bool {
    footprint.access(lock).is_some_and(|access| access.contains(Access::RELEASE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::{Counters, Dice, Locks, LostUpdate, Ring, schedule};
    use mazurka_core::Violation;

    fn why<S: System>(system: &S, actors: &[u32]) -> Option<Explanation> {
        let schedule = schedule(actors);
        let (_, mut violations) = Stepper::replay(system, &schedule)?;
        let nothing = Violation::new(ViolationKind::Assertion, "nothing");
        let meter = Meter::start(&mazurka_core::Budget::default());
        explain(system, &Found { violation: violations.pop().unwrap_or(nothing), schedule }, &meter)
    }

    fn race(first: usize, second: usize, object: u32) -> Option<Explanation> {
        Some(Explanation::Race(Race { first, second, object: ObjectId(object) }))
    }

    #[test]
    fn an_update_is_lost_from_the_second_read_on() {
        let system = LostUpdate { bystanders: 1 };
        // The two writes race as well, but in the other order the sum is wrong too.
        assert_eq!(why(&system, &[0, 1, 0, 1, 2]), race(1, 2, 0));
        assert_eq!(why(&system, &[1, 3, 0, 3, 1, 0, 2]), race(2, 4, 0));
    }

    #[test]
    fn a_choice_that_cannot_be_seen_is_no_answer() {
        assert_eq!(why(&Dice { sides: 4 }, &[0, 1]), None);
    }

    #[test]
    fn locks_in_opposite_orders_were_taken_too_early() {
        // The second thread took its first lock before the first one came to its second.
        let instead = vec![ActorId(0).into()];
        let object = ObjectId(1);
        let early = Explanation::Early { step: 1, after: 1, instead, object };
        assert_eq!(why(&Locks { bystanders: 0 }, &[0, 1]), Some(early));
    }

    #[test]
    fn what_does_not_occur_is_not_explained() {
        assert_eq!(why(&Counters { actors: 3, steps: 2, shared: false }, &[0, 1, 2, 0, 1, 2]), None);
        assert_eq!(why(&Ring { size: 5, starts: vec![3] }, &[]), None);
    }
}
