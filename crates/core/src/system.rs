//! The face of a program that a frontend writes.

use crate::panics::caught;
use crate::{
    Access, ActorId, Choices, Fingerprint, FingerprintHasher, Footprint, Found, Location, Move, Next, ObjectId,
    Outcome, Violation,
};
use smallvec::SmallVec;
use std::hash::Hash;

/// A program: states, the actors that can move in them, and what a move does.
///
/// `step` must be deterministic but for [`Step::choose`], and must record in the [`Step`] every shared object that it
/// looked at or changed: reductions are sound exactly as far as footprints are complete. An actor that is enabled or
/// disabled by another one must read an object that the other one writes.
///
/// Only the first three methods are required. The rest tells people what they see.
///
/// ```
/// use mazurka_core::{ActorId, ObjectId, Step, System};
///
/// /// Two doors of an airlock: each opens when it believes that the other one is shut.
/// struct Airlock;
/// const DOORS: [ObjectId; 2] = [ObjectId(0), ObjectId(1)];
///
/// impl System for Airlock {
///     type State = [bool; 2];
///
///     fn initial_states(&self) -> Vec<Self::State> {
///         vec![[false, false]]
///     }
///
///     fn enabled(&self, _open: &Self::State, into: &mut Vec<ActorId>) {
///         into.extend([ActorId(0), ActorId(1)]);
///     }
///
///     fn step(&self, open: &mut Self::State, actor: ActorId, step: &mut Step) {
///         let (mine, other) = (actor.index(), 1 - actor.index());
///         step.read(DOORS[other]);
///         step.write(DOORS[mine]);
///         open[mine] = !open[mine] && !open[other];
///         step.assert(!(open[0] && open[1]), "both doors are open");
///     }
/// }
/// # let mut state = Airlock.initial_states().remove(0);
/// # let mut step = Step::default();
/// # Airlock.step(&mut state, ActorId(0), &mut step);
/// # assert_eq!(state, [true, false]);
/// ```
pub trait System: Sync {
    /// Everything that can change. Equal states have equal futures.
    type State: Clone + Eq + Hash + Send + Sync;

    /// Where executions begin.
    fn initial_states(&self) -> Vec<Self::State>;

    /// Appends the actors that can move now, each once, always in the same order.
    fn enabled(&self, state: &Self::State, into: &mut Vec<ActorId>);

    /// Moves one enabled actor.
    fn step(&self, state: &mut Self::State, actor: ActorId, step: &mut Step);

    /// Reports what is wrong with an initial state, before anybody moved.
    fn violations_at_start(&self, _state: &Self::State, _into: &mut Vec<Violation>) {}

    /// What it means that nobody can move here.
    fn ending(&self, _state: &Self::State) -> Ending {
        Ending::Finished
    }

    /// Appends the actors that may move some day but cannot move now, events that cannot happen included.
    fn waiting(&self, _state: &Self::State, _into: &mut Vec<ActorId>) {}

    /// What `actor` would do next; for `Blocked` and `Ready` with the footprint of doing it.
    fn next(&self, _state: &Self::State, _actor: ActorId, _footprint: &mut Footprint) -> Next {
        Next::Unknown
    }

    /// What `actor`, who cannot move here, waits for, if that is one object: somebody must change it before `actor` can
    /// move. `None` where that is not known.
    fn awaits(&self, _state: &Self::State, _actor: ActorId) -> Option<Awaited> {
        None
    }

    /// Whether an actor is an event, which does all that it does in one step, and may happen again. Threads and messages stand
    /// somewhere in their code; a search may do better to let them go on than to try others in turn.
    fn is_event(&self, _actor: ActorId) -> bool {
        let Traits { events, threads, fifo_mailboxes, any_mailboxes, recorded, .. } = self.traits();
        events || !(threads || fifo_mailboxes || any_mailboxes || recorded)
    }

    /// Whether `actor`, who can move here, is known to be idle: its step would choose nothing, find nothing wrong and
    /// leave everything as it is. Then `footprint` becomes what the step would look at, and a search that holds this
    /// against others need not take the step.
    fn is_idle(&self, _state: &Self::State, _actor: ActorId, _footprint: &mut Footprint) -> bool {
        false
    }

    /// Visits everybody who cannot move now but may some day: with the footprint of the step that it waits to take, and
    /// with what it awaits. `enabled` is what [`System::enabled`] says of the state. To be written anew where the three
    /// methods above find out one thing three times.
    fn visit_waiting(&self, state: &Self::State, _enabled: &[ActorId], visit: &mut WaitingVisitor<'_>) {
        let (mut waiting, mut footprint) = (Vec::new(), Footprint::default());
        self.waiting(state, &mut waiting);
        for actor in waiting {
            if self.next(state, actor, &mut footprint) != Next::Blocked {
                footprint.clear();
            }
            visit(actor, &footprint, self.awaits(state, actor));
        }
    }

