//! Classes of transitions: those of one class have the same label and enable the same actors. The transfer function and the
//! backtrack points of a transition depend on its class only.
//!
//! A transition *may enable* an actor that cannot move in front of it and awaits an object that the transition writes; it
//! *enables* the actor if that can move behind it.
//!
//! # Switched actors
//!
//! An actor is *switched* if its fixed guard reads one object only, its switch: an event that is switched on and off, or an event
//! with a guard over one variable. In front of a transition that enables it none of its entries should be left: either they
//! are attributed to the transition's actor, or they are settled. But then hardly two states would have the same summary,
//! and where every actor enables another one, each would sooner or later have the entries of all. So its entries stay in
//! summaries, and do not count where it cannot move, but for the read of its switch, which is an entry wherever it is
//! blocked. The transition has an entry that it enables the actor, and the actors that enable one, directly or through
//! others, count as if they had its entries, but for those on its switch. All states of a cycle then have the same summary.
//!
//! Nothing is lost by that. Let b be switched, let t lead from s to u, and consider which of b's entries count at u. If b
//! can move at s, they count at s, too. If b can move neither at s nor at u, only the read of its switch counts at u, and
//! that counts at s. If b can move at u only, t enables it, and from s on there is an entry for that. So what counts
//! anywhere is at least what would be there if entries were taken out.

use super::super::store::nodes::Enabled;
use super::super::store::sets::{Memo, Set};
use super::entries::{Entries, Entry, EntryId, Fact, LabelId};
use crate::shared::bits::{LongBits, SparseBits, members_of_word};
use hashbrown::HashMap;
use mazurka_core::{ActorId, Awaited, ObjectId};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// A class by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::stateful) struct ClassId(u32);

/// An actor that a transition may enable, and what the actor awaits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct MayEnable {
    actor: ActorId,
    object: ObjectId,
    /// Whether the actor had no step before; see [`Awaited`].
    made: bool,
    /// Whether it is enabled. True of actors that are not switched: for these it is not asked.
    enabled: bool,
}

type List = SmallVec<[MayEnable; 2]>;

/// A list of actors that a transition may enable, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ListId(u32);

impl ListId {
    const EMPTY: ListId = ListId(0);
}

/// A class. Some labels belong to one transition only, so there may be many, and what is mostly needed is kept small.
struct Class {
    label: LabelId,
    may_enable: ListId,
    /// The actors, of those that are not switched, whose entries are attributed to the transition's actor.
    attributed: ListId,
    /// The transition's own entries; that it enables switched actors is among them.
    own: Set,
    /// The summary that was last seen behind such a transition, and what it becomes in front.
    transferred: (Set, Set),
    /// The conflicts, kept once they were asked for twice.
    was_asked: bool,
    conflicts: Option<Box<Conflicts>>,
}

/// The actors that conflict with transitions of a class, without those that these may enable.
#[derive(Default)]
struct Conflicts {
    /// The switched actors whose switch the transition writes.
    guard_readers: Set,
    /// Of this many entries those that decide about conflicts.
    known: usize,
    decisive: Set,
    /// The summary that was last seen behind such a transition, its decisive entries, and the actors that conflict by these.
    summary: Set,
    decided: Set,
    conflicting: Set,
}

/// What is known of the transitions with one label.
#[derive(Default)]
struct OfLabel {
    /// Those that were ever seen to await an object that these transitions write, for each 64 actors that have some.
    waiters: SmallVec<[WaiterWords; 1]>,
    /// How many waiters had been seen then.
    seen: u32,
    /// The class of the last transition, if that depends on nothing else.
    recent: Option<ClassId>,
    /// The class that was met first, and the actors that its transitions may enable. Many labels have no other.
    first: Option<(ListId, ClassId)>,
}

/// Sets of 64 actors.
#[derive(Clone, Copy)]
struct WaiterWords {
    /// Which 64.
    index: u32,
    waiters: u64,
    /// Those that were disabled in front of the last transition, and those of them that were enabled behind it.
    disabled_before: u64,
    enabled_after: u64,
}

