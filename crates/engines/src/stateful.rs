//! Stateful dynamic partial-order reduction for programs that need not terminate.
//!
//! After Trimananda, Luo, Demsky and Xu, *Stateful Dynamic Partial Order Reduction for Model Checking Event-Driven
//! Applications that Do Not Terminate*, VMCAI 2022. The theorem: for every schedule of a program with finitely many
//! states, the explored graph contains a path of which the schedule is a prefix, up to the order of independent steps.
//! So every assertion that can fail fails with every set of values that it can read, and every deadlock is met.
//!
//! # The algorithm
//!
//! An *execution* goes from state to state, at each trying one actor. It ends where nobody can move, at a state that an
//! earlier execution has gone through, or when it closes a *full cycle*: it is back at a state of its own, and everybody
//! who was enabled since has moved since. (To stop at any state of its own would be wrong: whoever was enabled all the
//! time and never moved would be ignored, and with it every conflict that it could have had.) An execution that comes
//! back to a state of its own without a full cycle goes on there with somebody who was not tried; where everybody was, it
//! ends: nobody is ignored who can move there, and whoever could move before and cannot now was disabled on the way, and
//! is tried in front of the step that did it.
//!
//! A step that conflicts with an earlier one must also be tried in front of it. Which steps can still follow a state is
//! kept as the state's summary (appendix D), a set of claims that spread backwards over all known transitions; see
//! `summary` and `graph`. Where a claim meets a conflict, its actor is added to what is to be tried (`backtrack`) at the
//! state in front of it, or everybody if the actor cannot move there. While some state has something left to try, another
//! execution starts there. A choice within a step makes several transitions of it; an execution starts with each.
//!
//! Enabling and disabling are conflicts like others: whatever an actor's being enabled depends on is in its footprint.
//! Beside this there is one rule, as in the paper: whoever a step disables is tried in front of that step. So somebody who
//! could once move is known even if it never can again, and nobody tells that it waits (a home does not).
//!
//! The paper's names, in the order of its algorithms:
//!
//! | there | here |
//! |---|---|
//! | H, the states of earlier executions | [`Nodes::is_closed`](nodes::Nodes::is_closed) |
//! | S, the states of this execution | `path`, `seen_at` |
//! | R, the state transition graph | [`Graph`] |
//! | IsFullCycle | [`Turns::is_full_cycle`](turns::Turns::is_full_cycle) |
//! | UpdateBacktrackSet | [`Graph::connect`], and `send` for what it makes known |
//! | UpdateBacktrackSetsFromGraph | [`Graph::spread`] |
//! | the restart over states with work left | `pending`, [`Search::try_what_is_left`] |
//! | "remove e from done", to go on past a state match | not needed: an execution ends where everybody was tried |
//!
//! # Where the published algorithm is repaired
//!
//! It misses behaviours; the programs `finding-*.mz` in `tests/papers/stateful-dpor` show each of these.
//!
//! - It settles an access at the nearest conflicting step before it. That step may happen before the access anyway, by
//!   way of other objects, and an earlier conflict is then never looked at. Here a claim travels on, past every conflict.
//! - It settles an access at an earlier step of the same actor, and at a step without which the actor could not have
//!   moved. Neither can be reversed, so neither settles anything.
//! - It knows what an actor touches only once it has moved. Who comes to a step that it can never take (an assumption
//!   that stays false, an event whose guard and switch are never both on) must claim what that step needs, too.
//!
//! # Less than the paper explores
//!
//! `--plain` does without the following.
//!
//! - *Who moves next* decides most. Events take turns: next is the one that comes after the event that happened last, not
//!   the first one. Of n toggles that have nothing to do with each other the first execution then turns on one after the
//!   other and off again: 2n states, not 2^n. And an execution that begins with something else than an earlier one goes on
//!   as that one did, so that both soon meet again. (To let whoever has not moved for longest go next does the first but
//!   not the second: on a home with 78 events it visited millions of states, and this order 14,504.) Threads take turns,
//!   too, but whoever holds a mutex that others want goes on: they could only come to wait for it, and what they would do
//!   with it is no conflict meanwhile. Likewise a message goes on to its end, and then another one of its handler begins,
//!   or the next event has its turn; and after a thread the threads that were there from the start come before messages.
//!   The store with five clients (`database-cache.mz`) takes 500 transitions, and 26 million with everybody in turn;
//!   consensus of four 464 and 345,158. (To let every thread go on as long as it can is better still for some, but two
//!   threads that take 150 mutexes one after the other then take 149,461 transitions in place of 2,410: turns keep those
//!   together who have something to do with each other.)
//! - *Where the search goes on*: at the end of an execution before its beginning. What is learnt there counts at the
//!   beginning, too, and makes what is tried there meet known states sooner.
//! - *A write that stores what is there already* counts as a read. Two such writes commute, and whether it is one depends
//!   on the value, so a write that changes the value still conflicts with it.
//! - *A step that is known to change nothing* (a sensor reports what it has reported already) is not taken: it leads to
//!   where it begins, and what it looks at is held against others as if it had been taken. In homes a third of what
//!   is explored would be such steps.
//! - *Who cannot come first is not tried first.* Nobody gets a mutex while another one holds it, and while a message runs
//!   no other one of its handler does anything. So what can only be touched with the mutex in hand is no conflict with a
//!   step whose actor holds it, and nothing that a message touches is one with the message that its handler runs. See
//!   `summary`.
//! - *A step that only lets the actor move*, by changing the one object that the actor waits for (the mutex that is given
//!   back, the event that is switched on, the message that is posted), is nothing to be reversed.
//!
//! Why the last one loses nothing: let t change the object o that a waits for, and let a move later. In front of t, a
//! cannot move, whatever else happens, before somebody changes o. If that is t, the order is kept. If it is somebody else,
//! u, then u and t both change o: they are in conflict, and u is tried in front of t for that reason. What a touches
//! beside o may still conflict with steps before t. Where a had nothing to do before t (it was made, woken or switched on
//! by it), a can come before such a step only if t does: t makes a's claims from there on. Where a was held up (the mutex
//! was taken), a might have come first, by steps of its own, so the claims stay a's. They may always stay a's: then
//! everybody is tried where a cannot move. See `kinds`.
//!
//! Tried and given up:
//!
//! - To let no claim travel over steps that lead from a state to itself. Such a step is among those tried there, so
//!   whoever conflicts with it must be tried, too (`step-that-is-silent-now.mz`).
//! - Sleep sets on the state graph: whoever was tried in front of an independent step sleeps behind it, is held against
//!   claims as if it had moved, and is woken where a transition arrives without it. Sound in what was tried of `agree`,
//!   but with everything above only 4 % fewer transitions over the published pairs of apps, and slower. Of the graphs of
//!   threads a quarter to a third of the transitions could be left out at most, and none of the states.
//! - Squares: where independent steps of two actors follow each other in one order, and three sides of the square are
//!   known, the fourth one need not be taken to know where it leads. But the other sides are what is saved: of one alarm's
//!   steps one in 25 is such a side, of those of threads one in five to seven, and to find them costs about as much.
//!
//! # What else is free, and how it is done here
//!
//! When claims are spread does not matter to what is found, only that they are before the search ends. So an execution is
//! first made and then gone over once, from its end to its beginning, and not anew for each of its steps.
//!
//! States that lead to each other claim the same, and transitions of one kind do the same to a summary. So a summary is a
//! small value, what becomes of it in front of a transition is mostly known, and most transitions cost two comparisons;
//! see `sets` and `kinds`.
//!
//! Where nothing was saved in five hundred transitions, claims are given up and everybody is tried; see `everybody`.
//!
//! The paper's algorithm is recursive and starts anew from a list of states when the recursion ends. Here every execution
//! starts from such a list: which of the states with something left to try comes next is free in the paper, too.
//!
//! A state in which nothing is left to try is mostly never needed again. It is forgotten (its row in the graph is not), and
//! if a claim comes there later, it is made anew by the few steps from a state before it that was kept.
//!
//! Where schedules may have a certain length only, a state may be met by a long way first, and be cut, though another way
//! there is short. The shortest ways are found when nothing else is left to do, and the search goes on where it was cut
//! too early, with everybody: what was cut may have ignored somebody.

