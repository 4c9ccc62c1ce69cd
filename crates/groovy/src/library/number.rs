//! Methods of numbers.

use super::Answer;
use super::arguments::long;
use crate::number::{self, to_decimal, to_double, to_int, to_long};
use crate::run::Env;
use crate::tree::Binary;
use crate::trouble::{Trouble, TroubleKind};
use crate::value::{Closure, Value};
use rust_decimal::{Decimal, RoundingStrategy};
use std::rc::Rc;

/// Calls a method of a number.
pub(super) fn call(env: &mut Env<'_>, number: &Value, name: &str, arguments: &[Value]) -> Answer {
    if let Some(value) = converted(number, name, arguments) {
        return Ok(Some(value));
    }
    if let Some(value) = rounded(env, number, name, arguments)? {
        return Ok(Some(value));
    }
    if let [other] = arguments
        && let Some(op) = operator(name)
    {
        return env.binary(op, number, other).map(Some);
    }
    repeated(env, number, name, arguments)
}

fn converted(number: &Value, name: &str, arguments: &[Value]) -> Option<Value> {
    let [] = arguments else { return None };
    Some(match name {
        "intValue" | "toInteger" => Value::Int(to_int(number)?),
        "longValue" | "toLong" => Value::Long(to_long(number)?),
        "byteValue" => Value::Int(i32::from(to_long(number)? as i8)),
        "shortValue" | "toShort" => Value::Int(i32::from(to_long(number)? as i16)),
        "doubleValue" | "floatValue" | "toDouble" | "toFloat" => Value::Double(to_double(number)?),
        "toBigDecimal" => Value::Decimal(to_decimal(number)?),
        "toBigInteger" => Value::Decimal(to_decimal(number)?.trunc()),
        "isNaN" => Value::Bool(to_double(number)?.is_nan()),
        "isInfinite" => Value::Bool(to_double(number)?.is_infinite()),
        "hashCode" => Value::Int(to_int(number)?),
        "scale" => match number {
            Value::Decimal(number) => Value::Int(number.scale() as i32),
            _ => return None,
        },
        "signum" => Value::Int(to_double(number)?.partial_cmp(&0.0).map_or(0, |order| order as i32)),
        _ => return None,
    })
}

