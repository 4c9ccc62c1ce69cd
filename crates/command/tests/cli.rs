//! The command as its users meet it: the cases of `tests/cli`, and every command that the README and the manual show,
//! run with the output that they show.
//!
//! Each page runs in a folder of its own that holds the examples, so nothing is left in the tree. Times and memory
//! differ from run to run: they are taken out of what is expected.

mod common;

use common::{folder, root, run};
use mazurka::{Counter, Engine};
use mazurka_core::Random;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())) {
        let path = entry.expect("a folder can be listed").path();
        let target = to.join(path.file_name().expect("an entry has a name"));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
    }
}

/// Files below a folder whose names end so, in order.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder can be listed").path()).collect();
    paths.retain(|path| path.is_file() && path.to_string_lossy().ends_with(ending));
    paths.sort();
    paths
}

/// A page in which whatever differs from run to run may be anything.
fn without_measurements(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    for line in page.lines() {
        let start = line.trim_start();
        let kept = if start.starts_with("VERDICT ") {
            line.rsplit_once(", ").map(|(before, _)| (format!("{before}, "), ""))
        } else if let Some((name, value)) = start.split_once(": ").filter(|(name, _)| MEASURED.contains(name)) {
            let comma = if value.ends_with(',') { "," } else { "" };
            Some((format!("{}{name}: ", &line[..line.len() - start.len()]), comma))
        } else if line.starts_with(UNDER_VERDICT) && ends_with_time(line) {
            let before = line.rsplit_once(", ").map_or(UNDER_VERDICT.to_owned(), |(before, _)| format!("{before}, "));
            Some((before, ""))
        } else {
            table_row(line).map(|kept| (kept.to_owned(), ""))
        };
        match kept {
            Some((before, after)) => text.push_str(&format!("{before}[..]{after}\n")),
            None => text.push_str(&format!("{line}\n")),
        }
    }
    text
}

/// What the counts of a verdict that do not fit on its line are indented by.
const UNDER_VERDICT: &str = "                    ";

fn ends_with_time(line: &str) -> bool {
    ["µs", "ms", "s"].iter().any(|unit| line.rsplit_once(' ').is_some_and(|(_, last)| last == *unit))
}

/// The fields of a JSON report that differ from run to run.
const MEASURED: [&str; 2] = ["\"seconds\"", "\"peak_bytes\""];

/// A line of the table that `compare` or `pairs` prints, without its last columns: memory, where it is shown, and time.
fn table_row(line: &str) -> Option<&str> {
    if (line.starts_with("engine ") || line.starts_with("apps ")) && line.ends_with(" time") {
        return Some(line.trim_end_matches("time").trim_end().trim_end_matches("memory").trim_end());
    }
    let is_pair = line.contains(" + ") && [" verified ", " violated "].iter().any(|verdict| line.contains(verdict));
    let name = line.split(' ').next().filter(|name| is_pair || Engine::by_name(name).is_some())?;
    let mut row = line;
    for units in [&["µs", "ms", "s"][..], &["MiB"]] {
        if let Some((before, _)) = row.rsplit_once(' ').filter(|(_, unit)| units.contains(unit)) {
            row = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',').trim_end();
        }
    }
    (row.len() < line.len() && row.len() > name.len()).then_some(row)
}

