//! What the verdict `verified` rests on: what was promised, what was considered, and what was never put to the test.

use mazurka_core::{Answered, Fairness, Location};

/// What a verdict rests on. Only the promise is needed; what else a program can tell makes the verdict worth more.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Basis {
    /// What `verified` means, in one sentence without a full stop: composed from what was checked, and from nothing else.
    pub promise: String,
    /// What the promise is composed from, if it is: what no order of events does, as in "deadlocks".
    pub excluded: Vec<&'static str>,
    /// What was considered, one line for each kind of thing: the events that can happen, the values that they can have.
    pub considered: Vec<Considered>,
    /// How many checks the user wrote down: assertions, conditions that must never hold, rules.
    pub stated: usize,
    /// Assertions that no execution reached. Empty unless every execution was looked at.
    pub unreached: Vec<Site>,
    /// The assumptions at which executions ended. How many did is in the statistics.
    pub blocked_at: Vec<Site>,
    /// Whether executions ended with an actor that waits in a loop.
    pub ended_in_loops: bool,
    /// The loops in which actors wait for what does not come any more.
    pub waits_at: Vec<Site>,
    /// The checks that were never put to the test. Empty unless every execution was looked at.
    pub vacuous: Vec<Vacuous>,
    /// Whether every execution ends at an assumption that stays false or in a loop, so that none comes to its own end.
    pub all_blocked: bool,
}

/// One kind of thing that was considered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Considered {
    /// The kind, in one word or two: `events`, `modes`.
    pub what: String,
    /// Which ones, on one line.
    pub text: String,
}

/// A statement of the program, or a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// As the source has it.
    pub text: String,
    /// Where the source has it; a rule of the command line stands nowhere.
    pub location: Option<Location>,
}

/// A check that was never put to the test, so that it would hold whatever it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vacuous {
    /// The check.
    pub site: Site,
    /// Why it was never put to the test, in words that follow it: "was never reached".
    pub reason: String,
    /// What would change that, in one sentence without a full stop.
    pub remedy: Option<String>,
}

/// How much of what the user wrote down was never put to the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vacuity {
    /// Everything was put to the test.
    None,
    /// Some of it was not.
    Part,
    /// Nothing was.
    Whole,
}

impl Vacuity {
    /// The name in machine-readable reports.
    pub fn name(self) -> &'static str {
        match self {
            Vacuity::None => "none",
            Vacuity::Part => "part",
            Vacuity::Whole => "whole",
        }
    }
}

impl Basis {
    /// A promise and nothing else.
    pub fn of(promise: impl Into<String>) -> Self {
        Basis { promise: promise.into(), ..Basis::default() }
    }

    /// The promise that no order of events does any of these, as in "deadlocks".
    pub fn excluding(excluded: Vec<&'static str>) -> Self {
        let promise = match &excluded[..] {
            [] => String::new(),
            [one] => format!("no order of events {one}"),
            [some @ .., last] => format!("no order of events {} or {last}", some.join(", ")),
        };
        Basis { promise, excluded, ..Basis::default() }
    }

    /// Adds something to what the promise excludes; a promise that is not composed stays as it is.
    pub fn exclude(&mut self, one: &'static str) {
        if !self.excluded.is_empty() {
            let excluded = self.excluded.iter().copied().chain([one]).collect();
            let Basis { promise, excluded, .. } = Basis::excluding(excluded);
            (self.promise, self.excluded) = (promise, excluded);
        }
    }

    /// Adds what has to happen in the end. `fairness` is how actors are treated, if not as the program says.
    pub fn promise_to_happen(&mut self, answered: &[Answered], fairness: Option<Fairness>) {
        if answered.is_empty() {
            return;
        }
        let executions = match fairness {
            None => "every fair execution".to_owned(),
            Some(Fairness::None) => "every execution, fair or not".to_owned(),
            Some(fairness) => format!("every execution that is {}ly fair", fairness.name()),
        };
        let joint = if self.promise.is_empty() { "" } else { ", and " };
        self.promise += &format!("{joint}what has to happen in the end happens in {executions}");
        self.stated += answered.len();
        self.vacuous.extend(answered.iter().filter_map(|Answered { property, vacuous }| {
            let site = Site { text: property.text.clone(), location: property.location.clone() };
            Some(Vacuous { site, reason: vacuous.clone()?, remedy: None })
        }));
    }

    /// How much of what the user wrote down was never put to the test.
    pub fn vacuity(&self) -> Vacuity {
        match self.vacuous.len() {
            _ if self.all_blocked => Vacuity::Whole,
            0 => Vacuity::None,
            vacuous if vacuous < self.stated => Vacuity::Part,
            _ => Vacuity::Whole,
        }
    }
}

impl Site {
    /// A statement and its place, on one line.
    pub(crate) fn told(&self) -> String {
        match &self.location {
            Some(location) => format!("`{}` ({location})", self.text),
            None => format!("`{}`", self.text),
        }
    }
}

impl Vacuous {
    /// In one sentence without a full stop.
    pub(crate) fn told(&self) -> String {
        let remedy = self.remedy.iter().map(|remedy| format!("; {remedy}"));
        format!("{} {}{}", self.site.told(), self.reason, remedy.collect::<String>())
    }
}
