//! Threads that go round for ever: `Builder::livelocks`.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

use mazurka::doubles::sync::Mutex;
use mazurka::doubles::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use mazurka::doubles::thread;
use mazurka::{Builder, Checked, Schedule, Verdict, ViolationKind};
use std::sync::Arc;

fn explore(body: fn()) -> Checked {
    Builder::new().steps(2_000).livelocks().explore(body)
}

/// Where the loop begins, and how many steps it has.
fn lasso(checked: &Checked) -> (usize, usize) {
    let schedule: &Schedule = &checked.exploration.violations[0].schedule;
    let from = schedule.lasso.as_ref().expect("it has no end").from;
    (from, schedule.moves.len() - from)
}

/// A flag that is set and cleared again, before anyone looks or after.
fn missed_signal() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&flag);
    let thread = thread::spawn(move || {
        other.store(true, SeqCst);
        other.store(false, SeqCst);
    });
    while !flag.load(SeqCst) {}
    thread.join().unwrap();
}

/// Waits for what is always set in the end.
fn waits() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&flag);
    let thread = thread::spawn(move || other.store(true, SeqCst));
    while !flag.load(SeqCst) {}
    thread.join().unwrap();
}

fn take_both(first: &Mutex<()>, second: &Mutex<()>) {
    loop {
        let _first = first.lock().unwrap();
        if second.try_lock().is_ok() {
            break;
        }
    }
}

/// Two threads step aside for each other.
fn after_you() {
    let forks = Arc::new((Mutex::new(()), Mutex::new(())));
    let other = Arc::clone(&forks);
    let thread = thread::spawn(move || take_both(&other.1, &other.0));
    take_both(&forks.0, &forks.1);
    thread.join().unwrap();
}

/// A counter goes up in each round, until it is enough.
fn counts() {
    let count = AtomicUsize::new(0);
    while count.fetch_add(1, SeqCst) < 300 {}
}

/// Goes on for ever, and gets something done.
fn works() {
    let flag = AtomicBool::new(false);
    loop {
        flag.store(true, SeqCst);
        flag.store(false, SeqCst);
        mazurka::progress();
    }
}

#[test]
fn a_thread_that_spins_for_ever_is_told_with_its_rounds() {
    let checked = explore(missed_signal);
    let found = &checked.exploration.violations[0].violation;
    assert_eq!((checked.exploration.verdict.clone(), found.kind), (Verdict::Violated, ViolationKind::Liveness));
    assert!(found.message.starts_with("livelock: "), "{}", found.message);
    assert_eq!(lasso(&checked), (2, 1), "{checked}");
    let told = checked.to_string();
    assert!(told.contains("main goes round for ever") && told.contains("again from step 3, for ever"), "{told}");
}

#[test]
fn threads_that_step_aside_for_each_other_are_found() {
    let checked = explore(after_you);
    assert_eq!(checked.exploration.verdict, Verdict::Violated, "{checked}");
    let (_, round) = lasso(&checked);
    let story = &checked.stories[0];
    assert_eq!((round, story.rows.len()), (6, story.lasso.as_ref().map_or(0, |lasso| lasso.from) + 6), "{checked}");
    assert!(checked.to_string().contains("take turns for ever"), "{checked}");
}

#[test]
fn what_ends_is_no_livelock() {
    assert_eq!(explore(waits).exploration.verdict, Verdict::Verified);
    assert_eq!(explore(counts).exploration.verdict, Verdict::Verified);
}

/// Without its progress it would be one; with it, it has executions that are too long.
#[test]
fn a_thread_that_makes_progress_may_go_on() {
    let checked = Builder::new().steps(200).livelocks().explore(works);
    assert!(matches!(checked.exploration.verdict, Verdict::Bounded { .. }), "{checked}");
}

#[test]
fn it_is_the_same_every_time() {
    let told = |checked: Checked| checked.exploration.violations;
    assert_eq!(told(explore(after_you)), told(explore(after_you)));
    // Without being asked, a thread that spins is told as it always was.
    let checked = Builder::new().explore(missed_signal);
    assert_eq!(checked.exploration.violations[0].violation.kind, ViolationKind::Livelock);
}
