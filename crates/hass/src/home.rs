//! A whole home: its slices side by side, as one program.
//!
//! A home is too large for one model. A slice is an entity that several automations set, with those who do; or an automation
//! that waits, with those who set the same things. What is outside of a slice may happen at any time. Every slice has
//! an initial state of its own, and no step leads from one to another.

use crate::config::{Action, ActionKind, Configuration, Expectation, Match, Routine, TriggerKind};
use crate::model::{Model, ONE_EVENT, Options, State};
use crate::template::Val;
use mazurka_core::{
    Access, ActorId, Description, Footprint, Insight, Move, Narrator, ObjectId, Outcome, Schedule, Step, System,
    Traits, Value,
};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

/// The state of one slice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HomeState {
    slice: u16,
    inner: State,
}

/// The most automations of a slice.
const MOST_OF_A_SLICE: usize = 5;

/// A home that can be checked.
#[derive(Debug)]
pub struct Home {
    configuration: Arc<Configuration>,
    slices: Vec<Slice>,
    /// Slices that were cut because they had too many automations.
    shortened: usize,
    /// Whether only what was named is looked at.
    is_part: bool,
}

#[derive(Debug)]
struct Slice {
    model: Model,
    first_actor: u32,
    first_object: u32,
}

/// What a slice is made of: automations by their numbers, and what the owner expects of them.
type SliceGroup = (Vec<usize>, Option<usize>);

impl Slice {
    /// The moves of a schedule, with the slice's own actors.
    fn own_moves(&self, schedule: &Schedule) -> Vec<Move> {
        let own = |step: &Move| Move { actor: ActorId(step.actor.0 - self.first_actor), ..*step };
        schedule.moves.iter().map(own).collect()
    }
}

impl Home {
    /// The home of a configuration; with names, one slice of just these automations. The error is a name that none has.
    pub fn new(configuration: Configuration, names: &[String], options: &Options) -> Result<Self, String> {
        let configuration = Arc::new(configuration);
        let (groups, shortened) = if names.is_empty() {
            let writes: Vec<BTreeSet<String>> =
                configuration.automations.iter().map(|routine| written(&configuration, routine)).collect();
            let (groups, mut cut) = slices(&configuration, &writes);
            let mut groups: Vec<SliceGroup> = groups.into_iter().map(|group| (group, None)).collect();
            for (number, expectation) in configuration.expectations.iter().enumerate() {
                let (group, is_cut) = around(&configuration, &writes, expectation);
                groups.push((group, Some(number)));
                cut += usize::from(is_cut);
            }
            (groups, cut)
        } else {
            let mut chosen = Vec::new();
            for name in names {
                let known = |routine: &Routine| routine.name == *name || routine.entity == *name;
                chosen.push(configuration.automations.iter().position(known).ok_or_else(|| name.clone())?);
            }
            (vec![(chosen, None)], 0)
        };
        Ok(Home { is_part: !names.is_empty(), ..Home::of_groups(configuration, groups, shortened, options) })
    }

    /// A home of which just this expectation is looked at. The error is its name, if there is none of that name.
    pub fn expecting(configuration: Configuration, name: &str, options: &Options) -> Result<Self, String> {
        let number =
            configuration.expectations.iter().position(|known| known.name == name).ok_or_else(|| name.to_owned())?;
        let configuration = Arc::new(configuration);
        let writes: Vec<BTreeSet<String>> =
            configuration.automations.iter().map(|routine| written(&configuration, routine)).collect();
        let (group, is_cut) = around(&configuration, &writes, &configuration.expectations[number]);
        let home = Home::of_groups(configuration, vec![(group, Some(number))], usize::from(is_cut), options);
        Ok(Home { is_part: true, ..home })
    }

    fn of_groups(
        configuration: Arc<Configuration>,
        groups: Vec<SliceGroup>,
        shortened: usize,
        options: &Options,
    ) -> Self {
        let mut slices = Vec::new();
        let (mut first_actor, mut first_object) = (0, 0);
        for (group, expectation) in groups {
            // What automations set is expected of them: nobody operates it by hand then.
            let hands = options.hands && expectation.is_none();
            let options = Options { expectation, hands, ..options.clone() };
            let mut model = Model::new(Arc::clone(&configuration), &group, options);
            model.first_object = first_object;
            let (actors, objects) = (model.actor_count(), model.object_count());
            slices.push(Slice { model, first_actor, first_object });
            first_actor += actors;
            first_object += objects;
        }
        Home { configuration, slices, shortened, is_part: false }
    }

