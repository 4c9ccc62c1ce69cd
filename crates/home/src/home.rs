//! A home: apps, devices, and everything that is fixed before anything happens.

use crate::app::{App, nearest};
use crate::capability::Capabilities;
use crate::environment;
use crate::happening::{Event, Notice};
use crate::home_file::HomeFile;
use crate::layout::{Fixed, Layout};
use crate::library;
use crate::liveness::Promises;
use crate::memo::Memo;
use crate::platform::kind;
use crate::rules::{Names, Rule};
use crate::stage::{Stage, machine};
use crate::state::State;
use crate::store::{Dynamic, MapKind, Slot, Store, Stored, Subscription, ValueId};
use crate::wiring::{Wiring, wire, wire_by_file};
use crate::{HomeText, Options, Profile};
use mazurka_core::{ActorId, Budget, Diagnostic, Location, Meter, Outcome, Step, StopReason, Violation, ViolationKind};
use mazurka_groovy::{Frozen, Object, Span, Value};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, RwLock};

/// A home with apps in it, ready to be explored.
#[derive(Debug)]
pub struct Home {
    pub(crate) profile: Profile,
    pub(crate) apps: Vec<App>,
    pub(crate) table: Capabilities,
    pub(crate) wiring: Wiring,
    pub(crate) layout: Layout,
    pub(crate) store: Store,
    pub(crate) rules: Vec<Rule>,
    pub(crate) promises: Promises,
    /// The actors of the environment. Those of timers come behind them.
    pub(crate) events: Vec<Event>,
    pub(crate) memo: Memo,
    pub(crate) starts: Vec<Start>,
    /// Which events can happen, by what the apps have subscribed to.
    pub(crate) possible: RwLock<FxHashMap<Subscribed, Arc<[ActorId]>>>,
    pub(crate) checks_conflicts: bool,
    /// What the rules speak of, and whether some step changed it.
    pub(crate) varied: FxHashMap<Slot, AtomicBool>,
    stopped: Option<StopReason>,
}

/// What each app has subscribed to, by number.
pub(crate) type Subscribed = SmallVec<[ValueId; 4]>;

/// An initial state, after all apps were installed.
#[derive(Debug)]
pub(crate) struct Start {
    pub(crate) state: State,
    /// What was wrong with it.
    pub(crate) violations: Vec<Violation>,
}

/// What is wrong with one of the texts that make a home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults {
    /// What the text is called: a file, or an option.
    pub file: Arc<str>,
    /// The text.
    pub source: Arc<str>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

impl Faults {
    pub(crate) fn new(file: &str, source: &str, diagnostics: Vec<Diagnostic>) -> Self {
        Faults { file: file.into(), source: source.into(), diagnostics }
    }
}

/// An app that chooses among more ways to be installed than this is taken as far as that.
const MAX_STARTS: usize = 64;

impl Home {
    /// Makes a home of apps: for each its file's name and its text.
    pub fn load(sources: &[(String, String)], options: &Options) -> Result<Home, Vec<Faults>> {
        Home::load_within(sources, options, &Budget::default())
    }

    /// The same, within a budget: to install apps is to run them. If it is used up, [`Home::stopped`] says so, and there is
    /// nothing to be explored.
    pub fn load_within(sources: &[(String, String)], options: &Options, budget: &Budget) -> Result<Home, Vec<Faults>> {
        let mut meter = Meter::start(budget);
        let table = Capabilities::of(options.profile);
        let apps = read_apps(sources, &table, options.profile)?;
        let mut wiring = match &options.home {
            None => wire(&apps, &table, options.profile),
            Some(HomeText { file, text }) => HomeFile::read(text)
                .and_then(|read| wire_by_file(&apps, &table, options.profile, &read))
                .map_err(|diagnostics| vec![Faults::new(file, text, diagnostics)])?,
        };
        let scanned = environment::scan(&apps, &table, options.profile, &mut wiring);
        let layout = Layout::new(&wiring, apps.len(), options.never.len(), options.conflicts);
        let store = Store::new(layout.len());
        let events = environment::events(&apps, &wiring, &store, scanned);
        if options.profile == Profile::Usual {
            environment::number_timers(&apps, &store);
        }
        let mut home = Home {
            profile: options.profile,
            apps,
            table,
            wiring,
            layout,
            store,
            rules: Vec::new(),
            promises: Promises::default(),
            events,
            memo: Memo::default(),
            starts: Vec::new(),
            possible: RwLock::default(),
            checks_conflicts: options.conflicts,
            varied: FxHashMap::default(),
            stopped: None,
        };
        home.rules = home.read_rules(&options.never)?;
        home.promises = home.read_promises(options)?;
        let mentioned = home.rules.iter().flat_map(|rule| rule.slots.iter());
        home.varied = mentioned.map(|(slot, _)| (*slot, AtomicBool::new(false))).collect();
        match home.install(&mut meter) {
            Ok(starts) => home.starts = starts,
            Err(stop) => home.stopped = Some(stop),
        }
        Ok(home)
    }

