//! What an execution costs `unfolding`, beside `dpor`, on the families of the unfolding paper's table 1 as they grow.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench unfolding` prints a table. What should be seen is that the time per
//! execution grows with its length, not with the number of executions: alternatives are found in a few tries, and what is kept
//! of the unfolding stays small. Each figure is the best of three runs. Nothing is asserted about time.

use mazurka_core::{Counter, Silent};
use mazurka_engines::{Cutoffs, Engine, Options, explore};
use mazurka_lang::{Identity, Model, compile};
use std::time::Instant;

const RUNS: usize = 3;

/// A family: its name, its program with the constant N, and the sizes.
const FAMILIES: [(&str, &str, [i64; 4]); 4] = [
    (
        "pairs of writers",
        "const N = 1; shared x[N] = 0;
         thread even(i in 0..N) { x[i] = 1; } thread odd(i in 0..N) { x[i] = 2; }",
        [4, 8, 9, 12],
    ),
    (
        "reads that decide",
        "const N = 1; shared x = 0; shared y = 0; shared z = 0;
         thread p { x = 1; } thread q { y = 1; } thread r { if (y == 0) { z = 1; } }
         thread s { while (y < N) { if (z == 1) { x = 2; } y = y + 1; } }",
        [1, 3, 4, 8],
    ),
    (
        "two that add",
        "const N = 1; shared i = 1; shared j = 1;
         thread a { for k in 0..N { let t = j; i = i + t; } } thread b { for k in 0..N { let t = j; j = t + i; } }",
        [2, 3, 4, 5],
    ),
    (
        "one lock",
        "const N = 1; shared d = 0; mutex m;
         thread a { for k in 0..N { lock(m); d += k; unlock(m); } } thread b { for k in 0..N { lock(m); d -= k; unlock(m); } }",
        [2, 3, 4, 6],
    ),
];

fn main() {
    println!(
        "{:<18} {:>4} {:>10} {:>7} {:>10} {:>22} {:>16} {:>6}",
        "family", "size", "executions", "depth", "events", "unfolding µs/execution", "dpor µs/execution", "ratio"
    );
    for (name, source, sizes) in FAMILIES {
        for size in sizes {
            let program = compile(name, source, &[("N".to_owned(), size)]).expect("it compiles");
            let model = Model::new(program.into(), Identity::History);
            let ([executions, depth, events], seconds) = measure(&model, Engine::Unfolding);
            let ([theirs, ..], their_seconds) = measure(&model, Engine::Dpor);
            let (ours, peers) = (seconds * 1e6 / executions as f64, their_seconds * 1e6 / theirs as f64);
            println!(
                "{name:<18} {size:>4} {executions:>10} {depth:>7} {events:>10} {ours:>22.1} {peers:>16.1} {:>6.1}",
                ours / peers
            );
        }
    }
}

/// The executions, the depth and the events of a search, and the seconds of the fastest of some runs.
fn measure(model: &Model, engine: Engine) -> ([u64; 3], f64) {
    let options = Options { all: true, threads: 1, cutoffs: Cutoffs::None, ..Options::default() };
    let mut best = f64::MAX;
    let mut counts = [0; 3];
    for _ in 0..RUNS {
        let started = Instant::now();
        let statistics = explore(engine, model, &options, &mut Silent).statistics;
        best = best.min(started.elapsed().as_secs_f64());
        counts = [Counter::Executions, Counter::MaxDepth, Counter::Events]
            .map(|counter| statistics.get(counter).unwrap_or_default());
    }
    (counts, best)
}
