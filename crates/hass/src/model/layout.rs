//! The slots of a state: entities and attributes that something reads or writes, each with the few values that matter.
//!
//! Numbers are cut where they are compared: each piece of the line has one number that stands for it.

use super::services::{self, Effect};
use crate::config::{
    Action, ActionKind, At, Bound, Call, Condition, ConditionKind, Configuration, Expectation, Expected, Match, Repeat,
    Routine, Target, Templated, Trigger, TriggerKind,
};
use crate::template::{Template, Val, scan};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// An entity, or an attribute of one.
pub(crate) type Name = (String, Option<String>);

/// What a slot can hold.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) name: Name,
    pub(crate) values: Vec<Val>,
    pub(crate) initial: u16,
    /// The numbers at which the line is cut, and whether the number itself belongs to the left piece.
    cuts: Vec<(f64, bool)>,
    /// Whether an environment may change it.
    pub(crate) is_input: bool,
    /// The largest length of time that its age is compared with.
    pub(crate) age: Option<i64>,
}

impl Slot {
    /// The number of a value; one that does not matter is the other one, or the one of its piece of the line.
    pub(crate) fn number_of(&self, value: &Val) -> u16 {
        let exact = |wanted: &Val| self.values.iter().position(|known| known == wanted);
        let text = match (value, &self.name.1) {
            (Val::Text(_), _) | (_, Some(_)) => value.clone(),
            (other, None) => Val::text(other.to_string()),
        };
        if let Some(at) = exact(&text) {
            return at as u16;
        }
        if let Some(number) = value.as_number() {
            if self.name.1.is_some() {
                let same = self.values.iter().position(|known| known.as_number() == Some(number));
                if let Some(at) = same {
                    return at as u16;
                }
            }
            let piece = |number: f64| {
                self.cuts.iter().filter(|(cut, left)| if *left { number > *cut } else { number >= *cut }).count()
            };
            let wanted = piece(number);
            let fits = |known: &Val| known.as_number().is_some_and(|known| piece(known) == wanted);
            if let Some(at) = self.values.iter().position(fits) {
                return at as u16;
            }
        }
        exact(&Val::text(OTHER)).unwrap_or(self.initial as usize) as u16
    }
}

/// A value that is mentioned nowhere.
pub(crate) const OTHER: &str = "other";

/// What is known of each name before its slot is made.
#[derive(Default)]
struct Facts {
    values: Vec<Val>,
    cuts: Vec<(f64, bool)>,
    any_change: bool,
    written: bool,
    read: bool,
    age: Option<i64>,
    disturbed: bool,
}

pub(crate) struct Layout {
    pub(crate) slots: Vec<Slot>,
    index: FxHashMap<String, FxHashMap<Option<String>, u16>>,
    /// The times of day that are mentioned, in seconds.
    pub(crate) times: Vec<i64>,
    pub(crate) weekdays: bool,
    /// Whether some length of time is mentioned.
    pub(crate) has_lengths: bool,
}

/// What a layout is made with.
pub(crate) struct Wishes<'w> {
    pub(crate) sunrise: i64,
    pub(crate) sunset: i64,
    pub(crate) unavailable: bool,
    pub(crate) hands: bool,
    /// States that will be set from outside, and whether entities without a definition are missing at the start.
    pub(crate) extra: &'w [(String, Val)],
    pub(crate) exact: bool,
    /// What the owner expects.
    pub(crate) expected: Option<&'w Expectation>,
}

impl Layout {
    pub(crate) fn slot(&self, entity: &str, attribute: Option<&str>) -> Option<u16> {
        self.index.get(entity)?.get(&attribute.map(str::to_owned)).copied()
    }

