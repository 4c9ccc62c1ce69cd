//! Words that are true: what `verified` rests on, what was cut, and which engine `auto` picks.

use mazurka::engines::{Options, refuses};
use mazurka::report::{Vacuity, json};
use mazurka::{Check, Checked, Counter, Engine, MzProgram, Subject, Verdict, lang};
use std::time::Duration;

fn program(source: &str) -> MzProgram {
    sized(source, &[])
}

fn sized(source: &str, defines: &[(&str, i64)]) -> MzProgram {
    let defines: Vec<_> = defines.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    MzProgram::new(lang::compile("p.mz", source, &defines).expect("it compiles"))
}

fn example(path: &str, defines: &[(&str, i64)]) -> MzProgram {
    let path = format!("{}/../../examples/{path}", env!("CARGO_MANIFEST_DIR"));
    sized(&std::fs::read_to_string(path).expect("the example can be read"), defines)
}

/// What each engine that takes the program and comes to its end says, on one thread and on several.
fn by_all_engines(source: &str) -> Vec<Checked> {
    let engines = Engine::ALL.iter().flat_map(|&engine| [(engine, 1), (engine, 4)]);
    let fits = |engine: Engine| refuses(engine, &Subject::traits(&program(source))).is_none();
    let all: Vec<_> = engines
        .filter(|&(engine, _)| fits(engine))
        .map(|(engine, threads)| Check::new(&program(source)).engine(engine).threads(threads).run())
        .collect();
    assert!(all.len() > 10, "most engines take it");
    all
}

#[test]
fn an_assertion_behind_an_assumption_that_no_actor_passes_is_vacuous() {
    for checked in by_all_engines("shared x = 0;\nthread t {\n  assume(x == 1);\n  assert(x == 2);\n}") {
        assert_eq!(checked.exploration.verdict, Verdict::Verified);
        assert_eq!(checked.basis.vacuity(), Vacuity::Whole, "{checked}");
        assert_eq!(checked.exploration.statistics.get(Counter::AssumeBlocked), Some(1), "{checked}");
        assert_eq!(checked.basis.unreached.len(), 1);
        assert_eq!(checked.basis.blocked_at[0].location.as_ref().map(|location| location.line), Some(3));
        let text = checked.to_string();
        assert!(text.starts_with("VERDICT  verified (vacuous)   "), "{text}");
        assert!(text.contains("`assert(x == 2)` (p.mz:4) was never reached"), "{text}");
        assert!(json::report(&checked.report()).contains("\"vacuity\": \"whole\""));
    }
}

#[test]
fn what_is_put_to_the_test_is_not_vacuous_whoever_searches() {
    let source = "shared x = 0; shared y = 0;
        def check(v) { assert(v < 3); return v; }
        thread a { x = 1; let r = check(y); assert(r < 2); }
        thread b { y = 1; if (x == 1) { assert(y == 1); } }
        thread c { if (x == 7) { assert(false); } }
        never (x > 1 && y > 1);";
    for checked in by_all_engines(source) {
        assert_eq!(checked.exploration.verdict, Verdict::Verified, "{checked}");
        assert_eq!(checked.basis.vacuity(), Vacuity::None, "{checked}");
        let unreached: Vec<_> = checked.basis.unreached.iter().map(|site| &*site.text).collect();
        assert_eq!(unreached, ["assert(false)"], "it says itself that it is not reached");
        assert_eq!(checked.exploration.statistics.get(Counter::AssumeBlocked), None);
    }
}

#[test]
fn a_rule_about_what_never_changes_is_vacuous_and_one_of_two_is_said_to_be_part() {
    let source = "shared x = 0; shared y = 0; thread a { y = 1; x = 0; } never (x > 0); never (y > 1);";
    for checked in by_all_engines(source) {
        assert_eq!(checked.basis.vacuity(), Vacuity::Part, "{checked}");
        assert_eq!(checked.basis.vacuous.len(), 1);
        let text = checked.to_string();
        assert!(text.starts_with("VERDICT  verified (partly vacuous)   "), "{text}");
        assert!(text.contains("is about `x`, which never changes"), "{text}");
    }
}

#[test]
fn assert_false_behind_a_closed_assumption_proves_nothing() {
    let checked = Check::new(&program("shared x = 0; thread t { assume(x > 0); assert(false); }")).run();
    assert_eq!(checked.basis.vacuity(), Vacuity::Whole, "{checked}");
}

