//! What a report is about.

use crate::Story;
use mazurka_core::Exploration;

/// One run of one engine on one program, with its violations told.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The program, as the user named it.
    pub program: &'a str,
    /// The engine's name.
    pub engine: &'a str,
    /// Why this engine, where nobody asked for it, in a few words.
    pub picked: Option<&'a str>,
    /// What the verdict `verified` means for this engine, in one sentence without a full stop.
    pub promise: &'a str,
    /// What was seen of the program that may help where the search was too large, in one sentence without a full stop.
    pub hint: Option<&'a str>,
    /// What the engine concluded.
    pub exploration: &'a Exploration,
    /// The violations, in the order of the exploration; the first few are enough for a report in text.
    pub stories: &'a [Story],
}
