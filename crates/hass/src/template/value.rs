//! The values of templates.
#![allow(missing_docs, reason = "fields and variants are called what Home Assistant calls them")]

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A value of a template, of a variable, or of an action's data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Val {
    /// A name without a definition: renders as nothing, and is false.
    Undefined,
    /// `none`
    None,
    Bool(bool),
    Int(i64),
    Float(Number),
    Text(Arc<str>),
    List(Arc<Vec<Val>>),
    Map(Arc<Vec<(Val, Val)>>),
    /// What cannot be known, and why.
    Opaque(Arc<str>),
    /// The state object of an entity.
    State(Arc<str>),
    /// `states`, or `states.domain`.
    States(Option<Arc<str>>),
    /// A moment, plus this many milliseconds.
    Moment(Moment, i64),
    /// How much later the first moment is than the second one, plus this many milliseconds.
    Between(Box<(Moment, Moment)>, i64),
    /// A length of time in milliseconds.
    Span(i64),
    /// `namespace(…)`, by its number within one rendering.
    Space(usize),
    /// A macro, by its number within one rendering.
    Macro(usize),
}

/// A moment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    Now,
    /// When the state of an entity changed last.
    Changed(Arc<str>),
    /// A time of this day, in seconds.
    Today,
}

/// A number with a point, which can be told apart by its bits.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f64);

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Number {}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Val {
    /// A text.
    pub fn text(text: impl AsRef<str>) -> Val {
        Val::Text(Arc::from(text.as_ref()))
    }

    /// A list.
    pub fn list(items: Vec<Val>) -> Val {
        Val::List(Arc::new(items))
    }

    /// A number with a point.
    pub fn float(number: f64) -> Val {
        Val::Float(Number(number))
    }

    /// Something that cannot be known.
    pub fn opaque(why: impl AsRef<str>) -> Val {
        Val::Opaque(Arc::from(why.as_ref()))
    }

    /// The number that it is; texts are none.
    pub fn number(&self) -> Option<f64> {
        match self {
            Val::Bool(value) => Some(f64::from(u8::from(*value))),
            Val::Int(value) => Some(*value as f64),
            Val::Float(value) => Some(value.0),
            _ => None,
        }
    }

    /// The number that it is or that its text spells.
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Val::Text(text) => spelled(text),
            other => other.number(),
        }
    }

    /// Why it is not known, if it or a part of it is not.
    pub fn why_opaque(&self) -> Option<Arc<str>> {
        match self {
            Val::Opaque(why) => Some(Arc::clone(why)),
            Val::List(items) => items.iter().find_map(Val::why_opaque),
            Val::Map(entries) => entries.iter().find_map(|(_, value)| value.why_opaque()),
            Val::Moment(..) => Some(Arc::from("the time")),
            Val::Between(..) => Some(Arc::from("how long ago something was")),
            _ => None,
        }
    }

    /// What Python calls the type.
    pub fn kind(&self) -> &'static str {
        match self {
            Val::Undefined => "Undefined",
            Val::None => "NoneType",
            Val::Bool(_) => "bool",
            Val::Int(_) => "int",
            Val::Float(_) => "float",
            Val::Text(_) => "str",
            Val::List(_) => "list",
            Val::Map(_) => "dict",
            Val::Opaque(_) => "something unknown",
            Val::State(_) => "TemplateState",
            Val::States(_) => "states",
            Val::Moment(..) => "datetime",
            Val::Between(..) | Val::Span(_) => "timedelta",
            Val::Space(_) => "Namespace",
            Val::Macro(_) => "Macro",
        }
    }
}

/// The number that a text spells, as `float()` of Python reads it; infinities and NaN are none.
pub(super) fn spelled(text: &str) -> Option<f64> {
    let text = text.trim();
    let first = text.trim_start_matches(['+', '-']).chars().next()?;
    if !(first.is_ascii_digit() || first == '.') {
        return None;
    }
    text.replace('_', "").parse::<f64>().ok().filter(|number| number.is_finite())
}

/// As Python's `str` writes it.
impl fmt::Display for Val {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Val::Undefined => Ok(()),
            Val::Text(text) => f.write_str(text),
            other => other.write(f),
        }
    }
}

impl Val {
    /// As Python's `repr` writes it.
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Val::Undefined => f.write_str("Undefined"),
            Val::None => f.write_str("None"),
            Val::Bool(true) => f.write_str("True"),
            Val::Bool(false) => f.write_str("False"),
            Val::Int(number) => write!(f, "{number}"),
            Val::Float(Number(number)) => write!(f, "{}", float_text(*number)),
            Val::Text(text) => {
                let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
                write!(f, "{quote}{}{quote}", text.replace('\\', "\\\\").replace('\n', "\\n"))
            }
            Val::List(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    item.write(f)?;
                }
                f.write_str("]")
            }
            Val::Map(entries) => {
                f.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    f.write_str(if index > 0 { ", " } else { "" })?;
                    key.write(f)?;
                    f.write_str(": ")?;
                    value.write(f)?;
                }
                f.write_str("}")
            }
            Val::Opaque(why) => write!(f, "<{why}>"),
            Val::State(entity) => write!(f, "<template TemplateState({entity})>"),
            Val::States(domain) => write!(f, "<states {}>", domain.as_deref().unwrap_or("")),
            Val::Moment(moment, plus) => write!(f, "<{moment:?} + {plus} ms>"),
            Val::Between(moments, plus) => write!(f, "<{:?} - {:?} + {plus} ms>", moments.0, moments.1),
            Val::Span(ms) => {
                let seconds = ms / 1000;
                let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
                if days != 0 {
                    write!(f, "{days} day{}, ", if days.abs() == 1 { "" } else { "s" })?;
                }
                write!(f, "{}:{:02}:{:02}", rest / 3600, rest / 60 % 60, rest % 60)
            }
            Val::Space(_) => f.write_str("<Namespace>"),
            Val::Macro(_) => f.write_str("<Macro>"),
        }
    }
}

/// A number with a point as Python writes it.
fn float_text(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    if number != 0.0 && !(1e-4..1e16).contains(&number.abs()) {
        let text = format!("{number:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, digits) = match exponent.strip_prefix('-') {
            Some(digits) => ('-', digits),
            None => ('+', exponent),
        };
        return format!("{mantissa}e{sign}{digits:0>2}");
    }
    format!("{number:?}")
}
