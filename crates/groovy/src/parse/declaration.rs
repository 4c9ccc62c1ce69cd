//! Imports, methods, variables and types.

use super::token::Token;
use super::{Parsed, Parser, is_keyword, is_primitive};
use crate::span::Span;
use crate::tree::{Declared, Expr, ExprKind, Field, Function, Method, Parameter, Statement, StatementKind, Symbol};
use mazurka_core::Diagnostic;
use std::sync::Arc;

/// What stands in front of a declaration.
#[derive(Default)]
pub(super) struct Modifiers {
    /// There was a modifier or `def`, so that a declaration must follow.
    any: bool,
    /// `@Field`, or `static`: the variable belongs to the script.
    field: bool,
}

impl Parser<'_> {
    /// A method, a class, an import, or a statement of the script's top level.
    pub(super) fn top_level(&mut self, body: &mut Vec<Statement>) -> Parsed<()> {
        self.chain = 0;
        if matches!(self.word(), "import" | "package") && self.peek_at(1) == Token::Name {
            return self.import();
        }
        let start = self.at;
        let modifiers = self.modifiers()?;
        if self.is_class_declaration() {
            return self.class_declaration();
        }
        if (modifiers.any || self.type_before_name().is_some()) && self.method_follows() {
            return self.method();
        }
        if modifiers.field {
            return self.field();
        }
        self.at = start;
        let statement = self.statement()?;
        body.push(statement);
        Ok(())
    }

    fn import(&mut self) -> Parsed<()> {
        self.advance();
        self.accept_word("static");
        let mut last = String::new();
        while !matches!(self.peek(), Token::Newline | Token::Semicolon | Token::End) {
            match self.advance() {
                lexeme if lexeme.token == Token::Name => last = self.source[lexeme.span.range()].to_owned(),
                lexeme if matches!(lexeme.token, Token::Dot | Token::Star | Token::SpreadDot) => {}
                _ => {
                    self.at -= 1;
                    return Err(self.unexpected("the name of a class"));
                }
            }
        }
        if last.starts_with(char::is_uppercase) {
            self.classes.insert(last);
        }
        Ok(())
    }

    /// Annotations, access modifiers and `def`.
    pub(super) fn modifiers(&mut self) -> Parsed<Modifiers> {
        let mut modifiers = Modifiers::default();
        loop {
            match self.word() {
                "static" if self.peek_at(1) == Token::Name => {
                    modifiers.field = true;
                    self.advance();
                }
                "def" | "private" | "public" | "protected" | "final" | "abstract" | "synchronized" | "transient"
                | "volatile"
                    if matches!(self.peek_at(1), Token::Name | Token::At | Token::Text | Token::OpenParen)
                        && (self.peek_at(1) != Token::OpenParen || self.word() == "def") =>
                {
                    self.advance();
                }
                "" if self.peek() == Token::At && self.peek_at(1) == Token::Name => {
                    modifiers.field |= self.annotation()?;
                    self.skip_newlines();
                }
                _ => return Ok(modifiers),
            }
            modifiers.any = true;
        }
    }

    /// Returns whether it is `@Field`.
    fn annotation(&mut self) -> Parsed<bool> {
        self.advance();
        let is_field = self.word() == "Field";
        self.advance();
        while self.accept(Token::Dot) {
            self.any_name("the name of an annotation")?;
        }
        if self.peek() == Token::OpenParen {
            self.skip_balanced()?;
        }
        Ok(is_field)
    }

    /// Goes past a bracket and everything up to the one that closes it.
    fn skip_balanced(&mut self) -> Parsed<()> {
        let open = self.span();
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace | Token::PieceOpen => depth += 1,
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace | Token::PieceClose => depth -= 1,
                Token::End => return Err(Diagnostic::new("a bracket that is not closed", open.range(), "opened here")),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }

    fn is_class_declaration(&self) -> bool {
        matches!(self.word(), "class" | "interface" | "enum" | "trait")
            && self.word_at(self.at + 1).starts_with(char::is_uppercase)
    }

    /// Apps hardly ever declare classes. They are read over; what uses one is reported when it is reached.
    fn class_declaration(&mut self) -> Parsed<()> {
        self.advance();
        let name = self.word().to_owned();
        self.classes.insert(name);
        while self.peek() != Token::OpenBrace {
            if self.peek() == Token::End {
                return Err(self.unexpected("the class's `{`"));
            }
            self.advance();
        }
        self.skip_balanced()
    }

    /// The index of the name, if a type stands here and a name follows it on the same line.
    ///
    /// As in Groovy, a word that begins with a small letter is a type only if it is a primitive one: `input x` is a call.
    pub(super) fn type_before_name(&self) -> Option<usize> {
        let (end, known) = self.type_end(self.at)?;
        let named = self.token_at(end) == Token::Name && !is_keyword(self.word_at(end));
        (known && (named || self.token_at(end) == Token::Text)).then_some(end)
    }

    /// Where the type that begins at an index ends, and whether its name says that it is a type.
    pub(super) fn type_end(&self, start: usize) -> Option<(usize, bool)> {
        let mut index = start;
        let first = self.word_at(index);
        if first.is_empty() || (is_keyword(first) && first != "void") {
            return None;
        }
        while self.token_at(index + 1) == Token::Dot && self.token_at(index + 2) == Token::Name {
            index += 2;
        }
        let last = self.word_at(index);
        let known = last.starts_with(char::is_uppercase) || is_primitive(last);
        index += 1;
        if self.token_at(index) == Token::Less && known {
            index = self.type_arguments_end(index)?;
        }
        while self.token_at(index) == Token::OpenBracket && self.token_at(index + 1) == Token::CloseBracket {
            index += 2;
        }
        Some((index, known))
    }

    fn type_arguments_end(&self, start: usize) -> Option<usize> {
        let mut depth = 0_i32;
        let mut index = start;
        loop {
            match self.token_at(index) {
                Token::Less => depth += 1,
                Token::Greater => depth -= 1,
                Token::Shr => depth -= 2,
                Token::Ushr => depth -= 3,
                Token::Name
                | Token::Comma
                | Token::Dot
                | Token::Question
                | Token::OpenBracket
                | Token::CloseBracket => {}
                _ => return None,
            }
            index += 1;
            if depth <= 0 {
                return Some(index);
            }
        }
    }

    /// Reads a type and returns its simple name; arrays keep their brackets.
    pub(super) fn type_name(&mut self) -> Parsed<Arc<str>> {
        let Some((end, _)) = self.type_end(self.at) else { return Err(self.unexpected("a type")) };
        let mut name = String::new();
        while self.at < end {
            match self.peek() {
                Token::Name => name = self.word().to_owned(),
                Token::Less => self.at = self.type_arguments_end(self.at).unwrap_or(end) - 1,
                Token::OpenBracket => name.push_str("[]"),
                _ => {}
            }
            self.advance();
        }
        Ok(Arc::from(name))
    }

    /// Whether a method's name and parameters stand here, after an optional type.
    fn method_follows(&self) -> bool {
        let name = self.type_end_for_declaration().unwrap_or(self.at);
        matches!(self.token_at(name), Token::Name | Token::Text) && self.token_at(name + 1) == Token::OpenParen
    }

    /// The index of the declared name if a type stands in front of it; here any word may be one.
    fn type_end_for_declaration(&self) -> Option<usize> {
        let (end, _) = self.type_end(self.at)?;
        matches!(self.token_at(end), Token::Name | Token::Text).then_some(end)
    }

    fn optional_type(&mut self) -> Parsed<Option<Arc<str>>> {
        if self.type_end_for_declaration().is_some() { self.type_name().map(Some) } else { Ok(None) }
    }

    fn method(&mut self) -> Parsed<()> {
        let start = self.span();
        let returns = self.optional_type()?.filter(|class| is_coercing(class));
        let name = if self.peek() == Token::Text {
            let text = self.advance().text;
            self.names.intern(&self.texts[text as usize].clone())
        } else {
            self.any_name("the name of a method")?
        };
        self.scopes.enter_method();
        self.expect(Token::OpenParen)?;
        let (parameters, variadic) = self.parameters(Token::CloseParen)?;
        self.expect(Token::CloseParen)?;
        self.throws_clause()?;
        self.at = self.past_newlines();
        let body = self.function_body()?;
        let slots = self.scopes.leave().slots;
        let function = Function { parameters, variadic, slots, body };
        let span = self.since(start);
        self.methods.push(Method { name, returns, function, span });
        Ok(())
    }

    fn throws_clause(&mut self) -> Parsed<()> {
        if self.accept_word("throws") {
            self.type_name()?;
            while self.accept(Token::Comma) {
                self.type_name()?;
            }
        }
        Ok(())
    }

    /// Parameters up to a closing sign, which is left to the caller; and whether the last one takes all the rest.
    pub(super) fn parameters(&mut self, close: Token) -> Parsed<(Box<[Parameter]>, bool)> {
        let mut parameters = Vec::new();
        let mut variadic = false;
        self.skip_newlines();
        while self.peek() != close {
            self.modifiers()?;
            let class = if self.type_before_parameter() { Some(self.type_name()?) } else { None };
            variadic = self.accept(Token::Ellipsis);
            let name = self.name("the name of a parameter")?;
            let default = if self.accept(Token::Assign) { Some(self.ternary()?) } else { None };
            let class = class.filter(|class| is_coercing(class));
            let declared = self.declare(name, class.clone())?;
            parameters.push(Parameter { declared, class, default });
            self.skip_newlines();
            if !self.accept(Token::Comma) {
                break;
            }
            self.skip_newlines();
        }
        Ok((parameters.into(), variadic))
    }

    fn type_before_parameter(&self) -> bool {
        self.type_end(self.at).is_some_and(|(end, _)| matches!(self.token_at(end), Token::Name | Token::Ellipsis))
    }

    pub(super) fn declare(&mut self, name: Symbol, class: Option<Arc<str>>) -> Parsed<Declared> {
        self.scopes.declare(name, class).ok_or_else(|| {
            Diagnostic::new("too many variables in one method", self.last_span().range(), "at most 65535 are allowed")
        })
    }

    fn field(&mut self) -> Parsed<()> {
        let class = self.optional_type()?.filter(|class| is_coercing(class));
        loop {
            let name = self.name("the name of a field")?;
            let value = if self.accept(Token::Assign) { Some(self.initial_value(class.as_ref())?) } else { None };
            self.fields.push(Field { name, value });
            if !self.accept(Token::Comma) {
                return Ok(());
            }
        }
    }

    fn initial_value(&mut self, class: Option<&Arc<str>>) -> Parsed<Expr> {
        self.skip_newlines();
        let value = self.command_expression()?;
        Ok(cast_to(value, class))
    }

    /// Whether a declaration of local variables begins here.
    pub(super) fn declaration_follows(&self) -> bool {
        match self.word() {
            "def" | "final" => matches!(self.peek_at(1), Token::Name | Token::OpenParen | Token::At),
            "" => self.peek() == Token::At,
            _ => self.type_before_name().is_some(),
        }
    }

    /// `def a = 1, b`, `int a`, `def (a, b) = c`.
    pub(super) fn local_declaration(&mut self) -> Parsed<Vec<Statement>> {
        let start = self.span();
        self.modifiers()?;
        if self.peek() == Token::OpenParen {
            return self.multiple_declaration(start).map(|statement| vec![statement]);
        }
        let class = self.optional_type()?.filter(|class| is_coercing(class));
        let mut statements = Vec::new();
        loop {
            let start = self.span();
            let name = self.name("the name of a variable")?;
            // The variable is not yet visible in its own initial value.
            let value = if self.accept(Token::Assign) { Some(self.initial_value(class.as_ref())?) } else { None };
            let value = value.or_else(|| self.primitive_default(class.as_deref()));
            let declared = self.declare(name, class.clone())?;
            statements.push(Statement { kind: StatementKind::Declare(declared, value), span: self.since(start) });
            if !self.accept(Token::Comma) {
                return Ok(statements);
            }
            self.skip_newlines();
        }
    }

    /// A primitive variable is never null.
    fn primitive_default(&self, class: Option<&str>) -> Option<Expr> {
        use crate::frozen::Frozen;
        let value = match class? {
            "int" | "short" | "byte" | "char" => Frozen::Int(0),
            "long" => Frozen::Long(0),
            "float" | "double" => Frozen::Double(0),
            "boolean" => Frozen::Bool(false),
            _ => return None,
        };
        Some(Expr { kind: ExprKind::Constant(value), span: self.last_span() })
    }

    fn multiple_declaration(&mut self, start: Span) -> Parsed<Statement> {
        self.expect(Token::OpenParen)?;
        let mut names = Vec::new();
        loop {
            let class = self.optional_type()?.filter(|class| is_coercing(class));
            names.push((self.name("the name of a variable")?, class));
            if !self.accept(Token::Comma) {
                break;
            }
        }
        self.expect(Token::CloseParen)?;
        self.expect(Token::Assign)?;
        self.skip_newlines();
        let value = self.command_expression()?;
        let mut declared = Vec::with_capacity(names.len());
        for (name, class) in names {
            declared.push(self.declare(name, class)?);
        }
        Ok(Statement { kind: StatementKind::DeclareMany(declared.into(), value), span: self.since(start) })
    }
}

/// Whether a declared class changes or refuses values: numbers, truth values, texts, dates and collections.
fn is_coercing(class: &str) -> bool {
    is_primitive(class) && class != "void"
        || class.ends_with("[]")
        || matches!(
            class,
            "Integer"
                | "Long"
                | "Float"
                | "Double"
                | "BigDecimal"
                | "BigInteger"
                | "Short"
                | "Byte"
                | "Boolean"
                | "String"
                | "Date"
                | "List"
                | "ArrayList"
                | "Map"
                | "HashMap"
                | "LinkedHashMap"
                | "Set"
                | "Number"
        )
}

/// What a declared class does to a value that is assigned.
pub(super) fn cast_to(value: Expr, class: Option<&Arc<str>>) -> Expr {
    let Some(class) = class else { return value };
    let span = value.span;
    Expr { kind: ExprKind::Cast { value: Box::new(value), class: class.clone() }, span }
}
