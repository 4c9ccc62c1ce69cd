//! DroidRacer traces: how many classes each engine meets, and which ends are stuck.
//!
//! The traces that were published with EM-DPOR are not part of this repository. Where they are at hand, beside it, they are
//! checked against the counts that were found for them elsewhere; where they are not, that is said and nothing fails.

mod common;

use common::{root, skip};
use mazurka::engines::{Options, covering_classes};
use mazurka::{Check, Checked, Counter, Engine};
use mazurka_droid as droid;
use mazurka_load::{Loaded, Settings, load};
use std::fs;
use std::path::{Path, PathBuf};

fn load_trace(path: &Path) -> Loaded {
    load(&[path.display().to_string()], &Settings::default(), false).unwrap_or_else(|error| panic!("{error}"))
}

fn run(loaded: &Loaded, engine: Engine, plain: bool) -> Checked {
    let options = Options { all: true, plain, ..Options::default() };
    Check::new(&*loaded.subject).engine(engine).options(options).run()
}

fn count(checked: &Checked, counter: Counter) -> u64 {
    checked.exploration.statistics.get(counter).unwrap_or_default()
}

/// How many executions `dpor` runs, how many classes the published algorithm meets, how many executions and classes ours,
/// and how many deadlocks and stuck ends there are.
#[derive(Debug, PartialEq)]
struct Counts {
    traces: u64,
    classes: u64,
    deadlocks: usize,
}

/// All engines agree; the counts that they agree on.
fn counts(path: &Path) -> Counts {
    counts_where(path, false)
}

/// The same where the published EM-DPOR may miss something: a message that is stuck in front of others.
fn counts_where(path: &Path, plain_misses: bool) -> Counts {
    let loaded = load_trace(path);
    let dpor = run(&loaded, Engine::Dpor, false);
    let (plain, ours) = (run(&loaded, Engine::EmDpor, true), run(&loaded, Engine::EmDpor, false));
    let classes = count(&ours, Counter::Executions);
    let shown = path.display();
    assert_eq!(count(&ours, Counter::Traces), classes, "{shown}: one execution for each class");
    let met = count(&plain, Counter::Traces);
    assert_eq!(met < classes, plain_misses, "{shown}: the published algorithm meets {met} of {classes} classes");
    let deadlocks = |checked: &Checked| {
        let mut found: Vec<String> =
            checked.exploration.violations.iter().map(|found| found.violation.message.clone()).collect();
        found.sort();
        found
    };
    let exhaustive = run(&loaded, Engine::Exhaustive, false);
    for checked in [&dpor, &ours].into_iter().chain((!plain_misses).then_some(&plain)) {
        assert_eq!(deadlocks(checked), deadlocks(&exhaustive), "{shown}: the deadlocks of {}", checked.engine);
        assert!(checked.stories.iter().all(|story| story.faithful), "{shown}");
    }
    Counts { traces: count(&dpor, Counter::Executions), classes, deadlocks: deadlocks(&exhaustive).len() }
}

#[test]
fn the_examples_have_the_classes_that_one_can_count() {
    let folder = root().join("examples/android");
    let examples = [
        // Three events in all orders; only two of them have to do with each other.
        ("two-results", Counts { traces: 6, classes: 2, deadlocks: 0 }),
        // Which thread acquires which lock first: one after the other, or each its first one.
        ("close-while-saving", Counts { traces: 3, classes: 3, deadlocks: 1 }),
        ("user-before-system", Counts { traces: 1, classes: 1, deadlocks: 0 }),
    ];
    for (name, expected) in examples {
        assert_eq!(counts(&folder.join(name).join("trace.txt")), expected, "{name}");
    }
}

