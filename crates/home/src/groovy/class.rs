//! Classes by their names.

use super::native::Native;
use super::value::{ListKind, Value};

/// The simple name of a value's class, as messages name it.
pub(super) fn name_of(value: &Value) -> &str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "Boolean",
        Value::Int(_) => "Integer",
        Value::Long(_) => "Long",
        Value::Decimal(_) => "BigDecimal",
        Value::Double(_) => "Double",
        Value::Text(_) => "String",
        Value::List(list) => match list.kind() {
            ListKind::List => "ArrayList",
            ListKind::Set => "LinkedHashSet",
            ListKind::Range => "IntRange",
        },
        Value::Map(_) => "LinkedHashMap",
        Value::Closure(_) => "Closure",
        Value::Method(_) => "method",
        Value::Date(_) => "Date",
        Value::Pattern(_) => "Pattern",
        Value::Class(_) => "Class",
        Value::Object(_) => "object",
        Value::Native(native) => match &**native {
            Native::Exception { class, .. } => class,
            native => native.class(),
        },
    }
}
