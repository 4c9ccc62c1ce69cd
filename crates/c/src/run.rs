//! Running one step.
//!
//! A [`Run`] moves one actor: it does the visible operation that the actor stands before and then what is local, up to the
//! next visible one. The frames of the actor are copied out and put back at the end; memory is changed in place.

mod access;
mod format;
mod handlers;
mod number;
mod racing;
mod routines;
mod spinning;
mod strings;
mod sync;
mod threads;

pub(crate) use access::peek;
pub(crate) use racing::Races;
pub(crate) use sync::{MutexWord, is_open, obstacle};

use crate::code::{Body, Instruction as I, List, NONE, Operand, Program, Register};
use crate::library::{Routine, Sight};
use crate::memory::{FUNCTIONS, Region, address, is_hidden, offset, space, space_of};
use crate::model::Model;
use crate::printed::Witness;
use crate::state::{Entry, HEAD, Head, LINK, State, Status, View, flag, pair};
use mazurka_core::{Access, ActorId, ObjectId, Step, Violation, ViolationKind};
use number::{compare, compute, convert};
use smallvec::SmallVec;

/// How many instructions a step may take: beyond that it is taken for an endless loop.
const FUEL: u32 = 10_000_000;
/// How many instructions it counts for that an actor is created or memory is taken.
const CREATION: u32 = 100;
/// How many words the stacks of an actor may have.
const DEEPEST: usize = 1 << 20;
/// How many bytes an actor may allocate.
const MOST_HEAP: u64 = 64 << 20;

/// Why a run stops before its time.
pub(crate) enum Stop {
    /// The actor stays where it is: it waits.
    Waits,
    /// A thread takes messages from now on.
    Rests,
    /// The thread has come to its end, and returns this.
    End(u64),
    /// The whole program ends, with this code.
    Exit(u64),
    /// An assumption is false.
    Assumed,
    /// Another round of the loop would be the same.
    Spins,
    /// Something is wrong, here.
    Wrong(ViolationKind, String),
    /// Something is wrong, elsewhere.
    Violation(Box<Violation>),
}

pub(crate) type Done<T> = Result<T, Stop>;

/// The program did what has no meaning.
pub(crate) fn crash<T>(message: impl Into<String>) -> Done<T> {
    Err(Stop::Wrong(ViolationKind::Crash, message.into()))
}

/// The program did what is not modelled.
pub(crate) fn unsupported<T>(message: impl Into<String>) -> Done<T> {
    Err(Stop::Wrong(ViolationKind::Unsupported, message.into()))
}

/// One actor on the move.
pub(crate) struct Run<'r> {
    pub(crate) model: &'r Model,
    pub(crate) program: &'r Program,
    pub(crate) state: &'r mut State,
    pub(crate) step: &'r mut Step,
    /// What is noted for people, if that is wanted.
    pub(crate) witness: Option<&'r mut Witness>,
    /// Where the actor is in the directory, and its record in the words.
    index: usize,
    at: usize,
    pub(crate) actor: u32,
    head: Head,
    status: Status,
    frames: SmallVec<[u64; 64]>,
    frame: usize,
    pc: usize,
    atomics: u32,
    fuel: u32,
    /// Something was changed since the last round of a loop that may wait began.
    changed: bool,
    /// The loops that may wait of which a round began in this step.
    begun: SmallVec<[u32; 4]>,
}

impl<'r> Run<'r> {
    /// The actor at this place of the directory.
    pub(crate) fn new(model: &'r Model, state: &'r mut State, step: &'r mut Step, index: usize) -> Self {
        let view = model.view(state);
        let Entry { actor, status, at } = view.entry(index);
        let head = Head::read(view.words, at);
        let frames = SmallVec::from_slice(&view.words[at + head.frames_at()..view.end(index)]);
        Run {
            program: model.program(),
            model,
            index,
            at,
            actor,
            status,
            frame: head.frame as usize,
            pc: head.pc as usize,
            head,
            frames,
            state,
            step,
            witness: None,
            atomics: 0,
            fuel: FUEL,
            changed: false,
            begun: SmallVec::new(),
        }
    }

