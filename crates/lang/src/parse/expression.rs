//! Expressions.

use super::{MAX_OPERATORS, Parsed, Parser};
use crate::ast::{BinaryOp, Expr, ExprKind, Place, Span, UnaryOp};
use crate::token::Token;
use mazurka_core::Diagnostic;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(Self::conditional)
    }

    /// `c ? a : b`, which binds loosest and groups from the right; or what has no `?`.
    fn conditional(&mut self) -> Parsed<Expr> {
        let condition = self.binary(1)?;
        if self.peek() != Token::Question {
            return Ok(condition);
        }
        self.operator()?;
        let then = self.expr()?;
        self.expect(Token::Colon)?;
        let otherwise = self.nested(Self::conditional)?;
        let span = condition.span.start..otherwise.span.end;
        let kind = ExprKind::Conditional(Box::new(condition), Box::new(then), Box::new(otherwise));
        Ok(Expr { kind, span })
    }

    /// Passes over an operator; an error if the statement has too many of them.
    pub(super) fn operator(&mut self) -> Parsed<()> {
        let sign = self.advance();
        self.operators += 1;
        if self.operators > MAX_OPERATORS {
            let label = format!("at most {MAX_OPERATORS} operators are allowed");
            return Err(Diagnostic::new("an expression that is too long", sign, label));
        }
        Ok(())
    }

    fn binary(&mut self, least: u8) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Some((strength, operator)) = binary_operator(self.peek()) {
            if strength < least {
                break;
            }
            let logical_and = self.peek() == Token::AndAnd;
            self.operator()?;
            let right = self.nested(|parser| parser.binary(strength + 1))?;
            let span = left.span.start..right.span.end;
            let (left_side, right_side) = (Box::new(left), Box::new(right));
            let kind = match operator {
                Some(operator) => ExprKind::Binary(operator, left_side, right_side),
                None => ExprKind::Logical(logical_and, left_side, right_side),
            };
            left = Expr { kind, span };
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let operator = match self.peek() {
            Token::Minus => UnaryOp::Negate,
            Token::Not => UnaryOp::Not,
            _ => return self.primary(),
        };
        let start = self.advance().start;
        // The smallest number has no positive counterpart: the sign belongs to it.
        if operator == UnaryOp::Negate && matches!(self.peek(), Token::Number | Token::HexNumber) {
            let span = self.advance();
            let value = self.number(&span, true)?;
            return Ok(Expr { kind: ExprKind::Number(value), span: start..span.end });
        }
        let operand = self.nested(Self::unary)?;
        let span = start..operand.span.end;
        Ok(Expr { kind: ExprKind::Unary(operator, Box::new(operand)), span })
    }

    fn number(&self, span: &Span, negative: bool) -> Parsed<i64> {
        let digits = self.source[span.clone()].replace('_', "");
        let magnitude = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => digits.parse::<i128>(),
        };
        let value = magnitude.ok().map(|magnitude| if negative { -magnitude } else { magnitude });
        value.and_then(|value| i64::try_from(value).ok()).ok_or_else(|| {
            Diagnostic::new(
                "a number that does not fit into 64 bits",
                span.clone(),
                format!("expected at most {}", i64::MAX),
            )
        })
    }

    fn primary(&mut self) -> Parsed<Expr> {
        if let Some(operation) = self.sync_value()? {
            return Ok(operation);
        }
        let start = self.span().start;
        let kind = match self.peek() {
            Token::Number | Token::HexNumber => {
                let span = self.advance();
                ExprKind::Number(self.number(&span, false)?)
            }
            Token::True => self.literal(1),
            Token::False => self.literal(0),
            Token::OpenParen => {
                self.advance();
                let mut inner = self.expr()?;
                self.expect(Token::CloseParen)?;
                inner.span = start..self.last_end();
                return Ok(inner);
            }
            Token::Cas => {
                let place = self.atomic_operand()?;
                let old = self.expr()?;
                self.expect(Token::Comma)?;
                let new = self.expr()?;
                self.expect(Token::CloseParen)?;
                ExprKind::Cas(place, Box::new(old), Box::new(new))
            }
            Token::Swap => {
                let place = self.atomic_operand()?;
                let value = self.expr()?;
                self.expect(Token::CloseParen)?;
                ExprKind::Swap(place, Box::new(value))
            }
            Token::FetchAdd => {
                let place = self.atomic_operand()?;
                let value = self.expr()?;
                self.expect(Token::CloseParen)?;
                ExprKind::FetchAdd(place, Box::new(value))
            }
            Token::Choose => {
                self.advance();
                self.expect(Token::OpenParen)?;
                let from = self.expr()?;
                self.expect(Token::DotDot)?;
                let to = self.expr()?;
                self.expect(Token::CloseParen)?;
                ExprKind::Choose(Box::new(from), Box::new(to))
            }
            Token::Name if self.next_is(Token::OpenParen) => ExprKind::Call(self.call("the name of a function")?),
            Token::Name => ExprKind::Place(self.place("a variable")?),
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(Expr { kind, span: start..self.last_end() })
    }

    fn literal(&mut self, value: i64) -> ExprKind {
        self.advance();
        ExprKind::Number(value)
    }

    /// `(place,` behind `cas`, `swap` and `fetch_add`.
    fn atomic_operand(&mut self) -> Parsed<Place> {
        self.advance();
        self.expect(Token::OpenParen)?;
        let place = self.place("a shared variable")?;
        self.expect(Token::Comma)?;
        Ok(place)
    }
}

/// The binding strength of a binary operator, and what it is. `None` as the operator stands for `&&` and `||`.
fn binary_operator(token: Token) -> Option<(u8, Option<BinaryOp>)> {
    let operator = match token {
        Token::OrOr => return Some((1, None)),
        Token::AndAnd => return Some((2, None)),
        Token::Or => BinaryOp::Or,
        Token::Xor => BinaryOp::Xor,
        Token::And => BinaryOp::And,
        Token::Equal => BinaryOp::Equal,
        Token::NotEqual => BinaryOp::NotEqual,
        Token::Less => BinaryOp::Less,
        Token::LessEqual => BinaryOp::LessEqual,
        Token::Greater => BinaryOp::Greater,
        Token::GreaterEqual => BinaryOp::GreaterEqual,
        Token::Shl => BinaryOp::ShiftLeft,
        Token::Shr => BinaryOp::ShiftRight,
        Token::Plus => BinaryOp::Add,
        Token::Minus => BinaryOp::Subtract,
        Token::Star => BinaryOp::Multiply,
        Token::Slash => BinaryOp::Divide,
        Token::Percent => BinaryOp::Remainder,
        _ => return None,
    };
    Some((operator.strength(), Some(operator)))
}
