//! Statements.

use super::{Compiler, Context, Local, Loop};
use crate::ast::{BinaryOp, Block, Call, Expr, ExprKind, ForLoop, Name, Place, Span, Statement, StatementKind};
use crate::code::{Assertion, Instruction, NONE, Pc, Register};
use hashbrown::HashMap;
use mazurka_core::Diagnostic;

impl Compiler<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        self.statements(&block.statements);
    }

    pub(super) fn statements(&mut self, statements: &[Statement]) {
        self.scopes.push(HashMap::new());
        let mark = self.next_register;
        for (place, statement) in statements.iter().enumerate() {
            self.spawns_detached = match &statement.kind {
                StatementKind::Spawn(Some(handle), _) => !uses(&statements[place + 1..], handle),
                StatementKind::Spawn(None, _) => true,
                _ => false,
            };
            self.statement(statement);
        }
        self.forget_handles(self.scopes.len() - 1);
        self.next_register = mark;
        self.leave_scope();
    }

    /// What the innermost scope defined is not known from here on.
    pub(super) fn leave_scope(&mut self) {
        let (end, scope) = (self.pc(), self.scopes.pop().unwrap_or_default());
        let open = self.program.locals.iter_mut().rev().take_while(|local| local.from >= self.body_entry);
        for local in open.filter(|local| local.to == Pc::MAX) {
            let name = local.name.split('[').next().unwrap_or_default();
            if scope.contains_key(name) {
                local.to = end;
            }
        }
    }

    /// Drops the thread handles of the innermost scopes, down to the one with this number. An actor that comes to
    /// its end drops all of them at once.
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

    pub(super) fn statement(&mut self, statement: &Statement) {
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
            StatementKind::Progress => {
                self.emit(Instruction::Progress);
            }
        }
        false
    }

    pub(super) fn wait(&mut self, condition: &Place, mutex: &Place, signalled: Register, span: &Span) {
        let words = self.text(&mutex.name.span);
        let condition = self.object_place(condition, "a condition variable");
        let mutex = self.object_place(mutex, "a mutex");
        self.emit_visible(Instruction::Wait { condition, signalled }, self.text(span), span);
        self.emit_visible(Instruction::Reacquire { mutex }, format!("woken: lock({words})"), span);
    }

    /// Waiting has no meaning within one step.
    pub(super) fn must_not_wait(&mut self, what: &str, span: &Span) {
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
        let is_detached = self.spawns_detached;
        let handle = name.map(|name| self.new_local(name, true));
        let dst = handle.filter(|_| !is_detached).unwrap_or(NONE);
        if let Some(unused) = handle.filter(|_| is_detached) {
            self.emit(Instruction::Const { dst: unused, value: 0 });
        }
        self.emit_visible(Instruction::Spawn { function, arguments, dst }, self.text(span), span);
        handle.is_some()
    }

    fn respawn(&mut self, name: &Name, call: &Call, span: &Span) {
        let Some(dst) = self.handle(name) else { return };
        let Some((function, arguments)) = self.call_of(call, "a function") else { return };
        self.emit(Instruction::Forget { thread: dst });
        self.emit_visible(Instruction::Spawn { function, arguments, dst }, self.text(span), span);
    }

    pub(super) fn join(&mut self, name: &Name, span: &Span) {
        self.must_not_wait("join", span);
        if let Some(thread) = self.handle(name) {
            self.emit_visible(Instruction::Join { thread }, self.text(span), span);
        }
    }

    /// The register of a thread handle.
    pub(super) fn handle(&mut self, name: &Name) -> Option<Register> {
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

    pub(super) fn atomic(&mut self, block: &Block, span: &Span) {
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
    pub(super) fn close_statement(&mut self) {
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

    pub(super) fn enter(&mut self, continue_to: Option<Pc>, out: Option<Pc>) {
        let (atomics, scopes) = (self.atomics, self.scopes.len());
        self.loops.push(Loop { continue_to, breaks: out.into_iter().collect(), atomics, scopes });
    }

    pub(super) fn end_loop(&mut self) {
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
    pub(super) fn guard(&mut self, condition: &Expr) {
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

/// Whether a thread handle is used: what no actor joins is spawned without one.
fn uses(statements: &[Statement], handle: &Name) -> bool {
    statements.iter().any(|statement| match &statement.kind {
        StatementKind::Join(name) | StatementKind::Respawn(name, _) => name.text == handle.text,
        StatementKind::ForLoop(of) => {
            let parts = of.start.iter().chain(&of.next).chain(&of.body.statements);
            parts.into_iter().any(|part| uses(std::slice::from_ref(part), handle))
        }
        kind => kind.blocks().into_iter().any(|block| uses(&block.statements, handle)),
    })
}
