//! States: one flat row of 64-bit words.
//!
//! ```text
//! variables | flags, number of actors | directory: a word for each actor | records, in the order of the directory
//! record: pc, frame | heap | stacks | waits for | children, flags | function, handler |
//!     blocks… heap… shared stack… private stack… frames…
//! frame: return, caller's frame | results | shared and private words of the callers | registers…
//! ```
//!
//! The directory tells where each record is and what the actor is up to, so that who can move is mostly seen there. It stands in
//! the order of the actors' numbers. Freed blocks take no room in the heap. Clocks for data races stand beside the
//! words and are no part of what a state is.

use crate::clocks::Clocks;
use std::hash::{Hash, Hasher};

/// A state of a C program.
#[derive(Debug, Default)]
pub struct State {
    pub(crate) words: Vec<u64>,
    pub(crate) clocks: Option<Box<Clocks>>,
}

/// A copy keeps no more than this many words to grow into.
const MAX_SPARE: usize = 32;

impl Clone for State {
    fn clone(&self) -> Self {
        let mut words = Vec::with_capacity(self.words.capacity().min(self.words.len() + MAX_SPARE));
        words.extend_from_slice(&self.words);
        State { words, clocks: self.clocks.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
        match (&mut self.clocks, &other.clocks) {
            (Some(own), Some(other)) => own.clone_from(other),
            (own, other) => own.clone_from(other),
        }
    }
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.words == other.words
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.words.hash(hasher);
    }
}

/// What an actor is up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Status {
    /// Before a step that can always be taken.
    Ready = 0,
    /// Before a step that may be blocked.
    Guarded = 1,
    /// In a wait for a condition variable.
    Waiting = 2,
    /// In one that may time out.
    TimedWaiting = 3,
    /// Woken or timed out, before it takes its mutex again.
    Woken = 4,
    /// A message that has not begun.
    Pending = 5,
    /// At its end.
    Finished = 6,
    /// Stopped by a violation.
    Halted = 7,
    /// Stopped by an assumption that is false.
    Assumed = 8,
    /// A handler that takes messages.
    Resting = 9,
    /// A handler that was not started.
    NotStarted = 10,
    /// At a barrier that is not full.
    AtBarrier = 11,
    /// Gone, but for memory that it allocated.
    Gone = 12,
    /// An event, which may happen again and again.
    Event = 13,
    /// In a loop that waits, of which another round would be the same.
    Spinning = 14,
}

impl Status {
    fn from_bits(bits: u64) -> Self {
        match bits {
            0 => Status::Ready,
            1 => Status::Guarded,
            2 => Status::Waiting,
            3 => Status::TimedWaiting,
            4 => Status::Woken,
            5 => Status::Pending,
            6 => Status::Finished,
            7 => Status::Halted,
            8 => Status::Assumed,
            9 => Status::Resting,
            10 => Status::NotStarted,
            11 => Status::AtBarrier,
            12 => Status::Gone,
            13 => Status::Event,
            _ => Status::Spinning,
        }
    }

    /// Whether the actor may still do something.
    pub(crate) fn is_alive(self) -> bool {
        !matches!(
            self,
            Status::Finished | Status::Halted | Status::Assumed | Status::Resting | Status::Gone | Status::Spinning
        )
    }
}

/// A word of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) actor: u32,
    pub(crate) status: Status,
    /// Where the record is.
    pub(crate) at: usize,
}

const ACTOR_BITS: u32 = 28;

impl Entry {
    #[inline]
    pub(crate) fn unpack(word: u64) -> Self {
        Entry {
            actor: (word >> 32) as u32 & ((1 << ACTOR_BITS) - 1),
            status: Status::from_bits(word >> 60),
            at: word as u32 as usize,
        }
    }

    #[inline]
    pub(crate) fn pack(self) -> u64 {
        self.at as u64 | u64::from(self.actor) << 32 | (self.status as u64) << 60
    }
}

/// Words at the beginning of a record.
pub(crate) const HEAD: usize = 6;
/// Words at the beginning of a frame.
pub(crate) const LINK: usize = 3;

/// An actor's flags.
pub(crate) mod flag {
    /// Created by another actor and not moved yet.
    pub(crate) const FRESH: u32 = 1;
    /// It will not be joined.
    pub(crate) const DETACHED: u32 = 2;
    /// Its wait timed out.
    pub(crate) const TIMED_OUT: u32 = 4;
    /// A message.
    pub(crate) const MESSAGE: u32 = 8;
    /// A handler.
    pub(crate) const HANDLER: u32 = 16;
    /// A handler that takes its messages in order.
    pub(crate) const FIFO: u32 = 32;
    /// A thread of C11, whose result is an int.
    pub(crate) const C11: u32 = 64;
    /// An event.
    pub(crate) const EVENT: u32 = 128;
    /// Behind a barrier that has become full.
    pub(crate) const SECOND: u32 = 256;
    /// A handler that begins as a thread.
    pub(crate) const QUEUE: u32 = 512;
}

