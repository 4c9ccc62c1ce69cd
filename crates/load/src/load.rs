//! From files to something that can be checked. The kind of program is known by the file.

use crate::diagnostic;
use crate::hass::{HomeAssistant, Silenced, load_configuration};
use crate::home::HomeProgram;
use crate::include::{Files, identify};
use crate::library::read_app;
use crate::read_text;
use crate::settings::Settings;
use mazurka::lang::ast::{Item, Unit};
use mazurka::lang::{CompileError, Sources, compile_files};
use mazurka::report::accept::Accepted;
use mazurka::report::html::Source;
use mazurka::report::terminal::{name as shown, visible};
use mazurka::{Budget, Diagnostic, Fingerprint, MzProgram, StopReason, Subject};
use mazurka_droid::ReadError;
use mazurka_hass::config::{Configuration, Expectation};
use mazurka_home::{Home, HomeText};
use std::path::Path;

/// A program that was read from files.
pub struct Loaded {
    /// What reports call it: the files, as the user named them.
    pub name: String,
    /// The files.
    pub files: Vec<String>,
    /// The fingerprint of their contents.
    pub source: Fingerprint,
    /// Their contents, for reports.
    pub texts: Vec<Source>,
    /// The program.
    pub subject: Box<dyn Subject>,
}

/// Why there is no program.
#[derive(Clone, Debug)]
pub enum LoadError {
    /// The files are none: a text for people, ready to print.
    Wrong(String),
    /// A limit was reached, or a stop was asked for, before they were read.
    Stopped(StopReason),
}

impl LoadError {
    /// An error without colours, in which nothing steers a terminal.
    pub(crate) fn plain(text: impl AsRef<str>) -> Self {
        LoadError::Wrong(visible(text.as_ref(), false).into_owned())
    }
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::Wrong(text) => f.write_str(text.trim_end()),
            LoadError::Stopped(reason) => write!(f, "error: {} while the program was read", reason.words()),
        }
    }
}

impl std::error::Error for LoadError {}

/// The kinds of programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A `.mz` file.
    Mz,
    /// Apps of a smart home: `.groovy` files.
    Home,
    /// A C program: `.c` files, `.i` files, which are preprocessed, or `.ll` files, which are LLVM IR as text.
    C,
    /// The configuration of Home Assistant: a folder with `configuration.yaml`, or `.yaml` files.
    HomeAssistant,
    /// A trace of an Android app, and the file of its dependences: `.txt` files.
    Trace,
}

impl Kind {
    /// The kind of program that a file belongs to, which its name tells.
    pub fn of(file: &str) -> Option<Kind> {
        if Path::new(file).join("configuration.yaml").is_file() {
            return Some(Kind::HomeAssistant);
        }
        match Path::new(file).extension()?.to_str()? {
            "mz" => Some(Kind::Mz),
            "groovy" => Some(Kind::Home),
            "c" | "i" | "ll" => Some(Kind::C),
            "txt" => Some(Kind::Trace),
            "yaml" | "yml" => Some(Kind::HomeAssistant),
            _ => None,
        }
    }
}

/// Reads a program.
pub fn load(files: &[String], settings: &Settings, colour: bool) -> Result<Loaded, LoadError> {
    load_within(files, settings, colour, &Budget::default())
}

/// Reads a program within the budget of its check: to install the apps of a home is to run them.
pub fn load_within(files: &[String], settings: &Settings, colour: bool, budget: &Budget) -> Result<Loaded, LoadError> {
    // A database names the files.
    let is_database = files.is_empty() && settings.compile_commands.is_some();
    let kind = if is_database { Kind::C } else { kind_of_all(files)? };
    settings.refuse_others(kind).map_err(LoadError::plain)?;
    match kind {
        Kind::Mz => load_mz(files, settings, colour),
        Kind::Home => load_home(files, settings, colour, budget),
        Kind::C => crate::c::load_c(files, settings, colour, budget),
        Kind::HomeAssistant => load_home_assistant(files, settings),
        Kind::Trace => load_trace(&files[0], files.get(1).or(settings.dependence.as_ref()), colour),
    }
}

