//! Kinds of transitions: those of one kind have the same label and wake the same actors.
//!
//! A transition *wakes* somebody who could not move in front of it and waited for an object that it changes; it *lets go*
//! whoever can then move. What becomes of a summary in front of a transition depends on its kind.
//!
//! # Those who are steady
//!
//! Somebody is *steady* who, whenever it cannot move, waits for one object to be made and looks at nothing else: an event
//! with a switch, or with a guard over one variable. In front of a transition that lets it go none of its claims should be
//! left: either the transition makes them, or they are settled. But then hardly two states would have the same summary,
//! and where everybody wakes somebody, each actor would sooner or later claim what all of them touch. So its claims are left
//! in summaries, and do not count where it cannot move, but for its look at the object, which it claims wherever it waits.
//! The transition claims that it wakes the actor, and whoever wakes an actor, or wakes others who do, counts as one who
//! makes its claims, but for those on the object that the actor waits for. All states of a cycle then have the same summary.
//!
//! Nothing is lost by that. Let b be steady, let t lead from s to u, and look at what counts of b's claims at u. If b can
//! move at s, it counts at s, too. If b can move neither at s nor at u, only its look counts at u, and that counts at s.
//! If b can move at u only, t lets it go, and from s on claims to wake it. So what counts anywhere is at least what would
//! be there if claims were taken out.

use super::nodes::Enabled;
use super::rows::{Rows, contains, insert, join, members, remove, word};
use super::sets::{Memo, Set};
use super::summary::{Claim, ClaimId, Claims, Deed, LabelId};
use hashbrown::HashMap;
use mazurka_core::{ActorId, Awaited, ObjectId};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// A kind by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct KindId(u32);

/// Somebody who is woken, and what was waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Woken {
    actor: ActorId,
    object: ObjectId,
    /// Whether there was nothing for the actor to do before; see [`Awaited`].
    made: bool,
    /// Whether it is let go. Not asked of those who are not steady.
    goes: bool,
}

type List = SmallVec<[Woken; 2]>;

/// A list of those who are woken, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ListId(u32);

impl ListId {
    const NOBODY: ListId = ListId(0);
}

/// A kind. Some labels belong to one transition only, so there may be many, and what is mostly looked at is kept small.
struct Kind {
    label: LabelId,
    woken: ListId,
    /// Whose claims become the transition's: of those who are not steady.
    renamed: ListId,
    /// What the transition itself claims, that it wakes those who are steady included.
    own: Set,
    /// The summary that was last seen behind such a transition, and what became of it in front.
    crossed: (Set, Set),
    /// Who conflicts, kept once that was asked for twice.
    was_asked: bool,
    conflicts: Option<Box<Conflicts>>,
}

/// Who conflicts with transitions of a kind, but for those whom they wake.
#[derive(Default)]
struct Conflicts {
    /// Of those who are steady, who looks at what the transition changes.
    lookers: Set,
    /// Of so many claims those that decide who conflicts.
    known: usize,
    decisive: Vec<u64>,
    /// The summary that was last seen behind such a transition, those of its claims that decide, and who claims what
    /// conflicts there.
    summary: Set,
    decided: Vec<u64>,
    claimants: Set,
}

impl Conflicts {
    /// As if nothing was known.
    fn clear(&mut self) {
        self.decisive.clear();
        self.decided.clear();
        (self.known, self.summary, self.claimants) = (0, Set::EMPTY, Set::EMPTY);
    }
}

/// What is known of the transitions with one label.
#[derive(Default)]
struct OfLabel {
    /// Those who were ever seen to wait for an object that these transitions change, when so many had been seen; and who of
    /// them could not move in front of the last one, and who of these could behind it. A word of each set after the other.
    sleepers: SmallVec<[[u64; 3]; 1]>,
    seen: u32,
    /// The kind of the last one, if that depends on nothing else.
    recent: Option<KindId>,
    /// The kind that was met first, and whom its transitions wake. Many labels have no other.
    first: Option<(ListId, KindId)>,
}

