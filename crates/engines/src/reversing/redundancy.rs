//! Whether a sequence leads only to what was explored or will be.
//!
//! It does if a step after which everything was explored is a weak initial of it. For a step that starts no message, and for
//! one whose message is the first on its handler in the sequence, that is seen from the sequence alone. Otherwise another message comes
//! before it on the handler (Event-DPOR, appendix A.3). If a step of that one conflicts with the message, the message
//! cannot come first. If not, an actual execution is looked for in which it does (`arrangement`): the answer is exact.

use super::Search;
use super::arrangement::{Arrangement, Placed, Runner, note_holder};
use super::path::Sleeper;
use super::rehearsal::{Rehearsal, Steps};
use crate::shared::wakeup::{Fit, Occurrence, WeakInitial, weak_initial};
use mazurka_core::{Explored, Footprint, FootprintId, FootprintTable, Machine, Move};
use std::collections::VecDeque;

/// A message of more steps is not run to its end just to see what it does.
pub(super) const LONGEST: usize = 4096;

impl<M: Machine> Search<'_, '_, '_, M> {
    /// Inserts the sequence into the wakeup tree of a state unless it leads to what was or will be explored anyway. As far
    /// as it can begin like the path, it follows the path.
    pub(super) fn insert(&mut self, mut node: usize) {
        let mut sequence = std::mem::take(&mut self.sequence);
        while node < self.path.nodes.len()
            && !sequence.is_empty()
            && !self.is_redundant(node, sequence.make_contiguous())
        {
            match self.fit_path(node, &mut sequence) {
                Fit::Covered => break,
                Fit::Below => node += 1,
                Fit::No => {
                    self.insert_at(node, &mut sequence);
                    break;
                }
            }
        }
        self.sequence = sequence;
    }

    /// Inserts a sequence into the wakeup tree of a state unless a branch of the tree covers it.
    pub(super) fn insert_at(&mut self, node: usize, sequence: &mut VecDeque<Occurrence>) {
        let mut trees = std::mem::take(&mut self.trees);
        let mut branches = self.path.nodes[node].branches;
        let mut above: Vec<Occurrence> = Vec::new();
        if node < self.floor {
            // The state belongs to another search, which will have to look at it again.
            let whole = sequence.iter().copied().collect();
            if !trees.covers(branches, sequence, |first, run, rest| self.fit(node, &mut above, first, run, rest)) {
                self.above.push(node, whole, self.reversed.condition(), self.pool.arranges());
            }
        } else if trees.insert(&mut branches, sequence, |first, run, rest| self.fit(node, &mut above, first, run, rest))
        {
            self.counts.inserted += 1;
            if self.tally.is_watched() {
                let moves: Vec<Move> = above.iter().chain(sequence.iter()).map(|step| step.step).collect();
                self.tally.show(&Explored::Branch { depth: node, moves: &moves, because: self.because });
            }
            self.reversed.depend();
        }
        self.trees = trees;
        self.path.nodes[node].branches = branches;
    }

    /// A step from a state of the path as one after which everything is, or will have been, explored.
    pub(super) fn sleeper(&mut self, node: usize, first: Occurrence) -> Sleeper {
        let whole = if first.starts { self.whole(node, &first) } else { first.footprint };
        Sleeper { occurrence: first, node: node as u32, whole, overtaken: false, started: false }
    }

    /// What the message that a step from a state starts touches if no other actor moves in between. (What it touched on the path is
    /// the same unless it branches; this depends on the state alone.)
    fn whole(&mut self, node: usize, first: &Occurrence) -> FootprintId {
        let is_own = self.path.steps.get(node).is_some_and(|taken| taken.occurrence == *first);
        let mut run = Vec::new();
        if is_own && self.path.runs_alone(node) {
            run.extend(self.path.message_steps(node).map(|taken| taken.footprint));
            self.runs.insert(self.path.name_of_first(node), first.step, run);
            return self.path.whole(node);
        }
        self.trail.visit(node, &self.tally.schedule.moves, &mut self.machine);
        let mut whole = Footprint::default();
        let (mut next, mut running) = (first.step, None);
        for _ in 0..LONGEST {
            let record = self.machine.step(next);
            let taken = self.path.occurrence(next, record, running);
            whole.include(self.path.footprints.get(taken.footprint));
            run.push(taken.footprint);
            if taken.ends {
                self.runs.insert(self.path.name_of_first(node), first.step, run);
                break;
            }
            if !self.machine.enabled().contains(&next.actor) {
                break;
            }
            (next, running) = (Move::from(next.actor), first.handler);
        }
        whole.seal();
        self.path.footprints.intern(&whole)
    }

    /// Whether a step after which everything was explored is a weak initial of a sequence.
    fn is_redundant(&mut self, node: usize, sequence: &[Occurrence]) -> bool {
        let mut unclear: Vec<Sleeper> = Vec::new();
        for sleeper in self.path.sleepers(node) {
            let first = &sleeper.occurrence;
            let answer = if sleeper.overtaken {
                WeakInitial::Unclear
            } else {
                weak_initial(first, sequence.iter().copied(), &self.path.footprints)
            };
            match answer {
                WeakInitial::At(_) | WeakInitial::Beside => return true,
                WeakInitial::Unclear => unclear.push(*sleeper),
                WeakInitial::No => {}
            }
        }
        unclear.iter().any(|sleeper| self.comes_first(sleeper, node, sequence))
    }

    /// What the path's own step from a state means to a sequence.
    fn fit_path(&mut self, node: usize, sequence: &mut VecDeque<Occurrence>) -> Fit {
        let Some(current) = self.path.steps.get(node).map(|taken| taken.occurrence) else { return Fit::No };
        if current.starts {
            let answer = weak_initial(&current, sequence.iter().copied(), &self.path.footprints);
            if answer == WeakInitial::Unclear {
                let whole = self.path.whole(node);
                if self.conflicts_with_rival(&current, whole, sequence.make_contiguous()) {
                    return Fit::No;
                }
            }
        }
        let after = self.path.steps[node + 1..].iter().map(|taken| taken.occurrence);
        let is_own = |next: &Occurrence| current.starts && next.step == Move::from(current.step.actor);
        let run: Vec<Occurrence> = after.take_while(is_own).collect();
        self.fit(node, &mut Vec::new(), &current, run.into_iter(), sequence)
    }

    /// Whether a message conflicts with one that comes before it on its handler in a sequence.
    fn conflicts_with_rival(&self, first: &Occurrence, whole: FootprintId, sequence: &[Occurrence]) -> bool {
        let before = sequence.iter().take_while(|next| next.step.actor != first.step.actor);
        let mut rivals = before.filter(|next| next.handler == first.handler);
        rivals.any(|rival| self.path.footprints.conflict(rival.footprint, whole))
    }

    /// Whether a message could have come first though another one comes before it on its handler.
    fn comes_first(&mut self, sleeper: &Sleeper, node: usize, sequence: &[Occurrence]) -> bool {
        if !sleeper.started && self.conflicts_with_rival(&sleeper.occurrence, sleeper.whole, sequence) {
            return false;
        }
        let base = sleeper.node as usize;
        let mut steps: Vec<Occurrence> = self.path.steps[base..node].iter().map(|taken| taken.occurrence).collect();
        steps.extend_from_slice(sequence);
        if self.can_go_ahead(sleeper, &steps) {
            return true;
        }
        self.embed(base, &[], &sleeper.occurrence, std::iter::empty(), Some(sleeper.whole), &steps).is_some()
    }

    /// Whether a message can be run to its end before everything else in a sequence: nothing there that comes before a step
    /// of it conflicts with that, and nothing at all with what the message does beyond the sequence.
    fn can_go_ahead(&self, sleeper: &Sleeper, sequence: &[Occurrence]) -> bool {
        let first = sleeper.occurrence.step;
        let Some(run) = self.runs.get(self.path.name_of_first(sleeper.node as usize), first) else { return false };
        let footprints = &self.path.footprints;
        let conflicts =
            |own: &[FootprintId], other: FootprintId| own.iter().any(|&own| footprints.conflict(own, other));
        // What of the message has not come yet.
        let mut left = run;
        let given = sequence.iter().filter(|step| step.step.actor == first.actor).count();
        let beyond = run.get(given..).unwrap_or_default();
        sequence.iter().all(|step| {
            if step.step.actor == first.actor {
                let expected = if step.starts { first } else { Move::from(first.actor) };
                let is_same = left.first() == Some(&step.footprint) && step.step == expected;
                left = left.get(1..).unwrap_or_default();
                return is_same;
            }
            !footprints.conflict(step.footprint, sleeper.whole)
                || !conflicts(beyond, step.footprint) && !conflicts(left, step.footprint)
        })
    }

    /// What a branch of the wakeup tree of a state, below `above`, means to the rest of a sequence.
    /// `run` is what the branch's actor does next, as far as that is known.
    fn fit(
        &mut self,
        node: usize,
        above: &mut Vec<Occurrence>,
        first: &Occurrence,
        run: impl Iterator<Item = Occurrence>,
        rest: &mut VecDeque<Occurrence>,
    ) -> Fit {
        match weak_initial(first, rest.iter().copied(), &self.path.footprints) {
            WeakInitial::No => return Fit::No,
            WeakInitial::Beside => return Fit::Covered,
            WeakInitial::At(place) => {
                rest.remove(place);
            }
            WeakInitial::Unclear => match self.embed(node, above, first, run, None, rest.make_contiguous()) {
                None => return Fit::No,
                Some(reordered) => *rest = reordered.into(),
            },
        }
        above.push(*first);
        Fit::Below
    }

    /// Looks for an execution that goes on from a state of the path with the steps `above` and then `first`, and that
    /// contains a sequence; returns what follows `first`.
    fn embed(
        &mut self,
        node: usize,
        above: &[Occurrence],
        first: &Occurrence,
        run: impl Iterator<Item = Occurrence>,
        whole: Option<FootprintId>,
        sequence: &[Occurrence],
    ) -> Option<Vec<Occurrence>> {
        let schedule = &self.tally.schedule.moves;
        let mut stage = Rehearsal {
            machine: &mut self.machine,
            is_bag: self.path.is_bag(),
            foreseen: &mut self.foreseen,
            steps: Steps::from(self.path.name_of_first(node)),
            run: None,
            visit: |machine: &mut M| self.trail.visit(node, schedule, machine),
        };
        above.iter().chain([first]).for_each(|step| stage.take(step.step));
        let length = stage.len();
        match run_alone(first, run, sequence, &mut stage, &mut self.path.footprints) {
            Alone::Fits(execution) => return Some(execution),
            Alone::Conflicts => return None,
            Alone::Unclear => stage.truncate(length),
        }
        let mut holders = self.path.holders(node);
        above.iter().chain([first]).for_each(|step| note_holder(&mut holders, step));
        let mut arrangement = Arrangement::new(sequence, &self.path.footprints, holders);
        let (actor, handler) = (first.step.actor, first.handler);
        arrangement.comes_first(actor, handler);
        // What the message does beyond the sequence must not come before what conflicts with it there.
        let mut own = sequence.iter().filter(|step| step.step.actor == actor);
        if let Some(whole) = whole.filter(|_| own.all(|step| step.starts)) {
            arrangement.waits_for_conflicts(actor, handler, whole, &self.path.footprints);
        }
        if let Some(own) = sequence.iter().position(|step| step.step == first.step) {
            arrangement.is_taken(own);
        }
        if !arrangement.saturate() {
            return None;
        }
        let (order, retreats) = arrangement.solve(&mut stage, &mut self.path.footprints);
        if retreats > 0 {
            self.reversed.depend();
        }
        let given = |placed| match placed {
            Placed::Given(step) => sequence[step],
            Placed::Beyond(occurrence) => occurrence,
        };
        Some(order?.into_iter().map(given).collect())
    }
}

