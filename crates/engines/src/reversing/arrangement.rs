//! Putting steps in an order in which each handler runs one message after the other.
//!
//! Given are steps, which of them must come before which, and the messages that hold handlers at the beginning. The
//! result is an order of all of them in which a message starts only on a handler that is free. To decide that is
//! NP-complete (Event-DPOR, theorem 4), so this is a search; but steps that start nothing never block others and are
//! taken as soon as they can be, so that only the choice which message starts next is ever taken back.
//!
//! Most of what has no solution is found out before that by *saturation* (appendix A, definition 6): where one step of a message
//! has to come before a step of another one on the same handler, all of the first has to come before all of the second;
//! and an order with a cycle has no solution.
//!
//! The search may run on a machine ([`Runner`]): then a message that is not among the steps, or not with its last ones, is run
//! to its end where another one has to wait for its handler, as long as this does not come before a step that is in
//! conflict with it.

use super::redundancy::LONGEST;
use crate::shared::tally::FastSet;
use crate::shared::wakeup::Occurrence;
use mazurka_core::{Access, ActorId, Dependence, FootprintId, FootprintTable, Move, ObjectId, Touch};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Where steps are tried.
pub(crate) trait Runner {
    /// A place to come back to.
    type Mark;

    /// Remembers this place.
    fn mark(&self) -> Self::Mark;

    /// Comes back to a place.
    fn rewind(&mut self, mark: &Self::Mark);

    /// Takes a step of the sequence; false if that cannot be.
    fn take(&mut self, step: Move) -> bool;

    /// Takes the next step of an actor beyond the sequence, if there is a machine to run it on.
    fn go_on(&mut self, actor: ActorId, footprints: &mut FootprintTable) -> Option<Occurrence>;
}

/// Nothing is run: the steps are known.
pub(crate) struct OnPaper;

impl Runner for OnPaper {
    type Mark = ();
    fn mark(&self) {}
    fn rewind(&mut self, (): &()) {}
    fn take(&mut self, _step: Move) -> bool {
        true
    }
    fn go_on(&mut self, _actor: ActorId, _footprints: &mut FootprintTable) -> Option<Occurrence> {
        None
    }
}

/// Which actor holds which handler.
pub(crate) type Holders = SmallVec<[(ObjectId, ActorId); 4]>;

/// Notes what a step does to the handlers.
pub(crate) fn note_holder(holders: &mut Holders, step: &Occurrence) {
    let Some(handler) = step.handler else { return };
    if step.starts {
        holders.push((handler, step.step.actor));
    }
    if step.ends {
        holders.retain(|held| held.0 != handler);
    }
}

/// One step of the order that is looked for: one that was given, or one beyond those.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placed {
    Given(usize),
    Beyond(Occurrence),
}

/// The steps of one message among those that are given.
struct Span {
    actor: ActorId,
    handler: ObjectId,
    /// Its first step, if that is given: otherwise the message runs at the beginning.
    start: Option<usize>,
    first: usize,
    last: usize,
}

/// Where the search stands.
#[derive(Clone)]
struct Standing {
    /// For each step how many others it still waits for.
    waits: Vec<u32>,
    taken: Vec<bool>,
    left: usize,
    holders: Holders,
}

/// Steps to be put in order.
pub(crate) struct Arrangement<'a> {
    steps: &'a [Occurrence],
    followers: Vec<SmallVec<[u32; 4]>>,
    start: Standing,
    order: Vec<Placed>,
    failed: FastSet<Vec<bool>>,
    /// How often a choice was taken back.
    pub(crate) retreats: u64,
}

impl<'a> Arrangement<'a> {
    /// Steps in the order in which they were taken, which tells what happens before what.
    pub(crate) fn new(steps: &'a [Occurrence], footprints: &FootprintTable, holders: Holders) -> Self {
        let waits = vec![0; steps.len()];
        let taken = vec![false; steps.len()];
        let start = Standing { waits, taken, left: steps.len(), holders };
        let followers = vec![SmallVec::new(); steps.len()];
        let mut arrangement =
            Arrangement { steps, followers, start, order: Vec::new(), failed: FastSet::default(), retreats: 0 };
        arrangement.keep_order(footprints);
        arrangement
    }

