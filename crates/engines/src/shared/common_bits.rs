//! Sets of numbers that share what they have in common.
//!
//! A long execution has a set for each of its events, and the set of an event is mostly that of another one with a few
//! numbers more. As rows of bits, such sets would take memory that grows with the square of the execution. Here a set whose
//! numbers are all small is a row of bits ([`Bits`]), and any other one is a tree: a leaf has the bits of 1024 numbers, a
//! branch has sixteen children, and all leaves are equally deep. A copy of a set is a pointer to the same tree. What changes in a
//! copy is the path to one leaf; all the rest stays shared. Where two sets share a subtree, what is asked of both is
//! answered without looking into it.

use super::bits::{Bits, members, members_of_word};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// How many words a leaf has, and how many children a branch.
const FAN: usize = 16;
/// How many numbers a leaf has room for. A set of numbers below this is a row of bits.
const LEAF: u32 = FAN as u32 * 64;

/// A part of a set that has the same numbers of bits for its place as any other at its level.
#[derive(Clone)]
pub(crate) enum Tree {
    Leaf([u64; FAN]),
    Branch { len: u32, children: [Option<Rc<Tree>>; FAN] },
}

type Link = Option<Rc<Tree>>;

/// A set of numbers.
#[derive(Clone)]
pub(crate) enum CommonBits {
    /// The numbers below `LEAF`, if there are no others.
    Few(Bits),
    /// A tree with this many levels of branches.
    Many { height: u32, root: Rc<Tree> },
}

impl Default for CommonBits {
    fn default() -> Self {
        CommonBits::Few(Bits::default())
    }
}

/// How many words a tree of this height has room for.
fn room(height: u32) -> usize {
    FAN.pow(height + 1)
}

/// How many numbers it has room for.
fn numbers(height: u32) -> u32 {
    u32::try_from(room(height) * 64).unwrap_or(u32::MAX)
}

/// Whether two links lead to one part.
fn is_same(one: &Link, other: &Link) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Rc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}

impl Tree {
    /// A part without numbers that has this many levels of branches.
    fn empty(height: u32) -> Tree {
        if height == 0 { Tree::Leaf([0; FAN]) } else { Tree::Branch { len: 0, children: Default::default() } }
    }

    fn branch(children: [Link; FAN]) -> Tree {
        Tree::Branch { len: children.iter().flatten().map(|child| child.len()).sum(), children }
    }

    fn len(&self) -> u32 {
        match self {
            Tree::Leaf(words) => words.iter().map(|word| word.count_ones()).sum(),
            Tree::Branch { len, .. } => *len,
        }
    }

    fn word(&self, height: u32, index: usize) -> u64 {
        match self {
            Tree::Leaf(words) => words[index],
            Tree::Branch { children, .. } => {
                let below = room(height - 1);
                children[index / below].as_ref().map_or(0, |child| child.word(height - 1, index % below))
            }
        }
    }

    /// Changes a word, and says whether that made a difference.
    fn change(&mut self, height: u32, index: usize, change: &impl Fn(u64) -> u64) -> bool {
        match self {
            Tree::Leaf(words) => {
                let before = words[index];
                words[index] = change(before);
                words[index] != before
            }
            Tree::Branch { len, children } => {
                let below = room(height - 1);
                let child = children[index / below].get_or_insert_with(|| Rc::new(Tree::empty(height - 1)));
                let before = child.len();
                let has_changed = Rc::make_mut(child).change(height - 1, index % below, change);
                *len = *len - before + child.len();
                has_changed
            }
        }
    }
}

