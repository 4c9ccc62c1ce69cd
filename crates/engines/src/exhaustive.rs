//! Every reachable state, once: breadth-first search, level by level.
//!
//! This is the oracle that the other engines are measured against. It promises to visit every state, so it meets every
//! violation and every end state that any schedule leads to, on programs with cycles too; the schedule of a violation is
//! as short as any. The price is the number of states.
//!
//! What it finds, in which order and with which schedules does not depend on the number of threads. A level is expanded
//! batch by batch. One thread adds the successors to the visited set as it makes them. Several threads take part in three
//! phases: first each expands its share of the batch and looks into the visited set without changing it, keeping the
//! successors that are not there (`Candidates`); then each takes some shards of the set and adds the candidates
//! that belong there, in the order of the frontier, so that of several equal candidates the first one stays; at last each
//! packs those of its candidates that stayed. Either way the new states follow each other in the order of the frontier, and
//! get their numbers in that order.
//!
//! A state is 16 bytes of fingerprint in the [`VisitedSet`] and about 2 bytes of [`Ancestry`] for its schedule. Only the
//! frontier holds states, as what differs from the state before.

mod expander;

use crate::Options;
use crate::shared::ancestry::Ancestry;
use crate::shared::findings::Finding;
use crate::shared::frontier::{Chunk, Frontier, Packing};
use crate::shared::ledger::Ledger;
use crate::shared::visited::{self, Key, VisitedSet};
use expander::{Candidates, Deferred, Direct, Expander, FoundAt, Report, Task};
use mazurka_core::{Bound, Counter, Exploration, Move, Observer, Progress, Schedule, Step, StopReason, System, Traits};
use rayon::prelude::*;

/// Batches smaller than this are expanded by one thread: waking the others would take longer. Tests use several threads
/// all the same.
const WORTH_SHARING: usize = if cfg!(test) { 16 } else { 512 };

/// How many states wait in one piece, which one thread expands.
const PIECE: usize = 128;

/// The most states that one thread expands before the others catch up.
const SHARE: usize = 512;

/// The same where the size of the search is limited: each state may have hundreds of successors.
const SMALL_SHARE: usize = 64;

/// How many states are expanded between two looks at the limits.
const CHECK_EVERY: usize = 1024;

/// Suits every program.
pub(crate) fn refuses(_traits: &Traits) -> Option<String> {
    None
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut search = Search::new(system, options, observer);
    let stop = search.search().unwrap_or_else(|LevelIsLarge| search.search_together());
    search.conclude(stop)
}

/// There is enough to do for several threads.
struct LevelIsLarge;

/// What one thread works with at a time. There are some more lanes than threads, so that no thread waits for long.
struct Lane<S: System> {
    expander: Expander<S>,
    /// What it expands in this batch, and the number of the first of these states.
    parents: Vec<Chunk<S::State>>,
    first: u64,
    candidates: Candidates<S::State>,
    /// The new states that it found.
    found: Frontier<S::State>,
}

impl<S: System> Lane<S> {
    fn new(by_values: bool, races: bool) -> Self {
        Lane {
            expander: Expander::new(by_values, races),
            parents: Vec::new(),
            first: 0,
            candidates: Candidates::new(),
            found: Frontier::new(PIECE),
        }
    }
}

struct Search<'a, S: System> {
    /// How many threads there could be. They start when there is work for them.
    threads: usize,
    system: &'a S,
    packing: Packing<'a, S>,
    ledger: Ledger<'a, FoundAt>,
    /// How many states were expanded since the limits were looked at.
    unchecked: usize,
    visited: VisitedSet,
    ancestry: Ancestry,
    depth: u64,
    /// The most states that a lane is given at once.
    share: usize,
    level: Frontier<S::State>,
    next: Frontier<S::State>,
    lanes: Vec<Lane<S>>,
    /// States that the depth bound left unexpanded.
    cuts: u64,
}

impl<'a, S: System> Search<'a, S> {
    fn new(system: &'a S, options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        let by_values = observer.wants_values();
        // A search that may not grow large looks often whether it did, and at the same places on any number of threads.
        let is_small = options.budget.size.is_some();
        let (threads, share) = if is_small { (1, SMALL_SHARE) } else { (options.thread_count(), SHARE) };
        Search {
            threads,
            system,
            packing: Packing::new(system),
            ledger: Ledger::new(options, observer),
            unchecked: CHECK_EVERY,
            visited: VisitedSet::new(),
            ancestry: Ancestry::new(),
            depth: 0,
            share,
            level: Frontier::new(share.min(PIECE)),
            next: Frontier::new(share.min(PIECE)),
            lanes: vec![Lane::new(by_values, options.races)],
            cuts: 0,
        }
    }

