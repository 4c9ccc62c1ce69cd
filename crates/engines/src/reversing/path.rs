//! The current path: its states, its steps with their order, and what need not be explored from where.

use super::afters::Afters;
use super::arrangement::Holders;
use crate::shared::trace::event_name;
use crate::shared::wakeup::{Branches, Occurrence};
use mazurka_core::{
    Access, ActorId, Dependence, Fingerprint, Footprint, FootprintId, FootprintTable, HappensBefore, Move, ObjectId,
    Outcome, StepRecord,
};
use smallvec::SmallVec;

/// A step after which everything was explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sleeper {
    pub(super) occurrence: Occurrence,
    /// The state from which it was taken.
    pub(super) node: u32,
    /// What the whole message touches when it is run alone, where the step starts one.
    pub(super) whole: FootprintId,
    /// Whether another message has been given the handler since.
    pub(super) overtaken: bool,
    /// Whether the message has started after that.
    pub(super) started: bool,
}

/// A state on the path.
#[derive(Clone)]
pub(super) struct PathState {
    /// What tells it from other states, if it may be met again.
    pub(super) fingerprint: Option<Fingerprint>,
    /// Where its sleepers begin in the list of all.
    sleepers: u32,
    /// What is explored first, where no wakeup sequence asks for something else.
    pub(super) start: Option<Move>,
    /// What is still to be explored.
    pub(super) branches: Branches,
}

/// A step of the path, beside what its order knows.
#[derive(Clone, Copy)]
pub(super) struct Taken {
    pub(super) occurrence: Occurrence,
    pub(super) is_certain: bool,
    /// The step of the same actor before it.
    previous: Option<u32>,
    /// The message that it belongs to, by its place in the list of all.
    message: Option<u32>,
    /// Where its races begin in the list of all.
    races: u32,
    /// How many actors had been made before it.
    made: u32,
    /// The name of the step with everything that happens before it.
    name: u128,
    /// The sum of the names up to and with this one.
    sum: u128,
}

/// A message of the path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    pub(super) actor: ActorId,
    pub(super) handler: ObjectId,
    pub(super) start: usize,
    /// Its last step, if the path has it.
    pub(super) end: Option<usize>,
}

/// The current path.
#[derive(Clone)]
pub(super) struct Path<'s> {
    pub(super) nodes: Vec<PathState>,
    pub(super) steps: Vec<Taken>,
    pub(super) order: HappensBefore,
    pub(super) footprints: FootprintTable,
    /// The messages in the order in which they start.
    pub(super) messages: Vec<Message>,
    is_bag: &'s (dyn Fn(ObjectId) -> bool + Sync),
    /// What need not be taken first from each state, because that was explored: in front of the path's steps before, or
    /// there. The states' lists lie one behind the other.
    sleepers: Vec<Sleeper>,
    /// For each step, the earlier ones that it races with.
    races: Vec<u32>,
    /// For each actor the step that created it, and its number among the actors that this step created.
    births: Vec<Option<(u32, u32)>>,
    made: Vec<ActorId>,
    racing: Vec<usize>,
    stripped: Footprint,
    afters: Afters,
}

impl<'s> Path<'s> {
    /// The empty path of a program whose handlers that take messages in any order are known.
    pub(super) fn new(dependence: Dependence, is_bag: &'s (dyn Fn(ObjectId) -> bool + Sync)) -> Self {
        Path {
            nodes: Vec::new(),
            steps: Vec::new(),
            order: HappensBefore::new(dependence),
            footprints: FootprintTable::new(dependence),
            messages: Vec::new(),
            is_bag,
            sleepers: Vec::new(),
            races: Vec::new(),
            births: Vec::new(),
            made: Vec::new(),
            racing: Vec::new(),
            stripped: Footprint::default(),
            afters: Afters::default(),
        }
    }

    /// A step as it was recorded. That a message holds its handler is no conflict with others.
    pub(super) fn occurrence(&mut self, step: Move, record: &StepRecord, running: Option<ObjectId>) -> Occurrence {
        occurrence(step, record, running, self.is_bag, &mut self.stripped, &mut self.footprints)
    }

