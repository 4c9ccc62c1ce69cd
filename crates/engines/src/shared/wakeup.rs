//! Wakeup trees: what is still to be explored from the states of the current path.
//!
//! After Abdulla, Aronis, Jonsson, Sagonas, *Source Sets: A Foundation for Optimal Dynamic Partial Order Reduction*
//! (JACM 2017), section 6. A reversed race leaves a *wakeup sequence*: steps to be taken from a state on the path, the last
//! one of which was never taken there before what it races with. Sequences that begin alike share a branch, so those of one
//! state form an ordered tree. The search takes the first branch, and what hangs from it becomes the tree of the next state.
//!
//! A sequence is not inserted where a branch leads to it anyway: one whose first step is a *weak initial* of the
//! sequence, that is, where taking the step first loses nothing of it.
//!
//! All trees lie in one table and link their branches by number: a sequence may be a hundred thousand steps long.

use mazurka_core::{FootprintId, FootprintTable, Move, ObjectId, Outcome};
use std::collections::VecDeque;

/// A step and what it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Occurrence {
    pub(crate) step: Move,
    pub(crate) footprint: FootprintId,
    /// Whether the step has other outcomes too.
    pub(crate) has_choice: bool,
    /// The handler that its actor holds, which takes its messages in any order; see [`mazurka_core::Rule::Bag`].
    pub(crate) handler: Option<ObjectId>,
    /// Whether the step acquires the handler.
    pub(crate) starts: bool,
    /// Whether it releases the handler.
    pub(crate) ends: bool,
}

impl Occurrence {
    /// A step as it was recorded, of an actor that is no message.
    pub(crate) fn new(step: Move, footprint: FootprintId, next: Option<Outcome>) -> Self {
        let has_choice = next.is_some() || step.outcome != Outcome::FIRST;
        Occurrence { step, footprint, has_choice, handler: None, starts: false, ends: false }
    }
}

/// Whether a step may come first and nothing of a sequence is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeakInitial {
    /// It is the step at this place of the sequence, and nothing before that conflicts with it.
    At(usize),
    /// It is not in the sequence and conflicts with nothing in it.
    Beside,
    /// It starts a message on a handler that the sequence gives to another one before.
    Unclear,
    /// It conflicts with the sequence, or the sequence has the actor do something else.
    No,
}

/// Whether a step is a weak initial of a sequence, in a state from which both can be taken.
pub(crate) fn weak_initial(
    first: &Occurrence,
    sequence: impl IntoIterator<Item = Occurrence>,
    footprints: &FootprintTable,
) -> WeakInitial {
    for (place, next) in sequence.into_iter().enumerate() {
        if next.step.actor == first.step.actor {
            return if next.step == first.step { WeakInitial::At(place) } else { WeakInitial::No };
        }
        if first.starts && next.starts && next.handler == first.handler {
            return WeakInitial::Unclear;
        }
        if footprints.conflict(next.footprint, first.footprint) {
            return WeakInitial::No;
        }
    }
    WeakInitial::Beside
}

/// What a branch means to a sequence that is to be inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// The sequence cannot begin with the branch.
    No,
    /// Whatever the branch leads to includes the sequence.
    Covered,
    /// The sequence goes on below the branch; what it has in common with it was taken off.
    Below,
}

/// No branch.
const NONE: u32 = u32::MAX;

/// The branches of one node, in the order in which they are to be explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branches {
    first: u32,
    last: u32,
}

impl Default for Branches {
    fn default() -> Self {
        Branches { first: NONE, last: NONE }
    }
}

impl Branches {
    /// Whether nothing is to be explored.
    pub(crate) fn is_empty(self) -> bool {
        self.first == NONE
    }
}

#[derive(Clone, Debug)]
struct Branch {
    occurrence: Occurrence,
    next: u32,
    children: Branches,
}

/// The wakeup trees of all states of a path.
#[derive(Clone, Debug, Default)]
pub(crate) struct WakeupTrees {
    branches: Vec<Branch>,
    /// Numbers that can be given again.
    free: Vec<u32>,
}

