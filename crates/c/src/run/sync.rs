//! Mutexes, condition variables, read-write locks, barriers, semaphores.
//!
//! Their state is in the program's memory, in eight bytes from their address on. A mutex: who holds it plus 1 in four bytes,
//! its kind in one, how often it is held in two. A read-write lock: the writer plus 1, the number of readers. A barrier: how
//! many it needs, how many are there. A semaphore: its count. So it is saved and compared like everything else.

use super::threads::error;
use super::{Done, Run, Stop, crash, peek, unsupported};
use crate::code::Instruction as I;
use crate::ir::Order;
use crate::library::Routine;
use crate::memory::{Region, is_hidden, space_of};
use crate::model::Model;
use crate::objects::{Key, SyncKind};
use crate::state::{Entry, Head, LINK, Status, View, flag};
use mazurka_core::{Access, Awaited, Footprint, ObjectId};
use smallvec::SmallVec;

/// The kinds of mutexes.
const RECURSIVE: u64 = 1;
const ERROR_CHECK: u64 = 2;

/// What a mutex's word tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MutexWord {
    /// Who holds it, plus 1.
    pub(crate) holder: u32,
    kind: u64,
    /// How often it is held beyond the first time.
    again: u64,
}

impl MutexWord {
    pub(crate) fn unpack(word: u64) -> Self {
        MutexWord { holder: word as u32, kind: word >> 32 & 0xff, again: word >> 48 }
    }

    fn pack(self) -> u64 {
        u64::from(self.holder) | self.kind << 32 | self.again << 48
    }
}

/// The value of an argument of the routine that an actor stands before.
fn argument(model: &Model, view: View<'_>, entry: Entry, head: &Head, number: usize) -> u64 {
    let program = model.program();
    let I::Routine { call } = program.code[head.pc as usize] else { return 0 };
    let arguments = &program.pool[program.calls[call as usize].arguments.range()];
    match arguments.get(number).map(|argument| argument.index()) {
        Some(Ok(register)) => view.words[entry.at + head.frames_at() + head.frame as usize + LINK + register],
        Some(Err(constant)) => program.constants[constant],
        None => 0,
    }
}

fn routine_at(model: &Model, pc: u32) -> Option<Routine> {
    match model.program().code[pc as usize] {
        I::Routine { call } => Some(model.program().calls[call as usize].routine),
        _ => None,
    }
}

/// The word of a mutex or the like. An actor that cannot read it, or that must not, goes on and finds that out.
fn word_at(model: &Model, view: View<'_>, address: u64) -> Option<u64> {
    let is_unset = |word| model.program().options.unset && word == super::access::UNSET;
    peek(model, view, address, 8).filter(|&word| !is_unset(word))
}

fn is_mutex_free(model: &Model, view: View<'_>, actor: u32, address: u64) -> bool {
    word_at(model, view, address).map(MutexWord::unpack).is_none_or(|mutex| {
        mutex.holder == 0 || mutex.holder == actor + 1 && matches!(mutex.kind, RECURSIVE | ERROR_CHECK)
    })
}

/// Whether an actor can move.
pub(crate) fn is_open(model: &Model, view: View<'_>, entry: Entry) -> bool {
    match entry.status {
        Status::Ready | Status::TimedWaiting | Status::Event => return true,
        Status::Guarded | Status::Woken => {}
        Status::Pending => return model.can_begin(view, entry),
        _ => return false,
    }
    let head = view.head(entry);
    let given = |number| argument(model, view, entry, &head, number);
    let word = |number| word_at(model, view, given(number));
    match routine_at(model, head.pc) {
        Some(Routine::Lock) => is_mutex_free(model, view, entry.actor, given(0)),
        Some(Routine::Wait | Routine::TimedWait | Routine::TimedWaitC11) => {
            entry.status != Status::Woken || is_mutex_free(model, view, entry.actor, given(1))
        }
        Some(Routine::Join | Routine::JoinC11) => {
            let thread = u32::try_from(given(0).wrapping_sub(1)).ok();
            let thread = thread.and_then(|thread| view.actor(thread));
            thread.is_none_or(|thread| {
                thread.actor == entry.actor || matches!(thread.status, Status::Finished | Status::Gone)
            })
        }
        Some(Routine::SemaphoreWait) => word(0).is_none_or(|word| word as u32 > 0),
        Some(Routine::ReadLock) => word(0).is_none_or(|word| word as u32 == 0),
        Some(Routine::WriteLock) => word(0).is_none_or(|word| word == 0),
        Some(Routine::Once) => {
            peek(model, view, given(0), 4).is_none_or(|word| word & 3 != 1 || word >> 2 == u64::from(entry.actor) + 1)
        }
        _ => true,
    }
}

