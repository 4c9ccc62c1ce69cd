//! Handlers with their messages, and futures.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{agree, options, search, violation};
use mazurka_core::{Counter, System, Verdict};
use mazurka_engines::Engine;
use mazurka_rust::cell::UnsafeCell;
use mazurka_rust::mailbox::Handler;
use mazurka_rust::sync::atomic::AtomicUsize;
use mazurka_rust::sync::{Arc, Mutex};
use mazurka_rust::{Closure, future, thread};
use std::sync::atomic::Ordering::SeqCst;

/// Messages that have nothing to do with each other.
fn independent() {
    let cells = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0)]);
    let handler = Handler::any("h", move |n: usize| cells[n].store(1, SeqCst));
    (0..3).for_each(|n| handler.post(n));
}

/// Messages that all add to the same number, by a load and a store.
fn dependent() {
    let cell = Arc::new(AtomicUsize::new(0));
    let handler = Handler::any("h", move |n: usize| {
        let seen = cell.load(SeqCst);
        cell.store(seen * 2 + n, SeqCst);
    });
    (0..3).for_each(|n| handler.post(n));
}

#[test]
fn messages_are_ordered_only_where_they_conflict() {
    let executions = |engine: Engine, body: fn()| {
        let closure = Closure::new(body);
        let searched = search(&closure, engine, &options());
        assert_eq!(searched.exploration.verdict, Verdict::Verified);
        searched.get(Counter::Executions)
    };
    // All orders of three messages, if the handler is a lock.
    assert_eq!((executions(Engine::Optimal, independent), executions(Engine::Event, independent)), (6, 1));
    assert_eq!((executions(Engine::Optimal, dependent), executions(Engine::Event, dependent)), (6, 6));
}

#[test]
fn messages_come_in_any_order_or_in_that_of_their_posts() {
    fn posts(handler: impl FnOnce(Arc<Mutex<Vec<usize>>>) -> Handler<usize>) {
        let order = Arc::new(Mutex::new(Vec::new()));
        let handler = handler(Arc::clone(&order));
        (0..2).for_each(|n| handler.post(n));
        handler.post(2);
        let handler = handler.clone();
        let check = Handler::any("check", move |()| {
            let order = order.lock().unwrap();
            assert!(order.is_sorted(), "out of order");
            let _ = &handler;
        });
        check.post(());
    }
    let any = || posts(|order| Handler::any("h", move |n| order.lock().unwrap().push(n)));
    assert!(violation(any).message.ends_with("out of order"));
    fn in_order() {
        let order = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&order);
        let handler = Handler::fifo("h", move |n: usize| kept.lock().unwrap().push(n));
        let other = handler.clone();
        let thread = thread::spawn(move || other.post(7));
        (0..2).for_each(|n| handler.post(n));
        thread.join().unwrap();
        let order = order.lock().unwrap();
        assert!(order.iter().filter(|n| **n < 7).is_sorted(), "out of order");
    }
    agree(in_order);
    assert!(Closure::new(in_order).traits().threads);
}

#[test]
fn em_dpor_takes_handlers_with_an_order() {
    fn racing() {
        let cell = Arc::new(AtomicUsize::new(0));
        let kept = Arc::clone(&cell);
        let handler = Handler::fifo("ui", move |n: usize| {
            let seen = kept.load(SeqCst);
            kept.store(seen * 3 + n, SeqCst);
        });
        let other = handler.clone();
        thread::spawn(move || other.post(1));
        handler.post(2);
        assert_ne!(cell.load(SeqCst), 7, "one before two");
    }
    let closure = Closure::new(racing);
    closure.initial_states();
    assert!(closure.traits().fifo_mailboxes);
    for engine in [Engine::EmDpor, Engine::Optimal, Engine::Exhaustive, Engine::Stateful, Engine::Dpor] {
        // 0 * 3 + 2 = 2, and 2 * 3 + 1 = 7.
        let searched = search(&closure, engine, &options());
        assert_eq!(searched.messages().len(), 1, "{engine}: {:?}", searched.messages());
    }
}

#[test]
fn handlers_with_cells_or_locks_are_ordered_like_locks() {
    struct Plain(UnsafeCell<u32>);
    unsafe impl Sync for Plain {}
    unsafe impl Send for Plain {}
    fn with_cells() {
        let cell = Arc::new(Plain(UnsafeCell::new(1)));
        let handler = Handler::any("h", move |n: u32| {
            cell.0.with_mut(|cell| unsafe { *cell = *cell * 2 + n });
            cell.0.with(|cell| assert_ne!(unsafe { *cell }, 6, "zero, then two"));
        });
        handler.post(2);
        handler.post(0);
    }
    let closure = Closure::new(with_cells);
    for engine in [Engine::Event, Engine::Optimal] {
        let searched = search(&closure, engine, &options());
        assert_eq!(searched.messages().len(), 1, "{engine}: {:?}", searched.messages());
    }
}

#[test]
fn a_task_is_awaited() {
    agree(|| {
        let hits = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&hits);
        let total = future::block_on(async move {
            let task = future::spawn(async move {
                other.fetch_add(1, SeqCst);
                future::yield_now().await;
                other.fetch_add(1, SeqCst)
            });
            task.await.unwrap()
        });
        assert_eq!((total, hits.load(SeqCst)), (1, 2));
    });
}

#[test]
fn a_task_that_is_never_woken_is_a_deadlock() {
    let told = violation(|| future::block_on(std::future::pending()));
    assert!(told.message.starts_with("deadlock: main parks"), "{}", told.message);
}

#[test]
fn outside_of_a_model_futures_run_as_well() {
    assert_eq!(future::block_on(async { future::spawn(async { 5 }).await.unwrap() }), 5);
}
