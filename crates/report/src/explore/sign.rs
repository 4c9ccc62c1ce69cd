//! What an engine shows of its search: a tree that grows, one node for each step that was taken.
//!
//! [`Teller`] is the observer of a search on one [`System`]. It keeps the states of the current path, so that it can say what a
//! step does, and knows each node's place, so that a reader can go there.

use super::{Turn, Waypoint};
use mazurka_core::{
    ActorId, Because, Ending, Explored, Location, Move, Observer, Outcome, Progress, Stepper, System, Violation,
};
use std::collections::HashMap;

/// A node of the tree, by its number.
pub type NodeNumber = u32;

/// Something that an engine shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A step is taken: the tree has a new node, or the search comes through an old one again.
    Step {
        /// The node.
        node: NodeNumber,
        /// The node in front of the step; an initial state has none.
        parent: Option<NodeNumber>,
        /// The actor that moves.
        actor: String,
        /// What it does, as the source has it.
        text: String,
        /// Where the source has it.
        location: Option<Location>,
        /// The place.
        waypoint: Waypoint,
    },
    /// The search goes on from the state that the last step led to.
    State {
        /// Its node.
        node: NodeNumber,
        /// The actors that can move.
        enabled: Vec<String>,
        /// Those of them that sleep.
        asleep: Vec<String>,
    },
    /// Something is to be tried in a state.
    Branch {
        /// The state's node.
        node: NodeNumber,
        /// The steps that are to be tried, one after the other: their actors, with `~` and a number where another outcome than the
        /// first one is meant.
        actors: Vec<String>,
        /// Why, in a few words.
        why: String,
    },
    /// The path ends at a node.
    Leaf {
        /// The node.
        node: NodeNumber,
        /// How.
        leaf: Leaf,
    },
    /// Everything was tried in a state.
    Closed {
        /// Its node.
        node: NodeNumber,
    },
    /// The path comes to a violation.
    Wrong {
        /// The node at which.
        node: NodeNumber,
        /// What is wrong.
        message: String,
    },
}

/// How a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaf {
    /// Everything is done.
    Finished,
    /// An assumption is false.
    Assumption,
    /// Some actor still has something to do, and none can move.
    Deadlock,
    /// Whoever can move sleeps.
    Asleep,
    /// What comes after the state is known.
    Met,
    /// A bound cut the path, or it came back to one of its own states.
    Cut,
}

impl Leaf {
    /// The name in pages.
    pub fn name(self) -> &'static str {
        match self {
            Leaf::Finished => "finished",
            Leaf::Assumption => "assumption",
            Leaf::Deadlock => "deadlock",
            Leaf::Asleep => "asleep",
            Leaf::Met => "met",
            Leaf::Cut => "cut",
        }
    }
}

/// Who watches a search.
pub trait Audience: Send {
    /// Something is shown. The search waits for the answer.
    fn see(&mut self, sign: Sign);

    /// Whether whole signs are wanted. Otherwise only [`Audience::passed`] is called.
    fn wants_signs(&mut self) -> bool;

    /// A step was taken, or a path has ended, of which nothing more is told.
    fn passed(&mut self, is_leaf: bool);

    /// How the search stands.
    fn progress(&mut self, _progress: &Progress) {}
}

/// Tells an audience what a search on a system does.
pub struct Teller<'s, 'a, S: System> {
    system: &'s S,
    audience: &'a mut dyn Audience,
    starts: Vec<S::State>,
    /// The nodes behind each node, by the step that leads there.
    nodes: HashMap<(Option<NodeNumber>, Move), NodeNumber>,
    waypoint: Waypoint,
    path: Vec<Standpoint<S::State>>,
}

/// A state of the current path.
struct Standpoint<T> {
    /// Its node, unless the tree has grown too large.
    node: Option<NodeNumber>,
    state: T,
    enabled: Vec<ActorId>,
    /// The step that led there, in words.
    told: String,
}

impl<'s, 'a, S: System> Teller<'s, 'a, S> {
    /// Nothing was shown yet.
    pub fn new(system: &'s S, audience: &'a mut dyn Audience) -> Self {
        let starts = system.initial_states();
        Teller { system, audience, starts, nodes: HashMap::new(), waypoint: Waypoint::default(), path: Vec::new() }
    }

    fn start(&mut self, start: usize) {
        let Some(state) = self.starts.get(start).cloned() else { return };
        self.waypoint = Waypoint { start, turns: Vec::new() };
        self.path.clear();
        let (number, first) = (Move::from(ActorId(start as u32)), self.nodes.len() as NodeNumber);
        let node = *self.nodes.entry((None, number)).or_insert(first);
        let told = if self.starts.len() > 1 { format!("initial state {start}") } else { "start".to_owned() };
        self.push(Some(node), state, told.clone());
        let waypoint = self.waypoint.clone();
        self.audience.see(Sign::Step {
            node,
            parent: None,
            actor: String::new(),
            text: told,
            location: None,
            waypoint,
        });
    }

    fn push(&mut self, node: Option<NodeNumber>, state: S::State, told: String) {
        let mut enabled = Vec::new();
        self.system.enabled(&state, &mut enabled);
        self.path.push(Standpoint { node, state, enabled, told });
    }

