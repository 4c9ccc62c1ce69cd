//! Interned sets: equal sets are equal words, and sets share what they have in common.
//!
//! A set of numbers below 127 is its own two words. A larger one is a tree: a leaf has the bits of 512 numbers, a branch has
//! sixteen children, and all leaves are equally deep. Each part of a tree is kept once, so that equal parts have one
//! number, and the words of a set are the number of its root and its height. Summaries along a path mostly have the entries of
//! the summary behind and a few more: what is new of such a set is one leaf and the branches above it, and a long path takes
//! memory that grows with its length. Where two sets share a part, what is asked of both is answered without
//! looking into it.
//!
//! Where entries are many, a search meets few different summaries, and each of them very often. What was computed of such a
//! set is looked up the next time; see [`Memo`]. No set is ever dropped: there are about as many as states at most.

use crate::shared::bits::members_of_word;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// A set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(in crate::stateful) struct Set(pub(in crate::stateful) [u64; 2]);

/// The bit that says that a set is not small; the first word is the number of its root then, and the second has its height.
const LARGE: u64 = 1 << 63;

impl Set {
    pub(in crate::stateful) const EMPTY: Set = Set([0; 2]);

    /// Whether the words are not the set itself but its number.
    #[inline]
    pub(in crate::stateful) fn is_large(self) -> bool {
        self.0[1] & LARGE != 0
    }

    fn height(self) -> u32 {
        if self.is_large() { (self.0[1] & !LARGE) as u32 } else { 0 }
    }
}

/// How many words a leaf has.
const WORDS: usize = 8;
/// How many children a branch has.
const FAN: usize = 16;

type Leaf = [u64; WORDS];
/// The numbers of parts. The part without members is 0 at each height.
type Children = [u32; FAN];

/// How many words a part of this height has room for.
#[inline]
fn room(height: u32) -> usize {
    WORDS * FAN.pow(height)
}

/// Values, each kept once, by their numbers.
struct Interned<T> {
    values: Vec<T>,
    numbers: HashTable<u32>,
}

impl<T: Copy + Eq + Hash> Interned<T> {
    /// The value with the number 0.
    fn with(zero: T) -> Self {
        let mut all = Interned { values: Vec::new(), numbers: HashTable::new() };
        all.number(zero);
        all
    }

    fn number(&mut self, value: T) -> u32 {
        let (hash, values) = (FxBuildHasher.hash_one(value), &mut self.values);
        if let Some(&known) = self.numbers.find(hash, |&number| values[number as usize] == value) {
            return known;
        }
        let next = values.len() as u32;
        values.push(value);
        self.numbers.insert_unique(hash, next, |&number| FxBuildHasher.hash_one(values[number as usize]));
        next
    }
}

/// A part of a set, to be looked into.
#[derive(Clone, Copy)]
enum Subtree<'s> {
    Empty,
    /// A small set, or a leaf.
    Words(&'s [u64]),
    Branch {
        number: u32,
        height: u32,
    },
}

impl Subtree<'_> {
    fn height(self) -> u32 {
        if let Subtree::Branch { height, .. } = self { height } else { 0 }
    }
}

/// The parts of the sets that are not small.
pub(in crate::stateful) struct Sets {
    leaves: Interned<Leaf>,
    branches: Interned<Children>,
    unions: Memo<[Set; 2], Set>,
}

impl Sets {
    pub(in crate::stateful) fn new() -> Self {
        let (leaves, branches) = (Interned::with([0; WORDS]), Interned::with([0; FAN]));
        Sets { leaves, branches, unions: Memo::new() }
    }

