//! `mazurka explore`: a page on this machine on which a program is run step by step.

use crate::arguments::Explore as Arguments;
use crate::console::{Console, cancel_on_interrupt};
use crate::replay::{load_same_program, read};
use anyhow::{Result, anyhow};
use mazurka::Origin;
use mazurka::report::explore::{NoWaypoint, Waypoint};
use mazurka::report::terminal::name as shown;
use mazurka_explore::{Begin, Exhibit, Opened, ServeError, serve};
use mazurka_load::{Loaded, load_within};
use std::path::Path;
use std::process::{Command, Stdio};

/// What opens an address in a browser, by system.
const OPENERS: [&str; 3] = ["xdg-open", "open", "wslview"];

/// How much memory a watched engine may use unless something else is said.
const MEMORY: u64 = 2 << 30;

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let cancel = cancel_on_interrupt();
    let mut options = arguments.search.options(true, cancel.clone());
    if arguments.search.memory_limit.is_none() {
        options.budget.memory = options.budget.memory.map(|limit| limit.min(MEMORY));
    }
    let (loaded, begin, defines) = load(arguments, console, &options.budget)?;
    let origin = Origin { files: loaded.files.clone(), source: loaded.source, defines, engine: "explore".to_owned() };
    let exhibit =
        Exhibit { name: &loaded.name, texts: &loaded.texts, subject: &*loaded.subject, origin, begin, options };
    let opened = |opened: &Opened| {
        console.print(&format!("EXPLORE  {}\n         Ctrl-C ends it.", opened.address));
        if !arguments.no_open && console.is_conversation() {
            open(&opened.address);
        }
    };
    serve(&exhibit, arguments.port, &cancel, opened).map_err(|error| match &error {
        ServeError::NoBeginning(_) => {
            anyhow!("error: {error}\nexpected a place of this program, as its page has it in its address")
        }
        ServeError::Port(..) => anyhow!("error: {error}\nexpected a port that is free; without --port one is found"),
        ServeError::System(_) => anyhow!("error: {error}"),
    })?;
    Ok(0)
}

/// What a program was read with, as a schedule file has it.
type Defines = Vec<(String, String)>;

/// The program, where its page begins, and what it was read with.
fn load(arguments: &Arguments, console: &Console, budget: &mazurka::Budget) -> Result<(Loaded, Begin, Defines)> {
    arguments.search.refuse_ranges()?;
    if let [name] = &*arguments.files
        && Path::new(name).extension().is_some_and(|extension| extension == "schedule")
    {
        if arguments.at.is_some() {
            return Err(anyhow!(
                "error: --at: the page of a schedule begins at its violation\nexpected a program with --at"
            ));
        }
        let file = read(name)?;
        let loaded = load_same_program(&file, name, console)?;
        let schedule = loaded.subject.resolve(&file).map_err(|error| anyhow!("error: {}: {error}", shown(name)))?;
        return Ok((loaded, Begin::Schedule(schedule), file.defines));
    }
    let waypoint: Result<Waypoint, NoWaypoint> = arguments.at.as_deref().unwrap_or("0").parse();
    let waypoint = waypoint.map_err(|error| anyhow!("error: --at: {error}"))?;
    let settings = arguments.search.settings();
    let loaded = load_within(&arguments.files, &settings, console.error_colour(), budget)?;
    Ok((loaded, Begin::Waypoint(waypoint), settings.written()))
}

/// Opens an address in a browser, if there is one; if there is none, the user has the address.
fn open(address: &str) {
    for opener in OPENERS {
        let started =
            Command::new(opener).arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        if let Ok(mut child) = started {
            std::thread::spawn(move || child.wait());
            return;
        }
    }
}
