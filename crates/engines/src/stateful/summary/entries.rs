//! The entries of summaries: which conflict with which, and which subsume which.
//!
//! An *entry* says: below this state, `actor` touches this object in this way, or enables that actor. Entries are propagated
//! backwards over transitions. There is one entry for each object of a footprint, so that there are about as many as
//! actors times what each of them touches, and a summary is a set of bits.
//!
//! A transition is labelled with its actor and with what it touches, that is, with its own entries. A set of bits says
//! which entries conflict with those: a whole summary crosses a transition in a few operations; see `classes`.
//!
//! # Guards
//!
//! An entry is *guarded* by a mutex if that is acquired on the way to the access: by its actor or, where the actor only enables
//! others that do the rest, by one of these. A guarded entry is no conflict with a step t whose actor b holds the mutex in
//! front of it.
//!
//! Nothing is lost by that. Take a path from the state in front of t on which b does not move, the shortest one to a step
//! that conflicts with t, and let a take that step. The others on the path are independent of t, so behind t the path is
//! possible, too, up to a's last step. What is explored behind t follows it in some order, with more steps in between, but
//! a's steps before the last one, and those of the actors that enable a, are the same there. None of them acquires the
//! mutex, since b holds it all the way. So the entry that arises there is not guarded; those of other paths are. What the
//! last step acquires may depend on what t writes, so a step's own entries are not guarded: only those from behind it are.
//!
//! Of several mutexes an entry keeps the first that it meets on its way back, mostly the one that protects what is touched.
//! A message is guarded by its handler in all that it does. That is known of the actor, and is noted with an entry only
//! where the entry is attributed to another one.
//!
//! # Subsumption
//!
//! A write of an object conflicts with all that a read of it conflicts with. So where an actor has both entries, the write
//! *subsumes* the read: where the write is known, the read is not added. Otherwise the last read that turns up would go
//! round the whole graph and change nothing. Likewise an entry without a guard subsumes one with a guard. From there on
//! both would go the same ways. If the one that is left comes to be guarded by a mutex, then the other one is only
//! reached by acquiring that mutex, too.
//!
//! Acquiring a released object is no race with the release, but reading it is one. So an acquire subsumes a read only where
//! the object is not known to be released. Where that becomes known later, an acquire of it counts as a read does from
//! there on, whichever actor acquires it: an entry in which the read is left out may have been attributed to another actor.

use super::super::store::sets::{Memo, Set, Sets};
use crate::shared::bits::{LongBits, members_of_word};
use hashbrown::{HashMap, HashTable};
use mazurka_core::{Access, ActorId, Dependence, Footprint, ObjectId, Touch};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::hash::BuildHasher;

/// An entry by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::stateful) struct EntryId(pub(in crate::stateful) u32);

/// A label by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::stateful) struct LabelId(u32);

impl LabelId {
    pub(in crate::stateful) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What an entry says of its actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::stateful) enum Fact {
    /// It touches an object.
    Touches(Touch),
    /// It enables an actor that is switched; see `classes`.
    Enables(ActorId),
}

impl Fact {
    /// What is touched, and how.
    fn touch(self) -> Option<Touch> {
        match self {
            Fact::Touches(touch) => Some(touch),
            Fact::Enables(_) => None,
        }
    }

    /// The object that is touched.
    pub(in crate::stateful) fn object(self) -> Option<ObjectId> {
        self.touch().map(|touch| touch.object)
    }
}

/// An entry of a summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::stateful) struct Entry {
    pub(in crate::stateful) actor: ActorId,
    pub(in crate::stateful) fact: Fact,
    /// What has to be acquired on the way.
    guard: Option<ObjectId>,
}

/// In what an entry may differ from another one that it replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Variant {
    actor: ActorId,
    guard: Option<ObjectId>,
}

/// A label: the actor of a transition, and its own entries, which are what it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Label {
    actor: ActorId,
    own: Set,
    /// The mutexes that the actor holds in front of the transition, and the handler on which it runs there.
    held: Set,
    /// The mutex that it acquires.
    acquires: Option<ObjectId>,
}

/// How many recent labels are remembered.
const RECENT: usize = 256;

