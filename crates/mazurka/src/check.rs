//! Checking a program from Rust.

use crate::auto::{self, Search};
use crate::subject::Subject;
use mazurka_core::{Budget, Counter, Exploration, Fairness, Found, Meter, Observer, Silent, Verdict, caught};
use mazurka_engines::{Engine, Options, stages, stages_for_races};
use mazurka_report::{Basis, Picked, Report, Story, TextOptions, text};
use std::fmt;
use std::time::{Duration, Instant};

/// How long footprints are compared with what steps do.
const SAMPLING: Duration = Duration::from_millis(200);

/// How long it may take, when the time of a search is over, to shorten what it found.
const AFTERWARDS: Duration = Duration::from_millis(200);

/// A check that is being set up.
///
/// ```
/// use mazurka::{Check, MzProgram, Verdict, lang};
///
/// let source = "shared x = 0; thread a { x += 1; } thread b { x += 1; } never (x > 2);";
/// let program = MzProgram::new(lang::compile("two.mz", source, &[]).expect("it compiles"));
/// assert_eq!(Check::new(&program).run().exploration.verdict, Verdict::Verified);
/// ```
#[must_use]
pub struct Check<'a> {
    subject: &'a dyn Subject,
    name: String,
    engine: Option<Engine>,
    options: Options,
    footprints: bool,
    shortening: Option<Duration>,
}

impl<'a> Check<'a> {
    /// A check of a [`System`](mazurka_core::System) or another [`Subject`], with the engine that suits it.
    pub fn new(subject: &'a dyn Subject) -> Self {
        Check {
            subject,
            name: "the program".to_owned(),
            engine: None,
            options: Options::default(),
            footprints: cfg!(debug_assertions),
            shortening: None,
        }
    }

    /// What the report calls the program.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Uses this engine.
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = Some(engine);
        self
    }

    /// Looks for all violations, not only the first.
    pub fn all(mut self) -> Self {
        self.options.all = true;
        self
    }

    /// Looks for data races, too: accesses of a shared variable that nothing orders. A model in Rust has to tell which of
    /// its steps are plain accesses ([`Traits::tells_plain_accesses`](mazurka_core::Traits::tells_plain_accesses)).
    ///
    /// ```
    /// use mazurka::{Check, MzProgram, Verdict, lang};
    ///
    /// let source = "shared x = 0; thread a { x = 1; } thread b { x = 1; }";
    /// let program = MzProgram::new(lang::compile("two.mz", source, &[]).expect("it compiles"));
    /// assert_eq!(Check::new(&program).run().exploration.verdict, Verdict::Verified);
    /// assert_eq!(Check::new(&program).races().run().exploration.verdict, Verdict::Violated);
    /// ```
    pub fn races(mut self) -> Self {
        self.options.races = true;
        self
    }

    /// How all actors are treated that are treated fairly at all, where something has to happen in the end. Unless this is
    /// said, as the program says.
    pub fn fairness(mut self, fairness: Fairness) -> Self {
        self.options.fairness = Some(fairness);
        self
    }

    /// Stops after this time.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.options.budget.time = Some(limit);
        self
    }

    /// Searches on this many threads; 0 stands for all cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.threads = threads;
        self
    }

    /// Limits what the search may use.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.options.budget = budget;
        self
    }

    /// Tells the engine all there is to tell.
    pub fn options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// How long it may take at most to shorten what was found.
    pub fn shortening(mut self, limit: Duration) -> Self {
        self.shortening = Some(limit);
        self
    }

    /// Whether a model in Rust is asked, before it is called verified, if its footprints are complete: in the first
    /// states, steps that do not conflict are taken in both orders. Unless something is said, builds with debug
    /// assertions ask. Engines that reduce nothing do not depend on footprints, and are not asked.
    pub fn footprints(mut self, checked: bool) -> Self {
        self.footprints = checked;
        self
    }

    /// Runs the check.
    pub fn run(self) -> Checked {
        self.observed_by(&mut Silent)
    }

    /// Runs the check and tells an observer how it goes.
    pub fn observed_by(self, observer: &mut dyn Observer) -> Checked {
        let searched = self.search(observer);
        self.tell(searched)
    }

    /// Runs the search alone. What it found is told with [`Check::tell`].
    pub fn search(&self, observer: &mut dyn Observer) -> Searched {
        let started = Instant::now();
        let (engine, picked, exploration) = match self.engine {
            Some(engine) => (engine, None, self.subject.explore(engine, &self.options, observer)),
            None => {
                let Search { engine, picked, exploration } = auto::search(self.subject, &self.options, observer);
                (engine, Some(picked), exploration)
            }
        };
        let exploration = self.unless_footprints_are_incomplete(engine, exploration);
        Searched { engine, picked, exploration, started }
    }

    /// A search that relied on footprints proves nothing if they are incomplete.
    fn unless_footprints_are_incomplete(&self, engine: Engine, exploration: Exploration) -> Exploration {
        let relies = matches!(exploration.verdict, Verdict::Verified | Verdict::Bounded { .. }) && engine.reduces();
        if !relies || !self.footprints {
            return exploration;
        }
        let meter = Meter::start(&Budget { time: Some(SAMPLING), ..self.options.budget.clone() });
        match caught(|| self.subject.footprints(&meter)) {
            Ok(Err(words)) => {
                let verdict = Verdict::Unsupported(format!("the footprints of the model are incomplete: {words}"));
                Exploration { verdict, ..exploration }
            }
            Ok(Ok(())) | Err(_) => exploration,
        }
    }

    /// What to try where an engine refused the program, or could prove nothing of it.
    fn instead_of_unsupported(&self, engine: Engine, exploration: &Exploration) -> Option<&'static str> {
        let traits = self.subject.traits();
        let counted = [Counter::States, Counter::Transitions, Counter::Executions];
        if counted.iter().any(|&counter| exploration.statistics.get(counter).is_some()) {
            return match self.options.as_published {
                true => Some("without --as-published, `stateful` is correct and its result is a proof"),
                false => Some("what comes after that is not known, so nothing is claimed"),
            };
        }
        if self.options.races && !traits.tells_plain_accesses {
            return Some("without --races the program can be checked");
        }
        let by_auto = if self.options.races { stages_for_races(&traits) } else { stages(&traits) };
        let other = by_auto.iter().any(|stage| stage.engine != engine);
        let advice = match self.options.races {
            true => "--engine auto picks an engine that finds them",
            false => "--engine auto picks an engine that supports the program",
        };
        (self.engine.is_some() && other).then_some(advice)
    }

    /// Tells what a search found: with the shortest schedules that are found in the time that is left.
    pub fn tell(self, searched: Searched) -> Checked {
        let Searched { engine, picked, exploration, started } = searched;
        let budget = &self.options.budget;
        let left = budget.time.map(|limit| limit.saturating_sub(started.elapsed()));
        // To tell a long schedule takes a while, too.
        let time = left.map(|left| (left / 2).max(AFTERWARDS)).into_iter().chain(self.shortening).min();
        let shortening = Meter::start(&Budget { time, memory: None, ..budget.clone() });
        let left = if budget.cancel.is_cancelled() { Some(Duration::ZERO) } else { left };
        let telling = Meter::start(&Budget { time: left.map(|left| left + 2 * AFTERWARDS), ..Budget::default() });
        let mut is_first = true;
        let tell = |found: &Found| {
            if !std::mem::take(&mut is_first) && telling.is_over() {
                let why = "there was no time left to work out how it happens".to_owned();
                return (found.clone(), Story::untold(found, why));
            }
            let told = caught(|| self.subject.tell(found, &shortening));
            told.unwrap_or_else(|panic| {
                (found.clone(), Story::untold(found, format!("the program panicked when this was told: {panic}")))
            })
        };
        let (shortened, stories) = exploration.violations.iter().map(tell).unzip();
        let mut basis = self.subject.basis(&exploration);
        if self.options.races {
            basis.exclude("has a data race");
        }
        basis.promise_to_happen(&exploration.answered, self.options.fairness);
        let too_large = matches!(exploration.verdict, Verdict::Inconclusive(_));
        let meter = Meter::start(&Budget { time: Some(AFTERWARDS), memory: None, ..budget.clone() });
        let hint = if too_large { caught(|| self.subject.hint(&meter)).ok().flatten() } else { None };
        let alternative = match &exploration.verdict {
            // Others would not see data races.
            Verdict::Inconclusive(_) if self.options.races => None,
            Verdict::Inconclusive(_) => {
                let meter = Meter::start(&Budget { time: Some(AFTERWARDS), memory: None, ..budget.clone() });
                let growth = || caught(|| self.subject.growth(&meter)).ok().flatten();
                auto::alternative(&self.subject.traits(), engine, picked.as_ref(), growth)
            }
            Verdict::Unsupported(_) => self.instead_of_unsupported(engine, &exploration).map(str::to_owned),
            _ => None,
        };
        Checked { program: self.name, engine, picked, basis, alternative, hint, exploration, shortened, stories }
    }
}

