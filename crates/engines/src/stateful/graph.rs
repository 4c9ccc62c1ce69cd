//! The state transition graph: the states that were met and the transitions between them.
//!
//! Each state keeps what is to be tried there (`backtrack`), what was tried (`done`), and the claims that reach it from
//! below. Claims spread backwards over all transitions that are known, each at most once over each transition, by a
//! work list: a new transition costs what it newly makes known, however many paths there are.

use super::summary::{ClaimId, Claims, LabelId};
use crate::bits::Bits;
use hashbrown::HashMap;
use mazurka_core::{ActorId, Awaited, Fingerprint, Footprint, Move, Next, Schedule, System};
use rustc_hash::FxBuildHasher;

/// A state by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeId(pub(super) u32);

/// No transition.
const NONE: u32 = u32::MAX;

/// A state of the graph.
pub(super) struct Node<T> {
    pub(super) state: T,
    /// How it was first reached: from where, by which move. An initial state is reached from itself.
    parent: NodeId,
    via: Move,
    pub(super) depth: u64,
    /// Which of the lists of enabled actors is its own; the sets below are about positions in that list.
    enabled: u32,
    /// What is to be tried here, and whether that is everybody.
    backtrack: Bits,
    tries_all: bool,
    /// What was tried here.
    pub(super) done: Bits,
    /// The claims that reach this state from below.
    summary: Bits,
    /// Those that have not been spread yet.
    fresh: Bits,
    /// The first of the transitions that lead here.
    first_in: u32,
    /// Whether an execution that went through here has ended: the history H of the paper.
    pub(super) closed: bool,
    /// When the current execution first came through here.
    pub(super) seen_at: u64,
}

struct Edge {
    from: NodeId,
    label: LabelId,
    /// The next transition that leads to the same state.
    next_in: u32,
}

/// A list of enabled actors, kept once: many states share it.
struct Enabled {
    actors: Box<[ActorId]>,
    /// Of the first `known` claims, those whose actors are in the list.
    claims: Bits,
    known: u32,
}

/// The lists of enabled actors.
#[derive(Default)]
struct EnabledLists {
    numbers: HashMap<Box<[ActorId]>, u32, FxBuildHasher>,
    lists: Vec<Enabled>,
}

impl EnabledLists {
    fn intern(&mut self, actors: &[ActorId]) -> u32 {
        if let Some(&number) = self.numbers.get(actors) {
            return number;
        }
        let number = self.lists.len() as u32;
        self.numbers.insert(actors.into(), number);
        self.lists.push(Enabled { actors: actors.into(), claims: Bits::default(), known: 0 });
        number
    }

    /// The claims of those who are in a list.
    fn claims_of(&mut self, number: u32, claims: &Claims) -> &Bits {
        let list = &mut self.lists[number as usize];
        while list.known < claims.len() {
            if list.actors.contains(&claims.get(ClaimId(list.known)).actor) {
                list.claims.insert(list.known);
            }
            list.known += 1;
        }
        &list.claims
    }
}

/// The states that were met, and the transitions between them.
pub(super) struct Graph<'s, S: System> {
    system: &'s S,
    pub(super) claims: Claims,
    nodes: Vec<Node<S::State>>,
    numbers: HashMap<Fingerprint, NodeId, FxBuildHasher>,
    edges: Vec<Edge>,
    enabled_lists: EnabledLists,
    /// The states whose claims have to be spread.
    spreading: Vec<NodeId>,
    /// States that have got more to try; some may have tried it by now.
    pub(super) pending: Vec<NodeId>,
    /// Whether to do without the savings that are ours.
    plain: bool,
    /// Scratch.
    out: Bits,
    special: Vec<u32>,
    awaited_in: Option<NodeId>,
    awaited: Vec<(ActorId, Option<Awaited>)>,
    waiting: Vec<ActorId>,
}

