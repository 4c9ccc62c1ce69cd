//! The engine `stateful` on the families of `examples/families`, with exact counts, and on the paper's figures in every
//! order in which their actors can be tried.

mod common;

use common::{orders, source};
use mazurka::engines::Options;
use mazurka::lang::ast::{Item, Unit};
use mazurka::lang::{compile, parse, print};
use mazurka::{Budget, Check, Counter, Engine, Exploration, MzProgram, Verdict, ViolationKind};

/// The states and transitions of a program.
fn counts(path: &str, defines: &[(&str, i64)], engine: Engine, plain: bool) -> (u64, u64) {
    let defines: Vec<(String, i64)> = defines.iter().map(|&(name, value)| (name.to_owned(), value)).collect();
    let options = Options { plain, ..Options::default() };
    counts_of_text(&source(path), &defines, engine, options)
}

/// The states and transitions of a program in which nothing is wrong.
fn counts_of_text(text: &str, defines: &[(String, i64)], engine: Engine, options: Options) -> (u64, u64) {
    let program = MzProgram::new(compile("counts.mz", text, defines).expect("it compiles"));
    let options = Options { all: true, threads: 1, ..options };
    let Exploration { verdict, statistics, .. } =
        Check::new(&program).engine(engine).options(options).run().exploration;
    assert_eq!(verdict, Verdict::Verified, "{text}");
    let count = |counter| statistics.get(counter).expect("it is counted");
    (count(Counter::States), count(Counter::Transitions))
}

#[test]
fn independent_toggles_need_two_states_each() {
    let path = "examples/families/independent-toggles.mz";
    for n in [1, 2, 5, 10] {
        let of = |engine, plain| counts(path, &[("N", n)], engine, plain);
        let (all, n) = (1 << n, n as u64);
        assert_eq!(of(Engine::Exhaustive, false), (all, n * all));
        assert_eq!(of(Engine::Stateful, false), (2 * n, 2 * n));
        assert_eq!(of(Engine::Stateful, true).0, all, "the first actor that was not tried goes through all states");
    }
    assert_eq!(counts(path, &[("N", 1000)], Engine::Stateful, false), (2000, 2000));
}

#[test]
fn the_families_have_their_counts() {
    let of = |path: &str, defines: &[(&str, i64)]| {
        [Engine::Exhaustive, Engine::Stateful].map(|engine| counts(path, defines, engine, false))
    };
    let sensors = "examples/families/sensors-with-one-alarm.mz";
    assert_eq!(of(sensors, &[("N", 3)]), [(16, 56), (12, 27)]);
    assert_eq!(of(sensors, &[("N", 8)]), [(512, 4352), (277, 618)]);
    let ring = "examples/families/ring-that-enables-the-next.mz";
    assert_eq!(of(ring, &[("N", 6)]), [(154, 199), (154, 199)]);
    let home = "examples/families/home-with-rooms.mz";
    assert_eq!(of(home, &[("M", 3)]), [(9, 45), (9, 45)]);
    assert_eq!(of(home, &[("M", 6)]), [(65, 641), (65, 641)]);
    let conflict = "examples/families/all-in-conflict.mz";
    assert_eq!(of(conflict, &[("N", 8)]), [(20_000, 160_000), (20_000, 160_000)]);
}

/// Each of these programs has a violation that the published algorithm misses; with the repairs it is found.
#[test]
fn the_published_algorithm_misses_what_the_findings_say() {
    for finding in
        ["actor-that-waits-for-ever", "event-enabled-in-between", "nearest-conflict-is-ordered", "own-step-in-between"]
    {
        let path = format!("tests/papers/stateful-dpor/finding-{finding}.mz");
        let program = MzProgram::new(compile(&path, &source(&path), &[]).expect("it compiles"));
        let verdict = |plain, as_published| {
            let options = Options { plain, as_published, ..Options::default() };
            Check::new(&program).engine(Engine::Stateful).options(options).run().exploration.verdict
        };
        assert_eq!([verdict(false, false), verdict(true, false)], [Verdict::Violated, Verdict::Violated], "{path}");
        assert!(matches!(verdict(false, true), Verdict::Unsupported(_)), "{path}: the published algorithm found it");
    }
    // Where nothing is settled too early it finds what it promises.
    for figure in ["figure-1-reader-that-never-ends", "figure-5-event-with-two-conflicts"] {
        let path = format!("tests/papers/stateful-dpor/{figure}.mz");
        let program = MzProgram::new(compile(&path, &source(&path), &[]).expect("it compiles"));
        let options = Options { as_published: true, ..Options::default() };
        let checked = Check::new(&program).engine(Engine::Stateful).options(options).run();
        assert_eq!(checked.exploration.verdict, Verdict::Violated, "{path}");
    }
}

