//! Sleep sets: actors that need not move, because everything that begins with their move was explored elsewhere.
//!
//! After Godefroid, *Partial-Order Methods for the Verification of Concurrent Systems* (1996). When everything that begins
//! with a move of p was explored in a state, p falls asleep there. It stays asleep along other moves as long as they do not
//! conflict with its own: in either order of the two, the execution was seen. A step with a choice sleeps with all its
//! outcomes, so what wakes one of them wakes all.

use mazurka_core::{ActorId, FootprintId, FootprintTable};
use smallvec::SmallVec;

/// A sleeping actor, and what its step touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sleeper {
    pub(crate) actor: ActorId,
    pub(crate) footprint: FootprintId,
}

/// A sleep set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SleepSet(SmallVec<[Sleeper; 4]>);

impl SleepSet {
    /// Whether an actor sleeps.
    pub(crate) fn contains(&self, actor: ActorId) -> bool {
        self.0.iter().any(|sleeper| sleeper.actor == actor)
    }

    /// What the step of a sleeping actor touches.
    pub(crate) fn get(&self, actor: ActorId) -> Option<FootprintId> {
        self.0.iter().find(|sleeper| sleeper.actor == actor).map(|sleeper| sleeper.footprint)
    }

    /// Wakes an actor.
    pub(crate) fn remove(&mut self, actor: ActorId) {
        self.0.retain(|sleeper| sleeper.actor != actor);
    }

    /// Adds the actors of another sleep set.
    pub(crate) fn extend(&mut self, others: SleepSet) {
        self.0.extend(others.0);
    }

    /// Puts an actor to sleep.
    pub(crate) fn insert(&mut self, sleeper: Sleeper) {
        self.0.push(sleeper);
    }

    /// The actors that still sleep after a step of `actor`.
    pub(crate) fn after(&self, actor: ActorId, footprint: FootprintId, footprints: &FootprintTable) -> SleepSet {
        let sleeps_on =
            |sleeper: &&Sleeper| sleeper.actor != actor && !footprints.conflict(sleeper.footprint, footprint);
        SleepSet(self.0.iter().filter(sleeps_on).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::{Access, Dependence, Footprint, ObjectId};

    #[test]
    fn a_conflict_wakes_and_so_does_moving() {
        let mut table = FootprintTable::new(Dependence::default());
        let mut writing = |object| {
            let mut footprint = Footprint::default();
            footprint.touch(ObjectId(object), Access::WRITE);
            table.intern(&footprint)
        };
        let (x, y) = (writing(0), writing(1));
        let mut sleep = SleepSet::default();
        sleep.insert(Sleeper { actor: ActorId(0), footprint: x });
        sleep.insert(Sleeper { actor: ActorId(1), footprint: y });
        let still = sleep.after(ActorId(2), x, &table);
        assert_eq!((still.get(ActorId(0)), still.get(ActorId(1))), (None, Some(y)));
        assert_eq!(sleep.after(ActorId(1), x, &table), SleepSet::default());
        assert!(sleep.contains(ActorId(0)) && !sleep.contains(ActorId(2)));
    }
}
