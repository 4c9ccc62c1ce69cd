//! Pages for a browser, written into a folder.

use anyhow::{Result, anyhow, bail};
use mazurka::file_trouble;
use mazurka::report::html::GENERATOR;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How far into a page one has to look to see whether it is ours.
const HEAD: usize = 400;

/// Writes `index.html` into a folder.
pub(crate) fn write(folder: &Path, page: &str) -> Result<PathBuf> {
    write_file(&folder.join("index.html"), page)
}

/// Writes a page into a folder, which is made if it is not there. A page of ours may be replaced, nothing else.
pub(crate) fn write_file(path: &Path, page: &str) -> Result<PathBuf> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let trouble = |error: io::Error| {
        let why = match error.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => "this is a file".to_owned(),
            _ => file_trouble(&error),
        };
        anyhow!("error: {}: {why}\nexpected a folder for the report", folder.display())
    };
    fs::create_dir_all(folder).map_err(trouble)?;
    if let Ok(bytes) = fs::read(path)
        && !String::from_utf8_lossy(&bytes[..bytes.len().min(HEAD)]).contains(GENERATOR)
    {
        bail!(
            "error: {}: exists and is not a report\nexpected a folder without a page of its own; --report DIR names another one",
            path.display()
        );
    }
    fs::write(path, page).map_err(trouble)?;
    Ok(path.to_owned())
}
