//! The engines and variants that are compared, and what each of them promises.

use mazurka_core::{
    ActorId, ActorKind, BlockedVisitor, Cancel, Ending, Exploration, Fingerprint, Footprint, Insight, Liveness,
    Machine, Narrator, Object, ObjectId, Observer, Outcome, Step, Stepper, System, Traits, Violation,
};
use mazurka_engines::{Capture, Cutoffs, Engine, Options, explore, refuses};
use mazurka_lang::{Identity, Model, State};
use std::sync::atomic::{AtomicI64, Ordering};

/// What an engine is held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// It reports the violations, the values and the end states that the oracle reports.
    pub observations: bool,
    /// Of the states in which no actor can move it reports all. Otherwise those in which everything is done: where some
    /// are stuck, what waits behind them in a queue may stand there in any order.
    pub stuck_states: bool,
    /// It runs exactly one execution for each trace.
    pub traces_exactly: bool,
    /// It runs at least one execution for each trace where messages are ordered by their conflicts only.
    pub event_traces: bool,
    /// It runs at most one execution for each trace.
    pub traces_at_most: bool,
    /// It meets every class of executions that cover each other, where no actor can get stuck: an actor that is stuck
    /// may be covered by one that goes on.
    pub covers: bool,
    /// It runs exactly one execution for each of these classes, stuck or not.
    pub covers_exactly: bool,
    /// The promise holds for programs that may run for ever too. Where it does not, an engine may miss something in
    /// such a program, but must not make anything up.
    pub cycles: bool,
    /// It comes to an end within a small multiple of the transitions that the program has.
    pub ends: bool,
}

const EVERYTHING: Promise = Promise {
    observations: true,
    stuck_states: true,
    traces_exactly: false,
    traces_at_most: false,
    event_traces: false,
    covers: false,
    covers_exactly: false,
    cycles: true,
    ends: false,
};
const WITHOUT_CYCLES: Promise = Promise { cycles: false, ..EVERYTHING };

/// The promises by the names of the engines.
const PROMISES: &[(&str, Promise)] = &[
    ("exhaustive", Promise { ends: true, ..EVERYTHING }),
    ("enumerate", WITHOUT_CYCLES),
    ("stateful", Promise { ends: true, ..EVERYTHING }),
    ("dpor", WITHOUT_CYCLES),
    ("sdpor", WITHOUT_CYCLES),
    ("em-dpor", Promise { stuck_states: false, covers: true, covers_exactly: true, ..WITHOUT_CYCLES }),
    ("optimal", Promise { traces_exactly: true, ..WITHOUT_CYCLES }),
    ("event", Promise { event_traces: true, ..WITHOUT_CYCLES }),
    ("unfolding", Promise { traces_at_most: true, ..EVERYTHING }),
];

/// What an engine is held to.
pub fn promise(engine: Engine) -> Promise {
    let known = PROMISES.iter().find(|(name, _)| *name == engine.name());
    known.map_or(Promise { cycles: engine.handles_cycles(), ..EVERYTHING }, |known| known.1)
}

impl Promise {
    /// What the algorithm was published with: that a class is run once only is ours.
    fn as_published(self) -> Promise {
        Promise { covers_exactly: false, ..self }
    }

    /// What is promised with data races: there handlers are locks, and every trace counts.
    fn with_races(self) -> Promise {
        Promise { event_traces: false, traces_exactly: self.traces_exactly || self.event_traces, ..self }
    }
}

/// Whether a contender is made for programs that consist of this, and that terminate or not.
pub type Applies<'a> = Box<dyn Fn(&Traits, bool) -> bool + 'a>;

/// How a contender explores a program.
pub type Run<'a> = Box<dyn Fn(&Model, &Options, &mut dyn Observer) -> Exploration + 'a>;

/// An engine that takes part, or something that behaves like one.
pub struct Contender<'a> {
    /// What it is called.
    pub name: String,
    /// Which programs it is made for.
    pub applies: Applies<'a>,
    /// How it explores one.
    pub run: Run<'a>,
    /// How its actors are told apart.
    pub identity: Identity,
    /// What it is held to.
    pub promise: Promise,
}

