//! What semaphores, read-write locks, channels, `trylock` and waits that time out mean.

mod common;

use common::{all, ends, explore, finals, model, violations};
use mazurka_core::{Narrator, Outcome, System, Value};
use mazurka_lang::{CompileError, Identity, compile};

fn deadlocks(source: &str) -> Vec<String> {
    all(source).1.deadlocks()
}

/// The messages of the errors in a source.
fn errors(source: &str) -> Vec<String> {
    match compile("test.mz", source, &[]) {
        Err(CompileError::Source(errors)) => errors.into_iter().map(|error| error.message).collect(),
        other => vec![format!("{other:?}")],
    }
}

mod semaphores {
    use super::*;

    #[test]
    fn so_many_are_inside_as_it_starts_with() {
        let source = |value: i64, most: i64| {
            format!(
                "semaphore s = {value}; shared inside;
                 thread a(i in 0..3) {{ acquire(s); fetch_add(inside, 1); fetch_add(inside, -1); release(s); }}
                 never (inside > {most});"
            )
        };
        assert_eq!(violations(&source(1, 1)), [""; 0]);
        assert_eq!(violations(&source(2, 2)), [""; 0]);
        assert_eq!(violations(&source(2, 1)).len(), 1);
        assert_eq!(finals(&source(2, 2), &["inside", "s"]), ["0 2"]);
    }

    #[test]
    fn taken_in_opposite_order_they_deadlock() {
        let source = "semaphore s = 1, t = 1;
            thread a { acquire(s); acquire(t); release(t); release(s); }
            thread b { acquire(t); acquire(s); release(s); release(t); }";
        assert_eq!(
            deadlocks(source),
            ["2: deadlock: a waits to acquire t, which is 0; b waits to acquire s, which is 0"]
        );
    }

    #[test]
    fn anybody_may_release_and_a_release_is_never_lost() {
        let source =
            "semaphore s; shared x; thread a { acquire(s); acquire(s); x = 1; } thread b(i in 0..2) { release(s); }";
        assert_eq!(ends(source), [1, 0, 0]);
        assert_eq!(finals(source, &["x", "s"]), ["1 0"]);
    }

    #[test]
    fn whoever_tries_does_not_wait() {
        let source = "semaphore s = 1; shared x[2];
            thread a(i in 0..2) { if (try_acquire(s)) { x[i] = 1; } }";
        assert_eq!(finals(source, &["x[0]", "x[1]", "s"]), ["0 1 0", "1 0 0"]);
    }

    #[test]
    fn arrays_have_one_value_for_all_or_one_for_each() {
        assert_eq!(finals("semaphore s[2] = 3; thread a { acquire(s[1]); }", &["s[0]", "s[1]"]), ["3 2"]);
        assert_eq!(finals("semaphore s[2] = [0, 7]; thread a { release(s[0]); }", &["s[0]", "s[1]"]), ["1 7"]);
        assert_eq!(errors("semaphore s = -1; thread a { }"), ["a semaphore that starts with -1"]);
        assert_eq!(errors("semaphore s[2] = [1]; thread a { }"), ["1 initial values"]);
    }

    #[test]
    fn nothing_waits_within_one_step() {
        assert_eq!(errors("semaphore s; event e { acquire(s); }"), ["`acquire` in an event"]);
        assert_eq!(errors("semaphore s; thread t { atomic { acquire(s); } }"), ["`acquire` in an atomic block"]);
        assert_eq!(errors("semaphore s; thread t { assume(try_acquire(s)); }"), ["`try_acquire` in a condition"]);
        let source = "semaphore s; def f() { acquire(s); } event e { f(); }";
        assert_eq!(errors(source), ["a call of `f`"]);
        assert_eq!(errors("mutex m; thread t { acquire(m); }"), ["`m` is a mutex"]);
        assert_eq!(
            finals("semaphore s = 1; shared x; thread t { atomic { x = try_acquire(s); release(s); } }", &["x"]),
            ["1"]
        );
    }
}

