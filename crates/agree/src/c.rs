//! Compares C programs with `.mz`: each random program that has a C form is explored in both.
//!
//! What can go wrong must be the same, and so must the number of traces, which every engine that counts them exactly has to
//! find. Steps of the C program whose footprints have no conflict must commute. Programs whose variables are plain are also
//! compared as to whether there is a data race.

use crate::as_c::{Accesses, C_PRELUDE, as_c, leave_out_what_c_lacks};
use crate::{EndClass, Generated, generate, promise, reference};
use mazurka_c::clang::Clang;
use mazurka_c::{Identity as CIdentity, Model as CModel, Options as COptions, Program as CProgram};
use mazurka_core::{
    Budget, Counter, Exploration, Meter, Silent, StopReason, System, Verdict, Violation, ViolationKind,
};
use mazurka_engines::commutation::{check_state, steps};
use mazurka_engines::{Engine, Options, explore, refuses};
use mazurka_lang::ast::Unit;
use mazurka_lang::{Identity, Model, compile, print};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How many programs stand in one file.
const OF_A_FILE: u64 = 50;
/// The most states of a program that is compared.
const MOST_STATES: usize = 5_000;
/// The most states or steps of one search.
const MOST_SIZE: u64 = 300_000;
const MOST_TIME: Duration = Duration::from_secs(10);
/// In how many states of the C program the footprints of steps are looked at.
const FOOTPRINT_STATES: usize = 40;
/// The engines that run each trace once.
const COUNTING: [Engine; 2] = [Engine::Optimal, Engine::Event];
/// The engines whose verdicts are compared.
const FINDING: [Engine; 6] =
    [Engine::Exhaustive, Engine::Stateful, Engine::Dpor, Engine::Sdpor, Engine::Unfolding, Engine::Enumerate];

/// What was compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CTally {
    /// Programs that were made.
    pub programs: u64,
    /// Those that were compared.
    pub compared: u64,
    /// Those of them in which something can go wrong.
    pub violated: u64,
    /// Numbers of traces that were compared, and how many traces these were.
    pub counts: u64,
    /// Traces of all of them.
    pub traces: u64,
    /// Programs with plain variables whose data races were compared, and how many of them have one.
    pub races: [u64; 2],
    /// Why the others were not compared.
    pub left_out: BTreeMap<&'static str, u64>,
}

impl fmt::Display for CTally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} programs, {} of them compared in C: {} violated; {} counts of {} traces; {} races looked for, {} found",
            self.programs, self.compared, self.violated, self.counts, self.traces, self.races[0], self.races[1]
        )?;
        self.left_out.iter().try_for_each(|(reason, count)| writeln!(f, "  {count} left out: {reason}"))
    }
}

/// A program that is not the same in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CDifference {
    /// The program's number.
    pub seed: u64,
    /// What differs.
    pub words: String,
    /// The program.
    pub source: String,
    /// The program as C.
    pub c: String,
}

impl fmt::Display for CDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "program {} is not the same in C: {}\n\n{}\n{}", self.seed, self.words, self.source, self.c)
    }
}

/// Compares the programs of these numbers, with files in a folder. The error is what cannot be compared at all.
pub fn compare_as_c(
    seeds: Range<u64>,
    clang: &Clang,
    folder: &Path,
    tally: &mut CTally,
) -> Result<Vec<CDifference>, String> {
    let mut differences = Vec::new();
    let mut start = seeds.start;
    while start < seeds.end {
        let end = (start + OF_A_FILE).min(seeds.end);
        compare_file(start..end, clang, folder, tally, &mut differences)?;
        start = end;
    }
    Ok(differences)
}

/// A program in both languages.
struct Pair {
    seed: u64,
    unit: Unit,
    c: String,
    accesses: Accesses,
}

