//! The `mazurka` command: reads arguments, writes to the terminal and exits. Everything else is in the library.
#![forbid(unsafe_code)]

mod command;

use std::process::ExitCode;

fn main() -> ExitCode {
    command::main()
}
