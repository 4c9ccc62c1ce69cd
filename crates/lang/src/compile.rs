//! From the syntax tree to the code: resolves names, checks, and emits instructions.

mod enumeration;
mod local_array;
mod switch;
mod sync;

use crate::ast::{
    BinaryOp, Block, Call, Expr, ExprKind, Family, Fault, ForLoop, Function, Initial, Item, Name, ObjectKind, Place,
    Span, Statement, StatementKind, UnaryOp, Unit,
};
use crate::code::{
    Assertion, Body, EnumNumber, EventInfo, HandlerInfo, Instruction, Invariant, LocalName, Member, NONE, Pc, PlaceRef,
    Program, Read, Register, Site, UNREAD,
};
use crate::effects::{Effects, function_effects};
use crate::{CompileError, Sources, liveness};
use hashbrown::{HashMap, HashSet};
use mazurka_core::Diagnostic;
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// So many characters of a step's source are shown.
const LONGEST_STEP: usize = 48;
/// So many characters of the source of a condition that fails are shown.
const LONGEST_CONDITION: usize = 1_000;
/// How many cells, locks, handlers, threads or events one definition may make.
const MAX_LENGTH: i64 = 65_536;
/// How many cells, locks, handlers, threads and events there may be in all.
const MAX_OBJECTS: usize = 262_144;
/// How many functions, and how many messages: the code names them by 16 bits.
const MAX_BODIES: usize = 65_535;
/// How many instructions: a record's header has room for them.
const MAX_CODE: usize = 1 << 24;
/// How many registers a body may have: with the deepest calls, a record's header has room for the stack.
const MAX_REGISTERS: usize = 2000;
/// How many errors are worth reading.
const MAX_ERRORS: usize = 100;

/// What a global name stands for.
#[derive(Clone, Copy, Debug)]
enum Global {
    Const(i64),
    Enum(EnumNumber),
    Shared { base: u32, length: Option<u32> },
    Mutex { base: u32, length: Option<u32> },
    Condition { base: u32, length: Option<u32> },
    Semaphore { base: u32, length: Option<u32> },
    RwLock { base: u32, length: Option<u32> },
    Channel { base: u32, length: Option<u32> },
    Handler { base: u32, length: Option<u32> },
    Event { base: u32, family: Option<(i64, u32)> },
    Thread,
    Message(u16),
    Function(u16),
}

impl Global {
    fn what(self) -> &'static str {
        match self {
            Global::Const(_) => "a constant",
            Global::Enum(_) => "an enum",
            Global::Shared { length: None, .. } => "a shared variable",
            Global::Shared { .. } => "a shared array",
            Global::Mutex { .. } => "a mutex",
            Global::Condition { .. } => "a condition variable",
            Global::Semaphore { .. } => "a semaphore",
            Global::RwLock { .. } => "a read-write lock",
            Global::Channel { .. } => "a channel",
            Global::Handler { .. } => "a handler",
            Global::Event { .. } => "an event",
            Global::Thread => "a thread",
            Global::Message(_) => "a message",
            Global::Function(_) => "a function",
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Local {
    /// Where it is kept; for an array its first element.
    register: Register,
    /// How many elements, if it is an array.
    length: Option<u16>,
    /// The enum whose names are shown for its values.
    of: Option<EnumNumber>,
    is_handle: bool,
}

/// Why a value is not known before the program runs.
enum NotConstant<'e> {
    Changes,
    Unknown(&'e Name),
    Fault(Fault),
}

/// A loop or a `switch` around the present statement: what `break` leaves.
#[derive(Debug)]
struct Loop {
    /// Where `continue` goes to; `None` for a `switch`.
    continue_to: Option<Pc>,
    breaks: Vec<Pc>,
    /// How many `atomic` blocks surround the loop.
    atomics: usize,
    /// How many scopes surround the loop's body.
    scopes: usize,
}

/// Compiles a program.
pub(crate) fn compile(sources: &Sources, unit: &Unit, defines: &[(String, i64)]) -> Result<Program, CompileError> {
    let mut compiler = Compiler::new(sources, unit, defines)?;
    if compiler.declare(unit) {
        compiler.bodies(unit);
    }
    if compiler.errors.is_empty() { Ok(compiler.program) } else { Err(CompileError::Source(compiler.errors)) }
}

struct Compiler<'s> {
    source: &'s str,
    line_starts: Vec<usize>,
    /// The bytes that do not begin a character.
    continuations: Vec<usize>,
    defines: HashMap<String, i64>,
    globals: HashMap<String, Global>,
    effects: HashMap<String, Effects>,
    program: Program,
    errors: Vec<Diagnostic>,

    // The body that is being compiled.
    scopes: Vec<HashMap<String, Local>>,
    /// Where the body begins that is being compiled.
    body_entry: Pc,
    next_register: usize,
    most_registers: usize,
    loops: Vec<Loop>,
    atomics: usize,
    /// Whether a step must not stop or choose here: what the code belongs to.
    context: Context,
    /// Whether the body is that of a `def`, which returns a value.
    in_def: bool,
    /// The visible instructions of the present statement.
    statement_operations: Vec<Pc>,
    site: u32,
    /// Collects what an assertion reads.
    reads: Option<Vec<Read>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    /// A thread, a message or a function.
    Plain,
    /// An event: one step, may not wait.
    Event,
    /// A guard or an invariant: may only look.
    Guard,
}

impl<'s> Compiler<'s> {
    fn new(sources: &'s Sources, unit: &Unit, defines: &[(String, i64)]) -> Result<Self, CompileError> {
        let source = sources.text();
        let constants: Vec<String> = unit
            .items
            .iter()
            .filter_map(|item| if let Item::Const { name, .. } = item { Some(name.text.clone()) } else { None })
            .collect();
        if let Some((name, _)) = defines.iter().find(|(name, _)| !constants.contains(name)) {
            return Err(CompileError::UnknownConstant { name: name.clone(), known: constants });
        }
        let line_starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let is_continuation = |byte: u8| byte & 0xc0 == 0x80;
        let continuations = source.bytes().enumerate().filter(|at| is_continuation(at.1)).map(|at| at.0).collect();
        Ok(Compiler {
            source,
            line_starts,
            continuations,
            defines: defines.iter().cloned().collect(),
            globals: HashMap::new(),
            effects: function_effects(unit),
            program: Program {
                files: sources.first_lines(),
                code: Vec::new(),
                sites: vec![Site { text: String::new(), line: 1, column: 1 }],
                site_of: Vec::new(),
                dead: Vec::new(),
                locals: Vec::new(),
                locals_at: Vec::new(),
                cells: Vec::new(),
                cell_names: Vec::new(),
                cell_enums: Vec::new(),
                enums: Vec::new(),
                cell_invariants: Vec::new(),
                mutexes: Vec::new(),
                tried: Vec::new(),
                syncs: Vec::new(),
                conditions: Vec::new(),
                handlers: Vec::new(),
                threads: Vec::new(),
                events: Vec::new(),
                functions: Vec::new(),
                messages: Vec::new(),
                assertions: Vec::new(),
                invariants: Vec::new(),
                constants: Vec::new(),
                creates_actors: false,
                repeats: false,
            },
            errors: Vec::new(),
            scopes: Vec::new(),
            body_entry: 0,
            next_register: 0,
            most_registers: 0,
            loops: Vec::new(),
            atomics: 0,
            context: Context::Plain,
            in_def: false,
            statement_operations: Vec::new(),
            site: 0,
            reads: None,
        })
    }