impl WakeupTrees {
    /// Takes the first branch off a tree: its step, and the tree that hangs from it.
    pub(crate) fn take_first(&mut self, of: &mut Branches) -> Option<(Occurrence, Branches)> {
        let number = of.first;
        let branch = self.branches.get(number as usize)?;
        let taken = (branch.occurrence, branch.children);
        of.first = branch.next;
        if of.first == NONE {
            of.last = NONE;
        }
        self.free.push(number);
        Some(taken)
    }

    /// The branches of a tree in their order, with what hangs from each.
    pub(crate) fn iter(&self, of: Branches) -> impl Iterator<Item = (Occurrence, Branches)> + '_ {
        let branch = |number: u32| self.branches.get(number as usize);
        std::iter::successors(branch(of.first), move |last| branch(last.next))
            .map(|branch| (branch.occurrence, branch.children))
    }

    /// A tree as a list of its branches, each with its depth: equal trees have equal lists.
    pub(crate) fn listing(&self, of: Branches) -> Vec<(usize, Occurrence)> {
        let (mut list, mut open) = (Vec::new(), vec![(of.first, 0)]);
        while let Some((number, depth)) = open.pop() {
            if let Some(branch) = self.branches.get(number as usize) {
                list.push((depth, branch.occurrence));
                open.extend([(branch.next, depth), (branch.children.first, depth + 1)]);
            }
        }
        list
    }

    /// Forgets a tree that was taken off.
    pub(crate) fn discard(&mut self, of: Branches) {
        let mut open = vec![of.first];
        while let Some(number) = open.pop() {
            if let Some(branch) = self.branches.get(number as usize) {
                open.extend([branch.next, branch.children.first]);
                self.free.push(number);
            }
        }
    }

    /// What the actor of a branch does next, as far as that hangs from the branch.
    fn run_below(&self, branch: &Branch) -> RunBelow<'_> {
        RunBelow { trees: self, step: Move::from(branch.occurrence.step.actor), level: branch.children }
    }

    /// Where a sequence would have to be added to a tree: below which branch, or at the root. `None` if a branch covers it;
    /// `fit` says of a branch's first step, which its actor goes on from as given, what it means to the sequence, of which what
    /// is left over is to be added.
    fn place(
        &self,
        of: Branches,
        sequence: &mut VecDeque<Occurrence>,
        mut fit: impl FnMut(&Occurrence, RunBelow<'_>, &mut VecDeque<Occurrence>) -> Fit,
    ) -> Option<u32> {
        let (mut owner, mut number) = (NONE, of.first);
        while let Some(branch) = self.branches.get(number as usize) {
            match fit(&branch.occurrence, self.run_below(branch), sequence) {
                Fit::No => number = branch.next,
                Fit::Covered => return None,
                // A leaf is explored in all ways; and a sequence that is used up lies on the way there.
                Fit::Below if sequence.is_empty() || branch.children.is_empty() => return None,
                Fit::Below => (owner, number) = (number, branch.children.first),
            }
        }
        Some(owner)
    }

    /// Whether a branch covers a sequence; `fit` as for [`WakeupTrees::insert`].
    pub(crate) fn covers(
        &self,
        of: Branches,
        sequence: &mut VecDeque<Occurrence>,
        fit: impl FnMut(&Occurrence, RunBelow<'_>, &mut VecDeque<Occurrence>) -> Fit,
    ) -> bool {
        self.place(of, sequence, fit).is_none()
    }

    /// Inserts a sequence unless a branch covers it; `fit` says of a branch's first step what it means to the sequence. True
    /// if the tree has a new branch.
    pub(crate) fn insert(
        &mut self,
        into: &mut Branches,
        sequence: &mut VecDeque<Occurrence>,
        fit: impl FnMut(&Occurrence, RunBelow<'_>, &mut VecDeque<Occurrence>) -> Fit,
    ) -> bool {
        let place = self.place(*into, sequence, fit);
        if let Some(owner) = place {
            self.append(owner, into, sequence);
        }
        place.is_some()
    }

    /// Adds a sequence as the last branch of a node, or of the root.
    fn append(&mut self, owner: u32, root: &mut Branches, sequence: &VecDeque<Occurrence>) {
        let mut below = Branches::default();
        for &occurrence in sequence.iter().rev() {
            let number = self.put(Branch { occurrence, next: NONE, children: below });
            below = Branches { first: number, last: number };
        }
        let mut level = if owner == NONE { *root } else { self.branches[owner as usize].children };
        match self.branches.get_mut(level.last as usize) {
            Some(last) => last.next = below.first,
            None => level.first = below.first,
        }
        level.last = below.last;
        if owner == NONE {
            *root = level;
        } else {
            self.branches[owner as usize].children = level;
        }
    }

    fn put(&mut self, branch: Branch) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.branches[number as usize] = branch;
                number
            }
            None => {
                self.branches.push(branch);
                self.branches.len() as u32 - 1
            }
        }
    }
}

