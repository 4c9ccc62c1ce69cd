//! One execution for each class: the search that is ours.
//!
//! The search keeps a *configuration* C, a set of events that has been settled, and a set D of events that are to be left out. All
//! executions that have C and nothing of D are divided into those that have a further event e, which are searched first,
//! and those that have not. An execution of the second kind must have something in the way of each event of D and of e: a
//! step of another task that depends on it and comes first ([`super::openings`]). Whether there is one is found out
//! by running the program ([`Search::find`]), along what the queues demand ([`super::plan`]). So each search ends in an
//! execution, and no two of them are of one class, for they differ in whether they have some event.

use super::configuration::Configuration;
use super::events::{EventId, Events, Recorded, Run, made};
use super::openings::{Opening, Openings};
use super::plan::{Constraints, Goal, Target, constraints};
use super::tasks::{Leak, Tasks, Thread};
use crate::tally::{FastSet, Tally, arrive};
use mazurka_core::{ActorId, Awaited, Ending, Fingerprint, Machine, Move, StopReason};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// A settled event, and what was to be left out before it.
struct Node {
    event: EventId,
    avoid: Rc<[EventId]>,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) events: u64,
    /// Alternatives that the order of the queues did not allow.
    pub(super) blocked: u64,
}

/// A search from where a machine stands.
pub(super) struct Search<'t, 'o, M: Machine> {
    machine: M,
    start: M::Mark,
    tally: &'t mut Tally<'o>,
    tasks: Tasks,
    events: Events,
    openings: Openings,
    run: Run,
    /// Who is there after the last step.
    present: Vec<ActorId>,
    nodes: Vec<Node>,
    settled: Configuration,
    leaked: bool,
    counts: Counts,
    classes: &'t mut FastSet<(usize, Fingerprint)>,
}

impl<'t, 'o, M: Machine> Search<'t, 'o, M> {
    pub(super) fn new(
        machine: M,
        tally: &'t mut Tally<'o>,
        classes: &'t mut FastSet<(usize, Fingerprint)>,
        mutexes_count: bool,
    ) -> Self {
        Search {
            start: machine.mark(),
            machine,
            tasks: Tasks::new(tally.options.dependence.rewrites, mutexes_count),
            tally,
            events: Events::default(),
            openings: Openings::default(),
            run: Run::default(),
            present: Vec::new(),
            nodes: Vec::new(),
            settled: Configuration::default(),
            leaked: false,
            counts: Counts::default(),
            classes,
        }
    }

    /// Searches to the end. A leak means that mutexes have to count.
    pub(super) fn run(&mut self) -> Result<Result<Counts, Leak>, StopReason> {
        self.begin_again();
        self.run_to_the_end()?;
        self.settle(Rc::new([]));
        while let Some(node) = self.nodes.pop() {
            if self.leaked {
                return Ok(Err(Leak));
            }
            self.settled.pop(&self.events);
            let avoid: Rc<[EventId]> = node.avoid.iter().copied().chain([node.event]).collect();
            if self.find_other(&avoid)? {
                self.settle(avoid);
            }
        }
        self.counts.events = self.events.len() as u64;
        Ok(Ok(self.counts))
    }

    /// Settles the events of the execution that was found, one after the other.
    fn settle(&mut self, mut avoid: Rc<[EventId]>) {
        for &id in self.run.events() {
            if self.settled.contains(id) {
                continue;
            }
            self.nodes.push(Node { event: id, avoid: Rc::clone(&avoid) });
            self.settled.push(id, &self.events);
            let event = self.events.get(id);
            let stays = |other: &&EventId| {
                let other = self.events.get(**other);
                other.knows(event) || !event.disagrees(other, &self.tasks)
            };
            if !avoid.iter().all(|other| stays(&other)) {
                avoid = avoid.iter().filter(stays).copied().collect();
            }
        }
    }

    /// Looks for an execution that has what is settled and nothing of `avoid`.
    fn find_other(&mut self, avoid: &[EventId]) -> Result<bool, StopReason> {
        self.put_in_the_way(avoid, &mut Vec::new(), &mut Vec::new())
    }

