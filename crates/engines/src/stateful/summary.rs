//! Summaries: what can still come into conflict below a state (appendix D of the paper).
//!
//! A *claim* says: below this state `actor` touches this object, or wakes that actor. Claims travel backwards along
//! transitions. There is one claim for each object of a footprint, so that there are about as many as actors times what
//! each of them touches, and a set of claims is a set of bits.
//!
//! A transition is labelled with its actor and with what it touches, that is, with the claims that it makes. A set of bits
//! says which claims conflict with those: a whole set of claims passes a transition in a few operations; see `kinds`.
//!
//! # What has to be taken first
//!
//! A claim *needs* a mutex if that is taken on the way to what it claims: by its actor or, where the actor only lets others
//! go who do the rest, by one of these. Such a claim is no conflict with a step t whose actor b holds the mutex in front
//! of it.
//!
//! Nothing is lost by that. Let a way from the state in front of t, on which b does not move, be the shortest one to a step
//! that conflicts with t, and let a take that step. The others on the way have nothing to do with t, so behind t the way
//! is possible, too, up to a's last step. What is explored behind t goes it in some order, with more steps in between, but
//! a's steps before the last one, and those of whoever lets a go, are the same ones there. None of them takes the mutex,
//! since b holds it all the way. So the claim that is made there does not need it; it is the claims of other ways that do.
//! What the last step takes may depend on what t changes, so a step's own claims need nothing: only those that come from
//! behind it do.
//!
//! Of several mutexes a claim needs the first that it meets on its way back, mostly the one that guards what is touched. A
//! message needs its handler for all that it does. That is known of the actor, and is noted with a claim only where
//! somebody else comes to make it.
//!
//! # What stands for what
//!
//! Whoever changes an object conflicts with all that a look at it conflicts with. So where an actor claims both, one claim
//! stands for the other: where the change is claimed, the look is not added. Otherwise the last way of looking that turns
//! up would go round the whole graph, and change nothing. Likewise a claim that needs nothing stands for one that needs
//! something. From there on both would go the same ways. If the one that is left comes to need a mutex, then what the
//! other one claims is only reached by taking that mutex, too.
//!
//! To take what another one gives back is no race, but a look at it is one. So to take does not stand for a look where an
//! object is known to be given back. Where that becomes known later, to take it counts as a look does from there on,
//! whoever takes it: somebody may have come to make the claim in which the look is left out.

use super::rows::{contains, insert, join, members, members_of_word, remove, word};
use super::sets::{Memo, Set, Sets};
use hashbrown::{HashMap, HashTable};
use mazurka_core::{Access, ActorId, Dependence, Footprint, ObjectId, Touch};
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::hash::BuildHasher;

/// A claim by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ClaimId(pub(super) u32);

/// A label by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LabelId(u32);

impl LabelId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is claimed of an actor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Deed {
    Touches(Touch),
    /// It lets an actor go that is steady; see `kinds`.
    Wakes(ActorId),
}

impl Deed {
    /// What is touched, and how.
    fn touch(self) -> Option<Touch> {
        match self {
            Deed::Touches(touch) => Some(touch),
            Deed::Wakes(_) => None,
        }
    }

    /// The object that is touched.
    pub(super) fn object(self) -> Option<ObjectId> {
        self.touch().map(|touch| touch.object)
    }
}

/// A claim: what an actor does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub(super) actor: ActorId,
    pub(super) deed: Deed,
    /// What has to be taken on the way.
    needs: Option<ObjectId>,
}

/// In what a claim may differ from another one that it is put in the place of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Variant {
    actor: ActorId,
    needs: Option<ObjectId>,
}

/// A label: whose step it is, and what the transition claims, which is what it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Label {
    actor: ActorId,
    own: Set,
    /// The mutexes that the actor holds in front of the transition, and the handler on which it runs there.
    held: Set,
    /// A mutex that it takes.
    takes: Option<ObjectId>,
}

/// How many labels are remembered of late.
const RECENT: usize = 256;

