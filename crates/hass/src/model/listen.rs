//! From an event to those who listen: template entities, automations in their order, and runs that wait.

use super::ask::{field, is_gone};
use super::code::Op;
use super::stage::{Happening, Stage, Task};
use super::state::{RunId, Status};
use super::system::Finding;
use super::zone::Key;
use crate::config::{Match, Trigger, TriggerKind};
use crate::template::{self, Val};
use std::sync::Arc;

/// What a trigger says to an event.
enum Answer {
    No,
    Fires(Val),
    /// It has to stay so for a while: the number of the hold.
    Holds(u16),
}

impl Stage<'_, '_> {
    pub(crate) fn dispatch(&mut self, happening: &Happening) {
        match happening {
            Happening::Change { slot, old, new } => self.changed(*slot, *old, *new),
            Happening::Event { name, data } => self.heard(name, data),
        }
    }

    fn text(&self, slot: u16, value: u16) -> Option<String> {
        match &self.model.layout.slots[slot as usize].values[value as usize] {
            Val::None => None,
            value => Some(value.to_string()),
        }
    }

    fn changed(&mut self, slot: u16, old: u16, new: u16) {
        let model = self.model;
        let entity = model.layout.slots[slot as usize].name.0.as_str();
        for &derived in model.derived_of.get(entity).map_or(&[][..], Vec::as_slice) {
            self.derive(derived, Some((slot, new)));
        }
        // Automations that hear of it, in the order of the configuration or in that which is found out to be theirs.
        let mut order: Vec<u16> = Vec::new();
        for &(routine, _) in model.listeners.get(entity).map_or(&[][..], Vec::as_slice) {
            if !order.contains(&routine) {
                self.insert_in_order(&mut order, routine, slot, old, new);
            }
        }
        let (cause, depth) = (self.cause, self.depth);
        if let Some(mark) = model.before_mark(slot) {
            let text = |value: u16| model.layout.slots[slot as usize].values[value as usize].to_string();
            let gone = |value: u16| matches!(text(value).as_str(), "unavailable" | "unknown");
            self.returned = (gone(old) && !gone(new) && u16::from(self.mark(mark)) == new + 1).then_some(slot);
            if gone(new) && !gone(old) {
                self.set_mark(mark, old as u8 + 1);
            } else if !gone(new) {
                self.set_mark(mark, 0);
            }
        }
        let unheard = (order.len() > 1 && depth == 0).then(|| self.state.values.clone());
        let unheard = std::mem::replace(&mut self.unheard, unheard);
        for routine in order {
            for (index, trigger) in model.routines[routine as usize].triggers.iter().enumerate() {
                if !model.hears(trigger, entity) {
                    continue;
                }
                let answer = self.answer(trigger, (routine, index as u16), slot, old, new);
                (self.cause, self.depth) = (cause, depth);
                match answer {
                    Answer::No => {}
                    Answer::Fires(info) => self.triggered(routine, index as u16, &info),
                    Answer::Holds(hold) => {
                        let length = match model.hold_length(routine, index) {
                            Some(length) => self.length(&length, &Vec::new()).unwrap_or(60_000),
                            None => 0,
                        };
                        if length > 0 {
                            self.start_clock(Key::Hold(hold), length);
                        } else {
                            self.triggered(routine, index as u16, &Val::None);
                        }
                    }
                }
            }
        }
        (self.cause, self.depth) = (cause, depth);
        (self.returned, self.unheard) = (None, unheard);
        self.wake(entity, slot, old, new);
    }

    /// Puts a routine into the order in which it is called. Where the order of two matters it is chosen once, and stays.
    fn insert_in_order(&mut self, order: &mut Vec<u16>, routine: u16, slot: u16, old: u16, new: u16) {
        let model = self.model;
        let mut place = order.len();
        while place > 0 {
            let before = order[place - 1];
            let Some(mark) = model.pair_mark(before, routine) else { break };
            if !self.matches_now(before, slot, old, new) || !self.matches_now(routine, slot, old, new) {
                break;
            }
            let mut known = self.mark(mark);
            if known == 0 {
                known = if model.exact { 1 } else { 1 + self.step.choose(2) as u8 };
                self.set_mark(mark, known);
            }
            // 1: in the order of the configuration.
            let comes_later = (known == 1) == (before < routine);
            if comes_later {
                break;
            }
            place -= 1;
        }
        order.insert(place, routine);
    }

