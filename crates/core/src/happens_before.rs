//! Happens-before over one schedule.
//!
//! A step happens before a later one when both are of one actor, when they depend on each other, or by transitivity.
//! Clocks are computed object by object: a step joins the clocks of the earlier touches of its objects that it depends
//! on. A write depends on everything, so it lets the history of its object be forgotten; and of the touches of one actor
//! in the same way only the last one counts. So a step costs what its objects were touched by since they were last
//! written, however long the schedule is. Steps can be taken back: what they changed is kept in a log.

use crate::{Access, ActorId, Dependence, Footprint, ObjectId, VectorClock};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// A touch of an object.
#[derive(Clone, Copy, Debug)]
struct Past {
    /// The index of the step.
    step: u32,
    access: Access,
}

type History = SmallVec<[Past; 4]>;

#[derive(Clone, Debug)]
struct Entry {
    actor: ActorId,
    /// The step's number among the steps of its actor, from 1.
    number: u32,
    clock: VectorClock,
    /// How long the log was before this step.
    log: usize,
}

/// What a step changed.
#[derive(Clone, Debug)]
enum Change {
    /// It was added to an object's history.
    Added(ObjectId),
    /// It took the place of an earlier touch.
    Replaced(ObjectId, usize, Past),
    /// It let a history be forgotten.
    Forgot(ObjectId, History),
}

/// The order that a schedule imposes, step by step; the last steps can be taken back.
#[derive(Clone, Debug)]
pub struct HappensBefore {
    dependence: Dependence,
    entries: Vec<Entry>,
    objects: HashMap<ObjectId, History, FxBuildHasher>,
    /// For each actor, its steps so far.
    actors: Vec<Vec<u32>>,
    log: Vec<Change>,
}

impl HappensBefore {
    /// The order of the empty schedule.
    pub fn new(dependence: Dependence) -> Self {
        HappensBefore {
            dependence,
            entries: Vec::new(),
            objects: HashMap::default(),
            actors: Vec::new(),
            log: Vec::new(),
        }
    }

    /// How many steps there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no step yet.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a step and returns its index in the schedule.
    pub fn push(&mut self, actor: ActorId, footprint: &Footprint) -> usize {
        let index = self.entries.len() as u32;
        let log = self.log.len();
        if self.actors.len() <= actor.index() {
            self.actors.resize_with(actor.index() + 1, Vec::new);
        }
        let mut clock = self.knowledge(actor);
        self.actors[actor.index()].push(index);
        let number = self.actors[actor.index()].len() as u32;
        for touch in footprint.touches() {
            let history = self.objects.entry(touch.object).or_default();
            for past in history.iter().rev() {
                let earlier = &self.entries[past.step as usize];
                if self.dependence.touches(past.access, touch.access) && clock.get(earlier.actor) < earlier.number {
                    clock.join(&earlier.clock);
                }
            }
            let now = Past { step: index, access: touch.access };
            match replaces(&self.entries, actor, touch.access, history) {
                Replaces::All => self.log.push(Change::Forgot(touch.object, std::mem::take(history))),
                Replaces::One(place) => self.log.push(Change::Replaced(touch.object, place, history.remove(place))),
                Replaces::None => self.log.push(Change::Added(touch.object)),
            }
            history.push(now);
        }
        clock.set(actor, number);
        self.entries.push(Entry { actor, number, clock, log });
        index as usize
    }

    /// Takes back all steps from `len` on.
    pub fn truncate(&mut self, len: usize) {
        while self.entries.len() > len {
            let Some(entry) = self.entries.pop() else { return };
            self.actors[entry.actor.index()].pop();
            while self.log.len() > entry.log {
                match self.log.pop() {
                    Some(Change::Added(object)) => {
                        self.objects.entry(object).or_default().pop();
                    }
                    Some(Change::Replaced(object, place, past)) => {
                        let history = self.objects.entry(object).or_default();
                        history.pop();
                        history.insert(place, past);
                    }
                    Some(Change::Forgot(object, history)) => {
                        self.objects.insert(object, history);
                    }
                    None => {}
                }
            }
        }
    }

    /// Whether step `one` happens before step `other`, both by index.
    pub fn before(&self, one: usize, other: usize) -> bool {
        one != other && self.within(one, &self.entries[other].clock)
    }

