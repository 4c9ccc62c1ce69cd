//! What C programs are read with, and what reports tell of them.

use mazurka::{Check, Checked, Engine, Verdict};
use mazurka_load::{Settings, load};
use std::fs;
use std::path::{Path, PathBuf};

mod common;

fn has_clang() -> bool {
    let found = mazurka_c::clang::Clang::find().is_ok();
    if !found {
        common::skip("clang", "there is no clang here");
    }
    found
}

/// A folder with some files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&folder).expect("a folder can be made");
    for (file, text) in files {
        fs::write(folder.join(file), text).expect("a file can be written");
    }
    folder
}

fn in_folder(folder: &Path, file: &str) -> String {
    folder.join(file).display().to_string()
}

fn check(files: &[String], settings: &Settings, engine: Engine) -> Checked {
    let loaded = load(files, settings, false).unwrap_or_else(|error| panic!("{error}"));
    Check::new(&*loaded.subject).engine(engine).threads(1).run()
}

fn error(files: &[String], settings: &Settings) -> String {
    load(files, settings, false).err().map(|error| error.to_string()).expect("an error")
}

#[test]
fn a_database_tells_the_files_and_their_options() {
    if !has_clang() {
        return;
    }
    let main = "#include \"queue.h\"\n#include <assert.h>\nint main(void) { assert(next(1) == WANTED); }\n";
    let folder = folder(
        "database",
        &[
            ("queue.c", "#include \"queue.h\"\nint next(int x) { return x + STEP; }\n"),
            ("queue.h", "int next(int);\n"),
            ("one.c", main),
            ("two.c", main),
            (
                "compile_commands.json",
                r#"[
  { "directory": ".", "file": "queue.c", "command": "cc -DSTEP=1 -I. -O2 -c -o queue.o queue.c" },
  { "directory": ".", "file": "one.c", "arguments": ["cc", "-DWANTED=2", "-c", "one.c"] },
  { "directory": ".", "file": "two.c", "arguments": ["cc", "-D", "WANTED=3", "-c", "two.c"] },
  { "directory": ".", "file": "other.cpp", "command": "c++ -c other.cpp" }
]"#,
            ),
            ("broken.json", "[\n  { \"file\": \n"),
        ],
    );
    let database = in_folder(&folder, "compile_commands.json");
    let of_main = |main: Option<&str>| Settings {
        compile_commands: Some(database.clone()),
        main: main.map(|main| in_folder(&folder, main)),
        ..Settings::default()
    };
    let verdict = |files: &[String], settings| check(files, &settings, Engine::Exhaustive).exploration.verdict;
    assert_eq!(verdict(&[], of_main(Some("one.c"))), Verdict::Verified);
    assert_eq!(verdict(&[], of_main(Some("two.c"))), Verdict::Violated);
    let two = [in_folder(&folder, "two.c"), in_folder(&folder, "queue.c")];
    assert_eq!(verdict(&two, of_main(None)), Verdict::Violated);
    let several = error(&[], &of_main(None));
    assert!(several.starts_with("error: 2 files define `main`\nexpected one of these with --main: "), "{several}");
    let none = error(&[], &of_main(Some("queue.c")));
    assert!(none.contains("queue.c: it defines no `main`"), "{none}");
    let broken = Settings { compile_commands: Some(in_folder(&folder, "broken.json")), ..Settings::default() };
    assert!(error(&[], &broken).contains("broken.json:3: this is no JSON"), "{}", error(&[], &broken));
}

