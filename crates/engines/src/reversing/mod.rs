//! Depth-first search that reverses races at the end of each execution: what `optimal` and `event` have in common.
//!
//! The search follows one execution to its end, then looks at its races. For each it works out what would have to be run so
//! that the later step comes without the earlier one (`reversal`), and puts that into the wakeup tree of the state where it
//! leaves the path, unless it leads only to what was explored or will be (`redundancy`). Then it goes back to the last
//! state with something left in its tree. Other threads may be ahead of it (`parts`).
//!
//! The heads of `optimal.rs` and `event.rs` say which papers this follows and where it departs from them.

mod afters;
mod arrangement;
mod memory;
mod parts;
mod path;
mod redundancy;
mod rehearsal;
mod reversal;

use crate::Options;
use crate::shared::dfs::{self, DepthFirst, Next};
use crate::shared::tally::{Tally, from_each_start};
use crate::shared::trail::Trail;
use crate::shared::wakeup::{Branches, Occurrence, WakeupTrees};
use mazurka_core::{
    ActorId, Because, Counter, Exploration, Explored, Machine, Move, ObjectId, Observer, StopReason, System,
};
use memory::Memory;
use parts::{Above, Ahead, Closing, Pool};
use path::Path;
use rehearsal::{Foreseen, Runs, Witnessed};
use std::collections::VecDeque;

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    races: u64,
    inserted: u64,
    blocked: u64,
}

impl Counts {
    /// Adds what another search counted.
    fn add(&mut self, other: Counts) {
        self.races += other.races;
        self.inserted += other.inserted;
        self.blocked += other.blocked;
    }

    /// By name. Where messages are arranged, how many sequences are inserted depends on what was explored ahead of its turn:
    /// that is not told, since no result may depend on the number of threads.
    fn named(self, arranges: bool) -> Vec<(Counter, u64)> {
        let mut named = vec![(Counter::Blocked, self.blocked), (Counter::Races, self.races)];
        named.extend((!arranges).then_some((Counter::BacktrackPoints, self.inserted)));
        named
    }
}

/// Explores a program. Messages that hold a handler for which `is_bag` is true are ordered by their conflicts only;
/// `arranges` says whether there may be such.
pub(crate) fn explore<S: System>(
    system: &S,
    options: &Options,
    observer: &mut dyn Observer,
    is_bag: &(dyn Fn(ObjectId) -> bool + Sync),
    arranges: bool,
) -> Exploration {
    let (mut tally, mut counts) = (Tally::new(options, observer), Counts::default());
    let pool = Pool::new(options, system.traits().terminates, arranges);
    let walked = std::thread::scope(|scope| {
        let _closing = Closing(&pool);
        // Where messages are arranged, much that is explored ahead of its turn comes to nothing.
        let threads = if arranges { options.threads.max(1) } else { options.thread_count() };
        for _ in 1..threads {
            scope.spawn(|| pool.work());
        }
        from_each_start(system, &mut tally, |machine, tally| {
            let mut search = Search::new(machine, tally, &pool, is_bag);
            let walked = search.run();
            counts.add(search.counts);
            walked
        })
    });
    tally.conclude(system, walked, &counts.named(arranges))
}

/// A search from where a machine stands.
struct Search<'t, 'o, 's, M: Machine> {
    machine: M,
    tally: &'t mut Tally<'o>,
    trail: Trail<M::Mark>,
    path: Path<'s>,
    trees: WakeupTrees,
    counts: Counts,
    sequence: VecDeque<Occurrence>,
    reversed: Memory,
    foreseen: Foreseen,
    seen: Witnessed,
    runs: Runs,
    pool: &'t Pool<'s, M>,
    /// This many of the first states of the path belong to another search: this is a part of it.
    floor: usize,
    /// What is to be explored from those.
    above: Above,
    /// The parts that others explore ahead of their turn, and how many more of them came to nothing than not.
    ahead: Vec<Ahead<'s, M>>,
    in_vain: usize,
    /// Why the next sequences are inserted.
    because: Because,
}

impl<'t, 'o, 's, M: Machine> Search<'t, 'o, 's, M> {
    /// A search that has not begun.
    fn new(
        machine: M,
        tally: &'t mut Tally<'o>,
        pool: &'t Pool<'s, M>,
        is_bag: &'s (dyn Fn(ObjectId) -> bool + Sync),
    ) -> Self {
        let path = Path::new(tally.options.dependence, is_bag);
        Search {
            machine,
            tally,
            trail: Trail::new(),
            path,
            trees: WakeupTrees::default(),
            counts: Counts::default(),
            sequence: VecDeque::new(),
            reversed: Memory::new(),
            foreseen: Foreseen::default(),
            seen: Witnessed::default(),
            runs: Runs::default(),
            pool,
            floor: 0,
            above: Above::default(),
            ahead: Vec::new(),
            in_vain: 0,
            because: Because::First,
        }
    }
}

