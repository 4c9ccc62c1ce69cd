//! What tests of the command share.
#![allow(dead_code, unused_imports)]

pub(crate) mod chromium;
#[path = "../../../load/tests/common/mod.rs"]
mod files;

pub(crate) use files::{folder, root, skip};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The browser of this machine; where there is none, the test says so.
pub(crate) fn browser() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&paths).flat_map(|folder| BROWSERS.map(|name| folder.join(name)));
    let found = found.into_iter().find(|path| path.is_file());
    if found.is_none() {
        skip("chromium", &format!("there is no browser here ({})", BROWSERS.join(", ")));
    }
    found
}

/// Runs the command in a folder, and ends it should it hang.
pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Output {
    let child = Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command can be started");
    end_of(child, Duration::from_secs(120), &format!("{arguments:?}"))
}

/// Waits for the end of a process, and ends it should it hang. What it prints is read meanwhile.
pub(crate) fn end_of(mut child: Child, patience: Duration, what: &str) -> Output {
    let (out, err) = (child.stdout.take().map(read), child.stderr.take().map(read));
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("a process can be waited for") {
            break status;
        }
        if started.elapsed() > patience {
            child.kill().expect("a process can be ended");
            panic!("{what} does not come to an end");
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let all = |reader: Option<Reader>| reader.map_or_else(Vec::new, |reader| reader.join().expect("it can be read"));
    Output { status, stdout: all(out), stderr: all(err) }
}

type Reader = std::thread::JoinHandle<Vec<u8>>;

fn read(mut from: impl std::io::Read + Send + 'static) -> Reader {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).expect("what a process prints can be read");
        bytes
    })
}
