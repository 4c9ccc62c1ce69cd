//! Evaluating expressions.

use super::{Frame, MAX_DEPTH};
use crate::frozen::Frozen;
use crate::number;
use crate::span::Span;
use crate::tree::{Access, Binary, Entry, Expr, ExprKind, Item, Member, Piece, Unary};
use crate::trouble::{Trouble, TroubleKind};
use crate::value::{Closure, ClosureBody, List, ListKind, Map, Value};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

impl Frame<'_> {
    pub(super) fn eval(&mut self, expression: &Expr) -> Result<Value, Trouble> {
        match &expression.kind {
            ExprKind::Constant(value) => Ok(constant(value)),
            ExprKind::Local(slot) => Ok(self.read(*slot)),
            _ => {
                if self.env.run.depth >= MAX_DEPTH {
                    return Err(self.locate(Trouble::new(TroubleKind::TooDeep), expression.span));
                }
                self.env.run.depth += 1;
                let result = self.eval_compound(expression);
                self.env.run.depth -= 1;
                result.map_err(|trouble| self.locate(trouble, expression.span))
            }
        }
    }

    /// Only the commonest kinds are evaluated here: the frame of this function is on the stack once per nesting level.
    fn eval_compound(&mut self, expression: &Expr) -> Result<Value, Trouble> {
        let span = expression.span;
        match &expression.kind {
            ExprKind::Name(name) => self.name(*name, span),
            ExprKind::Property { object, name, access } => self.property(object, name, *access, span),
            ExprKind::Call(call) => self.call(call, span),
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right),
            ExprKind::And { left, right } => Ok(Value::Bool(self.condition(left)? && self.condition(right)?)),
            ExprKind::Or { left, right } => Ok(Value::Bool(self.condition(left)? || self.condition(right)?)),
            ExprKind::Unary { op: Unary::Not, operand } => Ok(Value::Bool(!self.condition(operand)?)),
            ExprKind::Ternary { condition, yes, no } => {
                let branch = if self.condition(condition)? { yes } else { no };
                self.eval(branch)
            }
            ExprKind::Elvis { left, right } => {
                let value = self.eval(left)?;
                if self.env.truth(&value)? { Ok(value) } else { self.eval(right) }
            }
            ExprKind::Assign { target, value } => {
                let value = self.eval(value)?;
                self.assign(target, value)
            }
            ExprKind::Interpolated(pieces) => self.interpolated(pieces),
            ExprKind::Closure(index) => Ok(self.closure(*index)),
            _ => self.eval_rare(expression),
        }
    }

    #[inline(never)]
    fn eval_rare(&mut self, expression: &Expr) -> Result<Value, Trouble> {
        let span = expression.span;
        match &expression.kind {
            ExprKind::List(items) => self.list(items),
            ExprKind::Map(entries) => self.map(entries),
            ExprKind::Range { from, to, exclusive } => self.range(from, to, *exclusive),
            ExprKind::Index { object, index, safe } => self.index(object, index, *safe, span),
            ExprKind::New { class, arguments } => {
                let arguments = self.arguments(arguments)?;
                self.env.construct(class, &arguments, span)
            }
            ExprKind::NewArray { class, sizes } => self.new_array(class, sizes),
            ExprKind::Unary { op, operand } => self.unary(*op, operand),
            ExprKind::AssignMany { targets, value } => self.assign_many(targets, value),
            ExprKind::Update { target, op, value } => self.update(target, *op, value),
            ExprKind::UpdateIfFalse { target, value } => self.update_if_false(target, value),
            ExprKind::Step { target, up, prefix } => self.step(target, *up, *prefix),
            ExprKind::As { value, class } => {
                let value = self.eval(value)?;
                self.env.convert(&value, class)
            }
            ExprKind::Cast { value, class } => {
                let value = self.eval(value)?;
                self.env.cast(value, class)
            }
            ExprKind::InstanceOf { value, class, negated } => {
                let value = self.eval(value)?;
                Ok(Value::Bool(self.env.is_instance(&value, class) != *negated))
            }
            ExprKind::MethodPointer { object, name } => self.method_pointer(object, name),
            ExprKind::Class(name) => Ok(Value::Class(name.clone())),
            _ => self.this(span),
        }
    }

    /// `this` on its own: only the host can say what a script as a value is.
    fn this(&mut self, span: Span) -> Result<Value, Trouble> {
        let env = &mut self.env;
        match env.host.get(env.run, None, "this", span)? {
            Some(value) => Ok(value),
            None => Err(Trouble::unsupported("`this` as a value")),
        }
    }

    fn binary(&mut self, op: Binary, left: &Expr, right: &Expr) -> Result<Value, Trouble> {
        let left = self.eval(left)?;
        let right = self.eval(right)?;
        self.env.binary(op, &left, &right)
    }

    fn interpolated(&mut self, pieces: &[Piece]) -> Result<Value, Trouble> {
        let mut text = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Value(expression) => {
                    let value = self.eval(expression)?;
                    let written = self.env.write_text(&value, &mut text);
                    written.map_err(|trouble| self.locate(trouble, expression.span))?;
                }
            }
        }
        self.env.run.charge(text.len())?;
        Ok(Value::from(text))
    }

    fn closure(&mut self, index: u32) -> Value {
        let code = self.script.closure(index);
        let captured = code.captures.iter().map(|&(outer, _)| self.share(outer)).collect();
        Value::Closure(Rc::new(Closure {
            instance: self.instance.clone(),
            body: ClosureBody::Code { index, captured },
            delegate: RefCell::new(self.delegate.clone()),
        }))
    }

    fn method_pointer(&mut self, object: &Expr, name: &Member) -> Result<Value, Trouble> {
        let receiver = if matches!(object.kind, ExprKind::This) { None } else { Some(self.eval(object)?) };
        let name = self.member(name)?;
        Ok(Value::Closure(Rc::new(Closure {
            instance: self.instance.clone(),
            body: ClosureBody::Method { receiver, name },
            delegate: RefCell::new(None),
        })))
    }

    fn list(&mut self, items: &[Item]) -> Result<Value, Trouble> {
        let items = self.items(items)?;
        self.env.run.charge_items(items.len())?;
        Ok(Value::list(items.into_vec()))
    }

    pub(super) fn items(&mut self, items: &[Item]) -> Result<super::call::ArgumentValues, Trouble> {
        let mut values = super::call::ArgumentValues::with_capacity(items.len());
        for item in items {
            match item {
                Item::Value(expression) => {
                    let value = self.eval(expression)?;
                    values.push(value);
                }
                Item::Spread(expression) => {
                    let spread = self.eval(expression)?;
                    values.extend(self.env.iterated(&spread)?);
                }
            }
        }
        Ok(values)
    }

    pub(super) fn map(&mut self, entries: &[Entry]) -> Result<Value, Trouble> {
        let map = Map::default();
        for entry in entries {
            match entry {
                Entry::Pair(key, value) => {
                    let key = self.eval(key)?;
                    let value = self.eval(value)?;
                    map.insert(key, value);
                }
                Entry::Spread(expression) => {
                    let spread = self.eval(expression)?;
                    let Value::Map(more) = spread else {
                        return Err(self.env.bad_cast(&spread, "Map"));
                    };
                    for (key, value) in more.entries() {
                        map.insert(key, value);
                    }
                }
            }
        }
        self.env.run.charge_items(2 * map.len())?;
        Ok(Value::Map(Rc::new(map)))
    }

    fn range(&mut self, from: &Expr, to: &Expr, exclusive: bool) -> Result<Value, Trouble> {
        let from = self.eval(from)?;
        let to = self.eval(to)?;
        let items = self.env.range_items(&from, &to, exclusive)?;
        Ok(Value::List(Rc::new(List::new(items, ListKind::Range))))
    }

    fn new_array(&mut self, class: &str, sizes: &[Expr]) -> Result<Value, Trouble> {
        let Some((first, rest)) = sizes.split_first() else { return Ok(array_default(class)) };
        let size = self.eval(first)?;
        let size = number::to_long(&size).and_then(|size| usize::try_from(size).ok());
        let Some(size) = size else { return Err(Trouble::illegal("an array of that size")) };
        self.env.run.charge_items(size)?;
        let mut items = Vec::with_capacity(size);
        for _ in 0..size {
            items.push(self.new_array(class, rest)?);
        }
        Ok(Value::list(items))
    }

    fn unary(&mut self, op: Unary, operand: &Expr) -> Result<Value, Trouble> {
        let value = self.eval(operand)?;
        let result = match (op, &value) {
            (Unary::Negate, _) if value.is_number() => number::negate(&value),
            (Unary::Plus, _) if value.is_number() => Some(value.clone()),
            (Unary::Tilde, Value::Int(number)) => Some(Value::Int(!number)),
            (Unary::Tilde, Value::Long(number)) => Some(Value::Long(!number)),
            (Unary::Tilde, Value::Text(_)) => Some(Value::Pattern(self.env.pattern(&value)?)),
            _ => None,
        };
        let name = match op {
            Unary::Not => "not",
            Unary::Negate => "negative",
            Unary::Plus => "positive",
            Unary::Tilde => "bitwiseNegate",
        };
        result.ok_or_else(|| self.env.missing_method(&value, name, &[]))
    }

    fn assign_many(&mut self, targets: &[Expr], value: &Expr) -> Result<Value, Trouble> {
        let value = self.eval(value)?;
        let mut items = self.env.iterated(&value)?.into_iter();
        for target in targets {
            self.assign(target, items.next().unwrap_or_default())?;
        }
        Ok(value)
    }

    fn update(&mut self, target: &Expr, op: Binary, value: &Expr) -> Result<Value, Trouble> {
        self.change(target, |frame, old| {
            let right = frame.eval(value)?;
            let new = frame.env.binary(op, &old, &right)?;
            Ok((new.clone(), new))
        })
    }

    fn update_if_false(&mut self, target: &Expr, value: &Expr) -> Result<Value, Trouble> {
        self.change(target, |frame, old| {
            if frame.env.truth(&old)? {
                return Ok((old.clone(), old));
            }
            let new = frame.eval(value)?;
            Ok((new.clone(), new))
        })
    }

    fn step(&mut self, target: &Expr, up: bool, prefix: bool) -> Result<Value, Trouble> {
        self.change(target, |frame, old| {
            let new = frame.env.neighbour(&old, up)?;
            Ok(if prefix { (new.clone(), new) } else { (new, old) })
        })
    }

    /// Replaces the value of a target by what `new` makes of the old one: the value to store, and that of the expression.
    /// The object and the index of the target are evaluated once.
    fn change(
        &mut self,
        target: &Expr,
        new: impl FnOnce(&mut Self, Value) -> Result<(Value, Value), Trouble>,
    ) -> Result<Value, Trouble> {
        let span = target.span;
        match &target.kind {
            ExprKind::Property { object, name, access } if *access != Access::Spread => {
                let name = self.member(name)?;
                if matches!(object.kind, ExprKind::This) {
                    let old = self.global_by_name(&name, span)?;
                    let (stored, result) = new(self, old)?;
                    self.set_global(&name, stored, span)?;
                    return Ok(result);
                }
                let object = self.eval(object)?;
                if object.is_null() && *access == Access::Safe {
                    return Ok(Value::Null);
                }
                let old = self.env.get_property(&object, &name, span)?;
                let (stored, result) = new(self, old)?;
                self.env.set_property(&object, &name, stored, span)?;
                Ok(result)
            }
            ExprKind::Index { object, index, .. } => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                let old = self.env.get_index(&object, &index, span)?;
                let (stored, result) = new(self, old)?;
                self.env.set_index(&object, &index, stored, span)?;
                Ok(result)
            }
            _ => {
                let old = self.eval(target)?;
                let (stored, result) = new(self, old)?;
                self.assign(target, stored)?;
                Ok(result)
            }
        }
    }

    /// The name of a member, which may have to be computed.
    pub(super) fn member(&mut self, name: &Member) -> Result<Arc<str>, Trouble> {
        match name {
            Member::Fixed(symbol) => Ok(self.script.name(*symbol).clone()),
            Member::Computed(expression) => match self.eval(expression)? {
                Value::Text(text) => Ok(text),
                other => Ok(Arc::from(self.env.text(&other)?)),
            },
        }
    }
}

/// A constant as a value. Constants are never collections.
fn constant(value: &Frozen) -> Value {
    match value {
        Frozen::Int(number) => Value::Int(*number),
        Frozen::Text(text) => Value::Text(text.clone()),
        Frozen::Bool(flag) => Value::Bool(*flag),
        Frozen::Null => Value::Null,
        other => other.thaw(),
    }
}

/// What the elements of a new array are.
fn array_default(class: &str) -> Value {
    match class {
        "int" | "short" | "byte" | "char" => Value::Int(0),
        "long" => Value::Long(0),
        "float" | "double" => Value::Double(0.0),
        "boolean" => Value::Bool(false),
        _ => Value::Null,
    }
}
