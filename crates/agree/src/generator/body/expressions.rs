//! Makes expressions: values that stay small, conditions, and guards that only look.

use super::super::tree::{binary, call, element, number, place, variable};
use super::super::{Callable, Thing};
use super::{Body, Mode};
use mazurka_lang::ast::{BinaryOp, Expr, ExprKind, Place, UnaryOp};

impl Body<'_> {
    pub(super) fn literal(&mut self) -> Expr {
        let value = self.random.between(0, 2);
        self.literal_for(value)
    }

    /// A number as it is, or as a constant that has its value.
    pub(super) fn literal_for(&mut self, value: i64) -> Expr {
        match self.world.constants.iter().find(|constant| constant.1 == value) {
            Some((name, _)) if self.random.percent(50) => variable(name),
            _ => number(value),
        }
    }

    pub(super) fn local(&mut self) -> Option<Expr> {
        if !self.arrays.is_empty() && self.random.percent(30) {
            return self.element_read();
        }
        self.random.pick(&self.locals).map(|local| variable(&local.name))
    }

    /// The value of a shared variable.
    pub(super) fn shared(&mut self) -> Expr {
        self.spend(1);
        match self.variable_place() {
            Some(place) => Expr::new(ExprKind::Place(place)),
            None => number(0),
        }
    }

    pub(super) fn variable_place(&mut self) -> Option<Place> {
        self.object(&self.world.variables)
    }

    /// One of several things; an element of it with a constant or a computed index where it is an array.
    pub(super) fn object(&mut self, things: &[Thing]) -> Option<Place> {
        let thing = self.random.pick(things)?;
        let Some((first, count)) = thing.range else { return Some(place(&thing.name)) };
        let constant = number(first + self.random.between(0, count - 1));
        let index = match self.local() {
            _ if self.random.percent(40) => constant,
            Some(local) if self.random.percent(70) => within(local, first, count),
            _ if self.affords(1) && self.random.percent(30) => {
                self.spend(1);
                let scalar = self.world.variables.iter().find(|variable| variable.range.is_none());
                scalar.map_or(constant, |scalar| within(variable(&scalar.name), first, count))
            }
            _ => constant,
        };
        Some(element(&thing.name, index))
    }

    pub(super) fn arguments(&mut self, count: usize) -> Vec<Expr> {
        (0..count).map(|_| if self.affords(1) { self.small(1) } else { self.simple() }).collect()
    }

    /// A value that costs nothing.
    pub(super) fn simple(&mut self) -> Expr {
        match self.local() {
            Some(local) if self.random.percent(60) => local,
            _ => self.literal(),
        }
    }

    /// A value with few possibilities, if those that it is made of have few.
    pub(in super::super) fn small(&mut self, depth: u32) -> Expr {
        let value = self.value(depth);
        match value.kind {
            ExprKind::Number(_) | ExprKind::Place(_) | ExprKind::Logical(..) | ExprKind::Choose(..) => value,
            ExprKind::Cas(..) | ExprKind::Swap(..) | ExprKind::FetchAdd(..) => value,
            ExprKind::Sync(..) | ExprKind::WaitTimeout(..) => value,
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Conditional(..) | ExprKind::Call(_) => {
                binary(BinaryOp::Remainder, value, number(3))
            }
        }
    }

    pub(super) fn value(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return if self.affords(1) && self.random.percent(30) { self.shared() } else { self.simple() };
        }
        match self.random.below(13) {
            12 => self.conditional(depth - 1),
            0..=3 => self.simple(),
            4..=6 if self.affords(1) => self.shared(),
            7 | 8 => {
                const OPERATORS: [BinaryOp; 7] = [
                    BinaryOp::Add,
                    BinaryOp::Add,
                    BinaryOp::Subtract,
                    BinaryOp::Multiply,
                    BinaryOp::And,
                    BinaryOp::Or,
                    BinaryOp::Xor,
                ];
                let op = OPERATORS[self.random.below(OPERATORS.len())];
                let left = self.value(depth - 1);
                binary(op, left, self.value(depth - 1))
            }
            9 if self.random.percent(50) => {
                let op = if self.random.percent(50) { UnaryOp::Negate } else { UnaryOp::Not };
                Expr::new(ExprKind::Unary(op, Box::new(self.value(depth - 1))))
            }
            9 => self.logical(depth - 1),
            10 if self.acts() && self.affords(1) => self.exchanged(),
            11 => self.looked_up().unwrap_or_else(|| self.simple()),
            _ => self.simple(),
        }
    }

    /// A call of a function that only looks.
    pub(super) fn looked_up(&mut self) -> Option<Expr> {
        let looks: Vec<&Callable> =
            self.world.functions.iter().filter(|function| function.mode == Mode::Look).collect();
        let &function = self.random.pick(&looks)?;
        if !self.affords(function.cost) {
            return None;
        }
        self.spend(function.cost);
        let arguments = self.arguments(function.parameters);
        Some(Expr::new(ExprKind::Call(call(&function.name, arguments))))
    }

    pub(super) fn logical(&mut self, depth: u32) -> Expr {
        let left = self.comparison(depth);
        let right = self.comparison(depth);
        Expr::new(ExprKind::Logical(self.random.percent(50), Box::new(left), Box::new(right)))
    }

    pub(super) fn comparison(&mut self, depth: u32) -> Expr {
        const OPERATORS: [BinaryOp; 8] = [
            BinaryOp::Equal,
            BinaryOp::Equal,
            BinaryOp::NotEqual,
            BinaryOp::NotEqual,
            BinaryOp::Less,
            BinaryOp::LessEqual,
            BinaryOp::Greater,
            BinaryOp::GreaterEqual,
        ];
        let op = OPERATORS[self.random.below(OPERATORS.len())];
        let left = if self.random.percent(70) { self.subject() } else { self.value(depth) };
        let right = if self.random.percent(70) { self.literal() } else { self.value(depth) };
        binary(op, left, right)
    }

    /// Something that may have more than one value.
    pub(super) fn subject(&mut self) -> Expr {
        match self.local() {
            Some(local) if !self.affords(1) || self.random.percent(50) => local,
            _ => self.shared(),
        }
    }

    pub(super) fn condition(&mut self) -> Expr {
        match self.random.below(10) {
            0 => self.value(2),
            1 => self.logical(1),
            _ => self.comparison(1),
        }
    }

    /// A condition that only looks and is one step.
    pub(in super::super) fn guard(&mut self) -> Expr {
        let (left, spent, mode) = (self.left, self.spent, self.mode);
        (self.left, self.mode) = (3, Mode::Look);
        let value = self.shared();
        let op = if self.random.percent(60) { BinaryOp::Equal } else { BinaryOp::NotEqual };
        let mut guard = binary(op, value, self.literal());
        if self.random.percent(35) {
            let other = Box::new(self.comparison(1));
            guard = Expr::new(ExprKind::Logical(self.random.percent(50), Box::new(guard), other));
        }
        (self.left, self.spent, self.mode) = (left, spent, mode);
        guard
    }

    /// A condition on shared variables that few members of a large family meet at a time: one in this many.
    pub(in super::super) fn guard_of_few(&mut self, member: &str) -> Expr {
        let (left, spent, mode) = (self.left, self.spent, self.mode);
        (self.left, self.mode) = (3, Mode::Look);
        let many = number(self.random.between(20, 40));
        let guard = binary(BinaryOp::Equal, self.shared(), binary(BinaryOp::Remainder, variable(member), many));
        (self.left, self.spent, self.mode) = (left, spent, mode);
        guard
    }
}

/// An index that is in range as long as the value is not negative.
fn within(value: Expr, first: i64, count: i64) -> Expr {
    let offset = if count == 2 {
        binary(BinaryOp::And, value, number(1))
    } else {
        binary(BinaryOp::Remainder, value, number(count))
    };
    if first == 0 { offset } else { binary(BinaryOp::Add, offset, number(first)) }
}
