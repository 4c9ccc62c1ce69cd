//! What can be checked, whatever it was made from.

use crate::graph::walk;
use crate::hint::{growth, hint};
use crate::prefix::draw;
use mazurka_core::{
    Budget, Counter, Exploration, Fingerprint, Found, Meter, Observer, Schedule, Stepper, System, Traits, Verdict,
    Violation, caught,
};
use mazurka_engines::{Engine, Options, commutation, explain, explore, reverse_race, shorten};
use mazurka_lang::{AssertionCoverage, Coverage, Excerpt, Identity, InvariantCoverage, Model, Program};
use mazurka_report::explore::{Audience, Follow, Follower, Teller};
use mazurka_report::graph::StateGraph;
use mazurka_report::unfolding::Unfolding;
use mazurka_report::{Basis, ReplayError, ScheduleFile, Site, Story, Vacuous};
use std::sync::Arc;
use std::time::Duration;

/// How long the race behind a schedule is looked for that is told as it is.
const TELLING: Duration = Duration::from_secs(5);

/// In how many states of a model footprints are compared with what steps do.
const SAMPLED_STATES: usize = 200;

/// How many candidates are replayed at most to shorten one schedule.
const SHORTENING_REPLAYS: usize = 20_000;

/// What `verified` means for a model whose checks are not known from outside.
const PROMISE: &str = "no order of events leads to a violation or a deadlock";

/// A program behind one face: any engine explores it, and what is found is told in names that last.
///
/// Every [`System`] is one. A program that is more than its system gives the system as [`Subject::inner`], which answers
/// whatever is not written, and writes what differs.
pub trait Subject: Sync {
    /// What answers where a method is not written. A type that writes all methods may return itself.
    fn inner(&self) -> &dyn Subject;

    /// What it is made of.
    fn traits(&self) -> Traits {
        self.inner().traits()
    }

    /// Explores it. The schedules that come back have been replayed.
    fn explore(&self, engine: Engine, options: &Options, observer: &mut dyn Observer) -> Exploration {
        self.inner().explore(engine, options, observer)
    }

    /// Explores it on one thread, and tells an audience all that the engine does, as far as the engine tells it.
    fn watch(&self, engine: Engine, options: &Options, audience: &mut dyn Audience) -> Exploration {
        self.inner().watch(engine, options, audience)
    }

    /// Shortens a schedule while its violation stays and `meter` allows.
    fn shorten(&self, found: &Found, meter: &Meter) -> Found {
        self.inner().shorten(found, meter)
    }

    /// Tells a schedule, explained as far as `meter` allows. `original` is the schedule before it was shortened.
    fn story(&self, found: &Found, original: &Schedule, meter: &Meter) -> Story {
        self.inner().story(found, original, meter)
    }

    /// Shortens a schedule, and tells it.
    fn tell(&self, found: &Found, meter: &Meter) -> (Found, Story) {
        let short = self.shorten(found, meter);
        let story = self.story(&short, &found.schedule, meter);
        (short, story)
    }

    /// Tells a schedule as it is.
    fn tell_as_it_is(&self, found: &Found) -> Story {
        let meter = Meter::start(&Budget { time: Some(TELLING), ..Budget::default() });
        self.story(found, &found.schedule, &meter)
    }

    /// Writes a schedule down.
    fn record(&self, found: &Found, origin: &Origin) -> ScheduleFile {
        self.inner().record(found, origin)
    }

    /// Finds the moves of a schedule that was written down.
    fn resolve(&self, file: &ScheduleFile) -> Result<Schedule, ReplayError> {
        self.inner().resolve(file)
    }

    /// A schedule as a scenario for the system that the program stands for, in its own form, where there is such a system.
    fn as_test(&self, _found: &Found) -> Option<String> {
        None
    }

    /// What a schedule violates at its end; `None` if it cannot be followed.
    fn replay(&self, schedule: &Schedule) -> Option<Vec<Violation>> {
        self.inner().replay(schedule)
    }

    /// What the verdict of a finished exploration rests on. What no execution reached can be told only if all were looked
    /// at, that is if the verdict is `verified`.
    fn basis(&self, _exploration: &Exploration) -> Basis {
        Basis::of(PROMISE)
    }

    /// What brings the program to places and tells what there is to see there. `races`: data races, too.
    fn follower(&self, races: bool) -> Box<dyn Follow + '_> {
        self.inner().follower(races)
    }

    /// The schedule with two steps that race in the other order, and then whatever of the rest is possible; `None` if they do
    /// not race. The steps are told by their places, from 0.
    fn reverse(&self, schedule: &Schedule, first: usize, second: usize) -> Option<Schedule> {
        self.inner().reverse(schedule, first, second)
    }

    /// The state graph with the paths of these schedules, if the program has at most this many states.
    fn graph(&self, schedules: &[&Schedule], most: usize) -> Option<StateGraph> {
        self.inner().graph(schedules, most)
    }

    /// What makes the program large, in one sentence, if something stands out and is seen while `meter` allows.
    fn hint(&self, meter: &Meter) -> Option<String> {
        self.inner().hint(meter)
    }

    /// After how many steps a random run had neither ended nor come back to a state, if there is such a run.
    fn growth(&self, meter: &Meter) -> Option<usize> {
        self.inner().growth(meter)
    }

    /// Whether steps that do not conflict commute, as far as that is seen in the first states while `meter` allows; the
    /// error names two that do not. Only a model written by hand is asked: our frontends are tested for it.
    fn footprints(&self, _meter: &Meter) -> Result<(), String> {
        Ok(())
    }

    /// The events that the engine `unfolding` makes of the program, if there are at most this many.
    fn unfolding(&self, options: &Options, most: usize) -> Option<Unfolding> {
        self.inner().unfolding(options, most)
    }
}

