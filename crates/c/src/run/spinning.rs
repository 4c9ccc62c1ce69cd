//! Loops that wait, while they run: whether a round changed anything. Which loops these are is found in `spin.rs`.
//!
//! An actor remembers in `waits` the loop in whose present round it has changed nothing so far. A change takes that away.

use super::{Done, Run, Stop};
use crate::code::{Instruction as I, NONE, Operand};
use crate::model::Model;
use crate::state::{Entry, State, Status, View};
use mazurka_core::{Outcome, Step};

/// How the bits of a round are divided.
const KEPT_BITS: u32 = 40;
const SPIN_BITS: u32 = 12;
const FRAME_BITS: u32 = 12;

/// How many instructions are tried to find out whether a loop goes on for ever.
const MOST_TRIED: usize = 100_000;

impl Run<'_> {
    /// What stands for a round of a loop: which one, in which frame, and what the round uses of the one before; none if
    /// these are too large.
    fn round(&self, spin: u32, kept: u64) -> Option<u64> {
        let (spin, frame) = (u64::from(spin) + 1, self.frame as u64);
        (spin < 1 << SPIN_BITS && frame < 1 << FRAME_BITS && kept < 1 << KEPT_BITS)
            .then_some(frame << (SPIN_BITS + KEPT_BITS) | spin << KEPT_BITS | kept)
    }

    /// Whether nothing was changed since a round of a loop began that is around this one.
    fn is_unchanged_around(&self, spin: u32) -> bool {
        let mut around = self.program.spins[spin as usize].parent;
        while around != NONE {
            if self.round(around, 0) == Some(self.head.waits >> KEPT_BITS << KEPT_BITS) {
                return true;
            }
            around = self.program.spins[around as usize].parent;
        }
        false
    }

    /// What was changed in this step ends the round without changes.
    #[inline]
    pub(super) fn note_changes(&mut self) {
        if self.model.stops_spinning && std::mem::take(&mut self.changed) {
            self.head.waits = 0;
        }
    }

    /// The first round of a loop begins.
    pub(super) fn enter_loop(&mut self, spin: u32, kept: Operand) {
        if !self.model.stops_spinning || self.atomics > 0 {
            return;
        }
        self.note_changes();
        self.begin_round(spin, kept);
    }

    /// A round of a loop is over. If it changed nothing and looked at something, another one is not needed.
    pub(super) fn next_round(&mut self, spin: u32, kept: Operand) -> Done<()> {
        if !self.model.stops_spinning || self.atomics > 0 {
            return Ok(());
        }
        self.note_changes();
        let is_same = self.round(spin, self.get(kept)) == Some(self.head.waits)
            || !self.program.spins[spin as usize].keeps && self.is_unchanged_around(spin);
        // A round that did not come to a visible operation is local work, however long.
        if is_same && !self.begun.contains(&spin) {
            return Err(Stop::Spins);
        }
        self.begin_round(spin, kept);
        Ok(())
    }

    /// Remembers the round, unless a loop around this one is remembered, which knows more.
    fn begin_round(&mut self, spin: u32, kept: Operand) {
        if self.program.spins[spin as usize].keeps || !self.is_unchanged_around(spin) {
            self.head.waits = self.round(spin, self.get(kept)).unwrap_or(0);
        }
        if !self.begun.contains(&spin) {
            self.begun.push(spin);
        }
    }

    /// Whether another round, without any step of others, ends where it began.
    fn goes_round(mut self, spin: u32) -> bool {
        let program = self.program;
        let (again, frame) = (self.pc, self.frame);
        self.atomics = 1;
        self.changed = false;
        for _ in 0..MOST_TRIED {
            // One instruction at a time.
            self.fuel = 1;
            if !matches!(self.go_on(), Err(Stop::Wrong(..))) || self.changed || self.frame < frame {
                return false;
            }
            if self.pc == again && self.frame == frame {
                return true;
            }
            if matches!(program.code[self.pc], I::Enter { spin: other, .. } if other == spin) {
                return false;
            }
        }
        false
    }
}

impl Model {
    /// No actor can move, and some wait in loops: notes these loops if their rounds would go on for ever.
    pub(crate) fn note_spinning(&self, view: View<'_>) {
        let spinning: Vec<(usize, Entry)> =
            view.entries().enumerate().filter(|(_, entry)| entry.status == Status::Spinning).collect();
        let place = |entry: Entry| view.head(entry).pc;
        if spinning.iter().all(|(_, entry)| self.marks().has(place(*entry), crate::coverage::SPUN)) {
            return;
        }
        let goes_round = |&(index, entry): &(usize, Entry)| {
            let I::Again { spin, .. } = self.program().code[place(entry) as usize] else { return false };
            let (mut state, mut step) = (State { words: view.words.to_vec(), clocks: None }, Step::default());
            step.begin(Outcome::FIRST);
            Run::new(self, &mut state, &mut step, index).goes_round(spin)
        };
        if spinning.iter().all(goes_round) {
            spinning.iter().for_each(|(_, entry)| self.marks().note(place(*entry), crate::coverage::SPUN));
        }
    }
}