/// The kinds that were met.
pub(super) struct Kinds {
    /// For each object those who were ever seen to wait for it, and how many they are in all. Whoever is missing here is
    /// not found, and then what it claims is taken to conflict more often than it does: less is saved, and nothing is
    /// lost. Of those who always wait for the same step none may be missing.
    sleepers: Rows,
    seen: u32,
    /// Those who are steady, and what they look at while they wait. They are known from the start.
    steady: Vec<u64>,
    looks: Set,
    /// For each of them the object that it waits for.
    awaited: Vec<Option<ObjectId>>,
    lists: Vec<List>,
    list_numbers: HashMap<List, ListId, FxBuildHasher>,
    kinds: Vec<Kind>,
    /// The kinds that were not met first of those with their labels.
    numbers: HashMap<(LabelId, ListId), KindId, FxBuildHasher>,
    labels: Vec<OfLabel>,
    /// What becomes of summaries in front of transitions that make the claims of others, or may take a mutex.
    changed: Memo<(KindId, Set), Set>,
    /// Who conflicts with transitions of the kind of which that was last asked for the first time.
    once: Conflicts,
    /// Scratch: sets of claims or actors, and those who are steady and may have to be woken before they conflict.
    scratch: Vec<u64>,
    woken_later: Vec<u64>,
}

impl Kinds {
    pub(super) fn new() -> Self {
        Kinds {
            sleepers: Rows::default(),
            seen: 0,
            steady: Vec::new(),
            looks: Set::EMPTY,
            awaited: Vec::new(),
            lists: vec![List::new()],
            list_numbers: HashMap::from_iter([(List::new(), ListId::NOBODY)]),
            kinds: Vec::new(),
            numbers: HashMap::default(),
            labels: Vec::new(),
            changed: Memo::new(),
            once: Conflicts::default(),
            scratch: Vec::new(),
            woken_later: Vec::new(),
        }
    }

    /// Somebody may wait for an object.
    pub(super) fn note(&mut self, actor: ActorId, object: ObjectId) {
        while self.sleepers.len() <= object.0 as usize {
            self.sleepers.push();
        }
        if !contains(self.sleepers.row(object.0 as usize), actor.0) {
            self.sleepers.insert(object.0 as usize, actor.0);
            self.seen += 1;
        }
    }

    /// Somebody is steady, waits for this object, and claims this while it waits.
    pub(super) fn note_steady(&mut self, actor: ActorId, object: ObjectId, look: Set, claims: &mut Claims) {
        self.note(actor, object);
        insert(&mut self.steady, actor.0);
        self.awaited.resize(self.awaited.len().max(actor.index() + 1), None);
        self.awaited[actor.index()] = Some(object);
        self.looks = claims.sets.union(self.looks, look);
    }

    /// The label of a transition of some kind.
    pub(super) fn label(&self, kind: KindId) -> LabelId {
        self.kinds[kind.0 as usize].label
    }

