//! How a program is explored.
//!
//! One file or folder is one algorithm: its head says which paper it follows, what it promises and where it departs from
//! the paper. `backtracking` is the search that `dpor` and `sdpor` share, `reversing` that of `optimal` and `event`. The
//! folder `shared` has the parts that engines share, each named after its concept. [`commutation`] checks whether footprints
//! are complete. What helps a person to understand a violation once it was found is here too: [`shorten`] and [`explain`].
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

mod avoidance;
mod backtracking;
pub mod commutation;
mod dpor;
mod em_dpor;
mod enumerate;
mod event;
mod exhaustive;
mod explain;
mod liveness;
mod optimal;
mod options;
mod race;
mod reversing;
mod sdpor;
mod shared;
mod shorten;
mod stateful;
mod unfolding;

#[cfg(test)]
mod programs;
#[cfg(test)]
mod watched;

pub use em_dpor::covering_classes;
pub use explain::explain;
pub use options::{Capture, Cutoffs, Options};
pub use race::reverse_race;

pub use shorten::shorten;
pub use unfolding::{PrefixEvent, prefix as unfolding_prefix};

use mazurka_core::{Exploration, Observer, System, Traits};
use shared::data_race;
use std::fmt;

macro_rules! engines {
    ($($(#[doc = $doc:literal])+ $variant:ident in $module:ident, name: $name:literal, cycles: $cycles:literal,
        present_identity: $present:literal, races: $races:literal;)+) => {
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

            /// Whether the engine sees all data races, as far as it explores a program; see the head of `data_race.rs`.
            pub fn finds_races(self) -> bool {
                match self { $(Engine::$variant => $races,)+ }
            }
        }

        /// Explores a program with an engine. The verdict is `unsupported` if the engine [`refuses`] the program, or cannot find
        /// what the options ask for. A panic in a step of the program is a violation.
        pub fn explore<S: System>(
            engine: Engine,
            system: &S,
            options: &Options,
            observer: &mut dyn Observer,
        ) -> Exploration {
            let traits = Traits::of(system);
            if let Some(reason) = refuses(engine, &traits) {
                return Exploration::unsupported(reason);
            }
            if options.races
                && let Some(reason) = data_race::refuses(engine, &system.traits())
            {
                return Exploration::unsupported(reason);
            }
            let racing = data_race::options(options);
            let options = racing.as_ref().unwrap_or(options);
            let exploration = match engine { $(Engine::$variant => $module::explore(system, options, observer),)+ };
            if traits.liveness { liveness::extend(system, options, observer, exploration) } else { exploration }
        }

        /// Why an engine is not sound for programs with these traits; `None` if it is.
        pub fn refuses(engine: Engine, traits: &Traits) -> Option<String> {
            let unanswered = if traits.liveness { liveness::refuses(engine) } else { None };
            unanswered.or_else(|| match engine { $(Engine::$variant => $module::refuses(traits),)+ })
        }
    };
}

// The table: the sentence that is an engine's promise, its file, its name, and what it wants.
engines! {
    /// Visits every reachable state once.
    Exhaustive in exhaustive, name: "exhaustive", cycles: true, present_identity: true, races: true;
    /// Explores every local behaviour and every deadlock of a program that may run for ever, one order of independent steps.
    Stateful in stateful, name: "stateful", cycles: true, present_identity: true, races: false;
    /// Runs at least one execution of each trace of a terminating program.
    Dpor in dpor, name: "dpor", cycles: false, present_identity: false, races: true;
    /// Like dpor, and stops where it meets a state again.
    Sdpor in sdpor, name: "sdpor", cycles: false, present_identity: true, races: false;
    /// Runs exactly one execution of each trace of a terminating program.
    Optimal in optimal, name: "optimal", cycles: false, present_identity: false, races: true;
    /// Runs at least one execution of each trace of a terminating program whose handlers take messages in any order.
    Event in event, name: "event", cycles: false, present_identity: false, races: true;
    /// Runs at most one execution of each trace, and ends where states meet again; programs may run for ever.
    Unfolding in unfolding, name: "unfolding", cycles: true, present_identity: false, races: false;
    /// Runs at least one execution for each order of conflicting steps of a terminating program with fifo handlers, whatever the order of posts.
    EmDpor in em_dpor, name: "em-dpor", cycles: false, present_identity: false, races: false;
    /// Runs every execution of a terminating program, without any reduction.
    Enumerate in enumerate, name: "enumerate", cycles: false, present_identity: false, races: true;
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

/// A search that is tried on a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// How it searches.
    pub engine: Engine,
    /// How large it may grow before the next stage takes over: see [`mazurka_core::Budget::size`].
    pub size: Option<u64>,
    /// Why it is tried: a phrase that follows "because".
    pub why: &'static str,
}

