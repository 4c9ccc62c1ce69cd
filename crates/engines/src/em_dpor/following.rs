//! Running the program along a course: to an execution that has what is settled, and leaves out what is to be left out.
//!
//! What the queues demand is known before ([`super::plan`]), and gives most steps their order. Where there is still a choice,
//! each move is tried.
//!
//! An example. Two threads post m and n into one queue; m writes x, n writes x. The first execution runs
//!
//! ```text
//! thread 1: post m        thread 2: post n        queue: m writes x, n writes x
//! ```
//!
//! Settled is nothing, and "m writes x as the first one" is to be left out. The opening "n writes x" excludes it. The queue
//! demands: n before m, so post n before post m. A *course* is these steps in this order: post n, post m, n writes x. It is
//! followed: thread 2 moves, although thread 1 could, and then thread 1. The first step of n is the target: the course is
//! reached, and the rest of the execution is run in any order. Had m been posted by n, the plan would have a cycle, and
//! nothing would be run. Had thread 1 to choose between posting m and k, each outcome would be tried, by going back to the
//! mark in front of the choice.

use super::covering::{Aim, Jam, Search};
use super::events::{EventId, Events, Recorded, Run, made};
use super::openings::TaskStep;
use super::plan::{ExcludingStep, Goal, Wanted, plan};
use super::tasks::{Blocked, Tasks, Thread, awaited_by};
use crate::shared::tally::{FastSet, arrive};
use mazurka_core::{ActorId, Awaited, Ending, Fingerprint, Machine, Move, Outcome, StopReason};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Running the program.
impl<M: Machine> Search<'_, '_, M> {
    /// Goes back to the beginning.
    pub(super) fn begin_again(&mut self) {
        self.machine.rewind(&self.start);
        self.run.truncate(0, &self.tasks, &self.events);
        self.tally.restart();
        self.present.clear();
        made(&self.machine, &mut self.tasks, &mut self.present);
    }

    /// Takes a step; `None` if it does not have that outcome here.
    fn try_take(&mut self, step: Move) -> Result<Option<EventId>, StopReason> {
        if step.outcome != Outcome::FIRST {
            let here = self.machine.mark();
            let has_outcome = self.machine.step(step).has_outcome;
            self.machine.rewind(&here);
            if !has_outcome {
                return Ok(None);
            }
        }
        self.take(step).map(Some)
    }

    /// Takes a step.
    fn take(&mut self, step: Move) -> Result<EventId, StopReason> {
        let record = self.machine.step(step).clone();
        self.tally.step(step, &record)?;
        let recorded = Recorded::new(&self.machine, &mut self.tasks, step.actor, &record);
        let made = made(&self.machine, &mut self.tasks, &mut self.present);
        let known = self.events.len();
        let held = self.run.held(step.actor, &self.events, &self.tasks);
        let id = self.run.push(step, recorded, made, &self.tasks, &mut self.events);
        if self.events.len() > known {
            let event = self.events.get(id);
            self.openings.add(event.place(), step.outcome, recorded.touches, &self.tasks);
            let (place, is_certain) = (event.place(), recorded.is_certain);
            self.openings.add_wait(place, recorded.touches, is_certain, &held, &self.tasks);
            event.made.iter().for_each(|&actor| self.openings.add_maker(actor, event.place()));
            if let Some(outcome) = event.more {
                self.openings.add_outcome(event.place(), outcome);
            }
        }
        if !self.fixed_steps {
            // A guard reads other objects when others have moved on.
            self.note_blocked();
        }
        self.leaked |= self.tasks.minds_leaks()
            && matches!(self.tasks.thread(step.actor), Thread::Queue(_))
            && !self.present.contains(&step.actor)
            && self.run.mutexes(step.actor, &self.events) != 0;
        Ok(id)
    }

    /// Remembers what the blocked actors are blocked on.
    fn note_blocked(&mut self) {
        for Blocked { actor, touches, .. } in self.tasks.blocked(&self.machine) {
            let place = (actor, self.run.count(actor) + 1);
            let held = self.run.held(actor, &self.events, &self.tasks);
            self.openings.add(place, Outcome::FIRST, touches, &self.tasks);
            self.openings.add_wait(place, touches, false, &held, &self.tasks);
        }
    }

