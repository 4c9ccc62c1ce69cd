//! The terminal: results on standard output, progress and errors on standard error, Ctrl-C.

use crate::arguments::ColourChoice;
use indicatif::{ProgressBar, ProgressStyle};
use mazurka::report::terminal::visible;
use mazurka::report::{TextOptions, progress};
use mazurka::{Cancel, Observer, Progress};
use std::env;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Where output goes and what it may look like.
pub(crate) struct Console {
    pub(crate) quiet: bool,
    colour: bool,
    error_colour: bool,
    width: usize,
    /// Why a result could not be written, if one could not.
    lost: OnceLock<io::Error>,
}

impl Console {
    pub(crate) fn new(quiet: bool, colour: ColourChoice) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let coloured = |is_terminal: bool| match colour {
            ColourChoice::Auto => is_terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
            ColourChoice::Always => true,
            ColourChoice::Never => false,
        };
        let columns = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
        let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Console {
            quiet,
            colour: coloured(is_terminal),
            error_colour: coloured(io::stderr().is_terminal()),
            width: terminal.filter(|_| is_terminal).or(columns).unwrap_or(80).clamp(40, 200),
            lost: OnceLock::new(),
        }
    }

    /// How text reports look here.
    pub(crate) fn text_options(&self) -> TextOptions {
        TextOptions { width: self.width, colour: self.colour, ..TextOptions::default() }
    }

    /// Whether results may be coloured.
    pub(crate) fn colour(&self) -> bool {
        self.colour
    }

    /// Whether errors may be coloured.
    pub(crate) fn error_colour(&self) -> bool {
        self.error_colour
    }

    /// Writes a result. A reader that has gone away (`| head`) is no reason to complain; any other failure is kept for
    /// [`lost_output`](Self::lost_output).
    pub(crate) fn print(&self, text: &str) {
        self.write(&format!("{}\n", text.trim_end_matches('\n')));
    }

    fn write(&self, text: &str) {
        let mut out = io::stdout().lock();
        let written = out.write_all(visible(text, self.colour).as_bytes()).and_then(|()| out.flush());
        if let Err(error) = written.map_err(|error| (error.kind() != io::ErrorKind::BrokenPipe).then_some(error)) {
            error.map(|error| self.lost.set(error));
        }
    }

    /// Why a result did not reach standard output, if one did not.
    pub(crate) fn lost_output(&self) -> Option<&io::Error> {
        self.lost.get()
    }

    /// Writes what went wrong besides the result, such as a file that could not be saved.
    pub(crate) fn warning(&self, text: &str) {
        self.error(&format!("warning: {text}"));
    }

    /// Whether there is a person at both ends.
    pub(crate) fn is_conversation(&self) -> bool {
        io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Asks for a line; `None` when there are no more.
    pub(crate) fn ask(&self, prompt: &str) -> io::Result<Option<String>> {
        self.write(prompt);
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line)?;
        if read == 0 {
            self.write("\n");
        }
        Ok((read > 0).then_some(line))
    }

    /// Writes an error or a remark.
    pub(crate) fn error(&self, text: &str) {
        self.tell(text, false);
    }

    /// Writes an error with colours in it, where there may be some.
    pub(crate) fn styled_error(&self, text: &str) {
        self.tell(text, self.error_colour);
    }

    fn tell(&self, text: &str, colours: bool) {
        let text = visible(text.trim_end_matches('\n'), colours);
        let _ = writeln!(io::stderr().lock(), "{text}");
    }

    /// A line that is redrawn while a search runs, which may have a time limit; nothing where output is no terminal.
    pub(crate) fn progress(&self, limit: Option<Duration>) -> ProgressLine {
        let bar = if self.quiet || !io::stderr().is_terminal() {
            ProgressBar::hidden()
        } else {
            let style =
                ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
            ProgressBar::new_spinner().with_style(style)
        };
        ProgressLine { bar, started: Instant::now(), limit, label: String::new() }
    }

    /// A bar for work of which the amount is known: `done` of `all` to begin with.
    pub(crate) fn bar(&self, what: &str, all: usize, done: usize) -> ProgressBar {
        if self.quiet || !io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let template = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{per_sec}}, {{eta}} left  {{msg}}");
        let style = ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::new(all as u64).with_style(style.progress_chars("━╸ ")).with_position(done as u64);
        bar.reset_eta();
        bar
    }
}

/// The first Ctrl-C asks the search to stop and to tell what it knows; the second one ends the process.
pub(crate) fn cancel_on_interrupt() -> Cancel {
    let cancel = Cancel::default();
    let handler = cancel.clone();
    let installed = ctrlc::set_handler(move || {
        if handler.is_cancelled() {
            std::process::exit(130);
        }
        handler.cancel();
    });
    // Without a handler Ctrl-C still ends the process, which is what the user wants then.
    drop(installed);
    cancel
}

