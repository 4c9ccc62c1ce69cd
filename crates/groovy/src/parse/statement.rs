//! Statements.

use super::results;
use super::token::Token;
use super::{Parsed, Parser};
use crate::span::Span;
use crate::tree::{Block, Case, Catch, Declared, Expr, ExprKind, Statement, StatementKind, Symbol, Try};
use std::sync::Arc;

impl Parser<'_> {
    /// One statement; several declarations in one are a block that opens no scope.
    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        let outer = std::mem::take(&mut self.chain);
        let statement = self.nested(Self::statement_here);
        self.chain = outer;
        statement
    }

    fn statement_here(&mut self) -> Parsed<Statement> {
        let start = self.span();
        let label = self.label()?;
        let kind = match self.word() {
            "if" => self.if_statement()?,
            "while" => self.while_statement(label)?,
            "do" if self.token_at(self.at + 1) != Token::Dot => self.do_statement(label)?,
            "for" => self.for_statement(label)?,
            "switch" => self.switch_statement(label)?,
            "try" => self.try_statement()?,
            "throw" => {
                self.advance();
                StatementKind::Throw(self.command_expression()?)
            }
            "return" => self.return_statement()?,
            "break" => StatementKind::Break(self.jump_label()?),
            "continue" => StatementKind::Continue(self.jump_label()?),
            "assert" => self.assert_statement()?,
            _ if self.peek() == Token::OpenBrace && !self.closure_has_arrow() => StatementKind::Block(self.block()?),
            _ if self.declaration_follows() => return self.declarations(start),
            _ => StatementKind::Expr(self.expression_statement()?),
        };
        Ok(Statement { kind, span: self.since(start) })
    }

    fn declarations(&mut self, start: Span) -> Parsed<Statement> {
        let mut statements = self.local_declaration()?;
        match (statements.pop(), statements.is_empty()) {
            (Some(only), true) => Ok(only),
            (Some(last), false) => {
                statements.push(last);
                Ok(Statement { kind: StatementKind::Block(statements.into()), span: self.since(start) })
            }
            (None, _) => Err(self.unexpected("a declaration")),
        }
    }

    fn expression_statement(&mut self) -> Parsed<Expr> {
        let expression = self.command_expression()?;
        self.closure_on_next_line(expression)
    }

    /// `preferences` with its `{` on the next line. Groovy itself refuses a block there, so nothing else can be meant.
    fn closure_on_next_line(&mut self, expression: Expr) -> Parsed<Expr> {
        let callable = matches!(expression.kind, ExprKind::Name(_) | ExprKind::Call(_));
        let next = self.past_newlines();
        if self.peek() != Token::Newline || !callable || self.token_at(next) != Token::OpenBrace {
            return Ok(expression);
        }
        self.at = next;
        self.with_trailing_closures(expression)
    }

    fn label(&mut self) -> Parsed<Option<Symbol>> {
        let is_label = self.peek() == Token::Name && self.peek_at(1) == Token::Colon && !super::is_keyword(self.word());
        if !is_label {
            return Ok(None);
        }
        let label = self.name("a label")?;
        self.expect(Token::Colon)?;
        self.skip_newlines();
        Ok(Some(label))
    }

    fn jump_label(&mut self) -> Parsed<Option<Symbol>> {
        self.advance();
        if self.peek() == Token::Name { self.name("a label").map(Some) } else { Ok(None) }
    }

    /// `{ … }` with a scope of its own.
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.expect(Token::OpenBrace)?;
        self.scopes.enter_block();
        let statements = self.statements();
        self.scopes.leave_block();
        let statements = statements?;
        self.expect(Token::CloseBrace)?;
        Ok(statements.into())
    }

    /// Statements up to a `}`, which is left to the caller.
    pub(super) fn statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut statements = Vec::new();
        self.skip_separators();
        while !matches!(self.peek(), Token::CloseBrace | Token::End) {
            statements.push(self.statement()?);
            self.end_of_statement()?;
            self.skip_separators();
        }
        Ok(statements)
    }

    /// The body of a method, whose last statement is its result.
    pub(super) fn function_body(&mut self) -> Parsed<Block> {
        self.expect(Token::OpenBrace)?;
        let statements = self.statements()?;
        self.expect(Token::CloseBrace)?;
        Ok(results::with_result(statements))
    }

    /// What a branch or a loop has: a block, or one statement.
    fn body(&mut self) -> Parsed<Block> {
        self.skip_newlines();
        if self.accept(Token::Semicolon) {
            return Ok(Block::default());
        }
        if self.peek() == Token::OpenBrace {
            return self.block();
        }
        self.scopes.enter_block();
        let statement = self.statement();
        self.scopes.leave_block();
        Ok(Box::new([statement?]))
    }

    fn parenthesised(&mut self) -> Parsed<Expr> {
        self.expect(Token::OpenParen)?;
        let expression = self.expression()?;
        self.expect(Token::CloseParen)?;
        Ok(expression)
    }

    fn if_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let condition = self.parenthesised()?;
        let then = self.body()?;
        let otherwise = if self.else_follows() { self.body()? } else { Block::default() };
        Ok(StatementKind::If { condition, then, otherwise })
    }

    /// Goes behind an `else` that may stand on a later line.
    fn else_follows(&mut self) -> bool {
        let start = self.at;
        self.skip_separators();
        if self.accept_word("else") {
            return true;
        }
        self.at = start;
        false
    }

    fn while_statement(&mut self, label: Option<Symbol>) -> Parsed<StatementKind> {
        self.advance();
        let condition = self.parenthesised()?;
        let body = self.body()?;
        Ok(StatementKind::While { label, condition, body, body_first: false })
    }

    fn do_statement(&mut self, label: Option<Symbol>) -> Parsed<StatementKind> {
        self.advance();
        let body = self.body()?;
        self.skip_separators();
        if !self.accept_word("while") {
            return Err(self.unexpected("`while`"));
        }
        let condition = self.parenthesised()?;
        Ok(StatementKind::While { label, condition, body, body_first: true })
    }

    fn for_statement(&mut self, label: Option<Symbol>) -> Parsed<StatementKind> {
        self.advance();
        self.expect(Token::OpenParen)?;
        self.scopes.enter_block();
        let statement = if self.for_in_follows() { self.for_in(label) } else { self.classic_for(label) };
        self.scopes.leave_block();
        statement
    }

    fn for_in_follows(&self) -> bool {
        let mut name = self.at;
        while matches!(self.word_at(name), "def" | "final") {
            name += 1;
        }
        if let Some((end, _)) = self.type_end(name)
            && self.token_at(end) == Token::Name
            && self.word_at(end) != "in"
        {
            name = end;
        }
        self.token_at(name) == Token::Name
            && (self.word_at(name + 1) == "in" || self.token_at(name + 1) == Token::Colon)
    }

    fn for_in(&mut self, label: Option<Symbol>) -> Parsed<StatementKind> {
        self.modifiers()?;
        if !(self.word_at(self.at + 1) == "in" || self.peek_at(1) == Token::Colon) {
            self.type_name()?;
        }
        let name = self.name("the name of a variable")?;
        self.advance();
        let over = self.expression()?;
        self.expect(Token::CloseParen)?;
        let variable = self.declare(name, None)?;
        let body = self.body()?;
        Ok(StatementKind::ForIn { label, variable, over, body })
    }

    fn classic_for(&mut self, label: Option<Symbol>) -> Parsed<StatementKind> {
        let start = self.for_start()?;
        self.expect(Token::Semicolon)?;
        let condition = if self.peek() == Token::Semicolon { None } else { Some(self.expression()?) };
        self.expect(Token::Semicolon)?;
        let mut update = Vec::new();
        while self.peek() != Token::CloseParen {
            update.push(self.expression()?);
            if !self.accept(Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseParen)?;
        let body = self.body()?;
        Ok(StatementKind::For { label, start, condition, update: update.into(), body })
    }

    fn for_start(&mut self) -> Parsed<Block> {
        if self.peek() == Token::Semicolon {
            return Ok(Block::default());
        }
        if self.declaration_follows() {
            return Ok(self.local_declaration()?.into());
        }
        let mut statements = Vec::new();
        loop {
            let start = self.span();
            let expression = self.expression()?;
            statements.push(Statement { kind: StatementKind::Expr(expression), span: self.since(start) });
            if !self.accept(Token::Comma) {
                return Ok(statements.into());
            }
        }
    }

    fn switch_statement(&mut self, label: Option<Symbol>) -> Parsed<StatementKind> {
        self.advance();
        let subject = self.parenthesised()?;
        self.skip_newlines();
        self.expect(Token::OpenBrace)?;
        self.scopes.enter_block();
        let cases = self.cases();
        self.scopes.leave_block();
        let cases = cases?.into();
        self.expect(Token::CloseBrace)?;
        Ok(StatementKind::Switch { label, subject, cases })
    }

    fn cases(&mut self) -> Parsed<Vec<Case>> {
        let mut cases = Vec::new();
        self.skip_separators();
        while self.peek() != Token::CloseBrace {
            let value = match self.word() {
                "case" => {
                    self.advance();
                    Some(self.expression()?)
                }
                "default" => {
                    self.advance();
                    None
                }
                _ => return Err(self.unexpected("`case`, `default` or `}`")),
            };
            self.expect(Token::Colon)?;
            let body = self.case_body()?;
            cases.push(Case { value, body });
        }
        Ok(cases)
    }

    fn case_body(&mut self) -> Parsed<Block> {
        let mut statements = Vec::new();
        self.skip_separators();
        while !self.case_ends() {
            statements.push(self.statement()?);
            self.end_of_statement()?;
            self.skip_separators();
        }
        Ok(statements.into())
    }

    fn case_ends(&self) -> bool {
        let default = self.word() == "default" && self.peek_at(1) == Token::Colon;
        default || self.word() == "case" || matches!(self.peek(), Token::CloseBrace | Token::End)
    }

    fn try_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.skip_newlines();
        let body = self.block()?;
        let mut catches = Vec::new();
        let mut finally = None;
        loop {
            let next = self.past_newlines();
            match self.word_at(next) {
                "catch" => {
                    self.at = next + 1;
                    catches.push(self.catch()?);
                }
                "finally" if finally.is_none() => {
                    self.at = next + 1;
                    self.skip_newlines();
                    finally = Some(self.block()?);
                }
                _ if catches.is_empty() && finally.is_none() => return Err(self.unexpected("`catch` or `finally`")),
                _ => return Ok(StatementKind::Try(Box::new(Try { body, catches, finally }))),
            }
        }
    }

    fn catch(&mut self) -> Parsed<Catch> {
        self.expect(Token::OpenParen)?;
        self.scopes.enter_block();
        let catch = self.catch_rest();
        self.scopes.leave_block();
        catch
    }

    fn catch_rest(&mut self) -> Parsed<Catch> {
        let (classes, variable) = self.catch_parameter()?;
        self.expect(Token::CloseParen)?;
        self.skip_newlines();
        let body = self.block()?;
        Ok(Catch { classes, variable, body })
    }

    fn catch_parameter(&mut self) -> Parsed<(Vec<Arc<str>>, Declared)> {
        self.modifiers()?;
        let mut classes = Vec::new();
        if self.peek_at(1) != Token::CloseParen {
            classes.push(self.type_name()?);
            while self.accept(Token::Or) {
                classes.push(self.type_name()?);
            }
        }
        let name = self.name("the name of the exception")?;
        let variable = self.declare(name, None)?;
        Ok((classes, variable))
    }

    fn return_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let ends = matches!(self.peek(), Token::Newline | Token::Semicolon | Token::CloseBrace | Token::End);
        Ok(StatementKind::Return(if ends { None } else { Some(self.command_expression()?) }))
    }

    fn assert_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let condition = self.expression()?;
        let message =
            if self.accept(Token::Colon) || self.accept(Token::Comma) { Some(self.expression()?) } else { None };
        Ok(StatementKind::Assert { condition, message })
    }
}
