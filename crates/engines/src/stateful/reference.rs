//! The algorithm of the paper, to be read beside it: algorithms 1 to 5 with three repairs.
//!
//! Three things differ in form only: conflicts come from the summaries of appendix D, an execution ends where all enabled
//! actors are done, and the recursion of algorithm 2 is a work list.
//!
//! After Trimananda, Luo, Demsky and Xu, *Stateful Dynamic Partial Order Reduction for Model Checking Event-Driven
//! Applications that Do Not Terminate*, VMCAI 2022. `--plain` runs this, and `agree` compares the fast engine with it.
//! The theorem, the repairs and the programs that show why they are needed stand at the head of the folder (`mod.rs`).
//!
//! | paper | here |
//! |---|---|
//! | 𝓗, the states of earlier executions | [`Node::in_history`] |
//! | 𝓢, the transitions of this execution | `path` in [`Search::execute`] |
//! | 𝓡, the state transition graph | [`Search::nodes`], [`Search::transitions`] |
//! | algorithm 1, EXPLOREALL | [`Search::explore_all`] |
//! | algorithm 2, EXPLORE | [`Search::execute`], [`Search::select`], [`Search::step`] |
//! | algorithm 3, UPDATEBACKTRACKSETSFROMGRAPH | [`Search::propagate`] |
//! | algorithm 4, ISFULLCYCLE | [`Search::is_full_cycle`] |
//! | algorithm 5, UPDATEBACKTRACKSET | [`Search::transfer`] |
//! | what was published and is repaired here | `published.rs` |
//!
//! Algorithms 3 and 5 search 𝓡 backwards for conflicts, for each transition and each path. Appendix D caches what they
//! find as a *summary* of each state: the accesses that can follow it. That is a backward dataflow analysis. A summary is
//! a set of entries, an entry is an actor and one of its accesses, and the summaries are the least fixpoint of
//!
//! > summary(s) ⊇ blocked(s) ∪ summary(s') ∪ accesses(t)  for each transition t from s to s'
//!
//! A conflict of t with an entry of summary(s') is a backtracking point in s. When a set grows, only the new entries are
//! sent on: each entry crosses each transition once.

use super::published;
use crate::Options;
use crate::shared::ledger::{CHECK_EVERY, Ledger};
use hashbrown::{HashMap, HashSet};
use mazurka_core::{
    ActorId, Bound, Counter, Dependence, Ending, Exploration, Fingerprint, Footprint, Move, Observer, Progress,
    Schedule, Step, StopReason, System, Touch, Verdict, Violation,
};
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;

/// What it means that the algorithm finds nothing without the repairs.
const PROVES_NOTHING: &str = "nothing was found, but the algorithm as published misses violations of some programs";

/// The index of a state in [`Search::nodes`].
pub(super) type NodeId = usize;

/// An entry of a summary: this actor makes this access below the state, or is blocked there and would make it.
pub(super) type Entry = (ActorId, Touch);

/// A state, and what is known about it.
pub(super) struct Node<T> {
    state: T,
    pub(super) enabled: BTreeSet<ActorId>,
    backtrack: BTreeSet<ActorId>,
    done: BTreeSet<ActorId>,
    summary: HashSet<Entry, FxBuildHasher>,
    /// The transitions that lead here, and those that lead away.
    pub(super) incoming: Vec<usize>,
    pub(super) outgoing: Vec<usize>,
    /// Whether an execution that went through here has ended.
    in_history: bool,
    /// How it was first reached, and in how many steps.
    parent: Option<(NodeId, Move)>,
    depth: u64,
}

/// An edge of 𝓡.
pub(super) struct Transition {
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) actor: ActorId,
    pub(super) accesses: Footprint,
}

/// 𝓢: the steps of the current execution, each with the state that it was taken in.
#[derive(Default)]
pub(super) struct Path {
    steps: Vec<(NodeId, ActorId)>,
    /// Where the execution first was in a state, and where an actor last moved, as indices of `steps`.
    first_visit: HashMap<NodeId, usize, FxBuildHasher>,
    pub(super) last_move: HashMap<ActorId, usize, FxBuildHasher>,
}

