//! What has to happen in a home in the end, in the words of the user's rules, and which events come about.
//!
//! Timers are weakly fair: one that runs goes off in the end. The environment is not, since nobody has to come home, but for the
//! devices and events that the user names.

use crate::Options;
use crate::happening::Happening;
use crate::home::{Faults, Home};
use crate::rules::Rule;
use crate::state::State;
use mazurka_core::{ActorId, ClassId, Diagnostic, Fairness, Liveness, Property};

/// What stands between the two conditions of a `leads-to`.
const LEADS_TO: &str = "~>";

/// How many names an error lists.
const MOST_NAMES: usize = 8;

/// What has to happen, and which events come about.
#[derive(Debug, Default)]
pub(crate) struct Promises {
    properties: Vec<Property>,
    /// For each of them its cause, if it has one, and its goal.
    conditions: Vec<(Option<Rule>, Rule)>,
    /// The events that are treated fairly, by number.
    fair: Vec<u32>,
}

impl Home {
    /// Reads what has to happen.
    pub(crate) fn read_promises(&self, options: &Options) -> Result<Promises, Vec<Faults>> {
        let (mut promises, mut faults) = (Promises::default(), Vec::new());
        let plain = [
            ("--eventually", &options.eventually, Property::eventually as fn(&str) -> Property),
            ("--always-eventually", &options.always_eventually, Property::always_eventually),
        ];
        for (option, rules, property) in plain {
            for text in rules {
                match Rule::parse(text, self) {
                    Ok(goal) => promises.add(property(text), None, goal),
                    Err(error) => faults.push(Faults::new(option, text, vec![error])),
                }
            }
        }
        for text in &options.leads_to {
            match self.read_leads_to(text) {
                Ok((cause, goal)) => {
                    promises.add(Property::leads_to(&cause.text, &goal.text), Some(cause), goal);
                }
                Err(error) => faults.push(Faults::new("--leads-to", text, vec![error])),
            }
        }
        for text in &options.fair {
            match self.events_called(text) {
                Ok(events) => promises.fair.extend(events),
                Err(error) => faults.push(Faults::new("--fair", text, vec![error])),
            }
        }
        if promises.properties.is_empty()
            && faults.is_empty()
            && let Some(text) = options.fair.first()
        {
            let expected = "expected --eventually, --always-eventually or --leads-to with it";
            let error = Diagnostic::new("nothing has to happen in the end", 0..text.len(), expected);
            faults.push(Faults::new("--fair", text, vec![error]));
        }
        if faults.is_empty() { Ok(promises) } else { Err(faults) }
    }

    /// Two rules with `~>` between them.
    fn read_leads_to(&self, text: &str) -> Result<(Rule, Rule), Diagnostic> {
        let Some((cause, goal)) = text.split_once(LEADS_TO) else {
            let expected = format!("expected RULE {LEADS_TO} RULE");
            return Err(Diagnostic::new(format!("there is no {LEADS_TO}"), 0..text.len(), expected));
        };
        let behind = cause.len() + LEADS_TO.len();
        let shift = |mut error: Diagnostic| {
            error.span = error.span.start + behind..error.span.end + behind;
            error
        };
        let cause = Rule::parse(cause, self)?.trimmed();
        let goal = Rule::parse(goal, self).map_err(shift)?.trimmed();
        Ok((cause, goal))
    }

    /// The events of a device, or the one of this name.
    fn events_called(&self, text: &str) -> Result<Vec<u32>, Diagnostic> {
        let is_called = |(number, event): (usize, &crate::happening::Event)| {
            (event.name == text || self.device_of(&event.happening) == Some(text)).then_some(number as u32)
        };
        let found: Vec<u32> = self.events.iter().enumerate().filter_map(is_called).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let mut known: Vec<&str> = self.events.iter().filter_map(|event| self.device_of(&event.happening)).collect();
        known.dedup();
        let more = if known.len() > MOST_NAMES { ", …" } else { "" };
        let known: Vec<String> = known.iter().take(MOST_NAMES).map(|name| format!("{name:?}")).collect();
        let expected = format!("expected a device that reports something ({}{more}) or an event", known.join(", "));
        Err(Diagnostic::new(format!("nothing that happens is called {text:?}"), 0..text.len(), expected))
    }

    fn device_of(&self, happening: &Happening) -> Option<&str> {
        match happening {
            Happening::Attribute { device, .. } => Some(&self.wiring.devices[*device as usize].name),
            _ => None,
        }
    }
}

impl Promises {
    fn add(&mut self, property: Property, cause: Option<Rule>, goal: Rule) {
        self.properties.push(property);
        self.conditions.push((cause, goal));
    }
}

impl Liveness<State> for Home {
    fn properties(&self) -> &[Property] {
        &self.promises.properties
    }

    fn holds(&self, state: &State, property: usize) -> bool {
        self.promises.conditions[property].1.holds(state, &self.store)
    }

    fn begins(&self, state: &State, property: usize) -> bool {
        self.promises.conditions[property].0.as_ref().is_none_or(|cause| cause.holds(state, &self.store))
    }

    fn fairness(&self, class: ClassId) -> Option<Fairness> {
        let ClassId::Actor(ActorId(actor)) = class else { return None };
        let is_timer = actor as usize >= self.events.len();
        (is_timer || self.promises.fair.contains(&actor)).then_some(Fairness::Weak)
    }

    fn remedy(&self, class: ClassId, fairness: Fairness) -> Option<String> {
        let ClassId::Actor(actor) = class else { return None };
        let event = self.events.get(actor.index()).filter(|_| fairness == Fairness::Weak)?;
        Some(format!("--fair '{}'", self.device_of(&event.happening).unwrap_or(&event.name)))
    }
}
