//! What is wrong is found, and the message says what it is.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{agree, options, search, violation};
use mazurka_core::{Verdict, ViolationKind};
use mazurka_engines::Engine;
use mazurka_rust::cell::UnsafeCell;
use mazurka_rust::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use mazurka_rust::sync::{Condvar, Mutex, TryLockError};
use mazurka_rust::{Closure, thread};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::time::Duration;

struct Plain(UnsafeCell<u32>);
unsafe impl Sync for Plain {}
unsafe impl Send for Plain {}

/// Publishes data with these orderings, and reads it.
fn publish(store: Ordering, load: Ordering, fences: Option<(Ordering, Ordering)>) {
    let shared = Arc::new((Plain(UnsafeCell::new(0)), AtomicBool::new(false)));
    let other = Arc::clone(&shared);
    let writer = thread::spawn(move || {
        other.0.0.with_mut(|data| unsafe { *data = 42 });
        if let Some((release, _)) = fences {
            fence(release);
        }
        other.1.store(true, store);
    });
    if shared.1.load(load) {
        if let Some((_, acquire)) = fences {
            fence(acquire);
        }
        assert_eq!(shared.0.0.with(|data| unsafe { *data }), 42);
    }
    writer.join().unwrap();
}

/// A release sequence: what was released reaches a thread that reads the update that came after it.
fn sequence(update: bool) {
    let shared = Arc::new((Plain(UnsafeCell::new(0)), AtomicUsize::new(0)));
    let (first, second) = (Arc::clone(&shared), Arc::clone(&shared));
    let writer = thread::spawn(move || {
        first.0.0.with_mut(|data| unsafe { *data = 42 });
        first.1.store(1, Release);
    });
    let between = thread::spawn(move || {
        if update {
            second.1.fetch_add(1, Relaxed);
        } else if second.1.load(Relaxed) == 1 {
            second.1.store(2, Relaxed);
        }
    });
    if shared.1.load(Acquire) == 2 {
        shared.0.0.with(|data| unsafe { *data });
    }
    writer.join().unwrap();
    between.join().unwrap();
}

fn kind(body: fn()) -> ViolationKind {
    violation(body).kind
}

#[test]
fn orderings_that_publish_are_verified_and_weaker_ones_race() {
    agree(|| publish(Release, Acquire, None));
    agree(|| publish(SeqCst, SeqCst, None));
    agree(|| publish(Relaxed, Relaxed, Some((Release, Acquire))));
    agree(|| publish(Relaxed, Acquire, Some((SeqCst, Relaxed.max_fence()))));
    // One mutation for each ordering.
    assert_eq!(kind(|| publish(Relaxed, Acquire, None)), ViolationKind::Race);
    assert_eq!(kind(|| publish(Release, Relaxed, None)), ViolationKind::Race);
    assert_eq!(kind(|| publish(Relaxed, Relaxed, Some((Acquire, Acquire)))), ViolationKind::Race);
    assert_eq!(kind(|| publish(Relaxed, Relaxed, Some((Release, Release)))), ViolationKind::Race);
}

/// `Relaxed` is no ordering for a fence.
trait MaxFence {
    fn max_fence(self) -> Ordering;
}

impl MaxFence for Ordering {
    fn max_fence(self) -> Ordering {
        if self == Relaxed { SeqCst } else { self }
    }
}

#[test]
fn a_release_sequence_goes_on_with_updates_only() {
    agree(|| sequence(true));
    assert_eq!(kind(|| sequence(false)), ViolationKind::Race);
}

#[test]
fn every_engine_that_merges_states_finds_the_race() {
    let closure = Closure::new(|| publish(Relaxed, Acquire, None));
    for engine in
        [Engine::Exhaustive, Engine::Stateful, Engine::Sdpor, Engine::Unfolding, Engine::Dpor, Engine::Enumerate]
    {
        let searched = search(&closure, engine, &options());
        let kinds: Vec<_> = searched.exploration.violations.iter().map(|found| found.violation.kind).collect();
        assert_eq!(kinds, [ViolationKind::Race], "{engine}");
    }
}

