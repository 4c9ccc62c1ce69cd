//! What can happen in a home: the actors.
//!
//! Usually each value of each attribute's domain can happen, the mode can become any other, the sun rises and sets, and
//! each app can be tapped; the subscriptions decide which of these are possible in a state. In the study the events
//! were found by scanning and are always possible.

use crate::app::App;
use crate::capability::Capabilities;
use crate::happening::{Event, Happening};
use crate::scan::{self, Scanned};
use crate::store::{Dynamic, Source, Store, Subscription};
use crate::wiring::Wiring;
use crate::{Profile, words};
use mazurka_groovy::Frozen;
use std::collections::HashMap;
use std::sync::Arc;

/// The names of what the sun does, as apps subscribe to it.
const SUN: [&str; 4] = ["sunrise", "sunset", "sunriseTime", "sunsetTime"];

/// The events of the study, with devices for all that they are about. `None` outside of the study.
pub(crate) fn scan(apps: &[App], table: &Capabilities, profile: Profile, wiring: &mut Wiring) -> Option<Vec<Scanned>> {
    if profile != Profile::Paper {
        return None;
    }
    let sources: Vec<&str> = apps.iter().map(|app| &*app.source).collect();
    let scanned = scan::scan(&sources, table);
    for event in &scanned {
        if let Scanned::Attribute { capability, .. } = event {
            wiring.need(capability, table, profile);
        }
    }
    Some(scanned)
}

/// The actors of the environment.
pub(crate) fn events(apps: &[App], wiring: &Wiring, store: &Store, scanned: Option<Vec<Scanned>>) -> Vec<Event> {
    let events = match scanned {
        Some(scanned) => scanned.iter().map(|event| of_the_study(event, apps, wiring, store)).collect(),
        None => all_events(apps, wiring, store),
    };
    unique(events)
}

fn all_events(apps: &[App], wiring: &Wiring, store: &Store) -> Vec<Event> {
    let mut events = Vec::new();
    for (device, wired) in wiring.devices.iter().enumerate() {
        for (index, attribute) in wired.powers.attributes.iter().enumerate() {
            let values = attribute.events.iter();
            events.extend(values.map(|value| attribute_event(wiring, store, device as u32, index, value)));
        }
    }
    events.extend(wiring.modes.iter().map(|mode| mode_event(store, mode)));
    events.extend(SUN.iter().map(|name| sun_event(name)));
    events.extend((0..apps.len() as u32).map(|app| Event {
        happening: Happening::Touch { app: Some(app) },
        name: format!("{} tapped", words::quoted(&apps[app as usize].name)),
    }));
    events
}

fn of_the_study(event: &Scanned, apps: &[App], wiring: &Wiring, store: &Store) -> Event {
    match event {
        Scanned::Attribute { capability, attribute, value } => {
            let device = wiring.devices.iter().position(|device| device.powers.name == *capability).unwrap_or(0);
            let index = wiring.devices[device].powers.attribute(attribute).unwrap_or(0);
            attribute_event(wiring, store, device as u32, index, value)
        }
        Scanned::Touch => Event { happening: Happening::Touch { app: None }, name: "app tapped".to_owned() },
        Scanned::Mode(mode) => mode_event(store, mode),
        Scanned::Sun(name) => sun_event(name),
        Scanned::Schedule { app, method } => Event {
            happening: Happening::Method { app: *app as u32, method: method.as_str().into() },
            name: format!("{}: time for {method}", words::quoted(&apps[*app].name)),
        },
        Scanned::Nothing => Event { happening: Happening::Nothing, name: "nothing".to_owned() },
    }
}

fn attribute_event(wiring: &Wiring, store: &Store, device: u32, index: usize, value: &str) -> Event {
    let wired = &wiring.devices[device as usize];
    let attribute = &wired.powers.attributes[index];
    let id = store.intern_value(attribute.value(value));
    Event {
        happening: Happening::Attribute { device, attribute: index, value: id },
        name: wired.powers.happening(&attribute.name, value, &wired.name),
    }
}

fn mode_event(store: &Store, mode: &str) -> Event {
    let value = store.intern_value(Frozen::text(mode));
    Event { happening: Happening::Mode { value }, name: format!("mode {mode}") }
}

fn sun_event(name: &str) -> Event {
    Event { happening: Happening::Sun { name: name.into() }, name: name.to_owned() }
}

/// Gives events that are called alike a number each: names are how schedules are written down.
fn unique(mut events: Vec<Event>) -> Vec<Event> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for event in &mut events {
        let count = seen.entry(event.name.clone()).or_insert(0);
        *count += 1;
        if *count > 1 {
            event.name = format!("{} ({count})", event.name);
        }
    }
    events
}

/// Whether an app that has subscribed to something is told of an event. Of an attribute all values count, also
/// those that no app asked for: another one can only come after them.
pub(crate) fn concerns(subscription: &Subscription, happening: &Happening, app: u32, wiring: &Wiring) -> bool {
    match (happening, subscription.source) {
        (Happening::Attribute { device, attribute, .. }, Source::Device(subscribed)) => {
            let name = &wiring.devices[*device as usize].powers.attributes[*attribute].name;
            subscribed == *device && *subscription.name == **name
        }
        (Happening::Touch { app: Some(tapped) }, Source::App) => *tapped == app,
        (Happening::Mode { .. }, Source::Location) => *subscription.name == *"mode",
        (Happening::Sun { name }, Source::Location) => subscription.name == *name,
        _ => false,
    }
}

/// How many words after a scheduling function its arguments end at the latest.
const ARGUMENTS: usize = 24;

/// Numbers the timers that the apps' texts speak of, so that their order does not depend on who runs first. One that is
/// named by a computed text gets its number when it turns up.
pub(crate) fn number_timers(apps: &[App], store: &Store) {
    for (index, app) in apps.iter().enumerate() {
        let words = scan::words(&app.source);
        for (at, word) in words.iter().enumerate() {
            let schedules = matches!(*word, "runIn" | "runInMillis" | "runOnce" | "schedule" | "runDaily");
            if !schedules && !word.starts_with("runEvery") {
                continue;
            }
            for argument in words[at + 1..].iter().take(ARGUMENTS) {
                let method = argument.trim_matches(['\'', '[', ']', ';']);
                if app.script.has_method(method) {
                    store.slot(Dynamic::Timer { app: index as u32, method: method.into() });
                }
            }
        }
    }
}

/// A method that some app will run later, as a name: "Bright Lights: turnOff".
pub(crate) fn timer_name(app: &App, method: &Arc<str>) -> String {
    format!("{}: time for {method}", words::quoted(&app.name))
}
