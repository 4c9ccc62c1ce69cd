//! Accidents: folders that cannot be written to, full disks, many runs at once, damaged files, names that steer a
//! terminal. None of them costs a result, and each is told.

mod common;

use common::{folder, root, run};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with some examples in it.
fn with_examples(test: &str, examples: &[&str]) -> PathBuf {
    let folder = folder(test);
    for example in examples {
        let from = root().join("examples").join(example);
        fs::copy(&from, folder.join(from.file_name().expect("it has a name"))).expect("it can be copied");
    }
    folder
}

/// Whether a violation was told, with the exit code that belongs to it.
fn is_told(output: &Output) {
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(out.contains("VIOLATION  ") && out.contains("VERDICT  violated"), "{out}{err}");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be listed");
    let mut names: Vec<_> =
        entries.map(|entry| text(entry.expect("an entry").file_name().as_encoded_bytes())).collect();
    names.sort();
    names
}

#[test]
fn a_violation_is_told_though_its_schedule_cannot_be_saved() {
    let folder = with_examples("unsaved", &["threads/lost-update.mz"]);
    fs::write(folder.join("mine"), "mine").expect("a file can be written");
    let mut places = vec!["mine", "mine/x.schedule", "none/x.schedule", "."];
    if cfg!(target_os = "linux") {
        places.extend(["/dev/full", "/proc/x.schedule"]);
    }
    for place in places {
        let output = run(&folder, &["check", "lost-update.mz", "--schedule", place]);
        is_told(&output);
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert!(!out.contains("  replay "), "{place}: {out}");
        assert!(err.starts_with("warning: ") && err.contains("the schedule is not saved"), "{place}: {err}");
    }
    fs::write(folder.join("lost-update.schedule"), "a bus timetable").expect("a file can be written");
    is_told(&run(&folder, &["check", "lost-update.mz"]));
    assert_eq!(text(&fs::read(folder.join("lost-update.schedule")).expect("it is there")), "a bus timetable");
    assert_eq!(names(&folder), ["lost-update.mz", "lost-update.schedule", "mine"]);
}

#[test]
fn a_result_never_takes_the_place_of_what_was_read() {
    let folder = with_examples("inputs", &["smart-home/fire-alarm.groovy"]);
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("a file can be written");
    write("part.mz", "shared x = 0;");
    write("main.mz", "include \"part.mz\"; thread t { x = 1; }");
    write("home.toml", "");
    for arguments in [
        &["check", "main.mz", "--format", "json=part.mz"][..],
        &["check", "main.mz", "--format", "json=a.schedule", "--schedule", "a.schedule"],
        &["check", "fire-alarm.groovy", "--home", "home.toml", "--format", "json=home.toml"],
        &["compare", "fire-alarm.groovy", "--home", "home.toml", "--format", "json=home.toml"],
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("expected another file for the result"), "{}", text(&output.stderr));
    }
    assert_eq!(text(&fs::read(folder.join("part.mz")).expect("it is there")), "shared x = 0;");
    assert_eq!(names(&folder), ["fire-alarm.groovy", "home.toml", "main.mz", "part.mz"]);
}

/// A test that is made of a schedule runs no command that a file name has in it, in whatever shell.
#[cfg(unix)]
#[test]
fn a_file_name_is_no_command() {
    let folder = with_examples("names", &["threads/lost-update.mz"]);
    let name = "x'$(touch made)}; #\u{1}.mz";
    fs::rename(folder.join("lost-update.mz"), folder.join(name)).expect("it can be renamed");
    is_told(&run(&folder, &["check", name, "--schedule", "s.schedule"]));
    run(&folder, &["replay", "s.schedule", "--emit-test", "test.sh"]);
    let mut sh = Command::new("sh");
    sh.arg("test.sh").current_dir(&folder).env("MAZURKA", env!("CARGO_BIN_EXE_mazurka"));
    let output = sh.stdin(Stdio::null()).output().expect("there is a shell");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(!folder.join("made").exists());
}