    /// The configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// How many slices there are, and how many of them were cut.
    pub fn slice_count(&self) -> (usize, usize) {
        (self.slices.len(), self.shortened)
    }

    /// The automations of a slice: what the owner calls them, and their entities.
    pub fn slice_automations(&self, slice: usize) -> Vec<(&str, &str)> {
        self.slices[slice].model.automations().collect()
    }

    /// What the owner expects of a slice.
    pub fn slice_expectation(&self, slice: usize) -> Option<&Expectation> {
        self.slices[slice].model.expectation()
    }

    /// What the owner expects and nothing has put to the test, once all slices were looked at, each with the reason.
    pub fn untested(&self) -> Vec<(&Expectation, String)> {
        let mut found = Vec::new();
        for slice in &self.slices {
            let Some(expectation) = slice.model.expectation() else { continue };
            let unknown = slice.model.unknown_in_expectation();
            if !unknown.is_empty() {
                found.push((
                    expectation,
                    format!("speaks of {}, which nothing in the configuration knows", unknown.join(" and ")),
                ));
            } else if slice.model.automations().next().is_none() {
                found.push((expectation, "speaks of what no automation sets".to_owned()));
            } else if !slice.model.was_tested() {
                found.push((
                    expectation,
                    "was never put to the test, since what it speaks of never came to be so".to_owned(),
                ));
            }
        }
        found
    }

    /// How many expectations are looked at.
    pub fn expectation_count(&self) -> usize {
        self.slices.iter().filter(|slice| slice.model.expectation().is_some()).count()
    }

    fn slice(&self, actor: ActorId) -> (&Slice, ActorId) {
        let at = self.slices.partition_point(|slice| slice.first_actor <= actor.0).saturating_sub(1);
        let slice = &self.slices[at];
        (slice, ActorId(actor.0 - slice.first_actor))
    }

    /// When each step of a schedule happens, as times of day; and what is wrong, with the event that it came from.
    pub fn told(&self, message: &str, schedule: &Schedule) -> (Vec<String>, String) {
        let Some(slice) = self.slices.get(schedule.start) else { return (Vec::new(), message.to_owned()) };
        let (times, cause) = slice.model.told_times(&slice.own_moves(schedule));
        let message = match cause {
            Some(cause) => message.replace(ONE_EVENT, &format!("both because {cause}")),
            None => message.to_owned(),
        };
        (times, message)
    }

    /// A schedule as a script for Home Assistant itself; `name` is what is wrong.
    pub fn as_test(&self, name: &str, schedule: &Schedule) -> Option<String> {
        let slice = self.slices.get(schedule.start)?;
        Some(slice.model.scenario(name, &slice.own_moves(schedule)).to_string())
    }

    /// What was looked at, by kind.
    pub fn considered(&self) -> Vec<(String, String)> {
        let automations: HashSet<&str> =
            self.slices.iter().flat_map(|slice| slice.model.automations()).map(|(_, entity)| entity).collect();
        let all = self.configuration.automations.iter();
        let opaque: Vec<String> = all
            .filter(|routine| automations.contains(routine.entity.as_str()))
            .flat_map(|routine| &routine.opaque)
            .filter(|opaque| opaque.decides)
            .map(|opaque| format!("{} ({})", opaque.what, self.configuration.shown(opaque.place)))
            .collect();
        let others = self.configuration.automations.len() - automations.len();
        let rest = if others == 0 || self.is_part {
            ""
        } else {
            "; the others set nothing that another one sets, and wait for nothing"
        };
        let mut told = vec![
            ("slices".to_owned(), format!("{} around what several automations set or wait for", self.slices.len())),
            (
                "automations".to_owned(),
                format!("{} of {}{rest}", automations.len(), self.configuration.automations.len()),
            ),
        ];
        let expectations = self.expectation_count();
        if expectations > 0 {
            told.push(("expectations".to_owned(), expectations.to_string()));
        }
        let happens: BTreeSet<String> = self.slices.iter().flat_map(|slice| slice.model.happens()).collect();
        if !happens.is_empty() {
            told.push(("events and values".to_owned(), listed(happens.into_iter(), MOST_HAPPENINGS)));
        }
        let without: BTreeMap<String, usize> = without_effect(&self.configuration, &automations);
        if !without.is_empty() {
            let services = without.into_iter().map(|(service, count)| format!("{service} {count} ×"));
            told.push(("taken as without effect".to_owned(), listed(services, MOST_LISTED)));
        }
        if self.shortened > 0 {
            told.push(("cut".to_owned(), format!("{} slices to {MOST_OF_A_SLICE} automations", self.shortened)));
        }
        if !opaque.is_empty() {
            let parts = listed(opaque.into_iter(), MOST_LISTED);
            told.push(("left open".to_owned(), format!("{parts}: tried both ways; `mazurka apps` lists all")));
        }
        if !self.configuration.broken.is_empty() {
            told.push((
                "not read".to_owned(),
                format!("{} automations and scripts; `mazurka apps` says why", self.configuration.broken.len()),
            ));
        }
        if !self.configuration.problems.is_empty() {
            told.push((
                "not read".to_owned(),
                format!("{} other parts of the files; `mazurka apps` says why", self.configuration.problems.len()),
            ));
        }
        if self.slices.iter().any(|slice| slice.model.was_cut()) {
            told.push(("runs".to_owned(), "of queued and parallel automations the first 2 at once".to_owned()));
        }
        told
    }
}

