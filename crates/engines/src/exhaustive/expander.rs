//! Makes the successors of states, and hands them on.
//!
//! Successors are made in scratch states that are used again unless a successor is new. Those that were met recently are
//! dropped at once; the others are looked up in groups, whose slots of the visited set are fetched from memory at the
//! same time. Of equal successors the first one is handed on, so none of this changes what the search finds.

use crate::shared::ancestry::Ancestry;
use crate::shared::data_race::Neighbours;
use crate::shared::findings::{Finding, Findings};
use crate::shared::frontier::{Chunk, Frontier, Packing, copy_into};
use crate::shared::visited::{Key, Recent, VisitedSet};
use mazurka_core::{ActorId, Ending, Fingerprint, Meter, Move, Outcome, Step, System};

/// How many successors are looked up at a time.
const GROUP: usize = 64;

/// Where a violation was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoundAt {
    /// The number of a state.
    pub(super) state: u64,
    /// On the way to which of its successors; `None` if in the state itself.
    pub(super) successor: Option<u32>,
    /// And with which step after that, if one more is needed.
    pub(super) then: Option<Move>,
}

/// What there is to know about states that are to be expanded.
pub(super) struct Task<'a, S: System> {
    pub(super) system: &'a S,
    pub(super) packing: &'a Packing<'a, S>,
    /// Where it is over, the rest of the states is left.
    pub(super) meter: &'a Meter,
    /// The length of the schedules that lead to these states.
    pub(super) depth: u64,
    /// The violations that are known already.
    pub(super) known: &'a Findings<FoundAt>,
    /// Only see which of the states are end states.
    pub(super) look_only: bool,
    /// Schedules may be so long.
    pub(super) longest: Option<u64>,
}

/// What came up while states were expanded, in the order of the frontier.
#[derive(Default)]
pub(super) struct Report {
    pub(super) findings: Vec<Finding<FoundAt>>,
    pub(super) ends: Vec<(Ending, Fingerprint)>,
    pub(super) transitions: u64,
    /// States that could have been expanded but were only looked at.
    pub(super) cuts: u64,
}

/// A successor that waits to be looked up. Its state is in the scratch state of the same index.
struct Pending {
    key: Key,
    parent: u64,
    ordinal: u32,
}

/// Takes the successors, in the order of the frontier.
pub(super) trait Sink<T> {
    /// The set they are looked up in.
    fn visited(&self) -> &VisitedSet;

    /// Takes the state out if it may be a new one.
    fn offer(&mut self, key: Key, parent: u64, ordinal: u32, state: &mut Option<T>);
}

/// Makes successors. Its memory serves from batch to batch. Threads do not share the cache lines of theirs.
#[repr(align(128))]
pub(super) struct Expander<S: System> {
    step: Step,
    actors: Vec<ActorId>,
    /// The state that is expanded, if states are packed.
    parent: Option<S::State>,
    scratch: Vec<Option<S::State>>,
    pending: Vec<Pending>,
    recent: Recent,
    /// Those of the pending ones that were not met recently.
    unknown: [usize; GROUP],
    findings: Findings<FoundAt>,
    report: Report,
    /// Looks for data races, if that is wanted.
    races: Option<Box<Neighbours>>,
}

impl<S: System> Expander<S> {
    pub(super) fn new(by_values: bool, races: bool) -> Self {
        Expander {
            step: Step::without_footprint(),
            actors: Vec::new(),
            parent: None,
            scratch: (0..GROUP).map(|_| None).collect(),
            pending: Vec::with_capacity(GROUP),
            recent: Recent::new(),
            unknown: [0; GROUP],
            findings: Findings::new(by_values),
            report: Report::default(),
            races: races.then(Box::default),
        }
    }

    /// Expands some states; `number` is that of the first one, and the others follow it.
    pub(super) fn expand<K: Sink<S::State>>(
        &mut self,
        task: &Task<'_, S>,
        mut number: u64,
        parents: &[Chunk<S::State>],
        sink: &mut K,
    ) {
        let mut place = self.parent.take();
        for chunk in parents {
            let mut states = chunk.read(task.packing, &mut place);
            while let Some(state) = states.next()
                && !task.meter.is_over()
            {
                self.expand_state(task, state, number, sink);
                number += 1;
            }
        }
        self.parent = place;
        self.hand_on(sink);
    }

    /// What came up since this was last asked.
    pub(super) fn take_report(&mut self) -> Report {
        let mut report = std::mem::take(&mut self.report);
        report.findings.extend(self.findings.drain());
        report
    }

