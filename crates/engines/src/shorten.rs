//! Makes the schedule of a violation as short as it can, so that a person sees what matters.
//!
//! First the fewest steps, then the fewest switches between actors. A candidate is a schedule with something left out or
//! moved; it is run from the start, moves that are not possible are left out of it, and it ends where the violation
//! occurs. It takes the place of the best one so far if the violation does occur and the candidate is better. Steps are
//! left out in the manner of delta debugging (Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing
//! Input*, 2002): halves, then quarters, down to single steps.
//!
//! The result is a local optimum: no single actor, no single step can be left out of it, and no two runs of one actor
//! can be joined by moving one to the other, provided that the number of replays sufficed.

use mazurka_core::{
    ActorId, Ending, Found, Machine, Meter, Move, Schedule, Stepper, System, ToldAccesses, Violation, ViolationKind,
};
use std::ops::Range;

/// The most steps that are replayed: of a long schedule not everything can be tried.
const MOST_STEPS: usize = 10_000_000;

/// Shortens the schedule of a violation, with at most this many replays and while `meter` allows. The result shows a
/// violation of the same kind at the same place, at its end; it is the given one if nothing better was found.
pub fn shorten<S: System>(system: &S, found: &Found, budget_replays: usize, meter: &Meter) -> Found {
    // A lasso is short already: its stem is the shortest way to its loop.
    if found.schedule.lasso.is_some() {
        return found.clone();
    }
    let mut search =
        Shortening { system, best: found.clone(), replays_left: budget_replays, steps_left: MOST_STEPS, meter };
    search.attempt(found.schedule.moves.clone());
    loop {
        let before = cost(&search.best.schedule.moves);
        search.leave_out_actors();
        search.leave_out_chunks();
        search.join_runs();
        if cost(&search.best.schedule.moves) == before || search.replays_left == 0 {
            return search.best;
        }
    }
}

/// What is to become smaller: steps, then switches.
fn cost(moves: &[Move]) -> (usize, usize) {
    (moves.len(), runs(moves).len())
}

/// The stretches of a schedule in which one actor moves.
fn runs(moves: &[Move]) -> Vec<Range<usize>> {
    let mut start = 0;
    moves
        .chunk_by(|one, other| one.actor == other.actor)
        .map(|run| {
            start += run.len();
            start - run.len()..start
        })
        .collect()
}

struct Shortening<'s, S: System> {
    system: &'s S,
    best: Found,
    /// None once there is no time left.
    replays_left: usize,
    steps_left: usize,
    meter: &'s Meter,
}

impl<S: System> Shortening<'_, S> {
    fn moves(&self) -> &[Move] {
        &self.best.schedule.moves
    }

    /// Runs a candidate; true if it is better and has taken the place of the best one.
    fn attempt(&mut self, candidate: Vec<Move>) -> bool {
        if self.replays_left == 0 || self.meter.is_over() || self.steps_left < candidate.len() {
            self.replays_left = 0;
            return false;
        }
        self.replays_left -= 1;
        self.steps_left -= candidate.len();
        match run(self.system, self.best.schedule.start, &candidate, &self.best.violation, self.meter) {
            Some(better) if cost(&better.schedule.moves) < cost(self.moves()) => {
                self.best = better;
                true
            }
            _ => false,
        }
    }

    /// Leaves out all steps of one actor, of each in turn.
    fn leave_out_actors(&mut self) {
        let mut actors: Vec<ActorId> = self.moves().iter().map(|step| step.actor).collect();
        actors.sort_unstable();
        actors.dedup();
        for actor in actors {
            if self.replays_left == 0 {
                return;
            }
            self.attempt(self.moves().iter().copied().filter(|step| step.actor != actor).collect());
        }
    }

    /// Leaves out chunks, from halves down to single steps, the later ones first: they are the likelier to be too many.
    fn leave_out_chunks(&mut self) {
        let mut size = self.moves().len() / 2;
        while size > 0 && self.replays_left > 0 {
            let mut end = self.moves().len();
            let mut left_out = false;
            while end > 0 && self.replays_left > 0 {
                let start = end.saturating_sub(size);
                let candidate = [&self.moves()[..start], &self.moves()[end..]].concat();
                left_out |= self.attempt(candidate);
                end = start.min(self.moves().len());
            }
            // What was left out may have made something before it superfluous.
            if !left_out || size > 1 {
                size /= 2;
            }
        }
    }

    /// Moves a run to an earlier or a later run of the same actor, as long as that helps.
    fn join_runs(&mut self) {
        'again: while self.replays_left > 0 {
            let runs = runs(self.moves());
            for (index, earlier) in runs.iter().enumerate() {
                if self.replays_left == 0 || self.meter.is_over() {
                    return;
                }
                let actor = self.moves()[earlier.start].actor;
                let Some(later) = runs[index + 1..].iter().find(|run| self.moves()[run.start].actor == actor) else {
                    continue;
                };
                let (head, tail) = (&self.moves()[..earlier.start], &self.moves()[later.end..]);
                let (one, other) = (&self.moves()[earlier.clone()], &self.moves()[later.clone()]);
                let between = &self.moves()[earlier.end..later.start];
                let forward = [head, one, other, between, tail].concat();
                let backward = [head, between, one, other, tail].concat();
                if self.attempt(forward) || self.attempt(backward) {
                    continue 'again;
                }
            }
            return;
        }
    }
}

