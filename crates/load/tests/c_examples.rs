//! Every C program of `examples/c` and `tests/papers`, checked against the directives that stand in it, and every engine
//! against the others:
//!
//! - `//? verdict: verified` or `//? verdict: violated`: what is concluded;
//! - `//? violation: assertion line 14`, `//? violation: race line 9`: what can go wrong, all of it (of a deadlock, the line
//!   may be left out; of a race, it is that of one of the two accesses);
//! - `//? races: none`: that there is none; that is so wherever the verdict is `verified`, too;
//! - `//? traces: 4`: the number of executions that `optimal` and, without handlers, `event` and `enumerate` run or count;
//! - `//? executions of event, N=6: 720`: the number of executions that an engine runs, with these macros.
//!
//! Without private memory (`all_visible`) the program must be the same.

mod common;

use mazurka::engines::{Options, explore};
use mazurka::{Budget, Check, Counter, Engine, Exploration, Silent, StopReason, Verdict};
use mazurka_c::clang::Clang;
use mazurka_c::{Identity, Model, Program};

use mazurka_load::{Settings, load};
use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long one engine may take on one program: which of them finish in this time is not what is tested.
const MOST_TIME: Duration = Duration::from_secs(4);
const MOST_SIZE: u64 = 200_000;

/// A kind of violation and its line.
type Site = (String, Option<u32>);

/// How many executions an engine runs, with which macros.
type Counted = (Engine, Vec<(String, i64)>, u64);

#[derive(Debug, Default)]
struct Expected {
    is_verified: bool,
    violations: BTreeSet<Site>,
    traces: Option<u64>,
    executions: Vec<Counted>,
}

impl Expected {
    fn read(source: &str) -> Result<Expected, String> {
        let mut expected = Expected::default();
        let mut has_verdict = false;
        for line in source.lines().filter_map(|line| line.trim().strip_prefix("//? ")) {
            let unclear = || format!("`{line}` is not a directive");
            let (keyword, value) = line.split_once(": ").ok_or_else(unclear)?;
            match keyword {
                "verdict" => (has_verdict, expected.is_verified) = (true, value == "verified"),
                "violation" => {
                    let (kind, line) =
                        value.split_once(" line ").map_or((value, None), |(kind, line)| (kind, Some(line)));
                    let line = line.map(str::parse).transpose().map_err(|_| unclear())?;
                    expected.violations.insert((kind.to_owned(), line));
                }
                "races" if value == "none" => {}
                "traces" => expected.traces = Some(value.parse().map_err(|_| unclear())?),
                _ => {
                    let mut words = keyword.strip_prefix("executions of ").ok_or_else(unclear)?.split(", ");
                    let engine = words.next().and_then(Engine::by_name).ok_or_else(unclear)?;
                    let define = |word: &str| {
                        let (name, value) = word.split_once('=')?;
                        Some((name.to_owned(), value.parse().ok()?))
                    };
                    let defines = words.map(define).collect::<Option<_>>().ok_or_else(unclear)?;
                    expected.executions.push((engine, defines, value.parse().map_err(|_| unclear())?));
                }
            }
        }
        if has_verdict { Ok(expected) } else { Err("there is no directive `//? verdict: …`".to_owned()) }
    }

    /// The violations that must be found: races only where executions are followed.
    fn of(&self, sees_races: bool) -> BTreeSet<&Site> {
        self.violations.iter().filter(|(kind, _)| sees_races || kind != "race").collect()
    }

    fn compare(&self, what: &str, exploration: &Exploration, sees_races: bool) -> Result<(), String> {
        let expected = self.of(sees_races);
        let found: Vec<(String, Option<u32>)> = exploration
            .violations
            .iter()
            .map(|found| &found.violation)
            .map(|violation| (violation.kind.name().to_owned(), violation.location.as_ref().map(|place| place.line)))
            .collect();
        let fits =
            |expected: &Site, found: &Site| expected.0 == found.0 && (expected.1.is_none() || expected.1 == found.1);
        // Where nothing else is wrong, engines that compare states have executions followed, too, as far as that goes.
        let possible = self.of(true);
        let surprise = found.iter().find(|found| !possible.iter().any(|expected| fits(expected, found)));
        let missing = expected.iter().find(|expected| !found.iter().any(|found| fits(expected, found)));
        let right = if found.is_empty() { Verdict::Verified } else { Verdict::Violated };
        if surprise.is_some() || missing.is_some() || exploration.verdict != right {
            let verdict = &exploration.verdict;
            return Err(format!("{what}: expected {expected:?} and `{right}`, found {found:?} and `{verdict}`"));
        }
        Ok(())
    }
}

