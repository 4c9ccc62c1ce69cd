//! What makes a program large, from a few random runs: the object that causes most conflicts, and whether executions
//! seem to grow without end.
//!
//! Every two steps that conflict have to be tried in both orders. Where one object, say a log, causes most of the
//! conflicts and is not part of what is checked, it helps to leave it out.

use mazurka_core::{
    Access, ActorId, Dependence, Machine, Meter, Move, ObjectId, ObjectKind, Outcome, Random, Stepper, System,
};
use mazurka_report::format::number;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

const RUNS: usize = 50;
const LONGEST_RUN: usize = 200;
/// With fewer conflicts, nothing follows from their number.
const FEWEST: usize = 20;

/// A run of this many steps tells whether executions seem to grow without end.
const GROWTH: usize = 2_000;

/// A sentence on the object with most of the conflicts, if it has more than half of them.
pub(crate) fn hint<S: System>(system: &S, meter: &Meter) -> Option<String> {
    let conflicts = sample(system, meter)?;
    let all: usize = conflicts.values().sum();
    let (object, &most) = conflicts.iter().max_by_key(|&(_, count)| count)?;
    (all >= FEWEST && 2 * most > all).then(|| {
        let share = match most == all {
            true => format!("all {}", number(all as u64)),
            false => format!("{} of {}", number(most as u64), number(all as u64)),
        };
        format!(
            "in {RUNS} random runs, {share} conflicts between actors are on `{object}`; if your checks do not depend on \
             it, leave it out: there are fewer orders to try then"
        )
    })
}

/// Whether executions seem to grow without end: a long random run neither ended nor came back to a state. Gives its length.
pub(crate) fn growth<S: System>(system: &S, meter: &Meter) -> Option<usize> {
    let mut random = Random::new(1);
    let starts = system.initial_states();
    let mut stepper = Stepper::new(system, random.pick(&starts)?.clone());
    let mut seen = FxHashSet::default();
    for _ in 0..GROWTH {
        if meter.is_over() || !seen.insert(stepper.fingerprint()) {
            return None;
        }
        let &actor = random.pick(stepper.enabled())?;
        stepper.step(Move { actor, outcome: Outcome::FIRST });
    }
    Some(GROWTH)
}

/// How many conflicts there are between steps of different actors, by the name of the object. The elements of an array
/// count as one. `None` if there is no time for all runs.
fn sample<S: System>(system: &S, meter: &Meter) -> Option<BTreeMap<String, usize>> {
    let mut random = Random::new(1);
    let mut conflicts = FxHashMap::default();
    for _ in 0..RUNS {
        run(system, &mut random, &mut conflicts, meter)?;
    }
    let mut by_name = BTreeMap::new();
    for (object, count) in conflicts {
        let name = system.narrator().object_name(object);
        let name = name.split_once('[').map_or(name.as_str(), |(array, _)| array).to_owned();
        *by_name.entry(name).or_default() += count;
    }
    Some(by_name)
}

/// One run in which each step is chosen at random; `None` if there is no time for all of it.
fn run<S: System>(
    system: &S,
    random: &mut Random,
    conflicts: &mut FxHashMap<ObjectId, usize>,
    meter: &Meter,
) -> Option<()> {
    let starts = system.initial_states();
    let Some(start) = random.pick(&starts) else { return Some(()) };
    let mut stepper = Stepper::new(system, start.clone());
    let mut last: FxHashMap<ObjectId, (ActorId, Access)> = FxHashMap::default();
    for _ in 0..LONGEST_RUN {
        if meter.is_over() {
            return None;
        }
        let Some(&actor) = random.pick(stepper.enabled()) else { return Some(()) };
        let record = stepper.step(Move { actor, outcome: Outcome::FIRST });
        for touch in record.footprint.touches().iter().filter(|touch| can_be_left_out(system.object(touch.object).kind))
        {
            let before = last.insert(touch.object, (actor, touch.access));
            let conflict = |&(other, access): &(ActorId, Access)| {
                other != actor && Dependence::default().races(access, touch.access)
            };
            if before.as_ref().is_some_and(conflict) {
                *conflicts.entry(touch.object).or_default() += 1;
            }
        }
    }
    Some(())
}

/// Whether a program might do without an object of this kind.
fn can_be_left_out(kind: ObjectKind) -> bool {
    matches!(kind, ObjectKind::Variable | ObjectKind::Lock | ObjectKind::Signal | ObjectKind::Mailbox)
}

#[cfg(test)]
mod tests {
    use crate::{Budget, MzProgram, Subject, lang};
    use mazurka_core::Meter;

    fn hint_of(source: &str) -> Option<String> {
        let program = MzProgram::new(lang::compile("hint.mz", source, &[]).expect("it compiles"));
        program.hint(&Meter::start(&Budget::default()))
    }

    #[test]
    fn the_object_with_most_conflicts_is_named() {
        let logged = "shared log = 0; shared x = 0;
            thread worker(i in 0..3) { log = i; log = i; log = i; log = i; x += 1; log = i; }";
        let hint = hint_of(logged).expect("one object stands out");
        assert!(hint.contains(" conflicts between actors are on `log`; if your checks do not depend on it"), "{hint}");
        let alone = hint_of("shared x = 0; thread a(i in 0..2) { x = i; x = i; x = i; }").expect("there is only one");
        assert!(alone.starts_with("in 50 random runs, all ") && alone.contains(" are on `x`;"), "{alone}");
    }

    #[test]
    fn executions_that_grow_without_end_are_noticed() {
        let growth = |source: &str| {
            let program = MzProgram::new(lang::compile("growth.mz", source, &[]).expect("it compiles"));
            program.growth(&Meter::start(&Budget::default())).is_some()
        };
        assert!(growth("shared x = 0; thread a { while (true) { x += 1; } }"));
        assert!(!growth("shared x = 0; thread a { while (true) { x = 1 - x; } }"));
        assert!(!growth("shared x = 0; thread a { while (x < 5) { x += 1; } }"));
    }

    #[test]
    fn where_nothing_stands_out_nothing_is_said() {
        assert_eq!(
            hint_of("shared x = 0, y = 0, z = 0; thread a(i in 0..2) { x = i; y = i; z = i; x = i; y = i; z = i; }"),
            None
        );
        assert_eq!(hint_of("shared x[2]; thread a(i in 0..2) { x[i] = 1; }"), None);
    }
}
