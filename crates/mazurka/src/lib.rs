//! Mazurka finds an order of events that breaks a program, or proves that there is none.
//!
//! Describe a model as a [`System`]: its states, the actors that can move, and a step that records what it touched.
//! Then check it from a test. The engines, verdicts and reports are those of the `mazurka` command.
//!
//! ```
//! use mazurka::{ActorId, Check, Narrator, ObjectId, Step, System, Verdict};
//!
//! /// Two tellers who each read the balance, and then write it back with their deposit.
//! struct Bank;
//! const BALANCE: ObjectId = ObjectId(0);
//!
//! #[derive(Clone, PartialEq, Eq, Hash)]
//! struct State {
//!     balance: u32,
//!     /// What each teller has read.
//!     read: [Option<u32>; 2],
//!     done: [bool; 2],
//! }
//!
//! impl System for Bank {
//!     type State = State;
//!
//!     fn initial_states(&self) -> Vec<State> {
//!         vec![State { balance: 0, read: [None; 2], done: [false; 2] }]
//!     }
//!
//!     fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
//!         into.extend((0..2).map(ActorId).filter(|teller| !state.done[teller.index()]));
//!     }
//!
//!     fn step(&self, state: &mut State, teller: ActorId, step: &mut Step) {
//!         let me = teller.index();
//!         match state.read[me] {
//!             None => {
//!                 step.read(BALANCE);
//!                 state.read[me] = Some(state.balance);
//!             }
//!             Some(read) => {
//!                 step.write(BALANCE);
//!                 state.balance = read + 10;
//!                 state.done[me] = true;
//!                 step.assert(state.done != [true; 2] || state.balance == 20, "no deposit is lost");
//!             }
//!         }
//!     }
//!
//!     fn narrator(&self) -> &dyn Narrator<State> {
//!         self
//!     }
//! }
//!
//! impl Narrator<State> for Bank {
//!     fn actor_name(&self, teller: ActorId) -> String {
//!         ["Ann", "Bob"][teller.index()].to_owned()
//!     }
//! }
//!
//! let checked = Check::new(&Bank).run();
//! assert_eq!(checked.exploration.verdict, Verdict::Violated);
//! assert_eq!(checked.stories[0].rows.len(), 4); // Ann reads, Bob reads, Ann writes, Bob writes
//! println!("{checked}");
//! ```
//!
//! In a test, [`Checked::assert_verified`] panics with the whole report. `examples/rust/` has a larger model.
//! Programs as text are in [`lang`], the algorithms in [`engines`].
#![forbid(unsafe_code)]

mod auto;
mod check;
mod closure;
mod graph;
mod hint;
mod prefix;
mod subject;

pub use check::{Check, Checked, Searched};
pub use closure::{Builder, model};
pub use mazurka_core::{
    Access, ActorId, ActorKind, Awaited, BlockedVisitor, Budget, Cancel, Counter, Description, Diagnostic, Ending,
    Exploration, Fingerprint, Footprint, Found, Insight, Location, Move, Narrator, Object, ObjectId, ObjectKind,
    Observer, Obstacle, Outcome, Progress, Rule, Schedule, Silent, Statistics, Step, StopReason, System, Traits, Value,
    Verdict, Violation, ViolationKind,
};
pub use mazurka_droid as droid;
pub use mazurka_engines::{self as engines, Engine};
pub use mazurka_home as home;
pub use mazurka_lang as lang;
pub use mazurka_macros::test;
pub use mazurka_model::{self as model, Model};
pub use mazurka_report as report;
pub use mazurka_rust::{assume, choose};
pub use subject::{HomeProgram, MzProgram, Origin, Subject};

/// Doubles of `std` for code that is checked by [`model`]. Outside of a model they behave like the originals. The crate `mazurka-sync`
/// has the same modules, which are `std` itself unless its feature `check` is on.
pub mod doubles {
    pub use mazurka_rust::{cell, hint, sync, thread};
}

/// Says that a condition has to hold at this place in at least one execution of a [`model`]; otherwise the test fails. Without a
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
}