fn is_whole(exploration: &Exploration) -> bool {
    exploration.stop == StopReason::Complete && !matches!(exploration.verdict, Verdict::Bounded { .. })
}

fn options() -> Options {
    let budget = Budget { time: Some(MOST_TIME), size: Some(MOST_SIZE), ..Budget::default() };
    Options { budget, all: true, threads: 1, ..Options::default() }
}

const ENGINES: [Engine; 9] = [
    Engine::Exhaustive,
    Engine::Stateful,
    Engine::Sdpor,
    Engine::EmDpor,
    Engine::Unfolding,
    Engine::Dpor,
    Engine::Enumerate,
    Engine::Optimal,
    Engine::Event,
];

fn check_program(clang: &Clang, path: &Path, finished: &mut [u32]) -> Result<(), String> {
    let source = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let expected = Expected::read(&source)?;
    if expected.is_verified != expected.violations.is_empty() {
        return Err("the verdict is not that of the violations".to_owned());
    }
    let file = [path.display().to_string()];
    let loaded = load(&file, &Settings::default(), false).map_err(|error| error.to_string())?;
    for (index, engine) in ENGINES.into_iter().enumerate() {
        let run = || Check::new(&*loaded.subject).engine(engine).options(options()).run();
        let checked = catch_unwind(AssertUnwindSafe(run)).map_err(|_| format!("{engine} panicked"))?;
        // An engine that cannot finish must not invent anything, and one that is not made for the program says so.
        let exploration = &checked.exploration;
        if !is_whole(exploration) || matches!(exploration.verdict, Verdict::Unsupported(_)) {
            continue;
        }
        finished[index] += 1;
        // Those that do not see races have executions followed as well.
        expected.compare(engine.name(), exploration, true)?;
        let counts = matches!(engine, Engine::Optimal) || (engine == Engine::Event && !source.contains("mazurka_any"));
        let executions = exploration.statistics.get(Counter::Executions);
        if counts && expected.traces.is_some() && executions != expected.traces {
            return Err(format!("{engine} runs {executions:?} executions, expected {:?}", expected.traces));
        }
    }
    for (engine, defines, count) in &expected.executions {
        let loaded = load(&file, &Settings::defines(defines), false).map_err(|error| error.to_string())?;
        let exploration = Check::new(&*loaded.subject).engine(*engine).threads(1).all().run().exploration;
        let executions = exploration.statistics.get(Counter::Executions);
        if executions != Some(*count) {
            return Err(format!("{engine} with {defines:?} runs {executions:?} executions, expected {count}"));
        }
    }
    check_without_private_memory(clang, path, &expected)
}

/// Nothing is private: the same violations, the same number of traces.
fn check_without_private_memory(clang: &Clang, path: &Path, expected: &Expected) -> Result<(), String> {
    let name = path.display().to_string();
    let ir = clang.translate(&name, &[]).map_err(|error| error.to_string())?;
    let all_visible = mazurka_c::Options { all_visible: true, ..mazurka_c::Options::default() };
    let program = Program::from_ir(&[(name, ir)], &all_visible).map_err(|error| error.to_string())?;
    let program = std::sync::Arc::new(program);
    let presence = Model::new(std::sync::Arc::clone(&program), Identity::Presence);
    let exploration = explore(Engine::Exhaustive, &presence, &options(), &mut Silent);
    if is_whole(&exploration) {
        expected.compare("exhaustive without private memory", &exploration, false)?;
    }
    let exploration = explore(Engine::Optimal, &Model::with_races(program), &options(), &mut Silent);
    if is_whole(&exploration) {
        expected.compare("optimal without private memory", &exploration, true)?;
        let executions = exploration.statistics.get(Counter::Executions);
        if expected.traces.is_some() && executions != expected.traces {
            return Err(format!("without private memory, optimal runs {executions:?} executions"));
        }
    }
    Ok(())
}