mod rw_locks {
    use super::*;

    #[test]
    fn readers_are_together_and_a_writer_is_alone() {
        let source = |condition: &str| {
            format!(
                "rwlock l; shared readers, writers;
                 thread r(i in 0..2) {{ read_lock(l); fetch_add(readers, 1); fetch_add(readers, -1); read_unlock(l); }}
                 thread w(i in 0..2) {{ write_lock(l); fetch_add(writers, 1); fetch_add(writers, -1); write_unlock(l); }}
                 never ({condition});"
            )
        };
        assert_eq!(violations(&source("writers > 1 || writers == 1 && readers > 0")), [""; 0]);
        assert_eq!(violations(&source("readers == 2")).len(), 1);
        assert_eq!(ends(&source("false")), [1, 0, 0]);
    }

    #[test]
    fn one_may_read_twice_and_has_to_unlock_twice() {
        let source =
            "rwlock l; shared x; thread a { read_lock(l); read_lock(l); read_unlock(l); x = 1; read_unlock(l); }
                      thread w { if (try_write_lock(l)) { assert(x == 0); } }";
        // The writer gets the lock before the first lock or after the last unlock.
        assert_eq!(violations(source), ["2: assertion failed: x == 0 {x=1}"]);
        let source = "rwlock l;\nthread a { read_lock(l); read_unlock(l); read_unlock(l); }";
        assert_eq!(violations(source), ["2: read_unlock of a lock that is not held for reading"]);
    }

    #[test]
    fn only_who_holds_it_unlocks() {
        let source =
            "rwlock l;\nthread a { read_lock(l); }\nthread b { read_unlock(l); }\nthread c { write_unlock(l); }";
        assert_eq!(
            violations(source),
            [
                "3: read_unlock of a lock that is not held for reading",
                "4: write_unlock of a lock that is not held for writing"
            ]
        );
    }

    #[test]
    fn deadlocks_tell_who_holds_it() {
        let source = "rwlock l; thread a { read_lock(l); write_lock(l); }";
        assert_eq!(deadlocks(source), ["1: deadlock: a waits to write under l, held by itself"]);
        let source = "rwlock l; thread a(i in 0..2) { read_lock(l); write_lock(l); }";
        assert!(
            deadlocks(source).contains(
                &"1: deadlock: a[0] waits to write under l, held by itself and a[1]; a[1] waits to write under l, held by \
                  a[0] and itself"
                    .to_owned()
            ),
            "{:?}",
            deadlocks(source)
        );
        let source = "rwlock l; thread a { write_lock(l); } thread b { read_lock(l); read_unlock(l); }";
        assert_eq!(deadlocks(source), ["1: deadlock: b waits to read under l, held by a, which has ended"]);
        let source = "rwlock l; def f() { read_lock(l); } thread a { let t = spawn f(); join t; write_lock(l); }";
        assert_eq!(deadlocks(source), ["1: deadlock: a waits to write under l, held by an actor that has ended"]);
    }

    #[test]
    fn messages_events_and_functions_hold_it_too() {
        let source = "rwlock l; shared x; handler h; def under(v) { read_lock(l); x = v; read_unlock(l); return v; }
                      message m(v) { read_lock(l); let r = under(v); assert(r == v); read_unlock(l); }
                      thread a { post h, m(3); post h, m(4); write_lock(l); write_unlock(l); }";
        assert_eq!(violations(source), [""; 0]);
        assert_eq!(finals(source, &["x", "l"]), ["4 free"]);
        // An event that keeps it keeps it for ever.
        let source = "rwlock l; event e { let got = try_read_lock(l); disable e; } thread a { assume(0); }";
        assert!(finals(source, &["l"]).contains(&"1 reader".to_owned()), "{:?}", finals(source, &["l"]));
    }
}

mod tries {
    use super::*;

