//! Vector clocks.
//!
//! An execution keeps a clock for each of its steps. Of few actors, a clock is a plain row of numbers. Of many, most
//! clocks differ from another one in a single component: then a clock is a tree of small blocks that clones share, where to
//! set a component copies one block on each level, and a join keeps every block that one of the two sides has as it must
//! be. A hundred thousand steps of as many actors fit into memory.

use crate::ActorId;
use smallvec::SmallVec;
use std::sync::Arc;

/// The most actors for which a clock is a row.
const FEW: usize = 64;

/// Components of a leaf, and children of an inner block.
const FAN: usize = 16;
const FAN_BITS: usize = FAN.trailing_zeros() as usize;

/// For each actor, how many of its steps lie in the causal past.
#[derive(Clone, Debug)]
pub struct VectorClock(ClockForm);

#[derive(Debug)]
enum ClockForm {
    /// What is not there is zero. Most programs have so few actors that a row needs no room of its own.
    Row(SmallVec<[u32; 24]>),
    Tree(Tree),
}

impl Clone for ClockForm {
    #[inline]
    fn clone(&self) -> Self {
        match self {
            // All components at once, where a derived clone would take one after the other.
            ClockForm::Row(row) => ClockForm::Row(SmallVec::from_slice(row)),
            ClockForm::Tree(tree) => ClockForm::Tree(tree.clone()),
        }
    }
}

impl Default for VectorClock {
    fn default() -> Self {
        VectorClock(ClockForm::Row(SmallVec::new()))
    }
}

impl VectorClock {
    /// The clock that knows of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many steps of `actor` lie in the past.
    #[inline]
    pub fn get(&self, actor: ActorId) -> u32 {
        match &self.0 {
            ClockForm::Row(row) => row.get(actor.index()).copied().unwrap_or(0),
            ClockForm::Tree(tree) => tree.get(actor.index()),
        }
    }

    /// The components, if the clock is a row: what is not there is zero. Those of few actors are.
    #[inline]
    pub fn row(&self) -> Option<&[u32]> {
        match &self.0 {
            ClockForm::Row(row) => Some(row),
            ClockForm::Tree(_) => None,
        }
    }

    /// Sets one component.
    pub fn set(&mut self, actor: ActorId, steps: u32) {
        let index = actor.index();
        match &mut self.0 {
            ClockForm::Row(row) if index < FEW => {
                if row.len() <= index {
                    row.resize(index + 1, 0);
                }
                row[index] = steps;
            }
            _ => self.as_tree().set(index, steps),
        }
    }

    /// Takes the larger of each component.
    pub fn join(&mut self, other: &VectorClock) {
        match (&mut self.0, &other.0) {
            (ClockForm::Row(mine), ClockForm::Row(theirs)) => {
                if mine.len() < theirs.len() {
                    mine.resize(theirs.len(), 0);
                }
                mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
            }
            (_, ClockForm::Tree(theirs)) => self.as_tree().join(theirs),
            (ClockForm::Tree(mine), ClockForm::Row(theirs)) => mine.join(&Tree::of(theirs)),
        }
    }

    /// Whether everything this clock knows of, the other knows of too.
    pub fn le(&self, other: &VectorClock) -> bool {
        match (&self.0, &other.0) {
            (ClockForm::Row(mine), _) => mine.iter().zip(0..).all(|(&steps, actor)| steps <= other.get(ActorId(actor))),
            (ClockForm::Tree(mine), ClockForm::Tree(theirs)) => mine.le(theirs),
            (ClockForm::Tree(mine), ClockForm::Row(theirs)) => mine.le(&Tree::of(theirs)),
        }
    }

    /// The clock as a tree, which it is from now on.
    fn as_tree(&mut self) -> &mut Tree {
        if let ClockForm::Row(row) = &self.0 {
            self.0 = ClockForm::Tree(Tree::of(row));
        }
        match &mut self.0 {
            ClockForm::Tree(tree) => tree,
            ClockForm::Row(_) => unreachable!("it has just become a tree"),
        }
    }
}

