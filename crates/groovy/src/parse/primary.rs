//! The operands of expressions: names, closures, `new`, and the members, calls and indices that follow them.

use super::token::Token;
use super::{Parsed, Parser, is_keyword, results};
use crate::class;
use crate::frozen::Frozen;
use crate::span::Span;
use crate::tree::{Access, Arguments, Call, Callee, ClosureCode, Expr, ExprKind, Function, Item, Member, Parameter};
use std::sync::Arc;

/// Signs that may begin the next line of an expression.
const MEMBER_SIGNS: [Token; 3] = [Token::Dot, Token::SafeDot, Token::SpreadDot];

impl Parser<'_> {
    /// An operand with everything that follows it.
    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let mut expression = self.primary()?;
        loop {
            self.continue_line(&MEMBER_SIGNS);
            expression = match self.peek() {
                Token::Dot => self.member(expression, Access::Plain, start)?,
                Token::SafeDot => self.member(expression, Access::Safe, start)?,
                Token::SpreadDot => self.member(expression, Access::Spread, start)?,
                Token::DotAt => self.member(expression, Access::Plain, start)?,
                Token::DotAnd | Token::ColonColon => self.method_pointer(expression, start)?,
                Token::OpenParen if self.can_be_called(&expression) => self.call(expression, start)?,
                Token::OpenBrace if takes_closure(&expression, self.lexemes[self.at - 1].token) => {
                    self.with_trailing_closures(expression)?
                }
                Token::OpenBracket if !self.map_argument_follows() => self.index(expression, false, start)?,
                Token::Question if self.safe_index_follows() => {
                    self.advance();
                    self.index(expression, true, start)?
                }
                Token::PlusPlus | Token::MinusMinus if !self.after_space() => {
                    let up = self.advance().token == Token::PlusPlus;
                    self.stepped(expression, up, false, start)?
                }
                _ => return Ok(expression),
            };
            self.chained()?;
        }
    }

    fn member(&mut self, object: Expr, access: Access, start: Span) -> Parsed<Expr> {
        self.advance();
        self.skip_newlines();
        let name = self.member_name()?;
        if self.peek() == Token::OpenParen {
            let mut arguments = self.parenthesised_arguments()?;
            self.trailing_closures(&mut arguments)?;
            let callee = Callee::Method { object, name, access };
            return Ok(self.make(ExprKind::Call(Box::new(Call { callee, arguments })), start));
        }
        if self.peek() == Token::OpenBrace {
            let mut arguments = Arguments::default();
            self.trailing_closures(&mut arguments)?;
            let callee = Callee::Method { object, name, access };
            return Ok(self.make(ExprKind::Call(Box::new(Call { callee, arguments })), start));
        }
        Ok(self.make(ExprKind::Property { object: Box::new(object), name, access }, start))
    }

    pub(super) fn member_name(&mut self) -> Parsed<Member> {
        let start = self.span();
        match self.peek() {
            Token::Name => Ok(Member::Fixed(self.any_name("the name of a member")?)),
            Token::Text => {
                let text = self.advance().text;
                let text = self.texts[text as usize].clone();
                Ok(Member::Fixed(self.names.intern(&text)))
            }
            Token::TextOpen => {
                let kind = self.interpolated()?;
                Ok(Member::Computed(Box::new(self.make(kind, start))))
            }
            Token::OpenParen => {
                self.advance();
                let name = self.expression()?;
                self.expect(Token::CloseParen)?;
                Ok(Member::Computed(Box::new(name)))
            }
            _ => Err(self.unexpected("the name of a property or method")),
        }
    }

    fn method_pointer(&mut self, object: Expr, start: Span) -> Parsed<Expr> {
        self.advance();
        let name = self.member_name()?;
        Ok(self.make(ExprKind::MethodPointer { object: Box::new(object), name }, start))
    }

    /// Whether `(` after an operand is a call of it.
    fn can_be_called(&self, expression: &Expr) -> bool {
        match expression.kind {
            ExprKind::Name(_) | ExprKind::Local(_) | ExprKind::Call(_) | ExprKind::Closure(_) => true,
            ExprKind::Index { .. } | ExprKind::Property { .. } => !self.after_space(),
            ExprKind::Constant(Frozen::Text(_)) | ExprKind::Interpolated(_) => !self.after_space(),
            _ => self.lexemes[self.at - 1].token == Token::CloseParen && !self.after_space(),
        }
    }

    fn call(&mut self, callee: Expr, start: Span) -> Parsed<Expr> {
        let callee = match callee.kind {
            ExprKind::Name(name) => Callee::Name(name),
            ExprKind::Constant(Frozen::Text(ref name)) => Callee::Name(self.names.intern(name)),
            ExprKind::Interpolated(_) => Callee::Computed(callee),
            _ => Callee::Value(callee),
        };
        let mut arguments = self.parenthesised_arguments()?;
        self.trailing_closures(&mut arguments)?;
        Ok(self.make(ExprKind::Call(Box::new(Call { callee, arguments })), start))
    }

    /// `name { … }` and `name(…) { … }`.
    pub(super) fn with_trailing_closures(&mut self, expression: Expr) -> Parsed<Expr> {
        let start = expression.span;
        let mut call = match expression.kind {
            ExprKind::Call(call) => *call,
            ExprKind::Name(name) => Call { callee: Callee::Name(name), arguments: Arguments::default() },
            _ => Call { callee: Callee::Value(expression), arguments: Arguments::default() },
        };
        self.trailing_closures(&mut call.arguments)?;
        Ok(self.make(ExprKind::Call(Box::new(call)), start))
    }

    pub(super) fn trailing_closures(&mut self, arguments: &mut Arguments) -> Parsed<()> {
        while self.peek() == Token::OpenBrace {
            let closure = self.nested(Self::closure)?;
            arguments.positional.push(Item::Value(closure));
        }
        Ok(())
    }

    /// Whether `[` begins a map that is an argument: `input [name: "x"]`.
    fn map_argument_follows(&self) -> bool {
        let keyed = matches!(self.peek_at(1), Token::Name | Token::Text) && self.peek_at(2) == Token::Colon;
        self.after_space() && (keyed || self.peek_at(1) == Token::Colon)
    }

    /// Whether `?[` is an index and not the beginning of `? [list] : other`.
    fn safe_index_follows(&self) -> bool {
        let adjacent = self.peek_at(1) == Token::OpenBracket
            && !self.after_space()
            && self.span().end == self.lexemes[self.at + 1].span.start;
        adjacent && self.matching_end(self.at + 1).is_some_and(|end| self.token_at(end) != Token::Colon)
    }

    /// The index behind the bracket that closes the one at an index.
    pub(super) fn matching_end(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for (index, lexeme) in self.lexemes.iter().enumerate().skip(open) {
            match lexeme.token {
                Token::OpenParen | Token::OpenBracket | Token::OpenBrace | Token::PieceOpen | Token::TextOpen => {
                    depth += 1
                }
                Token::CloseParen | Token::CloseBracket | Token::CloseBrace | Token::PieceClose | Token::TextClose => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(index + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn index(&mut self, object: Expr, safe: bool, start: Span) -> Parsed<Expr> {
        let open = self.expect(Token::OpenBracket)?.span;
        let mut items = self.list_items()?;
        self.expect(Token::CloseBracket)?;
        let index = match (items.pop(), items.is_empty()) {
            (Some(Item::Value(only)), true) => only,
            (Some(last), _) => {
                items.push(last);
                self.make(ExprKind::List(items.into()), open)
            }
            (None, _) => return Err(self.unexpected("an index")),
        };
        Ok(self.make(ExprKind::Index { object: Box::new(object), index: Box::new(index), safe }, start))
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let kind = match self.peek() {
            Token::Name => return self.word_expression(start),
            Token::Number => {
                let span = self.advance().span;
                ExprKind::Constant(self.number(span)?)
            }
            Token::Text => {
                let text = self.advance().text;
                ExprKind::Constant(Frozen::Text(self.texts[text as usize].clone()))
            }
            Token::TextOpen => self.interpolated()?,
            Token::OpenParen => {
                self.advance();
                let mut inner = self.expression()?;
                self.expect(Token::CloseParen)?;
                inner.span = self.since(start);
                return Ok(inner);
            }
            Token::OpenBracket => self.list_or_map()?,
            Token::OpenBrace => return self.nested(Self::closure),
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(self.make(kind, start))
    }

    fn word_expression(&mut self, start: Span) -> Parsed<Expr> {
        let kind = match self.word() {
            "true" => ExprKind::Constant(Frozen::Bool(true)),
            "false" => ExprKind::Constant(Frozen::Bool(false)),
            "null" => ExprKind::Constant(Frozen::Null),
            "this" => ExprKind::This,
            "new" => return self.new_expression(start),
            "super" => ExprKind::Name(self.names.intern("super")),
            word if is_keyword(word) => return Err(self.unexpected("an expression")),
            _ => return self.name_expression(start),
        };
        self.advance();
        Ok(self.make(kind, start))
    }

    fn name_expression(&mut self, start: Span) -> Parsed<Expr> {
        let name = self.name("a name")?;
        if let Some(local) = self.scopes.resolve(name) {
            return Ok(self.make(ExprKind::Local(local.declared.slot), start));
        }
        let word = self.source[start.range()].to_owned();
        let called = matches!(self.peek(), Token::OpenParen | Token::OpenBrace);
        let is_class = class::is_known(&word) || self.classes.contains(&word);
        if is_class && !called {
            return Ok(self.make(ExprKind::Class(Arc::from(word)), start));
        }
        if class::is_package_root(&word)
            && let Some(class) = self.qualified_class()
        {
            return Ok(self.make(ExprKind::Class(class), start));
        }
        Ok(self.make(ExprKind::Name(name), start))
    }

    /// `java.util.Date` after its first word: goes past the name of the class, if there is one.
    fn qualified_class(&mut self) -> Option<Arc<str>> {
        let mut index = self.at;
        while self.token_at(index) == Token::Dot && self.token_at(index + 1) == Token::Name {
            let word = self.word_at(index + 1);
            if word.starts_with(char::is_uppercase) {
                let class = Arc::from(word);
                self.at = index + 2;
                return Some(class);
            }
            index += 2;
        }
        None
    }

    fn new_expression(&mut self, start: Span) -> Parsed<Expr> {
        self.advance();
        let class = self.type_name()?;
        let kind = match self.peek() {
            Token::OpenParen => {
                let arguments = self.parenthesised_arguments()?;
                if self.peek() == Token::OpenBrace && !self.after_space() {
                    return Err(self.unexpected("the end of `new`").note("anonymous classes are not supported"));
                }
                ExprKind::New { class, arguments: Box::new(arguments) }
            }
            Token::OpenBracket => self.new_array(class)?,
            // `new int[] { … }` has its brackets read as a part of the type.
            Token::OpenBrace if class.ends_with("[]") => {
                self.advance();
                self.skip_newlines();
                let items = self.items_until(Token::CloseBrace)?;
                self.expect(Token::CloseBrace)?;
                ExprKind::List(items.into())
            }
            _ => return Err(self.unexpected("`(` or `[`")),
        };
        Ok(self.make(kind, start))
    }

    fn new_array(&mut self, class: Arc<str>) -> Parsed<ExprKind> {
        let mut sizes = Vec::new();
        while self.accept(Token::OpenBracket) {
            if self.peek() != Token::CloseBracket {
                sizes.push(self.expression()?);
            }
            self.expect(Token::CloseBracket)?;
        }
        Ok(ExprKind::NewArray { class, sizes: sizes.into() })
    }

    /// Whether the `{` here begins a closure with parameters: a `->` comes before anything that no parameter list has.
    pub(super) fn closure_has_arrow(&self) -> bool {
        let mut index = self.at + 1;
        let mut after_comma = true;
        loop {
            match self.token_at(index) {
                Token::Arrow => return true,
                Token::Newline if after_comma => {}
                Token::Newline | Token::Semicolon | Token::CloseBrace | Token::End | Token::PieceClose => return false,
                Token::OpenBrace | Token::OpenParen | Token::OpenBracket | Token::TextOpen => {
                    match self.matching_end(index) {
                        Some(end) => index = end - 1,
                        None => return false,
                    }
                }
                Token::Name if matches!(self.word_at(index), "if" | "return" | "for" | "while" | "switch" | "case") => {
                    return false;
                }
                _ => {}
            }
            after_comma = matches!(self.token_at(index), Token::Comma | Token::Newline);
            index += 1;
        }
    }

    /// `{ … }` as a value.
    pub(super) fn closure(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let outer = std::mem::take(&mut self.chain);
        self.scopes.enter_closure();
        let code = self.closure_function();
        let frame = self.scopes.leave();
        self.chain = outer;
        let (function, implicit) = code?;
        let function = Function { slots: frame.slots, ..function };
        let index = self.closures.len() as u32;
        self.closures.push(ClosureCode { function, implicit, captures: frame.captures.into() });
        Ok(self.make(ExprKind::Closure(index), start))
    }

    /// The parameters and the body of a closure, and whether its only parameter is `it`. The slots are counted later.
    fn closure_function(&mut self) -> Parsed<(Function, bool)> {
        let implicit = !self.closure_has_arrow();
        self.expect(Token::OpenBrace)?;
        let (parameters, variadic) = if implicit {
            let it = self.names.intern("it");
            let declared = self.declare(it, None)?;
            (Box::from([Parameter { declared, class: None, default: None }]), false)
        } else {
            let parameters = self.parameters(Token::Arrow)?;
            self.expect(Token::Arrow)?;
            parameters
        };
        let body = results::with_result(self.statements()?);
        self.expect(Token::CloseBrace)?;
        Ok((Function { parameters, variadic, slots: 0, body }, implicit))
    }
}

/// Whether a `{` behind an operand is an argument of it.
fn takes_closure(expression: &Expr, last: Token) -> bool {
    match expression.kind {
        ExprKind::Name(_) | ExprKind::Local(_) => last == Token::Name,
        ExprKind::Call(_) => matches!(last, Token::CloseParen | Token::CloseBrace),
        _ => false,
    }
}
