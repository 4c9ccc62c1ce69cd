//! Programs in several files, from the file system to the report.

mod common;

use common::{folder, run};
use mazurka::{Check, Fingerprint};
use mazurka_load::{Loaded, Settings, load};
use std::fs;
use std::path::Path;

const MAIN: &str =
    "include \"lib/light.mz\";\n\nthread driver {\n    turn(green);\n}\n\nthread other {\n    turn(red);\n}\n";
const LIGHT: &str = "enum colour { red, green }\nshared light: colour = red;\n\ndef turn(to) {\n    light = to;\n    assert(light == to, \"as it was set\");\n}\n";

fn write(folder: &Path, light: &str) {
    fs::create_dir_all(folder.join("lib")).expect("a folder can be made");
    fs::write(folder.join("main.mz"), MAIN).expect("a file can be written");
    fs::write(folder.join("lib/light.mz"), light).expect("a file can be written");
}

fn load_main(folder: &Path) -> Loaded {
    let main = folder.join("main.mz").display().to_string();
    load(&[main], &Settings::defines(&[]), false).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_violation_in_an_included_file_is_told_there() {
    let folder = folder("include-told");
    write(&folder, LIGHT);
    let loaded = load_main(&folder);
    let names: Vec<&str> = loaded.texts.iter().map(|source| source.file.as_str()).collect();
    let light = folder.join("lib/light.mz").display().to_string();
    assert_eq!(names, [folder.join("main.mz").display().to_string(), light.clone()]);
    assert_eq!(loaded.texts[1].text, LIGHT);
    assert_eq!(loaded.files.len(), 1, "the program is one file to the user");
    let checked = Check::new(&*loaded.subject).run();
    let found = &checked.exploration.violations[0].violation;
    let place = found.location.as_ref().map(|at| (at.file.to_string(), at.line));
    assert_eq!(place, Some((light, 6)));
    // The variable is shown by name, the parameter is a number.
    let values: Vec<String> = found.values.iter().map(|value| format!("{}={}", value.name, value.value)).collect();
    assert_eq!(values, ["light=red", "to=1"]);
}

#[test]
fn the_fingerprint_covers_all_files() {
    let folder = folder("include-fingerprint");
    write(&folder, LIGHT);
    let before = load_main(&folder).source;
    assert_eq!(load_main(&folder).source, before);
    write(&folder, &LIGHT.replace("as it was set", "another text"));
    assert_ne!(load_main(&folder).source, before);
    // That of a program in one file is that of the file.
    let alone = "thread t { }\n";
    fs::write(folder.join("main.mz"), alone).expect("a file can be written");
    assert_eq!(load_main(&folder).source, Fingerprint::of_bytes(alone.as_bytes()));
}

#[test]
fn a_saved_schedule_names_the_right_file_and_notices_a_change_in_it() {
    let folder = folder("include-schedule");
    write(&folder, LIGHT);
    let mazurka = |arguments: &[&str]| {
        let output = run(&folder, arguments);
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.code(), text)
    };
    let (code, text) = mazurka(&["check", "main.mz", "--report", "page"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("lib/light.mz:6"), "{text}");
    let schedule = fs::read_to_string(folder.join("main.schedule")).expect("the schedule was saved");
    assert!(schedule.contains("\nprogram main.mz\n") && schedule.contains("\nat lib/light.mz:6\n"), "{schedule}");
    let page = fs::read_to_string(folder.join("page/index.html")).expect("the page was written");
    assert!(page.contains("thread driver {") && page.contains("def turn(to) {"), "the page shows both files");
    assert_eq!(mazurka(&["replay", "main.schedule", "--print"]).0, Some(1));
    write(&folder, &format!("// Another line.\n{LIGHT}"));
    let (code, text) = mazurka(&["replay", "main.schedule", "--print"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("belongs to another version of main.mz"), "{text}");
}
