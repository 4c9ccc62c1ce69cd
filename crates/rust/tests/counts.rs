//! Exact numbers of executions, and all engines against each other.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{agree, optimal};
use mazurka_rust::cell::UnsafeCell;
use mazurka_rust::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, fence};
use mazurka_rust::sync::{Condvar, Mutex};
use mazurka_rust::thread;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};

/// Threads that each add to a counter, by a load and a store.
fn lost_update<const THREADS: usize, const TIMES: usize>() {
    let count = Arc::new(AtomicUsize::new(0));
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let count = Arc::clone(&count);
            thread::spawn(move || {
                for _ in 0..TIMES {
                    let seen = count.load(SeqCst);
                    count.store(seen + 1, SeqCst);
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

fn mutex_counter<const THREADS: usize, const TIMES: usize>() {
    let count = Arc::new(Mutex::new(0));
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let count = Arc::clone(&count);
            thread::spawn(move || (0..TIMES).for_each(|_| *count.lock().unwrap() += 1))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(*count.lock().unwrap(), THREADS * TIMES);
}

struct Node {
    value: usize,
    next: *mut Node,
}

struct Treiber {
    head: AtomicPtr<Node>,
}

impl Treiber {
    fn push(&self, value: usize) {
        let node = Box::into_raw(Box::new(Node { value, next: std::ptr::null_mut() }));
        loop {
            let head = self.head.load(Acquire);
            unsafe { (*node).next = head };
            if self.head.compare_exchange(head, node, Release, Relaxed).is_ok() {
                return;
            }
        }
    }

    fn pop(&self) -> Option<usize> {
        loop {
            let head = self.head.load(Acquire);
            if head.is_null() {
                return None;
            }
            let next = unsafe { (*head).next };
            if self.head.compare_exchange(head, next, Acquire, Relaxed).is_ok() {
                return Some(unsafe { (*head).value });
            }
        }
    }
}

fn treiber() {
    let stack = Arc::new(Treiber { head: AtomicPtr::new(std::ptr::null_mut()) });
    let threads: Vec<_> = (0..2)
        .map(|n| {
            let stack = Arc::clone(&stack);
            thread::spawn(move || {
                stack.push(n);
                stack.pop().unwrap()
            })
        })
        .collect();
    let popped: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!(popped, 1);
}

struct Ring {
    slots: [UnsafeCell<usize>; 2],
    head: AtomicUsize,
    tail: AtomicUsize,
}

unsafe impl Sync for Ring {}

impl Ring {
    fn push(&self, value: usize) -> bool {
        let tail = self.tail.load(Relaxed);
        if tail - self.head.load(Acquire) == 2 {
            return false;
        }
        self.slots[tail % 2].with_mut(|slot| unsafe { *slot = value });
        self.tail.store(tail + 1, Release);
        true
    }

    fn pop(&self) -> Option<usize> {
        let head = self.head.load(Relaxed);
        if head == self.tail.load(Acquire) {
            return None;
        }
        let value = self.slots[head % 2].with(|slot| unsafe { *slot });
        self.head.store(head + 1, Release);
        Some(value)
    }
}

fn ring() {
    let ring = Arc::new(Ring {
        slots: [UnsafeCell::new(0), UnsafeCell::new(0)],
        head: AtomicUsize::new(0),
        tail: AtomicUsize::new(0),
    });
    let producer = {
        let ring = Arc::clone(&ring);
        thread::spawn(move || (1..=3).filter(|&value| ring.push(value)).count())
    };
    let mut popped = Vec::new();
    for _ in 0..3 {
        popped.extend(ring.pop());
    }
    let pushed = producer.join().unwrap();
    while let Some(value) = ring.pop() {
        popped.push(value);
    }
    assert!(popped.is_sorted() && popped.len() == pushed);
}

/// One item at a time goes through a buffer.
fn buffer() {
    let shared = Arc::new((Mutex::new(VecDeque::new()), Condvar::new()));
    let consumer = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            let (queue, filled) = &*shared;
            (0..2)
                .map(|_| {
                    let mut queue = queue.lock().unwrap();
                    while queue.is_empty() {
                        queue = filled.wait(queue).unwrap();
                    }
                    queue.pop_front().unwrap()
                })
                .collect::<Vec<_>>()
        })
    };
    let (queue, filled) = &*shared;
    for item in 0..2 {
        queue.lock().unwrap().push_back(item);
        filled.notify_one();
    }
    assert_eq!(consumer.join().unwrap(), [0, 1]);
}

/// Peterson's lock, tried once by each thread.
fn peterson() {
    struct Shared {
        wants: [AtomicBool; 2],
        turn: AtomicUsize,
        inside: AtomicUsize,
    }
    let shared = Arc::new(Shared {
        wants: [AtomicBool::new(false), AtomicBool::new(false)],
        turn: AtomicUsize::new(0),
        inside: AtomicUsize::new(0),
    });
    let threads: Vec<_> = (0..2)
        .map(|me| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || {
                shared.wants[me].store(true, SeqCst);
                shared.turn.store(1 - me, SeqCst);
                if shared.wants[1 - me].load(SeqCst) && shared.turn.load(SeqCst) == 1 - me {
                    return;
                }
                assert_eq!(shared.inside.fetch_add(1, SeqCst), 0);
                shared.inside.fetch_sub(1, SeqCst);
                shared.wants[me].store(false, SeqCst);
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Every thread of a scope borrows from the one that made it.
fn scoped() {
    let count = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| count.fetch_add(1, SeqCst));
        scope.spawn(|| count.fetch_add(2, SeqCst));
    });
    assert_eq!(count.load(SeqCst), 3);
}

/// A fence publishes what came before it.
fn fenced() {
    struct Shared {
        data: UnsafeCell<u32>,
        ready: AtomicBool,
    }
    unsafe impl Sync for Shared {}
    let shared = Arc::new(Shared { data: UnsafeCell::new(0), ready: AtomicBool::new(false) });
    let writer = {
        let shared = Arc::clone(&shared);
        thread::spawn(move || {
            shared.data.with_mut(|data| unsafe { *data = 7 });
            fence(Release);
            shared.ready.store(true, Relaxed);
        })
    };
    if shared.ready.load(Relaxed) {
        fence(Acquire);
        assert_eq!(shared.data.with(|data| unsafe { *data }), 7);
    }
    writer.join().unwrap();
}

#[test]
fn a_lost_update_has_so_many_traces() {
    assert_eq!(agree(lost_update::<2, 1>), 4);
    assert_eq!(agree(lost_update::<3, 1>), 36);
}

#[test]
fn large_lost_updates_have_so_many_traces() {
    assert_eq!(optimal(lost_update::<3, 2>), 7_134);
    assert_eq!(optimal(lost_update::<2, 5>), 34_904);
}

#[test]
fn a_counter_in_a_mutex_has_one_trace_for_each_order_of_locks() {
    assert_eq!(agree(mutex_counter::<2, 2>), 6);
    assert_eq!(agree(mutex_counter::<3, 2>), 90);
    assert_eq!(optimal(mutex_counter::<3, 3>), 1_680);
}

#[test]
fn lock_free_structures_have_so_many_traces() {
    assert_eq!(agree(treiber), 46);
    assert_eq!(agree(ring), 44);
}

#[test]
fn locks_and_conditions_have_so_many_traces() {
    assert_eq!(agree(buffer), 8);
    assert_eq!(agree(peterson), 10);
    assert_eq!(agree(scoped), 2);
    assert_eq!(agree(fenced), 2);
}
