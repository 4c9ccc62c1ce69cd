//! The state transition graph: the states that were met, the transitions between them, and the fixpoint over them
//! (algorithms 3 and 5 of the paper).
//!
//! Each state has a backtrack set, the actors that were tried there (`done`), and its summary: the entries that reach it
//! from below. A summary that has grown is put on the work list, and sent backwards over all known transitions into its
//! state. However many paths there are, a transition is crossed only when there is something new behind it.
//!
//! The states themselves are needed only where steps are taken from them: most are dropped for a while or for good.

use super::store::nodes::{NONE, NodeId, Nodes};
use super::store::sets::Set;
use super::summary::classes::{ClassId, Classes};
use super::summary::entries::{Entries, EntryId, LabelId};
use crate::shared::bits::{LongBits, members_of_word};
use crate::shared::ledger::CHECK_EVERY;
use mazurka_core::{
    Access, ActorId, Awaited, Fingerprint, Footprint, Meter, Move, ObjectId, Rule, Schedule, Step, StopReason, System,
    Touch, awaited, survey,
};
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::hash::Hash;

/// What is seldom needed of a state.
pub(super) struct NodeRecord {
    /// Where the state itself is kept, unless it was dropped, and where it was put away, if it was.
    kept: u32,
    away: u32,
    /// How it was first reached: from where, by which move. An initial state is reached from itself.
    parent: NodeId,
    via: Move,
    pub(super) depth: u32,
    /// When the current execution first came through here.
    pub(super) seen_at: u64,
}

/// How a state is reached: from where, by which move, and that transition's label if it is known.
#[derive(Clone, Copy)]
pub(super) struct Origin {
    pub(super) from: NodeId,
    pub(super) step: Move,
    pub(super) label: Option<LabelId>,
}

#[derive(Clone, Copy)]
struct Edge {
    from: NodeId,
    class: ClassId,
    /// The next transition that leads to the same state.
    next_in: u32,
}

/// States at depths that this divides are never dropped, so that others are restored in a few steps.
const KEPT_EVERY: u32 = 4;

/// The most states that are kept while the analysis goes on. Beyond that, those that were kept first are put away, though
/// steps may be taken from them later: an execution may go through more states than there is memory for.
const MOST_KEPT: usize = if cfg!(test) { 4 } else { 4096 };

/// States that are kept. The memory of those that were dropped is used again, which leaves some with spare capacity.
struct KeptStates<T> {
    states: Vec<T>,
    free: Vec<u32>,
    /// Whose states were kept, in order; some were dropped since.
    queue: VecDeque<NodeId>,
}

impl<T: Clone + Hash> KeptStates<T> {
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

/// States that no step is about to be taken from, packed: what differs from an initial state.
struct PutAway<T> {
    /// The initial state. `None` if the program does not pack its states.
    origin: Option<T>,
    bytes: Vec<u8>,
    starts: Vec<usize>,
}

impl<T: Clone + Hash> PutAway<T> {
    fn new<S: System<State = T>>(system: &S) -> Self {
        let origin = if system.insight().packs() { system.initial_states().into_iter().next() } else { None };
        PutAway { origin, bytes: Vec::new(), starts: Vec::new() }
    }

    /// Puts a state away, if it can be packed, and numbers it.
    fn put<S: System<State = T>>(&mut self, system: &S, state: &T) -> Option<u32> {
        let origin = self.origin.as_ref()?;
        self.starts.push(self.bytes.len());
        system.insight().pack(state, origin, &mut self.bytes);
        Some(self.starts.len() as u32 - 1)
    }

    /// The state with this number.
    fn get<S: System<State = T>>(&self, system: &S, number: u32) -> T {
        let mut state = self.origin.clone().expect("a state was put away");
        let mut bytes = &self.bytes[self.starts[number as usize]..];
        assert!(system.insight().unpack(&mut bytes, &mut state), "a state is unpacked as it was packed");
        state
    }
}

/// The mutex that a step acquires.
fn acquired_mutex<S: System>(system: &S, footprint: &Footprint) -> Option<ObjectId> {
    let acquires =
        |touch: &&Touch| touch.access.contains(Access::WRITE) && system.object(touch.object).rule == Rule::Mutex;
    footprint.touches().iter().find(acquires).map(|touch| touch.object)
}

/// What is known of an object as a mutex.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum AsMutex {
    /// It was not asked.
    #[default]
    Unknown,
    /// It is none.
    None,
    /// It is one, and no step was seen to write or release it.
    Unused,
    Used,
}

