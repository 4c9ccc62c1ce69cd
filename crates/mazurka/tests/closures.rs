//! Closures checked as users check them.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

use mazurka::doubles::cell::UnsafeCell;
use mazurka::doubles::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use mazurka::doubles::sync::{Condvar, Mutex};
use mazurka::doubles::thread;
use mazurka::{Builder, Counter, Engine, Verdict};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

fn lost_update() {
    let hits = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&hits);
    let thread = thread::spawn(move || {
        let seen = other.load(SeqCst);
        other.store(seen + 1, SeqCst);
    });
    let seen = hits.load(SeqCst);
    hits.store(seen + 1, SeqCst);
    thread.join().unwrap();
    assert_eq!(hits.load(SeqCst), 2, "an update was lost");
}

fn message(order: Ordering) {
    struct Shared {
        data: UnsafeCell<u32>,
        ready: AtomicBool,
    }
    unsafe impl Sync for Shared {}
    let shared = Arc::new(Shared { data: UnsafeCell::new(0), ready: AtomicBool::new(false) });
    let other = Arc::clone(&shared);
    let writer = thread::spawn(move || {
        other.data.with_mut(|data| unsafe { *data = 42 });
        other.ready.store(true, order);
    });
    if shared.ready.load(Acquire) {
        shared.data.with(|data| assert_eq!(unsafe { *data }, 42));
    }
    writer.join().unwrap();
}

fn deadlock() {
    let left = Arc::new(Mutex::new(()));
    let right = Arc::new(Mutex::new(()));
    let (l, r) = (Arc::clone(&left), Arc::clone(&right));
    let other = thread::spawn(move || {
        let _r = r.lock().unwrap();
        let _l = l.lock().unwrap();
    });
    {
        let _l = left.lock().unwrap();
        let _r = right.lock().unwrap();
    }
    other.join().unwrap();
}

fn lost_wakeup() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&shared);
    let waker = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let is_ready = *shared.0.lock().unwrap();
    if !is_ready {
        let guard = shared.0.lock().unwrap();
        drop(shared.1.wait(guard).unwrap());
    }
    waker.join().unwrap();
}

/// What a failing test prints.
fn told(name: &str, body: impl Fn() + Send + Sync + 'static) -> String {
    let failed = catch_unwind(AssertUnwindSafe(|| Builder::new().name(name).check(body)));
    let payload = failed.map(|_| ()).expect_err("it fails");
    payload.downcast_ref::<String>().cloned().expect("a text")
}

#[mazurka::test]
fn a_test_is_a_model() {
    let hits = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&hits);
    let thread = thread::spawn(move || other.fetch_add(1, SeqCst));
    hits.fetch_add(1, SeqCst);
    thread.join().unwrap();
    assert_eq!(hits.load(SeqCst), 2);
}

#[mazurka::test(engine = "dpor", steps = 100, allow_bounded)]
#[should_panic(expected = "an update was lost")]
fn a_test_that_fails() {
    lost_update();
}

#[test]
fn what_is_verified_depends_on_the_orderings() {
    let checked = Builder::new().explore(|| message(Release));
    assert_eq!(checked.exploration.verdict, Verdict::Verified);
    assert_eq!(checked.exploration.statistics.get(Counter::Executions), Some(2));
    assert!(checked.basis.promise.starts_with("no sequentially consistent execution"), "{}", checked.basis.promise);
    assert!(checked.basis.considered[0].text.starts_with("2 run as if SeqCst"), "{:?}", checked.basis.considered);
    let checked = Builder::new().engine(Engine::Dpor).explore(|| {
        let count = Arc::new(Mutex::new(0));
        let other = Arc::clone(&count);
        let thread = thread::spawn(move || *other.lock().unwrap() += 1);
        thread.join().unwrap();
    });
    assert!(checked.basis.promise.starts_with("no execution that Rust's memory model allows"));
}

