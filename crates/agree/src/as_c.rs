//! Prints a random program as C, so that the C frontend can be compared with `.mz`.
//!
//! A step of `.mz` is one visible operation and the local work behind it, and so is a step of C. So each visible operation
//! becomes one C statement with one visible operation, in the order in which `.mz` evaluates them, and its value goes to a
//! local of its own: `x += y` is a load of `x`, a load of `y`, and a store. Threads are created by the entry, which touches
//! nothing else that they touch, so it adds no trace. Then both programs have the same verdicts and the same number
//! of traces.
//!
//! What has no such form is refused, with the reason: events, invariants, channels, and an `assume` that looks at what
//! others write, which waits in `.mz` and cuts the execution off in C.
//!
//! Programs share a file, because clang takes longer to start than to translate: all names of a program begin with its
//! number, and its entry is `int program_7(void)`.

use mazurka_lang::ast::{
    BinaryOp, Block, Call, Declaration, Expr, ExprKind, Family, Function, Initial, Item, ObjectKind, Place, Statement,
    StatementKind, SyncOp, UnaryOp, Unit,
};
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// What a file of programs begins with.
pub const C_PRELUDE: &str = "\
#include <assert.h>
#include <mazurka.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static const struct timespec soon = { 1, 0 };

";

/// How shared variables are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accesses {
    /// As atomic variables, sequentially consistent.
    Atomic,
    /// As plain variables: `cas`, `swap` and `fetch_add` alone are atomic.
    Plain,
}

/// The program as C, to be put behind [`C_PRELUDE`]; why not if there is no C form of it.
pub fn as_c(unit: &Unit, number: u64, accesses: Accesses) -> Result<String, &'static str> {
    let mut printer = Printer {
        prefix: format!("p{number}_"),
        accesses,
        out: String::new(),
        indent: 0,
        shared: HashSet::new(),
        locals: Vec::new(),
        temporaries: 0,
        body: CFunction::Thread,
        functions: HashMap::new(),
        setup: Vec::new(),
        in_atomic: false,
    };
    printer.unit(unit)?;
    let Printer { mut out, setup, .. } = printer;
    // Writing to a string does not fail.
    let _ = writeln!(out, "int program_{number}(void) {{");
    for line in setup {
        let _ = writeln!(out, "    {line}");
    }
    out.push_str("    return 0;\n}\n\n");
    Ok(out)
}

/// Takes out of a program what has no C form and can be missed: invariants, and assumptions about shared variables.
pub fn leave_out_what_c_lacks(unit: &mut Unit) {
    unit.items.retain(|item| !matches!(item, Item::Never { .. }));
    for item in &mut unit.items {
        match item {
            Item::Thread { body, .. } | Item::Event { body, .. } => leave_out_assumptions(body),
            Item::Message(function) | Item::Def(function) => leave_out_assumptions(&mut function.body),
            _ => {}
        }
    }
}

fn leave_out_assumptions(block: &mut Block) {
    block.statements.retain(|statement| !matches!(statement.kind, StatementKind::Assume(_)));
    for statement in &mut block.statements {
        match &mut statement.kind {
            StatementKind::If(_, then, otherwise) => {
                leave_out_assumptions(then);
                otherwise.iter_mut().for_each(leave_out_assumptions);
            }
            StatementKind::While(_, body)
            | StatementKind::DoWhile(body, _)
            | StatementKind::For(_, _, _, body)
            | StatementKind::Atomic(body) => leave_out_assumptions(body),
            StatementKind::ForLoop(of) => leave_out_assumptions(&mut of.body),
            StatementKind::Switch(_, cases) => cases.iter_mut().for_each(|case| leave_out_assumptions(&mut case.body)),
            _ => {}
        }
    }
}

/// What the present statements belong to: how they end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CFunction {
    Thread,
    Message,
    Function,
}

struct Printer {
    prefix: String,
    accesses: Accesses,
    out: String,
    indent: usize,
    /// The names of shared variables.
    shared: HashSet<String>,
    /// The names of locals that are in scope.
    locals: Vec<String>,
    temporaries: u32,
    body: CFunction,
    /// The functions and their numbers of parameters.
    functions: HashMap<String, usize>,
    /// What the entry does.
    setup: Vec<String>,
    in_atomic: bool,
}

type Printed<T = ()> = Result<T, &'static str>;

