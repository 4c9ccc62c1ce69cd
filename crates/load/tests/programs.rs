//! Every `.mz` program of `examples` and `tests/papers`, checked against the directives that stand in it:
//!
//! - `//? verdict: verified` or `//? verdict: violated`: what a search of all states concludes;
//! - `//? violation: assertion line 14`, `//? violation: deadlock`: what can go wrong, all of it (a deadlock's line may be
//!   left out: where several actors are stuck, it is that of one of them);
//! - `//? traces: 4`: the number of traces that `enumerate` counts; `dpor` and `sdpor` must find what can go wrong, too,
//!   and every state in which the program can end;
//! - `//? race: x lines 4 and 9`: a data race, `//? races: none`: that there is none; all of them, by every engine that
//!   finds them;
//! - `//? fairness strong: verified`: the verdict with this fairness, where something has to happen in the end;
//! - `//? states: 25`: the number of states that `exhaustive` counts;
//! - `//? executions of optimal, N=6: 720`: the number of executions that an engine runs, with these constants;
//! - `//? unfolding N=3: 12 events, 1 cutoffs, 4 configurations`: what `unfolding` counts, with this constant or without any;
//!   `//? whole unfolding: …`: the same without cutoffs;
//! - `//? classes: 2`: the number of executions that `em-dpor` runs, one for each class of executions that cover each
//!   other; `em-dpor --plain` meets as many classes;
//! - `//? em-dpor --plain meets: 1` of these classes, `//? em-dpor --plain misses: assertion line 14`: where the published
//!   algorithm does not find everything.

use mazurka::engines::{Capture, Cutoffs, Options};
use mazurka::{Budget, Check, Checked, Counter, Engine, Fairness, Statistics, StopReason, Verdict};
use mazurka_load::{Loaded, Settings, load};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Programs whose unfolding takes longer than this are not compared.
const UNFOLDING_TIME: Duration = Duration::from_secs(2);

/// What a program's directives say of it.
#[derive(Clone, Debug, Default)]
struct Expected {
    verdict: Option<String>,
    violations: BTreeSet<Site>,
    /// The data races, each with its variable and its lines, if something is said of them.
    races: Option<BTreeSet<String>>,
    traces: Option<u64>,
    classes: Option<u64>,
    met_by_plain: Option<u64>,
    missed_by_plain: BTreeSet<Site>,
    states: Option<u64>,
    fairness: Vec<(Fairness, String)>,
    executions: Vec<Executions>,
    unfoldings: Vec<Unfolded>,
}

impl Expected {
    /// What the published EM-DPOR reports.
    fn as_published(&self) -> Expected {
        let violations = self.violations.difference(&self.missed_by_plain).cloned().collect();
        Expected { violations, classes: self.met_by_plain.or(self.classes), ..self.clone() }
    }
}

/// How many executions an engine runs of a program with some constants.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Executions {
    engine: Engine,
    constants: Vec<(String, i64)>,
    count: u64,
}

impl Executions {
    fn read(what: &str, count: &str) -> Option<Executions> {
        let mut words = what.split(", ");
        let engine = Engine::by_name(words.next()?)?;
        let constant = |word: &str| {
            let (name, value) = word.split_once('=')?;
            Some((name.to_owned(), value.parse().ok()?))
        };
        let constants = words.map(constant).collect::<Option<_>>()?;
        Some(Executions { engine, constants, count: count.parse().ok()? })
    }

    fn check(&self, path: &Path) -> Result<(), String> {
        let loaded = load(&[path.display().to_string()], &Settings::defines(&self.constants), false)
            .map_err(|error| error.to_string())?;
        let run = |threads| Check::new(&*loaded.subject).engine(self.engine).threads(threads).all().run();
        let [one, three] = [1, 3].map(|threads| run(threads).exploration.statistics);
        let what = format!("executions of {} with {:?}", self.engine, self.constants);
        same(&what, Some(self.count), one.get(Counter::Executions))?;
        same(&format!("runs given up by {}", self.engine), Some(0), one.get(Counter::Blocked).or(Some(0)))?;
        let [one, three] = [one, three].map(|statistics| counts(&statistics));
        if one != three {
            return Err(format!("{what}: one thread counts {one:?}, three count {three:?}"));
        }
        Ok(())
    }
}

