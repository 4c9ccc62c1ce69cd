//! From a report to a text, a page or a picture; and how numbers, names and verdicts are written in all of them.

pub mod compare;
pub mod format;
pub mod html;
pub mod json;
pub mod junit;
pub mod layout;
pub(crate) mod meaning;
pub mod progress;
pub mod sarif;
pub(crate) mod table;
pub mod terminal;
pub mod text;
pub mod unfolding;
pub mod walkthrough;
