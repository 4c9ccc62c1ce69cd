//! What `verified` says of a home: what was checked, what could happen, and which rules were never put to the test.

use crate::happening::Happening;
use crate::home::Home;
use crate::layout::Fixed;
use crate::rules::Rule;
use crate::store::{Dynamic, Slot};
use mazurka_core::{ActorId, Narrator, System};
use std::sync::atomic::Ordering;

/// The most names that stand in one line.
const MOST_NAMES: usize = 12;

/// A rule that could not be broken whatever the apps did, because something that it mentions never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleRule {
    /// The rule, as the user wrote it.
    pub rule: String,
    /// What never changes and why, in words that follow the rule: "is about mode, which never changes: …".
    pub reason: String,
    /// What would make it change, in one sentence without a full stop.
    pub remedy: String,
}

impl Home {
    /// What was checked, in one sentence without a full stop.
    pub fn promise(&self) -> String {
        let (apps, each_other) = if self.apps.len() == 1 { ("the app", "itself") } else { ("the apps", "each other") };
        let fights = (self.checks_conflicts && self.apps.len() > 1).then(|| "fight".to_owned());
        let rules = match self.rules.len() {
            0 => None,
            1 => Some("break the rule".to_owned()),
            _ => Some("break a rule".to_owned()),
        };
        let always = ["crash".to_owned(), format!("set {each_other} off without end")];
        let all: Vec<String> = fights.into_iter().chain(always).chain(rules).collect();
        let (last, some) = all.split_last().map_or(("", &[][..]), |(last, some)| (last.as_str(), some));
        format!("no order of events lets {apps} {} or {last}", some.join(", "))
    }

    /// What was considered, by kind: what can happen, with which values, and what begins how.
    pub fn considered(&self) -> Vec<(&'static str, String)> {
        let mut possible: Vec<ActorId> = Vec::new();
        for state in self.initial_states() {
            self.enabled(&state, &mut possible);
        }
        possible.sort_unstable();
        possible.dedup();
        let names: Vec<String> = possible.iter().map(|&actor| self.actor_name(actor)).collect();
        let events = if names.is_empty() { "none: no app subscribes to anything".to_owned() } else { listed(&names) };
        let mut considered = vec![("events", events)];
        let values = self.values_of(&possible);
        if !values.is_empty() {
            considered.push(("values", values.join("; ")));
        }
        considered.push(("modes", self.modes_of(&possible)));
        let starts = self.initial_states().len();
        considered.push(("starts", format!("{starts}, each after all apps were installed")));
        considered
    }

    /// The values that events can bring, for each attribute.
    fn values_of(&self, possible: &[ActorId]) -> Vec<String> {
        let mut domains: Vec<(String, Vec<String>)> = Vec::new();
        for event in possible.iter().filter_map(|actor| self.events.get(actor.index())) {
            let Happening::Attribute { device, attribute, value } = event.happening else { continue };
            let (name, value) = (self.attribute_name(device, attribute), self.store.value(value).unwrap_or_default());
            match domains.iter_mut().find(|(known, _)| *known == name) {
                Some((_, values)) => values.push(value.to_string()),
                None => domains.push((name, vec![value.to_string()])),
            }
        }
        domains.into_iter().map(|(name, values)| format!("{name} {}", values.join(", "))).collect()
    }

    fn modes_of(&self, possible: &[ActorId]) -> String {
        let changes = |actor: &ActorId| matches!(self.events.get(actor.index()), Some(event) if matches!(event.happening, Happening::Mode { .. }));
        if possible.iter().any(changes) {
            return self.wiring.modes.join(", ");
        }
        let mut starts: Vec<&str> = self.wiring.start_modes.iter().map(|mode| &**mode).collect();
        starts.dedup();
        format!("{} from the start; no app subscribes to the mode, so only apps change it", starts.join(" or "))
    }

    /// How many rules there are.
    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    /// The rules that could not be broken, because no step has changed something that they mention. To be asked when
    /// everything was explored.
    pub fn idle_rules(&self) -> Vec<IdleRule> {
        self.rules.iter().filter_map(|rule| self.idle_rule(rule)).collect()
    }

    fn idle_rule(&self, rule: &Rule) -> Option<IdleRule> {
        let is_idle = |slot: &Slot| self.varied.get(slot).is_some_and(|varied| !varied.load(Ordering::Relaxed));
        let (slot, name) = rule.slots.iter().find(|(slot, _)| is_idle(slot))?;
        let starts = self.initial_states();
        if starts.iter().any(|start| rule.can_be_broken(start, &self.store, &|slot| !is_idle(&slot))) {
            return None;
        }
        let (reason, remedy) = match (self.layout.fixed(*slot), self.store.dynamic(*slot)) {
            (None, Some(Dynamic::Entry { .. })) => {
                ("no app gives it a value".to_owned(), format!("let the app set {name} in a handler that runs"))
            }
            (Some(Fixed::Mode), _) => (
                "no app subscribes to it, and none sets it".to_owned(),
                "add an app that subscribes to the mode or sets it".to_owned(),
            ),
            _ => (
                "no app subscribes to it, and none changes it".to_owned(),
                format!("add an app that subscribes to {name} or changes it"),
            ),
        };
        Some(IdleRule {
            rule: rule.text.clone(),
            reason: format!("is about {name}, which never changes: {reason}"),
            remedy,
        })
    }
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(MOST_NAMES);
    let shown = names[..names.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
