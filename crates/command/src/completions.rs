//! `mazurka completions`: what a shell needs to complete the command.

use crate::arguments::{Arguments, Completions};
use crate::console::Console;
use clap::CommandFactory;

pub(crate) fn run(arguments: &Completions, console: &Console) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "mazurka", &mut script);
    console.print(&String::from_utf8_lossy(&script));
    0
}
