//! The state graph, as far as questions about fair executions need it.
//!
//! Of a state its fingerprint, the state that it was first reached from, which conditions are true and which classes of
//! actors can move; of a step between two states in which some goal is not reached, the target and the class of the actor
//! that moves: 6 bytes. Steps that no property asks for are not kept.

use crate::Options;
use crate::shared::bits::{Bits, LongBits};
use crate::shared::visited::Key;
use hashbrown::{HashMap, HashTable};
use mazurka_core::{
    ActorId, ClassId, Ending, Fairness, Fingerprint, Form, Lasso, Meter, Move, Observer, Outcome, Progress, Schedule,
    Step, StopReason, System, class_of, fairness_of,
};

/// No state.
pub(super) const NO_STATE: u32 = u32::MAX;

/// Beside the class of a step, that it is progress.
const PROGRESS: u16 = 1 << 15;

/// The limits are looked at after this many states.
const CHECK_EVERY: usize = 256;

/// Sets of small numbers, each kept once.
#[derive(Default)]
pub(super) struct Sets {
    sets: Vec<Bits>,
    numbers: HashMap<Bits, u32>,
}

impl Sets {
    pub(super) fn intern(&mut self, set: &Bits) -> u32 {
        if let Some(&number) = self.numbers.get(set) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.numbers.insert(set.clone(), number);
        number
    }

    pub(super) fn get(&self, number: u32) -> &Bits {
        &self.sets[number as usize]
    }
}

/// States by number, in the order of a breadth-first search, and the steps between them.
#[derive(Default)]
pub(super) struct StepGraph {
    /// For each state where its steps begin, and one more.
    first: Vec<usize>,
    targets: Vec<u32>,
    labels: Vec<u16>,
    /// For each state the set of the classes that can move.
    able: Vec<u32>,
    /// For each state the set of the conditions that are true: goals by the number of their property, then causes.
    truths: Vec<u32>,
    sets: Sets,
    /// The states in which no actor can move and an assumption blocks the execution: no execution stands still there.
    stuck: LongBits,
    /// For each length of the shortest schedule, the number of the first state that has it.
    levels: Vec<u32>,
    /// How many initial states there are. They come first.
    pub(super) roots: u32,
    /// For each class who it is, and how it is treated.
    pub(super) classes: Vec<ClassId>,
    pub(super) fairness: Vec<Fairness>,
    properties: usize,
}

/// A step between two states of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeptStep {
    pub(super) target: u32,
    label: u16,
}

impl KeptStep {
    pub(super) fn class(self) -> u32 {
        u32::from(self.label & !PROGRESS)
    }

    pub(super) fn is_progress(self) -> bool {
        self.label & PROGRESS != 0
    }
}

/// What a property asks about, and the shortest way to each of its states.
pub(super) struct OpenRegion {
    /// In the order of the lengths of these ways.
    pub(super) states: Vec<u32>,
    /// For each of them the length of the way; in the same order.
    pub(super) lengths: Vec<u32>,
    /// For each state of the graph the state before it on the way; [`NO_STATE`] where the region begins.
    pub(super) before: Vec<u32>,
}

impl OpenRegion {
    /// The states on the shortest way to a state, backwards, without that state itself.
    pub(super) fn way_back(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        let before = |state: &u32| Some(self.before[*state as usize]).filter(|&before| before != NO_STATE);
        std::iter::successors(before(&state), before)
    }
}