fn compare_file(
    seeds: Range<u64>,
    clang: &Clang,
    folder: &Path,
    tally: &mut CTally,
    differences: &mut Vec<CDifference>,
) -> Result<(), String> {
    let mut pairs = Vec::new();
    let file = folder.join(format!("agree-{}.c", seeds.start));
    for seed in seeds {
        tally.programs += 1;
        let Generated { mut unit, .. } = generate(seed);
        leave_out_what_c_lacks(&mut unit);
        let accesses = if seed % 2 == 0 { Accesses::Atomic } else { Accesses::Plain };
        match as_c(&unit, seed, accesses) {
            Ok(c) => pairs.push(Pair { seed, unit, c, accesses }),
            Err(reason) => *tally.left_out.entry(reason).or_default() += 1,
        }
    }
    let text: String = pairs.iter().map(|pair| pair.c.as_str()).collect();
    std::fs::write(&file, format!("{C_PRELUDE}{text}")).map_err(|error| error.to_string())?;
    let ir = clang.translate(&file.display().to_string(), &[]).map_err(|error| error.to_string())?;
    for Pair { seed, unit, c, accesses } in pairs {
        let source = print(&unit);
        match compare(&source, &ir, seed, accesses, tally) {
            Ok(()) => {}
            Err(Unequal::LeftOut(reason)) => *tally.left_out.entry(reason).or_default() += 1,
            Err(Unequal::Differs(words)) => differences.push(CDifference { seed, words, source, c }),
        }
    }
    Ok(())
}

enum Unequal {
    /// Why the two cannot be compared.
    LeftOut(&'static str),
    Differs(String),
}

fn differs<T>(words: impl Into<String>) -> Result<T, Unequal> {
    Err(Unequal::Differs(words.into()))
}

/// What can go wrong: which kinds of things, and how many assertions.
#[derive(Debug, PartialEq, Eq)]
struct Faults {
    kinds: BTreeSet<&'static str>,
    assertions: usize,
}

fn faults<'v>(violations: impl Iterator<Item = &'v Violation>) -> Faults {
    let mut faults = Faults { kinds: BTreeSet::new(), assertions: 0 };
    let mut lines = BTreeSet::new();
    for violation in violations {
        faults.kinds.insert(violation.kind.name());
        if violation.kind == ViolationKind::Assertion {
            lines.insert(violation.location.as_ref().map(|location| location.line));
        }
    }
    faults.assertions = lines.len();
    faults
}

fn faults_of(exploration: &Exploration) -> Faults {
    faults(exploration.violations.iter().map(|found| &found.violation))
}

fn options(races: bool) -> Options {
    let budget = Budget { time: Some(MOST_TIME), size: Some(MOST_SIZE), ..Budget::default() };
    Options { budget, all: true, threads: 1, races, ..Options::default() }
}

/// What an engine finds if it comes to its end; `None` if it does not.
fn explored<S: System>(engine: Engine, system: &S, races: bool) -> Option<Exploration> {
    if refuses(engine, &system.traits()).is_some() {
        return None;
    }
    let exploration = explore(engine, system, &options(races), &mut Silent);
    let is_whole = exploration.stop == StopReason::Complete && !matches!(exploration.verdict, Verdict::Bounded { .. });
    is_whole.then_some(exploration)
}

/// What C does not have, or has in another way: an index before a local array may be that of its neighbour.
fn is_beyond_c(violation: &Violation, has_local_arrays: bool) -> bool {
    let is_about = |word: &&str| violation.message.contains(word);
    violation.kind == ViolationKind::Crash
        && (["overflow", "nested", "does not end", "empty range"].iter().any(is_about)
            || (has_local_arrays && is_about(&"index out of range")))
}

