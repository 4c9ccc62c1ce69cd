//! The programs of the paper on Event-DPOR (NETYS 2023, tables 1 to 4) at the published sizes: executions, and how many of
//! them and of their steps a second.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench event_driven` prints a table beside the published seconds, which
//! were taken on another machine. `steps/s` counts the steps that were taken: an execution shares its first ones with the one
//! before it. `events/s` counts those of each execution, which is what the published tool runs. The counts are
//! asserted; nothing is asserted about time. Rows that take long come with `-- --all`.
//!
//! A second table shows executions that grow while their number stays the same: what should be seen is that the time for a
//! step stays the same. A third one shows more and longer messages, where it should grow by little. A fourth one shows a
//! program on several threads, where all counts must be the same.

use mazurka_core::{Counter, Silent};
use mazurka_engines::{Engine, Options, explore};
use mazurka_lang::{Identity, Model, compile};
use std::time::Instant;

/// A program, its constants, and what is known of an engine: executions, the seconds of the published tool, and whether
/// the row takes long here.
type Row = (&'static str, &'static str, &'static [(&'static str, i64)], Engine, u64, f64, bool);

macro_rules! program {
    ($name:literal) => {
        include_str!(concat!("../../examples/event-driven/", $name, ".mz"))
    };
}

const ROWS: &[Row] = &[
    ("writers", program!("writers"), &[("N", 8)], Engine::Optimal, 40_320, 16.19, false),
    ("writers", program!("writers"), &[("N", 8)], Engine::Event, 40_320, 25.96, false),
    ("posters", program!("posters"), &[("N", 5)], Engine::Optimal, 113_400, 50.87, false),
    ("posters", program!("posters"), &[("N", 5)], Engine::Event, 113_400, 84.64, false),
    ("2PC", program!("two-phase-commit"), &[("N", 8)], Engine::Optimal, 40_320, 96.56, false),
    ("2PC", program!("two-phase-commit"), &[("N", 8)], Engine::Event, 40_320, 210.57, false),
    ("buyers", program!("buyers"), &[("N", 8)], Engine::Optimal, 40_320, 23.59, false),
    ("buyers", program!("buyers"), &[("N", 8)], Engine::Event, 40_320, 37.70, false),
    ("ping-pong", program!("ping-pong"), &[("N", 7)], Engine::Optimal, 27_252, 13.78, false),
    ("ping-pong", program!("ping-pong"), &[("N", 7)], Engine::Event, 27_252, 26.42, false),
    ("ping-pong", program!("ping-pong"), &[("N", 8)], Engine::Event, 253_296, 299.12, true),
    ("consensus", program!("consensus"), &[("N", 3)], Engine::Event, 125, 0.20, false),
    ("consensus", program!("consensus"), &[("N", 4)], Engine::Optimal, 331_776, 419.90, true),
    ("consensus", program!("consensus"), &[("N", 4)], Engine::Event, 50_625, 177.63, true),
    ("db-cache", program!("database-cache"), &[("N", 2)], Engine::Optimal, 4_608, 2.24, false),
    // Published: 1711 and 218527. See the program for the exact numbers.
    ("db-cache", program!("database-cache"), &[("N", 3)], Engine::Event, 1_764, 2.02, false),
    ("db-cache", program!("database-cache"), &[("N", 4)], Engine::Event, 235_224, 418.34, true),
    ("prolific", program!("prolific"), &[("N", 7)], Engine::Optimal, 5_040, 11.79, false),
    ("prolific", program!("prolific"), &[("N", 9)], Engine::Event, 510, 26.28, false),
    ("sparse-mat", program!("sparse-matrix"), &[("M", 4), ("N", 3)], Engine::Optimal, 204, 0.16, false),
    ("sparse-mat", program!("sparse-matrix"), &[("M", 4), ("N", 5)], Engine::Event, 1_546, 1.66, false),
    ("sparse-mat", program!("sparse-matrix"), &[("M", 4), ("N", 5)], Engine::Optimal, 185_520, 126.06, true),
    ("sparse-mat", program!("sparse-matrix"), &[("M", 4), ("N", 7)], Engine::Event, 130_922, 234.27, true),
    (
        "mat-mult",
        program!("matrix-multiplication"),
        &[("M", 4), ("N", 3), ("K", 5)],
        Engine::Optimal,
        13_824,
        21.82,
        false,
    ),
    ("mat-mult", program!("matrix-multiplication"), &[("M", 4), ("N", 5), ("K", 5)], Engine::Event, 1, 0.07, false),
    ("plb", program!("load-balancer"), &[("N", 6)], Engine::Optimal, 10_395, 6.61, false),
    ("plb", program!("load-balancer"), &[("N", 8)], Engine::Optimal, 2_027_025, 1808.24, true),
    ("plb", program!("load-balancer"), &[("N", 8)], Engine::Event, 1, 0.06, false),
];