    /// The kind of a transition. The first set has those who can move in front of it, the second those behind it; `awaits`
    /// tells what an actor waits for in front of it.
    pub(super) fn find(
        &mut self,
        claims: &mut Claims,
        label: LabelId,
        [before, after]: [Enabled<'_>; 2],
        awaits: impl Fn(ActorId) -> Option<Awaited>,
    ) -> KindId {
        self.meet(claims, label);
        let of_label = &mut self.labels[label.index()];
        let (mut unsteady, mut is_other) = (0, 0);
        for (index, [sleepers, last, went]) in of_label.sleepers.iter_mut().enumerate() {
            let asleep = *sleepers & !before.word(index);
            let goes = asleep & after.word(index);
            unsteady |= asleep & !word(&self.steady, index);
            is_other |= asleep ^ *last | goes ^ *went;
            (*last, *went) = (asleep, goes);
        }
        if is_other == 0
            && let Some(recent) = of_label.recent
        {
            return recent;
        }
        let mut woken = List::new();
        for actor in members(of_label.sleepers.iter().map(|&[_, asleep, _]| asleep)).map(ActorId) {
            // Of those who are steady it is known.
            let steady = self.awaited.get(actor.index()).copied().flatten();
            let Some(awaited) = steady.map(Awaited::Made).or_else(|| awaits(actor)) else { continue };
            if claims.changes(label).any(|object| object == awaited.object()) {
                let made = matches!(awaited, Awaited::Made(_));
                let goes = steady.is_none() || after.contains(actor);
                woken.push(Woken { actor, object: awaited.object(), made, goes });
            }
        }
        let woken = self.list(woken);
        let kind = self.number(claims, label, woken);
        self.labels[label.index()].recent = (unsteady == 0).then_some(kind);
        kind
    }

    /// A word of the set of those who were ever seen to wait for an object that transitions with a label change. The label
    /// was met.
    #[inline]
    pub(super) fn sleepers(&self, label: LabelId, index: usize) -> u64 {
        self.labels[label.index()].sleepers.get(index).map_or(0, |&[sleepers, ..]| sleepers)
    }

    /// Finds out, if that is not known, who was ever seen to wait for an object that transitions with a label change.
    #[inline]
    pub(super) fn meet(&mut self, claims: &Claims, label: LabelId) {
        if self.of_label(label).seen != self.seen {
            self.find_sleepers(claims, label);
        }
    }

    fn of_label(&mut self, label: LabelId) -> &mut OfLabel {
        if self.labels.len() <= label.index() {
            self.labels.resize_with(label.index() + 1, OfLabel::default);
        }
        &mut self.labels[label.index()]
    }

    fn find_sleepers(&mut self, claims: &Claims, label: LabelId) {
        let all = &mut self.scratch;
        all.clear();
        for object in claims.changes(label).filter(|object| (object.0 as usize) < self.sleepers.len()) {
            join(all, self.sleepers.row(object.0 as usize));
        }
        let of_label = &mut self.labels[label.index()];
        of_label.sleepers.clear();
        of_label.sleepers.extend(all.iter().map(|&sleepers| [sleepers, 0, 0]));
        (of_label.seen, of_label.recent) = (self.seen, None);
    }

    fn list(&mut self, woken: List) -> ListId {
        if woken.is_empty() {
            return ListId::NOBODY;
        }
        let lists = &mut self.lists;
        *self.list_numbers.entry(woken).or_insert_with_key(|woken| {
            lists.push(woken.clone());
            ListId(lists.len() as u32 - 1)
        })
    }

    fn number(&mut self, claims: &mut Claims, label: LabelId, woken: ListId) -> KindId {
        let first = self.of_label(label).first;
        let known = match first {
            Some((list, kind)) if list == woken => Some(kind),
            Some(_) => self.numbers.get(&(label, woken)).copied(),
            None => None,
        };
        if let Some(known) = known {
            return known;
        }
        let made = self.lists[woken.0 as usize].iter().copied().filter(|woken| woken.made && woken.goes);
        let (steady, others): (List, List) = made.partition(|woken| contains(&self.steady, woken.actor.0));
        let renamed = self.list(others);
        let (actor, wakes) = (claims.actor(label), &mut self.scratch);
        wakes.clear();
        steady.iter().for_each(|woken| insert(wakes, claims.claim(actor, Deed::Wakes(woken.actor)).0));
        let wakes = claims.sets.set(wakes);
        let own = claims.own(label);
        let own = claims.sets.union(own, wakes);
        let id = KindId(self.kinds.len() as u32);
        let crossed = (Set::EMPTY, own);
        self.kinds.push(Kind { label, woken, renamed, own, crossed, was_asked: false, conflicts: None });
        match first {
            Some(_) => _ = self.numbers.insert((label, woken), id),
            None => self.labels[label.index()].first = Some((woken, id)),
        }
        id
    }

    /// What a transition makes of the summary of the state that it leads to, with its own claims, and with those that are known
    /// in front of it.
    #[inline]
    pub(super) fn cross(&mut self, kind: KindId, summary: Set, known: Set, claims: &mut Claims) -> Set {
        let Kind { label, renamed, own, crossed: (last, crossed), .. } = self.kinds[kind.0 as usize];
        if last == summary {
            return claims.sets.union(known, crossed);
        }
        if summary == Set::EMPTY {
            return claims.sets.union(known, own);
        }
        let crossed = if renamed == ListId::NOBODY && !claims.takes(label) {
            if summary.is_large() && !claims.sets.includes(summary, own) {
                return claims.sets.union_of_three(known, summary, own);
            }
            claims.sets.union(summary, own)
        } else if let Some(crossed) = self.changed.get((kind, summary)) {
            crossed
        } else {
            let crossed = self.change(kind, summary, claims);
            self.changed.put((kind, summary), crossed);
            crossed
        };
        self.kinds[kind.0 as usize].crossed = (summary, crossed);
        claims.sets.union(known, crossed)
    }

    /// What becomes of a summary in front of a transition that makes the claims of others, or may take a mutex.
    fn change(&mut self, kind: KindId, summary: Set, claims: &mut Claims) -> Set {
        let Kind { label, renamed, own, .. } = self.kinds[kind.0 as usize];
        let in_front = &mut self.scratch;
        in_front.clear();
        in_front.extend_from_slice(claims.sets.words(&summary));
        // Where there was nothing to do before for those who are let go, the transition makes their claims.
        for woken in &self.lists[renamed.0 as usize] {
            claims.rename(woken.actor, woken.object, label, in_front);
        }
        claims.note_taking(label, in_front);
        join(in_front, claims.sets.words(&own));
        claims.sets.set(in_front)
    }

    /// Who is to be tried in front of a transition because of the summary behind it, where these can move. The head of
    /// `stateful.rs` says why those whom the transition wakes are no conflict.
    pub(super) fn wanted(
        &mut self,
        (kind, summary): (KindId, Set),
        enabled: Enabled<'_>,
        claims: &mut Claims,
        into: &mut Vec<u64>,
    ) {
        let known = self.kinds[kind.0 as usize].conflicts.as_ref().filter(|conflicts| conflicts.summary == summary);
        let (lookers, claimants) = match known {
            Some(known) => (known.lookers, known.claimants),
            None => self.find_conflicts(kind, summary, claims),
        };
        let wanted = |index: usize, lookers: u64, claimants: u64| {
            let asleep = word(&self.steady, index) & !enabled.word(index);
            claimants & !asleep | lookers & asleep
        };
        into.clear();
        if !lookers.is_large() && !claimants.is_large() {
            let small = |index: usize| wanted(index, lookers.0[index], claimants.0[index]);
            into.extend_from_slice(&[small(0), small(1)]);
            return;
        }
        let (lookers, claimants) = (claims.sets.words(&lookers), claims.sets.words(&claimants));
        let words = 0..claimants.len().max(lookers.len());
        into.extend(words.map(|index| wanted(index, word(lookers, index), word(claimants, index))));
    }

    fn find_conflicts(&mut self, kind: KindId, summary: Set, claims: &mut Claims) -> (Set, Set) {
        let Kind { label, woken, ref mut was_asked, ref mut conflicts, .. } = self.kinds[kind.0 as usize];
        let (found, woken_later) = (&mut self.scratch, &mut self.woken_later);
        let (awaited, woken) = (&self.awaited, &self.lists[woken.0 as usize]);
        let mut who_conflicts = |decided: &[u64], claims: &mut Claims| {
            found.clear();
            woken_later.clear();
            for claim in members(decided.iter().copied()) {
                let Claim { actor, deed, .. } = claims.get(ClaimId(claim));
                let Some(object) = deed.object() else { continue };
                insert(found, actor.0);
                if awaited.get(actor.index()).copied().flatten().is_some_and(|awaited| awaited != object) {
                    insert(woken_later, actor.0);
                }
            }
            if !woken_later.is_empty() {
                let wakes = claims.wakes_among(decided);
                for actor in members(woken_later.iter().copied()) {
                    let wakers = claims.wakers(ActorId(actor), wakes);
                    join(found, claims.sets.words(&wakers));
                }
            }
            woken.iter().for_each(|woken| remove(found, woken.actor.0));
            claims.sets.set(found)
        };
        let is_new = conflicts.is_none();
        let conflicts = if std::mem::replace(was_asked, true) {
            conflicts.get_or_insert_default()
        } else {
            self.once.clear();
            &mut self.once
        };
        if conflicts.known != claims.len() {
            claims.add_decisive(label, conflicts.known, &mut conflicts.decisive);
            conflicts.known = claims.len();
        }
        if is_new {
            let decided: SmallVec<[u64; 8]> = both(&conflicts.decisive, claims.sets.words(&self.looks)).collect();
            conflicts.lookers = who_conflicts(&decided, claims);
        }
        if summary == Set::EMPTY {
            return (conflicts.lookers, Set::EMPTY);
        }
        // Many summaries differ in nothing that matters here.
        conflicts.summary = summary;
        let Conflicts { decisive, decided, .. } = &mut *conflicts;
        let words = claims.sets.words(&summary);
        if !both(decisive, words).enumerate().all(|(index, now)| now == word(decided, index)) {
            decided.clear();
            decided.extend(both(decisive, words));
            conflicts.claimants = who_conflicts(&conflicts.decided, claims);
        }
        (conflicts.lookers, conflicts.claimants)
    }
}

/// The words of those who are in two sets, as many as the first set has.
fn both<'w>(one: &'w [u64], other: &'w [u64]) -> impl Iterator<Item = u64> + 'w {
    one.iter().enumerate().map(|(index, mine)| mine & word(other, index))
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
        claims: Claims,
        kinds: Kinds,
    }

