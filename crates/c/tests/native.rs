//! Programs with one thread, interpreted and run on the machine itself: the outputs must be the same.
//!
//! Most programs are random ones (`generator`); those in `native/programs` go through the instructions and the library one
//! by one, and their exit codes are compared as well. Programs of one file are translated together, because it is clang
//! that takes the time.

#[path = "common/mod.rs"]
mod common;
#[path = "generator/mod.rs"]
mod generator;

use mazurka_c::clang::Clang;
use mazurka_c::{Finished, Identity, Model, Options, Program};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

/// How many random programs are compared, and how many of them stand in one file.
const PROGRAMS: u64 = 320;
const OF_A_FILE: u64 = 32;
/// More steps than any of the programs takes.
const MOST_STEPS: usize = 3_000_000;

/// Runs a program natively: what it prints, and its exit code.
fn native(clang: &Clang, file: &Path) -> (String, Option<i32>) {
    let binary = file.with_extension("native");
    let compiled = Command::new(clang.program())
        .args(["-w", "-O0"])
        .arg(file)
        .arg("-o")
        .arg(&binary)
        .args(["-lm", "-lpthread"])
        .output()
        .expect("clang can be run");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("the program can be run");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())
}

fn translated(clang: &Clang, file: &Path) -> String {
    clang.translate(&file.display().to_string(), &[]).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Interprets a function: what it prints and what it returns, or what went wrong.
fn interpreted(ir: &str, entry: &str, all_visible: bool) -> Result<(String, i32), String> {
    let options = Options { entry: entry.to_owned(), all_visible, ..Options::default() };
    let files = [("native.ll".to_owned(), ir.to_owned())];
    let program = Program::from_ir(&files, &options).map_err(|error| error.to_string())?;
    let model = Model::new(program.into(), Identity::History);
    let Finished { output, exit_code, violations } = model.run_once(MOST_STEPS);
    if let Some(violation) = violations.first() {
        let line = violation.location.as_ref().map_or(0, |location| location.line);
        return Err(format!("{}: {} in line {line}", violation.kind.name(), violation.message));
    }
    let Some(code) = exit_code else { return Err(format!("no end after {MOST_STEPS} steps")) };
    Ok((String::from_utf8(output).map_err(|_| "the output is no text")?, i32::from(code)))
}

/// Where two texts differ first.
fn difference(expected: &str, found: &str) -> Option<String> {
    let (mut expected, mut found) = (expected.lines(), found.lines());
    for line in 1.. {
        match (expected.next(), found.next()) {
            (None, None) => return None,
            (expected, found) if expected == found => {}
            (expected, found) => return Some(format!("line {line} of the output is {found:?}, natively {expected:?}")),
        }
    }
    None
}

/// A file with some random programs: `run_N` runs one of them, `main` all.
fn write_file(folder: &Path, numbers: std::ops::Range<u64>) -> PathBuf {
    let mut text = generator::PRELUDE.to_owned();
    let mut main = String::from("int main(void) {\n");
    for number in numbers.clone() {
        text.push_str(&generator::generate(number));
        // Writing to a string does not fail.
        let _ = writeln!(text, "int run_{number}(void) {{ printf(\"= %d\\n\", program_{number}()); return 0; }}\n");
        let _ = writeln!(main, "    puts(\"program {number}\"); run_{number}();");
    }
    let path = folder.join(format!("random-{}.c", numbers.start));
    fs::write(&path, text + &main + "}\n").expect("a file can be written");
    path
}

/// Compares the programs of one file; what differs.
fn compare_file(clang: &Clang, folder: &Path, numbers: std::ops::Range<u64>) -> Vec<String> {
    let path = write_file(folder, numbers.clone());
    let (output, code) = native(clang, &path);
    assert_eq!(code, Some(0), "{}", path.display());
    let ir = translated(clang, &path);
    // Some also without private memory.
    let all_visible = numbers.start.is_multiple_of(4 * OF_A_FILE);
    if interpreted(&ir, "main", all_visible).is_ok_and(|(found, _)| difference(&output, &found).is_none()) {
        return Vec::new();
    }
    let mut outputs = output.split("program ").skip(1);
    let compared = numbers.filter_map(|number| {
        let expected = outputs.next().and_then(|text| text.split_once('\n')).map_or("", |(_, text)| text);
        let words = match interpreted(&ir, &format!("run_{number}"), all_visible) {
            Ok((found, _)) => difference(expected, &found)?,
            Err(reason) => reason,
        };
        Some(format!("program {number} in {}: {words}", path.display()))
    });
    compared.collect()
}

fn compare_random_programs(test: &str, first: u64, programs: u64) {
    let Some(clang) = common::clang() else { return };
    let folder = common::folder(test);
    let starts: Vec<u64> = (first..first + programs).step_by(OF_A_FILE as usize).collect();
    let different: Vec<String> = thread::scope(|scope| {
        let halves = starts.chunks(starts.len().div_ceil(2));
        let workers: Vec<_> = halves
            .map(|starts| {
                let (clang, folder) = (&clang, &folder);
                scope.spawn(move || {
                    let files = starts.iter().map(|&start| start..start + OF_A_FILE);
                    files.flat_map(|numbers| compare_file(clang, folder, numbers)).collect::<Vec<_>>()
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no worker panics")).collect()
    });
    assert!(different.is_empty(), "{} of {programs} differ:\n{}", different.len(), different.join("\n"));
}

#[test]
fn random_programs_print_what_the_machine_prints() {
    compare_random_programs("native-random", 0, PROGRAMS);
}

/// More of them, for a person who has changed the interpreter: `MAZURKA_NATIVE=5000 cargo test -p mazurka-c --test native`.
#[test]
fn more_random_programs_print_what_the_machine_prints() {
    let wanted = std::env::var("MAZURKA_NATIVE").ok().and_then(|wanted| wanted.parse().ok()).unwrap_or(0);
    if wanted > 0 {
        compare_random_programs("native-more", 100_000, wanted);
    }
}

#[test]
fn written_programs_print_what_the_machine_prints() {
    let Some(clang) = common::clang() else { return };
    let folder = common::folder("native-written");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native");
    let mut files: Vec<PathBuf> = fs::read_dir(source.join("programs"))
        .expect("there is a folder of programs")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    files.sort();
    assert!(files.len() >= 40, "there are {} programs", files.len());
    let mut different = Vec::new();
    for file in files {
        let name = file.file_name().expect("a file has a name");
        let copy = folder.join(name);
        fs::copy(&file, &copy).expect("a program can be copied");
        let (expected, code) = native(&clang, &copy);
        let ir = translated(&clang, &copy);
        for all_visible in [false, true] {
            let words = match interpreted(&ir, "main", all_visible) {
                Ok((_, found)) if Some(found) != code => Some(format!("the exit code is {found}, natively {code:?}")),
                Ok((found, _)) => difference(&expected, &found),
                Err(reason) => Some(reason),
            };
            different.extend(words.map(|words| format!("{}: {words}", file.display())));
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}

#[test]
fn what_is_not_modelled_is_told() {
    let Some(clang) = common::clang() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native/not-modelled");
    let told = |name: &str| {
        let ir = translated(&clang, &folder.join(name));
        interpreted(&ir, "main", false).expect_err("not modelled")
    };
    assert!(told("wide-integers.c").starts_with("unsupported: "), "{}", told("wide-integers.c"));
    assert!(told("computed-goto.c").contains("blockaddress"), "{}", told("computed-goto.c"));
}
