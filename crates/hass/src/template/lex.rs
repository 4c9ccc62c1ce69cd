//! The tokens of templates.

/// A token inside of `{{ }}` or `{% %}`.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    Text(String),
    Int(i64),
    Float(f64),
    Sign(&'static str),
}

/// A part of a template before it is understood.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    Print(Vec<Token>),
    Block(Vec<Token>),
}

const SIGNS: [&str; 25] = [
    "**", "//", "==", "!=", "<=", ">=", "<", ">", "=", "+", "-", "*", "/", "%", "~", "|", "(", ")", "[", "]", "{", "}",
    ",", ":", ".",
];

/// Splits a template.
pub(super) fn parts(text: &str) -> Result<Vec<Part>, String> {
    let (mut parts, mut rest, mut trim) = (Vec::new(), text, false);
    loop {
        let next = ["{{", "{%", "{#"].iter().filter_map(|mark| rest.find(mark)).min();
        let Some(at) = next else {
            push_text(&mut parts, rest, trim, false);
            return Ok(parts);
        };
        let (before, after) = rest.split_at(at);
        let mark = &after[..2];
        let inner = &after[2..];
        let (inner, left) = match inner.strip_prefix('-') {
            Some(inner) => (inner, true),
            None => (inner.strip_prefix('+').unwrap_or(inner), false),
        };
        push_text(&mut parts, before, trim, left);
        if mark == "{#" {
            let end = inner.find("#}").ok_or("a comment `{#` has no `#}`")?;
            trim = inner[..end].ends_with('-');
            rest = &inner[end + 2..];
            continue;
        }
        let close = if mark == "{{" { "}}" } else { "%}" };
        let (tokens, used, right) = tokens(inner, close)?;
        trim = right;
        rest = &inner[used..];
        if mark == "{%" && tokens == [Token::Name("raw".to_owned())] {
            let end = ["{% endraw %}", "{%- endraw %}", "{%- endraw -%}", "{% endraw -%}", "{%endraw%}"];
            let (at, mark) = end
                .iter()
                .filter_map(|mark| rest.find(mark).map(|at| (at, *mark)))
                .min()
                .ok_or("`{% raw %}` has no `{% endraw %}`")?;
            parts.push(Part::Text(rest[..at].to_owned()));
            rest = &rest[at + mark.len()..];
            trim = mark.contains("-%");
            continue;
        }
        parts.push(if mark == "{{" { Part::Print(tokens) } else { Part::Block(tokens) });
    }
}

fn push_text(parts: &mut Vec<Part>, text: &str, trim_start: bool, trim_end: bool) {
    let text = if trim_start { text.trim_start() } else { text };
    let text = if trim_end { text.trim_end() } else { text };
    if !text.is_empty() {
        parts.push(Part::Text(text.to_owned()));
    }
}

/// The tokens up to a closing mark, how many bytes that took, and whether white space after it is to be dropped.
fn tokens(text: &str, close: &str) -> Result<(Vec<Token>, usize, bool), String> {
    let (mut tokens, mut at, mut depth) = (Vec::new(), 0, 0_u32);
    loop {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { return Err(format!("expected `{close}`")) };
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        // Inside of braces a `}}` may close two mappings.
        if depth == 0 || close == "%}" {
            if rest.starts_with(close) {
                return Ok((tokens, at + 2, false));
            }
            if rest.starts_with(['-', '+']) && rest[1..].starts_with(close) {
                return Ok((tokens, at + 3, rest.starts_with('-')));
            }
        }
        if first == '"' || first == '\'' {
            let (content, used) = quoted(rest, first)?;
            tokens.push(Token::Text(content));
            at += used;
        } else if first.is_ascii_digit() {
            let (token, used) = number(rest)?;
            tokens.push(token);
            at += used;
        } else if first.is_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(Token::Name(rest[..end].to_owned()));
            at += end;
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            match *sign {
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            tokens.push(Token::Sign(sign));
            at += sign.len();
        } else {
            return Err(format!("`{first}` is no part of an expression"));
        }
    }
}

fn quoted(text: &str, quote: char) -> Result<(String, usize), String> {
    let mut content = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        if c == quote {
            return Ok((content, at + 1));
        }
        if c != '\\' {
            content.push(c);
            continue;
        }
        match chars.next().map(|(_, c)| c) {
            Some('n') => content.push('\n'),
            Some('t') => content.push('\t'),
            Some('r') => content.push('\r'),
            Some(c @ ('\\' | '"' | '\'')) => content.push(c),
            Some('\n') => {}
            Some(c) => content.extend(['\\', c]),
            None => break,
        }
    }
    Err(format!("a text has no closing {quote}"))
}

fn number(text: &str) -> Result<(Token, usize), String> {
    let digits = |text: &str| text.find(|c: char| !c.is_ascii_digit() && c != '_').unwrap_or(text.len());
    let mut end = digits(text);
    let mut is_float = false;
    if text[end..].starts_with('.') && text[end + 1..].starts_with(|c: char| c.is_ascii_digit()) {
        is_float = true;
        end += 1 + digits(&text[end + 1..]);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(&text[end + 1 + sign..]);
        if exponent > 0 {
            is_float = true;
            end += 1 + sign + exponent;
        }
    }
    let clean = text[..end].replace('_', "");
    let token = match (is_float, clean.parse::<i64>()) {
        (false, Ok(number)) => Token::Int(number),
        _ => Token::Float(clean.parse().map_err(|_| format!("`{clean}` is no number"))?),
    };
    Ok((token, end))
}