    /// Puts the main thread into an empty state, and runs what is local at its beginning.
    pub(crate) fn begin_program(model: &'r Model, state: &'r mut State, step: &'r mut Step, witness: &'r mut Witness) {
        let program = model.program();
        let entry = match program.functions[program.entry as usize].body {
            Body::Code(entry) => entry,
            _ => 0,
        };
        let head = Head { pc: entry, function: program.entry, ..Head::default() };
        let record = record(program, head, &program.main_arguments);
        let at = state.words.len() + 1;
        state.words.push(Entry { actor: 0, status: Status::Ready, at }.pack());
        state.words.extend_from_slice(&record);
        state.words[model.base()] = 1;
        let mut run = Run::new(model, state, step, 0);
        run.witness = Some(witness);
        run.settle();
    }

    /// Moves the actor by one step.
    pub(crate) fn step(mut self) {
        let result = self.begin().and_then(|()| self.go_on());
        self.finish(result);
    }

    /// Moves the actor by one step, and notes what people are told of it.
    pub(crate) fn step_with(mut self, witness: &'r mut Witness) {
        self.witness = Some(witness);
        self.step();
    }

    /// Runs what is local at an actor's beginning, up to its first visible operation.
    pub(crate) fn settle(mut self) {
        let result = self.go_on();
        self.finish(result);
    }

    fn begin(&mut self) -> Done<()> {
        if self.program.features.exits {
            self.touch(self.model.objects().process(), Access::READ);
        }
        if self.head.has(flag::FRESH) {
            self.touch(self.model.objects().life(self.actor), Access::READ);
            self.head.flags &= !flag::FRESH;
        }
        self.tick();
        match self.status {
            Status::Pending => return self.begin_message(),
            Status::Event => return self.begin_event(),
            Status::TimedWaiting => return self.time_out(),
            Status::Woken => return self.take_again(),
            _ if self.head.has(flag::SECOND) => return self.leave_barrier(),
            _ => {}
        }
        self.status = Status::Ready;
        self.say_what_it_is();
        self.visible()
    }

    /// Most operations can be done whenever an actor stands before them.
    fn say_what_it_is(&mut self) {
        match self.program.code[self.pc] {
            I::Load { order, .. } | I::Store { order, .. } => {
                if order == crate::ir::Order::None {
                    self.step.plain();
                }
                self.step.cannot_wait();
            }
            I::Routine { call } => match self.program.calls[call as usize].routine {
                Routine::Lock if !self.program.features.tries => self.step.cannot_wait(),
                Routine::CopyMemory | Routine::MoveMemory | Routine::SetMemory => {
                    self.step.plain();
                    self.step.cannot_wait();
                }
                routine if routine.may_block() => {}
                _ => self.step.cannot_wait(),
            },
            _ => self.step.cannot_wait(),
        }
    }

    #[inline]
    fn get(&self, operand: Operand) -> u64 {
        match operand.index() {
            Ok(register) => self.frames[self.frame + LINK + register],
            Err(constant) => self.program.constants[constant],
        }
    }

    #[inline]
    fn set(&mut self, register: Register, value: u64) {
        let at = self.frame + LINK + register as usize;
        self.frames[at] = value;
    }

    #[inline]
    fn touch(&mut self, object: ObjectId, access: Access) {
        self.changed |= access.changes();
        self.step.touch(object, access);
    }

    /// Sets the registers that are dead here to 0.
    fn clear_dead(&mut self) {
        let program = self.program;
        for &register in &program.dead_registers[program.dead[self.pc].range()] {
            self.set(register, 0);
        }
    }

