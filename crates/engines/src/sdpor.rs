//! Stateful dynamic partial-order reduction for programs that terminate.
//!
//! After Yang, Chen, Gopalakrishnan and Kirby, *Efficient Stateful Dynamic Partial Order Reduction*, SPIN 2008. The theorem:
//! every transition that the stateless algorithm (`dpor`) explores is explored here, too. So every assertion that can fail
//! fails with every set of values that it can read, and every state in which the program can end is met. It holds if no
//! state comes back: a run that comes back to a state of its own is cut there, and the verdict is `bounded`.
//!
//! # The algorithm
//!
//! It is `dpor`, and stops at a state in which everything was tried before. What would come after it may be in a race with the
//! steps that led there this time, other steps than the last time. So the operations that were executed or blocked after the
//! state the last time, its *summary*, are compared with them: an actor with an operation that conflicts with a step is
//! tried in front of it. The search itself is in `backtracking.rs`; what is remembered of states is here ([`ExploredStates`]).
//!
//! The paper computes summaries from the *visible-operation dependency graph* (`sdpor/graph.rs`), because a summary for each
//! state would be expensive. Operations repeat, so the graph is small; but it mixes all states, and soon says that nearly
//! everything can follow nearly everything. `--plain` uses it. Otherwise each state has the set of operations that were met
//! below it, which is a set of bits that many states share; the graph only takes over in a program with more than
//! 4096 operations. For 12 threads of `examples/classics/indexer.mz` that is 160 transitions in place of 111,616.
//!
//! # Where more is done than in the paper
//!
//! Its proof passes over the following. No program is known that needs the first two, and they cost little.
//!
//! - *Edges to what follows a visited state.* The paper adds an edge when an operation is run after another one. At a visited
//!   state nothing is run, and what follows it does not become reachable from the operation that led there this time; its
//!   lemma 2 needs that. Here such edges are added.
//! - *Not only the nearest conflict.* The paper settles an operation of a summary at the last step in conflict with it. What
//!   will come between the two is not known, and may order them; then an earlier one matters. Here an operation is compared
//!   with every step that does not happen before it.
//! - *Blocked actors.* An operation that an actor is blocked on belongs to the summary: it may never be executed.
//!
//! # What does not combine with visited states
//!
//! - *Sleep sets.* A state explored under a non-empty sleep set is not fully explored: what begins with a sleeping actor was
//!   seen elsewhere, but after other steps. `--no-sleep` changes nothing here.
//! - *Source sets.* A summary does not tell the initials of the other order. To try the actor itself, as the
//!   paper does, is right for persistent sets only, and one kind of set must not rely on the other
//!   (`tests/papers/sdpor/finding-initial-that-is-not-known.mz`).
//!
//! States are told apart by fingerprints, or by how local states changed (`--capture delta`, `capture.rs`).

mod graph;

use crate::Options;
use crate::backtracking::{Counts, Path, Remember, Search};
use crate::shared::bits::Bits;
use crate::shared::capture::Captured;
use crate::shared::tally::{Tally, from_each_start};
use crate::shared::waiting::unless_it_tells_blocked;
use graph::{Entry, Operation, OperationGraph, OperationId};
use hashbrown::{HashMap, HashSet};
use mazurka_core::{
    Access, ActorId, Awaited, Counter, Exploration, Fingerprint, FootprintId, Machine, ObjectId, Observer, System,
    Traits, VectorClock,
};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::rc::Rc;

/// Suits every program that tells which actors are blocked: without that, a step that is never taken would conflict with
/// nothing.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    unless_it_tells_blocked(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut tally = Tally::new(options, observer);
    let (mut counts, mut states) = (Counts::default(), 0);
    let walked = from_each_start(system, &mut tally, |machine, tally| {
        let mut search = Search::new(machine, tally, ExploredStates::new(options));
        let walked = search.run();
        counts.add(search.counts());
        states += search.memory.states();
        walked
    });
    let states = states + tally.end_states();
    let mut counted = counts.named(true);
    counted.push((Counter::States, states));
    tally.conclude(system, walked, &counted)
}

