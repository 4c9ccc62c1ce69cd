//! Names that last: the same actor and the same object in every execution, whatever the order of exploration.
//!
//! An actor is the n-th that its creator made, and an object the n-th that its creator made; what was made before the closure
//! ran is known by its address. These names are exact: equivalent executions give the same ones. To name an object when it
//! is first used would not do, since in an equivalent execution another thread may use it first.
//!
//! The table is shared by all executions of a closure, on all threads that search. Each execution keeps a copy of the numbers
//! that it has met ([`Known`]), so that it hardly ever waits for the table.

use crate::source;
use mazurka_core::{ActorId, ActorKind, ObjectId, ObjectKind};
use std::collections::{HashMap, HashSet};
use std::panic::Location;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A place in the code that is checked.
pub(crate) type Site = &'static Location<'static>;

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Atomic,
    Mutex,
    RwLock,
    Condvar,
    Cell,
    Channel,
    Once,
    Barrier,
    /// How many references there are to something.
    Count,
    /// A thread's token for `park`, or a task's for its waker.
    Token,
    /// The messages that wait for a handler.
    Mailbox,
    /// A handler; whether it takes its messages in any order.
    Handler {
        any: bool,
    },
    Life(ActorId),
}

impl Kind {
    /// The kind in words, for objects without a name.
    fn words(self) -> &'static str {
        match self {
            Kind::Atomic => "atomic",
            Kind::Mutex => "mutex",
            Kind::RwLock => "rwlock",
            Kind::Condvar => "condvar",
            Kind::Cell => "cell",
            Kind::Channel => "channel",
            Kind::Once => "once",
            Kind::Barrier => "barrier",
            Kind::Count => "count of references",
            Kind::Token => "token",
            Kind::Mailbox => "mailbox",
            Kind::Handler { .. } => "handler",
            Kind::Life(_) => "life",
        }
    }

    /// The kind as reports know it.
    pub(crate) fn object_kind(self) -> ObjectKind {
        match self {
            Kind::Life(_) | Kind::Token => ObjectKind::Life,
            Kind::Condvar | Kind::Barrier => ObjectKind::Signal,
            Kind::Mutex | Kind::RwLock | Kind::Once => ObjectKind::Lock,
            Kind::Atomic | Kind::Cell | Kind::Count | Kind::Channel => ObjectKind::Variable,
            Kind::Mailbox => ObjectKind::Mailbox,
            Kind::Handler { .. } => ObjectKind::Handler,
        }
    }
}

/// An actor and the object that is its life.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Born {
    pub(crate) actor: ActorId,
    pub(crate) life: ObjectId,
}

#[derive(Default)]
struct Tables {
    actors: Vec<ActorEntry>,
    objects: Vec<ObjectEntry>,
    outside: HashMap<usize, ObjectId>,
    taken: HashSet<String>,
}

struct ActorEntry {
    name: String,
    kind: ActorKind,
    life: ObjectId,
    token: Option<ObjectId>,
    children: Vec<Born>,
    objects: Vec<ObjectId>,
}

struct ObjectEntry {
    name: String,
    kind: Kind,
}

/// The names of a closure's actors and objects.
#[derive(Default)]
pub(crate) struct Names(Mutex<Tables>);

impl Names {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The n-th actor of its creator (from 0); the first of all has none.
    pub(crate) fn actor(
        &self,
        creator: Option<ActorId>,
        number: usize,
        kind: ActorKind,
        name: impl FnOnce() -> Option<String>,
    ) -> Born {
        let mut tables = self.tables();
        let known = match creator {
            Some(creator) => tables.actors[creator.index()].children.get(number).copied(),
            None => tables.actors.first().map(|first| Born { actor: ActorId(0), life: first.life }),
        };
        known.unwrap_or_else(|| tables.add_actor(creator, number, kind, name()))
    }

    /// The n-th object that an actor made.
    pub(crate) fn object(&self, creator: ActorId, number: usize, kind: Kind, site: Site) -> ObjectId {
        let mut tables = self.tables();
        match tables.actors[creator.index()].objects.get(number) {
            Some(&known) => known,
            None => {
                let id = tables.add_object(kind, source::name_at(site));
                tables.actors[creator.index()].objects.push(id);
                id
            }
        }
    }

    /// The token of a thread.
    pub(crate) fn token(&self, actor: ActorId) -> ObjectId {
        let mut tables = self.tables();
        if let Some(token) = tables.actors[actor.index()].token {
            return token;
        }
        let name = format!("token of {}", tables.actors[actor.index()].name);
        let token = tables.add_object(Kind::Token, Some(name));
        tables.actors[actor.index()].token = Some(token);
        token
    }