    /// What conflicts stays in its order, and so do the steps of one actor.
    fn keep_order(&mut self, footprints: &FootprintTable) {
        let dependence: Dependence = footprints.dependence();
        let mut touched: FxHashMap<ObjectId, SmallVec<[(usize, Touch); 4]>> = FxHashMap::default();
        let mut last: FxHashMap<ActorId, usize> = FxHashMap::default();
        for (index, step) in self.steps.iter().enumerate() {
            if let Some(before) = last.insert(step.step.actor, index) {
                self.precede(before, index);
            }
            for &touch in footprints.get(step.footprint).touches() {
                let history = touched.entry(touch.object).or_default();
                for &(before, earlier) in history.iter() {
                    if dependence.touches(earlier.access, touch.access) {
                        self.precede(before, index);
                    }
                }
                if touch.access.contains(Access::WRITE) {
                    history.clear();
                }
                history.push((index, touch));
            }
        }
    }

    /// One step has to come before another one.
    pub(crate) fn precede(&mut self, one: usize, other: usize) {
        self.followers[one].push(other as u32);
        self.start.waits[other] += u32::from(!self.start.taken[one]);
    }

    /// A step is there already.
    pub(crate) fn is_taken(&mut self, step: usize) {
        let mut start = self.start.clone();
        self.settle_one(&mut start, step);
        self.start = start;
    }

    /// The steps of an actor come before whatever else its handler runs.
    pub(crate) fn comes_first(&mut self, actor: ActorId, handler: Option<ObjectId>) {
        let Some(last) = self.steps.iter().rposition(|step| step.step.actor == actor) else { return };
        for other in self.others_on(handler, actor) {
            self.precede(last, other);
        }
    }

    /// Steps that conflict with a footprint come before the handler runs another message than `actor`.
    pub(crate) fn waits_for_conflicts(
        &mut self,
        actor: ActorId,
        handler: Option<ObjectId>,
        footprint: FootprintId,
        footprints: &FootprintTable,
    ) {
        let others = self.others_on(handler, actor);
        for step in 0..self.steps.len() {
            let occurrence = &self.steps[step];
            if occurrence.step.actor != actor && footprints.conflict(occurrence.footprint, footprint) {
                others.iter().for_each(|&other| self.precede(step, other));
            }
        }
    }

    fn others_on(&self, handler: Option<ObjectId>, actor: ActorId) -> Vec<usize> {
        let is_other = |step: &usize| {
            let occurrence = &self.steps[*step];
            occurrence.starts && occurrence.handler == handler && occurrence.step.actor != actor
        };
        (0..self.steps.len()).filter(is_other).collect()
    }

    /// Adds what follows from the steps' order for messages of one handler; false if that has a cycle.
    pub(crate) fn saturate(&mut self) -> bool {
        let spans = self.spans();
        let mut ordered = vec![false; spans.len() * spans.len()];
        let mut later = vec![false; self.steps.len()];
        loop {
            let mut changed = false;
            for (one, span) in spans.iter().enumerate() {
                self.mark_later(span.first, &mut later);
                for (other, rival) in spans.iter().enumerate() {
                    let is_new = one != other && span.handler == rival.handler && !ordered[one * spans.len() + other];
                    if !is_new || !later[rival.last] {
                        continue;
                    }
                    let Some(start) = rival.start.filter(|_| !ordered[other * spans.len() + one]) else { return false };
                    ordered[one * spans.len() + other] = true;
                    self.precede(span.last, start);
                    changed = true;
                }
            }
            if !changed {
                return self.is_acyclic();
            }
        }
    }