impl StepGraph {
    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.able.len()
    }

    /// How many steps were kept.
    pub(super) fn kept_steps(&self) -> usize {
        self.targets.len()
    }

    /// The classes that can move in a state.
    pub(super) fn able(&self, state: u32) -> &Bits {
        self.sets.get(self.able[state as usize])
    }

    /// Whether both states have the same classes that can move.
    pub(super) fn able_set(&self, state: u32) -> u32 {
        self.able[state as usize]
    }

    /// Whether an execution can stand still in a state.
    pub(super) fn can_rest(&self, state: u32) -> bool {
        !self.stuck.contains(state)
    }

    /// Whether the goal of a property is reached in a state.
    pub(super) fn holds(&self, state: u32, property: usize) -> bool {
        self.sets.get(self.truths[state as usize]).contains(property as u32)
    }

    /// Whether the cause of a property is there in a state.
    pub(super) fn begins(&self, state: u32, property: usize) -> bool {
        self.sets.get(self.truths[state as usize]).contains((self.properties + property) as u32)
    }

    /// The place of a state's steps in the order of all steps.
    pub(super) fn steps(&self, state: u32) -> std::ops::Range<usize> {
        self.first[state as usize]..self.first[state as usize + 1]
    }

    /// A step by its place.
    pub(super) fn edge(&self, at: usize) -> KeptStep {
        KeptStep { target: self.targets[at], label: self.labels[at] }
    }

    /// The steps of a state.
    pub(super) fn edges(&self, state: u32) -> impl Iterator<Item = KeptStep> + '_ {
        self.steps(state).map(|at| self.edge(at))
    }

    /// The length of the shortest schedule to a state.
    pub(super) fn depth(&self, state: u32) -> u32 {
        self.levels.partition_point(|&first| first <= state) as u32 - 1
    }

    /// The states that a property of this form asks about; not all of them if the meter says that it is over.
    pub(super) fn region(&self, property: usize, form: Form, meter: &Meter) -> OpenRegion {
        let all = self.len() as u32;
        let is_inside = |state: u32| !self.holds(state, property);
        let begins = |state: u32| {
            is_inside(state)
                && match form {
                    Form::Eventually => state < self.roots,
                    Form::LeadsTo => self.begins(state, property),
                    Form::AlwaysEventually | Form::Progress => true,
                }
        };
        let mut region = OpenRegion { states: Vec::new(), lengths: Vec::new(), before: vec![NO_STATE; all as usize] };
        let mut reached = LongBits::default();
        // All ways grow by one step at a time, and the ways to where the region begins are known.
        let mut beginnings = (0..all).filter(|&state| begins(state)).peekable();
        let (mut length, mut from) = (0, 0);
        loop {
            let to = region.states.len();
            for at in from..to {
                if meter.is_over() {
                    region.lengths.resize(region.states.len(), length);
                    return region;
                }
                let state = region.states[at];
                for edge in self.edges(state) {
                    let target = edge.target;
                    if target < all
                        && is_inside(target)
                        && !(begins(target) && self.depth(target) == length)
                        && reached.insert(target)
                    {
                        region.before[target as usize] = state;
                        region.states.push(target);
                    }
                }
            }
            while let Some(state) = beginnings.next_if(|&state| self.depth(state) <= length) {
                if reached.insert(state) {
                    region.states.push(state);
                }
            }
            region.lengths.resize(region.states.len(), length);
            from = to;
            if from == region.states.len() {
                match beginnings.peek() {
                    Some(&next) => length = self.depth(next),
                    None => return region,
                }
            } else {
                length += 1;
            }
        }
    }

    /// A graph with these steps, for tests: of each state its steps (class and target), and the classes that can move in it
    /// besides. The first state is the initial one, and no goal is ever reached.
    #[cfg(test)]
    pub(super) fn of(steps: &[Vec<(u16, u32)>], elsewhere: &[Vec<u32>], fairness: &[Fairness]) -> StepGraph {
        let mut graph = StepGraph {
            first: vec![0],
            levels: vec![0],
            roots: 1,
            classes: (0..fairness.len() as u32).map(|class| ClassId::Actor(ActorId(class))).collect(),
            fairness: fairness.to_vec(),
            properties: 1,
            ..StepGraph::default()
        };
        for (steps, elsewhere) in steps.iter().zip(elsewhere) {
            let mut able = Bits::default();
            for &(class, target) in steps {
                able.insert(u32::from(class));
                graph.targets.push(target);
                graph.labels.push(class);
            }
            for &class in elsewhere {
                able.insert(class);
            }
            graph.first.push(graph.targets.len());
            let able = graph.sets.intern(&able);
            let none = graph.sets.intern(&Bits::default());
            graph.able.push(able);
            graph.truths.push(none);
        }
        graph
    }
}

/// A way through the graph that goes on for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path {
    /// The states of the stem, the last one being where the loop begins.
    pub(super) stem: Vec<u32>,
    /// The steps of the loop.
    pub(super) round: Vec<KeptStep>,
}

/// The graph of a program, and how to find its states again.
pub(super) struct Collected {
    pub(super) graph: StepGraph,
    fingerprints: Vec<Fingerprint>,
    /// For each state the one that it was first reached from; for an initial state which of the program's it is.
    before: Vec<u32>,
    /// Why the walk did not come to its end.
    pub(super) stop: Option<StopReason>,
}

/// The walk through all states.
struct GraphWalk<'s, S: System> {
    system: &'s S,
    all_fairness: Option<Fairness>,
    collected: Collected,
    by_fingerprint: HashTable<u32>,
    by_class: HashMap<ClassId, u16>,
    /// The goals, by the number of their property.
    goals: Bits,
    /// Those of them that ask for progress.
    progress: Bits,
    frontier: Vec<S::State>,
    next: Vec<S::State>,
}

