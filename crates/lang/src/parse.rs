//! The parser: recursive descent for statements, precedence climbing for expressions.
//!
//! It stops at the first error, which names the place, the text and what was expected. Nesting is bounded, so that no
//! input can overflow the stack here, in the compiler or when the tree is dropped.

mod switch;
mod sync;

use crate::ast::{
    BinaryOp, Block, Call, Declaration, Expr, ExprKind, Family, ForLoop, Function, Initial, Item, Name, ObjectKind,
    Place, Span, Statement, StatementKind, UnaryOp, Unit,
};
use crate::token::Token;
use hashbrown::HashSet;
use logos::Logos;
use mazurka_core::Diagnostic;

/// How deeply statements and expressions may be nested.
const MAX_NESTING: usize = 200;
/// How many operators one statement may have: long chains make deep trees too.
const MAX_OPERATORS: usize = 2000;
/// No program that a person writes is larger; a larger file is something else.
pub(crate) const MAX_SOURCE: usize = 4 << 20;

type Parsed<T> = Result<T, Diagnostic>;

/// Reads a program. What it includes stays as it is named.
pub fn parse(source: &str) -> Parsed<Unit> {
    let whole = 0..source.len();
    let outline = Outline::of(source, &whole)?;
    parse_file(source, &whole, &outline.functions.into_iter().collect())
}

/// What has to be known of all files of a program before one of them can be read.
pub(crate) struct Outline {
    /// What the file includes, and where that is named.
    pub(crate) includes: Vec<(String, Span)>,
    /// The names of the functions and messages that it defines.
    pub(crate) functions: Vec<String>,
}

impl Outline {
    /// Looks through the file that stands in this part of the source.
    pub(crate) fn of(source: &str, file: &Span) -> Parsed<Outline> {
        let length = file.len();
        if length > MAX_SOURCE {
            return Err(Diagnostic::new(
                format!("the file has {length} bytes: too large for a program"),
                file.start..file.start,
                "expected at most 4 MiB of .mz text",
            ));
        }
        let mut outline = Outline { includes: Vec::new(), functions: Vec::new() };
        let mut depth = 0usize;
        for three in tokens(source, file)?.windows(3) {
            match three {
                [(Token::OpenBrace, _), ..] => depth += 1,
                [(Token::CloseBrace, _), ..] => depth = depth.saturating_sub(1),
                [(Token::Include, _), (Token::Text, text), (Token::Semicolon, _)] if depth == 0 => {
                    outline.includes.push((source[text.start + 1..text.end - 1].to_owned(), text.clone()));
                }
                [(Token::Def | Token::Message, _), (Token::Name, name), _] => {
                    outline.functions.push(source[name.clone()].to_owned());
                }
                _ => {}
            }
        }
        Ok(outline)
    }
}

/// Reads the file that stands in this part of the source. `functions` are those of all files.
pub(crate) fn parse_file(source: &str, file: &Span, functions: &HashSet<String>) -> Parsed<Unit> {
    let tokens = tokens(source, file)?;
    let mut parser = Parser { source, tokens, functions, at: 0, nesting: 0, operators: 0 };
    let mut unit = Unit::default();
    while parser.peek() != Token::End {
        parser.item(&mut unit.items)?;
    }
    Ok(unit)
}

fn tokens(source: &str, file: &Span) -> Parsed<Vec<(Token, Span)>> {
    let mut tokens = Vec::new();
    for (token, span) in Token::lexer(&source[file.clone()]).spanned() {
        let span = file.start + span.start..file.start + span.end;
        match token {
            // A comment with an end would have been skipped.
            Ok(Token::Slash) if source[span.start..].starts_with("/*") => return Err(unknown_text(source, span)),
            Ok(token) => tokens.push((token, span)),
            Err(()) => return Err(unknown_text(source, span)),
        }
    }
    tokens.push((Token::End, file.end..file.end));
    Ok(tokens)
}

fn unknown_text(source: &str, span: Span) -> Diagnostic {
    let text = &source[span.start..];
    if text.starts_with("/*") {
        let open = span.start..span.start + 2;
        return Diagnostic::new("a comment that does not end", open, "expected `*/` after this");
    }
    if text.starts_with('"') {
        let open = span.start..span.start + 1;
        return Diagnostic::new("a text that does not end on its line", open, "expected a closing `\"`");
    }
    let first = text.chars().next().unwrap_or('\u{fffd}');
    let end = span.start + first.len_utf8();
    Diagnostic::new(format!("unexpected character {first:?}"), span.start..end, "not part of the language")
}

