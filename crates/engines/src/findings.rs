//! Violations, each kept once and with the shortest way to it that was seen.
//!
//! A search meets the same fault again and again. Which violations are the same is decided here: those of one place in
//! the program ([`Violation::same_site`]), or only equal ones where somebody wants to know every set of values. An
//! engine keeps with each whatever leads it there (`P`): a schedule, or the number of a state.

use hashbrown::HashTable;
use mazurka_core::{
    Counter, Exploration, Found, Statistics, Stepper, StopReason, System, Verdict, Violation, ViolationKind,
};
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash, Hasher};

/// A violation and how it was reached.
pub(crate) struct Finding<P> {
    pub(crate) violation: Violation,
    /// The length of the schedule.
    pub(crate) length: u64,
    pub(crate) place: P,
}

/// Violations in the order in which they were first met.
pub(crate) struct Findings<P> {
    by_values: bool,
    found: Vec<Finding<P>>,
    /// Indices into `found`.
    index: HashTable<usize>,
}

impl<P> Findings<P> {
    /// Nothing yet. With `by_values`, violations of one place with different values are different.
    pub(crate) fn new(by_values: bool) -> Self {
        Findings { by_values, found: Vec::new(), index: HashTable::new() }
    }

    /// Whether violations of one place with different values are different.
    pub(crate) fn by_values(&self) -> bool {
        self.by_values
    }

    /// Whether nothing was found.
    pub(crate) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether a violation at the end of a schedule of this length says something new: it is the first of its kind, or
    /// reached in fewer steps than the one that is known.
    pub(crate) fn wants(&self, violation: &Violation, length: u64) -> bool {
        self.position(violation).is_none_or(|known| length < self.found[known].length)
    }

    /// Keeps a violation if it says something new; true if it is the first of its kind.
    pub(crate) fn note(&mut self, violation: &Violation, length: u64, place: impl FnOnce() -> P) -> bool {
        match self.position(violation) {
            Some(known) if length < self.found[known].length => {
                self.found[known] = Finding { violation: violation.clone(), length, place: place() };
                false
            }
            Some(_) => false,
            None => {
                let (found, by_values) = (&self.found, self.by_values);
                self.index.insert_unique(key(by_values, violation), found.len(), |&other| {
                    key(by_values, &found[other].violation)
                });
                self.found.push(Finding { violation: violation.clone(), length, place: place() });
                true
            }
        }
    }

    /// Takes everything out and keeps the memory.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Finding<P>> + '_ {
        self.index.clear();
        self.found.drain(..)
    }

    /// Leaves only the first of those with the shortest schedules.
    pub(crate) fn keep_first(&mut self) {
        let first = (0..self.found.len()).min_by_key(|&index| self.found[index].length);
        self.index.clear();
        self.found = first.map(|index| self.found.swap_remove(index)).into_iter().collect();
    }

    /// What was found, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Finding<P>> {
        self.found.iter()
    }

    fn position(&self, violation: &Violation) -> Option<usize> {
        let same = |other: &Violation| if self.by_values { other == violation } else { other.same_site(violation) };
        self.index.find(key(self.by_values, violation), |&index| same(&self.found[index].violation)).copied()
    }
}

fn key(by_values: bool, violation: &Violation) -> u64 {
    let mut hasher = FxBuildHasher.build_hasher();
    (violation.kind, &violation.location, &violation.message).hash(&mut hasher);
    if by_values {
        (violation.actor, &violation.values).hash(&mut hasher);
    }
    hasher.finish()
}

/// Whether the violation occurs when its schedule is run from the start.
pub(crate) fn occurs<S: System>(system: &S, found: &Found) -> bool {
    Stepper::replay(system, &found.schedule).is_some_and(|(_, violations)| violations.contains(&found.violation))
}

/// Says how many ends an assumption blocked. Where something was found, whoever waits may wait for one whom that stopped, so
/// that nothing is said.
pub(crate) fn blocked_by_assume(statistics: &mut Statistics, blocked: u64, found: &[Option<Found>]) {
    if blocked > 0 && found.is_empty() {
        statistics.set(Counter::AssumeBlocked, blocked);
    }
}

/// Ends a search: every violation is replayed from the start, then the conclusion is drawn.
///
/// A violation that does not occur again is one of a program that is not deterministic, for which no engine can speak. Of a
/// program that says so itself, nothing is replayed.
pub(crate) fn conclude<S: System>(
    system: &S,
    stop: StopReason,
    cut: Option<(mazurka_core::Bound, u64)>,
    found: Vec<Option<Found>>,
    statistics: Statistics,
) -> Exploration {
    let expected = found.len();
    let is_unsupported = |found: &Found| found.violation.kind == ViolationKind::Unsupported;
    let holds = |found: &Found| is_unsupported(found) || occurs(system, found);
    let violations: Vec<Found> = found.into_iter().flatten().filter(holds).collect();
    let lost = violations.len() < expected;
    let mut exploration = Exploration::conclude(stop, cut, violations, statistics);
    if let Some(unsupported) = system.insight().unsupported()
        && exploration.verdict != Verdict::Violated
    {
        exploration.verdict = Verdict::Unsupported(unsupported.told());
    } else if lost && exploration.verdict != Verdict::Violated {
        exploration.verdict = Verdict::Unsupported("the program did not do the same thing twice".into());
    }
    exploration
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::ActorId;

    fn violation(message: &str, actor: u32) -> Violation {
        Violation { actor: Some(ActorId(actor)), ..Violation::new(ViolationKind::Assertion, message) }
    }

    #[test]
    fn one_per_place_with_the_shortest_way_to_it() {
        let mut findings = Findings::new(false);
        assert!(findings.note(&violation("a", 0), 5, || 'x'));
        assert!(!findings.note(&violation("a", 1), 5, || 'y'));
        assert!(findings.note(&violation("b", 1), 4, || 'z'));
        assert!(!findings.wants(&violation("a", 1), 5) && findings.wants(&violation("a", 1), 3));
        assert!(!findings.note(&violation("a", 1), 3, || 'w'));
        let kept: Vec<_> = findings.iter().map(|finding| (finding.length, finding.place)).collect();
        assert_eq!(kept, [(3, 'w'), (4, 'z')]);
        findings.keep_first();
        assert_eq!(findings.iter().map(|finding| finding.place).collect::<Vec<_>>(), ['w']);
    }

    #[test]
    fn values_tell_violations_apart_when_they_are_wanted() {
        let mut findings = Findings::new(true);
        assert!(findings.note(&violation("a", 0), 1, || ()));
        assert!(findings.note(&violation("a", 1), 1, || ()));
        assert!(!findings.note(&violation("a", 0), 1, || ()));
        assert_eq!(findings.drain().count(), 2);
        assert!(findings.is_empty() && findings.wants(&violation("a", 0), 9));
    }
}