    /// Whether one of its state triggers fires at this change, as far as the change alone can tell.
    fn matches_now(&self, routine: u16, slot: u16, old: u16, new: u16) -> bool {
        let model = self.model;
        let entity = &model.layout.slots[slot as usize].name.0;
        model.routines[routine as usize].triggers.iter().any(|trigger| match &trigger.kind {
            TriggerKind::State { hold: None, .. } => model.hears(trigger, entity) && self.fits(trigger, slot, old, new),
            TriggerKind::State { .. } => false,
            _ => model.hears(trigger, entity),
        })
    }

    /// Whether a state trigger takes a change.
    fn fits(&self, trigger: &Trigger, slot: u16, old: u16, new: u16) -> bool {
        let TriggerKind::State { attribute, from, to, blind, .. } = &trigger.kind else { return false };
        let own = self.model.layout.slots[slot as usize].name.1.as_deref();
        if old == new && (attribute.is_some() || *from != Match::Open || *to != Match::Open) {
            return false;
        }
        if *attribute != own.map(str::to_owned) {
            // A change of an attribute is a change for a trigger that asks for nothing.
            return attribute.is_none() && own.is_some() && *from == Match::Open && *to == Match::Open;
        }
        let (old, new) = (self.text(slot, old), self.text(slot, new));
        let gone =
            |text: &Option<String>| text.as_deref().is_none_or(|text| text == "unavailable" || text == "unknown");
        if *blind && (gone(&old) || gone(&new)) {
            return false;
        }
        from.fits(old.as_deref()) && to.fits(new.as_deref())
    }

    fn answer(&mut self, trigger: &Trigger, (routine, index): (u16, u16), slot: u16, old: u16, new: u16) -> Answer {
        let model = self.model;
        let entity = model.layout.slots[slot as usize].name.0.clone();
        let hold = model.hold_number(routine, index as usize, &entity);
        match &trigger.kind {
            TriggerKind::State { from, to, .. } => {
                // A change to another text ends what had to stay so.
                if let Some(hold) = hold
                    && old != new
                    && model.layout.slots[slot as usize].name.1.is_none()
                    && self.state.zone.runs(Key::Hold(hold))
                {
                    let stays = matches!((from, to), (Match::In(_) | Match::NotIn(_), Match::Open))
                        && !from.fits(self.text(slot, new).as_deref());
                    if !stays {
                        self.stop_clock(Key::Hold(hold));
                    }
                }
                if !self.fits(trigger, slot, old, new) {
                    return Answer::No;
                }
                match hold {
                    Some(hold) => {
                        self.remember(hold, old, new);
                        Answer::Holds(hold)
                    }
                    None => Answer::Fires(self.info(trigger, "state", Some((slot, old, new)))),
                }
            }
            TriggerKind::Numeric { attribute, above, below, value, .. } => {
                let number = match value {
                    Some(template) => {
                        let variables = vec![(Arc::from("state"), Val::State(Arc::from(entity.as_str())))];
                        template::evaluate(
                            template,
                            &mut super::ask::Eyes(self),
                            &variables as &dyn template::Variables,
                        )
                        .unwrap_or(Val::None)
                    }
                    None => self.reading(&entity, attribute.as_deref()).unwrap_or(Val::None),
                };
                let inside = !is_gone(&number)
                    && number.as_number().is_some_and(|number| self.is_inside(number, above.as_ref(), below.as_ref()));
                let Some(mark) = model.armed_mark(routine, index as usize, &entity) else { return Answer::No };
                if !inside {
                    self.set_mark(mark, 1);
                    if let Some(hold) = hold {
                        self.stop_clock(Key::Hold(hold));
                    }
                    return Answer::No;
                }
                if self.mark(mark) == 0 {
                    return Answer::No;
                }
                self.set_mark(mark, 0);
                match hold {
                    Some(hold) => {
                        self.remember(hold, old, new);
                        Answer::Holds(hold)
                    }
                    None => Answer::Fires(self.info(trigger, "numeric_state", Some((slot, old, new)))),
                }
            }
            TriggerKind::Template { template, .. } => {
                let Some(is_true) = self.is_fulfilled(template, &Vec::new()) else { return Answer::No };
                let Some(mark) = model.armed_mark(routine, index as usize, "") else { return Answer::No };
                if !is_true {
                    self.set_mark(mark, 1);
                    if let Some(hold) = hold {
                        self.stop_clock(Key::Hold(hold));
                    }
                    return Answer::No;
                }
                if self.mark(mark) == 0 {
                    return Answer::No;
                }
                self.set_mark(mark, 0);
                match hold {
                    Some(hold) => Answer::Holds(hold),
                    None => Answer::Fires(self.info(trigger, "template", Some((slot, old, new)))),
                }
            }
            _ => Answer::No,
        }
    }

