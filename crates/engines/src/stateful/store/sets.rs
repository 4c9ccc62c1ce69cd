//! Interned sets: equal sets are equal words.
//!
//! A set of numbers below 127 is its own two words. Larger ones are interned, and the words hold their number: where entries
//! are many, a search meets few different summaries, and each of them very often. What was computed of such a set is looked
//! up the next time; see [`Memo`]. No set is ever dropped: there are about as many as states at most.

use crate::shared::bits::LongBits;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// A set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::stateful) struct Set(pub(in crate::stateful) [u64; 2]);

/// The bit that says that a set is not small; the first word is its number then.
const LARGE: u64 = 1 << 63;

impl Set {
    pub(in crate::stateful) const EMPTY: Set = Set([0; 2]);

    /// Whether the words are not the set itself but its number.
    #[inline]
    pub(in crate::stateful) fn is_large(self) -> bool {
        self.0[1] & LARGE != 0
    }
}

/// The sets that are not small, one behind the other, each without zeros at its end.
pub(in crate::stateful) struct Sets {
    words: Vec<u64>,
    /// Where each set begins, and where the last one ends.
    starts: Vec<usize>,
    numbers: HashTable<usize>,
    unions: Memo<[Set; 2], Set>,
    scratch: LongBits,
}

fn hash(words: &[u64]) -> u64 {
    FxBuildHasher.hash_one(words)
}

fn words_of<'w>(words: &'w [u64], starts: &[usize], number: usize) -> &'w [u64] {
    &words[starts[number]..starts[number + 1]]
}

impl Sets {
    pub(in crate::stateful) fn new() -> Self {
        Sets {
            words: Vec::new(),
            starts: vec![0],
            numbers: HashTable::new(),
            unions: Memo::new(),
            scratch: LongBits::default(),
        }
    }

    /// The words of a set.
    #[inline]
    pub(in crate::stateful) fn words<'w>(&'w self, set: &'w Set) -> &'w [u64] {
        if set.is_large() { words_of(&self.words, &self.starts, set.0[0] as usize) } else { &set.0 }
    }

    /// The set with these words.
    pub(in crate::stateful) fn set(&mut self, set: &[u64]) -> Set {
        let len = set.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        match set[..len] {
            [] => Set::EMPTY,
            [only] => Set([only, 0]),
            [first, second] if second & LARGE == 0 => Set([first, second]),
            ref large => Set([self.number(large) as u64, LARGE]),
        }
    }

    fn number(&mut self, set: &[u64]) -> usize {
        let (hash_of_set, words, starts) = (hash(set), &self.words, &self.starts);
        if let Some(&known) = self.numbers.find(hash_of_set, |&number| words_of(words, starts, number) == set) {
            return known;
        }
        let next = self.starts.len() - 1;
        self.words.extend_from_slice(set);
        self.starts.push(self.words.len());
        let (words, starts) = (&self.words, &self.starts);
        self.numbers.insert_unique(hash_of_set, next, |&number| hash(words_of(words, starts, number)));
        next
    }

    /// The members of two sets.
    #[inline]
    pub(in crate::stateful) fn union(&mut self, one: Set, other: Set) -> Set {
        let either = Set([one.0[0] | other.0[0], one.0[1] | other.0[1]]);
        if either.is_large() { self.unite(one, other) } else { either }
    }

    fn unite(&mut self, one: Set, other: Set) -> Set {
        if self.includes(one, other) {
            return one;
        }
        if let Some(known) = self.unions.get([one, other]) {
            return known;
        }
        let union = self.collect([one, other]);
        self.unions.put([one, other], union);
        union
    }

    /// The members of three sets, which are probably not asked for again.
    pub(in crate::stateful) fn union_of_three(&mut self, one: Set, second: Set, third: Set) -> Set {
        if self.includes(one, second) && self.includes(one, third) { one } else { self.collect([one, second, third]) }
    }

