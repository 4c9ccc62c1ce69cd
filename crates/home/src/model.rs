//! A home as a program: the face that engines see.

use crate::environment::{concerns, timer_name};
use crate::happening::Happening;
use crate::home::{Home, Subscribed, replay_choices};
use crate::layout::Fixed;
use crate::stage::{Action, Stage, machine};
use crate::state::State;
use crate::store::{Dynamic, MapKind, NOTHING, Slot, Stored, Subscription, ValueId};
use crate::{Profile, words};
use mazurka_core::{
    Access, ActorId, Choices, Description, Footprint, Found, Insight, Liveness, Narrator, ObjectId, Outcome, Step,
    System, Traits, Value, Violation, ViolationKind,
};
use mazurka_groovy::Frozen;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

/// What an actor is.
enum Who<'h> {
    /// Something that happens.
    Event(&'h Happening),
    /// The timer of a method, by its slot.
    Timer(Slot),
}

impl Home {
    fn who(&self, actor: ActorId) -> Who<'_> {
        match self.events.get(actor.index()) {
            Some(event) => Who::Event(&event.happening),
            None => {
                let timer = actor.index() - self.events.len();
                Who::Timer(self.store.timers().get(timer).copied().unwrap_or(self.layout.mode()))
            }
        }
    }

    /// Runs a step without a look at what is remembered.
    fn run(&self, state: &State, actor: ActorId, choices: Choices, with_actions: bool) -> Stage<'_> {
        let mut stage = Stage::new(self, state, Some(actor), choices);
        stage.actions = with_actions.then(Vec::new);
        let mut machine = machine();
        // A step that was stopped half way has noted why.
        let _stopped = match self.who(actor) {
            Who::Event(happening) => stage.happen(&mut machine, happening),
            Who::Timer(slot) => stage.go_off(&mut machine, slot),
        };
        stage
    }

    /// What apps did in a step, in order, and the place from which on they would do it again for ever.
    pub(crate) fn actions(&self, state: &State, actor: ActorId, outcome: Outcome) -> (Vec<Action>, Option<usize>) {
        let mut choices = Choices::default();
        choices.begin(outcome);
        let stage = self.run(state, actor, choices, true);
        (stage.actions.unwrap_or_default(), stage.round)
    }

    /// Which events can happen in a state.
    fn possible_events(&self, state: &State) -> Arc<[ActorId]> {
        // In the study all of them can, always.
        let apps = if self.profile == Profile::Paper { 0 } else { self.apps.len() as u32 };
        let subscribed: Subscribed = (0..apps).map(|app| state.get(self.layout.subscriptions(app))).collect();
        let known = self.possible.read().unwrap_or_else(PoisonError::into_inner).get(&subscribed).cloned();
        known.unwrap_or_else(|| {
            let possible: Arc<[ActorId]> = self.work_out_events(&subscribed);
            self.possible.write().unwrap_or_else(PoisonError::into_inner).insert(subscribed, Arc::clone(&possible));
            possible
        })
    }

    /// Whether an event can happen depends on who has subscribed to it.
    fn touch_subscriptions(&self, footprint: &mut Footprint) {
        for app in 0..self.apps.len() as u32 {
            footprint.touch(self.layout.subscriptions(app).object(), Access::READ);
        }
    }

    fn work_out_events(&self, subscribed: &[ValueId]) -> Arc<[ActorId]> {
        let all = (0..self.events.len() as u32).map(ActorId);
        if self.profile == Profile::Paper {
            return all.collect();
        }
        let lists: Vec<Arc<[Subscription]>> = subscribed.iter().map(|&id| self.subscription_list(id)).collect();
        let wanted = |actor: &ActorId| {
            let happening = &self.events[actor.index()].happening;
            let wants = |(app, list): (usize, &Arc<[Subscription]>)| {
                list.iter().any(|subscription| concerns(subscription, happening, app as u32, &self.wiring))
            };
            lists.iter().enumerate().any(wants)
        };
        all.filter(wanted).collect()
    }

    pub(crate) fn subscription_list(&self, id: ValueId) -> Arc<[Subscription]> {
        match self.store.get(id) {
            Some(Stored::Subscriptions(list)) => list,
            _ => Arc::from([]),
        }
    }

    fn check_rules(&self, writes: &[(Slot, ValueId)], state: &State, actor: ActorId, step: &mut Step) {
        if self.rules.is_empty() {
            return;
        }
        for rule in self.rules_about(writes) {
            if self.rules[rule].is_broken(state, &self.store) {
                step.fail(self.breach(&self.rules[rule], state, Some(actor)));
            }
        }
    }

    /// Notes that what the rules speak of has changed.
    fn note_variation(&self, writes: &[(Slot, ValueId)]) {
        if self.varied.is_empty() {
            return;
        }
        for varied in writes.iter().filter_map(|(slot, _)| self.varied.get(slot)) {
            varied.store(true, Ordering::Relaxed);
        }
    }

    /// What a slot is called.
    pub(crate) fn slot_name(&self, slot: Slot) -> String {
        match self.layout.fixed(slot) {
            Some(Fixed::Attribute { device, attribute }) => self.attribute_name(device, attribute as usize),
            Some(Fixed::Copy { device, copy }) => {
                let device = &self.wiring.devices[device as usize];
                let copy = &device.powers.copies[copy as usize];
                let whose = if copy.in_list { "list of " } else { "" };
                format!("{whose}{}.{}", device.label, copy.names[0])
            }
            Some(Fixed::Mode) => "mode".to_owned(),
            Some(Fixed::Writer(of)) => format!("last writer of {}", self.slot_name(of)),
            Some(Fixed::Subscriptions(app)) => format!("subscriptions of {}", self.app_name(app)),
            Some(Fixed::Keys(app, map)) => format!("keys of {}.{}", self.app_name(app), map_name(map)),
            Some(Fixed::Timers(app)) => format!("timers of {}", self.app_name(app)),
            Some(Fixed::Rule(rule)) => format!("rule {}", self.rules[rule as usize].text),
            None => match self.store.dynamic(slot) {
                Some(Dynamic::Entry { app, map, key }) => format!("{}.{}.{key}", self.app_name(app), map_name(map)),
                Some(Dynamic::Timer { app, method }) => format!("timer of {}.{method}", self.app_name(app)),
                Some(Dynamic::Variable { app: Some(app), name }) => format!("{}.{name}", self.app_name(app)),
                Some(Dynamic::Variable { app: None, name }) => name.to_string(),
                None => format!("slot {}", slot.0),
            },
        }
    }

    fn app_name(&self, app: u32) -> String {
        words::quoted(&self.apps[app as usize].name)
    }

    /// "front door lock", "thermostat heating setpoint"; a device that is all about one attribute is called by its name.
    pub(crate) fn attribute_name(&self, device: u32, attribute: usize) -> String {
        let device = &self.wiring.devices[device as usize];
        let name = crate::capability::spaced(&device.powers.attributes[attribute].name);
        if device.name.split(' ').any(|word| word == name) {
            device.name.clone()
        } else {
            format!("{} {name}", device.name)
        }
    }

    fn shown(&self, id: ValueId) -> Option<String> {
        match self.store.get(id)? {
            Stored::Value(Frozen::Text(text)) => Some(text.to_string()),
            Stored::Value(value) => Some(value.to_string()),
            Stored::Pending(pending) => Some(if pending.periodic { "again and again" } else { "running" }.to_owned()),
            Stored::Keys(_) | Stored::Subscriptions(_) | Stored::Writer(_) => None,
        }
    }
}

