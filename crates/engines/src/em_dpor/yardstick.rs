//! How many classes a program has: by running every execution, but none twice from the same state with the same class.
//!
//! The yardstick for `em-dpor`, as `enumerate` is for engines that count traces.

use super::class::ClassName;
use super::tasks::{Tasks, Thread, has_ended, mutexes_taken};
use crate::shared::tally::FastSet;
use mazurka_core::{ActorId, Ending, Fingerprint, Machine, Move, Stepper, System};
use rustc_hash::FxHashMap;

/// A place on the path.
struct PathState<K> {
    mark: K,
    untried: Vec<Move>,
    held: FxHashMap<ActorId, i32>,
}

/// Both names of the execution so far: without mutexes between messages of one queue, and with them.
struct Names {
    tasks: [Tasks; 2],
    classes: [ClassName; 2],
}

/// Counts the classes of executions that cover each other: the same steps, and the same order of those that depend on each
/// other, whatever the order of posts into first-in-first-out mailboxes. `None` if more than `most` places have to be
/// looked at. Executions that do not count ([`Ending::Blocked`]) have no class.
pub fn covering_classes<S: System>(system: &S, most: usize) -> Option<u64> {
    let mut found: [FastSet<(usize, Fingerprint)>; 2] = [FastSet::default(), FastSet::default()];
    let (mut seen, mut leaked) = (FastSet::default(), false);
    for (start, state) in system.initial_states().into_iter().enumerate() {
        let mut machine = Stepper::new(system, state);
        let mut names = Names::new();
        let mut path = Vec::new();
        let mut held = FxHashMap::default();
        loop {
            let names_now = names.now();
            // A fingerprint would take messages with the same content for one another.
            let is_new = seen.insert((start, machine.mark(), names_now));
            if seen.len() > most {
                return None;
            }
            if machine.enabled().is_empty() && machine.ending() != Ending::Blocked {
                for (found, name) in found.iter_mut().zip(names_now) {
                    found.insert((start, name));
                }
            }
            if is_new {
                let untried = machine.enabled().iter().map(|&actor| Move::from(actor)).collect();
                path.push(PathState { mark: machine.mark(), untried, held });
            }
            let Some((step, before)) = go_back(&mut path, &mut machine) else { break };
            held = before;
            names.truncate(path.len() - 1);
            leaked |= take(&mut machine, step, &mut names, &mut held, &mut path);
        }
    }
    Some(found[usize::from(leaked)].len() as u64)
}

/// Goes back to the last place with a move that was not tried, and returns that move.
fn go_back<M: Machine>(path: &mut Vec<PathState<M::Mark>>, machine: &mut M) -> Option<(Move, FxHashMap<ActorId, i32>)> {
    loop {
        let node = path.last_mut()?;
        if let Some(step) = node.untried.pop() {
            machine.rewind(&node.mark);
            return Some((step, node.held.clone()));
        }
        path.pop();
    }
}

/// Takes a step; true if a message ends and holds a mutex.
fn take<M: Machine>(
    machine: &mut M,
    step: Move,
    names: &mut Names,
    held: &mut FxHashMap<ActorId, i32>,
    path: &mut [PathState<M::Mark>],
) -> bool {
    for tasks in &mut names.tasks {
        tasks.queue(machine, step.actor);
    }
    let record = machine.step(step).clone();
    if let (Some(outcome), Some(node)) = (record.next_outcome, path.last_mut()) {
        node.untried.push(Move { outcome, ..step });
    }
    names.push(machine, step, &record.footprint);
    let is_message = matches!(names.tasks[0].thread(step.actor), Thread::Queue(_));
    let holds = held.entry(step.actor).or_default();
    *holds += mutexes_taken(machine, &record.footprint);
    is_message && *holds != 0 && has_ended(machine, step.actor)
}

impl Names {
    fn new() -> Self {
        let tasks = [false, true].map(|mutexes_conflict| Tasks::new(true, mutexes_conflict));
        Names { tasks, classes: [ClassName::default(), ClassName::default()] }
    }

    fn now(&self) -> [Fingerprint; 2] {
        [self.classes[0].name(), self.classes[1].name()]
    }

    fn truncate(&mut self, len: usize) {
        self.classes.iter_mut().for_each(|class| class.truncate(len));
    }

    fn push<M: Machine>(&mut self, machine: &M, step: Move, footprint: &mazurka_core::Footprint) {
        for (tasks, class) in self.tasks.iter_mut().zip(&mut self.classes) {
            let touches = tasks.touches(machine, step.actor, footprint);
            class.push(step, touches, tasks);
        }
    }
}