/// The most entries that are made by attributing others. Where every message posts another one, each would sooner or later
/// have the entries of all of them.
const MOST_ATTRIBUTED: u32 = 256;

/// The most guarded entries. Beyond that, others count as not guarded: there is less reduction.
const MOST_GUARDED: u32 = 1024;

/// All entries, sets of entries, and labels.
pub(in crate::stateful) struct Entries {
    /// Summaries, and sets of actors.
    pub(in crate::stateful) sets: Sets,
    dependence: Dependence,
    /// How many entries were made by attributing others.
    attributed: u32,
    /// The numbers of the entries.
    numbers: HashMap<Entry, EntryId, FxBuildHasher>,
    /// For each actor the handler that runs it.
    handlers: Vec<Option<ObjectId>>,
    /// How many entries are guarded.
    guarded: u32,
    entries: Vec<Entry>,
    /// For each entry those that replaced it.
    variants: Vec<SmallVec<[(Variant, EntryId); 1]>>,
    /// For each entry those that subsume it, and all entries that another one subsumes.
    subsumers: Vec<SmallVec<[EntryId; 1]>>,
    subsumed: LongBits,
    /// For each actor and object the actor's entries for it.
    of_actor_on_object: HashMap<(ActorId, ObjectId), SmallVec<[EntryId; 2]>, FxBuildHasher>,
    /// The objects that are known to be released, and those where an acquire subsumes a read.
    released: LongBits,
    acquired_for_reads: LongBits,
    /// For each actor its entries, those words of the set that are not zero; and the entries that say that it is enabled.
    by_actor: Vec<SmallVec<[(usize, u64); 1]>>,
    enablers: Vec<Vec<EntryId>>,
    /// All entries that say that an actor is enabled; and for actors and sets of such entries which actors enable the actor
    /// directly or through others.
    enables: Set,
    all_enablers: Memo<(ActorId, Set), Set>,
    /// For each object the entries for it, in order.
    on_object: HashMap<ObjectId, Vec<EntryId>, FxBuildHasher>,
    /// The numbers of the labels, which stand in `labels`.
    label_numbers: HashTable<LabelId>,
    labels: Vec<Label>,
    /// Recent labels, by the hashes of the actor, what it touches and what it holds: few others are asked for next.
    recent: Vec<Option<(ActorId, Set, Footprint, LabelId)>>,
    scratch: LongBits,
    edits: Vec<(u32, bool)>,
    added: Vec<(u32, bool)>,
}

/// What a table has for an actor; it grows to hold that.
fn row_for<T: Default>(table: &mut Vec<T>, actor: ActorId) -> &mut T {
    if table.len() <= actor.index() {
        table.resize_with(actor.index() + 1, T::default);
    }
    &mut table[actor.index()]
}

fn hash(label: Label) -> u64 {
    FxBuildHasher.hash_one(label)
}

impl Entries {
    pub(in crate::stateful) fn new(dependence: Dependence) -> Self {
        Entries {
            sets: Sets::new(),
            dependence,
            attributed: 0,
            numbers: HashMap::default(),
            handlers: Vec::new(),
            guarded: 0,
            entries: Vec::new(),
            variants: Vec::new(),
            subsumers: Vec::new(),
            subsumed: LongBits::default(),
            of_actor_on_object: HashMap::default(),
            released: LongBits::default(),
            acquired_for_reads: LongBits::default(),
            by_actor: Vec::new(),
            enablers: Vec::new(),
            enables: Set::EMPTY,
            all_enablers: Memo::new(),
            on_object: HashMap::default(),
            label_numbers: HashTable::new(),
            labels: Vec::new(),
            recent: vec![None; RECENT],
            scratch: LongBits::default(),
            edits: Vec::new(),
            added: Vec::new(),
        }
    }

