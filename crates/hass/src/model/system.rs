//! The model: what there is, who can move, and the [`System`](mazurka_core::System) that engines see.

use super::code::{Code, Op, compile};
use super::layout::{Layout, Wishes, targets};
use super::services::{Effect, effects};
use super::stage::{Deed, Happened, Happening, Stage};
use super::state::{RunId, State, Status};
use super::zone::{Key, Zone};
use crate::config::{Configuration, Match, Routine, RoutineKind, Templated, Trigger, TriggerKind};
use crate::duration;
use crate::template::{Template, Val, scan};
use crate::yaml::Place;
use mazurka_core::{
    Access, ActorId, Description, Footprint, Insight, Location, Move, Narrator, ObjectId, Outcome, Step, Traits, Value,
    Violation, ViolationKind,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a model is made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The second of the day at which the sun rises.
    pub sunrise: i64,
    /// The second of the day at which it sets.
    pub sunset: i64,
    /// Whether devices become unavailable where that can disturb an automation.
    pub unavailable: bool,
    /// Whether people operate lights, locks and the like by hand.
    pub hands: bool,
    /// Whether a message to people takes time, so that others may run meanwhile.
    pub pauses: bool,
    /// Whether it is told that one automation undoes what another one did because of an earlier event.
    pub takeovers: bool,
    /// How many runs of one automation are followed in the modes `queued` and `parallel`.
    pub runs: usize,
    /// The number of what the owner expects of this model.
    pub expectation: Option<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            sunrise: 23_400,
            sunset: 64_800,
            unavailable: true,
            hands: true,
            pauses: false,
            takeovers: false,
            runs: 2,
            expectation: None,
        }
    }
}

/// A template entity or a group.
pub(crate) enum Derivation {
    Template(u16, Arc<Template>),
    /// Its slot, its members, whether it is on only if all are, its words for on and off, and whether it can be unavailable.
    Group(u16, Vec<u16>, bool, (&'static str, &'static str), bool),
}

/// Something that is wrong.
pub(crate) enum Finding {
    /// `follows`: the second one runs because of what the first one, or another one, did.
    Fight {
        first: u16,
        second: u16,
        slot: u16,
        old: u16,
        new: u16,
        place: Place,
        follows: bool,
    },
    Loop {
        routines: Vec<u16>,
    },
    Lost {
        routine: u16,
        slot: u16,
        new: u16,
        place: Place,
        waited: Option<Place>,
    },
    Stale {
        routine: u16,
        other: u16,
        slot: u16,
        new: u16,
        entity: u16,
        now: u16,
        place: Place,
    },
    Missed {
        routine: u16,
        slot: u16,
        place: Place,
    },
    Vanished {
        routine: u16,
        slot: u16,
        new: u16,
        place: Place,
    },
    /// A device came back as it had been before it became unavailable, and a run that this began has changed something.
    Returned {
        routine: u16,
        entity: u16,
        slot: u16,
        place: Place,
    },
    /// Whether the second one runs depends on what the first one, which has the same trigger, has done before.
    Order {
        first: u16,
        second: u16,
        runs: bool,
    },
    /// One automation has undone what another one did because of an earlier event.
    Takeover {
        first: u16,
        second: u16,
        slot: u16,
        old: u16,
        new: u16,
        place: Place,
    },
    /// What the owner expects is not so.
    Broken,
}

/// What the environment does.
#[derive(Clone, Debug)]
pub(crate) enum Doing {
    /// A slot changes to a value.
    Change(u16, u16),
    /// An event is heard.
    Event(String, Val),
    /// Home Assistant has started.
    Start,
    /// The next part of the day begins.
    Day,
}

/// Some automations and scripts of a configuration, as a program.
pub struct Model {
    pub(crate) configuration: Arc<Configuration>,
    pub(crate) options: Options,
    pub(crate) layout: Layout,
    pub(crate) routines: Vec<Routine>,
    pub(crate) codes: Vec<Code>,
    pub(crate) routine_slots: Vec<Option<u16>>,
    /// The triggers that hear of an entity.
    pub(crate) listeners: FxHashMap<String, Vec<(u16, u16)>>,
    pub(crate) derived: Vec<Derivation>,
    pub(crate) derived_of: FxHashMap<String, Vec<u16>>,
    /// The routines that may wait for an entity.
    pub(crate) waiters: FxHashMap<String, Vec<u16>>,
    /// Triggers with `for`, each entity by itself.
    pub(crate) holds: Vec<(u16, u16, String)>,
    armed: FxHashMap<(u16, usize, String), u16>,
    pairs: FxHashMap<(u16, u16), u16>,
    /// Where it is remembered what a device was before it became unavailable.
    before: FxHashMap<u16, u16>,
    patterns: Vec<(u16, u16, i64)>,
    first_hold_mark: u16,
    marks: u16,
    /// What is remembered for the expectation, and whether it was put to the test.
    pub(crate) expectation_mark: u16,
    pub(crate) tested: AtomicBool,
    doings: Vec<(Doing, String)>,
    /// What a routine sets before any time passes.
    pub(crate) first_writes: Vec<Vec<(u16, u16)>>,
    pub(crate) most_depth: u8,
    pub(crate) most_runs: usize,
    /// Whether a scenario is played: nothing is chosen, and unknown entities do not exist.
    pub(crate) exact: bool,
    /// The number of its first object among those of other models.
    pub(crate) first_object: u32,
    cut: AtomicBool,
}

/// What stands for the event in the words of a finding, until it is known which one it was.
pub(crate) const ONE_EVENT: &str = "both because of one event";

/// How many deeds of one step are told.
const MOST_TOLD: usize = 12;

/// How many runs of one routine have an actor of their own.
const INSTANCES: u32 = 16;

impl Model {
    /// The model of some routines: automations by their numbers, with the scripts that they call.
    pub fn new(configuration: Arc<Configuration>, automations: &[usize], options: Options) -> Self {
        Model::build(configuration, automations, options, &[], false)
    }

