//! What programs mean, construct by construct: small programs with all that can happen in them.

mod common;

use common::{all, enabled, ends, explore, finals, model, model_with, outcomes, tell, value, violations};
use mazurka_core::{ActorId, Ending, Insight, Narrator, Outcome, Step, System};
use mazurka_lang::{Identity, Model};

/// States and steps.
fn size(source: &str) -> (usize, usize) {
    let (_, explored) = all(source);
    (explored.states.len(), explored.steps)
}

fn names(model: &Model, actors: &[ActorId]) -> Vec<String> {
    actors.iter().map(|&actor| model.actor_name(actor)).collect()
}

mod accesses {
    use super::*;

    #[test]
    fn each_read_and_each_write_is_a_step() {
        assert_eq!(size("shared x; thread a { x = 1; }"), (2, 1));
        assert_eq!(size("shared x; thread a { let r = x; }"), (2, 1));
        assert_eq!(size("shared x; thread a { x = x + x; }"), (4, 3));
        assert_eq!(size("shared x; thread a { x += 1; }"), (3, 2));
        assert_eq!(size("shared x; thread a { x++; x--; }"), (5, 4));
        assert_eq!(size("thread a { let r = 1; let s = r + 2; assert(s == 3); }"), (1, 0));
    }

    #[test]
    fn an_update_is_not_atomic_and_an_atomic_operation_is() {
        assert_eq!(finals("shared x; thread a(i in 0..2) { x += 1; }", &["x"]), ["1", "2"]);
        assert_eq!(finals("shared x; thread a(i in 0..2) { fetch_add(x, 1); }", &["x"]), ["2"]);
        assert_eq!(finals("shared x; thread a(i in 0..2) { atomic { x += 1; } }", &["x"]), ["2"]);
    }

    #[test]
    fn compare_and_swap_tells_whether_it_swapped_and_the_others_the_old_value() {
        let source = "shared x = 3; shared a; shared b; shared c; shared d;
            thread t { a = cas(x, 3, 5); b = cas(x, 3, 7); c = swap(x, 9); d = fetch_add(x, -4); }";
        assert_eq!(finals(source, &["a", "b", "c", "d", "x"]), ["1 0 5 9 5"]);
    }

    #[test]
    fn a_compound_assignment_evaluates_its_index_once() {
        let source =
            "shared i; shared a[3] = [10, 20, 30]; thread t { a[fetch_add(i, 1)] += 5; a[i] *= 2; a[i + 1] -= i; }";
        assert_eq!(finals(source, &["i", "a[0]", "a[1]", "a[2]"]), ["1 15 40 29"]);
    }

    #[test]
    fn the_index_comes_before_the_value_and_the_old_value_before_the_new_one() {
        // The index is read as 0, then the value changes it.
        assert_eq!(
            finals("shared i; shared a[2]; thread t { a[i] = fetch_add(i, 1) + 7; }", &["a[0]", "a[1]", "i"]),
            ["7 0 1"]
        );
        // `x += …` reads x first.
        assert_eq!(finals("shared x = 1; thread t { x += fetch_add(x, 5); }", &["x"]), ["2"]);
        // Operands go from left to right, arguments too.
        assert_eq!(
            finals("shared x = 1; shared y; thread t { y = x * 10 + fetch_add(x, 1) * 100 + x * 1000; }", &["y"]),
            ["2110"]
        );
        assert_eq!(
            finals(
                "shared x = 1; shared y; def f(p, q) { return p * 10 + q; } thread t { y = f(fetch_add(x, 1), x); }",
                &["y"]
            ),
            ["12"]
        );
    }

    #[test]
    fn the_right_side_is_read_only_where_it_matters() {
        assert_eq!(size("shared x; shared y; thread t { let r = x && y; }"), (2, 1));
        assert_eq!(size("shared x; shared y; thread t { let r = x || y; }"), (3, 2));
        assert_eq!(
            finals(
                "shared x = 7; shared a; shared b; shared c; thread t { a = x && 5; b = x || 0; c = !x || false; }",
                &["a", "b", "c"]
            ),
            ["1 1 0"]
        );
    }

    #[test]
    fn a_conditional_evaluates_only_the_side_it_takes() {
        assert_eq!(size("shared x = 1; shared y; shared z; thread t { let r = x ? y : z; }"), (3, 2));
        assert_eq!(size("shared x; shared y; thread t { let r = x ? y : 5; }"), (2, 1));
        assert_eq!(finals("shared x; shared y; thread t { y = x == 0 ? 7 : 1 / x; }", &["y"]), ["7"]);
        assert!(violations("shared x; thread t { let r = x ? 1 / x : 0; }").is_empty());
        assert_eq!(violations("shared x; thread t { let r = x ? 0 : 1 / x; }"), ["1: division by zero"]);
        // The side that is taken is a step of its own: another actor may move before it.
        let source = "shared x = 1; shared y = 1; shared z; thread a { z = x ? y : 9; } thread b { x = 0; y = 2; }";
        assert_eq!(finals(source, &["z"]), ["1", "2", "9"]);
    }

    #[test]
    fn a_conditional_binds_loosest_and_groups_from_the_right() {
        let source = "shared a = 1; shared b; shared c; shared d; shared e;
            thread t { let r = 2; b = r == 2 || r ? 1 + 1 : 3 + 3; c = r == 1 ? 10 : r == 2 ? 20 : 30;
                d = r == 2 ? r == 3 ? 1 : 2 : 3; e = (r ? 0 : 1) + (a ? 4 : 8); }";
        assert_eq!(finals(source, &["b", "c", "d", "e"]), ["2 20 2 4"]);
        assert_eq!(
            finals(
                "const N = 4; const M = N > 3 ? N * 2 : 1 / 0; shared a[N ? 2 : 1]; thread t { a[1] = M; }",
                &["a[1]"]
            ),
            ["8"]
        );
    }

    #[test]
    fn operators_bind_as_people_expect() {
        let source = "shared a; shared b; shared c; shared d; shared e;
            thread t { a = 2 + 3 * 4 - 20 / 3 % 4; b = 1 << 3 | 5 & 6 ^ 1; c = -7 / 2; d = -7 % 3; e = 1 + 1 == 2 && 3 > 2 || 1 / 0; }";
        assert_eq!(finals(source, &["a", "b", "c", "d", "e"]), ["12 13 -3 -1 1"]);
        assert_eq!(
            finals(
                "shared a; thread t { let r = 2; a = 10 - r - 3; a = a * (r + 1) << 1; a ^= 0x2A; a >>= 1; }",
                &["a"]
            ),
            ["26"]
        );
    }

