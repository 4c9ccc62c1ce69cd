//! Finds the race behind a violation: two steps of its schedule whose order could have been the other one.
//!
//! Two steps race if they conflict, nothing orders them but that conflict, and the later one could have been taken
//! before the earlier one. Of all races that the violation depends on, the telling one is a race whose other order
//! avoids the violation.

use mazurka_core::{
    ActorId, Dependence, Ending, Footprint, Found, HappensBefore, Machine, Meter, Move, ObjectId, Race, Stepper,
    System, ToldAccesses, Violation, ViolationKind,
};

/// Races are tried from the last one back, at most so many: each costs a replay.
const MOST_TRIED: usize = 500;

/// The race that explains a violation best: one whose other order avoids the violation, if there is one; the one with
/// the latest second step among several, and with the latest first step among those. `None` if there is no race, or none
/// was found while `meter` allowed it.
pub fn explain_race<S: System>(system: &S, found: &Found, meter: &Meter) -> Option<Race> {
    let last = found.schedule.moves.len().checked_sub(1)?;
    if found.violation.kind == ViolationKind::Race {
        let first = last.checked_sub(1)?;
        return Some(Race { first, second: last, object: racing_variable(system, found)? });
    }
    let run = Run::of(system, found, meter)?;
    let matters =
        |step: usize| step == last || found.violation.kind == ViolationKind::Deadlock || run.order.before(step, last);
    let mut second_best = None;
    let in_time = |_: &usize| !meter.is_over();
    let seconds = || (1..=last).rev().take_while(in_time).filter(|&second| matters(second));
    let close = seconds().flat_map(|second| run.conflicts_before(second, true, meter));
    let races = close.chain(seconds().flat_map(|second| run.conflicts_before(second, false, meter)));
    for race in races.take(MOST_TRIED).take_while(|_| !meter.is_over()) {
        match run.reversed(system, found, &race) {
            Reversed::Impossible => {}
            Reversed::Avoids => return Some(race),
            Reversed::Repeats => second_best = second_best.or(Some(race)),
        }
    }
    second_best
}

/// The variable of a data race, whose schedule ends with the two accesses.
fn racing_variable<S: System>(system: &S, found: &Found) -> Option<ObjectId> {
    let mut stepper = at_start(system, found)?.telling_accesses(true);
    let mut before = None;
    let mut variable = None;
    for &step in &found.schedule.moves {
        let accesses = stepper.try_step(step)?.accesses.clone()?;
        let is_it = |(_, violation): &(ObjectId, Violation)| violation.same_site(&found.violation);
        variable = before.and_then(|before: Box<ToldAccesses>| before.races_with(&accesses).find(is_it));
        before = Some(accesses);
    }
    variable.map(|(object, _)| object)
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

/// A schedule that was run, with the order that it imposes.
struct Run {
    footprints: Vec<(ActorId, Footprint)>,
    order: HappensBefore,
}

impl Run {
    fn of<S: System>(system: &S, found: &Found, meter: &Meter) -> Option<Run> {
        let mut stepper = at_start(system, found)?;
        let mut run = Run { footprints: Vec::new(), order: HappensBefore::new(Dependence::default()) };
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

    /// The earlier steps of other actors that conflict with a step, the latest first: with nothing between the two
    /// (`adjacent`), or with further steps of the earlier actor between them, such as those up to giving a mutex back.
    fn conflicts_before<'r>(
        &'r self,
        second: usize,
        adjacent: bool,
        meter: &'r Meter,
    ) -> impl Iterator<Item = Race> + 'r {
        (0..second).rev().take_while(|_| !meter.is_over()).filter_map(move |first| {
            let object = self.conflict(first, second)?;
            let between = |step: &usize| self.order.before(first, *step) && self.order.before(*step, second);
            let is_own = |step: usize| self.order.actor(step) == self.order.actor(first);
            let mut ordering = (first + 1..second).filter(between).peekable();
            let fits = ordering.peek().is_none() == adjacent && ordering.all(is_own);
            fits.then_some(Race { first, second, object })
        })
    }

    fn conflict(&self, first: usize, second: usize) -> Option<ObjectId> {
        let ((one, before), (other, after)) = (&self.footprints[first], &self.footprints[second]);
        if one == other { None } else { Dependence::default().common(before, after).next() }
    }

    /// Takes the later step of a race before the earlier one, then whatever of the schedule is still possible.
    fn reversed<S: System>(&self, system: &S, found: &Found, race: &Race) -> Reversed {
        let moves = &found.schedule.moves;
        let between = race.first + 1..race.second;
        let (after, beside): (Vec<usize>, Vec<usize>) = between.partition(|&step| self.order.before(race.first, step));
        let prefix = (0..race.first).chain(beside);
        let Some(mut stepper) = at_start(system, found) else { return Reversed::Impossible };
        let mut occurs = false;
        for step in prefix.chain([race.second]) {
            let Some(record) = stepper.try_step(moves[step]) else { return Reversed::Impossible };
            occurs |= record.violations.iter().any(|violation| violation.same_site(&found.violation));
        }
        let rest = [race.first].into_iter().chain(after).chain(race.second + 1..moves.len());
        occurs = occurs || occurs_along(stepper, rest.map(|step| moves[step]), found);
        if occurs { Reversed::Repeats } else { Reversed::Avoids }
    }
}