/// Definitions.
impl Printer {
    fn line(&mut self, text: &str) {
        // Writing to a string does not fail.
        let _ = writeln!(self.out, "{:width$}{text}", "", width = self.indent * 4);
    }

    fn open(&mut self, text: &str) {
        self.line(&format!("{text} {{"));
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    fn global(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn unit(&mut self, unit: &Unit) -> Printed {
        for item in &unit.items {
            match item {
                Item::Def(function) => {
                    self.functions.insert(function.name.text.clone(), function.parameters.len());
                }
                Item::Shared { name, .. } => {
                    self.shared.insert(name.text.clone());
                }
                _ => {}
            }
        }
        unit.items.iter().try_for_each(|item| self.object(item))?;
        for item in &unit.items {
            match item {
                Item::Def(function) => self.declare(function),
                Item::Message(function) => {
                    self.line(&format!("static void {}(void *);", self.global(&function.name.text)))
                }
                _ => {}
            }
        }
        unit.items.iter().try_for_each(|item| self.code(item))
    }

    fn object(&mut self, item: &Item) -> Printed {
        match item {
            Item::Include { .. } => Err("an include"),
            Item::Event { .. } => Err("events"),
            Item::Never { .. } => Err("an invariant"),
            Item::Promise { .. } => Err("what has to happen in the end"),
            Item::Channel { .. } => Err("channels"),
            Item::Const { name, value } => {
                let value = self.constant(value)?;
                self.line(&format!("enum {{ {} = {value} }};", self.global(&name.text)));
                Ok(())
            }
            Item::Enum { members, .. } => {
                let mut list = Vec::new();
                for (name, value) in members {
                    let value = value.as_ref().map(|value| self.constant(value)).transpose()?;
                    let value = value.map_or_else(String::new, |value| format!(" = {value}"));
                    list.push(format!("{}{value}", self.global(&name.text)));
                }
                self.line(&format!("enum {{ {} }};", list.join(", ")));
                Ok(())
            }
            Item::Shared { name, length, initial, .. } => {
                let initial = self.initial(length.as_ref(), initial)?;
                let length = self.length(length.as_ref())?;
                self.line(&format!("static long {}{length} = {initial};", self.global(&name.text)));
                Ok(())
            }
            Item::Semaphore { name, length, initial } => {
                let global = self.global(&name.text);
                let written = self.length(length.as_ref())?;
                self.line(&format!("static sem_t {global}{written};"));
                match (length, initial) {
                    (None, Initial::Same(value)) => {
                        let value = self.constant(value)?;
                        self.setup.push(format!("sem_init(&{global}, 0, {value});"));
                    }
                    (Some(length), Initial::Same(value)) => {
                        let (length, value) = (self.constant(length)?, self.constant(value)?);
                        self.setup
                            .push(format!("for (int i = 0; i < {length}; i++) sem_init(&{global}[i], 0, {value});"));
                    }
                    (_, Initial::Each(values, _)) => {
                        for (index, value) in values.iter().enumerate() {
                            let value = self.constant(value)?;
                            self.setup.push(format!("sem_init(&{global}[{index}], 0, {value});"));
                        }
                    }
                }
                Ok(())
            }
            Item::Object { name, kind, length, .. } => self.sync_object(&name.text, *kind, length.as_ref()),
            Item::Thread { .. } | Item::Message(_) | Item::Def(_) => Ok(()),
        }
    }

    fn sync_object(&mut self, name: &str, kind: ObjectKind, length: Option<&Expr>) -> Printed {
        let global = self.global(name);
        let written = self.length(length)?;
        let type_name = match kind {
            ObjectKind::Mutex => "pthread_mutex_t",
            ObjectKind::Cond => "pthread_cond_t",
            ObjectKind::RwLock => "pthread_rwlock_t",
            ObjectKind::FifoHandler | ObjectKind::AnyHandler => "mazurka_handler",
        };
        // All initialisers of pthreads are zero here.
        self.line(&format!("static {type_name} {global}{written};"));
        let maker = match kind {
            ObjectKind::FifoHandler => "mazurka_fifo",
            ObjectKind::AnyHandler => "mazurka_any",
            _ => return Ok(()),
        };
        match length {
            None => self.setup.push(format!("{global} = {maker}(\"{name}\");")),
            Some(length) => {
                let length = self.constant(length)?;
                self.setup.push(format!("for (int i = 0; i < {length}; i++) {global}[i] = {maker}(\"{name}\");"));
            }
        }
        Ok(())
    }

    fn length(&mut self, length: Option<&Expr>) -> Printed<String> {
        Ok(match length {
            Some(length) => format!("[{}]", self.constant(length)?),
            None => String::new(),
        })
    }

    fn initial(&mut self, length: Option<&Expr>, initial: &Initial) -> Printed<String> {
        match (length, initial) {
            (None, Initial::Same(value)) => self.constant(value),
            (Some(length), Initial::Same(value)) => {
                let (length, value) = (self.constant(length)?, self.constant(value)?);
                Ok(format!("{{ [0 ... {length} - 1] = {value} }}"))
            }
            (_, Initial::Each(values, _)) => {
                let values = values.iter().map(|value| self.constant(value)).collect::<Printed<Vec<_>>>()?;
                Ok(format!("{{ {} }}", values.join(", ")))
            }
        }
    }

    /// An expression without operations.
    fn constant(&mut self, expr: &Expr) -> Printed<String> {
        if self.only_looks_at_locals(expr) { self.expr(expr) } else { Err("a constant that is none") }
    }

    fn parameters(function: &Function) -> String {
        let list: Vec<String> = function.parameters.iter().map(|name| format!("long {}", name.text)).collect();
        if list.is_empty() { "void".to_owned() } else { list.join(", ") }
    }

    fn declare(&mut self, function: &Function) {
        let name = self.global(&function.name.text);
        self.line(&format!("static long {name}({});", Self::parameters(function)));
        self.line(&format!("static void *{name}_spawned(void *argument);"));
    }

    fn code(&mut self, item: &Item) -> Printed {
        match item {
            Item::Def(function) => {
                let name = self.global(&function.name.text);
                self.begin(CFunction::Function, &format!("static long {name}({})", Self::parameters(function)));
                self.locals = function.parameters.iter().map(|name| name.text.clone()).collect();
                self.statements(&function.body)?;
                self.line("return 0;");
                self.close();
                // What a thread runs gets its arguments in one word.
                self.open(&format!("static void *{name}_spawned(void *argument)"));
                let arguments = unpacked(function.parameters.len())?;
                self.line(&format!("{name}({arguments});"));
                self.line("return 0;");
                self.close();
            }
            Item::Message(function) => {
                let name = self.global(&function.name.text);
                self.begin(CFunction::Message, &format!("static void {name}(void *argument)"));
                let arguments = unpacked(function.parameters.len())?;
                for (name, value) in function.parameters.iter().zip(arguments.split(", ")) {
                    self.line(&format!("long {} = {value};", name.text));
                    self.locals.push(name.text.clone());
                }
                self.statements(&function.body)?;
                self.close();
            }
            Item::Thread { name, family, body, .. } => self.thread(&name.text, family.as_ref(), body)?,
            _ => {}
        }
        Ok(())
    }

    fn begin(&mut self, body: CFunction, head: &str) {
        self.body = body;
        self.locals.clear();
        self.temporaries = 0;
        self.open(head);
    }

    fn thread(&mut self, name: &str, family: Option<&Family>, body: &Block) -> Printed {
        let name = self.global(name);
        self.begin(CFunction::Thread, &format!("static void *{name}(void *argument)"));
        if let Some(family) = family {
            self.line(&format!("long {} = (long)argument;", family.parameter.text));
            self.locals.push(family.parameter.text.clone());
        }
        self.statements(body)?;
        self.line("return 0;");
        self.close();
        let create =
            |argument: &str| format!("{{ pthread_t thread; pthread_create(&thread, 0, {name}, {argument}); }}");
        let line = match family {
            None => create("0"),
            Some(family) => {
                self.locals.clear();
                let (from, to) = (self.constant(&family.from)?, self.constant(&family.to)?);
                format!("for (long i = {from}; i < {to}; i++) {}", create("(void *)i"))
            }
        };
        self.setup.push(line);
        Ok(())
    }
}

/// The arguments in the word `argument`.
fn unpacked(parameters: usize) -> Printed<String> {
    match parameters {
        0 => Ok(String::new()),
        1 => Ok("(long)argument".to_owned()),
        2 => Ok("(long)(int)(long)argument, (long)(int)((long)argument >> 32)".to_owned()),
        _ => Err("more than two arguments"),
    }
}

/// Statements.
impl Printer {
    fn statements(&mut self, block: &Block) -> Printed {
        let locals = self.locals.len();
        block.statements.iter().try_for_each(|statement| self.statement(statement))?;
        self.locals.truncate(locals);
        Ok(())
    }

    fn block(&mut self, head: &str, block: &Block) -> Printed {
        self.open(head);
        self.statements(block)?;
        self.close();
        Ok(())
    }

    fn statement(&mut self, statement: &Statement) -> Printed {
        match &statement.kind {
            StatementKind::Let(name, value) => {
                let value = self.expr(value)?;
                self.line(&format!("long {} = {value};", name.text));
                self.locals.push(name.text.clone());
            }
            StatementKind::Declare(of) => self.local_array(of)?,
            StatementKind::Spawn(name, call) => {
                let target = match name {
                    Some(name) => name.text.clone(),
                    None => self.temporary(),
                };
                let create = self.create(&target, call)?;
                self.line(&format!("pthread_t {target};"));
                self.line(&create);
            }
            StatementKind::Respawn(name, call) => {
                let create = self.create(&name.text, call)?;
                self.line(&create);
            }
            StatementKind::Join(name) => self.line(&format!("pthread_join({}, 0);", name.text)),
            StatementKind::Assign(place, value) => self.assign(place, None, value)?,
            StatementKind::Update(place, op, value) => self.assign(place, Some(*op), value)?,
            StatementKind::Evaluate(expr) => {
                let value = self.expr(expr)?;
                self.line(&format!("(void)({value});"));
            }
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition)?;
                self.block(&format!("if ({condition})"), then)?;
                if let Some(otherwise) = otherwise {
                    self.block("else", otherwise)?;
                }
            }
            StatementKind::Switch(value, cases) => {
                let value = self.expr(value)?;
                self.open(&format!("switch ({value})"));
                for case in cases {
                    for label in &case.labels {
                        let label = match &label.value {
                            Some(value) => format!("case {}:", self.constant(value)?),
                            None => "default:".to_owned(),
                        };
                        self.line(&label);
                    }
                    self.block("", &case.body)?;
                }
                self.close();
            }
            StatementKind::While(condition, body) => {
                self.open("for (;;)");
                self.leave_unless(Some(condition))?;
                self.statements(body)?;
                self.close();
            }
            StatementKind::DoWhile(body, condition) => {
                let first = self.temporary();
                self.open(&format!("for (int {first} = 1;; {first} = 0)"));
                self.open(&format!("if (!{first})"));
                self.leave_unless(Some(condition))?;
                self.close();
                self.statements(body)?;
                self.close();
            }
            StatementKind::For(name, from, to, body) => {
                let (from, to) = (self.expr(from)?, self.expr(to)?);
                let (name, limit) = (&name.text, self.temporary());
                self.locals.push(name.clone());
                self.block(&format!("for (long {name} = {from}, {limit} = {to}; {name} < {limit}; {name}++)"), body)?;
                self.locals.pop();
            }
            StatementKind::ForLoop(of) => {
                let (locals, first) = (self.locals.len(), self.temporary());
                self.open("");
                of.start.iter().try_for_each(|start| self.statement(start))?;
                self.open(&format!("for (int {first} = 1;; {first} = 0)"));
                self.open(&format!("if (!{first})"));
                of.next.iter().try_for_each(|next| self.statement(next))?;
                self.close();
                self.leave_unless(of.condition.as_ref())?;
                self.statements(&of.body)?;
                self.close();
                self.close();
                self.locals.truncate(locals);
            }
            StatementKind::Break | StatementKind::Continue | StatementKind::Return(_) if self.in_atomic => {
                return Err("a jump out of an atomic block");
            }
            StatementKind::Break => self.line("break;"),
            StatementKind::Continue => self.line("continue;"),
            StatementKind::Return(value) => {
                let value = value.as_ref().map(|value| self.expr(value)).transpose()?;
                match (self.body, value) {
                    (CFunction::Function, Some(value)) => self.line(&format!("return {value};")),
                    (CFunction::Message, _) => self.line("return;"),
                    _ => self.line("return 0;"),
                }
            }
            StatementKind::Assert(condition, _) => {
                let condition = self.expr(condition)?;
                self.line(&format!("assert({condition});"));
            }
            StatementKind::Assume(condition) => {
                if !self.only_looks_at_locals(condition) {
                    return Err("an assumption about shared variables");
                }
                let condition = self.expr(condition)?;
                self.line(&format!("mazurka_assume(({condition}) != 0);"));
            }
            StatementKind::Atomic(block) => {
                let is_guarded =
                    block.statements.first().is_some_and(|first| matches!(first.kind, StatementKind::Assume(_)));
                if is_guarded || self.in_atomic {
                    return Err("atomic blocks that wait or nest");
                }
                self.in_atomic = true;
                self.line("mazurka_atomic_begin();");
                self.block("", block)?;
                self.line("mazurka_atomic_end();");
                self.in_atomic = false;
            }
            StatementKind::Lock(mutex) => self.call_on("pthread_mutex_lock", mutex)?,
            StatementKind::Unlock(mutex) => self.call_on("pthread_mutex_unlock", mutex)?,
            StatementKind::Signal(condition) => self.call_on("pthread_cond_signal", condition)?,
            StatementKind::Broadcast(condition) => self.call_on("pthread_cond_broadcast", condition)?,
            StatementKind::Wait(condition, mutex) => {
                let (condition, mutex) = (self.place(condition)?, self.place(mutex)?);
                self.line(&format!("pthread_cond_wait(&{condition}, &{mutex});"));
            }
            StatementKind::Post(handler, call) => {
                let handler = self.place(handler)?;
                let argument = self.packed(call)?;
                let message = self.global(&call.name.text);
                self.line(&format!("mazurka_post({handler}, {message}, {argument});"));
            }
            StatementKind::Enable(_) | StatementKind::Disable(_) => return Err("events"),
            StatementKind::Progress => return Err("progress"),
        }
        Ok(())
    }

