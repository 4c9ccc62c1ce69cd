//! Compares the footprints of steps with what the steps do.
//!
//! That steps without a conflict commute is looked at in the first states of a program ([`commutation`]), and so is
//! whether all ways to ask which actors are blocked or enabled give the same answer, and whether no actor acquires what
//! another one holds.

use mazurka_core::{
    Access, ActorId, Awaited, BlockedVisitor, Budget, Footprint, Insight, Meter, Rule, System, awaited,
};
use mazurka_engines::commutation::{self, check_state, steps, tell};
use mazurka_lang::{Model, State};
use rustc_hash::FxHashSet;

type Taken = commutation::Taken<State>;

/// Looks at up to `most` states. The error says in words which footprint is wrong.
pub(super) fn check(model: &Model, most: usize) -> Result<(), String> {
    let mut seen: FxHashSet<State> = model.initial_states().into_iter().collect();
    let mut queue: Vec<State> = seen.iter().cloned().collect();
    let standing = model.fixed_guards();
    let meter = Meter::start(&Budget::default());
    let mut next = 0;
    while next < queue.len() && next < most {
        let state = queue[next].clone();
        next += 1;
        let (enabled, taken) = (enabled(model, &state), steps(model, &state));
        check_who_waits(model, &state, &enabled, &standing)?;
        check_who_can_move(model, &state, &enabled, &standing)?;
        check_state(model, &state, &taken, &meter)?;
        for one in &taken {
            check_standing(model, &enabled, one, &standing)?;
            check_holding(model, &state, one)?;
        }
        for step in taken {
            if seen.len() < most && seen.insert(step.after.clone()) {
                queue.push(step.after);
            }
        }
    }
    Ok(())
}

/// The blocked actors with a fixed guard and the others that are visited are all that are blocked. One with a guard
/// over a single object awaits that object.
fn check_who_waits(
    model: &Model,
    state: &State,
    enabled: &[ActorId],
    standing: &[(ActorId, Footprint)],
) -> Result<(), String> {
    let is_blocked = |(actor, _): &&(ActorId, Footprint)| !enabled.contains(actor);
    let visited = blocked(|visit| model.blocked(state, enabled, visit));
    let mut told = blocked(|visit| {
        model.survey(state, &mut Vec::new(), visit);
    });
    told.extend(standing.iter().filter(is_blocked).cloned());
    told.sort_by_key(|told| told.0);
    for (actor, footprint) in standing.iter().filter(|(actor, _)| !enabled.contains(actor)) {
        let awaited = awaited(model, state, enabled, *actor);
        if let [look] = footprint.touches()
            && awaited != Some(Awaited::Made(look.object))
        {
            return Err(format!("actor {} looks at {look:?} only and awaits {awaited:?}", actor.0));
        }
    }
    if told == visited { Ok(()) } else { Err(format!("blocked actors: {visited:?}; by a survey: {told:?}")) }
}

/// The blocked actors that are visited, with the footprints of the steps that they are blocked on, in order.
fn blocked(visit_all: impl FnOnce(&mut BlockedVisitor<'_>)) -> Vec<(ActorId, Footprint)> {
    let mut blocked = Vec::new();
    visit_all(&mut |actor, obstacle| {
        let mut footprint = Footprint::default();
        obstacle(&mut footprint);
        footprint.seal();
        blocked.push((actor, footprint));
    });
    blocked.sort_by_key(|blocked| blocked.0);
    blocked
}

/// The enabled actors with a fixed guard and the other enabled ones are all that are enabled.
fn check_who_can_move(
    model: &Model,
    state: &State,
    enabled: &[ActorId],
    standing: &[(ActorId, Footprint)],
) -> Result<(), String> {
    let mut told = Vec::new();
    model.survey(state, &mut told, &mut |_, _| {});
    told.extend(standing.iter().map(|&(actor, _)| actor).filter(|&actor| model.fixed_guard_holds(state, actor)));
    let sorted = |mut actors: Vec<ActorId>| {
        actors.sort_unstable();
        actors
    };
    let (asked, told) = (sorted(enabled.to_vec()), sorted(told));
    if asked == told { Ok(()) } else { Err(format!("who can move: {asked:?}; asked one by one: {told:?}")) }
}

/// Whether a fixed guard holds changes only if a step writes what the guard reads.
fn check_standing(
    model: &Model,
    enabled: &[ActorId],
    taken: &Taken,
    standing: &[(ActorId, Footprint)],
) -> Result<(), String> {
    let changes = |footprint: &Footprint| {
        let mut looks = footprint.touches().iter();
        looks.any(|look| taken.footprint.access(look.object).is_some_and(Access::changes))
    };
    let is_wrong = |(actor, footprint): &&(ActorId, Footprint)| {
        enabled.contains(actor) != model.fixed_guard_holds(&taken.after, *actor) && !changes(footprint)
    };
    match standing.iter().find(is_wrong) {
        None => Ok(()),
        Some((actor, _)) => {
            Err(format!("{:?} changes nothing that actor {} looks at, but whether it can move", taken.step, actor.0))
        }
    }
}

fn enabled(model: &Model, state: &State) -> Vec<ActorId> {
    let mut actors = Vec::new();
    model.enabled(state, &mut actors);
    actors
}

/// A step acquires a mutex only if no other actor holds it, and makes no other actor its holder. A message writes its
/// handler only where no message runs on that, and takes other steps only where it runs there itself.
fn check_holding(model: &Model, state: &State, taken: &Taken) -> Result<(), String> {
    let actor = taken.step.actor;
    let problem = |what: &str| Err(format!("{} {what}", tell(model, state, taken)));
    let holder = |state: &State, object| Insight::holder(model, state, object);
    for touch in taken.footprint.touches().iter().filter(|touch| model.object(touch.object).rule == Rule::Mutex) {
        let (before, after) = (holder(state, touch.object), holder(&taken.after, touch.object));
        if touch.access.contains(Access::WRITE) && before.is_some() {
            return problem("takes a mutex that another actor holds");
        }
        if before != after && before.or(after) != Some(actor) {
            return problem("changes what another actor holds");
        }
    }
    if let Some(handler) = model.actor(actor).handler() {
        let begins = taken.footprint.access(handler).is_some_and(|access| access.contains(Access::WRITE));
        if holder(state, handler) != (!begins).then_some(actor) {
            return problem("is a step on a handler that does not run it, or begins where another one runs");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_lang::{Identity, compile};

    #[test]
    fn of_two_equal_messages_of_which_one_runs_only_that_one_is_told() {
        let source = "handler h; message p() { assume(0); } message q() { post h, p(); post h, q(); }
                      thread s { post h, q(); post h, q(); }";
        let program = compile("equal.mz", source, &[]).expect("it compiles");
        assert_eq!(check(&Model::new(program.into(), Identity::Presence), 200), Ok(()));
    }

    #[test]
    fn steps_with_thousands_of_outcomes_are_looked_at_in_part() {
        let one = |name| format!("event {name} {{ for i in 0..8 {{ {name}x = choose(0..3); }} }}");
        let source = format!("shared px = 0, qx = 0; {} {}", one("p"), one("q"));
        let program = compile("choices.mz", &source, &[]).expect("it compiles");
        let model = Model::new(program.into(), Identity::Presence);
        assert_eq!(steps(&model, &model.initial_states()[0]).len(), 2 * commutation::MOST_OUTCOMES);
        assert_eq!(check(&model, 60), Ok(()));
    }
}
