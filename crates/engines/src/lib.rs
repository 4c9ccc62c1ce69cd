//! How a program is explored.
//!
//! One file is one algorithm: its head says which paper it follows, what it promises and where it departs from the
//! paper. The parts that algorithms share stand beside them, each named after its concept: `visited` (the set of states
//! that were met), `ancestry` (how each of them was reached), `findings` (violations, each once), `tally` (what is counted
//! and cut along a path), `trail` (places to come back to), `execution` (clocks, races, initials), `waiting` (blocked next
//! operations), `sleep` (sleep sets), `backtracking` (the search that these make up), `capture` (local states by their
//! changes), [`commutation`] (whether footprints are complete). What helps a person to understand a violation once it was found is here too: [`shorten`] and [`explain_race`].
//!
//! An engine knows a program only as a [`System`]. To add one, write its file with the two functions `explore` and
//! `refuses`, and add its line to the table below.
//!
//! ```
//! use mazurka_core::{ActorId, Counter, Silent, Step, System, Verdict};
//! use mazurka_engines::{Engine, Options, explore};
//!
//! /// Two counters that run from 0 to 9, each by itself.
//! struct Counters;
//!
//! impl System for Counters {
//!     type State = [u8; 2];
//!
//!     fn initial_states(&self) -> Vec<Self::State> {
//!         vec![[0, 0]]
//!     }
//!
//!     fn enabled(&self, state: &Self::State, into: &mut Vec<ActorId>) {
//!         into.extend([0, 1].map(ActorId).into_iter().filter(|actor| state[actor.index()] < 9));
//!     }
//!
//!     fn step(&self, state: &mut Self::State, actor: ActorId, _step: &mut Step) {
//!         state[actor.index()] += 1;
//!     }
//! }
//!
//! let exploration = explore(Engine::Exhaustive, &Counters, &Options::default(), &mut Silent);
//! assert_eq!(exploration.verdict, Verdict::Verified);
//! assert_eq!(exploration.statistics.get(Counter::States), Some(100));
//! ```
#![forbid(unsafe_code)]

mod ancestry;
mod backtracking;
mod bits;
mod capture;
pub mod commutation;
mod dpor;
mod em_dpor;
mod enumerate;
mod event;
mod execution;
mod exhaustive;
mod findings;
mod frontier;
mod optimal;
mod options;
mod race;
mod reversing;
mod sdpor;
mod shorten;
mod sleep;
mod stateful;
mod tally;
mod trail;
mod unfolding;
mod visited;
mod waiting;
mod wakeup;

#[cfg(test)]
mod programs;

pub use em_dpor::covering_classes;
pub use options::{Capture, Cutoffs, Options};
pub use race::explain_race;
pub use shorten::shorten;
pub use unfolding::{PrefixEvent, prefix as unfolding_prefix};

use mazurka_core::{Exploration, Observer, System, Traits};
use std::fmt;

macro_rules! engines {
    ($($(#[doc = $doc:literal])+ $variant:ident in $module:ident, name: $name:literal, cycles: $cycles:literal,
        present_identity: $present:literal;)+) => {
        /// The algorithms, each in the file of its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Engine {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Engine {
            /// All engines, in the order in which they are shown.
            pub const ALL: &'static [Engine] = &[$(Engine::$variant,)+];

            /// The engine's name on the command line and in reports, stable.
            pub fn name(self) -> &'static str {
                match self { $(Engine::$variant => $name,)+ }
            }

            /// What the engine promises, in a sentence.
            pub fn summary(self) -> &'static str {
                match self { $(Engine::$variant => concat!($($doc),+).trim_ascii(),)+ }
            }

            /// Whether the promise holds for programs that come back to a state; otherwise such runs are cut and the
            /// verdict says so.
            pub fn handles_cycles(self) -> bool {
                match self { $(Engine::$variant => $cycles,)+ }
            }

            /// Whether the engine wants the identities of the present: actors and objects that are gone may lend their
            /// numbers to new ones, so that states with the same future are equal. An engine that compares executions
            /// step by step wants identities that an execution never uses twice, and gets another [`System`].
            pub fn present_identity(self) -> bool {
                match self { $(Engine::$variant => $present,)+ }
            }
        }

        /// Explores a program with an engine. A panic in a step of the program is a violation.
        pub fn explore<S: System>(
            engine: Engine,
            system: &S,
            options: &Options,
            observer: &mut dyn Observer,
        ) -> Exploration {
            match engine { $(Engine::$variant => $module::explore(system, options, observer),)+ }
        }

        /// Why an engine is not sound for programs that are made of this; `None` if it is.
        pub fn refuses(engine: Engine, traits: &Traits) -> Option<String> {
            match engine { $(Engine::$variant => $module::refuses(traits),)+ }
        }
    };
}

