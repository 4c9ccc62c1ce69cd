//! The ledger of a search that follows one execution after the other, and the current path.
//!
//! It knows the moves of the path and the states on it. A path that returns to one of its own states is cut there, and
//! so is one that grows longer than the depth bound; the verdict then says so. A run that ends in [`Ending::Blocked`]
//! does not count as an execution. A violation does not end its execution.

use super::data_race::Along;
use super::findings::{Finding, Findings};
use super::ledger::Ledger;
use crate::Options;
use hashbrown::HashSet;
use mazurka_core::{
    Bound, Cancel, Counter, Ending, Exploration, Explored, Fingerprint, Machine, Meter, Move, Observer, Progress,
    Schedule, StepRecord, Stepper, StopReason, System, Violation,
};
use rustc_hash::FxBuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A set with a fast hash.
pub(crate) type FastSet<T> = HashSet<T, FxBuildHasher>;

/// How a search with all its parts stands, for the observer.
#[derive(Default)]
struct Gauge {
    executions: AtomicU64,
    transitions: AtomicU64,
}

/// What is counted and found along executions.
pub(crate) struct Tally<'a> {
    pub(crate) options: &'a Options,
    ledger: Ledger<'a, Schedule>,
    /// The current path.
    pub(crate) schedule: Schedule,
    on_path: FastSet<Fingerprint>,
    /// The data races along the path, if they are looked for.
    races: Option<Box<Along>>,
    ends: FastSet<Fingerprint>,
    executions: u64,
    cycle_cuts: u64,
    depth_cuts: u64,
    gauge: Arc<Gauge>,
    /// How many executions and transitions the gauge knows of.
    shown: (u64, u64),
    /// Whether the search tells all that it does.
    is_watched: bool,
}

impl<'a> Tally<'a> {
    /// Nothing was done yet.
    pub(crate) fn new(options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        Tally {
            options,
            is_watched: observer.wants_tree(),
            ledger: Ledger::new(options, observer),
            schedule: Schedule::default(),
            on_path: FastSet::default(),
            races: options.races.then(|| Box::new(Along::new())),
            ends: FastSet::default(),
            executions: 0,
            cycle_cuts: 0,
            depth_cuts: 0,
            gauge: Arc::default(),
            shown: (0, 0),
        }
    }

