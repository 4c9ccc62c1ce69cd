//! What a batch is going to check: pairs or triples of apps, programs by themselves, or the slices of a home.

use crate::app_files::{app_files, program_files};
use crate::arguments::{Pairs as Arguments, ProfileChoice, not_for_this_engine};
use crate::jobs::first_words;
use anyhow::{Result, anyhow, bail};
use mazurka::report::format::count;
use mazurka::report::pairs::{self, PairRow, Rows};
use mazurka::report::terminal;
use mazurka::{Engine, Fingerprint};
use mazurka_hass::Home;
use mazurka_load::{Bundle, fingerprint_of, is_configuration, load_home_with, not_for_home_assistant, read_text};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Part of the key of what is kept: results of another version are not taken for ours.
const VERSION: &str = concat!("mazurka pairs 3, ", env!("CARGO_PKG_VERSION"));
/// The folder beside the matrix with the pages of the pairs.
const PAGES: &str = "pairs";

/// Whether a store is a database, and no file.
pub(crate) fn is_address(store: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| store.starts_with(scheme))
}

/// What a batch is going to check.
pub(crate) struct Plan {
    pub(crate) kind: Rows,
    /// What the table has a row for.
    pub(crate) pairs: Vec<Pair>,
    /// The programs of which these consist.
    pub(crate) programs: Vec<Program>,
    /// The file with the description of the home, and its text.
    pub(crate) home: Option<(String, String)>,
    /// The options of each check that name no file.
    pub(crate) options: Vec<String>,
    /// How long one row may take.
    pub(crate) time_limit: Duration,
}

/// A program, or a part of one.
pub(crate) struct Program {
    /// The files, as the user named them.
    pub(crate) files: Vec<String>,
    /// Everything that is read of it, or why it cannot be read.
    pub(crate) bundle: Result<Bundle, String>,
}

/// What is checked together: two apps, or three; a program; or a slice of a home with Home Assistant.
pub(crate) struct Pair {
    names: Vec<Arc<str>>,
    /// The programs, by their place in the plan.
    pub(crate) programs: Vec<usize>,
    /// The options that choose a part of them.
    pub(crate) choice: Vec<String>,
    pub(crate) key: Fingerprint,
    /// Where its page goes, if pages are wanted. The name has the key in it, so a page that is there is the right one.
    pub(crate) page: Option<PathBuf>,
}

impl Pair {
    /// What the table calls them.
    pub(crate) fn apps(&self) -> Vec<String> {
        self.names.iter().map(|name| (**name).to_owned()).collect()
    }

    /// A row that leads to the pair's page, if there is one.
    pub(crate) fn with_page(&self, row: PairRow) -> PairRow {
        let page = self.page.as_ref().filter(|page| page.exists());
        let address = page.and_then(|page| page.file_name()).map(|name| format!("{PAGES}/{}", name.to_string_lossy()));
        PairRow { page: address, ..row }
    }
}

impl Plan {
    pub(crate) fn new(arguments: &Arguments) -> Result<Plan> {
        let kind = match arguments.of {
            None | Some(2) if arguments.files.iter().any(|file| is_configuration(file)) => Rows::Slices,
            None | Some(2) => Rows::Pairs,
            Some(1) => Rows::Programs,
            Some(_) => Rows::Triples,
        };
        refuse_promises(arguments, kind)?;
        let home = match &arguments.home.home {
            Some(file) => Some((file.clone(), read_text(file, "a description of a home")?)),
            None => None,
        };
        let time_limit = time_limit(arguments, kind);
        let options = options(arguments, kind, time_limit);
        let plan = Plan { kind, pairs: Vec::new(), programs: Vec::new(), home, options, time_limit };
        match kind {
            Rows::Slices => plan.with_slices(arguments),
            Rows::Programs => plan.with_sets(arguments, 1, &program_files(&arguments.files)?),
            Rows::Pairs => plan.with_sets(arguments, 2, &app_files(&arguments.files)?),
            Rows::Triples => plan.with_sets(arguments, 3, &app_files(&arguments.files)?),
        }
    }

