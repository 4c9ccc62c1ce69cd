//! Small programs for the tests.

use mazurka_core::{
    ActorId, Ending, Fingerprint, Found, Insight, ObjectId, Observer, Schedule, Step, System, Value, Violation,
    ViolationKind,
};

/// Some actors that take some steps each, on an object of their own or all on the same one.
pub(crate) struct Counters {
    pub(crate) actors: u32,
    pub(crate) steps: u8,
    pub(crate) shared: bool,
}

impl System for Counters {
    type State = Vec<u8>;

    fn initial_states(&self) -> Vec<Vec<u8>> {
        vec![vec![0; self.actors as usize]]
    }

    fn enabled(&self, state: &Vec<u8>, into: &mut Vec<ActorId>) {
        into.extend((0..self.actors).map(ActorId).filter(|actor| state[actor.index()] < self.steps));
    }

    fn step(&self, state: &mut Vec<u8>, actor: ActorId, step: &mut Step) {
        step.write(ObjectId(if self.shared { 0 } else { actor.0 }));
        state[actor.index()] += 1;
    }
}

/// One actor that runs in a cycle, from several initial states. The initial state 3 is wrong.
pub(crate) struct Ring {
    pub(crate) size: u32,
    pub(crate) starts: Vec<u32>,
}

impl System for Ring {
    type State = u32;

    fn initial_states(&self) -> Vec<u32> {
        self.starts.clone()
    }

    fn enabled(&self, _state: &u32, into: &mut Vec<ActorId>) {
        into.push(ActorId(0));
    }

    fn step(&self, state: &mut u32, _actor: ActorId, step: &mut Step) {
        step.write(ObjectId(0));
        *state = (*state + 1) % self.size;
    }

    fn insight(&self) -> &dyn Insight<u32> {
        self
    }
}

impl Insight<u32> for Ring {
    fn violations_at_start(&self, state: &u32, into: &mut Vec<Violation>) {
        if *state == 3 {
            into.push(Violation::new(ViolationKind::Invariant, "starts at 3"));
        }
    }
}

/// A long way with an assertion that fails at its end. The state is its own fingerprint.
pub(crate) struct Chain(pub(crate) u32);

impl System for Chain {
    type State = u32;

    fn initial_states(&self) -> Vec<u32> {
        vec![0]
    }

    fn enabled(&self, state: &u32, into: &mut Vec<ActorId>) {
        into.extend((*state < self.0).then_some(ActorId(state % 2)));
    }

    fn step(&self, state: &mut u32, _actor: ActorId, step: &mut Step) {
        *state += 1;
        step.write(ObjectId(0));
        step.assert(*state < self.0, "not yet there");
    }

    fn insight(&self) -> &dyn Insight<u32> {
        self
    }
}

impl Insight<u32> for Chain {
    fn fingerprint(&self, state: &u32) -> Fingerprint {
        Fingerprint(u128::from(*state))
    }
}

/// Two actors that throw a die each; a one is thrown again with a coin. Equal results are wrong.
pub(crate) struct Dice {
    pub(crate) sides: u64,
}

impl System for Dice {
    type State = [u64; 2];

    fn initial_states(&self) -> Vec<[u64; 2]> {
        vec![[0, 0]]
    }

    fn enabled(&self, state: &[u64; 2], into: &mut Vec<ActorId>) {
        into.extend([0, 1].map(ActorId).into_iter().filter(|actor| state[actor.index()] == 0));
    }

    fn step(&self, state: &mut [u64; 2], actor: ActorId, step: &mut Step) {
        step.write(ObjectId(0));
        let side = step.choose(self.sides) + 1;
        state[actor.index()] = if side == 1 { 100 + step.choose(2) } else { side };
        if state[0] == state[1] {
            step.fail(Violation {
                actor: Some(actor),
                values: vec![Value { name: "die".into(), value: state[0].to_string() }],
                ..Violation::new(ViolationKind::Assertion, "the dice differ")
            });
        }
    }
}

/// Two threads that acquire two locks in opposite orders and release them together. Bystanders do something else.
pub(crate) struct Locks {
    pub(crate) bystanders: u32,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq)]
pub(crate) struct LocksState {
    holder: [Option<u8>; 2],
    done: [u8; 2],
    bystanders: Vec<bool>,
}

impl System for Locks {
    type State = LocksState;

    fn initial_states(&self) -> Vec<LocksState> {
        vec![LocksState { holder: [None; 2], done: [0; 2], bystanders: vec![false; self.bystanders as usize] }]
    }

    fn enabled(&self, state: &LocksState, into: &mut Vec<ActorId>) {
        for actor in 0..2usize {
            let wanted = (actor + usize::from(state.done[actor])) % 2;
            if state.done[actor] == 2 || state.done[actor] < 2 && state.holder[wanted].is_none() {
                into.push(ActorId(actor as u32));
            }
        }
        into.extend((0..self.bystanders).filter(|&who| !state.bystanders[who as usize]).map(|who| ActorId(who + 2)));
    }

