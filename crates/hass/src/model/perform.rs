//! What the operations of a run do.

use super::code::Op;
use super::layout::{members, shown};
use super::services::{Effect, effects, is_helper};
use super::stage::{Happening, Stage, Task};
use super::state::{Run, RunId, Status};
use super::system::Finding;
use super::zone::Key;
use crate::config::{Call, Match, Mode, RoutineKind, Target, TriggerKind};
use crate::duration;
use crate::template::{Error, Val};
use crate::yaml::Place;
use std::sync::Arc;

/// How an operation leaves a run.
pub(crate) enum Flow {
    /// The next operation follows.
    On,
    /// The run is over.
    Ends,
    /// It goes on later, or is gone.
    Waits,
}

type Data = Vec<(String, Val)>;

/// How many rounds a loop may have.
const MOST_ROUNDS: u32 = 10_000;

/// How long a device takes at most to answer.
const MOST_CALL: i64 = 10_000;

/// How long it takes where a scenario is played.
const EXACT_CALL: i64 = 20;

impl Stage<'_, '_> {
    /// Performs an operation; an error if it fails.
    pub(crate) fn perform(&mut self, id: RunId, op: &Op, place: Place) -> Result<Flow, Error> {
        let variables = self.state.run(id).map(|run| run.variables.clone()).unwrap_or_default();
        match op {
            Op::End => return Ok(Flow::Ends),
            Op::Stop { error } => {
                if *error {
                    return Err(Error("stopped".to_owned()));
                }
                return Ok(Flow::Ends);
            }
            Op::Jump(to) => self.jump(id, *to),
            Op::Test(conditions, otherwise) => {
                if self.holds_all(conditions, &variables) {
                    self.checked(id);
                } else {
                    self.checked(id);
                    self.jump(id, *otherwise);
                }
            }
            Op::Variables(list) => {
                for (name, value) in list.iter() {
                    let variables = self.state.run(id).map(|run| run.variables.clone()).unwrap_or_default();
                    let value = self.render(value, &variables)?;
                    self.assign(id, name, value);
                }
            }
            Op::Delay(length) => {
                let length = self.length(length, &variables)?;
                if length > 0 {
                    self.sleep(id, length, Status::Sleep);
                    return Ok(Flow::Waits);
                }
            }
            Op::Event { name, data } => {
                let mut fields = Vec::new();
                for (key, value) in data.iter() {
                    fields.push((Val::text(key), self.render(value, &variables)?));
                }
                self.tell(Some(id.0), Some(place), || format!("fires the event {name}"));
                self.fire(Happening::Event { name: name.clone(), data: Val::Map(Arc::new(fields)) });
            }
            Op::GiveWay => {
                self.ready.push_back(Task::Resume(id));
                return Ok(Flow::Waits);
            }
            Op::Enter => self.change(id, |run| run.loops.push((0, u32::MAX, None))),
            Op::Count => {
                let mut too_many = false;
                self.change(id, |run| {
                    if let Some(last) = run.loops.last_mut() {
                        last.0 += 1;
                        too_many = last.0 > MOST_ROUNDS;
                    }
                });
                if too_many {
                    return Err(Error("more than 10,000 rounds".to_owned()));
                }
                self.tell_round(id);
            }
            Op::Leave => self.leave(id),
            Op::Loop(count, is_each, end) => {
                let value = match count {
                    Some(count) => self.render(count, &variables)?,
                    None => Val::Int(1),
                };
                let (rounds, items) = match (&value, is_each) {
                    (Val::List(items), true) => (items.len() as u32, Some(Arc::clone(items))),
                    (Val::Opaque(_), _) => (1, None),
                    (_, true) => return Err(Error("`for_each` needs a list".to_owned())),
                    (value, false) => match value.as_number() {
                        Some(number) => (number.max(0.0) as u32, None),
                        None => return Err(Error("`count` needs a number".to_owned())),
                    },
                };
                if rounds == 0 || rounds > MOST_ROUNDS {
                    self.jump(id, *end);
                } else {
                    self.change(id, |run| run.loops.push((1, rounds, items)));
                    self.tell_round(id);
                }
            }
            Op::Next(start) => {
                let mut again = false;
                self.change(id, |run| {
                    if let Some(last) = run.loops.last_mut() {
                        again = last.0 < last.1;
                        last.0 += 1;
                    }
                });
                if again {
                    self.jump(id, *start);
                    self.tell_round(id);
                } else {
                    self.leave(id);
                }
            }
            Op::Parallel(starts, end) => {
                let Some(run) = self.state.run(id).cloned() else { return Ok(Flow::Waits) };
                self.jump(id, *end);
                for &start in starts {
                    let instance = self
                        .state
                        .runs
                        .iter()
                        .filter(|run| run.id.0 == id.0)
                        .map(|run| run.id.1 + 1)
                        .max()
                        .unwrap_or(0);
                    let branch = (id.0, instance);
                    self.state.runs.push(Run {
                        id: branch,
                        at: start as u16,
                        parent: Some(id),
                        is_branch: true,
                        children: 0,
                        status: Status::Ready,
                        ..run.clone()
                    });
                    self.ready.push_back(Task::Resume(branch));
                }
                let count = starts.len() as u8;
                if count > 0 {
                    self.change(id, |run| {
                        run.children = count;
                        run.status = Status::Children;
                    });
                    return Ok(Flow::Waits);
                }
            }
            Op::WaitTemplate { template, timeout, .. } => {
                if self.says_true(template, &variables)? {
                    self.checked(id);
                    self.note_wait(id, true);
                    return Ok(Flow::On);
                }
                self.wait(id, timeout.as_ref(), Status::WaitTemplate, &variables)?;
                return Ok(Flow::Waits);
            }
            // Nothing to wait for.
            Op::WaitTrigger { triggers, .. } if triggers.is_empty() => return Ok(Flow::On),
            Op::WaitTrigger { triggers, timeout, .. } => {
                let mut armed = 0_u32;
                for (index, trigger) in triggers.iter().enumerate() {
                    let bit = 1_u32 << index.min(31);
                    match &trigger.kind {
                        TriggerKind::Numeric { entities, attribute, above, below, .. } => {
                            for entity in entities {
                                let number = self.reading(entity, attribute.as_deref()).unwrap_or(Val::None);
                                let inside = !super::ask::is_gone(&number)
                                    && number
                                        .as_number()
                                        .is_some_and(|number| self.is_inside(number, above.as_ref(), below.as_ref()));
                                armed |= if inside { 0 } else { bit };
                            }
                        }
                        TriggerKind::Template { template, .. } => {
                            armed |= if self.is_fulfilled(template, &variables) == Some(true) { 0 } else { bit };
                        }
                        TriggerKind::State { entities, to: Match::In(values), attribute: None, .. }
                            if timeout.is_none() && triggers.len() == 1 =>
                        {
                            for entity in entities {
                                let now = self.state_of(entity).map(|value| value.to_string());
                                let slot = self.model.layout.slot(entity, None);
                                if let (Some(slot), true) =
                                    (slot, entities.len() == 1 && now.is_some_and(|now| values.contains(&now)))
                                {
                                    self.find(Finding::Missed { routine: id.0, slot, place });
                                }
                            }
                        }
                        _ => {}
                    }
                }
                self.wait(id, timeout.as_ref(), Status::WaitTrigger(armed), &variables)?;
                return Ok(Flow::Waits);
            }
            Op::Call(call) => return self.call(id, call, place, &variables),
        }
        Ok(self.flow(id))
    }