    /// What finds occurrences without the rest of the path.
    pub(super) fn is_bag(&self) -> &'s (dyn Fn(ObjectId) -> bool + Sync) {
        self.is_bag
    }

    /// The handler on which an actor runs, if it is a message that has started.
    pub(super) fn running(&self, actor: ActorId) -> Option<ObjectId> {
        self.steps[self.order.last_step(actor)?].occurrence.handler
    }

    /// Adds a step.
    pub(super) fn push(&mut self, occurrence: Occurrence, record: &StepRecord) {
        let (races, made) = (self.races.len() as u32, self.made.len() as u32);
        let index = self.steps.len();
        let actor = occurrence.step.actor;
        let previous = self.order.last_step(actor);
        let name = self.look_back(&occurrence, previous);
        self.order.push(actor, self.footprints.get(occurrence.footprint));
        self.afters.push(actor, self.order.clock(index), name);
        for (&actor, place) in record.made.iter().zip(1..) {
            if self.births.len() <= actor.index() {
                self.births.resize(actor.index() + 1, None);
            }
            self.births[actor.index()] = Some((index as u32, place));
            self.made.push(actor);
        }
        let message = self.note_message(&occurrence, index, previous);
        let is_certain = record.is_certain;
        let (sum, previous) = (self.name_of_first(index).wrapping_add(name), previous.map(|step| step as u32));
        self.steps.push(Taken { occurrence, is_certain, previous, message, races, made, name, sum });
    }

    /// The message that a new step belongs to, if any.
    fn note_message(&mut self, occurrence: &Occurrence, index: usize, previous: Option<usize>) -> Option<u32> {
        let handler = occurrence.handler?;
        let message = if occurrence.starts {
            self.messages.push(Message { actor: occurrence.step.actor, handler, start: index, end: None });
            self.messages.len() as u32 - 1
        } else {
            self.steps[previous?].message?
        };
        if occurrence.ends {
            self.messages[message as usize].end = Some(index);
        }
        Some(message)
    }

    /// Takes back all steps from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        let Some(&first) = self.steps.get(len) else { return };
        self.races.truncate(first.races as usize);
        for actor in self.made.drain(first.made as usize..) {
            self.births[actor.index()] = None;
        }
        for (index, taken) in (len..self.steps.len()).zip(self.steps.drain(len..)).rev() {
            self.afters.pop(taken.occurrence.step.actor, self.order.clock(index), taken.name);
            match taken.message {
                Some(_) if taken.occurrence.starts => drop(self.messages.pop()),
                Some(message) if taken.occurrence.ends => self.messages[message as usize].end = None,
                _ => {}
            }
        }
        self.order.truncate(len);
    }

    /// Finds the steps that race with one that is about to be taken: those that it conflicts with and that nothing
    /// between orders before it, unless the order could not have been the other one. Returns the step's name: a hash of its
    /// actor, its outcome and the names of what it depends on.
    fn look_back(&mut self, next: &Occurrence, previous: Option<usize>) -> u128 {
        let actor = next.step.actor;
        let mut history = previous.map_or(0, |step| self.steps[step].name);
        let (racing, steps, order) = (&mut self.racing, &self.steps, &self.order);
        racing.clear();
        order.visit_dependencies(self.footprints.get(next.footprint), |step, races| {
            history = history.wrapping_add(steps[step].name);
            if races && order.actor(step) != actor {
                racing.push(step);
            }
        });
        if !racing.is_empty() {
            racing.sort_unstable_by(|one, other| other.cmp(one));
            racing.dedup();
            let mut knows = order.knowledge(actor);
            if let Some(birth) = self.birth(actor) {
                knows.join(order.clock(birth));
            }
            for &step in &self.racing {
                if !order.within(step, &knows) {
                    self.races.push(step as u32);
                    knows.join(order.clock(step));
                }
            }
        }
        event_name(self.identity(actor), next.step.outcome.0, history)
    }

    /// The name of the trace of the first `len` steps.
    pub(super) fn name_of_first(&self, len: usize) -> u128 {
        len.checked_sub(1).map_or(0, |last| self.steps[last].sum)
    }

    /// The path is to be asked for the names of what is left without some steps.
    pub(super) fn sum_afters(&mut self) {
        self.afters.sum();
    }

    /// The name of the trace that is left without a step and what happens after it, if that can be told at once.
    pub(super) fn name_without(&self, step: usize) -> Option<u128> {
        let after = self.afters.of(self.order.actor(step), self.order.number(step))?;
        Some(self.name_of_first(self.steps.len()).wrapping_sub(after))
    }

    /// The name of a step with everything that happens before it: names of traces are sums of these.
    pub(super) fn name(&self, step: usize) -> u128 {
        self.steps[step].name
    }

    /// The name that a step would have after some of the steps before it, if it touched the same there.
    pub(super) fn name_after(&self, step: usize, earlier: impl Iterator<Item = usize>) -> u128 {
        let (taken, footprints) = (&self.steps[step], &self.footprints);
        let own = taken.occurrence.footprint;
        let footprint_of = |step: usize| self.steps[step].occurrence.footprint;
        let conflicting: SmallVec<[usize; 16]> =
            earlier.filter(|&step| footprints.conflict(footprint_of(step), own)).collect();
        let mut history = taken.previous.map_or(0, |step| self.steps[step as usize].name);
        if !conflicting.is_empty() {
            self.order.visit_dependencies_among(
                conflicting.iter().map(|&step| (step, footprints.get(footprint_of(step)))),
                footprints.get(own),
                |step| history = history.wrapping_add(self.steps[step].name),
            );
        }
        event_name(self.identity(taken.occurrence.step.actor), taken.occurrence.step.outcome.0, history)
    }

    /// The races of a step, as places in the list of all.
    pub(super) fn races(&self, step: usize) -> std::ops::Range<usize> {
        let end = self.steps.get(step + 1).map_or(self.races.len(), |next| next.races as usize);
        self.steps[step].races as usize..end
    }

    /// The earlier step of a race.
    pub(super) fn race(&self, place: usize) -> usize {
        self.races[place] as usize
    }

    /// The step that created an actor, if that is known.
    pub(super) fn birth(&self, actor: ActorId) -> Option<usize> {
        self.births.get(actor.index()).copied().flatten().map(|(step, _)| step as usize)
    }

    /// A number for an actor that depends on how it came to be. (Its id depends on which one was met first.)
    pub(super) fn identity(&self, actor: ActorId) -> u64 {
        match self.births.get(actor.index()).copied().flatten() {
            Some((step, place)) => (self.steps[step as usize].name as u64).wrapping_add(u64::from(place)),
            None => u64::from(actor.0),
        }
    }

    /// The step of the same actor before one.
    pub(super) fn previous(&self, step: usize) -> Option<usize> {
        self.steps[step].previous.map(|previous| previous as usize)
    }

    /// The message that a step belongs to.
    pub(super) fn message_of(&self, step: usize) -> Option<&Message> {
        self.messages.get(self.steps[step].message? as usize)
    }

    /// What happens no earlier than a step.
    pub(super) fn is_from(&self, of: usize, step: usize) -> bool {
        of == step || self.order.before(of, step)
    }

    /// Which messages hold handlers in a state of the path.
    pub(super) fn holders(&self, node: usize) -> Holders {
        let begun = self.messages.iter().take_while(|message| message.start < node);
        let holds = begun.filter(|message| message.end.is_none_or(|end| end >= node));
        holds.map(|message| (message.handler, message.actor)).collect()
    }

    /// Whether the message that a step starts is run to its end before any other actor moves, always with the first outcome.
    pub(super) fn runs_alone(&self, start: usize) -> bool {
        let is_own = |taken: &Taken| {
            let step = taken.occurrence.step;
            step.actor == self.steps[start].occurrence.step.actor && step.outcome == Outcome::FIRST
        };
        let end = self.message_of(start).and_then(|message| message.end);
        end.is_some_and(|end| self.steps[start + 1..=end].iter().all(is_own))
    }

    /// The steps of a message that is run to its end before any other actor moves.
    pub(super) fn message_steps(&self, start: usize) -> impl Iterator<Item = &Occurrence> {
        let end = self.message_of(start).and_then(|message| message.end).unwrap_or(start);
        self.steps[start..=end].iter().map(|taken| &taken.occurrence)
    }

    /// What a message touches on this path from one of its steps on.
    pub(super) fn whole(&mut self, start: usize) -> FootprintId {
        let actor = self.steps[start].occurrence.step.actor;
        let mut whole = Footprint::default();
        let steps = self.order.steps_of(actor);
        for &step in &steps[steps.partition_point(|&step| (step as usize) < start)..] {
            whole.include(self.footprints.get(self.steps[step as usize].occurrence.footprint));
        }
        whole.seal();
        self.footprints.intern(&whole)
    }
}