    fn step(&self, state: &mut LocksState, actor: ActorId, step: &mut Step) {
        if actor.0 >= 2 {
            step.write(ObjectId(actor.0));
            state.bystanders[actor.index() - 2] = true;
            return;
        }
        if state.done[actor.index()] == 2 {
            step.write(ObjectId(0));
            step.write(ObjectId(1));
            state.holder = [None; 2];
        } else {
            let wanted = (actor.index() + usize::from(state.done[actor.index()])) % 2;
            step.write(ObjectId(wanted as u32));
            state.holder[wanted] = Some(actor.0 as u8);
        }
        state.done[actor.index()] += 1;
    }

    fn ending(&self, state: &LocksState) -> Ending {
        match state.done {
            [3, 3] => Ending::Finished,
            _ => Ending::Deadlock(Box::new(Violation::new(ViolationKind::Deadlock, "deadlock"))),
        }
    }
}

/// Two threads read a shared variable and then write it with one more; a third one checks the sum when both are done.
/// Bystanders count by themselves.
pub(crate) struct LostUpdate {
    pub(crate) bystanders: u32,
}

#[derive(Clone, Debug, Default, Hash, PartialEq, Eq)]
pub(crate) struct LostUpdateState {
    x: u8,
    local: [u8; 2],
    at: [u8; 2],
    checked: bool,
    bystanders: Vec<u8>,
}

const X: ObjectId = ObjectId(0);

impl System for LostUpdate {
    type State = LostUpdateState;

    fn initial_states(&self) -> Vec<LostUpdateState> {
        vec![LostUpdateState { bystanders: vec![0; self.bystanders as usize], ..LostUpdateState::default() }]
    }

    fn enabled(&self, state: &LostUpdateState, into: &mut Vec<ActorId>) {
        into.extend([0, 1].map(ActorId).into_iter().filter(|actor| state.at[actor.index()] < 2));
        into.extend((state.at == [2, 2] && !state.checked).then_some(ActorId(2)));
        into.extend((0..self.bystanders).filter(|&who| state.bystanders[who as usize] < 2).map(|who| ActorId(who + 3)));
    }

    fn step(&self, state: &mut LostUpdateState, actor: ActorId, step: &mut Step) {
        match actor.0 {
            2 => {
                [X, ObjectId(1), ObjectId(2)].into_iter().for_each(|object| step.read(object));
                state.checked = true;
                step.assert(state.x == 2, "x == 2");
            }
            0 | 1 => {
                let me = actor.index();
                if state.at[me] == 0 {
                    step.read(X);
                    state.local[me] = state.x;
                } else {
                    step.write(X);
                    step.write(ObjectId(1 + actor.0));
                    state.x = state.local[me] + 1;
                }
                state.at[me] += 1;
            }
            _ => {
                step.write(ObjectId(actor.0));
                state.bystanders[actor.index() - 3] += 1;
            }
        }
    }
}

/// Walks in a square from one corner; wrong where a diagonal is crossed, worse at the far corner.
pub(crate) struct Walk {
    pub(crate) side: u16,
}

impl System for Walk {
    type State = [u16; 2];

    fn initial_states(&self) -> Vec<[u16; 2]> {
        vec![[0, 0]]
    }

    fn enabled(&self, state: &[u16; 2], into: &mut Vec<ActorId>) {
        into.extend([0, 1].map(ActorId).into_iter().filter(|actor| state[actor.index()] + 1 < self.side));
    }

    fn step(&self, state: &mut [u16; 2], actor: ActorId, step: &mut Step) {
        step.write(ObjectId(0));
        state[actor.index()] += 1;
        step.assert(state[0] != state[1], "not on the diagonal");
        step.assert(state[0] + state[1] != self.side, "not on the other diagonal");
        if state == &[self.side - 1; 2] {
            step.fail(Violation::new(ViolationKind::Crash, "fell off the far corner"));
        }
    }
}

/// Records what an engine reports.
#[derive(Default)]
pub(crate) struct Notes {
    pub(crate) wants_values: bool,
    pub(crate) violations: Vec<Violation>,
    pub(crate) ends: Vec<(Ending, Fingerprint)>,
    pub(crate) progress: usize,
}

impl Observer for Notes {
    fn progress(&mut self, _progress: &mazurka_core::Progress) {
        self.progress += 1;
    }

    fn violation(&mut self, violation: &Violation) {
        self.violations.push(violation.clone());
    }

    fn end(&mut self, ending: &Ending, state: Fingerprint) {
        self.ends.push((ending.clone(), state));
    }

    fn wants_values(&self) -> bool {
        self.wants_values
    }
}

/// A schedule without choices.
pub(crate) fn schedule(actors: &[u32]) -> Schedule {
    Schedule::new(0, actors.iter().map(|&actor| ActorId(actor).into()).collect())
}

/// The actors of a schedule.
pub(crate) fn actors(found: &Found) -> Vec<u32> {
    found.schedule.moves.iter().map(|step| step.actor.0).collect()
}