    impl Bench {
        fn label(&mut self, actor: u32, touches: &[(ObjectId, Access)]) -> LabelId {
            self.holding(actor, touches, &[])
        }

        /// The label of a step of somebody who holds some objects; a step that writes the mutex takes it.
        fn holding(&mut self, actor: u32, touches: &[(ObjectId, Access)], held: &[ObjectId]) -> LabelId {
            let (mut footprint, mut words) = (Footprint::default(), Vec::new());
            touches.iter().for_each(|&(object, access)| footprint.touch(object, access));
            held.iter().for_each(|object| insert(&mut words, object.0));
            let held = self.claims.sets.set(&words);
            let takes = touches.contains(&(MUTEX, Access::WRITE)).then_some(MUTEX);
            self.claims.label(ActorId(actor), &footprint, held, || takes)
        }

        fn find(&mut self, label: LabelId, before: u64, after: u64) -> KindId {
            self.kinds.find(&mut self.claims, label, [before, after].map(Enabled::of), |_| Some(Awaited::Made(SWITCH)))
        }

        fn wanted(&mut self, kind: KindId, summary: Set, enabled: u64) -> u64 {
            let mut wanted = Vec::new();
            self.kinds.wanted((kind, summary), Enabled::of(enabled), &mut self.claims, &mut wanted);
            wanted.first().copied().unwrap_or(0)
        }

