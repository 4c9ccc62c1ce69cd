//! The panic hook of the process. A test binary of its own, since all tests share it.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{options, search};
use mazurka_core::Verdict;
use mazurka_engines::{Engine, Options};
use mazurka_rust::Closure;
use mazurka_rust::sync::atomic::AtomicUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

struct Adds(Arc<AtomicUsize>);

impl Drop for Adds {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

struct Panics;

impl Drop for Panics {
    fn drop(&mut self) {
        panic!("second");
    }
}

fn verdict(body: fn()) -> Verdict {
    search(&Closure::new(body), Engine::Optimal, &Options { all: false, ..options() }).exploration.verdict
}

fn unwinds() {
    let count = Arc::new(AtomicUsize::new(0));
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let _adds = Adds(Arc::clone(&count));
        panic!("caught");
    }));
    assert!(caught.is_err());
    assert_eq!(count.load(SeqCst), 1);
}

#[test]
fn the_hook_can_be_replaced() {
    assert_eq!(verdict(unwinds), Verdict::Verified);
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(feature = "portable")))]
    assert_eq!(
        verdict(|| {
            let _panics = Panics;
            panic!("first");
        }),
        Verdict::Violated
    );
    // The lock of the hook is free, though a panic never came back from it.
    let ours = take_hook();
    // One that calls what was there before is fine.
    set_hook(Box::new(move |info| ours(info)));
    assert_eq!(verdict(unwinds), Verdict::Verified);
    // Without ours, a thread that unwinds cannot be suspended, and that is told. The OS thread is of no use after that.
    set_hook(Box::new(|_| ()));
    let told = std::thread::spawn(|| verdict(unwinds)).join().unwrap();
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(feature = "portable")))]
    assert!(matches!(&told, Verdict::Unsupported(why) if why.contains("the panic hook was replaced")), "{told:?}");
    let _ = (take_hook(), told);
}