fn map_name(map: MapKind) -> &'static str {
    match map {
        MapKind::State => "state",
        MapKind::Atomic => "atomicState",
    }
}

impl System for Home {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        self.starts.iter().map(|start| start.state.clone()).collect()
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        into.extend_from_slice(&self.possible_events(state));
        let first = self.events.len() as u32;
        let timers = self.store.timers();
        let running = timers.iter().zip(first..).filter(|(slot, _)| state.get(**slot) != NOTHING);
        into.extend(running.map(|(_, actor)| ActorId(actor)));
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        if let Some(effect) = self.memo.find(actor.index(), state, step) {
            effect.apply(state, step);
            self.check_rules(&effect.writes, state, actor, step);
            return;
        }
        let stage = self.run(state, actor, step.choices().clone(), false);
        let (effect, way, _) = stage.finish();
        replay_choices(&way, step);
        effect.apply(state, step);
        self.note_variation(&effect.writes);
        self.check_rules(&effect.writes, state, actor, step);
        self.memo.remember(actor.index(), &way, &Arc::new(effect));
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

    fn liveness(&self) -> &dyn Liveness<State> {
        self
    }
}

impl Insight<State> for Home {
    fn violations_at_start(&self, state: &State, into: &mut Vec<Violation>) {
        for start in self.starts.iter().filter(|start| start.state == *state) {
            into.extend_from_slice(&start.violations);
        }
    }

