//! Types and values in a row of tokens. What is not known between them is an attribute and skipped: so the text of
//! several versions of LLVM is one grammar.

use super::token::Token;
use super::types::{Type, Types};
use std::sync::Arc;

/// A constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    /// The bits of a number, a truth value or a null pointer.
    Number(u64),
    /// The bits of a number of 128 bits.
    Wide(u128),
    /// A symbol and this many bytes.
    Address(Arc<str>, i64),
    Undefined,
    Zero,
    Bytes(Box<[u8]>),
    Aggregate(Vec<(Type, Constant)>),
}

/// What an instruction uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Local(Box<str>),
    Constant(Constant),
    /// Debug information.
    Metadata(Box<str>),
    /// Inline assembly.
    Assembly(Box<[u8]>),
}

/// How deeply types and constants may be nested.
const DEEPEST: u32 = 200;

/// A place in a row of tokens. Nothing is there is told by `None`.
#[derive(Clone)]
pub(crate) struct Cursor<'t> {
    pub(crate) tokens: &'t [Token],
    pub(crate) at: usize,
    pub(crate) types: &'t Types,
    depth: u32,
}

impl<'t> Cursor<'t> {
    pub(crate) fn new(tokens: &'t [Token], types: &'t Types) -> Self {
        Cursor { tokens, at: 0, types, depth: 0 }
    }