    /// Those who are there from the start to the end and, whenever they cannot move, wait to take a step of which the
    /// footprint is always the same; with that footprint. Whether they can move depends on its objects only, and one of
    /// these is what they await. If there is one object only, that one is always awaited to be made ([`Awaited::Made`]). A
    /// search that asks once need not ask after them in every state.
    fn standing(&self) -> Vec<(ActorId, Footprint)> {
        Vec::new()
    }

    /// Whether one of [`System::standing`] can move now.
    fn standing_can_move(&self, state: &Self::State, actor: ActorId) -> bool {
        let mut enabled = Vec::new();
        self.enabled(state, &mut enabled);
        enabled.contains(&actor)
    }

    /// Appends those whom [`System::enabled`] appends and visits those whom [`System::visit_waiting`] visits, but for
    /// [`System::standing`]. To be written anew where one look at a state tells both.
    fn visit_others(&self, state: &Self::State, enabled: &mut Vec<ActorId>, visit: &mut WaitingVisitor<'_>) {
        let standing = self.standing();
        let is_other = |actor: ActorId| standing.iter().all(|(standing, _)| *standing != actor);
        self.enabled(state, enabled);
        self.visit_waiting(state, enabled, &mut |actor, footprint, awaited| {
            if is_other(actor) {
                visit(actor, footprint, awaited);
            }
        });
        enabled.retain(|&actor| is_other(actor));
    }

    /// The mailbox that an actor which is there came into, if it is a message of a first-in-first-out mailbox: such
    /// messages run one after the other, in the order in which they were posted.
    fn queue(&self, _state: &Self::State, _actor: ActorId) -> Option<Queue> {
        None
    }

    /// Whether an object is a mutex: held from a step that writes it to one that gives it back. It can be written only
    /// while nobody else holds it.
    fn is_mutex(&self, _object: ObjectId) -> bool {
        false
    }

    /// Visits mutexes that an actor holds here, and will hold until a step of its own gives them back. A search that knows
    /// them need not try who would have to take them first; none has to be told.
    fn visit_held(&self, _state: &Self::State, _actor: ActorId, _visit: &mut dyn FnMut(ObjectId)) {}

    /// The handler that runs an actor, if it is a message, the same in every state: the actor writes it whenever it begins
    /// and in no other step, and from there to its end no other message of that handler can move.
    fn runs_on(&self, _actor: ActorId) -> Option<ObjectId> {
        None
    }

    /// Whether an object is a gate: one step changes it, once, and nobody else can touch it before that.
    fn is_gate(&self, _object: ObjectId) -> bool {
        false
    }

    /// Whether an object is a handler that takes its messages in any order, each of which runs to its end without ever
    /// having to wait. A message then writes the handler in its first step and releases it in its last one; whether two
    /// of them conflict is seen in what else they touch.
    fn is_bag(&self, _object: ObjectId) -> bool {
        false
    }

    /// A copy of a state that is to be kept and not to be changed: one without room to grow, where states have that.
    fn keep(&self, state: &Self::State) -> Self::State {
        state.clone()
    }

    /// The state in 128 bits.
    fn fingerprint(&self, state: &Self::State) -> Fingerprint {
        let mut hasher = FingerprintHasher::default();
        state.hash(&mut hasher);
        hasher.take()
    }

    /// The part of the state that is no actor's own, in 128 bits: everything but what [`System::locals`] tells. Where each
    /// actor stands belongs to it.
    fn shared_fingerprint(&self, state: &Self::State) -> Fingerprint {
        self.fingerprint(state)
    }

    /// Appends what only `actor` sees and changes, word by word. A program that tells nothing here has no local states.
    fn locals(&self, _state: &Self::State, _actor: ActorId, _into: &mut Vec<i64>) {}

    /// What the program is made of.
    fn traits(&self) -> Traits {
        Traits::default()
    }

    /// An actor's name, the same in every execution.
    fn actor_name(&self, actor: ActorId) -> String {
        format!("actor {}", actor.0)
    }

    /// An object's name.
    fn object_name(&self, object: ObjectId) -> String {
        format!("object {}", object.0)
    }

    /// What kind of thing an object is.
    fn object_kind(&self, _object: ObjectId) -> ObjectKind {
        ObjectKind::Variable
    }

