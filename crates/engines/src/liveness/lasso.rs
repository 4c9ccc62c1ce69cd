//! From a fair component to a stem and a loop that a person can follow, both short.
//!
//! The loop has to settle, in every round, each fair class that can move somewhere in the component: a weakly fair one by a
//! step, or by a state in which it cannot move; a strongly fair one by a step. From a beginning, the loop goes the
//! shortest way to the next thing that settles one of them, and when all are settled the shortest way back. Many
//! beginnings are tried, those nearest to the start of the program first, and the shortest stem and loop together are kept; of equal ones
//! that with the fewest changes between classes. The shortest of all tours would be a problem of a travelling salesman.

use super::component::{Edges, Parts};
use super::graph::{KeptStep, NO_STATE, OpenRegion, Path, StepGraph};
use crate::shared::bits::Bits;
use hashbrown::HashMap;
use mazurka_core::Fairness;
use std::collections::VecDeque;

/// How many states of the components are tried as the beginning of the loop.
const BEGINNINGS: usize = 64;

/// After so many steps looked at, the loops found so far are good enough.
const MOST_STEPS: usize = 5_000_000;

/// The shortest lasso that is found in the fair components of a region; `None` if there are no components.
pub(super) fn shortest(graph: &StepGraph, region: &OpenRegion, components: &[Vec<u32>], edges: Edges) -> Option<Path> {
    let mut parts = Parts::new(graph, edges);
    let mut duties: Vec<Bits> = Vec::new();
    let mut component_of: HashMap<u32, usize> = HashMap::new();
    for (number, component) in components.iter().enumerate() {
        parts.claim(component);
        duties.push(parts.around(component).any);
        component_of.extend(component.iter().map(|&state| (state, number)));
    }
    let mut tour = Tour { graph, parts: &parts, steps: 0 };
    let mut best: Option<((usize, usize), u32, Vec<KeptStep>)> = None;
    let beginnings = region.states.iter().zip(&region.lengths).filter(|(state, _)| component_of.contains_key(*state));
    for (&state, &stem) in beginnings.take(BEGINNINGS) {
        let known = best.as_ref().map_or(usize::MAX, |(cost, ..)| cost.0);
        // States come in the order of their stems: nothing shorter follows.
        if stem as usize > known || best.is_some() && tour.steps > MOST_STEPS {
            break;
        }
        let Some(round) = tour.from(state, &duties[component_of[&state]]) else { continue };
        let changes = round.windows(2).filter(|pair| pair[0].class() != pair[1].class()).count();
        let cost = (stem as usize + round.len(), changes);
        if best.as_ref().is_none_or(|(known, ..)| cost < *known) {
            best = Some((cost, state, round));
        }
    }
    let (_, mut state, round) = best?;
    let mut stem = vec![state];
    while region.before[state as usize] != NO_STATE {
        state = region.before[state as usize];
        stem.push(state);
    }
    stem.reverse();
    Some(Path { stem, round })
}

struct Tour<'g> {
    graph: &'g StepGraph,
    parts: &'g Parts<'g>,
    /// How many steps were looked at.
    steps: usize,
}

impl Tour<'_> {
    /// A round from a state through its component that settles all classes that can move somewhere there.
    fn from(&mut self, start: u32, any: &Bits) -> Option<Vec<KeptStep>> {
        let mut duties = Bits::default();
        for class in any.iter().filter(|&class| self.graph.fairness[class as usize] != Fairness::None) {
            duties.insert(class);
        }
        self.settle_at(start, &mut duties);
        let (mut at, mut round) = (start, Vec::new());
        if duties.is_empty() && self.graph.can_rest(start) {
            return Some(round);
        }
        loop {
            let way = self.nearest(at, start, &duties)?;
            for edge in way {
                duties.remove(edge.class());
                self.settle_at(edge.target, &mut duties);
                at = edge.target;
                round.push(edge);
            }
            if at == start && duties.is_empty() {
                return Some(round);
            }
        }
    }

    /// A weakly fair class that cannot move in a state is settled by that.
    fn settle_at(&self, state: u32, duties: &mut Bits) {
        let able = self.graph.able(state);
        let settled: Vec<u32> = duties.iter().filter(|&class| self.settles(able, class)).collect();
        settled.into_iter().for_each(|class| duties.remove(class));
    }

    fn settles(&self, able: &Bits, class: u32) -> bool {
        self.graph.fairness[class as usize] == Fairness::Weak && !able.contains(class)
    }

    /// The shortest way to a step that settles something, or back to the start if nothing is left to settle.
    fn nearest(&mut self, from: u32, start: u32, duties: &Bits) -> Option<Vec<KeptStep>> {
        let mut before: HashMap<u32, (u32, KeptStep)> = HashMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(state) = queue.pop_front() {
            for edge in self.parts.inside(state) {
                self.steps += 1;
                let able = self.graph.able(edge.target);
                let is_goal = if duties.is_empty() {
                    edge.target == start
                } else {
                    duties.contains(edge.class()) || duties.iter().any(|class| self.settles(able, class))
                };
                if is_goal {
                    let (mut way, mut at) = (vec![edge], state);
                    while at != from {
                        let (earlier, edge) = before[&at];
                        way.push(edge);
                        at = earlier;
                    }
                    way.reverse();
                    return Some(way);
                }
                if edge.target != from && !before.contains_key(&edge.target) {
                    before.insert(edge.target, (state, edge));
                    queue.push_back(edge.target);
                }
            }
        }
        None
    }
}
