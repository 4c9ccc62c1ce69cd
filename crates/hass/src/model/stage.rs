//! One step: the loop of Home Assistant from one event until it waits again.
//!
//! As in Home Assistant since 2026.7, an event that is fired while another one is dispatched waits in a queue
//! ([`Stage::fire`]); listeners of states are called directly; a run goes on until it has to wait, before the next
//! listener is called. What waits only for the next turn of the loop stands in [`Stage::ready`], first in, first out, and
//! belongs to the same step.

use super::code::Op;
use super::layout::expand;
use super::perform::Flow;
use super::state::{Run, RunId, State, Status};
use super::system::{Finding, Model};
use super::zone::Key;
use crate::config::RoutineKind;
use crate::template::Val;
use crate::yaml::Place;
use mazurka_core::Step;
use std::collections::VecDeque;
use std::sync::Arc;

/// Something that listeners hear of.
#[derive(Clone, Debug)]
pub(crate) enum Happening {
    /// A slot changed from one value to another one.
    Change {
        slot: u16,
        old: u16,
        new: u16,
    },
    Event {
        name: String,
        data: Val,
    },
}

/// What the loop will do in one of its next turns.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    /// Waits this many turns.
    Later(u8, Box<Task>),
    /// An automation is triggered.
    Trigger { routine: u16, trigger: u16, info: Val, cause: u8, depth: u8 },
    /// A part of a call on several entities.
    Write { by: RunId, slot: u16, value: u16, place: Place },
    /// A run that had to wait until another one has stopped begins.
    Start(RunId),
    /// A run goes on.
    Resume(RunId),
}

/// Something that was done, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) routine: Option<u16>,
    pub(crate) text: String,
    pub(crate) place: Option<Place>,
}

/// What is told of a run that has to wait for others.
pub(crate) const QUEUED: &str = "is triggered and waits for its turn";

/// The most automations that one step starts.
const MOST_STARTS: usize = 60;

/// The most operations of one step.
const MOST_OPS: usize = 20_000;

/// What covers, locks and their like report until they are where they were told to be, and where that is.
const ON_THE_WAY: [(&str, &str); 6] = [
    ("opening", "open"),
    ("closing", "closed"),
    ("locking", "locked"),
    ("unlocking", "unlocked"),
    ("arming", ""),
    ("returning", "docked"),
];

pub(crate) struct Stage<'m, 's> {
    pub(crate) model: &'m Model,
    pub(crate) state: &'s mut State,
    pub(crate) step: &'s mut Step,
    busy: bool,
    /// What was fired meanwhile, with its cause and through how many automations that has come.
    queue: VecDeque<(Happening, (u8, u8))>,
    pub(crate) ready: VecDeque<Task>,
    pub(crate) deeds: Option<Vec<Deed>>,
    /// Runs and changes, as Home Assistant is asked for them: `[alias]`, `entity:old->new`. Written where deeds are.
    log: Vec<String>,
    /// The cause of what happens now, and how many automations it has come through.
    pub(crate) cause: u8,
    pub(crate) depth: u8,
    pub(crate) starts: Vec<u16>,
    pub(crate) work: usize,
    over: bool,
    /// The clocks that were started, and the runs that got other numbers at the end.
    pub(crate) started: Vec<Key>,
    pub(crate) moved: Vec<(RunId, RunId)>,
    /// The runs that began to wait for a device, in order.
    pub(crate) called: Vec<RunId>,
    /// The cause of the last fight.
    fight: u8,
    /// The device that has come back as it had been, while those are called who hear of it.
    pub(crate) returned: Option<u16>,
    /// The values before anybody heard of what happens, while those are called who do.
    pub(crate) unheard: Option<Vec<u16>>,
    /// Nothing may be chosen: what would need a choice is taken as it is in the file.
    pub(crate) fixed: bool,
    /// What was taken for the age of a clock, and for what nobody can know.
    pub(crate) assumed: Vec<(Key, i64, bool)>,
    pub(crate) decided: Vec<(String, bool)>,
}

