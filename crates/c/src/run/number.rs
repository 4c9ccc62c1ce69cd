//! Arithmetic.

use super::{Done, crash};
use crate::code::{Binary, Conversion, Predicate};
use crate::ir::{masked, sign_extended};

/// The result of an operation on numbers of this many bits.
#[inline]
pub(crate) fn compute(operation: Binary, width: u8, left: u64, right: u64) -> Done<u64> {
    use Binary as B;
    let signed = |value: u64| sign_extended(value, width) as i64;
    let value = match operation {
        B::Add => left.wrapping_add(right),
        B::Subtract => left.wrapping_sub(right),
        B::Multiply => left.wrapping_mul(right),
        B::And => left & right,
        B::Or => left | right,
        B::Xor => left ^ right,
        B::Nand => !(left & right),
        B::Exchange => right,
        B::Max => signed(left).max(signed(right)) as u64,
        B::Min => signed(left).min(signed(right)) as u64,
        B::MaxUnsigned => left.max(right),
        B::MinUnsigned => left.min(right),
        B::DivideUnsigned | B::RemainderUnsigned | B::Divide | B::Remainder if right == 0 => {
            return crash("a division by zero");
        }
        B::Divide | B::Remainder if signed(right) == -1 && signed(left) == i64::MIN >> (64 - width) => {
            return crash("a division whose result does not fit");
        }
        B::DivideUnsigned => left / right,
        B::RemainderUnsigned => left % right,
        B::Divide => signed(left).wrapping_div(signed(right)) as u64,
        B::Remainder => signed(left).wrapping_rem(signed(right)) as u64,
        B::ShiftLeft | B::ShiftRight | B::ShiftRightSigned if right >= u64::from(width) => {
            return crash("a shift by more bits than the number has");
        }
        B::ShiftLeft => left << right,
        B::ShiftRight => left >> right,
        B::ShiftRightSigned => (signed(left) >> right) as u64,
        B::FloatAdd | B::FloatSubtract | B::FloatMultiply | B::FloatDivide | B::FloatRemainder => {
            return Ok(if width == 32 {
                let (left, right) = (f32::from_bits(left as u32), f32::from_bits(right as u32));
                u64::from(float(operation, left, right).to_bits())
            } else {
                float(operation, f64::from_bits(left), f64::from_bits(right)).to_bits()
            });
        }
    };
    Ok(masked(value, width))
}

fn float<F>(operation: Binary, left: F, right: F) -> F
where
    F: std::ops::Add<Output = F>
        + std::ops::Sub<Output = F>
        + std::ops::Mul<Output = F>
        + std::ops::Div<Output = F>
        + std::ops::Rem<Output = F>,
{
    match operation {
        Binary::FloatAdd => left + right,
        Binary::FloatSubtract => left - right,
        Binary::FloatMultiply => left * right,
        Binary::FloatDivide => left / right,
        _ => left % right,
    }
}

/// Whether a comparison of numbers of this many bits holds.
#[inline]
pub(crate) fn compare(predicate: Predicate, width: u8, left: u64, right: u64) -> bool {
    use Predicate as P;
    let signed = |value: u64| sign_extended(value, width) as i64;
    match predicate {
        P::Equal => left == right,
        P::NotEqual => left != right,
        P::Less => signed(left) < signed(right),
        P::LessOrEqual => signed(left) <= signed(right),
        P::Greater => signed(left) > signed(right),
        P::GreaterOrEqual => signed(left) >= signed(right),
        P::LessUnsigned => left < right,
        P::LessOrEqualUnsigned => left <= right,
        P::GreaterUnsigned => left > right,
        P::GreaterOrEqualUnsigned => left >= right,
        P::Float(mask) => {
            let (left, right) = (to_f64(left, width), to_f64(right, width));
            let answer = match left.partial_cmp(&right) {
                Some(std::cmp::Ordering::Equal) => 1,
                Some(std::cmp::Ordering::Less) => 2,
                Some(std::cmp::Ordering::Greater) => 4,
                None => 8,
            };
            mask & answer != 0
        }
    }
}

fn to_f64(bits: u64, width: u8) -> f64 {
    if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

fn from_f64(value: f64, width: u8) -> u64 {
    if width == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
}

/// A number as another kind of number.
pub(crate) fn convert(conversion: Conversion, from: u8, to: u8, value: u64) -> u64 {
    match conversion {
        Conversion::SignedToFloat if to == 32 => u64::from((sign_extended(value, from) as i64 as f32).to_bits()),
        Conversion::SignedToFloat => (sign_extended(value, from) as i64 as f64).to_bits(),
        Conversion::UnsignedToFloat if to == 32 => u64::from((value as f32).to_bits()),
        Conversion::UnsignedToFloat => (value as f64).to_bits(),
        Conversion::FloatToSigned => masked(to_f64(value, from) as i64 as u64, to),
        Conversion::FloatToUnsigned => masked(to_f64(value, from) as u64, to),
        Conversion::FloatToFloat => from_f64(to_f64(value, from), to),
        Conversion::Negate if from == 32 => value ^ 1 << 31,
        Conversion::Negate => value ^ 1 << 63,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(operation: Binary, width: u8, left: u64, right: u64) -> Option<u64> {
        compute(operation, width, left, right).ok()
    }

    #[test]
    fn numbers_wrap_at_their_width() {
        assert_eq!(value(Binary::Add, 8, 255, 2), Some(1));
        assert_eq!(value(Binary::Divide, 32, 0xffff_fff9, 2), Some(0xffff_fffd));
        assert_eq!(value(Binary::Remainder, 32, 0xffff_fff9, 2), Some(0xffff_ffff));
        assert_eq!(value(Binary::ShiftRightSigned, 8, 0x80, 1), Some(0xc0));
        assert_eq!(value(Binary::Divide, 32, 7, 0), None);
        assert_eq!(value(Binary::Divide, 32, 1 << 31, 0xffff_ffff), None);
        assert_eq!(value(Binary::ShiftLeft, 32, 1, 32), None);
        assert!(compare(Predicate::Less, 8, 0xff, 0));
        assert!(compare(Predicate::Float(14), 64, f64::NAN.to_bits(), 0));
        assert_eq!(convert(Conversion::FloatToSigned, 64, 32, (-2.7f64).to_bits()), 0xffff_fffe);
    }
}
