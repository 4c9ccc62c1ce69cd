//! Depth-first search that computes backtrack sets while it runs: what `dpor` and `sdpor` have in common.
//!
//! The search follows one execution to its end, trying one actor in each state. Each step is compared with the earlier ones
//! that it races with, and for each race an actor is added to the backtrack set of the state in front of the earlier step,
//! so that the other order is seen. Then the search goes back to the last state with something left
//! to try. What it remembers of states is up to the engine ([`Remember`]).
//!
//! The heads of `dpor.rs` and `sdpor.rs` say which paper this follows and where it departs from it.

use crate::shared::dfs::{self, DepthFirst, Next};
use crate::shared::execution::Execution;
use crate::shared::sleep::{SleepSet, Sleeper};
use crate::shared::tally::{Tally, arrive};
use crate::shared::trail::Trail;
use crate::shared::waiting::{Index, Lookout, Waiter, Waiters};
use mazurka_core::{
    Access, ActorId, Awaited, Because, Counter, Explored, Fingerprint, Footprint, FootprintId, FootprintTable, Machine,
    Move, Outcome, StopReason, Touch, VectorClock,
};
use smallvec::SmallVec;
use std::rc::Rc;

/// What an engine remembers of the states that a search comes to, and what it makes of one that it knows.
pub(crate) trait Remember<M: Machine> {
    /// Whether actors that were tried may sleep. A state explored under a non-empty sleep set is not fully explored.
    const SLEEPS: bool;

    /// Whether backtrack sets may be source sets. Where only a part of an execution is seen, initials are not known.
    const SOURCE_SETS: bool;

    /// A path begins; `path` has the blocked actors.
    fn start(&mut self, path: &mut Path, machine: &M);

    /// A step was taken from the last state of the path; `path` has that step and the blocked actors after it.
    fn step(&mut self, path: &mut Path, machine: &M);

    /// The path comes to a state in which an actor can move; true if there is nothing new to be seen there.
    fn is_known(&mut self, path: &mut Path, fingerprint: Fingerprint) -> bool;

    /// The path goes on from the state that it came to.
    fn enter(&mut self);

    /// Everything was tried in the last state of the path.
    fn leave(&mut self);
}

/// Remembers nothing: every state is new.
pub(crate) struct Stateless;

impl<M: Machine> Remember<M> for Stateless {
    const SLEEPS: bool = true;
    const SOURCE_SETS: bool = true;
    fn start(&mut self, _path: &mut Path, _machine: &M) {}
    fn step(&mut self, _path: &mut Path, _machine: &M) {}
    fn is_known(&mut self, _path: &mut Path, _fingerprint: Fingerprint) -> bool {
        false
    }
    fn enter(&mut self) {}
    fn leave(&mut self) {}
}

/// A state on the path, and what is left to do there.
struct PathState {
    fingerprint: Fingerprint,
    enabled: Rc<[ActorId]>,
    waiting: Waiters,
    /// The sleep set with which the path came here, and the actors that were tried here.
    asleep: SleepSet,
    done: SleepSet,
    /// The backtrack set; the first `tried` have been tried, or are being tried.
    backtrack: SmallVec<[ActorId; 4]>,
    tried: usize,
    /// The actor that is being tried.
    current: Option<Current>,
}

/// The actor that is being tried in a state.
struct Current {
    actor: ActorId,
    /// The next one of its outcomes.
    next: Option<Outcome>,
    /// What its outcomes so far touched, all together.
    footprint: Option<FootprintId>,
}

impl PathState {
    fn can_move(&self, actor: ActorId) -> bool {
        self.enabled.contains(&actor)
    }

    /// Adds an actor to the backtrack set; false if it is there already.
    fn add_to_backtrack(&mut self, actor: ActorId) -> bool {
        let is_new = !self.backtrack.contains(&actor);
        if is_new {
            self.backtrack.push(actor);
        }
        is_new
    }

