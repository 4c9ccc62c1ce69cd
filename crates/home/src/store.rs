//! Values and slots by number.
//!
//! A state is an array of numbers: one slot for each thing that can change (an attribute, the mode, an entry of an app's
//! `state`, a timer), and in it the number of its value. Values and the slots that turn up only while apps run are
//! numbered here, once for a whole search. A slot is also an object of footprints, with the same number.

use indexmap::{IndexMap, IndexSet};
use mazurka_core::ObjectId;
use mazurka_groovy::Frozen;
use rustc_hash::FxBuildHasher;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A value by its number; 0 is no value at all.
pub(crate) type ValueId = u32;

/// What an empty slot holds.
pub(crate) const NOTHING: ValueId = 0;

/// A thing that can change, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Slot(pub(crate) u32);

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }

    /// The object that footprints know it by.
    pub(crate) fn object(self) -> ObjectId {
        ObjectId(self.0)
    }
}

/// What a slot can hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stored {
    /// A value of the apps' language.
    Value(Frozen),
    /// The keys of an app's `state`.
    Keys(Arc<[Arc<str>]>),
    /// What an app has subscribed to.
    Subscriptions(Arc<[Subscription]>),
    /// The app that wrote last.
    Writer(u32),
    /// A timer that is to go off.
    Pending(Pending),
}

/// What an app wants to hear of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subscription {
    pub(crate) source: Source,
    /// The name of the event.
    pub(crate) name: Arc<str>,
    /// The value of the event; any if there is none.
    pub(crate) value: Option<Arc<str>>,
    /// The method to run.
    pub(crate) handler: Arc<str>,
}

/// Whose events an app wants to hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// A device, by its number.
    Device(u32),
    /// The home itself.
    Location,
    /// The app's own: a person taps it.
    App,
}

/// A timer that is to go off.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pending {
    /// Whether it goes off again and again.
    pub(crate) periodic: bool,
    /// What the method is to be given, once for each time that it is to run.
    pub(crate) data: Arc<[Frozen]>,
}

/// Which of an app's two maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MapKind {
    State,
    Atomic,
}

/// A slot that turned up while apps ran.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dynamic {
    /// An entry of an app's `state` or `atomicState`.
    Entry { app: u32, map: MapKind, key: Arc<str> },
    /// The timer of a method.
    Timer { app: u32, method: Arc<str> },
    /// A variable that lasts, of an app or of the home itself: those of the study, and the children of an app.
    Variable { app: Option<u32>, name: Arc<str> },
}

/// Values and slots by number, shared by all threads of a search.
#[derive(Debug)]
pub(crate) struct Store {
    first_dynamic: u32,
    values: RwLock<IndexSet<Stored, FxBuildHasher>>,
    dynamic: RwLock<IndexMap<Dynamic, (), FxBuildHasher>>,
    /// The slots of the timers, in the order in which they turned up.
    timers: RwLock<Vec<Slot>>,
}

impl Store {
    /// A store whose dynamic slots start behind the fixed ones.
    pub(crate) fn new(first_dynamic: u32) -> Self {
        Store { first_dynamic, values: RwLock::default(), dynamic: RwLock::default(), timers: RwLock::default() }
    }

    /// The number of a value.
    pub(crate) fn intern(&self, value: Stored) -> ValueId {
        if let Some(known) = read(&self.values).get_index_of(&value) {
            return known as ValueId + 1;
        }
        write(&self.values).insert_full(value).0 as ValueId + 1
    }

    /// The number of a value of the apps' language.
    pub(crate) fn intern_value(&self, value: Frozen) -> ValueId {
        self.intern(Stored::Value(value))
    }

    /// The value with this number.
    pub(crate) fn get(&self, id: ValueId) -> Option<Stored> {
        let index = id.checked_sub(1)?;
        read(&self.values).get_index(index as usize).cloned()
    }

    /// The value with this number, if it is one of the apps' language.
    pub(crate) fn value(&self, id: ValueId) -> Option<Frozen> {
        match self.get(id)? {
            Stored::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The slot of something that is known only since it turned up.
    pub(crate) fn slot(&self, what: Dynamic) -> Slot {
        if let Some(known) = read(&self.dynamic).get_index_of(&what) {
            return Slot(self.first_dynamic + known as u32);
        }
        let is_timer = matches!(what, Dynamic::Timer { .. });
        // Taken before the slot exists, so that two threads number the timers alike.
        let mut timers = write(&self.timers);
        let (index, fresh) = {
            let mut dynamic = write(&self.dynamic);
            let (index, old) = dynamic.insert_full(what, ());
            (index, old.is_none())
        };
        let slot = Slot(self.first_dynamic + index as u32);
        if is_timer && fresh {
            timers.push(slot);
        }
        slot
    }

    /// What a dynamic slot is.
    pub(crate) fn dynamic(&self, slot: Slot) -> Option<Dynamic> {
        let index = slot.0.checked_sub(self.first_dynamic)?;
        read(&self.dynamic).get_index(index as usize).map(|(what, ())| what.clone())
    }

    /// All dynamic slots that are known, in their order.
    pub(crate) fn all_dynamic(&self) -> Vec<(Slot, Dynamic)> {
        let first = self.first_dynamic;
        read(&self.dynamic).keys().zip(first..).map(|(what, slot)| (Slot(slot), what.clone())).collect()
    }

    /// The slots of all timers that are known.
    pub(crate) fn timers(&self) -> RwLockReadGuard<'_, Vec<Slot>> {
        read(&self.timers)
    }
}

// Nothing that is done under these locks can panic half way.
fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_one_number_and_none_is_nothing() {
        let store = Store::new(10);
        let on = store.intern_value(Frozen::text("on"));
        assert_ne!(on, NOTHING);
        assert_eq!(store.intern_value(Frozen::text("on")), on);
        assert_ne!(store.intern_value(Frozen::Int(1)), on);
        assert_eq!(store.value(on), Some(Frozen::text("on")));
        assert_eq!(store.value(NOTHING), None);
    }

    #[test]
    fn timers_are_numbered_among_themselves() {
        let store = Store::new(10);
        let entry = Dynamic::Entry { app: 0, map: MapKind::State, key: "x".into() };
        let timer = |method: &str| Dynamic::Timer { app: 0, method: method.into() };
        assert_eq!(store.slot(timer("a")), Slot(10));
        assert_eq!(store.slot(entry.clone()), Slot(11));
        assert_eq!(store.slot(timer("b")), Slot(12));
        assert_eq!(store.slot(timer("a")), Slot(10));
        assert_eq!(*store.timers(), [Slot(10), Slot(12)]);
        assert_eq!(store.dynamic(Slot(11)), Some(entry));
        assert_eq!(store.dynamic(Slot(9)), None);
    }
}
