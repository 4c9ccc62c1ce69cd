//! Mazurka finds an order of events that breaks a program, or proves that there is none.
//!
//! Put a [`Model`] together from variables, and from events and threads that read and write them. Then check it from a
//! test. The engines, verdicts and reports are those of the `mazurka` command.
//!
//! ```
//! use mazurka::{Check, Model, Verdict};
//!
//! // Two tellers who each read the balance, and then write it back with their deposit.
//! let mut bank = Model::new();
//! let balance = bank.variable("balance", 0);
//! let done = bank.variable("done", 0);
//! for teller in ["Ann", "Bob"] {
//!     let seen = bank.variable(format!("what {teller} read"), 0);
//!     bank.thread(teller, |t| {
//!         t.step("read").then(move |s| s[seen] = s[balance]);
//!         t.step("write").then(move |s| {
//!             s[balance] = s[seen] + 10;
//!             s[done] += 1;
//!         });
//!     });
//! }
//! bank.invariant("no deposit is lost", (balance, done), |(balance, done)| done < 2 || balance == 20);
//!
//! let checked = Check::new(&bank).run();
//! assert_eq!(checked.exploration.verdict, Verdict::Violated);
//! assert_eq!(checked.stories[0].rows.len(), 4); // Ann reads, Bob reads, Ann writes, Bob writes
//! println!("{checked}");
//! ```
//!
//! In a test, [`Checked::assert_verified`] panics with the whole report. `examples/rust/` has larger models. A [`Model`] is
//! one way to make a [`System`], the trait that engines see. Programs as text are in [`lang`], the algorithms in [`engines`].
#![forbid(unsafe_code)]

mod auto;
mod check;
mod closure;
mod graph;
mod hint;
mod prefix;
mod properties;
mod subject;

pub use check::{Check, Checked, Searched};
pub use closure::{Builder, model};
pub use mazurka_core::{
    Access, ActorId, ActorKind, Awaited, BlockedVisitor, Budget, Cancel, ClassId, Counter, Description, Diagnostic,
    Ending, Explanation, Exploration, Fairness, Fingerprint, Footprint, Form, Found, Insight, Lasso, Liveness,
    Location, Meter, Move, Narrator, Object, ObjectId, ObjectKind, Observer, Obstacle, Outcome, Progress, Property,
    Race, Rule, Schedule, Silent, Statistics, Step, Stepper, StopReason, System, Traits, Value, Verdict, Violation,
    ViolationKind,
};
pub use mazurka_engines::{self as engines, Engine};
pub use mazurka_lang as lang;
pub use mazurka_macros::test;
pub use mazurka_model::{self as model, Model};
pub use mazurka_report as report;
pub use mazurka_rust::{assume, choose, progress};
pub use properties::Properties;
pub use subject::{MzProgram, Origin, Subject, explore_by_presence};

/// Doubles of `std` for code that is checked by [`model()`]. Outside of a model they behave like the originals. The crate `mazurka-sync`
/// has the same modules, which are `std` itself unless its feature `check` is on.
pub mod doubles {
    pub use mazurka_rust::{cell, future, hint, mailbox, sync, thread};
}

/// Says that a condition has to hold at this place in at least one execution of a [`model()`]; otherwise the test fails. Without a
/// condition, the place has to be reached.
///
/// A place that no execution comes to at all is not known, and not told.
#[macro_export]
macro_rules! cover {
    () => {
        $crate::cover!(true)
    };
    ($condition:expr $(,)?) => {
        $crate::__cover($condition)
    };
}

#[doc(hidden)]
pub use mazurka_rust::cover as __cover;

/// The Rust code of the README and of the manual, run as doctests.
#[cfg(doctest)]
mod manual {
    #[doc = include_str!("../../../README.md")]
    struct Readme;
    #[doc = include_str!("../../../docs/library.md")]
    struct Library;
    #[doc = include_str!("../../../docs/rust.md")]
    struct Rust;
}
