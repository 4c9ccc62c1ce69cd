//! `switch`: it goes on at the case with its value, and no case runs into the next one.
//!
//! What compiles means what it means in C: a case ends with `break`, `continue` or `return`, or is the last one. A case
//! without statements shares those of the next.

use super::Compiler;
use crate::ast::{BinaryOp, Block, Case, Expr, StatementKind};
use crate::code::{Instruction, Pc};
use hashbrown::HashSet;

impl Compiler<'_> {
    pub(super) fn switch(&mut self, value: &Expr, cases: &[Case]) {
        let values = self.case_values(cases);
        self.check_ends(cases);
        let value = self.expr(value);
        let is_equal = self.register();
        let jump_if = |compiler: &mut Self, right: i64| {
            compiler.emit(Instruction::BinaryConst { op: BinaryOp::Equal, dst: is_equal, left: value, right });
            compiler.emit(Instruction::Branch { condition: is_equal, when: true, to: 0 })
        };
        let jumps: Vec<Vec<Pc>> =
            values.iter().map(|values| values.iter().map(|&value| jump_if(self, value)).collect()).collect();
        let otherwise = self.emit(Instruction::Jump { to: 0 });
        self.close_statement();
        let default = cases.iter().position(|case| case.labels.iter().any(|label| label.value.is_none()));
        // Without a `default`, a value that no case has leaves the switch.
        self.enter(None, default.is_none().then_some(otherwise));
        for (number, (case, jumps)) in cases.iter().zip(jumps).enumerate() {
            jumps.into_iter().for_each(|jump| self.land(jump));
            if default == Some(number) {
                self.land(otherwise);
            }
            self.block(&case.body);
        }
        self.end_loop();
    }

    /// The values of each case. Each value stands once, and `default` at most once.
    fn case_values(&mut self, cases: &[Case]) -> Vec<Vec<i64>> {
        let (mut seen, mut has_default) = (HashSet::new(), false);
        let mut all = Vec::new();
        for case in cases {
            let mut values = Vec::new();
            for label in &case.labels {
                match &label.value {
                    Some(expr) => {
                        let errors = self.errors.len();
                        let value = self.constant(expr, "the value of a case");
                        if self.errors.len() > errors {
                            continue;
                        }
                        if !seen.insert(value) {
                            self.error(format!("a second case for {value}"), &label.span, "expected each value once");
                        }
                        values.push(value);
                    }
                    None if has_default => {
                        self.error("a second `default`", &label.span, "expected at most one");
                    }
                    None => has_default = true,
                }
            }
            all.push(values);
        }
        all
    }

    fn check_ends(&mut self, cases: &[Case]) {
        let all_but_the_last = &cases[..cases.len().saturating_sub(1)];
        for case in all_but_the_last {
            if let Some(label) = case.labels.last()
                && !leaves(&case.body)
            {
                let message = format!("`{}` runs into the next case", self.text(&label.span));
                self.error(
                    message,
                    &label.span,
                    "expected `break`, `continue` or `return` at the end of its statements",
                );
            }
        }
    }
}

/// Whether a block ends with a statement behind which nothing is done.
fn leaves(block: &Block) -> bool {
    match block.statements.last().map(|statement| &statement.kind) {
        Some(StatementKind::Break | StatementKind::Continue | StatementKind::Return(_)) => true,
        Some(StatementKind::If(_, then, Some(otherwise))) => leaves(then) && leaves(otherwise),
        Some(StatementKind::Atomic(block)) => leaves(block),
        _ => false,
    }
}
