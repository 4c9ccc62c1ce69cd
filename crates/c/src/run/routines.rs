//! What the functions do that the model knows.

use super::number::compute;
use super::threads::error;
use super::{Done, MOST_HEAP, Run, Stop, crash, unsupported};
use crate::code::{Binary, NONE};
use crate::ir::{masked, sign_extended};
use crate::library::{Math, Routine as R};
use crate::memory::{Region, address, offset, owner, space, space_of};
use crate::objects::Key;
use crate::state::{BLOCK_ALIGN, Block, Head, Status, flag, pair};
use mazurka_core::{Access, Violation, ViolationKind};

impl Run<'_> {
    /// Runs the routine that the actor stands before, and goes on behind it.
    pub(super) fn routine(&mut self, number: u32) -> Done<()> {
        let program = self.program;
        let call = &program.calls[number as usize];
        let pc = self.pc;
        let value = self.value(number)?;
        if self.pc != pc {
            // A function was called, or control is elsewhere.
            return Ok(());
        }
        if call.result != NONE {
            self.set(call.result, masked(value, call.width));
        }
        self.pc += 1;
        Ok(())
    }

    fn value(&mut self, number: u32) -> Done<u64> {
        let program = self.program;
        let call = &program.calls[number as usize];
        let arguments = &program.pool[call.arguments.range()];
        let given = |run: &Self, number: usize| arguments.get(number).map_or(0, |&argument| run.get(argument));
        let (a, b, c, d) = (given(self, 0), given(self, 1), given(self, 2), given(self, 3));
        let bits = call.width;
        Ok(match call.routine {
            R::Create => self.create(a, c, d, self.detached_by(b))?,
            R::CreateC11 => self.create(a, b, c, flag::C11)?,
            R::Join => self.join(a, b, false)?,
            R::JoinC11 => self.join(a, b, true)?,
            R::Detach => self.detach(a)?,
            // Unless a destructor is run first, this is the end.
            R::EndThread => return self.end_or_destroy(a, 0).map(|()| 0),
            R::EndThreadC11 => return self.end_or_destroy(masked(a, 32), 0).map(|()| 0),
            R::Current => u64::from(self.actor) + 1,
            R::SameThread => u64::from(a == b),
            R::MutexInit => {
                let kind = if b == 0 { 0 } else { self.load(b, 1)? };
                self.mutex_init(a, kind)?
            }
            R::MutexInitC11 => self.mutex_init(a, b & 1)?,
            R::SpinInit => self.mutex_init(a, 0)?,
            R::SetMutexType => {
                self.store(a, 1, b)?;
                0
            }
            R::MutexDestroy => self.mutex_destroy(a)?,
            R::Lock => self.lock(a)?,
            R::TryLock => self.try_lock(a, error::BUSY)?,
            R::TryLockC11 => self.try_lock(a, 1)?,
            R::TimedLock => self.timed_lock(a, error::TIMED_OUT)?,
            R::TimedLockC11 => self.timed_lock(a, 4)?,
            R::Unlock => self.unlock(a)?,
            R::ConditionInit | R::RwInit => self.set_up(a, 0)?,
            R::ConditionDestroy | R::RwDestroy | R::BarrierDestroy | R::SemaphoreDestroy => {
                self.touch_cells(a, 4, Access::READ);
                0
            }
            R::Wait => self.wait(a, b, Status::Waiting)?,
            R::TimedWait | R::TimedWaitC11 => self.wait(a, b, Status::TimedWaiting)?,
            R::Signal => self.signal(a, false)?,
            R::Broadcast => self.signal(a, true)?,
            R::ReadLock => self.read_lock(a, false)?,
            R::WriteLock => self.write_lock(a, false)?,
            R::TryReadLock => self.read_lock(a, true)?,
            R::TryWriteLock => self.write_lock(a, true)?,
            R::TimedReadLock | R::TimedWriteLock => self.timed_rw_lock(a, call.routine == R::TimedReadLock)?,
            R::RwUnlock => self.rw_unlock(a)?,
            R::BarrierInit => self.set_up(a, masked(c, 32))?,
            R::BarrierWait => self.barrier_wait(a)?,
            R::SemaphoreInit => self.set_up(a, masked(c, 32))?,
            R::SemaphoreWait => self.semaphore_wait(a, false)?,
            R::SemaphoreTryWait => self.semaphore_wait(a, true)?,
            R::SemaphoreTimedWait => self.semaphore_timed_wait(a)?,
            R::SemaphorePost => self.semaphore_post(a)?,
            R::SemaphoreValue => self.semaphore_value(a, b)?,
            R::Once => {
                if self.once(a)? {
                    return Ok(0);
                }
                // It comes back to this place, to note that it was done.
                let function = self.runnable(b)?;
                let (shared, private) = (self.head.shared_words, self.head.private_words);
                let back = pair(self.pc as u32, self.frame as u32);
                self.push_frame(function, &[], back, 0, shared, private)?;
                let crate::code::Body::Code(entry) = program.functions[function as usize].body else { return Ok(0) };
                self.pc = entry as usize;
                0
            }
            R::KeyCreate => self.key_create(a, b)?,
            R::KeyDelete => self.key_delete(a)?,
            R::KeySet => {
                self.set_thread_value(a, b)?;
                0
            }
            R::KeyGet => self.thread_value(a),
            R::Malloc => self.allocate(a)?,
            R::Calloc => match a.checked_mul(b) {
                Some(size) => self.allocate(size)?,
                None => 0,
            },
            R::AlignedAlloc => self.allocate(b)?,
            R::PosixMemalign => {
                let block = self.allocate(c)?;
                let old = self.load(a, 8)?;
                self.write(a, 8, old, block)?;
                0
            }
            R::Realloc => self.reallocate(a, b)?,
            R::Free => {
                self.free(a)?;
                0
            }
            R::MoveMemory if &*call.name == "bcopy" => self.text_routine(call.routine, b, a, c)?,
            R::CopyMemory
            | R::MoveMemory
            | R::SetMemory
            | R::CompareMemory
            | R::FindByte
            | R::Length
            | R::BoundedLength
            | R::Compare
            | R::CompareBounded
            | R::CopyString
            | R::CopyBounded
            | R::Concatenate
            | R::ConcatenateBounded
            | R::Find
            | R::FindLast
            | R::FindString
            | R::Duplicate
            | R::ParseInt
            | R::ParseLong => self.text_routine(call.routine, a, b, c)?,
            R::Absolute => u64::from((a as i32).wrapping_abs() as u32),
            R::AbsoluteLong => (sign_extended(a, bits) as i64).wrapping_abs() as u64,
            R::FirstSet => {
                if a as u32 == 0 {
                    0
                } else {
                    u64::from(a.trailing_zeros()) + 1
                }
            }
            R::FirstSetLong => {
                if a == 0 {
                    0
                } else {
                    u64::from(a.trailing_zeros()) + 1
                }
            }
            R::IsDigit => u64::from((a as u8).is_ascii_digit()),
            R::IsAlpha => u64::from((a as u8).is_ascii_alphabetic()),
            R::IsAlnum => u64::from((a as u8).is_ascii_alphanumeric()),
            R::IsSpace => u64::from(matches!(a as u8, b' ' | 9..=13)),
            R::IsUpper => u64::from((a as u8).is_ascii_uppercase()),
            R::IsLower => u64::from((a as u8).is_ascii_lowercase()),
            R::ToUpper => u64::from((a as u8).to_ascii_uppercase()),
            R::ToLower => u64::from((a as u8).to_ascii_lowercase()),
            R::Random | R::Environment => 0,
            R::CountLeadingZeros => u64::from(a.leading_zeros()) + u64::from(bits) - 64,
            R::CountTrailingZeros => u64::from(a.trailing_zeros()).min(u64::from(bits)),
            R::PopulationCount => u64::from(a.count_ones()),
            R::ByteSwap => a.swap_bytes() >> (64 - bits),
            R::AddOverflow => {
                let width = given(self, 4) as u8;
                u64::from(overflows(c, d == 1, width, a, b))
            }
            R::Max => compute(Binary::Max, bits, a, b)?,
            R::Min => compute(Binary::Min, bits, a, b)?,
            R::MaxUnsigned => a.max(b),
            R::MinUnsigned => a.min(b),
            R::First => a,
            R::IsConstant => 0,
            R::ObjectSize => u64::MAX,
            R::Math(function) => math(function, bits, a, b, c),
            R::Print => self.print(call.result != NONE, a, arguments, 1, None)?,
            R::PrintTo => self.print(call.result != NONE, b, arguments, 2, None)?,
            R::PrintVariadic => self.print(call.result != NONE, a, arguments, 1, Some(b))?,
            R::PrintVariadicTo => self.print(call.result != NONE, b, arguments, 2, Some(c))?,
            R::PrintText => self.print_text(a, true)?,
            R::PrintTextTo | R::PrintError => self.print_text(a, false)?,
            R::PrintChar => {
                self.emit_output(&[a as u8]);
                masked(a, 8)
            }
            R::WriteBytes => {
                if self.witness.is_some() && b.saturating_mul(c) < 1 << 20 {
                    let bytes = self.read_bytes(a, b * c)?;
                    self.emit_output(&bytes);
                }
                c
            }
            R::Format => self.format_to(a, None, b, arguments, 2, None)?,
            R::FormatBounded => self.format_to(a, Some(b), c, arguments, 3, None)?,
            R::FormatVariadic => self.format_to(a, None, b, arguments, 2, Some(c))?,
            R::FormatBoundedVariadic => self.format_to(a, Some(b), c, arguments, 3, Some(d))?,
            R::Abort => return crash("abort was called"),
            R::Trap => return crash("a trap was reached"),
            R::ErrorReached => return Err(Stop::Wrong(ViolationKind::Assertion, format!("{} was reached", call.name))),
            R::AssertFail => return Err(self.assertion_failed(a)),
            R::AssertFailMac => return Err(self.assertion_failed(d)),
            R::AssertThat => {
                self.model.marks().note(self.pc as u32, crate::coverage::REACHED);
                if masked(a, 32) == 0 {
                    return Err(Stop::Wrong(ViolationKind::Assertion, "assertion failed".to_owned()));
                }
                0
            }
            R::Exit => return Err(Stop::Exit(a)),
            R::Progress => {
                self.step.progress();
                0
            }
            R::Assume => {
                if masked(a, 32) == 0 {
                    return Err(Stop::Assumed);
                }
                self.model.marks().note(self.pc as u32, crate::coverage::PASSED);
                0
            }
            R::NondetBool => self.step.choose(2),
            R::Nondet => self.nondet(&call.name)?,
            R::Choose => {
                let (from, to) = (sign_extended(a, 32) as i64, sign_extended(b, 32) as i64);
                if from >= to {
                    return crash("a choice among nothing");
                }
                let chosen = self.step.choose(to.abs_diff(from));
                from.wrapping_add_unsigned(chosen) as u64
            }
            R::AtomicBegin | R::AtomicEnd => 0,
            R::HandlerAny => self.make_handler(a, false)?,
            R::HandlerFifo => self.make_handler(a, true)?,
            R::Post => {
                self.post(a, b, c)?;
                0
            }
            R::Event => {
                self.make_event(a, b)?;
                0
            }
            R::QCreate => self.queue_create(a, b, c)?,
            R::QStart => self.queue_start(a)?,
            R::QExec => return self.queue_exec().map(|()| 0),
            R::QPost => {
                self.post(a, b, c)?;
                0
            }
            R::ErrnoLocation => self.errno(),
            R::VaStart => self.start_arguments(a, b)?,
            R::VaEnd => 0,
            R::VaCopy => {
                for word in 0..3 {
                    if let Ok(value) = self.load(b + 8 * word, 8) {
                        self.store(a + 8 * word, 8, value)?;
                    }
                }
                0
            }
            R::StackSave => pair(self.head.shared_words, self.head.private_words),
            R::StackRestore => {
                let (shared, private) = (a as u32, (a >> 32) as u32);
                if shared <= self.head.shared_words && private <= self.head.private_words {
                    self.shrink_stacks(shared, private);
                }
                0
            }
            R::Nothing => 0,
            R::SetDetached => {
                self.store(a, 1, b)?;
                0
            }
            R::Clock => {
                for place in [a, b] {
                    if self.model.is_address(place) && call.name.as_ref() != "clock" {
                        let size = if self.locate(place, 16).is_ok() { 16 } else { 8 };
                        self.write_bytes(place, &vec![0; size])?;
                        break;
                    }
                }
                0
            }
        })
    }

    fn detached_by(&self, attributes: u64) -> u32 {
        let is_detached = attributes != 0 && self.load(attributes, 1).is_ok_and(|value| value == 1);
        if is_detached { flag::DETACHED } else { 0 }
    }

    fn assertion_failed(&self, text: u64) -> Stop {
        let text = self.peek_text(text, 200);
        let mut violation = Violation::new(ViolationKind::Assertion, format!("assertion failed: {text}"));
        violation.location = self.model.location(self.pc as u32);
        violation.values =
            self.model.values_at(self.model.view(self.state), &self.frames[self.frame..], self.actor, self.pc as u32);
        Stop::Violation(Box::new(violation))
    }

    /// A value that is not known.
    fn nondet(&mut self, name: &str) -> Done<u64> {
        match self.program.options.nondet {
            Some((from, to)) => {
                let chosen = self.step.choose(to.abs_diff(from).saturating_add(1));
                Ok(from.wrapping_add_unsigned(chosen) as u64)
            }
            None => unsupported(format!("{name}: tell with --nondet FROM..TO which values to explore")),
        }
    }

    /// Where errno of the thread is.
    fn errno(&self) -> u64 {
        address(space_of(self.actor, Region::Private), 0)
    }

    pub(super) fn set_errno(&mut self, value: u64) -> Done<()> {
        if self.program.has_errno { self.store(self.errno(), 4, value) } else { Ok(()) }
    }

    /// Sets up a list of arguments: those of x86-64 say that all registers were used, and where the others are.
    fn start_arguments(&mut self, list: u64, further: u64) -> Done<u64> {
        if self.locate(list, 24).is_ok() {
            self.store(list, 4, 48)?;
            self.store(list + 4, 4, 176)?;
            self.store(list + 8, 8, further)?;
        } else {
            self.store(list, 8, further)?;
        }
        Ok(0)
    }
}