/// What an actor that cannot move needs, and what it waits for.
pub(crate) fn obstacle(model: &Model, view: View<'_>, entry: Entry, footprint: &mut Footprint) -> Option<Awaited> {
    let objects = model.objects();
    let head = view.head(entry);
    if model.program().features.exits {
        footprint.touch(objects.process(), Access::READ);
    }
    let life = objects.life(entry.actor);
    if head.has(flag::FRESH) {
        footprint.touch(life, Access::READ);
    }
    match entry.status {
        Status::NotStarted => {
            footprint.touch(life, Access::READ);
            return Some(Awaited::Made(life));
        }
        Status::Pending => return model.message_obstacle(view, entry, &head, footprint),
        Status::AtBarrier => {
            footprint.touch(life, Access::READ);
            return Some(Awaited::Made(life));
        }
        _ => {}
    }
    let given = |number| argument(model, view, entry, &head, number);
    let cell = |address: u64, footprint: &mut Footprint| {
        super::access::for_each_object(model, address, 4, |object| footprint.touch(object, Access::READ));
    };
    let take = |kind: SyncKind, address: u64, access: Access, footprint: &mut Footprint| {
        let object = objects.sync(kind, address);
        cell(address, footprint);
        footprint.touch(object, access);
        Some(Awaited::Freed(object))
    };
    match routine_at(model, head.pc)? {
        Routine::Lock => take(SyncKind::Mutex, given(0), model.locking(), footprint),
        Routine::Wait | Routine::TimedWait | Routine::TimedWaitC11 => {
            footprint.touch(life, Access::READ);
            let freed = take(SyncKind::Mutex, given(1), model.locking(), footprint);
            if entry.status == Status::Waiting { Some(Awaited::Made(life)) } else { freed }
        }
        Routine::Join | Routine::JoinC11 => {
            let thread = objects.life(u32::try_from(given(0).wrapping_sub(1)).unwrap_or(0));
            footprint.touch(thread, Access::READ);
            Some(Awaited::Made(thread))
        }
        Routine::SemaphoreWait => take(SyncKind::Semaphore, given(0), Access::READ_WRITE, footprint),
        Routine::ReadLock | Routine::WriteLock => take(SyncKind::RwLock, given(0), Access::READ_WRITE, footprint),
        Routine::Once => take(SyncKind::Once, given(0), Access::READ_WRITE, footprint),
        _ => None,
    }
}

