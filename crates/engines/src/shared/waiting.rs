//! Blocked next operations: which actors are blocked in a state, on what, and what their steps would touch.
//!
//! A reduction that considers only steps that were taken misses an actor that came to a step which it could not take: a
//! lock that is never free again, an assumption that stays false, an event that is switched off. What such a step would
//! touch counts as if it were taken.

use mazurka_core::{ActorId, Awaited, Footprint, FootprintId, FootprintTable, Machine, Traits};
use std::rc::Rc;

/// Why a reduction cannot keep its promise for a program that does not tell its blocked actors; `None` for one that does.
pub(crate) fn unless_it_tells_blocked(traits: &Traits) -> Option<String> {
    let reason = "the program does not tell which actors are blocked, and on what: implement `System::blocked`, and set \
                  `tells_blocked` in `System::traits`";
    (!traits.tells_blocked).then(|| reason.to_owned())
}

/// A blocked actor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waiter {
    pub(crate) actor: ActorId,
    /// What the step would touch that it is blocked on.
    pub(crate) footprint: FootprintId,
    /// The one object that has to be written before it can move, if it is one.
    pub(crate) awaited: Option<Awaited>,
}

/// The blocked actors of a state; states share the list where it is the same.
pub(crate) type Waiters = Rc<[Waiter]>;

/// The places of actors in a list, to be looked up.
#[derive(Default)]
pub(crate) struct Index {
    /// For each actor its place in the list and the round in which that was true.
    places: Vec<(u32, u32)>,
    round: u32,
}

impl Index {
    /// Holds these actors and no others.
    pub(crate) fn fill(&mut self, actors: impl Iterator<Item = ActorId>) {
        self.round += 1;
        for (place, actor) in (0..).zip(actors) {
            if self.places.len() <= actor.index() {
                self.places.resize(actor.index() + 1, (0, 0));
            }
            self.places[actor.index()] = (place, self.round);
        }
    }

    /// The place of an actor in the list.
    pub(crate) fn place(&self, actor: ActorId) -> Option<usize> {
        self.places.get(actor.index()).filter(|(_, round)| *round == self.round).map(|(place, _)| *place as usize)
    }
}

/// Finds the blocked actors.
#[derive(Default)]
pub(crate) struct Lookout {
    footprint: Footprint,
    waiters: Vec<Waiter>,
    index: Index,
}

impl Lookout {
    /// The blocked actors where a machine stands; `before` were blocked before a step that touched `touched` was taken.
    pub(crate) fn look<M: Machine>(
        &mut self,
        machine: &M,
        footprints: &mut FootprintTable,
        before: &Waiters,
        touched: Option<FootprintId>,
    ) -> Waiters {
        let Lookout { footprint, waiters, index } = self;
        waiters.clear();
        index.fill(before.iter().map(|waiter| waiter.actor));
        machine.blocked(&mut |actor, obstacle| {
            // An actor that the step does not conflict with is still blocked on the same thing.
            let waited = index.place(actor).map(|place| &before[place]);
            let same =
                waited.filter(|waiter| touched.is_some_and(|touched| !footprints.conflict(touched, waiter.footprint)));
            waiters.push(same.copied().unwrap_or_else(|| {
                footprint.clear();
                let awaited = obstacle(footprint);
                footprint.seal();
                Waiter { actor, footprint: footprints.intern(footprint), awaited }
            }));
        });
        if self.waiters[..] == before[..] { Rc::clone(before) } else { self.waiters.as_slice().into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_knows_those_it_was_last_filled_with() {
        let mut index = Index::default();
        index.fill([ActorId(7), ActorId(3)].into_iter());
        assert_eq!(
            (index.place(ActorId(3)), index.place(ActorId(7)), index.place(ActorId(4))),
            (Some(1), Some(0), None)
        );
        index.fill([ActorId(3)].into_iter());
        assert_eq!(
            (index.place(ActorId(3)), index.place(ActorId(7)), index.place(ActorId(900))),
            (Some(0), None, None)
        );
    }
}
