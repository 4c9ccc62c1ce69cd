//! `mazurka compare`: all engines that fit, on one program.

use super::arguments::Compare as Arguments;
use super::console::{Console, cancel_on_interrupt};
use super::output::{Format, Medium, Outputs};
use super::page;
use anyhow::Result;
use mazurka::engines::{Engine, refuses};
use mazurka::report::TextOptions;
use mazurka::report::compare::{self, Entry};
use mazurka::{Exploration, StopReason, Verdict, load_within};
use std::path::Path;
use std::time::Duration;

/// What an engine gets where nobody said anything.
const TIME_LIMIT: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let outputs =
        Outputs::new(&arguments.search.format, &[Format::Text, Format::Json, Format::Html], &arguments.files)?;
    let mut options = arguments.search.options(true, cancel_on_interrupt());
    options.budget.time.get_or_insert(TIME_LIMIT);
    let loaded = load_within(&arguments.files, &arguments.search.settings(), console.error_colour(), &options.budget)?;
    let engines = if arguments.engine.is_empty() { Engine::ALL } else { &arguments.engine[..] };
    let mut progress = console.progress(options.budget.time);
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
    outputs.write(console, |format, medium| match (format, medium) {
        (Format::Json, _) => compare::json(&loaded.name, &entries),
        (Format::Html, _) => compare::page(&loaded.name, &entries),
        (_, Medium::Standard) => compare::text(&entries, &console.text_options()),
        (_, Medium::File) => compare::text(&entries, &TextOptions::default()),
    })?;
    if let Some(folder) = &arguments.report {
        let path = page::write(Path::new(folder), &compare::page(&loaded.name, &entries))?;
        if outputs.standard == Format::Text {
            console.print(&format!("\nREPORT   {}", path.display()));
        }
    }
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
