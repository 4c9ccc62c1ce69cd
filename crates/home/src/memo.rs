//! What steps did, kept so that a step that sees the same things again need not be run again.
//!
//! Apps are deterministic in what they read: an event's handlers read some slot first, and which one they read next
//! depends only on what they have read and chosen so far. So all runs of one event form a tree, with a slot or a choice
//! at each inner node and an effect at each leaf. To take a step that was taken before is to walk down that tree.

use crate::state::State;
use crate::store::{Slot, ValueId};
use mazurka_core::{Choices, Step, Touch, Violation};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// What a step did.
#[derive(Debug, Default)]
pub(crate) struct StepEffect {
    /// The slots that have another value than before.
    pub(crate) writes: Box<[(Slot, ValueId)]>,
    /// What was touched, each object once.
    pub(crate) touches: Box<[Touch]>,
    /// What was wrong.
    pub(crate) violations: Box<[Violation]>,
}

impl StepEffect {
    /// Does to a state what the step did, and tells what it touched and what was wrong.
    #[inline]
    pub(crate) fn apply(&self, state: &mut State, step: &mut Step) {
        for &(slot, value) in &self.writes {
            state.set(slot, value);
        }
        for touch in &self.touches {
            step.touch(touch.object, touch.access);
        }
        for violation in &self.violations {
            step.fail(violation.clone());
        }
    }
}

/// One thing that a step learnt on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Learnt {
    /// A slot held this value.
    Read(Slot, ValueId),
    /// Which of how many alternatives was taken.
    Chose(u64, u64),
}

/// Beyond this size in all the trees do not grow: what comes back so rarely is not worth its memory.
const MAX_NODES: usize = 1 << 21;

#[derive(Debug)]
enum Node {
    /// Not run yet.
    Unknown,
    /// This slot was read; the nodes that follow, by its value, in the order of the values.
    Read(Slot, Vec<(ValueId, u32)>),
    /// One of the nodes that follow was chosen.
    Chose(Box<[u32]>),
    /// The step ended.
    Done(Arc<StepEffect>),
}

/// The runs of one event.
#[derive(Debug)]
struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    fn find(&self, state: &State, step: &mut Step) -> Option<Arc<StepEffect>> {
        let mut at = 0;
        // Choices are made on a copy until it is certain that the whole way is known.
        let mut tried: Option<Choices> = None;
        let mut chosen: smallvec::SmallVec<[u64; 4]> = smallvec::SmallVec::new();
        loop {
            match &self.nodes[at as usize] {
                Node::Unknown => return None,
                Node::Read(slot, children) => {
                    let value = state.get(*slot);
                    let child = children.binary_search_by_key(&value, |&(value, _)| value).ok()?;
                    at = children[child].1;
                }
                Node::Chose(children) => {
                    let alternatives = children.len() as u64;
                    let pick = tried.get_or_insert_with(|| step.choices().clone()).pick(alternatives);
                    chosen.push(alternatives);
                    at = children[pick as usize];
                }
                Node::Done(effect) => {
                    for alternatives in chosen {
                        step.choose(alternatives);
                    }
                    return Some(Arc::clone(effect));
                }
            }
        }
    }

    fn insert(&mut self, way: &[Learnt], effect: &Arc<StepEffect>) {
        let mut at = 0usize;
        for learnt in way {
            let child = match *learnt {
                Learnt::Read(slot, value) => self.read_child(at, slot, value),
                Learnt::Chose(alternatives, taken) => self.chosen_child(at, alternatives, taken),
            };
            debug_assert!(child.is_some(), "what a step reads next depends on what it has read and chosen");
            let Some(child) = child else { return };
            at = child;
        }
        self.nodes[at] = Node::Done(Arc::clone(effect));
    }

    fn read_child(&mut self, at: usize, slot: Slot, value: ValueId) -> Option<usize> {
        let fresh = self.nodes.len() as u32;
        if matches!(self.nodes[at], Node::Unknown) {
            self.nodes[at] = Node::Read(slot, Vec::new());
        }
        let Node::Read(known, children) = &mut self.nodes[at] else { return None };
        if *known != slot {
            return None;
        }
        match children.binary_search_by_key(&value, |&(value, _)| value) {
            Ok(child) => Some(children[child].1 as usize),
            Err(place) => {
                children.insert(place, (value, fresh));
                self.nodes.push(Node::Unknown);
                Some(fresh as usize)
            }
        }
    }

    fn chosen_child(&mut self, at: usize, alternatives: u64, taken: u64) -> Option<usize> {
        if matches!(self.nodes[at], Node::Unknown) {
            let first = self.nodes.len() as u32;
            let children = (first..first + alternatives as u32).collect();
            self.nodes.extend((0..alternatives).map(|_| Node::Unknown));
            self.nodes[at] = Node::Chose(children);
        }
        let Node::Chose(children) = &self.nodes[at] else { return None };
        children.get(taken as usize).map(|&child| child as usize)
    }
}