    fn part(&self, number: u32, height: u32) -> Subtree<'_> {
        match (number, height) {
            (0, _) => Subtree::Empty,
            (_, 0) => Subtree::Words(&self.leaves.values[number as usize]),
            _ => Subtree::Branch { number, height },
        }
    }

    #[inline]
    fn whole<'s>(&'s self, set: &'s Set) -> Subtree<'s> {
        if set.is_large() { self.part(set.0[0] as u32, set.height()) } else { Subtree::Words(&set.0) }
    }

    /// What a part has below one child of a branch of this height.
    #[inline]
    fn below<'s>(&'s self, part: Subtree<'s>, height: u32, child: usize) -> Subtree<'s> {
        match part {
            Subtree::Branch { number, height: own } if own == height => {
                self.part(self.branches.values[number as usize][child], height - 1)
            }
            lower if child == 0 => lower,
            _ => Subtree::Empty,
        }
    }

    /// The set with these words.
    pub(in crate::stateful) fn set(&mut self, words: &[u64]) -> Set {
        let len = words.iter().rposition(|&word| word != 0).map_or(0, |last| last + 1);
        match words[..len] {
            [] => return Set::EMPTY,
            [only] => return Set([only, 0]),
            [first, second] if second & LARGE == 0 => return Set([first, second]),
            _ => {}
        }
        let mut height = 0;
        while room(height) < len {
            height += 1;
        }
        let root = self.part_of(&words[..len], height);
        Set([root.into(), LARGE | u64::from(height)])
    }

    /// The part with these words, which it has room for.
    fn part_of(&mut self, words: &[u64], height: u32) -> u32 {
        if words.iter().all(|&word| word == 0) {
            return 0;
        }
        if height == 0 {
            let mut leaf = [0; WORDS];
            leaf[..words.len()].copy_from_slice(words);
            return self.leaves.number(leaf);
        }
        let mut children = [0; FAN];
        for (child, words) in children.iter_mut().zip(words.chunks(room(height - 1))) {
            *child = self.part_of(words, height - 1);
        }
        self.branches.number(children)
    }

    /// The root of a set as one of this height, which is not less than its own.
    fn raised(&mut self, set: Set, height: u32) -> u32 {
        let mut root = if set.is_large() { set.0[0] as u32 } else { self.part_of(&set.0, 0) };
        for _ in set.height()..height {
            root = if root == 0 {
                0
            } else {
                self.branches.number(std::array::from_fn(|child| if child == 0 { root } else { 0 }))
            };
        }
        root
    }

    /// The set with this root.
    fn lowered(&self, mut root: u32, mut height: u32) -> Set {
        while height > 0 && self.branches.values[root as usize][1..].iter().all(|&child| child == 0) {
            (root, height) = (self.branches.values[root as usize][0], height - 1);
        }
        if height == 0 {
            let leaf = &self.leaves.values[root as usize];
            if leaf[2..].iter().all(|&word| word == 0) && leaf[1] & LARGE == 0 {
                return Set([leaf[0], leaf[1]]);
            }
        }
        Set([root.into(), LARGE | u64::from(height)])
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
        let height = one.height().max(other.height());
        let [mine, theirs] = [one, other].map(|set| self.raised(set, height));
        let root = self.unite_parts(mine, theirs, height);
        let union = self.lowered(root, height);
        self.unions.put([one, other], union);
        union
    }

    fn unite_parts(&mut self, one: u32, other: u32, height: u32) -> u32 {
        if one == other || other == 0 {
            return one;
        }
        if one == 0 {
            return other;
        }
        if height == 0 {
            let [mine, theirs] = [one, other].map(|part| self.leaves.values[part as usize]);
            let both: Leaf = std::array::from_fn(|index| mine[index] | theirs[index]);
            return if both == mine { one } else { self.leaves.number(both) };
        }
        let [mine, theirs] = [one, other].map(|part| self.branches.values[part as usize]);
        let both: Children = std::array::from_fn(|child| self.unite_parts(mine[child], theirs[child], height - 1));
        if both == mine { one } else { self.branches.number(both) }
    }

    /// What two sets have in common.
    pub(in crate::stateful) fn intersection(&mut self, one: Set, other: Set) -> Set {
        if !one.is_large() || !other.is_large() {
            let [mine, theirs] = [one, other].map(|set| [self.word(&set, 0), self.word(&set, 1)]);
            let both = [mine[0] & theirs[0], mine[1] & theirs[1]];
            return self.set(&both);
        }
        if one == other {
            return one;
        }
        let height = one.height().max(other.height());
        let [mine, theirs] = [one, other].map(|set| self.raised(set, height));
        let root = self.intersect_parts(mine, theirs, height);
        self.lowered(root, height)
    }

    fn intersect_parts(&mut self, one: u32, other: u32, height: u32) -> u32 {
        if one == other || one == 0 {
            return one;
        }
        if other == 0 {
            return 0;
        }
        if height == 0 {
            let [mine, theirs] = [one, other].map(|part| self.leaves.values[part as usize]);
            let both: Leaf = std::array::from_fn(|index| mine[index] & theirs[index]);
            return if both == mine { one } else { self.leaves.number(both) };
        }
        let [mine, theirs] = [one, other].map(|part| self.branches.values[part as usize]);
        let both: Children = std::array::from_fn(|child| self.intersect_parts(mine[child], theirs[child], height - 1));
        if both == mine { one } else { self.branches.number(both) }
    }

    /// The set in which some numbers are members and others are not; each number is told once, and in order.
    pub(in crate::stateful) fn edited(&mut self, set: Set, edits: &[(u32, bool)]) -> Set {
        let Some(&(most, _)) = edits.last() else { return set };
        if !set.is_large() && most < 127 {
            let Set(mut words) = set;
            for &(number, is_member) in edits {
                let (index, bit) = (number as usize / 64, 1 << (number % 64));
                words[index] = if is_member { words[index] | bit } else { words[index] & !bit };
            }
            return Set(words);
        }
        let mut height = set.height();
        while room(height) * 64 <= most as usize {
            height += 1;
        }
        let root = self.raised(set, height);
        let root = self.edit_part(root, height, 0, edits);
        self.lowered(root, height)
    }

    /// The same of a part, the first word of which is this one of the set.
    fn edit_part(&mut self, part: u32, height: u32, first: usize, mut edits: &[(u32, bool)]) -> u32 {
        if height == 0 {
            let mut leaf = self.leaves.values[part as usize];
            for &(number, is_member) in edits {
                let (word, bit) = (&mut leaf[number as usize / 64 - first], 1 << (number % 64));
                *word = if is_member { *word | bit } else { *word & !bit };
            }
            return self.leaves.number(leaf);
        }
        let (mut children, each) = (self.branches.values[part as usize], room(height - 1));
        while let Some(&(number, _)) = edits.first() {
            let child = (number as usize / 64 - first) / each;
            let next = first + (child + 1) * each;
            let (here, others) = edits.split_at(edits.partition_point(|edit| (edit.0 as usize / 64) < next));
            children[child] = self.edit_part(children[child], height - 1, next - each, here);
            edits = others;
        }
        self.branches.number(children)
    }

    /// The set and some numbers more, which are told in order.
    pub(in crate::stateful) fn with(&mut self, set: Set, numbers: impl Iterator<Item = u32>) -> Set {
        let edits: Vec<(u32, bool)> = numbers.map(|number| (number, true)).collect();
        self.edited(set, &edits)
    }

    /// Whether a set has all members of another.
    #[inline]
    pub(in crate::stateful) fn includes(&self, one: Set, other: Set) -> bool {
        one == other || self.no_word_without(other, one, |_, _| true)
    }

    /// Whether a number is a member.
    #[inline]
    pub(in crate::stateful) fn contains(&self, set: &Set, number: u32) -> bool {
        self.word(set, number as usize / 64) >> (number % 64) & 1 == 1
    }

    /// A word of a set.
    #[inline]
    pub(in crate::stateful) fn word(&self, set: &Set, index: usize) -> u64 {
        if set.is_large() { self.word_of_large(set, index) } else { set.0.get(index).copied().unwrap_or(0) }
    }

    fn word_of_large(&self, set: &Set, index: usize) -> u64 {
        let mut part = self.whole(set);
        while let Subtree::Branch { height, .. } = part {
            if index >= room(height) {
                return 0;
            }
            part = self.below(part, height, index % room(height) / room(height - 1));
        }
        match part {
            Subtree::Words(words) if index < room(set.height()) => words.get(index % WORDS).copied().unwrap_or(0),
            _ => 0,
        }
    }

    /// The words of a set that are not 0, in order.
    pub(in crate::stateful) fn words(&self, set: Set) -> impl Iterator<Item = (usize, u64)> + '_ {
        let mut from = 0;
        std::iter::from_fn(move || {
            let (index, word) = self.next_word(self.whole(&set), from)?;
            from = index + 1;
            Some((index, word))
        })
    }

    fn next_word(&self, part: Subtree<'_>, from: usize) -> Option<(usize, u64)> {
        match part {
            Subtree::Empty => None,
            Subtree::Words(words) => {
                let found = |&index: &usize| words[index] != 0;
                (from..words.len()).find(found).map(|index| (index, words[index]))
            }
            Subtree::Branch { height, .. } => {
                let each = room(height - 1);
                (from / each..FAN).find_map(|child| {
                    let first = child * each;
                    let below = self.below(part, height, child);
                    let (index, word) = self.next_word(below, from.saturating_sub(first))?;
                    Some((first + index, word))
                })
            }
        }
    }

    /// The members of a set, in order.
    #[inline]
    pub(in crate::stateful) fn members(&self, set: Set) -> impl Iterator<Item = u32> + '_ {
        let (small, large) = if set.is_large() { ([0; 2], Some(set)) } else { (set.0, None) };
        let of_large = large.into_iter().flat_map(|set| self.words(set));
        let of_large = of_large.flat_map(|(index, word)| members_of_word(index, word));
        members_of_word(0, small[0]).chain(members_of_word(1, small[1])).chain(of_large)
    }

    /// Whether there is no word, of what one set has and another has not, for which something holds.
    #[inline]
    pub(in crate::stateful) fn no_word_without(
        &self,
        set: Set,
        other: Set,
        mut holds: impl FnMut(usize, u64) -> bool,
    ) -> bool {
        self.no_word_of_part(self.whole(&set), self.whole(&other), 0, &mut holds)
    }

    fn no_word_of_part(
        &self,
        part: Subtree<'_>,
        other: Subtree<'_>,
        first: usize,
        holds: &mut impl FnMut(usize, u64) -> bool,
    ) -> bool {
        let height = part.height().max(other.height());
        match (part, other) {
            (Subtree::Empty, _) => true,
            (Subtree::Branch { number: mine, height: own }, Subtree::Branch { number: theirs, height: others })
                if (mine, own) == (theirs, others) =>
            {
                true
            }
            (Subtree::Words(mine), _) if height == 0 => {
                let theirs = if let Subtree::Words(theirs) = other { theirs } else { &[] };
                mine.iter().enumerate().all(|(index, &word)| {
                    let left = word & !theirs.get(index).copied().unwrap_or(0);
                    left == 0 || !holds(first + index, left)
                })
            }
            _ => (0..FAN).all(|child| {
                let [mine, theirs] = [part, other].map(|part| self.below(part, height, child));
                self.no_word_of_part(mine, theirs, first + child * room(height - 1), holds)
            }),
        }
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
    use mazurka_core::Random;
    use std::collections::BTreeSet;

    fn of(sets: &mut Sets, numbers: &BTreeSet<u32>) -> Set {
        sets.with(Set::EMPTY, numbers.iter().copied())
    }

    #[test]
    fn equal_sets_are_equal_values() {
        let mut sets = Sets::new();
        let [small, wide, high] = [&[6][..], &[1, 0, 4], &[0, LARGE | 1]].map(|words| sets.set(words));
        assert_eq!([small, wide, high].map(Set::is_large), [false, true, true]);
        assert_eq!((sets.set(&[6, 0, 0]), sets.set(&[0]), sets.set(&[])), (small, Set::EMPTY, Set::EMPTY));
        let both = sets.union(small, wide);
        assert!(sets.words(both).eq([(0, 7), (2, 4)]) && sets.words(small).eq([(0, 6)]));
        assert_eq!([sets.union(wide, small), sets.union(both, small), sets.set(&[7, 0, 4])], [both; 3]);
        assert_eq!([sets.union(Set::EMPTY, wide), sets.union(wide, Set::EMPTY)], [wide; 2]);
        let more = sets.set(&[1, 2]);
        assert_eq!((sets.union(small, more), sets.union(more, small)), (Set([7, 2]), Set([7, 2])));
        let most = sets.union(high, more);
        assert!(sets.words(most).eq([(0, 1), (1, LARGE | 3)]));
    }

    #[test]
    fn sets_are_what_other_sets_are() {
        let (mut sets, mut random) = (Sets::new(), Random::new(3));
        let mut known = vec![(Set::EMPTY, BTreeSet::new())];
        for _ in 0..4_000 {
            let mut any = || known[random.below(known.len())].clone();
            let ((one, mine), (other, theirs)) = (any(), any());
            let range = [5, 130, 600, 9_000, 200_000][random.below(5)];
            let numbers: BTreeSet<u32> = (0..random.below(6)).map(|_| random.below(range) as u32).collect();
            let (new, expected): (Set, BTreeSet<u32>) = match random.below(4) {
                0 => (sets.union(one, other), mine.union(&theirs).copied().collect()),
                1 => (sets.intersection(one, other), mine.intersection(&theirs).copied().collect()),
                2 => (sets.with(one, numbers.iter().copied()), mine.union(&numbers).copied().collect()),
                _ => {
                    let some = mine.iter().copied().filter(|_| random.percent(50)).collect::<BTreeSet<_>>();
                    let numbers: BTreeSet<u32> = numbers.difference(&some).copied().collect();
                    let removed = some.iter().map(|&number| (number, false));
                    let mut edits: Vec<_> = removed.chain(numbers.iter().map(|&number| (number, true))).collect();
                    edits.sort_unstable();
                    let left = mine.difference(&some).copied().chain(numbers.iter().copied()).collect();
                    (sets.edited(one, &edits), left)
                }
            };
            assert!(sets.members(new).eq(expected.iter().copied()));
            assert_eq!(new, of(&mut sets, &expected));
            let mut words = vec![0; expected.last().map_or(0, |&last| last as usize / 64 + 1)];
            expected.iter().for_each(|number| words[*number as usize / 64] |= 1 << (number % 64));
            assert_eq!(new, sets.set(&words));
            assert_eq!(sets.includes(one, other), mine.is_superset(&theirs));
            assert_eq!(one == other, mine == theirs);
            let probe = random.below(range) as u32;
            assert_eq!(sets.contains(&new, probe), expected.contains(&probe));
            let mut without = BTreeSet::new();
            assert!(sets.no_word_without(one, other, |index, word| {
                without.extend(members_of_word(index, word));
                false
            }));
            assert!(without.iter().eq(mine.difference(&theirs)));
            assert_eq!(sets.no_word_without(one, other, |_, _| true), without.is_empty());
            if expected.len() < 3_000 {
                known.push((new, expected));
            }
        }
    }

    #[test]
    fn a_row_of_growing_sets_takes_memory_that_grows_with_their_number() {
        let parts = |many: u32| {
            let (mut sets, mut set) = (Sets::new(), Set::EMPTY);
            for number in (0..many).rev() {
                let own = sets.with(Set::EMPTY, [number].into_iter());
                set = sets.union(set, own);
            }
            sets.leaves.values.len() + sets.branches.values.len()
        };
        assert!(parts(4_000) < 5 * 4_000 && parts(40_000) < 9 * 40_000);
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
