//! Programs in several files: what is included, from where, and which file and line an error or a step belongs to.

use mazurka_core::{Diagnostic, Narrator, System};
use mazurka_lang::{CompileError, Identity, Loader, Model, Program, SourceName, Sources, compile_files};
use std::collections::BTreeMap;

/// Files in memory. A path is the name of a file; `./` before it means the same file.
struct Memory {
    files: BTreeMap<String, String>,
    reads: usize,
}

impl Loader for Memory {
    fn find(&mut self, _from: &str, path: &str) -> Result<SourceName, String> {
        let identity = path.trim_start_matches("./").to_owned();
        match self.files.contains_key(&identity) {
            true => Ok(SourceName { name: path.to_owned(), identity }),
            false => Err("there is no such file".to_owned()),
        }
    }

    fn read(&mut self, file: &SourceName) -> Result<String, String> {
        self.reads += 1;
        Ok(self.files[&file.identity].clone())
    }
}

/// Compiles the first of some files, which may include the others.
fn compile_all(files: &[(&str, &str)]) -> (Sources, Result<Program, Vec<Diagnostic>>, usize) {
    let owned = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let mut memory = Memory { files: owned, reads: 0 };
    let main = SourceName { name: files[0].0.to_owned(), identity: files[0].0.to_owned() };
    let (sources, unit) = Sources::read(main, files[0].1, &mut memory);
    let program = unit.map_err(|error| vec![error]).and_then(|unit| {
        compile_files(&sources, &unit, &[]).map_err(|error| match error {
            CompileError::Source(errors) => errors,
            other => panic!("{other:?}"),
        })
    });
    (sources, program, memory.reads)
}

/// The first error: the file, its line, the text that is marked, the message and the label.
fn first_error(files: &[(&str, &str)]) -> (String, usize, String, String, String) {
    let (sources, program, _) = compile_all(files);
    let errors = program.err().unwrap_or_else(|| panic!("no error: {files:?}"));
    let (number, error) = sources.locate(&errors[0]);
    let texts: Vec<(&str, &str)> = sources.files().collect();
    let (name, text) = texts[number];
    let line = text[..error.span.start].matches('\n').count() + 1;
    (name.to_owned(), line, text[error.span.clone()].to_owned(), error.message, error.label)
}

fn told(error: &(String, usize, String, String, String)) -> String {
    format!("{}:{} `{}` {}; {}", error.0, error.1, error.2, error.3, error.4)
}

#[test]
fn definitions_of_an_included_file_stand_in_its_place() {
    let main = "const N = 2;\ninclude \"lib.mz\";\nshared a[M];\nthread t { set(3); assert(x == 4); }";
    let lib = "const M = N + 1;\nshared x;\ndef set(v) {\n    x = v;\n}";
    let (sources, program, _) = compile_all(&[("main.mz", main), ("lib.mz", lib)]);
    let program = program.unwrap_or_else(|errors| panic!("{errors:?}"));
    assert_eq!(program.constants(), [("N".to_owned(), 2), ("M".to_owned(), 3)]);
    assert_eq!(sources.files().collect::<Vec<_>>(), [("main.mz", main), ("lib.mz", lib)]);

    // A step is told with the file and the line in which it stands.
    let model = Model::new(program.into(), Identity::History);
    let mut state = model.initial_states().remove(0);
    let mut places = Vec::new();
    let mut step = mazurka_core::Step::default();
    let actor = mazurka_core::ActorId(0);
    for _ in 0..2 {
        let described = model.describe(&state, actor, mazurka_core::Outcome::FIRST);
        let at = described.location.map(|at| format!("{}:{}:{}", at.file, at.line, at.column));
        places.push(format!("{} {}", described.text, at.unwrap_or_default()));
        step.begin(mazurka_core::Outcome::FIRST);
        model.step(&mut state, actor, &mut step);
    }
    assert_eq!(places, ["x = v lib.mz:4:5", "assert(x == 4) (3) main.mz:4:27"]);
    let failed = step.violations()[0].location.clone().map(|at| format!("{}:{}:{}", at.file, at.line, at.column));
    assert_eq!(failed.as_deref(), Some("main.mz:4:20"));
}

#[test]
fn errors_are_told_in_their_files() {
    let include = "include \"lib.mz\";\nthread t { }";
    assert_eq!(
        told(&first_error(&[("main.mz", include), ("lib.mz", "shared x;\nshared y")])),
        "lib.mz:2 `y` expected `;`, found the end of the file; expected `;` after this"
    );
    assert_eq!(
        told(&first_error(&[("main.mz", include), ("lib.mz", "shared x;\n\nconst N = $;")])),
        "lib.mz:3 `$` unexpected character '$'; not part of the language"
    );
    assert_eq!(
        told(&first_error(&[("main.mz", include), ("lib.mz", "shared x; def f() {")])),
        "lib.mz:1 `{` a block that does not end; expected a `}` that closes this"
    );
    let twice = "shared x;\ninclude \"lib.mz\";\nthread t {\n    z = 1;\n}";
    assert_eq!(
        told(&first_error(&[("main.mz", twice), ("lib.mz", "\n\n  shared x;")])),
        "lib.mz:3 `x` `x` is defined twice; this name belongs to a shared variable already"
    );
    let locals: String = (0..2500).map(|i| format!("let v{i} = 0; ")).collect();
    let lib = format!("\n\ndef f() {{ {locals} }}");
    assert_eq!(
        told(&first_error(&[("main.mz", include), ("lib.mz", &lib)])),
        "lib.mz:3 `` too many local values at once in line 3; expected at most 2000"
    );
}

