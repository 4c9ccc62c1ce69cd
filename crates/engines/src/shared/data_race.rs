//! Looks for data races while a program is explored, if that is asked for ([`Options::races`]).
//!
//! What a data race is stands in the core ([`Accesses`]): two accesses side by side in some execution. There are two ways
//! to find all of them, and this is not the place where a program is explored: engines report what they meet.
//!
//! **Where every state is visited** (`exhaustive`): a race is two steps *e*, *f* from some state *s*, taken one after the
//! other, so it is seen from *s* ([`Neighbours`]). If *f* can be taken in *s* already and does not conflict with *e* there,
//! it does the same after *e*, which then is no race; if it conflicts, both are taken. If *f* can be taken only after *e*,
//! *e* has written what the actor of *f* awaits, and all actors that can move only now are tried.
//!
//! **Where an execution of every trace is run** (`dpor`, `optimal`, `event`, `enumerate`): let an execution have *e* and
//! *f* side by side. Some execution of its trace is run ([`Along`]). It has the same steps and the same happens-before
//! relation, in which nothing comes between *e* and *f*, since nothing did. So of the pairs of conflicting steps, those
//! that are adjacent in happens-before are all races. They are no more than that: what happens before *e* or *f* can be
//! run first and alone, then *e*, then *f*. That is the schedule that is told.
//!
//! The order has to be that of the whole program, with each handler as a lock: two messages of one handler are never side
//! by side. `event` and `em-dpor` tell executions apart by less, so `event` takes handlers for locks when it is asked for
//! races, and then runs what `optimal` runs; `em-dpor` refuses. An engine that does not run every trace to its end refuses, too:
//! `sdpor` stops at states that it has met, `stateful` sees every local state but not every pair of them, and `unfolding`
//! does not go on behind an event that leads to a known state, where the other access may be.

use crate::{Engine, Options};
use mazurka_core::{
    Accesses, ActorId, Dependence, Footprint, HappensBefore, Meter, Move, Outcome, Step, StepRecord, System,
    ToldAccesses, Traits, Violation,
};

/// Why an engine cannot find all data races of programs with these traits; `None` if it can.
pub(crate) fn refuses(engine: Engine, traits: &Traits) -> Option<String> {
    if !traits.tells_plain_accesses {
        let reason = "the program does not tell which of its steps are plain accesses of shared variables, so data \
                      races cannot be found in it";
        return Some(reason.to_owned());
    }
    (!engine.finds_races()).then(|| {
        let able: Vec<&str> = Engine::ALL.iter().filter(|able| able.finds_races()).map(|able| able.name()).collect();
        format!("{engine} does not see all data races; these engines do: {}", able.join(", "))
    })
}

/// What an engine is told that looks for data races, where that is something else. A write of what is there already is a
/// write to a race, so it has to be one to the engine.
pub(crate) fn options(options: &Options) -> Option<Options> {
    let dependence = Dependence::default();
    (options.races && options.dependence != dependence).then(|| Options { dependence, ..options.clone() })
}

/// A race between two steps from a state.
pub(crate) struct Neighbouring {
    pub(crate) violation: Violation,
    /// The number of the first step among all steps from the state.
    pub(crate) first: u32,
    /// The second step.
    pub(crate) second: Move,
}

/// Looks for races from one state after the other.
#[derive(Default)]
pub(crate) struct Neighbours {
    step: Step,
    after: Vec<ActorId>,
    taken: Vec<Taken>,
}

/// One of the steps from a state.
struct Taken {
    /// Its number among all of them.
    number: u32,
    next: Move,
    accesses: Accesses,
    footprint: Footprint,
}

