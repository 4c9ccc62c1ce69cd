//! EM-DPOR: threads with first-in-first-out event queues, where events are reordered only where it matters.
//!
//! After Maiya, Gupta, Kanade, Majumdar, *Partial Order Reduction for Event-Driven Multi-threaded Programs*, TACAS 2016,
//! and its long version with appendices A to C.
//!
//! # What the paper says
//!
//! A reduction in which a queue is a shared object tries every order of posts into it, though most of them lead to the
//! same state. Here posts do not depend on each other. Steps of two handlers of one queue depend on each other if they
//! would as steps of two threads (definition 2.2). One execution *covers* another if it has all its steps and keeps the
//! order of those that depend on each other (definition 2.4). Theorem 2.9: a search that explores, in each state, the first
//! step of a covering sequence of whatever can happen from there meets every deadlock cycle and every assertion over
//! local variables that can fail.
//!
//! But a queue runs its events in the order of their posts: to reverse two steps, posts may have to be reversed that do not
//! conflict with them, in other queues.
//!
//! # `--plain`: as published
//!
//! [`published`] is Algorithm 5 (Algorithm 1 with appendix C: reads are independent of each other, and so are locks that
//! handlers of one queue acquire), [`find_target`] Algorithms 2 to 4, [`order`] the happens-before relation of definition
//! 3.1 with one clock for each task (section 4). It keeps no sleep sets, so it runs one behaviour many times. The recursion
//! of the paper is a loop here. A step is compared with earlier ones when it comes up and when something changes for it, not
//! again in each state: in between the answer is the same. Pairs of steps of which one enables the other (not "may be
//! co-enabled" in the paper) are known by what an actor awaits and by gates (`Rule::Gate`). A step of ours may touch several
//! objects, and is compared with earlier ones object by object; one with a choice, once more for each outcome.
//!
//! It misses something where a message gets stuck in front of others in its queue, other than on a lock that a message
//! releases: what those would do is never seen, so no race asks for posts to be reordered. The paper's proof knows
//! deadlocks of such locks only. The programs `finding-message-…` in `tests/papers/em-dpor` show it.
//!
//! # The default: one execution for each class
//!
//! Executions that cover each other are a *class*. [`covering`] runs exactly one execution of each class that it finds: it
//! is an unfolding-based search (Rodriguez, Sousa, Sharma, Kroening, CONCUR 2015) over events that leave the order of posts
//! out ([`events`]). Whether some events can be in one execution is found out by running the program, since with queues
//! that is not decided by pairs of events. The rule of the queue prunes first ([`plan`]).
//!
//! *Proved*, by how the search divides executions: no class is run twice. Every execution that it runs is a real one, and
//! each failing run was refuted either by a cycle in what the queues demand or by trying every order of what was left.
//! Also that an execution E' with all steps of an execution E and more is found. Take the first additional step of E'. At
//! the end of E it could not be taken, and everything that it depends on is the same there, so only a queue blocked it: it
//! is the first step of a message that stands behind a stuck one, and in E' goes ahead of that ([`covering`]).
//!
//! *Tested only*: that no class is missed. To leave out an event, the search puts a conflicting step in front of it, one that
//! it has seen before in any execution ([`openings`]). Without queues that is complete: the step that excludes an event in
//! one execution can be seen in another execution which has the event. (A guard reads other objects when others have moved
//! on, so the reads of blocked actors are noted in every state, not only at the end.) With queues, two rules are added:
//!
//! 1. A message behind a stuck one never runs, so its steps are never seen. Therefore a step also counts as seen where an
//!    actor is about to take it and may not, because it would change what is settled.
//! 2. An event may be left out because its message never begins. Therefore a message is tried ahead of another one, even of
//!    one that has begun, in three cases: the queue was seen jammed; it may be blocked, directly or through others, until
//!    the other one has run; or it may do something else if the other one has not run.
//!
//! The tests: `mazurka agree`, which compares the number of executions with that of all classes ([`yardstick`]); the
//! counts of published traces and of our own in `crates/load/tests/traces.rs`; and hundreds of random traces whose
//! classes were counted operation by operation by a program that shares nothing with this one. What was ever missed is
//! kept: as a program in `tests/papers/em-dpor`, or as a trace in `tests/traces`.
//!
//! To our knowledge no other reduction for queues runs one execution for each class; the paper (section 6) calls it an open
//! problem.

mod class;
mod configuration;
mod covering;
mod events;
mod find_target;
mod following;
mod openings;
mod order;
mod plan;
mod published;
mod tasks;
mod yardstick;

pub use yardstick::covering_classes;

use crate::Options;
use crate::shared::tally::{FastSet, Tally, from_each_start};
use crate::shared::waiting::unless_it_tells_blocked;
use mazurka_core::{Counter, Exploration, Fingerprint, Observer, Stepper, StopReason, System, Traits};
use tasks::Leak;

/// Needs to know which actors are blocked, and has no other mailboxes than first-in-first-out ones.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    if traits.any_mailboxes {
        return Some(
            "em-dpor is made for handlers that take their messages in order of arrival, and the program has one that \
             takes them in any order"
                .to_owned(),
        );
    }
    unless_it_tells_blocked(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut tally = Tally::new(options, observer);
    let mut counted = Counted {
        classes: FastSet::default(),
        fixed_steps: system.traits().fixed_steps,
        counts: covering::Counts::default(),
        races: 0,
    };
    let mut mutexes_conflict = false;
    let walked = from_each_start(system, &mut tally, |machine, tally| {
        let (start, before) = (tally.schedule.start, (tally.executions(), tally.assume_blocked()));
        let walked = counted.search(machine, tally, mutexes_conflict)?;
        if walked == Err(Leak) {
            // Once a message ends and holds a mutex, mutexes conflict everywhere.
            mutexes_conflict = true;
            tally.begin_over(before.0, before.1);
            counted.classes.retain(|class| class.0 != start);
            let Some(state) = system.initial_states().into_iter().nth(start) else { return Ok(()) };
            let _ = counted.search(Stepper::new(system, state), tally, true)?;
        }
        Ok(())
    });
    tally.conclude(system, walked, &counted.named(options.plain))
}

/// What was counted.
struct Counted {
    classes: FastSet<(usize, Fingerprint)>,
    fixed_steps: bool,
    counts: covering::Counts,
    races: u64,
}

impl Counted {
    /// Searches from one initial state.
    fn search<S: System>(
        &mut self,
        machine: Stepper<'_, S>,
        tally: &mut Tally<'_>,
        mutexes_conflict: bool,
    ) -> Result<Result<(), Leak>, StopReason> {
        if tally.options.plain {
            let races = published::Search::new(machine, tally, &mut self.classes, mutexes_conflict).run()?;
            return Ok(races.map(|races| self.races += races));
        }
        let mut search = covering::Search::new(machine, tally, &mut self.classes, self.fixed_steps, mutexes_conflict);
        let counts = search.run()?;
        Ok(counts.map(|counts| {
            self.counts.events += counts.events;
            self.counts.blocked += counts.blocked;
        }))
    }

    fn named(&self, plain: bool) -> Vec<(Counter, u64)> {
        let traces = (Counter::Traces, self.classes.len() as u64);
        if plain {
            return vec![traces, (Counter::Races, self.races)];
        }
        vec![(Counter::Blocked, self.counts.blocked), traces, (Counter::Events, self.counts.events)]
    }
}
