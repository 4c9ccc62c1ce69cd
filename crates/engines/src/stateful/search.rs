//! Executions: which state the search continues in, which actor moves next, and where an execution ends (algorithms 1, 2
//! and 4 of the paper). The head of the folder has the theorem.

use super::giving_up::Effort;
use super::graph::{Graph, Origin};
use super::store::nodes::NodeId;
use super::summary::entries::{Entries, LabelId};
use super::turns::Turns;
use crate::Options;
use crate::shared::findings::{Finding, Findings};
use crate::shared::ledger::Ledger;
use mazurka_core::{
    ActorId, ActorKind, Bound, Counter, Dependence, Ending, Exploration, Fingerprint, Move, Observer, Progress,
    Schedule, Step, StopReason, System, Violation,
};

/// A search from the initial states.
pub(super) struct Search<'a, S: System> {
    pub(super) system: &'a S,
    pub(super) ledger: Ledger<'a, FoundAt>,
    pub(super) graph: Graph<'a, S>,
    starts: Vec<NodeId>,
    /// Outcomes of choices that are still to be explored.
    alternatives: Vec<(NodeId, Move)>,
    /// The steps that were taken and have not been followed yet.
    pub(super) successors: Successors<S::State>,
    pub(super) step: Step,
    pub(super) enabled: Vec<ActorId>,

    /// Counts steps over all executions: the time.
    now: u64,
    /// The actor whose turn it is, by number; those with smaller numbers come last.
    next_in_turn: u32,
    /// The event after the one that happened last.
    next_event: u32,
    /// When the current execution started.
    started: u64,
    turns: Turns,
    /// The states that the current execution went through.
    path: Vec<NodeId>,

    pub(super) executions: u64,
    /// States from which the search did not continue, because schedules that lead there are as long as they may be.
    cuts: Vec<NodeId>,
    pub(super) effort: Effort,
}

/// Where a violation was met.
pub(super) enum FoundAt {
    /// In a state, or by a step from there.
    State(NodeId, Option<Move>),
    /// At the end of a schedule, before the search started again.
    Schedule(Schedule),
}

impl FoundAt {
    /// The schedule that leads there; `starts` are the initial states in order.
    fn schedule<S: System>(self, graph: &Graph<'_, S>, starts: &[NodeId]) -> Schedule {
        match self {
            FoundAt::State(at, step) => graph.schedule_to(starts, at, step),
            FoundAt::Schedule(schedule) => schedule,
        }
    }
}

/// A step that was taken: where it leads, and its label, unless its footprint is not asked for.
pub(super) struct Successor<T> {
    pub(super) step: Move,
    pub(super) state: T,
    pub(super) fingerprint: Fingerprint,
    label: Option<LabelId>,
    /// The state's number, if it was looked up and known. An idle step is not taken: it leads to where it begins.
    pub(super) known: Option<NodeId>,
}

/// Steps that were taken from one state. The memory of those that have been followed is used again.
pub(super) struct Successors<T> {
    pub(super) list: Vec<Successor<T>>,
    pub(super) len: usize,
}

impl<T: Clone> Successors<T> {
    /// Those that have not been followed.
    pub(super) fn pending(&mut self) -> &mut [Successor<T>] {
        &mut self.list[..self.len]
    }

    /// One more, which begins with a copy of a state.
    #[inline]
    pub(super) fn add(&mut self, step: Move, state: &T) -> &mut Successor<T> {
        let index = self.len;
        self.len += 1;
        match self.list.get_mut(index) {
            Some(successor) => {
                (successor.step, successor.label, successor.known) = (step, None, None);
                successor.state.clone_from(state);
            }
            None => self.list.push(Successor {
                step,
                state: state.clone(),
                fingerprint: Fingerprint(0),
                label: None,
                known: None,
            }),
        }
        &mut self.list[index]
    }
}

impl<'a, S: System> Search<'a, S> {
    /// A search that has not begun.
    pub(super) fn new(system: &'a S, options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        let dependence = Dependence { rewrites: false, ..options.dependence };
        Search {
            system,
            ledger: Ledger::new(options, observer),
            graph: Graph::new(system, Entries::new(dependence)),
            starts: Vec::new(),
            alternatives: Vec::new(),
            successors: Successors { list: Vec::new(), len: 0 },
            step: Step::default(),
            enabled: Vec::new(),
            now: 0,
            next_in_turn: 0,
            next_event: 0,
            started: 0,
            turns: Turns::default(),
            path: Vec::new(),
            executions: 0,
            cuts: Vec::new(),
            effort: Effort::new(options),
        }
    }

