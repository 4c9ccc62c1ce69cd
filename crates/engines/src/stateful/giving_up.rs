//! Where there is no reduction, all actors are tried.
//!
//! Finding out which actors need not be tried costs about as much as trying them. Where, after five hundred transitions, the
//! backtrack set of every settled state contains all its enabled actors, the analysis is given up: from there on all actors
//! are tried everywhere, as in `exhaustive` and nearly at its price. (A state is not settled while its backtrack set has an
//! untried actor: the conflicts of that one are not known yet.) Nothing is missed by that: it is never wrong to try an
//! actor, and where all are tried no summary is needed.
//!
//! Executions go to the end of a program or round its cycles, so the first of them have seen much of it. But a part that is
//! seldom reached may allow a large reduction. So whenever four times as many transitions were taken, a small search, the
//! *sample*, starts from the state whose turn it is and finds out whether there is a reduction: a few executions, since in
//! the middle of one nothing is settled. If there is, the search starts again and does not give up any more. All but what
//! it has found is lost then: at most four times as many transitions as it had taken when it came to such a part.

use super::graph::Origin;
use super::search::Search;
use super::store::nodes::NodeId;
use crate::Options;
use mazurka_core::{ActorId, Move, Outcome, Silent, Step, StopReason, System};

/// How many transitions must have given no reduction, unless the options say another number.
const PATIENCE: u64 = 512;
/// One step for each this many of them must be settled. Otherwise it looks again when twice as many were taken.
const SETTLED: u64 = 8;
/// It looks again when this many times as many transitions were taken.
const RARELY: u64 = 4;
/// A sample ends after this many transitions, or after this fraction of those taken so far, if that is less.
const LARGEST_SAMPLE: u64 = 1024;
const SAMPLED: u64 = 16;
/// The last execution of a sample may take this many times as many transitions, or this fraction of those taken so far.
const OVERTIME: u64 = 4;
const MOST_SAMPLED: u64 = 64;
/// Of this many steps of a sample at least one must be left out for a new start.
const WORTH_IT: u64 = 8;

/// When a search looks for reductions, and what it concluded.
pub(super) struct Effort {
    /// This many transitions must have given no reduction.
    patience: u64,
    /// After how many transitions it looks next; never, if there is no such number.
    next_look: Option<u64>,
    /// Whether it gave up though there is a reduction.
    gave_up_too_early: bool,
    /// Whether this is a sample, which ends when it would look.
    pub(super) is_sample: bool,
    /// Takes steps without recording footprints.
    step: Step,
}

impl Effort {
    /// With a bound on the length of schedules the search never gives up: the shortest paths are computed at the end, and
    /// that takes all transitions.
    pub(super) fn new(options: &Options) -> Self {
        let may_give_up = options.budget.depth.is_none();
        let patience = options.patience.unwrap_or(PATIENCE);
        let next_look = may_give_up.then_some(patience);
        Effort { patience, next_look, gave_up_too_early: false, is_sample: false, step: Step::without_footprint() }
    }

    /// Never gives up.
    fn persists(self) -> Self {
        Effort { next_look: None, ..self }
    }
}

impl<'a, S: System> Search<'a, S> {
    /// Looks now and then whether there is any reduction, and gives up if not; after that, whether that was right. False if
    /// it was not: then the search should start again. False, too, at the end of a sample.
    pub(super) fn may_continue(&mut self) -> bool {
        let transitions = self.ledger.transitions;
        if self.effort.next_look.is_none_or(|look| transitions < look) {
            return true;
        }
        if self.effort.is_sample {
            return false;
        }
        let mut pause = RARELY;
        if self.graph.has_given_up() {
            self.effort.gave_up_too_early = self.reduces_elsewhere();
        } else {
            let nodes = &self.graph.nodes;
            // Mostly there is a reduction, which is found out soon.
            if !nodes.reduces_anything() {
                let (_, settled) = nodes.reductions();
                if SETTLED * settled >= self.effort.patience {
                    self.graph.give_up();
                } else {
                    pause = 2;
                }
            }
        }
        self.effort.next_look = Some(pause * transitions);
        !self.effort.gave_up_too_early
    }