    /// A sleeping actor has to be tried after all.
    fn wake(&mut self, actor: ActorId) {
        self.asleep.remove(actor);
        if let Some(place) = self.backtrack.iter().position(|&other| other == actor) {
            self.backtrack.remove(place);
            self.tried -= usize::from(place < self.tried);
        }
        self.backtrack.push(actor);
    }
}

/// What a step did to a blocked actor.
enum Effect {
    /// Nothing: it is blocked as before.
    None,
    /// It wrote the one object that is awaited. There is nothing to reverse: any other step that writes it conflicts with
    /// the step by itself.
    OnWhatIsAwaited,
    /// It wrote one of several objects that are read.
    Unclear,
}

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    races: u64,
    backtrack_points: u64,
    blocked: u64,
    revisited: u64,
}

impl Counts {
    /// Adds what another search counted.
    pub(crate) fn add(&mut self, other: Counts) {
        self.races += other.races;
        self.backtrack_points += other.backtrack_points;
        self.blocked += other.blocked;
        self.revisited += other.revisited;
    }

    /// By name; how often states were met again counts only where they are remembered.
    pub(crate) fn named(self, remembers: bool) -> Vec<(Counter, u64)> {
        let mut named = vec![
            (Counter::Blocked, self.blocked),
            (Counter::Races, self.races),
            (Counter::BacktrackPoints, self.backtrack_points),
        ];
        named.extend(remembers.then_some((Counter::Revisited, self.revisited)));
        named
    }
}

/// The current path: its steps with their order, and the states that they lead through.
pub(crate) struct Path {
    pub(crate) execution: Execution,
    pub(crate) footprints: FootprintTable,
    nodes: Vec<PathState>,
    /// What the steps touched.
    touched: Vec<FootprintId>,
    /// The enabled and the blocked actors after the last step.
    enabled: Rc<[ActorId]>,
    waiting: Waiters,
    counts: Counts,
    /// Whether a race asks for an initial of the other order, or, as published, for an actor of a persistent set.
    source_sets: bool,
    plain: bool,
    racing: Vec<usize>,
    index: Index,
    /// What was added to backtrack sets by the last step and why, if the search is watched.
    additions: Option<Vec<Addition>>,
    /// Why the next actors are added.
    because: Because,
}

/// An actor that was added to a backtrack set.
struct Addition {
    /// The place of the set's state.
    depth: usize,
    actor: ActorId,
    because: Because,
}

impl Path {
    /// The actor that moved last, and what that touched.
    pub(crate) fn last(&self) -> Option<(ActorId, FootprintId)> {
        let last = self.execution.order().len().checked_sub(1)?;
        Some((self.execution.order().actor(last), self.touched[last]))
    }

    /// An enabled actor that does not sleep: the one that moved last if possible. An actor that was tried in front of
    /// another one so gets to where the order makes a difference, before others undo that.
    fn first_to_try(&self, sleep: &SleepSet) -> Option<ActorId> {
        let mut awake = self.enabled.iter().copied().filter(|&actor| !sleep.contains(actor));
        let first = awake.next()?;
        let last = self.last().map(|(actor, _)| actor).filter(|&last| last != first);
        Some(last.filter(|&last| awake.any(|actor| actor == last)).unwrap_or(first))
    }

    /// The blocked actors after the last step.
    pub(crate) fn waiting(&self) -> &[Waiter] {
        &self.waiting
    }

    /// How an actor is blocked in the state in front of a step, if it is.
    pub(crate) fn waiter_before(&self, step: usize, actor: ActorId) -> Option<&Waiter> {
        self.nodes[step].waiting.iter().find(|waiter| waiter.actor == actor)
    }

    /// Adds to the backtrack set in front of a step what is needed so that a later step of `actor` is tried before it.
    pub(crate) fn try_before(&mut self, step: usize, actor: ActorId, knows: &VectorClock) {
        self.counts.races += 1;
        self.because = Because::Conflict { actor };
        match self.of_persistent_set(step, actor, knows) {
            Some(first) => self.add_to_backtrack(step, first),
            None => self.add_all_to_backtrack(step),
        }
    }

