//! What can go wrong while a script runs.

use super::frozen::NotFreezable;
use super::span::{Position, Span};
use super::value::Value;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Why a run stops: what went wrong, and where.
///
/// It is one pointer wide, because every evaluation returns one or a value.
#[derive(Debug)]
pub struct Trouble(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: TroubleKind,
    place: Option<SourcePlace>,
    /// What is not known and was taken for null.
    unknown: Option<Arc<str>>,
}

#[derive(Clone, Copy, Debug)]
struct SourcePlace {
    span: Span,
    position: Position,
    tag: u32,
}

/// The kinds of trouble. Those up to [`TroubleKind::Thrown`] are exceptions, which a script can catch.
#[derive(Debug)]
pub enum TroubleKind {
    /// Something was asked of null; the text says what.
    NullPointer(String),
    /// The receiver does not know the method.
    MissingMethod {
        /// What the method was called on, in words.
        receiver: String,
        /// The method.
        method: String,
        /// The text of each argument.
        arguments: Vec<String>,
    },
    /// The receiver does not know the property.
    MissingProperty {
        /// What the property was asked of, in words.
        receiver: String,
        /// The property.
        property: String,
    },
    /// A value cannot become one of that class.
    BadCast {
        /// The value, in words.
        value: String,
        /// The class.
        class: String,
    },
    /// An index outside of a list or text.
    IndexOutOfRange(String),
    /// A division by zero, or a number too large.
    Arithmetic(String),
    /// A text that is not the number, date or JSON that it should be.
    BadFormat {
        /// The exception's class: `NumberFormatException`, `ParseException`, `JsonException`.
        class: &'static str,
        /// The text.
        message: String,
    },
    /// An argument that the method does not take.
    IllegalArgument(String),
    /// An `assert` that failed.
    Assertion(String),
    /// What the script itself threw, or the host on its behalf.
    Thrown {
        /// The simple name of the exception's class.
        class: String,
        /// Its message, if it has one.
        message: Option<String>,
    },

    /// A construct or a library method that is not modelled. No script can catch it.
    Unsupported(String),
    /// The step budget is used up. Whether the script would end is not known.
    OutOfFuel,
    /// The memory budget is used up.
    OutOfMemory,
    /// Calls are nested too deeply.
    TooDeep,
    /// The host stops the run for reasons of its own.
    Host(Box<dyn Any>),
}

impl From<NotFreezable> for Trouble {
    /// A value that is too large or nested too deeply is beyond what is modelled; of another kind, it is the app's fault.
    fn from(error: NotFreezable) -> Self {
        match error {
            NotFreezable::Kind(_) => Trouble::illegal(error.to_string()),
            NotFreezable::Nested | NotFreezable::Large => Trouble::unsupported(error.to_string()),
        }
    }
}

impl Trouble {
    /// Trouble whose place is not known yet: the interpreter adds the place of the innermost expression.
    #[cold]
    pub fn new(kind: TroubleKind) -> Self {
        Trouble(Box::new(Inner { kind, place: None, unknown: None }))
    }

    /// The platform's own reason to stop.
    pub fn host(reason: impl Any) -> Self {
        Trouble::new(TroubleKind::Host(Box::new(reason)))
    }

