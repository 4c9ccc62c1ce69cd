//! A model that forgets to say what a step touches is told, where an engine would have relied on it.

use mazurka::{ActorId, Check, Engine, Narrator, ObjectId, Step, System, Traits, Verdict};

/// Two writers of one cell, and a reader who says what must not be.
struct Cell {
    forgets: bool,
}

impl System for Cell {
    type State = [u8; 4];

    fn initial_states(&self) -> Vec<Self::State> {
        vec![[0; 4]]
    }

    fn enabled(&self, state: &Self::State, into: &mut Vec<ActorId>) {
        into.extend((0..3).map(ActorId).filter(|actor| state[actor.index()] == 0));
    }

    fn step(&self, state: &mut Self::State, actor: ActorId, step: &mut Step) {
        state[actor.index()] = 1;
        match actor.0 {
            2 => step.read(ObjectId(0)),
            writer => {
                if writer == 0 || !self.forgets {
                    step.write(ObjectId(0));
                }
                state[3] = writer as u8 + 1;
            }
        }
        state[2] = if actor.0 == 2 { 1 + state[3] } else { state[2] };
    }

    fn traits(&self) -> Traits {
        Traits { threads: true, tells_blocked: true, ..Traits::default() }
    }

    fn narrator(&self) -> &dyn Narrator<[u8; 4]> {
        self
    }
}

impl Narrator<[u8; 4]> for Cell {
    fn actor_name(&self, actor: ActorId) -> String {
        ["Ann", "Bob", "Eve"][actor.index()].to_owned()
    }

    fn object_name(&self, _object: ObjectId) -> String {
        "the cell".to_owned()
    }
}

#[test]
fn a_forgotten_write_is_told() {
    for &engine in Engine::ALL {
        let check = |forgets| Check::new(&Cell { forgets }).engine(engine).footprints(true).run().exploration.verdict;
        assert_eq!(check(false), Verdict::Verified, "{engine}");
        match check(true) {
            Verdict::Verified => assert!(!engine.reduces(), "{engine}"),
            Verdict::Unsupported(words) => {
                assert!(engine.reduces(), "{engine}");
                assert_eq!(
                    words,
                    "the footprints of the model are incomplete: Ann (writes the cell) and Bob (touches nothing) do not \
                     conflict, but their order matters to the state",
                    "{engine}"
                );
            }
            other => panic!("{engine}: {other}"),
        }
        let unasked = Check::new(&Cell { forgets: true }).engine(engine).footprints(false).run();
        assert_eq!(unasked.exploration.verdict, Verdict::Verified, "{engine}");
    }
}