    #[test]
    fn constants_can_be_set_from_outside() {
        let source = "const N = 2; const M = N * 10; shared x; shared a[N]; thread t(i in 0..N) { atomic { x += M; } }";
        let run = |defines: &[(&str, i64)]| {
            let model = model_with(source, defines, Identity::Presence);
            let finals = explore(&model).final_values(&model, &["x"]);
            (finals, model.program().constants().to_vec())
        };
        assert_eq!(run(&[]).0, ["40"]);
        let (finals, constants) = run(&[("N", 3)]);
        assert_eq!(finals, ["90"]);
        assert_eq!(constants, [("N".to_owned(), 3), ("M".to_owned(), 30)]);
        assert_eq!(run(&[("N", 3), ("M", 1)]).0, ["3"]);
    }
}

mod assertions {
    use super::*;

    #[test]
    fn an_assertion_tells_what_was_read_there() {
        let source = "shared x;\nthread a { x = 1; x = 2; }\nthread b {\n    assert(x == 0);\n}";
        assert_eq!(violations(source), ["4: assertion failed: x == 0 {x=1}", "4: assertion failed: x == 0 {x=2}"]);
    }

    #[test]
    fn what_a_short_cut_left_unread_is_not_shown() {
        let source = "shared x = 1; shared y = 2; thread a { let r = 5; assert(x == 0 && y == r); }";
        assert_eq!(violations(source), ["1: assertion failed: x == 0 && y == r {x=1 r=5}"]);
        let source = "shared x = 1; shared y = 2; thread a { assert((x == 0 || y == 0) && x == 7, \"both\"); }";
        assert_eq!(violations(source), ["1: assertion failed: both {x=1 y=2}"]);
    }

    #[test]
    fn the_side_of_a_conditional_that_was_not_taken_is_not_shown() {
        let both = "shared x; shared y = 2; shared z = 3; thread a(i in 0..2) { assert((i ? y : z) == 5); }";
        assert_eq!(
            violations(both),
            ["1: assertion failed: (i ? y : z) == 5 {i=0 z=3}", "1: assertion failed: (i ? y : z) == 5 {i=1 y=2}"]
        );
        let inner = "shared x; shared y = 2; shared z = 3; thread a { assert(x ? y ? 0 : z : y == z); }";
        assert_eq!(violations(inner), ["1: assertion failed: x ? y ? 0 : z : y == z {x=0 y=2 z=3}"]);
    }

    #[test]
    fn array_elements_are_shown_with_their_index() {
        let source = "shared a[2] = [4, 5]; thread t { let i = 1; assert(a[i] == a[0]); }";
        assert_eq!(violations(source), ["1: assertion failed: a[i] == a[0] {i=1 a[i]=5 a[0]=4}"]);
    }

    #[test]
    fn a_failed_assertion_stops_its_thread_and_no_other() {
        let source = "shared x; thread a { assert(x == 1); x = 5; } thread b { x = 2; }";
        assert_eq!(finals(source, &["x"]), ["2"]);
        assert_eq!(ends(source), [1, 0, 0]);
    }

    #[test]
    fn what_is_wrong_before_anybody_moves_is_told() {
        let model = model("thread a { let r = 1;\n assert(r == 2); } shared x = 1; never x == 1;", Identity::Presence);
        let mut found = Vec::new();
        model.violations_at_start(&model.initial_states()[0], &mut found);
        let told: Vec<String> = found.iter().map(tell).collect();
        assert_eq!(told, ["2: assertion failed: r == 2 {r=1}", "2: invariant broken: never x == 1 {x=1}"]);
    }

    #[test]
    fn an_invariant_is_checked_after_each_step_that_changes_its_variables() {
        let source = "shared x; shared y;\nnever (x == 1 && y == 1);\nthread a { x = 1; x = 0; }\nthread b { y = 1; }";
        assert_eq!(violations(source), ["2: invariant broken: never (x == 1 && y == 1) {x=1 y=1}"]);
        // Within one step no other actor looks.
        assert!(
            violations("shared x; never x == 1; thread a { atomic { x = 1; x = 2; } } event e { x = 1; x = 3; }")
                .is_empty()
        );
    }

    #[test]
    fn an_invariant_may_call_a_function_that_stands_behind_it() {
        let source = "never sum() > 1;\nshared a[2];\ndef sum() { let s = 0; for i in 0..2 { s += a[i]; } return s; }\nthread t(i in 0..2) { a[i] = 1; }";
        assert_eq!(violations(source), ["1: invariant broken: never sum() > 1 {a[0]=1 a[1]=1}"]);
        assert_eq!(
            violations("shared x;\nnever 1 / x == 5;\nthread t { x = 1; }"),
            ["2: division by zero in an invariant"]
        );
    }
}

mod crashes {
    use super::*;

    fn crash(statements: &str) -> Vec<String> {
        violations(&format!(
            "shared x; shared a[2]; mutex m; cond c; def f() {{ }}\nthread p {{ let z = 0;\n{statements}\nx = 9; }}"
        ))
    }

    #[test]
    fn what_has_no_meaning_is_a_crash_at_its_place() {
        assert_eq!(crash("let r = 1 / z;"), ["3: division by zero"]);
        assert_eq!(crash("let r = 1 % z;"), ["3: division by zero"]);
        assert_eq!(crash("let r = 9223372036854775807 + (z + 1);"), ["3: arithmetic overflow"]);
        assert_eq!(crash("let r = -(z - 9223372036854775807 - 1);"), ["3: arithmetic overflow"]);
        assert_eq!(crash("let r = (z - 9223372036854775807 - 1) / (z - 1);"), ["3: arithmetic overflow"]);
        assert_eq!(crash("let r = 1 << z + 63;"), ["3: arithmetic overflow"]);
        assert_eq!(crash("let r = 1 << z - 1;"), ["3: shift by less than 0 or more than 63"]);
        assert_eq!(crash("let r = 1 >> z + 64;"), ["3: shift by less than 0 or more than 63"]);
        assert_eq!(crash("a[z + 2] = 1;"), ["3: index out of range"]);
        assert_eq!(crash("let r = a[z - 1];"), ["3: index out of range"]);
        assert_eq!(crash("unlock(m);"), ["3: unlock of a mutex that is not held"]);
        assert_eq!(crash("wait(c, m);"), ["3: wait with a mutex that is not held"]);
        assert_eq!(crash("let r = choose(z..0);"), ["3: choose from an empty range"]);
        assert_eq!(crash("let r = choose(5..z);"), ["3: choose from an empty range"]);
        assert_eq!(crash("let t = spawn f(); join t;\njoin t;"), ["4: join of a thread that was joined already"]);
        assert_eq!(crash("while (z == 0) { }"), ["3: a step that does not end (a loop within one step)"]);
        assert_eq!(crash("x = 9223372036854775807;\nfetch_add(x, 1);"), ["4: arithmetic overflow"]);
        assert_eq!(crash("\n\natomic {\n x = 1 / z; }"), ["6: division by zero"]);
    }

