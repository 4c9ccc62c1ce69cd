//! What the source says at a place: the line, and what the thing is called that is made or used there.
//!
//! A place is where a double was called. The names are read from the text, so they are guesses, and every caller has
//! another name to use. Nothing but words for people depends on them.

use crate::names::Site;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The lines of a file. Files are read once.
fn lines(file: &str) -> Option<Arc<[String]>> {
    type Files = HashMap<String, Option<Arc<[String]>>>;
    static FILES: Mutex<Option<Files>> = Mutex::new(None);
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    files.get_or_insert_with(HashMap::new).entry(file.to_owned()).or_insert_with(|| read(file)).clone()
}

/// The compiler names files from the root of the workspace, and tests run in the folder of their package.
fn read(file: &str) -> Option<Arc<[String]>> {
    let here = std::env::current_dir().ok()?;
    let text = here
        .ancestors()
        .map(|folder| folder.join(Path::new(file)))
        .find_map(|path: PathBuf| std::fs::read_to_string(path).ok())?;
    Some(text.lines().map(str::to_owned).collect())
}

/// The line at a place, without indentation.
pub(crate) fn line_at(site: Site) -> Option<String> {
    let lines = lines(site.file())?;
    Some(lines.get(site.line() as usize - 1)?.trim().to_owned())
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// What is made at a place is called by its field, by the `let` or `static` of its line, or by the type around it:
/// `Shared { hits: AtomicUsize::new(0) }`, `let hits = Arc::new(AtomicUsize::new(0))`, `Hits(AtomicUsize::new(0))`.
pub(crate) fn name_at(site: Site) -> Option<String> {
    let line = line_at(site)?;
    let name = field_at(site).or_else(|| declared(&line)).or_else(|| wrapper_at(site))?;
    is_name(&name).then_some(name)
}

/// The field whose value begins at a place, whatever wraps it.
fn field_at(site: Site) -> Option<String> {
    let lines = lines(site.file())?;
    let line = lines.get(site.line() as usize - 1)?;
    let mut before = line.get(..(site.column() as usize).checked_sub(1)?)?.trim_end();
    while let Some(call) = before.strip_suffix('(') {
        before = call.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '<' | '>')).trim_end();
    }
    let field = before.strip_suffix(':').filter(|rest| !rest.ends_with(':'))?.trim_end();
    let from = field.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    Some(field[from..].to_owned())
}

/// The type with one unnamed field whose value begins at a place: `Hits(AtomicUsize::new(0))`.
fn wrapper_at(site: Site) -> Option<String> {
    let lines = lines(site.file())?;
    let line = lines.get(site.line() as usize - 1)?;
    let before = line.get(..(site.column() as usize).checked_sub(1)?)?.trim_end().strip_suffix('(')?;
    let from = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    let name = &before[from..];
    let is_type = name.starts_with(char::is_uppercase) && !matches!(name, "Some" | "Ok" | "Err" | "Self");
    (is_type && !before[..from].ends_with("::")).then(|| name.to_owned())
}

fn declared(line: &str) -> Option<String> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let rest = ["let mut ", "let ", "static ", "const "].iter().find_map(|word| line.strip_prefix(word))?;
    Some(rest.split(['=', ':']).next()?.trim().to_owned())
}

/// What is used at a place is called by what stands before the dot of the call: `HITS.fetch_add(1, Relaxed)`.
pub(crate) fn receiver_at(site: Site) -> Option<String> {
    let lines = lines(site.file())?;
    let line = lines.get(site.line() as usize - 1)?;
    // The column is that of the method's name.
    let before = line.get(..(site.column() as usize).checked_sub(1)?)?.trim_end().strip_suffix('.')?;
    let from = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    let name = &before[from..];
    is_name(name).then(|| name.to_owned())
}