/// What a step did, for people and for scenarios.
pub(crate) struct Happened {
    pub(crate) deeds: Vec<Deed>,
    pub(crate) log: Vec<String>,
    /// The number of the cause that the step began, and of that which its last finding is about.
    pub(crate) cause: u8,
    pub(crate) last_cause: u8,
    pub(crate) started: Vec<Key>,
    pub(crate) moved: Vec<(RunId, RunId)>,
    pub(crate) called: Vec<RunId>,
    pub(crate) assumed: Vec<(Key, i64, bool)>,
    pub(crate) decided: Vec<(String, bool)>,
}

impl<'m, 's> Stage<'m, 's> {
    pub(crate) fn new(model: &'m Model, state: &'s mut State, step: &'s mut Step, telling: bool) -> Self {
        Stage {
            model,
            state,
            step,
            busy: false,
            queue: VecDeque::new(),
            ready: VecDeque::new(),
            deeds: telling.then(Vec::new),
            log: Vec::new(),
            cause: 0,
            depth: 0,
            starts: Vec::new(),
            work: 0,
            over: false,
            started: Vec::new(),
            moved: Vec::new(),
            called: Vec::new(),
            fight: 0,
            returned: None,
            unheard: None,
            fixed: false,
            assumed: Vec::new(),
            decided: Vec::new(),
        }
    }

    /// What the step did.
    pub(crate) fn happened(self) -> Happened {
        Happened {
            deeds: self.deeds.unwrap_or_default(),
            log: self.log,
            cause: self.cause,
            last_cause: self.fight,
            started: self.started,
            moved: self.moved,
            called: self.called,
            assumed: self.assumed,
            decided: self.decided,
        }
    }

    /// Notes that an automation runs.
    fn log_run(&mut self, routine: u16) {
        let about = &self.model.routines[routine as usize];
        if self.deeds.is_some() && about.kind == RoutineKind::Automation {
            self.log.push(format!("[{}]", about.name));
        }
    }

    /// Notes that an entity has changed.
    fn log_change(&mut self, slot: u16, old: u16, new: u16) {
        let about = &self.model.layout.slots[slot as usize];
        let is_routine = about.name.0.starts_with("automation.") || about.name.0.starts_with("script.");
        if self.deeds.is_some() && !is_routine {
            let text = |value: u16| match &about.values[value as usize] {
                Val::None => "None".to_owned(),
                value => value.to_string(),
            };
            let attribute = about.name.1.as_ref().map_or_else(String::new, |attribute| format!(".{attribute}"));
            self.log.push(format!("{}{attribute}:{}->{}", about.name.0, text(old), text(new)));
        }
    }

    // What is touched

    pub(crate) fn value(&mut self, slot: u16) -> u16 {
        self.step.read(self.model.slot_object(slot));
        self.state.values[slot as usize]
    }

    pub(crate) fn mark(&mut self, mark: u16) -> u8 {
        self.step.read(self.model.mark_object(mark));
        self.state.marks[mark as usize]
    }

    pub(crate) fn set_mark(&mut self, mark: u16, value: u8) {
        if self.state.marks[mark as usize] != value {
            self.step.write(self.model.mark_object(mark));
            self.state.marks[mark as usize] = value;
        } else {
            self.step.read(self.model.mark_object(mark));
        }
    }

    fn touch_runs(&mut self, routine: u16) {
        self.step.write(self.model.run_object(routine));
    }

    pub(crate) fn start_clock(&mut self, key: Key, milliseconds: i64) {
        self.step.write(self.model.zone_object());
        self.state.zone.start(key, Some(milliseconds), 0);
        self.started.push(key);
    }

    /// Starts a clock that goes off at some time between the earliest one and its deadline.
    pub(crate) fn start_clock_between(&mut self, key: Key, earliest: i64, milliseconds: i64) {
        self.step.write(self.model.zone_object());
        self.state.zone.start_between(key, earliest, milliseconds);
        self.started.push(key);
    }

    pub(crate) fn stop_clock(&mut self, key: Key) {
        if self.state.zone.runs(key) {
            self.step.write(self.model.zone_object());
            self.state.zone.stop(key);
        }
    }

    pub(crate) fn tell(&mut self, routine: Option<u16>, place: Option<Place>, text: impl FnOnce() -> String) {
        if let Some(deeds) = &mut self.deeds {
            deeds.push(Deed { routine, text: text(), place });
        }
    }