    /// Why the apps were not installed, if a limit or a person stopped that.
    pub fn stopped(&self) -> Option<StopReason> {
        self.stopped
    }

    fn read_rules(&self, never: &[String]) -> Result<Vec<Rule>, Vec<Faults>> {
        let mut faults = Vec::new();
        let mut rules = Vec::new();
        for text in never {
            match Rule::parse(text, self) {
                Ok(rule) => rules.push(rule),
                Err(error) => faults.push(Faults::new("--never", text, vec![error])),
            }
        }
        if faults.is_empty() { Ok(rules) } else { Err(faults) }
    }

    /// The initial states: both valuations of the devices, each after all apps were installed, one after the other.
    fn install(&self, meter: &mut Meter) -> Result<Vec<Start>, StopReason> {
        let mut starts: Vec<Start> = Vec::new();
        for valuation in 0..2 {
            let empty = self.empty_state(valuation);
            let mut step = Step::default();
            let mut outcome = Some(Outcome::FIRST);
            while let Some(current) = outcome.filter(|_| starts.len() < MAX_STARTS) {
                step.begin(current);
                let mut stage = Stage::new(self, &empty, None, step.choices().clone());
                let mut run = machine();
                for app in 0..self.apps.len() as u32 {
                    if let Some(stop) = meter.check() {
                        return Err(stop);
                    }
                    // What stopped it half way was noted.
                    if stage.install(&mut run, app).is_err() {
                        break;
                    }
                }
                let (effect, way, state) = stage.finish();
                replay_choices(&way, &mut step);
                outcome = step.next_outcome();
                let mut violations = effect.violations.into_vec();
                let broken = self.rules.iter().filter(|rule| rule.is_broken(&state, &self.store));
                violations.extend(broken.map(|rule| self.breach(rule, &state, None)));
                if !starts.iter().any(|start| start.state == state && start.violations == violations) {
                    starts.push(Start { state, violations });
                }
            }
        }
        meter.check().map_or(Ok(starts), Err)
    }

    /// A home before any app was installed.
    fn empty_state(&self, valuation: usize) -> State {
        let mut state = State::default();
        for (device, wired) in self.wiring.devices.iter().enumerate() {
            for (attribute, start) in wired.start.iter().enumerate() {
                let value = self.store.intern_value(start[valuation].clone());
                state.set(self.layout.attribute(device as u32, attribute), value);
            }
            for (index, copy) in wired.powers.copies.iter().enumerate() {
                let start = match &copy.start {
                    Some(start) => wired.powers.attributes[copy.of].value(&start[valuation]),
                    None => wired.start[copy.of][valuation].clone(),
                };
                state.set(self.layout.copy(device as u32, index), self.store.intern_value(start));
            }
        }
        let mode = Frozen::Text(Arc::clone(&self.wiring.start_modes[valuation]));
        state.set(self.layout.mode(), self.store.intern_value(mode));
        if self.profile == Profile::Paper {
            let origin = self.store.slot(Dynamic::Variable { app: None, name: "origin of the mode".into() });
            state.set(origin, self.store.intern_value(Frozen::Bool(false)));
            for app in 0..self.apps.len() as u32 {
                self.fill_maps_of_the_study(app, &mut state);
            }
        }
        state
    }

    /// In the study an app's maps begin with some entries.
    fn fill_maps_of_the_study(&self, app: u32, state: &mut State) {
        let nothing = || Frozen::List(Arc::from([]));
        let entries = [
            (MapKind::State, vec![("home", nothing()), ("away", nothing()), ("night", nothing())]),
            (MapKind::Atomic, vec![("version", Frozen::text("1.01"))]),
        ];
        for (map, entries) in entries {
            let keys: Arc<[Arc<str>]> = entries.iter().map(|&(key, _)| Arc::from(key)).collect();
            state.set(self.layout.keys(app, map), self.store.intern(Stored::Keys(keys)));
            for (key, value) in entries {
                let slot = self.store.slot(Dynamic::Entry { app, map, key: key.into() });
                state.set(slot, self.store.intern_value(value));
            }
        }
    }

    /// Whether the order in which keys came into an app's `state` is part of it.
    pub(crate) fn keeps_insertion_order(&self) -> bool {
        self.profile == Profile::Paper
    }

