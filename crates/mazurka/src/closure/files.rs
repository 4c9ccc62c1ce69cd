//! Where a failing test leaves its page and its schedule: in the folder `mazurka` of cargo's target folder.

use crate::check::Checked;
use mazurka_report::html::{self, Page, Source};
use std::collections::BTreeSet;
use std::fs;
use std::panic::Location;
use std::path::{Path, PathBuf};

/// The files of one test.
pub(super) struct Files {
    name: String,
    folder: Option<PathBuf>,
    /// The folder that holds the target folder, if that is where files go: reports name them from there.
    root: Option<PathBuf>,
}

impl Files {
    /// The files of the test that runs. libtest names its threads after tests, unless it runs them one after the other: then the
    /// function tells that the closure is in. Elsewhere the place of the call has to do.
    pub(super) fn of_test(name: Option<&str>, closure: &str, caller: &Location<'_>) -> Self {
        let thread = std::thread::current();
        let function = closure.strip_suffix("::{{closure}}").and_then(|path| path.split_once("::"));
        let function = function.map(|(_crate, function)| function).filter(|function| !function.contains(['{', '<']));
        let test = thread.name().filter(|name| *name != "main").or(function);
        let place = || {
            let file =
                Path::new(caller.file()).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
            format!("{file}-{}", caller.line())
        };
        let name = name.or(test).map_or_else(place, str::to_owned);
        let (folder, root) = folder().unzip();
        Files { name, folder, root: root.flatten() }
    }

    /// No files.
    pub(super) fn nowhere(name: Option<&str>) -> Self {
        Files { name: name.unwrap_or("the closure").to_owned(), folder: None, root: None }
    }

    /// What the test is called.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What selects the test, to follow `cargo test`.
    pub(super) fn filter(&self) -> String {
        if self.name.chars().any(char::is_whitespace) { String::new() } else { format!(" {}", self.name) }
    }

    /// The name as part of a file's.
    fn stem(&self) -> String {
        let fits = |c: char| if c.is_alphanumeric() || c == '_' || c == '-' { c } else { '.' };
        self.name.replace("::", ".").chars().map(fits).collect()
    }

    /// Writes a file, and says how it is called from the folder that holds the target folder. A test that cannot write a file still
    /// fails with its report.
    pub(super) fn save(&self, extension: &str, text: &str) -> Option<String> {
        let folder = self.folder.as_deref()?;
        let path = folder.join(format!("{}.{extension}", self.stem()));
        fs::create_dir_all(folder).ok()?;
        fs::write(&path, text).ok()?;
        let root = self.root.as_deref();
        let short = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(&path);
        Some(short.display().to_string())
    }

    /// The page of a check, with the sources that its stories name.
    pub(super) fn page(&self, checked: &Checked) -> String {
        let rows = checked.stories.iter().flat_map(|story| &story.rows).filter_map(|row| row.location.as_ref());
        let faults = checked.stories.iter().filter_map(|story| story.violation.location.as_ref());
        let names: BTreeSet<String> = rows.chain(faults).map(|location| location.file.to_string()).collect();
        let sources: Vec<Source> = names
            .into_iter()
            .filter_map(|file| {
                let text = fs::read_to_string(find(Path::new(&file))?).ok()?;
                Some(Source { file, text })
            })
            .collect();
        let report = checked.report();
        html::page(&Page { report: &report, sources: &sources, graph: None, up: None, unfolding: None })
    }
}

/// A file that is named from here or from a folder above: tests run in the folder of their package, and the compiler names files
/// from that of the workspace.
pub(super) fn find(path: &Path) -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|folder| folder.join(path)).find(|path| path.is_file())
}

/// `MAZURKA_REPORT_DIR`, or `mazurka` in the target folder, which cargo marks; and then also the folder that holds that one.
fn folder() -> Option<(PathBuf, Option<PathBuf>)> {
    if let Some(folder) = std::env::var_os("MAZURKA_REPORT_DIR").filter(|folder| !folder.is_empty()) {
        return Some((PathBuf::from(folder), None));
    }
    let is_target = |folder: &Path| folder.join("CACHEDIR.TAG").is_file();
    let test = std::env::current_exe().ok()?;
    let target = test.ancestors().find(|folder| is_target(folder)).map(Path::to_owned);
    // The binary of a doctest is elsewhere.
    let above = || {
        let here = std::env::current_dir().ok()?;
        here.ancestors().map(|folder| folder.join("target")).find(|folder| is_target(folder))
    };
    let target = target.or_else(above)?;
    Some((target.join("mazurka"), target.parent().map(Path::to_owned)))
}
