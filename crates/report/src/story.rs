//! A schedule told: who moved, what changed, what went wrong and why.
//!
//! A story is plain data. It is made by following the schedule on the program once more, so whatever it tells has
//! happened; where the program does not follow, the story ends and [`Story::faithful`] is false.

use crate::causes::{Cause, History};
use crate::waits::{Wait, waits};
use mazurka_core::{
    Access, Dependence, Footprint, Found, Location, Machine, ObjectId, Outcome, Race, Schedule, Severity, Stepper,
    System, Value, Violation, ViolationKind,
};
use std::collections::{HashMap, VecDeque};

/// A violation, and how it comes about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Story {
    /// What is wrong, where, and with which values.
    pub violation: Violation,
    /// The name of the actor whose step is wrong; nobody's for a deadlock.
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
    /// How much it matters, where the program can tell. Whoever knows sets this.
    pub severity: Option<Severity>,
    /// Why it happens, in one sentence without a full stop, where that is known.
    pub why: Option<String>,
    /// Who waits for whom at the end of a deadlock, where the program tells.
    pub waits: Vec<Wait>,
    /// What is done again and again, in order, where the violation is that something never ends.
    pub repeats: Vec<String>,
    /// How long the schedule was when it was found.
    pub original: Length,
    /// How long it is here.
    pub length: Length,
    /// Whether the program followed the schedule to its end and the violation was met there.
    pub faithful: bool,
    /// The file in which the schedule was saved. Whoever saves it sets this.
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
    /// shortened; `race` is the pair of its steps that matters, if one is known.
    pub fn tell<S: System>(system: &S, found: &Found, original: &Schedule, race: Option<Race>) -> Story {
        let telling = Telling::follow(system, &found.schedule);
        let faithful = telling.complete
            && Stepper::replay(system, &found.schedule)
                .is_some_and(|(_, violations)| violations.iter().any(|met| met.same_site(&found.violation)));
        let at_a_step = faithful && found.violation.kind != ViolationKind::Deadlock;
        let race = race.filter(|race| faithful && race.first < race.second && race.second < telling.rows.len());
        let why = if faithful { system.explain(found).or_else(|| telling.why(system, found, race)) } else { None };
        let stuck = faithful && found.violation.kind == ViolationKind::Deadlock;
        Story {
            violation: found.violation.clone(),
            culprit: found.violation.actor.map(|actor| system.actor_name(actor)),
            actors: telling.actors,
            start: found.schedule.start,
            start_values: what_sets_apart(system, found.schedule.start),
            failing: telling.rows.len().checked_sub(1).filter(|_| at_a_step),
            initial: telling.initial,
            waits: if stuck { telling.waits } else { Vec::new() },
            rows: telling.rows,
            race: race.map(|race| ToldRace {
                first: race.first,
                second: race.second,
                object: system.object_name(race.object),
            }),
            severity: None,
            why,
            repeats: if faithful { system.repeats(found) } else { Vec::new() },
            original: Length::of(original),
            length: Length::of(&found.schedule),
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
            why: Some(why),
            waits: Vec::new(),
            repeats: Vec::new(),
            original: Length::of(&found.schedule),
            length: Length::of(&found.schedule),
            faithful: true,
            saved: None,
        }
    }

    /// Whether the schedule was longer, or switched more often, when it was found.
    pub fn was_shortened(&self) -> bool {
        (self.length.steps, self.length.switches) < (self.original.steps, self.original.switches)
    }

    /// What there is to see of the state after so many steps.
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

/// What following a schedule brings to light.
#[derive(Default)]
struct Telling {
    actors: Vec<String>,
    initial: Vec<Value>,
    rows: Vec<Row>,
    footprints: Vec<Footprint>,
    /// Who waits at the end, if nobody can move there.
    waits: Vec<Wait>,
    complete: bool,
}

impl Telling {
    fn follow<S: System>(system: &S, schedule: &Schedule) -> Telling {
        let mut telling = Telling::default();
        let Some(state) = system.initial_states().into_iter().nth(schedule.start) else { return telling };
        let mut stepper = Stepper::new(system, state);
        let mut columns = HashMap::new();
        let mut history = History::new();
        let mut before = observe(system, stepper.state());
        telling.initial.clone_from(&before);
        for (index, &step) in schedule.moves.iter().enumerate() {
            let description = system.describe(stepper.state(), step.actor, step.outcome);
            let Some(record) = stepper.try_step(step) else { return telling };
            let causes = history.push(system, index, step.actor, &record.footprint);
            telling.footprints.push(record.footprint.clone());
            let actor = *columns.entry(step.actor).or_insert_with(|| {
                telling.actors.push(system.actor_name(step.actor));
                telling.actors.len() - 1
            });
            let after = observe(system, stepper.state());
            telling.rows.push(Row {
                number: index + 1,
                actor,
                outcome: step.outcome,
                text: description.text,
                location: description.location,
                changes: changes(&before, &after),
                causes,
            });
            before = after;
        }
        if stepper.enabled().is_empty() {
            telling.waits = waits(system, stepper.state(), &telling.footprints);
        }
        telling.complete = true;
        telling
    }