/// One slice of a home by itself. Its states, actors and objects are those of the home.
#[derive(Clone, Copy, Debug)]
pub struct OneSlice<'h>(pub &'h Home, pub usize);

impl System for OneSlice<'_> {
    type State = HomeState;

    fn initial_states(&self) -> Vec<HomeState> {
        let inner = self.0.slices[self.1].model.initial_states();
        inner.into_iter().map(|inner| HomeState { slice: self.1 as u16, inner }).collect()
    }

    fn enabled(&self, state: &HomeState, into: &mut Vec<ActorId>) {
        self.0.enabled(state, into);
    }

    fn step(&self, state: &mut HomeState, actor: ActorId, step: &mut Step) {
        System::step(self.0, state, actor, step);
    }

    fn traits(&self) -> Traits {
        System::traits(self.0)
    }

    fn narrator(&self) -> &dyn Narrator<HomeState> {
        self.0
    }

    fn insight(&self) -> &dyn Insight<HomeState> {
        self.0
    }
}

impl System for Home {
    type State = HomeState;

    fn initial_states(&self) -> Vec<HomeState> {
        let first = |(slice, about): (usize, &Slice)| {
            about.model.initial_states().into_iter().map(move |inner| HomeState { slice: slice as u16, inner })
        };
        self.slices.iter().enumerate().flat_map(first).collect()
    }

    fn enabled(&self, state: &HomeState, into: &mut Vec<ActorId>) {
        let slice = &self.slices[state.slice as usize];
        let before = into.len();
        slice.model.enabled(&state.inner, into);
        into[before..].iter_mut().for_each(|actor| actor.0 += slice.first_actor);
    }

    fn step(&self, state: &mut HomeState, actor: ActorId, step: &mut Step) {
        let (slice, actor) = self.slice(actor);
        slice.model.step(&mut state.inner, actor, step);
    }

    fn traits(&self) -> Traits {
        Traits { events: true, tells_blocked: true, ..Traits::default() }
    }

    fn narrator(&self) -> &dyn Narrator<HomeState> {
        self
    }

    fn insight(&self) -> &dyn Insight<HomeState> {
        self
    }
}

impl Insight<HomeState> for Home {
    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        let (slice, actor) = self.slice(actor);
        slice.model.absent(actor, footprint);
    }
}

impl Narrator<HomeState> for Home {
    fn actor_name(&self, actor: ActorId) -> String {
        let (slice, actor) = self.slice(actor);
        slice.model.actor_name(actor)
    }

    fn object_name(&self, object: ObjectId) -> String {
        let at = self.slices.partition_point(|slice| slice.first_object <= object.0).saturating_sub(1);
        self.slices[at].model.object_name(object)
    }

    fn touch_verb(&self, _object: ObjectId, access: Access) -> &'static str {
        if access.changes() { "changed" } else { "looked at" }
    }

    fn describe(&self, state: &HomeState, actor: ActorId, outcome: Outcome) -> Description {
        let (slice, actor) = self.slice(actor);
        slice.model.describe(&state.inner, actor, outcome)
    }

    fn observe(&self, state: &HomeState, into: &mut Vec<Value>) {
        self.slices[state.slice as usize].model.observe(&state.inner, into);
    }
}

