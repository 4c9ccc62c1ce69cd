//! Choices within a step.
//!
//! A step is deterministic but for its choices (`choose`, which waiter a signal wakes). One number names a way through
//! all of them: the digits of a mixed-radix number whose radices become known only while the step runs. So an outcome
//! can be decoded on the fly, and the next outcome is the odometer's next reading.

use smallvec::SmallVec;

/// Which way a step took through its choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Outcome(pub u64);

impl Outcome {
    /// The first alternative of every choice; the only outcome of a step without one.
    pub const FIRST: Outcome = Outcome(0);
}

/// The choices that a running step makes, and where the search for further outcomes stands.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    remaining: u64,
    taken: SmallVec<[(u64, u64); 4]>,
}

impl Choices {
    /// Prepares to run a step with this outcome.
    pub fn begin(&mut self, outcome: Outcome) {
        self.remaining = outcome.0;
        self.taken.clear();
    }

    /// The outcome that a step is to take that has not chosen anything yet.
    #[inline]
    pub fn wanted(&self) -> Outcome {
        Outcome(self.remaining)
    }

    /// Takes one of `alternatives` (at least 1) and returns its index.
    pub fn pick(&mut self, alternatives: u64) -> u64 {
        let radix = alternatives.max(1);
        let digit = self.remaining % radix;
        self.remaining /= radix;
        if radix > 1 {
            self.taken.push((digit, radix));
        }
        digit
    }

    /// Whether the outcome was used up: false when it names alternatives that the step did not have.
    pub fn exhausted(&self) -> bool {
        self.remaining == 0
    }

    /// The outcome to run after the one that has just run, if there is a further one.
    #[inline]
    pub fn next(&self) -> Option<Outcome> {
        // Most steps choose nothing.
        if self.taken.is_empty() { None } else { self.turn() }
    }

    /// The outcome that the step took, by its shortest name. For a program whose states remember how they were reached.
    #[inline]
    pub fn outcome(&self) -> Outcome {
        // An outcome that was taken has a name.
        if self.taken.is_empty() { Outcome::FIRST } else { code(&self.taken).unwrap_or_default() }
    }

    /// Turns the odometer by one.
    fn turn(&self) -> Option<Outcome> {
        let mut digits = self.taken.clone();
        while let Some((digit, radix)) = digits.pop() {
            if digit + 1 < radix {
                digits.push((digit + 1, radix));
                return code(&digits);
            }
        }
        None
    }
}

/// The number of these digits. More than 2^64 outcomes of one step cannot be named, let alone explored.
fn code(digits: &[(u64, u64)]) -> Option<Outcome> {
    let add = |code: u64, &(digit, radix): &(u64, u64)| code.checked_mul(radix)?.checked_add(digit);
    digits.iter().rev().try_fold(0, add).map(Outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_outcomes(mut step: impl FnMut(&mut Choices) -> Vec<u64>) -> Vec<Vec<u64>> {
        let mut choices = Choices::default();
        let mut seen = Vec::new();
        let mut outcome = Some(Outcome::FIRST);
        while let Some(current) = outcome {
            choices.begin(current);
            seen.push(step(&mut choices));
            outcome = choices.next();
        }
        seen
    }

    #[test]
    fn every_way_through_dependent_choices_is_named_once() {
        let seen = all_outcomes(|c| {
            let first = c.pick(3);
            if first == 1 { vec![first, c.pick(2), c.pick(2)] } else { vec![first] }
        });
        assert_eq!(seen.len(), 6);
        assert_eq!(seen[1], [1, 0, 0]);
        assert_eq!(seen[4], [1, 1, 1]);
        assert_eq!(seen[5], [2]);
    }

    #[test]
    fn a_step_without_a_choice_has_one_outcome() {
        assert_eq!(all_outcomes(|c| vec![c.pick(1)]).len(), 1);
    }

    #[test]
    fn the_outcome_that_was_taken_leads_there_again() {
        let mut choices = Choices::default();
        let step = |c: &mut Choices| [c.pick(3), c.pick(1), c.pick(5)];
        choices.begin(Outcome(13));
        let taken = step(&mut choices);
        assert_eq!(choices.outcome(), Outcome(13));
        // One beyond the last is another name of one that exists.
        choices.begin(Outcome(13 + 15));
        assert_eq!((step(&mut choices), choices.outcome()), (taken, Outcome(13)));
    }
}