    pub(crate) fn new(configuration: &Configuration, routines: &[&Routine], wishes: &Wishes<'_>) -> Layout {
        let mut collector = Collector {
            configuration,
            facts: BTreeMap::new(),
            times: BTreeSet::new(),
            weekdays: false,
            has_lengths: false,
            sun: (wishes.sunrise, wishes.sunset),
        };
        for routine in routines {
            collector.routine(routine);
        }
        for condition in wishes.expected.iter().flat_map(|expected| expected.kind.conditions()) {
            collector.condition(condition);
        }
        collector.has_lengths |= wishes.expected.is_some_and(|expected| matches!(expected.kind, Expected::Within(..)));
        for (entity, value) in wishes.extra {
            collector.fact(entity, None).values.push(value.clone());
        }
        if wishes.exact {
            configuration.helpers.iter().for_each(|helper| collector.fact(&helper.entity, None).written = true);
        }
        collector.close();
        collector.finish(wishes)
    }
}

struct Collector<'c> {
    configuration: &'c Configuration,
    facts: BTreeMap<Name, Facts>,
    times: BTreeSet<i64>,
    weekdays: bool,
    has_lengths: bool,
    sun: (i64, i64),
}

impl Collector<'_> {
    fn fact(&mut self, entity: &str, attribute: Option<&str>) -> &mut Facts {
        self.facts.entry((entity.to_owned(), attribute.map(str::to_owned))).or_default()
    }

    fn mention(&mut self, entity: &str, attribute: Option<&str>, values: impl IntoIterator<Item = String>) {
        let fact = self.fact(entity, attribute);
        fact.read = true;
        fact.values.extend(values.into_iter().map(Val::text));
    }

    /// Template entities and members of groups are part of it as soon as they are.
    fn close(&mut self) {
        loop {
            let known = self.facts.len();
            let entities: BTreeSet<String> = self.facts.keys().map(|(entity, _)| entity.clone()).collect();
            for group in &self.configuration.groups {
                if entities.contains(&group.entity) {
                    for member in &group.members {
                        self.fact(member, None).read = true;
                    }
                    let (on, off) = group.words();
                    self.fact(&group.entity, None).values.extend([Val::text(off), Val::text(on)]);
                }
            }
            for derived in &self.configuration.derived {
                if entities.contains(&derived.entity) {
                    self.template(&derived.state);
                }
            }
            if self.facts.len() == known {
                return;
            }
        }
    }

    fn template(&mut self, template: &Template) {
        let reads = scan(template);
        for (entity, attribute, values) in reads.states {
            let fact = self.fact(&entity, attribute.as_deref());
            fact.read = true;
            for value in values {
                match value.number() {
                    Some(number) => fact.cuts.extend([(number, false), (number, true)]),
                    None => fact.values.push(value),
                }
            }
            self.fact(&entity, None).read = true;
        }
        for (entity, length) in reads.ages {
            let fact = self.fact(&entity, None);
            fact.age = fact.age.max(Some(length.unwrap_or(0)));
            self.has_lengths = true;
        }
        self.times.extend(reads.times);
        self.weekdays |= reads.weekday;
        for domain in reads.domains {
            let prefix = format!("{domain}.");
            let names: Vec<String> = self
                .facts
                .keys()
                .map(|(entity, _)| entity.clone())
                .filter(|entity| entity.starts_with(&prefix))
                .collect();
            names.iter().for_each(|name| self.fact(name, None).read = true);
        }
    }

    fn templated(&mut self, value: &Templated) {
        let mut found = Vec::new();
        value.templates(&mut |template| found.push(template.clone()));
        found.iter().for_each(|template| self.template(template));
    }

    fn length(&mut self, value: Option<&Templated>) {
        if let Some(value) = value {
            self.has_lengths = true;
            self.templated(value);
        }
    }

    fn bound(&mut self, entities: &[String], attribute: Option<&str>, bound: Option<&Bound>, left: bool) {
        match bound {
            Some(Bound::Number(number)) => {
                for entity in entities {
                    self.fact(entity, attribute).cuts.push((*number, left));
                }
            }
            Some(Bound::Entity(bound)) => {
                // Both move: one sample below, one above.
                let fact = self.fact(bound, None);
                fact.read = true;
                fact.cuts.push((20.0, true));
                for entity in entities {
                    self.fact(entity, attribute).cuts.extend([(10.0, true), (20.0, true), (30.0, true)]);
                }
            }
            None => {}
        }
        for entity in entities {
            self.fact(entity, attribute).read = true;
            self.fact(entity, None).read = true;
        }
    }

    fn at(&mut self, at: &At) {
        match at {
            At::Fixed(second) => {
                self.times.insert(*second);
            }
            At::Entity(entity, _) => self.fact(entity, None).read = true,
        }
    }

    fn routine(&mut self, routine: &Routine) {
        self.fact(&routine.entity, None).values.extend([Val::text("off"), Val::text("on")]);
        routine.triggers.iter().for_each(|trigger| self.trigger(trigger));
        routine.conditions.iter().for_each(|condition| self.condition(condition));
        routine.variables.iter().for_each(|(_, value)| self.templated(value));
        self.actions(&routine.actions);
    }

    fn trigger(&mut self, trigger: &Trigger) {
        trigger.variables.iter().for_each(|(_, value)| self.templated(value));
        match &trigger.kind {
            TriggerKind::State { entities, attribute, from, to, hold, .. } => {
                let open = |wanted: &Match| matches!(wanted, Match::Open | Match::Any | Match::NotIn(_));
                for entity in entities {
                    for wanted in [from, to] {
                        if let Match::In(values) | Match::NotIn(values) = wanted {
                            self.mention(entity, attribute.as_deref(), values.iter().cloned());
                        }
                    }
                    let fact = self.fact(entity, attribute.as_deref());
                    fact.read = true;
                    fact.any_change |= open(to) && open(from);
                    // What comes back from `unavailable` fires unless `from` forbids it, and a hold or a `from` misses it.
                    fact.disturbed = true;
                    self.fact(entity, None).read = true;
                }
                self.length(hold.as_ref());
            }
            TriggerKind::Numeric { entities, attribute, above, below, value, hold } => {
                self.bound(entities, attribute.as_deref(), above.as_ref(), true);
                self.bound(entities, attribute.as_deref(), below.as_ref(), false);
                entities.iter().for_each(|entity| self.fact(entity, None).disturbed = true);
                value.iter().for_each(|template| self.template(template));
                self.length(hold.as_ref());
            }
            TriggerKind::Template { template, hold } => {
                self.template(template);
                self.length(hold.as_ref());
            }
            TriggerKind::Time { at, weekdays } => {
                at.iter().for_each(|at| self.at(at));
                self.weekdays |= weekdays.is_some();
            }
            TriggerKind::Sun { rises, offset } => {
                let second = if *rises { self.sun.0 } else { self.sun.1 } + offset;
                self.times.insert(second.rem_euclid(86_400));
            }
            TriggerKind::Pattern { .. } => self.has_lengths = true,
            TriggerKind::Event { data, .. } => data.iter().for_each(|(_, value)| self.templated(value)),
            TriggerKind::Start | TriggerKind::Shutdown | TriggerKind::Outside(_) | TriggerKind::Opaque(_) => {}
        }
    }

    fn condition(&mut self, condition: &Condition) {
        match &condition.kind {
            ConditionKind::And(inner) | ConditionKind::Or(inner) | ConditionKind::Not(inner) => {
                inner.iter().for_each(|condition| self.condition(condition));
            }
            ConditionKind::State { entities, attribute, states, hold, .. } => {
                for entity in entities {
                    self.mention(entity, attribute.as_deref(), states.iter().cloned());
                    if let Some(hold) = hold {
                        self.templated(hold);
                        let length = hold.fixed().and_then(|value| crate::duration::of_value(&value)).unwrap_or(0);
                        let fact = self.fact(entity, None);
                        fact.age = fact.age.max(Some(length));
                        self.has_lengths = true;
                    }
                    self.fact(entity, None).read = true;
                }
                for state in states.iter().filter(|state| state.contains('.') && services::is_helper(state)) {
                    self.fact(state, None).read = true;
                }
            }
            ConditionKind::Numeric { entities, attribute, above, below, value } => {
                self.bound(entities, attribute.as_deref(), above.as_ref(), true);
                self.bound(entities, attribute.as_deref(), below.as_ref(), false);
                value.iter().for_each(|template| self.template(template));
            }
            ConditionKind::Template(template) => self.template(template),
            ConditionKind::Time { after, before, weekdays } => {
                after.iter().chain(before).for_each(|at| self.at(at));
                self.weekdays |= weekdays.is_some();
            }
            ConditionKind::Sun { after, before } => {
                for (rises, offset) in after.iter().chain(before) {
                    let second = if *rises { self.sun.0 } else { self.sun.1 } + offset;
                    self.times.insert(second.rem_euclid(86_400));
                }
            }
            ConditionKind::Trigger(_) | ConditionKind::Disabled | ConditionKind::Opaque(_) => {}
        }
    }

    fn actions(&mut self, actions: &[Action]) {
        for action in actions {
            match &action.kind {
                ActionKind::Call(call) => self.call(call),
                ActionKind::Delay(length) => self.length(Some(length)),
                ActionKind::WaitTemplate { template, timeout, .. } => {
                    self.template(template);
                    self.length(timeout.as_ref());
                }
                ActionKind::WaitTrigger { triggers, timeout, .. } => {
                    triggers.iter().for_each(|trigger| self.trigger(trigger));
                    self.length(timeout.as_ref());
                }
                ActionKind::Condition(condition) => self.condition(condition),
                ActionKind::Choose { branches, otherwise } => {
                    for (conditions, actions) in branches {
                        conditions.iter().for_each(|condition| self.condition(condition));
                        self.actions(actions);
                    }
                    self.actions(otherwise);
                }
                ActionKind::If { conditions, then, otherwise } => {
                    conditions.iter().for_each(|condition| self.condition(condition));
                    self.actions(then);
                    self.actions(otherwise);
                }
                ActionKind::Repeat { repeat, body } => {
                    match repeat {
                        Repeat::Count(value) | Repeat::Each(value) => self.templated(value),
                        Repeat::While(conditions) | Repeat::Until(conditions) => {
                            conditions.iter().for_each(|condition| self.condition(condition));
                        }
                    }
                    self.actions(body);
                }
                ActionKind::Parallel(branches) => branches.iter().for_each(|branch| self.actions(branch)),
                ActionKind::Sequence(actions) => self.actions(actions),
                ActionKind::Variables(variables) => variables.iter().for_each(|(_, value)| self.templated(value)),
                ActionKind::Event { .. } | ActionKind::Stop { .. } | ActionKind::Nothing => {}
            }
        }
    }

    fn call(&mut self, call: &Call) {
        self.templated(&call.service);
        let service = call.service.fixed().map(|value| value.to_string());
        let data: Vec<(String, Val)> =
            call.data.iter().filter_map(|(key, value)| Some((key.clone(), value.fixed()?))).collect();
        if matches!(service.as_deref(), Some("dev.slow" | "dev.now")) {
            let word = |key: &str| data.iter().find(|(known, _)| known == key).map(|(_, value)| value.to_string());
            if let Some(entity) = word("entity") {
                let states: Vec<String> =
                    call.data.iter().filter(|(key, _)| key == "state").flat_map(|(_, value)| texts(value)).collect();
                let fact = self.fact(&entity, None);
                fact.written = true;
                fact.values.extend(states.iter().map(Val::text));
            }
            self.has_lengths = true;
            return;
        }
        for entity in targets(call, self.configuration) {
            for member in expand(self.configuration, &entity) {
                if let Some(scene) = self.configuration.scenes.iter().find(|scene| scene.entity == member) {
                    for (entity, state, _) in &scene.states {
                        let fact = self.fact(entity, None);
                        fact.written = true;
                        fact.values.push(Val::text(state));
                    }
                    continue;
                }
                // What a template may set it to stands in the template.
                let set = call.data.iter().filter(|(key, value)| {
                    matches!(key.as_str(), "option" | "value" | "hvac_mode") && value.fixed().is_none()
                });
                let set: Vec<String> = set.flat_map(|(_, value)| texts(value)).collect();
                self.fact(&member, None).values.extend(set.iter().map(Val::text));
                let effects = service.as_deref().and_then(|service| services::effects(service, &member, &data));
                let fact = self.fact(&member, None);
                fact.written = true;
                for effect in effects.unwrap_or_default() {
                    match effect {
                        Effect::State(state) => self.fact(&member, None).values.push(Val::text(state)),
                        Effect::Attribute(attribute, value) => {
                            // Attributes that are never read are left out later.
                            self.fact(&member, Some(attribute)).values.push(value);
                        }
                        Effect::Start(_) => self.has_lengths = true,
                        _ => {}
                    }
                }
            }
        }
        for target in &call.targets {
            if let Target::Entities(entities) = target {
                self.templated(entities);
            }
        }
    }

    fn finish(self, wishes: &Wishes<'_>) -> Layout {
        let configuration = self.configuration;
        let mut slots: Vec<Slot> = Vec::new();
        let mut index: FxHashMap<String, FxHashMap<Option<String>, u16>> = FxHashMap::default();
        let written: BTreeSet<String> =
            self.facts.iter().filter(|(_, fact)| fact.written).map(|((entity, _), _)| entity.clone()).collect();
        for ((entity, attribute), mut fact) in self.facts {
            if attribute.is_some() && !fact.read {
                continue;
            }
            let helper = configuration.helpers.iter().find(|helper| helper.entity == entity);
            let domain = entity.split('.').next().unwrap_or("").to_owned();
            let derived = configuration.derived.iter().any(|derived| derived.entity == entity)
                || configuration.groups.iter().any(|group| group.entity == entity);
            let mut values: Vec<Val> = Vec::new();
            let mut add = |value: Val| {
                if !values.contains(&value) {
                    values.push(value);
                }
            };
            if attribute.is_none() {
                // A select begins with its first option.
                let options = helper.map(|helper| helper.options.as_slice()).unwrap_or_default();
                options.iter().for_each(|option| add(Val::text(option)));
                usual_values(&domain, &fact.values).iter().for_each(|value| add(Val::text(value)));
            } else {
                add(Val::None);
            }
            fact.cuts.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
            fact.cuts.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
            fact.cuts.dedup();
            for number in representatives(&fact.cuts) {
                add(if attribute.is_some() { Val::float(number) } else { Val::text(shown(number)) });
            }
            let steps = helper.and_then(|helper| helper.range).filter(|_| domain == "counter");
            if let Some((low, high, step)) = steps {
                let low = if low.is_finite() { low } else { 0.0 };
                let count = if high.is_finite() { ((high - low) / step) as i64 } else { 5 };
                (0..=count.clamp(0, 30)).for_each(|index| add(Val::text(shown(low + index as f64 * step))));
            }
            fact.values.into_iter().for_each(|value| match (&value, attribute.is_some()) {
                (Val::Text(_), false) | (_, true) => add(value),
                (other, false) => add(Val::text(other.to_string())),
            });
            if let Some(helper) = helper {
                helper.initial.iter().for_each(|initial| add(Val::text(initial)));
            }
            let is_known = two_valued(&domain)
                || matches!(domain.as_str(), "timer" | "input_button" | "button" | "counter" | "cover" | "lock");
            let has_options = helper.is_some_and(|helper| !helper.options.is_empty());
            if attribute.is_none() && !is_known && !derived && !has_options && values.len() < 2 {
                values.push(Val::text(OTHER));
            }
            if attribute.is_none()
                && fact.any_change
                && !is_known
                && !has_options
                && !derived
                && !values.contains(&Val::text(OTHER))
            {
                values.push(Val::text(OTHER));
            }
            if values.is_empty() {
                values.push(Val::text(OTHER));
            }
            let may_vanish = wishes.unavailable
                && fact.disturbed
                && !services::is_helper(&entity)
                && !derived
                && attribute.is_none()
                && domain != "sun";
            if (may_vanish || derived) && attribute.is_none() {
                for gone in if may_vanish { &["unavailable"][..] } else { &["unknown", "unavailable"][..] } {
                    if !values.contains(&Val::text(gone)) {
                        values.push(Val::text(gone));
                    }
                }
            }
            let is_routine = domain == "automation" || domain == "script";
            let initial_text = helper.and_then(|helper| helper.initial.clone());
            let mut initial =
                initial_text.and_then(|text| values.iter().position(|value| *value == Val::text(&text))).unwrap_or(0);
            if domain == "automation" {
                let on = configuration
                    .automations
                    .iter()
                    .find(|routine| routine.entity == entity)
                    .is_none_or(|routine| routine.initially_on);
                initial =
                    values.iter().position(|value| *value == Val::text(if on { "on" } else { "off" })).unwrap_or(0);
            }
            if wishes.exact && attribute.is_none() && helper.is_none() && !is_routine && !derived {
                values.push(Val::None);
                initial = values.len() - 1;
            }
            let by_dashboard = matches!(domain.as_str(), "input_boolean" | "input_select" | "input_button");
            let is_input = (fact.read || wishes.exact)
                && !is_routine
                && !derived
                && domain != "sun"
                && match services::is_helper(&entity) {
                    true => by_dashboard || !written.contains(&entity) && domain != "timer",
                    false => wishes.hands || !written.contains(&entity),
                };
            let number = slots.len() as u16;
            index.entry(entity.clone()).or_default().insert(attribute.clone(), number);
            slots.push(Slot {
                name: (entity, attribute),
                values,
                initial: initial as u16,
                cuts: fact.cuts,
                is_input,
                age: fact.age,
            });
        }
        let mut times: Vec<i64> = self.times.into_iter().filter(|second| (0..86_400).contains(second)).collect();
        times.dedup();
        Layout { slots, index, times, weekdays: self.weekdays, has_lengths: self.has_lengths }
    }
}

