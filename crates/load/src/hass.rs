//! Home Assistant configurations: a folder with `configuration.yaml`, or files by themselves; and a home as something that
//! can be checked. What needs a device that becomes unavailable is advice: it is told, and does not count as a violation.

use crate::folder::Folder;
use crate::load::LoadError;
use mazurka::engines::Options;
use mazurka::report::format::count;
use mazurka::report::terminal::name as shown;
use mazurka::report::{Basis, Considered, Story};
use mazurka::{
    Counter, Engine, Exploration, Found, Meter, Observer, Schedule, Statistics, StopReason, Subject, Verdict,
};
use mazurka_hass::config::{Configuration, Problem, read_configuration, read_files};
use mazurka_hass::{Home, OneSlice};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What `verified` means for a home.
const PROMISE: &str = "no order of events makes automations fight, loop, lose a trigger, miss what they wait for or act on what is no longer so";

/// How many states of one slice are looked at, and for how long; the slices of a home are many.
const SLICE_STATES: u64 = 10_000;
const SLICE_TIME: Duration = Duration::from_secs(2);

/// How many states of one slice are looked at for advice.
const ADVICE_STATES: u64 = 2_000;

/// A home that runs Home Assistant.
#[derive(Debug)]
pub struct HomeAssistant {
    home: Home,
    /// The same home, in which devices may become unavailable.
    shaky: Home,
    /// What only happens when a device becomes unavailable.
    advice: Mutex<Vec<String>>,
    /// The slices that no search has come to the end of.
    unfinished: Mutex<Vec<usize>>,
}

impl HomeAssistant {
    /// Makes a home checkable: `shaky` is the same one, in which devices may become unavailable.
    pub fn new(home: Home, shaky: Home) -> Self {
        let unfinished = Mutex::new((0..home.slice_count().0).collect());
        HomeAssistant { home, shaky, advice: Mutex::new(Vec::new()), unfinished }
    }

    /// Looks for what only happens when a device becomes unavailable.
    fn look_for_advice(&self, options: &Options, known: &[Found]) {
        let started = Instant::now();
        let mut advice: Vec<String> = Vec::new();
        for slice in 0..self.shaky.slice_count().0 {
            let left = options.budget.time.map(|limit| limit.saturating_sub(started.elapsed()));
            let mut options = Options { all: true, ..options.clone() };
            options.budget.size = Some(ADVICE_STATES);
            options.budget.time = Some(left.map_or(SLICE_TIME, |left| left.min(SLICE_TIME)));
            let found =
                OneSlice(&self.shaky, slice).explore(Engine::Exhaustive, &options, &mut mazurka::Silent).violations;
            let is_new = |found: &&Found| !known.iter().any(|known| known.violation.same_site(&found.violation));
            advice.extend(found.iter().filter(is_new).map(|found| {
                let place = found.violation.location.as_ref().map(|place| format!("{place}: ")).unwrap_or_default();
                format!("{place}{}", found.violation.message)
            }));
        }
        advice.sort();
        advice.dedup();
        *self.advice.lock().unwrap_or_else(PoisonError::into_inner) = advice;
    }
}

impl Subject for HomeAssistant {
    fn inner(&self) -> &dyn Subject {
        &self.home
    }