/// The assertion of a figure fails, in whatever order its threads and events are defined, hence tried.
fn fails_in_every_order(path: &str, assertions: usize) {
    let unit = parse(&source(path)).expect("it parses");
    let is_actor = |item: &Item| matches!(item, Item::Thread { .. } | Item::Event { .. });
    let (actors, rest): (Vec<Item>, Vec<Item>) = unit.items.into_iter().partition(is_actor);
    for order in orders(&actors) {
        let text = print(&Unit { items: [rest.clone(), order].concat() });
        let program = MzProgram::new(compile(path, &text, &[]).expect("it compiles"));
        for plain in [false, true] {
            let options = Options { all: true, plain, ..Options::default() };
            let checked = Check::new(&program).engine(Engine::Stateful).options(options).run();
            let failed = checked.exploration.violations.iter().filter(|f| f.violation.kind == ViolationKind::Assertion);
            assert_eq!(failed.count(), assertions, "plain {plain}:\n{text}");
        }
    }
}

#[test]
fn the_figures_fail_in_every_order() {
    fails_in_every_order("tests/papers/stateful-dpor/figure-1-reader-that-never-ends.mz", 2);
    fails_in_every_order("tests/papers/stateful-dpor/figure-3-events-in-a-cycle.mz", 1);
    fails_in_every_order("tests/papers/stateful-dpor/figure-5-event-with-two-conflicts.mz", 1);
}

#[test]
fn the_findings_fail_in_every_order() {
    for finding in [
        "finding-nearest-conflict-is-ordered",
        "finding-event-enabled-in-between",
        "finding-own-step-in-between",
        "finding-actor-that-waits-for-ever",
        "step-that-is-silent-now",
    ] {
        fails_in_every_order(&format!("tests/papers/stateful-dpor/{finding}.mz"), 1);
    }
}

#[test]
fn a_path_of_a_million_steps_works() {
    let text = "shared x = 0; event tick when x < 1000000 { x += 1; } never (x > 1000000);";
    let program = MzProgram::new(compile("deep.mz", text, &[]).expect("it compiles"));
    let checked = Check::new(&program).engine(Engine::Stateful).run();
    assert_eq!(checked.exploration.statistics.get(Counter::States), Some(1_000_001));
    checked.assert_verified();
}

/// What a search says whose schedules have at most this many steps, and how long its first schedule is.
fn within(steps: u64, text: &str) -> (Verdict, Option<usize>) {
    let program = MzProgram::new(compile("bounded.mz", text, &[]).expect("it compiles"));
    let budget = Budget { depth: Some(steps), ..Budget::default() };
    let options = Options { all: true, budget, ..Options::default() };
    let checked = Check::new(&program).engine(Engine::Stateful).options(options).run();
    let length = checked.exploration.violations.first().map(|found| found.schedule.moves.len());
    (checked.exploration.verdict, length)
}

#[test]
fn what_lies_within_the_bound_is_found_though_an_execution_came_there_by_a_longer_way() {
    // The first execution counts to 5 and is cut there; by way of `jump` 5 is one step away.
    for jump in ["x = 5;", "if (choose(0..3) == 2) { x = 5; }"] {
        let text = format!(
            "shared x = 0; event step when x < 10 {{ x += 1; }} event jump when x == 0 {{ {jump} }}
             event fail when x == 6 {{ assert(x != 6); }}"
        );
        assert_eq!(within(5, &text), (Verdict::Violated, Some(3)), "{jump}");
        assert!(matches!(within(2, &text).0, Verdict::Bounded { cuts: 2, .. }), "{jump}: {:?}", within(2, &text));
        assert!(matches!(within(0, &text).0, Verdict::Bounded { cuts: 1, .. }), "{jump}: {:?}", within(0, &text));
    }
    assert_eq!(within(3, "shared x = 0; event step when x < 3 { x += 1; }").0, Verdict::Verified);
}

#[test]
fn a_long_chain_of_wakeups_is_explored_step_by_step() {
    // Each message posts the next one, and each station lets the next one go: everything depends on everything before.
    let posts = "handler h; thread s { post h, tick(0); }
                 message tick(n) { if (n < 2000) { post h, tick(n + 1); } }";
    let ring = "shared x = 0; event station(i in 0..500) when x == i { x = (i + 1) % 500; }";
    for (text, transitions) in [(posts, 4002), (ring, 500)] {
        let program = MzProgram::new(compile("chain.mz", text, &[]).expect("it compiles"));
        let checked = Check::new(&program).engine(Engine::Stateful).run();
        assert_eq!(checked.exploration.statistics.get(Counter::Transitions), Some(transitions));
        checked.assert_verified();
    }
}

