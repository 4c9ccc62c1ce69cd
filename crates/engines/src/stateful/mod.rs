//! Stateful dynamic partial-order reduction for programs that need not terminate.
//!
//! After Trimananda, Luo, Demsky and Xu, *Stateful Dynamic Partial Order Reduction for Model Checking Event-Driven
//! Applications that Do Not Terminate*, VMCAI 2022.
//!
//! **Theorem.** When the search ends, the actors explored in each state are a *persistent set* there: no schedule of other
//! actors comes to a step that depends on one of theirs. So for every schedule of a program with finitely many states,
//! the explored graph contains a path of which the schedule is a prefix, up to the order of independent steps. Every
//! assertion that can fail fails with every set of values that it can read, and every deadlock is met.
//!
//! # What it is
//!
//! A forward search builds a graph of states, and a backward dataflow analysis over that graph says which actors the
//! search has to try where.
//!
//! - The *search* (`search.rs`; algorithms 1, 2 and 4) runs executions. An execution goes from state to state and tries
//!   one actor in each. It ends where no actor can move, at a state of an earlier execution, or when it closes a *full
//!   cycle*: it is back at a state of its own, and every actor that was enabled since has moved since. (At a smaller cycle
//!   it must not end: an actor that was enabled all the time and never moved would be ignored, with all its conflicts.) An
//!   execution that returns to a state of its own without a full cycle tries another actor there; where all have been
//!   tried, it ends. No actor is ignored by that: one that could move earlier and cannot now was disabled on the way, and is
//!   tried in front of the step that disabled it.
//! - The *analysis* (`graph.rs`, `summary/`; algorithms 3 and 5) computes the summary of each state (appendix D): the
//!   accesses that can follow it. Summaries are the least fixpoint of
//!
//!   > summary(s) ⊇ blocked(s) ∪ transfer(t, summary(s'))  for each transition t from s to s'
//!
//!   computed by a *work list*: a summary that has grown is sent backwards over all transitions into its state. The
//!   *transfer function* of a transition adds its own accesses. Entries behind a transition that conflict with it are its
//!   *backtrack points*: their actors are added to the backtrack set of the state in front of it, or all actors if one of
//!   them cannot move there.
//!
//! While a state has an actor in its backtrack set that was not tried, another execution starts there. A choice within a
//! step makes several transitions of it; an execution starts with each.
//!
//! Enabling and disabling are conflicts like others: a footprint contains all objects that the actor's being enabled
//! depends on. One rule is added, as in the paper: an actor that a step disables is tried in front of that step. So an
//! actor that could once move is known even if it never can again, and is not told to be blocked (in a home none is).
//!
//! # From the paper to the code
//!
//! | paper | here | simplest form |
//! |---|---|---|
//! | algorithm 1, EXPLOREALL | [`Search::run_from`](search::Search::run_from) | `reference.rs` |
//! | algorithm 2, EXPLORE | [`Search::follow`](search::Search::follow) | `Search::execute` there |
//! | algorithm 3, UPDATEBACKTRACKSETSFROMGRAPH | [`Graph::propagate`](graph::Graph::propagate) | `propagate` there |
//! | algorithm 4, ISFULLCYCLE | [`Turns::is_full_cycle`](turns::Turns::is_full_cycle) | `is_full_cycle` there |
//! | algorithm 5, UPDATEBACKTRACKSET | [`Graph::transfer`](graph::Graph::transfer) | `transfer` there |
//! | 𝓗, the states of earlier executions | [`Nodes::is_closed`](store::nodes::Nodes::is_closed) | `in_history` |
//! | 𝓢, the states of this execution | `path`, `seen_at` | `path` |
//! | 𝓡, the state transition graph | [`Graph`](graph::Graph) | `nodes`, `transitions` |
//! | *backtrack*, *done*, *enabled* | [`Nodes`](store::nodes::Nodes) | `Node` |
//! | summary, and (*event*, 𝓐) in it | [`Set`](store::sets::Set) of [`Entry`](summary::entries::Entry) | `Entry` |
//! | "remove e from *done*", to go on past a state match | not needed: an execution ends where all were tried | |
//!
//! `reference.rs` is the algorithm and its repairs, and nothing else: read that first. `--plain` runs it, and `agree`
//! compares this engine with it. `published.rs` leaves the repairs out, too (`--as-published`).
//!
//! # Where the published algorithm is repaired
//!
//! It misses behaviours; the programs `finding-*.mz` in `tests/papers/stateful-dpor` show each of these.
//!
//! - It settles an access at the nearest conflicting step before it. That step may happen before the access anyway,
//!   because of other objects, and an earlier conflict is then never seen. Here an entry goes on, past every conflict.
//! - It settles an access at an earlier step of the same actor, and at a step that enabled the actor. Neither can be
//!   reversed, so neither settles anything.
//! - It knows what an actor accesses only once it has moved. An actor may be blocked on a step for ever (an assumption that
//!   stays false, an event whose guard and switch are never both on). Here the accesses of that step are entries, too.
//!
//! # Optimisations
//!
//! `--plain` does without the following.
//!
//! - *Which actor moves next* decides most. Events take turns: next is the one after the event that happened last, not the
//!   first one. Of n independent toggles the first execution then turns on one after the other and off again: 2n states,
//!   not 2^n. And an execution that begins differently from an earlier one continues as that one did, so that both soon
//!   meet again. (Letting the actor move that has not moved for longest does the first but not the second: on a home
//!   with 78 events it visited millions of states, and this order 14,504.) Threads take turns, too, but one that holds a
//!   mutex that others acquire goes on: they could only come to be blocked on it, and what they would do with it is no
//!   conflict meanwhile. Likewise a message goes on to its end, and then another one of its handler begins, or the next
//!   event has its turn; and after a thread the threads that were there from the start come before messages. The store
//!   with five clients (`database-cache.mz`) takes 500 transitions, and 26 million with all actors in turn; consensus of
//!   four 464 and 345,158. (Letting every thread go on as long as it can is better still for some programs, but two threads
//!   that acquire 150 mutexes one after the other then take 149,461 transitions instead of 2,410: turns keep together what
//!   conflicts.)
//! - *Where the search continues*: at the end of an execution before its beginning. What is learnt there is propagated to
//!   the beginning, and makes executions from there meet known states sooner.
//! - *A write that stores the value that is there already* counts as a read. Two such writes commute, and whether a write is
//!   one depends on the value, so a write that changes the value still conflicts with it.
//! - *A step that is known to change nothing* (a sensor reports what it has reported already) is not taken: it leads to
//!   where it begins, and its reads are entries as if it had been taken. In homes a third of all steps are such.
//! - *An actor that cannot come first is not tried first.* No actor acquires a mutex while another one holds it, and while
//!   a message runs, no other one of its handler does. So an access that is guarded by a mutex is no conflict with a step
//!   whose actor holds the mutex, and no access of a message is one with the message that its handler runs. See `summary`.
//! - *A step that enables an actor*, by writing the one object that the actor awaits (a mutex that is released, an event
//!   that is switched on, a message that is posted), is not reversed with that actor's step.
//!
//! Why the last one loses nothing: let t write the object o that a awaits, and let a move later. In front of t, a cannot
//! move, whatever else happens, before o is written. If t writes it, the order is kept. If another step u does, then u and t
//! both write o: they conflict, and u is tried in front of t for that reason. What a accesses beside o may still conflict
//! with steps before t. Where a had no step before t (it was created or switched on by t), a can come before such a step
//! only if t does: from there on a's entries are *attributed* to the actor of t. Where a was blocked (the mutex was held), a
//! might have come first, by steps of its own, so the entries stay a's. They may always stay a's: then all actors are
//! tried where a cannot move. See `summary/classes.rs`.
//!
//! Tried and given up:
//!
//! - To propagate no entries over steps that lead from a state to itself. Such a step is among those tried there, so an
//!   actor that conflicts with it must be tried, too (`step-that-is-silent-now.mz`).
//! - Sleep sets on the state graph: an actor that was tried in front of an independent step sleeps behind it, is compared
//!   with entries as if it had moved, and is woken where a transition arrives without it. `agree` found no fault, but with
//!   everything above it explores only 4 % fewer transitions over the published pairs of apps, and is slower. Of the
//!   graphs of threads a quarter to a third of the transitions could be left out at most, and none of the states.
//! - Squares: where independent steps of two actors follow each other in one order, and three sides of the square are
//!   known, the fourth need not be taken to know where it leads. But the reduction leaves out the other sides already: of one alarm's
//!   steps one in 25 is such a side, of those of threads one in five to seven, and finding them costs about as much.
//!
//! # How it is done
//!
//! *When entries are propagated* does not matter to the fixpoint, only that it is reached before the search ends. So an
//! execution is run first, and then gone over once, from its end to its beginning.
//!
//! *Equal summaries.* States on a cycle have the same summary, and transitions of one class have the same transfer function.
//! So a summary is an interned set, the result of a transfer function is mostly remembered, and most transitions cost two
//! comparisons; see `store/sets.rs` and `summary/classes.rs`.
//!
//! *No recursion.* The paper's algorithm is recursive, and starts again from a list of states when the recursion ends. Here
//! every execution starts from such a list: which of its states comes next is free in the paper, too.
//!
//! *Giving up.* Where five hundred transitions gave no reduction, the analysis stops and all actors are tried everywhere;
//! see `giving_up.rs`.
//!
//! *Memory.* A state in which nothing is left to try is mostly never needed again. It is dropped (its row in the graph is
//! not), and when an entry comes there later, it is computed again from an earlier state that was kept, in a few steps.
//!
//! *A bound on the length of schedules.* A state may be met by a long path first, and be cut, though another path there is
//! short. The shortest paths are computed when nothing else is left to do, and the search continues where it was cut too
//! early, with all actors: what was cut may have ignored one.

mod giving_up;
mod graph;
mod published;
mod reference;
mod search;
mod store;
mod summary;
#[cfg(test)]
mod tests;
mod turns;

use crate::Options;
use crate::shared::waiting::unless_it_tells_blocked;
use mazurka_core::{Exploration, Observer, System, Traits};
use search::Search;

/// Suits every program that tells which actors are blocked: without that, a step that is never taken would conflict with
/// nothing.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    unless_it_tells_blocked(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    if options.plain || options.as_published {
        return reference::explore(system, options, observer);
    }
    let mut search = Search::new(system, options, observer);
    let mut stop = search.run();
    if search.gave_up_too_early() {
        search = search.start_again();
        stop = search.run();
    }
    search.conclude(stop)
}
