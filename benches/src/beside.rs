//! `stateful` beside `exhaustive`.

use mazurka_core::{Counter, Silent, System};
use mazurka_engines::{Engine, Options, explore};
use std::time::Instant;

const RUNS: usize = 5;

/// For `exhaustive` and for `stateful`, each on one thread, the transitions, and the seconds of the fastest of five runs.
/// They take turns: a machine that slows down does so for both.
pub fn stateful_beside_exhaustive<S: System>(system: &S) -> [(u64, f64); 2] {
    let options = Options { all: true, threads: 1, ..Options::default() };
    let mut best = [(0, f64::INFINITY); 2];
    for _ in 0..RUNS {
        for (engine, best) in [Engine::Exhaustive, Engine::Stateful].into_iter().zip(&mut best) {
            let started = Instant::now();
            let exploration = explore(engine, system, &options, &mut Silent);
            let seconds = started.elapsed().as_secs_f64();
            let transitions = exploration.statistics.get(Counter::Transitions).expect("it is counted");
            *best = (transitions, best.1.min(seconds));
        }
    }
    best
}
