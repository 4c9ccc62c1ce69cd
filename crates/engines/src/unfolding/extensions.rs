//! Extensions: the events whose causes lie in a configuration (procedure `Extend`).
//!
//! They are of two kinds. Those that can be added are what actors would do now. The others are in *conflict* with the
//! configuration: what an actor would have done in its turn, had it come to it with less of the configuration behind
//! it. Both have to be found, and found exactly, for each is an order of steps that some execution has.
//!
//! What a step touches is known only when it is run, and may depend on what came before. So the histories of an actor's
//! turn cannot be computed from footprints alone. They are found from the top: run the actor after all of a region of
//! the configuration. The step touches something; if another history within the region is possible at all, it lacks one
//! of the events that conflict with that footprint, for with all of them the actor would see what it has seen. So for
//! each of the largest of these events the region without it (and with the larger ones that were dealt with) is
//! searched in turn. Regions are disjoint: no history is met twice.
//!
//! When a configuration grows by an event, only histories that hold it are new. An attempt that is known and does not
//! conflict with the event is the same with it as without it; one that does is replaced where the event is, and the
//! region to search holds its history, the event and nothing else that it conflicts with.

use super::cutoffs::{Rank, SmallestConfigurations};
use super::events::{AttemptId, EventId, Events, History, Name, NewEvent};
use super::path::{Path, Turn};
use super::prefix::Recorder;
use crate::shared::bits::Bits;
use crate::shared::tally::{FastSet, Tally};
use mazurka_core::{ActorId, Fingerprint, Footprint, FootprintId, Machine, Move, Outcome, StepRecord, StopReason};
use smallvec::SmallVec;

/// The most names of events that are remembered, so that each event is counted once.
const MOST_NAMES: usize = 1 << 22;

/// Runs the program to find out what can follow.
pub(super) struct Extender<M: Machine> {
    machine: M,
    /// For each event where its local configuration leads, if that is wanted.
    local: Vec<Option<M::Mark>>,
    /// The names of the events that were made.
    made: FastSet<Name>,
    /// How many events were made.
    pub(super) made_events: u64,
    /// How many of them are cutoffs.
    pub(super) made_cutoffs: u64,
    /// Writes the events down, if that is asked for.
    pub(super) recorder: Option<Recorder>,
    regions: Vec<Region>,
    /// What each actor would do now, while that is being found out.
    turns: Vec<Turn>,
    /// Where an actor stands that is run with each of its outcomes.
    here: Option<M::Mark>,
    /// The machine does not stand where the configuration leads.
    away: bool,
}

/// The configurations between two.
struct Region {
    /// What all of them hold.
    least: Bits,
    /// What none of them goes beyond.
    most: Bits,
}

/// One of the things that an actor can do.
struct Deed {
    step: Move,
    footprint: FootprintId,
    record: StepRecord,
}

/// Where an extender works.
struct Site<'s, 'o, K> {
    events: &'s mut Events,
    path: &'s mut Path<K>,
    tally: &'s mut Tally<'o>,
    cutoffs: &'s mut SmallestConfigurations,
}

impl<M: Machine> Extender<M> {
    pub(super) fn new(machine: M) -> Self {
        Extender {
            machine,
            local: Vec::new(),
            made: FastSet::default(),
            made_events: 0,
            made_cutoffs: 0,
            recorder: None,
            regions: Vec::new(),
            turns: Vec::new(),
            here: None,
            away: true,
        }
    }

    /// Finds what can happen first.
    pub(super) fn begin(
        &mut self,
        events: &mut Events,
        path: &mut Path<M::Mark>,
        tally: &mut Tally<'_>,
        cutoffs: &mut SmallestConfigurations,
    ) -> Result<(), StopReason> {
        path.meet(&self.present());
        cutoffs.begin(self.machine.fingerprint(), &path.actors);
        if !cutoffs.apply() {
            path.note_state(self.machine.fingerprint());
        }
        let site = &mut Site { events, path, tally, cutoffs };
        self.turns.clear();
        for actor in site.path.actors.clone() {
            self.search(site, None, actor, Region { least: Bits::default(), most: Bits::default() })?;
            self.turns.extend(turn(site.events, site.path, None, actor));
        }
        path.take_turns(&self.turns);
        Ok(())
    }