/// What a search came to, before it is told.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The engine that ran.
    pub engine: Engine,
    /// Why that engine, where none was asked for, and what was tried before.
    pub picked: Option<Picked>,
    /// What it concluded.
    pub exploration: Exploration,
    started: Instant,
}

/// The result of a check. Its `Display` is the report that a person reads.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What the program is called.
    pub program: String,
    /// The engine that ran.
    pub engine: Engine,
    /// Why that engine, where none was asked for, and what was tried before.
    pub picked: Option<Picked>,
    /// What `verified` rests on.
    pub basis: Basis,
    /// What to try where this engine did not finish or refused, and why, in one sentence.
    pub alternative: Option<String>,
    /// What was seen of a program that is too large to be searched, in one sentence.
    pub hint: Option<String>,
    /// What it concluded.
    pub exploration: Exploration,
    /// The violations with the shortened schedules.
    pub shortened: Vec<Found>,
    /// The violations, told.
    pub stories: Vec<Story>,
}

impl Checked {
    /// The data of the report.
    pub fn report(&self) -> Report<'_> {
        Report {
            program: &self.program,
            engine: self.engine.name(),
            picked: self.picked.as_ref(),
            basis: &self.basis,
            alternative: self.alternative.as_deref(),
            hint: self.hint.as_deref(),
            exploration: &self.exploration,
            stories: &self.stories,
        }
    }

    /// Whether the verdict is [`Verdict::Verified`]; [`Basis::vacuity`] tells whether anything was put to the test.
    pub fn is_verified(&self) -> bool {
        self.exploration.verdict == Verdict::Verified
    }

    /// For tests: panics with the report unless the verdict is [`Verdict::Verified`].
    ///
    /// # Panics
    /// Unless the program is verified; a bounded or interrupted search is not a pass.
    #[track_caller]
    pub fn assert_verified(&self) {
        assert!(self.is_verified(), "{} is not verified\n\n{self}", self.program);
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::report(&self.report(), &TextOptions::default()))
    }
}
