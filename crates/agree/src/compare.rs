//! Compares what every engine reports of one program.

use super::contender::{Contender, MOST_STEPS};
use super::footprints;
use super::observations::{Observations, Sighting};
use super::reference::{self, Reference};
use mazurka_core::{Budget, Cancel, Counter, Exploration, Found, Statistics, Stepper, StopReason, System, Verdict};
use mazurka_engines::{Engine, Options, covering_classes};
use mazurka_lang::{CompileError, Identity, Model, compile};
use std::any::Any;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

/// The most states of a program that is compared.
const MOST_STATES: usize = 20_000;
/// In how many states the footprints of steps are looked at.
const FOOTPRINT_STATES: usize = 60;
/// The number of states from which on several threads search otherwise than one.
const WORTH_THREADS: u64 = 600;
/// The number of executions from which on several threads run them otherwise than one.
const WORTH_THREADS_TO_RUN: u64 = 64;
/// The most places of a program whose classes are counted.
const MOST_PLACES: usize = 60_000;
/// How long schedules may become where an engine is not made for programs that may run for ever.
const EXCUSED_DEPTH: u64 = 40;
/// An engine that promises to come to an end does so within this many times the transitions of a program.
const ENOUGH: u64 = 20;
/// A search that takes longer than this is given up. The limit on steps comes first unless something is wrong.
const MOST_TIME: Duration = Duration::from_secs(20);

/// What kind of thing differs: a program that is made smaller must keep it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The program does not compile.
    Compile,
    /// Something panicked.
    Panic,
    /// The oracle differs from the plain search.
    Oracle,
    /// The number of threads matters.
    Threads,
    /// Something that can happen was not reported.
    Missing,
    /// Something that cannot happen was reported.
    Invented,
    /// A search does not come to its end.
    Endless,
    /// The verdict is wrong.
    Verdict,
    /// The number of executions is not that of the traces.
    Traces,
    /// A violation's schedule does not lead to it.
    Replay,
    /// A schedule cannot be told in other names.
    Retell,
    /// A footprint is wrong.
    Footprint,
}

/// Two accounts of one program that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The engine whose account it is; the part of the project where no engine is to blame.
    pub engine: String,
    /// What kind of thing differs.
    pub kind: DifferenceKind,
    /// What differs, in words.
    pub words: String,
}

impl Difference {
    fn new(engine: &str, kind: DifferenceKind, words: impl Into<String>) -> Self {
        Difference { engine: engine.to_owned(), kind, words: words.into() }
    }
}

/// How one contender did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is not made for the program.
    NotApplicable,
    /// It could not finish, and made nothing up as far as it came.
    Unfinished,
    /// It reported what it promises.
    Agrees {
        /// How many executions it ran, where it counts them.
        executions: u64,
        /// How many more than there are traces, where that is allowed.
        more: u64,
    },
}

/// What came of a program on which all agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Whether every execution ends.
    pub terminates: bool,
    /// How many states it has.
    pub states: u64,
    /// The contenders in their order.
    pub standings: Vec<Standing>,
}

/// Compares all accounts of a program, data races included if they are wanted; `None` if it has too many states.
pub fn compare(source: &str, contenders: &[Contender<'_>], races: bool) -> Result<Option<Comparison>, Difference> {
    guarded("lang", || {
        let program = compile(FILE, source, &[]).map_err(|error| {
            Difference::new("lang", DifferenceKind::Compile, format!("the program does not compile: {}", words(&error)))
        })?;
        let program = Arc::new(program);
        let presence = Model::new(Arc::clone(&program), Identity::Presence);
        let Some(reference) = reference::explore(&presence, MOST_STATES, races) else { return Ok(None) };
        let case = Case { presence, history: Model::new(program, Identity::History), reference, races };
        case.check_footprints()?;
        case.check_oracle()?;
        let standings = case.check_contenders(contenders)?;
        Ok(Some(Comparison { terminates: case.reference.terminates, states: case.reference.states, standings }))
    })
}

/// What messages call the program.
const FILE: &str = "random.mz";

fn words(error: &CompileError) -> String {
    match error {
        CompileError::Source(errors) => {
            errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>().join("; ")
        }
        CompileError::UnknownConstant { name, .. } => format!("unknown constant {name}"),
    }
}

/// Runs something and makes a difference of a panic.
fn guarded<T>(engine: &str, run: impl FnOnce() -> Result<T, Difference>) -> Result<T, Difference> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        Err(Difference::new(engine, DifferenceKind::Panic, format!("panicked: {}", panic_message(&*panic))))
    })
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".to_owned())
}