    /// The reason in words, where it is known.
    fn why<S: System>(&self, system: &S, found: &Found, race: Option<Race>) -> Option<String> {
        match (self.actors.as_slice(), race) {
            ([], _) => Some("it is so before anybody moves".to_owned()),
            ([alone], _) if found.violation.kind == ViolationKind::Deadlock => {
                Some(format!("{alone} leads there alone: no other actor has to move"))
            }
            ([alone], _) => Some(format!("{alone} does it alone: no other actor is needed")),
            (_, Some(race)) if found.violation.kind == ViolationKind::Race => self.why_of_data_race(system, race),
            (_, Some(race)) => self.why_of_race(system, race),
            // The message says who waits for what, and that is the reason.
            _ if found.violation.kind == ViolationKind::Deadlock => None,
            _ if self.is_unordered() => Some("it happens in every order of these steps".to_owned()),
            _ => None,
        }
    }

    fn why_of_race<S: System>(&self, system: &S, race: Race) -> Option<String> {
        let touched = |index: usize| {
            let access = self.footprints[index].access(race.object)?;
            let name = &self.actors[self.rows[index].actor];
            Some((name, system.touch_verb(race.object, access)))
        };
        let ((first, did), (second, does)) = (touched(race.first)?, touched(race.second)?);
        let object = system.object_name(race.object);
        let then = if did == does { "did".to_owned() } else { format!("{does} it") };
        Some(format!("{first} {did} {object} before {second} {then}; nothing orders the two"))
    }

    /// Both accesses of a data race, with their places.
    fn why_of_data_race<S: System>(&self, system: &S, race: Race) -> Option<String> {
        let object = system.object_name(race.object);
        let access = |index: usize| {
            let row = &self.rows[index];
            let verb = system.touch_verb(race.object, self.footprints[index].access(race.object)?);
            let place = row.location.as_ref().map_or_else(String::new, |location| format!(" ({location})"));
            Some(format!("{} {verb} {object}{place}", self.actors[row.actor]))
        };
        Some(format!("{} and {}; nothing orders the two", access(race.first)?, access(race.second)?))
    }

    /// Whether no two steps of different actors depend on each other: then all their orders are equivalent.
    fn is_unordered(&self) -> bool {
        let mut touched: HashMap<ObjectId, Vec<(usize, Access)>> = HashMap::new();
        for (row, footprint) in self.rows.iter().zip(&self.footprints) {
            for touch in footprint.touches() {
                let by_actor = touched.entry(touch.object).or_default();
                match by_actor.iter_mut().find(|(actor, _)| *actor == row.actor) {
                    Some((_, access)) => *access = *access | touch.access,
                    None => by_actor.push((row.actor, touch.access)),
                }
            }
        }
        let depend = |one: &(usize, Access), other: &(usize, Access)| {
            one.0 != other.0 && Dependence::default().touches(one.1, other.1)
        };
        !touched.values().any(|by_actor| by_actor.iter().any(|one| by_actor.iter().any(|other| depend(one, other))))
    }
}

fn observe<S: System>(system: &S, state: &S::State) -> Vec<Value> {
    let mut values = Vec::new();
    system.observe(state, &mut values);
    values
}

/// What differs between two observations, by name: values that came or changed in their order, then those that went.
fn changes(before: &[Value], after: &[Value]) -> Vec<Change> {
    if before == after {
        return Vec::new();
    }
    let mut old_values: HashMap<&str, VecDeque<&str>> = HashMap::new();
    for value in before {
        old_values.entry(&value.name).or_default().push_back(&value.value);
    }
    let mut changes = Vec::new();
    for Value { name, value } in after {
        let old = old_values.get_mut(name.as_str()).and_then(VecDeque::pop_front);
        if old != Some(value) {
            changes.push(Change { name: name.clone(), old: old.map(str::to_owned), new: Some(value.clone()) });
        }
    }
    for Value { name, .. } in before {
        if let Some(old) = old_values.get_mut(name.as_str()).and_then(VecDeque::pop_front) {
            changes.push(Change { name: name.clone(), old: Some(old.to_owned()), new: None });
        }
    }
    changes
}

/// The values of an initial state that are not the same in all initial states.
fn what_sets_apart<S: System>(system: &S, start: usize) -> Vec<Value> {
    let states = system.initial_states();
    let Some(chosen) = states.get(start) else { return Vec::new() };
    let mut apart = Vec::new();
    for state in &states {
        for change in changes(&observe(system, state), &observe(system, chosen)) {
            if let Change { name, new: Some(value), .. } = change
                && !apart.iter().any(|known: &Value| known.name == name)
            {
                apart.push(Value { name, value });
            }
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{Op, Threads};
    use mazurka_core::ActorId;

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
    fn one_actor_needs_nobody_else() {
        let alone = Threads::of(vec![vec![Op::Increment, Op::Increment, Op::AssertFirst]]);
        let why = alone.tell(&[0, 0, 0], 3).why;
        assert_eq!(why.as_deref(), Some("T1 does it alone: no other actor is needed"));
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
        assert_eq!((story.failing, story.culprit, story.why), (None, None, None));
    }

    #[test]
    fn an_initial_state_can_be_wrong() {
        let story = Threads { bad_start: true, ..Threads::three() }.tell(&[], 0);
        assert!(story.faithful);
        assert_eq!(story.why.as_deref(), Some("it is so before anybody moves"));
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
