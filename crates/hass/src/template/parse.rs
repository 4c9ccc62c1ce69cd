//! From tokens to a tree. The order of precedence is Jinja's.

use super::lex::{Part, Token, parts};
use super::tree::{Arguments, Comparison, Expr, Operator, Piece, Template};
use super::value::Val;
use crate::yaml::Place;

/// How deep expressions and blocks may be nested.
const MOST_DEPTH: usize = 60;

pub(super) fn template(text: &str, place: Place) -> Result<Template, String> {
    let mut reader = TemplateReader { parts: parts(text)?.into_iter().peekable(), depth: 0 };
    let (body, end) = reader.body(&[])?;
    match end {
        None => Ok(Template { place, text: text.to_owned(), body }),
        Some((word, _)) => Err(format!("`{word}` does not belong here")),
    }
}

struct TemplateReader {
    parts: std::iter::Peekable<std::vec::IntoIter<Part>>,
    depth: usize,
}

/// The block that ended a body: its first word, and the rest.
type End = Option<(String, Line)>;

impl TemplateReader {
    /// Pieces up to a block that begins with one of these words.
    fn body(&mut self, until: &[&str]) -> Result<(Vec<Piece>, End), String> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(format!("blocks are nested more than {MOST_DEPTH} deep"));
        }
        let mut pieces = Vec::new();
        while let Some(part) = self.parts.next() {
            let tokens = match part {
                Part::Text(text) => {
                    pieces.push(Piece::Text(text));
                    continue;
                }
                Part::Print(tokens) => {
                    pieces.push(Piece::Print(Line::new(tokens).only()?));
                    continue;
                }
                Part::Block(tokens) => tokens,
            };
            let mut line = Line::new(tokens);
            let word = line.name()?;
            if until.contains(&word.as_str()) {
                self.depth -= 1;
                return Ok((pieces, Some((word, line))));
            }
            pieces.push(self.block(&word, line)?);
        }
        self.depth -= 1;
        match until {
            [] => Ok((pieces, None)),
            [.., last] => Err(format!("expected `{{% {last} %}}`")),
        }
    }

    fn block(&mut self, word: &str, mut line: Line) -> Result<Piece, String> {
        match word {
            "if" => {
                let mut branches = Vec::new();
                let mut condition = line.only()?;
                loop {
                    let (body, end) = self.body(&["elif", "else", "endif"])?;
                    branches.push((condition, body));
                    match end {
                        Some((word, line)) if word == "elif" => condition = line.only()?,
                        Some((word, _)) if word == "else" => {
                            let (otherwise, _) = self.body(&["endif"])?;
                            return Ok(Piece::If(branches, otherwise));
                        }
                        _ => return Ok(Piece::If(branches, Vec::new())),
                    }
                }
            }
            "for" => {
                let mut names = vec![line.name()?];
                while line.eat(",") {
                    names.push(line.name()?);
                }
                line.word("in")?;
                let list = line.or()?;
                let filter = if line.eat_word("if") { Some(line.expression()?) } else { None };
                line.eat_word("recursive");
                line.end()?;
                let (body, end) = self.body(&["else", "endfor"])?;
                let otherwise = match end {
                    Some((word, _)) if word == "else" => self.body(&["endfor"])?.0,
                    _ => Vec::new(),
                };
                Ok(Piece::For { names, list, filter, body, otherwise })
            }
            "set" => {
                let name = line.name()?;
                if line.eat(".") {
                    let attribute = line.name()?;
                    line.sign("=")?;
                    return Ok(Piece::SetAttribute(name, attribute, line.only()?));
                }
                let mut names = vec![name];
                while line.eat(",") {
                    names.push(line.name()?);
                }
                if line.eat("=") {
                    return Ok(Piece::Set(names, line.only()?));
                }
                let (body, _) = self.body(&["endset"])?;
                Ok(Piece::SetBlock(names.swap_remove(0), body))
            }
            "do" => Ok(Piece::Do(line.only()?)),
            "break" => Ok(Piece::Break),
            "continue" => Ok(Piece::Continue),
            "macro" => {
                let name = line.name()?;
                line.sign("(")?;
                let mut parameters = Vec::new();
                while !line.eat(")") {
                    let parameter = line.name()?;
                    let default = if line.eat("=") { Some(line.expression()?) } else { None };
                    parameters.push((parameter, default));
                    if !line.eat(",") && !line.is(")") {
                        return Err("expected `)`".to_owned());
                    }
                }
                let (body, _) = self.body(&["endmacro"])?;
                Ok(Piece::Macro { name, parameters, body })
            }
            "from" => {
                let mut names = Vec::new();
                while let Some(token) = line.next() {
                    if token == Token::Name("import".to_owned()) {
                        break;
                    }
                }
                while let Some(token) = line.next() {
                    match token {
                        Token::Name(name) if name == "as" => {
                            names.pop();
                        }
                        Token::Name(name) if name != "with" && name != "context" => names.push(name),
                        _ => {}
                    }
                }
                Ok(Piece::Unknown("macros of another file".to_owned(), names))
            }
            "import" => {
                let mut last = None;
                while let Some(token) = line.next() {
                    if let Token::Name(name) = token {
                        last = Some(name);
                    }
                }
                Ok(Piece::Unknown("macros of another file".to_owned(), last.into_iter().collect()))
            }
            "filter" | "with" | "call" | "autoescape" | "block" => {
                let end = format!("end{word}");
                self.body(&[&end])?;
                Ok(Piece::Unknown(format!("`{{% {word} %}}`"), Vec::new()))
            }
            other => Err(format!("`{{% {other} %}}` is no block that is known here")),
        }
    }
}

