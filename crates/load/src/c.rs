//! C programs as something that can be checked: clang is called, and the program is made of what it prints.

use crate::bundle::INTERMEDIATE;
use crate::compile_commands::{self, Entry, is_same};
use crate::diagnostic;
use crate::load::{LoadError, Loaded};
use crate::read::is_confined;
use crate::read_text;
use crate::settings::Settings;
use mazurka::engines::{Options, explore};
use mazurka::report::explore::{Audience, Teller};
use mazurka::report::html::Source;
use mazurka::report::terminal::name as shown;
use mazurka::report::{Basis, Considered, ReplayError, ScheduleFile, Site, Story, Vacuous};
use mazurka::{
    Budget, Counter, Engine, Exploration, Fingerprint, Found, Meter, Observer, Origin, Schedule, StopReason, Subject,
    Traits, Verdict, Violation, explore_by_presence,
};
use mazurka_c::clang::{Clang, ClangError};
use mazurka_c::{Assertion, Identity, Model, Program, assertions};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A C program: engines that store states see its actors by presence, all others by history. Engines that follow executions
/// look for data races, too.
#[derive(Debug)]
pub struct CProgram {
    by_presence: Model,
    by_history: Model,
    with_races: Model,
    /// What engines explore that follow executions: who waits in a loop stops there.
    following: Model,
    /// All executions were followed, and there was no data race.
    has_no_race: AtomicBool,
}

impl CProgram {
    /// Makes a program checkable.
    pub fn new(program: Program) -> Self {
        let program = Arc::new(program);
        // Models by history share their numbers, so that a schedule of one is a schedule of all.
        let by_history = Model::new(Arc::clone(&program), Identity::History);
        let with_races = by_history.seeing_races();
        CProgram {
            following: with_races.stopping_spins(),
            with_races,
            by_presence: Model::new(program, Identity::Presence),
            by_history,
            has_no_race: AtomicBool::new(false),
        }
    }

    /// The model in whose names a schedule stands. One by history never comes back to a state in which memory was allocated
    /// or a thread made: an execution without end is told by presence.
    fn model_of(&self, schedule: &Schedule) -> &Model {
        if schedule.lasso.is_some() { &self.by_presence } else { &self.with_races }
    }

    /// Whether an engine follows executions from their beginning to their end, so that races are seen along them.
    fn sees_races(engine: Engine) -> bool {
        engine.finds_races() && !engine.present_identity()
    }

    /// Other engines do not see races. Where they came to the end of their search, executions are followed as well, as far
    /// as that goes: what is found counts. If something else was found, that is done only if all is asked for.
    fn look_for_races(&self, exploration: Exploration, options: &Options, observer: &mut dyn Observer) -> Exploration {
        let is_asked = match exploration.verdict {
            Verdict::Verified => true,
            Verdict::Violated => options.all && exploration.stop == StopReason::Complete,
            _ => false,
        };
        if !is_asked {
            return exploration;
        }
        let mut limited = options.clone();
        limited.threads = 1;
        limited.budget.size = Some(mazurka::engines::STAGE_SIZE);
        let spent = std::time::Duration::from_secs_f64(exploration.statistics.seconds.max(0.0));
        limited.budget.time = options.budget.time.map(|time| time.saturating_sub(spent));
        let engine = if self.traits().any_mailboxes { Engine::Event } else { Engine::Optimal };
        let raced = explore(engine, &self.following, &limited, observer);
        self.has_no_race.store(raced.verdict == Verdict::Verified, Ordering::Relaxed);
        let is_race = |found: &Found| found.violation.kind == mazurka::ViolationKind::Race;
        let races: Vec<Found> = raced.violations.into_iter().filter(is_race).collect();
        if races.is_empty() && exploration.verdict == Verdict::Verified {
            return exploration;
        }
        let Exploration { cut, mut violations, statistics, answered, .. } = exploration;
        violations.extend(races);
        Exploration { answered, ..Exploration::conclude(raced.stop, cut.or(raced.cut), violations, statistics) }
    }
}

impl Subject for CProgram {
    fn inner(&self) -> &dyn Subject {
        &self.with_races
    }

    /// Only with one that stores states it can be asked what happens in the end.
    fn traits(&self) -> Traits {
        Subject::traits(&self.by_presence)
    }

