//! What a program is to an engine. A frontend implements it.

use crate::{
    ActorId, ActorKind, ByNumber, Footprint, Insight, Lasso, Liveness, Move, Narrator, NoInsight, NoLiveness, Object,
    ObjectId, ObjectKind, Step, Violation,
};
use std::hash::Hash;

/// A program: states, the actors that can move in them, and what a move does.
///
/// `step` must be deterministic but for [`Step::choose`], and must record in the [`Step`] every shared object that it
/// read or wrote: reductions are sound exactly as far as footprints are complete. An actor that is enabled or disabled by
/// another one must read an object that the other one writes.
///
/// The first three methods are required, and enough for engines that do not reduce. A program that also tells which actors
/// are blocked is checked by every engine. [`Narrator`] has the names for people, [`Insight`] what makes engines faster,
/// [`Liveness`] what has to happen in the end.
/// The crate `mazurka-model` makes a `System` from named variables, events and threads.
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

    /// Visits the actors that cannot move now but may later, each once, with what blocks them; events that cannot happen
    /// included. `enabled` is what [`System::enabled`] says of the state.
    fn blocked(&self, _state: &Self::State, _enabled: &[ActorId], _visit: &mut BlockedVisitor<'_>) {}

    /// What it means that no actor can move here.
    fn ending(&self, _state: &Self::State) -> Ending {
        Ending::Finished
    }

    /// What the program is made of.
    fn traits(&self) -> Traits {
        Traits::default()
    }

    /// What an actor is, the same in every state. By default all are events if the traits tell of events or of
    /// nothing that moves, and threads otherwise.
    fn actor(&self, _actor: ActorId) -> ActorKind {
        self.traits().usual_actor()
    }

    /// What an object is.
    fn object(&self, _object: ObjectId) -> Object {
        ObjectKind::Variable.into()
    }

    /// Names and sentences for people.
    fn narrator(&self) -> &dyn Narrator<Self::State> {
        &ByNumber
    }

    /// What else the program can tell of itself.
    fn insight(&self) -> &dyn Insight<Self::State> {
        &NoInsight
    }

    /// What has to happen in the end.
    fn liveness(&self) -> &dyn Liveness<Self::State> {
        &NoLiveness
    }
}

/// What is told of each blocked actor; see [`System::blocked`].
pub type BlockedVisitor<'v> = dyn FnMut(ActorId, &mut Obstacle<'_>) + 'v;

/// What blocks an actor: adds the footprint of the step that it is blocked on, and tells the one object that has to be written
/// before it can move, where that is known. It is called only where the answer is needed.
pub type Obstacle<'o> = dyn FnMut(&mut Footprint) -> Option<Awaited> + 'o;

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
    /// No execution comes back to a state, and none goes on for ever.
    pub terminates: bool,
    /// [`System::blocked`] visits every actor that is blocked. A program in which none ever is says so, too. Engines that
    /// reduce refuse a program that does not say this: they have to know what a blocked step would touch.
    pub tells_blocked: bool,
    /// It says what has to happen in the end ([`System::liveness`]). Filled in by [`Traits::of`].
    pub liveness: bool,
    /// Steps say whether they are plain accesses of shared variables ([`Step::plain`]). Data races are looked for only in
    /// programs that do.
    pub tells_plain_accesses: bool,
}

impl Traits {
    /// What a program is made of, with what follows from its other methods.
    pub fn of<S: System + ?Sized>(system: &S) -> Self {
        Traits { liveness: !system.liveness().properties().is_empty(), ..system.traits() }
    }

    /// What an actor is if the program does not say.
    fn usual_actor(self) -> ActorKind {
        let Traits { events, threads, fifo_mailboxes, any_mailboxes, recorded, .. } = self;
        let is_event = events || !(threads || fifo_mailboxes || any_mailboxes || recorded);
        if is_event { ActorKind::Event } else { ActorKind::Thread }
    }
}

/// The object that must be written before a blocked actor can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The actor does not exist yet or is off: it has no step before this object is written.
    Made(ObjectId),
    /// Another actor holds this object. The blocked actor could have acquired it first, after other steps of its own.
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

/// Why no actor can move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything that was to be done is done.
    Finished,
    /// An actor is blocked on an assumption that stays false: the execution does not count.
    Blocked,
    /// An actor still has something to do.
    Deadlock(Box<Violation>),
}

/// A sequence of moves from an initial state, the last of which may be repeated for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Schedule {
    /// Which of the initial states.
    pub start: usize,
    /// The moves, one after the other.
    pub moves: Vec<Move>,
    /// Where the moves are repeated from, in an execution without end.
    pub lasso: Option<Lasso>,
}

impl Schedule {
    /// Moves from one of the initial states, once.
    pub fn new(start: usize, moves: Vec<Move>) -> Self {
        Schedule { start, moves, lasso: None }
    }

    /// How often another actor takes over.
    pub fn switches(&self) -> usize {
        self.moves.windows(2).filter(|pair| pair[0].actor != pair[1].actor).count()
    }
}
