//! What a search that follows one execution after the other counts, finds and cuts along the way.
//!
//! It knows the current path: its moves, and the states on it. A path that comes back to a state that it has been in is
//! cut there, and one that grows longer than the depth bound too; the verdict then says so. A run that ends in
//! [`Ending::Blocked`] does not count as an execution. A violation does not end its execution.

use crate::Options;
use crate::findings::{Finding, Findings, conclude};
use hashbrown::HashSet;
use mazurka_core::{
    Bound, Counter, Ending, Exploration, Fingerprint, Found, Machine, Meter, Move, Observer, Progress, Schedule,
    Statistics, StepRecord, Stepper, StopReason, System, Violation,
};
use rustc_hash::FxBuildHasher;

/// The limits are looked at after so many steps.
const CHECK_EVERY: u64 = 1024;

/// A set with a fast hash.
pub(crate) type FastSet<T> = HashSet<T, FxBuildHasher>;

/// What is counted and found along the way.
pub(crate) struct Tally<'a> {
    pub(crate) options: &'a Options,
    observer: &'a mut dyn Observer,
    meter: Meter,
    /// The current path.
    pub(crate) schedule: Schedule,
    on_path: FastSet<Fingerprint>,
    findings: Findings<Schedule>,
    ends: FastSet<Fingerprint>,
    executions: u64,
    transitions: u64,
    /// The number of transitions at which the limits are looked at again.
    next_check: u64,
    max_depth: u64,
    cycle_cuts: u64,
    depth_cuts: u64,
}

impl<'a> Tally<'a> {
    /// Nothing was done yet.
    pub(crate) fn new(options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        Tally {
            options,
            meter: Meter::start(&options.budget),
            schedule: Schedule::default(),
            on_path: FastSet::default(),
            findings: Findings::new(observer.wants_values()),
            observer,
            ends: FastSet::default(),
            executions: 0,
            transitions: 0,
            next_check: 1,
            max_depth: 0,
            cycle_cuts: 0,
            depth_cuts: 0,
        }
    }

    /// A path begins at an initial state.
    pub(crate) fn start<S: System>(&mut self, system: &S, start: usize, state: &S::State) -> Result<(), StopReason> {
        self.schedule = Schedule { start, moves: Vec::new() };
        let mut violations = Vec::new();
        system.violations_at_start(state, &mut violations);
        self.note(&violations)
    }

    /// A step was taken at the end of the path.
    pub(crate) fn step(&mut self, step: Move, record: &StepRecord) -> Result<(), StopReason> {
        self.transitions += 1;
        self.schedule.moves.push(step);
        self.max_depth = self.max_depth.max(self.schedule.moves.len() as u64);
        self.note(&record.violations)?;
        self.check_when_due()
    }

    /// Steps that are known were taken again; the path is so deep then.
    pub(crate) fn repeat(&mut self, steps: u64, depth: usize) -> Result<(), StopReason> {
        self.transitions += steps;
        self.max_depth = self.max_depth.max(depth as u64);
        self.check_when_due()
    }

    /// The steps of the path from `len` on are taken back.
    pub(crate) fn take_back(&mut self, len: usize) {
        self.schedule.moves.truncate(len);
    }

    /// The path comes to a state in which somebody can move; false if it must be cut there.
    pub(crate) fn enter(&mut self, state: Fingerprint) -> bool {
        if self.options.budget.depth.is_some_and(|limit| self.schedule.moves.len() as u64 >= limit) {
            self.depth_cuts += 1;
            return false;
        }
        let new = self.on_path.insert(state);
        self.cycle_cuts += u64::from(!new);
        new
    }

    /// A search of another shape came so deep; true if it must go no further, though somebody can move there.
    pub(crate) fn cuts_at(&mut self, depth: usize) -> bool {
        let cut = self.options.budget.depth.is_some_and(|limit| depth as u64 >= limit);
        self.depth_cuts += u64::from(cut);
        cut
    }

