//! The syntax tree that runs.
//!
//! Names of local variables are already resolved to slots of the frame; all other names are numbers of the script's
//! table of names. The tree holds nothing that a thread could change.

use super::frozen::Frozen;
use super::span::Span;
use std::sync::Arc;

/// A place in the frame of a method or closure.
pub(super) type Slot = u16;

/// A name of the script, by its number in [`Script`](super::Script)'s table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Symbol(pub(super) u32);

/// The number of a variable among all of the script's; tells whether a closure shares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variable(pub(super) u32);

#[derive(Debug)]
pub(super) struct Expr {
    pub(super) kind: ExprKind,
    pub(super) span: Span,
}

impl Expr {
    /// Whether a value can be stored where the expression reads one.
    pub(super) fn is_place(&self) -> bool {
        matches!(self.kind, ExprKind::Local(_) | ExprKind::Name(_) | ExprKind::Property { .. } | ExprKind::Index { .. })
    }
}

#[derive(Debug)]
pub(super) enum ExprKind {
    Constant(Frozen),
    Interpolated(Box<[Piece]>),
    Local(Slot),
    /// A name that is no local variable: a field of the script, or something of the host.
    Name(Symbol),
    This,
    Class(Arc<str>),
    List(Box<[Item]>),
    Map(Box<[Entry]>),
    Range {
        from: Box<Expr>,
        to: Box<Expr>,
        exclusive: bool,
    },
    Property {
        object: Box<Expr>,
        name: Member,
        access: Access,
    },
    Index {
        object: Box<Expr>,
        index: Box<Expr>,
        safe: bool,
    },
    Call(Box<Call>),
    New {
        class: Arc<str>,
        arguments: Box<Arguments>,
    },
    NewArray {
        class: Arc<str>,
        sizes: Box<[Expr]>,
    },
    Unary {
        op: Unary,
        operand: Box<Expr>,
    },
    Binary {
        op: Binary,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    And {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Or {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Ternary {
        condition: Box<Expr>,
        yes: Box<Expr>,
        no: Box<Expr>,
    },
    Elvis {
        left: Box<Expr>,
        right: Box<Expr>,
    },
    /// The target is a local variable, a name, a property or an index.
    Assign {
        target: Box<Expr>,
        value: Box<Expr>,
    },
    AssignMany {
        targets: Box<[Expr]>,
        value: Box<Expr>,
    },
    /// `a += b`, with `a` evaluated once.
    Update {
        target: Box<Expr>,
        op: Binary,
        value: Box<Expr>,
    },
    /// `a ?= b`.
    UpdateIfFalse {
        target: Box<Expr>,
        value: Box<Expr>,
    },
    /// `++a`, `a--`, …
    Step {
        target: Box<Expr>,
        up: bool,
        prefix: bool,
    },
    /// `value as class`.
    As {
        value: Box<Expr>,
        class: Arc<str>,
    },
    /// `(class) value`, and what a declared type does to an assigned value.
    Cast {
        value: Box<Expr>,
        class: Arc<str>,
    },
    InstanceOf {
        value: Box<Expr>,
        class: Arc<str>,
        negated: bool,
    },
    Closure(u32),
    MethodPointer {
        object: Box<Expr>,
        name: Member,
    },
}

/// A part of a text with interpolations.
#[derive(Debug)]
pub(super) enum Piece {
    Text(Arc<str>),
    Value(Expr),
}

/// An element of a list, or an argument.
#[derive(Debug)]
pub(super) enum Item {
    Value(Expr),
    /// `*list`.
    Spread(Expr),
}

/// An entry of a map, or a named argument.
#[derive(Debug)]
pub(super) enum Entry {
    Pair(Expr, Expr),
    /// `*:map`.
    Spread(Expr),
}

/// The name of a property or method.
#[derive(Debug)]
pub(super) enum Member {
    Fixed(Symbol),
    /// `object."$name"`.
    Computed(Box<Expr>),
}

/// How a member is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// `a.b`.
    Plain,
    /// `a?.b`.
    Safe,
    /// `a*.b`.
    Spread,
}

#[derive(Debug)]
pub(super) struct Call {
    pub(super) callee: Callee,
    pub(super) arguments: Arguments,
}

#[derive(Debug)]
pub(super) enum Callee {
    /// `name(…)`.
    Name(Symbol),
    /// `"$name"(…)`.
    Computed(Expr),
    /// `object.name(…)`.
    Method { object: Expr, name: Member, access: Access },
    /// A local variable, or the result of another expression: `f(1)(2)`.
    Value(Expr),
}

#[derive(Debug, Default)]
pub(super) struct Arguments {
    /// They become a map in front of the others.
    pub(super) named: Vec<Entry>,
    pub(super) positional: Vec<Item>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Not,
    Negate,
    Plus,
    /// `~`: the complement of a number, the pattern of a text.
    Tilde,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    BitAnd,
    BitOr,
    BitXor,
    Equal,
    NotEqual,
    Identical,
    NotIdentical,
    Compare,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    In,
    NotIn,
    /// `=~`.
    Find,
    /// `==~`.
    Match,
}

pub(super) type Block = Box<[Statement]>;

#[derive(Debug)]
pub(super) struct Statement {
    pub(super) kind: StatementKind,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum StatementKind {
    Expr(Expr),
    Declare(Declared, Option<Expr>),
    DeclareMany(Box<[Declared]>, Expr),
    If {
        condition: Expr,
        then: Block,
        otherwise: Block,
    },
    /// `body_first` makes it a do-while loop.
    While {
        label: Option<Symbol>,
        condition: Expr,
        body: Block,
        body_first: bool,
    },
    For {
        label: Option<Symbol>,
        start: Block,
        condition: Option<Expr>,
        update: Box<[Expr]>,
        body: Block,
    },
    ForIn {
        label: Option<Symbol>,
        variable: Declared,
        over: Expr,
        body: Block,
    },
    Switch {
        label: Option<Symbol>,
        subject: Expr,
        cases: Box<[Case]>,
    },
    Try(Box<Try>),
    Throw(Expr),
    Return(Option<Expr>),
    Break(Option<Symbol>),
    Continue(Option<Symbol>),
    Assert {
        condition: Expr,
        message: Option<Expr>,
    },
    Block(Block),
}

/// A local variable where it is declared. Types matter only for what they do to the values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declared {
    pub(super) slot: Slot,
    pub(super) variable: Variable,
}

/// `case value:`; without a value it is `default:`.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) value: Option<Expr>,
    pub(super) body: Block,
}

#[derive(Debug)]
pub(super) struct Try {
    pub(super) body: Block,
    pub(super) catches: Vec<Catch>,
    pub(super) finally: Option<Block>,
}

#[derive(Debug)]
pub(super) struct Catch {
    /// The simple names of the classes; empty catches every exception.
    pub(super) classes: Vec<Arc<str>>,
    pub(super) variable: Declared,
    pub(super) body: Block,
}

/// A parameter of a method or closure.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) declared: Declared,
    pub(super) class: Option<Arc<str>>,
    pub(super) default: Option<Expr>,
}

/// The code of a method, a closure, or a script's top level.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) parameters: Box<[Parameter]>,
    /// `Object... rest`: the last parameter takes what is left.
    pub(super) variadic: bool,
    /// How many slots a frame needs.
    pub(super) slots: u16,
    pub(super) body: Block,
}

#[derive(Debug)]
pub(super) struct Method {
    pub(super) name: Symbol,
    pub(super) returns: Option<Arc<str>>,
    pub(super) function: Function,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) struct ClosureCode {
    pub(super) function: Function,
    /// The closure has no parameter list: it takes one value or none, called `it`.
    pub(super) implicit: bool,
    /// Which slots of the enclosing frame it shares, and where they are in its own.
    pub(super) captures: Box<[(Slot, Slot)]>,
}

/// A script-level variable: `@Field def x = 1`.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: Symbol,
    pub(super) value: Option<Expr>,
}