    fn error(&mut self, message: impl Into<String>, span: &Span, label: impl Into<String>) {
        self.report(Diagnostic::new(message, span.clone(), label));
    }

    fn report(&mut self, error: Diagnostic) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    fn position(&self, at: usize) -> (u32, u32) {
        let line = self.line_starts.partition_point(|&start| start <= at).max(1);
        let start = self.line_starts[line - 1];
        let continuations_before = |at: usize| self.continuations.partition_point(|&byte| byte < at);
        let column = at - start - (continuations_before(at) - continuations_before(start));
        (line as u32, column as u32 + 1)
    }

    /// The source of a step on one line, cut where it gets long.
    fn text(&self, span: &Span) -> String {
        self.text_up_to(LONGEST_STEP, span)
    }

    /// The source of a condition on one line: messages have it whole, unless it would fill the screen.
    fn condition_text(&self, span: &Span) -> String {
        self.text_up_to(LONGEST_CONDITION, span)
    }

    fn text_up_to(&self, most: usize, span: &Span) -> String {
        let words = self.source.get(span.clone()).unwrap_or_default().split_whitespace();
        let text = words.collect::<Vec<_>>().join(" ");
        if text.chars().count() > most { text.chars().take(most - 1).chain(['…']).collect() } else { text }
    }
}

/// Definitions.
impl Compiler<'_> {
    fn define(&mut self, name: &Name, global: Global) {
        if let Some(&earlier) = self.globals.get(&name.text) {
            let message = format!("`{}` is defined twice", name.text);
            self.error(message, &name.span, format!("this name belongs to {} already", earlier.what()));
        } else {
            self.globals.insert(name.text.clone(), global);
        }
    }

    /// A value that must be known before the program runs.
    fn constant(&mut self, expr: &Expr, what: &str) -> i64 {
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

    fn fold<'e>(&self, expr: &'e Expr) -> Result<i64, NotConstant<'e>> {
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

    fn length(&mut self, length: Option<&Expr>) -> Option<u32> {
        let expr = length?;
        let value = self.constant(expr, "a length");
        if !(1..=MAX_LENGTH).contains(&value) {
            self.error(format!("a length of {value}"), &expr.span, format!("expected 1 to {MAX_LENGTH}"));
            return Some(1);
        }
        Some(value as u32)
    }