    pub(crate) fn build(
        configuration: Arc<Configuration>,
        automations: &[usize],
        options: Options,
        extra: &[(String, Val)],
        exact: bool,
    ) -> Self {
        let mut routines: Vec<Routine> =
            automations.iter().filter_map(|&index| configuration.automations.get(index).cloned()).collect();
        let mut at = 0;
        while at < routines.len() {
            let text = format!("{:?}", routines[at].actions);
            for script in &configuration.scripts {
                if text.contains(&format!("\"{}\"", script.entity))
                    && !routines.iter().any(|known| known.entity == script.entity)
                {
                    routines.push(script.clone());
                }
            }
            at += 1;
        }
        let wishes = Wishes {
            sunrise: options.sunrise,
            sunset: options.sunset,
            unavailable: options.unavailable && !exact,
            hands: options.hands,
            extra,
            exact,
            expected: options.expectation.and_then(|number| configuration.expectations.get(number)),
        };
        let layout = Layout::new(&configuration, &routines.iter().collect::<Vec<_>>(), &wishes);
        let codes: Vec<Code> = routines.iter().map(compile).collect();
        let routine_slots = routines
            .iter()
            .map(|routine| layout.slot(&routine.entity, None).filter(|_| routine.kind == RoutineKind::Automation))
            .collect();
        let mut model = Model {
            most_runs: if exact { usize::MAX } else { options.runs },
            configuration,
            options,
            layout,
            routines,
            codes,
            routine_slots,
            listeners: FxHashMap::default(),
            derived: Vec::new(),
            derived_of: FxHashMap::default(),
            waiters: FxHashMap::default(),
            holds: Vec::new(),
            armed: FxHashMap::default(),
            pairs: FxHashMap::default(),
            before: FxHashMap::default(),
            patterns: Vec::new(),
            first_hold_mark: 0,
            marks: 0,
            expectation_mark: 0,
            tested: AtomicBool::new(false),
            doings: Vec::new(),
            first_writes: Vec::new(),
            most_depth: if exact { u8::MAX } else { 12 },
            exact,
            first_object: 0,
            cut: AtomicBool::new(false),
        };
        model.wire();
        model.order();
        model.expectation_mark = model.marks;
        model.marks += 1;
        model.environment();
        model
    }

    /// Which routine listens to what.
    fn wire(&mut self) {
        let mut marks = 2;
        for (routine, about) in self.routines.iter().enumerate() {
            for (index, trigger) in about.triggers.iter().enumerate() {
                for entity in heard(trigger) {
                    self.listeners.entry(entity.clone()).or_default().push((routine as u16, index as u16));
                    if hold_of(trigger).is_some() && !matches!(trigger.kind, TriggerKind::Template { .. }) {
                        self.holds.push((routine as u16, index as u16, entity.clone()));
                    }
                    if let TriggerKind::Numeric { .. } = trigger.kind {
                        self.armed.insert((routine as u16, index, entity.clone()), marks);
                        marks += 1;
                    }
                }
                match &trigger.kind {
                    TriggerKind::Template { hold, .. } => {
                        self.armed.insert((routine as u16, index, String::new()), marks);
                        marks += 1;
                        if hold.is_some() {
                            self.holds.push((routine as u16, index as u16, String::new()));
                        }
                    }
                    TriggerKind::Pattern { period, .. } => self.patterns.push((routine as u16, index as u16, *period)),
                    _ => {}
                }
            }
            for (op, ..) in &self.codes[routine].ops {
                let entities: Vec<String> = match op {
                    Op::WaitTemplate { template, .. } => read_by(template),
                    Op::WaitTrigger { triggers, .. } => triggers.iter().flat_map(heard).collect(),
                    _ => continue,
                };
                for entity in entities {
                    let waiters = self.waiters.entry(entity).or_default();
                    if !waiters.contains(&(routine as u16)) {
                        waiters.push(routine as u16);
                    }
                }
            }
        }
        for listeners in self.listeners.values_mut() {
            listeners.dedup();
        }
        let configuration = Arc::clone(&self.configuration);
        for derived in &configuration.derived {
            if let Some(slot) = self.layout.slot(&derived.entity, None) {
                let number = self.derived.len() as u16;
                self.derived.push(Derivation::Template(slot, Arc::clone(&derived.state)));
                for entity in read_by(&derived.state) {
                    self.derived_of.entry(entity).or_default().push(number);
                }
            }
        }
        for group in &configuration.groups {
            if let Some(slot) = self.layout.slot(&group.entity, None) {
                let number = self.derived.len() as u16;
                let members = group.members.iter().filter_map(|member| self.layout.slot(member, None)).collect();
                let vanishes = !group.entity.starts_with("group.");
                self.derived.push(Derivation::Group(slot, members, group.all, group.words(), vanishes));
                for member in &group.members {
                    self.derived_of.entry(member.clone()).or_default().push(number);
                }
            }
        }
        self.first_hold_mark = marks;
        marks += 2 * self.holds.len() as u16;
        for (number, slot) in self.layout.slots.iter().enumerate() {
            if slot.name.1.is_none() && self.options.unavailable && slot.values.contains(&Val::text("unavailable")) {
                self.before.insert(number as u16, marks);
                marks += 1;
            }
        }
        self.marks = marks;
    }

    /// Which pairs of automations can tell in which order they are called.
    fn order(&mut self) {
        let touched: Vec<(BTreeSet<u16>, BTreeSet<u16>)> =
            (0..self.routines.len()).map(|routine| self.touched(routine)).collect();
        self.first_writes = (0..self.routines.len()).map(|routine| self.writes_at_first(routine)).collect();
        for first in 0..self.routines.len() {
            for second in first + 1..self.routines.len() {
                let meet = |one: &BTreeSet<u16>, other: &BTreeSet<u16>| one.intersection(other).next().is_some();
                let ((reads, writes), (more_reads, more_writes)) = (&touched[first], &touched[second]);
                if meet(writes, more_writes) || meet(writes, more_reads) || meet(reads, more_writes) {
                    self.pairs.insert((first as u16, second as u16), self.marks);
                    self.marks += 1;
                }
            }
        }
    }