fn at_start<'s, S: System>(system: &'s S, found: &Found) -> Option<Stepper<'s, S>> {
    Some(Stepper::new(system, system.initial_states().into_iter().nth(found.schedule.start)?))
}

/// Takes those moves that are possible, and says whether the violation occurs on the way or at the end.
fn occurs_along<S: System>(mut stepper: Stepper<'_, S>, moves: impl Iterator<Item = Move>, found: &Found) -> bool {
    let wanted = &found.violation;
    for step in moves {
        if stepper.enabled().contains(&step.actor)
            && stepper.step(step).violations.iter().any(|violation| violation.same_site(wanted))
        {
            return true;
        }
    }
    matches!(stepper.ending(), Ending::Deadlock(violation) if stepper.enabled().is_empty() && violation.same_site(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::{Counters, Dice, Locks, LostUpdate, Ring, schedule};

    fn race<S: System>(system: &S, actors: &[u32]) -> Option<Race> {
        let schedule = schedule(actors);
        let (_, mut violations) = Stepper::replay(system, &schedule)?;
        let nothing = Violation::new(ViolationKind::Assertion, "nothing");
        let meter = Meter::start(&mazurka_core::Budget::default());
        explain_race(system, &Found { violation: violations.pop().unwrap_or(nothing), schedule }, &meter)
    }

    #[test]
    fn the_race_is_the_one_whose_other_order_avoids_the_violation() {
        let system = LostUpdate { bystanders: 1 };
        // The two writes race as well, but in the other order the sum is wrong too.
        let x = ObjectId(0);
        assert_eq!(race(&system, &[0, 1, 0, 1, 2]), Some(Race { first: 1, second: 2, object: x }));
        assert_eq!(race(&system, &[1, 3, 0, 3, 1, 0, 2]), Some(Race { first: 2, second: 4, object: x }));
    }

    #[test]
    fn a_race_that_changes_nothing_is_better_than_none() {
        let object = ObjectId(0);
        assert_eq!(race(&Dice { sides: 4 }, &[0, 1]), Some(Race { first: 0, second: 1, object }));
    }

    #[test]
    fn without_conflicts_there_is_no_race() {
        assert_eq!(race(&Counters { actors: 3, steps: 2, shared: false }, &[0, 1, 2, 0, 1, 2]), None);
        // Each thread took another lock: it is what they wait for that conflicts.
        assert_eq!(race(&Locks { bystanders: 0 }, &[0, 1]), None);
        assert_eq!(race(&Ring { size: 5, starts: vec![3] }, &[]), None);
    }
}
