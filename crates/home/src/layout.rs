//! Which slot stands for what.

use crate::store::{MapKind, Slot};
use crate::wiring::Wiring;

/// What a fixed slot stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fixed {
    /// An attribute of a device.
    Attribute { device: u32, attribute: u32 },
    /// Where else the study keeps an attribute of a device.
    Copy { device: u32, copy: u32 },
    /// The mode of the home.
    Mode,
    /// Which app last changed the attribute or mode of that slot.
    Writer(Slot),
    /// What an app has subscribed to.
    Subscriptions(u32),
    /// The keys of an app's `state` or `atomicState`.
    Keys(u32, MapKind),
    /// The methods for which an app has a timer running.
    Timers(u32),
    /// A rule of the user. It holds no value: steps that change what the rule is about touch it.
    Rule(u32),
}

/// The fixed slots of a home.
#[derive(Debug)]
pub(crate) struct Layout {
    slots: Vec<Fixed>,
    /// The first attribute of each device.
    devices: Vec<Slot>,
    /// The first copy of each device.
    copies: Vec<Slot>,
    mode: Slot,
    /// For each attribute, and for the mode, who wrote last.
    writers: Vec<Option<Slot>>,
    subscriptions: Slot,
    keys: Slot,
    timers: Slot,
    rules: Slot,
}

impl Layout {
    /// Lays out a home. Who wrote last is kept only `with_writers`, and only of what some command can set.
    pub(crate) fn new(wiring: &Wiring, apps: usize, rules: usize, with_writers: bool) -> Self {
        let mut slots = Vec::new();
        let mut devices = Vec::new();
        let mut copies = Vec::new();
        for (device, wired) in wiring.devices.iter().enumerate() {
            devices.push(Slot(slots.len() as u32));
            let attributes = 0..wired.powers.attributes.len() as u32;
            slots.extend(attributes.map(|attribute| Fixed::Attribute { device: device as u32, attribute }));
            copies.push(Slot(slots.len() as u32));
            let of_device = 0..wired.powers.copies.len() as u32;
            slots.extend(of_device.map(|copy| Fixed::Copy { device: device as u32, copy }));
        }
        let mode = Slot(slots.len() as u32);
        slots.push(Fixed::Mode);
        let mut writers = vec![None; slots.len()];
        if with_writers {
            for (index, writer) in writers.iter_mut().enumerate() {
                if is_settable(slots[index], wiring) {
                    *writer = Some(Slot(slots.len() as u32));
                    slots.push(Fixed::Writer(Slot(index as u32)));
                }
            }
        }
        let mut append = |some: Vec<Fixed>| {
            let first = Slot(slots.len() as u32);
            slots.extend(some);
            first
        };
        let apps = 0..apps as u32;
        let subscriptions = append(apps.clone().map(Fixed::Subscriptions).collect());
        let keys_of = |app| [Fixed::Keys(app, MapKind::State), Fixed::Keys(app, MapKind::Atomic)];
        let keys = append(apps.clone().flat_map(keys_of).collect());
        let timers = append(apps.map(Fixed::Timers).collect());
        let rules = append((0..rules as u32).map(Fixed::Rule).collect());
        Layout { slots, devices, copies, mode, writers, subscriptions, keys, timers, rules }
    }

    /// How many fixed slots there are.
    pub(crate) fn len(&self) -> u32 {
        self.slots.len() as u32
    }

    /// What a slot stands for, if it is a fixed one.
    pub(crate) fn fixed(&self, slot: Slot) -> Option<Fixed> {
        self.slots.get(slot.index()).copied()
    }

    /// An attribute of a device.
    pub(crate) fn attribute(&self, device: u32, attribute: usize) -> Slot {
        Slot(self.devices[device as usize].0 + attribute as u32)
    }

    /// Where else an attribute of a device is kept.
    pub(crate) fn copy(&self, device: u32, copy: usize) -> Slot {
        Slot(self.copies[device as usize].0 + copy as u32)
    }

    /// The mode of the home.
    pub(crate) fn mode(&self) -> Slot {
        self.mode
    }

    /// Who last wrote an attribute or the mode, if that is kept.
    pub(crate) fn writer(&self, of: Slot) -> Option<Slot> {
        self.writers.get(of.index()).copied().flatten()
    }

    /// What an app has subscribed to.
    pub(crate) fn subscriptions(&self, app: u32) -> Slot {
        Slot(self.subscriptions.0 + app)
    }

    /// The keys of an app's map.
    pub(crate) fn keys(&self, app: u32, map: MapKind) -> Slot {
        Slot(self.keys.0 + 2 * app + u32::from(map == MapKind::Atomic))
    }

    /// The methods for which an app has a timer running.
    pub(crate) fn timers(&self, app: u32) -> Slot {
        Slot(self.timers.0 + app)
    }

    /// A rule of the user.
    pub(crate) fn rule(&self, rule: usize) -> Slot {
        Slot(self.rules.0 + rule as u32)
    }
}

/// Whether some command can set an attribute. The mode can be set.
fn is_settable(fixed: Fixed, wiring: &Wiring) -> bool {
    match fixed {
        Fixed::Attribute { device, attribute } => {
            let powers = &wiring.devices[device as usize].powers;
            let sets = |(set, _): &(usize, _)| *set == attribute as usize;
            powers.commands.iter().any(|command| command.effects.iter().any(sets))
        }
        Fixed::Mode => true,
        _ => false,
    }
}
