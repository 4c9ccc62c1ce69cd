//! Expressions: assignments, operators, casts.

use super::declaration::cast_to;
use super::token::Token;
use super::{Parsed, Parser, is_primitive};
use crate::frozen::Frozen;
use crate::span::Span;
use crate::tree::{Binary, Expr, ExprKind, Unary};
use mazurka_core::Diagnostic;
use std::sync::Arc;

/// How tightly the operators bind; the larger, the tighter.
mod level {
    pub(super) const OR: u8 = 1;
    pub(super) const AND: u8 = 2;
    pub(super) const BIT_OR: u8 = 3;
    pub(super) const BIT_XOR: u8 = 4;
    pub(super) const BIT_AND: u8 = 5;
    pub(super) const MATCH: u8 = 6;
    pub(super) const EQUAL: u8 = 7;
    pub(super) const RELATION: u8 = 8;
    pub(super) const SHIFT: u8 = 9;
    pub(super) const ADD: u8 = 10;
    pub(super) const MULTIPLY: u8 = 11;
}

/// An operator between two operands, or between an operand and a type.
#[derive(Clone, Copy)]
enum Infix {
    Binary(Binary),
    And,
    Or,
    Range { exclusive: bool },
    As,
    InstanceOf { negated: bool },
}

/// What an assignment sign does.
enum AssignKind {
    Plain,
    IfFalse,
    Update(Binary),
}

