//! What has to be run so that a step comes without an earlier one.
//!
//! Everything of the execution that does not happen after the earlier step, and then the later one: the *reversal* of a race.
//! Whether the later step can be taken then, what it touches and which outcomes it has is found by running it.
//!
//! Where it cannot be taken, another step had enabled it: the steps that wrote what it reads are left out one by one as well,
//! with what happens after them, until it can be taken or does not exist. The same is done for the actors that are blocked
//! where the execution ends. (The published algorithms know locks only, the one case where leaving out one step is enough.)
//!
//! Messages of one handler have to stay serialised (Event-DPOR, appendix A.1): at most one message of a handler may be left
//! incomplete, and it has to be the last one there. Of several, each is kept in turn; where there is no order, one message
//! more is left out. `serialise` has a drawing.

use super::Search;
use super::arrangement::{Arrangement, OnPaper, Placed};
use super::path::{Message, Path};
use crate::shared::tally::FastSet;
use crate::shared::trace::event_name;
use crate::shared::wakeup::{Occurrence, WeakInitial, weak_initial};
use mazurka_core::{
    ActorId, Because, Fingerprint, Footprint, FootprintId, FootprintTable, Machine, Move, ObjectId, Outcome,
};
use smallvec::{SmallVec, smallvec};

/// The actor whose step is to be taken without some of the steps that came before it.
#[derive(Clone, Copy, Debug)]
struct Target {
    actor: ActorId,
    /// The step as it was taken; otherwise the actor is blocked on it where the path ends.
    taken: Option<usize>,
}

/// Steps to be left out.
type Removed = SmallVec<[usize; 2]>;

/// Sets of them that are still to be tried.
type Open = SmallVec<[Removed; 1]>;

/// What happens no earlier than some steps.
#[derive(Default)]
struct Gone(SmallVec<[(ActorId, u32); 8]>);

impl Gone {
    fn insert(&mut self, step: usize, path: &Path<'_>) {
        self.0.push((path.order.actor(step), path.order.number(step)));
    }

    fn contains(&self, step: usize, path: &Path<'_>) -> bool {
        let clock = path.order.clock(step);
        self.0.iter().any(|&(actor, number)| clock.get(actor) >= number)
    }
}

/// Where a sequence leaves the path, and the steps of the path that it consists of.
struct Kept {
    node: usize,
    steps: Vec<usize>,
}