    /// Notes what is wrong. A model for what the owner expects is asked for nothing else.
    pub(crate) fn find(&mut self, finding: Finding) {
        if self.model.options.expectation.is_some() && !matches!(finding, Finding::Broken) {
            return;
        }
        // What the configuration does not know is told as such, and breaks nothing.
        if matches!(finding, Finding::Broken) && !self.model.unknown_in_expectation().is_empty() {
            return;
        }
        self.step.fail(self.model.violation(finding));
    }

    /// Whether the step does more than is looked at.
    pub(crate) fn is_over(&mut self) -> bool {
        self.work += 1;
        if self.work > MOST_OPS {
            self.over = true;
        }
        self.over
    }

    // The loop

    /// A new cause: none of those that still have runs.
    pub(crate) fn new_cause(&mut self) {
        self.cause =
            (1..=u8::MAX).find(|cause| !self.state.runs.iter().any(|run| run.cause == *cause)).unwrap_or(u8::MAX);
        self.depth = 0;
    }

    /// Fires an event: at once, or after the one that is being dispatched.
    pub(crate) fn fire(&mut self, happening: Happening) {
        let now = (self.cause, self.depth);
        self.queue.push_back((happening, now));
        if self.busy {
            return;
        }
        self.busy = true;
        while let Some((happening, cause)) = self.queue.pop_front() {
            (self.cause, self.depth) = cause;
            if self.is_over() {
                self.queue.clear();
                break;
            }
            self.dispatch(&happening);
        }
        self.busy = false;
        (self.cause, self.depth) = now;
    }

    /// Runs what waits for the next turns of the loop, and brings the state into its normal form.
    pub(crate) fn finish(&mut self) {
        while let Some(task) = self.ready.pop_front() {
            if self.is_over() {
                self.ready.clear();
                break;
            }
            match task {
                Task::Later(0, task) => self.ready.push_front(*task),
                Task::Later(turns, task) => self.ready.push_back(Task::Later(turns - 1, task)),
                Task::Trigger { routine, trigger, info, cause, depth } => {
                    (self.cause, self.depth) = (cause, depth);
                    self.triggered(routine, trigger, &info);
                }
                Task::Write { by, slot, value, place } => {
                    if let Some(run) = self.state.run(by) {
                        (self.cause, self.depth) = (run.cause, run.depth);
                    }
                    self.write(slot, value, Some((by, place)));
                }
                Task::Start(id) => {
                    if let Some(run) = self.state.run(id) {
                        (self.cause, self.depth) = (run.cause, run.depth);
                        self.tell(Some(id.0), Some(self.model.routines[id.0 as usize].place), || "runs".to_owned());
                        self.log_run(id.0);
                        self.go_on(id);
                    }
                }
                Task::Resume(id) => {
                    if let Some(run) = self.state.run(id) {
                        (self.cause, self.depth) = (run.cause, run.depth);
                        self.go_on(id);
                    }
                }
            }
        }
        self.look_at_expectation();
        // A cause is over when nothing that it began runs any more.
        for slot in 0..self.state.writers.len() {
            let (routine, cause) = self.state.writers[slot];
            if cause != 0 && !self.state.runs.iter().any(|run| run.cause == cause) {
                self.step.write(self.model.slot_object(slot as u16));
                self.state.writers[slot] = (if self.model.options.takeovers { routine } else { 0 }, 0);
            }
        }
        self.moved = self.state.normalize();
        for &(old, new) in &self.moved {
            self.called.iter_mut().filter(|run| **run == old).for_each(|run| *run = new);
            for key in &mut self.started {
                if *key == Key::Run(old.0, old.1) {
                    *key = Key::Run(new.0, new.1);
                }
            }
        }
        self.state.zone.elapse();
    }

    /// Starts an automation if it is on and its conditions hold.
    pub(crate) fn triggered(&mut self, routine: u16, trigger: u16, info: &Val) {
        if let Some(slot) = self.model.routine_slots[routine as usize] {
            let on = self.value(slot);
            if self.model.layout.slots[slot as usize].values[on as usize] != Val::text("on") {
                return;
            }
        }
        self.trigger(routine, trigger, info, false, None);
    }

