//! Threads with event queues: `dpor`, `em-dpor` as published and as ours, and `optimal`, on DroidRacer traces and on our programs
//! with handlers that take their messages in order.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench droidracer -- FOLDER` looks for the traces that were published
//! with EM-DPOR (TACAS 2016) in a folder; without one it looks beside the repository. A search that takes longer than
//! `--limit SECONDS` (5 if not given) is stopped, and a `>` stands before what it had counted until then. Beside the traces of apps
//! stand the figures of the paper's table 2, which were taken on another machine and count each operation as a transition.
//! Nothing is asserted about time.

use mazurka_core::{Budget, Counter, Silent, StopReason, System};
use mazurka_engines::{Engine, Options, explore};
use mazurka_lang::{Identity, Model, compile};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// An app's folder, its name, and what was published of DPOR and of EM-DPOR: traces, transitions, time.
const APPS: [(&str, &str, [&str; 2]); 5] = [
    ("remind-me", "Remind Me", ["24 / 1864 / 0.18s", "3 / 875 / 0.05s"]),
    ("mytracks", "My Tracks", [">1610684 / >113299092 / >4h", "405013 / 26745327 / 101m30s"]),
    ("music", "Music Player", [">1508413 / >93254810 / >4h", "266 / 34333 / 4.15s"]),
    ("charachter-recognition", "Character Recognition", ["1284788 / 67062526 / 199m28s", "756 / 39422 / 6.58s"]),
    ("aarddict", "Aard Dictionary", [">359961 / >14397143 / >4h", "14 / 4772 / 1.4s"]),
];

/// The engines, and whether each runs as it was published.
const CONTENDERS: [(Engine, bool, &str); 4] = [
    (Engine::Dpor, false, "dpor"),
    (Engine::EmDpor, true, "em-dpor --plain"),
    (Engine::EmDpor, false, "em-dpor"),
    (Engine::Optimal, false, "optimal"),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let limit = arguments.iter().position(|argument| argument == "--limit");
    let seconds = limit.and_then(|at| arguments.get(at + 1)).and_then(|value| value.parse().ok()).unwrap_or(5);
    let is_folder = |&(at, _): &(usize, &String)| limit.is_none_or(|limit| at != limit && at != limit + 1);
    let folder = arguments.iter().enumerate().find(is_folder).map(|(_, folder)| PathBuf::from(folder));
    let bench = Bench { limit: Duration::from_secs(seconds) };
    bench.print_head();
    bench.traces(&folder.unwrap_or_else(|| root().join("../shared/data/droidracer-traces")));
    bench.programs();
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

struct Bench {
    limit: Duration,
}

impl Bench {
    fn print_head(&self) {
        println!(
            "{:<42} {:<15} {:>11} {:>12} {:>10}  published: traces / transitions / time",
            "program", "engine", "executions", "transitions", "seconds"
        );
    }

    /// Measures the published traces: those of apps, and the hand-made ones.
    fn traces(&self, folder: &Path) {
        if !folder.is_dir() {
            println!("skipped: the published traces are not at {}", folder.display());
            return;
        }
        for (app, name, published) in APPS {
            self.trace(name, &folder.join("tacas-2016").join(app), published);
        }
        let kinds = ["with-single-queue", "with-multiple-queues"].map(|kind| format!("multithreading-{kind}"));
        let threads = ["only-multithreading/deadlocks", "only-multithreading"].map(str::to_owned);
        for kind in kinds.into_iter().chain(threads) {
            for number in 1.. {
                let trace = folder.join(format!("benchmark-traces/{kind}/trace{number}"));
                if !trace.is_dir() {
                    break;
                }
                self.trace(&format!("{kind} {number}"), &trace, [""; 2]);
            }
        }
    }

    fn trace(&self, name: &str, folder: &Path, published: [&str; 2]) {
        let Ok(text) = fs::read_to_string(folder.join("trace.txt")) else {
            println!("skipped: no trace in {}", folder.display());
            return;
        };
        let dependence = fs::read_to_string(folder.join("dependence.txt")).ok();
        match mazurka_droid::read("trace.txt", &text, dependence.as_deref()) {
            Ok(recording) => self.measure(name, &recording, published),
            Err(error) => println!("skipped: {name} is no trace: {error:?}"),
        }
    }

    /// Measures the programs of this repository whose handlers all take their messages in order.
    fn programs(&self) {
        let mut paths = Vec::new();
        ["examples/handlers", "examples/event-driven", "tests/papers/em-dpor"]
            .iter()
            .filter_map(|folder| fs::read_dir(root().join(folder)).ok())
            .for_each(|entries| paths.extend(entries.flatten().map(|entry| entry.path())));
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "mz")) {
            let source = fs::read_to_string(path).expect("a program can be read");
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let model = Model::new(compile(&name, &source, &[]).expect("it compiles").into(), Identity::History);
            let traits = model.traits();
            if traits.fifo_mailboxes && !traits.any_mailboxes {
                self.measure(&name, &model, [""; 2]);
            }
        }
    }

    fn measure<S: System>(&self, name: &str, system: &S, published: [&str; 2]) {
        for (engine, plain, shown) in CONTENDERS {
            let budget = Budget { time: Some(self.limit), ..Budget::default() };
            let options = Options { all: true, threads: 1, plain, budget, ..Options::default() };
            let started = Instant::now();
            let exploration = explore(engine, system, &options, &mut Silent);
            let seconds = started.elapsed().as_secs_f64();
            let more = if exploration.stop == StopReason::Complete { "" } else { ">" };
            let count = |counter| format!("{more}{}", exploration.statistics.get(counter).unwrap_or_default());
            let published = match engine {
                Engine::Dpor => published[0],
                Engine::EmDpor if plain => published[1],
                _ => "",
            };
            let (executions, transitions) = (count(Counter::Executions), count(Counter::Transitions));
            let line =
                format!("{name:<42} {shown:<15} {executions:>11} {transitions:>12} {seconds:>10.4}  {published}");
            println!("{}", line.trim_end());
        }
    }
}
