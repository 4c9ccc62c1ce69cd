//! Finds the race behind a violation: two steps of its schedule whose order could have been the other one.
//!
//! Two steps race if they conflict, nothing orders them but that conflict, and the later one could have been taken
//! before the earlier one. Of all races that the violation depends on, the telling one is a race whose other order
//! avoids the violation: the schedule does not come to it any more, and neither does every way to go on from there.

use crate::avoidance::{Avoidable, Avoidance};
use mazurka_core::{
    Access, ActorId, Dependence, Ending, Footprint, Found, HappensBefore, Machine, Meter, ObjectId, ObjectKind, Race,
    Schedule, Stepper, System, ToldAccesses, Violation, ViolationKind,
};

/// The most races that are tried, from the last one back: each costs a replay.
const MOST_TRIED: usize = 500;

/// The two accesses of a data race: its schedule ends with them.
pub(crate) fn accesses_that_race<S: System>(system: &S, found: &Found) -> Option<Race> {
    let mut stepper = at_start(system, found)?.telling_accesses(true);
    let mut before = None;
    let mut variable = None;
    for &step in &found.schedule.moves {
        let accesses = stepper.try_step(step)?.accesses.clone()?;
        let is_it = |(_, violation): &(ObjectId, Violation)| violation.same_site(&found.violation);
        variable = before.and_then(|before: Box<ToldAccesses>| before.races_with(&accesses).find(is_it));
        before = Some(accesses);
    }
    let second = found.schedule.moves.len().checked_sub(1)?;
    Some(Race { first: second.checked_sub(1)?, second, object: variable?.0 })
}

/// What happens when two steps are taken in the other order.
enum Reversed {
    /// The later one cannot be taken before the earlier one.
    Impossible,
    /// The violation does not occur.
    Avoids,
    /// The violation occurs all the same.
    Repeats,
}

/// The schedule with the later one of two steps before the earlier one, and after that whatever of the rest is still
/// possible. `None` if they do not race: if something besides their conflict orders them, or the later one cannot be taken
/// before the earlier one.
pub fn reverse_race<S: System>(system: &S, schedule: &Schedule, first: usize, second: usize) -> Option<Schedule> {
    let moves = &schedule.moves;
    if first >= second || second >= moves.len() || moves[first].actor == moves[second].actor {
        return None;
    }
    let mut order = HappensBefore::new(Dependence::default());
    let start = system.initial_states().into_iter().nth(schedule.start)?;
    let mut stepper = Stepper::new(system, start.clone());
    for &step in moves {
        let footprint = &stepper.try_step(step)?.footprint;
        order.push(step.actor, footprint);
    }
    // Between the two there may be further steps of the earlier actor, such as those up to the release of a mutex.
    let is_between = |&step: &usize| order.before(first, step) && order.before(step, second);
    let only_own = (first + 1..second).filter(is_between).all(|step| moves[step].actor == moves[first].actor);
    if !order.before(first, second) || !only_own {
        return None;
    }
    let (after, beside): (Vec<usize>, Vec<usize>) = (first + 1..second).partition(|&step| order.before(first, step));
    let mut stepper = Stepper::new(system, start);
    let mut reversed = Vec::with_capacity(moves.len());
    for step in (0..first).chain(beside).chain([second]) {
        stepper.try_step(moves[step])?;
        reversed.push(moves[step]);
    }
    for step in [first].into_iter().chain(after).chain(second + 1..moves.len()) {
        let mark = stepper.mark();
        if stepper.enabled().contains(&moves[step].actor) {
            match stepper.try_step(moves[step]) {
                Some(_) => reversed.push(moves[step]),
                None => stepper.rewind(&mark),
            }
        }
    }
    Some(Schedule::new(schedule.start, reversed))
}

/// A schedule that was run, with the order that it imposes.
pub(crate) struct Replayed {
    pub(crate) footprints: Vec<(ActorId, Footprint)>,
    order: HappensBefore,
}

impl Replayed {
    pub(crate) fn of<S: System>(system: &S, found: &Found, meter: &Meter) -> Option<Replayed> {
        let mut stepper = at_start(system, found)?;
        let mut run = Replayed { footprints: Vec::new(), order: HappensBefore::new(Dependence::default()) };
        for &step in &found.schedule.moves {
            if meter.is_over() {
                return None;
            }
            let footprint = stepper.try_step(step)?.footprint.clone();
            run.order.push(step.actor, &footprint);
            run.footprints.push((step.actor, footprint));
        }
        Some(run)
    }

