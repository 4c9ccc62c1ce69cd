//! Openings: steps that somebody was seen to take, or to wait for, and what they need before them.
//!
//! To leave an event out, something else has to come in its way: a step of another task that depends on it and comes
//! first. Every step that was taken anywhere is remembered, and every one that somebody waited to take at the end of an
//! execution: by its task and its number there, and not by its past, which may be another one when it comes first.

use super::events::Event;
use super::tasks::{Tasks, Thread, Touches};
use crate::shared::tally::FastSet;
use mazurka_core::{ActorId, FootprintId, Move, ObjectId, Outcome};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A step by its task and its number there, from 1.
pub(super) type Place = (ActorId, u32);

/// A step that can come in the way of others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub(super) place: Place,
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
    needs: SmallVec<[Place; 2]>,
}

/// All that are known.
#[derive(Default)]
pub(super) struct Openings {
    all: Vec<Opening>,
    known: FastSet<(Place, Outcome, FootprintId)>,
    by_object: FxHashMap<ObjectId, Vec<u32>>,
    seen: FxHashMap<Place, Seen>,
    /// The messages of each queue, by their first steps, and the queues that were jammed at the end of an execution.
    messages: FxHashMap<Thread, Vec<Opening>>,
    jammed: FastSet<Thread>,
    /// The outcomes beyond the first one that a step was seen to have.
    outcomes: FxHashMap<Place, SmallVec<[Outcome; 2]>>,
    /// The step that makes an actor, and the one that changes an object, if it is always the same one.
    makers: FxHashMap<ActorId, Option<Place>>,
    changes: FxHashMap<ObjectId, Option<Place>>,
    /// The objects that an actor may have to wait for, its last step that may have to, and who changes each object.
    waits: FxHashMap<ActorId, SmallVec<[ObjectId; 4]>>,
    last_waits: FxHashMap<ActorId, u32>,
    changers: FxHashMap<ObjectId, SmallVec<[ActorId; 2]>>,
    /// Who holds which mutex while it may have to wait.
    kept: FastSet<(ActorId, ObjectId)>,
    /// Steps are fixed: nobody waits but for gates and mutexes.
    fixed_steps: bool,
}

/// How many steps of each actor are done.
#[derive(Default)]
struct Done(FxHashMap<ActorId, u32>);

impl Done {
    fn has(&self, (actor, number): Place) -> bool {
        self.0.get(&actor).is_some_and(|&count| count >= number)
    }
}

fn add_once<T: PartialEq, A: smallvec::Array<Item = T>>(all: &mut SmallVec<A>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}

fn only(known: &mut Option<Place>, place: Place) {
    *known = known.filter(|&known| known == place);
}

impl Openings {
    pub(super) fn new(fixed_steps: bool) -> Self {
        Openings { fixed_steps, ..Openings::default() }
    }

