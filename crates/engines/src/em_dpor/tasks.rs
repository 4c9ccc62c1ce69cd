//! What is seen of a program whose posts do not depend on each other: threads, tasks, and what a task's step touches.
//!
//! A *thread* is what takes turns: an actor that is no message, or a first-in-first-out queue, which runs one message at
//! a time. A *task* is an actor: such an actor by itself, or one message. That a message waits in a queue and holds its
//! handler is not part of its footprint here, for the order of a queue's messages matters only where they touch something
//! in common. Nor do mutexes conflict between messages of one queue (appendix C.2): a message releases what it acquired
//! before the next one runs. That is watched: a message that ends and holds a mutex is a [`Leak`].

use mazurka_core::{
    Access, ActorId, ActorKind, Awaited, Dependence, Footprint, FootprintId, FootprintTable, Machine, ObjectId, Rule,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// What takes turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Thread {
    /// An actor that is no message of a queue.
    Alone(ActorId),
    /// A queue, by the object that its running message holds.
    Queue(ObjectId),
}

/// What a task's step touches: all of it, and without mutexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touches {
    pub(super) whole: FootprintId,
    pub(super) unlocked: FootprintId,
}

/// A blocked actor: what the step would touch that it is blocked on, and what it awaits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocked {
    pub(super) actor: ActorId,
    pub(super) touches: Touches,
    pub(super) awaited: Option<Awaited>,
}

/// A message ended and holds a mutex: then mutexes do conflict between messages of one queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Leak;

/// Which actor runs on which thread, and the footprints as they count here.
pub(super) struct Tasks {
    table: FootprintTable,
    /// The handlers of messages that came in order into a queue.
    queues: FxHashMap<ActorId, Option<ObjectId>>,
    /// The gates among the objects: a step that opens a gate and one that it enables have no other order.
    gates: FxHashSet<ObjectId>,
    mutexes: FxHashSet<ObjectId>,
    /// Whether mutexes conflict between messages of one queue.
    mutexes_conflict: bool,
    scratch: Footprint,
}

impl Tasks {
    pub(super) fn new(rewrites: bool, mutexes_conflict: bool) -> Self {
        let table = FootprintTable::new(Dependence { posts: false, rewrites });
        Tasks {
            table,
            queues: FxHashMap::default(),
            gates: FxHashSet::default(),
            mutexes: FxHashSet::default(),
            mutexes_conflict,
            scratch: Footprint::default(),
        }
    }

    /// Whether it matters that a message keeps a mutex: not where mutexes conflict anyway.
    pub(super) fn minds_leaks(&self) -> bool {
        !self.mutexes_conflict
    }

    /// The queue of an actor that exists, by its handler.
    pub(super) fn queue<M: Machine>(&mut self, machine: &M, actor: ActorId) -> Option<ObjectId> {
        *self.queues.entry(actor).or_insert_with(|| match machine.actor(actor) {
            ActorKind::Message { handler, fifo: Some(_) } => Some(handler),
            _ => None,
        })
    }

    /// The thread of an actor that was there once.
    pub(super) fn thread(&self, actor: ActorId) -> Thread {
        match self.queues.get(&actor) {
            Some(Some(handler)) => Thread::Queue(*handler),
            _ => Thread::Alone(actor),
        }
    }

    /// A footprint as it counts here.
    pub(super) fn touches<M: Machine>(&mut self, machine: &M, actor: ActorId, footprint: &Footprint) -> Touches {
        let handler = self.queue(machine, actor);
        let counts = |object: ObjectId, access: Access| Some(object) != handler && access != Access::POST;
        let mut kept = std::mem::take(&mut self.scratch);
        let mut intern = |table: &mut FootprintTable, wanted: &dyn Fn(ObjectId) -> bool| {
            kept.clear();
            for touch in footprint.touches().iter().filter(|touch| counts(touch.object, touch.access)) {
                if wanted(touch.object) {
                    kept.touch(touch.object, touch.access);
                }
            }
            kept.seal();
            table.intern(&kept)
        };
        let known = self.table.len();
        let whole = intern(&mut self.table, &|_| true);
        if self.table.len() > known {
            let objects = footprint.touches().iter().map(|touch| touch.object);
            self.gates.extend(objects.clone().filter(|&object| machine.object(object).rule == Rule::Gate));
            self.mutexes.extend(objects.filter(|&object| is_mutex(machine, object)));
        }
        let unlocked = if handler.is_none() || self.mutexes_conflict {
            whole
        } else {
            intern(&mut self.table, &|object| !is_mutex(machine, object))
        };
        self.scratch = kept;
        Touches { whole, unlocked }
    }

