//! Openings: steps that actors were seen to take, or to be blocked on, and what they need before them.
//!
//! An event is left out of an execution by a step that *excludes* it: a step of another task that depends on it and comes
//! first. Every step that was taken anywhere is remembered, and every one that an actor was blocked on at the end of an
//! execution: by its task and its number there, and not by its past, which may be another one when it comes first.
//!
//! An example. Thread 1 writes x, then y; thread 2 reads y, then writes x. The first execution runs thread 1 and then
//! thread 2:
//!
//! ```text
//! events                              openings
//! 1.1  writes x                       (1, 1) writes x
//! 1.2  writes y   after 1.1           (1, 2) writes y
//! 2.1  reads y    after 1.2           (2, 1) reads y
//! 2.2  writes x   after 2.1, 1.1      (2, 2) writes x
//! ```
//!
//! To leave out event 1.1, a step of another task on x has to come first: the opening (2, 2). It needs (2, 1) before it,
//! and nothing else: that 2.1 came after 1.2 was its past in that execution, not a need. So an execution is looked for that
//! begins with (2, 1), (2, 2). There, (2, 1) reads the old y; it is another event. If thread 2 were started by thread 1, the
//! step that starts it would be a need of (2, 1), and 1.1 could not be left out.

use super::events::Event;
use super::tasks::{Tasks, Thread, Touches};
use crate::shared::tally::FastSet;
use mazurka_core::{ActorId, FootprintId, Move, ObjectId, Outcome};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A step by its task and its number there, from 1.
pub(super) type TaskStep = (ActorId, u32);

/// A step that can exclude events of others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) place: TaskStep,
    pub(super) outcome: Outcome,
    pub(super) thread: Thread,
    pub(super) touches: Touches,
}

/// What was seen of a step.
#[derive(Clone, Debug, Default)]
struct Seen {
    /// What it touches, if that was always the same.
    touches: Option<Touches>,
    /// What has to be done before it, beside the step before it in its task.
    needs: SmallVec<[TaskStep; 2]>,
}

/// All that are known.
#[derive(Default)]
pub(super) struct Openings {
    all: Vec<Opening>,
    known: FastSet<(TaskStep, Outcome, FootprintId)>,
    by_object: FxHashMap<ObjectId, Vec<u32>>,
    seen: FxHashMap<TaskStep, Seen>,
    /// The messages of each queue, by their first steps, and the queues that were jammed at the end of an execution.
    messages: FxHashMap<Thread, Vec<Opening>>,
    jammed: FastSet<Thread>,
    /// The outcomes beyond the first one that a step was seen to have.
    outcomes: FxHashMap<TaskStep, SmallVec<[Outcome; 2]>>,
    /// The step that creates an actor, and the one that writes an object, if it is always the same one.
    makers: FxHashMap<ActorId, Option<TaskStep>>,
    changes: FxHashMap<ObjectId, Option<TaskStep>>,
    /// The objects that an actor may be blocked on, its last step that may be blocked, and the actors that write each object.
    waits: FxHashMap<ActorId, SmallVec<[ObjectId; 4]>>,
    last_waits: FxHashMap<ActorId, u32>,
    writers: FxHashMap<ObjectId, SmallVec<[ActorId; 2]>>,
    /// Which actor holds which mutex while it may be blocked.
    kept: FastSet<(ActorId, ObjectId)>,
    /// Steps are fixed: actors are blocked on gates and mutexes only.
    fixed_steps: bool,
}

/// How many steps of each actor are done.
#[derive(Default)]
struct Done(FxHashMap<ActorId, u32>);

impl Done {
    fn has(&self, (actor, number): TaskStep) -> bool {
        self.0.get(&actor).is_some_and(|&count| count >= number)
    }
}

fn add_once<T: PartialEq, A: smallvec::Array<Item = T>>(all: &mut SmallVec<A>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}

fn only(known: &mut Option<TaskStep>, place: TaskStep) {
    *known = known.filter(|&known| known == place);
}

impl Openings {
    pub(super) fn new(fixed_steps: bool) -> Self {
        Openings { fixed_steps, ..Openings::default() }
    }

    /// Remembers a step that an actor takes or is blocked on.
    pub(super) fn add(&mut self, place: TaskStep, outcome: Outcome, touches: Touches, tasks: &Tasks) {
        if !self.known.insert((place, outcome, touches.whole)) {
            return;
        }
        let number = self.all.len() as u32;
        let mut needs: SmallVec<[TaskStep; 2]> = SmallVec::new();
        for touch in tasks.footprint(touches.whole).touches() {
            if touch.access.changes() {
                only(self.changes.entry(touch.object).or_insert(Some(place)), place);
                add_once(self.writers.entry(touch.object).or_default(), place.0);
            } else if tasks.is_gate(touch.object) {
                needs.extend(self.changes.get(&touch.object).copied().flatten());
            }
            if !tasks.is_gate(touch.object) {
                self.by_object.entry(touch.object).or_default().push(number);
            }
        }
        match self.seen.get_mut(&place) {
            Some(seen) => *seen = Seen::default(),
            None => drop(self.seen.insert(place, Seen { touches: Some(touches), needs })),
        }
        let opening = Opening { place, outcome, thread: tasks.thread(place.0), touches };
        if place.1 == 1 && matches!(opening.thread, Thread::Queue(_)) {
            self.messages.entry(opening.thread).or_default().push(opening);
        }
        self.all.push(opening);
    }