impl Collected {
    /// Visits all states, as far as the options and the meter allow.
    pub(super) fn walk<S: System>(
        system: &S,
        options: &Options,
        meter: &mut Meter,
        observer: &mut dyn Observer,
    ) -> Collected {
        let mut walk = GraphWalk::new(system, options.fairness);
        let stop = walk.run(options.budget.depth, meter, observer).err();
        let mut collected = walk.collected;
        collected.stop = stop;
        // What was found and not looked at is no part of the graph.
        collected.graph.truths.truncate(collected.graph.able.len());
        collected.graph.roots = collected.graph.roots.min(collected.graph.len() as u32);
        collected
    }

    /// The schedule of a path.
    pub(super) fn schedule<S: System>(&self, system: &S, path: &Path) -> Option<Schedule> {
        let mut states = Vec::new();
        let mut at = *path.stem.first()?;
        while at >= self.graph.roots {
            states.push(at);
            at = self.before[at as usize];
        }
        states.reverse();
        let start = self.before[at as usize] as usize;
        states.extend_from_slice(&path.stem[1..]);
        let mut state = system.initial_states().into_iter().nth(start)?;
        let mut moves = Vec::with_capacity(states.len() + path.round.len());
        for &next in &states {
            moves.push(self.take(system, &mut state, next, |_, _| true)?);
        }
        let from = moves.len();
        for edge in &path.round {
            let class = self.graph.classes[edge.class() as usize];
            let is_it = |is_class: ClassId, is_progress: bool| is_class == class && is_progress == edge.is_progress();
            moves.push(self.take(system, &mut state, edge.target, is_it)?);
        }
        let lasso = Lasso { from, ..Lasso::default() };
        Some(Schedule { lasso: Some(lasso), ..Schedule::new(start, moves) })
    }

    /// Takes the first step that leads to a state and is the one that is looked for.
    fn take<S: System>(
        &self,
        system: &S,
        state: &mut S::State,
        target: u32,
        is_it: impl Fn(ClassId, bool) -> bool,
    ) -> Option<Move> {
        let wanted = self.fingerprints[target as usize];
        let (mut actors, mut step) = (Vec::new(), Step::without_footprint());
        system.enabled(state, &mut actors);
        for actor in actors {
            let class = class_of(system, state, actor);
            let mut outcome = Some(Outcome::FIRST);
            while let Some(current) = outcome {
                let mut successor = state.clone();
                let next = Move { actor, outcome: current };
                step.take(system, &mut successor, next);
                if system.insight().fingerprint(&successor) == wanted && is_it(class, step.is_progress()) {
                    *state = successor;
                    return Some(next);
                }
                outcome = step.next_outcome();
            }
        }
        None
    }
}

impl<'s, S: System> GraphWalk<'s, S> {
    fn new(system: &'s S, all_fairness: Option<Fairness>) -> Self {
        let properties = system.liveness().properties();
        let (mut goals, mut progress) = (Bits::default(), Bits::default());
        for (number, property) in (0..).zip(properties) {
            goals.insert(number);
            if property.form == Form::Progress {
                progress.insert(number);
            }
        }
        let graph = StepGraph { first: vec![0], properties: properties.len(), ..StepGraph::default() };
        GraphWalk {
            system,
            all_fairness,
            collected: Collected { graph, fingerprints: Vec::new(), before: Vec::new(), stop: None },
            by_fingerprint: HashTable::new(),
            by_class: HashMap::new(),
            goals,
            progress,
            frontier: Vec::new(),
            next: Vec::new(),
        }
    }

    fn run(&mut self, longest: Option<u64>, meter: &mut Meter, observer: &mut dyn Observer) -> Result<(), StopReason> {
        self.collected.graph.levels.push(0);
        for (start, state) in self.system.initial_states().into_iter().enumerate() {
            self.number(&state, start as u32);
            if self.collected.graph.roots < self.collected.fingerprints.len() as u32 {
                self.collected.graph.roots += 1;
                self.next.push(state);
            }
        }
        let (mut depth, mut step, mut actors, mut successor) = (0, Step::without_footprint(), Vec::new(), None);
        while !self.next.is_empty() {
            std::mem::swap(&mut self.frontier, &mut self.next);
            if depth > 0 {
                let first = self.collected.graph.able.len() as u32;
                self.collected.graph.levels.push(first);
            }
            let is_cut = longest.is_some_and(|longest| depth >= longest);
            for state in std::mem::take(&mut self.frontier) {
                let number = self.collected.graph.able.len();
                if number.is_multiple_of(CHECK_EVERY) || meter.is_over() {
                    self.check(depth, meter, observer)?;
                }
                actors.clear();
                self.system.enabled(&state, &mut actors);
                self.expand(&state, number as u32, &actors, is_cut, &mut step, &mut successor)?;
            }
            depth += 1;
        }
        Ok(())
    }

