//! Numbers: promotion, arithmetic, text.
//!
//! As in Groovy, a double makes the result a double, else a decimal makes it a decimal, else a long makes it a long;
//! dividing whole numbers gives a decimal.

use super::tree::Binary;
use super::trouble::{Trouble, TroubleKind};
use super::value::Value;
use rust_decimal::prelude::ToPrimitive;
use rust_decimal::{Decimal, RoundingStrategy};
use std::cmp::Ordering;
use std::fmt::Write;

/// A quotient that does not come out even has this many digits after the point.
const QUOTIENT_SCALE: u32 = 10;

/// Quotients that do not come out even have at least as many digits as this.
const FULL: u128 = 10_u128.pow(26);

/// Two numbers of one class.
enum Pair {
    Int(i32, i32),
    Long(i64, i64),
    Decimal(Decimal, Decimal),
    Double(f64, f64),
}

fn promote(left: &Value, right: &Value) -> Option<Pair> {
    Some(match (left, right) {
        (Value::Int(a), Value::Int(b)) => Pair::Int(*a, *b),
        (Value::Double(_), _) | (_, Value::Double(_)) => Pair::Double(to_double(left)?, to_double(right)?),
        (Value::Decimal(_), _) | (_, Value::Decimal(_)) => Pair::Decimal(to_decimal(left)?, to_decimal(right)?),
        _ => Pair::Long(to_long(left)?, to_long(right)?),
    })
}

/// The number as a double.
pub(super) fn to_double(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(f64::from(*number)),
        Value::Long(number) => Some(*number as f64),
        Value::Decimal(number) => number.to_f64(),
        Value::Double(number) => Some(*number),
        _ => None,
    }
}

/// The number as a decimal; doubles that are too large or no numbers have none.
pub(super) fn to_decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Int(number) => Some(Decimal::from(*number)),
        Value::Long(number) => Some(Decimal::from(*number)),
        Value::Decimal(number) => Some(*number),
        Value::Double(number) => decimal_of_double(*number),
        _ => None,
    }
}

fn decimal_of_double(number: f64) -> Option<Decimal> {
    let text = number.to_string();
    Decimal::from_str_exact(&text).ok().or_else(|| Decimal::from_f64_retain(number))
}

/// The number without its fraction; too large a one loses its upper bits, as in Java.
pub(super) fn to_long(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(i64::from(*number)),
        Value::Long(number) => Some(*number),
        Value::Decimal(number) => Some(number.trunc().to_i128()? as i64),
        Value::Double(number) => Some(*number as i64),
        _ => None,
    }
}

/// The number as an `Integer`.
pub(super) fn to_int(value: &Value) -> Option<i32> {
    match value {
        Value::Int(number) => Some(*number),
        // Java narrows a double by clamping and everything else by cutting bits off.
        Value::Double(number) => Some(*number as i32),
        other => Some(to_long(other)? as i32),
    }
}

fn overflow() -> Trouble {
    Trouble::new(TroubleKind::Unsupported("a decimal number of more than 28 digits".to_owned()))
}

fn division_by_zero() -> Trouble {
    Trouble::new(TroubleKind::Arithmetic("Division by zero".to_owned()))
}

/// `left op right` for two numbers; `None` if the operator is none of arithmetic, or an operand is no number.
pub(super) fn arithmetic(op: Binary, left: &Value, right: &Value) -> Option<Result<Value, Trouble>> {
    if matches!(op, Binary::ShiftLeft | Binary::ShiftRight | Binary::ShiftRightUnsigned) {
        return shift(op, left, right).map(Ok);
    }
    let pair = promote(left, right)?;
    if matches!(op, Binary::BitAnd | Binary::BitOr | Binary::BitXor) {
        return bits(op, &pair).map(Ok);
    }
    Some(match (op, pair) {
        (Binary::Add, Pair::Int(a, b)) => Ok(Value::Int(a.wrapping_add(b))),
        (Binary::Add, Pair::Long(a, b)) => Ok(Value::Long(a.wrapping_add(b))),
        (Binary::Add, Pair::Decimal(a, b)) => decimal(a.checked_add(b)),
        (Binary::Add, Pair::Double(a, b)) => Ok(Value::Double(a + b)),
        (Binary::Subtract, Pair::Int(a, b)) => Ok(Value::Int(a.wrapping_sub(b))),
        (Binary::Subtract, Pair::Long(a, b)) => Ok(Value::Long(a.wrapping_sub(b))),
        (Binary::Subtract, Pair::Decimal(a, b)) => decimal(a.checked_sub(b)),
        (Binary::Subtract, Pair::Double(a, b)) => Ok(Value::Double(a - b)),
        (Binary::Multiply, Pair::Int(a, b)) => Ok(Value::Int(a.wrapping_mul(b))),
        (Binary::Multiply, Pair::Long(a, b)) => Ok(Value::Long(a.wrapping_mul(b))),
        (Binary::Multiply, Pair::Decimal(a, b)) => decimal(a.checked_mul(b)),
        (Binary::Multiply, Pair::Double(a, b)) => Ok(Value::Double(a * b)),
        (Binary::Divide, pair) => divide(pair),
        (Binary::Remainder, pair) => remainder(pair),
        (Binary::Power, pair) => power(pair),
        _ => return None,
    })
}

