//! Tests of what engines tell those who watch: it is all that they do, and they do nothing else for it.

use crate::programs::{Counters, Dice, LostUpdate};
use crate::{Engine, Options, dpor, event, optimal, sdpor};
use mazurka_core::{Because, Counter, Exploration, Explored, Observer, Silent, System};

/// The engines that tell all that they do.
const TELLING: [Engine; 4] = [Engine::Dpor, Engine::Sdpor, Engine::Optimal, Engine::Event];

/// Counts what is told, and checks that it fits together.
#[derive(Default)]
struct Witness {
    depth: usize,
    steps: u64,
    open: Vec<usize>,
    ended: u64,
    asleep: u64,
    met: u64,
    races: u64,
    first: u64,
}

impl Observer for Witness {
    fn wants_tree(&self) -> bool {
        true
    }

    fn explored(&mut self, explored: &Explored<'_>) {
        match *explored {
            Explored::Start(_) => self.depth = 0,
            Explored::Jump(schedule) => self.depth = schedule.moves.len(),
            Explored::Back(depth) => {
                assert!(depth <= self.depth, "back to {depth} from {}", self.depth);
                self.depth = depth;
            }
            Explored::Step(_) => {
                self.depth += 1;
                self.steps += 1;
            }
            Explored::State { enabled, asleep } => {
                assert!(asleep.iter().all(|actor| enabled.contains(actor)));
                self.open.push(self.depth);
            }
            Explored::Branch { depth, moves, because } => {
                assert!(depth <= self.depth && !moves.is_empty());
                match because {
                    Because::First => self.first += 1,
                    Because::Race { first, second } => {
                        assert!(depth <= first && first < second && second < self.depth);
                        self.races += 1;
                    }
                    _ => {}
                }
            }
            Explored::Ended(_) => self.ended += 1,
            Explored::Asleep => self.asleep += 1,
            Explored::Met => self.met += 1,
            Explored::Cut => {}
            Explored::Closed(depth) => {
                assert_eq!(self.open.pop(), Some(depth));
                self.depth = depth;
            }
        }
    }
}

fn counts(exploration: &Exploration) -> Vec<Option<u64>> {
    let counted = Counter::ALL.iter().filter(|counter| **counter != Counter::PeakBytes);
    counted.map(|&counter| exploration.statistics.get(counter)).collect()
}

/// The programs of these tests do not tell who is blocked, since none ever is: so engines are not asked if they refuse.
fn explore<S: System>(engine: Engine, system: &S, options: &Options, observer: &mut dyn Observer) -> Exploration {
    match engine {
        Engine::Dpor => dpor::explore(system, options, observer),
        Engine::Sdpor => sdpor::explore(system, options, observer),
        Engine::Event => event::explore(system, options, observer),
        _ => optimal::explore(system, options, observer),
    }
}

fn watch<S: System>(engine: Engine, system: &S) -> Witness {
    let options = Options { all: true, threads: 1, ..Options::default() };
    let mut witness = Witness::default();
    let watched = explore(engine, system, &options, &mut witness);
    let alone = explore(engine, system, &options, &mut Silent);
    assert_eq!(counts(&watched), counts(&alone), "{engine}");
    assert_eq!((watched.verdict, watched.violations), (alone.verdict, alone.violations), "{engine}");
    let count = |counter| watched.statistics.get(counter).unwrap_or(0);
    assert!(witness.open.is_empty(), "{engine}: every state is closed");
    assert_eq!(witness.steps, count(Counter::Transitions), "{engine}");
    assert_eq!(witness.ended, count(Counter::Executions), "{engine}");
    assert_eq!(witness.asleep, count(Counter::Blocked), "{engine}");
    assert_eq!(witness.met, count(Counter::Revisited), "{engine}");
    witness
}

#[test]
fn a_watched_search_does_what_it_does_alone_and_tells_all_of_it() {
    for engine in TELLING {
        watch(engine, &Counters { actors: 3, steps: 2, shared: true });
        watch(engine, &Counters { actors: 4, steps: 1, shared: false });
        watch(engine, &LostUpdate { bystanders: 1 });
        watch(engine, &Dice { sides: 3 });
    }
}

#[test]
fn the_race_behind_each_branch_is_told() {
    for engine in [Engine::Dpor, Engine::Optimal, Engine::Event] {
        tells_races(engine);
    }
}

fn tells_races(engine: Engine) {
    let witness = watch(engine, &Counters { actors: 3, steps: 1, shared: true });
    assert_eq!(witness.ended, 6, "three writes of one variable have six orders");
    assert!(witness.races > 0);
    let alone = watch(engine, &Counters { actors: 3, steps: 1, shared: false });
    assert_eq!((alone.ended, alone.races), (1, 0));
}