        /// Who conflicts with a step that wakes nobody, if these claims are made behind it.
        fn conflicts(&mut self, label: LabelId, summary: Set) -> u64 {
            let kind = self.kinds.number(&mut self.claims, label, ListId::NOBODY);
            self.wanted(kind, summary, u64::MAX)
        }
    }

    #[test]
    fn what_needs_a_mutex_is_no_conflict_with_who_holds_it() {
        let mut bench = Bench { claims: Claims::new(Dependence::default()), kinds: Kinds::new() };
        let write = [(X, Access::WRITE)];
        let takes = bench.label(1, &[(MUTEX, Access::WRITE)]);
        let guarded = bench.holding(1, &write, &[MUTEX]);
        let behind = bench.claims.own(guarded);
        let takes = bench.kinds.number(&mut bench.claims, takes, ListId::NOBODY);
        let in_front = bench.kinds.cross(takes, behind, Set::EMPTY, &mut bench.claims);
        let of_holder = bench.holding(0, &write, &[MUTEX]);
        let of_another = bench.label(0, &write);
        assert_eq!((bench.conflicts(of_holder, in_front), bench.conflicts(of_another, in_front)), (0, 0b10));
        assert_eq!(bench.conflicts(of_holder, behind), 0b10, "who has taken it may come first");
        let lock = bench.label(0, &[(MUTEX, Access::WRITE)]);
        assert_eq!(bench.conflicts(lock, in_front), 0b10, "either may take it first");
    }

