//! Data races: small programs with exactly the races that each of them has, by every engine that finds them.

use mazurka::engines::{Engine, refuses};
use mazurka::report::{ScheduleFile, json, junit, sarif};
use mazurka::{
    ActorId, Check, Checked, Fingerprint, MzProgram, ObjectId, Origin, Step, StopReason, Subject, System, Traits,
    Verdict, ViolationKind, lang,
};
use std::time::SystemTime;

fn program(source: &str) -> MzProgram {
    MzProgram::new(lang::compile("f.mz", source, &[]).unwrap_or_else(|error| panic!("{error:?}\n{source}")))
}

fn check(program: &MzProgram, engine: Engine, threads: usize) -> Checked {
    Check::new(program).engine(engine).races().all().threads(threads).run()
}

/// The races of a program, as all engines that find them tell them: the variable and both lines.
fn races(source: &str) -> Vec<String> {
    let program = program(source);
    let told = |checked: &Checked| {
        let mut told: Vec<String> = checked
            .exploration
            .violations
            .iter()
            .filter(|found| found.violation.kind == ViolationKind::Race)
            .map(|found| found.violation.message.clone())
            .collect();
        assert!(checked.stories.iter().all(|story| story.faithful), "{checked}");
        told.sort();
        told
    };
    let by_all_states = told(&check(&program, Engine::Exhaustive, 1));
    assert_eq!(told(&check(&program, Engine::Exhaustive, 3)), by_all_states);
    for engine in [Engine::Dpor, Engine::Optimal, Engine::Event, Engine::Enumerate] {
        if refuses(engine, &program.traits()).is_none() {
            let checked = check(&program, engine, 1);
            if !matches!(checked.exploration.verdict, Verdict::Bounded { .. }) {
                assert_eq!(told(&checked), by_all_states, "{engine}\n{source}");
            }
        }
    }
    let short = |message: String| {
        let (variable, places) = message.strip_prefix("data race on ")?.split_once(" between ")?;
        let lines: Vec<&str> = places.split(" and ").filter_map(|place| place.split(':').next()).collect();
        Some(format!("{variable} {}", lines.join(" ")))
    };
    by_all_states.into_iter().filter_map(short).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn two_writes_and_a_write_and_a_read_race() {
    assert_eq!(races("shared x = 0;\nthread a { x = 1; }\nthread b { x = 2; }"), ["x 2 3"]);
    assert_eq!(races("shared x = 0;\nthread a { x = 1; }\nthread b { let r = x; }"), ["x 2 3"]);
    // To store what is there already is to write.
    assert_eq!(races("shared x = 0;\nthread a { x = 0; }\nthread b { let r = x; }"), ["x 2 3"]);
    // Members of a family stand in the same place.
    assert_eq!(races("shared x = 0;\nthread t(i in 0..2) {\nx = i; }"), ["x 3 3"]);
}

#[test]
fn reads_do_not_race_and_neither_do_different_variables() {
    assert_eq!(races("shared x = 0;\nthread a { let r = x; }\nthread b { let r = x; }"), NONE);
    assert_eq!(races("shared x = 0, y = 0;\nthread a { x = 1; }\nthread b { y = 1; }"), NONE);
    assert_eq!(races("shared a[2] = 0;\nthread t(i in 0..2) {\na[i] = 1; }"), NONE);
    assert_eq!(races("shared a[2] = 0;\nthread t(i in 0..3) {\na[i % 2] = 1; }"), ["a[0] 3 3"]);
}

#[test]
fn a_race_needs_an_access_that_is_not_atomic() {
    let with = |one: &str, other: &str| races(&format!("shared x = 0;\nthread a {{ {one} }}\nthread b {{ {other} }}"));
    let atomic = ["cas(x, 0, 1);", "swap(x, 1);", "fetch_add(x, 1);", "atomic { x = 1; }"];
    for one in atomic {
        for other in atomic {
            assert_eq!(with(one, other), NONE, "{one} {other}");
        }
        assert_eq!(with(one, "x = 2;"), ["x 2 3"], "{one}");
        assert_eq!(with(one, "let r = x;"), ["x 2 3"], "{one}");
        assert_eq!(with(one, "assume(x == 0);"), ["x 2 3"], "{one}");
        assert_eq!(with(one, "atomic { assume(x == 0); }"), NONE, "{one}");
    }
    // A compare-and-swap that fails only reads.
    assert_eq!(with("cas(x, 5, 1);", "let r = x;"), NONE);
}

#[test]
fn a_wait_by_assume_does_not_order() {
    let waiting = |set: &str, wait: &str| {
        let source = format!("shared x = 0, f = 0;\nthread a {{\nx = 1;\n{set} }}\nthread b {{\n{wait}\nlet r = x; }}");
        races(&source)
    };
    // The flag races, also where it is what lets the other thread go on.
    assert_eq!(waiting("f = 1;", "assume(f == 1);"), ["f 4 6"]);
    assert_eq!(waiting("f = 1;", "atomic { assume(f == 1); }"), ["f 4 6"]);
    assert_eq!(waiting("swap(f, 1);", "assume(f == 1);"), ["f 4 6"]);
    // What is written before a flag that is atomic on both sides is ordered.
    assert_eq!(waiting("swap(f, 1);", "atomic { assume(f == 1); }"), NONE);
}

#[test]
fn locks_order() {
    let counter = "shared x = 0;\nmutex m;\nthread t(i in 0..2) {\nlock(m);\nx += 1;\nunlock(m); }";
    assert_eq!(races(counter), NONE);
    // One thread forgets the lock, and two locks are none.
    let forgets = "shared x = 0;\nmutex m;\nthread a {\nlock(m);\nx = 1;\nunlock(m); }\nthread b {\nx = 2; }";
    assert_eq!(races(forgets), ["x 5 8"]);
    let two = "shared x = 0;\nmutex m[2];\nthread t(i in 0..2) {\nlock(m[i]);\nx = 1;\nunlock(m[i]); }";
    assert_eq!(races(two), ["x 5 5"]);
    // A lock that is made of an atomic operation orders as well.
    let spin = "shared x = 0, l = 0;\nthread t(i in 0..2) {\nif (cas(l, 0, 1)) {\nx += 1;\nswap(l, 0); } }";
    assert_eq!(races(spin), NONE);
}

#[test]
fn spawn_and_join_order() {
    let source = |between: &str, after: &str| {
        let child = "shared x = 0;\ndef child() {\nx = 1; }\n";
        format!("{child}thread main {{\nx = 2;\nlet t = spawn child();\n{between}\njoin t;\n{after} }}")
    };
    assert_eq!(races(&source("", "x = 3;")), NONE);
    assert_eq!(races(&source("x = 3;", "")), ["x 3 7"]);
    // A thread that is made by an atomic block comes after all of it.
    assert_eq!(
        races("shared x = 0;\ndef child() {\nx = 1; }\nthread main {\natomic { x = 2; spawn child(); } }"),
        NONE
    );
    // The end of a thread that is not joined orders nothing.
    assert_eq!(races("shared x = 0;\ndef child() {\nx = 1; }\nthread main {\nspawn child();\nx = 2; }"), ["x 3 6"]);
}

#[test]
fn a_handle_that_goes_out_of_scope_orders_nothing() {
    // The thread's end and the handle's end are parts of the steps that race.
    let source =
        "shared x = 0;\ndef child() {\nx = 1; }\nthread main {\nif (x == 0) {\nlet t = spawn child();\nx = 2; } }";
    assert_eq!(races(source), ["x 3 7"]);
}

#[test]
fn a_signal_orders() {
    let source = "shared full = 0;\nmutex m;\ncond c;\nthread giver {\nlock(m);\nfull = 1;\nsignal(c);\nunlock(m); }\n\
                  thread taker {\nlock(m);\nwhile (full == 0) {\nwait(c, m); }\nfull = 0;\nunlock(m); }";
    assert_eq!(races(source), NONE);
    // Here only the signal does: the thread that was woken has not looked before.
    let alone = "shared x = 0;\nmutex m;\ncond c;\nthread giver {\nx = 1;\nsignal(c); }\n\
                 thread taker {\nlock(m);\nwait(c, m);\nlet r = x;\nunlock(m); }";
    assert_eq!(races(alone), NONE);
}

#[test]
fn a_post_orders_and_messages_of_one_handler_never_overlap() {
    for kind in ["", " any"] {
        let posted =
            format!("shared x = 0;\nhandler h{kind};\nthread a {{\nx = 1;\npost h, m(); }}\nmessage m() {{\nx = 2; }}");
        assert_eq!(races(&posted), NONE);
        let later =
            format!("shared x = 0;\nhandler h{kind};\nthread a {{\npost h, m();\nx = 1; }}\nmessage m() {{\nx = 2; }}");
        assert_eq!(races(&later), ["x 5 7"]);
        let both = format!(
            "shared x = 0;\nhandler h{kind};\nthread a {{ post h, m(); }}\nthread b {{ post h, m(); }}\nmessage m() {{\nx += 1; }}"
        );
        assert_eq!(races(&both), NONE);
        let two = format!(
            "shared x = 0;\nhandler h[2]{kind};\nthread a {{ post h[0], m(); post h[1], m(); }}\nmessage m() {{\nx = 1; }}"
        );
        assert_eq!(races(&two), ["x 5 5"]);
    }
}

#[test]
fn events_are_atomic() {
    assert_eq!(races("shared x = 0;\nevent a {\nx = 1; }\nevent b {\nx = 2; }"), NONE);
    assert_eq!(races("shared x = 0;\nevent a {\nx = 1; }\nthread b {\nx = 2; }"), ["x 2 5"]);
}

#[test]
fn the_flag_is_told_and_not_what_it_keeps_apart() {
    let plain = "shared x = 0, f = 0;\nthread a {\nx = 1;\nf = 1; }\nthread b {\nif (f == 1) {\nlet r = x; } }";
    assert_eq!(races(plain), ["f 4 6"]);
    let broken = "shared x = 0, f = 0;\nthread a {\nf = 1;\nx = 1; }\nthread b {\nif (f == 1) {\nlet r = x; } }";
    assert_eq!(races(broken), ["f 3 6", "x 4 7"]);
}

#[test]
fn a_program_that_runs_for_ever_is_searched_for_races() {
    let source = "shared turn = 0, x = 0;\nthread t(i in 0..2) {\nwhile (1) {\natomic { assume(turn == i); }\nx = i;\natomic { turn = 1 - i; } } }";
    assert_eq!(races(source), NONE);
    assert_eq!(races(&source.replace("atomic { turn = 1 - i; }", "turn = 1 - i;")), ["turn 4 6"]);
}

#[test]
fn without_the_option_there_are_no_races() {
    let racy = program("shared x = 0; thread a { x = 1; } thread b { x = 2; }");
    for &engine in Engine::ALL {
        if refuses(engine, &racy.traits()).is_none() {
            assert!(Check::new(&racy).engine(engine).all().run().is_verified(), "{engine}");
        }
    }
    assert!(!Check::new(&racy).races().run().is_verified());
}

#[test]
fn an_engine_that_cannot_see_all_races_refuses() {
    let one = program("shared x = 0; thread a { x = 1; }");
    for engine in [Engine::Stateful, Engine::Sdpor, Engine::Unfolding, Engine::EmDpor] {
        let checked = check(&one, engine, 1);
        let Verdict::Unsupported(reason) = &checked.exploration.verdict else { panic!("{checked}") };
        assert_eq!(
            *reason,
            format!(
                "{engine} does not see all data races; these engines do: exhaustive, dpor, optimal, event, enumerate"
            )
        );
    }
}

#[test]
fn the_first_race_ends_the_search_and_is_as_short_as_can_be() {
    let long = program(
        "shared x = 0, y = 0;\nthread a {\nfor i in 0..5 { y += 1; }\nx = 1; }\nthread b {\nlet r = x; }\nthread c {\nlet s = 1; }",
    );
    for engine in [Engine::Exhaustive, Engine::Dpor, Engine::Optimal] {
        let checked = Check::new(&long).engine(engine).races().run();
        assert_eq!(checked.exploration.stop, StopReason::FirstViolation);
        assert_eq!(checked.exploration.violations.len(), 1);
        let story = &checked.stories[0];
        // Ten steps of `a` lead there, and then come the two accesses.
        assert_eq!(story.length.steps, 12, "{checked}");
        assert_eq!(
            story.race.as_ref().map(|race| (race.first, race.second, race.object.as_str())),
            Some((10, 11, "x"))
        );
        let why = story.why.as_deref().unwrap_or_default();
        let (one, other) = ("a wrote x (f.mz:4)", "b read x (f.mz:6)");
        let both = [format!("{one} and {other}"), format!("{other} and {one}")];
        assert!(both.iter().any(|both| why == format!("{both}; nothing orders the two")), "{why}");
    }
}

#[test]
fn a_race_is_reported_in_all_formats_and_saved() {
    let racy = program("shared x = 0;\nthread a {\nx = 1; }\nthread b {\nlet r = x; }");
    let checked = Check::new(&racy).races().run();
    let report = checked.report();
    let message = "data race on x between 3:1 and 5:9";
    let json = json::report(&report);
    assert!(json.contains("\"kind\": \"race\"") && json.contains(message), "{json}");
    let sarif = sarif::report(&report);
    assert!(sarif.contains("\"ruleId\": \"race\"") && sarif.contains(message), "{sarif}");
    let junit = junit::report(&report, SystemTime::UNIX_EPOCH);
    assert!(junit.contains(message), "{junit}");
    let text = checked.to_string();
    assert!(text.contains("nothing orders the two") && text.contains(message), "{text}");

    let found = &checked.shortened[0];
    let origin = Origin {
        files: vec!["f.mz".to_owned()],
        source: Fingerprint(0),
        defines: Vec::new(),
        engine: checked.engine.name().to_owned(),
    };
    let saved = racy.record(found, &origin).to_string();
    let read = ScheduleFile::parse("f.schedule", &saved).unwrap_or_else(|error| panic!("{error}\n{saved}"));
    assert_eq!((read.kind, read.message.as_str()), (ViolationKind::Race, message));
    let schedule = racy.resolve(&read).unwrap_or_else(|error| panic!("{error}"));
    let met = racy.replay(&schedule).unwrap_or_default();
    assert_eq!(met.first().map(|violation| violation.message.as_str()), Some(message));
}

/// Two actors that each write one variable once, by plain steps or by atomic ones.
struct TwoWriters {
    plain: bool,
    tells: bool,
}

impl System for TwoWriters {
    type State = [bool; 2];

    fn initial_states(&self) -> Vec<Self::State> {
        vec![[false; 2]]
    }

    fn enabled(&self, done: &Self::State, into: &mut Vec<ActorId>) {
        into.extend([0, 1].map(ActorId).into_iter().filter(|actor| !done[actor.index()]));
    }

    fn step(&self, done: &mut Self::State, actor: ActorId, step: &mut Step) {
        done[actor.index()] = true;
        step.write(ObjectId(7));
        if self.plain {
            step.plain();
        }
    }

    fn traits(&self) -> Traits {
        Traits { tells_plain_accesses: self.tells, ..Traits::default() }
    }
}

#[test]
fn a_model_in_rust_tells_which_steps_are_plain() {
    let verdict = |plain, tells| Check::new(&TwoWriters { plain, tells }).races().run();
    assert!(verdict(false, true).is_verified());
    let racy = verdict(true, true);
    assert_eq!(racy.exploration.verdict, Verdict::Violated);
    assert_eq!(racy.stories[0].violation.message, "data race on object 7");
    assert_eq!(
        racy.stories[0].why.as_deref(),
        Some("actor 0 wrote object 7 and actor 1 wrote object 7; nothing orders the two")
    );
    // Nothing is verified that no engine could have seen.
    let Verdict::Unsupported(reason) = verdict(true, false).exploration.verdict else { panic!("it is not told") };
    assert!(reason.contains("does not tell which of its steps are plain"), "{reason}");
}
