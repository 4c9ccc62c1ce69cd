//! The first bytes choose a schedule, the rest is a program. It runs by presence and by history in step: both must see
//! the same situations. Steps of two actors that do not conflict must commute.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mazurka_core::{ActorId, Dependence, Footprint, Move, Schedule, Step, System};
use mazurka_lang::{Identity, Model, State, compile};
use std::sync::Arc;

/// How many bytes choose which actor moves and what is chosen.
const CHOICES: usize = 24;

fuzz_target!(|bytes: &[u8]| {
    let (choices, source) = bytes.split_at(bytes.len().min(CHOICES));
    let Ok(program) = compile("fuzz.mz", &String::from_utf8_lossy(source), &[]) else { return };
    let program = Arc::new(program);
    let present = Model::new(Arc::clone(&program), Identity::Presence);
    let history = Model::new(program, Identity::History);
    let mut state = present.initial_states().remove(0);
    let mut schedule = Schedule::default();
    for &choice in choices {
        let mut actors = Vec::new();
        present.enabled(&state, &mut actors);
        if actors.is_empty() {
            present.ending(&state);
            break;
        }
        let at = usize::from(choice >> 1) % actors.len();
        let (after, footprint, step) = go(&present, &state, actors[at], choice);
        check_commutation(&present, &state, actors[(at + 1) % actors.len()], &step, &after, &footprint);
        schedule.moves.push(step);
        state = after;
    }
    let retold = Model::retell(&present, &history, &schedule).expect("a schedule can be retold");
    let mut there = history.initial_states().remove(0);
    for &Move { actor, outcome } in &retold.moves {
        let mut step = Step::default();
        step.begin(outcome);
        history.step(&mut there, actor, &mut step);
    }
    assert_eq!(present.insight().fingerprint(&state), history.insight().fingerprint(&there));
});

/// Moves an actor; an odd choice takes its second outcome, if there is one.
fn go(model: &Model, state: &State, actor: ActorId, choice: u8) -> (State, Footprint, Move) {
    let mut step = Step::default();
    let mut taken = Move::from(actor);
    let mut after = state.clone();
    step.begin(taken.outcome);
    model.step(&mut after, actor, &mut step);
    if let Some(outcome) = step.next_outcome().filter(|_| choice & 1 == 1) {
        taken.outcome = outcome;
        after = state.clone();
        step.begin(outcome);
        model.step(&mut after, actor, &mut step);
    }
    step.footprint_mut().seal();
    (after, step.footprint().clone(), taken)
}

fn check_commutation(model: &Model, state: &State, other: ActorId, step: &Move, after: &State, footprint: &Footprint) {
    if other == step.actor {
        return;
    }
    let (after_other, footprint_other, _) = go(model, state, other, 0);
    if Dependence::default().conflicts(footprint, &footprint_other) {
        return;
    }
    let (one, ..) = go(model, after, other, 0);
    let mut two = after_other;
    let mut record = Step::default();
    record.begin(step.outcome);
    model.step(&mut two, step.actor, &mut record);
    let name = |actor| model.narrator().actor_name(actor);
    assert_eq!(one, two, "{} and {} do not commute", name(step.actor), name(other));
}