struct Parser<'s> {
    source: &'s str,
    tokens: Vec<(Token, Span)>,
    /// What is defined by `def` and `message`: it comes before what the language has under the same name.
    functions: &'s HashSet<String>,
    at: usize,
    nesting: usize,
    operators: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1.clone()
    }

    /// Where the token before the present one ended.
    fn last_end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |before| self.tokens[before].1.end)
    }

    fn advance(&mut self) -> Span {
        let span = self.span();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        span
    }

    /// Whether this token stands behind the present one.
    fn next_is(&self, token: Token) -> bool {
        self.tokens.get(self.at + 1).is_some_and(|next| next.0 == token)
    }

    fn accept(&mut self, token: Token) -> bool {
        let is = self.peek() == token;
        if is {
            self.advance();
        }
        is
    }

    fn expect(&mut self, token: Token) -> Parsed<Span> {
        if self.peek() == token { Ok(self.advance()) } else { Err(self.unexpected(&token.to_string())) }
    }

    /// The statement before must end here: the error belongs behind it, not at the next line.
    fn expect_semicolon(&mut self) -> Parsed<()> {
        if self.accept(Token::Semicolon) {
            return Ok(());
        }
        let end = self.last_end();
        let found = self.found();
        Err(Diagnostic::new(
            format!("expected `;`, found {found}"),
            end.saturating_sub(1)..end,
            "expected `;` after this",
        ))
    }

    fn found(&self) -> String {
        match self.peek() {
            Token::End => "the end of the file".to_owned(),
            _ => {
                let text: String = self.source[self.span()].chars().take(30).collect();
                format!("`{text}`")
            }
        }
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        Diagnostic::new(
            format!("expected {expected}, found {}", self.found()),
            self.span(),
            format!("expected {expected}"),
        )
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let span = self.span();
            return Err(Diagnostic::new(
                "nested too deeply",
                span,
                format!("at most {MAX_NESTING} levels are allowed"),
            ));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    fn name(&mut self, expected: &str) -> Parsed<Name> {
        if self.peek() != Token::Name {
            let error = self.unexpected(expected);
            let reserved =
                self.source.get(self.span()).is_some_and(|text| text.starts_with(|c: char| c.is_ascii_alphabetic()));
            return Err(if reserved {
                error.note("that is a word of the language, so it cannot be a name")
            } else {
                error
            });
        }
        let span = self.advance();
        Ok(Name { text: self.source[span.clone()].to_owned(), span })
    }

    fn comma_separated<T>(&mut self, close: Token, mut one: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut all = Vec::new();
        while self.peek() != close {
            all.push(one(self)?);
            if !self.accept(Token::Comma) {
                break;
            }
        }
        if self.peek() == close {
            self.advance();
            Ok(all)
        } else {
            Err(self.unexpected(&format!("`,` or {close}")))
        }
    }
}

/// Definitions.
impl Parser<'_> {
    fn item(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
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
            Token::Mutex | Token::Cond | Token::Handler => self.objects(items)?,
            Token::Thread => {
                self.advance();
                let name = self.name("the name of a thread")?;
                let family = self.family()?;
                let body = self.block()?;
                items.push(Item::Thread { name, family, body });
            }
            Token::Message => {
                self.advance();
                items.push(Item::Message(self.function("the name of a message")?));
            }
            Token::Def => {
                self.advance();
                items.push(Item::Def(self.function("the name of a function")?));
            }
            Token::Event => items.push(self.event()?),
            Token::Never => {
                self.advance();
                let condition = self.expr()?;
                self.expect_semicolon()?;
                items.push(Item::Never { condition });
            }
            _ if self.sync_item(items)? => {}
            _ => {
                let expected = "a definition (include, const, enum, shared, mutex, cond, semaphore, rwlock, channel, handler, \
                                thread, message, def, event or never)";
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
    fn shown_as(&mut self) -> Parsed<Option<Name>> {
        if self.accept(Token::Colon) { Ok(Some(self.name("the name of an enum")?)) } else { Ok(None) }
    }

    fn length(&mut self) -> Parsed<Option<Expr>> {
        if !self.accept(Token::OpenBracket) {
            return Ok(None);
        }
        let length = self.expr()?;
        self.expect(Token::CloseBracket)?;
        Ok(Some(length))
    }

    fn shared(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
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
    fn initial(&mut self, name: &Name) -> Parsed<Initial> {
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

    fn objects(&mut self, items: &mut Vec<Item>) -> Parsed<()> {
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
            items.push(Item::Object { name, kind, length });
            if !self.accept(Token::Comma) {
                return self.expect_semicolon();
            }
        }
    }

    fn family(&mut self) -> Parsed<Option<Family>> {
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

    fn function(&mut self, expected: &str) -> Parsed<Function> {
        let name = self.name(expected)?;
        let parameters = if self.accept(Token::OpenParen) {
            self.comma_separated(Token::CloseParen, |parser| parser.name("the name of a parameter"))?
        } else {
            Vec::new()
        };
        let body = self.block()?;
        Ok(Function { name, parameters, body })
    }

    fn event(&mut self) -> Parsed<Item> {
        self.advance();
        let name = self.name("the name of an event")?;
        let family = self.family()?;
        let mut disabled = self.accept(Token::Disabled);
        let guard = if self.accept(Token::When) { Some(self.expr()?) } else { None };
        disabled |= self.accept(Token::Disabled);
        let body = self.block()?;
        Ok(Item::Event { name, family, disabled, guard, body })
    }
}

/// Statements.
impl Parser<'_> {
    fn block(&mut self) -> Parsed<Block> {
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

    fn statement(&mut self) -> Parsed<Statement> {
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
            token if may_be_clause(token) => self.name_or_expr_statement()?,
            _ => return Err(self.unexpected("a statement")),
        };
        let span = start..self.last_end();
        self.expect_semicolon()?;
        Ok(Statement { kind, span })
    }

    fn word(&mut self, kind: StatementKind) -> StatementKind {
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

    fn place(&mut self, expected: &str) -> Parsed<Place> {
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

    fn call(&mut self, expected: &str) -> Parsed<Call> {
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

/// Expressions.
impl Parser<'_> {
    fn expr(&mut self) -> Parsed<Expr> {
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
    fn operator(&mut self) -> Parsed<()> {
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