/// What was explored: the states, and the operations that can follow each other.
struct ExploredStates {
    captured: Captured,
    /// The states in which everything was tried, and what can come after each.
    explored: HashMap<Fingerprint, Below, FxBuildHasher>,
    /// The sets that are in use; many states share one.
    sets: HashSet<Rc<Bits>, FxBuildHasher>,
    graph: OperationGraph,
    plain: bool,
    /// The states of the path.
    path: Vec<PathSummary>,
    /// What led to the state that the path has come to, and what is waited for there.
    last: Option<OperationId>,
    waiting: Bits,
    /// For each object, the steps of the path that touched it.
    touches: HashMap<ObjectId, Vec<(u32, Access)>, FxBuildHasher>,
    /// For each step of the path, which objects it touched.
    touched: Vec<SmallVec<[ObjectId; 6]>>,
    /// The state that the path has come to.
    here: Fingerprint,
}

/// A state of the path.
struct PathSummary {
    state: Fingerprint,
    /// What led here.
    via: Option<OperationId>,
    /// What was tried here or waited for.
    first: Bits,
    /// What was tried or waited for here or later; `None` if only the graph can tell.
    below: Option<Bits>,
}

/// What can come after a state.
#[derive(Clone)]
struct Below {
    /// What was tried there or waited for.
    first: Rc<Bits>,
    /// That and everything that was tried or waited for later; `None` if only the graph can tell.
    all: Option<Rc<Bits>>,
}

/// With more operations than this a set for each state outgrows its use.
const MOST_IN_SETS: usize = 4096;

impl ExploredStates {
    fn new(options: &Options) -> Self {
        ExploredStates {
            captured: Captured::new(options.capture),
            explored: HashMap::default(),
            sets: HashSet::default(),
            graph: OperationGraph::default(),
            plain: options.plain,
            path: Vec::new(),
            last: None,
            waiting: Bits::default(),
            touches: HashMap::default(),
            touched: Vec::new(),
            here: Fingerprint(0),
        }
    }

    /// How many states were explored.
    fn states(&self) -> u64 {
        (self.explored.len() + self.path.len()) as u64
    }

    /// Notes what is waited for in the state that the path has come to.
    fn note_waiting(&mut self, path: &Path) {
        self.waiting.clear();
        for waiter in path.waiting() {
            let operation = Operation { actor: waiter.actor, footprint: waiter.footprint, waits: true };
            let id = self.graph.number(operation);
            self.waiting.insert(id.0);
            if let Some(last) = self.last {
                self.graph.follow(last, id);
            }
        }
    }

    /// The last state of the path has led to one after which this can come.
    fn come_from(&mut self, below: Option<&Bits>) {
        let Some(place) = self.path.last_mut() else { return };
        match (&mut place.below, below) {
            (Some(mine), Some(more)) => mine.unite(more),
            (mine, _) => *mine = None,
        }
    }

    /// Adds the last step of the path to those that touched its objects.
    fn note_touches(&mut self, path: &Path, footprint: FootprintId) {
        let step = path.execution.order().len() - 1;
        while self.touched.len() > step {
            let Some(objects) = self.touched.pop() else { break };
            for object in objects {
                self.touches.entry(object).or_default().pop();
            }
        }
        let footprint = path.footprints.get(footprint);
        for touch in footprint.touches() {
            self.touches.entry(touch.object).or_default().push((step as u32, touch.access));
        }
        self.touched.push(footprint.touches().iter().map(|touch| touch.object).collect());
    }

    /// The one copy of a set.
    fn shared(&mut self, set: Bits) -> Rc<Bits> {
        Rc::clone(self.sets.get_or_insert_with(&set, |set| Rc::new(set.clone())))
    }

    /// Compares the summary of a state with the steps that led there.
    fn compare(&mut self, path: &mut Path, below: &Bits) {
        let entries = self.graph.entries(below, &path.footprints);
        for group in entries.chunk_by(|one, other| one.actor == other.actor) {
            let actor = group[0].actor;
            let knows = self.knowledge(path, actor);
            for entry in group {
                self.compare_entry(path, entry, &knows);
            }
        }
    }

    /// The clock of an actor that may be blocked: it cannot move before what it awaits is written once more, so what it does
    /// then comes after the last write, if it was blocked at that time already.
    fn knowledge(&self, path: &Path, actor: ActorId) -> VectorClock {
        let mut knows = path.execution.knowledge(actor);
        let waiter = path.waiting().iter().find(|waiter| waiter.actor == actor);
        if let Some(Awaited::Made(object) | Awaited::Freed(object)) = waiter.and_then(|waiter| waiter.awaited)
            && let Some(&(step, _)) =
                self.touches.get(&object).and_then(|touches| touches.iter().rfind(|(_, access)| access.changes()))
            && path
                .waiter_before(step as usize, actor)
                .is_some_and(|then| Some(then.awaited) == waiter.map(|now| now.awaited))
        {
            knows.join(path.execution.order().clock(step as usize));
        }
        knows
    }

