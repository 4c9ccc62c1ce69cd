//! Short names for building syntax trees.

use mazurka_lang::ast::{BinaryOp, Block, Call, Expr, ExprKind, Name, Place, Statement, StatementKind};

pub(super) fn number(value: i64) -> Expr {
    Expr::new(ExprKind::Number(value))
}

/// A variable without an index.
pub(super) fn variable(name: &str) -> Expr {
    Expr::new(ExprKind::Place(place(name)))
}

pub(super) fn place(name: &str) -> Place {
    Place { name: Name::new(name), index: None }
}

pub(super) fn element(name: &str, index: Expr) -> Place {
    Place { name: Name::new(name), index: Some(Box::new(index)) }
}

pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::new(ExprKind::Binary(op, Box::new(left), Box::new(right)))
}

pub(super) fn call(name: &str, arguments: Vec<Expr>) -> Call {
    Call { name: Name::new(name), arguments }
}

pub(super) fn statement(kind: StatementKind) -> Statement {
    Statement { kind, span: 0..0 }
}

pub(super) fn assign(name: &str, value: Expr) -> Statement {
    statement(StatementKind::Assign(place(name), value))
}

pub(super) fn when(condition: Expr, then: Vec<Statement>) -> Statement {
    statement(StatementKind::If(condition, Block { statements: then }, None))
}