/// What is counted in an unfolding.
#[derive(Clone, Debug)]
struct Unfolded {
    cutoffs: Cutoffs,
    constants: Vec<(String, i64)>,
    /// Events, cutoffs and configurations.
    counts: [u64; 3],
}

impl Unfolded {
    fn read(keyword: &str, value: &str) -> Option<Unfolded> {
        let (cutoffs, rest) = match keyword.strip_prefix("whole ") {
            Some(rest) => (Cutoffs::None, rest),
            None => (Cutoffs::Size, keyword),
        };
        let constant = |text: &str| text.split_once('=').and_then(|(name, n)| Some((name.to_owned(), n.parse().ok()?)));
        let constants = rest.strip_prefix("unfolding")?.split_whitespace().map(constant).collect::<Option<_>>()?;
        let mut parts = value.split(", ");
        let mut count = |unit: &str| parts.next()?.strip_suffix(unit)?.trim().parse().ok();
        let counts = [count("events")?, count("cutoffs")?, count("configurations")?];
        Some(Unfolded { cutoffs, constants, counts })
    }

    fn check(&self, path: &Path) -> Result<(), String> {
        let loaded = load(&[path.display().to_string()], &Settings::defines(&self.constants), false)
            .map_err(|error| error.to_string())?;
        let options = Options { all: true, cutoffs: self.cutoffs, ..Options::default() };
        let unfolded = Check::new(&*loaded.subject).engine(Engine::Unfolding).options(options).run();
        let counted = [Counter::Events, Counter::Cutoffs, Counter::Configurations]
            .map(|counter| unfolded.exploration.statistics.get(counter).unwrap_or_default());
        if counted != self.counts {
            return Err(format!("{self:?}: counted {counted:?}"));
        }
        Ok(())
    }
}

/// A kind of violation, and its line where it was given.
type Site = (String, Option<u32>);

fn site(text: &str) -> Option<Site> {
    Some(match text.split_once(" line ") {
        Some((kind, line)) => (kind.to_owned(), Some(line.parse().ok()?)),
        None => (text.to_owned(), None),
    })
}

