//! The state transition graph: the states that were met and the transitions between them.
//!
//! Each state keeps what is to be tried there (`backtrack`), what was tried (`done`), and the claims that reach it from
//! below. Claims spread backwards over all transitions that are known, each at most once over each transition, by a
//! work list: a new transition costs what it newly makes known, however many paths there are.
//!
//! The states themselves are needed only where steps are taken from them: most are forgotten for a while or for ever.

use super::CHECK_EVERY;
use super::nodes::{NONE, NodeId, Nodes};
use super::rows::{contains, insert, join, remove, subtract};
use super::summary::{Claims, LabelId};
use super::wakeups::{WakeupId, Wakeups};
use mazurka_core::{ActorId, Awaited, Fingerprint, Footprint, Meter, Move, Schedule, Step, StopReason, System};
use std::collections::VecDeque;

/// What is seldom looked at in a state.
pub(super) struct Place<T> {
    /// The state itself, unless it was forgotten.
    state: Option<T>,
    /// How it was first reached: from where, by which move. An initial state is reached from itself.
    parent: NodeId,
    via: Move,
    pub(super) depth: u32,
    /// When the current execution first came through here.
    pub(super) seen_at: u64,
}

#[derive(Clone, Copy)]
struct Edge {
    from: NodeId,
    label: LabelId,
    wakeup: WakeupId,
    /// The next transition that leads to the same state.
    next_in: u32,
}

/// States at depths that this divides are never forgotten, so that others are restored in a few steps.
const KEPT_EVERY: u32 = 4;

/// A state that was not forgotten.
fn kept<T>(places: &[Place<T>], id: NodeId) -> &T {
    places[id.index()].state.as_ref().expect("steps are taken from states that are there")
}

/// How an actor was last seen to wait.
struct Waiter {
    footprint: Footprint,
    awaited: Option<Awaited>,
    label: LabelId,
}

/// The states that were met, and the transitions between them.
pub(super) struct Graph<'s, S: System> {
    system: &'s S,
    claims: Claims,
    wakeups: Wakeups,
    pub(super) nodes: Nodes,
    places: Vec<Place<S::State>>,
    edges: Vec<Edge>,
    /// States with claims that are to be sent on, and how many have sent theirs.
    spreading: Vec<NodeId>,
    spread: u64,
    /// States that have got something to try; some may have tried it by now.
    pub(super) pending: Vec<NodeId>,
    /// Whether to do without the savings that are ours.
    plain: bool,
    /// The actors that were ever there.
    seen: Vec<u64>,
    /// For each actor that always waits for the same step the label of that step, and the claims of all of them.
    standing: Vec<Option<LabelId>>,
    standing_claims: Vec<u64>,
    /// For each actor how it was last seen to wait: mostly it waits like that again.
    waiters: Vec<Option<Waiter>>,
    /// Scratch.
    sent: Vec<u64>,
    crossed: Vec<u64>,
    wanted: Vec<u64>,
}

impl<'s, S: System> Graph<'s, S> {
    pub(super) fn new(system: &'s S, claims: Claims, plain: bool) -> Self {
        let mut graph = Graph {
            system,
            claims,
            wakeups: Wakeups::new(),
            nodes: Nodes::new(),
            places: Vec::new(),
            edges: Vec::new(),
            spreading: Vec::new(),
            spread: 0,
            pending: Vec::new(),
            plain,
            seen: Vec::new(),
            standing: Vec::new(),
            standing_claims: Vec::new(),
            waiters: Vec::new(),
            sent: Vec::new(),
            crossed: Vec::new(),
            wanted: Vec::new(),
        };
        graph.meet_standing();
        graph
    }

