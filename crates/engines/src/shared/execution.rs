//! One execution as race detection sees it: its steps in the order that they impose on each other.
//!
//! A step of an actor *races* with an earlier one if the two conflict, nothing else orders them, and the other order is
//! possible. To reverse a race between step e and a later step of p is to run, from the state in front of e, everything
//! that does not happen after e (`notdep(e)` in the literature) and then p. An actor that can be the first one of that sequence
//! is one of its *initials*: one of them has to be tried in front of e.
//!
//! An actor that was enabled by a step knows of that step: the two are not to be reversed, since there is no other order.
//! So beside the clocks of steps there are those of actors that were *readied*.

use hashbrown::HashMap;
use mazurka_core::{ActorId, Dependence, Footprint, HappensBefore, VectorClock};
use rustc_hash::FxBuildHasher;

/// An execution; the last steps can be taken back.
pub(crate) struct Execution {
    order: HappensBefore,
    /// What actors know of that were enabled and have not moved since.
    readied: HashMap<ActorId, VectorClock, FxBuildHasher>,
    /// What `readied` held before, and how many steps there were when that changed.
    undo: Vec<(usize, ActorId, Option<VectorClock>)>,
}

impl Execution {
    /// The empty execution.
    pub(crate) fn new(dependence: Dependence) -> Self {
        Execution { order: HappensBefore::new(dependence), readied: HashMap::default(), undo: Vec::new() }
    }

    /// Adds a step and returns its index.
    pub(crate) fn push(&mut self, actor: ActorId, footprint: &Footprint) -> usize {
        let step = self.order.push(actor, footprint);
        if let Some(before) = self.readied.remove(&actor) {
            self.undo.push((self.order.len(), actor, Some(before)));
        }
        step
    }

    /// Takes back all steps from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        while let Some((_, actor, before)) = self.undo.pop_if(|(steps, ..)| *steps > len) {
            match before {
                Some(before) => self.readied.insert(actor, before),
                None => self.readied.remove(&actor),
            };
        }
        self.order.truncate(len);
    }

    /// The last step enabled an actor, or wrote what it awaits.
    pub(crate) fn ready(&mut self, actor: ActorId) {
        let Some(last) = self.order.len().checked_sub(1) else { return };
        let before = self.readied.get(&actor).cloned();
        let mut clock = before.clone().unwrap_or_default();
        clock.join(self.order.clock(last));
        self.readied.insert(actor, clock);
        self.undo.push((self.order.len(), actor, before));
    }

    /// What an actor knows of before it moves.
    pub(crate) fn knowledge(&self, actor: ActorId) -> VectorClock {
        let mut clock = self.order.knowledge(actor);
        if let Some(readied) = self.readied.get(&actor) {
            clock.join(readied);
        }
        clock
    }

    /// The order of the steps.
    pub(crate) fn order(&self) -> &HappensBefore {
        &self.order
    }

    /// Whether an actor has not moved since step `index` was taken.
    pub(crate) fn stood_there(&self, actor: ActorId, index: usize) -> bool {
        self.order.last_step(actor).is_none_or(|last| last < index)
    }

    /// Whether `first` can be the first one of what does not happen after step `index`, followed by a move of `actor`,
    /// with the clock `knows`. Where it is `actor` itself that has not moved since, this supposes that it
    /// could.
    pub(crate) fn is_initial(&self, first: ActorId, index: usize, actor: ActorId, knows: &VectorClock) -> bool {
        match self.order.first_step_after(first, index) {
            Some(step) => {
                !self.order.before(index, step) && self.order.first_within(self.order.clock(step), index) == Some(step)
            }
            None => first == actor && self.order.first_within(knows, index).is_none(),
        }
    }

    /// The first one of what does not happen after step `index` and is known to `knows`: an initial. `None` if nothing is.
    pub(crate) fn initial_before(&self, index: usize, knows: &VectorClock) -> Option<ActorId> {
        self.order.first_within(knows, index).map(|step| self.order.actor(step))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::{Access, ObjectId};

    const ACTORS: [ActorId; 4] = [ActorId(0), ActorId(1), ActorId(2), ActorId(3)];

    fn writing(objects: &[u32]) -> Footprint {
        let mut footprint = Footprint::default();
        objects.iter().for_each(|&object| footprint.touch(ObjectId(object), Access::WRITE));
        footprint.seal();
        footprint
    }

    /// Steps of actors that write objects.
    fn execution(steps: &[(usize, &[u32])]) -> Execution {
        let mut execution = Execution::new(Dependence::default());
        for (actor, objects) in steps {
            execution.push(ACTORS[*actor], &writing(objects));
        }
        execution
    }

    #[test]
    fn initials_are_actors_that_nothing_else_must_precede() {
        let [a, b, c, d] = ACTORS;
        // d is about to write object 1, which a wrote first; b wrote object 2 before c and d did.
        let run = execution(&[(0, &[1]), (1, &[2]), (2, &[2]), (3, &[2])]);
        let knows = run.knowledge(d);
        assert!(run.is_initial(b, 0, d, &knows));
        assert!(
            !run.is_initial(c, 0, d, &knows) && !run.is_initial(d, 0, d, &knows) && !run.is_initial(a, 0, d, &knows)
        );
        assert_eq!(run.initial_before(0, &knows), Some(b));
    }

    #[test]
    fn an_actor_that_has_not_moved_since_is_an_initial_itself() {
        let [_, b, _, d] = ACTORS;
        let run = execution(&[(0, &[1]), (1, &[7])]);
        let knows = run.knowledge(d);
        assert!(run.is_initial(d, 0, d, &knows) && run.is_initial(b, 0, d, &knows));
        assert_eq!(run.initial_before(0, &knows), None);
        assert!(run.stood_there(d, 0) && !run.stood_there(b, 0));
    }

    #[test]
    fn a_readied_actor_knows_of_that_until_it_moves_or_the_step_is_taken_back() {
        let d = ACTORS[3];
        let mut run = execution(&[(0, &[1]), (1, &[2])]);
        run.ready(d);
        assert!(run.order().within(1, &run.knowledge(d)) && !run.order().within(0, &run.knowledge(d)));
        run.push(d, &writing(&[9]));
        assert!(!run.order().within(1, &run.knowledge(d)));
        run.truncate(2);
        assert!(run.order().within(1, &run.knowledge(d)));
        run.truncate(1);
        assert_eq!(run.knowledge(d), VectorClock::new());
    }
}
