//! `mazurka replay`: runs a saved schedule again.

use crate::arguments::Replay as Arguments;
use crate::console::Console;
use crate::output::{Format, Medium, Outputs, Unwritten};
use crate::save::save_executable;
use anyhow::{Result, anyhow};
use mazurka::report::terminal::name as shown;
use mazurka::report::walkthrough::{Reply, Walkthrough};
use mazurka::report::{ScheduleFile, Story, TextOptions, json, regression, terminal, text};
use mazurka::{Fingerprint, Found, StopReason, Verdict, Violation, ViolationKind};
use mazurka_load::{Kind, Loaded, Settings, load, read_bytes, read_text};
use std::path::Path;

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let name = &arguments.schedule;
    let files = [Some(name), arguments.program.as_ref()].into_iter().flatten().cloned().collect::<Vec<_>>();
    let outputs = Outputs::new(&arguments.format, &[Format::Text, Format::Json], &files)?;
    let file = read(name)?;
    let loaded = match &arguments.program {
        Some(program) => {
            load(std::slice::from_ref(program), &settings(&file, name, Some(program))?, console.error_colour())?
        }
        None => load_same_program(&file, name, console)?,
    };
    let (story, others) = tell(&loaded, &file, name)?;
    let mut unwritten = Unwritten::default();
    if console.is_conversation() && !arguments.print && arguments.format.is_empty() && arguments.emit_test.is_none() {
        walk(&story, console)?;
    } else {
        outputs.write(console, &mut unwritten, |format, medium| match (format, medium) {
            (Format::Json, _) => json::story(&story),
            (_, Medium::Standard) => text::story(&story, &console.text_options()),
            (_, Medium::File) => text::story(&story, &TextOptions::default()),
        });
    }
    if !story.faithful {
        console.error(&not_met(&others));
        return Ok(unwritten.tell(console, NOT_MET.exit_code()));
    }
    if let Some(path) = &arguments.emit_test {
        let written = unwritten.note(emit_test(Path::new(path), &file));
        if written.is_some() && outputs.standard == Format::Text {
            console.print(&format!("\nTEST     {path}"));
        }
    }
    Ok(unwritten.tell(console, Verdict::Violated.exit_code()))
}

/// That one schedule does not lead to a violation decides nothing.
const NOT_MET: Verdict = Verdict::Inconclusive(StopReason::Complete);

fn not_met(others: &[Violation]) -> String {
    let mut remark = "the violation does not occur along this schedule; that proves nothing about other orders:\n\
                      mazurka check looks at all of them"
        .to_owned();
    for other in others {
        remark.push_str(&format!("\nit comes to another violation: {}", other.message));
    }
    remark
}

/// Reads a saved schedule.
pub(crate) fn read(name: &str) -> Result<ScheduleFile> {
    let bytes = read_bytes(Path::new(name))
        .map_err(|why| anyhow!("error: {}: {why}\nexpected a schedule that `mazurka check` saved", shown(name)))?;
    ScheduleFile::parse(name, &String::from_utf8_lossy(&bytes)).map_err(|error| anyhow!("error: {error}"))
}

/// Follows the schedule: its story, and what else goes wrong at its end.
fn tell(loaded: &Loaded, file: &ScheduleFile, name: &str) -> Result<(Story, Vec<Violation>)> {
    let schedule = loaded.subject.resolve(file).map_err(|error| anyhow!("error: {}: {error}", shown(name)))?;
    let mut met = loaded.subject.replay(&schedule).unwrap_or_default();
    // Data races were not looked for where another violation was found.
    met.retain(|violation| violation.kind != ViolationKind::Race || file.kind == ViolationKind::Race);
    let is_wanted = |violation: &Violation| {
        violation.kind == file.kind && what(file.kind, &violation.message) == what(file.kind, &file.message)
    };
    let (mut wanted, others): (Vec<_>, Vec<_>) = met.into_iter().partition(is_wanted);
    let violation = wanted.pop().unwrap_or_else(|| Violation::new(file.kind, file.message.clone()));
    Ok((loaded.subject.tell_as_it_is(&Found { violation, schedule }), others))
}

/// What is wrong, wherever it is now: the message of a data race names the places, which move when a program is changed.
fn what(kind: ViolationKind, message: &str) -> &str {
    let (variable, _) = message.split_once(" between ").unwrap_or((message, ""));
    if kind == ViolationKind::Race { variable } else { message }
}

/// Asks for commands until there are no more.
fn walk(story: &Story, console: &Console) -> Result<()> {
    let mut walk = Walkthrough::new(story, console.text_options());
    console.print(&walk.begin());
    while let Some(line) = console.ask(&walk.prompt())? {
        match walk.obey(&line) {
            Reply::Show(text) => console.print(&text),
            Reply::Quit => break,
        }
    }
    Ok(())
}

/// Writes the test, which can be run as it is. A test of ours may be replaced, nothing else.
fn emit_test(path: &Path, file: &ScheduleFile) -> Result<()> {
    let is_test =
        |beginning: &[u8]| beginning.is_empty() || String::from_utf8_lossy(beginning).contains(regression::MARK);
    save_executable(path, regression::script(file).as_bytes(), &is_test).map_err(|error| {
        let why = error.why("exists and is not a test that mazurka wrote");
        anyhow!("{}: {why}\nexpected a place where the test can be written", terminal::path(path))
    })
}

fn another_version(schedule: &str, program: &str) -> anyhow::Error {
    anyhow!(
        "error: {}: belongs to another version of {}\n\
         expected the program as it was when the schedule was saved; check it again, or name it with --program",
        shown(schedule),
        shown(program)
    )
}

/// Loads the program that the schedule names: as it is named there, or beside the schedule. It must not have changed.
pub(crate) fn load_same_program(file: &ScheduleFile, schedule: &str, console: &Console) -> Result<Loaded> {
    let folder = Path::new(schedule).parent().unwrap_or(Path::new(""));
    let files: Vec<String> = file
        .programs
        .iter()
        .map(|program| {
            let beside = folder.join(Path::new(program).file_name().unwrap_or_default());
            if Path::new(program).exists() || !beside.exists() { program.clone() } else { beside.display().to_string() }
        })
        .collect();
    let settings = settings(file, schedule, files.first())?;
    let loaded = load(&files, &settings, console.error_colour());
    let loaded = loaded.map_err(|error| match &files[..] {
        // Whatever is wrong with another program is beside the point.
        [one] if read_text(one, "").is_ok_and(|text| Fingerprint::of_bytes(text.as_bytes()) != file.source) => {
            another_version(schedule, one)
        }
        _ => error.into(),
    })?;
    if loaded.source != file.source {
        return Err(another_version(schedule, &loaded.name));
    }
    Ok(loaded)
}

/// What the program is read with, as the schedule says.
fn settings(file: &ScheduleFile, schedule: &str, program: Option<&String>) -> Result<Settings> {
    let kind = program.and_then(|file| Kind::of(file)).unwrap_or(Kind::Mz);
    Settings::read(&file.defines, kind).map_err(|error| anyhow!("error: {}: {error}", shown(schedule)))
}
