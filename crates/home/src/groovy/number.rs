//! Numbers.

use super::value::Value;
use std::fmt::Write;

/// Writes a number as Groovy prints it.
pub(super) fn write(value: &Value, into: &mut String) {
    let _ = match value {
        Value::Int(number) => write!(into, "{number}"),
        Value::Long(number) => write!(into, "{number}"),
        Value::Decimal(number) => write!(into, "{number}"),
        Value::Double(number) => write!(into, "{number:?}"),
        _ => Ok(()),
    };
}