/// The tokens of one block or expression.
struct Line {
    tokens: std::iter::Peekable<std::vec::IntoIter<Token>>,
    depth: usize,
}

impl Line {
    fn new(tokens: Vec<Token>) -> Self {
        Line { tokens: tokens.into_iter().peekable(), depth: 0 }
    }

    fn next(&mut self) -> Option<Token> {
        self.tokens.next()
    }

    fn is(&mut self, sign: &str) -> bool {
        matches!(self.tokens.peek(), Some(Token::Sign(next)) if *next == sign)
    }

    fn eat(&mut self, sign: &str) -> bool {
        let is = self.is(sign);
        if is {
            self.tokens.next();
        }
        is
    }

    fn is_word(&mut self, word: &str) -> bool {
        matches!(self.tokens.peek(), Some(Token::Name(next)) if next == word)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let is = self.is_word(word);
        if is {
            self.tokens.next();
        }
        is
    }

    fn word(&mut self, word: &str) -> Result<(), String> {
        if self.eat_word(word) { Ok(()) } else { Err(format!("expected `{word}`")) }
    }

    fn sign(&mut self, sign: &str) -> Result<(), String> {
        if self.eat(sign) { Ok(()) } else { Err(format!("expected `{sign}`")) }
    }

    fn name(&mut self) -> Result<String, String> {
        match self.tokens.next() {
            Some(Token::Name(name)) => Ok(name),
            _ => Err("expected a name".to_owned()),
        }
    }

    fn end(&mut self) -> Result<(), String> {
        match self.tokens.peek() {
            None => Ok(()),
            Some(Token::Name(name)) => Err(format!("`{name}` does not belong here")),
            Some(Token::Sign(sign)) => Err(format!("`{sign}` does not belong here")),
            Some(_) => Err("a value does not belong here".to_owned()),
        }
    }

    /// One expression, and nothing after it. Several with commas are a list.
    fn only(mut self) -> Result<Expr, String> {
        let first = self.expression()?;
        if !self.is(",") {
            self.end()?;
            return Ok(first);
        }
        let mut items = vec![first];
        while self.eat(",") {
            if self.tokens.peek().is_none() {
                break;
            }
            items.push(self.expression()?);
        }
        self.end()?;
        Ok(Expr::List(items))
    }

