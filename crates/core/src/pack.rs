//! Rows of words as bytes: what differs from another row.
//!
//! States that wait for a search are mostly like the ones before them: a step changes few words. So of a row only the
//! words are kept that differ from those of the row before, each as the distance from the word that differed last and
//! the difference of the values, both in as many bytes as they need.
//!
//! ```text
//! row     = change* end
//! change  = distance from the word after the last change, plus one, times two, plus `high`;  difference
//! end     = 0: the row is as long as the other one  |  1, length
//! ```
//!
//! Numbers have seven bits in a byte, the lowest first, and the highest bit says that more follow. A difference that is
//! negative is folded between those that are not. `high` says that the lowest [`HIGH`] bits do not differ and are left
//! out: where a word holds more than one number, a change of the upper one is as short as one of the lower one.

/// How many bits are left out of a difference that has none of them.
const HIGH: u32 = 38;

/// A word of a row.
pub trait Word: Copy + Eq + Default {
    /// How far this is beyond another one, round the end of the numbers where that is needed.
    fn beyond(self, other: Self) -> i64;

    /// What is so far beyond this.
    fn onwards(self, by: i64) -> Self;
}

macro_rules! word {
    ($($word:ty, $signed:ty);*) => {$(
        impl Word for $word {
            #[inline]
            fn beyond(self, other: Self) -> i64 {
                self.wrapping_sub(other) as $signed as i64
            }

            #[inline]
            fn onwards(self, by: i64) -> Self {
                self.wrapping_add(by as $word)
            }
        }
    )*};
}

word!(i64, i64; u64, i64; u32, i32; u16, i16);

/// Appends a number, seven bits to the byte.
#[inline]
pub fn write_number(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

/// Takes a number from the front. `None` if there is none.
#[inline]
pub fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// How many words are compared at once: most are as they were.
const AT_ONCE: usize = 8;

/// Appends a row as its differences from the row before; a row that is longer differs from zeros there.
pub fn pack_row<W: Word>(row: &[W], before: &[W], into: &mut Vec<u8>) {
    let (both, mut next) = (row.len().min(before.len()), 0);
    let (row_of_both, before_of_both) = (&row[..both], &before[..both]);
    for (chunk, (words, others)) in row_of_both.chunks(AT_ONCE).zip(before_of_both.chunks(AT_ONCE)).enumerate() {
        if words != others {
            for (index, (&word, &before)) in words.iter().zip(others).enumerate() {
                if word != before {
                    next = pack_word(chunk * AT_ONCE + index, word, before, next, into);
                }
            }
        }
    }
    for (index, &word) in row.iter().enumerate().skip(both) {
        if word != W::default() {
            next = pack_word(index, word, W::default(), next, into);
        }
    }
    if row.len() == before.len() {
        into.push(0);
    } else {
        into.push(1);
        write_number(row.len() as u64, into);
    }
}

/// Appends a word that differs, where `next` is the index behind the last one that does. Returns the index behind this one.
fn pack_word<W: Word>(index: usize, word: W, before: W, next: usize, into: &mut Vec<u8>) -> usize {
    let difference = word.beyond(before);
    let high = difference.trailing_zeros() >= HIGH;
    let difference = if high { difference >> HIGH } else { difference };
    write_number((index - next + 1) as u64 * 2 + u64::from(high), into);
    write_number(((difference << 1) ^ (difference >> 63)) as u64, into);
    index + 1
}

/// Makes the row before the packed row, and takes that from the front of the bytes. `None` if that is no packed row of at
/// most this many words; what has become of the row then is not said.
pub fn unpack_row<W: Word>(bytes: &mut &[u8], row: &mut Vec<W>, most: usize) -> Option<()> {
    let mut next = 0usize;
    loop {
        match read_number(bytes)? {
            0 => return Some(()),
            1 => {
                let length = usize::try_from(read_number(bytes)?).ok().filter(|&length| length <= most)?;
                row.resize(length, W::default());
                return Some(());
            }
            code => {
                let index = next.checked_add(usize::try_from(code / 2 - 1).ok()?)?;
                if index >= row.len() {
                    if index >= most {
                        return None;
                    }
                    row.resize(index + 1, W::default());
                }
                let folded = read_number(bytes)?;
                let difference = (folded >> 1) as i64 ^ -((folded & 1) as i64);
                let difference = if code & 1 == 1 { difference << HIGH } else { difference };
                row[index] = row[index].onwards(difference);
                next = index + 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    fn comes_back<W: Word + std::fmt::Debug>(rows: &[Vec<W>]) -> usize {
        let (mut bytes, mut before) = (Vec::new(), Vec::new());
        for row in rows {
            pack_row(row, &before, &mut bytes);
            before.clone_from(row);
        }
        let (mut rest, mut row) = (&bytes[..], Vec::<W>::new());
        for expected in rows {
            assert_eq!(unpack_row(&mut rest, &mut row, 1000), Some(()));
            assert_eq!(&row, expected);
        }
        assert!(rest.is_empty());
        bytes.len()
    }

    #[test]
    fn rows_come_back() {
        let mut random = Random::new(5);
        for _ in 0..200 {
            let mut row = vec![0i64; random.below(20)];
            let mut rows = Vec::new();
            for _ in 0..20 {
                for _ in 0..random.below(4) {
                    if !row.is_empty() {
                        let at = random.below(row.len());
                        let any = random.word() as i64;
                        row[at] = [row[at].wrapping_add(1), any, i64::MIN, i64::MAX, any << 39][random.below(5)];
                    }
                }
                if random.below(8) == 0 {
                    row.resize(random.below(30), 7);
                }
                rows.push(row.clone());
            }
            comes_back(&rows);
            comes_back(
                &rows.iter().map(|row| row.iter().map(|&word| word as u32).collect()).collect::<Vec<Vec<u32>>>(),
            );
            comes_back(
                &rows.iter().map(|row| row.iter().map(|&word| word as u16).collect()).collect::<Vec<Vec<u16>>>(),
            );
            comes_back(
                &rows.iter().map(|row| row.iter().map(|&word| word as u64).collect()).collect::<Vec<Vec<u64>>>(),
            );
        }
    }

    #[test]
    fn what_changes_little_is_short() {
        let mut row = vec![1i64 << 50 | 9; 100];
        let first = row.clone();
        row[3] += 1;
        row[60] -= 2 << 39;
        let alone = comes_back(std::slice::from_ref(&first));
        assert_eq!(comes_back(&[first, row]) - alone, 2 + 2 + 1);
    }

    #[test]
    fn bytes_that_are_no_row_are_refused() {
        let mut random = Random::new(6);
        for _ in 0..20_000 {
            let bytes: Vec<u8> = (0..random.below(12)).map(|_| random.below(256) as u8).collect();
            let mut row = vec![0i64; 3];
            let _ = unpack_row(&mut &bytes[..], &mut row, 50);
            assert!(row.len() <= 50);
        }
        assert_eq!(unpack_row(&mut &[][..], &mut vec![0u32], 9), None);
        assert_eq!(unpack_row(&mut &[0xFF; 11][..], &mut vec![0u32], 9), None);
        assert_eq!(unpack_row(&mut &[1, 10][..], &mut vec![0u32], 9), None);
    }
}
