//! Why a violation happens, in words, and the steps that the words are about.

use super::telling::Telling;
use super::waits::cycle_in_words;
use super::{Row, ToldChoice, ToldEarly, ToldLasso, ToldRace};
use mazurka_core::{
    Access, Dependence, Description, Explanation, Found, Move, ObjectId, Outcome, Race, Schedule, Stepper, System,
    ViolationKind,
};
use std::collections::{BTreeMap, HashMap};

/// Why a violation happens, and the steps that this is about.
#[derive(Default)]
pub(super) struct Reason {
    pub(super) why: Option<String>,
    pub(super) race: Option<ToldRace>,
    pub(super) early: Option<ToldEarly>,
    pub(super) choice: Option<ToldChoice>,
}

impl Reason {
    pub(super) fn of(why: impl Into<String>) -> Self {
        Reason { why: Some(why.into()), ..Reason::default() }
    }
}

/// The program before a step of a schedule.
pub(super) fn at<'s, S: System>(system: &'s S, schedule: &Schedule, step: usize) -> Option<Stepper<'s, S>> {
    let prefix = Schedule::new(schedule.start, schedule.moves.get(..step)?.to_vec());
    Stepper::replay(system, &prefix).map(|(stepper, _)| stepper)
}

/// The verb of what an actor would have done, if it is one of those that narrators use for most objects.
fn infinitive(past: &str) -> Option<&'static str> {
    const VERBS: [(&str, &str); 9] = [
        ("read", "read"),
        ("wrote", "write"),
        ("changed", "change"),
        ("took", "take"),
        ("released", "release"),
        ("acquired", "acquire"),
        ("used", "use"),
        ("signalled", "signal"),
        ("waited on", "wait on"),
    ];
    VERBS.iter().find(|(known, _)| *known == past).map(|(_, verb)| *verb)
}

/// That one actor touched an object before another one did: `T1 read x before T2 wrote it`; or before it could, if the
/// other one's step never came (`happened`).
pub(super) fn before_in_words<S: System>(
    system: &S,
    object: ObjectId,
    (first, did): (&str, Access),
    (second, does): (&str, Access),
    happened: bool,
) -> String {
    let name = system.narrator().object_name(object);
    let (did, does) = (system.narrator().touch_verb(object, did), system.narrator().touch_verb(object, does));
    // What happens to an event has the event's name.
    let what = if first == name { String::new() } else { format!(" {name}") };
    let then = match (did == does, second == name) {
        (true, _) | (_, true) if !happened => format!("{second} could"),
        _ if !happened => format!("{second} could {} it", infinitive(does).unwrap_or("get to")),
        (true, _) => format!("{second} did"),
        (false, true) => format!("{second} {does}"),
        (false, false) => format!("{second} {does} it"),
    };
    format!("{first} {did}{what} before {then}; nothing orders the two")
}

impl Telling {
    /// Why it happens, in words, and the steps that the words are about.
    pub(super) fn reason<S: System>(&self, system: &S, found: &Found, explanation: Option<Explanation>) -> Reason {
        if found.schedule.lasso.is_some() {
            return ToldLasso::of(system, &found.schedule).map(|lasso| Reason::of(lasso.why)).unwrap_or_default();
        }
        let mut reason = self.reason_alone(system, found, explanation);
        let is_explained = system.narrator().explain(found).is_some();
        if found.violation.kind == ViolationKind::Race && reason.race.is_none() && !is_explained {
            // It was seen at the last step.
            let race = self.last_conflict(found);
            reason.race = self.told_race(system, race);
            reason.why = race.and_then(|race| self.why_of_data_race(system, race)).or(reason.why);
        }
        if let Some(more) = system.narrator().background(found) {
            reason.why = Some(reason.why.map_or(more.clone(), |why| format!("{why}; {more}")));
        }
        reason
    }