    /// Who has an object in hand in this state, so that others have to wait for it: the holder of a lock, the message
    /// that runs on a handler, the actor whose life it is.
    fn holder(&self, _state: &Self::State, _object: ObjectId) -> Option<ActorId> {
        None
    }

    /// What touching an object is called: a verb in the past tense, for "T1 incremented x before T2 read it".
    fn touch_verb(&self, _object: ObjectId, access: Access) -> &'static str {
        if access.changes() { "wrote" } else { "read" }
    }

    /// What `actor` is about to do in this state.
    fn describe(&self, _state: &Self::State, actor: ActorId, _outcome: Outcome) -> Description {
        Description { text: self.actor_name(actor), location: None }
    }

    /// Why a violation comes about, in one sentence without a full stop, where the program can say it better than "one
    /// step came before the other".
    fn explain(&self, _found: &Found) -> Option<String> {
        None
    }

    /// What is done again and again, in order, where the violation is that something never ends.
    fn repeats(&self, _found: &Found) -> Vec<String> {
        Vec::new()
    }

    /// Appends what a person would want to see of the state, in a fixed order.
    fn observe(&self, _state: &Self::State, _into: &mut Vec<Value>) {}

    /// Appends what a person would want to see of what only `actor` knows: its local variables, by name.
    fn observe_locals(&self, _state: &Self::State, _actor: ActorId, _into: &mut Vec<Value>) {}
}

/// Who is told of those who wait; see [`System::visit_waiting`].
pub type WaitingVisitor<'v> = dyn FnMut(ActorId, &Footprint, Option<Awaited>) + 'v;

/// What kind of thing a shared object is, for words and pictures. Where one step depends on another through several
/// objects, the kind that comes first here tells most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ObjectKind {
    /// Whether an actor was made, woken or has ended.
    Life,
    /// A condition variable.
    Signal,
    /// A mutex.
    Lock,
    /// Whether an event can happen.
    Switch,
    /// A shared variable.
    Variable,
    /// The messages that wait for a handler.
    Mailbox,
    /// A handler, which runs one message at a time.
    Handler,
    /// A condition that must always hold.
    Invariant,
}

impl ObjectKind {
    /// The kind's name in machine-readable reports.
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Life => "life",
            ObjectKind::Signal => "signal",
            ObjectKind::Lock => "lock",
            ObjectKind::Switch => "switch",
            ObjectKind::Variable => "variable",
            ObjectKind::Mailbox => "mailbox",
            ObjectKind::Handler => "handler",
            ObjectKind::Invariant => "invariant",
        }
    }
}

/// A named value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value {
    /// Whose value.
    pub name: String,
    /// The value, as it is shown.
    pub value: String,
}

/// A step in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// What is done, as the source has it.
    pub text: String,
    /// Where the source has it.
    pub location: Option<Location>,
}

/// What a program is made of: which engines fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits {
    /// It has events, which may happen again and again.
    pub events: bool,
    /// It has threads.
    pub threads: bool,
    /// It has handlers that take their messages in order of arrival.
    pub fifo_mailboxes: bool,
    /// It has handlers that take their messages in any order.
    pub any_mailboxes: bool,
    /// It is a recorded execution: what each actor does is known, and only the order is open.
    pub recorded: bool,
    /// Every actor takes the same steps, with the same footprints, in every execution in which it gets that far, and
    /// waits for nothing but gates, mutexes and its turn in a queue.
    pub fixed_steps: bool,
    /// No execution comes back to a state, and none goes on for ever: nobody has to look out for that.
    pub terminates: bool,
    /// [`System::waiting`] and [`System::next`] tell of everybody who cannot move now but may some day. Reductions that
    /// have to know what a step would touch before it is taken refuse a program that does not.
    pub tells_who_waits: bool,
    /// Steps say whether they are plain accesses of shared variables ([`Step::plain`]). Nobody can look for data races in a
    /// program that does not.
    pub tells_plain_accesses: bool,
}

/// A first-in-first-out mailbox, by the objects that footprints know of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Queue {
    /// What is posted into.
    pub mailbox: ObjectId,
    /// What a message holds while it runs.
    pub handler: ObjectId,
}

/// An object that must change before somebody can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The actor has to be made, woken or switched on: before that it had no step to take, or that step was disabled by
    /// somebody whom it was ready to be tried before.
    Made(ObjectId),
    /// Somebody holds what the actor needs: it might have come first, with other steps of its own before that.
    Freed(ObjectId),
}