    #[test]
    fn trylock_takes_the_mutex_or_does_not_wait() {
        let source = "mutex m; shared x[2];
            thread a { lock(m); x[0] = 1; unlock(m); }
            thread b { if (trylock(m)) { x[1] = 1; unlock(m); } else { x[1] = 2; } }";
        assert_eq!(finals(source, &["x[0]", "x[1]", "m"]), ["1 1 free", "1 2 free"]);
        assert_eq!(
            ends("mutex m; thread a { lock(m); let got = trylock(m); assert(got == 0); unlock(m); }"),
            [1, 0, 0]
        );
    }

    #[test]
    fn an_event_may_try() {
        let source = "mutex m; shared x; event e when x == 0 { if (trylock(m)) { x = 1; unlock(m); } else { x = 2; } }
                      thread a { lock(m); unlock(m); }";
        assert_eq!(finals(source, &["x", "m"]), ["1 free", "2 free"]);
    }

    #[test]
    fn a_mutex_that_is_tried_is_told_as_held_in_a_deadlock() {
        let source =
            "mutex m; thread a { lock(m); lock(m); } thread b { let got = trylock(m); if (got) { unlock(m); } }";
        assert_eq!(deadlocks(source), ["1: deadlock: a waits for m held by itself"]);
    }
}

mod timeouts {
    use super::*;

    #[test]
    fn a_wait_ends_by_a_signal_or_by_itself() {
        let source = "mutex m; cond c; shared x = 7;
            thread a { lock(m); x = wait_timeout(c, m); unlock(m); }
            thread b { lock(m); signal(c); unlock(m); }";
        assert_eq!(finals(source, &["x", "m"]), ["0 free", "1 free"]);
        assert_eq!(ends(source).into_iter().skip(1).sum::<usize>(), 0);
        assert_eq!(
            finals("mutex m; cond c; shared x = 7; thread a { lock(m); x = wait_timeout(c, m); unlock(m); }", &["x"]),
            ["0"]
        );
    }

    #[test]
    fn who_timed_out_takes_no_signal_from_others() {
        // If a gave up, the signal wakes b; if a took the signal, b waits for ever.
        let source = "mutex m; cond c; shared x = 7, waiting;
            thread a { lock(m); waiting += 1; let got = wait_timeout(c, m); x = got; unlock(m); }
            thread b { lock(m); waiting += 1; wait(c, m); unlock(m); }
            thread s { assume(waiting == 2); lock(m); signal(c); unlock(m); }";
        let (model, explored) = all(source);
        assert_eq!(explored.final_values(&model, &["x"]), ["0", "1"]);
        assert_eq!(explored.deadlocks(), ["3: deadlock: b waits for a signal on c"]);
    }

    #[test]
    fn the_mutex_has_to_be_held_and_is_held_again() {
        let source = "mutex m; cond c;\nthread a { let got = wait_timeout(c, m); }";
        assert_eq!(violations(source), ["2: wait with a mutex that is not held"]);
        let source =
            "mutex m; cond c; thread a { lock(m); let got = wait_timeout(c, m); } thread b { lock(m); unlock(m); }";
        assert_eq!(deadlocks(source), ["1: deadlock: b waits for m held by a, which has ended"]);
    }

    #[test]
    fn a_timeout_is_a_step_with_a_name() {
        let model =
            model("mutex m; cond c; thread a { lock(m); let got = wait_timeout(c, m); unlock(m); }", Identity::History);
        let mut state = model.initial_states().remove(0);
        let actor = mazurka_core::ActorId(0);
        let mut told = Vec::new();
        while !common::enabled(&model, &state).is_empty() {
            told.push(model.describe(&state, actor, Outcome::FIRST).text);
            state = common::outcomes(&model, &state, actor).remove(0).after;
        }
        assert_eq!(
            told,
            ["lock(m)", "wait_timeout(c, m)", "timeout: wait_timeout(c, m)", "woken: lock(m)", "unlock(m)"]
        );
    }
}

mod channels {
    use super::*;

