//! From text to tokens.
//!
//! One pass over the source. A stack of what is open tells whether a line end separates statements (it does not within
//! parentheses and brackets) and whether a `}` ends a block or an interpolation, after which the text goes on.

use super::token::Token;
use crate::span::Span;
use logos::{Lexer, Logos};
use mazurka_core::Diagnostic;
use std::sync::Arc;

/// A token with its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) span: Span,
    /// For texts: the index of the content in [`Lexed::texts`].
    pub(super) text: u32,
}

/// The tokens of a source, and the contents of its texts.
pub(super) struct Lexed {
    pub(super) lexemes: Vec<Lexeme>,
    pub(super) texts: Vec<Arc<str>>,
}

/// The ways to write a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoting {
    Single,
    TripleSingle,
    Double,
    TripleDouble,
    Slashy,
    DollarSlashy,
}

impl Quoting {
    fn close(self) -> &'static str {
        match self {
            Quoting::Single => "'",
            Quoting::TripleSingle => "'''",
            Quoting::Double => "\"",
            Quoting::TripleDouble => "\"\"\"",
            Quoting::Slashy => "/",
            Quoting::DollarSlashy => "/$",
        }
    }

    fn interpolates(self) -> bool {
        !matches!(self, Quoting::Single | Quoting::TripleSingle)
    }

    fn spans_lines(self) -> bool {
        !matches!(self, Quoting::Single | Quoting::Double)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Paren,
    Bracket,
    Brace,
    /// `${` within a text that began at that byte.
    Piece(Quoting, usize),
}

/// Splits a source into tokens.
pub(super) fn lex(source: &str) -> Result<Lexed, Diagnostic> {
    let mut reader = TokenReader {
        source,
        lexer: Token::lexer(source),
        open: Vec::new(),
        out: Lexed { lexemes: Vec::with_capacity(source.len() / 4), texts: Vec::new() },
    };
    while let Some(token) = reader.lexer.next() {
        reader.token(token)?;
    }
    reader.push(Token::End, source.len(), source.len());
    Ok(reader.out)
}

struct TokenReader<'s> {
    source: &'s str,
    lexer: Lexer<'s, Token>,
    open: Vec<Open>,
    out: Lexed,
}

impl TokenReader<'_> {
    fn token(&mut self, token: Result<Token, ()>) -> Result<(), Diagnostic> {
        let at = self.lexer.span();
        let Ok(token) = token else { return Err(self.unknown_character(at.start)) };
        match token {
            Token::LineComment => {}
            Token::HashBang => self.skip_line(),
            Token::BlockComment => self.block_comment(at.start)?,
            Token::Newline => self.newline(at.start, at.end),
            Token::DoubleQuote => self.text(Quoting::Double, at.start)?,
            Token::TripleDoubleQuote => self.text(Quoting::TripleDouble, at.start)?,
            Token::Quote => self.text(Quoting::Single, at.start)?,
            Token::TripleQuote => self.text(Quoting::TripleSingle, at.start)?,
            Token::DollarSlash => self.text(Quoting::DollarSlashy, at.start)?,
            Token::Slash if !self.after_value() => self.text(Quoting::Slashy, at.start)?,
            Token::SlashAssign if !self.after_value() => {
                // The pattern begins with `=`: go back behind the slash.
                self.lexer = Token::lexer(self.source);
                self.lexer.bump(at.start + 1);
                self.text(Quoting::Slashy, at.start)?;
            }
            Token::CloseBrace => return self.close_brace(at.start),
            token => {
                self.bracket(token);
                self.push(token, at.start, at.end);
            }
        }
        Ok(())
    }

    fn push(&mut self, token: Token, start: usize, end: usize) {
        self.out.lexemes.push(Lexeme { token, span: Span::new(start, end), text: 0 });
    }

    fn push_text(&mut self, token: Token, start: usize, end: usize, content: &str) {
        let text = self.out.texts.len() as u32;
        self.out.texts.push(Arc::from(content));
        self.out.lexemes.push(Lexeme { token, span: Span::new(start, end), text });
    }

    fn position(&self) -> usize {
        self.source.len() - self.lexer.remainder().len()
    }

    fn bracket(&mut self, token: Token) {
        match token {
            Token::OpenParen => self.open.push(Open::Paren),
            Token::OpenBracket => self.open.push(Open::Bracket),
            Token::OpenBrace => self.open.push(Open::Brace),
            Token::CloseParen => self.close(Open::Paren),
            Token::CloseBracket => self.close(Open::Bracket),
            _ => {}
        }
    }

    /// Forgets an open bracket; the parser complains about those that do not match.
    fn close(&mut self, open: Open) {
        if self.open.last() == Some(&open) {
            self.open.pop();
        }
    }

    fn close_brace(&mut self, at: usize) -> Result<(), Diagnostic> {
        match self.open.last().copied() {
            Some(Open::Piece(quoting, began)) => {
                self.open.pop();
                self.push(Token::PieceClose, at, at + 1);
                self.text_parts(quoting, began)
            }
            last => {
                if last == Some(Open::Brace) {
                    self.open.pop();
                }
                self.push(Token::CloseBrace, at, at + 1);
                Ok(())
            }
        }
    }

    fn newline(&mut self, start: usize, end: usize) {
        let separates = matches!(self.open.last(), None | Some(Open::Brace));
        let repeated = self.out.lexemes.last().is_none_or(|last| last.token == Token::Newline);
        if separates && !repeated {
            self.push(Token::Newline, start, end);
        }
    }

    /// Whether the token before is the end of a value, so that a slash divides.
    fn after_value(&self) -> bool {
        let Some(last) = self.out.lexemes.last() else { return false };
        match last.token {
            Token::Name => {
                let word = &self.source[last.span.range()];
                !matches!(word, "return" | "case" | "in" | "as" | "assert" | "else" | "throw" | "do" | "instanceof")
            }
            Token::Number
            | Token::Text
            | Token::TextClose
            | Token::CloseParen
            | Token::CloseBracket
            | Token::CloseBrace
            | Token::PlusPlus
            | Token::MinusMinus => true,
            _ => false,
        }
    }

    fn skip_line(&mut self) {
        let rest = self.lexer.remainder();
        self.lexer.bump(rest.find('\n').unwrap_or(rest.len()));
    }

    fn block_comment(&mut self, start: usize) -> Result<(), Diagnostic> {
        match self.lexer.remainder().find("*/") {
            Some(length) => {
                self.lexer.bump(length + 2);
                Ok(())
            }
            None => Err(Diagnostic::new("a comment that does not end", start..start + 2, "expected `*/` after this")),
        }
    }

    fn unknown_character(&self, start: usize) -> Diagnostic {
        let character = self.source[start..].chars().next().unwrap_or('\u{fffd}');
        let end = (start + character.len_utf8()).min(self.source.len());
        Diagnostic::new(format!("unexpected character {character:?}"), start..end, "not part of the language")
    }
}

