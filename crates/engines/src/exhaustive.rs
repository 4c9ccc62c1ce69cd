//! Every reachable state, once: breadth-first search, level by level.
//!
//! This is the oracle that the other engines are measured against. It promises to visit every state, so it meets every
//! violation and every end state that any schedule leads to, on programs with cycles too; the schedule of a violation is
//! as short as any. The price is the number of states.
//!
//! What it finds, in which order and with which schedules does not depend on the number of threads. A level is expanded
//! batch by batch. One thread adds the successors to the visited set as it makes them; what several threads do is told in
//! `together.rs`. Either way the new states follow each other in the order of the frontier, and get their numbers in that
//! order.
//!
//! A state is 16 bytes of fingerprint in the [`VisitedSet`] and about 2 bytes of [`Ancestry`] for its schedule. Only the
//! frontier holds states, as what differs from the state before.

mod expander;
mod together;

use crate::Options;
use crate::shared::ancestry::Ancestry;
use crate::shared::findings::Finding;
use crate::shared::frontier::{Chunk, Frontier, Packing};
use crate::shared::ledger::Ledger;
use crate::shared::visited::{Key, Share, VisitedSet};
use expander::{Direct, Expander, FoundAt, Report, Task};
use mazurka_core::{Bound, Counter, Exploration, Move, Observer, Progress, Schedule, Step, StopReason, System, Traits};
use together::Piece;

/// Batches smaller than this are expanded by one thread: waking the others would take longer. Tests use several threads
/// all the same.
const WORTH_SHARING: usize = if cfg!(test) { 16 } else { 512 };

/// How many states wait in one chunk.
const CHUNK: usize = if cfg!(test) { 8 } else { 128 };

/// The most states that one thread expands before the limits are looked at.
const BATCH: usize = 512;

/// The same where the size of the search is limited: each state may have hundreds of successors.
const SMALL_BATCH: usize = 64;

/// How many chunks a thread takes at a time, where there are many.
const CHUNKS_AT_A_TIME: usize = 2;

/// How many such pieces a batch has at most, for each thread.
const PIECES_FOR_EACH: usize = 32;

/// How many it has on any number of threads: their shares have to be told apart from those of long ago.
const MOST_PIECES: usize = 1 << 11;

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
    /// The most states that one thread expands at a time.
    batch: usize,
    level: Frontier<S::State>,
    next: Frontier<S::State>,
    /// What one thread expands, and what several do.
    chunks: Vec<Chunk<S::State>>,
    pieces: Vec<Piece<S::State>>,
    /// How many pieces there were, round the end of the numbers.
    shares: Share,
    /// One for each thread.
    expanders: Vec<Expander<S>>,
    /// States that the depth bound left unexpanded.
    cuts: u64,
}

impl<'a, S: System> Search<'a, S> {
    fn new(system: &'a S, options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        let by_values = observer.wants_values();
        // A search that may not grow large looks often whether it did, and at the same places on any number of threads.
        let is_small = options.budget.size.is_some();
        let (threads, batch) = if is_small { (1, SMALL_BATCH) } else { (options.thread_count(), BATCH) };
        Search {
            threads,
            system,
            packing: Packing::new(system),
            ledger: Ledger::new(options, observer),
            unchecked: CHECK_EVERY,
            visited: VisitedSet::new(),
            ancestry: Ancestry::new(),
            depth: 0,
            batch,
            level: Frontier::new(batch.min(CHUNK)),
            next: Frontier::new(batch.min(CHUNK)),
            chunks: Vec::new(),
            pieces: Vec::new(),
            shares: 0,
            expanders: vec![Expander::new(by_values, options.races)],
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
            if self.expanders.len() < self.threads && self.level.len() >= WORTH_SHARING {
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
                self.expanders.resize_with(self.threads, || Expander::new(by_values, races));
                let most = (self.threads * PIECES_FOR_EACH).min(MOST_PIECES);
                self.pieces.resize_with(most, || Piece::new(CHUNK));
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
        while !self.level.is_empty() {
            let together = self.expanders.len() > 1 && self.level.len() >= WORTH_SHARING;
            let waiting = if together { self.most_at_a_time() } else { self.batch }.min(self.level.len());
            let reason = self.check(waiting).or_else(|| self.is_too_large());
            if reason.is_some() {
                return reason;
            }
            if together {
                self.expand_together(&mut first, look_only);
            } else {
                self.expand_alone(&mut first, look_only);
            }
            if self.ledger.meter.is_over() {
                return self.ledger.meter.check();
            }
        }
        None
    }

    /// How many states several threads expand before the limits are looked at.
    fn most_at_a_time(&self) -> usize {
        self.pieces.len() * CHUNKS_AT_A_TIME * CHUNK
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

    /// Looks at the limits every now and then, before a batch of this many states is expanded.
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
            waiting: (self.level.len() + self.next.len()) as u64,
        });
        checked.err()
    }

    /// Expands some states from the front of the level, the first of which has this number.
    fn expand_alone(&mut self, first: &mut u64, look_only: bool) {
        let before = self.level.len();
        while before - self.level.len() < self.batch
            && let Some(chunk) = self.level.take()
        {
            self.chunks.push(chunk);
        }
        let task = task(self.system, &self.packing, &self.ledger, self.depth, look_only);
        let (visited, next, ancestry) = (&mut self.visited, &mut self.next, &mut self.ancestry);
        let mut sink = Direct { packing: &self.packing, visited, next, ancestry };
        self.expanders[0].expand(&task, *first, &self.chunks, &mut sink);
        let report = self.expanders[0].take_report();
        self.chunks.clear();
        *first += (before - self.level.len()) as u64;
        self.merge(report);
    }

    /// The same on several threads.
    fn expand_together(&mut self, first: &mut u64, look_only: bool) {
        let at_a_time = if self.level.len() < self.most_at_a_time() { 1 } else { CHUNKS_AT_A_TIME };
        let mut filled = 0;
        for piece in &mut self.pieces {
            if self.level.is_empty() {
                break;
            }
            self.shares = self.shares.wrapping_add(1);
            piece.fill(self.shares, at_a_time * CHUNK, &mut self.level, first);
            filled += 1;
        }
        let mut done = 0;
        while done < filled {
            let task = task(self.system, &self.packing, &self.ledger, self.depth, look_only);
            let pieces = &mut self.pieces[done..filled];
            let now = together::expand(&task, pieces, &mut self.expanders, &mut self.visited);
            for number in done..done + now {
                let report = self.pieces[number].give(&mut self.next, &mut self.ancestry);
                self.merge(report);
            }
            done += now;
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

/// What an expander has to know, beside the states.
fn task<'a, S: System>(
    system: &'a S,
    packing: &'a Packing<'a, S>,
    ledger: &'a Ledger<'_, FoundAt>,
    depth: u64,
    look_only: bool,
) -> Task<'a, S> {
    let longest = ledger.options.budget.depth;
    Task { system, packing, meter: &ledger.meter, depth, known: &ledger.findings, look_only, longest }
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