    /// All sets of these files of the given size, or those that are listed.
    fn with_sets(mut self, arguments: &Arguments, size: usize, files: &[PathBuf]) -> Result<Plan> {
        let sets = match &arguments.list {
            Some(list) => listed(list, size, files)?,
            None => sets_of(size, files.len()),
        };
        if sets.is_empty() {
            let expected = ["", "one program", "two apps", "three apps"][size];
            bail!("error: {} was found\nexpected at least {expected}", count(files.len() as u64, "app", "apps"));
        }
        let mut places: HashMap<usize, usize> = HashMap::new();
        for &file in sets.iter().flatten() {
            places.entry(file).or_insert_with(|| {
                let given = vec![files[file].display().to_string()];
                // What cannot be read fails its own rows and no others.
                let bundle = Bundle::of(&given, &arguments.home.library).map_err(|error| error.to_string());
                self.programs.push(Program { files: given, bundle });
                self.programs.len() - 1
            });
        }
        let contents: Vec<u128> = self.programs.iter().map(|program| program.fingerprint().0).collect();
        let setting = self.setting(arguments);
        // There may be millions of pairs: they share the names.
        let name = |file: &PathBuf| if size == 1 { file.display().to_string() } else { stem(file) };
        let names: Vec<Arc<str>> = files.iter().map(|file| name(file).into()).collect();
        for set in sets {
            let programs: Vec<usize> = set.iter().map(|file| places[file]).collect();
            let mut whole = setting.clone();
            programs.iter().for_each(|&program| whole += &format!("\0{:x}", contents[program]));
            let key = Fingerprint::of_bytes(whole.as_bytes());
            let names: Vec<Arc<str>> = set.iter().map(|&file| Arc::clone(&names[file])).collect();
            let page = page_of(arguments, &names, key);
            self.pairs.push(Pair { names, programs, choice: Vec::new(), key, page });
        }
        Ok(self)
    }

    /// The slices of a home with Home Assistant.
    fn with_slices(mut self, arguments: &Arguments) -> Result<Plan> {
        if arguments.list.is_some() {
            bail!("error: --list: not for Home Assistant\nexpected a folder with apps (.groovy) with this option");
        }
        let configuration = load_home_with(&arguments.files, &arguments.home.never)?;
        let texts: Vec<&str> = configuration.sources.iter().map(|source| source.text.as_str()).collect();
        let source = Fingerprint::of_bytes(texts.join("\0").as_bytes());
        let home = Home::new(configuration, &[], &mazurka_hass::Options::default())
            .map_err(|name| anyhow!("error: {name}"))?;
        let bundle = Bundle::of(&arguments.files, &[]).map_err(|error| error.to_string());
        self.programs.push(Program { files: arguments.files.clone(), bundle });
        let setting = self.setting(arguments);
        for slice in 0..home.slice_count().0 {
            let automations = home.slice_automations(slice);
            let mut names: Vec<Arc<str>> = automations.iter().map(|(name, _)| Arc::from(*name)).collect();
            let choice: Vec<String> = match home.slice_expectation(slice) {
                Some(expectation) => {
                    names.insert(0, Arc::from(expectation.name.as_str()));
                    vec![format!("--expectation={}", expectation.name)]
                }
                None => automations.iter().map(|(_, entity)| format!("--automation={entity}")).collect(),
            };
            let key = Fingerprint::of_bytes(format!("{setting}\0{:x}\0{choice:?}", source.0).as_bytes());
            let page = page_of(arguments, &names, key);
            self.pairs.push(Pair { names, programs: vec![0], choice, key, page });
        }
        if self.pairs.is_empty() {
            bail!(
                "error: {}: no automations set the same thing, set each other off or wait\nexpected automations that have to do with each other",
                terminal::name(&arguments.files.join(" + "))
            );
        }
        Ok(self)
    }

    /// Everything besides the programs on which a result depends.
    fn setting(&self, arguments: &Arguments) -> String {
        let files = self.file_options(arguments);
        let home = self.home.as_ref().map_or("", |(_, text)| text);
        format!("{VERSION}\0{}\0{}\0{home}", self.options.join("\0"), files.join("\0"))
    }

    /// The options of each check that name files of this machine.
    pub(crate) fn file_options(&self, arguments: &Arguments) -> Vec<String> {
        let home = self.home.iter().map(|(file, _)| format!("--home={file}"));
        home.chain(arguments.home.library.iter().map(|folder| format!("--library={folder}"))).collect()
    }

    /// The files of a pair.
    pub(crate) fn files_of(&self, pair: &Pair) -> impl Iterator<Item = &String> {
        pair.programs.iter().flat_map(|&program| &self.programs[program].files)
    }

    /// The row of a pair that cannot be read.
    pub(crate) fn unread(&self, pair: &Pair) -> PairRow {
        let why = pair.programs.iter().find_map(|&program| self.programs[program].bundle.as_ref().err());
        let why = why.map_or_else(|| "its options cannot be written down".to_owned(), |why| first_words(why));
        PairRow::failed(pair.apps(), why, 0.0)
    }
}

impl Program {
    fn fingerprint(&self) -> Fingerprint {
        match &self.bundle {
            Ok(bundle) => fingerprint_of(&bundle.files),
            Err(why) => Fingerprint::of_bytes(why.as_bytes()),
        }
    }
}

