//! Each double of `std`, with all engines and exact numbers of traces.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{agree, options, search, violation};
use mazurka_core::ViolationKind;
use mazurka_engines::Engine;
use mazurka_rust::cell::UnsafeCell;
use mazurka_rust::sync::atomic::AtomicUsize;
use mazurka_rust::sync::mpsc::{self, RecvTimeoutError, TryRecvError, TrySendError};
use mazurka_rust::sync::{Arc, Barrier, Condvar, LazyLock, Mutex, Once, OnceLock, RwLock};
use mazurka_rust::{Closure, thread};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

/// What executions saw.
struct Seen(std::sync::Mutex<BTreeSet<String>>);

impl Seen {
    const fn new() -> Self {
        Seen(std::sync::Mutex::new(BTreeSet::new()))
    }

    fn add(&self, what: impl std::fmt::Debug) {
        self.0.lock().unwrap().insert(format!("{what:?}"));
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().iter().cloned().collect()
    }
}

#[test]
fn readers_do_not_exclude_each_other() {
    let traces = agree(|| {
        let lock = Arc::new(RwLock::new(0));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let lock = Arc::clone(&lock);
                thread::spawn(move || *lock.read().unwrap())
            })
            .collect();
        *lock.write().unwrap() += 1;
        threads.into_iter().for_each(|thread| assert!(thread.join().unwrap() < 2));
    });
    // Each reader comes before or after the writer.
    assert_eq!(traces, 4);
}

#[test]
fn a_lock_for_reading_orders_readers_and_writers_but_not_readers() {
    struct Plain(UnsafeCell<u32>);
    unsafe impl Sync for Plain {}
    unsafe impl Send for Plain {}
    let race = violation(|| {
        let shared = Arc::new((RwLock::new(()), Plain(UnsafeCell::new(0))));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let _guard = other.0.read().unwrap();
            other.1.0.with_mut(|data| unsafe { *data += 1 });
        });
        {
            let _guard = shared.0.read().unwrap();
            shared.1.0.with_mut(|data| unsafe { *data += 1 });
        }
        thread.join().unwrap();
    });
    assert_eq!(race.kind, ViolationKind::Race);
    agree(|| {
        let shared = Arc::new((RwLock::new(()), Plain(UnsafeCell::new(0))));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            let _guard = other.0.read().unwrap();
            other.1.0.with(|data| unsafe { *data })
        });
        {
            let _guard = shared.0.write().unwrap();
            shared.1.0.with_mut(|data| unsafe { *data += 1 });
        }
        thread.join().unwrap();
    });
}

#[test]
fn attempts_to_lock_see_all_that_can_be() {
    static SEEN: Seen = Seen::new();
    agree(|| {
        let lock = Arc::new(RwLock::new(0));
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || drop(other.read().unwrap()));
        let reads = lock.try_read().is_ok();
        let writes = lock.try_write().is_ok();
        SEEN.add((reads, writes));
        thread.join().unwrap();
    });
    assert_eq!(SEEN.all(), ["(true, false)", "(true, true)"]);
}

#[test]
fn a_channel_delivers_in_order_until_all_senders_are_gone() {
    let traces = agree(|| {
        let (sender, receiver) = mpsc::channel();
        for n in 0..2 {
            let sender = sender.clone();
            thread::spawn(move || sender.send(n).unwrap());
        }
        drop(sender);
        let mut got: Vec<u32> = receiver.into_iter().collect();
        got.sort_unstable();
        assert_eq!(got, [0, 1]);
    });
    assert!(traces >= 2, "{traces}");
}

#[test]
fn an_empty_channel_may_be_seen_empty_or_disconnected() {
    static SEEN: Seen = Seen::new();
    agree(|| {
        let (sender, receiver) = mpsc::channel();
        let thread = thread::spawn(move || sender.send(7).unwrap());
        let mut seen = vec![receiver.try_recv()];
        seen.push(receiver.try_recv());
        SEEN.add(seen);
        thread.join().unwrap();
    });
    let disconnected = TryRecvError::Disconnected;
    let wanted: BTreeSet<String> = [
        vec![Err(TryRecvError::Empty), Err(TryRecvError::Empty)],
        vec![Err(TryRecvError::Empty), Ok(7)],
        vec![Ok(7), Err(TryRecvError::Empty)],
        vec![Ok(7), Err(disconnected)],
    ]
    .iter()
    .map(|seen| format!("{seen:?}"))
    .collect();
    assert_eq!(SEEN.all(), wanted.into_iter().collect::<Vec<_>>());
}

