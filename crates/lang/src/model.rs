//! A compiled program as a [`System`].

use crate::ast::SyncOp;
use crate::code::{Instruction, NONE, Program, SyncKind};
use crate::coverage::Marks;
use crate::guard::Watch;
use crate::names::{Key, Names};
use crate::run::{ENDED_HOLDER, Frame, HALTED_HOLDER, Run, evaluate, resolve};
use crate::state::{Header, Kind, Layout, Record, Records, State, Status, low, pair};
use crate::words;
use mazurka_core::{
    Access, ActorId, ActorKind, Awaited, BlockedVisitor, Description, Ending, Fingerprint, Footprint, Insight,
    Location, Narrator, Object, ObjectId, Outcome, Rule, Schedule, Step, System, Traits, Value, Violation,
    ViolationKind,
};
use smallvec::SmallVec;
use std::sync::Arc;

/// How actors that come to be while the program runs are told apart; see the head of `names.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The n-th thing that its creator made: the same actor in every execution.
    History,
    /// What the actor is at present, so that states come back.
    Presence,
}

/// A program that can be explored.
#[derive(Debug)]
pub struct Model {
    program: Arc<Program>,
    identity: Identity,
    layout: Layout,
    names: Names,
    initial: State,
    start_violations: Vec<Violation>,
    /// What is known of each event before anything runs.
    watches: Vec<Watch>,
    /// For each event what it looks at to find out whether it can happen, if that is always the same.
    looks: Vec<Option<Footprint>>,
    /// Whether that is so for all of them.
    all_fixed: bool,
    messages_wait: bool,
    marks: Marks,
}

