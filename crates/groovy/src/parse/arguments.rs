//! The arguments of calls, with and without parentheses.

use super::token::Token;
use super::{Parsed, Parser, is_keyword};
use crate::frozen::Frozen;
use crate::tree::{Access, Arguments, Call, Callee, Entry, Expr, ExprKind, Item};

impl Parser<'_> {
    pub(super) fn parenthesised_arguments(&mut self) -> Parsed<Arguments> {
        self.expect(Token::OpenParen)?;
        let mut arguments = Arguments::default();
        while self.peek() != Token::CloseParen {
            self.argument(&mut arguments)?;
            if !self.accept(Token::Comma) {
                break;
            }
            // Groovy itself lets a doubled comma pass, and apps have some.
            while self.accept(Token::Comma) {}
        }
        if self.peek() != Token::CloseParen {
            return Err(self.unexpected("`,` or `)`"));
        }
        self.advance();
        Ok(arguments)
    }

    fn argument(&mut self, into: &mut Arguments) -> Parsed<()> {
        if self.peek() == Token::Star && self.peek_at(1) == Token::Colon {
            self.advance();
            self.advance();
            into.named.push(Entry::Spread(self.expression()?));
        } else if self.accept(Token::Star) {
            into.positional.push(Item::Spread(self.expression()?));
        } else if let Some(key) = self.key()? {
            self.skip_newlines();
            into.named.push(Entry::Pair(key, self.expression()?));
        } else {
            into.positional.push(Item::Value(self.expression()?));
        }
        Ok(())
    }

    /// Whether the key of a named argument or map entry stands here, with its colon.
    pub(super) fn key_follows(&self) -> bool {
        match self.peek() {
            Token::Name | Token::Text | Token::Number => self.peek_at(1) == Token::Colon,
            Token::TextOpen | Token::OpenParen => {
                self.matching_end(self.at).is_some_and(|end| self.token_at(end) == Token::Colon)
            }
            _ => false,
        }
    }

    /// The key of a named argument or map entry with its colon, if one stands here.
    pub(super) fn key(&mut self) -> Parsed<Option<Expr>> {
        if !self.key_follows() {
            return Ok(None);
        }
        let start = self.span();
        let key = match self.peek() {
            Token::Name => {
                self.advance();
                ExprKind::Constant(Frozen::text(&self.source[start.range()]))
            }
            Token::Text => {
                let text = self.advance().text;
                ExprKind::Constant(Frozen::Text(self.texts[text as usize].clone()))
            }
            Token::Number => {
                self.advance();
                ExprKind::Constant(self.number(start)?)
            }
            Token::TextOpen => self.interpolated()?,
            _ => {
                self.expect(Token::OpenParen)?;
                let key = self.expression()?;
                self.expect(Token::CloseParen)?;
                key.kind
            }
        };
        let key = self.make(key, start);
        self.expect(Token::Colon)?;
        Ok(Some(key))
    }

    /// Whether arguments without parentheses follow: `log.debug "x"`, `input "x", "number"`.
    pub(super) fn command_follows(&self, callee: &Expr) -> bool {
        let nameable = matches!(callee.kind, ExprKind::Name(_) | ExprKind::Local(_) | ExprKind::Property { .. });
        let ends_in_name =
            matches!(self.lexemes[self.at.saturating_sub(1)].token, Token::Name | Token::Text | Token::TextClose);
        nameable && ends_in_name && self.argument_begins()
    }

    fn argument_begins(&self) -> bool {
        match self.peek() {
            Token::Name => match self.word() {
                "new" | "true" | "false" | "null" | "this" | "super" => true,
                _ if self.peek_at(1) == Token::Colon => true,
                word => !is_keyword(word),
            },
            Token::Number | Token::Text | Token::TextOpen | Token::OpenBracket | Token::Tilde => true,
            Token::Not => !matches!(self.word_at(self.at + 1), "in" | "instanceof"),
            _ => false,
        }
    }

    pub(super) fn command_call(&mut self, callee: Expr) -> Parsed<Expr> {
        let start = callee.span;
        let mut arguments = Arguments::default();
        loop {
            self.argument(&mut arguments)?;
            if !self.accept(Token::Comma) {
                break;
            }
            self.skip_newlines();
        }
        self.trailing_closures(&mut arguments)?;
        let callee = match callee.kind {
            ExprKind::Name(name) => Callee::Name(name),
            ExprKind::Property { object, name, access } => Callee::Method { object: *object, name, access },
            _ => Callee::Value(callee),
        };
        let call = self.make(ExprKind::Call(Box::new(Call { callee, arguments })), start);
        self.command_chain(call)
    }

    /// `take 3 from bag` is `take(3).from(bag)`.
    fn command_chain(&mut self, call: Expr) -> Parsed<Expr> {
        if !matches!(self.peek(), Token::Name | Token::Text) || is_keyword(self.word()) {
            return Ok(call);
        }
        self.chained()?;
        let start = call.span;
        let name = self.member_name()?;
        let access = Access::Plain;
        let member = self.make(ExprKind::Property { object: Box::new(call), name, access }, start);
        if self.command_follows(&member) { self.nested(|parser| parser.command_call(member)) } else { Ok(member) }
    }

    /// Elements up to a closing bracket, which is left to the caller.
    pub(super) fn list_items(&mut self) -> Parsed<Vec<Item>> {
        self.items_until(Token::CloseBracket)
    }

    pub(super) fn items_until(&mut self, close: Token) -> Parsed<Vec<Item>> {
        let mut items = Vec::new();
        while self.peek() != close {
            let spread = self.accept(Token::Star);
            let value = self.expression()?;
            items.push(if spread { Item::Spread(value) } else { Item::Value(value) });
            self.skip_newlines();
            if !self.accept(Token::Comma) {
                break;
            }
            self.skip_newlines();
        }
        Ok(items)
    }
}
