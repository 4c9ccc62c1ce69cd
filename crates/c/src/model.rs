//! A program as a [`System`].

use crate::code::Program;
use crate::coverage::Marks;
use crate::memory::{FUNCTIONS, space};
use crate::objects::{ActorInfo, ActorKey, Actors, Key, Kind, Objects, SyncKind, What};
use crate::printed::Witness;
use crate::run::{Races, Run, is_open, obstacle};
use crate::state::{EXITED, Entry, Head, STOPPED, State, Status, View, flag};
use crate::words;
use mazurka_core::{
    Access, ActorId, ActorKind, Awaited, BlockedVisitor, Description, Ending, Fingerprint, Footprint, Found, Identity,
    Insight, Liveness, Location, Narrator, Object, ObjectId, ObjectKind, Outcome, Property, Rule, Schedule, Step,
    System, Traits, Value, Violation,
};
use std::sync::Arc;

/// What turned up while a program was run: its numbers and names.
#[derive(Debug)]
struct Tables {
    objects: Objects,
    actors: Actors,
    marks: Marks,
    blocks: words::Blocks,
    races: Races,
}

/// A program that can be explored.
#[derive(Debug)]
pub struct Model {
    program: Arc<Program>,
    identity: Identity,
    tables: Arc<Tables>,
    /// Whether an actor stops in a loop of which another round would be the same.
    pub(crate) stops_spinning: bool,
    /// What has to happen in the end. Engines that follow executions do not ask.
    pub(crate) properties: Vec<Property>,
    initial: State,
    start_violations: Vec<Violation>,
}

impl Model {
    /// Makes a program explorable.
    pub fn new(program: Arc<Program>, identity: Identity) -> Self {
        let mut model = Model {
            identity,
            tables: Arc::new(Tables {
                objects: Objects::new(program.objects),
                actors: Actors::default(),
                marks: Marks::new(&program),
                blocks: words::Blocks::default(),
                races: Races::default(),
            }),
            stops_spinning: false,
            properties: crate::liveness::properties(&program),
            initial: State::default(),
            start_violations: Vec::new(),
            program,
        };
        let (initial, violations) = model.start();
        model.initial = initial;
        model.start_violations = violations;
        model
    }

    /// Makes a program explorable by engines that follow executions: data races are seen along them.
    pub fn with_races(program: Arc<Program>) -> Self {
        Model::new(program, Identity::History).seeing_races()
    }

    /// The same program, with the same numbers: an actor stops where it waits in a loop, instead of going round for ever.
    /// Nothing else is lost, see `spin.rs`. For engines that follow executions to their ends.
    #[must_use]
    pub fn stopping_spins(&self) -> Model {
        Model {
            program: Arc::clone(&self.program),
            identity: self.identity,
            tables: Arc::clone(&self.tables),
            stops_spinning: !self.program.spins.is_empty(),
            properties: Vec::new(),
            initial: self.initial.clone(),
            start_violations: self.start_violations.clone(),
        }
    }