    /// Searches to the end.
    pub(super) fn run(&mut self) -> StopReason {
        let stop = self.run_from(self.system.initial_states());
        stop.map_or_else(|reason| reason, |()| StopReason::Complete)
    }

    /// Algorithm 1: executions from the initial states, then from every state whose backtrack set is not done.
    pub(super) fn run_from(&mut self, states: Vec<S::State>) -> Result<(), StopReason> {
        for state in states {
            let fingerprint = self.system.insight().fingerprint(&state);
            let (id, is_new) = self.graph.enter(&state, fingerprint, &mut self.enabled, None);
            self.starts.push(id);
            let mut violations = Vec::new();
            self.system.insight().violations_at_start(&state, &mut violations);
            self.note(&violations, id, None)?;
            if is_new {
                self.check_end(id)?;
                if self.is_too_deep(id) {
                    self.cut(id);
                } else if let Some(step) = self.pick(id) {
                    self.execute(id, step)?;
                }
            }
        }
        loop {
            if let Some((id, step)) = self.alternatives.pop() {
                self.execute(id, step)?;
            } else if !self.may_continue() {
                return Ok(());
            } else if let Some(id) = self.graph.pending.pop() {
                if self.graph.has_given_up() {
                    self.try_all(id)?;
                } else {
                    self.try_backtrack_set(id)?;
                }
            } else if !self.continue_where_cut() {
                return Ok(());
            }
        }
    }

    /// One execution from a state, beginning with a given move.
    fn execute(&mut self, start: NodeId, first: Move) -> Result<(), StopReason> {
        self.successors.len = 0;
        self.graph.restore(start);
        self.try_actor(start, first)?;
        self.follow(start, 0)
    }

    /// Executions that begin with the untried actors of a backtrack set. The first steps of all of them are taken together:
    /// the states that they lead to are far from each other in memory, and are fetched at the same time. Most of these
    /// executions end after one step.
    fn try_backtrack_set(&mut self, start: NodeId) -> Result<(), StopReason> {
        self.graph.restore(start);
        loop {
            self.successors.len = 0;
            for word in self.graph.nodes.words(start) {
                for actor in self.graph.nodes.begin_untried(start, word) {
                    self.take(start, Move::from(ActorId(actor)))?;
                }
            }
            if self.successors.len == 0 {
                // An execution may have been cut here, and all steps lead to closed states.
                self.graph.nodes.close(start);
                self.graph.drop_state(start);
                return Ok(());
            }
            for successor in self.successors.pending().iter_mut().filter(|successor| successor.known.is_none()) {
                successor.known = self.graph.nodes.find(successor.fingerprint);
            }
            for index in 0..self.successors.len {
                let Successor { known, label, .. } = self.successors.list[index];
                match (known, label) {
                    (Some(to), Some(label)) if self.graph.nodes.is_closed(to) => {
                        self.graph.connect(start, label, to);
                        self.executions += 1;
                    }
                    _ => self.follow(start, index)?,
                }
            }
            self.graph.propagate(&mut self.ledger.meter)?;
        }
    }

    /// Algorithm 2: an execution from a state, whose first step was taken.
    pub(super) fn follow(&mut self, start: NodeId, first: usize) -> Result<(), StopReason> {
        self.now += 1;
        self.started = self.now;
        self.path.clear();
        let (kept, mut at) = (self.successors.len, start);
        let mut successor = first;
        while let Some(to) = self.arrive(at, successor)? {
            at = to;
            let Some(step) = self.pick(at) else { break };
            self.successors.len = kept;
            successor = kept;
            self.try_actor(at, step)?;
        }
        self.successors.len = kept;
        self.graph.propagate(&mut self.ledger.meter)?;
        self.executions += 1;
        self.graph.nodes.close(start);
        for index in 0..self.path.len() {
            let id = self.path[index];
            self.graph.nodes.close(id);
            // Most states that have nothing to try now never will.
            if id != start && !self.graph.nodes.has_untried(id) {
                self.graph.drop_state(id);
            }
        }
        Ok(())
    }

    /// Algorithm 2, lines 2 to 17: an actor of the backtrack set that was not tried, or else any that was not.
    fn pick(&self, at: NodeId) -> Option<Move> {
        let nodes = &self.graph.nodes;
        let turn = self.next_in_turn;
        nodes.first_untried(at, turn).or_else(|| nodes.first_not_done(at, turn)).map(Move::from)
    }