    fn expand_state<K: Sink<S::State>>(&mut self, task: &Task<'_, S>, state: &S::State, number: u64, sink: &mut K) {
        self.actors.clear();
        task.system.enabled(state, &mut self.actors);
        if self.actors.is_empty() {
            self.end(task, state, number);
        } else if task.look_only {
            self.report.cuts += 1;
        } else {
            self.take_steps(task, state, number, sink);
            if self.races.is_some() {
                self.look_for_races(task, state, number);
            }
        }
    }

    fn take_steps<K: Sink<S::State>>(&mut self, task: &Task<'_, S>, parent: &S::State, number: u64, sink: &mut K) {
        let mut ordinal = 0;
        for index in 0..self.actors.len() {
            let actor = self.actors[index];
            let mut outcome = Some(Outcome::FIRST);
            while let Some(current) = outcome {
                if self.pending.len() == GROUP {
                    self.hand_on(sink);
                    if task.meter.is_over() {
                        self.report.transitions += u64::from(ordinal);
                        return;
                    }
                }
                let successor = copy_into(&mut self.scratch[self.pending.len()], parent);
                self.step.take(task.system, successor, Move { actor, outcome: current });
                let key = Key::from(task.system.insight().fingerprint(successor));
                self.pending.push(Pending { key, parent: number, ordinal });
                outcome = self.step.next_outcome();
                if !self.step.violations().is_empty() {
                    self.violated(task, number, ordinal);
                }
                ordinal += 1;
            }
        }
        self.report.transitions += u64::from(ordinal);
    }

    fn hand_on<K: Sink<S::State>>(&mut self, sink: &mut K) {
        // Written without a branch: whether a state was met recently cannot be predicted.
        let mut count = 0;
        for (index, pending) in self.pending.iter().enumerate() {
            self.unknown[count] = index;
            count += usize::from(self.recent.is_new(pending.key));
        }
        let unknown = &self.unknown[..count];
        sink.visited().warm(unknown.iter().map(|&index| self.pending[index].key));
        for &index in unknown {
            let pending = &self.pending[index];
            sink.offer(pending.key, pending.parent, pending.ordinal, &mut self.scratch[index]);
        }
        self.pending.clear();
    }

    #[cold]
    fn violated(&mut self, task: &Task<'_, S>, state: u64, ordinal: u32) {
        for violation in self.step.violations() {
            if task.known.wants(violation, task.depth + 1) {
                let place = FoundAt { state, successor: Some(ordinal), then: None };
                self.findings.note(violation, task.depth + 1, || place);
            }
        }
    }

    /// Notes the data races that begin with a step from a state.
    #[cold]
    fn look_for_races(&mut self, task: &Task<'_, S>, state: &S::State, number: u64) {
        let length = task.depth + 2;
        if let Some(races) = &mut self.races
            && task.longest.is_none_or(|longest| length <= longest)
        {
            let findings = &mut self.findings;
            races.look(task.system, state, &self.actors, task.meter, &mut |race| {
                if task.known.wants(&race.violation, length) {
                    let (successor, then) = (Some(race.first), Some(race.second));
                    findings.note(&race.violation, length, || FoundAt { state: number, successor, then });
                }
            });
        }
    }

    #[cold]
    fn end(&mut self, task: &Task<'_, S>, state: &S::State, number: u64) {
        let ending = task.system.ending(state);
        if let Ending::Deadlock(violation) = &ending
            && task.known.wants(violation, task.depth)
        {
            self.findings.note(violation, task.depth, || FoundAt { state: number, successor: None, then: None });
        }
        self.report.ends.push((ending, task.system.insight().fingerprint(state)));
    }
}

/// Adds new states to the visited set and to the next level at once.
pub(super) struct Direct<'a, S: System> {
    pub(super) packing: &'a Packing<'a, S>,
    pub(super) visited: &'a mut VisitedSet,
    pub(super) next: &'a mut Frontier<S::State>,
    pub(super) ancestry: &'a mut Ancestry,
}

impl<S: System> Sink<S::State> for Direct<'_, S> {
    fn visited(&self) -> &VisitedSet {
        self.visited
    }

    #[inline]
    fn offer(&mut self, key: Key, parent: u64, ordinal: u32, state: &mut Option<S::State>) {
        if self.visited.insert(key) {
            self.next.push(self.packing, state);
            self.ancestry.push(parent, ordinal);
        }
    }
}
