//! Expressions, and places that are read or assigned to.

use super::{Compiler, Context, Global};
use crate::ast::{BinaryOp, Call, Expr, ExprKind, Place, Span, UnaryOp};
use crate::code::{Instruction, NONE, PlaceRef, Read, Register, UNREAD};

impl Compiler<'_> {
    pub(super) fn assign(&mut self, place: &Place, op: Option<BinaryOp>, value: &Expr, span: &Span) {
        if let Some(local) = self.local(&place.name.text) {
            if local.is_handle {
                self.wrong_kind(&place.name, "a thread handle", "a variable");
            }
            if local.length.is_some() {
                return self.assign_element(local, place, op, value);
            }
            if let Some(index) = &place.index {
                self.error(format!("`{}` is not an array", place.name.text), &index.span, "expected no index");
            }
            return self.assign_register(local.register, op, value);
        }
        let target = self.object_place(place, "a variable");
        let words = self.place_text(place);
        match op {
            None => {
                let src = self.expr(value);
                self.emit_visible(Instruction::Store { place: target, src }, format!("write {words}"), span);
            }
            Some(op) => {
                let old = self.register();
                self.emit_visible(
                    Instruction::Load { dst: old, place: target },
                    format!("{}: read", self.text(span)),
                    span,
                );
                let value = self.expr(value);
                let src = self.register();
                self.emit(Instruction::Binary { op, dst: src, left: old, right: value });
                self.emit_visible(
                    Instruction::Store { place: target, src },
                    format!("{}: write", self.text(span)),
                    span,
                );
            }
        }
    }

    pub(super) fn assign_register(&mut self, dst: Register, op: Option<BinaryOp>, value: &Expr) {
        let instruction = match (op, self.fold(value)) {
            (None, Ok(value)) => Instruction::Const { dst, value },
            (Some(op), Ok(right)) => Instruction::BinaryConst { op, dst, left: dst, right },
            (None, Err(_)) => Instruction::Move { dst, src: self.expr(value) },
            (Some(op), Err(_)) => Instruction::Binary { op, dst, left: dst, right: self.expr(value) },
        };
        self.emit(instruction);
    }

    fn place_text(&self, place: &Place) -> String {
        match &place.index {
            None => place.name.text.clone(),
            Some(index) => format!("{}[{}]", place.name.text, self.text(&index.span)),
        }
    }

    /// The object that a place names; an error if it is none of the expected kind.
    pub(super) fn object_place(&mut self, place: &Place, expected: &str) -> PlaceRef {
        let nowhere = PlaceRef { base: 0, index: NONE };
        let Some(&global) = self.globals.get(&place.name.text) else {
            if self.local(&place.name.text).is_some() {
                self.wrong_kind(&place.name, "a local variable", expected);
            } else {
                self.unknown(&place.name);
            }
            return nowhere;
        };
        let fits = match (global, expected) {
            (Global::Shared { base, length }, "a variable" | "a shared variable")
            | (Global::Mutex { base, length }, "a mutex")
            | (Global::Condition { base, length }, "a condition variable")
            | (Global::Semaphore { base, length }, "a semaphore")
            | (Global::RwLock { base, length }, "a read-write lock")
            | (Global::Channel { base, length }, "a channel")
            | (Global::Handler { base, length }, "a handler") => Some((base, length.map(|length| (0, length)))),
            (Global::Event { base, family }, "an event") => Some((base, family)),
            _ => None,
        };
        let Some((base, array)) = fits else {
            self.wrong_kind(&place.name, global.what(), expected);
            return nowhere;
        };
        match (array, &place.index) {
            (None, None) => PlaceRef { base, index: NONE },
            (Some((first, length)), Some(index)) => self.element(base, first, length, index),
            (None, Some(index)) => {
                self.error(format!("`{}` is not an array", place.name.text), &index.span, "expected no index");
                nowhere
            }
            (Some((first, length)), None) => {
                self.index_missing(place, first, length);
                nowhere
            }
        }
    }

    pub(super) fn index_missing(&mut self, place: &Place, first: i64, length: u32) {
        let last = first.saturating_add(i64::from(length) - 1);
        let label = format!("expected an index, as in `{}[{first}]` up to `[{last}]`", place.name.text);
        self.error(format!("`{}` has {length} elements", place.name.text), &place.name.span, label);
    }

    /// The offset that a constant index stands for, `Some(None)` after an error; `None` if the index is not constant.
    pub(super) fn constant_offset(&mut self, first: i64, length: u32, index: &Expr) -> Option<Option<u32>> {
        let value = self.fold(index).ok()?;
        let offset = value.checked_sub(first).unwrap_or(-1);
        if (0..i64::from(length)).contains(&offset) {
            return Some(Some(offset as u32));
        }
        let last = first.saturating_add(i64::from(length) - 1);
        self.error(format!("index {value} is out of range"), &index.span, format!("expected {first} to {last}"));
        Some(None)
    }

    pub(super) fn element(&mut self, base: u32, first: i64, length: u32, index: &Expr) -> PlaceRef {
        if let Some(offset) = self.constant_offset(first, length, index) {
            return PlaceRef { base: base + offset.unwrap_or_default(), index: NONE };
        }
        let mut register = self.expr(index);
        if first != 0 {
            let offset = self.register();
            self.emit(Instruction::BinaryConst { op: BinaryOp::Subtract, dst: offset, left: register, right: first });
            register = offset;
        }
        self.emit(Instruction::Bound { index: register, length });
        PlaceRef { base, index: register }
    }

    /// Resolves a call of a function or message and evaluates its arguments into registers in a row.
    pub(super) fn call_of(&mut self, call: &Call, expected: &str) -> Option<(u16, Register)> {
        let number = match (self.globals.get(&call.name.text), expected) {
            (Some(&Global::Function(number)), "a function") | (Some(&Global::Message(number)), "a message") => number,
            (Some(&global), _) => {
                self.wrong_kind(&call.name, global.what(), expected);
                return None;
            }
            (None, _) => {
                self.unknown(&call.name);
                return None;
            }
        };
        let bodies = if expected == "a function" { &self.program.functions } else { &self.program.messages };
        let parameters = usize::from(bodies[usize::from(number)].parameters);
        if parameters != call.arguments.len() {
            let found = call.arguments.len();
            let label = format!("expected {parameters} argument{}", if parameters == 1 { "" } else { "s" });
            self.error(format!("`{}` is given {found}", call.name.text), &call.name.span, label);
            return None;
        }
        let values: Vec<Register> = call.arguments.iter().map(|argument| self.expr(argument)).collect();
        let first = self.registers(values.len());
        for (dst, src) in (first..).zip(values) {
            self.emit(Instruction::Move { dst, src });
        }
        Some((number, first))
    }

    /// Guards only look; atomic steps and events do not wait.
    fn check_call(&mut self, call: &Call) {
        let Some(&effects) = self.effects.get(&call.name.text) else { return };
        let message = format!("a call of `{}`", call.name.text);
        if self.context == Context::Guard && (effects.acts || effects.waits || effects.chooses) {
            self.error(message, &call.name.span, "a condition may only look: this function does more");
        } else if effects.waits && (self.atomics > 0 || self.context == Context::Event) {
            self.error(message, &call.name.span, "one step cannot wait in its middle: this function waits");
        }
    }

    pub(super) fn only_outside_guards(&mut self, what: &str, span: &Span) {
        if self.context == Context::Guard {
            self.error(format!("`{what}` in a condition"), span, "a condition may only look");
        }
    }

    /// Evaluates an expression and returns the register that holds its value.
    pub(super) fn expr(&mut self, expr: &Expr) -> Register {
        if let Ok(value) = self.fold(expr) {
            return self.emit_const(value);
        }
        match &expr.kind {
            ExprKind::Number(value) => self.emit_const(*value),
            ExprKind::Place(place) => self.read(place, &expr.span),
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => {
                let mark = self.next_register;
                let left = self.expr(left);
                if let Ok(right) = self.fold(right) {
                    let dst = self.result(mark);
                    self.emit(Instruction::BinaryConst { op: *op, dst, left, right });
                    return dst;
                }
                let right = self.expr(right);
                let dst = self.result(mark);
                self.emit(Instruction::Binary { op: *op, dst, left, right });
                dst
            }
            ExprKind::Logical(and, left, right) => self.logical(*and, left, right),
            ExprKind::Conditional(condition, then, otherwise) => self.conditional(condition, then, otherwise),
            ExprKind::Call(call) => {
                self.check_call(call);
                let mark = self.next_register;
                let Some((function, arguments)) = self.call_of(call, "a function") else { return 0 };
                let dst = self.result(mark);
                self.emit(Instruction::Call { function, arguments, dst });
                dst
            }
            ExprKind::Cas(place, old, new) => {
                self.only_outside_guards("cas", &expr.span);
                let mark = self.next_register;
                let place = self.object_place(place, "a shared variable");
                let values = [self.expr(old), self.expr(new)];
                let arguments = self.registers(2);
                for (dst, src) in (arguments..).zip(values) {
                    self.emit(Instruction::Move { dst, src });
                }
                let dst = self.result(mark);
                self.emit_visible(Instruction::Cas { place, dst, arguments }, self.text(&expr.span), &expr.span);
                dst
            }
            ExprKind::Swap(place, value) => self.exchange(expr, place, value, false),
            ExprKind::FetchAdd(place, value) => self.exchange(expr, place, value, true),
            ExprKind::Sync(op, object, operand) => self.sync(*op, object, operand.as_deref(), expr),
            ExprKind::WaitTimeout(condition, mutex) => self.wait_timeout(condition, mutex, expr),
            ExprKind::Choose(from, to) => {
                self.only_outside_guards("choose", &expr.span);
                let mark = self.next_register;
                let from = self.expr(from);
                let to = self.expr(to);
                let dst = self.result(mark);
                self.emit_visible(Instruction::Choose { dst, from, to }, self.text(&expr.span), &expr.span);
                dst
            }
        }
    }

    fn exchange(&mut self, expr: &Expr, place: &Place, value: &Expr, adds: bool) -> Register {
        self.only_outside_guards(if adds { "fetch_add" } else { "swap" }, &expr.span);
        let mark = self.next_register;
        let place = self.object_place(place, "a shared variable");
        let src = self.expr(value);
        let dst = self.result(mark);
        let instruction =
            if adds { Instruction::FetchAdd { place, dst, src } } else { Instruction::Swap { place, dst, src } };
        self.emit_visible(instruction, self.text(&expr.span), &expr.span);
        dst
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) -> Register {
        let mark = self.next_register;
        let src = self.expr(operand);
        let dst = self.result(mark);
        self.emit(Instruction::Unary { op, dst, src });
        dst
    }

    /// `&&` and `||` give 0 or 1 and evaluate their right side only where it matters.
    fn logical(&mut self, and: bool, left: &Expr, right: &Expr) -> Register {
        let dst = self.register();
        let left = self.expr(left);
        self.emit(Instruction::Const { dst, value: i64::from(!and) });
        let skip = self.emit(Instruction::Branch { condition: left, when: !and, to: 0 });
        let read_before = self.reads.as_ref().map_or(0, Vec::len);
        let right = self.expr(right);
        self.emit(Instruction::BinaryConst { op: BinaryOp::NotEqual, dst, left: right, right: 0 });
        self.release(usize::from(dst) + 1);
        let unread = self.reads_since(read_before, dst);
        if unread.is_empty() {
            self.land(skip);
            return dst;
        }
        let end = self.emit(Instruction::Jump { to: 0 });
        self.land(skip);
        self.emit_unread(&unread);
        self.land(end);
        dst
    }

    /// `c ? a : b` evaluates only the side that it takes.
    fn conditional(&mut self, condition: &Expr, then: &Expr, otherwise: &Expr) -> Register {
        let dst = self.register();
        let condition = self.expr(condition);
        let to_otherwise = self.emit(Instruction::Branch { condition, when: false, to: 0 });
        let read_before = self.reads.as_ref().map_or(0, Vec::len);
        self.side(then, dst);
        let read_then = self.reads_since(read_before, dst);
        let to_end = self.emit(Instruction::Jump { to: 0 });
        self.land(to_otherwise);
        self.emit_unread(&read_then);
        let read_before = self.reads.as_ref().map_or(0, Vec::len);
        self.side(otherwise, dst);
        let read_otherwise = self.reads_since(read_before, dst);
        if read_otherwise.is_empty() {
            self.land(to_end);
            return dst;
        }
        let end = self.emit(Instruction::Jump { to: 0 });
        self.land(to_end);
        self.emit_unread(&read_otherwise);
        self.land(end);
        dst
    }

    fn side(&mut self, value: &Expr, dst: Register) {
        let src = self.expr(value);
        self.emit(Instruction::Move { dst, src });
        self.release(usize::from(dst) + 1);
    }

    /// The registers behind `dst` that hold what an assertion has read since it had read so much.
    fn reads_since(&self, before: usize, dst: Register) -> Vec<Register> {
        match &self.reads {
            Some(reads) => reads[before..].iter().map(|read| read.register).filter(|&read| read > dst).collect(),
            None => Vec::new(),
        }
    }

    /// What an assertion did not read because of a short cut must not be shown with an old value.
    fn emit_unread(&mut self, registers: &[Register]) {
        for &dst in registers {
            self.emit(Instruction::Const { dst, value: UNREAD });
        }
    }

    pub(super) fn read(&mut self, place: &Place, span: &Span) -> Register {
        let register = match self.local(&place.name.text) {
            Some(local) => {
                if local.is_handle {
                    self.wrong_kind(&place.name, "a thread handle", "a number");
                }
                if local.length.is_some() {
                    self.read_element(local, place)
                } else {
                    if let Some(index) = &place.index {
                        self.error(format!("`{}` is not an array", place.name.text), &index.span, "expected no index");
                    }
                    local.register
                }
            }
            None => {
                let mark = self.next_register;
                let place_ref = self.object_place(place, "a variable");
                let dst = self.result(mark);
                let text = format!("read {}", self.place_text(place));
                self.emit_visible(Instruction::Load { dst, place: place_ref }, text, span);
                dst
            }
        };
        if self.reads.is_some() {
            let (text, of) = (self.place_text(place), self.enumeration_of(place));
            if let Some(reads) = &mut self.reads
                && !reads.iter().any(|known| known.register == register)
            {
                reads.push(Read { text, register, of });
            }
        }
        register
    }
}