    /// Runs on until no actor can move.
    pub(super) fn run_to_the_end(&mut self) -> Result<(), StopReason> {
        let mut last = None;
        loop {
            let (fingerprint, can_move) = arrive(&self.machine, self.tally)?;
            if !can_move && self.machine.ending() != Ending::Blocked {
                let name = Fingerprint(self.run.name(&self.events));
                self.classes.insert((self.tally.schedule.start, name));
            }
            if !can_move || !self.tally.enter(fingerprint) {
                break;
            }
            let enabled = self.machine.enabled();
            let next = last.filter(|last| enabled.contains(last)).unwrap_or(enabled[0]);
            self.take(Move::from(next))?;
            last = Some(next);
        }
        self.note_blocked();
        if self.machine.enabled().is_empty() {
            let jammed: SmallVec<[Thread; 4]> = self.fronts().map(|(thread, _)| thread).collect();
            jammed.into_iter().for_each(|thread| self.openings.add_jammed(thread));
        }
        Ok(())
    }

    /// The queues in which messages stand at the end, those in front first.
    fn fronts(&self) -> impl Iterator<Item = (Thread, SmallVec<[ActorId; 4]>)> {
        let there = |messages: &[ActorId]| messages.iter().copied().filter(|it| self.present.contains(it)).collect();
        let queues = self.run.queues().map(move |(thread, messages)| (thread, there(messages)));
        queues.filter(|(_, there): &(Thread, SmallVec<[ActorId; 4]>)| !there.is_empty())
    }

    /// Which messages stand behind stuck ones, where no actor can move.
    pub(super) fn jams(&self) -> Rc<[Jam]> {
        if !self.machine.enabled().is_empty() {
            return Rc::new([]);
        }
        let jams = |there: SmallVec<[ActorId; 4]>| {
            let front = there[0];
            there.into_iter().skip(1).map(move |behind| Jam { front, behind })
        };
        self.fronts().flat_map(|(_, there)| jams(there)).collect()
    }

    /// Runs an execution that has what is settled and nothing of `avoid`, to its end; false if there is none.
    pub(super) fn find(
        &mut self,
        aim: Aim<'_>,
        needed: &[TaskStep],
        targets: &[ExcludingStep],
    ) -> Result<bool, StopReason> {
        let first = |jam: Jam| ((jam.behind, 1), (jam.front, 1));
        let goal = Goal { events: self.settled.events(), needed, targets, order: aim.unjam.map(first) };
        let Some(wanted) = plan(&goal, &self.events, &self.openings, &self.tasks) else {
            return Ok(false);
        };
        self.begin_again();
        let found = self.follow(Course::new(wanted, targets, aim))?;
        if found {
            self.run_to_the_end()?;
        } else {
            self.counts.blocked += 1;
        }
        Ok(found)
    }

    /// Runs the program along a course: depth-first, going back where there was a choice.
    fn follow(&mut self, mut course: Course<'_>) -> Result<bool, StopReason> {
        let mut choices: Vec<(usize, M::Mark, Vec<Move>)> = Vec::new();
        // A fingerprint does not tell messages with the same content apart: the actors that exist do.
        let mut seen: FastSet<(Fingerprint, u128, Vec<ActorId>)> = FastSet::default();
        loop {
            if course.is_reached(&self.run) {
                return Ok(true);
            }
            let mut moves = self.moves(&course);
            if course.is_at_its_end(&self.run) && self.machine.enabled().is_empty() {
                return Ok(true);
            }
            if moves.len() > 1 {
                let place = (self.machine.fingerprint(), self.run.name(&self.events), self.present.clone());
                if !seen.insert(place) {
                    moves.clear();
                }
            }
            let step = match moves.pop() {
                Some(step) => {
                    if !moves.is_empty() {
                        choices.push((self.run.events().len(), self.machine.mark(), moves));
                    }
                    step
                }
                None => match self.go_back(&mut choices, &mut course) {
                    Some(step) => step,
                    None => return Ok(false),
                },
            };
            match self.try_take(step)? {
                Some(id) => course.note(id, self.run.events().len(), &self.events, &self.tasks),
                None => course.spoilt = true,
            }
        }
    }

    /// Goes back to the last choice and takes the next one.
    fn go_back(&mut self, choices: &mut Vec<(usize, M::Mark, Vec<Move>)>, course: &mut Course<'_>) -> Option<Move> {
        loop {
            let (len, mark, rest) = choices.last_mut()?;
            let Some(step) = rest.pop() else {
                choices.pop();
                continue;
            };
            self.machine.rewind(mark);
            self.run.truncate(*len, &self.tasks, &self.events);
            self.tally.take_back(*len);
            self.present.clear();
            made(&self.machine, &mut self.tasks, &mut self.present);
            course.truncate(*len);
            return Some(step);
        }
    }

