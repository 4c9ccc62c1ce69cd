//! Apps with the libraries that they include, which stand in other files of the same collection.

use crate::load::LoadError;
use crate::read::is_open_to_us;
use crate::{file_trouble, read_text};
use mazurka::report::terminal::name as shown;
use mazurka_home::{included, library_name, with_libraries};
use std::fs;
use std::path::{Path, PathBuf};

/// How many folders above an app are looked into, and how many files at most.
const MOST_FOLDERS_ABOVE: usize = 4;
const MOST_FILES: usize = 3_000;
/// No library is larger.
const MOST_BYTES: u64 = 4 << 20;

/// Reads an app with its libraries, which are looked for in these folders, in that of the app and in those above it, up to
/// that of a repository.
pub fn read_app(file: &str, folders: &[String]) -> Result<String, LoadError> {
    let text = read_text(file, "an app")?;
    if included(&text).is_empty() {
        return Ok(text);
    }
    let mut known: Vec<(String, String, String)> = Vec::new();
    let mut places = places(Path::new(file), folders)?.into_iter();
    let mut libraries: Vec<(String, String)> = Vec::new();
    let mut open: Vec<(String, usize, String)> =
        included(&text).into_iter().map(|(line, name)| (file.to_owned(), line, name)).collect();
    let mut done: Vec<String> = Vec::new();
    while let Some((from, line, name)) = open.pop() {
        if done.contains(&name) {
            continue;
        }
        let library = loop {
            if let Some((_, file, text)) = known.iter().find(|(known, ..)| *known == name) {
                break (file.clone(), text.clone());
            }
            let Some(place) = places.next() else {
                return Err(LoadError::plain(format!(
                    "error: {}:{line}: there is no library {}\nexpected a .groovy file with library(name: …, namespace: …) near the app; --library DIR names another folder",
                    shown(&from),
                    shown(&name)
                )));
            };
            let mut spare = MOST_FILES;
            collect(&place, &mut spare, &mut known);
        };
        open.extend(included(&library.1).into_iter().map(|(line, name)| (library.0.clone(), line, name)));
        done.push(name);
        libraries.push(library);
    }
    Ok(with_libraries(&text, &libraries))
}

/// The folders in which libraries are looked for, the nearest first.
fn places(file: &Path, folders: &[String]) -> Result<Vec<PathBuf>, LoadError> {
    for folder in folders {
        if let Err(error) = fs::read_dir(folder) {
            let (folder, why) = (shown(folder), file_trouble(&error));
            return Err(LoadError::plain(format!(
                "error: --library {folder}: {why}\nexpected a folder with libraries"
            )));
        }
    }
    let mut places: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    for _ in 0..=MOST_FOLDERS_ABOVE {
        places.push(folder.clone());
        if folder.join(".git").exists() || !folder.pop() {
            break;
        }
    }
    places.retain(|place| is_open_to_us(place));
    Ok(places)
}

/// Adds the libraries below a folder: name, file and text.
fn collect(folder: &Path, spare: &mut usize, known: &mut Vec<(String, String, String)>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if *spare == 0 {
            return;
        }
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if path.is_dir() && !path.is_symlink() && !is_hidden {
            collect(&path, spare, known);
        } else if path.extension().is_some_and(|end| end == "groovy") {
            *spare -= 1;
            let is_small = fs::metadata(&path).is_ok_and(|data| data.is_file() && data.len() <= MOST_BYTES);
            let Some(text) = is_small.then(|| fs::read_to_string(&path).ok()).flatten() else { continue };
            if let Some(name) = library_name(&text)
                && !known.iter().any(|(known, ..)| *known == name)
            {
                known.push((name, path.display().to_string(), text));
            }
        }
    }
}