fn two_valued(domain: &str) -> bool {
    matches!(
        domain,
        "binary_sensor"
            | "switch"
            | "light"
            | "input_boolean"
            | "fan"
            | "siren"
            | "remote"
            | "humidifier"
            | "automation"
            | "script"
            | "group"
            | "schedule"
            | "update"
    )
}

/// The values that entities of a domain have in any case.
fn usual_values(domain: &str, mentioned: &[Val]) -> Vec<&'static str> {
    match domain {
        _ if two_valued(domain) => vec!["off", "on"],
        "cover" | "valve" => vec!["closed", "open"],
        "lock" => vec!["locked", "unlocked"],
        "person" | "device_tracker" => vec!["not_home", "home"],
        "timer" => vec!["idle", "active", "paused"],
        "sun" => vec!["above_horizon", "below_horizon"],
        "alarm_control_panel" => vec!["disarmed", "armed_away"],
        "input_button" | "button" | "scene" | "event" => vec!["before", "after"],
        "media_player" => vec!["off", "playing"],
        "climate" => vec!["off", "heat"],
        _ if mentioned.is_empty() => vec![],
        _ => vec![],
    }
}

/// One number for each piece of the line.
fn representatives(cuts: &[(f64, bool)]) -> Vec<f64> {
    let Some(((first, _), (last, last_left))) = cuts.first().zip(cuts.last()) else { return Vec::new() };
    let mut numbers = vec![if cuts[0].1 { *first } else { first - 1.0 }];
    for pair in cuts.windows(2) {
        let ((low, low_left), (high, high_left)) = (pair[0], pair[1]);
        numbers.push(match (low_left, high_left) {
            (false, _) => low,
            (true, true) => high,
            (true, false) => (low + high) / 2.0,
        });
    }
    numbers.push(if *last_left { last + 1.0 } else { *last });
    numbers
}

