//! The part of the unfolding that is known: its events, and what actors would do after which of them.
//!
//! An *event* is one step of one actor after one history. Histories are sets of dense numbers, so that the questions of
//! the algorithm are a few machine words each. Two events are in *direct* conflict if they are steps of one actor in
//! one turn, or steps of two that depend on each other, and neither is a cause of the other. Conflict is inherited: two
//! events are in conflict if causes of theirs are. It is not written down for pairs of events, which would be most of
//! the work, but kept for the whole configuration that is being explored: see `path.rs`.
//!
//! An *attempt* is what an actor would do in its turn after a history: its outcomes, each an event, or nothing because
//! it has to wait. It says the same for every configuration that holds its history and beyond that nothing which
//! conflicts with it, so a program is run once for all of these.

use super::cutoffs::Rank;
use crate::shared::common_bits::CommonBits as Bits;
use crate::shared::trace::step_name;
use hashbrown::HashMap;
use mazurka_core::{Access, ActorId, Dependence, Fingerprint, Footprint, FootprintId, FootprintTable, Move};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// An event by its number. Numbers of forgotten events are used again.
pub(super) type EventId = u32;

/// An attempt by its number.
pub(super) type AttemptId = u32;

/// The name of an event, the same whenever it is made: a hash of its step and its history.
pub(super) type Name = u128;

/// Several attempts.
pub(super) type Attempts = SmallVec<[AttemptId; 2]>;

/// One step of one actor after one history.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    /// The actor that moves, and the outcome; `None` if the number is free.
    step: Option<Move>,
    footprint: u32,
    /// The actor's own step before this one.
    before: Option<EventId>,
    /// How many steps of its own the actor took before.
    turn: u32,
    history: History,
    name: Name,
    /// Where the local configuration leads.
    state: u128,
    /// What the step adds to the weight of a configuration.
    weight: u32,
    /// What the local configuration is compared by.
    rank: Rank,
    /// Actors that the step brings into being, once that is known.
    creates: Option<SmallVec<[ActorId; 1]>>,
    /// The actor is known to have come to its end with it.
    is_last: bool,
    /// What the actor would do next, in whatever configurations that was asked.
    attempts: Attempts,
    /// The actor's next steps, of which an execution has at most one.
    next: SmallVec<[EventId; 2]>,
    /// What was found to be in conflict with the event and with nothing before it, when it was last explored.
    rivals: Vec<EventId>,
}

/// Everything that must have happened before a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    pub(super) causes: Bits,
    /// Those causes that are no cause of another one.
    pub(super) nearest: SmallVec<[EventId; 2]>,
}

/// What is known of an event when it is made.
pub(super) struct NewEvent {
    pub(super) step: Move,
    pub(super) footprint: FootprintId,
    pub(super) before: Option<EventId>,
    pub(super) history: History,
    pub(super) state: Fingerprint,
    pub(super) weight: u32,
    pub(super) rank: Rank,
}

/// What an actor would do after a history.
#[derive(Clone, Debug, Default)]
pub(super) struct Attempt {
    /// Everything that any of its outcomes touches.
    footprint: u32,
    /// The history of all outcomes together.
    pub(super) causes: Bits,
    /// One event for each outcome; none if the actor has to wait.
    pub(super) events: SmallVec<[EventId; 1]>,
}

/// Everything that is known.
pub(super) struct Events {
    events: Vec<Event>,
    free: Vec<EventId>,
    footprints: FootprintTable,
    /// For each object the events that touch it, by how they do.
    touching: Vec<SmallVec<[(Access, Bits); 2]>>,
    by_name: HashMap<Name, EventId, FxBuildHasher>,
    /// For each actor its events.
    of_actor: Vec<Bits>,
    /// For each actor its possible first steps.
    first: Vec<SmallVec<[EventId; 2]>>,
    attempts: Vec<Attempt>,
    free_attempts: Vec<AttemptId>,
    /// For each actor what it would do first.
    first_attempts: Vec<Attempts>,
    /// Events after which nothing needs to be explored.
    cutoffs: Bits,
}

impl Events {
    /// Nothing is known yet.
    pub(super) fn new(dependence: Dependence) -> Self {
        Events {
            events: Vec::new(),
            free: Vec::new(),
            footprints: FootprintTable::new(dependence),
            touching: Vec::new(),
            by_name: HashMap::default(),
            of_actor: Vec::new(),
            first: Vec::new(),
            attempts: Vec::new(),
            free_attempts: Vec::new(),
            first_attempts: Vec::new(),
            cutoffs: Bits::default(),
        }
    }

    /// The step of an event.
    pub(super) fn step(&self, event: EventId) -> Move {
        self.events[event as usize].step.unwrap_or_else(|| unreachable!("a forgotten event is not asked for"))
    }

