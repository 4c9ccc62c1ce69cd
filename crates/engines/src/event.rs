//! Event-DPOR: one execution for each way in which the messages of handlers come into conflict.
//!
//! After Abdulla, Atig, Bønneland, Das, Jonsson, Lång, Sagonas: *Tailoring Stateless Model Checking for Event-Driven
//! Multi-Threaded Programs* (NETYS 2023). A handler that takes its messages in any order runs one at a time, and an engine that
//! sees that as a lock runs all their orders. Here the order of two messages of a handler counts only where they conflict
//! (definition 1): n messages that have nothing to do with each other are one trace, not n!.
//!
//! Theorem 2: at least one execution of each trace is run. Theorem 3: exactly one, where messages do not branch. Ours asks for
//! an actual execution where the paper's redundancy checks are approximate, so that branching messages repeat next to
//! nothing either; `mazurka agree` reports how many executions there were beyond the number of traces.
//!
//! It is the search of `optimal` (see there for blocked actors and choices) with three differences:
//!
//! - Footprints leave out which message holds a handler (`path`), so that happens-before comes from conflicts, posts and the order
//!   within a message.
//! - A reversal keeps messages serialised (`reversal`, appendix A.1): of several incomplete messages of a handler one stays, as
//!   the last one there, and others change places where the order demands it (`arrangement`). The wakeup sequence
//!   leaves the path where that order does.
//! - Whether a message could have come first (`redundancy`, appendix A.3) is NP-hard to say in general. It can where
//!   the message is the first on its handler; it cannot where a message before it conflicts with it, or where
//!   saturation finds a cycle; and otherwise an execution is looked for in which it comes first. What the published
//!   algorithm has to wait for, parking a sequence until the accesses of a message are known, is found by running the
//!   message: so nothing is parked.
//!
//! A sequence that can begin like the current path follows it down before it branches off, also through steps that are
//! still being explored. Without that, the reversal of two choices of one message is lost, and executions of `db-cache`
//! are: the published tool finds 1711 and 218527 of its 1764 and 235224 traces with 3 and 4 clients
//! (`examples/event-driven/database-cache.mz`).
//!
//! A message that may be blocked (on a mutex, a join or an assumption) may never release its handler, and then it matters
//! which messages came before it. The paper has no such messages. In a program that has, all handlers are locks: the traces are those of
//! `optimal`.
//!
//! Where data races are looked for, all handlers are locks, too: which accesses can follow each other depends on which
//! message a handler runs, and that is what is left out here (`data_race`).

use crate::Options;
use crate::shared::waiting::unless_it_tells_blocked;
use mazurka_core::{Exploration, Observer, Rule, System, Traits};

/// Suits every program that tells which actors are blocked: without that, a step that is never taken would not be reversed.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    if traits.fifo_mailboxes {
        return Some("a handler takes its messages in order of arrival, which is what em-dpor is for".into());
    }
    unless_it_tells_blocked(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    if options.races {
        return crate::optimal::explore(system, options, observer);
    }
    crate::reversing::explore(system, options, observer, &|object| system.object(object).rule == Rule::Bag, true)
}
