//! Depth-first search that reverses races at the end of each execution: what `optimal` and `event` have in common.
use crate::tally::{FastSet, Tally, arrive};
use crate::trail::Trail;
use crate::wakeup::{Branches, Occurrence, WakeupTrees, WeakInitial, weak_initial};
use mazurka_core::{
    ActorId, Counter, Fingerprint, Footprint, FootprintTable, HappensBefore, Machine, Move, Next, Outcome, StopReason,
};
use smallvec::SmallVec;

/// Steps after which an execution was explored in all ways.
type Sleepers = SmallVec<[Occurrence; 4]>;

/// A state on the path.
struct Node {
    fingerprint: Fingerprint,
    /// What need not be taken first, because that was explored: in front of the path's steps before, and here.
    asleep: Sleepers,
    done: Sleepers,
    /// What is explored first, where nothing asks for anything.
    start: Option<Move>,
    /// What is still to be explored.
    branches: Branches,
}

/// A step of the path, beside what its order knows.
struct Taken {
    occurrence: Occurrence,
    next_outcome: Option<Outcome>,
    is_certain: bool,
    /// Where its races begin in the list of all.
    races: usize,
    /// How many actors had been made before it.
    made: usize,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    races: u64,
    inserted: u64,
    blocked: u64,
}

impl Counts {
    /// Adds what another search counted.
    pub(crate) fn add(&mut self, other: Counts) {
        self.races += other.races;
        self.inserted += other.inserted;
        self.blocked += other.blocked;
    }

    /// By name.
    pub(crate) fn named(self) -> Vec<(Counter, u64)> {
        vec![(Counter::Blocked, self.blocked), (Counter::Races, self.races), (Counter::BacktrackPoints, self.inserted)]
    }
}

/// The current path: its states, and its steps with their order.
struct Path {
    nodes: Vec<Node>,
    steps: Vec<Taken>,
    order: HappensBefore,
    footprints: FootprintTable,
    /// For each step, the earlier ones that it races with.
    races: Vec<u32>,
    /// For each actor the step that made it.
    births: Vec<Option<u32>>,
    made: Vec<ActorId>,
    racing: Vec<usize>,
}

impl Path {
    fn birth(&self, actor: ActorId) -> Option<usize> {
        self.births.get(actor.index()).copied().flatten().map(|step| step as usize)
    }

    /// Takes back all steps from `len` on.
    fn truncate(&mut self, len: usize) {
        let Some(first) = self.steps.get(len) else { return };
        self.races.truncate(first.races);
        for actor in self.made.drain(first.made..) {
            self.births[actor.index()] = None;
        }
        self.steps.truncate(len);
        self.order.truncate(len);
    }

    /// Finds the steps that race with one that `actor` is about to take.
    fn note_races(&mut self, actor: ActorId, footprint: &Footprint) {
        self.racing.clear();
        self.order.racing(actor, footprint, &mut self.racing);
        if self.racing.is_empty() {
            return;
        }
        let mut knows = self.order.knowledge(actor);
        if let Some(birth) = self.birth(actor) {
            knows.join(self.order.clock(birth));
        }
        for &step in &self.racing {
            if !self.order.within(step, &knows) {
                self.races.push(step as u32);
                knows.join(self.order.clock(step));
            }
        }
    }

    fn races(&self, step: usize) -> std::ops::Range<usize> {
        self.steps[step].races..self.steps.get(step + 1).map_or(self.races.len(), |next| next.races)
    }

    /// The step of the same actor before one.
    fn previous(&self, step: usize) -> Option<usize> {
        let actor = self.order.actor(step);
        (0..step).rev().find(|&earlier| self.order.actor(earlier) == actor)
    }

    fn sleepers(&self, node: usize) -> impl Iterator<Item = Occurrence> + '_ {
        let place = &self.nodes[node];
        let current = self.steps.get(node).map(|taken| taken.occurrence);
        place.asleep.iter().chain(&place.done).copied().chain(current)
    }
}

/// Steps to be done without.
type Removed = SmallVec<[usize; 2]>;

/// Whose step is to be taken without some of the steps that came before it.
#[derive(Clone, Copy, Debug)]
struct Target {
    actor: ActorId,
    /// The step as it was taken; otherwise the actor waits to take it where the path ends.
    taken: Option<usize>,
    outcome: Option<Outcome>,
}

/// A search from where a machine stands.
pub(crate) struct Search<'t, 'o, M: Machine> {
    machine: M,
    tally: &'t mut Tally<'o>,
    trail: Trail<M::Mark>,
    path: Path,
    trees: WakeupTrees,
    counts: Counts,
    kept: Vec<usize>,
    sequence: Vec<Occurrence>,
}