impl Model {
    /// Makes a program explorable.
    pub fn new(program: Arc<Program>, identity: Identity) -> Self {
        let layout = Layout::of(&program, identity);
        let actors = (program.threads.len() + program.events.len()) as u32;
        let watches = program.events.iter().map(|event| Watch::of(&program, event)).collect();
        let messages_wait = program.messages_wait();
        let marks = Marks::new(&program);
        let mut model = Model {
            program,
            identity,
            layout,
            names: Names::new(actors),
            initial: State { words: Vec::new() },
            start_violations: Vec::new(),
            watches,
            looks: Vec::new(),
            all_fixed: false,
            messages_wait,
            marks,
        };
        let (initial, violations) = model.start();
        model.initial = initial;
        model.start_violations = violations;
        model.looks = (0..model.watches.len()).map(|event| model.looks_always(event)).collect();
        model.all_fixed = model.looks.iter().all(Option::is_some);
        model
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How its actors are told apart.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// The initial state: everything that is local at the threads' beginnings has run.
    fn start(&self) -> (State, Vec<Violation>) {
        let program = &*self.program;
        let mut words = program.cells.clone();
        words.resize(self.layout.records, 0);
        for sync in &program.syncs {
            if let SyncKind::Semaphore { initial } = sync.kind {
                words[self.layout.syncs + sync.at as usize] = initial;
            }
        }
        for (number, event) in program.events.iter().enumerate() {
            if !event.disabled {
                words[self.layout.events + number / 64] |= 1 << (number % 64);
            }
        }
        for (number, thread) in program.threads.iter().enumerate() {
            let registers = usize::from(thread.body.registers);
            let base = self.layout.held;
            let length = Header::words(Kind::Thread) + base + registers;
            let header = Header { kind: Kind::Thread, status: Status::Ready, length, base, pc: thread.body.entry };
            words.extend([header.pack(), pair(number as u32, 0)]);
            let frame = words.len() + base;
            words.resize(frame + registers, 0);
            if let Some(parameter) = thread.parameter {
                words[frame] = parameter;
            }
        }
        let mut step = Step::default();
        step.begin(Outcome::FIRST);
        let mut at = self.layout.records;
        while at < words.len() {
            let record = Record::read(&words, at);
            Run::new(self, &mut words, &mut step, record).settle();
            at = Record::read(&words, at).end();
        }
        // An event runs behind the records: room for it spares every copy of the state from growing.
        let registers = program.events.iter().map(|event| usize::from(event.member.body.registers)).max();
        words.shrink_to_fit();
        let held = self.layout.held;
        words.reserve_exact(registers.map_or(0, |registers| Header::words(Kind::Event) + held + registers));
        let mut violations = step.violations().to_vec();
        violations.extend((0..program.invariants.len() as u32).filter_map(|number| self.broken(&words, number)));
        (State { words }, violations)
    }

    /// The violation of an invariant, if it is broken in this state.
    pub(crate) fn broken(&self, words: &[i64], number: u32) -> Option<Violation> {
        let invariant = &self.program.invariants[number as usize];
        let frame: Frame = smallvec::smallvec![0; usize::from(invariant.body.registers)];
        let location = Some(self.program.location(invariant.line, invariant.column));
        match evaluate(&self.program, words, frame, invariant.body.entry, &mut |_| {}) {
            Ok(evaluated) if !evaluated.holds => None,
            Ok(_) => {
                let values = invariant.cells.iter().map(|&cell| self.cell_value(words, cell as usize)).collect();
                let message = invariant.message.clone();
                Some(Violation { kind: ViolationKind::Invariant, message, location, actor: None, values })
            }
            Err(fault) => {
                let message = format!("{} in an invariant", fault.words());
                Some(Violation { kind: ViolationKind::Crash, message, location, actor: None, values: Vec::new() })
            }
        }
    }

    fn cell_value(&self, words: &[i64], cell: usize) -> Value {
        Value { name: self.program.cell_names[cell].clone(), value: self.program.show_cell(cell, words[cell]) }
    }

    /// Tells a schedule of a model by presence in the names of a model by history.
    ///
    /// Both run in step: their records stand in the same order, so the actor that moves is the one in the same place.
    pub fn retell(from: &Model, to: &Model, schedule: &Schedule) -> Option<Schedule> {
        if from.identity == to.identity {
            return Some(schedule.clone());
        }
        let (mut told, mut telling) = (from.initial.clone(), to.initial.clone());
        let mut step = Step::default();
        let mut moves = Vec::with_capacity(schedule.moves.len());
        for &entry in &schedule.moves {
            let actor = match from.record_of(&told.words, entry.actor) {
                None => entry.actor,
                Some(record) => {
                    let place = Records::new(&told.words, &from.layout).position(|other| other.at == record.at)?;
                    Records::new(&telling.words, &to.layout).nth(place)?.actor(&telling.words)
                }
            };
            moves.push(mazurka_core::Move { actor, outcome: entry.outcome });
            step.begin(entry.outcome);
            from.step(&mut told, entry.actor, &mut step);
            step.begin(entry.outcome);
            to.step(&mut telling, actor, &mut step);
        }
        Some(Schedule { start: schedule.start, moves })
    }
}

/// Objects, by number: cells, mutexes, semaphores and their like, condition variables, handlers, mailboxes, events, invariants, and then for each
/// actor its life (created, woken, ended) and the slots of its children.
impl Model {
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    pub(crate) fn marks(&self) -> &Marks {
        &self.marks
    }

    pub(crate) fn watches(&self) -> &[Watch] {
        &self.watches
    }

    pub(crate) fn names(&self) -> &Names {
        &self.names
    }

    pub(crate) fn first_event(&self) -> u32 {
        self.program.threads.len() as u32
    }

    pub(crate) fn cell_object(&self, cell: usize) -> ObjectId {
        ObjectId(cell as u32)
    }

    pub(crate) fn mutex_object(&self, mutex: usize) -> ObjectId {
        ObjectId((self.program.cells.len() + mutex) as u32)
    }

    /// A semaphore, a read-write lock or a channel.
    pub(crate) fn sync_object(&self, number: usize) -> ObjectId {
        self.mutex_object(self.program.mutexes.len() + number)
    }

    pub(crate) fn condition_object(&self, condition: usize) -> ObjectId {
        self.sync_object(self.program.syncs.len() + condition)
    }

    fn first_handler_object(&self) -> u32 {
        self.condition_object(self.program.conditions.len()).0
    }

