//! The set of visited states, as fingerprints.
//!
//! Sixty-four tables, each searched by linear probing from the home slot of a fingerprint. That slot grows with the hash
//! that it is computed from, so a table is nearly sorted: when it grows, it is copied from one end
//! to the other and the cache never misses. That makes growth cheap enough to grow by little, and memory stays tight.
//!
//! One thread that has the set to itself adds states by [`VisitedSet::insert`]. Several threads add at the same time by
//! [`VisitedSet::claim`], without locks: a slot has two words, and whoever puts the first one into an empty slot has claimed
//! it. The tables do not grow meanwhile: room is made before ([`VisitedSet::make_room`]), and where it does not suffice,
//! the caller is told.
//!
//! The bits of a fingerprint are mixed, since a program may well number its states instead of hashing them, and 111 of
//! the mixed bits are kept. The others say for which [`Share`] of the work the state was claimed.

use mazurka_core::Fingerprint;
use std::hint;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// How many tables there are.
const SHARDS: usize = 1 << SHARD_BITS;
const SHARD_BITS: u32 = 6;

/// A fingerprint as it is kept: a hash, which says where it stands, and the rest. Neither is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    hash: u64,
    /// With zeros where a slot has a share, and a one in front of these, so that a slot that was filled is not 0.
    rest: u64,
}

/// A part of the work, by its number, round the end of the numbers.
pub(crate) type Share = u16;

impl From<Fingerprint> for Key {
    #[inline]
    fn from(Fingerprint(bits): Fingerprint) -> Self {
        let folded = |word: u64, factor: u64| {
            let product = u128::from(word) * u128::from(factor);
            (product >> 64) as u64 ^ product as u64
        };
        // Each step can be undone, so different fingerprints stay different.
        let (mut high, mut low) = ((bits >> 64) as u64, bits as u64);
        high ^= folded(low ^ 0x9E37_79B9_7F4A_7C15, 0xD6E8_FEB8_6659_FD93);
        low ^= folded(high ^ 0x2545_F491_4F6C_DD1D, 0x9E37_79B9_7F4A_7C15);
        Key { hash: high.max(1), rest: low << Share::BITS | 1 << Share::BITS }
    }
}

impl Key {
    /// A hash that is good in all its bits.
    pub(crate) fn hash(self) -> u64 {
        self.hash
    }

    /// Which shard it belongs to.
    fn shard(self) -> usize {
        (self.hash >> (u64::BITS - SHARD_BITS)) as usize
    }
}

/// Its home slot in a table of this capacity.
#[inline]
fn home(hash: u64, capacity: usize) -> usize {
    ((u128::from(hash << SHARD_BITS) * capacity as u128) >> 64) as usize
}

/// What came of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The state is new.
    New,
    /// It was claimed before, or is being claimed, for this share.
    Known(Share),
    /// It is not there, and there is no room for it now.
    NoRoom,
}

/// The states that were visited.
pub(crate) struct VisitedSet {
    shards: Vec<Shard>,
}

impl VisitedSet {
    /// The empty set.
    pub(crate) fn new() -> Self {
        VisitedSet { shards: (0..SHARDS).map(|_| Shard::new()).collect() }
    }

    /// Adds a state; true if it was not yet there.
    #[inline]
    pub(crate) fn insert(&mut self, key: Key) -> bool {
        self.shards[key.shard()].insert(key)
    }

    /// Adds a state while others may do the same.
    #[inline]
    pub(crate) fn claim(&self, key: Key, share: Share) -> Claim {
        self.shards[key.shard()].claim(key, share)
    }

    /// Takes note of states that were claimed.
    pub(crate) fn note_claimed(&mut self, keys: impl Iterator<Item = Key>) {
        keys.for_each(|key| self.shards[key.shard()].len += 1);
    }

    /// The tables that have to grow before this many states more are claimed.
    pub(crate) fn make_room(&mut self, more: usize) -> impl Iterator<Item = &mut Shard> {
        let each = more / SHARDS;
        self.shards.iter_mut().filter_map(move |shard| {
            shard.expected = shard.len + each;
            shard.is_crowded(shard.expected).then_some(shard)
        })
    }

