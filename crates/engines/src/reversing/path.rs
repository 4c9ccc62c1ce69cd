//! The current path: its states, its steps with their order, and what need not be explored from where.

use super::arrangement::{Holders, note_holder};
use crate::wakeup::{Branches, Occurrence};
use mazurka_core::{
    Access, ActorId, Dependence, Fingerprint, Footprint, FootprintId, FootprintTable, HappensBefore, Move, ObjectId,
    Outcome, StepRecord, TraceBuilder,
};
use smallvec::SmallVec;

/// A step after which everything was explored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sleeper {
    pub(super) occurrence: Occurrence,
    /// The state from which it was taken.
    pub(super) node: u32,
    /// What the whole message touches, where the step starts one.
    pub(super) whole: FootprintId,
    /// Whether another message has been given the handler since.
    pub(super) overtaken: bool,
    /// Whether the message has started after that.
    pub(super) started: bool,
}

/// Steps after which everything was explored.
pub(super) type Sleepers = SmallVec<[Sleeper; 4]>;

/// A state on the path.
pub(super) struct Node {
    pub(super) fingerprint: Fingerprint,
    /// What need not be taken first, because that was explored: in front of the path's steps before, and here.
    pub(super) asleep: Sleepers,
    pub(super) done: Sleepers,
    /// What is explored first, where nothing asks for anything.
    pub(super) start: Option<Move>,
    /// What is still to be explored.
    pub(super) branches: Branches,
}

/// A step of the path, beside what its order knows.
pub(super) struct Taken {
    pub(super) occurrence: Occurrence,
    pub(super) next_outcome: Option<Outcome>,
    pub(super) is_certain: bool,
    /// The step of the same actor before it.
    previous: Option<u32>,
    /// Where its races begin in the list of all.
    races: usize,
    /// How many actors had been made before it.
    made: usize,
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
pub(super) struct Path<'s> {
    pub(super) nodes: Vec<Node>,
    pub(super) steps: Vec<Taken>,
    pub(super) order: HappensBefore,
    pub(super) trace: TraceBuilder,
    pub(super) footprints: FootprintTable,
    is_bag: &'s dyn Fn(ObjectId) -> bool,
    /// For each step, the earlier ones that it races with.
    races: Vec<u32>,
    /// For each actor the step that made it.
    births: Vec<Option<u32>>,
    made: Vec<ActorId>,
    racing: Vec<usize>,
    stripped: Footprint,
}

impl<'s> Path<'s> {
    /// The empty path of a program whose handlers that take messages in any order are known.
    pub(super) fn new(dependence: Dependence, is_bag: &'s dyn Fn(ObjectId) -> bool) -> Self {
        Path {
            nodes: Vec::new(),
            steps: Vec::new(),
            order: HappensBefore::new(dependence),
            trace: TraceBuilder::new(),
            footprints: FootprintTable::new(dependence),
            is_bag,
            races: Vec::new(),
            births: Vec::new(),
            made: Vec::new(),
            racing: Vec::new(),
            stripped: Footprint::default(),
        }
    }

    /// A step as it was recorded. That a message holds its handler is no conflict with others.
    pub(super) fn occurrence(&mut self, step: Move, record: &StepRecord, running: Option<ObjectId>) -> Occurrence {
        occurrence(step, record, running, self.is_bag, &mut self.stripped, &mut self.footprints)
    }