    /// What apps call the event that a person taps them.
    pub(crate) fn touch_name(&self) -> &'static str {
        if self.profile == Profile::Paper { "Touched" } else { "touch" }
    }

    /// Whether an app is one of Hubitat, whose drivers have commands of their own: it includes libraries, uses what only
    /// Hubitat has, or names its place on the hub.
    pub(crate) fn is_of_hubitat(&self, app: u32) -> bool {
        const SIGNS: [&str; 7] =
            ["hubitat", "Hubitat", "importUrl", "//nclude", "singleThreaded", "installOnOpen", "pushableButton"];
        let source = &self.apps[app as usize].source;
        self.profile == Profile::Usual && SIGNS.iter().any(|sign| source.contains(sign))
    }

    /// What apps call a change of the mode.
    pub(crate) fn mode_name(&self) -> &'static str {
        if self.profile == Profile::Paper { "Location" } else { "mode" }
    }

    /// The apps in the order in which they are told of events: in the study, the last one first.
    pub(crate) fn apps_in_order(&self) -> Vec<u32> {
        let apps = 0..self.apps.len() as u32;
        if self.profile == Profile::Paper { apps.rev().collect() } else { apps.collect() }
    }

    /// Whether a subscription asks for a notice. In the study the device does not matter.
    pub(crate) fn wants(&self, subscription: &Subscription, notice: &Notice, text: &str) -> bool {
        let from_there = self.profile == Profile::Paper || subscription.source.sends(notice, self.touch_name());
        from_there
            && subscription.name == notice.name
            && subscription.value.as_ref().is_none_or(|value| **value == *text)
    }

    /// What a handler is given.
    pub(crate) fn event_object(&self, notice: &Notice) -> Value {
        Value::Object(Object::with(kind::EVENT, 0, notice.clone()))
    }

    /// A place in an app's text.
    pub(crate) fn place(&self, app: u32, span: Span) -> Option<Location> {
        let app = self.apps.get(app as usize)?;
        let position = app.script.position(span);
        let (file, line) = library::origin(&app.source, &app.file, position.line);
        Some(Location { file, line, column: position.column })
    }

    /// The rules that say something about one of these slots.
    pub(crate) fn rules_about(&self, writes: &[(Slot, ValueId)]) -> Vec<usize> {
        let about = |rule: &Rule| rule.slots.iter().any(|(slot, _)| writes.iter().any(|(written, _)| written == slot));
        self.rules.iter().enumerate().filter(|(_, rule)| about(rule)).map(|(index, _)| index).collect()
    }

    /// A rule that is broken in a state.
    pub(crate) fn breach(&self, rule: &Rule, state: &State, actor: Option<ActorId>) -> Violation {
        let values = rule.slots.iter().map(|(slot, name)| mazurka_core::Value {
            name: name.clone(),
            value: self.store.value(state.get(*slot)).unwrap_or_default().to_string(),
        });
        let message = format!("never: {}", rule.text);
        Violation { actor, values: values.collect(), ..Violation::new(ViolationKind::Invariant, message) }
    }

    /// The value of an app's input, as the app sees it.
    pub(crate) fn input(&self, app: u32, name: &str) -> Option<Value> {
        let app = app as usize;
        let index = self.apps[app].inputs.iter().position(|input| input.name == name)?;
        let value = &self.wiring.inputs[app][index];
        Some(if value.is_nothing() { crate::platform::unanswered(name) } else { crate::platform::input_value(value) })
    }
}

/// Makes a step's choices again on the step that is being recorded.
pub(crate) fn replay_choices(way: &[crate::memo::Learnt], step: &mut Step) {
    for learnt in way {
        if let crate::memo::Learnt::Chose(alternatives, _) = learnt {
            step.choose(*alternatives);
        }
    }
}

