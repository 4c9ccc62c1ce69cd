//! Rust closures beside loom and shuttle: the same source, in the same process.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench rust` prints three tables: executions and time by tool; what one execution
//! costs by its length; and what a second thread is worth. loom also lets loads read older values, so only programs without
//! atomics (those of locks) are like for like with it; `*` marks the others. shuttle explores depth-first without reduction
//! (`check_dfs`), and is cut; what it prints goes to standard error. Times are those of the processor. `begun` are the executions that `optimal` began, whole or in part, for those that it counts. Nothing
//! is asserted but that Mazurka and loom never disagree on a verdict, and that Mazurka runs no more executions where both are
//! sequentially consistent.

use mazurka_core::{Budget, Counter, Silent, Verdict};
use mazurka_engines::{Engine, Options, explore};
use mazurka_rust::Closure;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Peers are cut here.
const MOST_EXECUTIONS: usize = 200_000;
const MOST_TIME: Duration = Duration::from_secs(10);

/// The same programs over the doubles of a tool.
macro_rules! programs {
    ($module:ident, $tool:ident) => {
        mod $module {
            use $tool::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};
            use $tool::sync::{Condvar, Mutex};
            use $tool::thread;
            use std::collections::VecDeque;
            use std::ptr::null_mut;
            use std::sync::Arc;

            fn all(threads: usize, body: impl Fn() + Send + Sync + 'static) {
                let body = Arc::new(body);
                let spawn = |_| {
                    let body = Arc::clone(&body);
                    thread::spawn(move || body())
                };
                let threads: Vec<_> = (0..threads).map(spawn).collect();
                threads.into_iter().for_each(|thread| thread.join().expect("it does not panic"));
            }

            pub fn mutex_counter(threads: usize, times: usize) {
                let count = Arc::new(Mutex::new(0));
                let seen = Arc::clone(&count);
                all(threads, move || (0..times).for_each(|_| *count.lock().expect("it is not poisoned") += 1));
                assert_eq!(*seen.lock().expect("it is not poisoned"), threads * times);
            }

            pub fn lost_update(threads: usize, times: usize) {
                let count = AtomicUsize::new(0);
                all(threads, move || {
                    for _ in 0..times {
                        let seen = count.load(Ordering::SeqCst);
                        count.store(seen + 1, Ordering::SeqCst);
                    }
                });
            }

            pub fn buffer(items: usize) {
                let shared = Arc::new((Mutex::new(VecDeque::new()), Condvar::new()));
                let other = Arc::clone(&shared);
                let consumer = thread::spawn(move || {
                    for _ in 0..items {
                        let mut queue = other.0.lock().expect("it is not poisoned");
                        while queue.is_empty() {
                            queue = other.1.wait(queue).expect("it is not poisoned");
                        }
                        queue.pop_front();
                    }
                });
                for item in 0..items {
                    shared.0.lock().expect("it is not poisoned").push_back(item);
                    shared.1.notify_one();
                }
                consumer.join().expect("it does not panic");
            }

            struct Node {
                next: *mut Node,
            }

            pub fn treiber(threads: usize) {
                let head: AtomicPtr<Node> = AtomicPtr::new(null_mut());
                all(threads, move || {
                    let node = Box::into_raw(Box::new(Node { next: null_mut() }));
                    loop {
                        let seen = head.load(Ordering::Acquire);
                        // SAFETY: no other thread has the node yet.
                        unsafe { (*node).next = seen };
                        if head.compare_exchange(seen, node, Ordering::Release, Ordering::Relaxed).is_ok() {
                            break;
                        }
                    }
                    loop {
                        let seen = head.load(Ordering::Acquire);
                        assert!(!seen.is_null());
                        // SAFETY: nodes are leaked.
                        let next = unsafe { (*seen).next };
                        if head.compare_exchange(seen, next, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                            break;
                        }
                    }
                });
            }

            pub fn spin_lock(threads: usize) {
                let lock = AtomicBool::new(false);
                all(threads, move || {
                    while lock.swap(true, Ordering::AcqRel) {}
                    lock.store(false, Ordering::Release);
                });
            }
        }
    };
}

programs!(ours, mazurka_rust);
programs!(of_loom, loom);
programs!(of_shuttle, shuttle);

/// The processor time of this thread, so that what else runs on the machine does not count.
fn processor_time() -> f64 {
    let read = || std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse::<f64>().ok();
    match read() {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => {
            static STARTED: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
            STARTED.get_or_init(Instant::now).elapsed().as_secs_f64()
        }
    }
}

/// A program in its three forms.
struct Program {
    name: &'static str,
    /// It has no atomics, so that loom explores what we do.
    is_fair: bool,
    ours: fn(),
    loom: fn(),
    shuttle: fn(),
}

macro_rules! program {
    ($name:literal, $is_fair:literal, $function:ident($($argument:literal),*)) => {
        Program {
            name: $name,
            is_fair: $is_fair,
            ours: || ours::$function($($argument),*),
            loom: || of_loom::$function($($argument),*),
            shuttle: || of_shuttle::$function($($argument),*),
        }
    };
}

const PROGRAMS: [Program; 8] = [
    program!("mutex counter 3 x 2", true, mutex_counter(3, 2)),
    program!("mutex counter 3 x 3", true, mutex_counter(3, 3)),
    program!("condvar buffer, 2 items", true, buffer(2)),
    program!("lost update 3 x 1 *", false, lost_update(3, 1)),
    program!("lost update 3 x 2 *", false, lost_update(3, 2)),
    program!("lost update 2 x 5 *", false, lost_update(2, 5)),
    program!("Treiber stack, 2 threads *", false, treiber(2)),
    program!("spin lock, 2 threads *", false, spin_lock(2)),
];