impl<'s, S: System> Graph<'s, S> {
    pub(super) fn new(system: &'s S, claims: Claims, plain: bool) -> Self {
        Graph {
            system,
            claims,
            nodes: Vec::new(),
            numbers: HashMap::default(),
            edges: Vec::new(),
            enabled_lists: EnabledLists::default(),
            spreading: Vec::new(),
            pending: Vec::new(),
            plain,
            out: Bits::default(),
            special: Vec::new(),
            awaited_in: None,
            awaited: Vec::new(),
            waiting: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, id: NodeId) -> &Node<S::State> {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> &mut Node<S::State> {
        &mut self.nodes[id.0 as usize]
    }

    /// Who can move in a state.
    pub(super) fn enabled(&self, id: NodeId) -> &[ActorId] {
        &self.enabled_lists.lists[self.node(id).enabled as usize].actors
    }

    /// The number of a state, and whether it is new.
    pub(super) fn enter(
        &mut self,
        state: &S::State,
        enabled: &mut Vec<ActorId>,
        from: Option<(NodeId, Move)>,
    ) -> (NodeId, bool) {
        let fingerprint = self.system.fingerprint(state);
        if let Some(&known) = self.numbers.get(&fingerprint) {
            return (known, false);
        }
        let id = NodeId(self.nodes.len() as u32);
        self.numbers.insert(fingerprint, id);
        enabled.clear();
        self.system.enabled(state, enabled);
        let (parent, via, depth) = match from {
            Some((parent, via)) => (parent, via, self.node(parent).depth + 1),
            None => (id, Move::from(ActorId(0)), 0),
        };
        self.nodes.push(Node {
            state: state.clone(),
            parent,
            via,
            depth,
            enabled: self.enabled_lists.intern(enabled),
            backtrack: Bits::default(),
            tries_all: false,
            done: Bits::default(),
            summary: Bits::default(),
            fresh: Bits::default(),
            first_in: NONE,
            closed: false,
            seen_at: 0,
        });
        (id, true)
    }

    /// The initial state from which a state was first reached, and the moves that led there, with one more at the end.
    pub(super) fn schedule(&self, mut id: NodeId, last: Option<Move>) -> (NodeId, Vec<Move>) {
        let mut moves: Vec<Move> = last.into_iter().collect();
        while self.node(id).parent != id {
            moves.push(self.node(id).via);
            id = self.node(id).parent;
        }
        moves.reverse();
        (id, moves)
    }

    /// The position in the list of enabled actors of one that has to be tried; the least by `prefer` of several.
    pub(super) fn untried(&self, id: NodeId, prefer: impl Fn(ActorId) -> u64) -> Option<u32> {
        let node = self.node(id);
        let enabled = self.enabled(id);
        node.backtrack.without(&node.done).min_by_key(|&position| prefer(enabled[position as usize]))
    }

    /// Adds an actor to those that are to be tried in a state; false if it cannot move there.
    pub(super) fn try_later(&mut self, id: NodeId, actor: ActorId) -> bool {
        let position = self.enabled(id).iter().position(|&other| other == actor);
        if let Some(position) = position {
            self.try_position(id, position as u32);
        }
        position.is_some()
    }

    fn try_all_later(&mut self, id: NodeId) {
        for position in 0..self.enabled(id).len() as u32 {
            self.try_position(id, position);
        }
    }

    pub(super) fn try_position(&mut self, id: NodeId, position: u32) {
        let everybody = self.enabled(id).len();
        let node = self.node_mut(id);
        if node.backtrack.insert(position) {
            node.tries_all = node.backtrack.len() == everybody;
            self.pending.push(id);
        }
    }

    /// Makes the claims of those who wait in a state: they may wait for ever, and never take the step that they claim.
    pub(super) fn claim_for_waiting(&mut self, id: NodeId) {
        let mut waiting = std::mem::take(&mut self.waiting);
        waiting.clear();
        self.system.waiting(&self.node(id).state, &mut waiting);
        if !waiting.is_empty() {
            let (mut footprint, mut claims) = (Footprint::default(), Bits::default());
            for &actor in &waiting {
                if self.system.next(&self.node(id).state, actor, &mut footprint) == Next::Blocked {
                    self.claims.claim_all(actor, &footprint, &mut claims);
                }
            }
            self.learn(id, &claims);
        }
        self.waiting = waiting;
    }

    /// Adds a transition, and spreads what it makes known.
    pub(super) fn connect(&mut self, from: NodeId, label: LabelId, to: NodeId) {
        let mut out = std::mem::take(&mut self.out);
        out.clear();
        out.absorb(self.claims.own(label), &mut Bits::default());
        let summary = std::mem::take(&mut self.node_mut(to).summary);
        self.send(&summary, from, label, &mut out);
        self.node_mut(to).summary = summary;
        let number = self.edges.len() as u32;
        let next_in = std::mem::replace(&mut self.node_mut(to).first_in, number);
        self.edges.push(Edge { from, label, next_in });
        self.learn(from, &out);
        self.out = out;
        self.spread();
    }

    /// Sends claims backwards over one transition.
    fn send(&mut self, claims: &Bits, from: NodeId, label: LabelId, out: &mut Bits) {
        let mut special = std::mem::take(&mut self.special);
        special.clear();
        let node = &self.nodes[from.0 as usize];
        let enabled = self.enabled_lists.claims_of(node.enabled, &self.claims);
        // Where everybody is to be tried anyway, a conflict asks for nothing.
        let transparent = if node.tries_all { enabled } else { self.claims.transparent(label) };
        out.filter(claims, transparent, enabled, &mut special);
        for &claim in &special {
            if let Some(on) = self.cross(ClaimId(claim), from, label) {
                out.insert(on.0);
            }
        }
        self.special = special;
    }

    /// What becomes of a claim that conflicts with a transition, or whose actor cannot move in front of it.
    fn cross(&mut self, claim: ClaimId, from: NodeId, label: LabelId) -> Option<ClaimId> {
        let actor = self.claims.get(claim).actor;
        let conflicts = self.claims.conflicts(label, claim);
        if conflicts && self.try_later(from, actor) {
            return Some(claim);
        }
        let awaited = if self.plain { None } else { self.awaits(from, actor) };
        match awaited {
            // Without this transition there was nothing for the actor to do, so whoever is to come after the actor must
            // come after the transition: it makes the claim. And there is nothing to reverse: whoever else could let
            // the actor move comes into conflict with the transition by itself.
            Some(Awaited::Made(object)) if self.claims.changes(label, object) => {
                (self.claims.get(claim).touch.object != object).then(|| self.claims.renamed(claim, label))
            }
            Some(Awaited::Freed(object)) if self.claims.changes(label, object) => Some(claim),
            // The two cannot be reversed here, since the actor cannot move: the claim is not settled.
            _ => {
                if conflicts {
                    self.try_all_later(from);
                }
                Some(claim)
            }
        }
    }

    /// What an actor waits for in a state. The answers of the last state are kept: it is asked for every transition that
    /// leaves it and for every claim of the actor.
    fn awaits(&mut self, id: NodeId, actor: ActorId) -> Option<Awaited> {
        if self.awaited_in != Some(id) {
            self.awaited_in = Some(id);
            self.awaited.clear();
        }
        if let Some(&(_, known)) = self.awaited.iter().find(|(other, _)| *other == actor) {
            return known;
        }
        let awaited = self.system.awaits(&self.node(id).state, actor);
        self.awaited.push((actor, awaited));
        awaited
    }

    /// Claims have come to a state: those that are new there are to be spread.
    fn learn(&mut self, id: NodeId, claims: &Bits) {
        let node = &mut self.nodes[id.0 as usize];
        let idle = node.fresh.is_empty();
        if node.summary.absorb(claims, &mut node.fresh) && idle {
            self.spreading.push(id);
        }
    }

    fn spread(&mut self) {
        let mut out = std::mem::take(&mut self.out);
        while let Some(id) = self.spreading.pop() {
            let fresh = std::mem::take(&mut self.node_mut(id).fresh);
            let mut next = self.node(id).first_in;
            while next != NONE {
                let Edge { from, label, next_in } = self.edges[next as usize];
                out.clear();
                self.send(&fresh, from, label, &mut out);
                self.learn(from, &out);
                next = next_in;
            }
        }
        self.out = out;
    }
}

/// Turns the path to a state into a schedule; `starts` are the initial states in order.
pub(super) fn schedule_to<S: System>(
    graph: &Graph<'_, S>,
    starts: &[NodeId],
    id: NodeId,
    last: Option<Move>,
) -> Schedule {
    let (root, moves) = graph.schedule(id, last);
    Schedule { start: starts.iter().position(|&start| start == root).unwrap_or(0), moves }
}
