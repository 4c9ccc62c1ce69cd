//! Jobs in processes of their own: one that takes all memory, hangs or brings its process down is one line of a table
//! and nothing more.

use anyhow::{Context, Result};
use mazurka::Cancel;
use std::io::{self, Read};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a waiting run looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(50);
/// What a job may take beyond twice its own time limit: it has to start, and to read and write.
const GRACE: Duration = Duration::from_secs(20);

/// Some jobs of one kind.
pub(crate) struct Jobs<'a> {
    /// What one is called in messages: "check".
    pub(crate) name: &'static str,
    /// How many run at once.
    pub(crate) at_once: usize,
    /// Stops all of them.
    pub(crate) cancel: &'a Cancel,
}

/// A job that has ended.
pub(crate) struct Ended {
    /// What it wrote to its standard output.
    pub(crate) output: String,
    /// Why it has no result, if its output turns out to be none.
    pub(crate) trouble: String,
    /// How long it took.
    pub(crate) seconds: f64,
}

/// What holds a running job: its process ends when the input is dropped.
#[derive(Default)]
struct Leash(Mutex<Held>);

#[derive(Default)]
struct Held {
    /// The input, and when the job is given up.
    input: Option<(ChildStdin, Option<Instant>)>,
    is_overdue: bool,
}

/// How many jobs run at once: as many as are wanted, where that is 0 one for each core.
pub(crate) fn at_once(wanted: usize) -> usize {
    if wanted > 0 { wanted } else { thread::available_parallelism().map_or(1, usize::from) }
}

/// Hands out some items, one after the other.
pub(crate) fn each<'i, I>(items: &'i [I]) -> impl Fn() -> Option<&'i I> + Sync
where
    I: Sync,
{
    let next = AtomicUsize::new(0);
    move || items.get(next.fetch_add(1, Ordering::Relaxed))
}

impl Leash {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn let_go(&self) {
        self.held().input = None;
    }

    /// Gives up a job that does not keep its time limit.
    fn let_go_if_overdue(&self) {
        let mut held = self.held();
        let is_overdue = |until: &Option<Instant>| until.is_some_and(|until| Instant::now() > until);
        if held.input.as_ref().is_some_and(|(_, until)| is_overdue(until)) {
            *held = Held { input: None, is_overdue: true };
        }
    }
}