fn options(threads: usize, depth: Option<u64>) -> Options {
    let budget = Budget { time: Some(MOST_TIME), depth, cancel: Cancel::default(), ..Budget::default() };
    Options { budget, all: true, threads, ..Options::default() }
}

/// One program.
struct Case {
    presence: Model,
    history: Model,
    reference: Reference,
    /// Whether data races are looked for.
    races: bool,
}

/// What a contender did.
struct Account {
    exploration: Exploration,
    observations: Observations,
}

impl Case {
    fn model(&self, identity: Identity) -> &Model {
        match identity {
            Identity::Presence => &self.presence,
            Identity::History => &self.history,
        }
    }

    /// Whether a contender promises nothing for this program.
    fn excuses(&self, contender: &Contender<'_>) -> bool {
        !contender.promise.observations || (!self.reference.terminates && !contender.promise.cycles)
    }

    fn run(&self, contender: &Contender<'_>, threads: usize) -> Result<Account, Difference> {
        guarded(&contender.name, || {
            let mut observations = Observations::default();
            let model = self.model(contender.identity);
            let depth = self.excuses(contender).then_some(EXCUSED_DEPTH);
            let options = Options { races: self.races, ..options(threads, depth) };
            let exploration = (contender.run)(model, &options, &mut observations);
            Ok(Account { exploration, observations })
        })
    }

    fn check_footprints(&self) -> Result<(), Difference> {
        for model in [&self.presence, &self.history] {
            footprints::check(model, FOOTPRINT_STATES).map_err(|words| {
                let identity = format!("{:?}", model.identity()).to_lowercase();
                Difference::new("lang", DifferenceKind::Footprint, format!("by {identity}: {words}"))
            })?;
        }
        Ok(())
    }

    /// The oracle must say what the plain search says, with any number of threads, and its schedules must hold.
    fn check_oracle(&self) -> Result<(), Difference> {
        let oracle = Contender::of(Engine::Exhaustive);
        for threads in [1, 2] {
            if threads > 1 && self.reference.states < WORTH_THREADS {
                break;
            }
            let kind = if threads == 1 { DifferenceKind::Oracle } else { DifferenceKind::Threads };
            let account = self.run(&oracle, threads)?;
            self.check_counts(&account, kind, threads)?;
            self.check_observations(&oracle, &account)?;
            self.check_schedules(&oracle, &account)?;
            self.check_retelling(&account.exploration.violations)?;
        }
        Ok(())
    }

    fn check_counts(&self, account: &Account, kind: DifferenceKind, threads: usize) -> Result<(), Difference> {
        let statistics = &account.exploration.statistics;
        let expected = [(Counter::States, self.reference.states), (Counter::Transitions, self.reference.transitions)];
        for (counter, count) in expected {
            if statistics.get(counter) != Some(count) {
                let counted = statistics.get(counter).unwrap_or_default();
                let words = format!("{counted} {} with {threads} threads instead of {count}", counter.name());
                return Err(Difference::new("exhaustive", kind, words));
            }
        }
        Ok(())
    }