/// A number as a state shows it.
pub(crate) fn shown(number: f64) -> String {
    if number.fract() == 0.0 && number.abs() < 1e15 { format!("{}", number as i64) } else { format!("{number}") }
}

/// The entities of a call that are known without running it.
pub(crate) fn targets(call: &Call, configuration: &Configuration) -> Vec<String> {
    let mut entities = Vec::new();
    for target in &call.targets {
        match target {
            Target::Entities(value) => named(value, &mut entities),
            Target::Members(kind, id) => entities.extend(members(configuration, kind, id, call)),
        }
    }
    // Scripts are called by their names.
    entities
}

/// The entities of a device or area. Without a registry it is one entity of its own, of the domain of the service.
pub(crate) fn members(configuration: &Configuration, kind: &str, id: &str, call: &Call) -> Vec<String> {
    let service = call.service.fixed().map(|value| value.to_string()).unwrap_or_default();
    let domain = service.split('.').next().unwrap_or("");
    let known = configuration.registry.members(kind, id);
    if known.is_empty() {
        return vec![format!(
            "{}.{kind}_{}",
            if domain.is_empty() { "entity" } else { domain },
            crate::words::slug(id)
        )];
    }
    known.into_iter().filter(|entity| entity.split('.').next() == Some(domain) || domain == "homeassistant").collect()
}

