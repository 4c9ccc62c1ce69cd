//! Conditions and templates: what a step asks of the state.

use super::stage::Stage;
use super::zone::Key;
use crate::config::{At, Bound, Condition, ConditionKind, Templated};
use crate::duration;
use crate::template::{self, Error, Template, Val, World};
use std::sync::Arc;

type Bindings = Vec<(Arc<str>, Val)>;

/// A template sees the state through this.
pub(crate) struct Eyes<'a, 'm, 's>(pub(crate) &'a mut Stage<'m, 's>);

impl World for Eyes<'_, '_, '_> {
    fn state(&mut self, entity: &str) -> Option<Val> {
        match self.0.state_of(entity) {
            Some(Val::None) => None,
            Some(value) => Some(value),
            // What is no part of the model has some state.
            None if entity.contains('.') && !self.0.model.exact => Some(Val::opaque(format!("the state of {entity}"))),
            None => None,
        }
    }

    fn attribute(&mut self, entity: &str, attribute: &str) -> Val {
        match self.0.model.layout.slot(entity, Some(attribute)) {
            Some(slot) => {
                let value = self.0.value(slot);
                self.0.model.layout.slots[slot as usize].values[value as usize].clone()
            }
            None if self.0.model.exact => Val::None,
            None => Val::opaque(format!("`{attribute}` of {entity}")),
        }
    }

    fn entities(&mut self, domain: Option<&str>) -> Val {
        let fits = |entity: &str| domain.is_none_or(|domain| entity.split('.').next() == Some(domain));
        let slots = self.0.model.layout.slots.iter();
        let names = slots.filter(|slot| slot.name.1.is_none() && fits(&slot.name.0));
        Val::list(names.map(|slot| Val::State(Arc::from(slot.name.0.as_str()))).collect())
    }

    fn expand(&mut self, entity: &str) -> Vec<String> {
        self.0.expand(entity)
    }

    fn members(&mut self, function: &str, of: &str) -> Option<Vec<String>> {
        let kind = function.strip_suffix("_entities")?;
        let registry = &self.0.model.configuration.registry;
        (!registry.is_empty() && kind != "integration").then(|| registry.members(kind, of))
    }

    fn clock(&mut self) -> Option<(u32, Option<u32>)> {
        let second = self.0.time_of_day()?;
        Some((second as u32, self.0.weekday()))
    }

    fn is_older(&mut self, entity: &str, milliseconds: i64) -> Option<bool> {
        let slot = self.0.model.layout.slot(entity, None)?;
        self.0.model.layout.slots[slot as usize].age?;
        Some(self.0.is_older(slot, milliseconds))
    }

    fn decide(&mut self, why: &str) -> bool {
        self.0.decide(why)
    }
}

impl Stage<'_, '_> {
    /// The state of an entity as a text; nothing if it is no part of the model.
    pub(crate) fn state_of(&mut self, entity: &str) -> Option<Val> {
        let slot = self.model.layout.slot(entity, None)?;
        let value = self.value(slot);
        Some(self.model.layout.slots[slot as usize].values[value as usize].clone())
    }

    /// Chooses what cannot be known.
    pub(crate) fn decide(&mut self, why: &str) -> bool {
        if self.model.exact || self.fixed {
            return false;
        }
        let yes = self.step.choose(2) == 1;
        self.decided.push((why.to_owned(), yes));
        self.tell(None, None, || format!("{why}: taken as {}", if yes { "yes" } else { "no" }));
        yes
    }

    /// Whether a state is older than this many milliseconds. Where both are possible, both are tried.
    pub(crate) fn is_older(&mut self, slot: u16, milliseconds: i64) -> bool {
        let key = Key::Age(slot);
        self.step.read(self.model.zone_object());
        match self.state.zone.compare(key, milliseconds) {
            (true, true) if self.fixed => true,
            (true, true) => {
                let older = self.step.choose(2) == 1;
                self.step.write(self.model.zone_object());
                self.state.zone.assume(key, milliseconds, older);
                self.assumed.push((key, milliseconds, older));
                older
            }
            (older, _) => older,
        }
    }

    /// The second of the day: that at which the part of the day began.
    pub(crate) fn time_of_day(&mut self) -> Option<i64> {
        if self.model.layout.times.is_empty() {
            return Some(43_200);
        }
        let part = self.mark(self.model.day_mark());
        Some(self.model.part_start(part))
    }

    pub(crate) fn weekday(&mut self) -> Option<u32> {
        self.model.layout.weekdays.then(|| u32::from(self.mark(self.model.weekday_mark())))
    }