/// Where a schedule comes from: what has to be the same when it is run again.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The files of the program.
    pub files: Vec<String>,
    /// The fingerprint of their contents.
    pub source: Fingerprint,
    /// The constants that were set.
    pub defines: Vec<(String, String)>,
    /// The engine that found it.
    pub engine: String,
}

impl<S: System> Subject for S {
    fn inner(&self) -> &dyn Subject {
        self
    }

    fn traits(&self) -> Traits {
        Traits::of(self)
    }

    fn explore(&self, engine: Engine, options: &Options, observer: &mut dyn Observer) -> Exploration {
        // A panic in a step is a violation. One that happens elsewhere ends the search.
        caught(|| explore(engine, self, options, observer)).unwrap_or_else(|panic| {
            Exploration::unsupported(format!("the program panicked outside of its steps: {panic}"))
        })
    }

    fn watch(&self, engine: Engine, options: &Options, audience: &mut dyn Audience) -> Exploration {
        let options = Options { threads: 1, ..options.clone() };
        Subject::explore(self, engine, &options, &mut Teller::new(self, audience))
    }

    fn shorten(&self, found: &Found, meter: &Meter) -> Found {
        shorten(self, found, SHORTENING_REPLAYS, meter)
    }

    fn story(&self, found: &Found, original: &Schedule, meter: &Meter) -> Story {
        Story::tell(self, found, original, explain(self, found, meter))
    }

    fn record(&self, found: &Found, origin: &Origin) -> ScheduleFile {
        let Origin { files, source, defines, engine } = origin.clone();
        ScheduleFile::record(self, found, &engine, files, source, defines)
    }

    fn resolve(&self, file: &ScheduleFile) -> Result<Schedule, ReplayError> {
        file.resolve(self)
    }

    fn replay(&self, schedule: &Schedule) -> Option<Vec<Violation>> {
        Stepper::replay(self, schedule).map(|(_, violations)| violations)
    }

    fn follower(&self, races: bool) -> Box<dyn Follow + '_> {
        Box::new(Follower::new(self, races))
    }

    fn reverse(&self, schedule: &Schedule, first: usize, second: usize) -> Option<Schedule> {
        reverse_race(self, schedule, first, second)
    }

    fn graph(&self, schedules: &[&Schedule], most: usize) -> Option<StateGraph> {
        walk(self, schedules, most)
    }

    fn hint(&self, meter: &Meter) -> Option<String> {
        hint(self, meter)
    }

    fn growth(&self, meter: &Meter) -> Option<usize> {
        growth(self, meter)
    }

    fn basis(&self, _exploration: &Exploration) -> Basis {
        // Nothing else can go wrong in an execution that was recorded.
        if System::traits(self).recorded { Basis::excluding(vec!["deadlocks"]) } else { Basis::of(PROMISE) }
    }

    fn footprints(&self, meter: &Meter) -> Result<(), String> {
        // The steps of a recorded execution are made from their footprints.
        if System::traits(self).recorded { Ok(()) } else { commutation::sample(self, SAMPLED_STATES, meter) }
    }

    fn unfolding(&self, options: &Options, most: usize) -> Option<Unfolding> {
        draw(self, options, most)
    }
}

/// A `.mz` program: engines that store states see its actors by presence, all others by history.
#[derive(Debug)]
pub struct MzProgram {
    by_presence: Model,
    by_history: Model,
}

impl MzProgram {
    /// Makes a compiled program checkable.
    pub fn new(program: Program) -> Self {
        let program = Arc::new(program);
        MzProgram {
            by_presence: Model::new(Arc::clone(&program), Identity::Presence),
            by_history: Model::new(program, Identity::History),
        }
    }
}

/// Explores a program that has two models, with the one by presence, and tells what was found in the lasting names of the one
/// by history; `retell` makes a schedule of that one of a schedule of the other.
pub fn explore_by_presence<S: System>(
    engine: Engine,
    (by_presence, by_history): (&S, &dyn Subject),
    retell: impl Fn(&Schedule) -> Option<Schedule>,
    options: &Options,
    observer: &mut dyn Observer,
) -> Exploration {
    let lasting = |found: &Found| {
        let schedule = retell(&found.schedule)?;
        let violations = by_history.replay(&schedule)?;
        let violation = violations.into_iter().find(|violation| violation.same_site(&found.violation))?;
        Some(Found { violation, schedule })
    };
    let mut exploration = explore(engine, by_presence, options, observer);
    for found in &mut exploration.violations {
        // Where the schedule does not lead to it, which would be a fault of ours, the names are those of the search.
        if let Some(lasting) = lasting(found) {
            *found = lasting;
        }
    }
    exploration
}

