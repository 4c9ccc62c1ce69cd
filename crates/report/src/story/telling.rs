//! Following a schedule on the program, step by step.

use super::causes::History;
use super::waits::{Wait, waits};
use super::{Change, Row};
use mazurka_core::{ActorId, Footprint, Machine, ObjectId, ObjectKind, Replay, Schedule, System, Value, Violation};
use std::collections::{HashMap, VecDeque};

/// The name under which a row shows what its step printed.
const OUTPUT: &str = "output";

/// What following a schedule brings to light.
#[derive(Default)]
pub(super) struct Telling {
    pub(super) actors: Vec<String>,
    pub(super) initial: Vec<Value>,
    pub(super) rows: Vec<Row>,
    pub(super) footprints: Vec<Footprint>,
    /// The actors that wait at the end, if none can move there.
    pub(super) waits: Vec<Wait>,
    /// What is violated at the end, if the program follows the schedule to it.
    pub(super) met: Vec<Violation>,
}

impl Telling {
    pub(super) fn follow<S: System>(system: &S, schedule: &Schedule) -> Telling {
        let mut telling = Telling::default();
        let Some(mut replay) = Replay::start(system, schedule) else { return telling };
        let mut columns = HashMap::new();
        let mut history = History::new();
        let mut held = HashMap::new();
        let mut before = observe(system, replay.state());
        telling.initial.clone_from(&before);
        for (index, &step) in schedule.moves.iter().enumerate() {
            let description = system.narrator().describe(replay.state(), step.actor, step.outcome);
            let Some(record) = replay.step(step) else { return telling };
            let footprint = record.footprint.clone();
            let causes = history.push(system, index, step.actor, &footprint);
            let actor = *columns.entry(step.actor).or_insert_with(|| {
                telling.actors.push(system.narrator().actor_name(step.actor));
                telling.actors.len() - 1
            });
            let after = observe(system, replay.state());
            let holds = update_held(system, replay.state(), step.actor, &footprint, &mut held);
            telling.footprints.push(footprint);
            let mut locals = Vec::new();
            system.narrator().observe_locals(replay.state(), step.actor, &mut locals);
            telling.rows.push(Row {
                number: index + 1,
                actor,
                outcome: step.outcome,
                text: description.text,
                location: description.location,
                changes: changes(&before, &after),
                holds,
                locals,
                causes,
            });
            before = after;
        }
        // What is printed is shown like a value that the step sets.
        for (row, text) in telling.rows.iter_mut().zip(system.narrator().output(schedule)) {
            row.changes.extend(output_change(&text));
        }
        let (stepper, met) = replay.end();
        if stepper.enabled().is_empty() {
            telling.waits = waits(system, stepper.state(), &telling.footprints);
        }
        telling.met = met;
        telling
    }
}

/// What a step printed, as a change; `None` if it printed nothing.
pub(crate) fn output_change(text: &str) -> Option<Change> {
    let new = || Some(format!("{text:?}"));
    (!text.is_empty()).then(|| Change { name: OUTPUT.to_owned(), old: None, new: new() })
}

/// Notes which locks an actor has after a step, and returns the name of the first of them.
pub(crate) fn update_held<S: System>(
    system: &S,
    state: &S::State,
    actor: ActorId,
    footprint: &Footprint,
    held: &mut HashMap<ActorId, Vec<ObjectId>>,
) -> Option<String> {
    let locks = held.entry(actor).or_default();
    for touch in footprint.touches().iter().filter(|touch| system.object(touch.object).kind == ObjectKind::Lock) {
        locks.retain(|&lock| lock != touch.object);
        if system.insight().holder(state, touch.object) == Some(actor) {
            locks.push(touch.object);
        }
    }
    locks.first().map(|&lock| system.narrator().object_name(lock))
}

pub(crate) fn observe<S: System>(system: &S, state: &S::State) -> Vec<Value> {
    let mut values = Vec::new();
    system.narrator().observe(state, &mut values);
    values
}

/// What differs between two observations, by name: values that came or changed in their order, then those that went.
pub(crate) fn changes(before: &[Value], after: &[Value]) -> Vec<Change> {
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
pub(super) fn what_sets_apart<S: System>(system: &S, start: usize) -> Vec<Value> {
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
