//! Running one step.
//!
//! A [`Run`] moves one actor: it executes the visible instruction that the actor stands before and then what is local,
//! up to the next visible one. It works on the words of the state in place and records what it touches.

mod actors;
mod end;
mod evaluate;
mod sync;

use crate::ast::Fault;
use crate::code::{Instruction, NONE, Pc, PlaceRef, Program, Register};
use crate::coverage::PASSED;
use crate::model::Model;
use crate::state::{Header, Kind, Record, Status, pair};
use evaluate::compute;
pub(crate) use evaluate::{Frame, evaluate, resolve};
use mazurka_core::{Access, ActorId, Step};
use smallvec::SmallVec;

/// How many instructions a step may take: beyond that it is taken for an endless loop.
const FUEL: u32 = 1_000_000;
/// How many instructions it counts for that an actor is created: a step that does not end must not fill the memory.
const CREATION: u32 = 100;
/// How deeply calls may be nested.
const MAX_CALLS: u32 = 64;
/// Two words in front of a called function's registers: where to return to, and the caller's frame.
const LINK: usize = 2;

/// Stands for the holder of a mutex that a violation stopped.
pub(crate) const HALTED_HOLDER: u32 = u32::MAX - 1;
/// Stands for the holder of a mutex that came to its end and is forgotten.
pub(crate) const ENDED_HOLDER: u32 = u32::MAX - 2;

/// Why a run stops before its time.
enum Stop {
    /// The actor did what has no meaning, at its present instruction.
    Fault(Fault),
    /// An assertion failed.
    Assertion(u32),
    /// The actor has come to its end.
    End,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Stop::Fault(fault)
    }
}

/// One actor on the move.
pub(crate) struct Run<'r> {
    model: &'r Model,
    program: &'r Program,
    words: &'r mut Vec<i64>,
    step: &'r mut Step,
    actor: ActorId,
    presence: ActorId,
    is_event: bool,
    record: Record,
    pc: Pc,
    frame: usize,
    status: Status,
    atomics: u32,
    fuel: u32,
    /// The invariants whose variables changed.
    shaken: SmallVec<[u32; 2]>,
}

impl<'r> Run<'r> {
    /// The actor with this record.
    pub(crate) fn new(model: &'r Model, words: &'r mut Vec<i64>, step: &'r mut Step, record: Record) -> Self {
        Run {
            model,
            program: model.program(),
            actor: record.actor(words),
            presence: record.presence(words),
            is_event: record.header.kind == Kind::Event,
            pc: record.header.pc,
            frame: record.frame(),
            status: record.header.status,
            atomics: 0,
            fuel: FUEL,
            shaken: SmallVec::new(),
            record,
            words,
            step,
        }
    }

    /// Moves the actor by one step.
    pub(crate) fn step(mut self) {
        let result = self.begin().and_then(|()| self.go_on());
        self.finish(result);
        if self.is_event && self.model.watches()[self.event()].is_switched {
            // Behind the cells, where its number belongs: most footprints are in order from the beginning.
            self.touch(self.model.event_object(self.event()), Access::READ);
        }
        self.check_invariants();
    }

    /// Runs what is local at an actor's beginning, up to its first visible instruction.
    pub(crate) fn settle(mut self) {
        let result = self.go_on();
        self.finish(result);
    }

    fn begin(&mut self) -> Result<(), Stop> {
        match self.status {
            Status::Pending => {
                self.touch(self.model.life(self.actor), Access::READ);
                let handler = self.record.owner(self.words);
                self.touch(self.model.handler_object(handler), Access::WRITE);
                if self.program.handlers[handler as usize].any {
                    self.step.cannot_wait();
                }
                let message = self.record.detail(self.words);
                let body = &self.program.messages[message as usize];
                let (entry, registers) = (body.entry, usize::from(body.registers));
                self.pc = entry;
                self.status = Status::Ready;
                let held = self.model.layout().held;
                self.resize_stack(held + registers);
                self.words[self.frame..self.record.end()].rotate_right(held);
                self.frame += held;
                self.move_to_front_of_mailbox(handler);
                Ok(())
            }
            Status::Waiting => {
                self.time_out();
                Ok(())
            }
            Status::Fresh => {
                self.touch(self.model.life(self.actor), Access::READ);
                self.status = Status::Ready;
                self.say_what_it_is();
                self.visible()
            }
            _ if self.is_event => {
                self.atomics = 1;
                let event = self.event();
                if let Some(guard) = self.model.watches()[event].guard {
                    self.touch(self.model.cell_object(guard.cell), Access::READ);
                } else if let Some(guard) = self.program.events[event].guard {
                    let entry = std::mem::replace(&mut self.pc, guard);
                    self.guard(guard)?;
                    self.pc = entry;
                }
                Ok(())
            }
            _ => {
                self.say_what_it_is();
                self.visible()
            }
        }
    }

