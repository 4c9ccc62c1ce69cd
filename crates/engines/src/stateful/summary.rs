//! Summaries: what can still come into conflict below a state (appendix D of the paper).
//!
//! A *claim* says: below this state `actor` touches this object. Claims travel backwards along transitions. There is one
//! claim for each object of a footprint, so that there are about as many as actors times what each of them touches, and a
//! set of claims is a set of bits.
//!
//! A transition is labelled with its actor and footprint. For each label, one set of bits says which claims conflict with
//! it: a whole set of claims passes a transition in a few operations; see `kinds`.

use super::rows::{Rows, insert, members};
use super::sets::{Set, Sets};
use hashbrown::{HashMap, HashTable};
use mazurka_core::{Access, ActorId, Dependence, Footprint, ObjectId, Touch};
use rustc_hash::FxBuildHasher;
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

/// A claim: an actor, and how it touches which object, that also by its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    pub(super) actor: ActorId,
    pub(super) touch: Touch,
    touch_number: u32,
    /// Whether it counts even where the actor waits; see `kinds`.
    insists: bool,
}

#[derive(Debug)]
struct Label {
    actor: ActorId,
    footprint: Footprint,
    /// How many claims were looked at for `conflicting`.
    looked_at: u32,
}

impl Label {
    /// Whether a claim could be reversed with the transition. An actor's own steps stay in their order.
    fn conflicts(&self, claim: Claim, dependence: Dependence) -> bool {
        let races = |access| dependence.races(access, claim.touch.access);
        self.actor != claim.actor && self.footprint.access(claim.touch.object).is_some_and(races)
    }
}

/// The most claims that are made by renaming others. Where everybody lets somebody go, each actor would sooner or later
/// claim what all of them touch.
const MOST_RENAMED: u32 = 256;

/// All claims, sets of claims, and labels.
pub(super) struct Claims {
    /// Summaries, and sets of actors.
    pub(super) sets: Sets,
    dependence: Dependence,
    /// How many claims were made by renaming others.
    renamed: u32,
    touch_numbers: HashMap<Touch, u32, FxBuildHasher>,
    /// For each actor, the claims that it makes by the numbers of the touches.
    claim_numbers: Vec<Vec<Option<ClaimId>>>,
    claims: Vec<Claim>,
    /// The same for claims that count even where the actor waits.
    insisting_numbers: Vec<Vec<Option<ClaimId>>>,
    /// For each actor its claims, but for those.
    by_actor: Vec<Vec<ClaimId>>,
    /// Labels by their actors and footprints, which stand in `labels`.
    label_numbers: HashTable<LabelId>,
    labels: Vec<Label>,
    /// For each actor the labels that were asked for last, the latest first: often one of them is asked for next.
    recent: Vec<[LabelId; 2]>,
    /// For each label the claims that the transition itself makes, and of the first `looked_at` claims those that conflict
    /// with it.
    own: Vec<Set>,
    conflicting: Rows,
}

/// What a table has for an actor and a number; it grows to hold that.
fn entry(table: &mut Vec<Vec<Option<ClaimId>>>, actor: ActorId, number: u32) -> &mut Option<ClaimId> {
    if table.len() <= actor.index() {
        table.resize(actor.index() + 1, Vec::new());
    }
    let row = &mut table[actor.index()];
    if row.len() <= number as usize {
        row.resize(number as usize + 1, None);
    }
    &mut row[number as usize]
}

fn hash(actor: ActorId, footprint: &Footprint) -> u64 {
    FxBuildHasher.hash_one((actor, footprint))
}

impl Claims {
    pub(super) fn new(dependence: Dependence) -> Self {
        Claims {
            sets: Sets::new(),
            dependence,
            renamed: 0,
            touch_numbers: HashMap::default(),
            claim_numbers: Vec::new(),
            claims: Vec::new(),
            insisting_numbers: Vec::new(),
            by_actor: Vec::new(),
            label_numbers: HashTable::new(),
            labels: Vec::new(),
            recent: Vec::new(),
            own: Vec::new(),
            conflicting: Rows::default(),
        }
    }