    #[test]
    fn a_crash_ends_its_actor_where_it_is() {
        assert_eq!(finals("shared x; thread t { x = 1; let r = 0; x = 1 / r; x = 3; }", &["x"]), ["1"]);
        assert_eq!(ends("shared x; thread t { x = 1; let r = 0; x = 1 / r; }"), [1, 0, 0]);
    }

    #[test]
    fn a_condition_that_crashes_is_a_crash_of_its_owner() {
        assert_eq!(violations("shared x;\nthread t {\n assume(1 / x == 1); }"), ["3: division by zero"]);
        assert_eq!(
            violations("shared x;\nthread a { x = 1; }\nevent e\n when 1 / x == 1 { }"),
            ["4: division by zero"]
        );
        assert_eq!(violations("shared x;\nthread t {\n atomic { assume(1 / x == 1); } }"), ["3: division by zero"]);
    }

    #[test]
    fn calls_may_be_nested_64_deep() {
        let source = |depth: i64| {
            format!(
                "shared x;\ndef f(n) {{ if (n <= 1) {{ return 1; }}\n return 1 + f(n - 1); }}\nthread t {{ x = f({depth}); }}"
            )
        };
        assert!(violations(&source(64)).is_empty());
        assert_eq!(finals(&source(64), &["x"]), ["64"]);
        assert_eq!(violations(&source(65)), ["3: calls nested more than 64 deep"]);
        let guard = |depth: i64| {
            format!(
                "shared x;\ndef f(n) {{ if (n <= 1) {{ return 1; }} return f(n - 1); }}\nthread t {{\n assume(f({depth})); x = 1; }}"
            )
        };
        assert_eq!(finals(&guard(64), &["x"]), ["1"]);
        assert_eq!(violations(&guard(65)), ["4: calls nested more than 64 deep"]);
    }

    #[test]
    fn deep_calls_with_many_locals_keep_their_values() {
        let locals: String = (0..300).map(|i| format!("let v{i} = n + {i}; ")).collect();
        let source = format!(
            "shared x; def f(n) {{ {locals} let r = x; if (n > 1) {{ r = f(n - 1); }} assert(v299 == n + 299); return r + v0; }} thread t {{ x = f(64); }}"
        );
        assert_eq!(finals(&source, &["x"]), [(64 * 65 / 2).to_string()]);
    }

    #[test]
    fn a_step_that_creates_without_end_is_stopped() {
        let source = "handler h; message m() { } thread t {\n atomic { while (true) { post h, m(); } } }";
        let model = model(source, Identity::Presence);
        let taken = outcomes(&model, &model.initial_states()[0], ActorId(0));
        let told: Vec<String> = taken[0].violations.iter().map(tell).collect();
        assert_eq!(told, ["2: a step that does not end (a loop within one step)"]);
    }
}

mod locks {
    use super::*;

    #[test]
    fn a_mutex_keeps_others_out() {
        let source = "shared x; mutex m; thread a(i in 0..2) { lock(m); x += 1; unlock(m); }";
        assert_eq!(finals(source, &["x", "m"]), ["2 free"]);
        assert_eq!(ends(source), [1, 0, 0]);
    }

    #[test]
    fn two_mutexes_in_two_orders_are_a_deadlock() {
        let source = "mutex m; mutex n;\nthread a { lock(m); lock(n); unlock(n); unlock(m); }\nthread b { lock(n); lock(m); unlock(m); unlock(n); }";
        let (_, explored) = all(source);
        assert_eq!(explored.ends(), [1, 0, 1]);
        assert_eq!(explored.deadlocks(), ["2: deadlock: a waits for n held by b; b waits for m held by a"]);
    }

    #[test]
    fn a_mutex_is_not_reentrant_and_stays_locked_when_its_holder_ends() {
        let (_, explored) = all("mutex m; thread a { lock(m); lock(m); }");
        assert_eq!(explored.deadlocks(), ["1: deadlock: a waits for m held by itself"]);
        let (_, explored) = all("mutex m; thread a(i in 0..2) { lock(m); }");
        assert_eq!(
            explored.deadlocks(),
            [
                "1: deadlock: a[0] waits for m held by a[1], which has ended",
                "1: deadlock: a[1] waits for m held by a[0], which has ended",
            ]
        );
        let (_, explored) = all("mutex m; def f() { lock(m); } thread a { let t = spawn f(); join t; lock(m); }");
        assert_eq!(explored.deadlocks(), ["1: deadlock: a waits for m held by an actor that has ended"]);
    }

    #[test]
    fn only_the_holder_unlocks() {
        let source = "mutex m; thread a { lock(m); }\nthread b { unlock(m); }";
        assert_eq!(violations(source), ["2: unlock of a mutex that is not held"]);
    }

    #[test]
    fn waiting_for_a_thread_that_a_violation_stopped_is_no_deadlock() {
        let source = "mutex m; thread a { lock(m); assert(false); } thread b { lock(m); unlock(m); }";
        let (_, explored) = all(source);
        // Either b was first, or it waits for ever for a thread that has failed.
        assert_eq!(explored.ends(), [1, 1, 0]);
    }
}

mod conditions {
    use super::*;

    #[test]
    fn a_signal_that_no_thread_waits_for_is_lost() {
        let source = "mutex m; cond c;\nthread a { lock(m); wait(c, m); unlock(m); }\nthread b { signal(c); }";
        let (_, explored) = all(source);
        assert_eq!(explored.ends(), [1, 0, 1]);
        assert_eq!(explored.deadlocks(), ["2: deadlock: a waits for a signal on c"]);
    }

