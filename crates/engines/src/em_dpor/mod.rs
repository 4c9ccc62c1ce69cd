//! EM-DPOR: threads with first-in-first-out event queues, where events are reordered only where it matters.
//!
//! After Maiya, Gupta, Kanade, Majumdar, *Partial Order Reduction for Event-Driven Multi-threaded Programs*, TACAS 2016,
//! and its long version with appendices A to C.
//!
//! # What the paper says
//!
//! A reduction that sees a queue as a shared object tries every order of posts into it, though most of them lead to the
//! same state. Here posts do not depend on each other. Steps of two handlers of one queue depend on each other if they
//! would as steps of two threads (definition 2.2). One execution *covers* another if it has all its steps and keeps the
//! order of those that depend on each other (definition 2.4). Theorem 2.9: a search that explores, in each state, the first
//! step of a covering sequence of whatever can happen from there meets every deadlock cycle and every assertion over
//! local variables that can fail.
//!
//! But a queue ties the order of its events to that of their posts: to reverse two steps, posts may have to be reversed
//! that have nothing to do with them, in queues far away.
//!
//! # `--plain`: as published
//!
//! [`published`] is Algorithm 5 (Algorithm 1 with appendix C: reads are independent of each other, and so are locks that
//! handlers of one queue take), [`find_target`] Algorithms 2 to 4, [`order`] the happens-before relation of definition 3.1
//! with one clock for each task (section 4). It keeps no sleep sets, so it runs one behaviour many times. The recursion of
//! the paper is a loop here. A step is held against earlier ones when it comes up and when something changes for it, not
//! anew in each state: in between the answer is the same. Pairs of steps of which one lets the other move ("may be
//! co-enabled" in the paper) are known by what an actor waits for and by gates (`System::is_gate`). A step of ours may touch
//! several objects, and is held against earlier ones object by object; one with a choice, once more for each outcome.
//!
//! It misses something where a message gets stuck in front of others in its queue, other than on a lock that a message
//! gives back: what those would do is never seen, so nothing asks for posts to be reordered. The paper's proof knows
//! deadlocks of such locks only. The programs `finding-message-…` in `tests/papers/em-dpor` show it.
//!
//! # The default: one execution for each class
//!
//! Executions that cover each other are a *class*. [`covering`] runs exactly one execution of each class that it finds: it
//! is an unfolding-based search (Rodriguez, Sousa, Sharma, Kroening, CONCUR 2015) over events that leave the order of posts
//! out ([`events`]), in which whether some events can be together is found out by running the program, since with queues that
//! is no matter of pairs. The rule of the queue prunes first ([`plan`]).
//!
//! *Proved*, by how the search divides executions: no class is run twice. Every execution that it runs is a real one, and
//! each failing run was refuted either by a circle in what the queues demand or by trying every order of what was left.
//! Also that an execution which has all steps of another one and more is found: if the first step that it has more could
//! not be taken at the end of the other one, only a queue was in its way, for whatever else it depends on is the same. So it
//! is the first step of a message that stands behind one that is stuck, and goes ahead of that ([`covering`]).
//!
//! *Tested only*: that no class is missed. The search leaves an event out by putting something in its way that was seen
//! before, anywhere ([`openings`]). Without queues that is complete: what is in the way in one execution can be seen in
//! another one that has the event, if what somebody waits for is looked at wherever it waits, since a guard looks at other
//! objects when others have moved on. With queues two things are added. What a message would do that stands behind one
//! that is stuck may never happen: so a step also counts as seen where somebody is about to take it and may not, because
//! it would change what is settled. And an event may be left out because its message never begins: so a message is tried
//! ahead of another one, be it that it has begun, if the queue was seen jammed, or if it may get stuck because the other
//! one has not run: it may have to wait for that one, be it through others, or do something else without it.
//!
//! The tests: `mazurka agree`, which compares the number of executions with that of all classes ([`yardstick`]); the
//! counts of published traces and of our own in `crates/load/tests/traces.rs`; and hundreds of random traces whose
//! classes were counted operation by operation by a program that shares nothing with this one. What was
//! ever missed is kept: as a program in `tests/papers/em-dpor`, or as a trace in `tests/traces`.
//!
//! That no reduction for queues is known that runs one execution for each class is to our knowledge; the paper (section 6) calls
//! it an open problem.

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

/// Needs to know who waits, and knows no other mailboxes than first-in-first-out ones.
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
    let mut mutexes_count = false;
    let walked = from_each_start(system, &mut tally, |machine, tally| {
        let (start, before) = (tally.schedule.start, (tally.executions(), tally.assume_blocked()));
        let walked = counted.search(machine, tally, mutexes_count)?;
        if walked == Err(Leak) {
            // Once a message ends with a mutex in its hands, mutexes count everywhere.
            mutexes_count = true;
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
        mutexes_count: bool,
    ) -> Result<Result<(), Leak>, StopReason> {
        if tally.options.plain {
            let races = published::Search::new(machine, tally, &mut self.classes, mutexes_count).run()?;
            return Ok(races.map(|races| self.races += races));
        }
        let mut search = covering::Search::new(machine, tally, &mut self.classes, self.fixed_steps, mutexes_count);
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
