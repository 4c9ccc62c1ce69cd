//! The files of smart-home apps that a command is given.

use anyhow::{Result, anyhow, bail};
use mazurka::report::terminal;
use mazurka_load::{Kind, file_trouble};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The apps among files and folders, each once, in the order of their names.
pub(crate) fn app_files(given: &[String]) -> Result<Vec<PathBuf>> {
    let mut files = BTreeSet::new();
    for given in given {
        let (path, name) = (Path::new(given), terminal::name(given));
        if fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            bail!(
                "error: {name}: there is no such file or folder\nexpected an app (.groovy), or a folder with apps in it"
            );
        } else if path.is_dir() {
            let before = files.len();
            apps_below(path, &mut files)?;
            if files.len() == before {
                bail!("error: {name}: there is no app in this folder\nexpected files that end in .groovy");
            }
        } else if path.extension().is_some_and(|extension| extension == "groovy") {
            files.insert(path.to_owned());
        } else {
            bail!("error: {name}: not an app\nexpected a file that ends in .groovy, or a folder with such files");
        }
    }
    Ok(files.into_iter().collect())
}

/// The programs among files and folders, each once, in the order of their names. A folder with `configuration.yaml` is a
/// program.
pub(crate) fn program_files(given: &[String]) -> Result<Vec<PathBuf>> {
    const EXPECTED: &str = "expected a program, or a folder with files that end in .mz, .c, .i, .ll or .groovy";
    let mut files = BTreeSet::new();
    for given in given {
        let (path, name) = (Path::new(given), terminal::name(given));
        if !path.is_dir() && Kind::of(given).is_none() {
            let why = if path.exists() { "not a known kind of program" } else { "there is no such file or folder" };
            bail!("error: {name}: {why}\n{EXPECTED}");
        }
        let before = files.len();
        programs_below(path, true, &mut files)?;
        if files.len() == before && path.is_dir() {
            bail!("error: {name}: there is no program in this folder\n{EXPECTED}");
        }
    }
    Ok(files.into_iter().collect())
}

fn programs_below(path: &Path, is_given: bool, files: &mut BTreeSet<PathBuf>) -> Result<()> {
    let kind = Kind::of(&path.to_string_lossy());
    if path.is_dir() && kind != Some(Kind::HomeAssistant) {
        if !is_given && path.is_symlink() {
            return Ok(());
        }
        for entry in fs::read_dir(path).map_err(|error| unreadable(path, &error))? {
            programs_below(&entry.map_err(|error| unreadable(path, &error))?.path(), false, files)?;
        }
    // A text file may be anything, and a .yaml file is a part of a configuration, unless it is named.
    } else if is_given || path.is_dir() || matches!(kind, Some(Kind::Mz | Kind::C | Kind::Home)) {
        files.insert(path.to_owned());
    }
    Ok(())
}

fn apps_below(folder: &Path, files: &mut BTreeSet<PathBuf>) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
    for entry in entries {
        let path = entry.map_err(|error| unreadable(folder, &error))?.path();
        if path.is_dir() && !path.is_symlink() {
            apps_below(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "groovy") {
            files.insert(path);
        }
    }
    Ok(())
}

/// What is said of a file that cannot be read.
fn unreadable(file: &Path, error: &io::Error) -> anyhow::Error {
    anyhow!("error: {}: {}\nexpected a file that can be read", terminal::path(file), file_trouble(error))
}