    /// The slots that a routine reads and writes, with the scripts that it calls.
    fn touched(&self, routine: usize) -> (BTreeSet<u16>, BTreeSet<u16>) {
        let (mut reads, mut writes) = (BTreeSet::new(), BTreeSet::new());
        let alone = [&self.routines[routine]];
        let wishes = Wishes {
            sunrise: 0,
            sunset: 0,
            unavailable: false,
            hands: false,
            extra: &[],
            exact: false,
            expected: None,
        };
        let own = Layout::new(&self.configuration, &alone, &wishes);
        for slot in &own.slots {
            if let Some(number) = self.layout.slot(&slot.name.0, slot.name.1.as_deref()) {
                reads.insert(number);
            }
        }
        if let Some(slot) = self.routine_slots[routine] {
            reads.remove(&slot);
        }
        for (op, ..) in &self.codes[routine].ops {
            if let Op::Call(call) = op {
                for entity in targets(call, &self.configuration) {
                    for member in super::layout::expand(&self.configuration, &entity) {
                        writes.extend(self.layout.slot(&member, None));
                        if let Some(scene) = self.configuration.scenes.iter().find(|scene| scene.entity == member) {
                            writes
                                .extend(scene.states.iter().filter_map(|(entity, ..)| self.layout.slot(entity, None)));
                        }
                    }
                }
                if let Some(Val::Text(service)) = call.service.fixed() {
                    if &*service == "dev.slow" || &*service == "dev.now" {
                        let entity =
                            call.data.iter().find(|(key, _)| key == "entity").and_then(|(_, value)| value.fixed());
                        writes.extend(entity.and_then(|entity| self.layout.slot(&entity.to_string(), None)));
                    }
                    // A script's deeds are its caller's.
                    if let Some(script) = self.routine_of(&service).filter(|&script| script as usize != routine) {
                        let (more_reads, more_writes) = self.touched_flat(script as usize);
                        reads.extend(more_reads);
                        writes.extend(more_writes);
                    }
                }
            }
        }
        (reads, writes)
    }

    fn touched_flat(&self, routine: usize) -> (BTreeSet<u16>, BTreeSet<u16>) {
        let mut all = BTreeSet::new();
        let wishes = Wishes {
            sunrise: 0,
            sunset: 0,
            unavailable: false,
            hands: false,
            extra: &[],
            exact: false,
            expected: None,
        };
        let own = Layout::new(&self.configuration, &[&self.routines[routine]], &wishes);
        all.extend(own.slots.iter().filter_map(|slot| self.layout.slot(&slot.name.0, slot.name.1.as_deref())));
        (all.clone(), all)
    }