/// The steps that an actor takes below a branch before any other actor moves, each with its first outcome.
pub(crate) struct RunBelow<'t> {
    trees: &'t WakeupTrees,
    step: Move,
    level: Branches,
}

impl Iterator for RunBelow<'_> {
    type Item = Occurrence;

    fn next(&mut self) -> Option<Occurrence> {
        let (next, below) = self.trees.iter(self.level).find(|(next, _)| next.step == self.step)?;
        self.level = below;
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_core::{Access, ActorId, Dependence, Footprint, ObjectId};

    /// Steps that write one object each.
    fn occurrences(of: &[(u32, u32)], footprints: &mut FootprintTable) -> VecDeque<Occurrence> {
        let mut occurrence = |&(actor, object)| {
            let mut footprint = Footprint::default();
            footprint.touch(ObjectId(object), Access::WRITE);
            Occurrence::new(Move::from(ActorId(actor)), footprints.intern(&footprint), None)
        };
        of.iter().map(&mut occurrence).collect()
    }

    fn listed(trees: &WakeupTrees, of: Branches) -> String {
        let child = |(occurrence, below): (Occurrence, Branches)| {
            format!("{}[{}]", occurrence.step.actor.0, listed(trees, below))
        };
        trees.iter(of).map(child).collect()
    }

    #[test]
    fn sequences_that_agree_share_a_branch_and_those_that_are_covered_add_none() {
        let mut table = FootprintTable::new(Dependence::default());
        let (mut trees, mut root) = (WakeupTrees::default(), Branches::default());
        let mut insert = |of: &[(u32, u32)]| {
            let mut sequence = occurrences(of, &mut table);
            let added = trees.insert(&mut root, &mut sequence, |first, _, rest| {
                match weak_initial(first, rest.iter().copied(), &table) {
                    WeakInitial::At(place) => {
                        rest.remove(place);
                        Fit::Below
                    }
                    WeakInitial::Beside => Fit::Covered,
                    WeakInitial::Unclear | WeakInitial::No => Fit::No,
                }
            });
            (added, listed(&trees, root))
        };
        assert_eq!(insert(&[(0, 7), (1, 8)]), (true, "0[1[]]".into()));
        // The same two steps in the other order are the same trace.
        assert_eq!(insert(&[(1, 8), (0, 7)]), (false, "0[1[]]".into()));
        // Actor 2 writes what actor 1 writes, so it has to come before it.
        assert_eq!(insert(&[(2, 8), (0, 7)]), (true, "0[1[]2[]]".into()));
        // A step that conflicts with the first branch gets one of its own; another one is covered by it.
        assert_eq!(insert(&[(3, 7)]), (true, "0[1[]2[]]3[]".into()));
        assert_eq!(insert(&[(4, 9)]), (false, "0[1[]2[]]3[]".into()));
        let first = trees.take_first(&mut root).map(|(taken, below)| (taken.step.actor, listed(&trees, below)));
        assert_eq!(first, Some((ActorId(0), "1[]2[]".into())));
        assert_eq!(listed(&trees, root), "3[]");
    }
}
