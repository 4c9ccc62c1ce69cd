//! The rules of `ARCHITECTURE.md` about which crate may know what, checked.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What stands in one section of a manifest: the names of dependencies.
fn dependencies(manifest: &Path, section: &str) -> Vec<String> {
    let text = fs::read_to_string(manifest).unwrap_or_else(|error| panic!("{}: {error}", manifest.display()));
    let lines = text.lines().skip_while(|line| *line != format!("[{section}]")).skip(1);
    let names = lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split(['.', ' ', '=']).next());
    names.filter(|name| !name.is_empty() && !name.starts_with('#')).map(str::to_owned).collect()
}

/// The crates of the workspace by the names of their folders, each with what it depends on.
fn crates() -> BTreeMap<String, Vec<String>> {
    let folders = fs::read_dir(root().join("crates")).expect("there are crates").map(|entry| entry.expect("a folder"));
    let name = |folder: &Path| folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let with_dependencies = |folder: PathBuf| (name(&folder), dependencies(&folder.join("Cargo.toml"), "dependencies"));
    folders.map(|entry| with_dependencies(entry.path())).collect()
}

/// Every source file below a folder, with its text.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder can be listed").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() {
            found.extend(sources(&entry));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&entry).expect("a source is text");
            found.push((entry, text));
        }
    }
    found
}

/// What each crate may know of ours beside `core`: nothing, but a home runs apps.
const KNOWN: [(&str, &[&str]); 8] = [
    ("c", &[]),
    ("droid", &[]),
    ("engines", &[]),
    ("groovy", &[]),
    ("home", &["mazurka-groovy"]),
    ("lang", &[]),
    ("model", &[]),
    ("report", &[]),
];

#[test]
fn core_depends_on_no_other_crate_of_ours() {
    let crates = crates();
    assert!(!crates["core"].iter().any(|name| name.starts_with("mazurka")), "{:?}", crates["core"]);
}

#[test]
fn engines_and_frontends_know_only_core() {
    let crates = crates();
    for (name, known) in KNOWN {
        let ours = crates[name].iter().filter(|name| name.starts_with("mazurka"));
        assert_eq!(ours.collect::<Vec<_>>(), [&["mazurka-core"], known].concat(), "{name}");
    }
}

#[test]
fn only_report_serialises() {
    for (name, dependencies) in crates() {
        let serialises = dependencies.iter().any(|name| name.starts_with("serde"));
        assert_eq!(serialises, name == "report", "{name}: {dependencies:?}");
    }
}

#[test]
fn only_the_command_touches_the_terminal_and_exits() {
    for (path, text) in sources(&root().join("crates")) {
        let path = path.to_string_lossy().replace('\\', "/");
        let is_command = path.contains("/crates/command/");
        if !path.contains("/src/") || is_command {
            continue;
        }
        for forbidden in ["process::exit", "env::args", "io::stdout()", "io::stderr()", "io::stdin()"] {
            assert!(!text.contains(forbidden), "{path}: {forbidden} belongs into the command");
        }
    }
}

#[test]
fn core_and_engines_do_no_input_or_output() {
    for name in ["core", "engines"] {
        for (path, text) in sources(&root().join("crates").join(name).join("src")) {
            for forbidden in ["std::fs", "std::io", "std::net", "std::process"] {
                assert!(!text.contains(forbidden), "{}: {forbidden}", path.display());
            }
        }
    }
}

#[test]
fn unsafe_code_is_forbidden_in_every_crate() {
    for name in crates().keys() {
        let folder = root().join("crates").join(name).join("src");
        let read = |file: &str| fs::read_to_string(folder.join(file));
        let root = read("lib.rs").or_else(|_| read("main.rs")).expect("a crate has a root");
        assert!(root.contains("#![forbid(unsafe_code)]"), "{name}");
    }
}

/// ARCHITECTURE.md names every crate and every fuzz target.
#[test]
fn the_page_on_the_architecture_names_what_there_is() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the page is there");
    for name in crates().keys() {
        assert!(page.contains(&format!("\n  {name}/")), "ARCHITECTURE.md does not list the crate {name}");
    }
    for (path, _) in sources(&root().join("fuzz/fuzz_targets")) {
        let target = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        assert!(page.contains(&format!("`{target}`")), "ARCHITECTURE.md does not name the fuzz target {target}");
    }
}
