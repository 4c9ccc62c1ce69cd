//! A step while it runs: what it has read and written so far, and which apps it has told.
//!
//! Everything that apps can see of the state goes through here, so that footprints and the memo are complete: a slot that
//! is looked at is learnt, once, with the value that it had when the step began.

mod entries;

use crate::happening::{Happening, Notice};
use crate::home::Home;
use crate::layout::Fixed;
use crate::memo::{Learnt, StepEffect};
use crate::state::State;
use crate::store::{Dynamic, NOTHING, Pending, Slot, Source, Stored, Subscription, ValueId};
use crate::{Profile, words};
use indexmap::IndexSet;
use mazurka_core::{Access, ActorId, Choices, Location, Touch, Violation, ViolationKind};
use mazurka_groovy::{Frozen, Instance, Limits, Run, Span, Trouble, TroubleKind, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What was done with a slot.
mod mark {
    /// Its value at the start of the step is learnt.
    pub(super) const LEARNT: u8 = 1;
    /// An app's behaviour depends on it.
    pub(super) const READ: u8 = 2;
    /// Something was stored in it.
    pub(super) const WRITTEN: u8 = 4;
}

/// How many words of a copied state count as one element of what a step builds.
const WORDS_PER_ITEM: usize = 8;

/// A reason to stop the whole step; what is wrong has been noted.
pub(crate) struct Stop;

/// Something that an app did, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    pub(crate) app: u32,
    pub(crate) text: String,
    pub(crate) location: Option<Location>,
    /// The slot of what it changed: an attribute, or the mode.
    pub(crate) slot: Option<Slot>,
}

/// An event that apps are being told of.
struct Told {
    name: Arc<str>,
    value: Frozen,
    device: Option<u32>,
    /// The state when they were told.
    state: State,
    /// How much apps had done by then.
    actions: usize,
}

/// A step while it runs.
pub(crate) struct Stage<'h> {
    pub(crate) home: &'h Home,
    actor: Option<ActorId>,
    start: State,
    now: State,
    marks: Vec<u8>,
    touched: Vec<Slot>,
    way: Vec<Learnt>,
    choices: Choices,
    violations: Vec<Violation>,
    instances: Vec<Option<Rc<Instance>>>,
    /// Entries of `state` that are lists or maps: scripts change them in place.
    thawed: FxHashMap<Slot, Value>,
    /// Sets of keys that were changed, and are stored when the state is asked for.
    changed_keys: FxHashMap<Slot, IndexSet<Arc<str>>>,
    /// Subscriptions that were changed, likewise.
    changed_subscriptions: FxHashMap<u32, IndexSet<Subscription>>,
    /// How many elements of these were stored and not yet charged to the step.
    owed: usize,
    pub(crate) settings: Vec<Option<Value>>,
    /// The events that apps are being told of, the outermost first.
    telling: Vec<Told>,
    /// Whether a person asked for what is being done.
    manual: bool,
    /// What apps did, if that is asked for.
    pub(crate) actions: Option<Vec<Action>>,
    /// The first action of what apps would do again and again, if the step had no end.
    pub(crate) round: Option<usize>,
    /// Whether the step came to what is not modelled: nothing is known of what it leaves behind.
    unfollowed: bool,
    /// Whether apps are being installed.
    pub(crate) installing: bool,
}

impl<'h> Stage<'h> {
    /// A step from a state that will make these choices.
    pub(crate) fn new(home: &'h Home, state: &State, actor: Option<ActorId>, choices: Choices) -> Self {
        let apps = home.apps.len();
        Stage {
            home,
            actor,
            start: state.clone(),
            now: state.clone(),
            marks: vec![0; home.layout.len() as usize],
            touched: Vec::new(),
            way: Vec::new(),
            choices,
            violations: Vec::new(),
            instances: vec![None; apps],
            thawed: FxHashMap::default(),
            changed_keys: FxHashMap::default(),
            changed_subscriptions: FxHashMap::default(),
            owed: 0,
            settings: vec![None; apps],
            telling: Vec::new(),
            manual: false,
            actions: None,
            round: None,
            unfollowed: false,
            installing: false,
        }
    }

