//! What has to come before what, so that an execution has some events and leaves others out.
//!
//! A queue runs its messages in the order in which they were posted, so an order of two steps orders their messages, the
//! posts of these, and so on. Those orders are collected until nothing is added. If they go round in a circle there is no such
//! execution.

use super::events::{EventId, Events};
use super::tasks::{Tasks, Thread, Touches};
use mazurka_core::{ActorId, Move};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A step that has to come, or to be waited for, before an event which is left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub(super) step: Move,
    /// It is never taken: a message waits to take it for ever, and those behind it in its queue never begin.
    pub(super) stuck: bool,
    /// Its number among the steps of its task, from 1.
    pub(super) number: u32,
    /// What it touches.
    pub(super) touches: Touches,
    /// The event that it is in the way of.
    pub(super) leaves_out: EventId,
}

/// An execution that is looked for.
pub(super) struct Goal<'g> {
    /// What it has, each event after its past.
    pub(super) events: Vec<EventId>,
    /// Who has to move after that.
    pub(super) targets: Vec<Target>,
    /// What it must not have.
    pub(super) avoid: &'g [EventId],
}

/// For each event of a goal, those that have to come before it beyond its past, by place.
pub(super) type Constraints = Vec<SmallVec<[u32; 2]>>;

/// A node of the graph: an event of the goal, a target, or the step of an event that is left out.
struct Graph {
    /// For each node the nodes in front of it.
    before: Vec<SmallVec<[u32; 4]>>,
    /// For each node, as bits, the nodes that it comes after.
    past: Vec<Vec<u64>>,
    /// For each message its nodes, the first one first, and the node that posts it.
    messages: Vec<Message>,
}

struct Message {
    thread: Thread,
    nodes: Vec<u32>,
    post: Option<u32>,
}

/// Collects what has to come before what; `None` if that goes round in a circle.
pub(super) fn constraints(goal: &Goal<'_>, events: &Events, tasks: &Tasks) -> Option<Constraints> {
    let mut graph = Graph::new(goal, events, tasks);
    loop {
        if !graph.close() {
            return None;
        }
        if !graph.order_messages() {
            break;
        }
    }
    let count = goal.events.len();
    let beyond = |(node, before): (usize, &SmallVec<[u32; 4]>)| {
        let event = events.get(goal.events[node]);
        let is_new = |&&other: &&u32| (other as usize) < count && !event.knows(events.get(goal.events[other as usize]));
        before.iter().filter(is_new).copied().collect()
    };
    Some(graph.before[..count].iter().enumerate().map(beyond).collect())
}

impl Graph {
    fn new(goal: &Goal<'_>, events: &Events, tasks: &Tasks) -> Self {
        let mut places: FxHashMap<EventId, u32> = FxHashMap::default();
        let mut before: Vec<SmallVec<[u32; 4]>> = Vec::with_capacity(goal.events.len());
        let mut tasks_nodes: FxHashMap<ActorId, Vec<u32>> = FxHashMap::default();
        let mut makers: FxHashMap<ActorId, u32> = FxHashMap::default();
        for (place, &id) in goal.events.iter().enumerate() {
            let (event, place) = (events.get(id), place as u32);
            before.push(event.causes.iter().filter_map(|cause| places.get(cause).copied()).collect());
            places.insert(id, place);
            tasks_nodes.entry(event.actor()).or_default().push(place);
            for &actor in &event.made {
                makers.insert(actor, place);
            }
        }
        let mut steps: FxHashMap<(ActorId, u32), u32> = FxHashMap::default();
        for target in &goal.targets {
            let left_out = events.get(target.leaves_out);
            let mut place = |actor: ActorId, number: u32, touches: Touches| {
                *steps.entry((actor, number)).or_insert_with(|| {
                    let key = (tasks.thread(actor), touches);
                    let in_the_way = |&(_, &id): &(usize, &EventId)| tasks.depend(events.get(id).key(), key);
                    let settled = goal.events.iter().enumerate().filter(in_the_way).map(|(place, _)| place as u32);
                    let nodes = tasks_nodes.entry(actor).or_default();
                    let previous = nodes.last().copied().or_else(|| makers.get(&actor).copied());
                    let node = before.len() as u32;
                    before.push(previous.into_iter().chain(settled).collect());
                    nodes.push(node);
                    node
                })
            };
            let moved = place(target.step.actor, target.number, target.touches);
            let comes_later = goal.events.iter().all(|&id| {
                let event = events.get(id);
                event.actor() != left_out.actor() || event.number < left_out.number
            });
            if comes_later && left_out.actor() != target.step.actor {
                let later = place(left_out.actor(), left_out.number, left_out.touches);
                before[later as usize].push(moved);
            }
        }
        let mut messages: Vec<Message> = Vec::new();
        for (actor, nodes) in tasks_nodes {
            let thread = tasks.thread(actor);
            if let Thread::Queue(_) = thread {
                messages.push(Message { thread, nodes, post: makers.get(&actor).copied() });
            }
        }
        Graph { before, past: Vec::new(), messages }
    }