    #[test]
    fn a_change_stands_for_a_look_of_the_same_actor() {
        let dependence = Dependence { rewrites: false, ..Dependence::default() };
        let mut bench = Bench { claims: Claims::new(dependence), kinds: Kinds::new() };
        let touching = |bench: &mut Bench, actor, access| {
            let label = bench.label(actor, &[(X, access)]);
            bench.claims.own(label)
        };
        let changes = touching(&mut bench, 1, Access::WRITE);
        let [looks, stores] = [Access::READ, Access::REWRITE].map(|access| touching(&mut bench, 1, access));
        let of_another = touching(&mut bench, 2, Access::READ);
        let with = |bench: &mut Bench, more| bench.claims.sets.union(changes, more);
        for (more, is_covered) in [(looks, true), (stores, true), (of_another, false)] {
            let all = with(&mut bench, more);
            assert_eq!(bench.claims.stand_for(changes, all), is_covered);
        }
        let all = with(&mut bench, looks);
        assert!(!bench.claims.stand_for(looks, all), "a look does not stand for a change");
    }

    #[test]
    fn what_needs_nothing_stands_for_what_needs_a_mutex() {
        let mut bench = Bench { claims: Claims::new(Dependence::default()), kinds: Kinds::new() };
        let takes = bench.label(1, &[(MUTEX, Access::WRITE)]);
        let guarded = bench.holding(1, &[(X, Access::WRITE)], &[MUTEX]);
        let free = bench.claims.own(guarded);
        let takes = bench.kinds.number(&mut bench.claims, takes, ListId::NOBODY);
        let needy = bench.kinds.cross(takes, free, Set::EMPTY, &mut bench.claims);
        let lock = bench.kinds.cross(takes, Set::EMPTY, Set::EMPTY, &mut bench.claims);
        let both = bench.claims.sets.union(free, needy);
        let free_and_lock = bench.claims.sets.union(free, lock);
        assert!(bench.claims.stand_for(free_and_lock, both) && !bench.claims.stand_for(needy, both));
    }

    #[test]
    fn to_take_stands_for_a_look_only_where_nothing_is_given_back() {
        let mut bench = Bench { claims: Claims::new(Dependence::default()), kinds: Kinds::new() };
        let own = |bench: &mut Bench, object, access| {
            let label = bench.label(1, &[(object, access)]);
            bench.claims.own(label)
        };
        // A look at x may have been left out when it becomes known that x is given back.
        let [takes, looks] = [Access::WRITE, Access::READ].map(|access| own(&mut bench, X, access));
        let both = bench.claims.sets.union(takes, looks);
        assert!(bench.claims.stand_for(takes, both));
        let gives_back = bench.label(3, &[(X, Access::RELEASE)]);
        assert_eq!(bench.conflicts(gives_back, takes), 0b10);
        // A look at y is not: that y is given back is known by then.
        let gives_back = bench.label(3, &[(Y, Access::RELEASE)]);
        let [takes, looks] = [Access::WRITE, Access::READ].map(|access| own(&mut bench, Y, access));
        let both = bench.claims.sets.union(takes, looks);
        assert!(!bench.claims.stand_for(takes, both));
        assert_eq!((bench.conflicts(gives_back, takes), bench.conflicts(gives_back, both)), (0, 0b10));
    }

