//! As much of loom's interface as its own tests use, over Mazurka's doubles.
#![allow(missing_docs)]

pub use mazurka::doubles::{cell, hint};
pub use mazurka::doubles::thread::thread_local;

/// Statics that each execution makes again.
#[macro_export]
macro_rules! lazy_static {
    ($($(#[$attribute:meta])* $visibility:vis static ref $name:ident: $type:ty = $init:expr;)*) => {
        $($(#[$attribute])* $visibility static $name: $crate::LazyLock<$type> = $crate::LazyLock::new(|| $init);)*
    };
}

#[doc(hidden)]
pub use mazurka::doubles::sync::LazyLock;

#[track_caller]
pub fn model(body: impl Fn() + Send + Sync + 'static) {
    model::Builder::new().check(body);
}

pub mod model {
    /// Bounds of loom have no meaning here, but that for the length.
    #[derive(Debug, Default)]
    pub struct Builder {
        pub max_threads: usize,
        pub max_branches: usize,
        pub max_permutations: Option<usize>,
        pub max_duration: Option<std::time::Duration>,
        pub preemption_bound: Option<usize>,
        pub location: bool,
        pub log: bool,
    }

    impl Builder {
        pub fn new() -> Self {
            Builder { max_branches: 1_000, ..Builder::default() }
        }

        #[track_caller]
        pub fn check(&self, body: impl Fn() + Send + Sync + 'static) {
            mazurka::Builder::new().steps(self.max_branches as u64).check(body);
        }
    }
}

/// Access to an atomic without synchronisation.
pub trait Unsync {
    type Value;

    /// A read that races with any write. Here it is an atomic load: a mix of the two is not looked for.
    ///
    /// # Safety
    /// As loom has it.
    unsafe fn unsync_load(&self) -> Self::Value;
}

impl Unsync for sync::atomic::AtomicUsize {
    type Value = usize;

    #[track_caller]
    unsafe fn unsync_load(&self) -> usize {
        self.load(sync::atomic::Ordering::Relaxed)
    }
}

pub mod thread {
    pub use mazurka::doubles::thread::{
        AccessError, JoinHandle, LocalKey, Thread, ThreadId, current, park, yield_now,
    };

    /// loom does not ask for `Send`: its threads run on one thread, as ours do.
    struct Any<T>(T);
    // SAFETY: the threads of a model run on one OS thread.
    unsafe impl<T> Send for Any<T> {}

    impl<T> Any<T> {
        fn into_inner(self) -> T {
            self.0
        }
    }

    pub fn spawn<T: 'static>(body: impl FnOnce() -> T + 'static) -> Joins<T> {
        Builder::new().spawn(body).expect("there is memory for a stack")
    }

    pub struct Joins<T>(JoinHandle<Any<T>>);

    impl<T> Joins<T> {
        #[track_caller]
        pub fn join(self) -> std::thread::Result<T> {
            self.0.join().map(Any::into_inner)
        }

        pub fn thread(&self) -> Thread {
            self.0.thread()
        }
    }

    pub struct Builder(mazurka::doubles::thread::Builder);

    impl Default for Builder {
        fn default() -> Self {
            Builder::new()
        }
    }

    impl Builder {
        pub fn new() -> Self {
            Builder(mazurka::doubles::thread::Builder::new())
        }

        pub fn name(self, name: String) -> Self {
            Builder(self.0.name(name))
        }

        /// loom counts words.
        pub fn stack_size(self, words: usize) -> Self {
            Builder(self.0.stack_size(words * size_of::<usize>()))
        }

        #[track_caller]
        pub fn spawn<T: 'static>(self, body: impl FnOnce() -> T + 'static) -> std::io::Result<Joins<T>> {
            let body = Any(body);
            self.0.spawn(move || Any(body.into_inner()())).map(Joins)
        }
    }
}

pub mod sync {
    pub use mazurka::doubles::sync::{
        Arc, Barrier, Condvar, LockResult, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockResult,
        WaitTimeoutResult, atomic, mpsc,
    };

    /// loom's own: who waits goes on when it was notified.
    #[derive(Debug, Default)]
    pub struct Notify {
        is_notified: Mutex<bool>,
        changed: Condvar,
    }

    impl Notify {
        pub fn new() -> Self {
            Notify::default()
        }

        #[track_caller]
        pub fn notify(&self) {
            *self.is_notified.lock().expect("not poisoned") = true;
            self.changed.notify_one();
        }

        #[track_caller]
        pub fn wait(&self) {
            let mut is_notified = self.is_notified.lock().expect("not poisoned");
            while !std::mem::take(&mut *is_notified) {
                is_notified = self.changed.wait(is_notified).expect("not poisoned");
            }
        }
    }
}

pub mod future {
    pub use mazurka::doubles::future::block_on;
    use mazurka::doubles::sync::Mutex;
    use std::task::Waker;

    #[derive(Debug, Default)]
    pub struct AtomicWaker(Mutex<Option<Waker>>);

    impl AtomicWaker {
        pub fn new() -> Self {
            AtomicWaker::default()
        }

        #[track_caller]
        pub fn register_by_ref(&self, waker: &Waker) {
            *self.0.lock().expect("not poisoned") = Some(waker.clone());
        }

        #[track_caller]
        pub fn wake(&self) {
            let waker = self.0.lock().expect("not poisoned").take();
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}