/// The commonest operators on the commonest numbers, for speed.
pub(super) fn of_ints(op: Binary, left: i32, right: i32) -> Option<Value> {
    Some(match op {
        Binary::Add => Value::Int(left.wrapping_add(right)),
        Binary::Subtract => Value::Int(left.wrapping_sub(right)),
        Binary::Multiply => Value::Int(left.wrapping_mul(right)),
        Binary::Equal => Value::Bool(left == right),
        Binary::NotEqual => Value::Bool(left != right),
        Binary::Less => Value::Bool(left < right),
        Binary::LessEqual => Value::Bool(left <= right),
        Binary::Greater => Value::Bool(left > right),
        Binary::GreaterEqual => Value::Bool(left >= right),
        _ => return None,
    })
}

fn decimal(result: Option<Decimal>) -> Result<Value, Trouble> {
    result.map(Value::Decimal).ok_or_else(overflow)
}

fn divide(pair: Pair) -> Result<Value, Trouble> {
    let (left, right) = match pair {
        Pair::Double(a, b) => return Ok(Value::Double(a / b)),
        Pair::Int(a, b) => (Decimal::from(a), Decimal::from(b)),
        Pair::Long(a, b) => (Decimal::from(a), Decimal::from(b)),
        Pair::Decimal(a, b) => (a, b),
    };
    if right.is_zero() {
        return Err(division_by_zero());
    }
    let quotient = left.checked_div(right).ok_or_else(overflow)?;
    let scale = left.scale().saturating_sub(right.scale());
    let mut even = quotient.normalize();
    // A quotient that uses all digits there are was rounded, even if the product happens to come out.
    if even.mantissa().unsigned_abs() < FULL && even.checked_mul(right) == Some(left) {
        if even.scale() < scale {
            even.rescale(scale);
        }
        return Ok(Value::Decimal(even));
    }
    let digits = QUOTIENT_SCALE.max(left.scale()).max(right.scale());
    Ok(Value::Decimal(quotient.round_dp_with_strategy(digits, RoundingStrategy::MidpointAwayFromZero)))
}

fn remainder(pair: Pair) -> Result<Value, Trouble> {
    match pair {
        Pair::Int(_, 0) | Pair::Long(_, 0) => Err(division_by_zero()),
        Pair::Int(a, b) => Ok(Value::Int(a.wrapping_rem(b))),
        Pair::Long(a, b) => Ok(Value::Long(a.wrapping_rem(b))),
        Pair::Decimal(_, b) if b.is_zero() => Err(division_by_zero()),
        Pair::Decimal(a, b) => decimal(a.checked_rem(b)),
        Pair::Double(a, b) => Ok(Value::Double(a % b)),
    }
}

fn power(pair: Pair) -> Result<Value, Trouble> {
    let (base, exponent) = match pair {
        Pair::Double(a, b) => return Ok(Value::Double(a.powf(b))),
        Pair::Int(a, b) => (Decimal::from(a), Decimal::from(b)),
        Pair::Long(a, b) => (Decimal::from(a), Decimal::from(b)),
        Pair::Decimal(a, b) => (a, b),
    };
    if !exponent.is_integer() || exponent.is_sign_negative() && !exponent.is_zero() {
        let (base, exponent) = (base.to_f64().unwrap_or(f64::NAN), exponent.to_f64().unwrap_or(f64::NAN));
        return Ok(Value::Double(base.powf(exponent)));
    }
    let (mut times, mut square) = (exponent.to_u64().ok_or_else(overflow)?, base);
    let mut result = Decimal::ONE;
    while times > 0 {
        if times & 1 == 1 {
            result = result.checked_mul(square).ok_or_else(overflow)?;
        }
        times >>= 1;
        if times > 0 {
            square = square.checked_mul(square).ok_or_else(overflow)?;
        }
    }
    let whole = base.scale() == 0;
    Ok(result.to_i64().filter(|_| whole).map_or(Value::Decimal(result), Value::int))
}

