//! Sets of small numbers: the bit set of this crate.
//!
//! [`Bits`] is a set that grows to hold its members. Where sets are stored in another form (side by side in a table, or
//! interned), the functions on words and slices of words are used: a set is a slice of words, with zeros behind its end.

use smallvec::SmallVec;

/// Where the words of a set are kept: beside it while they are few, which suits many small sets, or elsewhere.
pub(crate) trait Storage: Default + AsRef<[u64]> + AsMut<[u64]> + Extend<u64> {
    /// Makes the set longer, by zeros, or shorter.
    fn resize(&mut self, words: usize);
}

impl Storage for SmallVec<[u64; 4]> {
    fn resize(&mut self, words: usize) {
        SmallVec::resize(self, words, 0);
    }
}

impl Storage for Vec<u64> {
    #[inline]
    fn resize(&mut self, words: usize) {
        Vec::resize(self, words, 0);
    }
}

/// A set of small numbers.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct BitSet<W>(W);

/// A set that is small and often copied.
pub(crate) type Bits = BitSet<SmallVec<[u64; 4]>>;

/// A set of which there are few, and which is often asked.
pub(crate) type LongBits = BitSet<Vec<u64>>;

impl Clone for Bits {
    fn clone(&self) -> Self {
        // All words at once, where a derived clone would take one after the other.
        BitSet(SmallVec::from_slice(&self.0))
    }
}

impl<W: Storage> BitSet<W> {
    /// Adds a number; true if it is new.
    #[inline]
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1u64 << (number % 64));
        self.reach(word + 1);
        let new = self.0.as_ref()[word] & bit == 0;
        self.0.as_mut()[word] |= bit;
        new
    }

    /// Whether a number is in the set.
    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        contains(self.0.as_ref(), number)
    }

    /// Whether no number is.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.as_ref().iter().all(|&word| word == 0)
    }

    /// The set as words.
    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        self.0.as_ref()
    }

    /// How many numbers are.
    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Takes everything out and keeps the memory.
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.0.resize(0);
    }

    /// Adds what is in `more`.
    pub(crate) fn unite(&mut self, more: &Self) {
        self.unite_words(more.0.as_ref());
    }

    /// Adds what is in a set of words.
    pub(crate) fn unite_words(&mut self, more: &[u64]) {
        self.reach(more.len());
        self.0.as_mut().iter_mut().zip(more).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Adds what is in one word of a set.
    #[inline]
    pub(crate) fn unite_word(&mut self, index: usize, more: u64) {
        self.reach(index + 1);
        self.0.as_mut()[index] |= more;
    }

    /// Becomes the set of these two words.
    #[inline]
    pub(crate) fn assign_two(&mut self, words: [u64; 2]) {
        if self.0.as_ref().len() != 2 {
            self.0.resize(2);
        }
        self.0.as_mut().copy_from_slice(&words);
    }

    /// Becomes the set of these words.
    pub(crate) fn assign(&mut self, words: impl Iterator<Item = u64>) {
        self.0.resize(0);
        self.0.extend(words);
    }

    /// The numbers in the set.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        members(self.0.as_ref().iter().copied())
    }

    /// The smallest number in the set from `bound` on.
    pub(crate) fn first_from(&self, bound: u32) -> Option<u32> {
        let (words, mut index) = (self.0.as_ref(), bound as usize / 64);
        let mut word = self.word(index) & (!0 << (bound % 64));
        while word == 0 {
            index += 1;
            word = *words.get(index)?;
        }
        Some(index as u32 * 64 + word.trailing_zeros())
    }

    /// The largest number below `bound` that is in this set and not in `other`.
    pub(crate) fn last_without(&self, other: &Self, bound: u32) -> Option<u32> {
        let mut index = (bound as usize / 64).min(self.0.as_ref().len());
        let mut word = self.word(index) & !other.word(index) & ((1 << (bound % 64)) - 1);
        while word == 0 {
            index = index.checked_sub(1)?;
            word = self.0.as_ref()[index] & !other.word(index);
        }
        Some(index as u32 * 64 + 63 - word.leading_zeros())
    }

    /// One more than the largest number that can be in the set.
    pub(crate) fn bound(&self) -> u32 {
        self.0.as_ref().len() as u32 * 64
    }

    /// Takes a number out.
    pub(crate) fn remove(&mut self, number: u32) {
        if let Some(word) = self.0.as_mut().get_mut(number as usize / 64) {
            *word &= !(1u64 << (number % 64));
        }
    }

    /// Takes out what is in `other`.
    pub(crate) fn subtract(&mut self, other: &Self) {
        self.0.as_mut().iter_mut().zip(other.0.as_ref()).for_each(|(mine, theirs)| *mine &= !theirs);
    }

    /// Takes out what is not in `other`.
    pub(crate) fn intersect(&mut self, other: &Self) {
        self.0.resize(self.0.as_ref().len().min(other.0.as_ref().len()));
        self.0.as_mut().iter_mut().zip(other.0.as_ref()).for_each(|(mine, theirs)| *mine &= theirs);
    }

    /// Whether some number is in both sets.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.0.as_ref().iter().zip(other.0.as_ref()).any(|(mine, theirs)| mine & theirs != 0)
    }

    /// Whether everything here is in `other` too.
    pub(crate) fn is_within(&self, other: &Self) -> bool {
        self.0.as_ref().iter().enumerate().all(|(index, &mine)| mine & !other.word(index) == 0)
    }

    /// Whether everything that is here and in `filter` is in `other` too.
    pub(crate) fn meets_only_within(&self, filter: &Self, other: &Self) -> bool {
        let mut both = self.0.as_ref().iter().zip(filter.0.as_ref()).enumerate();
        both.all(|(index, (mine, theirs))| mine & theirs & !other.word(index) == 0)
    }

    /// One of its words.
    #[inline]
    pub(crate) fn word(&self, index: usize) -> u64 {
        word(self.0.as_ref(), index)
    }

    #[inline]
    fn reach(&mut self, words: usize) {
        if self.0.as_ref().len() < words {
            self.0.resize(words);
        }
    }
}