    fn shorten(&self, found: &Found, meter: &Meter) -> Found {
        self.model_of(&found.schedule).shorten(found, meter)
    }

    fn story(&self, found: &Found, original: &Schedule, meter: &Meter) -> Story {
        self.model_of(&found.schedule).story(found, original, meter)
    }

    fn record(&self, found: &Found, origin: &Origin) -> ScheduleFile {
        self.model_of(&found.schedule).record(found, origin)
    }

    fn resolve(&self, file: &ScheduleFile) -> Result<Schedule, ReplayError> {
        if file.lasso.is_some() { self.by_presence.resolve(file) } else { self.inner().resolve(file) }
    }

    fn replay(&self, schedule: &Schedule) -> Option<Vec<Violation>> {
        self.model_of(schedule).replay(schedule)
    }

    fn explore(&self, engine: Engine, options: &Options, observer: &mut dyn Observer) -> Exploration {
        self.has_no_race.store(false, Ordering::Relaxed);
        if Self::sees_races(engine) && !self.traits().liveness {
            let exploration = explore(engine, &self.following, options, observer);
            self.has_no_race.store(exploration.verdict == Verdict::Verified, Ordering::Relaxed);
            return exploration;
        }
        let exploration = if engine.present_identity() {
            let retell = |schedule: &Schedule| match schedule.lasso {
                Some(_) => None,
                None => Model::retell(&self.by_presence, &self.by_history, schedule),
            };
            let models = (&self.by_presence, &self.by_history as &dyn Subject);
            explore_by_presence(engine, models, retell, options, observer)
        } else {
            explore(engine, &self.by_history, options, observer)
        };
        self.look_for_races(exploration, options, observer)
    }

    fn watch(&self, engine: Engine, options: &Options, audience: &mut dyn Audience) -> Exploration {
        if !engine.present_identity() {
            return self.inner().watch(engine, options, audience);
        }
        let retell = |schedule: &Schedule| Model::retell(&self.by_presence, &self.by_history, schedule);
        let models = (&self.by_presence, &self.by_history as &dyn Subject);
        let options = Options { threads: 1, ..options.clone() };
        explore_by_presence(engine, models, retell, &options, &mut Teller::new(&self.by_presence, audience))
    }

    fn growth(&self, meter: &Meter) -> Option<usize> {
        Subject::growth(&self.by_presence, meter)
    }

    fn basis(&self, exploration: &Exploration) -> Basis {
        let program = self.by_history.program();
        let models = [&self.by_presence, &self.by_history];
        let assertions = assertions(&models);
        let mut excluded = vec!["crashes", "deadlocks"];
        if !assertions.is_empty() {
            excluded.insert(0, "fails an assertion");
        }
        let followed = self.has_no_race.load(Ordering::Relaxed);
        if followed {
            excluded.push("has a data race");
        }
        let mut considered = Vec::new();
        let mut consider = |what: &str, text: String| considered.push(Considered { what: what.to_owned(), text });
        let restriction = match (program.uses_weak_atomics(), followed && exploration.verdict == Verdict::Verified) {
            (false, true) => {
                "sequentially consistent executions, which are all: there are no data races and no weak atomics"
            }
            (false, false) => "sequentially consistent executions",
            (true, _) => "sequentially consistent executions; the program has weaker atomics, which allow more",
        };
        consider("memory", restriction.to_owned());
        if let Some(clang) = program.producer() {
            consider("compiler", clang.to_owned());
        }
        if !followed {
            consider("data races", "none was met, but not all executions were followed to their ends".to_owned());
        }
        if let Some((from, to)) = program.explored_values() {
            consider("values", format!("{from} to {to} for what is not known"));
        }
        let mut blocked = models.map(Model::blocked_at).concat();
        blocked.sort();
        blocked.dedup();
        let site = |otherwise: &'static str| {
            move |location| {
                let text = program.line(&location).unwrap_or(otherwise).to_owned();
                Site { text, location: Some(location) }
            }
        };
        let blocked_at: Vec<Site> = blocked.into_iter().map(site("an assumption")).collect();
        let waits_at: Vec<Site> = self.by_history.spun_at().into_iter().map(site("a loop")).collect();
        let basis = Basis {
            considered,
            blocked_at,
            ended_in_loops: self.by_history.has_ended_in_loop()
                && exploration.statistics.get(Counter::States).is_none(),
            waits_at,
            stated: assertions.len(),
            ..Basis::excluding(excluded)
        };
        if exploration.verdict != Verdict::Verified {
            return basis;
        }
        let has_finished = models.iter().any(|model| model.has_finished());
        let all_end = self.traits().terminates || exploration.statistics.get(Counter::States).is_none();
        let all_blocked = all_end && !has_finished && !(basis.blocked_at.is_empty() && basis.waits_at.is_empty());
        let unreached = || assertions.iter().filter(|assertion| !assertion.is_reached);
        let mut vacuous: Vec<Vacuous> = unreached().filter_map(unreached_check).collect();
        if all_blocked && (assertions.is_empty() || vacuous.len() < assertions.len()) {
            let blocks = |what: &str, remedy: Option<&str>| {
                let (reason, remedy) =
                    (format!("{what} every execution: none comes to its end"), remedy.map(str::to_owned));
                move |site: &Site| Vacuous { site: site.clone(), reason, remedy }
            };
            let assumption = || {
                let remedy = Some("let the assumptions come true in some execution");
                basis.blocked_at.first().map(blocks("blocks", remedy))
            };
            vacuous.extend(assumption().or_else(|| basis.waits_at.first().map(blocks("goes round for ever in", None))));
        }
        let unreached = unreached().map(site_of).collect();
        Basis { unreached, vacuous, all_blocked, ..basis }
    }
}