/// How many destructors of keys are run at the end of a thread.
const MOST_DESTRUCTORS: u64 = 4 * crate::MOST_KEYS;

/// Values by thread: a table in the private memory, behind errno.
impl Run<'_> {
    fn key_place(&self, key: u64) -> u64 {
        address(space_of(self.actor, Region::Private), 8 + 8 * masked(key, 32))
    }

    fn key_create(&mut self, place: u64, destructor: u64) -> Done<u64> {
        // Keys are numbered in a variable that the model adds.
        let counter = self.program.keys_at;
        let next = self.load(counter, 4)?;
        self.touch_cells(counter, 4, Access::READ);
        if next >= crate::MOST_KEYS {
            return Ok(error::AGAIN);
        }
        self.write(counter, 4, next, next + 1)?;
        self.write(counter + 8 + 8 * next, 8, 0, destructor)?;
        let old = self.load(place, 4)?;
        self.write(place, 4, old, next)?;
        Ok(0)
    }

    fn key_delete(&mut self, key: u64) -> Done<u64> {
        let key = masked(key, 32);
        if key >= crate::MOST_KEYS {
            return Ok(error::INVALID);
        }
        let place = self.program.keys_at + 8 + 8 * key;
        let old = self.load(place, 8)?;
        self.write(place, 8, old, 0)?;
        Ok(0)
    }

    /// A thread has come to its end with this result: first the destructor of a key is run for which it has a value, if
    /// there is one; `rounds` tells how many were run before.
    pub(super) fn end_or_destroy(&mut self, result: u64, rounds: u64) -> Done<()> {
        let is_thread = !self.head.has(flag::MESSAGE | flag::EVENT | flag::HANDLER);
        if self.program.keys_at == 0 || !is_thread || rounds >= MOST_DESTRUCTORS {
            return Err(Stop::End(result));
        }
        for key in 0..crate::MOST_KEYS {
            let value = self.load(self.key_place(key), 8)?;
            if value == 0 {
                continue;
            }
            let place = self.program.keys_at + 8 + 8 * key;
            self.touch_cells(place, 8, Access::READ);
            let destructor = self.load(place, 8)?;
            if destructor == 0 {
                continue;
            }
            let function = self.runnable(destructor)?;
            let crate::code::Body::Code(entry) = self.program.functions[function as usize].body else { continue };
            self.store(self.key_place(key), 8, 0)?;
            self.frames.clear();
            let (shared, private) = (self.program.thread_shared.len(), self.program.thread_private.len());
            self.shrink_stacks(shared as u32, private as u32);
            let back = pair(NONE, rounds as u32 + 1);
            self.push_frame(function, &[value], back, result, shared as u32, private as u32)?;
            self.pc = entry as usize;
            return Ok(());
        }
        Err(Stop::End(result))
    }

    fn set_thread_value(&mut self, key: u64, value: u64) -> Done<()> {
        if masked(key, 32) >= crate::MOST_KEYS {
            return crash("a key that was not made");
        }
        self.store(self.key_place(key), 8, value)
    }

    fn thread_value(&self, key: u64) -> u64 {
        if masked(key, 32) >= crate::MOST_KEYS { 0 } else { self.load(self.key_place(key), 8).unwrap_or(0) }
    }
}

