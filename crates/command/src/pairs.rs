//! `mazurka pairs`: which apps fight, over all pairs of some apps.
//!
//! Each pair is checked by a process of its own, so that a pair which takes all memory or brings its checker down is one
//! line of the table and nothing more. What is known is kept in a store: a run that was ended goes on where it stopped.

use crate::app_files::app_files;
use crate::arguments::{PLAIN, Pairs as Arguments, ProfileChoice, TableFormat, not_for_this_engine};
use crate::console::{Console, cancel_on_interrupt};
use crate::jobs::{Ended, Jobs};
use crate::output::Unwritten;
use crate::page;
use crate::pair_store::PairStore;
use crate::save::save;
use anyhow::{Result, anyhow, bail};
use indicatif::ProgressBar;
use mazurka::report::accept::{self, Accepted, Marked};
use mazurka::report::format::{count, number};
use mazurka::report::matrix;
use mazurka::report::pairs::{self, PairRow, Rows};
use mazurka::report::terminal;
use mazurka::{Cancel, Engine, Fingerprint, StopReason, Verdict};
use mazurka_hass::Home;
use mazurka_load::{is_configuration, load_home_with, not_for_home_assistant, read_bytes, read_text};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Part of the key of what is kept: results of another version are not taken for ours.
const VERSION: &str = concat!("mazurka pairs 2, ", env!("CARGO_PKG_VERSION"));
/// The folder beside the matrix with the pages of the pairs.
const PAGES: &str = "pairs";

/// A pair of apps that is to be checked, or a slice of a home with Home Assistant.
struct Pair {
    /// What the table calls them.
    names: Vec<String>,
    /// What the check is given.
    arguments: Vec<OsString>,
    key: Fingerprint,
    /// Where its page goes, if pages are wanted. The name has the key in it, so a page that is there is the right one.
    page: Option<PathBuf>,
}

impl Pair {
    /// A row that leads to the pair's page, if there is one.
    fn with_page(&self, row: PairRow) -> PairRow {
        let page = self.page.as_ref().filter(|page| page.exists());
        let address = page.and_then(|page| page.file_name()).map(|name| format!("{PAGES}/{}", name.to_string_lossy()));
        PairRow { page: address, ..row }
    }
}

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    if arguments.plain && !PLAIN.contains(&engine_of_pairs(arguments)) {
        return Err(not_for_this_engine("--plain", PLAIN));
    }
    let kind = if arguments.files.iter().any(|file| is_configuration(file)) { Rows::Slices } else { Rows::Pairs };
    refuse_promises(arguments, kind)?;
    let pairs = match kind {
        Rows::Pairs => pairs_of(arguments)?,
        Rows::Slices => slices_of(arguments)?,
    };
    let accepted = match &arguments.accept {
        Some(file) => {
            let text = read_text(file, "a list of accepted findings")?;
            Some(Accepted::parse(file, &text).map_err(|error| anyhow!("error: {error}"))?)
        }
        None => None,
    };
    let store = match arguments.no_store {
        true => None,
        false => {
            let (store, remarks) = PairStore::open(Path::new(&arguments.store))?;
            remarks.iter().for_each(|remark| console.warning(remark));
            store
        }
    };
    let (mut rows, open) = known(&pairs, store.as_ref(), arguments.fresh);
    if !rows.is_empty() {
        let taken = kind.counted(rows.len());
        console.error(&format!("{taken} known from {}; --fresh checks them again", terminal::name(&arguments.store)));
    }
    let cancel = cancel_on_interrupt();
    let bar = console.bar(if kind == Rows::Pairs { "pairs" } else { "slices" }, pairs.len(), rows.len());
    let (new, unkept) = check_all(&open, kind, arguments, store.as_ref(), &cancel, &bar)?;
    bar.finish_and_clear();
    let (left, stopped) = (open.len() - new.len(), cancel.is_cancelled());
    rows.extend(new);
    let marked = accepted.as_ref().map(|accepted| accepted.mark(&mut rows)).unwrap_or_default();
    pairs::sort(&mut rows);
    console.print(&match arguments.format {
        TableFormat::Text => pairs::text(&rows, kind, &console.text_options()),
        TableFormat::Csv => pairs::csv(&rows),
        TableFormat::Json => pairs::json(&rows),
    });
    let mut unwritten = Unwritten::default();
    if let Some(folder) = &arguments.report {
        let path = unwritten.note(page::write(Path::new(folder), &matrix::page(&rows, kind)));
        if let Some(path) = path.filter(|_| arguments.format == TableFormat::Text) {
            console.print(&format!("REPORT   {}", terminal::path(&path)));
        }
    }
    if let Some(file) = &arguments.write_accept {
        unwritten.note(write_accept(Path::new(file), &rows));
    }
    if let Some(file) = &arguments.accept {
        tell_stale(file, &marked, console);
    }
    if let Some(why) = unkept {
        console.warning(&format!(
            "{}: {why}; not all results are kept for the next run",
            terminal::name(&arguments.store)
        ));
    }
    if stopped {
        let left = kind.counted(left);
        let again = if arguments.no_store { "" } else { "; the same command goes on from here" };
        console.error(&format!("interrupted: {left} left{again}"));
    }
    Ok(unwritten.tell(console, exit_code(&rows, stopped)))
}