    /// What was made before the closure ran, by its address.
    pub(crate) fn outside(&self, address: usize, kind: Kind, site: Site) -> ObjectId {
        let mut tables = self.tables();
        match tables.outside.get(&address) {
            Some(&known) => known,
            None => {
                let id = tables.add_object(kind, source::receiver_at(site));
                tables.outside.insert(address, id);
                id
            }
        }
    }

    pub(crate) fn actor_name(&self, actor: ActorId) -> String {
        let tables = self.tables();
        tables.actors.get(actor.index()).map_or_else(|| format!("thread {}", actor.0), |entry| entry.name.clone())
    }

    pub(crate) fn actor_kind(&self, actor: ActorId) -> ActorKind {
        self.tables().actors.get(actor.index()).map_or(ActorKind::Thread, |entry| entry.kind)
    }

    pub(crate) fn life(&self, actor: ActorId) -> Option<ObjectId> {
        self.tables().actors.get(actor.index()).map(|entry| entry.life)
    }

    pub(crate) fn object_name(&self, object: ObjectId) -> String {
        let tables = self.tables();
        tables.objects.get(object.0 as usize).map_or_else(|| format!("object {}", object.0), |entry| entry.name.clone())
    }

    pub(crate) fn object_kind(&self, object: ObjectId) -> Kind {
        self.tables().objects.get(object.0 as usize).map_or(Kind::Cell, |entry| entry.kind)
    }
}

impl Tables {
    fn add_actor(&mut self, creator: Option<ActorId>, number: usize, kind: ActorKind, name: Option<String>) -> Born {
        let actor = ActorId(self.actors.len() as u32);
        let what = if kind.handler().is_some() { "message" } else { "thread" };
        let name = match creator.map(|creator| (creator, &self.actors[creator.index()].name)) {
            None => "main".to_owned(),
            // By its number among its creator's, so that it does not depend on what was explored first.
            Some((creator, above)) => {
                let given = name.filter(|name| {
                    let siblings = &self.actors[creator.index()].children;
                    !siblings.iter().any(|born| self.actors[born.actor.index()].name == *name) && name != "main"
                });
                match given {
                    Some(name) if creator.0 == 0 => name,
                    Some(name) => format!("{above}.{name}"),
                    None if creator.0 == 0 => format!("{what} {}", number + 1),
                    None => format!("{above}.{}", number + 1),
                }
            }
        };
        let life = ObjectId(self.objects.len() as u32);
        self.objects.push(ObjectEntry { name: name.clone(), kind: Kind::Life(actor) });
        self.actors.push(ActorEntry { name, kind, life, token: None, children: Vec::new(), objects: Vec::new() });
        let born = Born { actor, life };
        if let Some(creator) = creator {
            self.actors[creator.index()].children.push(born);
        }
        born
    }

    fn add_object(&mut self, kind: Kind, name: Option<String>) -> ObjectId {
        let id = ObjectId(self.objects.len() as u32);
        let base = name.unwrap_or_else(|| kind.words().to_owned());
        let mut name = base.clone();
        let mut copy = 1;
        while !self.taken.insert(name.clone()) {
            copy += 1;
            name = format!("{base} #{copy}");
        }
        self.objects.push(ObjectEntry { name, kind });
        id
    }
}

/// The numbers that one execution after the other on one thread has met: by creator, in order.
#[derive(Default)]
pub(crate) struct Known {
    children: Vec<Vec<Born>>,
    objects: Vec<Vec<ObjectId>>,
}

impl Known {
    /// The n-th actor of its creator, if it is known.
    pub(crate) fn child(&self, creator: ActorId, number: usize) -> Option<Born> {
        self.children.get(creator.index())?.get(number).copied()
    }

    /// Remembers the next actor of a creator.
    pub(crate) fn add_child(&mut self, creator: ActorId, born: Born) {
        row(&mut self.children, creator).push(born);
    }

    /// The n-th object of its creator, if it is known.
    pub(crate) fn object(&self, creator: ActorId, number: usize) -> Option<ObjectId> {
        self.objects.get(creator.index())?.get(number).copied()
    }

    /// Remembers the next object of a creator.
    pub(crate) fn add_object(&mut self, creator: ActorId, object: ObjectId) {
        row(&mut self.objects, creator).push(object);
    }
}

fn row<T>(rows: &mut Vec<Vec<T>>, creator: ActorId) -> &mut Vec<T> {
    if rows.len() <= creator.index() {
        rows.resize_with(creator.index() + 1, Vec::new);
    }
    &mut rows[creator.index()]
}
