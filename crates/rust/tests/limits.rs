//! What no model can go on with: it is told, and the process lives.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{options, search};
use mazurka_core::{Verdict, Violation};
use mazurka_engines::{Engine, Options};
use mazurka_rust::sync::Mutex;
use mazurka_rust::sync::atomic::AtomicUsize;
use mazurka_rust::{Closure, thread};
use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

fn outcome(closure: &Closure) -> (Verdict, Vec<Violation>) {
    let searched = search(closure, Engine::Optimal, &Options { all: false, ..options() });
    let violations = searched.exploration.violations.into_iter().map(|found| found.violation).collect();
    (searched.exploration.verdict, violations)
}

fn unsupported(closure: &Closure) -> String {
    match outcome(closure) {
        (Verdict::Unsupported(reason), _) => reason,
        other => panic!("{other:?}"),
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(feature = "portable")))]
mod stopped {
    use super::*;

    #[inline(never)]
    fn recurse(depth: u64) -> u64 {
        if black_box(depth) == u64::MAX { 0 } else { recurse(depth + 1) + 1 }
    }

    /// Much of the stack is used by the allocator when it is full.
    #[inline(never)]
    fn recurse_in_vectors(depth: u64) -> u64 {
        let vector = black_box(vec![depth; 4]);
        if vector[0] == u64::MAX { 0 } else { recurse_in_vectors(depth + 1) + vector[1] }
    }

    #[test]
    fn a_stack_that_overflows_is_a_violation() {
        for recurse in [recurse, recurse_in_vectors] {
            let closure = Closure::new(move || _ = black_box(recurse(0)));
            let (verdict, violations) = outcome(&closure);
            assert_eq!(verdict, Verdict::Violated);
            let told = &violations[0].message;
            assert!(told.starts_with("main overflows its stack of 256 KiB") && told.contains("`stack_size`"), "{told}");
        }
    }

    /// In some orders only, and while others borrow from the stack.
    #[test]
    fn a_stack_that_overflows_in_some_order_comes_with_a_schedule() {
        let closure = Closure::new(|| {
            let hits = AtomicUsize::new(0);
            let add = || {
                let seen = hits.load(SeqCst);
                hits.store(seen + 1, SeqCst);
            };
            thread::scope(|scope| {
                scope.spawn(add);
                scope.spawn(|| {
                    add();
                    if hits.load(SeqCst) == 1 {
                        recurse(0);
                    }
                });
            });
        });
        let searched = search(&closure, Engine::Optimal, &Options { all: false, ..options() });
        assert_eq!(searched.exploration.verdict, Verdict::Violated);
        assert!(searched.exploration.violations[0].schedule.moves.len() > 2);
    }

    /// A larger stack is enough, for a model or for one thread of it.
    #[test]
    fn a_larger_stack_makes_room() {
        fn descend(depth: u32) -> u32 {
            let room = black_box([0u8; 1024]);
            if depth == 0 { 0 } else { descend(depth - 1) + u32::from(room[0]) + 1 }
        }
        assert_eq!(outcome(&Closure::new(|| _ = descend(400))).0, Verdict::Violated);
        assert_eq!(outcome(&Closure::new(|| _ = descend(400)).stack_size(1 << 20)).0, Verdict::Verified);
        let of_a_thread = Closure::new(|| {
            let builder = thread::Builder::new().stack_size(1 << 20);
            assert_eq!(builder.spawn(|| descend(400)).unwrap().join().unwrap(), 400);
        });
        assert_eq!(outcome(&of_a_thread).0, Verdict::Verified);
    }

    #[inline(never)]
    fn goes_round() {
        let mut number = 0u64;
        while black_box(number) < u64::MAX {
            number = (number + 2) & 0xffff;
        }
    }

    #[test]
    fn a_thread_that_comes_to_no_operation_is_stopped() {
        let closure = Closure::new(|| {
            let hits = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&hits);
            let thread = thread::spawn(move || other.store(1, SeqCst));
            if hits.load(SeqCst) == 1 {
                goes_round();
            }
            thread.join().unwrap();
        });
        let reason = unsupported(&closure.step_time(Duration::from_millis(300)));
        assert!(reason.contains("main has come to no operation for 300ms, since"), "{reason}");
        assert!(reason.contains("limits.rs"), "{reason}");
    }

    /// The commonest mistake.
    #[test]
    fn a_lock_of_std_is_told() {
        let closure = Closure::new(|| {
            let lock = Arc::new(std::sync::Mutex::new(0));
            let hits = Arc::new(AtomicUsize::new(0));
            let (other, also) = (Arc::clone(&lock), Arc::clone(&hits));
            let thread = thread::spawn(move || {
                let _guard = other.lock().unwrap();
                also.store(1, SeqCst);
            });
            let guard = lock.lock().unwrap();
            hits.store(2, SeqCst);
            drop(guard);
            thread.join().unwrap();
        });
        let reason = unsupported(&closure.step_time(Duration::from_millis(300)));
        assert!(reason.contains("a lock, channel or thread of std blocks all threads of a model"), "{reason}");
    }
}

#[test]
fn recursion_through_doubles_overflows_as_well() {
    #[allow(unconditional_recursion)]
    fn recurse(hits: &AtomicUsize) -> usize {
        let seen = hits.load(SeqCst);
        recurse(hits) + black_box(seen)
    }
    let closure = Closure::new(|| _ = recurse(&AtomicUsize::new(0)));
    let (verdict, violations) = outcome(&closure.stack_size(32 * 1024));
    assert_eq!(verdict, Verdict::Violated);
    assert!(violations[0].message.contains("overflows its stack of 32 KiB"), "{}", violations[0].message);
}

#[test]
fn threads_without_end_are_told() {
    let reason = unsupported(&Closure::new(|| {
        loop {
            thread::spawn(|| ());
        }
    }));
    assert!(reason.contains("main makes more than 5000 threads"), "{reason}");
}

#[test]
fn threads_that_are_not_joined_run_to_their_ends() {
    static ENDED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let closure = Closure::new(|| {
        let hits = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let hits = Arc::clone(&hits);
            thread::spawn(move || {
                hits.fetch_add(1, SeqCst);
                ENDED.fetch_add(1, SeqCst);
            });
        }
    });
    assert_eq!(outcome(&closure).0, Verdict::Verified);
    assert_eq!(ENDED.load(SeqCst) % 2, 0);
}

#[test]
fn whether_a_lock_is_poisoned_is_seen_in_all_orders() {
    static SEEN: [std::sync::atomic::AtomicBool; 2] =
        [std::sync::atomic::AtomicBool::new(false), std::sync::atomic::AtomicBool::new(false)];
    let traces = common::agree(|| {
        let lock = Arc::new(Mutex::new(0));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                let _guard = other.lock().unwrap();
                panic!("caught");
            }));
        });
        SEEN[usize::from(lock.is_poisoned())].store(true, SeqCst);
        thread.join().unwrap();
        assert!(lock.is_poisoned());
    });
    // Before the other thread has the lock, while it has it, or after.
    assert_eq!(traces, 3);
    assert!(SEEN.iter().all(|seen| seen.load(SeqCst)));
}
