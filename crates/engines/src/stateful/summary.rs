//! Summaries: what can still come into conflict below a state (appendix D of the paper).
//!
//! A *claim* says: below this state `actor` touches this object. Claims travel backwards along transitions. Most
//! transitions are transparent to most claims; what happens at the others is decided in `graph`. There is one claim for
//! each object of a footprint, so that there are only as many as actors times objects, and a set of claims is a set of
//! bits.
//!
//! A transition is labelled with its actor and footprint. For each label, one set of bits says to which claims it is
//! transparent, and for each list of enabled actors one says whose claims they are: a whole set of claims passes a
//! transition in a few operations.

use crate::bits::Bits;
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Claim {
    pub(super) actor: ActorId,
    pub(super) touch: Touch,
}

#[derive(Debug)]
struct Label {
    actor: ActorId,
    footprint: Footprint,
    /// The claims that the transition itself makes.
    own: Bits,
    /// Of the first `known` claims, those that do not conflict with it.
    transparent: Bits,
    known: u32,
}

impl Label {
    /// Whether a claim could be reversed with the transition. An actor's own steps stay in their order.
    fn conflicts(&self, claim: Claim, dependence: Dependence) -> bool {
        let races = |access| dependence.races(access, claim.touch.access);
        self.actor != claim.actor && self.footprint.access(claim.touch.object).is_some_and(races)
    }
}

/// All claims and labels.
#[derive(Debug)]
pub(super) struct Claims {
    dependence: Dependence,
    claim_numbers: HashMap<Claim, ClaimId, FxBuildHasher>,
    claims: Vec<Claim>,
    /// Labels by their actors and footprints, which stand in `labels`.
    label_numbers: HashTable<LabelId>,
    labels: Vec<Label>,
}

fn hash(actor: ActorId, footprint: &Footprint) -> u64 {
    FxBuildHasher.hash_one((actor, footprint))
}

impl Claims {
    pub(super) fn new(dependence: Dependence) -> Self {
        Claims {
            dependence,
            claim_numbers: HashMap::default(),
            claims: Vec::new(),
            label_numbers: HashTable::new(),
            labels: Vec::new(),
        }
    }

    /// The label of a transition.
    pub(super) fn label(&mut self, actor: ActorId, footprint: &Footprint) -> LabelId {
        let is_same = |id: &LabelId| {
            let label = &self.labels[id.0 as usize];
            label.actor == actor && label.footprint == *footprint
        };
        let hash_of_new = hash(actor, footprint);
        if let Some(&known) = self.label_numbers.find(hash_of_new, is_same) {
            return known;
        }
        let id = LabelId(self.labels.len() as u32);
        let mut own = Bits::default();
        self.claim_all(actor, footprint, &mut own);
        let footprint = footprint.clone();
        self.labels.push(Label { actor, footprint, own, transparent: Bits::default(), known: 0 });
        let labels = &self.labels;
        self.label_numbers.insert_unique(hash_of_new, id, |id| {
            let label = &labels[id.0 as usize];
            hash(label.actor, &label.footprint)
        });
        id
    }

    /// Adds the claims of an actor that takes a step, or waits to take it, with this footprint.
    pub(super) fn claim_all(&mut self, actor: ActorId, footprint: &Footprint, into: &mut Bits) {
        for &touch in footprint.touches() {
            into.insert(self.claim(actor, touch).0);
        }
    }

    fn claim(&mut self, actor: ActorId, touch: Touch) -> ClaimId {
        let claim = Claim { actor, touch };
        *self.claim_numbers.entry(claim).or_insert_with(|| {
            self.claims.push(claim);
            ClaimId(self.claims.len() as u32 - 1)
        })
    }

    pub(super) fn get(&self, claim: ClaimId) -> Claim {
        self.claims[claim.0 as usize]
    }

    /// How many claims there are.
    pub(super) fn len(&self) -> u32 {
        self.claims.len() as u32
    }

    /// The claims that a transition makes.
    pub(super) fn own(&self, label: LabelId) -> &Bits {
        &self.labels[label.0 as usize].own
    }

    /// The claims that do not conflict with a transition.
    pub(super) fn transparent(&mut self, label: LabelId) -> &Bits {
        let label = &mut self.labels[label.0 as usize];
        while let Some(claim) = self.claims.get(label.known as usize) {
            if !label.conflicts(*claim, self.dependence) {
                label.transparent.insert(label.known);
            }
            label.known += 1;
        }
        &label.transparent
    }

    /// Whether a transition conflicts with a claim.
    pub(super) fn conflicts(&self, label: LabelId, claim: ClaimId) -> bool {
        self.labels[label.0 as usize].conflicts(self.get(claim), self.dependence)
    }

    /// Whether a transition changes an object.
    pub(super) fn changes(&self, label: LabelId, object: ObjectId) -> bool {
        self.labels[label.0 as usize].footprint.access(object).is_some_and(Access::changes)
    }

    /// The same claim, made by the actor of a transition.
    pub(super) fn renamed(&mut self, claim: ClaimId, label: LabelId) -> ClaimId {
        let (actor, touch) = (self.labels[label.0 as usize].actor, self.get(claim).touch);
        self.claim(actor, touch)
    }
}
