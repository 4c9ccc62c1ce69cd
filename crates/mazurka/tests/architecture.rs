//! The rules of `ARCHITECTURE.md`, checked over the manifests, the lock file and the sources.

use std::collections::{BTreeMap, BTreeSet};
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

/// What each crate knows of ours. An engine knows no frontend, and a frontend no engine.
const KNOWN: [(&str, &[&str]); 18] = [
    ("agree", &["c", "core", "engines", "lang", "rust"]),
    ("c", &["core"]),
    ("command", &["mazurka", "agree", "explore", "hass", "home", "load"]),
    ("core", &[]),
    ("droid", &["core"]),
    ("engines", &["core"]),
    ("explore", &["mazurka"]),
    ("groovy", &["core"]),
    ("hass", &["core"]),
    ("home", &["core", "groovy"]),
    ("lang", &["core"]),
    ("load", &["mazurka", "c", "droid", "hass", "home"]),
    ("macros", &[]),
    ("mazurka", &["core", "engines", "lang", "macros", "model", "report", "rust"]),
    ("model", &["core"]),
    ("report", &["core"]),
    ("rust", &["core"]),
    ("sync", &["rust"]),
];

/// The folder of one of our crates, by the name of its package.
fn folder_of(package: &str) -> Option<&str> {
    package.strip_prefix("mazurka-").or((package == "mazurka").then_some(package))
}

#[test]
fn every_crate_knows_those_it_may_know() {
    let known: BTreeMap<_, Vec<_>> = KNOWN.iter().map(|(name, known)| ((*name).to_owned(), known.to_vec())).collect();
    let found = crates();
    let ours = |names: &Vec<String>| names.iter().filter_map(|name| folder_of(name)).map(str::to_owned).collect();
    let found: BTreeMap<String, Vec<String>> = found.iter().map(|(name, all)| (name.clone(), ours(all))).collect();
    for (name, ours) in &found {
        assert_eq!(Some(ours.iter().map(String::as_str).collect()), known.get(name).cloned(), "{name}");
    }
    assert_eq!(found.len(), known.len());
}

/// What each package of others depends on, as `Cargo.lock` has it.
fn locked() -> BTreeMap<String, Vec<String>> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("the lock file is there");
    let mut packages: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in lock.split("[[package]]").skip(1) {
        let names = package.split('"').skip(1).step_by(2).map(|text| text.split(' ').next().unwrap_or_default());
        let name = names.clone().next().unwrap_or_default().to_owned();
        let (_, dependencies) = package.split_once("dependencies = [").unwrap_or_default();
        let dependencies = dependencies.split('"').skip(1).step_by(2);
        let dependencies = dependencies.map(|text| text.split(' ').next().unwrap_or_default().to_owned());
        packages.entry(name).or_default().extend(dependencies);
    }
    packages
}

/// A test that checks a model in Rust compiles neither what only the command needs nor the frontends that read files.
#[test]
fn the_library_depends_on_nothing_that_only_the_command_needs() {
    let (crates, locked) = (crates(), locked());
    let (mut reached, mut left) = (BTreeSet::new(), vec!["mazurka".to_owned()]);
    while let Some(package) = left.pop() {
        let ours = folder_of(&package).and_then(|folder| crates.get(folder));
        let dependencies = ours.or_else(|| locked.get(&package)).cloned().unwrap_or_default();
        if reached.insert(package) {
            left.extend(dependencies);
        }
    }
    assert!(reached.contains("serde_json") && reached.contains("rayon"), "the walk is complete: {reached:?}");
    let command = crates["command"].iter().chain(&crates["load"]).filter(|name| *name != "mazurka");
    for name in command.chain([&"mazurka-groovy".to_owned()]) {
        assert!(!reached.contains(name.as_str()), "the library depends on {name}");
    }
}

/// Home Assistant keeps some of a configuration as JSON, which `hass` reads. It writes JSON in one place: scenarios that are
/// played in Home Assistant.
#[test]
fn only_report_serialises() {
    for (name, dependencies) in crates() {
        let serde: Vec<&str> =
            dependencies.iter().map(String::as_str).filter(|dependency| dependency.starts_with("serde")).collect();
        match name.as_str() {
            "report" => assert!(!serde.is_empty()),
            "hass" => assert_eq!(serde, ["serde_json"], "{name}"),
            _ => assert_eq!(serde, [""; 0], "{name}"),
        }
    }
    for (path, text) in sources(&root().join("crates/hass/src")) {
        if path.ends_with("model/scenario.rs") {
            continue;
        }
        assert!(!text.contains("serde_json::to_") && !text.contains("json!"), "{} writes JSON", path.display());
    }
}

