//! Who is let go by a transition: somebody who could not move in front of it and waited for an object that it changes.

use super::rows::{Rows, contains, members};
use super::summary::{Claims, LabelId};
use hashbrown::HashMap;
use mazurka_core::{ActorId, Awaited, ObjectId};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// The actors that a transition lets go, by the number of their list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WakeupId(u32);

impl WakeupId {
    /// The transition lets nobody go.
    pub(super) const NOBODY: WakeupId = WakeupId(0);
}

/// Somebody who is let go, and what was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Woken {
    pub(super) actor: ActorId,
    pub(super) object: ObjectId,
    /// Whether there was nothing for the actor to do before; see [`Awaited`].
    pub(super) made: bool,
}

type List = SmallVec<[Woken; 2]>;

/// The lists of those who are let go, each kept once.
#[derive(Debug)]
pub(super) struct Wakeups {
    /// For each object those who were ever seen to wait for it. Whoever is missing here is not found, and then what it
    /// claims is taken to conflict more often than it does: less is saved, and nothing is lost.
    sleepers: Rows,
    numbers: HashMap<List, WakeupId, FxBuildHasher>,
    lists: Vec<List>,
    /// For each label the list that was found last.
    recent: Vec<WakeupId>,
}

impl Wakeups {
    pub(super) fn new() -> Self {
        Wakeups { sleepers: Rows::default(), numbers: HashMap::default(), lists: vec![List::new()], recent: Vec::new() }
    }

    /// Somebody may wait for an object.
    pub(super) fn note(&mut self, actor: ActorId, object: ObjectId) {
        while self.sleepers.len() <= object.0 as usize {
            self.sleepers.push();
        }
        if !contains(self.sleepers.row(object.0 as usize), actor.0) {
            self.sleepers.insert(object.0 as usize, actor.0);
        }
    }

    /// Whether nobody was ever seen to wait.
    pub(super) fn nobody_sleeps(&self) -> bool {
        self.sleepers.len() == 0
    }

    /// Who is let go by a transition. `awaits` tells what an actor waits for in front of it.
    pub(super) fn find(
        &mut self,
        claims: &Claims,
        label: LabelId,
        enabled: &[u64],
        awaits: impl Fn(ActorId) -> Option<Awaited>,
    ) -> WakeupId {
        let mut list = List::new();
        for object in claims.changes(label).filter(|object| (object.0 as usize) < self.sleepers.len()) {
            let sleepers = self.sleepers.row(object.0 as usize).iter().enumerate();
            let disabled = sleepers.map(|(index, word)| word & !enabled.get(index).copied().unwrap_or(0));
            for actor in members(disabled).map(ActorId) {
                match awaits(actor) {
                    Some(Awaited::Made(awaited)) if awaited == object => list.push(Woken { actor, object, made: true }),
                    Some(Awaited::Freed(awaited)) if awaited == object => {
                        list.push(Woken { actor, object, made: false });
                    }
                    _ => {}
                }
            }
        }
        if list.is_empty() { WakeupId::NOBODY } else { self.intern(list, label) }
    }

    fn intern(&mut self, list: List, label: LabelId) -> WakeupId {
        // Mostly a label lets go whom it let go last.
        if self.recent.len() <= label.index() {
            self.recent.resize(label.index() + 1, WakeupId::NOBODY);
        }
        let recent = self.recent[label.index()];
        if self.lists[recent.0 as usize] == list {
            return recent;
        }
        let lists = &mut self.lists;
        let id = *self.numbers.entry(list).or_insert_with_key(|list| {
            lists.push(list.clone());
            WakeupId(lists.len() as u32 - 1)
        });
        self.recent[label.index()] = id;
        id
    }

    /// A list.
    pub(super) fn get(&self, id: WakeupId) -> &[Woken] {
        &self.lists[id.0 as usize]
    }
}
