//! The pairs of smart-home apps that VMCAI 2022 publishes figures of, run here: ours beside theirs.
//!
//! `cargo run --release --manifest-path benches/Cargo.toml --bin published-pairs -- APPS TABLE [SECONDS] [NUMBER…]`
//! where APPS is a folder that holds the apps of the study (`NAME.groovy`), TABLE is a CSV file with the published
//! figures, and SECONDS limits each search (60 if nothing is said).
//!
//! The study counts states in another way: besides the states between events there is one in which a valuation of the
//! devices is chosen, and one for each choice of a history query. Its full search tries every event in every state between
//! events, so their number is that of its transitions divided by that of its events, and this is what stands here. Our
//! transitions count each answer to a history query; theirs, each event once. Our reduced search does not take an event
//! that reports what is there already, nor count it; the full searches do both.

use mazurka_core::{Counter, Silent, StopReason};
use mazurka_engines::{Engine, Options, explore};
use mazurka_home::{Home, Options as HomeOptions, Profile};
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// A line of the published table; `None` where the study did not finish.
struct Published {
    number: String,
    apps: [String; 2],
    events: u64,
    full: Option<Figures>,
    reduced: Option<Figures>,
}

/// What one search counts.
#[derive(Clone, Copy)]
struct Figures {
    states: u64,
    transitions: u64,
    seconds: f64,
}

/// What came of a pair here.
struct Ours {
    events: u64,
    full: Option<Figures>,
    reduced: Option<Figures>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [apps, table, rest @ ..] = &arguments[..] else {
        eprintln!("usage: published-pairs APPS TABLE [SECONDS] [NUMBER…]");
        return ExitCode::from(2);
    };
    let seconds = rest.first().and_then(|text| text.parse().ok()).unwrap_or(60);
    let only: Vec<&String> = rest.iter().skip(1).collect();
    let Ok(text) = fs::read_to_string(table) else {
        eprintln!("{table}: cannot be read");
        return ExitCode::from(2);
    };
    let mut rows = Vec::new();
    header();
    for published in text.lines().skip(1).filter_map(parse) {
        if !only.is_empty() && !only.contains(&&published.number) {
            continue;
        }
        match run(&published, Path::new(apps), Duration::from_secs(seconds)) {
            Ok(ours) => {
                line(&published, &ours);
                rows.push((published, ours));
            }
            Err(why) => println!("{:>7}  {}  {why}", published.number, published.apps.join(" + ")),
        }
    }
    summary(&rows);
    ExitCode::SUCCESS
}

fn parse(line: &str) -> Option<Published> {
    let fields: Vec<&str> = line.split(',').collect();
    let figures = |at: usize| {
        let number = |text: &str| text.parse().ok();
        Some(Figures {
            states: number(fields[at])?,
            transitions: number(fields[at + 1])?,
            seconds: fields[at + 2].parse().ok()?,
        })
    };
    let events: u64 = fields.get(4)?.parse().ok()?;
    // One row has a wrong number of transitions; its number of states is right.
    let between_events = |full: Figures| full.states.min(full.transitions.checked_div(events)? + 1).checked_sub(1);
    (fields.len() == 11).then(|| Published {
        number: format!("{}#{}", fields[0], fields[1]),
        apps: [fields[2].to_owned(), fields[3].to_owned()],
        events,
        full: figures(5).and_then(|full| Some(Figures { states: between_events(full)?, ..full })),
        reduced: figures(8),
    })
}

fn run(published: &Published, apps: &Path, limit: Duration) -> Result<Ours, String> {
    let mut sources = Vec::new();
    for app in &published.apps {
        let file = apps.join(format!("{app}.groovy"));
        let bytes = fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        sources.push((format!("{app}.groovy"), String::from_utf8_lossy(&bytes).into_owned()));
    }
    let options = HomeOptions { profile: Profile::Paper, conflicts: false, ..HomeOptions::default() };
    let load = || {
        Home::load(&sources, &options).map_err(|faults| {
            let first = faults.first().and_then(|faults| faults.diagnostics.first());
            first.map_or_else(String::new, |diagnostic| diagnostic.message.clone())
        })
    };
    let events = load()?.event_count() as u64;
    // A home remembers what its apps did, so each search gets a new one. What the study did not finish takes long here,
    // too, and there is nothing to compare it with.
    let full = match published.full {
        Some(_) => search(&load()?, Engine::Exhaustive, limit)?,
        None => None,
    };
    let reduced = search(&load()?, Engine::Stateful, limit)?;
    Ok(Ours { events, full, reduced })
}

