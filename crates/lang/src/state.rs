//! States: one flat row of 64-bit words.
//!
//! ```text
//! cells | mutexes, writers | semaphores, readers, channels | stopped | stopped readers | event bits |
//!     spawned | event counters | records of the threads, of spawned threads, of messages
//! ```
//!
//! A mutex holds 0 or the number of its holder + 1, and so does the word for the writer of a read-write lock. `stopped`
//! is there where actors may come and go: 1 once a violation has stopped an actor that is forgotten. `stopped readers` has
//! a word for each read-write lock: how often actors that a violation stopped, and whose records go, hold it for reading.
//! `spawned` has a word for each thread that is there from the start: how many detached threads it spawned, in programs
//! that number these (see [`NUMBERED`]).
//! Where actors are told apart by history, an event that creates actors counts them; there are no counters otherwise. Records have a header of two words, those of spawned threads and
//! messages one of four, and then the stack: for each read-write lock how often the actor holds it for reading, and the
//! registers of the running function and of its callers. A message that waits has only its arguments there. Spawned threads
//! stand in the order of their stable names; messages stand by handler, the running one first, then those that wait: in
//! the order of arrival, or by content where the handler takes them in any order. So equal situations are equal rows.

use crate::Identity;
use crate::code::{Pc, Program};
use mazurka_core::ActorId;

/// A state of a `.mz` program.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(crate) words: Vec<i64>,
}

/// A copy keeps no more than this many words to grow into.
const MAX_SPARE: usize = 32;

impl Clone for State {
    /// The next step will need as much room as the last one did.
    fn clone(&self) -> Self {
        let mut words = Vec::with_capacity(self.words.capacity().min(self.words.len() + MAX_SPARE));
        words.extend_from_slice(&self.words);
        State { words }
    }

    fn clone_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
    }
}

/// The slots from here on are numbers that are given once: the n-th detached thread that a thread spawned. The slots below
/// are free again when a thread in them has ended, so that a program that runs for ever comes back to its states; then it
/// matters whether a thread ends before or after its creator spawns the next one. A program that terminates has no need
/// of that: there detached threads of the threads that are there from the start are numbered, and their ends commute with
/// whatever their creator does.
pub(crate) const NUMBERED: u32 = 1 << 30;

/// Where the parts of a state begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    pub(crate) mutexes: usize,
    pub(crate) writers: usize,
    pub(crate) syncs: usize,
    pub(crate) stopped: usize,
    pub(crate) stopped_readers: usize,
    pub(crate) events: usize,
    pub(crate) spawned: usize,
    pub(crate) counters: usize,
    pub(crate) records: usize,
    /// How many words at the beginning of a stack tell what the actor holds for reading.
    pub(crate) held: usize,
}

impl Layout {
    pub(crate) fn of(program: &Program, identity: Identity) -> Self {
        let mutexes = program.cells.len();
        let writers = mutexes + program.mutexes.len();
        let held = program.rw_locks();
        let syncs = writers + held;
        let stopped = syncs + program.sync_words();
        let stopped_readers = stopped + usize::from(program.creates_actors);
        let forgets = program.creates_actors || !program.events.is_empty();
        let events = stopped_readers + if forgets { held } else { 0 };
        let spawned = events + program.events.len().div_ceil(64);
        let counters = spawned + if program.numbers_threads() { program.threads.len() } else { 0 };
        let counts = identity == Identity::History && program.creates_actors;
        let records = counters + if counts { program.events.len() } else { 0 };
        Layout { mutexes, writers, syncs, stopped, stopped_readers, events, spawned, counters, records, held }
    }
}

/// What an actor is up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Created by another actor and not moved yet.
    Fresh = 0,
    /// Before a visible instruction.
    Ready = 1,
    /// In a `wait` that no signal has ended.
    Waiting = 2,
    /// A message in a mailbox.
    Pending = 3,
    /// At its end.
    Finished = 4,
    /// Stopped by a violation.
    Halted = 5,
}

impl Status {
    fn from_bits(bits: u64) -> Self {
        match bits {
            0 => Status::Fresh,
            1 => Status::Ready,
            2 => Status::Waiting,
            3 => Status::Pending,
            4 => Status::Finished,
            _ => Status::Halted,
        }
    }
}

