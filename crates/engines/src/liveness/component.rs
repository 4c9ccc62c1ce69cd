//! Sets of states that a fair execution can visit again and again, all of each.
//!
//! A *fair component* of a region is a strongly connected set of its states such that the execution that goes through all of
//! it for ever is fair: every weakly fair class moves within it or cannot move somewhere in it, and every strongly fair one
//! moves within it or cannot move anywhere in it. Steps within the region only are followed, but whether a class can
//! move is asked of the whole program.
//!
//! **Algorithm** (Emerson and Lei, *Modalities for model checking*, 1987, for fairness of actors, without a formula). A
//! list has sets of states, at first the region. Take a set, and of each strongly connected component C of it: a fair
//! class that can move in all states of C and does not move within C makes C unfair, and every part of C. Otherwise, if strongly
//! fair classes can move in some states of C and do not move within it, the other states of C go on the list. Otherwise C is
//! fair.
//!
//! **Why it is right.** A fair component gives a fair execution that stays in the region. Let, on the other hand, a fair
//! execution stay in the region from some point on, and I be the set of states that it visits again and again. I is
//! strongly connected, so it lies within one component C of every set that contains it. C is not dropped: a fair class
//! that can move throughout C can move throughout I, so it moves again and again, within I. No state of I is taken
//! out of C: a strongly fair class that can move there can do so again and again, so it moves within I. So some set that contains
//! I stays on the list until a fair component is found, at the latest I itself; and the sets become smaller.
//!
//! With s strongly fair classes, n states and m steps this takes time O((n + m)(s + 1)): each round takes a component apart
//! because of a class that no part of it can move any more.

use super::graph::{KeptStep, StepGraph};
use crate::shared::bits::Bits;
use mazurka_core::{Fairness, Form, Meter};

/// Which steps are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edges {
    All,
    WithoutProgress,
}

impl Edges {
    pub(super) fn of(form: Form) -> Self {
        if form == Form::Progress { Edges::WithoutProgress } else { Edges::All }
    }

    pub(super) fn include(self, edge: KeptStep) -> bool {
        self == Edges::All || !edge.is_progress()
    }
}

/// No set.
const NONE: u32 = 0;

/// Fair components of a region that have no state in common, at most this many. There is none if and only if no fair
/// execution stays in the region. If the meter says that it is over, those that were found so far.
pub(super) fn fair_components(
    graph: &StepGraph,
    region: &[u32],
    fairness: &[Fairness],
    edges: Edges,
    most: usize,
    meter: &Meter,
) -> Vec<Vec<u32>> {
    let (mut fair, mut strong) = (Bits::default(), Bits::default());
    for (&fairness, class) in fairness.iter().zip(0..) {
        if fairness != Fairness::None {
            fair.insert(class);
        }
        if fairness == Fairness::Strong {
            strong.insert(class);
        }
    }
    let mut parts = Parts::new(graph, edges);
    let (mut found, mut list) = (Vec::new(), vec![region.to_vec()]);
    while let Some(set) = list.pop() {
        parts.claim(&set);
        for component in parts.components(&set, meter) {
            if meter.is_over() {
                return found;
            }
            parts.claim(&component);
            let Around { taken, all, any, goes_on } = parts.around(&component);
            let mut missed = all;
            missed.intersect(&fair);
            missed.subtract(&taken);
            if !goes_on || !missed.is_empty() {
                continue;
            }
            missed = any;
            missed.intersect(&strong);
            missed.subtract(&taken);
            if missed.is_empty() {
                found.push(component);
                if found.len() >= most {
                    return found;
                }
            } else {
                list.push(component.into_iter().filter(|&state| !graph.able(state).meets(&missed)).collect());
            }
        }
    }
    found
}

/// What is seen of the classes in a set of states.
pub(super) struct Around {
    /// Those that move within it.
    pub(super) taken: Bits,
    /// Those that can move in all its states.
    pub(super) all: Bits,
    /// Those that can move in some of them.
    pub(super) any: Bits,
    /// Whether an execution can stay there.
    pub(super) goes_on: bool,
}