    pub(crate) fn handler_object(&self, handler: u32) -> ObjectId {
        ObjectId(self.first_handler_object() + handler)
    }

    pub(crate) fn mailbox_object(&self, handler: u32) -> ObjectId {
        ObjectId(self.first_handler_object() + self.program.handlers.len() as u32 + handler)
    }

    pub(crate) fn event_object(&self, event: usize) -> ObjectId {
        ObjectId(self.first_handler_object() + (2 * self.program.handlers.len() + event) as u32)
    }

    pub(crate) fn invariant_object(&self, invariant: u32) -> ObjectId {
        self.event_object(self.program.events.len() + invariant as usize)
    }

    fn first_actor_object(&self) -> u32 {
        self.invariant_object(self.program.invariants.len() as u32).0
    }

    pub(crate) fn life(&self, actor: ActorId) -> ObjectId {
        ObjectId(self.first_actor_object() + 2 * actor.0)
    }

    pub(crate) fn children(&self, actor: ActorId) -> ObjectId {
        ObjectId(self.first_actor_object() + 2 * actor.0 + 1)
    }
}

/// Looking things up in a state.
impl Model {
    fn records<'w>(&self, words: &'w [i64]) -> Records<'w> {
        Records::new(words, &self.layout)
    }

    /// The record of an actor that is not an event: the running one, or else the first in the mailbox.
    pub(crate) fn record_of(&self, words: &[i64], actor: ActorId) -> Option<Record> {
        self.records(words).find(|record| record.actor(words) == actor)
    }

    /// The threads that wait at a condition variable.
    pub(crate) fn waiters(&self, words: &[i64], condition: usize) -> SmallVec<[Record; 4]> {
        self.records(words)
            .filter(|record| record.header.status == Status::Waiting && self.waits_at(words, record) == Some(condition))
            .collect()
    }

    /// The condition variable at which a waiting thread waits.
    pub(crate) fn waits_at(&self, words: &[i64], record: &Record) -> Option<usize> {
        let before = record.header.pc.checked_sub(1)?;
        match self.program.code[before as usize] {
            Instruction::Wait { condition, .. } => Some(resolve(condition, &words[record.frame()..])),
            _ => None,
        }
    }

    /// Whether a waiting thread may stop to wait without a signal.
    pub(crate) fn may_time_out(&self, record: &Record) -> bool {
        let before = record.header.pc.checked_sub(1).map(|before| self.program.code[before as usize]);
        matches!(before, Some(Instruction::Wait { signalled, .. }) if signalled != NONE)
    }

    /// How a mutex is touched by taking it. One that some only try to take is a shared object like any other: who takes it
    /// need not have waited for whoever gave it back.
    pub(crate) fn locking(&self, mutex: usize) -> Access {
        if self.program.tried[mutex] { Access::READ_WRITE } else { Access::WRITE }
    }

    /// Whether an operation can be done at once. Its object is a mutex for `trylock`.
    pub(crate) fn is_possible(&self, words: &[i64], op: SyncOp, object: usize) -> bool {
        if op == SyncOp::TryLock {
            return words[self.layout.mutexes + object] == 0;
        }
        let sync = &self.program.syncs[object];
        let count = self.sync_count(words, object);
        match (op, sync.kind) {
            (SyncOp::Acquire | SyncOp::TryAcquire, _) => count > 0,
            (SyncOp::Receive | SyncOp::TryReceive, _) => count > 0,
            (SyncOp::Send | SyncOp::TrySend, SyncKind::Channel { capacity }) => count < i64::from(capacity),
            (SyncOp::ReadLock | SyncOp::TryReadLock, SyncKind::RwLock { number }) => {
                words[self.layout.writers + number as usize] == 0
            }
            (SyncOp::WriteLock | SyncOp::TryWriteLock, SyncKind::RwLock { number }) => {
                count == 0 && words[self.layout.writers + number as usize] == 0
            }
            _ => true,
        }
    }

    /// How often a semaphore can still be acquired, how many readers a read-write lock has, or how many values a channel.
    pub(crate) fn sync_count(&self, words: &[i64], object: usize) -> i64 {
        words[self.layout.syncs + self.program.syncs[object].at as usize]
    }

    /// Whether a violation has stopped an actor whose record goes.
    pub(crate) fn forgot_somebody_stopped(&self, words: &[i64]) -> bool {
        words[self.layout.stopped..self.layout.stopped_readers].contains(&1)
    }

    /// How often a read-write lock is held for reading by actors that ended with it in their hands and are forgotten,
    /// those aside that a violation stopped.
    pub(crate) fn readers_that_ended(&self, words: &[i64], object: usize, lock: usize) -> i64 {
        let counted =
            |record: &Record| record.header.status != Status::Halted || !is_forgotten_when_stopped(record.header.kind);
        let known: i64 = self.readers(words, lock).filter(counted).map(|reader| words[reader.stack() + lock]).sum();
        let stopped = &words[self.layout.stopped_readers..self.layout.events];
        self.sync_count(words, object) - known - stopped.get(lock).copied().unwrap_or(0)
    }

    /// Those who hold a read-write lock for reading and are not forgotten.
    pub(crate) fn readers<'w>(&self, words: &'w [i64], lock: usize) -> impl Iterator<Item = Record> + 'w {
        let has_begun = |record: &Record| record.header.status != Status::Pending;
        self.records(words).filter(has_begun).filter(move |record| words[record.stack() + lock] > 0)
    }

    pub(crate) fn child_by_handle(&self, words: &[i64], parent: ActorId, handle: i64) -> Option<Record> {
        self.records(words).find(|record| {
            record.header.kind == Kind::Spawned
                && record.owner(words) == parent.0
                && i64::from(record.detail(words) >> 1) + 1 == handle
                && record.detail(words) & 1 == 0
        })
    }

    /// Whether a thread that was there from the start has come to its end.
    pub(crate) fn has_ended(&self, words: &[i64], actor: ActorId) -> bool {
        actor.index() < self.program.threads.len()
            && self
                .records(words)
                .nth(actor.index())
                .is_some_and(|thread| matches!(thread.header.status, Status::Finished | Status::Halted))
    }

    pub(crate) fn free_slot(&self, words: &[i64], parent: ActorId) -> u32 {
        let mut taken: SmallVec<[u32; 8]> = self
            .records(words)
            .filter(|record| record.header.kind == Kind::Spawned && record.owner(words) == parent.0)
            .map(|record| record.detail(words) >> 1)
            .collect();
        taken.sort_unstable();
        (0..).zip(taken.iter().chain([&u32::MAX])).find(|(slot, taken)| slot != *taken).map_or(0, |(slot, _)| slot)
    }

    /// Where the record of a new spawned thread goes.
    pub(crate) fn place_of_thread(&self, words: &[i64], presence: ActorId) -> usize {
        let stable = self.names.stable(presence);
        self.records(words)
            .find(|record| match record.header.kind {
                Kind::Thread => false,
                Kind::Spawned => self.names.stable(record.presence(words)) > stable,
                Kind::Message | Kind::Event => true,
            })
            .map_or(words.len(), |record| record.at)
    }

    /// Where the record of a new message goes.
    pub(crate) fn place_in_mailbox(&self, words: &[i64], handler: u32, new: &[i64]) -> usize {
        let any = self.program.handlers[handler as usize].any;
        // By content, and equal ones by name: whoever posted first must not matter to the row.
        let comes_after = |record: &[i64], new: &[i64]| {
            let name = |record: &[i64]| self.names.stable(ActorId(low(record[1])));
            let by_content = (record[2], &record[4..]).cmp(&(new[2], &new[4..]));
            by_content.then_with(|| name(record).cmp(&name(new))).is_gt()
        };
        self.records(words)
            .find(|record| match record.header.kind {
                Kind::Thread | Kind::Spawned => false,
                Kind::Event => true,
                Kind::Message if record.owner(words) != handler => record.owner(words) > handler,
                Kind::Message => {
                    any && record.header.status == Status::Pending && comes_after(&words[record.at..record.end()], new)
                }
            })
            .map_or(words.len(), |record| record.at)
    }

    /// Whether somebody who is not in a mailbox can move.
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

    /// Appends those who have records and can move.
    fn enabled_records(&self, words: &[i64], into: &mut Vec<ActorId>) {
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
                // Nobody overtakes the first one.
                busy_handler = Some(handler);
            }
        }
    }

    /// Appends those of some events that can happen.
    fn enabled_events(&self, words: &[i64], among: impl Fn(usize) -> bool, into: &mut Vec<ActorId>) {
        let events = (0..self.watches.len()).filter(|&event| among(event) && self.event_can_happen(words, event));
        into.extend(events.map(|event| self.event_actor(event)));
    }

    /// The number of an event among the events.
    fn event_of(&self, actor: ActorId) -> Option<usize> {
        let event = actor.0.checked_sub(self.first_event())? as usize;
        (event < self.program.events.len()).then_some(event)
    }

    /// Who has a record, may move some day and is not among those who can move now; with such a record.
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
    fn visit_blocked_records(&self, words: &[i64], enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
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
    fn visit_blocked_events(
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
    fn visit_threads(&self, words: &[i64], enabled: &mut Vec<ActorId>, visit: &mut BlockedVisitor<'_>) {
        for record in self.records(words) {
            if self.can_move(words, &record) {
                enabled.push(record.actor(words));
            } else if !matches!(record.header.status, Status::Finished | Status::Halted) {
                self.visit_blocked_record(words, record.actor(words), &record, visit);
            }
        }
    }

    /// The events that are not among those who can move now.
    fn waiting_events<'w>(&'w self, enabled: &'w [ActorId]) -> impl Iterator<Item = usize> + 'w {
        // Those that are stand in order at the end of the list.
        let mut can_happen = enabled.iter().filter_map(|&actor| self.event_of(actor)).peekable();
        (0..self.program.events.len()).filter(move |event| can_happen.next_if_eq(event).is_none())
    }

    fn event_actor(&self, event: usize) -> ActorId {
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
    fn created(&self, words: &[i64], event: usize) -> u32 {
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
    fn event_can_happen(&self, words: &[i64], event: usize) -> bool {
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
}

impl System for Model {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        vec![self.initial.clone()]
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        self.enabled_records(&state.words, into);
        self.enabled_events(&state.words, |_| true, into);
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        let words = &mut state.words;
        if let Some(event) = self.event_of(actor) {
            // An event's registers stand behind all records while its step runs.
            let at = words.len();
            let member = &self.program.events[event].member;
            let registers = usize::from(member.body.registers);
            let base = self.layout.held;
            let length = Header::words(Kind::Event) + base + registers;
            let header = Header { kind: Kind::Event, status: Status::Ready, length, base, pc: member.body.entry };
            words.extend([header.pack(), pair(actor.0, self.created(words, event))]);
            let frame = words.len() + base;
            words.resize(frame + registers, 0);
            if let Some(parameter) = member.parameter {
                words[frame] = parameter;
            }
            let record = Record::read(words, at);
            Run::new(self, words, step, record).step();
        } else if let Some(record) = self.record_of(words, actor) {
            Run::new(self, words, step, record).step();
        }
    }

    fn ending(&self, state: &State) -> Ending {
        words::ending(self, &state.words)
    }

    fn traits(&self) -> Traits {
        Traits {
            events: !self.program.events.is_empty(),
            threads: !self.program.threads.is_empty() || self.program.spawns(),
            fifo_mailboxes: self.program.handlers.iter().any(|handler| !handler.any),
            any_mailboxes: self.program.handlers.iter().any(|handler| handler.any),
            recorded: false,
            fixed_steps: false,
            terminates: self.program.terminates(),
            tells_blocked: true,
            tells_plain_accesses: true,
        }
    }

    fn blocked(&self, state: &State, enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        self.visit_blocked_records(&state.words, enabled, visit);
        self.visit_blocked_events(&state.words, enabled, |_| true, visit);
    }

    fn actor(&self, actor: ActorId) -> ActorKind {
        if self.event_of(actor).is_some() {
            return ActorKind::Event;
        }
        let handlers = &self.program.handlers;
        match if handlers.is_empty() { None } else { self.names.handler(actor) } {
            None => ActorKind::Thread,
            Some(handler) => {
                let fifo = (!handlers[handler as usize].any).then(|| self.mailbox_object(handler));
                ActorKind::Message { handler: self.handler_object(handler), fifo }
            }
        }
    }

    fn object(&self, object: ObjectId) -> Object {
        Object { kind: words::object_kind(self, object), rule: self.rule(object) }
    }

    fn narrator(&self) -> &dyn Narrator<State> {
        self
    }

    fn insight(&self) -> &dyn Insight<State> {
        self
    }
}

impl Insight<State> for Model {
    fn violations_at_start(&self, _state: &State, into: &mut Vec<Violation>) {
        into.extend_from_slice(&self.start_violations);
    }

    fn holder(&self, state: &State, object: ObjectId) -> Option<ActorId> {
        words::holder(self, &state.words, object)
    }

    fn fingerprint(&self, state: &State) -> Fingerprint {
        if !self.program.creates_actors {
            return Fingerprint::of_bytes(bytemuck::cast_slice(&state.words));
        }
        let mut words = SmallVec::<[i64; 96]>::from_slice(&state.words);
        self.name_lastingly(state, &mut words);
        if self.layout.counters < self.layout.records {
            words.drain(self.layout.counters..self.layout.records);
        }
        Fingerprint::of_bytes(bytemuck::cast_slice(&words))
    }

    fn keep(&self, state: &State) -> State {
        State { words: state.words.clone() }
    }

    fn fixed_guards(&self) -> Vec<(ActorId, Footprint)> {
        let looks = (0..self.looks.len()).filter_map(|event| Some((event, self.looks[event].as_ref()?)));
        looks.map(|(event, looks)| (self.event_actor(event), looks.clone())).collect()
    }

    fn fixed_guard_holds(&self, state: &State, actor: ActorId) -> bool {
        self.event_of(actor).is_some_and(|event| self.event_can_happen(&state.words, event))
    }

    fn survey(&self, state: &State, enabled: &mut Vec<ActorId>, visit: &mut BlockedVisitor<'_>) -> bool {
        let words = &state.words;
        if self.program.handlers.is_empty() {
            self.visit_threads(words, enabled, visit);
        } else {
            self.enabled_records(words, enabled);
            self.visit_blocked_records(words, enabled, visit);
        }
        if !self.all_fixed {
            let is_other = |event: usize| self.looks[event].is_none();
            self.enabled_events(words, is_other, enabled);
            self.visit_blocked_events(words, enabled, is_other, visit);
        }
        true
    }

    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        footprint.touch(self.life(actor), Access::READ);
    }

    fn shared_fingerprint(&self, state: &State) -> Fingerprint {
        let mut words = SmallVec::<[i64; 96]>::from_slice(&state.words);
        self.name_lastingly(state, &mut words);
        let mut shared: SmallVec<[i64; 96]> = SmallVec::from_slice(&words[..self.layout.counters]);
        for record in self.records(&state.words) {
            shared.extend_from_slice(&words[record.at..record.stack()]);
        }
        Fingerprint::of_bytes(bytemuck::cast_slice(&shared))
    }

    fn locals(&self, state: &State, actor: ActorId, into: &mut Vec<i64>) {
        if let Some(record) = self.record_of(&state.words, actor) {
            into.extend_from_slice(&state.words[record.stack()..record.end()]);
        }
    }
}

impl Narrator<State> for Model {
    fn actor_name(&self, actor: ActorId) -> String {
        words::actor_name(self, actor)
    }

    fn object_name(&self, object: ObjectId) -> String {
        words::object_name(self, object)
    }

    fn touch_verb(&self, object: ObjectId, access: Access) -> &'static str {
        words::touch_verb(self, object, access)
    }

    fn describe(&self, state: &State, actor: ActorId, outcome: Outcome) -> Description {
        words::describe(self, state, actor, outcome)
    }

    fn observe(&self, state: &State, into: &mut Vec<Value>) {
        words::observe(self, &state.words, into);
    }

    fn observe_locals(&self, state: &State, actor: ActorId, into: &mut Vec<Value>) {
        words::locals(self, &state.words, actor, into);
    }
}

impl Model {
    /// Names actors in the words of a state by what they are, not by numbers that depend on who came first.
    fn name_lastingly(&self, state: &State, words: &mut [i64]) {
        if !self.program.creates_actors {
            return;
        }
        let names = self.names.read();
        for word in &mut words[self.layout.mutexes..self.layout.syncs] {
            let holder = ActorId((*word - 1) as u32);
            if *word != 0 && holder.0 < ENDED_HOLDER {
                let presence =
                    self.record_of(&state.words, holder).map_or(holder, |record| record.presence(&state.words));
                *word = (names.stable(presence) as i64).wrapping_add(1);
            }
        }
        for record in self.records(&state.words) {
            words[record.at + 1] = 0;
            if let Kind::Spawned | Kind::Message = record.header.kind {
                words[record.at + 3] = names.stable(record.presence(&state.words)) as i64;
            }
            if record.header.kind == Kind::Spawned {
                words[record.at + 2] = i64::from(record.detail(&state.words));
            }
        }
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

    /// What engines may rely on when steps use an object. A mutex that is only tried is held and released like any other,
    /// but a step may touch it while another actor holds it.
    fn rule(&self, object: ObjectId) -> Rule {
        let mutex = (object.0 as usize).checked_sub(self.program.cells.len());
        if mutex.and_then(|mutex| self.program.tried.get(mutex)).is_some_and(|is_tried| !is_tried) {
            return Rule::Mutex;
        }
        let handler = object.0.checked_sub(self.first_handler_object());
        let handler = handler.and_then(|handler| self.program.handlers.get(handler as usize));
        let is_bag = !self.messages_wait && handler.is_some_and(|handler| handler.any);
        if is_bag { Rule::Bag } else { Rule::Free }
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
    fn looks_always(&self, event: usize) -> Option<Footprint> {
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

    /// What a name that was made while the program ran stands for.
    pub(crate) fn key(&self, actor: ActorId) -> Option<Key> {
        self.names.key(actor)
    }

    /// Who holds a mutex.
    pub(crate) fn holder(&self, words: &[i64], mutex: usize) -> Holder {
        self.holder_in(words[self.layout.mutexes + mutex])
    }

    /// Who holds a read-write lock for writing.
    pub(crate) fn writer(&self, words: &[i64], lock: usize) -> Holder {
        self.holder_in(words[self.layout.writers + lock])
    }

    fn holder_in(&self, word: i64) -> Holder {
        match word {
            0 => Holder::Nobody,
            word if word == i64::from(HALTED_HOLDER) + 1 => Holder::Halted,
            word if word == i64::from(ENDED_HOLDER) + 1 => Holder::Ended,
            word => Holder::Actor(ActorId((word - 1) as u32)),
        }
    }

    pub(crate) fn place_location(&self, record: &Record) -> Location {
        self.program.site_location(record.header.pc)
    }
}

/// Whether an actor that a violation stops loses its record, at once or later. Threads that are there from the start keep
/// theirs.
pub(crate) fn is_forgotten_when_stopped(kind: Kind) -> bool {
    kind != Kind::Thread
}

/// Who holds a mutex, or a read-write lock for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    Nobody,
    Actor(ActorId),
    /// Somebody whom a violation stopped.
    Halted,
    /// Somebody who has come to its end and is forgotten.
    Ended,
}

impl Holder {
    /// The actor, if it is still there.
    pub(crate) fn actor(self) -> Option<ActorId> {
        match self {
            Holder::Actor(actor) => Some(actor),
            Holder::Nobody | Holder::Halted | Holder::Ended => None,
        }
    }
}
