//! From files to something that can be checked. The kind of program is known by the file.

use crate::subject::{MzProgram, Subject};
use mazurka_core::Fingerprint;
use mazurka_droid::ReadError;
use mazurka_lang::ast::Item;
use mazurka_lang::{CompileError, compile, parse};
use mazurka_report::diagnostic;
use std::fs;
use std::io;
use std::path::Path;

/// A program that was read from files.
pub struct Loaded {
    /// What reports call it: the files, as the user named them.
    pub name: String,
    /// The files.
    pub files: Vec<String>,
    /// The fingerprint of their contents.
    pub source: Fingerprint,
    /// The program.
    pub subject: Box<dyn Subject>,
}

/// Why files are not a program: a text for people, ready to print.
#[derive(Clone, Debug)]
pub struct LoadError(pub String);

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.trim_end())
    }
}

impl std::error::Error for LoadError {}

/// Reads a program: a `.mz` file, or a trace and the file of its dependences. A `dependence.txt` beside a trace is found
/// without being named. `defines` sets constants of a `.mz` program.
pub fn load(files: &[String], defines: &[(String, i64)], colour: bool) -> Result<Loaded, LoadError> {
    let extension = |file: &String| Path::new(file).extension().map(|extension| extension.to_ascii_lowercase());
    match files {
        [file] if extension(file).is_some_and(|extension| extension == "mz") => load_mz(file, defines, colour),
        [file, rest @ ..] if rest.len() < 2 && extension(file).is_some_and(|extension| extension == "txt") => {
            load_trace(file, rest.first(), defines, colour)
        }
        [file] => Err(LoadError(format!(
            "error: {file}: not a kind of program that is known here\n\
             expected a file that ends in .mz, or a trace that ends in .txt"
        ))),
        _ => Err(LoadError(format!(
            "error: {} files were given\nexpected one .mz file, or a trace and the file of its dependences",
            files.len()
        ))),
    }
}

fn load_mz(file: &str, defines: &[(String, i64)], colour: bool) -> Result<Loaded, LoadError> {
    let source = read(file, "a .mz file")?;
    refuse_nothing(file, &source)?;
    let program = compile(file, &source, defines).map_err(|error| match error {
        CompileError::Source(diagnostics) => LoadError(diagnostic::render(file, &source, &diagnostics, colour)),
        CompileError::UnknownConstant { name, known } => LoadError(unknown_constant(file, &name, &known)),
    })?;
    Ok(Loaded {
        name: file.to_owned(),
        files: vec![file.to_owned()],
        source: Fingerprint::of_bytes(source.as_bytes()),
        subject: Box::new(MzProgram::new(program)),
    })
}

/// The file of dependences that is looked for beside a trace.
const DEPENDENCE: &str = "dependence.txt";

fn load_trace(
    file: &str,
    dependence: Option<&String>,
    defines: &[(String, i64)],
    colour: bool,
) -> Result<Loaded, LoadError> {
    if let Some((name, _)) = defines.first() {
        return Err(LoadError(unknown_constant(file, name, &[])));
    }
    let beside = Path::new(file).with_file_name(DEPENDENCE);
    let dependence = dependence.cloned().or_else(|| beside.is_file().then(|| beside.display().to_string()));
    let trace = read(file, "a trace")?;
    let edges = dependence.as_ref().map(|name| read(name, "a file of dependences")).transpose()?;
    let recording = mazurka_droid::read(file, &trace, edges.as_deref()).map_err(|error| {
        let (name, text, diagnostics) = match &error {
            ReadError::Trace(diagnostics) => (file, trace.as_str(), diagnostics),
            ReadError::Dependence(diagnostics) => {
                (dependence.as_deref().unwrap_or_default(), edges.as_deref().unwrap_or_default(), diagnostics)
            }
        };
        LoadError(diagnostic::render(name, text, diagnostics, colour))
    })?;
    let mut contents = trace.into_bytes();
    contents.extend(edges.unwrap_or_default().into_bytes());
    Ok(Loaded {
        name: file.to_owned(),
        files: [file.to_owned()].into_iter().chain(dependence).collect(),
        source: Fingerprint::of_bytes(&contents),
        subject: Box::new(recording),
    })
}

fn unknown_constant(file: &str, name: &str, known: &[String]) -> String {
    let expected = if known.is_empty() {
        "the program has no constants".to_owned()
    } else {
        format!("expected one of its constants: {}", known.join(", "))
    };
    format!("error: -D {name}: {file} has no constant of that name\n{expected}")
}

/// A program in which nobody can ever move has nothing that could be checked: an empty file is not a pass.
fn refuse_nothing(file: &str, source: &str) -> Result<(), LoadError> {
    let can_move = |item: &Item| matches!(item, Item::Thread { .. } | Item::Event { .. });
    match parse(source) {
        Ok(unit) if !unit.items.iter().any(can_move) => Err(LoadError(format!(
            "error: {file}: the program has no thread and no event, so nothing can happen\n\
             expected at least one `thread` or `event`"
        ))),
        _ => Ok(()),
    }
}

/// What the system says of a file that cannot be used, in our words where they are clearer.
pub fn file_trouble(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::IsADirectory => "this is a folder".to_owned(),
        io::ErrorKind::PermissionDenied => "access is denied".to_owned(),
        _ => error.to_string(),
    }
}

fn read(file: &str, kind: &str) -> Result<String, LoadError> {
    let bytes = fs::read(file).map_err(|error| {
        LoadError(format!("error: {file}: {}\nexpected {kind} that can be read", file_trouble(&error)))
    })?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count() + 1;
        LoadError(format!("error: {file}:{line}: byte {valid} is not UTF-8\nexpected a text file"))
    })
}
