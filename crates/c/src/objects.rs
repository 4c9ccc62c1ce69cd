//! The numbers of objects and actors.
//!
//! Objects need dense numbers. The scalars of the program's variables have theirs from the start. What turns up later is
//! numbered when it is touched first: cells of the heap and of stacks in granules of four bytes, mutexes and the
//! like by their address. From an address to its number leads a directory that grows and never changes, so that looking
//! something up takes no lock.

use crate::memory::{offset, space};
use mazurka_core::ObjectId;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError, RwLock, RwLockReadGuard};

/// A row that grows: parts of doubling length, each made when it is needed.
#[derive(Debug)]
pub(crate) struct Segments<T> {
    parts: [OnceLock<Box<[T]>>; PARTS],
}

const PARTS: usize = 30;
const FIRST: usize = 64;

impl<T> Default for Segments<T> {
    fn default() -> Self {
        Segments { parts: [const { OnceLock::new() }; PARTS] }
    }
}

/// Which part an index is in, and where.
#[inline]
fn split(index: usize) -> (usize, usize) {
    let part = (index / FIRST + 1).ilog2() as usize;
    (part, index - FIRST * ((1 << part) - 1))
}

impl<T: Default> Segments<T> {
    /// The element, if its part was made.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        let (part, at) = split(index);
        self.parts.get(part)?.get()?.get(at)
    }

    /// The element.
    #[inline]
    pub(crate) fn at(&self, index: usize) -> &T {
        let (part, at) = split(index);
        let part_of = self.parts[part].get_or_init(|| (0..FIRST << part).map(|_| T::default()).collect());
        &part_of[at]
    }
}

/// What a synchronisation object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SyncKind {
    Mutex,
    Condition,
    RwLock,
    Barrier,
    Semaphore,
    Once,
}

/// What an object is that has no number from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// The whole program: whether it goes on.
    Process,
    /// Four bytes.
    Cell(u64),
    /// A mutex or the like, by its address.
    Sync(SyncKind, u64),
    /// A handler.
    Handler(u32),
    /// Whether a handler takes messages.
    Gate(u32),
    /// The messages that wait for a handler.
    Mailbox(u32),
    /// Where an actor allocates.
    Heap(u32),
}

/// The numbers at an address.
#[derive(Debug, Default)]
struct Slot {
    cell: AtomicU32,
    sync: AtomicU32,
}

/// All objects that were met.
#[derive(Debug)]
pub(crate) struct Objects {
    /// The first number that is not a scalar of a variable. Even ones from there are the lives of actors.
    first: u32,
    spaces: Segments<Segments<Slot>>,
    keys: Segments<OnceLock<Key>>,
    others: Mutex<FxHashMap<Key, u32>>,
}

impl Objects {
    pub(crate) fn new(first: u32) -> Self {
        let objects =
            Objects { first, spaces: Segments::default(), keys: Segments::default(), others: Mutex::default() };
        objects.number(Key::Process);
        objects
    }

    /// Whether an actor was made, woken, or has ended.
    #[inline]
    pub(crate) fn life(&self, actor: u32) -> ObjectId {
        ObjectId(self.first + 2 * actor)
    }

    #[inline]
    fn object(&self, number: u32) -> ObjectId {
        ObjectId(self.first + 2 * number + 1)
    }

    /// The whole program.
    pub(crate) fn process(&self) -> ObjectId {
        self.object(0)
    }

    /// The number of a key, from 0.
    fn number(&self, key: Key) -> u32 {
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        let next = others.len() as u32;
        let number = *others.entry(key).or_insert(next);
        // The first one to set it is the only one.
        let _ = self.keys.at(number as usize).set(key);
        number
    }

    /// The four bytes at an address.
    #[inline]
    pub(crate) fn cell(&self, address: u64) -> ObjectId {
        let slot = self.slot(address);
        match slot.cell.load(Ordering::Acquire) {
            0 => {
                let number = self.number(Key::Cell(address & !3));
                slot.cell.store(number + 1, Ordering::Release);
                self.object(number)
            }
            known => self.object(known - 1),
        }
    }

    /// The mutex or the like at an address.
    #[inline]
    pub(crate) fn sync(&self, kind: SyncKind, address: u64) -> ObjectId {
        let slot = self.slot(address);
        let known = slot.sync.load(Ordering::Acquire);
        if known != 0
            && let Some(Key::Sync(other, _)) = self.key(known - 1)
            && other == kind
        {
            return self.object(known - 1);
        }
        let number = self.number(Key::Sync(kind, address));
        if known == 0 {
            slot.sync.store(number + 1, Ordering::Release);
        }
        self.object(number)
    }

    fn slot(&self, address: u64) -> &Slot {
        self.spaces.at(space(address) as usize).at(offset(address) as usize >> 2)
    }

    pub(crate) fn other(&self, key: Key) -> ObjectId {
        self.object(self.number(key))
    }

    fn key(&self, number: u32) -> Option<Key> {
        self.keys.get(number as usize)?.get().copied()
    }

