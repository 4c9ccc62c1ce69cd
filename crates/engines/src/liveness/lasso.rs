//! From fair components to a stem and a loop that a person can follow, both short.
//!
//! A program that may stand still is the shortest loop of all: the first state of the region in which an execution can, and
//! no fair class can move, is one candidate. Others are tours of a component. A tour settles the fair classes that can move
//! where it begins, and the strongly fair ones that can move where it comes by: a weakly fair one by a step, or by a
//! state in which it cannot move; a strongly fair one by a step. It goes the shortest way to the next thing that settles one
//! of them, and when all are settled the shortest way back.
//!
//! A tour may settle more than it has to. So stretches of it are left out, or a shorter way takes their place, long ones
//! first, for as long as the round that is left is fair. Then the loop begins with the state that is nearest to the start of
//! the program.
//!
//! Many beginnings are tried: those in which the fewest fair classes can move, since their loops are short, and those
//! nearest to the start of the program. The shortest stem and loop together are kept; of equal ones that with the fewest
//! changes between classes. The shortest of all tours would be a problem of a travelling salesman.

use super::component::{Edges, Parts};
use super::graph::{KeptStep, OpenRegion, Path, StepGraph};
use crate::shared::bits::{Bits, LongBits};
use hashbrown::HashMap;
use mazurka_core::{Fairness, Meter};
use std::collections::VecDeque;

/// How many states of the components are tried as the beginning of the loop, in each of the two orders.
const BEGINNINGS: usize = 64;

/// After this many steps looked at, the loops found so far are good enough.
const MOST_STEPS: usize = 1_000_000;

/// A loop through the region.
#[derive(Clone)]
struct Round {
    start: u32,
    steps: Vec<KeptStep>,
}

impl Round {
    /// The states that it visits; the one at its beginning stands first.
    fn states(&self) -> impl Iterator<Item = u32> + '_ {
        std::iter::once(self.start).chain(self.steps.iter().map(|step| step.target))
    }

    /// The same loop, begun this many steps later.
    fn rotate(&mut self, steps: usize) {
        if let Some(step) = steps.checked_sub(1).map(|last| self.steps[last]) {
            self.start = step.target;
            self.steps.rotate_left(steps);
        }
    }

    /// How often another class moves than the one before.
    fn changes(&self) -> usize {
        self.steps.windows(2).filter(|pair| pair[0].class() != pair[1].class()).count()
    }
}

/// The shortest lasso that is found in the fair components of a region; `None` if there are no components.
pub(super) fn shortest(
    graph: &StepGraph,
    region: &OpenRegion,
    components: &[Vec<u32>],
    edges: Edges,
    meter: &Meter,
) -> Option<Path> {
    let mut parts = Parts::new(graph, edges);
    let mut candidates = LongBits::default();
    for component in components {
        parts.claim(component);
        component.iter().for_each(|&state| {
            candidates.insert(state);
        });
    }
    let mut fair = Bits::default();
    (0..).zip(&graph.fairness).filter(|(_, fairness)| **fairness != Fairness::None).for_each(|(class, _)| {
        fair.insert(class);
    });
    let mut tour = Tour { graph, region, parts: &parts, fair, meter, steps: 0 };
    let mut best: Option<((usize, usize), Round)> = None;
    let stems = region.states.iter().zip(&region.lengths).map(|(&state, &stem)| (state, stem as usize));
    // In the order of their stems.
    let beginnings: Vec<(u32, usize)> = stems.filter(|&(state, _)| candidates.contains(state)).collect();
    if let Some(&(state, stem)) = beginnings.iter().find(|&&(state, _)| tour.can_rest(state)) {
        best = Some(((stem, 0), Round { start: state, steps: Vec::new() }));
    }
    let nearest = beginnings.iter().take(BEGINNINGS).copied();
    for (state, stem) in tour.quietest(&beginnings).into_iter().chain(nearest) {
        if best.is_some() && tour.is_over() {
            break;
        }
        // Nothing is shorter than a step more than the stem.
        if best.as_ref().is_some_and(|(known, _)| stem >= known.0) {
            continue;
        }
        let Some(round) = tour.from(state) else { continue };
        let round = tour.shortened(round);
        let cost = (tour.stem(round.start) + round.steps.len(), round.changes());
        if best.as_ref().is_none_or(|(known, _)| cost < *known) {
            best = Some((cost, round));
        }
    }
    let (_, Round { start, steps: round }) = best?;
    let mut stem = vec![start];
    stem.extend(region.way_back(start));
    stem.reverse();
    Some(Path { stem, round })
}

struct Tour<'g> {
    graph: &'g StepGraph,
    region: &'g OpenRegion,
    parts: &'g Parts<'g>,
    /// The classes that are treated fairly.
    fair: Bits,
    meter: &'g Meter,
    /// How many steps were looked at.
    steps: usize,
}

