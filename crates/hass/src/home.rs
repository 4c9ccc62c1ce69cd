//! A whole home: its slices side by side, as one program.
//!
//! A home is too large for one model. A slice is an entity that several automations set, with those who do; or an automation
//! that waits, with those who set the same things. What is outside of a slice may happen at any time. Every slice has
//! an initial state of its own, and no step leads from one to another.

use crate::config::{Action, ActionKind, Configuration, Match, Routine, TriggerKind};
use crate::model::{Model, Options, State as SliceState};
use crate::template::Val;
use mazurka_core::{
    Access, ActorId, Description, Footprint, Insight, Narrator, ObjectId, Outcome, Step, System, Traits, Value,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The state of one slice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    slice: u16,
    inner: SliceState,
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
}

#[derive(Debug)]
struct Slice {
    model: Model,
    first_actor: u32,
    first_object: u32,
}

impl Home {
    /// The home of a configuration; with names, one slice of just these automations. The error is a name that none has.
    pub fn new(configuration: Configuration, names: &[String], options: &Options) -> Result<Self, String> {
        let configuration = Arc::new(configuration);
        let (groups, shortened) = if names.is_empty() {
            slices(&configuration)
        } else {
            let mut chosen = Vec::new();
            for name in names {
                let known = |routine: &Routine| routine.name == *name || routine.entity == *name;
                chosen.push(configuration.automations.iter().position(known).ok_or_else(|| name.clone())?);
            }
            (vec![chosen], 0)
        };
        let mut slices = Vec::new();
        let (mut first_actor, mut first_object) = (0, 0);
        for group in groups {
            let mut model = Model::new(Arc::clone(&configuration), &group, options.clone());
            model.first_object = first_object;
            let (actors, objects) = (model.actor_count(), model.object_count());
            slices.push(Slice { model, first_actor, first_object });
            first_actor += actors;
            first_object += objects;
        }
        Ok(Home { configuration, slices, shortened })
    }

    /// The configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// How many slices there are, and how many of them were cut.
    pub fn slice_count(&self) -> (usize, usize) {
        (self.slices.len(), self.shortened)
    }

    /// The names of the automations of a slice.
    pub fn slice_names(&self, slice: usize) -> Vec<&str> {
        self.slices[slice].model.automation_names().collect()
    }

    fn slice(&self, actor: ActorId) -> (&Slice, ActorId) {
        let at = self.slices.partition_point(|slice| slice.first_actor <= actor.0).saturating_sub(1);
        let slice = &self.slices[at];
        (slice, ActorId(actor.0 - slice.first_actor))
    }

    /// What was looked at, by kind.
    pub fn considered(&self) -> Vec<(String, String)> {
        let automations: BTreeSet<&str> = self.slices.iter().flat_map(|slice| slice.model.automation_names()).collect();
        let opaque = self
            .configuration
            .automations
            .iter()
            .flat_map(|routine| &routine.opaque)
            .filter(|opaque| opaque.decides)
            .count();
        let mut told = vec![
            ("slices".to_owned(), format!("{} around what several automations set or wait for", self.slices.len())),
            ("automations".to_owned(), format!("{} of {}", automations.len(), self.configuration.automations.len())),
        ];
        if self.shortened > 0 {
            told.push(("cut".to_owned(), format!("{} slices to {MOST_OF_A_SLICE} automations", self.shortened)));
        }
        if opaque > 0 {
            told.push((
                "left open".to_owned(),
                format!("{opaque} parts that nobody can know were tried both ways; `mazurka apps` lists them"),
            ));
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
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        let inner = self.0.slices[self.1].model.initial_states();
        inner.into_iter().map(|inner| State { slice: self.1 as u16, inner }).collect()
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        self.0.enabled(state, into);
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        System::step(self.0, state, actor, step);
    }

    fn traits(&self) -> Traits {
        System::traits(self.0)
    }

    fn narrator(&self) -> &dyn Narrator<State> {
        self.0
    }

    fn insight(&self) -> &dyn Insight<State> {
        self.0
    }
}

impl System for Home {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        let first = |(slice, about): (usize, &Slice)| {
            about.model.initial_states().into_iter().map(move |inner| State { slice: slice as u16, inner })
        };
        self.slices.iter().enumerate().flat_map(first).collect()
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        let slice = &self.slices[state.slice as usize];
        let before = into.len();
        slice.model.enabled(&state.inner, into);
        into[before..].iter_mut().for_each(|actor| actor.0 += slice.first_actor);
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        let (slice, actor) = self.slice(actor);
        slice.model.step(&mut state.inner, actor, step);
    }

    fn traits(&self) -> Traits {
        Traits { events: true, tells_blocked: true, ..Traits::default() }
    }

    fn narrator(&self) -> &dyn Narrator<State> {
        self
    }

    fn insight(&self) -> &dyn Insight<State> {
        self
    }
}

impl Insight<State> for Home {
    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        let (slice, actor) = self.slice(actor);
        slice.model.absent(actor, footprint);
    }
}

impl Narrator<State> for Home {
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

    fn describe(&self, state: &State, actor: ActorId, outcome: Outcome) -> Description {
        let (slice, actor) = self.slice(actor);
        slice.model.describe(&state.inner, actor, outcome)
    }

    fn observe(&self, state: &State, into: &mut Vec<Value>) {
        self.slices[state.slice as usize].model.observe(&state.inner, into);
    }
}

/// The slices of a configuration, each as the numbers of its automations; and how many were cut.
fn slices(configuration: &Configuration) -> (Vec<Vec<usize>>, usize) {
    let writes: Vec<BTreeSet<String>> =
        configuration.automations.iter().map(|routine| written(configuration, routine)).collect();
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
fn inner(kind: &ActionKind) -> Vec<&[Action]> {
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
            if !telling.contains(&service.split('.').next().unwrap_or("")) {
                found.extend(crate::model::targets_of(call, configuration));
            }
        }
        for actions in inner(&action.kind) {
            collect(configuration, actions, found, seen);
        }
    }
}
