//! What is wrong with an input, before it is a program.

use std::ops::Range;

/// An error in a source text: what, where, and what was expected there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// The bytes of the source that it is about.
    pub span: Range<usize>,
    /// What stands under the marked text: what was expected.
    pub label: String,
    /// Further advice, a line each.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn new(message: impl Into<String>, span: Range<usize>, label: impl Into<String>) -> Self {
        Diagnostic { message: message.into(), span, label: label.into(), notes: Vec::new() }
    }

    /// Adds advice.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}
