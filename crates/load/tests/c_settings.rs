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
            "#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\nstruct pair {{ int a; char b; }};\nint main(void) {{\n{body}\n}}\n"
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
        ("mutex", "pthread_mutex_t lock; return pthread_mutex_lock(&lock);", "lock is read before it is set"),
    ];
    let set = [
        ("calloc", "int *p = calloc(2, 4); return p[1];"),
        ("zero", "int x = 0, y[3] = { 0 }; memset(y, 0, sizeof y); return x + y[2];"),
        ("copy", "struct pair p = { 1, 2 }, q = p; char t[4]; strcpy(t, \"abc\"); return q.b + t[1];"),
        ("mutex-set-up", "pthread_mutex_t m; pthread_mutex_init(&m, 0); return pthread_mutex_lock(&m);"),
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

#[test]
fn actors_are_told_by_the_names_that_the_program_gives() {
    if !has_clang() {
        return;
    }
    let program = "\
#include <assert.h>
#include <mazurka.h>
#include <pthread.h>

static int loaded;
static mazurka_handler ui, first, second, nameless;
static pthread_t thread;

static void show(void *unused) { assert(loaded); }
static void load(void *unused) { loaded = 1; }
static void click(void *unused) {
    mazurka_post(first, load, 0);
    mazurka_post(ui, show, 0);
}
static void rings(void) { }
static void *clicker(void *unused) {
    mazurka_post(ui, click, 0);
    return unused;
}

int main(void) {
    ui = mazurka_fifo(\"ui\");
    first = mazurka_any(\"network\");
    second = mazurka_any(\"network\");
    nameless = mazurka_any(0);
    pthread_create(&thread, 0, clicker, 0);
    mazurka_event(\"alarm\", rings);
}
";
    let folder = folder("names", &[("names.c", program)]);
    let checked = check(&[in_folder(&folder, "names.c")], &Settings::default(), Engine::Exhaustive);
    let story = &checked.stories[0];
    assert_eq!(story.actors, ["main", "clicker 5", "ui:click 5.1", "ui:show 5.1.2"]);
    let changes: Vec<String> = story
        .rows
        .iter()
        .flat_map(|row| &row.changes)
        .filter_map(|change| Some(format!("{} = {}", change.name, change.new.as_deref()?)))
        .collect();
    let handles = ["ui = ui", "first = network 2", "second = network 3", "nameless = handler 4", "thread = clicker 5"];
    assert_eq!(changes[..5], handles);
    let why = story.why.as_deref().unwrap_or_default();
    assert!(why.starts_with("ui:show 5.1.2 read loaded before network 2:load 5.1.1"), "{why}");
}

#[test]
fn ends_in_loops_that_wait_are_not_told_as_assumptions() {
    if !has_clang() {
        return;
    }
    let program = |wanted: u32| {
        format!(
            "#include <pthread.h>\n#include <stdatomic.h>\natomic_int ready;\nvoid *wait(void *unused) {{\n\
             \x20   while (atomic_load(&ready) != {wanted});\n    return unused;\n}}\n\
             int main(void) {{\n    pthread_t thread;\n    pthread_create(&thread, 0, wait, 0);\n\
             \x20   atomic_store(&ready, 1);\n}}\n"
        )
    };
    let (comes, never) = (program(1), program(2));
    let folder = folder("loops", &[("comes.c", &comes), ("never.c", &never)]);
    let told = |file: &str| {
        let checked = check(&[in_folder(&folder, file)], &Settings::default(), Engine::Optimal);
        assert_eq!(checked.exploration.verdict, Verdict::Verified, "{checked}");
        assert!(!checked.to_string().contains("assume"), "{checked}");
        (checked.basis.waits_at.clone(), checked.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (sites, text) = told("comes.c");
    assert!(sites.is_empty(), "{sites:?}");
    let expected = "1 end is blocked in loops that wait: what these wait for comes in other executions";
    assert!(text.contains(expected), "{text}");
    let (sites, text) = told("never.c");
    let [site] = &sites[..] else { panic!("{sites:?}") };
    let line = site.location.as_ref().map(|location| location.line);
    assert_eq!((&*site.text, line), ("while (atomic_load(&ready) != 2);", Some(5)));
    assert!(text.contains("goes round for ever in every execution: none comes to its end"), "{text}");
    assert!(text.contains("2 ends are blocked in loops that wait: what is waited for at"), "{text}");
}

#[test]
fn a_proof_names_the_compiler() {
    if !has_clang() {
        return;
    }
    let folder = folder("compiler", &[("nothing.c", "int main(void) { return 0; }\n")]);
    let checked = check(&[in_folder(&folder, "nothing.c")], &Settings::default(), Engine::Optimal);
    let compiler = checked.basis.considered.iter().find(|one| one.what == "compiler").expect("it is named");
    assert!(compiler.text.contains("clang version "), "{}", compiler.text);
}

#[test]
fn what_cannot_be_run_is_told_with_its_line() {
    if !has_clang() {
        return;
    }
    let programs = [
        ("int128", "int main(void) {\n    __int128 x = 1;\n    return (int)(x * x);\n}\n", "numbers of 128 bits"),
        (
            "frame",
            "int set(int *);\nint main(void) {\n    int a[1 << 28], b[1 << 28], c[1 << 28], d[1 << 28], e[1 << 28];\n\
             \x20   return set(a) + set(b) + set(c) + set(d) + set(e);\n}\n\
             int set(int *a) { return a[3] = 1; }\n",
            "more than 8 MiB of local variables",
        ),
        ("files", "#include <stdio.h>\nint main(void) {\n    return fopen(\"x\", \"r\") == 0;\n}\n", "fopen"),
    ];
    for (name, program, what) in programs {
        let folder = folder("not-modelled", &[(&format!("{name}.c"), program)]);
        let checked = check(&[in_folder(&folder, &format!("{name}.c"))], &Settings::default(), Engine::Exhaustive);
        let Verdict::Unsupported(reason) = &checked.exploration.verdict else { panic!("{name}: {checked}") };
        assert!(reason.contains(&format!("{name}.c:")) && reason.contains(what), "{reason}");
    }
    let signals = "#include <signal.h>\n#include <pthread.h>\nint main(void) { return 0; }\n";
    let folder = folder("signals", &[("signals.c", signals)]);
    let checked = check(&[in_folder(&folder, "signals.c")], &Settings::default(), Engine::Exhaustive);
    assert_eq!(checked.exploration.verdict, Verdict::Verified, "a header that is not used does no harm");
}

#[test]
fn each_part_that_changes_is_told_by_itself() {
    if !has_clang() {
        return;
    }
    let program = "\
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct item { int id; const char *owner; struct item *next; };
static struct { struct item items[2]; int count; pthread_mutex_t lock; } queue;
static struct item *last;

static void *producer(void *unused) {
    pthread_mutex_lock(&queue.lock);
    queue.items[1].id = 7;
    queue.items[1].owner = \"producer\";
    pthread_mutex_unlock(&queue.lock);
    last = malloc(sizeof *last);
    last->id = 8;
    last->next = &queue.items[1];
    free(last);
    assert(0);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
}
";
    let folder = folder("parts", &[("parts.c", program)]);
    let checked = check(&[in_folder(&folder, "parts.c")], &Settings::default(), Engine::Exhaustive);
    let changes = checked.stories[0].rows.iter().flat_map(|row| &row.changes);
    let told: Vec<String> = changes
        .map(|change| {
            let [old, new] = [&change.old, &change.new].map(|value| value.as_deref().unwrap_or("-"));
            format!("{}: {old} > {new}", change.name)
        })
        .collect();
    let expected = [
        "queue.lock: free > held by producer 1",
        "queue.items[1].id: 0 > 7",
        "queue.items[1].owner: null > \"producer\"",
        "queue.lock: held by producer 1 > free",
        "last: null > &item#1.1",
        "item#1.1.id: - > 8",
        "item#1.1.owner: - > null",
        "item#1.1.next: - > null",
        "item#1.1.next: null > &queue.items[1]",
        "item#1.1.id: 8 > -",
        "item#1.1.owner: null > -",
        "item#1.1.next: &queue.items[1] > -",
    ];
    assert_eq!(told, expected);
}

/// What is no program is an error that says why, and what never ends is a violation or stops at a limit.
#[test]
fn bad_input_has_a_clear_end() {
    if !has_clang() {
        return;
    }
    let garbage: String =
        (0..10 << 17).map(|number: u64| format!("{:08x}", number.wrapping_mul(0x9e37_79b9))).collect();
    let errors = [
        ("diary.c", "Dear diary, this is no C at all.\n".to_owned(), "error: unknown type name 'Dear'"),
        ("header.c", "#include \"missing.h\"\n".to_owned(), "'missing.h' file not found"),
        ("empty.c", String::new(), "there is no function `main`"),
        (
            "large.c",
            "char big[1 << 30];\nint main(void) { return big[5]; }\n".to_owned(),
            "more than 64 MiB with `big`",
        ),
        ("set.c", "char big[1 << 30] = { 1 };\nint main(void) { return big[5]; }\n".to_owned(), "more than 64 MiB"),
        ("garbage.ll", garbage, "this is not understood"),
        ("cut.ll", "define i32 @main() {\n  ret i32 0\n".to_owned(), "the function `main` has no end"),
    ];
    for (name, text, expected) in errors {
        let folder = folder("bad", &[(name, &text)]);
        let told = error(&[in_folder(&folder, name)], &Settings::default());
        assert!(told.contains(expected) && told.len() < 2_000, "{name}: {told}");
    }
    let bytes = folder("bad", &[]).join("bytes.c");
    fs::write(&bytes, [0xff, 0xfe, 0x00, 0x80]).expect("a file can be written");
    assert!(error(&[bytes.display().to_string()], &Settings::default()).contains("is not UTF-8"));
    let wrong = [
        (
            "recursion.c",
            "int f(int n) { return f(n + 1) + 1; }\nint main(void) { return f(0); }\n",
            "the stack is too deep",
        ),
        ("allocation.c", "#include <stdlib.h>\nint main(void) { for (;;) malloc(100); }\n", "a step that does not end"),
        ("forever.c", "int main(void) { for (;;); }\n", "a step that does not end"),
        ("assembly.c", "int main(void) { __asm__ volatile(\"cli\"); return 0; }\n", "inline assembly is not modelled"),
        (
            "block.c",
            "#include <stdlib.h>\nint main(void) { char *p = malloc(1ul << 50); return *p; }\n",
            "more than 64 MiB of allocated memory are not modelled",
        ),
        (
            "future.ll",
            "define i32 @main() {\n  %x = teleport i32 7\n  ret i32 %x\n}\n",
            "the instruction `teleport` is not modelled",
        ),
    ];
    for (name, text, expected) in wrong {
        let folder = folder("bad", &[(name, text)]);
        let checked = check(&[in_folder(&folder, name)], &Settings::default(), Engine::Optimal);
        let told = checked.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(expected), "{name}: {told}");
    }
    let folder = folder("bad", &[("counts.c", "volatile int x;\nint main(void) { for (;;) x++; }\n")]);
    let loaded = load(&[in_folder(&folder, "counts.c")], &Settings::default(), false);
    let loaded = loaded.unwrap_or_else(|error| panic!("{error}"));
    let check =
        Check::new(&*loaded.subject).engine(Engine::Exhaustive).time_limit(std::time::Duration::from_millis(200));
    assert!(matches!(check.run().exploration.verdict, Verdict::Inconclusive(_)));
}
