//! A model that panics: in a step that is a violation, elsewhere an honest end.

use mazurka::{ActorId, Check, Engine, ObjectId, Step, System, Traits, Verdict, ViolationKind};

/// Two tellers take from an account; the second one finds it empty.
struct Till {
    panics_when_asked: bool,
}

const ACCOUNT: ObjectId = ObjectId(0);

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    account: u32,
    done: [bool; 3],
}

impl System for Till {
    type State = State;

    fn initial_states(&self) -> Vec<State> {
        vec![State { account: 1, done: [false; 3] }]
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        assert!(!self.panics_when_asked || state.account > 0, "nobody may ask now");
        into.extend((0..3).map(ActorId).filter(|actor| !state.done[actor.index()]));
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        state.done[actor.index()] = true;
        // The third one has nothing to do with the account.
        if actor != ActorId(2) {
            step.write(ACCOUNT);
            state.account = state.account.checked_sub(1).expect("there is something left");
        }
    }

    fn traits(&self) -> Traits {
        Traits { threads: true, tells_blocked: true, ..Traits::default() }
    }
}

#[test]
fn a_panic_in_a_step_is_a_violation_with_its_schedule() {
    let till = Till { panics_when_asked: false };
    for &engine in Engine::ALL {
        for threads in [1, 4] {
            for all in [false, true] {
                let mut check = Check::new(&till).engine(engine).threads(threads);
                if all {
                    check = check.all();
                }
                let checked = check.run();
                let about = format!("{engine}, {threads} threads\n{checked}");
                assert_eq!(checked.exploration.verdict, Verdict::Violated, "{about}");
                let found = &checked.shortened[0];
                assert_eq!(found.violation.kind, ViolationKind::Crash, "{about}");
                assert_eq!(found.violation.message, "panicked: there is something left", "{about}");
                let place = found.violation.location.as_ref().map(|place| place.file.to_string());
                assert!(place.is_some_and(|file| file.ends_with("panics.rs")), "{about}");
                assert_eq!(found.schedule.moves.len(), 2, "{about}");
                assert_eq!(checked.stories[0].rows.len(), 2, "{about}");
            }
        }
    }
}

#[test]
fn a_panic_elsewhere_is_told() {
    let till = Till { panics_when_asked: true };
    for &engine in Engine::ALL {
        for threads in [1, 4] {
            let checked = Check::new(&till).engine(engine).threads(threads).run();
            match &checked.exploration.verdict {
                Verdict::Unsupported(reason) => assert!(
                    reason.contains("panicked outside of its steps: nobody may ask now")
                        && reason.contains("panics.rs"),
                    "{engine}: {reason}"
                ),
                other => panic!("{engine}: {other}"),
            }
        }
    }
}
