//! A job that travels: a check with all the files that it reads.
//!
//! Anyone who can write to the database can put a job there, so a worker trusts none. Its files go into a folder of their own;
//! the options of its check are on a list, and none of them names another file; the check reads nothing outside of that
//! folder, whatever its files include, calls no compiler, and gets nothing of the worker's environment.

use super::VERSION;
use crate::save::SaveError;
use anyhow::{Context, bail};
use mazurka::report::terminal;
use mazurka::{Engine, Fingerprint};
use mazurka_load::{FilesByPlace as Files, JOB_FOLDER};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What the folders of jobs are called, with the number of the worker's process after it.
const WORK: &str = "mazurka-work-";
/// What the page of a job is called.
const PAGE: &str = "job-page.html";
/// No job may take longer: a month.
const LONGEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// Between the arguments of a job in the database.
const SEPARATOR: char = '\u{1f}';

/// The folder of some files of a job.
pub(super) fn folder_of(number: usize) -> String {
    format!("{JOB_FOLDER}{number}")
}

/// A check that any machine can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// What its result depends on.
    pub(super) key: u128,
    /// The hashes of its files: those of the n-th go into the n-th folder.
    pub(super) files: Vec<u128>,
    /// The arguments of its check.
    pub(super) arguments: Vec<String>,
    /// Whether a page about what is found is wanted.
    pub(super) wants_page: bool,
}

impl Job {
    /// Nothing if the arguments cannot be written down.
    pub(super) fn new(files: Vec<u128>, arguments: Vec<String>, wants_page: bool) -> Option<Job> {
        if arguments.iter().any(|argument| argument.contains([SEPARATOR, '\0'])) {
            return None;
        }
        let mut whole = format!("{VERSION}\0{}", arguments.join("\0"));
        files.iter().for_each(|hash| whole += &format!("\0{hash:032x}"));
        Some(Job { key: Fingerprint::of_bytes(whole.as_bytes()).0, files, arguments, wants_page })
    }

    /// The arguments as one text, and back.
    pub(super) fn written(&self) -> String {
        self.arguments.join(&SEPARATOR.to_string())
    }

    pub(super) fn read_arguments(text: &str) -> Vec<String> {
        text.split(SEPARATOR).map(str::to_owned).collect()
    }

    /// The time limit of the check, if a job may have these arguments.
    fn limit(&self) -> anyhow::Result<Duration> {
        let mut limit = None;
        for argument in &self.arguments {
            let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
            let is_allowed = match name {
                "--engine" => Engine::by_name(value).is_some(),
                "--time-limit" => {
                    let milliseconds = value.strip_suffix("ms").and_then(|value| value.parse().ok());
                    limit = milliseconds.map(Duration::from_millis).filter(|limit| *limit <= LONGEST);
                    limit.is_some()
                }
                "--memory-limit" => value.strip_suffix('B').is_some_and(|value| value.parse::<u64>().is_ok()),
                "--home" => is_ours(value),
                "--profile" => value == "paper",
                "--never" | "--automation" | "--expectation" => argument.contains('='),
                "--no-conflicts" | "--all" | "--plain" => name == argument,
                _ => is_ours(argument),
            };
            if !is_allowed {
                bail!("no job may have the argument {argument:?}");
            }
        }
        limit.context("a job has to have a time limit")
    }
}

/// Whether an argument names a file of the job.
fn is_ours(path: &str) -> bool {
    path.starts_with(JOB_FOLDER) && is_inside(path)
}

/// Whether a place is one in the folder that it is looked for in, on every system.
fn is_inside(place: &str) -> bool {
    let mut parts = Path::new(place).components();
    !place.is_empty() && !place.contains(['\0', '\\', ':']) && parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Why a job does not run here.
#[derive(Debug)]
pub(super) enum Obstacle {
    /// It is no job: no worker can run it.
    Job(String),
    /// This machine cannot take it.
    Machine(String),
}

impl From<io::Error> for Obstacle {
    fn from(error: io::Error) -> Self {
        let words = SaveError::why_of(&error);
        match error.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::OutOfMemory => Obstacle::Machine(words),
            _ => Obstacle::Job(words),
        }
    }
}

/// A job in a folder of its own, which goes away with it.
pub(super) struct Prepared {
    pub(super) job: Job,
    folder: PathBuf,
    limit: Duration,
}

