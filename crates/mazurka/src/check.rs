//! Checking a program from Rust.

use crate::auto::{self, Search};
use crate::subject::Subject;
use mazurka_core::{Budget, Exploration, Found, Observer, Silent, Verdict};
use mazurka_engines::{Engine, Options, refuses};
use mazurka_report::{Basis, Picked, Report, Story, TextOptions, text};
use std::fmt;
use std::time::Duration;

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
}

impl<'a> Check<'a> {
    /// A check of a [`System`](mazurka_core::System) or another [`Subject`], with the engine that suits it.
    pub fn new(subject: &'a dyn Subject) -> Self {
        Check { subject, name: "the program".to_owned(), engine: None, options: Options::default() }
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

    /// Stops after this time.
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.options.budget.time = Some(limit);
        self
    }

    /// Searches on so many threads; 0 stands for all cores.
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

    /// Runs the check.
    pub fn run(self) -> Checked {
        self.observed_by(&mut Silent)
    }

    /// Runs the check and tells an observer how it goes.
    pub fn observed_by(self, observer: &mut dyn Observer) -> Checked {
        let traits = self.subject.traits();
        let (engine, picked, exploration) = match self.engine {
            Some(engine) => match refuses(engine, &traits) {
                Some(reason) => (engine, None, Exploration::unsupported(reason)),
                None => (engine, None, self.subject.explore(engine, &self.options, observer)),
            },
            None => {
                let Search { engine, picked, exploration } = auto::search(self.subject, &self.options, observer);
                (engine, Some(picked), exploration)
            }
        };
        let (shortened, stories) = exploration.violations.iter().map(|found| self.subject.tell(found)).unzip();
        let basis = self.subject.basis(&exploration);
        let too_large = matches!(exploration.verdict, Verdict::Inconclusive(_));
        let hint = if too_large { self.subject.hint() } else { None };
        let alternative = if too_large { auto::alternative(&traits, engine, picked.as_ref()) } else { None };
        Checked { program: self.name, engine, picked, basis, alternative, hint, exploration, shortened, stories }
    }
}

/// The result of a check. Its `Display` is the report that a person reads.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What the program is called.
    pub program: String,
    /// The engine that ran.
    pub engine: Engine,
    /// Why that engine, where nobody asked for it, and what was tried before.
    pub picked: Option<Picked>,
    /// What `verified` rests on.
    pub basis: Basis,
    /// Another engine to try where this one did not come to its end, and why, in one sentence.
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