    /// The same program, with the same numbers: data races are seen.
    #[must_use]
    pub fn seeing_races(&self) -> Model {
        let mut model = self.stopping_spins();
        model.stops_spinning = self.stops_spinning;
        model.initial.clocks = Some(Box::default());
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

    /// The initial state: what is local at the beginning of the main thread has run.
    fn start(&self) -> (State, Vec<Violation>) {
        let mut step = Step::default();
        step.begin(Outcome::FIRST);
        let mut witness = Witness::default();
        let state = self.start_with(&mut step, &mut witness);
        (state, step.violations().to_vec())
    }

    pub(crate) fn start_with(&self, step: &mut Step, witness: &mut Witness) -> State {
        let program = &*self.program;
        let key = ActorKey::Child { parent: 0, number: 0 };
        let main = ActorInfo { key, function: program.entry, kind: Kind::Thread, handler: None, name: None };
        self.tables.actors.number(main);
        let mut words = program.initial.clone();
        words.push(0);
        let mut state = State { words, clocks: None };
        Run::begin_program(self, &mut state, step, witness);
        state.words.shrink_to_fit();
        state
    }

    pub(crate) fn objects(&self) -> &Objects {
        &self.tables.objects
    }

    pub(crate) fn actors(&self) -> &Actors {
        &self.tables.actors
    }

    /// Runs the program once, the first actor that can move before all others, for this many steps: what it prints, and how it
    /// ends.
    pub fn run_once(&self, most_steps: usize) -> Finished {
        let mut step = Step::default();
        step.begin(Outcome::FIRST);
        let mut witness = Witness::default();
        let mut state = self.start_with(&mut step, &mut witness);
        let mut violations = step.violations().to_vec();
        let mut enabled = Vec::new();
        for _ in 0..most_steps {
            enabled.clear();
            self.enabled(&state, &mut enabled);
            let Some(index) = enabled.first().and_then(|actor| self.view(&state).find(actor.0).ok()) else { break };
            step.begin(Outcome::FIRST);
            Run::new(self, &mut state, &mut step, index).step_with(&mut witness);
            violations.extend_from_slice(step.violations());
            if !violations.is_empty() {
                break;
            }
        }
        let view = self.view(&state);
        let main = view.actor(0).filter(|main| main.status == Status::Finished);
        let exit_code = match main {
            Some(main) => Some(view.head(main).waits as u8),
            None if was_ended(view).0 => Some((view.flags() >> crate::state::EXIT_CODE) as u8),
            None => None,
        };
        Finished { output: witness.output, exit_code, violations }
    }

    /// Whether an execution came to its own end.
    pub fn has_finished(&self) -> bool {
        self.marks().has_finished()
    }

    /// The places of the assumptions at which executions ended.
    pub fn blocked_at(&self) -> Vec<Location> {
        self.marked(crate::coverage::BLOCKED)
    }

    /// The places of the loops in which an actor waited to the end for what no actor did.
    pub fn spun_at(&self) -> Vec<Location> {
        self.marked(crate::coverage::SPUN)
    }

    /// Whether an execution ended with an actor that waited in a loop.
    pub fn has_ended_in_loop(&self) -> bool {
        self.marks().has_ended_in_loop()
    }

    fn marked(&self, mark: u8) -> Vec<Location> {
        let pcs = (0..self.program.code.len() as u32).filter(|&pc| self.tables.marks.has(pc, mark));
        let mut places: Vec<Location> = pcs.filter_map(|pc| self.location(pc)).collect();
        places.sort();
        places.dedup();
        places
    }

    pub(crate) fn blocks(&self) -> &words::Blocks {
        &self.tables.blocks
    }

    pub(crate) fn races(&self) -> &Races {
        &self.tables.races
    }

    pub(crate) fn marks(&self) -> &Marks {
        &self.tables.marks
    }

    /// Where the number of actors is in the words of a state.
    #[inline]
    pub(crate) fn base(&self) -> usize {
        self.program.initial.len()
    }

    #[inline]
    pub(crate) fn view<'s>(&self, state: &'s State) -> View<'s> {
        View { words: &state.words, base: self.base() }
    }

    /// Whether freed memory is used again: by presence. Then allocating depends on what others freed.
    #[inline]
    pub(crate) fn reuses_memory(&self) -> bool {
        self.identity == Identity::Presence
    }

    /// Whether a number may be the address of memory.
    #[inline]
    pub(crate) fn is_address(&self, number: u64) -> bool {
        !matches!(space(number), 0 | FUNCTIONS)
    }

    /// How acquiring a mutex touches it. If some operations only try to acquire theirs, a mutex is a shared object like
    /// any other: an actor that acquires it need not have waited for the one that released it.
    #[inline]
    pub(crate) fn locking(&self) -> Access {
        if self.program.features.tries { Access::READ_WRITE } else { Access::WRITE }
    }

    /// The place of an instruction in the source.
    pub(crate) fn location(&self, pc: u32) -> Option<Location> {
        self.program.debug.location(*self.program.places.get(pc as usize)?).cloned()
    }

    /// Tells a schedule of a model by presence in the names of a model by history. Both run in step.
    pub fn retell(from: &Model, to: &Model, schedule: &Schedule) -> Option<Schedule> {
        if from.identity == to.identity {
            return Some(schedule.clone());
        }
        let (mut told, mut telling) = (from.initial.clone(), to.initial.clone());
        // Which actor is which: the actors of both that are there.
        let mut pairs: Vec<(u32, u32)> = vec![(0, 0)];
        let mut step = Step::default();
        let mut moves = Vec::with_capacity(schedule.moves.len());
        for &entry in &schedule.moves {
            let partner = pairs.iter().rev().find(|(one, _)| *one == entry.actor.0)?.1;
            step.begin(entry.outcome);
            from.step(&mut told, entry.actor, &mut step);
            let made: Vec<u32> = step.actors_made().iter().map(|actor| actor.0).collect();
            moves.push(mazurka_core::Move { actor: ActorId(partner), outcome: entry.outcome });
            step.begin(entry.outcome);
            to.step(&mut telling, ActorId(partner), &mut step);
            pairs.extend(made.into_iter().zip(step.actors_made().iter().map(|actor| actor.0)));
        }
        Some(Schedule { moves, ..schedule.clone() })
    }
}