    fn leave_unless(&mut self, condition: Option<&Expr>) -> Printed {
        if let Some(condition) = condition {
            let condition = self.expr(condition)?;
            self.line(&format!("if (!({condition})) break;"));
        }
        Ok(())
    }

    fn call_on(&mut self, function: &str, object: &Place) -> Printed {
        let object = self.place(object)?;
        self.line(&format!("{function}(&{object});"));
        Ok(())
    }

    fn local_array(&mut self, of: &Declaration) -> Printed {
        let name = &of.name.text;
        match (&of.length, &of.initial) {
            (None, Initial::Same(value)) => {
                let value = self.expr(value)?;
                self.line(&format!("long {name} = {value};"));
            }
            (Some(length), Initial::Same(value)) => {
                let (length, value) = (self.constant(length)?, self.expr(value)?);
                self.line(&format!("long {name}[{length}];"));
                self.line(&format!("for (int n_ = 0; n_ < {length}; n_++) {name}[n_] = {value};"));
            }
            (_, Initial::Each(values, _)) => {
                let values = values.iter().map(|value| self.expr(value)).collect::<Printed<Vec<_>>>()?;
                self.line(&format!("long {name}[] = {{ {} }};", values.join(", ")));
            }
        }
        self.locals.push(name.clone());
        Ok(())
    }