    /// Ends the step: the effect, what was learnt on the way, and the state.
    ///
    /// A step that came to what is not modelled leaves everything as it was: there is nothing behind it to be explored.
    pub(crate) fn finish(mut self) -> (StepEffect, Vec<Learnt>, State) {
        if self.unfollowed {
            self.now.clone_from(&self.start);
        } else {
            self.keep_changes();
        }
        let mut touches = Vec::with_capacity(self.touched.len());
        let mut writes = Vec::new();
        for &slot in &self.touched {
            let (old, new) = (self.start.get(slot), self.now.get(slot));
            if let Some(access) = self.access(slot, old != new) {
                touches.push(Touch { object: slot.object(), access });
            }
            if old != new {
                writes.push((slot, new));
            }
        }
        for rule in self.home.rules_about(&writes) {
            touches.push(Touch { object: self.home.layout.rule(rule).object(), access: Access::WRITE });
        }
        touches.sort_unstable_by_key(|touch| touch.object);
        let effect = StepEffect {
            writes: writes.into(),
            touches: touches.into(),
            violations: std::mem::take(&mut self.violations).into(),
        };
        (effect, self.way, self.now)
    }

    /// How a slot was touched. What a step stored and took back again it only looked at.
    fn access(&self, slot: Slot, changed: bool) -> Option<Access> {
        let marks = self.marks[slot.index()];
        let read = (marks & mark::READ != 0).then_some(Access::READ);
        let written = match (changed, marks & mark::WRITTEN != 0) {
            (true, _) if self.is_a_set(slot) => Some(Access::ADD),
            (true, _) => Some(Access::WRITE),
            (false, true) if read.is_none() => Some(Access::REWRITE),
            _ => None,
        };
        match (read, written) {
            (Some(read), Some(written)) => Some(read | written),
            (read, written) => read.or(written),
        }
    }

    /// Whether a slot holds a set: to add one thing and to add or remove another commute. Where keys keep the order of
    /// insertion they do not.
    fn is_a_set(&self, slot: Slot) -> bool {
        match self.home.layout.fixed(slot) {
            Some(Fixed::Keys(..)) => !self.home.keeps_insertion_order(),
            Some(Fixed::Timers(_)) => true,
            _ => false,
        }
    }

    fn mark(&mut self, slot: Slot, mark: u8) -> u8 {
        let index = slot.index();
        if index >= self.marks.len() {
            self.marks.resize(index + 1, 0);
        }
        let before = self.marks[index];
        self.marks[index] |= mark;
        before
    }

    /// The value of a slot, without an app's behaviour depending on it.
    pub(crate) fn peek(&mut self, slot: Slot) -> ValueId {
        if self.mark(slot, mark::LEARNT) & mark::LEARNT == 0 {
            self.touched.push(slot);
            self.way.push(Learnt::Read(slot, self.start.get(slot)));
        }
        self.now.get(slot)
    }

    /// The value of a slot.
    pub(crate) fn read(&mut self, slot: Slot) -> ValueId {
        let value = self.peek(slot);
        // What the step itself stored is nothing that it depends on.
        if self.marks[slot.index()] & mark::WRITTEN == 0 {
            self.mark(slot, mark::READ);
        }
        value
    }

    /// Stores a value.
    pub(crate) fn write(&mut self, slot: Slot, value: ValueId) {
        self.peek(slot);
        self.mark(slot, mark::WRITTEN);
        self.now.set(slot, value);
    }

    /// Takes one of some alternatives; all of them will be explored.
    pub(crate) fn choose(&mut self, alternatives: u64) -> u64 {
        let taken = self.choices.pick(alternatives);
        if alternatives > 1 {
            self.way.push(Learnt::Chose(alternatives, taken));
        }
        taken
    }

    /// The value of a slot, as apps see it.
    pub(crate) fn value(&mut self, slot: Slot) -> Option<Frozen> {
        let id = self.read(slot);
        self.home.store.value(id)
    }

    /// Runs a method of an app that the platform itself calls: `installed`.
    pub(crate) fn install(&mut self, run: &mut Run, app: u32) -> Result<(), Trouble> {
        run.refuel();
        self.installing = true;
        if self.home.apps[app as usize].script.has_method("installed") {
            self.handle(run, app, "installed", &[])?;
        }
        Ok(())
    }

