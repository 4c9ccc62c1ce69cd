//! Ordinary Rust code, checked in `cargo test`: [`model()`], [`Builder`] and `#[mazurka::test]`.
//!
//! `program.rs` makes a [`Subject`](crate::Subject) of a closure, `files.rs` knows where reports and schedules are written, and
//! `replay.rs` runs a schedule again.

mod files;
mod program;
mod replay;

use crate::check::{Check, Checked};
use crate::subject::{Origin, Subject};
use files::Files;
use mazurka_core::{Budget, Fingerprint, Verdict};
use mazurka_engines::{Engine, Options};
use mazurka_rust::{Closure, Rounds};
use program::RustProgram;
use std::fmt::Write;
use std::panic::Location;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

/// How long an execution may become unless something is said.
const STEPS: u64 = 10_000;

/// What advice calls by the options of the command, and what stands for them here.
const OPTIONS: [(&str, &str); 5] = [
    ("--all looks for more", "`Builder::all` looks for more"),
    ("--max-steps", "MAZURKA_STEPS or `Builder::steps`"),
    ("--time-limit", "MAZURKA_TIME or `Builder::time_limit`"),
    ("a larger --memory-limit", "more memory"),
    ("--engine ", "MAZURKA_ENGINE="),
];

/// How long it may take to shorten what was found: a closure is run again for each attempt.
const SHORTENING: Duration = Duration::from_secs(5);

/// Runs a closure in every order of its threads, and panics with the story of one that fails.
///
/// The closure uses the doubles of `std` in [`doubles`](crate::doubles), or those of the crate `mazurka-sync`, which are `std` itself in
/// production. `verified` is worded by the orderings that the program uses; see the manual.
///
/// ```
/// use mazurka::doubles::sync::atomic::{AtomicUsize, Ordering::SeqCst};
/// use mazurka::doubles::thread;
/// use std::sync::Arc;
///
/// mazurka::model(|| {
///     let hits = Arc::new(AtomicUsize::new(0));
///     let other = Arc::clone(&hits);
///     let thread = thread::spawn(move || other.fetch_add(1, SeqCst));
///     hits.fetch_add(1, SeqCst);
///     thread.join().unwrap();
///     assert_eq!(hits.load(SeqCst), 2);
/// });
/// ```
///
/// # Panics
/// Unless the closure is verified.
#[track_caller]
pub fn model(body: impl Fn() + Send + Sync + 'static) {
    Builder::new().check(body);
}

/// A check of a closure that is being set up. What the environment says comes before what the test says: `MAZURKA_ENGINE`,
/// `MAZURKA_STEPS`, `MAZURKA_TIME` (seconds), `MAZURKA_THREADS`, `MAZURKA_REPORT_DIR`, `MAZURKA_REPLAY`.
#[derive(Clone, Debug)]
#[must_use]
pub struct Builder {
    name: Option<String>,
    engine: Option<Engine>,
    steps: u64,
    time: Option<Duration>,
    threads: usize,
    allow_bounded: bool,
    all: bool,
    stack_size: Option<usize>,
    step_time: Option<Duration>,
    spin_detection: bool,
    livelocks: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Builder::new()
    }
}

impl Builder {
    /// One order of each trace, on one thread, up to 10,000 steps.
    pub fn new() -> Self {
        Builder {
            name: None,
            engine: None,
            steps: STEPS,
            time: None,
            threads: 1,
            allow_bounded: false,
            all: false,
            stack_size: None,
            step_time: None,
            spin_detection: true,
            livelocks: false,
        }
    }

    /// What reports and files are called; by default as the test is.
    pub fn name(self, name: impl Into<String>) -> Self {
        Builder { name: Some(name.into()), ..self }
    }

    /// Uses this engine.
    pub fn engine(self, engine: Engine) -> Self {
        Builder { engine: Some(engine), ..self }
    }

