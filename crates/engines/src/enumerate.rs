//! Every execution, one by one: depth-first search without states and without reduction.
//!
//! For small programs that terminate. It promises to run every execution, and counts the traces that they belong to: the
//! yardstick for engines that run one execution per trace. The number of executions grows with the factorial of the
//! number of steps.
//!
//! A run that returns to one of its own states is cut there, and so is one that grows longer than the depth bound; the
//! verdict then says so. A run that ends in [`Ending::Blocked`] counts neither as an execution nor as a trace. A violation
//! does not end its execution.

use crate::Options;
use crate::shared::dfs::{self, DepthFirst, Next};
use crate::shared::tally::{FastSet, Tally, arrive, from_each_start};
use crate::shared::trace::TraceName;
use mazurka_core::{
    Counter, Ending, Exploration, Fingerprint, Footprint, FootprintId, FootprintTable, Machine, Move, ObjectId,
    Observer, Rule, StepRecord, StopReason, System, Traits,
};

/// Suits every program; one that does not terminate is explored up to a bound.
pub(crate) fn refuses(_traits: &Traits) -> Option<String> {
    None
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut tally = Tally::new(options, observer);
    let is_bag = |object| system.object(object).rule == Rule::Bag;
    let mut traces = Traces::new(options, &is_bag);
    let walked = from_each_start(system, &mut tally, |machine, tally| {
        traces.restart();
        let mut search = Search { machine, path: Vec::new(), tally, traces: &mut traces };
        let at_end_of_path = search.enter()?;
        dfs::walk(&mut search, at_end_of_path)
    });
    tally.conclude(system, walked, &traces.counted())
}

/// A state on the current path, and what is left to do there.
struct PathState<K> {
    mark: K,
    fingerprint: Fingerprint,
    /// The moves that were not tried yet, the next one last. Of an actor's outcomes only the next one is here: the
    /// others become known one by one.
    moves: Vec<Move>,
}

/// A search from where a machine stands.
struct Search<'t, 'o, 's, M: Machine> {
    machine: M,
    path: Vec<PathState<M::Mark>>,
    tally: &'t mut Tally<'o>,
    traces: &'t mut Traces<'s>,
}

impl<M: Machine> Search<'_, '_, '_, M> {
    /// Adds the state where the machine stands to the path; false if the run ends there.
    fn enter(&mut self) -> Result<bool, StopReason> {
        let (fingerprint, can_move) = arrive(&self.machine, self.tally)?;
        if !can_move && self.machine.ending() != Ending::Blocked {
            self.traces.end(self.tally.schedule.start);
        }
        let entered = can_move && self.tally.enter(fingerprint);
        if entered {
            let moves = self.machine.enabled().iter().rev().map(|&actor| Move::from(actor)).collect();
            self.path.push(PathState { mark: self.machine.mark(), fingerprint, moves });
        }
        Ok(entered)
    }
}

impl<M: Machine> DepthFirst for Search<'_, '_, '_, M> {
    type Choice = Move;

    fn is_done(&self) -> bool {
        self.path.is_empty()
    }

    fn next(&mut self) -> Result<Next<Move>, StopReason> {
        let next = self.path.last_mut().and_then(|state| state.moves.pop());
        Ok(next.map_or(Next::Close, Next::Take))
    }

    fn rewind(&mut self) {
        if let Some(state) = self.path.last() {
            self.machine.rewind(&state.mark);
        }
    }

    fn take(&mut self, step: Move) -> Result<bool, StopReason> {
        let last = self.path.len() - 1;
        let record = self.machine.step(step);
        if let Some(outcome) = record.next_outcome {
            self.path[last].moves.push(Move { outcome, ..step });
        }
        self.traces.step(last, step, record);
        self.tally.step(step, record)?;
        let entered = self.enter()?;
        if !entered {
            self.tally.take_back(last);
        }
        Ok(entered)
    }

    fn close(&mut self) {
        if let Some(state) = self.path.pop() {
            self.tally.leave(state.fingerprint);
        }
    }
}

/// The traces to which executions belong.
struct Traces<'s> {
    footprints: FootprintTable,
    current: TraceName<FootprintId>,
    names: FastSet<(usize, Fingerprint)>,
    /// The same, where it does not count which message holds a handler that takes its messages in any order.
    unserialised: TraceName<FootprintId>,
    unserialised_names: FastSet<(usize, Fingerprint)>,
    is_bag: &'s dyn Fn(ObjectId) -> bool,
    /// Whether such a handler was met.
    has_bags: bool,
}

impl<'s> Traces<'s> {
    fn new(options: &Options, is_bag: &'s dyn Fn(ObjectId) -> bool) -> Self {
        Traces {
            footprints: FootprintTable::new(options.dependence),
            current: TraceName::default(),
            names: FastSet::default(),
            unserialised: TraceName::default(),
            unserialised_names: FastSet::default(),
            is_bag,
            has_bags: false,
        }
    }

    /// An execution begins.
    fn restart(&mut self) {
        self.current.truncate(0);
        self.unserialised.truncate(0);
    }

    /// A step was taken after `len` steps.
    fn step(&mut self, len: usize, step: Move, record: &StepRecord) {
        self.current.truncate(len);
        let footprint = self.footprints.intern(&record.footprint);
        self.current.push(step, footprint, |one, other| self.footprints.conflict(one, other));
        self.unserialised.truncate(len);
        let mut rest = Footprint::default();
        let touches = record.footprint.touches().iter();
        touches.filter(|touch| !(self.is_bag)(touch.object)).for_each(|touch| rest.touch(touch.object, touch.access));
        self.has_bags |= rest.touches().len() < record.footprint.touches().len();
        let footprint = self.footprints.intern(&rest);
        self.unserialised.push(step, footprint, |one, other| self.footprints.conflict(one, other));
    }

    /// An execution has come to its end.
    fn end(&mut self, start: usize) {
        self.names.insert((start, self.current.name()));
        self.unserialised_names.insert((start, self.unserialised.name()));
    }

    fn counted(&self) -> Vec<(Counter, u64)> {
        let mut counted = vec![(Counter::Traces, self.names.len() as u64)];
        if self.has_bags {
            counted.push((Counter::EventTraces, self.unserialised_names.len() as u64));
        }
        counted
    }
}

#[cfg(test)]
mod tests;
