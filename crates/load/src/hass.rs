//! Home Assistant configurations: a folder with `configuration.yaml`, or files by themselves; and a home as something that
//! can be checked. What needs a device that becomes unavailable is advice: it is told, and does not count as a violation.

use crate::folder::Folder;
use crate::load::LoadError;
use mazurka::engines::Options;
use mazurka::report::accept::Accepted;
use mazurka::report::format::count;
use mazurka::report::pairs::{PairRow, PairViolation};
use mazurka::report::terminal::name as shown;
use mazurka::report::{Basis, Considered, Site, Story, Vacuous};
use mazurka::{
    Counter, Engine, Exploration, Found, Location, Meter, Observer, Progress, Schedule, Statistics, StopReason,
    Subject, Verdict, ViolationKind,
};
use mazurka_hass::config::{Configuration, Expectation, Files, Problem, read_configuration, read_files};
use mazurka_hass::{Home, OneSlice};
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// What `verified` means for a home.
const PROMISE: &str = "no order of events makes automations fight, loop, lose a trigger, miss what they wait for or act on what is no longer so";

/// What the slices of a home share: how many states are looked at, and how long each core works on them.
#[derive(Clone, Copy)]
struct Allowance {
    states: u64,
    time: Duration,
    /// The fewest and the most states of one slice.
    of_one: [u64; 2],
}

/// What the first search of a home may take, one that takes over, and the one for advice.
const FIRST: Allowance = Allowance { states: 6_000_000, time: Duration::from_secs(60), of_one: [10_000, 200_000] };
const NEXT: Allowance = Allowance { states: 2_000_000, time: Duration::from_secs(15), of_one: [10_000, 100_000] };
const ADVICE: Allowance = Allowance { states: 2_000_000, time: Duration::from_secs(20), of_one: [2_000, 20_000] };

impl Allowance {
    /// The states and the time of one slice, when there are `slices` of them.
    fn share(self, slices: usize, cores: usize) -> (u64, Duration) {
        let [fewest, most] = self.of_one;
        let states = (self.states / slices.max(1) as u64).clamp(fewest, most);
        let time = self.time.mul_f64(cores as f64 / slices.max(1) as f64);
        (states, time.clamp(Duration::from_millis(100), Duration::from_secs(20)))
    }
}

/// How many findings are told as stories where not all are asked for; the others are listed.
const MOST_STORIES: usize = 5;

/// What stands in a comment on a line, or on the line before it, of which nothing is to be told.
const OK: &str = "# mazurka: ok";

/// What is not to be told.
#[derive(Debug, Default)]
pub struct Silenced {
    /// Automations of which nothing is told, by alias or entity.
    pub ignored: Vec<String>,
    /// Findings that are accepted.
    pub accepted: Option<Accepted>,
}

/// A home that runs Home Assistant.
#[derive(Debug)]
pub struct HomeAssistant {
    home: Home,
    /// The same home, in which devices may become unavailable.
    shaky: Home,
    silenced: Silenced,
    known: Mutex<Known>,
}

/// What the searches so far have brought.
#[derive(Debug, Default)]
struct Known {
    /// Whether a search has begun.
    has_begun: bool,
    /// The slices that no search has come to the end of.
    unfinished: Vec<usize>,
    found: Vec<Found>,
    /// What only happens when a device becomes unavailable.
    advice: Vec<String>,
    /// Findings that are listed and not told as stories.
    more: Vec<String>,
    /// Findings that are like one that is told.
    alike: Vec<String>,
    /// How many were left out because of comments and `--ignore`, and how many are accepted.
    passed_over: usize,
    accepted: usize,
    /// How many accepted findings are not found any more.
    gone: usize,
}

