//! Rates and memory against depth, on families of programs whose executions grow longer.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench depth` prints two tables. The first has `dpor` and `sdpor`: what
//! should be seen is that the time per transition stays about the same as executions grow. Each figure is the best of three
//! runs. The second has `stateful` and `unfolding`, which keep what they know of each step: what should be seen is that the
//! bytes per transition stay about the same. Each search runs in a process of its own. Nothing is asserted.
//! `-- memory 1000000` prints the second table for executions of about that many transitions.

use mazurka_benches::peak_bytes;
use mazurka_core::{Counter, Silent};
use mazurka_engines::{Engine, Options, explore};
use mazurka_lang::{Identity, Model, compile};
use std::process::Command;
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

/// One long execution: its name, its program with the constant N, how many transitions there are for each N, and the engines.
const LONG: [(&str, &str, u64, &[Engine]); 3] = [
    (
        "one thread",
        "const N = 1; mutex m; shared x = 0; thread t { for i in 0..N { lock(m); x = i; unlock(m); } }",
        9,
        &[Engine::Stateful, Engine::Unfolding],
    ),
    (
        "chain of messages",
        "const N = 1; shared x = 0; handler h; thread start { post h, go(0); }
         message go(i) { x = i; if (i < N) { post h, go(i + 1); } }",
        9,
        &[Engine::Stateful, Engine::Unfolding],
    ),
    (
        "two threads apart",
        "shared x = 0; shared y = 0; const N = 1;
         thread a { for i in 0..N { x = i; } } thread b { for i in 0..N { y = i; } }",
        6,
        &[Engine::Unfolding],
    ),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--measure", name, engine, size] => {
            let (_, source, ..) = LONG.iter().find(|family| family.0 == *name).expect("a family");
            let engine = Engine::ALL.iter().copied().find(|known| known.name() == *engine).expect("an engine");
            measure_memory(source, engine, size.parse().expect("a size"));
        }
        ["memory", transitions] => memory(&[transitions.parse().expect("a number of transitions")]),
        _ => {
            rates();
            println!();
            memory(&[20_000, 40_000, 80_000]);
        }
    }
}

/// What one search takes, printed.
fn measure_memory(source: &str, engine: Engine, size: i64) {
    let program = compile("long", source, &[("N".to_owned(), size)]).expect("it compiles");
    let identity = if engine.present_identity() { Identity::Presence } else { Identity::History };
    let model = Model::new(program.into(), identity);
    let (before, started) = (peak_bytes(), Instant::now());
    let exploration = explore(engine, &model, &Options { all: true, threads: 1, ..Options::default() }, &mut Silent);
    let transitions = exploration.statistics.get(Counter::Transitions).expect("it is counted");
    println!("{transitions} {} {}", started.elapsed().as_secs_f64(), peak_bytes() - before);
}

/// The second table.
fn memory(sizes: &[u64]) {
    println!("{:<18} {:>10} {:>12} {:>9} {:>10} {:>6}", "family", "engine", "transitions", "seconds", "bytes", "each");
    for (name, _, each, engines) in LONG {
        for engine in engines {
            for transitions in sizes {
                let this = std::env::current_exe().expect("this program has a path");
                let arguments = ["--measure", name, engine.name(), &(transitions / each).to_string()].map(String::from);
                let output = Command::new(this).args(arguments).output().expect("this program runs again");
                let text = String::from_utf8_lossy(&output.stdout);
                let figures: Vec<f64> = text.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
                let [transitions, seconds, bytes] = figures[..] else {
                    panic!("{name}: {}", String::from_utf8_lossy(&output.stderr));
                };
                println!(
                    "{name:<18} {:>10} {transitions:>12} {seconds:>9.2} {bytes:>10} {:>6.0}",
                    engine.name(),
                    bytes / transitions
                );
            }
        }
    }
}

/// The first table.
fn rates() {
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
