//! What has to come before what, so that an execution has some events and leaves others out.
//!
//! A queue runs its messages in the order in which they were posted, so an order of two steps orders their messages, the
//! posts of these, and so on. Those orders are collected until nothing is added. If they have a cycle, there is no
//! such execution.

use super::events::{EventId, Events};
use super::openings::{Openings, TaskStep};
use super::tasks::{Tasks, Thread, Touches};
use mazurka_core::{ActorId, Move};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A step that has to be taken, or to be blocked on, before an event which is left out.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExcludingStep {
    pub(super) step: Move,
    /// Its number among the steps of its task, from 1.
    pub(super) number: u32,
    /// What it touches.
    pub(super) touches: Touches,
    /// It is the first one of a message that goes ahead of another one. It is not known beforehand what it does then: it may
    /// exclude the event, or get stuck, so that those behind it in its queue never begin.
    pub(super) goes_ahead: bool,
    /// The event that it excludes.
    pub(super) leaves_out: EventId,
}

impl ExcludingStep {
    pub(super) fn place(&self) -> TaskStep {
        (self.step.actor, self.number)
    }
}

/// An execution that is looked for.
pub(super) struct Goal<'g> {
    /// What it has, each event after its past.
    pub(super) events: &'g [EventId],
    /// Which steps the targets need, beside those of the events.
    pub(super) needed: &'g [TaskStep],
    /// What has to come before the events that it must not have.
    pub(super) targets: &'g [ExcludingStep],
    /// Two steps of which the first has to come before the second.
    pub(super) order: Option<(TaskStep, TaskStep)>,
}

/// A step that an execution must have, and what has to come before it.
pub(super) struct Wanted {
    pub(super) place: TaskStep,
    /// The event that it has to be, if that is settled.
    pub(super) event: Option<EventId>,
    pub(super) after: SmallVec<[TaskStep; 4]>,
}

/// The steps that a goal needs, in an order that is possible as far as the queues go; `None` if there is none.
pub(super) fn plan(goal: &Goal<'_>, events: &Events, openings: &Openings, tasks: &Tasks) -> Option<Vec<Wanted>> {
    let mut graph = OrderGraph::new(goal, events, openings, tasks);
    loop {
        if !graph.close() {
            return None;
        }
        if !graph.order_messages() {
            break;
        }
    }
    let wanted = goal.events.len() + goal.needed.len();
    let event = |node: usize| goal.events.get(node).copied();
    let make = |node: usize| Wanted {
        place: graph.places[node],
        event: event(node),
        after: graph.before[node].iter().map(|&other| graph.places[other as usize]).collect(),
    };
    Some((0..wanted).map(make).collect())
}

/// Steps and what comes before each of them. The events of a goal come first, then what the targets need, then targets and
/// the steps of events that are left out.
struct OrderGraph {
    places: Vec<TaskStep>,
    before: Vec<SmallVec<[u32; 4]>>,
    /// For each node, as bits, the nodes that it comes after.
    past: Vec<Vec<u64>>,
    messages: Vec<Message>,
}

/// A message: its steps in order, and the one that posts it.
struct Message {
    thread: Thread,
    nodes: Vec<u32>,
    post: Option<u32>,
}

/// A graph that is being built.
struct Builder<'b> {
    goal: &'b Goal<'b>,
    events: &'b Events,
    openings: &'b Openings,
    tasks: &'b Tasks,
    nodes: FxHashMap<TaskStep, u32>,
    places: Vec<TaskStep>,
    before: Vec<SmallVec<[u32; 4]>>,
    makers: FxHashMap<ActorId, u32>,
}

