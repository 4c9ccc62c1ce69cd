//! `mazurka compare`: all engines that fit, on one program.

use crate::arguments::Compare as Arguments;
use crate::backstop::Backstop;
use crate::console::{Console, cancel_on_interrupt};
use crate::output::{Format, Medium, Outputs, Unwritten};
use crate::page;
use anyhow::Result;
use mazurka::engines::Engine;
use mazurka::report::TextOptions;
use mazurka::report::compare::{self, Entry};
use mazurka::report::terminal::name;
use mazurka::{Exploration, StopReason, Verdict};
use mazurka_load::{LoadError, load_within};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// What an engine gets by default.
const TIME_LIMIT: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let engines = if arguments.engine.is_empty() { Engine::ALL } else { &arguments.engine[..] };
    arguments.search.variant.refuse_others(engines)?;
    let inputs = arguments.search.inputs(&arguments.files);
    let outputs = Outputs::new(&arguments.format, &[Format::Text, Format::Json, Format::Html], &inputs)?;
    let mut options = arguments.search.options(true, cancel_on_interrupt());
    options.budget.time.get_or_insert(TIME_LIMIT);
    let settings = arguments.search.settings();
    let stopped = |reason: StopReason| {
        let files = name(&arguments.files.join(" + ")).into_owned();
        console.error(&format!("error: {files}: {} while it was read", reason.words()));
        Verdict::Inconclusive(reason).exit_code()
    };
    let reading = Backstop::default();
    let loaded = thread::scope(|scope| {
        scope.spawn(|| {
            reading.watch(&options.budget, stopped);
        });
        let _disarmed = reading.disarmed_at_end();
        load_within(&arguments.files, &settings, console.error_colour(), &options.budget)
    });
    let loaded = match loaded {
        Err(LoadError::Stopped(reason)) => return Ok(stopped(reason)),
        loaded => loaded?,
    };
    let mut progress = console.progress(options.budget.time);
    let mut entries = Vec::new();
    for &engine in engines {
        progress.begin(engine.name());
        let backstop = Backstop::default();
        let exploration = thread::scope(|scope| {
            scope.spawn(|| {
                backstop.watch(&options.budget, |reason| {
                    let unfinished = Exploration {
                        verdict: Verdict::Inconclusive(reason),
                        stop: reason,
                        ..Exploration::unsupported("")
                    };
                    let mut entries = entries.clone();
                    entries.push(Entry::new(engine.name(), &unfinished));
                    let mut unwritten = Unwritten::default();
                    write(&outputs, console, &mut unwritten, &loaded.name, &entries);
                    unwritten.tell(console, overall(&entries).exit_code())
                });
            });
            let _disarmed = backstop.disarmed_at_end();
            loaded.subject.explore(engine, &options, &mut progress)
        });
        entries.push(Entry::new(engine.name(), &exploration));
        if exploration.stop == StopReason::Cancelled {
            break;
        }
    }
    progress.clear();
    let mut unwritten = Unwritten::default();
    write(&outputs, console, &mut unwritten, &loaded.name, &entries);
    if let Some(folder) = &arguments.report {
        let path = unwritten.note(page::write(Path::new(folder), &compare::page(&loaded.name, &entries)));
        if let Some(path) = path.filter(|_| outputs.standard == Format::Text) {
            console.print(&format!("\nREPORT   {}", path.display()));
        }
    }
    Ok(unwritten.tell(console, overall(&entries).exit_code()))
}

fn write(outputs: &Outputs<'_>, console: &Console, unwritten: &mut Unwritten, program: &str, entries: &[Entry]) {
    outputs.write(console, unwritten, |format, medium| match (format, medium) {
        (Format::Json, _) => compare::json(program, entries),
        (Format::Html, _) => compare::page(program, entries),
        (_, Medium::Standard) => compare::text(entries, &console.text_options()),
        (_, Medium::File) => compare::text(entries, &TextOptions::default()),
    });
}

/// A violation that any engine found is one; a proof by any engine that can give one is one.
fn overall(entries: &[Entry]) -> Verdict {
    let best = |wanted: Verdict| entries.iter().any(|entry| entry.verdict == wanted).then_some(wanted);
    best(Verdict::Violated)
        .or_else(|| best(Verdict::Verified))
        .or_else(|| entries.first().map(|entry| entry.verdict.clone()))
        .unwrap_or(Verdict::Verified)
}