mod everybody;
mod graph;
mod kinds;
mod nodes;
mod numbers;
mod published;
mod reference;
mod rows;
mod sets;
mod summary;
#[cfg(test)]
mod tests;
mod turns;

use crate::Options;
use crate::findings::{Finding, Findings, blocked_by_assume, conclude};
use crate::waiting::unless_it_tells_blocked;
use everybody::Effort;
use graph::{Graph, Way};
use mazurka_core::{
    ActorId, ActorKind, Bound, Counter, Dependence, Ending, Exploration, Fingerprint, Found, Meter, Move, Observer,
    Progress, Schedule, Statistics, Step, StopReason, System, Traits, Violation,
};
use nodes::NodeId;
use summary::{Claims, LabelId};
use turns::Turns;

/// The limits are looked at after so many steps.
const CHECK_EVERY: u64 = 1024;

/// Suits every program that tells who waits: without that, a step that is never taken would be held against nothing.
pub(crate) fn refuses(traits: &Traits) -> Option<String> {
    unless_it_tells_blocked(traits)
}

/// Explores a program. The promise stands at the head of this file.
pub(crate) fn explore<S: System>(system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    if options.plain || options.as_published {
        return reference::explore(system, options, observer);
    }
    let mut search = Search::new(system, options, observer);
    let mut stop = search.run();
    if search.effort.was_hasty {
        search = search.anew();
        stop = search.run();
    }
    search.conclude(stop)
}

