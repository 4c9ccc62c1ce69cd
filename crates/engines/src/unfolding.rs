//! Unfolding-based optimal partial-order reduction, with cutoffs for programs that never end.
//!
//! After César Rodríguez, Marcelo Sousa, Subodh Sharma and Daniel Kroening, *Unfolding-based Partial Order Reduction*
//! (CONCUR 2015). It promises every local behaviour: each assertion that can fail fails, each deadlock and each end
//! state is met, also in programs that run for ever. No two executions that it runs belong to one trace (theorem 10),
//! and without cutoffs there is one for each trace (theorem 11).
//!
//! **The unfolding** (section 3) has an *event* for each step of each actor after each history: the steps that must
//! have come before, and in which order as far as that matters. Events are *in conflict* if no execution has both. A
//! trace is a *configuration*, a set of events that holds their causes and no conflict, and an execution a maximal one.
//!
//! **The search** (section 4, algorithm 1) grows a configuration C event by event up to a maximal one. When everything
//! with C and an event e was explored, e joins D, and what is left has C and nothing of D. There is something left
//! exactly if an *alternative* exists: a configuration with C in which something is in conflict with each event of D.
//! It is followed at once (A), so no run is ever given up because it could only repeat another one.
//!
//! - `events.rs`: what is known of the unfolding, and when events are in conflict;
//! - `path.rs`: C, in which order it came about, and what cannot be added to it;
//! - `extensions.rs`: which events can follow C, or could have followed a part of it (`ex(C)`);
//! - `alternatives.rs`: definition 8, by an exact search;
//! - `removal.rs`: which events may be forgotten (`Q`, `U` and `G`);
//! - `cutoffs.rs`: after which events nothing new can happen (section 5.2);
//! - `prefix.rs`: the events that were made, for a picture.
//!
//! Where this departs from the paper:
//!
//! 1. *Footprints are dynamic.* The paper has transitions with one independence relation. Here what a step touches
//!    depends on what it reads, and so does whether two steps depend on each other. An event is determined by its
//!    history all the same, for whatever a step reads was written by a cause of it. But the histories that a step may
//!    have cannot be listed by looking at one footprint: without a cause the actor may touch something else, and depend
//!    on events that it had nothing to do with. They are found by running the actor: see `extensions.rs`, and
//!    `tests/papers/unfolding/finding-footprint-depends-on-history.mz`.
//! 2. *Blocked actors count.* An actor that cannot move after C may have been able to after a part of C. The step that it
//!    is blocked on has a footprint and a history like a step, and is kept like one, without an event.
//! 3. *A choice* makes an event of each outcome, with the history that this outcome needs; they exclude each other.
//! 4. *Cutoffs are never taken back.* The paper lets an event be a cutoff at one time and none at another, as the
//!    events that make it one may be discarded. Completeness is then hard to show: an event may have been cut because
//!    of events that were discarded since. Here the table of states only grows, though events are forgotten, and the
//!    argument is short. Say that T is a set of events that are no cutoffs at the end of the search of a node (C, D),
//!    that it can be added to C, and that it avoids D: then the node leads to a configuration with all of C and T.
//!    Either the chosen event e fits to T; or the node of C and e, by induction, leads to all of T that fits to e, so
//!    that the first event of T which does not was found there, is in conflict with e and nothing before it, a *rival*
//!    of e and therefore not forgotten, and is the alternative that is asked for; the same holds for events of D, since
//!    an event that is no cutoff at the end never was one. And the smallest configuration (`Rank`) that leads to a
//!    state has no cutoff, ever: a smaller one would lead to the same state. `Insight::fingerprint` tells states by
//!    what they are, not by how their actors came to be, so the futures of two equal ones are the same up to names.
//! 5. *The recursion is a loop*, so that long executions need no long stack, and D leaves out what C excludes already.
//! 6. *The next event is one with few causes*: small configurations are met first, and larger ones are then cutoffs.