/// The texts that a value is or that stand in its templates.
fn texts(value: &Templated) -> Vec<String> {
    let mut found: Vec<String> = value.fixed().iter().map(Val::to_string).collect();
    value.templates(&mut |template| {
        for quote in ['\'', '"'] {
            found.extend(template.text.split(quote).skip(1).step_by(2).map(str::to_owned));
        }
    });
    found
}

fn named(value: &Templated, into: &mut Vec<String>) {
    match value {
        Templated::Val(Val::Text(name)) => into.push(name.to_string()),
        Templated::Val(_) => {}
        Templated::List(items) => items.iter().for_each(|item| named(item, into)),
        Templated::Map(entries) => entries.iter().for_each(|(_, value)| named(value, into)),
        Templated::Template(template) => {
            // The names that stand in the template are the ones that can come out of it.
            let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '.';
            for word in template.text.split(|c| !is_part(c)) {
                if let Some((domain, object)) = word.split_once('.') {
                    let controllable = [
                        "light",
                        "switch",
                        "fan",
                        "cover",
                        "lock",
                        "climate",
                        "media_player",
                        "group",
                        "input_boolean",
                        "scene",
                        "script",
                        "timer",
                    ];
                    if controllable.contains(&domain) && !object.is_empty() && !object.contains('.') {
                        into.push(word.to_owned());
                    }
                }
            }
        }
    }
}