impl<'t, 'o, M: Machine> Search<'t, 'o, M> {
    /// A search that has not begun.
    pub(crate) fn new(machine: M, tally: &'t mut Tally<'o>) -> Self {
        let dependence = tally.options.dependence;
        let path = Path {
            nodes: Vec::new(),
            steps: Vec::new(),
            order: HappensBefore::new(dependence),
            footprints: FootprintTable::new(dependence),
            races: Vec::new(),
            births: Vec::new(),
            made: Vec::new(),
            racing: Vec::new(),
        };
        Search {
            machine,
            tally,
            trail: Trail::new(),
            path,
            trees: WakeupTrees::default(),
            counts: Counts::default(),
            kept: Vec::new(),
            sequence: Vec::new(),
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
        let record = self.machine.step(step);
        let path = &mut self.path;
        let (races, made) = (path.races.len(), path.made.len());
        let footprint = path.footprints.intern(&record.footprint);
        path.note_races(step.actor, &record.footprint);
        path.order.push(step.actor, &record.footprint);
        for &actor in &record.made {
            if path.births.len() <= actor.index() {
                path.births.resize(actor.index() + 1, None);
            }
            path.births[actor.index()] = Some(index as u32);
            path.made.push(actor);
        }
        let occurrence = Occurrence::new(step, footprint, record.next_outcome);
        path.steps.push(Taken {
            occurrence,
            next_outcome: record.next_outcome,
            is_certain: record.is_certain,
            races,
            made,
        });
        self.tally.step(step, record)?;
        let asleep = self.asleep_after(occurrence);
        self.go_on(asleep, below)
    }

    /// What still need not be taken after a step.
    fn asleep_after(&self, taken: Occurrence) -> Sleepers {
        let Some(node) = self.path.nodes.last() else { return Sleepers::new() };
        let sleeps_on = |sleeper: &&Occurrence| {
            sleeper.step.actor != taken.step.actor && !self.path.footprints.conflict(sleeper.footprint, taken.footprint)
        };
        node.asleep.iter().chain(&node.done).filter(sleeps_on).copied().collect()
    }

    /// Adds the state where the machine stands to the path; false if the path ends there.
    fn go_on(&mut self, asleep: Sleepers, branches: Branches) -> Result<bool, StopReason> {
        let (fingerprint, somebody_moves) = arrive(&self.machine, self.tally)?;
        if !somebody_moves || !self.tally.enter(fingerprint) {
            self.end();
            self.fall_asleep();
            return Ok(false);
        }
        let mut start = None;
        if branches.is_empty() {
            let awake = |actor: &&ActorId| !asleep.iter().any(|sleeper| sleeper.step.actor == **actor);
            let Some(&first) = self.machine.enabled().iter().find(awake) else {
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
        if let Some(taken) = self.path.steps.get(index) {
            self.path.nodes[index].done.push(taken.occurrence);
        }
    }

    /// The path has come to its end: its races are reversed.
    fn end(&mut self) {
        self.reverse_waiting();
        for step in 0..self.path.steps.len() {
            let actor = self.path.steps[step].occurrence.step.actor;
            let target = Target { actor, taken: Some(step), outcome: None };
            for race in self.path.races(step) {
                self.counts.races += 1;
                let earlier = self.path.races[race] as usize;
                self.reverse(target, earlier);
            }
            if let Some(outcome) = self.path.steps[step].next_outcome {
                self.reverse(Target { outcome: Some(outcome), ..target }, step);
            }
        }
    }
}

/// Reversal.
impl<M: Machine> Search<'_, '_, M> {
    /// Whoever waits where the path ends might have moved without some of its steps.
    fn reverse_waiting(&mut self) {
        let (mut waiting, end) = (Vec::new(), self.path.steps.len());
        self.machine.waiting(&mut waiting);
        if !waiting.is_empty() {
            self.trail.save(end, &self.machine);
        }
        for actor in waiting {
            let target = Target { actor, taken: None, outcome: None };
            self.keep(target, &[], 0);
            self.trail.visit(end, &self.tally.schedule.moves, &mut self.machine);
            let mut open = Vec::new();
            self.ask_again(target, &[], 0, &mut open);
            self.reverse_all(target, open);
        }
    }

    /// Sees to it that the target's step is taken without an earlier one.
    fn reverse(&mut self, target: Target, earlier: usize) {
        self.reverse_all(target, vec![SmallVec::from_slice(&[earlier])]);
    }

    /// The same for each of some sets of steps, and for further sets where the target's step cannot be taken yet.
    fn reverse_all(&mut self, target: Target, mut open: Vec<Removed>) {
        let mut seen: FastSet<(usize, Vec<usize>)> = FastSet::default();
        while let Some(removed) = open.pop() {
            let Some(&first) = removed.iter().min() else { continue };
            if !self.keep(target, &removed, first) {
                continue;
            }
            let is_certain = target.taken.is_some_and(|step| self.path.steps[step].is_certain);
            if is_certain && self.is_surely_covered(target, first) {
                continue;
            }
            if !is_certain && !seen.insert((first, self.kept.clone())) {
                continue;
            }
            self.trail.visit(first, &self.tally.schedule.moves, &mut self.machine);
            for &step in &self.kept {
                self.machine.step(self.path.steps[step].occurrence.step);
            }
            if self.machine.enabled().contains(&target.actor) {
                self.insert_outcomes(target, first);
            } else {
                self.ask_again(target, &removed, first, &mut open);
            }
        }
    }

    /// Lists what is left of the steps from `first` on without some of them and whatever happens after those; false if
    /// the target does not come to its step then.
    fn keep(&mut self, target: Target, removed: &[usize], first: usize) -> bool {
        let order = &self.path.order;
        let is_after = |of: usize, step: usize| of == step || order.before(of, step);
        let is_removed = |step: usize| removed.iter().any(|&of| is_after(of, step));
        let goes = |step: &usize| !is_removed(*step) && !target.taken.is_some_and(|taken| is_after(taken, *step));
        self.kept.clear();
        self.kept.extend((first..order.len()).filter(goes));
        let own = match target.taken {
            Some(taken) => self.path.previous(taken),
            None => order.last_step(target.actor),
        };
        !own.or_else(|| self.path.birth(target.actor)).is_some_and(is_removed)
    }

    /// The target cannot move after the steps that were kept: it might without one of those that it looks at.
    fn ask_again(&mut self, target: Target, removed: &[usize], first: usize, open: &mut Vec<Removed>) {
        let mut footprint = Footprint::default();
        if self.machine.next(target.actor, &mut footprint) != Next::Blocked {
            return;
        }
        footprint.seal();
        let looks = self.path.footprints.intern(&footprint);
        let path = &self.path;
        let mut last: SmallVec<[usize; 4]> = SmallVec::new();
        for step in (0..first).chain(self.kept.iter().copied()).rev() {
            let occurrence = path.steps[step].occurrence;
            if occurrence.step.actor != target.actor
                && path.footprints.conflict(occurrence.footprint, looks)
                && !last.iter().any(|&later| path.order.before(step, later))
            {
                last.push(step);
            }
        }
        for step in last {
            let mut more = Removed::from_slice(removed);
            more.push(step);
            open.push(more);
        }
    }

    /// Whether the sequence of what was kept and the target's step is covered, whatever that step touches.
    fn is_surely_covered(&mut self, target: Target, first: usize) -> bool {
        let path = &self.path;
        let kept = || self.kept.iter().map(|&step| path.steps[step].occurrence);
        if target.outcome.is_some() {
            return false;
        }
        let mut depends = false;
        for sleeper in path.sleepers(first) {
            match weak_initial(sleeper, kept(), &path.footprints) {
                WeakInitial::At(_) => return true,
                WeakInitial::Beside if sleeper.step.actor == target.actor && !sleeper.has_choice => return true,
                WeakInitial::Beside => depends = true,
                WeakInitial::No => {}
            }
        }
        if depends {
            return false;
        }
        self.sequence.clear();
        self.sequence.extend(self.kept.iter().map(|&step| path.steps[step].occurrence));
        let mut level = path.nodes[first].branches;
        'descend: loop {
            for (occurrence, below) in self.trees.iter(level) {
                match weak_initial(occurrence, self.sequence.iter().copied(), &path.footprints) {
                    WeakInitial::No => {}
                    WeakInitial::At(place) => {
                        self.sequence.remove(place);
                        if below.is_empty() {
                            return true;
                        }
                        level = below;
                        continue 'descend;
                    }
                    WeakInitial::Beside => {
                        return occurrence.step.actor == target.actor && !occurrence.has_choice;
                    }
                }
            }
            return false;
        }
    }

    /// Inserts what was kept and each outcome of the target's step, where the machine stands.
    fn insert_outcomes(&mut self, target: Target, first: usize) {
        let mark = self.machine.mark();
        let mut next = Some(target.outcome.unwrap_or(Outcome::FIRST));
        while let Some(outcome) = next {
            let step = Move { actor: target.actor, outcome };
            let record = self.machine.step(step);
            let footprint = self.path.footprints.intern(&record.footprint);
            let last = Occurrence::new(step, footprint, record.next_outcome);
            next = record.next_outcome.filter(|_| target.outcome.is_none());
            self.sequence.clear();
            self.sequence.extend(self.kept.iter().map(|&step| self.path.steps[step].occurrence));
            self.sequence.push(last);
            self.insert(first);
            if next.is_some() {
                self.machine.rewind(&mark);
            }
        }
    }

    /// Inserts the sequence into the wakeup tree of a state unless it leads to what was or will be explored anyway.
    fn insert(&mut self, node: usize) {
        let footprints = &self.path.footprints;
        let is_weak = |sleeper| weak_initial(sleeper, self.sequence.iter().copied(), footprints) != WeakInitial::No;
        if self.path.sleepers(node).any(is_weak) {
            return;
        }
        let covers = |first, rest: &[Occurrence]| weak_initial(first, rest.iter().copied(), footprints);
        let branches = &mut self.path.nodes[node].branches;
        self.counts.inserted += u64::from(self.trees.insert(branches, &mut self.sequence, covers));
    }
}
