//! Bodies: functions, messages, threads, events and invariants, each with its code.

use super::declare::member_names;
use super::{Compiler, Context, Global, MAX_REGISTERS};
use crate::ast::{Block, Expr, Family, Function, Item, Name, Unit};
use crate::code::{Body, Instruction, Invariant, Member, NONE};
use crate::liveness;
use hashbrown::{HashMap, HashSet};
use mazurka_core::Fairness;
use smallvec::SmallVec;
use std::collections::BTreeSet;

impl Compiler<'_> {
    pub(super) fn bodies(&mut self, unit: &Unit) {
        let (mut message, mut function, mut event) = (0, 0, 0);
        for item in &unit.items {
            match item {
                Item::Thread { name, family, fairness, body } => {
                    self.thread(name, family.as_ref(), *fairness, body);
                }
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
                Item::Promise { form, family, cause, goal, span } => {
                    self.promise(*form, family.as_ref(), cause.as_ref(), goal, span);
                }
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
        self.ask_for_progress();
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
    pub(super) fn body(&mut self, name: &str, parameters: &[Name], emit: impl FnOnce(&mut Self)) -> Body {
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

    pub(super) fn thread(&mut self, name: &Name, family: Option<&Family>, fairness: Option<Fairness>, block: &Block) {
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
            self.program.threads.push(Member { name, body: body.clone(), parameter, fairness, line, column });
        }
    }

    pub(super) fn event(
        &mut self,
        next: &mut usize,
        name: &Name,
        family: Option<&Family>,
        guard: Option<&Expr>,
        block: &Block,
    ) {
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

    pub(super) fn invariant(&mut self, condition: &Expr) {
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