    pub(super) fn footprint(&self, event: EventId) -> FootprintId {
        FootprintId(self.events[event as usize].footprint)
    }

    pub(super) fn before(&self, event: EventId) -> Option<EventId> {
        self.events[event as usize].before
    }

    /// How many steps of its own the actor of an event took before it.
    pub(super) fn turn(&self, event: EventId) -> usize {
        self.events[event as usize].turn as usize
    }

    pub(super) fn causes(&self, event: EventId) -> &Bits {
        &self.events[event as usize].history.causes
    }

    /// The causes of an event that are no cause of another one.
    pub(super) fn nearest(&self, event: EventId) -> &[EventId] {
        &self.events[event as usize].history.nearest
    }

    /// What was found to be in conflict with an event and with nothing before it, when it was last explored.
    pub(super) fn rivals(&self, event: EventId) -> &[EventId] {
        &self.events[event as usize].rivals
    }

    /// Says what was found to be in conflict with an event.
    pub(super) fn set_rivals(&mut self, event: EventId, rivals: Vec<EventId>) {
        self.events[event as usize].rivals = rivals;
    }

    /// Whether an actor is known to have come to its end with an event.
    pub(super) fn is_last(&self, event: EventId) -> bool {
        self.events[event as usize].is_last
    }

    /// Says that an actor has come to its end with an event.
    pub(super) fn set_last(&mut self, event: EventId) {
        self.events[event as usize].is_last = true;
    }

    /// The actors that the step of an event brings into being.
    pub(super) fn creates(&self, event: EventId) -> &[ActorId] {
        self.events[event as usize].creates.as_deref().unwrap_or(&[])
    }

    /// Finds the actors that the step of an event creates, if that is not known.
    pub(super) fn note_creates(&mut self, event: EventId, creates: impl FnOnce() -> SmallVec<[ActorId; 1]>) {
        self.events[event as usize].creates.get_or_insert_with(creates);
    }

    /// The state to which the local configuration of an event leads.
    pub(super) fn state(&self, event: EventId) -> Fingerprint {
        Fingerprint(self.events[event as usize].state)
    }

    /// What the step of an event adds to the weight of a configuration.
    pub(super) fn weight(&self, event: EventId) -> u32 {
        self.events[event as usize].weight
    }

    /// What a history is compared by: that of its largest known part, and what comes to it.
    pub(super) fn rank(&self, history: &History) -> Rank {
        let Some(largest) = self.largest(history) else { return Rank::default() };
        let more = history.causes.without(self.causes(largest)).filter(|&cause| cause != largest);
        more.fold(self.events[largest as usize].rank, |rank, cause| rank.and(self.weight(cause)))
    }

    /// The cause of a history that has the largest history itself.
    pub(super) fn largest(&self, history: &History) -> Option<EventId> {
        history.nearest.iter().copied().max_by_key(|&cause| self.causes(cause).len())
    }

    pub(super) fn is_cutoff(&self, event: EventId) -> bool {
        self.cutoffs.contains(event)
    }

    /// Declares that nothing needs to be explored after an event.
    pub(super) fn cut(&mut self, event: EventId) {
        self.cutoffs.insert(event);
    }

    /// Adds an event and its causes to a set.
    pub(super) fn include(&self, set: &mut Bits, event: EventId) {
        set.unite(self.causes(event));
        set.insert(event);
    }

    /// The events whose footprints conflict with this one, as several sets.
    fn all_dependent(&self, footprint: FootprintId) -> impl Iterator<Item = &Bits> {
        let dependence = self.footprints.dependence();
        self.footprints.get(footprint).touches().iter().flat_map(move |touch| {
            let events = self.touching.get(touch.object.0 as usize).into_iter().flatten();
            events.filter(move |(access, _)| dependence.touches(touch.access, *access)).map(|(_, events)| events)
        })
    }

    /// The events whose footprints conflict with this one.
    pub(super) fn dependent(&self, footprint: FootprintId) -> Bits {
        let mut dependent = Bits::default();
        self.all_dependent(footprint).for_each(|events| dependent.unite(events));
        dependent
    }

    /// Whether those events of a set whose footprints conflict with this one are all in another set.
    pub(super) fn depends_only_within(&self, footprint: FootprintId, events: &Bits, others: &Bits) -> bool {
        self.all_dependent(footprint).all(|dependent| events.meets_only_within(dependent, others))
    }

    /// Whether two footprints conflict.
    pub(super) fn conflict(&self, one: FootprintId, other: FootprintId) -> bool {
        self.footprints.conflict(one, other)
    }