    pub(crate) fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    pub(crate) fn next(&mut self) -> Option<&'t Token> {
        self.at += 1;
        self.tokens.get(self.at - 1)
    }

    pub(crate) fn is(&self, sign: u8) -> bool {
        self.peek() == Some(&Token::Sign(sign))
    }

    pub(crate) fn eat(&mut self, sign: u8) -> bool {
        let is = self.is(sign);
        self.at += usize::from(is);
        is
    }

    pub(crate) fn word(&self) -> &'t str {
        match self.peek() {
            Some(Token::Word(word)) => word,
            _ => "",
        }
    }

    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let is = self.word() == word;
        self.at += usize::from(is);
        is
    }

    /// Skips words out of a list.
    pub(crate) fn skip_words(&mut self, words: &[&str]) {
        while words.contains(&self.word()) {
            self.at += 1;
        }
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        match self.next()? {
            Token::Word(word) => word.parse().ok(),
            _ => None,
        }
    }

    pub(crate) fn label(&mut self) -> Option<Box<str>> {
        self.eat_word("label");
        match self.next()? {
            Token::Local(name) => Some(name.clone()),
            _ => None,
        }
    }

    /// Skips a parenthesis that begins here, with all that is in it.
    pub(crate) fn skip_parenthesis(&mut self) {
        if !self.is(b'(') {
            return;
        }
        let mut open = 0u32;
        while let Some(token) = self.next() {
            match token {
                Token::Sign(b'(') => open += 1,
                Token::Sign(b')') if open <= 1 => return,
                Token::Sign(b')') => open -= 1,
                _ => {}
            }
        }
    }

    /// A type. Where none stands, the place stays as it is.
    pub(crate) fn ty(&mut self) -> Option<Type> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let read = self.ty_inner();
        self.depth -= 1;
        read
    }

    fn ty_inner(&mut self) -> Option<Type> {
        let start = self.at;
        let simple = self.simple_type();
        let Some(mut ty) = simple else {
            self.at = start;
            return None;
        };
        loop {
            if self.eat_word("addrspace") {
                self.skip_parenthesis();
                ty = Type::Pointer;
            } else if self.eat(b'*') {
                ty = Type::Pointer;
            } else if self.is(b'(') {
                self.skip_parenthesis();
                ty = Type::Function;
            } else {
                return Some(ty);
            }
        }
    }

    fn simple_type(&mut self) -> Option<Type> {
        Some(match self.next()? {
            Token::Word(word) => match &**word {
                "void" => Type::Void,
                "ptr" => Type::Pointer,
                "float" => Type::Float,
                "double" => Type::Double,
                "x86_fp80" => Type::LongDouble,
                "opaque" | "metadata" | "label" | "..." | "token" => Type::Other,
                word => Type::Int(word.strip_prefix('i')?.parse().ok()?),
            },
            Token::Local(name) => Type::Named(Arc::from(&**name)),
            Token::Sign(b'[') => {
                let count = self.number()?;
                self.eat_word("x");
                let element = self.ty()?;
                self.eat(b']');
                Type::Array(count, element.into())
            }
            Token::Sign(b'{') => Type::Struct { fields: self.type_list()?, packed: false },
            Token::Sign(b'<') if self.eat(b'{') => {
                let fields = self.type_list()?;
                self.eat(b'>');
                Type::Struct { fields, packed: true }
            }
            Token::Sign(b'<') => {
                let count = self.number()?;
                self.eat_word("x");
                let element = self.ty()?;
                self.eat(b'>');
                Type::Vector(count, element.into())
            }
            _ => return None,
        })
    }

    fn type_list(&mut self) -> Option<Arc<[Type]>> {
        let mut list = Vec::new();
        while !self.eat(b'}') {
            list.push(self.ty()?);
            self.eat(b',');
        }
        Some(list.into())
    }

    /// Skips attributes between a type and a value; tells the type of `byval(T)`.
    pub(crate) fn attributes(&mut self) -> Option<Type> {
        let mut by_value = None;
        loop {
            match self.peek() {
                Some(Token::Word(word)) if begins_constant(word) => return by_value,
                Some(Token::Word(word)) if &**word == "align" => self.at += 2,
                Some(Token::Word(word)) => {
                    let is_by_value = &**word == "byval";
                    self.at += 1;
                    if is_by_value && self.is(b'(') {
                        by_value = Cursor { at: self.at + 1, ..self.clone() }.ty();
                    }
                    self.skip_parenthesis();
                }
                Some(Token::Attributes(_)) => self.at += 1,
                // `"key"="value"`
                Some(Token::Text(_)) => {
                    self.at += 1;
                    if self.eat(b'=') {
                        self.at += 1;
                    }
                }
                _ => return by_value,
            }
        }
    }

    /// A value of a type.
    pub(crate) fn value(&mut self, of: &Type) -> Option<Value> {
        self.attributes();
        match self.peek()? {
            Token::Local(name) => {
                self.at += 1;
                Some(Value::Local(name.clone()))
            }
            Token::Meta(name) => {
                self.at += 1;
                if self.is(b'(') {
                    self.skip_parenthesis();
                }
                Some(Value::Metadata(name.clone()))
            }
            word if word.is_word("asm") => {
                let text = self.tokens[self.at..].iter().find_map(|token| match token {
                    Token::Text(text) => Some(text.clone()),
                    _ => None,
                });
                while !matches!(self.peek(), None | Some(Token::Sign(b'('))) {
                    self.at += 1;
                }
                Some(Value::Assembly(text.unwrap_or_default()))
            }
            _ => self.constant(of).map(Value::Constant),
        }
    }

    /// A type and a value.
    pub(crate) fn typed(&mut self) -> Option<(Type, Value)> {
        let ty = self.ty()?;
        let value = self.value(&ty)?;
        Some((ty, value))
    }

    /// A constant of a type.
    pub(crate) fn constant(&mut self, of: &Type) -> Option<Constant> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let read = self.constant_inner(of);
        self.depth -= 1;
        read
    }

    fn constant_inner(&mut self, of: &Type) -> Option<Constant> {
        self.attributes();
        Some(match self.next()? {
            Token::Global(name) => Constant::Address(Arc::from(&**name), 0),
            Token::Bytes(bytes) => Constant::Bytes(bytes.clone()),
            Token::Sign(b'{') => Constant::Aggregate(self.constants(b'}')?),
            Token::Sign(b'[') => Constant::Aggregate(self.constants(b']')?),
            Token::Sign(b'<') if self.eat(b'{') => {
                let list = self.constants(b'}')?;
                self.eat(b'>');
                Constant::Aggregate(list)
            }
            Token::Sign(b'<') => Constant::Aggregate(self.constants(b'>')?),
            Token::Word(word) => match &**word {
                "true" => Constant::Number(1),
                "false" | "null" => Constant::Number(0),
                "undef" | "poison" => Constant::Undefined,
                "zeroinitializer" | "none" => Constant::Zero,
                "getelementptr" => self.element_address()?,
                "bitcast" | "inttoptr" | "ptrtoint" | "trunc" | "zext" | "sext" | "addrspacecast" => {
                    self.eat(b'(');
                    let from = self.ty()?;
                    let value = self.constant(&from)?;
                    self.eat_word("to");
                    let to = self.ty()?;
                    self.eat(b')');
                    cast(word, value, self.types.width(&from), self.types.width(&to))?
                }
                "add" | "sub" | "mul" | "and" | "or" | "xor" | "shl" | "lshr" => {
                    self.skip_words(FLAGS);
                    self.eat(b'(');
                    let (left, right) = {
                        let of = self.ty()?;
                        let left = self.constant(&of)?;
                        self.eat(b',');
                        let of = self.ty()?;
                        (left, self.constant(&of)?)
                    };
                    self.eat(b')');
                    fold(word, left, right)?
                }
                "dso_local_equivalent" | "no_cfi" => self.constant(of)?,
                word => literal(word, self.types.resolve(of))?,
            },
            _ => return None,
        })
    }

    fn constants(&mut self, end: u8) -> Option<Vec<(Type, Constant)>> {
        let mut list = Vec::new();
        while !self.eat(end) {
            let ty = self.ty()?;
            let constant = self.constant(&ty)?;
            list.push((ty, constant));
            self.eat(b',');
        }
        Some(list)
    }

    /// A constant `getelementptr`, behind that word.
    fn element_address(&mut self) -> Option<Constant> {
        while !self.is(b'(')
            || matches!(self.tokens.get(self.at.wrapping_sub(1)), Some(word) if word.is_word("inrange"))
        {
            if self.is(b'(') {
                self.skip_parenthesis();
            } else {
                self.next()?;
            }
        }
        self.eat(b'(');
        let mut of = self.ty()?;
        self.eat(b',');
        let pointer = self.ty()?;
        let base = self.constant(&pointer)?;
        let (mut offset, mut is_first) = (0u64, true);
        while self.eat(b',') {
            self.eat_word("inrange");
            let index_type = self.ty()?;
            let Constant::Number(index) = self.constant(&index_type)? else { return None };
            let index = sign_extended(index, self.types.width(&index_type)?);
            if std::mem::take(&mut is_first) {
                offset = offset.wrapping_add(index.wrapping_mul(self.types.size(&of)));
            } else {
                let (at, field) = self.types.field(&of, index)?;
                offset = offset.wrapping_add(at);
                of = field.clone();
            }
        }
        self.eat(b')');
        fold("add", base, Constant::Number(offset))
    }
}

