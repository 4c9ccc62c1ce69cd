//! Statements.

use super::{Parsed, Parser};
use crate::ast::{BinaryOp, Block, Call, Declaration, Expr, ExprKind, ForLoop, Place, Span, Statement, StatementKind};
use crate::token::Token;
use mazurka_core::Diagnostic;

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        let open = self.expect(Token::OpenBrace)?;
        self.nested(|parser| {
            let mut block = Block::default();
            loop {
                match parser.peek() {
                    Token::CloseBrace => {
                        parser.advance();
                        return Ok(block);
                    }
                    Token::Semicolon => {
                        parser.advance();
                    }
                    Token::End => {
                        return Err(Diagnostic::new(
                            "a block that does not end",
                            open,
                            "expected a `}` that closes this",
                        ));
                    }
                    _ => block.statements.push(parser.statement()?),
                }
            }
        })
    }

    pub(super) fn statement(&mut self) -> Parsed<Statement> {
        self.operators = 0;
        let start = self.span().start;
        let token = self.peek();
        // Statements with a block take their span before it, and no `;` after it.
        if let Token::If | Token::While | Token::For | Token::Atomic = token {
            return self.block_statement(start);
        }
        match token {
            Token::Do => return self.do_statement(),
            Token::Switch => return self.switch(start),
            _ => {}
        }
        let kind = match token {
            Token::Let => self.let_statement()?,
            Token::Spawn => {
                self.advance();
                StatementKind::Spawn(None, self.call("the name of a function")?)
            }
            Token::Break => self.word(StatementKind::Break),
            Token::Continue => self.word(StatementKind::Continue),
            Token::Return => {
                self.advance();
                StatementKind::Return(if self.peek() == Token::Semicolon { None } else { Some(self.expr()?) })
            }
            Token::Assert => self.assert_statement()?,
            Token::Assume => {
                self.advance();
                self.expect(Token::OpenParen)?;
                let condition = self.expr()?;
                self.expect(Token::CloseParen)?;
                StatementKind::Assume(condition)
            }
            Token::Lock => StatementKind::Lock(self.one_object("a mutex")?),
            Token::Unlock => StatementKind::Unlock(self.one_object("a mutex")?),
            Token::Signal => StatementKind::Signal(self.one_object("a condition variable")?),
            Token::Broadcast => StatementKind::Broadcast(self.one_object("a condition variable")?),
            Token::Wait => {
                self.advance();
                self.expect(Token::OpenParen)?;
                let condition = self.place("a condition variable")?;
                self.expect(Token::Comma)?;
                let mutex = self.place("a mutex")?;
                self.expect(Token::CloseParen)?;
                StatementKind::Wait(condition, mutex)
            }
            Token::Join => {
                self.advance();
                StatementKind::Join(self.name("a thread handle, as in `let t = spawn f(); join t;`")?)
            }
            Token::Post => {
                self.advance();
                let handler = self.place("a handler")?;
                self.expect(Token::Comma)?;
                StatementKind::Post(handler, self.call("the name of a message")?)
            }
            Token::Enable => {
                self.advance();
                StatementKind::Enable(self.place("an event")?)
            }
            Token::Disable => {
                self.advance();
                StatementKind::Disable(self.place("an event")?)
            }
            _ if self.is_progress() => self.word(StatementKind::Progress),
            token if may_be_clause(token) => self.name_or_expr_statement()?,
            _ => return Err(self.unexpected("a statement")),
        };
        let span = start..self.last_end();
        self.expect_semicolon()?;
        Ok(Statement { kind, span })
    }

    pub(super) fn word(&mut self, kind: StatementKind) -> StatementKind {
        self.advance();
        kind
    }

    fn block_statement(&mut self, start: usize) -> Parsed<Statement> {
        let (kind, end) = match self.peek() {
            Token::If => {
                self.advance();
                let condition = self.expr()?;
                let end = self.last_end();
                let then = self.block()?;
                let otherwise = if !self.accept(Token::Else) {
                    None
                } else if self.peek() == Token::If {
                    let start = self.span().start;
                    let inner = self.nested(|parser| parser.block_statement(start))?;
                    Some(Block { statements: vec![inner] })
                } else {
                    Some(self.block()?)
                };
                (StatementKind::If(condition, then, otherwise), end)
            }
            Token::While => {
                self.advance();
                let condition = self.expr()?;
                let end = self.last_end();
                (StatementKind::While(condition, self.block()?), end)
            }
            Token::For => {
                self.advance();
                if self.peek() == Token::OpenParen {
                    return self.for_loop(start);
                }
                let variable = self.name("the loop's variable, as in `for i in 0..3`")?;
                self.expect(Token::In)?;
                let from = self.expr()?;
                self.expect(Token::DotDot)?;
                let to = self.expr()?;
                let end = self.last_end();
                (StatementKind::For(variable, from, to, self.block()?), end)
            }
            _ => {
                let end = self.advance().end;
                (StatementKind::Atomic(self.block()?), end)
            }
        };
        Ok(Statement { kind, span: start..end })
    }

    /// `(start; condition; next) { … }` behind `for`.
    fn for_loop(&mut self, start: usize) -> Parsed<Statement> {
        self.advance();
        let first = match self.peek() {
            Token::Semicolon => None,
            Token::Let => Some(self.clause(Self::let_statement)?),
            token if may_be_clause(token) => Some(self.clause(Self::name_or_expr_statement)?),
            _ => return Err(self.unexpected("the start of a loop, as in `for (let i = 0; i < 3; i += 1)`")),
        };
        self.expect(Token::Semicolon)?;
        let condition = if self.peek() == Token::Semicolon { None } else { Some(self.expr()?) };
        self.expect(Token::Semicolon)?;
        let next = match self.peek() {
            Token::CloseParen => None,
            token if may_be_clause(token) => Some(self.clause(Self::name_or_expr_statement)?),
            _ => return Err(self.unexpected("what comes after each round, as in `for (let i = 0; i < 3; i += 1)`")),
        };
        let end = self.expect(Token::CloseParen)?.end;
        let body = self.block()?;
        let kind = StatementKind::ForLoop(Box::new(ForLoop { start: first, condition, next, body }));
        Ok(Statement { kind, span: start..end })
    }

    /// A statement without its `;`.
    fn clause(&mut self, kind: impl FnOnce(&mut Self) -> Parsed<StatementKind>) -> Parsed<Statement> {
        let start = self.span().start;
        let kind = kind(self)?;
        Ok(Statement { kind, span: start..self.last_end() })
    }

    fn do_statement(&mut self) -> Parsed<Statement> {
        self.advance();
        let body = self.block()?;
        // The condition comes after the statements of the block, and counts its own operators.
        self.operators = 0;
        let start = self.expect(Token::While)?.start;
        let condition = self.expr()?;
        let span = start..self.last_end();
        self.expect_semicolon()?;
        Ok(Statement { kind: StatementKind::DoWhile(body, condition), span })
    }

    fn let_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        let name = self.name("the name of a local variable")?;
        let length = self.length()?;
        let of = self.shown_as()?;
        if length.is_some() || of.is_some() {
            match &length {
                Some(length) if self.peek() == Token::Assign && self.next_is(Token::Spawn) => {
                    return Err(handle_in_array(length.span.clone()));
                }
                Some(_) => {}
                None if self.peek() != Token::Assign => return Err(self.unexpected("`=`")),
                None => {}
            }
            let initial = self.initial(&name)?;
            return Ok(StatementKind::Declare(Box::new(Declaration { name, length, of, initial })));
        }
        self.expect(Token::Assign)?;
        if self.accept(Token::Spawn) {
            return Ok(StatementKind::Spawn(Some(name), self.call("the name of a function")?));
        }
        Ok(StatementKind::Let(name, self.expr()?))
    }

    fn assert_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.expect(Token::OpenParen)?;
        let condition = self.expr()?;
        let text = if self.accept(Token::Comma) {
            let span = self.expect(Token::Text)?;
            Some(self.source[span.start + 1..span.end - 1].to_owned())
        } else {
            None
        };
        self.expect(Token::CloseParen)?;
        Ok(StatementKind::Assert(condition, text))
    }

    fn one_object(&mut self, expected: &str) -> Parsed<Place> {
        self.advance();
        self.expect(Token::OpenParen)?;
        let place = self.place(expected)?;
        self.expect(Token::CloseParen)?;
        Ok(place)
    }

    fn name_or_expr_statement(&mut self) -> Parsed<StatementKind> {
        if self.peek() == Token::Name { self.name_statement() } else { Ok(StatementKind::Evaluate(self.expr()?)) }
    }

    /// What begins with a name: an assignment, an update or a call.
    fn name_statement(&mut self) -> Parsed<StatementKind> {
        if let Some(operation) = self.sync_statement()? {
            return Ok(StatementKind::Evaluate(operation));
        }
        if self.next_is(Token::OpenParen) {
            return Ok(StatementKind::Evaluate(self.expr()?));
        }
        let place = self.place("a variable")?;
        let one = |span: Span| Expr { kind: ExprKind::Number(1), span };
        let update = |op, expr| StatementKind::Update(place.clone(), op, expr);
        let operator = match self.peek() {
            Token::Assign if self.next_is(Token::Spawn) => {
                self.advance();
                self.advance();
                let call = self.call("the name of a function")?;
                if let Some(index) = &place.index {
                    return Err(handle_in_array(index.span.clone()));
                }
                return Ok(StatementKind::Respawn(place.name, call));
            }
            Token::Assign => {
                self.advance();
                return Ok(StatementKind::Assign(place, self.expr()?));
            }
            Token::PlusPlus => return Ok(update(BinaryOp::Add, one(self.advance()))),
            Token::MinusMinus => return Ok(update(BinaryOp::Subtract, one(self.advance()))),
            Token::PlusAssign => BinaryOp::Add,
            Token::MinusAssign => BinaryOp::Subtract,
            Token::StarAssign => BinaryOp::Multiply,
            Token::SlashAssign => BinaryOp::Divide,
            Token::PercentAssign => BinaryOp::Remainder,
            Token::AndAssign => BinaryOp::And,
            Token::OrAssign => BinaryOp::Or,
            Token::XorAssign => BinaryOp::Xor,
            Token::ShlAssign => BinaryOp::ShiftLeft,
            Token::ShrAssign => BinaryOp::ShiftRight,
            _ => return Err(self.unexpected("`=`, `+=`, `++` or a call")),
        };
        self.advance();
        let value = self.expr()?;
        Ok(update(operator, value))
    }

    pub(super) fn place(&mut self, expected: &str) -> Parsed<Place> {
        let name = self.name(expected)?;
        let index = if self.accept(Token::OpenBracket) {
            let index = self.expr()?;
            self.expect(Token::CloseBracket)?;
            Some(Box::new(index))
        } else {
            None
        };
        Ok(Place { name, index })
    }

    pub(super) fn call(&mut self, expected: &str) -> Parsed<Call> {
        let name = self.name(expected)?;
        let arguments = if self.accept(Token::OpenParen) {
            self.comma_separated(Token::CloseParen, Self::expr)?
        } else {
            Vec::new()
        };
        Ok(Call { name, arguments })
    }
}

fn handle_in_array(span: Span) -> Diagnostic {
    Diagnostic::new("a thread handle cannot be kept in an array", span, "expected a local variable")
}

/// Whether an assignment or an expression for what it does may begin so: what may stand within the `( )` of a `for`.
fn may_be_clause(token: Token) -> bool {
    matches!(token, Token::Name | Token::Cas | Token::Swap | Token::FetchAdd | Token::Choose | Token::OpenParen)
}