    /// Runs what is local. The actor stops before the next visible operation, unless it is in an atomic section.
    fn go_on(&mut self) -> Done<()> {
        let program = self.program;
        loop {
            self.fuel = match self.fuel.checked_sub(1) {
                Some(left) => left,
                None => return crash("a step that does not end"),
            };
            let instruction = program.code[self.pc];
            match instruction {
                I::Move { dst, src } => self.set(dst, self.get(src)),
                I::Binary { operation, width, dst, left, right } => {
                    let value = compute(operation, width, self.get(left), self.get(right))?;
                    self.set(dst, value);
                }
                I::Compare { predicate, width, dst, left, right } => {
                    let value = compare(predicate, width, self.get(left), self.get(right));
                    self.set(dst, u64::from(value));
                }
                I::Truncate { width, dst, src } => self.set(dst, crate::ir::masked(self.get(src), width)),
                I::SignExtend { from, to, dst, src } => {
                    let value = crate::ir::sign_extended(self.get(src), from);
                    self.set(dst, crate::ir::masked(value, to));
                }
                I::Convert { conversion, from, to, dst, src } => {
                    self.set(dst, convert(conversion, from, to, self.get(src)))
                }
                I::Index { dst, base, index, scale } => {
                    let value = self.get(base).wrapping_add(self.get(index).wrapping_mul(u64::from(scale)));
                    self.set(dst, value);
                }
                I::Select { dst, condition, yes, no } => {
                    let value = if self.get(condition) & 1 == 1 { self.get(yes) } else { self.get(no) };
                    self.set(dst, value);
                }
                I::Jump { to } => {
                    self.pc = to as usize;
                    continue;
                }
                I::Branch { condition, yes, no } => {
                    self.model.marks().note(self.pc as u32, crate::coverage::REACHED);
                    self.pc = if self.get(condition) & 1 == 1 { yes } else { no } as usize;
                    continue;
                }
                I::Switch { value, table } => {
                    self.model.marks().note(self.pc as u32, crate::coverage::REACHED);
                    let (value, table) = (self.get(value), &program.switches[table as usize]);
                    let case = table.cases.binary_search_by_key(&value, |case| case.0);
                    self.pc = case.map_or(table.default, |case| table.cases[case].1) as usize;
                    continue;
                }
                I::Local { dst, offset, private } => {
                    let link = self.frames[self.frame + 2];
                    let (region, base) =
                        if private { (Region::Private, link >> 32) } else { (Region::Shared, link & 0xffff_ffff) };
                    self.set(dst, address(space_of(self.actor, region), 8 * base + u64::from(offset)));
                }
                I::ThreadLocal { dst, offset, private } => {
                    let region = if private { Region::Private } else { Region::Shared };
                    self.set(dst, address(space_of(self.actor, region), u64::from(offset)));
                }
                I::Allocate { dst, bytes, private } => {
                    let value = self.allocate_on_stack(self.get(bytes), private)?;
                    self.set(dst, value);
                }
                I::Load { dst, pointer, size, .. } if is_hidden(self.get(pointer)) => {
                    let value = self.load(self.get(pointer), size)?;
                    if program.options.unset {
                        self.refuse_unset(self.get(pointer), size, value)?;
                    }
                    self.set(dst, value);
                }
                I::Store { value, pointer, size, .. } if is_hidden(self.get(pointer)) => {
                    self.store(self.get(pointer), size, self.get(value))?;
                }
                I::Fence { order } => self.fence(order),
                I::Call { function, arguments, results } => {
                    self.call(function, arguments, results)?;
                    continue;
                }
                I::CallPointer { pointer, arguments, results } => {
                    let pointer = self.get(pointer);
                    if space(pointer) != FUNCTIONS || offset(pointer) as usize >= program.functions.len() {
                        return crash(if pointer == 0 {
                            "a null pointer is called"
                        } else {
                            "what is called is no function"
                        });
                    }
                    self.call(offset(pointer) as u32, arguments, results)?;
                    continue;
                }
                I::Return { values } => {
                    self.return_values(values)?;
                    continue;
                }
                I::AtomicEnd => self.atomics = self.atomics.saturating_sub(1),
                I::Enter { spin, kept } => self.enter_loop(spin, kept),
                I::Again { spin, kept } => self.next_round(spin, kept)?,
                I::Unreachable => return crash("code is reached that cannot be"),
                I::Unsupported { message } => return unsupported(program.messages[message as usize].clone()),
                I::Routine { call } if self.is_local(call) => {
                    self.routine(call)?;
                    continue;
                }
                _ => {
                    if self.atomics == 0 {
                        self.clear_dead();
                        self.note_changes();
                        self.status = self.status_before(&instruction);
                        return Ok(());
                    }
                    self.can_go_on_at_once()?;
                    self.visible()?;
                    continue;
                }
            }
            self.pc += 1;
        }
    }