impl Path {
    fn push(&mut self, at: NodeId, actor: ActorId) {
        self.first_visit.entry(at).or_insert(self.steps.len());
        self.last_move.insert(actor, self.steps.len());
        self.steps.push((at, actor));
    }
}

/// Explores a program with the algorithm and its repairs or, with `options.as_published`, without them.
pub(super) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    let mut search = Search {
        system,
        options,
        ledger: Ledger::new(options, observer),
        dependence: Dependence { rewrites: true, ..options.dependence },
        nodes: Vec::new(),
        ids: HashMap::default(),
        transitions: Vec::new(),
        starts: Vec::new(),
        pending: Vec::new(),
        alternatives: Vec::new(),
        work: 0,
        executions: 0,
        cuts: 0,
    };
    let stop = search.explore_all().err().unwrap_or(StopReason::Complete);
    search.conclude(stop)
}

pub(super) struct Search<'a, S: System> {
    system: &'a S,
    pub(super) options: &'a Options,
    ledger: Ledger<'a, (NodeId, Option<Move>)>,
    pub(super) dependence: Dependence,
    pub(super) nodes: Vec<Node<S::State>>,
    ids: HashMap<Fingerprint, NodeId, FxBuildHasher>,
    pub(super) transitions: Vec<Transition>,
    starts: Vec<NodeId>,
    /// States whose backtrack sets have grown.
    pending: Vec<NodeId>,
    /// Further outcomes of choices within steps.
    alternatives: Vec<(NodeId, Move)>,
    work: u64,
    executions: u64,
    /// Executions that ended at the bound on their length.
    cuts: u64,
}

impl<'a, S: System> Search<'a, S> {
    /// Algorithm 1: executions from the initial states, then from every state whose backtrack set is not done.
    fn explore_all(&mut self) -> Result<(), StopReason> {
        for state in self.system.initial_states() {
            let mut violations = Vec::new();
            self.system.insight().violations_at_start(&state, &mut violations);
            let start = self.enter(state, None);
            self.starts.push(start);
            self.note(&violations, start, None)?;
            self.check_end(start)?;
            match self.select(start) {
                Some(_) if self.is_too_deep(start) => self.cuts += 1,
                Some(first) if !self.nodes[start].in_history => self.execute(start, first.into())?,
                _ => {}
            }
        }
        loop {
            if let Some((at, step)) = self.alternatives.pop() {
                self.execute(at, step)?;
            } else if let Some(at) = self.pending.pop() {
                if let Some(&actor) = self.nodes[at].backtrack.difference(&self.nodes[at].done).next() {
                    self.pending.push(at);
                    self.execute(at, actor.into())?;
                }
            } else {
                return Ok(());
            }
        }
    }

    /// Algorithm 2: one execution, which begins with a given move. It ends where no actor can move, at a state of an earlier
    /// execution, when it has closed a full cycle, or where all enabled actors are done: each of them has been tried there,
    /// so none is ignored.
    fn execute(&mut self, start: NodeId, first: Move) -> Result<(), StopReason> {
        let mut path = Path::default();
        path.push(start, first.actor);
        let mut at = self.step(start, first)?;
        while !self.nodes[at].in_history && !self.is_full_cycle(&path, at) {
            if let Some(next) = self.select(at) {
                if self.is_too_deep(at) {
                    self.cuts += 1;
                    break;
                }
                path.push(at, next);
                at = self.step(at, next.into())?;
            } else if self.options.as_published
                && let Some((next, to)) = published::select_again(self, &path, at)
            {
                path.push(at, next);
                at = to;
                self.tick()?;
            } else {
                break;
            }
        }
        path.steps.iter().for_each(|&(id, _)| self.nodes[id].in_history = true);
        self.executions += 1;
        Ok(())
    }

    /// Algorithm 2, lines 2 to 17: an actor of the backtrack set, or else one that is not done.
    fn select(&self, at: NodeId) -> Option<ActorId> {
        let Node { enabled, backtrack, done, .. } = &self.nodes[at];
        backtrack.difference(done).chain(enabled.difference(done)).next().copied()
    }