#[test]
fn all_errors_are_told_each_in_its_file() {
    let main = "include \"a.mz\";\nthread t { p = 1; }\ninclude \"b.mz\";\nthread u { q = 1; }";
    let (sources, program, _) =
        compile_all(&[("main.mz", main), ("a.mz", "def f() { r = 1; }"), ("b.mz", "\ndef g() { s = 1; }")]);
    let errors = program.err().unwrap_or_default();
    let places: Vec<String> = errors
        .iter()
        .map(|error| {
            let (file, error) = sources.locate(error);
            format!("{} {}", sources.files().nth(file).map_or("", |file| file.0), error.message)
        })
        .collect();
    let expected = [
        "a.mz `r` is not defined",
        "main.mz `p` is not defined",
        "b.mz `s` is not defined",
        "main.mz `q` is not defined",
    ];
    assert_eq!(places, expected);
}

#[test]
fn a_missing_file_and_a_cycle_are_errors_at_the_include() {
    assert_eq!(
        told(&first_error(&[("main.mz", "shared x;\ninclude \"lib.mz\";")])),
        "main.mz:2 `\"lib.mz\"` `lib.mz` cannot be included: there is no such file; expected a .mz file, named as seen from this one"
    );
    assert_eq!(
        told(&first_error(&[("main.mz", "include \"main.mz\";")])),
        "main.mz:1 `\"main.mz\"` `main.mz` includes itself; this file is being read already"
    );
    let files = [("main.mz", "include \"a.mz\";"), ("a.mz", "\ninclude \"b.mz\";"), ("b.mz", "include \"./a.mz\";")];
    assert_eq!(
        told(&first_error(&files)),
        "b.mz:1 `\"./a.mz\"` `./a.mz` includes itself; this file is being read already"
    );
    let (_, program, _) = compile_all(&files);
    assert_eq!(
        program.err().map(|errors| errors[0].notes.clone()),
        Some(vec!["a.mz includes b.mz includes a.mz".to_owned()])
    );
}

#[test]
fn a_file_that_two_others_share_is_read_once_and_twice_in_one_file_is_an_error() {
    let main = "include \"a.mz\";\ninclude \"b.mz\";\nthread t { x = M + K; }";
    let shared = [
        ("main.mz", main),
        ("a.mz", "include \"x.mz\"; const M = 1;"),
        ("b.mz", "include \"./x.mz\"; const K = 1;"),
        ("x.mz", "shared x;"),
    ];
    let (sources, program, reads) = compile_all(&shared);
    assert!(program.is_ok());
    assert_eq!((sources.files().count(), reads), (4, 3));
    assert_eq!(
        told(&first_error(&[("main.mz", "include \"x.mz\";\ninclude \"./x.mz\";"), ("x.mz", "shared x;")])),
        "main.mz:2 `\"./x.mz\"` `./x.mz` is included twice; expected each file once"
    );
}

#[test]
fn what_is_too_deep_too_long_or_too_much_is_an_error() {
    let deep: Vec<(String, String)> =
        (0..40).map(|n| (format!("f{n}.mz"), format!("include \"f{}.mz\";", n + 1))).collect();
    let deep: Vec<(&str, &str)> = deep.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert_eq!(
        told(&first_error(&deep)),
        "f31.mz:1 `\"f32.mz\"` files that include each other too deeply; at most 32 levels are allowed"
    );
    let long = " ".repeat(5 << 20);
    assert_eq!(
        told(&first_error(&[("main.mz", "\ninclude \"long.mz\";"), ("long.mz", &long)])),
        "main.mz:2 `\"long.mz\"` `long.mz` cannot be included: it has 5242880 bytes, more than 4 MiB; expected a .mz file, named as seen from this one"
    );
    let names: Vec<String> = (0..1100).map(|n| format!("f{n}.mz")).collect();
    let main: String = names.iter().map(|name| format!("include \"{name}\";\n")).collect();
    let mut many = vec![("main.mz", main.as_str())];
    many.extend(names.iter().map(|name| (name.as_str(), "")));
    let error = first_error(&many);
    assert_eq!((error.0.as_str(), error.1, error.3.as_str()), ("main.mz", 1000, "the program has too many files"));
    let large = " ".repeat(4 << 20);
    let five: Vec<String> = (0..5).map(|n| format!("f{n}.mz")).collect();
    let main: String = five.iter().map(|name| format!("include \"{name}\";\n")).collect();
    let mut heavy = vec![("main.mz", main.as_str())];
    heavy.extend(five.iter().map(|name| (name.as_str(), large.as_str())));
    let error = first_error(&heavy);
    assert_eq!((error.1, error.3.as_str()), (4, "the program has too many files"));
}

#[test]
fn files_that_are_cut_anywhere_are_harmless() {
    let lib = "enum c { red, green }\nshared s: c = red;\ndef f(v) { switch (v) { case red: return 1; default: return s ? 2 : 3; } }\n";
    for end in 0..lib.len() {
        let (sources, program, _) =
            compile_all(&[("main.mz", "include \"lib.mz\"; thread t { let r = f(1); }"), ("lib.mz", &lib[..end])]);
        for error in program.err().unwrap_or_default() {
            let (number, error) = sources.locate(&error);
            let text = sources.files().nth(number).map_or("", |file| file.1);
            assert!(error.span.end <= text.len(), "{error:?}");
        }
    }
}

#[test]
fn a_function_of_another_file_goes_before_an_operation_of_the_language() {
    // `acquire` takes a semaphore, unless the program has a function of that name, in whichever file.
    let lib = "shared held;\ndef acquire(who) {\n    held = who;\n}";
    let main = "thread t { acquire(3); assert(held == 3); }\ninclude \"lib.mz\";";
    let (_, program, _) = compile_all(&[("main.mz", main), ("lib.mz", lib)]);
    assert!(program.is_ok(), "{:?}", program.err());
}