#[test]
fn a_bounded_channel_has_so_much_room() {
    static SEEN: Seen = Seen::new();
    agree(|| {
        let (sender, receiver) = mpsc::sync_channel(1);
        let thread = thread::spawn(move || {
            sender.send(1).unwrap();
            SEEN.add(match sender.try_send(2) {
                Ok(()) => "sent",
                Err(TrySendError::Full(_)) => "full",
                Err(TrySendError::Disconnected(_)) => "gone",
            });
        });
        assert_eq!(receiver.recv(), Ok(1));
        match receiver.recv_timeout(Duration::from_secs(1)) {
            Ok(value) => assert_eq!(value, 2),
            Err(error) => SEEN.add(error == RecvTimeoutError::Timeout),
        }
        drop(receiver);
        thread.join().unwrap();
    });
    assert_eq!(SEEN.all(), ["\"full\"", "\"gone\"", "\"sent\"", "false", "true"]);
}

#[test]
fn whoever_sends_without_room_waits_for_the_receiver() {
    let told = violation(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        sender.send(1).unwrap();
        drop(receiver);
    });
    assert!(told.message.starts_with("deadlock: main sends to"), "{}", told.message);
    agree(|| {
        let (sender, receiver) = mpsc::sync_channel(0);
        let done = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&done);
        let thread = thread::spawn(move || {
            sender.send(1).unwrap();
            other.store(1, SeqCst);
        });
        let early = done.load(SeqCst);
        assert_eq!((receiver.recv(), early), (Ok(1), 0));
        thread.join().unwrap();
    });
}

#[test]
fn what_is_done_once_is_done_once() {
    agree(|| {
        let shared = Arc::new((Once::new(), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || other.0.call_once(|| other.1.store(other.1.load(SeqCst) + 1, SeqCst)));
        shared.0.call_once(|| shared.1.store(shared.1.load(SeqCst) + 1, SeqCst));
        assert_eq!(shared.1.load(SeqCst), 1);
        thread.join().unwrap();
    });
}

#[test]
fn a_once_lock_has_one_value_and_may_be_seen_empty() {
    static SEEN: Seen = Seen::new();
    agree(|| {
        let lock = Arc::new(OnceLock::new());
        let other = Arc::clone(&lock);
        let thread = thread::spawn(move || *other.get_or_init(|| 1));
        SEEN.add(lock.get());
        let set = lock.set(2).is_ok();
        assert_eq!(thread.join().unwrap(), if set { 2 } else { 1 });
    });
    assert_eq!(SEEN.all(), ["None", "Some(1)"]);
}

#[test]
fn a_lazy_static_is_made_in_each_execution() {
    static COUNT: LazyLock<AtomicUsize> = LazyLock::new(|| AtomicUsize::new(0));
    agree(|| {
        let thread = thread::spawn(|| COUNT.fetch_add(1, SeqCst));
        COUNT.fetch_add(1, SeqCst);
        thread.join().unwrap();
        assert_eq!(COUNT.load(SeqCst), 2);
    });
    assert_eq!(COUNT.load(SeqCst), 0);
}

#[test]
fn a_barrier_is_passed_together() {
    static SEEN: Seen = Seen::new();
    agree(|| {
        let shared = Arc::new((Barrier::new(2), AtomicUsize::new(0)));
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || {
            other.1.fetch_add(1, SeqCst);
            other.0.wait().is_leader()
        });
        shared.1.fetch_add(1, SeqCst);
        let leads = shared.0.wait().is_leader();
        assert_eq!(shared.1.load(SeqCst), 2);
        SEEN.add(leads);
        assert_ne!(thread.join().unwrap(), leads);
    });
    assert_eq!(SEEN.all(), ["false", "true"]);
}

#[test]
fn an_unpark_is_not_lost() {
    agree(|| {
        let flag = Arc::new(AtomicUsize::new(0));
        let other = Arc::clone(&flag);
        let main = thread::current();
        let thread = thread::spawn(move || {
            other.store(1, SeqCst);
            main.unpark();
        });
        thread::park();
        assert_eq!(flag.load(SeqCst), 1);
        thread.join().unwrap();
    });
    let told = violation(thread::park);
    assert!(told.message.starts_with("deadlock: main parks"), "{}", told.message);
}

#[test]
fn threads_have_names_ids_and_locals() {
    mazurka_rust::thread_local! {
        static COUNT: Cell<u32> = Cell::new(5);
    }
    agree(|| {
        let thread = thread::Builder::new().name("counter".to_owned()).spawn(|| {
            COUNT.set(COUNT.get() + 1);
            (COUNT.get(), thread::current().name().map(str::to_owned), thread::current().id())
        });
        COUNT.set(COUNT.get() + 2);
        let thread = thread.unwrap();
        let id = thread.thread().id();
        assert_eq!(thread.join().unwrap(), (6, Some("counter".to_owned()), id));
        assert_ne!(id, thread::current().id());
        assert_eq!(COUNT.get(), 7);
    });
    COUNT.set(1);
    assert_eq!(COUNT.get(), 1);
}