    /// Starts an automation if its conditions hold, or without asking them; tells which run it is if there is one.
    pub(crate) fn trigger(
        &mut self,
        routine: u16,
        trigger: u16,
        info: &Val,
        unasked: bool,
        parent: Option<RunId>,
    ) -> Option<RunId> {
        let mut variables: Vec<(Arc<str>, Val)> = vec![(Arc::from("trigger"), info.clone())];
        let model = self.model;
        let own = &model.routines[routine as usize]
            .triggers
            .get(trigger as usize)
            .map_or(&[][..], |trigger| &trigger.variables);
        for (name, value) in model.routines[routine as usize].variables.iter().chain(own.iter()) {
            match self.render(value, &variables) {
                Ok(value) => variables.push((Arc::from(name.as_str()), value)),
                Err(_) => return None,
            }
        }
        if !unasked {
            let holds = self.holds_all(&model.routines[routine as usize].conditions, &variables);
            self.look_for_order(routine, holds, &variables);
            if !holds {
                return None;
            }
        }
        self.begin(routine, trigger, variables, parent, false)
    }

    /// Whether the conditions would say something else if the one that was called just before had not been.
    fn look_for_order(&mut self, routine: u16, holds: bool, variables: &Vec<(Arc<str>, Val)>) {
        let model = self.model;
        let Some(&first) = self.starts.last().filter(|first| **first != routine) else { return };
        if model.exact || model.pair_mark(first, routine).is_none() || self.depth > 0 {
            return;
        }
        // Where both set one thing to different values, that is what is told.
        let [own, others] = [routine, first].map(|routine| &model.first_writes[routine as usize]);
        if own.iter().any(|(slot, value)| others.iter().any(|(other, set)| other == slot && set != value)) {
            return;
        }
        let Some(before) = self.unheard.clone().filter(|before| *before != self.state.values) else { return };
        let chosen = (self.decided.len(), self.assumed.len());
        let now = std::mem::replace(&mut self.state.values, before);
        self.fixed = true;
        let would = self.holds_all(&model.routines[routine as usize].conditions, variables);
        self.fixed = false;
        self.state.values = now;
        if would != holds && chosen == (0, 0) {
            self.find(Finding::Order { first, second: routine, runs: holds });
        }
    }

    /// Begins a run, as the mode says; tells which one if there is one.
    pub(crate) fn begin(
        &mut self,
        routine: u16,
        trigger: u16,
        mut variables: Vec<(Arc<str>, Val)>,
        parent: Option<RunId>,
        later: bool,
    ) -> Option<RunId> {
        use crate::config::Mode;
        self.touch_runs(routine);
        self.starts.push(routine);
        if self.starts.len() > MOST_STARTS || self.depth > self.model.most_depth {
            if !self.over {
                self.over = true;
                self.find(Finding::Loop { routines: self.starts.clone() });
            }
            return None;
        }
        let model = self.model;
        let about = &model.routines[routine as usize];
        let active: Vec<RunId> =
            self.state.runs.iter().filter(|run| run.id.0 == routine && !run.is_branch).map(|run| run.id).collect();
        let mut status = Status::Ready;
        let mut wait = later;
        match about.mode {
            Mode::Single if !active.is_empty() => {
                self.lose(routine, &active);
                return None;
            }
            Mode::Queued | Mode::Parallel if active.len() >= about.max => {
                self.lose(routine, &active);
                return None;
            }
            Mode::Queued | Mode::Parallel if active.len() >= model.most_runs => {
                model.note_cut();
                return None;
            }
            Mode::Restart if !active.is_empty() => {
                active.iter().for_each(|&run| self.stop(run));
                wait = true;
            }
            Mode::Queued if !active.is_empty() => status = Status::Queued,
            _ => {}
        }
        let instance =
            self.state.runs.iter().filter(|run| run.id.0 == routine).map(|run| run.id.1 + 1).max().unwrap_or(0);
        let id = (routine, instance);
        if !model.codes[routine as usize].keeps_trigger {
            variables.retain(|(name, _)| &**name != "trigger");
        }
        let is_queued = status == Status::Queued;
        if !wait {
            let words = if is_queued { QUEUED } else { "runs" };
            self.tell(Some(routine), Some(about.place), || words.to_owned());
            self.log_run(routine);
        }
        self.state.runs.push(Run {
            id,
            at: 0,
            status,
            loops: Vec::new(),
            variables,
            parent,
            is_branch: false,
            children: 0,
            cause: self.cause,
            depth: self.depth.saturating_add(1),
            waited: false,
            lost: false,
            ends: false,
            returned: self.returned,
            trigger,
        });
        if is_queued {
            return Some(id);
        }
        if wait {
            self.ready.push_back(Task::Later(2, Box::new(Task::Start(id))));
        } else {
            self.go_on(id);
        }
        Some(id)
    }