    /// A construct or a library method that is not modelled.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Trouble::new(TroubleKind::Unsupported(what.into()))
    }

    /// An exception of a class by its simple name, as if the script had thrown it.
    pub fn thrown(class: impl Into<String>, message: impl Into<String>) -> Self {
        Trouble::new(TroubleKind::Thrown { class: class.into(), message: Some(message.into()) })
    }

    /// Something was asked of null.
    pub fn null(what: impl Into<String>) -> Self {
        Trouble::new(TroubleKind::NullPointer(what.into()))
    }

    /// An argument that a method does not take.
    pub fn illegal(what: impl Into<String>) -> Self {
        Trouble::new(TroubleKind::IllegalArgument(what.into()))
    }

    /// What went wrong.
    pub fn kind(&self) -> &TroubleKind {
        &self.0.kind
    }

    /// Something that is not known, if it went wrong because that is null here ([`Value::Unknown`]).
    pub fn unknown(&self) -> Option<&str> {
        self.0.unknown.as_deref()
    }

    /// What went wrong just now in doing something with these values: it may be due to one that is not known.
    #[must_use]
    pub(super) fn by_unknown<'v>(mut self, values: impl IntoIterator<Item = &'v Value>) -> Self {
        // Trouble that has its place came from further inside, where other values were at hand.
        if self.is_catchable() && self.0.unknown.is_none() && self.0.place.is_none() {
            self.0.unknown = values.into_iter().find_map(|value| match value {
                Value::Unknown(what) => Some(what.clone()),
                _ => None,
            });
        }
        self
    }

    /// What went wrong, by value.
    pub fn into_kind(self) -> TroubleKind {
        self.0.kind
    }

    /// The line and column in the script.
    pub fn position(&self) -> Option<Position> {
        self.0.place.map(|place| place.position)
    }

    /// The stretch of the source.
    pub fn span(&self) -> Option<Span> {
        self.0.place.map(|place| place.span)
    }

    /// The tag of the instance that ran into it.
    pub fn tag(&self) -> Option<u32> {
        self.0.place.map(|place| place.tag)
    }

    /// Gives the trouble its place, unless it has one.
    #[must_use]
    pub fn locate(mut self, span: Span, tag: u32, position: impl FnOnce() -> Position) -> Self {
        if self.0.place.is_none() {
            self.0.place = Some(SourcePlace { span, position: position(), tag });
        }
        self
    }

    /// Whether `catch` of a script can see it.
    pub fn is_catchable(&self) -> bool {
        use TroubleKind as Kind;
        !matches!(
            self.0.kind,
            Kind::Unsupported(_) | Kind::OutOfFuel | Kind::OutOfMemory | Kind::TooDeep | Kind::Host(_)
        )
    }

    /// The simple name of the exception's class.
    pub fn class(&self) -> &str {
        use TroubleKind as Kind;
        match &self.0.kind {
            Kind::NullPointer(_) => "NullPointerException",
            Kind::MissingMethod { .. } => "MissingMethodException",
            Kind::MissingProperty { .. } => "MissingPropertyException",
            Kind::BadCast { .. } => "GroovyCastException",
            Kind::IndexOutOfRange(_) => "IndexOutOfBoundsException",
            Kind::Arithmetic(_) => "ArithmeticException",
            Kind::BadFormat { class, .. } => class,
            Kind::IllegalArgument(_) => "IllegalArgumentException",
            Kind::Assertion(_) => "AssertionError",
            Kind::Thrown { class, .. } => class,
            Kind::Unsupported(_) => "unsupported",
            Kind::OutOfFuel => "out of fuel",
            Kind::OutOfMemory => "out of memory",
            Kind::TooDeep => "too deep",
            Kind::Host(_) => "host",
        }
    }

    /// What `e.message` of a script would be; `None` for an exception without one.
    pub fn message(&self) -> Option<String> {
        use TroubleKind as Kind;
        Some(match &self.0.kind {
            Kind::NullPointer(what) => what.clone(),
            Kind::MissingMethod { receiver, method, arguments } => {
                format!("no method {method}({}) on {receiver}", arguments.join(", "))
            }
            Kind::MissingProperty { receiver, property } => format!("no property {property} on {receiver}"),
            Kind::BadCast { value, class } => format!("cannot make {value} a {class}"),
            Kind::BadFormat { message, .. } => message.clone(),
            Kind::IndexOutOfRange(what)
            | Kind::Arithmetic(what)
            | Kind::IllegalArgument(what)
            | Kind::Assertion(what) => what.clone(),
            Kind::Thrown { message, .. } => return message.clone(),
            Kind::Unsupported(what) => format!("not supported: {what}"),
            Kind::OutOfFuel => "the handler takes too many steps: it probably loops for ever".to_owned(),
            Kind::OutOfMemory => "the handler builds too much data".to_owned(),
            Kind::TooDeep => "calls are nested too deeply".to_owned(),
            Kind::Host(_) => "stopped by the platform".to_owned(),
        })
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message() {
            Some(message) if self.is_catchable() => write!(f, "{}: {message}", self.class()),
            Some(message) => f.write_str(&message),
            None => f.write_str(self.class()),
        }
    }
}

impl std::error::Error for Trouble {}
