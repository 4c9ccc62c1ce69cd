//! The `mazurka` command: reads arguments, writes to the terminal and exits. One file per subcommand, and what they
//! share. Everything else is in the libraries.
#![forbid(unsafe_code)]
// Without PostgreSQL what only batches on several machines need is there and not used.
#![cfg_attr(not(feature = "postgres"), allow(dead_code))]

mod agree;
mod app_files;
mod apps;
mod arguments;
mod automations;
mod backstop;
mod check;
#[cfg(feature = "postgres")]
mod cluster;
#[cfg(not(feature = "postgres"))]
#[path = "no_cluster.rs"]
mod cluster;
mod compare;
mod completions;
mod console;
mod explore;
mod home;
mod jobs;
mod journal;
mod man;
mod output;
mod page;
mod pair_store;
mod pairs;
mod plan;
mod replay;
mod save;

use arguments::{Arguments, ColourChoice, Command};
use clap::Parser;
use console::Console;
use mazurka::report::terminal::name;
use mazurka_load::LoadError;
use save::SaveError;
use std::env;
use std::process::ExitCode;

/// A usage or input error.
const BAD_INPUT: u8 = 2;

/// Runs the command that was asked for.
fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(answer) => return ExitCode::from(answer_from_arguments(&answer)),
    };
    let console = Console::new(arguments.quiet(), arguments.color);
    let result = match &arguments.command {
        Command::Check(check) => check::run(check, &console),
        Command::Apps(apps) => apps::run(apps, &console),
        Command::Pairs(pairs) => pairs::run(pairs, &console),
        Command::Replay(replay) => replay::run(replay, &console),
        Command::Compare(compare) => compare::run(compare, &console),
        Command::Explore(explore) => explore::run(explore, &console),
        Command::Agree(agree) => agree::run(agree, &console),
        Command::Work(work) => cluster::work(work, &console),
        Command::Home(home) => home::run(home, &console),
        Command::Completions(completions) => Ok(completions::run(completions, &console)),
        Command::Man(man) => man::run(man, &console),
    };
    let code = result.unwrap_or_else(|error| {
        match error.downcast_ref::<LoadError>() {
            Some(error) => console.styled_error(&error.to_string()),
            None => console.error(&format!("{error:#}")),
        }
        BAD_INPUT
    });
    let has_verdict =
        matches!(arguments.command, Command::Check(_) | Command::Pairs(_) | Command::Replay(_) | Command::Compare(_));
    ExitCode::from(unless_lost(&console, code, has_verdict))
}

/// The exit code, unless the result did not reach standard output: then it must not be taken for a whole one.
fn unless_lost(console: &Console, code: u8, has_verdict: bool) -> u8 {
    let Some(error) = console.lost_output() else { return code };
    let why = SaveError::why_of(error);
    let verdict = VERDICTS.iter().find(|(known, _)| has_verdict && *known == code).map(|(_, verdict)| *verdict);
    let verdict = verdict.map_or_else(String::new, |verdict| format!("; the verdict was {verdict}"));
    console.error(&format!("error: standard output: {why}; the result is not complete{verdict}"));
    BAD_INPUT
}

/// What the exit codes stand for.
const VERDICTS: [(u8, &str); 5] =
    [(0, "verified"), (1, "violated"), (3, "bounded"), (4, "inconclusive"), (5, "unsupported")];

/// What the arguments themselves are answered with: help, the version, or what is wrong with them.
fn answer_from_arguments(answer: &clap::Error) -> u8 {
    let console = Console::new(false, ColourChoice::Auto);
    let (mut text, styled) = (answer.render().to_string(), answer.render().ansi().to_string());
    if !answer.use_stderr() {
        console.print(if console.colour() { &styled } else { &text });
        return unless_lost(&console, 0, false);
    }
    // What stands there may come from an argument, and be no colour of ours.
    let is_plain = env::args_os().all(|argument| !argument.to_string_lossy().contains(char::is_control));
    for argument in env::args_os().map(|argument| argument.to_string_lossy().into_owned()) {
        let value = argument.split_once('=').map_or("", |(_, value)| value);
        for part in [argument.as_str(), value].into_iter().filter(|part| part.contains(char::is_control)) {
            text = text.replace(part, &name(part));
        }
    }
    if is_plain && console.error_colour() {
        console.styled_error(&styled)
    } else {
        console.error(&text)
    }
    BAD_INPUT
}