#[test]
fn rings_are_tried_together_only_where_they_meet() {
    // Each station lets the next one of its ring go.
    let rings = |at_a: &str, at_b: &str| {
        let text = format!(
            "const K = 40; shared x[K] = 0; shared y[K] = 0; shared z = 0;
             event a(i in 0..K) when x[i] == 1 {{ x[i] = 0; x[(i + 1) % K] = 1; {at_a} }}
             event b(i in 0..K) when y[i] == 1 {{ y[i] = 0; y[(i + 1) % K] = 1; {at_b} }}
             event start {{ disable start; x[0] = 1; }} event begin {{ disable begin; y[0] = 1; }}"
        );
        let program = MzProgram::new(compile("rings.mz", &text, &[]).expect("it compiles"));
        let options = Options { all: true, ..Options::default() };
        let run = |engine| Check::new(&program).engine(engine).options(options.clone()).run().exploration;
        let [stateful, exhaustive] = [Engine::Stateful, Engine::Exhaustive].map(run);
        assert_eq!(stateful.violations.len(), exhaustive.violations.len(), "{text}");
        let transitions = |exploration: &Exploration| exploration.statistics.get(Counter::Transitions);
        (stateful.violations.len(), transitions(&stateful), transitions(&exhaustive))
    };
    assert_eq!(rings("", ""), (0, Some(82), Some(3362)));
    let (at_a, at_b) =
        ("if (i == 37) { z = 1 - z; }", "if (i == 20) { assert(z == 0); } if (i == 30) { assert(z == 1); }");
    assert_eq!(rings(at_a, at_b), (2, Some(382), Some(6642)));
}

/// The states and transitions of a program where the analysis is given up after this many transitions without a
/// reduction.
fn with_patience(patience: Option<u64>, text: &str) -> (u64, u64) {
    counts_of_text(text, &[], Engine::Stateful, Options { patience, ..Options::default() })
}

#[test]
fn without_reductions_every_actor_is_tried_and_with_many_later_the_search_begins_again() {
    let ring = source("examples/families/ring-that-enables-the-next.mz");
    for patience in [None, Some(0), Some(64)] {
        assert_eq!(with_patience(patience, &ring), (154, 199));
    }
    // Two events that conflict, and behind a door that they seldom find twenty that do not.
    let late = "shared x = 0, y = 0, door = 0, on[20] = 0;
        event walk when door == 0 { x = (x + 1) % 31; }
        event jump when door == 0 { x = (x + 7) % 31; y = (y + x) % 29; }
        event open when door == 0 && x == 30 && y == 28 { door = 1; }
        event toggle(i in 0..20) when door == 1 { on[i] = 1 - on[i]; }";
    assert_eq!(with_patience(Some(u64::MAX), late), (939, 1839));
    assert_eq!(with_patience(None, late), (939, 3936), "what was taken before the new beginning is counted, too");
}

#[test]
fn who_cannot_come_first_is_not_tried_first() {
    let of_text = |text: &str| {
        [Engine::Exhaustive, Engine::Stateful].map(|engine| counts_of_text(text, &[], engine, Options::default()))
    };
    // While one of two threads holds the mutex the other one cannot touch x, and three more have nothing to do with it.
    let mutex = "mutex m; shared x = 0, z[3] = 0;
        thread t(i in 0..2) { lock(m); x = x + 1; x = x * 2; unlock(m); }
        thread other(i in 0..3) { z[i] = 1; z[i] = 2; }";
    assert_eq!(of_text(mutex), [(648, 1944), (33, 33)]);
    // What a message does that is yet to be posted does not come before another one of its handler ends.
    let handler = "handler h any; shared x = 0, y = 0;
        thread s { post h, p(1); }
        thread q { y = 1; y = 2; post h, p(2); }
        message p(k) { x = x + k; x = x * 2; x = x + k; }";
    assert_eq!(of_text(handler), [(64, 94), (33, 32)]);
    // Without this optimisation 1029, 6796 and 3491 transitions.
    let of = |path| counts(path, &[], Engine::Stateful, false);
    assert_eq!(of("tests/papers/unfolding/example-1-producers-and-consumer.mz"), (149, 172));
    assert_eq!(of("tests/papers/unfolding/table-2-prodcons-2.mz"), (955, 1094));
    assert_eq!(of("examples/sdpor/block-compressor.mz"), (1324, 1518));
}