/// The two parts together.
fn unite(one: &Rc<Tree>, other: &Rc<Tree>) -> Rc<Tree> {
    if Rc::ptr_eq(one, other) {
        return Rc::clone(one);
    }
    match (&**one, &**other) {
        (Tree::Leaf(mine), Tree::Leaf(theirs)) => {
            let both: [u64; FAN] = std::array::from_fn(|index| mine[index] | theirs[index]);
            if both == *mine {
                Rc::clone(one)
            } else if both == *theirs {
                Rc::clone(other)
            } else {
                Rc::new(Tree::Leaf(both))
            }
        }
        (Tree::Branch { children: mine, .. }, Tree::Branch { children: theirs, .. }) => {
            let both: [Link; FAN] = std::array::from_fn(|index| match (&mine[index], &theirs[index]) {
                (Some(mine), Some(theirs)) => Some(unite(mine, theirs)),
                (mine, theirs) => mine.as_ref().or(theirs.as_ref()).cloned(),
            });
            let is = |whole: &[Link; FAN]| both.iter().zip(whole).all(|(both, whole)| is_same(both, whole));
            if is(mine) {
                Rc::clone(one)
            } else if is(theirs) {
                Rc::clone(other)
            } else {
                Rc::new(Tree::branch(both))
            }
        }
        _ => unreachable!("the trees are equally high"),
    }
}

/// What is left of a part: what another one has not (`keeps` is false), or has.
fn sift(one: &Link, other: &Link, keeps: bool) -> Link {
    let (Some(mine), Some(theirs)) = (one, other) else { return if keeps { None } else { one.clone() } };
    if Rc::ptr_eq(mine, theirs) {
        return if keeps { one.clone() } else { None };
    }
    match (&**mine, &**theirs) {
        (Tree::Leaf(words), Tree::Leaf(others)) => {
            let mask = if keeps { 0 } else { u64::MAX };
            let left: [u64; FAN] = std::array::from_fn(|index| words[index] & (others[index] ^ mask));
            if left == *words { one.clone() } else { (left != [0; FAN]).then(|| Rc::new(Tree::Leaf(left))) }
        }
        (Tree::Branch { children, .. }, Tree::Branch { children: others, .. }) => {
            let left: [Link; FAN] = std::array::from_fn(|index| sift(&children[index], &others[index], keeps));
            if left.iter().zip(children).all(|(left, whole)| is_same(left, whole)) {
                one.clone()
            } else {
                left.iter().any(Option::is_some).then(|| Rc::new(Tree::branch(left)))
            }
        }
        _ => unreachable!("the trees are equally high"),
    }
}

/// Whether everything that is in both of the first two parts is in the third. `None` for `filter` stands for everything.
fn is_covered(one: &Link, filter: Option<&Link>, other: &Link) -> bool {
    let Some(mine) = one else { return true };
    if filter.is_some_and(|filter| filter.is_none() || is_same(filter, other)) || is_same(one, other) {
        return true;
    }
    match &**mine {
        Tree::Leaf(words) => (0..FAN).all(|index| {
            let of = |link: &Link| link.as_ref().map_or(0, |node| node.word(0, index));
            words[index] & filter.map_or(u64::MAX, of) & !of(other) == 0
        }),
        Tree::Branch { children, .. } => children.iter().enumerate().all(|(index, child)| {
            let below = |link: &Link| child_of(link, index);
            is_covered(child, filter.map(below).as_ref(), &below(other))
        }),
    }
}

fn child_of(link: &Link, index: usize) -> Link {
    match link.as_deref() {
        Some(Tree::Branch { children, .. }) => children[index].clone(),
        _ => None,
    }
}

/// The first word from `from` on that has a number which the other part has not, and where.
fn next_word(one: &Link, other: &Link, height: u32, from: usize) -> Option<(usize, u64)> {
    let mine = one.as_deref()?;
    if is_same(one, other) {
        return None;
    }
    match mine {
        Tree::Leaf(words) => (from..FAN).find_map(|index| {
            let left = words[index] & !other.as_ref().map_or(0, |other| other.word(0, index));
            (left != 0).then_some((index, left))
        }),
        Tree::Branch { children, .. } => {
            let below = room(height - 1);
            (from / below..FAN).find_map(|child| {
                let from = from.saturating_sub(child * below);
                let (index, word) = next_word(&children[child], &child_of(other, child), height - 1, from)?;
                Some((child * below + index, word))
            })
        }
    }
}

