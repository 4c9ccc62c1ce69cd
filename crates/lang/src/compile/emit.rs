//! Emitting: instructions, registers, and the scopes of local names.

use super::{Compiler, Local, MAX_ERRORS, MAX_REGISTERS};
use crate::ast::{Name, Span};
use crate::code::{Instruction, LocalName, Pc, Register, Site};
use hashbrown::HashMap;
use mazurka_core::Diagnostic;

impl Compiler<'_> {
    pub(super) fn pc(&self) -> Pc {
        self.program.code.len() as Pc
    }

    pub(super) fn emit(&mut self, instruction: Instruction) -> Pc {
        let pc = self.pc();
        self.program.code.push(instruction);
        self.program.site_of.push(self.site);
        pc
    }

    /// Emits an operation that others can notice; `text` is what it is called where its statement has several.
    pub(super) fn emit_visible(&mut self, instruction: Instruction, text: String, span: &Span) -> Pc {
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
    pub(super) fn open_site(&mut self, span: &Span) -> String {
        let (line, column) = self.position(span.start);
        let text = self.text(span);
        self.site = self.program.sites.len() as u32;
        self.program.sites.push(Site { text: text.clone(), line, column });
        self.statement_operations.clear();
        text
    }

    pub(super) fn emit_const(&mut self, value: i64) -> Register {
        let dst = self.register();
        self.emit(Instruction::Const { dst, value });
        dst
    }

    /// Lets a jump that was emitted before its target was known go to the present place.
    pub(super) fn land(&mut self, jump: Pc) {
        let here = self.pc();
        match &mut self.program.code[jump as usize] {
            Instruction::Jump { to } | Instruction::Branch { to, .. } => *to = here,
            _ => {}
        }
    }

    pub(super) fn register(&mut self) -> Register {
        self.registers(1)
    }

    /// Several registers in a row; the first of them.
    pub(super) fn registers(&mut self, count: usize) -> Register {
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
    pub(super) fn result(&mut self, operands: usize) -> Register {
        self.release(operands);
        self.register()
    }

    pub(super) fn release(&mut self, operands: usize) {
        if self.reads.is_none() {
            self.next_register = operands;
        }
    }

    pub(super) fn local(&self, name: &str) -> Option<Local> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).copied()
    }

    pub(super) fn new_local(&mut self, name: &Name, is_handle: bool) -> Register {
        let register = self.register();
        self.name_local(name, Local { register, length: None, of: None, is_handle });
        register
    }

    /// Gives a local variable its name.
    pub(super) fn name_local(&mut self, name: &Name, local: Local) {
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

    pub(super) fn unknown(&mut self, name: &Name) {
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

    pub(super) fn wrong_kind(&mut self, name: &Name, found: &str, expected: &str) {
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
