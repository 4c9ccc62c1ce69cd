//! The state transition graph: the states that were met and the transitions between them.
//!
//! Each state keeps what is to be tried there (`backtrack`), what was tried (`done`), and the claims that reach it from
//! below, its summary. A summary that has grown is sent backwards over all transitions to its state that are known, by a
//! work list: however many paths there are, a transition is gone over only when there is something new behind it.
//!
//! The states themselves are needed only where steps are taken from them: most are forgotten for a while or for ever.

use super::CHECK_EVERY;
use super::kinds::{KindId, Kinds};
use super::nodes::{NONE, NodeId, Nodes};
use super::rows::{contains, insert, members_of_word, word};
use super::sets::Set;
use super::summary::{ClaimId, Claims, LabelId};
use mazurka_core::{
    Access, ActorId, Awaited, Fingerprint, Footprint, Meter, Move, ObjectId, Rule, Schedule, Step, StopReason, System,
    Touch, awaited, survey,
};
use std::collections::VecDeque;
use std::hash::Hash;

/// What is seldom looked at in a state.
pub(super) struct Place {
    /// Where the state itself is kept, unless it was forgotten.
    kept: u32,
    /// How it was first reached: from where, by which move. An initial state is reached from itself.
    parent: NodeId,
    via: Move,
    pub(super) depth: u32,
    /// When the current execution first came through here.
    pub(super) seen_at: u64,
}

/// How a state is reached: from where, by which move, and that transition's label if it is known.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) from: NodeId,
    pub(super) step: Move,
    pub(super) label: Option<LabelId>,
}

#[derive(Clone, Copy)]
struct Edge {
    from: NodeId,
    kind: KindId,
    /// The next transition that leads to the same state.
    next_in: u32,
}

/// States at depths that this divides are never forgotten, so that others are restored in a few steps.
const KEPT_EVERY: u32 = 4;

/// States that are kept. The memory of those that were forgotten serves again, which leaves some with room to grow.
struct Kept<T> {
    states: Vec<T>,
    free: Vec<u32>,
}

impl<T: Clone + Hash> Kept<T> {
    /// Keeps a copy of a state.
    fn keep<S: System<State = T>>(&mut self, system: &S, state: &T) -> u32 {
        match self.free.pop() {
            Some(free) => {
                self.states[free as usize].clone_from(state);
                free
            }
            None => {
                self.states.push(system.insight().keep(state));
                self.states.len() as u32 - 1
            }
        }
    }

    /// The state with this number.
    fn get(&self, kept: u32) -> &T {
        self.states.get(kept as usize).expect("steps are taken from states that are there")
    }
}

/// A mutex that a step takes.
fn taken_mutex<S: System>(system: &S, footprint: &Footprint) -> Option<ObjectId> {
    let takes =
        |touch: &&Touch| touch.access.contains(Access::WRITE) && system.object(touch.object).rule == Rule::Mutex;
    footprint.touches().iter().find(takes).map(|touch| touch.object)
}

/// Gets to know the mutexes among the objects that a step touches; `met` are the objects that are known.
fn meet_mutexes<S: System>(system: &S, footprint: &Footprint, met: &mut Vec<u64>, mutexes: &mut Vec<ObjectId>) {
    for touch in footprint
        .touches()
        .iter()
        .filter(|touch| touch.access.contains(Access::WRITE) || touch.access.contains(Access::RELEASE))
    {
        if !contains(met, touch.object.0) {
            insert(met, touch.object.0);
            if system.object(touch.object).rule == Rule::Mutex {
                mutexes.push(touch.object);
            }
        }
    }
}

/// The one object that has to be written before an actor exists.
fn absent_until<S: System>(system: &S, actor: ActorId) -> Option<ObjectId> {
    let mut footprint = Footprint::default();
    system.insight().absent(actor, &mut footprint);
    match footprint.touches() {
        [only] => Some(only.object),
        _ => None,
    }
}

/// How an actor was last seen to wait.
struct Waiter {
    footprint: Footprint,
    awaited: Option<Awaited>,
    claims: Set,
}

