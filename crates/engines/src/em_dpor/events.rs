//! Steps with their pasts: the events of an unfolding in which posts into one queue do not depend on each other.
//!
//! An event is a step of a task together with everything that had to come before it: the step before it in its task, the
//! earlier steps that it depends on, and what these come after. Two executions that take the same step with the same past
//! take the same event, so that a set of events represents all executions that cover each other. What the queues demand
//! is no part of the past: it follows from it ([`super::plan`]).

use super::tasks::{Tasks, Thread, Touches, mutexes_taken};
use crate::shared::trace::step_name;
use hashbrown::HashMap;
use mazurka_core::{Access, ActorId, Machine, Move, ObjectId, Outcome, StepRecord, VectorClock};
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

/// An event by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct EventId(pub(super) u32);

impl EventId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A step with its past.
pub(super) struct Event {
    pub(super) step: Move,
    /// Its number among the steps of its task, from 1.
    pub(super) number: u32,
    pub(super) thread: Thread,
    pub(super) touches: Touches,
    /// The events that had to come before it, those of which these are the past left out.
    pub(super) causes: SmallVec<[EventId; 4]>,
    /// For each task, how many of its events lie in the past, this one included.
    pub(super) clock: VectorClock,
    /// The actors that it makes: messages that it posts, threads that it begins.
    pub(super) made: SmallVec<[ActorId; 1]>,
    /// The outcome to try after this one.
    pub(super) more: Option<Outcome>,
    /// How many mutexes it acquires more than it releases.
    mutexes: i32,
    hash: u128,
}

impl Event {
    /// Its thread and what it touches.
    pub(super) fn key(&self) -> (Thread, Touches) {
        (self.thread, self.touches)
    }

    pub(super) fn actor(&self) -> ActorId {
        self.step.actor
    }

    /// Its task and its number there.
    pub(super) fn place(&self) -> (ActorId, u32) {
        (self.step.actor, self.number)
    }

    /// Whether it and another event cannot both be in one execution, as far as the two of them show.
    pub(super) fn excludes(&self, other: &Event, tasks: &Tasks) -> bool {
        if self.actor() == other.actor() {
            return self.number == other.number && self.hash != other.hash;
        }
        !self.knows(other) && !other.knows(self) && tasks.depend(self.key(), other.key())
    }

    /// Whether another event lies in its past, provided that the two can be in one execution.
    pub(super) fn knows(&self, other: &Event) -> bool {
        self.clock.get(other.actor()) >= other.number
    }
}

/// All events that were met.
#[derive(Default)]
pub(super) struct Events {
    events: Vec<Event>,
    by_hash: HashMap<u128, EventId, FxBuildHasher>,
}

impl Events {
    pub(super) fn get(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }
}

/// One execution as the events that it takes, in order; the last ones can be taken back.
#[derive(Default)]
pub(super) struct Run {
    events: Vec<EventId>,
    tasks: FxHashMap<ActorId, Vec<EventId>>,
    /// For each queue its messages in the order of their posts.
    queues: FxHashMap<Thread, Vec<ActorId>>,
}

impl Run {
    pub(super) fn events(&self) -> &[EventId] {
        &self.events
    }

    /// The name of the class: what all executions with the same events share.
    pub(super) fn name(&self, events: &Events) -> u128 {
        self.events.iter().fold(0, |sum, &id| sum.wrapping_add(events.get(id).hash))
    }

    /// The queues with their messages in the order of their posts.
    pub(super) fn queues(&self) -> impl Iterator<Item = (Thread, &[ActorId])> {
        self.queues.iter().map(|(&thread, messages)| (thread, messages.as_slice()))
    }

    /// How many mutexes an actor holds.
    pub(super) fn mutexes(&self, actor: ActorId, events: &Events) -> i32 {
        self.tasks.get(&actor).into_iter().flatten().map(|&id| events.get(id).mutexes).sum()
    }

    /// The mutexes that an actor holds.
    pub(super) fn held(&self, actor: ActorId, events: &Events, tasks: &Tasks) -> SmallVec<[ObjectId; 2]> {
        let mut held = SmallVec::new();
        for &id in self.tasks.get(&actor).into_iter().flatten() {
            for touch in tasks.footprint(events.get(id).touches.whole).touches() {
                if tasks.is_mutex(touch.object) {
                    held.retain(|mutex| *mutex != touch.object);
                    if !touch.access.contains(Access::RELEASE) {
                        held.push(touch.object);
                    }
                }
            }
        }
        held
    }