    /// The label of a transition, or of a step that somebody waits to take.
    pub(super) fn label(&mut self, actor: ActorId, footprint: &Footprint) -> LabelId {
        let is_same = |id: &LabelId| {
            let label = self.labels.get(id.index());
            label.is_some_and(|label| label.actor == actor && label.footprint == *footprint)
        };
        if self.recent.len() <= actor.index() {
            self.recent.resize(actor.index() + 1, [LabelId(u32::MAX); 2]);
        }
        let [latest, other] = self.recent[actor.index()];
        if is_same(&latest) {
            return latest;
        }
        if is_same(&other) {
            self.recent[actor.index()] = [other, latest];
            return other;
        }
        let hash_of_new = hash(actor, footprint);
        let id = match self.label_numbers.find(hash_of_new, is_same) {
            Some(&known) => known,
            None => self.add_label(actor, footprint, hash_of_new),
        };
        self.recent[actor.index()] = [id, latest];
        id
    }

    fn add_label(&mut self, actor: ActorId, footprint: &Footprint, hash_of_new: u64) -> LabelId {
        let id = LabelId(self.labels.len() as u32);
        let mut own = Vec::new();
        footprint.touches().iter().for_each(|&touch| insert(&mut own, self.claim(actor, touch).0));
        let own = self.sets.set(&own);
        self.own.push(own);
        self.conflicting.push();
        self.labels.push(Label { actor, footprint: footprint.clone(), looked_at: 0 });
        let labels = &self.labels;
        self.label_numbers.insert_unique(hash_of_new, id, |id| {
            let label = &labels[id.index()];
            hash(label.actor, &label.footprint)
        });
        id
    }

    fn claim(&mut self, actor: ActorId, touch: Touch) -> ClaimId {
        let next = self.touch_numbers.len() as u32;
        let touch_number = *self.touch_numbers.entry(touch).or_insert(next);
        self.claim_by_number(actor, touch, touch_number)
    }

    fn claim_by_number(&mut self, actor: ActorId, touch: Touch, touch_number: u32) -> ClaimId {
        let next = ClaimId(self.claims.len() as u32);
        let id = *entry(&mut self.claim_numbers, actor, touch_number).get_or_insert(next);
        if id != next {
            return id;
        }
        self.claims.push(Claim { actor, touch, touch_number, insists: false });
        if self.by_actor.len() <= actor.index() {
            self.by_actor.resize(actor.index() + 1, Vec::new());
        }
        self.by_actor[actor.index()].push(id);
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
        self.own[label.index()]
    }

    /// The actors of those claims that conflict with a transition: of those that count where the actor does not wait, and of
    /// those that count everywhere.
    pub(super) fn who_conflicts(&mut self, id: LabelId, claims: Set, into: &mut [Vec<u64>; 2]) {
        let label = &mut self.labels[id.index()];
        for number in label.looked_at..self.claims.len() as u32 {
            if label.conflicts(self.claims[number as usize], self.dependence) {
                self.conflicting.insert(id.index(), number);
            }
        }
        label.looked_at = self.claims.len() as u32;
        into.iter_mut().for_each(Vec::clear);
        let claims = self.sets.words(&claims);
        let conflicting = self.conflicting.row(id.index()).iter().zip(claims).map(|(one, other)| one & other);
        for claim in members(conflicting) {
            let Claim { actor, insists, .. } = self.claims[claim as usize];
            insert(&mut into[usize::from(insists)], actor.0);
        }
    }

    /// The objects that a transition changes.
    pub(super) fn changes(&self, label: LabelId) -> impl Iterator<Item = ObjectId> + '_ {
        let touches = self.labels[label.index()].footprint.touches().iter();
        touches.filter(|touch| Access::changes(touch.access)).map(|touch| touch.object)
    }

    /// The same claim, but one that counts even where the actor waits.
    pub(super) fn insisting(&mut self, claim: ClaimId) -> ClaimId {
        let Claim { actor, touch, touch_number, .. } = self.get(claim);
        let next = ClaimId(self.claims.len() as u32);
        let id = *entry(&mut self.insisting_numbers, actor, touch_number).get_or_insert(next);
        if id == next {
            self.claims.push(Claim { actor, touch, touch_number, insists: true });
        }
        id
    }

    /// The same claim, made by the actor of a transition; `None` if there are too many such claims.
    pub(super) fn renamed(&mut self, claim: ClaimId, label: LabelId) -> Option<ClaimId> {
        let Claim { touch, touch_number, .. } = self.get(claim);
        let actor = self.actor(label);
        if self.renamed == MOST_RENAMED {
            let numbers = self.claim_numbers.get(actor.index())?;
            return *numbers.get(touch_number as usize)?;
        }
        let before = self.claims.len();
        let id = self.claim_by_number(actor, touch, touch_number);
        self.renamed += (self.claims.len() - before) as u32;
        Some(id)
    }
}