    /// Remembers what an actor may be blocked on, and which mutexes it holds then. A step that is certain is blocked on
    /// mutexes only, and the first step of a message on gates. That a message is not posted yet does not count.
    pub(super) fn add_wait(
        &mut self,
        place: TaskStep,
        touches: Touches,
        is_certain: bool,
        held: &[ObjectId],
        tasks: &Tasks,
    ) {
        let begins = place.1 == 1 && matches!(tasks.thread(place.0), Thread::Queue(_));
        let gates_only = begins || self.fixed_steps;
        let maker = self.makers.get(&place.0).copied().flatten().filter(|_| place.1 == 1);
        let mut may_wait = !is_certain && !gates_only;
        for touch in tasks.footprint(touches.whole).touches() {
            let (is_gate, is_mutex) = (tasks.is_gate(touch.object), tasks.is_mutex(touch.object));
            let is_its_making = maker.is_some() && self.only_write(touch.object) == maker;
            if is_mutex || !is_certain && (!gates_only || is_gate) && !is_its_making {
                add_once(self.waits.entry(place.0).or_default(), touch.object);
                self.kept.extend(held.iter().map(|&mutex| (place.0, mutex)));
                may_wait = true;
            }
        }
        if may_wait {
            let last = self.last_waits.entry(place.0).or_default();
            *last = place.1.max(*last);
        }
    }

    /// Remembers that a step has a further outcome.
    pub(super) fn add_outcome(&mut self, place: TaskStep, outcome: Outcome) {
        let outcomes = self.outcomes.entry(place).or_default();
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    }

