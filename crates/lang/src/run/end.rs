//! The end of a step, or of the actor.

use super::{ENDED_HOLDER, HALTED_HOLDER, Run, Stop};
use crate::code::UNREAD;
use crate::model::is_forgotten_when_stopped;
use crate::state::{Kind, NUMBERED, Record, Status, high};
use mazurka_core::{Access, ActorId, Value, Violation, ViolationKind};

impl Run<'_> {
    pub(super) fn finish(&mut self, result: Result<(), Stop>) {
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

    pub(super) fn end(&mut self, status: Status) {
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
                let detail = self.record.detail(self.words);
                let detached = detail & 1 == 1;
                if detached && detail >> 1 < NUMBERED {
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

    /// No actor can join the threads of an actor that has ended.
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

    /// A mutex whose holder is gone is never free again, and no new actor may be taken for its holder.
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

    pub(super) fn check_invariants(&mut self) {
        for invariant in std::mem::take(&mut self.shaken) {
            self.model.marks().note_change(invariant);
            if let Some(mut violation) = self.model.broken(self.words, invariant) {
                violation.actor = Some(self.actor);
                self.step.fail(violation);
            }
        }
    }
}
