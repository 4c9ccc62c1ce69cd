//! Happens-before of the paper (definition 3.1), with one clock for each task.
//!
//! A step happens before a later one of its task, before one that depends on it, and by transitivity. Besides, if one post
//! into a queue happens before another, the end of the first event happens before the beginning of the second (the FIFO
//! rule); and a post happens after the nearest one that it was reordered with.

use super::tasks::{Tasks, Thread, Touches};
use mazurka_core::{ActorId, VectorClock};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A step that was taken.
#[derive(Clone)]
pub(super) struct Taken {
    pub(super) actor: ActorId,
    pub(super) thread: Thread,
    pub(super) touches: Touches,
    /// The messages that it posted into queues.
    pub(super) posted: SmallVec<[ActorId; 1]>,
    /// The step that it comes after by rule 3, or by an order that was assumed.
    pub(super) after: Option<usize>,
    /// Its number among the steps of its task, from 1.
    number: u32,
    clock: VectorClock,
}

impl Taken {
    /// A step without its place in the order.
    pub(super) fn new(actor: ActorId, thread: Thread, touches: Touches, posted: SmallVec<[ActorId; 1]>) -> Self {
        Taken { actor, thread, touches, posted, after: None, number: 0, clock: VectorClock::new() }
    }

    /// Its thread and what it touches.
    pub(super) fn key(&self) -> (Thread, Touches) {
        (self.thread, self.touches)
    }
}

/// The steps of an execution and their order; the last ones can be taken back.
#[derive(Default)]
pub(super) struct Order {
    taken: Vec<Taken>,
    /// For each task its steps.
    steps: FxHashMap<ActorId, Vec<usize>>,
    /// For each message the step that posted it.
    posts: FxHashMap<ActorId, usize>,
}

impl Order {
    pub(super) fn len(&self) -> usize {
        self.taken.len()
    }

    pub(super) fn step(&self, index: usize) -> &Taken {
        &self.taken[index]
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (usize, &Taken)> {
        self.taken.iter().enumerate()
    }

    /// The step that posted a message.
    pub(super) fn post(&self, message: ActorId) -> Option<usize> {
        self.posts.get(&message).copied()
    }

    /// The first and the last step of a task.
    pub(super) fn first(&self, task: ActorId) -> Option<usize> {
        self.steps.get(&task).and_then(|steps| steps.first().copied())
    }

    pub(super) fn last(&self, task: ActorId) -> Option<usize> {
        self.steps.get(&task).and_then(|steps| steps.last().copied())
    }

    /// What a task knows of: everything that happens before one of its steps.
    pub(super) fn knowledge(&self, task: ActorId) -> VectorClock {
        self.last(task).map_or_else(VectorClock::new, |last| self.taken[last].clock.clone())
    }

    /// What a step knows of, itself included.
    pub(super) fn clock(&self, index: usize) -> &VectorClock {
        &self.taken[index].clock
    }

    /// Whether a clock knows of a step.
    pub(super) fn within(&self, index: usize, clock: &VectorClock) -> bool {
        clock.get(self.taken[index].actor) >= self.taken[index].number
    }

    pub(super) fn before(&self, one: usize, other: usize) -> bool {
        one != other && self.within(one, &self.taken[other].clock)
    }

    /// Adds a step.
    pub(super) fn push(&mut self, mut step: Taken, tasks: &Tasks) {
        let mut clock = self.knowledge(step.actor);
        for earlier in self.taken.iter().rev() {
            let known = clock.get(earlier.actor) >= earlier.number;
            if !known && tasks.depend(earlier.key(), step.key()) {
                clock.join(&earlier.clock);
            }
        }
        if let Some(after) = step.after {
            clock.join(&self.taken[after].clock);
        }
        self.join_earlier_events(&step, &mut clock);
        let steps = self.steps.entry(step.actor).or_default();
        steps.push(self.taken.len());
        step.number = steps.len() as u32;
        clock.set(step.actor, step.number);
        step.clock = clock;
        for &message in &step.posted {
            self.posts.insert(message, self.taken.len());
        }
        self.taken.push(step);
    }

    /// The FIFO rule, where a message begins.
    fn join_earlier_events(&self, step: &Taken, clock: &mut VectorClock) {
        let Some(post) = self.post(step.actor).filter(|_| self.first(step.actor).is_none()) else { return };
        let knows = &self.taken[post].clock;
        for (other, earlier) in self.taken[..post].iter().enumerate() {
            if earlier.posted.is_empty() || !self.within(other, knows) {
                continue;
            }
            for &message in &earlier.posted {
                if let Some(end) = self.last(message).filter(|&end| self.taken[end].thread == step.thread) {
                    clock.join(&self.taken[end].clock);
                }
            }
        }
    }

    /// Takes back all steps from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        for step in self.taken.drain(len.min(self.taken.len())..) {
            if let Some(steps) = self.steps.get_mut(&step.actor) {
                steps.pop();
            }
            for message in &step.posted {
                self.posts.remove(message);
            }
        }
    }

    /// The order of the same steps when some pairs of them are ordered too; pairs stand in the order of the later steps.
    pub(super) fn extended(&self, pairs: &[(usize, usize)], tasks: &Tasks) -> Order {
        let mut order = Order::default();
        for (index, step) in self.taken.iter().enumerate() {
            let mut step = step.clone();
            // Of two steps that come before this one by assumption, the nearest is assumed to come after the other.
            let assumed = pairs.iter().filter(|pair| pair.1 == index).map(|pair| pair.0).max();
            step.after = step.after.max(assumed);
            order.push(step, tasks);
        }
        order
    }
}
