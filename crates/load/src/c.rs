//! C programs as something that can be checked: clang is called, and the program is made of what it prints.

use crate::compile_commands::{self, Entry, is_same};
use crate::diagnostic;
use crate::load::{LoadError, Loaded};
use crate::read_text;
use crate::settings::Settings;
use mazurka::engines::{Options, explore};
use mazurka::report::html::Source;
use mazurka::report::terminal::visible;
use mazurka::report::{Basis, Considered, Site};
use mazurka::{Engine, Exploration, Fingerprint, Found, Meter, Observer, Subject, Verdict};
use mazurka_c::clang::{Clang, ClangError};
use mazurka_c::{Identity, Model, Program};
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

    /// Whether an engine follows executions from their beginning to their end, so that races are seen along them.
    fn sees_races(engine: Engine) -> bool {
        matches!(engine, Engine::Dpor | Engine::Optimal | Engine::Event | Engine::Enumerate)
    }

    /// Who compares states does not see races. Where nothing else is wrong, executions are followed as well, as far as that
    /// goes: what is found counts.
    fn look_for_races(&self, exploration: Exploration, options: &Options, observer: &mut dyn Observer) -> Exploration {
        if exploration.verdict != Verdict::Verified {
            return exploration;
        }
        let mut limited = options.clone();
        limited.threads = 1;
        limited.budget.size = Some(mazurka::engines::STAGE_SIZE);
        let spent = std::time::Duration::from_secs_f64(exploration.statistics.seconds.max(0.0));
        limited.budget.time = options.budget.time.map(|time| time.saturating_sub(spent));
        let engine = if self.traits().any_mailboxes { Engine::Event } else { Engine::Optimal };
        let raced = explore(engine, &self.following, &limited, observer);
        if raced.verdict == Verdict::Verified {
            self.has_no_race.store(true, Ordering::Relaxed);
        }
        let is_race = |found: &Found| found.violation.kind == mazurka::ViolationKind::Race;
        let races: Vec<Found> = raced.violations.into_iter().filter(is_race).collect();
        if races.is_empty() {
            return exploration;
        }
        Exploration::conclude(exploration.stop, exploration.cut, races, exploration.statistics)
    }

    /// The same violation in lasting names.
    fn retell(&self, found: &Found) -> Option<Found> {
        let schedule = Model::retell(&self.by_presence, &self.by_history, &found.schedule)?;
        let violations = Subject::replay(&self.by_history, &schedule)?;
        let violation = violations.into_iter().find(|violation| violation.same_site(&found.violation))?;
        Some(Found { violation, schedule })
    }
}

impl Subject for CProgram {
    fn inner(&self) -> &dyn Subject {
        &self.with_races
    }

    fn explore(&self, engine: Engine, options: &Options, observer: &mut dyn Observer) -> Exploration {
        if engine.present_identity() {
            let mut exploration = explore(engine, &self.by_presence, options, observer);
            let retell = |found: &Found| self.retell(found).unwrap_or_else(|| found.clone());
            exploration.violations = exploration.violations.iter().map(retell).collect();
            self.look_for_races(exploration, options, observer)
        } else if Self::sees_races(engine) {
            explore(engine, &self.following, options, observer)
        } else {
            explore(engine, &self.by_history, options, observer)
        }
    }

    fn growth(&self, meter: &Meter) -> Option<usize> {
        Subject::growth(&self.by_presence, meter)
    }

    fn basis(&self, exploration: &Exploration) -> Basis {
        let program = self.by_history.program();
        let mut excluded = vec!["fails an assertion", "crashes", "deadlocks"];
        // Without states, executions were followed, and with them the clocks.
        let has_states = exploration.statistics.get(mazurka::Counter::States).is_some();
        let followed = !has_states || self.has_no_race.load(Ordering::Relaxed);
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
        if let Some((from, to)) = program.explored_values() {
            consider("values", format!("{from} to {to} for what is not known"));
        }
        let mut blocked = [&self.by_presence, &self.by_history].map(Model::blocked_at).concat();
        blocked.sort();
        blocked.dedup();
        let site = |text: &'static str| move |location| Site { text: text.to_owned(), location: Some(location) };
        let assumed = blocked.into_iter().map(site("an assumption"));
        let spun = self.by_history.spun_at().into_iter().map(site("a loop that waits for what does not come"));
        let blocked_at = assumed.chain(spun).collect();
        Basis { considered, blocked_at, stated: program.assertions(), ..Basis::excluding(excluded) }
    }
}

/// Reads the files of a C program.
pub(crate) fn load_c(files: &[String], settings: &Settings, colour: bool) -> Result<Loaded, LoadError> {
    let mut texts = Vec::new();
    let mut modules = Vec::new();
    for Entry { file, options } in entries(files, settings)? {
        let text = read_text(&file, "a C file")?;
        let module =
            if has_extension(&file, "ll") { text.clone() } else { translate(&file, &text, &options, settings)? };
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
            return LoadError::plain(format!("error: {}: {message}\n{label}", error.file));
        }
        LoadError(diagnostic::render(&error.file, text, &[error.diagnostic], colour))
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

fn translate(file: &str, text: &str, options: &[String], settings: &Settings) -> Result<String, LoadError> {
    let told = |error: ClangError| LoadError(visible(&error.to_string(), false).into_owned());
    let defines = settings.defines.iter().map(|(name, value)| format!("-D{name}={value}"));
    let options: Vec<String> = options.iter().cloned().chain(defines).chain(settings.clang.iter().cloned()).collect();
    let clang = Clang::find().map_err(told)?;
    if is_preprocessed(text) { clang.translate_preprocessed(file, &options) } else { clang.translate(file, &options) }
        .map_err(told)
}

/// Whether a file has the types of a C library in it: whoever made it ran the preprocessor.
fn is_preprocessed(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("# 1 \"")) || text.contains("typedef union pthread_attr_t pthread_attr_t;")
}
