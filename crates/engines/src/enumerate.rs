//! Every execution, one by one: depth-first search without states and without reduction.
//!
//! For small programs that terminate. It promises to run every execution, and counts the traces that they belong to: the
//! yardstick for engines that run one execution per trace. The number of executions grows with the factorial of the
//! number of steps.
//!
//! A run that comes back to a state that it has been in is cut there, and one that grows longer than the depth bound
//! too; the verdict then says so. A run that ends in [`Ending::Blocked`] counts neither as an execution nor as a trace.
//! A violation does not end its execution.

use crate::Options;
use crate::shared::tally::{FastSet, Tally, arrive, from_each_start};
use mazurka_core::{
    Counter, Ending, Exploration, Fingerprint, Footprint, FootprintTable, Machine, Move, ObjectId, Observer, Rule,
    StepRecord, StopReason, System, TraceBuilder, Traits,
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
    let walked = from_each_start(system, &mut tally, |machine, tally| walk(machine, tally, &mut traces));
    tally.conclude(system, walked, &traces.counted())
}

/// A place on the current path, and what is left to do there.
struct Node<M> {
    mark: M,
    fingerprint: Fingerprint,
    /// The moves that were not tried yet, the next one last. Of an actor's outcomes only the next one is here: the
    /// others become known one by one.
    untried: Vec<Move>,
}

/// Runs every execution from where a machine stands.
fn walk<M: Machine>(mut machine: M, tally: &mut Tally<'_>, traces: &mut Traces<'_>) -> Result<(), StopReason> {
    let mut path: Vec<Node<M::Mark>> = Vec::new();
    traces.restart();
    let mut at_end_of_path = go_on(&machine, &mut path, tally, traces)?;
    while let Some(node) = path.last_mut() {
        let Some(step) = node.untried.pop() else {
            tally.leave(node.fingerprint);
            path.pop();
            at_end_of_path = false;
            continue;
        };
        if !at_end_of_path {
            machine.rewind(&node.mark);
        }
        let record = machine.step(step);
        if let Some(outcome) = record.next_outcome {
            node.untried.push(Move { outcome, ..step });
        }
        traces.step(path.len() - 1, step, record);
        tally.step(step, record)?;
        at_end_of_path = go_on(&machine, &mut path, tally, traces)?;
        if !at_end_of_path {
            tally.take_back(path.len() - 1);
        }
    }
    Ok(())
}

/// Adds the place where a machine stands to the path; false if the run ends there.
fn go_on<M: Machine>(
    machine: &M,
    path: &mut Vec<Node<M::Mark>>,
    tally: &mut Tally<'_>,
    traces: &mut Traces<'_>,
) -> Result<bool, StopReason> {
    let (fingerprint, somebody_moves) = arrive(machine, tally)?;
    if !somebody_moves && machine.ending() != Ending::Blocked {
        traces.end(tally.schedule.start);
    }
    let entered = somebody_moves && tally.enter(fingerprint);
    if entered {
        let untried = machine.enabled().iter().rev().map(|&actor| Move::from(actor)).collect();
        path.push(Node { mark: machine.mark(), fingerprint, untried });
    }
    Ok(entered)
}

/// The traces that executions belong to.
struct Traces<'s> {
    footprints: FootprintTable,
    current: TraceBuilder,
    names: FastSet<(usize, Fingerprint)>,
    /// The same where it does not count who holds a handler that takes its messages in any order.
    unserialised: TraceBuilder,
    unserialised_names: FastSet<(usize, Fingerprint)>,
    is_bag: &'s dyn Fn(ObjectId) -> bool,
    /// Whether such a handler was met.
    has_bags: bool,
}

impl<'s> Traces<'s> {
    fn new(options: &Options, is_bag: &'s dyn Fn(ObjectId) -> bool) -> Self {
        Traces {
            footprints: FootprintTable::new(options.dependence),
            current: TraceBuilder::new(),
            names: FastSet::default(),
            unserialised: TraceBuilder::new(),
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
        self.current.push(step, footprint, &self.footprints);
        self.unserialised.truncate(len);
        let mut rest = Footprint::default();
        let touches = record.footprint.touches().iter();
        touches.filter(|touch| !(self.is_bag)(touch.object)).for_each(|touch| rest.touch(touch.object, touch.access));
        self.has_bags |= rest.touches().len() < record.footprint.touches().len();
        let footprint = self.footprints.intern(&rest);
        self.unserialised.push(step, footprint, &self.footprints);
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