struct Search<'a, S: System> {
    system: &'a S,
    options: &'a Options,
    observer: &'a mut dyn Observer,
    graph: Graph<'a, S>,
    starts: Vec<NodeId>,
    /// Outcomes of choices that are still to be explored.
    alternatives: Vec<(NodeId, Move)>,
    /// The steps that were taken and have not been followed yet.
    trials: Trials<S::State>,
    step: Step,
    enabled: Vec<ActorId>,

    /// Counts steps over all executions: the clock of what follows.
    now: u64,
    /// Whose turn it is now, by number; those with smaller numbers come last.
    next_in_turn: u32,
    /// The one after the event that happened last.
    next_event: u32,
    /// When the current execution started.
    started: u64,
    turns: Turns,
    /// The states that the current execution went through.
    path: Vec<NodeId>,

    findings: Findings<Whereabouts>,
    meter: Meter,
    executions: u64,
    transitions: u64,
    /// The limits are looked at when so many transitions were taken.
    next_check: u64,
    end_states: u64,
    /// Those of them in which an assumption keeps somebody.
    assume_blocked: u64,
    max_depth: u64,
    /// States from which nobody went on, because schedules that lead there are as long as they may be.
    cuts: Vec<NodeId>,
    effort: Effort,
}

/// Where a violation was met.
enum Whereabouts {
    /// In a state, or by a step from there.
    State(NodeId, Option<Move>),
    /// At the end of a schedule, before the search began anew.
    Schedule(Schedule),
}

impl Whereabouts {
    /// The schedule that leads there; `starts` are the initial states in order.
    fn schedule<S: System>(self, graph: &Graph<'_, S>, starts: &[NodeId]) -> Schedule {
        match self {
            Whereabouts::State(at, step) => graph.schedule_to(starts, at, step),
            Whereabouts::Schedule(schedule) => schedule,
        }
    }
}

/// A step that was taken: where it leads, and its label, unless nobody asks what it touched.
struct Trial<T> {
    step: Move,
    state: T,
    fingerprint: Fingerprint,
    label: Option<LabelId>,
    /// The state's number, if it was looked up and known. An idle step is not taken: it leads to where it begins.
    known: Option<NodeId>,
}

/// Some steps that were taken from one state. The memory of those that have been followed serves again.
struct Trials<T> {
    list: Vec<Trial<T>>,
    len: usize,
}

impl<T: Clone> Trials<T> {
    /// Those that have not been followed.
    fn waiting(&mut self) -> &mut [Trial<T>] {
        &mut self.list[..self.len]
    }