    /// Reads the home slots of some keys. Nothing waits for the values, so the memory brings all of
    /// them at once; looked up one after the other, each key would wait for its own.
    #[inline]
    pub(crate) fn warm(&self, keys: impl Iterator<Item = Key>) {
        hint::black_box(keys.fold(0, |sum, key| sum ^ self.shards[key.shard()].at_home(key)));
    }
}

/// A place for a fingerprint. The words of an empty one are 0.
#[derive(Default)]
struct Slot {
    hash: AtomicU64,
    rest: AtomicU64,
}

impl Slot {
    fn hash(&mut self) -> u64 {
        *self.hash.get_mut()
    }

    /// What it holds beside the hash. Whoever claimed it is about to say so.
    #[inline]
    fn rest(&self) -> u64 {
        loop {
            match self.rest.load(Ordering::Acquire) {
                0 => thread::yield_now(),
                rest => return rest,
            }
        }
    }

    /// Whether the hash of a key stands here with the rest of the key, and for which share.
    #[inline]
    fn share_of(&self, key: Key) -> Option<Share> {
        let rest = self.rest();
        ((rest ^ key.rest) >> Share::BITS == 0).then_some(rest as Share)
    }
}

/// One table.
pub(crate) struct Shard {
    slots: Vec<Slot>,
    len: usize,
    /// This many states will have to have room.
    expected: usize,
}

const SMALLEST: usize = 8;

/// Where states are claimed, this many slots are looked at before it is said that there is no room.
const MOST_PROBES: usize = 1024;

fn empty_slots(capacity: usize) -> Vec<Slot> {
    (0..capacity).map(|_| Slot::default()).collect()
}

impl Shard {
    fn new() -> Self {
        Shard { slots: empty_slots(SMALLEST), len: 0, expected: 0 }
    }

    /// Full at 13/16: beyond that, a search for what is not there becomes long.
    fn is_crowded(&self, len: usize) -> bool {
        len * 16 >= self.slots.len() * 13
    }

    /// Adds a state of this shard; true if it was not yet there.
    #[inline]
    fn insert(&mut self, key: Key) -> bool {
        // First of all: where states were claimed, no slot may be empty.
        if self.is_crowded(self.len) {
            self.expected = self.len;
            self.grow();
        }
        let Some(free) = self.find(key) else { return false };
        self.slots[free] = Slot { hash: key.hash.into(), rest: key.rest.into() };
        self.len += 1;
        true
    }

    #[inline]
    fn claim(&self, key: Key, share: Share) -> Claim {
        let mut index = home(key.hash, self.slots.len());
        for _ in 0..MOST_PROBES.min(self.slots.len()) {
            let slot = &self.slots[index];
            let mut hash = slot.hash.load(Ordering::Acquire);
            if hash == 0 {
                match slot.hash.compare_exchange(0, key.hash, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => {
                        slot.rest.store(key.rest | u64::from(share), Ordering::Release);
                        return Claim::New;
                    }
                    Err(other) => hash = other,
                }
            }
            if hash == key.hash
                && let Some(share) = slot.share_of(key)
            {
                return Claim::Known(share);
            }
            index = if index + 1 == self.slots.len() { 0 } else { index + 1 };
        }
        Claim::NoRoom
    }

    /// What the home slot of the key holds.
    fn at_home(&self, key: Key) -> u64 {
        self.slots[home(key.hash, self.slots.len())].hash.load(Ordering::Relaxed)
    }

    /// The slot where the key would be put; `None` if it is there.
    #[inline]
    fn find(&self, key: Key) -> Option<usize> {
        let mut index = home(key.hash, self.slots.len());
        loop {
            match self.slots.get(index) {
                None => index = 0,
                Some(slot) => match slot.hash.load(Ordering::Relaxed) {
                    0 => return Some(index),
                    hash if hash == key.hash && slot.share_of(key).is_some() => return None,
                    _ => index += 1,
                },
            }
        }
    }