    fn packs(&self) -> bool {
        true
    }

    fn pack(&self, state: &State, before: &State, into: &mut Vec<u8>) {
        state.pack(before, into);
    }

    fn unpack(&self, bytes: &mut &[u8], state: &mut State) -> bool {
        state.unpack(bytes)
    }

    /// An event that would store what is there already changes nothing, and no app is told of it.
    fn is_idle(&self, state: &State, actor: ActorId, footprint: &mut Footprint) -> bool {
        let Some(event) = self.events.get(actor.index()) else { return false };
        let (slot, value) = match event.happening {
            Happening::Attribute { device, attribute, value } => {
                let kind = &self.wiring.devices[device as usize].powers.attributes[attribute];
                if kind.always {
                    return false;
                }
                (self.layout.attribute(device, attribute), value)
            }
            Happening::Mode { value } => (self.layout.mode(), value),
            _ => return false,
        };
        if state.get(slot) != value {
            return false;
        }
        footprint.clear();
        footprint.touch(slot.object(), Access::READ);
        if self.profile == Profile::Usual {
            self.touch_subscriptions(footprint);
        }
        footprint.seal();
        true
    }

    /// An event that no app has subscribed to and a timer that is not running do not exist: like a thread that was not
    /// spawned yet, they have no step that they are blocked on.
    fn absent(&self, actor: ActorId, footprint: &mut Footprint) {
        match self.who(actor) {
            Who::Timer(slot) => footprint.touch(slot.object(), Access::READ),
            Who::Event(_) => self.touch_subscriptions(footprint),
        }
    }
}

impl Narrator<State> for Home {
    fn actor_name(&self, actor: ActorId) -> String {
        match self.who(actor) {
            Who::Event(_) => self.events[actor.index()].name.clone(),
            Who::Timer(slot) => match self.store.dynamic(slot) {
                Some(Dynamic::Timer { app, method }) => timer_name(&self.apps[app as usize], &method),
                _ => format!("timer {}", actor.0),
            },
        }
    }

    fn object_name(&self, object: ObjectId) -> String {
        self.slot_name(Slot(object.0))
    }

    fn touch_verb(&self, object: ObjectId, access: Access) -> &'static str {
        match (self.layout.fixed(Slot(object.0)), access.changes()) {
            (Some(Fixed::Subscriptions(_)), false) => "looked at",
            (Some(Fixed::Subscriptions(_)), true) => "changed",
            (_, true) => "changed",
            (_, false) => "looked at",
        }
    }

    fn describe(&self, state: &State, actor: ActorId, outcome: Outcome) -> Description {
        let (actions, _) = self.actions(state, actor, outcome);
        let told: Vec<String> =
            actions.iter().map(|action| format!("{} {}", self.app_name(action.app), action.text)).collect();
        let location = actions.iter().find_map(|action| action.location.clone());
        Description { text: if told.is_empty() { self.actor_name(actor) } else { told.join("; ") }, location }
    }

    fn explain(&self, found: &Found) -> Option<String> {
        match found.violation.kind {
            ViolationKind::Conflict => self.tell_conflict(found),
            ViolationKind::Cascade => self.tell_cascade(found),
            _ => self.tell_alone(found),
        }
    }

    fn repeats(&self, found: &Found) -> Vec<String> {
        self.round(found).iter().map(|deed| self.told(deed)).collect()
    }

    fn observe(&self, state: &State, into: &mut Vec<Value>) {
        let fixed = (0..self.layout.len()).map(Slot);
        let dynamic = self.store.all_dynamic().into_iter().map(|(slot, _)| slot);
        for slot in fixed.chain(dynamic) {
            if let Some(value) = self.shown(state.get(slot)) {
                into.push(Value { name: self.slot_name(slot), value });
            }
        }
    }
}
