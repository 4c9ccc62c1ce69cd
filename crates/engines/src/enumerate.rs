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
use crate::findings::{Finding, Findings, conclude};
use hashbrown::HashSet;
use mazurka_core::{
    Bound, Counter, Ending, Exploration, Fingerprint, FootprintTable, Found, Machine, Meter, Move, Observer, Progress,
    Schedule, Statistics, StepRecord, Stepper, StopReason, System, TraceBuilder, Traits, Violation,
};
use rustc_hash::FxBuildHasher;

/// The limits are looked at after so many steps.
const CHECK_EVERY: u64 = 1024;

type FastSet<T> = HashSet<T, FxBuildHasher>;

/// Suits every program; one that does not terminate is explored up to a bound.
pub(crate) fn refuses(_traits: &Traits) -> Option<String> {
    None
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut tally = Tally::new(options, observer);
    let mut stop = StopReason::Complete;
    for (start, state) in system.initial_states().into_iter().enumerate() {
        tally.schedule = Schedule { start, moves: Vec::new() };
        let mut violations = Vec::new();
        system.violations_at_start(&state, &mut violations);
        let walked = tally.note(&violations).and_then(|()| walk(Stepper::new(system, state), &mut tally));
        if let Err(reason) = walked {
            stop = reason;
            break;
        }
    }
    let found = |finding: Finding<Schedule>| Some(Found { violation: finding.violation, schedule: finding.place });
    let found = tally.findings.drain().map(found).collect();
    let (bound, statistics) = (tally.bound(), tally.statistics());
    conclude(system, stop, bound, found, statistics)
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
fn walk<M: Machine>(mut machine: M, tally: &mut Tally<'_>) -> Result<(), StopReason> {
    let mut path: Vec<Node<M::Mark>> = Vec::new();
    let mut at_end_of_path = arrive(&machine, &mut path, tally)?;
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
        tally.step(step, record)?;
        at_end_of_path = arrive(&machine, &mut path, tally)?;
        if !at_end_of_path {
            tally.take_back(path.len() - 1);
        }
    }
    Ok(())
}

/// Adds the place where a machine stands to the path; false if the run ends there.
fn arrive<M: Machine>(machine: &M, path: &mut Vec<Node<M::Mark>>, tally: &mut Tally<'_>) -> Result<bool, StopReason> {
    let fingerprint = machine.fingerprint();
    if machine.enabled().is_empty() {
        tally.end(&machine.ending(), fingerprint)?;
        return Ok(false);
    }
    let entered = tally.enter(fingerprint);
    if entered {
        let untried = machine.enabled().iter().rev().map(|&actor| Move::from(actor)).collect();
        path.push(Node { mark: machine.mark(), fingerprint, untried });
    }
    Ok(entered)
}

/// What is counted and found along the way.
struct Tally<'a> {
    options: &'a Options,
    observer: &'a mut dyn Observer,
    meter: Meter,
    footprints: FootprintTable,
    trace: TraceBuilder,
    /// The current path.
    schedule: Schedule,
    on_path: FastSet<Fingerprint>,
    findings: Findings<Schedule>,
    traces: FastSet<(usize, Fingerprint)>,
    ends: FastSet<Fingerprint>,
    executions: u64,
    transitions: u64,
    max_depth: u64,
    cycle_cuts: u64,
    depth_cuts: u64,
}

impl<'a> Tally<'a> {
    fn new(options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        Tally {
            options,
            meter: Meter::start(&options.budget),
            footprints: FootprintTable::new(options.dependence),
            trace: TraceBuilder::new(),
            schedule: Schedule::default(),
            on_path: FastSet::default(),
            findings: Findings::new(observer.wants_values()),
            observer,
            traces: FastSet::default(),
            ends: FastSet::default(),
            executions: 0,
            transitions: 0,
            max_depth: 0,
            cycle_cuts: 0,
            depth_cuts: 0,
        }
    }

    /// A step was taken at the end of the path.
    fn step(&mut self, step: Move, record: &StepRecord) -> Result<(), StopReason> {
        self.transitions += 1;
        let footprint = self.footprints.intern(&record.footprint);
        self.trace.push(step, footprint, &self.footprints);
        self.schedule.moves.push(step);
        self.max_depth = self.max_depth.max(self.schedule.moves.len() as u64);
        self.note(&record.violations)?;
        if self.transitions % CHECK_EVERY == 1 { self.check() } else { Ok(()) }
    }

    /// The steps of the path from `len` on are taken back.
    fn take_back(&mut self, len: usize) {
        self.schedule.moves.truncate(len);
        self.trace.truncate(len);
    }

    /// The path comes to a state in which somebody can move; false if it must be cut there.
    fn enter(&mut self, state: Fingerprint) -> bool {
        if self.options.budget.depth.is_some_and(|limit| self.schedule.moves.len() as u64 >= limit) {
            self.depth_cuts += 1;
            return false;
        }
        let new = self.on_path.insert(state);
        self.cycle_cuts += u64::from(!new);
        new
    }

    /// The path goes back to before it entered a state.
    fn leave(&mut self, state: Fingerprint) {
        self.on_path.remove(&state);
        self.take_back(self.schedule.moves.len().saturating_sub(1));
    }

    /// The path comes to a state in which nobody can move.
    fn end(&mut self, ending: &Ending, state: Fingerprint) -> Result<(), StopReason> {
        if self.ends.insert(state) {
            self.observer.end(ending, state);
        }
        if *ending != Ending::Blocked {
            self.executions += 1;
            self.traces.insert((self.schedule.start, self.trace.name()));
        }
        match ending {
            Ending::Deadlock(violation) => self.note(std::slice::from_ref(violation)),
            Ending::Finished | Ending::Blocked => Ok(()),
        }
    }

    /// Keeps the violations at the end of the path.
    fn note(&mut self, violations: &[Violation]) -> Result<(), StopReason> {
        for violation in violations {
            let length = self.schedule.moves.len() as u64;
            if self.findings.note(violation, length, || self.schedule.clone()) {
                self.observer.violation(violation);
            }
            if !self.options.all {
                return Err(StopReason::FirstViolation);
            }
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), StopReason> {
        if self.meter.progress_is_due() {
            self.observer.progress(&Progress {
                found: self.executions,
                unit: "executions",
                transitions: self.transitions,
                depth: self.schedule.moves.len() as u64,
                waiting: 0,
            });
        }
        self.meter.check().map_or(Ok(()), Err)
    }

    /// What was cut. A cycle comes first: no greater depth would have helped.
    fn bound(&self) -> Option<(Bound, u64)> {
        match (self.cycle_cuts, self.depth_cuts, self.options.budget.depth) {
            (0, 0, _) | (0, _, None) => None,
            (0, cuts, Some(depth)) => Some((Bound::Depth(depth), cuts)),
            (cuts, ..) => Some((Bound::Cycle, cuts)),
        }
    }

    fn statistics(&mut self) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.set(Counter::Executions, self.executions);
        statistics.set(Counter::Traces, self.traces.len() as u64);
        statistics.set(Counter::Transitions, self.transitions);
        statistics.set(Counter::EndStates, self.ends.len() as u64);
        statistics.set(Counter::MaxDepth, self.max_depth);
        if let Some(bytes) = self.meter.peak_bytes() {
            statistics.set(Counter::PeakBytes, bytes);
        }
        statistics.seconds = self.meter.elapsed().as_secs_f64();
        statistics
    }
}

#[cfg(test)]
mod tests;
