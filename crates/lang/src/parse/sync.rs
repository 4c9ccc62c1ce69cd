//! Semaphores, read-write locks, channels, and operations that are written like calls.
//!
//! Their words are not reserved: a variable may be called `channel`, and a file that defines a function `send` calls that
//! one.

use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind, Item, ObjectKind, SyncOp};
use crate::token::Token;
use mazurka_core::Diagnostic;

/// The words that are no operations of their own kind.
pub(super) const WAIT_TIMEOUT: &str = "wait_timeout";

impl Parser<'_> {
    pub(super) fn text(&self) -> &str {
        &self.source[self.span()]
    }

    /// Reads the definition of semaphores, read-write locks or channels, if there is one here.
    pub(super) fn sync_item(&mut self, items: &mut Vec<Item>) -> Parsed<bool> {
        if self.peek() != Token::Name || !self.next_is(Token::Name) {
            return Ok(false);
        }
        let one = match self.text() {
            "semaphore" => Self::semaphore,
            "rwlock" => Self::rw_lock,
            "channel" => Self::channel,
            _ => return Ok(false),
        };
        self.advance();
        loop {
            items.push(one(self)?);
            if !self.accept(Token::Comma) {
                self.expect_semicolon()?;
                return Ok(true);
            }
        }
    }

    fn semaphore(&mut self) -> Parsed<Item> {
        let name = self.name("the name of a semaphore")?;
        let length = self.length()?;
        let initial = self.initial(&name)?;
        Ok(Item::Semaphore { name, length, initial })
    }

    fn rw_lock(&mut self) -> Parsed<Item> {
        let name = self.name("the name of a read-write lock")?;
        let length = self.length()?;
        Ok(Item::Object { name, kind: ObjectKind::RwLock, length, fairness: None })
    }

    fn channel(&mut self) -> Parsed<Item> {
        let name = self.name("the name of a channel")?;
        let length = self.length()?;
        if !self.accept(Token::OpenParen) {
            return Err(self.unexpected("how many values the channel holds, as in `channel c(2);`"));
        }
        let capacity = self.expr()?;
        self.expect(Token::CloseParen)?;
        Ok(Item::Channel { name, length, capacity })
    }

    /// Whether a call of something that the program does not define itself begins here.
    fn begins_call_of(&self, name: &str) -> bool {
        self.peek() == Token::Name
            && self.next_is(Token::OpenParen)
            && self.text() == name
            && !self.functions.contains(name)
    }

    fn sync_op(&self) -> Option<SyncOp> {
        SyncOp::ALL.into_iter().find(|op| self.begins_call_of(op.name()))
    }

    /// Reads an operation that has no value, if there is one here.
    pub(super) fn sync_statement(&mut self) -> Parsed<Option<Expr>> {
        match self.sync_op() {
            Some(op) if !op.has_value() => self.operation(op).map(Some),
            _ => Ok(None),
        }
    }

    /// Reads an operation that has a value, if there is one here.
    pub(super) fn sync_value(&mut self) -> Parsed<Option<Expr>> {
        if self.begins_call_of(WAIT_TIMEOUT) {
            let start = self.advance().start;
            self.expect(Token::OpenParen)?;
            let condition = self.place("a condition variable")?;
            self.expect(Token::Comma)?;
            let mutex = self.place("a mutex")?;
            self.expect(Token::CloseParen)?;
            return Ok(Some(Expr { kind: ExprKind::WaitTimeout(condition, mutex), span: start..self.last_end() }));
        }
        match self.sync_op() {
            None => Ok(None),
            Some(op) if op.has_value() => self.operation(op).map(Some),
            Some(op) => Err(Diagnostic::new(
                format!("`{}` has no value", op.name()),
                self.span(),
                format!("expected a value; `{}(…);` is a statement", op.name()),
            )),
        }
    }

    fn operation(&mut self, op: SyncOp) -> Parsed<Expr> {
        let start = self.advance().start;
        self.expect(Token::OpenParen)?;
        let object = self.place(op.object())?;
        let operand = match op.operand() {
            None => None,
            Some(expected) => {
                if !self.accept(Token::Comma) {
                    return Err(self.unexpected(&format!("`,` and {expected}")));
                }
                Some(Box::new(self.expr()?))
            }
        };
        self.expect(Token::CloseParen)?;
        Ok(Expr { kind: ExprKind::Sync(op, object, operand), span: start..self.last_end() })
    }
}