    /// Compares one entry with every step of the path: which of them will be ordered with it by what comes in between is not
    /// known, so none settles it.
    fn compare_entry(&self, path: &mut Path, entry: &Entry, knows: &VectorClock) {
        let Some(touches) = self.touches.get(&entry.touch.object) else { return };
        for &(step, access) in touches.iter().rev() {
            let step = step as usize;
            if path.execution.order().within(step, knows) {
                if access.contains(Access::WRITE) {
                    break;
                }
            } else if self.races(path, access, entry.touch.access)
                && !self.holds_what_is_awaited(path, step, entry.actor)
            {
                path.try_before(step, entry.actor, knows);
            }
        }
    }

    /// Whether two touches of an object may come in the other order. An actor that releases something has acquired it before:
    /// that is an entry of its own.
    fn races(&self, path: &Path, earlier: Access, later: Access) -> bool {
        path.footprints.dependence().races(earlier, later) && !(earlier == Access::RELEASE && later == Access::RELEASE)
    }

    /// Whether the actor of a step holds what `actor` awaited at that time. Then `actor` is blocked until a later step of the
    /// holder, and what can be reversed is the step that acquired it.
    fn holds_what_is_awaited(&self, path: &Path, step: usize, actor: ActorId) -> bool {
        let Some(waiter) = path.waiter_before(step, actor) else { return false };
        let Some(Awaited::Freed(object)) = waiter.awaited else { return false };
        let acquires = path.footprints.get(waiter.footprint).access(object) == Some(Access::WRITE);
        let Some(touches) = self.touches.get(&object).filter(|_| acquires) else { return false };
        let before = touches.partition_point(|&(other, _)| (other as usize) < step);
        let order = path.execution.order();
        before.checked_sub(1).is_some_and(|last| {
            let (taken, access) = touches[last];
            access == Access::WRITE && order.actor(taken as usize) == order.actor(step)
        })
    }
}

impl<M: Machine> Remember<M> for ExploredStates {
    const SLEEPS: bool = false;
    const SOURCE_SETS: bool = false;

    fn start(&mut self, path: &mut Path, machine: &M) {
        self.captured.start(machine);
        self.note_waiting(path);
    }

    fn step(&mut self, path: &mut Path, machine: &M) {
        let Some((actor, footprint)) = path.last() else { return };
        self.note_touches(path, footprint);
        self.captured.step(path.execution.order().len(), actor, machine);
        let id = self.graph.number(Operation { actor, footprint, waits: false });
        if let Some(place) = self.path.last_mut() {
            place.first.insert(id.0);
            if let Some(via) = place.via {
                self.graph.follow(via, id);
            }
        }
        self.last = Some(id);
        self.note_waiting(path);
        // What is blocked at an end of the program is not told elsewhere.
        let waiting = self.waiting.clone();
        self.come_from(Some(&waiting));
    }

    fn is_known(&mut self, path: &mut Path, fingerprint: Fingerprint) -> bool {
        self.here = self.captured.key(fingerprint);
        let Some(Below { first, all }) = self.explored.get(&self.here).cloned() else { return false };
        if let Some(last) = self.last {
            first.iter().for_each(|next| self.graph.follow(last, OperationId(next)));
        }
        self.come_from(all.as_deref());
        match all {
            Some(all) => self.compare(path, &all),
            None => {
                let all = self.graph.reachable(&first);
                self.compare(path, &all);
            }
        }
        true
    }

    fn enter(&mut self) {
        let below = (!self.plain && self.graph.len() <= MOST_IN_SETS).then(|| self.waiting.clone());
        self.path.push(PathSummary { state: self.here, via: self.last, first: self.waiting.clone(), below });
    }

    fn leave(&mut self) {
        let Some(PathSummary { state, first, below, .. }) = self.path.pop() else { return };
        let all = below.filter(|_| self.graph.len() <= MOST_IN_SETS).map(|mut below| {
            below.unite(&first);
            self.shared(below)
        });
        self.come_from(all.as_deref());
        let first = self.shared(first);
        self.explored.insert(state, Below { first, all });
    }
}