    /// Whether it gave up though there is a reduction.
    pub(super) fn gave_up_too_early(&self) -> bool {
        self.effort.gave_up_too_early
    }

    /// Whether a sample from the state whose turn it is finds a reduction.
    fn reduces_elsewhere(&mut self) -> bool {
        let Some(&from) = self.graph.pending.last() else { return false };
        self.graph.restore(from);
        let options = Options { all: true, ..self.ledger.options.clone() };
        let mut silent = Silent;
        let mut sample = Search::new(self.system, &options, &mut silent);
        // An actor may hold some from the start of the sample on.
        sample.graph.mutexes = self.graph.mutexes.clone();
        let transitions = self.ledger.transitions;
        let look = (transitions / SAMPLED).min(LARGEST_SAMPLE);
        sample.effort = Effort { is_sample: true, next_look: Some(look), ..Effort::new(&options) };
        sample.ledger.next_check = (OVERTIME * look).max(transitions / MOST_SAMPLED);
        sample.ledger.meter = self.ledger.meter.clone();
        // What stops it is a limit, which will stop this search, too; or its executions are too long for a sample.
        if sample.run_from(vec![self.graph.state(from).clone()]).is_err() {
            return false;
        }
        let (left_out, all) = sample.graph.nodes.reductions();
        left_out * WORTH_IT >= all && left_out > 0
    }

    /// The same search from its beginning, which does not give up. What was found stays found.
    pub(super) fn start_again(self) -> Self {
        let effort = Effort::new(self.ledger.options).persists();
        self.again(effort)
    }

    /// Tries all actors in a state, without their footprints. An execution ends with each step that leads to a known state,
    /// or to an end.
    pub(super) fn try_all(&mut self, from: NodeId) -> Result<(), StopReason> {
        self.graph.restore(from);
        self.successors.len = 0;
        for word in self.graph.nodes.words(from) {
            for actor in self.graph.nodes.begin_all(from, word) {
                self.take_without_footprint(from, ActorId(actor))?;
            }
        }
        for successor in self.successors.pending() {
            successor.known = self.graph.nodes.find(successor.fingerprint);
        }
        for index in 0..self.successors.len {
            let successor = &self.successors.list[index];
            if successor.known.is_none() {
                let way = Some(Origin { from, step: successor.step, label: None });
                let (to, is_new) = self.graph.enter(&successor.state, successor.fingerprint, &mut self.enabled, way);
                if is_new {
                    self.check_end(to)?;
                    if !self.graph.nodes.is_end(to) {
                        self.graph.pending.push(to);
                        continue;
                    }
                }
            }
            self.executions += 1;
        }
        self.graph.drop_state(from);
        Ok(())
    }

    /// Takes a step with all its outcomes, unless it is idle.
    fn take_without_footprint(&mut self, from: NodeId, actor: ActorId) -> Result<(), StopReason> {
        let state = self.graph.state(from);
        if self.system.insight().is_idle(state, actor, self.step.footprint_mut()) {
            return Ok(());
        }
        let mut outcome = Some(Outcome::FIRST);
        while let Some(current) = outcome {
            let step = Move { actor, outcome: current };
            let successor = self.successors.add(step, self.graph.state(from));
            self.effort.step.take(self.system, &mut successor.state, step);
            successor.fingerprint = self.system.insight().fingerprint(&successor.state);
            outcome = self.effort.step.next_outcome();
            if !self.effort.step.violations().is_empty() {
                let violations = self.effort.step.violations().to_vec();
                self.note(&violations, from, Some(step))?;
            }
            self.count()?;
        }
        Ok(())
    }
}