impl Jobs<'_> {
    /// Runs this program once for each item that `next` gives, with the arguments that `arguments` adds. That returns the
    /// time limit that the job keeps by itself: one that is far beyond it is ended. `result` makes something of what a job
    /// has left, and `take` receives the results as they come, those that have come together at once.
    pub(crate) fn run<I, R: Send>(
        &self,
        next: impl Fn() -> Option<I> + Sync,
        arguments: impl Fn(&I, &mut Command) -> Duration + Sync,
        result: impl Fn(I, Ended) -> R + Sync,
        take: impl FnMut(Vec<R>) -> Result<()>,
    ) -> Result<()> {
        let leashes: Vec<Leash> = (0..self.at_once.max(1)).map(|_| Leash::default()).collect();
        let program = std::env::current_exe()
            .with_context(|| format!("error: this program cannot find itself to start a {}", self.name))?;
        let (next, arguments, result) = (&next, &arguments, &result);
        thread::scope(|scope| {
            let (send, receive) = channel();
            for leash in &leashes {
                let (send, program) = (send.clone(), &program);
                scope.spawn(move || {
                    while !self.cancel.is_cancelled() {
                        let Some(item) = next() else { break };
                        let mut command = Command::new(program);
                        let limit = arguments(&item, &mut command);
                        let ended = self.run_one(command, limit, leash);
                        let result = result(item, ended);
                        if self.cancel.is_cancelled() || send.send(result).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(send);
            let taken = self.collect(&receive, take, &leashes);
            if taken.is_err() {
                self.cancel.cancel();
                leashes.iter().for_each(Leash::let_go);
            }
            taken
        })
    }

    /// Hands over results until there are no more.
    fn collect<R>(
        &self,
        receive: &Receiver<R>,
        mut take: impl FnMut(Vec<R>) -> Result<()>,
        leashes: &[Leash],
    ) -> Result<()> {
        loop {
            match receive.recv_timeout(GLANCE) {
                Ok(first) => {
                    let mut batch = vec![first];
                    batch.extend(receive.try_iter());
                    take(batch)?;
                }
                Err(RecvTimeoutError::Timeout) if self.cancel.is_cancelled() => leashes.iter().for_each(Leash::let_go),
                Err(RecvTimeoutError::Timeout) => leashes.iter().for_each(Leash::let_go_if_overdue),
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    fn run_one(&self, mut command: Command, limit: Duration, leash: &Leash) -> Ended {
        let started = Instant::now();
        let until = started.checked_add(limit.saturating_mul(2).saturating_add(GRACE));
        let ended =
            |output: String, trouble: String| Ended { output, trouble, seconds: started.elapsed().as_secs_f64() };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // Ctrl-C is for this process: it takes its jobs off the leash.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = match command.spawn() {
            Ok(child) => child,
            Err(error) => return ended(String::new(), format!("its {} could not be started: {error}", self.name)),
        };
        *leash.held() = Held { input: child.stdin.take().map(|input| (input, until)), is_overdue: false };
        let (output, errors) = drain(&mut child);
        let status = child.wait();
        leash.let_go();
        let trouble = match first_words(&errors) {
            _ if leash.held().is_overdue => format!("its {} did not keep its time limit and was ended", self.name),
            words if words.is_empty() => self.without_result(status),
            words => words,
        };
        ended(output, trouble)
    }

    fn without_result(&self, status: io::Result<ExitStatus>) -> String {
        match status {
            Ok(status) => format!("its {} ended without a result ({status})", self.name),
            Err(error) => format!("its {} was lost: {error}", self.name),
        }
    }
}

/// Everything that a process writes, on both of its outputs.
fn drain(child: &mut Child) -> (String, String) {
    let (out, err) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let errors = scope.spawn(move || read_all(err));
        (read_all(out), errors.join().unwrap_or_default())
    })
}

fn read_all(from: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut from) = from {
        let _ = from.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The first error, on one line. Of one that is shown with its source: the place, the message and what was expected.
pub(crate) fn first_words(errors: &str) -> String {
    const ERROR: &str = "error: ";
    let (mut words, mut place) = (Vec::new(), String::new());
    let lines = errors.lines().map(str::trim).filter(|line| !line.is_empty());
    for (number, line) in lines.enumerate() {
        if number > 0 && line.starts_with(ERROR) || words.len() == 3 {
            break;
        }
        let before_bar = line.split_once('|').map(|(before, _)| before.trim());
        if let Some(file) = line.strip_prefix("--> ") {
            place = format!("{file}: ");
        } else if before_bar.is_some_and(|before| before.chars().all(|c| c.is_ascii_digit())) {
            let marked = line.strip_prefix('|').and_then(|marks| marks.rsplit_once('^'));
            words.extend(marked.map(|(_, label)| label.trim()).filter(|label| !label.is_empty()));
        } else {
            words.push(line.strip_prefix(ERROR).unwrap_or(line));
        }
    }
    place + &words.join("; ")
}

/// Ends this process when its input is closed: the process that started it holds the other end, and wants nothing more then.
pub(crate) fn end_when_input_is_closed(code: u8) {
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        std::process::exit(i32::from(code));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_with_its_source_is_told_on_one_line() {
        let framed = "error: unknown name `y`\n --> a.groovy:3:5\n  |\n3 | x = y ^ 2\n  |     ^ expected one of: x\n\nerror: another\n";
        assert_eq!(first_words(framed), "a.groovy:3:5: unknown name `y`; expected one of: x");
        assert_eq!(
            first_words("error: a.mz: there is no such file\nexpected a .mz file\n"),
            "a.mz: there is no such file; expected a .mz file"
        );
        assert_eq!(first_words("thread main panicked"), "thread main panicked");
        assert_eq!(first_words(""), "");
    }

    /// Not a test by itself: a job that brings its process down.
    #[test]
    #[ignore = "another test runs it in a process of its own"]
    fn a_job_that_aborts() {
        std::process::abort();
    }

    #[test]
    fn one_job_does_not_end_the_others() {
        let cancel = Cancel::default();
        let jobs = Jobs { name: "job", at_once: 2, cancel: &cancel };
        let mut ended = Vec::new();
        let names = ["jobs::tests::a_job_that_aborts", "nothing_of_that_name"];
        let arguments = |name: &&&str, command: &mut Command| {
            command.args(["--ignored", "--exact", name]);
            Duration::from_secs(60)
        };
        let result =
            |name: &&str, ended: Ended| (name.to_string(), ended.output.contains("test result: ok"), ended.trouble);
        let taken = jobs.run(each(&names), arguments, result, |batch| {
            ended.extend(batch);
            Ok(())
        });
        assert!(taken.is_ok(), "{taken:?}");
        ended.sort();
        assert_eq!(ended.len(), 2);
        assert!(!ended[0].1 && !ended[0].2.is_empty(), "{ended:?}");
        assert!(ended[1].1, "{ended:?}");
    }
}
