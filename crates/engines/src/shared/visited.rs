//! The set of visited states, as fingerprints.
//!
//! Sixty-four tables, each searched by linear probing from the home slot of a fingerprint. That slot grows with the hash
//! that it is computed from, so a table is nearly sorted: when it grows, it is copied from one end
//! to the other and the cache never misses. That makes growth cheap enough to grow by little, and memory stays tight.
//! Different threads may add to different shards at the same time.

use mazurka_core::Fingerprint;

/// How many tables there are.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;
const SHARD_BITS: u32 = 6;

/// A fingerprint, and the hash that says where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    bits: u128,
    hash: u64,
}

impl From<Fingerprint> for Key {
    /// The bits of a fingerprint are mixed once more: a program may well number its states instead of hashing them.
    fn from(Fingerprint(bits): Fingerprint) -> Self {
        let (high, low) = ((bits >> 64) as u64, bits as u64);
        let product = u128::from(low ^ 0x9E37_79B9_7F4A_7C15) * u128::from(high ^ 0xD6E8_FEB8_6659_FD93);
        let folded = (product >> 64) as u64 ^ product as u64;
        Key { bits, hash: folded.wrapping_mul(0x2545_F491_4F6C_DD1D) }
    }
}

impl Key {
    /// A hash that is good in all its bits.
    pub(crate) fn hash(self) -> u64 {
        self.hash
    }

    /// Which shard it belongs to.
    pub(crate) fn shard(self) -> usize {
        (self.hash >> (u64::BITS - SHARD_BITS)) as usize
    }

    /// Its home slot in a table of this capacity.
    fn home(self, capacity: usize) -> usize {
        ((u128::from(self.hash << SHARD_BITS) * capacity as u128) >> 64) as usize
    }
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

    /// Whether a state was visited.
    pub(crate) fn contains(&self, key: Key) -> bool {
        self.shards[key.shard()].contains(key)
    }

    /// Adds a state; true if it was not yet there.
    pub(crate) fn insert(&mut self, key: Key) -> bool {
        self.shards[key.shard()].insert(key)
    }

    /// The tables, in the order of [`Key::shard`].
    pub(crate) fn shards_mut(&mut self) -> &mut [Shard] {
        &mut self.shards
    }

    /// Reads the home slots of some keys. Nothing waits for the values, so the memory brings all of
    /// them at once; looked up one after the other, each key would wait for its own.
    pub(crate) fn warm(&self, keys: impl Iterator<Item = Key>) {
        std::hint::black_box(keys.fold(0, |sum, key| sum ^ self.shards[key.shard()].at_home(key)));
    }
}

/// One table. An empty slot holds 0, so the fingerprint 0 stands beside the table.
pub(crate) struct Shard {
    slots: Vec<u128>,
    len: usize,
    zero: bool,
}

const SMALLEST: usize = 8;

impl Shard {
    fn new() -> Self {
        Shard { slots: vec![0; SMALLEST], len: 0, zero: false }
    }

    fn contains(&self, key: Key) -> bool {
        if key.bits == 0 { self.zero } else { self.find(key).is_none() }
    }

    /// Adds a state of this shard; true if it was not yet there.
    pub(crate) fn insert(&mut self, key: Key) -> bool {
        if key.bits == 0 {
            return !std::mem::replace(&mut self.zero, true);
        }
        let Some(mut free) = self.find(key) else { return false };
        // Full at 13/16: beyond that, a search for what is not there becomes long.
        if self.len * 16 >= self.slots.len() * 13 {
            self.grow();
            free = self.find(key).unwrap_or(free);
        }
        self.slots[free] = key.bits;
        self.len += 1;
        true
    }

    /// Does for one shard what [`VisitedSet::warm`] does for all.
    pub(crate) fn warm(&self, keys: impl Iterator<Item = Key>) {
        std::hint::black_box(keys.fold(0, |sum, key| sum ^ self.at_home(key)));
    }

    /// What the home slot of the key holds.
    fn at_home(&self, key: Key) -> u64 {
        self.slots[key.home(self.slots.len())] as u64
    }

    /// The slot where the key would be put; `None` if it is there.
    #[inline]
    fn find(&self, key: Key) -> Option<usize> {
        let mut index = key.home(self.slots.len());
        loop {
            match self.slots.get(index) {
                Some(0) => return Some(index),
                Some(&held) if held == key.bits => return None,
                Some(_) => index += 1,
                None => index = 0,
            }
        }
    }

    fn grow(&mut self) {
        let capacity = self.slots.len();
        let larger = if capacity < 1024 { capacity * 2 } else { capacity + capacity / 3 };
        let old = std::mem::replace(&mut self.slots, vec![0; larger]);
        for bits in old.into_iter().filter(|&bits| bits != 0) {
            if let Some(free) = self.find(Key::from(Fingerprint(bits))) {
                self.slots[free] = bits;
            }
        }
    }
}

/// Remembers recent states, each until another one takes its slot. Most states that are met again
/// are met again soon: two independent steps lead to one state in either order. This answers from the cache what would
/// else be looked for in memory.
pub(crate) struct Recent {
    slots: Vec<u128>,
}

impl Recent {
    /// Few enough for the cache that is nearest but one.
    const SLOTS: usize = 1 << 12;

    /// Nothing was met yet.
    pub(crate) fn new() -> Self {
        Recent { slots: vec![0; Recent::SLOTS] }
    }

    /// Whether a state was not met recently.
    #[inline]
    pub(crate) fn is_new(&mut self, key: Key) -> bool {
        let slot = &mut self.slots[key.hash as usize % Recent::SLOTS];
        (std::mem::replace(slot, key.bits) != key.bits) | (key.bits == 0)
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
        for _ in 0..200_000 {
            let bits = fingerprint();
            let key = Key::from(Fingerprint(bits));
            assert_eq!(ours.contains(key), theirs.contains(&bits));
            ours.warm([key].into_iter());
            assert_eq!(ours.insert(key), theirs.insert(bits));
            assert!(ours.contains(key));
        }
        assert!(theirs.iter().all(|&bits| ours.contains(Key::from(Fingerprint(bits)))));
        let zero = usize::from(theirs.contains(&0));
        assert_eq!(ours.shards.iter().map(|shard| shard.len).sum::<usize>() + zero, theirs.len());
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
        for shard in set.shards_mut() {
            assert!((1_000..2_200).contains(&shard.len), "{} of 100000 states are in one shard", shard.len);
        }
    }
}