/// How large a search may grow before one that reduces more takes over.
pub const STAGE_SIZE: u64 = 100_000;

/// The searches for programs with these traits, one after the other until one comes to its end: first the one that
/// finds the shortest schedule; then, if executions may come to an end, one that stores nothing; then the one that reduces
/// most elsewhere, however long it takes.
pub fn stages(traits: &Traits) -> Vec<Stage> {
    if traits.recorded && traits.fifo_mailboxes {
        let why = "it reorders what was recorded only where that changes something";
        return vec![Stage { engine: Engine::EmDpor, size: None, why }];
    }
    if traits.liveness {
        let why = "it looks for executions without end, in which something that has to happen does not";
        return vec![Stage { engine: Engine::Exhaustive, size: None, why }];
    }
    let why = "it suits every kind of program and finds the shortest schedule";
    let exhaustive = Stage { engine: Engine::Exhaustive, size: Some(STAGE_SIZE), why };
    let without_states = if traits.any_mailboxes { Engine::Event } else { Engine::Optimal };
    let why = "it runs one execution of each trace and stores no states";
    let without_states = Stage { engine: without_states, size: Some(STAGE_SIZE), why };
    let why = "it takes one order of independent steps";
    let stateful = Stage { engine: Engine::Stateful, size: None, why };
    let wanted = [Some(exhaustive), may_end(traits).then_some(without_states), Some(stateful)];
    let mut stages: Vec<_> =
        wanted.into_iter().flatten().filter(|stage| refuses(stage.engine, traits).is_none()).collect();
    // No stage follows the last one.
    stages.last_mut().into_iter().for_each(|last| last.size = None);
    stages
}

/// The searches that find data races, in the same manner. Where executions come back to states, only the first one comes
/// to its end, so it is tried again without a limit.
pub fn stages_for_races(traits: &Traits) -> Vec<Stage> {
    let mut stages: Vec<Stage> = stages(traits).into_iter().filter(|stage| stage.engine.finds_races()).collect();
    if !traits.terminates && stages.len() != 1 {
        let why = "it follows executions that come back to a state, and sees data races";
        stages.push(Stage { engine: Engine::Exhaustive, size: None, why });
    }
    stages.last_mut().into_iter().for_each(|last| last.size = None);
    stages
}

/// Whether executions may come to an end. That they all do is known of some programs; of others it is found out, since a
/// search that stores nothing notices when it comes back to a state. An event may always happen again.
fn may_end(traits: &Traits) -> bool {
    let Traits { events, threads, fifo_mailboxes, any_mailboxes, terminates, .. } = *traits;
    terminates || !events && (threads || fifo_mailboxes || any_mailboxes)
}