    /// Adds an event to the configuration and finds what can happen after it.
    pub(super) fn extend(
        &mut self,
        event: EventId,
        events: &mut Events,
        path: &mut Path<M::Mark>,
        tally: &mut Tally<'_>,
        cutoffs: &mut SmallestConfigurations,
    ) -> Result<(), StopReason> {
        self.stand_at_end(path);
        self.machine.step(events.step(event));
        events.note_creates(event, || self.present().into_iter().filter(|&actor| !path.knows(actor)).collect());
        path.push(event, &self.machine, events);
        tally.repeat(1, path.len())?;
        if !cutoffs.apply() {
            path.note_state(self.machine.fingerprint());
        }
        cutoffs.reach(|| self.machine.fingerprint(), path.rank());
        let site = &mut Site { events, path, tally, cutoffs };
        self.replace_attempts(site, event)?;
        let whole = |site: &Site<'_, '_, M::Mark>| {
            let mut least = Bits::default();
            site.events.include(&mut least, event);
            Region { least, most: site.path.configuration.clone() }
        };
        self.search(site, Some(event), site.events.step(event).actor, whole(site))?;
        for created in SmallVec::<[ActorId; 4]>::from_slice(site.events.creates(event)) {
            self.search(site, None, created, whole(site))?;
        }
        turns_after(site.events, site.path, event, &mut self.turns);
        path.take_turns(&self.turns);
        Ok(())
    }

    /// The configuration cannot be extended.
    pub(super) fn end(
        &mut self,
        path: &Path<M::Mark>,
        events: &Events,
        tally: &mut Tally<'_>,
    ) -> Result<(), StopReason> {
        self.stand_at_end(path);
        if !self.machine.enabled().is_empty() {
            return Ok(());
        }
        tally.schedule.moves = path.moves(&path.configuration, events);
        tally.end(&self.machine.ending(), self.machine.fingerprint())
    }

    /// Brings the machine to where the configuration leads, if it is not there.
    fn stand_at_end(&mut self, path: &Path<M::Mark>) {
        if self.away {
            self.machine.rewind(path.state());
            self.away = false;
        }
    }

    /// The machine will have to come back to where the configuration leads.
    pub(super) fn leave(&mut self) {
        self.away = true;
    }

    /// The actors that can move or may later.
    fn present(&self) -> Vec<ActorId> {
        let mut actors = Vec::new();
        self.machine.present(&mut actors);
        actors
    }

    /// Looks again at what is in conflict with a new event of the configuration.
    fn replace_attempts(&mut self, site: &mut Site<'_, '_, M::Mark>, event: EventId) -> Result<(), StopReason> {
        let (events, path) = (&*site.events, &*site.path);
        let mover = events.step(event).actor;
        let mut found = Vec::new();
        let mut look = |before: Option<EventId>, actor: ActorId| {
            let known = events.attempts_after(before, actor).iter();
            let regions = known.filter_map(|&attempt| region_of(events, path, event, before, actor, attempt));
            found.extend(regions.map(|region| (before, actor, region)));
        };
        path.turns().iter().filter(|turn| turn.actor != mover).for_each(|turn| look(turn.before, turn.actor));
        // What another actor did before, and the event does not come after, has nothing to do with the event. So only
        // where it might have touched something else is there anything to look for.
        for own in path.wavering.without(events.causes(event)).filter(|&own| own != event) {
            look(events.before(own), events.step(own).actor);
        }
        found.into_iter().try_for_each(|(before, actor, region)| self.search(site, before, actor, region))
    }

