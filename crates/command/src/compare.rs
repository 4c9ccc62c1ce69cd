//! `mazurka compare`: all engines that fit, on one program, or on one for each value of a constant.

use crate::arguments::Compare as Arguments;
use crate::backstop::Backstop;
use crate::console::{Console, cancel_on_interrupt};
use crate::output::{Format, Medium, Outputs, Unwritten};
use crate::page;
use anyhow::Result;
use mazurka::engines::{Engine, Options};
use mazurka::report::TextOptions;
use mazurka::report::compare::{self, Entry, Point};
use mazurka::report::terminal::name;
use mazurka::{Exploration, StopReason, Verdict};
use mazurka_load::{LoadError, Loaded, Settings, load_within};
use std::ops::ControlFlow;
use std::path::Path;
use std::thread;
use std::time::Duration;

/// What an engine gets by default.
const TIME_LIMIT: Duration = Duration::from_secs(10);

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let engines = if arguments.engine.is_empty() { Engine::ALL } else { &arguments.engine[..] };
    arguments.search.variant.refuse_others(engines)?;
    let inputs = arguments.search.inputs(&arguments.files);
    let formats = [Format::Text, Format::Json, Format::Csv, Format::Html];
    let outputs = Outputs::new(&arguments.format, &formats, &inputs)?;
    let mut options = arguments.search.options(true, cancel_on_interrupt());
    options.budget.time.get_or_insert(TIME_LIMIT);
    let combinations = arguments.search.combinations()?;
    let mut comparison =
        Comparison { arguments, console, outputs, options, program: String::new(), points: Vec::new() };
    for defines in combinations {
        let settings = Settings { defines, ..arguments.search.settings() };
        let swept = arguments.search.define.iter().zip(&settings.defines).filter(|(define, _)| define.is_range());
        let constants = swept.map(|(_, constant)| constant.clone()).collect();
        let loaded = match comparison.load(&settings) {
            Err(LoadError::Stopped(reason)) => return Ok(comparison.stopped_reading(reason)),
            loaded => loaded?,
        };
        comparison.program.clone_from(&loaded.name);
        comparison.points.push(Point { constants, entries: Vec::new() });
        if comparison.run(&loaded, engines).is_break() {
            break;
        }
    }
    Ok(comparison.tell())
}

/// What is compared, and what is known so far.
struct Comparison<'a> {
    arguments: &'a Arguments,
    console: &'a Console,
    outputs: Outputs<'a>,
    options: Options,
    program: String,
    points: Vec<Point>,
}

impl Comparison<'_> {
    fn load(&self, settings: &Settings) -> Result<Loaded, LoadError> {
        let reading = Backstop::default();
        thread::scope(|scope| {
            scope.spawn(|| {
                reading.watch(&self.options.budget, |reason| self.stopped_reading(reason));
            });
            let _disarmed = reading.disarmed_at_end();
            load_within(&self.arguments.files, settings, self.console.error_colour(), &self.options.budget)
        })
    }

    /// Tells that a limit was reached before there was a program, after what other programs came to.
    fn stopped_reading(&self, reason: StopReason) -> u8 {
        if !self.points.is_empty() {
            self.write(&mut Unwritten::default(), &self.points);
        }
        let files = name(&self.arguments.files.join(" + ")).into_owned();
        self.console.error(&format!("error: {files}: {} while it was read", reason.words()));
        Verdict::Inconclusive(reason).exit_code()
    }

    /// Runs the engines on the program of the last point; stops after Ctrl-C.
    fn run(&mut self, loaded: &Loaded, engines: &[Engine]) -> ControlFlow<()> {
        let mut progress = self.console.progress(self.options.budget.time);
        for &engine in engines {
            progress.begin(engine.name());
            let backstop = Backstop::default();
            let exploration = thread::scope(|scope| {
                scope.spawn(|| backstop.watch(&self.options.budget, |reason| self.ended_by_limit(engine, reason)));
                let _disarmed = backstop.disarmed_at_end();
                loaded.subject.explore(engine, &self.options, &mut progress)
            });
            self.add(Entry::new(engine.name(), &exploration));
            if exploration.stop == StopReason::Cancelled {
                progress.clear();
                return ControlFlow::Break(());
            }
        }
        progress.clear();
        ControlFlow::Continue(())
    }

    fn add(&mut self, entry: Entry) {
        if let Some(point) = self.points.last_mut() {
            point.entries.push(entry);
        }
    }

    /// Tells what is known where an engine does not end by itself.
    fn ended_by_limit(&self, engine: Engine, reason: StopReason) -> u8 {
        let unfinished =
            Exploration { verdict: Verdict::Inconclusive(reason), stop: reason, ..Exploration::unsupported("") };
        let mut points = self.points.clone();
        if let Some(point) = points.last_mut() {
            point.entries.push(Entry::new(engine.name(), &unfinished));
        }
        let mut unwritten = Unwritten::default();
        self.write(&mut unwritten, &points);
        unwritten.tell(self.console, overall(&points).exit_code())
    }

    /// Writes the result where it belongs.
    fn tell(&self) -> u8 {
        let mut unwritten = Unwritten::default();
        self.write(&mut unwritten, &self.points);
        if let Some(folder) = &self.arguments.report {
            let path = unwritten.note(page::write(Path::new(folder), &compare::page(&self.program, &self.points)));
            if let Some(path) = path.filter(|_| self.outputs.standard == Format::Text) {
                self.console.print(&format!("\nREPORT   {}", path.display()));
            }
        }
        unwritten.tell(self.console, overall(&self.points).exit_code())
    }

    fn write(&self, unwritten: &mut Unwritten, points: &[Point]) {
        self.outputs.write(self.console, unwritten, |format, medium| match (format, medium) {
            (Format::Json, _) => compare::json(&self.program, points),
            (Format::Csv, _) => compare::csv(points),
            (Format::Html, _) => compare::page(&self.program, points),
            (_, Medium::Standard) => compare::text(points, &self.console.text_options()),
            (_, Medium::File) => compare::text(points, &TextOptions::default()),
        });
    }
}

/// The best answer of each program counts, and the worst of these: a violation, then what was not decided.
fn overall(points: &[Point]) -> Verdict {
    let verdicts: Vec<Verdict> = points.iter().map(|point| best(&point.entries)).collect();
    let violated = verdicts.iter().find(|verdict| **verdict == Verdict::Violated);
    let open = || verdicts.iter().find(|verdict| **verdict != Verdict::Verified);
    violated.or_else(open).cloned().unwrap_or(Verdict::Verified)
}

/// A violation that any engine found is one; a proof by any engine that can give one is one.
fn best(entries: &[Entry]) -> Verdict {
    let any = |wanted: Verdict| entries.iter().any(|entry| entry.verdict == wanted).then_some(wanted);
    any(Verdict::Violated)
        .or_else(|| any(Verdict::Verified))
        .or_else(|| entries.first().map(|entry| entry.verdict.clone()))
        .unwrap_or(Verdict::Verified)
}