/// The most claims that are made by renaming others. Where every message posts another one, each would sooner or later
/// claim what all of them touch.
const MOST_RENAMED: u32 = 256;

/// The most claims that need something. Beyond that, others are taken to need nothing: less is saved.
const MOST_NEEDY: u32 = 1024;

/// All claims, sets of claims, and labels.
pub(super) struct Claims {
    /// Summaries, and sets of actors.
    pub(super) sets: Sets,
    dependence: Dependence,
    /// How many claims were made by renaming others.
    renamed: u32,
    /// The numbers of deeds, with what they need.
    deed_numbers: HashMap<(Deed, Option<ObjectId>), u32, FxBuildHasher>,
    /// For each actor the handler that runs it.
    handlers: Vec<Option<ObjectId>>,
    /// How many claims need something.
    needy: u32,
    /// For each actor, the claims that it makes by these numbers.
    claim_numbers: Vec<Vec<Option<ClaimId>>>,
    claims: Vec<Claim>,
    /// For each claim those that were put in its place.
    variants: Vec<SmallVec<[(Variant, ClaimId); 1]>>,
    /// For each claim those that stand for it, and all claims for which another one stands.
    stand_ins: Vec<SmallVec<[ClaimId; 1]>>,
    covered: Vec<u64>,
    /// For each actor and object the actor's claims on it.
    alike: HashMap<(ActorId, ObjectId), SmallVec<[ClaimId; 2]>, FxBuildHasher>,
    /// The objects that are known to be given back, and those where to take stands for a look.
    given_back: Vec<u64>,
    taken_for_looks: Vec<u64>,
    /// For each actor its claims, and the claims of others to wake it.
    by_actor: Vec<Vec<u64>>,
    wakers: Vec<Vec<ClaimId>>,
    /// All claims that say who wakes whom, and for actors and sets of such claims who wakes the actor in the end.
    wakes: Vec<u64>,
    all_wakers: Memo<(ActorId, Set), Set>,
    /// For each object the claims on it, in order.
    on_object: HashMap<ObjectId, Vec<ClaimId>, FxBuildHasher>,
    /// The numbers of the labels, which stand in `labels`.
    label_numbers: HashTable<LabelId>,
    labels: Vec<Label>,
    /// Labels that were asked for of late, by the hashes of who steps, what it touches and holds: few others are asked for
    /// next.
    recent: Vec<Option<(ActorId, Set, Footprint, LabelId)>>,
    scratch: Vec<u64>,
}

/// What a table has for an actor; it grows to hold that.
fn entry<T: Default>(table: &mut Vec<T>, actor: ActorId) -> &mut T {
    if table.len() <= actor.index() {
        table.resize_with(actor.index() + 1, T::default);
    }
    &mut table[actor.index()]
}

fn hash(label: Label) -> u64 {
    FxBuildHasher.hash_one(label)
}

impl Claims {
    pub(super) fn new(dependence: Dependence) -> Self {
        Claims {
            sets: Sets::new(),
            dependence,
            renamed: 0,
            deed_numbers: HashMap::default(),
            handlers: Vec::new(),
            needy: 0,
            claim_numbers: Vec::new(),
            claims: Vec::new(),
            variants: Vec::new(),
            stand_ins: Vec::new(),
            covered: Vec::new(),
            alike: HashMap::default(),
            given_back: Vec::new(),
            taken_for_looks: Vec::new(),
            by_actor: Vec::new(),
            wakers: Vec::new(),
            wakes: Vec::new(),
            all_wakers: Memo::new(),
            on_object: HashMap::default(),
            label_numbers: HashTable::new(),
            labels: Vec::new(),
            recent: vec![None; RECENT],
            scratch: Vec::new(),
        }
    }