impl Builder<'_> {
    fn add(&mut self, place: TaskStep, before: SmallVec<[u32; 4]>) -> u32 {
        let node = self.places.len() as u32;
        self.places.push(place);
        self.before.push(before);
        self.nodes.insert(place, node);
        node
    }

    fn add_event(&mut self, id: EventId) {
        let event = self.events.get(id);
        let causes = event.causes.iter().filter_map(|&cause| self.nodes.get(&self.events.get(cause).place()).copied());
        let node = self.add(event.place(), causes.collect());
        for &actor in &event.made {
            self.makers.insert(actor, node);
        }
    }

    /// Adds a step that is not settled: it comes after what it needs, and after the settled events that it depends on.
    fn add_step(&mut self, place: TaskStep, touches: Option<Touches>) -> u32 {
        if let Some(&known) = self.nodes.get(&place) {
            return known;
        }
        let mut before: SmallVec<[u32; 4]> = SmallVec::new();
        let earlier = (place.1 > 1).then(|| (place.0, place.1 - 1));
        let needs = self.openings.needs(place).chain(earlier);
        before.extend(needs.filter_map(|need| self.nodes.get(&need).copied()));
        before.extend((place.1 == 1).then(|| self.makers.get(&place.0).copied()).flatten());
        if let Some(touches) = touches.or_else(|| self.openings.touches(place)) {
            let key = (self.tasks.thread(place.0), touches);
            let depends = |&(_, &id): &(usize, &EventId)| self.tasks.depend(self.events.get(id).key(), key);
            before.extend(self.goal.events.iter().enumerate().filter(depends).map(|(node, _)| node as u32));
        }
        self.add(place, before)
    }

    /// Adds what is needed by itself, so that it does not matter which one names it first.
    fn link_needed(&mut self) {
        for &place in self.goal.needed {
            let Some(&node) = self.nodes.get(&place) else { continue };
            let earlier = (place.1 > 1).then(|| (place.0, place.1 - 1));
            let needs = self.openings.needs(place).chain(earlier);
            let needs: SmallVec<[u32; 4]> = needs.filter_map(|need| self.nodes.get(&need).copied()).collect();
            for need in needs {
                if !self.before[node as usize].contains(&need) {
                    self.before[node as usize].push(need);
                }
            }
        }
    }

    fn add_targets(&mut self) {
        for target in self.goal.targets {
            let moved = self.add_step(target.place(), Some(target.touches));
            let left_out = self.events.get(target.leaves_out);
            if left_out.actor() != target.step.actor {
                let later = self.add_step(left_out.place(), Some(left_out.touches));
                self.before[later as usize].push(moved);
            }
        }
    }

    fn add_order(&mut self) {
        if let Some((first, second)) = self.goal.order {
            let (first, second) = (self.add_step(first, None), self.add_step(second, None));
            self.before[second as usize].push(first);
        }
    }

    fn finish(self) -> OrderGraph {
        let mut tasks: FxHashMap<ActorId, Vec<u32>> = FxHashMap::default();
        for (node, place) in self.places.iter().enumerate() {
            tasks.entry(place.0).or_default().push(node as u32);
        }
        let mut messages = Vec::new();
        for (actor, mut nodes) in tasks {
            let thread = self.tasks.thread(actor);
            if let Thread::Queue(_) = thread {
                nodes.sort_unstable_by_key(|&node| self.places[node as usize].1);
                let maker = || self.openings.needs((actor, 1)).find_map(|need| self.nodes.get(&need).copied());
                messages.push(Message { thread, nodes, post: self.makers.get(&actor).copied().or_else(maker) });
            }
        }
        OrderGraph { places: self.places, before: self.before, past: Vec::new(), messages }
    }
}

impl OrderGraph {
    fn new(goal: &Goal<'_>, events: &Events, openings: &Openings, tasks: &Tasks) -> Self {
        let mut builder = Builder {
            goal,
            events,
            openings,
            tasks,
            nodes: FxHashMap::default(),
            places: Vec::new(),
            before: Vec::new(),
            makers: FxHashMap::default(),
        };
        goal.events.iter().for_each(|&id| builder.add_event(id));
        for &place in goal.needed {
            builder.add_step(place, None);
        }
        builder.link_needed();
        builder.add_targets();
        builder.add_order();
        builder.finish()
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