/// The most steps that an engine may take in one program: more than the programs here need, unless they are too large
/// for the engine.
pub(super) const MOST_STEPS: u64 = 40_000;
/// The same for each step that a schedule may be long, where that is bounded: such a search is a sample.
const STEPS_PER_DEPTH: u64 = 100;
/// After how many transitions without a reduction the contender that gives up early does so.
const LITTLE_PATIENCE: u64 = 4;
/// How many actors are a crowd. There a step costs much where executions are compared with each other.
const CROWD: usize = 50;
/// An engine may take this many times fewer steps there.
const DEARNESS: u64 = 40;

/// How many actors there are at the start, blocked ones included.
fn actors(model: &Model) -> usize {
    let mut actors = Vec::new();
    for state in model.initial_states() {
        Stepper::new(model, state).present(&mut actors);
    }
    actors.len()
}

impl Contender<'_> {
    /// An engine.
    pub fn of(engine: Engine) -> Self {
        Self::told(engine, false)
    }

    /// An engine that is told, or not, which steps are idle.
    fn told(engine: Engine, tells_idle: bool) -> Self {
        Contender {
            name: engine.name().to_owned(),
            applies: Box::new(move |traits, _| refuses(engine, traits).is_none()),
            run: Box::new(move |model, options, observer| {
                let dearness = if actors(model) < CROWD { 1 } else { DEARNESS };
                let most = match options.budget.depth {
                    // The oracle must finish: how many states there are is known before it is asked.
                    _ if engine == Engine::Exhaustive => u64::MAX / 2,
                    None if promise(engine).ends => MOST_STEPS,
                    depth => depth.map_or(MOST_STEPS, |depth| depth * STEPS_PER_DEPTH) / dearness,
                };
                let left = AtomicI64::new(most as i64);
                let limited = Limited { model, left, cancel: &options.budget.cancel, tells_idle };
                explore(engine, &limited, options, observer)
            }),
            identity: if engine.present_identity() { Identity::Presence } else { Identity::History },
            promise: promise(engine),
        }
    }

    /// All engines but the oracle, and those variants of them that promise something else or do it in another way.
    pub fn all() -> Vec<Self> {
        let engines = Engine::ALL.iter().filter(|&&engine| engine != Engine::Exhaustive);
        let variants =
            [Self::without_cutoffs(), Self::reference(), Self::with_idle_steps_told(), Self::of_little_patience()];
        engines.map(|&engine| Self::of(engine)).chain(variants).collect()
    }

    /// `stateful` without optimisations: what the fast engine is compared with.
    fn reference() -> Self {
        let Contender { name, run, applies, identity, promise } = Self::of(Engine::Stateful);
        let run: Run<'_> =
            Box::new(move |model, options, observer| run(model, &Options { plain: true, ..options.clone() }, observer));
        Contender { name: format!("{name} --plain"), applies, run, identity, promise }
    }

    /// `stateful` that tries all actors as soon as a few transitions gave no reduction, and sometimes has to start
    /// again; it is told idle steps, too.
    fn of_little_patience() -> Self {
        let Contender { name, run, applies, identity, promise } = Self::told(Engine::Stateful, true);
        let run: Run<'_> = Box::new(move |model, options, observer| {
            run(model, &Options { patience: Some(LITTLE_PATIENCE), ..options.clone() }, observer)
        });
        Contender { name: format!("{name} that gives up early"), applies, run, identity, promise }
    }

    /// `stateful` where the program says which steps change nothing, as a smart home does: they are not taken.
    fn with_idle_steps_told() -> Self {
        let contender = Self::told(Engine::Stateful, true);
        Contender { name: format!("{} with idle steps told", contender.name), ..contender }
    }

    /// `unfolding` without cutoffs: then it has to run an execution of every trace.
    fn without_cutoffs() -> Self {
        let Contender { name, run, applies, identity, .. } = Self::of(Engine::Unfolding);
        let run: Run<'_> = Box::new(move |model, options, observer| {
            run(model, &Options { cutoffs: Cutoffs::None, ..options.clone() }, observer)
        });
        let promise = Promise { traces_exactly: true, ..WITHOUT_CYCLES };
        Contender { name: format!("{name} without cutoffs"), applies, run, identity, promise }
    }

    /// Whether it sees all data races.
    pub fn finds_races(&self) -> bool {
        Engine::ALL.iter().any(|&engine| engine.finds_races() && self.is_of(engine))
    }

    /// Whether it is an engine or a variant of it.
    pub fn is_of(&self, engine: Engine) -> bool {
        self.name.strip_prefix(engine.name()).is_some_and(|variant| variant.is_empty() || variant.starts_with(' '))
    }
}

