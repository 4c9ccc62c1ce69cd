//! Running one step.
//!
//! A [`Run`] moves one actor: it executes the visible instruction that the actor stands before and then what is local,
//! up to the next visible one. It works on the words of the state in place and records what it touches.

mod sync;

use crate::ast::Fault;
use crate::code::{Instruction, NONE, Pc, PlaceRef, Program, Register, UNREAD};
use crate::coverage::PASSED;
use crate::model::{Identity, Model, is_forgotten_when_stopped};
use crate::state::{Header, Kind, Record, Records, Status, high, pair};
use mazurka_core::{Access, ActorId, Step, Value, Violation, ViolationKind};
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

/// Runs the instructions that touch nothing but the registers, and returns the first one of another kind, to which `pc`
/// then points; after a fault it points to the culprit.
#[inline]
fn compute(program: &Program, registers: &mut [i64], pc: &mut Pc, fuel: &mut u32) -> Result<Instruction, Fault> {
    let at = |register: Register| usize::from(register);
    loop {
        *fuel = fuel.checked_sub(1).ok_or(Fault::EndlessStep)?;
        let instruction = program.code[*pc as usize];
        match instruction {
            Instruction::Const { dst, value } => registers[at(dst)] = value,
            Instruction::Move { dst, src } => registers[at(dst)] = registers[at(src)],
            Instruction::Unary { op, dst, src } => registers[at(dst)] = op.apply(registers[at(src)])?,
            Instruction::Binary { op, dst, left, right } => {
                registers[at(dst)] = op.apply(registers[at(left)], registers[at(right)])?;
            }
            Instruction::BinaryConst { op, dst, left, right } => {
                registers[at(dst)] = op.apply(registers[at(left)], right)?;
            }
            Instruction::Bound { index, length } => {
                if !(0..i64::from(length)).contains(&registers[at(index)]) {
                    return Err(Fault::IndexOutOfRange);
                }
            }
            Instruction::LoadElement { dst, first, index, .. } => {
                registers[at(dst)] = registers[at(first) + registers[at(index)] as usize];
            }
            Instruction::StoreElement { first, index, src, .. } => {
                registers[at(first) + registers[at(index)] as usize] = registers[at(src)];
            }
            Instruction::Jump { to } => {
                *pc = to;
                continue;
            }
            Instruction::Branch { condition, when, to } => {
                if (registers[at(condition)] != 0) == when {
                    *pc = to;
                    continue;
                }
            }
            other => return Ok(other),
        }
        *pc += 1;
    }
}

/// The index of what a place names, given the registers of the frame.
pub(crate) fn resolve(place: PlaceRef, registers: &[i64]) -> usize {
    place.base as usize + if place.index == NONE { 0 } else { registers[usize::from(place.index)] as usize }
}

/// A condition that stood false, or true and where the code behind it begins.
pub(crate) struct Evaluated {
    pub(crate) holds: bool,
    pub(crate) resume: Pc,
}

/// The registers of a guard: a copy of those that it begins with.
pub(crate) type Frame = SmallVec<[i64; 24]>;

/// Evaluates a guard: code that only looks. `looked` is told each cell.
pub(crate) fn evaluate(
    program: &Program,
    words: &[i64],
    mut registers: Frame,
    pc: Pc,
    looked: &mut impl FnMut(usize),
) -> Result<Evaluated, Fault> {
    let mut fuel = FUEL;
    match evaluate_frame(program, words, &mut registers, pc, looked, 0, &mut fuel)? {
        Leaving::Guard(evaluated) => Ok(evaluated),
        Leaving::Return(value) => Ok(Evaluated { holds: value != 0, resume: pc }),
    }
}

enum Leaving {
    Guard(Evaluated),
    Return(i64),
}