/// Small traces of varied shape. Their classes were counted operation by operation by a program that shares nothing with
/// this one, all but the last three: in one a thread waits for a notification that two could give, and who gave it counts
/// here; in one there are two orders of two messages, and with each two orders of two writes; in one two threads get
/// stuck at once, or one of them comes first.
#[test]
fn small_traces_have_the_classes_that_were_counted_elsewhere() {
    let folder = root().join("tests/traces");
    let expected = [
        ("nested-and-delayed-posts", [15, 15], 0, false),
        ("locks-on-two-queues", [14, 14], 2, false),
        ("handler-waits-for-the-next", [2, 2], 1, true),
        ("handler-waits-for-the-next-through-a-thread", [2, 2], 1, true),
        ("two-queues-that-wait-for-each-other", [4, 2], 1, true),
        ("notification-that-two-could-give", [2, 2], 0, false),
        ("stuck-while-a-thread-goes-on", [4, 4], 1, true),
        ("first-run-is-stuck", [2, 2], 1, false),
    ];
    for (name, [traces, classes], deadlocks, plain_misses) in expected {
        let path = folder.join(name).join("trace.txt");
        assert_eq!(counts_where(&path, plain_misses), Counts { traces, classes, deadlocks }, "{name}");
        let read = |file: &str| fs::read_to_string(folder.join(name).join(file));
        let dependence = read("dependence.txt").ok();
        let recording = droid::read("trace.txt", &read("trace.txt").expect("a trace"), dependence.as_deref());
        assert_eq!(covering_classes(&recording.expect("a trace"), MOST_PLACES), Some(classes), "{name}");
    }
}

/// Where the published traces are, if they are here.
fn published() -> Option<PathBuf> {
    let folder = root().join("../shared/data/droidracer-traces");
    if folder.is_dir() {
        return Some(folder);
    }
    skip("published traces", &format!("the published traces are not at {}", folder.display()));
    None
}

#[test]
fn the_published_traces_have_the_classes_that_were_counted() {
    let Some(folder) = published() else { return };
    let single = "multithreading-with-single-queue";
    let expected: [(&str, usize, [u64; 2], usize); 18] = [
        (single, 1, [5, 2], 0),
        (single, 2, [5, 2], 0),
        (single, 3, [3, 2], 0),
        (single, 4, [4, 4], 0),
        (single, 5, [3, 3], 0),
        (single, 6, [14, 4], 0),
        (single, 7, [59, 4], 0),
        (single, 8, [7, 4], 0),
        (single, 9, [12, 8], 0),
        (single, 10, [4, 4], 0),
        (single, 11, [6, 4], 0),
        (single, 12, [18, 8], 0),
        (single, 13, [19, 10], 1),
        (single, 14, [8, 4], 0),
        ("only-multithreading/deadlocks", 1, [7, 7], 1),
        ("only-multithreading/deadlocks", 2, [5, 5], 1),
        ("only-multithreading/deadlocks", 3, [8, 8], 2),
        ("only-multithreading", 1, [4, 4], 0),
    ];
    for (kind, number, [traces, classes], deadlocks) in expected {
        let path = folder.join(format!("benchmark-traces/{kind}/trace{number}/trace.txt"));
        assert_eq!(counts(&path), Counts { traces, classes, deadlocks }, "{kind} {number}");
    }
}

/// The most places that are looked at to count the classes of a trace.
const MOST_PLACES: usize = 400_000;

#[test]
fn traces_with_several_queues_have_as_many_classes_as_all_their_executions() {
    let Some(folder) = published() else { return };
    for number in 1..=10 {
        let path = folder.join(format!("benchmark-traces/multithreading-with-multiple-queues/trace{number}/trace.txt"));
        let text = fs::read_to_string(&path).expect("a trace can be read");
        let recording = droid::read("trace.txt", &text, None).expect("a trace");
        let classes = covering_classes(&recording, MOST_PLACES).expect("not too many places");
        assert_eq!(counts(&path).classes, classes, "trace {number}");
    }
}

#[test]
fn the_traces_of_apps_are_covered() {
    let Some(folder) = published() else { return };
    let apps = [("remind-me", 2), ("mytracks", 10), ("music", 6), ("charachter-recognition", 20), ("aarddict", 2)];
    for (app, classes) in apps {
        let checked = run(&load_trace(&folder.join("tacas-2016").join(app).join("trace.txt")), Engine::EmDpor, false);
        assert!(checked.is_verified(), "{app}\n{checked}");
        assert_eq!(count(&checked, Counter::Executions), classes, "{app}");
        assert_eq!(count(&checked, Counter::Traces), classes, "{app}");
    }
}
