//! Definitions.

use super::{Parsed, Parser};
use crate::ast::{Expr, ExprKind, Family, Function, Initial, Item, Name, ObjectKind};
use crate::token::Token;
use mazurka_core::Fairness;

impl Parser<'_> {
    pub(super) fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.operators = 0;
        match self.peek() {
            Token::Include => {
                self.advance();
                let span = self.expect(Token::Text)?;
                let path = self.source[span.start + 1..span.end - 1].to_owned();
                self.expect_semicolon()?;
                items.push(Item::Include { path, span });
            }
            Token::Const => {
                self.advance();
                let name = self.name("the name of a constant")?;
                self.expect(Token::Assign)?;
                let value = self.expr()?;
                self.expect_semicolon()?;
                items.push(Item::Const { name, value });
            }
            Token::Enum => items.push(self.enumeration()?),
            Token::Shared => self.shared(items)?,
            Token::Mutex | Token::Cond | Token::Handler => self.objects(items, None)?,
            Token::Thread => items.push(self.thread(None)?),
            Token::Message => {
                self.advance();
                items.push(Item::Message(self.function("the name of a message")?));
            }
            Token::Def => {
                self.advance();
                items.push(Item::Def(self.function("the name of a function")?));
            }
            Token::Event => items.push(self.event(None)?),
            Token::Never => {
                self.advance();
                let condition = self.expr()?;
                self.expect_semicolon()?;
                items.push(Item::Never { condition });
            }
            Token::OpenParen => {
                let promise = self.leads_to()?;
                items.push(promise);
            }
            _ if self.sync_item(items)? || self.liveness_item(items)? => {}
            _ => {
                let expected = "a definition (include, const, enum, shared, mutex, cond, semaphore, rwlock, channel, handler, \
                                thread, message, def, event, never, eventually, always eventually or leads_to)";
                return Err(self.unexpected(expected));
            }
        }
        Ok(())
    }

    fn enumeration(&mut self) -> Parsed<Item> {
        self.advance();
        let name = self.name("the name of an enum")?;
        self.expect(Token::OpenBrace)?;
        let members = self.comma_separated(Token::CloseBrace, |parser| {
            parser.operators = 0;
            let name = parser.name("the name of a constant")?;
            let value = if parser.accept(Token::Assign) { Some(parser.expr()?) } else { None };
            Ok((name, value))
        })?;
        // In C a `;` has to stand behind it.
        self.accept(Token::Semicolon);
        Ok(Item::Enum { name, members })
    }

    /// `: colour` behind the name of a variable.
    pub(super) fn shown_as(&mut self) -> Parsed<Option<Name>> {
        if self.accept(Token::Colon) { Ok(Some(self.name("the name of an enum")?)) } else { Ok(None) }
    }

    pub(super) fn length(&mut self) -> Parsed<Option<Expr>> {
        if !self.accept(Token::OpenBracket) {
            return Ok(None);
        }
        let length = self.expr()?;
        self.expect(Token::CloseBracket)?;
        Ok(Some(length))
    }

    pub(super) fn shared(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
        self.advance();
        loop {
            let name = self.name("the name of a shared variable")?;
            let length = self.length()?;
            let of = self.shown_as()?;
            let initial = self.initial(&name)?;
            items.push(Item::Shared { name, length, of, initial });
            if !self.accept(Token::Comma) {
                return self.expect_semicolon();
            }
        }
    }

    /// `= 7`, `= [1, 2]` or nothing, which is `= 0`.
    pub(super) fn initial(&mut self, name: &Name) -> Parsed<Initial> {
        if !self.accept(Token::Assign) {
            return Ok(Initial::Same(Expr { kind: ExprKind::Number(0), span: name.span.clone() }));
        }
        if self.peek() != Token::OpenBracket {
            return Ok(Initial::Same(self.expr()?));
        }
        let start = self.advance().start;
        let values = self.comma_separated(Token::CloseBracket, Self::expr)?;
        Ok(Initial::Each(values, start..self.last_end()))
    }

    pub(super) fn objects(&mut self, items: &mut Vec<Item>, fairness: Option<Fairness>) -> Parsed<()> {
        let token = self.peek();
        self.advance();
        loop {
            let (kind, expected) = match token {
                Token::Mutex => (ObjectKind::Mutex, "the name of a mutex"),
                Token::Cond => (ObjectKind::Cond, "the name of a condition variable"),
                _ => (ObjectKind::FifoHandler, "the name of a handler"),
            };
            let name = self.name(expected)?;
            let length = self.length()?;
            let kind = if kind != ObjectKind::FifoHandler {
                kind
            } else if self.accept(Token::Any) {
                ObjectKind::AnyHandler
            } else {
                self.accept(Token::Fifo);
                ObjectKind::FifoHandler
            };
            items.push(Item::Object { name, kind, length, fairness });
            if !self.accept(Token::Comma) {
                return self.expect_semicolon();
            }
        }
    }

    pub(super) fn thread(&mut self, fairness: Option<Fairness>) -> Parsed<Item> {
        self.advance();
        let name = self.name("the name of a thread")?;
        let family = self.family()?;
        let body = self.block()?;
        Ok(Item::Thread { name, family, fairness, body })
    }

    pub(super) fn family(&mut self) -> Parsed<Option<Family>> {
        if !self.accept(Token::OpenParen) {
            return Ok(None);
        }
        let parameter = self.name("the name of the family's parameter, as in `(i in 0..3)`")?;
        self.expect(Token::In)?;
        let from = self.expr()?;
        self.expect(Token::DotDot)?;
        let to = self.expr()?;
        self.expect(Token::CloseParen)?;
        Ok(Some(Family { parameter, from, to }))
    }

    pub(super) fn function(&mut self, expected: &str) -> Parsed<Function> {
        let name = self.name(expected)?;
        let parameters = if self.accept(Token::OpenParen) {
            self.comma_separated(Token::CloseParen, |parser| parser.name("the name of a parameter"))?
        } else {
            Vec::new()
        };
        let body = self.block()?;
        Ok(Function { name, parameters, body })
    }

    pub(super) fn event(&mut self, fairness: Option<Fairness>) -> Parsed<Item> {
        self.advance();
        let name = self.name("the name of an event")?;
        let family = self.family()?;
        let mut disabled = self.accept(Token::Disabled);
        let guard = if self.accept(Token::When) { Some(self.expr()?) } else { None };
        disabled |= self.accept(Token::Disabled);
        let body = self.block()?;
        Ok(Item::Event { name, family, fairness, disabled, guard, body })
    }
}