/// A graph taken apart: each state belongs to one set at a time.
pub(super) struct Parts<'g> {
    graph: &'g StepGraph,
    edges: Edges,
    /// For each state the number of its set.
    part: Vec<u32>,
    last: u32,
    /// For each state when the search for components met it, within the search that began last; 0 if it did not.
    met: Vec<u32>,
    lowest: Vec<u32>,
}

impl<'g> Parts<'g> {
    pub(super) fn new(graph: &'g StepGraph, edges: Edges) -> Self {
        let states = graph.len();
        Parts { graph, edges, part: vec![NONE; states], last: NONE, met: vec![0; states], lowest: vec![0; states] }
    }

    /// Makes some states a set.
    pub(super) fn claim(&mut self, states: &[u32]) {
        self.last += 1;
        states.iter().for_each(|&state| self.part[state as usize] = self.last);
    }

    /// The steps of a state that stay within its set.
    pub(super) fn inside(&self, state: u32) -> impl Iterator<Item = KeptStep> + '_ {
        self.graph.edges(state).filter(move |&edge| self.stays(state, edge))
    }

    fn stays(&self, state: u32, edge: KeptStep) -> bool {
        let part = self.part.get(edge.target as usize);
        part == Some(&self.part[state as usize]) && self.edges.include(edge)
    }

    /// What is seen of the classes in the set that was claimed last.
    pub(super) fn around(&self, states: &[u32]) -> Around {
        let (mut taken, mut any) = (Bits::default(), Bits::default());
        let mut all = states.first().map(|&state| self.graph.able(state).clone()).unwrap_or_default();
        let (mut goes_on, mut before) = (false, None);
        for &state in states {
            goes_on |= self.graph.can_rest(state);
            let able = Some(self.graph.able_set(state));
            if able != before {
                before = able;
                all.intersect(self.graph.able(state));
                any.unite(self.graph.able(state));
            }
            for edge in self.inside(state) {
                taken.insert(edge.class());
                goes_on = true;
            }
        }
        Around { taken, all, any, goes_on }
    }

    /// The strongly connected components of the set that was claimed last (Tarjan, *Depth-first search and linear graph
    /// algorithms*, 1972), without recursion. If the meter says that it is over, those that were complete by then.
    fn components(&mut self, set: &[u32], meter: &Meter) -> Vec<Vec<u32>> {
        set.iter().for_each(|&state| self.met[state as usize] = 0);
        let (mut components, mut open, mut calls, mut clock) = (Vec::new(), Vec::new(), Vec::new(), 0);
        // A state whose component is complete is met as if it were not there.
        const DONE: u32 = u32::MAX;
        for &root in set {
            if self.met[root as usize] != 0 {
                continue;
            }
            if meter.is_over() {
                return components;
            }
            calls.push((root, self.graph.steps(root)));
            while let Some((state, steps)) = calls.last_mut() {
                let state = *state;
                if self.met[state as usize] == 0 {
                    if meter.is_over() {
                        return components;
                    }
                    clock += 1;
                    (self.met[state as usize], self.lowest[state as usize]) = (clock, clock);
                    open.push(state);
                }
                match steps.next() {
                    Some(at) => {
                        let edge = self.graph.edge(at);
                        if !self.stays(state, edge) {
                            continue;
                        }
                        match self.met[edge.target as usize] {
                            0 => calls.push((edge.target, self.graph.steps(edge.target))),
                            DONE => {}
                            met => self.lowest[state as usize] = self.lowest[state as usize].min(met),
                        }
                    }
                    None => {
                        calls.pop();
                        let lowest = self.lowest[state as usize];
                        if let Some(&(caller, _)) = calls.last() {
                            self.lowest[caller as usize] = self.lowest[caller as usize].min(lowest);
                        }
                        if lowest == self.met[state as usize] {
                            let first = open.iter().rposition(|&other| other == state).unwrap_or(0);
                            let component = open.split_off(first);
                            component.iter().for_each(|&state| self.met[state as usize] = DONE);
                            components.push(component);
                        }
                    }
                }
            }
        }
        components
    }
}