    fn change(&mut self, id: RunId, change: impl FnOnce(&mut Run)) {
        if let Some(run) = self.state.run_mut(id) {
            change(run);
        }
    }

    fn jump(&mut self, id: RunId, to: usize) {
        self.change(id, |run| run.at = to as u16);
    }

    /// A condition was asked: what the run does now is not blind.
    fn checked(&mut self, id: RunId) {
        self.change(id, |run| run.waited = false);
    }

    fn assign(&mut self, id: RunId, name: &str, value: Val) {
        self.change(id, |run| match run.variables.iter_mut().find(|(known, _)| **known == *name) {
            Some((_, known)) => *known = value,
            None => run.variables.push((Arc::from(name), value)),
        });
    }

    fn tell_round(&mut self, id: RunId) {
        let Some((round, rounds, items)) = self.state.run(id).and_then(|run| run.loops.last().cloned()) else { return };
        if !self.model.codes[id.0 as usize].keeps_repeat {
            return;
        }
        let item = items.and_then(|items| items.get(round as usize - 1).cloned()).unwrap_or(Val::Undefined);
        let repeat = Val::Map(Arc::new(vec![
            (Val::text("index"), Val::Int(i64::from(round))),
            (Val::text("first"), Val::Bool(round == 1)),
            (Val::text("last"), Val::Bool(round == rounds)),
            (Val::text("item"), item),
        ]));
        self.assign(id, "repeat", repeat);
    }

