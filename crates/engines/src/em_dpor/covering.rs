//! One execution for each class: the search that is ours.
//!
//! The search keeps a *configuration* C, a set of events that has been settled, and a set D of events that are to be left out. All
//! executions that have C and nothing of D are divided into those that have a further event e, which are searched first,
//! and those that have not. An execution of the second kind must exclude each event of D and e by a step of another task
//! that depends on it and comes first ([`super::openings`]). Whether there is one is found out
//! by running the program ([`super::following`]), along what the queues demand ([`super::plan`]). So each search ends in an
//! execution, and no two of them are of one class, for they differ in whether they have some event.
//!
//! An execution that ends with messages stuck in a queue may be part of a longer one, in which those behind go ahead. Once
//! all its events are settled, those that have them all and more are searched ([`Unexplored::Jams`]).

use super::configuration::Configuration;
use super::events::{Event, EventId, Events, Run};
use super::openings::{Opening, Openings, TaskStep};
use super::plan::ExcludingStep;
use super::tasks::{Leak, Tasks};
use crate::shared::tally::{FastSet, Tally};
use mazurka_core::{ActorId, Fingerprint, Machine, Move, StopReason};
use std::rc::Rc;

/// What is left to be searched, once everything above it has been.
enum Unexplored {
    /// A settled event, and what was to be left out before it.
    Event { id: EventId, avoid: Rc<[EventId]> },
    /// An execution that ended with messages stuck in queues, and what is to be left out of those that have more.
    Jams { jams: Rc<[Jam]>, avoid: Rc<[EventId]> },
}

/// A message that never began, because one ahead of it in its queue was stuck.
#[derive(Clone, Copy, Debug)]
pub(super) struct Jam {
    pub(super) front: ActorId,
    pub(super) behind: ActorId,
}

/// What is looked for: an execution that has what is settled.
#[derive(Clone, Copy)]
pub(super) struct Aim<'a> {
    /// What it must not have.
    pub(super) avoid: &'a [EventId],
    /// The jams of an execution that has just what is settled, where more than that is looked for.
    jams: &'a [Jam],
    /// The one of them that must not occur.
    pub(super) unjam: Option<Jam>,
}

impl Aim<'_> {
    /// Whether an event has to be excluded by a step: a jam excludes those behind it already.
    fn has_to_block(&self, event: &Event) -> bool {
        event.number > 1 || !self.jams.iter().any(|jam| jam.behind == event.actor())
    }
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
    pub(super) machine: M,
    pub(super) start: M::Mark,
    pub(super) tally: &'t mut Tally<'o>,
    pub(super) tasks: Tasks,
    pub(super) events: Events,
    pub(super) openings: Openings,
    pub(super) run: Run,
    /// The actors that exist after the last step.
    pub(super) present: Vec<ActorId>,
    nodes: Vec<Unexplored>,
    pub(super) settled: Configuration,
    pub(super) leaked: bool,
    pub(super) fixed_steps: bool,
    pub(super) counts: Counts,
    pub(super) classes: &'t mut FastSet<(usize, Fingerprint)>,
}

impl<'t, 'o, M: Machine> Search<'t, 'o, M> {
    pub(super) fn new(
        machine: M,
        tally: &'t mut Tally<'o>,
        classes: &'t mut FastSet<(usize, Fingerprint)>,
        fixed_steps: bool,
        mutexes_conflict: bool,
    ) -> Self {
        Search {
            start: machine.mark(),
            machine,
            tasks: Tasks::new(tally.options.dependence.rewrites, mutexes_conflict),
            tally,
            events: Events::default(),
            openings: Openings::new(fixed_steps),
            run: Run::default(),
            present: Vec::new(),
            nodes: Vec::new(),
            settled: Configuration::default(),
            leaked: false,
            fixed_steps,
            counts: Counts::default(),
            classes,
        }
    }