    /// Which event the actor is.
    fn event(&self) -> usize {
        (self.actor.0 - self.model.first_event()) as usize
    }

    /// Most instructions can be run whenever an actor stands before them, and a lock whenever it is free. An actor that
    /// acquires a mutex again had to be woken as well. A step that begins by accessing variables outside of an atomic
    /// block, and not by an atomic operation, does nothing else to them.
    fn say_what_it_is(&mut self) {
        match self.program.code[self.pc as usize] {
            Instruction::Assume => self.step.plain(),
            Instruction::Atomic { guarded: true } | Instruction::Join { .. } | Instruction::Reacquire { .. } => {}
            Instruction::Load { .. } | Instruction::Store { .. } => {
                self.step.plain();
                self.step.cannot_wait();
            }
            // A mutex that some steps only try to acquire is a shared object like any other.
            Instruction::Lock { mutex } if self.program.tried[self.place(mutex)] => {}
            Instruction::Sync { op, .. } if op.waits() => {}
            _ => self.step.cannot_wait(),
        }
    }

    fn go_on(&mut self) -> Result<(), Stop> {
        loop {
            let registers = &mut self.words[self.frame..];
            let instruction = compute(self.program, registers, &mut self.pc, &mut self.fuel)?;
            if instruction.is_visible() {
                for &register in &self.program.dead[self.pc as usize] {
                    self.words[self.frame + usize::from(register)] = 0;
                }
                if self.atomics == 0 || self.status == Status::Waiting {
                    return Ok(());
                }
                self.visible()?;
            } else {
                self.control(instruction)?;
            }
        }
    }

    fn control(&mut self, instruction: Instruction) -> Result<(), Stop> {
        self.pc += 1;
        match instruction {
            Instruction::Assert { condition, assertion } => {
                self.model.marks().note(self.pc - 1, PASSED);
                if self.get(condition) == 0 {
                    return Err(Stop::Assertion(assertion));
                }
            }
            Instruction::Forget { thread } => self.forget(thread),
            Instruction::Call { function, arguments, dst } => self.call(function, arguments, dst)?,
            Instruction::Return { src } => self.return_from(src)?,
            Instruction::AtomicEnd => self.atomics -= 1,
            Instruction::Progress => self.step.progress(),
            Instruction::End => return Err(Stop::End),
            other => unreachable!("{other:?} is not a control instruction"),
        }
        Ok(())
    }

    fn get(&self, register: Register) -> i64 {
        self.words[self.frame + usize::from(register)]
    }

    fn set(&mut self, register: Register, value: i64) {
        self.words[self.frame + usize::from(register)] = value;
    }

    fn place(&self, place: PlaceRef) -> usize {
        resolve(place, &self.words[self.frame..])
    }

    fn touch(&mut self, object: mazurka_core::ObjectId, access: Access) {
        self.step.touch(object, access);
    }
}

