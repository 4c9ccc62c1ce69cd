//! A parsed script.

use super::span::{Position, Span};
use mazurka_core::Diagnostic;

/// The text of an app, ready to run: immutable, and shared between threads.
#[derive(Debug)]
pub struct Script {
    lines: Vec<u32>,
}

/// Reads a script.
pub fn parse(source: &str) -> Result<Script, Vec<Diagnostic>> {
    let _ = source;
    Err(vec![Diagnostic::new("not written yet", 0..0, "")])
}

impl Script {
    /// Whether there is a method of that name.
    pub fn has_method(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// The names of all methods, in the order of the text.
    pub fn method_names(&self) -> impl Iterator<Item = &str> {
        std::iter::empty()
    }

    /// Where a stretch of the source begins.
    pub fn position(&self, span: Span) -> Position {
        let line = self.lines.partition_point(|&start| start <= span.start);
        Position { line: line as u32, column: 1 }
    }
}