    fn leave(&mut self, id: RunId) {
        self.change(id, |run| {
            run.loops.pop();
            if run.loops.is_empty() {
                run.variables.retain(|(name, _)| &**name != "repeat");
            }
        });
    }

    /// On, if the run is still there.
    fn flow(&self, id: RunId) -> Flow {
        if self.state.run(id).is_some() { Flow::On } else { Flow::Waits }
    }

    fn sleep(&mut self, id: RunId, length: i64, status: Status) {
        self.tell(Some(id.0), None, || format!("waits {}", duration::told(length)));
        self.start_clock(Key::Run(id.0, id.1), length);
        self.change(id, |run| run.status = status);
    }

    fn wait(
        &mut self,
        id: RunId,
        timeout: Option<&crate::config::Templated>,
        status: Status,
        variables: &Vec<(Arc<str>, Val)>,
    ) -> Result<(), Error> {
        if let Some(timeout) = timeout {
            let length = self.length(timeout, variables)?;
            self.start_clock(Key::Run(id.0, id.1), length.max(1));
        }
        self.tell(Some(id.0), None, || "waits".to_owned());
        self.change(id, |run| run.status = status);
        Ok(())
    }

    fn note_wait(&mut self, id: RunId, completed: bool) {
        if self.model.codes[id.0 as usize].keeps_wait {
            let wait = Val::Map(Arc::new(vec![
                (Val::text("completed"), Val::Bool(completed)),
                (Val::text("trigger"), Val::None),
                (Val::text("remaining"), Val::Int(0)),
            ]));
            self.assign(id, "wait", wait);
        }
    }

    /// The clock of a run has gone off, or the device has answered: it goes on.
    pub(crate) fn resume(&mut self, id: RunId) {
        let model = self.model;
        let Some(run) = self.state.run(id).cloned() else { return };
        let (op, place, _) = &model.codes[id.0 as usize].ops[run.at as usize - 1];
        self.stop_clock(Key::Run(id.0, id.1));
        match &run.status {
            Status::Call(writes) => {
                (self.cause, self.depth) = (run.cause, run.depth);
                self.change(id, |run| run.status = Status::Ready);
                self.tell(Some(id.0), Some(*place), || "hears that the device has answered".to_owned());
                for &(slot, value) in writes.iter() {
                    self.write(slot, value, Some((id, *place)));
                }
            }
            Status::Sleep => {
                self.begin_again(id);
                self.tell(Some(id.0), Some(*place), || "goes on after its delay".to_owned());
            }
            Status::WaitTemplate | Status::WaitTrigger(_) => {
                self.begin_again(id);
                self.tell(Some(id.0), Some(*place), || "has waited long enough".to_owned());
                self.note_wait(id, false);
                if let Op::WaitTemplate { goes_on: false, .. } | Op::WaitTrigger { goes_on: false, .. } = op {
                    self.end(id, true);
                    return;
                }
            }
            _ => return,
        }
        self.go_on(id);
    }

