//! Threads that come and go.

use super::{CREATION, Done, Run, crash, unsupported};
use crate::Identity;
use crate::code::Body;
use crate::memory::{FUNCTIONS, offset, space};
use crate::objects::{ActorInfo, ActorKey, Kind, Name};
use crate::state::{Block, EXIT_CODE, EXITED, Head, STOPPED, Status, flag};
use mazurka_core::{Access, ActorId};

/// What functions of pthreads return.
pub(crate) mod error {
    pub(crate) const PERM: u64 = 1;
    pub(crate) const SEARCH: u64 = 3;
    pub(crate) const AGAIN: u64 = 11;
    pub(crate) const BUSY: u64 = 16;
    pub(crate) const INVALID: u64 = 22;
    pub(crate) const DEADLOCK: u64 = 35;
    pub(crate) const TIMED_OUT: u64 = 110;
}

/// What an actor makes.
pub(super) struct Made {
    pub(super) function: u32,
    pub(super) kind: Kind,
    pub(super) handler: Option<(u32, bool)>,
    pub(super) name: Option<Name>,
}

impl Run<'_> {
    /// The function at an address, which is to be run.
    pub(super) fn runnable(&self, address: u64) -> Done<u32> {
        let number = offset(address);
        if space(address) != FUNCTIONS || number as usize >= self.program.functions.len() {
            return crash("what is to be run is no function");
        }
        let function = &self.program.functions[number as usize];
        match function.body {
            Body::Code(_) => Ok(number as u32),
            _ => unsupported(format!("{} in a thread of its own is not modelled", function.name)),
        }
    }

    pub(super) fn use_fuel(&mut self) -> Done<()> {
        match self.fuel.checked_sub(CREATION) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => crash("a step that does not end"),
        }
    }

    /// The actor that the next thing will be that this one makes; `info` says what it is.
    pub(super) fn next_actor(&mut self, info: Made) -> u32 {
        let Made { function, kind, handler, name } = info;
        let made = |key| ActorInfo { key, function, kind, handler, name };
        match self.model.identity() {
            Identity::History => {
                self.head.children += 1;
                let key = ActorKey::Child { parent: self.actor, number: self.head.children };
                self.model.actors().number(made(key))
            }
            Identity::Presence => {
                // The first slot that is free. An actor that leaves one writes the life that stood in it.
                let mut slot = 0;
                loop {
                    let actor = self.model.actors().number(made(ActorKey::Slot { parent: self.actor, slot }));
                    if self.view().find(actor).is_err() {
                        return actor;
                    }
                    self.touch(self.model.objects().life(actor), Access::READ);
                    slot += 1;
                }
            }
        }
    }

    pub(super) fn create(&mut self, place: u64, function: u64, argument: u64, flags: u32) -> Done<u64> {
        self.use_fuel()?;
        let function = self.runnable(function)?;
        let child = self.next_actor(Made { function, kind: Kind::Thread, handler: None, name: None });
        self.touch(self.model.objects().life(child), Access::WRITE);
        self.step.made(ActorId(child));
        self.born(child);
        let old = self.load(place, 8)?;
        self.write(place, 8, old, u64::from(child) + 1)?;
        self.accessed(place, 8, false, true, crate::ir::Order::None);
        let Body::Code(entry) = self.program.functions[function as usize].body else { return Ok(0) };
        let head = Head { pc: entry, flags: flag::FRESH | flags, function, ..Head::default() };
        let record = self.record(head, &[argument]);
        self.save();
        let index = self.insert_record(child, Status::Ready, &record);
        let mut run = Run::new(self.model, self.state, self.step, index);
        run.witness = self.witness.as_deref_mut();
        run.settle();
        self.relocate();
        Ok(0)
    }

    /// The actor that a handle stands for.
    pub(super) fn by_handle(&self, handle: u64) -> Option<u32> {
        u32::try_from(handle.wrapping_sub(1)).ok().filter(|&actor| actor < 1 << 28)
    }

    /// Takes the result of a thread that has ended.
    pub(super) fn join(&mut self, handle: u64, place: u64, is_c11: bool) -> Done<u64> {
        let thread = self.by_handle(handle);
        let found =
            thread.and_then(|thread| self.view().find(thread).ok()).map(|index| (index, self.view().entry(index)));
        let Some((index, entry)) = found else {
            if let Some(thread) = thread {
                self.touch(self.model.objects().life(thread), Access::READ);
            }
            return crash("a thread is joined that is none, or that was joined before");
        };
        self.touch(self.model.objects().life(entry.actor), self.leaving());
        if entry.actor == self.actor {
            return Ok(error::DEADLOCK);
        }
        if entry.status == Status::Gone || self.view().head(entry).has(flag::DETACHED) {
            return crash("a thread is joined that is detached, or that was joined before");
        }
        self.joined(entry.actor);
        let value = view_value(self, index);
        if place != 0 {
            let size = if is_c11 { 4 } else { 8 };
            let old = self.load(place, size)?;
            self.write(place, size, old, value)?;
            self.accessed(place, u64::from(size), false, true, crate::ir::Order::None);
        }
        self.forget(index);
        Ok(0)
    }

    /// How the life of an actor is touched by one that gives up its handle: by presence its name becomes free.
    fn leaving(&self) -> Access {
        if self.model.identity() == Identity::Presence { Access::READ_WRITE } else { Access::READ }
    }

    /// Takes out the record of a thread that has ended and that is not asked for any more, but for its memory.
    pub(super) fn forget(&mut self, index: usize) {
        self.save();
        let view = self.view();
        let entry = view.entry(index);
        let head = view.head(entry);
        let base = self.model.base();
        if keeps_memory(&self.state.words[entry.at + head.blocks_at()..entry.at + head.heap_at()]) {
            let head = Head { waits: 0, children: 0, ..head };
            head.write(&mut self.state.words, entry.at);
            let gone = crate::state::Entry { status: Status::Gone, ..entry };
            self.state.words[base + 1 + index] = gone.pack();
        } else {
            self.remove_record(index);
        }
        self.relocate();
    }

    pub(super) fn detach(&mut self, handle: u64) -> Done<u64> {
        let found = self.by_handle(handle).and_then(|thread| self.view().find(thread).ok());
        let Some(index) = found else { return Ok(error::SEARCH) };
        let entry = self.view().entry(index);
        self.touch(self.model.objects().life(entry.actor), self.leaving());
        if entry.actor == self.actor {
            self.head.flags |= flag::DETACHED;
        } else if entry.status == Status::Finished {
            self.forget(index);
        } else {
            let mut head = self.view().head(entry);
            head.flags |= flag::DETACHED;
            head.write(&mut self.state.words, entry.at);
        }
        Ok(0)
    }

    /// The end of an actor.
    pub(super) fn end(&mut self, status: Status, value: u64) {
        let objects = self.model.objects();
        if self.head.has(flag::MESSAGE) {
            let handler = self.head.handler;
            self.touch(objects.other(crate::objects::Key::Handler(handler)), Access::RELEASE);
            if self.model.identity() == Identity::Presence {
                self.touch(objects.life(self.actor), Access::WRITE);
            }
            self.leave_handler(handler);
        } else if self.head.has(flag::EVENT) {
            self.end_event(status);
            return;
        } else {
            self.touch(objects.life(self.actor), Access::WRITE);
        }
        self.frames.clear();
        self.frame = 0;
        self.pc = 0;
        self.shrink_stacks(0, 0);
        self.status = status;
        self.head.waits = if status == Status::Finished { value } else { 0 };
        let is_forgotten = self.head.has(flag::MESSAGE | flag::DETACHED);
        self.head.flags &= flag::MESSAGE | flag::DETACHED | flag::HANDLER | flag::FIFO | flag::C11 | flag::QUEUE;
        self.save();
        if status == Status::Finished && is_forgotten {
            self.forget(self.index);
        } else if status == Status::Halted && self.head.has(flag::MESSAGE) {
            self.state.words[self.model.base()] |= STOPPED;
        }
    }

    /// The end of the whole program.
    pub(super) fn exit(&mut self, code: u64) {
        self.touch(self.model.objects().process(), Access::WRITE);
        let base = self.model.base();
        let was_stopped = self.view().entries().any(|entry| entry.status == Status::Halted);
        let flags = self.view().flags() | EXITED | if was_stopped { STOPPED } else { 0 };
        self.state.words.truncate(base + 1);
        self.state.words[base] = flags | (code & 0xff) << EXIT_CODE;
    }
}

fn view_value(run: &Run<'_>, index: usize) -> u64 {
    let view = run.view();
    view.head(view.entry(index)).waits
}

/// Whether a block among these is in use.
fn keeps_memory(blocks: &[u64]) -> bool {
    blocks.iter().any(|&block| Block::unpack(block).is_alive)
}
