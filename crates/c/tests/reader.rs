//! Texts that are no programs, or only parts of some: an error that says what was expected, and never a panic. And files
//! of three versions of clang: the same program, the same output.

use mazurka_c::{Identity, Model, Options, Program};
use std::fs;
use std::path::{Path, PathBuf};

fn read(text: &str) -> Result<Program, String> {
    Program::from_ir(&[("a.ll".to_owned(), text.to_owned())], &Options::default()).map_err(|error| error.to_string())
}

/// Runs a program once, if it is one.
fn run(text: &str) -> Option<mazurka_c::Finished> {
    Some(Model::new(read(text).ok()?.into(), Identity::History).run_once(10_000))
}

/// The files of IR that are checked in.
fn files() -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ll");
    let paths = fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path());
    let files = paths.filter(|path| path.extension().is_some_and(|extension| extension == "ll"));
    files.map(|path| (path.clone(), fs::read_to_string(path).expect("a file of IR"))).collect()
}

#[test]
fn what_is_no_ir_is_refused_with_what_was_expected() {
    assert!(read("").is_err_and(|error| error.contains("expected LLVM IR")));
    assert!(read("int main(void) { return 0; }").is_err_and(|error| error.contains("expected a line of LLVM IR")));
    let big_endian = "target datalayout = \"E-m:e-i64:64\"\ndefine i32 @main() {\n  ret i32 0\n}\n";
    assert!(read(big_endian).is_err_and(|error| error.contains("little-endian")));
    let cut = "define i32 @main() {\n  ret i32 0\n";
    assert!(read(cut).is_err_and(|error| error.contains("has no end")));
    let without_main = "define i32 @other() {\n  ret i32 0\n}\n";
    assert!(read(without_main).is_err_and(|error| error.contains("--entry")));
    let huge = "@a = global [1073741824 x i8] zeroinitializer\ndefine i32 @main() {\n  ret i32 0\n}\n";
    assert!(read(huge).is_err_and(|error| error.contains("64 MiB")));
}

/// A name that two values or two functions have is no reason to panic, whatever they are.
#[test]
fn a_name_may_be_given_twice() {
    let twice = "define internal i32 @f() {\n  ret i32 0\n}\n".repeat(2);
    let called = format!("{twice}define i32 @main() {{\n  %a = call i32 @f()\n  ret i32 %a\n}}\n");
    assert!(run(&called).is_some());
    let text = "@x = global i32 0\ndefine i32 @main() {\n  %a = load i32, ptr @x\n\
                \x20 %a = cmpxchg ptr @x, i32 0, i32 1 seq_cst seq_cst\n  ret i32 %a\n}\n";
    let violations = run(text).expect("it is a program").violations;
    assert_eq!(violations.first().map(|found| found.message.as_str()), Some("the result of this cmpxchg is no pair"));
}

#[test]
fn what_never_ends_is_told() {
    let wrong = |body: &str| {
        let text = format!(
            "declare ptr @malloc(i64)\ndefine i32 @f(i32 %x) {{\n{body}\n}}\ndefine i32 @main() {{\n  %r = call i32 @f(i32 1)\n  ret i32 0\n}}\n"
        );
        let finished = run(&text).expect("it is a program");
        finished.violations.first().map(|violation| violation.message.clone()).unwrap_or_default()
    };
    assert_eq!(wrong("  %r = call i32 @f(i32 %x)\n  ret i32 %r"), "the stack is too deep");
    assert_eq!(wrong("  br label %a\na:\n  br label %a"), "a step that does not end");
    let endless = "  br label %a\na:\n  %p = call ptr @malloc(i64 1000000)\n  br label %a";
    assert_eq!(wrong(endless), "more than 64 MiB of allocated memory are not modelled");
    assert_eq!(wrong("  call void asm sideeffect \"cli\", \"\"()\n  ret i32 0"), "inline assembly is not modelled");
    assert_eq!(wrong("  %v = va_arg i32 %x\n  ret i32 0"), "the instruction `va_arg` is not modelled");
    assert_eq!(wrong("  %d = sdiv i32 %x, 0\n  ret i32 %d"), "a division by zero");
}

#[test]
fn garbage_is_refused_in_time() {
    let mut seed = 1u64;
    let mut garbage = String::new();
    while garbage.len() < 1 << 20 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        garbage.push(char::from((seed >> 33) as u8 % 95 + 32));
        if seed >> 60 == 0 {
            garbage.push('\n');
        }
    }
    assert!(read(&garbage).is_err());
}

/// Every file, cut anywhere, or with something of it missing, is read or refused.
#[test]
fn spoilt_files_do_no_harm() {
    for (_, text) in files() {
        for part in 1..40 {
            let Some((first, rest)) = text.split_at_checked(text.len() * part / 40) else { continue };
            run(first);
            run(&format!("{first}\n{rest}"));
            run(&format!("{first}{}", rest.get(7..).unwrap_or_default()));
            run(&format!("{first} 18446744073709551615 {rest}"));
        }
    }
}

/// What is cut off behind the functions is missing where it is used.
#[test]
fn a_file_that_is_cut_short_is_refused() {
    for (path, text) in files() {
        let whole = text.trim_end().len();
        let cuts = (1..20).map(|part| whole * part / 20).filter(|&at| text.is_char_boundary(at));
        for at in cuts {
            assert!(read(&text[..at]).is_err(), "{}, cut at {at} of {whole}", path.display());
        }
    }
    let text = "define i32 @main() {\n  ret i32 0, !dbg !4\n}\n!2 = !{!\"!9\", !3}\n!3 = !{}\n";
    let error = read(text).err().unwrap_or_default();
    assert_eq!(error, "a.ll: the metadata `!4` is missing: expected `!4 = …` after this: is the file cut short?");
}

#[test]
fn three_versions_of_clang_are_one_program() {
    let mut outputs = Vec::new();
    for (path, text) in files() {
        let finished = run(&text).unwrap_or_else(|| panic!("{}: {:?}", path.display(), read(&text).err()));
        assert_eq!((&finished.violations[..], finished.exit_code), (&[][..], Some(7)), "{}", path.display());
        outputs.push(String::from_utf8_lossy(&finished.output).into_owned());
    }
    assert_eq!(outputs, ["6 360 2 program\n"; 3]);
}
