//! Where nothing is saved, everybody is tried.
//!
//! To find out who need not be tried costs about as much as to try them. Where, after five hundred transitions, everybody is
//! to be tried in every state where that is settled, claims are given up: from there on everybody is tried everywhere, as
//! `exhaustive` does it and nearly at its price. (It is not settled where somebody is still to be tried: whoever comes
//! into conflict with that is yet to be known.) Nothing is missed by that: it is never wrong to try somebody, and where
//! everybody is tried nobody needs to know what follows.
//!
//! Executions go to the end of a program or round its cycles, so the first of them have seen much of it. But there may be a
//! part that is seldom reached and in which much is saved. So whenever four times as many transitions were taken, a small
//! search from the state whose turn it is looks whether it saves anything there: a few executions, since in the middle of
//! one nothing is settled. If it does, the search begins anew and does not give up again. All but what it has found is
//! lost then: at most four times as many transitions as it had taken when it came to such a part.

use super::graph::Way;
use super::nodes::NodeId;
use super::{Search, Whereabouts};
use crate::Options;
use crate::findings::{Finding, Findings};
use mazurka_core::{ActorId, Move, Outcome, Silent, Step, StopReason, System};

/// So many transitions must have saved nothing, unless the options say how many.
const PATIENCE: u64 = 512;
/// A step for so many of them must be one of which it is settled whether it is to be tried. Otherwise it looks again when
/// twice as many were taken.
const SETTLED: u64 = 8;
/// It looks again when so many times as many transitions were taken.
const RARELY: u64 = 4;
/// The most transitions after which a small search ends, and the part of those taken until then. It ends with the current
/// execution if that takes no more than so many times as many transitions, or that part of those taken until then.
const LARGEST_SAMPLE: u64 = 1024;
const SAMPLED: u64 = 16;
const OVERTIME: u64 = 4;
const MOST_SAMPLED: u64 = 64;
/// Of so many steps at least one must be saved in a small search for a new beginning.
const WORTH_IT: u64 = 8;

/// How a search tells whether it saves anything.
pub(super) struct Effort {
    /// So many transitions must have saved nothing.
    patience: u64,
    /// After how many transitions it looks next; never, if there is no such number.
    next_look: Option<u64>,
    /// Whether there is much to save all the same.
    pub(super) was_hasty: bool,
    /// Whether this is a small search, which ends when it would look.
    pub(super) is_sample: bool,
    /// Records steps whose footprints nobody asks for.
    step: Step,
}

impl Effort {
    /// Schedules that may have a certain length only are looked at again when it is known which ways are the shortest; that
    /// takes all transitions.
    pub(super) fn new(options: &Options) -> Self {
        let may_give_up = options.budget.depth.is_none();
        let patience = options.patience.unwrap_or(PATIENCE);
        let next_look = may_give_up.then_some(patience);
        Effort { patience, next_look, was_hasty: false, is_sample: false, step: Step::without_footprint() }
    }

    /// Never gives up.
    fn persists(self) -> Self {
        Effort { next_look: None, ..self }
    }
}

impl<'a, S: System> Search<'a, S> {
    /// Looks every now and then whether anything is saved, and gives up if not; after that, whether that was right. False
    /// if it was not: then the search should begin anew. False, too, at the end of a small search.
    pub(super) fn is_worth_going_on(&mut self) -> bool {
        if self.effort.next_look.is_none_or(|look| self.transitions < look) {
            return true;
        }
        if self.effort.is_sample {
            return false;
        }
        let mut pause = RARELY;
        if self.graph.has_given_up_claims() {
            self.effort.was_hasty = self.saves_elsewhere();
        } else {
            let nodes = &self.graph.nodes;
            // Mostly something is saved, which is found out soon.
            if !nodes.saves_anything() {
                let (_, settled) = nodes.savings();
                if SETTLED * settled >= self.effort.patience {
                    self.graph.give_up_claims();
                } else {
                    pause = 2;
                }
            }
        }
        self.effort.next_look = Some(pause * self.transitions);
        !self.effort.was_hasty
    }

    /// Whether a small search from the state whose turn it is saves anything.
    fn saves_elsewhere(&mut self) -> bool {
        let Some(&from) = self.graph.pending.last() else { return false };
        self.graph.restore(from);
        let options = Options { all: true, ..self.options.clone() };
        let mut nobody = Silent;
        let mut sample = Search::new(self.system, &options, &mut nobody);
        let look = (self.transitions / SAMPLED).min(LARGEST_SAMPLE);
        sample.effort = Effort { is_sample: true, next_look: Some(look), ..Effort::new(&options) };
        sample.next_check = (OVERTIME * look).max(self.transitions / MOST_SAMPLED);
        sample.meter = self.meter.clone();
        // What stops it is a limit, which will stop this search, too; or its executions are too long to be a sample.
        if sample.run_from(vec![self.graph.state(from).clone()]).is_err() {
            return false;
        }
        let (saved, all) = sample.graph.nodes.savings();
        saved * WORTH_IT >= all && saved > 0
    }

    /// The same search from its beginning, which does not give up. What was found stays found.
    pub(super) fn anew(mut self) -> Self {
        let mut findings = Findings::new(self.findings.by_values());
        for Finding { violation, length, place } in self.findings.drain() {
            let schedule = place.schedule(&self.graph, &self.starts);
            findings.note(&violation, length, || Whereabouts::Schedule(schedule));
        }
        let Search { system, options, observer, meter, transitions, .. } = self;
        let effort = Effort::new(options).persists();
        Search { effort, meter, transitions, findings, ..Search::new(system, options, observer) }
    }

    /// Tries everybody in a state, without a look at what they touch. An execution ends with each step that leads to a known
    /// state, or to an end.
    pub(super) fn try_everybody(&mut self, from: NodeId) -> Result<(), StopReason> {
        self.graph.restore(from);
        self.trials.len = 0;
        for word in 0..self.graph.nodes.words() {
            for actor in self.graph.nodes.begin_all(from, word) {
                self.take_blindly(from, ActorId(actor))?;
            }
        }
        for trial in self.trials.waiting() {
            trial.known = self.graph.nodes.find(trial.fingerprint);
        }
        for index in 0..self.trials.len {
            let trial = &self.trials.list[index];
            if trial.known.is_none() {
                let way = Some(Way { from, step: trial.step, label: None });
                let (to, is_new) = self.graph.enter(&trial.state, trial.fingerprint, &mut self.enabled, way);
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
        self.graph.forget(from);
        Ok(())
    }

    /// Takes a step with all its outcomes, unless it is idle.
    fn take_blindly(&mut self, from: NodeId, actor: ActorId) -> Result<(), StopReason> {
        let state = self.graph.state(from);
        if self.system.insight().is_idle(state, actor, self.step.footprint_mut()) {
            return Ok(());
        }
        let mut outcome = Some(Outcome::FIRST);
        while let Some(current) = outcome {
            let step = Move { actor, outcome: current };
            let trial = self.trials.add(step, self.graph.state(from));
            self.effort.step.take(self.system, &mut trial.state, step);
            trial.fingerprint = self.system.insight().fingerprint(&trial.state);
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
