//! A schedule told: which actor moved, what changed, what went wrong and why.
//!
//! A story is plain data. It is made by following the schedule on the program once more, so whatever it tells has
//! happened; where the program does not follow, the story ends and [`Story::faithful`] is false.

mod basis;
mod causes;
pub mod graph;
pub(crate) mod groups;
mod lasso;
mod reason;
mod run;
mod telling;
pub(crate) mod waits;

pub use basis::{Basis, Considered, Site, Vacuity, Vacuous};
pub use causes::Cause;
pub use lasso::ToldLasso;
pub use run::{Picked, Report, Tried};
pub use waits::{Wait, Waited, cycle};

pub(crate) use causes::History;
pub(crate) use telling::{changes, observe, output_change, update_held};
pub(crate) use waits::waited;

use crate::format::count;
use mazurka_core::{
    Explanation, Found, Location, Outcome, Schedule, Severity, System, Value, Violation, ViolationKind,
};
use reason::Reason;
use telling::{Telling, what_sets_apart};

/// A violation, and how it comes about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// What is wrong, where, and with which values.
    pub violation: Violation,
    /// The name of the actor whose step is wrong; `None` for a deadlock.
    pub culprit: Option<String>,
    /// The actors that move, in the order of their first moves.
    pub actors: Vec<String>,
    /// Which of the initial states it begins in.
    pub start: usize,
    /// What sets that initial state apart from the others, where there are several.
    pub start_values: Vec<Value>,
    /// What there is to see of the initial state, each name once.
    pub initial: Vec<Value>,
    /// The steps.
    pub rows: Vec<Row>,
    /// The index of the row whose step is wrong. A deadlock and an initial state have none.
    pub failing: Option<usize>,
    /// The two steps whose order matters.
    pub race: Option<ToldRace>,
    /// How much it matters, where the program can tell. Set by the frontend.
    pub severity: Option<Severity>,
    /// The step that came before one that is not part of the schedule, where that order matters.
    pub early: Option<ToldEarly>,
    /// The step whose choice matters.
    pub choice: Option<ToldChoice>,
    /// Why it happens, in one sentence without a full stop, where that is known.
    pub why: Option<String>,
    /// Which actor waits for which at the end of a deadlock, where the program tells.
    pub waits: Vec<Wait>,
    /// What is done again and again, in order, where the violation is that something never ends.
    pub repeats: Vec<String>,
    /// How it goes on for ever, in an execution without end.
    pub lasso: Option<ToldLasso>,
    /// How long the schedule was when it was found.
    pub original: Length,
    /// How long it is here.
    pub length: Length,
    /// Whether steps of one actor on one line of the source, one after the other, are told as one.
    pub tells_lines: bool,
    /// Whether the program followed the schedule to its end and the violation was met there.
    pub faithful: bool,
    /// The file in which the schedule was saved. Set when it is saved.
    pub saved: Option<String>,
}

/// One step of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The step's number, from 1.
    pub number: usize,
    /// The index of its actor in [`Story::actors`].
    pub actor: usize,
    /// Which outcome it took where it had a choice.
    pub outcome: Outcome,
    /// What it does, as the source has it.
    pub text: String,
    /// Where the source has it.
    pub location: Option<Location>,
    /// The values that are others after it.
    pub changes: Vec<Change>,
    /// The lock that its actor holds after it, if it holds one; of several, the one that it acquired first.
    pub holds: Option<String>,
    /// The local variables of its actor after it, as far as the actor still needs them.
    pub locals: Vec<Value>,
    /// The earlier steps of other actors that it depends on directly.
    pub causes: Vec<Cause>,
}

/// A value that a step changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Whose value.
    pub name: String,
    /// The value before; `None` if there was none.
    pub old: Option<String>,
    /// The value after; `None` if there is none.
    pub new: Option<String>,
}

/// Two conflicting steps whose order could have been the other one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldRace {
    /// The index of the earlier row.
    pub first: usize,
    /// The index of the later row.
    pub second: usize,
    /// The name of an object on which they conflict.
    pub object: String,
}

