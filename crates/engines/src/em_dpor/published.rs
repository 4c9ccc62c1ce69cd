//! EM-DPOR as published: Algorithm 5, which is Algorithm 1 with reads and same-queue locks independent (appendix C).
//!
//! A depth-first search with `backtrack` and `done` sets of threads, without sleep sets. In each state the next step of each
//! thread is compared with the last earlier one that it races with, and [`super::find_target`] computes the backtrack
//! points for the other order of the two. `RP` holds the pairs of posts that were asked to be
//! reordered: where one has been, the happens-before relation remembers.

use super::class::ClassName;
use super::order::{Order, Taken};
use super::tasks::{Blocked, Leak, Tasks, Thread, Touches, has_ended, mutexes_taken};
use crate::shared::dfs::{self, DepthFirst, Next};
use crate::shared::tally::{FastSet, Tally, arrive};
use crate::shared::trail::Trail;
use mazurka_core::{ActorId, Awaited, Ending, Fingerprint, Machine, Move, ObjectId, StopReason, VectorClock};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// An actor that exists, and what it would do next.
#[derive(Clone, Copy)]
pub(super) struct Present {
    pub(super) actor: ActorId,
    pub(super) thread: Thread,
    touches: Touches,
    pub(super) can_move: bool,
    awaited: Option<Awaited>,
}

/// A state on the path.
pub(super) struct PathState {
    fingerprint: Fingerprint,
    /// The actors that exist and have not ended.
    pub(super) present: Vec<Present>,
    /// What actors know of that were created or enabled and have not moved since.
    readied: FxHashMap<ActorId, VectorClock>,
    pub(super) backtrack: SmallVec<[Thread; 4]>,
    pub(super) done: SmallVec<[Thread; 4]>,
    /// The thread that is being tried, and the next outcome of its step.
    current: Option<Move>,
    /// Pairs of posts, by the messages, that were asked to come in the other order.
    pub(super) reordered: Vec<(ActorId, ActorId)>,
}

impl PathState {
    pub(super) fn is_enabled(&self, thread: Thread) -> bool {
        self.present.iter().any(|present| present.thread == thread && present.can_move)
    }

    /// Adds a thread to the backtrack set.
    pub(super) fn add_to_backtrack(&mut self, thread: Thread) {
        if !self.backtrack.contains(&thread) {
            self.backtrack.push(thread);
        }
    }

    /// Adds all threads that can move.
    pub(super) fn add_all_to_backtrack(&mut self) {
        let threads: SmallVec<[Thread; 8]> =
            self.present.iter().filter(|present| present.can_move).map(|present| present.thread).collect();
        threads.into_iter().for_each(|thread| self.add_to_backtrack(thread));
    }
}

/// The current path.
pub(super) struct Path {
    pub(super) tasks: Tasks,
    pub(super) order: Order,
    pub(super) nodes: Vec<PathState>,
    pub(super) races: u64,
}

impl Path {
    /// The task that runs next on a thread in the state in front of a step, whether it can move or not.
    pub(super) fn executable(&self, step: usize, thread: Thread) -> Option<ActorId> {
        let mut there = self.nodes[step].present.iter().filter(|present| present.thread == thread);
        let turn = |present: &&Present| {
            present.can_move
                || matches!(thread, Thread::Alone(_))
                || self.order.first(present.actor).is_some_and(|first| first < step)
        };
        there.find(turn).map(|present| present.actor)
    }

    /// What an actor knows of before it moves, the steps that created and enabled it included.
    fn knowledge(&self, node: &PathState, actor: ActorId) -> VectorClock {
        let mut clock = self.order.knowledge(actor);
        if let Some(readied) = node.readied.get(&actor) {
            clock.join(readied);
        }
        clock
    }
}

/// A search from where a machine stands.
pub(super) struct Search<'t, 'o, M: Machine> {
    machine: M,
    tally: &'t mut Tally<'o>,
    path: Path,
    trail: Trail<M::Mark>,
    class: ClassName,
    classes: &'t mut FastSet<(usize, Fingerprint)>,
    /// How many mutexes each message holds.
    held: Vec<i32>,
    leaked: bool,
}

impl<'t, 'o, M: Machine> Search<'t, 'o, M> {
    pub(super) fn new(
        machine: M,
        tally: &'t mut Tally<'o>,
        classes: &'t mut FastSet<(usize, Fingerprint)>,
        mutexes_conflict: bool,
    ) -> Self {
        let tasks = Tasks::new(tally.options.dependence.rewrites, mutexes_conflict);
        let path = Path { tasks, order: Order::default(), nodes: Vec::new(), races: 0 };
        let class = ClassName::default();
        Search { machine, tally, path, trail: Trail::new(), class, classes, held: Vec::new(), leaked: false }
    }

    /// Searches to the end. A leak means that mutexes have to conflict.
    pub(super) fn run(&mut self) -> Result<Result<u64, Leak>, StopReason> {
        let at_end_of_path = self.go_on(Vec::new())?;
        dfs::walk(self, at_end_of_path)?;
        Ok(if self.leaked { Err(Leak) } else { Ok(self.path.races) })
    }