    /// Whether the search tells all that it does; see [`Observer::wants_tree`].
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.is_watched
    }

    /// Tells those who watch what the search does. To be called only if there are such.
    #[cold]
    pub(crate) fn show(&mut self, explored: &Explored<'_>) {
        self.ledger.observer.explored(explored);
    }

    /// A path begins at an initial state.
    pub(crate) fn start<S: System>(&mut self, system: &S, start: usize, state: &S::State) -> Result<(), StopReason> {
        self.schedule = Schedule::new(start, Vec::new());
        self.take_back(0);
        if self.is_watched {
            self.show(&Explored::Start(start));
        }
        let mut violations = Vec::new();
        system.insight().violations_at_start(state, &mut violations);
        self.note(&violations)
    }

    /// A step was taken at the end of the path.
    pub(crate) fn step(&mut self, step: Move, record: &StepRecord) -> Result<(), StopReason> {
        let is_due = self.ledger.count(1);
        self.schedule.moves.push(step);
        self.ledger.max_depth = self.ledger.max_depth.max(self.schedule.moves.len() as u64);
        if self.is_watched {
            self.show(&Explored::Step(step));
        }
        self.note(&record.violations)?;
        if self.races.is_some() {
            self.look_for_races(step, record)?;
        }
        if is_due { self.check() } else { Ok(()) }
    }

    /// Keeps the data races between the last step of the path and those before it.
    fn look_for_races(&mut self, step: Move, record: &StepRecord) -> Result<(), StopReason> {
        let Some(along) = &mut self.races else { return Ok(()) };
        for race in along.push(step.actor, record) {
            let Schedule { start, moves, .. } = &self.schedule;
            let place = || Schedule::new(*start, along.schedule(moves, &race));
            self.ledger.note(std::slice::from_ref(&race.violation), along.length(&race), place)?;
        }
        Ok(())
    }

    /// Steps that are known were taken again; the path then has this depth.
    pub(crate) fn repeat(&mut self, steps: u64, depth: usize) -> Result<(), StopReason> {
        self.ledger.max_depth = self.ledger.max_depth.max(depth as u64);
        if self.ledger.count(steps) { self.check() } else { Ok(()) }
    }

    /// The steps of the path from `len` on are taken back.
    pub(crate) fn take_back(&mut self, len: usize) {
        if self.is_watched {
            self.show(&Explored::Back(len));
        }
        self.schedule.moves.truncate(len);
        if let Some(along) = &mut self.races {
            along.truncate(len);
        }
    }

    /// The path comes to a state in which an actor can move; false if it must be cut there. A state without a fingerprint is
    /// known to be a new one.
    pub(crate) fn enter(&mut self, state: impl Into<Option<Fingerprint>>) -> bool {
        if self.options.budget.depth.is_some_and(|limit| self.schedule.moves.len() as u64 >= limit) {
            self.depth_cuts += 1;
            if self.is_watched {
                self.show(&Explored::Cut);
            }
            return false;
        }
        let new = state.into().is_none_or(|state| self.on_path.insert(state));
        self.cycle_cuts += u64::from(!new);
        if self.is_watched && !new {
            self.show(&Explored::Cut);
        }
        new
    }

    /// A search of another shape came to this depth; true if it must go no further, though an actor can move there.
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
    pub(crate) fn abandon(&mut self, state: impl Into<Option<Fingerprint>>) {
        state.into().map(|state| self.on_path.remove(&state));
    }

    /// The path goes back to before it entered a state.
    pub(crate) fn leave(&mut self, state: impl Into<Option<Fingerprint>>) {
        self.abandon(state);
        self.take_back(self.schedule.moves.len().saturating_sub(1));
    }

    /// How many executions were run so far.
    pub(crate) fn executions(&self) -> u64 {
        self.executions
    }

    /// How many runs an assumption ended so far.
    pub(crate) fn assume_blocked(&self) -> u64 {
        self.ledger.assume_blocked
    }

    /// The search from an initial state begins again, in another way: its executions so far do not count.
    pub(crate) fn begin_over(&mut self, executions_before: u64, assume_blocked_before: u64) {
        self.executions = executions_before;
        self.ledger.assume_blocked = assume_blocked_before;
        self.restart();
    }

    /// The path begins again at its initial state. What was found and counted stays.
    pub(crate) fn restart(&mut self) {
        self.on_path.clear();
        self.take_back(0);
    }

    /// The path comes to a state in which no actor can move.
    pub(crate) fn end(&mut self, ending: &Ending, state: Fingerprint) -> Result<(), StopReason> {
        if self.is_watched {
            self.show(&Explored::Ended(ending));
        }
        self.note_end(ending, state);
        let blocked = *ending == Ending::Blocked;
        self.executions += u64::from(!blocked);
        self.ledger.assume_blocked += u64::from(blocked);
        match ending {
            Ending::Deadlock(violation) => self.note(std::slice::from_ref(violation)),
            Ending::Finished | Ending::Blocked => Ok(()),
        }
    }

    /// A state in which no actor can move is an end state once.
    fn note_end(&mut self, ending: &Ending, state: Fingerprint) {
        if self.ends.insert(state) {
            self.ledger.end_states += 1;
            self.ledger.observer.end(ending, state);
        }
    }

    /// How many states were met in which no actor can move.
    pub(crate) fn end_states(&self) -> u64 {
        self.ledger.end_states
    }

    /// Keeps the violations at the end of the path.
    fn note(&mut self, violations: &[Violation]) -> Result<(), StopReason> {
        self.ledger.note(violations, self.schedule.moves.len() as u64, || self.schedule.clone())
    }

    /// Whether a limit is known to be reached. Work that takes long between two steps asks this and gives up: the next step
    /// is not taken.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.ledger.meter.is_over()
    }

    /// Looks at the limits, and tells the observer how the search stands.
    pub(crate) fn check(&mut self) -> Result<(), StopReason> {
        let now = (self.executions, self.ledger.transitions);
        let (executions, transitions) = std::mem::replace(&mut self.shown, now);
        let show = |count: &AtomicU64, now: u64, before: u64| {
            let new = now.saturating_sub(before);
            count.fetch_add(new, Ordering::Relaxed) + new
        };
        let executions = show(&self.gauge.executions, self.executions, executions);
        let transitions = show(&self.gauge.transitions, self.ledger.transitions, transitions);
        let depth = self.schedule.moves.len() as u64;
        self.ledger.check(|_| Progress { found: executions, unit: "executions", transitions, depth, waiting: 0 })?;
        let too_large = self.options.budget.size.is_some_and(|limit| self.ledger.transitions > limit);
        if too_large { Err(StopReason::SizeLimit) } else { Ok(()) }
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
        // Whatever was left out because a limit was reached was not explored.
        let stop = match walked {
            Err(reason) => reason,
            Ok(()) if self.is_over() => self.ledger.meter.check().unwrap_or(StopReason::Cancelled),
            Ok(()) => StopReason::Complete,
        };
        let (bound, mut all) = (self.bound(), vec![(Counter::Executions, self.executions)]);
        all.extend_from_slice(counted);
        self.ledger.conclude(system, stop, bound, &all, Some)
    }
}