/// Steps within a critical section, by the indices of their rows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fold<'a> {
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// What the actor holds meanwhile.
    pub(crate) lock: &'a str,
}

/// One of two steps that are told together.
pub(crate) struct Side<'a> {
    pub(crate) actor: &'a str,
    pub(crate) text: &'a str,
    pub(crate) location: Option<&'a Location>,
}

/// A step that came before a conflicting one of another actor, which would have avoided the violation by coming first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldEarly {
    /// The index of the row that came too early.
    pub step: usize,
    /// The actor that should have moved before it.
    pub actor: String,
    /// What that actor would have done, as the source has it.
    pub text: String,
    /// Where the source has it.
    pub location: Option<Location>,
    /// The name of an object on which they conflict.
    pub object: String,
}

/// A step that had a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldChoice {
    /// The index of the row.
    pub step: usize,
    /// The step with an outcome that does not lead to the violation, as the source has it.
    pub instead: String,
}

/// How long a schedule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// How many steps it has.
    pub steps: usize,
    /// How often another actor takes over.
    pub switches: usize,
}

impl Length {
    /// The length of a schedule.
    pub fn of(schedule: &Schedule) -> Self {
        Length { steps: schedule.moves.len(), switches: schedule.switches() }
    }
}

impl Story {
    /// Tells a schedule by following it on the program. `original` is the schedule as it was found, before it was
    /// shortened; `explanation` is what makes the violation happen, if that is known.
    pub fn tell<S: System>(system: &S, found: &Found, original: &Schedule, explanation: Option<Explanation>) -> Story {
        let telling = Telling::follow(system, &found.schedule);
        let faithful = telling.met.iter().any(|met| met.same_site(&found.violation));
        let is_endless = found.violation.kind == ViolationKind::Liveness;
        let at_a_step = faithful && found.violation.kind != ViolationKind::Deadlock && !is_endless;
        let stuck = faithful && found.violation.kind == ViolationKind::Deadlock;
        let Reason { why, race, early, choice } =
            if faithful { telling.reason(system, found, explanation) } else { Reason::default() };
        Story {
            violation: found.violation.clone(),
            culprit: found.violation.actor.map(|actor| system.narrator().actor_name(actor)),
            actors: telling.actors,
            start: found.schedule.start,
            start_values: what_sets_apart(system, found.schedule.start),
            failing: telling.rows.len().checked_sub(1).filter(|_| at_a_step),
            initial: telling.initial,
            waits: if stuck { telling.waits } else { Vec::new() },
            rows: telling.rows,
            race,
            severity: None,
            early,
            choice,
            why,
            repeats: if faithful { system.narrator().repeats(found) } else { Vec::new() },
            lasso: if faithful { ToldLasso::of(system, &found.schedule) } else { None },
            original: Length::of(original),
            length: Length::of(&found.schedule),
            tells_lines: system.narrator().tells_lines(),
            faithful,
            saved: None,
        }
    }

    /// A violation of which there is nothing to tell but itself: `why` says what is missing.
    pub fn untold(found: &Found, why: String) -> Story {
        Story {
            violation: found.violation.clone(),
            severity: None,
            culprit: None,
            actors: Vec::new(),
            start: found.schedule.start,
            start_values: Vec::new(),
            initial: Vec::new(),
            rows: Vec::new(),
            failing: None,
            race: None,
            early: None,
            choice: None,
            why: Some(why),
            waits: Vec::new(),
            repeats: Vec::new(),
            lasso: None,
            original: Length::of(&found.schedule),
            length: Length::of(&found.schedule),
            tells_lines: false,
            faithful: true,
            saved: None,
        }
    }

    /// Whether the schedule was longer, or switched more often, when it was found.
    pub fn was_shortened(&self) -> bool {
        (self.length.steps, self.length.switches) < (self.original.steps, self.original.switches)
    }