#[test]
fn the_members_of_a_family_reach_one_assertion() {
    let source = "shared x = 0; thread t(i in 0..3) { if (i == 1) { assert(x == 0); } }";
    assert_eq!(Check::new(&program(source)).run().basis.vacuity(), Vacuity::None);
}

#[test]
fn waits_that_never_end_are_told() {
    let source = "shared s = 1; shared r = 1;
        thread a { atomic { assume(s > 0); s -= 1; } atomic { assume(r > 0); r -= 1; } r += 1; s += 1; }
        thread b { atomic { assume(r > 0); r -= 1; } atomic { assume(s > 0); s -= 1; } s += 1; r += 1; }";
    for checked in by_all_engines(source) {
        assert_eq!(checked.exploration.verdict, Verdict::Verified);
        assert!(checked.exploration.statistics.get(Counter::AssumeBlocked) >= Some(1), "{checked}");
        assert_eq!(checked.basis.blocked_at.len(), 2, "{checked}");
        assert!(checked.to_string().contains("blocked by `assume`"), "{checked}");
    }
}

#[test]
fn nothing_is_claimed_about_what_was_not_looked_at() {
    let source = "shared x = 0; thread t { while (true) { x = 1 - x; } } thread u { assume(x == 5); assert(x == 3); }";
    for engine in [Engine::Optimal, Engine::Dpor] {
        let checked = Check::new(&program(source)).engine(engine).run();
        assert!(matches!(checked.exploration.verdict, Verdict::Bounded { .. }), "{checked}");
        assert!(checked.basis.unreached.is_empty() && checked.basis.vacuous.is_empty());
    }
    assert_eq!(Check::new(&program(source)).run().basis.vacuity(), Vacuity::Whole);
}

#[test]
fn a_cut_is_told_even_where_something_was_found() {
    let source = "shared x = 0; thread t { while (true) { x = 1 - x; } } thread u { assert(x == 0); }";
    let mut told = 0;
    for engine in [Engine::Dpor, Engine::Sdpor, Engine::Optimal, Engine::Enumerate] {
        let checked = Check::new(&program(source)).engine(engine).all().run();
        if checked.exploration.verdict != Verdict::Violated {
            assert!(matches!(checked.exploration.verdict, Verdict::Bounded { .. }), "{checked}");
            continue;
        }
        told += 1;
        let text = checked.to_string();
        assert!(text.contains("the search did not see everything") && text.contains("there may be more"), "{text}");
        let json = json::report(&checked.report());
        assert!(json.contains("\"bound\": \"cycle\"") && !json.contains("the search is complete"), "{json}");
    }
    assert!(told > 0, "an engine finds something before it is cut");
    let mut options = Options { all: true, ..Options::default() };
    options.budget.depth = Some(4);
    let checked = Check::new(&program(source)).options(options).run();
    assert_eq!(checked.exploration.verdict, Verdict::Violated, "{checked}");
    assert!(checked.exploration.cut.is_some());
    let text = checked.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("cut at 4 steps; there may be more"), "{checked}");
}

#[test]
fn auto_goes_over_to_a_reduction_whatever_the_number_of_threads() {
    let cases = [
        (example("families/independent-toggles.mz", &[("N", 26)]), Engine::Stateful, 1),
        (example("classics/indexer.mz", &[("THREADS", 12)]), Engine::Optimal, 1),
    ];
    for (program, engine, before) in &cases {
        let run = |threads| Check::new(program).threads(threads).run();
        let (one, several) = (run(1), run(4));
        assert_eq!(one.exploration.verdict, Verdict::Verified, "{one}");
        assert_eq!(one.engine, *engine, "{one}");
        let picked = one.picked.as_ref().expect("no engine was asked for");
        assert_eq!(picked.tried.len(), *before);
        assert!(one.to_string().contains("was picked: exhaustive met more than 100,000 states"), "{one}");
        let counts = |checked: &Checked| {
            let counted = |statistics: &mazurka::Statistics| {
                let counts = statistics.iter().filter(|(counter, _)| *counter != Counter::PeakBytes);
                counts.collect::<Vec<_>>()
            };
            let tried = checked.picked.iter().flat_map(|picked| &picked.tried);
            let tried: Vec<_> = tried.map(|tried| counted(&tried.statistics)).collect();
            (counted(&checked.exploration.statistics), tried)
        };
        assert_eq!(counts(&one), counts(&several), "{several}");
    }
}