    fn range(&mut self, family: Option<&Family>) -> Option<(i64, u32)> {
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

    /// Declares all definitions. False if there are so many that nothing else makes sense.
    fn declare(&mut self, unit: &Unit) -> bool {
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
                Item::Object { name, kind, length } => self.declare_object(name, *kind, length.as_ref()),
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
                Item::Event { name, family, disabled, .. } => {
                    let family = self.range(family.as_ref());
                    let base = self.program.events.len() as u32;
                    self.define(name, Global::Event { base, family });
                    let (line, column) = self.position(name.span.start);
                    for (name, parameter) in member_names(&name.text, family) {
                        let body = Body { name: name.clone(), entry: 0, end: 0, registers: 0, parameters: 0 };
                        let member = Member { name, body, parameter, line, column };
                        self.program.events.push(EventInfo { member, guard: None, disabled: *disabled });
                    }
                }
                // What is included stands in its place already.
                Item::Include { .. } | Item::Never { .. } => {}
            }
            if !self.has_room(0) {
                return false;
            }
        }
        self.program.cell_invariants = vec![SmallVec::new(); self.program.cells.len()];
        true
    }

    /// Whether the program is of a size that can be run, with so many threads more.
    fn has_room(&mut self, threads: usize) -> bool {
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
    fn initial_values(&mut self, length: Option<u32>, initial: &Initial) -> Vec<i64> {
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
    fn check_count(&mut self, values: usize, length: Option<u32>, span: &Span) {
        let expected = match length {
            Some(length) if length as usize == values => return,
            Some(length) => format!("{length} values"),
            None => "one value".to_owned(),
        };
        self.error(format!("{values} initial values"), span, format!("expected {expected}"));
    }

    fn declare_object(&mut self, name: &Name, kind: ObjectKind, length: Option<&Expr>) {
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
                program.handlers.extend(names.into_iter().map(|name| HandlerInfo { name, any }));
                Global::Handler { base, length }
            }
        };
        self.define(name, global);
    }

    fn bodies(&mut self, unit: &Unit) {
        let (mut message, mut function, mut event) = (0, 0, 0);
        for item in &unit.items {
            match item {
                Item::Thread { name, family, body } => self.thread(name, family.as_ref(), body),
                Item::Message(definition) => {
                    let body = self.function_body(definition, false);
                    self.program.messages[message] = body;
                    message += 1;
                }
                Item::Def(definition) => {
                    let body = self.function_body(definition, true);
                    self.program.functions[function] = body;
                    function += 1;
                }
                Item::Event { name, family, guard, body, .. } => {
                    self.event(&mut event, name, family.as_ref(), guard.as_ref(), body);
                }
                Item::Never { condition } => self.invariant(condition),
                Item::Include { .. }
                | Item::Const { .. }
                | Item::Enum { .. }
                | Item::Shared { .. }
                | Item::Object { .. }
                | Item::Semaphore { .. }
                | Item::Channel { .. } => {}
            }
            if !self.has_room(0) {
                return;
            }
        }
        if !self.errors.is_empty() {
            return;
        }
        self.watch_invariants();
        let program = &mut self.program;
        program.dead = vec![SmallVec::new(); program.code.len()];
        program.locals_at = vec![SmallVec::new(); program.code.len()];
        program.creates_actors = program
            .code
            .iter()
            .any(|instruction| matches!(instruction, Instruction::Spawn { .. } | Instruction::Post { .. }));
        let mut bodies: Vec<Body> = program
            .functions
            .iter()
            .chain(&program.messages)
            .chain(program.threads.iter().map(|thread| &thread.body))
            .chain(program.events.iter().map(|event| &event.member.body))
            .cloned()
            .collect();
        // The members of a family share their body.
        bodies.dedup_by_key(|body| body.entry);
        for body in bodies {
            liveness::analyse(program, body.entry, body.end, body.registers, body.parameters);
        }
    }

    /// Compiles a body: its parameters are the first registers.
    fn body(&mut self, name: &str, parameters: &[Name], emit: impl FnOnce(&mut Self)) -> Body {
        self.scopes = vec![HashMap::new()];
        self.next_register = 0;
        self.most_registers = 0;
        self.loops.clear();
        self.atomics = 0;
        let entry = self.pc();
        self.body_entry = entry;
        for parameter in parameters {
            self.new_local(parameter, false);
        }
        emit(self);
        let end = self.pc();
        self.leave_scope();
        Body {
            name: name.to_owned(),
            entry,
            end,
            registers: self.most_registers as u16,
            parameters: parameters.len().min(MAX_REGISTERS) as u16,
        }
    }

    fn function_body(&mut self, function: &Function, is_def: bool) -> Body {
        self.context = Context::Plain;
        self.in_def = is_def;
        self.body(&function.name.text, &function.parameters, |compiler| {
            compiler.block(&function.body);
            if is_def {
                let zero = compiler.emit_const(0);
                compiler.emit(Instruction::Return { src: zero });
            } else {
                compiler.emit(Instruction::End);
            }
        })
    }

    fn thread(&mut self, name: &Name, family: Option<&Family>, block: &Block) {
        self.context = Context::Plain;
        self.in_def = false;
        let parameters: Vec<Name> = family.map(|family| family.parameter.clone()).into_iter().collect();
        let body = self.body(&name.text, &parameters, |compiler| {
            compiler.block(block);
            compiler.emit(Instruction::End);
        });
        let (line, column) = self.position(name.span.start);
        let range = self.range(family);
        if !self.has_room(range.map_or(1, |(_, members)| members as usize)) {
            return;
        }
        for (name, parameter) in member_names(&name.text, range) {
            self.program.threads.push(Member { name, body: body.clone(), parameter, line, column });
        }
    }

    fn event(&mut self, next: &mut usize, name: &Name, family: Option<&Family>, guard: Option<&Expr>, block: &Block) {
        let parameters: Vec<Name> = family.map(|family| family.parameter.clone()).into_iter().collect();
        self.context = Context::Guard;
        let guard = guard.map(|guard| {
            self.open_site(&guard.span);
            self.body(&name.text, &parameters, |compiler| compiler.guard(guard))
        });
        self.context = Context::Event;
        self.in_def = false;
        let mut body = self.body(&name.text, &parameters, |compiler| {
            compiler.block(block);
            compiler.emit(Instruction::End);
        });
        if let Some(guard) = &guard {
            body.registers = body.registers.max(guard.registers);
        }
        let members = match self.globals.get(&name.text) {
            Some(Global::Event { family: Some((_, members)), .. }) => *members as usize,
            _ => 1,
        };
        for event in self.program.events.iter_mut().skip(*next).take(members) {
            event.member.body = body.clone();
            event.guard = guard.as_ref().map(|guard| guard.entry);
        }
        *next += members;
    }

    fn invariant(&mut self, condition: &Expr) {
        self.context = Context::Guard;
        self.open_site(&condition.span);
        let body = self.body("never", &[], |compiler| compiler.guard(condition));
        let (line, column) = self.position(condition.span.start);
        let text = format!("never {}", self.condition_text(&condition.span));
        let message = format!("invariant broken: {text}");
        self.program.invariants.push(Invariant { body, text, message, line, column, cells: Vec::new() });
    }

    /// Finds the cells that each invariant may look at. All functions are compiled by now: it may call them.
    fn watch_invariants(&mut self) {
        let arrays: HashMap<u32, u32> = self
            .globals
            .values()
            .filter_map(|global| match *global {
                Global::Shared { base, length: Some(length) } => Some((base, length)),
                _ => None,
            })
            .collect();
        let program = &mut self.program;
        for (number, invariant) in program.invariants.iter_mut().enumerate() {
            let mut bodies = vec![&invariant.body];
            let mut called: HashSet<u16> = HashSet::new();
            let mut cells: BTreeSet<u32> = BTreeSet::new();
            while let Some(body) = bodies.pop() {
                for instruction in &program.code[body.entry as usize..body.end as usize] {
                    match *instruction {
                        Instruction::Load { place, .. } => {
                            let length = if place.index == NONE { 1 } else { arrays[&place.base] };
                            cells.extend(place.base..place.base + length);
                        }
                        Instruction::Call { function, .. } if called.insert(function) => {
                            bodies.push(&program.functions[usize::from(function)]);
                        }
                        _ => {}
                    }
                }
            }
            for &cell in &cells {
                program.cell_invariants[cell as usize].push(number as u32);
            }
            invariant.cells = cells.into_iter().collect();
        }
    }
}