impl PartialEq for VectorClock {
    fn eq(&self, other: &Self) -> bool {
        self.le(other) && other.le(self)
    }
}

impl Eq for VectorClock {}

#[derive(Clone, Debug)]
enum Block {
    Leaf([u32; FAN]),
    Inner([Option<Arc<Block>>; FAN]),
}

/// The clock of many actors.
#[derive(Clone, Debug, Default)]
struct Tree {
    root: Option<Arc<Block>>,
    /// Levels of inner blocks above the leaves.
    height: usize,
}

impl Tree {
    /// The tree of a row.
    fn of(row: &[u32]) -> Self {
        let mut tree = Tree::default();
        row.iter().enumerate().filter(|(_, steps)| **steps > 0).for_each(|(index, &steps)| tree.set(index, steps));
        tree
    }

    fn get(&self, index: usize) -> u32 {
        if index >> (FAN_BITS * (self.height + 1)) != 0 {
            return 0;
        }
        let mut block = self.root.as_deref();
        let mut level = self.height;
        loop {
            match block {
                None => return 0,
                Some(Block::Leaf(steps)) => return steps[index % FAN],
                Some(Block::Inner(children)) => block = children[slot(index, level)].as_deref(),
            }
            level = level.saturating_sub(1);
        }
    }

    fn set(&mut self, index: usize, steps: u32) {
        let mut height = self.height;
        while index >> (FAN_BITS * (height + 1)) != 0 {
            height += 1;
        }
        self.grow(height);
        let mut at = &mut self.root;
        for level in (1..=self.height).rev() {
            let block = at.get_or_insert_with(|| Arc::new(Block::Inner(Default::default())));
            match Arc::make_mut(block) {
                Block::Inner(children) => at = &mut children[slot(index, level)],
                Block::Leaf(_) => unreachable!("leaves lie on the lowest level"),
            }
        }
        match Arc::make_mut(at.get_or_insert_with(|| Arc::new(Block::Leaf([0; FAN])))) {
            Block::Leaf(components) => components[index % FAN] = steps,
            Block::Inner(_) => unreachable!("only leaves lie on the lowest level"),
        }
    }

    fn join(&mut self, other: &Tree) {
        if self.root.is_none() {
            self.clone_from(other);
            return;
        }
        self.grow(other.height);
        if other.height == self.height {
            join(&mut self.root, &other.root);
        } else {
            let mut other = other.clone();
            other.grow(self.height);
            join(&mut self.root, &other.root);
        }
    }

    fn le(&self, other: &Tree) -> bool {
        let mut joined = other.clone();
        joined.join(self);
        let (mut joined, mut other) = (joined, other.clone());
        let height = joined.height.max(other.height);
        joined.grow(height);
        other.grow(height);
        same(&joined.root, &other.root)
    }

    /// Adds levels until there are this many.
    fn grow(&mut self, height: usize) {
        while self.height < height {
            if let Some(root) = self.root.take() {
                let mut children: [Option<Arc<Block>>; FAN] = Default::default();
                children[0] = Some(root);
                self.root = Some(Arc::new(Block::Inner(children)));
            }
            self.height += 1;
        }
    }
}

fn slot(index: usize, level: usize) -> usize {
    index >> (FAN_BITS * level) & (FAN - 1)
}

/// Joins the blocks of one place in two clocks of the same height.
fn join(mine: &mut Option<Arc<Block>>, theirs: &Option<Arc<Block>>) {
    let Some(their_block) = theirs else { return };
    let Some(my_block) = mine else {
        mine.clone_from(theirs);
        return;
    };
    if Arc::ptr_eq(my_block, their_block) {
        return;
    }
    match (&**my_block, &**their_block) {
        (Block::Leaf(ours), Block::Leaf(others)) => {
            if ours.iter().zip(others).all(|(our, other)| our <= other) {
                mine.clone_from(theirs);
            } else if ours.iter().zip(others).any(|(our, other)| our < other)
                && let Block::Leaf(ours) = Arc::make_mut(my_block)
            {
                ours.iter_mut().zip(others).for_each(|(our, other)| *our = (*our).max(*other));
            }
        }
        (Block::Inner(_), Block::Inner(others)) => {
            if let Block::Inner(ours) = Arc::make_mut(my_block) {
                ours.iter_mut().zip(others).for_each(|(our, other)| join(our, other));
            }
        }
        _ => unreachable!("clocks of the same height have their leaves on the same level"),
    }
}