    /// Within an atomic section no other actor can move, so what is blocked stays blocked.
    fn can_go_on_at_once(&mut self) -> Done<()> {
        if let I::Routine { call } = self.program.code[self.pc]
            && self.program.calls[call as usize].routine.may_block()
        {
            self.save();
            let view = self.model.view(self.state);
            if !is_open(self.model, view, view.entry(self.index)) {
                return unsupported("an operation that waits in an atomic section is not modelled");
            }
        }
        Ok(())
    }

    fn status_before(&self, instruction: &I) -> Status {
        match *instruction {
            I::Routine { call } if self.program.calls[call as usize].routine.may_block() => Status::Guarded,
            _ => Status::Ready,
        }
    }

    /// Whether no other actor can see that a routine runs.
    fn is_local(&self, call: u32) -> bool {
        let call = &self.program.calls[call as usize];
        match call.routine.sight() {
            Sight::Local => true,
            Sight::Visible => {
                call.routine == Routine::Free && self.get(self.program.pool[call.arguments.start as usize]) == 0
            }
            Sight::Memory(pointers) => {
                let arguments = &self.program.pool[call.arguments.range()];
                let mut given = arguments.iter().enumerate().take(8).filter(|(number, _)| pointers >> number & 1 == 1);
                given.all(|(_, &argument)| {
                    let address = self.get(argument);
                    is_hidden(address) || !self.model.is_address(address)
                })
            }
        }
    }

    /// Does the visible operation that the actor stands before.
    fn visible(&mut self) -> Done<()> {
        match self.program.code[self.pc] {
            I::Load { dst, pointer, size, order } => {
                let pointer = self.get(pointer);
                let value = self.look(pointer, size)?;
                self.touch_cells(pointer, u64::from(size), Access::READ);
                self.accessed(pointer, u64::from(size), true, false, order);
                if self.program.options.unset {
                    self.refuse_unset(pointer, size, value)?;
                }
                self.set(dst, value);
            }
            I::Store { value, pointer, size, order } => {
                let (pointer, value) = (self.get(pointer), self.get(value));
                let old = self.look(pointer, size)?;
                self.write(pointer, size, old, value)?;
                self.accessed(pointer, u64::from(size), false, true, order);
            }
            I::Modify { operation, size, order, dst, pointer, value } => {
                let pointer = self.get(pointer);
                let old = self.look(pointer, size)?;
                let width = 8 * size;
                let new = compute(operation, width, old, self.get(value))?;
                if dst == NONE && operation == crate::code::Binary::Add {
                    self.changed = true;
                    self.touch_cells(pointer, u64::from(size), Access::ADD);
                    self.store(pointer, size, new)?;
                } else {
                    self.touch_cells(pointer, u64::from(size), Access::READ);
                    self.write(pointer, size, old, new)?;
                }
                self.accessed(pointer, u64::from(size), true, true, order);
                if dst != NONE {
                    self.set(dst, old);
                }
            }
            I::Exchange { pointer, operands, results, size, order, failure } => {
                let pointer = self.get(pointer);
                let pool = &self.program.pool;
                let (expected, new) = (self.get(pool[operands as usize]), self.get(pool[operands as usize + 1]));
                let old = self.look(pointer, size)?;
                self.touch_cells(pointer, u64::from(size), Access::READ);
                let swaps = old == expected;
                if swaps {
                    self.write(pointer, size, old, new)?;
                }
                self.accessed(pointer, u64::from(size), true, swaps, if swaps { order } else { failure });
                for (result, value) in [(results, old), (results + 1, u64::from(swaps))] {
                    if let Some(register) = pool[result as usize].as_register() {
                        self.set(register, value);
                    }
                }
            }
            I::AtomicBegin => self.atomics += 1,
            I::Routine { call } => return self.routine(call),
            _ => {}
        }
        self.pc += 1;
        Ok(())
    }

