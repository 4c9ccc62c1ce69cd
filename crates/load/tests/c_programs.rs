//! Every C program of `tests/c`, checked against the directives that stand in it:
//!
//! - `//? verdict: verified`: what a search of all states concludes, and every other engine that comes to its end;
//! - `//? violation: deadlock`: how a violation begins that it finds;
//! - `//? executions of optimal, N=6: 720`: the number of executions that an engine runs, with this macro;
//! - `//? race: data race on x`: how a data race begins that `optimal` finds, `//? races: none`: that there is none.
//!
//! Where there is no clang, the test is skipped.

mod common;

use common::skip;
use mazurka::{Check, Counter, Engine, Verdict};
use mazurka_load::{Loaded, Settings, load};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/c")
}

fn has_clang() -> bool {
    let found = mazurka_c::clang::Clang::find().is_ok();
    if !found {
        skip("clang", "there is no clang");
    }
    found
}

fn read(path: &Path, define: Option<(String, i64)>) -> Loaded {
    let settings = Settings { defines: define.into_iter().collect(), ..Settings::default() };
    load(&[path.display().to_string()], &settings, false).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn check_directive(path: &Path, directive: &str) {
    let told = |why: String| format!("{}: `{directive}`: {why}", path.display());
    let (what, value) = directive.split_once(": ").unwrap_or((directive, ""));
    match what {
        "verdict" => {
            let loaded = read(path, None);
            for &engine in Engine::ALL.iter().filter(|&&engine| engine != Engine::Enumerate) {
                let stores_states = matches!(engine, Engine::Exhaustive | Engine::Stateful);
                let check = Check::new(&*loaded.subject).engine(engine).threads(1).all();
                let checked = check.time_limit(Duration::from_secs(if stores_states { 20 } else { 2 })).run();
                let is_settled = matches!(checked.exploration.verdict, Verdict::Verified | Verdict::Violated);
                assert!(is_settled || !stores_states, "{}", told(format!("{engine}\n{checked}")));
                // Data races have a directive of their own.
                let is_wrong = |found: &mazurka::Found| found.violation.kind != mazurka::ViolationKind::Race;
                let violated = checked.exploration.violations.iter().any(is_wrong);
                if is_settled || violated {
                    assert_eq!(violated, value == "violated", "{}", told(format!("{engine}\n{checked}")));
                }
            }
        }
        "violation" | "race" => {
            let engine = if what == "race" { Engine::Optimal } else { Engine::Exhaustive };
            let checked = Check::new(&*read(path, None).subject).engine(engine).threads(1).all().run();
            let mut found = checked.exploration.violations.iter().map(|found| &found.violation.message);
            assert!(found.any(|message| message.starts_with(value)), "{}", told(checked.to_string()));
        }
        "races" => {
            let checked = Check::new(&*read(path, None).subject).engine(Engine::Optimal).threads(1).run();
            assert_eq!(checked.exploration.verdict, Verdict::Verified, "{}", told(checked.to_string()));
        }
        _ => {
            let rest = what.strip_prefix("executions of ").expect(directive);
            let (engine, define) = match rest.split_once(", ") {
                Some((engine, define)) => (engine, define.split_once('=')),
                None => (rest, None),
            };
            let define = define.map(|(name, value)| (name.to_owned(), value.parse().expect("a number")));
            let engine = Engine::by_name(engine).expect(directive);
            // Data races are not what is counted here.
            let checked = Check::new(&*read(path, define).subject).engine(engine).threads(1).all().run();
            let executions = checked.exploration.statistics.get(Counter::Executions);
            assert_eq!(executions, value.parse().ok(), "{}", told(checked.to_string()));
        }
    }
}

#[test]
fn every_program_is_what_it_says() {
    if !has_clang() {
        return;
    }
    let mut programs = 0;
    for entry in fs::read_dir(folder()).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a program is text");
        text.lines()
            .filter_map(|line| line.strip_prefix("//? "))
            .for_each(|directive| check_directive(&path, directive));
        programs += 1;
    }
    assert!(programs >= 20, "{programs}");
}