fn kind_of_all(files: &[String]) -> Result<Kind, LoadError> {
    let mut kinds = Vec::new();
    for file in files {
        kinds.push(Kind::of(file).ok_or_else(|| {
            let trouble = match Path::new(file).exists() {
                true => "not a known kind of program",
                false => "there is no such file or folder",
            };
            LoadError::plain(format!(
                "error: {}: {trouble}\nexpected a file that ends in .mz, .c, .i, .ll or .groovy, a trace that ends in .txt, or the folder or a .yaml file of Home Assistant",
                shown(file)
            ))
        })?);
    }
    match kinds[..] {
        [] => Err(LoadError::Wrong(
            "error: no files were given\nexpected a .mz file, C files, .groovy files or a trace".to_owned(),
        )),
        [Kind::Mz] => Ok(Kind::Mz),
        [Kind::Trace] | [Kind::Trace, Kind::Trace] => Ok(Kind::Trace),
        _ if kinds.iter().all(|&kind| kind == Kind::Home) => Ok(Kind::Home),
        _ if kinds.iter().all(|&kind| kind == Kind::C) => Ok(Kind::C),
        _ if kinds.iter().all(|&kind| kind == Kind::HomeAssistant) => Ok(Kind::HomeAssistant),
        _ => Err(LoadError::plain(format!(
            "error: these {} files do not make one program\nexpected one .mz file, C files only, .groovy files only, or a trace and the file of its dependences",
            files.len()
        ))),
    }
}

fn load_mz(files: &[String], settings: &Settings, colour: bool) -> Result<Loaded, LoadError> {
    let file = &files[0];
    let source = read_text(file, "a .mz file")?;
    let (sources, unit) = Sources::read(identify(file), &source, &mut Files);
    let unit = unit.map_err(|error| LoadError::Wrong(render_errors(&sources, &[error], colour)))?;
    refuse_nothing(file, &unit)?;
    let program = compile_files(&sources, &unit, &settings.defines).map_err(|error| match error {
        CompileError::Source(diagnostics) => LoadError::Wrong(render_errors(&sources, &diagnostics, colour)),
        CompileError::UnknownConstant { name, known } => LoadError::plain(unknown_constant(file, &name, &known)),
    })?;
    // The fingerprint of a program in one file is that of the file.
    let contents: Vec<&str> = sources.files().map(|(_, text)| text).collect();
    let own = |(name, text): (&str, &str)| Source { file: name.to_owned(), text: text.to_owned() };
    Ok(Loaded {
        name: file.to_owned(),
        files: vec![file.to_owned()],
        source: Fingerprint::of_bytes(contents.join("\0").as_bytes()),
        texts: sources.files().map(own).collect(),
        subject: Box::new(MzProgram::new(program)),
    })
}

/// Shows errors, each in the file that it is about.
fn render_errors(sources: &Sources, errors: &[Diagnostic], colour: bool) -> String {
    let files: Vec<(&str, &str)> = sources.files().collect();
    let located: Vec<(usize, Diagnostic)> = errors.iter().map(|error| sources.locate(error)).collect();
    let of_one_file = located.chunk_by(|one, next| one.0 == next.0);
    let told = of_one_file.map(|errors| {
        let (name, text) = files[errors[0].0];
        let errors: Vec<Diagnostic> = errors.iter().map(|error| error.1.clone()).collect();
        diagnostic::render(name, text, &errors, colour)
    });
    told.collect::<Vec<_>>().join("\n")
}