    /// What a routine sets before time passes, as far as its code tells without branches.
    fn writes_at_first(&self, routine: usize) -> Vec<(u16, u16)> {
        let mut found = Vec::new();
        for (op, ..) in &self.codes[routine].ops {
            match op {
                Op::Delay(_) | Op::WaitTemplate { .. } | Op::WaitTrigger { .. } => break,
                Op::Call(call) => {
                    let Some(Val::Text(service)) = call.service.fixed() else { continue };
                    let data: Vec<(String, Val)> =
                        call.data.iter().filter_map(|(key, value)| Some((key.clone(), value.fixed()?))).collect();
                    for entity in targets(call, &self.configuration) {
                        for member in super::layout::expand(&self.configuration, &entity) {
                            for effect in effects(&service, &member, &data).unwrap_or_default() {
                                if let (Effect::State(text), Some(slot)) = (effect, self.layout.slot(&member, None)) {
                                    found.push((slot, self.layout.slots[slot as usize].number_of(&Val::text(text))));
                                }
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// What can happen.
    fn environment(&mut self) {
        let mut doings: Vec<(Doing, String)> = Vec::new();
        for (number, slot) in self.layout.slots.iter().enumerate() {
            let (entity, attribute) = &slot.name;
            let matters = slot.is_input
                && (self.listeners.contains_key(entity)
                    || self.derived_of.contains_key(entity)
                    || slot.values.len() > 1);
            if !matters {
                continue;
            }
            for (value, shown) in slot.values.iter().enumerate() {
                if *shown == Val::None && attribute.is_none() {
                    continue;
                }
                let text = shown.to_string();
                let words = match attribute {
                    None if text == "unavailable" => format!("{entity} becomes unavailable"),
                    None if matches!(text.as_str(), "before" | "after") => format!("{entity} is pressed"),
                    None => format!("{entity} becomes {text}"),
                    Some(attribute) => format!("{attribute} of {entity} becomes {text}"),
                };
                doings.push((Doing::Change(number as u16, value as u16), words));
            }
        }
        let mut events: Vec<(String, Val, String)> = Vec::new();
        for routine in &self.routines {
            let waits = self.codes.iter().flat_map(|code| &code.ops).filter_map(|(op, ..)| match op {
                Op::WaitTrigger { triggers, .. } => Some(triggers.iter()),
                _ => None,
            });
            for trigger in routine.triggers.iter().chain(waits.flatten()) {
                match &trigger.kind {
                    TriggerKind::Event { names, data } => {
                        let fields: Vec<(Val, Val)> =
                            data.iter().filter_map(|(key, value)| Some((Val::text(key), value.fixed()?))).collect();
                        for name in names.iter().filter(|name| !name.starts_with("timer.")) {
                            let data = Val::Map(Arc::new(fields.clone()));
                            let detail: Vec<String> =
                                fields.iter().map(|(key, value)| format!("{key} {value}")).collect();
                            let words = format!("the event {name} {}", detail.join(", "));
                            events.push((name.clone(), data, words.trim_end().to_owned()));
                        }
                    }
                    TriggerKind::Outside(words) | TriggerKind::Opaque(words) => {
                        events.push((words.clone(), Val::Map(Arc::new(Vec::new())), words.clone()));
                    }
                    _ => {}
                }
            }
        }
        events.sort_by(|one, other| one.2.cmp(&other.2));
        events.dedup_by(|one, other| one.2 == other.2);
        doings.extend(events.into_iter().map(|(name, data, words)| (Doing::Event(name, data), words)));
        if self.routines.iter().any(|routine| routine.triggers.iter().any(|trigger| trigger.kind == TriggerKind::Start))
        {
            doings.push((Doing::Start, "Home Assistant has started".to_owned()));
        }
        if !self.layout.times.is_empty() {
            doings.push((Doing::Day, "the next time of day".to_owned()));
        }
        self.doings = doings;
    }

    // Numbers

    pub(crate) fn slot_object(&self, slot: u16) -> ObjectId {
        ObjectId(self.first_object + u32::from(slot))
    }

    pub(crate) fn actor_count(&self) -> u32 {
        self.actor_of(Key::Run(self.routines.len() as u16, 0)).0
    }

    pub(crate) fn object_count(&self) -> u32 {
        self.zone_object().0 + 1 - self.first_object
    }

    /// The automations: what their owner calls them, and their entities.
    pub(crate) fn automations(&self) -> impl Iterator<Item = (&str, &str)> {
        self.routines
            .iter()
            .filter(|routine| routine.kind == RoutineKind::Automation)
            .map(|routine| (routine.name.as_str(), routine.entity.as_str()))
    }

    /// What can happen, an entity with its values, or an event.
    pub(crate) fn happens(&self) -> impl Iterator<Item = String> {
        let inputs = self.doings.iter().filter_map(|(doing, _)| match doing {
            Doing::Change(slot, _) => Some(*slot),
            _ => None,
        });
        let inputs: BTreeSet<u16> = inputs.collect();
        let values = |slot: u16| {
            let values = self.layout.slots[slot as usize].values.iter().map(Val::to_string);
            format!("{} ({})", self.slot_name(slot), values.collect::<Vec<_>>().join(", "))
        };
        let others = self.doings.iter().filter(|(doing, _)| !matches!(doing, Doing::Change(..)));
        inputs.into_iter().map(values).chain(others.map(|(_, words)| words.clone()))
    }

    pub(crate) fn mark_object(&self, mark: u16) -> ObjectId {
        ObjectId(self.first_object + self.layout.slots.len() as u32 + u32::from(mark))
    }

    pub(crate) fn run_object(&self, routine: u16) -> ObjectId {
        ObjectId(self.first_object + self.layout.slots.len() as u32 + u32::from(self.marks) + u32::from(routine))
    }

    pub(crate) fn zone_object(&self) -> ObjectId {
        ObjectId(
            self.first_object + self.layout.slots.len() as u32 + u32::from(self.marks) + self.routines.len() as u32,
        )
    }

    pub(crate) fn day_mark(&self) -> u16 {
        0
    }

    pub(crate) fn weekday_mark(&self) -> u16 {
        1
    }

    pub(crate) fn hold_mark(&self, hold: u16) -> u16 {
        self.first_hold_mark + 2 * hold
    }

    pub(crate) fn armed_mark(&self, routine: u16, index: usize, entity: &str) -> Option<u16> {
        self.armed.get(&(routine, index, entity.to_owned())).copied()
    }

    pub(crate) fn pair_mark(&self, one: u16, other: u16) -> Option<u16> {
        self.pairs.get(&(one.min(other), one.max(other))).copied()
    }

    pub(crate) fn before_mark(&self, slot: u16) -> Option<u16> {
        self.before.get(&slot).copied()
    }

    pub(crate) fn hold_number(&self, routine: u16, index: usize, entity: &str) -> Option<u16> {
        let is_it = |(owner, trigger, of): &(u16, u16, String)| {
            *owner == routine && *trigger as usize == index && (of == entity || of.is_empty())
        };
        self.holds.iter().position(is_it).map(|at| at as u16)
    }

    pub(crate) fn hold_length(&self, routine: u16, index: usize) -> Option<Templated> {
        hold_of(&self.routines[routine as usize].triggers[index]).cloned()
    }

    pub(crate) fn holds_of(&self, routine: u16) -> impl Iterator<Item = u16> + use<> {
        let own: Vec<u16> =
            (0..self.holds.len() as u16).filter(|&hold| self.holds[hold as usize].0 == routine).collect();
        own.into_iter()
    }

    pub(crate) fn routine_of(&self, entity: &str) -> Option<u16> {
        self.routines.iter().position(|routine| routine.entity == entity).map(|at| at as u16)
    }

    /// Whether a trigger hears of an entity.
    pub(crate) fn hears(&self, trigger: &Trigger, entity: &str) -> bool {
        heard(trigger).iter().any(|known| known == entity)
    }

    pub(crate) fn part_start(&self, part: u8) -> i64 {
        // Part 0 is from midnight to the first time.
        if part == 0 { 0 } else { self.layout.times.get(part as usize - 1).copied().unwrap_or(0) }
    }

    pub(crate) fn note_cut(&self) {
        self.cut.store(true, Ordering::Relaxed);
    }

    /// Whether a run was left out because there were as many as are followed.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// The entity that started a run and the values that it may have for that, where a state trigger with `to` did.
    pub(crate) fn started_by(&self, routine: u16, trigger: u16) -> Option<(u16, Vec<u16>)> {
        let trigger = self.routines[routine as usize].triggers.get(trigger as usize)?;
        let TriggerKind::State { entities, attribute: None, to: Match::In(values), .. } = &trigger.kind else {
            return None;
        };
        let [entity] = entities.as_slice() else { return None };
        let slot = self.layout.slot(entity, None)?;
        let about = &self.layout.slots[slot as usize];
        Some((slot, values.iter().map(|value| about.number_of(&Val::text(value))).collect()))
    }

    /// The automations that start when an entity gets a value.
    pub(crate) fn answers(&self, slot: u16, value: u16) -> impl Iterator<Item = u16> + '_ {
        let about = &self.layout.slots[slot as usize];
        let (entity, text) = (&about.name.0, about.values[value as usize].to_string());
        (0..self.routines.len() as u16).filter(move |&routine| {
            self.routines[routine as usize].triggers.iter().any(|trigger| match &trigger.kind {
                TriggerKind::State { entities, attribute: None, to: Match::In(values), hold: None, .. } => {
                    entities.contains(entity) && values.contains(&text)
                }
                _ => false,
            })
        })
    }

    // Words

    pub(crate) fn quoted(&self, routine: u16) -> String {
        format!("\"{}\"", self.routines[routine as usize].name)
    }

    pub(crate) fn slot_name(&self, slot: u16) -> String {
        let (entity, attribute) = &self.layout.slots[slot as usize].name;
        attribute.as_ref().map_or_else(|| entity.clone(), |attribute| format!("{attribute} of {entity}"))
    }

    /// `light.hall on`
    pub(crate) fn shown(&self, slot: u16, value: u16) -> String {
        format!("{} {}", self.slot_name(slot), self.layout.slots[slot as usize].values[value as usize])
    }

    /// `turns light.hall on`, `sets cover.x to open`
    fn does(&self, slot: u16, value: u16) -> String {
        let text = self.layout.slots[slot as usize].values[value as usize].to_string();
        let name = self.slot_name(slot);
        match text.as_str() {
            "on" | "off" => format!("turns {name} {text}"),
            _ => format!("sets {name} to {text}"),
        }
    }

    /// `automations.yaml:12`
    fn shown_place(&self, place: Place) -> String {
        format!("{}:{}", self.configuration.path(place), place.line)
    }

    /// Where a routine sets a slot to a value, if one of its calls says so.
    fn set_at(&self, routine: u16, slot: u16, value: u16) -> Option<Place> {
        let entity = &self.layout.slots[slot as usize].name.0;
        let text = self.layout.slots[slot as usize].values[value as usize].to_string();
        let own = self.codes[routine as usize].ops.iter();
        let calls = own.filter_map(|(op, place, _)| if let Op::Call(call) = op { Some((call, *place)) } else { None });
        let sets = |call: &crate::config::Call| {
            let named = targets(call, &self.configuration);
            named.iter().any(|name| super::layout::expand(&self.configuration, name).contains(entity))
        };
        let mut fitting = calls.filter(|(call, _)| sets(call));
        let says = |call: &crate::config::Call| {
            let data: Vec<(String, Val)> =
                call.data.iter().filter_map(|(key, value)| Some((key.clone(), value.fixed()?))).collect();
            let service = call.service.fixed().map(|service| service.to_string()).unwrap_or_default();
            effects(&service, entity, &data).unwrap_or_default().contains(&Effect::State(text.clone()))
        };
        let all: Vec<_> = fitting.by_ref().collect();
        all.iter().find(|(call, _)| says(call)).or(all.first()).map(|(_, place)| *place)
    }

    /// Where a run has waited, before the operation that it is at.
    pub(crate) fn waited_at(&self, routine: u16, at: u16) -> Option<Place> {
        let before = self.codes[routine as usize].ops.iter().take(at as usize).rev();
        let mut waits =
            before.filter(|(op, ..)| matches!(op, Op::Delay(_) | Op::WaitTemplate { .. } | Op::WaitTrigger { .. }));
        waits.next().map(|(_, place, _)| *place)
    }

    /// When each step of a schedule happens, as times of day, and what the last one began with.
    pub(crate) fn told_times(&self, moves: &[Move]) -> (Vec<String>, Option<String>) {
        let followed = self.follow(moves);
        let clock = |milliseconds: &i64| {
            let second = followed.start + milliseconds / 1000;
            let time = format!("{:02}:{:02}:{:02}", second / 3600 % 24, second / 60 % 60, second % 60);
            let part = milliseconds % 1000;
            if part == 0 { time } else { format!("{time}.{part:03}") }
        };
        let cause = followed.steps.last().map(|happened| happened.last_cause);
        let first = followed.steps.iter().rposition(|happened| Some(happened.cause) == cause);
        let words = first.map(|at| match self.who(moves[at].actor) {
            Who::Run(id) => format!("{} went on", self.quoted(id.0)),
            _ => self.actor_name(moves[at].actor),
        });
        (followed.times.iter().map(clock).collect(), words)
    }

    fn location(&self, place: Place) -> Location {
        Location { file: Arc::from(self.configuration.path(place)), line: place.line, column: place.column }
    }

    /// A finding in the owner's words.
    pub(crate) fn violation(&self, finding: Finding) -> Violation {
        let name = |routine: u16| self.quoted(routine);
        let (kind, message, place) = match finding {
            Finding::Fight { first, second, slot, old, new, place, follows } => (
                ViolationKind::Conflict,
                format!(
                    "{} {}, and {} {}{}, {ONE_EVENT}; {}",
                    name(first),
                    self.does(slot, old),
                    name(second),
                    self.does(slot, new),
                    self.set_at(first, slot, old).map_or_else(String::new, |other| {
                        format!(" ({} and {})", self.shown_place(other), self.shown_place(place))
                    }),
                    if follows {
                        format!(
                            "{} follows from what was done first, and undoes it: let one of them ask for a condition that the other one excludes",
                            name(second)
                        )
                    } else {
                        "which of them wins depends on the order in which Home Assistant calls them, and that changes when you edit one of them: make them one automation with `choose`, or let one ask for a condition that the other one excludes".to_owned()
                    }
                ),
                Some(place),
            ),
            Finding::Loop { routines } => {
                let mut names: Vec<String> = Vec::new();
                for routine in routines.iter().rev().take(12) {
                    let name = name(*routine);
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
                names.sort();
                let message = match names.as_slice() {
                    [one] => format!("{one} sets itself off again and again"),
                    many => format!("{} set each other off again and again", many.join(" and ")),
                };
                (ViolationKind::Cascade, message, routines.last().map(|&routine| self.routines[routine as usize].place))
            }
            Finding::Lost { routine, slot, new, place, waited } => (
                ViolationKind::Conflict,
                format!(
                    "lost trigger: {} was triggered again while it waited{}, `mode: {}` ignored that, and it {} too early; try `mode: restart`",
                    name(routine),
                    waited.map_or_else(String::new, |place| format!(", at {}", self.shown_place(place))),
                    self.routines[routine as usize].mode.name(),
                    self.does(slot, new)
                ),
                Some(place),
            ),
            Finding::Stale { routine, other, slot, new, entity, now, place } => (
                ViolationKind::Conflict,
                format!(
                    "stale action: {} {} after its delay, though {} by now, for which {} ({}) does the opposite; try `for:` in the trigger, `mode: restart`, or a condition after the delay",
                    name(routine),
                    self.does(slot, new),
                    self.is_word(entity, now),
                    if other == routine { "it".to_owned() } else { name(other) },
                    self.shown_place(self.routines[other as usize].place)
                ),
                Some(place),
            ),
            Finding::Missed { routine, slot, place } => (
                ViolationKind::Conflict,
                format!(
                    "missed wait: {} waits for {} to change, but that has happened before the wait began, and there is no timeout; try `wait_template`",
                    name(routine),
                    self.slot_name(slot)
                ),
                Some(place),
            ),
            Finding::Returned { routine, entity, slot, place } => (
                ViolationKind::Conflict,
                format!(
                    "unavailable: {} comes back from unavailable as it was before, and for that {} sets {}; try {}",
                    self.slot_name(entity),
                    name(routine),
                    self.slot_name(slot),
                    if self.layout.slots[entity as usize].values.iter().any(|value| value.as_number().is_some()) {
                        "a condition on `trigger.from_state.state`"
                    } else {
                        "`not_from: [unavailable, unknown]`"
                    }
                ),
                Some(place),
            ),
            Finding::Order { first, second, runs } => (
                ViolationKind::Conflict,
                format!(
                    "order: {} {} because {} ({}), which has the same trigger, is called before it; that changes when you edit one of them: make them one automation, or let {} ask for something that {} does not set",
                    name(second),
                    if runs { "runs" } else { "does not run" },
                    name(first),
                    self.shown_place(self.routines[first as usize].place),
                    name(second),
                    name(first),
                ),
                Some(self.routines[second as usize].place),
            ),
            Finding::Takeover { first, second, slot, old, new, place } => (
                ViolationKind::Conflict,
                format!(
                    "takeover: {} {}, and later, because of another event, {} {}{}",
                    name(first),
                    self.does(slot, old),
                    name(second),
                    self.does(slot, new),
                    self.set_at(first, slot, old).map_or_else(String::new, |other| {
                        format!(" ({} and {})", self.shown_place(other), self.shown_place(place))
                    }),
                ),
                Some(place),
            ),
            Finding::Broken => {
                let place = self.expectation().and_then(|expectation| expectation.place);
                let location = place.map(|place| self.location(place));
                return Violation { location, ..self.broken() };
            }
            Finding::Vanished { routine, slot, new, place } => (
                ViolationKind::Conflict,
                format!(
                    "unavailable: {} waits for {} with `from:`, but it came back from unavailable as {}, which does not end the wait; leave out `from:`",
                    name(routine),
                    self.slot_name(slot),
                    self.layout.slots[slot as usize].values[new as usize]
                ),
                Some(place),
            ),
        };
        Violation { location: place.map(|place| self.location(place)), ..Violation::new(kind, message) }
    }

    /// What was done in a step, and by which automation: `"Hall on" runs, asks for light.hall on`.
    fn told(&self, deeds: &[Deed]) -> String {
        let mut told = String::new();
        let mut before = None;
        for (number, deed) in deeds.iter().enumerate() {
            if number == MOST_TOLD {
                return told + " …";
            }
            told += match (number, before == Some(deed.routine)) {
                (0, _) => "",
                (_, true) => ", ",
                (_, false) => "; ",
            };
            if let Some(routine) = deed.routine.filter(|_| before != Some(deed.routine)) {
                told += &format!("{} ", self.quoted(routine));
            }
            told += &deed.text;
            before = Some(deed.routine);
        }
        told
    }

    fn is_word(&self, slot: u16, value: u16) -> String {
        format!("{} is {}", self.slot_name(slot), self.layout.slots[slot as usize].values[value as usize])
    }

    // Steps

    /// The initial state, in which some slots have other values than usual.
    pub(crate) fn initial_with(&self, values: impl Iterator<Item = (u16, u16)>) -> State {
        let mut state = State {
            values: self.layout.slots.iter().map(|slot| slot.initial).collect(),
            writers: vec![(0, 0); self.layout.slots.len()],
            marks: vec![0; self.marks as usize],
            runs: Vec::new(),
            zone: Zone::default(),
        };
        for (slot, value) in values {
            state.values[slot as usize] = value;
        }
        for (number, &(.., period)) in self.patterns.iter().enumerate() {
            state.zone.start(Key::Pattern(number as u16), Some(period * 1000), 0);
        }
        if self.layout.has_lengths && !self.layout.times.is_empty() {
            state.zone.start(Key::Day, Some(self.layout.times[0].max(1) * 1000), 0);
        }
        for (number, slot) in self.layout.slots.iter().enumerate() {
            if let Some(most) = slot.age {
                state.zone.start(Key::Age(number as u16), None, most);
            }
        }
        let mut step = Step::without_footprint();
        let mut stage = Stage::new(self, &mut state, &mut step, false);
        for derived in 0..self.derived.len() as u16 {
            stage.derive(derived, None);
        }
        for routine in 0..self.routines.len() as u16 {
            stage.arm(routine);
        }
        stage.finish();
        // What was set up is no automation's action.
        state.runs.clear();
        state
    }

    /// What an actor is.
    pub(crate) fn who(&self, actor: ActorId) -> Who<'_> {
        let mut rest = actor.index();
        if let Some(doing) = self.doings.get(rest) {
            return Who::Doing(doing);
        }
        rest -= self.doings.len();
        if rest < self.holds.len() {
            return Who::Hold(rest as u16);
        }
        rest -= self.holds.len();
        if rest < self.patterns.len() {
            return Who::Pattern(rest as u16);
        }
        rest -= self.patterns.len();
        if rest < self.layout.slots.len() {
            return Who::Timer(rest as u16);
        }
        rest -= self.layout.slots.len();
        if rest == 0 {
            return Who::Promise;
        }
        rest -= 1;
        Who::Run(((rest as u32 / INSTANCES) as u16, (rest as u32 % INSTANCES) as u8))
    }

    pub(crate) fn actor_of(&self, key: Key) -> ActorId {
        let base = self.doings.len();
        let (holds, patterns, slots) = (self.holds.len(), self.patterns.len(), self.layout.slots.len());
        ActorId(match key {
            Key::Hold(hold) => base + hold as usize,
            Key::Pattern(pattern) => base + holds + pattern as usize,
            Key::Timer(slot) => base + holds + patterns + slot as usize,
            Key::Promise => base + holds + patterns + slots,
            Key::Run(routine, instance) => {
                base + holds + patterns + slots + 1 + routine as usize * INSTANCES as usize + instance as usize
            }
            Key::Day | Key::Age(_) => {
                self.doings.iter().position(|(doing, _)| matches!(doing, Doing::Day)).unwrap_or(0)
            }
        } as u32)
    }

    /// The clock that goes off when an actor moves.
    pub(crate) fn key_of(&self, actor: ActorId) -> Option<Key> {
        match self.who(actor) {
            Who::Doing((Doing::Day, _)) => Some(Key::Day),
            Who::Doing(_) => None,
            Who::Hold(hold) => Some(Key::Hold(hold)),
            Who::Pattern(pattern) => Some(Key::Pattern(pattern)),
            Who::Timer(slot) => Some(Key::Timer(slot)),
            Who::Promise => Some(Key::Promise),
            Who::Run(id) => Some(Key::Run(id.0, id.1)),
        }
    }

    pub(crate) fn doing(&self, wanted: impl Fn(&Doing) -> bool) -> Option<ActorId> {
        self.doings.iter().position(|(doing, _)| wanted(doing)).map(|at| ActorId(at as u32))
    }

    pub(crate) fn perform_step(&self, state: &mut State, actor: ActorId, step: &mut Step, telling: bool) -> Happened {
        let mut stage = Stage::new(self, state, step, telling);
        stage.new_cause();
        let cause = stage.cause;
        match self.who(actor) {
            Who::Doing((Doing::Change(slot, value), _)) => stage.write(*slot, *value, None),
            Who::Doing((Doing::Event(name, data), _)) => {
                stage.fire(Happening::Event { name: name.clone(), data: data.clone() })
            }
            Who::Doing((Doing::Start, _)) => {
                self.fire_all(&mut stage, |kind| *kind == TriggerKind::Start, "homeassistant")
            }
            Who::Doing((Doing::Day, _)) => self.next_part(&mut stage),
            Who::Hold(hold) => {
                stage.step.write(self.zone_object());
                stage.state.zone.go_off(Key::Hold(hold));
                stage.held(hold);
            }
            Who::Pattern(pattern) => {
                let (routine, index, period) = self.patterns[pattern as usize];
                stage.step.write(self.zone_object());
                stage.state.zone.go_off(Key::Pattern(pattern));
                stage.start_clock(Key::Pattern(pattern), period * 1000);
                let info = stage.info(&self.routines[routine as usize].triggers[index as usize], "time_pattern", None);
                stage.triggered(routine, index, &info);
            }
            Who::Timer(slot) => {
                stage.step.write(self.zone_object());
                stage.state.zone.go_off(Key::Timer(slot));
                stage.timer_ends(slot);
            }
            Who::Promise => {
                stage.step.write(self.zone_object());
                stage.state.zone.go_off(Key::Promise);
                stage.promise_is_due();
            }
            Who::Run(id) => {
                stage.step.write(self.run_object(id.0));
                if stage.state.zone.runs(Key::Run(id.0, id.1)) {
                    stage.step.write(self.zone_object());
                    stage.state.zone.go_off(Key::Run(id.0, id.1));
                }
                stage.resume(id);
            }
        }
        stage.finish();
        Happened { cause, ..stage.happened() }
    }

    fn fire_all(&self, stage: &mut Stage<'_, '_>, wanted: impl Fn(&TriggerKind) -> bool, platform: &str) {
        for (routine, about) in self.routines.iter().enumerate() {
            for (index, trigger) in about.triggers.iter().enumerate() {
                if wanted(&trigger.kind) {
                    let info = stage.info(trigger, platform, None);
                    stage.triggered(routine as u16, index as u16, &info);
                }
            }
        }
    }

    /// The next part of the day: time triggers, and the sun.
    fn next_part(&self, stage: &mut Stage<'_, '_>) {
        let times = &self.layout.times;
        let part = stage.mark(self.day_mark());
        let next = if part as usize >= times.len() { 0 } else { part + 1 };
        stage.set_mark(self.day_mark(), next);
        if next == 0 && self.layout.weekdays {
            let day = stage.mark(self.weekday_mark());
            stage.set_mark(self.weekday_mark(), (day + 1) % 7);
        }
        if stage.state.zone.runs(Key::Day) {
            stage.step.write(self.zone_object());
            stage.state.zone.go_off(Key::Day);
            let start = self.part_start(next);
            let end = times.get(next as usize).copied().unwrap_or(86_400);
            stage.start_clock(Key::Day, (end - start).max(1) * 1000);
        }
        if next == 0 {
            return;
        }
        let now = self.part_start(next);
        let weekday = stage.weekday();
        if let Some(slot) = self.layout.slot("sun.sun", None) {
            let text = if now == self.options.sunrise {
                Some("above_horizon")
            } else if now == self.options.sunset {
                Some("below_horizon")
            } else {
                None
            };
            if let Some(text) = text {
                let value = self.layout.slots[slot as usize].number_of(&Val::text(text));
                stage.write(slot, value, None);
            }
        }
        let sun = |rises: bool, offset: i64| {
            (if rises { self.options.sunrise } else { self.options.sunset } + offset).rem_euclid(86_400)
        };
        let wanted = |kind: &TriggerKind| match kind {
            TriggerKind::Time { at, weekdays } => {
                at.contains(&crate::config::At::Fixed(now))
                    && weekdays.as_ref().is_none_or(|days| weekday.is_none_or(|day| days.contains(&day)))
            }
            TriggerKind::Sun { rises, offset } => sun(*rises, *offset) == now,
            _ => false,
        };
        self.fire_all(stage, wanted, "time");
    }
}

pub(crate) enum Who<'m> {
    Doing(&'m (Doing, String)),
    Hold(u16),
    Pattern(u16),
    Timer(u16),
    Promise,
    Run(RunId),
}

/// The entities that a trigger hears of.
fn heard(trigger: &Trigger) -> Vec<String> {
    match &trigger.kind {
        TriggerKind::State { entities, .. } | TriggerKind::Numeric { entities, .. } => entities.clone(),
        TriggerKind::Template { template, .. } => read_by(template),
        _ => Vec::new(),
    }
}

fn hold_of(trigger: &Trigger) -> Option<&Templated> {
    match &trigger.kind {
        TriggerKind::State { hold, .. } | TriggerKind::Numeric { hold, .. } | TriggerKind::Template { hold, .. } => {
            hold.as_ref()
        }
        _ => None,
    }
}

/// The entities that a template reads.
fn read_by(template: &Template) -> Vec<String> {
    let mut entities: Vec<String> = scan(template).states.into_iter().map(|(entity, ..)| entity).collect();
    entities.sort();
    entities.dedup();
    entities
}

impl mazurka_core::System for Model {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        vec![self.initial_with(std::iter::empty())]
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        for (number, (doing, _)) in self.doings.iter().enumerate() {
            let can = match doing {
                Doing::Change(slot, value) => state.values[*slot as usize] != *value,
                Doing::Event(..) | Doing::Start => true,
                Doing::Day => !state.zone.runs(Key::Day) || state.zone.can_go_off(Key::Day),
            };
            if can {
                into.push(ActorId(number as u32));
            }
        }
        let mut others: Vec<ActorId> = Vec::new();
        for key in state.zone.pending() {
            if !matches!(key, Key::Day | Key::Run(..)) && state.zone.can_go_off(key) {
                others.push(self.actor_of(key));
            }
        }
        for run in &state.runs {
            let key = Key::Run(run.id.0, run.id.1);
            let waits =
                matches!(run.status, Status::Call(_) | Status::Sleep | Status::WaitTemplate | Status::WaitTrigger(_));
            let goes_on = match run.status {
                Status::Call(_) => !state.zone.runs(key) || state.zone.can_go_off(key),
                _ => state.zone.runs(key) && state.zone.can_go_off(key),
            };
            if waits && goes_on {
                others.push(self.actor_of(key));
            }
        }
        others.sort();
        into.extend(others);
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        self.perform_step(state, actor, step, false);
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

impl Insight<State> for Model {
    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        match self.who(actor) {
            Who::Doing((Doing::Change(slot, _), _)) => footprint.touch(self.slot_object(*slot), Access::READ),
            Who::Run(id) => {
                footprint.touch(self.run_object(id.0), Access::READ);
                footprint.touch(self.zone_object(), Access::READ);
            }
            _ => footprint.touch(self.zone_object(), Access::READ),
        }
    }
}

impl Narrator<State> for Model {
    fn actor_name(&self, actor: ActorId) -> String {
        match self.who(actor) {
            Who::Doing((_, words)) => words.clone(),
            Who::Hold(hold) => {
                let (routine, index, entity) = &self.holds[hold as usize];
                let length = self
                    .hold_length(*routine, *index as usize)
                    .and_then(|length| length.fixed())
                    .and_then(|value| duration::of_value(&value));
                format!(
                    "{} has stayed so for {}",
                    if entity.is_empty() { "the template" } else { entity },
                    length.map_or_else(|| "a while".to_owned(), duration::told)
                )
            }
            Who::Pattern(pattern) => format!("it is time for {}", self.quoted(self.patterns[pattern as usize].0)),
            Who::Timer(slot) => format!("{} ends", self.slot_name(slot)),
            Who::Promise => "the time is over".to_owned(),
            Who::Run(id) if id.1 == 0 => format!("{} goes on", self.quoted(id.0)),
            Who::Run(id) => format!("{} goes on (run {})", self.quoted(id.0), id.1 + 1),
        }
    }

    fn object_name(&self, object: ObjectId) -> String {
        let number = (object.0 - self.first_object) as usize;
        let slots = self.layout.slots.len();
        if number < slots {
            return self.slot_name(number as u16);
        }
        let number = number - slots;
        if number < self.marks as usize {
            return "what triggers remember".to_owned();
        }
        let number = number - self.marks as usize;
        if number < self.routines.len() {
            format!("the runs of {}", self.quoted(number as u16))
        } else {
            "time".to_owned()
        }
    }

    fn touch_verb(&self, _object: ObjectId, access: Access) -> &'static str {
        if access.changes() { "changed" } else { "looked at" }
    }

    fn describe(&self, state: &State, actor: ActorId, outcome: Outcome) -> Description {
        let mut after = state.clone();
        let mut step = Step::without_footprint();
        step.begin(outcome);
        let deeds = self.perform_step(&mut after, actor, &mut step, true).deeds;
        let told = self.told(&deeds);
        let location = deeds.iter().find_map(|deed| deed.place).map(|place| self.location(place));
        Description { text: if told.is_empty() { self.actor_name(actor) } else { told }, location }
    }

    fn observe(&self, state: &State, into: &mut Vec<Value>) {
        for (slot, &value) in state.values.iter().enumerate() {
            let about = &self.layout.slots[slot];
            if about.name.0.starts_with("automation.") || about.name.0.starts_with("script.") {
                continue;
            }
            into.push(Value { name: self.slot_name(slot as u16), value: about.values[value as usize].to_string() });
        }
    }
}

#[allow(clippy::derivable_impls)]
impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("routines", &self.routines.len())
            .field("slots", &self.layout.slots.len())
            .finish()
    }
}