    fn create(&mut self, target: &str, call: &Call) -> Printed<String> {
        let argument = self.packed(call)?;
        let function = self.global(&call.name.text);
        Ok(format!("pthread_create(&{target}, 0, {function}_spawned, {argument});"))
    }

    /// The arguments of a call in one word.
    fn packed(&mut self, call: &Call) -> Printed<String> {
        let arguments = self.arguments(call)?;
        match &arguments[..] {
            [] => Ok("0".to_owned()),
            [only] => Ok(format!("(void *)({only})")),
            [first, second] => Ok(format!("(void *)((long)(unsigned)({first}) | ({second}) << 32)")),
            _ => Err("more than two arguments"),
        }
    }

    fn arguments(&mut self, call: &Call) -> Printed<Vec<String>> {
        call.arguments.iter().map(|argument| self.expr(argument)).collect()
    }

    fn assign(&mut self, place: &Place, op: Option<BinaryOp>, value: &Expr) -> Printed {
        let target = self.place(place)?;
        let is_local = self.is_local(&place.name.text);
        let old = match op {
            Some(op) if is_local => Some((op, target.clone())),
            Some(op) => Some((op, self.load(&target))),
            None => None,
        };
        let mut value = self.expr(value)?;
        if let Some((op, old)) = old {
            value = format!("{old} {} ({value})", op.sign());
        }
        let line = match self.accesses {
            Accesses::Atomic if !is_local => format!("__atomic_store_n(&{target}, {value}, __ATOMIC_SEQ_CST);"),
            _ => format!("{target} = {value};"),
        };
        self.line(&line);
        Ok(())
    }
}

