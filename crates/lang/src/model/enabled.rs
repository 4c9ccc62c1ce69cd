//! Which actors can move, and on what the others are blocked.

use super::Model;
use crate::code::Instruction;
use crate::guard::Watch;
use crate::run::{Frame, evaluate, resolve};
use crate::state::{Kind, Record, Status};
use mazurka_core::{Access, ActorId, Awaited, BlockedVisitor, Footprint, ObjectId};

impl Model {
    /// Whether an actor that is not in a mailbox can move.
    pub(crate) fn can_move(&self, words: &[i64], record: &Record) -> bool {
        match record.header.status {
            Status::Waiting => return self.may_time_out(record),
            Status::Pending | Status::Finished | Status::Halted => return false,
            Status::Fresh | Status::Ready => {}
        }
        let pc = record.header.pc;
        let frame = &words[record.frame()..record.end()];
        match self.program.code[pc as usize] {
            Instruction::Lock { mutex } | Instruction::Reacquire { mutex } => {
                words[self.layout.mutexes + resolve(mutex, frame)] == 0
            }
            Instruction::Join { thread } => {
                let handle = frame[usize::from(thread)];
                self.child_by_handle(words, record.presence(words), handle)
                    .is_none_or(|child| child.header.status == Status::Finished)
            }
            Instruction::Sync { op, object, .. } if op.waits() => self.is_possible(words, op, resolve(object, frame)),
            // A guard that crashes lets its owner move, so that the crash is seen.
            Instruction::Assume | Instruction::Atomic { guarded: true } => {
                evaluate(&self.program, words, frame.into(), pc + 1, &mut |_| {}).map_or(true, |guard| guard.holds)
            }
            _ => true,
        }
    }

    /// Appends the enabled actors that have records.
    pub(super) fn enabled_records(&self, words: &[i64], into: &mut Vec<ActorId>) {
        let mut busy_handler = None;
        for record in self.records(words) {
            if record.header.status != Status::Pending {
                if record.header.kind == Kind::Message {
                    busy_handler = Some(record.owner(words));
                }
                if self.can_move(words, &record) {
                    into.push(record.actor(words));
                }
                continue;
            }
            let handler = record.owner(words);
            if busy_handler == Some(handler) {
                continue;
            }
            let actor = record.actor(words);
            // Equal messages that wait side by side are one actor by presence.
            if into.last() != Some(&actor) {
                into.push(actor);
            }
            if !self.program.handlers[handler as usize].any {
                // No message overtakes the first one.
                busy_handler = Some(handler);
            }
        }
    }

    /// Appends those of some events that can happen.
    pub(super) fn enabled_events(&self, words: &[i64], among: impl Fn(usize) -> bool, into: &mut Vec<ActorId>) {
        let events = (0..self.watches.len()).filter(|&event| among(event) && self.event_can_happen(words, event));
        into.extend(events.map(|event| self.event_actor(event)));
    }

    /// The number of an event among the events.
    pub(super) fn event_of(&self, actor: ActorId) -> Option<usize> {
        let event = actor.0.checked_sub(self.first_event())? as usize;
        (event < self.program.events.len()).then_some(event)
    }