    /// The messages whose steps are given.
    fn spans(&self) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let Some(handler) = step.handler else { continue };
            match spans.iter_mut().find(|span| span.actor == step.step.actor) {
                Some(span) => span.last = index,
                None => {
                    let start = step.starts.then_some(index);
                    spans.push(Span { actor: step.step.actor, handler, start, first: index, last: index });
                }
            }
        }
        spans
    }

    /// Marks what has to come after a step.
    fn mark_later(&self, step: usize, later: &mut [bool]) {
        later.fill(false);
        let mut open = vec![step];
        while let Some(step) = open.pop() {
            for &follower in &self.followers[step] {
                if !std::mem::replace(&mut later[follower as usize], true) {
                    open.push(follower as usize);
                }
            }
        }
    }

    fn is_acyclic(&self) -> bool {
        let mut waits = self.start.waits.clone();
        let is_free = |step: &usize| waits[*step] == 0 && !self.start.taken[*step];
        let mut free: Vec<usize> = (0..self.steps.len()).filter(is_free).collect();
        let mut left = self.start.left;
        while let Some(step) = free.pop() {
            left -= 1;
            for &follower in &self.followers[step] {
                waits[follower as usize] -= 1;
                if waits[follower as usize] == 0 {
                    free.push(follower as usize);
                }
            }
        }
        left == 0
    }

    /// Looks for an order of what was saturated.
    pub(crate) fn solve<S: Runner>(
        mut self,
        stage: &mut S,
        footprints: &mut FootprintTable,
    ) -> (Option<Vec<Placed>>, u64) {
        let start = self.start.clone();
        let found = self.search(start, stage, footprints);
        (found.then_some(self.order), self.retreats)
    }

    fn search<S: Runner>(&mut self, mut standing: Standing, stage: &mut S, footprints: &mut FootprintTable) -> bool {
        if !self.settle(&mut standing, stage, footprints) {
            return false;
        }
        if standing.left == 0 {
            return true;
        }
        if self.failed.contains(&standing.taken) {
            return false;
        }
        let (mark, length) = (stage.mark(), self.order.len());
        for step in 0..self.steps.len() {
            if !self.can_start(&standing, step) {
                continue;
            }
            let mut next = standing.clone();
            if stage.take(self.steps[step].step) {
                self.place(&mut next, step);
                if self.search(next, stage, footprints) {
                    return true;
                }
            }
            self.retreats += 1;
            self.order.truncate(length);
            stage.rewind(&mark);
        }
        self.failed.insert(standing.taken);
        false
    }

    fn is_ready(&self, standing: &Standing, step: usize) -> bool {
        !standing.taken[step] && standing.waits[step] == 0
    }

    fn can_start(&self, standing: &Standing, step: usize) -> bool {
        let is_held = |handler| standing.holders.iter().any(|held| Some(held.0) == handler);
        self.steps[step].starts && self.is_ready(standing, step) && !is_held(self.steps[step].handler)
    }

    /// Takes everything to which there is no alternative; false if the order cannot be gone on with.
    fn settle<S: Runner>(&mut self, standing: &mut Standing, stage: &mut S, footprints: &mut FootprintTable) -> bool {
        loop {
            let mut moved = false;
            for step in 0..self.steps.len() {
                if !self.steps[step].starts && self.is_ready(standing, step) {
                    if !stage.take(self.steps[step].step) {
                        return false;
                    }
                    self.place(standing, step);
                    moved = true;
                }
            }
            if !moved && !self.run_beyond(standing, stage, footprints) {
                return true;
            }
        }
    }

    fn place(&mut self, standing: &mut Standing, step: usize) {
        self.order.push(Placed::Given(step));
        note_holder(&mut standing.holders, &self.steps[step]);
        self.settle_one(standing, step);
    }

    fn settle_one(&self, standing: &mut Standing, step: usize) {
        standing.taken[step] = true;
        standing.left -= 1;
        for &follower in &self.followers[step] {
            standing.waits[follower as usize] -= 1;
        }
    }

    /// Takes one more step of a message that holds what another one waits for.
    fn run_beyond<S: Runner>(
        &mut self,
        standing: &mut Standing,
        stage: &mut S,
        footprints: &mut FootprintTable,
    ) -> bool {
        if self.order.len() > self.steps.len() + LONGEST {
            return false;
        }
        for step in 0..self.steps.len() {
            if !self.steps[step].starts || !self.is_ready(standing, step) {
                continue;
            }
            let handler = self.steps[step].handler;
            let Some(&(_, holder)) = standing.holders.iter().find(|held| Some(held.0) == handler) else { continue };
            let left = |other: usize| !standing.taken[other];
            if (0..self.steps.len()).any(|other| left(other) && self.steps[other].step.actor == holder) {
                continue;
            }
            let mark = stage.mark();
            let Some(beyond) = stage.go_on(holder, footprints) else { continue };
            let spoils =
                |other: usize| left(other) && footprints.conflict(self.steps[other].footprint, beyond.footprint);
            if (0..self.steps.len()).any(spoils) {
                stage.rewind(&mark);
                continue;
            }
            if beyond.ends {
                standing.holders.retain(|held| Some(held.0) != handler);
            }
            self.order.push(Placed::Beyond(beyond));
            return true;
        }
        false
    }
}