    /// What an enabled actor would touch next.
    pub(super) fn foresee<M: Machine>(&mut self, machine: &M, actor: ActorId) -> Touches {
        let mut footprint = Footprint::default();
        machine.foresee(actor, &mut footprint);
        self.touches(machine, actor, &footprint)
    }

    /// The blocked actors.
    pub(super) fn blocked<M: Machine>(&mut self, machine: &M) -> Vec<Blocked> {
        let (mut blocked, mut footprint) = (Vec::new(), Footprint::default());
        machine.blocked(&mut |actor, obstacle| {
            footprint.clear();
            let awaited = obstacle(&mut footprint);
            footprint.seal();
            blocked.push(Blocked { actor, touches: self.touches(machine, actor, &footprint), awaited });
        });
        blocked
    }

    fn pair(&self, one: (Thread, Touches), other: (Thread, Touches)) -> (FootprintId, FootprintId) {
        if one.0 == other.0 { (one.1.unlocked, other.1.unlocked) } else { (one.1.whole, other.1.whole) }
    }

    /// Whether steps of two tasks depend on each other.
    pub(super) fn depend(&self, one: (Thread, Touches), other: (Thread, Touches)) -> bool {
        let (one, other) = self.pair(one, other);
        self.table.conflict(one, other)
    }

    /// The objects on which two steps depend on each other, where the later one could have come first; with each whether
    /// the earlier one settles what came before: the step that wrote it comes after all that touched it until then.
    pub(super) fn races(
        &self,
        earlier: (Thread, Touches),
        later: (Thread, Touches),
    ) -> SmallVec<[(ObjectId, bool); 2]> {
        if !self.depend(earlier, later) {
            return SmallVec::new();
        }
        let is_mutex = |object: ObjectId| {
            earlier.1.whole != earlier.1.unlocked && self.table.get(earlier.1.unlocked).access(object).is_none()
        };
        let (one, other) = self.pair(earlier, later);
        let (one, other) = (self.table.get(one), self.table.get(other));
        let dependence = self.table.dependence();
        let race = |object: ObjectId| {
            let (earlier, later) = (one.access(object)?, other.access(object)?);
            let settles = earlier.contains(Access::WRITE) && !is_mutex(object);
            (!self.gates.contains(&object) && dependence.races(earlier, later)).then_some((object, settles))
        };
        dependence.common(one, other).filter_map(race).collect()
    }

    /// Whether two steps depend on each other and might come in either order.
    pub(super) fn oppose(&self, one: (Thread, Touches), other: (Thread, Touches)) -> bool {
        if !self.depend(one, other) {
            return false;
        }
        let (one, other) = self.pair(one, other);
        let mut common = self.table.dependence().common(self.table.get(one), self.table.get(other));
        common.any(|object| !self.gates.contains(&object))
    }

    /// Whether an object is a gate.
    pub(super) fn is_gate(&self, object: ObjectId) -> bool {
        self.gates.contains(&object)
    }

    /// Whether an object is a mutex.
    pub(super) fn is_mutex(&self, object: ObjectId) -> bool {
        self.mutexes.contains(&object)
    }

    /// A footprint by its number.
    pub(super) fn footprint(&self, id: FootprintId) -> &Footprint {
        self.table.get(id)
    }
}

/// Whether an object is a mutex.
fn is_mutex<M: Machine>(machine: &M, object: ObjectId) -> bool {
    machine.object(object).rule == Rule::Mutex
}

/// Whether an actor that took a step does not exist any more.
pub(super) fn has_ended<M: Machine>(machine: &M, actor: ActorId) -> bool {
    let mut present = Vec::new();
    machine.present(&mut present);
    !present.contains(&actor)
}

/// What a blocked actor awaits.
pub(super) fn awaited_by<M: Machine>(machine: &M, actor: ActorId) -> Option<Awaited> {
    let mut awaited = None;
    machine.blocked(&mut |blocked, obstacle| {
        if blocked == actor {
            awaited = obstacle(&mut Footprint::default());
        }
    });
    awaited
}

/// How many mutexes a footprint acquires more than it releases.
pub(super) fn mutexes_taken<M: Machine>(machine: &M, footprint: &Footprint) -> i32 {
    let held = |access: Access| i32::from(access.contains(Access::WRITE)) - i32::from(access.contains(Access::RELEASE));
    footprint.touches().iter().filter(|touch| is_mutex(machine, touch.object)).map(|touch| held(touch.access)).sum()
}
