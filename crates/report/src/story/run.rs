//! What a report is about.

use crate::{Basis, Story, Vacuity};
use mazurka_core::{Exploration, Statistics, Verdict};

/// Why an engine ran that was not asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Picked {
    /// The reason, in a few words.
    pub reason: String,
    /// Those that were tried before it.
    pub tried: Vec<Tried>,
}

/// An engine that did not come to its end, so that another one took over.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// Its name.
    pub engine: &'static str,
    /// What it counted until then.
    pub statistics: Statistics,
}

/// One run of one engine on one program, with its violations told.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The program, as the user named it.
    pub program: &'a str,
    /// The engine's name.
    pub engine: &'a str,
    /// Why this engine, where none was asked for.
    pub picked: Option<&'a Picked>,
    /// What the verdict `verified` rests on.
    pub basis: &'a Basis,
    /// Where the search did not come to its end, another engine to try and why, in one sentence without a full stop.
    pub alternative: Option<&'a str>,
    /// What was seen of the program that may help where the search was too large, in one sentence without a full stop.
    pub hint: Option<&'a str>,
    /// What the engine concluded.
    pub exploration: &'a Exploration,
    /// The violations, in the order of the exploration; the first few are enough for a report in text.
    pub stories: &'a [Story],
}

impl Report<'_> {
    /// How much of what was verified was never put to the test; nothing is claimed where there is another verdict.
    pub fn vacuity(&self) -> Vacuity {
        match self.exploration.verdict {
            Verdict::Verified => self.basis.vacuity(),
            _ => Vacuity::None,
        }
    }

    /// The verdict as a headline has it: a proof that nothing was put to the test for says so.
    pub fn headline(&self) -> String {
        let name = self.exploration.verdict.name();
        match self.vacuity() {
            Vacuity::None => name.to_owned(),
            Vacuity::Part => format!("{name} (partly vacuous)"),
            Vacuity::Whole => format!("{name} (vacuous)"),
        }
    }
}
