//! Data races, by C11's happens-before along one execution.
//!
//! Two accesses of one object race if they conflict, one of them is not atomic, and neither happens before the other. What
//! orders accesses is synchronisation only: release and acquire, fences, locks, creating and joining threads, posts and
//! handlers. A release sequence goes on with read-modify-writes, and with relaxed stores of the thread that headed
//! it (as C11 has it; C++20 dropped the latter).
//!
//! Each actor has a vector clock. An object remembers the last accesses of each actor, as the actor's own time. Whether
//! there is a race is a property of the trace, so engines that run an execution of every trace see all of them. Clocks
//! are no part of what a state is.

use crate::ir::Order;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Times by actor.
type Vector = SmallVec<[u32; 8]>;

/// Adds what another clock knows.
fn join(own: &mut Vector, other: &[u32]) {
    if own.len() < other.len() {
        own.resize(other.len(), 0);
    }
    for (own, other) in own.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

fn at(clock: &[u32], actor: u32) -> u32 {
    clock.get(actor as usize).copied().unwrap_or(0)
}

/// One actor's clocks.
#[derive(Clone, Debug, Default)]
struct Actor {
    now: Vector,
    /// What it will know once it comes to an acquire fence.
    to_acquire: Vector,
    /// What it knew at its last release fence.
    released: Vector,
}

/// The last access of an actor.
#[derive(Clone, Copy, Debug)]
struct Last {
    actor: u32,
    time: u32,
    is_atomic: bool,
    /// The place in the code.
    pc: u32,
}

/// What is remembered of an object.
#[derive(Clone, Debug, Default)]
struct Cell {
    writes: SmallVec<[Last; 2]>,
    reads: SmallVec<[Last; 2]>,
    /// What an actor learns that acquires the value.
    release: Vector,
    /// The actor that headed the release sequence, plus 1.
    head: u32,
}

/// The clocks of an execution.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    actors: Vec<Actor>,
    cells: FxHashMap<u32, Cell>,
    /// What locks and the like tell an actor that acquires them.
    locks: FxHashMap<u32, Vector>,
}

impl Clone for Clocks {
    fn clone(&self) -> Self {
        Clocks { actors: self.actors.clone(), cells: self.cells.clone(), locks: self.locks.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.actors.clone_from(&other.actors);
        self.cells.clone_from(&other.cells);
        self.locks.clone_from(&other.locks);
    }
}

/// How something was accessed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) order: Order,
    pub(crate) pc: u32,
}

impl Clocks {
    fn actor(&mut self, actor: u32) -> &mut Actor {
        let index = actor as usize;
        if self.actors.len() <= index {
            self.actors.resize_with(index + 1, Actor::default);
        }
        let clocks = &mut self.actors[index];
        if clocks.now.len() <= index {
            clocks.now.resize(index + 1, 0);
        }
        clocks
    }

    /// A step of an actor begins.
    pub(crate) fn tick(&mut self, actor: u32) {
        self.actor(actor).now[actor as usize] += 1;
    }

    /// An actor came to know what a lock tells.
    pub(crate) fn acquire(&mut self, actor: u32, lock: u32) {
        if let Some(told) = self.locks.get(&lock).cloned() {
            join(&mut self.actor(actor).now, &told);
        }
    }

    /// An actor tells a lock what it knows.
    pub(crate) fn release(&mut self, actor: u32, lock: u32) {
        let now = self.actor(actor).now.clone();
        join(self.locks.entry(lock).or_default(), &now);
    }

    /// An actor comes to know what another one knows: one that is created, and one that joins.
    pub(crate) fn learn(&mut self, actor: u32, from: u32) {
        let told = self.actor(from).now.clone();
        join(&mut self.actor(actor).now, &told);
    }

    pub(crate) fn fence(&mut self, actor: u32, order: Order) {
        let clocks = self.actor(actor);
        if order.acquires() {
            let told = std::mem::take(&mut clocks.to_acquire);
            join(&mut clocks.now, &told);
        }
        if order.releases() {
            clocks.released.clone_from(&clocks.now);
        }
    }