    fn check(&self, depth: u64, meter: &mut Meter, observer: &mut dyn Observer) -> Result<(), StopReason> {
        let graph = &self.collected.graph;
        let found = self.collected.fingerprints.len();
        if meter.progress_is_due() {
            let waiting = (found - graph.able.len()) as u64;
            let (found, transitions) = (found as u64, graph.targets.len() as u64);
            observer.progress(&Progress { found, unit: "states", transitions, depth, waiting });
        }
        let numbers_ran_out = found >= NO_STATE as usize;
        meter.check().or(numbers_ran_out.then_some(StopReason::MemoryLimit)).map_or(Ok(()), Err)
    }

    fn expand(
        &mut self,
        state: &S::State,
        number: u32,
        actors: &[ActorId],
        is_cut: bool,
        step: &mut Step,
        successor: &mut Option<S::State>,
    ) -> Result<(), StopReason> {
        let mut able = Bits::default();
        let truths = self.collected.graph.truths[number as usize];
        for &actor in actors {
            let class = self.class(state, actor)?;
            able.insert(u32::from(class));
            let mut outcome = if is_cut { None } else { Some(Outcome::FIRST) };
            while let Some(current) = outcome {
                let copy = match successor {
                    Some(copy) => {
                        copy.clone_from(state);
                        copy
                    }
                    None => successor.insert(state.clone()),
                };
                step.take(self.system, copy, Move { actor, outcome: current });
                outcome = step.next_outcome();
                let known = self.collected.fingerprints.len();
                let target = self.number(copy, number);
                let graph = &mut self.collected.graph;
                let theirs = graph.truths[target as usize];
                let is_progress = step.is_progress();
                let is_reached = |goal: u32| {
                    let (mine, theirs) = (graph.sets.get(truths), graph.sets.get(theirs));
                    mine.contains(goal) || theirs.contains(goal) || is_progress && self.progress.contains(goal)
                };
                if !self.goals.iter().all(is_reached) {
                    graph.targets.push(target);
                    graph.labels.push(class | if is_progress { PROGRESS } else { 0 });
                }
                if self.collected.fingerprints.len() > known {
                    self.next.extend(successor.take());
                }
            }
        }
        let graph = &mut self.collected.graph;
        if actors.is_empty() && self.system.ending(state) == Ending::Blocked {
            graph.stuck.insert(number);
        }
        graph.first.push(graph.targets.len());
        graph.able.push(graph.sets.intern(&able));
        Ok(())
    }

    /// The number of a state, which is new if it was not met before.
    fn number(&mut self, state: &S::State, before: u32) -> u32 {
        let fingerprint = self.system.insight().fingerprint(state);
        let hash = Key::from(fingerprint).hash();
        let fingerprints = &mut self.collected.fingerprints;
        let known = |&number: &u32| fingerprints[number as usize] == fingerprint;
        if let Some(&number) = self.by_fingerprint.find(hash, known) {
            return number;
        }
        let number = fingerprints.len() as u32;
        self.by_fingerprint.insert_unique(hash, number, |&number| Key::from(fingerprints[number as usize]).hash());
        fingerprints.push(fingerprint);
        self.collected.before.push(before);
        let (liveness, mut truths) = (self.system.liveness(), Bits::default());
        for goal in self.goals.iter() {
            if liveness.holds(state, goal as usize) {
                truths.insert(goal);
            }
            if liveness.begins(state, goal as usize) {
                truths.insert(self.collected.graph.properties as u32 + goal);
            }
        }
        let graph = &mut self.collected.graph;
        graph.truths.push(graph.sets.intern(&truths));
        number
    }

    fn class(&mut self, state: &S::State, actor: ActorId) -> Result<u16, StopReason> {
        let class = class_of(self.system, state, actor);
        if let Some(&number) = self.by_class.get(&class) {
            return Ok(number);
        }
        let graph = &mut self.collected.graph;
        let number = u16::try_from(graph.classes.len()).ok().filter(|&number| number < PROGRESS);
        let number = number.ok_or(StopReason::SizeLimit)?;
        graph.classes.push(class);
        graph.fairness.push(fairness_of(self.system, class, self.all_fairness));
        self.by_class.insert(class, number);
        Ok(number)
    }
}