/// What has to be seen to grow no faster than executions do: N threads, or messages of one handler, take K steps of their
/// own and then one that is in conflict with those of the others. N! executions of about N * K steps.
const GROWING: &[(&str, &str)] = &[
    (
        "threads",
        "const N = 6; const K = 1; shared own[N] = 0; shared x = 0;
         thread worker(i in 0..N) { for k in 0..K { own[i] = k + 1; } x = i; }",
    ),
    (
        "messages",
        "const N = 6; const K = 1; shared own[N] = 0; shared x = 0; handler h any;
         thread poster(i in 0..N) { post h, work(i); }
         message work(i) { for k in 0..K { own[i] = k + 1; } x = i; }",
    ),
];

/// A run: executions, transitions, the length of the longest execution, and seconds.
struct Run {
    executions: u64,
    transitions: u64,
    length: u64,
    seconds: f64,
}

fn run(name: &str, source: &str, constants: &[(&str, i64)], engine: Engine, threads: usize) -> Run {
    let defines: Vec<(String, i64)> = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let program = compile(name, source, &defines).expect("it compiles");
    let model = Model::new(program.into(), Identity::History);
    let options = Options { all: true, threads, ..Options::default() };
    let started = Instant::now();
    let exploration = explore(engine, &model, &options, &mut Silent);
    let seconds = started.elapsed().as_secs_f64();
    let count = |counter| exploration.statistics.get(counter).expect("it is counted");
    assert_eq!(count(Counter::Blocked), 0, "{name} {constants:?} {engine}");
    let (executions, transitions) = (count(Counter::Executions), count(Counter::Transitions));
    Run { executions, transitions, length: count(Counter::MaxDepth), seconds }
}

fn main() {
    published(std::env::args().any(|argument| argument == "--all"));
    growth();
    messages(std::env::args().any(|argument| argument == "--all"));
    threads();
}

fn published(all: bool) {
    println!(
        "{:<11} {:<9} {:<8} {:>11} {:>12} {:>9} {:>10} {:>11} {:>11} {:>10}",
        "program", "size", "engine", "executions", "transitions", "s", "exec/s", "steps/s", "events/s", "published"
    );
    for &(name, source, constants, engine, executions, published, is_long) in ROWS {
        if is_long && !all {
            continue;
        }
        let Run { executions: counted, transitions, length, seconds } = run(name, source, constants, engine, 1);
        assert_eq!(counted, executions, "{name} {constants:?} {engine}");
        let a_second = |count: u64| count as f64 / seconds;
        let (rate, steps, events) = (a_second(executions), a_second(transitions), a_second(executions * length));
        let size: Vec<String> = constants.iter().map(|constant| constant.1.to_string()).collect();
        println!(
            "{name:<11} {:<9} {:<8} {executions:>11} {transitions:>12} {seconds:>9.3} {rate:>10.0} {steps:>11.0} {events:>11.0} {published:>9.2}s",
            size.join(","),
            engine.name()
        );
    }
}

fn growth() {
    println!(
        "\n{:<9} {:<8} {:>7} {:>12} {:>15} {:>8}",
        "growing", "engine", "length", "transitions", "us/execution", "ns/step"
    );
    for &(name, source) in GROWING {
        for engine in [Engine::Optimal, Engine::Event] {
            for steps in [4, 16, 64, 256, 1024] {
                let Run { executions, transitions, length, seconds } = run(name, source, &[("K", steps)], engine, 1);
                assert_eq!(executions, 720);
                let (each, step) = (seconds * 1e6 / executions as f64, seconds * 1e9 / transitions as f64);
                println!("{name:<9} {:<8} {length:>7} {transitions:>12} {each:>15.1} {step:>8.0}", engine.name());
            }
        }
    }
}

/// More messages of one handler, which are longer and in conflict with their neighbours: 2^N - 2 executions, of which each
/// is longer than those with fewer messages. The time for a step should grow by little.
fn messages(all: bool) {
    println!(
        "\n{:<9} {:>3} {:>11} {:>7} {:>12} {:>9} {:>8}",
        "prolific", "N", "executions", "length", "transitions", "s", "ns/step"
    );
    for (size, is_long) in [(5, false), (7, false), (9, false), (11, false), (12, false), (15, true)] {
        if is_long && !all {
            continue;
        }
        let Run { executions, transitions, length, seconds } =
            run("prolific", program!("prolific"), &[("N", size)], Engine::Event, 1);
        assert_eq!(executions, (1 << size) - 2);
        let step = seconds * 1e9 / transitions as f64;
        println!("{:<9} {size:>3} {executions:>11} {length:>7} {transitions:>12} {seconds:>9.3} {step:>8.0}", "");
    }
}

fn threads() {
    println!("\n{:<11} {:<8} {:>8} {:>12} {:>9}", "writers(9)", "engine", "threads", "transitions", "s");
    for engine in [Engine::Optimal, Engine::Event] {
        let mut alone = None;
        for threads in [1, 2, 4, 8] {
            let Run { executions, transitions, seconds, .. } =
                run("writers", program!("writers"), &[("N", 9)], engine, threads);
            assert_eq!((executions, transitions), (362_880, *alone.get_or_insert(transitions)));
            println!("{:<11} {:<8} {threads:>8} {transitions:>12} {seconds:>9.3}", "", engine.name());
        }
    }
}