/// The classes that were met.
pub(in crate::stateful) struct Classes {
    /// For each object the actors that were ever seen to await it, and how many they are in all. An actor that is missing
    /// here is not found, and then its entries count as conflicts more often than they are: there is less reduction, and
    /// nothing is lost. None with a fixed guard may be missing.
    waiters: Vec<SparseBits>,
    seen: u32,
    /// The switched actors, and the entries of their guards. They are known from the start.
    switched: LongBits,
    guard_reads: Set,
    /// For each of them its switch.
    switches: Vec<Option<ObjectId>>,
    lists: Vec<List>,
    list_numbers: HashMap<List, ListId, FxBuildHasher>,
    classes: Vec<Class>,
    /// The classes that were not met first of those with their labels.
    numbers: HashMap<(LabelId, ListId), ClassId, FxBuildHasher>,
    labels: Vec<OfLabel>,
    /// Transferred summaries of transitions to which entries are attributed, or that may acquire a mutex.
    remembered: Memo<(ClassId, Set), Set>,
    /// The conflicts of the class for which these were last asked for the first time.
    once: Conflicts,
    /// Scratch: sets of entries or actors, and the switched actors that may have to be enabled before they conflict.
    scratch: LongBits,
    enabled_later: LongBits,
}

impl Classes {
    pub(in crate::stateful) fn new() -> Self {
        Classes {
            waiters: Vec::new(),
            seen: 0,
            switched: LongBits::default(),
            guard_reads: Set::EMPTY,
            switches: Vec::new(),
            lists: vec![List::new()],
            list_numbers: HashMap::from_iter([(List::new(), ListId::EMPTY)]),
            classes: Vec::new(),
            numbers: HashMap::default(),
            labels: Vec::new(),
            remembered: Memo::new(),
            once: Conflicts::default(),
            scratch: LongBits::default(),
            enabled_later: LongBits::default(),
        }
    }

    /// An actor may await an object.
    pub(in crate::stateful) fn note_waiter(&mut self, actor: ActorId, object: ObjectId) {
        let index = object.0 as usize;
        if self.waiters.len() <= index {
            self.waiters.resize_with(index + 1, SparseBits::default);
        }
        self.seen += u32::from(self.waiters[index].insert(actor.0));
    }

    /// An actor is switched; `read` are the entries of its guard.
    pub(in crate::stateful) fn note_switched(
        &mut self,
        actor: ActorId,
        switch: ObjectId,
        read: Set,
        entries: &mut Entries,
    ) {
        self.note_waiter(actor, switch);
        self.switched.insert(actor.0);
        self.switches.resize(self.switches.len().max(actor.index() + 1), None);
        self.switches[actor.index()] = Some(switch);
        self.guard_reads = entries.sets.union(self.guard_reads, read);
    }

    /// The label of a transition of some class.
    pub(in crate::stateful) fn label(&self, class: ClassId) -> LabelId {
        self.classes[class.0 as usize].label
    }

