//! Every `.mz` program of `examples` and `tests/papers`, checked against the directives that stand in it:
//!
//! - `//? verdict: verified` or `//? verdict: violated`: what a search of all states concludes;
//! - `//? violation: assertion line 14`, `//? violation: deadlock`: what can go wrong, all of it (a deadlock's line may be
//!   left out: where several actors are stuck, it is that of one of them);
//! - `//? traces: 4`: the number of traces that `enumerate` counts;
//! - `//? classes: 2`: the number of executions that `em-dpor` runs, one for each class of executions that cover each
//!   other; `em-dpor --plain` meets as many classes;
//! - `//? states: 25`: the number of states that `exhaustive` counts.

use mazurka::engines::Options;
use mazurka::{Check, Checked, Counter, Engine, Loaded, Statistics, load};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What a program's directives say of it.
#[derive(Debug, Default)]
struct Expected {
    verdict: Option<String>,
    violations: BTreeSet<Site>,
    traces: Option<u64>,
    classes: Option<u64>,
    states: Option<u64>,
}

/// A kind of violation, and its line where it was given.
type Site = (String, Option<u32>);

impl Expected {
    fn read(source: &str) -> Result<Expected, String> {
        let mut expected = Expected::default();
        for (index, line) in source.lines().enumerate() {
            let Some(directive) = line.trim().strip_prefix("//?") else { continue };
            let unclear = || format!("line {}: `{}` is not a directive", index + 1, line.trim());
            let (keyword, value) = directive.trim().split_once(": ").ok_or_else(unclear)?;
            match keyword {
                "verdict" if ["verified", "violated"].contains(&value) => expected.verdict = Some(value.to_owned()),
                "violation" => {
                    expected.violations.insert(match value.split_once(" line ") {
                        Some((kind, line)) => (kind.to_owned(), Some(line.parse().map_err(|_| unclear())?)),
                        None => (value.to_owned(), None),
                    });
                }
                "traces" => expected.traces = Some(value.parse().map_err(|_| unclear())?),
                "classes" => expected.classes = Some(value.parse().map_err(|_| unclear())?),
                "states" => expected.states = Some(value.parse().map_err(|_| unclear())?),
                _ => return Err(unclear()),
            }
        }
        if expected.verdict.is_none() {
            return Err("there is no directive `//? verdict: …`".to_owned());
        }
        Ok(expected)
    }

    fn compare_violations(&self, checked: &Checked) -> Result<(), String> {
        let found: BTreeSet<Site> = checked
            .exploration
            .violations
            .iter()
            .map(|found| &found.violation)
            .map(|violation| {
                (violation.kind.name().to_owned(), violation.location.as_ref().map(|location| location.line))
            })
            .collect();
        let matches =
            |expected: &Site, found: &Site| expected.0 == found.0 && (expected.1.is_none() || expected.1 == found.1);
        let surprise = found.iter().find(|found| !self.violations.iter().any(|expected| matches(expected, found)));
        let missing = self.violations.iter().find(|expected| !found.iter().any(|found| matches(expected, found)));
        match (surprise, missing) {
            (None, None) => Ok(()),
            _ => Err(format!("expected the violations {:?}, found {found:?}", self.violations)),
        }
    }
}

/// What may not depend on the number of threads: everything but time and memory.
fn counts(statistics: &Statistics) -> Vec<(Counter, u64)> {
    statistics.iter().filter(|(counter, _)| *counter != Counter::PeakBytes).collect()
}

fn same(what: &str, expected: Option<u64>, found: Option<u64>) -> Result<(), String> {
    if expected.is_some() && expected != found {
        return Err(format!("expected {expected:?} {what}, found {found:?}"));
    }
    Ok(())
}

fn check_program(path: &Path) -> Result<(), String> {
    let source = fs::read_to_string(path).map_err(|error| error.to_string())?;
    check_against(path, &Expected::read(&source)?)
}