/// The runs of all events.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    /// By actor. Timers turn up while apps run, so the list grows.
    trees: RwLock<Vec<Arc<RwLock<Tree>>>>,
    /// How many nodes there may be by now, in all trees.
    nodes: AtomicUsize,
}

impl Memo {
    /// What a step of an actor does in a state, if that is known. The step's choices are then made.
    pub(crate) fn find(&self, actor: usize, state: &State, step: &mut Step) -> Option<Arc<StepEffect>> {
        let trees = self.trees.read().unwrap_or_else(PoisonError::into_inner);
        let tree = trees.get(actor)?.read().unwrap_or_else(PoisonError::into_inner);
        tree.find(state, step)
    }

    /// Remembers what a step of an actor did after what it learnt.
    pub(crate) fn remember(&self, actor: usize, way: &[Learnt], effect: &Arc<StepEffect>) {
        if self.nodes.fetch_add(way.len(), Ordering::Relaxed) > MAX_NODES {
            return;
        }
        let tree = {
            let mut trees = self.trees.write().unwrap_or_else(PoisonError::into_inner);
            while trees.len() <= actor {
                trees.push(Arc::new(RwLock::new(Tree { nodes: vec![Node::Unknown] })));
            }
            Arc::clone(&trees[actor])
        };
        tree.write().unwrap_or_else(PoisonError::into_inner).insert(way, effect);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::Outcome;

    fn effect(value: ValueId) -> Arc<StepEffect> {
        Arc::new(StepEffect { writes: Box::new([(Slot(9), value)]), ..StepEffect::default() })
    }

    fn found(memo: &Memo, state: &State, outcome: u64) -> Option<(ValueId, u64)> {
        let mut step = Step::default();
        step.begin(Outcome(outcome));
        let effect = memo.find(0, state, &mut step)?;
        Some((effect.writes[0].1, step.next_outcome().map_or(0, |next| next.0)))
    }

    #[test]
    fn a_step_that_learns_the_same_does_the_same() {
        let memo = Memo::default();
        let mut state = State::default();
        assert_eq!(found(&memo, &state, 0), None);
        memo.remember(0, &[Learnt::Read(Slot(1), 0), Learnt::Chose(2, 0)], &effect(10));
        assert_eq!(found(&memo, &state, 0), Some((10, 1)));
        assert_eq!(found(&memo, &state, 1), None, "the other choice was not run");
        memo.remember(0, &[Learnt::Read(Slot(1), 0), Learnt::Chose(2, 1)], &effect(11));
        assert_eq!(found(&memo, &state, 1), Some((11, 0)));
        state.set(Slot(1), 5);
        assert_eq!(found(&memo, &state, 0), None, "another value was read");
        memo.remember(0, &[Learnt::Read(Slot(1), 5)], &effect(12));
        assert_eq!(found(&memo, &state, 0), Some((12, 0)));
        state.set(Slot(3), 1);
        assert_eq!(found(&memo, &state, 0), Some((12, 0)), "what is not read does not matter");
    }
}
