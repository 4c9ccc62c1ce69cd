//! Actors that come and go: spawn, join, post.

use super::{CREATION, Run, Stop};
use crate::Identity;
use crate::ast::Fault;
use crate::code::{NONE, PlaceRef, Register};
use crate::state::{Header, Kind, Record, Records, Status, pair};
use mazurka_core::Access;
use smallvec::SmallVec;

impl Run<'_> {
    /// Writes the header back: others are about to move the records.
    pub(super) fn save(&mut self) {
        let base = self.frame - self.record.stack();
        self.record.header = Header { status: self.status, base, pc: self.pc, ..self.record.header };
        self.words[self.record.at] = self.record.header.pack();
    }

    /// Finds the own record again after others were put in or taken out.
    pub(super) fn relocate(&mut self) {
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

    pub(super) fn spawn(&mut self, function: u16, arguments: Register, dst: Register) -> Result<(), Fault> {
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

    /// No actor will join the thread: it may vanish when it ends.
    pub(super) fn forget(&mut self, thread: Register) {
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
    pub(super) fn detach(&mut self, child: Record) {
        if let Status::Finished | Status::Halted = child.header.status {
            self.words.drain(child.at..child.end());
        } else {
            self.words[child.at + 2] |= 1 << 32;
        }
    }

    pub(super) fn join(&mut self, thread: Register) -> Result<(), Stop> {
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

    pub(super) fn post(&mut self, handler: PlaceRef, message: u16, arguments: Register) -> Result<(), Fault> {
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
        // By presence, equal messages are one actor. Their posts commute, but which of them came first matters to an
        // engine that asks what a message needed in order to be there.
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
    pub(super) fn move_to_front_of_mailbox(&mut self, handler: u32) {
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
