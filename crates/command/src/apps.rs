//! `mazurka apps`: what each of some smart-home apps asks for, and how far it runs.
//!
//! Each app is looked at by a process of its own: an app that brings it down is one line of the table.

use crate::app_files::app_files;
use crate::arguments::{Apps as Arguments, ListFormat, ProfileChoice};
use crate::automations;
use crate::console::{Console, cancel_on_interrupt, memory_in_use};
use crate::jobs::{Ended, Jobs, at_once, each, end_when_input_is_closed};
use anyhow::Result;
use mazurka::report::apps::{self, AppRow, Stage};
use mazurka::{Cancel, Counter, Engine, Location, StopReason, Verdict, Violation, ViolationKind};
use mazurka_home::{Faults, Home, HomeText, Options};
use mazurka_load::{HomeProgram, is_configuration, read_app};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How much memory one app may take.
const MEMORY: u64 = 1 << 30;

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    if arguments.files.iter().any(|file| is_configuration(file)) {
        return automations::run(arguments, console);
    }
    let files = app_files(&arguments.files)?;
    let cancel = cancel_on_interrupt();
    let mut rows = Vec::new();
    if arguments.until_closed {
        end_when_input_is_closed(Verdict::Inconclusive(StopReason::Cancelled).exit_code());
        rows.extend(files.iter().map(|file| look_at(file, arguments, &cancel)));
    } else {
        let bar = console.bar("apps", files.len(), 0);
        let jobs = Jobs { name: "run", at_once: at_once(0).min(files.len()), cancel: &cancel };
        jobs.run(
            each(&files),
            |file, command| add_arguments(file, arguments, command),
            |file, ended| row_of(file, ended),
            |batch| {
                bar.inc(batch.len() as u64);
                rows.extend(batch);
                Ok(())
            },
        )?;
        bar.finish_and_clear();
    }
    rows.sort_by(|one, other| one.file.cmp(&other.file));
    console.print(&match arguments.format {
        ListFormat::Text => apps::text(&rows, &console.text_options()),
        ListFormat::Json => apps::json(&rows),
    });
    if cancel.is_cancelled() {
        console.error(&format!("interrupted: {} of {} apps were looked at", rows.len(), files.len()));
        return Ok(Verdict::Inconclusive(StopReason::Cancelled).exit_code());
    }
    Ok(if rows.iter().all(|row| row.stage == Stage::Ran) { 0 } else { 5 })
}

/// The arguments of a process that looks at one app.
fn add_arguments(file: &Path, arguments: &Arguments, command: &mut Command) -> Duration {
    command.arg("apps").arg(file).args(["--format", "json", "--quiet", "--until-closed"]);
    command.arg("--time-limit").arg(format!("{}ms", arguments.time_limit.as_millis()));
    for folder in &arguments.library {
        command.arg("--library").arg(folder);
    }
    if arguments.profile == ProfileChoice::Paper {
        command.args(["--profile", "paper"]);
    }
    arguments.time_limit
}

fn row_of(file: &Path, ended: Ended) -> AppRow {
    match apps::restore(&ended.output).map(|mut rows| rows.pop()) {
        Some(Some(row)) => row,
        _ => stopped(file, ended.trouble),
    }
}

fn stopped(file: &Path, why: String) -> AppRow {
    AppRow::unread(file.display().to_string(), why)
}

/// Reads an app, installs it and lets everything happen to it, for a while.
fn look_at(file: &Path, arguments: &Arguments, cancel: &Cancel) -> AppRow {
    let text = match read_app(&file.display().to_string(), &arguments.library) {
        Ok(text) => text,
        Err(error) => return stopped(file, error.to_string().trim_start_matches("error: ").replace('\n', "; ")),
    };
    let options = Options { profile: arguments.profile.into(), home: None::<HomeText>, ..Options::default() };
    let mut search = mazurka::engines::Options { all: true, threads: 1, ..Default::default() };
    search.budget.time = Some(arguments.time_limit);
    search.budget.memory = Some(MEMORY);
    search.budget.memory_in_use = Some(memory_in_use);
    search.budget.cancel = cancel.clone();
    let home = match Home::load_within(&[(file.display().to_string(), text)], &options, &search.budget) {
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
    if let Some(stop) = home.stopped() {
        row.stopped = Some(format!("it was not installed: {}", stop.words()));
        return row;
    }
    if let Some(first) = home.install_violations().iter().find(is_unsupported) {
        row.stopped = Some(told(first));
        return row;
    }
    let engine = Engine::Exhaustive;
    let program = HomeProgram::new(home);
    let exploration = mazurka::Subject::explore(&program, engine, &search, &mut mazurka::Silent);
    let violations: Vec<&Violation> = exploration.violations.iter().map(|found| &found.violation).collect();
    row.states = exploration.statistics.get(Counter::States);
    row.cut = exploration.stop != StopReason::Complete;
    row.stopped = match &exploration.verdict {
        Verdict::Unsupported(reason) => Some(reason.clone()),
        _ => violations.iter().copied().find(is_unsupported).map(told),
    };
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
