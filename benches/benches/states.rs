//! States per second and bytes per state: `exhaustive` side by side with Stateright, on the same two programs.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench states` prints a table. Each figure is the best of several
//! runs, each in a process of its own; the bytes are the most that the process held, less what it held before the
//! search. That both find the same number of states is asserted; how fast they are is only printed.
//! Stateright's depth-first search keeps the whole path with every state that waits, which no memory suffices for where
//! paths are as long as those of the philosophers: there only its breadth-first search is measured.
//! Words of the arguments choose the rows: `-- dining` or `-- two-phase 8`.

use mazurka_benches::{Dining, Native, Ours, Theirs, TwoPhase, cpu_seconds, peak_bytes};
use mazurka_core::{Counter, Silent};
use mazurka_engines::{Engine, Options, explore};
use stateright::{Checker, Model};
use std::process::Command;
use std::time::Instant;

const RUNS: usize = 5;
const PROGRAMS: [(&str, [u32; 3], &[&str]); 2] = [
    ("dining", [9, 11, 13], &["mazurka", "stateright-bfs"]),
    ("two-phase", [6, 7, 8], &["mazurka", "stateright-bfs", "stateright-dfs"]),
];

/// What one search found and took.
#[derive(Clone, Copy)]
struct Measured {
    states: u64,
    transitions: u64,
    seconds: f64,
    /// The time that all threads together had on a processor: the steadier figure where the machine is busy.
    cpu_seconds: f64,
    bytes: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["--measure", program, size, search, threads] => {
            let (size, threads) = (size.parse().expect("a size"), threads.parse().expect("a number of threads"));
            let measured = match *program {
                "dining" => measure(Dining(size), search, threads),
                _ => measure(TwoPhase(size), search, threads),
            };
            let Measured { states, transitions, seconds, cpu_seconds, bytes } = measured;
            println!("{states} {transitions} {seconds} {cpu_seconds} {bytes}");
        }
        chosen => table(chosen),
    }
}

fn measure<N: Native>(program: N, search: &str, threads: usize) -> Measured {
    let before = peak_bytes();
    let started = Instant::now();
    let (states, transitions) = match search {
        "mazurka" => {
            let options = Options { all: true, threads, ..Options::default() };
            let exploration = explore(Engine::Exhaustive, &Ours(program), &options, &mut Silent);
            let count = |counter| exploration.statistics.get(counter).expect("it is counted");
            (count(Counter::States), count(Counter::Transitions))
        }
        // Stateright counts the initial state among the generated ones.
        "stateright-bfs" => {
            let checker = Theirs(program).checker().threads(threads).spawn_bfs().join();
            (checker.unique_state_count() as u64, checker.state_count() as u64 - 1)
        }
        _ => {
            let checker = Theirs(program).checker().threads(threads).spawn_dfs().join();
            (checker.unique_state_count() as u64, checker.state_count() as u64 - 1)
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    Measured { states, transitions, seconds, cpu_seconds: cpu_seconds(), bytes: peak_bytes() - before }
}

/// One search in a process of its own.
fn run(program: &str, size: u32, search: &str, threads: usize) -> Measured {
    let this = std::env::current_exe().expect("this program has a path");
    let arguments = ["--measure", program, &size.to_string(), search, &threads.to_string()].map(String::from);
    let output = Command::new(this).args(arguments).output().expect("this program runs again");
    let text = String::from_utf8_lossy(&output.stdout);
    let figures: Vec<f64> = text.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
    let [states, transitions, seconds, cpu_seconds, bytes] = figures[..] else {
        panic!("{search} on {program} {size}: {}", String::from_utf8_lossy(&output.stderr));
    };
    Measured { states: states as u64, transitions: transitions as u64, seconds, cpu_seconds, bytes: bytes as u64 }
}

/// The fastest of several runs of each search. They take turns: what else the machine does disturbs all alike.
fn best(program: &str, size: u32, threads: usize, searches: &[&str]) -> Vec<Measured> {
    let round = || searches.iter().map(|search| run(program, size, search, threads)).collect::<Vec<_>>();
    let mut fastest = round();
    for _ in 1..RUNS {
        for (fastest, again) in fastest.iter_mut().zip(round()) {
            let cpu_seconds = fastest.cpu_seconds.min(again.cpu_seconds);
            let wins = again.seconds < fastest.seconds;
            *fastest = Measured { cpu_seconds, ..if wins { again } else { *fastest } };
        }
    }
    fastest
}

fn table(chosen: &[&str]) {
    println!(
        "{:12} {:>4} {:>7}  {:14} {:>9} {:>11} {:>8} {:>6} {:>11} {:>11}  ratio",
        "program", "size", "threads", "search", "states", "transitions", "seconds", "cpu", "states/s", "bytes/state"
    );
    for (program, sizes, searches) in PROGRAMS {
        for size in sizes {
            let words = [program.to_string(), size.to_string()];
            if chosen.iter().all(|word| words.iter().any(|own| own == word)) {
                for threads in [1, 2] {
                    rows(program, size, threads, searches);
                }
            }
        }
    }
}

/// One row per search. The ratio is to the fastest of the peers.
fn rows(program: &str, size: u32, threads: usize, searches: &[&str]) {
    let measured = best(program, size, threads, searches);
    let peer = measured[1..].iter().map(|it| it.seconds).fold(f64::INFINITY, f64::min);
    for (search, it) in searches.iter().zip(&measured) {
        assert_eq!(it.states, measured[0].states, "{search} on {program} {size}");
        println!(
            "{program:12} {size:4} {threads:7}  {search:14} {:9} {:11} {:8.3} {:6.2} {:11.0} {:11.1}  {:.2}",
            it.states,
            it.transitions,
            it.seconds,
            it.cpu_seconds,
            it.states as f64 / it.seconds,
            it.bytes as f64 / it.states as f64,
            peer / it.seconds,
        );
    }
}