    /// Makes room for what is expected.
    pub(crate) fn grow(&mut self) {
        let mut larger = self.slots.len();
        while self.expected * 16 >= larger * 13 {
            larger = if larger < 1024 { larger * 2 } else { larger + larger / 3 };
        }
        let old = std::mem::replace(&mut self.slots, empty_slots(larger));
        for mut slot in old {
            let hash = slot.hash();
            if hash != 0 {
                let mut index = home(hash, larger);
                while self.slots[index].hash() != 0 {
                    index = if index + 1 == larger { 0 } else { index + 1 };
                }
                self.slots[index] = slot;
            }
        }
    }
}

/// Remembers recent states, each until another one takes its slot. Most states that are met again
/// are met again soon: two independent steps lead to one state in either order. This answers from the cache what would
/// else be looked for in memory.
pub(crate) struct Recent {
    slots: Vec<[u64; 2]>,
}

impl Recent {
    /// Few enough for the cache that is nearest but one.
    const SLOTS: usize = 1 << 12;

    /// Nothing was met yet.
    pub(crate) fn new() -> Self {
        Recent { slots: vec![[0; 2]; Recent::SLOTS] }
    }

    /// Whether a state was not met recently.
    #[inline]
    pub(crate) fn is_new(&mut self, key: Key) -> bool {
        let (slot, now) = (&mut self.slots[key.hash as usize % Recent::SLOTS], [key.hash, key.rest]);
        std::mem::replace(slot, now) != now
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// A small generator, so that the test is the same every time.
    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    fn agrees_with_a_hash_set(mut fingerprint: impl FnMut() -> u128) {
        let (mut ours, mut theirs) = (VisitedSet::new(), HashSet::new());
        let mut others = VisitedSet::new();
        for _ in 0..200_000 {
            let bits = fingerprint();
            let key = Key::from(Fingerprint(bits));
            ours.warm([key].into_iter());
            let is_new = theirs.insert(bits);
            assert_eq!(ours.insert(key), is_new);
            assert!(!ours.insert(key));
            // Shares are told apart, and where there is no room, it is made.
            let share = bits as Share;
            let mut claim = others.claim(key, share);
            if claim == Claim::NoRoom {
                others.make_room(10 * SHARDS).for_each(Shard::grow);
                claim = others.claim(key, share);
            }
            assert_eq!(claim == Claim::New, is_new);
            others.note_claimed([key].into_iter().filter(|_| is_new));
            assert!(is_new || matches!(claim, Claim::Known(_)));
        }
        assert!(theirs.iter().all(|&bits| {
            let key = Key::from(Fingerprint(bits));
            !ours.insert(key) && matches!(others.claim(key, 0), Claim::Known(_))
        }));
        for set in [ours, others] {
            assert_eq!(set.shards.iter().map(|shard| shard.len).sum::<usize>(), theirs.len());
        }
    }

    #[test]
    fn a_set_of_random_fingerprints_is_the_set_that_a_hash_set_is() {
        let mut seed = 42;
        agrees_with_a_hash_set(|| u128::from(random(&mut seed)) << 64 | u128::from(random(&mut seed) % 7));
        agrees_with_a_hash_set(|| u128::from(random(&mut seed) % 50_000));
    }

    #[test]
    fn what_is_remembered_was_met() {
        let (mut seed, mut seen, mut recent) = (7, HashSet::new(), Recent::new());
        let mut remembered = 0;
        for _ in 0..100_000 {
            let bits = u128::from(random(&mut seed) % 5_000);
            let new = recent.is_new(Key::from(Fingerprint(bits)));
            assert!(new || seen.contains(&bits));
            remembered += usize::from(!new);
            seen.insert(bits);
        }
        assert!(remembered > 10_000);
    }

    #[test]
    fn states_that_are_numbered_instead_of_hashed_are_spread_too() {
        let mut set = VisitedSet::new();
        for number in 0..100_000u128 {
            assert!(set.insert(Key::from(Fingerprint(number))));
        }
        for shard in &set.shards {
            assert!((1_000..2_200).contains(&shard.len), "{} of 100000 states are in one shard", shard.len);
        }
    }
}
