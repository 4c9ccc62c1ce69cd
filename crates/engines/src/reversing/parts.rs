//! Parts of the search that are explored ahead of their turn, by other threads.
//!
//! What follows a branch of a wakeup tree is explored when everything before it was: only then is it known what sleeps
//! there, and what else is to be explored below the branch. But mostly that can be foretold: the branches before it will
//! sleep, and nothing will be added below. So an idle thread is given such a part of the search and explores it
//! on this assumption. When its turn comes, the assumption is compared with what is the case. If it holds, what was counted
//! and found in the part is added, and the sequences that it has for states above it are inserted, as if they had just
//! been found. If it does not, the part is dropped and explored as usual.
//!
//! So a search on several threads does what it does on one: it runs the same executions in the same order and finds the
//! same violations. (Branches cannot simply be explored independently of each other: a step that sleeps is not run again
//! together with what comes after it, so what it races with there has to be told by where it was run.)
//!
//! What else a part does not know is which reversals will have been done by then (`memory`). Where messages are
//! arranged and branch, it may depend on that whether an order of messages is found to be a new one, so this is looked at
//! as well. Elsewhere nothing depends on it: to do a reversal once more changes nothing.

use super::memory::Memory;
use super::path::{Path, Sleeper};
use super::{Counts, Search};
use crate::Options;
use crate::shared::dfs::{self, DepthFirst};
use crate::shared::tally::{Offshoot, PartTally, Tally};
use crate::shared::trail::Trail;
use crate::shared::wakeup::{Branches, Occurrence, WakeupTrees};
use mazurka_core::{Cancel, Fingerprint, FingerprintHasher, Footprint, FootprintId, Machine, Move, StopReason, caught};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many executions a search runs before it gives parts away: it may be over soon.
const FEW: u64 = 32;
/// A part takes the path with it: long ones stay where they are.
const LONGEST_PATH: usize = 4096;
/// With this many sequences for the states above it, a part would take as long to be added as to be explored.
const MOST_ABOVE: usize = 1024;
const MOST_INSERTIONS: usize = 1 << 16;
/// Once this many more parts came to nothing than not, a search gives no more away.
const MOST_IN_VAIN: usize = 4;
/// How often a thread that waits for a part looks at the limits.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A part of a search: what follows a branch of the last state of a path.
struct Part<'s, M: Machine> {
    machine: M,
    trail: Trail<M::Mark>,
    path: Path<'s>,
    trees: WakeupTrees,
    reversed: Memory,
    step: Move,
    below: Branches,
    offshoot: Offshoot,
}

/// What came of a part.
struct Explored {
    walked: Result<(), StopReason>,
    counted: PartTally,
    counts: Counts,
    /// The branch as a step after which everything was explored.
    sleeper: Sleeper,
    above: Above,
    reversed: Memory,
    /// The footprints that it met first, and the number of the first one of them.
    footprints: Vec<Footprint>,
    known: usize,
}

/// What is to be explored from states above a part.
#[derive(Default)]
pub(super) struct Above {
    sequences: Vec<(usize, Vec<Occurrence>)>,
    numbers: FxHashMap<Fingerprint, usize>,
    /// The sequences in the order in which they come, each by its number, and which reversals must not have been done
    /// before.
    insertions: Vec<(Option<Fingerprint>, usize)>,
}

impl Above {
    /// A sequence is to be explored from a state, on a condition. It may matter that it comes again.
    pub(super) fn push(
        &mut self,
        node: usize,
        sequence: Vec<Occurrence>,
        condition: Option<Fingerprint>,
        again_matters: bool,
    ) {
        let mut hasher = FingerprintHasher::default();
        node.hash(&mut hasher);
        sequence.iter().for_each(|next| (next.step, next.footprint).hash(&mut hasher));
        let number = *self.numbers.entry(hasher.take()).or_insert(self.sequences.len());
        let is_new = number == self.sequences.len();
        if is_new {
            self.sequences.push((node, sequence));
        }
        if is_new || again_matters {
            self.insertions.push((condition, number));
        }
    }