    /// Lets something happen.
    pub(crate) fn happen(&mut self, run: &mut Run, happening: &Happening) -> Result<(), Trouble> {
        // Whether an event can happen depends on who has subscribed to it.
        if self.home.profile == Profile::Usual {
            for app in 0..self.home.apps.len() as u32 {
                self.read(self.home.layout.subscriptions(app));
            }
        }
        match happening {
            Happening::Attribute { device, attribute, value } => {
                self.change_by_environment(run, *device, *attribute, *value)
            }
            Happening::Touch { app } => {
                if self.home.profile == Profile::Paper {
                    self.set_variable(None, "isTouched", Frozen::Int(1));
                }
                let mut notice = Notice::of_home(self.home.touch_name(), Frozen::text("touched"));
                notice.manual = true;
                self.tell(run, &notice, *app)
            }
            Happening::Mode { value } => self.change_mode_by_environment(run, *value),
            Happening::Sun { name } => self.sun(run, name),
            Happening::Method { app, method } => self.handle(run, *app, method, &[]),
            Happening::Nothing => Ok(()),
        }
    }

    fn change_by_environment(
        &mut self,
        run: &mut Run,
        device: u32,
        attribute: usize,
        value: ValueId,
    ) -> Result<(), Trouble> {
        let slot = self.home.layout.attribute(device, attribute);
        let kind = &self.home.wiring.devices[device as usize].powers.attributes[attribute];
        let changes = self.read(slot) != value;
        if !changes && !kind.always {
            return Ok(());
        }
        if changes {
            if !kind.fixed {
                self.write(slot, value);
            }
            self.follow_environment(device, attribute, value);
            if let Some(writer) = self.home.layout.writer(slot) {
                self.write(writer, NOTHING);
            }
        }
        if kind.quiet {
            return Ok(());
        }
        let notice = Notice {
            name: kind.name.as_str().into(),
            value: self.home.store.value(value).unwrap_or_default(),
            device: Some(device),
            physical: true,
            manual: kind.manual,
            data: (kind.name == "button").then(button_data),
        };
        self.tell(run, &notice, None)
    }

    /// The copies of an attribute that follow what the environment does.
    fn follow_environment(&mut self, device: u32, attribute: usize, value: ValueId) {
        let home = self.home;
        let copies = &home.wiring.devices[device as usize].powers.copies;
        for (index, _) in copies.iter().enumerate().filter(|(_, copy)| copy.of == attribute && copy.by_environment) {
            self.write(home.layout.copy(device, index), value);
        }
    }

    fn change_mode_by_environment(&mut self, run: &mut Run, value: ValueId) -> Result<(), Trouble> {
        let slot = self.home.layout.mode();
        if self.read(slot) == value {
            return Ok(());
        }
        self.write_mode(value, false);
        if let Some(writer) = self.home.layout.writer(slot) {
            self.write(writer, NOTHING);
        }
        let mode = self.home.store.value(value).unwrap_or_default();
        self.tell(run, &Notice::of_home(self.home.mode_name(), mode), None)
    }

    /// The mode gets a value. The study tells the text that an app made from the one that the environment has.
    pub(crate) fn write_mode(&mut self, value: ValueId, by_app: bool) {
        self.write(self.home.layout.mode(), value);
        if self.home.profile == Profile::Paper {
            self.set_variable(None, "origin of the mode", Frozen::Bool(by_app));
        }
    }

    /// Sunrise and sunset. In the study they overwrite the mode, and so count only once.
    fn sun(&mut self, run: &mut Run, name: &Arc<str>) -> Result<(), Trouble> {
        if self.home.profile == Profile::Paper {
            let slot = self.home.layout.mode();
            let value = self.home.store.intern_value(Frozen::Text(Arc::clone(name)));
            if self.read(slot) == value {
                return Ok(());
            }
            self.write_mode(value, false);
        }
        self.tell(run, &Notice::of_home(name, Frozen::Text(Arc::clone(name))), None)
    }

    /// Lets the timer of a method go off.
    pub(crate) fn go_off(&mut self, run: &mut Run, slot: Slot) -> Result<(), Trouble> {
        let Some(Dynamic::Timer { app, method }) = self.home.store.dynamic(slot) else { return Ok(()) };
        let id = self.read(slot);
        let Some(Stored::Pending(pending)) = self.home.store.get(id) else { return Ok(()) };
        let data = pending.data.first().cloned().unwrap_or_default();
        if !pending.periodic {
            match &pending.data[1..] {
                [] => self.stop_timer(app, &method),
                rest => {
                    let rest = Stored::Pending(Pending { periodic: false, data: rest.into() });
                    let id = self.home.store.intern(rest);
                    self.write(slot, id);
                }
            }
        }
        let arguments = if data == Frozen::Null { Vec::new() } else { vec![data.thaw()] };
        self.handle(run, app, &method, &arguments)
    }