impl Parser<'_> {
    /// An expression where a statement may stand: calls without parentheses are allowed.
    pub(super) fn command_expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.assignment(true))
    }

    /// Any other expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.assignment(false))
    }

    fn assignment(&mut self, commands: bool) -> Parsed<Expr> {
        let start = self.span();
        if self.multiple_assignment_follows() {
            return self.multiple_assignment(start);
        }
        let mut left = self.ternary()?;
        if commands && self.command_follows(&left) {
            left = self.command_call(left)?;
        }
        let Some(kind) = assign_kind(self.peek()) else { return Ok(left) };
        if !left.is_place() {
            let label = "expected a variable, a property or an element";
            return Err(Diagnostic::new("nothing that can be assigned to", left.span.range(), label));
        }
        self.chained()?;
        self.advance();
        self.skip_newlines();
        let value = self.nested(|parser| parser.assignment(commands))?;
        let kind = self.assigned(kind, left, value);
        Ok(self.make(kind, start))
    }

    fn assigned(&mut self, kind: AssignKind, target: Expr, value: Expr) -> ExprKind {
        let class = self.declared_class(&target);
        let target_box = Box::new(target);
        match kind {
            AssignKind::Plain => {
                ExprKind::Assign { target: target_box, value: Box::new(cast_to(value, class.as_ref())) }
            }
            AssignKind::IfFalse => ExprKind::UpdateIfFalse { target: target_box, value: Box::new(value) },
            // A typed variable must convert the result, so the update is spelled out.
            AssignKind::Update(op) => match (class, &target_box.kind) {
                (Some(class), ExprKind::Local(slot)) => {
                    let span = target_box.span.to(value.span);
                    let left = Box::new(Expr { kind: ExprKind::Local(*slot), span: target_box.span });
                    let sum = Expr { kind: ExprKind::Binary { op, left, right: Box::new(value) }, span };
                    ExprKind::Assign { target: target_box, value: Box::new(cast_to(sum, Some(&class))) }
                }
                _ => ExprKind::Update { target: target_box, op, value: Box::new(value) },
            },
        }
    }

    /// The class that a local variable was declared with. The target has just been read, so its name stands there.
    fn declared_class(&mut self, target: &Expr) -> Option<Arc<str>> {
        let ExprKind::Local(_) = target.kind else { return None };
        let name = self.names.intern(self.source.get(target.span.range())?);
        self.scopes.resolve(name)?.class
    }

    fn multiple_assignment_follows(&self) -> bool {
        let mut index = self.at;
        if self.token_at(index) != Token::OpenParen {
            return false;
        }
        loop {
            let name = self.token_at(index + 1) == Token::Name;
            match self.token_at(index + 2) {
                Token::Comma if name => index += 2,
                Token::CloseParen if name => return index > self.at && self.token_at(index + 3) == Token::Assign,
                _ => return false,
            }
        }
    }

    fn multiple_assignment(&mut self, start: Span) -> Parsed<Expr> {
        self.expect(Token::OpenParen)?;
        let mut targets = vec![self.ternary()?];
        while self.accept(Token::Comma) {
            targets.push(self.ternary()?);
        }
        self.expect(Token::CloseParen)?;
        self.expect(Token::Assign)?;
        self.skip_newlines();
        let value = Box::new(self.expression()?);
        Ok(self.make(ExprKind::AssignMany { targets: targets.into(), value }, start))
    }

    /// `a ? b : c`, `a ?: b`, and everything that binds tighter.
    pub(super) fn ternary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let condition = self.binary(0)?;
        self.continue_line(&[Token::Question, Token::Elvis]);
        match self.peek() {
            Token::Elvis => {
                self.chained()?;
                self.advance();
                self.skip_newlines();
                let right = Box::new(self.nested(Self::ternary)?);
                Ok(self.make(ExprKind::Elvis { left: Box::new(condition), right }, start))
            }
            Token::Question => {
                self.chained()?;
                self.advance();
                self.skip_newlines();
                let yes = Box::new(self.expression()?);
                self.skip_newlines();
                self.expect(Token::Colon)?;
                self.skip_newlines();
                let no = Box::new(self.expression()?);
                Ok(self.make(ExprKind::Ternary { condition: Box::new(condition), yes, no }, start))
            }
            _ => Ok(condition),
        }
    }

    /// Goes on to the next line if that begins with one of these signs, which cannot begin a statement.
    pub(super) fn continue_line(&mut self, signs: &[Token]) {
        let next = self.past_newlines();
        if next > self.at && signs.contains(&self.token_at(next)) {
            self.at = next;
        }
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let start = self.span();
        let mut left = self.unary()?;
        loop {
            self.continue_line(&[Token::AndAnd, Token::OrOr]);
            let Some((infix, level, length)) = self.infix() else { return Ok(left) };
            if level < least {
                return Ok(left);
            }
            self.chained()?;
            for _ in 0..length {
                self.advance();
            }
            self.skip_newlines();
            let kind = self.infix_rest(infix, level, left)?;
            left = self.make(kind, start);
        }
    }

    fn infix_rest(&mut self, infix: Infix, level: u8, left: Expr) -> Parsed<ExprKind> {
        let left = Box::new(left);
        match infix {
            Infix::As => Ok(ExprKind::As { value: left, class: self.type_name()? }),
            Infix::InstanceOf { negated } => {
                Ok(ExprKind::InstanceOf { value: left, class: self.type_name()?, negated })
            }
            _ => {
                let right = Box::new(self.nested(|parser| parser.binary(level + 1))?);
                Ok(match infix {
                    Infix::And => ExprKind::And { left, right },
                    Infix::Or => ExprKind::Or { left, right },
                    Infix::Range { exclusive } => ExprKind::Range { from: left, to: right, exclusive },
                    Infix::Binary(op) => ExprKind::Binary { op, left, right },
                    Infix::As | Infix::InstanceOf { .. } => ExprKind::This,
                })
            }
        }
    }

    /// The operator that stands here, how tightly it binds and how many tokens it has.
    fn infix(&self) -> Option<(Infix, u8, usize)> {
        let binary = |op, level| Some((Infix::Binary(op), level, 1));
        match self.peek() {
            Token::OrOr => Some((Infix::Or, level::OR, 1)),
            Token::AndAnd => Some((Infix::And, level::AND, 1)),
            Token::Or => binary(Binary::BitOr, level::BIT_OR),
            Token::Xor => binary(Binary::BitXor, level::BIT_XOR),
            Token::And => binary(Binary::BitAnd, level::BIT_AND),
            Token::Find => binary(Binary::Find, level::MATCH),
            Token::Match => binary(Binary::Match, level::MATCH),
            Token::Equal => binary(Binary::Equal, level::EQUAL),
            Token::NotEqual => binary(Binary::NotEqual, level::EQUAL),
            Token::Identical => binary(Binary::Identical, level::EQUAL),
            Token::NotIdentical => binary(Binary::NotIdentical, level::EQUAL),
            Token::Compare => binary(Binary::Compare, level::EQUAL),
            Token::Less => binary(Binary::Less, level::RELATION),
            Token::LessEqual => binary(Binary::LessEqual, level::RELATION),
            Token::Greater => binary(Binary::Greater, level::RELATION),
            Token::GreaterEqual => binary(Binary::GreaterEqual, level::RELATION),
            Token::Shl => binary(Binary::ShiftLeft, level::SHIFT),
            Token::Shr => binary(Binary::ShiftRight, level::SHIFT),
            Token::Ushr => binary(Binary::ShiftRightUnsigned, level::SHIFT),
            Token::Range => Some((Infix::Range { exclusive: false }, level::SHIFT, 1)),
            Token::RangeExclusive => Some((Infix::Range { exclusive: true }, level::SHIFT, 1)),
            Token::Plus => binary(Binary::Add, level::ADD),
            Token::Minus => binary(Binary::Subtract, level::ADD),
            Token::Star => binary(Binary::Multiply, level::MULTIPLY),
            Token::Slash => binary(Binary::Divide, level::MULTIPLY),
            Token::Percent => binary(Binary::Remainder, level::MULTIPLY),
            Token::Name => self.infix_word(self.at, false),
            Token::Not => self.infix_word(self.at + 1, true),
            _ => None,
        }
    }

    fn infix_word(&self, index: usize, negated: bool) -> Option<(Infix, u8, usize)> {
        let length = 1 + usize::from(negated);
        match self.word_at(index) {
            "in" if negated => Some((Infix::Binary(Binary::NotIn), level::RELATION, length)),
            "in" => Some((Infix::Binary(Binary::In), level::RELATION, length)),
            "instanceof" => Some((Infix::InstanceOf { negated }, level::RELATION, length)),
            "as" if !negated => Some((Infix::As, level::RELATION, length)),
            _ => None,
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let op = match self.peek() {
            Token::Not => Unary::Not,
            Token::Minus => Unary::Negate,
            Token::Plus => Unary::Plus,
            Token::Tilde => Unary::Tilde,
            Token::PlusPlus | Token::MinusMinus => return self.prefix_step(start),
            Token::OpenParen if self.cast_follows() => return self.cast(start),
            _ => return self.power(),
        };
        self.advance();
        let operand = self.nested(Self::unary)?;
        Ok(match negated_constant(op, &operand) {
            Some(value) => self.make(ExprKind::Constant(value), start),
            None => self.make(ExprKind::Unary { op, operand: Box::new(operand) }, start),
        })
    }

    fn prefix_step(&mut self, start: Span) -> Parsed<Expr> {
        let up = self.advance().token == Token::PlusPlus;
        let target = self.nested(Self::unary)?;
        self.stepped(target, up, true, start)
    }

    pub(super) fn stepped(&mut self, target: Expr, up: bool, prefix: bool, start: Span) -> Parsed<Expr> {
        if !target.is_place() {
            let label = "expected a variable, a property or an element";
            return Err(Diagnostic::new("nothing that can be counted up or down", target.span.range(), label));
        }
        Ok(self.make(ExprKind::Step { target: Box::new(target), up, prefix }, start))
    }

    /// `a ** b` binds tighter than a sign before it.
    fn power(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let left = self.postfix()?;
        if self.peek() != Token::Power {
            return Ok(left);
        }
        self.chained()?;
        self.advance();
        self.skip_newlines();
        let right = Box::new(self.nested(Self::unary)?);
        Ok(self.make(ExprKind::Binary { op: Binary::Power, left: Box::new(left), right }, start))
    }

    /// Whether the parentheses here hold a type, and something to cast follows them.
    fn cast_follows(&self) -> bool {
        let Some((end, known)) = self.type_end(self.at + 1) else { return false };
        if self.token_at(end) != Token::CloseParen {
            return false;
        }
        let primitive = is_primitive(self.word_at(self.at + 1));
        known && self.operand_at(end + 1, primitive)
    }

    /// Whether an operand begins at an index. After `(Name)` a sign is an operator, after `(int)` it is not.
    fn operand_at(&self, index: usize, signs: bool) -> bool {
        match self.token_at(index) {
            Token::Name => !matches!(self.word_at(index), "in" | "as" | "instanceof" | "else" | "is"),
            Token::Number | Token::Text | Token::TextOpen | Token::OpenParen | Token::OpenBracket => true,
            Token::Minus | Token::Plus | Token::Not => signs,
            _ => false,
        }
    }

    fn cast(&mut self, start: Span) -> Parsed<Expr> {
        self.expect(Token::OpenParen)?;
        let class = self.type_name()?;
        self.expect(Token::CloseParen)?;
        let value = Box::new(self.nested(Self::unary)?);
        Ok(self.make(ExprKind::Cast { value, class }, start))
    }
}

