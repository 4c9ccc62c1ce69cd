//! `mazurka pairs`: which apps fight, over all pairs of some apps.
//!
//! Each pair is checked by a process of its own, so that a pair which takes all memory or brings its checker down is one
//! line of the table and nothing more. What is known is kept in a store: a run that was ended goes on where it stopped. Where
//! the store is a database, other machines work on it as well.

use crate::arguments::{PLAIN, Pairs as Arguments, TableFormat, not_for_this_engine};
use crate::cluster;
use crate::console::{Console, cancel_on_interrupt};
use crate::jobs::{Ended, Jobs, at_once, each};
use crate::output::Unwritten;
use crate::page;
use crate::pair_store::PairStore;
use crate::plan::{Pair, Plan, engine_of_apps, is_address};
use crate::save::save;
use anyhow::{Result, anyhow, bail};
use mazurka::report::accept::{self, Accepted, Marked};
use mazurka::report::format::{count, number};
use mazurka::report::matrix;
use mazurka::report::pairs::{self, PairRow};
use mazurka::report::terminal;
use mazurka::{Cancel, StopReason, Verdict};
use mazurka_load::read_text;
use std::path::Path;

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    if arguments.plain && !PLAIN.contains(&engine_of_apps(arguments)) {
        return Err(not_for_this_engine("--plain", PLAIN));
    }
    let is_shared = !arguments.no_store && is_address(&arguments.store);
    if arguments.watch && !is_shared {
        bail!("error: --watch: there are no others at work\nexpected --store with the address of a database");
    }
    let plan = Plan::new(arguments)?;
    let kind = plan.kind;
    let accepted = match &arguments.accept {
        Some(file) => {
            let text = read_text(file, "a list of accepted findings")?;
            Some(Accepted::parse(file, &text).map_err(|error| anyhow!("error: {error}"))?)
        }
        None => None,
    };
    let cancel = cancel_on_interrupt();
    let (rows, unkept) = match is_shared {
        true => (cluster::check_all(&plan, arguments, console, &cancel)?, None),
        false => check_all(&plan, arguments, console, &cancel)?,
    };
    let (left, stopped) = (rows.iter().filter(|row| row.is_none()).count(), cancel.is_cancelled());
    let mut rows: Vec<PairRow> = rows.into_iter().flatten().collect();
    let marked = accepted.as_ref().map(|accepted| accepted.mark(&mut rows)).unwrap_or_default();
    pairs::sort(&mut rows);
    console.print(&match arguments.format {
        TableFormat::Text => pairs::text(&rows, kind, &console.text_options()),
        TableFormat::Csv => pairs::csv(&rows, kind),
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

/// Checks all of a plan on this machine. Returns the rows that are known in the end, in the order of the plan, and why not all
/// of them are kept, if they are not.
fn check_all(
    plan: &Plan,
    arguments: &Arguments,
    console: &Console,
    cancel: &Cancel,
) -> Result<(Vec<Option<PairRow>>, Option<String>)> {
    let store = match arguments.no_store {
        true => None,
        false => {
            let (store, remarks) = PairStore::open(Path::new(&arguments.store))?;
            remarks.iter().for_each(|remark| console.warning(remark));
            store
        }
    };
    let mut rows = known(plan, store.as_ref().filter(|_| !arguments.fresh));
    let open: Vec<usize> = (0..rows.len()).filter(|&number| rows[number].is_none()).collect();
    let taken = rows.len() - open.len();
    if taken > 0 {
        let known = plan.kind.counted(taken);
        console.error(&format!("{known} known from {}; --fresh checks them again", terminal::name(&arguments.store)));
    }
    let bar = console.bar(plan.kind.things(), rows.len(), taken);
    let (mut fights, mut unkept) = (0, None);
    let jobs = Jobs { name: "check", at_once: at_once(arguments.jobs).min(open.len()), cancel };
    let files = plan.file_options(arguments);
    jobs.run(
        each(&open),
        |&&number, command| {
            let pair = &plan.pairs[number];
            command.arg("check").args(plan.files_of(pair)).args(&pair.choice).args(&plan.options).args(&files);
            command.args(["--format=json", "--no-schedule", "--quiet", "--threads=1", "--until-closed"]);
            if let Some(page) = &pair.page {
                command.arg("--pair-page").arg(page);
            }
            plan.time_limit
        },
        |&number, ended| (number, row_of(&plan.pairs[number], ended)),
        |batch| {
            if let Some(store) = &store {
                // What could not be checked now may be possible the next time.
                let lasting = batch.iter().filter(|(_, row)| !row.has_failed());
                let known: Vec<_> = lasting.map(|(number, row)| (plan.pairs[*number].key, row.clone())).collect();
                unkept = store.keep(&known).err().map(|error| error.to_string()).or(unkept.take());
            }
            fights += batch.iter().filter(|(_, row)| row.verdict == "violated").count();
            bar.inc(batch.len() as u64);
            bar.set_message(format!("{} violated", number(fights as u64)));
            batch.into_iter().for_each(|(number, row)| rows[number] = Some(row));
            Ok(())
        },
    )?;
    bar.finish_and_clear();
    Ok((rows, unkept))
}

/// What is known already.
fn known(plan: &Plan, store: Option<&PairStore>) -> Vec<Option<PairRow>> {
    let row = |pair: &Pair| {
        let row = store?.find(pair.key)?;
        let is_whole = row.violations.is_empty() || pair.page.as_ref().is_none_or(|page| page.exists());
        is_whole.then(|| pair.with_page(PairRow { apps: pair.apps(), ..row }))
    };
    plan.pairs.iter().map(row).collect()
}

fn row_of(pair: &Pair, ended: Ended) -> PairRow {
    let row = PairRow::from_report(pair.apps(), &ended.output);
    pair.with_page(row.unwrap_or_else(|_| PairRow::failed(pair.apps(), ended.trouble, ended.seconds)))
}