    /// What finds occurrences without the rest of the path.
    pub(super) fn is_bag(&self) -> &'s dyn Fn(ObjectId) -> bool {
        self.is_bag
    }

    /// The handler on which an actor runs, if it is a message that has started.
    pub(super) fn running(&self, actor: ActorId) -> Option<ObjectId> {
        self.steps[self.order.last_step(actor)?].occurrence.handler
    }

    /// Adds a step.
    pub(super) fn push(&mut self, occurrence: Occurrence, record: &StepRecord) {
        let (races, made) = (self.races.len(), self.made.len());
        let index = self.steps.len() as u32;
        let actor = occurrence.step.actor;
        let previous = self.order.last_step(actor).map(|step| step as u32);
        self.note_races(actor, occurrence.footprint);
        self.order.push(actor, self.footprints.get(occurrence.footprint));
        self.trace.push(occurrence.step, occurrence.footprint, &self.footprints);
        for &actor in &record.made {
            if self.births.len() <= actor.index() {
                self.births.resize(actor.index() + 1, None);
            }
            self.births[actor.index()] = Some(index);
            self.made.push(actor);
        }
        let (next_outcome, is_certain) = (record.next_outcome, record.is_certain);
        self.steps.push(Taken { occurrence, next_outcome, is_certain, previous, races, made });
    }

    /// Takes back all steps from `len` on.
    pub(super) fn truncate(&mut self, len: usize) {
        let Some(first) = self.steps.get(len) else { return };
        self.races.truncate(first.races);
        for actor in self.made.drain(first.made..) {
            self.births[actor.index()] = None;
        }
        self.steps.truncate(len);
        self.order.truncate(len);
        self.trace.truncate(len);
    }

    /// Finds the steps that race with one that `actor` is about to take: those that it conflicts with and that nothing
    /// between orders before it, unless the order could not have been the other one.
    fn note_races(&mut self, actor: ActorId, footprint: FootprintId) {
        self.racing.clear();
        self.order.racing(actor, self.footprints.get(footprint), &mut self.racing);
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

    /// The races of a step, as places in the list of all.
    pub(super) fn races(&self, step: usize) -> std::ops::Range<usize> {
        self.steps[step].races..self.steps.get(step + 1).map_or(self.races.len(), |next| next.races)
    }

    /// The earlier step of a race.
    pub(super) fn race(&self, place: usize) -> usize {
        self.races[place] as usize
    }

    /// The step that made an actor, if that is known.
    pub(super) fn birth(&self, actor: ActorId) -> Option<usize> {
        self.births.get(actor.index()).copied().flatten().map(|step| step as usize)
    }

    /// The step of the same actor before one.
    pub(super) fn previous(&self, step: usize) -> Option<usize> {
        self.steps[step].previous.map(|previous| previous as usize)
    }

    /// What happens no earlier than a step.
    pub(super) fn is_from(&self, of: usize, step: usize) -> bool {
        of == step || self.order.before(of, step)
    }

    /// Who holds which handler in a state of the path.
    pub(super) fn holders(&self, node: usize) -> Holders {
        let mut holders = Holders::new();
        self.steps[..node].iter().for_each(|taken| note_holder(&mut holders, &taken.occurrence));
        holders
    }

    /// The messages in the order in which they start.
    pub(super) fn messages(&self) -> Vec<Message> {
        let mut messages: Vec<Message> = Vec::new();
        for (step, taken) in self.steps.iter().enumerate() {
            let Occurrence { handler: Some(handler), starts, ends, step: Move { actor, .. }, .. } = taken.occurrence
            else {
                continue;
            };
            if starts {
                messages.push(Message { actor, handler, start: step, end: None });
            }
            if ends && let Some(message) = messages.iter_mut().rev().find(|message| message.actor == actor) {
                message.end = Some(step);
            }
        }
        messages
    }

    /// What a message touches from one of its steps on.
    pub(super) fn whole(&mut self, start: usize) -> FootprintId {
        let actor = self.steps[start].occurrence.step.actor;
        let mut whole = Footprint::default();
        for taken in self.steps[start..].iter().filter(|taken| taken.occurrence.step.actor == actor) {
            let touches = self.footprints.get(taken.occurrence.footprint).touches();
            touches.iter().for_each(|touch| whole.touch(touch.object, touch.access));
        }
        whole.seal();
        self.footprints.intern(&whole)
    }

    /// A step of the path as one after which everything is, or will have been, explored.
    pub(super) fn sleeper(&mut self, step: usize) -> Sleeper {
        let occurrence = self.steps[step].occurrence;
        let whole = if occurrence.starts { self.whole(step) } else { occurrence.footprint };
        Sleeper { occurrence, node: step as u32, whole, overtaken: false, started: false }
    }

    /// What still need not be taken after a step from the last state.
    pub(super) fn asleep_after(&self, taken: &Occurrence) -> Sleepers {
        let Some(node) = self.nodes.last() else { return Sleepers::new() };
        let sleepers = node.asleep.iter().chain(&node.done);
        sleepers.filter_map(|sleeper| self.sleeps_on(sleeper, taken)).collect()
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
    is_bag: &dyn Fn(ObjectId) -> bool,
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