/// Puts a page where it can be run: beside it `NAME.in` with the examples and the page's own files, and `NAME.out` with
/// what it should leave behind.
fn prepare(page: &Path, into: &Path) -> PathBuf {
    let text = fs::read_to_string(page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
    let target = into.join(page.file_name().expect("a page has a name"));
    // The harness takes every backslash of the output for a separator in a path, and turns it into a slash.
    let expected = without_measurements(&text).replace('\\', "/");
    fs::write(&target, expected).expect("a page can be copied");
    copy_folder(&root().join("examples"), &target.with_extension("in").join("examples"));
    for extension in ["in", "out"] {
        let given = page.with_extension(extension);
        if given.is_dir() {
            copy_folder(&given, &target.with_extension(extension));
        }
    }
    // A folder of what is left behind, even an empty one, lets the page run in a copy of `NAME.in`.
    fs::create_dir_all(target.with_extension("out")).expect("a folder can be made");
    target
}

fn run_pages(test: &str, pages: &[PathBuf]) {
    assert!(!pages.is_empty(), "there is nothing to run");
    let into = folder(test);
    let cases = trycmd::TestCases::new();
    cases.env("COLUMNS", "80").env("NO_COLOR", "1");
    for page in pages {
        cases.case(prepare(page, &into));
    }
}

#[test]
fn the_cases_run_as_they_are_written() {
    run_pages("cases", &files(&root().join("tests/cli"), ".trycmd"));
}

/// The pages that users read.
fn manual() -> Vec<PathBuf> {
    let folders = ["docs", "docs/engines"];
    let mut pages: Vec<_> = folders.iter().flat_map(|folder| files(&root().join(folder), ".md")).collect();
    pages.push(root().join("README.md"));
    pages
}

#[test]
fn the_manual_shows_what_the_command_does() {
    run_pages("manual", &manual());
}

#[test]
fn measurements_are_taken_out_and_nothing_else() {
    for (line, expected) in [
        ("VERDICT  verified   exhaustive: 9 states, 1.4 ms", "VERDICT  verified   exhaustive: 9 states, [..]"),
        ("    \"peak_bytes\": 4579328,", "    \"peak_bytes\": [..],"),
        ("    \"seconds\": 0.0013", "    \"seconds\": [..]"),
        ("engine      verdict   states   memory    time", "engine      verdict   states[..]"),
        ("exhaustive  verified  13  4.1 MiB  1.5 ms", "exhaustive  verified  13[..]"),
        ("enumerate   bounded    0  12 µs", "enumerate   bounded    0[..]"),
        ("apps   verdict   states    time", "apps   verdict   states[..]"),
        ("a + b  verified       2  0.3 ms", "a + b  verified       2[..]"),
        ("enumerate   1 schedule was cut", "enumerate   1 schedule was cut"),
        ("  1     bank  wait 1 ms", "  1     bank  wait 1 ms"),
    ] {
        assert_eq!(without_measurements(line).trim_end(), expected);
    }
}

/// The words of a text that look like options.
fn options(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.filter(|word| word.starts_with("--") && word.len() > 3).map(str::to_owned).collect()
}

#[test]
fn the_manual_lists_every_option_and_every_engine() {
    let page = |name: &str| fs::read_to_string(root().join(name)).expect("the manual can be read");
    let (command, engines, readme) = (page("docs/command.md"), page("docs/engines.md"), page("README.md"));
    for name in
        ["check", "pairs", "apps", "replay", "explore", "compare", "agree", "work", "home", "completions", "man"]
    {
        let help = run(&root(), &[name, "--help"]);
        let start = command.find(&format!("\n## {name}\n")).unwrap_or_else(|| panic!("no section on {name}"));
        let section = &command[start + 1..];
        let section = &section[..section.find("\n## ").unwrap_or(section.len())];
        let missing: Vec<_> =
            options(&String::from_utf8_lossy(&help.stdout)).difference(&options(section)).cloned().collect();
        assert!(missing.is_empty(), "docs/command.md, {name}: {missing:?}");
    }
    for engine in Engine::ALL {
        let title = format!("# `{engine}`\n");
        assert!(page(&format!("docs/engines/{engine}.md")).starts_with(&title), "{engine} has no page");
        let row = format!("\n| [`{engine}`](engines/{engine}.md) |");
        assert!(engines.contains(&row), "docs/engines.md has no row for {engine}");
        assert!(readme.contains(&format!("\n| `{engine}` |")), "README.md has no row for {engine}");
    }
    for counter in Counter::ALL {
        let row = format!("| `{}` | {} |", counter.name(), counter.meaning().trim());
        assert!(engines.contains(&row), "docs/engines.md has no row {row}");
    }
}

/// The name that a heading has in links, as code hosts make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    let kept = kept.chars().filter(|&c| c.is_alphanumeric() || c == ' ' || c == '-' || c == '_');
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_of_the_manual_lead_somewhere() {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut found = 0;
    for page in manual().into_iter().chain([root().join("ARCHITECTURE.md")]) {
        // Code is no link: neither a block of it nor a piece of a line.
        let prose: String = read(&page).split("```").step_by(2).flat_map(|prose| prose.split('`').step_by(2)).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            if link.contains("://") {
                continue;
            }
            found += 1;
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            assert!(target.exists(), "{}: {link} is not there", page.display());
            let has_place = || {
                read(&target).lines().any(|line| line.starts_with('#') && anchor(line.trim_start_matches('#')) == place)
            };
            assert!(place.is_empty() || has_place(), "{}: {link}: there is no such heading", page.display());
        }
    }
    assert!(found > 50, "only {found} links were found");
}

/// Bytes that look random and are the same in every run.
fn noise(length: usize) -> Vec<u8> {
    let mut random = Random::new(1);
    std::iter::repeat_with(|| random.word() as u8).take(length).collect()
}