    /// Whether a set has all members of another.
    #[inline]
    pub(in crate::stateful) fn includes(&self, one: Set, other: Set) -> bool {
        let (mine, theirs) = (self.words(&one), self.words(&other));
        one == other || theirs.len() <= mine.len() && mine.iter().zip(theirs).all(|(mine, theirs)| theirs & !mine == 0)
    }

    fn collect<const N: usize>(&mut self, sets: [Set; N]) -> Set {
        let mut all = std::mem::take(&mut self.scratch);
        all.clear();
        sets.iter().for_each(|set| all.unite_words(self.words(set)));
        let union = self.set(all.words());
        self.scratch = all;
        union
    }
}

/// Remembers what a function gave for recent arguments.
pub(in crate::stateful) struct Memo<K, V> {
    slots: Vec<Option<(K, V)>>,
    /// How often something was put here since the slots became more.
    puts: usize,
}

impl<K: Copy + Eq + Hash, V: Copy> Memo<K, V> {
    const FEWEST: usize = 1 << 6;
    const MOST: usize = 1 << 14;

    pub(in crate::stateful) fn new() -> Self {
        Memo { slots: Vec::new(), puts: 0 }
    }

    #[inline]
    fn slot(&self, key: K) -> usize {
        FxBuildHasher.hash_one(key) as usize & (self.slots.len() - 1)
    }

    #[inline]
    pub(in crate::stateful) fn get(&self, key: K) -> Option<V> {
        if self.slots.is_empty() {
            return None;
        }
        self.slots[self.slot(key)].filter(|&(known, _)| known == key).map(|(_, value)| value)
    }

    /// Remembers a value, perhaps instead of another one.
    pub(in crate::stateful) fn put(&mut self, key: K, value: V) {
        self.puts += 1;
        if self.slots.is_empty() {
            self.slots = vec![None; Self::FEWEST];
        } else if self.puts > self.slots.len() && self.slots.len() < Self::MOST {
            let larger = vec![None; 4 * self.slots.len()];
            let old = std::mem::replace(&mut self.slots, larger);
            self.puts = 0;
            for (key, value) in old.into_iter().flatten() {
                let slot = self.slot(key);
                self.slots[slot] = Some((key, value));
            }
        }
        let slot = self.slot(key);
        self.slots[slot] = Some((key, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_equal_values() {
        let mut sets = Sets::new();
        let [small, wide, high] = [&[6][..], &[1, 0, 4], &[0, LARGE | 1]].map(|words| sets.set(words));
        assert_eq!([small, wide, high].map(Set::is_large), [false, true, true]);
        assert_eq!((sets.set(&[6, 0, 0]), sets.set(&[0]), sets.set(&[])), (small, Set::EMPTY, Set::EMPTY));
        let both = sets.union(small, wide);
        assert_eq!((sets.words(&both), sets.words(&small)), (&[7, 0, 4][..], &[6, 0][..]));
        assert_eq!([sets.union(wide, small), sets.union(both, small), sets.set(&[7, 0, 4])], [both; 3]);
        assert_eq!([sets.union(Set::EMPTY, wide), sets.union(wide, Set::EMPTY)], [wide; 2]);
        let more = sets.set(&[1, 2]);
        assert_eq!((sets.union(small, more), sets.union(more, small)), (Set([7, 2]), Set([7, 2])));
        assert_eq!([sets.union_of_three(small, Set::EMPTY, wide), sets.union_of_three(both, wide, small)], [both; 2]);
        let most = sets.union(high, more);
        assert_eq!(sets.words(&most), [1, LARGE | 3]);
    }

    #[test]
    fn what_is_remembered_is_what_was_put() {
        let mut memo = Memo::new();
        assert_eq!(memo.get((0, 0)), None);
        for number in 0..100_000 {
            memo.put((number % 1000, number / 1000), number);
            assert_eq!(memo.get((number % 1000, number / 1000)), Some(number));
        }
        let kept = |number: u32| memo.get((number % 1000, number / 1000)).map(|value| (number, value));
        let kept: Vec<_> = (0..100_000).filter_map(kept).collect();
        assert!(kept.len() > Memo::<(u32, u32), u32>::MOST / 2 && kept.iter().all(|(number, value)| number == value));
    }
}
