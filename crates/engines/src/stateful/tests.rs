//! Programs that `.mz` cannot say.

use crate::{Engine, Options, explore};
use mazurka_core::{
    Access, ActorId, Awaited, BlockedVisitor, Budget, Insight, Object, ObjectId, ObjectKind, Rule, Silent, Step,
    System, Traits, Violation, ViolationKind,
};

const DOOR: ObjectId = ObjectId(0);
const KEY: ObjectId = ObjectId(1);
const HOLDER: ActorId = ActorId(0);
const VISITOR: ActorId = ActorId(1);

/// Two mutexes, one of which can be read without being acquired. The holder releases the door. The visitor acquires the
/// key and then either acquires or reads the door; or, where the door is free, first reads it and then acquires it.
struct LookThroughTheDoor;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Doorway {
    is_held: bool,
    has_door: bool,
    has_key: bool,
    /// The visitor's next step: the key, the choice, the door, a read, a read and then the door, or none.
    stands: u8,
}

impl LookThroughTheDoor {
    fn waits(&self, state: &Doorway) -> bool {
        state.stands == 2 && state.is_held
    }
}

impl System for LookThroughTheDoor {
    type State = Doorway;

    fn initial_states(&self) -> Vec<Doorway> {
        let free = Doorway { is_held: false, has_door: false, has_key: false, stands: 4 };
        vec![free.clone(), Doorway { is_held: true, stands: 0, ..free }]
    }

    fn enabled(&self, state: &Doorway, into: &mut Vec<ActorId>) {
        into.extend(state.is_held.then_some(HOLDER));
        into.extend((state.stands < 5 && !self.waits(state)).then_some(VISITOR));
    }

    fn step(&self, state: &mut Doorway, actor: ActorId, step: &mut Step) {
        if actor == HOLDER {
            step.touch(DOOR, Access::RELEASE);
            state.is_held = false;
            return;
        }
        state.stands = match state.stands {
            0 => {
                step.write(KEY);
                state.has_key = true;
                1
            }
            1 => 2 + step.choose(2) as u8,
            2 => {
                step.write(DOOR);
                state.has_door = true;
                5
            }
            look => {
                step.read(DOOR);
                let seen = if state.is_held { "sees the door shut" } else { "sees the door open" };
                step.fail(Violation::new(ViolationKind::Assertion, seen));
                if look == 4 { 2 } else { 5 }
            }
        };
    }

    fn blocked(&self, state: &Doorway, _enabled: &[ActorId], visit: &mut BlockedVisitor<'_>) {
        if self.waits(state) {
            visit(VISITOR, &mut |footprint| {
                footprint.touch(DOOR, Access::WRITE);
                Some(Awaited::Freed(DOOR))
            });
        }
    }

    fn object(&self, _object: ObjectId) -> Object {
        Object { kind: ObjectKind::Lock, rule: Rule::Mutex }
    }

    fn insight(&self) -> &dyn Insight<Doorway> {
        self
    }

    fn traits(&self) -> Traits {
        Traits { threads: true, tells_blocked: true, ..Traits::default() }
    }
}

impl Insight<Doorway> for LookThroughTheDoor {
    fn holder(&self, state: &Doorway, object: ObjectId) -> Option<ActorId> {
        match object {
            DOOR if state.is_held => Some(HOLDER),
            DOOR => state.has_door.then_some(VISITOR),
            _ => state.has_key.then_some(VISITOR),
        }
    }
}

#[test]
fn a_read_of_what_is_released_is_not_subsumed_by_an_acquire() {
    let options = Options { all: true, threads: 1, ..Options::default() };
    let [full, reduced] = [Engine::Exhaustive, Engine::Stateful].map(|engine| {
        let exploration = explore(engine, &LookThroughTheDoor, &options, &mut Silent);
        let mut seen: Vec<_> = exploration.violations.into_iter().map(|found| found.violation.message).collect();
        seen.sort();
        seen
    });
    assert_eq!(full, ["sees the door open", "sees the door shut"]);
    assert_eq!(reduced, full);
}

const FLAGS: [ObjectId; 2] = [ObjectId(0), ObjectId(1)];
const TURN: ObjectId = ObjectId(2);

/// Peterson's mutual exclusion, for ever: each thread raises its flag, gives the turn away, spins, and lowers its flag.
struct Peterson;

impl System for Peterson {
    /// For each thread its next step; the flags; the turn.
    type State = ([u8; 2], [bool; 2], usize);

    fn initial_states(&self) -> Vec<Self::State> {
        vec![([0; 2], [false; 2], 0)]
    }

    fn enabled(&self, _state: &Self::State, into: &mut Vec<ActorId>) {
        into.extend([ActorId(0), ActorId(1)]);
    }

    fn step(&self, (next, flags, turn): &mut Self::State, actor: ActorId, step: &mut Step) {
        let (own, other) = (actor.index(), 1 - actor.index());
        next[own] = match next[own] {
            0 => {
                step.write(FLAGS[own]);
                flags[own] = true;
                1
            }
            1 => {
                step.write(TURN);
                *turn = other;
                2
            }
            2 => {
                step.read(FLAGS[other]);
                if flags[other] { 3 } else { 4 }
            }
            3 => {
                step.read(TURN);
                if *turn == other { 2 } else { 4 }
            }
            _ => {
                step.write(FLAGS[own]);
                flags[own] = false;
                0
            }
        };
    }

    fn traits(&self) -> Traits {
        Traits { threads: true, tells_blocked: true, ..Traits::default() }
    }
}

#[test]
fn a_state_that_was_cut_is_closed_once_all_its_actors_were_tried() {
    for depth in 1..40 {
        let budget = Budget { depth: Some(depth), ..Budget::default() };
        let options = Options { all: true, threads: 1, budget, ..Options::default() };
        let exploration = explore(Engine::Stateful, &Peterson, &options, &mut Silent);
        assert!(exploration.violations.is_empty(), "{depth}");
    }
}
