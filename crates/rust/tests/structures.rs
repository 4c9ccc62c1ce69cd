//! Five classic structures, and one mutation for each of their orderings. A mutation that takes away a happens-before which plain
//! data needs is a data race. One that lets a load read an older value, and nothing else, is **not** found: each of these is listed
//! here as such, and the tests fail if that changes.
//!
//! Memory that a pointer leads to has a cell at its beginning, which stands for the allocation: whoever follows the
//! pointer reads it.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{options, search};
use mazurka_core::{Verdict, ViolationKind};
use mazurka_engines::{Engine, Options};
use mazurka_rust::cell::UnsafeCell;
use mazurka_rust::sync::atomic::{AtomicPtr, AtomicUsize, Ordering, fence};
use mazurka_rust::{Closure, thread};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The orderings of a structure, by number.
type Orders = &'static [Ordering];

/// Checks a structure as it should be, and with each of its orderings as `Relaxed`. Returns the numbers of those mutations that are found.
fn found<const N: usize>(right: [Ordering; N], body: impl Fn(Orders) + Copy + Send + Sync + 'static) -> Vec<usize> {
    let verdict = |orders: [Ordering; N]| {
        let orders: Orders = Vec::leak(orders.to_vec());
        let closure = Closure::new(move || body(orders));
        let searched = search(&closure, Engine::Optimal, &Options { all: false, ..options() });
        let kinds: Vec<_> = searched.exploration.violations.iter().map(|found| found.violation.kind).collect();
        (searched.exploration.verdict, kinds)
    };
    assert_eq!(verdict(right).0, Verdict::Verified);
    let is_found = |&mutated: &usize| {
        let mut orders = right;
        orders[mutated] = Relaxed;
        match verdict(orders) {
            (Verdict::Verified, _) => false,
            (Verdict::Violated, kinds) => {
                assert_eq!(kinds, [ViolationKind::Race], "ordering {mutated}");
                true
            }
            other => panic!("ordering {mutated}: {other:?}"),
        }
    };
    (0..N).filter(|&number| right[number] != Relaxed).filter(is_found).collect()
}

struct Node {
    /// Stands for the allocation and what is in it.
    value: UnsafeCell<usize>,
    next: AtomicPtr<Node>,
}

fn node(value: usize) -> *mut Node {
    Box::into_raw(Box::new(Node { value: UnsafeCell::new(value), next: AtomicPtr::new(null_mut()) }))
}

/// Nodes are leaked, as reclamation is another structure.
fn value_of(node: *mut Node) -> usize {
    unsafe { (*node).value.with(|value| *value) }
}

fn treiber(orders: Orders) {
    struct Stack {
        head: AtomicPtr<Node>,
    }
    let stack = Arc::new(Stack { head: AtomicPtr::new(null_mut()) });
    let push = move |stack: &Stack, value| {
        let new = node(value);
        loop {
            let head = stack.head.load(Relaxed);
            unsafe { (*new).next.store(head, Relaxed) };
            if stack.head.compare_exchange(head, new, orders[0], Relaxed).is_ok() {
                return;
            }
        }
    };
    let pop = move |stack: &Stack| loop {
        let head = stack.head.load(orders[1]);
        if head.is_null() {
            return None;
        }
        let value = value_of(head);
        let next = unsafe { (*head).next.load(Relaxed) };
        if stack.head.compare_exchange(head, next, Relaxed, Relaxed).is_ok() {
            return Some(value);
        }
    };
    let other = Arc::clone(&stack);
    let thread = thread::spawn(move || {
        push(&other, 1);
        pop(&other)
    });
    push(&stack, 2);
    let popped = pop(&stack);
    let both = [popped.unwrap(), thread.join().unwrap().unwrap()];
    assert_eq!(both.iter().sum::<usize>(), 3);
}

fn ring(orders: Orders) {
    struct Ring {
        slots: [UnsafeCell<usize>; 1],
        head: AtomicUsize,
        tail: AtomicUsize,
    }
    unsafe impl Sync for Ring {}
    let ring = Arc::new(Ring { slots: [UnsafeCell::new(0)], head: AtomicUsize::new(0), tail: AtomicUsize::new(0) });
    let producer = Arc::clone(&ring);
    let thread = thread::spawn(move || {
        let mut pushed = 0;
        for value in 1..=2 {
            let tail = producer.tail.load(Relaxed);
            if tail - producer.head.load(orders[0]) == 1 {
                break;
            }
            producer.slots[0].with_mut(|slot| unsafe { *slot = value });
            producer.tail.store(tail + 1, orders[1]);
            pushed += 1;
        }
        pushed
    });
    let mut popped = Vec::new();
    for _ in 0..2 {
        let head = ring.head.load(Relaxed);
        if head == ring.tail.load(orders[2]) {
            continue;
        }
        popped.push(ring.slots[0].with(|slot| unsafe { *slot }));
        ring.head.store(head + 1, orders[3]);
    }
    let pushed = thread.join().unwrap();
    assert!(popped.is_sorted() && popped.len() <= pushed);
}

struct Queue {
    head: AtomicPtr<Node>,
    tail: AtomicPtr<Node>,
    orders: Orders,
}