impl<M: Machine + Clone + Send> Search<'_, '_, '_, M>
where
    M::Mark: Clone + Send,
{
    /// Searches to the end.
    fn run(&mut self) -> Result<(), StopReason> {
        let at_end_of_path = self.go_on(0, Branches::default())?;
        dfs::walk(self, at_end_of_path)
    }

    /// Adds the state where the machine stands to the path, with its sleepers from a place in their list on; false if the path
    /// ends there.
    fn go_on(&mut self, sleepers: usize, branches: Branches) -> Result<bool, StopReason> {
        let ends = self.machine.enabled().is_empty();
        if ends {
            self.tally.end(&self.machine.ending(), self.machine.fingerprint())?;
        }
        let fingerprint = (!ends && !self.pool.terminates()).then(|| self.machine.fingerprint());
        if ends || !self.tally.enter(fingerprint) {
            self.path.forget_sleepers(sleepers);
            self.reverse_races();
            self.give_away();
            self.fall_asleep();
            return Ok(false);
        }
        let mut start = None;
        if branches.is_empty() {
            let asleep = self.path.sleepers_from(sleepers);
            let sleeps = |actor: ActorId| {
                asleep.iter().any(|sleeper| sleeper.occurrence.step.actor == actor && !sleeper.overtaken)
            };
            let Some(&first) = self.machine.enabled().iter().find(|&&actor| !sleeps(actor)) else {
                self.counts.blocked += 1;
                self.tally.abandon(fingerprint);
                if self.tally.is_watched() {
                    self.tally.show(&Explored::Asleep);
                }
                self.path.forget_sleepers(sleepers);
                self.fall_asleep();
                return Ok(false);
            };
            start = Some(Move::from(first));
        }
        self.trail.save(self.path.nodes.len(), &self.machine);
        self.path.push_node(fingerprint, sleepers, start, branches);
        if self.tally.is_watched() {
            self.show_state(start);
        }
        Ok(true)
    }

    /// Shows the last state of the path to those who watch.
    #[cold]
    fn show_state(&mut self, start: Option<Move>) {
        let depth = self.path.nodes.len() - 1;
        let sleepers = self.path.sleepers(depth).iter().filter(|sleeper| !sleeper.overtaken);
        let mut asleep: Vec<ActorId> = sleepers.map(|sleeper| sleeper.occurrence.step.actor).collect();
        asleep.sort_unstable();
        asleep.dedup();
        asleep.retain(|actor| self.machine.enabled().contains(actor));
        self.tally.show(&Explored::State { enabled: self.machine.enabled(), asleep: &asleep });
        if let Some(step) = start {
            self.tally.show(&Explored::Branch { depth, moves: &[step], because: Because::First });
        }
    }

    /// Everything that begins with the path's own step from the last state was explored: what else is to be explored from
    /// there has to know.
    fn fall_asleep(&mut self) {
        let Some(last) = self.path.nodes.len().checked_sub(1) else { return };
        if last < self.path.steps.len() && !self.path.nodes[last].branches.is_empty() {
            let sleeper = self.sleeper(last, self.path.steps[last].occurrence);
            self.path.add_sleeper(sleeper);
        }
    }
}

impl<M: Machine + Clone + Send> DepthFirst for Search<'_, '_, '_, M>
where
    M::Mark: Clone + Send,
{
    type Choice = (Move, Branches);

    fn is_done(&self) -> bool {
        self.path.nodes.len() <= self.floor || self.is_in_vain()
    }

    fn next(&mut self) -> Result<Next<Self::Choice>, StopReason> {
        let Some(node) = self.path.nodes.last_mut() else { return Ok(Next::Close) };
        if let Some(start) = node.start.take() {
            return Ok(Next::Take((start, Branches::default())));
        }
        let Some((first, below)) = self.trees.take_first(&mut node.branches) else { return Ok(Next::Close) };
        Ok(if self.was_explored(&first, below)? { Next::Again } else { Next::Take((first.step, below)) })
    }

    fn rewind(&mut self) {
        self.trail.rewind(self.path.nodes.len() - 1, &self.tally.schedule.moves, &mut self.machine);
    }

    fn take(&mut self, (step, below): (Move, Branches)) -> Result<bool, StopReason> {
        let index = self.path.nodes.len() - 1;
        self.path.truncate(index);
        self.tally.take_back(index);
        let running = self.path.running(step.actor);
        let record = self.machine.step(step);
        let occurrence = self.path.occurrence(step, record, running);
        self.path.push(occurrence, record);
        if self.pool.arranges() && record.is_certain && !occurrence.has_choice {
            self.seen.insert(self.path.name(index), &occurrence);
        }
        self.tally.step(step, record)?;
        let sleepers = self.path.sleep_on(&occurrence);
        self.go_on(sleepers, below)
    }

    fn close(&mut self) {
        self.forget_ahead();
        if let Some(node) = self.path.pop_node() {
            if self.tally.is_watched() {
                self.tally.show(&Explored::Closed(self.path.nodes.len()));
            }
            self.tally.leave(node.fingerprint);
        }
        self.fall_asleep();
    }
}