    /// Tries an actor in a state.
    fn try_actor(&mut self, at: NodeId, step: Move) -> Result<(), StopReason> {
        self.graph.nodes.mark_done(at, step.actor);
        self.take(at, step)
    }

    /// Algorithm 2, lines 18 to 23: takes a step from a state, to be followed later.
    fn take(&mut self, at: NodeId, step: Move) -> Result<(), StopReason> {
        self.graph.restore(at);
        let state = self.graph.state(at);
        let successor = self.successors.add(step, state);
        self.step.begin(step.outcome);
        if self.system.insight().is_idle(state, step.actor, self.step.footprint_mut()) {
            successor.known = Some(at);
            successor.label = Some(self.graph.label(at, step.actor, self.step.footprint()));
            return Ok(());
        }
        self.step.take(self.system, &mut successor.state, step);
        successor.fingerprint = self.system.insight().fingerprint(&successor.state);
        self.step.footprint_mut().seal();
        successor.label = Some(self.graph.label(at, step.actor, self.step.footprint()));
        if let Some(outcome) = self.step.next_outcome() {
            self.alternatives.push((at, Move { outcome, ..step }));
        }
        if !self.step.violations().is_empty() {
            let violations = self.step.violations().to_vec();
            self.note(&violations, at, Some(step))?;
        }
        self.count()
    }

    /// Algorithm 2, lines 24 to 33: adds the transition of a step to the graph. Tells where the execution continues, if it
    /// does.
    fn arrive(&mut self, at: NodeId, successor: usize) -> Result<Option<NodeId>, StopReason> {
        let Successor { step, ref state, fingerprint, label, known } = self.successors.list[successor];
        let (to, is_new) = match known {
            Some(known) => (known, false),
            None => self.graph.enter(state, fingerprint, &mut self.enabled, Some(Origin { from: at, step, label })),
        };
        if is_new {
            self.check_end(to)?;
        }
        if let Some(label) = label {
            self.graph.connect(at, label, to);
        }
        self.now += 1;
        self.turns.moves(step.actor, self.now);
        let continues = self.continues(at, to)?;
        if continues {
            self.next_in_turn = self.turn_after(step.actor, to);
        }
        Ok(continues.then_some(to))
    }

    /// The actor whose turn it is in a state to which another one's step has just led; see the head of the folder.
    fn turn_after(&mut self, actor: ActorId, at: NodeId) -> u32 {
        let kind = self.system.actor(actor);
        if kind == ActorKind::Event {
            self.next_event = actor.0 + 1;
            return self.next_event;
        }
        self.graph.restore(at);
        let (nodes, runs_on) = (&self.graph.nodes, |actor| self.system.actor(actor).handler());
        if let Some(handler) = kind.handler() {
            let can_move = nodes.enabled(at).contains(actor);
            let mut of_handler = nodes.enabled(at).actors().filter(|&other| runs_on(other) == Some(handler));
            return if can_move { actor.0 } else { of_handler.next().map_or(self.next_event, |other| other.0) };
        }
        if self.graph.holds_contended_mutex(at, actor) {
            return actor.0;
        }
        let is_message = |next: ActorId| runs_on(next).is_some();
        if nodes.first_not_done(at, actor.0 + 1).is_some_and(is_message) { 0 } else { actor.0 + 1 }
    }

    /// Whether the execution continues from a state that it has come to. Most executions end after one step, at a known
    /// state: what matters only to those that continue is noted only then, the state where they began included.
    fn continues(&mut self, from: NodeId, to: NodeId) -> Result<bool, StopReason> {
        if self.graph.nodes.is_closed(to) {
            return Ok(false);
        }
        if self.is_too_deep(to) {
            self.cut(to);
            return Ok(false);
        }
        if self.path.is_empty() {
            self.turns.begin();
            self.arrive_at(from, self.started);
        }
        let seen_at = self.graph.record(to).seen_at;
        let is_own = seen_at >= self.started;
        self.arrive_at(to, self.now);
        if is_own {
            if self.turns.is_full_cycle(seen_at) {
                return Ok(false);
            }
            // The entries of the execution itself may add to the backtrack set of this state.
            self.graph.propagate(&mut self.ledger.meter)?;
        }
        Ok(true)
    }

    /// Whether a schedule that leads to a state is as long as one may be.
    fn is_too_deep(&self, id: NodeId) -> bool {
        self.ledger.options.budget.depth.is_some_and(|limit| u64::from(self.graph.record(id).depth) >= limit)
    }