fn bits(op: Binary, pair: &Pair) -> Option<Value> {
    Some(match (op, pair) {
        (Binary::BitAnd, Pair::Int(a, b)) => Value::Int(a & b),
        (Binary::BitOr, Pair::Int(a, b)) => Value::Int(a | b),
        (Binary::BitXor, Pair::Int(a, b)) => Value::Int(a ^ b),
        (Binary::BitAnd, Pair::Long(a, b)) => Value::Long(a & b),
        (Binary::BitOr, Pair::Long(a, b)) => Value::Long(a | b),
        (Binary::BitXor, Pair::Long(a, b)) => Value::Long(a ^ b),
        _ => return None,
    })
}

/// A shift takes its class from the left operand, and only the low bits of the right one count.
fn shift(op: Binary, left: &Value, right: &Value) -> Option<Value> {
    let by = to_long(right)? as u32;
    Some(match (op, left) {
        (Binary::ShiftLeft, Value::Int(a)) => Value::Int(a.wrapping_shl(by)),
        (Binary::ShiftRight, Value::Int(a)) => Value::Int(a.wrapping_shr(by)),
        (Binary::ShiftRightUnsigned, Value::Int(a)) => Value::Int((*a as u32).wrapping_shr(by) as i32),
        (Binary::ShiftLeft, Value::Long(a)) => Value::Long(a.wrapping_shl(by)),
        (Binary::ShiftRight, Value::Long(a)) => Value::Long(a.wrapping_shr(by)),
        (Binary::ShiftRightUnsigned, Value::Long(a)) => Value::Long((*a as u64).wrapping_shr(by) as i64),
        _ => return None,
    })
}

/// The order of two numbers; `None` if one of them is none, or not a number in the sense of doubles.
pub(super) fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    match promote(left, right) {
        Some(Pair::Int(a, b)) => Some(a.cmp(&b)),
        Some(Pair::Long(a, b)) => Some(a.cmp(&b)),
        Some(Pair::Decimal(a, b)) => Some(a.cmp(&b)),
        Some(Pair::Double(a, b)) => a.partial_cmp(&b),
        None => to_double(left)?.partial_cmp(&to_double(right)?),
    }
}

/// `-number`.
pub(super) fn negate(value: &Value) -> Option<Value> {
    Some(match value {
        Value::Int(number) => Value::Int(number.wrapping_neg()),
        Value::Long(number) => Value::Long(number.wrapping_neg()),
        Value::Decimal(number) => Value::Decimal(-*number),
        Value::Double(number) => Value::Double(-number),
        _ => return None,
    })
}

/// Reads a number as the methods and conversions of the library do; `None` if the text is none.
pub(super) fn parse_decimal(text: &str) -> Option<Decimal> {
    let text = text.trim();
    let plain = text.strip_prefix('+').unwrap_or(text);
    Decimal::from_str_exact(plain).or_else(|_| Decimal::from_scientific(plain)).ok()
}

/// Reads a double; Java's texts may end in `f` or `d`.
pub(super) fn parse_double(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches(['f', 'F', 'd', 'D']);
    let numeric = text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    if numeric || matches!(text, "NaN" | "Infinity") { text.parse().ok() } else { None }
}

/// Writes a number as Groovy prints it.
pub(super) fn write(value: &Value, into: &mut String) {
    let _ = match value {
        Value::Int(number) => write!(into, "{number}"),
        Value::Long(number) => write!(into, "{number}"),
        Value::Decimal(number) => write!(into, "{number}"),
        Value::Double(number) => write_double(*number, into),
        _ => Ok(()),
    };
}

/// Java prints doubles with a point, and with an exponent from ten million on and below a thousandth.
fn write_double(number: f64, into: &mut String) -> std::fmt::Result {
    if number.is_nan() {
        return into.write_str("NaN");
    }
    if number.is_infinite() {
        return into.write_str(if number > 0.0 { "Infinity" } else { "-Infinity" });
    }
    let size = number.abs();
    if size == 0.0 || (1e-3..1e7).contains(&size) {
        return write!(into, "{number:?}");
    }
    let text = format!("{number:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let point = if mantissa.contains('.') { "" } else { ".0" };
    write!(into, "{mantissa}{point}E{exponent}")
}