    /// Compares a step that an actor takes, or is blocked on, with the steps before it; `taken` is its place in the path.
    fn detect(&mut self, actor: ActorId, footprint: &Footprint, taken: Option<usize>) {
        let mut racing = std::mem::take(&mut self.racing);
        racing.clear();
        self.execution.order().racing(actor, footprint, &mut racing);
        if !racing.is_empty() {
            let mut knows = self.execution.knowledge(actor);
            for &step in &racing {
                if self.execution.order().within(step, &knows) {
                    continue;
                }
                self.because = match taken {
                    Some(second) => Because::Race { first: step, second },
                    None => Because::NextStep { first: step, actor },
                };
                let was_blocked = self.execution.stood_there(actor, step) && !self.nodes[step].can_move(actor);
                if was_blocked && self.execution.initial_before(step, &knows).is_none() {
                    // Another actor may have enabled it earlier, and it is not known which.
                    self.add_all_to_backtrack(step);
                    continue;
                }
                self.counts.races += 1;
                self.reverse(step, actor, footprint, &knows);
                knows.join(self.execution.order().clock(step));
            }
        }
        self.racing = racing;
    }

    /// Adds to the backtrack set in front of `step` what is needed so that a move of `actor` with the clock `knows` is tried
    /// without `step` before it.
    fn reverse(&mut self, step: usize, actor: ActorId, footprint: &Footprint, knows: &VectorClock) {
        if self.sleeps_wrongly(step, actor, footprint) {
            self.nodes[step].wake(actor);
            self.counts.backtrack_points += 1;
            self.note_addition(step, actor);
            return;
        }
        let first = if self.source_sets {
            let node = &self.nodes[step];
            let is_initial = |&first: &ActorId| self.execution.is_initial(first, step, actor, knows);
            if node.backtrack.iter().any(is_initial) || node.asleep.contains(actor) && is_initial(&actor) {
                return;
            }
            let first = if is_initial(&actor) { Some(actor) } else { self.execution.initial_before(step, knows) };
            first.filter(|&first| node.can_move(first))
        } else {
            self.of_persistent_set(step, actor, knows)
        };
        match first {
            Some(first) => self.add_to_backtrack(step, first),
            None => self.add_all_to_backtrack(step),
        }
    }

    /// An actor that belongs to a persistent set in front of a step because of a later move of `actor` with the clock `knows`:
    /// the actor itself, or one that has to move before it.
    fn of_persistent_set(&self, step: usize, actor: ActorId, knows: &VectorClock) -> Option<ActorId> {
        let node = &self.nodes[step];
        // A sleeping actor is not tried, so the races behind its move are not found.
        let is_tried = || !node.asleep.contains(actor) || self.execution.is_initial(actor, step, actor, knows);
        if node.can_move(actor) && is_tried() {
            return Some(actor);
        }
        self.execution.initial_before(step, knows).filter(|&first| node.can_move(first))
    }

    /// Whether an actor sleeps in front of a step though its step there touches more than the step with this footprint,
    /// which it takes or is blocked on now. Another actor's step between the two could come in front of the sleeping step
    /// and conflict with it: neither what was explored before the actor fell asleep nor the present step shows that.
    fn sleeps_wrongly(&self, step: usize, actor: ActorId, footprint: &Footprint) -> bool {
        let Some(asleep) = self.nodes[step].asleep.get(actor) else { return false };
        let reversed = self.footprints.get(self.touched[step]);
        let is_seen = |touch: &Touch| {
            footprint.access(touch.object).is_some_and(|access| access.contains(touch.access))
                || reversed.access(touch.object).is_some_and(|access| access.contains(Access::WRITE))
        };
        self.execution.stood_there(actor, step) && !self.footprints.get(asleep).touches().iter().all(is_seen)
    }

    /// Adds an actor to the backtrack set in front of a step.
    pub(crate) fn add_to_backtrack(&mut self, step: usize, actor: ActorId) {
        if self.nodes[step].add_to_backtrack(actor) {
            self.counts.backtrack_points += 1;
            self.note_addition(step, actor);
        }
    }