    fn step(&mut self, step: Move) {
        let Some(last) = self.path.last() else { return };
        let turn = last.enabled.iter().position(|&actor| actor == step.actor).unwrap_or(usize::MAX);
        let (parent, state) = (last.node, last.state.clone());
        let mut stepper = Stepper::new(self.system, state);
        self.waypoint.turns.push(Turn { actor: turn as u32, outcome: step.outcome.0 });
        let known = parent.and_then(|_| self.nodes.get(&(parent, step)).copied());
        let is_told = parent.is_some() && (known.is_some() || self.audience.wants_signs());
        if !is_told {
            self.audience.passed(false);
            let state = stepper.try_step(step).is_some().then(|| stepper.state().clone());
            state.into_iter().for_each(|state| self.push(None, state, String::new()));
            return;
        }
        let described = self.system.narrator().describe(stepper.state(), step.actor, step.outcome);
        let actor = self.system.narrator().actor_name(step.actor);
        let node = known.unwrap_or(self.nodes.len() as NodeNumber);
        self.nodes.insert((parent, step), node);
        stepper.try_step(step);
        let told = if described.text == actor { actor.clone() } else { format!("{actor}: {}", described.text) };
        self.push(Some(node), stepper.state().clone(), told);
        let (text, location, waypoint) = (described.text, described.location, self.waypoint.clone());
        self.audience.see(Sign::Step { node, parent, actor, text, location, waypoint });
    }

    fn names(&self, actors: &[ActorId]) -> Vec<String> {
        actors.iter().map(|&actor| self.system.narrator().actor_name(actor)).collect()
    }

    /// An actor, and its outcome unless that is the first one.
    fn label(&self, Move { actor, outcome }: Move) -> String {
        let name = self.system.narrator().actor_name(actor);
        if outcome == Outcome::FIRST { name } else { format!("{name} ~{}", outcome.0) }
    }

    /// Why something is to be tried, in a few words.
    fn why(&self, because: Because) -> String {
        let step = |index: usize| match self.path.get(index + 1) {
            Some(standpoint) if !standpoint.told.is_empty() => format!("step {} ({})", index + 1, standpoint.told),
            _ => format!("step {}", index + 1),
        };
        let name = |actor| self.system.narrator().actor_name(actor);
        match because {
            Because::First => "the search begins with it".to_owned(),
            Because::Race { first, second } => format!("{} races with {}", step(first), step(second)),
            Because::NextStep { first, actor } => {
                format!("{} races with the next step of {}", step(first), name(actor))
            }
            Because::Waiting { actor } => {
                format!("{} is blocked at the end, and could have moved earlier", name(actor))
            }
            Because::Choice { step: index } => format!("{} has another outcome", step(index)),
            Because::Conflict { actor } => format!("its step conflicts with what {} may do later", name(actor)),
            Because::All => "it may enable what comes later".to_owned(),
        }
    }

    fn leaf(&mut self, leaf: Leaf) {
        match self.path.last().and_then(|last| last.node) {
            Some(node) => self.audience.see(Sign::Leaf { node, leaf }),
            None => self.audience.passed(true),
        }
    }

    fn back(&mut self, depth: usize) {
        self.path.truncate(depth + 1);
        self.waypoint.turns.truncate(depth);
    }
}

impl<S: System> Observer for Teller<'_, '_, S> {
    fn wants_tree(&self) -> bool {
        true
    }

    fn explored(&mut self, explored: &Explored<'_>) {
        let node = |depth: usize| self.path.get(depth).and_then(|standpoint| standpoint.node);
        match *explored {
            Explored::Start(start) => self.start(start),
            Explored::Jump(schedule) => {
                self.start(schedule.start);
                schedule.moves.iter().for_each(|&step| self.step(step));
            }
            Explored::Back(depth) => self.back(depth),
            Explored::Step(step) => self.step(step),
            Explored::State { enabled, asleep } => {
                if let Some(node) = self.path.last().and_then(|last| last.node) {
                    let (enabled, asleep) = (self.names(enabled), self.names(asleep));
                    self.audience.see(Sign::State { node, enabled, asleep });
                }
            }
            Explored::Branch { depth, moves, because } => {
                if let Some(node) = node(depth) {
                    let (actors, why) = (moves.iter().map(|&step| self.label(step)).collect(), self.why(because));
                    self.audience.see(Sign::Branch { node, actors, why });
                }
            }
            Explored::Asleep => self.leaf(Leaf::Asleep),
            Explored::Met => self.leaf(Leaf::Met),
            Explored::Cut => self.leaf(Leaf::Cut),
            Explored::Ended(ending) => self.leaf(match ending {
                Ending::Finished => Leaf::Finished,
                Ending::Blocked => Leaf::Assumption,
                Ending::Deadlock(_) => Leaf::Deadlock,
            }),
            Explored::Closed(depth) => {
                let node = node(depth);
                self.back(depth);
                node.into_iter().for_each(|node| self.audience.see(Sign::Closed { node }));
            }
        }
    }

    fn progress(&mut self, progress: &Progress) {
        self.audience.progress(progress);
    }

    fn violation(&mut self, violation: &Violation) {
        if let Some(node) = self.path.last().and_then(|last| last.node) {
            self.audience.see(Sign::Wrong { node, message: violation.message.clone() });
        }
    }
}