/// Handlers and events.
impl Model {
    /// Whether a message can begin.
    pub(crate) fn can_begin(&self, view: View<'_>, entry: Entry) -> bool {
        let head = view.head(entry);
        view.actor(head.handler).is_some_and(|handler| {
            let of = view.head(handler);
            handler.status == Status::Resting && of.handler == 0 && (!of.has(flag::FIFO) || head.waits == 0)
        })
    }

    pub(crate) fn message_obstacle(
        &self,
        view: View<'_>,
        entry: Entry,
        head: &Head,
        footprint: &mut Footprint,
    ) -> Option<Awaited> {
        let handler = head.handler;
        let object = self.tables.objects.other(Key::Handler(handler));
        footprint.touch(self.tables.objects.life(entry.actor), Access::READ);
        let of = view.actor(handler)?;
        let gate = self.tables.objects.other(Key::Gate(handler));
        if view.head(of).has(flag::QUEUE) {
            footprint.touch(gate, Access::READ);
        }
        footprint.touch(object, Access::WRITE);
        Some(if of.status == Status::Resting { Awaited::Freed(object) } else { Awaited::Made(gate) })
    }

    /// The local variables where an actor stands.
    pub(crate) fn values_at(&self, view: View<'_>, frame: &[u64], actor: u32, pc: u32) -> Vec<Value> {
        words::values_at(self, view, frame, actor, pc)
    }
}

