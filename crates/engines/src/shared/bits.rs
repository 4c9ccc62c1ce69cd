//! Sets of small numbers: the bit set of this crate.
//!
//! [`Bits`] is a set that grows to hold its members. Where sets are stored in another form (side by side in a table, or
//! interned), the functions on words and slices of words are used: a set is a slice of words, with zeros behind its end.

use smallvec::SmallVec;

/// A set of small numbers.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Bits(SmallVec<[u64; 4]>);

impl Clone for Bits {
    fn clone(&self) -> Self {
        // All words at once, where a derived clone would take one after the other.
        Bits(SmallVec::from_slice(&self.0))
    }
}

impl Bits {
    /// Adds a number; true if it is new.
    #[inline]
    pub(crate) fn insert(&mut self, number: u32) -> bool {
        let (word, bit) = (number as usize / 64, 1u64 << (number % 64));
        self.reach(word + 1);
        let new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        new
    }

    /// Whether a number is in the set.
    #[inline]
    pub(crate) fn contains(&self, number: u32) -> bool {
        contains(&self.0, number)
    }

    /// Whether no number is.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// The set as words.
    #[inline]
    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    /// How many numbers are.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Takes everything out and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// The numbers that are in this set and not in `other`.
    pub(crate) fn without<'a>(&'a self, other: &'a Bits) -> impl Iterator<Item = u32> + 'a {
        members(self.0.iter().enumerate().map(|(index, &word)| word & !other.word(index)))
    }

    /// Adds what is in `more`.
    pub(crate) fn unite(&mut self, more: &Bits) {
        self.unite_words(&more.0);
    }

    /// Adds what is in a set of words.
    pub(crate) fn unite_words(&mut self, more: &[u64]) {
        self.reach(more.len());
        self.0.iter_mut().zip(more).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Becomes the set of these words.
    pub(crate) fn assign(&mut self, words: impl Iterator<Item = u64>) {
        self.0.clear();
        self.0.extend(words);
    }

    /// The numbers in the set.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        members(self.0.iter().copied())
    }

    /// The largest number below `bound` that is in this set and not in `other`.
    pub(crate) fn last_without(&self, other: &Bits, bound: u32) -> Option<u32> {
        let mut index = (bound as usize / 64).min(self.0.len());
        let mut word = self.word(index) & !other.word(index) & ((1 << (bound % 64)) - 1);
        while word == 0 {
            index = index.checked_sub(1)?;
            word = self.0[index] & !other.word(index);
        }
        Some(index as u32 * 64 + 63 - word.leading_zeros())
    }

    /// One more than the largest number that can be in the set.
    pub(crate) fn bound(&self) -> u32 {
        self.0.len() as u32 * 64
    }

    /// Takes a number out.
    pub(crate) fn remove(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word &= !(1u64 << (number % 64));
        }
    }

    /// Takes out what is in `other`.
    pub(crate) fn subtract(&mut self, other: &Bits) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= !theirs);
    }

    /// Takes out what is not in `other`.
    pub(crate) fn intersect(&mut self, other: &Bits) {
        self.0.truncate(other.0.len());
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine &= theirs);
    }

    /// Whether some number is in both sets.
    pub(crate) fn meets(&self, other: &Bits) -> bool {
        self.0.iter().zip(&other.0).any(|(mine, theirs)| mine & theirs != 0)
    }

    /// Whether everything here is in `other` too.
    pub(crate) fn is_within(&self, other: &Bits) -> bool {
        self.0.iter().enumerate().all(|(index, &mine)| mine & !other.word(index) == 0)
    }

    /// Whether everything that is here and in `filter` is in `other` too.
    pub(crate) fn meets_only_within(&self, filter: &Bits, other: &Bits) -> bool {
        let mut both = self.0.iter().zip(&filter.0).enumerate();
        both.all(|(index, (mine, theirs))| mine & theirs & !other.word(index) == 0)
    }

    /// One of its words.
    #[inline]
    pub(crate) fn word(&self, index: usize) -> u64 {
        word(&self.0, index)
    }

    fn reach(&mut self, words: usize) {
        if self.0.len() < words {
            self.0.resize(words, 0);
        }
    }
}

impl Extend<u32> for Bits {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, numbers: I) {
        for number in numbers {
            self.insert(number);
        }
    }
}

/// How many words a set needs to hold a number.
pub(crate) fn words_for(number: u32) -> usize {
    number as usize / 64 + 1
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
    fn sets_behave_like_sets() {
        let mut set = bits(&[3, 200]);
        assert!(set.contains(200) && !set.contains(4) && !set.contains(5000));
        assert!(set.insert(70) && !set.insert(200));
        assert_eq!((set.words(), set.word(9), words_for(70)), (&[8, 1 << 6, 0, 1 << 8][..], 0, 2));
        let mut both = bits(&[1]);
        both.unite(&set);
        assert_eq!(both.iter().collect::<Vec<_>>(), [1, 3, 70, 200]);
        assert_eq!(
            [256, 200, 70, 1].map(|bound| both.last_without(&bits(&[200]), bound)),
            [Some(70), Some(70), Some(3), None]
        );
        assert_eq!((both.bound(), both.last_without(&bits(&[]), 1000)), (256, Some(200)));
        assert_eq!(set.without(&bits(&[70])).collect::<Vec<_>>(), [3, 200]);
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
