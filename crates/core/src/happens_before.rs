//! Happens-before over one schedule.
//!
//! A step happens before a later one when both are of one actor, when they depend on each other, or by transitivity.
//! Clocks are computed object by object: a step joins the clocks of the earlier touches of its objects that it depends
//! on. A write depends on everything, so it lets the history of its object be forgotten.

use crate::{Access, ActorId, Dependence, Footprint, ObjectId, VectorClock};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

type History = SmallVec<[(u32, Access); 4]>;

#[derive(Debug)]
struct Entry {
    actor: ActorId,
    /// The step's number among the steps of its actor, from 1.
    number: u32,
    clock: VectorClock,
    /// The object histories as they were before this step, so that it can be taken back.
    undo: SmallVec<[(ObjectId, History); 2]>,
}

/// The order that a schedule imposes, step by step; the last steps can be taken back.
#[derive(Debug)]
pub struct HappensBefore {
    dependence: Dependence,
    entries: Vec<Entry>,
    objects: HashMap<ObjectId, History, FxBuildHasher>,
    /// For each actor, its steps so far.
    actors: Vec<Vec<u32>>,
}

impl HappensBefore {
    /// The order of the empty schedule.
    pub fn new(dependence: Dependence) -> Self {
        HappensBefore { dependence, entries: Vec::new(), objects: HashMap::default(), actors: Vec::new() }
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
        if self.actors.len() <= actor.index() {
            self.actors.resize_with(actor.index() + 1, Vec::new);
        }
        let own = &mut self.actors[actor.index()];
        let mut clock = own.last().map_or_else(VectorClock::new, |&last| self.entries[last as usize].clock.clone());
        own.push(index);
        let number = own.len() as u32;

        let mut undo = SmallVec::new();
        for touch in footprint.touches() {
            let history = self.objects.entry(touch.object).or_default();
            undo.push((touch.object, history.clone()));
            for &(earlier, access) in history.iter() {
                if self.dependence.touches(access, touch.access) {
                    clock.join(&self.entries[earlier as usize].clock);
                }
            }
            if touch.access.contains(Access::WRITE) || touch.access.contains(Access::RELEASE) {
                history.clear();
            }
            history.push((index, touch.access));
        }
        clock.set(actor, number);
        self.entries.push(Entry { actor, number, clock, undo });
        index as usize
    }

    /// Takes back all steps from `len` on.
    pub fn truncate(&mut self, len: usize) {
        while self.entries.len() > len {
            let Some(entry) = self.entries.pop() else { return };
            self.actors[entry.actor.index()].pop();
            for (object, history) in entry.undo.into_iter().rev() {
                self.objects.insert(object, history);
            }
        }
    }

    /// Whether step `one` happens before step `other`, both by index.
    pub fn before(&self, one: usize, other: usize) -> bool {
        let first = &self.entries[one];
        one != other && self.entries[other].clock.get(first.actor) >= first.number
    }

    /// Who made a step.
    pub fn actor(&self, index: usize) -> ActorId {
        self.entries[index].actor
    }

    /// What a step knows of.
    pub fn clock(&self, index: usize) -> &VectorClock {
        &self.entries[index].clock
    }

    /// Whether `one` happens before `other` with no step between them in that order.
    pub fn adjacent(&self, one: usize, other: usize) -> bool {
        self.before(one, other)
            && !(one + 1..other).any(|between| self.before(one, between) && self.before(between, other))
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
}