/// Writes the list of all that was found. A list of ours may be replaced, nothing else.
pub(crate) fn write_accept(path: &Path, rows: &[PairRow]) -> Result<()> {
    let is_list = |beginning: &[u8]| beginning.is_empty() || beginning.starts_with(accept::FIRST_LINE.as_bytes());
    save(path, accept::list(rows).as_bytes(), &is_list).map_err(|error| {
        let why = error.why("exists and is not a list of accepted findings");
        anyhow!("{}: {why}\nexpected a place where the findings can be written", terminal::path(path))
    })
}

/// Says which entries of the list have nothing to accept.
fn tell_stale(file: &str, marked: &Marked, console: &Console) {
    let file = terminal::name(file);
    for (line, entry) in &marked.gone {
        console.warning(&format!("{file}:{line}: accepted, but not found any more: {entry}"));
    }
    if marked.elsewhere > 0 {
        let entries = count(marked.elsewhere as u64, "entry is", "entries are");
        console.error(&format!("{file}: {entries} about other pairs than those that were checked"));
    }
}

/// A fight anywhere is a violation; otherwise all pairs must be known to be peaceful.
fn exit_code(rows: &[PairRow], stopped: bool) -> u8 {
    let any = |verdict: &str| rows.iter().any(|row| row.verdict == verdict);
    let code = |verdict: Verdict| verdict.exit_code();
    if any("violated") {
        code(Verdict::Violated)
    } else if stopped || any("inconclusive") || any("failed") {
        code(Verdict::Inconclusive(StopReason::Cancelled))
    } else if any("bounded") {
        3
    } else if any("unsupported") {
        code(Verdict::Unsupported(String::new()))
    } else {
        code(Verdict::Verified)
    }
}

/// What is known already, and what is still to be checked.
fn known<'p>(pairs: &'p [Pair], store: Option<&PairStore>, fresh: bool) -> (Vec<PairRow>, Vec<&'p Pair>) {
    let (mut rows, mut open) = (Vec::new(), Vec::new());
    for pair in pairs {
        match store.filter(|_| !fresh).and_then(|store| store.find(pair.key)) {
            Some(row) if row.violations.is_empty() || pair.page.as_ref().is_none_or(|page| page.exists()) => {
                rows.push(pair.with_page(PairRow { apps: pair.names.clone(), ..row }));
            }
            _ => open.push(pair),
        }
    }
    (rows, open)
}

/// The pairs that are asked for.
fn pairs_of(arguments: &Arguments) -> Result<Vec<Pair>> {
    let files = app_files(&arguments.files)?;
    let chosen = match &arguments.list {
        Some(list) => listed(list, &files)?,
        None => {
            let firsts = files.iter().enumerate();
            firsts.flat_map(|(at, one)| files[at + 1..].iter().map(move |other| [one.clone(), other.clone()])).collect()
        }
    };
    if chosen.is_empty() {
        bail!("error: {} was found\nexpected at least two apps", count(files.len() as u64, "app", "apps"));
    }
    let mut contents: HashMap<PathBuf, Fingerprint> = HashMap::new();
    for file in chosen.iter().flatten() {
        if !contents.contains_key(file) {
            // What cannot be read fails its own pairs and no others.
            let bytes = read_bytes(file).unwrap_or_else(|why| why.into_bytes());
            contents.insert(file.clone(), Fingerprint::of_bytes(&bytes));
        }
    }
    let setting = setting(arguments, Rows::Pairs)?;
    let with_key = |files: [PathBuf; 2]| {
        let [one, other] = [&files[0], &files[1]].map(|file| contents[file].0);
        let key = Fingerprint::of_bytes(format!("{setting}\0{one:x}\0{other:x}").as_bytes());
        let names: Vec<String> = files.iter().map(|file| stem(file)).collect();
        let page = page_of(arguments, &names, key);
        Pair { names, arguments: files.map(PathBuf::into_os_string).to_vec(), key, page }
    };
    Ok(chosen.into_iter().map(with_key).collect())
}