impl HomeAssistant {
    /// Makes a home checkable: `shaky` is the same one, in which devices may become unavailable.
    pub fn new(home: Home, shaky: Home, silenced: Silenced) -> Self {
        let unfinished = (0..home.slice_count().0).collect();
        let known = Mutex::new(Known { unfinished, ..Known::default() });
        HomeAssistant { home, shaky, silenced, known }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The automations that a sentence names.
    fn named<'m>(&self, message: &'m str) -> Vec<&'m str> {
        let routines = || {
            let configuration = self.home.configuration();
            configuration.automations.iter().chain(&configuration.scripts)
        };
        let mut names: Vec<&str> = message.split('"').skip(1).step_by(2).collect();
        names.retain(|name| routines().any(|routine| routine.name == *name));
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether the owner does not want to hear of a finding.
    fn is_passed_over(&self, message: &str, location: Option<&Location>) -> bool {
        let configuration = self.home.configuration();
        let says_ok = |path: &str, line: u32| {
            let source = configuration.sources.iter().find(|source| source.path == path);
            let lines: Vec<&str> = source.map(|source| source.text.lines().collect()).unwrap_or_default();
            let at = |line: u32| line.checked_sub(1).and_then(|line| lines.get(line as usize)).copied().unwrap_or("");
            at(line).contains(OK) || line > 1 && at(line - 1).trim_start().starts_with(OK)
        };
        if location.is_some_and(|location| says_ok(&location.file, location.line)) {
            return true;
        }
        let names = self.named(message);
        configuration.automations.iter().filter(|routine| names.contains(&routine.name.as_str())).any(|routine| {
            self.silenced.ignored.iter().any(|ignored| *ignored == routine.name || *ignored == routine.entity)
                || says_ok(configuration.path(routine.place), routine.place.line)
        })
    }

    /// Looks for what only happens when a device becomes unavailable.
    fn look_for_advice(&self, options: &Options, known: &[Found], observer: &mut dyn Observer) -> Vec<String> {
        let slices: Vec<usize> =
            (0..self.shaky.slice_count().0).filter(|&slice| self.shaky.slice_expectation(slice).is_none()).collect();
        let mut advice: Vec<String> = Vec::new();
        for (_, explored) in search(&self.shaky, &slices, Engine::Exhaustive, options, Some(ADVICE), observer) {
            let is_new = |found: &&Found| {
                let violation = &found.violation;
                !known.iter().any(|known| known.violation.same_site(violation))
                    && !self.is_passed_over(&violation.message, violation.location.as_ref())
            };
            advice.extend(explored.violations.iter().filter(is_new).map(told));
        }
        advice.sort();
        advice.dedup();
        advice
    }

    /// Brings findings into the order of their weight and keeps those that are to be told: of those at one place or about
    /// the same automations, one.
    fn digest(&self, known: &mut Known, all: bool) -> Vec<Found> {
        (known.passed_over, known.accepted, known.gone) = (0, 0, 0);
        let mut found = known.found.clone();
        found.sort_by_key(|found| (weight(found), found.schedule.moves.len(), found.violation.message.clone()));
        found.dedup_by(|one, other| one.violation.same_site(&other.violation));
        let before = found.len();
        found.retain(|found| !self.is_passed_over(&found.violation.message, found.violation.location.as_ref()));
        known.passed_over = before - found.len();
        if let Some(accepted) = &self.silenced.accepted {
            let mut rows: Vec<PairRow> = found.iter().map(|found| row_of(&found.violation.message)).collect();
            let marked = accepted.mark(&mut rows);
            let is_new: Vec<bool> = rows.iter().map(|row| !row.violations[0].accepted).collect();
            let mut is_new = is_new.into_iter();
            let before = found.len();
            found.retain(|_| is_new.next().unwrap_or(true));
            (known.accepted, known.gone) = (before - found.len(), marked.elsewhere + marked.gone.len());
        }
        let (mut seen, mut places) = (HashSet::new(), HashSet::new());
        let (mut first, mut alike) = (Vec::new(), Vec::new());
        for found in found {
            let names: Vec<String> = self.named(&found.violation.message).into_iter().map(str::to_owned).collect();
            // A fight explains why the order of two automations matters.
            let is_explained = weight(&found) == 6 && seen.contains(&(1, names.clone()));
            let is_new_group = names.is_empty() || !is_explained && seen.insert((weight(&found), names));
            let is_new_place =
                found.violation.location.clone().is_none_or(|place| places.insert((weight(&found), place)));
            if is_new_group && is_new_place { first.push(found) } else { alike.push(told(&found)) }
        }
        known.more.clear();
        known.alike = alike;
        if !all && first.len() > MOST_STORIES {
            known.more = first.split_off(MOST_STORIES).iter().map(told).collect();
        }
        first
    }
}

/// How much a kind of finding matters: the smaller, the more.
fn weight(found: &Found) -> u8 {
    match (found.violation.kind, found.violation.message.split(':').next()) {
        (ViolationKind::Invariant, _) => 0,
        (ViolationKind::Cascade, _) => 2,
        (_, Some("lost trigger")) => 3,
        (_, Some("stale action")) => 4,
        (_, Some("missed wait")) => 5,
        (_, Some("order")) => 6,
        (_, Some("unavailable")) => 7,
        (_, Some("takeover")) => 8,
        _ => 1,
    }
}

