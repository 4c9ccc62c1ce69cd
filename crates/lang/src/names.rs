//! The names of actors that are created while the program runs.
//!
//! There are two ways to tell such actors apart. By *history*: the n-th thing that its creator made and what it is, a
//! message with its handler or a thread, the same in every execution; what stateless engines and reports need. By
//! *presence*: what the actor is now (a message by its handler and its content, a thread by its creator and the first
//! free slot there), so that a program that runs for ever comes back to a state it was in; what engines that store
//! states need. Either way a name is interned to a dense number. Numbers depend on which came first; the `stable` hash
//! of a name does not.

use hashbrown::HashTable;
use mazurka_core::ActorId;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// What sets an actor apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// The `number`-th thing that `parent` made: a message for a `handler`, or a thread, that runs `body`.
    Child { parent: ActorId, number: u32, handler: Option<u32>, body: u16 },
    /// A thread in a slot of its creator's.
    Thread { parent: ActorId, slot: u32, body: u16 },
    /// A message by its content.
    Message { handler: u32, message: u16, arguments: Box<[i64]> },
}

#[derive(Debug)]
struct Entry {
    key: Key,
    stable: u64,
}

#[derive(Debug, Default)]
struct Table {
    entries: Vec<Entry>,
    by_hash: HashTable<u32>,
}

/// All names that were met. Shared by all states of a model.
#[derive(Debug)]
pub(crate) struct Names {
    /// The numbers below belong to actors that are there from the start.
    first: u32,
    table: RwLock<Table>,
}

/// The names that are known, while no other is made.
pub(crate) struct KnownNames<'n> {
    first: u32,
    table: RwLockReadGuard<'n, Table>,
}

impl KnownNames<'_> {
    /// A number for the actor that depends only on its name.
    pub(crate) fn stable(&self, actor: ActorId) -> u64 {
        match actor.0.checked_sub(self.first) {
            None => u64::from(actor.0),
            Some(index) => self.table.entries.get(index as usize).map_or(u64::MAX, |entry| entry.stable),
        }
    }
}

impl Names {
    pub(crate) fn new(first: u32) -> Self {
        Names { first, table: RwLock::default() }
    }

    /// The actor with this key; `matches` compares without building the key, `make` builds it when it is new.
    fn intern(&self, stable: u64, matches: impl Fn(&Key) -> bool, make: impl FnOnce() -> Key) -> ActorId {
        {
            let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(&index) = table.by_hash.find(stable, |&i| matches(&table.entries[i as usize].key)) {
                return ActorId(self.first + index);
            }
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let Table { entries, by_hash } = &mut *table;
        if let Some(&index) = by_hash.find(stable, |&i| matches(&entries[i as usize].key)) {
            return ActorId(self.first + index);
        }
        let index = entries.len() as u32;
        entries.push(Entry { key: make(), stable });
        by_hash.insert_unique(stable, index, |&i| entries[i as usize].stable);
        ActorId(self.first + index)
    }

    pub(crate) fn child(&self, parent: ActorId, number: u32, handler: Option<u32>, body: u16) -> ActorId {
        let key = Key::Child { parent, number, handler, body };
        let place = handler.map_or(0, |handler| u64::from(handler) + 1);
        let hash = self.hash(1, parent, [u64::from(number), place << 16 | u64::from(body)]);
        self.intern(hash, |known| *known == key, || key.clone())
    }

    pub(crate) fn thread(&self, parent: ActorId, slot: u32, body: u16) -> ActorId {
        let key = Key::Thread { parent, slot, body };
        let hash = self.hash(2, parent, [u64::from(slot), u64::from(body)]);
        self.intern(hash, |known| *known == key, || key.clone())
    }

    pub(crate) fn message(&self, handler: u32, message: u16, arguments: &[i64]) -> ActorId {
        let mut hash = u64::from(handler) << 16 | u64::from(message);
        for argument in arguments {
            hash = xxh3_64_with_seed(&argument.to_le_bytes(), hash);
        }
        hash = xxh3_64_with_seed(&hash.to_le_bytes(), 3);
        self.intern(
            hash,
            |known| matches!(known, Key::Message { handler: h, message: m, arguments: a } if (*h, *m, &**a) == (handler, message, arguments)),
            || Key::Message { handler, message, arguments: arguments.into() },
        )
    }

    fn hash(&self, kind: u64, parent: ActorId, rest: [u64; 2]) -> u64 {
        let mut bytes = [0u8; 24];
        bytes[..8].copy_from_slice(&self.stable(parent).to_le_bytes());
        bytes[8..16].copy_from_slice(&rest[0].to_le_bytes());
        bytes[16..].copy_from_slice(&rest[1].to_le_bytes());
        xxh3_64_with_seed(&bytes, kind)
    }

    /// A number for the actor that depends only on its name.
    pub(crate) fn stable(&self, actor: ActorId) -> u64 {
        if actor.0 < self.first { u64::from(actor.0) } else { self.read().stable(actor) }
    }

    /// The names as they are now, for more than one look.
    pub(crate) fn read(&self) -> KnownNames<'_> {
        KnownNames { first: self.first, table: self.table.read().unwrap_or_else(PoisonError::into_inner) }
    }

    /// The handler of a message.
    pub(crate) fn handler(&self, actor: ActorId) -> Option<u32> {
        let index = actor.0.checked_sub(self.first)?;
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        match table.entries.get(index as usize)?.key {
            Key::Child { handler, .. } => handler,
            Key::Thread { .. } => None,
            Key::Message { handler, .. } => Some(handler),
        }
    }

    pub(crate) fn key(&self, actor: ActorId) -> Option<Key> {
        let index = actor.0.checked_sub(self.first)?;
        let table = self.table.read().unwrap_or_else(PoisonError::into_inner);
        table.entries.get(index as usize).map(|entry| entry.key.clone())
    }
}