#[test]
fn what_was_never_set_is_found_where_that_is_asked_for() {
    if !has_clang() {
        return;
    }
    let program = |body: &str| {
        format!(
            "#include <stdlib.h>\n#include <string.h>\nstruct pair {{ int a; char b; }};\nint main(void) {{\n{body}\n}}\n"
        )
    };
    let unset = [
        ("register", "int x; if (x == 3) return 1; return 0;", "x is read before it is set"),
        (
            "some-paths",
            "int x; for (int i = 0; i < 2; i++) { if (i == 1) return x; } return 0;",
            "x is read before it is set",
        ),
        ("heap", "int *p = malloc(8); return p[1];", "is read before it is set"),
        ("structure", "struct pair p; p.a = 1; return p.b;", "p.b is read before it is set"),
    ];
    let set = [
        ("calloc", "int *p = calloc(2, 4); return p[1];"),
        ("zero", "int x = 0, y[3] = { 0 }; memset(y, 0, sizeof y); return x + y[2];"),
        ("copy", "struct pair p = { 1, 2 }, q = p; char t[4]; strcpy(t, \"abc\"); return q.b + t[1];"),
        ("copy-of-unset", "struct pair p, q; p.a = 1; q = p; return q.a;"),
    ];
    let settings = Settings { uninitialized: true, ..Settings::default() };
    for (name, body, wanted) in unset {
        let folder = folder("unset", &[(&format!("{name}.c"), &program(body))]);
        let file = [in_folder(&folder, &format!("{name}.c"))];
        let checked = check(&file, &settings, Engine::Optimal);
        assert!(checked.to_string().contains(wanted), "{name}: {checked}");
        assert_eq!(
            check(&file, &Settings::default(), Engine::Optimal).exploration.verdict,
            Verdict::Verified,
            "{name}"
        );
    }
    for (name, body) in set {
        let folder = folder("unset", &[(&format!("{name}.c"), &program(body))]);
        let checked = check(&[in_folder(&folder, &format!("{name}.c"))], &settings, Engine::Optimal);
        assert_eq!(checked.exploration.verdict, Verdict::Verified, "{name}: {checked}");
    }
}

#[test]
fn a_report_tells_what_is_printed_and_where_memory_was_freed() {
    if !has_clang() {
        return;
    }
    let program = "\
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node { int value; };
static struct node *head;

static void *reader(void *unused) {
    struct node *node = head;
    printf(\"reads\\n\");
    if (node) return (void *)(long)node->value;
    return unused;
}

static void *killer(void *unused) {
    free(head);
    head = 0;
    return unused;
}

int main(void) {
    pthread_t one, two;
    head = malloc(sizeof *head);
    head->value = 3;
    puts(\"begins\");
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, killer, 0);
}
";
    let folder = folder("freed", &[("freed.c", program)]);
    let checked = check(&[in_folder(&folder, "freed.c")], &Settings::default(), Engine::Exhaustive);
    let story = &checked.stories[0];
    assert_eq!(story.violation.message, "memory is used after it was freed");
    let why = story.why.as_deref().unwrap_or_default();
    assert!(why.ends_with("freed.c:16)") && why.contains("killer 2 freed node#1 ("), "{why}");
    let printed: Vec<&str> = story
        .rows
        .iter()
        .flat_map(|row| &row.changes)
        .filter(|change| change.name == "output")
        .filter_map(|change| change.new.as_deref())
        .collect();
    assert_eq!(printed, ["\"begins\\n\"", "\"reads\\n\""]);
}

#[test]
fn preprocessed_files_have_the_types_of_their_library() {
    if !has_clang() {
        return;
    }
    let program = "\
# 1 \"lock.c\"
typedef unsigned long pthread_t;
typedef union pthread_attr_t pthread_attr_t;
typedef union { struct { int __lock; unsigned __count; int __owner; int __kind; } __data; char __size[40]; } pthread_mutex_t;
extern int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
static pthread_mutex_t m, n;
static void *one(void *x) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return x; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, one, 0);
    pthread_mutex_lock(&n); pthread_mutex_lock(&m);
}
";
    let folder = folder("preprocessed", &[("lock.i", program)]);
    let checked = check(&[in_folder(&folder, "lock.i")], &Settings::default(), Engine::Optimal);
    assert!(checked.to_string().contains("deadlock: "), "{checked}");
}