impl<W: Storage> Extend<u32> for BitSet<W> {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, numbers: I) {
        for number in numbers {
            self.insert(number);
        }
    }
}

/// A set of few numbers, which may be large: only words that are not 0 are kept, each with its index, in order.
#[derive(Debug, Default)]
pub(crate) struct SparseBits(SmallVec<[(u32, u64); 1]>);

impl SparseBits {
    /// Adds a number; true if it is new.
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let (index, bit) = (number / 64, 1u64 << (number % 64));
        match self.0.binary_search_by_key(&index, |word| word.0) {
            Ok(place) => {
                let word = &mut self.0[place].1;
                let new = *word & bit == 0;
                *word |= bit;
                new
            }
            Err(place) => {
                self.0.insert(place, (index, bit));
                true
            }
        }
    }

    /// The words that are not 0, in order.
    pub(crate) fn words(&self) -> impl Iterator<Item = (usize, u64)> + '_ {
        self.0.iter().map(|&(index, word)| (index as usize, word))
    }
}

/// A word of a set.
#[inline]
pub(crate) fn word(words: &[u64], index: usize) -> u64 {
    words.get(index).copied().unwrap_or(0)
}

/// Whether a number is in a set.
#[inline]
pub(crate) fn contains(words: &[u64], number: u32) -> bool {
    word(words, number as usize / 64) >> (number % 64) & 1 == 1
}

/// The members of a set.
#[inline]
pub(crate) fn members(words: impl Iterator<Item = u64>) -> impl Iterator<Item = u32> {
    words.enumerate().flat_map(|(index, word)| members_of_word(index, word))
}

/// The members of a set that one of its words holds.
#[inline]
pub(crate) fn members_of_word(index: usize, mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(index as u32 * 64 + bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(numbers: &[u32]) -> Bits {
        let mut bits = Bits::default();
        bits.extend(numbers.iter().copied());
        bits
    }

    #[test]
    fn a_sparse_set_has_the_words_that_are_not_0() {
        let mut set = SparseBits::default();
        assert!([700, 3, 701, 130].map(|number| set.insert(number)).into_iter().all(|new| new) && !set.insert(3));
        assert!(set.words().eq([(0, 8), (2, 4), (10, 3 << 60)]));
    }

    #[test]
    fn sets_behave_like_sets() {
        let mut set = bits(&[3, 200]);
        assert!(set.contains(200) && !set.contains(4) && !set.contains(5000));
        assert!(set.insert(70) && !set.insert(200));
        assert_eq!((set.words(), set.word(9)), (&[8, 1 << 6, 0, 1 << 8][..], 0));
        let mut both = bits(&[1]);
        both.unite(&set);
        assert_eq!(both.iter().collect::<Vec<_>>(), [1, 3, 70, 200]);
        assert_eq!(
            [256, 200, 70, 1].map(|bound| both.last_without(&bits(&[200]), bound)),
            [Some(70), Some(70), Some(3), None]
        );
        assert_eq!(
            [0, 2, 70, 71, 201].map(|bound| both.first_from(bound)),
            [Some(1), Some(3), Some(70), Some(200), None]
        );
        assert_eq!((both.bound(), both.last_without(&bits(&[]), 1000)), (256, Some(200)));
        assert!(set.meets(&bits(&[200])) && !set.meets(&bits(&[4, 201, 5000])));
        assert!(bits(&[3, 200]).is_within(&set) && !bits(&[3, 201]).is_within(&set) && !set.is_within(&bits(&[3])));
        assert!(set.meets_only_within(&bits(&[3, 4]), &bits(&[3])) && !set.meets_only_within(&set, &bits(&[3])));
        set.subtract(&bits(&[70, 71]));
        set.remove(5000);
        set.remove(3);
        assert_eq!(set.iter().collect::<Vec<_>>(), [200]);
        set.intersect(&bits(&[1]));
        assert_eq!(set.len(), 0);
        both.clear();
        both.unite_words(&[2]);
        assert!(!both.is_empty() && both.iter().eq([1]));
        both.assign([0, 1].into_iter());
        assert!(both.iter().eq([64]));
    }
}