#[test]
fn a_failure_is_told_and_can_be_replayed() {
    let told = told("a lost update", lost_update);
    for part in [
        "VIOLATION",
        "an update was lost",
        "hits: 0 → 1",
        "→ 0",
        "MAZURKA_REPLAY=target/mazurka/a.lost.update.schedule",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
#[ignore = "it fails: others run it"]
fn fails_by_a_lost_update() {
    mazurka::model(lost_update);
}

/// Runs a test of this file that is ignored otherwise, and returns what it prints.
fn run(test: &str, variables: &[(&str, &std::path::Path)]) -> String {
    let mut command = std::process::Command::new(std::env::current_exe().expect("this test"));
    command.args(["--ignored", "--exact", "--nocapture", test]).env("RUST_BACKTRACE", "0");
    let output = command.envs(variables.iter().copied()).output().expect("it runs");
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_schedule_is_run_again_as_it_was() {
    let folder = std::env::temp_dir().join(format!("mazurka-closures-{}", std::process::id()));
    let told = run("fails_by_a_lost_update", &[("MAZURKA_REPORT_DIR", &folder)]);
    assert!(told.contains("an update was lost"), "{told}");
    let schedule = folder.join("fails_by_a_lost_update.schedule");
    assert!(told.contains(&format!("replay   MAZURKA_REPLAY={} cargo test", schedule.display())), "{told}");
    assert!(folder.join("fails_by_a_lost_update.html").is_file());
    let told = run("fails_by_a_lost_update", &[("MAZURKA_REPORT_DIR", &folder), ("MAZURKA_REPLAY", &schedule)]);
    // The panic of the user's code, by its own hook, and the story.
    assert!(told.contains("closures.rs:24") && told.contains("replayed") && told.contains("left: 1"), "{told}");
    let told = run("fails_by_a_lost_update", &[("MAZURKA_REPLAY", std::path::Path::new("no-such-file"))]);
    assert!(told.contains("MAZURKA_REPLAY: no-such-file: there is no such file"), "{told}");
    let told = run("fails_by_a_lost_update", &[("MAZURKA_ENGINE", std::path::Path::new("warp"))]);
    assert!(told.contains("MAZURKA_ENGINE: `warp` is no engine; expected one of exhaustive"), "{told}");
    std::fs::remove_dir_all(&folder).expect("it was made above");
    // Advice names what can be set here, not the options of the command.
    let told = run("fails_by_a_lost_update", &[("MAZURKA_STEPS", std::path::Path::new("3"))]);
    assert!(told.contains("a higher MAZURKA_STEPS or `Builder::steps` checks longer schedules"), "{told}");
    assert!(!told.contains(" --"), "{told}");
}

#[test]
fn an_object_is_called_by_the_type_around_it() {
    struct Hits(AtomicUsize);
    impl Hits {
        fn new() -> Self {
            Hits(AtomicUsize::new(0))
        }
    }
    let told = told("a type around an atomic", || {
        let hits = Arc::new(Hits::new());
        let other = Arc::clone(&hits);
        let thread = thread::spawn(move || other.0.store(1, SeqCst));
        assert_eq!(hits.0.load(SeqCst), 0);
        thread.join().unwrap();
    });
    assert!(told.contains("Hits: 0 → 1"), "{told}");
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[test]
fn a_double_panic_is_told_and_the_process_lives() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("second");
        }
    }
    let told = told("a double panic", || {
        let _panics = Panics;
        panic!("first");
    });
    assert!(told.contains("VIOLATION  aborts: a destructor panicked while a panic unwound: second"), "{told}");
    assert!(told.contains("it comes before the first operation that another thread could see"), "{told}");
    assert!(!std::thread::panicking());
}

#[test]
fn a_deadlock_and_a_lost_wakeup_are_told() {
    let deadlock = told("a deadlock", deadlock);
    assert!(deadlock.contains("main takes left before right, other takes right before left: a cycle"), "{deadlock}");
    let wakeup = told("a wakeup", lost_wakeup);
    assert!(wakeup.contains("deadlock: main waits to be notified"), "{wakeup}");
    let race = told("a race", || message(Relaxed));
    assert!(race.contains("data race: data is written here and read at"), "{race}");
    for part in ["is Relaxed, not Release, and `if shared.ready.load(Acquire) {`", "is Acquire, which reads it"] {
        assert!(race.replace("\n           ", " ").contains(part), "{part}: {race}");
    }
}

#[test]
fn a_condition_that_never_holds_is_told() {
    let never = told("a cover", || {
        let flag = AtomicBool::new(false);
        mazurka::cover!(flag.load(SeqCst));
    });
    assert!(never.contains("the condition of `cover!` held in no execution"), "{never}");
    mazurka::model(|| mazurka::cover!(mazurka::choose(3) == 2));
}

#[test]
fn an_assumption_ends_executions_that_do_not_count() {
    let checked = Builder::new().explore(|| {
        let chosen = mazurka::choose(3);
        mazurka::assume(chosen != 1);
        assert_ne!(chosen, 1);
    });
    assert_eq!(checked.exploration.verdict, Verdict::Verified);
    assert_eq!(checked.exploration.statistics.get(Counter::Executions), Some(2));
}

#[test]
fn a_model_within_a_model_is_refused() {
    let told = told("a model within a model", || mazurka::model(|| {}));
    assert!(told.contains("a model cannot be checked within another one"), "{told}");
}

#[test]
fn doubles_outside_of_a_model_behave_like_std() {
    let hits = Arc::new((AtomicUsize::new(0), Mutex::new(0), Condvar::new()));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let hits = Arc::clone(&hits);
            thread::spawn(move || {
                for _ in 0..100 {
                    hits.0.fetch_add(1, Relaxed);
                    *hits.1.lock().unwrap() += 1;
                }
                hits.2.notify_one();
            })
        })
        .collect();
    let mut count = hits.1.lock().unwrap();
    while *count < 400 {
        count = hits.2.wait_timeout(count, std::time::Duration::from_millis(1)).unwrap().0;
    }
    drop(count);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!((hits.0.load(SeqCst), *hits.1.lock().unwrap()), (400, 400));
    let total = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| total.fetch_add(1, SeqCst));
        }
    });
    assert_eq!(total.into_inner(), 3);
}