    /// Notes for those who watch that an actor was added to the backtrack set in front of a step.
    fn note_addition(&mut self, depth: usize, actor: ActorId) {
        let because = self.because;
        self.additions.iter_mut().for_each(|all| all.push(Addition { depth, actor, because }));
    }

    /// Adds all enabled actors to the backtrack set in front of a step.
    pub(crate) fn add_all_to_backtrack(&mut self, step: usize) {
        let enabled = Rc::clone(&self.nodes[step].enabled);
        for &actor in &*enabled {
            self.add_to_backtrack(step, actor);
        }
    }

    /// Considers what the last step did to the actors that were blocked before it, and those that are blocked since.
    fn settle_waiting(&mut self, touched: FootprintId) {
        let Some(node) = self.nodes.last() else { return };
        let (before, now) = (Rc::clone(&node.waiting), Rc::clone(&self.waiting));
        let mut index = std::mem::take(&mut self.index);
        index.fill(now.iter().map(|waiter| waiter.actor));
        for waiter in &*before {
            if !self.footprints.conflict(touched, waiter.footprint) {
                continue;
            }
            match self.effect_on(waiter, touched) {
                Effect::None => {}
                Effect::Unclear => {
                    self.because = Because::All;
                    self.add_all_to_backtrack(self.nodes.len() - 1);
                }
                // An actor that stays blocked as before comes after this step by way of the one that enables it: both
                // write one object.
                Effect::OnWhatIsAwaited if index.place(waiter.actor).is_some_and(|place| now[place] == *waiter) => {}
                Effect::OnWhatIsAwaited => self.execution.ready(waiter.actor),
            }
        }
        self.ready_the_new(&mut index);
        if !Rc::ptr_eq(&before, &now) {
            index.fill(before.iter().map(|waiter| waiter.actor));
            for waiter in &*now {
                let waited = index.place(waiter.actor).map(|place| before[place]);
                if waited != Some(*waiter) {
                    let footprint = self.footprints.get(waiter.footprint).clone();
                    self.detect(waiter.actor, &footprint, None);
                }
            }
        }
        self.index = index;
    }

    /// What a step did to a blocked actor whose step conflicts with it.
    fn effect_on(&self, waiter: &Waiter, touched: FootprintId) -> Effect {
        let (step, waits) = (self.footprints.get(touched), self.footprints.get(waiter.footprint));
        let changes = |object| step.access(object).is_some_and(Access::changes);
        let races = |touch: &Touch| {
            let awaited = waits.access(touch.object);
            awaited.is_some_and(|awaited| self.footprints.dependence().races(touch.access, awaited))
        };
        match waiter.awaited {
            Some(Awaited::Made(object) | Awaited::Freed(object)) if !self.plain => {
                if changes(object) {
                    Effect::OnWhatIsAwaited
                } else {
                    Effect::None
                }
            }
            _ if !step.touches().iter().any(races) => Effect::OnWhatIsAwaited,
            _ if self.plain || waits.touches().iter().any(|touch| changes(touch.object)) => Effect::Unclear,
            _ => Effect::None,
        }
    }

    /// The last step happens before all steps of the actors that it created.
    fn ready_the_new(&mut self, index: &mut Index) {
        let Some(node) = self.nodes.last() else { return };
        if Rc::ptr_eq(&node.enabled, &self.enabled) && Rc::ptr_eq(&node.waiting, &self.waiting) {
            return;
        }
        let present = |enabled: &Rc<[ActorId]>, waiting: &Waiters| {
            let (enabled, waiting) = (Rc::clone(enabled), Rc::clone(waiting));
            (0..enabled.len() + waiting.len())
                .map(move |n| enabled.get(n).copied().unwrap_or_else(|| waiting[n - enabled.len()].actor))
        };
        index.fill(present(&node.enabled, &node.waiting));
        for actor in present(&self.enabled, &self.waiting) {
            if index.place(actor).is_none() {
                self.execution.ready(actor);
            }
        }
    }
}