#[test]
fn a_race_is_told_with_both_places() {
    let told = violation(|| publish(Relaxed, Acquire, None));
    assert!(
        told.message.starts_with("data race: shared is written here and read at crates/rust/tests/faults.rs:"),
        "{}",
        told.message
    );
    assert!(told.location.is_some_and(|place| place.file.ends_with("faults.rs")));
}

#[test]
fn threads_that_wait_for_each_other_are_a_deadlock() {
    let told = violation(|| {
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
    });
    assert_eq!(told.kind, ViolationKind::Deadlock);
    assert!(told.message.contains("main locks right") && told.message.contains("other locks left"), "{}", told.message);
}

#[test]
fn a_wakeup_that_comes_too_early_is_lost() {
    let told = violation(|| {
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
    });
    assert_eq!(told.kind, ViolationKind::Deadlock);
    assert!(told.message.contains("main waits to be notified"), "{}", told.message);
}

#[test]
fn a_wait_with_a_limit_may_time_out_or_not() {
    static TIMED_OUT: [std::sync::atomic::AtomicBool; 2] =
        [std::sync::atomic::AtomicBool::new(false), std::sync::atomic::AtomicBool::new(false)];
    agree(|| {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = Arc::clone(&shared);
        let waker = thread::spawn(move || {
            *other.0.lock().unwrap() = true;
            other.1.notify_one();
        });
        let guard = shared.0.lock().unwrap();
        if !*guard {
            let (_guard, result) = shared.1.wait_timeout(guard, Duration::from_secs(1)).unwrap();
            TIMED_OUT[usize::from(result.timed_out())].store(true, SeqCst);
        }
        waker.join().unwrap();
    });
    assert!(TIMED_OUT.iter().all(|seen| seen.load(SeqCst)));
}

#[test]
fn a_lock_that_is_tried_may_be_seen_held() {
    static SEEN: [std::sync::atomic::AtomicBool; 2] =
        [std::sync::atomic::AtomicBool::new(false), std::sync::atomic::AtomicBool::new(false)];
    let traces = agree(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || *other.lock().unwrap() += 1);
        let is_held = match lock.try_lock() {
            Ok(_) => false,
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Poisoned(_)) => unreachable!("no thread panics"),
        };
        SEEN[usize::from(is_held)].store(true, SeqCst);
        thread.join().unwrap();
    });
    assert_eq!(traces, 3);
    assert!(SEEN.iter().all(|seen| seen.load(SeqCst)));
}

#[test]
fn a_panic_is_told_with_its_values() {
    let told = violation(|| {
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
    });
    assert_eq!(told.kind, ViolationKind::Assertion);
    assert_eq!(told.message, "assertion `left == right` failed: an update was lost");
    assert_eq!(told.values[0].value, "1");
}

#[test]
fn a_panic_before_the_first_operation_is_found() {
    assert_eq!(violation(|| panic!("at once")).message, "panicked: at once");
    let in_thread = || {
        let _ = thread::spawn(|| panic!("in a thread")).join();
    };
    assert_eq!(violation(in_thread).message, "panicked: in a thread");
}

#[test]
fn whoever_joins_a_thread_gets_its_panic() {
    let closure = Closure::new(|| {
        let result = thread::spawn(|| -> u32 { panic!("no") }).join();
        assert_eq!(result.unwrap_err().downcast_ref::<&str>(), Some(&"no"));
    });
    let searched = search(&closure, Engine::Optimal, &options());
    assert_eq!(searched.messages().into_iter().collect::<Vec<_>>(), ["panicked: no"]);
}