    /// Finds everything that an actor may do after its own step `before` with a history in a region.
    fn search(
        &mut self,
        site: &mut Site<'_, '_, M::Mark>,
        before: Option<EventId>,
        actor: ActorId,
        region: Region,
    ) -> Result<(), StopReason> {
        if before.is_some_and(|before| site.events.is_last(before)) {
            return Ok(());
        }
        let mut regions = std::mem::take(&mut self.regions);
        regions.push(region);
        while let Some(Region { mut least, most }) = regions.pop() {
            let known = site.events.find(before, actor, &most, site.path.newest());
            let Some(attempt) = known.map_or_else(|| self.run(site, before, actor, &most), |known| Ok(Some(known)))?
            else {
                continue;
            };
            let mut conflicting = site.events.dependent(site.events.attempted(attempt)).clone();
            conflicting.intersect(&most);
            conflicting.subtract(&least);
            for event in site.events.maximal(&conflicting) {
                let mut rest = most.clone();
                site.path.exclude(&mut rest, event, site.events);
                regions.push(Region { least: least.clone(), most: rest });
                site.events.include(&mut least, event);
            }
        }
        self.regions = regions;
        Ok(())
    }

    /// Runs an actor after a part of the configuration; `None` if it is not there, or at its end.
    fn run(
        &mut self,
        site: &mut Site<'_, '_, M::Mark>,
        before: Option<EventId>,
        actor: ActorId,
        part: &Bits,
    ) -> Result<Option<AttemptId>, StopReason> {
        self.away = true;
        let repeated = site.path.rewind(&mut self.machine, part, site.events);
        site.tally.repeat(repeated, 0)?;
        let mut together = Footprint::default();
        let mut deeds = Vec::new();
        if self.machine.enabled().contains(&actor) {
            deeds = self.deeds(actor, site)?;
            for touch in deeds.iter().flat_map(|deed| deed.record.footprint.touches()) {
                together.touch(touch.object, touch.access);
            }
        } else if !self.machine.obstacle(actor, &mut together) {
            before.into_iter().for_each(|before| site.events.set_last(before));
            return Ok(None);
        }
        together.seal();
        let footprint = site.events.intern(&together);
        let history = site.events.history(part, footprint, before);
        let mut made = SmallVec::new();
        for deed in deeds {
            let same = deed.footprint == footprint;
            let history = if same { history.clone() } else { site.events.history(part, deed.footprint, before) };
            made.push(self.event(site, before, history, deed)?);
        }
        let attempt = site.events.add_attempt(before, actor, footprint, history.causes, made);
        site.path.note_attempt(before, actor, site.events);
        Ok(Some(attempt))
    }

    /// All that an actor can do where the machine stands.
    fn deeds(&mut self, actor: ActorId, site: &mut Site<'_, '_, M::Mark>) -> Result<Vec<Deed>, StopReason> {
        let here = match self.here.take() {
            Some(mut here) => {
                self.machine.mark_again(&mut here);
                here
            }
            None => self.machine.mark(),
        };
        let mut deeds = Vec::new();
        let mut outcome = Some(Outcome::FIRST);
        while let Some(current) = outcome {
            if !deeds.is_empty() {
                self.machine.rewind(&here);
            }
            let step = Move { actor, outcome: current };
            let record = self.machine.step(step).clone();
            outcome = record.next_outcome;
            deeds.push(Deed { step, footprint: site.events.intern(&record.footprint), record });
            if site.tally.is_over() {
                site.tally.check()?;
            }
        }
        self.here = Some(here);
        Ok(deeds)
    }

    /// The event of a deed, made if it is new.
    fn event(
        &mut self,
        site: &mut Site<'_, '_, M::Mark>,
        before: Option<EventId>,
        history: History,
        deed: Deed,
    ) -> Result<EventId, StopReason> {
        let Deed { step, footprint, record } = deed;
        if let Some(known) = site.events.find_event(step, &history) {
            return Ok(known);
        }
        site.tally.schedule.moves.clear();
        if !record.violations.is_empty() {
            site.tally.schedule.moves = site.path.moves(&history.causes, site.events);
        }
        site.tally.step(step, &record)?;
        let (mut state, mut weight, mut rank, mut cut) = (Fingerprint(0), 0, Rank::default(), false);
        if site.cutoffs.apply() {
            let repeated = self.rewind_to_history(site, &history);
            self.machine.step(step);
            site.tally.repeat(repeated + 1, 0)?;
            state = self.machine.fingerprint();
            weight = site.cutoffs.weight(step, &record.footprint);
            rank = site.events.rank(&history).and(weight);
            cut = site.cutoffs.meet(state, rank, &history, site.events);
        }
        let event = site.events.add(NewEvent { step, footprint, before, history, state, weight, rank });
        site.path.bar(event, site.events);
        if site.cutoffs.apply() {
            self.keep_local_state(event);
        }
        // Beyond the bound on memory, an event that is made again counts again.
        let new = self.made.len() >= MOST_NAMES || self.made.insert(site.events.name(event));
        self.made_events += u64::from(new);
        if cut {
            self.made_cutoffs += u64::from(new);
            site.events.cut(event);
        }
        if let Some(recorder) = self.recorder.as_mut().filter(|_| new) {
            recorder.note(event, site.events)?;
        }
        Ok(event)
    }
}