impl<M: Machine> Search<'_, '_, '_, M> {
    /// The path has come to its end: its races are reversed. Those that the execution before had as well are among them: what
    /// is kept ends differently now, and what sleeps somewhere may have to be told of just that end.
    pub(super) fn reverse_races(&mut self) {
        self.path.sum_afters();
        self.reverse_waiting();
        for step in 0..self.path.steps.len() {
            if self.tally.is_over() {
                return;
            }
            let taken = &self.path.steps[step];
            let target = Target { actor: taken.occurrence.step.actor, taken: Some(step) };
            let has_choice = taken.occurrence.has_choice;
            for race in self.path.races(step) {
                self.counts.races += 1;
                let earlier = self.path.race(race);
                if !self.is_settled(earlier, step) {
                    self.because = Because::Race { first: earlier, second: step };
                    self.reverse(target, smallvec![smallvec![self.beginning(earlier, step)]]);
                }
            }
            if has_choice {
                self.because = Because::Choice { step };
                self.reverse(target, smallvec![smallvec![step]]);
            }
        }
    }

    /// What has to go so that a later step comes without an earlier one: where both are of messages of one handler, the whole
    /// message of the earlier step.
    fn beginning(&self, earlier: usize, later: usize) -> usize {
        let path = &self.path;
        match (path.message_of(earlier), path.message_of(later)) {
            (Some(one), Some(other)) if one.handler == other.handler => one.start,
            _ => earlier,
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

    /// An actor that is blocked where the path ends might have moved without some of its steps. It might also have done
    /// something else before another actor moved it on: a wait that could have timed out was ended by a signal, and now the
    /// actor is blocked on the mutex.
    fn reverse_waiting(&mut self) {
        let (mut waiting, end) = (Vec::new(), self.path.steps.len());
        self.machine.blocked(&mut |actor, _| waiting.push(actor));
        if !waiting.is_empty() {
            self.trail.save(end, &self.machine);
        }
        for actor in waiting {
            let target = Target { actor, taken: None };
            self.because = Because::Waiting { actor };
            self.trail.visit(end, &self.tally.schedule.moves, &mut self.machine);
            let mut open = Open::new();
            let whole = Kept { node: end, steps: Vec::new() };
            self.leave_out_more(target, &[], &whole, &mut open);
            if let Some(own) = self.path.order.last_step(actor) {
                let own = self.path.steps[own].occurrence.footprint;
                self.leave_out_each(target, &[], &whole, own, &mut open);
            }
            self.reverse(target, open);
        }
    }

    /// Inserts what is needed so that the target's step is taken without some steps, for each of some sets of them, and for
    /// further sets where it cannot be taken yet.
    fn reverse(&mut self, target: Target, mut open: Open) {
        self.reversed.begin();
        let mut seen: FastSet<(usize, Vec<usize>)> = FastSet::default();
        while let Some(removed) = open.pop().filter(|_| !self.tally.is_over()) {
            for kept in self.keep(target, &removed) {
                let is_certain = target.taken.is_some_and(|step| self.path.steps[step].is_certain);
                if is_certain && self.is_surely_covered(target, &kept) {
                    continue;
                }
                if !is_certain && !seen.insert((kept.node, kept.steps.clone())) {
                    continue;
                }
                if is_certain
                    && self.pool.arranges()
                    && let Some(last) = self.seen_after(target, &kept)
                {
                    self.insert_sequence(&kept, last);
                    continue;
                }
                self.run_kept(&kept);
                if self.machine.enabled().contains(&target.actor) {
                    self.insert_outcomes(target, &kept);
                } else {
                    self.leave_out_more(target, &removed, &kept, &mut open);
                }
            }
        }
    }

    /// Brings the machine to where it stands after the steps that were kept.
    fn run_kept(&mut self, kept: &Kept) {
        self.trail.visit(kept.node, &self.tally.schedule.moves, &mut self.machine);
        for &step in &kept.steps {
            self.machine.step(self.path.steps[step].occurrence.step);
        }
    }

    /// The target cannot move after the steps that were kept: it might without one of those that it depends on.
    fn leave_out_more(&mut self, target: Target, removed: &[usize], kept: &Kept, open: &mut Open) {
        let mut footprint = Footprint::default();
        if !self.machine.obstacle(target.actor, &mut footprint) {
            return;
        }
        let reads = self.path.footprints.intern(&footprint);
        self.leave_out_each(target, removed, kept, reads, open);
    }

    /// Each of the last steps of other actors that conflict with a footprint, as one that may have to go.
    fn leave_out_each(&self, target: Target, removed: &[usize], kept: &Kept, reads: FootprintId, open: &mut Open) {
        let path = &self.path;
        let mut last: SmallVec<[usize; 4]> = SmallVec::new();
        for step in (0..kept.node).chain(kept.steps.iter().copied()).rev() {
            let occurrence = path.steps[step].occurrence;
            if occurrence.step.actor != target.actor
                && path.footprints.conflict(occurrence.footprint, reads)
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
        let running = target.taken.and_then(|step| self.path.steps[step].occurrence.handler);
        let mut outcome = Outcome::FIRST;
        loop {
            let step = Move { actor: target.actor, outcome };
            let record = self.machine.step(step);
            let last = self.path.occurrence(step, record, running);
            let next = record.next_outcome;
            self.insert_sequence(kept, last);
            match next {
                Some(next) if !self.tally.is_over() => outcome = next,
                _ => return,
            }
            self.run_kept(kept);
        }
    }

    /// Inserts what was kept and a step of the target.
    fn insert_sequence(&mut self, kept: &Kept, last: Occurrence) {
        self.sequence.clear();
        self.sequence.extend(kept.steps.iter().map(|&step| self.path.steps[step].occurrence));
        self.sequence.push_back(last);
        self.insert(kept.node);
    }

    /// What the target's step does after the steps that were kept, if it was seen to do the same there as on the path.
    fn seen_after(&self, target: Target, kept: &Kept) -> Option<Occurrence> {
        let step = target.taken?;
        let name = self.path.name_after(step, (0..kept.node).chain(kept.steps.iter().copied()));
        let occurrence = self.path.steps[step].occurrence;
        (!occurrence.has_choice && self.seen.contains(name, &occurrence)).then_some(occurrence)
    }

    /// Whether the sequence of what was kept and the target's step is covered, whatever that step touches. Of a step
    /// with several outcomes this is not known.
    fn is_surely_covered(&mut self, target: Target, kept: &Kept) -> bool {
        let path = &self.path;
        let steps = || kept.steps.iter().map(|&step| path.steps[step].occurrence);
        let current = path.steps.get(kept.node).map(|taken| (&taken.occurrence, false));
        let sleepers = path.sleepers(kept.node).iter().map(|sleeper| (&sleeper.occurrence, sleeper.overtaken));
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

    /// Whether the wakeup tree covers the sequence for sure: to insert it would change nothing.
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
                    WeakInitial::Beside => return below.is_empty() && is_step_of(&occurrence, target),
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
impl<M: Machine> Search<'_, '_, '_, M> {
    /// The steps that are left without some of them and whatever happens after those: in the order of the path, or, where
    /// that does not keep messages serialised, as much as possible in another order, in all ways.
    fn keep(&mut self, target: Target, removed: &[usize]) -> SmallVec<[Kept; 1]> {
        let path = &self.path;
        let Some(&first) = removed.iter().min() else { return SmallVec::new() };
        let own = match target.taken {
            Some(taken) => path.previous(taken),
            None => path.order.last_step(target.actor),
        };
        let own = own.or_else(|| path.birth(target.actor));
        let mut gone = Gone::default();
        removed.iter().for_each(|&step| gone.insert(step, path));
        if own.is_some_and(|own| gone.contains(own, path)) {
            return SmallVec::new();
        }
        let is_after = |step: usize| removed.iter().any(|&gone| path.is_from(gone, step));
        target.taken.iter().filter(|&&step| !is_after(step)).for_each(|&step| gone.insert(step, path));
        let Some(node) = self.leave_out_incomplete(target, own, first, &mut gone) else { return SmallVec::new() };
        // Mostly it is one step that is left out, and then the name of what is left is known.
        let known = if let [_] = gone.0[..] { path.name_without(first) } else { None };
        let known = known.map(|trace| self.name_of(trace, target));
        if known.is_some_and(|name| !self.reversed.insert(name)) {
            return SmallVec::new();
        }
        let path = &self.path;
        let kept = Kept { node, steps: (node..path.steps.len()).filter(|&step| !gone.contains(step, path)).collect() };
        if known.is_none() {
            let name = self.name(&kept, target);
            if !self.reversed.insert(name) {
                return SmallVec::new();
            }
        }
        if self.is_serial(&kept, target) {
            return smallvec![kept];
        }
        let mut reversed = std::mem::take(&mut self.reversed);
        let all = self.serialise(&kept, target, own, &mut |less| reversed.insert(self.name(less, target)));
        self.reversed = reversed;
        all
    }

    /// Leaves out messages that would stay incomplete on the target's own handler: no other message may hold that when the
    /// target moves. Returns the first step that is left out; `None` if the target needs one of them.
    fn leave_out_incomplete(
        &self,
        target: Target,
        own: Option<usize>,
        mut first: usize,
        gone: &mut Gone,
    ) -> Option<usize> {
        let path = &self.path;
        let handler = target.taken.and_then(|step| path.steps[step].occurrence.handler);
        let rivals = path.messages.iter().filter(|message| Some(message.handler) == handler);
        for message in rivals.filter(|message| message.actor != target.actor) {
            let stays = |step: usize| !gone.contains(step, path);
            if stays(message.start) && !message.end.is_some_and(stays) {
                if own.is_some_and(|own| path.is_from(message.start, own)) {
                    return None;
                }
                first = first.min(message.start);
                gone.insert(message.start, path);
            }
        }
        Some(first)
    }

    /// What tells a reversal from others: the trace of what is kept, and whose step comes after it.
    fn name(&self, kept: &Kept, target: Target) -> Fingerprint {
        let path = &self.path;
        let start = path.name_of_first(kept.node);
        self.name_of(kept.steps.iter().fold(start, |sum, &step| sum.wrapping_add(path.name(step))), target)
    }

    fn name_of(&self, trace: u128, target: Target) -> Fingerprint {
        Fingerprint(event_name(self.path.identity(target.actor), 0, trace))
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

    /// Every largest part of the kept steps in which each handler has at most one incomplete message, in an order in which
    /// that is its last one. What `own` depends on stays. `is_new` says whether what is left was not reversed before.
    ///
    /// A handler has run the messages a, b and c; the race between the step a2 of a and a step t of another actor is to
    /// be reversed. That leaves out a2 and what happens after it, here b2, so a and b are incomplete:
    ///
    /// ```text
    /// path     a1 a2 a3   b1 b2   c1 c2            t     [a1 a2 a3] is the message a, and so on
    /// kept     a1         b1      c1 c2                  two incomplete messages: a handler runs one at a time
    ///
    /// crowded       keep a: a1  c1 c2                    keep b: b1  c1 c2
    /// order         c1 c2  a1                            c1 c2  b1       the incomplete message comes last
    /// insert        c1 c2  a1  t                         c1 c2  b1  t
    /// ```
    ///
    /// Where c2 depends on a1, a cannot come last on the handler (`overtaken`): then a is left out, or c is. Where there is no
    /// order for another reason, one message more is left out, each in turn (`put_in_order`).
    fn serialise(
        &self,
        kept: &Kept,
        target: Target,
        own: Option<usize>,
        is_new: &mut dyn FnMut(&Kept) -> bool,
    ) -> SmallVec<[Kept; 1]> {
        let path = &self.path;
        let messages = &path.messages;
        let is_needed = |step: usize| own.is_some_and(|own| path.is_from(step, own));
        let taken = target.taken.map(|step| path.steps[step].occurrence);
        let mut goes = vec![false; path.steps.len()];
        (0..kept.node).chain(kept.steps.iter().copied()).for_each(|step| goes[step] = true);
        let (mut open, mut found, mut is_less) = (vec![goes], SmallVec::new(), false);
        while let Some(goes) = open.pop().filter(|_| !self.tally.is_over()) {
            let steps = || (0..goes.len()).filter(|&step| goes[step]).collect();
            if std::mem::replace(&mut is_less, true) && !is_new(&Kept { node: 0, steps: steps() }) {
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
                None if let Some((start, later)) = self.overtaken(&goes, &is_incomplete) => {
                    open.extend(without(&|message| message.start == start));
                    open.extend(without(&|message| later.contains(&message.start)));
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
                // The target's step starts a message: the handler must be free then.
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

    /// An incomplete message that has to come before others of its handler, though it can only be the last one there; and
    /// those.
    fn overtaken(
        &self,
        goes: &[bool],
        is_incomplete: &dyn Fn(&Message) -> bool,
    ) -> Option<(usize, SmallVec<[usize; 4]>)> {
        let path = &self.path;
        path.messages.iter().filter(|message| is_incomplete(message)).find_map(|one| {
            let complete =
                path.messages.iter().filter(|other| other.handler == one.handler && other.start != one.start);
            let ends = complete.filter_map(|other| other.end.filter(|&end| goes[end]).map(|end| (other.start, end)));
            let later = ends.filter(|&(_, end)| path.order.before(one.start, end)).map(|(start, _)| start);
            let later: SmallVec<[usize; 4]> = later.collect();
            (!later.is_empty()).then_some((one.start, later))
        })
    }

    /// Orders steps so that messages are serialised, following the path as long as possible.
    fn put_in_order(&self, goes: &[bool], messages: &[Message]) -> Option<Kept> {
        let is_incomplete = |message: &&Message| goes[message.start] && !message.end.is_some_and(|end| goes[end]);
        let follows = |one: &Message, other: &Message| {
            other.handler == one.handler && other.start > one.start && goes[other.start]
        };
        let moves = |one: &&Message| messages.iter().any(|other| follows(one, other));
        let moved = messages.iter().filter(is_incomplete).filter(moves).map(|message| message.start).min();
        let missing = goes.iter().position(|goes| !goes);
        let leaves = moved.into_iter().chain(missing).min().unwrap_or(goes.len());
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
