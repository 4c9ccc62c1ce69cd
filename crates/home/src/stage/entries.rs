//! What apps keep between events: the entries of `state`, subscriptions, timers.

use super::{Stage, mark};
use crate::layout::Fixed;
use crate::store::{Dynamic, MapKind, NOTHING, Pending, Slot, Stored, Subscription};
use crate::{Profile, words};
use indexmap::IndexSet;
use mazurka_core::ViolationKind;
use mazurka_groovy::{Frozen, Trouble, Value};
use std::sync::Arc;

impl Stage<'_> {
    fn entry(&self, app: u32, map: MapKind, key: &str) -> Slot {
        self.home.store.slot(Dynamic::Entry { app, map, key: key.into() })
    }

    /// An entry of an app's map; `None` if there is none.
    pub(crate) fn entry_value(&mut self, app: u32, map: MapKind, key: &str) -> Option<Value> {
        let slot = self.entry(app, map, key);
        if let Some(value) = self.thawed.get(&slot) {
            return Some(value.clone());
        }
        let id = self.read(slot);
        let value = self.home.store.value(id)?.thaw();
        if self.lasts(map, &value) {
            self.thawed.insert(slot, value.clone());
        }
        Some(value)
    }

    /// Whether what is changed in place stays changed. Not so in `atomicState`, which hands out copies.
    fn lasts(&self, map: MapKind, value: &Value) -> bool {
        let is_shared = map == MapKind::State || self.home.profile == Profile::Paper;
        is_shared && matches!(value, Value::List(_) | Value::Map(_))
    }

    /// Stores an entry of an app's map.
    pub(crate) fn set_entry(&mut self, app: u32, map: MapKind, key: &str, value: &Value) -> Result<(), Trouble> {
        let frozen = value.freeze().map_err(Trouble::from)?;
        let slot = self.entry(app, map, key);
        let id = self.home.store.intern_value(frozen);
        if self.peek(slot) == NOTHING {
            self.change_keys(self.home.layout.keys(app, map), key, true);
        }
        self.write(slot, id);
        if self.lasts(map, value) {
            self.thawed.insert(slot, value.clone());
        } else {
            self.thawed.remove(&slot);
        }
        Ok(())
    }

    /// Removes an entry of an app's map, and returns what it was.
    pub(crate) fn remove_entry(&mut self, app: u32, map: MapKind, key: &str) -> Option<Value> {
        let value = self.entry_value(app, map, key);
        let slot = self.entry(app, map, key);
        if self.peek(slot) != NOTHING {
            self.change_keys(self.home.layout.keys(app, map), key, false);
            self.write(slot, NOTHING);
        }
        self.thawed.remove(&slot);
        value
    }

    /// The keys of an app's map.
    pub(crate) fn keys(&mut self, app: u32, map: MapKind) -> Arc<[Arc<str>]> {
        let slot = self.home.layout.keys(app, map);
        self.read_keys(slot)
    }

    /// The keys in a slot, which the step depends on even if it has added some itself: the others were there before.
    fn read_keys(&mut self, slot: Slot) -> Arc<[Arc<str>]> {
        let keys = self.keys_in(slot);
        self.mark(slot, mark::READ);
        keys
    }

    fn keys_in(&mut self, slot: Slot) -> Arc<[Arc<str>]> {
        self.store_keys(slot);
        let id = self.peek(slot);
        match self.home.store.get(id) {
            Some(Stored::Keys(keys)) => keys,
            _ => Arc::from([]),
        }
    }

    /// Adds a key to a slot that holds keys, or takes it away. It is stored when it is read: to store each of many
    /// sets that differ by one key would take the square of their number.
    fn change_keys(&mut self, slot: Slot, key: &str, add: bool) {
        if !self.changed_keys.contains_key(&slot) {
            let keys = self.keys_in(slot).iter().cloned().collect();
            self.changed_keys.insert(slot, keys);
        }
        self.mark(slot, mark::WRITTEN);
        let Some(keys) = self.changed_keys.get_mut(&slot) else { return };
        let keeps_order = self.home.keeps_insertion_order();
        match (add, keeps_order) {
            // What is added again comes last.
            (true, true) => {
                keys.shift_remove(key);
                keys.insert(key.into());
            }
            (true, false) => {
                keys.insert(key.into());
            }
            (false, true) => {
                keys.shift_remove(key);
            }
            (false, false) => {
                keys.swap_remove(key);
            }
        }
    }

    /// Stores the keys of a slot, if they were changed.
    fn store_keys(&mut self, slot: Slot) {
        let Some(keys) = self.changed_keys.remove(&slot) else { return };
        self.owed += keys.len();
        let mut keys: Vec<Arc<str>> = keys.into_iter().collect();
        let sorted =
            !self.home.keeps_insertion_order() || matches!(self.home.layout.fixed(slot), Some(Fixed::Timers(_)));
        if sorted {
            keys.sort_unstable();
        }
        let id = if keys.is_empty() { NOTHING } else { self.home.store.intern(Stored::Keys(keys.into())) };
        self.write(slot, id);
    }

    /// Stores what was changed and kept outside of the state for a while.
    pub(super) fn keep_changes(&mut self) {
        let mut slots: Vec<Slot> = self.changed_keys.keys().copied().collect();
        slots.sort_unstable();
        for slot in slots {
            self.store_keys(slot);
        }
        let mut apps: Vec<u32> = self.changed_subscriptions.keys().copied().collect();
        apps.sort_unstable();
        for app in apps {
            self.store_subscriptions(app);
        }
        self.keep_thawed();
    }

    /// Stores the entries that were changed in place.
    fn keep_thawed(&mut self) {
        let mut thawed: Vec<(Slot, Value)> = self.thawed.iter().map(|(&slot, value)| (slot, value.clone())).collect();
        thawed.sort_unstable_by_key(|&(slot, _)| slot);
        for (slot, value) in thawed {
            match value.freeze() {
                Ok(frozen) => {
                    self.owed += frozen.size();
                    let id = self.home.store.intern_value(frozen);
                    if self.peek(slot) != id {
                        self.write(slot, id);
                    }
                }
                Err(error) => {
                    self.thawed.remove(&slot);
                    let app = match self.home.store.dynamic(slot) {
                        Some(Dynamic::Entry { app, .. }) => app,
                        _ => 0,
                    };
                    let message = format!("{} crashes: {error}", words::quoted(&self.home.apps[app as usize].name));
                    self.fail(ViolationKind::Crash, message, None);
                }
            }
        }
    }

    /// What a variable of the study holds.
    pub(crate) fn variable(&mut self, app: Option<u32>, name: &str) -> Value {
        let slot = self.home.store.slot(Dynamic::Variable { app, name: name.into() });
        self.value(slot).unwrap_or_default().thaw()
    }

    /// Stores a variable of the study.
    pub(crate) fn set_variable(&mut self, app: Option<u32>, name: &str, value: Frozen) {
        let slot = self.home.store.slot(Dynamic::Variable { app, name: name.into() });
        let id = self.home.store.intern_value(value);
        self.write(slot, id);
    }

    /// What an app has subscribed to.
    pub(crate) fn subscriptions(&mut self, app: u32) -> Arc<[Subscription]> {
        self.store_subscriptions(app);
        let id = self.read(self.home.layout.subscriptions(app));
        match self.home.store.get(id) {
            Some(Stored::Subscriptions(list)) => list,
            _ => Arc::from([]),
        }
    }

    /// Changes what an app has subscribed to. Like keys, it is stored when it is read.
    pub(crate) fn change_subscriptions(&mut self, app: u32, change: impl FnOnce(&mut IndexSet<Subscription>)) {
        if !self.changed_subscriptions.contains_key(&app) {
            let list = self.subscriptions(app).iter().cloned().collect();
            self.changed_subscriptions.insert(app, list);
        }
        if let Some(list) = self.changed_subscriptions.get_mut(&app) {
            change(list);
        }
        self.mark(self.home.layout.subscriptions(app), mark::WRITTEN);
    }

    /// Forgets all that an app has subscribed to, whatever it was.
    pub(crate) fn forget_subscriptions(&mut self, app: u32) {
        let slot = self.home.layout.subscriptions(app);
        self.peek(slot);
        self.mark(slot, mark::WRITTEN);
        self.changed_subscriptions.insert(app, IndexSet::new());
    }

    fn store_subscriptions(&mut self, app: u32) {
        let Some(list) = self.changed_subscriptions.remove(&app) else { return };
        self.owed += list.len();
        let list: Vec<Subscription> = list.into_iter().collect();
        let id = if list.is_empty() { NOTHING } else { self.home.store.intern(Stored::Subscriptions(list.into())) };
        self.write(self.home.layout.subscriptions(app), id);
    }

    /// Starts the timer of a method. Without `overwrite` it goes off once more than it would have anyway.
    pub(crate) fn start_timer(&mut self, app: u32, method: &str, periodic: bool, data: Frozen, overwrite: bool) {
        let slot = self.home.store.slot(Dynamic::Timer { app, method: method.into() });
        let before = if overwrite { self.peek(slot) } else { self.read(slot) };
        if before == NOTHING {
            self.change_keys(self.home.layout.timers(app), method, true);
        }
        let mut all = match self.home.store.get(before) {
            Some(Stored::Pending(pending)) if !overwrite && !periodic => pending.data.to_vec(),
            _ => Vec::new(),
        };
        // Each further one would be one more state for as long as none is waited for: as many as are told apart.
        if all.len() < 2 {
            all.push(data);
        }
        let pending = Stored::Pending(Pending { periodic, data: all.into() });
        let id = self.home.store.intern(pending);
        self.write(slot, id);
    }

    /// Stops the timer of a method.
    pub(crate) fn stop_timer(&mut self, app: u32, method: &str) {
        let slot = self.home.store.slot(Dynamic::Timer { app, method: method.into() });
        if self.peek(slot) != NOTHING {
            self.change_keys(self.home.layout.timers(app), method, false);
        }
        self.write(slot, NOTHING);
    }

    /// Stops all timers of an app.
    pub(crate) fn stop_timers(&mut self, app: u32) {
        let slot = self.home.layout.timers(app);
        for method in self.read_keys(slot).iter() {
            self.stop_timer(app, method);
        }
    }
}
