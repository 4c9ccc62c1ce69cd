//! For each step of the path, the sum of the names of everything that happens no earlier.
//!
//! A reversal leaves out just that, and is known by the name of the trace that is left (`memory`). Most reversals were done
//! before: with these sums that is seen without a look at the steps that are left.
//!
//! A step adds its name to what comes after the last step of each actor that it knows of; what that actor did before is
//! counted when the sums are asked for. This is kept for few actors only: see [`VectorClock::row`].

use mazurka_core::{ActorId, VectorClock};

/// The sums, by actor and the number of its step.
#[derive(Clone, Default)]
pub(super) struct Afters {
    /// The names of the steps of which this one is the last that they know of its actor.
    known: Vec<Vec<u128>>,
    sums: Vec<Vec<u128>>,
    /// How many steps of the path are not among these.
    missing: usize,
}

impl Afters {
    /// Adds a step of an actor.
    pub(super) fn push(&mut self, actor: ActorId, clock: &VectorClock, name: u128) {
        if clock.row().is_some() {
            if self.known.len() <= actor.index() {
                self.known.resize_with(actor.index() + 1, Vec::new);
            }
            self.known[actor.index()].push(0);
        }
        self.change(clock, |sum| sum.wrapping_add(name), 1);
    }

    /// Takes the last step back.
    pub(super) fn pop(&mut self, actor: ActorId, clock: &VectorClock, name: u128) {
        self.change(clock, |sum| sum.wrapping_sub(name), -1);
        if clock.row().is_some() {
            self.known[actor.index()].pop();
        }
    }

    fn change(&mut self, clock: &VectorClock, with: impl Fn(u128) -> u128, missing: isize) {
        let Some(row) = clock.row() else {
            self.missing = self.missing.wrapping_add_signed(missing);
            return;
        };
        for (known, &number) in self.known.iter_mut().zip(row) {
            if let Some(sum) = (number as usize).checked_sub(1).and_then(|last| known.get_mut(last)) {
                *sum = with(*sum);
            }
        }
    }

    /// Brings the sums up to date.
    pub(super) fn sum(&mut self) {
        self.sums.resize_with(self.known.len(), Vec::new);
        for (sums, known) in self.sums.iter_mut().zip(&self.known) {
            let mut sum = 0u128;
            sums.clear();
            sums.extend(known.iter().rev().map(|name| {
                sum = sum.wrapping_add(*name);
                sum
            }));
            sums.reverse();
        }
    }

    /// The sum for a step of an actor, if it is known.
    pub(super) fn of(&self, actor: ActorId, number: u32) -> Option<u128> {
        (self.missing == 0).then(|| self.sums[actor.index()][number as usize - 1])
    }
}
