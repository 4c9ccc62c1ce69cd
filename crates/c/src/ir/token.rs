//! The tokens of a line of IR.

/// A token. Names are without their sign and without quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// A word, a number, `...`.
    Word(Box<str>),
    /// `%name`
    Local(Box<str>),
    /// `@name`
    Global(Box<str>),
    /// `!name`, or `!` alone.
    Meta(Box<str>),
    /// `#0`: attributes, or the beginning of a debug record.
    Attributes(Box<str>),
    /// `"text"`
    Text(Box<[u8]>),
    /// `c"text"`
    Bytes(Box<[u8]>),
    /// Anything else.
    Sign(u8),
}

impl Token {
    /// Whether this is a certain word.
    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self, Token::Word(this) if &**this == word)
    }
}

/// Reads the tokens of one line, up to a comment.
pub(crate) fn tokens(line: &str) -> Vec<Token> {
    let bytes = line.as_bytes();
    let mut reader = LineReader { bytes, at: 0 };
    let mut tokens = Vec::new();
    while let Some(&first) = bytes.get(reader.at) {
        match first {
            b' ' | b'\t' | b'\r' => reader.at += 1,
            b';' => break,
            b'%' => tokens.push(Token::Local(reader.name())),
            b'@' => tokens.push(Token::Global(reader.name())),
            b'!' => tokens.push(Token::Meta(reader.name())),
            b'#' => tokens.push(Token::Attributes(reader.name())),
            b'"' => tokens.push(Token::Text(reader.quoted())),
            b'c' if bytes.get(reader.at + 1) == Some(&b'"') => {
                reader.at += 1;
                tokens.push(Token::Bytes(reader.quoted()));
            }
            _ if is_name(first) || first == b'+' => tokens.push(Token::Word(reader.word())),
            _ => {
                tokens.push(Token::Sign(first));
                reader.at += 1;
            }
        }
    }
    tokens
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'-')
}

struct LineReader<'l> {
    bytes: &'l [u8],
    at: usize,
}

impl LineReader<'_> {
    /// The name behind a sign, quoted or not.
    fn name(&mut self) -> Box<str> {
        self.at += 1;
        if self.bytes.get(self.at) == Some(&b'"') {
            return String::from_utf8_lossy(&self.quoted()).into();
        }
        self.word()
    }

    fn word(&mut self) -> Box<str> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(|&byte| is_name(byte) || byte == b'+') {
            self.at += 1;
        }
        String::from_utf8_lossy(&self.bytes[start..self.at]).into()
    }

    /// What stands in quotes: `\22` is the byte with that number, `\\` a backslash.
    fn quoted(&mut self) -> Box<[u8]> {
        let mut text = Vec::new();
        self.at += 1;
        while let Some(&byte) = self.bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    let digits =
                        self.bytes.get(self.at..self.at + 2).and_then(|digits| std::str::from_utf8(digits).ok());
                    match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                        Some(escaped) => {
                            text.push(escaped);
                            self.at += 2;
                        }
                        None => {
                            text.push(b'\\');
                            self.at += usize::from(self.bytes.get(self.at) == Some(&b'\\'));
                        }
                    }
                }
                _ => text.push(byte),
            }
        }
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_falls_into_its_tokens() {
        let line = r#"%"a b" = load i32, i32* @x.y, align 4, !dbg !12 ; a comment"#;
        let word = |word: &str| Token::Word(word.into());
        let expected = [
            Token::Local("a b".into()),
            Token::Sign(b'='),
            word("load"),
            word("i32"),
            Token::Sign(b','),
            word("i32"),
            Token::Sign(b'*'),
            Token::Global("x.y".into()),
            Token::Sign(b','),
            word("align"),
            word("4"),
            Token::Sign(b','),
            Token::Meta("dbg".into()),
            Token::Meta("12".into()),
        ];
        assert_eq!(tokens(line), expected);
        assert_eq!(tokens(r#"c"a\22\\b\0A""#), [Token::Bytes(b"a\"\\b\n".as_slice().into())]);
        assert_eq!(tokens("c\"cut \\2"), [Token::Bytes(b"cut \\2".as_slice().into())]);
    }
}