/// The states, and what need not be taken from them.
impl Path<'_> {
    /// Adds a state whose sleepers begin at a place in the list.
    pub(super) fn push_node(
        &mut self,
        fingerprint: Option<Fingerprint>,
        sleepers: usize,
        start: Option<Move>,
        branches: Branches,
    ) {
        self.nodes.push(PathState { fingerprint, sleepers: sleepers as u32, start, branches });
    }

    /// Takes the last state off the path.
    pub(super) fn pop_node(&mut self) -> Option<PathState> {
        let node = self.nodes.pop()?;
        self.sleepers.truncate(node.sleepers as usize);
        Some(node)
    }

    /// What need not be taken from a state.
    pub(super) fn sleepers(&self, node: usize) -> &[Sleeper] {
        let end = self.nodes.get(node + 1).map_or(self.sleepers.len(), |next| next.sleepers as usize);
        &self.sleepers[self.nodes[node].sleepers as usize..end]
    }

    /// Something need not be taken from the last state.
    pub(super) fn add_sleeper(&mut self, sleeper: Sleeper) {
        self.sleepers.push(sleeper);
    }

    /// The path up to a state that has these sleepers, for another search.
    pub(super) fn up_to(&self, node: usize, sleepers: &[Sleeper]) -> Self {
        let mut part = self.clone();
        part.truncate(node);
        part.nodes.truncate(node + 1);
        part.sleepers.truncate(self.nodes[node].sleepers as usize);
        part.sleepers.extend_from_slice(sleepers);
        part
    }

    /// Adds the sleepers to the list that still sleep after a step from the last state, and says where they begin.
    pub(super) fn sleep_on(&mut self, taken: &Occurrence) -> usize {
        let (first, end) = (self.nodes.last().map_or(0, |node| node.sleepers as usize), self.sleepers.len());
        for place in first..end {
            if let Some(sleeper) = self.sleeps_on(&self.sleepers[place], taken) {
                self.sleepers.push(sleeper);
            }
        }
        end
    }

    /// The sleepers in the list from a place on.
    pub(super) fn sleepers_from(&self, place: usize) -> &[Sleeper] {
        &self.sleepers[place..]
    }

    /// Drops the sleepers in the list from a place on.
    pub(super) fn forget_sleepers(&mut self, place: usize) {
        self.sleepers.truncate(place);
    }

    /// A sleeper after a step, unless that wakes it. Of a message that could have started, not its first step can come too
    /// late but any other one, once another message that conflicts with it runs instead.
    fn sleeps_on(&self, sleeper: &Sleeper, taken: &Occurrence) -> Option<Sleeper> {
        let first = &sleeper.occurrence;
        let is_own = first.step.actor == taken.step.actor;
        let is_rival = first.starts && !is_own && !sleeper.started && first.handler == taken.handler;
        let can_conflict = is_rival || !first.starts;
        if is_own && !sleeper.overtaken || can_conflict && self.footprints.conflict(sleeper.whole, taken.footprint) {
            return None;
        }
        let (overtaken, started) = (sleeper.overtaken || is_rival, sleeper.started || is_own);
        Some(Sleeper { overtaken, started, ..*sleeper })
    }
}

/// A step as it was recorded; `running` is the handler that the actor holds before it.
pub(super) fn occurrence(
    step: Move,
    record: &StepRecord,
    running: Option<ObjectId>,
    is_bag: &(dyn Fn(ObjectId) -> bool + Sync),
    stripped: &mut Footprint,
    footprints: &mut FootprintTable,
) -> Occurrence {
    let touches = record.footprint.touches();
    let Some(bag) = touches.iter().find(|touch| is_bag(touch.object)) else {
        let footprint = footprints.intern(&record.footprint);
        return Occurrence { handler: running, ..Occurrence::new(step, footprint, record.next_outcome) };
    };
    stripped.clear();
    touches
        .iter()
        .filter(|touch| touch.object != bag.object)
        .for_each(|touch| stripped.touch(touch.object, touch.access));
    let footprint = footprints.intern(stripped);
    Occurrence {
        handler: Some(bag.object),
        starts: bag.access.contains(Access::WRITE),
        ends: bag.access.contains(Access::RELEASE),
        ..Occurrence::new(step, footprint, record.next_outcome)
    }
}
