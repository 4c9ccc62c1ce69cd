//! What is known of an event before anything runs.
//!
//! Events are asked again and again whether they can happen. Most of their guards compare one cell with a constant: these
//! are found in the code once, so that it need not be run.

use crate::ast::BinaryOp;
use crate::code::{EventInfo, Instruction, NONE, Pc, Program, Register};

/// What is known of an event before anything runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    /// Its guard, if that is of the commonest form.
    pub(crate) guard: Option<CellGuard>,
    /// Whether there is code that switches it on or off. Otherwise no step reads its switch.
    pub(crate) is_switched: bool,
}

impl Watch {
    pub(crate) fn of(program: &Program, event: &EventInfo) -> Watch {
        let body = &event.member.body;
        let guard =
            event.guard.and_then(|guard| CellGuard::recognise(program, guard, body.registers, event.member.parameter));
        // The members of a family share their body.
        let is_member = |event: u32| program.events[event as usize].member.body.entry == body.entry;
        let switches = |instruction: &Instruction| match *instruction {
            Instruction::Enable { event, .. } => is_member(event.base),
            _ => false,
        };
        Watch { guard, is_switched: program.code.iter().any(switches) }
    }
}

/// A guard that looks at one cell and compares it with a constant: whether its value is within some bounds, or whether
/// it is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellGuard {
    pub(crate) cell: usize,
    low: i64,
    high: i64,
    within: bool,
}

/// What is known of a register when the guard's code has run so far.
#[derive(Clone, Copy)]
enum Known {
    Constant(i64),
    Cell(usize),
    Compared(CellGuard),
}

impl CellGuard {
    /// The guard that begins at `pc`, if it is of this form. `first` is what its first register holds.
    pub(crate) fn recognise(program: &Program, pc: Pc, registers: u16, first: Option<i64>) -> Option<CellGuard> {
        let mut known = vec![Known::Constant(0); usize::from(registers)];
        if let Some(first) = first {
            known[0] = Known::Constant(first);
        }
        let at = |register: Register| usize::from(register);
        for instruction in &program.code[pc as usize..] {
            let (dst, value) = match *instruction {
                Instruction::Const { dst, value } => (dst, Known::Constant(value)),
                Instruction::Move { dst, src } => (dst, known[at(src)]),
                Instruction::Bound { index, length } => match known[at(index)] {
                    Known::Constant(index) if (0..i64::from(length)).contains(&index) => continue,
                    _ => return None,
                },
                Instruction::Load { dst, place } => {
                    let index = if place.index == NONE { Known::Constant(0) } else { known[at(place.index)] };
                    let Known::Constant(index) = index else { return None };
                    (dst, Known::Cell(place.base as usize + index as usize))
                }
                Instruction::Binary { op, dst, left, right } => (dst, combine(op, known[at(left)], known[at(right)])?),
                Instruction::BinaryConst { op, dst, left, right } => {
                    (dst, combine(op, known[at(left)], Known::Constant(right))?)
                }
                Instruction::GuardEnd { condition, .. } => match known[at(condition)] {
                    Known::Compared(guard) => return Some(guard),
                    _ => return None,
                },
                _ => return None,
            };
            known[at(dst)] = value;
        }
        None
    }

    /// Whether it holds.
    #[inline]
    pub(crate) fn holds(self, words: &[i64]) -> bool {
        let value = words[self.cell];
        (self.low <= value && value <= self.high) == self.within
    }
}

/// What an operation makes of two values; `None` if that is not of the form.
fn combine(op: BinaryOp, left: Known, right: Known) -> Option<Known> {
    match (left, right) {
        (Known::Constant(left), Known::Constant(right)) => op.apply(left, right).ok().map(Known::Constant),
        (Known::Cell(cell), Known::Constant(other)) => compare(op, cell, other),
        (Known::Constant(other), Known::Cell(cell)) => compare(turned(op), cell, other),
        _ => None,
    }
}

fn compare(op: BinaryOp, cell: usize, other: i64) -> Option<Known> {
    let (low, high, within) = match op {
        BinaryOp::Equal => (other, other, true),
        BinaryOp::NotEqual => (other, other, false),
        BinaryOp::LessEqual => (i64::MIN, other, true),
        BinaryOp::Greater => (i64::MIN, other, false),
        BinaryOp::GreaterEqual => (other, i64::MAX, true),
        BinaryOp::Less => (other, i64::MAX, false),
        _ => return None,
    };
    Some(Known::Compared(CellGuard { cell, low, high, within }))
}

/// The comparison with its sides exchanged.
fn turned(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Less => BinaryOp::Greater,
        BinaryOp::LessEqual => BinaryOp::GreaterEqual,
        BinaryOp::Greater => BinaryOp::Less,
        BinaryOp::GreaterEqual => BinaryOp::LessEqual,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Identity, Model, compile};
    use mazurka_core::System;

    /// How many of a program's events can happen at first, and how many have guards of the form.
    fn guards(guards: &str) -> (usize, usize) {
        let source = format!("shared x[3] = 5; {guards}");
        let program = compile("guards.mz", &source, &[]).expect("it compiles");
        let model = Model::new(program.into(), Identity::Presence);
        let mut enabled = Vec::new();
        model.enabled(&model.initial_states()[0], &mut enabled);
        (enabled.len(), model.watches().iter().filter(|watch| watch.guard.is_some()).count())
    }

    #[test]
    fn comparisons_of_one_cell_are_recognised() {
        assert_eq!(guards("event a when x[1] == 5 { x[0] = 1; }"), (1, 1));
        assert_eq!(guards("event a(i in 0..3) when 4 < x[i] { x[0] = 1; }"), (3, 3));
        assert_eq!(guards("event a(i in 0..3) when 5 < x[i] { x[0] = 1; }"), (0, 3));
        assert_eq!(guards("event a(i in 0..3) when x[(i + 1) % 3] >= 2 + 3 { x[0] = 1; }"), (3, 3));
        assert_eq!(guards("event a when x[0] != 5 { x[0] = 1; } event b when x[2] <= 5 { x[0] = 1; }"), (1, 2));
    }

    #[test]
    fn other_guards_are_run() {
        assert_eq!(guards("event a when x[0] == 5 && x[1] == 5 { x[0] = 1; }"), (1, 0));
        assert_eq!(guards("event a when x[0] + 1 == 6 { x[0] = 1; }"), (1, 0));
        assert_eq!(guards("event a when x[x[0] - 4] == 5 { x[0] = 1; }"), (1, 0));
        assert_eq!(guards("event a { x[0] = 1; }"), (1, 0));
    }
}