/// A folder of files in memory is a folder, though its name begins like that of a device.
#[cfg(target_os = "linux")]
#[test]
fn files_in_memory_are_files() {
    let Ok(metadata) = fs::metadata("/dev/shm") else { return };
    assert!(metadata.is_dir());
    let folder = with_examples("memory", &["threads/lost-update.mz"]);
    let path = format!("/dev/shm/mazurka-test-{}", std::process::id());
    fs::write(&path, "a letter").expect("a file can be written");
    let output = run(&folder, &["check", "lost-update.mz", "--schedule", &path]);
    let kept = text(&fs::read(&path).expect("it is there"));
    fs::remove_file(&path).expect("it can be removed");
    is_told(&output);
    assert_eq!(kept, "a letter");
}

#[test]
fn what_an_accident_left_of_a_schedule_is_replaced() {
    let folder = with_examples("left-over", &["threads/lost-update.mz"]);
    for rest in ["", "mazu", "mazurka schedule 1\nprogram lost"] {
        fs::write(folder.join("lost-update.schedule"), rest).expect("a file can be written");
        let output = run(&folder, &["check", "lost-update.mz"]);
        is_told(&output);
        assert!(text(&output.stdout).contains("mazurka replay lost-update.schedule"));
        assert_eq!(run(&folder, &["replay", "lost-update.schedule", "--print"]).status.code(), Some(1));
    }
}

#[test]
fn sixty_runs_at_once_in_one_folder_tell_their_violations() {
    let folder = with_examples("sixty", &["threads/lost-update.mz"]);
    thread::scope(|scope| {
        let runs: Vec<_> = (0..60).map(|_| scope.spawn(|| run(&folder, &["check", "lost-update.mz"]))).collect();
        for run in runs {
            let output = run.join().expect("it ran");
            is_told(&output);
            assert_eq!(text(&output.stderr), "");
        }
    });
    assert_eq!(run(&folder, &["replay", "lost-update.schedule", "--print"]).status.code(), Some(1));
    assert_eq!(names(&folder), ["lost-update.mz", "lost-update.schedule"]);
}

#[test]
fn other_files_that_cannot_be_written_are_told_after_the_verdict() {
    let folder = with_examples("unwritten", &["threads/lost-update.mz", "threads/peterson.mz"]);
    fs::write(folder.join("mine"), "mine").expect("a file can be written");
    let options =
        [&["--format", "json=mine/x.json"][..], &["--format", "junit=none/x.xml"], &["--report", "mine/pages"]];
    for option in options {
        let of = |program: &str| run(&folder, &[&["check", program, "--no-schedule"], option].concat());
        let broken = of("lost-update.mz");
        is_told(&broken);
        assert!(text(&broken.stderr).starts_with("warning: "), "{}", text(&broken.stderr));
        // All is well with the program, but not with the run.
        let sound = of("peterson.mz");
        assert_eq!(sound.status.code(), Some(2));
        assert!(text(&sound.stdout).contains("VERDICT  verified") && text(&sound.stderr).starts_with("warning: "));
        let compared = run(&folder, &[&["compare", "lost-update.mz", "--engine", "exhaustive"], option].concat());
        if !option[1].starts_with("junit") {
            assert_eq!(compared.status.code(), Some(1));
            assert!(text(&compared.stdout).contains("violated") && text(&compared.stderr).starts_with("warning: "));
        }
    }
    is_told(&run(&folder, &["check", "lost-update.mz"]));
    let replayed = run(&folder, &["replay", "lost-update.schedule", "--emit-test", "mine/test.sh"]);
    assert_eq!(replayed.status.code(), Some(1));
    assert!(text(&replayed.stdout).contains("VIOLATION") && !text(&replayed.stdout).contains("TEST"));
    assert!(text(&replayed.stderr).starts_with("warning: mine/test.sh: "), "{}", text(&replayed.stderr));
    assert_eq!(names(&folder), ["lost-update.mz", "lost-update.schedule", "mine", "peterson.mz"]);
}