    /// A store of what is there already is told apart.
    fn write(&mut self, pointer: u64, size: u8, old: u64, new: u64) -> Done<()> {
        self.store(pointer, size, new)?;
        self.changed |= old != crate::ir::masked(new, 8 * size);
        let access = if old == crate::ir::masked(new, 8 * size) { Access::REWRITE } else { Access::WRITE };
        self.touch_cells(pointer, u64::from(size), access);
        Ok(())
    }
}

/// Calls.
impl Run<'_> {
    fn call(&mut self, number: u32, arguments: List, results: List) -> Done<()> {
        let program = self.program;
        let function = &program.functions[number as usize];
        let entry = match function.body {
            Body::Code(entry) => entry,
            Body::Routine(_) => return unsupported(format!("{} by a pointer is not modelled", function.name)),
            Body::Missing => return unsupported(format!("{} is not modelled", function.name)),
        };
        let given: SmallVec<[u64; 8]> =
            program.pool[arguments.range()].iter().map(|&argument| self.get(argument)).collect();
        self.clear_dead();
        let (shared, private) = (self.head.shared_words, self.head.private_words);
        let caller = self.frame as u32;
        self.push_frame(
            number,
            &given,
            pair(self.pc as u32 + 1, caller),
            pair(results.start, results.length),
            shared,
            private,
        )?;
        self.pc = entry as usize;
        Ok(())
    }

    /// Puts a frame on top of the others.
    fn push_frame(
        &mut self,
        number: u32,
        given: &[u64],
        back: u64,
        results: u64,
        shared: u32,
        private: u32,
    ) -> Done<()> {
        let function = &self.program.functions[number as usize];
        let memory = function.shared_words as usize + function.private_words as usize;
        let needed = self.frames.len() + self.head.shared_words as usize + self.head.private_words as usize + memory;
        if needed > DEEPEST {
            return crash("the stack is too deep");
        }
        self.grow_stack(function.shared_words as usize, false);
        self.grow_stack(function.private_words as usize, true);
        self.frame = self.frames.len();
        self.frames.extend([back, results, pair(shared, private)]);
        let registers = function.registers as usize;
        let parameters = function.parameters as usize;
        let first = self.frames.len();
        self.frames.resize(first + registers, 0);
        for (register, &value) in self.frames[first..].iter_mut().take(parameters).zip(given) {
            *register = value;
        }
        if function.is_variadic && registers > parameters {
            let further = given.get(parameters..).unwrap_or_default();
            let at = self.allocate_on_stack(8 * further.len() as u64 + 8, true)?;
            for (number, &value) in further.iter().enumerate() {
                self.store(at + 8 * number as u64, 8, value)?;
            }
            self.frames[first + parameters] = at;
        }
        Ok(())
    }

    fn return_values(&mut self, values: List) -> Done<()> {
        let program = self.program;
        let values: SmallVec<[u64; 2]> = program.pool[values.range()].iter().map(|&value| self.get(value)).collect();
        let (back, results, memory) =
            (self.frames[self.frame], self.frames[self.frame + 1], self.frames[self.frame + 2]);
        if back as u32 == NONE {
            // The high half counts the destructors of keys that were run; then the result of the thread is known.
            return match back >> 32 {
                0 if self.actor == 0 => Err(Stop::End(values.first().copied().unwrap_or(0))),
                0 => self.end_or_destroy(values.first().copied().unwrap_or(0), 0),
                rounds => self.end_or_destroy(results, rounds),
            };
        }
        self.shrink_stacks(memory as u32, (memory >> 32) as u32);
        self.frames.truncate(self.frame);
        self.frame = (back >> 32) as usize;
        self.pc = back as u32 as usize;
        let results = List { start: results as u32, length: (results >> 32) as u32 };
        for (result, value) in program.pool[results.range()].iter().zip(values) {
            if let Some(register) = result.as_register() {
                self.set(register, value);
            }
        }
        Ok(())
    }

    /// Memory on a stack, up to the return of the function.
    fn allocate_on_stack(&mut self, bytes: u64, private: bool) -> Done<u64> {
        let used = self.head.shared_words as u64 + u64::from(self.head.private_words);
        if bytes > 8 * DEEPEST as u64 || used + bytes / 8 > DEEPEST as u64 {
            return crash("the stack is too deep");
        }
        let (region, words) =
            if private { (Region::Private, self.head.private_words) } else { (Region::Shared, self.head.shared_words) };
        // A word that belongs to nothing stands between.
        self.grow_stack((bytes as usize).div_ceil(8) + 1, private);
        Ok(address(space_of(self.actor, region), 8 * u64::from(words) + 8))
    }
}