fn assign_kind(token: Token) -> Option<AssignKind> {
    Some(AssignKind::Update(match token {
        Token::Assign => return Some(AssignKind::Plain),
        Token::ElvisAssign => return Some(AssignKind::IfFalse),
        Token::PlusAssign => Binary::Add,
        Token::MinusAssign => Binary::Subtract,
        Token::StarAssign => Binary::Multiply,
        Token::SlashAssign => Binary::Divide,
        Token::PercentAssign => Binary::Remainder,
        Token::PowerAssign => Binary::Power,
        Token::AndAssign => Binary::BitAnd,
        Token::OrAssign => Binary::BitOr,
        Token::XorAssign => Binary::BitXor,
        Token::ShlAssign => Binary::ShiftLeft,
        Token::ShrAssign => Binary::ShiftRight,
        Token::UshrAssign => Binary::ShiftRightUnsigned,
        _ => return None,
    }))
}

fn negated_constant(op: Unary, operand: &Expr) -> Option<Frozen> {
    match (op, &operand.kind) {
        (Unary::Negate, ExprKind::Constant(Frozen::Int(number))) => Some(Frozen::Int(number.wrapping_neg())),
        (Unary::Negate, ExprKind::Constant(Frozen::Long(number))) => {
            let number = number.wrapping_neg();
            Some(i32::try_from(number).map_or(Frozen::Long(number), Frozen::Int))
        }
        (Unary::Negate, ExprKind::Constant(Frozen::Decimal(number))) => Some(Frozen::Decimal(-number)),
        _ => None,
    }
}