/// The heap. An actor's blocks are where its earlier allocations put them, whatever others do.
impl Run<'_> {
    pub(super) fn allocate(&mut self, size: u64) -> Done<u64> {
        self.use_fuel()?;
        if size > i64::MAX as u64 {
            // No machine has so much.
            return Ok(0);
        }
        // A place is looked for among the blocks that there are.
        self.fuel = self.fuel.saturating_sub(self.head.blocks / 4);
        let used = 8 * u64::from(self.head.heap_words);
        if size > MOST_HEAP || used + size > MOST_HEAP {
            return unsupported(format!("more than {} MiB of allocated memory are not modelled", MOST_HEAP >> 20));
        }
        if self.model.reuses_memory() {
            self.touch(self.model.objects().other(Key::Heap(self.actor)), Access::READ_WRITE);
        }
        let start = self.at + self.head.blocks_at();
        let blocks = &self.state.words[start..start + self.head.blocks as usize];
        let room = |size: u64| (size.max(1) + 2 * BLOCK_ALIGN).next_multiple_of(BLOCK_ALIGN);
        let (mut place, mut number, mut words) = (BLOCK_ALIGN, blocks.len(), 0usize);
        for (index, &block) in blocks.iter().enumerate() {
            let block = Block::unpack(block);
            if self.model.reuses_memory() && place + room(size) <= block.place {
                number = index;
                break;
            }
            place = block.place + room(block.size);
            words += block.words();
        }
        if place >= 1 << 34 {
            return unsupported("so many allocations are not modelled");
        }
        let block = Block { place, size, is_alive: true };
        let heap = self.head.heap_at() + words;
        let is_zero = matches!(self.program.code[self.pc], crate::code::Instruction::Routine { call }
            if self.program.calls[call as usize].routine == R::Calloc);
        let word = if is_zero { 0 } else { super::unset_word(self.program) };
        self.insert_words(heap, block.words(), word);
        self.head.heap_words += block.words() as u32;
        self.insert_words(self.head.blocks_at() + number, 1, 0);
        self.state.words[self.at + HEAD_BLOCKS + number] = block.pack();
        self.head.blocks += 1;
        self.head.write(&mut self.state.words, self.at);
        let ty = match self.program.code[self.pc] {
            crate::code::Instruction::Routine { call } => self.program.calls[call as usize].block_type,
            _ => None,
        };
        self.model.blocks().note(self.actor, place, self.head.blocks, size, ty);
        Ok(address(space_of(self.actor, Region::Heap), place))
    }

    /// The block that begins at an address: the actor's place in the directory, the block's number, the block, and
    /// where its words are.
    fn block(&self, at: u64) -> Done<(usize, usize, Block, usize)> {
        let Some((actor, Region::Heap)) = owner(space(at)) else {
            return crash("memory is freed that was not allocated");
        };
        let view = self.view();
        let Ok(index) = view.find(actor) else { return crash("memory is freed twice") };
        let entry = view.entry(index);
        let head = if actor == self.actor { self.head } else { view.head(entry) };
        let mut words = entry.at + head.heap_at();
        for number in 0..head.blocks as usize {
            let block = Block::unpack(view.words[entry.at + head.blocks_at() + number]);
            if block.place == offset(at) {
                if !block.is_alive {
                    return crash("memory is freed twice");
                }
                return Ok((index, number, block, words));
            }
            words += block.words();
        }
        if self.model.blocks().was_block(actor, offset(at)) {
            return crash("memory is freed twice");
        }
        crash("memory is freed that does not begin a block")
    }

    pub(super) fn free(&mut self, at: u64) -> Done<()> {
        if at == 0 {
            return Ok(());
        }
        let (index, number, block, start) = match self.block(at) {
            Ok(found) => found,
            Err(stop) => {
                self.touch_what_is_gone(at, 1);
                return Err(stop);
            }
        };
        let (actor, pc) = (self.actor, self.pc as u32);
        if let Some(witness) = &mut self.witness {
            witness.freed.push((at, block.size, actor, pc));
        }
        self.touch_cells(at, block.size, Access::WRITE);
        self.accessed(at, block.size, false, true, crate::ir::Order::None);
        let base = self.model.base();
        let entry = self.view().entry(index);
        let is_own = index == self.index;
        let mut head = if is_own { self.head } else { Head::read(&self.state.words, entry.at) };
        let count = block.words();
        self.state.words.drain(start..start + count);
        head.heap_words -= count as u32;
        let mut gone = count as isize;
        if self.model.reuses_memory() {
            self.touch(self.model.objects().other(Key::Heap(entry.actor)), Access::WRITE);
            self.state.words.remove(entry.at + head.blocks_at() + number);
            head.blocks -= 1;
            gone += 1;
        } else {
            self.state.words[entry.at + head.blocks_at() + number] = Block { is_alive: false, ..block }.pack();
        }
        self.move_records(index + 1, -gone);
        head.write(&mut self.state.words, entry.at);
        if is_own {
            self.head = head;
        } else {
            self.at = crate::state::Entry::unpack(self.state.words[base + 1 + self.index]).at;
            if entry.status == Status::Gone {
                self.forget(index);
            }
        }
        Ok(())
    }

    fn reallocate(&mut self, at: u64, size: u64) -> Done<u64> {
        if at == 0 {
            return self.allocate(size);
        }
        let (_, _, block, _) = self.block(at)?;
        let kept = self.read_bytes(at, block.size.min(size))?;
        let new = self.allocate(size)?;
        self.write_bytes(new, &kept)?;
        self.free(at)?;
        Ok(new)
    }
}

