//! Steps that are tried from a state of the path, and run only where something has to be found out.
//!
//! Whether a sequence can be put in another order is mostly known from its footprints, so its steps need not be run for
//! that. What a message does beyond the sequence is found out by running it; and since messages do the same things in many
//! executions, what was found out is remembered: by the trace that the path has up to its state, which determines that state, and
//! the steps that follow.

use super::arrangement::Runner;
use super::path::occurrence;
use crate::shared::trace::event_name;
use crate::shared::wakeup::Occurrence;
use mazurka_core::{ActorId, Footprint, FootprintId, FootprintTable, Machine, Move, ObjectId};
use rustc_hash::FxHashMap;

/// How many steps are remembered.
const MANY: usize = 1 << 16;
/// How many runs are remembered: then all are forgotten.
const MOST_RUNS: usize = 1 << 12;

/// What actors were seen to do next: a table of fixed size, in which a new entry replaces an old one.
#[derive(Default)]
pub(super) struct Foreseen(Vec<(u128, Option<Occurrence>)>);

impl Foreseen {
    /// What is known of the next step of an actor.
    fn get(&self, name: u128) -> Option<Option<Occurrence>> {
        self.0.get(name as usize % MANY).filter(|known| known.0 == name).map(|known| known.1)
    }

    fn insert(&mut self, name: u128, next: Option<Occurrence>) {
        if self.0.is_empty() {
            self.0.resize(MANY, (0, None));
        }
        self.0[name as usize % MANY] = (name, next);
    }
}

/// What messages touch, step by step, when they are run to their ends from a state before any other actor moves.
#[derive(Default)]
pub(super) struct Runs(FxHashMap<u128, Vec<FootprintId>>);

impl Runs {
    fn key(state: u128, start: Move) -> u128 {
        event_name(start.actor.0.into(), start.outcome.0, state)
    }

    /// A message was run from a state of this name, beginning with a step.
    pub(super) fn insert(&mut self, state: u128, start: Move, run: Vec<FootprintId>) {
        if self.0.len() >= MOST_RUNS {
            self.0.clear();
        }
        self.0.insert(Runs::key(state, start), run);
    }

    /// What the message that a step starts was seen to do from a state of this name.
    pub(super) fn get(&self, state: u128, start: Move) -> Option<&[FootprintId]> {
        self.0.get(&Runs::key(state, start)).map(Vec::as_slice)
    }
}

/// Which events were seen: a set of fixed size, in which a new member replaces an old one.
///
/// An event is a step with everything that happens before it, and that determines what the step does. So a step that was
/// seen with the same footprint after the same history need not be run again to know what it does there.
#[derive(Default)]
pub(super) struct Witnessed(Vec<u128>);

impl Witnessed {
    fn key(name: u128, occurrence: &Occurrence) -> u128 {
        name ^ u128::from(occurrence.footprint.0) << 64 | 1
    }

    /// A step of this name was taken.
    pub(super) fn insert(&mut self, name: u128, occurrence: &Occurrence) {
        if self.0.is_empty() {
            self.0.resize(MANY, 0);
        }
        let key = Witnessed::key(name, occurrence);
        self.0[(key >> 1) as usize % MANY] = key;
    }

    /// Whether a step was seen to do this under this name.
    pub(super) fn contains(&self, name: u128, occurrence: &Occurrence) -> bool {
        let key = Witnessed::key(name, occurrence);
        self.0.get((key >> 1) as usize % MANY) == Some(&key)
    }
}

/// Steps from a state, with names for the first few of them.
pub(super) struct Steps {
    moves: Vec<Move>,
    /// The name of the state, and of the steps up to each one as far as they were asked for.
    names: Vec<u128>,
}

impl Steps {
    /// No step yet from a state of this name.
    pub(super) fn from(state: u128) -> Self {
        Steps { moves: Vec::new(), names: vec![state] }
    }

    /// The name of all steps.
    fn name(&mut self) -> u128 {
        let mut name = self.names[self.names.len() - 1];
        for step in &self.moves[self.names.len() - 1..] {
            name = event_name(step.actor.0.into(), step.outcome.0, name);
            self.names.push(name);
        }
        name
    }
}

/// Steps from a state of the path, run on a machine where need be.
pub(super) struct Rehearsal<'m, M, V> {
    pub(super) machine: &'m mut M,
    pub(super) is_bag: &'m (dyn Fn(ObjectId) -> bool + Sync),
    pub(super) foreseen: &'m mut Foreseen,
    pub(super) steps: Steps,
    /// How many of the steps the machine has run, if it is on this way at all.
    pub(super) run: Option<usize>,
    /// Brings the machine to the state of the path.
    pub(super) visit: V,
}

impl<M: Machine, V: Fn(&mut M)> Rehearsal<'_, M, V> {
    /// Brings the machine to the end of the steps.
    fn catch_up(&mut self) {
        let from = self.run.unwrap_or_else(|| {
            (self.visit)(self.machine);
            0
        });
        for &step in &self.steps.moves[from..] {
            debug_assert!(self.machine.enabled().contains(&step.actor), "what it depends on came before it");
            self.machine.step(step);
        }
        self.run = Some(self.steps.moves.len());
    }
}

impl<M: Machine, V: Fn(&mut M)> Runner for Rehearsal<'_, M, V> {
    fn take(&mut self, step: Move) {
        self.steps.moves.push(step);
    }

    fn len(&self) -> usize {
        self.steps.moves.len()
    }

    fn truncate(&mut self, len: usize) {
        self.steps.moves.truncate(len);
        self.steps.names.truncate(len + 1);
        self.run = self.run.filter(|&run| run <= len);
    }

    fn go_on(&mut self, actor: ActorId, handler: ObjectId, footprints: &mut FootprintTable) -> Option<Occurrence> {
        let step = Move::from(actor);
        let name = event_name(actor.0.into(), 1, self.steps.name());
        let known = self.foreseen.get(name);
        let next = known.unwrap_or_else(|| {
            self.catch_up();
            let next = self.machine.enabled().contains(&actor).then(|| {
                let record = self.machine.step(step);
                self.run = self.run.map(|run| run + 1);
                occurrence(step, record, Some(handler), self.is_bag, &mut Footprint::default(), footprints)
            });
            self.foreseen.insert(name, next);
            next
        });
        self.steps.moves.extend(next.map(|_| step));
        next
    }
}