fn told(found: &Found) -> String {
    let place = found.violation.location.as_ref().map(|place| format!("{}:{}: ", place.file, place.line));
    place.unwrap_or_default() + &found.violation.message
}

/// A finding as a row of a table over apps: which ones they are stands in the sentence.
fn row_of(message: &str) -> PairRow {
    let violation = PairViolation {
        kind: ViolationKind::Conflict.name().to_owned(),
        message: message.to_owned(),
        events: Vec::new(),
        severity: None,
        accepted: false,
    };
    PairRow { verdict: "verified".to_owned(), violations: vec![violation], ..PairRow::failed(Vec::new(), "", 0.0) }
}

/// Searches slices side by side, one thread for each core. Without an allowance each may take what the options say. What comes of them is in their
/// order.
fn search(
    home: &Home,
    slices: &[usize],
    engine: Engine,
    options: &Options,
    allowance: Option<Allowance>,
    observer: &mut dyn Observer,
) -> Vec<(usize, Exploration)> {
    let started = Instant::now();
    let next = AtomicUsize::new(0);
    let cores = thread::available_parallelism().map_or(1, usize::from).min(slices.len()).max(1);
    let share = allowance.map(|allowance| allowance.share(slices.len(), cores));
    let one = |slice: usize| {
        let left = options.budget.time.map(|limit| limit.saturating_sub(started.elapsed()));
        let mut options = Options { all: true, threads: 1, ..options.clone() };
        options.budget.time = left;
        if let Some((states, time)) = share {
            options.budget.size = Some(states);
            options.budget.time = Some(left.map_or(time, |left| left.min(time)));
        }
        OneSlice(home, slice).explore(engine, &options, &mut mazurka::Silent)
    };
    let mut done: Vec<(usize, Exploration)> = Vec::new();
    thread::scope(|scope| {
        let (send, receive) = channel();
        for _ in 0..cores {
            let (send, next, one) = (send.clone(), &next, &one);
            scope.spawn(move || {
                while let Some(&slice) = slices.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if options.budget.cancel.is_cancelled() || send.send((slice, one(slice))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut transitions = 0;
        for (slice, explored) in receive {
            transitions += explored.statistics.get(Counter::Transitions).unwrap_or(0);
            done.push((slice, explored));
            let (found, waiting) = (done.len() as u64, (slices.len() - done.len()) as u64);
            observer.progress(&Progress { found, unit: "slices", transitions, depth: 0, waiting });
        }
    });
    done.sort_by_key(|(slice, _)| *slice);
    done
}

impl Subject for HomeAssistant {
    fn inner(&self) -> &dyn Subject {
        &self.home
    }

    /// Explores slice by slice. Those that grow too large are left to the next engine, if there is one.
    fn explore(&self, engine: Engine, options: &Options, observer: &mut dyn Observer) -> Exploration {
        let started = Instant::now();
        let slices = std::mem::take(&mut self.known().unfinished);
        let is_first = !std::mem::replace(&mut self.known().has_begun, true);
        let (mut statistics, mut stop) = (Statistics::default(), StopReason::Complete);
        let (mut cut, mut unsupported) = (None, None);
        let mut unfinished: Vec<usize> = slices.clone();
        let mut violations = Vec::new();
        // One that stands alone may use all that there is.
        let allowance = if is_first { FIRST } else { NEXT };
        let allowance = (self.home.slice_count().0 > 1).then_some(allowance);
        for (slice, explored) in search(&self.home, &slices, engine, options, allowance, observer) {
            violations.extend(explored.violations.into_iter().map(|mut found| {
                // Each slice has one initial state.
                found.schedule.start += slice;
                found
            }));
            add_up(&mut statistics, &explored.statistics);
            if let Some((bound, cuts)) = explored.cut {
                let (bound, before) = cut.unwrap_or((bound, 0));
                cut = Some((bound, before + cuts));
            }
            if let Verdict::Unsupported(reason) = explored.verdict {
                unsupported.get_or_insert(reason);
            }
            if explored.stop == StopReason::Complete {
                unfinished.retain(|known| *known != slice);
            } else {
                stop = explored.stop;
            }
        }
        if !unfinished.is_empty() && stop == StopReason::Complete {
            stop = StopReason::Cancelled;
        }
        statistics.seconds = started.elapsed().as_secs_f64();
        // One slice that took long does not mean that the time is over.
        let is_late = options.budget.time.is_some_and(|limit| started.elapsed() >= limit);
        if stop == StopReason::TimeLimit && !is_late {
            stop = StopReason::SizeLimit;
        }
        let mut known = self.known();
        known.unfinished = unfinished;
        known.found.extend(violations);
        if is_first && stop != StopReason::Cancelled && !is_late {
            known.advice = self.look_for_advice(options, &known.found, observer);
        }
        // Where another engine takes over, it tells all of it.
        let goes_on = options.budget.size.is_some() && stop == StopReason::SizeLimit;
        let violations = if goes_on { Vec::new() } else { self.digest(&mut known, options.all) };
        match unsupported {
            Some(reason) if violations.is_empty() => {
                Exploration { stop, cut, statistics, ..Exploration::unsupported(reason) }
            }
            _ => Exploration::conclude(stop, cut, violations, statistics),
        }
    }

    fn hint(&self, _meter: &Meter) -> Option<String> {
        let unfinished = &self.known().unfinished;
        (!unfinished.is_empty()).then(|| {
            let slices = self.given_up(unfinished);
            format!("{slices}; --automation NAME, given once or more, checks some automations alone")
        })
    }

    fn story(&self, found: &Found, original: &Schedule, _meter: &Meter) -> Story {
        let mut story = Story::tell(&self.home, found, original, None);
        let (times, message) = self.home.told(&found.violation.message, &found.schedule);
        for (row, time) in story.rows.iter_mut().zip(times) {
            row.text = format!("{time}  {}", row.text);
        }
        story.violation.message = message;
        story
    }

    fn as_test(&self, found: &Found) -> Option<String> {
        self.home.as_test(&found.violation.message, &found.schedule)
    }

    fn basis(&self, exploration: &Exploration) -> Basis {
        let known = self.known();
        let mut considered: Vec<Considered> = Vec::new();
        let mut add = |what: &str, text: String| considered.push(Considered { what: what.to_owned(), text });
        self.home.considered().into_iter().for_each(|(what, text)| add(&what, text));
        let mut numbered = |what: &str, texts: &[String]| {
            for (number, text) in texts.iter().enumerate() {
                add(&format!("{what} {}", number + 1), text.clone());
            }
        };
        numbered("also", &known.more);
        numbered("alike", &known.alike);
        numbered("advice", &known.advice);
        let counts = [
            ("left out", known.passed_over, ["finding", "findings"], "by comments and --ignore"),
            ("accepted", known.accepted, ["finding", "findings"], "that the list has"),
            ("accepted and gone", known.gone, ["finding is", "findings are"], "not found any more"),
        ];
        for (what, number, [one, many], words) in counts {
            if number > 0 {
                add(what, format!("{} {words}", count(number as u64, one, many)));
            }
        }
        if !known.unfinished.is_empty() {
            add("given up", self.given_up(&known.unfinished));
        }
        let site = |expectation: &Expectation| Site {
            text: expectation.name.clone(),
            location: expectation.place.map(|place| Location {
                file: self.home.configuration().path(place).into(),
                line: place.line,
                column: place.column,
            }),
        };
        let untested = self.home.untested();
        let vacuous = |(expectation, reason): &(&Expectation, String)| Vacuous {
            site: site(expectation),
            reason: reason.clone(),
            remedy: None,
        };
        let is_verified = exploration.verdict == Verdict::Verified;
        if !is_verified {
            let told = untested.iter().map(|(expectation, reason)| format!("\"{}\" {reason}", expectation.name));
            told.for_each(|told| add("untested", told));
        }
        let vacuous = if is_verified { untested.iter().map(vacuous).collect() } else { Vec::new() };
        Basis { considered, stated: self.home.expectation_count(), vacuous, ..Basis::of(PROMISE) }
    }
}

impl HomeAssistant {
    /// Which slices no search has come to the end of.
    fn given_up(&self, slices: &[usize]) -> String {
        const MOST: usize = 3;
        let names = |&slice: &usize| {
            let names = self.home.slice_automations(slice);
            names.iter().map(|(name, _)| format!("\"{name}\"")).collect::<Vec<_>>().join(" + ")
        };
        let shown: Vec<String> = slices.iter().take(MOST).map(names).collect();
        let more = if slices.len() > MOST { format!(" and {} more", slices.len() - MOST) } else { String::new() };
        format!("{} of {} slices were too large: {}{more}", slices.len(), self.home.slice_count().0, shown.join("; "))
    }
}

/// Adds what was counted in one slice to what was counted in those before it.
fn add_up(all: &mut Statistics, one: &Statistics) {
    for (counter, count) in one.iter() {
        match counter {
            Counter::MaxDepth | Counter::PeakBytes => all.raise(counter, count),
            _ => all.add(counter, count),
        }
    }
}

/// Whether a path is a Home Assistant configuration: such a folder, or a `.yaml` file.
pub fn is_configuration(path: &str) -> bool {
    let path = Path::new(path);
    path.join("configuration.yaml").is_file() || path.extension().is_some_and(|end| end == "yaml" || end == "yml")
}

/// A folder, and who is told what is read of it.
struct Seen<'s> {
    files: Folder,
    seen: &'s mut dyn FnMut(&str, Option<&str>),
}

impl Files for Seen<'_> {
    fn read(&mut self, path: &str) -> Result<Option<String>, String> {
        let text = self.files.read(path)?;
        if let Some(text) = &text {
            (self.seen)(path, Some(text));
        }
        Ok(text)
    }

    fn list(&mut self, folder: &str) -> Result<Option<Vec<(String, bool)>>, String> {
        let names = self.files.list(folder)?;
        if names.is_some() {
            (self.seen)(folder, None);
        }
        Ok(names)
    }
}

/// Reads a configuration: one folder, or files of one folder.
pub fn load_configuration(paths: &[String]) -> Result<Configuration, LoadError> {
    load_configuration_from(paths, &mut |_, _| ())
}

/// The same; `seen` is told of each file that is read, with its text, and of each folder that is listed.
pub(crate) fn load_configuration_from(
    paths: &[String],
    seen: &mut dyn FnMut(&str, Option<&str>),
) -> Result<Configuration, LoadError> {
    let fault = |path: &str, problem: &Problem| {
        // The name of the file stands in front once.
        let file = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
        let message = problem.message.strip_prefix(&format!("{file}: ")).unwrap_or(&problem.message);
        let (message, path) = (message.replace(path, &shown(path)), shown(path));
        let told = if problem.place.line == 0 || message.len() < problem.message.len() {
            format!("{path}: {message}")
        } else {
            format!("{path}:{}: {message}", problem.place.line)
        };
        LoadError::plain(format!("error: {told}\n{}", problem.expected))
    };
    if let [folder] = paths
        && Path::new(folder).is_dir()
    {
        let files = Folder::new(Path::new(folder)).map_err(|why| {
            LoadError::plain(format!("error: {}: {why}\nexpected a folder that can be read", shown(folder)))
        })?;
        return read_configuration(&mut Seen { files, seen }).map_err(|problem| fault(folder, &problem));
    }
    // The files of one folder know each other by their names.
    let first = paths.first().map_or("", String::as_str);
    let folder = Path::new(first).parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut names = Vec::new();
    for path in paths {
        let name = Path::new(path)
            .strip_prefix(folder)
            .ok()
            .or_else(|| Path::new(path).file_name().filter(|_| folder == Path::new(".")).map(Path::new));
        match name.and_then(Path::to_str) {
            Some(name) if Path::new(path).is_file() => names.push(name.to_owned()),
            _ if !Path::new(path).exists() => {
                return Err(LoadError::plain(format!(
                    "error: {}: there is no such file or folder\nexpected a configuration of Home Assistant",
                    shown(path)
                )));
            }
            _ if !Path::new(path).is_file() => {
                let what = if Path::new(path).is_dir() { "this is a folder" } else { "this is a device or a pipe" };
                return Err(LoadError::plain(format!(
                    "error: {}: {what}, not a file\nexpected a configuration of Home Assistant",
                    shown(path)
                )));
            }
            _ => {
                return Err(LoadError::plain(format!(
                    "error: {}: not in the folder of {}\nexpected files of one folder",
                    shown(path),
                    shown(first)
                )));
            }
        }
    }
    let files = Folder::new(folder)
        .map_err(|why| LoadError::plain(format!("error: {}: {why}\nexpected a file that can be read", shown(first))))?;
    read_files(&mut Seen { files, seen }, &names).map_err(|problem| fault(first, &problem))
}
