//! Every reader on texts to which something happened: no panic, and an end.
//!
//! The texts are the examples. What happens to them comes from a fixed seed. `MAZURKA_MUTATIONS` sets how many there are
//! for each reader, and `MAZURKA_SEED` another seed. A text that brings the whole process down is left in the folder of
//! temporary files.

mod common;

use common::root;
use mazurka::engines::Options as EngineOptions;
use mazurka::report::ScheduleFile;
use mazurka::report::accept::Accepted;
use mazurka::report::pairs::listed;
use mazurka::{Budget, Check, Engine, MzProgram, Subject, lang};
use mazurka_core::Random;
use mazurka_droid as droid;
use mazurka_home::{Home, HomeText, Options};
use mazurka_load::HomeProgram;
use mazurka_load::diagnostic;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longer than this takes no reader.
const PATIENCE: Duration = Duration::from_secs(20);

fn number(variable: &str, usual: u64) -> u64 {
    std::env::var(variable).ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
}

/// One of several.
fn pick<'a, T>(random: &mut Random, some: &'a [T]) -> &'a T {
    random.pick(some).expect("there is one")
}

/// What people and accidents put where it does not belong.
const PIECES: [&str; 24] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    "\0",
    "\u{1b}[2J",
    "\u{feff}",
    "é",
    "9223372036854775808",
    "-1",
    "0",
    "/*",
    "//",
    "${",
    "\n",
    ";",
    ",",
    "..",
    "=",
];

/// A text to which something happened.
fn mutated(random: &mut Random, texts: &[String]) -> String {
    let mut bytes = pick(random, texts).clone().into_bytes();
    for _ in 0..=random.below(5) {
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(40)).min(bytes.len());
        match random.below(9) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let copy = bytes[at..end].to_vec();
                let to = random.below(bytes.len() + 1);
                bytes.splice(to..to, copy);
            }
            3 => bytes.truncate(at),
            4 => {
                // A part of another text of the same kind.
                let other = pick(random, texts).as_bytes();
                let from = random.below(other.len() + 1);
                let part = &other[from..(from + random.below(60)).min(other.len())];
                bytes.splice(at..at, part.iter().copied());
            }
            5 => {
                let many = *pick(random, &[1, 2, 50, 3000]);
                let piece = pick(random, &PIECES).repeat(many);
                bytes.splice(at..at, piece.into_bytes());
            }
            6 => {
                // Two lines change places.
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let mut lines: Vec<&str> = text.split('\n').collect();
                let (one, other) = (random.below(lines.len()), random.below(lines.len()));
                lines.swap(one, other);
                bytes = lines.join("\n").into_bytes();
            }
            _ => {
                let piece = pick(random, &PIECES);
                bytes.splice(at..end.min(at + 1), piece.bytes());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The texts of some files.
fn texts(folder: &str, ending: &str) -> Vec<String> {
    fn below(folder: &Path, ending: &str, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() {
                below(&path, ending, into);
            } else if path.to_string_lossy().ends_with(ending) {
                into.push(path);
            }
        }
    }
    let mut files = Vec::new();
    below(&root().join(folder), ending, &mut files);
    files.sort();
    let texts: Vec<_> = files.iter().map(|file| fs::read_to_string(file).expect("it is text")).collect();
    assert!(!texts.is_empty(), "{folder} has no {ending}");
    texts.into_iter().filter(|text| text.len() < 20_000).collect()
}

/// Gives mutated texts to a reader.
fn survives(reader: &str, texts: &[String], read: impl Fn(&str)) {
    let mut random = Random::new(number("MAZURKA_SEED", 21));
    let last = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mutation-{reader}"));
    for round in 0..number("MAZURKA_MUTATIONS", 400) {
        let text = mutated(&mut random, texts);
        fs::write(&last, &text).expect("it can be written");
        let started = Instant::now();
        let ended = catch_unwind(AssertUnwindSafe(|| read(&text)));
        assert!(ended.is_ok(), "{reader}, text {round}, which is in {}", last.display());
        assert!(started.elapsed() < PATIENCE, "{reader}, text {round} took {:?}", started.elapsed());
    }
    fs::remove_file(&last).expect("it can be removed");
}

