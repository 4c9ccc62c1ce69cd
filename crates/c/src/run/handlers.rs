//! Handlers, which run one message at a time, and events, which may happen again and again.
//!
//! A handler is an actor without code, or a thread that has come to `qthread_exec`. A message is an actor that runs when
//! its handler is free: in any order, or in the order of the posts, for which each message that waits knows how many
//! wait before it.

use super::threads::Made;
use super::{Done, Run, Stop, crash};
use crate::Identity;
use crate::code::{Body, NONE};
use crate::objects::{ActorInfo, ActorKey, Key, Kind, Name};
use crate::state::{Entry, Head, Status, flag};
use mazurka_core::{Access, ActorId};

/// The most bytes of a name that are told.
const LONGEST_NAME: usize = 100;

impl Run<'_> {
    /// A handler that takes messages at once.
    pub(super) fn make_handler(&mut self, name: u64, fifo: bool) -> Done<u64> {
        self.use_fuel()?;
        let name = self.name_at(name);
        let made = Made { function: NONE, kind: Kind::Handler, handler: Some((0, fifo)), name };
        let handler = self.next_actor(made);
        let flags = flag::HANDLER | if fifo { flag::FIFO } else { 0 };
        let function = self.head.function;
        let mut record = [0; crate::state::HEAD];
        Head { flags, function, ..Head::default() }.write(&mut record, 0);
        self.save();
        self.insert_record(handler, Status::Resting, &record);
        self.relocate();
        Ok(u64::from(handler) + 1)
    }

    /// The name at an address, where there is one.
    fn name_at(&self, address: u64) -> Option<Name> {
        self.model.actors().name(&self.peek_text(address, LONGEST_NAME))
    }

    fn handler(&self, handle: u64) -> Done<Entry> {
        let found = self.by_handle(handle).and_then(|actor| self.view().actor(actor));
        match found {
            Some(entry) if self.view().head(entry).has(flag::HANDLER) => Ok(entry),
            _ => crash("a message is posted to what is no handler"),
        }
    }

    pub(super) fn post(&mut self, handle: u64, function: u64, argument: u64) -> Done<()> {
        self.use_fuel()?;
        let function = self.runnable(function)?;
        let entry = self.handler(handle)?;
        let handler = entry.actor;
        let fifo = self.view().head(entry).has(flag::FIFO);
        let message = self.message(handler, fifo, function, argument);
        self.touch(self.model.objects().life(message), Access::WRITE);
        self.step.made(ActorId(message));
        self.born(message);
        let mut rank = 0;
        if fifo {
            self.touch(self.mailbox(handler), Access::POST);
            let view = self.view();
            rank = view
                .entries()
                .filter(|entry| entry.status == Status::Pending && view.head(*entry).handler == handler)
                .count();
        }
        let Body::Code(entry) = self.program.functions[function as usize].body else { return Ok(()) };
        let head = Head { pc: entry, flags: flag::MESSAGE, function, handler, waits: rank as u64, ..Head::default() };
        let record = self.record(head, &[argument]);
        self.save();
        self.insert_record(message, Status::Pending, &record);
        self.relocate();
        Ok(())
    }

    /// The actor that a message will be.
    fn message(&mut self, handler: u32, fifo: bool, function: u32, argument: u64) -> u32 {
        let (kind, taken_by) = (Kind::Message, Some((handler, fifo)));
        if self.model.identity() == Identity::History {
            return self.next_actor(Made { function, kind, handler: taken_by, name: None });
        }
        // The first of equal messages that is not there. An actor that ends writes its life.
        let mut copy = 0;
        loop {
            let key = ActorKey::Message { handler, function, argument, copy };
            let message = self.model.actors().number(ActorInfo { key, function, kind, handler: taken_by, name: None });
            if self.view().find(message).is_err() {
                return message;
            }
            self.touch(self.model.objects().life(message), Access::READ);
            copy += 1;
        }
    }

    pub(super) fn begin_message(&mut self) -> Done<()> {
        let (objects, handler) = (self.model.objects(), self.head.handler);
        self.touch(objects.life(self.actor), Access::READ);
        let Some(entry) = self.view().actor(handler) else { return crash("the handler of a message is gone") };
        let mut head = self.view().head(entry);
        if head.has(flag::QUEUE) {
            self.touch(objects.other(Key::Gate(handler)), Access::READ);
            let gate = objects.other(Key::Gate(handler));
            self.acquired(gate);
        }
        let object = objects.other(Key::Handler(handler));
        self.touch(object, Access::WRITE);
        self.acquired(object);
        if head.has(flag::FIFO) {
            self.advance_mailbox(handler);
        } else {
            self.step.cannot_wait();
        }
        head.handler = self.actor + 1;
        head.write(&mut self.state.words, entry.at);
        self.head.waits = 0;
        self.status = Status::Ready;
        Ok(())
    }

    /// The first message has begun: all others wait behind one less.
    fn advance_mailbox(&mut self, handler: u32) {
        let view = self.view();
        let waiting: Vec<Entry> = view
            .entries()
            .filter(|entry| {
                entry.status == Status::Pending && entry.actor != self.actor && view.head(*entry).handler == handler
            })
            .collect();
        for entry in waiting {
            let mut head = Head::read(&self.state.words, entry.at);
            head.waits = head.waits.saturating_sub(1);
            head.write(&mut self.state.words, entry.at);
        }
    }

    /// The handler is free again.
    pub(super) fn leave_handler(&mut self, handler: u32) {
        let object = self.model.objects().other(Key::Handler(handler));
        self.released(object);
        if let Some(entry) = self.view().actor(handler) {
            let mut head = Head::read(&self.state.words, entry.at);
            head.handler = 0;
            head.write(&mut self.state.words, entry.at);
        }
    }

    /// A handler that begins as a thread, once it is started.
    pub(super) fn queue_create(&mut self, place: u64, function: u64, argument: u64) -> Done<u64> {
        self.use_fuel()?;
        let function = self.runnable(function)?;
        let child = self.next_actor(Made { function, kind: Kind::Handler, handler: Some((0, false)), name: None });
        self.step.made(ActorId(child));
        let old = self.load(place, 8)?;
        self.write(place, 8, old, u64::from(child) + 1)?;
        self.accessed(place, 8, false, true, crate::ir::Order::None);
        let Body::Code(entry) = self.program.functions[function as usize].body else { return Ok(0) };
        let head = Head { pc: entry, flags: flag::HANDLER | flag::QUEUE, function, ..Head::default() };
        let record = self.record(head, &[argument]);
        self.save();
        self.insert_record(child, Status::NotStarted, &record);
        self.relocate();
        Ok(0)
    }

    pub(super) fn queue_start(&mut self, handle: u64) -> Done<u64> {
        let entry = self.handler(handle)?;
        if entry.status != Status::NotStarted {
            return crash("a handler is started twice");
        }
        let child = entry.actor;
        self.touch(self.model.objects().life(child), Access::WRITE);
        self.born(child);
        self.save();
        let index = match self.view().find(child) {
            Ok(index) | Err(index) => index,
        };
        let base = self.model.base();
        let mut head = Head::read(&self.state.words, entry.at);
        head.flags |= flag::FRESH;
        head.write(&mut self.state.words, entry.at);
        self.state.words[base + 1 + index] = Entry { status: Status::Ready, ..entry }.pack();
        let mut run = Run::new(self.model, self.state, self.step, index);
        run.witness = self.witness.as_deref_mut();
        run.settle();
        self.relocate();
        Ok(0)
    }

    /// The thread takes messages from now on.
    pub(super) fn queue_exec(&mut self) -> Done<()> {
        let gate = self.model.objects().other(Key::Gate(self.actor));
        self.touch(gate, Access::WRITE);
        self.released(gate);
        Err(Stop::Rests)
    }

    /// A handler thread has nothing to do but to take messages.
    pub(super) fn rest(&mut self) {
        self.frames.clear();
        self.frame = 0;
        self.pc = 0;
        self.shrink_stacks(0, 0);
        self.status = Status::Resting;
        self.save();
    }

    pub(super) fn make_event(&mut self, name: u64, function: u64) -> Done<()> {
        self.use_fuel()?;
        let function = self.runnable(function)?;
        let name = self.name_at(name);
        let event = self.next_actor(Made { function, kind: Kind::Event, handler: None, name });
        self.touch(self.model.objects().life(event), Access::WRITE);
        self.step.made(ActorId(event));
        self.born(event);
        let mut record = [0; crate::state::HEAD];
        Head { flags: flag::EVENT | flag::FRESH, function, ..Head::default() }.write(&mut record, 0);
        self.save();
        self.insert_record(event, Status::Event, &record);
        self.relocate();
        Ok(())
    }

    /// An event does everything in one step.
    pub(super) fn begin_event(&mut self) -> Done<()> {
        let function = self.head.function;
        let Body::Code(entry) = self.program.functions[function as usize].body else { return Ok(()) };
        let (shared, private) = (self.head.shared_words, self.head.private_words);
        self.push_frame(function, &[], u64::from(NONE), 0, shared, private)?;
        self.pc = entry as usize;
        self.atomics = 1;
        Ok(())
    }

    /// The event may happen again, unless something was wrong.
    pub(super) fn end_event(&mut self, status: Status) {
        self.frames.clear();
        self.frame = 0;
        self.pc = 0;
        self.shrink_stacks(0, 0);
        self.status = if status == Status::Finished { Status::Event } else { status };
        self.save();
    }
}