fn element_names(name: &str, length: Option<u32>) -> Vec<String> {
    match length {
        None => vec![name.to_owned()],
        Some(length) => (0..length).map(|index| format!("{name}[{index}]")).collect(),
    }
}

fn member_names(name: &str, family: Option<(i64, u32)>) -> Vec<(String, Option<i64>)> {
    match family {
        None => vec![(name.to_owned(), None)],
        Some((from, members)) => {
            (0..i64::from(members)).map(|n| (format!("{name}[{}]", from + n), Some(from + n))).collect()
        }
    }
}

/// Emitting.
impl Compiler<'_> {
    fn pc(&self) -> Pc {
        self.program.code.len() as Pc
    }

    fn emit(&mut self, instruction: Instruction) -> Pc {
        let pc = self.pc();
        self.program.code.push(instruction);
        self.program.site_of.push(self.site);
        pc
    }

    /// Emits an operation that others can notice; `text` is what it is called where its statement has several.
    fn emit_visible(&mut self, instruction: Instruction, text: String, span: &Span) -> Pc {
        let (line, column) = self.position(span.start);
        let kept = self.site;
        self.site = self.program.sites.len() as u32;
        self.program.sites.push(Site { text, line, column });
        let pc = self.emit(instruction);
        self.site = kept;
        self.statement_operations.push(pc);
        pc
    }

    /// What is emitted from here on belongs to this part of the source.
    fn open_site(&mut self, span: &Span) -> String {
        let (line, column) = self.position(span.start);
        let text = self.text(span);
        self.site = self.program.sites.len() as u32;
        self.program.sites.push(Site { text: text.clone(), line, column });
        self.statement_operations.clear();
        text
    }

    fn emit_const(&mut self, value: i64) -> Register {
        let dst = self.register();
        self.emit(Instruction::Const { dst, value });
        dst
    }

    /// Lets a jump that was emitted before its target was known go to the present place.
    fn land(&mut self, jump: Pc) {
        let here = self.pc();
        match &mut self.program.code[jump as usize] {
            Instruction::Jump { to } | Instruction::Branch { to, .. } => *to = here,
            _ => {}
        }
    }

    fn register(&mut self) -> Register {
        self.registers(1)
    }

    /// Several registers in a row; the first of them.
    fn registers(&mut self, count: usize) -> Register {
        let first = self.next_register;
        if first + count > MAX_REGISTERS {
            if self.errors.is_empty() {
                let site = &self.program.sites[self.site as usize];
                let at = self.line_starts[site.line as usize - 1];
                let line = self.program.location(site.line, 1).line;
                let message = format!("too many local values at once in line {line}");
                self.error(message, &(at..at), format!("expected at most {MAX_REGISTERS}"));
            }
            return 0;
        }
        self.next_register += count;
        self.most_registers = self.most_registers.max(self.next_register);
        first as Register
    }

    /// The register of an expression's result, once its operands are read: the first of theirs is free again. An
    /// assertion keeps them all, to show what it read.
    fn result(&mut self, operands: usize) -> Register {
        self.release(operands);
        self.register()
    }

    fn release(&mut self, operands: usize) {
        if self.reads.is_none() {
            self.next_register = operands;
        }
    }

    fn local(&self, name: &str) -> Option<Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    fn new_local(&mut self, name: &Name, is_handle: bool) -> Register {
        let register = self.register();
        self.name_local(name, Local { register, length: None, of: None, is_handle });
        register
    }

    /// Gives a local variable its name.
    fn name_local(&mut self, name: &Name, local: Local) {
        if let Some(global) = self.globals.get(&name.text) {
            let label = format!("this name belongs to {} already", global.what());
            self.error(format!("a local variable named `{}`", name.text), &name.span, label);
        } else if self.local(&name.text).is_some() {
            let message = format!("`{}` is defined twice", name.text);
            self.error(message, &name.span, "a local variable has this name already");
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.text.clone(), local);
        }
        if !local.is_handle {
            let from = self.pc();
            let elements = local.length.map_or(1, |length| length as usize);
            // It is known to the end of its scope, which comes later.
            self.program.locals.extend((0..elements).map(|element| LocalName {
                name: if local.length.is_some() { format!("{}[{element}]", name.text) } else { name.text.clone() },
                register: local.register.saturating_add(element as Register),
                of: local.of,
                from,
                to: Pc::MAX,
            }));
        }
    }

    fn unknown(&mut self, name: &Name) {
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        let known = self.scopes.iter().flat_map(HashMap::keys).chain(self.globals.keys());
        let mut close: Vec<&String> = known.filter(|other| is_close(&name.text, other)).collect();
        close.sort();
        let mut error = Diagnostic::new(
            format!("`{}` is not defined", name.text),
            name.span.clone(),
            "expected a name that is defined",
        );
        if let Some(other) = close.first() {
            error = error.note(format!("there is a `{other}`"));
        }
        self.report(error);
    }

    fn wrong_kind(&mut self, name: &Name, found: &str, expected: &str) {
        self.error(format!("`{}` is {found}", name.text), &name.span, format!("expected {expected}"));
    }
}

