//! What tests share that need a compiler.
#![allow(dead_code)]

use mazurka_c::clang::Clang;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The compiler. Where there is none, the test is skipped, which is said and fails where `.ci/install` said that it is there.
pub(crate) fn clang() -> Option<Clang> {
    let found = Clang::find().ok();
    if found.is_none() {
        // Not by a macro: what macros print is shown only for tests that fail.
        writeln!(std::io::stderr(), "skipped: there is no clang").expect("standard error can be written to");
        let required = std::env::var("MAZURKA_REQUIRE").unwrap_or_default();
        assert!(!required.split_whitespace().any(|required| required == "clang"), "clang is required here");
    }
    found
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
