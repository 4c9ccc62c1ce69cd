//! Widths, wrapping, quoting and colour: what the renderers of text share. A character is one cell wide.

use crate::terminal::{steers, visible};

/// The width of a text on the screen.
pub fn width(text: &str) -> usize {
    text.chars().count()
}

/// The text, filled with spaces up to a width.
pub fn pad(text: &str, to: usize) -> String {
    format!("{text:<to$}")
}

/// The text on one line: a space stands for line breaks and tabs, and what would steer a terminal is written out.
pub fn one_line(text: &str) -> String {
    let pieces: Vec<_> = text.split(['\n', '\r', '\t']).map(str::trim).filter(|piece| !piece.is_empty()).collect();
    visible(&pieces.join(" "), false).into_owned()
}

/// A field of a CSV file.
pub fn quoted(field: &str) -> String {
    if field.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// As much of a line as an error message can hold.
pub fn excerpt(line: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = line.chars().take(MOST).map(|c| if steers(c) { '.' } else { c }).collect();
    if line.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}

/// Breaks a text between words into lines of at most this width; a longer word has a line for itself. A text that fits
/// stays as it is.
pub fn wrap(text: &str, to: usize) -> Vec<String> {
    if width(text) <= to {
        return vec![text.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(word) <= to => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Joins parts with commas into lines of at most this width, without breaking a part: a number stays with its unit.
pub fn wrap_whole(parts: &[String], to: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let part = if index + 1 < parts.len() { format!("{part},") } else { part.clone() };
        match lines.last_mut() {
            Some(line) if width(line) + 1 + width(&part) <= to => {
                line.push(' ');
                line.push_str(&part);
            }
            _ => lines.push(part),
        }
    }
    lines
}

/// A word as every shell takes it, for a file: control characters stay as they are.
pub fn script_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+,:@%=".contains(c);
    let is_plain = !word.is_empty() && word.chars().all(plain);
    if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// A file name as a shell takes it. What would steer a terminal is written out, in the way of the larger shells.
pub fn shell_word(word: &str) -> String {
    if word.chars().any(steers) {
        let written = |c: char| match c {
            '\'' | '\\' => format!("\\{c}"),
            _ if steers(c) => format!("\\u{:04x}", u32::from(c)),
            _ => c.to_string(),
        };
        format!("$'{}'", word.chars().map(written).collect::<String>())
    } else {
        script_word(word)
    }
}

/// Colours, if they are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Paint {
    /// Whether they are wanted.
    pub colour: bool,
}

impl Paint {
    /// Something is wrong.
    pub fn alarm(self, text: &str) -> String {
        self.with("1;31", text)
    }

    /// All is well.
    pub fn good(self, text: &str) -> String {
        self.with("1;32", text)
    }

    /// It is not known.
    pub fn open(self, text: &str) -> String {
        self.with("1;33", text)
    }

    /// A heading.
    pub fn bold(self, text: &str) -> String {
        self.with("1", text)
    }

    /// What matters less, in a faint colour.
    pub fn dim(self, text: &str) -> String {
        self.with("2", text)
    }

    fn with(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapping_breaks_between_words_only() {
        assert_eq!(wrap("a  b", 10), ["a  b"]);
        assert_eq!(wrap("one two  three fourteen", 9), ["one two", "three", "fourteen"]);
        assert_eq!(wrap("unbreakable it is", 4), ["unbreakable", "it", "is"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn a_part_stays_whole() {
        let parts = ["6 states", "9 transitions", "28 ms"].map(str::to_owned);
        assert_eq!(wrap_whole(&parts, 28), ["6 states, 9 transitions,", "28 ms"]);
        assert_eq!(wrap_whole(&parts, 80), ["6 states, 9 transitions, 28 ms"]);
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(one_line(" a  b\n\t c\u{1b}[31m "), r"a  b c\u{1b}[31m");
        assert_eq!(shell_word("a\u{1b}b'c\n"), r"$'a\u001bb\'c\u000a'");
    }
}
