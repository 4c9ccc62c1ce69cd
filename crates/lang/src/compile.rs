//! From the syntax tree to the code: resolves names, checks, and emits instructions.

use crate::ast::{
    BinaryOp, Block, Call, Expr, ExprKind, Family, Function, Initial, Item, Name, ObjectKind, Place, Span, Statement,
    StatementKind, UnaryOp, Unit,
};
use crate::code::{
    Assertion, Body, EventInfo, HandlerInfo, Instruction, Invariant, Member, NONE, Pc, PlaceRef, Program, Register,
    Site, UNREAD,
};
use crate::effects::{Effects, function_effects};
use crate::{CompileError, liveness};
use hashbrown::HashMap;
use mazurka_core::Diagnostic;
use smallvec::SmallVec;
use std::sync::Arc;

/// How many cells, locks, handlers, threads or events one definition may make.
const MAX_LENGTH: i64 = 65_536;
/// How many registers a body may have.
const MAX_REGISTERS: usize = 4096;

/// What a global name stands for.
#[derive(Clone, Copy, Debug)]
enum Global {
    Const(i64),
    Shared { base: u32, length: Option<u32> },
    Mutex { base: u32, length: Option<u32> },
    Condition { base: u32, length: Option<u32> },
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
            Global::Shared { length: None, .. } => "a shared variable",
            Global::Shared { .. } => "a shared array",
            Global::Mutex { .. } => "a mutex",
            Global::Condition { .. } => "a condition variable",
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
    register: Register,
    is_handle: bool,
}

#[derive(Debug)]
struct Loop {
    continue_to: Pc,
    breaks: Vec<Pc>,
    /// How many `atomic` blocks surround the loop.
    atomics: usize,
}

/// Compiles a program.
pub(crate) fn compile(
    file: &str,
    source: &str,
    unit: &Unit,
    defines: &[(String, i64)],
) -> Result<Program, CompileError> {
    let mut compiler = Compiler::new(file, source, unit, defines)?;
    compiler.declare(unit);
    compiler.bodies(unit);
    if compiler.errors.is_empty() { Ok(compiler.program) } else { Err(CompileError::Source(compiler.errors)) }
}