#[test]
fn destructors_run_while_a_thread_unwinds() {
    struct Locks(Arc<Mutex<u32>>);
    impl Drop for Locks {
        fn drop(&mut self) {
            *self.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) += 1;
        }
    }
    let closure = Closure::new(|| {
        let count = Arc::new(Mutex::new(0));
        let other = Arc::clone(&count);
        let thread = thread::spawn(move || {
            let _locks = Locks(other);
            panic!("with a destructor");
        });
        *count.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) += 1;
        let _ = thread.join();
    });
    let searched = search(&closure, Engine::Optimal, &options());
    assert_eq!(searched.messages().into_iter().collect::<Vec<_>>(), ["panicked: with a destructor"]);
}

#[test]
fn a_mutex_is_poisoned_by_a_panic() {
    agree(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let _guard = other.lock();
                panic!("caught");
            }));
        });
        let was_poisoned = lock.lock().is_err();
        thread.join().unwrap();
        assert!(lock.is_poisoned() && lock.lock().is_err());
        lock.clear_poison();
        assert!(lock.lock().is_ok() || was_poisoned);
    });
}

fn unsupported(closure: &Closure) -> String {
    let options = mazurka_engines::Options { all: false, ..options() };
    match search(closure, Engine::Optimal, &options).exploration.verdict {
        Verdict::Unsupported(reason) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_closure_that_does_something_else_each_time_is_refused() {
    static RUNS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let reason = unsupported(&Closure::new(|| {
        let hits = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&hits);
        let thread = thread::spawn(move || other.store(1, SeqCst));
        if RUNS.fetch_add(1, SeqCst).is_multiple_of(2) {
            hits.load(SeqCst);
        }
        hits.fetch_add(1, SeqCst);
        thread.join().unwrap();
    }));
    assert!(reason.contains("not deterministic") && reason.contains("main"), "{reason}");
}

#[test]
fn a_closure_that_stores_another_value_each_time_is_refused() {
    static RUNS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let reason = unsupported(&Closure::new(|| {
        let hits = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&hits);
        let thread = thread::spawn(move || {
            other.store(RUNS.fetch_add(1, SeqCst), SeqCst);
            other.store(0, SeqCst);
        });
        hits.fetch_add(1, SeqCst);
        thread.join().unwrap();
    }));
    assert!(reason.contains("seen other values"), "{reason}");
}

#[test]
fn what_was_made_before_has_its_first_value_again() {
    static HITS: std::sync::LazyLock<AtomicUsize> = std::sync::LazyLock::new(|| AtomicUsize::new(5));
    std::sync::LazyLock::force(&HITS);
    agree(|| {
        let thread = thread::spawn(|| HITS.fetch_add(1, SeqCst));
        HITS.fetch_add(1, SeqCst);
        thread.join().unwrap();
        assert_eq!(HITS.load(SeqCst), 7);
    });
    assert_eq!(HITS.load(SeqCst), 5);
}

#[test]
fn a_long_execution_is_followed() {
    let closure = Closure::new(|| {
        let hits = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&hits);
        let thread = thread::spawn(move || other.fetch_add(1, Relaxed));
        thread.join().unwrap();
        for _ in 0..5_000 {
            hits.fetch_add(1, Relaxed);
        }
    });
    let mut long = options();
    long.budget.depth = Some(10_000);
    assert_eq!(search(&closure, Engine::Optimal, &long).exploration.verdict, Verdict::Verified);
}

#[test]
fn several_threads_search_as_one_does() {
    let body = || {
        let hits = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let hits = Arc::clone(&hits);
                thread::spawn(move || {
                    let seen = hits.load(SeqCst);
                    hits.store(seen + 1, SeqCst);
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    let one = search(&Closure::new(body), Engine::Optimal, &options());
    let two = search(&Closure::new(body), Engine::Optimal, &mazurka_engines::Options { threads: 2, ..options() });
    assert_eq!(one.get(mazurka_core::Counter::Executions), two.get(mazurka_core::Counter::Executions));
    assert_eq!(one.ends.len(), two.ends.len());
}
