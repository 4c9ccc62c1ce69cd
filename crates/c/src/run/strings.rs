//! Functions on texts and memory.

use super::{Done, Run, crash};
use crate::library::Routine as R;

impl Run<'_> {
    pub(super) fn text_routine(&mut self, routine: R, a: u64, b: u64, c: u64) -> Done<u64> {
        Ok(match routine {
            R::CopyMemory | R::MoveMemory => {
                if c > 0 {
                    let bytes = self.read_bytes(b, c)?;
                    self.write_bytes(a, &bytes)?;
                }
                a
            }
            R::SetMemory => {
                if c > 0 {
                    // Whether there is so much is found out before it is made.
                    self.locate(a, c)?;
                    self.write_bytes(a, &vec![b as u8; c as usize])?;
                }
                a
            }
            R::CompareMemory => {
                let (left, right) = (self.read_bytes(a, c)?, self.read_bytes(b, c)?);
                ordering(&left, &right)
            }
            R::FindByte => {
                let bytes = self.read_bytes(a, c)?;
                bytes.iter().position(|&byte| byte == b as u8).map_or(0, |at| a + at as u64)
            }
            R::Length => self.read_text(a, u64::MAX)?.len() as u64,
            R::BoundedLength => self.read_text(a, b)?.len() as u64,
            R::Compare => {
                let (left, right) = (self.read_text(a, u64::MAX)?, self.read_text(b, u64::MAX)?);
                ordering(&left, &right)
            }
            R::CompareBounded => {
                let (left, right) = (self.read_text(a, c)?, self.read_text(b, c)?);
                ordering(&left, &right)
            }
            R::CopyString => {
                let mut text = self.read_text(b, u64::MAX)?;
                text.push(0);
                self.write_bytes(a, &text)?;
                a
            }
            R::CopyBounded => {
                let mut text = self.read_text(b, c)?;
                self.locate(a, c)?;
                text.resize(c as usize, 0);
                self.write_bytes(a, &text)?;
                a
            }
            R::Concatenate | R::ConcatenateBounded => {
                let end = a + self.read_text(a, u64::MAX)?.len() as u64;
                let most = if routine == R::Concatenate { u64::MAX } else { c };
                let mut text = self.read_text(b, most)?;
                text.push(0);
                self.write_bytes(end, &text)?;
                a
            }
            R::Find => {
                let mut text = self.read_text(a, u64::MAX)?;
                text.push(0);
                text.iter().position(|&byte| byte == b as u8).map_or(0, |at| a + at as u64)
            }
            R::FindLast => {
                let mut text = self.read_text(a, u64::MAX)?;
                text.push(0);
                text.iter().rposition(|&byte| byte == b as u8).map_or(0, |at| a + at as u64)
            }
            R::FindString => {
                let (text, part) = (self.read_text(a, u64::MAX)?, self.read_text(b, u64::MAX)?);
                let found =
                    if part.is_empty() { Some(0) } else { text.windows(part.len()).position(|window| window == part) };
                found.map_or(0, |at| a + at as u64)
            }
            R::Duplicate => {
                let mut text = self.read_text(a, u64::MAX)?;
                text.push(0);
                let copy = self.allocate(text.len() as u64)?;
                self.write_bytes(copy, &text)?;
                copy
            }
            R::ParseInt | R::ParseLong => {
                let text = self.read_text(a, 64)?;
                let radix = match c as u32 {
                    radix @ (0 | 2..=36) if routine == R::ParseLong => radix,
                    _ => 10,
                };
                let (value, used) = parse(&text, radix);
                if routine == R::ParseLong && b != 0 && self.model.is_address(b) {
                    let old = self.load(b, 8)?;
                    self.write(b, 8, old, a + used as u64)?;
                }
                value as u64
            }
            _ => return crash("a routine that is none"),
        })
    }
}

fn ordering(left: &[u8], right: &[u8]) -> u64 {
    match left.cmp(right) {
        std::cmp::Ordering::Less => u64::MAX,
        std::cmp::Ordering::Equal => 0,
        std::cmp::Ordering::Greater => 1,
    }
}

/// The number at the beginning of a text, and where it ends. With radix 0 the text tells its own.
fn parse(text: &[u8], mut radix: u32) -> (i64, usize) {
    let start = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let (sign, mut at) = match text.get(start) {
        Some(b'-') => (-1, start + 1),
        Some(b'+') => (1, start + 1),
        _ => (1, start),
    };
    let is_digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_hexdigit);
    if matches!(radix, 0 | 16) && matches!(text.get(at..at + 2), Some(b"0x" | b"0X")) && is_digit(at + 2) {
        (radix, at) = (16, at + 2);
    } else if radix == 0 {
        radix = if text.get(at) == Some(&b'0') { 8 } else { 10 };
    }
    let mut value = 0i64;
    let digits = at;
    while let Some(digit) = text.get(at).and_then(|&byte| char::from(byte).to_digit(radix)) {
        value = value.saturating_mul(i64::from(radix)).saturating_add(i64::from(digit));
        at += 1;
    }
    if at == digits { (0, 0) } else { (sign * value, at) }
}