    /// What is to be tried next in the last state of the path.
    fn next_move(&mut self) -> Option<Move> {
        let node = self.path.nodes.last_mut()?;
        if let Some(step) = node.current.take() {
            return Some(step);
        }
        while let Some(&thread) = node.backtrack.iter().find(|thread| !node.done.contains(thread)) {
            node.done.push(thread);
            let turn = node.present.iter().find(|present| present.thread == thread && present.can_move);
            if let Some(present) = turn {
                return Some(Move::from(present.actor));
            }
        }
        None
    }

    /// The messages that are there now and were not before the last step.
    fn posted(&mut self, index: usize) -> SmallVec<[ActorId; 1]> {
        let mut now = Vec::new();
        self.machine.present(&mut now);
        let before = &self.path.nodes[index].present;
        now.retain(|&actor| !before.iter().any(|present| present.actor == actor));
        let tasks = &mut self.path.tasks;
        now.into_iter().filter(|&actor| tasks.queue(&self.machine, actor).is_some()).collect()
    }

    fn watch_mutexes(&mut self, index: usize, actor: ActorId, footprint: &mazurka_core::Footprint) {
        if !matches!(self.path.tasks.thread(actor), Thread::Queue(_)) {
            return;
        }
        let before = self.path.order.iter().rev().skip(1).find(|(_, step)| step.actor == actor).map(|(at, _)| at);
        self.held.resize(index, 0);
        let held = before.map_or(0, |at| self.held[at]) + mutexes_taken(&self.machine, footprint);
        self.held.push(held);
        self.leaked |= held != 0 && self.path.tasks.minds_leaks() && has_ended(&self.machine, actor);
    }

    /// Adds the place where the machine stands to the path; false if the run ends there.
    fn go_on(&mut self, reordered: Vec<(ActorId, ActorId)>) -> Result<bool, StopReason> {
        let mut node = self.look(reordered);
        self.detect(&node);
        let (fingerprint, can_move) = arrive(&self.machine, self.tally)?;
        if !can_move && self.machine.ending() != Ending::Blocked {
            self.classes.insert((self.tally.schedule.start, self.class.name()));
        }
        let entered = can_move && self.tally.enter(fingerprint);
        if entered {
            node.fingerprint = fingerprint;
            let first = node.present.iter().find(|present| present.can_move).map(|present| present.thread);
            node.backtrack.extend(first);
            self.trail.save(self.path.nodes.len(), &self.machine);
            self.path.nodes.push(node);
        } else {
            self.tally.take_back(self.path.nodes.len().saturating_sub(1));
        }
        Ok(entered)
    }

    /// The actors that exist, and what each of them would do.
    fn look(&mut self, reordered: Vec<(ActorId, ActorId)>) -> PathState {
        let tasks = &mut self.path.tasks;
        let mut present = Vec::new();
        for &actor in self.machine.enabled() {
            let touches = tasks.foresee(&self.machine, actor);
            present.push(Present { actor, thread: tasks.thread(actor), touches, can_move: true, awaited: None });
        }
        for Blocked { actor, touches, awaited } in tasks.blocked(&self.machine) {
            present.push(Present { actor, thread: tasks.thread(actor), touches, can_move: false, awaited });
        }
        let readied = self.readied(&present);
        PathState {
            fingerprint: Fingerprint(0),
            present,
            readied,
            backtrack: SmallVec::new(),
            done: SmallVec::new(),
            current: None,
            reordered,
        }
    }

    /// What actors know of that were created or enabled by the last step.
    fn readied(&self, present: &[Present]) -> FxHashMap<ActorId, VectorClock> {
        let Some(last) = self.path.order.len().checked_sub(1) else { return FxHashMap::default() };
        let (before, step) = (&self.path.nodes[last], self.path.order.step(last));
        let mut readied = before.readied.clone();
        readied.remove(&step.actor);
        let footprint = self.path.tasks.footprint(step.touches.whole);
        for now in present.iter().filter(|now| now.actor != step.actor) {
            let made = match before.present.iter().find(|other| other.actor == now.actor) {
                None => true,
                Some(waited) => match waited.awaited {
                    Some(Awaited::Made(object)) => footprint.access(object).is_some_and(mazurka_core::Access::changes),
                    _ => false,
                },
            };
            if made {
                readied.entry(now.actor).or_default().join(self.path.order.clock(last));
            }
        }
        readied
    }

    /// Compares the next step of each thread with the earlier ones (lines 2 to 14).
    fn detect(&mut self, node: &PathState) {
        for &present in &node.present {
            if !self.is_next_on_its_thread(node, &present) || !self.is_news(&present) {
                continue;
            }
            self.compare_with_earlier_steps(&present, &self.path.knowledge(node, present.actor));
        }
    }