    /// Whether an actor that has to move cannot, whatever the others do.
    fn is_lost(&self, course: &Course<'_>) -> bool {
        let mut needed: SmallVec<[ActorId; 16]> = SmallVec::new();
        let open = |target: &&ExcludingStep| course.is_open(target.leaves_out);
        let has_ended = |actor: ActorId| self.run.count(actor) > 0 && !self.present.contains(&actor);
        if course.targets.iter().filter(open).any(|target| has_ended(target.step.actor)) {
            return true;
        }
        let will_come = |place: TaskStep| self.run.count(place.0) >= place.1 || self.settled.count(place.0) >= place.1;
        let fails = |target: &ExcludingStep| {
            let left_out = self.events.get(target.leaves_out).actor();
            target.goes_ahead && !self.openings.can_jam(target.step.actor, left_out, &will_come, &self.tasks)
        };
        if self.fixed_steps && course.targets.iter().filter(open).any(fails) {
            return true;
        }
        // A message that went ahead may get stuck: so it keeps the others from beginning.
        let has_to_come = |target: &&ExcludingStep| !target.goes_ahead && course.is_open(target.leaves_out);
        let targets = course.targets.iter().filter(has_to_come).map(|target| target.step.actor);
        for actor in targets.chain(course.remaining(&self.run).map(|wanted| wanted.place.0)) {
            if !needed.contains(&actor) {
                needed.push(actor);
            }
        }
        needed.into_iter().any(|actor| self.is_stuck(actor, course, &mut SmallVec::new()))
    }

    /// Whether an actor is on a cycle of waits. It waits for the only actor that writes what it awaits, for the message that
    /// runs on its queue, or for the step that has to exclude an event of its own that is to be left out.
    fn is_stuck(&self, actor: ActorId, course: &Course<'_>, seen: &mut SmallVec<[ActorId; 8]>) -> bool {
        if seen.contains(&actor) {
            return true;
        }
        if !self.present.contains(&actor) {
            return false;
        }
        seen.push(actor);
        if let Some(held_back) = course.held_back((actor, self.run.count(actor) + 1), &self.events) {
            let target = course.targets.iter().find(|target| target.leaves_out == held_back);
            let is_stuck = |by: ActorId, seen: &mut _| by != actor && self.is_stuck(by, course, seen);
            return target.is_some_and(|target| is_stuck(target.step.actor, seen));
        }
        let enabled = self.machine.enabled();
        if enabled.contains(&actor) {
            return false;
        }
        let thread = self.tasks.thread(actor);
        let blocker = match awaited_by(&self.machine, actor) {
            Some(Awaited::Made(object)) => {
                let change = self.openings.only_write(object).filter(|_| self.tasks.is_gate(object));
                change.filter(|&(other, number)| self.run.count(other) < number).map(|(other, _)| other)
            }
            Some(Awaited::Freed(object)) if thread == Thread::Queue(object) => {
                let runs = |other: ActorId| enabled.contains(&other) || self.run.count(other) > 0;
                self.present.iter().copied().find(|&other| self.tasks.thread(other) == thread && runs(other))
            }
            _ => None,
        };
        blocker.is_some_and(|blocker| self.is_stuck(blocker, course, seen))
    }