    /// The label of a transition, or of a step that an actor is blocked on. `held` is what the actor holds in front of it;
    /// `acquires` tells which mutex a step with this footprint acquires.
    pub(in crate::stateful) fn label(
        &mut self,
        actor: ActorId,
        footprint: &Footprint,
        held: Set,
        acquires: impl FnOnce() -> Option<ObjectId>,
    ) -> LabelId {
        let hash = FxBuildHasher.hash_one((actor, footprint, held.0[0]));
        let slot = hash as usize & (self.recent.len() - 1);
        match &mut self.recent[slot] {
            Some(recent) if recent.0 == actor && recent.1 == held && recent.2 == *footprint => return recent.3,
            _ => {}
        }
        let id = self.find_label(actor, footprint, held, acquires());
        match &mut self.recent[slot] {
            Some((whose, had, recent, label)) => {
                recent.clone_from(footprint);
                (*whose, *had, *label) = (actor, held, id);
            }
            none => *none = Some((actor, held, footprint.clone(), id)),
        }
        id
    }

    fn find_label(&mut self, actor: ActorId, footprint: &Footprint, held: Set, acquires: Option<ObjectId>) -> LabelId {
        let mut own = std::mem::take(&mut self.scratch);
        own.clear();
        for &touch in footprint.touches() {
            own.insert(self.entry(actor, Fact::Touches(touch)).0);
        }
        let label = Label { actor, own: self.sets.set(own.words()), held, acquires };
        self.scratch = own;
        let labels = &self.labels;
        if let Some(&known) = self.label_numbers.find(hash(label), |id| labels[id.index()] == label) {
            return known;
        }
        let id = LabelId(self.labels.len() as u32);
        self.label_numbers.insert_unique(hash(label), id, |id| hash(labels[id.index()]));
        self.labels.push(label);
        id
    }

    /// An actor is a message of this handler.
    pub(in crate::stateful) fn note_handler(&mut self, actor: ActorId, handler: ObjectId) {
        *row_for(&mut self.handlers, actor) = Some(handler);
    }

    /// The handler that runs an actor.
    pub(in crate::stateful) fn runs_on(&self, actor: ActorId) -> Option<ObjectId> {
        self.handlers.get(actor.index()).copied().flatten()
    }

    /// Whether a transition may acquire a mutex.
    pub(in crate::stateful) fn acquires(&self, label: LabelId) -> bool {
        self.labels[label.index()].acquires.is_some()
    }

    /// In front of a transition that may acquire a mutex, the entries of its actor are guarded by that, unless they are
    /// guarded already.
    pub(in crate::stateful) fn guarded(&mut self, label: LabelId, entries: Set) -> Set {
        let Label { actor, acquires: Some(acquires), .. } = self.labels[label.index()] else { return entries };
        self.replaced(actor, entries, |all, id, entry| {
            if entry.guard.is_some() || entry.fact.object().is_none() {
                return Some(id);
            }
            let variant = Variant { actor, guard: Some(acquires) };
            Some(all.variant(id, variant, all.guarded < MOST_GUARDED).unwrap_or(id))
        })
    }

    /// In front of a transition that enables an actor which had no step before, because it writes `object`, the entries of
    /// that actor are attributed to the transition's, but for those on the object. There may be too many such entries; then
    /// they stay its own.
    pub(in crate::stateful) fn attributed(
        &mut self,
        enabled: ActorId,
        object: ObjectId,
        label: LabelId,
        entries: Set,
    ) -> Set {
        let (actor, handler) = (self.actor(label), self.runs_on(enabled));
        self.replaced(enabled, entries, |all, id, entry| {
            if entry.fact.object() == Some(object) {
                return None;
            }
            let variant = Variant { actor, guard: entry.guard.or(handler) };
            let before = all.len();
            let new = all.variant(id, variant, all.attributed < MOST_ATTRIBUTED);
            all.attributed += (all.len() - before) as u32;
            Some(new.unwrap_or(id))
        })
    }

    /// Some entries, of which those of an actor are replaced by others, or by none.
    fn replaced(
        &mut self,
        actor: ActorId,
        entries: Set,
        by: impl Fn(&mut Entries, EntryId, Entry) -> Option<EntryId>,
    ) -> Set {
        let (mut edits, mut added) = (std::mem::take(&mut self.edits), std::mem::take(&mut self.added));
        let own = self.by_actor.get(actor.index()).map_or(0, SmallVec::len);
        for place in 0..own {
            let (index, own) = self.by_actor[actor.index()][place];
            for id in members_of_word(index, self.sets.word(&entries, index) & own).map(EntryId) {
                let new = by(self, id, self.get(id));
                if new != Some(id) {
                    edits.push((id.0, false));
                    added.extend(new.map(|new| (new.0, true)));
                }
            }
        }
        let replaced = if edits.is_empty() {
            entries
        } else {
            // Mostly both are in order already, the others behind those that they replace.
            edits.append(&mut added);
            if !edits.is_sorted() {
                edits.sort();
            }
            edits.dedup();
            self.sets.edited(entries, &edits)
        };
        edits.clear();
        (self.edits, self.added) = (edits, added);
        replaced
    }

