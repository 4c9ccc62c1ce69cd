//! What an engine must report: the same as every other engine, whatever the order in which it comes upon it.
//!
//! Actors are left out, because models tell them apart in two ways ([`mazurka_lang::Identity`]). Fingerprints and values
//! do not depend on that.

use mazurka_core::{Ending, Fingerprint, Observer, Violation};
use std::collections::BTreeSet;
use std::fmt;

/// A violation without the actor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sighting {
    kind: &'static str,
    line: u32,
    column: u32,
    message: String,
    values: Vec<(String, String)>,
}

impl From<&Violation> for Sighting {
    fn from(violation: &Violation) -> Self {
        let (line, column) = violation.location.as_ref().map_or((0, 0), |place| (place.line, place.column));
        Sighting {
            kind: violation.kind.name(),
            line,
            column,
            message: violation.message.clone(),
            values: violation.values.iter().map(|value| (value.name.clone(), value.value.clone())).collect(),
        }
    }
}

impl fmt::Display for Sighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in line {}: {}", self.kind, self.line, self.message)?;
        for (index, (name, value)) in self.values.iter().enumerate() {
            write!(f, "{}{name} = {value}", if index == 0 { ", with " } else { ", " })?;
        }
        Ok(())
    }
}

/// What it means that no actor can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EndClass {
    /// Everything is done.
    Finished,
    /// An assumption stays false.
    Blocked,
    /// Some actor still has something to do.
    Deadlock,
}

/// What was observed while a program was explored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observations {
    /// The violations with their values, deadlocks included.
    pub violations: BTreeSet<Sighting>,
    /// The states in which no actor can move.
    pub ends: BTreeSet<(EndClass, Fingerprint)>,
}

impl Observations {
    /// Takes down a state in which no actor can move.
    pub fn note_end(&mut self, ending: &Ending, state: Fingerprint) {
        let class = match ending {
            Ending::Finished => EndClass::Finished,
            Ending::Blocked => EndClass::Blocked,
            Ending::Deadlock(_) => EndClass::Deadlock,
        };
        self.ends.insert((class, state));
    }

    /// Takes down a violation.
    pub fn note_violation(&mut self, violation: &Violation) {
        self.violations.insert(violation.into());
    }

    /// Whether an actor can get stuck.
    pub fn has_stuck_states(&self) -> bool {
        self.ends.iter().any(|(class, _)| *class == EndClass::Deadlock)
    }

    /// The same without the states in which an actor is stuck.
    pub fn without_stuck_states(&self) -> Observations {
        let ends = self.ends.iter().filter(|(class, _)| *class == EndClass::Finished).copied().collect();
        Observations { violations: self.violations.clone(), ends }
    }

    /// What is here and not there, in words; `None` if all of it is there.
    pub fn beyond(&self, other: &Observations) -> Option<String> {
        let sightings: Vec<&Sighting> = self.violations.difference(&other.violations).collect();
        let ends: Vec<&(EndClass, Fingerprint)> = self.ends.difference(&other.ends).collect();
        if let Some(first) = sightings.first() {
            return Some(format!("{first}{}", and_more(sightings.len(), "violations")));
        }
        let (class, fingerprint) = ends.first()?;
        let class = format!("{class:?}").to_lowercase();
        Some(format!("a {class} end state, {:032x}{}", fingerprint.0, and_more(ends.len(), "end states")))
    }
}

fn and_more(count: usize, what: &str) -> String {
    if count > 1 { format!(" (one of {count} such {what})") } else { String::new() }
}

impl Observer for Observations {
    fn violation(&mut self, violation: &Violation) {
        self.note_violation(violation);
    }

    fn end(&mut self, ending: &Ending, state: Fingerprint) {
        self.note_end(ending, state);
    }

    fn wants_values(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::{Value, ViolationKind};

    #[test]
    fn what_is_missing_is_said_in_words() {
        let mut more = Observations::default();
        let mut violation = Violation::new(ViolationKind::Assertion, "assertion failed: x == 0");
        violation.values.push(Value { name: "x".into(), value: "1".into() });
        more.violation(&violation);
        more.end(&Ending::Blocked, Fingerprint(7));
        more.end(&Ending::Finished, Fingerprint(8));
        let mut less = Observations::default();
        assert_eq!(more.beyond(&less).as_deref(), Some("assertion in line 0: assertion failed: x == 0, with x = 1"));
        less.violation(&violation);
        assert!(more.beyond(&less).is_some_and(|words| words.starts_with("a finished end state, 0000")));
        assert_eq!(less.beyond(&more), None);
    }
}
