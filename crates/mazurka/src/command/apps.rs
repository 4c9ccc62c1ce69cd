//! `mazurka apps`: what each of some smart-home apps asks for, and how far it runs.

use super::app_files::app_files;
use super::arguments::{Apps as Arguments, ListFormat};
use super::console::{Console, cancel_on_interrupt};
use anyhow::Result;
use indicatif::ProgressBar;
use mazurka::home::{Faults, Home, HomeText, Options};
use mazurka::report::apps::{self, AppRow, Stage};
use mazurka::{Cancel, Counter, Engine, HomeProgram, Location, StopReason, Violation, ViolationKind, read_text};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let files = app_files(&arguments.files)?;
    let cancel = cancel_on_interrupt();
    let bar = console.bar("apps", files.len(), 0);
    let (next, rows) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| work(&files, &next, &rows, arguments, &cancel, &bar));
        }
    });
    bar.finish_and_clear();
    let mut rows = rows.into_inner().unwrap_or_default();
    rows.sort_by(|one, other| one.file.cmp(&other.file));
    console.print(&match arguments.format {
        ListFormat::Text => apps::text(&rows, &console.text_options()),
        ListFormat::Json => apps::json(&rows),
    });
    if cancel.is_cancelled() {
        console.error(&format!("interrupted: {} of {} apps were looked at", rows.len(), files.len()));
        return Ok(4);
    }
    Ok(if rows.iter().all(|row| row.stage == Stage::Ran) { 0 } else { 5 })
}

fn work(
    files: &[PathBuf],
    next: &AtomicUsize,
    rows: &Mutex<Vec<AppRow>>,
    arguments: &Arguments,
    cancel: &Cancel,
    bar: &ProgressBar,
) {
    while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)).filter(|_| !cancel.is_cancelled()) {
        let look = || look_at(file, arguments, cancel);
        let row =
            catch_unwind(AssertUnwindSafe(look)).unwrap_or_else(|_| stopped(file, "this program failed".to_owned()));
        bar.inc(1);
        if let Ok(mut rows) = rows.lock() {
            rows.push(row);
        }
    }
}

fn stopped(file: &Path, why: String) -> AppRow {
    AppRow {
        file: file.display().to_string(),
        name: None,
        stage: Stage::Unread,
        inputs: Vec::new(),
        subscriptions: Vec::new(),
        events: Vec::new(),
        states: None,
        cut: false,
        faults: Vec::new(),
        stopped: Some(why),
    }
}

/// Reads an app, installs it and lets everything happen to it, for a while.
fn look_at(file: &Path, arguments: &Arguments, cancel: &Cancel) -> AppRow {
    let text = match read_text(&file.display().to_string(), "an app") {
        Ok(text) => text,
        Err(error) => return stopped(file, error.to_string().trim_start_matches("error: ").replace('\n', "; ")),
    };
    let options = Options { profile: arguments.profile.into(), home: None::<HomeText>, ..Options::default() };
    let home = match Home::load(&[(file.display().to_string(), text)], &options) {
        Ok(home) => home,
        Err(faults) => return stopped(file, first_fault(&faults)),
    };
    let overview = home.overview().swap_remove(0);
    let mut row = AppRow {
        name: Some(overview.name),
        stage: Stage::Parsed,
        inputs: overview.inputs.into_iter().map(|input| [input.name, input.kind, input.value]).collect(),
        subscriptions: overview.subscriptions,
        events: home.possible_at_start(),
        stopped: None,
        ..stopped(file, String::new())
    };
    let is_unsupported = |violation: &&Violation| violation.kind == ViolationKind::Unsupported;
    if let Some(first) = home.install_violations().iter().find(is_unsupported) {
        row.stopped = Some(told(first));
        return row;
    }
    let engine = Engine::Exhaustive;
    let program = HomeProgram::new(home);
    let mut search = mazurka::engines::Options { all: true, threads: 1, ..Default::default() };
    search.budget.time = Some(arguments.time_limit);
    search.budget.cancel = cancel.clone();
    let exploration = mazurka::Subject::explore(&program, engine, &search, &mut mazurka::Silent);
    let violations: Vec<&Violation> = exploration.violations.iter().map(|found| &found.violation).collect();
    row.states = exploration.statistics.get(Counter::States);
    row.cut = exploration.stop != StopReason::Complete;
    row.stopped = violations.iter().copied().find(is_unsupported).map(told);
    row.stage = if row.stopped.is_some() { Stage::Installed } else { Stage::Ran };
    row.faults = violations.into_iter().filter(|violation| !is_unsupported(violation)).map(told).collect();
    row
}

fn first_fault(faults: &[Faults]) -> String {
    let Some((faults, first)) = faults.iter().find_map(|faults| Some((faults, faults.diagnostics.first()?))) else {
        return "it cannot be read".to_owned();
    };
    let line = faults.source[..first.span.start.min(faults.source.len())].matches('\n').count() + 1;
    format!("{}:{line}: {}; {}", faults.file, first.message, first.label)
}

/// A violation with its place.
fn told(violation: &Violation) -> String {
    let place = violation.location.as_ref().map(Location::to_string);
    place.map_or_else(|| violation.message.clone(), |place| format!("{place}: {}", violation.message))
}
