//! Depth-first search that finds out as it goes what it has to try: what `dpor` and `sdpor` have in common.
//!
//! The search follows one execution to its end, trying one actor in each state. Each step is held against the earlier ones
//! that it races with, and for each race somebody is added to what has to be tried (`backtrack`) in the state in front of
//! the earlier step, so that the other order is seen. Then the search goes back to the last state with something left
//! to try. What it remembers of states is up to the engine ([`Memory`]).
//!
//! The heads of `dpor.rs` and `sdpor.rs` say which paper this follows and where it departs from it.

use crate::execution::Execution;
use crate::sleep::{SleepSet, Sleeper};
use crate::tally::{Tally, arrive};
use crate::trail::Trail;
use crate::waiting::{Lookout, Waiter, Waiters};
use mazurka_core::{
    Access, ActorId, Awaited, Counter, Fingerprint, Footprint, FootprintId, FootprintTable, Machine, Move, Outcome,
    StopReason, Touch, VectorClock,
};
use smallvec::SmallVec;
use std::rc::Rc;

/// What an engine remembers of the states that a search comes to, and what it makes of one that it knows.
pub(crate) trait Memory<M: Machine>: Sized {
    /// A path begins.
    fn start(&mut self, machine: &M);

    /// A step was taken from the last state of the path; `path` has that step and who waits after it.
    fn step(&mut self, path: &Path, machine: &M);

    /// The path comes to a state in which somebody can move; true if there is nothing new to be seen there.
    fn is_known(&mut self, path: &mut Path, fingerprint: Fingerprint, sleep: &SleepSet) -> bool;

    /// The path goes on from the state that it came to.
    fn enter(&mut self);

    /// Everything was tried in the last state of the path.
    fn leave(&mut self, sleep: &SleepSet);

    /// The path comes to its end in a state in which nobody can move.
    fn end(&mut self, path: &Path);
}

/// Remembers nothing: every state is new.
pub(crate) struct Stateless;

impl<M: Machine> Memory<M> for Stateless {
    fn start(&mut self, _machine: &M) {}
    fn step(&mut self, _path: &Path, _machine: &M) {}
    fn is_known(&mut self, _path: &mut Path, _fingerprint: Fingerprint, _sleep: &SleepSet) -> bool {
        false
    }
    fn enter(&mut self) {}
    fn leave(&mut self, _sleep: &SleepSet) {}
    fn end(&mut self, _path: &Path) {}
}

/// A state on the path, and what is left to do there.
struct Node {
    fingerprint: Fingerprint,
    enabled: Rc<[ActorId]>,
    waiting: Waiters,
    /// Who slept when the path came here, and who fell asleep because it was tried here.
    asleep: SleepSet,
    done: SleepSet,
    /// Who has to be tried; the first `tried` have been, or are being.
    backtrack: SmallVec<[ActorId; 4]>,
    tried: usize,
    /// Who is being tried.
    current: Option<Current>,
}

/// Who is being tried in a state.
struct Current {
    actor: ActorId,
    /// The next one of its outcomes.
    next: Option<Outcome>,
    /// What its outcomes so far touched, all together.
    footprint: Option<FootprintId>,
}

impl Node {
    fn can_move(&self, actor: ActorId) -> bool {
        self.enabled.contains(&actor)
    }

    /// Adds somebody to what has to be tried; false if it is there already.
    fn try_later(&mut self, actor: ActorId) -> bool {
        let is_new = !self.backtrack.contains(&actor);
        if is_new {
            self.backtrack.push(actor);
        }
        is_new
    }

    /// Somebody who slept has to be tried after all.
    fn wake(&mut self, actor: ActorId) {
        self.asleep.remove(actor);
        if let Some(place) = self.backtrack.iter().position(|&other| other == actor) {
            self.backtrack.remove(place);
            self.tried -= usize::from(place < self.tried);
        }
        self.backtrack.push(actor);
    }
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
    nodes: Vec<Node>,
    /// What the steps touched.
    touched: Vec<FootprintId>,
    /// Who can move and who waits after the last step.
    enabled: Rc<[ActorId]>,
    waiting: Waiters,
    counts: Counts,
    plain: bool,
    racing: Vec<usize>,
}

impl Path {
    /// Who moved last, and what that touched.
    pub(crate) fn last(&self) -> Option<(ActorId, FootprintId)> {
        let last = self.execution.order().len().checked_sub(1)?;
        Some((self.execution.order().actor(last), self.touched[last]))
    }

    /// Who waits after the last step.
    pub(crate) fn waiting(&self) -> &[Waiter] {
        &self.waiting
    }

    /// Whether an actor can move in the state in front of a step.
    pub(crate) fn could_move(&self, actor: ActorId, step: usize) -> bool {
        self.nodes[step].can_move(actor)
    }

