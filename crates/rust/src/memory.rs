//! Happens-before by the orderings that the source has, and the data races that it leaves.
//!
//! Executions are sequentially consistent: a load sees the last store. What a thread may rely on is less, and follows
//! from the orderings as C++20 and Rust have them. A release store gives what its thread knows to each thread that
//! reads it with acquire; a relaxed store gives what the last release fence of its thread knew; an update adds to what
//! was there, since it goes on with the release sequence; what a relaxed load read is kept until an acquire fence.
//!
//! Plain memory is a cell. Each access is compared with the last write and the reads since (Flanagan and Freund,
//! *FastTrack: Efficient and Precise Dynamic Race Detection*, PLDI 2009); a cell keeps its reads one by one, as there
//! are few. Accesses of cells are no steps and have no footprints. That is enough: up to the first race of an
//! execution, what cells hold follows from the order of the synchronisation; some execution with that same order is
//! explored, and there too nothing orders the two accesses, whichever came first. After a race nothing follows any
//! more, so the thread that meets it goes no further.

use crate::exec::{Exec, Status};
use crate::names::Site;
use crate::source;
use mazurka_core::{ActorId, Location, VectorClock, Violation, ViolationKind};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

pub(crate) fn acquires(order: Ordering) -> bool {
    matches!(order, Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst)
}

pub(crate) fn releases(order: Ordering) -> bool {
    matches!(order, Ordering::Release | Ordering::AcqRel | Ordering::SeqCst)
}

/// A plain access: its thread, its time by that thread's clock, and its place.
#[derive(Clone, Copy)]
pub(crate) struct PlainAccess {
    pub(crate) actor: ActorId,
    pub(crate) at: u32,
    pub(crate) site: Site,
}

/// A store into an atomic.
#[derive(Clone, Copy)]
pub(crate) struct Stored {
    actor: ActorId,
    site: Site,
    order: Ordering,
}

/// A store of another thread that a thread has read.
#[derive(Clone, Copy)]
pub(crate) struct ReadFrom {
    stored: Stored,
    site: Site,
    order: Ordering,
}

/// How many of them are kept, to say where a race lacks an edge.
const MOST_READ: usize = 16;

/// What is known of a cell.
#[derive(Clone, Default)]
pub(crate) struct CellRecord {
    pub(crate) write: Option<PlainAccess>,
    pub(crate) reads: Vec<PlainAccess>,
}

impl Exec {
    /// The present thread stored into an atomic.
    pub(crate) fn note_stored(&mut self, object: u32, order: Ordering, site: Site) {
        let actor = self.actors[self.current].id;
        self.objects[object as usize].stored = Some(Stored { actor, site, order });
    }

    /// The present thread read an atomic.
    pub(crate) fn note_read(&mut self, object: u32, order: Ordering, site: Site) {
        let actor = &mut self.actors[self.current];
        let Some(stored) = self.objects[object as usize].stored.filter(|stored| stored.actor != actor.id) else {
            return;
        };
        if actor.reads.len() == MOST_READ {
            actor.reads.remove(0);
        }
        actor.reads.push(ReadFrom { stored, site, order });
    }

    /// Through which store the present thread could have known what another one did, had the orderings been stronger.
    fn missing_edge(&self, other: ActorId) -> Option<String> {
        let is_weak =
            |read: &&ReadFrom| read.stored.actor == other && !(releases(read.stored.order) && acquires(read.order));
        let read = self.actors[self.current].reads.iter().rev().find(is_weak)?;
        let told = |site: Site, order: Ordering, is_enough: bool, wanted: &str| {
            let line = source::line_at(site).unwrap_or_else(|| "it".to_owned());
            let is = if is_enough { format!("{order:?}") } else { format!("{order:?}, not {wanted}") };
            format!("`{line}` ({}:{}) is {is}", site.file(), site.line())
        };
        let Stored { site, order, .. } = read.stored;
        let store = told(site, order, releases(order), "Release");
        let load = told(read.site, read.order, acquires(read.order), "Acquire");
        Some(format!("{store}, and {load}, which reads it"))
    }