fn evaluate_frame(
    program: &Program,
    words: &[i64],
    registers: &mut [i64],
    mut pc: Pc,
    looked: &mut impl FnMut(usize),
    depth: u32,
    fuel: &mut u32,
) -> Result<Leaving, Fault> {
    loop {
        let instruction = compute(program, registers, &mut pc, fuel)?;
        pc += 1;
        match instruction {
            Instruction::Load { dst, place } => {
                let cell = resolve(place, registers);
                looked(cell);
                registers[usize::from(dst)] = words[cell];
            }
            Instruction::Call { function, arguments, dst } => {
                if depth >= MAX_CALLS {
                    return Err(Fault::CallDepth);
                }
                let body = &program.functions[usize::from(function)];
                let first = usize::from(arguments);
                let mut inner: Frame = smallvec::smallvec![0; usize::from(body.registers)];
                let given = usize::from(body.parameters);
                inner[..given].copy_from_slice(&registers[first..first + given]);
                match evaluate_frame(program, words, &mut inner, body.entry, looked, depth + 1, fuel)? {
                    Leaving::Return(value) => registers[usize::from(dst)] = value,
                    guard @ Leaving::Guard(_) => return Ok(guard),
                }
            }
            Instruction::Return { src } => return Ok(Leaving::Return(registers[usize::from(src)])),
            Instruction::GuardEnd { condition, resume } => {
                let holds = registers[usize::from(condition)] != 0;
                return Ok(Leaving::Guard(Evaluated { holds, resume }));
            }
            // An atomic block within a function that only looks changes nothing: the whole guard is one step.
            Instruction::Atomic { guarded: false } | Instruction::AtomicEnd => {}
            other => unreachable!("the compiler lets only code that looks into a guard, not {other:?}"),
        }
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

    /// Most instructions can be run whenever an actor stands before them, and a lock whenever nobody holds it. Whoever
    /// takes a mutex again had to be woken as well. A step that begins by accessing variables outside of an atomic block,
    /// and not by an atomic operation, does nothing else to them.
    fn say_what_it_is(&mut self) {
        match self.program.code[self.pc as usize] {
            Instruction::Assume => self.step.plain(),
            Instruction::Atomic { guarded: true } | Instruction::Join { .. } | Instruction::Reacquire { .. } => {}
            Instruction::Load { .. } | Instruction::Store { .. } => {
                self.step.plain();
                self.step.cannot_wait();
            }
            // A mutex that some only try to take is a shared object like any other.
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

/// Calls.
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
            // Who gives back what it does not hold lets nobody go on: it only found out who holds it.
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

/// Actors that come and go.
impl Run<'_> {
    /// Writes the header back: others are about to move the records.
    fn save(&mut self) {
        let base = self.frame - self.record.stack();
        self.record.header = Header { status: self.status, base, pc: self.pc, ..self.record.header };
        self.words[self.record.at] = self.record.header.pack();
    }

    /// Finds the own record again after others were put in or taken out.
    fn relocate(&mut self) {
        let (words, actor) = (&*self.words, self.actor);
        let mut records = Records::new(words, self.model.layout());
        let own = records.find(|record| record.actor(words) == actor && record.header.status != Status::Pending);
        if let Some(own) = own {
            let base = self.frame - self.record.stack();
            self.record = own;
            self.frame = own.stack() + base;
        }
    }

    /// The number of the next thing that this actor makes, from 1, where names go by history.
    fn next_number(&mut self) -> u32 {
        let word = &mut self.words[self.record.at + 1];
        if self.model.identity() == Identity::History {
            *word += 1 << 32;
        }
        (*word as u64 >> 32) as u32
    }

    fn spawn(&mut self, function: u16, arguments: Register, dst: Register) -> Result<(), Fault> {
        self.fuel = self.fuel.checked_sub(CREATION).ok_or(Fault::EndlessStep)?;
        let body = &self.program.functions[usize::from(function)];
        let (registers, entry) = (usize::from(body.registers), body.entry);
        let first = self.frame + usize::from(arguments);
        let given: SmallVec<[i64; 8]> = SmallVec::from_slice(&self.words[first..first + usize::from(body.parameters)]);
        let detached = dst == NONE;
        self.touch(self.model.children(self.presence), Access::READ);
        let slot = self.model.free_slot(self.words, self.presence);
        let presence = self.model.names().thread(self.presence, slot, function);
        let number = self.next_number();
        let child = match self.model.identity() {
            Identity::History => self.model.names().child(self.actor, number, None, function),
            Identity::Presence => presence,
        };
        self.touch(self.model.life(child), Access::WRITE);
        self.step.made(child);
        if !detached {
            self.set(dst, i64::from(slot) + 1);
        }
        let held = self.model.layout().held;
        let length = Header::words(Kind::Spawned) + held + registers;
        let header = Header { kind: Kind::Spawned, status: Status::Fresh, length, base: held, pc: entry };
        let mut record: SmallVec<[i64; 24]> = SmallVec::new();
        let detail = slot << 1 | u32::from(detached);
        record.extend([header.pack(), pair(child.0, 0), pair(self.presence.0, detail), pair(presence.0, 0)]);
        record.extend(std::iter::repeat_n(0, held));
        record.extend(given.iter().copied().chain(std::iter::repeat(0)).take(registers));
        self.save();
        let at = self.model.place_of_thread(self.words, presence);
        self.words.splice(at..at, record);
        let record = Record::read(self.words, at);
        Run::new(self.model, self.words, self.step, record).settle();
        self.relocate();
        Ok(())
    }

    /// Nobody will join the thread: it may vanish when it ends.
    fn forget(&mut self, thread: Register) {
        let handle = self.get(thread);
        if let Some(child) = self.model.child_by_handle(self.words, self.presence, handle) {
            let actor = child.actor(self.words);
            self.touch(self.model.life(actor), Access::READ);
            self.save();
            self.detach(child);
            self.relocate();
        }
    }

    /// Takes the handle from a thread; a thread that has ended vanishes.
    fn detach(&mut self, child: Record) {
        if let Status::Finished | Status::Halted = child.header.status {
            self.words.drain(child.at..child.end());
        } else {
            self.words[child.at + 2] |= 1 << 32;
        }
    }

    fn join(&mut self, thread: Register) -> Result<(), Stop> {
        let handle = self.get(thread);
        let Some(child) = self.model.child_by_handle(self.words, self.presence, handle) else {
            return Err(Fault::JoinNothing.into());
        };
        let actor = child.actor(self.words);
        self.touch(self.model.life(actor), Access::READ);
        self.set(thread, 0);
        self.save();
        self.words.drain(child.at..child.end());
        self.relocate();
        Ok(())
    }

    fn post(&mut self, handler: PlaceRef, message: u16, arguments: Register) -> Result<(), Fault> {
        self.fuel = self.fuel.checked_sub(CREATION).ok_or(Fault::EndlessStep)?;
        let handler = self.place(handler) as u32;
        let parameters = usize::from(self.program.messages[usize::from(message)].parameters);
        let first = self.frame + usize::from(arguments);
        let given: SmallVec<[i64; 8]> = SmallVec::from_slice(&self.words[first..first + parameters]);
        let presence = self.model.names().message(handler, message, &given);
        let number = self.next_number();
        let posted = match self.model.identity() {
            Identity::History => self.model.names().child(self.actor, number, Some(handler), message),
            Identity::Presence => presence,
        };
        // By presence, equal messages are one actor. Their posts commute, but which of them came first matters to
        // whoever asks what a message needed in order to be there.
        self.touch(self.model.life(posted), Access::WRITE);
        self.step.made(posted);
        if !self.program.handlers[handler as usize].any {
            self.touch(self.model.mailbox_object(handler), Access::POST);
        }
        let length = Header::words(Kind::Message) + parameters;
        let header = Header { kind: Kind::Message, status: Status::Pending, length, base: 0, pc: 0 };
        let mut record: SmallVec<[i64; 12]> = SmallVec::new();
        record.extend([header.pack(), pair(posted.0, 0), pair(handler, u32::from(message)), pair(presence.0, 0)]);
        record.extend_from_slice(&given);
        self.save();
        let at = self.model.place_in_mailbox(self.words, handler, &record);
        self.words.splice(at..at, record);
        self.relocate();
        Ok(())
    }

    /// The running message stands before those that wait.
    fn move_to_front_of_mailbox(&mut self, handler: u32) {
        self.save();
        let words = &*self.words;
        let mut records = Records::new(words, self.model.layout());
        let front = records.find(|record| record.header.kind == Kind::Message && record.owner(words) == handler);
        if let Some(front) = front {
            self.words[front.at..self.record.end()].rotate_right(self.record.header.length);
        }
        self.relocate();
    }
}

/// The end of a step, or of the actor.
impl Run<'_> {
    fn finish(&mut self, result: Result<(), Stop>) {
        match result {
            Ok(()) => self.save(),
            Err(Stop::End) => self.end(Status::Finished),
            Err(Stop::Assertion(assertion)) => {
                self.fail_assertion(assertion);
                self.end(Status::Halted);
            }
            Err(Stop::Fault(fault)) => {
                let mut violation = Violation::new(ViolationKind::Crash, fault.words());
                violation.location = Some(self.program.site_location(self.pc));
                violation.actor = Some(self.actor);
                self.step.fail(violation);
                self.end(Status::Halted);
            }
        }
    }

    fn fail_assertion(&mut self, assertion: u32) {
        let info = &self.program.assertions[assertion as usize];
        let mut violation = Violation::new(ViolationKind::Assertion, info.message.clone());
        violation.location = Some(self.program.location(info.line, info.column));
        violation.actor = Some(self.actor);
        for read in &info.values {
            let value = self.get(read.register);
            if value != UNREAD {
                violation.values.push(Value { name: read.text.clone(), value: self.program.show(read.of, value) });
            }
        }
        self.step.fail(violation);
    }

    fn end(&mut self, status: Status) {
        self.release_children();
        self.give_up_mutexes(status);
        if status == Status::Halted && is_forgotten_when_stopped(self.record.header.kind) {
            self.note_stopped();
        }
        match self.record.header.kind {
            Kind::Thread => self.keep_as(status),
            Kind::Event => {
                self.count_created();
                self.remove();
            }
            Kind::Message => {
                let handler = self.record.owner(self.words);
                self.touch(self.model.handler_object(handler), Access::RELEASE);
                self.remove();
            }
            Kind::Spawned => {
                self.touch(self.model.life(self.actor), Access::WRITE);
                let creator = ActorId(self.record.owner(self.words));
                let detached = self.record.detail(self.words) & 1 == 1;
                if detached {
                    // The creator may give the slot to its next thread.
                    self.touch(self.model.children(creator), Access::ADD);
                }
                if detached || self.model.has_ended(self.words, creator) {
                    self.remove();
                } else {
                    self.keep_as(status);
                }
            }
        }
    }

    /// Keeps what is asked of a stopped actor once its record is gone. These words are read at the end of an execution
    /// only, so they are no part of a footprint.
    fn note_stopped(&mut self) {
        let layout = self.model.layout();
        if self.record.header.kind != Kind::Event {
            self.words[layout.stopped] = 1;
        }
        for lock in 0..layout.held {
            self.words[layout.stopped_readers + lock] += self.words[self.record.stack() + lock];
        }
    }

    fn keep_as(&mut self, status: Status) {
        self.status = status;
        self.pc = 0;
        self.resize_stack(self.model.layout().held);
        self.frame = self.record.stack();
        self.save();
    }

    fn remove(&mut self) {
        self.words.drain(self.record.at..self.record.end());
    }

    /// Nobody can join the threads of an actor that has come to its end.
    ///
    /// Those that have ended vanish. Those that go on see at their own end that the creator is gone, if it is a thread
    /// that was there from the start: the two ends commute. Another actor with the name of any other creator may come
    /// to be and take over its slots, so its threads have to know that their slots become free when they end.
    fn release_children(&mut self) {
        if !self.program.creates_actors {
            return;
        }
        let (model, presence) = (self.model, self.presence);
        let is_unique = self.record.header.kind == Kind::Thread;
        self.save();
        let mut at = model.layout().records;
        while at < self.words.len() {
            let record = Record::read(self.words, at);
            let has_handle = record.header.kind == Kind::Spawned
                && record.owner(self.words) == presence.0
                && record.detail(self.words) & 1 == 0;
            let has_ended = matches!(record.header.status, Status::Finished | Status::Halted);
            if !has_handle || is_unique && !has_ended {
                at = record.end();
                continue;
            }
            if !is_unique {
                self.touch(model.life(record.actor(self.words)), Access::READ);
            }
            self.detach(record);
            at = if has_ended { at } else { record.end() };
        }
        self.relocate();
    }

    /// An event's record does not last: what it counted is kept apart.
    fn count_created(&mut self) {
        let layout = self.model.layout();
        let event = (self.actor.0 - self.model.first_event()) as usize;
        let count = high(self.words[self.record.at + 1]);
        if let Some(counter) = self.words[layout.counters..layout.records].get_mut(event) {
            *counter = i64::from(count);
        }
    }

    /// A mutex whose holder is gone is never free again, and nobody new may be taken for its holder.
    fn give_up_mutexes(&mut self, status: Status) {
        let lasting = self.record.header.kind == Kind::Thread && status == Status::Finished;
        if lasting {
            return;
        }
        let holder = if status == Status::Halted { HALTED_HOLDER } else { ENDED_HOLDER };
        let layout = self.model.layout();
        for word in &mut self.words[layout.mutexes..layout.syncs] {
            if *word == i64::from(self.actor.0) + 1 {
                *word = i64::from(holder) + 1;
            }
        }
    }

    fn check_invariants(&mut self) {
        for invariant in std::mem::take(&mut self.shaken) {
            self.model.marks().note_change(invariant);
            if let Some(mut violation) = self.model.broken(self.words, invariant) {
                violation.actor = Some(self.actor);
                self.step.fail(violation);
            }
        }
    }
}