    /// Uses the engine of this name.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn engine_named(self, name: &str) -> Self {
        self.engine(engine_by_name("engine", name))
    }

    /// How many steps an execution may have. What lies beyond is not looked at, and the verdict is `bounded`.
    pub fn steps(self, steps: u64) -> Self {
        Builder { steps, ..self }
    }

    /// Stops after this time, with the verdict `inconclusive`.
    pub fn time_limit(self, limit: Duration) -> Self {
        Builder { time: Some(limit), ..self }
    }

    /// Searches on this number of threads; 0 stands for all cores.
    pub fn threads(self, threads: usize) -> Self {
        Builder { threads, ..self }
    }

    /// Lets the test pass if executions were cut at the number of steps, and nothing wrong was found up to there.
    pub fn allow_bounded(self) -> Self {
        Builder { allow_bounded: true, ..self }
    }

    /// Looks for all violations, not only the first. What comes after a data race may follow from it.
    pub fn all(self) -> Self {
        Builder { all: true, ..self }
    }

    /// How large the stacks of threads are, in bytes; 256 KiB unless something is said.
    pub fn stack_size(self, bytes: usize) -> Self {
        Builder { stack_size: Some(bytes), ..self }
    }

    /// How long a thread may take to come to its next operation; 10 seconds unless something is said. What takes longer is told,
    /// and ends the check with the verdict `unsupported`.
    pub fn step_time(self, limit: Duration) -> Self {
        Builder { step_time: Some(limit), ..self }
    }

    /// Whether a thread in a loop that would do the same again waits until something changes. It does unless this says no.
    pub fn spin_detection(self, on: bool) -> Self {
        Builder { spin_detection: on, ..self }
    }

    /// Looks for livelocks, before anything else: threads that go round for ever, each of them moving or waiting, and never all
    /// come to their ends. The test fails with the rounds that they go. Threads that are meant to run on say
    /// [`progress`](crate::progress) in each round.
    ///
    /// Threads that spin for ever fail a test in any case. This also finds those that change something in each round, as two
    /// that step aside for each other. It finds some and proves nothing.
    ///
    /// ```should_panic
    /// use mazurka::doubles::sync::atomic::{AtomicBool, Ordering::SeqCst};
    /// use mazurka::doubles::thread;
    /// use std::sync::Arc;
    ///
    /// mazurka::Builder::new().livelocks().check(|| {
    ///     let wants = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    ///     let enter = |me: usize, wants: Arc<[AtomicBool; 2]>| loop {
    ///         wants[me].store(true, SeqCst);
    ///         if !wants[1 - me].load(SeqCst) {
    ///             break;
    ///         }
    ///         // After you.
    ///         wants[me].store(false, SeqCst);
    ///     };
    ///     let other = Arc::clone(&wants);
    ///     let thread = thread::spawn(move || enter(1, other));
    ///     enter(0, Arc::clone(&wants));
    ///     wants[0].store(false, SeqCst);
    ///     thread.join().unwrap();
    /// });
    /// ```
    pub fn livelocks(self) -> Self {
        Builder { livelocks: true, ..self }
    }

    /// Checks a closure, and returns what was counted.
    ///
    /// # Panics
    /// With the report, unless the closure is verified.
    #[track_caller]
    pub fn check(self, body: impl Fn() + Send + Sync + 'static) -> Checked {
        assert!(!mazurka_rust::is_checking(), "a model cannot be checked within another one");
        let files = Files::of_test(self.name.as_deref(), std::any::type_name_of_val(&body), Location::caller());
        let this = self.told_by_environment();
        let program = this.program(body);
        if let Some(told) = replay::asked_for(&program, &files) {
            // Its threads are unwound before this one is.
            drop(program);
            panic!("{told}");
        }
        let checked = this.search_where_it_can_be(&program, &files);
        let is_fine = match checked.exploration.verdict {
            Verdict::Verified => program.not_covered().is_empty(),
            Verdict::Bounded { .. } => this.allow_bounded,
            _ => false,
        };
        if is_fine {
            return checked;
        }
        let told = told(&checked, &program, &files);
        drop(program);
        panic!("{told}");
    }

    /// Checks a closure, whatever comes of it. Neither files nor the environment are looked at.
    pub fn explore(self, body: impl Fn() + Send + Sync + 'static) -> Checked {
        let program = self.program(body);
        self.search_where_it_can_be(&program, &Files::nowhere(self.name.as_deref()))
    }

    fn program(&self, body: impl Fn() + Send + Sync + 'static) -> RustProgram {
        let body = Arc::new(body);
        let closure = || {
            let body = Arc::clone(&body);
            let closure = Closure::new(move || body()).spin_detection(self.spin_detection);
            let closure = match self.stack_size {
                Some(bytes) => closure.stack_size(bytes),
                None => closure,
            };
            match self.step_time {
                Some(limit) => closure.step_time(limit),
                None => closure,
            }
        };
        let rounds = self.livelocks.then(|| Rounds::new(closure()));
        RustProgram::new(closure(), rounds)
    }

    /// On an OS thread that does not count as panicking: the threads of a model would seem to panic as well. It counts so in a
    /// destructor that a panic runs, and after a check that ended because a thread of it had to wait while it unwound.
    fn search_where_it_can_be(&self, program: &RustProgram, files: &Files) -> Checked {
        if !std::thread::panicking() {
            return self.search(program, files);
        }
        let searched = std::thread::scope(|scope| scope.spawn(|| self.search(program, files)).join());
        searched.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn search(&self, program: &RustProgram, files: &Files) -> Checked {
        let budget = Budget { depth: Some(self.steps), time: self.time, ..Budget::default() };
        let options = Options { budget, all: self.all, threads: self.threads, ..Options::default() };
        let engine = self.engine.unwrap_or_else(|| program.usual_engine());
        Check::new(program).name(files.name()).engine(engine).options(options).shortening(SHORTENING).run()
    }

    fn told_by_environment(self) -> Self {
        let mut this = self;
        if let Some(name) = variable::<String>("MAZURKA_ENGINE", "the name of an engine") {
            this.engine = Some(engine_by_name("MAZURKA_ENGINE", &name));
        }
        this.steps = variable("MAZURKA_STEPS", "a number of steps").unwrap_or(this.steps);
        this.threads = variable("MAZURKA_THREADS", "a number of threads").unwrap_or(this.threads);
        let seconds: Option<f64> = variable("MAZURKA_TIME", "a number of seconds");
        this.time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).or(this.time);
        this
    }
}