    /// Whether it would take as long to add this as to explore it again.
    fn is_much(&self) -> bool {
        self.sequences.len() > MOST_ABOVE || self.insertions.len() > MOST_INSERTIONS
    }
}

/// A part that was given away, and on which assumption.
pub(super) struct Ahead<'s, M: Machine> {
    node: usize,
    first: Occurrence,
    below: Vec<(usize, Occurrence)>,
    sleepers: Vec<Sleeper>,
    cancel: Cancel,
    ticket: Ticket<'s, M>,
}

/// No thread waits for a part that is dropped.
impl<M: Machine> Drop for Ahead<'_, M> {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// A part, shared by the thread that explores it and the one that gave it away.
type Ticket<'s, M> = Arc<Mutex<PartState<'s, M>>>;

enum PartState<'s, M: Machine> {
    Waiting(Box<Part<'s, M>>),
    Running,
    Done(Box<Explored>),
    /// It was taken back, or came to nothing.
    Gone,
}

/// Parts that wait for an idle thread.
pub(super) struct Pool<'s, M: Machine> {
    options: &'s Options,
    terminates: bool,
    arranges: bool,
    queue: Mutex<Queue<'s, M>>,
    /// Something was added, a part was explored, or the search is over.
    changed: Condvar,
    /// How many more parts there could be explorers for.
    wanted: AtomicUsize,
}

struct Queue<'s, M: Machine> {
    tickets: VecDeque<Ticket<'s, M>>,
    idle: usize,
    is_over: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes a part, if no other thread has.
fn begin<'s, M: Machine>(ticket: &Ticket<'s, M>) -> Option<Box<Part<'s, M>>> {
    let mut stage = lock(ticket);
    match std::mem::replace(&mut *stage, PartState::Running) {
        PartState::Waiting(part) => Some(part),
        other => {
            *stage = other;
            None
        }
    }
}

impl<'s, M: Machine> Pool<'s, M> {
    /// Nothing waits. The program may be known to terminate, and there may be messages to be arranged.
    pub(super) fn new(options: &'s Options, terminates: bool, arranges: bool) -> Self {
        let queue = Mutex::new(Queue { tickets: VecDeque::new(), idle: 0, is_over: false });
        Pool { options, terminates, arranges, queue, changed: Condvar::new(), wanted: AtomicUsize::new(0) }
    }

    /// Whether there may be messages to be arranged.
    pub(super) fn arranges(&self) -> bool {
        self.arranges
    }

    /// Whether no state is met twice on a path.
    pub(super) fn terminates(&self) -> bool {
        self.terminates
    }

    /// Whether a thread is idle.
    fn is_idle(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) > 0
    }

    fn count(&self, queue: &Queue<'s, M>) {
        self.wanted.store(queue.idle.saturating_sub(queue.tickets.len()), Ordering::Relaxed);
    }

    fn offer(&self, part: Part<'s, M>) -> Ticket<'s, M> {
        let ticket = Arc::new(Mutex::new(PartState::Waiting(Box::new(part))));
        let mut queue = lock(&self.queue);
        queue.tickets.push_back(Arc::clone(&ticket));
        self.count(&queue);
        self.changed.notify_all();
        ticket
    }
}

/// Ends the work of a pool when it goes out of scope.
pub(super) struct Closing<'p, 's, M: Machine>(pub(super) &'p Pool<'s, M>);

impl<M: Machine> Drop for Closing<'_, '_, M> {
    fn drop(&mut self) {
        lock(&self.0.queue).is_over = true;
        self.0.changed.notify_all();
    }
}