impl<'a> Contender<'a> {
    /// The same in the variant of its algorithm that some options ask for.
    pub fn varied(self, variant: &Options) -> Contender<'a> {
        let Options { plain, as_published, no_sleep, capture, cutoffs, races, .. } = *variant;
        let promise = if plain { self.promise.as_published() } else { self.promise };
        // Without cutoffs `unfolding` is cut where a state comes back.
        let is_cut = cutoffs == Cutoffs::None && self.is_of(Engine::Unfolding);
        let promise = Promise { cycles: promise.cycles && !is_cut, ..promise };
        let promise = if races { promise.with_races() } else { promise };
        let run = self.run;
        let run: Run<'a> = Box::new(move |model, options, observer| {
            let variant = Options { plain, as_published, no_sleep, capture, cutoffs, ..options.clone() };
            run(model, &variant, observer)
        });
        Contender { run, promise, ..self }
    }
}

/// The arguments by which the command is asked for a variant, each after a space.
pub(super) fn arguments(variant: &Options) -> String {
    let Options { plain, as_published, no_sleep, capture, cutoffs, races, .. } = *variant;
    let flag = |is_set: bool, name: &'static str| if is_set { name } else { "" };
    let capture = match capture {
        Capture::Exact => "",
        Capture::Delta => " --capture delta",
    };
    let cutoffs = match cutoffs {
        Cutoffs::Size => "",
        Cutoffs::Order => " --cutoffs order",
        Cutoffs::None => " --cutoffs none",
    };
    let published = flag(as_published, " --as-published");
    let races = flag(races, " --races");
    [flag(plain, " --plain"), published, flag(no_sleep, " --no-sleep"), capture, cutoffs, races].concat()
}

/// A model that stops the search after this many steps: the same number on every machine, unlike a time limit.
struct Limited<'m> {
    model: &'m Model,
    left: AtomicI64,
    cancel: &'m Cancel,
    /// Finds out by trying which steps are idle. The model itself does not know of any.
    tells_idle: bool,
}

/// Whether a step chooses nothing, finds nothing wrong and leaves everything as it is; then `footprint` becomes its own.
fn is_tried_idle(model: &Model, state: &State, actor: ActorId, footprint: &mut Footprint) -> bool {
    let (mut after, mut step) = (state.clone(), Step::default());
    step.begin(Outcome::FIRST);
    model.step(&mut after, actor, &mut step);
    let is_idle = after == *state && step.next_outcome().is_none() && step.violations().is_empty();
    if is_idle {
        step.footprint_mut().seal();
        footprint.clone_from(step.footprint());
    }
    is_idle
}

// A method that is not handed on would hide what the model says of itself.
#[warn(clippy::missing_trait_methods)]
impl System for Limited<'_> {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        self.model.initial_states()
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        self.model.enabled(state, into);
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        if self.left.fetch_sub(1, Ordering::Relaxed) <= 0 {
            self.cancel.cancel();
        }
        self.model.step(state, actor, step);
    }

    fn blocked(&self, state: &State, enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        self.model.blocked(state, enabled, visit);
    }

    fn ending(&self, state: &State) -> Ending {
        self.model.ending(state)
    }

    fn traits(&self) -> Traits {
        self.model.traits()
    }

    fn actor(&self, actor: ActorId) -> ActorKind {
        self.model.actor(actor)
    }

    fn object(&self, object: ObjectId) -> Object {
        self.model.object(object)
    }

    fn narrator(&self) -> &dyn Narrator<State> {
        self.model.narrator()
    }

    fn insight(&self) -> &dyn Insight<State> {
        if self.tells_idle { self } else { self.model.insight() }
    }

    fn liveness(&self) -> &dyn Liveness<State> {
        self.model.liveness()
    }
}