/// The states that were met, and the transitions between them.
pub(super) struct Graph<'s, S: System> {
    system: &'s S,
    claims: Claims,
    kinds: Kinds,
    pub(super) nodes: Nodes,
    places: Vec<Place>,
    kept: Kept<S::State>,
    edges: Vec<Edge>,
    /// States with claims that are to be sent on, and how many have sent theirs.
    spreading: Vec<NodeId>,
    spread: u64,
    /// States that have got something to try; some may have tried it by now.
    pub(super) pending: Vec<NodeId>,
    /// The first of the states that were met since claims were given up.
    first_without_claims: Option<NodeId>,
    /// The actors that were ever there.
    seen: Vec<u64>,
    /// The objects that steps touched so far, and the mutexes among them.
    met: Vec<u64>,
    mutexes: Vec<ObjectId>,
    /// Those who always wait for the same step, for each of them what it claims, and the claims of all of them.
    standing_actors: Vec<u64>,
    standing: Vec<Set>,
    standing_claims: Set,
    /// For each actor how it was last seen to wait: mostly it waits like that again.
    waiters: Vec<Option<Waiter>>,
    /// Scratch: who is to be tried, and who can move of those who always wait for the same step.
    wanted: Vec<u64>,
    standing_enabled: Vec<u64>,
}

impl<'s, S: System> Graph<'s, S> {
    pub(super) fn new(system: &'s S, claims: Claims) -> Self {
        let mut graph = Graph {
            system,
            claims,
            kinds: Kinds::new(),
            nodes: Nodes::new(),
            places: Vec::new(),
            kept: Kept { states: Vec::new(), free: Vec::new() },
            edges: Vec::new(),
            spreading: Vec::new(),
            spread: 0,
            pending: Vec::new(),
            first_without_claims: None,
            seen: Vec::new(),
            met: Vec::new(),
            mutexes: Vec::new(),
            standing_actors: Vec::new(),
            standing: Vec::new(),
            standing_claims: Set::EMPTY,
            waiters: Vec::new(),
            wanted: Vec::new(),
            standing_enabled: Vec::new(),
        };
        graph.meet_standing();
        graph
    }