    /// Chooses something to put in the way of the first event of `avoid` that nothing is in the way of yet.
    fn put_in_the_way(
        &mut self,
        avoid: &[EventId],
        more: &mut Vec<EventId>,
        targets: &mut Vec<Target>,
    ) -> Result<bool, StopReason> {
        let Some(&open) = avoid.iter().rev().find(|&&id| !self.is_left_out(id, more, targets)) else {
            let events = self.settled.events().iter().chain(&*more).copied().collect();
            return self.find(&Goal { events, targets: targets.clone(), avoid });
        };
        if let Some(target) = self.other_outcome(open)
            && self.with_target(avoid, more, targets, target)?
        {
            return Ok(true);
        }
        for opening in self.openings.against(self.events.get(open), &self.tasks) {
            let before = more.len();
            if let Some(target) = self.approach(&opening, open, avoid, more)
                && self.with_target(avoid, more, targets, target)?
            {
                return Ok(true);
            }
            more.truncate(before);
        }
        for stuck in self.openings.stuck_before(self.events.get(open)) {
            let before = more.len();
            if let Some(target) = self.approach(&stuck, open, avoid, more)
                && self.with_target(avoid, more, targets, Target { stuck: true, ..target })?
            {
                return Ok(true);
            }
            more.truncate(before);
        }
        Ok(false)
    }

    fn with_target(
        &mut self,
        avoid: &[EventId],
        more: &mut Vec<EventId>,
        targets: &mut Vec<Target>,
        target: Target,
    ) -> Result<bool, StopReason> {
        targets.push(target);
        let found = self.put_in_the_way(avoid, more, targets)?;
        targets.pop();
        Ok(found)
    }

    /// Whether one of some events, or a target, is in the way of an event.
    fn is_left_out(&self, id: EventId, more: &[EventId], targets: &[Target]) -> bool {
        let event = self.events.get(id);
        let excludes = |other: &EventId| {
            let other = self.events.get(*other);
            !event.knows(other) && event.disagrees(other, &self.tasks)
        };
        targets.iter().any(|target| target.leaves_out == id) || more.iter().any(excludes)
    }

    /// The next outcome of the step of an event.
    fn other_outcome(&self, id: EventId) -> Option<Target> {
        let event = self.events.get(id);
        let step = Move { outcome: event.more?, ..event.step };
        Some(Target { step, stuck: false, number: event.number, touches: event.touches, leaves_out: id })
    }

    /// Adds to `more` what leads to an opening; `None` if it does not agree with the rest, or was passed already.
    fn approach(&self, opening: &Opening, open: EventId, avoid: &[EventId], more: &mut Vec<EventId>) -> Option<Target> {
        let base = opening.base.map(|base| self.events.get(base));
        let own = base.filter(|base| base.actor() == opening.actor).map_or(0, |base| base.number);
        let in_more = |&&id: &&EventId| self.events.get(id).actor() == opening.actor;
        let count = self.settled.count(opening.actor) + more.iter().filter(in_more).count() as u32;
        if count > own || base.is_some_and(|base| base.knows(self.events.get(open))) {
            return None;
        }
        if let Some(base) = opening.base {
            let known = more.len();
            let new = self.events.past(base, |id| self.settled.contains(id) || more[..known].contains(&id));
            if new.iter().any(|id| avoid.contains(id)) {
                return None;
            }
            for id in new {
                if !self.settled.agrees(id, more, &self.events, &self.tasks) {
                    return None;
                }
                more.push(id);
            }
        }
        let step = Move { actor: opening.actor, outcome: opening.outcome };
        Some(Target { step, stuck: false, number: own + 1, touches: opening.touches, leaves_out: open })
    }
}

/// Running the program.
impl<M: Machine> Search<'_, '_, M> {
    /// Goes back to the beginning.
    fn begin_again(&mut self) {
        self.machine.rewind(&self.start);
        self.run.truncate(0, &self.tasks, &self.events);
        self.tally.restart();
        self.present.clear();
        made(&self.machine, &mut self.tasks, &mut self.present);
    }

