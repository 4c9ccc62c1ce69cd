//! Unfolding-based optimal partial-order reduction, with cutoffs.

mod alternatives;
mod cutoffs;
mod events;
mod extensions;
mod path;
mod removal;

use self::alternatives::alternative;
use self::cutoffs::Cutoffs;
use self::events::{EventId, Events};
use self::extensions::Extender;
use self::path::Path;
use self::removal::Removal;
use crate::tally::{Tally, from_each_start};
use crate::Options;
use mazurka_core::{Counter, Exploration, Machine, Observer, StopReason, System, Traits};

/// Suits every program that tells who waits: an actor that has to wait might have moved earlier.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    (!traits.tells_who_waits).then(|| "the program does not tell who waits, and for what".to_owned())
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    if let Some(reason) = refuses(&system.traits()) {
        return Exploration::unsupported(reason);
    }
    let mut tally = Tally::new(options, observer);
    let mut cutoffs = Cutoffs::new(options.cutoffs);
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

/// What is counted beside what every search counts.
#[derive(Default)]
struct Counts {
    events: u64,
    cutoffs: u64,
    configurations: u64,
}

/// What is left to do at a configuration.
struct Node {
    /// The events that can be added and are no cutoffs.
    enabled: Vec<EventId>,
    /// D: what was explored here or further up and is not in conflict with the configuration.
    disabled: Vec<EventId>,
    /// A: what has to be added first, so that everything in D is avoided.
    guide: Vec<EventId>,
    /// What is being explored from here.
    current: Option<EventId>,
}

/// The exploration from one initial state.
struct Search<'t, 'o, M: Machine> {
    extender: Extender<M>,
    events: Events,
    path: Path<M::Mark>,
    nodes: Vec<Node>,
    removal: Removal,
    tally: &'t mut Tally<'o>,
    cutoffs: &'t mut Cutoffs,
    configurations: u64,
}

impl<'t, 'o, M: Machine> Search<'t, 'o, M> {
    fn new(machine: M, options: &Options, tally: &'t mut Tally<'o>, cutoffs: &'t mut Cutoffs) -> Self {
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
        self.arrive(Vec::new(), Vec::new())?;
        while let Some(node) = self.nodes.last_mut() {
            if let Some(explored) = node.current.take() {
                node.disabled.push(explored);
                match alternative(&self.events, &self.path.configuration, &node.disabled) {
                    Some(found) => node.guide = found.without(&self.path.configuration).collect(),
                    None => {
                        self.leave();
                        continue;
                    }
                }
            }
            match choose(node, &self.events) {
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
        let guide = node.guide.iter().copied().filter(|&event| event != next).collect();
        let pending = self.nodes.iter().flat_map(|node| node.disabled.iter().chain(&node.guide).copied());
        self.removal.tidy(&mut self.events, &self.path, pending.chain([next]));
        self.extender.extend(next, &mut self.events, &mut self.path, self.tally, self.cutoffs)?;
        self.arrive(disabled, guide)
    }

    /// The configuration has a new event: what can follow?
    fn arrive(&mut self, disabled: Vec<EventId>, guide: Vec<EventId>) -> Result<(), StopReason> {
        let mut enabled = Vec::new();
        self.path.enabled(&self.events, &mut enabled);
        if !enabled.is_empty() && (self.path.comes_back() || self.tally.cuts_at(self.path.len())) {
            enabled.clear();
        }
        if self.path.comes_back() {
            self.tally.cut_cycle();
        }
        if enabled.is_empty() {
            self.configurations += 1;
            self.extender.end(&self.path, &self.events, self.tally)?;
        }
        debug_assert!(!guide.is_empty() || disabled.is_empty(), "everything in D is avoided once A is in C");
        self.nodes.push(Node { enabled, disabled, guide, current: None });
        Ok(())
    }

    /// Goes back to before the last event was added.
    fn leave(&mut self) {
        self.nodes.pop();
        self.path.pop(&self.events);
    }
}

/// What to add next: an event of A if there is one left, any event otherwise.
fn choose(node: &Node, events: &Events) -> Option<EventId> {
    if node.guide.is_empty() {
        return node.enabled.iter().copied().min_by_key(|&event| events.causes(event).len());
    }
    node.enabled.iter().copied().find(|event| node.guide.contains(event))
}