    /// Explores slice by slice. Those that grow too large are left to the next engine, if there is one.
    fn explore(&self, engine: Engine, options: &Options, observer: &mut dyn Observer) -> Exploration {
        let started = Instant::now();
        let slices = std::mem::take(&mut *self.unfinished.lock().unwrap_or_else(PoisonError::into_inner));
        let is_first = slices.len() == self.home.slice_count().0;
        let (mut violations, mut statistics, mut stop) = (Vec::new(), Statistics::default(), StopReason::Complete);
        let (mut cut, mut unsupported) = (None, None);
        let mut unfinished = Vec::new();
        for slice in slices {
            let left = options.budget.time.map(|limit| limit.saturating_sub(started.elapsed()));
            let mut options = Options { all: true, ..options.clone() };
            options.budget.size = Some(SLICE_STATES);
            options.budget.time = Some(left.map_or(SLICE_TIME, |left| left.min(SLICE_TIME)));
            let explored = OneSlice(&self.home, slice).explore(engine, &options, observer);
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
            if explored.stop != StopReason::Complete {
                unfinished.push(slice);
                stop = explored.stop;
            }
            if stop == StopReason::Cancelled {
                break;
            }
        }
        statistics.seconds = started.elapsed().as_secs_f64();
        // One slice that took long does not mean that the time is over.
        let is_late = options.budget.time.is_some_and(|limit| started.elapsed() >= limit);
        if stop == StopReason::TimeLimit && !is_late {
            stop = StopReason::SizeLimit;
        }
        // Fights and loops first, and the short ones before the long ones.
        let is_minor =
            |found: &Found| found.violation.message.split('"').next().is_some_and(|words| words.contains(':'));
        violations.sort_by_key(|found: &Found| (is_minor(found), found.schedule.moves.len()));
        if is_first && stop != StopReason::Cancelled && !is_late {
            self.look_for_advice(options, &violations);
        }
        *self.unfinished.lock().unwrap_or_else(PoisonError::into_inner) = unfinished;
        match unsupported {
            Some(reason) if violations.is_empty() => {
                Exploration { stop, cut, statistics, ..Exploration::unsupported(reason) }
            }
            _ => Exploration::conclude(stop, cut, violations, statistics),
        }
    }

    fn hint(&self, _meter: &Meter) -> Option<String> {
        let unfinished = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner).len() as u64;
        let slices = count(unfinished, "slice was", "slices were");
        (unfinished > 0).then(|| {
            format!(
                "{slices} not searched to the end; --automation NAME, given once or more, checks some automations alone"
            )
        })
    }

    fn story(&self, found: &Found, original: &Schedule, _meter: &Meter) -> Story {
        Story::tell(&self.home, found, original, None)
    }

    fn basis(&self, _exploration: &Exploration) -> Basis {
        let mut considered: Vec<Considered> =
            self.home.considered().into_iter().map(|(what, text)| Considered { what, text }).collect();
        let advice = self.advice.lock().unwrap_or_else(PoisonError::into_inner);
        let numbered = |(number, text): (usize, &String)| Considered {
            what: format!("advice {}", number + 1),
            text: text.clone(),
        };
        considered.extend(advice.iter().enumerate().map(numbered));
        let unfinished = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
        if !unfinished.is_empty() {
            considered
                .push(Considered { what: "not finished".to_owned(), text: format!("{} slices", unfinished.len()) });
        }
        Basis { considered, ..Basis::of(PROMISE) }
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

/// Reads a configuration: one folder, or files of one folder.
pub fn load_configuration(paths: &[String]) -> Result<Configuration, LoadError> {
    let fault = |path: &str, problem: &Problem| {
        let (message, path) = (problem.message.replace(path, &shown(path)), shown(path));
        let told = if message.starts_with(&*path) {
            message
        } else if problem.place.line == 0 {
            format!("{path}: {message}")
        } else {
            format!("{path}:{}: {message}", problem.place.line)
        };
        LoadError::plain(format!("error: {told}\n{}", problem.expected))
    };
    if let [folder] = paths
        && Path::new(folder).is_dir()
    {
        let mut files = Folder::new(Path::new(folder)).map_err(|why| {
            LoadError::plain(format!("error: {}: {why}\nexpected a folder that can be read", shown(folder)))
        })?;
        return read_configuration(&mut files).map_err(|problem| fault(folder, &problem));
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
    let mut files = Folder::new(folder)
        .map_err(|why| LoadError::plain(format!("error: {}: {why}\nexpected a file that can be read", shown(first))))?;
    read_files(&mut files, &names).map_err(|problem| fault(first, &problem))
}
