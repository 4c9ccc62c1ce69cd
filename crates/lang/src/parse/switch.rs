//! `switch`, as in C.

use super::{Parsed, Parser};
use crate::ast::{Block, Case, Label, Statement, StatementKind};
use crate::token::Token;
use mazurka_core::Diagnostic;

impl Parser<'_> {
    pub(super) fn switch(&mut self, start: usize) -> Parsed<Statement> {
        self.advance();
        let value = self.expr()?;
        let span = start..self.last_end();
        let open = self.expect(Token::OpenBrace)?;
        let cases = self.nested(|parser| {
            let mut cases = Vec::new();
            while parser.peek() != Token::CloseBrace {
                match parser.peek() {
                    Token::Case | Token::Default => cases.push(parser.case()?),
                    Token::End => {
                        let label = "expected a `}` that closes this";
                        return Err(Diagnostic::new("a block that does not end", open, label));
                    }
                    _ => return Err(parser.unexpected("`case`, `default` or `}`")),
                }
            }
            parser.advance();
            Ok(cases)
        })?;
        Ok(Statement { kind: StatementKind::Switch(value, cases), span })
    }

    /// Labels, and the statements up to the next label.
    fn case(&mut self) -> Parsed<Case> {
        let mut labels = Vec::new();
        while let Token::Case | Token::Default = self.peek() {
            self.operators = 0;
            let is_default = self.peek() == Token::Default;
            let start = self.advance().start;
            let value = if is_default { None } else { Some(self.expr()?) };
            labels.push(Label { value, span: start..self.last_end() });
            self.expect(Token::Colon)?;
        }
        let mut body = Block::default();
        loop {
            match self.peek() {
                Token::Case | Token::Default | Token::CloseBrace | Token::End => return Ok(Case { labels, body }),
                Token::Semicolon => {
                    self.advance();
                }
                _ => body.statements.push(self.statement()?),
            }
        }
    }
}