// The table: the sentence that is an engine's promise, its file, its name, and what it wants.
engines! {
    /// Visits every reachable state once.
    Exhaustive in exhaustive, name: "exhaustive", cycles: true, present_identity: true;
    /// Explores every local behaviour and every deadlock of a program that may run for ever, one order of independent steps.
    Stateful in stateful, name: "stateful", cycles: true, present_identity: true;
    /// Runs at least one execution of each trace of a terminating program.
    Dpor in dpor, name: "dpor", cycles: false, present_identity: false;
    /// Like dpor, and stops where it meets a state again.
    Sdpor in sdpor, name: "sdpor", cycles: false, present_identity: true;
    /// Runs exactly one execution of each trace of a terminating program.
    Optimal in optimal, name: "optimal", cycles: false, present_identity: false;
    /// Runs at least one execution of each trace of a terminating program whose handlers take messages in any order.
    Event in event, name: "event", cycles: false, present_identity: false;
    /// Runs at most one execution of each trace, and ends where states meet again; programs may run for ever.
    Unfolding in unfolding, name: "unfolding", cycles: true, present_identity: false;
    /// Runs at least one execution for each order of conflicting steps of a terminating program with fifo handlers, whatever the order of posts.
    EmDpor in em_dpor, name: "em-dpor", cycles: false, present_identity: false;
    /// Runs every execution of a terminating program, without any reduction.
    Enumerate in enumerate, name: "enumerate", cycles: false, present_identity: false;
}

impl Engine {
    /// Whether the engine leaves out orders of steps whose footprints do not conflict: then its promise holds as far as
    /// footprints are complete.
    pub fn reduces(self) -> bool {
        !matches!(self, Engine::Exhaustive | Engine::Enumerate)
    }

    /// The engine with this name.
    pub fn by_name(name: &str) -> Option<Engine> {
        Engine::ALL.iter().copied().find(|engine| engine.name() == name)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The engine for programs that are made of this, and why: a phrase that follows "because".
pub fn choose(traits: &Traits) -> (Engine, &'static str) {
    if traits.recorded && traits.fifo_mailboxes {
        return (Engine::EmDpor, "it reorders what was recorded only where that changes something");
    }
    (Engine::Exhaustive, "it suits every kind of program and finds the shortest schedule")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_by_its_name() {
        for &engine in Engine::ALL {
            assert_eq!(Engine::by_name(engine.name()), Some(engine));
            assert!(engine.summary().ends_with('.'));
            assert_eq!(refuses(engine, &Traits { tells_who_waits: true, ..Traits::default() }), None);
        }
        assert_eq!(refuses(Engine::Exhaustive, &Traits::default()), None);
        assert!(refuses(Engine::Stateful, &Traits::default()).is_some(), "it needs to know who waits");
        assert_eq!(Engine::by_name("none"), None);
        assert_eq!(choose(&Traits::default()).0, Engine::Exhaustive);
        let trace = Traits { recorded: true, fifo_mailboxes: true, ..Traits::default() };
        assert_eq!(choose(&trace).0, Engine::EmDpor);
        assert_eq!(format!("{:>12}", Engine::Enumerate), "   enumerate");
    }
}