#[test]
fn threads_take_turns_and_messages_and_holders_of_mutexes_go_on() {
    let of = |path, n| counts(path, &[("N", n)], Engine::Stateful, false);
    // The messages of each server one after the other, and with that one server after the other.
    assert_eq!(of("examples/event-driven/database-cache.mz", 3), (250, 300));
    assert_eq!(of("examples/event-driven/database-cache.mz", 5), (416, 500), "26,336,093 with all actors in turn");
    assert_eq!(of("examples/event-driven/consensus.mz", 4), (397, 464), "345,158 with all actors in turn");
    // Without a mutex it does not pay to go on: the first would be served before the second one takes its ticket. The
    // same with a mutex that no other thread acquires.
    assert_eq!(of("examples/threads/ticket-lock.mz", 5), (2327, 2615), "8,092 if threads went on");
    let text = |text| counts_of_text(text, &[], Engine::Stateful, Options::default());
    let own = "mutex m[100], own[2]; shared x[100] = 0;
        thread t(i in 0..2) { lock(own[i]); for k in 0..100 { lock(m[k]); x[k] += 1; unlock(m[k]); } unlock(own[i]); }";
    assert_eq!(text(own), (1505, 1604));
    // Events take turns even where each of them posts a message.
    let posts = "shared lamp[16] = 0, busy[16] = 0; handler h[16];
        event press(i in 0..16) when busy[i] == 0 { busy[i] = 1; post h[i], toggle(i); }
        message toggle(i) { lamp[i] = 1 - lamp[i]; busy[i] = 0; }";
    assert_eq!(text(posts), (160, 160));
}

#[test]
fn no_actor_is_ignored_where_an_execution_was_cut() {
    // The first execution is cut on its way round the loop, to which a short way leads, too: a path by that way must
    // not rely on it.
    let text = "shared p = 0, x = 0; mutex m;
        thread t {
            lock(m);
            let c = choose(0..2);
            if (c == 0) { p = 1; } else { p = 5; }
            while (true) { atomic { p = p % 7 + 1; } }
        }
        thread v { x = 1; assert(false); }";
    let program = MzProgram::new(compile("cut.mz", text, &[]).expect("it compiles"));
    for (depth, plain) in (5..12).flat_map(|depth| [(depth, false), (depth, true)]) {
        let budget = Budget { depth: Some(depth), ..Budget::default() };
        let options = Options { all: true, plain, budget, ..Options::default() };
        let exploration = Check::new(&program).engine(Engine::Stateful).options(options).run().exploration;
        let verdict = exploration.verdict;
        assert!(matches!(verdict, Verdict::Violated | Verdict::Bounded { .. }), "{depth}, plain: {plain}: {verdict:?}");
    }
}

#[test]
fn an_execution_ends_where_every_actor_was_tried() {
    // Those who can move at 2 get there by one of twenty steps from 1, and to 1 by two of twenty from 0. Every actor
    // has moved after some forty thousand steps, most of them over known transitions.
    let crowd = "shared y = 0;
        event v(i in 0..58) when y == i % 3 { y = i; y >>= 1; }
        event u { y = 0; }";
    for plain in [false, true] {
        let options = Options { plain, ..Options::default() };
        assert_eq!(counts_of_text(crowd, &[], Engine::Stateful, options), (29, 87));
    }
}

#[test]
fn nothing_is_saved_where_nothing_is_that_is_settled() {
    // Most states of a home wait for their turn for long, and until then few are to be tried there.
    let home = source("examples/families/home-with-rooms.mz");
    let of = |patience| {
        let options = Options { patience, ..Options::default() };
        counts_of_text(&home, &[("M".to_owned(), 9)], Engine::Stateful, options)
    };
    for patience in [None, Some(0), Some(u64::MAX)] {
        assert_eq!(of(patience), (513, 7425));
    }
}

#[test]
fn where_more_mutexes_are_needed_than_are_remembered_nothing_is_lost() {
    let text = "const N = 150; mutex m[N]; shared x[N] = 0;
        thread t(i in 0..2) {
            for k in 0..N { lock(m[k]); x[k] = x[k] + 1; unlock(m[k]); }
            assert(x[N - 1] == 1);
        }";
    let program = MzProgram::new(compile("mutexes.mz", text, &[]).expect("it compiles"));
    let run = |engine| {
        let options = Options { all: true, threads: 1, ..Options::default() };
        let Exploration { violations, statistics, .. } =
            Check::new(&program).engine(engine).options(options).run().exploration;
        (violations.len(), statistics.get(Counter::Transitions))
    };
    assert_eq!(run(Engine::Exhaustive), (1, Some(720_008)));
    assert_eq!(run(Engine::Stateful), (1, Some(2410)), "as many as if nothing was remembered");
}