/// A destructor that other threads see: each thread is the last one in some execution.
#[test]
fn whoever_drops_the_last_reference_runs_the_destructor() {
    static SEEN: Seen = Seen::new();
    struct Tells(Arc<Mutex<u32>>);
    impl Drop for Tells {
        fn drop(&mut self) {
            SEEN.add(thread::current().name());
            *self.0.lock().unwrap() += 1;
        }
    }
    let traces = agree(|| {
        let count = Arc::new(Mutex::new(0));
        let tells = Arc::new(Tells(Arc::clone(&count)));
        let threads: Vec<_> = ["a", "b"]
            .map(|name| {
                let tells = Arc::clone(&tells);
                let body = move || {
                    thread::park_timeout(Duration::ZERO);
                    drop(tells);
                };
                thread::Builder::new().name(name.to_owned()).spawn(body).unwrap()
            })
            .into();
        drop(tells);
        threads.into_iter().for_each(|thread: thread::JoinHandle<()>| thread.join().unwrap());
        assert_eq!(*count.lock().unwrap(), 1);
    });
    assert_eq!(SEEN.all(), ["Some(\"a\")", "Some(\"b\")"]);
    assert_eq!(traces, 2);
}

#[test]
fn a_reference_may_be_a_raw_pointer_for_a_while() {
    agree(|| {
        struct Stores(Arc<AtomicUsize>);
        impl Drop for Stores {
            fn drop(&mut self) {
                self.0.fetch_add(1, SeqCst);
            }
        }
        let drops = Arc::new(AtomicUsize::new(0));
        let raw = Arc::into_raw(Arc::new(Stores(Arc::clone(&drops)))) as usize;
        let pointer = move || raw as *const Stores;
        // SAFETY: the thread has a reference of its own.
        unsafe { Arc::increment_strong_count(pointer()) };
        let thread = thread::spawn(move || unsafe { drop(Arc::from_raw(pointer())) });
        unsafe { Arc::decrement_strong_count(pointer()) };
        thread.join().unwrap();
        assert_eq!(drops.load(SeqCst), 1);
    });
}

/// A destructor that no other thread sees: which one drops last makes no difference.
#[test]
fn a_destructor_that_no_thread_sees_orders_nothing() {
    let traces = agree(|| {
        let shared = Arc::new(vec![1, 2, 3]);
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    thread::park_timeout(Duration::ZERO);
                    shared.len()
                })
            })
            .collect();
        drop(shared);
        threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), 3));
    });
    assert_eq!(traces, 1);
}

#[test]
fn a_weak_reference_may_find_nothing() {
    static SEEN: Seen = Seen::new();
    agree(|| {
        let strong = Arc::new(5);
        let weak = Arc::downgrade(&strong);
        let thread = thread::spawn(move || drop(strong));
        SEEN.add(weak.upgrade().map(|value| *value));
        thread.join().unwrap();
        assert!(weak.upgrade().is_none());
    });
    assert_eq!(SEEN.all(), ["None", "Some(5)"]);
}

#[test]
fn the_only_reference_gives_the_value_back() {
    static SEEN: Seen = Seen::new();
    agree(|| {
        let shared = Arc::new(5);
        let other = Arc::clone(&shared);
        let thread = thread::spawn(move || drop(other));
        SEEN.add(Arc::try_unwrap(shared).is_ok());
        thread.join().unwrap();
    });
    assert_eq!(SEEN.all(), ["false", "true"]);
}

#[test]
fn a_notification_may_wake_any_of_those_who_wait() {
    let closure = Closure::new(|| {
        let shared = Arc::new((Mutex::new(0), Condvar::new()));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let shared = Arc::clone(&shared);
                thread::spawn(move || {
                    let mut guard = shared.0.lock().unwrap();
                    while *guard == 0 {
                        guard = shared.1.wait(guard).unwrap();
                    }
                    *guard -= 1;
                })
            })
            .collect();
        *shared.0.lock().unwrap() = 2;
        shared.1.notify_one();
        shared.1.notify_one();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    let one = search(&closure, Engine::Optimal, &options());
    assert!(one.exploration.violations.is_empty(), "{:?}", one.messages());
}

/// Whether a side is the first or the second to go makes no difference, and is not looked at without a footprint.
#[test]
fn both_sides_of_two_channels_may_go_in_any_order() {
    let body = || {
        let ((s1, r1), (s2, r2)) = (mpsc::channel(), mpsc::channel());
        let one = thread::spawn(move || {
            s1.send(1).unwrap();
            r2.recv().unwrap()
        });
        let other = thread::spawn(move || {
            s2.send(2).unwrap();
            r1.recv().unwrap()
        });
        assert_eq!((one.join().unwrap(), other.join().unwrap()), (2, 1));
    };
    agree(body);
    let closure = Closure::new(body);
    let meter = mazurka_core::Meter::start(&mazurka_core::Budget::default());
    assert_eq!(closure.settled(|closure| mazurka_engines::commutation::sample(closure, 200, &meter)), Ok(()));
}