    /// The moves of an actor that are known for its step with this number, the first outcome last.
    pub(super) fn moves(&self, place: TaskStep) -> impl Iterator<Item = Move> + '_ {
        let further = self.outcomes.get(&place).into_iter().flatten().rev().copied();
        further.chain([Outcome::FIRST]).map(move |outcome| Move { actor: place.0, outcome })
    }

    /// Remembers the step that created an actor.
    pub(super) fn add_maker(&mut self, actor: ActorId, place: TaskStep) {
        only(self.makers.entry(actor).or_insert(Some(place)), place);
    }

    /// Remembers a queue whose messages stand behind one that is stuck.
    pub(super) fn add_jammed(&mut self, thread: Thread) {
        self.jammed.insert(thread);
    }

    /// The messages that could go ahead of that of an event and keep it from beginning.
    pub(super) fn ahead_of(&self, event: &Event, will_come: &dyn Fn(TaskStep) -> bool, tasks: &Tasks) -> Vec<Opening> {
        let goes_ahead = |other: &&Opening| {
            event.number == 1
                && other.place.0 != event.actor()
                && (self.can_jam(other.place.0, event.actor(), will_come, tasks)
                    || self.may_differ(other.place.0, event.actor(), will_come, tasks))
        };
        let messages = self.messages.get(&event.thread).into_iter().flatten();
        messages.filter(goes_ahead).copied().collect()
    }

    /// Whether a message that runs may be blocked for ever until another one has run, directly or through others: not on
    /// what `will_come`, nor on what was surely done before.
    fn may_wait_for(
        &self,
        message: ActorId,
        other: ActorId,
        will_come: &dyn Fn(TaskStep) -> bool,
        tasks: &Tasks,
    ) -> bool {
        if !self.waits.contains_key(&message) {
            return false;
        }
        let done = self.done_before(message, tasks);
        let will_be_done = |place: TaskStep| done.has(place) || will_come(place);
        let will_end = |actor: ActorId| will_be_done((actor, self.length(actor)));
        let mut seen: SmallVec<[ActorId; 16]> = SmallVec::from_slice(&[message]);
        let mut next = 0;
        while let Some(&actor) = seen.get(next) {
            next += 1;
            let objects = self.waits.get(&actor).into_iter().flatten();
            for &object in objects.filter(|&&object| !self.only_write(object).is_some_and(will_be_done)) {
                // A mutex is released, unless its holder is blocked, too.
                let keeps = |other: ActorId| !tasks.is_mutex(object) || self.kept.contains(&(other, object));
                let writers = self.writers.get(&object).into_iter().flatten().copied();
                let writers = writers.filter(|&writer| !will_end(writer) && keeps(writer));
                writers.for_each(|writer| add_once(&mut seen, writer));
            }
            if actor != message {
                // It may not exist yet, or stand behind others in its queue.
                let maker = self.makers.get(&actor).copied().flatten().filter(|&maker| !will_be_done(maker));
                maker.into_iter().for_each(|maker| add_once(&mut seen, maker.0));
                let mates = self.messages.get(&tasks.thread(actor)).into_iter().flatten().map(|mate| mate.place.0);
                mates.filter(|&mate| !will_end(mate)).for_each(|mate| add_once(&mut seen, mate));
            }
        }
        seen.contains(&other)
    }

    /// How many steps of an actor were seen.
    fn length(&self, actor: ActorId) -> u32 {
        (1..).find(|&number| !self.seen.contains_key(&(actor, number))).map_or(0, |number| number - 1)
    }

    /// Whether a message that goes ahead of another one can get stuck and keep it from beginning: because the queue has
    /// been seen jammed, or because it may be blocked until the other one has run. Otherwise it would get stuck behind the
    /// other one as well, and that has been seen before, unless it may do something else.
    pub(super) fn can_jam(
        &self,
        message: ActorId,
        other: ActorId,
        will_come: &dyn Fn(TaskStep) -> bool,
        tasks: &Tasks,
    ) -> bool {
        self.may_stay(message, will_come)
            && (self.jammed.contains(&tasks.thread(message)) || self.may_wait_for(message, other, will_come, tasks))
    }

    /// Whether a message that has not begun may do something else, and get stuck, when another one has not run.
    fn may_differ(
        &self,
        message: ActorId,
        other: ActorId,
        will_come: &dyn Fn(TaskStep) -> bool,
        tasks: &Tasks,
    ) -> bool {
        !self.fixed_steps
            && !will_come((message, 1))
            && self.may_stay(message, will_come)
            && self.oppose(message, other, tasks)
    }

    /// Whether a message may not come to its end, by what is known: one that has not been seen beyond its first step may do
    /// anything, and of the others one that may be blocked on a step that is not certain to come.
    fn may_stay(&self, message: ActorId, will_come: &dyn Fn(TaskStep) -> bool) -> bool {
        !self.seen.contains_key(&(message, 2))
            || self.last_waits.get(&message).is_some_and(|&last| !will_come((message, last)))
    }

    /// Whether a step of one task was seen that depends on one of another task.
    fn oppose(&self, one: ActorId, other: ActorId, tasks: &Tasks) -> bool {
        let of = |actor: ActorId| self.all.iter().filter(move |opening| opening.place.0 == actor);
        let key = |opening: &Opening| (opening.thread, opening.touches);
        of(one).any(|mine| of(other).any(|theirs| tasks.oppose(key(mine), key(theirs))))
    }

    /// What has surely been done when a message begins: what its post needs, and all messages that were surely posted
    /// before it, with what they need.
    fn done_before(&self, message: ActorId, tasks: &Tasks) -> Done {
        let mut done = Done::default();
        self.add_needs((message, 1), &mut done);
        let mates = self.messages.get(&tasks.thread(message)).into_iter().flatten();
        let is_earlier = |mate: &ActorId| {
            let maker = self.makers.get(mate).copied().flatten();
            *mate != message && maker.is_some_and(|maker| done.has(maker))
        };
        let earlier: Vec<ActorId> = mates.map(|mate| mate.place.0).filter(is_earlier).collect();
        for mate in earlier {
            (1..=self.length(mate)).for_each(|number| self.add_needs((mate, number), &mut done));
            done.0.insert(mate, u32::MAX);
        }
        done
    }

    /// Adds what a step needs, and all that this needs.
    fn add_needs(&self, place: TaskStep, done: &mut Done) {
        let mut open: Vec<TaskStep> = self.needs(place).collect();
        while let Some(place) = open.pop() {
            if done.has(place) {
                continue;
            }
            let first_new = done.0.insert(place.0, place.1).map_or(1, |known| known + 1);
            (first_new..=place.1).for_each(|number| open.extend(self.needs((place.0, number))));
        }
    }

    /// The step that writes an object, if no other one was seen to.
    pub(super) fn only_write(&self, object: ObjectId) -> Option<TaskStep> {
        self.changes.get(&object).copied().flatten()
    }

    /// What a step touches, if that was always the same.
    pub(super) fn touches(&self, place: TaskStep) -> Option<Touches> {
        self.seen.get(&place)?.touches
    }

    /// The steps that have to be done before a step, beside the one before it in its task.
    pub(super) fn needs(&self, place: TaskStep) -> impl Iterator<Item = TaskStep> + '_ {
        let maker = (place.1 == 1).then(|| self.makers.get(&place.0).copied().flatten()).flatten();
        self.seen.get(&place).into_iter().flat_map(|seen| seen.needs.iter().copied()).chain(maker)
    }

    /// The openings of other tasks that exclude an event.
    pub(super) fn against(&self, event: &Event, tasks: &Tasks) -> Vec<Opening> {
        let touches = tasks.footprint(event.touches.whole).touches();
        let lists = touches.iter().filter_map(|touch| self.by_object.get(&touch.object));
        let mut numbers: Vec<u32> = lists.flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let openings = numbers.into_iter().map(|number| self.all[number as usize]);
        let excludes = |opening: &Opening| {
            opening.place.0 != event.actor() && tasks.oppose((opening.thread, opening.touches), event.key())
        };
        openings.filter(excludes).collect()
    }
}