/// Reads a configuration of Home Assistant, with rules of the command line. One without automations is refused.
pub fn load_home_with(files: &[String], never: &[String]) -> Result<Configuration, LoadError> {
    let mut configuration = load_configuration(files)?;
    for rule in never {
        let text = format!("never {rule}");
        let expectation = Expectation::parse(&text, &text, None)
            .map_err(|expected| LoadError::plain(format!("error: --never {}\n{expected}", shown(rule))))?;
        configuration.expectations.push(expectation);
    }
    refuse_no_automation(files, &configuration)?;
    Ok(configuration)
}

fn load_home_assistant(files: &[String], settings: &Settings) -> Result<Loaded, LoadError> {
    let configuration = load_home_with(files, &settings.never)?;
    let silenced = Silenced { ignored: settings.ignored.clone(), accepted: accepted(settings)? };
    for name in &settings.ignored {
        if !configuration.automations.iter().any(|known| known.name == *name || known.entity == *name) {
            return Err(no_automation("--ignore", name));
        }
    }
    let texts: Vec<Source> = configuration
        .sources
        .iter()
        .map(|source| Source { file: source.path.clone(), text: source.text.clone() })
        .collect();
    let contents: Vec<&str> = texts.iter().map(|source| source.text.as_str()).collect();
    let source = Fingerprint::of_bytes(contents.join("\0").as_bytes());
    let home = |configuration, unavailable| {
        let takeovers = settings.takeovers;
        let options = mazurka_hass::Options { unavailable, takeovers, ..mazurka_hass::Options::default() };
        match &settings.expectation {
            Some(name) => mazurka_hass::Home::expecting(configuration, name, &options).map_err(|name| {
                let expected = "expected the name of one that stands in mazurka.yaml";
                LoadError::plain(format!(
                    "error: --expectation {}: there is no such expectation\n{expected}",
                    shown(&name)
                ))
            }),
            None => mazurka_hass::Home::new(configuration, &settings.automations, &options)
                .map_err(|name| no_automation("--automation", &name)),
        }
    };
    let (home, shaky) = (home(configuration.clone(), false)?, home(configuration, true)?);
    let subject = Box::new(HomeAssistant::new(home, shaky, silenced));
    Ok(Loaded { name: files.join(" + "), files: files.to_vec(), source, texts, subject })
}

fn no_automation(option: &str, name: &str) -> LoadError {
    let expected = "expected its alias or its entity; `mazurka apps` lists them";
    LoadError::plain(format!("error: {option} {}: there is no such automation\n{expected}", shown(name)))
}

/// A configuration of which no automation could be read is not a pass.
fn refuse_no_automation(files: &[String], configuration: &Configuration) -> Result<(), LoadError> {
    if !configuration.automations.is_empty() {
        return Ok(());
    }
    let trouble = match (configuration.broken.first(), configuration.problems.first()) {
        (Some(broken), _) => {
            let problem = &broken.problem;
            let place = configuration.shown(problem.place);
            format!("no automation could be read; the first one at {place}: {}\n{}", problem.message, problem.expected)
        }
        (None, Some(problem)) => {
            let place = configuration.shown(problem.place);
            format!("there is no automation; at {place}: {}\n{}", problem.message, problem.expected)
        }
        (None, None) => "there is no automation\nexpected automations under `automation:`, in packages or in files that are included".to_owned(),
    };
    Err(LoadError::plain(format!("error: {}: {trouble}", shown(&files.join(" + ")))))
}

/// The list of accepted findings, if there is one.
fn accepted(settings: &Settings) -> Result<Option<Accepted>, LoadError> {
    let Some(file) = &settings.accepted else { return Ok(None) };
    let text = read_text(file, "a list of accepted findings")?;
    Accepted::parse(file, &text).map(Some).map_err(|error| LoadError::plain(format!("error: {error}")))
}

/// The home that some apps make, for those who ask more of it than a search does.
pub fn read_home(files: &[String], settings: &Settings, colour: bool, budget: &Budget) -> Result<Home, LoadError> {
    home_of(files, settings, colour, budget).map(|(home, ..)| home)
}