/// Runs a message that has just started to its end, if the sequence has nothing but its start: whether that conflicts with
/// anything in the sequence, and whether only with messages that have to wait for it. (Then nothing that the message
/// looks at can be changed before it has ended.)
fn run_alone(
    first: &Occurrence,
    mut run: impl Iterator<Item = Occurrence>,
    sequence: &[Occurrence],
    stage: &mut impl Runner,
    footprints: &mut FootprintTable,
) -> Alone {
    let actor = first.step.actor;
    if sequence.iter().any(|step| step.step.actor == actor && !step.starts) {
        return Alone::Unclear;
    }
    let (mut execution, mut touched, mut ends) = (Vec::new(), Footprint::default(), first.ends);
    while !ends {
        let Some(handler) = first.handler.filter(|_| execution.len() < LONGEST) else { return Alone::Unclear };
        let known = run.next().inspect(|next| stage.take(next.step));
        let Some(next) = known.or_else(|| stage.go_on(actor, handler, footprints)) else { return Alone::Unclear };
        touched.include(footprints.get(next.footprint));
        ends = next.ends;
        execution.push(next);
    }
    touched.seal();
    let touched = footprints.intern(&touched);
    let others = sequence.iter().filter(|step| step.step.actor != actor);
    let mut conflicting = others.filter(|step| footprints.conflict(step.footprint, touched)).peekable();
    if conflicting.peek().is_some() {
        let is_rival = |step: &Occurrence| step.handler == first.handler;
        return if conflicting.all(is_rival) { Alone::Conflicts } else { Alone::Unclear };
    }
    execution.extend(sequence.iter().filter(|step| step.step.actor != actor));
    Alone::Fits(execution)
}

/// What comes of a message that is run alone to its end.
enum Alone {
    /// It conflicts with nothing: this follows its first step.
    Fits(Vec<Occurrence>),
    /// It conflicts with a message that has to wait for it.
    Conflicts,
    /// It conflicts with something else, or more of it is needed.
    Unclear,
}