impl Run<'_> {
    /// The word of a mutex or the like. The operation that initialises it writes its cell, and all others read that.
    fn sync_word(&mut self, kind: SyncKind, address: u64) -> Done<(ObjectId, u64)> {
        if is_hidden(address) {
            return unsupported("a lock in memory that no other thread can see is not modelled");
        }
        let word = match self.load(address, 8) {
            Ok(word) => word,
            Err(_) => self.look(address, 4)?,
        };
        if self.program.options.unset {
            self.refuse_unset(address, 8, word)?;
        }
        self.touch_cells(address, 4, Access::READ);
        Ok((self.model.objects().sync(kind, address), word))
    }

    fn set_word(&mut self, address: u64, word: u64) -> Done<()> {
        match self.store(address, 8, word) {
            Err(_) => self.store(address, 4, word),
            done => done,
        }
    }

    /// Sets up a mutex or the like, or takes it down.
    pub(super) fn set_up(&mut self, address: u64, word: u64) -> Done<u64> {
        let old = match self.load(address, 8) {
            Ok(word) => word,
            Err(_) => self.look(address, 4)?,
        };
        self.set_word(address, word)?;
        let access = if old == word { Access::REWRITE } else { Access::WRITE };
        self.touch_cells(address, 4, access);
        self.accessed(address, 4, false, true, Order::None);
        Ok(0)
    }

    pub(super) fn mutex_init(&mut self, address: u64, kind: u64) -> Done<u64> {
        self.set_up(address, MutexWord { holder: 0, kind, again: 0 }.pack())
    }

    pub(super) fn mutex_destroy(&mut self, address: u64) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::Mutex, address)?;
        if MutexWord::unpack(word).holder != 0 {
            self.touch(object, Access::READ);
            return crash("a mutex is destroyed while it is held");
        }
        Ok(0)
    }

    pub(super) fn lock(&mut self, address: u64) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::Mutex, address)?;
        let mutex = MutexWord::unpack(word);
        if mutex.holder == self.actor + 1 {
            self.touch(object, Access::READ);
            if mutex.kind != RECURSIVE {
                return Ok(error::DEADLOCK);
            }
            self.set_word(address, MutexWord { again: mutex.again + 1, ..mutex }.pack())?;
            return Ok(0);
        }
        self.touch(object, self.model.locking());
        self.acquired(object);
        self.set_word(address, MutexWord { holder: self.actor + 1, ..mutex }.pack())?;
        Ok(0)
    }

    pub(super) fn try_lock(&mut self, address: u64, busy: u64) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::Mutex, address)?;
        let mutex = MutexWord::unpack(word);
        if mutex.holder == self.actor + 1 && mutex.kind == RECURSIVE {
            self.touch(object, Access::READ);
            self.set_word(address, MutexWord { again: mutex.again + 1, ..mutex }.pack())?;
            return Ok(0);
        }
        if mutex.holder != 0 {
            self.touch(object, Access::READ);
            return Ok(busy);
        }
        self.touch(object, Access::READ_WRITE);
        self.acquired(object);
        self.set_word(address, MutexWord { holder: self.actor + 1, ..mutex }.pack())?;
        Ok(0)
    }

    /// May acquire the mutex or not, even if it is free.
    pub(super) fn timed_lock(&mut self, address: u64, late: u64) -> Done<u64> {
        if self.step.choose(2) == 1 {
            let (object, _) = self.sync_word(SyncKind::Mutex, address)?;
            self.touch(object, Access::READ);
            return Ok(late);
        }
        self.try_lock(address, late)
    }

    pub(super) fn unlock(&mut self, address: u64) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::Mutex, address)?;
        let mutex = MutexWord::unpack(word);
        if mutex.holder != self.actor + 1 {
            self.touch(object, Access::READ);
            if mutex.kind == ERROR_CHECK {
                return Ok(error::PERM);
            }
            return crash("a mutex is unlocked that is not held");
        }
        if mutex.again > 0 {
            self.touch(object, Access::READ);
            self.set_word(address, MutexWord { again: mutex.again - 1, ..mutex }.pack())?;
            return Ok(0);
        }
        self.release(object);
        self.set_word(address, MutexWord { holder: 0, ..mutex }.pack())?;
        Ok(0)
    }

    fn release(&mut self, object: ObjectId) {
        self.touch(object, if self.program.features.tries { Access::WRITE } else { Access::RELEASE });
        self.released(object);
    }

    /// Releases the mutex and waits. The actor stays before the instruction until it has the mutex again.
    pub(super) fn wait(&mut self, condition: u64, mutex: u64, status: Status) -> Done<u64> {
        let (signal, _) = self.sync_word(SyncKind::Condition, condition)?;
        let (object, word) = self.sync_word(SyncKind::Mutex, mutex)?;
        let held = MutexWord::unpack(word);
        if held.holder != self.actor + 1 {
            self.touch(object, Access::READ);
            return crash("a wait without holding its mutex");
        }
        self.release(object);
        self.set_word(mutex, MutexWord { holder: 0, again: 0, ..held }.pack())?;
        self.touch(signal, Access::ADD);
        self.head.waits = condition;
        self.status = status;
        Err(Stop::Waits)
    }

    /// There was no signal: the actor does not wait any longer and goes for its mutex.
    pub(super) fn time_out(&mut self) -> Done<()> {
        let object = self.model.objects().sync(SyncKind::Condition, self.head.waits);
        self.touch(object, Access::ADD);
        self.touch(self.model.objects().life(self.actor), Access::READ);
        self.head.flags |= flag::TIMED_OUT;
        self.head.waits = 0;
        self.status = Status::Woken;
        Err(Stop::Waits)
    }

    /// Acquires the mutex again after a wait.
    pub(super) fn take_again(&mut self) -> Done<()> {
        let I::Routine { call } = self.program.code[self.pc] else { return Ok(()) };
        let call = &self.program.calls[call as usize];
        let mutex = self.get(self.program.pool[call.arguments.start as usize + 1]);
        self.touch(self.model.objects().life(self.actor), Access::READ);
        let (object, word) = self.sync_word(SyncKind::Mutex, mutex)?;
        self.touch(object, self.model.locking());
        self.acquired(object);
        self.set_word(mutex, MutexWord { holder: self.actor + 1, ..MutexWord::unpack(word) }.pack())?;
        let timed_out = self.head.has(flag::TIMED_OUT);
        let result = match call.routine {
            Routine::TimedWaitC11 if timed_out => 4,
            _ if timed_out => error::TIMED_OUT,
            _ => 0,
        };
        self.head.flags &= !flag::TIMED_OUT;
        self.head.waits = 0;
        self.status = Status::Ready;
        if call.result != crate::code::NONE {
            self.set(call.result, result);
        }
        self.pc += 1;
        Ok(())
    }

    pub(super) fn signal(&mut self, condition: u64, all: bool) -> Done<u64> {
        let (object, _) = self.sync_word(SyncKind::Condition, condition)?;
        let view = self.view();
        let waiting = view.entries().enumerate().filter(|(_, entry)| {
            matches!(entry.status, Status::Waiting | Status::TimedWaiting) && view.head(*entry).waits == condition
        });
        let waiting: SmallVec<[(usize, Entry); 8]> = waiting.collect();
        if waiting.is_empty() {
            self.touch(object, Access::READ);
            return Ok(0);
        }
        self.touch(object, Access::WRITE);
        let chosen = if all {
            0..waiting.len()
        } else {
            let number = self.step.choose(waiting.len() as u64) as usize;
            number..number + 1
        };
        for &(index, entry) in &waiting[chosen] {
            self.wake(index, entry, Status::Woken);
        }
        Ok(0)
    }

    fn wake(&mut self, index: usize, entry: Entry, status: Status) {
        let base = self.model.base();
        self.state.words[base + 1 + index] = Entry { status, ..entry }.pack();
        let mut head = Head::read(&self.state.words, entry.at);
        head.waits = 0;
        head.write(&mut self.state.words, entry.at);
        self.touch(self.model.objects().life(entry.actor), Access::WRITE);
    }

    pub(super) fn read_lock(&mut self, address: u64, tries: bool) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::RwLock, address)?;
        if tries && word as u32 != 0 {
            self.touch(object, Access::READ);
            return Ok(error::BUSY);
        }
        self.touch(object, Access::READ_WRITE);
        self.acquired(object);
        self.set_word(address, word + (1 << 32))?;
        self.note_reading(address)?;
        Ok(0)
    }

    /// The read-write locks that the actor has for reading, a row of addresses in its private memory, sorted, and then zeros.
    fn reading(&self) -> Done<[u64; crate::MOST_READING]> {
        let mut held = [0; crate::MOST_READING];
        for (index, lock) in held.iter_mut().enumerate() {
            *lock = self.load(self.program.reading_at + 8 * index as u64 + self.private_space(), 8)?;
        }
        Ok(held)
    }

    fn set_reading(&mut self, held: &mut [u64; crate::MOST_READING]) -> Done<()> {
        held.sort_unstable_by_key(|&lock| lock.wrapping_sub(1));
        for (index, lock) in held.iter().enumerate() {
            let place = self.program.reading_at + 8 * index as u64 + self.private_space();
            let old = self.load(place, 8)?;
            self.write(place, 8, old, *lock)?;
        }
        Ok(())
    }

    fn private_space(&self) -> u64 {
        crate::memory::address(space_of(self.actor, Region::Private), 0)
    }

    fn note_reading(&mut self, address: u64) -> Done<()> {
        let mut held = self.reading()?;
        let Some(free) = held.iter_mut().find(|lock| **lock == 0) else {
            return unsupported(format!("more than {} locks held for reading are not modelled", held.len()));
        };
        *free = address;
        self.set_reading(&mut held)
    }

    pub(super) fn write_lock(&mut self, address: u64, tries: bool) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::RwLock, address)?;
        if tries && word != 0 {
            self.touch(object, Access::READ);
            return Ok(error::BUSY);
        }
        self.touch(object, Access::READ_WRITE);
        self.acquired(object);
        self.set_word(address, u64::from(self.actor) + 1)?;
        Ok(0)
    }

    /// May take the lock or not, even if it is free.
    pub(super) fn timed_rw_lock(&mut self, address: u64, reads: bool) -> Done<u64> {
        if self.step.choose(2) == 1 {
            let (object, _) = self.sync_word(SyncKind::RwLock, address)?;
            self.touch(object, Access::READ);
            return Ok(error::TIMED_OUT);
        }
        let result = if reads { self.read_lock(address, true)? } else { self.write_lock(address, true)? };
        Ok(if result == error::BUSY { error::TIMED_OUT } else { result })
    }

    pub(super) fn rw_unlock(&mut self, address: u64) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::RwLock, address)?;
        let writes = word as u32 == self.actor + 1;
        let mut held = self.reading()?;
        // Whether it holds the lock depends on nothing that others do.
        match held.iter_mut().find(|lock| **lock == address) {
            _ if writes => self.set_word(address, 0)?,
            Some(lock) if word >> 32 > 0 => {
                *lock = 0;
                self.set_reading(&mut held)?;
                self.set_word(address, word - (1 << 32))?;
            }
            _ => return crash("a read-write lock is unlocked that is not held"),
        }
        self.touch(object, Access::READ_WRITE);
        self.released(object);
        Ok(0)
    }

    pub(super) fn semaphore_wait(&mut self, address: u64, tries: bool) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::Semaphore, address)?;
        if tries && word as u32 == 0 {
            self.touch(object, Access::READ);
            self.set_errno(error::AGAIN)?;
            return Ok(u64::from(u32::MAX));
        }
        self.touch(object, Access::READ_WRITE);
        self.acquired(object);
        self.set_word(address, word.wrapping_sub(1))?;
        Ok(0)
    }

    pub(super) fn semaphore_timed_wait(&mut self, address: u64) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::Semaphore, address)?;
        if word as u32 == 0 || self.step.choose(2) == 1 {
            self.touch(object, Access::READ);
            self.set_errno(error::TIMED_OUT)?;
            return Ok(u64::from(u32::MAX));
        }
        self.semaphore_wait(address, true)
    }

    pub(super) fn semaphore_post(&mut self, address: u64) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::Semaphore, address)?;
        self.touch(object, Access::WRITE);
        self.released(object);
        self.set_word(address, word.wrapping_add(1))?;
        Ok(0)
    }

    pub(super) fn semaphore_value(&mut self, address: u64, place: u64) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::Semaphore, address)?;
        self.touch(object, Access::READ);
        let old = self.load(place, 4)?;
        self.write(place, 4, old, word)?;
        self.accessed(place, 4, false, true, Order::None);
        Ok(0)
    }

    pub(super) fn barrier_wait(&mut self, address: u64) -> Done<u64> {
        let (object, word) = self.sync_word(SyncKind::Barrier, address)?;
        let (needed, there) = (word as u32, (word >> 32) as u32 + 1);
        if needed == 0 {
            return Ok(error::INVALID);
        }
        self.released(object);
        if there < needed {
            self.touch(object, Access::ADD);
            self.set_word(address, u64::from(needed) | u64::from(there) << 32)?;
            self.head.waits = address;
            self.status = Status::AtBarrier;
            return Err(Stop::Waits);
        }
        self.touch(object, Access::WRITE);
        self.acquired(object);
        self.set_word(address, u64::from(needed))?;
        let view = self.view();
        let waiting: SmallVec<[(usize, Entry); 8]> = view
            .entries()
            .enumerate()
            .filter(|(_, entry)| entry.status == Status::AtBarrier && view.head(*entry).waits == address)
            .collect();
        for (index, entry) in waiting {
            self.wake(index, entry, Status::Ready);
            // It stands in the barrier still, and goes on from there.
            let mut head = Head::read(&self.state.words, entry.at);
            head.waits = address;
            head.flags |= flag::SECOND;
            head.write(&mut self.state.words, entry.at);
        }
        // PTHREAD_BARRIER_SERIAL_THREAD
        Ok(u64::from(u32::MAX))
    }

    /// Goes on behind a barrier that has become full.
    pub(super) fn leave_barrier(&mut self) -> Done<()> {
        let object = self.model.objects().sync(SyncKind::Barrier, self.head.waits);
        self.touch(self.model.objects().life(self.actor), Access::READ);
        self.acquired(object);
        self.head.waits = 0;
        self.head.flags &= !flag::SECOND;
        self.status = Status::Ready;
        if let I::Routine { call } = self.program.code[self.pc]
            && self.program.calls[call as usize].result != crate::code::NONE
        {
            self.set(self.program.calls[call as usize].result, 0);
        }
        self.pc += 1;
        Ok(())
    }

    /// Begins to run what is to be run once, or notes that it has been; true if there is nothing left to do.
    pub(super) fn once(&mut self, address: u64) -> Done<bool> {
        let (object, word) = self.sync_word(SyncKind::Once, address)?;
        let own = (u64::from(self.actor) + 1) << 2 | 1;
        if word & 3 == 2 {
            self.touch(object, Access::READ);
            self.acquired(object);
            return Ok(true);
        }
        self.touch(object, Access::READ_WRITE);
        if word & 0xffff_ffff == own {
            self.released(object);
            self.store(address, 4, 2)?;
            return Ok(true);
        }
        self.acquired(object);
        self.store(address, 4, own)?;
        Ok(false)
    }

    pub(super) fn mailbox(&self, handler: u32) -> ObjectId {
        self.model.objects().other(Key::Mailbox(handler))
    }
}
