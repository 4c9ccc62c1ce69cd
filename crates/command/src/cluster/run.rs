//! A run: its jobs go into the database, this machine works with the others, and the results become a table.

use super::job::{Job, folder_of};
use super::server::{Outcome, Progress, Server, workers};
use super::worker::Worker;
use crate::arguments::Pairs as Arguments;
use crate::console::Console;
use crate::jobs::at_once;
use crate::page;
use crate::plan::{Pair, Plan};
use anyhow::{Result, bail};
use indicatif::ProgressBar;
use mazurka::report::format::number;
use mazurka::report::pairs::PairRow;
use mazurka::report::terminal;
use mazurka::{Cancel, Fingerprint};
use mazurka_load::{FilesByPlace as Files, fingerprint_of};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a run that only looks on looks.
const GLANCE: Duration = Duration::from_millis(200);
/// How often the results are counted.
const COUNT: Duration = Duration::from_secs(1);
/// Where counting is slow, it takes at most one part in this many of the time.
const SHARE: u32 = 20;
/// What the file with the description of the home is called.
const HOME: &str = "home.toml";

/// Checks all of a plan, together with all workers of the same database. Returns the rows that are known in the end, in the order
/// of the plan.
pub(crate) fn check_all(
    plan: &Plan,
    arguments: &Arguments,
    console: &Console,
    cancel: &Cancel,
) -> Result<Vec<Option<PairRow>>> {
    let server = Server::connect(&arguments.store, console, cancel)?;
    let bundles = Bundles::new(plan, arguments.report.is_some());
    let keys: Vec<Option<u128>> = plan.pairs.iter().map(|pair| bundles.job(pair).map(|job| job.key)).collect();
    let mut distinct: Vec<u128> = keys.iter().flatten().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let all: Vec<u8> = distinct.iter().flat_map(|key| key.to_be_bytes()).collect();
    let run = Fingerprint::of_bytes(&all).0;
    if arguments.watch {
        if server.progress(Some(run))?.planned < distinct.len() {
            bail!(
                "error: {}: this was not begun\nexpected a run with the same programs and options; without --watch this begins it",
                server.address
            );
        }
    } else {
        let jobs = plan.pairs.iter().filter_map(|pair| bundles.job(pair));
        server.plan(run, jobs, &bundles.files, arguments.fresh)?;
    }
    drop((distinct, all));
    let begun = server.progress(Some(run))?;
    if begun.finished > 0 && !arguments.watch {
        let known = plan.kind.counted(begun.finished);
        console.error(&format!("{known} known from {}; --fresh checks them again", server.address));
    }
    let bar = console.bar(plan.kind.things(), begun.planned, begun.finished);
    let shown = Shown { server: &server, run, bar: &bar, next: Mutex::new(Instant::now()) };
    if arguments.watch {
        while !cancel.is_cancelled() && !server.is_done(Some(run))? {
            shown.update();
            thread::sleep(GLANCE);
        }
    } else {
        let at_once = at_once(arguments.jobs);
        Worker::new(&server, Some(run), at_once, true, cancel).run(&|| shown.update())?;
    }
    bar.finish_and_clear();
    rows_of(plan, &keys, &server, run)
}

/// What is shown while a run goes on.
struct Shown<'a> {
    server: &'a Server<'a>,
    run: u128,
    bar: &'a ProgressBar,
    next: Mutex<Instant>,
}

impl Shown<'_> {
    fn update(&self) {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let begun = Instant::now();
        if self.bar.is_hidden() || begun < *next {
            return;
        }
        let (Ok(progress), Ok(sessions)) = (self.server.progress(Some(self.run)), self.server.sessions()) else {
            return;
        };
        *next = begun + COUNT.max(begun.elapsed() * SHARE);
        let Progress { finished, violated, .. } = progress;
        self.bar.set_position(finished as u64);
        self.bar.set_message(format!("{} violated, {}", number(violated as u64), workers(sessions)));
    }
}

/// What the jobs of a plan are made of. A plan may have millions of them, so they are made when they are needed.
struct Bundles<'p> {
    plan: &'p Plan,
    wants_page: bool,
    files: HashMap<u128, Arc<Files>>,
    home: Option<u128>,
    /// The files of each program; nothing if they cannot be read.
    programs: Vec<Option<u128>>,
}

impl<'p> Bundles<'p> {
    fn new(plan: &'p Plan, wants_page: bool) -> Self {
        let mut files = HashMap::new();
        let mut add = |found: &Files| {
            let hash = fingerprint_of(found).0;
            files.entry(hash).or_insert_with(|| Arc::new(found.clone()));
            hash
        };
        let home = plan.home.as_ref().map(|(_, text)| add(&Files::from([(HOME.to_owned(), text.as_bytes().to_vec())])));
        let programs =
            plan.programs.iter().map(|program| program.bundle.as_ref().ok().map(|bundle| add(&bundle.files))).collect();
        Bundles { plan, wants_page, files, home, programs }
    }