    /// The label of a transition, or of a step that somebody waits to take. `held` is what the actor holds in front of it;
    /// `takes` tells which mutex a step with this footprint takes.
    pub(super) fn label(
        &mut self,
        actor: ActorId,
        footprint: &Footprint,
        held: Set,
        takes: impl FnOnce() -> Option<ObjectId>,
    ) -> LabelId {
        let hash = FxBuildHasher.hash_one((actor, footprint, held.0[0]));
        let slot = hash as usize & (self.recent.len() - 1);
        match &mut self.recent[slot] {
            Some(recent) if recent.0 == actor && recent.1 == held && recent.2 == *footprint => return recent.3,
            _ => {}
        }
        let id = self.find_label(actor, footprint, held, takes());
        match &mut self.recent[slot] {
            Some((whose, had, recent, label)) => {
                recent.clone_from(footprint);
                (*whose, *had, *label) = (actor, held, id);
            }
            none => *none = Some((actor, held, footprint.clone(), id)),
        }
        id
    }

    fn find_label(&mut self, actor: ActorId, footprint: &Footprint, held: Set, takes: Option<ObjectId>) -> LabelId {
        let mut own = std::mem::take(&mut self.scratch);
        own.clear();
        footprint.touches().iter().for_each(|&touch| insert(&mut own, self.claim(actor, Deed::Touches(touch)).0));
        let label = Label { actor, own: self.sets.set(&own), held, takes };
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

    /// Somebody is a message of this handler.
    pub(super) fn note_handler(&mut self, actor: ActorId, handler: ObjectId) {
        *entry(&mut self.handlers, actor) = Some(handler);
    }

    /// The handler that runs an actor.
    pub(super) fn runs_on(&self, actor: ActorId) -> Option<ObjectId> {
        self.handlers.get(actor.index()).copied().flatten()
    }

    /// Whether the actor of a transition may take a mutex by it.
    pub(super) fn takes(&self, label: LabelId) -> bool {
        self.labels[label.index()].takes.is_some()
    }

    /// In front of a transition by which its actor may take a mutex, what the actor claims needs that mutex, unless it needs
    /// something already.
    pub(super) fn note_taking(&mut self, label: LabelId, claims: &mut Vec<u64>) {
        let Label { actor, takes: Some(takes), .. } = self.labels[label.index()] else { return };
        self.replace(actor, claims, |all, id, claim| {
            if claim.needs.is_some() || claim.deed.object().is_none() {
                return Some(id);
            }
            let variant = Variant { actor, needs: Some(takes) };
            Some(all.variant(id, variant, all.needy < MOST_NEEDY).unwrap_or(id))
        });
    }

    /// In front of a transition that lets somebody go who waited for an object to be made, the transition claims what this
    /// actor claims, but for what it does with the object. There may be too many such claims; then they stay its own.
    pub(super) fn rename(&mut self, woken: ActorId, object: ObjectId, label: LabelId, claims: &mut Vec<u64>) {
        let (actor, handler) = (self.actor(label), self.runs_on(woken));
        self.replace(woken, claims, |all, id, claim| {
            if claim.deed.object() == Some(object) {
                return None;
            }
            let variant = Variant { actor, needs: claim.needs.or(handler) };
            let before = all.len();
            let new = all.variant(id, variant, all.renamed < MOST_RENAMED);
            all.renamed += (all.len() - before) as u32;
            Some(new.unwrap_or(id))
        });
    }

    /// Puts other claims into the place of those of an actor, or none. What is put in may be come across again: it is left as
    /// it is then, being another actor's or needing something.
    fn replace(
        &mut self,
        actor: ActorId,
        claims: &mut Vec<u64>,
        by: impl Fn(&mut Claims, ClaimId, Claim) -> Option<ClaimId>,
    ) {
        for index in 0..claims.len() {
            let own = self.by_actor.get(actor.index()).map_or(0, |own| word(own, index));
            for id in members_of_word(index, claims[index] & own).map(ClaimId) {
                let new = by(self, id, self.get(id));
                if new != Some(id) {
                    remove(claims, id.0);
                    new.iter().for_each(|new| insert(claims, new.0));
                }
            }
        }
    }

    /// A claim that differs in who makes it and what it needs, made if it may be and was not before.
    fn variant(&mut self, id: ClaimId, variant: Variant, may_make: bool) -> Option<ClaimId> {
        let known = self.variants[id.0 as usize].iter().find(|known| known.0 == variant);
        if let Some(&(_, known)) = known {
            return Some(known);
        }
        let claim = Claim { actor: variant.actor, deed: self.get(id).deed, needs: variant.needs };
        let place = self.place(claim);
        let new = match self.known(claim, place) {
            Some(known) => known,
            None if may_make => self.make(claim, place),
            None => return None,
        };
        self.variants[id.0 as usize].push((variant, new));
        Some(new)
    }

    /// The number of a claim.
    pub(super) fn claim(&mut self, actor: ActorId, deed: Deed) -> ClaimId {
        let claim = Claim { actor, deed, needs: None };
        let place = self.place(claim);
        self.known(claim, place).unwrap_or_else(|| self.make(claim, place))
    }

    /// Where a claim's number stands among those of its actor.
    fn place(&mut self, Claim { deed, needs, .. }: Claim) -> usize {
        let next = self.deed_numbers.len() as u32;
        *self.deed_numbers.entry((deed, needs)).or_insert(next) as usize
    }

    /// The number of a claim, if it was made before.
    fn known(&self, claim: Claim, place: usize) -> Option<ClaimId> {
        *self.claim_numbers.get(claim.actor.index())?.get(place)?
    }

    fn make(&mut self, claim: Claim, place: usize) -> ClaimId {
        let Claim { actor, deed, needs } = claim;
        let numbers = entry(&mut self.claim_numbers, actor);
        numbers.resize(numbers.len().max(place + 1), None);
        let id = ClaimId(self.claims.len() as u32);
        numbers[place] = Some(id);
        self.needy += u32::from(needs.is_some());
        self.claims.push(claim);
        insert(entry(&mut self.by_actor, actor), id.0);
        self.variants.push(SmallVec::new());
        self.stand_ins.push(SmallVec::new());
        match deed {
            Deed::Touches(touch) => {
                self.find_stand_ins(id, touch);
                self.on_object.entry(touch.object).or_default().push(id);
            }
            Deed::Wakes(woken) => {
                entry(&mut self.wakers, woken).push(id);
                insert(&mut self.wakes, id.0);
            }
        }
        id
    }

    /// Finds out for which claims a new one stands, and which stand for it.
    fn find_stand_ins(&mut self, new: ClaimId, Touch { object, access }: Touch) {
        if access.contains(Access::RELEASE) {
            insert(&mut self.given_back, object.0);
        }
        let races = |later| self.dependence.races(Access::RELEASE, later);
        let alike = self.alike.entry((self.claims[new.0 as usize].actor, object)).or_default();
        for &old in alike.iter() {
            for (above, below) in [(new, old), (old, new)] {
                let [more, less] = [above, below].map(|id| self.claims[id.0 as usize]);
                let (Some(one), Some(other)) = (more.deed.touch(), less.deed.touch()) else { continue };
                let is_taken_for_look = races(other.access) && !races(one.access);
                if self.dependence.covers(one.access, other.access)
                    && (more.needs.is_none() || more.needs == less.needs)
                    && !(is_taken_for_look && contains(&self.given_back, object.0))
                {
                    self.stand_ins[below.0 as usize].push(above);
                    insert(&mut self.covered, below.0);
                    if is_taken_for_look {
                        insert(&mut self.taken_for_looks, object.0);
                    }
                }
            }
        }
        alike.push(new);
    }

    /// Whether known claims stand for all claims of a set that are not among them.
    #[inline]
    pub(super) fn stand_for(&self, known: Set, all: Set) -> bool {
        // Mostly something is new, which is seen at once where sets are small.
        let is_new = |index: usize| all.0[index] & !known.0[index] & !word(&self.covered, index) != 0;
        let is_small = !known.is_large() && !all.is_large();
        !(is_small && (is_new(0) || is_new(1))) && self.all_are_covered(known, all)
    }

    fn all_are_covered(&self, known: Set, all: Set) -> bool {
        let [known, all] = [&known, &all].map(|set| self.sets.words(set));
        let is_covered = |id: u32| self.stand_ins[id as usize].iter().any(|other| contains(known, other.0));
        (0..).zip(all).all(|(index, all)| {
            let new = all & !word(known, index);
            new & !word(&self.covered, index) == 0 && members_of_word(index, new).all(is_covered)
        })
    }

    pub(super) fn get(&self, claim: ClaimId) -> Claim {
        self.claims[claim.0 as usize]
    }

    /// Whose step a transition is.
    pub(super) fn actor(&self, label: LabelId) -> ActorId {
        self.labels[label.index()].actor
    }

    /// The claims that a transition makes.
    pub(super) fn own(&self, label: LabelId) -> Set {
        self.labels[label.index()].own
    }

    pub(super) fn len(&self) -> usize {
        self.claims.len()
    }

    /// Adds the claims that decide who conflicts with a transition to those of them that are among the first `known`: claims
    /// that conflict with it, and those that say who wakes whom. An actor's own steps stay in their order.
    pub(super) fn add_decisive(&self, label: LabelId, known: usize, decisive: &mut Vec<u64>) {
        join(decisive, &self.wakes);
        let Label { actor, own, held, .. } = self.labels[label.index()];
        let is_held =
            |object: Option<ObjectId>| object.is_some_and(|object| contains(self.sets.words(&held), object.0));
        for claim in members(self.sets.words(&own).iter().copied()) {
            let Deed::Touches(mine) = self.claims[claim as usize].deed else { continue };
            let on_object = self.on_object.get(&mine.object).map_or(&[][..], Vec::as_slice);
            let new = on_object.partition_point(|id| (id.0 as usize) < known);
            let is_taken_for_looks = contains(&self.taken_for_looks, mine.object.0);
            let conflicts = |theirs: Access| {
                self.dependence.races(mine.access, theirs)
                    || is_taken_for_looks && self.dependence.touches(mine.access, theirs)
            };
            for &id in &on_object[new..] {
                let theirs = self.get(id);
                if let Deed::Touches(touch) = theirs.deed
                    && theirs.actor != actor
                    && !is_held(theirs.needs)
                    && !is_held(self.runs_on(theirs.actor))
                    && conflicts(touch.access)
                {
                    insert(decisive, id.0);
                }
            }
        }
    }

    /// Whether anybody but this actor ever claimed to touch an object.
    pub(super) fn is_claimed_beside(&self, object: ObjectId, actor: ActorId) -> bool {
        self.on_object.get(&object).into_iter().flatten().any(|&claim| self.get(claim).actor != actor)
    }

    /// Those of some claims that say who wakes whom.
    pub(super) fn wakes_among(&mut self, claims: &[u64]) -> Set {
        let wakes: SmallVec<[u64; 8]> = claims.iter().zip(&self.wakes).map(|(claims, wakes)| claims & wakes).collect();
        self.sets.set(&wakes)
    }

    /// Whoever wakes an actor, or wakes others who do, if these claims are all that is known of that.
    pub(super) fn wakers(&mut self, actor: ActorId, wakes: Set) -> Set {
        if let Some(known) = self.all_wakers.get((actor, wakes)) {
            return known;
        }
        let (claims, mut all, mut woken) = (self.sets.words(&wakes), Vec::new(), vec![actor]);
        while let Some(actor) = woken.pop() {
            for claim in self.wakers.get(actor.index()).into_iter().flatten().filter(|claim| contains(claims, claim.0))
            {
                let waker = self.get(*claim).actor;
                if !contains(&all, waker.0) {
                    insert(&mut all, waker.0);
                    woken.push(waker);
                }
            }
        }
        let all = self.sets.set(&all);
        self.all_wakers.put((actor, wakes), all);
        all
    }

    /// The objects that a transition changes.
    pub(super) fn changes(&self, label: LabelId) -> impl Iterator<Item = ObjectId> + '_ {
        let own = self.sets.words(&self.labels[label.index()].own).iter().copied();
        members(own).filter_map(|claim| match self.claims[claim as usize].deed {
            Deed::Touches(touch) if Access::changes(touch.access) => Some(touch.object),
            _ => None,
        })
    }
}