/// Apps of which two fight.
const APPS: [&str; 3] =
    ["smart-home/leak-guard.groovy", "smart-home/garden-watering.groovy", "smart-home/welcome-home.groovy"];

#[cfg(target_os = "linux")]
#[test]
fn output_that_is_lost_is_told() {
    let folder = with_examples("full", &[&APPS[..], &["threads/lost-update.mz", "threads/peterson.mz"]].concat());
    is_told(&run(&folder, &["check", "lost-update.mz"]));
    let commands: [&[&str]; 11] = [
        &["check", "lost-update.mz"],
        &["check", "peterson.mz"],
        &["check", "peterson.mz", "--format", "json"],
        &["pairs", ".", "--no-store"],
        &["pairs", ".", "--no-store", "--format", "csv"],
        &["apps", "."],
        &["replay", "lost-update.schedule"],
        &["compare", "peterson.mz", "--engine", "exhaustive"],
        &["agree", "--programs", "3", "--seed", "1"],
        &["--help"],
        &["--version"],
    ];
    for arguments in commands {
        let full = File::options().write(true).open("/dev/full").expect("it is always there");
        let output = Command::new(env!("CARGO_BIN_EXE_mazurka"))
            .args(arguments)
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(full)
            .output()
            .expect("the command can be started");
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains("error: standard output: the disk is full; the result is not complete"), "{error}");
        let told = error.contains("the verdict was violated");
        assert_eq!(told, arguments[0] == "replay" || arguments[0] == "pairs" || arguments.contains(&"lost-update.mz"));
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = with_examples("pipe", &["threads/lost-update.mz"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_mazurka"))
        .args(["check", "lost-update.mz", "--no-schedule"])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command can be started");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(1), ""));
}

/// Whether a text holds what would steer a terminal.
fn steers(output: &Output) -> bool {
    let is_bad = |c: char| c.is_control() && !"\n\t".contains(c) || c == '\u{202e}';
    [&output.stdout, &output.stderr].iter().any(|bytes| text(bytes).contains(is_bad))
}

#[cfg(unix)]
#[test]
fn names_that_steer_a_terminal_are_written_out() {
    let folder = folder("escapes");
    let evil = "x\u{1b}]0;t\u{7}\u{9b}2J\u{202e}\u{7f}";
    let program = "shared x = 0; thread a { x = 1; assert(x == 2, \"no \u{1b}[31m red\"); }";
    fs::write(folder.join(format!("{evil}.mz")), program).expect("it can be written");
    fs::write(folder.join(format!("{evil}-bad.mz")), "thread \u{1b}[2J { ").expect("it can be written");
    let app = |name: &str, verb: &str| {
        format!(
            "definition(name: \"{name}\\u001b[31m\\u009b\", namespace: \"x\", author: \"x\", description: \"x\")\n\
             preferences {{ section {{ input \"lamp\", \"capability.switch\"\ninput \"seen\", \"capability.motionSensor\" }} }}\n\
             def installed() {{ subscribe(seen, \"motion\", go) }}\n\
             def go(evt) {{ state.\"k\\u001b\" = \"v\\u001b[2J\"; lamp.{verb}() }}\n"
        )
    };
    fs::write(folder.join(format!("a{evil}.groovy")), app("One", "on")).expect("it can be written");
    fs::write(folder.join(format!("b{evil}.groovy")), app("Two", "off")).expect("it can be written");
    fs::write(folder.join("list"), format!("{evil}, {evil}\n")).expect("it can be written");
    let (mz, bad) = (format!("{evil}.mz"), format!("{evil}-bad.mz"));
    let (one, two) = (format!("a{evil}.groovy"), format!("b{evil}.groovy"));
    let (schedule, none) = (format!("{evil}.schedule"), format!("{evil}-none.mz"));
    let commands: [&[&str]; 19] = [
        &["check", &mz],
        &["check", &mz, "--format", "json"],
        &["check", &mz, "--format", "sarif"],
        &["check", &mz, "--format", "junit"],
        &["check", &mz, "--format", "html"],
        &["check", &bad],
        &["check", &none],
        &["check", evil],
        &["check", &mz, "--schedule", &mz],
        &["check", &mz, "--engine", evil],
        &["check", &mz, "-D", evil],
        &["check", &mz, "-D", &format!("{evil}=1")],
        &["replay", &schedule],
        &["replay", &none],
        &["check", &one, &two, "--no-schedule"],
        &["check", &one, &two, "--never", evil],
        &["pairs", ".", "--no-store"],
        &["pairs", ".", "--no-store", "--format", "csv"],
        &["pairs", ".", "--no-store", "--list", "list"],
    ];
    for arguments in commands {
        let output = run(&folder, arguments);
        let seen = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert!(!steers(&output), "{arguments:?}: {seen:?}");
        assert!(!seen.contains("panicked"), "{seen}");
    }
    assert!(!steers(&run(&folder, &["apps", "."])) && !steers(&run(&folder, &["pairs", ".", "--format", "json"])));
    let saved = text(&fs::read(folder.join(&schedule)).expect("the schedule was saved"));
    assert!(!saved.contains('\u{1b}') && saved.contains(r"\u{1b}"), "{saved}");
    assert_eq!(run(&folder, &["replay", &schedule]).status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_line_break_in_a_name_does_not_begin_a_line() {
    let folder = folder("line-breaks");
    // What stands behind the break would look like a message of ours.
    let evil = "x\nerror: all is well";
    let app = |verb: &str| {
        format!(
            "definition(name: \"App {verb}\", namespace: \"x\", author: \"x\", description: \"x\")\n\
             preferences {{ section {{ input \"lamp\", \"capability.switch\"\ninput \"seen\", \"capability.motionSensor\" }} }}\n\
             def installed() {{ subscribe(seen, \"motion\", go) }}\ndef go(evt) {{ lamp.{verb}() }}\n"
        )
    };
    let program = "shared x = 0; thread a { x = 1; assert(x == 2); }";
    for (name, text) in [("", program), ("-bad", "thread {"), ("-none", "shared x = 0;")] {
        fs::write(folder.join(format!("{evil}{name}.mz")), text).expect("it can be written");
    }
    fs::write(folder.join(format!("{evil}-bytes.mz")), b"\xff").expect("it can be written");
    fs::write(folder.join(format!("{evil}-torn.yaml")), "a: [").expect("it can be written");
    fs::write(folder.join("none.ll"), "define i32 @f() {\n  ret i32 0\n}\n").expect("it can be written");
    let automation = "- alias: One\n  triggers: []\n  actions: []\n";
    fs::write(folder.join("one.yaml"), automation).expect("it can be written");
    fs::write(folder.join(format!("{evil}-torn.schedule")), "mazurka schedule 1\n").expect("it can be written");
    fs::write(folder.join(format!("{evil}-foreign")), "foreign").expect("it can be written");
    fs::write(folder.join(format!("{evil}-list")), "one, two\n").expect("it can be written");
    fs::write(folder.join(format!("{evil}-words")), "one\n").expect("it can be written");
    fs::create_dir(folder.join(format!("{evil}-empty"))).expect("a folder can be made");
    fs::create_dir(folder.join("apps")).expect("a folder can be made");
    fs::write(folder.join(format!("apps/{evil}.groovy")), app("on")).expect("it can be written");
    fs::write(folder.join("apps/b.groovy"), app("off")).expect("it can be written");
    let of = |end: &str| format!("{evil}{end}");
    let (mz, taken, list, words) = (of(".mz"), of("-foreign"), of("-list"), of("-words"));
    let report = of("-foreign");
    let commands: Vec<Vec<String>> = [
        vec!["check", &of("-bad.mz")],
        vec!["check", &of("-none.mz")],
        vec!["check", &of("-bytes.mz")],
        vec!["check", &of("-missing.mz")],
        vec!["check", &of("-missing")],
        vec!["check", &mz, &mz],
        vec!["check", &mz, "--schedule", &taken],
        vec!["check", &mz, "--report", &report],
        vec!["check", &mz, "--format", &format!("json={mz}")],
        vec!["check", &mz, "--format", &format!("json={evil}/x/y")],
        vec!["check", &mz, "--engine", evil],
        vec!["check", &mz, "--time-limit", evil],
        vec!["check", &mz, &format!("--{evil}")],
        vec!["check", &mz, "-D", &format!("{evil}=1")],
        vec!["check", &of("-torn.yaml")],
        vec!["check", &of("-missing.yaml")],
        vec!["check", "one.yaml", "--automation", evil],
        vec!["check", "none.ll", "--entry", evil],
        vec!["compare", &of("-missing.mz")],
        vec!["replay", &of("-torn.schedule")],
        vec!["replay", &of("-missing.schedule")],
        vec!["pairs", &of("-missing")],
        vec!["pairs", &of("-empty")],
        vec!["pairs", "apps", "--store", &taken],
        vec!["pairs", "apps", "--no-store", "--list", &list],
        vec!["pairs", "apps", "--no-store", "--list", &words],
        vec!["pairs", "apps", "--no-store", "--accept", &words],
        vec!["pairs", "apps", "--no-store", "--write-accept", &taken],
        vec!["apps", &of("-missing")],
        vec![evil],
    ]
    .into_iter()
    .map(|command| command.into_iter().map(str::to_owned).collect())
    .collect();
    for command in commands {
        let arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        let output = run(&folder, &arguments);
        let seen = text(&output.stderr);
        assert!(!seen.contains("\nerror: all"), "{arguments:?}: {seen}");
        assert!(seen.contains(r"x\nerror: all is well") || arguments.len() == 3, "{arguments:?}: {seen}");
    }
}

#[test]
fn a_byte_order_mark_is_accepted_everywhere() {
    let folder = with_examples("marks", &[&APPS[..], &["threads/lost-update.mz"]].concat());
    for name in ["trace.txt", "dependence.txt"] {
        let from = root().join("tests/traces/handler-waits-for-the-next").join(name);
        if from.exists() {
            fs::copy(&from, folder.join(name)).expect("it can be copied");
        }
    }
    fs::write(folder.join("home.toml"), "[[device]]\nname = \"tap\"\ncapability = \"valve\"\n").expect("it is written");
    fs::write(folder.join("list"), "leak-guard, garden-watering\n").expect("it is written");
    fs::write(folder.join("accepted"), "leak-guard + garden-watering: it hums\n").expect("it is written");
    assert_eq!(run(&folder, &["check", "lost-update.mz"]).status.code(), Some(1));
    let commands: [&[&str]; 6] = [
        &["check", "lost-update.mz"],
        &["replay", "lost-update.schedule"],
        &["check", "trace.txt"],
        &["check", "leak-guard.groovy", "--home", "home.toml"],
        &["pairs", ".", "--no-store", "--list", "list", "--accept", "accepted"],
        &["apps", "."],
    ];
    let codes = || commands.map(|arguments| run(&folder, arguments).status.code());
    let before = codes();
    assert!(before.iter().all(|code| code.is_some_and(|code| code != 2)), "{before:?}");
    for name in names(&folder) {
        let bytes = fs::read(folder.join(&name)).expect("it is there");
        fs::write(folder.join(&name), [b"\xef\xbb\xbf", &bytes[..]].concat()).expect("it can be written");
        assert_eq!(codes(), before, "{name}");
        fs::write(folder.join(&name), bytes).expect("it can be written");
    }
}

#[cfg(unix)]
#[test]
fn what_has_no_end_is_not_read() {
    let folder = with_examples("endless", &APPS);
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero")).expect("a link can be made");
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
    let mut endless = vec!["zero"];
    endless.extend(made.is_ok_and(|status| status.success()).then_some("pipe"));
    for name in endless {
        for ending in ["mz", "groovy", "txt", "toml"] {
            let _ = fs::remove_file(folder.join(format!("{name}.{ending}")));
            std::os::unix::fs::symlink(name, folder.join(format!("{name}.{ending}"))).expect("a link can be made");
        }
        let [mz, groovy, txt, toml] = ["mz", "groovy", "txt", "toml"].map(|ending| format!("{name}.{ending}"));
        let commands: [&[&str]; 8] = [
            &["check", &mz],
            &["check", &groovy],
            &["check", &txt],
            &["compare", &mz],
            &["replay", name],
            &["check", "leak-guard.groovy", "--home", &toml],
            &["pairs", "leak-guard.groovy", "welcome-home.groovy", "--no-store", "--list", name],
            &["pairs", "leak-guard.groovy", "welcome-home.groovy", "--store", name],
        ];
        for arguments in commands {
            let output = run(&folder, arguments);
            let error = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
            assert!(error.contains(name) && error.contains("expected"), "{arguments:?}: {error}");
        }
        assert_eq!(run(&folder, &["apps", &groovy]).status.code(), Some(5));
        fs::remove_file(folder.join(format!("{name}.groovy"))).expect("it is there");
    }
}

#[test]
fn input_that_is_too_deep_too_large_or_no_text_is_an_error() {
    let folder = with_examples("too-much", &APPS);
    let deep = format!("{}lock == 'locked'{}", "(".repeat(10_000), ")".repeat(10_000));
    let output = run(&folder, &["check", "leak-guard.groovy", "--never", &deep]);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("nested too deeply") && error.contains("--never") && error.len() < 2000, "{error}");
    fs::write(folder.join("list"), b"leak-guard, welcome-home\nwelc\xffome\n").expect("it can be written");
    for option in ["--list", "--accept"] {
        let output = run(&folder, &["pairs", ".", "--no-store", option, "list"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("list:2: byte 29 is not UTF-8"), "{}", text(&output.stderr));
    }
    for name in ["large.mz", "large.groovy", "large.txt", "large.schedule"] {
        let file = File::create(folder.join(name)).expect("it can be made");
        file.set_len((64 << 20) + 1).expect("it can be made long");
        let command = if name.ends_with("schedule") { "replay" } else { "check" };
        let output = run(&folder, &[command, name]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains("the file is larger than 64 MiB"), "{}", text(&output.stderr));
        fs::remove_file(folder.join(name)).expect("it is there");
    }
}

#[test]
fn accepted_findings_are_counted_and_only_news_are_told() {
    let folder = with_examples("accepted", &APPS);
    let options = ["pairs", ".", "--no-store", "--accept", "accepted.txt"];
    let first = run(&folder, &["pairs", ".", "--no-store", "--write-accept", "accepted.txt"]);
    assert_eq!(first.status.code(), Some(1));
    let list = fs::read_to_string(folder.join("accepted.txt")).expect("the list was written");
    assert_eq!(list.lines().count(), 3, "{list}");
    let quiet = run(&folder, &options);
    assert_eq!((quiet.status.code(), text(&quiet.stderr).as_str()), (Some(0), ""), "{}", text(&quiet.stdout));
    assert!(text(&quiet.stdout).ends_with("3 pairs: 0 fight, 2 verified, 1 accepted; 2 findings are accepted\n"));
    // One of them is news again, one entry is about nothing, and one about other apps.
    let kept = list.lines().filter(|line| !line.contains("\"Leak Guard\" closes")).collect::<Vec<_>>().join("\n");
    let stale = "leak-guard + welcome-home: they hum\nx + y: z\n";
    fs::write(folder.join("accepted.txt"), format!("{kept}\n{stale}")).expect("it can be written");
    let news = run(&folder, &options);
    assert_eq!(news.status.code(), Some(1));
    let (out, err) = (text(&news.stdout), text(&news.stderr));
    assert!(out.contains("1 conflict, 1 accepted") && out.contains("high: \"Leak Guard\" closes"), "{out}");
    assert!(!out.contains("\"Garden Watering\" opens"), "{out}");
    assert!(err.contains("accepted.txt:3: accepted, but not found any more: leak-guard + welcome-home"), "{err}");
    assert!(err.contains("1 entry is about other pairs"), "{err}");
    // A list of another program is not replaced, and a line that is no finding is an error.
    fs::write(folder.join("mine"), "mine\n").expect("it can be written");
    let unwritten = run(&folder, &["pairs", ".", "--no-store", "--write-accept", "mine"]);
    assert_eq!(
        (unwritten.status.code(), fs::read_to_string(folder.join("mine")).ok()),
        (Some(1), Some("mine\n".into()))
    );
    let wrong = run(&folder, &["pairs", ".", "--no-store", "--accept", "mine"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).starts_with("error: mine:1: mine\nexpected apps and a finding"));
}

/// A table without what differs from run to run.
fn table(output: &Output) -> Vec<String> {
    text(&output.stdout).lines().map(|line| line.split(',').take(10).collect::<Vec<_>>().join(",")).collect()
}

const PAIRS: [&str; 4] = ["pairs", ".", "--format", "csv"];

#[test]
fn a_damaged_store_neither_stops_nor_lies() {
    let folder = with_examples("damaged", &APPS);
    let whole = run(&folder, &PAIRS);
    assert_eq!(table(&whole).len(), 4);
    let store = folder.join("pairs.store");
    let bytes = fs::read(&store).expect("the store was made");
    let mut places: Vec<usize> = (0..10).map(|part| bytes.len() * part / 10).collect();
    places.push(bytes.len() - 1);
    for place in places {
        let mut damaged = bytes.clone();
        damaged[place] ^= 4;
        fs::write(&store, damaged).expect("it can be written");
        let output = run(&folder, &PAIRS);
        assert_eq!(table(&output), table(&whole), "{place}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains("damaged"), "{place}: {}", text(&output.stderr));
        let again = run(&folder, &PAIRS);
        assert!(text(&again.stderr).starts_with("3 pairs known from"), "{}", text(&again.stderr));
    }
    for rest in [&b""[..], &bytes[..bytes.len() / 2], b"redb\x1a\x0a\xa9\x0d\x0a\x00\x01\x02", &[0; 5000]] {
        fs::write(&store, rest).expect("it can be written");
        let output = run(&folder, &PAIRS);
        assert_eq!(table(&output), table(&whole), "{}", text(&output.stderr));
    }
    assert!(folder.join("pairs.store.damaged").exists() && folder.join("pairs.store.damaged-2").exists());
    fs::write(&store, "Dear Ann,\n").expect("it can be written");
    let output = run(&folder, &PAIRS);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("exists and is not a store of pairs"), "{}", text(&output.stderr));
    assert_eq!(text(&fs::read(&store).expect("it is there")), "Dear Ann,\n");
}

#[test]
fn runs_of_pairs_that_begin_at_once_all_work() {
    let folder = with_examples("together", &APPS);
    let whole = run(&folder, &[&PAIRS[..], &["--no-store"]].concat());
    for round in 0..4 {
        let store = format!("{round}.store");
        let arguments = [&PAIRS[..], &["--store", &store]].concat();
        thread::scope(|scope| {
            let runs: Vec<_> = (0..3).map(|_| scope.spawn(|| run(&folder, &arguments))).collect();
            // One more, which is killed.
            let mut killed = Command::new(env!("CARGO_BIN_EXE_mazurka"))
                .args(&arguments)
                .current_dir(&folder)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("the command can be started");
            thread::sleep(std::time::Duration::from_millis(7 * round));
            killed.kill().expect("it can be killed");
            killed.wait().expect("it is gone");
            for run in runs {
                let output = run.join().expect("it ran");
                assert_eq!(table(&output), table(&whole), "{}", text(&output.stderr));
            }
        });
        let known = run(&folder, &arguments);
        assert!(text(&known.stderr).contains("3 pairs known from"), "{}", text(&known.stderr));
    }
}