    /// The job of a pair. What cannot be read is none.
    fn job(&self, pair: &Pair) -> Option<Job> {
        let (mut hashes, mut arguments) = (Vec::new(), Vec::new());
        for (place, &program) in pair.programs.iter().enumerate() {
            hashes.push(self.programs[program]?);
            arguments.extend(places_of(self.plan, program, place));
        }
        arguments.extend(pair.choice.iter().chain(&self.plan.options).cloned());
        if let Some(home) = self.home {
            arguments.push(format!("--home={}/{HOME}", folder_of(hashes.len())));
            hashes.push(home);
        }
        Job::new(hashes, arguments, self.wants_page)
    }
}

/// Where the files of a program are in the folder of a job.
fn places_of(plan: &Plan, program: usize, place: usize) -> Vec<String> {
    let given = plan.programs[program].bundle.as_ref().map(|bundle| bundle.given.as_slice()).unwrap_or_default();
    let folder = folder_of(place);
    given.iter().map(|file| if file.is_empty() { folder.clone() } else { format!("{folder}/{file}") }).collect()
}

/// The results of a plan, as far as they are known, with the names that the user gave.
fn rows_of(plan: &Plan, keys: &[Option<u128>], server: &Server<'_>, run: u128) -> Result<Vec<Option<PairRow>>> {
    let mut numbers: HashMap<u128, Vec<usize>> = HashMap::new();
    let mut rows = vec![None; plan.pairs.len()];
    for (number, key) in keys.iter().enumerate() {
        match key {
            Some(key) => numbers.entry(*key).or_default().push(number),
            None => rows[number] = Some(plan.unread(&plan.pairs[number])),
        }
    }
    let with_pages = plan.pairs.iter().any(|pair| pair.page.is_some());
    let mut unwritten = None;
    server.results(run, with_pages, |Outcome { key, row, page }| {
        for &number in numbers.get(&key).into_iter().flatten() {
            let pair = &plan.pairs[number];
            let names = names_of(plan, pair);
            // A result that cannot be read is none.
            let Some(row) = PairRow::restore(&row) else { continue };
            if let (Some(path), Some(page)) = (&pair.page, &page) {
                let written = page::write_file(path, &renamed_page(&String::from_utf8_lossy(page), &names));
                unwritten = unwritten.take().or(written.err());
            }
            rows[number] = Some(pair.with_page(renamed(PairRow { apps: pair.apps(), ..row }, &names)));
        }
    })?;
    match unwritten {
        Some(error) => Err(error),
        None => Ok(rows),
    }
}

/// What the files of a job are called there, and what the user calls them. Files that a program includes are in the same
/// folders as seen from it.
fn names_of(plan: &Plan, pair: &Pair) -> Vec<(String, String)> {
    let folder = |path: &str| path.rsplit_once('/').map_or_else(String::new, |(folder, _)| format!("{folder}/"));
    let mut names = Vec::new();
    for (place, &program) in pair.programs.iter().enumerate() {
        for (there, here) in places_of(plan, program, place).into_iter().zip(&plan.programs[program].files) {
            let is_folder = !there.contains('/');
            let (there, here) = if is_folder { (there, here.clone()) } else { (folder(&there), folder(here)) };
            names.push((there, terminal::name(&here).into_owned()));
        }
    }
    if let Some((file, _)) = &plan.home {
        let there = format!("{}/{HOME}", folder_of(pair.programs.len()));
        names.insert(0, (there, terminal::name(file).into_owned()));
    }
    names
}

fn rename(text: &str, names: &[(String, String)]) -> String {
    names.iter().fold(text.to_owned(), |text, (there, here)| text.replace(there, here))
}

fn renamed(mut row: PairRow, names: &[(String, String)]) -> PairRow {
    row.reason = row.reason.map(|reason| rename(&reason, names));
    for violation in &mut row.violations {
        violation.message = rename(&violation.message, names);
    }
    row
}

/// A page is HTML with JSON in it: only names that mean the same everywhere are put there.
fn renamed_page(page: &str, names: &[(String, String)]) -> String {
    let is_plain = |name: &&(String, String)| name.1.chars().all(|c| c.is_alphanumeric() || "/-_. ".contains(c));
    rename(page, &names.iter().filter(is_plain).cloned().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_the_names_that_the_user_gave() {
        let names = [("job-files-0/".to_owned(), "/my/apps/".to_owned()), ("job-files-1/".to_owned(), String::new())];
        let row = PairRow::failed(Vec::new(), "job-files-0/a.groovy:3: no; job-files-1/b.groovy:4: no", 1.0);
        assert_eq!(renamed(row, &names).reason.as_deref(), Some("/my/apps/a.groovy:3: no; b.groovy:4: no"));
        let odd = [("job-files-0/".to_owned(), "</script>/".to_owned())];
        assert_eq!(renamed_page("job-files-0/a", &odd), "job-files-0/a");
    }
}
