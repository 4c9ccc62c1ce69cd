//! The part of the unfolding that is known: its events, and what actors would do after which of them.
//!
//! An *event* is one step of one actor after one history. Causes and effects are sets of dense numbers, so that the
//! questions of the algorithm are a few machine words each. Two events are in *direct* conflict if they depend on each other
//! and neither is a cause of the other. Conflict is inherited: two events are in conflict if causes of theirs are. It is not
//! written down for pairs of events, which would be most of the work, but found for a whole configuration at once: the events
//! that are in direct conflict with a member, and whatever has one of them among its causes ([`Events::barred`]).
//!
//! An *attempt* is what an actor would do in its turn after a history: its outcomes, each an event, or nothing because
//! it has to wait. It says the same for every configuration that holds its history and beyond that nothing which
//! conflicts with it, so a program is run once for all of these.

use crate::bits::Bits;
use hashbrown::HashMap;
use mazurka_core::{ActorId, Dependence, Fingerprint, Footprint, FootprintId, FootprintTable, Move};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// An event by its number. Numbers of forgotten events are used again.
pub(super) type EventId = u32;

/// An attempt by its number.
pub(super) type AttemptId = u32;

/// What stands for an event whenever it is made: a hash of its step and its history.
pub(super) type Name = u128;

/// Several attempts.
pub(super) type Attempts = SmallVec<[AttemptId; 2]>;

/// One step of one actor after one history.
#[derive(Clone, Debug, Default)]
pub(super) struct Event {
    /// Who moves, and with which outcome; `None` if the number is free.
    step: Option<Move>,
    footprint: u32,
    /// The actor's own step before this one.
    before: Option<EventId>,
    /// The history: everything that must have happened.
    causes: Bits,
    /// Those causes that are no cause of another one.
    nearest: SmallVec<[EventId; 2]>,
    /// Events that have this one in their history.
    effects: Bits,
    name: Name,
    /// Where the local configuration leads.
    state: u128,
    /// What the step adds to the weight of a configuration.
    weight: u32,
    /// Actors that the step brings into being.
    creates: SmallVec<[ActorId; 1]>,
    /// The actor is known to have come to its end with it.
    is_last: bool,
    /// What the actor would do next, in whatever configurations that was asked.
    attempts: Attempts,
}

/// What is known of an event when it is made.
pub(super) struct NewEvent {
    pub(super) step: Move,
    pub(super) footprint: FootprintId,
    pub(super) before: Option<EventId>,
    pub(super) causes: Bits,
    pub(super) creates: SmallVec<[ActorId; 1]>,
    pub(super) state: Fingerprint,
    pub(super) weight: u32,
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
    /// For each footprint the events whose own footprints conflict with it.
    dependent: Vec<Bits>,
    by_name: HashMap<Name, EventId, FxBuildHasher>,
    /// For each actor its events.
    of_actor: Vec<Bits>,
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
            dependent: Vec::new(),
            by_name: HashMap::default(),
            of_actor: Vec::new(),
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

    pub(super) fn causes(&self, event: EventId) -> &Bits {
        &self.events[event as usize].causes
    }

    /// The causes of an event that are no cause of another one.
    pub(super) fn nearest(&self, event: EventId) -> &[EventId] {
        &self.events[event as usize].nearest
    }

    pub(super) fn effects(&self, event: EventId) -> &Bits {
        &self.events[event as usize].effects
    }

    /// Whether an actor is known to have come to its end with an event.
    pub(super) fn is_last(&self, event: EventId) -> bool {
        self.events[event as usize].is_last
    }

    /// Says that an actor has come to its end with an event.
    pub(super) fn set_last(&mut self, event: EventId) {
        self.events[event as usize].is_last = true;
    }

    pub(super) fn creates(&self, event: EventId) -> &[ActorId] {
        &self.events[event as usize].creates
    }

    /// The state to which the local configuration of an event leads.
    pub(super) fn state(&self, event: EventId) -> Fingerprint {
        Fingerprint(self.events[event as usize].state)
    }

    /// What the step of an event adds to the weight of a configuration.
    pub(super) fn weight(&self, event: EventId) -> u32 {
        self.events[event as usize].weight
    }

