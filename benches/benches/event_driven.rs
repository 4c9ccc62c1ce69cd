//! The programs of the paper on Event-DPOR (NETYS 2023, tables 1 to 4) at the published sizes: executions, and how many of
//! them and of their steps a second.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench event_driven` prints a table beside the published seconds, which
//! were taken on another machine. The counts are asserted; nothing is asserted about time. Rows that take long come with
//! `-- --all`.

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

fn main() {
    let all = std::env::args().any(|argument| argument == "--all");
    println!(
        "{:<11} {:<9} {:<8} {:>11} {:>12} {:>9} {:>10} {:>11} {:>10}",
        "program", "size", "engine", "executions", "transitions", "s", "exec/s", "steps/s", "published"
    );
    for &(name, source, constants, engine, executions, published, is_long) in ROWS {
        if is_long && !all {
            continue;
        }
        let defines: Vec<(String, i64)> = constants.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        let program = compile(name, source, &defines).expect("it compiles");
        let model = Model::new(program.into(), Identity::History);
        let options = Options { all: true, threads: 1, ..Options::default() };
        let started = Instant::now();
        let exploration = explore(engine, &model, &options, &mut Silent);
        let seconds = started.elapsed().as_secs_f64();
        let count = |counter| exploration.statistics.get(counter).expect("it is counted");
        assert_eq!(count(Counter::Executions), executions, "{name} {constants:?} {engine}");
        assert_eq!(count(Counter::Blocked), 0, "{name} {constants:?} {engine}");
        let transitions = count(Counter::Transitions);
        // An execution shares its first steps with the one before it: only new ones are taken.
        let (rate, steps) = (executions as f64 / seconds, transitions as f64 / seconds);
        let size: Vec<String> = constants.iter().map(|constant| constant.1.to_string()).collect();
        println!(
            "{name:<11} {:<9} {:<8} {executions:>11} {transitions:>12} {seconds:>9.3} {rate:>10.0} {steps:>11.0} {published:>9.2}s",
            size.join(","),
            engine.name()
        );
    }
}
