//! Loops that wait, while they run: whether a round changed anything. Which loops these are is found in `spin.rs`.
//!
//! An actor remembers in `waits` the loop in whose present round it has changed nothing so far. A change takes that away.

use super::{Done, Run, Stop};
use crate::code::{Instruction as I, NONE};
use crate::model::Model;
use crate::state::{Entry, State, Status, View, pair};
use mazurka_core::{Outcome, Step};

/// How many instructions are tried to find out whether a loop goes on for ever.
const MOST_TRIED: usize = 100_000;

impl Run<'_> {
    /// What stands for a round of a loop.
    fn round(&self, spin: u32) -> u64 {
        pair(spin + 1, self.frame as u32)
    }

    /// Whether nothing was changed since a round of this loop began, or of one around it.
    fn is_unchanged(&self, mut spin: u32) -> bool {
        while spin != NONE {
            if self.head.waits == self.round(spin) {
                return true;
            }
            spin = self.program.spins[spin as usize].parent;
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
    pub(super) fn enter_loop(&mut self, spin: u32) {
        if !self.model.stops_spinning || self.atomics > 0 {
            return;
        }
        self.note_changes();
        let parent = self.program.spins[spin as usize].parent;
        if !self.is_unchanged(parent) {
            self.head.waits = self.round(spin);
        }
        self.begin_round(spin);
    }

    /// A round of a loop is over. If it changed nothing and looked at something, another one is not needed.
    pub(super) fn next_round(&mut self, spin: u32) -> Done<()> {
        if !self.model.stops_spinning || self.atomics > 0 {
            return Ok(());
        }
        self.note_changes();
        let is_unchanged = self.is_unchanged(spin);
        // A round that did not come to a visible operation is local work, however long.
        if is_unchanged && !self.begun.contains(&spin) {
            return Err(Stop::Spins);
        }
        if !is_unchanged {
            self.head.waits = self.round(spin);
        }
        self.begin_round(spin);
        Ok(())
    }

    fn begin_round(&mut self, spin: u32) {
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
            if matches!(program.code[self.pc], I::Enter { spin: other } if other == spin) {
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
            let I::Again { spin } = self.program().code[place(entry) as usize] else { return false };
            let (mut state, mut step) = (State { words: view.words.to_vec(), clocks: None }, Step::default());
            step.begin(Outcome::FIRST);
            Run::new(self, &mut state, &mut step, index).goes_round(spin)
        };
        if spinning.iter().all(goes_round) {
            spinning.iter().for_each(|(_, entry)| self.marks().note(place(*entry), crate::coverage::SPUN));
        }
    }
}