    /// The class of a transition. The first set has the actors that can move in front of it, the second those behind it;
    /// `awaits` tells what an actor awaits in front of it.
    pub(in crate::stateful) fn find(
        &mut self,
        entries: &mut Entries,
        label: LabelId,
        [before, after]: [Enabled<'_>; 2],
        mut awaits: impl FnMut(ActorId) -> Option<Awaited>,
    ) -> ClassId {
        self.update_waiters(entries, label);
        let of_label = &mut self.labels[label.index()];
        let (mut not_switched, mut differs) = (0, 0);
        for words in &mut of_label.waiters {
            let index = words.index as usize;
            let disabled = words.waiters & !before.word(index);
            let enabled = disabled & after.word(index);
            not_switched |= disabled & !self.switched.word(index);
            differs |= disabled ^ words.disabled_before | enabled ^ words.enabled_after;
            (words.disabled_before, words.enabled_after) = (disabled, enabled);
        }
        if differs == 0
            && let Some(recent) = of_label.recent
        {
            return recent;
        }
        let mut may_enable = List::new();
        let disabled = |words: &WaiterWords| members_of_word(words.index as usize, words.disabled_before);
        for actor in of_label.waiters.iter().flat_map(disabled).map(ActorId) {
            // A switched actor awaits its switch.
            let switch = self.switches.get(actor.index()).copied().flatten();
            let Some(awaited) = switch.map(Awaited::Made).or_else(|| awaits(actor)) else { continue };
            if entries.writes(label).any(|object| object == awaited.object()) {
                let made = matches!(awaited, Awaited::Made(_));
                let enabled = switch.is_none() || after.contains(actor);
                may_enable.push(MayEnable { actor, object: awaited.object(), made, enabled });
            }
        }
        let may_enable = self.list(may_enable);
        let class = self.number(entries, label, may_enable);
        self.labels[label.index()].recent = (not_switched == 0).then_some(class);
        class
    }

    /// A word of the set of actors that were ever seen to await an object that transitions with a label write. The waiters
    /// of the label are up to date.
    #[inline]
    pub(in crate::stateful) fn waiters(&self, label: LabelId, index: usize) -> u64 {
        let words = self.labels[label.index()].waiters.iter().find(|words| words.index as usize == index);
        words.map_or(0, |words| words.waiters)
    }

    /// Brings the waiters of a label up to date.
    #[inline]
    pub(in crate::stateful) fn update_waiters(&mut self, entries: &Entries, label: LabelId) {
        if self.of_label(label).seen != self.seen {
            self.find_waiters(entries, label);
        }
    }

    fn of_label(&mut self, label: LabelId) -> &mut OfLabel {
        if self.labels.len() <= label.index() {
            self.labels.resize_with(label.index() + 1, OfLabel::default);
        }
        &mut self.labels[label.index()]
    }

    fn find_waiters(&mut self, entries: &Entries, label: LabelId) {
        let of_label = &mut self.labels[label.index()];
        of_label.waiters.clear();
        for waiters in entries.writes(label).filter_map(|object| self.waiters.get(object.0 as usize)) {
            for (index, waiters) in waiters.words() {
                let index = index as u32;
                match of_label.waiters.binary_search_by_key(&index, |words| words.index) {
                    Ok(place) => of_label.waiters[place].waiters |= waiters,
                    Err(place) => {
                        let words = WaiterWords { index, waiters, disabled_before: 0, enabled_after: 0 };
                        of_label.waiters.insert(place, words);
                    }
                }
            }
        }
        (of_label.seen, of_label.recent) = (self.seen, None);
    }

    fn list(&mut self, list: List) -> ListId {
        if list.is_empty() {
            return ListId::EMPTY;
        }
        let lists = &mut self.lists;
        *self.list_numbers.entry(list).or_insert_with_key(|list| {
            lists.push(list.clone());
            ListId(lists.len() as u32 - 1)
        })
    }

    fn number(&mut self, entries: &mut Entries, label: LabelId, may_enable: ListId) -> ClassId {
        let first = self.of_label(label).first;
        let known = match first {
            Some((list, class)) if list == may_enable => Some(class),
            Some(_) => self.numbers.get(&(label, may_enable)).copied(),
            None => None,
        };
        if let Some(known) = known {
            return known;
        }
        let made = self.lists[may_enable.0 as usize].iter().copied().filter(|actor| actor.made && actor.enabled);
        let (switched, others): (List, List) = made.partition(|enabled| self.switched.contains(enabled.actor.0));
        let attributed = self.list(others);
        let (actor, enables) = (entries.actor(label), &mut self.scratch);
        enables.clear();
        enables.extend(switched.iter().map(|enabled| entries.entry(actor, Fact::Enables(enabled.actor)).0));
        let enables = entries.sets.set(enables.words());
        let own = entries.own(label);
        let own = entries.sets.union(own, enables);
        let id = ClassId(self.classes.len() as u32);
        let transferred = (Set::EMPTY, own);
        self.classes.push(Class { label, may_enable, attributed, own, transferred, was_asked: false, conflicts: None });
        match first {
            Some(_) => _ = self.numbers.insert((label, may_enable), id),
            None => self.labels[label.index()].first = Some((may_enable, id)),
        }
        id
    }

    /// The transfer function of a transition: the summary in front of it, from the summary behind it, the transition's own
    /// entries, and the entries that are known in front of it.
    #[inline]
    pub(in crate::stateful) fn transfer(
        &mut self,
        class: ClassId,
        summary: Set,
        known: Set,
        entries: &mut Entries,
    ) -> Set {
        let Class { label, attributed, own, transferred: (last, transferred), .. } = self.classes[class.0 as usize];
        if last == summary {
            return entries.sets.union(known, transferred);
        }
        if summary == Set::EMPTY {
            return entries.sets.union(known, own);
        }
        let transferred = if attributed == ListId::EMPTY && !entries.acquires(label) {
            entries.sets.union(summary, own)
        } else if let Some(transferred) = self.remembered.get((class, summary)) {
            transferred
        } else {
            let transferred = self.transfer_changed(class, summary, entries);
            self.remembered.put((class, summary), transferred);
            transferred
        };
        self.classes[class.0 as usize].transferred = (summary, transferred);
        entries.sets.union(known, transferred)
    }

    /// Transfers a summary over a transition to which entries are attributed, or that may acquire a mutex.
    fn transfer_changed(&mut self, class: ClassId, summary: Set, entries: &mut Entries) -> Set {
        let Class { label, attributed, own, .. } = self.classes[class.0 as usize];
        let mut in_front = summary;
        for enabled in &self.lists[attributed.0 as usize] {
            in_front = entries.attributed(enabled.actor, enabled.object, label, in_front);
        }
        let in_front = entries.guarded(label, in_front);
        entries.sets.union(in_front, own)
    }

    /// The backtrack points in front of a transition: the actors that conflict with it by the summary behind it, where
    /// these are enabled. The head of the folder says why those that the transition may enable are no conflict.
    pub(in crate::stateful) fn backtrack_points(
        &mut self,
        (class, summary): (ClassId, Set),
        enabled: Enabled<'_>,
        entries: &mut Entries,
        into: &mut LongBits,
    ) {
        let known = self.classes[class.0 as usize].conflicts.as_ref().filter(|conflicts| conflicts.summary == summary);
        let (guard_readers, conflicting) = match known {
            Some(known) => (known.guard_readers, known.conflicting),
            None => self.find_conflicts(class, summary, entries),
        };
        let is_small = !guard_readers.is_large() && !conflicting.is_large();
        if is_small && self.switched.words().is_empty() {
            into.assign_two(conflicting.0);
            return;
        }
        // A switched actor that is off conflicts by its guard only.
        let points = |index: usize, guard_readers: u64, conflicting: u64| {
            let off = self.switched.word(index) & !enabled.word(index);
            conflicting & !off | guard_readers & off
        };
        if is_small {
            let small = |index: usize| points(index, guard_readers.0[index], conflicting.0[index]);
            into.assign_two([small(0), small(1)]);
            return;
        }
        into.clear();
        for (index, word) in entries.sets.words(conflicting) {
            into.unite_word(index, points(index, 0, word));
        }
        for (index, word) in entries.sets.words(guard_readers) {
            into.unite_word(index, points(index, word, 0));
        }
    }

    /// The switched actors that conflict by their guards, and the actors that conflict by a summary.
    fn find_conflicts(&mut self, class: ClassId, summary: Set, entries: &mut Entries) -> (Set, Set) {
        let Class { label, may_enable, ref mut was_asked, ref mut conflicts, .. } = self.classes[class.0 as usize];
        let (found, enabled_later) = (&mut self.scratch, &mut self.enabled_later);
        let (switches, may_enable) = (&self.switches, &self.lists[may_enable.0 as usize]);
        let mut conflicting = |decided: Set, entries: &mut Entries| {
            found.clear();
            enabled_later.clear();
            for entry in entries.sets.members(decided) {
                let Entry { actor, fact, .. } = entries.get(EntryId(entry));
                let Some(object) = fact.object() else { continue };
                found.insert(actor.0);
                if switches.get(actor.index()).copied().flatten().is_some_and(|switch| switch != object) {
                    enabled_later.insert(actor.0);
                }
            }
            if !enabled_later.is_empty() {
                let enables = entries.enables_among(decided);
                for actor in enabled_later.iter() {
                    let enablers = entries.enablers(ActorId(actor), enables);
                    entries.sets.words(enablers).for_each(|(index, word)| found.unite_word(index, word));
                }
            }
            may_enable.iter().for_each(|enabled| found.remove(enabled.actor.0));
            entries.sets.set(found.words())
        };
        let is_new = conflicts.is_none();
        let conflicts = if std::mem::replace(was_asked, true) {
            conflicts.get_or_insert_default()
        } else {
            self.once = Conflicts::default();
            &mut self.once
        };
        if conflicts.known != entries.len() {
            conflicts.decisive = entries.decisive(label, conflicts.known, conflicts.decisive);
            conflicts.known = entries.len();
        }
        if is_new {
            let decided = entries.sets.intersection(conflicts.decisive, self.guard_reads);
            conflicts.guard_readers = conflicting(decided, entries);
        }
        if summary == Set::EMPTY {
            return (conflicts.guard_readers, Set::EMPTY);
        }
        // Many summaries have the same decisive entries.
        conflicts.summary = summary;
        let decided = entries.sets.intersection(conflicts.decisive, summary);
        if decided != conflicts.decided {
            conflicts.decided = decided;
            conflicts.conflicting = conflicting(decided, entries);
        }
        (conflicts.guard_readers, conflicts.conflicting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::{Access, Dependence, Footprint};

    const SWITCH: ObjectId = ObjectId(0);
    const X: ObjectId = ObjectId(1);
    const Y: ObjectId = ObjectId(2);
    const MUTEX: ObjectId = ObjectId(3);
    const HANDLER: ObjectId = ObjectId(4);

    struct Bench {
        entries: Entries,
        classes: Classes,
    }

    impl Bench {
        fn label(&mut self, actor: u32, touches: &[(ObjectId, Access)]) -> LabelId {
            self.holding(actor, touches, &[])
        }

        /// The label of a step of an actor that holds some objects; a step that writes the mutex acquires it.
        fn holding(&mut self, actor: u32, touches: &[(ObjectId, Access)], held: &[ObjectId]) -> LabelId {
            let (mut footprint, mut set) = (Footprint::default(), LongBits::default());
            touches.iter().for_each(|&(object, access)| footprint.touch(object, access));
            set.extend(held.iter().map(|object| object.0));
            let held = self.entries.sets.set(set.words());
            let acquires = touches.contains(&(MUTEX, Access::WRITE)).then_some(MUTEX);
            self.entries.label(ActorId(actor), &footprint, held, || acquires)
        }

        fn find(&mut self, label: LabelId, before: u64, after: u64) -> ClassId {
            self.classes
                .find(&mut self.entries, label, [before, after].map(Enabled::of), |_| Some(Awaited::Made(SWITCH)))
        }

        fn backtrack_points(&mut self, class: ClassId, summary: Set, enabled: u64) -> u64 {
            let mut points = LongBits::default();
            self.classes.backtrack_points((class, summary), Enabled::of(enabled), &mut self.entries, &mut points);
            points.word(0)
        }

        /// The actors that conflict with a step that enables none, if these entries are behind it.
        fn conflicts(&mut self, label: LabelId, summary: Set) -> u64 {
            let class = self.classes.number(&mut self.entries, label, ListId::EMPTY);
            self.backtrack_points(class, summary, u64::MAX)
        }
    }

    #[test]
    fn a_guarded_entry_is_no_conflict_with_the_holder_of_the_mutex() {
        let mut bench = Bench { entries: Entries::new(Dependence::default()), classes: Classes::new() };
        let write = [(X, Access::WRITE)];
        let acquires = bench.label(1, &[(MUTEX, Access::WRITE)]);
        let guarded = bench.holding(1, &write, &[MUTEX]);
        let behind = bench.entries.own(guarded);
        let acquires = bench.classes.number(&mut bench.entries, acquires, ListId::EMPTY);
        let in_front = bench.classes.transfer(acquires, behind, Set::EMPTY, &mut bench.entries);
        let of_holder = bench.holding(0, &write, &[MUTEX]);
        let of_another = bench.label(0, &write);
        assert_eq!((bench.conflicts(of_holder, in_front), bench.conflicts(of_another, in_front)), (0, 0b10));
        assert_eq!(bench.conflicts(of_holder, behind), 0b10, "the actor that acquired it may come first");
        let lock = bench.label(0, &[(MUTEX, Access::WRITE)]);
        assert_eq!(bench.conflicts(lock, in_front), 0b10, "either may acquire it first");
    }

    #[test]
    fn a_write_subsumes_a_read_of_the_same_actor() {
        let dependence = Dependence { rewrites: false, ..Dependence::default() };
        let mut bench = Bench { entries: Entries::new(dependence), classes: Classes::new() };
        let touching = |bench: &mut Bench, actor, access| {
            let label = bench.label(actor, &[(X, access)]);
            bench.entries.own(label)
        };
        let writes = touching(&mut bench, 1, Access::WRITE);
        let [reads, stores] = [Access::READ, Access::REWRITE].map(|access| touching(&mut bench, 1, access));
        let of_another = touching(&mut bench, 2, Access::READ);
        let with = |bench: &mut Bench, more| bench.entries.sets.union(writes, more);
        for (more, is_subsumed) in [(reads, true), (stores, true), (of_another, false)] {
            let all = with(&mut bench, more);
            assert_eq!(bench.entries.subsumes(writes, all), is_subsumed);
        }
        let all = with(&mut bench, reads);
        assert!(!bench.entries.subsumes(reads, all), "a read does not subsume a write");
    }

    #[test]
    fn an_entry_without_a_guard_subsumes_one_with_a_guard() {
        let mut bench = Bench { entries: Entries::new(Dependence::default()), classes: Classes::new() };
        let acquires = bench.label(1, &[(MUTEX, Access::WRITE)]);
        let guarded = bench.holding(1, &[(X, Access::WRITE)], &[MUTEX]);
        let free = bench.entries.own(guarded);
        let acquires = bench.classes.number(&mut bench.entries, acquires, ListId::EMPTY);
        let guarded = bench.classes.transfer(acquires, free, Set::EMPTY, &mut bench.entries);
        let lock = bench.classes.transfer(acquires, Set::EMPTY, Set::EMPTY, &mut bench.entries);
        let both = bench.entries.sets.union(free, guarded);
        let free_and_lock = bench.entries.sets.union(free, lock);
        assert!(bench.entries.subsumes(free_and_lock, both) && !bench.entries.subsumes(guarded, both));
    }

    #[test]
    fn an_acquire_subsumes_a_read_only_where_nothing_is_released() {
        let mut bench = Bench { entries: Entries::new(Dependence::default()), classes: Classes::new() };
        let own = |bench: &mut Bench, object, access| {
            let label = bench.label(1, &[(object, access)]);
            bench.entries.own(label)
        };
        // A read of x may have been left out when it becomes known that x is released.
        let [acquires, reads] = [Access::WRITE, Access::READ].map(|access| own(&mut bench, X, access));
        let both = bench.entries.sets.union(acquires, reads);
        assert!(bench.entries.subsumes(acquires, both));
        let releases = bench.label(3, &[(X, Access::RELEASE)]);
        assert_eq!(bench.conflicts(releases, acquires), 0b10);
        // A read of y is not: that y is released is known by then.
        let releases = bench.label(3, &[(Y, Access::RELEASE)]);
        let [acquires, reads] = [Access::WRITE, Access::READ].map(|access| own(&mut bench, Y, access));
        let both = bench.entries.sets.union(acquires, reads);
        assert!(!bench.entries.subsumes(acquires, both));
        assert_eq!((bench.conflicts(releases, acquires), bench.conflicts(releases, both)), (0, 0b10));
    }

    #[test]
    fn what_a_message_does_is_no_conflict_with_the_message_that_runs_on_its_handler() {
        let mut bench = Bench { entries: Entries::new(Dependence::default()), classes: Classes::new() };
        [1, 2].iter().for_each(|&message| bench.entries.note_handler(ActorId(message), HANDLER));
        let (begin, write) = ((HANDLER, Access::WRITE), (X, Access::WRITE));
        let other = bench.label(2, &[begin, write]);
        let of_other = bench.entries.own(other);
        let runs = bench.holding(1, &[write], &[HANDLER]);
        let begins = bench.label(1, &[begin, write]);
        assert_eq!((bench.conflicts(runs, of_other), bench.conflicts(begins, of_other)), (0, 0b100));
        // Actor 0 posts it: then these are its entries, and still nothing of that happens while the other one runs.
        bench.classes.note_waiter(ActorId(2), SWITCH);
        let posts = bench.label(0, &[(SWITCH, Access::WRITE)]);
        let posts = bench.find(posts, 0b001, 0b101);
        let in_front = bench.classes.transfer(posts, of_other, Set::EMPTY, &mut bench.entries);
        let of_thread = bench.label(3, &[write]);
        assert_eq!((bench.conflicts(runs, in_front), bench.conflicts(begins, in_front)), (0, 0b001));
        assert_eq!(bench.conflicts(of_thread, in_front), 0b001);
    }

    #[test]
    fn an_enabled_actor_is_no_conflict_and_its_entries_are_attributed_to_the_transition() {
        let mut bench = Bench { entries: Entries::new(Dependence::default()), classes: Classes::new() };
        // Actor 1 awaits the switch and then writes y; actor 0 turns the switch on, actor 2 writes x and y.
        let read = bench.label(1, &[(SWITCH, Access::READ)]);
        let read = bench.entries.own(read);
        bench.classes.note_switched(ActorId(1), SWITCH, read, &mut bench.entries);
        let turns_on = bench.label(0, &[(SWITCH, Access::WRITE), (X, Access::READ)]);
        let goes = bench.label(1, &[(SWITCH, Access::WRITE), (Y, Access::WRITE)]);
        let other = bench.label(2, &[(X, Access::WRITE), (Y, Access::WRITE)]);
        let [entries_of_1, entries_of_2] = [goes, other].map(|label| bench.entries.own(label));
        let below = bench.entries.sets.union(entries_of_1, entries_of_2);

        let enables_1 = bench.find(turns_on, 0b101, 0b111);
        assert_eq!(bench.find(turns_on, 0b101, 0b111), enables_1);
        assert_eq!(bench.backtrack_points(enables_1, below, 0b111), 0b100);
        let in_front = bench.classes.transfer(enables_1, below, Set::EMPTY, &mut bench.entries);
        let own = bench.classes.transfer(enables_1, Set::EMPTY, Set::EMPTY, &mut bench.entries);
        let enables = bench.entries.entry(ActorId(0), Fact::Enables(ActorId(1)));
        assert!(bench.entries.sets.contains(&own, enables.0));
        assert_eq!(in_front, bench.entries.sets.union(below, own));

        // Where actor 1 cannot move, only the read of its switch counts, and actor 0 counts as if it had its entries.
        let writes_y = bench.label(2, &[(Y, Access::WRITE)]);
        let class = bench.find(writes_y, 0b101, 0b101);
        assert_eq!(
            (bench.backtrack_points(class, in_front, 0b101), bench.backtrack_points(class, in_front, 0b111)),
            (0b001, 0b011)
        );
        assert_eq!(
            (bench.backtrack_points(class, below, 0b101), bench.backtrack_points(class, below, 0b111)),
            (0, 0b010)
        );
        let turns_off = bench.label(2, &[(SWITCH, Access::WRITE)]);
        let class = bench.find(turns_off, 0b111, 0b101);
        assert_eq!(bench.backtrack_points(class, Set::EMPTY, 0b101), 0b010);
        // It was off before, and is off after: actor 1 awaits the switch all the same.
        let class = bench.find(turns_off, 0b101, 0b101);
        assert_eq!(bench.backtrack_points(class, Set::EMPTY, 0b101), 0);
        assert_eq!(bench.classes.transfer(class, entries_of_1, Set::EMPTY, &mut bench.entries), {
            let own = bench.entries.own(turns_off);
            bench.entries.sets.union(entries_of_1, own)
        });
    }
}
