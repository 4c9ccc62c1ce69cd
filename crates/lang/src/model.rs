//! A compiled program as a [`System`].

mod enabled;
mod liveness;
mod lookup;
mod objects;

use crate::code::{Program, SyncKind};
use crate::coverage::Marks;
use crate::guard::Watch;
use crate::names::{Key, Names};
use crate::run::{ENDED_HOLDER, Frame, HALTED_HOLDER, Run, evaluate};
use crate::state::{Header, Kind, Layout, Record, Records, State, Status, pair};
use crate::words;
use mazurka_core::{
    Access, ActorId, ActorKind, BlockedVisitor, Description, Ending, Fingerprint, Footprint, Identity, Insight,
    Liveness, Location, Narrator, Object, ObjectId, Outcome, Rule, Schedule, Step, System, Traits, Value, Violation,
    ViolationKind, pack_row, unpack_row,
};
use smallvec::SmallVec;
use std::sync::Arc;

/// No state has more words than this.
const MOST_WORDS: usize = 1 << 28;

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
        Some(Schedule { moves, ..schedule.clone() })
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
            liveness: !self.program.properties.is_empty(),
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

    fn liveness(&self) -> &dyn Liveness<State> {
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

    fn packs(&self) -> bool {
        true
    }

    fn pack(&self, state: &State, before: &State, into: &mut Vec<u8>) {
        pack_row(&state.words, &before.words, into);
    }

    fn unpack(&self, bytes: &mut &[u8], state: &mut State) -> bool {
        unpack_row(bytes, &mut state.words, MOST_WORDS).is_some()
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
    /// Names actors in the words of a state by what they are, not by numbers that depend on which came first.
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

    /// What a name that was made while the program ran stands for.
    pub(crate) fn key(&self, actor: ActorId) -> Option<Key> {
        self.names.key(actor)
    }

    /// The holder of a mutex.
    pub(crate) fn holder(&self, words: &[i64], mutex: usize) -> Holder {
        self.holder_in(words[self.layout.mutexes + mutex])
    }

    /// The writer that holds a read-write lock.
    pub(crate) fn writer(&self, words: &[i64], lock: usize) -> Holder {
        self.holder_in(words[self.layout.writers + lock])
    }

    fn holder_in(&self, word: i64) -> Holder {
        match word {
            0 => Holder::Free,
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

/// The holder of a mutex, or the writer that holds a read-write lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    /// No actor.
    Free,
    Actor(ActorId),
    /// An actor that a violation stopped.
    Halted,
    /// An actor that has ended and is forgotten.
    Ended,
}

impl Holder {
    /// The actor, if it is still there.
    pub(crate) fn actor(self) -> Option<ActorId> {
        match self {
            Holder::Actor(actor) => Some(actor),
            Holder::Free | Holder::Halted | Holder::Ended => None,
        }
    }
}