/// How many bytes the process holds. Where `ulimit -v` limits its address space and little of that is left, as much as
/// [`usual_memory_limit`] allows: the next allocation may fail.
pub(crate) fn memory_in_use() -> u64 {
    static LIMITS: OnceLock<Option<(u64, u64)>> = OnceLock::new();
    let limits = LIMITS.get_or_init(|| {
        let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
        address_space(&limits).zip(usual_memory_limit())
    });
    let Some(stats) = memory_stats::memory_stats() else { return 0 };
    let held = stats.physical_mem as u64;
    match limits {
        Some((space, usual)) if stats.virtual_mem as u64 >= space / SPARE * (SPARE - 1) => held.max(*usual),
        _ => held,
    }
}

/// One part in this many of the address space is left free.
const SPARE: u64 = 16;

/// The memory limit that holds: the one that was asked for, and where `ulimit -v` is set, no more than that leaves.
pub(crate) fn memory_limit(asked: Option<u64>) -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    match asked {
        Some(asked) if address_space(&limits).is_none() => Some(asked),
        asked => asked.into_iter().chain(usual_memory_limit()).min(),
    }
}

/// Three quarters of the memory that the process can have: that of the machine, of the control group it runs in, or what
/// `ulimit -v` leaves. `None` where the system does not tell.
pub(crate) fn usual_memory_limit() -> Option<u64> {
    let read = |file: &str| std::fs::read_to_string(file).ok();
    let total = read("/proc/meminfo").as_deref().and_then(memory_total);
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let limits = limit_files(&groups).into_iter().filter_map(|file| read(&file)?.trim().parse().ok());
    let address_space = read("/proc/self/limits").as_deref().and_then(address_space);
    total.into_iter().chain(limits).chain(address_space).min().map(|bytes: u64| bytes / 4 * 3)
}

/// The machine's memory, from what `/proc/meminfo` says.
fn memory_total(text: &str) -> Option<u64> {
    let kibibytes = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.split_whitespace().next()?;
    kibibytes.parse::<u64>().ok()?.checked_mul(1024)
}

/// How large the process may become by `ulimit -v`, from what `/proc/self/limits` says.
fn address_space(text: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix("Max address space"))?.split_whitespace().next()?.parse().ok()
}

/// The files that limit the memory of the control groups of a process, from what `/proc/self/cgroup` says. A group is
/// limited by those that it is in, too; and within a container, the own group is the root.
fn limit_files(groups: &str) -> Vec<String> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(kinds), Some(mut group)) = (parts.next(), parts.next()) else { continue };
        let (root, name) = match kinds {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if kinds.split(',').any(|kind| kind == "memory") => ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        loop {
            let group_path = group.trim_end_matches('/');
            files.push(format!("{root}{group_path}/{name}"));
            match group_path.rsplit_once('/') {
                Some((outer, _)) => group = outer,
                None => break,
            }
        }
    }
    files
}

/// Shows how a search stands.
pub(crate) struct ProgressLine {
    bar: ProgressBar,
    started: Instant,
    limit: Option<Duration>,
    label: String,
}

impl ProgressLine {
    /// Starts again with another label in front.
    pub(crate) fn begin(&mut self, label: &str) {
        self.started = Instant::now();
        self.label = if label.is_empty() { String::new() } else { format!("{label}: ") };
    }

    /// Shows a line of its own.
    pub(crate) fn show(&self, text: String) {
        self.bar.set_message(text);
        self.bar.tick();
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for ProgressLine {
    fn progress(&mut self, progress: &Progress) {
        let limit = self.limit.map(|limit| limit.as_secs_f64());
        let line = progress::line(progress, self.started.elapsed().as_secs_f64(), limit);
        self.show(format!("{}{line}", self.label));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_limit_is_a_share_of_what_there_is() {
        assert_eq!(memory_total("MemTotal:       24684500 kB\nMemFree: 1 kB"), Some(24_684_500 * 1024));
        let limits = |size: &str| format!("Limit  Soft\nMax address space         {size}  unlimited  bytes\n");
        assert_eq!(address_space(&limits("1048576000")), Some(1_048_576_000));
        assert_eq!(address_space(&limits("unlimited")), None);
        assert_eq!(memory_total("nothing"), None);
        assert_eq!(
            limit_files("0::/user.slice/one"),
            [
                "/sys/fs/cgroup/user.slice/one/memory.max",
                "/sys/fs/cgroup/user.slice/memory.max",
                "/sys/fs/cgroup/memory.max"
            ]
        );
        let old = limit_files("5:cpu,memory:/a\n4:pids:/b");
        assert_eq!(
            old,
            ["/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        );
        assert_eq!(limit_files("0::/"), ["/sys/fs/cgroup/memory.max"]);
    }
}