/// The engine that checks pairs of apps.
fn engine_of_pairs(arguments: &Arguments) -> Engine {
    let usual = if arguments.promises.given().next().is_some() { Engine::Exhaustive } else { Engine::Stateful };
    arguments.engine.unwrap_or(usual)
}

/// Refuses what has to happen in the end where nothing answers it.
fn refuse_promises(arguments: &Arguments, kind: Rows) -> Result<()> {
    match arguments.promises.given().next() {
        Some((option, _)) if kind == Rows::Slices => bail!("error: {}", not_for_home_assistant(option)),
        Some((option, _)) if engine_of_pairs(arguments) != Engine::Exhaustive => {
            Err(not_for_this_engine(option, &[Engine::Exhaustive]))
        }
        _ => Ok(()),
    }
}

/// The slices of a home with Home Assistant.
fn slices_of(arguments: &Arguments) -> Result<Vec<Pair>> {
    if arguments.list.is_some() {
        bail!("error: --list: not for Home Assistant\nexpected a folder with apps (.groovy) with this option");
    }
    let configuration = load_home_with(&arguments.files, &arguments.home.never)?;
    let texts: Vec<&str> = configuration.sources.iter().map(|source| source.text.as_str()).collect();
    let source = Fingerprint::of_bytes(texts.join("\0").as_bytes());
    let home =
        Home::new(configuration, &[], &mazurka_hass::Options::default()).map_err(|name| anyhow!("error: {name}"))?;
    let setting = setting(arguments, Rows::Slices)?;
    let slice = |slice: usize| {
        let mut names: Vec<String> = home.slice_automations(slice).iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut given: Vec<OsString> = arguments.files.iter().map(OsString::from).collect();
        match home.slice_expectation(slice) {
            Some(expectation) => {
                names.insert(0, expectation.name.clone());
                given.extend(["--expectation".into(), OsString::from(&expectation.name)]);
            }
            None => {
                let entities = home.slice_automations(slice);
                given.extend(entities.iter().flat_map(|(_, entity)| ["--automation".into(), OsString::from(entity)]));
            }
        }
        let key = Fingerprint::of_bytes(format!("{setting}\0{:x}\0{given:?}", source.0).as_bytes());
        let page = page_of(arguments, &names, key);
        Pair { names, arguments: given, key, page }
    };
    let slices: Vec<Pair> = (0..home.slice_count().0).map(slice).collect();
    if slices.is_empty() {
        bail!(
            "error: {}: no automations set the same thing, set each other off or wait\nexpected automations that have to do with each other",
            terminal::name(&arguments.files.join(" + "))
        );
    }
    Ok(slices)
}

fn page_of(arguments: &Arguments, names: &[String], key: Fingerprint) -> Option<PathBuf> {
    arguments.report.as_ref().map(|folder| Path::new(folder).join(PAGES).join(page_name(names, key)))
}

/// Everything besides the apps on which a result depends.
fn setting(arguments: &Arguments, kind: Rows) -> Result<String> {
    let home = match &arguments.home.home {
        Some(file) => read_text(file, "a description of a home")?,
        None => String::new(),
    };
    Ok(format!("{VERSION}\0{}\0{home}", options(arguments, kind).join("\0")))
}

/// The name of a pair's page: the apps, and what tells it from those of other versions of them.
fn page_name(names: &[String], key: Fingerprint) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let names: Vec<String> = names.iter().take(2).map(|name| name.chars().take(60).map(plain).collect()).collect();
    format!("{}-{:08x}.html", names.join("+"), (key.0 >> 96) as u32)
}