impl Prepared {
    /// Writes the files of a job; `files` are in the order of [`Job::files`].
    pub(super) fn new(job: Job, files: &[Arc<Files>]) -> Result<Prepared, Obstacle> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let limit = job.limit().map_err(|error| Obstacle::Job(error.to_string()))?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("{WORK}{}-{number}", std::process::id()));
        make_private(&folder).map_err(|error| {
            Obstacle::Machine(format!("{}: {}", terminal::path(&folder), SaveError::why_of(&error)))
        })?;
        let prepared = Prepared { job, folder, limit };
        for (number, files) in files.iter().enumerate() {
            prepared.write(&prepared.folder.join(folder_of(number)), files)?;
        }
        Ok(prepared)
    }

    fn write(&self, folder: &Path, files: &Files) -> Result<(), Obstacle> {
        fs::create_dir_all(folder)?;
        for (place, contents) in files {
            if place == "/" {
                continue;
            } else if !is_inside(place) {
                return Err(Obstacle::Job(format!("no file of a job may have the name {place:?}")));
            }
            let path = folder.join(place);
            if place.ends_with('/') {
                fs::create_dir_all(&path)?;
            } else {
                path.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::write(&path, contents)?;
            }
        }
        Ok(())
    }

    /// The arguments of the check, and what it may see. Returns its time limit.
    pub(super) fn start(&self, command: &mut Command) -> Duration {
        command.current_dir(&self.folder).env_clear().arg("check").args(&self.job.arguments).arg("--confined");
        command.args(["--format=json", "--no-schedule", "--quiet", "--threads=1", "--until-closed"]);
        if self.job.wants_page {
            command.arg(format!("--pair-page={PAGE}"));
        }
        self.limit
    }

    /// The page about what was found.
    pub(super) fn page(&self) -> Option<Vec<u8>> {
        fs::read(self.folder.join(PAGE)).ok()
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Takes away what workers have left that were killed.
pub(super) fn clear_away() {
    let entries = fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let process = name.strip_prefix(WORK).and_then(|rest| rest.split('-').next());
        // Where processes cannot be looked at, everything stays.
        let has_ended = |process: &str| Path::new("/proc/self").exists() && !Path::new("/proc").join(process).exists();
        if process.is_some_and(|process| process.parse::<u32>().is_ok() && has_ended(process)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(unix)]
fn make_private(folder: &Path) -> io::Result<()> {
    std::os::unix::fs::DirBuilderExt::mode(&mut fs::DirBuilder::new(), 0o700).create(folder)
}

#[cfg(not(unix))]
fn make_private(folder: &Path) -> io::Result<()> {
    fs::create_dir(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_load::fingerprint_of;

    fn job(arguments: &[&str]) -> Job {
        let arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Job::new(vec![1, 2], arguments, false).expect("it can be written down")
    }

    #[test]
    fn a_job_is_what_its_key_says() {
        let one = job(&["job-files-0/a.mz", "--time-limit=5ms"]);
        assert_eq!(Job::read_arguments(&one.written()), one.arguments);
        assert_eq!(one.key, job(&["job-files-0/a.mz", "--time-limit=5ms"]).key);
        assert_ne!(one.key, job(&["job-files-0/a.mz", "--time-limit=6ms"]).key);
        assert_ne!(one.key, Job::new(vec![2, 1], one.arguments.clone(), false).expect("it is one").key);
        assert!(Job::new(vec![], vec!["a\u{1f}b".to_owned()], false).is_none());
        let files = |place: &str, text: &str| Files::from([(place.to_owned(), text.as_bytes().to_vec())]);
        assert_ne!(fingerprint_of(&files("ab", "c")), fingerprint_of(&files("a", "bc")));
    }

    #[test]
    fn a_job_asks_for_nothing_but_a_check_of_its_files() {
        let fine = ["job-files-0/a.groovy", "job-files-1", "--home=job-files-2/home.toml", "--engine=stateful"];
        let more = ["--never=mode == \"Away\"", "--profile=paper", "--all", "--plain", "--memory-limit=1000B"];
        let arguments = [&fine[..], &more[..], &["--time-limit=30000ms"]].concat();
        assert_eq!(job(&arguments).limit().expect("it is fine"), Duration::from_secs(30));
        for wrong in [
            "/etc/passwd",
            "a.mz",
            "job-files-0/../../etc/passwd",
            "job-files-0\\..\\x",
            "--home=/etc/passwd",
            "--home",
            "--never",
            "--report=/tmp/x",
            "--format=json=/tmp/x",
            "--schedule=x",
            "--pair-page=/tmp/x",
            "--library=/",
            "--compile-commands=x",
            "--accept=/etc/passwd",
            "--as-test=x",
            "--dependence=x",
            "--engine=other",
            "--profile=usual",
            "--all=x",
            "--memory-limit=lots",
            "--time-limit=2592000001ms",
            "--",
            "-Iinclude",
            "",
        ] {
            let error = job(&["--time-limit=5ms", "job-files-0/a.mz", wrong]).limit().expect_err(wrong);
            assert!(error.to_string().starts_with("no job may have the argument"), "{wrong}: {error}");
        }
        assert!(job(&["job-files-0/a.mz"]).limit().is_err());
    }

    #[test]
    fn files_of_a_job_stay_in_its_folder() {
        let prepare = |place: &str| {
            let files = Arc::new(Files::from([(place.to_owned(), b"x".to_vec())]));
            Prepared::new(job(&["job-files-0/a.mz", "--time-limit=5ms"]), &[files])
        };
        for place in ["../a.mz", "/tmp/mazurka-a.mz", "a/../../b", "c:\\a", "a\\b", ""] {
            let Err(Obstacle::Job(why)) = prepare(place) else { panic!("{place}") };
            assert!(why.starts_with("no file of a job may have the name"), "{place}: {why}");
        }
        let prepared = prepare("b/a.mz").expect("that is fine");
        let folder = prepared.folder.clone();
        assert_eq!(fs::read(folder.join("job-files-0/b/a.mz")).expect("it is there"), b"x");
        drop(prepared);
        assert!(!folder.exists());
    }
}