impl Neighbours {
    /// Visits the races that begin with a step from a state in which these actors can move, while `meter` allows.
    pub(crate) fn look<S: System>(
        &mut self,
        system: &S,
        state: &S::State,
        actors: &[ActorId],
        meter: &Meter,
        found: &mut dyn FnMut(Neighbouring),
    ) {
        let mut scratch = state.clone();
        self.take_all(system, state, &mut scratch, actors, meter);
        let mut last = state.clone();
        for first in self.taken.iter().filter(|first| !first.accesses.is_empty()) {
            let conflicts = self.taken.iter().any(|second| first.may_race_with(second));
            if !conflicts && !first.accesses.writes() {
                continue;
            }
            scratch.clone_from(state);
            let told = ToldAccesses::take(system, &mut scratch, first.next, &mut self.step);
            self.after.clear();
            system.enabled(&scratch, &mut self.after);
            let may_race = |actor: &ActorId| {
                let conflicts = |other: &Taken| other.next.actor == *actor && first.may_race_with(other);
                !actors.contains(actor) || self.taken.iter().any(conflicts)
            };
            self.after.retain(may_race);
            let step = &mut self.step;
            visit_moves(&self.after, meter, |second| {
                last.clone_from(&scratch);
                let accesses = ToldAccesses::take(system, &mut last, second, step);
                for (_, violation) in told.races_with(&accesses) {
                    found(Neighbouring { violation, first: first.number, second });
                }
                step.next_outcome()
            });
        }
    }

    /// Takes all steps from a state, and keeps those that others can notice.
    fn take_all<S: System>(
        &mut self,
        system: &S,
        state: &S::State,
        scratch: &mut S::State,
        actors: &[ActorId],
        meter: &Meter,
    ) {
        let Neighbours { step, taken, .. } = self;
        taken.clear();
        let mut number = 0;
        visit_moves(actors, meter, |next| {
            scratch.clone_from(state);
            step.take(system, scratch, next);
            step.footprint_mut().seal();
            if !step.footprint().touches().is_empty() {
                let accesses = Accesses::of(system, next.actor, step);
                taken.push(Taken { number, next, accesses, footprint: step.footprint().clone() });
            }
            number += 1;
            step.next_outcome()
        });
    }
}

impl Taken {
    /// Whether two steps of one state may race if one is taken after the other. Whether an actor's next step is a plain
    /// one does not depend on others.
    fn may_race_with(&self, other: &Taken) -> bool {
        self.next.actor != other.next.actor
            && (self.accesses.is_plain() || other.accesses.is_plain())
            && Dependence::default().conflicts(&self.footprint, &other.footprint)
    }
}

/// Visits the first move of each actor, and the further ones as they become known, while `meter` allows.
fn visit_moves(actors: &[ActorId], meter: &Meter, mut visit: impl FnMut(Move) -> Option<Outcome>) {
    for &actor in actors {
        let mut outcome = Some(Outcome::FIRST);
        while let Some(current) = outcome {
            if meter.is_over() {
                return;
            }
            outcome = visit(Move { actor, outcome: current });
        }
    }
}

/// A race between two steps of an execution.
pub(crate) struct Adjacent {
    pub(crate) violation: Violation,
    /// The two steps, by index.
    first: usize,
    second: usize,
}

/// Looks for races along one execution after the other, in step with its path.
#[derive(Clone)]
pub(crate) struct Along {
    order: HappensBefore,
    steps: Vec<ToldAccesses>,
}

impl Along {
    /// Along an execution without steps.
    pub(crate) fn new() -> Self {
        Along { order: HappensBefore::new(Dependence::default()), steps: Vec::new() }
    }

