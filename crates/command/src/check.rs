//! `mazurka check`: the main job.

use crate::arguments::{Check as Arguments, EngineChoice};
use crate::backstop::{Backstop, Known, Noting};
use crate::console::{Console, cancel_on_interrupt};
use crate::jobs::end_when_input_is_closed;
use crate::output::{Format, Medium, Outputs, Unwritten};
use crate::page;
use crate::pairs::write_accept;
use crate::save::save;
use anyhow::{Result, anyhow};
use mazurka::engines::Options;
use mazurka::report::html::{self, Page};
use mazurka::report::pairs::PairRow;
use mazurka::report::{TextOptions, json, junit, may_be_replaced, sarif, terminal, text};
use mazurka::{Check, Checked, Engine, Origin, StopReason, Verdict};
use mazurka_load::{LoadError, Loaded, confine, load_within};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Instant, SystemTime};

/// A picture of more states than this shows nothing.
const MOST_STATES_IN_A_PICTURE: usize = 150;
/// A picture of more events of the unfolding than this shows nothing.
const MOST_EVENTS_IN_A_PICTURE: usize = 80;

/// What this command writes.
const FORMATS: [Format; 5] = [Format::Text, Format::Json, Format::Sarif, Format::Junit, Format::Html];

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    if arguments.until_closed {
        end_when_input_is_closed(Verdict::Inconclusive(StopReason::Cancelled).exit_code());
    }
    if arguments.confined {
        confine(Path::new(".")).map_err(|error| anyhow!("error: the current folder: {error}"))?;
    }
    let mut inputs = arguments.search.inputs(&arguments.files);
    inputs.extend(arguments.schedule.clone());
    let outputs = Outputs::new(&arguments.format, &FORMATS, &inputs)?;
    let options = arguments.search.options(arguments.all || arguments.write_accept.is_some(), cancel_on_interrupt());
    let engine = match arguments.engine {
        EngineChoice::Engine(engine) => Some(engine),
        EngineChoice::Auto => None,
    };
    arguments.search.variant.refuse_others(engine.as_slice())?;
    arguments.search.refuse_ranges()?;
    let backstop = Backstop::default();
    let known = Mutex::new(Known::new(arguments.files.join(" + "), engine.unwrap_or(Engine::Exhaustive)));
    let told = thread::scope(|scope| {
        scope.spawn(|| {
            backstop.watch(&options.budget, |reason| {
                let checked = known.lock().unwrap_or_else(PoisonError::into_inner).so_far(reason);
                tell_so_far(arguments, &outputs, console, &checked)
            });
        });
        let _disarmed = backstop.disarmed_at_end();
        search(arguments, &outputs, console, options.clone(), engine, &known)
    });
    if let Some(LoadError::Stopped(reason)) = told.as_ref().err().and_then(|error| error.downcast_ref()) {
        let checked = known.lock().unwrap_or_else(PoisonError::into_inner).so_far(*reason);
        return Ok(tell_so_far(arguments, &outputs, console, &checked));
    }
    let (loaded, options, started, mut checked) = told?;
    let mut unwritten = Unwritten::default();
    save_schedules(arguments, outputs.standard, &loaded, &mut checked, &mut unwritten);
    outputs.write(console, &mut unwritten, |format, medium| match format {
        Format::Html => page_of(&loaded, &checked, &options, None),
        Format::Text | Format::Csv => render_text(&checked, arguments.search.quiet, medium, console),
        Format::Json => json::report(&checked.report()),
        Format::Sarif => sarif::report(&checked.report()),
        Format::Junit => junit::report(&checked.report(), started),
    });
    if let Some(path) = &arguments.as_test {
        let written = unwritten.note(write_test(Path::new(path), &loaded, &checked));
        if written.is_some() && outputs.standard == Format::Text {
            console.print(&format!("TEST     {path}"));
        }
    }
    if let Some(folder) = &arguments.report {
        let page = page_of(&loaded, &checked, &options, None);
        let path = unwritten.note(page::write(Path::new(folder), &page));
        if let Some(path) = path.filter(|_| outputs.standard == Format::Text) {
            console.print(&format!("REPORT   {}", path.display()));
        }
    }
    if let Some(file) = &arguments.write_accept {
        let row = PairRow::from_report(Vec::new(), &json::report(&checked.report()))
            .map_err(|error| anyhow!("error: {error}"))?;
        unwritten.note(write_accept(Path::new(file), &[row]));
    }
    if let Some(file) = arguments.pair_page.as_ref().filter(|_| !checked.stories.is_empty()) {
        let page = page_of(&loaded, &checked, &options, Some(("all pairs", "../index.html")));
        unwritten.note(page::write_file(Path::new(file), &page));
    }
    Ok(unwritten.tell(console, checked.exploration.verdict.exit_code()))
}