    #[test]
    fn what_a_message_does_is_no_conflict_with_who_runs_on_its_handler() {
        let mut bench = Bench { claims: Claims::new(Dependence::default()), kinds: Kinds::new() };
        [1, 2].iter().for_each(|&message| bench.claims.note_handler(ActorId(message), HANDLER));
        let (begin, write) = ((HANDLER, Access::WRITE), (X, Access::WRITE));
        let other = bench.label(2, &[begin, write]);
        let of_other = bench.claims.own(other);
        let runs = bench.holding(1, &[write], &[HANDLER]);
        let begins = bench.label(1, &[begin, write]);
        assert_eq!((bench.conflicts(runs, of_other), bench.conflicts(begins, of_other)), (0, 0b100));
        // Actor 0 posts it: then these are its claims, and still nobody does that while the other one runs.
        bench.kinds.note(ActorId(2), SWITCH);
        let posts = bench.label(0, &[(SWITCH, Access::WRITE)]);
        let posts = bench.find(posts, 0b001, 0b101);
        let in_front = bench.kinds.cross(posts, of_other, Set::EMPTY, &mut bench.claims);
        let of_thread = bench.label(3, &[write]);
        assert_eq!((bench.conflicts(runs, in_front), bench.conflicts(begins, in_front)), (0, 0b001));
        assert_eq!(bench.conflicts(of_thread, in_front), 0b001);
    }

    #[test]
    fn whoever_is_let_go_is_no_conflict_and_its_claims_count_as_the_transition_s() {
        let mut bench = Bench { claims: Claims::new(Dependence::default()), kinds: Kinds::new() };
        // Actor 1 waits for the switch and then writes y; actor 0 turns the switch on, actor 2 writes x and y.
        let look = bench.label(1, &[(SWITCH, Access::READ)]);
        let look = bench.claims.own(look);
        bench.kinds.note_steady(ActorId(1), SWITCH, look, &mut bench.claims);
        let turns_on = bench.label(0, &[(SWITCH, Access::WRITE), (X, Access::READ)]);
        let goes = bench.label(1, &[(SWITCH, Access::WRITE), (Y, Access::WRITE)]);
        let other = bench.label(2, &[(X, Access::WRITE), (Y, Access::WRITE)]);
        let [claims_of_1, claims_of_2] = [goes, other].map(|label| bench.claims.own(label));
        let below = bench.claims.sets.union(claims_of_1, claims_of_2);

        let lets_go = bench.find(turns_on, 0b101, 0b111);
        assert_eq!(bench.find(turns_on, 0b101, 0b111), lets_go);
        assert_eq!(bench.wanted(lets_go, below, 0b111), 0b100);
        let in_front = bench.kinds.cross(lets_go, below, Set::EMPTY, &mut bench.claims);
        let own = bench.kinds.cross(lets_go, Set::EMPTY, Set::EMPTY, &mut bench.claims);
        let wakes = bench.claims.claim(ActorId(0), Deed::Wakes(ActorId(1)));
        assert!(contains(bench.claims.sets.words(&own), wakes.0));
        assert_eq!(in_front, bench.claims.sets.union(below, own));

        // Where actor 1 cannot move, only what it looks at counts, and actor 0 makes its claims.
        let writes_y = bench.label(2, &[(Y, Access::WRITE)]);
        let kind = bench.find(writes_y, 0b101, 0b101);
        assert_eq!((bench.wanted(kind, in_front, 0b101), bench.wanted(kind, in_front, 0b111)), (0b001, 0b011));
        assert_eq!((bench.wanted(kind, below, 0b101), bench.wanted(kind, below, 0b111)), (0, 0b010));
        let turns_off = bench.label(2, &[(SWITCH, Access::WRITE)]);
        let kind = bench.find(turns_off, 0b111, 0b101);
        assert_eq!(bench.wanted(kind, Set::EMPTY, 0b101), 0b010);
        // It was off before, and is off after: actor 1 waits for the switch all the same.
        let kind = bench.find(turns_off, 0b101, 0b101);
        assert_eq!(bench.wanted(kind, Set::EMPTY, 0b101), 0);
        assert_eq!(bench.kinds.cross(kind, claims_of_1, Set::EMPTY, &mut bench.claims), {
            let own = bench.claims.own(turns_off);
            bench.claims.sets.union(claims_of_1, own)
        });
    }
}