    /// Holds a step that an actor takes, or waits to take, against the steps before it.
    fn detect(&mut self, actor: ActorId, footprint: &Footprint) {
        let mut racing = std::mem::take(&mut self.racing);
        racing.clear();
        self.execution.order().racing(actor, footprint, &mut racing);
        if !racing.is_empty() {
            let mut knows = self.execution.knowledge(actor);
            for &step in &racing {
                if self.execution.order().within(step, &knows) {
                    continue;
                }
                if self.execution.stood_there(actor, step) && !self.nodes[step].can_move(actor) {
                    self.try_all(step);
                    continue;
                }
                self.counts.races += 1;
                self.reverse(step, actor, footprint, &knows);
                knows.join(self.execution.order().clock(step));
            }
        }
        self.racing = racing;
    }

    /// Sees to it that a move of `actor`, who knows of `knows`, is tried without `step` before it.
    fn reverse(&mut self, step: usize, actor: ActorId, footprint: &Footprint, knows: &VectorClock) {
        if self.sleeps_wrongly(step, actor, footprint) {
            self.nodes[step].wake(actor);
            self.counts.backtrack_points += 1;
            return;
        }
        let node = &self.nodes[step];
        let is_initial = |&first: &ActorId| self.execution.is_initial(first, step, actor, knows);
        let first = if self.plain {
            let before = || self.execution.initial_before(step, knows);
            if node.can_move(actor) { Some(actor) } else { before() }
        } else {
            if node.backtrack.iter().any(is_initial) || node.asleep.contains(actor) && is_initial(&actor) {
                return;
            }
            if is_initial(&actor) { Some(actor) } else { self.execution.initial_before(step, knows) }
        };
        match first.filter(|&first| node.can_move(first)) {
            Some(first) => self.try_later(step, first),
            None => self.try_all(step),
        }
    }

    /// Whether an actor sleeps in front of a step though its step there touches more than the step with this footprint,
    /// which it takes or waits to take now. Somebody who comes now could have come in front of that step and in conflict
    /// with it: what was seen before the actor fell asleep says nothing of that, and neither does the present step.
    fn sleeps_wrongly(&self, step: usize, actor: ActorId, footprint: &Footprint) -> bool {
        let Some(asleep) = self.nodes[step].asleep.get(actor) else { return false };
        let reversed = self.footprints.get(self.touched[step]);
        let is_seen = |touch: &Touch| {
            footprint.access(touch.object).is_some_and(|access| access.contains(touch.access))
                || reversed.access(touch.object).is_some_and(|access| access.contains(Access::WRITE))
        };
        self.execution.stood_there(actor, step) && !self.footprints.get(asleep).touches().iter().all(is_seen)
    }

    /// Adds somebody to what has to be tried in front of a step.
    pub(crate) fn try_later(&mut self, step: usize, actor: ActorId) {
        self.counts.backtrack_points += u64::from(self.nodes[step].try_later(actor));
    }

    /// Everybody has to be tried in front of a step.
    pub(crate) fn try_all(&mut self, step: usize) {
        let enabled = Rc::clone(&self.nodes[step].enabled);
        for &actor in &*enabled {
            self.try_later(step, actor);
        }
    }

    /// Looks at what the last step did to those who waited before it.
    fn settle_waiting(&mut self, touched: FootprintId) {
        let Some(node) = self.nodes.last() else { return };
        let before = Rc::clone(&node.waiting);
        for waiter in &*before {
            if !self.footprints.conflict(touched, waiter.footprint) {
                continue;
            }
            if self.lets_move(touched, waiter) {
                self.execution.ready(waiter.actor);
            } else {
                self.try_all(self.nodes.len() - 1);
            }
        }
    }

    /// Whether a step changed the one thing that somebody waits for. There is nothing to reverse then: whoever else could
    /// change it comes into conflict with that step by itself.
    fn lets_move(&self, touched: FootprintId, waiter: &Waiter) -> bool {
        let (step, waits) = (self.footprints.get(touched), self.footprints.get(waiter.footprint));
        let changes = |object| step.access(object).is_some_and(Access::changes);
        match waiter.awaited {
            Some(Awaited::Made(object) | Awaited::Freed(object)) if !self.plain => changes(object),
            _ => !step.touches().iter().any(|touch| {
                waits
                    .access(touch.object)
                    .is_some_and(|access| self.footprints.dependence().races(touch.access, access))
            }),
        }
    }

    /// Those who were not there before the last step know of it.
    fn ready_the_new(&mut self) {
        let Some(node) = self.nodes.last() else { return };
        if Rc::ptr_eq(&node.enabled, &self.enabled) && Rc::ptr_eq(&node.waiting, &self.waiting) {
            return;
        }
        let was_there =
            |actor: ActorId| node.enabled.contains(&actor) || node.waiting.iter().any(|waiter| waiter.actor == actor);
        let now = self.enabled.iter().copied().chain(self.waiting.iter().map(|waiter| waiter.actor));
        let new: SmallVec<[ActorId; 4]> = now.filter(|&actor| !was_there(actor)).collect();
        for actor in new {
            self.execution.ready(actor);
        }
    }