    fn expression(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(format!("expressions are nested more than {MOST_DEPTH} deep"));
        }
        let mut value = self.or()?;
        while self.eat_word("if") {
            let condition = self.or()?;
            let otherwise = if self.eat_word("else") { Some(Box::new(self.expression()?)) } else { None };
            value = Expr::Choose(Box::new(value), Box::new(condition), otherwise);
        }
        self.depth -= 1;
        Ok(value)
    }

    fn or(&mut self) -> Result<Expr, String> {
        let mut left = self.and()?;
        while self.eat_word("or") {
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, String> {
        let mut left = self.not()?;
        while self.eat_word("and") {
            left = Expr::And(Box::new(left), Box::new(self.not()?));
        }
        Ok(left)
    }

    fn not(&mut self) -> Result<Expr, String> {
        let mut negations = 0_usize;
        while self.eat_word("not") {
            negations += 1;
        }
        let value = self.compare()?;
        let not = |value| Expr::Not(Box::new(value));
        Ok(match negations {
            0 => value,
            odd if odd % 2 == 1 => not(value),
            _ => not(not(value)),
        })
    }

    fn compare(&mut self) -> Result<Expr, String> {
        let first = self.sum()?;
        let mut rest = Vec::new();
        loop {
            let comparison = if self.eat("==") {
                Comparison::Equal
            } else if self.eat("!=") {
                Comparison::Unequal
            } else if self.eat("<=") {
                Comparison::AtMost
            } else if self.eat(">=") {
                Comparison::AtLeast
            } else if self.eat("<") {
                Comparison::Less
            } else if self.eat(">") {
                Comparison::Greater
            } else if self.eat_word("in") {
                Comparison::In
            } else if self.eat_word("not") {
                self.word("in")?;
                Comparison::NotIn
            } else {
                break;
            };
            rest.push((comparison, self.sum()?));
        }
        Ok(if rest.is_empty() { first } else { Expr::Compare(Box::new(first), rest) })
    }

    fn sum(&mut self) -> Result<Expr, String> {
        let mut left = self.joined()?;
        loop {
            let operator = if self.eat("+") {
                Operator::Add
            } else if self.eat("-") {
                Operator::Subtract
            } else {
                return Ok(left);
            };
            left = Expr::Binary(operator, Box::new(left), Box::new(self.joined()?));
        }
    }

    fn joined(&mut self) -> Result<Expr, String> {
        let mut left = self.product()?;
        while self.eat("~") {
            left = Expr::Binary(Operator::Join, Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expr, String> {
        let mut left = self.power()?;
        loop {
            let operator = if self.eat("*") {
                Operator::Multiply
            } else if self.eat("//") {
                Operator::Floor
            } else if self.eat("/") {
                Operator::Divide
            } else if self.eat("%") {
                Operator::Modulo
            } else {
                return Ok(left);
            };
            left = Expr::Binary(operator, Box::new(left), Box::new(self.power()?));
        }
    }

    fn power(&mut self) -> Result<Expr, String> {
        let mut left = self.unary(true)?;
        while self.eat("**") {
            left = Expr::Binary(Operator::Power, Box::new(left), Box::new(self.unary(true)?));
        }
        Ok(left)
    }

    fn unary(&mut self, with_filters: bool) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err(format!("expressions are nested more than {MOST_DEPTH} deep"));
        }
        let value = if self.eat("-") {
            Expr::Negative(Box::new(self.unary(false)?))
        } else if self.eat("+") {
            self.unary(false)?
        } else {
            self.primary()?
        };
        self.depth -= 1;
        let value = self.postfix(value)?;
        if with_filters { self.filters(value) } else { Ok(value) }
    }

    fn primary(&mut self) -> Result<Expr, String> {
        let token = self.next().ok_or("expected an expression")?;
        Ok(match token {
            Token::Name(name) => match name.as_str() {
                "true" | "True" => Expr::Val(Val::Bool(true)),
                "false" | "False" => Expr::Val(Val::Bool(false)),
                "none" | "None" => Expr::Val(Val::None),
                _ => Expr::Name(name),
            },
            Token::Text(mut text) => {
                // Texts side by side are one.
                while let Some(Token::Text(_)) = self.tokens.peek() {
                    if let Some(Token::Text(more)) = self.next() {
                        text += &more;
                    }
                }
                Expr::Val(Val::text(text))
            }
            Token::Int(number) => Expr::Val(Val::Int(number)),
            Token::Float(number) => Expr::Val(Val::float(number)),
            Token::Sign("(") => {
                if self.eat(")") {
                    return Ok(Expr::List(Vec::new()));
                }
                let first = self.expression()?;
                if self.eat(")") {
                    return Ok(first);
                }
                let mut items = vec![first];
                while self.eat(",") && !self.is(")") {
                    items.push(self.expression()?);
                }
                self.sign(")")?;
                Expr::List(items)
            }
            Token::Sign("[") => {
                let mut items = Vec::new();
                while !self.eat("]") {
                    items.push(self.expression()?);
                    if !self.eat(",") && !self.is("]") {
                        return Err("expected `]`".to_owned());
                    }
                }
                Expr::List(items)
            }
            Token::Sign("{") => {
                let mut entries = Vec::new();
                while !self.eat("}") {
                    let key = self.expression()?;
                    self.sign(":")?;
                    entries.push((key, self.expression()?));
                    if !self.eat(",") && !self.is("}") {
                        return Err("expected `}`".to_owned());
                    }
                }
                Expr::Map(entries)
            }
            Token::Sign(sign) => return Err(format!("expected an expression, found `{sign}`")),
        })
    }

    fn postfix(&mut self, mut value: Expr) -> Result<Expr, String> {
        loop {
            if self.eat(".") {
                match self.next() {
                    Some(Token::Name(name)) => value = Expr::Attribute(Box::new(value), name),
                    Some(Token::Int(index)) => {
                        value = Expr::Item(Box::new(value), Box::new(Expr::Val(Val::Int(index))));
                    }
                    _ => return Err("expected a name after `.`".to_owned()),
                }
            } else if self.eat("[") {
                value = self.item(value)?;
            } else if self.eat("(") {
                let arguments = self.arguments()?;
                value = Expr::Call(Box::new(value), arguments);
            } else {
                return Ok(value);
            }
        }
    }

    fn item(&mut self, value: Expr) -> Result<Expr, String> {
        let mut bounds: [Option<Box<Expr>>; 3] = [None, None, None];
        let mut colons = 0;
        while !self.eat("]") {
            if self.eat(":") {
                colons += 1;
                if colons > 2 {
                    return Err("expected `]`".to_owned());
                }
                continue;
            }
            bounds[colons] = Some(Box::new(self.expression()?));
            if !self.is(":") && !self.is("]") {
                return Err("expected `]`".to_owned());
            }
        }
        match bounds {
            [Some(index), None, None] if colons == 0 => Ok(Expr::Item(Box::new(value), index)),
            _ if colons == 0 => Err("expected an index".to_owned()),
            bounds => Ok(Expr::Slice(Box::new(value), bounds)),
        }
    }

    fn arguments(&mut self) -> Result<Arguments, String> {
        let mut arguments = Arguments::default();
        while !self.eat(")") {
            self.eat("**");
            self.eat("*");
            let value = self.expression()?;
            match value {
                Expr::Name(name) if self.eat("=") => {
                    let value = self.expression()?;
                    arguments.named.push((name, value));
                }
                value => arguments.positional.push(value),
            }
            if !self.eat(",") && !self.is(")") {
                return Err("expected `)`".to_owned());
            }
        }
        Ok(arguments)
    }

    fn filters(&mut self, mut value: Expr) -> Result<Expr, String> {
        loop {
            if self.eat("|") {
                let mut name = self.name()?;
                while self.eat(".") {
                    name = format!("{name}.{}", self.name()?);
                }
                let arguments = if self.eat("(") { self.arguments()? } else { Arguments::default() };
                value = Expr::Filter(Box::new(value), name, arguments);
            } else if self.eat_word("is") {
                let negated = self.eat_word("not");
                let name = self.name()?;
                let arguments = if self.eat("(") {
                    self.arguments()?.positional
                } else if self.begins_value() {
                    let value = self.primary()?;
                    vec![self.postfix(value)?]
                } else {
                    Vec::new()
                };
                value = Expr::Test(Box::new(value), name, arguments, negated);
            } else if self.is("(") {
                self.eat("(");
                let arguments = self.arguments()?;
                value = Expr::Call(Box::new(value), arguments);
            } else if self.is(".") || self.is("[") {
                value = self.postfix(value)?;
            } else {
                return Ok(value);
            }
        }
    }

    /// Whether a test without parentheses has an argument.
    fn begins_value(&mut self) -> bool {
        match self.tokens.peek() {
            Some(Token::Name(name)) => !["else", "or", "and", "if", "is", "in", "not"].contains(&name.as_str()),
            Some(Token::Text(_) | Token::Int(_) | Token::Float(_)) => true,
            Some(Token::Sign(sign)) => *sign == "[" || *sign == "{",
            None => false,
        }
    }
}