/// Words that may stand between the name of an operation and its operands.
pub(crate) const FLAGS: &[&str] = &[
    "nuw", "nsw", "exact", "inbounds", "nusw", "nneg", "disjoint", "samesign", "fast", "nnan", "ninf", "nsz", "arcp",
    "contract", "afn", "reassoc", "volatile", "weak",
];

const CONSTANT_WORDS: &[&str] = &[
    "true",
    "false",
    "null",
    "undef",
    "poison",
    "zeroinitializer",
    "none",
    "getelementptr",
    "bitcast",
    "inttoptr",
    "ptrtoint",
    "trunc",
    "zext",
    "sext",
    "addrspacecast",
    "add",
    "sub",
    "mul",
    "and",
    "or",
    "xor",
    "shl",
    "lshr",
    "dso_local_equivalent",
    "no_cfi",
    "asm",
];

fn begins_constant(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_digit() || first == '-' || first == '+')
        || CONSTANT_WORDS.contains(&word)
}

/// A number whose sign is in the highest of `width` bits.
pub(crate) fn sign_extended(value: u64, width: u8) -> u64 {
    if width >= 64 { value } else { (((value << (64 - width)) as i64) >> (64 - width)) as u64 }
}

/// The lowest `width` bits of a number.
pub(crate) fn masked(value: u64, width: u8) -> u64 {
    if width >= 64 { value } else { value & ((1 << width) - 1) }
}

fn cast(word: &str, value: Constant, from: Option<u8>, to: Option<u8>) -> Option<Constant> {
    Some(match value {
        Constant::Number(number) => {
            let number = if word == "sext" { sign_extended(number, from?) } else { number };
            Constant::Number(masked(number, to?))
        }
        other => other,
    })
}