fn load_home(files: &[String], settings: &Settings, colour: bool, budget: &Budget) -> Result<Loaded, LoadError> {
    let (home, sources, text) = home_of(files, settings, colour, budget)?;
    Ok(Loaded {
        name: files.join(" + "),
        files: files.to_vec(),
        source: Fingerprint::of_bytes(text.as_bytes()),
        texts: sources.into_iter().map(|(file, text)| Source { file, text }).collect(),
        subject: Box::new(HomeProgram::new(home)),
    })
}

/// The names of apps' files, and what stands in them.
type AppTexts = Vec<(String, String)>;

/// A home, the texts of its apps, and everything that was read, in one text.
fn home_of(
    files: &[String],
    settings: &Settings,
    colour: bool,
    budget: &Budget,
) -> Result<(Home, AppTexts, String), LoadError> {
    let mut sources = AppTexts::new();
    for file in files {
        sources.push((file.clone(), read_app(file, &settings.libraries)?));
    }
    let home = match &settings.home {
        Some(file) => Some(HomeText { file: file.clone(), text: read_text(file, "a description of a home")? }),
        None => None,
    };
    let mut text: String = sources.iter().flat_map(|(_, source)| [source.as_str(), "\0"]).collect();
    text += home.as_ref().map_or("", |home| &home.text);
    let home = Home::load_within(&sources, &settings.of_home(home), budget).map_err(|faults| {
        let told =
            faults.iter().map(|faults| diagnostic::render(&faults.file, &faults.source, &faults.diagnostics, colour));
        LoadError::Wrong(told.collect())
    })?;
    Ok((home, sources, text))
}

/// The file of dependences that is looked for beside a trace.
pub(crate) const DEPENDENCE: &str = "dependence.txt";

fn load_trace(file: &str, dependence: Option<&String>, colour: bool) -> Result<Loaded, LoadError> {
    let beside = Path::new(file).with_file_name(DEPENDENCE);
    let dependence = dependence.cloned().or_else(|| beside.is_file().then(|| beside.display().to_string()));
    let trace = read_text(file, "a trace")?;
    let edges = dependence.as_ref().map(|name| read_text(name, "a file of dependences")).transpose()?;
    let recording = mazurka_droid::read(file, &trace, edges.as_deref()).map_err(|error| {
        let (name, text, diagnostics) = match &error {
            ReadError::Trace(diagnostics) => (file, trace.as_str(), diagnostics),
            ReadError::Dependence(diagnostics) => {
                (dependence.as_deref().unwrap_or_default(), edges.as_deref().unwrap_or_default(), diagnostics)
            }
        };
        LoadError::Wrong(diagnostic::render(name, text, diagnostics, colour))
    })?;
    let texts = vec![Source { file: file.to_owned(), text: trace.clone() }];
    let mut contents = trace.into_bytes();
    contents.extend(edges.unwrap_or_default().into_bytes());
    Ok(Loaded {
        name: file.to_owned(),
        files: [file.to_owned()].into_iter().chain(dependence).collect(),
        source: Fingerprint::of_bytes(&contents),
        texts,
        subject: Box::new(recording),
    })
}

fn unknown_constant(file: &str, name: &str, known: &[String]) -> String {
    let expected = if known.is_empty() {
        "the program has no constants".to_owned()
    } else {
        format!("expected one of its constants: {}", known.join(", "))
    };
    format!("error: -D {}: {} has no constant of that name\n{expected}", shown(name), shown(file))
}

/// A program in which no actor can ever move has nothing that could be checked: an empty file is not a pass.
fn refuse_nothing(file: &str, unit: &Unit) -> Result<(), LoadError> {
    if unit.items.iter().any(|item| matches!(item, Item::Thread { .. } | Item::Event { .. })) {
        return Ok(());
    }
    Err(LoadError::plain(format!(
        "error: {}: the program has no thread and no event, so nothing can happen\n\
         expected at least one `thread` or `event`",
        shown(file)
    )))
}
