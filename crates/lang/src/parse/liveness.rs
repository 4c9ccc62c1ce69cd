//! What has to happen in the end, and who is treated fairly.
//!
//! The words are not reserved: a variable may be called `fair` or `progress`. They mean something only where a definition
//! begins, behind `always`, between the conditions of a `leads_to`, and in the statement `progress;`.

use super::{Parsed, Parser};
use crate::ast::{Expr, Family, Item};
use crate::token::Token;
use mazurka_core::{Fairness, Form};

impl Parser<'_> {
    fn is_word(&self, word: &str) -> bool {
        self.peek() == Token::Name && self.text() == word
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        if is {
            self.advance();
        }
        is
    }

    /// Reads a definition that begins with one of these words, if there is one here.
    pub(super) fn liveness_item(&mut self, items: &mut Vec<Item>) -> Parsed<bool> {
        if self.peek() != Token::Name {
            return Ok(false);
        }
        let start = self.span().start;
        let fairness = match self.text() {
            "eventually" => {
                let promise = self.eventually(start, Form::Eventually)?;
                items.push(promise);
                return Ok(true);
            }
            "always" => {
                self.advance();
                if !self.is_word("eventually") {
                    return Err(self.unexpected("`eventually`, as in `always eventually (x == 0);`"));
                }
                let promise = self.eventually(start, Form::AlwaysEventually)?;
                items.push(promise);
                return Ok(true);
            }
            "leads_to" => {
                let promise = self.leads_to_family(start)?;
                items.push(promise);
                return Ok(true);
            }
            "fair" => Fairness::Weak,
            "strong" => Fairness::Strong,
            "unfair" => Fairness::None,
            _ => return Ok(false),
        };
        self.advance();
        match self.peek() {
            Token::Thread => items.push(self.thread(Some(fairness))?),
            Token::Event => items.push(self.event(Some(fairness))?),
            Token::Handler => self.objects(items, Some(fairness))?,
            _ => return Err(self.unexpected("`thread`, `event` or `handler`, as in `fair event timeout { … }`")),
        }
        Ok(true)
    }

    /// `eventually (x == 1);`, `eventually(i in 0..3) (x[i] == 1);`
    fn eventually(&mut self, start: usize, form: Form) -> Parsed<Item> {
        self.advance();
        let family = self.family_of_conditions()?;
        let goal = self.expr()?;
        let span = start..self.last_end();
        self.expect_semicolon()?;
        Ok(Item::Promise { form, family, cause: None, goal, span })
    }

    /// `leads_to(i in 0..3) (x[i] == 1) to (y[i] == 1);`
    fn leads_to_family(&mut self, start: usize) -> Parsed<Item> {
        self.advance();
        let family = self.family_of_conditions()?;
        let cause = self.expr()?;
        if !self.accept_word("to") {
            return Err(self.unexpected("`to`, as in `leads_to(i in 0..3) (x[i] == 1) to (y[i] == 1);`"));
        }
        self.goal(start, family, cause)
    }

    /// `(x == 1) leads_to (y == 1);`
    pub(super) fn leads_to(&mut self) -> Parsed<Item> {
        let start = self.span().start;
        let cause = self.expr()?;
        if !self.accept_word("leads_to") {
            return Err(self.unexpected("`leads_to`, as in `(x == 1) leads_to (y == 1);`"));
        }
        self.goal(start, None, cause)
    }

    fn goal(&mut self, start: usize, family: Option<Family>, cause: Expr) -> Parsed<Item> {
        self.operators = 0;
        let goal = self.expr()?;
        let span = start..self.last_end();
        self.expect_semicolon()?;
        Ok(Item::Promise { form: Form::LeadsTo, family, cause: Some(cause), goal, span })
    }

    /// A condition may stand in parentheses too: it is a family only if a name and `in` follow.
    fn family_of_conditions(&mut self) -> Parsed<Option<Family>> {
        let token = |ahead: usize| self.tokens.get(self.at + ahead).map(|token| token.0);
        match (token(0), token(1), token(2)) {
            (Some(Token::OpenParen), Some(Token::Name), Some(Token::In)) => self.family(),
            _ => Ok(None),
        }
    }

    /// Whether the statement `progress;` stands here.
    pub(super) fn is_progress(&self) -> bool {
        self.is_word("progress") && self.next_is(Token::Semicolon)
    }
}