/// A search from where a machine stands.
pub(crate) struct Search<'t, 'o, M: Machine, K> {
    machine: M,
    tally: &'t mut Tally<'o>,
    pub(crate) memory: K,
    path: Path,
    trail: Trail<M::Mark>,
    lookout: Lookout,
    sleeps: bool,
}

impl<'t, 'o, M: Machine, K: Remember<M>> Search<'t, 'o, M, K> {
    /// A search that has not begun.
    pub(crate) fn new(machine: M, tally: &'t mut Tally<'o>, memory: K) -> Self {
        let options = tally.options;
        let path = Path {
            execution: Execution::new(options.dependence),
            footprints: FootprintTable::new(options.dependence),
            nodes: Vec::new(),
            touched: Vec::new(),
            enabled: Rc::new([]),
            waiting: Rc::new([]),
            counts: Counts::default(),
            source_sets: K::SOURCE_SETS && !options.plain,
            plain: options.plain,
            racing: Vec::new(),
            index: Index::default(),
            additions: tally.is_watched().then(Vec::new),
            because: Because::First,
        };
        Search {
            machine,
            memory,
            path,
            trail: Trail::new(),
            lookout: Lookout::default(),
            sleeps: K::SLEEPS && !options.no_sleep,
            tally,
        }
    }

    /// What was counted.
    pub(crate) fn counts(&self) -> Counts {
        self.path.counts
    }

    /// Searches to the end.
    pub(crate) fn run(&mut self) -> Result<(), StopReason> {
        self.look_around(None);
        self.memory.start(&mut self.path, &self.machine);
        let at_end_of_path = self.go_on(SleepSet::default())?;
        dfs::walk(self, at_end_of_path)
    }

    /// What is to be tried next in the last state of the path: the next outcome of the actor that is being tried, or the
    /// first one of the next actor.
    fn next_move(&mut self) -> Option<Move> {
        let node = self.path.nodes.last_mut()?;
        if let Some(current) = &node.current {
            if let Some(outcome) = current.next {
                return Some(Move { actor: current.actor, outcome });
            }
            if self.sleeps
                && let Some(footprint) = current.footprint
            {
                node.done.insert(Sleeper { actor: current.actor, footprint });
            }
        }
        node.current = None;
        while let Some(&actor) = node.backtrack.get(node.tried) {
            node.tried += 1;
            if !node.asleep.contains(actor) {
                node.current = Some(Current { actor, next: None, footprint: None });
                return Some(Move::from(actor));
            }
        }
        None
    }

    /// Notes what the actor that is being tried touched, and returns the sleep set after its step.
    fn sleep_after(&mut self, actor: ActorId, touched: FootprintId, next: Option<Outcome>) -> SleepSet {
        let footprints = &mut self.path.footprints;
        let Some(node) = self.path.nodes.last_mut() else { return SleepSet::default() };
        if let Some(current) = &mut node.current {
            current.next = next;
            current.footprint = Some(match current.footprint {
                Some(others) if others != touched => {
                    let mut all = footprints.get(others).clone();
                    let more = footprints.get(touched).clone();
                    more.touches().iter().for_each(|touch| all.touch(touch.object, touch.access));
                    all.seal();
                    footprints.intern(&all)
                }
                _ => touched,
            });
        }
        let mut sleep = node.asleep.after(actor, touched, footprints);
        sleep.extend(node.done.after(actor, touched, footprints));
        sleep
    }

    /// Finds the enabled and the blocked actors where the machine stands.
    fn look_around(&mut self, touched: Option<FootprintId>) {
        let last = self.path.nodes.last();
        let none: Waiters = Rc::new([]);
        let before = last.map_or(&none, |node| &node.waiting);
        let waiting = self.lookout.look(&self.machine, &mut self.path.footprints, before, touched);
        self.path.enabled = match last {
            Some(node) if node.enabled[..] == *self.machine.enabled() => Rc::clone(&node.enabled),
            _ => self.machine.enabled().into(),
        };
        self.path.waiting = waiting;
    }