    /// What a number stands for.
    pub(crate) fn what(&self, object: ObjectId) -> What {
        match object.0.checked_sub(self.first) {
            None => What::Scalar(object.0),
            Some(rest) if rest % 2 == 0 => What::Life(rest / 2),
            Some(rest) => self.key(rest / 2).map_or(What::Unknown, What::Key),
        }
    }
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A scalar of a variable, by number.
    Scalar(u32),
    Life(u32),
    Key(Key),
    Unknown,
}

/// What sets an actor apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ActorKey {
    /// The n-th thing that its creator made.
    Child { parent: u32, number: u32 },
    /// A thread in a slot of its creator's.
    Slot { parent: u32, slot: u32 },
    /// A message by its content; the n-th of those that are equal.
    Message { handler: u32, function: u32, argument: u64, copy: u32 },
}

/// What is known of an actor, the same in every state. By history all of it sets actors apart: what the same creator makes
/// next may be a message for another handler in another execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ActorInfo {
    pub(crate) key: ActorKey,
    /// What it runs first; `NONE` for a handler without code of its own.
    pub(crate) function: u32,
    pub(crate) kind: Kind,
    /// The handler of a message, and whether that takes its messages in order.
    pub(crate) handler: Option<(u32, bool)>,
    /// What the program calls it.
    pub(crate) name: Option<Name>,
}

impl ActorInfo {
    /// What sets it apart. A slot of its creator's is one actor, whatever stands in it.
    fn identity(self) -> ActorInfo {
        match self.key {
            ActorKey::Slot { .. } => ActorInfo { function: crate::code::NONE, handler: None, name: None, ..self },
            _ => self,
        }
    }
}

/// The number of a name that a program gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name(u32);

/// The kinds of actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Thread,
    Handler,
    Message,
    Event,
}

/// The actors that were met. The first one is the main thread.
#[derive(Debug, Default)]
pub(crate) struct Actors {
    table: RwLock<Table>,
}

#[derive(Debug, Default)]
struct Table {
    numbers: FxHashMap<ActorInfo, u32>,
    infos: Vec<ActorInfo>,
    names: Vec<Box<str>>,
}

impl Actors {
    fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of an actor.
    pub(crate) fn number(&self, info: ActorInfo) -> u32 {
        let identity = info.identity();
        if let Some(&known) = self.read().numbers.get(&identity) {
            return known;
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let next = table.infos.len() as u32;
        let number = *table.numbers.entry(identity).or_insert(next);
        if number == next {
            table.infos.push(info);
        }
        number
    }

    pub(crate) fn info(&self, actor: u32) -> Option<ActorInfo> {
        self.read().infos.get(actor as usize).copied()
    }

    /// The number of a name; none if nothing is called that.
    pub(crate) fn name(&self, text: &str) -> Option<Name> {
        let find = |table: &Table| table.names.iter().position(|known| **known == *text);
        if text.is_empty() {
            return None;
        }
        if let Some(known) = find(&self.read()) {
            return Some(Name(known as u32));
        }
        let mut table = self.table.write().unwrap_or_else(PoisonError::into_inner);
        let number = find(&table).unwrap_or(table.names.len());
        if number == table.names.len() {
            table.names.push(text.into());
        }
        Some(Name(number as u32))
    }

    /// The name of an actor that has one, and whether another actor of its kind is called that, too.
    pub(crate) fn called(&self, actor: u32) -> Option<(String, bool)> {
        let table = self.read();
        let info = table.infos.get(actor as usize)?;
        let name = info.name?;
        let is_same = |other: &ActorInfo| other.name == Some(name) && other.kind == info.kind;
        let is_shared = table.infos.iter().filter(|&other| is_same(other)).count() > 1;
        Some((table.names.get(name.0 as usize)?.to_string(), is_shared))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_grows_without_moving() {
        let row: Segments<AtomicU32> = Segments::default();
        assert!(row.get(5).is_none());
        for index in [0, 63, 64, 191, 192, 100_000] {
            row.at(index).store(index as u32 + 1, Ordering::Relaxed);
        }
        for index in [0, 63, 64, 191, 192, 100_000] {
            assert_eq!(row.get(index).map(|value| value.load(Ordering::Relaxed)), Some(index as u32 + 1));
        }
    }

    #[test]
    fn an_address_has_one_cell_and_one_mutex() {
        let objects = Objects::new(10);
        let (cell, mutex) = (objects.cell(0x1000), objects.sync(SyncKind::Mutex, 0x1000));
        assert_ne!(cell, mutex);
        assert_eq!(objects.cell(0x1003), cell);
        assert_eq!(objects.sync(SyncKind::Mutex, 0x1000), mutex);
        assert_ne!(objects.sync(SyncKind::Semaphore, 0x1000), mutex);
        assert_eq!(objects.what(mutex), What::Key(Key::Sync(SyncKind::Mutex, 0x1000)));
        assert_eq!(objects.what(ObjectId(9)), What::Scalar(9));
        assert_eq!(objects.what(objects.life(3)), What::Life(3));
    }
}