    /// Algorithm 2, lines 18 to 27: takes a step and adds its transition to 𝓡.
    fn step(&mut self, at: NodeId, step: Move) -> Result<NodeId, StopReason> {
        let actor = step.actor;
        let node = &mut self.nodes[at];
        node.backtrack.insert(actor);
        node.done.insert(actor);
        let (mut state, mut effects) = (node.state.clone(), Step::default());
        effects.take(self.system, &mut state, step);
        effects.footprint_mut().seal();
        self.note(effects.violations(), at, Some(step))?;
        self.alternatives.extend(effects.next_outcome().map(|outcome| (at, Move { actor, outcome })));

        let to = self.enter(state, Some((at, step)));
        let transition = self.transitions.len();
        self.transitions.push(Transition { from: at, to, actor, accesses: effects.footprint().clone() });
        self.check_end(to)?;
        self.nodes[at].outgoing.push(transition);
        self.nodes[to].incoming.push(transition);
        let disabled: Vec<_> = self.nodes[at].enabled.difference(&self.nodes[to].enabled).copied().collect();
        disabled.into_iter().for_each(|actor| self.add_to_backtrack(at, actor));
        if self.options.as_published {
            published::update_backtrack_sets(self, transition)?;
        } else {
            let below = self.nodes[to].summary.iter().copied().collect();
            self.propagate(transition, below)?;
        }
        Ok(to)
    }

    /// The number of a state. The summary of a new one begins with what is blocked there: an actor that is blocked for ever
    /// never makes its access, and still has to be tried in front of those that block it (repair 3).
    fn enter(&mut self, state: S::State, parent: Option<(NodeId, Move)>) -> NodeId {
        let fingerprint = self.system.insight().fingerprint(&state);
        if let Some(&known) = self.ids.get(&fingerprint) {
            return known;
        }
        let (mut enabled, mut summary) = (Vec::new(), HashSet::default());
        self.system.enabled(&state, &mut enabled);
        if !self.options.as_published {
            let mut footprint = Footprint::default();
            self.system.blocked(&state, &enabled, &mut |actor, obstacle| {
                footprint.clear();
                obstacle(&mut footprint);
                footprint.seal();
                summary.extend(footprint.touches().iter().map(|&touch| (actor, touch)));
            });
        }
        self.ids.insert(fingerprint, self.nodes.len());
        self.nodes.push(Node {
            state,
            enabled: enabled.into_iter().collect(),
            backtrack: BTreeSet::new(),
            done: BTreeSet::new(),
            summary,
            incoming: Vec::new(),
            outgoing: Vec::new(),
            in_history: false,
            parent,
            depth: parent.map_or(0, |(from, _)| self.nodes[from].depth + 1),
        });
        self.nodes.len() - 1
    }

    /// Algorithm 3: sends entries over a transition, and what is new in front of it further, until nothing changes.
    fn propagate(&mut self, transition: usize, entries: Vec<Entry>) -> Result<(), StopReason> {
        let mut work = vec![(transition, entries)];
        while let Some((transition, entries)) = work.pop() {
            let new = self.transfer(transition, entries);
            if !new.is_empty() {
                let incoming = &self.nodes[self.transitions[transition].from].incoming;
                work.extend(incoming.iter().map(|&before| (before, new.clone())));
            }
            self.tick()?;
        }
        Ok(())
    }

    /// Algorithm 5 for one transition: its conflicts with entries behind it are backtracking points in front of it. Returns
    /// the entries that are new there.
    ///
    /// An entry goes on past a conflict (repair 1), and a step of its own actor does not stop it either (repair 2).
    fn transfer(&mut self, transition: usize, behind: Vec<Entry>) -> Vec<Entry> {
        let Transition { from, actor, accesses, .. } = &self.transitions[transition];
        let (from, actor) = (*from, *actor);
        let conflicts = |&&(other, touch): &&Entry| {
            let mine = accesses.access(touch.object);
            other != actor && mine.is_some_and(|mine| self.dependence.races(mine, touch.access))
        };
        let conflicting: BTreeSet<ActorId> = behind.iter().filter(conflicts).map(|&(other, _)| other).collect();
        let own = accesses.touches().iter().map(|&touch| (actor, touch));
        let summary = &mut self.nodes[from].summary;
        let new = behind.into_iter().chain(own).filter(|&entry| summary.insert(entry)).collect();
        conflicting.into_iter().for_each(|actor| self.add_conflict(from, actor));
        new
    }