#[test]
fn ten_megabytes_of_garbage_are_an_error_and_nothing_else() {
    const LENGTH: usize = 10 << 20;
    // Just below the greatest size of a program, so that the parser has to read it all.
    const LARGEST: usize = 4 << 20;
    let garbage: [(&str, Vec<u8>); 7] = [
        ("noise.mz", noise(LENGTH)),
        ("noise-in-ascii.mz", noise(LARGEST).into_iter().map(|byte| byte & 0x7f).collect()),
        ("parentheses.mz", vec![b'('; LENGTH]),
        ("fewer-parentheses.mz", [b"thread a { let x = ".to_vec(), vec![b'('; LARGEST / 2]].concat()),
        ("braces.mz", [b"thread a ".to_vec(), vec![b'{'; LARGEST / 2]].concat()),
        ("sums.mz", [b"shared x = 1".to_vec(), b" + 1".repeat(LARGEST / 8)].concat()),
        ("zeros.mz", vec![0; LENGTH]),
    ];
    let folder = folder("garbage");
    for (name, bytes) in &garbage {
        fs::write(folder.join(name), bytes).expect("garbage can be written");
        for arguments in [&["check", name][..], &["compare", name], &["replay", name]] {
            let output = run(&folder, arguments);
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
            assert!(!error.contains("panicked"), "{arguments:?}: {error}");
            assert!(error.contains(name) && error.len() < 2000, "{arguments:?}: {error}");
            assert!(output.stdout.is_empty(), "{arguments:?} prints a result");
        }
        fs::remove_file(folder.join(name)).expect("garbage can be removed");
        assert_eq!(files(&folder, "").len(), 0, "{name}: something was written");
    }
}

#[test]
fn a_schedule_cut_anywhere_is_an_error() {
    let folder = folder("cut");
    copy_folder(&root().join("examples/threads"), &folder);
    assert_eq!(run(&folder, &["check", "dining-philosophers.mz"]).status.code(), Some(1));
    let whole = fs::read(folder.join("dining-philosophers.schedule")).expect("the schedule was saved");
    // Without its last line break the file is still whole.
    for length in 0..whole.len() - 1 {
        fs::write(folder.join("cut.schedule"), &whole[..length]).expect("a part can be written");
        let output = run(&folder, &["replay", "cut.schedule"]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{length} bytes: {error}");
        assert!(error.contains("cut.schedule:") && error.contains("expected"), "{length} bytes: {error}");
    }
}

/// The apps of the manual in a folder of their own.
fn apps(test: &str) -> PathBuf {
    let folder = folder(test);
    copy_folder(&root().join("examples/smart-home"), &folder.join("apps"));
    folder
}

/// A table of pairs without what differs from run to run.
fn table(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| line.split(',').take(10).collect::<Vec<_>>().join(",")).collect()
}

#[test]
fn a_run_of_pairs_that_was_killed_goes_on() {
    let folder = apps("killed-pairs");
    let whole = run(&folder, &["pairs", "apps", "--no-store", "--format", "csv"]);
    assert_eq!(whole.status.code(), Some(1), "{}", String::from_utf8_lossy(&whole.stderr));
    assert_eq!(table(&whole).len(), 1 + 13 * 12 / 2);
    let again = ["pairs", "apps", "--format", "csv", "--jobs", "1"];
    for wait in [20, 60, 150] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_mazurka"))
            .args(again)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the command can be started");
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().expect("the command can be killed");
        child.wait().expect("it is gone");
    }
    let resumed = run(&folder, &again);
    assert_eq!(table(&resumed), table(&whole), "{}", String::from_utf8_lossy(&resumed.stderr));
    let known = run(&folder, &again);
    assert_eq!(table(&known), table(&whole));
    assert!(String::from_utf8_lossy(&known.stderr).contains("78 pairs known from"));
    // Pages are made for what was found, once.
    let pages = [&again[..], &["--report", "pages"]].concat();
    let (first, second) = (run(&folder, &pages), run(&folder, &pages));
    assert_eq!((table(&first), table(&second)), (table(&whole), table(&whole)));
    assert!(String::from_utf8_lossy(&first.stderr).contains("52 pairs known from"));
    assert!(String::from_utf8_lossy(&second.stderr).contains("78 pairs known from"));
    assert_eq!(files(&folder.join("pages/pairs"), ".html").len(), 26);
}

#[test]
fn an_app_that_cannot_be_read_is_a_line_of_the_table() {
    let folder = apps("bad-pairs");
    for name in ["good-night", "keep-warm", "leak-guard", "night-light", "always-on", "always-off", "door-counter"] {
        fs::remove_file(folder.join(format!("apps/{name}.groovy"))).expect("it is there");
    }
    fs::write(folder.join("apps/odd.groovy"), "definition(name: \"Odd\"\n").expect("an app can be written");
    fs::write(folder.join("apps/loop.groovy"), LOOP).expect("an app can be written");
    let output = run(&folder, &["pairs", "apps", "--no-store"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("odd + open-on-arrival") && text.contains("7 failed"), "{text}");
    assert!(text.contains("fire-alarm + loop"), "{text}");
    let output = run(&folder, &["apps", "apps"]);
    assert_eq!(output.status.code(), Some(5));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("8 apps: 7 parsed, 7 installed, 6 ran"), "{text}");
    assert!(text.contains("odd.groovy:"), "{text}");
}

