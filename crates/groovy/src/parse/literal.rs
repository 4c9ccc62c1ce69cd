//! Numbers, texts, lists and maps as they are written.

use super::token::Token;
use super::{Parsed, Parser};
use crate::frozen::Frozen;
use crate::span::Span;
use crate::tree::{Entry, ExprKind, Piece};
use mazurka_core::Diagnostic;
use rust_decimal::Decimal;

impl Parser<'_> {
    /// The value of a number token.
    pub(super) fn number(&self, span: Span) -> Parsed<Frozen> {
        let text = self.source[span.range()].replace('_', "");
        number_value(&text).ok_or_else(|| {
            Diagnostic::new("a number that is too large", span.range(), "expected a number of at most 28 digits")
        })
    }

    /// A text with interpolations.
    pub(super) fn interpolated(&mut self) -> Parsed<ExprKind> {
        self.expect(Token::TextOpen)?;
        let mut pieces = Vec::new();
        loop {
            match self.peek() {
                Token::TextPart => {
                    let index = self.advance().text;
                    let text = self.texts[index as usize].clone();
                    if !text.is_empty() {
                        pieces.push(Piece::Text(text));
                    }
                }
                Token::PieceOpen => self.piece(&mut pieces)?,
                _ => {
                    self.expect(Token::TextClose)?;
                    return Ok(ExprKind::Interpolated(pieces.into()));
                }
            }
        }
    }

    fn piece(&mut self, pieces: &mut Vec<Piece>) -> Parsed<()> {
        self.expect(Token::PieceOpen)?;
        self.skip_separators();
        // `${-> x}` would be evaluated when the text is used; here a text is used as soon as it is made.
        self.accept(Token::Arrow);
        if self.peek() != Token::PieceClose {
            pieces.push(Piece::Value(self.command_expression()?));
            self.skip_separators();
        } else {
            pieces.push(Piece::Text("null".into()));
        }
        self.expect(Token::PieceClose)?;
        Ok(())
    }

    pub(super) fn list_or_map(&mut self) -> Parsed<ExprKind> {
        self.expect(Token::OpenBracket)?;
        if self.accept(Token::Colon) {
            self.expect(Token::CloseBracket)?;
            return Ok(ExprKind::Map(Box::default()));
        }
        let is_map = (self.peek() == Token::Star && self.peek_at(1) == Token::Colon) || self.key_follows();
        let kind =
            if is_map { ExprKind::Map(self.map_entries()?.into()) } else { ExprKind::List(self.list_items()?.into()) };
        if self.peek() != Token::CloseBracket {
            return Err(self.unexpected("`,` or `]`"));
        }
        self.advance();
        Ok(kind)
    }

    fn map_entries(&mut self) -> Parsed<Vec<Entry>> {
        let mut entries = Vec::new();
        while self.peek() != Token::CloseBracket {
            if self.peek() == Token::Star && self.peek_at(1) == Token::Colon {
                self.advance();
                self.advance();
                entries.push(Entry::Spread(self.expression()?));
            } else {
                let Some(key) = self.key()? else { return Err(self.unexpected("a key with `:`")) };
                self.skip_newlines();
                entries.push(Entry::Pair(key, self.expression()?));
            }
            if !self.accept(Token::Comma) {
                break;
            }
        }
        Ok(entries)
    }
}

fn number_value(text: &str) -> Option<Frozen> {
    let prefix = text.get(..2).unwrap_or_default().to_ascii_lowercase();
    match prefix.as_str() {
        "0x" => whole(text.get(2..)?, 16),
        "0b" => whole(text.get(2..)?, 2),
        _ => decimal_or_whole(text),
    }
}

fn decimal_or_whole(text: &str) -> Option<Frozen> {
    let digits = text.trim_end_matches(['f', 'F', 'd', 'D']);
    if digits.len() < text.len() {
        return Some(Frozen::Double(digits.parse::<f64>().ok()?.to_bits()));
    }
    if text.contains(['.', 'e', 'E']) {
        let digits = text.trim_end_matches(['g', 'G']);
        let value = Decimal::from_str_exact(digits).or_else(|_| Decimal::from_scientific(digits)).ok();
        // A number beyond what a decimal holds keeps its size, if not its last digits.
        return value.map(Frozen::Decimal).or_else(|| Some(Frozen::Double(digits.parse::<f64>().ok()?.to_bits())));
    }
    let octal = text.len() > 1 && text.starts_with('0') && text[1..].starts_with(|c: char| c.is_ascii_digit());
    if octal { whole(&text[1..], 8) } else { whole(text, 10) }
}

/// A whole number with its suffix. Without one it is as small a class as holds it.
fn whole(text: &str, radix: u32) -> Option<Frozen> {
    let digits = text.trim_end_matches(['g', 'G', 'l', 'L', 'i', 'I']);
    let suffix = text[digits.len()..].to_ascii_lowercase();
    match suffix.as_str() {
        "l" => i64::from_str_radix(digits, radix).ok().map(Frozen::Long),
        "g" => Decimal::from_str_radix(digits, radix).ok().map(Frozen::Decimal),
        "i" => i32::from_str_radix(digits, radix).ok().map(Frozen::Int),
        _ => {
            // A hexadecimal number of 32 bits is an `Integer`, whose top bit is its sign.
            let bits = (radix != 10).then(|| u32::from_str_radix(digits, radix).ok()).flatten();
            bits.map(|bits| Frozen::Int(bits as i32))
                .or_else(|| i32::from_str_radix(digits, radix).ok().map(Frozen::Int))
                .or_else(|| i64::from_str_radix(digits, radix).ok().map(Frozen::Long))
                .or_else(|| Decimal::from_str_radix(digits, radix).ok().map(Frozen::Decimal))
        }
    }
}
