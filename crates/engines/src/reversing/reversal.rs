//! What has to be run so that a step comes without an earlier one.
//!
//! Everything of the execution that does not happen after the earlier step, and then the later one: the *reversal* of a race.
//! Whether the later step can be taken then, what it touches and which outcomes it has is found by running it.
//!
//! Where it cannot be taken, somebody else enabled it: the steps that it looks at are left out one by one as well, with
//! what happens after them, until it can or has not been made. The same is done for those who wait where the execution
//! ends. (The published algorithms leave it to locks, which are the one case where this takes a single step back.)
//!
//! Messages of one handler have to stay serialised (Event-DPOR, appendix A.1): at most one message of a handler may be left
//! incomplete, and it has to be the last one there. Of several, each is kept in turn; what cannot be put in order has
//! to do without one message more.

use super::Search;
use super::arrangement::{Arrangement, OnPaper, Placed};
use super::path::Message;
use crate::tally::FastSet;
use crate::wakeup::{Occurrence, WeakInitial, weak_initial};
use mazurka_core::{ActorId, Fingerprint, Footprint, FootprintTable, Machine, Move, Next, ObjectId, Outcome};
use smallvec::SmallVec;

/// Whose step is to be taken without some of the steps that came before it.
#[derive(Clone, Copy, Debug)]
struct Target {
    actor: ActorId,
    /// The step as it was taken; otherwise the actor waits to take it where the path ends.
    taken: Option<usize>,
    /// The outcome that is wanted, where the others were seen.
    outcome: Option<Outcome>,
}

/// Steps to be done without.
type Removed = SmallVec<[usize; 2]>;

/// Where a sequence leaves the path, and the steps of the path that it consists of.
struct Kept {
    node: usize,
    steps: Vec<usize>,
}

impl<M: Machine> Search<'_, '_, M> {
    /// The path has come to its end: its races are reversed.
    pub(super) fn reverse_races(&mut self) {
        self.messages = self.path.messages();
        self.reverse_waiting();
        for step in 0..self.path.steps.len() {
            let actor = self.path.steps[step].occurrence.step.actor;
            let target = Target { actor, taken: Some(step), outcome: None };
            for race in self.path.races(step) {
                self.counts.races += 1;
                let earlier = self.path.race(race);
                if !self.is_settled(earlier, step) {
                    self.reverse(target, vec![Removed::from_slice(&[earlier])]);
                }
            }
            if let Some(outcome) = self.path.steps[step].next_outcome {
                self.reverse(Target { outcome: Some(outcome), ..target }, vec![Removed::from_slice(&[step])]);
            }
        }
    }

    /// Whether two steps of messages of one handler are ordered by an earlier conflict of the two (figure 2 of the paper):
    /// the later message needs a step of the earlier one, which it would have to come before.
    fn is_settled(&self, earlier: usize, later: usize) -> bool {
        let path = &self.path;
        let (one, other) = (&path.steps[earlier].occurrence, &path.steps[later].occurrence);
        let knows = |previous| path.order.clock(previous).get(one.step.actor) > 0;
        one.handler.is_some() && one.handler == other.handler && path.previous(later).is_some_and(knows)
    }

    /// Whoever waits where the path ends might have moved without some of its steps.
    fn reverse_waiting(&mut self) {
        let (mut waiting, end) = (Vec::new(), self.path.steps.len());
        self.machine.waiting(&mut waiting);
        if !waiting.is_empty() {
            self.trail.save(end, &self.machine);
        }
        for actor in waiting {
            let target = Target { actor, taken: None, outcome: None };
            self.trail.visit(end, &self.tally.schedule.moves, &mut self.machine);
            let mut open = Vec::new();
            self.do_without_more(target, &[], &Kept { node: end, steps: Vec::new() }, &mut open);
            self.reverse(target, open);
        }
    }

    /// Sees to it that the target's step is taken without some steps, for each of some sets of them, and for further sets
    /// where it cannot be taken yet.
    fn reverse(&mut self, target: Target, mut open: Vec<Removed>) {
        let mut seen: FastSet<(usize, Vec<usize>)> = FastSet::default();
        while let Some(removed) = open.pop() {
            for kept in self.keep(target, &removed) {
                let is_certain = target.taken.is_some_and(|step| self.path.steps[step].is_certain);
                if is_certain && self.is_surely_covered(target, &kept) {
                    continue;
                }
                if !is_certain && !seen.insert((kept.node, kept.steps.clone())) {
                    continue;
                }
                self.trail.visit(kept.node, &self.tally.schedule.moves, &mut self.machine);
                for &step in &kept.steps {
                    self.machine.step(self.path.steps[step].occurrence.step);
                }
                if self.machine.enabled().contains(&target.actor) {
                    self.insert_outcomes(target, &kept);
                } else {
                    self.do_without_more(target, &removed, &kept, &mut open);
                }
            }
        }
    }