/// All sets of numbers below a bound, of the given size, each in order.
fn sets_of(size: usize, bound: usize) -> Vec<Vec<usize>> {
    let mut sets = vec![Vec::new()];
    for _ in 0..size {
        let longer = |set: &Vec<usize>| {
            let set = set.clone();
            (set.last().map_or(0, |last| last + 1)..bound).map(move |next| {
                let mut set = set.clone();
                set.push(next);
                set
            })
        };
        sets = sets.iter().flat_map(longer).collect();
    }
    sets
}

fn page_of(arguments: &Arguments, names: &[Arc<str>], key: Fingerprint) -> Option<PathBuf> {
    arguments.report.as_ref().map(|folder| Path::new(folder).join(PAGES).join(page_name(names, key)))
}

/// The name of a pair's page: the apps, and what tells it from those of other versions of them.
fn page_name(names: &[Arc<str>], key: Fingerprint) -> String {
    let plain = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    let names: Vec<String> = names.iter().take(3).map(|name| name.chars().take(60).map(plain).collect()).collect();
    format!("{}-{:08x}.html", names.join("+"), (key.0 >> 96) as u32)
}

fn stem(file: &Path) -> String {
    file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// The sets that a file lists.
fn listed(list: &str, size: usize, files: &[PathBuf]) -> Result<Vec<Vec<usize>>> {
    if size == 1 {
        bail!("error: --list: not with --of 1\nexpected the programs themselves");
    }
    let text = read_text(list, "a list of pairs")?;
    let find = |name: &str, line: usize| {
        let wanted = name.strip_suffix(".groovy").unwrap_or(name);
        files.iter().position(|file| stem(file) == wanted).ok_or_else(|| {
            let (list, name) = (terminal::name(list), terminal::name(name));
            anyhow!("error: {list}:{line}: {name}: there is no such app\nexpected one of the apps that were given")
        })
    };
    let names = pairs::listed(list, &text, size).map_err(|error| anyhow!("error: {error}"))?;
    let set = |(line, names): (usize, Vec<String>)| names.iter().map(|name| find(name, line)).collect();
    names.into_iter().map(set).collect()
}

/// The engine that checks apps together.
pub(crate) fn engine_of_apps(arguments: &Arguments) -> Engine {
    let usual = if arguments.promises.given().next().is_some() { Engine::Exhaustive } else { Engine::Stateful };
    arguments.engine.unwrap_or(usual)
}

/// Refuses what has to happen in the end where nothing answers it.
fn refuse_promises(arguments: &Arguments, kind: Rows) -> Result<()> {
    match arguments.promises.given().next() {
        Some((option, _)) if kind == Rows::Slices => bail!("error: {}", not_for_home_assistant(option)),
        Some((option, _)) if engine_of_apps(arguments) != Engine::Exhaustive => {
            Err(not_for_this_engine(option, &[Engine::Exhaustive]))
        }
        _ => Ok(()),
    }
}

/// The options that each check is given, but for those that name files.
fn options(arguments: &Arguments, kind: Rows, time_limit: Duration) -> Vec<String> {
    let of_apps = matches!(kind, Rows::Pairs | Rows::Triples);
    let engine = if of_apps { Some(engine_of_apps(arguments)) } else { arguments.engine };
    let mut options: Vec<String> = engine.iter().map(|engine| format!("--engine={}", engine.name())).collect();
    options.push(format!("--time-limit={}ms", time_limit.as_millis()));
    options.push(format!("--memory-limit={}B", arguments.memory_limit));
    options.extend(arguments.home.never.iter().map(|rule| format!("--never={rule}")));
    for (option, values) in arguments.promises.given() {
        options.extend(values.iter().map(|value| format!("{option}={value}")));
    }
    if arguments.home.profile == ProfileChoice::Paper {
        options.push("--profile=paper".to_owned());
    }
    let flags =
        [("--no-conflicts", arguments.home.no_conflicts), ("--all", !arguments.first), ("--plain", arguments.plain)];
    options.extend(flags.into_iter().filter(|(_, is_set)| *is_set).map(|(flag, _)| flag.to_owned()));
    options
}

/// How long one row may take.
fn time_limit(arguments: &Arguments, kind: Rows) -> Duration {
    arguments.time_limit.unwrap_or(match kind {
        Rows::Slices => Duration::from_secs(2),
        _ => Duration::from_secs(30),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_all_there_and_each_once() {
        assert_eq!(sets_of(1, 2), [[0], [1]]);
        assert_eq!(sets_of(2, 3), [[0, 1], [0, 2], [1, 2]]);
        assert_eq!(sets_of(3, 4), [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]);
        assert_eq!((sets_of(3, 2).len(), sets_of(3, 30).len()), (0, 4_060));
    }
}