fn compare(source: &str, ir: &str, seed: u64, accesses: Accesses, tally: &mut CTally) -> Result<(), Unequal> {
    let program = compile("random.mz", source, &[]).map_err(|_| Unequal::Differs("it does not compile".into()))?;
    let program = Arc::new(program);
    let mz = [Identity::Presence, Identity::History].map(|identity| Model::new(Arc::clone(&program), identity));
    let Some(reference) = reference::explore(&mz[0], MOST_STATES, false) else {
        return Err(Unequal::LeftOut("too many states"));
    };
    let Some(oracle) = explored(Engine::Exhaustive, &mz[0], false) else {
        return Err(Unequal::LeftOut("too many states"));
    };
    let has_local_arrays = source.lines().any(|line| line.trim_start().starts_with("let ") && line.contains("] = "));
    if oracle.violations.iter().any(|found| is_beyond_c(&found.violation, has_local_arrays)) {
        return Err(Unequal::LeftOut("a crash that C has not"));
    }
    let expected = faults_of(&oracle);
    let c_options = COptions { entry: format!("program_{seed}"), ..COptions::default() };
    let files = [("agree.ll".to_owned(), ir.to_owned())];
    let c_program = CProgram::from_ir(&files, &c_options).map_err(|error| Unequal::Differs(error.to_string()))?;
    let c_program = Arc::new(c_program);
    let c = [CIdentity::Presence, CIdentity::History].map(|identity| CModel::new(Arc::clone(&c_program), identity));
    for model in &c {
        check_footprints(model)?;
    }
    let model_of = |engine: Engine| usize::from(!engine.present_identity());
    for engine in FINDING.into_iter().filter(|engine| reference.terminates || promise(*engine).cycles) {
        let Some(found) = explored(engine, &c[model_of(engine)], false) else { continue };
        let mut found = faults_of(&found);
        // Once an actor was stopped by a violation, nothing is a deadlock in C. In `.mz`, actors that wait for others
        // may still be in one.
        let deadlock = ViolationKind::Deadlock.name();
        if expected.kinds.len() > 1 && expected.kinds.contains(deadlock) {
            found.kinds.insert(deadlock);
        }
        if found != expected {
            return differs(format!("{engine} finds {found:?} in C, {expected:?} in .mz"));
        }
    }
    tally.compared += 1;
    tally.violated += u64::from(!expected.kinds.is_empty());
    if !reference.terminates {
        return Ok(());
    }
    // Where a violation has stopped one actor, an execution in which others wait for it counts in C, and not in `.mz`.
    if reference.observations.ends.iter().any(|(class, _)| *class == EndClass::Blocked) {
        return Ok(());
    }
    // In `.mz`, a signal that no thread waits for conflicts with others, and a handle that is forgotten with the end of
    // its thread. In C they do not.
    let is_coarser = ["signal(", "broadcast(", "= spawn"].iter().any(|word| source.contains(word));
    for engine in COUNTING {
        let (ours, theirs) = (explored(engine, &mz[1], false), explored(engine, &c[1], false));
        let (Some(ours), Some(theirs)) = (ours, theirs) else { continue };
        let [ours, theirs] = [ours, theirs].map(|found| found.statistics.get(Counter::Executions).unwrap_or_default());
        if ours != theirs && !(theirs < ours && is_coarser) {
            return differs(format!("{engine} runs {theirs} executions in C, {ours} in .mz"));
        }
        tally.counts += 1;
        tally.traces += ours;
    }
    if accesses == Accesses::Plain {
        compare_races(&mz[1], CModel::with_races(c_program), tally)?;
    }
    Ok(())
}

fn compare_races(mz: &Model, c: CModel, tally: &mut CTally) -> Result<(), Unequal> {
    let (ours, theirs) = (explored(Engine::Optimal, mz, true), explored(Engine::Optimal, &c, true));
    let (Some(ours), Some(theirs)) = (ours, theirs) else { return Ok(()) };
    let [ours, theirs] = [ours, theirs].map(|found| faults_of(&found).kinds.contains(ViolationKind::Race.name()));
    if ours != theirs {
        return differs(format!("a data race in C: {theirs}; in .mz: {ours}"));
    }
    tally.races[0] += 1;
    tally.races[1] += u64::from(ours);
    Ok(())
}

/// In the first states of the C program, steps without a conflict commute.
fn check_footprints(model: &CModel) -> Result<(), Unequal> {
    let meter = Meter::start(&Budget::default());
    let mut queue = model.initial_states();
    let mut seen: FxHashSet<_> = queue.iter().cloned().collect();
    let mut next = 0;
    while next < queue.len().min(FOOTPRINT_STATES) {
        let state = queue[next].clone();
        next += 1;
        let taken = steps(model, &state);
        check_state(model, &state, &taken, &meter).map_err(Unequal::Differs)?;
        for step in taken {
            if seen.len() < FOOTPRINT_STATES && seen.insert(step.after.clone()) {
                queue.push(step.after);
            }
        }
    }
    Ok(())
}