    /// The known events with conflicting footprints, and other steps that the actor might have taken in its turn. Those
    /// that are neither causes nor effects of the event are in direct conflict with it.
    pub(super) fn related(&self, event: EventId) -> Bits {
        let actor = self.step(event).actor;
        let mut related = self.dependent(self.footprint(event));
        related.subtract(&self.of_actor[actor.index()]);
        related.extend(self.in_turn(self.before(event), actor).iter().copied().filter(|&other| other != event));
        related
    }

    /// The known events of an actor that follow its own step `before`, or those at its beginning.
    fn in_turn(&self, before: Option<EventId>, actor: ActorId) -> &[EventId] {
        match before {
            Some(before) => &self.events[before as usize].next,
            None => &self.first[actor.index()],
        }
    }

    /// Whether two events that can both be added to one configuration exclude each other.
    pub(super) fn exclude_each_other(&self, one: EventId, other: EventId) -> bool {
        self.step(one).actor == self.step(other).actor || self.conflict(self.footprint(one), self.footprint(other))
    }

    /// The members of a set that are no causes of other members.
    pub(super) fn maximal(&self, set: &Bits) -> SmallVec<[EventId; 2]> {
        let (mut further, mut maximal) = (Bits::default(), SmallVec::new());
        self.add_maximal(set, &mut further, &mut maximal);
        maximal
    }

    /// Adds the members of a set to events that are no causes of each other, those that are no cause of any; `further`
    /// has all causes.
    fn add_maximal(&self, set: &Bits, further: &mut Bits, maximal: &mut SmallVec<[EventId; 2]>) {
        // The latest first: it brings most of the others with it.
        let mut bound = set.bound();
        while let Some(event) = set.last_without(further, bound) {
            if !maximal.contains(&event) {
                further.unite(self.causes(event));
                maximal.push(event);
            }
            bound = event;
        }
        // Numbers are used again, so a cause of a later one may have been met before that one.
        maximal.retain(|event| !further.contains(*event));
    }

    /// The number of a footprint.
    pub(super) fn intern(&mut self, footprint: &Footprint) -> FootprintId {
        self.footprints.intern(footprint)
    }

    /// The history of a step with this footprint by the actor whose last step was `before`, in a configuration.
    pub(super) fn history(&self, configuration: &Bits, footprint: FootprintId, before: Option<EventId>) -> History {
        let (mut causes, mut nearest) = (Bits::default(), SmallVec::new());
        if let Some(before) = before {
            causes.unite(self.causes(before));
            nearest.push(before);
        }
        let mut conflicting = self.dependent(footprint);
        conflicting.intersect(configuration);
        self.add_maximal(&conflicting, &mut causes, &mut nearest);
        nearest.iter().for_each(|&cause| {
            causes.insert(cause);
        });
        History { causes, nearest }
    }

    /// Adds an event that is not known yet.
    pub(super) fn add(&mut self, new: NewEvent) -> EventId {
        let id = self.free.pop().unwrap_or_else(|| {
            self.events.push(Event::default());
            self.events.len() as u32 - 1
        });
        let (actor, footprint) = (new.step.actor, new.footprint);
        self.events[id as usize] = Event {
            step: Some(new.step),
            footprint: footprint.0,
            before: new.before,
            turn: new.before.map_or(0, |before| self.events[before as usize].turn + 1),
            name: self.name_of(new.step, &new.history),
            history: new.history,
            state: new.state.0,
            weight: new.weight,
            rank: new.rank,
            ..Event::default()
        };
        for touch in self.footprints.get(footprint).touches() {
            let index = touch.object.0 as usize;
            if self.touching.len() <= index {
                self.touching.resize_with(index + 1, SmallVec::new);
            }
            let events = &mut self.touching[index];
            match events.iter_mut().find(|(access, _)| *access == touch.access) {
                Some((_, events)) => _ = events.insert(id),
                None => events.push((touch.access, Bits::from_iter([id]))),
            }
        }
        of(&mut self.of_actor, actor).insert(id);
        let first = of(&mut self.first, actor);
        new.before.map_or(first, |before| &mut self.events[before as usize].next).push(id);
        self.by_name.insert(self.name(id), id);
        id
    }

    /// A hash of the step and of the names of the nearest causes, which determine all others.
    fn name_of(&self, step: Move, history: &History) -> Name {
        let causes = history.nearest.iter().fold(0u128, |sum, &cause| sum.wrapping_add(self.name(cause)));
        step_name(step, causes)
    }

    /// The name of an event: the same whenever it is made.
    pub(super) fn name(&self, event: EventId) -> Name {
        self.events[event as usize].name
    }

    /// How many events are known.
    pub(super) fn len(&self) -> usize {
        self.events.len() - self.free.len()
    }