/// Texts.
impl TokenReader<'_> {
    fn text(&mut self, quoting: Quoting, start: usize) -> Result<(), Diagnostic> {
        let at = self.out.lexemes.len();
        self.push(Token::TextOpen, start, self.position());
        self.text_parts(quoting, start)?;
        // A text that came to its end at once has no interpolations, and is one token.
        if let [open, part, close] = self.out.lexemes[at..]
            && (part.token, close.token) == (Token::TextPart, Token::TextClose)
        {
            self.out.lexemes.truncate(at);
            self.out.lexemes.push(Lexeme { token: Token::Text, span: open.span.to(close.span), text: part.text });
        }
        Ok(())
    }

    /// Reads on in a text, up to its end or to the next `${`, which the main loop then goes on with.
    fn text_parts(&mut self, quoting: Quoting, began: usize) -> Result<(), Diagnostic> {
        let mut content = String::new();
        let mut part_start = self.position();
        loop {
            let at = self.position();
            let rest = self.lexer.remainder();
            let Some(character) = rest.chars().next() else { return Err(self.unfinished_text(quoting, began)) };
            if rest.starts_with(quoting.close()) {
                self.push_text(Token::TextPart, part_start, at, &content);
                self.lexer.bump(quoting.close().len());
                self.push(Token::TextClose, at, self.position());
                return Ok(());
            }
            match character {
                '\\' => self.escape(quoting, &mut content)?,
                '$' if quoting.interpolates() => {
                    if self.dollar(quoting, began, part_start, &mut content)? {
                        return Ok(());
                    }
                    if content.is_empty() {
                        part_start = self.position();
                    }
                }
                '\n' | '\r' if !quoting.spans_lines() => return Err(self.unfinished_text(quoting, began)),
                // Line ends within a text are line feeds, whatever the file has.
                '\r' if rest.starts_with("\r\n") => self.lexer.bump(1),
                _ => {
                    content.push(character);
                    self.lexer.bump(character.len_utf8());
                }
            }
        }
    }

    /// At a `$`. Returns whether an interpolation in braces was opened.
    fn dollar(
        &mut self,
        quoting: Quoting,
        began: usize,
        part_start: usize,
        content: &mut String,
    ) -> Result<bool, Diagnostic> {
        let at = self.position();
        let rest = &self.lexer.remainder()[1..];
        if rest.starts_with('{') {
            self.push_text(Token::TextPart, part_start, at, content);
            self.lexer.bump(2);
            self.push(Token::PieceOpen, at, at + 2);
            self.open.push(Open::Piece(quoting, began));
            return Ok(true);
        }
        if rest.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            self.push_text(Token::TextPart, part_start, at, content);
            content.clear();
            self.path();
            return Ok(false);
        }
        if quoting == Quoting::DollarSlashy && rest.starts_with(['$', '/']) {
            content.push_str(&rest[..1]);
            self.lexer.bump(2);
            return Ok(false);
        }
        if matches!(quoting, Quoting::Double | Quoting::TripleDouble) {
            let label = "expected a name or `{` after `$`; write `\\$` for the sign itself";
            return Err(Diagnostic::new("a `$` that nothing follows", at..at + 1, label));
        }
        content.push('$');
        self.lexer.bump(1);
        Ok(false)
    }

    /// `$a.b.c` as the tokens of an expression.
    fn path(&mut self) {
        let at = self.position();
        self.push(Token::PieceOpen, at, at + 1);
        self.lexer.bump(1);
        loop {
            let start = self.position();
            let rest = self.lexer.remainder();
            let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            self.lexer.bump(length);
            self.push(Token::Name, start, start + length);
            let mut next = self.lexer.remainder().chars();
            let goes_on = next.next() == Some('.') && next.next().is_some_and(|c| c.is_alphabetic() || c == '_');
            if !goes_on {
                break;
            }
            self.push(Token::Dot, start + length, start + length + 1);
            self.lexer.bump(1);
        }
        let end = self.position();
        self.push(Token::PieceClose, end, end);
    }

    fn escape(&mut self, quoting: Quoting, content: &mut String) -> Result<(), Diagnostic> {
        let at = self.position();
        let rest = &self.lexer.remainder()[1..];
        let Some(next) = rest.chars().next() else {
            self.lexer.bump(1);
            return Ok(());
        };
        if matches!(quoting, Quoting::Slashy | Quoting::DollarSlashy) {
            return self.slashy_escape(quoting, next, content);
        }
        let plain = match next {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            's' => ' ',
            '\\' | '\'' | '"' | '$' => next,
            '\n' => {
                self.lexer.bump(2);
                return Ok(());
            }
            '\r' => {
                self.lexer.bump(if rest.starts_with("\r\n") { 3 } else { 2 });
                return Ok(());
            }
            'u' => return self.unicode_escape(at, content),
            '0'..='7' => return self.octal_escape(content),
            _ => {
                let end = at + 1 + next.len_utf8();
                let label = "expected one of `\\n \\t \\r \\b \\f \\\\ \\' \\\" \\$ \\u0000`";
                return Err(Diagnostic::new(format!("unknown escape `\\{next}` in a text"), at..end, label));
            }
        };
        content.push(plain);
        self.lexer.bump(2);
        Ok(())
    }

    /// Slashy texts keep their backslashes, except before a slash.
    fn slashy_escape(&mut self, quoting: Quoting, next: char, content: &mut String) -> Result<(), Diagnostic> {
        if quoting == Quoting::Slashy && next == '/' {
            content.push('/');
            self.lexer.bump(2);
        } else {
            content.push('\\');
            self.lexer.bump(1);
        }
        Ok(())
    }

    fn unicode_escape(&mut self, at: usize, content: &mut String) -> Result<(), Diagnostic> {
        let rest = &self.lexer.remainder()[1..];
        let digits = rest.trim_start_matches('u');
        let skipped = rest.len() - digits.len();
        let code = digits.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let Some(code) = code else {
            let end = (at + 2).min(self.source.len());
            return Err(Diagnostic::new(
                "a `\\u` without four hexadecimal digits",
                at..end,
                "expected as in `\\u00e9`",
            ));
        };
        // Halves of surrogate pairs cannot stand alone in a text of ours.
        content.push(char::from_u32(code).unwrap_or('\u{fffd}'));
        self.lexer.bump(1 + skipped + 4);
        Ok(())
    }

    fn octal_escape(&mut self, content: &mut String) -> Result<(), Diagnostic> {
        let rest = &self.lexer.remainder()[1..];
        let length = rest.bytes().take(3).take_while(|digit| (b'0'..=b'7').contains(digit)).count();
        let code = u32::from_str_radix(&rest[..length], 8).unwrap_or(0);
        content.push(char::from_u32(code).unwrap_or('\u{fffd}'));
        self.lexer.bump(1 + length);
        Ok(())
    }

    fn unfinished_text(&self, quoting: Quoting, began: usize) -> Diagnostic {
        let end = (began + 1).min(self.source.len());
        Diagnostic::new("a text that does not end", began..end, format!("expected a closing `{}`", quoting.close()))
    }
}