    /// The entry that differs in its actor and its guard, made if it may be and was not before.
    fn variant(&mut self, id: EntryId, variant: Variant, may_make: bool) -> Option<EntryId> {
        let known = self.variants[id.0 as usize].iter().find(|known| known.0 == variant);
        if let Some(&(_, known)) = known {
            return Some(known);
        }
        let entry = Entry { actor: variant.actor, fact: self.get(id).fact, guard: variant.guard };
        let new = match self.numbers.get(&entry) {
            Some(&known) => known,
            None if may_make => self.make(entry),
            None => return None,
        };
        self.variants[id.0 as usize].push((variant, new));
        Some(new)
    }

    /// The number of an entry without a guard.
    pub(in crate::stateful) fn entry(&mut self, actor: ActorId, fact: Fact) -> EntryId {
        let entry = Entry { actor, fact, guard: None };
        self.numbers.get(&entry).copied().unwrap_or_else(|| self.make(entry))
    }

    fn make(&mut self, entry: Entry) -> EntryId {
        let Entry { actor, fact, guard } = entry;
        let id = EntryId(self.entries.len() as u32);
        self.numbers.insert(entry, id);
        self.guarded += u32::from(guard.is_some());
        self.entries.push(entry);
        let (index, bit) = (id.0 as usize / 64, 1 << (id.0 % 64));
        let own = row_for(&mut self.by_actor, actor);
        match own.last_mut() {
            Some((last, word)) if *last == index => *word |= bit,
            _ => own.push((index, bit)),
        }
        self.variants.push(SmallVec::new());
        self.subsumers.push(SmallVec::new());
        match fact {
            Fact::Touches(touch) => {
                self.find_subsumers(id, touch);
                self.on_object.entry(touch.object).or_default().push(id);
            }
            Fact::Enables(enabled) => {
                row_for(&mut self.enablers, enabled).push(id);
                self.enables = self.sets.with(self.enables, [id.0].into_iter());
            }
        }
        id
    }

    /// Finds the entries that a new one subsumes, and those that subsume it.
    fn find_subsumers(&mut self, new: EntryId, Touch { object, access }: Touch) {
        if access.contains(Access::RELEASE) {
            self.released.insert(object.0);
        }
        let races = |later| self.dependence.races(Access::RELEASE, later);
        let others = self.of_actor_on_object.entry((self.entries[new.0 as usize].actor, object)).or_default();
        for &old in others.iter() {
            for (above, below) in [(new, old), (old, new)] {
                let [more, less] = [above, below].map(|id| self.entries[id.0 as usize]);
                let (Some(one), Some(other)) = (more.fact.touch(), less.fact.touch()) else { continue };
                let acquires_for_read = races(other.access) && !races(one.access);
                if self.dependence.subsumes(one.access, other.access)
                    && (more.guard.is_none() || more.guard == less.guard)
                    && !(acquires_for_read && self.released.contains(object.0))
                {
                    self.subsumers[below.0 as usize].push(above);
                    self.subsumed.insert(below.0);
                    if acquires_for_read {
                        self.acquired_for_reads.insert(object.0);
                    }
                }
            }
        }
        others.push(new);
    }

    /// Whether known entries subsume all entries of a set that are not among them.
    #[inline]
    pub(in crate::stateful) fn subsumes(&self, known: Set, all: Set) -> bool {
        // Mostly something is new, which is seen at once where sets are small.
        let is_new = |index: usize| all.0[index] & !known.0[index] & !self.subsumed.word(index) != 0;
        let is_small = !known.is_large() && !all.is_large();
        !(is_small && (is_new(0) || is_new(1))) && self.all_are_subsumed(known, all)
    }

