//! Whole homes with Home Assistant: a table of slices that goes on where it was stopped, and lists of what is accepted.

mod common;

use common::{folder, root, run};
use std::fs;
use std::path::Path;

fn home() -> String {
    root().join("examples/home-assistant/home").display().to_string()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(folder: &Path, arguments: &[&str]) -> Option<i32> {
    run(folder, arguments).status.code()
}

#[test]
fn slices_are_a_table_that_is_kept() {
    let folder = folder("assistant-pairs");
    let home = home();
    let first = run(&folder, &["pairs", &home, "--format", "json", "--report", "pages"]);
    assert_eq!(first.status.code(), Some(1), "{}", text(&first.stderr));
    let table: serde_json::Value = serde_json::from_slice(&first.stdout).expect("it is JSON");
    let rows = table["pairs"].as_array().expect("there are rows");
    assert_eq!(rows.len(), 5);
    let names = |row: &serde_json::Value| row["apps"].as_array().map_or(0, Vec::len);
    assert_eq!(rows.iter().map(names).max(), Some(3), "an expectation stands before its automations");
    assert!(rows.iter().all(|row| row["verdict"] == "violated" || row["verdict"] == "verified"), "{table}");
    let page = fs::read_to_string(folder.join("pages/index.html")).expect("a page was written");
    assert!(page.contains("automations side by side"));
    let again = run(&folder, &["pairs", &home, "--format", "json"]);
    assert!(text(&again.stderr).contains("5 slices known from pairs.store"), "{}", text(&again.stderr));
    let told: serde_json::Value = serde_json::from_slice(&again.stdout).expect("it is JSON");
    assert_eq!(told["pairs"].as_array().map(Vec::len), Some(5));
}

#[test]
fn what_is_accepted_is_no_news() {
    let folder = folder("assistant-accept");
    let home = home();
    assert_eq!(code(&folder, &["check", &home, "--no-schedule", "--quiet", "--write-accept", "accepted.txt"]), Some(1));
    assert_eq!(code(&folder, &["check", &home, "--no-schedule", "--quiet", "--accept", "accepted.txt"]), Some(0));
    // The same list serves the table.
    let pairs = ["pairs", &home, "--no-store", "--quiet", "--accept", "accepted.txt"];
    let table = run(&folder, &pairs);
    assert_eq!(table.status.code(), Some(0), "{}", text(&table.stdout));
    fs::write(folder.join("accepted.txt"), "alarm\n").expect("it can be written");
    let wrong = run(&folder, &["check", &home, "--accept", "accepted.txt"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("accepted.txt:1"), "{}", text(&wrong.stderr));
}

#[test]
fn options_of_other_programs_are_refused() {
    let folder = folder("assistant-options");
    let lost_update = root().join("examples/threads/lost-update.mz").display().to_string();
    for option in ["--ignore", "--accept", "--expectation"] {
        let refused = run(&folder, &["check", &lost_update, option, "x"]);
        assert_eq!(refused.status.code(), Some(2), "{option}");
        assert!(text(&refused.stderr).contains("expected the configuration of Home Assistant"), "{option}");
    }
    let unknown = run(&folder, &["check", &home(), "--expectation", "Nothing of that name"]);
    assert!(text(&unknown.stderr).contains("there is no such expectation"), "{}", text(&unknown.stderr));
    let list = run(&folder, &["pairs", &home(), "--list", "x"]);
    assert!(text(&list.stderr).contains("--list: not for Home Assistant"), "{}", text(&list.stderr));
}
