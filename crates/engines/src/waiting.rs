//! Blocked next operations: who waits in a state, for what, and what its step would touch.
//!
//! A reduction that looks only at steps that were taken is blind to an actor that came to a step which it could not take:
//! a lock that is never free again, an assumption that stays false, an event that is switched off. What such a step
//! would touch counts as if it were taken.

use mazurka_core::{ActorId, Awaited, Footprint, FootprintId, FootprintTable, Machine, Next};
use std::rc::Rc;

/// Somebody who waits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Waiter {
    pub(crate) actor: ActorId,
    /// What the step would touch that it waits to take.
    pub(crate) footprint: FootprintId,
    /// The one object that has to change before it can move, if it is one.
    pub(crate) awaited: Option<Awaited>,
}

/// Those who wait in a state; states share the list where it is the same.
pub(crate) type Waiters = Rc<[Waiter]>;

/// Finds out who waits.
#[derive(Default)]
pub(crate) struct Lookout {
    actors: Vec<ActorId>,
    footprint: Footprint,
    waiters: Vec<Waiter>,
}

impl Lookout {
    /// Who waits where a machine stands; `before` waited before a step that touched `touched` was taken.
    pub(crate) fn look<M: Machine>(
        &mut self,
        machine: &M,
        footprints: &mut FootprintTable,
        before: &Waiters,
        touched: Option<FootprintId>,
    ) -> Waiters {
        self.actors.clear();
        machine.waiting(&mut self.actors);
        self.waiters.clear();
        for &actor in &self.actors {
            // Whom the step has nothing to do with waits on for the same thing.
            let same = before
                .iter()
                .find(|waiter| waiter.actor == actor)
                .filter(|waiter| touched.is_some_and(|touched| !footprints.conflict(touched, waiter.footprint)));
            if let Some(waiter) = same {
                self.waiters.push(*waiter);
            } else if machine.next(actor, &mut self.footprint) == Next::Blocked {
                self.footprint.seal();
                let footprint = footprints.intern(&self.footprint);
                self.waiters.push(Waiter { actor, footprint, awaited: machine.awaits(actor) });
            }
        }
        if self.waiters[..] == before[..] { Rc::clone(before) } else { self.waiters.as_slice().into() }
    }
}