mod alternatives;
mod cutoffs;
mod events;
mod extensions;
mod path;
mod prefix;
mod removal;

use self::alternatives::alternative;
use self::cutoffs::SmallestConfigurations;
use self::events::{EventId, Events};
use self::extensions::Extender;
use self::path::Path;
use self::prefix::Recorder;
use self::removal::Removal;
use crate::Options;
use crate::shared::bits::Bits;
use crate::shared::tally::{Tally, from_each_start};
use crate::shared::waiting::unless_it_tells_blocked;
use mazurka_core::{Counter, Exploration, Machine, Observer, Silent, StopReason, System, Traits};
use std::rc::Rc;

pub use self::prefix::PrefixEvent;

/// Suits every program that tells which actors are blocked: a blocked actor might have moved earlier.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    unless_it_tells_blocked(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut tally = Tally::new(options, observer);
    let mut cutoffs = SmallestConfigurations::new(options.cutoffs);
    let mut counts = Counts::default();
    let walked = from_each_start(system, &mut tally, |machine, tally| {
        let mut search = Search::new(machine, options, tally, &mut cutoffs);
        let walked = search.explore();
        counts.events += search.extender.made_events;
        counts.cutoffs += search.extender.made_cutoffs;
        counts.configurations += search.configurations;
        walked
    });
    let counted = [
        (Counter::Events, counts.events),
        (Counter::Cutoffs, counts.cutoffs),
        (Counter::Configurations, counts.configurations),
    ];
    tally.conclude(system, walked, &counted)
}

/// The events that an exploration makes, causes before effects; `None` if there are more than `most`, or if the program
/// does not suit the engine or the exploration is cut short.
pub fn prefix<S: System>(system: &S, options: &Options, most: usize) -> Option<Vec<PrefixEvent>> {
    if refuses(&system.traits()).is_some() {
        return None;
    }
    let options = Options { all: true, ..options.clone() };
    let mut silent = Silent;
    let mut tally = Tally::new(&options, &mut silent);
    let mut cutoffs = SmallestConfigurations::new(options.cutoffs);
    let (mut start, mut prefix) = (0, Vec::new());
    let walked = from_each_start(system, &mut tally, |machine, tally| {
        let mut search = Search::new(machine, &options, tally, &mut cutoffs);
        search.extender.recorder = Some(Recorder::new(most));
        search.explore()?;
        if let Some(recorder) = search.extender.recorder.take() {
            append(&mut prefix, recorder.finish(start, &search.events));
        }
        start += 1;
        Ok(())
    });
    (walked.is_ok() && prefix.len() <= most).then_some(prefix)
}

/// Puts the events of one initial state behind those of others.
fn append(known: &mut Vec<PrefixEvent>, made: Vec<PrefixEvent>) {
    let first = known.len();
    known.extend(made.into_iter().map(|mut event| {
        let places = event.history.iter_mut().chain(&mut event.causes).chain(&mut event.conflicts);
        places.for_each(|place| *place += first);
        event
    }));
}

/// What is counted beside what every search counts.
#[derive(Default)]
struct Counts {
    events: u64,
    cutoffs: u64,
    configurations: u64,
}

/// What is left to do at a configuration.
struct SearchNode {
    /// Whether nothing is added, though it could be.
    is_cut: bool,
    /// D: what was explored here or further up and is not in conflict with the configuration.
    disabled: Vec<EventId>,
    /// What has to be added first, so that everything in D is avoided, from where it was found on: A is what is left of
    /// it.
    guide: Rc<Bits>,
    /// How much of it is left.
    guided: usize,
    /// What is being explored from here.
    current: Option<EventId>,
}

impl SearchNode {
    /// The events that are still referred to, some of them again and again.
    fn pending(&self) -> impl Iterator<Item = EventId> + '_ {
        // A guide is shared with the nodes below the one where it was found.
        let found_here = self.guided == self.guide.len();
        let guide = found_here.then(|| self.guide.iter()).into_iter().flatten();
        self.disabled.iter().copied().chain(guide)
    }
}

