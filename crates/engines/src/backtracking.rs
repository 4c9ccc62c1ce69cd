//! Depth-first search that finds out as it goes what it has to try: what `dpor` and `sdpor` have in common.
//!
//! The search follows one execution to its end, trying one actor in each state. Each step is held against the earlier ones
//! that it races with, and for each race somebody is added to what has to be tried (`backtrack`) in the state in front of
//! the earlier step, so that the other order is seen. Then the search goes back to the last state with something left
//! to try. What it remembers of states is up to the engine ([`Memory`]).
//!
//! The heads of `dpor.rs` and `sdpor.rs` say which paper this follows and where it departs from it.

use crate::shared::execution::Execution;
use crate::shared::sleep::{SleepSet, Sleeper};
use crate::shared::tally::{Tally, arrive};
use crate::shared::trail::Trail;
use crate::shared::waiting::{Index, Lookout, Waiter, Waiters};
use mazurka_core::{
    Access, ActorId, Awaited, Counter, Fingerprint, Footprint, FootprintId, FootprintTable, Machine, Move, Outcome,
    StopReason, Touch, VectorClock,
};
use smallvec::SmallVec;
use std::rc::Rc;

/// What an engine remembers of the states that a search comes to, and what it makes of one that it knows.
pub(crate) trait Memory<M: Machine> {
    /// Whether those who were tried may sleep. A state that was explored while somebody slept is not known for good.
    const SLEEPS: bool;

    /// Whether what is tried may be source sets. Who sees only a part of an execution cannot tell initials.
    const SOURCE_SETS: bool;

    /// A path begins; `path` has who waits there.
    fn start(&mut self, path: &mut Path, machine: &M);

    /// A step was taken from the last state of the path; `path` has that step and who waits after it.
    fn step(&mut self, path: &mut Path, machine: &M);

    /// The path comes to a state in which somebody can move; true if there is nothing new to be seen there.
    fn is_known(&mut self, path: &mut Path, fingerprint: Fingerprint) -> bool;

    /// The path goes on from the state that it came to.
    fn enter(&mut self);

    /// Everything was tried in the last state of the path.
    fn leave(&mut self);
}

/// Remembers nothing: every state is new.
pub(crate) struct Stateless;

impl<M: Machine> Memory<M> for Stateless {
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

/// What a step did to somebody who waited.
enum Effect {
    /// Nothing: it waits as before.
    None,
    /// It changed the one thing that is waited for. There is nothing to reverse: whoever else could change that comes into
    /// conflict with the step by itself.
    OnWhatIsAwaited,
    /// It changed one of several things that are looked at.
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
    nodes: Vec<Node>,
    /// What the steps touched.
    touched: Vec<FootprintId>,
    /// Who can move and who waits after the last step.
    enabled: Rc<[ActorId]>,
    waiting: Waiters,
    counts: Counts,
    /// Whether a race asks for an initial of the other order, or, as published, for somebody of a persistent set.
    source_sets: bool,
    plain: bool,
    racing: Vec<usize>,
    index: Index,
}

impl Path {
    /// Who moved last, and what that touched.
    pub(crate) fn last(&self) -> Option<(ActorId, FootprintId)> {
        let last = self.execution.order().len().checked_sub(1)?;
        Some((self.execution.order().actor(last), self.touched[last]))
    }

    /// Somebody who can move after the last step and does not sleep: the one who moved last if possible. Who was tried in
    /// front of another one so gets where it was to get, before others undo the difference.
    fn whom_to_try_first(&self, sleep: &SleepSet) -> Option<ActorId> {
        let mut awake = self.enabled.iter().copied().filter(|&actor| !sleep.contains(actor));
        let first = awake.next()?;
        let last = self.last().map(|(actor, _)| actor).filter(|&last| last != first);
        Some(last.filter(|&last| awake.any(|actor| actor == last)).unwrap_or(first))
    }

    /// Who waits after the last step.
    pub(crate) fn waiting(&self) -> &[Waiter] {
        &self.waiting
    }

    /// How an actor waits in the state in front of a step, if it does.
    pub(crate) fn waiter_before(&self, step: usize, actor: ActorId) -> Option<&Waiter> {
        self.nodes[step].waiting.iter().find(|waiter| waiter.actor == actor)
    }

    /// Sees to it that something that `actor` may do some time later is tried before a step, whatever comes in between.
    pub(crate) fn try_before(&mut self, step: usize, actor: ActorId, knows: &VectorClock) {
        self.counts.races += 1;
        match self.of_persistent_set(step, actor, knows) {
            Some(first) => self.try_later(step, first),
            None => self.try_all(step),
        }
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
                let waited = self.execution.stood_there(actor, step) && !self.nodes[step].can_move(actor);
                if waited && self.execution.initial_before(step, &knows).is_none() {
                    // Somebody else may have let it move earlier, and nothing tells who.
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
            Some(first) => self.try_later(step, first),
            None => self.try_all(step),
        }
    }

    /// Somebody who belongs to a persistent set in front of a step because of a later move of `actor`, who knows of `knows`:
    /// the actor itself, or somebody whom it has to wait for.
    fn of_persistent_set(&self, step: usize, actor: ActorId, knows: &VectorClock) -> Option<ActorId> {
        let node = &self.nodes[step];
        // Somebody asleep is not tried, so what would be found out behind its move is not.
        let is_tried = || !node.asleep.contains(actor) || self.execution.is_initial(actor, step, actor, knows);
        if node.can_move(actor) && is_tried() {
            return Some(actor);
        }
        self.execution.initial_before(step, knows).filter(|&first| node.can_move(first))
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

    /// Looks at what the last step did to those who waited before it, and at those who have come to wait.
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
                Effect::Unclear => self.try_all(self.nodes.len() - 1),
                // Who waits on as before will know of this step by the one that lets it move: both change one object.
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
                    self.detect(waiter.actor, &footprint);
                }
            }
        }
        self.index = index;
    }

    /// What a step in conflict with the one that somebody waits to take did to that.
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

    /// Those who were not there before the last step know of it.
    fn ready_the_new(&mut self, index: &mut Index) {
        let Some(node) = self.nodes.last() else { return };
        if Rc::ptr_eq(&node.enabled, &self.enabled) && Rc::ptr_eq(&node.waiting, &self.waiting) {
            return;
        }
        let everybody = |enabled: &Rc<[ActorId]>, waiting: &Waiters| {
            let (enabled, waiting) = (Rc::clone(enabled), Rc::clone(waiting));
            (0..enabled.len() + waiting.len())
                .map(move |n| enabled.get(n).copied().unwrap_or_else(|| waiting[n - enabled.len()].actor))
        };
        index.fill(everybody(&node.enabled, &node.waiting));
        for actor in everybody(&self.enabled, &self.waiting) {
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
            source_sets: K::SOURCE_SETS && !options.plain,
            plain: options.plain,
            racing: Vec::new(),
            index: Index::default(),
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
        self.memory.step(&mut self.path, &self.machine);
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
            return Ok(false);
        }
        if !self.tally.enter(fingerprint) {
            return Ok(false);
        }
        if self.memory.is_known(&mut self.path, fingerprint) {
            self.path.counts.revisited += 1;
            self.tally.abandon(fingerprint);
            return Ok(false);
        }
        let Some(first) = self.path.whom_to_try_first(&sleep) else {
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
            self.memory.leave();
            self.tally.leave(node.fingerprint);
        }
    }
}