    /// The target cannot move after the steps that were kept: it might without one of those that it looks at.
    fn do_without_more(&mut self, target: Target, removed: &[usize], kept: &Kept, open: &mut Vec<Removed>) {
        let mut footprint = Footprint::default();
        if self.machine.next(target.actor, &mut footprint) != Next::Blocked {
            return;
        }
        footprint.seal();
        let looks = self.path.footprints.intern(&footprint);
        let path = &self.path;
        let mut last: SmallVec<[usize; 4]> = SmallVec::new();
        for step in (0..kept.node).chain(kept.steps.iter().copied()).rev() {
            let occurrence = path.steps[step].occurrence;
            if occurrence.step.actor != target.actor
                && path.footprints.conflict(occurrence.footprint, looks)
                && !last.iter().any(|&later| path.order.before(step, later))
            {
                last.push(step);
            }
        }
        for step in last {
            let mut more = Removed::from_slice(removed);
            more.push(step);
            open.push(more);
        }
    }

    /// Inserts what was kept and each outcome of the target's step, where the machine stands.
    fn insert_outcomes(&mut self, target: Target, kept: &Kept) {
        let mark = self.machine.mark();
        let running = target.taken.and_then(|step| self.path.steps[step].occurrence.handler);
        let mut next = Some(target.outcome.unwrap_or(Outcome::FIRST));
        while let Some(outcome) = next {
            let step = Move { actor: target.actor, outcome };
            self.machine.rewind(&mark);
            let record = self.machine.step(step);
            let last = self.path.occurrence(step, record, running);
            next = record.next_outcome.filter(|_| target.outcome.is_none());
            self.sequence.clear();
            self.sequence.extend(kept.steps.iter().map(|&step| self.path.steps[step].occurrence));
            self.sequence.push(last);
            self.insert(kept.node);
        }
    }

    /// Whether the sequence of what was kept and the target's step is covered, whatever that step touches. A step with
    /// several outcomes is seen to by itself.
    fn is_surely_covered(&mut self, target: Target, kept: &Kept) -> bool {
        if target.outcome.is_some() {
            return false;
        }
        let path = &self.path;
        let steps = || kept.steps.iter().map(|&step| path.steps[step].occurrence);
        let node = &path.nodes[kept.node];
        let current = path.steps.get(kept.node).map(|taken| (&taken.occurrence, false));
        let sleepers = node.asleep.iter().chain(&node.done).map(|sleeper| (&sleeper.occurrence, sleeper.overtaken));
        let mut depends = false;
        for (sleeper, overtaken) in sleepers.chain(current) {
            if overtaken {
                depends = true;
                continue;
            }
            match weak_initial(sleeper, steps(), &path.footprints) {
                WeakInitial::At(_) => return true,
                WeakInitial::Beside if is_step_of(sleeper, target) => return true,
                WeakInitial::Beside | WeakInitial::Unclear => depends = true,
                WeakInitial::No => {}
            }
        }
        !depends && self.is_in_tree(target, kept)
    }

    /// Whether the wakeup tree covers the sequence for sure.
    fn is_in_tree(&mut self, target: Target, kept: &Kept) -> bool {
        let path = &self.path;
        self.sequence.clear();
        self.sequence.extend(kept.steps.iter().map(|&step| path.steps[step].occurrence));
        let mut level = path.nodes[kept.node].branches;
        'descend: loop {
            for (occurrence, below) in self.trees.iter(level) {
                match weak_initial(&occurrence, self.sequence.iter().copied(), &path.footprints) {
                    WeakInitial::No => {}
                    WeakInitial::At(place) => {
                        self.sequence.remove(place);
                        if below.is_empty() {
                            return true;
                        }
                        level = below;
                        continue 'descend;
                    }
                    WeakInitial::Beside => return is_step_of(&occurrence, target),
                    WeakInitial::Unclear => return false,
                }
            }
            return false;
        }
    }
}

/// Whether a step that nothing kept conflicts with is the target's, and the only one that it can take.
fn is_step_of(occurrence: &Occurrence, target: Target) -> bool {
    occurrence.step.actor == target.actor && !occurrence.has_choice
}