/// Expressions.
impl Printer {
    fn is_local(&self, name: &str) -> bool {
        self.locals.iter().any(|local| local == name)
    }

    fn temporary(&mut self) -> String {
        self.temporaries += 1;
        format!("t_{}", self.temporaries)
    }

    /// Puts the value of an operation into a local of its own.
    fn keep(&mut self, value: &str) -> String {
        let name = self.temporary();
        self.line(&format!("long {name} = {value};"));
        name
    }

    fn load(&mut self, place: &str) -> String {
        match self.accesses {
            Accesses::Atomic => self.keep(&format!("__atomic_load_n(&{place}, __ATOMIC_SEQ_CST)")),
            Accesses::Plain => self.keep(place),
        }
    }

    /// Where a local or a global stands; the operations of its index come first.
    fn place(&mut self, place: &Place) -> Printed<String> {
        let name =
            if self.is_local(&place.name.text) { place.name.text.clone() } else { self.global(&place.name.text) };
        Ok(match &place.index {
            Some(index) => format!("{name}[{}]", self.expr(index)?),
            None => name,
        })
    }

    /// The C text of a value. All operations that it takes have been printed: the text only looks at locals.
    fn expr(&mut self, expr: &Expr) -> Printed<String> {
        Ok(match &expr.kind {
            ExprKind::Number(value) if *value < 0 => format!("({value}L)"),
            ExprKind::Number(value) => format!("{value}L"),
            ExprKind::Place(place) => {
                let is_shared = !self.is_local(&place.name.text) && self.shared.contains(&place.name.text);
                let text = self.place(place)?;
                // A local may change before the value is used, but not within one expression.
                if is_shared { self.load(&text) } else { format!("(long){text}") }
            }
            ExprKind::Unary(op, operand) => {
                let operand = self.expr(operand)?;
                match op {
                    UnaryOp::Negate => format!("(-({operand}))"),
                    UnaryOp::Not => format!("(long)!({operand})"),
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                format!("((long)({left} {} {right}))", op.sign())
            }
            ExprKind::Logical(and, left, right) => {
                let left = self.expr(left)?;
                let value = self.keep(if *and { "0" } else { "1" });
                self.open(&if *and { format!("if ({left})") } else { format!("if (!({left}))") });
                let right = self.expr(right)?;
                self.line(&format!("{value} = ({right}) != 0;"));
                self.close();
                value
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                let condition = self.expr(condition)?;
                let value = self.keep("0");
                for (head, side) in [(format!("if ({condition})"), then), ("else".to_owned(), otherwise)] {
                    self.open(&head);
                    let side = self.expr(side)?;
                    self.line(&format!("{value} = {side};"));
                    self.close();
                }
                value
            }
            ExprKind::Call(call) => {
                let arguments = self.arguments(call)?.join(", ");
                let function = self.global(&call.name.text);
                self.keep(&format!("{function}({arguments})"))
            }
            ExprKind::Cas(place, old, new) => {
                let place = self.place(place)?;
                let (old, new) = (self.expr(old)?, self.expr(new)?);
                self.keep(&format!("__sync_bool_compare_and_swap(&{place}, {old}, {new})"))
            }
            ExprKind::Swap(place, value) => self.exchange("__atomic_exchange_n", place, value)?,
            ExprKind::FetchAdd(place, value) => self.exchange("__atomic_fetch_add", place, value)?,
            ExprKind::Choose(from, to) => {
                let (from, to) = (self.expr(from)?, self.expr(to)?);
                self.keep(&format!("mazurka_choose({from}, {to})"))
            }
            ExprKind::Sync(op, object, _) => {
                let object = self.place(object)?;
                let function = match op {
                    SyncOp::TryLock => "pthread_mutex_trylock",
                    SyncOp::Acquire => "sem_wait",
                    SyncOp::TryAcquire => "sem_trywait",
                    SyncOp::Release => "sem_post",
                    SyncOp::ReadLock => "pthread_rwlock_rdlock",
                    SyncOp::TryReadLock => "pthread_rwlock_tryrdlock",
                    SyncOp::WriteLock => "pthread_rwlock_wrlock",
                    SyncOp::TryWriteLock => "pthread_rwlock_trywrlock",
                    SyncOp::ReadUnlock | SyncOp::WriteUnlock => "pthread_rwlock_unlock",
                    SyncOp::Send | SyncOp::TrySend | SyncOp::Receive | SyncOp::TryReceive => return Err("channels"),
                };
                self.keep(&format!("{function}(&{object}) == 0"))
            }
            ExprKind::WaitTimeout(condition, mutex) => {
                let (condition, mutex) = (self.place(condition)?, self.place(mutex)?);
                self.keep(&format!("pthread_cond_timedwait(&{condition}, &{mutex}, &soon) == 0"))
            }
        })
    }

    fn exchange(&mut self, function: &str, place: &Place, value: &Expr) -> Printed<String> {
        let place = self.place(place)?;
        let value = self.expr(value)?;
        let old = self.keep(&format!("{function}(&{place}, {value}, __ATOMIC_SEQ_CST)"));
        // An addition whose result is not looked at commutes with others in C, and does not in `.mz`.
        self.line(&format!("mazurka_assume({old} != -987654321);"));
        Ok(old)
    }

    /// Whether an expression has no operation that others see.
    fn only_looks_at_locals(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Number(_) => true,
            ExprKind::Place(place) => {
                (self.is_local(&place.name.text) || !self.shared.contains(&place.name.text))
                    && place.index.as_ref().is_none_or(|index| self.only_looks_at_locals(index))
            }
            ExprKind::Unary(_, operand) => self.only_looks_at_locals(operand),
            ExprKind::Binary(_, left, right) | ExprKind::Logical(_, left, right) => {
                self.only_looks_at_locals(left) && self.only_looks_at_locals(right)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().all(|part| self.only_looks_at_locals(part))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;
    use mazurka_lang::{compile, parse};
    use std::collections::BTreeMap;

    fn printed(source: &str, accesses: Accesses) -> Printed<String> {
        as_c(&parse(source).map_err(|_| "not a program")?, 7, accesses)
    }

    #[test]
    fn one_statement_is_one_operation() {
        let source = "shared x = 0, y = 1; mutex m; thread t { x += y; lock(m); assert(x == 1); unlock(m); }";
        let text = printed(source, Accesses::Plain).expect("there is a C form");
        let expected = "\
static long p7_x = 0L;
static long p7_y = 1L;
static pthread_mutex_t p7_m;
static void *p7_t(void *argument) {
    long t_1 = p7_x;
    long t_2 = p7_y;
    p7_x = t_1 + (t_2);
    pthread_mutex_lock(&p7_m);
    long t_3 = p7_x;
    assert(((long)(t_3 == 1L)));
    pthread_mutex_unlock(&p7_m);
    return 0;
}
int program_7(void) {
    { pthread_t thread; pthread_create(&thread, 0, p7_t, 0); }
    return 0;
}

";
        assert_eq!(text, expected);
        let text = printed(source, Accesses::Atomic).expect("there is a C form");
        assert!(text.contains("__atomic_store_n(&p7_x, t_1 + (t_2), __ATOMIC_SEQ_CST);"), "{text}");
    }

    #[test]
    fn what_has_no_c_form_is_refused() {
        let refused = |source| printed(source, Accesses::Atomic).expect_err("no C form");
        assert_eq!(refused("shared x = 0; event e { x = 1; }"), "events");
        assert_eq!(refused("shared x = 0; thread t { x = 1; } never (x == 2);"), "an invariant");
        assert_eq!(refused("channel d(1); thread t { send(d, 1); }"), "channels");
        assert_eq!(refused("shared x = 0; thread t { assume(x == 1); }"), "an assumption about shared variables");
    }

    #[test]
    fn most_random_programs_have_a_c_form() {
        let mut reasons: BTreeMap<&str, u32> = BTreeMap::new();
        for seed in 0..2_000 {
            let mut unit = generate(seed).unit;
            leave_out_what_c_lacks(&mut unit);
            assert!(compile("random.mz", &mazurka_lang::print(&unit), &[]).is_ok(), "program {seed}");
            let reason = as_c(&unit, seed, Accesses::Atomic).err().unwrap_or("none");
            *reasons.entry(reason).or_default() += 1;
        }
        assert!(reasons["none"] > 1_000, "{reasons:?}");
    }
}