/// An app whose handler never ends.
const LOOP: &str = r#"
definition(name: "Loop", namespace: "x", author: "x", description: "x")
preferences { section { input "lamp", "capability.switch" } }
def installed() { subscribe(lamp, "switch.on", forEver) }
def forEver(evt) { def list = []; while (true) { list << list.size() } }
"#;

#[test]
fn apps_that_are_none_are_errors_with_their_place() {
    let folder = folder("bad-apps");
    let good = "definition(name: \"A\", namespace: \"x\", author: \"x\", description: \"x\")\n";
    let bad: [(&str, String, &str); 7] = [
        ("not-groovy.groovy", "<html>\n<body>hello</body>".to_owned(), "not-groovy.groovy:"),
        ("error.groovy", format!("{good}def installed() {{ if (\n}}\n"), "error.groovy:"),
        ("no-definition.groovy", "def installed() { }\n".to_owned(), "definition"),
        ("type.groovy", format!("{good}preferences {{ section {{ input \"x\", \"nmber\" }} }}\n"), "number"),
        (
            "capability.groovy",
            format!("{good}preferences {{ section {{ input \"x\", \"capability.swich\" }} }}\n"),
            "switch",
        ),
        ("empty.groovy", String::new(), "empty.groovy"),
        ("deep.groovy", format!("{good}def installed() {{ def x = {} }}", "(".repeat(200_000)), "deep.groovy"),
    ];
    for (name, text, expected) in &bad {
        fs::write(folder.join(name), text).expect("an app can be written");
        let output = run(&folder, &["check", name]);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{name}: {error}");
        assert!(error.contains(expected) && !error.contains("panicked"), "{name}: {error}");
    }
    fs::write(folder.join("noise.groovy"), noise(10 << 20)).expect("noise can be written");
    assert_eq!(run(&folder, &["check", "noise.groovy"]).status.code(), Some(2));
    fs::create_dir(folder.join("nothing")).expect("a folder can be made");
    let output = run(&folder, &["pairs", "nothing"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no app in this folder"));
}

#[cfg(unix)]
#[test]
fn an_emitted_test_fails_on_the_broken_program_and_passes_on_the_repaired_one() {
    let folder = folder("emitted");
    copy_folder(&root().join("examples/threads"), &folder);
    assert_eq!(run(&folder, &["check", "lost-update.mz"]).status.code(), Some(1));
    assert_eq!(run(&folder, &["replay", "lost-update.schedule", "--emit-test", "test.sh"]).status.code(), Some(1));
    let test = |program: &str| {
        let script = Command::new("./test.sh")
            .arg(program)
            .env("MAZURKA", env!("CARGO_BIN_EXE_mazurka"))
            .current_dir(&folder)
            .output()
            .expect("the test can be run");
        (script.status.code(), String::from_utf8_lossy(&script.stderr).into_owned())
    };
    let (code, said) = test("lost-update.mz");
    assert_eq!((code, said.as_str()), (Some(1), "the violation is back, in the same order of events\n"));
    assert_eq!(test("lost-update-repaired.mz").0, Some(0));
    // Another fault than the one that was saved is found among the other orders.
    assert_eq!(test("dining-philosophers.mz").0, Some(1));
    // What is not ours is not replaced.
    fs::write(folder.join("mine.sh"), "echo mine\n").expect("a file can be written");
    let refused = run(&folder, &["replay", "lost-update.schedule", "--emit-test", "mine.sh"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("is not a test that mazurka wrote"));
    assert_eq!(fs::read_to_string(folder.join("mine.sh")).expect("it is there"), "echo mine\n");
}

#[test]
fn a_saved_race_is_met_again_where_lines_have_moved() {
    let folder = folder("a-saved-race");
    copy_folder(&root().join("examples/threads"), &folder);
    let code = |arguments: &[&str]| run(&folder, arguments).status.code();
    assert_eq!(code(&["check", "publication.mz", "--races"]), Some(1));
    assert_eq!(code(&["replay", "publication.schedule"]), Some(1));
    let source = fs::read_to_string(folder.join("publication.mz")).expect("it can be read");
    fs::write(folder.join("moved.mz"), format!("// One line more.\n{source}")).expect("it can be written");
    assert_eq!(code(&["replay", "publication.schedule", "--program", "moved.mz"]), Some(1));
    assert_eq!(code(&["replay", "publication.schedule", "--program", "publication-repaired.mz"]), Some(4));
    // The schedule of another violation tells nothing of races.
    assert_eq!(code(&["check", "lost-update.mz"]), Some(1));
    let other = run(&folder, &["replay", "lost-update.schedule", "--program", "lost-update-repaired.mz"]);
    assert!(!String::from_utf8_lossy(&other.stderr).contains("race"));
}
