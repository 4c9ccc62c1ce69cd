//! One file per subcommand, and what they share.

mod agree;
mod app_files;
mod apps;
mod arguments;
mod check;
mod compare;
mod console;
mod jobs;
mod output;
mod page;
mod pair_store;
mod pairs;
mod replay;

use arguments::{Arguments, Command};
use clap::Parser;
use console::Console;
use std::process::ExitCode;

/// A usage or input error.
const BAD_INPUT: u8 = 2;

/// Runs the command that was asked for.
pub(crate) fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let console = Console::new(arguments.quiet());
    let result = match &arguments.command {
        Command::Check(check) => check::run(check, &console),
        Command::Apps(apps) => apps::run(apps, &console),
        Command::Pairs(pairs) => pairs::run(pairs, &console),
        Command::Replay(replay) => replay::run(replay, &console),
        Command::Compare(compare) => compare::run(compare, &console),
        Command::Agree(agree) => agree::run(agree, &console),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            console.error(&format!("{error:#}"));
            ExitCode::from(BAD_INPUT)
        }
    }
}
