//! What tests of the command share.
#![allow(dead_code)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// The root of the tree.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A new empty folder for one test.
pub(crate) fn folder(test: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    if path.exists() {
        fs::remove_dir_all(&path).expect("an old folder can be removed");
    }
    fs::create_dir_all(&path).expect("a folder can be made");
    path
}

/// Says that a test is skipped for want of a tool. Fails where `.ci/install` said that the tool is there.
pub(crate) fn skip(tool: &str, why: &str) {
    // Not by a macro: what macros print is shown only for tests that fail.
    writeln!(std::io::stderr(), "skipped: {why}").expect("standard error can be written to");
    let required = std::env::var("MAZURKA_REQUIRE").unwrap_or_default();
    assert!(!required.split_whitespace().any(|required| required == tool), "{tool} is required here: {why}");
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
