//! Rates against depth: `dpor` and `sdpor` on families of programs whose executions grow longer.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench depth` prints a table. What should be seen is that the time per
//! transition stays about the same as executions grow. Each figure is the best of three runs. Nothing is asserted about time.

use mazurka_core::{Counter, Silent};
use mazurka_engines::{Engine, Options, explore};
use mazurka_lang::{Identity, Model, compile};
use std::time::Instant;

const RUNS: usize = 3;

/// A family: its name, its program with the constant N, and the sizes.
const FAMILIES: [(&str, &str, [i64; 4]); 3] = [
    (
        "two loops apart",
        "shared x = 0; shared y = 0; const N = 1;
         thread a { for i in 0..N { x = i; } } thread b { for i in 0..N { y = i; } }",
        [50, 500, 5_000, 50_000],
    ),
    (
        "a race at the end",
        "shared x = 0; shared y = 0; shared z = 0; const N = 1;
         thread a { for i in 0..N { x = i; } z = 1; z = 2; z = 3; }
         thread b { for i in 0..N { y = i; } z = 4; z = 5; z = 6; }",
        [50, 500, 5_000, 50_000],
    ),
    (
        "a lock in turns",
        "shared x = 0; shared turn = 0; mutex m; const N = 1;
         thread t(i in 0..2) { for n in 0..N { assume(turn == i); lock(m); x += 1; unlock(m); turn = 1 - i; } }",
        [10, 100, 1_000, 10_000],
    ),
];

fn main() {
    println!(
        "{:<18} {:>6} {:>6} {:>8} {:>10} {:>12} {:>12} {:>13} {:>6}",
        "family", "size", "engine", "depth", "executions", "transitions", "executions/s", "transitions/s", "ns"
    );
    for (name, source, sizes) in FAMILIES {
        for size in sizes {
            let program = compile(name, source, &[("N".to_owned(), size)]).expect("it compiles");
            let model = Model::new(program.into(), Identity::History);
            for engine in [Engine::Dpor, Engine::Sdpor] {
                let ([depth, executions, transitions], seconds) = measure(&model, engine);
                let rate = |count: u64| count as f64 / seconds;
                println!(
                    "{name:<18} {size:>6} {:>6} {depth:>8} {executions:>10} {transitions:>12} {:>12.0} {:>13.0} {:>6.0}",
                    engine.name(),
                    rate(executions),
                    rate(transitions),
                    seconds * 1e9 / transitions as f64,
                );
            }
        }
    }
}

/// The depth, the executions and the transitions of a search, and the seconds of the fastest of some runs.
fn measure(model: &Model, engine: Engine) -> ([u64; 3], f64) {
    let options = Options { all: true, threads: 1, ..Options::default() };
    let runs = (0..RUNS).map(|_| {
        let started = Instant::now();
        let exploration = explore(engine, model, &options, &mut Silent);
        let counters = [Counter::MaxDepth, Counter::Executions, Counter::Transitions];
        let counts = counters.map(|counter| exploration.statistics.get(counter).expect("it is counted"));
        (counts, started.elapsed().as_secs_f64())
    });
    runs.min_by(|one, other| one.1.total_cmp(&other.1)).expect("there are runs")
}