    /// Something was not followed because it comes back to a state.
    pub(crate) fn cut_cycle(&mut self) {
        self.cycle_cuts += 1;
    }

    /// The path entered a state and goes no further there.
    pub(crate) fn abandon(&mut self, state: Fingerprint) {
        self.on_path.remove(&state);
    }

    /// The path goes back to before it entered a state.
    pub(crate) fn leave(&mut self, state: Fingerprint) {
        self.on_path.remove(&state);
        self.take_back(self.schedule.moves.len().saturating_sub(1));
    }

    /// How many executions were run so far.
    pub(crate) fn executions(&self) -> u64 {
        self.executions
    }

    /// The search from an initial state begins again, in another way: its executions do not count.
    pub(crate) fn begin_over(&mut self, executions_before: u64) {
        self.executions = executions_before;
        self.restart();
    }

    /// The path begins again at its initial state. What was found and counted stays.
    pub(crate) fn restart(&mut self) {
        self.on_path.clear();
        self.take_back(0);
    }

    /// The path comes to a state in which nobody can move.
    pub(crate) fn end(&mut self, ending: &Ending, state: Fingerprint) -> Result<(), StopReason> {
        if self.ends.insert(state) {
            self.observer.end(ending, state);
        }
        self.executions += u64::from(*ending != Ending::Blocked);
        match ending {
            Ending::Deadlock(violation) => self.note(std::slice::from_ref(violation)),
            Ending::Finished | Ending::Blocked => Ok(()),
        }
    }

    /// How many states were met in which nobody can move.
    pub(crate) fn end_states(&self) -> u64 {
        self.ends.len() as u64
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

    fn check_when_due(&mut self) -> Result<(), StopReason> {
        if self.transitions < self.next_check {
            return Ok(());
        }
        self.next_check = self.transitions + CHECK_EVERY;
        self.check()
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

    /// Draws the conclusion, with what else the engine counted.
    pub(crate) fn conclude<S: System>(
        mut self,
        system: &S,
        walked: Result<(), StopReason>,
        counted: &[(Counter, u64)],
    ) -> Exploration {
        let found = |finding: Finding<Schedule>| Some(Found { violation: finding.violation, schedule: finding.place });
        let found = self.findings.drain().map(found).collect();
        let mut statistics = Statistics::default();
        statistics.set(Counter::Executions, self.executions);
        statistics.set(Counter::Transitions, self.transitions);
        statistics.set(Counter::EndStates, self.ends.len() as u64);
        statistics.set(Counter::MaxDepth, self.max_depth);
        for &(counter, count) in counted {
            statistics.set(counter, count);
        }
        if let Some(bytes) = self.meter.peak_bytes() {
            statistics.set(Counter::PeakBytes, bytes);
        }
        statistics.seconds = self.meter.elapsed().as_secs_f64();
        let stop = walked.err().unwrap_or(StopReason::Complete);
        conclude(system, stop, self.bound(), found, statistics)
    }
}

/// Walks from each initial state in turn, until one walk stops before its end.
pub(crate) fn from_each_start<'s, S: System>(
    system: &'s S,
    tally: &mut Tally<'_>,
    mut walk: impl FnMut(Stepper<'s, S>, &mut Tally<'_>) -> Result<(), StopReason>,
) -> Result<(), StopReason> {
    for (start, state) in system.initial_states().into_iter().enumerate() {
        tally.start(system, start, &state)?;
        walk(Stepper::new(system, state), tally)?;
    }
    Ok(())
}

/// The state at which a machine stands, and whether somebody can move there; where nobody can, the run has ended.
pub(crate) fn arrive<M: Machine>(machine: &M, tally: &mut Tally<'_>) -> Result<(Fingerprint, bool), StopReason> {
    let fingerprint = machine.fingerprint();
    let ended = machine.enabled().is_empty();
    if ended {
        tally.end(&machine.ending(), fingerprint)?;
    }
    Ok((fingerprint, !ended))
}