/// The beginning of a record, unpacked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) pc: u32,
    /// Where the running function's frame begins, in words behind the beginning of the frames.
    pub(crate) frame: u32,
    pub(crate) heap_words: u32,
    pub(crate) blocks: u32,
    pub(crate) shared_words: u32,
    pub(crate) private_words: u32,
    /// What it waits for; what it returned, once it has ended.
    pub(crate) waits: u64,
    pub(crate) children: u32,
    pub(crate) flags: u32,
    pub(crate) function: u32,
    /// The handler of a message; of a handler the message that runs, plus 1.
    pub(crate) handler: u32,
}

#[inline]
fn low(word: u64) -> u32 {
    word as u32
}

#[inline]
fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

#[inline]
pub(crate) fn pair(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

impl Head {
    #[inline]
    pub(crate) fn read(words: &[u64], at: usize) -> Self {
        let head = &words[at..at + HEAD];
        Head {
            pc: low(head[0]),
            frame: high(head[0]),
            heap_words: low(head[1]),
            blocks: high(head[1]),
            shared_words: low(head[2]),
            private_words: high(head[2]),
            waits: head[3],
            children: low(head[4]),
            flags: high(head[4]),
            function: low(head[5]),
            handler: high(head[5]),
        }
    }

    #[inline]
    pub(crate) fn write(&self, words: &mut [u64], at: usize) {
        words[at..at + HEAD].copy_from_slice(&[
            pair(self.pc, self.frame),
            pair(self.heap_words, self.blocks),
            pair(self.shared_words, self.private_words),
            self.waits,
            pair(self.children, self.flags),
            pair(self.function, self.handler),
        ]);
    }

    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Where parts of the record begin, behind its own beginning.
    #[inline]
    pub(crate) fn blocks_at(&self) -> usize {
        HEAD
    }

    #[inline]
    pub(crate) fn heap_at(&self) -> usize {
        HEAD + self.blocks as usize
    }

    #[inline]
    pub(crate) fn shared_at(&self) -> usize {
        self.heap_at() + self.heap_words as usize
    }

    #[inline]
    pub(crate) fn private_at(&self) -> usize {
        self.shared_at() + self.shared_words as usize
    }

    #[inline]
    pub(crate) fn frames_at(&self) -> usize {
        self.private_at() + self.private_words as usize
    }
}

/// A block of the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// Where it is in the heap's space.
    pub(crate) place: u64,
    pub(crate) size: u64,
    pub(crate) is_alive: bool,
}

/// Blocks begin at multiples of this.
pub(crate) const BLOCK_ALIGN: u64 = 16;

impl Block {
    #[inline]
    pub(crate) fn unpack(word: u64) -> Self {
        Block { place: (word & 0x7fff_ffff) * BLOCK_ALIGN, size: word >> 32, is_alive: word >> 31 & 1 == 1 }
    }

    #[inline]
    pub(crate) fn pack(self) -> u64 {
        (self.place / BLOCK_ALIGN) | (u64::from(self.is_alive) << 31) | (self.size << 32)
    }

    /// Words that it takes.
    #[inline]
    pub(crate) fn words(self) -> usize {
        if self.is_alive { (self.size as usize).div_ceil(8) } else { 0 }
    }
}

/// Looking things up in the words of a state. `base` is where the word with the number of actors is.
#[derive(Clone, Copy)]
pub(crate) struct View<'w> {
    pub(crate) words: &'w [u64],
    pub(crate) base: usize,
}

/// Flags of the whole program, in the high half of the word with the number of actors.
pub(crate) const EXITED: u64 = 1 << 32;
/// Where the code stands with which the program ended.
pub(crate) const EXIT_CODE: u32 = 40;
/// A violation stopped an actor that is gone.
pub(crate) const STOPPED: u64 = 1 << 33;

impl<'w> View<'w> {
    #[inline]
    pub(crate) fn len(self) -> usize {
        low(self.words[self.base]) as usize
    }

    pub(crate) fn flags(self) -> u64 {
        self.words[self.base] & !u64::from(u32::MAX)
    }

    #[inline]
    pub(crate) fn entries(self) -> impl DoubleEndedIterator<Item = Entry> + 'w {
        self.words[self.base + 1..self.base + 1 + self.len()].iter().map(|&word| Entry::unpack(word))
    }

    #[inline]
    pub(crate) fn entry(self, index: usize) -> Entry {
        Entry::unpack(self.words[self.base + 1 + index])
    }

    /// Where an actor is in the directory; otherwise where it belongs.
    #[inline]
    pub(crate) fn find(self, actor: u32) -> Result<usize, usize> {
        let entries = &self.words[self.base + 1..self.base + 1 + self.len()];
        // Numbers are dense as long as all actors are threads that are still there.
        if let Some(&word) = entries.get(actor as usize)
            && Entry::unpack(word).actor == actor
        {
            return Ok(actor as usize);
        }
        entries.binary_search_by_key(&actor, |&word| Entry::unpack(word).actor)
    }

    #[inline]
    pub(crate) fn actor(self, actor: u32) -> Option<Entry> {
        self.find(actor).ok().map(|index| self.entry(index))
    }

    #[inline]
    pub(crate) fn head(self, entry: Entry) -> Head {
        Head::read(self.words, entry.at)
    }

    /// Where a record ends.
    pub(crate) fn end(self, index: usize) -> usize {
        if index + 1 < self.len() { self.entry(index + 1).at } else { self.words.len() }
    }
}