/// The members of a group, groups in it resolved; another entity is itself.
pub(crate) fn expand(configuration: &Configuration, entity: &str) -> Vec<String> {
    fn inner(configuration: &Configuration, entity: &str, into: &mut Vec<String>, depth: usize) {
        match configuration.groups.iter().find(|group| group.entity == entity) {
            Some(group) if depth < 8 => {
                group.members.iter().for_each(|member| inner(configuration, member, into, depth + 1))
            }
            _ => {
                if !into.iter().any(|known| known == entity) {
                    into.push(entity.to_owned());
                }
            }
        }
    }
    let mut found = Vec::new();
    inner(configuration, entity, &mut found, 0);
    found
}

/// The entities that a call sets, members of groups and what scenes set among them.
pub(crate) fn set_by(call: &Call, configuration: &Configuration) -> Vec<String> {
    let mut entities = Vec::new();
    for entity in targets(call, configuration) {
        for member in expand(configuration, &entity) {
            match configuration.scenes.iter().find(|scene| scene.entity == member) {
                Some(scene) => entities.extend(scene.states.iter().map(|(entity, ..)| entity.clone())),
                None => entities.push(member),
            }
        }
    }
    entities
}

/// Whether a call does something that is known.
pub(crate) fn has_effect(service: &str, call: &Call, configuration: &Configuration) -> bool {
    let domain = service.split('.').next().unwrap_or("");
    let data: Vec<(String, Val)> =
        call.data.iter().filter_map(|(key, value)| Some((key.clone(), value.fixed()?))).collect();
    matches!(domain, "script" | "scene" | "automation" | "dev" | "group")
        || targets(call, configuration)
            .iter()
            .any(|entity| entity.starts_with("scene.") || services::effects(service, entity, &data).is_some())
        || services::effects(service, &format!("{domain}.x"), &data).is_some()
}
