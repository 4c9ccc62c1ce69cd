//! From the syntax tree to the code: resolves names, checks, and emits instructions.

mod body;
mod declare;
mod emit;
mod enumeration;
mod expression;
mod liveness;
mod local_array;
mod statement;
mod switch;
mod sync;

use crate::ast::{Fault, Item, Name, Span, Unit};
use crate::code::{EnumNumber, Pc, Program, Read, Register, Site};
use crate::effects::{Effects, function_effects};
use crate::{CompileError, Sources};
use hashbrown::HashMap;
use mazurka_core::Diagnostic;

/// How many characters of a step's source are shown.
const LONGEST_STEP: usize = 48;
/// How many characters of the source of a condition that fails are shown.
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
    /// Whether nothing joins the thread that the present statement spawns.
    spawns_detached: bool,
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
                properties: Vec::new(),
                promises: Vec::new(),
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
            spawns_detached: false,
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
