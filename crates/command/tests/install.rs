//! What a system is given with the command: completions for shells, and pages for `man`.

mod common;

use common::{folder, run};
use std::fs;
use std::path::Path;

/// The subcommands that the help lists.
fn subcommands() -> Vec<String> {
    let help = run(Path::new("."), &["--help"]);
    let help = String::from_utf8(help.stdout).expect("the help is text");
    let listed = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next()).expect("it lists them");
    let names = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).filter(|name| name != "help").collect()
}

#[test]
fn every_shell_completes_every_subcommand() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(Path::new("."), &["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        let script = String::from_utf8(output.stdout).expect("a script is text");
        for name in subcommands() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
        assert!(script.contains("no-schedule"), "{shell}");
    }
}

#[test]
fn every_subcommand_has_a_page_for_man() {
    let folder = folder("man");
    let here = folder.display().to_string();
    for _ in 0..2 {
        let output = run(&folder, &["man", &here]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut pages: Vec<String> = subcommands().iter().map(|name| format!("mazurka-{name}.1")).collect();
    pages.push("mazurka.1".to_owned());
    pages.sort();
    let mut written: Vec<String> = fs::read_dir(&folder)
        .expect("it is there")
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .collect();
    written.sort();
    assert_eq!(written, pages);
    let check = fs::read_to_string(folder.join("mazurka-check.1")).expect("it is text");
    assert!(check.contains(r"\fB\-\-time\-limit\fR") && check.contains("as in 5s, 2m or 1h30m"), "{check}");
}

#[test]
fn a_page_for_man_takes_the_place_of_no_other_file() {
    let folder = folder("man-taken");
    fs::write(folder.join("mazurka.1"), "mine").expect("a file can be written");
    let output = run(&folder, &["man", "."]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("mazurka.1: exists and is not a page of mazurka"), "{told}");
    assert_eq!(fs::read_to_string(folder.join("mazurka.1")).expect("it is there"), "mine");
    let output = run(&folder, &["man", "not-there"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no such folder"));
}

#[test]
fn colours_can_be_asked_for_and_refused() {
    let program = common::root().join("examples/threads/lost-update.mz").display().to_string();
    let folder = folder("colours");
    let shown = |when: &str| run(&folder, &["check", &program, "--no-schedule", "--color", when]).stdout;
    assert!(shown("always").contains(&0x1b));
    assert!(!shown("never").contains(&0x1b));
    // No terminal is here.
    assert!(!shown("auto").contains(&0x1b));
}

#[test]
fn the_version_names_the_commit_where_it_is_known() {
    let output = run(Path::new("."), &["--version"]);
    let version = String::from_utf8(output.stdout).expect("a version is text");
    let rest =
        version.trim_end().strip_prefix(&format!("mazurka {}", env!("CARGO_PKG_VERSION"))).expect("it begins so");
    let commit = rest.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')'));
    assert!(rest.is_empty() || commit.is_some_and(|commit| commit.chars().all(|c| c.is_ascii_hexdigit())), "{version}");
}
