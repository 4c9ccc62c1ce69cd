//! Which actors could move in the current execution, and which did: what makes a cycle a full one (algorithm 4).

use super::store::nodes::Enabled;
use crate::shared::bits::members;
use mazurka_core::ActorId;

/// When each actor last moved and when it last could. Times are counted over all executions.
#[derive(Default)]
pub(super) struct Turns {
    /// For each actor when it last moved.
    moved_at: Vec<u64>,
    /// The enabled actors of the state where the execution is, and when it came there.
    present: Vec<u64>,
    arrived_at: u64,
    /// For each other actor when it last could.
    left_at: Vec<u64>,
}

impl Turns {
    /// Another execution begins, in no state yet.
    pub(super) fn begin(&mut self) {
        self.present.clear();
    }

    /// The execution comes to a state where these can move. Mostly they are those that could a step ago.
    pub(super) fn arrive(&mut self, enabled: Enabled<'_>, now: u64) {
        let is_same = |(index, was): (usize, &u64)| *was == enabled.word(index);
        if self.present.len() != enabled.len() || !self.present.iter().enumerate().all(is_same) {
            let left = (0..).zip(&self.present).map(|(index, was)| was & !enabled.word(index));
            for actor in members(left) {
                stamp(&mut self.left_at, actor, self.arrived_at);
            }
            self.present.clear();
            self.present.extend(enabled.words());
        }
        self.arrived_at = now;
    }

    /// An actor moves.
    pub(super) fn moves(&mut self, actor: ActorId, now: u64) {
        stamp(&mut self.moved_at, actor.0, now);
    }

    /// Whether every actor that could move after `since` has moved after it.
    pub(super) fn is_full_cycle(&self, since: u64) -> bool {
        let has_moved = |actor: u32| self.moved_at.get(actor as usize).is_some_and(|&moved| moved > since);
        let mut others = (0..).zip(&self.left_at);
        members(self.present.iter().copied()).all(has_moved)
            && others.all(|(actor, &left)| left <= since || has_moved(actor))
    }
}

fn stamp(times: &mut Vec<u64>, actor: u32, now: u64) {
    if times.len() <= actor as usize {
        times.resize(actor as usize + 1, 0);
    }
    times[actor as usize] = now;
}

#[cfg(test)]
mod tests {
    use super::super::store::nodes::Nodes;
    use super::*;
    use mazurka_core::Fingerprint;

    #[test]
    fn a_cycle_is_full_when_every_actor_that_could_move_has_moved() {
        let (mut turns, mut nodes) = (Turns::default(), Nodes::new());
        let [both, late, one] =
            [&[0b11][..], &[0b10, 1], &[0b1]].map(|enabled| nodes.add(Fingerprint(enabled[0].into()), &[], enabled));
        let [both, late, one] = [both, late, one].map(|id| nodes.enabled(id));
        turns.begin();
        turns.arrive(both, 1);
        turns.moves(ActorId(0), 2);
        turns.arrive(late, 2);
        turns.moves(ActorId(1), 3);
        turns.arrive(both, 3);
        // Actor 64 could move at time 2 and did not.
        assert_eq!((turns.is_full_cycle(1), turns.is_full_cycle(2)), (false, false));
        turns.moves(ActorId(0), 4);
        turns.arrive(both, 4);
        assert_eq!((turns.is_full_cycle(1), turns.is_full_cycle(2)), (false, true));
        turns.moves(ActorId(64), 5);
        assert!(turns.is_full_cycle(1));
        // What was before does not count in another execution.
        turns.begin();
        turns.arrive(one, 6);
        turns.moves(ActorId(0), 7);
        turns.arrive(one, 7);
        assert!(turns.is_full_cycle(6));
    }
}