impl Queue {
    fn new(orders: Orders) -> Arc<Self> {
        let first = node(0);
        Arc::new(Queue { head: AtomicPtr::new(first), tail: AtomicPtr::new(first), orders })
    }

    fn enqueue(&self, value: usize) {
        let new = node(value);
        loop {
            let tail = self.tail.load(self.orders[0]);
            value_of(tail);
            let next = unsafe { (*tail).next.load(self.orders[1]) };
            if !next.is_null() {
                let _ = self.tail.compare_exchange(tail, next, self.orders[2], Relaxed);
                continue;
            }
            if unsafe { (*tail).next.compare_exchange(null_mut(), new, self.orders[3], Relaxed) }.is_ok() {
                let _ = self.tail.compare_exchange(tail, new, self.orders[4], Relaxed);
                return;
            }
        }
    }

    fn dequeue(&self) -> Option<usize> {
        loop {
            let head = self.head.load(self.orders[5]);
            value_of(head);
            let next = unsafe { (*head).next.load(self.orders[6]) };
            if next.is_null() {
                return None;
            }
            let value = value_of(next);
            if self.head.compare_exchange(head, next, self.orders[7], Relaxed).is_ok() {
                return Some(value);
            }
        }
    }
}

fn michael_scott(orders: Orders) {
    let queue = Queue::new(orders);
    let (one, other) = (Arc::clone(&queue), Arc::clone(&queue));
    let adds = thread::spawn(move || one.enqueue(1));
    let takes = thread::spawn(move || other.dequeue());
    queue.enqueue(2);
    let last = queue.dequeue();
    adds.join().unwrap();
    let taken = takes.join().unwrap();
    assert!(last.is_some() || taken.is_some());
    assert_ne!(last, taken);
}

/// A thread has to come to the tail that another one has helped on.
fn michael_scott_with_help(orders: Orders) {
    let queue = Queue::new(orders);
    let threads: Vec<_> = (1..3)
        .map(|value| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || queue.enqueue(value))
        })
        .collect();
    queue.enqueue(3);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// The data are atomics, as they have to be: only values can go wrong.
fn seqlock(orders: Orders) {
    struct Seqlock {
        sequence: AtomicUsize,
        data: [AtomicUsize; 2],
    }
    let lock = Arc::new(Seqlock { sequence: AtomicUsize::new(0), data: [AtomicUsize::new(0), AtomicUsize::new(0)] });
    let writer = Arc::clone(&lock);
    let thread = thread::spawn(move || {
        writer.sequence.store(1, Relaxed);
        if orders[0] != Relaxed {
            fence(orders[0]);
        }
        writer.data.iter().for_each(|word| word.store(7, Relaxed));
        writer.sequence.store(2, orders[1]);
    });
    let before = lock.sequence.load(orders[2]);
    let read: Vec<usize> = lock.data.iter().map(|word| word.load(Relaxed)).collect();
    if orders[3] != Relaxed {
        fence(orders[3]);
    }
    let after = lock.sequence.load(Relaxed);
    if before == after && before.is_multiple_of(2) {
        assert_eq!(read[0], read[1]);
    }
    thread.join().unwrap();
}

fn ticket(orders: Orders) {
    struct Lock {
        next: AtomicUsize,
        serving: AtomicUsize,
        data: UnsafeCell<usize>,
    }
    unsafe impl Sync for Lock {}
    let lock = Arc::new(Lock { next: AtomicUsize::new(0), serving: AtomicUsize::new(0), data: UnsafeCell::new(0) });
    let add = move |lock: &Lock| {
        let mine = lock.next.fetch_add(1, Relaxed);
        while lock.serving.load(orders[0]) != mine {}
        lock.data.with_mut(|data| unsafe { *data += 1 });
        lock.serving.store(mine + 1, orders[1]);
    };
    let other = Arc::clone(&lock);
    let thread = thread::spawn(move || add(&other));
    add(&lock);
    thread.join().unwrap();
    assert_eq!(lock.data.with(|data| unsafe { *data }), 2);
}

#[test]
fn a_treiber_stack() {
    assert_eq!(found([Release, Acquire], treiber), [0, 1]);
}

#[test]
fn a_ring_of_one_producer_and_one_consumer() {
    assert_eq!(found([Acquire, Release, Acquire, Release], ring), [0, 1, 2, 3]);
}

#[test]
fn a_michael_scott_queue() {
    let right = [Acquire, Acquire, Release, Release, Release, Acquire, Acquire, Release];
    assert_eq!(found(right, michael_scott), [0, 1, 3, 4, 5, 6, 7]);
    assert_eq!(found(right, michael_scott_with_help), [0, 1, 2, 3, 4]);
}

#[test]
fn a_sequence_lock() {
    // Not found: each of the four only keeps loads from reading older values than the last ones.
    assert_eq!(found([Release, Release, Acquire, Acquire], seqlock), []);
}

#[cfg(all(target_arch = "x86_64", not(feature = "portable")))]
#[test]
fn a_ticket_lock() {
    assert_eq!(found([Acquire, Release], ticket), [0, 1]);
}