fn site_of(assertion: &Assertion) -> Site {
    Site { text: assertion.text.clone(), location: Some(assertion.location.clone()) }
}

/// An assertion that nothing put to the test. One without a condition is proved by that, unless an assumption stands in front
/// of it that no execution passes.
fn unreached_check(assertion: &Assertion) -> Option<Vacuous> {
    let (reason, remedy) = match &assertion.behind {
        Some(assumption) => (
            format!("was never reached: no execution gets past the assumption ({assumption})"),
            Some("let the assumption come true in some execution".to_owned()),
        ),
        None if assertion.is_false => return None,
        None => ("was never reached by any execution".to_owned(), None),
    };
    Some(Vacuous { site: site_of(assertion), reason, remedy })
}

/// Reads the files of a C program. The compiler keeps within the budget, too.
pub(crate) fn load_c(
    files: &[String],
    settings: &Settings,
    colour: bool,
    budget: &Budget,
) -> Result<Loaded, LoadError> {
    let mut meter = Meter::start(budget);
    let mut stop = |bytes| {
        let is_full = budget.memory.is_some_and(|limit| bytes >= limit);
        meter.check().or(is_full.then_some(StopReason::MemoryLimit))
    };
    let mut texts = Vec::new();
    let mut modules = Vec::new();
    for Entry { file, options } in entries(files, settings)? {
        let text = read_text(&file, "a C file")?;
        let module = if has_extension(&file, "ll") {
            text.clone()
        } else if is_confined() {
            // It was translated where it comes from.
            read_text(&format!("{file}{INTERMEDIATE}"), "what clang makes of a C file")?
        } else {
            translate(&file, &text, &options, settings, &mut stop)?
        };
        modules.push((file.clone(), module));
        texts.push(Source { file, text });
    }
    if files.is_empty() {
        choose_main(&mut modules, settings)?;
        texts.retain(|source| modules.iter().any(|(file, _)| *file == source.file));
    }
    let files: Vec<String> = modules.iter().map(|(file, _)| file.clone()).collect();
    let mut program = Program::from_ir(&modules, &settings.of_c()).map_err(|error| {
        let text = modules.iter().find(|(file, _)| *file == error.file).map_or("", |(_, text)| text);
        // What is wrong with the program as a whole has no place in the text.
        if error.diagnostic.span.is_empty() {
            let mazurka::Diagnostic { message, label, .. } = &error.diagnostic;
            return LoadError::plain(format!("error: {}: {}\n{label}", shown(&error.file), shown(message)));
        }
        LoadError::Wrong(diagnostic::render(&error.file, text, &[error.diagnostic], colour))
    })?;
    for name in program.source_files() {
        match texts.iter().find(|source| source.file == name) {
            Some(source) => program.add_source(&name, &source.text),
            // Headers of the user's, and the sources of files of IR.
            None if !Path::new(&name).is_absolute() => {
                if let Ok(text) = read_text(&name, "a source file") {
                    program.add_source(&name, &text);
                    texts.push(Source { file: name, text });
                }
            }
            None => {}
        }
    }
    Ok(Loaded {
        name: if files.len() > MOST_NAMED {
            format!("{} + {} other files", files[0], files.len() - 1)
        } else {
            files.join(" + ")
        },
        files: files.clone(),
        source: Fingerprint::of_bytes(&program.identity_bytes()),
        texts,
        subject: Box::new(CProgram::new(program)),
    })
}

