//! The version that the command tells: the package's, and the commit that it is built from, where that is known.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let version = match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version,
    };
    println!("cargo::rustc-env=MAZURKA_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
    // Each commit and each change of branch is noted there.
    if let Some(log) = git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"])
        && Path::new(&log).exists()
    {
        println!("cargo::rerun-if-changed={log}");
    }
}

/// The commit, in short: from the package, if it was published, or from the working tree.
fn commit() -> Option<String> {
    let published = std::fs::read_to_string(".cargo_vcs_info.json").ok().and_then(|text| {
        let rest = text.split_once("\"sha1\"")?.1;
        let sha = rest.split('"').nth(1)?;
        Some(sha.chars().take(10).collect())
    });
    // A package that was unpacked into another repository must not take that one's commit for its own.
    let ours =
        || git(&["ls-files", "--error-unmatch", "build.rs"]).and_then(|_| git(&["rev-parse", "--short=10", "HEAD"]));
    published.or_else(ours)
}

/// What git answers, if it is there and this is a working tree.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}