fn stem(file: &Path) -> String {
    file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The pairs that a file lists.
fn listed(list: &str, files: &[PathBuf]) -> Result<Vec<[PathBuf; 2]>> {
    let text = read_text(list, "a list of pairs")?;
    let find = |name: &str, line: usize| {
        let wanted = name.strip_suffix(".groovy").unwrap_or(name);
        let file = files.iter().find(|file| stem(file) == wanted);
        file.cloned().ok_or_else(|| {
            let (list, name) = (terminal::name(list), terminal::name(name));
            anyhow!("error: {list}:{line}: {name}: there is no such app\nexpected one of the apps that were given")
        })
    };
    let names = pairs::listed(list, &text).map_err(|error| anyhow!("error: {error}"))?;
    names.into_iter().map(|(line, [one, other])| Ok([find(&one, line)?, find(&other, line)?])).collect()
}

/// The options that each check is given.
fn options(arguments: &Arguments, kind: Rows) -> Vec<String> {
    let engine = if kind == Rows::Pairs { Some(engine_of_pairs(arguments)) } else { arguments.engine };
    let mut options = Vec::new();
    let mut add = |option: &str, value: Option<String>| {
        options.extend(value.into_iter().flat_map(|value| [option.to_owned(), value]));
    };
    add("--engine", engine.map(|engine| engine.name().to_owned()));
    add("--time-limit", Some(format!("{}ms", time_limit(arguments, kind).as_millis())));
    add("--memory-limit", Some(format!("{}B", arguments.memory_limit)));
    add("--home", arguments.home.home.clone());
    for folder in &arguments.home.library {
        add("--library", Some(folder.clone()));
    }
    for rule in &arguments.home.never {
        add("--never", Some(rule.clone()));
    }
    for (option, values) in arguments.promises.given() {
        values.iter().for_each(|value| add(option, Some(value.clone())));
    }
    if arguments.home.profile == ProfileChoice::Paper {
        add("--profile", Some("paper".to_owned()));
    }
    let flags =
        [("--no-conflicts", arguments.home.no_conflicts), ("--all", !arguments.first), ("--plain", arguments.plain)];
    options.extend(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag.to_owned()));
    options
}

/// How long one row may take.
fn time_limit(arguments: &Arguments, kind: Rows) -> Duration {
    arguments.time_limit.unwrap_or(match kind {
        Rows::Pairs => Duration::from_secs(30),
        Rows::Slices => Duration::from_secs(2),
    })
}

/// Checks pairs, keeps what comes of it and returns it. Where it cannot be kept, the rows are still there for the table:
/// also says why.
fn check_all(
    pairs: &[&Pair],
    kind: Rows,
    arguments: &Arguments,
    store: Option<&PairStore>,
    cancel: &Cancel,
    bar: &ProgressBar,
) -> Result<(Vec<PairRow>, Option<String>)> {
    let options = options(arguments, kind);
    let (mut rows, mut fights, mut unkept) = (Vec::new(), 0, None);
    let jobs = Jobs { name: "check", at_once: arguments.jobs, time_limit: time_limit(arguments, kind), cancel };
    jobs.run(
        pairs,
        |pair, command| add_arguments(pair, &options, command),
        |pair, ended| (pair.key, pair.with_page(row_of(pair, ended))),
        |batch| {
            if let Some(store) = store {
                // What could not be checked now may be possible the next time.
                let known: Vec<_> = batch.iter().filter(|(_, row)| !row.has_failed()).cloned().collect();
                unkept = store.keep(&known).err().map(|error| error.to_string()).or(unkept.take());
            }
            fights += batch.iter().filter(|(_, row)| row.verdict == "violated").count();
            bar.inc(batch.len() as u64);
            bar.set_message(format!("{} violated", number(fights as u64)));
            rows.extend(batch.into_iter().map(|(_, row)| row));
            Ok(())
        },
    )?;
    Ok((rows, unkept))
}

/// The arguments of the check of a pair.
fn add_arguments(pair: &Pair, options: &[String], command: &mut Command) {
    command.arg("check").args(&pair.arguments).args(options);
    command.args(["--format", "json", "--no-schedule", "--quiet", "--threads", "1", "--until-closed"]);
    if let Some(page) = &pair.page {
        command.arg("--pair-page").arg(page);
    }
}

fn row_of(pair: &Pair, ended: Ended) -> PairRow {
    let row = PairRow::from_report(pair.names.clone(), &ended.output);
    row.unwrap_or_else(|_| PairRow::failed(pair.names.clone(), ended.trouble, ended.seconds))
}
