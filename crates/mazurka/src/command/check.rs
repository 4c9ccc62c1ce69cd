//! `mazurka check`: the main job.

use super::arguments::{Check as Arguments, EngineChoice, Format, Search};
use super::console::{Console, cancel_on_interrupt};
use anyhow::{Result, anyhow, bail};
use mazurka::report::{json, text};
use mazurka::{Check, Checked, Loaded, Origin, file_trouble, load};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The first word of every schedule file: what tells it from a file of the user's.
const MAGIC: &str = "mazurka schedule";

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let loaded = load(&arguments.search.files(&arguments.files), &arguments.search.define, console.error_colour())?;
    let options = arguments.search.options(arguments.all, cancel_on_interrupt());
    let mut check = Check::new(&*loaded.subject).name(&loaded.name).options(options);
    if let EngineChoice::Engine(engine) = arguments.engine {
        check = check.engine(engine);
    }
    let mut progress = console.progress();
    let mut checked = check.observed_by(&mut progress);
    progress.clear();
    save_schedules(arguments, &loaded, &mut checked)?;
    console.print(&render(&checked, &arguments.search, console));
    Ok(checked.exploration.verdict.exit_code())
}

fn render(checked: &Checked, search: &Search, console: &Console) -> String {
    let options = console.text_options();
    match search.format {
        Format::Json => json::report(&checked.report()),
        Format::Text if search.quiet => text::verdict(&checked.report(), &options),
        Format::Text => text::report(&checked.report(), &options),
    }
}

/// Saves each violation's schedule: by default where the report names the file, otherwise (`--quiet`, and machines, who
/// get the schedule in the JSON) on request.
fn save_schedules(arguments: &Arguments, loaded: &Loaded, checked: &mut Checked) -> Result<()> {
    let named_in_report = arguments.search.format == Format::Text && !arguments.search.quiet;
    if arguments.no_schedule || (!named_in_report && arguments.schedule.is_none()) {
        return Ok(());
    }
    let origin = Origin {
        files: loaded.files.clone(),
        source: loaded.source,
        defines: arguments.search.define.iter().map(|(name, value)| (name.clone(), value.to_string())).collect(),
        engine: checked.engine.name().to_owned(),
    };
    for (number, (found, story)) in checked.shortened.iter().zip(&mut checked.stories).enumerate() {
        let path = match (&arguments.schedule, number) {
            (Some(path), 0) => PathBuf::from(path),
            (Some(path), _) => numbered(Path::new(path), number),
            (None, _) => numbered(&PathBuf::from(stem(&loaded.name)).with_extension("schedule"), number),
        };
        refuse_to_overwrite(&path)?;
        let file = loaded.subject.record(found, &origin);
        fs::write(&path, file.to_string()).map_err(|error| {
            let why = match error.kind() {
                io::ErrorKind::NotFound => "there is no such folder".to_owned(),
                _ => file_trouble(&error),
            };
            anyhow!("error: {}: {why}\nexpected a place where the schedule can be saved", path.display())
        })?;
        story.saved = Some(path.display().to_string());
    }
    Ok(())
}

fn stem(name: &str) -> String {
    Path::new(name).file_stem().map_or_else(|| "program".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// The second violation's schedule goes into `name-2.schedule`, and so on.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let extension = path.extension().map_or_else(|| "schedule".to_owned(), |end| end.to_string_lossy().into_owned());
    path.with_file_name(format!("{stem}-{}.{extension}", number + 1))
}

/// A schedule of ours may be replaced, nothing else.
fn refuse_to_overwrite(path: &Path) -> Result<()> {
    match fs::read(path) {
        Ok(bytes) if !bytes.starts_with(MAGIC.as_bytes()) => {
            bail!(
                "error: {}: exists and is not a schedule\nexpected a new file; --schedule FILE names another one",
                path.display()
            )
        }
        _ => Ok(()),
    }
}