/// Where idle steps are told: what engines have to know, and no more. So the defaults are tried, too.
impl Insight<State> for Limited<'_> {
    fn violations_at_start(&self, state: &State, into: &mut Vec<Violation>) {
        self.model.violations_at_start(state, into);
    }

    fn holder(&self, state: &State, object: ObjectId) -> Option<ActorId> {
        Insight::holder(self.model, state, object)
    }

    fn fingerprint(&self, state: &State) -> Fingerprint {
        self.model.fingerprint(state)
    }

    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        self.model.absent(actor, footprint);
    }

    fn is_idle(&self, state: &State, actor: ActorId, footprint: &mut Footprint) -> bool {
        is_tried_idle(self.model, state, actor, footprint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::{Counter, Silent, StopReason, Verdict};
    use mazurka_lang::compile;

    #[test]
    fn every_engine_has_its_line_in_the_table() {
        for engine in Engine::ALL {
            let line = PROMISES.iter().find(|(name, _)| *name == engine.name());
            assert!(line.is_some_and(|line| line.1.cycles == engine.handles_cycles()), "{engine}");
        }
    }

    #[test]
    fn a_step_that_is_told_to_be_idle_is_not_taken() -> Result<(), String> {
        let source = "shared x = 0; event again { x = 0; } event choice { let r = choose(0..2); }
                      event wrong { assert(x == 1); }";
        let program = compile("idle.mz", source, &[]).map_err(|error| format!("{error:?}"))?;
        let model = Model::new(program.into(), Identity::Presence);
        let steps = |contender: Contender<'_>| {
            let exploration = (contender.run)(&model, &Options { all: true, ..Options::default() }, &mut Silent);
            assert_eq!(exploration.verdict, Verdict::Violated);
            exploration.statistics.get(Counter::Transitions)
        };
        assert_eq!(steps(Contender::of(Engine::Stateful)), Some(4));
        assert_eq!(steps(Contender::with_idle_steps_told()), Some(3));
        Ok(())
    }

    /// Counts the violations that it is told of.
    #[derive(Default)]
    struct Told(usize);

    impl Observer for Told {
        fn violation(&mut self, _violation: &Violation) {
            self.0 += 1;
        }
    }

    #[test]
    fn what_was_told_is_reported_whenever_the_search_is_stopped() -> Result<(), String> {
        // Behind a door that is seldom reached much can be left out: the search gives up, and starts again when it is
        // there.
        let source = "shared x = 0, y = 0, door = 0, on[20] = 0;
            event walk when door == 0 { x = (x + 1) % 31; }
            event jump when door == 0 { x = (x + 7) % 31; y = (y + x) % 29; assert(x != 17 || y != 3); }
            event open when door == 0 && x == 30 && y == 28 { door = 1; }
            event toggle(i in 0..20) when door == 1 { on[i] = 1 - on[i]; }";
        let program = compile("door.mz", source, &[]).map_err(|error| format!("{error:?}"))?;
        let model = Model::new(program.into(), Identity::Presence);
        let mut stopped = 0;
        for most in (50..6_000).step_by(150) {
            let options = Options { all: true, patience: Some(64), ..Options::default() };
            let (left, cancel) = (AtomicI64::new(most), &options.budget.cancel);
            let (limited, mut told) = (Limited { model: &model, left, cancel, tells_idle: false }, Told::default());
            let exploration = explore(Engine::Stateful, &limited, &options, &mut told);
            assert_eq!(exploration.violations.len(), told.0, "stopped after {most} steps");
            stopped += usize::from(told.0 > 0 && exploration.stop == StopReason::Cancelled);
        }
        assert!(stopped > 5, "{stopped}");
        Ok(())
    }
}