    /// An access of an object; tells the place of an earlier one with which it races.
    pub(crate) fn access(&mut self, actor: u32, object: u32, access: Access) -> Option<u32> {
        let Access { reads, writes, order, pc } = access;
        let is_atomic = order != Order::None;
        let mut own = std::mem::take(self.actor(actor));
        let time = at(&own.now, actor);
        let cell = self.cells.entry(object).or_default();
        let races = |last: &&Last| {
            last.actor != actor && !(is_atomic && last.is_atomic) && last.time > at(&own.now, last.actor)
        };
        let race = cell.writes.iter().find(races).or_else(|| cell.reads.iter().filter(|_| writes).find(races));
        let race = race.map(|last| last.pc);
        let now = Last { actor, time, is_atomic, pc };
        if reads {
            cell.reads.retain(|last| last.actor != actor || last.is_atomic != is_atomic);
            cell.reads.push(now);
            if is_atomic {
                join(if order.acquires() { &mut own.now } else { &mut own.to_acquire }, &cell.release);
            }
        }
        if writes && !is_atomic {
            // A race with what is forgotten here was told; other accesses come after it.
            cell.writes.clear();
            cell.reads.clear();
            cell.release.clear();
            cell.head = 0;
            cell.writes.push(now);
        } else if writes {
            cell.writes.retain(|last| last.actor != actor || !last.is_atomic);
            cell.writes.push(now);
            let told = if order.releases() { &own.now } else { &own.released };
            let goes_on = reads || cell.head == actor + 1;
            if goes_on {
                join(&mut cell.release, told);
            } else {
                cell.release.clone_from(told);
            }
            if order.releases() {
                cell.head = actor + 1;
            } else if !goes_on {
                cell.head = 0;
            }
        }
        *self.actor(actor) = own;
        race
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: u32 = 0;
    const FLAG: u32 = 1;

    fn access(clocks: &mut Clocks, actor: u32, object: u32, writes: bool, order: Order) -> bool {
        clocks.tick(actor);
        clocks.access(actor, object, Access { reads: !writes, writes, order, pc: 0 }).is_some()
    }

    /// A message by a flag: whether reading the data races.
    fn message(store: Order, load: Order) -> bool {
        let mut clocks = Clocks::default();
        assert!(!access(&mut clocks, 0, DATA, true, Order::None));
        assert!(!access(&mut clocks, 0, FLAG, true, store));
        assert!(!access(&mut clocks, 1, FLAG, false, load));
        access(&mut clocks, 1, DATA, false, Order::None)
    }

    #[test]
    fn release_and_acquire_order_what_relaxed_does_not() {
        assert!(!message(Order::Release, Order::Acquire));
        assert!(!message(Order::Sequential, Order::Sequential));
        assert!(message(Order::Relaxed, Order::Acquire));
        assert!(message(Order::Release, Order::Relaxed));
    }

    #[test]
    fn fences_order_relaxed_accesses() {
        let mut clocks = Clocks::default();
        assert!(!access(&mut clocks, 0, DATA, true, Order::None));
        clocks.fence(0, Order::Release);
        assert!(!access(&mut clocks, 0, FLAG, true, Order::Relaxed));
        assert!(!access(&mut clocks, 1, FLAG, false, Order::Relaxed));
        clocks.fence(1, Order::Acquire);
        assert!(!access(&mut clocks, 1, DATA, true, Order::None));
    }

    #[test]
    fn locks_order_and_their_absence_races() {
        let mut clocks = Clocks::default();
        assert!(!access(&mut clocks, 0, DATA, true, Order::None));
        clocks.release(0, 9);
        clocks.acquire(1, 9);
        assert!(!access(&mut clocks, 1, DATA, true, Order::None));
        assert!(access(&mut clocks, 2, DATA, false, Order::None));
        assert!(!access(&mut clocks, 2, FLAG, true, Order::Relaxed));
        assert!(!access(&mut clocks, 0, FLAG, true, Order::Relaxed), "two atomic accesses never race");
        assert!(access(&mut clocks, 1, FLAG, false, Order::None), "one of them not atomic is enough");
    }
}