    /// The number of a step among those of its actor, from 1.
    pub fn number(&self, index: usize) -> u32 {
        self.entries[index].number
    }

    /// Whether a clock knows of a step.
    pub fn within(&self, index: usize, clock: &VectorClock) -> bool {
        let entry = &self.entries[index];
        clock.get(entry.actor) >= entry.number
    }

    /// The actor of a step.
    pub fn actor(&self, index: usize) -> ActorId {
        self.entries[index].actor
    }

    /// What a step knows of, itself included.
    pub fn clock(&self, index: usize) -> &VectorClock {
        &self.entries[index].clock
    }

    /// What an actor knows of: the clock of its last step.
    pub fn knowledge(&self, actor: ActorId) -> VectorClock {
        self.last_step(actor).map_or_else(VectorClock::new, |last| self.entries[last].clock.clone())
    }

    /// The last step of an actor.
    pub fn last_step(&self, actor: ActorId) -> Option<usize> {
        self.actors.get(actor.index())?.last().map(|&last| last as usize)
    }

    /// The first step of an actor after the step with this index.
    pub fn first_step_after(&self, actor: ActorId, index: usize) -> Option<usize> {
        let steps = self.actors.get(actor.index())?;
        let next = steps.partition_point(|&step| step as usize <= index);
        steps.get(next).map(|&step| step as usize)
    }

    /// The first step after the one with this index that a clock knows of.
    pub fn first_within(&self, clock: &VectorClock, index: usize) -> Option<usize> {
        if self.entries.len() - index <= self.actors.len() {
            return (index + 1..self.entries.len()).find(|&step| self.within(step, clock));
        }
        (0..self.actors.len() as u32)
            .filter_map(|actor| self.first_step_after(ActorId(actor), index))
            .filter(|&step| self.within(step, clock))
            .min()
    }

    /// Visits the earlier touches that a step with this footprint depends on, by any actor: of the touches of an object those
    /// since it was last written, that write included. Says for each whether the order could have been the other one.
    pub fn visit_dependencies(&self, footprint: &Footprint, mut visit: impl FnMut(usize, bool)) {
        for touch in footprint.touches() {
            for past in self.objects.get(&touch.object).into_iter().flatten() {
                if self.dependence.touches(past.access, touch.access) {
                    visit(past.step as usize, self.dependence.races(past.access, touch.access));
                }
            }
        }
    }

    /// Visits the touches that a step with this footprint would depend on if the schedule consisted of some of its steps, in
    /// an order that this order allows; given with their footprints. See [`HappensBefore::visit_dependencies`].
    pub fn visit_dependencies_among<'a>(
        &self,
        steps: impl Iterator<Item = (usize, &'a Footprint)> + Clone,
        footprint: &Footprint,
        mut visit: impl FnMut(usize),
    ) {
        let mut history = History::new();
        for touch in footprint.touches() {
            history.clear();
            for (step, earlier) in steps.clone() {
                let Some(access) = earlier.access(touch.object) else { continue };
                let actor = self.actor(step);
                match replaces(&self.entries, actor, access, &history) {
                    Replaces::All => history.clear(),
                    Replaces::One(place) => {
                        history.remove(place);
                    }
                    Replaces::None => {}
                }
                history.push(Past { step: step as u32, access });
            }
            let depends = |past: &&Past| self.dependence.touches(past.access, touch.access);
            history.iter().filter(depends).for_each(|past| visit(past.step as usize));
        }
    }

    /// The steps of an actor.
    pub fn steps_of(&self, actor: ActorId) -> &[u32] {
        self.actors.get(actor.index()).map_or(&[], Vec::as_slice)
    }

    /// Appends the steps of other actors that a step of `actor` with this footprint would be in conflict with and whose
    /// order with it could have been the other one, the latest first: of the touches of an object those since it was last
    /// written, that write included.
    pub fn racing(&self, actor: ActorId, footprint: &Footprint, into: &mut Vec<usize>) {
        for touch in footprint.touches() {
            let Some(history) = self.objects.get(&touch.object) else { continue };
            let races = |past: &&Past| {
                self.dependence.races(past.access, touch.access) && self.entries[past.step as usize].actor != actor
            };
            into.extend(history.iter().filter(races).map(|past| past.step as usize));
        }
        into.sort_unstable_by(|one, other| other.cmp(one));
        into.dedup();
    }