    /// The moves that a course allows, the best one last. A move that cannot be wrong stands alone.
    fn moves(&mut self, course: &Course<'_>) -> Vec<Move> {
        if course.spoilt {
            return Vec::new();
        }
        let enabled = self.machine.enabled().to_vec();
        let (mut extras, mut needed, mut targets, mut posts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for &actor in &enabled {
            let place = (actor, self.run.count(actor) + 1);
            let wanted = course.wanted(place);
            if wanted.is_some_and(|wanted| !course.is_free(wanted, &self.run)) {
                continue;
            }
            if let Some(id) = wanted.and_then(|wanted| wanted.event) {
                let event = self.events.get(id);
                if event.made.is_empty() {
                    return vec![event.step];
                }
                posts.push(event.step);
                continue;
            }
            let touches = self.tasks.foresee(&self.machine, actor);
            let key = (self.tasks.thread(actor), touches);
            let mut settled = course.remaining(&self.run).filter_map(|wanted| wanted.event);
            if settled.any(|id| self.tasks.depend(self.events.get(id).key(), key)) {
                // It would change what is settled, so it is not taken here; elsewhere it can exclude that.
                self.openings.add(place, Outcome::FIRST, touches, &self.tasks);
                continue;
            }
            let is_this = |target: &&ExcludingStep| !target.goes_ahead && target.place() == place;
            if let Some(target) = course.targets.iter().find(is_this) {
                targets.push(target.step);
            } else if course.held_back(place, &self.events).is_some() {
                continue;
            } else if wanted.is_some() {
                needed.extend(self.openings.moves(place));
            } else {
                extras.extend(self.openings.moves(place));
            }
        }
        if self.is_lost(course) {
            return Vec::new();
        }
        posts.sort_unstable_by_key(|step| std::cmp::Reverse(course.rank((step.actor, self.run.count(step.actor) + 1))));
        [extras, targets, needed, posts].concat()
    }
}

/// How far an execution has come towards what is looked for.
struct Course<'c> {
    wanted: Vec<Wanted>,
    ranks: FxHashMap<TaskStep, usize>,
    targets: &'c [ExcludingStep],
    avoid: &'c [EventId],
    /// A step that it has to take.
    must: Option<TaskStep>,
    /// For each event to be left out, after how many steps it was excluded.
    left_out: Vec<Option<usize>>,
    /// The last step was not the event that it had to be, or one that is to be left out.
    spoilt: bool,
}

impl<'c> Course<'c> {
    fn new(wanted: Vec<Wanted>, targets: &'c [ExcludingStep], aim: Aim<'c>) -> Self {
        let ranks = wanted.iter().enumerate().map(|(rank, wanted)| (wanted.place, rank)).collect();
        let must = aim.unjam.map(|jam| (jam.behind, 1));
        Course { wanted, ranks, targets, avoid: aim.avoid, must, left_out: vec![None; aim.avoid.len()], spoilt: false }
    }

    fn rank(&self, place: TaskStep) -> Option<usize> {
        self.ranks.get(&place).copied()
    }

    fn wanted(&self, place: TaskStep) -> Option<&Wanted> {
        self.rank(place).map(|rank| &self.wanted[rank])
    }

    /// Whether everything that has to come before a step has come.
    fn is_free(&self, wanted: &Wanted, run: &Run) -> bool {
        wanted.after.iter().all(|&(actor, number)| run.count(actor) >= number)
    }

    fn remaining<'r>(&'r self, run: &'r Run) -> impl Iterator<Item = &'r Wanted> {
        self.wanted.iter().filter(|wanted| run.count(wanted.place.0) < wanted.place.1)
    }

    /// Whether everything is there that has to be.
    fn is_at_its_end(&self, run: &Run) -> bool {
        !self.spoilt
            && self.must.is_none_or(|(actor, number)| run.count(actor) >= number)
            && self.remaining(run).all(|wanted| wanted.event.is_none())
    }

    fn is_reached(&self, run: &Run) -> bool {
        self.left_out.iter().all(Option::is_some) && self.is_at_its_end(run)
    }

    /// Whether an event that is to be left out can still happen.
    fn is_open(&self, id: EventId) -> bool {
        self.avoid.iter().zip(&self.left_out).any(|(&avoided, at)| avoided == id && at.is_none())
    }

    /// The event that a step would be, which is to be left out and can still happen.
    fn held_back(&self, place: TaskStep, events: &Events) -> Option<EventId> {
        let mut open = self.avoid.iter().zip(&self.left_out).filter(|(_, at)| at.is_none()).map(|(&id, _)| id);
        open.find(|&id| events.get(id).place() == place)
    }

    /// A step was taken, the `len`-th one.
    fn note(&mut self, id: EventId, len: usize, events: &Events, tasks: &Tasks) {
        let event = events.get(id);
        let expected = self.wanted(event.place()).and_then(|wanted| wanted.event);
        self.spoilt = expected.is_some_and(|expected| expected != id) || self.avoid.contains(&id);
        for (&other, at) in self.avoid.iter().zip(&mut self.left_out) {
            if at.is_none() && event.excludes(events.get(other), tasks) {
                *at = Some(len);
            }
        }
    }

    fn truncate(&mut self, len: usize) {
        self.spoilt = false;
        for at in &mut self.left_out {
            *at = at.filter(|&at| at <= len);
        }
    }
}
