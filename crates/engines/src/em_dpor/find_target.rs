//! The backtrack points for the other order of two steps: FindTarget, ReschedulePending and BacktrackEager
//! (Algorithms 2 to 4 of the paper).
//!
//! Two steps of one queue come in the order of their posts, so their posts have to be reordered, and so on up (step 1).
//! Steps of two threads are reordered where the first one was taken, by a thread that leads to the second (step 2). Where
//! all of those were tried, but one of them was tried with another event than the one that leads there, because that one was
//! queued behind, the two events have to be reordered (step 3). Where no thread leads there, everything is tried
//! that a search with posts in conflict would try (step 4).

use super::order::Order;
use super::published::Path;
use super::tasks::Thread;
use mazurka_core::{ActorId, VectorClock};
use smallvec::SmallVec;

/// The later one of two steps: the next one of an actor, or one that was taken.
#[derive(Clone, Debug)]
enum Later {
    Next(ActorId, VectorClock),
    Taken(usize),
}

impl Path {
    /// Adds the backtrack points so that the next step of `actor`, with the clock `past`, is tried before step `earlier`.
    pub(super) fn find_target(&mut self, earlier: usize, actor: ActorId, past: &VectorClock) {
        let mut open = vec![(earlier, Later::Next(actor, past.clone()))];
        while let Some((earlier, later)) = open.pop() {
            self.reorder(earlier, later, &mut open);
        }
    }

    fn reorder(&mut self, earlier: usize, later: Later, open: &mut Vec<(usize, Later)>) {
        if let Later::Taken(step) = later
            && (step <= earlier || self.order.before(earlier, step))
        {
            return;
        }
        let (task, past) = match &later {
            Later::Next(actor, past) => (*actor, past.clone()),
            Later::Taken(step) => (self.order.step(*step).actor, self.order.clock(*step).clone()),
        };
        let first = self.order.step(earlier);
        // Step 1: the order on one queue is that of the posts.
        if first.thread == self.tasks.thread(task) {
            if let (Some(one), Some(other)) = (self.order.post(first.actor), self.order.post(task)) {
                open.push((one, Later::Taken(other)));
            }
            return;
        }
        let candidates = self.candidates(earlier, task, &past, &self.order);
        // Step 2: a thread that leads to the later step.
        let node = &self.nodes[earlier];
        let unexplored = |&&task: &&ActorId| !node.done.contains(&self.tasks.thread(task));
        let threads = candidates.iter().filter(unexplored).map(|&task| self.tasks.thread(task));
        let chosen = threads.clone().find(|thread| node.backtrack.contains(thread)).or_else(|| threads.clone().next());
        if let Some(thread) = chosen {
            self.nodes[earlier].add_to_backtrack(thread);
            self.note_reordering(earlier, &later);
            return;
        }
        // Step 3: events that are queued behind others. Step 4: all were tried, or there are none.
        let pending = candidates.iter().copied().find(|&task| self.is_queued(earlier, task));
        match pending {
            Some(pending) => self.reschedule_pending(earlier, pending, open),
            None if candidates.is_empty() => self.backtrack_eager(earlier, &later, task),
            None => {}
        }
    }

    /// Two posts were asked to come in the other order.
    fn note_reordering(&mut self, earlier: usize, later: &Later) {
        let Later::Taken(later) = *later else { return };
        let (one, other) = (&self.order.step(earlier).posted, &self.order.step(later).posted);
        let (Some(&one), Some(&other)) = (one.first(), other.first()) else { return };
        if !self.nodes[earlier].reordered.contains(&(one, other)) {
            self.nodes[earlier].reordered.push((one, other));
        }
    }

    /// The tasks that are there in front of a step, on threads that can move, and lead to a later one.
    fn candidates(&self, earlier: usize, task: ActorId, past: &VectorClock, order: &Order) -> SmallVec<[ActorId; 8]> {
        let node = &self.nodes[earlier];
        let is_there = |&task: &ActorId| {
            node.present.iter().any(|present| present.actor == task) && node.is_enabled(self.tasks.thread(task))
        };
        let leads = order.iter().skip(earlier + 1).filter(|(index, _)| order.within(*index, past));
        let mut candidates = SmallVec::new();
        for task in std::iter::once(task).chain(leads.map(|(_, step)| step.actor)).filter(is_there) {
            if !candidates.contains(&task) {
                candidates.push(task);
            }
        }
        candidates
    }

