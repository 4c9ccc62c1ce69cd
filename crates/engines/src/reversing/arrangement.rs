//! Putting steps in an order in which each handler runs one message after the other.
//!
//! Given are steps, which of them must come before which, and who holds handlers at the beginning. Wanted is an order of
//! all of them in which a message starts only on a handler that nobody holds. To decide that is NP-complete (Event-DPOR,
//! theorem 4), so this is a search; but steps that start nothing never stand in anybody's way and are taken as soon as they
//! can be, so that only the choice which message starts next is ever taken back.
//!
//! The search may run on a machine ([`Stage`]): then a message that is not among the steps, or not with its last ones, is run
//! to its end where another one has to wait for its handler, as long as this does not come before a step that is in
//! conflict with it.

use crate::tally::FastSet;
use crate::wakeup::Occurrence;
use mazurka_core::{ActorId, Dependence, FootprintTable, Move, ObjectId, Touch};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Where steps are tried.
pub(crate) trait Stage {
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

impl Stage for OnPaper {
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

/// Who holds which handler.
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
                if touch.access.contains(mazurka_core::Access::WRITE) {
                    history.clear();
                }
                history.push((index, touch));
            }
        }
    }

    /// One step has to come before another one.
    pub(crate) fn precede(&mut self, one: usize, other: usize) {
        self.followers[one].push(other as u32);
        self.start.waits[other] += 1;
    }

    /// A step is there already.
    pub(crate) fn is_taken(&mut self, step: usize) {
        let mut start = self.start.clone();
        self.settle_one(&mut start, step);
        self.start = start;
    }

    /// Looks for an order.
    pub(crate) fn solve<S: Stage>(
        mut self,
        stage: &mut S,
        footprints: &mut FootprintTable,
    ) -> (Option<Vec<Placed>>, u64) {
        let start = self.start.clone();
        let found = self.search(start, stage, footprints);
        (found.then_some(self.order), self.retreats)
    }

    fn search<S: Stage>(&mut self, mut standing: Standing, stage: &mut S, footprints: &mut FootprintTable) -> bool {
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
    fn settle<S: Stage>(&mut self, standing: &mut Standing, stage: &mut S, footprints: &mut FootprintTable) -> bool {
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
    fn run_beyond<S: Stage>(
        &mut self,
        standing: &mut Standing,
        stage: &mut S,
        footprints: &mut FootprintTable,
    ) -> bool {
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