    /// Renders a value.
    pub(crate) fn render(&mut self, value: &Templated, variables: &Bindings) -> Result<Val, Error> {
        Ok(match value {
            Templated::Val(value) => value.clone(),
            Templated::Template(template) => template::evaluate(template, &mut Eyes(self), variables.as_slice_dyn())?,
            Templated::List(items) => {
                Val::list(items.iter().map(|item| self.render(item, variables)).collect::<Result<_, _>>()?)
            }
            Templated::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| Ok((Val::text(key), self.render(value, variables)?)));
                Val::Map(Arc::new(entries.collect::<Result<_, Error>>()?))
            }
        })
    }

    /// A length of time; what is not known is a minute.
    pub(crate) fn length(&mut self, value: &Templated, variables: &Bindings) -> Result<i64, Error> {
        match self.render(value, variables)? {
            Val::Opaque(_) => Ok(60_000),
            value => duration::of_value(&value).ok_or_else(|| Error(format!("`{value}` is no length of time"))),
        }
    }

    /// Whether a template of a condition is true: its text is `true`.
    pub(crate) fn says_true(&mut self, template: &Template, variables: &Bindings) -> Result<bool, Error> {
        match template::render(template, &mut Eyes(self), variables.as_slice_dyn())? {
            Val::Opaque(why) => Ok(self.decide(&why)),
            value => Ok(value.to_string().trim().eq_ignore_ascii_case("true")),
        }
    }

    /// Whether a template of a trigger or a wait is true: `true`, `on`, a number that is not 0 and the like. An error is none.
    pub(crate) fn is_fulfilled(&mut self, template: &Template, variables: &Bindings) -> Option<bool> {
        match template::render(template, &mut Eyes(self), variables.as_slice_dyn()).ok()? {
            Val::Opaque(why) => Some(self.decide(&why)),
            value => {
                let text = value.to_string().to_lowercase();
                let number = Val::text(&text).as_number();
                Some(
                    ["true", "yes", "on", "enable"].contains(&text.as_str())
                        || number.is_some_and(|number| number != 0.0),
                )
            }
        }
    }

    /// Whether all conditions hold; an error is a no.
    pub(crate) fn holds_all(&mut self, conditions: &[Condition], variables: &Bindings) -> bool {
        conditions.iter().all(|condition| matches!(self.holds(condition, variables), Ok(None | Some(true))))
    }

    /// Whether a condition holds; nothing if it is switched off.
    pub(crate) fn holds(&mut self, condition: &Condition, variables: &Bindings) -> Result<Option<bool>, Error> {
        Ok(Some(match &condition.kind {
            ConditionKind::Disabled => return Ok(None),
            ConditionKind::And(inner) => {
                let mut failed = None;
                for condition in inner {
                    match self.holds(condition, variables) {
                        Ok(Some(false)) => return Ok(Some(false)),
                        Ok(_) => {}
                        Err(error) => failed = Some(error),
                    }
                }
                match failed {
                    Some(error) => return Err(error),
                    None => true,
                }
            }
            ConditionKind::Or(inner) => {
                let mut failed = None;
                for condition in inner {
                    match self.holds(condition, variables) {
                        Ok(Some(true)) => return Ok(Some(true)),
                        Ok(_) => {}
                        Err(error) => failed = Some(error),
                    }
                }
                match failed {
                    Some(error) => return Err(error),
                    None => false,
                }
            }
            ConditionKind::Not(inner) => {
                let mut failed = None;
                for condition in inner {
                    match self.holds(condition, variables) {
                        Ok(Some(true)) => return Ok(Some(false)),
                        Ok(_) => {}
                        Err(error) => failed = Some(error),
                    }
                }
                match failed {
                    Some(error) => return Err(error),
                    None => true,
                }
            }
            ConditionKind::State { entities, any, attribute, states, hold } => {
                let mut found = false;
                for entity in entities {
                    let holds = self.has_state(entity, attribute.as_deref(), states, hold.as_ref(), variables)?;
                    if holds == *any {
                        found = true;
                        break;
                    }
                }
                found == *any
            }
            ConditionKind::Numeric { entities, attribute, above, below, value } => {
                for entity in entities {
                    let number = match value {
                        Some(template) => {
                            let mut variables = variables.clone();
                            variables.push((Arc::from("state"), Val::State(Arc::from(entity.as_str()))));
                            template::evaluate(template, &mut Eyes(self), variables.as_slice_dyn())?
                        }
                        None => self.reading(entity, attribute.as_deref())?,
                    };
                    if let Val::Opaque(why) = &number {
                        if !self.decide(why) {
                            return Ok(Some(false));
                        }
                        continue;
                    }
                    if is_gone(&number) {
                        return Ok(Some(false));
                    }
                    let Some(number) = number.as_number() else {
                        return Err(Error(format!("`{number}` is no number")));
                    };
                    if !self.is_inside(number, above.as_ref(), below.as_ref()) {
                        return Ok(Some(false));
                    }
                }
                true
            }
            ConditionKind::Template(template) => self.says_true(template, variables)?,
            ConditionKind::Time { after, before, weekdays } => {
                if let Some(days) = weekdays {
                    match self.weekday() {
                        Some(day) if !days.contains(&day) => return Ok(Some(false)),
                        _ => {}
                    }
                }
                self.is_between(after.as_ref(), before.as_ref())
            }
            ConditionKind::Sun { after, before } => {
                let second = |(rises, offset): &(bool, i64)| {
                    At::Fixed(
                        (if *rises { self.model.options.sunrise } else { self.model.options.sunset } + offset)
                            .rem_euclid(86_400),
                    )
                };
                let (after_time, before_time) = (after.as_ref().map(second), before.as_ref().map(second));
                // After sunset and before sunrise is the night, both sides of midnight.
                self.is_between(after_time.as_ref(), before_time.as_ref())
            }
            ConditionKind::Trigger(ids) => {
                let id = variables.iter().find(|(name, _)| &**name == "trigger").map(|(_, value)| field(value, "id"));
                id.is_some_and(|id| ids.iter().any(|known| *known == id.to_string()))
            }
            ConditionKind::Opaque(what) => self.decide(what),
        }))
    }

    fn has_state(
        &mut self,
        entity: &str,
        attribute: Option<&str>,
        states: &[String],
        hold: Option<&Templated>,
        variables: &Bindings,
    ) -> Result<bool, Error> {
        let state = match self.state_of(entity) {
            Some(Val::None) => return Err(Error(format!("there is no {entity}"))),
            None if self.model.exact => return Err(Error(format!("there is no {entity}"))),
            None => return Ok(self.decide(&format!("the state of {entity}"))),
            Some(state) => state,
        };
        let value = match attribute {
            None => state,
            Some(attribute) => match Eyes(self).attribute(entity, attribute) {
                Val::None => return Ok(false),
                Val::Opaque(why) => return Ok(self.decide(&why)),
                value => value,
            },
        };
        let text = value.to_string();
        let mut matches = false;
        for wanted in states {
            let meant = match self.state_of(wanted) {
                Some(value) if wanted.starts_with("input_") => value.to_string(),
                _ => wanted.clone(),
            };
            matches |= meant == text;
        }
        match hold {
            Some(hold) if matches => {
                let length = self.length(hold, variables)?;
                Ok(self.model.layout.slot(entity, None).is_some_and(|slot| self.is_older(slot, length)))
            }
            _ => Ok(matches),
        }
    }

    /// The value that a number is taken from.
    pub(crate) fn reading(&mut self, entity: &str, attribute: Option<&str>) -> Result<Val, Error> {
        match (self.state_of(entity), attribute) {
            (Some(Val::None), _) => Err(Error(format!("there is no {entity}"))),
            (Some(state), None) => Ok(state),
            (Some(_), Some(attribute)) => Ok(Eyes(self).attribute(entity, attribute)),
            (None, _) => Ok(Val::opaque(format!("the state of {entity}"))),
        }
    }

    pub(crate) fn is_inside(&mut self, number: f64, above: Option<&Bound>, below: Option<&Bound>) -> bool {
        let mut bound = |bound: Option<&Bound>| match bound {
            None => Some(None),
            Some(Bound::Number(number)) => Some(Some(*number)),
            Some(Bound::Entity(entity)) => self.state_of(entity).and_then(|value| value.as_number()).map(Some),
        };
        match (bound(above), bound(below)) {
            (Some(above), Some(below)) => {
                above.is_none_or(|above| number > above) && below.is_none_or(|below| number < below)
            }
            _ => false,
        }
    }

    /// Whether it is now after one time of day and before another one, over midnight if need be.
    fn is_between(&mut self, after: Option<&At>, before: Option<&At>) -> bool {
        let second = |at: Option<&At>| match at {
            None => Some(None),
            Some(At::Fixed(second)) => Some(Some(*second)),
            Some(At::Entity(..)) => None,
        };
        let (Some(after), Some(before)) = (second(after), second(before)) else {
            return self.decide("a time that an entity tells");
        };
        let Some(now) = self.time_of_day() else { return self.decide("the time of day") };
        match (after, before) {
            (None, None) => true,
            (Some(after), None) => now >= after,
            (None, Some(before)) => now < before,
            (Some(after), Some(before)) if after <= before => after <= now && now < before,
            (Some(after), Some(before)) => now >= after || now < before,
        }
    }
}

/// Whether a value stands for nothing.
pub(crate) fn is_gone(value: &Val) -> bool {
    match value {
        Val::None => true,
        Val::Text(text) => matches!(&**text, "unavailable" | "unknown"),
        _ => false,
    }
}

/// A field of a mapping.
pub(crate) fn field(value: &Val, name: &str) -> Val {
    match value {
        Val::Map(entries) => {
            entries.iter().find(|(key, _)| *key == Val::text(name)).map_or(Val::Undefined, |(_, value)| value.clone())
        }
        _ => Val::Undefined,
    }
}

/// A list of variables as what templates take.
trait AsVariables {
    fn as_slice_dyn(&self) -> &dyn template::Variables;
}

impl AsVariables for Bindings {
    fn as_slice_dyn(&self) -> &dyn template::Variables {
        self
    }
}

impl template::Variables for Bindings {
    fn variable(&self, name: &str) -> Option<Val> {
        self.iter().rev().find(|(known, _)| **known == *name).map(|(_, value)| value.clone())
    }
}