    /// Works out all that each node comes after; false if something comes after itself.
    fn close(&mut self) -> bool {
        let count = self.before.len();
        let words = count.div_ceil(64);
        let mut missing: Vec<u32> = self.before.iter().map(|before| before.len() as u32).collect();
        let mut after: Vec<SmallVec<[u32; 4]>> = vec![SmallVec::new(); count];
        for (node, before) in self.before.iter().enumerate() {
            before.iter().for_each(|&other| after[other as usize].push(node as u32));
        }
        self.past = vec![vec![0; words]; count];
        let mut ready: Vec<u32> = (0..count as u32).filter(|&node| missing[node as usize] == 0).collect();
        let mut seen = 0;
        while let Some(node) = ready.pop() {
            seen += 1;
            let mut past = std::mem::take(&mut self.past[node as usize]);
            past[node as usize / 64] |= 1 << (node % 64);
            for &next in &after[node as usize] {
                self.past[next as usize].iter_mut().zip(&past).for_each(|(word, more)| *word |= more);
                missing[next as usize] -= 1;
                if missing[next as usize] == 0 {
                    ready.push(next);
                }
            }
            self.past[node as usize] = past;
        }
        seen == count
    }

    fn comes_after(&self, node: u32, other: u32) -> bool {
        self.past[node as usize][other as usize / 64] >> (other % 64) & 1 == 1
    }

    /// Adds what follows from the rule of the queue; false if nothing does.
    fn order_messages(&mut self) -> bool {
        let mut added: Vec<(u32, u32)> = Vec::new();
        for (number, one) in self.messages.iter().enumerate() {
            for other in self.messages.iter().skip(number + 1).filter(|other| other.thread == one.thread) {
                for (first, second) in [(one, other), (other, one)] {
                    if self.is_ordered(first, second) {
                        self.order(first, second, &mut added);
                    }
                }
            }
        }
        for &(earlier, later) in &added {
            self.before[later as usize].push(earlier);
        }
        !added.is_empty()
    }

    /// Whether something says that one message comes before another.
    fn is_ordered(&self, first: &Message, second: &Message) -> bool {
        let begins = first.nodes[0];
        let posts = first.post.zip(second.post);
        posts.is_some_and(|(one, other)| one != other && self.comes_after(other, one))
            || second.nodes.last().is_some_and(|&last| self.comes_after(last, begins))
    }

    fn order(&self, first: &Message, second: &Message, added: &mut Vec<(u32, u32)>) {
        if let (Some(&end), Some(&begin)) = (first.nodes.last(), second.nodes.first())
            && !self.comes_after(begin, end)
        {
            added.push((end, begin));
        }
        if let Some((one, other)) = first.post.zip(second.post)
            && one != other
            && !self.comes_after(other, one)
        {
            added.push((one, other));
        }
    }
}