/// What can be kept.
impl<M: Machine> Search<'_, '_, M> {
    /// The steps that are left without some of them and whatever happens after those: in the order of the path, or, where
    /// that does not keep messages serialised, as much as possible in another order, in all ways.
    fn keep(&mut self, target: Target, removed: &[usize]) -> Vec<Kept> {
        let path = &self.path;
        let is_removed = |step: usize| removed.iter().any(|&of| path.is_from(of, step));
        let goes = |step: &usize| !is_removed(*step) && !target.taken.is_some_and(|taken| path.is_from(taken, *step));
        let own = match target.taken {
            Some(taken) => path.previous(taken),
            None => path.order.last_step(target.actor),
        };
        let own = own.or_else(|| path.birth(target.actor));
        let Some(&first) = removed.iter().min() else { return Vec::new() };
        if own.is_some_and(is_removed) {
            return Vec::new();
        }
        let steps: Vec<usize> = (first..path.steps.len()).filter(goes).collect();
        let kept = Kept { node: first, steps };
        let name = self.name(&kept, target);
        if !self.reversed.insert(name) {
            return Vec::new();
        }
        if self.is_serial(&kept, target) {
            return vec![kept];
        }
        let mut reversed = std::mem::take(&mut self.reversed);
        let all = self.serialise(&kept, target, own, &mut |less| reversed.insert(self.name(less, target)));
        self.reversed = reversed;
        all
    }

    /// What tells a reversal from others: the trace of what is kept, and whose step comes after it.
    fn name(&self, kept: &Kept, target: Target) -> Fingerprint {
        let trace = &self.path.trace;
        let start = trace.prefix(kept.node).0;
        let kept = kept.steps.iter().fold(start, |sum, &step| sum.wrapping_add(trace.event(step).0));
        let outcome = target.outcome.map_or(0, |outcome| outcome.0.wrapping_add(1));
        let mut bytes = [0u8; 28];
        bytes[..4].copy_from_slice(&target.actor.0.to_le_bytes());
        bytes[4..12].copy_from_slice(&outcome.to_le_bytes());
        bytes[12..].copy_from_slice(&kept.to_le_bytes());
        Fingerprint::of_bytes(&bytes)
    }

    /// Whether the steps can be taken in their order, and then the target's.
    fn is_serial(&self, kept: &Kept, target: Target) -> bool {
        let path = &self.path;
        let steps = kept.steps.iter().chain(&target.taken).map(|&step| path.steps[step].occurrence);
        let mut starts = steps.clone().filter(|occurrence| occurrence.starts).peekable();
        if starts.peek().is_none() {
            return true;
        }
        let mut holders = path.holders(kept.node);
        for occurrence in steps {
            if occurrence.starts && holders.iter().any(|held| Some(held.0) == occurrence.handler) {
                return false;
            }
            super::arrangement::note_holder(&mut holders, &occurrence);
        }
        true
    }

    /// Every largest part of some steps in which each handler has at most one incomplete message, in an order in which that
    /// is its last one. What `own` needs stays. `is_new` says of what is left whether it was not seen to before.
    fn serialise(
        &self,
        kept: &Kept,
        target: Target,
        own: Option<usize>,
        is_new: &mut dyn FnMut(&Kept) -> bool,
    ) -> Vec<Kept> {
        let path = &self.path;
        let messages = &self.messages;
        let is_needed = |step: usize| own.is_some_and(|own| path.is_from(step, own));
        let taken = target.taken.map(|step| path.steps[step].occurrence);
        let mut goes = vec![false; path.steps.len()];
        (0..kept.node).chain(kept.steps.iter().copied()).for_each(|step| goes[step] = true);
        let (mut open, mut found, mut is_less) = (vec![goes], Vec::new(), false);
        while let Some(goes) = open.pop() {
            let steps = (0..goes.len()).filter(|&step| goes[step]).collect();
            if std::mem::replace(&mut is_less, true) && !is_new(&Kept { node: 0, steps }) {
                continue;
            }
            let without = |dropped: &dyn Fn(&Message) -> bool| {
                let mut rest = goes.clone();
                for message in messages.iter().filter(|message| goes[message.start] && dropped(message)) {
                    if is_needed(message.start) {
                        return None;
                    }
                    (message.start..rest.len()).for_each(|step| rest[step] &= !path.is_from(message.start, step));
                }
                Some(rest)
            };
            let is_incomplete = |message: &Message| goes[message.start] && !message.end.is_some_and(|end| goes[end]);
            match self.crowded(messages, &is_incomplete, taken) {
                Some(Crowd { handler, keeps }) if keeps.is_empty() => {
                    open.extend(without(&|message| message.handler == handler && is_incomplete(message)));
                }
                Some(Crowd { handler, keeps }) => {
                    open.extend(keeps.iter().filter_map(|&kept| {
                        without(&|message| {
                            message.handler == handler && is_incomplete(message) && message.start != kept
                        })
                    }));
                }
                None => match self.put_in_order(&goes, messages) {
                    Some(kept) => found.push(kept),
                    None => {
                        let dropped =
                            messages.iter().filter(|message| goes[message.start]).map(|message| message.start);
                        open.extend(dropped.filter_map(|start| without(&|message| message.start == start)));
                    }
                },
            }
        }
        found
    }