    /// Time has passed: what a run does from now on has a new cause.
    fn begin_again(&mut self, id: RunId) {
        self.new_cause();
        let cause = self.cause;
        self.change(id, |run| {
            run.status = Status::Ready;
            run.cause = cause;
            run.depth = 1;
            run.waited = true;
            run.returned = None;
        });
    }

    // Calls

    fn call(&mut self, id: RunId, call: &Call, place: Place, variables: &Vec<(Arc<str>, Val)>) -> Result<Flow, Error> {
        let service = self.render(&call.service, variables)?;
        let mut data: Data = Vec::new();
        let mut entities: Vec<String> = Vec::new();
        for target in &call.targets {
            match target {
                Target::Entities(value) => {
                    let value = self.render(value, variables)?;
                    names(&value, &mut entities);
                }
                Target::Members(kind, id) => entities.extend(members(&self.model.configuration, kind, id, call)),
            }
        }
        for (key, value) in &call.data {
            // What is only a message to people is never rendered.
            if !matches!(key.as_str(), "message" | "title" | "data" | "payload") || self.model.exact {
                match self.render(value, variables) {
                    Ok(value) => data.push((key.clone(), value)),
                    Err(error) if self.model.exact => return Err(error),
                    Err(_) => data.push((key.clone(), Val::opaque("a value that cannot be rendered"))),
                }
            }
        }
        let Val::Text(service) = service else { return self.device(id, Vec::new(), place) };
        if let Some(answer) = &call.answer {
            self.assign(id, answer, Val::opaque("what a call answers"));
        }
        self.do_call(id, &service, entities, &data, place)
    }

