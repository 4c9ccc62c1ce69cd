//! Programs that travel: the files that a check needs, so that it can run where they are not.

use crate::LoadError;
use crate::c::intermediate;
use crate::hass::load_configuration_from;
use crate::include::{Files, identify};
use crate::library::read_app;
use crate::load::{DEPENDENCE, Kind};
use crate::read::{read_bytes, read_text};
use mazurka::lang::Sources;
use mazurka::report::terminal::name as shown;
use mazurka::{Budget, Fingerprint};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// What a file of intermediate code is called, beside the C file that it was made of.
pub(crate) const INTERMEDIATE: &str = ".ll";

/// What the folders are called in which the files of a job are, with a number after it. No sentence of a report has such a
/// word in it by chance: where it is shown, the name that the user gave takes its place.
pub const JOB_FOLDER: &str = "job-files-";

/// Files by their places.
pub type FilesByPlace = BTreeMap<String, Vec<u8>>;

/// What tells files from others.
pub fn fingerprint_of(files: &FilesByPlace) -> Fingerprint {
    let mut bytes = Vec::new();
    for (place, contents) in files {
        for part in [place.as_bytes(), contents] {
            bytes.extend((part.len() as u64).to_be_bytes());
            bytes.extend(part);
        }
    }
    Fingerprint::of_bytes(&bytes)
}

/// The files of a program, with their places in a folder that has nothing else in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// Where the files are that a check is given, in that folder; the empty path is the folder itself.
    pub given: Vec<String>,
    /// All files by their places. A place that ends with a slash is a folder.
    pub files: FilesByPlace,
}

impl Bundle {
    /// The files of a program that consists of these, which are all of one kind. `folders` are further ones with libraries
    /// of apps.
    pub fn of(given: &[String], folders: &[String]) -> Result<Bundle, LoadError> {
        match given.first().and_then(|first| Kind::of(first)) {
            Some(Kind::HomeAssistant) => of_configuration(given),
            Some(Kind::Mz) => of_mz(&given[0]),
            Some(Kind::Home) => Ok(alone(&given[0], read_app(&given[0], folders)?.into_bytes())),
            Some(Kind::C) => of_c(&given[0]),
            Some(Kind::Trace) => of_trace(&given[0]),
            None => {
                let name = given.first().map_or("", String::as_str);
                Ok(alone(name, read_text(name, "a program")?.into_bytes()))
            }
        }
    }
}

/// One file in its folder.
fn alone(path: &str, contents: Vec<u8>) -> Bundle {
    let name = name_of(path);
    Bundle { given: vec![name.clone()], files: BTreeMap::from([(name, contents)]) }
}

fn name_of(path: &str) -> String {
    Path::new(path).file_name().map_or_else(|| "program".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// A `.mz` program with what it includes: files see each other as they do where they come from.
fn of_mz(path: &str) -> Result<Bundle, LoadError> {
    let text = read_text(path, "a .mz file")?;
    // What is wrong with the program is for its check to say.
    let (sources, _) = Sources::read(identify(path), &text, &mut Files);
    let places: Vec<(PathBuf, Vec<u8>)> =
        sources.files().map(|(name, text)| (straight(Path::new(name)), text.as_bytes().to_vec())).collect();
    let mut shared = places[0].0.parent().map(Path::to_owned).unwrap_or_default();
    while !places.iter().all(|(place, _)| place.starts_with(&shared)) && shared.pop() {}
    let within = |place: &Path| place.strip_prefix(&shared).unwrap_or(place).to_string_lossy().into_owned();
    let given = vec![within(&places[0].0)];
    Ok(Bundle { given, files: places.into_iter().map(|(place, text)| (within(&place), text)).collect() })
}

/// A path from the root, without detours.
fn straight(path: &Path) -> PathBuf {
    let whole = std::env::current_dir().unwrap_or_default().join(path);
    let mut straight = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::ParentDir => drop(straight.pop()),
            Component::CurDir => {}
            part => straight.push(part),
        }
    }
    straight
}

/// A C file with what clang makes of it, so that no compiler is needed elsewhere.
fn of_c(path: &str) -> Result<Bundle, LoadError> {
    let text = read_text(path, "a C file")?;
    let mut bundle = alone(path, text.clone().into_bytes());
    if Path::new(path).extension().is_some_and(|end| end != "ll") {
        let name = name_of(path);
        let [old, new] = [path, &format!("{JOB_FOLDER}0/{name}")].map(|file| format!("ilename: \"{file}\""));
        let module = intermediate(path, &text, &Budget::default())?.replace(&old, &new);
        bundle.files.insert(name + INTERMEDIATE, module.into_bytes());
    }
    Ok(bundle)
}