/// The largest number below `bound` that the other part has not.
fn last_number(one: &Link, other: &Link, height: u32, bound: u32) -> Option<u32> {
    let mine = one.as_deref()?;
    if is_same(one, other) || bound == 0 {
        return None;
    }
    match mine {
        Tree::Leaf(words) => (0..=(bound as usize - 1) / 64).rev().find_map(|index| {
            let mut left = words[index] & !other.as_ref().map_or(0, |other| other.word(0, index));
            if bound < (index as u32 + 1) * 64 {
                left &= (1 << (bound % 64)) - 1;
            }
            (left != 0).then(|| index as u32 * 64 + 63 - left.leading_zeros())
        }),
        Tree::Branch { children, .. } => {
            let below = numbers(height - 1);
            (0..=(bound - 1) / below).rev().find_map(|child| {
                let bound = (bound - child * below).min(below);
                let (mine, theirs) = (&children[child as usize], child_of(other, child as usize));
                Some(child * below + last_number(mine, &theirs, height - 1, bound)?)
            })
        }
    }
}

impl CommonBits {
    /// The set as a tree of at least this height.
    fn tree(&self, least: u32) -> (u32, Rc<Tree>) {
        let (mut height, mut root) = match self {
            CommonBits::Many { height, root } => (*height, Rc::clone(root)),
            CommonBits::Few(bits) => (0, Rc::new(Tree::Leaf(std::array::from_fn(|index| bits.word(index))))),
        };
        while height < least {
            let mut children: [Link; FAN] = Default::default();
            children[0] = Some(root);
            (height, root) = (height + 1, Rc::new(Tree::branch(children)));
        }
        (height, root)
    }

    fn height(&self) -> u32 {
        match self {
            CommonBits::Few(_) => 0,
            CommonBits::Many { height, .. } => *height,
        }
    }

    /// Three sets as trees of one height.
    fn level(&self, others: [&Self; 2]) -> (u32, [Link; 3]) {
        let height = others.iter().map(|other| other.height()).fold(self.height(), u32::max);
        (height, [self, others[0], others[1]].map(|set| Some(set.tree(height).1)))
    }

    fn word(&self, index: usize) -> u64 {
        match self {
            CommonBits::Few(bits) => bits.word(index),
            CommonBits::Many { height, root } if index < room(*height) => root.word(*height, index),
            CommonBits::Many { .. } => 0,
        }
    }