    /// Remembers a step that somebody takes or waits to take.
    pub(super) fn add(&mut self, place: Place, outcome: Outcome, touches: Touches, tasks: &Tasks) {
        if !self.known.insert((place, outcome, touches.whole)) {
            return;
        }
        let number = self.all.len() as u32;
        let mut needs: SmallVec<[Place; 2]> = SmallVec::new();
        for touch in tasks.footprint(touches.whole).touches() {
            if touch.access.changes() {
                only(self.changes.entry(touch.object).or_insert(Some(place)), place);
                add_once(self.changers.entry(touch.object).or_default(), place.0);
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

    /// Remembers what somebody may have to wait for, and which mutexes it holds then. Whoever is certain to move waits for
    /// mutexes only, and a message that begins for gates. That it waits to be posted does not count.
    pub(super) fn add_wait(
        &mut self,
        place: Place,
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
            let is_its_making = maker.is_some() && self.only_change(touch.object) == maker;
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
    pub(super) fn add_outcome(&mut self, place: Place, outcome: Outcome) {
        let outcomes = self.outcomes.entry(place).or_default();
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    }

    /// The moves of an actor that are known for its step with this number, the first outcome last.
    pub(super) fn moves(&self, place: Place) -> impl Iterator<Item = Move> + '_ {
        let further = self.outcomes.get(&place).into_iter().flatten().rev().copied();
        further.chain([Outcome::FIRST]).map(move |outcome| Move { actor: place.0, outcome })
    }

    /// Remembers who made an actor.
    pub(super) fn add_maker(&mut self, actor: ActorId, place: Place) {
        only(self.makers.entry(actor).or_insert(Some(place)), place);
    }

    /// Remembers a queue whose messages wait behind one that is stuck.
    pub(super) fn add_jammed(&mut self, thread: Thread) {
        self.jammed.insert(thread);
    }

    /// The messages that could go ahead of that of an event and keep it from beginning.
    pub(super) fn ahead_of(&self, event: &Event, will_come: &dyn Fn(Place) -> bool, tasks: &Tasks) -> Vec<Opening> {
        let goes_ahead = |other: &&Opening| {
            event.number == 1
                && other.place.0 != event.actor()
                && (self.can_jam(other.place.0, event.actor(), will_come, tasks)
                    || self.may_turn(other.place.0, event.actor(), will_come, tasks))
        };
        let messages = self.messages.get(&event.thread).into_iter().flatten();
        messages.filter(goes_ahead).copied().collect()
    }

    /// Whether a message that runs may have to wait for another one for ever, be it for somebody who waits for it in turn:
    /// not for what `will_come`, nor for what was surely done before.
    fn may_wait_for(&self, message: ActorId, other: ActorId, will_come: &dyn Fn(Place) -> bool, tasks: &Tasks) -> bool {
        if !self.waits.contains_key(&message) {
            return false;
        }
        let done = self.done_before(message, tasks);
        let will_be_done = |place: Place| done.has(place) || will_come(place);
        let will_end = |actor: ActorId| will_be_done((actor, self.length(actor)));
        let mut seen: SmallVec<[ActorId; 16]> = SmallVec::from_slice(&[message]);
        let mut next = 0;
        while let Some(&actor) = seen.get(next) {
            next += 1;
            let objects = self.waits.get(&actor).into_iter().flatten();
            for &object in objects.filter(|&&object| !self.only_change(object).is_some_and(will_be_done)) {
                // A mutex is given back, unless its holder waits too.
                let keeps = |other: ActorId| !tasks.is_mutex(object) || self.kept.contains(&(other, object));
                let changers = self.changers.get(&object).into_iter().flatten().copied();
                let changers = changers.filter(|&changer| !will_end(changer) && keeps(changer));
                changers.for_each(|changer| add_once(&mut seen, changer));
            }
            if actor != message {
                // It may not be there yet, or stand behind others in its queue.
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
    /// been seen jammed, or because it may have to wait for the other one. Otherwise it would get stuck behind the other
    /// one as well, and that has been seen before, unless it may turn another way.
    pub(super) fn can_jam(
        &self,
        message: ActorId,
        other: ActorId,
        will_come: &dyn Fn(Place) -> bool,
        tasks: &Tasks,
    ) -> bool {
        self.may_stay(message, will_come)
            && (self.jammed.contains(&tasks.thread(message)) || self.may_wait_for(message, other, will_come, tasks))
    }

    /// Whether a message that has not begun may do something else, and get stuck, when another one has not run.
    fn may_turn(&self, message: ActorId, other: ActorId, will_come: &dyn Fn(Place) -> bool, tasks: &Tasks) -> bool {
        !self.fixed_steps
            && !will_come((message, 1))
            && self.may_stay(message, will_come)
            && self.oppose(message, other, tasks)
    }

    /// Whether a message may not come to its end, for all that is known: one that has not been seen beyond its first step
    /// may do anything, and of the others one that may have to wait for a step that is not certain to come.
    fn may_stay(&self, message: ActorId, will_come: &dyn Fn(Place) -> bool) -> bool {
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
    fn add_needs(&self, place: Place, done: &mut Done) {
        let mut open: Vec<Place> = self.needs(place).collect();
        while let Some(place) = open.pop() {
            if done.has(place) {
                continue;
            }
            let first_new = done.0.insert(place.0, place.1).map_or(1, |known| known + 1);
            (first_new..=place.1).for_each(|number| open.extend(self.needs((place.0, number))));
        }
    }

    /// The step that changes an object, if no other one was seen to.
    pub(super) fn only_change(&self, object: ObjectId) -> Option<Place> {
        self.changes.get(&object).copied().flatten()
    }

    /// What a step touches, if that was always the same.
    pub(super) fn touches(&self, place: Place) -> Option<Touches> {
        self.seen.get(&place)?.touches
    }

    /// The steps that have to be done before a step, beside the one before it in its task.
    pub(super) fn needs(&self, place: Place) -> impl Iterator<Item = Place> + '_ {
        let maker = (place.1 == 1).then(|| self.makers.get(&place.0).copied().flatten()).flatten();
        self.seen.get(&place).into_iter().flat_map(|seen| seen.needs.iter().copied()).chain(maker)
    }

    /// The openings of other tasks that are in the way of an event.
    pub(super) fn against(&self, event: &Event, tasks: &Tasks) -> Vec<Opening> {
        let touches = tasks.footprint(event.touches.whole).touches();
        let lists = touches.iter().filter_map(|touch| self.by_object.get(&touch.object));
        let mut numbers: Vec<u32> = lists.flatten().copied().collect();
        numbers.sort_unstable();
        numbers.dedup();
        let openings = numbers.into_iter().map(|number| self.all[number as usize]);
        let in_the_way = |opening: &Opening| {
            opening.place.0 != event.actor() && tasks.oppose((opening.thread, opening.touches), event.key())
        };
        openings.filter(in_the_way).collect()
    }
}