fn programs(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder can be read") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() {
            programs(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            into.push(path);
        }
    }
}

/// An assertion that no execution came to holds whatever it says; one without a condition says just that.
#[test]
fn what_no_execution_reached_is_vacuous() {
    if Clang::find().is_err() {
        return common::skip("clang", "there is no clang");
    }
    let folder = common::folder("vacuous");
    let vacuity = |main: &str, engine: Engine| {
        let file = folder.join("a.c");
        let start = "#include <assert.h>\nextern void __VERIFIER_assume(int);\nint x, y;\n\
                     void unused(void) { assert(x == 9); }\nint f(void) { assert(y == 0 && x == 0); return 0; }\n\
                     int (*const table[])(void) = { f };\n";
        fs::write(&file, format!("{start}int main(void) {{ {main} return 0; }}\n")).expect("it can be written");
        let loaded = load(&[file.display().to_string()], &Settings::default(), false);
        let loaded = loaded.unwrap_or_else(|error| panic!("{error}"));
        let checked = Check::new(&*loaded.subject).engine(engine).threads(1).run();
        assert_eq!(checked.exploration.verdict, Verdict::Verified, "{main}\n{checked}");
        checked.basis.vacuity()
    };
    use mazurka::report::Vacuity::{None, Part, Whole};
    let cases = [
        ("f(); assert(x == 0);", None),
        ("table[0](); assert(x == 0);", None),
        ("f(); if (x) { assert(x == 7); }", Part),
        ("__VERIFIER_assume(x == 3); assert(x == 1); f();", Whole),
        ("if (x) { assert(x == 7); f(); }", Whole),
        ("f(); switch (x) { case 0: break; default: assert(0); }", None),
        ("f(); if (x == 1) { x = 2; assert(0); }", None),
        ("f(); if (x == 0) { __VERIFIER_assume(x == 1); assert(0); }", Whole),
    ];
    for (main, expected) in cases {
        for engine in [Engine::Exhaustive, Engine::Stateful, Engine::Optimal, Engine::Dpor] {
            assert_eq!(vacuity(main, engine), expected, "{engine}: {main}");
        }
    }
}

/// Engines that do not see data races have executions followed as well: none of them says that there is no race. Only
/// the first violation is told unless all are asked for, and the report says so.
#[test]
fn no_engine_overlooks_a_data_race() {
    if Clang::find().is_err() {
        return common::skip("clang", "there is no clang");
    }
    let file = [common::root().join("examples/c/data-race.c").display().to_string()];
    let loaded = load(&file, &Settings::default(), false).unwrap_or_else(|error| panic!("{error}"));
    for &engine in Engine::ALL {
        let exploration = Check::new(&*loaded.subject).engine(engine).threads(1).run().exploration;
        let first = exploration.violations.first().map(|found| found.violation.kind.name());
        assert_eq!((exploration.verdict, first), (Verdict::Violated, Some("race")), "{engine}");
        assert_eq!(exploration.stop, StopReason::FirstViolation, "{engine}");
    }
}

#[test]
fn c_programs_are_as_their_directives_say_by_every_engine() {
    let Ok(clang) = Clang::find() else { return common::skip("clang", "there is no clang") };
    let mut paths = Vec::new();
    for folder in ["examples/c", "tests/papers"] {
        programs(&common::root().join(folder), &mut paths);
    }
    paths.sort();
    assert!(paths.len() >= 50, "there are {} programs", paths.len());
    let mut finished = [0; ENGINES.len()];
    let wrong: Vec<String> = paths
        .iter()
        .filter_map(|path| Some(format!("{}: {}", path.display(), check_program(&clang, path, &mut finished).err()?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Each of them comes to its end on most of the programs that it is made for.
    assert!(finished.iter().all(|&finished| finished >= 25), "{finished:?}");
}