    fn lose(&mut self, routine: u16, active: &[RunId]) {
        self.tell(Some(routine), None, || "is triggered, but it still runs: the trigger is lost".to_owned());
        for &id in active {
            if let Some(run) = self.state.run_mut(id)
                && matches!(run.status, Status::Sleep)
            {
                run.lost = true;
            }
        }
    }

    /// Stops a run with everything that it waits for.
    pub(crate) fn stop(&mut self, id: RunId) {
        self.touch_runs(id.0);
        self.stop_clock(Key::Run(id.0, id.1));
        let children: Vec<RunId> =
            self.state.runs.iter().filter(|run| run.parent == Some(id)).map(|run| run.id).collect();
        self.state.runs.retain(|run| run.id != id);
        children.into_iter().for_each(|child| self.stop(child));
    }

    /// A run is over.
    pub(crate) fn end(&mut self, id: RunId, is_stopped: bool) {
        self.touch_runs(id.0);
        let Some(run) = self.state.run(id).cloned() else { return };
        self.state.runs.retain(|other| other.id != id);
        if let Some(parent) = run.parent {
            self.touch_runs(parent.0);
            if let Some(parent_run) = self.state.run_mut(parent) {
                // A stop in a branch ends the whole run, when the other branches have ended.
                parent_run.ends |= run.is_branch && is_stopped;
                parent_run.children = parent_run.children.saturating_sub(1);
                if parent_run.children == 0 && parent_run.status == Status::Children {
                    parent_run.status = Status::Ready;
                    self.ready.push_back(Task::Later(1, Box::new(Task::Resume(parent))));
                }
            }
        }
        if !run.is_branch {
            self.next_in_queue(id.0);
        }
    }

    fn next_in_queue(&mut self, routine: u16) {
        let next = self
            .state
            .runs
            .iter_mut()
            .filter(|run| run.id.0 == routine && run.status == Status::Queued)
            .min_by_key(|run| run.id);
        if let Some(run) = next {
            run.status = Status::Ready;
            let id = run.id;
            self.ready.push_back(Task::Resume(id));
        }
    }

    /// An entity tells its state again: it is a change for those who take any change.
    pub(crate) fn touch(&mut self, slot: u16) {
        let value = self.value(slot);
        let about = &self.model.layout.slots[slot as usize];
        self.log_change(slot, value, value);
        if let Some(most) = about.age {
            self.step.write(self.model.zone_object());
            self.state.zone.start(Key::Age(slot), None, most);
            self.started.push(Key::Age(slot));
        }
        self.fire(Happening::Change { slot, old: value, new: value });
    }

    /// Writes a slot; `by` is the run that does it and the place of its action, if a run does it.
    pub(crate) fn write(&mut self, slot: u16, new: u16, by: Option<(RunId, Place)>) {
        let old = self.value(slot);
        let model = self.model;
        if let Some((run, place)) = by {
            self.tell(Some(run.0), Some(place), || format!("sets {}", model.shown(slot, new)));
            // What a device reports on its way is not what it was asked for.
            let values = &model.layout.slots[slot as usize].values;
            let reported = values[new as usize].to_string();
            let asked = match ON_THE_WAY.iter().find(|(now, _)| *now == reported) {
                Some((_, then)) => values.iter().position(|value| *value == Val::text(*then)).map(|at| at as u16),
                None => Some(new),
            };
            if let Some(asked) = asked {
                self.look_for_fights(slot, asked, run, place);
            }
        }
        if old == new {
            return;
        }
        self.log_change(slot, old, new);
        self.step.write(self.model.slot_object(slot));
        self.state.values[slot as usize] = new;
        if let Some((run, place)) = by
            && let Some(entity) = self.state.run(run).and_then(|run| run.returned)
        {
            self.find(Finding::Returned { routine: run.0, entity, slot, place });
        }
        if by.is_none() && self.state.writers[slot as usize] != (0, 0) {
            self.state.writers[slot as usize] = (0, 0);
        }
        if let Some(most) = model.layout.slots[slot as usize].age {
            self.step.write(model.zone_object());
            self.state.zone.start(Key::Age(slot), None, most);
            self.started.push(Key::Age(slot));
        }
        self.fire(Happening::Change { slot, old, new });
    }