impl Awaited {
    /// The object.
    pub fn object(self) -> ObjectId {
        match self {
            Awaited::Made(object) | Awaited::Freed(object) => object,
        }
    }
}

/// Why nobody can move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything that was to be done is done.
    Finished,
    /// Somebody waits for an assumption that stays false: the execution does not count.
    Blocked,
    /// Somebody still has something to do.
    Deadlock(Box<Violation>),
}

/// A sequence of moves from an initial state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schedule {
    /// Which of the initial states.
    pub start: usize,
    /// Who moved, one after the other.
    pub moves: Vec<Move>,
}

impl Schedule {
    /// How often another actor takes over.
    pub fn switches(&self) -> usize {
        self.moves.windows(2).filter(|pair| pair[0].actor != pair[1].actor).count()
    }
}

/// What a step records while it runs.
#[derive(Clone, Debug, Default)]
pub struct Step {
    footprint: Footprint,
    /// Nobody will ask for the footprint.
    without_footprint: bool,
    choices: Choices,
    violations: Vec<Violation>,
    made: SmallVec<[ActorId; 2]>,
    cannot_wait: bool,
    is_plain: bool,
}

impl Step {
    /// Records steps for somebody who will not ask what they touched.
    pub fn without_footprint() -> Self {
        Step { without_footprint: true, ..Step::default() }
    }

    /// Prepares for the next step, which will take this outcome.
    #[inline]
    pub fn begin(&mut self, outcome: Outcome) {
        self.footprint.clear();
        self.violations.clear();
        self.made.clear();
        self.cannot_wait = false;
        self.is_plain = false;
        self.choices.begin(outcome);
    }

    /// Moves an actor that can move. Everybody who drives a program does it here: a panic of the program is a violation
    /// then, and what the step did before it stays.
    #[inline]
    pub fn take<S: System>(&mut self, system: &S, state: &mut S::State, step: Move) {
        self.begin(step.outcome);
        if let Err(panic) = caught(|| system.step(state, step.actor, self)) {
            self.fail(Violation { actor: Some(step.actor), ..panic.violation() });
        }
    }

    /// The step looked at an object.
    pub fn read(&mut self, object: ObjectId) {
        self.touch(object, Access::READ);
    }

    /// The step changed an object.
    pub fn write(&mut self, object: ObjectId) {
        self.touch(object, Access::WRITE);
    }

    /// The step touched an object in some way.
    #[inline]
    pub fn touch(&mut self, object: ObjectId, access: Access) {
        if !self.without_footprint {
            self.footprint.touch(object, access);
        }
    }

    /// Takes one of `alternatives` (at least 1); all of them will be explored.
    pub fn choose(&mut self, alternatives: u64) -> u64 {
        self.choices.pick(alternatives)
    }

    /// The step made an actor, which was not there before. To say so is not required: it tells engines what they would
    /// find out by trying.
    pub fn made(&mut self, actor: ActorId) {
        self.made.push(actor);
    }

    /// Nobody can keep an actor from this step once it stands before it, but by holding an object that the step writes
    /// and that others give back with [`Access::RELEASE`]. To say so is not required either.
    pub fn cannot_wait(&mut self) {
        self.cannot_wait = true;
    }

    /// The step accessed shared variables by plain reads and writes. Who does not say so accessed them atomically. Only a
    /// search for data races asks, of programs that say so at all ([`Traits::tells_plain_accesses`]).
    pub fn plain(&mut self) {
        self.is_plain = true;
    }

    /// Something is wrong.
    pub fn fail(&mut self, violation: Violation) {
        self.violations.push(violation);
    }

    /// Something is wrong unless `holds`.
    pub fn assert(&mut self, holds: bool, message: &str) {
        if !holds {
            self.fail(Violation::new(crate::ViolationKind::Assertion, format!("assertion failed: {message}")));
        }
    }

    /// What was touched.
    pub fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    /// What was touched, to be brought into its normal form.
    pub fn footprint_mut(&mut self) -> &mut Footprint {
        &mut self.footprint
    }

    /// What is wrong.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// Whom the step made, as far as it says so.
    pub fn actors_made(&self) -> &[ActorId] {
        &self.made
    }

    /// Whether it said that nobody could have kept the actor from it.
    pub fn is_certain(&self) -> bool {
        self.cannot_wait
    }

    /// Whether it said that it accessed shared variables by plain reads and writes.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The outcome to try after this one at the same place.
    pub fn next_outcome(&self) -> Option<Outcome> {
        self.choices.next()
    }

    /// Which choices the step made.
    pub fn choices(&self) -> &Choices {
        &self.choices
    }
}
