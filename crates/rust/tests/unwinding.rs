//! Threads that unwind: the steps of their destructors are steps like others, and nothing that a destructor does ends the process.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{agree, options, search, violation};
use mazurka_core::{Verdict, Violation, ViolationKind};
use mazurka_engines::{Engine, Options};
use mazurka_rust::sync::Mutex;
use mazurka_rust::sync::atomic::{AtomicBool, AtomicUsize};
use mazurka_rust::{Closure, assume, thread};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, SeqCst};

/// Does something when it is dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Panics within, and goes on.
fn caught(body: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(body)).is_err());
}

fn outcome(body: impl Fn() + Send + Sync + 'static) -> (Verdict, Vec<Violation>) {
    let searched = search(&Closure::new(body), Engine::Optimal, &Options { all: false, ..options() });
    let violations = searched.exploration.violations.into_iter().map(|found| found.violation).collect();
    (searched.exploration.verdict, violations)
}

#[test]
fn two_threads_unwind_at_once() {
    let closure = Closure::new(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..2)
            .map(|number| {
                let count = Arc::clone(&count);
                thread::spawn(move || {
                    let _adds = OnDrop(|| {
                        assert!(thread::panicking());
                        count.fetch_add(1, SeqCst);
                        count.fetch_add(1, SeqCst);
                    });
                    panic!("of thread {number}");
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| assert!(thread.join().is_err()));
    });
    let searched = search(&closure, Engine::Optimal, &options());
    let messages: Vec<_> = searched.messages().into_iter().collect();
    assert_eq!(messages, ["panicked: of thread 0", "panicked: of thread 1"]);
    for found in &searched.exploration.violations {
        let place = found.violation.location.clone().unwrap();
        assert!(place.file.ends_with("unwinding.rs"), "{place}");
    }
}

/// What is formatted belongs to the step: `std` prepares the panic then.
#[test]
fn operations_within_the_message_of_a_panic_do_not_stop_there() {
    struct Shown(Arc<AtomicUsize>);
    impl std::fmt::Display for Shown {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{} and {}", self.0.load(SeqCst), self.0.load(SeqCst))
        }
    }
    let traces = agree(|| {
        let count = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&count);
        let thread = thread::spawn(move || other.store(1, SeqCst));
        let result = catch_unwind(AssertUnwindSafe(|| panic!("{}", Shown(Arc::clone(&count)))));
        let message = result.unwrap_err().downcast::<String>().unwrap();
        assert!(["0 and 0", "1 and 1"].contains(&message.as_str()), "{message}");
        count.load(SeqCst);
        thread.join().unwrap();
    });
    assert_eq!(traces, 2);
}

/// A destructor may panic as long as it catches that itself.
#[test]
fn a_panic_within_a_destructor_may_be_caught_there() {
    agree(|| {
        let count = AtomicUsize::new(0);
        caught(|| {
            let _catches = OnDrop(|| {
                caught(|| {
                    let _adds = OnDrop(|| _ = count.fetch_add(1, SeqCst));
                    panic!("inner");
                });
                count.fetch_add(1, SeqCst);
            });
            panic!("outer");
        });
        assert_eq!(count.load(SeqCst), 2);
    });
}

/// Elsewhere, operations of destructors that a panic runs belong to the step that they are in.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(feature = "portable")))]
mod steps {
    use super::*;

    #[test]
    fn destructors_of_a_panic_are_interleaved() {
        static SEEN: std::sync::Mutex<Vec<(usize, usize)>> = std::sync::Mutex::new(Vec::new());
        let traces = agree(|| {
            let both = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
            let other = Arc::clone(&both);
            let thread = thread::spawn(move || {
                caught(|| {
                    let _second = OnDrop(|| other.1.store(1, SeqCst));
                    let _first = OnDrop(|| {
                        assert!(thread::panicking());
                        other.0.store(1, SeqCst);
                        assert!(thread::panicking());
                    });
                    panic!("caught");
                });
                assert!(!thread::panicking());
            });
            let second = both.1.load(SeqCst);
            assert!(!thread::panicking());
            let first = both.0.load(SeqCst);
            SEEN.lock().unwrap().push((first, second));
            thread.join().unwrap();
        });
        // None, the first, both, and the first between the two loads.
        assert_eq!(traces, 3);
        let mut seen = SEEN.lock().unwrap().clone();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [(0, 0), (1, 0), (1, 1)]);
    }

    #[test]
    fn an_error_that_only_a_destructor_makes_visible_is_found() {
        let told = violation(|| {
            let both = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
            let other = Arc::clone(&both);
            let thread = thread::spawn(move || {
                caught(|| {
                    let _both = OnDrop(|| {
                        other.0.store(1, SeqCst);
                        other.1.store(1, SeqCst);
                    });
                    panic!("caught");
                });
            });
            let (second, first) = (both.1.load(SeqCst), both.0.load(SeqCst));
            assert!(first == second, "half of it");
            thread.join().unwrap();
        });
        assert_eq!((told.kind, told.message.as_str()), (ViolationKind::Crash, "panicked: half of it"));
    }

    #[test]
    fn a_destructor_waits_while_a_panic_runs_it() {
        let traces = agree(|| {
            let count = Arc::new(Mutex::new(0));
            let other = Arc::clone(&count);
            let thread = thread::spawn(move || {
                caught(|| {
                    let _adds = OnDrop(|| *other.lock().unwrap() += 1);
                    panic!("caught");
                });
            });
            *count.lock().unwrap() += 1;
            thread.join().unwrap();
            assert_eq!(*count.lock().unwrap(), 2);
        });
        assert_eq!(traces, 2);
    }

    #[test]
    fn a_thread_that_waits_for_itself_while_it_unwinds_is_a_deadlock() {
        let told = violation(|| {
            let count = Arc::new(Mutex::new(0));
            let other = Arc::clone(&count);
            let _guard = count.lock().unwrap();
            let _locks = OnDrop(move || drop(other.lock()));
            panic!("with a destructor");
        });
        assert_eq!(told.kind, ViolationKind::Deadlock);
        let place = "while it unwinds after a panic at crates/rust/tests/unwinding.rs:";
        assert!(
            told.message.starts_with("deadlock: main locks count") && told.message.contains(place),
            "{}",
            told.message
        );
    }
}

