//! `mazurka home init`: the file says what is assumed without it, so nothing changes until it is changed.

mod common;

use common::{folder, root, run};
use serde_json::Value;
use std::fs;

/// The verdict of some apps, and what was counted.
fn checked(apps: &[&str], more: &[&str]) -> (String, Value, Value) {
    let output = run(&root(), &[&["check", "--no-schedule", "--all", "--format", "json"], more, apps].concat());
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let counted = |name: &str| report["statistics"][name].clone();
    (report["verdict"].to_string(), counted("states"), counted("transitions"))
}

#[test]
fn a_written_home_changes_nothing() {
    let folder = folder("home-init");
    let shown = folder.display().to_string();
    let mut apps: Vec<String> = fs::read_dir(root().join("examples/smart-home"))
        .expect("there are examples")
        .filter_map(|file| file.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".groovy"))
        .map(|name| format!("examples/smart-home/{name}"))
        .collect();
    apps.sort();
    assert!(apps.len() >= 8, "{apps:?}");
    // Each app alone, and each beside the next one.
    let alone = apps.iter().map(|app| vec![app.as_str()]);
    let pairs = apps.windows(2).map(|pair| pair.iter().map(String::as_str).collect());
    for (index, apps) in alone.chain(pairs).enumerate() {
        let file = format!("{shown}/{index}.toml");
        let written = run(&root(), &[&["home", "init", "--output", &file], &apps[..]].concat());
        assert_eq!(written.status.code(), Some(0), "{apps:?}: {}", String::from_utf8_lossy(&written.stderr));
        assert_eq!(checked(&apps, &["--home", &file]), checked(&apps, &[]), "{apps:?}");
    }
}

#[test]
fn a_home_that_is_there_is_kept() {
    let folder = folder("home-init-taken");
    fs::write(folder.join("home.toml"), "mine").expect("a file can be written");
    let app = root().join("examples/smart-home/fire-alarm.groovy").display().to_string();
    let output = run(&folder, &["home", "init", &app]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.contains("home.toml: exists already"), "{told}");
    assert_eq!(fs::read_to_string(folder.join("home.toml")).expect("it is there"), "mine");
    let output = run(&folder, &["home", "init", &app, "--output", "-"]);
    let home = String::from_utf8(output.stdout).expect("a home is text");
    assert!(home.contains("[app.\"Fire Alarm\"]") && home.contains("capability = \"lock\""), "{home}");
}
