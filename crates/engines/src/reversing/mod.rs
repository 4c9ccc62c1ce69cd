//! Depth-first search that reverses races at the end of each execution: what `optimal` and `event` have in common.
//!
//! The search follows one execution to its end, then looks at its races. For each it works out what would have to be run so
//! that the later step comes without the earlier one (`reversal`), and puts that into the wakeup tree of the state where it
//! leaves the path, unless it leads only to what was explored or will be (`redundancy`). Then it goes back to the last
//! state with something left in its tree.
//!
//! The heads of `optimal.rs` and `event.rs` say which papers this follows and where it departs from them.

mod arrangement;
mod memory;
mod path;
mod redundancy;
mod reversal;

use crate::tally::{Tally, arrive};
use crate::trail::Trail;
use crate::wakeup::{Branches, Occurrence, WakeupTrees};
use mazurka_core::{ActorId, Counter, Machine, Move, ObjectId, StopReason};
use memory::Memory;
use path::{Message, Node, Path, Sleepers};

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    races: u64,
    inserted: u64,
    blocked: u64,
    decisions: u64,
}

impl Counts {
    /// Adds what another search counted.
    pub(crate) fn add(&mut self, other: Counts) {
        self.races += other.races;
        self.inserted += other.inserted;
        self.blocked += other.blocked;
        self.decisions += other.decisions;
    }

    /// By name; where handlers are locks, the order of messages is never searched for.
    pub(crate) fn named(self, arranges: bool) -> Vec<(Counter, u64)> {
        let mut named = vec![
            (Counter::Blocked, self.blocked),
            (Counter::Races, self.races),
            (Counter::BacktrackPoints, self.inserted),
        ];
        named.extend(arranges.then_some((Counter::Decisions, self.decisions)));
        named
    }
}

/// A search from where a machine stands.
pub(crate) struct Search<'t, 'o, M: Machine> {
    machine: M,
    tally: &'t mut Tally<'o>,
    trail: Trail<M::Mark>,
    path: Path<'t>,
    trees: WakeupTrees,
    counts: Counts,
    sequence: Vec<Occurrence>,
    reversed: Memory,
    /// The messages of the execution whose races are being reversed.
    messages: Vec<Message>,
}

impl<'t, 'o, M: Machine> Search<'t, 'o, M> {
    /// A search that has not begun. Messages that hold a handler for which `is_bag` is true are ordered by their
    /// conflicts only.
    pub(crate) fn new(machine: M, tally: &'t mut Tally<'o>, is_bag: &'t dyn Fn(ObjectId) -> bool) -> Self {
        let path = Path::new(tally.options.dependence, is_bag);
        let (trail, trees) = (Trail::new(), WakeupTrees::default());
        Search {
            machine,
            tally,
            trail,
            path,
            trees,
            counts: Counts::default(),
            sequence: Vec::new(),
            reversed: Memory::new(),
            messages: Vec::new(),
        }
    }

    /// What was counted.
    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    /// Searches to the end.
    pub(crate) fn run(&mut self) -> Result<(), StopReason> {
        let mut at_end_of_path = self.go_on(Sleepers::new(), Branches::default())?;
        while let Some(node) = self.path.nodes.last_mut() {
            let start = node.start.take().map(|step| (step, Branches::default()));
            let Some((step, below)) = start.or_else(|| self.trees.take_first(&mut node.branches)) else {
                self.close();
                at_end_of_path = false;
                continue;
            };
            if !at_end_of_path {
                self.trail.rewind(self.path.nodes.len() - 1, &self.tally.schedule.moves, &mut self.machine);
            }
            at_end_of_path = self.take(step, below)?;
        }
        Ok(())
    }

    /// Takes a step from the last state of the path; false if the path ends there.
    fn take(&mut self, step: Move, below: Branches) -> Result<bool, StopReason> {
        let index = self.path.nodes.len() - 1;
        self.path.truncate(index);
        self.tally.take_back(index);
        let running = self.path.running(step.actor);
        let record = self.machine.step(step);
        let occurrence = self.path.occurrence(step, record, running);
        self.path.push(occurrence, record);
        self.tally.step(step, record)?;
        let asleep = self.path.asleep_after(&occurrence);
        self.go_on(asleep, below)
    }

    /// Adds the state where the machine stands to the path; false if the path ends there.
    fn go_on(&mut self, asleep: Sleepers, branches: Branches) -> Result<bool, StopReason> {
        let (fingerprint, somebody_moves) = arrive(&self.machine, self.tally)?;
        if !somebody_moves || !self.tally.enter(fingerprint) {
            self.reverse_races();
            self.fall_asleep();
            return Ok(false);
        }
        let mut start = None;
        if branches.is_empty() {
            let sleeps = |actor: ActorId| {
                asleep.iter().any(|sleeper| sleeper.occurrence.step.actor == actor && !sleeper.overtaken)
            };
            let Some(&first) = self.machine.enabled().iter().find(|&&actor| !sleeps(actor)) else {
                self.counts.blocked += 1;
                self.tally.abandon(fingerprint);
                self.fall_asleep();
                return Ok(false);
            };
            start = Some(Move::from(first));
        }
        self.trail.save(self.path.nodes.len(), &self.machine);
        self.path.nodes.push(Node { fingerprint, asleep, done: Sleepers::new(), start, branches });
        Ok(true)
    }

    /// Everything was explored from the last state of the path.
    fn close(&mut self) {
        if let Some(node) = self.path.nodes.pop() {
            self.tally.leave(node.fingerprint);
        }
        self.fall_asleep();
    }

    /// Everything that begins with the step from the last state was explored.
    fn fall_asleep(&mut self) {
        let Some(index) = self.path.nodes.len().checked_sub(1) else { return };
        if index < self.path.steps.len() {
            let sleeper = self.path.sleeper(index);
            self.path.nodes[index].done.push(sleeper);
        }
    }
}