    /// Takes back all steps from `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.order.truncate(len);
        self.steps.truncate(len);
    }

    /// The same up to a step.
    pub(crate) fn up_to(&self, len: usize) -> Self {
        let mut along = self.clone();
        along.truncate(len);
        along
    }

    /// Adds a step, and returns its races with earlier ones.
    pub(crate) fn push(&mut self, actor: ActorId, record: &StepRecord) -> Vec<Adjacent> {
        let Some(accesses) = record.accesses.as_deref() else { return Vec::new() };
        let mut races = Vec::new();
        let mut earlier = Vec::new();
        self.order.visit_dependencies(&record.footprint, |step, _| earlier.push(step));
        earlier.sort_unstable();
        earlier.dedup();
        let second = self.order.push(actor, &record.footprint);
        for first in earlier {
            let mut found = self.steps[first].races_with(accesses).peekable();
            if found.peek().is_some() && self.order.adjacent(first, second) {
                races.extend(found.map(|(_, violation)| Adjacent { violation, first, second }));
            }
        }
        self.steps.push(accesses.clone());
        races
    }

    /// A schedule that ends with a race: what happens before its steps, then these.
    pub(crate) fn schedule(&self, moves: &[Move], race: &Adjacent) -> Vec<Move> {
        let (first, second) = (race.first, race.second);
        let comes_before = |&step: &usize| self.order.before(step, first) || self.order.before(step, second);
        let before = (0..second).filter(|&step| step != first).filter(comes_before);
        before.chain([first, second]).map(|step| moves[step]).collect()
    }

    /// How long that schedule is.
    pub(crate) fn length(&self, race: &Adjacent) -> u64 {
        let comes_before = |&step: &usize| self.order.before(step, race.first) || self.order.before(step, race.second);
        let before = (0..race.second).filter(|&step| step != race.first).filter(comes_before).count();
        before as u64 + 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore;
    use mazurka_core::{Access, ObjectId, Silent};

    const X: ObjectId = ObjectId(0);

    /// Two actors with one plain access each: one stores in a variable what is there already, the other one reads it.
    struct Rewrite;

    impl System for Rewrite {
        type State = [bool; 2];

        fn initial_states(&self) -> Vec<Self::State> {
            vec![[false; 2]]
        }

        fn enabled(&self, done: &Self::State, into: &mut Vec<ActorId>) {
            into.extend([0, 1].map(ActorId).into_iter().filter(|actor| !done[actor.index()]));
        }

        fn step(&self, done: &mut Self::State, actor: ActorId, step: &mut Step) {
            done[actor.index()] = true;
            step.touch(X, if actor.0 == 0 { Access::REWRITE } else { Access::READ });
            step.plain();
        }

        fn traits(&self) -> Traits {
            Traits { tells_blocked: true, tells_plain_accesses: true, terminates: true, ..Traits::default() }
        }
    }

    #[test]
    fn what_an_engine_is_told_of_dependence_hides_no_race() {
        let dependence = Dependence { rewrites: false, ..Dependence::default() };
        let options = Options { races: true, all: true, dependence, ..Options::default() };
        for engine in Engine::ALL.iter().filter(|engine| engine.finds_races()) {
            let exploration = explore(*engine, &Rewrite, &options, &mut Silent);
            assert_eq!(exploration.violations.len(), 1, "{engine}");
            assert_eq!(exploration.violations[0].schedule.moves.len(), 2);
        }
    }

    #[test]
    fn nothing_is_said_of_what_is_not_told() {
        let traits = Traits { tells_blocked: true, ..Traits::default() };
        assert!(Engine::ALL.iter().all(|&engine| refuses(engine, &traits).is_some()));
        let traits = Traits { tells_plain_accesses: true, ..traits };
        let able = Engine::ALL.iter().filter(|&&engine| refuses(engine, &traits).is_none());
        assert!(able.eq([Engine::Exhaustive, Engine::Dpor, Engine::Optimal, Engine::Event, Engine::Enumerate].iter()));
    }

    #[test]
    fn a_bound_holds_for_races_too() {
        let with_depth = |depth| {
            let mut options = Options { races: true, all: true, ..Options::default() };
            options.budget.depth = Some(depth);
            [Engine::Exhaustive, Engine::Dpor]
                .map(|engine| explore(engine, &Rewrite, &options, &mut Silent).violations.len())
        };
        assert_eq!((with_depth(1), with_depth(2)), ([0, 0], [1, 1]));
    }
}