    /// The change that began a hold: its trigger will speak of it.
    fn remember(&mut self, hold: u16, old: u16, new: u16) {
        let mark = self.model.hold_mark(hold);
        self.set_mark(mark, old as u8);
        self.set_mark(mark + 1, new as u8);
    }

    /// A hold is over: its trigger fires.
    pub(crate) fn held(&mut self, hold: u16) {
        let model = self.model;
        let (routine, index, entity) = &model.holds[hold as usize];
        let trigger = &model.routines[*routine as usize].triggers[*index as usize];
        let mark = model.hold_mark(hold);
        let change = model
            .layout
            .slot(entity, None)
            .map(|slot| (slot, u16::from(self.mark(mark)), u16::from(self.mark(mark + 1))));
        let info = self.info(trigger, "state", change);
        self.triggered(*routine, *index, &info);
    }

    /// What `trigger` is in templates.
    pub(crate) fn info(&self, trigger: &Trigger, platform: &str, change: Option<(u16, u16, u16)>) -> Val {
        let mut fields = vec![(Val::text("id"), Val::text(&trigger.id)), (Val::text("platform"), Val::text(platform))];
        if let Some((slot, old, new)) = change {
            let slot = &self.model.layout.slots[slot as usize];
            let object = |value: u16| {
                if slot.name.1.is_some() || slot.values[value as usize] == Val::None {
                    return Val::None;
                }
                Val::Map(Arc::new(vec![
                    (Val::text("state"), slot.values[value as usize].clone()),
                    (Val::text("entity_id"), Val::text(&slot.name.0)),
                    (Val::text("attributes"), Val::opaque("the attributes of a trigger")),
                ]))
            };
            fields.push((Val::text("entity_id"), Val::text(&slot.name.0)));
            fields.push((Val::text("from_state"), object(old)));
            fields.push((Val::text("to_state"), object(new)));
        }
        Val::Map(Arc::new(fields))
    }

    /// An event: automations hear of it one turn later.
    fn heard(&mut self, name: &str, data: &Val) {
        let model = self.model;
        for (routine, about) in model.routines.iter().enumerate() {
            for (index, trigger) in about.triggers.iter().enumerate() {
                if self.hears_event(trigger, name, data) {
                    let info = Val::Map(Arc::new(vec![
                        (Val::text("id"), Val::text(&trigger.id)),
                        (Val::text("platform"), Val::text("event")),
                        (
                            Val::text("event"),
                            Val::Map(Arc::new(vec![
                                (Val::text("event_type"), Val::text(name)),
                                (Val::text("data"), data.clone()),
                            ])),
                        ),
                    ]));
                    let (cause, depth) = (self.cause, self.depth);
                    self.ready.push_back(Task::Trigger {
                        routine: routine as u16,
                        trigger: index as u16,
                        info,
                        cause,
                        depth,
                    });
                }
            }
        }
        self.order_tasks();
        if self.depth == 0 && self.ready.len() > 1 {
            self.unheard = Some(self.state.values.clone());
        }
        let waiting: Vec<RunId> = self
            .state
            .runs
            .iter()
            .filter(|run| matches!(run.status, Status::WaitTrigger(_)))
            .map(|run| run.id)
            .collect();
        for id in waiting {
            let Some(run) = self.state.run(id) else { continue };
            if let (Op::WaitTrigger { triggers, .. }, ..) = &model.codes[id.0 as usize].ops[run.at as usize - 1]
                && let Some(trigger) = triggers.iter().find(|trigger| self.hears_event(trigger, name, data))
            {
                let info = Val::Map(Arc::new(vec![
                    (Val::text("id"), Val::text(&trigger.id)),
                    (Val::text("platform"), Val::text("event")),
                ]));
                self.waited_for(id, info);
            }
        }
    }