/// Where an engine could not finish, one that was not tried and may need less, and why: a phrase that follows its name.
pub fn alternative(traits: &Traits, tried: &[Engine]) -> Option<(Engine, &'static str)> {
    let stateful = (Engine::Stateful, "visits fewer states where steps are independent");
    let event = (Engine::Event, "stores no states, and orders messages only where they conflict");
    let optimal = (Engine::Optimal, "stores no states, and runs one execution of each trace");
    let unfolding = (Engine::Unfolding, "ends where states meet again");
    let ending = if traits.any_mailboxes { event } else { optimal };
    let candidates = [Some(stateful), may_end(traits).then_some(ending), Some(unfolding)];
    let fits = |(engine, _): &(Engine, _)| !tried.contains(engine) && refuses(*engine, traits).is_none();
    candidates.into_iter().flatten().find(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::{ActorId, ObjectId, Silent, Step, Verdict};

    #[test]
    fn data_races_are_looked_for_by_engines_that_find_them() {
        let engines = |traits: Traits| {
            let stages = stages_for_races(&Traits { tells_blocked: true, tells_plain_accesses: true, ..traits });
            assert!(stages.last().is_some_and(|last| last.size.is_none()));
            stages.iter().map(|stage| stage.engine).collect::<Vec<_>>()
        };
        let (all_states, all_traces) = (Engine::Exhaustive, Engine::Optimal);
        let threads = Traits { threads: true, ..Traits::default() };
        assert_eq!(engines(Traits { terminates: true, ..threads }), [all_states, all_traces]);
        assert_eq!(engines(threads), [all_states, all_traces, all_states]);
        assert_eq!(engines(Traits { events: true, ..Traits::default() }), [all_states]);
        assert_eq!(engines(Traits { recorded: true, fifo_mailboxes: true, ..Traits::default() }), [all_states]);
    }

    /// Two actors, the second of which can move only before the first has; nothing tells that it is blocked after that.
    struct TellsNothing;

    impl System for TellsNothing {
        type State = [bool; 2];

        fn initial_states(&self) -> Vec<Self::State> {
            vec![[false; 2]]
        }

        fn enabled(&self, &[first, second]: &Self::State, into: &mut Vec<ActorId>) {
            into.extend((!first).then_some(ActorId(0)));
            into.extend((!first && !second).then_some(ActorId(1)));
        }

        fn step(&self, moved: &mut Self::State, actor: ActorId, step: &mut Step) {
            step.touch(
                ObjectId(0),
                if actor.0 == 0 { mazurka_core::Access::WRITE } else { mazurka_core::Access::READ },
            );
            moved[actor.index()] = true;
            step.assert(actor.0 == 0, "the second actor never moves");
        }
    }

    #[test]
    fn no_engine_says_verified_of_a_program_that_it_refuses() {
        for &engine in Engine::ALL {
            let exploration = explore(engine, &TellsNothing, &Options::default(), &mut Silent);
            match refuses(engine, &TellsNothing.traits()) {
                Some(reason) => assert_eq!(exploration.verdict, Verdict::Unsupported(reason), "{engine}"),
                None => assert_eq!(exploration.verdict, Verdict::Violated, "{engine}"),
            }
        }
    }

    #[test]
    fn every_engine_is_found_by_its_name() {
        for &engine in Engine::ALL {
            assert_eq!(Engine::by_name(engine.name()), Some(engine));
            assert!(engine.summary().ends_with('.'));
            assert_eq!(refuses(engine, &Traits { tells_blocked: true, ..Traits::default() }), None);
        }
        assert_eq!(refuses(Engine::Exhaustive, &Traits::default()), None);
        assert!(refuses(Engine::Stateful, &Traits::default()).is_some(), "it needs to know which actors are blocked");
        assert_eq!(Engine::by_name("none"), None);
        assert_eq!(format!("{:>12}", Engine::Enumerate), "   enumerate");
    }

    #[test]
    fn a_program_is_searched_by_what_it_is_made_of() {
        let engines = |traits: &Traits| stages(traits).iter().map(|stage| stage.engine).collect::<Vec<_>>();
        let (silent, told) = (Traits::default(), Traits { tells_blocked: true, ..Traits::default() });
        assert_eq!(engines(&silent), [Engine::Exhaustive], "no reduction knows which actors are blocked");
        assert_eq!(stages(&silent)[0].size, None, "no stage follows");
        assert_eq!(engines(&told), [Engine::Exhaustive, Engine::Stateful]);
        assert_eq!(engines(&Traits { events: true, threads: true, ..told }), [Engine::Exhaustive, Engine::Stateful]);
        let threads = Traits { threads: true, ..told };
        assert_eq!(engines(&threads), [Engine::Exhaustive, Engine::Optimal, Engine::Stateful]);
        let ending = Traits { terminates: true, ..told };
        assert_eq!(engines(&ending), [Engine::Exhaustive, Engine::Optimal, Engine::Stateful]);
        let in_any_order = Traits { any_mailboxes: true, ..ending };
        assert_eq!(engines(&in_any_order), [Engine::Exhaustive, Engine::Event, Engine::Stateful]);
        let trace = Traits { recorded: true, fifo_mailboxes: true, ..told };
        assert_eq!(engines(&trace), [Engine::EmDpor]);
        for traits in [silent, told, ending, in_any_order, trace] {
            let stages = stages(&traits);
            let (last, others) = stages.split_last().expect("there is a way to search everything");
            assert!(last.size.is_none() && others.iter().all(|stage| stage.size == Some(STAGE_SIZE)));
        }
    }

    #[test]
    fn an_engine_that_could_not_finish_names_another() {
        let told = Traits { tells_blocked: true, ..Traits::default() };
        let name = |traits: &Traits, tried: &[Engine]| alternative(traits, tried).map(|(engine, _)| engine);
        assert_eq!(name(&told, &[Engine::Exhaustive]), Some(Engine::Stateful));
        assert_eq!(name(&told, &[Engine::Exhaustive, Engine::Stateful]), Some(Engine::Unfolding));
        let ending = Traits { terminates: true, ..told };
        assert_eq!(name(&ending, &[Engine::Stateful]), Some(Engine::Optimal));
        assert_eq!(name(&Traits { any_mailboxes: true, ..ending }, &[Engine::Stateful]), Some(Engine::Event));
        assert_eq!(name(&Traits::default(), &[Engine::Exhaustive]), None, "no other engine takes it");
    }
}