    /// How many steps an actor has taken.
    pub(super) fn count(&self, actor: ActorId) -> u32 {
        self.tasks.get(&actor).map_or(0, |events| events.len() as u32)
    }

    /// Adds the step that a machine has just taken, after which the actors in `made` are there for the first time.
    pub(super) fn push(
        &mut self,
        step: Move,
        recorded: Recorded,
        made: SmallVec<[ActorId; 1]>,
        tasks: &Tasks,
        events: &mut Events,
    ) -> EventId {
        let Recorded { touches, more, mutexes, .. } = recorded;
        let thread = tasks.thread(step.actor);
        let mut past = Past::default();
        if let Some(&last) = self.tasks.get(&step.actor).and_then(|own| own.last()) {
            past.add(last, events.get(last));
        }
        for &earlier in self.events.iter().rev() {
            let event = events.get(earlier);
            if !past.knows(event) && tasks.depend(event.key(), (thread, touches)) {
                past.add(earlier, event);
            }
        }
        let number = self.count(step.actor) + 1;
        past.keep_the_last(events);
        let hash = past.hash(step, events);
        let id = match events.by_hash.get(&hash) {
            Some(&known) => known,
            None => {
                past.clock.set(step.actor, number);
                let Past { causes, clock } = past;
                let id = EventId(events.events.len() as u32);
                let made = made.clone();
                events.events.push(Event { step, number, thread, touches, causes, clock, made, more, mutexes, hash });
                events.by_hash.insert(hash, id);
                id
            }
        };
        for actor in made {
            let thread = tasks.thread(actor);
            if let Thread::Queue(_) = thread {
                self.queues.entry(thread).or_default().push(actor);
            }
        }
        self.events.push(id);
        self.tasks.entry(step.actor).or_default().push(id);
        id
    }

    /// Takes back all steps from `len` on.
    pub(super) fn truncate(&mut self, len: usize, tasks: &Tasks, events: &Events) {
        while self.events.len() > len {
            let Some(last) = self.events.pop() else { return };
            let event = events.get(last);
            if let Some(own) = self.tasks.get_mut(&event.actor()) {
                own.pop();
            }
            for actor in &event.made {
                if let Some(queue) = self.queues.get_mut(&tasks.thread(*actor)) {
                    queue.pop();
                }
            }
        }
    }
}

/// The past of an event that is being built.
#[derive(Default)]
struct Past {
    causes: SmallVec<[EventId; 4]>,
    clock: VectorClock,
}

impl Past {
    fn knows(&self, event: &Event) -> bool {
        self.clock.get(event.actor()) >= event.number
    }

    fn add(&mut self, id: EventId, event: &Event) {
        self.causes.push(id);
        self.clock.join(&event.clock);
    }

    /// Leaves out the causes that lie in the past of others: so the order in which they were found does not matter.
    fn keep_the_last(&mut self, events: &Events) {
        let all = self.causes.clone();
        self.causes.retain(|cause| {
            let event = events.get(*cause);
            !all.iter().any(|other| other != cause && events.get(*other).knows(event))
        });
    }

    fn hash(&self, step: Move, events: &Events) -> u128 {
        let sum = self.causes.iter().fold(0u128, |sum, &cause| sum.wrapping_add(events.get(cause).hash));
        step_name(step, sum)
    }
}

/// The actors that exist now and did not before a step: `before` are those that existed then.
pub(super) fn made<M: Machine>(machine: &M, tasks: &mut Tasks, before: &mut Vec<ActorId>) -> SmallVec<[ActorId; 1]> {
    let mut now = Vec::new();
    machine.present(&mut now);
    let new: SmallVec<[ActorId; 1]> = now.iter().copied().filter(|actor| !before.contains(actor)).collect();
    for &actor in &new {
        tasks.queue(machine, actor);
    }
    *before = now;
    new
}

/// What a step did, as it counts here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recorded {
    pub(super) touches: Touches,
    /// Whether only the holder of a mutex could have blocked its actor.
    pub(super) is_certain: bool,
    more: Option<Outcome>,
    mutexes: i32,
}

impl Recorded {
    /// What the record of a machine's last step says.
    pub(super) fn new<M: Machine>(machine: &M, tasks: &mut Tasks, actor: ActorId, record: &StepRecord) -> Self {
        Recorded {
            touches: tasks.touches(machine, actor, &record.footprint),
            is_certain: record.is_certain,
            more: record.next_outcome,
            mutexes: mutexes_taken(machine, &record.footprint),
        }
    }
}
