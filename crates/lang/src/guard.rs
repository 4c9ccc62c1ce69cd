//! Guards of the commonest form, one cell compared with a constant, found in the code once so that nobody has to run it.
//!
//! Events are asked again and again whether they can happen; most of their guards are of this form.

use crate::ast::BinaryOp;
use crate::code::{Instruction, NONE, Pc, Program, Register};

/// A guard that looks at one cell and compares it with a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellGuard {
    pub(crate) cell: usize,
    op: BinaryOp,
    other: i64,
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
        let (value, other) = (words[self.cell], self.other);
        match self.op {
            BinaryOp::Equal => value == other,
            BinaryOp::NotEqual => value != other,
            BinaryOp::Less => value < other,
            BinaryOp::LessEqual => value <= other,
            BinaryOp::Greater => value > other,
            _ => value >= other,
        }
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
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    let compares = matches!(op, Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual);
    compares.then_some(Known::Compared(CellGuard { cell, op, other }))
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
        (enabled.len(), model.cell_guards().iter().flatten().count())
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