/// Runs a schedule, leaving out moves that are not possible, up to where the violation occurs.
fn run<S: System>(system: &S, start: usize, moves: &[Move], wanted: &Violation, meter: &Meter) -> Option<Found> {
    let state = system.initial_states().into_iter().nth(start)?;
    let mut violations = Vec::new();
    system.insight().violations_at_start(&state, &mut violations);
    let mut stepper = Stepper::new(system, state).telling_accesses(wanted.kind == ViolationKind::Race);
    let mut before: Option<Box<ToldAccesses>> = None;
    let mut taken = Vec::with_capacity(moves.len());
    let mut waiting = moves.iter();
    loop {
        if stepper.enabled().is_empty()
            && let Ending::Deadlock(violation) = stepper.ending()
        {
            violations.push(*violation);
        }
        if let Some(violation) = violations.drain(..).find(|violation| violation.same_site(wanted)) {
            return Some(Found { violation, schedule: Schedule::new(start, taken) });
        }
        if meter.is_over() {
            return None;
        }
        let step = *waiting.find(|step| stepper.enabled().contains(&step.actor))?;
        let record = stepper.try_step(step)?;
        violations.extend_from_slice(&record.violations);
        if let Some(accesses) = &record.accesses {
            let races = before.iter().flat_map(|before| before.races_with(accesses));
            violations.extend(races.map(|(_, violation)| violation));
            before = Some(accesses.clone());
        }
        taken.push(step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::{Chain, Locks, LostUpdate, Ring, actors, schedule};
    use crate::shared::ledger::occurs;
    use mazurka_core::{Budget, ViolationKind};

    fn unlimited() -> Meter {
        Meter::start(&Budget::default())
    }

    #[test]
    fn without_time_nothing_is_tried() -> Result<(), &'static str> {
        let system = LostUpdate { bystanders: 3 };
        let long = found(&system, &[3, 0, 4, 5, 1, 3, 0, 5, 1, 4, 2]).ok_or("no violation")?;
        let budget = Budget::default();
        budget.cancel.cancel();
        assert_eq!(shorten(&system, &long, 1000, &Meter::start(&budget)), long);
        Ok(())
    }

    /// The violation at the end of a schedule.
    fn found<S: System>(system: &S, actors: &[u32]) -> Option<Found> {
        let schedule = schedule(actors);
        let (_, mut violations) = Stepper::replay(system, &schedule)?;
        Some(Found { violation: violations.pop()?, schedule })
    }

    #[test]
    fn bystanders_are_left_out_and_runs_are_joined() -> Result<(), &'static str> {
        let system = LostUpdate { bystanders: 3 };
        let long = found(&system, &[3, 0, 4, 5, 1, 3, 0, 5, 1, 4, 2]).ok_or("no violation")?;
        let short = shorten(&system, &long, 1000, &unlimited());
        assert_eq!(actors(&short), [1, 0, 0, 1, 2]);
        assert!(occurs(&system, &short));
        // Without replays there is nothing to be done.
        assert_eq!(shorten(&system, &long, 0, &unlimited()), long);
        Ok(())
    }

    #[test]
    fn what_must_happen_stays() -> Result<(), &'static str> {
        let system = Locks { bystanders: 2 };
        let long = found(&system, &[2, 1, 3, 0]).ok_or("no deadlock")?;
        let short = shorten(&system, &long, 1000, &unlimited());
        // All actors must have moved, or one still can.
        assert_eq!((short.schedule.moves.len(), short.violation.kind), (4, ViolationKind::Deadlock));
        let chain = found(&Chain(40), &(0..40).map(|step| step % 2).collect::<Vec<_>>()).ok_or("no end")?;
        assert_eq!(shorten(&Chain(40), &chain, 1000, &unlimited()), chain);
        Ok(())
    }

    #[test]
    fn a_wrong_start_needs_no_step() -> Result<(), &'static str> {
        let ring = Ring { size: 9, starts: vec![3] };
        let short = found(&ring, &[]).ok_or("no violation")?;
        assert_eq!(shorten(&ring, &short, 10, &unlimited()), short);
        Ok(())
    }
}