    /// The blocked actors that have records; each with a record.
    fn waiting_records<'w>(
        &self,
        words: &'w [i64],
        enabled: &'w [ActorId],
    ) -> impl Iterator<Item = (ActorId, Record)> + 'w {
        let alive =
            self.records(words).filter(|record| !matches!(record.header.status, Status::Finished | Status::Halted));
        let mut last = None;
        let actors = alive.map(|record| (record.actor(words), record));
        let actors = actors.filter(move |&(actor, _)| last.replace(actor) != Some(actor));
        actors.filter(|(actor, _)| !enabled.contains(actor))
    }

    /// Visits the actors that have records and are not enabled.
    pub(super) fn visit_blocked_records(&self, words: &[i64], enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        for (actor, mut record) in self.waiting_records(words, enabled) {
            // Of equal messages the first one counts, even if it has ended.
            if record.header.kind == Kind::Message {
                record = self.record_of(words, actor).unwrap_or(record);
            }
            self.visit_blocked_record(words, actor, &record, visit);
        }
    }

    fn visit_blocked_record(&self, words: &[i64], actor: ActorId, record: &Record, visit: &mut BlockedVisitor<'_>) {
        visit(actor, &mut |footprint| {
            self.record_needs(words, actor, record, footprint);
            self.record_awaits(words, actor, record)
        });
    }

    /// Visits those of some events that are not enabled.
    pub(super) fn visit_blocked_events(
        &self,
        words: &[i64],
        enabled: &[ActorId],
        among: impl Fn(usize) -> bool,
        visit: &mut BlockedVisitor<'_>,
    ) {
        for event in self.waiting_events(enabled).filter(|&event| among(event)) {
            visit(self.event_actor(event), &mut |footprint| {
                self.event_looks(words, event, footprint);
                self.event_awaits(words, event, footprint)
            });
        }
    }

    /// Appends the threads that can move and visits those that wait. Without messages, each record is another actor's.
    pub(super) fn visit_threads(&self, words: &[i64], enabled: &mut Vec<ActorId>, visit: &mut BlockedVisitor<'_>) {
        for record in self.records(words) {
            if self.can_move(words, &record) {
                enabled.push(record.actor(words));
            } else if !matches!(record.header.status, Status::Finished | Status::Halted) {
                self.visit_blocked_record(words, record.actor(words), &record, visit);
            }
        }
    }

    /// The events that are not enabled.
    fn waiting_events<'w>(&'w self, enabled: &'w [ActorId]) -> impl Iterator<Item = usize> + 'w {
        // Those that are stand in order at the end of the list.
        let mut can_happen = enabled.iter().filter_map(|&actor| self.event_of(actor)).peekable();
        (0..self.program.events.len()).filter(move |event| can_happen.next_if_eq(event).is_none())
    }

    pub(super) fn event_actor(&self, event: usize) -> ActorId {
        ActorId(self.first_event() + event as u32)
    }

    /// What an event that cannot happen waits for, given what it looks at before it happens. A guard that looks at one
    /// cell only cannot change before that cell does.
    fn event_awaits(&self, words: &[i64], event: usize, footprint: &Footprint) -> Option<Awaited> {
        let (switch, Watch { guard, is_switched }) = (self.event_object(event), self.watches[event]);
        if is_switched && !self.event_is_on(words, event) {
            return Some(Awaited::Made(switch));
        }
        if let Some(guard) = guard {
            return Some(Awaited::Made(self.cell_object(guard.cell)));
        }
        let mut cells = footprint.touches().iter().map(|touch| touch.object).filter(|&object| object != switch);
        let cell = cells.next()?;
        cells.next().is_none().then_some(Awaited::Made(cell))
    }

    fn event_is_on(&self, words: &[i64], event: usize) -> bool {
        words[self.layout.events + event / 64] >> (event % 64) & 1 == 1
    }

    /// How many actors an event has created, where they are told apart by that.
    pub(super) fn created(&self, words: &[i64], event: usize) -> u32 {
        words[self.layout.counters..self.layout.records].get(event).map_or(0, |&count| count as u32)
    }

    /// The registers with which an event starts.
    fn event_frame(&self, event: usize) -> Frame {
        let member = &self.program.events[event].member;
        let mut frame: Frame = smallvec::smallvec![0; usize::from(member.body.registers)];
        if let Some(parameter) = member.parameter {
            frame[0] = parameter;
        }
        frame
    }

    #[inline]
    pub(super) fn event_can_happen(&self, words: &[i64], event: usize) -> bool {
        if !self.event_is_on(words, event) {
            return false;
        }
        match self.watches[event].guard {
            Some(guard) => guard.holds(words),
            None => self.guard_holds(words, event),
        }
    }

    fn guard_holds(&self, words: &[i64], event: usize) -> bool {
        // A guard that crashes lets the event happen, so that the crash is seen.
        self.program.events[event].guard.is_none_or(|guard| {
            evaluate(&self.program, words, self.event_frame(event), guard, &mut |_| {})
                .map_or(true, |guard| guard.holds)
        })
    }

    /// What an actor that has a record and cannot move waits for.
    fn record_awaits(&self, words: &[i64], actor: ActorId, record: &Record) -> Option<Awaited> {
        let frame = &words[record.frame()..record.end()];
        match record.header.status {
            Status::Finished | Status::Halted => return None,
            Status::Pending => return Some(Awaited::Freed(self.handler_object(record.owner(words)))),
            Status::Waiting => return Some(Awaited::Made(self.life(actor))),
            Status::Fresh | Status::Ready => {}
        }
        match self.program.code[record.header.pc as usize] {
            Instruction::Lock { mutex } | Instruction::Reacquire { mutex } => {
                Some(Awaited::Freed(self.mutex_object(resolve(mutex, frame))))
            }
            Instruction::Join { thread } => {
                let handle = frame[usize::from(thread)];
                let child = self.child_by_handle(words, record.presence(words), handle)?;
                Some(Awaited::Made(self.life(child.actor(words))))
            }
            Instruction::Sync { object, .. } => Some(Awaited::Freed(self.sync_object(resolve(object, frame)))),
            Instruction::Assume | Instruction::Atomic { guarded: true } => {
                self.only_cell(words, frame, record.header.pc + 1).map(Awaited::Freed)
            }
            _ => None,
        }
    }

    /// What the step needs that such an actor waits to take.
    fn record_needs(&self, words: &[i64], actor: ActorId, record: &Record, footprint: &mut Footprint) {
        let frame = &words[record.frame()..record.end()];
        let pc = record.header.pc;
        match record.header.status {
            Status::Finished | Status::Halted => return,
            Status::Pending => {
                footprint.touch(self.life(actor), Access::READ);
                footprint.touch(self.handler_object(record.owner(words)), Access::WRITE);
                return;
            }
            Status::Fresh | Status::Waiting => footprint.touch(self.life(actor), Access::READ),
            Status::Ready => {}
        }
        match self.program.code[pc as usize] {
            Instruction::Lock { mutex } | Instruction::Reacquire { mutex } => {
                let mutex = resolve(mutex, frame);
                footprint.touch(self.mutex_object(mutex), self.locking(mutex));
            }
            Instruction::Sync { object, .. } => {
                footprint.touch(self.sync_object(resolve(object, frame)), Access::READ_WRITE);
            }
            Instruction::Join { thread } => {
                let handle = frame[usize::from(thread)];
                if let Some(child) = self.child_by_handle(words, record.presence(words), handle) {
                    footprint.touch(self.life(child.actor(words)), Access::READ);
                }
            }
            Instruction::Assume | Instruction::Atomic { guarded: true } => {
                self.guard_footprint(words, frame, pc + 1, footprint);
            }
            _ => {}
        }
    }

    /// What an event looks at to find out whether it can happen.
    fn event_looks(&self, words: &[i64], event: usize, footprint: &mut Footprint) {
        let Watch { guard, is_switched } = self.watches[event];
        match (guard, self.program.events[event].guard) {
            (Some(guard), _) => footprint.touch(self.cell_object(guard.cell), Access::READ),
            (None, Some(guard)) => self.guard_footprint(words, &self.event_frame(event), guard, footprint),
            (None, None) => {}
        }
        if is_switched {
            footprint.touch(self.event_object(event), Access::READ);
        }
        footprint.seal();
    }

    /// The same, if it does not depend on the state.
    pub(super) fn looks_always(&self, event: usize) -> Option<Footprint> {
        let must_be_run = self.watches[event].guard.is_none() && self.program.events[event].guard.is_some();
        (!must_be_run).then(|| {
            let mut footprint = Footprint::default();
            self.event_looks(&self.initial.words, event, &mut footprint);
            footprint
        })
    }

    /// The cell that a guard looks at, if it looks at one only: then the guard cannot change before that cell does.
    fn only_cell(&self, words: &[i64], frame: &[i64], pc: u32) -> Option<ObjectId> {
        let mut footprint = Footprint::default();
        self.guard_footprint(words, frame, pc, &mut footprint);
        footprint.seal();
        match footprint.touches() {
            [touch] => Some(touch.object),
            _ => None,
        }
    }

    fn guard_footprint(&self, words: &[i64], frame: &[i64], pc: u32, footprint: &mut Footprint) {
        let mut looked = |cell| footprint.touch(self.cell_object(cell), Access::READ);
        // A crash while looking still looked: the footprint holds either way.
        let _ = evaluate(&self.program, words, frame.into(), pc, &mut looked);
    }
}