/// Where a part of a search begins that is explored beside the rest of it.
pub(crate) struct Offshoot {
    meter: Meter,
    schedule: Schedule,
    on_path: FastSet<Fingerprint>,
    races: Option<Box<Along>>,
    gauge: Arc<Gauge>,
    wants_values: bool,
}

/// What was counted and found in a part of a search.
pub(crate) struct PartTally {
    findings: Findings<Schedule>,
    ends: Vec<(Ending, Fingerprint)>,
    executions: u64,
    assume_blocked: u64,
    transitions: u64,
    max_depth: u64,
    cycle_cuts: u64,
    depth_cuts: u64,
    shown: (u64, u64),
}

/// Parts of a search.
impl Tally<'_> {
    /// A part begins after this many steps of the path, on which there are these states; `cancel` stops it.
    pub(crate) fn branch_off(
        &self,
        steps: usize,
        states: impl Iterator<Item = Fingerprint>,
        cancel: &Cancel,
    ) -> Offshoot {
        let moves = self.schedule.moves[..steps].to_vec();
        Offshoot {
            meter: self.ledger.meter.of_part(cancel.clone()),
            schedule: Schedule::new(self.schedule.start, moves),
            on_path: states.collect(),
            races: self.races.as_ref().map(|along| Box::new(along.up_to(steps))),
            gauge: Arc::clone(&self.gauge),
            wants_values: self.ledger.findings.by_values(),
        }
    }

    /// Explores a part with a tally of its own.
    pub(crate) fn of_part<T>(
        options: &Options,
        offshoot: Offshoot,
        explore: impl FnOnce(&mut Tally<'_>) -> T,
    ) -> (T, PartTally) {
        let mut ends = Ends { ends: Vec::new(), wants_values: offshoot.wants_values };
        let mut tally = Tally {
            ledger: Ledger { meter: offshoot.meter, ..Ledger::new(options, &mut ends) },
            schedule: offshoot.schedule,
            on_path: offshoot.on_path,
            races: offshoot.races,
            gauge: offshoot.gauge,
            options,
            ends: FastSet::default(),
            executions: 0,
            cycle_cuts: 0,
            depth_cuts: 0,
            shown: (0, 0),
            is_watched: false,
        };
        let explored = explore(&mut tally);
        let Tally { ledger, executions, cycle_cuts, depth_cuts, shown, .. } = tally;
        let Ledger { findings, transitions, assume_blocked, max_depth, .. } = ledger;
        let ends = ends.ends;
        let counts = PartTally {
            findings,
            ends,
            executions,
            assume_blocked,
            transitions,
            max_depth,
            cycle_cuts,
            depth_cuts,
            shown,
        };
        (explored, counts)
    }

    /// Adds what was counted and found in a part.
    pub(crate) fn add(&mut self, mut part: PartTally) {
        self.executions += part.executions;
        self.ledger.assume_blocked += part.assume_blocked;
        self.ledger.transitions += part.transitions;
        self.shown = (self.shown.0 + part.shown.0, self.shown.1 + part.shown.1);
        self.ledger.max_depth = self.ledger.max_depth.max(part.max_depth);
        self.cycle_cuts += part.cycle_cuts;
        self.depth_cuts += part.depth_cuts;
        for Finding { violation, length, place } in part.findings.drain() {
            if self.ledger.findings.note(&violation, length, || place) {
                self.ledger.observer.violation(&violation);
            }
        }
        part.ends.iter().for_each(|(ending, state)| self.note_end(ending, *state));
    }
}

/// Keeps the ends that a part of a search comes to.
struct Ends {
    ends: Vec<(Ending, Fingerprint)>,
    wants_values: bool,
}

impl Observer for Ends {
    fn end(&mut self, ending: &Ending, state: Fingerprint) {
        self.ends.push((ending.clone(), state));
    }

    fn wants_values(&self) -> bool {
        self.wants_values
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
        walk(Stepper::new(system, state).telling_accesses(tally.options.races), tally)?;
    }
    Ok(())
}

/// The state of a machine, and whether an actor can move there; where none can, the run has ended.
pub(crate) fn arrive<M: Machine>(machine: &M, tally: &mut Tally<'_>) -> Result<(Fingerprint, bool), StopReason> {
    let fingerprint = machine.fingerprint();
    let ended = machine.enabled().is_empty();
    if ended {
        tally.end(&machine.ending(), fingerprint)?;
    }
    Ok((fingerprint, !ended))
}