/// A short look at a program: what can be read also has to run.
fn look(subject: &dyn Subject) {
    let budget = Budget { time: Some(Duration::from_millis(30)), depth: Some(6), ..Budget::default() };
    let options = EngineOptions { budget, all: true, threads: 1, ..EngineOptions::default() };
    let checked = Check::new(subject).engine(Engine::Exhaustive).options(options).run();
    assert!(checked.to_string().contains("VERDICT"));
}

#[test]
fn programs() {
    survives("mz", &texts("examples", ".mz"), |text| match lang::compile("a.mz", text, &[]) {
        Ok(program) => look(&MzProgram::new(program)),
        Err(lang::CompileError::Source(faults)) => {
            assert!(diagnostic::render("a.mz", text, &faults, true).contains("error"));
        }
        Err(_) => {}
    });
}

#[test]
fn apps() {
    survives("groovy", &texts("examples/smart-home", ".groovy"), |text| {
        match Home::load(&[("a.groovy".to_owned(), text.to_owned())], &Options::default()) {
            Ok(home) => look(&HomeProgram::new(home)),
            Err(faults) => faults
                .iter()
                .for_each(|faults| drop(diagnostic::render(&faults.file, &faults.source, &faults.diagnostics, false))),
        }
    });
}

#[test]
fn homes_and_rules() {
    let app = fs::read_to_string(root().join("examples/smart-home/leak-guard.groovy")).expect("it is there");
    let load = |options: &Options| match Home::load(&[("a.groovy".to_owned(), app.clone())], options) {
        Ok(home) => drop(home),
        Err(faults) => faults
            .iter()
            .for_each(|faults| drop(diagnostic::render(&faults.file, &faults.source, &faults.diagnostics, false))),
    };
    survives("home", &texts("examples", ".toml"), |text| {
        let home = Some(HomeText { file: "home.toml".to_owned(), text: text.to_owned() });
        load(&Options { home, ..Options::default() });
    });
    let rules =
        ["valve == \"open\" and water == \"wet\"", "not (mode == 'Away' or battery <= 5.5)", "'valve'.valve != null"];
    survives("rule", &rules.map(str::to_owned), |text| {
        load(&Options { never: vec![text.to_owned()], ..Options::default() });
    });
}

#[test]
fn schedules() {
    let whole = "mazurka schedule 1\nprogram a.mz\nsource 1f\ndefine N=3\nengine stateful\n\
                 violation assertion assertion failed: x \\u{1b}\nat a.mz:2\nstart 0\nstep a\nstep b outcome 1\nend\n";
    let program = MzProgram::new(
        lang::compile("a.mz", "shared x = 0; thread a { x = 1; } thread b { x = choose(0..1); }", &[])
            .expect("it compiles"),
    );
    survives("schedule", &[whole.to_owned()], |text| {
        if let Ok(file) = ScheduleFile::parse("a.schedule", text) {
            let _ = program.resolve(&file);
            assert_eq!(ScheduleFile::parse("a.schedule", &file.to_string()), Ok(file));
        }
    });
}

#[test]
fn traces() {
    let (traces, edges) = (texts("examples/android", "trace.txt"), texts("tests/traces", "dependence.txt"));
    let tell = |text: &str, dependence: Option<&str>| match droid::read("trace.txt", text, dependence) {
        Ok(recording) => look(&recording),
        Err(droid::ReadError::Trace(faults)) => drop(diagnostic::render("trace.txt", text, &faults, false)),
        Err(droid::ReadError::Dependence(faults)) => {
            drop(diagnostic::render("dependence.txt", dependence.unwrap_or_default(), &faults, false));
        }
    };
    survives("trace", &traces, |text| tell(text, None));
    survives("dependence", &edges, |text| tell(&traces[0], Some(text)));
}

#[test]
fn lists() {
    survives("list", &["# some\nfire-alarm, lock-when-away\na\tb\n\nc d\n".to_owned()], |text| {
        let _ = listed("list", text, 2);
    });
    let accepted =
        "# mine\nfire-alarm + lock-when-away: \"Fire Alarm\" unlocks the lock that \"Lock When Away\" locked\n";
    survives("accept", &[accepted.to_owned()], |text| {
        let _ = Accepted::parse("accepted", text);
    });
}