impl<'s, M: Machine + Clone + Send> Pool<'s, M>
where
    M::Mark: Clone + Send,
{
    /// Explores parts until the search is over.
    pub(super) fn work(&self) {
        while self.explore_one(|queue| queue.is_over) {}
    }

    /// Waits until a part that another thread explores is explored, and explores others meanwhile; `None` if it came to nothing.
    fn take_back(&self, ticket: &Ticket<'s, M>, tally: &mut Tally<'_>) -> Result<Option<Explored>, StopReason> {
        while self.explore_one(|_| !matches!(*lock(ticket), PartState::Running)) {
            tally.check()?;
        }
        match std::mem::replace(&mut *lock(ticket), PartState::Gone) {
            PartState::Done(explored) => Ok(Some(*explored)),
            PartState::Waiting(_) | PartState::Running | PartState::Gone => Ok(None),
        }
    }

    /// Explores a part if one waits, or waits for one for a while; false if there is no need any more.
    fn explore_one(&self, is_enough: impl Fn(&Queue<'s, M>) -> bool) -> bool {
        let mut queue = lock(&self.queue);
        if is_enough(&queue) {
            return false;
        }
        let Some(ticket) = queue.tickets.pop_front() else {
            queue.idle += 1;
            self.count(&queue);
            queue = self.changed.wait_timeout(queue, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
            queue.idle -= 1;
            self.count(&queue);
            return true;
        };
        self.count(&queue);
        drop(queue);
        if let Some(part) = begin(&ticket) {
            // Where the program panics outside of its steps, the thread that gave the part away will see it, too.
            let explored = caught(|| self.explore(*part)).ok().flatten();
            *lock(&ticket) = explored.map_or(PartState::Gone, |explored| PartState::Done(Box::new(explored)));
            drop(lock(&self.queue));
            self.changed.notify_all();
        }
        true
    }

    /// Explores a part; `None` if that takes longer than it is worth.
    fn explore(&self, part: Part<'s, M>) -> Option<Explored> {
        let Part { machine, trail, path, trees, reversed, step, below, offshoot } = part;
        let (known, node) = (path.footprints.len(), path.nodes.len() - 1);
        let (explored, counted) = Tally::of_part(self.options, offshoot, |tally| {
            let mut search = Search { trail, path, trees, reversed, ..Search::new(machine, tally, self, &|_| false) };
            search.floor = node + 1;
            let walked = search.run_part(step, below);
            let first = search.path.steps.get(node)?.occurrence;
            let sleeper = search.sleeper(node, first);
            let footprints = (known..search.path.footprints.len()).map(|number| FootprintId(number as u32));
            let footprints = footprints.map(|number| search.path.footprints.get(number).clone()).collect();
            let (is_in_vain, Search { counts, above, reversed, .. }) = (search.is_in_vain(), search);
            (!is_in_vain).then_some((walked, counts, sleeper, above, reversed, footprints))
        });
        let (walked, counts, sleeper, above, reversed, footprints) = explored?;
        Some(Explored { walked, counted, counts, sleeper, above, reversed, footprints, known })
    }
}

impl<'s, M: Machine + Clone + Send> Search<'_, '_, 's, M>
where
    M::Mark: Clone + Send,
{
    fn run_part(&mut self, step: Move, below: Branches) -> Result<(), StopReason> {
        self.trail.rewind(self.floor - 1, &self.tally.schedule.moves, &mut self.machine);
        let at_end_of_path = self.take((step, below))?;
        dfs::walk(self, at_end_of_path)
    }

    /// An execution has ended: if a thread is idle, gives away what is to be explored from the first state of
    /// the path from which there is something.
    pub(super) fn give_away(&mut self) {
        let is_worth_it = self.tally.executions() >= FEW && self.path.nodes.len() <= LONGEST_PATH;
        if !self.pool.is_idle() || !is_worth_it || self.in_vain >= MOST_IN_VAIN {
            return;
        }
        for node in self.floor..(self.floor + self.path.nodes.len()) / 2 {
            if !self.path.nodes[node].branches.is_empty() && self.give_away_from(node).is_none() {
                return;
            }
        }
    }

    /// Gives the branches of a state away as long as a thread is idle; `None` if none is any more.
    fn give_away_from(&mut self, node: usize) -> Option<()> {
        let mut sleepers = self.path.sleepers(node).to_vec();
        sleepers.push(self.sleeper(node, self.path.steps[node].occurrence));
        let (mut trees, mut branches) = (self.trees.clone(), self.path.nodes[node].branches);
        while let Some((first, below)) = trees.take_first(&mut branches) {
            if self.ahead.iter().all(|ahead| ahead.node != node || ahead.first != first) {
                if !self.pool.is_idle() {
                    return None;
                }
                let cancel = Cancel::default();
                let states = self.path.nodes[..=node].iter().filter_map(|node| node.fingerprint);
                let mut part = Part {
                    machine: self.machine.clone(),
                    trail: self.trail.up_to(node),
                    path: self.path.up_to(node, &sleepers),
                    trees: trees.clone(),
                    reversed: if self.pool.arranges { self.reversed.of_part() } else { Memory::new() },
                    step: first.step,
                    below,
                    offshoot: self.tally.branch_off(node, states, &cancel),
                };
                part.path.nodes[node].branches = branches;
                let (below, sleepers) = (self.trees.listing(below), sleepers.clone());
                let ticket = self.pool.offer(part);
                self.ahead.push(Ahead { node, first, below, sleepers, cancel, ticket });
            }
            // After its turn, the branch sleeps.
            sleepers.push(self.sleeper(node, first));
        }
        Some(())
    }

    /// It is the turn of a branch of the last state: true if it was explored ahead, on an assumption that holds.
    pub(super) fn was_explored(&mut self, first: &Occurrence, below: Branches) -> Result<bool, StopReason> {
        let last = self.path.nodes.len() - 1;
        let Some(place) = self.ahead.iter().position(|ahead| ahead.node == last && ahead.first == *first) else {
            return Ok(false);
        };
        let ahead = self.ahead.swap_remove(place);
        if begin(&ahead.ticket).is_some() {
            // No thread had begun it.
            return Ok(false);
        }
        let holds = ahead.sleepers == self.path.sleepers(last) && ahead.below == self.trees.listing(below);
        let explored = if holds { self.pool.take_back(&ahead.ticket, self.tally)? } else { None };
        let Some(explored) = explored.filter(|explored| self.reversed.admits(&explored.reversed)) else {
            self.in_vain += 1;
            return Ok(false);
        };
        self.in_vain = self.in_vain.saturating_sub(1);
        self.trees.discard(below);
        self.add(explored)?;
        Ok(true)
    }

    /// Whether this part of a search takes longer than it is worth.
    pub(super) fn is_in_vain(&self) -> bool {
        self.floor > 0 && self.above.is_much()
    }

    /// Adds what came of a part of what follows the last state.
    fn add(&mut self, part: Explored) -> Result<(), StopReason> {
        self.tally.add(part.counted);
        self.counts.add(part.counts);
        part.walked?;
        self.path.truncate(self.path.nodes.len() - 1);
        let footprints = &mut self.path.footprints;
        let numbers: Vec<FootprintId> = part.footprints.iter().map(|footprint| footprints.intern(footprint)).collect();
        let known = |number: FootprintId| match (number.0 as usize).checked_sub(part.known) {
            Some(new) => numbers[new],
            None => number,
        };
        for (condition, number) in part.above.insertions {
            if self.reversed.resume(condition) {
                let (node, sequence) = &part.above.sequences[number];
                let same = |step: &Occurrence| Occurrence { footprint: known(step.footprint), ..*step };
                self.insert_at(*node, &mut sequence.iter().map(same).collect());
            }
        }
        self.reversed.add(part.reversed);
        let Sleeper { occurrence, whole, .. } = part.sleeper;
        let occurrence = Occurrence { footprint: known(occurrence.footprint), ..occurrence };
        self.path.add_sleeper(Sleeper { occurrence, whole: known(whole), ..part.sleeper });
        Ok(())
    }

    /// Forgets what was given away from the last state, which is left.
    pub(super) fn forget_ahead(&mut self) {
        let last = self.path.nodes.len() - 1;
        self.ahead.retain(|ahead| ahead.node != last);
    }
}
