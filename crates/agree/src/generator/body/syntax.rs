//! Makes loops with a condition at their end, loops as in C, `switch`, local arrays and conditional expressions.

use super::super::tree::{binary, element, number, place, statement, variable};
use super::Body;
use mazurka_lang::ast::{
    BinaryOp, Block, Case, Declaration, Expr, ExprKind, ForLoop, Initial, Label, Name, Statement, StatementKind,
};

/// A local array and its length.
#[derive(Clone, Debug)]
pub(super) struct Array {
    name: String,
    length: i64,
}

impl Body<'_> {
    /// A loop whose condition comes last.
    pub(super) fn counted_do(&mut self, out: &mut Vec<Statement>) {
        if self.depth > 2 {
            return;
        }
        let (counter, times) = self.counter(out);
        let mut body = self.looped(times as i32, 2);
        let counts = statement(StatementKind::Update(place(&counter), BinaryOp::Add, number(1)));
        body.statements.insert(0, counts);
        let mut condition = binary(BinaryOp::Less, variable(&counter), number(times));
        if self.random.percent(30) {
            let more = self.condition();
            condition = Expr::new(ExprKind::Logical(true, Box::new(condition), Box::new(more)));
        }
        self.push(out, StatementKind::DoWhile(body, condition));
    }

    /// A loop with a start, a condition and a next, up or down.
    pub(super) fn counted_for_loop(&mut self, out: &mut Vec<Statement>) {
        if self.depth > 2 {
            return;
        }
        let counter = self.new_name();
        let times = self.random.between(1, 2);
        let up = self.random.percent(70);
        let (first, op, end) = if up { (0, BinaryOp::Less, times) } else { (times, BinaryOp::Greater, 0) };
        let start = statement(StatementKind::Let(Name::new(&counter), number(first)));
        let end = self.literal_for(end);
        let mut condition = binary(op, variable(&counter), end);
        let locals = self.locals.len();
        self.know(&counter);
        if self.random.percent(30) {
            let more = self.condition();
            condition = Expr::new(ExprKind::Logical(true, Box::new(condition), Box::new(more)));
        }
        let step = if up { BinaryOp::Add } else { BinaryOp::Subtract };
        let next = statement(StatementKind::Update(place(&counter), step, number(1)));
        let body = self.looped(times as i32, 2);
        self.locals.truncate(locals);
        let of = ForLoop { start: Some(start), condition: Some(condition), next: Some(next), body };
        self.push(out, StatementKind::ForLoop(Box::new(of)));
    }

    /// A `switch` with two or three cases, of which one may have two labels; with or without a `default`.
    pub(super) fn cases(&mut self, out: &mut Vec<Statement>) {
        if self.depth > 2 {
            return;
        }
        let value = self.subject();
        let mut values = vec![Some(0), Some(1), Some(2)];
        if self.random.percent(60) {
            values.insert(self.random.below(4), None);
        }
        let mut cases: Vec<Case> = Vec::new();
        for value in values {
            let value = value.map(|value| self.literal_for(value));
            let label = Label { value, span: 0..0 };
            match cases.last_mut() {
                Some(case) if self.random.percent(30) => case.labels.push(label),
                _ => cases.push(Case { labels: vec![label], body: Block::default() }),
            }
        }
        for case in &mut cases {
            case.body = self.block(2);
            case.body.statements.push(statement(StatementKind::Break));
        }
        self.push(out, StatementKind::Switch(value, cases));
    }

    pub(super) fn local_array(&mut self, out: &mut Vec<Statement>) {
        let name = self.new_name();
        let length = self.random.between(2, 3);
        let initial = if self.random.percent(50) {
            Initial::Each((0..length).map(|_| self.small(1)).collect(), 0..0)
        } else {
            Initial::Same(self.small(1))
        };
        let written = Some(self.literal_for(length));
        let of = Declaration { name: Name::new(&name), length: written, of: None, initial };
        self.push(out, StatementKind::Declare(Box::new(of)));
        self.arrays.push(Array { name, length });
    }

    pub(super) fn element_write(&mut self, out: &mut Vec<Statement>) {
        let Some(array) = self.random.pick(&self.arrays).cloned() else { return };
        let index = self.index_of(&array);
        let target = element(&array.name, index);
        if self.random.percent(60) {
            let value = self.small(2);
            self.push(out, StatementKind::Assign(target, value));
        } else {
            let (op, value) = self.change();
            self.push(out, StatementKind::Update(target, op, value));
        }
    }

    /// The value of an element of a local array.
    pub(super) fn element_read(&mut self) -> Option<Expr> {
        let array = self.random.pick(&self.arrays).cloned()?;
        let index = self.index_of(&array);
        Some(Expr::new(ExprKind::Place(element(&array.name, index))))
    }

    /// A constant index; or the value of a local, which is mostly in range.
    fn index_of(&mut self, array: &Array) -> Expr {
        let local = self.random.pick(&self.locals).map(|local| variable(&local.name));
        match local {
            Some(local) if self.random.percent(55) => binary(BinaryOp::Remainder, local, number(array.length)),
            Some(local) if self.random.percent(5) => local,
            _ => number(self.random.between(0, array.length - 1)),
        }
    }

    pub(super) fn conditional(&mut self, depth: u32) -> Expr {
        let condition = Box::new(self.comparison(depth));
        let then = Box::new(self.value(depth));
        let otherwise = Box::new(self.value(depth));
        Expr::new(ExprKind::Conditional(condition, then, otherwise))
    }
}