    /// Takes a step.
    fn take(&mut self, step: Move) -> Result<EventId, StopReason> {
        let record = self.machine.step(step).clone();
        self.tally.step(step, &record)?;
        let base = self.run.last(step.actor);
        let recorded = Recorded::new(&self.machine, &mut self.tasks, step.actor, &record);
        let made = made(&self.machine, &mut self.tasks, &mut self.present);
        let known = self.events.len();
        let id = self.run.push(step, recorded, made, &self.tasks, &mut self.events);
        if self.events.len() > known {
            let place = self.run.count(step.actor);
            self.openings.add(step.actor, base, place, recorded.touches, &self.tasks);
            self.note_waiting();
        }
        self.leaked |= matches!(self.tasks.thread(step.actor), Thread::Queue(_))
            && !self.present.contains(&step.actor)
            && self.run.mutexes(step.actor, &self.events) != 0;
        Ok(id)
    }

    /// Remembers who waits to be let move, and by what.
    fn note_waiting(&mut self) {
        let enabled = self.machine.enabled();
        for &actor in self.present.iter().filter(|actor| !enabled.contains(actor)) {
            if let Some(Awaited::Made(object)) = self.machine.awaits(actor) {
                self.openings.wait(actor, self.run.last(actor), object);
            }
        }
    }

    /// Runs on until nobody can move.
    fn run_to_the_end(&mut self) -> Result<(), StopReason> {
        let mut last = None;
        loop {
            let (fingerprint, somebody_moves) = arrive(&self.machine, self.tally)?;
            if !somebody_moves && self.machine.ending() != Ending::Blocked {
                let name = Fingerprint(self.run.name(&self.events));
                self.classes.insert((self.tally.schedule.start, name));
            }
            if !somebody_moves || !self.tally.enter(fingerprint) {
                break;
            }
            let enabled = self.machine.enabled();
            let next = last.filter(|last| enabled.contains(last)).unwrap_or(enabled[0]);
            self.take(Move::from(next))?;
            last = Some(next);
        }
        let mut waiting = Vec::new();
        self.machine.waiting(&mut waiting);
        for actor in waiting {
            if let Some((touches, _)) = self.tasks.next(&self.machine, actor) {
                let place = self.run.count(actor) + 1;
                self.openings.add(actor, self.run.last(actor), place, touches, &self.tasks);
                if place > 1 && matches!(self.tasks.thread(actor), Thread::Queue(_)) {
                    self.openings.add_stuck(actor, self.run.last(actor), touches, &self.tasks);
                }
            }
        }
        Ok(())
    }

    /// Runs an execution that reaches a goal, to its end; false if there is none.
    fn find(&mut self, goal: &Goal<'_>) -> Result<bool, StopReason> {
        let Some(constraints) = constraints(goal, &self.events, &self.tasks) else {
            return Ok(false);
        };
        self.begin_again();
        let found = self.follow(goal, &constraints)?;
        if found {
            self.run_to_the_end()?;
        } else {
            self.counts.blocked += 1;
        }
        Ok(found)
    }