    /// Whether a message waits behind another one in front of a step.
    fn is_queued(&self, step: usize, task: ActorId) -> bool {
        let thread = self.tasks.thread(task);
        matches!(thread, Thread::Queue(_)) && self.executable(step, thread) != Some(task)
    }

    /// Algorithm 3: reorders events that are queued in front of a step with those that run there.
    fn reschedule_pending(&mut self, step: usize, pending: ActorId, open: &mut Vec<(usize, Later)>) {
        let mut swaps: SmallVec<[(Thread, ActorId); 4]> = SmallVec::new();
        let mut found: SmallVec<[ActorId; 4]> = SmallVec::from_slice(&[pending]);
        while let Some(queued) = found.pop() {
            let thread = self.tasks.thread(queued);
            if swaps.iter().any(|swap| swap.0 == thread) {
                continue;
            }
            swaps.push((thread, queued));
            let end = self.executable(step, thread).and_then(|running| self.order.last(running));
            let Some(end) = end else { continue };
            let clock = self.order.clock(end);
            let node = &self.nodes[step];
            for present in node.present.iter().filter(|present| node.done.contains(&present.thread)) {
                let leads = self.order.first(present.actor).is_some_and(|first| self.order.within(first, clock));
                if leads && self.is_queued(step, present.actor) {
                    found.push(present.actor);
                }
            }
        }
        for (thread, queued) in swaps {
            let running = self.executable(step, thread);
            let posts = (running.and_then(|running| self.order.post(running)), self.order.post(queued));
            if let (Some(one), Some(other)) = posts {
                open.push((one, Later::Taken(other)));
            }
        }
    }

    /// Algorithm 4: what a search would try for which posts into one queue are in conflict.
    fn backtrack_eager(&mut self, earlier: usize, later: &Later, task: ActorId) {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let mut extended = self.order.extended(&pairs, &self.tasks);
        let past = |order: &Order, known: &Order| match later {
            Later::Taken(step) => order.clock(*step).clone(),
            Later::Next(actor, clock) => {
                let mut clock = clock.clone();
                clock.join(&order.knowledge(*actor));
                debug_assert!(known.len() == order.len());
                clock
            }
        };
        for step in 1..earlier {
            if self.order.step(step).posted.is_empty() {
                continue;
            }
            let to = self.destination(step);
            let nearest = (0..step).rev().find(|&other| {
                !self.order.step(other).posted.is_empty()
                    && self.destination(other) == to
                    && !extended.before(other, step)
            });
            let Some(nearest) = nearest else { continue };
            let poster = self.order.step(step).actor;
            let clock = extended.clock(step).clone();
            self.try_one_of(nearest, poster, &clock, &extended);
            self.note_reordering(nearest, &Later::Taken(step));
            pairs.push((nearest, step));
            extended = self.order.extended(&pairs, &self.tasks);
            if extended.within(earlier, &past(&extended, &self.order)) {
                return;
            }
        }
        let clock = past(&extended, &self.order);
        self.try_one_of(earlier, task, &clock, &extended);
        self.note_reordering(earlier, later);
    }

    /// The queue that a step posts to.
    fn destination(&self, step: usize) -> Option<Thread> {
        self.order.step(step).posted.first().map(|&message| self.tasks.thread(message))
    }

    /// Tries a thread in front of a step that leads to a later one, or all where there is none.
    fn try_one_of(&mut self, earlier: usize, task: ActorId, past: &VectorClock, order: &Order) {
        let candidates = self.candidates(earlier, task, past, order);
        let threads = candidates.iter().map(|&task| self.tasks.thread(task));
        let node = &self.nodes[earlier];
        let chosen = threads.clone().find(|thread| node.backtrack.contains(thread)).or_else(|| threads.clone().next());
        match chosen {
            Some(thread) => self.nodes[earlier].add_to_backtrack(thread),
            None => self.nodes[earlier].add_all_to_backtrack(),
        }
    }
}
