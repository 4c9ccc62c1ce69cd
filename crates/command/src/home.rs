//! `mazurka home`: the home that apps are checked in, as a file.

use crate::app_files::app_files;
use crate::arguments::{HomeCommand, HomeInit, HomeTask};
use crate::console::{Console, cancel_on_interrupt};
use crate::save::save;
use anyhow::{Result, anyhow};
use mazurka::Budget;
use mazurka::report::terminal::name;
use mazurka_load::{Settings, read_home};
use std::path::Path;

pub(crate) fn run(arguments: &HomeCommand, console: &Console) -> Result<u8> {
    match &arguments.task {
        HomeTask::Init(init) => write(init, console),
    }
}

fn write(arguments: &HomeInit, console: &Console) -> Result<u8> {
    let files: Vec<String> = app_files(&arguments.files)?.iter().map(|file| file.display().to_string()).collect();
    let settings = Settings { libraries: arguments.library.clone(), ..Settings::default() };
    let budget = Budget { cancel: cancel_on_interrupt(), ..Budget::default() };
    let home = read_home(&files, &settings, console.error_colour(), &budget)?;
    if arguments.output == "-" {
        console.print(&home.written());
        return Ok(0);
    }
    let output = name(&arguments.output);
    save(Path::new(&arguments.output), home.written().as_bytes(), &|_| false).map_err(|error| {
        let why = error.why("exists already");
        anyhow!("error: {output}: {why}\nexpected a new file: --output FILE names another one")
    })?;
    console.print(&format!("{output} has the home. Change it, then check the apps in it:"));
    let files: Vec<_> = arguments.files.iter().map(|file| name(file)).collect();
    console.print(&format!("mazurka check {} --home {output}", files.join(" ")));
    Ok(0)
}
