//! What tests share that read files of the tree.
#![allow(dead_code)]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

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

/// Says that a test is skipped because a tool is missing. Fails where `.ci/install` said that the tool is there.
pub(crate) fn skip(tool: &str, why: &str) {
    // Not by a macro: what macros print is shown only for tests that fail.
    writeln!(std::io::stderr(), "skipped: {why}").expect("standard error can be written to");
    let required = std::env::var("MAZURKA_REQUIRE").unwrap_or_default();
    assert!(!required.split_whitespace().any(|required| required == tool), "{tool} is required here: {why}");
}
