//! Loops that wait for another thread. How many executions there are depends on the compiler, so only verdicts, ends and the agreement
//! of engines are asserted.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{agree, options, search, violation};
use mazurka_core::{Bound, Verdict, ViolationKind};
use mazurka_engines::Engine;
use mazurka_rust::cell::UnsafeCell;
use mazurka_rust::sync::atomic::{AtomicBool, AtomicUsize};
use mazurka_rust::sync::{Mutex, mpsc};
use mazurka_rust::{Closure, hint, thread};
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::time::Duration;

struct Plain(UnsafeCell<u32>);
unsafe impl Sync for Plain {}
unsafe impl Send for Plain {}

impl Plain {
    fn add(&self) {
        self.0.with_mut(|data| unsafe { *data += 1 });
    }

    fn get(&self) -> u32 {
        self.0.with(|data| unsafe { *data })
    }
}

fn verdict(body: fn()) -> Verdict {
    search(&Closure::new(body), Engine::Optimal, &options()).exploration.verdict
}

fn ticket<const THREADS: usize>() {
    let lock = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0), Plain(UnsafeCell::new(0))));
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                let mine = lock.0.fetch_add(1, Relaxed);
                while lock.1.load(Acquire) != mine {}
                lock.2.add();
                lock.1.store(mine + 1, Release);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(lock.2.get(), THREADS as u32);
}

fn peterson() {
    let lock =
        Arc::new(([AtomicBool::new(false), AtomicBool::new(false)], AtomicUsize::new(0), Plain(UnsafeCell::new(0))));
    let threads: Vec<_> = (0..2)
        .map(|me| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                lock.0[me].store(true, SeqCst);
                lock.1.store(1 - me, SeqCst);
                while lock.0[1 - me].load(SeqCst) && lock.1.load(SeqCst) == 1 - me {}
                lock.2.add();
                lock.0[me].store(false, SeqCst);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(lock.2.get(), 2);
}

fn test_and_set() {
    let lock = Arc::new((AtomicBool::new(false), Plain(UnsafeCell::new(0))));
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let lock = Arc::clone(&lock);
            thread::spawn(move || {
                while lock.0.swap(true, AcqRel) {
                    hint::spin_loop();
                }
                lock.1.add();
                lock.0.store(false, Release);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(lock.1.get(), 2);
}

/// A lock by compare-exchange, whose failing attempts change nothing.
fn exchange() {
    let lock = Arc::new((AtomicUsize::new(0), Plain(UnsafeCell::new(0))));
    thread::scope(|scope| {
        for me in 1..3 {
            let lock = &lock;
            scope.spawn(move || {
                while lock.0.compare_exchange_weak(0, me, Acquire, Relaxed).is_err() {}
                lock.1.add();
                lock.0.store(0, Release);
            });
        }
    });
    assert_eq!(lock.1.get(), 2);
}

/// Attempts that fail are looks as well.
fn attempts() {
    let lock = Arc::new(Mutex::new(0));
    let other = Arc::clone(&lock);
    let thread = thread::spawn(move || *other.lock().unwrap() += 1);
    loop {
        if let Ok(mut guard) = lock.try_lock() {
            *guard += 1;
            break;
        }
    }
    thread.join().unwrap();
    assert_eq!(*lock.lock().unwrap(), 2);
}

fn attempts_to_receive() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(7).unwrap());
    let received = loop {
        match receiver.recv_timeout(Duration::from_millis(1)) {
            Ok(received) => break received,
            Err(mpsc::RecvTimeoutError::Timeout) => thread::yield_now(),
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("nothing came"),
        }
    };
    assert_eq!(received, 7);
    thread.join().unwrap();
}

fn livelock() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&flag);
    let thread = thread::spawn(move || {
        other.store(true, Release);
        other.store(false, Release);
    });
    while !flag.load(Acquire) {
        hint::spin_loop();
    }
    thread.join().unwrap();
}

/// A thread that looks this many times is not one that spins: some execution sees it give up.
fn gives_up() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&flag);
    let thread = thread::spawn(move || other.store(true, Release));
    let mut tries = 0;
    while !flag.load(Acquire) {
        tries += 1;
        assert!(tries < 6, "gave up");
    }
    thread.join().unwrap();
}

/// The same, with a counter where no image of a stack shows it.
fn gives_up_on_the_heap() {
    let flag = Arc::new(AtomicBool::new(false));
    let other = Arc::clone(&flag);
    let thread = thread::spawn(move || other.store(true, Release));
    let tries = Box::new(std::cell::Cell::new(0));
    let tries = std::hint::black_box(&*tries);
    while !flag.load(Acquire) {
        tries.set(tries.get() + 1);
        assert!(tries.get() < 6, "gave up");
    }
    thread.join().unwrap();
}

/// Between two looks at the flag the thread gives a sign, so it never stands where it stood.
fn never_ends() {
    let flag = Arc::new((AtomicBool::new(false), AtomicUsize::new(0)));
    let other = Arc::clone(&flag);
    let thread = thread::spawn(move || other.0.store(true, Release));
    while !flag.0.load(Acquire) {
        flag.1.fetch_add(1, Relaxed);
    }
    thread.join().unwrap();
}

#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
#[test]
fn a_thread_that_spins_waits() {
    agree(ticket::<2>);
    agree(peterson);
    agree(test_and_set);
    agree(exchange);
    agree(attempts);
    agree(attempts_to_receive);
    assert_eq!(verdict(ticket::<3>), Verdict::Verified);
}

#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
#[test]
fn a_loop_that_no_thread_ends_is_a_livelock() {
    let told = violation(livelock);
    assert_eq!(told.kind, ViolationKind::Livelock);
    assert!(told.message.starts_with("livelock: main spins on flag"), "{}", told.message);
}

#[test]
fn a_loop_that_counts_is_not_blocked() {
    assert!(violation(gives_up).message.ends_with("gave up"));
    assert!(violation(gives_up_on_the_heap).message.ends_with("gave up"));
}

#[test]
fn a_loop_that_changes_something_is_cut_and_said_so() {
    let mut short = options();
    short.budget.depth = Some(50);
    let searched = search(&Closure::new(never_ends), Engine::Dpor, &short);
    assert!(matches!(searched.exploration.verdict, Verdict::Bounded { bound: Bound::Depth(50), .. }));
}

#[test]
fn without_detection_a_spin_loop_is_cut() {
    let mut short = options();
    short.budget.depth = Some(30);
    let searched = search(&Closure::new(test_and_set).spin_detection(false), Engine::Dpor, &short);
    assert!(matches!(searched.exploration.verdict, Verdict::Bounded { .. }));
}

/// What other processors get: no loop is recognised, and none is taken for one.
#[cfg(not(all(target_arch = "x86_64", not(feature = "portable"))))]
#[test]
fn where_no_image_can_be_taken_a_spin_loop_is_cut() {
    let mut short = options();
    short.budget.depth = Some(30);
    let searched = search(&Closure::new(test_and_set), Engine::Dpor, &short);
    assert!(matches!(searched.exploration.verdict, Verdict::Bounded { .. }));
}
