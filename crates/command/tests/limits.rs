//! Limits hold wherever the time goes: within one large state, within one choice, while a trace is read, afterwards.

mod common;

use common::{folder, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::{Duration, Instant};

/// A machine may be busy with other tests. Without its limit, each of these would go on for minutes at least.
const FAR_TOO_LONG: Duration = Duration::from_secs(20);

fn program(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    fs::write(&file, text).expect("a file can be written");
    file
}

fn check(file: &Path, options: &[&str]) -> Output {
    let mut arguments = vec!["check", file.to_str().expect("the name is text"), "--format", "json", "--no-schedule"];
    arguments.extend(options);
    let started = Instant::now();
    let output = run(file.parent().expect("it is in a folder"), &arguments);
    assert!(started.elapsed() < FAR_TOO_LONG, "{options:?} took {:?}", started.elapsed());
    output
}

fn json(output: &Output) -> serde_json::Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn one_state_with_many_successors_does_not_fill_the_memory() {
    let folder = folder("limits-memory");
    let file = program(&folder, "wide.mz", "shared x[200];\nthread t(i in 0..200) { x[i] = 1; }\n");
    for threads in ["1", "4"] {
        let limit = 100 << 20;
        let options = ["--engine", "exhaustive", "--memory-limit", "100MiB", "--threads", threads];
        let report = json(&check(&file, &options));
        assert_eq!(report["verdict"], "inconclusive", "{report}");
        let peak = report["statistics"]["peak_bytes"].as_u64().expect("the memory is known");
        assert!(peak < limit + limit / 4, "{peak} bytes under a limit of {limit}");
    }
}

#[test]
fn one_choice_with_many_outcomes_ends_in_time() {
    let folder = folder("limits-choice");
    let text = "shared x = 0;\nthread a { x = choose(0..1000000000); }\nthread b { x = 1; }\n";
    let file = program(&folder, "choice.mz", text);
    for engine in mazurka::Engine::ALL {
        let output = check(&file, &["--engine", engine.name(), "--time-limit", "200ms", "--memory-limit", "500MiB"]);
        assert_eq!(output.status.code(), Some(4), "{engine}: {output:?}");
        assert_eq!(json(&output)["verdict"], "inconclusive", "{engine}");
    }
}

#[test]
fn a_trace_of_many_threads_ends_in_time() {
    let folder = folder("limits-trace");
    let mut lines = vec!["START".to_owned(), "THREADINIT tid:1".to_owned()];
    let threads = 2..10_002;
    lines.extend(threads.clone().map(|thread| format!("FORK par-tid:1 child-tid:{thread}")));
    lines.extend(threads.clone().map(|thread| format!("THREADINIT tid:{thread}")));
    lines.extend(threads.map(|thread| format!("WRITE tid:{thread} obj:0x1 class:La; field:1")));
    let text: String = lines.iter().zip(1..).map(|(line, number)| format!("{number} {line}\n")).collect();
    let file = program(&folder, "trace.txt", &text);
    for engine in mazurka::Engine::ALL {
        let output = check(&file, &["--engine", engine.name(), "--time-limit", "500ms", "--memory-limit", "1GiB"]);
        assert_eq!(output.status.code(), Some(4), "{engine}: {output:?}");
    }
}

#[test]
fn a_long_schedule_is_told_in_time() {
    let folder = folder("limits-schedule");
    let text = "shared x = 0; shared y = 0;
        thread a { while (x < 5000) { x += 1; } assert(y == 0); }
        thread b { y = 1; }\n";
    let file = program(&folder, "long.mz", text);
    let output = check(&file, &["--engine", "dpor", "--time-limit", "1s"]);
    let report = json(&output);
    assert_eq!(report["verdict"], "violated", "{report}");
    assert!(report["violations"][0]["schedule"].as_array().is_some_and(|steps| steps.len() > 5000));
}

/// A compiler that takes all time and memory ends with the check: it keeps the limits, and nothing of it is left.
#[cfg(target_os = "linux")]
#[test]
fn the_compiler_of_a_c_program_keeps_the_limits() {
    if std::process::Command::new("clang").arg("--version").output().is_err() {
        return common::skip("clang", "there is no clang");
    }
    let folder = folder("limits-clang");
    let tens = "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(A(x))))))))\n";
    let file = program(&folder, "large.c", &format!("{tens}int main(void) {{ int y = 0; B(y++;) return y; }}\n"));
    let (own, temporary) = (file.display().to_string(), folder.join("temporary"));
    fs::create_dir_all(&temporary).expect("a folder can be made");
    for (option, limit, reason) in [("--time-limit", "300ms", "time"), ("--memory-limit", "150MiB", "memory")] {
        let started = Instant::now();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_mazurka"))
            .args(["check", &own, option, limit, "--format", "json"])
            .env("TMPDIR", &temporary)
            .output()
            .expect("the command can be started");
        assert!(started.elapsed() < FAR_TOO_LONG, "{option} took {:?}", started.elapsed());
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        let report = json(&output);
        assert!(report["reason"].as_str().is_some_and(|told| told.contains(reason)), "{report}");
        let processes = fs::read_dir("/proc").expect("processes are listed").flatten();
        let lines = processes.filter_map(|process| fs::read_to_string(process.path().join("cmdline")).ok());
        let left: Vec<String> = lines.filter(|line| line.contains(&own)).collect();
        assert_eq!(left, Vec::<String>::new());
        assert_eq!(fs::read_dir(&temporary).expect("it is there").count(), 0, "files are left");
    }
}

/// Where `ulimit -v` leaves little, the result is that memory ran out, not an abort.
#[cfg(target_os = "linux")]
#[test]
fn a_small_address_space_is_a_memory_limit() {
    let folder = folder("limits-address-space");
    let text = "shared t[40000]; thread a(i in 0..6) { for k in 0..50 { t[(k * 7919 + i * 31) % 40000] += i; } }\n";
    let file = program(&folder, "wide.mz", text);
    for options in ["", "--memory-limit 8GiB"] {
        let command = format!("ulimit -v 400000; exec \"$0\" check {} --format json {options}", file.display());
        let output = std::process::Command::new("sh")
            .args(["-c", &command, env!("CARGO_BIN_EXE_mazurka")])
            .output()
            .expect("there is a shell");
        assert_eq!(output.status.code(), Some(4), "{output:?}");
        assert!(json(&output)["reason"].as_str().is_some_and(|told| told.contains("memory")), "{output:?}");
    }
}