impl Subject for MzProgram {
    fn inner(&self) -> &dyn Subject {
        &self.by_history
    }

    fn explore(&self, engine: Engine, options: &Options, observer: &mut dyn Observer) -> Exploration {
        if !engine.present_identity() {
            return explore(engine, &self.by_history, options, observer);
        }
        let retell = |schedule: &Schedule| Model::retell(&self.by_presence, &self.by_history, schedule);
        explore_by_presence(engine, (&self.by_presence, &self.by_history), retell, options, observer)
    }

    fn watch(&self, engine: Engine, options: &Options, audience: &mut dyn Audience) -> Exploration {
        if !engine.present_identity() {
            return self.by_history.watch(engine, options, audience);
        }
        // Both models list the actors that can move in the same order, so places are the same in both.
        let options = Options { threads: 1, ..options.clone() };
        self.explore(engine, &options, &mut Teller::new(&self.by_presence, audience))
    }

    fn growth(&self, meter: &Meter) -> Option<usize> {
        growth(&self.by_presence, meter)
    }

    fn basis(&self, exploration: &Exploration) -> Basis {
        let coverage = Coverage::of(&[&self.by_presence, &self.by_history]);
        let stated = coverage.assertions.len() + coverage.invariants.len();
        let asserts = (!coverage.assertions.is_empty()).then_some("fails an assertion");
        let forbids = (!coverage.invariants.is_empty()).then_some("breaks an invariant");
        let excluded = asserts.into_iter().chain(forbids).chain(["crashes", "deadlocks"]);
        let basis = Basis { stated, ..Basis::excluding(excluded.collect()) };
        if exploration.verdict != Verdict::Verified {
            return basis;
        }
        // An execution without end is not blocked either. Where states are stored, cycles are not looked for.
        let all_end = self.traits().terminates || exploration.statistics.get(Counter::States).is_none();
        let all_blocked = all_end && !coverage.finished && !coverage.blocked_at.is_empty();
        let unreached = || coverage.assertions.iter().filter(|assertion| !assertion.reached);
        let asserted = unreached().filter_map(unreached_check);
        let ruled = coverage.invariants.iter().filter(|invariant| !invariant.changed).map(unchanged_rule);
        let mut vacuous: Vec<Vacuous> = asserted.chain(ruled).collect();
        if all_blocked && (stated == 0 || vacuous.len() < stated) {
            vacuous.push(blocked_program(&coverage));
        }
        Basis {
            unreached: unreached().map(|assertion| site(&assertion.statement)).collect(),
            blocked_at: coverage.blocked_at.iter().map(site).collect(),
            vacuous,
            all_blocked,
            ..basis
        }
    }
}

fn site(statement: &Excerpt) -> Site {
    Site { text: statement.text.clone(), location: Some(statement.location.clone()) }
}

/// An assertion that nothing put to the test. One that says no more than that it is not reached is proved by that, unless
/// an assumption stands in front of it that no execution passes: then it would not have been reached in any case.
fn unreached_check(assertion: &AssertionCoverage) -> Option<Vacuous> {
    let AssertionCoverage { statement, is_false, behind, .. } = assertion;
    let (reason, remedy) = match behind {
        Some(assumption) => {
            let Excerpt { text, location } = assumption;
            let reason = format!("was never reached: no execution gets past `{text}` ({location})");
            (reason, Some("let the assumption come true in some execution".to_owned()))
        }
        None if *is_false => return None,
        None => ("was never reached by any execution".to_owned(), None),
    };
    Some(Vacuous { site: site(statement), reason, remedy })
}

/// A program of which every execution ends at an assumption.
fn blocked_program(coverage: &Coverage) -> Vacuous {
    let (site, reason) = match &coverage.blocked_at[..] {
        [one] => (site(one), "blocks every execution: none comes to its end".to_owned()),
        [first, others @ ..] => {
            let others: Vec<_> = others.iter().map(|other| format!("`{}` ({})", other.text, other.location)).collect();
            (site(first), format!("and {} block every execution: none comes to its end", others.join(", ")))
        }
        [] => (Site { text: String::new(), location: None }, String::new()),
    };
    Vacuous { site, reason, remedy: Some("let the assumptions come true in some execution".to_owned()) }
}

/// A condition that must never hold, about what never changes.
fn unchanged_rule(invariant: &InvariantCoverage) -> Vacuous {
    let InvariantCoverage { statement, variables, .. } = invariant;
    let names: Vec<_> = variables.iter().map(|name| format!("`{name}`")).collect();
    let (reason, remedy) = match &*names {
        [] => ("looks at no shared variable".to_owned(), None),
        [one] => (format!("is about {one}, which never changes"), Some(format!("let a step change {one}"))),
        several => {
            let all = several.join(", ");
            (format!("is about {all}, which never change"), Some("let a step change one of them".to_owned()))
        }
    };
    Vacuous { site: site(statement), reason, remedy }
}