/// What a check works with and comes to.
type Told = (Loaded, Options, SystemTime, Checked);

/// Reads the program, searches it and tells what was found, all within the limits.
fn search(
    arguments: &Arguments,
    outputs: &Outputs<'_>,
    console: &Console,
    mut options: Options,
    engine: Option<Engine>,
    known: &Mutex<Known>,
) -> Result<Told> {
    let reading = Instant::now();
    let loaded = load_within(&arguments.files, &arguments.search.settings(), console.error_colour(), &options.budget)?;
    let included: Vec<String> = loaded.texts.iter().map(|source| source.file.clone()).collect();
    outputs.spare(&included)?;
    arguments.search.variant.refuse_pointless(&loaded.subject.traits())?;
    options.budget.time = options.budget.time.map(|limit| limit.saturating_sub(reading.elapsed()));
    let mut check = Check::new(&*loaded.subject).name(&loaded.name).options(options.clone());
    if let Some(engine) = engine {
        check = check.engine(engine);
    }
    let started = SystemTime::now();
    let mut progress = console.progress(arguments.search.time_limit);
    let searched = check.search(&mut Noting { known, to: &mut progress });
    progress.clear();
    {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        known.engine = searched.engine;
        known.searched = Some(searched.clone());
    }
    let checked = check.tell(searched);
    Ok((loaded, options, started, checked))
}

/// Tells what is known of a check that does not end by itself.
fn tell_so_far(arguments: &Arguments, outputs: &Outputs<'_>, console: &Console, checked: &Checked) -> u8 {
    let mut unwritten = Unwritten::default();
    outputs.write(console, &mut unwritten, |format, medium| match format {
        Format::Html => {
            html::page(&Page { report: &checked.report(), sources: &[], graph: None, unfolding: None, up: None })
        }
        Format::Text | Format::Csv => render_text(checked, arguments.search.quiet, medium, console),
        Format::Json => json::report(&checked.report()),
        Format::Sarif => sarif::report(&checked.report()),
        Format::Junit => junit::report(&checked.report(), SystemTime::now()),
    });
    unwritten.tell(console, checked.exploration.verdict.exit_code())
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

/// The text for people; in a file, all of it.
fn render_text(checked: &Checked, quiet: bool, medium: Medium, console: &Console) -> String {
    match medium {
        Medium::Standard if quiet => text::verdict(&checked.report(), &console.text_options()),
        Medium::Standard => text::report(&checked.report(), &console.text_options()),
        Medium::File => text::report(&checked.report(), &TextOptions::default()),
    }
}

/// Saves each violation's schedule: by default where the report names the file, otherwise (`--quiet`, and machines, who
/// get the schedule in the JSON) on request. A schedule that cannot be saved is one that the report does not name.
fn save_schedules(
    arguments: &Arguments,
    standard: Format,
    loaded: &Loaded,
    checked: &mut Checked,
    unwritten: &mut Unwritten,
) {
    let named_in_report = standard == Format::Text && !arguments.search.quiet;
    if arguments.no_schedule || (!named_in_report && arguments.schedule.is_none()) {
        return;
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
        let text = loaded.subject.record(found, &origin).to_string();
        let saved = save(&path, text.as_bytes(), &may_be_replaced).map_err(|error| {
            let why = error.why("exists and is not a schedule");
            anyhow!("{}: {why}; the schedule is not saved\n--schedule FILE names another place", terminal::path(&path))
        });
        story.saved = unwritten.note(saved).map(|()| path.display().to_string());
    }
}

/// Writes a script that plays what was found in the system that the program stands for. A script of ours may be replaced.
fn write_test(path: &Path, loaded: &Loaded, checked: &Checked) -> Result<()> {
    let scenarios: Option<Vec<String>> = checked.shortened.iter().map(|found| loaded.subject.as_test(found)).collect();
    let Some(scenarios) = scenarios else {
        return Err(anyhow!(
            "error: --as-test: {} is no configuration of Home Assistant\nexpected a folder with configuration.yaml, or .yaml files",
            terminal::path(Path::new(&loaded.name))
        ));
    };
    let script = mazurka_hass::model::test_script(&scenarios);
    let is_test =
        |beginning: &[u8]| beginning.is_empty() || script.as_bytes().starts_with(&beginning[..beginning.len().min(60)]);
    save(path, script.as_bytes(), &is_test).map_err(|error| {
        let why = error.why("exists and is not a test that mazurka wrote");
        anyhow!("{}: {why}\nexpected a place where the test can be written", terminal::path(path))
    })
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