    /// Event triggers that were called in the same turn: their order is that of their automations, which is open.
    fn order_tasks(&mut self) {
        let model = self.model;
        let mut tasks: Vec<Task> = Vec::new();
        let mut rest: Vec<Task> = self.ready.drain(..).collect();
        let own: Vec<usize> = rest
            .iter()
            .enumerate()
            .filter(|(_, task)| matches!(task, Task::Trigger { .. }))
            .map(|(at, _)| at)
            .collect();
        let mut order: Vec<Task> = Vec::new();
        for &at in &own {
            let task = rest[at].clone();
            let Task::Trigger { routine, .. } = task else { continue };
            let mut place = order.len();
            while place > 0 {
                let Task::Trigger { routine: before, .. } = order[place - 1] else { break };
                let Some(mark) = model.pair_mark(before, routine).filter(|_| before != routine) else { break };
                let mut known = self.mark(mark);
                if known == 0 {
                    known = if model.exact { 1 } else { 1 + self.step.choose(2) as u8 };
                    self.set_mark(mark, known);
                }
                if (known == 1) == (before < routine) {
                    break;
                }
                place -= 1;
            }
            order.insert(place, task);
        }
        for (at, task) in own.iter().zip(order) {
            rest[*at] = task;
        }
        tasks.extend(rest);
        self.ready.extend(tasks);
    }

    fn hears_event(&self, trigger: &Trigger, name: &str, data: &Val) -> bool {
        match &trigger.kind {
            TriggerKind::Event { names, data: wanted } => {
                names.iter().any(|known| known == name)
                    && wanted.iter().all(|(key, value)| match (field(data, key), value.fixed()) {
                        (Val::Undefined, _) => false,
                        (_, None) => true,
                        (known, Some(wanted)) => known == wanted || known.to_string() == wanted.to_string(),
                    })
            }
            TriggerKind::Outside(words) | TriggerKind::Opaque(words) => words == name,
            _ => false,
        }
    }

    /// Recomputes a template entity or a group. A group takes what is told of a member, also where that has changed since.
    pub(crate) fn derive(&mut self, derived: u16, told: Option<(u16, u16)>) {
        let model = self.model;
        let (slot, text) = match &model.derived[derived as usize] {
            super::system::Derivation::Template(slot, template) => {
                let value = template::render(
                    template,
                    &mut super::ask::Eyes(self),
                    &Vec::<(Arc<str>, Val)>::new() as &dyn template::Variables,
                );
                let text = match value {
                    Ok(Val::Opaque(why)) => {
                        // Some value: the first one or the second one.
                        let values = &model.layout.slots[*slot as usize].values;
                        let chosen = if values.len() > 1 && self.decide(&why) { 1 } else { 0 };
                        values[chosen].to_string()
                    }
                    Ok(value) => value.to_string(),
                    Err(_) => "unavailable".to_owned(),
                };
                let is_binary = model.layout.slots[*slot as usize].name.0.starts_with("binary_sensor.");
                let text = match text.to_lowercase().as_str() {
                    "true" | "yes" | "on" | "enable" | "1" if is_binary => "on".to_owned(),
                    "unavailable" | "unknown" => text,
                    _ if is_binary => "off".to_owned(),
                    _ => text,
                };
                (*slot, text)
            }
            super::system::Derivation::Group(slot, members, all, (on, off), vanishes) => {
                let states: Vec<String> = members
                    .iter()
                    .map(|&member| {
                        let value = match told {
                            Some((slot, value)) if slot == member => value,
                            _ => self.value(member),
                        };
                        model.layout.slots[member as usize].values[value as usize].to_string()
                    })
                    .collect();
                let is_on = |state: &String| matches!(state.as_str(), "on" | "home" | "open" | "unlocked" | "playing");
                let gone = |state: &String| state == "unavailable" || state == "unknown";
                let text = if *vanishes && states.iter().all(gone) {
                    "unavailable"
                } else if if *all { states.iter().all(is_on) } else { states.iter().any(is_on) } {
                    on
                } else {
                    off
                };
                (*slot, text.to_owned())
            }
        };
        let number = model.layout.slots[slot as usize].number_of(&Val::text(text));
        if self.state.values[slot as usize] != number {
            self.write(slot, number, None);
        } else {
            self.value(slot);
        }
    }