    /// A race whose other order avoids the violation; the one with the latest second step among several, and with the latest
    /// first step among those. Only races with this `second` step count, if there is one. If there is none, a race whose
    /// other order does not avoid the violation, where that is `good_enough`.
    pub(crate) fn telling_race<S: System>(
        &self,
        system: &S,
        found: &Found,
        mut avoidance: Option<&mut Avoidance<'_, S>>,
        second: Option<usize>,
        good_enough: bool,
        meter: &Meter,
    ) -> Option<Race> {
        let last = found.schedule.moves.len().checked_sub(1)?;
        let is_deadlock = found.violation.kind == ViolationKind::Deadlock;
        let matters = |step: usize| match second {
            Some(second) => step == second,
            None => step == last || is_deadlock || self.order.before(step, last),
        };
        let mut second_best = None;
        let in_time = |_: &usize| !meter.is_over();
        let seconds = || (1..=last).rev().take_while(in_time).filter(|&second| matters(second));
        let close = seconds().flat_map(|second| self.conflicts_before(system, second, true, meter));
        let races = close.chain(seconds().flat_map(|second| self.conflicts_before(system, second, false, meter)));
        for race in races.take(MOST_TRIED).take_while(|_| !meter.is_over()) {
            match self.reversed(system, found, &race, avoidance.as_deref_mut()) {
                Reversed::Impossible => {}
                Reversed::Avoids => return Some(race),
                Reversed::Repeats => second_best = second_best.or(Some(race)),
            }
        }
        second_best.filter(|_| good_enough)
    }

    /// The earlier steps of other actors that conflict with a step, the latest first: with nothing between the two
    /// (`adjacent`), or with further steps of the earlier actor between them, such as those up to the release of a
    /// mutex.
    fn conflicts_before<S: System>(
        &self,
        system: &S,
        second: usize,
        adjacent: bool,
        meter: &Meter,
    ) -> impl Iterator<Item = Race> {
        (0..second).rev().take_while(|_| !meter.is_over()).filter_map(move |first| {
            let object = self.conflict(system, first, second)?;
            let between = |step: &usize| self.order.before(first, *step) && self.order.before(*step, second);
            let is_own = |step: usize| self.order.actor(step) == self.order.actor(first);
            let mut ordering = (first + 1..second).filter(between).peekable();
            let fits = ordering.peek().is_none() == adjacent && ordering.all(is_own);
            fits.then_some(Race { first, second, object })
        })
    }

    fn conflict<S: System>(&self, system: &S, first: usize, second: usize) -> Option<ObjectId> {
        let ((one, before), (other, after)) = (&self.footprints[first], &self.footprints[second]);
        let common = Dependence::default().common(before, after).filter(|_| one != other);
        // Which variable they touch says more than that they touch an invariant, and a value that one of them reads
        // says more than one that both write.
        let reads = |footprint: &Footprint, object| {
            footprint.access(object).is_some_and(|access| access.contains(Access::READ))
        };
        common.min_by_key(|&object| {
            let is_invariant = system.object(object).kind == ObjectKind::Invariant;
            (is_invariant, !reads(after, object), !reads(before, object), object)
        })
    }

    /// Takes the later step of a race before the earlier one, then whatever of the schedule is still possible.
    fn reversed<S: System>(
        &self,
        system: &S,
        found: &Found,
        race: &Race,
        avoidance: Option<&mut Avoidance<'_, S>>,
    ) -> Reversed {
        let is_met = |violations: &[Violation]| violations.iter().any(|met| met.same_site(&found.violation));
        let moves = &found.schedule.moves;
        let between = race.first + 1..race.second;
        let (after, beside): (Vec<usize>, Vec<usize>) = between.partition(|&step| self.order.before(race.first, step));
        let prefix = (0..race.first).chain(beside);
        let Some(mut stepper) = at_start(system, found) else { return Reversed::Impossible };
        let mut occurs = false;
        for step in prefix.chain([race.second]) {
            let Some(record) = stepper.try_step(moves[step]) else { return Reversed::Impossible };
            occurs |= is_met(&record.violations);
        }
        let rest = [race.first].into_iter().chain(after).chain(race.second + 1..moves.len());
        for step in rest.map(|step| moves[step]) {
            if stepper.enabled().contains(&step.actor) {
                occurs |= is_met(&stepper.step(step).violations);
            }
        }
        let is_deadlocked = || stepper.enabled().is_empty() && matches!(stepper.ending(), Ending::Deadlock(_));
        let follows = || match avoidance {
            Some(avoidance) => matches!(avoidance.from(stepper.state()), Avoidable::No),
            None => found.violation.kind == ViolationKind::Deadlock && is_deadlocked(),
        };
        if occurs || follows() { Reversed::Repeats } else { Reversed::Avoids }
    }
}

fn at_start<'s, S: System>(system: &'s S, found: &Found) -> Option<Stepper<'s, S>> {
    Some(Stepper::new(system, system.initial_states().into_iter().nth(found.schedule.start)?))
}