#[test]
fn auto_keeps_the_shortest_schedule_of_a_small_program_and_loses_no_violation_of_a_large_one() {
    let source = "const N = 20; shared x[N] = 0; shared y = 0;
        event toggle(i in 0..N) { x[i] = 1 - x[i]; }
        event first { assert(y == 0); } event second { y = 1; }";
    let small = Check::new(&sized(source, &[("N", 3)])).run();
    assert_eq!((small.engine, small.stories[0].rows.len()), (Engine::Exhaustive, 2));
    let large = Check::new(&program(source)).all().run();
    assert_eq!(large.engine, Engine::Stateful, "{large}");
    assert_eq!(large.exploration.violations.len(), 1, "{large}");
    assert_eq!(large.exploration.violations[0].schedule.moves.len(), 2, "the schedule of the first search: {large}");
}

#[test]
fn auto_with_a_bound_stays_with_the_engine_that_looks_at_everything_within_it() {
    let mut options = Options::default();
    options.budget.depth = Some(5);
    let program = example("families/independent-toggles.mz", &[("N", 40)]);
    let checked = Check::new(&program).options(options).run();
    assert_eq!(checked.engine, Engine::Exhaustive);
    assert!(matches!(checked.exploration.verdict, Verdict::Bounded { .. }), "{checked}");
}

#[test]
fn an_inconclusive_result_names_the_engine_to_try() {
    let program = example("families/independent-toggles.mz", &[("N", 26)]);
    let checked = Check::new(&program).engine(Engine::Exhaustive).time_limit(Duration::ZERO).run();
    assert!(matches!(checked.exploration.verdict, Verdict::Inconclusive(_)));
    assert!(checked.to_string().contains("--engine stateful may finish"), "{checked}");
    assert!(json::report(&checked.report()).contains("\"alternative\": \"--engine stateful"));
}

#[test]
fn a_promise_names_only_what_the_program_has() {
    let promise = |source: &str, races: bool| {
        let options = Options { races, ..Options::default() };
        Check::new(&program(source)).options(options).run().basis.promise
    };
    let (plain, asserting) = ("shared x = 0; thread a { x = 1; }", "shared x = 0; thread a { x = 1; assert(x == 1); }");
    assert_eq!(promise(plain, false), "no order of events crashes or deadlocks");
    assert_eq!(promise(asserting, false), "no order of events fails an assertion, crashes or deadlocks");
    let forbidding = "shared x = 0; thread a { x = 1; } never (x > 1);";
    assert_eq!(promise(forbidding, false), "no order of events breaks an invariant, crashes or deadlocks");
    assert_eq!(promise(plain, true), "no order of events crashes, deadlocks or has a data race");
}

#[test]
fn a_program_whose_executions_are_all_blocked_is_vacuous() {
    let blocked = "shared x = 0;\nthread a {\n  x = 1;\n  assert(x == 1);\n  assume(x == 2);\n}\nthread b { x = 1; }";
    for checked in by_all_engines(blocked) {
        assert_eq!(checked.basis.vacuity(), Vacuity::Whole, "{checked}");
        let text = checked.to_string();
        assert!(text.starts_with("VERDICT  verified (vacuous)   "), "{text}");
        assert!(text.contains("`assume(x == 2)` (p.mz:5) blocks every execution"), "{text}");
    }
    let some = "shared x = 0; thread a { x = 1; assert(x > 0); assume(x == 2); } thread b { x = 2; }";
    for checked in by_all_engines(some) {
        assert_eq!(checked.basis.vacuity(), Vacuity::None, "{checked}");
    }
    // An execution without end is not blocked.
    let endless =
        Check::new(&program("shared x = 0; thread a { while (true) { x = 1 - x; } } thread b { assume(false); }"))
            .run();
    assert_eq!(endless.basis.vacuity(), Vacuity::None, "{endless}");
}

#[test]
fn no_engine_is_advised_to_a_program_that_grows_without_end() {
    let growing = program("shared x = 0; thread a { while (true) { x += 1; } } thread b { while (true) { x += 1; } }");
    for engine in [Engine::Exhaustive, Engine::Stateful, Engine::Unfolding] {
        let checked = Check::new(&growing).engine(engine).time_limit(Duration::from_millis(50)).run();
        let text = checked.to_string();
        assert!(text.contains("neither ended nor came back to a state"), "{text}");
        assert!(!text.contains("--engine"), "{text}");
    }
    // One that comes back to states is not sent to engines that cut there.
    let cycling = program("shared x = 0; thread a(i in 0..3) { while (true) { x = 1 - x; } }");
    for engine in [Engine::Exhaustive, Engine::Stateful] {
        let checked = Check::new(&cycling).engine(engine).time_limit(Duration::ZERO).run();
        let text = checked.to_string();
        assert!(!text.contains("--engine optimal") && !text.contains("--engine event"), "{text}");
    }
}

