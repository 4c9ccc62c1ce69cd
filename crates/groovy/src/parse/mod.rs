//! The parser: recursive descent for statements, precedence climbing for expressions.
//!
//! It resolves local variables to slots as it goes. It stops at the first error, which names the place, the text and
//! what was expected. Nesting is bounded, so that no input can overflow the stack here, when the tree runs, or when it
//! is dropped.

mod arguments;
mod declaration;
mod expression;
mod lexer;
mod literal;
mod primary;
mod results;
mod scope;
mod statement;
mod token;

use super::script::{Names, Parts};
use super::span::Span;
use super::tree::{ClosureCode, Expr, ExprKind, Field, Method, Statement, Symbol};
use lexer::{Lexed, Lexeme};
use mazurka_core::Diagnostic;
use rustc_hash::FxHashSet;
use scope::Scopes;
use std::sync::Arc;
use token::Token;

/// How deeply statements and expressions may be nested.
const MAX_NESTING: usize = 120;
/// How many operators and member accesses one statement may have: long chains make deep trees too.
const MAX_CHAIN: usize = 400;
/// No app is larger; a larger file is something else.
const MAX_SOURCE: usize = 4 << 20;

type Parsed<T> = Result<T, Diagnostic>;

/// Reads the parts of a script.
pub(super) fn parse(source: &str) -> Parsed<Parts> {
    if source.len() > MAX_SOURCE {
        let message = format!("the file has {} bytes: too large for an app", source.len());
        return Err(Diagnostic::new(message, 0..0, "expected at most 4 MiB of Groovy text"));
    }
    let Lexed { lexemes, texts } = lexer::lex(source)?;
    let parser = Parser {
        source,
        lexemes,
        texts,
        at: 0,
        nesting: 0,
        chain: 0,
        names: Names::default(),
        scopes: Scopes::default(),
        methods: Vec::new(),
        closures: Vec::new(),
        fields: Vec::new(),
        classes: FxHashSet::default(),
    };
    parser.script()
}

struct Parser<'s> {
    source: &'s str,
    lexemes: Vec<Lexeme>,
    texts: Vec<Arc<str>>,
    at: usize,
    nesting: usize,
    chain: usize,
    names: Names,
    scopes: Scopes,
    methods: Vec<Method>,
    closures: Vec<ClosureCode>,
    fields: Vec<Field>,
    /// Imported classes, and those that the script itself declares.
    classes: FxHashSet<String>,
}

