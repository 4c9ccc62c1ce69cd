//! Objects of the library that scripts make with `new` or get from its methods.

use super::pattern::Matcher;
use super::value::Value;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// An object of the library.
pub enum Native {
    /// An entry of a map, as a closure with one parameter gets it from `each`.
    Entry(Value, Value),
    /// An exception, caught or about to be thrown.
    Exception {
        /// The simple name of its class.
        class: Arc<str>,
        /// Its message.
        message: Option<Arc<str>>,
    },
    /// `new Random()`.
    Random,
    /// `new SimpleDateFormat(…)`.
    DateFormat {
        /// The pattern.
        pattern: Arc<str>,
        /// The zone, if one was set.
        zone: RefCell<Option<Arc<str>>>,
    },
    /// A `TimeZone`, by its name.
    Zone(Arc<str>),
    /// A `Calendar`.
    Calendar {
        /// The moment.
        millis: Cell<i64>,
        /// The zone, if one was set.
        zone: RefCell<Option<Arc<str>>>,
    },
    /// `new DecimalFormat(…)`, by its pattern.
    NumberFormat(Arc<str>),
    /// `new StringBuilder()`.
    Builder(RefCell<String>),
    /// The result of `=~`.
    Matcher(Matcher),
    /// `new JsonSlurper()`.
    JsonSlurper,
    /// `new JsonBuilder(…)`, with its content.
    JsonBuilder(RefCell<Value>),
    /// A stretch of time of `TimeCategory`.
    Duration {
        /// Whole months.
        months: i64,
        /// The rest, in milliseconds.
        millis: i64,
    },
    /// An iterator over a copy of a collection.
    Iterator {
        /// The elements.
        items: Vec<Value>,
        /// How many of them were taken.
        taken: Cell<usize>,
    },
}

impl Native {
    /// The simple name of the object's class, as messages name it.
    pub fn class(&self) -> &'static str {
        match self {
            Native::Entry(..) => "Entry",
            Native::Exception { .. } => "Exception",
            Native::Random => "Random",
            Native::DateFormat { .. } => "SimpleDateFormat",
            Native::Zone(_) => "TimeZone",
            Native::Calendar { .. } => "Calendar",
            Native::NumberFormat(_) => "DecimalFormat",
            Native::Builder(_) => "StringBuilder",
            Native::Matcher(_) => "Matcher",
            Native::JsonSlurper => "JsonSlurper",
            Native::JsonBuilder(_) => "JsonBuilder",
            Native::Duration { .. } => "TimeDuration",
            Native::Iterator { .. } => "Iterator",
        }
    }

    /// Whether two objects that are not the same one are equal.
    pub(super) fn same(&self, other: &Native, mut same: impl FnMut(&Value, &Value) -> bool) -> bool {
        match (self, other) {
            (Native::Entry(a, b), Native::Entry(c, d)) => same(a, c) && same(b, d),
            (Native::Zone(a), Native::Zone(b)) => a == b,
            (Native::Duration { months: a, millis: b }, Native::Duration { months: c, millis: d }) => (a, b) == (c, d),
            _ => false,
        }
    }
}