/// Whether two names are so alike that one may be a slip for the other.
fn is_close(one: &str, other: &str) -> bool {
    if one.eq_ignore_ascii_case(other) {
        return true;
    }
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if a.len().abs_diff(b.len()) > 1 || a.len() < 3 || a.len() > 64 {
        return false;
    }
    let same_start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let same_end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    // One letter too many, too few or wrong, or two in a row that are wrong or swapped.
    let slack = if a.len() == b.len() { 2 } else { 1 };
    same_start + same_end + slack >= a.len().max(b.len())
}

/// Whether a loop is like `for (let i = 0; i < 3; i += 1)`: a variable that nothing else changes grows by a constant up to
/// a constant. Such a loop ends, as a `for i in 0..3` does.
fn counts_to_an_end(of: &ForLoop, is_constant: impl Fn(&Expr) -> bool) -> bool {
    let (Some(start), Some(condition), Some(next)) = (&of.start, &of.condition, &of.next) else { return false };
    let StatementKind::Let(variable, _) = &start.kind else { return false };
    let is_variable = |place: &Place| place.name.text == variable.text && place.index.is_none();
    let grows = match &next.kind {
        StatementKind::Update(place, BinaryOp::Add, Expr { kind: ExprKind::Number(1..), .. }) => is_variable(place),
        _ => false,
    };
    let is_bounded = match &condition.kind {
        ExprKind::Binary(BinaryOp::Less | BinaryOp::LessEqual, left, right) => {
            matches!(&left.kind, ExprKind::Place(place) if is_variable(place)) && is_constant(right)
        }
        _ => false,
    };
    grows && is_bounded && !assigns(&of.body, &variable.text)
}

/// Whether a statement of a block, or of a block within it, assigns to a variable.
fn assigns(block: &Block, variable: &str) -> bool {
    let is_assigned = |statement: &Statement| match &statement.kind {
        StatementKind::Assign(place, _) | StatementKind::Update(place, ..) => place.name.text == variable,
        kind => kind.blocks().into_iter().any(|block| assigns(block, variable)),
    };
    block.statements.iter().any(is_assigned)
}

