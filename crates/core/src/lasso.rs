//! Executions without end: a schedule whose last part is repeated for ever, checked step by step.
//!
//! What is checked here does not depend on how the lasso was found: engines, the shortening of schedules and replays all ask
//! [`Lap::follow`].

use crate::{ClassId, Ending, Fairness, Fingerprint, Form, Schedule, Step, System, Violation, class_of, fairness_of};
use std::collections::{BTreeMap, BTreeSet};

/// What makes a schedule one without end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Lasso {
    /// After how many moves the loop begins: it is repeated for ever. If that is the length of the schedule, the program
    /// stands still for ever there.
    pub from: usize,
    /// How all classes are treated that are treated fairly at all, if not as the program says.
    pub fairness: Option<Fairness>,
    /// With which fairness the property would hold, in one sentence without a full stop, where that was found out.
    pub remedy: Option<String>,
}

/// What the loop of a lasso comes by.
#[derive(Clone, Debug, Default)]
pub struct Lap {
    /// The classes that move in the loop, each with the number of its steps.
    pub moves: BTreeMap<ClassId, usize>,
    /// The classes that can move somewhere in the loop, each with the number of the loop's states in which it can.
    pub able: BTreeMap<ClassId, usize>,
    /// The classes that exist and cannot move somewhere in the loop, each with the number of the loop's states in which it
    /// cannot.
    pub blocked: BTreeMap<ClassId, usize>,
    /// How many states the loop has: as many as steps, but at least one.
    pub states: usize,
    /// The properties that the execution violates.
    pub violated: Vec<usize>,
    /// Whether the execution stands still in a state in which no actor can move: what that means.
    pub ending: Option<Ending>,
}

impl Lap {
    /// Follows a lasso from the start, through one round of its loop. `None` if it is none: a move is not possible, the round
    /// does not come back to where it began, it stands still where an assumption blocks it, or it is not fair.
    pub fn follow<S: System>(system: &S, schedule: &Schedule) -> Option<Lap> {
        let lasso = schedule.lasso.as_ref()?;
        let stem = schedule.moves.get(..lasso.from)?.len();
        let liveness = system.liveness();
        let forms: Vec<Form> = liveness.properties().iter().map(|property| property.form).collect();
        // Of each property, whether something is due, and whether what is due happens in each round (or at all, where once
        // is enough).
        let (mut open, mut met) = (vec![false; forms.len()], vec![false; forms.len()]);
        let mut state = system.initial_states().into_iter().nth(schedule.start)?;
        let (mut lap, mut step, mut enabled) = (Lap::default(), Step::default(), Vec::new());
        let mut beginning: Option<Fingerprint> = None;
        for at in 0..=schedule.moves.len() {
            let in_loop = at >= stem;
            for (property, &form) in forms.iter().enumerate() {
                let holds = liveness.holds(&state, property);
                met[property] |= holds && (in_loop || form == Form::Eventually);
                open[property] = match form {
                    Form::LeadsTo => (open[property] || liveness.begins(&state, property)) && !holds,
                    Form::Eventually | Form::AlwaysEventually | Form::Progress => true,
                };
            }
            if at == stem {
                beginning = Some(system.insight().fingerprint(&state));
            }
            enabled.clear();
            system.enabled(&state, &mut enabled);
            let next = schedule.moves.get(at);
            // The state at the end of a round is the one at its beginning.
            if in_loop && (next.is_some() || at == stem) {
                lap.states += 1;
                let classes: BTreeSet<ClassId> = enabled.iter().map(|&actor| class_of(system, &state, actor)).collect();
                classes.into_iter().for_each(|class| *lap.able.entry(class).or_default() += 1);
                let mut blocked = BTreeSet::new();
                system.blocked(&state, &enabled, &mut |actor, _| {
                    blocked.insert(class_of(system, &state, actor));
                });
                blocked.into_iter().for_each(|class| *lap.blocked.entry(class).or_default() += 1);
            }
            let Some(&next) = next else { break };
            if !enabled.contains(&next.actor) {
                return None;
            }
            let class = class_of(system, &state, next.actor);
            step.take(system, &mut state, next);
            if !step.choices().exhausted() {
                return None;
            }
            if in_loop {
                *lap.moves.entry(class).or_default() += 1;
                if step.is_progress() {
                    forms.iter().zip(&mut met).for_each(|(&form, met)| *met |= form == Form::Progress);
                }
            }
        }
        if beginning != Some(system.insight().fingerprint(&state)) {
            return None;
        }
        if stem == schedule.moves.len() && enabled.is_empty() {
            let ending = system.ending(&state);
            if ending == Ending::Blocked {
                return None;
            }
            lap.ending = Some(ending);
        }
        lap.violated = (0..forms.len()).filter(|&property| open[property] && !met[property]).collect();
        lap.is_fair(system, lasso.fairness).then_some(lap)
    }

    /// Whether every class is treated as it has to be.
    fn is_fair<S: System>(&self, system: &S, all: Option<Fairness>) -> bool {
        self.able.iter().all(|(&class, &states)| {
            self.moves.contains_key(&class)
                || match fairness_of(system, class, all) {
                    Fairness::None => true,
                    Fairness::Weak => states < self.states,
                    Fairness::Strong => false,
                }
        })
    }

    /// What a schedule without end violates.
    pub(crate) fn violations<S: System>(system: &S, schedule: &Schedule) -> Vec<Violation> {
        let violated = Lap::follow(system, schedule).map(|lap| lap.violated).unwrap_or_default();
        violated.into_iter().map(|property| system.liveness().properties()[property].violation()).collect()
    }
}