    /// Goes no further than to a state.
    fn cut(&mut self, id: NodeId) {
        if !self.graph.nodes.is_end(id) {
            self.cuts.push(id);
        }
    }

    /// Continues from states that were cut and are not too deep after all; false if there are none. An execution may come to a
    /// state by a long path before another one does by a short one. The states of an execution that was cut belong to the
    /// history, though actors that did not move on the way were ignored. So all actors are tried in the state where it was
    /// cut.
    fn continue_where_cut(&mut self) -> bool {
        if self.cuts.is_empty() {
            return false;
        }
        self.graph.find_shortest_paths(&self.starts);
        self.cuts.sort_unstable();
        self.cuts.dedup();
        let cuts = std::mem::take(&mut self.cuts);
        let (still, near): (Vec<_>, Vec<_>) = cuts.into_iter().partition(|&id| self.is_too_deep(id));
        self.cuts = still;
        near.iter().for_each(|&id| self.graph.add_all_to_backtrack(id));
        !near.is_empty()
    }

    /// The current execution comes to a state.
    fn arrive_at(&mut self, id: NodeId, now: u64) {
        self.turns.arrive(self.graph.nodes.enabled(id), now);
        let record = self.graph.record_mut(id);
        if record.seen_at < self.started {
            record.seen_at = now;
            self.path.push(id);
        }
    }

    /// Counts a transition, and looks at the limits when that is due.
    pub(super) fn count(&mut self) -> Result<(), StopReason> {
        if !self.ledger.count(1) {
            return Ok(());
        }
        self.ledger.check(|ledger| Progress {
            found: self.graph.len() as u64,
            unit: "states",
            transitions: ledger.transitions,
            depth: self.path.len() as u64,
            waiting: (self.graph.pending.len() + self.alternatives.len()) as u64,
        })?;
        if self.graph.is_full() {
            return Err(StopReason::NumbersRanOut);
        }
        if self.effort.is_sample { Err(StopReason::Complete) } else { Ok(()) }
    }

    /// Reports a new state in which no actor can move.
    pub(super) fn check_end(&mut self, id: NodeId) -> Result<(), StopReason> {
        self.ledger.max_depth = self.ledger.max_depth.max(u64::from(self.graph.record(id).depth));
        if !self.graph.nodes.is_end(id) {
            return Ok(());
        }
        let state = self.graph.state(id);
        let ending = self.system.ending(state);
        self.ledger.end(&ending, self.system.insight().fingerprint(state));
        match ending {
            Ending::Deadlock(violation) => self.note(&[*violation], id, None),
            Ending::Finished | Ending::Blocked => Ok(()),
        }
    }

    /// Keeps the violations of a step from a state, or of a state itself.
    pub(super) fn note(&mut self, violations: &[Violation], at: NodeId, step: Option<Move>) -> Result<(), StopReason> {
        let length = u64::from(self.graph.record(at).depth) + u64::from(step.is_some());
        self.ledger.note(violations, length, || FoundAt::State(at, step))
    }

    /// The same search from its beginning, with another effort. What was found and counted stays.
    pub(super) fn again(self, effort: Effort) -> Self {
        let Search { system, graph, starts, mut ledger, .. } = self;
        let (options, mut findings) = (ledger.options, Findings::new(ledger.findings.by_values()));
        for Finding { violation, length, place } in ledger.findings.drain() {
            let schedule = place.schedule(&graph, &starts);
            findings.note(&violation, length, || FoundAt::Schedule(schedule));
        }
        let Ledger { observer, meter, transitions, .. } = ledger;
        let fresh = Search::new(system, options, observer);
        let ledger = Ledger { meter, transitions, findings, ..fresh.ledger };
        Search { effort, ledger, ..fresh }
    }

    /// Draws the conclusion.
    pub(super) fn conclude(mut self, stop: StopReason) -> Exploration {
        self.cuts.sort_unstable();
        self.cuts.dedup();
        let bound = Bound::Depth(self.ledger.options.budget.depth.unwrap_or(0));
        let bounded = (!self.cuts.is_empty()).then_some((bound, self.cuts.len() as u64));
        let counted = [(Counter::Executions, self.executions), (Counter::States, self.graph.len() as u64)];
        let (graph, starts) = (self.graph, self.starts);
        let schedule = |found: FoundAt| Some(found.schedule(&graph, &starts));
        self.ledger.conclude(self.system, stop, bounded, &counted, schedule)
    }
}