    /// The last step, and the latest one of another actor that it conflicts with; one of a place that the message names
    /// comes first.
    fn last_conflict(&self, found: &Found) -> Option<Race> {
        let second = self.rows.len().checked_sub(1)?;
        let conflict = |first: usize| {
            let mut touches = self.footprints[second].touches().iter();
            let touch = touches.find(|touch| {
                let other = self.footprints[first].access(touch.object);
                other.is_some_and(|other| other.changes() || touch.access.changes())
            })?;
            Some(Race { first, second, object: touch.object })
        };
        let races: Vec<Race> = (0..second)
            .rev()
            .filter(|&first| self.rows[first].actor != self.rows[second].actor)
            .filter_map(conflict)
            .collect();
        let is_named = |race: &&Race| {
            let place = self.rows[race.first].location.as_ref();
            place.is_some_and(|place| found.violation.message.contains(&format!("{}:{}", place.line, place.column)))
        };
        races.iter().find(is_named).or(races.first()).copied()
    }

    fn reason_alone<S: System>(&self, system: &S, found: &Found, explanation: Option<Explanation>) -> Reason {
        if let Some(why) = system.narrator().explain(found) {
            let race = explanation.and_then(|explanation| explanation.race());
            return Reason { why: Some(why), race: self.told_race(system, race), ..Reason::default() };
        }
        let is_deadlock = found.violation.kind == ViolationKind::Deadlock;
        // Actors that wait for each other do so whatever led there.
        if let Some(why) = cycle_in_words(&self.waits).filter(|_| is_deadlock) {
            return Reason { why: Some(why), ..Reason::default() };
        }
        match (self.actors.as_slice(), explanation) {
            ([], _) => Reason::of("it is true in the initial state, before the first step"),
            ([alone], Some(Explanation::Always)) => {
                Reason::of(format!("{alone} causes it in every execution, whatever other actors do"))
            }
            (_, Some(Explanation::Always)) if is_deadlock => {
                Reason::of("every execution ends in a deadlock, whatever the order of the steps")
            }
            (_, Some(Explanation::Always)) => {
                Reason::of("it happens in every execution, whatever the order of the steps")
            }
            (_, Some(Explanation::Race(race))) => Reason {
                why: match found.violation.kind {
                    ViolationKind::Race => self.why_of_data_race(system, race),
                    _ => self.why_of_race(system, race),
                },
                race: self.told_race(system, Some(race)),
                ..Reason::default()
            },
            (_, Some(Explanation::Early { step, after, instead, object })) => {
                let stepper = at(system, &found.schedule, after);
                stepper
                    .and_then(|stepper| self.reason_of_early(system, stepper, step, &instead, object))
                    .unwrap_or_default()
            }
            (_, Some(Explanation::Choice { step, instead })) => {
                self.reason_of_choice(system, found, step, instead).unwrap_or_default()
            }
            ([alone], None) if is_deadlock => {
                Reason::of(format!("{alone} alone leads there: no other actor has to move"))
            }
            ([alone], None) => Reason::of(format!("{alone} alone causes it: no other actor has to move")),
            // The message says which actor waits for what, and that is the reason.
            (_, None) if is_deadlock => Reason::default(),
            (_, None) if self.is_unordered() => Reason::of("it happens in every order of these steps"),
            (_, None) => Reason { why: self.why_of_invariant(found), ..Reason::default() },
        }
    }

    pub(super) fn told_race<S: System>(&self, system: &S, race: Option<Race>) -> Option<ToldRace> {
        let race = race.filter(|race| race.first < race.second && race.second < self.rows.len())?;
        Some(ToldRace { first: race.first, second: race.second, object: system.narrator().object_name(race.object) })
    }

    pub(super) fn why_of_race<S: System>(&self, system: &S, race: Race) -> Option<String> {
        let side = |index: usize| {
            let access = self.footprints.get(index)?.access(race.object)?;
            Some((self.actors[self.rows[index].actor].as_str(), access))
        };
        Some(before_in_words(system, race.object, side(race.first)?, side(race.second)?, true))
    }