    /// Runs that wait hear of a change.
    fn wake(&mut self, entity: &str, slot: u16, old: u16, new: u16) {
        let model = self.model;
        for &routine in model.waiters.get(entity).map_or(&[][..], Vec::as_slice) {
            self.step.read(model.run_object(routine));
            let waiting: Vec<RunId> =
                self.state.runs.iter().filter(|run| run.id.0 == routine).map(|run| run.id).collect();
            for id in waiting {
                let Some(run) = self.state.run(id).cloned() else { continue };
                let Some((op, place, _)) = model.codes[routine as usize].ops.get((run.at as usize).wrapping_sub(1))
                else {
                    continue;
                };
                match (&run.status, op) {
                    (Status::WaitTemplate, Op::WaitTemplate { template, .. })
                        if self.is_fulfilled(template, &run.variables) == Some(true) =>
                    {
                        self.waited_for(id, Val::None);
                    }
                    (Status::WaitTrigger(armed), Op::WaitTrigger { triggers, timeout, .. }) => {
                        for (index, trigger) in triggers.iter().enumerate() {
                            if !model.hears(trigger, entity) {
                                continue;
                            }
                            let bit = 1_u32 << index.min(31);
                            let fires = match &trigger.kind {
                                TriggerKind::State { from, to, .. } => {
                                    let fits = self.fits(trigger, slot, old, new);
                                    // What would have ended the wait came by way of `unavailable`.
                                    let was = self.text(slot, old);
                                    let gone =
                                        was.as_deref().is_some_and(|text| text == "unavailable" || text == "unknown");
                                    if !fits
                                        && gone
                                        && timeout.is_none()
                                        && matches!(from, Match::In(_))
                                        && to.fits(self.text(slot, new).as_deref())
                                    {
                                        self.find(Finding::Vanished { routine, slot, new, place: *place });
                                    }
                                    fits
                                }
                                TriggerKind::Numeric { attribute, above, below, .. } => {
                                    let number = self.reading(entity, attribute.as_deref()).unwrap_or(Val::None);
                                    let inside = !is_gone(&number)
                                        && number.as_number().is_some_and(|number| {
                                            self.is_inside(number, above.as_ref(), below.as_ref())
                                        });
                                    self.rearm(id, bit, !inside);
                                    inside && armed & bit != 0
                                }
                                TriggerKind::Template { template, .. } => {
                                    let is_true = self.is_fulfilled(template, &run.variables);
                                    self.rearm(id, bit, is_true == Some(false));
                                    is_true == Some(true) && armed & bit != 0
                                }
                                _ => false,
                            };
                            if fires {
                                let info = self.info(trigger, "state", Some((slot, old, new)));
                                self.waited_for(id, info);
                                break;
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    fn rearm(&mut self, id: RunId, bit: u32, outside: bool) {
        self.step.write(self.model.run_object(id.0));
        if let Some(run) = self.state.run_mut(id)
            && let Status::WaitTrigger(armed) = &mut run.status
            && outside
        {
            *armed |= bit;
        }
    }

    /// A wait is over: the run goes on in one of the next turns.
    fn waited_for(&mut self, id: RunId, info: Val) {
        self.step.write(self.model.run_object(id.0));
        self.stop_clock(Key::Run(id.0, id.1));
        let (cause, keeps_wait) = (self.cause, self.model.codes[id.0 as usize].keeps_wait);
        if let Some(run) = self.state.run_mut(id) {
            run.status = Status::Ready;
            run.cause = cause;
            run.waited = true;
            if keeps_wait {
                let wait = Val::Map(Arc::new(vec![
                    (Val::text("completed"), Val::Bool(true)),
                    (Val::text("trigger"), info),
                    (Val::text("remaining"), Val::opaque("the rest of a wait")),
                ]));
                run.variables.retain(|(name, _)| &**name != "wait");
                run.variables.push((Arc::from("wait"), wait));
            }
        }
        self.ready.push_back(Task::Later(1, Box::new(Task::Resume(id))));
    }
}
