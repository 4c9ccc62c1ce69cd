//! Jinja templates as Home Assistant renders them, as far as they decide something.
//!
//! An evaluator of our own: it asks a [`World`] for states, so that every read is seen, and it has values that cannot
//! be known ([`Val::Opaque`]), such as the month: a decision that depends on one is left to the world. Work and memory
//! are limited; nothing is executed but the expressions of the template.

mod eval;
mod filters;
mod lex;
mod literal;
mod parse;
mod scan;
mod tree;
mod value;

pub use eval::{Error, Variables, World, evaluate, render, truth};
pub(crate) use filters::{from_json, slug};
pub use literal::native;
pub use scan::{Reads, scan};
pub use tree::{Expr, Template};
pub use value::{Moment, Number, Val};

use crate::yaml::Place;

/// The most characters of a template.
pub const MOST_TEXT: usize = 100_000;

/// Reads a template.
pub fn parse(text: &str, place: Place) -> Result<Template, String> {
    if text.len() > MOST_TEXT {
        return Err(format!("the template has more than {MOST_TEXT} characters"));
    }
    parse::template(text, place)
}

/// Whether a text has something to render: Home Assistant looks for the same three marks.
pub fn is_template(text: &str) -> bool {
    ["{{", "{%", "{#"].iter().any(|mark| text.contains(mark))
}