    /// Gets to know those who always wait for the same step.
    fn meet_standing(&mut self) {
        for (actor, footprint) in self.system.insight().fixed_guards() {
            let label = self.claims.label(actor, &footprint, Set::EMPTY, || None);
            let own = self.claims.own(label);
            insert(&mut self.seen, actor.0);
            insert(&mut self.standing_actors, actor.0);
            self.standing.resize(self.standing.len().max(actor.index() + 1), Set::EMPTY);
            self.standing[actor.index()] = own;
            self.standing_claims = self.claims.sets.union(self.standing_claims, own);
            match footprint.touches() {
                [look] => self.kinds.note_steady(actor, look.object, own, &mut self.claims),
                // One of these objects is what it waits for.
                looks => looks.iter().for_each(|look| self.kinds.note(actor, look.object)),
            }
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

    pub(super) fn place(&self, id: NodeId) -> &Place {
        &self.places[id.index()]
    }

    pub(super) fn place_mut(&mut self, id: NodeId) -> &mut Place {
        &mut self.places[id.index()]
    }

    /// A state that was not forgotten, or that was restored.
    pub(super) fn state(&self, id: NodeId) -> &S::State {
        self.kept.get(self.place(id).kept)
    }

    /// Forgets a state unless others are to be restored from it: no step is about to be taken there.
    pub(super) fn forget(&mut self, id: NodeId) {
        let is_needed = self.first_without_claims.is_none_or(|first| id < first);
        let Place { kept, depth, .. } = &mut self.places[id.index()];
        if *kept != NONE && !(is_needed && depth.is_multiple_of(KEPT_EVERY)) {
            self.kept.free.push(std::mem::replace(kept, NONE));
        }
    }

    /// Whether no claims are made any more.
    pub(super) fn has_given_up_claims(&self) -> bool {
        self.first_without_claims.is_some()
    }

    /// Makes no claims any more: everybody is to be tried in all states that are known, and in those that will be.
    pub(super) fn give_up_claims(&mut self) {
        self.first_without_claims = Some(NodeId(self.len() as u32));
        (self.edges, self.spreading, self.waiters) = (Vec::new(), Vec::new(), Vec::new());
        self.kinds = Kinds::new();
        self.pending =
            (0..self.len() as u32).map(NodeId).filter(|&id| self.nodes.first_not_done(id, 0).is_some()).collect();
    }

    /// Makes a state that was forgotten anew, from the nearest one before it that was not.
    pub(super) fn restore(&mut self, id: NodeId) {
        let (mut at, mut moves) = (id, Vec::new());
        while self.place(at).kept == NONE {
            moves.push(self.place(at).via);
            at = self.place(at).parent;
        }
        if moves.is_empty() {
            return;
        }
        let (mut state, mut step) = (self.state(at).clone(), Step::without_footprint());
        for taken in moves.into_iter().rev() {
            step.take(self.system, &mut state, taken);
        }
        self.place_mut(id).kept = self.kept.keep(self.system, &state);
    }

    /// The number of a state, and whether it is new.
    pub(super) fn enter(
        &mut self,
        state: &S::State,
        fingerprint: Fingerprint,
        enabled: &mut Vec<ActorId>,
        way: Option<Way>,
    ) -> (NodeId, bool) {
        match self.nodes.find(fingerprint) {
            Some(known) => (known, false),
            None => (self.add(state, fingerprint, enabled, way), true),
        }
    }

    /// Adds a state that is not known.
    fn add(
        &mut self,
        state: &S::State,
        fingerprint: Fingerprint,
        enabled: &mut Vec<ActorId>,
        way: Option<Way>,
    ) -> NodeId {
        enabled.clear();
        let claims = if self.has_given_up_claims() {
            self.system.enabled(state, enabled);
            self.standing_enabled.clear();
            None
        } else {
            self.find_standing(state, way);
            Some(self.look_around(state, enabled, way))
        };
        let id = self.nodes.add(fingerprint, enabled, &self.standing_enabled);
        debug_assert!(self.knows_who_can_move(id, state));
        let (parent, via, depth) = match way {
            Some(Way { from, step, .. }) => (from, step, self.place(from).depth + 1),
            None => (id, Move::from(ActorId(0)), 0),
        };
        let kept = self.kept.keep(self.system, state);
        self.places.push(Place { kept, parent, via, depth, seen_at: 0 });
        if let Some(claims) = claims {
            self.nodes.set_summary(id, claims);
            self.spreading.push(id);
        }
        id
    }

    /// Finds out who of those who always wait for the same step can move in a new state. They are those who could a step ago,
    /// unless that step changed what they look at.
    fn find_standing(&mut self, state: &S::State, way: Option<Way>) {
        self.standing_enabled.clear();
        let before = way.and_then(|Way { from, label, .. }| Some((self.nodes.enabled(from), label?)));
        if let Some((_, label)) = before.filter(|_| !self.standing.is_empty()) {
            self.kinds.meet(&self.claims, label);
        }
        for (index, &standing) in self.standing_actors.iter().enumerate() {
            let (asked, still) = match before {
                Some((enabled, label)) => {
                    let asked = standing & self.kinds.sleepers(label, index);
                    (asked, standing & !asked & enabled.word(index))
                }
                None => (standing, 0),
            };
            let asked_can_move = members_of_word(index, asked)
                .filter(|&actor| self.system.insight().fixed_guard_holds(state, ActorId(actor)))
                .fold(0, |all, actor| all | 1 << (actor % 64));
            self.standing_enabled.push(still | asked_can_move);
        }
    }

    /// Whether those are known in a state who can move there.
    fn knows_who_can_move(&self, id: NodeId, state: &S::State) -> bool {
        let (mut enabled, mut bits) = (Vec::new(), vec![0; self.nodes.words()]);
        self.system.enabled(state, &mut enabled);
        enabled.iter().for_each(|actor| insert(&mut bits, actor.0));
        self.nodes.enabled(id).words().eq(bits)
    }

    /// Finds out who can move in a new state, and the claims of those who wait there: they may wait for ever, and never take
    /// the step that they claim. Those who always wait for the same step come later; see `claim_for_standing`.
    fn look_around(&mut self, state: &S::State, enabled: &mut Vec<ActorId>, way: Option<Way>) -> Set {
        let (system, claims, kinds) = (self.system, &mut self.claims, &mut self.kinds);
        let mut greet = |actor: ActorId, kinds: &mut Kinds, claims: &mut Claims| {
            if !contains(&self.seen, actor.0) {
                insert(&mut self.seen, actor.0);
                if let Some(handler) = system.actor(actor).handler() {
                    claims.note_handler(actor, handler);
                }
                // An actor that is met for the first time did not exist a step ago.
                if way.is_some()
                    && let Some(object) = absent_until(system, actor)
                {
                    kinds.note(actor, object);
                }
            }
        };
        let (waiters, mut summary) = (&mut self.waiters, Set::EMPTY);
        let (fixed, met, mutexes) = (&self.standing_actors, &mut self.met, &mut self.mutexes);
        let is_fixed = |actor: ActorId| contains(fixed, actor.0);
        let mut footprint = Footprint::default();
        survey(system, state, is_fixed, enabled, &mut |actor, obstacle| {
            footprint.clear();
            let awaited = obstacle(&mut footprint);
            footprint.seal();
            if waiters.len() <= actor.index() {
                waiters.resize_with(actor.index() + 1, || None);
            }
            let own = match &waiters[actor.index()] {
                Some(waiter) if waiter.awaited == awaited && waiter.footprint == footprint => waiter.claims,
                _ => {
                    greet(actor, kinds, claims);
                    awaited.iter().for_each(|awaited| kinds.note(actor, awaited.object()));
                    meet_mutexes(system, &footprint, met, mutexes);
                    let label = claims.label(actor, &footprint, Set::EMPTY, || taken_mutex(system, &footprint));
                    let own = claims.own(label);
                    waiters[actor.index()] = Some(Waiter { footprint: footprint.clone(), awaited, claims: own });
                    own
                }
            };
            summary = claims.sets.union(summary, own);
        });
        enabled.iter().for_each(|&actor| greet(actor, kinds, claims));
        summary
    }

    /// Makes the claims of those who cannot move in a new state and always wait for the same step. By now others have come
    /// there from below, and few are left to make.
    fn claim_for_standing(&mut self, id: NodeId) {
        let before = self.nodes.summary(id);
        let mut summary = before;
        for index in 0..self.claims.sets.words(&self.standing_claims).len() {
            let [all, known] = [&self.standing_claims, &before].map(|set| word(self.claims.sets.words(set), index));
            for claim in members_of_word(index, all & !known) {
                let actor = self.claims.get(ClaimId(claim)).actor;
                if !self.nodes.enabled(id).contains(actor) {
                    summary = self.claims.sets.union(summary, self.standing[actor.index()]);
                }
            }
        }
        self.nodes.set_summary(id, summary);
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
                out[edge.from.index()].push((self.kinds.label(edge.kind), id));
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
            step.take(self.system, &mut state, tried);
            match step.next_outcome() {
                Some(outcome) if self.nodes.find(self.system.insight().fingerprint(&state)) != Some(to) => {
                    tried.outcome = outcome
                }
                _ => return tried,
            }
        }
    }

    /// Adds a transition. What it makes known is yet to be spread.
    pub(super) fn connect(&mut self, from: NodeId, label: LabelId, to: NodeId) {
        let (system, state) = (self.system, self.kept.get(self.places[from.index()].kept));
        let enabled = [self.nodes.enabled(from), self.nodes.enabled(to)];
        let kind = self.kinds.find(&mut self.claims, label, enabled, |actor| {
            let enabled: Vec<ActorId> = enabled[0].actors().collect();
            awaited(system, state, &enabled, actor)
        });
        let next_in = self.nodes.replace_first_in(to, self.edges.len() as u32);
        let edge = Edge { from, kind, next_in };
        self.edges.push(edge);
        // Whoever a step disables must also be tried in front of it.
        if !self.nodes.tries_all(from) && self.nodes.try_disabled(from, to) {
            self.pending.push(from);
        }
        // What `to` is yet to send on will come over this transition, too: next if it is the last on the list, and otherwise
        // nobody knows when, so that the transition's own claims go ahead. This is only about the order.
        if !self.nodes.is_fresh(to) {
            self.send(self.nodes.summary(to), edge, to);
        } else if self.spreading.last() != Some(&to) {
            self.send(Set::EMPTY, edge, to);
        }
    }

    /// Everybody is to be tried in a state.
    pub(super) fn try_all_later(&mut self, id: NodeId) {
        if self.nodes.try_all_later(id) {
            self.pending.push(id);
        }
    }

    /// Whether an actor holds a mutex in a state that others were ever seen to want.
    pub(super) fn holds_what_others_want(&self, id: NodeId, actor: ActorId) -> bool {
        let (insight, state) = (self.system.insight(), self.state(id));
        self.mutexes
            .iter()
            .any(|&mutex| insight.holder(state, mutex) == Some(actor) && self.claims.is_claimed_beside(mutex, actor))
    }

    /// Sends on what is to be sent on, the latest first: an execution is gone over once, from its end to its beginning.
    pub(super) fn spread(&mut self, meter: &mut Meter) -> Result<(), StopReason> {
        let first = self.pending.len();
        while let Some(id) = self.spreading.pop() {
            if !self.standing.is_empty() && self.nodes.is_new(id) {
                self.claim_for_standing(id);
            }
            self.nodes.begin_sending(id);
            let (summary, mut next) = (self.nodes.summary(id), self.nodes.first_in(id));
            while next != NONE {
                let edge = self.edges[next as usize];
                self.send(summary, edge, id);
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
        // The end of an execution is gone on with before its beginning.
        self.pending[first..].reverse();
        Ok(())
    }

    /// Sends a summary backwards over one transition: its claims are added to those in front of it, and whoever conflicts
    /// is to be tried there.
    #[inline]
    fn send(&mut self, summary: Set, Edge { from, kind, .. }: Edge, to: NodeId) {
        if !self.nodes.tries_all(from) {
            let enabled = self.nodes.enabled(to);
            self.kinds.wanted((kind, summary), enabled, &mut self.claims, &mut self.wanted);
            if self.nodes.try_later(from, &self.wanted) {
                self.pending.push(from);
            }
        }
        let known = self.nodes.summary(from);
        let all = self.kinds.cross(kind, summary, known, &mut self.claims);
        if all != known && !self.claims.stand_for(known, all) && self.nodes.set_summary(from, all) {
            self.spreading.push(from);
        }
    }

    /// The label of a transition.
    pub(super) fn label(&mut self, from: NodeId, actor: ActorId, footprint: &Footprint) -> LabelId {
        let held = &mut self.wanted;
        held.clear();
        meet_mutexes(self.system, footprint, &mut self.met, &mut self.mutexes);
        let (insight, state) = (self.system.insight(), self.kept.get(self.places[from.index()].kept));
        let is_held = |mutex: &&ObjectId| insight.holder(state, **mutex) == Some(actor);
        self.mutexes.iter().filter(is_held).for_each(|mutex| insert(held, mutex.0));
        if let Some(handler) = self.claims.runs_on(actor)
            && !footprint.access(handler).is_some_and(|access| access.contains(Access::WRITE))
        {
            insert(held, handler.0);
        }
        let held = if held.is_empty() { Set::EMPTY } else { self.claims.sets.set(held) };
        self.claims.label(actor, footprint, held, || taken_mutex(self.system, footprint))
    }

    /// The path to a state as a schedule; `starts` are the initial states in order.
    pub(super) fn schedule_to(&self, starts: &[NodeId], id: NodeId, last: Option<Move>) -> Schedule {
        let (root, moves) = self.path_to(id, last);
        Schedule { start: starts.iter().position(|&start| start == root).unwrap_or(0), moves }
    }
}