    #[test]
    fn values_come_in_the_order_in_which_they_were_sent() {
        let source = "channel c(2); shared x;
            thread p { for i in 1..4 { send(c, i); } }
            thread q { for i in 1..4 { let v = receive(c); assert(v == i); x = v; } }";
        assert_eq!(violations(source), [""; 0]);
        assert_eq!(finals(source, &["x", "c"]), ["3 []"]);
    }

    #[test]
    fn who_sends_waits_for_room_and_who_receives_for_a_value() {
        let source = "channel c(1); thread p { send(c, 1); send(c, 2); }";
        assert_eq!(deadlocks(source), ["1: deadlock: p waits to send to c, which is full"]);
        let source = "channel c(1); thread p { let v = receive(c); }";
        assert_eq!(deadlocks(source), ["1: deadlock: p waits to receive from c, which is empty"]);
    }

    #[test]
    fn whoever_tries_does_not_wait() {
        let source = "channel c(1); shared x[4];
            thread a { x[0] = try_receive(c, -1); x[1] = try_send(c, 5); x[2] = try_send(c, 6); x[3] = try_receive(c, -1); }";
        assert_eq!(finals(source, &["x[0]", "x[1]", "x[2]", "x[3]", "c"]), ["-1 1 0 5 []"]);
    }

    #[test]
    fn arrays_of_channels_and_what_they_hold() {
        let source =
            "channel c[2](3); thread a { send(c[1], -4); send(c[1], 9); let v = receive(c[1]); send(c[0], v); }";
        assert_eq!(finals(source, &["c[0]", "c[1]"]), ["[-4] [9]"]);
        assert_eq!(errors("channel c(0); thread a { }"), ["a channel that holds 0 values"]);
        assert_eq!(errors("channel c(2000); thread a { }"), ["a channel that holds 2000 values"]);
    }

    #[test]
    fn a_state_does_not_remember_what_was_received() {
        // Whatever was sent and received, an empty channel is an empty channel.
        let source = "channel c(2); thread a { send(c, choose(0..3)); let v = receive(c); v = 0; send(c, 1); }";
        assert_eq!(ends(source), [1, 0, 0]);
    }
}

mod words {
    use super::*;

    #[test]
    fn the_words_are_not_reserved() {
        let source = "shared channel, semaphore, rwlock; def send(v) { channel = v; return v; } message release() { }
                      handler h; thread acquire { let receive = send(3); semaphore = receive; post h, release(); }";
        assert_eq!(finals(source, &["channel", "semaphore"]), ["3 3"]);
    }

    #[test]
    fn what_a_person_sees_of_them() {
        let model = model(
            "semaphore s = 2; rwlock l, k; channel c(2);
             thread a { acquire(s); read_lock(l); write_lock(k); send(c, 7); send(c, 8); }",
            Identity::History,
        );
        let explored = explore(&model);
        let mut values = Vec::new();
        model.observe(&explored.endings[0].1, &mut values);
        let told: Vec<String> = values.into_iter().map(|Value { name, value }| format!("{name}: {value}")).collect();
        assert_eq!(told, ["s: 1", "l: 1 reader", "k: a", "c: [7, 8]"]);
    }
}

mod who_is_excused {
    use super::*;

    #[test]
    fn a_failed_message_excuses_those_who_wait_for_it_as_a_failed_thread_does() {
        let thread = "mutex m; cond c; thread f { assert(false); lock(m); signal(c); unlock(m); }
                      thread a { lock(m); wait(c, m); unlock(m); }";
        let message = "mutex m; cond c; handler h; message f() { assert(false); lock(m); signal(c); unlock(m); }
                       thread a { lock(m); post h, f(); wait(c, m); unlock(m); }";
        let spawned = "mutex m; cond c; def f() { assert(false); lock(m); signal(c); unlock(m); }
                       thread a { lock(m); spawn f(); wait(c, m); unlock(m); }";
        for source in [thread, message, spawned] {
            assert_eq!(ends(source), [0, 1, 0], "{source}");
        }
        // One that does not fail excuses no other.
        let message = message.replace("assert(false); lock(m); signal(c); unlock(m);", "");
        assert_eq!(ends(&message), [0, 0, 1]);
        // An event that fails may happen again: it is not stopped.
        let event = "shared x; mutex m; cond c; event e when x == 0 { x = 1; assert(false); } thread a { lock(m); wait(c, m); }";
        assert_eq!(ends(event), [0, 0, 1]);
    }