    /// How much shorter the schedule became, in words.
    pub fn shortening(&self) -> String {
        let steps = |length: Length| count(length.steps as u64, "step", "steps");
        let switches = |length: Length| count(length.switches as u64, "switch", "switches");
        let (before, now) = (self.original, self.length);
        match (before.steps == now.steps, before.switches == now.switches) {
            (true, true) => format!("{} and {}, as it was found", steps(now), switches(now)),
            (true, false) => {
                format!("reordered: {} between actors instead of {}", switches(now), before.switches)
            }
            (false, true) => format!("shortened from {} to {}, with {}", steps(before), now.steps, switches(now)),
            (false, false) => {
                let (from, to) = ((steps(before), switches(before)), (steps(now), switches(now)));
                format!("shortened from {} and {} to {} and {}", from.0, from.1, to.0, to.1)
            }
        }
    }

    /// A row as one side of a pair of steps.
    pub(crate) fn side<'a>(&'a self, row: &'a Row) -> Side<'a> {
        Side { actor: self.actor(row), text: &row.text, location: row.location.as_ref() }
    }

    /// What there is to see of the state after this many steps.
    pub fn state_after(&self, steps: usize) -> Vec<Value> {
        let mut state = self.initial.clone();
        for change in self.rows.iter().take(steps).flat_map(|row| &row.changes) {
            let known = state.iter().position(|value| value.name == change.name);
            match (known, &change.new) {
                (Some(index), Some(new)) => state[index].value.clone_from(new),
                (Some(index), None) => {
                    state.remove(index);
                }
                (None, Some(new)) => state.push(Value { name: change.name.clone(), value: new.clone() }),
                (None, None) => {}
            }
        }
        state
    }

    /// The local variables of each actor that has moved, after this many steps; actors without any are left out.
    pub fn locals_after(&self, steps: usize) -> Vec<(&str, &[Value])> {
        let done = &self.rows[..steps.min(self.rows.len())];
        let last = |actor: usize| done.iter().rev().find(|row| row.actor == actor);
        let locals = (0..self.actors.len()).filter_map(|actor| Some((self.actors[actor].as_str(), last(actor)?)));
        locals.map(|(actor, row)| (actor, row.locals.as_slice())).filter(|(_, locals)| !locals.is_empty()).collect()
    }

