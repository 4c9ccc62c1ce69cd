//! Summaries: what can still come into conflict below a state (appendix D of the paper).
//!
//! A *claim* says: below this state `actor` touches this object, or wakes that actor. Claims travel backwards along
//! transitions. There is one claim for each object of a footprint, so that there are about as many as actors times what
//! each of them touches, and a set of claims is a set of bits.
//!
//! A transition is labelled with its actor and with what it touches, that is, with the claims that it makes. A set of bits
//! says which claims conflict with those: a whole set of claims passes a transition in a few operations; see `kinds`.

use super::rows::{contains, insert, join, members};
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
    /// The object that is touched.
    pub(super) fn object(self) -> Option<ObjectId> {
        match self {
            Deed::Touches(touch) => Some(touch.object),
            Deed::Wakes(_) => None,
        }
    }
}

/// A claim: what an actor does, that also by its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub(super) actor: ActorId,
    pub(super) deed: Deed,
    deed_number: u32,
}

/// A label: whose step it is, and what the transition claims, which is what it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Label {
    actor: ActorId,
    own: Set,
}

/// How many labels are remembered of late.
const RECENT: usize = 256;

/// The most claims that are made by renaming others. Where every message posts another one, each would sooner or later
/// claim what all of them touch.
const MOST_RENAMED: u32 = 256;

/// All claims, sets of claims, and labels.
pub(super) struct Claims {
    /// Summaries, and sets of actors.
    pub(super) sets: Sets,
    dependence: Dependence,
    /// How many claims were made by renaming others.
    renamed: u32,
    deed_numbers: HashMap<Deed, u32, FxBuildHasher>,
    /// For each actor, the claims that it makes by the numbers of the deeds.
    claim_numbers: Vec<Vec<Option<ClaimId>>>,
    claims: Vec<Claim>,
    /// For each actor its claims, and the claims of others to wake it.
    by_actor: Vec<Vec<ClaimId>>,
    wakers: Vec<Vec<ClaimId>>,
    /// All claims that say who wakes whom, and for actors and sets of such claims who wakes the actor in the end.
    wakes: Vec<u64>,
    all_wakers: Memo<(ActorId, Set), Set>,
    /// For each object the claims on it, in order.
    on_object: HashMap<ObjectId, Vec<ClaimId>, FxBuildHasher>,
    /// The numbers of the labels, which stand in `labels`.
    label_numbers: HashTable<LabelId>,
    labels: Vec<Label>,
    /// Labels that were asked for of late, by the hashes of actors and footprints: few others are asked for next.
    recent: Vec<Option<(ActorId, Footprint, LabelId)>>,
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
            claim_numbers: Vec::new(),
            claims: Vec::new(),
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

    /// The label of a transition, or of a step that somebody waits to take.
    pub(super) fn label(&mut self, actor: ActorId, footprint: &Footprint) -> LabelId {
        let hash = FxBuildHasher.hash_one((actor, footprint));
        let slot = hash as usize & (self.recent.len() - 1);
        match &mut self.recent[slot] {
            Some(recent) if recent.0 == actor && recent.1 == *footprint => return recent.2,
            _ => {}
        }
        let id = self.find_label(actor, footprint);
        match &mut self.recent[slot] {
            Some((whose, recent, label)) => {
                recent.clone_from(footprint);
                (*whose, *label) = (actor, id);
            }
            none => *none = Some((actor, footprint.clone(), id)),
        }
        id
    }

    fn find_label(&mut self, actor: ActorId, footprint: &Footprint) -> LabelId {
        let mut own = std::mem::take(&mut self.scratch);
        own.clear();
        footprint.touches().iter().for_each(|&touch| insert(&mut own, self.claim(actor, Deed::Touches(touch)).0));
        let label = Label { actor, own: self.sets.set(&own) };
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

    /// The number of a claim.
    pub(super) fn claim(&mut self, actor: ActorId, deed: Deed) -> ClaimId {
        let next = self.deed_numbers.len() as u32;
        let deed_number = *self.deed_numbers.entry(deed).or_insert(next);
        self.claim_by_number(actor, deed, deed_number)
    }

    fn claim_by_number(&mut self, actor: ActorId, deed: Deed, deed_number: u32) -> ClaimId {
        let numbers = entry(&mut self.claim_numbers, actor);
        if numbers.len() <= deed_number as usize {
            numbers.resize(deed_number as usize + 1, None);
        }
        if let Some(known) = numbers[deed_number as usize] {
            return known;
        }
        let id = ClaimId(self.claims.len() as u32);
        numbers[deed_number as usize] = Some(id);
        self.claims.push(Claim { actor, deed, deed_number });
        entry(&mut self.by_actor, actor).push(id);
        match deed {
            Deed::Touches(touch) => self.on_object.entry(touch.object).or_default().push(id),
            Deed::Wakes(woken) => {
                entry(&mut self.wakers, woken).push(id);
                insert(&mut self.wakes, id.0);
            }
        }
        id
    }

    pub(super) fn get(&self, claim: ClaimId) -> Claim {
        self.claims[claim.0 as usize]
    }

    /// The claims of an actor.
    pub(super) fn of(&self, actor: ActorId) -> &[ClaimId] {
        self.by_actor.get(actor.index()).map_or(&[], Vec::as_slice)
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
        let Label { actor, own } = self.labels[label.index()];
        for claim in members(self.sets.words(&own).iter().copied()) {
            let Deed::Touches(mine) = self.claims[claim as usize].deed else { continue };
            let on_object = self.on_object.get(&mine.object).map_or(&[][..], Vec::as_slice);
            let new = on_object.partition_point(|id| (id.0 as usize) < known);
            for &id in &on_object[new..] {
                let theirs = self.get(id);
                if let Deed::Touches(touch) = theirs.deed
                    && theirs.actor != actor
                    && self.dependence.races(mine.access, touch.access)
                {
                    insert(decisive, id.0);
                }
            }
        }
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

    /// The same claim, made by the actor of a transition; `None` if there are too many such claims.
    pub(super) fn renamed(&mut self, claim: ClaimId, label: LabelId) -> Option<ClaimId> {
        let Claim { deed, deed_number, .. } = self.get(claim);
        let actor = self.actor(label);
        if self.renamed == MOST_RENAMED {
            let numbers = self.claim_numbers.get(actor.index())?;
            return *numbers.get(deed_number as usize)?;
        }
        let before = self.claims.len();
        let id = self.claim_by_number(actor, deed, deed_number);
        self.renamed += (self.claims.len() - before) as u32;
        Some(id)
    }
}