    /// Searches to the end, or on one thread until a level is large enough for more.
    fn search(&mut self) -> Result<StopReason, LevelIsLarge> {
        if self.ancestry.len() == 0 {
            self.begin();
        }
        while !self.level.is_empty() {
            if !self.ledger.options.all && !self.ledger.findings.is_empty() {
                return Ok(StopReason::FirstViolation);
            }
            if self.lanes.len() < self.threads && self.level.len() >= WORTH_SHARING {
                return Err(LevelIsLarge);
            }
            if let Some(reason) = self.expand_level() {
                return Ok(reason);
            }
            std::mem::swap(&mut self.level, &mut self.next);
            self.depth += u64::from(!self.level.is_empty());
        }
        let enough = !self.ledger.options.all && !self.ledger.findings.is_empty();
        Ok(if enough { StopReason::FirstViolation } else { StopReason::Complete })
    }

    /// Continues on several threads, or on one if the system has no more to give.
    fn search_together(&mut self) -> StopReason {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build();
        let stop = match pool {
            Ok(pool) => {
                let (by_values, races) = (self.ledger.observer.wants_values(), self.ledger.options.races);
                self.lanes.resize_with(self.threads * 4, || Lane::new(by_values, races));
                pool.install(|| self.search())
            }
            Err(_) => {
                self.threads = 1;
                self.search()
            }
        };
        stop.unwrap_or(StopReason::Complete)
    }

    /// Expands the level, unless a limit is reached.
    fn expand_level(&mut self) -> Option<StopReason> {
        let look_only = self.ledger.options.budget.depth.is_some_and(|limit| self.depth >= limit);
        let mut first = (self.ancestry.len() - self.level.len()) as u64;
        while let Some(waiting) = self.hand_out(first) {
            let reason = self.check(waiting).or_else(|| self.is_too_large());
            if reason.is_some() {
                return reason;
            }
            self.expand(waiting, look_only);
            first += waiting as u64;
            if self.ledger.meter.is_over() {
                return self.ledger.meter.check();
            }
        }
        None
    }

    /// Gives each lane a share of the level, whose first state has this number: how many states these are. One lane takes all
    /// if there are few.
    fn hand_out(&mut self, mut first: u64) -> Option<usize> {
        let lanes = if self.level.len() < WORTH_SHARING { 1 } else { self.lanes.len() };
        let before = self.level.len();
        let share = before.div_ceil(lanes).min(self.share);
        for lane in &mut self.lanes[..lanes] {
            lane.parents.clear();
            lane.first = first;
            let mut states = 0;
            while states < share
                && let Some(chunk) = self.level.take()
            {
                states += chunk.len();
                lane.parents.push(chunk);
            }
            first += states as u64;
        }
        let taken = before - self.level.len();
        (taken > 0).then_some(taken)
    }

    /// Whether it met more states than it was meant to; what was found until then may be enough.
    fn is_too_large(&self) -> Option<StopReason> {
        let too_large = self.ledger.options.budget.size.is_some_and(|limit| self.ancestry.len() as u64 > limit);
        let enough = !self.ledger.options.all && !self.ledger.findings.is_empty();
        too_large.then_some(if enough { StopReason::FirstViolation } else { StopReason::SizeLimit })
    }

    /// Says what was found.
    fn conclude(mut self, stop: StopReason) -> Exploration {
        if !self.ledger.options.all {
            self.ledger.findings.keep_first();
            for finding in self.ledger.findings.iter() {
                self.ledger.observer.violation(&finding.violation);
            }
        }
        self.ledger.max_depth = self.depth + u64::from(!self.next.is_empty());
        let (depth, states) = (self.ledger.options.budget.depth, self.ancestry.len() as u64);
        let bound = depth.filter(|_| self.cuts > 0).map(|depth| (Bound::Depth(depth), self.cuts));
        let (system, ancestry) = (self.system, self.ancestry);
        self.ledger
            .conclude(system, stop, bound, &[(Counter::States, states)], |place| schedule(system, &ancestry, place))
    }

    /// The first level: the distinct initial states.
    fn begin(&mut self) {
        let mut violations = Vec::new();
        for (start, state) in self.system.initial_states().into_iter().enumerate() {
            let key = Key::from(self.system.insight().fingerprint(&state));
            if !self.visited.insert(key) {
                continue;
            }
            violations.clear();
            self.system.insight().violations_at_start(&state, &mut violations);
            for violation in &violations {
                let place = FoundAt { state: self.ancestry.len() as u64, successor: None, then: None };
                self.note(Finding { violation: violation.clone(), length: 0, place });
            }
            self.ancestry.push_root(start);
            self.level.push(&self.packing, &mut Some(state));
        }
    }