    /// A handler with more incomplete messages than it may have, and which of them could stay, one at a time.
    fn crowded(
        &self,
        messages: &[Message],
        is_incomplete: &dyn Fn(&Message) -> bool,
        target: Option<Occurrence>,
    ) -> Option<Crowd> {
        let incomplete =
            |handler| messages.iter().filter(move |message| message.handler == handler && is_incomplete(message));
        for message in messages.iter().filter(|message| is_incomplete(message)) {
            let handler = message.handler;
            let target = target.filter(|target| target.handler == Some(handler));
            let own = target.filter(|target| !target.starts).map(|target| target.step.actor);
            let is_own = |message: &&Message| own == Some(message.actor);
            let count = incomplete(handler).count();
            match target {
                // The target's step starts a message: nobody may hold the handler then.
                Some(target) if target.starts => return Some(Crowd { handler, keeps: Vec::new() }),
                Some(_) if count > 1 => {
                    let keeps = incomplete(handler).filter(is_own).map(|message| message.start).collect();
                    return Some(Crowd { handler, keeps });
                }
                None if count > 1 => {
                    let keeps = incomplete(handler).map(|message| message.start).collect();
                    return Some(Crowd { handler, keeps });
                }
                _ => {}
            }
        }
        None
    }

    /// Orders steps so that messages are serialised, following the path as long as possible.
    fn put_in_order(&self, goes: &[bool], messages: &[Message]) -> Option<Kept> {
        let is_incomplete = |message: &&Message| goes[message.start] && !message.end.is_some_and(|end| goes[end]);
        let follows = |one: &Message, other: &Message| {
            other.handler == one.handler && other.start > one.start && goes[other.start]
        };
        let moves = |start: usize| {
            let incomplete = messages.iter().filter(is_incomplete).find(|message| message.start == start);
            incomplete.is_some_and(|one| messages.iter().any(|other| follows(one, other)))
        };
        let leaves = (0..goes.len()).find(|&step| !goes[step] || moves(step)).unwrap_or(goes.len());
        let earlier = messages.iter().rev().map(|message| message.start).filter(|&start| start < leaves);
        let mut is_first = true;
        for node in [leaves].into_iter().chain(earlier) {
            if let Some(kept) = self.put_in_order_from(node, goes, messages) {
                return Some(kept);
            }
            // What cannot be ordered from the beginning cannot be ordered at all.
            if std::mem::take(&mut is_first) && !self.arrange(0, goes, messages, |mut all| all.saturate()) {
                return None;
            }
        }
        None
    }

    /// Orders steps from a state of the path on.
    fn put_in_order_from(&self, node: usize, goes: &[bool], messages: &[Message]) -> Option<Kept> {
        let mut footprints = FootprintTable::new(self.path.footprints.dependence());
        let order = self.arrange(node, goes, messages, |mut arrangement| {
            if arrangement.saturate() { arrangement.solve(&mut OnPaper, &mut footprints).0 } else { None }
        })?;
        let steps: Vec<usize> = (node..goes.len()).filter(|&step| goes[step]).collect();
        let step = |placed: Placed| match placed {
            Placed::Given(step) => Some(steps[step]),
            Placed::Beyond(_) => None,
        };
        Some(Kept { node, steps: order.into_iter().filter_map(step).collect() })
    }

    /// The steps from a state of the path on as something to be ordered, incomplete messages last.
    fn arrange<T>(
        &self,
        node: usize,
        goes: &[bool],
        messages: &[Message],
        then: impl FnOnce(Arrangement<'_>) -> T,
    ) -> T {
        let path = &self.path;
        let is_incomplete = |message: &&Message| goes[message.start] && !message.end.is_some_and(|end| goes[end]);
        let steps: Vec<usize> = (node..goes.len()).filter(|&step| goes[step]).collect();
        let occurrences: Vec<Occurrence> = steps.iter().map(|&step| path.steps[step].occurrence).collect();
        let mut arrangement = Arrangement::new(&occurrences, &path.footprints, path.holders(node));
        let place = |step: usize| steps.binary_search(&step).ok();
        for last in messages.iter().filter(is_incomplete) {
            let others = messages.iter().filter(|other| other.handler == last.handler && goes[other.start]);
            for end in others.filter(|other| other.start != last.start).filter_map(|other| other.end) {
                if let (Some(end), Some(start)) = (place(end), place(last.start)) {
                    arrangement.precede(end, start);
                }
            }
        }
        then(arrangement)
    }
}

/// A handler with too many incomplete messages; `keeps` are the starts of those of which one could stay.
struct Crowd {
    handler: ObjectId,
    keeps: Vec<usize>,
}