/// The states to which histories lead.
impl<M: Machine> Extender<M> {
    /// Brings the machine to the state to which a history leads, from that of its largest known part; returns the steps
    /// that this took.
    fn rewind_to_history(&mut self, site: &Site<'_, '_, M::Mark>, history: &History) -> u64 {
        let known =
            site.events.largest(history).and_then(|event| Some((event, self.local.get(event as usize)?.as_ref()?)));
        let Some((event, state)) = known else {
            return site.path.rewind(&mut self.machine, &history.causes, site.events);
        };
        self.machine.rewind(state);
        let mut rest = history.causes.clone();
        rest.subtract(site.events.causes(event));
        rest.remove(event);
        let moves = site.path.moves(&rest, site.events);
        for &step in &moves {
            self.machine.step(step);
        }
        moves.len() as u64
    }

    /// Keeps where the machine stands as the state of an event.
    fn keep_local_state(&mut self, event: EventId) {
        let index = event as usize;
        if self.local.len() <= index {
            self.local.resize_with(index + 1, || None);
        }
        self.local[index] = Some(self.machine.mark());
    }
}

/// Where an attempt is replaced by another one because of a new event of the configuration: what holds the history of
/// the attempt and the event, and nothing else that the attempt conflicts with. `None` if there is no such
/// configuration.
fn region_of<K>(
    events: &Events,
    path: &Path<K>,
    event: EventId,
    before: Option<EventId>,
    actor: ActorId,
    attempt: AttemptId,
) -> Option<Region> {
    let (history, attempted) = (&events.attempt(attempt).causes, events.attempted(attempt));
    let foreign = |&cause: &EventId| events.dependent(attempted).contains(cause) && !history.contains(cause);
    if !events.conflict(attempted, events.footprint(event))
        || history.contains(event)
        || events.nearest(event).iter().any(foreign)
        || !events.causes(event).meets_only_within(events.dependent(attempted), history)
        || !history.is_within(&path.configuration)
    {
        return None;
    }
    let mut most = path.configuration.clone();
    if let Some(following) = path.following(before, actor, events) {
        path.exclude(&mut most, following, events);
    }
    let mut others = events.dependent(attempted).clone();
    others.intersect(&most);
    others.subtract(history);
    others.remove(event);
    for other in others.iter() {
        if most.contains(other) {
            path.exclude(&mut most, other, events);
        }
    }
    let mut least = history.clone();
    events.include(&mut least, event);
    debug_assert!(least.is_within(&most), "nothing that the attempt conflicts with comes before the event");
    Some(Region { least, most })
}

/// What each actor would do now that an event was added: the same as before, unless the event has to do with it.
fn turns_after<K>(events: &Events, path: &Path<K>, event: EventId, turns: &mut Vec<Turn>) {
    let (mover, footprint) = (events.step(event).actor, events.footprint(event));
    turns.clear();
    for &known in path.turns() {
        if known.actor == mover {
            turns.extend(turn(events, path, Some(event), mover));
        } else if events.conflict(events.attempted(known.attempt), footprint) {
            turns.extend(turn(events, path, known.before, known.actor));
        } else {
            turns.push(known);
        }
    }
    turns.extend(events.creates(event).iter().filter_map(|&actor| turn(events, path, None, actor)));
}

/// What an actor would do now, after its own step `before`.
fn turn<K>(events: &Events, path: &Path<K>, before: Option<EventId>, actor: ActorId) -> Option<Turn> {
    let attempt = events.find(before, actor, &path.configuration, path.newest())?;
    Some(Turn { actor, before, attempt })
}