    /// Looks at the limits every now and then, before a batch of so many states is expanded.
    fn check(&mut self, batch: usize) -> Option<StopReason> {
        if self.unchecked < CHECK_EVERY && !self.ledger.meter.is_over() {
            self.unchecked += batch;
            return None;
        }
        self.unchecked = batch;
        let checked = self.ledger.check(|ledger| Progress {
            found: self.ancestry.len() as u64,
            unit: "states",
            transitions: ledger.transitions,
            depth: self.depth,
            waiting: (batch + self.level.len() + self.next.len()) as u64,
        });
        checked.err()
    }

    /// Expands what was handed out, so many states.
    fn expand(&mut self, waiting: usize, look_only: bool) {
        let task = Task {
            system: self.system,
            packing: &self.packing,
            meter: &self.ledger.meter,
            depth: self.depth,
            known: &self.ledger.findings,
            look_only,
            longest: self.ledger.options.budget.depth,
        };
        if self.lanes.len() == 1 || waiting < WORTH_SHARING {
            let (visited, next, ancestry) = (&mut self.visited, &mut self.next, &mut self.ancestry);
            let mut sink = Direct { packing: &self.packing, visited, next, ancestry };
            let lane = &mut self.lanes[0];
            lane.expander.expand(&task, lane.first, &lane.parents, &mut sink);
        } else {
            expand_together(&task, &mut self.lanes, &mut self.visited);
            for lane in &mut self.lanes {
                self.next.append(&mut lane.found);
                for (parent, ordinal) in lane.candidates.drain_origins() {
                    self.ancestry.push(parent, ordinal);
                }
            }
        }
        for lane in 0..self.lanes.len() {
            let report = self.lanes[lane].expander.take_report();
            self.lanes[lane].parents.clear();
            self.merge(report);
        }
    }

    fn merge(&mut self, report: Report) {
        self.ledger.transitions += report.transitions;
        self.cuts += report.cuts;
        report.ends.iter().for_each(|(ending, state)| self.ledger.end(ending, *state));
        for finding in report.findings {
            self.note(finding);
        }
    }

    fn note(&mut self, finding: Finding<FoundAt>) {
        let new = self.ledger.findings.note(&finding.violation, finding.length, || finding.place);
        if new && self.ledger.options.all {
            self.ledger.observer.violation(&finding.violation);
        }
    }
}

/// The three phases in which several threads expand a batch.
fn expand_together<S: System>(task: &Task<'_, S>, lanes: &mut [Lane<S>], visited: &mut VisitedSet) {
    let seen = &*visited;
    lanes.par_iter_mut().for_each(|lane| {
        let mut sink = Deferred { visited: seen, candidates: &mut lane.candidates };
        lane.expander.expand(task, lane.first, &lane.parents, &mut sink);
    });
    let found = &*lanes;
    visited.shards_mut().par_iter_mut().enumerate().with_min_len(visited::SHARDS / 16).for_each(|(number, shard)| {
        for lane in found {
            lane.candidates.insert(number, shard);
        }
    });
    lanes.par_iter_mut().for_each(|lane| lane.candidates.queue_fresh(task.packing, &mut lane.found));
}

/// The schedule that leads to where a violation was met, rebuilt by running it.
fn schedule<S: System>(system: &S, ancestry: &Ancestry, place: FoundAt) -> Option<Schedule> {
    let (start, mut ordinals) = ancestry.path(place.state);
    ordinals.extend(place.successor);
    let mut schedule = follow(system, start, &ordinals)?;
    schedule.moves.extend(place.then);
    Some(schedule)
}

/// The schedule that takes, at each step, the successor with the given number. `None` if there is no such successor.
fn follow<S: System>(system: &S, start: usize, ordinals: &[u32]) -> Option<Schedule> {
    let mut state = system.initial_states().into_iter().nth(start)?;
    let mut moves = Vec::with_capacity(ordinals.len());
    let (mut actors, mut step) = (Vec::new(), Step::default());
    for &ordinal in ordinals {
        actors.clear();
        system.enabled(&state, &mut actors);
        let mut left = ordinal;
        let mut candidates = actors.iter().copied().map(Move::from);
        let mut current = candidates.next()?;
        loop {
            let mut successor = state.clone();
            step.take(system, &mut successor, current);
            if left == 0 {
                state = successor;
                break;
            }
            left -= 1;
            current = match step.next_outcome() {
                Some(outcome) => Move { outcome, ..current },
                None => candidates.next()?,
            };
        }
        moves.push(current);
    }
    Some(Schedule::new(start, moves))
}

#[cfg(test)]
mod tests;