    /// The events after which nothing needs to be explored.
    pub(super) fn cutoffs(&self) -> &Bits {
        &self.cutoffs
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

    /// Takes an event and its effects out of a set.
    pub(super) fn exclude(&self, set: &mut Bits, event: EventId) {
        set.subtract(self.effects(event));
        set.remove(event);
    }

    /// The events whose footprints conflict with this one.
    pub(super) fn dependent(&self, footprint: FootprintId) -> &Bits {
        &self.dependent[footprint.0 as usize]
    }

    /// Whether two footprints conflict.
    pub(super) fn conflict(&self, one: FootprintId, other: FootprintId) -> bool {
        self.footprints.conflict(one, other)
    }

    /// The known events that are in direct conflict with an event: of the same actor or with conflicting footprints, and
    /// neither among its causes nor among its effects.
    pub(super) fn direct_conflicts(&self, event: EventId) -> Bits {
        let mut direct = Bits::default();
        self.bar(event, &mut direct);
        direct.subtract(self.causes(event));
        direct.remove(event);
        direct
    }

    /// The events that are in direct conflict with a member of a configuration: these and their effects cannot be added
    /// to it.
    pub(super) fn barred(&self, configuration: &Bits) -> Bits {
        let mut barred = Bits::default();
        configuration.iter().for_each(|event| self.bar(event, &mut barred));
        barred.subtract(configuration);
        barred
    }

    /// Adds to what is barred for a configuration, given what is for one without some of its events.
    pub(super) fn bar_more(&self, barred: &mut Bits, configuration: &Bits, new: impl Iterator<Item = EventId>) {
        new.for_each(|event| self.bar(event, barred));
        barred.subtract(configuration);
    }

    /// Adds what depends on an event and does not come after it. What comes before it has to be taken out.
    fn bar(&self, event: EventId, into: &mut Bits) {
        into.unite_without(self.dependent(self.footprint(event)), self.effects(event));
        if let Some(own) = self.of_actor.get(self.step(event).actor.index()) {
            into.unite_without(own, self.effects(event));
        }
    }

    /// Whether two events that can both be added to one configuration exclude each other.
    pub(super) fn exclude_each_other(&self, one: EventId, other: EventId) -> bool {
        self.step(one).actor == self.step(other).actor || self.conflict(self.footprint(one), self.footprint(other))
    }

    /// The members of a set that have no other member among their effects.
    pub(super) fn maximal<'a>(&'a self, set: &'a Bits) -> impl Iterator<Item = EventId> + 'a {
        set.iter().filter(|&event| !self.effects(event).meets(set))
    }

    /// The number of a footprint.
    pub(super) fn intern(&mut self, footprint: &Footprint) -> FootprintId {
        let id = self.footprints.intern(footprint);
        if id.0 as usize == self.dependent.len() {
            let living = (0..self.events.len() as u32).filter(|&event| self.events[event as usize].step.is_some());
            let mut dependent = Bits::default();
            living.filter(|&event| self.conflict(id, self.footprint(event))).for_each(|event| {
                dependent.insert(event);
            });
            self.dependent.push(dependent);
        }
        id
    }

    /// The history of a step with this footprint by the actor whose last step was `before`, in a configuration.
    pub(super) fn history(&self, configuration: &Bits, footprint: FootprintId, before: Option<EventId>) -> Bits {
        let mut causes = Bits::default();
        if let Some(before) = before {
            self.include(&mut causes, before);
        }
        let mut conflicting = self.dependent(footprint).clone();
        conflicting.intersect(configuration);
        // The latest first: it brings most of the others with it.
        for event in conflicting.iter_down() {
            if !causes.contains(event) {
                self.include(&mut causes, event);
            }
        }
        causes
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
            name: self.name_of(new.step, &new.causes),
            causes: new.causes,
            creates: new.creates,
            state: new.state.0,
            weight: new.weight,
            ..Event::default()
        };
        let (mut further, mut nearest) = (Bits::default(), SmallVec::<[EventId; 2]>::new());
        for cause in self.events[id as usize].causes.clone().iter_down() {
            self.events[cause as usize].effects.insert(id);
            if !further.contains(cause) {
                further.unite(self.causes(cause));
                nearest.push(cause);
            }
        }
        // Numbers are used again, so a cause of a later one may have been met before that one.
        nearest.retain(|cause| !further.contains(*cause));
        self.events[id as usize].nearest = nearest;
        for (other, dependent) in self.dependent.iter_mut().enumerate() {
            if self.footprints.conflict(FootprintId(other as u32), footprint) {
                dependent.insert(id);
            }
        }
        of(&mut self.of_actor, actor).insert(id);
        self.by_name.insert(self.name(id), id);
        id
    }

    /// The same sum as the name of a trace: see `core::trace`.
    fn name_of(&self, step: Move, causes: &Bits) -> Name {
        let history = causes.iter().fold(0u128, |sum, cause| sum.wrapping_add(self.name(cause)));
        let mut bytes = [0u8; 28];
        bytes[..4].copy_from_slice(&step.actor.0.to_le_bytes());
        bytes[4..12].copy_from_slice(&step.outcome.0.to_le_bytes());
        bytes[12..].copy_from_slice(&history.to_le_bytes());
        Fingerprint::of_bytes(&bytes).0
    }

    /// What stands for the event whenever it is made.
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
                event.effects.intersect(kept);
                retain_attempts(&mut event.attempts, &mut attempts, &mut self.free_attempts, kept);
            } else {
                self.by_name.remove(&event.name);
                self.free_attempts.extend(&event.attempts);
                *event = Event::default();
                self.free.push(id);
            }
        }
        self.attempts = attempts;
        self.dependent.iter_mut().for_each(|events| events.intersect(kept));
        self.of_actor.iter_mut().for_each(|events| events.intersect(kept));
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

    /// What an actor does in a configuration whose last step of that actor is `before`, if it is known. The configuration
    /// has the event `newest`: most attempts that do not fit can be told by that.
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
            let knows = |event| attempt.causes.contains(event) || !self.dependent(self.attempted(id)).contains(event);
            newest.is_none_or(knows)
                && attempt.causes.is_within(configuration)
                && configuration.meets_only_within(self.dependent(self.attempted(id)), &attempt.causes)
        })
    }

    /// The event with this outcome and this history among those that are known.
    pub(super) fn find_event(&self, step: Move, causes: &Bits) -> Option<EventId> {
        let event = *self.by_name.get(&self.name_of(step, causes))?;
        debug_assert!(self.step(event) == step && self.causes(event) == causes, "two events have one name");
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
