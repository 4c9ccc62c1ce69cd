//! Workers: they take jobs from the database, run each in a process of its own, and bring the results back.

use super::job::{Obstacle, Prepared, clear_away};
use super::server::{MOST_ATTEMPTS, Outcome, Server, workers};
use crate::arguments::Work as Arguments;
use crate::console::{Console, cancel_on_interrupt};
use crate::jobs::{Ended, Jobs, at_once};
use anyhow::{Result, bail};
use mazurka::Cancel;
use mazurka::report::format::count;
use mazurka::report::pairs::PairRow;
use std::collections::VecDeque;
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// How long a worker without work waits before it asks again.
const IDLE: Duration = Duration::from_millis(200);
/// Jobs for this long are taken at once.
const AHEAD: f64 = 5.0;
/// The most jobs that are taken at once.
const MOST_AHEAD: usize = 64;

/// `mazurka work`: helps with whatever there is.
pub(crate) fn work(arguments: &Arguments, console: &Console) -> Result<u8> {
    let cancel = cancel_on_interrupt();
    let server = Server::connect(&arguments.address, console, &cancel)?;
    if !console.quiet {
        let progress = server.progress(None)?;
        let left = count((progress.planned - progress.finished) as u64, "job", "jobs");
        console.error(&format!("joined {}: {left} left, {}", server.address, workers(server.sessions()?)));
    }
    let worker = Worker::new(&server, None, at_once(arguments.jobs), arguments.until_done, &cancel);
    let done = worker.run(&|| ())?;
    if !console.quiet {
        console.error(&format!("{} done", count(done as u64, "job", "jobs")));
    }
    Ok(0)
}

/// A worker, for one run or for all.
pub(super) struct Worker<'a> {
    server: &'a Server<'a>,
    run: Option<u128>,
    at_once: usize,
    until_done: bool,
    cancel: &'a Cancel,
    taken: Mutex<Taken>,
}

/// What has been taken, and what is known of how long jobs take.
#[derive(Default)]
struct Taken {
    jobs: VecDeque<super::job::Job>,
    /// How long the last jobs took, in seconds.
    seconds: f64,
    /// Why no more can be taken.
    failure: Option<anyhow::Error>,
}

impl<'a> Worker<'a> {
    /// With `until_done` it stops when no job is left, not even with others.
    pub(super) fn new(
        server: &'a Server<'a>,
        run: Option<u128>,
        at_once: usize,
        until_done: bool,
        cancel: &'a Cancel,
    ) -> Self {
        Worker { server, run, at_once, until_done, cancel, taken: Mutex::default() }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works until nothing is left or a stop is asked for, and says how many jobs it did. `tick` is called now and then.
    pub(super) fn run(&self, tick: &(dyn Fn() + Sync)) -> Result<usize> {
        clear_away();
        let jobs = Jobs { name: "check", at_once: self.at_once, cancel: self.cancel };
        let mut done = 0;
        let worked = jobs.run(
            || self.next(tick),
            |job: &Prepared, command: &mut Command| job.start(command),
            |job, ended| self.outcome(&job, ended),
            |outcomes| {
                self.server.finish(&outcomes)?;
                done += outcomes.len();
                tick();
                Ok(())
            },
        );
        self.server.give_back();
        match self.taken().failure.take() {
            Some(failure) => Err(failure),
            None if self.cancel.is_cancelled() => Ok(done),
            None => worked.map(|()| done),
        }
    }

    /// The next job; waits while all that are left are with others.
    fn next(&self, tick: &(dyn Fn() + Sync)) -> Option<Prepared> {
        while !self.cancel.is_cancelled() {
            match self.try_next() {
                Ok(Some(job)) => return Some(job),
                Ok(None) if self.until_done && self.server.is_done(self.run).unwrap_or(true) => return None,
                Ok(None) => {
                    tick();
                    thread::sleep(IDLE);
                }
                Err(failure) => {
                    self.taken().failure.get_or_insert(failure);
                    self.cancel.cancel();
                }
            }
        }
        None
    }

    fn try_next(&self) -> Result<Option<Prepared>> {
        let mut taken = self.taken();
        loop {
            if taken.jobs.is_empty() {
                let most = (AHEAD / taken.seconds.max(0.01) * self.at_once as f64) as usize;
                let most = if taken.seconds > 0.0 { most.clamp(1, MOST_AHEAD) } else { self.at_once };
                let why = format!("its check ended {MOST_ATTEMPTS} workers");
                let jobs = self.server.claim(most, self.run, &failed(why))?;
                self.server.fetch_files(&jobs)?;
                taken.jobs = jobs.into();
            }
            let Some(job) = taken.jobs.pop_front() else { return Ok(None) };
            self.server.begin(job.key)?;
            let key = job.key;
            let prepared = match self.server.files_of(&job)? {
                Some(files) => Prepared::new(job, &files),
                None => Err(Obstacle::Job("its files are not in the store".to_owned())),
            };
            match prepared {
                Ok(prepared) => return Ok(Some(prepared)),
                // What is no job must not come back for ever.
                Err(Obstacle::Job(why)) => {
                    let row = failed(format!("its check could not be started: {why}"));
                    self.server.finish(&[Outcome { key, row, page: None }])?;
                }
                Err(Obstacle::Machine(why)) => {
                    bail!(
                        "error: no job can be started here: {why}\nexpected a folder for jobs; TMPDIR names another one"
                    )
                }
            }
        }
    }

    fn outcome(&self, job: &Prepared, ended: Ended) -> Outcome {
        let seconds = ended.seconds;
        {
            let mut taken = self.taken();
            taken.seconds = if taken.seconds > 0.0 { 0.8 * taken.seconds + 0.2 * seconds } else { seconds };
        }
        let row = PairRow::from_report(Vec::new(), &ended.output)
            .unwrap_or_else(|_| PairRow::failed(Vec::new(), ended.trouble, seconds));
        let page = if row.violations.is_empty() { None } else { job.page() };
        Outcome { key: job.job.key, row: row.store(), page }
    }
}

/// The result of a job that has none.
fn failed(why: String) -> String {
    PairRow::failed(Vec::new(), why, 0.0).store()
}