#[track_caller]
fn engine_by_name(what: &str, name: &str) -> Engine {
    let names: Vec<_> = Engine::ALL.iter().map(|engine| engine.name()).collect();
    Engine::by_name(name)
        .unwrap_or_else(|| panic!("{what}: `{name}` is no engine; expected one of {}", names.join(", ")))
}

/// What a variable of the environment says.
#[track_caller]
fn variable<T: FromStr>(name: &str, expected: &str) -> Option<T> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}: `{text}` is not {expected}")))
}

/// The report of a check that failed, with where to read on.
fn told(checked: &Checked, program: &RustProgram, files: &Files) -> String {
    let report = OPTIONS.iter().fold(checked.to_string(), |report, (option, here)| report.replace(option, here));
    let mut told = format!("{}\n\n{report}", files.name());
    for place in program.not_covered() {
        let _ = writeln!(told, "  never    {place}: the condition of `cover!` held in no execution");
    }
    if let Some(found) = checked.shortened.first() {
        let origin = Origin {
            files: vec![files.name().to_owned()],
            source: Fingerprint::of_bytes(files.name().as_bytes()),
            defines: Vec::new(),
            engine: checked.engine.name().to_owned(),
        };
        if let Some(path) = files.save("schedule", &program.record(found, &origin).to_string()) {
            let _ = writeln!(told, "  replay   MAZURKA_REPLAY={path} cargo test{}", files.filter());
        }
    }
    let page = files.page(checked);
    if let Some(path) = files.save("html", &page) {
        let _ = writeln!(told, "  page     {path}");
    }
    told
}