struct Compiler<'s> {
    source: &'s str,
    line_starts: Vec<usize>,
    defines: HashMap<String, i64>,
    globals: HashMap<String, Global>,
    effects: HashMap<String, Effects>,
    program: Program,
    errors: Vec<Diagnostic>,

    // The body that is being compiled.
    scopes: Vec<HashMap<String, Local>>,
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
    reads: Option<Vec<(String, Register)>>,
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
    fn new(file: &str, source: &'s str, unit: &Unit, defines: &[(String, i64)]) -> Result<Self, CompileError> {
        let constants: Vec<String> = unit
            .items
            .iter()
            .filter_map(|item| if let Item::Const { name, .. } = item { Some(name.text.clone()) } else { None })
            .collect();
        if let Some((name, _)) = defines.iter().find(|(name, _)| !constants.contains(name)) {
            return Err(CompileError::UnknownConstant { name: name.clone(), known: constants });
        }
        let line_starts = std::iter::once(0).chain(source.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Ok(Compiler {
            source,
            line_starts,
            defines: defines.iter().cloned().collect(),
            globals: HashMap::new(),
            effects: function_effects(unit),
            program: Program {
                file: Arc::from(file),
                code: Vec::new(),
                sites: vec![Site { text: String::new(), line: 1, column: 1 }],
                site_of: Vec::new(),
                dead: Vec::new(),
                cells: Vec::new(),
                cell_names: Vec::new(),
                cell_invariants: Vec::new(),
                mutexes: Vec::new(),
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
            },
            errors: Vec::new(),
            scopes: Vec::new(),
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
        self.errors.push(Diagnostic::new(message, span.clone(), label));
    }

    fn position(&self, at: usize) -> (u32, u32) {
        let line = self.line_starts.partition_point(|&start| start <= at).max(1);
        let start = self.line_starts[line - 1];
        let column = self.source.get(start..at).map_or(at - start, |before| before.chars().count());
        (line as u32, column as u32 + 1)
    }

    /// The source of something on one line, cut where it gets long.
    fn text(&self, span: &Span) -> String {
        let words = self.source.get(span.clone()).unwrap_or_default().split_whitespace();
        let text = words.collect::<Vec<_>>().join(" ");
        if text.chars().count() > 48 { text.chars().take(47).chain(['…']).collect() } else { text }
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
            Some(value) => value,
            None => {
                self.check_names(expr);
                self.error(format!("{what} must be constant"), &expr.span, "expected numbers and constants only");
                0
            }
        }
    }

    /// Unknown names are worth their own message.
    fn check_names(&mut self, expr: &Expr) {
        if let ExprKind::Place(place) = &expr.kind
            && !self.globals.contains_key(&place.name.text)
        {
            self.unknown(&place.name);
        }
    }

    fn fold(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Place(Place { name, index: None }) if self.local(&name.text).is_none() => {
                match self.globals.get(&name.text) {
                    Some(Global::Const(value)) => Some(*value),
                    _ => None,
                }
            }
            ExprKind::Unary(op, operand) => op.apply(self.fold(operand)?).ok(),
            ExprKind::Binary(op, left, right) => op.apply(self.fold(left)?, self.fold(right)?).ok(),
            ExprKind::Logical(and, left, right) => {
                let left = self.fold(left)? != 0;
                if left != *and { Some(i64::from(left)) } else { Some(i64::from(self.fold(right)? != 0)) }
            }
            _ => None,
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

    fn declare(&mut self, unit: &Unit) {
        for item in &unit.items {
            match item {
                Item::Const { name, value } => {
                    let written = self.constant(value, "the value of a constant");
                    let value = self.defines.get(&name.text).copied().unwrap_or(written);
                    self.define(name, Global::Const(value));
                    self.program.constants.push((name.text.clone(), value));
                }
                Item::Shared { name, length, initial } => self.declare_shared(name, length.as_ref(), initial),
                Item::Object { name, kind, length } => self.declare_object(name, *kind, length.as_ref()),
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
                Item::Never { .. } => {}
            }
            if self.program.cells.len() + self.program.events.len() > MAX_LENGTH as usize * 4 {
                self.error("the program has too many variables or events", &(0..0), "expected at most 262144");
                return;
            }
        }
        self.program.cell_invariants = vec![SmallVec::new(); self.program.cells.len()];
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

    fn declare_shared(&mut self, name: &Name, length: Option<&Expr>, initial: &Initial) {
        let length = self.length(length);
        let base = self.program.cells.len() as u32;
        self.define(name, Global::Shared { base, length });
        let count = length.unwrap_or(1) as usize;
        let values = match initial {
            Initial::Same(expr) => vec![self.constant(expr, "an initial value"); count],
            Initial::Each(exprs, span) => {
                if length.is_none() || exprs.len() != count {
                    let expected = if length.is_none() { "one value".to_owned() } else { format!("{count} values") };
                    self.error(format!("{} initial values", exprs.len()), span, format!("expected {expected}"));
                }
                let mut values: Vec<i64> = exprs.iter().map(|expr| self.constant(expr, "an initial value")).collect();
                values.resize(count, 0);
                values
            }
        };
        self.program.cells.extend(values);
        self.program.cell_names.extend(element_names(&name.text, length));
    }

    fn declare_object(&mut self, name: &Name, kind: ObjectKind, length: Option<&Expr>) {
        let length = self.length(length);
        let names = element_names(&name.text, length);
        let program = &mut self.program;
        let global = match kind {
            ObjectKind::Mutex => {
                let base = program.mutexes.len() as u32;
                program.mutexes.extend(names);
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
                Item::Const { .. } | Item::Shared { .. } | Item::Object { .. } => {}
            }
        }
        if !self.errors.is_empty() {
            return;
        }
        let program = &mut self.program;
        program.dead = vec![SmallVec::new(); program.code.len()];
        program.creates_actors = program
            .code
            .iter()
            .any(|instruction| matches!(instruction, Instruction::Spawn { .. } | Instruction::Post { .. }));
        let bodies: Vec<Body> = program
            .functions
            .iter()
            .chain(&program.messages)
            .chain(program.threads.iter().map(|thread| &thread.body))
            .chain(program.events.iter().map(|event| &event.member.body))
            .cloned()
            .collect();
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
        for parameter in parameters {
            self.new_local(parameter, false);
        }
        emit(self);
        let end = self.pc();
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
        for (name, parameter) in member_names(&name.text, range) {
            self.program.threads.push(Member { name, body: body.clone(), parameter, line, column });
        }
    }

    fn event(&mut self, next: &mut usize, name: &Name, family: Option<&Family>, guard: Option<&Expr>, block: &Block) {
        let parameters: Vec<Name> = family.map(|family| family.parameter.clone()).into_iter().collect();
        self.context = Context::Guard;
        let guard = guard.map(|guard| self.body(&name.text, &parameters, |compiler| compiler.guard(guard)));
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
        self.statement_operations.clear();
        let body = self.body("never", &[], |compiler| compiler.guard(condition));
        let mut cells = self.cells_read(body.entry..body.end, &mut Vec::new());
        cells.sort_unstable();
        cells.dedup();
        let number = self.program.invariants.len() as u32;
        for &cell in &cells {
            self.program.cell_invariants[cell as usize].push(number);
        }
        let (line, column) = self.position(condition.span.start);
        let message = format!("invariant broken: never {}", self.text(&condition.span));
        self.program.invariants.push(Invariant { body, message, line, column, cells });
    }

    /// The cells that some code may look at, called functions included.
    fn cells_read(&self, code: std::ops::Range<Pc>, visited: &mut Vec<u16>) -> Vec<u32> {
        let mut cells = Vec::new();
        for pc in code {
            match self.program.code[pc as usize] {
                Instruction::Load { place, .. } if place.index == NONE => cells.push(place.base),
                Instruction::Load { place, .. } => {
                    let array = self.globals.values().find_map(|global| match *global {
                        Global::Shared { base, length: Some(length) } if base == place.base => {
                            Some(base..base + length)
                        }
                        _ => None,
                    });
                    cells.extend(array.unwrap_or(place.base..place.base + 1));
                }
                Instruction::Call { function, .. } if !visited.contains(&function) => {
                    visited.push(function);
                    let body = &self.program.functions[usize::from(function)];
                    cells.extend(self.cells_read(body.entry..body.end, visited));
                }
                _ => {}
            }
        }
        cells
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
                self.error("too many local values at once", &(0..0), format!("expected at most {MAX_REGISTERS}"));
            }
            return 0;
        }
        self.next_register += count;
        self.most_registers = self.most_registers.max(self.next_register);
        first as Register
    }

    fn local(&self, name: &str) -> Option<Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    fn new_local(&mut self, name: &Name, is_handle: bool) -> Register {
        if let Some(global) = self.globals.get(&name.text) {
            let label = format!("this name belongs to {} already", global.what());
            self.error(format!("a local variable named `{}`", name.text), &name.span, label);
        } else if self.local(&name.text).is_some() {
            let message = format!("`{}` is defined twice", name.text);
            self.error(message, &name.span, "a local variable has this name already");
        }
        let register = self.register();
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.text.clone(), Local { register, is_handle });
        }
        register
    }

    fn unknown(&mut self, name: &Name) {
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
        self.errors.push(error);
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

/// Statements.
impl Compiler<'_> {
    fn block(&mut self, block: &Block) {
        self.scopes.push(HashMap::new());
        let mark = self.next_register;
        for statement in &block.statements {
            self.statement(statement);
        }
        self.next_register = mark;
        self.scopes.pop();
    }

    fn statement(&mut self, statement: &Statement) {
        let (line, column) = self.position(statement.span.start);
        self.site = self.program.sites.len() as u32;
        let text = self.text(&statement.span);
        self.program.sites.push(Site { text: text.clone(), line, column });
        self.statement_operations.clear();
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
                // The value comes first: its temporaries lie above the new variable and are given back.
                let register = self.next_register;
                self.next_register += 1;
                self.most_registers = self.most_registers.max(self.next_register);
                let value = self.expr(value);
                self.next_register = register;
                let register = self.new_local(name, false);
                self.emit(Instruction::Move { dst: register, src: value });
                return true;
            }
            StatementKind::Spawn(name, call) => return self.spawn(name.as_ref(), call, span),
            StatementKind::Assign(place, value) => self.assign(place, None, value, span),
            StatementKind::Update(place, op, value) => self.assign(place, Some(*op), value, span),
            StatementKind::Evaluate(expr) => {
                self.expr(expr);
            }
            StatementKind::If(condition, then, otherwise) => self.if_statement(condition, then, otherwise.as_ref()),
            StatementKind::While(condition, body) => self.while_statement(condition, body),
            StatementKind::For(name, from, to, body) => self.for_statement(name, from, to, body),
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
                let words = self.text(&mutex.name.span);
                let condition = self.object_place(condition, "a condition variable");
                let mutex = self.object_place(mutex, "a mutex");
                self.emit_visible(Instruction::Wait { condition }, self.text(span), span);
                self.emit_visible(Instruction::Reacquire { mutex }, format!("woken: lock({words})"), span);
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

    /// Waiting has no meaning within one step.
    fn must_not_wait(&mut self, what: &str, span: &Span) {
        if self.context == Context::Event {
            let error =
                Diagnostic::new(format!("`{what}` in an event"), span.clone(), "an event is one step: it cannot wait");
            self.errors.push(error.note("a condition for the whole event goes behind `when`"));
        } else if self.atomics > 0 {
            let error = Diagnostic::new(
                format!("`{what}` in an atomic block"),
                span.clone(),
                "one step cannot wait in its middle",
            );
            self.errors
                .push(error.note("an `assume` may be the block's first statement: then the whole block waits for it"));
        }
    }

    fn spawn(&mut self, name: Option<&Name>, call: &Call, span: &Span) -> bool {
        let Some((function, arguments)) = self.call_of(call, "a function") else { return false };
        let (dst, is_new) = match name.map(|name| (name, self.local(&name.text))) {
            None => (NONE, false),
            Some((name, Some(local))) => {
                if !local.is_handle {
                    self.wrong_kind(name, "a number", "a thread handle");
                }
                (local.register, false)
            }
            Some((name, None)) => (self.new_local(name, true), true),
        };
        self.emit_visible(Instruction::Spawn { function, arguments, dst }, self.text(span), span);
        is_new
    }

    fn join(&mut self, name: &Name, span: &Span) {
        self.must_not_wait("join", span);
        match self.local(&name.text) {
            Some(Local { register, is_handle: true }) => {
                self.emit_visible(Instruction::Join { thread: register }, self.text(span), span);
            }
            Some(_) => self.wrong_kind(name, "a number", "a thread handle, as in `let t = spawn f();`"),
            None if self.globals.contains_key(&name.text) => {
                let what = self.globals[&name.text].what();
                self.wrong_kind(name, what, "a thread handle, as in `let t = spawn f();`");
            }
            None => self.unknown(name),
        }
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
        self.block(&Block { statements: rest.to_vec() });
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
        let condition = self.expr(condition);
        let out = self.emit(Instruction::Branch { condition, when: false, to: 0 });
        self.close_statement();
        self.loops.push(Loop { continue_to: start, breaks: vec![out], atomics: self.atomics });
        self.block(body);
        self.emit(Instruction::Jump { to: start });
        self.end_loop();
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
        let one = self.emit_const(1);
        self.emit(Instruction::Binary { op: BinaryOp::Add, dst: variable, left: variable, right: one });
        self.land(enter);
        let more = self.register();
        self.emit(Instruction::Binary { op: BinaryOp::Less, dst: more, left: variable, right: limit });
        let out = self.emit(Instruction::Branch { condition: more, when: false, to: 0 });
        self.loops.push(Loop { continue_to: step, breaks: vec![out], atomics: self.atomics });
        self.block(body);
        self.emit(Instruction::Jump { to: step });
        self.end_loop();
        self.scopes.pop();
    }

    fn leave_loop(&mut self, kind: &StatementKind, span: &Span) {
        let is_break = matches!(kind, StatementKind::Break);
        let Some(innermost) = self.loops.last() else {
            let word = if is_break { "break" } else { "continue" };
            self.error(format!("`{word}` outside a loop"), span, "expected a `while` or `for` around it");
            return;
        };
        let (continue_to, leaves) = (innermost.continue_to, self.atomics - innermost.atomics);
        for _ in 0..leaves {
            self.emit(Instruction::AtomicEnd);
        }
        let jump = self.emit(Instruction::Jump { to: continue_to });
        if is_break && let Some(innermost) = self.loops.last_mut() {
            innermost.breaks.push(jump);
        }
    }

    fn return_statement(&mut self, value: Option<&Expr>, span: &Span) {
        if value.is_some() && !self.in_def {
            self.error("`return` with a value", span, "only a `def` function returns a value");
        }
        let value = value.map(|value| self.expr(value));
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
        let register = self.expr(condition);
        let values = self.reads.take().unwrap_or_default();
        let (line, column) = self.position(span.start);
        let message = match text {
            Some(text) => format!("assertion failed: {text}"),
            None => format!("assertion failed: {}", self.text(&condition.span)),
        };
        let assertion = self.program.assertions.len() as u32;
        self.program.assertions.push(Assertion { message, line, column, values });
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
            if let Some(index) = &place.index {
                self.error(format!("`{}` is not an array", place.name.text), &index.span, "expected no index");
            }
            let value = self.expr(value);
            let dst = local.register;
            self.emit(match op {
                Some(op) => Instruction::Binary { op, dst, left: dst, right: value },
                None => Instruction::Move { dst, src: value },
            });
            return;
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
                let last = first + i64::from(length) - 1;
                let label = format!("expected an index, as in `{}[{first}]` up to `[{last}]`", place.name.text);
                self.error(format!("`{}` has {length} elements", place.name.text), &place.name.span, label);
                nowhere
            }
        }
    }

    fn element(&mut self, base: u32, first: i64, length: u32, index: &Expr) -> PlaceRef {
        if let Some(value) = self.fold(index) {
            let offset = value.wrapping_sub(first);
            if !(0..i64::from(length)).contains(&offset) {
                let last = first + i64::from(length) - 1;
                self.error(
                    format!("index {value} is out of range"),
                    &index.span,
                    format!("expected {first} to {last}"),
                );
                return PlaceRef { base, index: NONE };
            }
            return PlaceRef { base: base + offset as u32, index: NONE };
        }
        let mut register = self.expr(index);
        if first != 0 {
            let start = self.emit_const(first);
            let offset = self.register();
            self.emit(Instruction::Binary { op: BinaryOp::Subtract, dst: offset, left: register, right: start });
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
        if let Some(value) = self.fold(expr) {
            return self.emit_const(value);
        }
        match &expr.kind {
            ExprKind::Number(value) => self.emit_const(*value),
            ExprKind::Place(place) => self.read(place, &expr.span),
            ExprKind::Unary(op, operand) => self.unary(*op, operand),
            ExprKind::Binary(op, left, right) => {
                let left = self.expr(left);
                let right = self.expr(right);
                let dst = self.register();
                self.emit(Instruction::Binary { op: *op, dst, left, right });
                dst
            }
            ExprKind::Logical(and, left, right) => self.logical(*and, left, right),
            ExprKind::Call(call) => {
                self.check_call(call);
                let Some((function, arguments)) = self.call_of(call, "a function") else { return 0 };
                let dst = self.register();
                self.emit(Instruction::Call { function, arguments, dst });
                dst
            }
            ExprKind::Cas(place, old, new) => {
                self.only_outside_guards("cas", &expr.span);
                let place = self.object_place(place, "a shared variable");
                let values = [self.expr(old), self.expr(new)];
                let arguments = self.registers(2);
                for (dst, src) in (arguments..).zip(values) {
                    self.emit(Instruction::Move { dst, src });
                }
                let dst = self.register();
                self.emit_visible(Instruction::Cas { place, dst, arguments }, self.text(&expr.span), &expr.span);
                dst
            }
            ExprKind::Swap(place, value) => self.exchange(expr, place, value, false),
            ExprKind::FetchAdd(place, value) => self.exchange(expr, place, value, true),
            ExprKind::Choose(from, to) => {
                self.only_outside_guards("choose", &expr.span);
                let from = self.expr(from);
                let to = self.expr(to);
                let dst = self.register();
                self.emit_visible(Instruction::Choose { dst, from, to }, self.text(&expr.span), &expr.span);
                dst
            }
        }
    }

    fn exchange(&mut self, expr: &Expr, place: &Place, value: &Expr, adds: bool) -> Register {
        self.only_outside_guards(if adds { "fetch_add" } else { "swap" }, &expr.span);
        let place = self.object_place(place, "a shared variable");
        let src = self.expr(value);
        let dst = self.register();
        let instruction =
            if adds { Instruction::FetchAdd { place, dst, src } } else { Instruction::Swap { place, dst, src } };
        self.emit_visible(instruction, self.text(&expr.span), &expr.span);
        dst
    }

    fn unary(&mut self, op: UnaryOp, operand: &Expr) -> Register {
        let src = self.expr(operand);
        let dst = self.register();
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
        let zero = self.emit_const(0);
        self.emit(Instruction::Binary { op: BinaryOp::NotEqual, dst, left: right, right: zero });
        // What an assertion did not read because of a short cut must not be shown with an old value.
        let unread: Vec<Register> = match &self.reads {
            Some(reads) => reads[read_before..].iter().filter(|read| read.1 > dst).map(|read| read.1).collect(),
            None => Vec::new(),
        };
        if unread.is_empty() {
            self.land(skip);
            return dst;
        }
        let end = self.emit(Instruction::Jump { to: 0 });
        self.land(skip);
        for register in unread {
            self.emit(Instruction::Const { dst: register, value: UNREAD });
        }
        self.land(end);
        dst
    }

    fn read(&mut self, place: &Place, span: &Span) -> Register {
        let register = match self.local(&place.name.text) {
            Some(local) => {
                if local.is_handle {
                    self.wrong_kind(&place.name, "a thread handle", "a number");
                }
                if let Some(index) = &place.index {
                    self.error(format!("`{}` is not an array", place.name.text), &index.span, "expected no index");
                }
                local.register
            }
            None => {
                let place_ref = self.object_place(place, "a variable");
                let dst = self.register();
                let text = format!("read {}", self.place_text(place));
                self.emit_visible(Instruction::Load { dst, place: place_ref }, text, span);
                dst
            }
        };
        if self.reads.is_some() {
            let text = self.place_text(place);
            if let Some(reads) = &mut self.reads
                && !reads.iter().any(|(_, known)| *known == register)
            {
                reads.push((text, register));
            }
        }
        register
    }
}