    /// Tells the subscribers, or one app only if it is one.
    pub(crate) fn tell(&mut self, run: &mut Run, notice: &Notice, only: Option<u32>) -> Result<(), Trouble> {
        self.keep_changes();
        run.charge_items(std::mem::take(&mut self.owed) + self.now.len() / WORDS_PER_ITEM)?;
        self.telling.push(Told {
            name: Arc::clone(&notice.name),
            value: notice.value.clone(),
            device: notice.device,
            state: self.now.clone(),
            actions: self.actions.as_ref().map_or(0, Vec::len),
        });
        let manual = std::mem::replace(&mut self.manual, notice.manual);
        let text = notice.text();
        let event = self.home.event_object(notice);
        for app in self.home.apps_in_order() {
            if only.is_some_and(|only| only != app) {
                continue;
            }
            for subscription in self.subscriptions(app).iter() {
                if self.home.wants(subscription, notice, &text) {
                    self.handle(run, app, &subscription.handler, std::slice::from_ref(&event))?;
                }
            }
        }
        self.manual = manual;
        self.telling.pop();
        Ok(())
    }

    /// Stops a cascade that has come back to an event that apps are being told of, in the same state: it would go on for
    /// ever.
    pub(crate) fn refuse_endless_cascade(&mut self, notice: &Notice, app: u32, at: Span) -> Result<(), Trouble> {
        self.keep_changes();
        let again = |told: &Told| {
            told.name == notice.name
                && told.value == notice.value
                && told.device == notice.device
                && told.state == self.now
        };
        let Some(first) = self.telling.iter().position(again) else { return Ok(()) };
        self.round = Some(self.telling[first].actions);
        let what = match notice.device {
            Some(device) => format!("the {}", self.home.wiring.devices[device as usize].name),
            None => "the mode".to_owned(),
        };
        let rounds: Vec<String> = self.telling[first..].iter().map(|told| told.value.to_string()).collect();
        let message = format!(
            "{} changes {what} without end: {}",
            words::quoted(&self.home.apps[app as usize].name),
            words::in_turn(&rounds)
        );
        let location = self.home.place(app, at);
        self.fail(ViolationKind::Cascade, message, location);
        Err(Trouble::host(Stop))
    }

    /// Runs a handler of an app. What goes wrong in it is its own affair, unless nothing can be said of what follows.
    pub(crate) fn handle(&mut self, run: &mut Run, app: u32, method: &str, arguments: &[Value]) -> Result<(), Trouble> {
        let instance = self.instance(app);
        match run.call_method(self, &instance, method, arguments) {
            Ok(_) => Ok(()),
            Err(trouble) => self.end_badly(app, trouble),
        }
    }

    fn end_badly(&mut self, app: u32, trouble: Trouble) -> Result<(), Trouble> {
        let app = trouble.tag().unwrap_or(app);
        let location = trouble.span().and_then(|span| self.home.place(app, span));
        let name = words::quoted(&self.home.apps[app as usize].name);
        if let Some(unknown) = trouble.unknown() {
            self.fail(ViolationKind::Unsupported, format!("{name} depends on {unknown}"), location);
            // The study went on behind a crash.
            return if self.home.profile == Profile::Paper { Ok(()) } else { self.give_up() };
        }
        let what = match trouble.kind() {
            TroubleKind::Host(_) => return Err(trouble),
            TroubleKind::OutOfFuel | TroubleKind::TooDeep | TroubleKind::OutOfMemory => {
                let message = format!("{name} is not followed to its end: {}", words::plain(&trouble));
                self.fail(ViolationKind::Unsupported, message, location);
                return self.give_up();
            }
            TroubleKind::Unsupported(what) => what.clone(),
            // What a device of that make would do is not known, and neither whether there is one.
            TroubleKind::MissingMethod { receiver, method, .. } if is_of_devices(receiver) => {
                format!("the command {method}, which no device of the table knows")
            }
            TroubleKind::MissingProperty { receiver, property } if is_of_devices(receiver) => {
                format!("the property {property}, which no device of the table has")
            }
            // What the platform knows beyond what is modelled is not known either.
            TroubleKind::MissingMethod { receiver, method, .. } if of_platform(receiver).is_some() => {
                format!("the method {method} of {}", of_platform(receiver).unwrap_or_default())
            }
            TroubleKind::MissingProperty { receiver, property } if of_platform(receiver).is_some() => {
                format!("the property {property} of {}", of_platform(receiver).unwrap_or_default())
            }
            _ => {
                let what = words::plain(&trouble);
                self.fail(ViolationKind::Crash, format!("{name} crashes: {what}"), location);
                return Ok(());
            }
        };
        self.fail(ViolationKind::Unsupported, format!("{name} uses what is not supported: {what}"), location);
        self.give_up()
    }