impl Parser<'_> {
    fn script(mut self) -> Parsed<Parts> {
        self.scopes.enter_method();
        let mut body: Vec<Statement> = Vec::new();
        self.skip_separators();
        while self.peek() != Token::End {
            self.top_level(&mut body)?;
            self.end_of_statement()?;
            self.skip_separators();
        }
        let slots = self.scopes.leave().slots;
        Ok(Parts {
            names: self.names,
            methods: self.methods,
            closures: self.closures,
            fields: self.fields,
            body: body.into(),
            slots,
            captured: self.scopes.captured(),
        })
    }

    fn peek(&self) -> Token {
        self.lexemes[self.at].token
    }

    /// The token `ahead` places further; the end of the file goes on for ever.
    fn peek_at(&self, ahead: usize) -> Token {
        self.token_at(self.at + ahead)
    }

    fn token_at(&self, index: usize) -> Token {
        self.lexemes.get(index).map_or(Token::End, |lexeme| lexeme.token)
    }

    fn span(&self) -> Span {
        self.lexemes[self.at].span
    }

    /// The place of the token before the present one.
    fn last_span(&self) -> Span {
        self.lexemes[self.at.saturating_sub(1)].span
    }

    /// From a place up to the token before the present one.
    fn since(&self, start: Span) -> Span {
        start.to(self.last_span())
    }

    fn advance(&mut self) -> Lexeme {
        let lexeme = self.lexemes[self.at];
        if self.at + 1 < self.lexemes.len() {
            self.at += 1;
        }
        lexeme
    }

    fn accept(&mut self, token: Token) -> bool {
        let is = self.peek() == token;
        if is {
            self.advance();
        }
        is
    }

    fn expect(&mut self, token: Token) -> Parsed<Lexeme> {
        if self.peek() == token { Ok(self.advance()) } else { Err(self.unexpected(token.describe())) }
    }

    /// The text of a name token, or nothing for other tokens.
    fn word(&self) -> &str {
        self.word_at(self.at)
    }

    fn word_at(&self, index: usize) -> &str {
        match self.lexemes.get(index) {
            Some(lexeme) if lexeme.token == Token::Name => &self.source[lexeme.span.range()],
            _ => "",
        }
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let is = self.word() == word;
        if is {
            self.advance();
        }
        is
    }

    /// A name, which may be a keyword where only a name can stand.
    fn any_name(&mut self, expected: &str) -> Parsed<Symbol> {
        if self.peek() != Token::Name {
            return Err(self.unexpected(expected));
        }
        let span = self.advance().span;
        Ok(self.names.intern(&self.source[span.range()]))
    }

    fn name(&mut self, expected: &str) -> Parsed<Symbol> {
        if is_keyword(self.word()) {
            return Err(self.unexpected(expected).note("that is a word of the language, so it cannot be a name"));
        }
        self.any_name(expected)
    }

    /// Whether white space stands before the present token.
    fn after_space(&self) -> bool {
        self.at > 0 && self.last_span().end < self.span().start
    }

    fn skip_newlines(&mut self) {
        while self.accept(Token::Newline) {}
    }

    fn skip_separators(&mut self) {
        while matches!(self.peek(), Token::Newline | Token::Semicolon) {
            self.advance();
        }
    }

    /// The index of the next token that is not the end of a line.
    fn past_newlines(&self) -> usize {
        let mut index = self.at;
        while self.token_at(index) == Token::Newline {
            index += 1;
        }
        index
    }

    fn end_of_statement(&mut self) -> Parsed<()> {
        match self.peek() {
            Token::Newline | Token::Semicolon => {
                self.advance();
                Ok(())
            }
            Token::CloseBrace | Token::PieceClose | Token::End => Ok(()),
            _ => Err(self.unexpected("the end of the statement")),
        }
    }

    fn found(&self) -> String {
        match self.peek() {
            Token::End => "the end of the file".to_owned(),
            Token::Newline => "the end of the line".to_owned(),
            _ => {
                let text: String = self.source[self.span().range()].chars().take(30).collect();
                format!("`{text}`")
            }
        }
    }

    fn unexpected(&self, expected: &str) -> Diagnostic {
        let message = format!("expected {expected}, found {}", self.found());
        Diagnostic::new(message, self.span().range(), format!("expected {expected}"))
    }

    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= MAX_NESTING {
            let label = format!("at most {MAX_NESTING} levels are allowed");
            return Err(Diagnostic::new("nested too deeply", self.span().range(), label));
        }
        self.nesting += 1;
        let result = inner(self);
        self.nesting -= 1;
        result
    }

    /// Counts an operator or member access of the present statement.
    fn chained(&mut self) -> Parsed<()> {
        self.chain += 1;
        if self.chain > MAX_CHAIN {
            let label = format!("at most {MAX_CHAIN} operators in one statement are allowed");
            return Err(Diagnostic::new("too long a statement", self.span().range(), label));
        }
        Ok(())
    }

    fn make(&self, kind: ExprKind, start: Span) -> Expr {
        Expr { kind, span: self.since(start) }
    }
}

/// Whether a word can stand where a name is expected to.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "as" | "assert"
            | "break"
            | "case"
            | "catch"
            | "class"
            | "continue"
            | "def"
            | "default"
            | "do"
            | "else"
            | "enum"
            | "extends"
            | "false"
            | "final"
            | "finally"
            | "for"
            | "if"
            | "implements"
            | "import"
            | "in"
            | "instanceof"
            | "interface"
            | "new"
            | "null"
            | "package"
            | "private"
            | "protected"
            | "public"
            | "return"
            | "static"
            | "super"
            | "switch"
            | "this"
            | "throw"
            | "throws"
            | "true"
            | "try"
            | "void"
            | "while"
    )
}

fn is_primitive(word: &str) -> bool {
    matches!(word, "int" | "long" | "float" | "double" | "boolean" | "byte" | "short" | "char" | "void")
}
