//! Compares the footprints of steps with what the steps do.
//!
//! Every reduction rests on this: where the footprints of two steps that are possible now do not conflict, either order
//! is possible, leads to the same state and does the same on the way; and a step enables another actor only
//! if its footprint conflicts with what that actor then does. Both are looked at directly, in one state at a time.

use mazurka_core::{ActorId, Dependence, Footprint, Machine, Meter, Move, Outcome, Step, Stepper, System, Violation};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The weakest dependence that states allow: a write of the value that is there already counts as a read.
const DEPENDENCE: Dependence = Dependence { posts: true, rewrites: false };

/// The most outcomes of one step that are looked at: each is compared with each of every other actor.
pub const MOST_OUTCOMES: usize = 24;

/// A step that was taken.
pub struct Taken<S> {
    /// Whose step, with which outcome.
    pub step: Move,
    /// The state to which it leads.
    pub after: S,
    /// What it touched.
    pub footprint: Footprint,
    violations: Vec<Violation>,
    /// The outcome that follows this one.
    next: Option<Outcome>,
}

/// Looks at the first states of a program, up to `most` and while `meter` allows. The error says in words which
/// footprints are incomplete, and in what.
pub fn sample<S: System>(system: &S, most: usize, meter: &Meter) -> Result<(), String> {
    let mut seen = FxHashSet::default();
    let mut queue: VecDeque<S::State> = system.initial_states().into();
    seen.extend(queue.iter().map(|state| system.insight().fingerprint(state)));
    while let Some(state) = queue.pop_front() {
        let taken = steps(system, &state);
        check_state(system, &state, &taken, meter)?;
        for step in taken {
            if meter.is_over() {
                return Ok(());
            }
            if seen.len() < most && seen.insert(system.insight().fingerprint(&step.after)) {
                queue.push_back(step.after);
            }
        }
    }
    Ok(())
}

/// Looks at the steps that are possible in a state.
pub fn check_state<S: System>(
    system: &S,
    state: &S::State,
    taken: &[Taken<S::State>],
    meter: &Meter,
) -> Result<(), String> {
    let before = enabled(system, state);
    for (index, one) in taken.iter().enumerate() {
        for other in &taken[index + 1..] {
            if meter.is_over() {
                return Ok(());
            }
            check_pair(system, state, one, other)?;
        }
        check_enabling(system, state, &before, one)?;
    }
    Ok(())
}

/// All steps that are possible in a state, with their first outcomes.
pub fn steps<S: System>(system: &S, state: &S::State) -> Vec<Taken<S::State>> {
    enabled(system, state).into_iter().flat_map(|actor| outcomes(system, state, actor)).collect()
}

/// The enabled actors of a state.
fn enabled<S: System>(system: &S, state: &S::State) -> Vec<ActorId> {
    let mut actors = Vec::new();
    system.enabled(state, &mut actors);
    actors
}

fn outcomes<S: System>(system: &S, state: &S::State, actor: ActorId) -> impl Iterator<Item = Taken<S::State>> {
    let first = take(system, state, Move::from(actor));
    let following =
        move |taken: &Taken<S::State>| taken.next.and_then(|outcome| take(system, state, Move { actor, outcome }));
    std::iter::successors(first, following).take(MOST_OUTCOMES)
}

/// Takes a step; `None` if it has no such outcome.
fn take<S: System>(system: &S, state: &S::State, step: Move) -> Option<Taken<S::State>> {
    let (mut after, mut record) = (state.clone(), Step::default());
    record.take(system, &mut after, step);
    record.footprint_mut().seal();
    record.choices().exhausted().then(|| Taken {
        step,
        after,
        footprint: record.footprint().clone(),
        violations: record.violations().to_vec(),
        next: record.next_outcome(),
    })
}

/// The step of `later` after that of `earlier`, which must be the one that it is without `earlier`.
fn second<S: System>(system: &S, earlier: &Taken<S::State>, later: &Taken<S::State>) -> Result<S::State, &'static str> {
    if !enabled(system, &earlier.after).contains(&later.step.actor) {
        return Err("the second is not possible after the first");
    }
    let taken = take(system, &earlier.after, later.step).filter(|taken| taken.next == later.next);
    let Some(taken) = taken else {
        return Err("the second has another choice after the first");
    };
    if taken.footprint != later.footprint {
        return Err("the second has another footprint after the first");
    }
    if taken.violations != later.violations {
        return Err("the second meets other violations after the first");
    }
    Ok(taken.after)
}