/// The words of the state.
impl Run<'_> {
    fn view(&self) -> View<'_> {
        self.model.view(self.state)
    }

    /// Puts words into the own record, this many words behind its beginning.
    fn insert_words(&mut self, behind: usize, count: usize, word: u64) {
        if count == 0 {
            return;
        }
        let at = self.at + behind;
        self.state.words.splice(at..at, std::iter::repeat_n(word, count));
        self.move_records(self.index + 1, count as isize);
    }

    fn remove_words(&mut self, behind: usize, count: usize) {
        if count == 0 {
            return;
        }
        let at = self.at + behind;
        self.state.words.drain(at..at + count);
        self.move_records(self.index + 1, -(count as isize));
    }

    /// The records from a place of the directory on stand elsewhere.
    fn move_records(&mut self, from: usize, by: isize) {
        let base = self.model.base();
        let count = self.view().len();
        for word in &mut self.state.words[base + 1 + from..base + 1 + count] {
            *word = word.wrapping_add_signed(by as i64);
        }
    }

    fn grow_stack(&mut self, count: usize, private: bool) {
        let unset = unset_word(self.program);
        if private {
            self.insert_words(self.head.frames_at(), count, unset);
            self.head.private_words += count as u32;
        } else {
            self.insert_words(self.head.private_at(), count, unset);
            self.head.shared_words += count as u32;
        }
    }

    fn shrink_stacks(&mut self, shared: u32, private: u32) {
        let less = (self.head.private_words - private) as usize;
        self.remove_words(self.head.frames_at() - less, less);
        self.head.private_words = private;
        let less = (self.head.shared_words - shared) as usize;
        if less > 0 {
            // Whatever still uses what is gone then depends on this step.
            let gone = address(space_of(self.actor, Region::Shared), 8 * u64::from(shared));
            self.touch_cells(gone, 8 * less as u64, Access::WRITE);
        }
        self.remove_words(self.head.private_at() - less, less);
        self.head.shared_words = shared;
    }

    /// Writes everything back.
    fn save(&mut self) {
        let start = self.at + self.head.frames_at();
        let end = self.view().end(self.index);
        let (old, new) = (end - start, self.frames.len());
        if old == new {
            self.state.words[start..end].copy_from_slice(&self.frames);
        } else {
            let frames = self.frames.iter().copied();
            self.state.words.splice(start..end, frames);
            self.move_records(self.index + 1, new as isize - old as isize);
        }
        self.head.pc = self.pc as u32;
        self.head.frame = self.frame as u32;
        self.head.write(&mut self.state.words, self.at);
        let entry = Entry { actor: self.actor, status: self.status, at: self.at };
        self.state.words[self.model.base() + 1 + self.index] = entry.pack();
    }

    /// Finds the own record again after others came or went.
    fn relocate(&mut self) {
        let view = self.view();
        if let Ok(index) = view.find(self.actor) {
            let entry = view.entry(index);
            self.index = index;
            self.at = entry.at;
            self.head = Head::read(&self.state.words, self.at);
        }
    }

    /// Takes a record out. The own one stands elsewhere then, if it is still there.
    fn remove_record(&mut self, index: usize) {
        let (view, base) = (self.view(), self.model.base());
        let (start, end) = (view.entry(index).at, view.end(index));
        self.state.words.drain(start..end);
        self.state.words.remove(base + 1 + index);
        self.state.words[base] -= 1;
        self.move_records(0, -1);
        self.move_records(index, -((end - start) as isize));
    }

    /// Puts a new record in, and returns its place in the directory.
    fn insert_record(&mut self, actor: u32, status: Status, record: &[u64]) -> usize {
        let (view, base) = (self.view(), self.model.base());
        let index = match view.find(actor) {
            Ok(index) | Err(index) => index,
        };
        let at = if index < view.len() { view.entry(index).at } else { view.words.len() };
        self.state.words.splice(at..at, record.iter().copied());
        self.move_records(index, record.len() as isize);
        let entry = Entry { actor, status, at };
        self.state.words.insert(base + 1 + index, entry.pack());
        self.state.words[base] += 1;
        self.move_records(0, 1);
        index
    }

    fn record(&self, head: Head, given: &[u64]) -> SmallVec<[u64; 64]> {
        record(self.program, head, given)
    }
}