/// Where a record's blocks begin.
const HEAD_BLOCKS: usize = crate::state::HEAD;

/// Whether an operation's result does not fit.
fn overflows(operation: u64, signed: bool, width: u8, left: u64, right: u64) -> bool {
    if signed {
        let (left, right) =
            (i128::from(sign_extended(left, width) as i64), i128::from(sign_extended(right, width) as i64));
        let value = match operation {
            _ if operation == Binary::Add as u64 => left + right,
            _ if operation == Binary::Subtract as u64 => left - right,
            _ => left * right,
        };
        value != i128::from(sign_extended(value as u64, width) as i64)
    } else {
        let (left, right) = (i128::from(left), i128::from(right));
        let value = match operation {
            _ if operation == Binary::Add as u64 => left + right,
            _ if operation == Binary::Subtract as u64 => left - right,
            _ => left * right,
        };
        value < 0 || value >> width != 0
    }
}

fn math(function: Math, width: u8, a: u64, b: u64, c: u64) -> u64 {
    let float = |bits: u64| if width == 32 { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    let (a, b, c) = (float(a), float(b), float(c));
    let value = match function {
        Math::Absolute => a.abs(),
        Math::SquareRoot => a.sqrt(),
        Math::Floor => a.floor(),
        Math::Ceil => a.ceil(),
        Math::Truncate => a.trunc(),
        Math::Round => a.round(),
        Math::Power => a.powf(b),
        Math::Exp => a.exp(),
        Math::Log => a.ln(),
        Math::Sine => a.sin(),
        Math::Cosine => a.cos(),
        Math::Tangent => a.tan(),
        Math::Max => a.max(b),
        Math::Min => a.min(b),
        Math::MultiplyAdd => a * b + c,
        Math::CopySign => a.copysign(b),
        Math::Remainder => a % b,
    };
    if width == 32 { u64::from((value as f32).to_bits()) } else { value.to_bits() }
}