impl Tour<'_> {
    /// Whether it was tried long enough.
    fn is_over(&self) -> bool {
        self.steps > MOST_STEPS || self.meter.is_over()
    }

    /// Whether an execution may stand still in a state.
    fn can_rest(&self, state: u32) -> bool {
        self.graph.can_rest(state) && !self.graph.able(state).meets(&self.fair)
    }

    /// The length of the shortest way to a state of the region.
    fn stem(&self, state: u32) -> usize {
        let (mut steps, mut first) = (0, state);
        for state in self.region.way_back(state) {
            (steps, first) = (steps + 1, state);
        }
        self.graph.depth(first) as usize + steps
    }

    /// Whether a round treats every class as it has to, by itself.
    fn is_fair(&self, round: &Round) -> bool {
        let (mut all, mut any, mut taken) = (self.graph.able(round.start).clone(), Bits::default(), Bits::default());
        for state in round.states() {
            all.intersect(self.graph.able(state));
            any.unite(self.graph.able(state));
        }
        round.steps.iter().for_each(|step| {
            taken.insert(step.class());
        });
        any.intersect(&self.fair);
        any.subtract(&taken);
        any.iter().all(|class| self.graph.fairness[class as usize] == Fairness::Weak && !all.contains(class))
    }

    /// The beginnings in which the fewest fair classes can move.
    fn quietest(&self, beginnings: &[(u32, usize)]) -> Vec<(u32, usize)> {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        let mut loudness = |state: u32| {
            *counts.entry(self.graph.able_set(state)).or_insert_with(|| {
                let mut able = self.graph.able(state).clone();
                able.intersect(&self.fair);
                able.len()
            })
        };
        let mut all: Vec<(usize, usize)> =
            (0..).zip(beginnings).map(|(at, &(state, _))| (loudness(state), at)).collect();
        if all.len() > BEGINNINGS {
            all.select_nth_unstable(BEGINNINGS);
            all.truncate(BEGINNINGS);
        }
        all.sort_unstable();
        all.into_iter().map(|(_, at)| beginnings[at]).collect()
    }

    /// A round from a state through its component that treats every class as it has to.
    fn from(&mut self, start: u32) -> Option<Round> {
        let (mut duties, mut taken) = (self.graph.able(start).clone(), Bits::default());
        duties.intersect(&self.fair);
        let (mut at, mut steps) = (start, Vec::new());
        loop {
            let graph = self.graph;
            let settles = |step: KeptStep| match duties.is_empty() {
                true => step.target == start,
                false => {
                    let able = graph.able(step.target);
                    duties.contains(step.class()) || duties.iter().any(|class| settles(graph, able, class))
                }
            };
            let way = self.nearest(at, usize::MAX, settles)?;
            for step in way {
                taken.insert(step.class());
                duties.remove(step.class());
                self.come_by(step.target, &taken, &mut duties);
                at = step.target;
                steps.push(step);
            }
            if at == start && duties.is_empty() {
                return Some(Round { start, steps });
            }
        }
    }

    /// In a state, the weakly fair classes are settled that cannot move, and the strongly fair ones that can have to move.
    fn come_by(&self, state: u32, taken: &Bits, duties: &mut Bits) {
        let able = self.graph.able(state);
        let settled: Vec<u32> = duties.iter().filter(|&class| settles(self.graph, able, class)).collect();
        settled.into_iter().for_each(|class| duties.remove(class));
        let is_strong = |class: &u32| self.graph.fairness[*class as usize] == Fairness::Strong;
        for class in able.iter().filter(is_strong).filter(|&class| !taken.contains(class)) {
            duties.insert(class);
        }
    }

    /// The shortest way of at most this many steps that ends with a step that is looked for.
    fn nearest(&mut self, from: u32, most: usize, is_goal: impl Fn(KeptStep) -> bool) -> Option<Vec<KeptStep>> {
        let mut before: HashMap<u32, (u32, KeptStep)> = HashMap::new();
        let mut queue = VecDeque::from([(from, 0)]);
        while let Some((state, length)) = queue.pop_front() {
            if length >= most {
                return None;
            }
            for edge in self.parts.inside(state) {
                self.steps += 1;
                if is_goal(edge) {
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
                    queue.push_back((edge.target, length + 1));
                }
            }
        }
        None
    }

    /// Leaves out of a round what it does not need. It begins with the state that is nearest to the start of the program.
    fn shortened(&mut self, mut round: Round) -> Round {
        let mut size = round.steps.len();
        while size > 0 {
            let mut was_shortened = false;
            for _ in 0..round.steps.len() {
                if self.is_over() {
                    break;
                }
                was_shortened |= size <= round.steps.len() && self.leave_out(&mut round, size);
                round.rotate(1);
            }
            // What was left out may have made something else superfluous, of whatever size.
            size = if was_shortened { round.steps.len() } else { size - 1 };
            if self.is_over() {
                break;
            }
        }
        let stems: Vec<usize> = round.states().take(round.steps.len()).map(|state| self.stem(state)).collect();
        let nearest = (0..stems.len()).min_by_key(|&at| stems[at]).unwrap_or(0);
        round.rotate(nearest);
        round
    }

    /// Leaves out the first steps of a round, this many, or takes a shorter way instead of them, if what is left is fair.
    fn leave_out(&mut self, round: &mut Round, size: usize) -> bool {
        let (start, end) = (round.start, round.steps[size - 1].target);
        // All steps together may be replaced, and not be left out.
        let is_closed = start == end && size < round.steps.len();
        let way = match is_closed {
            true => Some(Vec::new()),
            false => self.nearest(start, size - 1, |step| step.target == end),
        };
        let Some(mut steps) = way else { return false };
        steps.extend_from_slice(&round.steps[size..]);
        let shorter = Round { start, steps };
        let is_fair = self.is_fair(&shorter);
        if is_fair {
            *round = shorter;
        }
        is_fair
    }
}

/// Whether a class is settled by a state in which these classes can move.
fn settles(graph: &StepGraph, able: &Bits, class: u32) -> bool {
    graph.fairness[class as usize] == Fairness::Weak && !able.contains(class)
}