    /// Adds a number; true if it is new.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        if let CommonBits::Few(bits) = self
            && number < LEAF
        {
            return bits.insert(number);
        }
        let index = number as usize / 64;
        let (mut height, mut root) = match std::mem::take(self) {
            CommonBits::Many { height, root } => (height, root),
            few => few.tree(0),
        };
        while index >= room(height) {
            (height, root) = CommonBits::Many { height, root }.tree(height + 1);
        }
        let is_new = Rc::make_mut(&mut root).change(height, index, &|word| word | 1 << (number % 64));
        *self = CommonBits::Many { height, root };
        is_new
    }

    /// Takes a number out.
    pub(crate) fn remove(&mut self, number: u32) {
        match self {
            CommonBits::Few(bits) => bits.remove(number),
            CommonBits::Many { height, root } => {
                if (number as usize / 64) < room(*height) && root.word(*height, number as usize / 64) != 0 {
                    let without = |word| word & !(1 << (number % 64));
                    Rc::make_mut(root).change(*height, number as usize / 64, &without);
                }
            }
        }
    }

    /// Whether a number is in the set.
    pub(crate) fn contains(&self, number: u32) -> bool {
        self.word(number as usize / 64) >> (number % 64) & 1 == 1
    }

    /// How many numbers are.
    pub(crate) fn len(&self) -> usize {
        match self {
            CommonBits::Few(bits) => bits.len(),
            CommonBits::Many { root, .. } => root.len() as usize,
        }
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) {
        match self {
            CommonBits::Few(bits) => bits.clear(),
            CommonBits::Many { .. } => *self = CommonBits::default(),
        }
    }

    /// The numbers in the set.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.except(None)
    }

    /// The numbers that are in this set and not in `other`.
    pub(crate) fn without<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = u32> + 'a {
        self.except(Some(other))
    }

    fn except<'a>(&'a self, other: Option<&'a Self>) -> impl Iterator<Item = u32> + 'a {
        let few = match self {
            CommonBits::Few(bits) => Some(bits.words()),
            CommonBits::Many { .. } => None,
        };
        let left = move |(index, &word): (usize, &u64)| word & !other.map_or(0, |other| other.word(index));
        let few = few.map(|words| members(words.iter().enumerate().map(left)));
        let many = few.is_none().then(|| {
            let height = self.height().max(other.map_or(0, CommonBits::height));
            let (mine, theirs) = (Some(self.tree(height).1), other.map(|other| other.tree(height).1));
            let mut from = 0;
            let words = std::iter::from_fn(move || {
                let (index, word) = (from < room(height)).then(|| next_word(&mine, &theirs, height, from))??;
                from = index + 1;
                Some((index, word))
            });
            words.flat_map(|(index, word)| members_of_word(index, word))
        });
        few.into_iter().flatten().chain(many.into_iter().flatten())
    }

    /// The largest number below `bound` that is in this set and not in `other`.
    pub(crate) fn last_without(&self, other: &Self, bound: u32) -> Option<u32> {
        if let (CommonBits::Few(mine), CommonBits::Few(theirs)) = (self, other) {
            return mine.last_without(theirs, bound);
        }
        let (height, [mine, theirs, _]) = self.level([other, other]);
        last_number(&mine, &theirs, height, bound.min(numbers(height)))
    }

    /// One more than the largest number that can be in the set.
    pub(crate) fn bound(&self) -> u32 {
        match self {
            CommonBits::Few(bits) => bits.bound(),
            CommonBits::Many { height, .. } => numbers(*height),
        }
    }

    /// Adds what is in `more`.
    pub(crate) fn unite(&mut self, more: &Self) {
        if let (CommonBits::Few(mine), CommonBits::Few(theirs)) = (&mut *self, more) {
            return mine.unite(theirs);
        }
        if matches!(self, CommonBits::Few(mine) if mine.is_empty()) {
            self.clone_from(more);
            return;
        }
        let (height, [mine, theirs, _]) = self.level([more, more]);
        if let (Some(mine), Some(theirs)) = (mine, theirs) {
            *self = CommonBits::Many { height, root: unite(&mine, &theirs) };
        }
    }

    /// Takes out what is in `other`.
    pub(crate) fn subtract(&mut self, other: &Self) {
        self.sift(other, false);
    }

    /// Takes out what is not in `other`.
    pub(crate) fn intersect(&mut self, other: &Self) {
        self.sift(other, true);
    }

    fn sift(&mut self, other: &Self, keeps: bool) {
        match (&mut *self, other) {
            (CommonBits::Few(mine), CommonBits::Few(theirs)) if keeps => mine.intersect(theirs),
            (CommonBits::Few(mine), CommonBits::Few(theirs)) => mine.subtract(theirs),
            _ => {
                let (height, [mine, theirs, _]) = self.level([other, other]);
                let left = sift(&mine, &theirs, keeps);
                *self = left.map_or_else(CommonBits::default, |root| CommonBits::Many { height, root });
            }
        }
    }

    /// Whether some number is in both sets.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        if let (CommonBits::Few(mine), CommonBits::Few(theirs)) = (self, other) {
            return mine.meets(theirs);
        }
        !self.meets_only_within(other, &CommonBits::default())
    }

    /// Whether everything here is in `other` too.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        if let (CommonBits::Few(mine), CommonBits::Few(theirs)) = (self, other) {
            return mine.is_within(theirs);
        }
        let (_, [mine, theirs, _]) = self.level([other, other]);
        is_covered(&mine, None, &theirs)
    }

    /// Whether everything that is here and in `filter` is in `other` too.
    pub(crate) fn meets_only_within(&self, filter: &Self, other: &Self) -> bool {
        if let (CommonBits::Few(mine), CommonBits::Few(filter), CommonBits::Few(theirs)) = (self, filter, other) {
            return mine.meets_only_within(filter, theirs);
        }
        let (_, [mine, filter, theirs]) = self.level([filter, other]);
        is_covered(&mine, Some(&filter), &theirs)
    }
}

