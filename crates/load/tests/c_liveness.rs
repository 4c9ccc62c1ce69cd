//! What C programs have to do in the end: the programs of `examples/liveness`, checked against the directives that stand in
//! them, and small ones.
//!
//! - `//? verdict: verified`: what is concluded without options;
//! - `//? livelock: violated, loop of 6`: what is concluded with `--livelock`, and how many steps the loop has.
//!
//! Where there is no clang, the test is skipped.

mod common;

use common::skip;
use mazurka::engines::Options;
use mazurka::{Check, Checked, Counter, Engine, Fairness, Schedule, Verdict};
use mazurka_load::{Loaded, Settings, load};
use std::fs;
use std::path::Path;

fn has_clang() -> bool {
    let found = mazurka_c::clang::Clang::find().is_ok();
    if !found {
        skip("clang", "there is no clang");
    }
    found
}

fn read(path: &Path, livelock: bool) -> Loaded {
    let settings = Settings { livelock, ..Settings::default() };
    load(&[path.display().to_string()], &settings, false).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A program as a file.
fn written(name: &str, text: &str) -> std::path::PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).expect("it can be written");
    path
}

fn loop_of(schedule: &Schedule) -> Option<usize> {
    Some(schedule.moves.len() - schedule.lasso.as_ref()?.from)
}

/// The verdict, and the length of the loop, as a directive has them.
fn told(checked: &Checked) -> String {
    let found = checked.exploration.violations.first().and_then(|found| loop_of(&found.schedule));
    let verdict = checked.exploration.verdict.name();
    found.map_or_else(|| verdict.to_owned(), |steps| format!("{verdict}, loop of {steps}"))
}

#[test]
fn every_example_is_what_it_says() {
    if !has_clang() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/liveness");
    let mut programs = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "c") {
            continue;
        }
        programs += 1;
        let text = fs::read_to_string(&path).expect("a program is text");
        for directive in text.lines().filter_map(|line| line.strip_prefix("//? ")) {
            let (what, value) = directive.split_once(": ").expect("a directive");
            let loaded = read(&path, what == "livelock");
            let checked = Check::new(&*loaded.subject).run();
            assert_eq!(told(&checked), value, "{}: {checked}", path.display());
            for found in &checked.exploration.violations {
                let met = loaded.subject.replay(&found.schedule);
                assert!(met.is_some_and(|met| met.contains(&found.violation)), "{}", path.display());
            }
        }
    }
    assert_eq!(programs, 3);
}

/// The verdict, the lassos and the counts are those of one thread, with every example of the folder.
#[test]
fn the_number_of_threads_does_not_matter() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/liveness");
    let mut programs = 0;
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        let is_c = path.extension().is_some_and(|extension| extension == "c");
        if is_c && !has_clang() {
            continue;
        }
        programs += 1;
        let loaded = read(&path, is_c);
        let run = |threads| {
            let checked = Check::new(&*loaded.subject).engine(Engine::Exhaustive).all().threads(threads).run();
            let kept = checked.exploration.statistics.get(Counter::KeptSteps);
            (checked.exploration.verdict, checked.exploration.violations, kept)
        };
        let alone = run(1);
        assert!(alone.2.is_some_and(|kept| kept > 0), "{}", path.display());
        assert_eq!(run(2), alone, "{}", path.display());
        assert_eq!(run(4), alone, "{}", path.display());
    }
    assert!(programs >= 9, "{programs}");
}

/// A thread looks for what never comes, under a lock: it changes the lock in each round.
#[test]
fn a_loop_that_polls_under_a_lock_is_a_livelock() {
    if !has_clang() {
        return;
    }
    let path = written(
        "polls.c",
        "#include <pthread.h>\n\
         static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n\
         static int ready;\n\
         static void *poll(void *unused) {\n\
         for (;;) { pthread_mutex_lock(&lock); int now = ready; pthread_mutex_unlock(&lock); if (now) return unused; }\n\
         }\n\
         int main(void) { pthread_t one; pthread_create(&one, 0, poll, 0); pthread_join(one, 0); }\n",
    );
    let loaded = read(&path, true);
    let checked = Check::new(&*loaded.subject).run();
    assert_eq!(told(&checked), "violated, loop of 3", "{checked}");
}

/// GenMC #17: a loop that another thread ends is no livelock. GenMC #34: of one that is, the thread is named that goes round.
#[test]
fn only_who_goes_round_for_ever_is_named() {
    if !has_clang() {
        return;
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let spins = read(&examples.join("c/spin-lock.c"), true);
    assert_eq!(told(&Check::new(&*spins.subject).run()), "verified");
    let missed = read(&examples.join("liveness/missed-signal.c"), true);
    let checked = Check::new(&*missed.subject).run();
    let why = checked.stories[0].lasso.as_ref().map(|lasso| lasso.why.as_str());
    assert_eq!(why, Some("main goes round for ever"));
}

/// A thread that is made and ends in each round, with memory of its own, comes back to a state only by presence.
#[test]
fn rounds_that_make_threads_come_back() {
    if !has_clang() {
        return;
    }
    let path = written(
        "makes-threads.c",
        "#include <pthread.h>\n#include <stdlib.h>\n\
         static void *work(void *memory) { *(int *)memory = 1; return 0; }\n\
         int main(void) {\n\
         for (;;) {\n\
         pthread_t one; int *memory = malloc(sizeof *memory);\n\
         pthread_create(&one, 0, work, memory); pthread_join(one, 0); free(memory);\n\
         }\n\
         }\n",
    );
    let loaded = read(&path, true);
    let checked = Check::new(&*loaded.subject).run();
    assert_eq!(checked.exploration.verdict, Verdict::Violated, "{checked}");
    assert!(checked.stories[0].lasso.is_some(), "{checked}");
}

#[test]
fn only_exhaustive_answers() {
    if !has_clang() {
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/liveness");
    let loaded = read(&folder.join("after-you.c"), true);
    for &engine in Engine::ALL {
        let verdict = loaded.subject.explore(engine, &Options::default(), &mut mazurka::Silent).verdict;
        match engine {
            Engine::Exhaustive => assert_eq!(verdict, Verdict::Violated),
            _ => assert!(matches!(verdict, Verdict::Unsupported(_)), "{engine}: {verdict:?}"),
        }
    }
    // No fairness helps two threads that both move.
    let checked = Check::new(&*loaded.subject).fairness(Fairness::Strong).run();
    assert_eq!(told(&checked), "violated, loop of 6");
}

#[test]
fn a_program_that_says_what_is_progress_has_to_make_some() {
    if !has_clang() {
        return;
    }
    let text = "#include <mazurka.h>\nint main(void) { mazurka_progress(); }\n";
    let path = written("ends.c", text);
    // It comes to its end, which is no progress; where livelocks are looked for, that is as good.
    assert_eq!(Check::new(&*read(&path, false).subject).run().exploration.verdict, Verdict::Violated);
    assert_eq!(Check::new(&*read(&path, true).subject).run().exploration.verdict, Verdict::Verified);
}