/// What kind of actor a record is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A thread that is there from the start.
    Thread = 0,
    /// A thread that another actor spawned.
    Spawned = 1,
    /// A message.
    Message = 2,
    /// The registers of a running event, for as long as its step takes.
    Event = 3,
}

/// The first word of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    pub(crate) status: Status,
    /// Words of the whole record.
    pub(crate) length: usize,
    /// Where the running function's registers begin on the stack.
    pub(crate) base: usize,
    pub(crate) pc: Pc,
}

impl Header {
    pub(crate) fn words(kind: Kind) -> usize {
        match kind {
            Kind::Thread | Kind::Event => 2,
            Kind::Spawned | Kind::Message => 4,
        }
    }

    pub(crate) fn pack(self) -> i64 {
        let bits = (self.kind as u64)
            | (self.status as u64) << 2
            | (self.length as u64) << 5
            | (self.base as u64) << 22
            | u64::from(self.pc) << 39;
        bits as i64
    }

    pub(crate) fn unpack(word: i64) -> Self {
        let bits = word as u64;
        let kind = match bits & 3 {
            0 => Kind::Thread,
            1 => Kind::Spawned,
            2 => Kind::Message,
            _ => Kind::Event,
        };
        Header {
            kind,
            status: Status::from_bits(bits >> 2 & 7),
            length: (bits >> 5 & 0x1_ffff) as usize,
            base: (bits >> 22 & 0x1_ffff) as usize,
            pc: (bits >> 39) as Pc,
        }
    }
}

/// Two numbers in one word.
pub(crate) fn pair(low: u32, high: u32) -> i64 {
    (u64::from(low) | u64::from(high) << 32) as i64
}

pub(crate) fn low(word: i64) -> u32 {
    word as u32
}

pub(crate) fn high(word: i64) -> u32 {
    (word as u64 >> 32) as u32
}

/// A record, by where it begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record {
    pub(crate) at: usize,
    pub(crate) header: Header,
}

impl Record {
    pub(crate) fn read(words: &[i64], at: usize) -> Self {
        Record { at, header: Header::unpack(words[at]) }
    }

    pub(crate) fn end(&self) -> usize {
        self.at + self.header.length
    }

    pub(crate) fn actor(&self, words: &[i64]) -> ActorId {
        ActorId(low(words[self.at + 1]))
    }

    /// Where the stack begins.
    pub(crate) fn stack(&self) -> usize {
        self.at + Header::words(self.header.kind)
    }

    /// Where the running function's registers begin.
    pub(crate) fn frame(&self) -> usize {
        self.stack() + self.header.base
    }

    /// A message's handler, or a spawned thread's creator.
    pub(crate) fn owner(&self, words: &[i64]) -> u32 {
        low(words[self.at + 2])
    }

    /// Which message; for a spawned thread its slot and whether no actor holds its handle.
    pub(crate) fn detail(&self, words: &[i64]) -> u32 {
        high(words[self.at + 2])
    }

    /// The actor's name by presence.
    pub(crate) fn presence(&self, words: &[i64]) -> ActorId {
        match self.header.kind {
            Kind::Thread | Kind::Event => self.actor(words),
            Kind::Spawned | Kind::Message => ActorId(low(words[self.at + 3])),
        }
    }
}

/// The records of a state, one after the other.
pub(crate) struct Records<'w> {
    words: &'w [i64],
    at: usize,
}

impl<'w> Records<'w> {
    pub(crate) fn new(words: &'w [i64], layout: &Layout) -> Self {
        Records { words, at: layout.records }
    }
}

impl Iterator for Records<'_> {
    type Item = Record;

    fn next(&mut self) -> Option<Record> {
        (self.at < self.words.len()).then(|| {
            let record = Record::read(self.words, self.at);
            self.at = record.end();
            record
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_fits_its_word() {
        let header =
            Header { kind: Kind::Message, status: Status::Halted, length: 0x1_ffff, base: 0x1_abcd, pc: 0x1ff_ffff };
        assert_eq!(Header::unpack(header.pack()), header);
        assert_eq!((low(pair(7, 9)), high(pair(7, 9))), (7, 9));
    }
}
