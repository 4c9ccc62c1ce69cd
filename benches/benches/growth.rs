//! Time against size: `stateful` beside `exhaustive`, on families of programs with a thousand to a million transitions.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench growth` prints a table. What should be seen is that the time
//! per transition stays about the same as the graph grows. Both engines run on one thread; each figure is the best of
//! three runs. Nothing is asserted about time.

use mazurka_core::{Counter, Silent};
use mazurka_engines::{Engine, Options, explore};
use mazurka_lang::{Identity, Model, compile};
use std::time::Instant;

const RUNS: usize = 3;

/// A family: its name, its program, the constant that makes it grow, and the sizes.
const FAMILIES: [(&str, &str, &str, [i64; 4]); 2] = [
    (
        "all in conflict",
        "const M = 100; shared x = 0; event add(i in 0..8) { x = (x + i + 1) % M; }",
        "M",
        [125, 1_250, 12_500, 125_000],
    ),
    ("one alarm", include_str!("../../examples/families/sensors-with-one-alarm.mz"), "N", [6, 9, 12, 14]),
];

fn main() {
    println!("{:<16} {:>8} {:>11} {:>12} {:>9} {:>6}", "family", "size", "engine", "transitions", "ms", "ns");
    for (name, source, constant, sizes) in FAMILIES {
        for size in sizes {
            let program = compile(name, source, &[(constant.to_owned(), size)]).expect("it compiles");
            let model = Model::new(program.into(), Identity::Presence);
            for engine in [Engine::Exhaustive, Engine::Stateful] {
                let (transitions, seconds) = measure(&model, engine);
                let (milliseconds, nanoseconds) = (seconds * 1e3, seconds * 1e9 / transitions as f64);
                println!(
                    "{name:<16} {size:>8} {:>11} {transitions:>12} {milliseconds:>9.1} {nanoseconds:>6.0}",
                    engine.name()
                );
            }
        }
    }
}

/// The transitions of a search, and the seconds of the fastest of some runs.
fn measure(model: &Model, engine: Engine) -> (u64, f64) {
    let options = Options { all: true, threads: 1, ..Options::default() };
    let runs = (0..RUNS).map(|_| {
        let started = Instant::now();
        let exploration = explore(engine, model, &options, &mut Silent);
        let transitions = exploration.statistics.get(Counter::Transitions).expect("it is counted");
        (transitions, started.elapsed().as_secs_f64())
    });
    runs.min_by(|one, other| one.1.total_cmp(&other.1)).expect("there are runs")
}
