//! No input panics or runs away: not random bytes, not a soup of words, not programs that were cut or mixed up. What
//! compiles is run for a while; what is parsed is printed, and the print says the same.

mod common;

use common::{enabled, outcomes};
use mazurka_core::{Insight, Move, Narrator, Outcome, Schedule, Stepper, System};
use mazurka_lang::{Identity, Model, compile, parse, print};
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest};
use proptest::sample::select;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// The programs of the papers.
static PAPERS: LazyLock<Vec<String>> = LazyLock::new(|| {
    fn read(folder: &Path, into: &mut Vec<String>) {
        let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                read(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "mz") {
                into.extend(std::fs::read_to_string(path));
            }
        }
    }
    let mut programs = Vec::new();
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/papers"), &mut programs);
    assert!(programs.len() > 20, "where are the papers?");
    programs
});

const WORDS: &[&str] = &[
    "const",
    "shared",
    "mutex",
    "cond",
    "semaphore",
    "rwlock",
    "channel",
    "handler",
    "any",
    "fifo",
    "thread",
    "message",
    "def",
    "event",
    "when",
    "disabled",
    "never",
    "let",
    "if",
    "else",
    "while",
    "do",
    "do {",
    "include",
    "include \"x.mz\";",
    "enum",
    "enum c { red, green = 2, blue }",
    "shared s: c = red;",
    "let q: c = s;",
    ": c",
    "let a[3] = 0;",
    "let b[2] = [x, 1];",
    "b[i] = 1;",
    "switch",
    "switch (x) {",
    "case",
    "case 1:",
    "default:",
    "break;",
    "for (let i = 0; i < 2; i += 1) {",
    "for (;;) {",
    "} while (x);",
    "for",
    "in",
    "break",
    "continue",
    "return",
    "assert",
    "assume",
    "lock",
    "unlock",
    "wait",
    "signal",
    "broadcast",
    "trylock",
    "wait_timeout",
    "acquire",
    "release",
    "read_lock",
    "write_unlock",
    "send",
    "receive",
    "try_receive",
    "spawn",
    "join",
    "post",
    "enable",
    "disable",
    "atomic",
    "cas",
    "swap",
    "fetch_add",
    "choose",
    "true",
    "false",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "..",
    "=",
    "+=",
    "++",
    "||",
    "&&",
    "==",
    "<",
    "<<",
    "+",
    "-",
    "*",
    "/",
    "%",
    "!",
    "?",
    ":",
    "? x :",
    "0",
    "1",
    "2",
    "9223372036854775807",
    "0x1F",
    "x",
    "y",
    "m",
    "f",
    "h",
    "e",
    "i",
    "\"text\"",
    "// rest\n",
    "/*",
    "*/",
    "{ }",
    "();",
    "x = 1;",
    "thread t {",
    "shared x;",
];

/// Compiles and, if that works, runs 200 steps with choices made by `seed`.
fn try_out(source: &str, seed: u64) {
    if let Ok(unit) = parse(source) {
        check_print(&print(&unit));
    }
    let Ok(program) = compile("input.mz", source, &[]) else { return };
    let program = Arc::new(program);
    for identity in [Identity::Presence, Identity::History] {
        run(&Model::new(Arc::clone(&program), identity), seed);
    }
}

/// A print can be read, and reading it changes nothing.
fn check_print(printed: &str) {
    match parse(printed) {
        Ok(again) => assert_eq!(print(&again), printed),
        // Parentheses count as nesting: what was nearly too deep may be too deep in print.
        Err(error) => assert_eq!(error.message, "nested too deeply", "{printed}"),
    }
}

fn run(model: &Model, seed: u64) {
    let mut pick = common::random(seed);
    let mut schedule = Schedule::default();
    let mut state = model.initial_states().remove(0);
    for _ in 0..200 {
        let actors = enabled(model, &state);
        if actors.is_empty() {
            model.ending(&state);
            break;
        }
        let actor = actors[pick(actors.len())];
        let mut taken = common::take(model, &state, actor.into());
        // Another outcome, if there are several.
        if let Some(next) = taken.1.filter(|_| pick(2) == 0) {
            taken = common::take(model, &state, Move { actor, outcome: next });
        }
        model.describe(&state, actor, taken.0.step.outcome);
        schedule.moves.push(taken.0.step);
        state = taken.0.after;
    }
    let mut values = Vec::new();
    model.observe(&state, &mut values);
    let (replayed, _) = Stepper::replay(model, &schedule).unwrap_or_else(|| panic!("{schedule:?} cannot be replayed"));
    assert_eq!(model.fingerprint(replayed.state()), model.fingerprint(&state));
}