#[test]
fn only_the_command_prints_reads_arguments_and_exits() {
    for (path, text) in sources(&root().join("crates")) {
        let path = path.to_string_lossy().replace('\\', "/");
        let is_command = path.contains("/crates/command/");
        // Nothing else says that a test hangs.
        let is_watchdog = path.ends_with("crates/rust/src/watch.rs");
        if !path.contains("/src/") || is_command || is_watchdog {
            continue;
        }
        let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let code = code.join("\n");
        for forbidden in [
            "process::exit",
            "env::args",
            "io::stdout()",
            "io::stderr()",
            "io::stdin()",
            "println!",
            "print!",
            "eprintln!",
            "eprint!",
        ] {
            assert!(!code.contains(forbidden), "{path}: {forbidden} belongs into the command");
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

/// A test that lacks a tool says so in one way, which fails where `.ci/install` has the tool.
#[test]
fn a_test_is_skipped_in_one_way_only() {
    let helper = Path::new("load/tests/common/mod.rs");
    for name in crates().keys() {
        let tests = root().join("crates").join(name).join("tests");
        for (path, text) in if tests.is_dir() { sources(&tests) } else { Vec::new() } {
            let says = text.contains(concat!("\"skipped", ": "));
            assert_eq!(says, path.ends_with(helper), "{}", path.display());
        }
    }
}

/// Fibers and the doubles of `std` need unsafe code. Each block says why it is sound.
const UNSAFE: &str = "rust";

#[test]
fn unsafe_code_is_forbidden_in_every_crate_but_one() {
    for name in crates().keys().filter(|name| *name != UNSAFE) {
        let folder = root().join("crates").join(name).join("src");
        let read = |file: &str| fs::read_to_string(folder.join(file));
        let root = read("lib.rs").or_else(|_| read("main.rs")).expect("a crate has a root");
        assert!(root.contains("#![forbid(unsafe_code)]"), "{name}");
    }
}

#[test]
fn unsafe_code_says_why_it_is_sound() {
    for (path, text) in sources(&root().join("crates").join(UNSAFE).join("src")) {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let is_unsafe = |line: &str| line.contains("unsafe {") || line.starts_with("unsafe impl");
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_unsafe(line) && !line.starts_with("//")) {
            let before = lines[..index].iter().rev().take(6).any(|before| before.contains("SAFETY: "));
            assert!(before, "{}:{}: `{line}` has no line that begins with SAFETY", path.display(), index + 1);
        }
    }
}

/// Names that several types of one crate share, because each of them is the same thing for another search, or on another
/// stage of one way.
const SHARED: [(&str, &[&str]); 2] = [
    // A function of LLVM IR and its instructions, and what is made of them.
    ("c", &["Function", "Instruction"]),
    // Each search has its current path with its states, what it counts, where it met a violation; each unfolding its events.
    (
        "engines",
        &[
            "Counts",
            "Entry",
            "Event",
            "EventId",
            "Events",
            "FoundAt",
            "Message",
            "Path",
            "PathState",
            "Search",
            "Sleeper",
            "Taken",
        ],
    ),
];

/// A name of a type means one thing within a crate. `rust` has the names of std, one double for each of its modules.
#[test]
fn no_two_types_of_a_crate_share_a_name() {
    for name in crates().keys().filter(|name| *name != "rust") {
        let shared = SHARED.iter().find(|(of, _)| of == name).map_or(&[][..], |(_, shared)| shared);
        let mut places: BTreeMap<String, PathBuf> = BTreeMap::new();
        let mut met = BTreeSet::new();
        for (path, text) in sources(&root().join("crates").join(name).join("src")) {
            for line in text.lines().filter(|line| !line.starts_with([' ', '/'])) {
                let line = line.strip_prefix("pub ").unwrap_or(line);
                let line = line.strip_prefix("pub(crate) ").or(line.strip_prefix("pub(super) ")).unwrap_or(line);
                let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
                let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else { continue };
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let Some(other) = places.insert(rest[..end].to_owned(), path.clone()) else { continue };
                if !shared.contains(&&rest[..end]) {
                    panic!("{} means two things: {} and {}", &rest[..end], other.display(), path.display());
                }
                met.insert(rest[..end].to_owned());
            }
        }
        assert!(met.iter().eq(shared.iter().copied()), "{name}: {shared:?} are said to be shared, {met:?} are");
    }
}

/// ARCHITECTURE.md names every crate and every fuzz target, and no file that is not there.
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
    // What is in backticks and has a folder is a path from the root or from `crates`.
    for path in page.split('`').skip(1).step_by(2).filter(|text| text.contains('/') && text.ends_with(".rs")) {
        let is_there = root().join(path).exists() || root().join("crates").join(path).exists();
        assert!(is_there, "ARCHITECTURE.md names {path}, which is not there");
    }
}
