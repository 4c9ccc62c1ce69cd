//! As much of shuttle's interface as some of its own tests use, over Mazurka's doubles. Whatever a test asks for (depth first, at random,
//! by priorities), it gets a full search: what shuttle finds with luck must be found, and what it verifies depth first must be
//! verified. How many executions were asked for has no meaning here.
#![allow(missing_docs)]

pub use mazurka::doubles::hint;
pub use mazurka::doubles::thread::thread_local;

#[macro_export]
macro_rules! lazy_static {
    ($($(#[$attribute:meta])* $visibility:vis static ref $name:ident: $type:ty = $init:expr;)*) => {
        $($(#[$attribute])* $visibility static $name: $crate::LazyLock<$type> = $crate::LazyLock::new(|| $init);)*
    };
}

#[doc(hidden)]
pub use mazurka::doubles::sync::LazyLock;

#[track_caller]
fn search(body: impl Fn() + Send + Sync + 'static) {
    mazurka::Builder::new().check(body);
}

#[track_caller]
pub fn check(body: impl Fn() + Send + Sync + 'static) {
    search(body);
}

#[track_caller]
pub fn check_dfs(body: impl Fn() + Send + Sync + 'static, _executions: Option<usize>) {
    search(body);
}

#[track_caller]
pub fn check_random(body: impl Fn() + Send + Sync + 'static, _executions: usize) {
    search(body);
}

#[track_caller]
pub fn check_pct(body: impl Fn() + Send + Sync + 'static, _executions: usize, _depth: usize) {
    search(body);
}

#[derive(Debug, Default)]
pub struct Config {
    pub max_time: Option<std::time::Duration>,
}

pub struct Runner;

impl Runner {
    pub fn new<S>(_scheduler: S, _config: Config) -> Self {
        Runner
    }

    #[track_caller]
    pub fn run(self, body: impl Fn() + Send + Sync + 'static) -> usize {
        search(body);
        1
    }
}

pub mod scheduler {
    pub struct PctScheduler;
    pub struct RandomScheduler;
    pub struct DfsScheduler;

    impl PctScheduler {
        pub fn new(_depth: usize, _executions: usize) -> Self {
            PctScheduler
        }
    }

    impl RandomScheduler {
        pub fn new(_executions: usize) -> Self {
            RandomScheduler
        }
    }

    impl DfsScheduler {
        pub fn new(_executions: Option<usize>, _allows_randomness: bool) -> Self {
            DfsScheduler
        }
    }
}

pub mod thread {
    pub use mazurka::doubles::thread::*;
}

pub mod sync {
    pub use mazurka::doubles::sync::*;
    pub use std::sync::Arc;
}

pub mod future {
    pub use mazurka::doubles::future::{block_on, spawn, yield_now};
}