#[test]
fn the_papers_are_printed_and_run() {
    for source in &*PAPERS {
        for seed in 0..20 {
            try_out(source, seed);
        }
        let unit = parse(source).unwrap_or_else(|error| panic!("{error:?}"));
        let (program, again) = (compile("a.mz", source, &[]), compile("a.mz", &print(&unit), &[]));
        let (Ok(program), Ok(again)) = (program, again) else { panic!("{source}") };
        let (one, other) =
            (Model::new(program.into(), Identity::Presence), Model::new(again.into(), Identity::Presence));
        // The print is the same program.
        let (mut here, mut there) = (one.initial_states().remove(0), other.initial_states().remove(0));
        for _ in 0..100 {
            assert_eq!(one.fingerprint(&here), other.fingerprint(&there));
            let Some(&actor) = enabled(&one, &here).last() else { break };
            here = outcomes(&one, &here, actor).remove(0).after;
            there = outcomes(&other, &there, actor).remove(0).after;
        }
    }
}

#[test]
fn an_outcome_that_does_not_exist_is_harmless() {
    let model = common::model("shared x; thread t { x = choose(0..3); }", Identity::Presence);
    let (taken, _) = common::take(
        &model,
        &model.initial_states()[0],
        Move { actor: mazurka_core::ActorId(0), outcome: Outcome(77) },
    );
    assert!(taken.violations.is_empty());
    let schedule = Schedule::new(0, vec![taken.step]);
    assert!(Stepper::replay(&model, &schedule).is_none());
}

/// What may happen to a text: a part is taken out, doubled, moved elsewhere or replaced by a word.
#[derive(Clone, Debug)]
enum Cut {
    Remove(usize, usize),
    Double(usize, usize),
    Insert(usize, &'static str),
    Truncate(usize),
}

fn cut() -> impl Strategy<Value = Cut> {
    prop_oneof![
        (any::<usize>(), 0..12usize).prop_map(|(at, length)| Cut::Remove(at, length)),
        (any::<usize>(), 0..40usize).prop_map(|(at, length)| Cut::Double(at, length)),
        (any::<usize>(), select(WORDS)).prop_map(|(at, word)| Cut::Insert(at, word)),
        any::<usize>().prop_map(Cut::Truncate),
    ]
}

/// Works on words rather than letters, so that much of what comes out still parses.
fn apply(source: &str, cuts: &[Cut]) -> String {
    let mut words: Vec<&str> = source.split_inclusive([' ', '\n', ';', '(', ')', '{', '}']).collect();
    for cut in cuts {
        let length = words.len().max(1);
        match *cut {
            Cut::Remove(at, count) => {
                let at = at % length;
                words.drain(at.min(words.len())..(at + count).min(words.len()));
            }
            Cut::Double(at, count) => {
                let at = (at % length).min(words.len());
                let part: Vec<&str> = words[at..(at + count).min(words.len())].to_vec();
                words.splice(at..at, part);
            }
            Cut::Insert(at, word) => words.insert((at % length).min(words.len()), word),
            Cut::Truncate(at) => words.truncate(length - at % (length / 4 + 1)),
        }
    }
    words.concat()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_an_error(bytes in vec(any::<u8>(), 0..200)) {
        try_out(&String::from_utf8_lossy(&bytes), 7);
    }

    #[test]
    fn random_letters_are_an_error(text in "\\PC{0,80}") {
        try_out(&text, 7);
    }

    #[test]
    fn a_soup_of_words_is_an_error(words in vec(select(WORDS), 0..120), seed in any::<u64>()) {
        try_out(&words.join(" "), seed);
    }

    #[test]
    fn a_random_program_does_what_it_says(source in common::program(), seed in any::<u64>()) {
        try_out(&source, seed);
    }

    #[test]
    fn a_paper_that_was_cut_up_is_harmless(which in any::<usize>(), cuts in vec(cut(), 1..6), seed in any::<u64>()) {
        let source = apply(&PAPERS[which % PAPERS.len()], &cuts);
        try_out(&source, seed);
    }
}