#[cfg(all(target_os = "linux", target_arch = "x86_64", not(feature = "portable")))]
mod aborts {
    use super::*;
    use std::hint::black_box;

    fn panics_twice() {
        let _panics = OnDrop(|| panic!("second"));
        panic!("first");
    }

    #[test]
    fn a_destructor_that_panics_while_a_panic_runs_it_is_a_violation() {
        // Again and again in one process, and on one thread.
        for _ in 0..3 {
            let told = violation(panics_twice);
            assert_eq!(told.kind, ViolationKind::Crash);
            assert_eq!(told.message, "aborts: a destructor panicked while a panic unwound: second");
            assert!(told.location.is_some_and(|place| place.file.ends_with("unwinding.rs")));
            assert!(!std::thread::panicking());
        }
    }

    #[test]
    fn it_comes_with_a_schedule_where_only_some_order_leads_there() {
        let closure = Closure::new(|| {
            let flag = Arc::new(AtomicBool::new(false));
            let other = Arc::clone(&flag);
            let thread = thread::spawn(move || other.store(true, SeqCst));
            if flag.load(SeqCst) && !flag.swap(false, SeqCst) {
                unreachable!("no other thread takes it");
            }
            caught(|| {
                let _looks = OnDrop(|| assert!(!flag.load(SeqCst), "too early"));
                panic!("caught");
            });
            thread.join().unwrap();
        });
        for engine in [Engine::Optimal, Engine::Dpor, Engine::Exhaustive, Engine::Stateful] {
            let searched = search(&closure, engine, &options());
            let messages: Vec<_> = searched.messages().into_iter().collect();
            assert_eq!(messages, ["aborts: a destructor panicked while a panic unwound: too early"], "{engine}");
            assert_eq!(searched.exploration.verdict, Verdict::Violated);
            assert!(searched.exploration.violations[0].schedule.moves.len() > 2);
        }
    }

    #[test]
    fn a_panic_in_a_function_that_cannot_unwind_is_a_violation() {
        extern "C" fn callback() {
            panic!("in a callback");
        }
        let told = violation(|| callback());
        assert_eq!(told.message, "aborts: a function panicked that cannot unwind: in a callback");
    }

    #[test]
    fn several_threads_search_on() {
        let closure = Closure::new(|| {
            let count = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&count);
            let thread = thread::spawn(move || {
                for _ in 0..3 {
                    other.fetch_add(1, SeqCst);
                }
            });
            if count.load(SeqCst) == 2 {
                panics_twice();
            }
            thread.join().unwrap();
        });
        for threads in [1, 2] {
            let searched = search(&closure, Engine::Optimal, &Options { threads, ..options() });
            assert_eq!(searched.messages().len(), 1);
            // The one that it ends is not among them.
            assert_eq!(searched.get(mazurka_core::Counter::Executions), 3);
        }
    }

    #[test]
    fn a_stack_that_overflows_in_a_destructor_is_a_violation() {
        #[inline(never)]
        fn recurse(depth: u64) -> u64 {
            if black_box(depth) == u64::MAX { 0 } else { recurse(depth + 1) + 1 }
        }
        let (verdict, violations) = outcome(|| {
            let _overflows = OnDrop(|| _ = black_box(recurse(0)));
            panic!("first");
        });
        assert_eq!(verdict, Verdict::Violated);
        assert!(violations[0].message.starts_with("main overflows its stack"), "{}", violations[0].message);
    }

    /// What an execution leaves behind that is not followed to its end.
    #[test]
    fn destructors_of_abandoned_executions_may_panic() {
        static DROPPED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let (verdict, _) = outcome(|| {
            let count = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&count);
            let thread = thread::spawn(move || {
                let _panics = OnDrop(|| {
                    DROPPED.fetch_add(1, SeqCst);
                    panic!("in a destructor");
                });
                assume(other.load(SeqCst) == 0);
                std::mem::forget(_panics);
            });
            count.store(1, SeqCst);
            thread.join().unwrap();
        });
        assert_eq!(verdict, Verdict::Verified);
        assert_eq!(DROPPED.load(SeqCst), 1);
        assert!(!std::thread::panicking());
    }
}