    #[test]
    fn a_signal_wakes_any_one_of_the_waiters() {
        let source = "shared woken; mutex m; cond c; thread a(i in 0..3) { lock(m); wait(c, m); woken = i + 1; unlock(m); } thread b { assume(false); }";
        let model = model(source, Identity::Presence);
        let mut state = model.initial_states().remove(0);
        for actor in [0, 0, 1, 1, 2, 2] {
            state = outcomes(&model, &state, ActorId(actor)).remove(0).after;
        }
        assert!(enabled(&model, &state).is_empty());
        let source = source.replace("assume(false)", "signal(c)");
        let model = super::model(&source, Identity::Presence);
        let mut state = model.initial_states().remove(0);
        for actor in [0, 0, 1, 1, 2, 2] {
            state = outcomes(&model, &state, ActorId(actor)).remove(0).after;
        }
        let woken: Vec<Vec<String>> = outcomes(&model, &state, ActorId(3))
            .iter()
            .map(|taken| names(&model, &enabled(&model, &taken.after)))
            .collect();
        assert_eq!(woken, [["a[0]"], ["a[1]"], ["a[2]"]]);
        assert_eq!(model.describe(&state, ActorId(3), Outcome(1)).text, "signal(c) (wakes a[1])");
    }

    #[test]
    fn a_broadcast_wakes_all_waiters_and_the_mutex_lets_them_go_on_one_by_one() {
        let source = "shared n; mutex m; cond c; thread a(i in 0..2) { lock(m); n += 1; wait(c, m); n -= 1; unlock(m); } thread b { assume(n == 2); lock(m); broadcast(c); unlock(m); }";
        assert_eq!(finals(source, &["n"]), ["0"]);
        assert_eq!(ends(source), [1, 0, 0]);
    }

    #[test]
    fn condition_variables_of_an_array_are_apart() {
        let source =
            "mutex m; cond c[2]; thread a(i in 0..2) { lock(m); wait(c[i], m); unlock(m); } thread b { signal(c[1]); }";
        let (_, explored) = all(source);
        assert_eq!(
            explored.deadlocks(),
            [
                "1: deadlock: a[0] waits for a signal on c[0]",
                "1: deadlock: a[0] waits for a signal on c[0]; a[1] waits for a signal on c[1]"
            ]
        );
    }
}

mod threads {
    use super::*;

    #[test]
    fn a_join_waits_for_the_end() {
        assert_eq!(
            finals(
                "shared x; shared y; def f(v) { x = v; } thread a { let t = spawn f(3); join t; y = x; }",
                &["x", "y"]
            ),
            ["3 3"]
        );
        assert_eq!(
            finals("shared x; shared y; def f(v) { x = v; } thread a { let t = spawn f(3); y = x; }", &["x", "y"]),
            ["3 0", "3 3"]
        );
    }

    #[test]
    fn an_ended_thread_that_was_joined_or_detached_leaves_nothing_behind() {
        let joined = "shared x; def f() { x = 1; } thread a { while (true) { let t = spawn f(); join t; } }";
        let detached = "shared x; def f() { x = 1; } thread a { while (true) { spawn f(); assume(x == 1); x = 0; } }";
        let overwritten = "shared x; def f() { x = 1; } thread a { let t = spawn f(); while (true) { assume(x == 1); x = 0; t = spawn f(); } }";
        let out_of_scope =
            "shared x; def f() { x = 1; } thread a { while (true) { let t = spawn f(); assume(x == 1); x = 0; } }";
        let left_by_continue = "shared x; def f() { x = 1; } thread a { while (true) { let t = spawn f(); assume(x == 1); x = 0; continue; } }";
        let of_a_function = "shared x; def f() { x = 1; } def g() { let t = spawn f(); return 1; } thread a { while (g()) { assume(x == 1); x = 0; } }";
        // Each round comes back to where it began.
        assert_eq!(size(joined), (5, 5));
        assert_eq!(size(detached), size(out_of_scope));
        assert_eq!(size(detached), size(left_by_continue));
        assert_eq!(size(detached), size(of_a_function));
        assert_eq!(size(detached), (4, 4));
        assert_eq!(size(overwritten), (5, 5));
    }

    #[test]
    fn a_handle_names_the_thread_that_was_spawned_last() {
        let source = "shared x; shared y; def f(v) { assume(x == v); y += v; } thread a { let t = spawn f(7); t = spawn f(0); join t; assert(y == 0); x = 7; }";
        assert!(violations(source).is_empty());
        assert_eq!(finals(source, &["y"]), ["7"]);
        assert_eq!(ends(source), [1, 0, 0]);
    }

    #[test]
    fn a_thread_that_waits_for_its_child_for_ever_is_deadlocked() {
        let source = "mutex m; def f() { lock(m); lock(m); }\nthread a { let t = spawn f(); join t; }";
        let (_, explored) = all(source);
        assert_eq!(explored.deadlocks(), ["2: deadlock: a waits for f to end; f waits for m held by itself"]);
    }

    #[test]
    fn a_function_that_is_spawned_may_return_early() {
        assert_eq!(
            finals(
                "shared x; def f(v) { if (v == 0) { return; } x = v; return 5; } thread a { spawn f(0); let t = spawn f(2); join t; }",
                &["x"]
            ),
            ["2"]
        );
    }

    #[test]
    fn names_by_history_count_what_an_actor_made() {
        let source = "shared x; handler h; message m() { x = 1; } def f() { post h, m(); x = 2; } thread a { post h, m(); spawn f(); post h, m(); }";
        let model = model(source, Identity::History);
        let mut state = model.initial_states().remove(0);
        for _ in 0..3 {
            state = outcomes(&model, &state, ActorId(0)).remove(0).after;
        }
        assert_eq!(names(&model, &enabled(&model, &state)), ["a/f.2", "a/m.1"]);
        let thread = enabled(&model, &state)[0];
        state = outcomes(&model, &state, thread).remove(0).after;
        assert_eq!(value(&model, &state, "h"), "[m, m, m]");
        let first = enabled(&model, &state)[1];
        state = outcomes(&model, &state, first).remove(0).after;
        state = outcomes(&model, &state, first).remove(0).after;
        assert_eq!(names(&model, &enabled(&model, &state)), ["a/f.2", "a/m.3"]);
    }

    #[test]
    fn an_event_that_happens_again_makes_other_actors() {
        let source =
            "shared n; shared x; handler h any; message m(v) { x = v; } event e when n < 2 { n += 1; post h, m(n); }";
        let model = model(source, Identity::History);
        let mut state = model.initial_states().remove(0);
        for _ in 0..2 {
            state = outcomes(&model, &state, ActorId(0)).remove(0).after;
        }
        let mut actors = names(&model, &enabled(&model, &state));
        actors.sort();
        assert_eq!(actors, ["e/m.1", "e/m.2"]);
    }
}

mod messages {
    use super::*;