    /// Searches to the end. A leak means that mutexes have to conflict.
    pub(super) fn run(&mut self) -> Result<Result<Counts, Leak>, StopReason> {
        self.begin_again();
        self.run_to_the_end()?;
        self.settle(Rc::new([]));
        while let Some(node) = self.nodes.pop() {
            if self.leaked {
                return Ok(Err(Leak));
            }
            match node {
                Unexplored::Event { id, avoid } => {
                    self.settled.pop(&self.events);
                    let avoid: Rc<[EventId]> = avoid.iter().copied().chain([id]).collect();
                    if let Some(Unexplored::Jams { avoid: known, .. }) = self.nodes.last_mut() {
                        // Whatever has all that is settled and more is looked for there.
                        *known = avoid;
                    } else if self.find_other(&avoid)? {
                        self.settle(avoid);
                    }
                }
                Unexplored::Jams { jams, avoid } => {
                    if self.find_more(&jams, &avoid)? {
                        self.nodes.push(Unexplored::Jams { jams, avoid: Rc::clone(&avoid) });
                        self.settle(avoid);
                    }
                }
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
            self.nodes.push(Unexplored::Event { id, avoid: Rc::clone(&avoid) });
            self.settled.push(id, &self.events);
            let event = self.events.get(id);
            let stays = |other: &&EventId| !event.excludes(self.events.get(**other), &self.tasks);
            if !avoid.iter().all(|other| stays(&other)) {
                avoid = avoid.iter().filter(stays).copied().collect();
            }
        }
        let jams = self.jams();
        if !jams.is_empty() {
            self.nodes.push(Unexplored::Jams { jams, avoid });
        }
    }

    /// Looks for an execution that has what is settled and nothing of `avoid`.
    fn find_other(&mut self, avoid: &[EventId]) -> Result<bool, StopReason> {
        let aim = Aim { avoid, jams: &[], unjam: None };
        self.put_in_the_way(aim, &mut Vec::new(), &mut Vec::new())
    }

    /// Looks for an execution that has what is settled and more, and nothing of `avoid`. What is settled is an execution
    /// that ended with jams. Whatever the first step beyond it is, only a queue was in the way of it: so it is the first one
    /// of a message in a jam, which has to go ahead of the one that is stuck.
    fn find_more(&mut self, jams: &[Jam], avoid: &[EventId]) -> Result<bool, StopReason> {
        for &jam in jams {
            let mut needed = Vec::new();
            if self.need(vec![(jam.behind, 1)], None, &mut needed) {
                let aim = Aim { avoid, jams, unjam: Some(jam) };
                if self.put_in_the_way(aim, &mut needed, &mut Vec::new())? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Chooses what excludes the last event of `avoid` that nothing excludes yet.
    fn put_in_the_way(
        &mut self,
        aim: Aim<'_>,
        needed: &mut Vec<TaskStep>,
        targets: &mut Vec<ExcludingStep>,
    ) -> Result<bool, StopReason> {
        // There may be many ways to choose, and none of them may lead to a step.
        self.tally.check()?;
        let is_open = |id: &&EventId| {
            !targets.iter().any(|target| target.leaves_out == **id) && aim.has_to_block(self.events.get(**id))
        };
        let Some(&open) = aim.avoid.iter().rev().find(is_open) else {
            return self.find(aim, needed, targets);
        };
        for target in self.targets_against(open) {
            let known = needed.len();
            if self.approach(&target, needed) {
                targets.push(target);
                let found = self.put_in_the_way(aim, needed, targets)?;
                targets.pop();
                if found {
                    return Ok(true);
                }
            }
            needed.truncate(known);
        }
        Ok(false)
    }

    /// Everything that may exclude an event: another outcome of its step, a step of another task, or a
    /// message that goes ahead of its own.
    fn targets_against(&self, id: EventId) -> Vec<ExcludingStep> {
        let event = self.events.get(id);
        let (number, touches) = (event.number, event.touches);
        let others = self.openings.moves(event.place()).filter(|step| *step != event.step);
        let other_outcomes =
            others.map(|step| ExcludingStep { step, number, touches, goes_ahead: false, leaves_out: id });
        let target = |opening: Opening, goes_ahead: bool| ExcludingStep {
            step: Move { actor: opening.place.0, outcome: opening.outcome },
            number: opening.place.1,
            touches: opening.touches,
            goes_ahead,
            leaves_out: id,
        };
        let openings = self.openings.against(event, &self.tasks).into_iter().map(|opening| target(opening, false));
        let will_come = |place: TaskStep| self.settled.count(place.0) >= place.1;
        let ahead = self.openings.ahead_of(event, &will_come, &self.tasks);
        let ahead = ahead.into_iter().map(|opening| target(opening, true));
        other_outcomes.chain(openings).chain(ahead).collect()
    }

    /// Adds the steps that a target needs; false if it was passed already, or needs the step that it is to exclude.
    fn approach(&self, target: &ExcludingStep, needed: &mut Vec<TaskStep>) -> bool {
        // That a message has begun does not settle which others it goes ahead of.
        if !target.goes_ahead && self.settled.count(target.step.actor) >= target.number {
            return false;
        }
        let left_out = self.events.get(target.leaves_out);
        let mut open: Vec<TaskStep> = self.openings.needs(target.place()).collect();
        open.extend((target.number > 1).then(|| (target.step.actor, target.number - 1)));
        open.extend(target.goes_ahead.then(|| target.place()));
        self.need(open, Some(left_out.place()), needed)
    }

    /// Adds steps and all that they need; false if a step is among them that must not come.
    fn need(&self, mut open: Vec<TaskStep>, without: Option<TaskStep>, needed: &mut Vec<TaskStep>) -> bool {
        while let Some(place) = open.pop() {
            if self.settled.count(place.0) >= place.1 || needed.contains(&place) {
                continue;
            }
            if without.is_some_and(|(actor, number)| place.0 == actor && place.1 >= number) {
                return false;
            }
            needed.push(place);
            open.extend(self.openings.needs(place));
            open.extend((place.1 > 1).then(|| (place.0, place.1 - 1)));
        }
        true
    }
}