impl PartialEq for CommonBits {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.is_within(other)
    }
}

impl Eq for CommonBits {}

impl Hash for CommonBits {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.iter().for_each(|number| hasher.write_u32(number));
    }
}

impl std::fmt::Debug for CommonBits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl FromIterator<u32> for CommonBits {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Self {
        let mut set = CommonBits::default();
        set.extend(numbers);
        set
    }
}

impl Extend<u32> for CommonBits {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, numbers: I) {
        for number in numbers {
            self.insert(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::Random;
    use std::collections::BTreeSet;

    /// Two accounts of one set.
    #[derive(Clone, Default)]
    struct Both(CommonBits, BTreeSet<u32>);

    #[test]
    fn sets_that_share_behave_like_sets() {
        let mut random = Random::new(3);
        let mut sets = vec![Both::default(); 12];
        for _ in 0..20_000 {
            let other = sets[random.below(sets.len())].clone();
            let third = sets[random.below(sets.len())].clone();
            let place = random.below(sets.len());
            let Both(mine, theirs) = &mut sets[place];
            let range = [40, 1_000, 1_100, 20_000, 300_000][random.below(5)];
            let number = random.below(range) as u32;
            match random.below(12) {
                0..4 => assert_eq!(mine.insert(number), theirs.insert(number)),
                4 => {
                    mine.remove(number);
                    theirs.remove(&number);
                }
                5 => {
                    mine.unite(&other.0);
                    theirs.extend(&other.1);
                }
                6 => {
                    mine.subtract(&other.0);
                    theirs.retain(|number| !other.1.contains(number));
                }
                7 => {
                    mine.intersect(&other.0);
                    theirs.retain(|number| other.1.contains(number));
                }
                8 => (*mine, *theirs) = (other.0.clone(), other.1.clone()),
                9 if random.percent(5) => {
                    mine.clear();
                    theirs.clear();
                }
                _ => {}
            }
            assert_eq!((mine.len(), mine.contains(number)), (theirs.len(), theirs.contains(&number)));
            assert!(mine.iter().eq(theirs.iter().copied()) && theirs.last().is_none_or(|&last| last < mine.bound()));
            assert!(mine.without(&other.0).eq(theirs.difference(&other.1).copied()));
            let below = theirs.difference(&other.1).copied().filter(|&member| member < number).last();
            assert_eq!(mine.last_without(&other.0, number), below);
            assert_eq!(mine.meets(&other.0), !theirs.is_disjoint(&other.1));
            assert_eq!((mine.is_within(&other.0), *mine == other.0), (theirs.is_subset(&other.1), *theirs == other.1));
            let common: BTreeSet<u32> = theirs.intersection(&other.1).copied().collect();
            assert_eq!(mine.meets_only_within(&other.0, &third.0), common.is_subset(&third.1));
        }
    }

    #[test]
    fn a_row_of_growing_sets_takes_memory_that_grows_with_their_number() {
        // Every part of every set, each counted once.
        fn count(node: &Rc<Tree>, seen: &mut BTreeSet<usize>) {
            if seen.insert(Rc::as_ptr(node) as usize)
                && let Tree::Branch { children, .. } = &**node
            {
                children.iter().flatten().for_each(|child| count(child, seen));
            }
        }
        let parts = |many: u32| {
            let (mut set, mut seen) = (CommonBits::default(), BTreeSet::new());
            let mut row = Vec::new();
            for number in 0..many {
                set.insert(number);
                row.push(set.clone());
            }
            row.iter().for_each(|set| {
                if let CommonBits::Many { root, .. } = set {
                    count(root, &mut seen);
                }
            });
            seen.len() as u32
        };
        assert!(parts(4_000) < 3 * 4_000 && parts(40_000) < 4 * 40_000);
    }
}
