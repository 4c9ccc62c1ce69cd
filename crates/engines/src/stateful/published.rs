//! What the repaired algorithm does otherwise, as it was published. It misses behaviours: for comparison only
//! (`--as-published`).
//!
//! UPDATEBACKTRACKSETDFS follows every path backwards from a transition. It settles each of its accesses at the nearest
//! conflicting step, and what lies before that step is compared on behalf of that step. The programs `finding-*.mz` in
//! `tests/papers/stateful-dpor` show what that misses. It follows every simple path, so that its time is exponential in the
//! size of the graph.

use super::reference::{NodeId, Path as Execution, Search, Transition};
use mazurka_core::{ActorId, StopReason, System, Touch};
use std::rc::Rc;

/// Algorithm 2, lines 4 to 6: where all enabled actors are done, and the cycle is not full, the execution takes one of their
/// transitions again. The paper leaves open which: here that of the actor whose last move is longest ago.
/// Taking a transition again needs no update: every edge that was added since has updated all that is reachable from it.
pub(super) fn select_again<S: System>(
    search: &Search<'_, S>,
    execution: &Execution,
    at: NodeId,
) -> Option<(ActorId, NodeId)> {
    let outgoing = search.nodes[at].outgoing.iter().map(|&index| &search.transitions[index]);
    let oldest = outgoing.min_by_key(|transition| (execution.last_move.get(&transition.actor), transition.actor))?;
    Some((oldest.actor, oldest.to))
}

/// Algorithm 2, lines 25 to 33, once a transition has been added to the graph.
pub(super) fn update_backtrack_sets<S: System>(
    search: &mut Search<'_, S>,
    transition: usize,
) -> Result<(), StopReason> {
    update_backtrack_set(search, transition)?;
    // Algorithm 3: for every transition that is reachable from here. A new state has none.
    let mut reachable = vec![false; search.transitions.len()];
    let mut work = vec![transition];
    while let Some(before) = work.pop() {
        let to = search.transitions[before].to;
        for index in 0..search.nodes[to].outgoing.len() {
            let next = search.nodes[to].outgoing[index];
            if !std::mem::replace(&mut reachable[next], true) {
                update_backtrack_set(search, next)?;
                work.push(next);
            }
        }
    }
    Ok(())
}

/// The transitions of one path of the depth-first search, the last one first.
struct Path {
    transition: usize,
    rest: Option<Rc<Path>>,
}

impl Path {
    fn contains(mut self: &Rc<Self>, transition: usize) -> bool {
        loop {
            match &self.rest {
                _ if self.transition == transition => return true,
                Some(rest) => self = rest,
                None => return false,
            }
        }
    }
}

/// Algorithm 5, with the calls of UPDATEBACKTRACKSETDFS on a stack of our own.
fn update_backtrack_set<S: System>(search: &mut Search<'_, S>, transition: usize) -> Result<(), StopReason> {
    let accesses: Vec<Touch> = search.transitions[transition].accesses.touches().to_vec();
    let mut calls = vec![(transition, accesses, Rc::new(Path { transition, rest: None }))];
    while let Some((conflicting, accesses, explored)) = calls.pop() {
        let current = search.transitions[explored.transition].from;
        for index in 0..search.nodes[current].incoming.len() {
            let before = search.nodes[current].incoming[index];
            if explored.contains(before) {
                continue;
            }
            let Transition { from, accesses: its, .. } = &search.transitions[before];
            let dependence = search.dependence;
            let conflicts =
                |touch: &Touch| its.access(touch.object).is_some_and(|access| dependence.touches(access, touch.access));
            let left: Vec<Touch> = accesses.iter().copied().filter(|touch| !conflicts(touch)).collect();
            let mut on_behalf_of = conflicting;
            if left.len() < accesses.len() {
                let (from, actor) = (*from, search.transitions[conflicting].actor);
                search.add_conflict(from, actor);
                on_behalf_of = before;
            }
            // Without accesses nothing conflicts any more.
            if left.is_empty() {
                continue;
            }
            calls.push((on_behalf_of, left, Rc::new(Path { transition: before, rest: Some(Rc::clone(&explored)) })));
            search.tick()?;
        }
    }
    Ok(())
}