impl Expected {
    fn read(source: &str) -> Result<Expected, String> {
        let mut expected = Expected::default();
        for (index, line) in source.lines().enumerate() {
            let Some(directive) = line.trim().strip_prefix("//?") else { continue };
            let unclear = || format!("line {}: `{}` is not a directive", index + 1, line.trim());
            let (keyword, value) = directive.trim().split_once(": ").ok_or_else(unclear)?;
            match keyword {
                "verdict" if ["verified", "violated"].contains(&value) => expected.verdict = Some(value.to_owned()),
                "violation" => drop(expected.violations.insert(site(value).ok_or_else(unclear)?)),
                "em-dpor --plain misses" => drop(expected.missed_by_plain.insert(site(value).ok_or_else(unclear)?)),
                "races" if value == "none" => drop(expected.races.get_or_insert_default()),
                "race" => drop(expected.races.get_or_insert_default().insert(value.to_owned())),
                "traces" => expected.traces = Some(value.parse().map_err(|_| unclear())?),
                "em-dpor --plain meets" => expected.met_by_plain = Some(value.parse().map_err(|_| unclear())?),
                "classes" => expected.classes = Some(value.parse().map_err(|_| unclear())?),
                "states" => expected.states = Some(value.parse().map_err(|_| unclear())?),
                _ if keyword.starts_with("fairness ") => {
                    let fairness = Fairness::by_name(&keyword["fairness ".len()..]).ok_or_else(unclear)?;
                    expected.fairness.push((fairness, value.to_owned()));
                }
                _ => match keyword.strip_prefix("executions of ") {
                    Some(of) => expected.executions.push(Executions::read(of, value).ok_or_else(unclear)?),
                    None => expected.unfoldings.push(Unfolded::read(keyword, value).ok_or_else(unclear)?),
                },
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
    let loaded: Loaded =
        load(&[path.display().to_string()], &Settings::default(), false).map_err(|error| error.to_string())?;
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

    if loaded.subject.traits().liveness {
        return check_liveness(&loaded, expected, &one, &two);
    }
    for plain in [false, true] {
        let options = Options { all: true, plain, ..Options::default() };
        let reduced = Check::new(&*loaded.subject).engine(Engine::Stateful).options(options).run();
        expected.compare_violations(&reduced).map_err(|what| format!("stateful, plain {plain}: {what}"))?;
    }

    for cutoffs in [Cutoffs::Size, Cutoffs::Order] {
        let budget = Budget { time: Some(UNFOLDING_TIME), ..Budget::default() };
        let options = Options { all: true, cutoffs, budget, ..Options::default() };
        let unfolded = Check::new(&*loaded.subject).engine(Engine::Unfolding).options(options).run();
        if unfolded.exploration.stop == StopReason::Complete {
            expected.compare_violations(&unfolded).map_err(|what| format!("unfolding, {cutoffs:?}: {what}"))?;
        }
    }
    expected.unfoldings.iter().try_for_each(|unfolded| unfolded.check(path))?;

    if expected.traces.is_some() {
        let options = Options { all: true, cutoffs: Cutoffs::None, ..Options::default() };
        let unfolded = Check::new(&*loaded.subject).engine(Engine::Unfolding).options(options).run();
        same("executions", expected.traces, unfolded.exploration.statistics.get(Counter::Executions))?;
        let all = run(Engine::Enumerate, 1);
        same("traces", expected.traces, all.exploration.statistics.get(Counter::Traces))?;
        expected.compare_violations(&all)?;
        let ends = one.exploration.statistics.get(Counter::EndStates);
        for (engine, options) in reductions() {
            let reduced = Check::new(&*loaded.subject).engine(engine).options(options.clone()).run();
            let statistics = &reduced.exploration.statistics;
            let named = |what: String| format!("{engine}, {options:?}: {what}");
            expected.compare_violations(&reduced).map_err(named)?;
            same("end states", ends, statistics.get(Counter::EndStates)).map_err(named)?;
            if engine == Engine::Dpor && statistics.get(Counter::Executions) < expected.traces {
                return Err(named(format!("{statistics:?} for {:?} traces", expected.traces)));
            }
        }
    }
    check_races(&loaded, expected)?;
    check_classes(&loaded, expected)?;
    expected.executions.iter().try_for_each(|executions| executions.check(path))
}

/// What has to happen in the end: the same lassos on any number of threads, other fairness, and engines that refuse.
fn check_liveness(loaded: &Loaded, expected: &Expected, one: &Checked, two: &Checked) -> Result<(), String> {
    if one.exploration.violations != two.exploration.violations {
        return Err("one thread finds other lassos than two".to_owned());
    }
    let auto = Check::new(&*loaded.subject).run();
    if auto.engine != Engine::Exhaustive || auto.exploration.verdict != one.exploration.verdict {
        return Err(format!("by itself, {} concludes\n{auto}", auto.engine));
    }
    for (fairness, verdict) in &expected.fairness {
        let checked = Check::new(&*loaded.subject).fairness(*fairness).run();
        if checked.exploration.verdict.name() != verdict {
            return Err(format!("fairness {}: expected {verdict}\n{checked}", fairness.name()));
        }
        if let Some(unfaithful) = checked.stories.iter().find(|story| !story.faithful) {
            return Err(format!("the schedule does not lead to `{}`", unfaithful.violation.message));
        }
    }
    for &engine in Engine::ALL.iter().filter(|&&engine| engine != Engine::Exhaustive) {
        let verdict = Check::new(&*loaded.subject).engine(engine).run().exploration.verdict;
        if !matches!(verdict, Verdict::Unsupported(_)) {
            return Err(format!("{engine} does not refuse: {verdict}"));
        }
    }
    Ok(())
}

/// The data races of a program, by every engine that finds them and follows it to its end.
fn check_races(loaded: &Loaded, expected: &Expected) -> Result<(), String> {
    let Some(races) = &expected.races else { return Ok(()) };
    for &engine in Engine::ALL.iter().filter(|engine| engine.finds_races()) {
        let checked = Check::new(&*loaded.subject).engine(engine).races().all().run();
        if matches!(checked.exploration.verdict, Verdict::Bounded { .. } | Verdict::Unsupported(_)) {
            continue;
        }
        let found: Option<BTreeSet<String>> = checked
            .exploration
            .violations
            .iter()
            .filter_map(|found| found.violation.message.strip_prefix("data race on "))
            .map(|race| {
                let (variable, places) = race.split_once(" between ")?;
                let (one, other) = places.split_once(" and ")?;
                Some(format!("{variable} lines {} and {}", one.split(':').next()?, other.split(':').next()?))
            })
            .collect();
        if found.as_ref() != Some(races) {
            return Err(format!("{engine}: expected the data races {races:?}, found {found:?}"));
        }
        if let Some(unfaithful) = checked.stories.iter().find(|story| !story.faithful) {
            return Err(format!("{engine}: the schedule does not lead to `{}`", unfaithful.violation.message));
        }
    }
    Ok(())
}

/// The engines that reduce programs that terminate, in all variants.
fn reductions() -> Vec<(Engine, Options)> {
    let all = Options { all: true, ..Options::default() };
    let plain = Options { plain: true, ..all.clone() };
    let delta = Options { capture: Capture::Delta, ..all.clone() };
    let dpor = [&all, &plain].map(|options| [false, true].map(|no_sleep| Options { no_sleep, ..options.clone() }));
    let dpor = dpor.into_iter().flatten().map(|options| (Engine::Dpor, options));
    dpor.chain([all.clone(), plain, delta].into_iter().map(|options| (Engine::Sdpor, options))).collect()
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
        let expected = if plain { expected.as_published() } else { expected.clone() };
        expected.compare_violations(&covering).map_err(|what| format!("em-dpor, plain {plain}: {what}"))?;
        same("classes", expected.classes, statistics.get(Counter::Traces))?;
        if !plain {
            same("executions for each class", expected.classes, statistics.get(Counter::Executions))?;
        }
    }
    Ok(())
}

/// The programs that a page of the manual shows: the line of each, what is said of it, and its text. What is said stands
/// behind the language of the block, in the words of the directives: "mz violated assertion line 3, deadlock", "mz verified
/// races: none".
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
    let directive = |what: &str| match what.split_once(": ") {
        Some(_) => format!("//? {what}\n"),
        None => format!("//? violation: {what}\n"),
    };
    format!("//? verdict: {verdict}\n") + &violations.map(directive).collect::<String>()
}

#[test]
fn the_programs_of_the_manual_do_what_it_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs-of-the-manual");
    // What the manual's programs include is what those of `examples/include` do.
    let (included, lib) = (root.join("examples/include/lib"), folder.join("lib"));
    fs::create_dir_all(&lib).expect("a folder can be made");
    for file in fs::read_dir(included).expect("a folder can be listed").flatten() {
        fs::copy(file.path(), lib.join(file.file_name())).expect("a file can be copied");
    }
    let mut count = 0;
    for page in ["README.md", "docs/language.md", "docs/liveness.md", "docs/tour-programs.md"] {
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

/// All `.mz` programs below a folder, in order. What they include stands in folders named `lib`.
fn programs(folder: &Path, into: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    for entry in entries {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() {
            if !path.ends_with("lib") {
                programs(&path, into);
            }
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
    assert!(Expected::read("//? verdict: verified\n//? unfolding: 3 events").is_err());
    assert!(Expected::read("//? verdict: verified\n//? unfolding N: 3 events, 1 cutoffs, 2 configurations").is_err());
    let expected = Expected::read("//? verdict: violated\n//? violation: deadlock\n//? violation: assertion line 4");
    let expected = expected.expect("these are directives");
    assert_eq!(expected.violations.len(), 2);
    assert!(expected.violations.contains(&("assertion".to_owned(), Some(4))));
    let expected = Expected::read("//? verdict: verified\n//? executions of optimal, N=6, K=2: 720");
    let constants = vec![("N".to_owned(), 6), ("K".to_owned(), 2)];
    let executions = vec![Executions { engine: Engine::Optimal, constants, count: 720 }];
    assert_eq!(expected.expect("these are directives").executions, executions);
    assert!(Expected::read("//? verdict: verified\n//? executions of nobody: 3").is_err());
}
