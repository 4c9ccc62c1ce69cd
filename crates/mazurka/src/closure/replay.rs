//! `MAZURKA_REPLAY`: one schedule is run once, with the panic hook and the output that the user's code has.

use super::files::{Files, find};
use super::program::RustProgram;
use crate::subject::Subject;
use mazurka_core::{Found, Violation};
use mazurka_report::{ScheduleFile, TextOptions, text};
use std::fs;
use std::path::Path;

/// Runs the schedule that the environment names, if it is one of this test. What it came to, if it still leads to a violation: otherwise
/// everything is to be checked.
pub(super) fn asked_for(program: &RustProgram, files: &Files) -> Option<String> {
    let path = std::env::var("MAZURKA_REPLAY").ok().filter(|path| !path.is_empty())?;
    match read(&path) {
        Ok(file) if file.programs == [files.name()] => run(program, &file, &path),
        // A schedule of another test.
        Ok(_) => None,
        Err(trouble) => Some(format!("MAZURKA_REPLAY: {trouble}")),
    }
}

fn read(path: &str) -> Result<ScheduleFile, String> {
    let found = find(Path::new(path)).ok_or_else(|| format!("{path}: there is no such file"))?;
    let text = fs::read_to_string(found).map_err(|error| format!("{path}: {error}"))?;
    ScheduleFile::parse(path, &text).map_err(|error| error.to_string())
}

fn run(program: &RustProgram, file: &ScheduleFile, path: &str) -> Option<String> {
    let schedule = program.resolve(file);
    let schedule = match schedule {
        Ok(schedule) => schedule,
        Err(error) => return Some(format!("{path}: {error}")),
    };
    let violations: Vec<Violation> = match schedule.lasso {
        Some(_) => program.replay(&schedule).unwrap_or_default(),
        None => program.closure().run_once(&schedule),
    };
    let violation = violations.into_iter().next()?;
    let story = program.tell_as_it_is(&Found { violation, schedule });
    Some(format!("replayed {path}\n\n{}", text::story(&story, &TextOptions::default())))
}
