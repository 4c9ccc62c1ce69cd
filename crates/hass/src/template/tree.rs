//! A template, read.
#![allow(missing_docs, reason = "fields and variants are called what Home Assistant calls them")]

use super::Val;
use crate::yaml::Place;

/// A template.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    /// Where it stands.
    pub place: Place,
    /// As it is written.
    pub text: String,
    /// What it consists of.
    pub body: Vec<Piece>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// `{{ … }}`
    Print(Expr),
    /// `{% if %}`: the branches and what stands after `else`.
    If(Vec<(Expr, Vec<Piece>)>, Vec<Piece>),
    /// `{% for names in list if filter %}`, and what stands after `else`.
    For { names: Vec<String>, list: Expr, filter: Option<Expr>, body: Vec<Piece>, otherwise: Vec<Piece> },
    /// `{% set names = value %}`
    Set(Vec<String>, Expr),
    /// `{% set namespace.attribute = value %}`
    SetAttribute(String, String, Expr),
    /// `{% set name %}…{% endset %}`
    SetBlock(String, Vec<Piece>),
    /// `{% do expression %}`
    Do(Expr),
    /// `{% macro name(parameters) %}`
    Macro { name: String, parameters: Vec<(String, Option<Expr>)>, body: Vec<Piece> },
    /// `{% break %}`
    Break,
    /// `{% continue %}`
    Continue,
    /// What is not modelled: these names are unknown from here on, or the text is where there are none.
    Unknown(String, Vec<String>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// A literal.
    Val(Val),
    /// A name.
    Name(String),
    /// `[a, b]` and `(a, b)`
    List(Vec<Expr>),
    /// `{a: b}`
    Map(Vec<(Expr, Expr)>),
    /// `a.b`
    Attribute(Box<Expr>, String),
    /// `a[b]`
    Item(Box<Expr>, Box<Expr>),
    /// `a[b:c:d]`
    Slice(Box<Expr>, [Option<Box<Expr>>; 3]),
    /// `f(…)`
    Call(Box<Expr>, Arguments),
    /// `a | f(…)`
    Filter(Box<Expr>, String, Arguments),
    /// `a is t(…)`; true for `is not`.
    Test(Box<Expr>, String, Vec<Expr>, bool),
    /// `not a`
    Not(Box<Expr>),
    /// `-a`
    Negative(Box<Expr>),
    /// `a and b`
    And(Box<Expr>, Box<Expr>),
    /// `a or b`
    Or(Box<Expr>, Box<Expr>),
    /// `a if b else c`
    Choose(Box<Expr>, Box<Expr>, Option<Box<Expr>>),
    /// `a < b <= c`
    Compare(Box<Expr>, Vec<(Comparison, Expr)>),
    /// `a + b`
    Binary(Operator, Box<Expr>, Box<Expr>),
}

/// The arguments of a call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// By place.
    pub positional: Vec<Expr>,
    /// By name.
    pub named: Vec<(String, Expr)>,
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    In,
    NotIn,
}

/// What is done with two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Floor,
    Modulo,
    Power,
    Join,
}