    #[test]
    fn fifo_is_in_order_of_arrival_and_any_is_not() {
        let source = "shared x; handler h; message m(v) { x = x * 10 + v; } thread a { post h, m(1); post h, m(2); post h, m(3); }";
        assert_eq!(finals(source, &["x"]), ["123"]);
        let any = source.replace("handler h", "handler h any");
        assert_eq!(finals(&any, &["x"]), ["123", "132", "213", "231", "312", "321"]);
        let fifo = source.replace("handler h", "handler h fifo");
        assert_eq!(finals(&fifo, &["x"]), ["123"]);
    }

    #[test]
    fn two_posters_to_one_fifo_handler_are_interleaved() {
        let source = "shared x; handler h; message m(v) { x = x * 10 + v; } thread a { post h, m(1); post h, m(2); } thread b { post h, m(3); }";
        assert_eq!(finals(source, &["x"]), ["123", "132", "312"]);
    }

    #[test]
    fn a_handler_runs_one_message_at_a_time_but_threads_come_between() {
        let source = "shared x; handler h any; message m(v) { x += v; } thread a { post h, m(1); post h, m(2); }";
        assert_eq!(finals(source, &["x"]), ["3"]);
        let two = "shared x; handler h[2] any; message m(v) { x += v; } thread a { post h[0], m(1); post h[1], m(2); }";
        assert_eq!(finals(two, &["x"]), ["1", "2", "3"]);
    }

    #[test]
    fn messages_post_messages() {
        let source = "shared x; handler h; message m(v) { x = x * 10 + v; if (v < 3) { post h, m(v + 1); } } thread a { post h, m(1); }";
        assert_eq!(finals(source, &["x", "h"]), ["123 []"]);
    }

    #[test]
    fn the_beginning_of_a_message_is_a_step() {
        // Post, begin, write; begin and end in one for a message without a visible operation.
        assert_eq!(size("shared x; handler h; message m() { x = 1; } thread a { post h, m(); }"), (4, 3));
        assert_eq!(size("handler h; message m() { } thread a { post h, m(); }"), (3, 2));
    }

    #[test]
    fn equal_messages_are_one_actor_by_presence() {
        let source = "shared x; handler h any; message m() { x += 1; } thread a { post h, m(); post h, m(); }";
        let model = model(source, Identity::Presence);
        let mut state = model.initial_states().remove(0);
        for _ in 0..2 {
            state = outcomes(&model, &state, ActorId(0)).remove(0).after;
        }
        assert_eq!(names(&model, &enabled(&model, &state)), ["h:m"]);
        let history = super::model(source, Identity::History);
        let mut state = history.initial_states().remove(0);
        for _ in 0..2 {
            state = outcomes(&history, &state, ActorId(0)).remove(0).after;
        }
        let mut actors = names(&history, &enabled(&history, &state));
        actors.sort();
        assert_eq!(actors, ["a/m.1", "a/m.2"]);
    }

    #[test]
    fn an_idle_handler_is_not_stuck_but_a_message_that_waits_is() {
        assert_eq!(ends("handler h; thread a { }"), [1, 0, 0]);
        let (_, explored) =
            all("mutex m; handler h; message n() { lock(m); lock(m); } thread a { post h, n(); post h, n(); }");
        assert_eq!(explored.deadlocks(), ["1: deadlock: n on h waits for m held by itself"]);
    }

    #[test]
    fn a_message_that_fails_frees_its_handler() {
        let source = "shared x; handler h; message bad() { assert(x == 1); } message good() { x = 5; } thread a { post h, bad(); post h, good(); }";
        assert_eq!(violations(source), ["1: assertion failed: x == 1 {x=0}"]);
        assert_eq!(finals(source, &["x"]), ["5"]);
    }
}

mod events {
    use super::*;

    #[test]
    fn an_event_is_one_step_and_happens_again_while_its_guard_holds() {
        assert_eq!(size("shared x; event e when x < 3 { x += 1; }"), (4, 3));
        assert_eq!(size("shared x; shared y; event e { let r = x; y = r; x = 1 - r; }"), (3, 3));
    }

    #[test]
    fn events_are_switched_on_and_off() {
        let source = "shared x; event a { x = 1; disable a; enable b; } event b disabled { x = 2; disable b; }";
        let (model, explored) = all(source);
        assert_eq!(explored.states.len(), 3);
        assert_eq!(explored.final_values(&model, &["x", "a", "b"]), ["2 disabled disabled"]);
        assert_eq!(explored.ends(), [1, 0, 0]);
    }

    #[test]
    fn a_family_has_a_member_for_each_value() {
        let source = "shared x; event e(i in 5..8) when x < i { x = i; disable e[i]; enable e[i - x + 5]; } thread t { disable e[6]; }";
        let model = model(source, Identity::Presence);
        let start = model.initial_states().remove(0);
        assert_eq!(names(&model, &enabled(&model, &start)), ["t", "e[5]", "e[6]", "e[7]"]);
        let after = outcomes(&model, &start, ActorId(0)).remove(0).after;
        assert_eq!(names(&model, &enabled(&model, &after)), ["e[5]", "e[7]"]);
        assert_eq!(model.actor_name(ActorId(3)), "e[7]");
    }

    #[test]
    fn an_event_may_return_early_and_choose() {
        let source =
            "shared x; shared n; event e when n == 0 { n = 1; x = choose(3..6); if (x == 4) { return; } x += 10; }";
        assert_eq!(finals(source, &["x"]), ["13", "15", "4"]);
    }

    #[test]
    fn an_event_that_fails_leaves_what_it_did_and_may_happen_again() {
        let source = "shared x; event e when x < 2 { x += 1; assert(x == 0); x = 9; }";
        assert_eq!(violations(source), ["1: assertion failed: x == 0 {x=1}", "1: assertion failed: x == 0 {x=2}"]);
        assert_eq!(finals(source, &["x"]), ["2"]);
    }
}

mod enums {
    use super::*;

    #[test]
    fn names_are_constants_that_count_up() {
        let source = "enum colour { red, green, blue = 7, black, } enum other { first = blue * 2, second };
            shared a; shared b; shared c[black]; thread t { a = red * 100 + green * 10 + blue; b = black * 100 + second; switch (b) { case red: break; default: c[green] = 1; } }";
        assert_eq!(finals(source, &["a", "b", "c[1]"]), ["17 815 1"]);
    }