    /// Adds the state where the machine stands to the path; false if the path ends there.
    fn go_on(&mut self, sleep: SleepSet) -> Result<bool, StopReason> {
        let (fingerprint, can_move) = arrive(&self.machine, self.tally)?;
        if !can_move {
            return Ok(false);
        }
        if !self.tally.enter(fingerprint) {
            return Ok(false);
        }
        if self.memory.is_known(&mut self.path, fingerprint) {
            self.path.counts.revisited += 1;
            self.tally.abandon(fingerprint);
            if self.tally.is_watched() {
                self.tally.show(&Explored::Met);
            }
            return Ok(false);
        }
        let Some(first) = self.path.first_to_try(&sleep) else {
            self.path.counts.blocked += 1;
            self.tally.abandon(fingerprint);
            if self.tally.is_watched() {
                self.tally.show(&Explored::Asleep);
            }
            return Ok(false);
        };
        self.memory.enter();
        self.trail.save(self.path.nodes.len(), &self.machine);
        self.path.nodes.push(PathState {
            fingerprint,
            enabled: Rc::clone(&self.path.enabled),
            waiting: Rc::clone(&self.path.waiting),
            asleep: sleep,
            done: SleepSet::default(),
            backtrack: SmallVec::from_slice(&[first]),
            tried: 0,
            current: None,
        });
        if self.tally.is_watched() {
            self.show_state(first);
        }
        Ok(true)
    }

    /// Shows the last state of the path to those who watch.
    #[cold]
    fn show_state(&mut self, first: ActorId) {
        let depth = self.path.nodes.len() - 1;
        let node = &self.path.nodes[depth];
        let asleep: Vec<ActorId> = node.enabled.iter().copied().filter(|&actor| node.asleep.contains(actor)).collect();
        self.tally.show(&Explored::State { enabled: &node.enabled, asleep: &asleep });
        let moves = &[Move::from(first)];
        self.tally.show(&Explored::Branch { depth, moves, because: Because::First });
    }

    /// Shows what was added to backtrack sets to those who watch.
    #[cold]
    fn show_additions(&mut self) {
        for Addition { depth, actor, because } in self.path.additions.iter_mut().flat_map(std::mem::take) {
            let moves = &[Move::from(actor)];
            self.tally.show(&Explored::Branch { depth, moves, because });
        }
    }
}

impl<M: Machine, K: Remember<M>> DepthFirst for Search<'_, '_, M, K> {
    type Choice = Move;

    fn is_done(&self) -> bool {
        self.path.nodes.is_empty()
    }

    fn next(&mut self) -> Result<Next<Move>, StopReason> {
        Ok(self.next_move().map_or(Next::Close, Next::Take))
    }

    fn rewind(&mut self) {
        self.trail.rewind(self.path.nodes.len() - 1, &self.tally.schedule.moves, &mut self.machine);
    }

    fn take(&mut self, step: Move) -> Result<bool, StopReason> {
        let index = self.path.nodes.len() - 1;
        self.path.execution.truncate(index);
        self.tally.take_back(index);
        let record = self.machine.step(step);
        let next = record.next_outcome;
        let touched = self.path.footprints.intern(&record.footprint);
        self.tally.step(step, record)?;
        let footprint = self.path.footprints.get(touched).clone();
        let sleep = self.sleep_after(step.actor, touched, next);
        self.path.detect(step.actor, &footprint, Some(index));
        self.path.execution.push(step.actor, &footprint);
        self.path.touched.truncate(index);
        self.path.touched.push(touched);
        self.look_around(Some(touched));
        self.path.settle_waiting(touched);
        self.path.because = Because::All;
        self.memory.step(&mut self.path, &self.machine);
        if self.tally.is_watched() {
            self.show_additions();
        }
        self.go_on(sleep)
    }

    fn close(&mut self) {
        if let Some(node) = self.path.nodes.pop() {
            self.memory.leave();
            if self.tally.is_watched() {
                self.tally.show(&Explored::Closed(self.path.nodes.len()));
            }
            self.tally.leave(node.fingerprint);
        }
    }
}
