//! JSON.

use super::text::ObjectText;
use super::trouble::Trouble;
use super::value::Value;

/// Writes a value as JSON.
pub(super) fn write(value: &Value, into: &mut String, object: &mut ObjectText<'_>) -> Result<(), Trouble> {
    super::text::write(value, into, object)
}