    #[test]
    fn values_are_shown_by_name_where_a_variable_says_so() {
        let source = "enum light { red, green, amber = green } shared east: light = green, all[2]: light, plain = 1;
            never all[0] == 5; thread t { all[1] = 7; all[0] = 5; }";
        let (model, explored) = all(source);
        let start = &model.initial_states()[0];
        assert_eq!(
            ["east", "all[0]", "all[1]", "plain"].map(|name| value(&model, start, name)),
            ["green", "red", "red", "1"]
        );
        // A value without a name is a number, and of two names the first is shown.
        assert_eq!(explored.final_values(&model, &["all[1]"]), ["7"]);
        assert_eq!(explored.told(), ["2: invariant broken: never all[0] == 5 {all[0]=5}"]);
    }

    #[test]
    fn assertions_and_steps_show_names() {
        let source = "enum light { red, green } shared east: light = green; shared n = 1;
            thread t { let seen: light = east; let other = east; let two[2]: light = [red, 9]; assert(seen == n && other == two[n]); }";
        let text = "seen == n && other == two[n]";
        assert_eq!(
            violations(source),
            [format!("2: assertion failed: {text} {{seen=green n=1 other=1 n=1 two[n]=9}}")]
        );
        let model = model(source, Identity::Presence);
        let described = model.describe(&model.initial_states()[0], ActorId(0), Outcome::FIRST);
        assert_eq!(described.text, "let seen: light = east (green)");
    }
}

mod local_arrays {
    use super::*;

    #[test]
    fn elements_are_read_and_written_in_no_step_of_their_own() {
        assert_eq!(
            size("thread t { let a[3] = [1, 2, 3]; let i = 0; a[i] += a[i + 1]; assert(a[0] == 3 && a[2] == 3); }"),
            (1, 0)
        );
        let source = "shared x; thread t { let a[4] = 0; for i in 0..4 { a[i] = i * i; } a[1] *= 7; a[3] -= 2; for i in 0..4 { x = x * 10 + a[i]; } }";
        assert_eq!(finals(source, &["x"]), ["747"]);
        assert_eq!(finals("shared x; thread t { let a[2]; let i = 1; a[i]++; x = a[0] * 10 + a[1]; }", &["x"]), ["1"]);
    }

    #[test]
    fn a_value_for_all_elements_is_evaluated_once_and_values_for_each_from_left_to_right() {
        assert_eq!(size("shared x = 5; thread t { let a[3] = x; assert(a[0] + a[1] + a[2] == 15); }"), (2, 1));
        let each = "shared x = 5; shared y; thread t { let a[3] = [fetch_add(x, 1), fetch_add(x, 1), x]; y = a[0] * 100 + a[1] * 10 + a[2]; }";
        assert_eq!(finals(each, &["y"]), ["567"]);
    }

    #[test]
    fn an_array_starts_afresh_where_it_is_defined() {
        let source = "shared x; thread t { for i in 0..3 { let a[2] = 0; a[i % 2] += 1; x = x * 10 + a[0] + a[1]; } }";
        assert_eq!(finals(source, &["x"]), ["111"]);
        // Each call and each thread has its own.
        let source = "shared x; def f(n) { let a[2] = n; if (n > 0) { f(n - 1); } a[n % 2] += 1; return a[n % 2]; }
            thread t(i in 0..2) { atomic { x += f(3); } }";
        assert_eq!(finals(source, &["x"]), ["8"]);
    }

    #[test]
    fn an_index_out_of_range_is_a_crash_with_its_place() {
        let source = "shared x = 3;\nthread t {\n    let a[3] = 0;\n    let i = x;\n    a[i] = 1;\n}";
        assert_eq!(violations(source), ["5: index out of range"]);
        let source = "shared x = 3;\nthread t {\n    let a[3] = 0;\n    x =\n        a[0 - x];\n}";
        assert_eq!(violations(source), ["4: index out of range"]);
        assert_eq!(
            violations("shared x; thread t { let a[1] = 0; assume(a[x + 1] == 0); }"),
            ["1: index out of range"]
        );
        // The index comes before the value, as it does in a shared array.
        let source = "shared i = 2; shared x; thread t { let a[2] = 0; a[i] = fetch_add(x, 1); }";
        assert_eq!(finals(source, &["x"]), ["0"]);
    }

    #[test]
    fn an_assertion_shows_elements_with_their_index() {
        let source = "shared x = 1; thread t { let a[2] = [4, 5]; assert(a[x] == a[0]); }";
        assert_eq!(violations(source), ["1: assertion failed: a[x] == a[0] {x=1 a[x]=5 a[0]=4}"]);
    }

    #[test]
    fn elements_that_are_not_read_again_do_not_split_states() {
        // What was chosen is forgotten as soon as nothing reads it.
        let dead = "shared x; thread t { let a[2] = 0; a[choose(0..2)] = choose(0..2); x = 1; x = 2; }";
        let (_, explored) = all(dead);
        // The choices have two outcomes each, and behind the second one nothing is left of them.
        assert_eq!(explored.states.len(), 1 + 2 + 1 + 2);
        let live = "shared x; thread t { let a[2] = 0; a[choose(0..2)] = choose(0..2); x = 1; x = a[0] * 2 + a[1]; }";
        assert_eq!(finals(live, &["x"]), ["0", "1", "2"]);
        assert_eq!(all(live).1.states.len(), 1 + 2 + 3 + 3 + 3);
    }
}

mod control {
    use super::*;

    #[test]
    fn loops_break_and_continue() {
        let source = "shared x; thread t { for i in 0..10 { if (i % 2 == 0) { continue; } if (i > 6) { break; } x = x * 10 + i; } }";
        assert_eq!(finals(source, &["x"]), ["135"]);
        assert_eq!(
            finals(
                "shared x; thread t { let i = 0; while (true) { i += 1; if (i == 3) { continue; } if (i > 4) { break; } x = x * 10 + i; } }",
                &["x"]
            ),
            ["124"]
        );
        assert_eq!(finals("shared x; thread t { for i in 3..3 { x = 1; } for i in 5..2 { x = 2; } }", &["x"]), ["0"]);
        assert_eq!(finals("shared n = 2; shared x; thread t { for i in 0..n { n = 5; x += 1; } }", &["x"]), ["2"]);
    }

    #[test]
    fn a_do_loop_runs_once_at_least() {
        assert_eq!(finals("shared x; thread t { do { x += 1; } while (false); }", &["x"]), ["1"]);
        assert_eq!(finals("shared x; thread t { do { x += 1; } while (x < 3); }", &["x"]), ["3"]);
        // `continue` goes to the condition.
        let source = "shared x; thread t { let i = 0; do { i += 1; if (i == 2) { continue; } if (i > 4) { break; } x = x * 10 + i; } while (i < 9); }";
        assert_eq!(finals(source, &["x"]), ["134"]);
        assert_eq!(
            finals("shared x; thread t { let i = 0; do { i += 1; continue; } while (i < 2); x = i; }", &["x"]),
            ["2"]
        );
        // Each look at the condition is a step.
        assert_eq!(size("shared x; thread t { do { } while (x); }"), (2, 1));
        assert_eq!(size("shared x = 1; thread t { do { } while (x); }"), (1, 1));
        // A block of its own in every round.
        assert_eq!(
            finals("shared x; thread t { let i = 0; do { let r = i; i += 1; x += r; } while (i < 4); }", &["x"]),
            ["6"]
        );
    }