/// Whether the blocks of one place in two clocks of the same height have the same components.
fn same(one: &Option<Arc<Block>>, other: &Option<Arc<Block>>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            Arc::ptr_eq(one, other)
                || match (&**one, &**other) {
                    (Block::Leaf(one), Block::Leaf(other)) => one == other,
                    (Block::Inner(one), Block::Inner(other)) => one.iter().zip(other).all(|(a, b)| same(a, b)),
                    _ => false,
                }
        }
        (Some(block), None) | (None, Some(block)) => is_zero(block),
    }
}

fn is_zero(block: &Block) -> bool {
    match block {
        Block::Leaf(components) => *components == [0; FAN],
        Block::Inner(children) => children.iter().flatten().all(|child| is_zero(child)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock, and the same as a plain list.
    fn scattered(seed: u32, count: u32, range: u32) -> (VectorClock, Vec<u32>) {
        let (mut clock, mut plain) = (VectorClock::new(), vec![0; range as usize]);
        for n in 1..=count {
            let actor = n.wrapping_mul(seed).wrapping_mul(2_654_435) % range;
            clock.set(ActorId(actor), n);
            plain[actor as usize] = n;
        }
        (clock, plain)
    }

    fn listed(clock: &VectorClock, range: u32) -> Vec<u32> {
        (0..range).map(|actor| clock.get(ActorId(actor))).collect()
    }

    #[test]
    fn a_clock_is_what_a_plain_list_would_be() {
        for (one_range, other_range) in [(10, 10), (10, 3000), (3000, 10), (5000, 5000), (16, 17)] {
            let (mut one, one_plain) = scattered(7, 40, one_range);
            let (other, other_plain) = scattered(11, 30, other_range);
            let range = one_range.max(other_range);
            assert_eq!(listed(&other, other_range), other_plain);
            let before = one.clone();
            one.join(&other);
            let at = |plain: &[u32], index: u32| plain.get(index as usize).copied().unwrap_or(0);
            let joined: Vec<u32> = (0..range).map(|i| at(&one_plain, i).max(at(&other_plain, i))).collect();
            assert_eq!(listed(&one, range), joined);
            assert_eq!(listed(&before, one_range), one_plain, "a clone does not change");
            assert!(before.le(&one) && other.le(&one));
            assert_eq!(one.le(&before), joined.iter().zip(0..).all(|(&steps, i)| steps <= at(&one_plain, i)));
            assert_eq!(one.le(&other), joined.iter().zip(0..).all(|(&steps, i)| steps <= at(&other_plain, i)));
            let mut again = before.clone();
            again.join(&other);
            assert_eq!(again, one);
        }
        assert!(VectorClock::new().le(&VectorClock::new()));
        assert_eq!(VectorClock::new().get(ActorId(1_000_000)), 0);
    }

    #[test]
    fn clones_share_what_they_have_in_common() {
        let (clock, _) = scattered(3, 2000, 5000);
        let mut later = clock.clone();
        later.set(ActorId(4), 9999);
        let mut joined = clock.clone();
        joined.join(&later);
        let root = |clock: &VectorClock| match &clock.0 {
            ClockForm::Tree(tree) => tree.root.clone(),
            ClockForm::Row(_) => None,
        };
        let (joined, clock) = (root(&joined), root(&clock));
        let shared = |index: usize| match (joined.as_deref(), clock.as_deref()) {
            (Some(Block::Inner(one)), Some(Block::Inner(other))) => match (&one[index], &other[index]) {
                (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                _ => false,
            },
            _ => false,
        };
        assert!(!shared(0) && shared(1));
    }
}