    /// Makes the claims of those who always wait for the same step.
    fn meet_standing(&mut self) {
        for (actor, footprint) in self.system.standing() {
            let label = self.claims.label(actor, &footprint);
            insert(&mut self.seen, actor.0);
            self.standing.resize(self.standing.len().max(actor.index() + 1), None);
            self.standing[actor.index()] = Some(label);
            join(&mut self.standing_claims, self.claims.own(label));
            // One of these objects is what it waits for.
            footprint.touches().iter().for_each(|touch| self.wakeups.note(actor, touch.object));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether numbers are about to run out: those of states and transitions have 32 bits.
    pub(super) fn is_full(&self) -> bool {
        const NEARLY_ALL: usize = u32::MAX as usize - (1 << 24);
        self.places.len().max(self.edges.len()) > NEARLY_ALL
    }

    pub(super) fn place(&self, id: NodeId) -> &Place<S::State> {
        &self.places[id.index()]
    }

    pub(super) fn place_mut(&mut self, id: NodeId) -> &mut Place<S::State> {
        &mut self.places[id.index()]
    }

    /// A state that was not forgotten, or that was restored.
    pub(super) fn state(&self, id: NodeId) -> &S::State {
        kept(&self.places, id)
    }

    /// Forgets a state unless others are to be restored from it: no step is about to be taken there.
    pub(super) fn forget(&mut self, id: NodeId) {
        let place = self.place_mut(id);
        if !place.depth.is_multiple_of(KEPT_EVERY) {
            place.state = None;
        }
    }

    /// Makes a state that was forgotten anew, from the nearest one before it that was not.
    pub(super) fn restore(&mut self, id: NodeId) {
        let (mut at, mut moves) = (id, Vec::new());
        while self.place(at).state.is_none() {
            moves.push(self.place(at).via);
            at = self.place(at).parent;
        }
        if moves.is_empty() {
            return;
        }
        let (mut state, mut step) = (self.state(at).clone(), Step::without_footprint());
        for Move { actor, outcome } in moves.into_iter().rev() {
            step.begin(outcome);
            self.system.step(&mut state, actor, &mut step);
        }
        self.place_mut(id).state = Some(self.system.keep(&state));
    }

    /// The number of a state, and whether it is new.
    pub(super) fn enter(
        &mut self,
        state: &S::State,
        fingerprint: Fingerprint,
        enabled: &mut Vec<ActorId>,
        from: Option<(NodeId, Move)>,
    ) -> (NodeId, bool) {
        match self.nodes.find(fingerprint) {
            Some(known) => (known, false),
            None => (self.add(state, fingerprint, enabled, from), true),
        }
    }

    /// Adds a state that is not known.
    fn add(
        &mut self,
        state: &S::State,
        fingerprint: Fingerprint,
        enabled: &mut Vec<ActorId>,
        from: Option<(NodeId, Move)>,
    ) -> NodeId {
        enabled.clear();
        self.system.enabled(state, enabled);
        let id = self.nodes.add(fingerprint, enabled);
        let (parent, via, depth) = match from {
            Some((parent, via)) => (parent, via, self.place(parent).depth + 1),
            None => (id, Move::from(ActorId(0)), 0),
        };
        self.places.push(Place { state: Some(self.system.keep(state)), parent, via, depth, seen_at: 0 });
        self.claim_for_waiting(id, enabled);
        id
    }

    /// Makes the claims of those who wait in a new state: they may wait for ever, and never take the step that they
    /// claim.
    fn claim_for_waiting(&mut self, id: NodeId, enabled: &[ActorId]) {
        let (claims, wakeups) = (&mut self.claims, &mut self.wakeups);
        let parent = self.places[id.index()].parent;
        let [state, before] = [id, parent].map(|id| kept(&self.places, id));
        // Whoever is new was not there a step ago.
        let mut greet = |actor: ActorId, wakeups: &mut Wakeups| {
            if !contains(&self.seen, actor.0) {
                insert(&mut self.seen, actor.0);
                self.system.awaits(before, actor).iter().for_each(|awaited| wakeups.note(actor, awaited.object()));
            }
        };
        enabled.iter().for_each(|&actor| greet(actor, wakeups));
        let all = &mut self.sent;
        all.clear();
        // Of those who always wait for the same step, all who cannot move.
        all.extend_from_slice(&self.standing_claims);
        for label in enabled.iter().filter_map(|actor| *self.standing.get(actor.index())?) {
            subtract(all, claims.own(label));
        }
        let waiters = &mut self.waiters;
        self.system.visit_others_waiting(state, enabled, &mut |actor, footprint, awaited| {
            if waiters.len() <= actor.index() {
                waiters.resize_with(actor.index() + 1, || None);
            }
            let label = match &waiters[actor.index()] {
                Some(waiter) if waiter.awaited == awaited && waiter.footprint == *footprint => waiter.label,
                _ => {
                    greet(actor, wakeups);
                    awaited.iter().for_each(|awaited| wakeups.note(actor, awaited.object()));
                    let label = claims.label(actor, footprint);
                    waiters[actor.index()] = Some(Waiter { footprint: footprint.clone(), awaited, label });
                    label
                }
            };
            join(all, claims.own(label));
        });
        if self.nodes.learn(id, all) {
            self.spreading.push(id);
        }
    }

    /// The initial state from which a state was first reached, and the moves that led there, with one more at the end.
    fn path_to(&self, mut id: NodeId, last: Option<Move>) -> (NodeId, Vec<Move>) {
        let mut moves: Vec<Move> = last.into_iter().collect();
        while self.place(id).parent != id {
            moves.push(self.place(id).via);
            id = self.place(id).parent;
        }
        moves.reverse();
        (id, moves)
    }

    /// Finds the shortest ways over known transitions: executions come to many states by longer ones.
    pub(super) fn find_shortest_ways(&mut self, starts: &[NodeId]) {
        let mut out: Vec<Vec<(LabelId, NodeId)>> = vec![Vec::new(); self.len()];
        for id in (0..self.len() as u32).map(NodeId) {
            let mut next = self.nodes.first_in(id);
            while next != NONE {
                let edge = self.edges[next as usize];
                out[edge.from.index()].push((edge.label, id));
                next = edge.next_in;
            }
        }
        let mut queue: VecDeque<NodeId> = starts.iter().copied().collect();
        let mut is_met = vec![false; self.len()];
        starts.iter().for_each(|start| is_met[start.index()] = true);
        while let Some(from) = queue.pop_front() {
            for &(label, to) in &out[from.index()] {
                if std::mem::replace(&mut is_met[to.index()], true) {
                    continue;
                }
                let depth = self.place(from).depth + 1;
                if depth < self.place(to).depth {
                    self.restore(from);
                    let via = self.move_between(from, self.claims.actor(label), to);
                    let place = self.place_mut(to);
                    (place.parent, place.via, place.depth) = (from, via, depth);
                }
                queue.push_back(to);
            }
        }
    }

    /// The move of an actor that leads from one state to another: one of its outcomes does.
    fn move_between(&self, from: NodeId, actor: ActorId, to: NodeId) -> Move {
        let (before, mut step) = (self.state(from), Step::without_footprint());
        let mut tried = Move::from(actor);
        loop {
            let mut state = before.clone();
            step.begin(tried.outcome);
            self.system.step(&mut state, actor, &mut step);
            match step.next_outcome() {
                Some(outcome) if self.nodes.find(self.system.fingerprint(&state)) != Some(to) => {
                    tried.outcome = outcome
                }
                _ => return tried,
            }
        }
    }

    /// Adds a transition. What it makes known is yet to be spread.
    pub(super) fn connect(&mut self, from: NodeId, label: LabelId, to: NodeId) {
        let wakeup = if self.plain || self.wakeups.nobody_sleeps() {
            WakeupId::NOBODY
        } else {
            let (system, state) = (self.system, kept(&self.places, from));
            let awaits = |actor| system.awaits(state, actor);
            self.wakeups.find(&self.claims, label, self.nodes.enabled_bits(from), awaits)
        };
        let number = self.edges.len() as u32;
        let next_in = self.nodes.replace_first_in(to, number);
        self.edges.push(Edge { from, label, wakeup, next_in });
        let own = self.claims.own(label);
        if wakeup == WakeupId::NOBODY && self.nodes.learns_nothing(from, to, own) {
            return;
        }
        // Whoever a step disables must also be tried in front of it.
        if self.nodes.try_disabled(from, to) {
            self.pending.push(from);
        }
        // The transition's own claims are no conflict with itself, and nobody whom it lets go makes them.
        if self.nodes.learn(from, own) {
            self.spreading.push(from);
        }
        // Claims that `to` is yet to send on will come over this transition, too.
        let mut sent = std::mem::take(&mut self.sent);
        if self.nodes.take_sent(to, &mut sent) {
            self.send(&sent, self.edges[number as usize]);
        }
        self.sent = sent;
    }

    /// Sends on what is to be sent on, the latest first: an execution is gone over once, from its end to its beginning.
    pub(super) fn spread(&mut self, meter: &mut Meter) -> Result<(), StopReason> {
        let (mut sent, first) = (std::mem::take(&mut self.sent), self.pending.len());
        while let Some(id) = self.spreading.pop() {
            self.nodes.take_fresh(id, &mut sent);
            let mut next = self.nodes.first_in(id);
            while next != NONE {
                let edge = self.edges[next as usize];
                self.send(&sent, edge);
                next = edge.next_in;
            }
            // One new transition may have much to tell.
            self.spread += 1;
            if self.spread.is_multiple_of(CHECK_EVERY)
                && let Some(reason) = meter.check()
            {
                return Err(reason);
            }
        }
        self.sent = sent;
        if !self.plain {
            // The end of an execution is gone on with before its beginning.
            self.pending[first..].reverse();
        }
        Ok(())
    }

    /// Sends claims backwards over one transition. Whoever claims what conflicts with it is to be tried in front of it,
    /// but for those whom it lets go; the head of `stateful.rs` says why.
    fn send(&mut self, claims: &[u64], Edge { from, label, wakeup, .. }: Edge) {
        if !self.nodes.tries_all(from) && self.claims.who_conflicts(label, claims, &mut self.wanted) {
            for woken in self.wakeups.get(wakeup) {
                remove(&mut self.wanted, woken.actor.0);
            }
            if self.nodes.try_later(from, &self.wanted) {
                self.pending.push(from);
            }
        }
        if wakeup == WakeupId::NOBODY {
            self.learn(from, claims);
        } else {
            let mut crossed = std::mem::take(&mut self.crossed);
            self.cross(claims, label, wakeup, &mut crossed);
            self.learn(from, &crossed);
            self.crossed = crossed;
        }
    }

    /// What becomes of claims in front of a transition that lets somebody go: where there was nothing to do for the actor
    /// before, the transition makes them, as long as there are not too many such claims.
    fn cross(&mut self, claims: &[u64], label: LabelId, wakeup: WakeupId, crossed: &mut Vec<u64>) {
        crossed.clear();
        crossed.extend_from_slice(claims);
        for woken in self.wakeups.get(wakeup).iter().filter(|woken| woken.made) {
            for index in 0..self.claims.of(woken.actor).len() {
                let claim = self.claims.of(woken.actor)[index];
                if !contains(claims, claim.0) {
                    continue;
                }
                if self.claims.get(claim).touch.object == woken.object {
                    remove(crossed, claim.0);
                } else if let Some(renamed) = self.claims.renamed(claim, label) {
                    remove(crossed, claim.0);
                    insert(crossed, renamed.0);
                }
            }
        }
    }

    /// Claims have come to a state: those that are new there are to be sent on.
    fn learn(&mut self, id: NodeId, claims: &[u64]) {
        if self.nodes.learn(id, claims) {
            self.spreading.push(id);
        }
    }

    /// The label of a transition.
    pub(super) fn label(&mut self, actor: ActorId, footprint: &Footprint) -> LabelId {
        self.claims.label(actor, footprint)
    }

    /// The path to a state as a schedule; `starts` are the initial states in order.
    pub(super) fn schedule_to(&self, starts: &[NodeId], id: NodeId, last: Option<Move>) -> Schedule {
        let (root, moves) = self.path_to(id, last);
        Schedule { start: starts.iter().position(|&start| start == root).unwrap_or(0), moves }
    }
}