/// What a search counts; `None` if it does not finish.
fn search(home: &Home, engine: Engine, limit: Duration) -> Result<Option<Figures>, String> {
    let mut options = Options { all: true, threads: 1, ..Options::default() };
    options.budget.time = Some(limit);
    let started = Instant::now();
    let exploration = explore(engine, home, &options, &mut Silent);
    let seconds = started.elapsed().as_secs_f64();
    if let mazurka_core::Verdict::Unsupported(why) = &exploration.verdict {
        return Err(format!("unsupported: {why}"));
    }
    let count = |counter| exploration.statistics.get(counter).unwrap_or(0);
    let figures = Figures { states: count(Counter::States), transitions: count(Counter::Transitions), seconds };
    Ok((exploration.stop == StopReason::Complete).then_some(figures))
}

fn header() {
    println!(
        "{:>7}  {:<60} {:>11}  {:>21} {:>25} {:>21} {:>25} {:>19}",
        "no",
        "apps",
        "events",
        "states between events",
        "transitions, full",
        "states, reduced",
        "transitions, reduced",
        "seconds, reduced"
    );
}

/// A line of the table: ours / theirs.
fn line(published: &Published, ours: &Ours) {
    let both = |ours: Option<u64>, theirs: Option<u64>| {
        let told = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
        format!("{} / {}", told(ours), told(theirs))
    };
    let (full, reduced) = (ours.full, ours.reduced);
    let states = |figures: Option<Figures>| figures.map(|figures| figures.states);
    let transitions = |figures: Option<Figures>| figures.map(|figures| figures.transitions);
    let seconds =
        |figures: Option<Figures>| figures.map_or_else(|| "-".to_owned(), |figures| format!("{:.3}", figures.seconds));
    println!(
        "{:>7}  {:<60} {:>11}  {:>21} {:>25} {:>21} {:>25} {:>19}",
        published.number,
        published.apps.join(" + "),
        both(Some(ours.events), Some(published.events)),
        both(states(full), states(published.full)),
        both(transitions(full), transitions(published.full)),
        both(states(reduced), states(published.reduced)),
        both(transitions(reduced), transitions(published.reduced)),
        format!("{} / {}", seconds(reduced), seconds(published.reduced)),
    );
}

fn summary(rows: &[(Published, Ours)]) {
    let percent = |part: usize, all: usize| 100.0 * part as f64 / all.max(1) as f64;
    let same_events = rows.iter().filter(|(published, ours)| published.events == ours.events).count();
    println!("\n{} pairs; events equal on {same_events} ({:.1} %)", rows.len(), percent(same_events, rows.len()));

    let full: Vec<(Figures, Figures)> =
        rows.iter().filter_map(|(published, ours)| Some((ours.full?, published.full?))).collect();
    let equal = full.iter().filter(|(ours, theirs)| ours.states == theirs.states).count();
    let near = full.iter().filter(|(ours, theirs)| within_two(ours.states, theirs.states)).count();
    println!(
        "full search: both finished {}; states equal on {equal} ({:.1} %), within a factor of two on {near} ({:.1} %)",
        full.len(),
        percent(equal, full.len()),
        percent(near, full.len()),
    );
    let unfinished = |ours: fn(&Ours) -> bool, theirs: fn(&Published) -> bool| {
        rows.iter().filter(|(published, result)| theirs(published) && !ours(result)).count()
    };
    println!(
        "finished there and not here: {} of the full searches, {} of the reduced ones",
        unfinished(|ours| ours.full.is_some(), |published| published.full.is_some()),
        unfinished(|ours| ours.reduced.is_some(), |published| published.reduced.is_some()),
    );
    let speedups =
        |figures: Vec<(Figures, Figures)>| mean(figures.iter().map(|(ours, theirs)| theirs.seconds / ours.seconds));
    let reduced: Vec<(Figures, Figures)> =
        rows.iter().filter_map(|(published, ours)| Some((ours.reduced?, published.reduced?))).collect();
    println!(
        "times faster than there (geometric mean): full search {:.0}, reduced {:.0}; least {:.0}",
        speedups(full.clone()),
        speedups(reduced.clone()),
        full.iter().chain(&reduced).map(|(ours, theirs)| theirs.seconds / ours.seconds).fold(f64::INFINITY, f64::min),
    );
    let reduction = |full: Figures, reduced: Figures| full.transitions as f64 / reduced.transitions as f64;
    let ours = mean(rows.iter().filter_map(|(_, ours)| Some(reduction(ours.full?, ours.reduced?))));
    let theirs = mean(rows.iter().filter_map(|(published, _)| Some(reduction(published.full?, published.reduced?))));
    println!(
        "transitions of the full search to those of the reduced one (geometric mean): ours {ours:.2}, theirs {theirs:.2}"
    );
}

fn within_two(one: u64, other: u64) -> bool {
    one <= 2 * other && other <= 2 * one
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value.ln(), count + 1));
    (sum / f64::from(count.max(1))).exp()
}