/// What clang makes of a C file that is a program by itself.
pub(crate) fn intermediate(file: &str, text: &str, budget: &Budget) -> Result<String, LoadError> {
    let mut meter = Meter::start(budget);
    translate(file, text, &[], &Settings::default(), &mut |_| meter.check())
}

fn has_extension(file: &str, extension: &str) -> bool {
    Path::new(file).extension().is_some_and(|found| found == extension)
}

/// A name of a program that is made of more files tells one of them.
const MOST_NAMED: usize = 4;

/// The files, and what clang is told for each besides what it is told for all.
fn entries(files: &[String], settings: &Settings) -> Result<Vec<Entry>, LoadError> {
    let plain = |file: &String| Entry { file: file.clone(), options: Vec::new() };
    let Some(database) = &settings.compile_commands else { return Ok(files.iter().map(plain).collect()) };
    let known = compile_commands::read(database)?;
    if known.is_empty() {
        return Err(LoadError::plain(format!(
            "error: {database}: no C file stands in it\nexpected at least one file that ends in .c"
        )));
    }
    if files.is_empty() {
        return Ok(known);
    }
    let of_file = |file: &String| {
        let found = known.iter().find(|entry| is_same(&entry.file, file));
        found.map_or_else(|| plain(file), |entry| Entry { file: file.clone(), options: entry.options.clone() })
    };
    Ok(files.iter().map(of_file).collect())
}

/// Of the files that define `main` one is meant; the others belong to other programs.
fn choose_main(modules: &mut Vec<(String, String)>, settings: &Settings) -> Result<(), LoadError> {
    let defines_main = |text: &str| text.lines().any(|line| line.starts_with("define ") && line.contains(" @main("));
    let mains: Vec<String> =
        modules.iter().filter(|(_, text)| defines_main(text)).map(|(file, _)| file.clone()).collect();
    let listed = || format!("expected one of these with --main: {}", mains.join(", "));
    match (&settings.main, &mains[..]) {
        (Some(main), _) => {
            if !mains.iter().any(|file| is_same(file, main)) {
                return Err(LoadError::plain(format!("error: --main {main}: it defines no `main`\n{}", listed())));
            }
            modules.retain(|(file, text)| is_same(file, main) || !defines_main(text));
        }
        (None, [] | [_]) => {}
        // Another function runs first, in a file without `main`.
        (None, _) if settings.entry.is_some() => modules.retain(|(_, text)| !defines_main(text)),
        (None, _) => {
            return Err(LoadError::plain(format!("error: {} files define `main`\n{}", mains.len(), listed())));
        }
    }
    Ok(())
}

fn translate(
    file: &str,
    text: &str,
    options: &[String],
    settings: &Settings,
    stop: &mut dyn FnMut(u64) -> Option<StopReason>,
) -> Result<String, LoadError> {
    let told = |error: ClangError| match error {
        ClangError::Stopped(reason) => LoadError::Stopped(reason),
        // A name must not look like a line of ours.
        error => LoadError::plain(error.to_string().replace(file, &shown(file))),
    };
    let defines = settings.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
    let options: Vec<String> = options.iter().cloned().chain(defines).chain(settings.clang.iter().cloned()).collect();
    Clang::find().map_err(told)?.translate_within(file, &options, is_preprocessed(text), stop).map_err(told)
}

/// Whether a file has the types of a C library in it, since the preprocessor has run.
fn is_preprocessed(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("# 1 \"")) || text.contains("typedef union pthread_attr_t pthread_attr_t;")
}