    pub(super) fn reason_of_early<S: System>(
        &self,
        system: &S,
        mut stepper: Stepper<'_, S>,
        step: usize,
        instead: &[Move],
        object: ObjectId,
    ) -> Option<Reason> {
        let (&last, others) = instead.split_last()?;
        for &other in others {
            stepper.try_step(other)?;
        }
        let Description { text, location } = system.narrator().describe(stepper.state(), last.actor, last.outcome);
        let access = stepper.try_step(last)?.footprint.access(object)?;
        let actor = system.narrator().actor_name(last.actor);
        let mine = (self.actors[self.rows[step].actor].as_str(), self.footprints[step].access(object)?);
        let why = before_in_words(system, object, mine, (&actor, access), false);
        let early = ToldEarly { step, actor, text, location, object: system.narrator().object_name(object) };
        Some(Reason { why: Some(why), early: Some(early), ..Reason::default() })
    }

    pub(super) fn reason_of_choice<S: System>(
        &self,
        system: &S,
        found: &Found,
        step: usize,
        instead: Outcome,
    ) -> Option<Reason> {
        let row = self.rows.get(step)?;
        let stepper = at(system, &found.schedule, step)?;
        let instead = system.narrator().describe(stepper.state(), found.schedule.moves[step].actor, instead).text;
        let actor = &self.actors[row.actor];
        // A step shows its outcome in parentheses at its end.
        let outcome = |text: &str| {
            Some(text.strip_suffix(')')?.rsplit_once(" (")?)
                .map(|(head, outcome)| (head.to_owned(), outcome.to_owned()))
        };
        let why = match (outcome(&row.text), outcome(&instead)) {
            (Some((head, taken)), Some((same, other))) if head == same => {
                match (taken.strip_prefix("wakes "), other.strip_prefix("wakes ")) {
                    (Some(taken), Some(other)) => {
                        format!(
                            "{actor} did {head} and woke {taken}; had it woken {other}, this could have been avoided"
                        )
                    }
                    _ => format!("{actor} did {head} and got {taken}; with {other} this could have been avoided"),
                }
            }
            _ => format!(
                "{actor} had a choice in step {}; with another outcome this could have been avoided",
                row.number
            ),
        };
        Some(Reason { why: Some(why), choice: Some(ToldChoice { step, instead }), ..Reason::default() })
    }

    /// The steps that gave an invariant the values with which it is broken, if there are several and each has one.
    fn why_of_invariant(&self, found: &Found) -> Option<String> {
        if found.violation.kind != ViolationKind::Invariant {
            return None;
        }
        let mut changed: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for value in &found.violation.values {
            let changes = |row: &Row| row.changes.iter().any(|change| change.name == value.name);
            if let Some(row) = self.rows.iter().rposition(changes) {
                changed.entry(row).or_default().push(&value.name);
            }
        }
        let told = |(&row, names): (&usize, &Vec<&str>)| {
            format!("{} changed {}", self.actors[self.rows[row].actor], names.join(" and "))
        };
        let told: Vec<String> = changed.iter().map(told).collect();
        let (last, earlier) = told.split_last()?;
        (!earlier.is_empty())
            .then(|| format!("{} and then {last}; together this breaks the invariant", earlier.join(", ")))
    }

    /// Both accesses of a data race, with their places.
    pub(super) fn why_of_data_race<S: System>(&self, system: &S, race: Race) -> Option<String> {
        let object = system.narrator().object_name(race.object);
        let access = |index: usize| {
            let row = &self.rows[index];
            let verb = system.narrator().touch_verb(race.object, self.footprints[index].access(race.object)?);
            let place = row.location.as_ref().map_or_else(String::new, |location| format!(" ({location})"));
            Some(format!("{} {verb} {object}{place}", self.actors[row.actor]))
        };
        Some(format!("{} and {}; nothing orders the two", access(race.first)?, access(race.second)?))
    }

    /// Whether no two steps of different actors depend on each other: then all their orders are equivalent.
    pub(super) fn is_unordered(&self) -> bool {
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