    fn check_contenders(&self, contenders: &[Contender<'_>]) -> Result<Vec<Standing>, Difference> {
        let traits = self.presence.traits();
        let mut traces = None;
        let mut standings = Vec::with_capacity(contenders.len());
        for contender in contenders {
            if !(contender.applies)(&traits, self.reference.terminates) {
                standings.push(Standing::NotApplicable);
                continue;
            }
            let account = self.run(contender, 1)?;
            let finished = self.check_observations(contender, &account)?;
            self.check_schedules(contender, &account)?;
            let statistics = &account.exploration.statistics;
            if finished && contender.name == Engine::Enumerate.name() {
                traces = Some(Traces::of(statistics));
            }
            let mut more = 0;
            let promise = contender.promise;
            if promise.ends && !finished && self.reference.transitions * ENOUGH < MOST_STEPS {
                let words =
                    format!("no end after {MOST_STEPS} steps; there are {} transitions", self.reference.transitions);
                return Err(Difference::new(&contender.name, DifferenceKind::Endless, words));
            }
            let counts = promise.traces_exactly || promise.traces_at_most || promise.event_traces;
            if finished && counts && self.reference.terminates {
                let known = traces.map_or_else(|| self.traces(), Ok)?;
                traces = Some(known);
                more = check_traces(contender, &account, known)?;
            }
            if finished && promise.covers && self.reference.terminates {
                self.check_classes(contender, &account)?;
            }
            let executions = statistics.get(Counter::Executions).unwrap_or_default();
            if finished && executions >= WORTH_THREADS_TO_RUN && (promise.traces_exactly || promise.event_traces) {
                self.check_threads(contender, &account)?;
            }
            standings.push(if finished { Standing::Agrees { executions, more } } else { Standing::Unfinished });
        }
        Ok(standings)
    }

    /// On two threads a contender must do and find what it does and finds on one.
    fn check_threads(&self, contender: &Contender<'_>, alone: &Account) -> Result<(), Difference> {
        let differs = |words: String| Err(Difference::new(&contender.name, DifferenceKind::Threads, words));
        let (alone, beside) = (&alone.exploration, self.run(contender, 2)?.exploration);
        if beside.stop != StopReason::Complete {
            // It was given up because it took too long.
            return Ok(());
        }
        for counter in [Counter::Executions, Counter::Blocked, Counter::Transitions, Counter::Races, Counter::EndStates]
        {
            let (one, two) = (alone.statistics.get(counter), beside.statistics.get(counter));
            if one != two {
                let (one, two) = (one.unwrap_or_default(), two.unwrap_or_default());
                return differs(format!("{two} {} with 2 threads instead of {one}", counter.name()));
            }
        }
        if alone.verdict != beside.verdict || alone.violations != beside.violations {
            return differs("finds something else with 2 threads".into());
        }
        Ok(())
    }

    /// Compares the classes that a contender meets, or its executions, with those that there are.
    fn check_classes(&self, contender: &Contender<'_>, account: &Account) -> Result<(), Difference> {
        let Some(classes) = covering_classes(&self.history, MOST_PLACES) else { return Ok(()) };
        if contender.promise.covers_exactly {
            check_traces(contender, account, Traces { all: Some(classes), event: None })?;
        }
        let met = account.exploration.statistics.get(Counter::Traces).unwrap_or_default();
        if met == classes || self.reference.observations.has_stuck_states() {
            return Ok(());
        }
        let words = format!("meets {met} of {classes} classes of executions");
        Err(Difference::new(&contender.name, DifferenceKind::Traces, words))
    }

    /// The numbers of traces, if there are not too many executions to count them.
    fn traces(&self) -> Result<Traces, Difference> {
        let enumerate = Contender::of(Engine::Enumerate);
        let account = self.run(&enumerate, 1)?;
        let finished = self.check_observations(&enumerate, &account)?;
        Ok(if finished { Traces::of(&account.exploration.statistics) } else { Traces::default() })
    }

    /// Nothing may be made up, and nothing be missing unless the contender is excused; false if it is.
    fn check_observations(&self, contender: &Contender<'_>, account: &Account) -> Result<bool, Difference> {
        let differs = |kind, words: String| Err(Difference::new(&contender.name, kind, words));
        let (expected, found) = (&self.reference.observations, &account.observations);
        let verdict = &account.exploration.verdict;
        if let Verdict::Unsupported(reason) = verdict {
            return differs(DifferenceKind::Verdict, format!("refuses the program: {reason}"));
        }
        if let Some(invented) = found.beyond(expected) {
            return differs(DifferenceKind::Invented, format!("reports what cannot happen: {invented}"));
        }
        let stopped = account.exploration.stop != StopReason::Complete;
        let cut = matches!(verdict, Verdict::Bounded { .. });
        // A contender that is not made for programs that may run for ever may cut them; but what it proves has to be
        // true.
        if stopped || cut || (self.excuses(contender) && *verdict != Verdict::Verified) {
            return Ok(false);
        }
        let wanted = (!contender.promise.stuck_states).then(|| expected.without_stuck_states());
        if let Some(missing) = wanted.as_ref().unwrap_or(expected).beyond(found) {
            return differs(DifferenceKind::Missing, format!("does not report what can happen: {missing}"));
        }
        let right = if expected.violations.is_empty() { Verdict::Verified } else { Verdict::Violated };
        if *verdict != right {
            return differs(DifferenceKind::Verdict, format!("says `{verdict}` instead of `{right}`"));
        }
        Ok(true)
    }

    /// Every violation comes with a schedule that leads to it.
    fn check_schedules(&self, contender: &Contender<'_>, account: &Account) -> Result<(), Difference> {
        let differs = |words: String| Err(Difference::new(&contender.name, DifferenceKind::Replay, words));
        let model = self.model(contender.identity);
        let mut shown = BTreeSet::new();
        for found in &account.exploration.violations {
            let sighting = Sighting::from(&found.violation);
            let replayed = Stepper::replay(model, &found.schedule);
            if !replayed.is_some_and(|(_, violations)| violations.contains(&found.violation)) {
                return differs(format!("the schedule does not lead to the violation: {sighting}"));
            }
            shown.insert(sighting);
        }
        match account.observations.violations.symmetric_difference(&shown).next() {
            Some(sighting) => differs(format!("a violation without a schedule, or the reverse: {sighting}")),
            None => Ok(()),
        }
    }

    /// A schedule by presence can be told by history, and leads to the same violation.
    fn check_retelling(&self, violations: &[Found]) -> Result<(), Difference> {
        for found in violations {
            let wanted = Sighting::from(&found.violation);
            let told = Model::retell(&self.presence, &self.history, &found.schedule);
            let replayed = told.and_then(|schedule| Stepper::replay(&self.history, &schedule));
            let leads =
                replayed.is_some_and(|(_, met)| met.iter().any(|violation| Sighting::from(violation) == wanted));
            if !leads {
                let words = format!("told by history, the schedule does not lead to the violation: {wanted}");
                return Err(Difference::new("lang", DifferenceKind::Retell, words));
            }
        }
        Ok(())
    }
}

/// The numbers of traces of a program, as far as they are known.
#[derive(Clone, Copy, Debug, Default)]
struct Traces {
    all: Option<u64>,
    /// Where messages are ordered by their conflicts only.
    event: Option<u64>,
}

impl Traces {
    fn of(statistics: &Statistics) -> Self {
        let all = statistics.get(Counter::Traces);
        Traces { all, event: statistics.get(Counter::EventTraces).or(all) }
    }
}

/// Compares the number of executions with that of traces, and returns how many more there are where that is allowed.
fn check_traces(contender: &Contender<'_>, account: &Account, traces: Traces) -> Result<u64, Difference> {
    let differs = |words| Err(Difference::new(&contender.name, DifferenceKind::Traces, words));
    let statistics = &account.exploration.statistics;
    let executions = statistics.get(Counter::Executions).unwrap_or_default();
    if contender.promise.event_traces {
        return match traces.event {
            Some(traces) if executions < traces => differs(format!("runs {executions} executions of {traces} traces")),
            traces => Ok(executions - traces.unwrap_or(executions)),
        };
    }
    if let Some(blocked @ 1..) = statistics.get(Counter::Blocked).filter(|_| contender.promise.traces_exactly) {
        return differs(format!("gives up {blocked} runs that repeat what was seen"));
    }
    match traces.all {
        Some(traces) if executions < traces && contender.promise.traces_at_most => Ok(0),
        Some(traces) if executions != traces => differs(format!("runs {executions} executions of {traces} traces")),
        _ => Ok(0),
    }
}