    /// Whether `one` happens before `other` with no step between them in that order.
    pub fn adjacent(&self, one: usize, other: usize) -> bool {
        self.before(one, other)
            && !(one + 1..other).any(|between| self.before(one, between) && self.before(between, other))
    }
}

/// What a touch of an object lets be forgotten of its history.
enum Replaces {
    All,
    One(usize),
    None,
}

fn replaces(entries: &[Entry], actor: ActorId, access: Access, history: &History) -> Replaces {
    let own = |past: &Past| entries[past.step as usize].actor == actor && access.contains(past.access);
    // What was released may be acquired by any actor, and the one that acquired it before races with that one.
    if access.contains(Access::WRITE) {
        Replaces::All
    } else {
        history.iter().position(own).map_or(Replaces::None, Replaces::One)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touching(object: u32, access: Access) -> Footprint {
        let mut footprint = Footprint::default();
        footprint.touch(ObjectId(object), access);
        footprint
    }

    #[test]
    fn conflicts_and_program_order_are_kept_and_the_rest_is_free() {
        let mut order = HappensBefore::new(Dependence::default());
        let (a, b, c) = (ActorId(0), ActorId(1), ActorId(2));
        order.push(a, &touching(1, Access::WRITE));
        order.push(b, &touching(1, Access::READ));
        order.push(c, &touching(1, Access::READ));
        order.push(a, &touching(2, Access::READ));
        order.push(b, &touching(1, Access::WRITE));
        assert!(order.before(0, 1) && order.before(0, 2) && order.before(0, 4));
        assert!(!order.before(1, 2) && !order.before(1, 3) && order.before(2, 4));
        assert!(order.adjacent(2, 4) && !order.adjacent(0, 4));
        assert_eq!(order.first_within(order.clock(4), 0), Some(1));
        assert_eq!(order.first_within(order.clock(4), 2), Some(4));
        assert_eq!(order.first_within(order.clock(2), 0), Some(2));
    }

    #[test]
    fn what_is_taken_back_leaves_no_mark() {
        let mut order = HappensBefore::new(Dependence::default());
        let (a, b) = (ActorId(0), ActorId(1));
        order.push(a, &touching(1, Access::READ));
        order.push(b, &touching(1, Access::WRITE));
        order.truncate(1);
        order.push(b, &touching(1, Access::READ));
        assert!(!order.before(0, 1));
        order.push(b, &touching(1, Access::WRITE));
        assert!(order.before(0, 2));
    }

    /// The steps that race with a touch of object 1, by an actor that has not moved yet.
    fn racing(order: &HappensBefore, access: Access) -> Vec<usize> {
        let mut racing = Vec::new();
        order.racing(ActorId(9), &touching(1, access), &mut racing);
        racing
    }

    #[test]
    fn of_many_reads_of_one_actor_the_last_one_counts() {
        let mut order = HappensBefore::new(Dependence::default());
        let (a, b) = (ActorId(0), ActorId(1));
        for _ in 0..1000 {
            order.push(a, &touching(1, Access::READ));
            order.push(b, &touching(1, Access::READ));
        }
        assert_eq!(racing(&order, Access::WRITE), [1999, 1998]);
        assert_eq!(racing(&order, Access::READ), []);
        order.truncate(3);
        assert_eq!(racing(&order, Access::WRITE), [2, 1]);
        order.truncate(0);
        assert_eq!(racing(&order, Access::WRITE), []);
    }

    #[test]
    fn who_takes_what_was_given_back_races_with_who_took_it_before() {
        let mut order = HappensBefore::new(Dependence::default());
        let (a, b) = (ActorId(0), ActorId(1));
        for actor in [a, b] {
            order.push(actor, &touching(1, Access::WRITE));
            order.push(actor, &touching(1, Access::RELEASE));
        }
        assert!(order.before(1, 2) && order.before(0, 3));
        assert_eq!(racing(&order, Access::WRITE), [2]);
    }
}