/// Statements.
impl Compiler<'_> {
    fn block(&mut self, block: &Block) {
        self.statements(&block.statements);
    }

    fn statements(&mut self, statements: &[Statement]) {
        self.scopes.push(HashMap::new());
        let mark = self.next_register;
        for statement in statements {
            self.statement(statement);
        }
        self.forget_handles(self.scopes.len() - 1);
        self.next_register = mark;
        self.leave_scope();
    }

    /// What the innermost scope defined is not known from here on.
    fn leave_scope(&mut self) {
        let (end, scope) = (self.pc(), self.scopes.pop().unwrap_or_default());
        let open = self.program.locals.iter_mut().rev().take_while(|local| local.from >= self.body_entry);
        for local in open.filter(|local| local.to == Pc::MAX) {
            let name = local.name.split('[').next().unwrap_or_default();
            if scope.contains_key(name) {
                local.to = end;
            }
        }
    }

    /// Lets go of the thread handles of the innermost scopes, down to the one with this number. An actor that comes to
    /// its end lets go of all of them at once.
    fn forget_handles(&mut self, outermost: usize) {
        const BODY: usize = 1;
        let last = if self.in_def { outermost } else { outermost.max(BODY + 1) };
        let scopes = self.scopes.iter().skip(last).rev();
        let mut handles: Vec<Register> =
            scopes.flat_map(HashMap::values).filter(|local| local.is_handle).map(|local| local.register).collect();
        handles.sort_unstable();
        for thread in handles {
            self.emit(Instruction::Forget { thread });
        }
    }

    fn statement(&mut self, statement: &Statement) {
        let text = self.open_site(&statement.span);
        let temporaries = self.next_register;
        let keeps_register = self.statement_kind(statement);
        if !keeps_register {
            self.next_register = temporaries;
        }
        // Statements with blocks have cleared the list for their inner statements.
        if let [only] = self.statement_operations[..] {
            let site = self.program.site_of[only as usize] as usize;
            self.program.sites[site].text = text;
        }
        self.statement_operations.clear();
    }

    /// Compiles a statement and says whether it made a local variable.
    fn statement_kind(&mut self, statement: &Statement) -> bool {
        let span = &statement.span;
        match &statement.kind {
            StatementKind::Let(name, value) => {
                // The value comes first, and mostly stands already where the variable will.
                let mark = self.next_register;
                let value = self.expr(value);
                self.next_register = mark;
                let register = self.new_local(name, false);
                if value != register {
                    self.emit(Instruction::Move { dst: register, src: value });
                }
                return true;
            }
            StatementKind::Declare(of) => {
                self.declare_local(of);
                return true;
            }
            StatementKind::Spawn(name, call) => return self.spawn(name.as_ref(), call, span),
            StatementKind::Respawn(name, call) => self.respawn(name, call, span),
            StatementKind::Assign(place, value) => self.assign(place, None, value, span),
            StatementKind::Update(place, op, value) => self.assign(place, Some(*op), value, span),
            StatementKind::Evaluate(expr) => {
                self.expr(expr);
            }
            StatementKind::If(condition, then, otherwise) => self.if_statement(condition, then, otherwise.as_ref()),
            StatementKind::Switch(value, cases) => self.switch(value, cases),
            StatementKind::While(condition, body) => self.while_statement(condition, body),
            StatementKind::DoWhile(body, condition) => self.do_statement(body, condition),
            StatementKind::For(name, from, to, body) => self.for_statement(name, from, to, body),
            StatementKind::ForLoop(of) => self.for_loop(of, span),
            StatementKind::Break | StatementKind::Continue => self.leave_loop(&statement.kind, span),
            StatementKind::Return(value) => self.return_statement(value.as_ref(), span),
            StatementKind::Assert(condition, text) => self.assert_statement(condition, text.as_deref(), span),
            StatementKind::Assume(condition) => {
                self.must_not_wait("assume", span);
                self.emit_visible(Instruction::Assume, self.text(span), span);
                self.guard(condition);
            }
            StatementKind::Lock(mutex) => {
                self.must_not_wait("lock", span);
                let mutex = self.object_place(mutex, "a mutex");
                self.emit_visible(Instruction::Lock { mutex }, self.text(span), span);
            }
            StatementKind::Unlock(mutex) => {
                let mutex = self.object_place(mutex, "a mutex");
                self.emit_visible(Instruction::Unlock { mutex }, self.text(span), span);
            }
            StatementKind::Wait(condition, mutex) => {
                self.must_not_wait("wait", span);
                self.wait(condition, mutex, NONE, span);
            }
            StatementKind::Signal(condition) => {
                let condition = self.object_place(condition, "a condition variable");
                self.emit_visible(Instruction::Signal { condition, all: false }, self.text(span), span);
            }
            StatementKind::Broadcast(condition) => {
                let condition = self.object_place(condition, "a condition variable");
                self.emit_visible(Instruction::Signal { condition, all: true }, self.text(span), span);
            }
            StatementKind::Join(name) => self.join(name, span),
            StatementKind::Post(handler, call) => self.post(handler, call, span),
            StatementKind::Enable(event) => self.enable(event, true, span),
            StatementKind::Disable(event) => self.enable(event, false, span),
            StatementKind::Atomic(block) => self.atomic(block, span),
        }
        false
    }

    fn wait(&mut self, condition: &Place, mutex: &Place, signalled: Register, span: &Span) {
        let words = self.text(&mutex.name.span);
        let condition = self.object_place(condition, "a condition variable");
        let mutex = self.object_place(mutex, "a mutex");
        self.emit_visible(Instruction::Wait { condition, signalled }, self.text(span), span);
        self.emit_visible(Instruction::Reacquire { mutex }, format!("woken: lock({words})"), span);
    }

    /// Waiting has no meaning within one step.
    fn must_not_wait(&mut self, what: &str, span: &Span) {
        if self.context == Context::Event {
            let error =
                Diagnostic::new(format!("`{what}` in an event"), span.clone(), "an event is one step: it cannot wait");
            self.report(error.note("a condition for the whole event goes behind `when`"));
        } else if self.atomics > 0 {
            let error = Diagnostic::new(
                format!("`{what}` in an atomic block"),
                span.clone(),
                "one step cannot wait in its middle",
            );
            self.report(
                error.note("an `assume` may be the block's first statement: then the whole block waits for it"),
            );
        }
    }

    fn spawn(&mut self, name: Option<&Name>, call: &Call, span: &Span) -> bool {
        let Some((function, arguments)) = self.call_of(call, "a function") else { return false };
        let dst = name.map_or(NONE, |name| self.new_local(name, true));
        self.emit_visible(Instruction::Spawn { function, arguments, dst }, self.text(span), span);
        dst != NONE
    }

    fn respawn(&mut self, name: &Name, call: &Call, span: &Span) {
        let Some(dst) = self.handle(name) else { return };
        let Some((function, arguments)) = self.call_of(call, "a function") else { return };
        self.emit(Instruction::Forget { thread: dst });
        self.emit_visible(Instruction::Spawn { function, arguments, dst }, self.text(span), span);
    }

    fn join(&mut self, name: &Name, span: &Span) {
        self.must_not_wait("join", span);
        if let Some(thread) = self.handle(name) {
            self.emit_visible(Instruction::Join { thread }, self.text(span), span);
        }
    }

    /// The register of a thread handle.
    fn handle(&mut self, name: &Name) -> Option<Register> {
        let expected = "a thread handle, as in `let t = spawn f();`";
        match (self.local(&name.text), self.globals.get(&name.text)) {
            (Some(Local { register, is_handle: true, .. }), _) => return Some(register),
            (Some(Local { length: Some(_), .. }), _) => self.wrong_kind(name, "a local array", expected),
            (Some(_), _) => self.wrong_kind(name, "a number", expected),
            (None, Some(global)) => self.wrong_kind(name, global.what(), expected),
            (None, None) => self.unknown(name),
        }
        None
    }

    fn post(&mut self, handler: &Place, call: &Call, span: &Span) {
        let handler = self.object_place(handler, "a handler");
        if let Some((message, arguments)) = self.call_of(call, "a message") {
            self.emit_visible(Instruction::Post { handler, message, arguments }, self.text(span), span);
        }
    }

    fn enable(&mut self, event: &Place, on: bool, span: &Span) {
        let event = self.object_place(event, "an event");
        self.emit_visible(Instruction::Enable { event, on }, self.text(span), span);
    }

    fn atomic(&mut self, block: &Block, span: &Span) {
        let (guard, rest) = match block.statements.split_first() {
            Some((Statement { kind: StatementKind::Assume(condition), span: at }, rest)) => {
                if self.atomics > 0 || self.context == Context::Event {
                    self.must_not_wait("assume", at);
                }
                (Some(condition), rest)
            }
            _ => (None, &block.statements[..]),
        };
        let text = self.atomic_text(block);
        self.emit_visible(Instruction::Atomic { guarded: guard.is_some() }, text, span);
        if let Some(condition) = guard {
            self.guard(condition);
        }
        self.atomics += 1;
        self.statements(rest);
        self.atomics -= 1;
        self.emit(Instruction::AtomicEnd);
        self.statement_operations.clear();
    }

    /// A short block is shown whole, a long one by its beginning.
    fn atomic_text(&self, block: &Block) -> String {
        let inner: Vec<String> = block.statements.iter().map(|statement| self.text(&statement.span)).collect();
        let text = format!("atomic {{ {} }}", inner.join("; "));
        if text.chars().count() > 48 { text.chars().take(45).chain("… }".chars()).collect() } else { text }
    }

    fn if_statement(&mut self, condition: &Expr, then: &Block, otherwise: Option<&Block>) {
        let condition = self.expr(condition);
        let to_else = self.emit(Instruction::Branch { condition, when: false, to: 0 });
        self.close_statement();
        self.block(then);
        match otherwise {
            None => self.land(to_else),
            Some(otherwise) => {
                let to_end = self.emit(Instruction::Jump { to: 0 });
                self.land(to_else);
                self.block(otherwise);
                self.land(to_end);
            }
        }
        self.statement_operations.clear();
    }

    /// The condition of a statement with a block is done: what follows are other statements.
    fn close_statement(&mut self) {
        self.statement_operations.clear();
    }

    fn while_statement(&mut self, condition: &Expr, body: &Block) {
        let start = self.pc();
        self.program.repeats = true;
        let condition = self.expr(condition);
        let out = self.emit(Instruction::Branch { condition, when: false, to: 0 });
        self.close_statement();
        self.enter_loop(start, out);
        self.block(body);
        self.emit(Instruction::Jump { to: start });
        self.end_loop();
    }

    /// The condition comes first in the code, so that `continue` has one place to go to.
    fn do_statement(&mut self, body: &Block, condition: &Expr) {
        self.program.repeats = true;
        let enter = self.emit(Instruction::Jump { to: 0 });
        let check = self.pc();
        let condition = self.expr(condition);
        let out = self.emit(Instruction::Branch { condition, when: false, to: 0 });
        self.close_statement();
        self.land(enter);
        self.enter_loop(check, out);
        self.block(body);
        self.emit(Instruction::Jump { to: check });
        self.end_loop();
    }

    /// Begins the body of a loop; `out` is a jump that leaves it.
    fn enter_loop(&mut self, continue_to: Pc, out: impl Into<Option<Pc>>) {
        self.enter(Some(continue_to), out.into());
    }

    fn enter(&mut self, continue_to: Option<Pc>, out: Option<Pc>) {
        let (atomics, scopes) = (self.atomics, self.scopes.len());
        self.loops.push(Loop { continue_to, breaks: out.into_iter().collect(), atomics, scopes });
    }

    fn end_loop(&mut self) {
        for exit in self.loops.pop().map(|ended| ended.breaks).unwrap_or_default() {
            self.land(exit);
        }
        self.statement_operations.clear();
    }

    fn for_statement(&mut self, name: &Name, from: &Expr, to: &Expr, body: &Block) {
        self.scopes.push(HashMap::new());
        let first = self.expr(from);
        let last = self.expr(to);
        self.close_statement();
        let limit = self.register();
        self.emit(Instruction::Move { dst: limit, src: last });
        let variable = self.new_local(name, false);
        self.emit(Instruction::Move { dst: variable, src: first });
        // The step comes first in the code, so that `continue` has one place to go to.
        let enter = self.emit(Instruction::Jump { to: 0 });
        let step = self.pc();
        self.emit(Instruction::BinaryConst { op: BinaryOp::Add, dst: variable, left: variable, right: 1 });
        self.land(enter);
        let more = self.register();
        self.emit(Instruction::Binary { op: BinaryOp::Less, dst: more, left: variable, right: limit });
        let out = self.emit(Instruction::Branch { condition: more, when: false, to: 0 });
        self.enter_loop(step, out);
        self.block(body);
        self.emit(Instruction::Jump { to: step });
        self.end_loop();
        self.leave_scope();
    }

    /// What comes after each round stands first in the code, so that `continue` has one place to go to.
    fn for_loop(&mut self, of: &ForLoop, span: &Span) {
        self.program.repeats |= !counts_to_an_end(of, |expr| self.fold(expr).is_ok());
        self.scopes.push(HashMap::new());
        of.start.iter().for_each(|start| self.statement(start));
        let enter = self.emit(Instruction::Jump { to: 0 });
        let step = self.pc();
        of.next.iter().for_each(|next| self.statement(next));
        self.land(enter);
        self.open_site(span);
        let temporaries = self.next_register;
        let out = of.condition.as_ref().map(|condition| {
            let condition = self.expr(condition);
            self.emit(Instruction::Branch { condition, when: false, to: 0 })
        });
        self.next_register = temporaries;
        self.close_statement();
        self.enter_loop(step, out);
        self.block(&of.body);
        self.emit(Instruction::Jump { to: step });
        self.end_loop();
        self.forget_handles(self.scopes.len() - 1);
        self.leave_scope();
    }

    fn leave_loop(&mut self, kind: &StatementKind, span: &Span) {
        let is_break = matches!(kind, StatementKind::Break);
        let left = self.loops.iter().rposition(|around| is_break || around.continue_to.is_some());
        let Some(left) = left else {
            let (word, expected) = if is_break { ("break", "a loop or a `switch`") } else { ("continue", "a loop") };
            self.error(format!("`{word}` outside a loop"), span, format!("expected {expected} around it"));
            return;
        };
        let around = &self.loops[left];
        let (continue_to, leaves) = (around.continue_to.unwrap_or_default(), self.atomics - around.atomics);
        self.forget_handles(around.scopes);
        for _ in 0..leaves {
            self.emit(Instruction::AtomicEnd);
        }
        let jump = self.emit(Instruction::Jump { to: continue_to });
        if is_break {
            self.loops[left].breaks.push(jump);
        }
    }

    fn return_statement(&mut self, value: Option<&Expr>, span: &Span) {
        if value.is_some() && !self.in_def {
            self.error("`return` with a value", span, "only a `def` function returns a value");
        }
        let value = value.map(|value| self.expr(value));
        if self.in_def {
            self.forget_handles(0);
        }
        for _ in 0..self.atomics {
            self.emit(Instruction::AtomicEnd);
        }
        if self.in_def {
            let src = value.unwrap_or_else(|| self.emit_const(0));
            self.emit(Instruction::Return { src });
        } else {
            self.emit(Instruction::End);
        }
    }

    fn assert_statement(&mut self, condition: &Expr, text: Option<&str>, span: &Span) {
        self.reads = Some(Vec::new());
        let before = self.program.code.len();
        let register = self.expr(condition);
        let values = self.reads.take().unwrap_or_default();
        let (line, column) = self.position(span.start);
        let message = match text {
            Some(text) => format!("assertion failed: {text}"),
            None => format!("assertion failed: {}", self.condition_text(&condition.span)),
        };
        let assertion = self.program.assertions.len() as u32;
        let is_false = matches!(self.program.code[before..], [Instruction::Const { value: 0, .. }]);
        let text = self.condition_text(span);
        self.program.assertions.push(Assertion { text, message, line, column, is_false, values });
        self.emit(Instruction::Assert { condition: register, assertion });
    }

    /// Emits a condition that is evaluated in one step and only looks.
    fn guard(&mut self, condition: &Expr) {
        let outer = self.context;
        self.context = Context::Guard;
        let operations = std::mem::take(&mut self.statement_operations);
        let condition = self.expr(condition);
        self.statement_operations = operations;
        let resume = self.pc() + 1;
        self.emit(Instruction::GuardEnd { condition, resume });
        self.context = outer;
    }
}