/// Lock-free code is not made for a thread that is unwound between two of its steps: here, that would drop a value twice.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(feature = "portable")))]
#[test]
fn threads_are_not_unwound_in_the_midst_of_lock_free_code() {
    static DROPPED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    struct Counts;
    impl Drop for Counts {
        fn drop(&mut self) {
            DROPPED.fetch_add(1, SeqCst);
        }
    }
    let (verdict, violations) = outcome(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let thread = thread::spawn(move || {
            let value = std::mem::ManuallyDrop::new(Counts);
            // SAFETY: the copy is forgotten below.
            let copy = unsafe { std::ptr::read(&raw const *value) };
            while !flag.load(Acquire) {}
            std::mem::forget(copy);
        });
        thread.join().unwrap();
    });
    assert_eq!((verdict, violations[0].kind), (Verdict::Violated, ViolationKind::Livelock));
    assert_eq!(DROPPED.load(SeqCst), 0);
}

#[test]
fn destructors_of_abandoned_executions_may_wait_for_ever() {
    let (verdict, _) = outcome(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let other = Arc::clone(&flag);
        let thread = thread::spawn(move || {
            let waits = OnDrop(|| while !other.load(Acquire) {});
            assume(other.load(SeqCst));
            drop(waits);
        });
        flag.store(true, SeqCst);
        thread.join().unwrap();
    });
    assert_eq!(verdict, Verdict::Verified);
}

/// Code that catches whatever unwinds it, for ever.
#[test]
fn threads_that_catch_everything_can_be_abandoned() {
    let (verdict, violations) = outcome(|| {
        let lock = Arc::new(Mutex::new(()));
        let _guard = lock.lock().unwrap();
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || while catch_unwind(AssertUnwindSafe(|| drop(other.lock()))).is_err() {});
        thread.join().unwrap();
    });
    assert_eq!((verdict, violations[0].kind), (Verdict::Violated, ViolationKind::Deadlock));
}

#[test]
fn a_thread_that_was_not_begun_is_abandoned_with_what_it_holds() {
    let (verdict, violations) = outcome(|| {
        let holds = OnDrop(|| _ = catch_unwind(|| panic!("in a destructor")));
        let _thread = thread::spawn(move || drop(holds));
        panic!("before the step ends");
    });
    assert_eq!(verdict, Verdict::Violated);
    assert_eq!(violations[0].message, "panicked: before the step ends");
}

mazurka_rust::thread_local! {
    static PANICS: OnDrop<fn()> = OnDrop(|| panic!("in a destructor"));
    static ADDS: OnDrop<fn()> = OnDrop(|| { ADDED.fetch_add(1, SeqCst); });
}

static ADDED: mazurka_rust::sync::LazyLock<AtomicUsize> = mazurka_rust::sync::LazyLock::new(|| AtomicUsize::new(0));

#[test]
fn destructors_of_thread_locals_may_panic() {
    let (verdict, violations) = outcome(|| {
        let thread = thread::spawn(|| PANICS.with(|_| ()));
        thread.join().unwrap();
    });
    assert_eq!(verdict, Verdict::Violated);
    assert_eq!(violations[0].message, "aborts: the destructor of a thread-local panicked: in a destructor");
    // Where the thread panics as well, and in the first thread.
    let (_, violations) = outcome(|| {
        PANICS.with(|_| ());
        panic!("in the closure");
    });
    assert_eq!(violations[0].message, "panicked: in the closure");
    // Of an execution that is abandoned.
    let (verdict, _) = outcome(|| {
        PANICS.with(|_| ());
        assume(false);
    });
    assert_eq!(verdict, Verdict::Verified);
}

#[test]
fn destructors_of_thread_locals_run_after_a_panic() {
    let closure = Closure::new(|| {
        let thread = thread::spawn(|| {
            ADDS.with(|_| ());
            panic!("in a thread");
        });
        assert!(thread.join().is_err());
        assert_eq!(ADDED.load(SeqCst), 1);
    });
    let searched = search(&closure, Engine::Optimal, &options());
    assert_eq!(searched.messages().into_iter().collect::<Vec<_>>(), ["panicked: in a thread"]);
}