    #[test]
    fn a_failed_message_that_held_something_excuses_those_who_need_it() {
        for (definition, takes, needs) in [
            ("mutex m;", "lock(m);", "lock(m);"),
            ("semaphore s = 1;", "acquire(s);", "acquire(s);"),
            ("rwlock l;", "read_lock(l);", "write_lock(l);"),
            ("rwlock l;", "write_lock(l);", "read_lock(l);"),
            ("channel c(1);", "", "let v = receive(c);"),
        ] {
            let source = |fails: &str| {
                format!(
                    "{definition} shared x; handler h; message f() {{ {takes} x = 1; {fails} }}
                     thread a {{ post h, f(); assume(x == 1); {needs} }}"
                )
            };
            let failed = ends(&source("assert(false);"));
            assert_eq!((failed[0], failed[2]), (0, 0), "{}", source("assert(false);"));
            assert!(ends(&source(""))[2] > 0, "{}", source(""));
        }
    }

    #[test]
    fn all_who_hold_a_lock_for_reading_have_to_be_excused() {
        let source = |rest: &str| {
            format!(
                "rwlock l; shared x; thread a {{ read_lock(l); fetch_add(x, 1); assume(false); }}
                 thread b {{ read_lock(l); fetch_add(x, 1); {rest} }}
                 thread w {{ assume(x == 2); write_lock(l); }}"
            )
        };
        assert_eq!(ends(&source("assume(false);"))[2], 0);
        assert_eq!(deadlocks(&source("")), ["3: deadlock: w waits to write under l, held by a and b, which has ended"]);
    }

    #[test]
    fn a_reader_that_ended_is_not_excused_by_others_that_were_stopped() {
        let deadlock = "deadlock: w waits to write under l, held by an actor that has ended";
        // `g` ends with the lock in its hands. What fails has nothing to do with it.
        for failing in [
            "thread f { assert(false); }",
            "handler o; message f() { assert(false); } thread p { post o, f(); }",
            "event e when x == 0 { x = 1; assert(false); }",
        ] {
            let source = format!(
                "rwlock l; shared x, y; handler h; message g() {{ read_lock(l); y = 1; }}
                 thread w {{ post h, g(); assume(y == 1); write_lock(l); }} {failing}"
            );
            assert!(
                deadlocks(&source).iter().any(|told| told.contains(deadlock)),
                "{source}: {:?}",
                deadlocks(&source)
            );
        }
        // The reader itself is stopped: an actor that waits for it is excused, also if it held the lock twice.
        let source = "rwlock l; shared y; handler h; message g() { read_lock(l); read_lock(l); y = 1; assert(false); }
             thread w { post h, g(); assume(y == 1); write_lock(l); }";
        assert_eq!(deadlocks(source), [""; 0]);
        // One of the two readers is stopped, the other one has ended.
        let source = "rwlock l; shared y; handler h; message g(ok) { read_lock(l); fetch_add(y, 1); assert(ok == 1); }
             thread w { post h, g(0); post h, g(1); assume(y == 2); write_lock(l); }";
        assert!(deadlocks(source).iter().any(|told| told.contains(deadlock)), "{:?}", deadlocks(source));
        // A spawned thread is stopped while its record is kept for a `join`, or lost.
        for rest in ["", "let u = spawn f(); spawn f();", "spawn f();"] {
            let source = format!(
                "rwlock l; shared y; def f() {{ read_lock(l); y = 1; assert(false); }}
                 thread a {{ let t = spawn f(); {rest} assume(y == 1); write_lock(l); }}"
            );
            assert_eq!(deadlocks(&source), [""; 0], "{source}");
        }
    }
}
