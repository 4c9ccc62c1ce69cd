//! What a program can tell of itself beyond its states and steps. Most of it makes engines faster or more precise.

use crate::{ActorId, Awaited, BlockedVisitor, Fingerprint, FingerprintHasher, Footprint, ObjectId, System, Violation};
use std::hash::Hash;

/// What a program can tell of itself beyond its states and steps.
///
/// Every method has a default. The defaults are right for every program that violates nothing in an initial state and
/// has no object with [`Rule::Mutex`](crate::Rule::Mutex); a frontend writes those methods that it knows more about.
pub trait Insight<State: Clone + Hash> {
    /// Appends what is wrong with an initial state, before any step.
    fn violations_at_start(&self, _state: &State, _into: &mut Vec<Violation>) {}

    /// Which actor holds an object in this state, so that others are blocked on it: the holder of a lock, the message that
    /// runs on a handler, the actor whose life it is. To be told of every object that is a mutex by its
    /// [`Rule`](crate::Rule).
    fn holder(&self, _state: &State, _object: ObjectId) -> Option<ActorId> {
        None
    }

    /// The state in 128 bits. Equal states have equal fingerprints.
    fn fingerprint(&self, state: &State) -> Fingerprint {
        fingerprint(state)
    }

    /// A copy of a state that will be kept and not changed: one without spare capacity, where states have that.
    fn keep(&self, state: &State) -> State {
        state.clone()
    }

    /// What an enabled actor's next operation touches, where that is known without taking the step: then `footprint`
    /// becomes that, and the answer is true.
    fn foresee(&self, _state: &State, _actor: ActorId, _footprint: &mut Footprint) -> bool {
        false
    }

    /// Whether `actor`, which is enabled, is known to be idle: its step would choose nothing, find nothing wrong and
    /// change nothing. Then `footprint` becomes what the step would read, and a search may leave the step out.
    fn is_idle(&self, _state: &State, _actor: ActorId, _footprint: &mut Footprint) -> bool {
        false
    }

    /// What an actor reads that does not exist in a state, neither enabled nor blocked: one of these objects has to be
    /// written before it exists.
    fn absent(&self, _actor: ActorId, _footprint: &mut Footprint) {}

    /// The actors with a fixed guard: present in every state, and whenever they are blocked, the step that they are blocked
    /// on has this footprint. Whether they are enabled depends on its objects only, and one of these is what they await. If
    /// there is one object only, that one is always awaited as [`Awaited::Made`](crate::Awaited::Made).
    fn fixed_guards(&self) -> Vec<(ActorId, Footprint)> {
        Vec::new()
    }

    /// Whether the guard of one of [`Insight::fixed_guards`] holds.
    fn fixed_guard_holds(&self, _state: &State, _actor: ActorId) -> bool {
        false
    }

    /// Appends the enabled actors and visits the blocked ones, without those of [`Insight::fixed_guards`], in one pass over
    /// the state. False if the program has no such pass.
    fn survey(&self, _state: &State, _enabled: &mut Vec<ActorId>, _visit: &mut BlockedVisitor<'_>) -> bool {
        false
    }

    /// The part of the state that is local to no actor, in 128 bits: everything but what [`Insight::locals`] tells. Where
    /// each actor stands belongs to it.
    fn shared_fingerprint(&self, state: &State) -> Fingerprint {
        self.fingerprint(state)
    }

    /// What the program turned out to do that is not modelled, or that it did not do the same thing twice, where it noticed. It
    /// is asked when a search ends: then nothing was proved, whatever was explored.
    fn unsupported(&self) -> Option<Violation> {
        None
    }

    /// Appends what is local to `actor`, word by word. A program that tells nothing here has no local states.
    fn locals(&self, _state: &State, _actor: ActorId, _into: &mut Vec<i64>) {}
}

/// The insight of a program that has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoInsight;

impl<State: Clone + Hash> Insight<State> for NoInsight {}

/// A value in 128 bits.
fn fingerprint(value: &impl Hash) -> Fingerprint {
    let mut hasher = FingerprintHasher::default();
    value.hash(&mut hasher);
    hasher.take()
}

/// Appends the enabled actors and visits the blocked ones, in both cases without those that have a fixed guard (`is_fixed`).
pub fn survey<S: System>(
    system: &S,
    state: &S::State,
    is_fixed: impl Fn(ActorId) -> bool,
    enabled: &mut Vec<ActorId>,
    visit: &mut BlockedVisitor<'_>,
) {
    if system.insight().survey(state, enabled, visit) {
        return;
    }
    system.enabled(state, enabled);
    system.blocked(state, enabled, &mut |actor, obstacle| {
        if !is_fixed(actor) {
            visit(actor, obstacle);
        }
    });
    enabled.retain(|&actor| !is_fixed(actor));
}

/// What an actor that is not enabled awaits: the obstacle of a blocked one, or the one object that has to be written before an
/// absent one exists.
pub fn awaited<S: System>(system: &S, state: &S::State, enabled: &[ActorId], actor: ActorId) -> Option<Awaited> {
    let (mut footprint, mut told) = (Footprint::default(), None);
    system.blocked(state, enabled, &mut |blocked, obstacle| {
        if blocked == actor {
            told = Some(obstacle(&mut footprint));
        }
    });
    told.unwrap_or_else(|| {
        footprint.clear();
        system.insight().absent(actor, &mut footprint);
        match footprint.touches() {
            [only] => Some(Awaited::Made(only.object)),
            _ => None,
        }
    })
}