    /// The present thread reads what was released into an object.
    pub(crate) fn acquire(&mut self, object: u32, order: Ordering) {
        let (actor, object) = (&mut self.actors[self.current], &self.objects[object as usize]);
        if acquires(order) {
            actor.clock.join(&object.released);
        } else {
            actor.acquirable.join(&object.released);
        }
    }

    /// The present thread stores into an object; an update goes on with the release sequence that it finds.
    pub(crate) fn release(&mut self, object: u32, order: Ordering, updates: bool) {
        let (actor, object) = (&mut self.actors[self.current], &mut self.objects[object as usize]);
        if !updates {
            object.released = VectorClock::new();
        }
        if releases(order) {
            object.released.join(&actor.clock);
            actor.tick();
        } else {
            object.released.join(&actor.releasable);
        }
    }

    /// The present thread, which shares an object, releases it: threads that share it learn nothing from each other.
    pub(crate) fn release_shared(&mut self, object: u32) {
        let (actor, object) = (&mut self.actors[self.current], &mut self.objects[object as usize]);
        object.shared.join(&actor.clock);
        actor.tick();
    }

    /// The present thread acquires an object for itself.
    pub(crate) fn acquire_shared(&mut self, object: u32) {
        let (actor, object) = (&mut self.actors[self.current], &self.objects[object as usize]);
        actor.clock.join(&object.released);
        actor.clock.join(&object.shared);
    }

    /// A fence of the present thread. It is no step: what it does is seen by this thread's other operations only.
    pub(crate) fn fence(&mut self, order: Ordering) {
        let actor = &mut self.actors[self.current];
        if acquires(order) {
            let acquirable = std::mem::take(&mut actor.acquirable);
            actor.clock.join(&acquirable);
        }
        if releases(order) {
            actor.releasable = actor.clock.clone();
            actor.tick();
        }
    }

    /// The present thread accesses a cell. True if it races with an access that nothing orders: then it must not go on.
    pub(crate) fn access(&mut self, object: u32, writes: bool, site: Site) -> bool {
        if self.given_up {
            return false;
        }
        let actor = &mut self.actors[self.current];
        let now = PlainAccess { actor: actor.id, at: actor.clock.get(actor.id), site };
        let knows = |access: &&PlainAccess| actor.clock.get(access.actor) >= access.at;
        let cell = &mut self.objects[object as usize];
        let record = &mut cell.cell;
        let mut other = record.write.as_ref().filter(|write| !knows(write)).map(|write| (*write, true));
        if writes && other.is_none() {
            other = record.reads.iter().find(|read| !knows(read)).map(|read| (*read, false));
        }
        if writes {
            record.write = Some(now);
            record.reads.clear();
            cell.value = crate::exec::mix(actor.history, 0x77);
            actor.looks.clear();
            actor.history = crate::exec::mix(actor.history, 0x33);
        } else {
            match record.reads.iter_mut().find(|read| read.actor == now.actor) {
                Some(read) => *read = now,
                None => record.reads.push(now),
            }
            actor.history = crate::exec::mix(actor.history, cell.value as u64);
        }
        let id = cell.id;
        let Some((other, wrote)) = other else { return false };
        let edge = self.missing_edge(other.actor);
        let name = self.shared.names.object_name(id);
        let mut sides = [(other.site, wrote), (site, writes)];
        sides.sort_by_key(|(site, wrote)| (site.file(), site.line(), site.column(), *wrote));
        // The same sentence and place, whichever of the two comes first.
        let [(place, first), (with, second)] = sides;
        let verb = |wrote: bool| if wrote { "written" } else { "read" };
        let message = format!(
            "data race: {name} is {} here and {} at {}:{}, and nothing orders the two",
            verb(first),
            verb(second),
            with.file(),
            with.line()
        );
        if let Some(edge) = edge {
            let mut edges = self.shared.edges.lock().unwrap_or_else(PoisonError::into_inner);
            edges.entry(message.clone()).or_insert(edge);
        }
        let actor = &mut self.actors[self.current];
        let violation = Violation {
            location: Some(location(place)),
            actor: Some(actor.id),
            ..Violation::new(ViolationKind::Race, message)
        };
        actor.status = Status::Halted;
        self.fail(violation);
        true
    }
}

/// A place as reports know it.
pub(crate) fn location(site: Site) -> Location {
    Location { file: site.file().into(), line: site.line(), column: site.column() }
}
