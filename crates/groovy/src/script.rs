//! A parsed script.

use super::parse as parser;
use super::span::{Position, Span};
use super::tree::{Block, ClosureCode, Field, Function, Method, Symbol, Variable};
use mazurka_core::Diagnostic;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The text of an app, ready to run: immutable, and shared between threads.
#[derive(Debug)]
pub struct Script {
    names: Names,
    methods: Vec<Method>,
    /// For every name the methods that have it.
    overloads: Vec<Vec<u32>>,
    /// For every name the method `getName` without parameters, if there is one: it is what the name means.
    getters: Vec<Option<Symbol>>,
    closures: Vec<ClosureCode>,
    fields: Vec<Field>,
    body: Function,
    captured: Box<[bool]>,
    /// The first byte of each line.
    lines: Vec<u32>,
    source: Arc<str>,
}

/// Reads a script. There is one diagnostic: the parser stops at the first error.
pub fn parse(source: &str) -> Result<Script, Vec<Diagnostic>> {
    let parts = parser::parse(source).map_err(|error| vec![error])?;
    let mut overloads = vec![Vec::new(); parts.names.all.len()];
    for (index, method) in parts.methods.iter().enumerate() {
        overloads[method.name.0 as usize].push(index as u32);
    }
    let getters = getters(&parts, &overloads);
    let body = Function { parameters: Box::default(), variadic: false, slots: parts.slots, body: parts.body };
    Ok(Script {
        names: parts.names,
        methods: parts.methods,
        overloads,
        getters,
        closures: parts.closures,
        fields: parts.fields,
        body,
        captured: parts.captured,
        lines: line_starts(source),
        source: Arc::from(source),
    })
}

fn getters(parts: &Parts, overloads: &[Vec<u32>]) -> Vec<Option<Symbol>> {
    let getter = |name: &Arc<str>| {
        let mut characters = name.chars();
        let first = characters.next()?;
        let getter = format!("get{}{}", first.to_uppercase(), characters.as_str());
        let symbol = *parts.names.numbers.get(getter.as_str())?;
        let mut methods = overloads[symbol.0 as usize].iter().map(|&index| &parts.methods[index as usize]);
        methods.any(|method| method.function.parameters.is_empty()).then_some(symbol)
    };
    parts.names.all.iter().map(getter).collect()
}

fn line_starts(source: &str) -> Vec<u32> {
    let after_breaks = source.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at as u32 + 1);
    std::iter::once(0).chain(after_breaks).collect()
}

/// What the parser makes of a source.
pub(super) struct Parts {
    pub(super) names: Names,
    pub(super) methods: Vec<Method>,
    pub(super) closures: Vec<ClosureCode>,
    pub(super) fields: Vec<Field>,
    pub(super) body: Block,
    pub(super) slots: u16,
    pub(super) captured: Box<[bool]>,
}

/// The names of a script, each with a number.
#[derive(Debug, Default)]
pub(super) struct Names {
    all: Vec<Arc<str>>,
    numbers: FxHashMap<Arc<str>, Symbol>,
}

impl Names {
    /// The number of a name, which may be a new one.
    pub(super) fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.numbers.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.all.len() as u32);
        let name: Arc<str> = Arc::from(name);
        self.all.push(name.clone());
        self.numbers.insert(name, symbol);
        symbol
    }
}

impl Script {
    /// Whether there is a method of that name.
    pub fn has_method(&self, name: &str) -> bool {
        self.symbol(name).is_some_and(|symbol| !self.overloads(symbol).is_empty())
    }

    /// The names of all methods, in the order of the text.
    pub fn method_names(&self) -> impl Iterator<Item = &str> {
        self.methods.iter().map(|method| self.name(method.name).as_ref())
    }

    /// Where a method stands, if there is one of that name.
    pub fn method_position(&self, name: &str) -> Option<Position> {
        let &first = self.overloads(self.symbol(name)?).first()?;
        Some(self.position(self.methods[first as usize].span))
    }

    /// Where a stretch of the source begins.
    pub fn position(&self, span: Span) -> Position {
        let line = self.lines.partition_point(|&start| start <= span.start).max(1);
        let before = self.source.get(self.lines[line - 1] as usize..span.start as usize).unwrap_or_default();
        Position { line: line as u32, column: before.chars().count() as u32 + 1 }
    }

    /// The text of the script.
    pub fn source(&self) -> &Arc<str> {
        &self.source
    }

    pub(super) fn name(&self, symbol: Symbol) -> &Arc<str> {
        &self.names.all[symbol.0 as usize]
    }

    pub(super) fn symbol(&self, name: &str) -> Option<Symbol> {
        self.names.numbers.get(name).copied()
    }

    /// The methods of a name.
    pub(super) fn overloads(&self, symbol: Symbol) -> &[u32] {
        &self.overloads[symbol.0 as usize]
    }

    /// The method `getName` that a name stands for.
    pub(super) fn getter(&self, symbol: Symbol) -> Option<Symbol> {
        self.getters[symbol.0 as usize]
    }

    pub(super) fn method(&self, index: u32) -> &Method {
        &self.methods[index as usize]
    }

    pub(super) fn closure(&self, index: u32) -> &ClosureCode {
        &self.closures[index as usize]
    }

    pub(super) fn fields(&self) -> &[Field] {
        &self.fields
    }

    pub(super) fn body(&self) -> &Function {
        &self.body
    }

    /// Whether a closure shares the variable with the code around it.
    pub(super) fn is_captured(&self, variable: Variable) -> bool {
        self.captured[variable.0 as usize]
    }
}
