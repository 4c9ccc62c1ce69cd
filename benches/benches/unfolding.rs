//! What an execution costs `unfolding` without cutoffs, beside `optimal` and `dpor`.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench unfolding` prints two tables. The first has programs with
//! many executions: families after the unfolding paper's table 1 as they grow, and examples. What should be seen is
//! that the time per execution stays within a small factor of what the others need, grows with the length of executions
//! and not with their number: alternatives are found in a few tries, and what is kept of the unfolding stays small. The
//! second has programs with one or two executions that grow long: the time per step should grow little. Each figure is
//! the best of three runs, in processor time. Nothing is asserted about time.

use mazurka_core::{Counter, Silent};
use mazurka_engines::{Cutoffs, Engine, Options, explore};
use mazurka_lang::{Identity, Model, compile};
use std::sync::LazyLock;
use std::time::Instant;

const RUNS: usize = 3;

/// How long a run takes at least, in seconds.
const A_WHILE: f64 = 0.1;

/// A family: its name, its program, the constant that makes it grow, and the sizes.
type Family = (&'static str, &'static str, &'static str, &'static [i64]);

const MANY: [Family; 11] = [
    (
        "pairs of writers",
        "const N = 1; shared x[N] = 0;
         thread even(i in 0..N) { x[i] = 1; } thread odd(i in 0..N) { x[i] = 2; }",
        "N",
        &[4, 8, 9, 12],
    ),
    (
        "reads that decide",
        "const N = 1; shared x = 0; shared y = 0; shared z = 0;
         thread p { x = 1; } thread q { y = 1; } thread r { if (y == 0) { z = 1; } }
         thread s { while (y < N) { if (z == 1) { x = 2; } y = y + 1; } }",
        "N",
        &[1, 3, 4, 8],
    ),
    (
        "two that add",
        "const N = 1; shared i = 1; shared j = 1;
         thread a { for k in 0..N { let t = j; i = i + t; } } thread b { for k in 0..N { let t = j; j = t + i; } }",
        "N",
        &[2, 3, 4, 5],
    ),
    (
        "one lock",
        "const N = 1; shared d = 0; mutex m;
         thread a { for k in 0..N { lock(m); d += k; unlock(m); } }
         thread b { for k in 0..N { lock(m); d -= k; unlock(m); } }",
        "N",
        &[2, 3, 4, 6],
    ),
    ("fib", include_str!("../../tests/papers/unfolding/table-1-fib.mz"), "", &[0]),
    ("spin08", include_str!("../../tests/papers/unfolding/table-1-spin08.mz"), "", &[0]),
    ("readers-writers", include_str!("../../examples/threads/readers-writers.mz"), "READERS", &[1, 2]),
    ("block-compressor", include_str!("../../examples/sdpor/block-compressor.mz"), "BLOCKS", &[1, 2]),
    ("database-cache", include_str!("../../examples/event-driven/database-cache.mz"), "", &[0]),
    ("prolific", include_str!("../../examples/event-driven/prolific.mz"), "N", &[3, 4, 5]),
    ("two-phase-commit", include_str!("../../examples/handlers/two-phase-commit.mz"), "N", &[2, 3]),
];

const LONG: [Family; 3] = [
    (
        "one thread, one lock",
        "const N = 1; shared x = 0; mutex m; thread a { for k in 0..N / 3 { lock(m); x = k; unlock(m); } }",
        "N",
        &LENGTHS,
    ),
    (
        "two threads apart",
        "const N = 1; shared x[2] = 0; thread a(i in 0..2) { for k in 0..N / 2 { x[i] = k; } }",
        "N",
        &LENGTHS,
    ),
    (
        "one race in the end",
        "const N = 1; shared x[2] = 0; shared y = 0; thread a(i in 0..2) { for k in 0..N / 2 { x[i] = k; } y = i; }",
        "N",
        &LENGTHS,
    ),
];

const LENGTHS: [i64; 3] = [1_000, 4_000, 16_000];

fn main() {
    let columns = ["unfolding", "optimal", "ratio", "dpor", "ratio"];
    let heads = ["family", "size", "executions", "depth", "events"];
    println!("µs per execution");
    row(&heads, &columns);
    for (family, size, model) in MANY.iter().flat_map(models) {
        let ([executions, depth, events], ours) = measure(&model, Engine::Unfolding);
        let per_execution = |engine| {
            let ([theirs, ..], seconds) = measure(&model, engine);
            seconds * 1e6 / theirs.max(1) as f64
        };
        let ours = ours * 1e6 / executions.max(1) as f64;
        let [optimal, dpor] = [Engine::Optimal, Engine::Dpor].map(per_execution);
        let figures = [ours, optimal, ours / optimal, dpor, ours / dpor].map(|figure| format!("{figure:.1}"));
        row(
            &[family.to_owned(), size.to_string(), executions.to_string(), depth.to_string(), events.to_string()],
            &figures,
        );
    }
    println!("\nns per step of all executions");
    row(&heads, &columns[..3]);
    for (family, size, model) in LONG.iter().flat_map(models) {
        let ([executions, depth, events], ours) = measure(&model, Engine::Unfolding);
        let (_, theirs) = measure(&model, Engine::Optimal);
        let per_step = |seconds: f64| seconds * 1e9 / (executions * depth).max(1) as f64;
        let figures = [per_step(ours), per_step(theirs), ours / theirs].map(|figure| format!("{figure:.1}"));
        row(
            &[family.to_owned(), size.to_string(), executions.to_string(), depth.to_string(), events.to_string()],
            &figures,
        );
    }
}

/// The programs of a family.
fn models(&(name, source, constant, sizes): &Family) -> impl Iterator<Item = (&'static str, i64, Model)> {
    sizes.iter().map(move |&size| {
        let constants: Vec<_> = (!constant.is_empty()).then(|| (constant.to_owned(), size)).into_iter().collect();
        let program = compile(name, source, &constants).expect("it compiles");
        (name, size, Model::new(program.into(), Identity::History))
    })
}

/// Prints a row of the table.
fn row(counts: &[impl AsRef<str>; 5], figures: &[impl AsRef<str>]) {
    let [family, size, executions, depth, events] = counts.each_ref().map(AsRef::as_ref);
    print!("{family:<20} {size:>6} {executions:>10} {depth:>6} {events:>8}");
    figures.iter().for_each(|figure| print!(" {:>10}", figure.as_ref()));
    println!();
}

/// The executions, the depth and the events of a search, and its seconds in the fastest of some runs. A run is as many
/// searches as take a while.
fn measure(model: &Model, engine: Engine) -> ([u64; 3], f64) {
    let options = Options { all: true, threads: 1, cutoffs: Cutoffs::None, ..Options::default() };
    let mut best = f64::MAX;
    let mut counts = [0; 3];
    for _ in 0..RUNS {
        let (started, mut searches) = (processor_seconds(), 0);
        while processor_seconds() - started < A_WHILE {
            let statistics = explore(engine, model, &options, &mut Silent).statistics;
            counts = [Counter::Executions, Counter::MaxDepth, Counter::Events]
                .map(|counter| statistics.get(counter).unwrap_or_default());
            searches += 1;
        }
        best = best.min((processor_seconds() - started) / f64::from(searches));
    }
    (counts, best)
}

/// For how long the processor has worked for this thread, where that is known: what else goes on counts less then.
fn processor_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}