    /// What a step touches was known for its first outcome only.
    fn detect_outcome(&mut self, index: usize, step: Move, touches: Touches) {
        let node = &self.path.nodes[index];
        let expected = node.present.iter().find(|present| present.actor == step.actor).copied();
        if let Some(expected) = expected.filter(|expected| expected.touches != touches) {
            let knows = self.path.knowledge(node, step.actor);
            self.compare_with_earlier_steps(&Present { touches, ..expected }, &knows);
        }
    }

    /// Looks for the races of one next step, object by object: a step of ours may touch several.
    fn compare_with_earlier_steps(&mut self, present: &Present, knows: &VectorClock) {
        for racing in self.racing(present, knows) {
            self.path.races += racing.len() as u64;
            let mut past = self.path.order.knowledge(present.actor);
            let nearest = racing[0];
            self.path.find_target(nearest, present.actor, &past);
            past.join(self.path.order.clock(nearest));
            for &other in &racing[1..] {
                self.path.find_target(other, present.actor, &past);
            }
        }
    }

    /// Whether an actor is the next on its thread: the others stand in a queue behind it.
    fn is_next_on_its_thread(&self, node: &PathState, present: &Present) -> bool {
        let runs = |other: &Present| other.can_move || self.path.order.first(other.actor).is_some();
        matches!(present.thread, Thread::Alone(_))
            || runs(present)
            || !node.present.iter().any(|other| other.thread == present.thread && runs(other))
    }

    /// Whether something changed for an actor with the last step: otherwise it was compared with the same steps before.
    fn is_news(&self, present: &Present) -> bool {
        let Some(last) = self.path.order.len().checked_sub(1) else { return false };
        let step = self.path.order.step(last);
        let before = self.path.nodes[last].present.iter().find(|other| other.actor == present.actor);
        step.thread == present.thread
            || before.is_none_or(|before| before.touches != present.touches)
            || self.path.tasks.depend(step.key(), (present.thread, present.touches))
    }

    /// The earlier steps that a next step races with, for each object back to the last one that wrote it, the nearest first.
    fn racing(&self, present: &Present, knows: &VectorClock) -> Vec<SmallVec<[usize; 4]>> {
        let (order, tasks) = (&self.path.order, &self.path.tasks);
        let key = (present.thread, present.touches);
        let mut racing: SmallVec<[(ObjectId, SmallVec<[usize; 4]>); 2]> = SmallVec::new();
        let mut settled: SmallVec<[ObjectId; 4]> = SmallVec::new();
        for (index, step) in order.iter().rev() {
            if step.actor == present.actor || order.within(index, knows) {
                continue;
            }
            for (object, settles) in tasks.races(step.key(), key) {
                if settled.contains(&object) {
                    continue;
                }
                match racing.iter_mut().find(|known| known.0 == object) {
                    Some(known) => known.1.push(index),
                    None => racing.push((object, SmallVec::from_slice(&[index]))),
                }
                settled.extend(settles.then_some(object));
            }
        }
        racing.into_iter().map(|(_, steps)| steps).collect()
    }
}

impl<M: Machine> DepthFirst for Search<'_, '_, M> {
    type Choice = Move;

    fn is_done(&self) -> bool {
        self.path.nodes.is_empty() || self.leaked
    }

    fn next(&mut self) -> Result<Next<Move>, StopReason> {
        Ok(self.next_move().map_or(Next::Close, Next::Take))
    }

    fn rewind(&mut self) {
        self.trail.rewind(self.path.nodes.len() - 1, &self.tally.schedule.moves, &mut self.machine);
    }

    fn close(&mut self) {
        if let Some(node) = self.path.nodes.pop() {
            self.tally.leave(node.fingerprint);
        }
    }

    fn take(&mut self, step: Move) -> Result<bool, StopReason> {
        let index = self.path.nodes.len() - 1;
        self.path.order.truncate(index);
        self.class.truncate(index);
        self.tally.take_back(index);
        let record = self.machine.step(step);
        let (footprint, next) = (record.footprint.clone(), record.next_outcome);
        self.tally.step(step, record)?;
        let touches = self.path.tasks.touches(&self.machine, step.actor, &footprint);
        self.class.push(step, touches, &self.path.tasks);
        self.detect_outcome(index, step, touches);
        let posted = self.posted(index);
        let mut taken = Taken::new(step.actor, self.path.tasks.thread(step.actor), touches, posted);
        let node = &mut self.path.nodes[index];
        node.current = next.map(|outcome| Move { outcome, ..step });
        let mut reordered = node.reordered.clone();
        // Lines 20 and 21: a post that was reordered comes after the nearest one that it was reordered with.
        for message in taken.posted.clone() {
            let before = |pair: &&(ActorId, ActorId)| pair.0 == message;
            let nearest = reordered.iter().filter(before).filter_map(|pair| self.path.order.post(pair.1)).max();
            taken.after = taken.after.max(nearest);
            if let Some(nearest) = nearest {
                self.path.nodes[nearest].add_to_backtrack(taken.thread);
            }
            reordered.retain(|pair| pair.0 != message);
        }
        self.path.order.push(taken, &self.path.tasks);
        self.watch_mutexes(index, step.actor, &footprint);
        self.go_on(reordered)
    }
}