/// The exploration from one initial state.
struct Search<'t, 'o, M: Machine> {
    extender: Extender<M>,
    events: Events,
    path: Path<M::Mark>,
    nodes: Vec<SearchNode>,
    removal: Removal,
    tally: &'t mut Tally<'o>,
    cutoffs: &'t mut SmallestConfigurations,
    configurations: u64,
}

impl<'t, 'o, M: Machine> Search<'t, 'o, M> {
    fn new(machine: M, options: &Options, tally: &'t mut Tally<'o>, cutoffs: &'t mut SmallestConfigurations) -> Self {
        Search {
            path: Path::new(machine.mark()),
            extender: Extender::new(machine),
            events: Events::new(options.dependence),
            nodes: Vec::new(),
            removal: Removal::new(),
            tally,
            cutoffs,
            configurations: 0,
        }
    }

    /// Algorithm 1. The two recursive calls are one loop over a stack: the second one stays at its configuration.
    fn explore(&mut self) -> Result<(), StopReason> {
        self.extender.begin(&mut self.events, &mut self.path, self.tally, self.cutoffs)?;
        self.arrive(Vec::new(), Rc::default(), 0)?;
        while let Some(node) = self.nodes.last_mut() {
            if let Some(explored) = node.current.take() {
                node.disabled.push(explored);
                match alternative(&self.events, &self.path, &node.disabled) {
                    Some(found) => (node.guided, node.guide) = (found.len(), Rc::new(found)),
                    None => {
                        self.leave();
                        continue;
                    }
                }
            }
            match choose(node, &self.path, &self.events) {
                Some(next) => self.go_on(next)?,
                None => self.leave(),
            }
        }
        Ok(())
    }

    /// Adds an event to the configuration.
    fn go_on(&mut self, next: EventId) -> Result<(), StopReason> {
        let Some(node) = self.nodes.last_mut() else { return Ok(()) };
        node.current = Some(next);
        let stays = |event: &EventId| !self.events.exclude_each_other(*event, next);
        let disabled = node.disabled.iter().copied().filter(stays).collect();
        let (guide, guided) = (Rc::clone(&node.guide), node.guided - usize::from(node.guide.contains(next)));
        let pending = self.nodes.iter().flat_map(SearchNode::pending);
        self.removal.tidy(&mut self.events, &mut self.path, pending.chain([next]));
        self.extender.extend(next, &mut self.events, &mut self.path, self.tally, self.cutoffs)?;
        self.arrive(disabled, guide, guided)
    }

    /// The configuration has a new event: what can follow?
    fn arrive(&mut self, disabled: Vec<EventId>, guide: Rc<Bits>, guided: usize) -> Result<(), StopReason> {
        let is_maximal = self.path.enabled(&self.events).next().is_none();
        let is_cut = !is_maximal && (self.path.comes_back() || self.tally.cuts_at(self.path.len()));
        if self.path.comes_back() {
            self.tally.cut_cycle();
        }
        if is_maximal || is_cut {
            self.configurations += 1;
            self.extender.end(&self.path, &self.events, self.tally)?;
        }
        debug_assert!(guided > 0 || disabled.is_empty(), "everything in D is avoided once A is in C");
        self.nodes.push(SearchNode { is_cut, disabled, guide, guided, current: None });
        Ok(())
    }

    /// Goes back to before the last event was added.
    fn leave(&mut self) {
        self.nodes.pop();
        self.path.pop(&mut self.events);
        self.extender.leave();
    }
}

/// What to add next: an event of A if there is one left, any event otherwise.
fn choose<K>(node: &SearchNode, path: &Path<K>, events: &Events) -> Option<EventId> {
    let mut enabled = path.enabled(events).filter(|_| !node.is_cut);
    if node.guided == 0 {
        return enabled.min_by_key(|&event| events.causes(event).len());
    }
    enabled.find(|&event| node.guide.contains(event))
}

#[cfg(test)]
mod tests;