    /// Ends a step of which nothing more can be said.
    fn give_up(&mut self) -> Result<(), Trouble> {
        self.unfollowed = true;
        Err(Trouble::host(Stop))
    }

    /// An app's script with its variables. They last for one step.
    pub(crate) fn instance(&mut self, app: u32) -> Rc<Instance> {
        let home = self.home;
        let make = || Instance::new(Arc::clone(&home.apps[app as usize].script), app);
        Rc::clone(self.instances[app as usize].get_or_insert_with(make))
    }

    /// An app gives an attribute or the mode another value: whose value was it, and did a person ask for this?
    pub(crate) fn note_writer(&mut self, slot: Slot, app: u32, new: &Frozen, at: Span) {
        let Some(writer) = self.home.layout.writer(slot) else { return };
        let id = self.read(writer);
        if let Some(Stored::Writer(before)) = self.home.store.get(id)
            && before != app
            && !self.manual
        {
            let old = self.home.store.value(self.now.get(slot)).unwrap_or_default();
            let message = words::conflict(self.home, slot, (app, new), (before, &old));
            let location = self.home.place(app, at);
            self.fail(ViolationKind::Conflict, message, location);
        }
        let id = self.home.store.intern(Stored::Writer(app));
        self.write(writer, id);
    }

    /// Something is wrong.
    pub(crate) fn fail(&mut self, kind: ViolationKind, message: String, location: Option<Location>) {
        let violation = Violation { kind, message, location, actor: self.actor, values: Vec::new() };
        if !self.violations.contains(&violation) {
            self.violations.push(violation);
        }
    }

    /// An app did something that people may want to hear of.
    pub(crate) fn note_action(&mut self, app: u32, at: Span, text: impl FnOnce() -> String) {
        self.note(app, at, None, text);
    }

    /// An app changed an attribute or the mode.
    pub(crate) fn note_change(&mut self, app: u32, at: Span, slot: Slot, text: impl FnOnce() -> String) {
        self.note(app, at, Some(slot), text);
    }

    fn note(&mut self, app: u32, at: Span, slot: Option<Slot>, text: impl FnOnce() -> String) {
        let location = self.actions.is_some().then(|| self.home.place(app, at)).flatten();
        if let Some(actions) = &mut self.actions {
            actions.push(Action { app, text: text(), location, slot });
        }
    }
}

/// Whether a receiver, in the words of the interpreter, is a device or several.
fn is_of_devices(receiver: &str) -> bool {
    receiver.starts_with("device") || receiver.starts_with("list of devices")
}

/// What of the platform a receiver is, in the words of the interpreter.
fn of_platform(receiver: &str) -> Option<&'static str> {
    let class = receiver.split(" '").next().unwrap_or_default();
    [("event", "an event"), ("location", "location"), ("app", "an app"), ("child device", "a child device")]
        .into_iter()
        .find_map(|(known, whose)| (class == known).then_some(whose))
}

/// The statements, calls and rounds of loops that one step may take: more than any handler needs, and soon used up.
const FUEL: u64 = 500_000;

/// A fresh machine for the apps of one step.
pub(crate) fn machine() -> Run {
    Run::new(Limits { fuel: FUEL, ..Limits::default() })
}

/// What comes with the event of a button.
fn button_data() -> Frozen {
    Frozen::Map(Arc::from([(Frozen::text("buttonNumber"), Frozen::Int(1))]))
}

impl Source {
    /// Whether a notice comes from here.
    pub(crate) fn sends(self, notice: &Notice, touch: &str) -> bool {
        match self {
            Source::Device(device) => notice.device == Some(device),
            Source::App => *notice.name == *touch,
            Source::Location => notice.device.is_none() && *notice.name != *touch,
        }
    }
}