#[test]
fn what_has_to_happen_is_promised_and_never_vacuous_in_silence() {
    let check = |source: &str| Check::new(&program(source)).run();
    let worker = "shared x = 0; thread t { x = 1; x = 2; }";
    let kept = check(&format!("{worker} eventually (x == 2);"));
    assert_eq!(kept.basis.vacuity(), Vacuity::None, "{kept}");
    let on_one_line = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(on_one_line(kept.to_string()).contains("and what has to happen in the end happens in every"), "{kept}");
    let at_start = check(&format!("{worker} eventually (x == 0);"));
    assert_eq!(at_start.basis.vacuity(), Vacuity::Whole, "{at_start}");
    assert!(on_one_line(at_start.to_string()).contains("is true in the initial state"), "{at_start}");
    let never = check(&format!("{worker} eventually (x == 2); (x == 7) leads_to (x == 2);"));
    assert_eq!(never.basis.vacuity(), Vacuity::Part, "{never}");
    assert!(json::report(&never.report()).contains("begins with what is never true"), "{never}");
}

#[test]
fn a_lasso_is_told_by_who_moves_who_could_and_what_would_help() {
    let light = "shared light = 0; event motion { light = 1; } event timeout when light == 1 { light = 0; }
        always eventually (light == 0);";
    let checked = Check::new(&program(light)).run();
    let story = &checked.stories[0];
    let lasso = story.lasso.as_ref().expect("it goes on for ever");
    assert_eq!((story.rows.len(), lasso.from), (1, 1), "{checked}");
    assert_eq!(lasso.still.as_deref(), Some("nothing has to happen any more: motion and timeout may rest"));
    let remedy = "it would hold if timeout had to happen in the end: write `fair event timeout`";
    assert_eq!(lasso.remedy.as_deref(), Some(remedy));
    let json = json::report(&checked.report());
    assert!(json.contains("\"loop\": 2") && json.contains("\"remedy\": \"it would hold"), "{json}");
    // The same with the word that is recommended.
    let fair = light.replace("event timeout", "fair event timeout");
    assert_eq!(Check::new(&program(&fair)).run().exploration.verdict, Verdict::Verified);
}

#[test]
fn a_saved_lasso_is_replayed_with_its_fairness() {
    let source = "shared x = 0; thread t { while (true) { x = 1; x = 0; } } always eventually (x == 1);";
    let unfair = program(source);
    assert_eq!(Check::new(&unfair).run().exploration.verdict, Verdict::Verified);
    let checked = Check::new(&unfair).fairness(mazurka::Fairness::None).run();
    let origin = mazurka::Origin {
        files: vec!["p.mz".to_owned()],
        source: mazurka::Fingerprint(1),
        defines: Vec::new(),
        engine: "exhaustive".to_owned(),
    };
    let file = unfair.record(&checked.shortened[0], &origin);
    let text = file.to_string();
    assert!(text.contains("\nviolation liveness ") && text.contains("\nloop none\n"), "{text}");
    let read = mazurka::report::ScheduleFile::parse("p.schedule", &text).expect("it is read");
    assert_eq!(read, file);
    let replayed = |text: &str| {
        let file = mazurka::report::ScheduleFile::parse("p.schedule", text).expect("it is read");
        let schedule = unfair.resolve(&file).expect("it is followed");
        unfair.replay(&schedule).expect("it is replayed").len()
    };
    assert_eq!(replayed(&text), 1);
    // As the program says, the thread has to move: standing still is not fair.
    assert_eq!(replayed(&text.replace("loop none", "loop")), 0);
}

#[test]
fn actors_that_come_and_go_come_back_in_a_loop() {
    // Messages and threads have other names each time, and are the same at present.
    let source = "shared x = 0; handler h;
        message ping(n) { x = n; post h, ping(1 - n); }
        thread t { post h, ping(0); }
        thread s { while (true) { let w = spawn idle(); join w; } }
        def idle() { x = x; }
        eventually (x == 2);";
    let checked = Check::new(&program(source)).run();
    assert_eq!(checked.exploration.verdict, Verdict::Violated, "{checked}");
    assert!(checked.stories[0].faithful, "{checked}");
    assert!(checked.stories[0].lasso.as_ref().is_some_and(|lasso| lasso.still.is_none()), "{checked}");
}
