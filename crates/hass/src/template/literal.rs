//! Rendered text back into a value: what Home Assistant does with every template outside of conditions.

use super::value::Val;
use std::sync::Arc;

/// The value that a rendered text spells: a number, a boolean, `None`, a list, a mapping; else the text itself.
pub fn native(text: &str) -> Val {
    let text = text.trim();
    let mut reader = LiteralReader { rest: text, depth: 0 };
    match reader.value() {
        Some(value) if reader.rest.trim().is_empty() && is_wanted(&value, text) => value,
        _ => Val::text(text),
    }
}

/// Texts such as `007`, `+5` and `1e5` stay texts, and so does a quoted text.
fn is_wanted(value: &Val, text: &str) -> bool {
    match value {
        Val::Text(_) => false,
        Val::Int(_) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'))
        }
        Val::Float(_) => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let leading = digits.starts_with('0') && !digits.starts_with("0.");
            !leading && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && !digits.starts_with('.')
        }
        _ => true,
    }
}

struct LiteralReader<'t> {
    rest: &'t str,
    depth: usize,
}

impl LiteralReader<'_> {
    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, sign: char) -> bool {
        self.skip();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self) -> Option<Val> {
        self.skip();
        let first = self.rest.chars().next()?;
        match first {
            '[' | '(' => {
                self.deeper()?;
                self.eat(first);
                let close = if first == '[' { ']' } else { ')' };
                let mut items = Vec::new();
                while !self.eat(close) {
                    items.push(self.value()?);
                    if !self.eat(',') && !self.rest.trim_start().starts_with(close) {
                        return None;
                    }
                }
                self.depth -= 1;
                Some(Val::list(items))
            }
            '{' => {
                self.deeper()?;
                self.eat('{');
                let mut entries = Vec::new();
                while !self.eat('}') {
                    let key = self.value()?;
                    if !self.eat(':') {
                        return None;
                    }
                    entries.push((key, self.value()?));
                    if !self.eat(',') && !self.rest.trim_start().starts_with('}') {
                        return None;
                    }
                }
                self.depth -= 1;
                Some(Val::Map(Arc::new(entries)))
            }
            '\'' | '"' => {
                let inner = &self.rest[1..];
                let mut content = String::new();
                let mut chars = inner.char_indices();
                while let Some((at, c)) = chars.next() {
                    if c == first {
                        self.rest = &inner[at + 1..];
                        return Some(Val::text(content));
                    }
                    if c == '\\' {
                        match chars.next()?.1 {
                            'n' => content.push('\n'),
                            't' => content.push('\t'),
                            c => content.push(c),
                        }
                    } else {
                        content.push(c);
                    }
                }
                None
            }
            _ => self.word(),
        }
    }

    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth < 50).then_some(())
    }

    fn word(&mut self) -> Option<Val> {
        let end = self.rest.find(|c: char| !c.is_alphanumeric() && !"+-._".contains(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        match word {
            "True" => Some(Val::Bool(true)),
            "False" => Some(Val::Bool(false)),
            "None" => Some(Val::None),
            _ if word.is_empty() => None,
            _ => {
                if let Ok(number) = word.parse::<i64>() {
                    return Some(Val::Int(number));
                }
                super::value::spelled(word).map(Val::float)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_becomes_what_it_spells() {
        for (text, shown) in [
            ("3", "Int(3)"),
            (" -4 ", "Int(-4)"),
            ("3.50", "Float(Number(3.5))"),
            ("007", "Text(\"007\")"),
            ("+5", "Text(\"+5\")"),
            ("True", "Bool(true)"),
            ("true", "Text(\"true\")"),
            ("None", "None"),
            ("on", "Text(\"on\")"),
            ("1e5", "Text(\"1e5\")"),
            ("light.a", "Text(\"light.a\")"),
            ("'x'", "Text(\"'x'\")"),
            ("[1, 'a', True]", "List([Int(1), Text(\"a\"), Bool(true)])"),
            ("[1, a]", "Text(\"[1, a]\")"),
            ("", "Text(\"\")"),
        ] {
            assert_eq!(format!("{:?}", native(text)), shown, "{text}");
        }
    }
}