    /// Algorithm 5, lines 9 to 13: an actor that conflicts with a step from this state is tried here; if it cannot move
    /// here, every actor that can is.
    pub(super) fn add_conflict(&mut self, at: NodeId, actor: ActorId) {
        if self.nodes[at].enabled.contains(&actor) {
            self.add_to_backtrack(at, actor);
        } else {
            let enabled = self.nodes[at].enabled.clone();
            enabled.into_iter().for_each(|actor| self.add_to_backtrack(at, actor));
        }
    }

    fn add_to_backtrack(&mut self, at: NodeId, actor: ActorId) {
        if self.nodes[at].backtrack.insert(actor) {
            self.pending.push(at);
        }
    }

    /// Algorithm 4: whether the execution is back at a state of its own, and every actor that was enabled since has moved
    /// since. A smaller cycle is no reason to stop: an actor that is enabled all the time would be ignored for ever.
    fn is_full_cycle(&self, path: &Path, at: NodeId) -> bool {
        let Some(&first) = path.first_visit.get(&at) else { return false };
        let has_moved = |actor: &ActorId| path.last_move.get(actor).is_some_and(|&last| last >= first);
        path.steps[first..].iter().all(|&(id, _)| self.nodes[id].enabled.iter().all(has_moved))
    }

    /// Whether a schedule that leads to a state is as long as one may be.
    fn is_too_deep(&self, at: NodeId) -> bool {
        self.options.budget.depth.is_some_and(|limit| self.nodes[at].depth >= limit)
    }

    /// Checks the limits every now and then.
    pub(super) fn tick(&mut self) -> Result<(), StopReason> {
        self.work += 1;
        if !self.work.is_multiple_of(CHECK_EVERY) && !self.ledger.meter.is_over() {
            return Ok(());
        }
        self.ledger.check(|_| Progress {
            found: self.nodes.len() as u64,
            unit: "states",
            transitions: self.transitions.len() as u64,
            depth: self.nodes.last().map_or(0, |node| node.depth),
            waiting: (self.pending.len() + self.alternatives.len()) as u64,
        })
    }

    /// Reports a new state in which no actor can move.
    fn check_end(&mut self, at: NodeId) -> Result<(), StopReason> {
        let node = &self.nodes[at];
        if !node.enabled.is_empty() || !node.incoming.is_empty() {
            return Ok(());
        }
        let ending = self.system.ending(&node.state);
        self.ledger.end(&ending, self.system.insight().fingerprint(&node.state));
        match ending {
            Ending::Deadlock(violation) => self.note(&[*violation], at, None),
            Ending::Finished | Ending::Blocked => Ok(()),
        }
    }

    /// Keeps the violations of a step from a state, or of a state itself.
    fn note(&mut self, violations: &[Violation], at: NodeId, step: Option<Move>) -> Result<(), StopReason> {
        self.ledger.note(violations, self.nodes[at].depth + u64::from(step.is_some()), || (at, step))
    }

    fn conclude(self, stop: StopReason) -> Exploration {
        let Search { nodes, starts, options, mut ledger, .. } = self;
        ledger.transitions = self.transitions.len() as u64;
        ledger.max_depth = nodes.iter().map(|node| node.depth).max().unwrap_or(0);
        let counted = [(Counter::Executions, self.executions), (Counter::States, nodes.len() as u64)];
        let bound = Bound::Depth(options.budget.depth.unwrap_or(0));
        let bounded = (self.cuts > 0).then_some((bound, self.cuts));
        let schedule = |(at, last)| Some(schedule_to(&nodes, &starts, at, last));
        let mut exploration = ledger.conclude(self.system, stop, bounded, &counted, schedule);
        if options.as_published && exploration.verdict == Verdict::Verified {
            exploration.verdict = Verdict::Unsupported(PROVES_NOTHING.to_owned());
        }
        exploration
    }
}

/// The schedule that leads to a state, and one move further.
fn schedule_to<T>(nodes: &[Node<T>], starts: &[NodeId], mut at: NodeId, last: Option<Move>) -> Schedule {
    let mut moves: Vec<Move> = last.into_iter().collect();
    while let Some((before, step)) = nodes[at].parent {
        moves.push(step);
        at = before;
    }
    moves.reverse();
    Schedule::new(starts.iter().position(|&start| start == at).unwrap_or(0), moves)
}