    #[test]
    fn a_loop_with_a_start_a_condition_and_a_next() {
        assert_eq!(
            finals("shared x; thread t { for (let i = 0; i < 4; i += 1) { x = x * 10 + i; } }", &["x"]),
            ["123"]
        );
        assert_eq!(
            finals("shared x; thread t { for (let i = 9; i > 0; i -= 4) { x = x * 10 + i; } }", &["x"]),
            ["951"]
        );
        // `continue` goes to what comes after each round.
        let source = "shared x; thread t { for (let i = 0; i < 10; i++) { if (i % 2 == 0) { continue; } if (i > 6) { break; } x = x * 10 + i; } }";
        assert_eq!(finals(source, &["x"]), ["135"]);
        // Any part may be absent, and any assignment or call may stand there.
        let source =
            "shared x; def f() { x += 1; } thread t { let i = 0; for (f(); ; f()) { i++; if (i == 3) { break; } } }";
        assert_eq!(finals(source, &["x"]), ["3"]);
        assert_eq!(finals("shared x; thread t { for (fetch_add(x, 5); x < 8; fetch_add(x, 1)) { } }", &["x"]), ["8"]);
        assert_eq!(finals("shared x; thread t { for (x = 2; x < 9; x *= 2) { } }", &["x"]), ["16"]);
        assert_eq!(finals("shared x; thread t { for (;;) { x += 1; if (x == 2) { return; } } }", &["x"]), ["2"]);
        // The condition is evaluated before each round, unlike the end of a range.
        assert_eq!(size("shared n = 2; thread t { for (let i = 0; i < n; i += 1) { } }"), (4, 3));
        assert_eq!(size("shared n = 2; thread t { for i in 0..n { } }"), (2, 1));
    }

    #[test]
    fn a_loop_that_counts_to_a_constant_is_known_to_end() {
        let ends = |source: &str| model(source, Identity::History).traits().terminates;
        assert!(ends("shared x; const N = 3; thread t { for (let i = 0; i <= N; i += 2) { x = i; } }"));
        assert!(!ends("shared x; thread t { for (let i = 0; i < x; i += 1) { x = i; } }"));
        assert!(!ends("shared x; thread t { for (let i = 0; i < 3; i += 1) { if (x) { i = 0; } } }"));
        assert!(!ends("shared x; thread t { for (let i = 0; i < 3; i += 1) { for (; x; i = 0) { } } }"));
        assert!(!ends("shared x; thread t { for (let i = 0; i < 3; i += 1) { switch (x) { case 1: i -= 1; } } }"));
        assert!(!ends("shared x; thread t { for (let i = 0; i < 3; ) { x = 1; } }"));
        assert!(!ends("shared x; thread t { for (x = 0; x < 3; x += 1) { } }"));
        assert!(!ends("shared x; thread t { do { x = 1; } while (x); }"));
    }

    #[test]
    fn a_switch_goes_to_the_case_with_its_value_and_to_no_other() {
        let run = |value: i64| {
            let source = format!(
                "const TWO = 2; shared x = {value}; shared y;
                thread t {{ switch (x) {{ case 1: y = 10; break; case TWO: case -3: y = 20; break; default: y = 30; break; case 7: y = 40; }} y += 1; }}"
            );
            finals(&source, &["y"]).join(" ")
        };
        assert_eq!([1, 2, -3, 7, 0].map(run), ["11", "21", "21", "41", "31"]);
        // Without a `default` a value that no case has does nothing.
        assert_eq!(finals("shared x = 5; thread t { switch (x) { case 1: x = 9; } }", &["x"]), ["5"]);
        assert_eq!(size("shared x = 5; thread t { switch (x) { } }"), (2, 1));
        // The value is read once.
        assert_eq!(
            size("shared x = 5; thread t { switch (x) { case 1: break; case 2: break; case 5: break; } }"),
            (2, 1)
        );
    }