    /// Runs the program along a goal: depth-first, going back where somebody had a choice.
    fn follow(&mut self, goal: &Goal<'_>, constraints: &Constraints) -> Result<bool, StopReason> {
        let mut course = Course::new(goal, constraints, &self.events);
        let mut choices: Vec<(usize, M::Mark, Vec<Move>)> = Vec::new();
        let mut seen: FastSet<(Fingerprint, u128)> = FastSet::default();
        loop {
            if course.is_reached(&self.run) {
                return Ok(true);
            }
            let mut moves = self.moves(goal, &course);
            if course.is_at_its_end(&self.run) && self.machine.enabled().is_empty() {
                return Ok(true);
            }
            if moves.len() > 1 && !seen.insert((self.machine.fingerprint(), self.run.name(&self.events))) {
                moves.clear();
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
            let expected = course.wanted(step.actor, self.run.count(step.actor) + 1);
            let id = self.take(step)?;
            let as_wanted = expected.is_none_or(|place| goal.events[place] == id) && !goal.avoid.contains(&id);
            course.note(goal, id, self.run.events().len(), &self.events, &self.tasks);
            if !as_wanted {
                course.spoil();
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

    /// Whether somebody who has to move cannot, whatever the others do.
    fn is_lost(&self, goal: &Goal<'_>, course: &Course<'_>) -> bool {
        let open = |target: &&Target| !target.stuck && course.is_open(goal, target.leaves_out);
        let targets = goal.targets.iter().filter(open).map(|target| target.step.actor);
        let mut needed: SmallVec<[ActorId; 16]> = SmallVec::new();
        for actor in targets.chain(course.remaining(&self.run).map(|place| course.steps[place].0)) {
            if !needed.contains(&actor) {
                needed.push(actor);
            }
        }
        needed.into_iter().any(|actor| self.is_stuck(actor, goal, course, &mut SmallVec::new()))
    }

    /// Whether an actor waits for somebody who waits for it: to change what nobody else does, to leave its queue, or to
    /// come in the way of an event that is to be left out.
    fn is_stuck(
        &self,
        actor: ActorId,
        goal: &Goal<'_>,
        course: &Course<'_>,
        seen: &mut SmallVec<[ActorId; 8]>,
    ) -> bool {
        if seen.contains(&actor) {
            return true;
        }
        if !self.present.contains(&actor) {
            return false;
        }
        seen.push(actor);
        if let Some(held_back) = course.held_back(goal, actor, self.run.count(actor) + 1, &self.events) {
            let target = goal.targets.iter().find(|target| target.leaves_out == held_back);
            return target.is_some_and(|target| target.stuck || self.is_stuck(target.step.actor, goal, course, seen));
        }
        let enabled = self.machine.enabled();
        if enabled.contains(&actor) {
            return false;
        }
        let thread = self.tasks.thread(actor);
        let blocker = match self.machine.awaits(actor) {
            Some(Awaited::Made(object)) => {
                let (other, number) = match self.openings.only_change(object) {
                    Some(change) => change,
                    None => return false,
                };
                Some(other).filter(|&other| self.run.count(other) < number)
            }
            Some(Awaited::Freed(object)) if thread == Thread::Queue(object) => {
                let runs = |other: ActorId| enabled.contains(&other) || self.run.count(other) > 0;
                self.present.iter().copied().find(|&other| self.tasks.thread(other) == thread && runs(other))
            }
            _ => None,
        };
        blocker.is_some_and(|blocker| self.is_stuck(blocker, goal, course, seen))
    }

    /// The moves that a goal allows, the best one last. A move that cannot be wrong stands alone.
    fn moves(&mut self, goal: &Goal<'_>, course: &Course<'_>) -> Vec<Move> {
        if course.is_spoilt() {
            return Vec::new();
        }
        let enabled = self.machine.enabled().to_vec();
        let (mut extras, mut targets, mut posts) = (Vec::new(), Vec::new(), Vec::new());
        for &actor in &enabled {
            let number = self.run.count(actor) + 1;
            if let Some(place) = course.wanted(actor, number) {
                let event = self.events.get(goal.events[place]);
                if !course.is_free(place, &self.run) {
                    continue;
                }
                if event.made.is_empty() {
                    return vec![event.step];
                }
                posts.push((place, event.step));
                continue;
            }
            let Some((touches, _)) = self.tasks.next(&self.machine, actor) else { continue };
            let key = (self.tasks.thread(actor), touches);
            let in_the_way = |&&id: &&EventId| self.tasks.depend(self.events.get(id).key(), key);
            if course.remaining(&self.run).any(|place| in_the_way(&&goal.events[place])) {
                continue;
            }
            let is_this = |target: &&Target| !target.stuck && target.step.actor == actor && target.number == number;
            let target = goal.targets.iter().find(is_this);
            match target {
                Some(target) => targets.push(target.step),
                None if course.held_back(goal, actor, number, &self.events).is_some() => {}
                None => extras.push(Move::from(actor)),
            }
        }
        if self.is_lost(goal, course) {
            return Vec::new();
        }
        posts.sort_unstable_by_key(|(place, _)| std::cmp::Reverse(*place));
        extras.extend(targets);
        extras.extend(posts.into_iter().map(|(_, step)| step));
        extras
    }
}

/// How far an execution has come towards a goal.
struct Course<'c> {
    places: FxHashMap<(ActorId, u32), usize>,
    steps: Vec<(ActorId, u32)>,
    causes: Vec<Vec<usize>>,
    constraints: &'c Constraints,
    /// For each event to be left out, after how many steps something came in its way.
    left_out: Vec<Option<usize>>,
    spoilt: bool,
}

impl<'c> Course<'c> {
    fn new(goal: &Goal<'_>, constraints: &'c Constraints, events: &Events) -> Self {
        let steps: Vec<(ActorId, u32)> = goal
            .events
            .iter()
            .map(|&id| {
                let event = events.get(id);
                (event.actor(), event.number)
            })
            .collect();
        let places: FxHashMap<(ActorId, u32), usize> =
            steps.iter().enumerate().map(|(place, &step)| (step, place)).collect();
        let causes = goal
            .events
            .iter()
            .map(|&id| {
                let causes = events.get(id).causes.iter().map(|&cause| {
                    let cause = events.get(cause);
                    (cause.actor(), cause.number)
                });
                causes.filter_map(|step| places.get(&step).copied()).collect()
            })
            .collect();
        Course { places, steps, causes, constraints, left_out: vec![None; goal.avoid.len()], spoilt: false }
    }

    fn wanted(&self, actor: ActorId, number: u32) -> Option<usize> {
        self.places.get(&(actor, number)).copied()
    }

    fn is_done(&self, place: usize, run: &Run) -> bool {
        let (actor, number) = self.steps[place];
        run.count(actor) >= number
    }

    /// Whether everything that has to come before an event of the goal has come.
    fn is_free(&self, place: usize, run: &Run) -> bool {
        self.causes[place].iter().all(|&cause| self.is_done(cause, run))
            && self.constraints[place].iter().all(|&before| self.is_done(before as usize, run))
    }

    fn remaining<'r>(&'r self, run: &'r Run) -> impl Iterator<Item = usize> + 'r {
        (0..self.steps.len()).filter(|&place| !self.is_done(place, run))
    }

    /// Whether the goal has been met except for what is to be left out.
    fn is_at_its_end(&self, run: &Run) -> bool {
        !self.spoilt && self.remaining(run).next().is_none()
    }

    fn is_reached(&self, run: &Run) -> bool {
        self.left_out.iter().all(Option::is_some) && self.is_at_its_end(run)
    }

    /// Whether an event that is to be left out can still happen.
    fn is_open(&self, goal: &Goal<'_>, id: EventId) -> bool {
        goal.avoid.iter().zip(&self.left_out).any(|(&avoided, at)| avoided == id && at.is_none())
    }

    /// The event that a step would be, which is to be left out and can still happen.
    fn held_back(&self, goal: &Goal<'_>, actor: ActorId, number: u32, events: &Events) -> Option<EventId> {
        let open = goal.avoid.iter().zip(&self.left_out).filter(|(_, at)| at.is_none()).map(|(&id, _)| id);
        open.into_iter().find(|&id| {
            let event = events.get(id);
            event.actor() == actor && event.number == number
        })
    }

    fn note(&mut self, goal: &Goal<'_>, id: EventId, len: usize, events: &Events, tasks: &Tasks) {
        let event = events.get(id);
        for (&other, at) in goal.avoid.iter().zip(&mut self.left_out) {
            let avoided = events.get(other);
            if at.is_none() && other != id && !avoided.knows(event) && avoided.disagrees(event, tasks) {
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

    fn spoil(&mut self) {
        self.spoilt = true;
    }

    fn is_spoilt(&self) -> bool {
        self.spoilt
    }
}
