//! Definitions: what a global name stands for, how many things it makes, and values that are known before a run.

use super::{Compiler, Global, MAX_BODIES, MAX_CODE, MAX_LENGTH, MAX_OBJECTS, MAX_REGISTERS, NotConstant};
use crate::ast::{Expr, ExprKind, Family, Function, Initial, Item, Name, ObjectKind, Place, Span, Unit};
use crate::code::{Body, EnumNumber, EventInfo, HandlerInfo, Member};
use mazurka_core::Fairness;
use smallvec::SmallVec;

impl Compiler<'_> {
    pub(super) fn define(&mut self, name: &Name, global: Global) {
        if let Some(&earlier) = self.globals.get(&name.text) {
            let message = format!("`{}` is defined twice", name.text);
            self.error(message, &name.span, format!("this name belongs to {} already", earlier.what()));
        } else {
            self.globals.insert(name.text.clone(), global);
        }
    }

    /// A value that must be known before the program runs.
    pub(super) fn constant(&mut self, expr: &Expr, what: &str) -> i64 {
        match self.fold(expr) {
            Ok(value) => return value,
            Err(NotConstant::Fault(fault)) => {
                self.error(format!("{} in {what}", fault.words()), &expr.span, "this has no value");
            }
            Err(NotConstant::Unknown(name)) => self.unknown(&name.clone()),
            Err(NotConstant::Changes) => {
                self.error(format!("{what} must be constant"), &expr.span, "expected numbers and constants only");
            }
        }
        0
    }

    pub(super) fn fold<'e>(&self, expr: &'e Expr) -> Result<i64, NotConstant<'e>> {
        match &expr.kind {
            ExprKind::Number(value) => Ok(*value),
            ExprKind::Place(Place { name, index: None }) if self.local(&name.text).is_none() => {
                match self.globals.get(&name.text) {
                    Some(Global::Const(value)) => Ok(*value),
                    Some(_) => Err(NotConstant::Changes),
                    None => Err(NotConstant::Unknown(name)),
                }
            }
            ExprKind::Unary(op, operand) => op.apply(self.fold(operand)?).map_err(NotConstant::Fault),
            ExprKind::Binary(op, left, right) => {
                op.apply(self.fold(left)?, self.fold(right)?).map_err(NotConstant::Fault)
            }
            ExprKind::Logical(and, left, right) => {
                let left = self.fold(left)? != 0;
                if left != *and { Ok(i64::from(left)) } else { Ok(i64::from(self.fold(right)? != 0)) }
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let (taken, other) = if self.fold(condition)? != 0 { (then, otherwise) } else { (otherwise, then) };
                match self.fold(other) {
                    // What is not taken need not have a value, but it has to be constant as well.
                    Ok(_) | Err(NotConstant::Fault(_)) => self.fold(taken),
                    reason => reason,
                }
            }
            _ => Err(NotConstant::Changes),
        }
    }

    pub(super) fn length(&mut self, length: Option<&Expr>) -> Option<u32> {
        let expr = length?;
        let value = self.constant(expr, "a length");
        if !(1..=MAX_LENGTH).contains(&value) {
            self.error(format!("a length of {value}"), &expr.span, format!("expected 1 to {MAX_LENGTH}"));
            return Some(1);
        }
        Some(value as u32)
    }

    pub(super) fn range(&mut self, family: Option<&Family>) -> Option<(i64, u32)> {
        let family = family?;
        let from = self.constant(&family.from, "the range of a family");
        let to = self.constant(&family.to, "the range of a family");
        let members = to.saturating_sub(from);
        if !(0..=MAX_LENGTH).contains(&members) {
            let span = family.from.span.start..family.to.span.end;
            self.error(format!("a family of {members} members"), &span, format!("expected 0 to {MAX_LENGTH}"));
            return Some((from, 0));
        }
        Some((from, members as u32))
    }

    /// Declares all definitions. False if there are too many for anything else to make sense.
    pub(super) fn declare(&mut self, unit: &Unit) -> bool {
        for item in &unit.items {
            match item {
                Item::Const { name, value } => {
                    let written = self.constant(value, "the value of a constant");
                    let value = self.defines.get(&name.text).copied().unwrap_or(written);
                    self.define(name, Global::Const(value));
                    self.program.constants.push((name.text.clone(), value));
                }
                Item::Enum { name, members } => self.declare_enum(name, members),
                Item::Shared { name, length, of, initial } => {
                    let of = self.enumeration(of.as_ref());
                    self.declare_shared(name, length.as_ref(), of, initial);
                }
                Item::Object { name, kind, length, fairness } => {
                    self.declare_object(name, *kind, length.as_ref(), *fairness);
                }
                Item::Semaphore { name, length, initial } => self.declare_semaphore(name, length.as_ref(), initial),
                Item::Channel { name, length, capacity } => self.declare_channel(name, length.as_ref(), capacity),
                Item::Thread { name, .. } => self.define(name, Global::Thread),
                Item::Message(function) => {
                    let number = self.program.messages.len() as u16;
                    self.define(&function.name, Global::Message(number));
                    let body = self.empty_body(function);
                    self.program.messages.push(body);
                }
                Item::Def(function) => {
                    let number = self.program.functions.len() as u16;
                    self.define(&function.name, Global::Function(number));
                    let body = self.empty_body(function);
                    self.program.functions.push(body);
                }
                Item::Event { name, family, fairness, disabled, .. } => {
                    let family = self.range(family.as_ref());
                    let base = self.program.events.len() as u32;
                    self.define(name, Global::Event { base, family });
                    let (line, column) = self.position(name.span.start);
                    for (name, parameter) in member_names(&name.text, family) {
                        let body = Body { name: name.clone(), entry: 0, end: 0, registers: 0, parameters: 0 };
                        let member = Member { name, body, parameter, fairness: *fairness, line, column };
                        self.program.events.push(EventInfo { member, guard: None, disabled: *disabled });
                    }
                }
                // What is included stands in its place already.
                Item::Include { .. } | Item::Never { .. } | Item::Promise { .. } => {}
            }
            if !self.has_room(0) {
                return false;
            }
        }
        self.program.cell_invariants = vec![SmallVec::new(); self.program.cells.len()];
        true
    }

    /// Whether the program is of a size that can be run, with this many threads more.
    pub(super) fn has_room(&mut self, threads: usize) -> bool {
        let program = &self.program;
        let locks = program.mutexes.len() + program.conditions.len() + program.syncs.len();
        let objects = program.cells.len() + locks + program.handlers.len();
        let actors = program.events.len() + program.threads.len() + threads;
        let too_much = if objects + actors > MAX_OBJECTS {
            Some(("variables, locks, handlers, threads and events", MAX_OBJECTS))
        } else if program.functions.len().max(program.messages.len()) > MAX_BODIES {
            Some(("functions or messages", MAX_BODIES))
        } else if program.code.len() > MAX_CODE {
            Some(("instructions", MAX_CODE))
        } else {
            None
        };
        if let Some((what, most)) = too_much {
            self.error(format!("the program has too many {what}"), &(0..0), format!("expected at most {most}"));
        }
        too_much.is_none()
    }

    fn empty_body(&mut self, function: &Function) -> Body {
        Body {
            name: function.name.text.clone(),
            entry: 0,
            end: 0,
            registers: 0,
            parameters: function.parameters.len().min(MAX_REGISTERS) as u16,
        }
    }

    fn declare_shared(&mut self, name: &Name, length: Option<&Expr>, of: Option<EnumNumber>, initial: &Initial) {
        let length = self.length(length);
        let base = self.program.cells.len() as u32;
        self.define(name, Global::Shared { base, length });
        let values = self.initial_values(length, initial);
        self.program.cells.extend(values);
        self.program.cell_enums.resize(self.program.cells.len(), of);
        self.program.cell_names.extend(element_names(&name.text, length));
    }

    /// What each element starts with.
    pub(super) fn initial_values(&mut self, length: Option<u32>, initial: &Initial) -> Vec<i64> {
        let count = length.unwrap_or(1) as usize;
        match initial {
            Initial::Same(expr) => vec![self.constant(expr, "an initial value"); count],
            Initial::Each(exprs, span) => {
                self.check_count(exprs.len(), length, span);
                let mut values: Vec<i64> = exprs.iter().map(|expr| self.constant(expr, "an initial value")).collect();
                values.resize(count, 0);
                values
            }
        }
    }

    /// An array gets as many values as it has elements.
    pub(super) fn check_count(&mut self, values: usize, length: Option<u32>, span: &Span) {
        let expected = match length {
            Some(length) if length as usize == values => return,
            Some(length) => format!("{length} values"),
            None => "one value".to_owned(),
        };
        self.error(format!("{values} initial values"), span, format!("expected {expected}"));
    }

    fn declare_object(&mut self, name: &Name, kind: ObjectKind, length: Option<&Expr>, fairness: Option<Fairness>) {
        let length = self.length(length);
        let names = element_names(&name.text, length);
        let program = &mut self.program;
        let global = match kind {
            ObjectKind::RwLock => return self.declare_rw_lock(name, length),
            ObjectKind::Mutex => {
                let base = program.mutexes.len() as u32;
                program.mutexes.extend(names);
                program.tried.resize(program.mutexes.len(), false);
                Global::Mutex { base, length }
            }
            ObjectKind::Cond => {
                let base = program.conditions.len() as u32;
                program.conditions.extend(names);
                Global::Condition { base, length }
            }
            ObjectKind::FifoHandler | ObjectKind::AnyHandler => {
                let base = program.handlers.len() as u32;
                let any = kind == ObjectKind::AnyHandler;
                program.handlers.extend(names.into_iter().map(|name| HandlerInfo { name, any, fairness }));
                Global::Handler { base, length }
            }
        };
        self.define(name, global);
    }
}

pub(super) fn element_names(name: &str, length: Option<u32>) -> Vec<String> {
    match length {
        None => vec![name.to_owned()],
        Some(length) => (0..length).map(|index| format!("{name}[{index}]")).collect(),
    }
}

pub(super) fn member_names(name: &str, family: Option<(i64, u32)>) -> Vec<(String, Option<i64>)> {
    match family {
        None => vec![(name.to_owned(), None)],
        Some((from, members)) => {
            (0..i64::from(members)).map(|n| (format!("{name}[{}]", from + n), Some(from + n))).collect()
        }
    }
}