impl Run<'_> {
    fn call(&mut self, function: u16, arguments: Register, dst: Register) -> Result<(), Stop> {
        let call = self.pc - 1;
        let base = self.frame - self.record.stack();
        let depth = if base == self.model.layout().held { 0 } else { (self.words[self.frame - 1] as u64 >> 32) as u32 };
        if depth >= MAX_CALLS {
            self.pc = call;
            return Err(Fault::CallDepth.into());
        }
        let program = self.program;
        let body = &program.functions[usize::from(function)];
        let first = self.frame + usize::from(arguments);
        let given: SmallVec<[i64; 8]> = SmallVec::from_slice(&self.words[first..first + usize::from(body.parameters)]);
        for &register in &program.dead[call as usize] {
            self.words[self.frame + usize::from(register)] = 0;
        }
        let caller_words = self.record.end() - self.record.stack();
        self.resize_stack(caller_words + LINK + usize::from(body.registers));
        let frame = self.record.stack() + caller_words + LINK;
        self.words[frame - 2] = pair(self.pc, u32::from(dst));
        self.words[frame - 1] = pair(base as u32, depth + 1);
        self.words[frame..frame + given.len()].copy_from_slice(&given);
        self.frame = frame;
        self.pc = body.entry;
        Ok(())
    }

    fn return_from(&mut self, src: Register) -> Result<(), Stop> {
        let value = self.get(src);
        let base = self.frame - self.record.stack();
        if base == self.model.layout().held {
            // A spawned thread runs a function: its return is its end.
            return Err(Stop::End);
        }
        let link = self.words[self.frame - 2] as u64;
        let caller = self.words[self.frame - 1] as u32;
        self.resize_stack(base - LINK);
        self.frame = self.record.stack() + caller as usize;
        self.pc = link as u32;
        self.set((link >> 32) as Register, value);
        Ok(())
    }

    /// Gives the stack another length; new words are zero.
    fn resize_stack(&mut self, words: usize) {
        let (stack, end) = (self.record.stack(), self.record.end());
        let new_end = stack + words;
        if new_end > end {
            self.words.splice(end..end, std::iter::repeat_n(0, new_end - end));
        } else {
            self.words.drain(new_end..end);
        }
        self.record.header.length = new_end - self.record.at;
        self.words[self.record.at] = self.record.header.pack();
    }
}