    fn all_are_subsumed(&self, known: Set, all: Set) -> bool {
        let is_subsumed = |id: u32| self.subsumers[id as usize].iter().any(|other| self.sets.contains(&known, other.0));
        self.sets.no_word_without(all, known, |index, new| {
            new & !self.subsumed.word(index) != 0 || !members_of_word(index, new).all(is_subsumed)
        })
    }

    pub(in crate::stateful) fn get(&self, entry: EntryId) -> Entry {
        self.entries[entry.0 as usize]
    }

    /// The actor of a transition.
    pub(in crate::stateful) fn actor(&self, label: LabelId) -> ActorId {
        self.labels[label.index()].actor
    }

    /// A transition's own entries.
    pub(in crate::stateful) fn own(&self, label: LabelId) -> Set {
        self.labels[label.index()].own
    }

    pub(in crate::stateful) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entries that decide about the backtrack points of a transition, from those among the first `known` entries: the
    /// entries that conflict with the transition, and all that say that an actor is enabled. An actor's own steps stay in
    /// their order.
    pub(in crate::stateful) fn decisive(&mut self, label: LabelId, known: usize, decisive: Set) -> Set {
        let Label { actor, own, held, .. } = self.labels[label.index()];
        let is_held = |object: Option<ObjectId>| object.is_some_and(|object| self.sets.contains(&held, object.0));
        let mut more = LongBits::default();
        for entry in self.sets.members(own) {
            let Fact::Touches(mine) = self.entries[entry as usize].fact else { continue };
            let on_object = self.on_object.get(&mine.object).map_or(&[][..], Vec::as_slice);
            let new = on_object.partition_point(|id| (id.0 as usize) < known);
            let acquires_for_read = self.acquired_for_reads.contains(mine.object.0);
            let conflicts = |theirs: Access| {
                self.dependence.races(mine.access, theirs)
                    || acquires_for_read && self.dependence.touches(mine.access, theirs)
            };
            for &id in &on_object[new..] {
                let theirs = self.get(id);
                if let Fact::Touches(touch) = theirs.fact
                    && theirs.actor != actor
                    && !is_held(theirs.guard)
                    && !is_held(self.runs_on(theirs.actor))
                    && conflicts(touch.access)
                {
                    more.insert(id.0);
                }
            }
        }
        let more = self.sets.set(more.words());
        let decisive = self.sets.union(decisive, more);
        self.sets.union(decisive, self.enables)
    }

    /// Whether another actor than this one has an entry for an object.
    pub(in crate::stateful) fn is_touched_by_others(&self, object: ObjectId, actor: ActorId) -> bool {
        self.on_object.get(&object).into_iter().flatten().any(|&entry| self.get(entry).actor != actor)
    }

    /// Those of some entries that say that an actor is enabled.
    pub(in crate::stateful) fn enables_among(&mut self, entries: Set) -> Set {
        self.sets.intersection(entries, self.enables)
    }

    /// The actors that enable an actor, directly or through others, by these entries.
    pub(in crate::stateful) fn enablers(&mut self, actor: ActorId, enables: Set) -> Set {
        if let Some(known) = self.all_enablers.get((actor, enables)) {
            return known;
        }
        let (mut all, mut enabled) = (LongBits::default(), vec![actor]);
        while let Some(actor) = enabled.pop() {
            for entry in self
                .enablers
                .get(actor.index())
                .into_iter()
                .flatten()
                .filter(|entry| self.sets.contains(&enables, entry.0))
            {
                let enabler = self.get(*entry).actor;
                if all.insert(enabler.0) {
                    enabled.push(enabler);
                }
            }
        }
        let all = self.sets.set(all.words());
        self.all_enablers.put((actor, enables), all);
        all
    }

    /// The objects that a transition writes.
    pub(in crate::stateful) fn writes(&self, label: LabelId) -> impl Iterator<Item = ObjectId> + '_ {
        let own = self.sets.members(self.labels[label.index()].own);
        own.filter_map(|entry| match self.entries[entry as usize].fact {
            Fact::Touches(touch) if Access::changes(touch.access) => Some(touch.object),
            _ => None,
        })
    }
}