    /// Stretches of steps within critical sections that can be folded: steps of one actor, one after the other, while
    /// it holds a lock. The step that acquires the lock stays, and so does every step that the reason is about or that
    /// is wrong.
    pub(crate) fn folds(&self) -> Vec<Fold<'_>> {
        const FEW_ROWS: usize = 12;
        const FEW_FOLDED: usize = 3;
        let mut folds: Vec<Fold<'_>> = Vec::new();
        for (row, pair) in (1..).zip(self.rows.windows(2)) {
            let [before, here] = pair else { continue };
            let Some(lock) = before.holds.as_deref().filter(|_| before.actor == here.actor && !self.matters(row))
            else {
                continue;
            };
            match folds.last_mut() {
                Some(fold) if fold.last + 1 == row && before.actor == self.rows[fold.first].actor => fold.last = row,
                _ => folds.push(Fold { first: row, last: row, lock }),
            }
        }
        folds.retain(|fold| self.rows.len() > FEW_ROWS && fold.last + 1 - fold.first >= FEW_FOLDED);
        folds
    }

    /// The rows in groups that are told as one: steps of one actor on one line of the source, one after the other, if the
    /// program is told so.
    pub(crate) fn lines(&self) -> Vec<std::ops::Range<usize>> {
        let place = |row: &Row| row.location.as_ref().map(|at| (at.file.clone(), at.line));
        let goes_on = |row: usize| {
            let [before, here] = &self.rows[row - 1..=row] else { return false };
            let is_in_loop = |row: usize| self.lasso.as_ref().is_some_and(|lasso| lasso.from <= row);
            is_in_loop(row - 1) == is_in_loop(row)
                && before.actor == here.actor
                && before.text == here.text
                && place(before).is_some()
                && place(before) == place(here)
        };
        let mut lines: Vec<std::ops::Range<usize>> = Vec::new();
        for row in 0..self.rows.len() {
            match lines.last_mut() {
                Some(line) if self.tells_lines && goes_on(row) => line.end = row + 1,
                _ => lines.push(row..row + 1),
            }
        }
        lines
    }

    /// Rows behind the first one of a line of the source that can be folded: three or more are told as one, none of them but
    /// the first matters, and they are in no critical section that is folded.
    pub(crate) fn line_folds(&self) -> Vec<std::ops::Range<usize>> {
        let folds = self.folds();
        let is_folded = |row: usize| folds.iter().any(|fold| (fold.first..=fold.last).contains(&row));
        let lines = self.lines().into_iter().filter(|rows| rows.len() > 2).map(|rows| rows.start + 1..rows.end);
        lines.filter(|rows| rows.clone().all(|row| !self.matters(row) && !is_folded(row))).collect()
    }

    /// Whether the reason is about a row, or it is wrong, or the last one.
    fn matters(&self, row: usize) -> bool {
        let race = self.race.as_ref().is_some_and(|race| race.first == row || race.second == row);
        let early = self.early.as_ref().is_some_and(|early| early.step == row);
        let choice = self.choice.as_ref().is_some_and(|choice| choice.step == row);
        race || early || choice || self.failing == Some(row) || row + 1 == self.rows.len()
    }

    /// What some rows change together: each name once, from what it was before them to what it is behind them.
    pub(crate) fn changes_of(&self, rows: std::ops::Range<usize>) -> Vec<Change> {
        let mut together: Vec<Change> = Vec::new();
        for change in self.rows[rows].iter().flat_map(|row| &row.changes) {
            match together.iter_mut().find(|known| known.name == change.name && change.old.is_some()) {
                Some(known) => known.new.clone_from(&change.new),
                None => together.push(change.clone()),
            }
        }
        together
    }

    /// The line of an assertion that fails in the local work behind its step: the step's own line is another one.
    pub(crate) fn line_behind_step(&self) -> Option<u32> {
        let step = self.rows.get(self.failing?)?.location.as_ref()?;
        let wrong = self.violation.location.as_ref().filter(|_| self.violation.kind == ViolationKind::Assertion)?;
        (wrong.line != step.line || wrong.file != step.file).then_some(wrong.line)
    }

    /// The name of a row's actor.
    pub fn actor(&self, row: &Row) -> &str {
        self.actors.get(row.actor).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{Op, Threads};
    use mazurka_core::ActorId;
    use telling::changes;

    #[test]
    fn a_race_is_told_with_both_sides() {
        let threads = Threads::three();
        let story = threads.tell(&[2, 2, 0, 0], 9);
        assert!(story.faithful);
        assert_eq!(story.actors, ["T3", "T1"]);
        assert_eq!(story.failing, Some(3));
        assert_eq!(story.why.as_deref(), Some("T3 incremented x before T1 did; nothing orders the two"));
        let race = story.race.as_ref().map(|race| (race.first, race.second, race.object.as_str()));
        assert_eq!(race, Some((1, 2, "x")));
        let changes: Vec<_> = story.rows.iter().map(|row| row.changes.len()).collect();
        assert_eq!(changes, [0, 1, 2, 0]);
        assert_eq!(story.length, Length { steps: 4, switches: 1 });
        assert!(story.was_shortened());
    }

    #[test]
    fn only_what_became_shorter_is_called_shortened() {
        let mut story = Threads::three().tell(&[2, 2, 0, 0], 4);
        assert!(!story.was_shortened());
        let mut words = |steps, switches| {
            story.original = Length { steps, switches };
            story.shortening()
        };
        assert_eq!(words(9, 4), "shortened from 9 steps and 4 switches to 4 steps and 1 switch");
        assert_eq!(words(9, 1), "shortened from 9 steps to 4, with 1 switch");
        assert_eq!(words(4, 3), "reordered: 1 switch between actors instead of 3");
    }

    #[test]
    fn long_critical_sections_are_folded_but_for_what_matters() {
        let mut story = Threads::of(vec![vec![Op::Increment; 14]]).tell(&[0; 14], 14);
        for row in &mut story.rows[1..9] {
            row.holds = Some("m".to_owned());
        }
        let folds = |story: &Story| story.folds().iter().map(|fold| (fold.first, fold.last)).collect::<Vec<_>>();
        // The step that acquires the lock stays; the one that releases it is part of the section.
        assert_eq!(folds(&story), [(2, 9)]);
        story.race = Some(ToldRace { first: 5, second: 11, object: "x".to_owned() });
        assert_eq!(folds(&story), [(2, 4), (6, 9)]);
        story.rows.truncate(12);
        assert_eq!(folds(&story), [], "a short schedule is shown as it is");
    }

    #[test]
    fn one_actor_needs_no_other() {
        let alone = Threads::of(vec![vec![Op::Increment, Op::Increment, Op::AssertFirst]]);
        let why = alone.tell(&[0, 0, 0], 3).why;
        assert_eq!(why.as_deref(), Some("T1 alone causes it: no other actor has to move"));
    }

    #[test]
    fn independent_steps_are_known_to_commute() {
        let threads = Threads::of(vec![vec![Op::LoadZ, Op::Fail], vec![Op::LoadZ]]);
        let why = threads.tell(&[1, 0, 0], 3).why;
        assert_eq!(why.as_deref(), Some("it happens in every order of these steps"));
    }

    #[test]
    fn a_deadlock_fails_at_no_step() {
        let story = Threads::crossed_locks().tell(&[0, 1], 2);
        assert!(story.faithful);
        assert_eq!((story.failing, story.culprit), (None, None));
        let cycle = "T1 takes lock 0 before lock 1, T2 takes lock 1 before lock 0: a cycle";
        assert_eq!(story.why.as_deref(), Some(cycle));
    }

    #[test]
    fn an_initial_state_can_be_wrong() {
        let story = Threads { bad_start: true, ..Threads::three() }.tell(&[], 0);
        assert!(story.faithful);
        assert_eq!(story.why.as_deref(), Some("it is true in the initial state, before the first step"));
    }

    #[test]
    fn a_schedule_that_the_program_does_not_follow_is_told_as_far_as_it_goes() {
        let story = Threads::three().tell(&[2, 2, 2, 0], 4);
        assert!(!story.faithful);
        assert_eq!((story.rows.len(), story.failing, story.why), (2, None, None));
    }

    #[test]
    fn values_may_come_and_go() {
        let value = |name: &str, value: &str| Value { name: name.to_owned(), value: value.to_owned() };
        let change = |name: &str, old: Option<&str>, new: Option<&str>| Change {
            name: name.to_owned(),
            old: old.map(str::to_owned),
            new: new.map(str::to_owned),
        };
        let before = [value("a", "1"), value("b", "2"), value("c", "3"), value("c", "4")];
        let after = [value("b", "2"), value("c", "3"), value("c", "5"), value("d", "6")];
        assert_eq!(
            changes(&before, &after),
            [change("c", Some("4"), Some("5")), change("d", None, Some("6")), change("a", Some("1"), None)]
        );
    }

    #[test]
    fn the_state_can_be_told_at_every_step() {
        let story = Threads::three().tell(&[2, 2, 0, 0], 9);
        let told = |steps| {
            let values = story.state_after(steps).into_iter().map(|value| format!("{}={}", value.name, value.value));
            values.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told(0), "x=0 r1=0 r2=0 r3=0");
        assert_eq!(told(2), "x=1 r1=0 r2=0 r3=0");
        assert_eq!(told(9), "x=2 r1=1 r2=0 r3=0");
        let locks = Threads::crossed_locks().tell(&[0, 1], 2).state_after(1);
        assert_eq!(locks.last().map(|value| value.name.as_str()), Some("lock 0"));
    }

    #[test]
    fn several_starts_are_told_apart_by_their_values() {
        let threads = Threads { starts: vec![0, 7], ..Threads::of(vec![vec![Op::Fail]]) };
        let mut found = threads.found(&[0]);
        found.schedule.start = 1;
        found.violation.actor = Some(ActorId(0));
        let story = Story::tell(&threads, &found, &found.schedule, None);
        assert_eq!(story.start_values, [Value { name: "x".to_owned(), value: "7".to_owned() }]);
    }
}