    /// Holds those who have come to wait, or wait for something else than before, against the steps before.
    fn detect_waiting(&mut self) {
        let Some(node) = self.nodes.last() else { return };
        if Rc::ptr_eq(&node.waiting, &self.waiting) {
            return;
        }
        let (before, now) = (Rc::clone(&node.waiting), Rc::clone(&self.waiting));
        for waiter in &*now {
            let same = |other: &&Waiter| other.actor == waiter.actor;
            if before.iter().find(same).is_some_and(|other| other.footprint == waiter.footprint) {
                continue;
            }
            let footprint = self.footprints.get(waiter.footprint).clone();
            self.detect(waiter.actor, &footprint);
        }
    }
}

/// A search from where a machine stands.
pub(crate) struct Search<'t, 'o, M: Machine, K> {
    machine: M,
    tally: &'t mut Tally<'o>,
    memory: K,
    path: Path,
    trail: Trail<M::Mark>,
    lookout: Lookout,
    sleeps: bool,
}

impl<'t, 'o, M: Machine, K: Memory<M>> Search<'t, 'o, M, K> {
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
            plain: options.plain,
            racing: Vec::new(),
        };
        Search {
            machine,
            memory,
            path,
            trail: Trail::new(),
            lookout: Lookout::default(),
            sleeps: !options.no_sleep,
            tally,
        }
    }

    /// What was counted.
    pub(crate) fn counts(&self) -> Counts {
        self.path.counts
    }

    /// Searches to the end.
    pub(crate) fn run(&mut self) -> Result<(), StopReason> {
        self.memory.start(&self.machine);
        self.look_around(None);
        let mut at_end_of_path = self.go_on(SleepSet::default())?;
        while !self.path.nodes.is_empty() {
            let Some(step) = self.next_move() else {
                self.close();
                at_end_of_path = false;
                continue;
            };
            if !at_end_of_path {
                self.trail.rewind(self.path.nodes.len() - 1, &self.tally.schedule.moves, &mut self.machine);
            }
            at_end_of_path = self.take(step)?;
        }
        Ok(())
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

    /// Takes a step from the last state of the path; false if the path ends there.
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
        self.path.detect(step.actor, &footprint);
        self.path.execution.push(step.actor, &footprint);
        self.path.touched.truncate(index);
        self.path.touched.push(touched);
        self.look_around(Some(touched));
        self.path.settle_waiting(touched);
        self.path.ready_the_new();
        self.path.detect_waiting();
        self.memory.step(&self.path, &self.machine);
        self.go_on(sleep)
    }

    /// Notes what the actor that is being tried touched, and returns who sleeps after its step.
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

    /// Finds out who can move and who waits where the machine stands.
    fn look_around(&mut self, touched: Option<FootprintId>) {
        let last = self.path.nodes.last();
        let nobody: Waiters = Rc::new([]);
        let before = last.map_or(&nobody, |node| &node.waiting);
        let waiting = self.lookout.look(&self.machine, &mut self.path.footprints, before, touched);
        self.path.enabled = match last {
            Some(node) if node.enabled[..] == *self.machine.enabled() => Rc::clone(&node.enabled),
            _ => self.machine.enabled().into(),
        };
        self.path.waiting = waiting;
    }

    /// Adds the state where the machine stands to the path; false if the path ends there.
    fn go_on(&mut self, sleep: SleepSet) -> Result<bool, StopReason> {
        let (fingerprint, somebody_moves) = arrive(&self.machine, self.tally)?;
        if !somebody_moves {
            self.memory.end(&self.path);
            return Ok(false);
        }
        if !self.tally.enter(fingerprint) {
            return Ok(false);
        }
        if self.memory.is_known(&mut self.path, fingerprint, &sleep) {
            self.path.counts.revisited += 1;
            self.tally.abandon(fingerprint);
            return Ok(false);
        }
        let Some(first) = self.path.enabled.iter().copied().find(|&actor| !sleep.contains(actor)) else {
            self.path.counts.blocked += 1;
            self.tally.abandon(fingerprint);
            return Ok(false);
        };
        self.memory.enter();
        self.trail.save(self.path.nodes.len(), &self.machine);
        self.path.nodes.push(Node {
            fingerprint,
            enabled: Rc::clone(&self.path.enabled),
            waiting: Rc::clone(&self.path.waiting),
            asleep: sleep,
            done: SleepSet::default(),
            backtrack: SmallVec::from_slice(&[first]),
            tried: 0,
            current: None,
        });
        Ok(true)
    }

    /// Everything was tried in the last state of the path.
    fn close(&mut self) {
        if let Some(node) = self.path.nodes.pop() {
            self.memory.leave(&node.asleep);
            self.tally.leave(node.fingerprint);
        }
    }
}