/// Expressions and places.
impl Compiler<'_> {
    fn assign(&mut self, place: &Place, op: Option<BinaryOp>, value: &Expr, span: &Span) {
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

    fn assign_register(&mut self, dst: Register, op: Option<BinaryOp>, value: &Expr) {
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
    fn object_place(&mut self, place: &Place, expected: &str) -> PlaceRef {
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

    fn index_missing(&mut self, place: &Place, first: i64, length: u32) {
        let last = first.saturating_add(i64::from(length) - 1);
        let label = format!("expected an index, as in `{}[{first}]` up to `[{last}]`", place.name.text);
        self.error(format!("`{}` has {length} elements", place.name.text), &place.name.span, label);
    }

    /// The offset that a constant index stands for, `Some(None)` after an error; `None` if the index is not constant.
    fn constant_offset(&mut self, first: i64, length: u32, index: &Expr) -> Option<Option<u32>> {
        let value = self.fold(index).ok()?;
        let offset = value.checked_sub(first).unwrap_or(-1);
        if (0..i64::from(length)).contains(&offset) {
            return Some(Some(offset as u32));
        }
        let last = first.saturating_add(i64::from(length) - 1);
        self.error(format!("index {value} is out of range"), &index.span, format!("expected {first} to {last}"));
        Some(None)
    }

    fn element(&mut self, base: u32, first: i64, length: u32, index: &Expr) -> PlaceRef {
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
    fn call_of(&mut self, call: &Call, expected: &str) -> Option<(u16, Register)> {
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

    fn only_outside_guards(&mut self, what: &str, span: &Span) {
        if self.context == Context::Guard {
            self.error(format!("`{what}` in a condition"), span, "a condition may only look");
        }
    }

    /// Evaluates an expression and returns the register that holds its value.
    fn expr(&mut self, expr: &Expr) -> Register {
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

    fn read(&mut self, place: &Place, span: &Span) -> Register {
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
