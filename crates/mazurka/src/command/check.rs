//! `mazurka check`: the main job.

use super::arguments::{Check as Arguments, EngineChoice};
use super::console::{Console, cancel_on_interrupt};
use super::jobs::end_when_input_is_closed;
use super::output::{Format, Medium, Outputs};
use super::page;
use anyhow::{Result, anyhow, bail};
use mazurka::engines::Options;
use mazurka::report::html::{self, Page};
use mazurka::report::{TextOptions, json, junit, sarif, text};
use mazurka::{Check, Checked, Engine, Loaded, Origin, StopReason, Verdict, file_trouble, load_within};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A picture of more states than this shows nothing.
const MOST_STATES_IN_A_PICTURE: usize = 150;
/// A picture of more events of the unfolding than this shows nothing.
const MOST_EVENTS_IN_A_PICTURE: usize = 80;

/// The first word of every schedule file: what tells it from a file of the user's.
const MAGIC: &str = "mazurka schedule";

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    if arguments.until_closed {
        end_when_input_is_closed(Verdict::Inconclusive(StopReason::Cancelled).exit_code());
    }
    let outputs = Outputs::new(&arguments.search.format, &Format::ALL, &arguments.files)?;
    let options = arguments.search.options(arguments.all, cancel_on_interrupt());
    let loaded = load_within(&arguments.files, &arguments.search.settings(), console.error_colour(), &options.budget)?;
    let mut check = Check::new(&*loaded.subject).name(&loaded.name).options(options.clone());
    if let EngineChoice::Engine(engine) = arguments.engine {
        check = check.engine(engine);
    }
    let started = SystemTime::now();
    let mut progress = console.progress(arguments.search.time_limit);
    let mut checked = check.observed_by(&mut progress);
    progress.clear();
    save_schedules(arguments, outputs.standard, &loaded, &mut checked)?;
    outputs.write(console, |format, medium| match format {
        Format::Html => page_of(&loaded, &checked, &options, None),
        Format::Text => render_text(&checked, arguments.search.quiet, medium, console),
        Format::Json => json::report(&checked.report()),
        Format::Sarif => sarif::report(&checked.report()),
        Format::Junit => junit::report(&checked.report(), started),
    })?;
    if let Some(folder) = &arguments.report {
        let path = page::write(Path::new(folder), &page_of(&loaded, &checked, &options, None))?;
        if outputs.standard == Format::Text {
            console.print(&format!("REPORT   {}", path.display()));
        }
    }
    if let Some(file) = arguments.pair_page.as_ref().filter(|_| !checked.stories.is_empty()) {
        page::write_file(Path::new(file), &page_of(&loaded, &checked, &options, Some(("all pairs", "../index.html"))))?;
    }
    Ok(checked.exploration.verdict.exit_code())
}

/// The page for a browser.
fn page_of(loaded: &Loaded, checked: &Checked, options: &Options, up: Option<(&str, &str)>) -> String {
    let schedules: Vec<_> = checked.shortened.iter().map(|found| &found.schedule).collect();
    let graph = loaded.subject.graph(&schedules, MOST_STATES_IN_A_PICTURE);
    let unfolds = checked.engine == Engine::Unfolding;
    let unfolding = unfolds.then(|| loaded.subject.unfolding(options, MOST_EVENTS_IN_A_PICTURE)).flatten();
    html::page(&Page {
        report: &checked.report(),
        sources: &loaded.texts,
        graph: graph.as_ref(),
        unfolding: unfolding.as_ref(),
        up,
    })
}

/// The text for people. Whoever wants it in a file wants all of it.
fn render_text(checked: &Checked, quiet: bool, medium: Medium, console: &Console) -> String {
    match medium {
        Medium::Standard if quiet => text::verdict(&checked.report(), &console.text_options()),
        Medium::Standard => text::report(&checked.report(), &console.text_options()),
        Medium::File => text::report(&checked.report(), &TextOptions::default()),
    }
}

/// Saves each violation's schedule: by default where the report names the file, otherwise (`--quiet`, and machines, who
/// get the schedule in the JSON) on request.
fn save_schedules(arguments: &Arguments, standard: Format, loaded: &Loaded, checked: &mut Checked) -> Result<()> {
    let named_in_report = standard == Format::Text && !arguments.search.quiet;
    if arguments.no_schedule || (!named_in_report && arguments.schedule.is_none()) {
        return Ok(());
    }
    let origin = Origin {
        files: loaded.files.clone(),
        source: loaded.source,
        defines: arguments.search.settings().written(),
        engine: checked.engine.name().to_owned(),
    };
    for (number, (found, story)) in checked.shortened.iter().zip(&mut checked.stories).enumerate() {
        let path = match (&arguments.schedule, number) {
            (Some(path), 0) => PathBuf::from(path),
            (Some(path), _) => numbered(Path::new(path), number),
            (None, _) => numbered(&PathBuf::from(stem(&loaded.files) + ".schedule"), number),
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

/// What the schedule of some files is called: their names without folders and endings.
fn stem(files: &[String]) -> String {
    let stems = files.iter().filter_map(|file| Path::new(file).file_stem()).map(|stem| stem.to_string_lossy());
    stems.collect::<Vec<_>>().join("+")
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