    /// One more, which begins with a copy of a state.
    #[inline]
    fn add(&mut self, step: Move, state: &T) -> &mut Trial<T> {
        let index = self.len;
        self.len += 1;
        match self.list.get_mut(index) {
            Some(trial) => {
                (trial.step, trial.label, trial.known) = (step, None, None);
                trial.state.clone_from(state);
            }
            None => self.list.push(Trial {
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
    fn new(system: &'a S, options: &'a Options, observer: &'a mut dyn Observer) -> Self {
        let dependence = Dependence { rewrites: false, ..options.dependence };
        Search {
            system,
            options,
            graph: Graph::new(system, Claims::new(dependence)),
            starts: Vec::new(),
            alternatives: Vec::new(),
            trials: Trials { list: Vec::new(), len: 0 },
            step: Step::default(),
            enabled: Vec::new(),
            now: 0,
            next_in_turn: 0,
            next_event: 0,
            started: 0,
            turns: Turns::default(),
            path: Vec::new(),
            findings: Findings::new(observer.wants_values()),
            observer,
            meter: Meter::start(&options.budget),
            executions: 0,
            transitions: 0,
            next_check: 0,
            end_states: 0,
            assume_blocked: 0,
            max_depth: 0,
            cuts: Vec::new(),
            effort: Effort::new(options),
        }
    }

    fn run(&mut self) -> StopReason {
        let stop = self.run_from(self.system.initial_states());
        stop.map_or_else(|reason| reason, |()| StopReason::Complete)
    }

    fn run_from(&mut self, states: Vec<S::State>) -> Result<(), StopReason> {
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
            } else if !self.is_worth_going_on() {
                return Ok(());
            } else if let Some(id) = self.graph.pending.pop() {
                if self.graph.has_given_up_claims() {
                    self.try_everybody(id)?;
                } else {
                    self.try_what_is_left(id)?;
                }
            } else if !self.go_on_where_cut() {
                return Ok(());
            }
        }
    }

    /// One execution from a state, beginning with a given move.
    fn execute(&mut self, start: NodeId, first: Move) -> Result<(), StopReason> {
        self.trials.len = 0;
        self.graph.restore(start);
        self.try_out(start, first)?;
        self.follow(start, 0)
    }

    /// Executions that begin with what is to be tried in a state. The first steps of all of them are taken together: the
    /// states that they lead to are far from each other in memory, and come from there at the same time. Most of these
    /// executions end after one step.
    fn try_what_is_left(&mut self, start: NodeId) -> Result<(), StopReason> {
        self.graph.restore(start);
        loop {
            self.trials.len = 0;
            for word in 0..self.graph.nodes.words() {
                for actor in self.graph.nodes.begin_untried(start, word) {
                    self.take(start, Move::from(ActorId(actor)))?;
                }
            }
            if self.trials.len == 0 {
                self.graph.forget(start);
                return Ok(());
            }
            for trial in self.trials.waiting().iter_mut().filter(|trial| trial.known.is_none()) {
                trial.known = self.graph.nodes.find(trial.fingerprint);
            }
            for index in 0..self.trials.len {
                let Trial { known, label, .. } = self.trials.list[index];
                match (known, label) {
                    (Some(to), Some(label)) if self.graph.nodes.is_closed(to) => {
                        self.graph.connect(start, label, to);
                        self.executions += 1;
                    }
                    _ => self.follow(start, index)?,
                }
            }
            self.graph.spread(&mut self.meter)?;
        }
    }

    /// An execution from a state whose first step was taken.
    fn follow(&mut self, start: NodeId, first: usize) -> Result<(), StopReason> {
        self.now += 1;
        self.started = self.now;
        self.path.clear();
        let (kept, mut at) = (self.trials.len, start);
        let mut trial = first;
        while let Some(to) = self.arrive(at, trial)? {
            at = to;
            let Some(step) = self.pick(at) else { break };
            self.trials.len = kept;
            trial = kept;
            self.try_out(at, step)?;
        }
        self.trials.len = kept;
        self.graph.spread(&mut self.meter)?;
        self.executions += 1;
        self.graph.nodes.close(start);
        for index in 0..self.path.len() {
            let id = self.path[index];
            self.graph.nodes.close(id);
            // Most states that have nothing to try now never will.
            if id != start && !self.graph.nodes.has_untried(id) {
                self.graph.forget(id);
            }
        }
        Ok(())
    }

    /// Who moves next in a state: somebody who has to be tried, or else somebody who was not tried. `None` if there is nobody.
    fn pick(&self, at: NodeId) -> Option<Move> {
        let nodes = &self.graph.nodes;
        let turn = self.next_in_turn;
        nodes.first_untried(at, turn).or_else(|| nodes.first_not_done(at, turn)).map(Move::from)
    }

    /// Tries somebody in a state.
    fn try_out(&mut self, at: NodeId, step: Move) -> Result<(), StopReason> {
        self.graph.nodes.mark_done(at, step.actor);
        self.take(at, step)
    }

    /// Takes a step from a state, to be followed later.
    fn take(&mut self, at: NodeId, step: Move) -> Result<(), StopReason> {
        let state = self.graph.state(at);
        let trial = self.trials.add(step, state);
        self.step.begin(step.outcome);
        if self.system.insight().is_idle(state, step.actor, self.step.footprint_mut()) {
            trial.known = Some(at);
            trial.label = Some(self.graph.label(at, step.actor, self.step.footprint()));
            return Ok(());
        }
        self.step.take(self.system, &mut trial.state, step);
        trial.fingerprint = self.system.insight().fingerprint(&trial.state);
        self.step.footprint_mut().seal();
        trial.label = Some(self.graph.label(at, step.actor, self.step.footprint()));
        if let Some(outcome) = self.step.next_outcome() {
            self.alternatives.push((at, Move { outcome, ..step }));
        }
        if !self.step.violations().is_empty() {
            let violations = self.step.violations().to_vec();
            self.note(&violations, at, Some(step))?;
        }
        self.count()
    }

    /// Adds the transition of a step to the graph. Tells where the execution goes on, if it does.
    fn arrive(&mut self, at: NodeId, trial: usize) -> Result<Option<NodeId>, StopReason> {
        let Trial { step, ref state, fingerprint, label, known } = self.trials.list[trial];
        let (to, is_new) = match known {
            Some(known) => (known, false),
            None => self.graph.enter(state, fingerprint, &mut self.enabled, Some(Way { from: at, step, label })),
        };
        if is_new {
            self.check_end(to)?;
        }
        if let Some(label) = label {
            self.graph.connect(at, label, to);
        }
        self.now += 1;
        self.turns.moves(step.actor, self.now);
        let goes_on = self.goes_on(at, to)?;
        if goes_on {
            self.next_in_turn = self.turn_after(step.actor, to);
        }
        Ok(goes_on.then_some(to))
    }

    /// Whose turn it is in a state to which an actor has just come; see the head of this file.
    fn turn_after(&mut self, actor: ActorId, at: NodeId) -> u32 {
        if self.system.actor(actor) == ActorKind::Event {
            self.next_event = actor.0 + 1;
            return self.next_event;
        }
        let (nodes, runs_on) = (&self.graph.nodes, |actor| self.system.actor(actor).handler());
        if let Some(handler) = runs_on(actor) {
            let can_go_on = nodes.enabled(at).contains(actor);
            let mut of_handler = nodes.enabled(at).actors().filter(|&other| runs_on(other) == Some(handler));
            return if can_go_on { actor.0 } else { of_handler.next().map_or(self.next_event, |other| other.0) };
        }
        if self.graph.holds_what_others_want(at, actor) {
            return actor.0;
        }
        let is_message = |next: ActorId| runs_on(next).is_some();
        if nodes.first_not_done(at, actor.0 + 1).is_some_and(is_message) { 0 } else { actor.0 + 1 }
    }

    /// Whether the execution goes on from a state that it has come to. Most executions end after one step, at a state
    /// that is known: what only matters to those that go on is noted only then, the state where they began included.
    fn goes_on(&mut self, from: NodeId, to: NodeId) -> Result<bool, StopReason> {
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
        let seen_at = self.graph.place(to).seen_at;
        let is_own = seen_at >= self.started;
        self.arrive_at(to, self.now);
        if is_own {
            if self.turns.is_full_cycle(seen_at) {
                return Ok(false);
            }
            // What the execution itself has made known may say what is to be tried here.
            self.graph.spread(&mut self.meter)?;
        }
        Ok(true)
    }

    /// Whether a schedule that leads to a state is as long as one may be.
    fn is_too_deep(&self, id: NodeId) -> bool {
        self.options.budget.depth.is_some_and(|limit| u64::from(self.graph.place(id).depth) >= limit)
    }

    /// Goes no further than to a state.
    fn cut(&mut self, id: NodeId) {
        if !self.graph.nodes.is_end(id) {
            self.cuts.push(id);
        }
    }

    /// Goes on from states that were thought to be too far away and are not; false if there are none. An execution may
    /// come to a state by a long way before another one does by a short way. The states of an execution that was cut count
    /// as those of others that have ended, though whoever did not move on the way was ignored. So everybody is tried in the
    /// state to which they lead.
    fn go_on_where_cut(&mut self) -> bool {
        if self.cuts.is_empty() {
            return false;
        }
        self.graph.find_shortest_ways(&self.starts);
        self.cuts.sort_unstable();
        self.cuts.dedup();
        let cuts = std::mem::take(&mut self.cuts);
        let (still, near): (Vec<_>, Vec<_>) = cuts.into_iter().partition(|&id| self.is_too_deep(id));
        self.cuts = still;
        near.iter().for_each(|&id| self.graph.try_all_later(id));
        !near.is_empty()
    }

    /// The current execution comes to a state.
    fn arrive_at(&mut self, id: NodeId, now: u64) {
        self.turns.arrive(self.graph.nodes.enabled(id), now);
        let place = self.graph.place_mut(id);
        if place.seen_at < self.started {
            place.seen_at = now;
            self.path.push(id);
        }
    }

    fn count(&mut self) -> Result<(), StopReason> {
        self.transitions += 1;
        if self.transitions < self.next_check && !self.meter.is_over() {
            return Ok(());
        }
        self.next_check = self.transitions + CHECK_EVERY;
        if self.meter.progress_is_due() {
            self.observer.progress(&Progress {
                found: self.graph.len() as u64,
                unit: "states",
                transitions: self.transitions,
                depth: self.path.len() as u64,
                waiting: (self.graph.pending.len() + self.alternatives.len()) as u64,
            });
        }
        let numbers_ran_out = self.graph.is_full().then_some(StopReason::MemoryLimit);
        let is_over = self.effort.is_sample.then_some(StopReason::Complete);
        self.meter.check().or(numbers_ran_out).or(is_over).map_or(Ok(()), Err)
    }

    /// Reports a new state in which nobody can move.
    fn check_end(&mut self, id: NodeId) -> Result<(), StopReason> {
        self.max_depth = self.max_depth.max(u64::from(self.graph.place(id).depth));
        if !self.graph.nodes.is_end(id) {
            return Ok(());
        }
        self.end_states += 1;
        let state = self.graph.state(id);
        let ending = self.system.ending(state);
        self.assume_blocked += u64::from(ending == Ending::Blocked);
        self.observer.end(&ending, self.system.insight().fingerprint(state));
        match ending {
            Ending::Deadlock(violation) => self.note(&[*violation], id, None),
            Ending::Finished | Ending::Blocked => Ok(()),
        }
    }

    /// Keeps the violations of a step from a state, or of a state itself.
    fn note(&mut self, violations: &[Violation], at: NodeId, step: Option<Move>) -> Result<(), StopReason> {
        for violation in violations {
            let length = u64::from(self.graph.place(at).depth) + u64::from(step.is_some());
            if self.findings.note(violation, length, || Whereabouts::State(at, step)) {
                self.observer.violation(violation);
            }
            if !self.options.all {
                return Err(StopReason::FirstViolation);
            }
        }
        Ok(())
    }

    fn conclude(mut self, stop: StopReason) -> Exploration {
        let mut statistics = Statistics::default();
        statistics.set(Counter::Executions, self.executions);
        statistics.set(Counter::States, self.graph.len() as u64);
        statistics.set(Counter::Transitions, self.transitions);
        statistics.set(Counter::EndStates, self.end_states);
        statistics.set(Counter::MaxDepth, self.max_depth);
        statistics.seconds = self.meter.elapsed().as_secs_f64();
        if let Some(bytes) = self.meter.peak_bytes() {
            statistics.set(Counter::PeakBytes, bytes);
        }
        self.cuts.sort_unstable();
        self.cuts.dedup();
        let bounded = (!self.cuts.is_empty())
            .then(|| (Bound::Depth(self.options.budget.depth.unwrap_or(0)), self.cuts.len() as u64));
        let (graph, starts) = (&self.graph, &self.starts);
        let found = |finding: Finding<Whereabouts>| {
            Some(Found { violation: finding.violation, schedule: finding.place.schedule(graph, starts) })
        };
        let found: Vec<_> = self.findings.drain().map(found).collect();
        blocked_by_assume(&mut statistics, self.assume_blocked, &found);
        conclude(self.system, stop, bounded, found, statistics)
    }
}
