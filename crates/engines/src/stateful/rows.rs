//! Sets of small numbers, as rows of words.

/// Sets of small numbers, all with the same number of words.
#[derive(Debug)]
pub(super) struct Rows {
    width: usize,
    words: Vec<u64>,
}

impl Default for Rows {
    fn default() -> Self {
        Rows { width: 1, words: Vec::new() }
    }
}

impl Rows {
    /// How many sets there are.
    pub(super) fn len(&self) -> usize {
        self.words.len() / self.width
    }

    /// Adds an empty set.
    pub(super) fn push(&mut self) {
        self.words.resize(self.words.len() + self.width, 0);
    }

    /// A set.
    #[inline]
    pub(super) fn row(&self, index: usize) -> &[u64] {
        &self.words[index * self.width..][..self.width]
    }

    /// Adds a number to a set.
    pub(super) fn insert(&mut self, index: usize, number: u32) {
        self.widen(words_for(number));
        self.words[index * self.width + number as usize / 64] |= 1 << (number % 64);
    }

    /// Gives every set at least so many words.
    pub(super) fn widen(&mut self, width: usize) {
        if width > self.width {
            let width = grown(self.width, width);
            self.words = self.words.chunks(self.width).flat_map(|row| padded(row, width)).collect();
            self.width = width;
        }
    }
}

/// How wide sets become that are to have at least so many words. Each of them is copied, so wide ones grow by more than
/// they must.
fn grown(width: usize, least: usize) -> usize {
    if least <= width { width } else { least.max(width + width / 4) }
}

/// A row with zeros behind it.
fn padded(row: &[u64], width: usize) -> impl Iterator<Item = u64> {
    row.iter().copied().chain(std::iter::repeat_n(0, width - row.len()))
}

/// How many words a set needs to hold a number.
pub(super) fn words_for(number: u32) -> usize {
    number as usize / 64 + 1
}

/// A word of a set, which has zeros behind its end.
#[inline]
pub(super) fn word(row: &[u64], index: usize) -> u64 {
    row.get(index).copied().unwrap_or(0)
}

/// Whether a number is in a set.
#[inline]
pub(super) fn contains(row: &[u64], number: u32) -> bool {
    word(row, number as usize / 64) >> (number % 64) & 1 == 1
}

/// Adds a number to a set that grows to hold it.
pub(super) fn insert(row: &mut Vec<u64>, number: u32) {
    if row.len() < words_for(number) {
        row.resize(words_for(number), 0);
    }
    row[number as usize / 64] |= 1 << (number % 64);
}

/// Takes a number out of a set.
pub(super) fn remove(row: &mut [u64], number: u32) {
    if let Some(word) = row.get_mut(number as usize / 64) {
        *word &= !(1 << (number % 64));
    }
}

/// Adds the members of another set to a set that grows to hold them.
pub(super) fn join(row: &mut Vec<u64>, other: &[u64]) {
    if row.len() < other.len() {
        row.resize(other.len(), 0);
    }
    row.iter_mut().zip(other).for_each(|(mine, theirs)| *mine |= theirs);
}

/// The members of a set.
#[inline]
pub(super) fn members(words: impl Iterator<Item = u64>) -> impl Iterator<Item = u32> {
    words.enumerate().flat_map(|(index, word)| members_of_word(index, word))
}

/// The members of a set that stand in one of its words.
#[inline]
pub(super) fn members_of_word(index: usize, mut word: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros())?;
        word &= word - 1;
        Some(index as u32 * 64 + bit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_keep_their_numbers_as_they_widen() {
        let mut rows = Rows::default();
        rows.push();
        rows.push();
        rows.insert(0, 3);
        rows.insert(1, 200);
        rows.insert(0, 64);
        let listed = |index| members(rows.row(index).iter().copied()).collect::<Vec<_>>();
        assert_eq!((listed(0), listed(1), rows.len()), (vec![3, 64], vec![200], 2));
        assert!(contains(rows.row(1), 200) && !contains(rows.row(1), 4) && !contains(rows.row(1), 5000));
        let mut grown = Vec::new();
        insert(&mut grown, 130);
        assert_eq!(grown, [0, 0, 4]);
        join(&mut grown, &[3]);
        remove(&mut grown, 130);
        remove(&mut grown, 5000);
        assert_eq!(grown, [3, 0, 0]);
    }
}
