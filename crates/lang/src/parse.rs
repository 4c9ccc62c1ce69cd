//! The parser: recursive descent for statements, precedence climbing for expressions.
//!
//! It stops at the first error, which names the place, the text and what was expected. Nesting is bounded, so that no
//! input can overflow the stack here, in the compiler or when the tree is dropped.

mod expression;
mod item;
mod liveness;
mod statement;
mod switch;
mod sync;

use crate::ast::{Name, Span, Unit};
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

/// The tokens of a file, the last one its end.
pub(crate) type Tokens = Vec<(Token, Span)>;

/// Reads a program. What it includes stays as it is named.
pub fn parse(source: &str) -> Parsed<Unit> {
    let whole = 0..source.len();
    let outline = Outline::of(source, &whole)?;
    parse_file(source, outline.tokens, &outline.functions.into_iter().collect())
}

/// What has to be known of all files of a program before one of them can be read.
pub(crate) struct Outline {
    /// The words of the file.
    pub(crate) tokens: Tokens,
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
        let (mut includes, mut functions) = (Vec::new(), Vec::new());
        let tokens = tokens(source, file)?;
        let mut depth = 0usize;
        for three in tokens.windows(3) {
            match three {
                [(Token::OpenBrace, _), ..] => depth += 1,
                [(Token::CloseBrace, _), ..] => depth = depth.saturating_sub(1),
                [(Token::Include, _), (Token::Text, text), (Token::Semicolon, _)] if depth == 0 => {
                    includes.push((source[text.start + 1..text.end - 1].to_owned(), text.clone()));
                }
                [(Token::Def | Token::Message, _), (Token::Name, name), _] => {
                    functions.push(source[name.clone()].to_owned());
                }
                _ => {}
            }
        }
        Ok(Outline { tokens, includes, functions })
    }
}

/// Reads the file that has these tokens. `functions` are those of all files.
pub(crate) fn parse_file(source: &str, tokens: Tokens, functions: &HashSet<String>) -> Parsed<Unit> {
    let mut parser = Parser { source, tokens, functions, at: 0, nesting: 0, operators: 0 };
    let mut unit = Unit::default();
    while parser.peek() != Token::End {
        parser.item(&mut unit.items)?;
    }
    Ok(unit)
}

fn tokens(source: &str, file: &Span) -> Parsed<Tokens> {
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
    tokens: Tokens,
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