/// The mutexes that were met. Which an actor holds is asked only of those that it touched itself.
#[derive(Clone, Default)]
pub(super) struct Mutexes {
    objects: Vec<AsMutex>,
    /// For each actor the mutexes that it touched.
    touched: Vec<SmallVec<[ObjectId; 4]>>,
}

impl Mutexes {
    /// Notes the mutexes among the objects that a step touches.
    #[inline]
    fn note<S: System>(&mut self, system: &S, actor: ActorId, footprint: &Footprint) {
        for &touch in footprint.touches() {
            if self.objects.get(touch.object.0 as usize) != Some(&AsMutex::None) {
                self.note_touch(system, actor, touch);
            }
        }
    }

    fn note_touch<S: System>(&mut self, system: &S, actor: ActorId, Touch { object, access }: Touch) {
        let index = object.0 as usize;
        if self.objects.len() <= index {
            self.objects.resize(index + 1, AsMutex::Unknown);
        }
        if self.objects[index] == AsMutex::Unknown {
            let is_mutex = system.object(object).rule == Rule::Mutex;
            self.objects[index] = if is_mutex { AsMutex::Unused } else { AsMutex::None };
        }
        if self.objects[index] == AsMutex::None {
            return;
        }
        if access.contains(Access::WRITE) || access.contains(Access::RELEASE) {
            self.objects[index] = AsMutex::Used;
        }
        if self.touched.len() <= actor.index() {
            self.touched.resize_with(actor.index() + 1, SmallVec::new);
        }
        let touched = &mut self.touched[actor.index()];
        if !touched.contains(&object) {
            touched.push(object);
        }
    }

    /// Those that an actor may hold.
    #[inline]
    fn of(&self, actor: ActorId) -> impl Iterator<Item = ObjectId> + '_ {
        let touched = self.touched.get(actor.index()).into_iter().flatten().copied();
        touched.filter(|mutex| self.objects[mutex.0 as usize] == AsMutex::Used)
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

/// The step that an actor was last seen blocked on.
struct BlockedStep {
    footprint: Footprint,
    awaited: Option<Awaited>,
    entries: Set,
}

/// The states that were met, and the transitions between them.
pub(super) struct Graph<'s, S: System> {
    system: &'s S,
    entries: Entries,
    classes: Classes,
    pub(super) nodes: Nodes,
    records: Vec<NodeRecord>,
    kept: KeptStates<S::State>,
    put_away: PutAway<S::State>,
    edges: Vec<Edge>,
    /// States whose summaries have grown, and how many were taken off this list so far.
    work_list: Vec<NodeId>,
    propagated: u64,
    /// States whose backtrack sets have grown; some may be done by now.
    pub(super) pending: Vec<NodeId>,
    /// The first of the states that were met since the analysis was given up.
    first_without_summary: Option<NodeId>,
    /// The actors that were ever present.
    seen: LongBits,
    pub(super) mutexes: Mutexes,
    /// The actors with a fixed guard, for each of them the entries of its guard, and the entries of all of them.
    fixed_guard_actors: LongBits,
    fixed_guard: Vec<Set>,
    fixed_guard_entries: Set,
    /// For each actor the step that it was last seen blocked on: mostly it is blocked on that again.
    blocked_steps: Vec<Option<BlockedStep>>,
    /// Scratch: sets of actors or objects, the actors with a fixed guard that can move, and the enabled actors of a state.
    backtrack_points: LongBits,
    held: LongBits,
    fixed_guard_enabled: LongBits,
    enabled: Vec<ActorId>,
}

impl<'s, S: System> Graph<'s, S> {
    pub(super) fn new(system: &'s S, entries: Entries) -> Self {
        let mut graph = Graph {
            system,
            entries,
            classes: Classes::new(),
            nodes: Nodes::new(),
            records: Vec::new(),
            kept: KeptStates { states: Vec::new(), free: Vec::new(), queue: VecDeque::new() },
            put_away: PutAway::new(system),
            edges: Vec::new(),
            work_list: Vec::new(),
            propagated: 0,
            pending: Vec::new(),
            first_without_summary: None,
            seen: LongBits::default(),
            mutexes: Mutexes::default(),
            fixed_guard_actors: LongBits::default(),
            fixed_guard: Vec::new(),
            fixed_guard_entries: Set::EMPTY,
            blocked_steps: Vec::new(),
            backtrack_points: LongBits::default(),
            held: LongBits::default(),
            fixed_guard_enabled: LongBits::default(),
            enabled: Vec::new(),
        };
        graph.note_fixed_guards();
        graph
    }