    #[test]
    fn break_leaves_the_switch_and_continue_the_round_of_the_loop() {
        let source = "shared x; thread t { for i in 0..6 {
            switch (i % 3) { case 0: continue; case 1: x = x * 10 + 1; break; default: if (i > 3) { x = x * 10 + 7; return; } else { break; } }
            x = x * 10 + 5; } }";
        // 1: 1 5, 2: 5, 4: 1 5, 5: 7.
        assert_eq!(finals(source, &["x"]), ["155157"]);
        // A loop within a case is left by its own `break`.
        let source = "shared x; thread t { switch (1) { case 1: while (true) { x += 1; if (x == 3) { break; } } x += 10; break; default: } x += 100; }";
        assert_eq!(finals(source, &["x"]), ["113"]);
        // Out of an atomic block, and with a thread handle that goes out of scope.
        assert_eq!(
            size("shared x; thread t { switch (1) { case 1: atomic { x = 1; break; } default: } x = 2; x = 3; }"),
            (4, 3)
        );
        let source = "shared x; def f() { x = 1; } thread t { switch (1) { case 1: let h = spawn f(); break; default: } x = 2; }";
        assert_eq!(ends(source), [2, 0, 0]);
    }

    #[test]
    fn the_condition_of_a_do_loop_is_told_with_its_line() {
        let model = model("shared x = 1;\nthread t {\n    do {\n    } while (x);\n}", Identity::Presence);
        let state = model.initial_states().remove(0);
        let description = model.describe(&state, ActorId(0), Outcome::FIRST);
        assert_eq!((description.text.as_str(), description.location.map(|at| at.line)), ("read x (1)", Some(4)));
        assert_eq!(
            violations("shared x;\nthread t {\n    do {\n        x = 0;\n    } while (1 / x);\n}"),
            ["5: division by zero"]
        );
    }

    #[test]
    fn break_continue_and_return_leave_atomic_blocks() {
        let source = "shared x; thread t { for i in 0..3 { atomic { if (i == 1) { continue; } x += 1; } x += 10; } }";
        assert_eq!(finals(source, &["x"]), ["22"]);
        // Behind the block the accesses are steps of their own again.
        assert_eq!(size("shared x; thread t { while (true) { atomic { x = 1; break; } } x = 2; x = 3; }"), (4, 3));
        assert_eq!(
            size("shared x; def f() { atomic { atomic { x = 1; return 1; } } } thread t { f(); x = 2; x = 3; }"),
            (4, 3)
        );
        assert_eq!(size("shared x; thread t { atomic { x = 1; return; } }"), (2, 1));
    }

    #[test]
    fn an_atomic_block_may_wait_at_its_beginning() {
        let source = "shared x; shared y; thread a { atomic { assume(x == 1); x = 5; y = x; } } thread b { x = 1; } thread c { let r = x; assert(r == 0 || y == r || r == 1); }";
        assert!(violations(source).is_empty());
        assert_eq!(ends("shared x; thread a { atomic { assume(x == 1); x = 5; } }"), [0, 1, 0]);
    }

    #[test]
    fn every_value_of_a_choice_is_explored() {
        assert_eq!(finals("shared x; thread t { x = choose(-1..2); }", &["x"]), ["-1", "0", "1"]);
        assert_eq!(
            finals(
                "shared x; shared y; thread t { atomic { x = choose(0..2); if (x == 1) { y = choose(5..7); } } }",
                &["x", "y"]
            ),
            ["0 0", "1 5", "1 6"]
        );
        assert_eq!(
            size("shared x; thread t { let a = choose(0..2); let b = choose(0..2); x = a + b; }").0,
            1 + 2 + 3 + 3
        );
    }

    #[test]
    fn a_choice_may_be_as_wide_as_a_number() {
        let model =
            model("shared x; thread t { x = choose(-9223372036854775808..9223372036854775807); }", Identity::Presence);
        let mut state = model.initial_states().remove(0);
        let mut step = Step::default();
        step.begin(Outcome(u64::MAX - 1));
        model.step(&mut state, ActorId(0), &mut step);
        assert!(step.violations().is_empty());
        let after = outcomes(&model, &state, ActorId(0)).remove(0).after;
        assert_eq!(value(&model, &after, "x"), "9223372036854775806");
    }

    #[test]
    fn functions_have_their_own_locals_and_give_zero_without_a_return() {
        assert_eq!(
            finals(
                "shared x; shared y = 1; def f(v) { v += 1; let w = v; } def g(v) { let w = 5; return v + w; } thread t { let w = 2; y = f(w); x = g(w) + w; }",
                &["x", "y"]
            ),
            ["9 0"]
        );
    }

    #[test]
    fn an_assumption_that_stays_false_blocks_and_is_no_deadlock() {
        let source =
            "shared x; mutex m; thread a { lock(m); assume(x == 1); unlock(m); } thread b { lock(m); unlock(m); }";
        // b first, or b behind a: both end with the assumption.
        assert_eq!(ends(source), [0, 2, 0]);
        // A real deadlock stays one, whichever other actor is blocked.
        let source = "mutex m; thread a { lock(m); lock(m); } thread b { assume(false); }";
        assert_eq!(all(source).1.deadlocks(), ["1: deadlock: a waits for m held by itself"]);
    }

    #[test]
    fn the_sender_of_a_signal_may_be_blocked_by_an_assumption() {
        let source =
            "mutex m; cond c; thread a { lock(m); wait(c, m); unlock(m); } thread b { assume(false); signal(c); }";
        assert_eq!(ends(source), [0, 1, 0]);
        let source =
            "mutex m; cond c; thread a { lock(m); wait(c, m); unlock(m); } thread b { assert(false); signal(c); }";
        assert_eq!(ends(source), [0, 1, 0]);
    }

    #[test]
    fn nothing_left_to_do_is_the_end() {
        let model = model("shared x; thread t { x = 1; }", Identity::Presence);
        let end = outcomes(&model, &model.initial_states()[0], ActorId(0)).remove(0).after;
        assert!(enabled(&model, &end).is_empty());
        assert_eq!(model.ending(&end), Ending::Finished);
    }
}

mod liveness {
    use super::*;

    #[test]
    fn a_dead_local_does_not_split_states() {
        // What was read is never looked at again: reading 0 or 1 leads to one state.
        let source = "shared x; shared y; thread a { let r = x; y = 1; y = 2; } thread b { x = 1; }";
        assert_eq!(size(source).0, 2 * 4);
        // A temporary of an expression dies with it.
        assert_eq!(size("shared x; shared y; thread a { y = x; y = 2; } thread b { x = 1; }").0, 2 + 3 + 3 + 2);
    }

    #[test]
    fn a_live_local_does() {
        let source = "shared x; shared y; thread a { let r = x; y = 1; y = r; } thread b { x = 1; }";
        // While x is 1, r is 0 or 1.
        assert_eq!(size(source).0, 2 + 3 + 3 + 3);
    }

    #[test]
    fn what_is_overwritten_before_it_is_read_is_dead() {
        assert_eq!(
            size("shared x; shared y; thread a { let r = x; y = 1; r = 5; y = r; } thread b { x = 1; }").0,
            2 * 4
        );
    }

    #[test]
    fn a_loop_keeps_what_its_next_round_reads_and_nothing_else() {
        // r is read again in each round: the loop closes.
        assert_eq!(size("shared x; thread a { while (true) { let r = x; x = 1 - r; } }").0, 4);
        // A counter that lives on makes more states until it wraps.
        assert_eq!(size("shared x; thread a { let n = 0; while (true) { x = n; n = (n + 1) % 3; } }").0, 1 + 3);
    }

    #[test]
    fn locals_of_callers_that_are_dead_behind_the_call_are_gone_during_it() {
        let source = "shared x; shared y; def f() { y = 1; y = 2; } thread a { let r = x; f(); } thread b { x = 1; }";
        assert_eq!(size(source).0, 2 * 4);
        let source = "shared x; shared y; def f() { y = 1; y = 2; return 0; } thread a { let r = x; let z = f(); y = r; } thread b { x = 1; }";
        assert!(size(source).0 > 2 * 5);
    }

    #[test]
    fn an_index_at_which_a_thread_waits_is_alive() {
        let source = "shared k; mutex m; cond c[2]; thread a { lock(m); let i = k; wait(c[i], m); unlock(m); } thread b { k = 1; lock(m); signal(c[1]); unlock(m); }";
        let (_, explored) = all(source);
        assert_eq!(
            explored.deadlocks(),
            ["1: deadlock: a waits for a signal on c[0]", "1: deadlock: a waits for a signal on c[1]"]
        );
    }
}
