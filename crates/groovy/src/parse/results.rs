//! The result of a method or closure is the value of its last statement, also when that stands inside of branches.

use crate::tree::{Block, Case, Statement, StatementKind};

/// Makes the last statement return its value.
pub(super) fn with_result(mut statements: Vec<Statement>) -> Block {
    if let Some(last) = statements.pop() {
        statements.push(returning(last));
    }
    statements.into()
}

fn in_block(block: Block) -> Block {
    with_result(block.into_vec())
}

fn returning(statement: Statement) -> Statement {
    let Statement { kind, span } = statement;
    let kind = match kind {
        StatementKind::Expr(value) => StatementKind::Return(Some(value)),
        StatementKind::If { condition, then, otherwise } => {
            StatementKind::If { condition, then: in_block(then), otherwise: in_block(otherwise) }
        }
        StatementKind::Block(block) => StatementKind::Block(in_block(block)),
        StatementKind::Try(mut tried) => {
            tried.body = in_block(tried.body);
            for catch in &mut tried.catches {
                catch.body = in_block(std::mem::take(&mut catch.body));
            }
            StatementKind::Try(tried)
        }
        StatementKind::Switch { label, subject, cases } => {
            let last = cases.len().saturating_sub(1);
            let cases = cases.into_vec().into_iter().enumerate().map(|(index, case)| in_case(case, index == last));
            StatementKind::Switch { label, subject, cases: cases.collect() }
        }
        other => other,
    };
    Statement { kind, span }
}

/// A case gives its value if it ends in `break`, or is the last one; others fall through.
fn in_case(case: Case, last: bool) -> Case {
    let mut statements = case.body.into_vec();
    let breaks = matches!(statements.last(), Some(Statement { kind: StatementKind::Break(None), .. }));
    if !breaks {
        let body = if last { with_result(statements) } else { statements.into() };
        return Case { value: case.value, body };
    }
    let end = statements.pop();
    let mut statements = with_result(statements).into_vec();
    statements.extend(end);
    Case { value: case.value, body: statements.into() }
}