fn check_pair<S: System>(
    system: &S,
    state: &S::State,
    one: &Taken<S::State>,
    other: &Taken<S::State>,
) -> Result<(), String> {
    if one.step.actor == other.step.actor || DEPENDENCE.conflicts(&one.footprint, &other.footprint) {
        return Ok(());
    }
    let problem = |first: &Taken<S::State>, then: &Taken<S::State>, problem: &str| {
        format!("{} and {} do not conflict, but {problem}", tell(system, state, first), tell(system, state, then))
    };
    let forth = second(system, one, other).map_err(|words| problem(one, other, words))?;
    let back = second(system, other, one).map_err(|words| problem(other, one, words))?;
    if forth == back { Ok(()) } else { Err(problem(one, other, "their order matters to the state")) }
}

fn check_enabling<S: System>(
    system: &S,
    state: &S::State,
    before: &[ActorId],
    cause: &Taken<S::State>,
) -> Result<(), String> {
    for actor in enabled(system, &cause.after) {
        if actor == cause.step.actor || before.contains(&actor) {
            continue;
        }
        let problem = |what: &str| {
            Err(format!("{} lets {} move, but {what}", tell(system, state, cause), system.narrator().actor_name(actor)))
        };
        let mut awaited = Footprint::default();
        let machine = Stepper::new(system, state.clone());
        if machine.obstacle(actor, &mut awaited) && !DEPENDENCE.conflicts(&cause.footprint, &awaited) {
            return problem("does not conflict with what that one waits to do");
        }
        let independent = |step: &Taken<S::State>| !DEPENDENCE.conflicts(&cause.footprint, &step.footprint);
        if outcomes(system, &cause.after, actor).any(|step| independent(&step)) {
            return problem("does not conflict with what that one then does");
        }
    }
    Ok(())
}

/// A step in words, with the objects that it says it touches.
pub fn tell<S: System>(system: &S, state: &S::State, taken: &Taken<S::State>) -> String {
    let Move { actor, outcome } = taken.step;
    let (name, text) = (system.narrator().actor_name(actor), system.narrator().describe(state, actor, outcome).text);
    let who = if name == text { name } else { format!("`{text}` of {name}") };
    let touches = taken.footprint.touches().iter().map(|touch| {
        let verb = if touch.access.changes() { "writes" } else { "reads" };
        format!("{verb} {}", system.narrator().object_name(touch.object))
    });
    let touches: Vec<String> = touches.collect();
    let touches = if touches.is_empty() { "touches nothing".to_owned() } else { touches.join(", ") };
    format!("{who} ({touches})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::{Chain, Counters, LostUpdate};
    use mazurka_core::{Budget, ObjectId};

    fn sampled<S: System>(system: &S) -> Result<(), String> {
        sample(system, 100, &Meter::start(&Budget::default()))
    }

    #[test]
    fn complete_footprints_pass() {
        assert_eq!(sampled(&Counters { actors: 3, steps: 2, shared: true }), Ok(()));
        assert_eq!(sampled(&LostUpdate { bystanders: 1 }), Ok(()));
        assert_eq!(sampled(&Chain(10)), Ok(()));
    }

    /// Two actors set a variable to their numbers; one of them does not say so.
    struct Forgetful;

    impl System for Forgetful {
        type State = [u32; 3];

        fn initial_states(&self) -> Vec<Self::State> {
            vec![[0, 0, 9]]
        }

        fn enabled(&self, state: &Self::State, into: &mut Vec<ActorId>) {
            into.extend((0..2).map(ActorId).filter(|actor| state[actor.index()] == 0));
        }

        fn step(&self, state: &mut Self::State, actor: ActorId, step: &mut Step) {
            state[actor.index()] = 1;
            state[2] = actor.0;
            if actor == ActorId(0) {
                step.write(ObjectId(0));
            }
        }
    }

    #[test]
    fn a_write_that_is_missing_is_told_with_both_actors() {
        assert_eq!(
            sampled(&Forgetful),
            Err("actor 0 (writes object 0) and actor 1 (touches nothing) do not conflict, but their order matters to \
                 the state"
                .to_owned())
        );
    }
}