    /// Two routines set a slot to different values because of one event; or a run acts on what is no longer so.
    fn look_for_fights(&mut self, slot: u16, new: u16, by: RunId, place: Place) {
        let Some(run) = self.state.run(by).cloned() else { return };
        let owner = self.owner(&run);
        let (writer, cause) = self.state.writers[slot as usize];
        let old = self.state.values[slot as usize];
        if writer != 0 && writer != owner + 1 && cause == run.cause && old != new {
            let follows = run.depth > 1;
            self.fight = run.cause;
            self.find(Finding::Fight { first: writer - 1, second: owner, slot, old, new, place, follows });
        }
        if writer != 0 && writer != owner + 1 && cause == 0 && old != new {
            self.find(Finding::Takeover { first: writer - 1, second: owner, slot, old, new, place });
        }
        self.step.write(self.model.slot_object(slot));
        self.state.writers[slot as usize] = (owner + 1, run.cause);
        if run.waited {
            self.look_for_staleness(&run, slot, new, place);
        }
    }

    /// The automation that a script or branch runs for.
    fn owner(&self, run: &Run) -> u16 {
        let mut run = run;
        while let Some(parent) = run.parent.and_then(|parent| self.state.run(parent)) {
            run = parent;
        }
        run.id.0
    }

    fn look_for_staleness(&mut self, run: &Run, slot: u16, new: u16, place: Place) {
        let model = self.model;
        let routine = run.id.0;
        if run.lost && model.first_writes[routine as usize].iter().any(|(known, value)| *known == slot && *value != new)
        {
            let waited = model.waited_at(routine, run.at);
            self.find(Finding::Lost { routine, slot, new, place, waited });
            return;
        }
        // The trigger's entity is no longer as it was, and what it is now makes another automation do the opposite.
        let Some((entity, wanted)) = model.started_by(routine, run.trigger) else { return };
        let now = self.value(entity);
        if wanted.contains(&now) {
            return;
        }
        let opposite = model.answers(entity, now).find(|&other| {
            model.first_writes[other as usize].iter().any(|(known, value)| *known == slot && *value != new)
        });
        if let Some(other) = opposite {
            let on = model.routine_slots[other as usize].is_none_or(|slot| {
                let value = self.value(slot);
                model.layout.slots[slot as usize].values[value as usize] == Val::text("on")
            });
            if on {
                self.find(Finding::Stale { routine, other, slot, new, entity, now, place });
            }
        }
    }

    /// Executes a run until it waits or ends.
    pub(crate) fn go_on(&mut self, id: RunId) {
        let before = (self.cause, self.depth);
        if let Some(run) = self.state.run(id) {
            (self.cause, self.depth) = (run.cause, run.depth);
        }
        self.execute(id);
        (self.cause, self.depth) = before;
    }

    fn execute(&mut self, id: RunId) {
        self.touch_runs(id.0);
        while let Some(run) = self.state.run_mut(id) {
            if run.status != Status::Ready {
                return;
            }
            if run.ends {
                self.end(id, true);
                return;
            }
            if self.work > MOST_OPS {
                return;
            }
            self.work += 1;
            let model = self.model;
            let code = &model.codes[id.0 as usize];
            let (op, place, goes_on) = &code.ops[run.at as usize];
            run.at += 1;
            let done = self.perform(id, op, *place);
            match done {
                Ok(Flow::On) => {}
                Ok(Flow::Waits) => return,
                Ok(Flow::Ends) => {
                    self.end(id, matches!(op, Op::Stop { .. }));
                    return;
                }
                Err(_) if *goes_on => {}
                Err(_) => {
                    self.tell(Some(id.0), Some(*place), || "fails and ends".to_owned());
                    self.end(id, true);
                    return;
                }
            }
        }
    }

    /// The entities that a name stands for.
    pub(crate) fn expand(&self, entity: &str) -> Vec<String> {
        expand(&self.model.configuration, entity)
    }
}
