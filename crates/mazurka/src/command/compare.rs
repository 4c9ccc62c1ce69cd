//! `mazurka compare`: all engines that fit, on one program.

use super::arguments::{Compare as Arguments, Format};
use super::console::{Console, cancel_on_interrupt};
use anyhow::Result;
use mazurka::engines::{Engine, refuses};
use mazurka::report::compare::{self, Entry};
use mazurka::{Exploration, StopReason, Verdict, load};
use std::time::Duration;

/// What an engine gets where nobody said anything.
const TIME_LIMIT: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let loaded = load(&arguments.search.files(&arguments.files), &arguments.search.define, console.error_colour())?;
    let mut options = arguments.search.options(true, cancel_on_interrupt());
    options.budget.time.get_or_insert(TIME_LIMIT);
    let engines = if arguments.engine.is_empty() { Engine::ALL } else { &arguments.engine[..] };
    let mut progress = console.progress();
    let mut entries = Vec::new();
    for &engine in engines {
        progress.begin(engine.name());
        let exploration = match refuses(engine, &loaded.subject.traits()) {
            Some(reason) => Exploration::unsupported(reason),
            None => loaded.subject.explore(engine, &options, &mut progress),
        };
        entries.push(Entry::new(engine.name(), &exploration));
        if exploration.stop == StopReason::Cancelled {
            break;
        }
    }
    progress.clear();
    console.print(&match arguments.search.format {
        Format::Text => compare::text(&entries, &console.text_options()),
        Format::Json => compare::json(&loaded.name, &entries),
    });
    Ok(overall(&entries).exit_code())
}

/// A violation that any engine found is one; a proof by any engine that can give one is one.
fn overall(entries: &[Entry]) -> Verdict {
    let best = |wanted: Verdict| entries.iter().any(|entry| entry.verdict == wanted).then_some(wanted);
    best(Verdict::Violated)
        .or_else(|| best(Verdict::Verified))
        .or_else(|| entries.first().map(|entry| entry.verdict.clone()))
        .unwrap_or(Verdict::Verified)
}
