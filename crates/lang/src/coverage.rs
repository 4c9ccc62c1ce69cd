//! What the executions of a program came to: noted while they run, by whichever engine and on however many threads.
//!
//! A mark says that some execution came there, and is never taken back. Marks are therefore true whichever engine ran the program and
//! however often. What has no mark after a search that covers every local behaviour is reached by no execution.

use crate::code::{Assertion, Body, Instruction, Pc, Program};
use crate::model::Model;
use mazurka_core::Location;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// An assertion was evaluated, or an assumption was found true.
pub(crate) const PASSED: u8 = 1;
/// An execution ended here, because an assumption stayed false.
pub(crate) const BLOCKED: u8 = 2;

/// The marks of one model.
#[derive(Debug)]
pub(crate) struct Marks {
    instructions: Box<[AtomicU8]>,
    /// For each invariant whether a step changed something that it looks at.
    invariants: Box<[AtomicBool]>,
    /// Whether an execution came to an end at which no actor waits.
    finished: AtomicBool,
}

impl Marks {
    pub(crate) fn new(program: &Program) -> Self {
        Marks {
            instructions: program.code.iter().map(|_| AtomicU8::new(0)).collect(),
            invariants: program.invariants.iter().map(|_| AtomicBool::new(false)).collect(),
            finished: AtomicBool::new(false),
        }
    }

    /// An execution came to an end at which no actor waits.
    pub(crate) fn note_finished(&self) {
        if !self.finished.load(Ordering::Relaxed) {
            self.finished.store(true, Ordering::Relaxed);
        }
    }

    /// An execution came to an instruction. It is written once: afterwards all threads only look.
    #[inline]
    pub(crate) fn note(&self, pc: Pc, mark: u8) {
        let marks = &self.instructions[pc as usize];
        if marks.load(Ordering::Relaxed) & mark == 0 {
            marks.fetch_or(mark, Ordering::Relaxed);
        }
    }

    /// A step changed something that an invariant looks at.
    #[inline]
    pub(crate) fn note_change(&self, invariant: u32) {
        let changed = &self.invariants[invariant as usize];
        if !changed.load(Ordering::Relaxed) {
            changed.store(true, Ordering::Relaxed);
        }
    }

    fn has(&self, pc: Pc, mark: u8) -> bool {
        self.instructions[pc as usize].load(Ordering::Relaxed) & mark != 0
    }
}

/// A statement and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// As the source has it.
    pub text: String,
    /// Where the source has it.
    pub location: Location,
}

/// What became of an assertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssertionCoverage {
    /// The assertion.
    pub statement: Excerpt,
    /// Whether an execution came to it.
    pub reached: bool,
    /// Whether it says no more than that no execution comes to it: `assert(false)`.
    pub is_false: bool,
    /// If it was not reached, an assumption in front of it that no execution passed.
    pub behind: Option<Excerpt>,
}

/// What became of a condition that must never hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvariantCoverage {
    /// The condition.
    pub statement: Excerpt,
    /// Whether a step changed something that it looks at.
    pub changed: bool,
    /// The variables that it looks at.
    pub variables: Vec<String>,
}

/// What the executions so far came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The assertions, in the order of the source.
    pub assertions: Vec<AssertionCoverage>,
    /// The conditions that must never hold.
    pub invariants: Vec<InvariantCoverage>,
    /// The assumptions at which an execution ended.
    pub blocked_at: Vec<Excerpt>,
    /// Whether an execution came to an end at which no actor waits.
    pub finished: bool,
}

impl Coverage {
    /// What the executions of these models of one program came to.
    pub fn of(models: &[&Model]) -> Coverage {
        let Some(first) = models.first() else { return Coverage::default() };
        let program = first.program();
        let has = |pc: Pc, mark: u8| models.iter().any(|model| model.marks().has(pc, mark));
        let pcs = || (0..program.code.len()).map(|pc| (pc as Pc, program.code[pc]));
        let mut assertions: Vec<AssertionCoverage> = Vec::new();
        for (pc, instruction) in pcs() {
            let Instruction::Assert { assertion, .. } = instruction else { continue };
            let Assertion { ref text, line, column, is_false, .. } = program.assertions[assertion as usize];
            let statement = Excerpt { text: text.clone(), location: program.location(line, column) };
            let reached = has(pc, PASSED);
            let behind = || impassable(program, pc, |pc| has(pc, PASSED));
            let behind = if reached { None } else { behind() };
            // The members of a family have code of their own for one statement.
            match assertions.iter_mut().find(|known| known.statement.location == statement.location) {
                Some(known) => known.reached |= reached,
                None => assertions.push(AssertionCoverage { statement, reached, is_false, behind }),
            }
        }
        assertions.sort_by(|one, other| one.statement.location.cmp(&other.statement.location));
        let mut blocked_at: Vec<_> =
            pcs().filter(|&(pc, _)| has(pc, BLOCKED)).map(|(pc, _)| statement(program, pc)).collect();
        blocked_at.sort_by(|one, other| one.location.cmp(&other.location));
        blocked_at.dedup();
        let invariants = program.invariants.iter().enumerate().map(|(number, invariant)| InvariantCoverage {
            statement: Excerpt {
                text: invariant.text.clone(),
                location: program.location(invariant.line, invariant.column),
            },
            changed: models.iter().any(|model| model.marks().invariants[number].load(Ordering::Relaxed)),
            variables: invariant.cells.iter().map(|&cell| program.cell_names[cell as usize].clone()).collect(),
        });
        let finished = models.iter().any(|model| model.marks().finished.load(Ordering::Relaxed));
        Coverage { assertions, invariants: invariants.collect(), blocked_at, finished }
    }
}

fn statement(program: &Program, pc: Pc) -> Excerpt {
    Excerpt { text: program.site(pc).text.clone(), location: program.site_location(pc) }
}

/// The first assumption in front of an instruction, within the same body, that no execution passed.
fn impassable(program: &Program, pc: Pc, passed: impl Fn(Pc) -> bool) -> Option<Excerpt> {
    let members = program.threads.iter().chain(program.events.iter().map(|event| &event.member));
    let bodies = members.map(|member| &member.body).chain(&program.functions).chain(&program.messages);
    let mut around = bodies.filter(|body: &&Body| (body.entry..body.end).contains(&pc));
    let body = around.next()?;
    let waits =
        |pc: &Pc| matches!(program.code[*pc as usize], Instruction::Assume | Instruction::Atomic { guarded: true });
    let closed = (body.entry..pc).filter(waits).find(|&pc| !passed(pc))?;
    Some(statement(program, closed))
}