/// How many events with their values, and how many other things, are listed.
const MOST_HAPPENINGS: usize = 40;
const MOST_LISTED: usize = 8;

fn listed(items: impl ExactSizeIterator<Item = String>, most: usize) -> String {
    let more = items.len().saturating_sub(most);
    let shown: Vec<String> = items.take(most).collect();
    shown.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() }
}

/// The services that change nothing that is known, with how often they are called.
fn without_effect(configuration: &Configuration, automations: &HashSet<&str>) -> BTreeMap<String, usize> {
    fn count(configuration: &Configuration, actions: &[Action], found: &mut BTreeMap<String, usize>) {
        for action in actions {
            if let ActionKind::Call(call) = &action.kind
                && let Some(service) = call.service.fixed().map(|service| service.to_string())
                && !crate::model::has_effect(&service, call, configuration)
            {
                let name = match service.split_once('.') {
                    Some((domain, _)) if is_telling(&service) => format!("{domain}.*"),
                    _ => service,
                };
                *found.entry(name).or_default() += 1;
            }
            inner(&action.kind).into_iter().for_each(|actions| count(configuration, actions, found));
        }
    }
    let mut found = BTreeMap::new();
    let looked_at = configuration.automations.iter().filter(|routine| automations.contains(routine.entity.as_str()));
    looked_at.for_each(|routine| count(configuration, &routine.actions, &mut found));
    found
}

/// Whether a service only sends a message to people.
fn is_telling(service: &str) -> bool {
    let telling = [
        "notify",
        "tts",
        "persistent_notification",
        "logbook",
        "system_log",
        "mqtt",
        "camera",
        "shell_command",
        "rest_command",
    ];
    telling.contains(&service.split('.').next().unwrap_or(""))
}

/// The automations that set what an expectation speaks of, those that set most of it first; and whether some were left out.
fn around(configuration: &Configuration, writes: &[BTreeSet<String>], expectation: &Expectation) -> (Vec<usize>, bool) {
    let entities = crate::model::entities_of(expectation, configuration);
    let mut near: Vec<(usize, usize)> = writes
        .iter()
        .enumerate()
        .map(|(number, writes)| (entities.iter().filter(|entity| writes.contains(*entity)).count(), number))
        .filter(|(shared, _)| *shared > 0)
        .collect();
    let is_cut = near.len() > MOST_OF_A_SLICE;
    near.sort_by_key(|&(shared, number)| {
        (!entities.iter().any(|entity| hears(configuration, number, entity)), std::cmp::Reverse(shared), number)
    });
    let mut group: Vec<usize> = near.into_iter().map(|(_, number)| number).take(MOST_OF_A_SLICE).collect();
    group.sort_unstable();
    (group, is_cut)
}