/// Visible instructions.
impl Run<'_> {
    fn visible(&mut self) -> Result<(), Stop> {
        let instruction = self.program.code[self.pc as usize];
        match instruction {
            Instruction::Load { dst, place } => {
                let cell = self.place(place);
                self.touch(self.model.cell_object(cell), Access::READ);
                let value = self.words[cell];
                self.set(dst, value);
            }
            Instruction::Store { place, src } => {
                let value = self.get(src);
                self.write(self.place(place), value);
            }
            Instruction::Cas { place, dst, arguments } => {
                let cell = self.place(place);
                let (old, new) = (self.get(arguments), self.get(arguments + 1));
                self.touch(self.model.cell_object(cell), Access::READ);
                let swaps = self.words[cell] == old;
                if swaps {
                    self.write(cell, new);
                }
                self.set(dst, i64::from(swaps));
            }
            Instruction::Swap { place, dst, src } => {
                let cell = self.place(place);
                let (old, new) = (self.words[cell], self.get(src));
                self.touch(self.model.cell_object(cell), Access::READ);
                self.write(cell, new);
                self.set(dst, old);
            }
            Instruction::FetchAdd { place, dst, src } => {
                let cell = self.place(place);
                let old = self.words[cell];
                self.touch(self.model.cell_object(cell), Access::READ);
                let new = old.checked_add(self.get(src)).ok_or(Fault::Overflow)?;
                self.write(cell, new);
                self.set(dst, old);
            }
            Instruction::Lock { mutex } => self.lock(mutex, false),
            Instruction::Reacquire { mutex } => self.lock(mutex, true),
            Instruction::Unlock { mutex } => self.unlock(mutex, Fault::UnlockNotHeld)?,
            Instruction::Wait { condition, signalled } => self.wait(condition, signalled)?,
            Instruction::Signal { condition, all } => self.signal(condition, all),
            Instruction::Spawn { function, arguments, dst } => self.spawn(function, arguments, dst)?,
            Instruction::Join { thread } => self.join(thread)?,
            Instruction::Post { handler, message, arguments } => self.post(handler, message, arguments)?,
            Instruction::Enable { event, on } => self.enable(self.place(event), on),
            Instruction::Sync { op, object, operand, dst } => self.sync(op, object, operand, dst)?,
            Instruction::Assume => {
                self.pass_guard()?;
                return Ok(());
            }
            Instruction::Atomic { guarded } => {
                if guarded {
                    self.pass_guard()?;
                    self.atomics += 1;
                    return Ok(());
                }
                self.atomics += 1;
            }
            Instruction::Choose { dst, from, to } => {
                let (from, to) = (self.get(from), self.get(to));
                if from >= to {
                    return Err(Fault::EmptyChoice.into());
                }
                let chosen = self.step.choose(to.abs_diff(from));
                self.set(dst, from.wrapping_add_unsigned(chosen));
            }
            other => unreachable!("{other:?} is not visible"),
        }
        self.pc += 1;
        Ok(())
    }

    fn write(&mut self, cell: usize, value: i64) {
        let changes = self.words[cell] != value;
        let access = if changes { Access::WRITE } else { Access::REWRITE };
        self.touch(self.model.cell_object(cell), access);
        self.words[cell] = value;
        for &invariant in &self.program.cell_invariants[cell] {
            self.step.touch(self.model.invariant_object(invariant), access);
            if changes && !self.shaken.contains(&invariant) {
                self.shaken.push(invariant);
            }
        }
    }

    /// Goes past an assumption that holds.
    fn pass_guard(&mut self) -> Result<(), Stop> {
        let resume = self.guard(self.pc + 1)?;
        self.model.marks().note(self.pc, PASSED);
        self.pc = resume;
        Ok(())
    }

    /// Evaluates a guard that holds, and returns where the code behind it begins.
    fn guard(&mut self, pc: Pc) -> Result<Pc, Stop> {
        let frame = Frame::from_slice(&self.words[self.frame..self.record.end()]);
        let (model, step) = (self.model, &mut *self.step);
        let mut looked = |cell: usize| step.touch(model.cell_object(cell), Access::READ);
        Ok(evaluate(self.program, self.words, frame, pc, &mut looked)?.resume)
    }

    fn lock(&mut self, mutex: PlaceRef, woken: bool) {
        let mutex = self.place(mutex);
        self.touch(self.model.mutex_object(mutex), self.model.locking(mutex));
        if woken {
            self.touch(self.model.life(self.actor), Access::READ);
        }
        self.words[self.model.layout().mutexes + mutex] = i64::from(self.actor.0) + 1;
    }

    fn unlock(&mut self, mutex: PlaceRef, fault: Fault) -> Result<(), Stop> {
        let mutex = self.place(mutex);
        let object = self.model.mutex_object(mutex);
        let word = self.model.layout().mutexes + mutex;
        if self.words[word] != i64::from(self.actor.0) + 1 {
            // An actor that releases what it does not hold enables no other actor: it only reads the holder.
            self.touch(object, Access::READ);
            return Err(fault.into());
        }
        self.touch(object, if self.program.tried[mutex] { Access::WRITE } else { Access::RELEASE });
        self.words[word] = 0;
        Ok(())
    }

    fn wait(&mut self, condition: PlaceRef, signalled: Register) -> Result<(), Stop> {
        let Instruction::Reacquire { mutex } = self.program.code[self.pc as usize + 1] else {
            unreachable!("a wait stands before its reacquire")
        };
        self.unlock(mutex, Fault::WaitNotHeld)?;
        self.touch(self.model.condition_object(self.place(condition)), Access::ADD);
        self.status = Status::Waiting;
        if signalled != NONE {
            // Unless the wait times out.
            self.set(signalled, 1);
        }
        Ok(())
    }

    fn signal(&mut self, condition: PlaceRef, all: bool) {
        let condition = self.place(condition);
        let waiters = self.model.waiters(self.words, condition);
        let object = self.model.condition_object(condition);
        if waiters.is_empty() {
            self.touch(object, Access::READ);
            return;
        }
        self.touch(object, Access::WRITE);
        let chosen = if all {
            0..waiters.len()
        } else {
            let n = self.step.choose(waiters.len() as u64) as usize;
            n..n + 1
        };
        for waiter in &waiters[chosen] {
            let header = Header { status: Status::Ready, ..waiter.header };
            self.words[waiter.at] = header.pack();
            let woken = waiter.actor(self.words);
            self.touch(self.model.life(woken), Access::WRITE);
        }
    }

    fn enable(&mut self, event: usize, on: bool) {
        let word = self.model.layout().events + event / 64;
        let bit = 1i64 << (event % 64);
        let was = self.words[word] & bit != 0;
        self.touch(self.model.event_object(event), if was == on { Access::REWRITE } else { Access::WRITE });
        self.words[word] = if on { self.words[word] | bit } else { self.words[word] & !bit };
    }
}
