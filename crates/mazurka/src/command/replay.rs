//! `mazurka replay`: runs a saved schedule again.

use super::arguments::Replay as Arguments;
use super::console::Console;
use super::output::{Format, Medium, Outputs};
use anyhow::{Result, anyhow};
use mazurka::report::{ScheduleFile, TextOptions, json, text};
use mazurka::{Fingerprint, Found, Loaded, Verdict, Violation, file_trouble, load};
use std::fs;
use std::path::Path;

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let name = &arguments.schedule;
    let outputs = Outputs::new(&arguments.format, &[Format::Text, Format::Json], std::slice::from_ref(name))?;
    let bytes = fs::read(name).map_err(|error| {
        anyhow!("error: {name}: {}\nexpected a schedule that `mazurka check` saved", file_trouble(&error))
    })?;
    let file =
        ScheduleFile::parse(name, &String::from_utf8_lossy(&bytes)).map_err(|error| anyhow!("error: {error}"))?;
    let loaded = load_program(&file, name, console)?;
    if loaded.source != file.source {
        return Err(another_version(name, &loaded.name));
    }
    let schedule = loaded.subject.resolve(&file).map_err(|error| anyhow!("error: {name}: {error}"))?;
    let met = loaded.subject.replay(&schedule).unwrap_or_default();
    let violation = met
        .into_iter()
        .find(|violation| violation.kind == file.kind && violation.message == file.message)
        .unwrap_or_else(|| Violation::new(file.kind, file.message.clone()));
    let mut story = loaded.subject.tell_as_it_is(&Found { violation, schedule });
    story.saved = None;
    outputs.write(console, |format, medium| match (format, medium) {
        (Format::Json, _) => json::story(&story),
        (_, Medium::Standard) => text::story(&story, &console.text_options()),
        (_, Medium::File) => text::story(&story, &TextOptions::default()),
    })?;
    Ok(if story.faithful { Verdict::Violated } else { Verdict::Verified }.exit_code())
}

fn another_version(schedule: &str, program: &str) -> anyhow::Error {
    anyhow!(
        "error: {schedule}: belongs to another version of {program}\n\
         expected the program as it was when the schedule was saved; check it again"
    )
}

/// Loads the program that the schedule names: as it is named there, or beside the schedule.
fn load_program(file: &ScheduleFile, schedule: &str, console: &Console) -> Result<Loaded> {
    let folder = Path::new(schedule).parent().unwrap_or(Path::new(""));
    let files: Vec<String> = file
        .programs
        .iter()
        .map(|program| {
            let beside = folder.join(Path::new(program).file_name().unwrap_or_default());
            if Path::new(program).exists() || !beside.exists() { program.clone() } else { beside.display().to_string() }
        })
        .collect();
    let defines = file
        .defines
        .iter()
        .map(|(name, value)| {
            let number = value
                .parse()
                .map_err(|_| anyhow!("error: {schedule}: `define {name}={value}`\nexpected a whole number"))?;
            Ok((name.clone(), number))
        })
        .collect::<Result<Vec<(String, i64)>>>()?;
    load(&files, &defines, console.error_colour()).map_err(|error| match &files[..] {
        // Whatever is wrong with another program is beside the point.
        [one] if fs::read(one).is_ok_and(|bytes| Fingerprint::of_bytes(&bytes) != file.source) => {
            another_version(schedule, one)
        }
        _ => error.into(),
    })
}
