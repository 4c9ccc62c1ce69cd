//! Why a step comes after others: the earlier steps of other actors that it depends on.
//!
//! Object by object, a step depends on those earlier touches that conflict with its own, back to the last write, which
//! stands for everything before it. What follows from other steps is left out, so together with each actor's own order
//! the causes are happens-before without its shortcuts.

use mazurka_core::{Access, ActorId, Dependence, Footprint, HappensBefore, ObjectId, ObjectKind, System};
use std::collections::HashMap;

/// An earlier step of another actor that a step depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The index of the earlier row.
    pub row: usize,
    /// The name of the object through which they depend on each other; of several, the most telling one.
    pub object: String,
    /// What kind of thing it is.
    pub kind: ObjectKind,
}

struct Touched {
    row: usize,
    actor: ActorId,
    access: Access,
}

/// What was touched so far.
pub(crate) struct History {
    objects: HashMap<ObjectId, Vec<Touched>>,
    order: HappensBefore,
    /// The last step of each actor.
    last: HashMap<ActorId, usize>,
}

impl History {
    pub(crate) fn new() -> Self {
        let order = HappensBefore::new(Dependence::default());
        History { objects: HashMap::new(), order, last: HashMap::new() }
    }

    /// Adds the next step and returns what it depends on directly, in the order of the rows.
    pub(crate) fn push<S: System>(
        &mut self,
        system: &S,
        row: usize,
        actor: ActorId,
        footprint: &Footprint,
    ) -> Vec<Cause> {
        let mut through: HashMap<usize, (ObjectKind, ObjectId)> = HashMap::new();
        for touch in footprint.touches() {
            let touched = self.objects.entry(touch.object).or_default();
            let link = (system.object(touch.object).kind, touch.object);
            let others = touched.iter().filter(|earlier| earlier.actor != actor);
            for earlier in others.filter(|earlier| Dependence::default().touches(earlier.access, touch.access)) {
                let known = through.entry(earlier.row).or_insert(link);
                *known = link.min(*known);
            }
            if touch.access.contains(Access::WRITE) || touch.access.contains(Access::RELEASE) {
                touched.clear();
            }
            touched.push(Touched { row, actor, access: touch.access });
        }
        self.order.push(actor, footprint);
        let own = self.last.insert(actor, row);
        let direct: Vec<usize> = through.keys().copied().chain(own).collect();
        through.retain(|&cause, _| !direct.iter().any(|&other| self.order.before(cause, other)));
        let named = |(row, (kind, object))| Cause { row, object: system.narrator().object_name(object), kind };
        let mut causes: Vec<_> = through.into_iter().map(named).collect();
        causes.sort_unstable_by_key(|cause| cause.row);
        causes
    }
}

#[cfg(test)]
mod tests {
    use crate::example::Threads;

    #[test]
    fn a_step_is_caused_by_the_last_write_and_by_no_step_of_its_own_actor() {
        let story = Threads::three().tell(&[1, 2, 2, 0, 0], 5);
        let causes: Vec<Vec<(usize, &str)>> = story
            .rows
            .iter()
            .map(|row| row.causes.iter().map(|cause| (cause.row, cause.object.as_str())).collect())
            .collect();
        assert_eq!(causes, [vec![], vec![], vec![(0, "x")], vec![(2, "x")], vec![]]);
    }
}