    /// Forgets all events that are not in a set which holds the causes of its members, and all attempts that know of
    /// others.
    pub(super) fn retain(&mut self, kept: &Bits) {
        self.free.clear();
        let mut attempts = std::mem::take(&mut self.attempts);
        for list in &mut self.first_attempts {
            retain_attempts(list, &mut attempts, &mut self.free_attempts, kept);
        }
        for id in (0..self.events.len() as u32).rev() {
            let event = &mut self.events[id as usize];
            if kept.contains(id) {
                event.next.retain(|next| kept.contains(*next));
                event.rivals.retain(|&rival| kept.contains(rival));
                retain_attempts(&mut event.attempts, &mut attempts, &mut self.free_attempts, kept);
            } else {
                self.by_name.remove(&event.name);
                self.free_attempts.extend(&event.attempts);
                *event = Event::default();
                self.free.push(id);
            }
        }
        self.attempts = attempts;
        self.touching.iter_mut().flatten().for_each(|(_, events)| events.intersect(kept));
        self.of_actor.iter_mut().for_each(|events| events.intersect(kept));
        self.first.iter_mut().for_each(|events| events.retain(|event| kept.contains(*event)));
        self.cutoffs.intersect(kept);
    }
}

/// What a table has for an actor; it grows with the actors.
fn of<T: Default>(table: &mut Vec<T>, actor: ActorId) -> &mut T {
    if table.len() <= actor.index() {
        table.resize_with(actor.index() + 1, T::default);
    }
    &mut table[actor.index()]
}

/// Leaves only the attempts all of whose events are kept.
fn retain_attempts(list: &mut Attempts, attempts: &mut [Attempt], free: &mut Vec<AttemptId>, kept: &Bits) {
    list.retain(|id| {
        let attempt = &mut attempts[*id as usize];
        let stays = attempt.causes.is_within(kept) && attempt.events.iter().all(|&event| kept.contains(event));
        if !stays {
            *attempt = Attempt::default();
            free.push(*id);
        }
        stays
    });
}

/// What actors would do.
impl Events {
    pub(super) fn attempt(&self, attempt: AttemptId) -> &Attempt {
        &self.attempts[attempt as usize]
    }

    /// The footprint of all outcomes of an attempt together.
    pub(super) fn attempted(&self, attempt: AttemptId) -> FootprintId {
        FootprintId(self.attempts[attempt as usize].footprint)
    }

    /// The known attempts of an actor after its own step `before`, or at its beginning.
    pub(super) fn attempts_after(&self, before: Option<EventId>, actor: ActorId) -> &[AttemptId] {
        match before {
            Some(before) => &self.events[before as usize].attempts,
            None => self.first_attempts.get(actor.index()).map_or(&[], |attempts| attempts),
        }
    }

    /// Whether the actor of an event is known to have had something else to do that touches something else.
    pub(super) fn wavers(&self, event: EventId) -> bool {
        let attempts = self.attempts_after(self.before(event), self.step(event).actor);
        attempts.iter().any(|&attempt| self.attempted(attempt) != self.footprint(event))
    }

    /// What an actor does in a configuration whose last step of that actor is `before`, if it is known. The
    /// configuration has the event `newest`: most attempts that do not fit can be told by that.
    pub(super) fn find(
        &self,
        before: Option<EventId>,
        actor: ActorId,
        configuration: &Bits,
        newest: Option<EventId>,
    ) -> Option<AttemptId> {
        let mut known = self.attempts_after(before, actor).iter().rev().copied();
        known.find(|&id| {
            let attempt = self.attempt(id);
            let attempted = self.attempted(id);
            let knows = |event| attempt.causes.contains(event) || !self.conflict(attempted, self.footprint(event));
            newest.is_none_or(knows)
                && attempt.causes.is_within(configuration)
                && self.depends_only_within(attempted, configuration, &attempt.causes)
        })
    }

    /// The event with this outcome and this history among those that are known.
    pub(super) fn find_event(&self, step: Move, history: &History) -> Option<EventId> {
        let event = *self.by_name.get(&self.name_of(step, history))?;
        debug_assert!(self.step(event) == step, "two events have one name");
        Some(event)
    }

    /// Adds an attempt.
    pub(super) fn add_attempt(
        &mut self,
        before: Option<EventId>,
        actor: ActorId,
        footprint: FootprintId,
        causes: Bits,
        events: SmallVec<[EventId; 1]>,
    ) -> AttemptId {
        let id = self.free_attempts.pop().unwrap_or_else(|| {
            self.attempts.push(Attempt::default());
            self.attempts.len() as u32 - 1
        });
        self.attempts[id as usize] = Attempt { footprint: footprint.0, causes, events };
        match before {
            Some(before) => self.events[before as usize].attempts.push(id),
            None => of(&mut self.first_attempts, actor).push(id),
        }
        id
    }
}