fn read_apps(sources: &[(String, String)], table: &Capabilities, profile: Profile) -> Result<Vec<App>, Vec<Faults>> {
    let mut apps: Vec<App> = Vec::new();
    let mut faults = Vec::new();
    for (file, source) in sources {
        match App::read(file, source, table, profile) {
            Ok(app) => apps.push(app),
            Err(diagnostics) => faults.extend(faults_of(file, source, diagnostics)),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    tell_apart(&mut apps);
    Ok(apps)
}

/// What is wrong with an app, told in the file that it is about: its own, or that of a library.
fn faults_of(file: &str, source: &str, diagnostics: Vec<Diagnostic>) -> Vec<Faults> {
    let mut faults: Vec<Faults> = Vec::new();
    let mut left = diagnostics;
    for (start, library, text) in library::parts(source).into_iter().rev() {
        let (own, others) = left.into_iter().partition(|diagnostic| diagnostic.span.start >= start);
        left = others;
        let shift = |mut diagnostic: Diagnostic| {
            diagnostic.span = diagnostic.span.start - start..diagnostic.span.end.max(start) - start;
            diagnostic
        };
        let own: Vec<Diagnostic> = own;
        if !own.is_empty() {
            faults.push(Faults::new(library.unwrap_or(file), text, own.into_iter().map(shift).collect()));
        }
    }
    faults.reverse();
    faults
}

/// Apps of one name are told apart by their files; the same file twice by a number.
fn tell_apart(apps: &mut [App]) {
    let names: Vec<String> = apps.iter().map(|app| app.name.clone()).collect();
    for index in 0..apps.len() {
        let same = |other: &usize| names[*other] == names[index];
        if (0..apps.len()).filter(same).count() > 1 {
            let number = (0..=index).filter(same).count();
            apps[index].name = format!("{} ({number})", names[index]);
        }
    }
}

impl Names for Home {
    fn find(&self, parts: &[String]) -> Result<Slot, (String, String)> {
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        match parts.as_slice() {
            ["mode"] => Ok(self.layout.mode()),
            [attribute] => self.find_attribute(attribute),
            [device, attribute] => self.find_device_attribute(device, attribute),
            [app, map @ ("state" | "atomicState"), key] => self.find_entry(app, map, key),
            _ => Err((
                format!("nothing is called {:?}", parts.join(".")),
                "expected mode, an attribute, \"a device\".attribute or \"an app\".state.key".to_owned(),
            )),
        }
    }

    fn texts(&self, slot: Slot) -> Option<Vec<String>> {
        match self.layout.fixed(slot)? {
            Fixed::Mode => Some(self.wiring.modes.iter().map(ToString::to_string).collect()),
            Fixed::Attribute { device, attribute } => {
                let powers = &self.wiring.devices[device as usize].powers;
                powers.texts(attribute as usize)
            }
            _ => None,
        }
    }
}

impl Home {
    fn find_attribute(&self, name: &str) -> Result<Slot, (String, String)> {
        let of = |device: usize| {
            let attribute = self.wiring.devices[device].powers.attribute(name)?;
            Some((device, self.layout.attribute(device as u32, attribute)))
        };
        let found: Vec<(usize, Slot)> = (0..self.wiring.devices.len()).filter_map(of).collect();
        match found.as_slice() {
            [(_, slot)] => Ok(*slot),
            [] => {
                let known = self.wiring.devices.iter().flat_map(|device| device.powers.attributes.iter());
                let mut names: Vec<&str> = known.map(|attribute| attribute.name.as_str()).chain(["mode"]).collect();
                names.sort_unstable();
                names.dedup();
                let expected = format!("expected one of: {}", nearest(name, names.into_iter()));
                Err((format!("no device of these apps has {name:?}"), expected))
            }
            several => {
                let name_of = |(device, _): &(usize, Slot)| format!("\"{}\".{name}", self.wiring.devices[*device].name);
                let names: Vec<String> = several.iter().map(name_of).collect();
                Err((format!("several devices have {name:?}"), format!("expected one of: {}", names.join(", "))))
            }
        }
    }

    fn find_device_attribute(&self, device: &str, attribute: &str) -> Result<Slot, (String, String)> {
        let is_meant = |wired: &crate::wiring::Device| wired.name == device || wired.powers.name == device;
        let Some(index) = self.wiring.devices.iter().position(is_meant) else {
            let names = nearest(device, self.wiring.devices.iter().map(|device| device.name.as_str()));
            return Err((format!("there is no device {device:?}"), format!("expected one of: {names}")));
        };
        let powers = &self.wiring.devices[index].powers;
        match powers.attribute(attribute) {
            Some(attribute) => Ok(self.layout.attribute(index as u32, attribute)),
            None => {
                let names = nearest(attribute, powers.attributes.iter().map(|known| known.name.as_str()));
                Err((format!("{device:?} has no {attribute:?}"), format!("expected one of: {names}")))
            }
        }
    }

    fn find_entry(&self, app: &str, map: &str, key: &str) -> Result<Slot, (String, String)> {
        let is_meant = |known: &App| known.name == app || *known.file == *app;
        let Some(index) = self.apps.iter().position(is_meant) else {
            let names = nearest(app, self.apps.iter().map(|app| app.name.as_str()));
            return Err((format!("there is no app {app:?}"), format!("expected one of: {names}")));
        };
        let map = if map == "state" { MapKind::State } else { MapKind::Atomic };
        Ok(self.store.slot(Dynamic::Entry { app: index as u32, map, key: key.into() }))
    }
}
