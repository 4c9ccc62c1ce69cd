//! Classes by their names.

use super::native::Native;
use super::value::{ListKind, Value};

/// The simple name of a value's class, as messages name it.
pub(super) fn name_of(value: &Value) -> &str {
    match value {
        Value::Null | Value::Unknown(_) => "null",
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

/// Whether a simple name is that of a class which scripts can name without an import.
pub(super) fn is_known(name: &str) -> bool {
    is_library(name) || is_exception(name)
}

fn is_library(name: &str) -> bool {
    matches!(
        name,
        "Math"
            | "Integer"
            | "Long"
            | "Float"
            | "Double"
            | "Short"
            | "Byte"
            | "Boolean"
            | "Character"
            | "Number"
            | "BigDecimal"
            | "BigInteger"
            | "String"
            | "GString"
            | "CharSequence"
            | "Object"
            | "Date"
            | "Calendar"
            | "GregorianCalendar"
            | "TimeZone"
            | "SimpleDateFormat"
            | "DecimalFormat"
            | "JsonSlurper"
            | "JsonOutput"
            | "JsonBuilder"
            | "JSONObject"
            | "Random"
            | "UUID"
            | "URLEncoder"
            | "URLDecoder"
            | "URI"
            | "URL"
            | "List"
            | "ArrayList"
            | "LinkedList"
            | "Collection"
            | "Iterable"
            | "Map"
            | "HashMap"
            | "LinkedHashMap"
            | "TreeMap"
            | "Set"
            | "HashSet"
            | "LinkedHashSet"
            | "TreeSet"
            | "Range"
            | "IntRange"
            | "Collections"
            | "Arrays"
            | "Pattern"
            | "Matcher"
            | "TimeCategory"
            | "TimeDuration"
            | "StringBuilder"
            | "StringBuffer"
            | "System"
            | "Thread"
            | "MessageDigest"
            | "Mac"
            | "SecretKeySpec"
            | "XmlSlurper"
            | "XmlUtil"
            | "Locale"
            | "Closure"
            | "TimeUnit"
            | "ConcurrentHashMap"
            | "ConcurrentLinkedQueue"
            | "Base64"
            | "InetAddress"
            | "RoundingMode"
            | "Class"
            | "Iterator"
            | "Void"
    )
}

/// Whether a simple name is that of an exception, which all end alike.
pub(super) fn is_exception(name: &str) -> bool {
    matches!(name, "Exception" | "Throwable" | "Error")
        || (name.starts_with(char::is_uppercase) && (name.ends_with("Exception") || name.ends_with("Error")))
}

/// Whether a word begins the full name of a class.
pub(super) fn is_package_root(word: &str) -> bool {
    matches!(word, "java" | "javax" | "groovy" | "groovyx" | "org" | "com" | "physicalgraph" | "hubitat")
}

/// Whether a name is that of a primitive type, whose values are never null.
pub(super) fn is_primitive(name: &str) -> bool {
    matches!(name, "int" | "long" | "float" | "double" | "boolean" | "byte" | "short" | "char")
}

/// Whether a name is that of a class of numbers.
pub(super) fn is_numeric(name: &str) -> bool {
    matches!(
        name,
        "int"
            | "long"
            | "float"
            | "double"
            | "byte"
            | "short"
            | "Integer"
            | "Long"
            | "Float"
            | "Double"
            | "Byte"
            | "Short"
            | "BigDecimal"
            | "BigInteger"
            | "Number"
    )
}

/// Whether an exception of one class is also one of another, as far as apps ask.
pub(super) fn is_subclass(class: &str, of: &str) -> bool {
    let error = class.ends_with("Error");
    match of {
        "Throwable" | "Object" => true,
        "Exception" => !error,
        "Error" => error,
        "RuntimeException" => !error && !is_checked(class),
        "GroovyRuntimeException" => class.starts_with("Missing") || class.starts_with("Groovy"),
        "ClassCastException" => class == "GroovyCastException" || class == of,
        "IllegalArgumentException" => class == "NumberFormatException" || class == of,
        "IndexOutOfBoundsException" => class.ends_with("IndexOutOfBoundsException"),
        "IOException" => {
            matches!(class, "IOException" | "SocketTimeoutException" | "UnknownHostException" | "ConnectException")
        }
        _ => class == of,
    }
}

/// Whether an exception is none of the unchecked ones.
fn is_checked(class: &str) -> bool {
    matches!(
        class,
        "Exception"
            | "IOException"
            | "ParseException"
            | "SocketTimeoutException"
            | "HttpResponseException"
            | "TimeoutException"
            | "UnknownHostException"
            | "ConnectException"
            | "SignatureException"
    )
}