fn check_against(path: &Path, expected: &Expected) -> Result<(), String> {
    let loaded: Loaded = load(&[path.display().to_string()], &[], false).map_err(|error| error.to_string())?;
    let run = |engine, threads| Check::new(&*loaded.subject).engine(engine).threads(threads).all().run();

    let (one, two) = (run(Engine::Exhaustive, 1), run(Engine::Exhaustive, 2));
    let verdict = one.exploration.verdict.name();
    if expected.verdict.as_deref() != Some(verdict) {
        return Err(format!("expected the verdict {:?}, found {verdict}\n{one}", expected.verdict));
    }
    expected.compare_violations(&one)?;
    same("states", expected.states, one.exploration.statistics.get(Counter::States))?;
    let [first, second] = [&one, &two].map(|checked| counts(&checked.exploration.statistics));
    if first != second || one.exploration.verdict != two.exploration.verdict {
        return Err(format!("one thread counts {first:?}, two count {second:?}"));
    }
    expected.compare_violations(&two)?;
    if let Some(unfaithful) = one.stories.iter().find(|story| !story.faithful) {
        return Err(format!("the schedule does not lead to `{}`", unfaithful.violation.message));
    }

    for plain in [false, true] {
        let options = Options { all: true, plain, ..Options::default() };
        let reduced = Check::new(&*loaded.subject).engine(Engine::Stateful).options(options).run();
        expected.compare_violations(&reduced).map_err(|what| format!("stateful, plain {plain}: {what}"))?;
    }

    if expected.traces.is_some() {
        let all = run(Engine::Enumerate, 1);
        same("traces", expected.traces, all.exploration.statistics.get(Counter::Traces))?;
        expected.compare_violations(&all)?;
    }
    check_classes(&loaded, expected)
}

/// What `em-dpor` promises, as it was published and as it is by default.
fn check_classes(loaded: &Loaded, expected: &Expected) -> Result<(), String> {
    if expected.classes.is_none() {
        return Ok(());
    }
    for plain in [false, true] {
        let options = Options { all: true, plain, ..Options::default() };
        let covering = Check::new(&*loaded.subject).engine(Engine::EmDpor).options(options).run();
        let statistics = &covering.exploration.statistics;
        expected.compare_violations(&covering).map_err(|what| format!("em-dpor, plain {plain}: {what}"))?;
        same("classes", expected.classes, statistics.get(Counter::Traces))?;
        if !plain {
            same("executions for each class", expected.classes, statistics.get(Counter::Executions))?;
        }
    }
    Ok(())
}

/// The programs that a page of the manual shows: the line of each, what is said of it, and its text. What is said stands
/// behind the language of the block, in the words of the directives: "mz violated assertion line 3, deadlock".
fn programs_on(page: &str) -> Vec<(usize, String, String)> {
    let mut programs = Vec::new();
    let mut lines = page.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some(said) = line.strip_prefix("```mz") else { continue };
        let text: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        programs.push((index + 1, said.trim().to_owned(), text.join("\n")));
    }
    programs
}

fn directives(said: &str) -> String {
    let (verdict, violations) = said.split_once(' ').unwrap_or((said, ""));
    let violations = violations.split(", ").filter(|violation| !violation.is_empty());
    format!("//? verdict: {verdict}\n") + &violations.map(|what| format!("//? violation: {what}\n")).collect::<String>()
}

#[test]
fn the_programs_of_the_manual_do_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs-of-the-manual");
    fs::create_dir_all(&folder).expect("a folder can be made");
    let mut count = 0;
    for page in ["README.md", "docs/language.md"] {
        let text = fs::read_to_string(root.join(page)).expect("a page can be read");
        for (line, said, program) in programs_on(&text) {
            let path = folder.join(format!("{}-line-{line}.mz", page.replace('/', "-")));
            fs::write(&path, program).expect("a program can be written");
            let expected = Expected::read(&directives(&said)).unwrap_or_else(|what| panic!("{page}:{line}: {what}"));
            check_against(&path, &expected).unwrap_or_else(|what| panic!("{page}:{line}: {what}"));
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} programs in the manual");
}

/// All `.mz` files below a folder, in order.
fn programs(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            programs(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "mz") {
            into.push(path);
        }
    }
    into.sort();
}

fn check_all(folder: &str, at_least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    programs(&root.join(folder), &mut paths);
    assert!(paths.len() >= at_least, "only {} programs in {folder}", paths.len());
    let wrong: Vec<String> = paths
        .iter()
        .filter_map(|path| {
            let name = path.strip_prefix(&root).unwrap_or(path).display().to_string();
            check_program(path).err().map(|what| format!("{name}: {what}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} programs:\n\n{}", wrong.len(), paths.len(), wrong.join("\n\n"));
}

#[test]
fn the_examples_have_the_verdicts_that_they_state() {
    check_all("examples", 20);
}

#[test]
fn the_programs_of_the_papers_have_the_behaviour_that_they_state() {
    check_all("tests/papers", 20);
}

#[test]
fn a_program_without_directives_or_with_wrong_ones_is_noticed() {
    assert!(Expected::read("thread a { }").is_err());
    assert!(Expected::read("//? verdict: fine").is_err());
    assert!(Expected::read("//? verdict: verified\n//? tracks: 3").is_err());
    let expected = Expected::read("//? verdict: violated\n//? violation: deadlock\n//? violation: assertion line 4");
    let expected = expected.expect("these are directives");
    assert_eq!(expected.violations.len(), 2);
    assert!(expected.violations.contains(&("assertion".to_owned(), Some(4))));
}