/// A trace, and the file with its dependences if that stands beside it.
fn of_trace(path: &str) -> Result<Bundle, LoadError> {
    let mut bundle = alone(path, read_text(path, "a trace")?.into_bytes());
    let beside = Path::new(path).with_file_name(DEPENDENCE);
    if beside.is_file() {
        let edges = read_bytes(&beside).map_err(|why| {
            let name = shown(&beside.display().to_string()).into_owned();
            LoadError::plain(format!("error: {name}: {why}\nexpected a file of dependences that can be read"))
        })?;
        bundle.files.insert(DEPENDENCE.to_owned(), edges);
    }
    Ok(bundle)
}

/// The file with what only its home may know.
const SECRETS: &str = "secrets.yaml";

/// The secrets that name an entity: on these the checks of automations depend. Passwords and keys stay at home.
fn named_entities(secrets: &str) -> String {
    let is_word = |text: &str| {
        !text.is_empty() && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
    };
    let names_entity = |line: &&str| {
        let value = line.split_once(": ").map_or("", |(_, value)| value.trim().trim_matches(['"', '\'']));
        value.split_once('.').is_some_and(|(domain, name)| {
            is_word(domain) && is_word(name) && !domain.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    secrets.lines().filter(names_entity).flat_map(|line| [line, "\n"]).collect()
}

/// A configuration of Home Assistant: all that is read of it, and the folders that are listed.
fn of_configuration(given: &[String]) -> Result<Bundle, LoadError> {
    let mut files = BTreeMap::new();
    load_configuration_from(given, &mut |place, contents| {
        let place = place.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/");
        match contents {
            Some(text) if name_of(&place) == SECRETS => files.insert(place, named_entities(text).into_bytes()),
            Some(text) => files.insert(place, text.as_bytes().to_vec()),
            None => files.insert(format!("{place}/"), Vec::new()),
        };
    })?;
    let is_folder = given.len() == 1 && Path::new(&given[0]).is_dir();
    let first = Path::new(&given[0]).parent().unwrap_or(Path::new(""));
    let place = |path: &String| match is_folder {
        true => String::new(),
        false => Path::new(path).strip_prefix(first).map_or_else(|_| name_of(path), |rest| rest.display().to_string()),
    };
    Ok(Bundle { given: given.iter().map(place).collect(), files })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("mazurka-bundle-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("a/b")).expect("a folder can be made");
        folder
    }

    fn bundle(path: &Path) -> Bundle {
        Bundle::of(&[path.display().to_string()], &[]).expect("it is a program")
    }

    #[test]
    fn what_a_program_includes_comes_with_it() {
        let folder = folder("include");
        let write = |place: &str, text: &str| fs::write(folder.join(place), text).expect("it can be written");
        write("a/b/main.mz", "include \"../part.mz\"; thread t { x = 1; }");
        write("a/part.mz", "shared x = 0;");
        write("a/other.mz", "shared y = 0;");
        let found = bundle(&folder.join("a/b/../b/main.mz"));
        assert_eq!(found.given, ["b/main.mz"]);
        assert_eq!(found.files.keys().collect::<Vec<_>>(), ["b/main.mz", "part.mz"]);
        assert_eq!(found.files["part.mz"], b"shared x = 0;");
        // A program with a mistake travels as well: its check says what is wrong.
        write("a/b/main.mz", "thread {");
        assert_eq!(bundle(&folder.join("a/b/main.mz")).given, ["main.mz"]);
        let _ = fs::remove_dir_all(&folder);
    }

    #[test]
    fn of_a_home_only_what_is_read_travels_and_no_password() {
        let folder = folder("home");
        let write = |place: &str, text: &str| fs::write(folder.join(place), text).expect("it can be written");
        write("configuration.yaml", "automation: !include_dir_merge_list a\nlight: !secret lamp\napi: !secret key\n");
        write("secrets.yaml", "lamp: light.desk\nkey: \"s3cret.Word\"\npin: 1234\nurl: http://a.b\n");
        write("a/one.yaml", "- alias: One\n  triggers: []\n  actions: []\n");
        write("a/notes.txt", "mine");
        let found = bundle(&folder);
        assert_eq!(found.given, [""]);
        assert_eq!(found.files["secrets.yaml"], b"lamp: light.desk\n");
        let places: Vec<&str> = found.files.keys().map(String::as_str).collect();
        assert_eq!(places, ["a/", "a/b/", "a/one.yaml", "configuration.yaml", "secrets.yaml"]);
        let _ = fs::remove_dir_all(&folder);
    }
}
