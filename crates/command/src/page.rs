//! Pages for a browser, written into a folder.

use crate::save::{SaveError, save};
use anyhow::{Result, anyhow};
use mazurka::report::html::GENERATOR;
use mazurka::report::terminal;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes `index.html` into a folder.
pub(crate) fn write(folder: &Path, page: &str) -> Result<PathBuf> {
    write_file(&folder.join("index.html"), page)
}

/// Writes a page into a folder, which is made if it is not there. A page of ours may be replaced, nothing else.
pub(crate) fn write_file(path: &Path, page: &str) -> Result<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let expected = "expected a folder for the report";
    let unusable = |why: &str| anyhow!("{}: {why}\n{expected}", terminal::path(folder));
    if folder.exists() && !folder.is_dir() {
        return Err(unusable("this is a file"));
    }
    fs::create_dir_all(folder).map_err(|error| unusable(&SaveError::why_of(&error)))?;
    save(path, page.as_bytes(), &is_page).map_err(|error| match error {
        SaveError::Taken => anyhow!(
            "{}: exists and is not a report\nexpected a folder without a page of its own; --report DIR names another one",
            terminal::path(path)
        ),
        SaveError::Io(error) => unusable(&SaveError::why_of(&error)),
    })?;
    Ok(path.to_owned())
}

/// Whether a file is a page of ours, or what an accident left of one: nothing.
fn is_page(beginning: &[u8]) -> bool {
    beginning.is_empty() || String::from_utf8_lossy(beginning).contains(GENERATOR)
}
