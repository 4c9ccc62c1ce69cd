//! What the executions of a program came to: noted while they run, by whichever engine and on however many threads. A mark is
//! never taken back.

use crate::code::Program;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// An assumption was found true.
pub(crate) const PASSED: u8 = 1;
/// An execution ended here, because an assumption was false.
pub(crate) const BLOCKED: u8 = 2;
/// An execution ended while an actor waited in a loop here for what no actor does.
pub(crate) const SPUN: u8 = 4;

/// The condition of an assertion may have been looked at: the execution branched here.
pub(crate) const REACHED: u8 = 8;

/// The marks of one model, for each instruction.
#[derive(Debug)]
pub(crate) struct Marks {
    instructions: Box<[AtomicU8]>,
    finished: AtomicBool,
    ended_in_loop: AtomicBool,
}

impl Marks {
    pub(crate) fn new(program: &Program) -> Self {
        let instructions = program.code.iter().map(|_| AtomicU8::new(0)).collect();
        Marks { instructions, finished: AtomicBool::new(false), ended_in_loop: AtomicBool::new(false) }
    }

    /// An execution came to its own end.
    pub(crate) fn note_finished(&self) {
        self.finished.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_finished(&self) -> bool {
        self.finished.load(Ordering::Relaxed)
    }

    /// An execution ended with an actor that waited in a loop.
    pub(crate) fn note_end_in_loop(&self) {
        self.ended_in_loop.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_ended_in_loop(&self) -> bool {
        self.ended_in_loop.load(Ordering::Relaxed)
    }

    /// An execution came to an instruction. It is written once: afterwards all threads only look.
    #[inline]
    pub(crate) fn note(&self, pc: u32, mark: u8) {
        let marks = &self.instructions[pc as usize];
        if marks.load(Ordering::Relaxed) & mark == 0 {
            marks.fetch_or(mark, Ordering::Relaxed);
        }
    }

    pub(crate) fn has(&self, pc: u32, mark: u8) -> bool {
        self.instructions[pc as usize].load(Ordering::Relaxed) & mark != 0
    }
}