impl System for Model {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        vec![self.initial.clone()]
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        let view = self.view(state);
        for entry in view.entries() {
            if entry.status == Status::Ready || is_open(self, view, entry) {
                into.push(ActorId(entry.actor));
            }
        }
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        if let Ok(index) = self.view(state).find(actor.0) {
            Run::new(self, state, step, index).step();
        }
    }

    fn blocked(&self, state: &State, enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        let view = self.view(state);
        for entry in view.entries().filter(|entry| entry.status.is_alive()) {
            let actor = ActorId(entry.actor);
            if !enabled.contains(&actor) {
                visit(actor, &mut |footprint| obstacle(self, view, entry, footprint));
            }
        }
    }

    fn ending(&self, state: &State) -> Ending {
        let ending = words::ending(self, self.view(state));
        if matches!(ending, Ending::Finished) {
            self.marks().note_finished();
        }
        ending
    }

    fn traits(&self) -> Traits {
        let features = self.program.features;
        Traits {
            events: features.events,
            threads: true,
            fifo_mailboxes: features.fifo_handlers,
            any_mailboxes: features.any_handlers,
            recorded: false,
            fixed_steps: false,
            terminates: features.terminates,
            liveness: false,
            tells_blocked: true,
            tells_plain_accesses: true,
        }
    }

    fn actor(&self, actor: ActorId) -> ActorKind {
        match self.tables.actors.info(actor.0) {
            Some(ActorInfo { kind: Kind::Message, handler: Some((handler, fifo)), .. }) => ActorKind::Message {
                handler: self.tables.objects.other(Key::Handler(handler)),
                fifo: fifo.then(|| self.tables.objects.other(Key::Mailbox(handler))),
            },
            Some(ActorInfo { kind: Kind::Event, .. }) => ActorKind::Event,
            _ => ActorKind::Thread,
        }
    }

    fn object(&self, object: ObjectId) -> Object {
        let features = self.program.features;
        match self.tables.objects.what(object) {
            What::Scalar(_) | What::Unknown => ObjectKind::Variable.into(),
            What::Life(_) => ObjectKind::Life.into(),
            What::Key(key) => match key {
                Key::Process => ObjectKind::Life.into(),
                Key::Cell(_) => ObjectKind::Variable.into(),
                Key::Sync(SyncKind::Mutex, _) => {
                    Object { kind: ObjectKind::Lock, rule: if features.tries { Rule::Free } else { Rule::Mutex } }
                }
                Key::Sync(SyncKind::Condition, _) => ObjectKind::Signal.into(),
                Key::Sync(..) => ObjectKind::Lock.into(),
                Key::Handler(handler) => {
                    let fifo =
                        matches!(self.tables.actors.info(handler), Some(ActorInfo { handler: Some((_, true)), .. }));
                    let is_bag = !fifo && !features.messages_wait;
                    Object { kind: ObjectKind::Handler, rule: if is_bag { Rule::Bag } else { Rule::Free } }
                }
                Key::Gate(_) => Object { kind: ObjectKind::Switch, rule: Rule::Gate },
                Key::Mailbox(_) => ObjectKind::Mailbox.into(),
                Key::Heap(_) => ObjectKind::Mailbox.into(),
            },
        }
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
        words::holder(self, self.view(state), object)
    }

    fn fingerprint(&self, state: &State) -> Fingerprint {
        Fingerprint::of_bytes(bytemuck::cast_slice(&state.words))
    }

    fn keep(&self, state: &State) -> State {
        State { words: state.words.as_slice().into(), clocks: state.clocks.clone() }
    }

    fn survey(&self, state: &State, enabled: &mut Vec<ActorId>, visit: &mut BlockedVisitor<'_>) -> bool {
        let view = self.view(state);
        for entry in view.entries() {
            if entry.status == Status::Ready || is_open(self, view, entry) {
                enabled.push(ActorId(entry.actor));
            } else if entry.status.is_alive() {
                visit(ActorId(entry.actor), &mut |footprint| obstacle(self, view, entry, footprint));
            }
        }
        true
    }

    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        footprint.touch(self.tables.objects.life(actor.0), Access::READ);
    }

    fn shared_fingerprint(&self, state: &State) -> Fingerprint {
        let view = self.view(state);
        let mut words: Vec<u64> = view.words[..view.base + 1].to_vec();
        for index in 0..view.len() {
            let entry = view.entry(index);
            let head = view.head(entry);
            words.push(u64::from(entry.actor) | (entry.status as u64) << 32);
            words.extend_from_slice(&view.words[entry.at..entry.at + head.private_at()]);
        }
        Fingerprint::of_bytes(bytemuck::cast_slice(&words))
    }

    fn locals(&self, state: &State, actor: ActorId, into: &mut Vec<i64>) {
        let view = self.view(state);
        if let Ok(index) = view.find(actor.0) {
            let entry = view.entry(index);
            let start = entry.at + view.head(entry).private_at();
            into.extend(view.words[start..view.end(index)].iter().map(|&word| word as i64));
        }
    }
}

impl Narrator<State> for Model {
    fn actor_name(&self, actor: ActorId) -> String {
        words::actor_name(self, actor.0)
    }

    fn object_name(&self, object: ObjectId) -> String {
        words::object_name(self, object)
    }

    fn touch_verb(&self, object: ObjectId, access: Access) -> &'static str {
        words::touch_verb(self, object, access)
    }

    fn describe(&self, state: &State, actor: ActorId, _outcome: Outcome) -> Description {
        words::describe(self, self.view(state), actor.0)
    }

    fn output(&self, schedule: &Schedule) -> Vec<String> {
        self.printed_by_steps(schedule)
    }

    fn tells_lines(&self) -> bool {
        true
    }

    fn background(&self, found: &Found) -> Option<String> {
        self.where_freed(&found.schedule)
    }

    fn observe(&self, state: &State, into: &mut Vec<Value>) {
        words::observe(self, self.view(state), into);
    }

    fn observe_locals(&self, state: &State, actor: ActorId, into: &mut Vec<Value>) {
        words::observe_locals(self, self.view(state), actor.0, into);
    }
}

/// What one run of a program came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// What it printed.
    pub output: Vec<u8>,
    /// The code with which it ended, if it did.
    pub exit_code: Option<u8>,
    /// What was wrong.
    pub violations: Vec<Violation>,
}

/// What the whole program came to, from the flags of a state.
pub(crate) fn was_ended(view: View<'_>) -> (bool, bool) {
    (view.flags() & EXITED != 0, view.flags() & STOPPED != 0)
}
