//! Text that does nothing to a terminal but appear on it.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// Whether a character steers a terminal, or turns the direction of what follows, instead of being shown.
pub fn steers(character: char) -> bool {
    let turns =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || turns
}

/// The text with such characters written out, as in `\u{1b}`; line breaks and tabs stay. With `colours`, so do the
/// sequences that set a colour.
pub fn visible(text: &str, colours: bool) -> Cow<'_, str> {
    let stays = |c: char| !steers(c) || c == '\n' || c == '\t';
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let length = colours.then(|| colour_sequence(rest)).flatten().unwrap_or(0);
        if length > 0 {
            shown.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        push_visible(&mut shown, character, stays(character));
        rest = &rest[character.len_utf8()..];
    }
    Cow::Owned(shown)
}

/// A name, as of a file, within a message: all of it on one line, with line breaks and tabs written out, too.
pub fn name(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            _ => push_visible(&mut shown, character, !steers(character)),
        }
    }
    Cow::Owned(shown)
}

/// A path within a message, as [`name`].
pub fn path(path: &Path) -> String {
    name(&path.to_string_lossy()).into_owned()
}

/// Adds a character, written out unless it `stays`.
pub(crate) fn push_visible(text: &mut String, character: char, stays: bool) {
    if stays {
        text.push(character);
    } else {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}", character.escape_unicode());
    }
}

/// The length of a sequence that sets a colour, if the text begins with one.
fn colour_sequence(text: &str) -> Option<usize> {
    let inner = text.strip_prefix("\u{1b}[")?;
    let digits = inner.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
    inner[digits..].starts_with('m').then_some(2 + digits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        assert_eq!(visible("plain\ttext\n", false), "plain\ttext\n");
        assert_eq!(visible("a\u{1b}]0;title\u{7}b\r\u{9b}2J", true), r"a\u{1b}]0;title\u{7}b\u{d}\u{9b}2J");
        assert_eq!(visible("x\u{202e}y", false), r"x\u{202e}y");
        let red = "\u{1b}[1;31mred\u{1b}[0m";
        assert_eq!(visible(&format!("{red}\u{1b}[2J"), true), format!(r"{red}\u{{1b}}[2J"));
        assert_eq!(visible(red, false), r"\u{1b}[1;31mred\u{1b}[0m");
    }

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(name("a file.mz"), "a file.mz");
        assert_eq!(name("a\nerror: b\t\r\u{1b}[2J.mz"), r"a\nerror: b\t\r\u{1b}[2J.mz");
    }
}