/// The slices of a configuration, each as the numbers of its automations; and how many were cut.
fn slices(configuration: &Configuration, writes: &[BTreeSet<String>]) -> (Vec<Vec<usize>>, usize) {
    let mut writers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, entities) in writes.iter().enumerate() {
        for entity in entities {
            writers.entry(entity).or_default().push(number);
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut cut = 0;
    let mut add = |mut group: Vec<usize>, groups: &mut Vec<Vec<usize>>| {
        group.dedup();
        if group.len() > MOST_OF_A_SLICE {
            group.truncate(MOST_OF_A_SLICE);
            cut += 1;
        }
        group.sort_unstable();
        group.dedup();
        groups.push(group);
    };
    for (entity, numbers) in &writers {
        if numbers.len() < 2 {
            continue;
        }
        if numbers.len() <= MOST_OF_A_SLICE {
            add(numbers.clone(), &mut groups);
            continue;
        }
        // Too many: those with a common trigger, and those that hear of the entity itself.
        for &first in numbers {
            let near = numbers.iter().copied().filter(|&other| {
                other != first && (share_a_trigger(configuration, first, other) || hears(configuration, other, entity))
            });
            let mut group: Vec<usize> = vec![first];
            group.extend(near);
            if group.len() > 1 {
                add(group, &mut groups);
            }
        }
    }
    // Those with a common trigger of which one asks for what the other one sets: their order matters.
    let asked: Vec<String> =
        configuration.automations.iter().map(|routine| format!("{:?}", routine.conditions)).collect();
    for (number, asks) in asked.iter().enumerate() {
        for (other, sets) in writes.iter().enumerate() {
            if other != number
                && sets.iter().any(|entity| asks.contains(entity.as_str()))
                && share_a_trigger(configuration, number, other)
            {
                add(vec![number.min(other), number.max(other)], &mut groups);
            }
        }
    }
    for (number, routine) in configuration.automations.iter().enumerate() {
        // Who hears of what it sets itself, or of what another one sets that hears of it: a loop.
        let follows = |from: usize, to: usize| writes[from].iter().any(|entity| hears(configuration, to, entity));
        if follows(number, number) {
            add(vec![number], &mut groups);
        }
        for other in number + 1..configuration.automations.len() {
            if follows(number, other) && follows(other, number) {
                add(vec![number, other], &mut groups);
            }
        }
        if waits(&routine.actions) {
            add(vec![number], &mut groups);
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let mut kept: Vec<Vec<usize>> = Vec::new();
    for group in groups {
        if !kept.iter().any(|known| group.iter().all(|number| known.contains(number))) {
            kept.push(group);
        }
    }
    kept.sort();
    (kept, cut)
}

fn share_a_trigger(configuration: &Configuration, one: usize, other: usize) -> bool {
    let kinds = |number: usize| configuration.automations[number].triggers.iter().map(|trigger| &trigger.kind);
    kinds(one).any(|kind| {
        kinds(other).any(|known| match (kind, known) {
            (
                TriggerKind::State { entities, from, to, .. },
                TriggerKind::State { entities: more, from: other_from, to: other_to, .. },
            ) => {
                let meet = |one: &Match, other: &Match| match (one, other) {
                    (Match::In(one), Match::In(other)) => one.iter().any(|value| other.contains(value)),
                    _ => true,
                };
                entities.iter().any(|entity| more.contains(entity)) && meet(to, other_to) && meet(from, other_from)
            }
            (one, other) => one == other,
        })
    })
}

fn hears(configuration: &Configuration, number: usize, entity: &str) -> bool {
    configuration.automations[number].triggers.iter().any(|trigger| match &trigger.kind {
        TriggerKind::State { entities, .. } | TriggerKind::Numeric { entities, .. } => {
            entities.iter().any(|known| known == entity)
        }
        TriggerKind::Template { template, .. } => template.text.contains(entity),
        _ => false,
    })
}

fn waits(actions: &[Action]) -> bool {
    actions.iter().any(|action| match &action.kind {
        ActionKind::Delay(length) => length.fixed() != Some(Val::Span(0)),
        ActionKind::WaitTemplate { .. } | ActionKind::WaitTrigger { .. } => true,
        other => inner(other).into_iter().any(waits),
    })
}

/// The lists of actions inside of an action.
pub(crate) fn inner(kind: &ActionKind) -> Vec<&[Action]> {
    match kind {
        ActionKind::Choose { branches, otherwise } => {
            branches.iter().map(|(_, actions)| actions.as_slice()).chain([otherwise.as_slice()]).collect()
        }
        ActionKind::If { then, otherwise, .. } => vec![then, otherwise],
        ActionKind::Repeat { body, .. } => vec![body],
        ActionKind::Parallel(branches) => branches.iter().map(Vec::as_slice).collect(),
        ActionKind::Sequence(actions) => vec![actions],
        _ => Vec::new(),
    }
}

/// The entities that an automation sets, with the scripts that it calls.
fn written(configuration: &Configuration, routine: &Routine) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut seen = BTreeSet::new();
    collect(configuration, &routine.actions, &mut found, &mut seen);
    found
}

fn collect(
    configuration: &Configuration,
    actions: &[Action],
    found: &mut BTreeSet<String>,
    seen: &mut BTreeSet<String>,
) {
    for action in actions {
        if let ActionKind::Call(call) = &action.kind {
            let service = call.service.fixed().map(|value| value.to_string()).unwrap_or_default();
            if let Some(script) = configuration.scripts.iter().find(|script| script.entity == service)
                && seen.insert(service.clone())
            {
                collect(configuration, &script.actions, found, seen);
            }
            if !is_telling(&service) {
                found.extend(crate::model::set_by(call, configuration));
            }
        }
        for actions in inner(&action.kind) {
            collect(configuration, actions, found, seen);
        }
    }
}