    fn do_call(
        &mut self,
        id: RunId,
        service: &str,
        entities: Vec<String>,
        data: &Data,
        place: Place,
    ) -> Result<Flow, Error> {
        let model = self.model;
        let word = |key: &str| data.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone());
        let (domain, name) = service.split_once('.').unwrap_or((service, ""));
        match domain {
            "dev" => {
                let (Some(entity), Some(state)) = (word("entity"), word("state")) else {
                    return Err(Error("no entity".to_owned()));
                };
                let Some(slot) = model.layout.slot(&entity.to_string(), None) else {
                    return Err(Error("no slot".to_owned()));
                };
                let value = model.layout.slots[slot as usize].number_of(&state);
                if name == "now" {
                    self.write(slot, value, Some((id, place)));
                    return Ok(self.flow(id));
                }
                let seconds = word("t").and_then(|value| value.as_number()).unwrap_or(0.02);
                self.start_clock(Key::Run(id.0, id.1), (seconds * 1000.0).round() as i64);
                self.change(id, |run| run.status = Status::Call(Arc::new(vec![(slot, value)])));
                return Ok(Flow::Waits);
            }
            "script" => return self.script(id, name, &entities, data),
            "automation" => return self.automation(id, name, &entities, data, place),
            _ => {}
        }
        let mut targets: Vec<String> = Vec::new();
        for entity in &entities {
            for member in self.expand(entity) {
                if !targets.contains(&member) {
                    targets.push(member);
                }
            }
        }
        if domain == "scene" && matches!(name, "turn_on" | "apply") {
            return self.scene(id, &targets, place);
        }
        if domain == "homeassistant"
            && targets.iter().any(|entity| entity.starts_with("script.") || entity.starts_with("automation."))
        {
            let (routines, others): (Vec<String>, Vec<String>) =
                targets.into_iter().partition(|entity| entity.starts_with("automation."));
            self.automation(id, name, &routines, data, place)?;
            targets = others;
        }
        let mut writes: Vec<(u16, u16)> = Vec::new();
        let mut all_helpers = true;
        let mut any = false;
        for entity in &targets {
            let Some(effects) = effects(service, entity, data) else { continue };
            any = true;
            all_helpers &= is_helper(entity);
            for effect in effects {
                self.effect(entity, effect, &mut writes);
            }
        }
        if !any && targets.is_empty() && is_helper(service) {
            return Ok(Flow::On);
        }
        let gathers = targets.len() > 1 || domain == "homeassistant";
        if any && all_helpers {
            if targets.iter().any(|entity| entity.starts_with("timer.")) {
                for entity in &targets {
                    self.timer(entity, name, data, id, place);
                }
                return Ok(self.flow(id));
            }
            if !gathers {
                for (slot, value) in writes {
                    self.write(slot, value, Some((id, place)));
                }
                return Ok(self.flow(id));
            }
            return self.gather(id, writes, place);
        }
        self.device(id, writes, place)
    }

    /// Several entities: each is changed in the next turn, and the run goes on two turns after that.
    fn gather(&mut self, id: RunId, writes: Vec<(u16, u16)>, place: Place) -> Result<Flow, Error> {
        for (slot, value) in writes {
            self.ready.push_back(Task::Write { by: id, slot, value, place });
        }
        self.ready.push_back(Task::Later(2, Box::new(Task::Resume(id))));
        Ok(Flow::Waits)
    }

    /// A real device: others may run before it has answered.
    fn device(&mut self, id: RunId, writes: Vec<(u16, u16)>, place: Place) -> Result<Flow, Error> {
        let model = self.model;
        self.tell(Some(id.0), Some(place), || {
            let what: Vec<String> = writes.iter().map(|&(slot, value)| model.shown(slot, value)).collect();
            if what.is_empty() { "sends a message".to_owned() } else { format!("asks for {}", what.join(", ")) }
        });
        if writes.is_empty() && !model.options.pauses {
            return Ok(Flow::On);
        }
        if model.layout.has_lengths {
            let earliest = if model.exact { EXACT_CALL } else { 0 };
            let latest = if model.exact { EXACT_CALL } else { MOST_CALL };
            self.start_clock_between(Key::Run(id.0, id.1), earliest, latest);
        }
        self.called.push(id);
        self.change(id, |run| run.status = Status::Call(Arc::new(writes)));
        Ok(Flow::Waits)
    }

    fn effect(&mut self, entity: &str, effect: Effect, writes: &mut Vec<(u16, u16)>) {
        let model = self.model;
        if let Effect::Attribute(attribute, value) = &effect {
            if let Some(slot) = model.layout.slot(entity, Some(attribute)) {
                writes.push((slot, model.layout.slots[slot as usize].number_of(value)));
            }
            return;
        }
        let Some(slot) = model.layout.slot(entity, None) else { return };
        let about = &model.layout.slots[slot as usize];
        let now =
            writes.iter().rev().find(|(known, _)| *known == slot).map_or_else(|| self.value(slot), |(_, value)| *value);
        let current = about.values[now as usize].to_string();
        let number = |text: &str| about.values.iter().position(|value| *value == Val::text(text)).map(|at| at as u16);
        let new = match effect {
            Effect::State(text) => match number(&text) {
                Some(new) => Some(new),
                // States on the way that are mentioned nowhere are left out.
                None if matches!(
                    text.as_str(),
                    "opening" | "closing" | "locking" | "unlocking" | "arming" | "pending" | "returning"
                ) =>
                {
                    None
                }
                None => Some(about.number_of(&Val::text(text))),
            },
            Effect::Toggle => {
                const OPPOSITES: [(&str, &str); 4] =
                    [("on", "off"), ("open", "closed"), ("playing", "paused"), ("heat", "off")];
                let other = OPPOSITES.iter().find_map(|(one, other)| match current.as_str() {
                    now if now == *one => Some(*other),
                    now if now == *other => Some(*one),
                    _ => None,
                });
                number(other.unwrap_or("on"))
            }
            Effect::Press => number(if current == "before" { "after" } else { "before" }),
            Effect::Add(steps) => {
                let helper = model.configuration.helpers.iter().find(|helper| helper.entity == entity);
                let (low, high, step) =
                    helper.and_then(|helper| helper.range).unwrap_or((f64::NEG_INFINITY, f64::INFINITY, 1.0));
                let next = (Val::text(&current).as_number().unwrap_or(0.0) + steps * step).clamp(low, high);
                Some(about.number_of(&Val::text(shown(next))))
            }
            Effect::Cycle(step, around) => {
                let options: Vec<String> = model
                    .configuration
                    .helpers
                    .iter()
                    .find(|helper| helper.entity == entity)
                    .map(|helper| helper.options.clone())
                    .unwrap_or_default();
                let at = options.iter().position(|option| *option == current).unwrap_or(0) as i64;
                let count = options.len() as i64;
                let next = if around {
                    (at + step).rem_euclid(count.max(1))
                } else {
                    (at + step).clamp(0, (count - 1).max(0))
                };
                options.get(next as usize).and_then(|option| number(option))
            }
            Effect::Edge(last) => {
                let options = model
                    .configuration
                    .helpers
                    .iter()
                    .find(|helper| helper.entity == entity)
                    .map(|helper| &helper.options);
                options
                    .and_then(|options| if last { options.last() } else { options.first() })
                    .and_then(|option| number(option))
            }
            Effect::Reset => Some(about.initial),
            Effect::Attribute(..) | Effect::Start(_) | Effect::Pause | Effect::Cancel | Effect::Finish => None,
        };
        writes.extend(new.map(|new| (slot, new)));
    }

    fn timer(&mut self, entity: &str, service: &str, data: &Data, id: RunId, place: Place) {
        let model = self.model;
        let Some(slot) = model.layout.slot(entity, None) else { return };
        let number = |text: &str| model.layout.slots[slot as usize].number_of(&Val::text(text));
        let current = self.value(slot);
        let key = Key::Timer(slot);
        let name = |kind: &str| format!("timer.{kind}");
        let about = || Val::Map(Arc::new(vec![(Val::text("entity_id"), Val::text(entity))]));
        match service {
            "start" => {
                let given =
                    data.iter().find(|(key, _)| key == "duration").and_then(|(_, value)| duration::of_value(value));
                let usual = model
                    .configuration
                    .helpers
                    .iter()
                    .find(|helper| helper.entity == entity)
                    .and_then(|helper| helper.duration);
                // Its beginning is cut to a whole second; one that was paused has only its rest left.
                let length = given.or(usual).unwrap_or(60_000).max(1);
                let rest = if current == number("paused") { 0 } else { length - 1000 };
                self.start_clock_between(key, rest, length);
                let again = current != number("idle");
                if current == number("active") {
                    self.touch(slot);
                }
                self.write(slot, number("active"), Some((id, place)));
                self.fire(Happening::Event { name: name(if again { "restarted" } else { "started" }), data: about() });
            }
            "pause" if current == number("active") => {
                self.stop_clock(key);
                self.write(slot, number("paused"), Some((id, place)));
                self.fire(Happening::Event { name: name("paused"), data: about() });
            }
            "cancel" => {
                self.stop_clock(key);
                if current == number("idle") {
                    self.touch(slot);
                }
                self.write(slot, number("idle"), Some((id, place)));
                self.fire(Happening::Event { name: name("cancelled"), data: about() });
            }
            "finish" if current == number("active") => {
                self.stop_clock(key);
                self.write(slot, number("idle"), Some((id, place)));
                self.fire(Happening::Event { name: name("finished"), data: about() });
            }
            _ => {}
        }
    }

    /// A timer has come to its end: idle first, then the event.
    pub(crate) fn timer_ends(&mut self, slot: u16) {
        let model = self.model;
        let about = &model.layout.slots[slot as usize];
        let idle = about.number_of(&Val::text("idle"));
        self.write(slot, idle, None);
        let data = Val::Map(Arc::new(vec![(Val::text("entity_id"), Val::text(&about.name.0))]));
        self.fire(Happening::Event { name: "timer.finished".to_owned(), data });
    }

    fn scene(&mut self, id: RunId, scenes: &[String], place: Place) -> Result<Flow, Error> {
        let model = self.model;
        let mut writes = Vec::new();
        let mut real = false;
        for scene in scenes {
            let Some(scene) = model.configuration.scenes.iter().find(|known| known.entity == *scene) else { continue };
            for (entity, state, _) in &scene.states {
                real |= !is_helper(entity);
                if let Some(slot) = model.layout.slot(entity, None) {
                    writes.push((slot, model.layout.slots[slot as usize].number_of(&Val::text(state))));
                }
            }
        }
        if real { self.device(id, writes, place) } else { self.gather(id, writes, place) }
    }

    fn script(&mut self, id: RunId, name: &str, entities: &[String], data: &Data) -> Result<Flow, Error> {
        let model = self.model;
        let by_service = matches!(name, "turn_on" | "turn_off" | "toggle" | "reload");
        let names: Vec<String> = if by_service { entities.to_vec() } else { vec![format!("script.{name}")] };
        for entity in names {
            let Some(routine) = model.routine_of(&entity) else {
                if !by_service && model.exact {
                    return Err(Error(format!("there is no {entity}")));
                }
                continue;
            };
            let mode = model.routines[routine as usize].mode;
            // A script that calls itself cannot wait for itself.
            if !by_service && matches!(mode, Mode::Restart | Mode::Queued) && self.is_called_by(id, routine) {
                continue;
            }
            let is_running = self.state.runs.iter().any(|run| run.id.0 == routine);
            if name == "turn_off" || name == "toggle" && is_running {
                let running: Vec<RunId> =
                    self.state.runs.iter().filter(|run| run.id.0 == routine).map(|run| run.id).collect();
                running.into_iter().for_each(|run| self.stop(run));
                continue;
            }
            let mut variables: Vec<(Arc<str>, Val)> = Vec::new();
            for (key, value) in &model.routines[routine as usize].variables {
                let value = self.render(value, &variables)?;
                variables.push((Arc::from(key.as_str()), value));
            }
            match data.iter().find(|(key, _)| key == "variables").filter(|_| by_service) {
                Some((_, Val::Map(entries))) => {
                    variables.extend(
                        entries.iter().map(|(key, value)| (Arc::from(key.to_string().as_str()), value.clone())),
                    );
                }
                _ => variables.extend(data.iter().map(|(key, value)| (Arc::from(key.as_str()), value.clone()))),
            }
            let waits = !by_service;
            let parent = waits.then_some(id);
            // It may end before the call returns: then no run has to wait.
            self.change(id, |run| run.children += u8::from(waits));
            let begun = self.begin(routine, 0, variables, parent, false);
            let Some(begun) = begun else {
                self.change(id, |run| run.children = run.children.saturating_sub(u8::from(waits)));
                continue;
            };
            if waits && self.state.run(begun).is_some() {
                self.change(id, |run| run.status = Status::Children);
                return Ok(Flow::Waits);
            }
        }
        Ok(self.flow(id))
    }

    /// A run and those that wait for it, from itself on.
    fn above(&self, id: RunId) -> impl Iterator<Item = RunId> + '_ {
        std::iter::successors(Some(id), |id| self.state.run(*id)?.parent)
    }

    /// Whether a run belongs to a routine or was called by it, through scripts only.
    fn is_called_by(&self, id: RunId, routine: u16) -> bool {
        let is_script = |id: &RunId| self.model.routines[id.0 as usize].kind == RoutineKind::Script;
        self.above(id).take_while(is_script).any(|run| run.0 == routine)
    }

    fn automation(
        &mut self,
        id: RunId,
        name: &str,
        entities: &[String],
        data: &Data,
        place: Place,
    ) -> Result<Flow, Error> {
        let model = self.model;
        for entity in entities {
            let Some(routine) = model
                .routine_of(entity)
                .filter(|&routine| model.routines[routine as usize].kind == RoutineKind::Automation)
            else {
                continue;
            };
            let Some(slot) = model.routine_slots[routine as usize] else { continue };
            let about = &model.layout.slots[slot as usize];
            let is_on = about.values[self.value(slot) as usize] == Val::text("on");
            let turns_on = match name {
                "turn_on" => true,
                "turn_off" => false,
                "toggle" => !is_on,
                "trigger" => {
                    let checks = data.iter().any(|(key, value)| key == "skip_condition" && *value == Val::Bool(false));
                    let info = Val::Map(Arc::new(vec![(Val::text("platform"), Val::None)]));
                    // A run that restarts itself stops, and takes the new one with it.
                    let above = self.above(id).find(|run| run.0 == routine);
                    if let Some(own) = above.filter(|_| model.routines[routine as usize].mode == Mode::Restart) {
                        self.stop(own);
                        return Ok(Flow::Waits);
                    }
                    self.change(id, |run| run.children += 1);
                    let begun = self.trigger(routine, u16::MAX, &info, !checks, Some(id));
                    if begun.is_some_and(|begun| self.state.run(begun).is_some()) {
                        self.change(id, |run| run.status = Status::Children);
                        return Ok(Flow::Waits);
                    }
                    if begun.is_none() {
                        self.change(id, |run| run.children = run.children.saturating_sub(1));
                    }
                    continue;
                }
                _ => continue,
            };
            self.write(slot, about.number_of(&Val::text(if turns_on { "on" } else { "off" })), Some((id, place)));
            if turns_on && !is_on {
                // An automation that is turned on again hears of everything after the others.
                for other in 0..model.routines.len() as u16 {
                    if let Some(mark) = model.pair_mark(other, routine) {
                        self.set_mark(mark, if other < routine { 1 } else { 2 });
                    }
                }
                self.arm(routine);
            }
            let stops = !data.iter().any(|(key, value)| key == "stop_actions" && *value == Val::Bool(false));
            if !turns_on {
                model.holds_of(routine).for_each(|hold| self.stop_clock(Key::Hold(hold)));
                if stops {
                    let running: Vec<RunId> =
                        self.state.runs.iter().filter(|run| run.id.0 == routine).map(|run| run.id).collect();
                    running.into_iter().for_each(|run| self.stop(run));
                }
            }
        }
        Ok(self.flow(id))
    }

    /// Finds out which triggers of an automation are armed: those that would not fire now.
    pub(crate) fn arm(&mut self, routine: u16) {
        let model = self.model;
        for (index, trigger) in model.routines[routine as usize].triggers.iter().enumerate() {
            match &trigger.kind {
                TriggerKind::Numeric { entities, attribute, above, below, .. } => {
                    for entity in entities {
                        let number = self.reading(entity, attribute.as_deref()).unwrap_or(Val::None);
                        let inside = !super::ask::is_gone(&number)
                            && number
                                .as_number()
                                .is_some_and(|number| self.is_inside(number, above.as_ref(), below.as_ref()));
                        if let Some(mark) = model.armed_mark(routine, index, entity) {
                            self.set_mark(mark, u8::from(!inside));
                        }
                    }
                }
                TriggerKind::Template { template, .. } => {
                    let is_true = self.is_fulfilled(template, &Vec::new());
                    if let Some(mark) = model.armed_mark(routine, index, "") {
                        self.set_mark(mark, u8::from(is_true != Some(true)));
                    }
                }
                _ => {}
            }
        }
    }
}

fn names(value: &Val, into: &mut Vec<String>) {
    match value {
        Val::Text(text) => {
            into.extend(text.split(',').map(|name| name.trim().to_owned()).filter(|name| name.contains('.')))
        }
        Val::List(items) => items.iter().for_each(|item| names(item, into)),
        Val::State(entity) => into.push(entity.to_string()),
        _ => {}
    }
}
