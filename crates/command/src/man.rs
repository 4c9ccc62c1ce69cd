//! `mazurka man`: the help as pages for `man`.

use crate::arguments::{Arguments, Man};
use crate::console::Console;
use crate::save::save;
use anyhow::{Result, anyhow};
use clap::{Command, CommandFactory};
use mazurka::report::terminal::name;
use std::path::Path;

/// How a page of ours begins; no other file is replaced.
const HEAD: &[u8] = b".\\\" A page of mazurka\n";

pub(crate) fn run(arguments: &Man, console: &Console) -> Result<u8> {
    let mut command = Arguments::command();
    command.build();
    let parts = command.get_subcommands().filter(|part| part.get_name() != "help" && !part.is_hide_set());
    for page in [&command].into_iter().chain(parts) {
        let title = page.get_display_name().unwrap_or(page.get_name());
        let path = Path::new(&arguments.folder).join(format!("{title}.1"));
        save(&path, &text(page)?, &|head| head.starts_with(HEAD)).map_err(|error| {
            let why = error.why("exists and is not a page of mazurka");
            anyhow!("error: {}: {why}\nexpected a folder for the pages", name(&path.display().to_string()))
        })?;
        console.print(&path.display().to_string());
    }
    Ok(0)
}

fn text(command: &Command) -> Result<Vec<u8>> {
    let mut text = HEAD.to_vec();
    let version = concat!("mazurka ", env!("CARGO_PKG_VERSION"));
    clap_mangen::Man::new(command.clone()).source(version).manual("Mazurka").render(&mut text)?;
    Ok(text)
}