fn rounded(env: &mut Env<'_>, number: &Value, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("abs", []) => {
            if number::compare(number, &Value::Int(0)) == Some(std::cmp::Ordering::Less) {
                number::negate(number).unwrap_or_default()
            } else {
                number.clone()
            }
        }
        ("round", []) => match number {
            Value::Double(number) => Value::Long((number + 0.5).floor() as i64),
            Value::Decimal(number) => Value::Decimal(scaled(*number, 0, RoundingStrategy::MidpointAwayFromZero)),
            whole => whole.clone(),
        },
        ("round", [digits]) => {
            let digits = long(env, digits)?;
            places(number, digits, RoundingStrategy::MidpointAwayFromZero)?
        }
        ("trunc", []) => places(number, 0, RoundingStrategy::ToZero)?,
        ("trunc", [digits]) => {
            let digits = long(env, digits)?;
            places(number, digits, RoundingStrategy::ToZero)?
        }
        ("setScale", [digits, mode @ ..]) => {
            let digits = long(env, digits)?;
            let strategy = match mode.first() {
                Some(mode) => rounding_mode(&env.text(mode)?)?,
                None => RoundingStrategy::MidpointNearestEven,
            };
            let number = to_decimal(number).ok_or_else(|| env.bad_cast(number, "BigDecimal"))?;
            let scaled = scaled(number, digits, strategy);
            if mode.is_empty() && scaled != number {
                return Err(Trouble::new(TroubleKind::Arithmetic("Rounding necessary".to_owned())));
            }
            Value::Decimal(scaled)
        }
        ("toString", []) => Value::from(env.text(number)?),
        ("toString", [radix]) => {
            let radix = long(env, radix)?;
            Value::from(in_radix(to_long(number).unwrap_or(0), radix))
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// Java names its rounding modes, and used to number them.
fn rounding_mode(mode: &str) -> Result<RoundingStrategy, Trouble> {
    Ok(match mode {
        "0" | "UP" => RoundingStrategy::AwayFromZero,
        "1" | "DOWN" => RoundingStrategy::ToZero,
        "2" | "CEILING" => RoundingStrategy::ToPositiveInfinity,
        "3" | "FLOOR" => RoundingStrategy::ToNegativeInfinity,
        "4" | "HALF_UP" => RoundingStrategy::MidpointAwayFromZero,
        "5" | "HALF_DOWN" => RoundingStrategy::MidpointTowardZero,
        "6" | "HALF_EVEN" => RoundingStrategy::MidpointNearestEven,
        other => return Err(Trouble::illegal(format!("no rounding mode: {other}"))),
    })
}

/// A decimal with exactly `digits` digits after the point.
fn scaled(number: Decimal, digits: i64, strategy: RoundingStrategy) -> Decimal {
    let digits = digits.clamp(0, 28) as u32;
    let mut rounded = number.round_dp_with_strategy(digits, strategy);
    rounded.rescale(digits);
    rounded
}

/// A number rounded to a number of digits after the point, in its own class.
fn places(number: &Value, digits: i64, strategy: RoundingStrategy) -> Result<Value, Trouble> {
    Ok(match number {
        Value::Decimal(number) => Value::Decimal(scaled(*number, digits, strategy)),
        Value::Double(double) => {
            let factor = 10_f64.powi(digits.clamp(-300, 300) as i32);
            let shifted = double * factor;
            let whole = if strategy == RoundingStrategy::ToZero { shifted.trunc() } else { (shifted + 0.5).floor() };
            Value::Double(whole / factor)
        }
        whole => whole.clone(),
    })
}

/// A number in another radix, as Java writes it.
pub(super) fn in_radix(number: i64, radix: i64) -> String {
    let radix = if (2..=36).contains(&radix) { radix as u32 } else { 10 };
    let mut digits = Vec::new();
    let mut rest = number.unsigned_abs();
    loop {
        let digit = (rest % u64::from(radix)) as u32;
        digits.push(char::from_digit(digit, radix).unwrap_or('0'));
        rest /= u64::from(radix);
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        digits.push('-');
    }
    digits.iter().rev().collect()
}

fn operator(name: &str) -> Option<Binary> {
    Some(match name {
        "plus" => Binary::Add,
        "minus" => Binary::Subtract,
        "multiply" => Binary::Multiply,
        "div" | "divide" => Binary::Divide,
        "mod" | "remainder" => Binary::Remainder,
        "power" => Binary::Power,
        "leftShift" => Binary::ShiftLeft,
        "rightShift" => Binary::ShiftRight,
        "and" => Binary::BitAnd,
        "or" => Binary::BitOr,
        "xor" => Binary::BitXor,
        "compareTo" => Binary::Compare,
        _ => return None,
    })
}

/// Loops, neighbours and whole division.
fn repeated(env: &mut Env<'_>, number: &Value, name: &str, arguments: &[Value]) -> Answer {
    let value = match (name, arguments) {
        ("times", [Value::Closure(closure)]) => {
            for round in 0..to_long(number).unwrap_or(0) {
                env.run.tick()?;
                env.call_closure(closure, &[Value::int(round)])?;
            }
            Value::Null
        }
        ("upto", [to, Value::Closure(closure)]) => count(env, number, to, 1, closure)?,
        ("downto", [to, Value::Closure(closure)]) => count(env, number, to, -1, closure)?,
        ("step", [to, by, Value::Closure(closure)]) => {
            let by = long(env, by)?;
            if by == 0 {
                return Err(Trouble::illegal("a step of zero"));
            }
            let last = long(env, to)?;
            let mut at = to_long(number).unwrap_or(0);
            while if by > 0 { at < last } else { at > last } {
                env.run.tick()?;
                env.call_closure(closure, &[Value::int(at)])?;
                at = at.saturating_add(by);
            }
            Value::Null
        }
        ("next", []) => env.neighbour(number, true)?,
        ("previous", []) => env.neighbour(number, false)?,
        ("negate" | "unaryMinus" | "negative", []) => number::negate(number).unwrap_or_default(),
        ("intdiv", [by]) => {
            let (left, right) = (to_long(number).unwrap_or(0), long(env, by)?);
            if right == 0 {
                return Err(Trouble::new(TroubleKind::Arithmetic("/ by zero".to_owned())));
            }
            let wide = matches!(number, Value::Long(_)) || matches!(by, Value::Long(_));
            let quotient = left.wrapping_div(right);
            if wide { Value::Long(quotient) } else { Value::int(quotient) }
        }
        ("max" | "min", [other]) => {
            let larger = number::compare(number, other) == Some(std::cmp::Ordering::Greater);
            if larger == (name == "max") { number.clone() } else { other.clone() }
        }
        ("equals", [other]) => Value::Bool(number.same(other)),
        _ => return Ok(None),
    };
    Ok(Some(value))
}

fn count(env: &mut Env<'_>, from: &Value, to: &Value, by: i64, closure: &Rc<Closure>) -> Result<Value, Trouble> {
    let last = long(env, to)?;
    let mut at = to_long(from).unwrap_or(0);
    while if by > 0 { at <= last } else { at >= last } {
        env.run.tick()?;
        env.call_closure(closure, &[Value::int(at)])?;
        let Some(next) = at.checked_add(by) else { break };
        at = next;
    }
    Ok(Value::Null)
}