/// The end of a step.
impl Run<'_> {
    fn finish(&mut self, result: Done<()>) {
        match result {
            Ok(()) | Err(Stop::Waits) => self.save(),
            Err(Stop::End(value)) => self.end(Status::Finished, value),
            Err(Stop::Assumed) => {
                self.model.marks().note(self.pc as u32, crate::coverage::BLOCKED);
                self.end(Status::Assumed, 0);
            }
            Err(Stop::Rests) => self.rest(),
            Err(Stop::Spins) => {
                self.status = Status::Spinning;
                self.save();
            }
            Err(Stop::Exit(code)) => self.exit(code),
            Err(Stop::Wrong(kind, message)) => {
                let mut violation = Violation::new(kind, message);
                violation.location = self.model.location(self.pc as u32);
                violation.actor = Some(ActorId(self.actor));
                self.step.fail(violation);
                self.end(Status::Halted, 0);
            }
            Err(Stop::Violation(mut violation)) => {
                violation.actor = Some(ActorId(self.actor));
                self.step.fail(*violation);
                self.end(Status::Halted, 0);
            }
        }
    }
}

/// What memory holds that was never set: 0, or a pattern that is looked for where that counts as wrong.
fn unset_word(program: &Program) -> u64 {
    if program.options.unset { access::UNSET } else { 0 }
}

/// The record of an actor that begins with a function.
fn record(program: &Program, head: Head, given: &[u64]) -> SmallVec<[u64; 64]> {
    let function = &program.functions[head.function as usize];
    let (shared, private) = (program.thread_shared.len(), program.thread_private.len());
    let mut record: SmallVec<[u64; 64]> = SmallVec::from_elem(0, HEAD);
    record.extend_from_slice(&program.thread_shared);
    let unset = unset_word(program);
    record.resize(record.len() + function.shared_words as usize, unset);
    record.extend_from_slice(&program.thread_private);
    record.resize(record.len() + function.private_words as usize, unset);
    record.extend([u64::from(NONE), 0, pair(shared as u32, private as u32)]);
    let first = record.len();
    record.resize(first + function.registers as usize, 0);
    for (register, &value) in record[first..].iter_mut().take(function.parameters as usize).zip(given) {
        *register = value;
    }
    let head = Head {
        shared_words: shared as u32 + function.shared_words,
        private_words: private as u32 + function.private_words,
        ..head
    };
    head.write(&mut record, 0);
    record
}