fn fold(word: &str, left: Constant, right: Constant) -> Option<Constant> {
    Some(match (word, left, right) {
        ("add", Constant::Address(symbol, at), Constant::Number(more))
        | ("add", Constant::Number(more), Constant::Address(symbol, at)) => {
            Constant::Address(symbol, at.wrapping_add(more as i64))
        }
        ("sub", Constant::Address(symbol, at), Constant::Number(less)) => {
            Constant::Address(symbol, at.wrapping_sub(less as i64))
        }
        ("sub", Constant::Address(one, at), Constant::Address(other, from)) if one == other => {
            Constant::Number(at.wrapping_sub(from) as u64)
        }
        ("add", Constant::Zero | Constant::Undefined, other) => other,
        (_, Constant::Number(left), Constant::Number(right)) => Constant::Number(match word {
            "add" => left.wrapping_add(right),
            "sub" => left.wrapping_sub(right),
            "mul" => left.wrapping_mul(right),
            "and" => left & right,
            "or" => left | right,
            "xor" => left ^ right,
            "shl" => left.checked_shl(right as u32)?,
            _ => left.checked_shr(right as u32)?,
        }),
        _ => return None,
    })
}

fn literal(word: &str, of: &Type) -> Option<Constant> {
    match of {
        Type::Float | Type::Double => {
            let number = match word.strip_prefix("0x") {
                Some(digits) => f64::from_bits(u64::from_str_radix(digits, 16).ok()?),
                None => word.parse().ok()?,
            };
            let bits = if *of == Type::Float { u64::from((number as f32).to_bits()) } else { number.to_bits() };
            Some(Constant::Number(bits))
        }
        Type::LongDouble => {
            let digits = word.strip_prefix("0xK")?;
            Some(Constant::Number(from_80_bits(u128::from_str_radix(digits, 16).ok()?).to_bits()))
        }
        Type::Int(bits) if *bits <= 64 => {
            let number = word.parse::<i128>().ok()?;
            Some(Constant::Number(masked(number as u64, *bits as u8)))
        }
        Type::Int(_) => word.parse::<i128>().ok().map(|number| Constant::Wide(number as u128)),
        _ => word.parse::<i128>().ok().map(|number| Constant::Number(number as u64)),
    }
}

/// A float of 80 bits, as near as a double gets.
fn from_80_bits(bits: u128) -> f64 {
    let (high, mantissa) = ((bits >> 64) as u16, bits as u64);
    let sign = if high >> 15 == 1 { -1.0 } else { 1.0 };
    match high & 0x7fff {
        0 => 0.0 * sign,
        0x7fff if mantissa << 1 == 0 => f64::INFINITY * sign,
        0x7fff => f64::NAN,
        exponent => sign * mantissa as f64 * 2f64.powi(i32::from(exponent) - 16383 - 63),
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn constant(text: &str) -> Option<Constant> {
        let (tokens, types) = (tokens(text), Types::default());
        let mut cursor = Cursor::new(&tokens, &types);
        let ty = cursor.ty()?;
        cursor.constant(&ty)
    }

    #[test]
    fn constants_fold_to_numbers_and_addresses() {
        assert_eq!(constant("i8 -1"), Some(Constant::Number(255)));
        assert_eq!(constant("double 0x3FF0000000000000"), Some(Constant::Number(1f64.to_bits())));
        assert_eq!(constant("x86_fp80 0xK3FFF8000000000000000"), Some(Constant::Number(1f64.to_bits())));
        let address = Some(Constant::Address("s".into(), 2));
        assert_eq!(constant("i8* getelementptr inbounds ([3 x i8], [3 x i8]* @s, i32 0, i32 2)"), address);
        assert_eq!(constant("ptr getelementptr inbounds ([3 x i8], ptr @s, i32 0, i32 2)"), address);
        assert_eq!(constant("ptr getelementptr inbounds nuw (i8, ptr @s, i64 2)"), address);
        assert_eq!(constant("ptr getelementptr inrange(-16, 8) (i8, ptr @s, i64 2)"), address);
        assert_eq!(
            constant("i64 ptrtoint (i32* getelementptr (i32, i32* null, i32 1) to i64)"),
            Some(Constant::Number(4))
        );
        assert_eq!(constant("i32 zeroinitializer"), Some(Constant::Zero));
        assert_eq!(constant("i32 noundef)"), None);
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = "[1 x ".repeat(100_000);
        assert_eq!(constant(&deep), None);
        let deep = "{ i32 } { i32 bitcast (".repeat(50_000);
        assert_eq!(constant(&deep), None);
    }
}
