//! The visible-operation dependency graph: which operations can follow which.
//!
//! Its nodes are the operations of the program, each an actor and what its step touches, however many states there are in
//! which it is executed. An edge leads from an operation to every one that was executed, or blocked, right after it. So what can
//! be reached from the operations that were tried in a state includes everything that was done after that state. Many paths
//! of the graph belong to no execution: what it tells is more than what is true, never less.

use crate::shared::bits::Bits;
use hashbrown::HashMap;
use mazurka_core::{ActorId, FootprintId, FootprintTable, Touch};
use rustc_hash::{FxBuildHasher, FxHashSet};

/// An operation by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct OperationId(pub(super) u32);

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Operation {
    pub(super) actor: ActorId,
    pub(super) footprint: FootprintId,
    /// Whether it was blocked, not executed.
    pub(super) waits: bool,
}

/// An entry of a summary: what an actor may touch from a state on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    pub(super) actor: ActorId,
    pub(super) touch: Touch,
}

/// The operations that were met, and which of them followed which.
#[derive(Default)]
pub(super) struct OperationGraph {
    numbers: HashMap<Operation, OperationId, FxBuildHasher>,
    operations: Vec<Operation>,
    followers: Vec<Vec<OperationId>>,
    edges: FxHashSet<(OperationId, OperationId)>,
    work: Vec<u32>,
}

impl OperationGraph {
    /// The number of an operation.
    pub(super) fn number(&mut self, operation: Operation) -> OperationId {
        if let Some(&known) = self.numbers.get(&operation) {
            return known;
        }
        let id = OperationId(self.operations.len() as u32);
        self.numbers.insert(operation, id);
        self.operations.push(operation);
        self.followers.push(Vec::new());
        id
    }

    /// One operation was done right after another.
    pub(super) fn follow(&mut self, one: OperationId, next: OperationId) {
        if self.edges.insert((one, next)) {
            self.followers[one.0 as usize].push(next);
        }
    }

    /// How many operations were met.
    pub(super) fn len(&self) -> usize {
        self.operations.len()
    }

    /// The operations that can be reached from some, themselves included.
    pub(super) fn reachable(&mut self, from: &Bits) -> Bits {
        let mut reachable = Bits::default();
        self.work.extend(from.iter());
        while let Some(id) = self.work.pop() {
            if reachable.insert(id) {
                self.work.extend(self.followers[id as usize].iter().map(|follower| follower.0));
            }
        }
        reachable
    }

    /// Everything that some operations touch, each entry once, those of an actor together.
    pub(super) fn entries(&self, operations: &Bits, footprints: &FootprintTable) -> Vec<Entry> {
        let claims_of = |id: u32| {
            let Operation { actor, footprint, .. } = self.operations[id as usize];
            footprints.get(footprint).touches().iter().map(move |&touch| Entry { actor, touch })
        };
        let mut entries: Vec<Entry> = operations.iter().flat_map(claims_of).collect();
        entries.sort_unstable_by_key(|entry| (entry.actor, entry.touch));
        entries.dedup();
        entries
    }
}