    /// Adds the actors with a fixed guard.
    fn note_fixed_guards(&mut self) {
        for (actor, footprint) in self.system.insight().fixed_guards() {
            let label = self.entries.label(actor, &footprint, Set::EMPTY, || None);
            let own = self.entries.own(label);
            self.seen.insert(actor.0);
            self.fixed_guard_actors.insert(actor.0);
            self.fixed_guard.resize(self.fixed_guard.len().max(actor.index() + 1), Set::EMPTY);
            self.fixed_guard[actor.index()] = own;
            self.fixed_guard_entries = self.entries.sets.union(self.fixed_guard_entries, own);
            match footprint.touches() {
                [read] => self.classes.note_switched(actor, read.object, own, &mut self.entries),
                // One of these objects is what it awaits.
                reads => reads.iter().for_each(|read| self.classes.note_waiter(actor, read.object)),
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether numbers are about to run out: those of states and transitions have 32 bits.
    pub(super) fn is_full(&self) -> bool {
        const NEARLY_ALL: usize = u32::MAX as usize - (1 << 24);
        self.records.len().max(self.edges.len()) > NEARLY_ALL
    }

    pub(super) fn record(&self, id: NodeId) -> &NodeRecord {
        &self.records[id.index()]
    }

    pub(super) fn record_mut(&mut self, id: NodeId) -> &mut NodeRecord {
        &mut self.records[id.index()]
    }

    /// A state that was not dropped, or that was restored.
    pub(super) fn state(&self, id: NodeId) -> &S::State {
        self.kept.get(self.record(id).kept)
    }

    /// Drops a state, unless others are to be restored from it: no step is about to be taken there.
    pub(super) fn drop_state(&mut self, id: NodeId) {
        let record = &self.records[id.index()];
        if self.has_given_up() || !record.depth.is_multiple_of(KEPT_EVERY) || record.away != NONE {
            self.evict(id);
        }
    }

    /// Drops a state, and puts it away if others are to be restored from it.
    fn evict(&mut self, id: NodeId) {
        let is_needed = self.first_without_summary.is_none_or(|first| id < first);
        let record = &mut self.records[id.index()];
        if record.kept == NONE {
            return;
        }
        if is_needed && record.depth.is_multiple_of(KEPT_EVERY) && record.away == NONE {
            match self.put_away.put(self.system, self.kept.get(record.kept)) {
                Some(away) => record.away = away,
                None => return,
            }
        }
        self.kept.free.push(std::mem::replace(&mut record.kept, NONE));
    }

    /// Notes that a state is kept now, and puts others away if there are too many.
    fn note_kept(&mut self, id: NodeId) {
        if self.has_given_up() {
            return;
        }
        self.kept.queue.push_back(id);
        while self.kept.queue.len() > MOST_KEPT
            && let Some(first) = self.kept.queue.pop_front()
        {
            // It may be kept for the second time.
            if first != id {
                self.evict(first);
            }
        }
    }

    /// Whether the analysis was given up.
    pub(super) fn has_given_up(&self) -> bool {
        self.first_without_summary.is_some()
    }

    /// Gives up the analysis: all actors are to be tried in all states that are known, and in those that will be.
    pub(super) fn give_up(&mut self) {
        self.first_without_summary = Some(NodeId(self.len() as u32));
        (self.edges, self.work_list, self.blocked_steps) = (Vec::new(), Vec::new(), Vec::new());
        self.classes = Classes::new();
        self.pending =
            (0..self.len() as u32).map(NodeId).filter(|&id| self.nodes.first_not_done(id, 0).is_some()).collect();
    }

    /// Computes a state that was dropped again, from the nearest one before it that was not.
    #[inline]
    pub(super) fn restore(&mut self, id: NodeId) {
        if self.record(id).kept == NONE {
            self.compute(id);
        }
    }

    fn compute(&mut self, id: NodeId) {
        let (mut at, mut moves) = (id, Vec::new());
        while self.record(at).kept == NONE && self.record(at).away == NONE {
            moves.push(self.record(at).via);
            at = self.record(at).parent;
        }
        let NodeRecord { kept, away, .. } = *self.record(at);
        let mut state = if kept == NONE { self.put_away.get(self.system, away) } else { self.state(at).clone() };
        let mut step = Step::without_footprint();
        for taken in moves.into_iter().rev() {
            step.take(self.system, &mut state, taken);
        }
        self.record_mut(id).kept = self.kept.keep(self.system, &state);
        self.note_kept(id);
    }

    /// The number of a state, and whether it is new.
    pub(super) fn enter(
        &mut self,
        state: &S::State,
        fingerprint: Fingerprint,
        enabled: &mut Vec<ActorId>,
        origin: Option<Origin>,
    ) -> (NodeId, bool) {
        match self.nodes.find(fingerprint) {
            Some(known) => (known, false),
            None => (self.add(state, fingerprint, enabled, origin), true),
        }
    }

    /// Adds a state that is not known.
    fn add(
        &mut self,
        state: &S::State,
        fingerprint: Fingerprint,
        enabled: &mut Vec<ActorId>,
        origin: Option<Origin>,
    ) -> NodeId {
        enabled.clear();
        let entries = if self.has_given_up() {
            self.system.enabled(state, enabled);
            self.fixed_guard_enabled.clear();
            None
        } else {
            self.find_fixed_guards(state, origin);
            Some(self.blocked_entries(state, enabled, origin))
        };
        let id = self.nodes.add(fingerprint, enabled, self.fixed_guard_enabled.words());
        debug_assert!(self.knows_enabled(id, state));
        let (parent, via, depth) = match origin {
            Some(Origin { from, step, .. }) => (from, step, self.record(from).depth + 1),
            None => (id, Move::from(ActorId(0)), 0),
        };
        let kept = self.kept.keep(self.system, state);
        self.records.push(NodeRecord { kept, away: NONE, parent, via, depth, seen_at: 0 });
        self.note_kept(id);
        if let Some(entries) = entries {
            self.nodes.set_summary(id, entries);
            self.work_list.push(id);
        }
        id
    }

    /// Finds the actors with a fixed guard that can move in a new state: those that could a step ago, unless that step wrote
    /// what their guards read.
    fn find_fixed_guards(&mut self, state: &S::State, origin: Option<Origin>) {
        let before = origin.and_then(|Origin { from, label, .. }| Some((self.nodes.enabled(from), label?)));
        if let Some((_, label)) = before.filter(|_| !self.fixed_guard.is_empty()) {
            self.classes.update_waiters(&self.entries, label);
        }
        let (system, classes) = (self.system, &self.classes);
        let enabled = self.fixed_guard_actors.words().iter().enumerate().map(|(index, &all)| {
            let (asked, still) = match before {
                Some((enabled, label)) => {
                    let asked = all & classes.waiters(label, index);
                    (asked, all & !asked & enabled.word(index))
                }
                None => (all, 0),
            };
            members_of_word(index, asked)
                .filter(|&actor| system.insight().fixed_guard_holds(state, ActorId(actor)))
                .fold(still, |all, actor| all | 1 << (actor % 64))
        });
        self.fixed_guard_enabled.assign(enabled);
    }

    /// Whether the enabled actors of a state are known.
    fn knows_enabled(&self, id: NodeId, state: &S::State) -> bool {
        let mut enabled = Vec::new();
        self.system.enabled(state, &mut enabled);
        enabled.sort_unstable();
        self.nodes.enabled(id).actors().eq(enabled)
    }

    /// Finds the enabled actors of a new state, and the entries of the blocked ones: an actor may be blocked for ever, and
    /// never take the step that its entries tell of. Actors with a fixed guard follow later; see `add_fixed_guards`.
    fn blocked_entries(&mut self, state: &S::State, enabled: &mut Vec<ActorId>, origin: Option<Origin>) -> Set {
        let (system, entries, classes) = (self.system, &mut self.entries, &mut self.classes);
        let mut meet = |actor: ActorId, classes: &mut Classes, entries: &mut Entries| {
            if self.seen.insert(actor.0) {
                if let Some(handler) = system.actor(actor).handler() {
                    entries.note_handler(actor, handler);
                }
                // An actor that is met for the first time did not exist a step ago.
                if origin.is_some()
                    && let Some(object) = absent_until(system, actor)
                {
                    classes.note_waiter(actor, object);
                }
            }
        };
        let (blocked_steps, mut summary) = (&mut self.blocked_steps, Set::EMPTY);
        let (fixed, mutexes) = (&self.fixed_guard_actors, &mut self.mutexes);
        let mut footprint = Footprint::default();
        survey(system, state, |actor| fixed.contains(actor.0), enabled, &mut |actor, obstacle| {
            footprint.clear();
            let awaited = obstacle(&mut footprint);
            footprint.seal();
            if blocked_steps.len() <= actor.index() {
                blocked_steps.resize_with(actor.index() + 1, || None);
            }
            let own = match &blocked_steps[actor.index()] {
                Some(known) if known.awaited == awaited && known.footprint == footprint => known.entries,
                _ => {
                    meet(actor, classes, entries);
                    awaited.iter().for_each(|awaited| classes.note_waiter(actor, awaited.object()));
                    mutexes.note(system, actor, &footprint);
                    let label = entries.label(actor, &footprint, Set::EMPTY, || acquired_mutex(system, &footprint));
                    let own = entries.own(label);
                    let step = BlockedStep { footprint: footprint.clone(), awaited, entries: own };
                    blocked_steps[actor.index()] = Some(step);
                    own
                }
            };
            summary = entries.sets.union(summary, own);
        });
        enabled.iter().for_each(|&actor| meet(actor, classes, entries));
        summary
    }

    /// Adds the entries of blocked actors with a fixed guard to the summary of a new state. By now others have come there
    /// from below, and few are left to add.
    fn add_fixed_guards(&mut self, id: NodeId) {
        let before = self.nodes.summary(id);
        let mut summary = before;
        let mut missing = std::mem::take(&mut self.enabled);
        missing.clear();
        self.entries.sets.no_word_without(self.fixed_guard_entries, before, |index, entries| {
            missing.extend(members_of_word(index, entries).map(|entry| self.entries.get(EntryId(entry)).actor));
            false
        });
        for &actor in missing.iter().filter(|&&actor| !self.nodes.enabled(id).contains(actor)) {
            summary = self.entries.sets.union(summary, self.fixed_guard[actor.index()]);
        }
        self.enabled = missing;
        self.nodes.set_summary(id, summary);
    }

    /// The initial state from which a state was first reached, and the moves that led there, with one more at the end.
    fn path_to(&self, mut id: NodeId, last: Option<Move>) -> (NodeId, Vec<Move>) {
        let mut moves: Vec<Move> = last.into_iter().collect();
        while self.record(id).parent != id {
            moves.push(self.record(id).via);
            id = self.record(id).parent;
        }
        moves.reverse();
        (id, moves)
    }

    /// Finds the shortest paths over known transitions: executions come to many states by longer ones.
    pub(super) fn find_shortest_paths(&mut self, starts: &[NodeId]) {
        let mut out: Vec<Vec<(LabelId, NodeId)>> = vec![Vec::new(); self.len()];
        for id in (0..self.len() as u32).map(NodeId) {
            let mut next = self.nodes.first_in(id);
            while next != NONE {
                let edge = self.edges[next as usize];
                out[edge.from.index()].push((self.classes.label(edge.class), id));
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
                let depth = self.record(from).depth + 1;
                if depth < self.record(to).depth {
                    self.restore(from);
                    let via = self.move_between(from, self.entries.actor(label), to);
                    let record = self.record_mut(to);
                    (record.parent, record.via, record.depth) = (from, via, depth);
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

    /// Adds a transition. The entries that it makes known are yet to be propagated.
    pub(super) fn connect(&mut self, from: NodeId, label: LabelId, to: NodeId) {
        self.restore(from);
        let (system, state) = (self.system, self.kept.get(self.records[from.index()].kept));
        let enabled = [self.nodes.enabled(from), self.nodes.enabled(to)];
        let list = &mut self.enabled;
        list.clear();
        let class = self.classes.find(&mut self.entries, label, enabled, |actor| {
            if list.is_empty() {
                list.extend(enabled[0].actors());
            }
            awaited(system, state, list, actor)
        });
        let next_in = self.nodes.replace_first_in(to, self.edges.len() as u32);
        let edge = Edge { from, class, next_in };
        self.edges.push(edge);
        // Algorithm 2, lines 22 and 23: an actor that a step disables must also be tried in front of it.
        if !self.nodes.tries_all(from) && self.nodes.add_disabled_to_backtrack(from, to) {
            self.pending.push(from);
        }
        // A summary of `to` that waits on the work list will cross this transition, too: next if it is the last on the
        // list, and otherwise later, so that the transition's own entries go ahead. This is only about the order.
        if !self.nodes.is_fresh(to) {
            self.transfer(self.nodes.summary(to), edge, to);
        } else if self.work_list.last() != Some(&to) {
            self.transfer(Set::EMPTY, edge, to);
        }
    }

    /// All actors are to be tried in a state.
    pub(super) fn add_all_to_backtrack(&mut self, id: NodeId) {
        if self.nodes.add_all_to_backtrack(id) {
            self.pending.push(id);
        }
    }

    /// Whether an actor holds a mutex in a state that others were ever seen to touch.
    pub(super) fn holds_contended_mutex(&self, id: NodeId, actor: ActorId) -> bool {
        let (insight, state) = (self.system.insight(), self.state(id));
        self.mutexes
            .of(actor)
            .any(|mutex| insight.holder(state, mutex) == Some(actor) && self.entries.is_touched_by_others(mutex, actor))
    }

    /// Algorithm 3: sends summaries over transitions until nothing changes, the latest first: an execution is gone over
    /// once, from its end to its beginning.
    pub(super) fn propagate(&mut self, meter: &mut Meter) -> Result<(), StopReason> {
        let first = self.pending.len();
        while let Some(id) = self.work_list.pop() {
            if !self.fixed_guard.is_empty() && self.nodes.is_new(id) {
                self.add_fixed_guards(id);
            }
            self.nodes.begin_sending(id);
            let (summary, mut next) = (self.nodes.summary(id), self.nodes.first_in(id));
            while next != NONE {
                let edge = self.edges[next as usize];
                self.transfer(summary, edge, id);
                next = edge.next_in;
            }
            // One new transition may change many summaries.
            self.propagated += 1;
            if self.propagated.is_multiple_of(CHECK_EVERY)
                && let Some(reason) = meter.check()
            {
                return Err(reason);
            }
        }
        // The search continues at the end of an execution before its beginning.
        self.pending[first..].reverse();
        Ok(())
    }

    /// Algorithm 5 for one transition and the summary behind it: entries that conflict with the transition are backtrack
    /// points in front of it, and the summary in front of it becomes what the transition makes of the one behind.
    #[inline]
    fn transfer(&mut self, behind: Set, Edge { from, class, .. }: Edge, to: NodeId) {
        if !self.nodes.tries_all(from) {
            let enabled = self.nodes.enabled(to);
            self.classes.backtrack_points((class, behind), enabled, &mut self.entries, &mut self.backtrack_points);
            if self.nodes.add_to_backtrack(from, self.backtrack_points.words()) {
                self.pending.push(from);
            }
        }
        let known = self.nodes.summary(from);
        let in_front = self.classes.transfer(class, behind, known, &mut self.entries);
        if in_front != known && !self.entries.subsumes(known, in_front) && self.nodes.set_summary(from, in_front) {
            self.work_list.push(from);
        }
    }

    /// The label of a transition.
    pub(super) fn label(&mut self, from: NodeId, actor: ActorId, footprint: &Footprint) -> LabelId {
        let held = &mut self.held;
        held.clear();
        self.mutexes.note(self.system, actor, footprint);
        let (insight, state) = (self.system.insight(), self.kept.get(self.records[from.index()].kept));
        for mutex in self.mutexes.of(actor).filter(|&mutex| insight.holder(state, mutex) == Some(actor)) {
            held.insert(mutex.0);
        }
        if let Some(handler) = self.entries.runs_on(actor)
            && !footprint.access(handler).is_some_and(|access| access.contains(Access::WRITE))
        {
            held.insert(handler.0);
        }
        let held = if held.words().is_empty() { Set::EMPTY } else { self.entries.sets.set(held.words()) };
        self.entries.label(actor, footprint, held, || acquired_mutex(self.system, footprint))
    }

    /// The path to a state as a schedule; `starts` are the initial states in order.
    pub(super) fn schedule_to(&self, starts: &[NodeId], id: NodeId, last: Option<Move>) -> Schedule {
        let (root, moves) = self.path_to(id, last);
        Schedule::new(starts.iter().position(|&start| start == root).unwrap_or(0), moves)
    }
}