struct Measured {
    executions: u64,
    begun: u64,
    steps: u64,
    seconds: f64,
    by_clock: f64,
    note: String,
}

impl Measured {
    fn told(&self) -> String {
        let rate = self.executions as f64 / self.seconds / 1000.0;
        format!("{:>8} {:>8.1} ms {:>6.0} k/s{}", self.executions, self.seconds * 1000.0, rate, self.note)
    }
}

fn mazurka(body: impl Fn() + Send + Sync + 'static, engine: Engine, threads: usize) -> Measured {
    let closure = Closure::new(body);
    let budget = Budget { depth: Some(20_000), ..Budget::default() };
    let options = Options { all: true, threads, budget, ..Options::default() };
    // Once to find out whether finer steps are needed, and to warm up.
    closure.settled(|closure| explore(engine, closure, &options, &mut Silent));
    let before = closure.cost();
    let (started, processor) = (Instant::now(), processor_time());
    let exploration = explore(engine, &closure, &options, &mut Silent);
    let (seconds, by_clock) = (processor_time() - processor, started.elapsed().as_secs_f64());
    assert_eq!(exploration.verdict, Verdict::Verified);
    let get = |counter| exploration.statistics.get(counter).unwrap_or(0);
    let begun = closure.cost().begun - before.begun;
    Measured {
        executions: get(Counter::Executions),
        begun,
        steps: get(Counter::Transitions) + closure.cost().replayed - before.replayed,
        seconds,
        by_clock,
        note: String::new(),
    }
}

/// Runs a peer, which calls the closure once for each execution.
fn peer(body: fn(), run: impl FnOnce(Box<dyn Fn() + Send + Sync>)) -> Measured {
    let executions = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&executions);
    let (started, processor) = (Instant::now(), processor_time());
    let result = catch_unwind(AssertUnwindSafe(|| {
        run(Box::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
            body();
        }));
    }));
    let seconds = processor_time() - processor;
    let executions = executions.load(Ordering::Relaxed);
    let is_cut = executions >= MOST_EXECUTIONS as u64 || started.elapsed() >= MOST_TIME;
    let note = match result {
        Err(_) => " panics",
        Ok(()) if is_cut => " cut",
        Ok(()) => "",
    };
    Measured { executions, begun: executions, steps: 0, seconds, by_clock: seconds, note: note.to_owned() }
}

fn loom(body: fn()) -> Measured {
    peer(body, |body| {
        let mut builder = loom::model::Builder::new();
        builder.max_duration = Some(MOST_TIME);
        builder.check(body);
    })
}

fn shuttle(body: fn()) -> Measured {
    peer(body, |body| {
        let mut config = shuttle::Config::default();
        config.max_time = Some(MOST_TIME);
        let scheduler = shuttle::scheduler::DfsScheduler::new(Some(MOST_EXECUTIONS), false);
        shuttle::Runner::new(scheduler, config).run(body);
    })
}

/// This many updates one after the other, after a thread has ended.
fn long(steps: usize) {
    use mazurka_rust::sync::atomic::AtomicUsize;
    let count = Arc::new(AtomicUsize::new(0));
    let other = Arc::clone(&count);
    let thread = mazurka_rust::thread::spawn(move || other.fetch_add(1, Ordering::SeqCst));
    thread.join().expect("it does not panic");
    for _ in 0..steps {
        count.fetch_add(2, Ordering::SeqCst);
    }
}

fn main() {
    // Peers that give a program up panic.
    std::panic::set_hook(Box::new(|_| {}));
    println!("{:<28} {:<32} {:<8} {:<32} {:<36} {:<36}", "program", "optimal", "begun", "dpor", "loom", "shuttle dfs");
    for program in &PROGRAMS {
        let [optimal, dpor] = [Engine::Optimal, Engine::Dpor].map(|engine| mazurka(program.ours, engine, 1));
        let (loom, shuttle) = (loom(program.loom), shuttle(program.shuttle));
        let begun = optimal.begun as f64 / optimal.executions as f64;
        println!(
            "{:<28} {:<32} {begun:<8.2} {:<32} {:<36} {:<36}",
            program.name,
            optimal.told(),
            dpor.told(),
            loom.told(),
            shuttle.told()
        );
        assert!(!program.is_fair || optimal.executions <= loom.executions, "{}: more executions", program.name);
    }

    println!("\n{:<28} {:>10} {:>12}", "one long execution", "steps", "ns per step");
    for steps in [100, 1_000, 10_000] {
        let measured = mazurka(move || long(steps), Engine::Dpor, 1);
        let per_step = measured.seconds * 1e9 / measured.steps as f64;
        println!("{:<28} {:>10} {per_step:>12.0}", format!("{} executions", measured.executions), measured.steps);
    }

    println!("\n{:<28} {:>10} {:>10} {:>8}", "optimal on two threads", "one", "two", "times");
    for program in &PROGRAMS[4..6] {
        let best = |threads| {
            // By the clock, which is right on a machine that has nothing else to do.
            let seconds = (0..3).map(|_| mazurka(program.ours, Engine::Optimal, threads).by_clock);
            seconds.fold(f64::INFINITY, f64::min)
        };
        let (one, two) = (best(1), best(2));
        println!("{:<28} {:>7.0} ms {:>7.0} ms {:>8.2}", program.name, one * 1e3, two * 1e3, one / two);
    }
}
