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
use crate::shared::bits::{Bits, members_of_word};
use crate::shared::tally::FastSet;
use crate::shared::wakeup::Occurrence;
use mazurka_core::{Access, ActorId, Dependence, FootprintId, FootprintTable, Move, ObjectId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Where steps are tried.
pub(crate) trait Runner {
    /// Takes a step of the sequence.
    fn take(&mut self, step: Move);

    /// How many steps were taken.
    fn len(&self) -> usize;

    /// Takes the last steps back until there are this many.
    fn truncate(&mut self, len: usize);

    /// Takes the next step of an actor that holds a handler beyond the sequence, if there is a machine to run it on.
    fn go_on(&mut self, actor: ActorId, handler: ObjectId, footprints: &mut FootprintTable) -> Option<Occurrence>;
}

/// Nothing is run: the steps are known.
pub(crate) struct OnPaper;

impl Runner for OnPaper {
    fn take(&mut self, _step: Move) {}
    fn len(&self) -> usize {
        0
    }
    fn truncate(&mut self, _len: usize) {}
    fn go_on(&mut self, _actor: ActorId, _handler: ObjectId, _footprints: &mut FootprintTable) -> Option<Occurrence> {
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
    /// The steps that wait for nothing: those that start a message, and the others.
    starts: Bits,
    ready: Bits,
    left: usize,
    holders: Holders,
}

/// Steps to be put in order.
pub(crate) struct Arrangement<'a> {
    steps: &'a [Occurrence],
    followers: Vec<SmallVec<[u32; 4]>>,
    /// For each object the steps that touch it.
    touched: FxHashMap<ObjectId, StepTouches>,
    /// For each actor its last step.
    last: FxHashMap<ActorId, usize>,
    start: Standing,
    order: Vec<Placed>,
    failed: FastSet<Vec<bool>>,
    /// How often a choice was taken back.
    pub(crate) retreats: u64,
}

/// The steps that touch an object.
#[derive(Default)]
struct StepTouches {
    all: SmallVec<[(u32, Access); 4]>,
    /// From where on no step has written it, but the first of them.
    since_written: usize,
}

impl<'a> Arrangement<'a> {
    /// Steps in the order in which they were taken, which tells what happens before what.
    pub(crate) fn new(steps: &'a [Occurrence], footprints: &FootprintTable, holders: Holders) -> Self {
        let waits = vec![0; steps.len()];
        let taken = vec![false; steps.len()];
        let (starts, ready) = (Bits::default(), Bits::default());
        let start = Standing { waits, taken, starts, ready, left: steps.len(), holders };
        let mut arrangement = Arrangement {
            steps,
            followers: vec![SmallVec::new(); steps.len()],
            touched: FxHashMap::default(),
            last: FxHashMap::default(),
            start,
            order: Vec::new(),
            failed: FastSet::default(),
            retreats: 0,
        };
        arrangement.keep_order(footprints);
        arrangement
    }

    /// What conflicts stays in its order, and so do the steps of one actor.
    fn keep_order(&mut self, footprints: &FootprintTable) {
        let dependence: Dependence = footprints.dependence();
        let mut touched = std::mem::take(&mut self.touched);
        for (index, step) in self.steps.iter().enumerate() {
            let actor = step.step.actor;
            match index.checked_sub(1).filter(|&before| self.steps[before].step.actor == actor) {
                Some(before) => self.precede(before, index),
                None => {
                    let run = self.steps[index..].iter().take_while(|next| next.step.actor == actor).count();
                    if let Some(before) = self.last.insert(actor, index + run - 1) {
                        self.precede(before, index);
                    }
                }
            }
            for &touch in footprints.get(step.footprint).touches() {
                let touches = touched.entry(touch.object).or_default();
                for &(before, earlier) in &touches.all[touches.since_written..] {
                    if dependence.touches(earlier, touch.access) {
                        self.precede(before as usize, index);
                    }
                }
                if touch.access.contains(Access::WRITE) {
                    touches.since_written = touches.all.len();
                }
                touches.all.push((index as u32, touch.access));
            }
        }
        self.touched = touched;
    }

    /// One step has to come before another one.
    pub(crate) fn precede(&mut self, one: usize, other: usize) {
        self.followers[one].push(other as u32);
        self.start.waits[other] += u32::from(!self.start.taken[one]);
    }

    /// A step is there already.
    pub(crate) fn is_taken(&mut self, step: usize) {
        self.start.taken[step] = true;
        self.start.left -= 1;
        for &follower in &self.followers[step] {
            self.start.waits[follower as usize] -= 1;
        }
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
        let mut begun: Vec<Begun> = spans.chunks(64).map(|spans| Begun::new(spans, self.steps.len())).collect();
        loop {
            let mut changed = false;
            for (begun, base) in begun.iter_mut().zip((0..).step_by(64)) {
                begun.spread(&self.followers);
                for (other, rival) in spans.iter().enumerate() {
                    for one in members_of_word(0, begun.before[rival.last]).map(|one| base + one as usize) {
                        let span = &spans[one];
                        if one == other || span.handler != rival.handler || ordered[one * spans.len() + other] {
                            continue;
                        }
                        let is_free = |_: &usize| !ordered[other * spans.len() + one];
                        let Some(start) = rival.start.filter(is_free) else { return false };
                        ordered[one * spans.len() + other] = true;
                        self.precede(span.last, start);
                        changed = true;
                    }
                }
            }
            if !changed {
                return self.is_acyclic();
            }
        }
    }

    /// Whether there is an order of all steps, messages left aside.
    fn is_acyclic(&self) -> bool {
        let (mut waits, taken) = (self.start.waits.clone(), &self.start.taken);
        let mut free: Vec<usize> = (0..self.steps.len()).filter(|&step| waits[step] == 0 && !taken[step]).collect();
        let mut left = self.start.left;
        while let Some(step) = free.pop() {
            left -= 1;
            for &follower in &self.followers[step] {
                let follower = follower as usize;
                if taken[follower] {
                    return false;
                }
                waits[follower] -= 1;
                if waits[follower] == 0 {
                    free.push(follower);
                }
            }
        }
        left == 0
    }

    /// The messages whose steps are given.
    fn spans(&self) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for (index, step) in self.steps.iter().enumerate() {
            let Some(handler) = step.handler else { continue };
            match spans.iter_mut().rev().find(|span| span.actor == step.step.actor) {
                Some(span) => span.last = index,
                None => {
                    let start = step.starts.then_some(index);
                    spans.push(Span { actor: step.step.actor, handler, start, first: index, last: index });
                }
            }
        }
        spans
    }

    /// Looks for an order of what was saturated.
    pub(crate) fn solve<S: Runner>(
        mut self,
        stage: &mut S,
        footprints: &mut FootprintTable,
    ) -> (Option<Vec<Placed>>, u64) {
        let mut start = self.start.clone();
        let free = (0..self.steps.len()).filter(|&step| start.waits[step] == 0 && !start.taken[step]);
        for step in free {
            let into = if self.steps[step].starts { &mut start.starts } else { &mut start.ready };
            into.insert(step as u32);
        }
        let found = self.search(start, stage, footprints);
        (found.then_some(self.order), self.retreats)
    }

    fn search<S: Runner>(&mut self, mut standing: Standing, stage: &mut S, footprints: &mut FootprintTable) -> bool {
        self.settle(&mut standing, stage, footprints);
        if standing.left == 0 {
            return true;
        }
        if self.failed.contains(&standing.taken) {
            return false;
        }
        let (taken, length) = (stage.len(), self.order.len());
        for step in standing.starts.iter().map(|step| step as usize) {
            if is_held(&standing.holders, self.steps[step].handler) {
                continue;
            }
            let mut next = standing.clone();
            stage.take(self.steps[step].step);
            self.place(&mut next, step);
            if self.search(next, stage, footprints) {
                return true;
            }
            self.retreats += 1;
            self.order.truncate(length);
            stage.truncate(taken);
        }
        self.failed.insert(standing.taken);
        false
    }

    /// Takes everything to which there is no alternative, passing over the steps again and again.
    fn settle<S: Runner>(&mut self, standing: &mut Standing, stage: &mut S, footprints: &mut FootprintTable) {
        loop {
            let mut from = 0;
            while let Some(step) = standing.ready.first_from(from).or_else(|| standing.ready.first_from(0)) {
                stage.take(self.steps[step as usize].step);
                self.place(standing, step as usize);
                from = step + 1;
            }
            if !self.run_beyond(standing, stage, footprints) {
                return;
            }
        }
    }

    fn place(&mut self, standing: &mut Standing, step: usize) {
        self.order.push(Placed::Given(step));
        note_holder(&mut standing.holders, &self.steps[step]);
        let own = if self.steps[step].starts { &mut standing.starts } else { &mut standing.ready };
        own.remove(step as u32);
        standing.taken[step] = true;
        standing.left -= 1;
        for &follower in &self.followers[step] {
            let waits = &mut standing.waits[follower as usize];
            *waits -= 1;
            if *waits == 0 {
                let into =
                    if self.steps[follower as usize].starts { &mut standing.starts } else { &mut standing.ready };
                into.insert(follower);
            }
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
        for step in standing.starts.iter() {
            let handler = self.steps[step as usize].handler;
            let Some(&(handler, holder)) = standing.holders.iter().find(|held| Some(held.0) == handler) else {
                continue;
            };
            if self.last.get(&holder).is_some_and(|&last| !standing.taken[last]) {
                continue;
            }
            let taken = stage.len();
            let Some(beyond) = stage.go_on(holder, handler, footprints) else { continue };
            if self.spoils(standing, beyond.footprint, footprints) {
                stage.truncate(taken);
                continue;
            }
            if beyond.ends {
                standing.holders.retain(|held| held.0 != handler);
            }
            self.order.push(Placed::Beyond(beyond));
            return true;
        }
        false
    }

    /// Whether a footprint is in conflict with a step that was not taken yet.
    fn spoils(&self, standing: &Standing, footprint: FootprintId, footprints: &FootprintTable) -> bool {
        let dependence = footprints.dependence();
        footprints.get(footprint).touches().iter().any(|touch| {
            let touches = self.touched.get(&touch.object).map_or(&[][..], |touches| &touches.all);
            let is_left = |&(step, access): &(u32, Access)| {
                !standing.taken[step as usize] && dependence.touches(access, touch.access)
            };
            touches.iter().any(is_left)
        })
    }
}

fn is_held(holders: &Holders, handler: Option<ObjectId>) -> bool {
    holders.iter().any(|held| Some(held.0) == handler)
}

/// Of up to 64 messages, which have to begin before a step.
struct Begun {
    /// For each step.
    before: Vec<u64>,
    /// For each step the message whose first one it is.
    begins: Vec<u64>,
}

impl Begun {
    fn new(spans: &[Span], steps: usize) -> Self {
        let mut begun = Begun { before: vec![0; steps], begins: vec![0; steps] };
        spans.iter().zip(0..).for_each(|(span, number)| begun.begins[span.first] |= 1 << number);
        begun
    }

    /// Passes on to all followers what has to come before a step.
    fn spread(&mut self, followers: &[SmallVec<[u32; 4]>]) {
        loop {
            let mut is_behind = false;
            for (step, followers) in followers.iter().enumerate() {
                let begun = self.before[step] | self.begins[step];
                if begun == 0 {
                    continue;
                }
                for &follower in followers {
                    let before = &mut self.before[follower as usize];
                    is_behind |= (follower as usize) < step && *before | begun != *before;
                    *before |= begun;
                }
            }
            if !is_behind {
                return;
            }
        }
    }
}
