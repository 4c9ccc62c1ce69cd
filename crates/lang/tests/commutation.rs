//! Footprints are complete: two steps of different actors whose footprints do not conflict commute.
//!
//! For every reachable state of many small programs and every pair of its actors: if what the two do does not conflict,
//! then either order is possible, both lead to one state, and each does the same before and after the other. A step
//! enables no blocked actor and disables no enabled one unless it conflicts with that actor's own step. This is what
//! every reduction takes for granted.

mod common;

use common::{Taken, enabled, explore, model, outcomes, take};
use mazurka_core::{ActorId, Dependence, Footprint, Insight, Machine, Move, Narrator, Schedule, Step, Stepper, System};
use mazurka_lang::{Identity, Model, State};
use proptest::prelude::{ProptestConfig, any, proptest};
use std::collections::HashMap;

/// Programs that together use every construct, in ways that make actors meet.
const PROGRAMS: &[(&str, &str)] = &[
    (
        "plain accesses",
        "shared x; shared y; thread a { x = 1; let r = y; x = r; } thread b { y = 1; let s = x; y = s + 1; }",
    ),
    (
        "array elements",
        "shared a[3]; shared i; thread p { a[i] = 1; i = 1; a[i] += 2; } thread q { a[2] = 5; let r = a[i]; a[r % 3] = 7; }",
    ),
    ("updates", "shared x; thread a(i in 0..3) { x += i; x -= 1; }"),
    (
        "read-modify-write",
        "shared x; shared y; thread a { let o = cas(x, 0, 1); y = o; } thread b { let o = swap(x, 2); let p = fetch_add(y, o); } thread c { fetch_add(x, 1); cas(y, 1, 5); }",
    ),
    (
        "mutexes",
        "shared x; mutex m; mutex n; thread a { lock(m); x += 1; lock(n); unlock(n); unlock(m); } thread b { lock(n); lock(m); x += 1; unlock(m); unlock(n); } thread c { unlock(m); }",
    ),
    (
        "mutex array",
        "mutex f[3]; thread p(i in 0..3) { lock(f[i]); lock(f[(i + 1) % 3]); unlock(f[(i + 1) % 3]); unlock(f[i]); }",
    ),
    (
        "mutex kept at the end",
        "mutex m; thread a { lock(m); } thread b { lock(m); } def f() { lock(m); } thread c { let t = spawn f(); join t; }",
    ),
    (
        "a mutex that may be held",
        "shared x; mutex m; handler h; message n() { } thread a { post h, n(); if (choose(0..2)) { lock(m); } x = 1; }",
    ),
    (
        "semaphores",
        "shared x; semaphore s = 1, t[2] = [2, 0]; thread a(i in 0..2) { acquire(s); x += 1; release(s); release(t[1]); } thread b { acquire(t[0]); acquire(t[1]); release(t[x & 1]); } thread c { if (try_acquire(t[1])) { x = 5; } }",
    ),
    (
        "two semaphores in opposite order",
        "semaphore s = 1, t = 1; thread a { acquire(s); acquire(t); release(t); release(s); } thread b { acquire(t); acquire(s); release(s); release(t); } event e { if (try_acquire(s)) { release(s); } disable e; }",
    ),
    (
        "read-write locks",
        "shared x; rwlock l[2]; thread r(i in 0..2) { read_lock(l[i]); let v = x; read_lock(l[0]); read_unlock(l[0]); read_unlock(l[i]); } thread w { write_lock(l[0]); x = 1; write_unlock(l[0]); write_unlock(l[1]); } thread t { if (try_write_lock(l[0])) { x = 2; write_unlock(l[0]); } else { let got = try_read_lock(l[1]); read_unlock(l[1]); } }",
    ),
    (
        "read-write locks that are kept",
        "rwlock l; shared x; handler h any; message m() { read_lock(l); assert(x == 0); } message n() { if (try_read_lock(l)) { x = 1; } } def f(v) { read_lock(l); x = v; return v; } thread a { post h, m(); post h, n(); let t = spawn f(2); join t; } thread b { write_lock(l); x = 1; write_unlock(l); let r = f(0); read_unlock(l); } event e { let got = try_write_lock(l); disable e; }",
    ),
    (
        "mutexes that are tried",
        "shared x; mutex m[2]; mutex n; cond c; thread a { lock(m[0]); x += 1; wait(c, m[0]); unlock(m[0]); } thread b { if (trylock(m[x & 1])) { x += 1; unlock(m[0]); } signal(c); } thread d { let got = trylock(n); lock(m[1]); unlock(m[1]); if (got) { unlock(n); } } event e { if (trylock(n)) { x = 0; unlock(n); } disable e; }",
    ),
    (
        "waits that time out",
        "shared x; mutex m; cond c; thread a(i in 0..2) { lock(m); let got = wait_timeout(c, m); x += got; unlock(m); } thread b { lock(m); wait(c, m); unlock(m); } thread s { signal(c); lock(m); broadcast(c); unlock(m); }",
    ),
    (
        "channels",
        "shared x; channel c(1), d[2](2); thread a { send(c, 1); send(d[0], 2); x = try_send(d[1], 7); send(c, 3); } thread b { let v = receive(c); let w = receive(d[0]); x = v + w; } thread e { let v = try_receive(c, -1); x = v; v = try_receive(d[1], 0); }",
    ),
    (
        "messages that wait for semaphores and channels",
        "shared x; semaphore s; channel c(1); handler h any; message m(v) { send(c, v); acquire(s); x = v; } thread a { post h, m(1); post h, m(2); release(s); } thread b { let v = receive(c); release(s); v = receive(c); }",
    ),
    (
        "failed messages and threads",
        "shared x; mutex m; cond c; handler h; message f() { assert(x == 1); lock(m); signal(c); unlock(m); } def g() { assert(x == 1); } thread a { lock(m); wait(c, m); unlock(m); } thread b { post h, f(); x = 1; spawn g(); }",
    ),
    (
        "conditions",
        "shared full; mutex m; cond c; thread p { lock(m); full = 1; signal(c); unlock(m); } thread q(i in 0..2) { lock(m); if (full == 0) { wait(c, m); } unlock(m); } thread s { signal(c); }",
    ),
    (
        "broadcast",
        "shared go; mutex m; cond c[2]; thread w(i in 0..3) { lock(m); while (go == 0) { wait(c[i % 2], m); } unlock(m); } thread s { lock(m); go = 1; broadcast(c[0]); unlock(m); broadcast(c[1]); }",
    ),
    (
        "two conditions",
        "mutex m; mutex n; cond c; cond d; thread a { lock(m); wait(c, m); unlock(m); } thread b { lock(n); wait(d, n); unlock(n); } thread s { signal(c); signal(d); } thread t { signal(d); signal(c); }",
    ),
    (
        "spawn and join",
        "shared x; def f(v) { x = v; return x; } thread a { let t = spawn f(1); let u = spawn f(2); join t; let r = x; join u; assert(r < 3); } thread b { let t = spawn f(7); x = 9; join t; }",
    ),
    (
        "detached threads",
        "shared x; def f(v) { x += v; } thread a { spawn f(1); spawn f(2); x = 5; spawn f(3); } thread b { x += 1; }",
    ),
    (
        "detached threads without a shared variable",
        "shared x; shared y; def f() { x = 1; } def g() { y = 1; } thread a { spawn f(); spawn g(); }",
    ),
    (
        "threads that are not joined",
        "shared x; shared y; def f() { x = 1; } def g() { y = 1; } thread a { let t = spawn f(); let u = spawn g(); }",
    ),
    (
        "threads that are not joined, of a message",
        "shared x; shared y; handler h any; def f() { x = 1; } def g() { y = 1; } message m() { let t = spawn f(); let u = spawn g(); } thread a { post h, m(); } thread b { post h, m(); }",
    ),
    (
        "threads that are not joined, of a thread",
        "shared x; shared y; def f() { x = 1; } def g() { let t = spawn f(); y = 1; } thread a { spawn g(); spawn g(); }",
    ),
    (
        "overwritten handles",
        "shared x; def f(v) { x = v; } thread a { let t = spawn f(1); t = spawn f(2); x = 3; t = spawn f(4); join t; }",
    ),
    (
        "handles in loops",
        "shared x; def f(v) { x = v; } thread a { for i in 0..3 { let t = spawn f(i); if (i == 1) { join t; } } x = 9; }",
    ),
    (
        "handles in functions",
        "shared x; def f(v) { x = v; } def g(v) { let t = spawn f(v); let r = x; return r; } thread a { let r = g(1); let s = g(2); x = s; }",
    ),
    (
        "threads of threads",
        "shared x; def leaf(v) { x = v; } def node(v) { let t = spawn leaf(v); let u = spawn leaf(v + 1); join t; join u; } thread r { let n = spawn node(1); spawn node(3); join n; }",
    ),
    (
        "halted children",
        "shared x; def f() { assert(x == 0, \"zero\"); } thread a { let t = spawn f(); x = 1; join t; } thread b { let r = x; assert(r == 0); lock(m); } mutex m; thread c { lock(m); let r = x; assert(r == 1); unlock(m); }",
    ),
    (
        "children that end at once",
        "shared x; def f() { } thread a { let t = spawn f(); spawn f(); x = 1; join t; } thread b { x = 2; }",
    ),
    (
        "fifo",
        "shared x; handler h; message m(v) { x = v; } thread a { post h, m(1); post h, m(2); } thread b { post h, m(3); x = 9; }",
    ),
    (
        "any order",
        "shared x; shared y; handler h any; message m(v) { x = v; } message n() { y = 1; } thread a { post h, m(1); post h, n(); } thread b { post h, m(1); post h, m(0); }",
    ),
    (
        "equal messages",
        "shared x; handler h any; handler g; message m() { x += 1; } thread a(i in 0..2) { post h, m(); post g, m(); }",
    ),
    (
        "messages post messages",
        "shared x; handler h; handler g any; message one(v) { x = v; if (v < 2) { post g, two(v); } } message two(v) { post h, one(v + 1); post g, three(); } message three() { x += 1; } thread a { post h, one(0); }",
    ),
    (
        "handler arrays",
        "shared x[2]; handler h[2] any; message m(i, v) { x[i] = v; if (v > 0) { post h[1 - i], m(1 - i, v - 1); } } thread a { post h[0], m(0, 1); post h[1], m(1, 2); }",
    ),
    (
        "messages that block",
        "shared x; mutex m; handler h; message take() { lock(m); x += 1; unlock(m); } message hold() { lock(m); } message see() { assume(x > 0); x = 0; } thread a { post h, take(); post h, see(); } thread b { post h, hold(); } thread c { x = 1; }",
    ),
    (
        "messages that wait",
        "mutex m; cond c; handler h[2]; message w() { lock(m); wait(c, m); unlock(m); } thread a { post h[0], w(); post h[1], w(); } thread s { signal(c); lock(m); signal(c); unlock(m); }",
    ),
    (
        "messages that spawn",
        "shared x; handler h any; def f(v) { x = v; } message m(v) { let t = spawn f(v); join t; } message n() { spawn f(5); } thread a { post h, m(1); post h, n(); } thread b { post h, n(); }",
    ),
    (
        "events",
        "shared x; shared y; event a when x < 2 { x += 1; } event b when x > 0 && y == 0 { y = 1; } event c when y == 1 || x == 2 { y = 0; x = 0; }",
    ),
    (
        "switched events",
        "shared x; event a { x = 1; disable a; enable b; } event b disabled { x = 0; disable b; } event c { enable a; } thread t { disable c; }",
    ),
    (
        "event families",
        "shared on[3]; event flip(i in 0..3) when on[i] == 0 { on[i] = 1; disable flip[i]; } event reset(i in 1..3) disabled when on[i] == 1 { on[i] = 0; enable flip[i]; disable reset[i]; } thread t { enable reset[2]; enable reset[1]; }",
    ),
    (
        "events that post",
        "shared x; shared n; handler h any; message m(v) { x = v; } event e when n < 2 { n += 1; post h, m(n); } thread a { x = 7; }",
    ),
    (
        "events that spawn",
        "shared x; shared n; def f(v) { x = v; } event e when n < 2 { n += 1; spawn f(n); } event g when n == 1 { n = 2; let t = spawn f(5); } thread a { x = 7; }",
    ),
    (
        "invariant",
        "shared x; shared y; never (x == 1 && y == 1); thread a { x = 1; x = 0; } thread b { y = 1; y = 0; }",
    ),
    (
        "invariant by a function",
        "shared a[2]; never both(); def both() { return a[0] + a[1] == 2; } thread t(i in 0..2) { a[i] = 1; a[i] = 1; a[i] = 0; }",
    ),
    (
        "atomic",
        "shared x; shared y; thread a { atomic { x = 1; y = 1; } } thread b { atomic { let r = x; if (r == 1) { y = 5; } else { x = 3; } } let s = y; }",
    ),
    (
        "atomic with a guard",
        "shared x; shared y; thread a(i in 0..3) { atomic { assume(x == i); x += 1; y = i; } } thread b { x = 0; }",
    ),
    (
        "assume",
        "shared x; shared y; thread a { assume(x == 1 && y == 1); x = 5; } thread b { x = 1; y = 1; x = 2; } thread c { assume(y > 0); y = 0; }",
    ),
    (
        "assume that stays false",
        "shared x; mutex m; thread a { lock(m); assume(x == 2); unlock(m); } thread b { x = 1; lock(m); unlock(m); }",
    ),
    (
        "choose",
        "shared x; shared y; thread a { let c = choose(0..3); x = c; } thread b { atomic { y = choose(1..3); x = choose(0..2); } } event e when y == 1 { y = choose(2..4); }",
    ),
    (
        "functions",
        "shared x; def twice(v) { return v * 2; } def read() { return x; } def both() { let r = read(); let s = read(); return r + s; } thread a { x = twice(both()); } thread b { x = both() + 1; }",
    ),
    (
        "recursion",
        "shared x; def sum(n) { if (n == 0) { return 0; } let rest = sum(n - 1); return rest + x; } thread a { let s = sum(3); x = s; } thread b { x = 1; }",
    ),
    (
        "guards that call",
        "shared x; shared y; def ready(n) { if (x < n) { return false; } return y == 0; } thread a { assume(ready(2)); y = 1; } thread b { x += 1; x += 1; } event e when ready(1) { y = 2; }",
    ),
    (
        "crashes",
        "shared x; shared a[2]; thread p { let r = x; let s = 4 / r; a[s] = 1; } thread q { x = 1; x = 2; x = 0; } thread o { let r = x; a[r] = 1; assert(r == 0); }",
    ),
    (
        "guards that crash",
        "shared x; thread a { assume(1 / x == 1); x = 5; } thread b { x = 1; x = 2; } event e when 3 / x == 3 { x = 0; }",
    ),
    (
        "unlock and wait without the mutex",
        "mutex m; cond c; thread a { unlock(m); } thread b { lock(m); unlock(m); wait(c, m); } thread d { lock(m); unlock(m); }",
    ),
    ("joined twice", "shared x; def f() { x = 1; } thread a { let t = spawn f(); join t; join t; x = 2; }"),
    (
        "loops",
        "shared x; thread a { while (x < 2) { x += 1; if (x == 5) { break; } } } thread b { for i in 0..3 { if (i == 1) { continue; } x = i; } }",
    ),
    (
        "short cuts",
        "shared x; shared y; shared z; thread a { let r = x == 1 && y == 1; z = r; } thread b { x = 1; let s = z == 1 || y == 1; y = s; } thread c { y = 1; }",
    ),
    (
        "values that were there",
        "shared x; shared y; thread a { x = 0; y = 1; } thread b { x = 0; y = 1; } thread c { let r = x; let s = y; }",
    ),
    (
        "a thread that is waited for everywhere",
        "shared x; mutex m; cond c; def f() { lock(m); wait(c, m); x = 1; unlock(m); } thread a { let t = spawn f(); let u = spawn f(); join t; join u; } thread s { signal(c); broadcast(c); }",
    ),
    (
        "runs for ever",
        "shared x; shared turn; thread a { while (true) { assume(turn == 0); x = 1; turn = 1; } } thread b { while (true) { assume(turn == 1); x = 0; turn = 0; } } event e when x == 1 { x = 2; }",
    ),
    (
        "messages for ever",
        "shared x; handler h; message ping() { x = 1; post h, pong(); } message pong() { x = 0; post h, ping(); } thread a { post h, ping(); } thread b { x = 5; }",
    ),
    (
        "spawns for ever",
        "shared x; def f() { x = 1 - x; } thread a { while (true) { let t = spawn f(); join t; } } thread b { x = 0; }",
    ),
    (
        "enable in a thread",
        "shared x; event e disabled when x == 0 { x = 1; } event f disabled { x = 0; disable e; } thread a { enable e; enable f; } thread b { disable f; enable e; }",
    ),
];

/// What commutes by this commutes by every other one that takes posts for dependent.
const WEAKEST: Dependence = Dependence { posts: true, rewrites: false };

const IDENTITIES: [Identity; 2] = [Identity::Presence, Identity::History];

#[test]
fn steps_that_do_not_conflict_commute() {
    for (name, source) in PROGRAMS {
        for identity in IDENTITIES {
            let model = model(source, identity);
            let states = states_by_fingerprint(&model);
            for state in &states {
                check_state(&model, state, &format!("{name}, by {identity:?}"));
            }
        }
    }
}

/// All states; by history a program that runs for ever has no end of them, so one for each fingerprint.
fn states_by_fingerprint(model: &Model) -> Vec<State> {
    let mut states = model.initial_states();
    let mut met: std::collections::HashSet<_> = states.iter().map(|state| model.fingerprint(state)).collect();
    let mut next = 0;
    while let Some(state) = states.get(next).cloned() {
        next += 1;
        for actor in enabled(model, &state) {
            for taken in outcomes(model, &state, actor) {
                if met.insert(model.fingerprint(&taken.after)) {
                    states.push(taken.after);
                }
            }
        }
        assert!(states.len() < 100_000, "too many states");
    }
    states
}

fn check_state(model: &Model, state: &State, program: &str) {
    let actors = enabled(model, state);
    let mut blocked = Vec::new();
    model.blocked(state, &actors, &mut |actor, obstacle| {
        let mut footprint = Footprint::default();
        obstacle(&mut footprint);
        footprint.seal();
        blocked.push((actor, footprint));
    });
    let mut unique = actors.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), actors.len(), "{program}: an actor is enabled twice");
    let taken: Vec<Vec<Taken>> = actors.iter().map(|&actor| outcomes(model, state, actor)).collect();
    for (first, one) in taken.iter().enumerate() {
        for a in one {
            check_blocked(model, a, &blocked, program);
            for b in taken.iter().skip(first + 1).flatten() {
                if !WEAKEST.conflicts(&a.footprint, &b.footprint) {
                    check_pair(model, a, b, program);
                }
            }
        }
    }
}

fn check_pair(model: &Model, a: &Taken, b: &Taken, program: &str) {
    let who = || format!("{program}: {} and {}", model.actor_name(a.step.actor), model.actor_name(b.step.actor));
    assert!(enabled(model, &a.after).contains(&b.step.actor), "{}: the first stops the second", who());
    assert!(enabled(model, &b.after).contains(&a.step.actor), "{}: the second stops the first", who());
    let (ab, _) = take(model, &a.after, b.step);
    let (ba, _) = take(model, &b.after, a.step);
    assert_eq!(ab.footprint, b.footprint, "{}: the second touches something else", who());
    assert_eq!(ba.footprint, a.footprint, "{}: the first touches something else", who());
    assert_eq!(ab.violations, b.violations, "{}", who());
    assert_eq!(ba.violations, a.violations, "{}", who());
    assert_eq!(model.fingerprint(&ab.after), model.fingerprint(&ba.after), "{}: two states", who());
    assert_eq!(enabled(model, &ab.after), enabled(model, &ba.after), "{}", who());
    assert_eq!(ab.after, ba.after, "{}: two states", who());
}

/// A blocked actor stays blocked unless the step conflicts with the step that it is blocked on.
fn check_blocked(model: &Model, a: &Taken, blocked: &[(ActorId, Footprint)], program: &str) {
    let after = enabled(model, &a.after);
    for (actor, footprint) in blocked {
        if !WEAKEST.conflicts(&a.footprint, footprint) {
            let names = (model.actor_name(a.step.actor), model.actor_name(*actor));
            assert!(!after.contains(actor), "{program}: {} enables {}", names.0, names.1);
        }
    }
}

#[test]
fn what_an_actor_would_do_next_is_what_it_does() {
    for (name, source) in PROGRAMS {
        let model = model(source, Identity::Presence);
        for state in states_by_fingerprint(&model) {
            for actor in enabled(&model, &state) {
                let mut footprint = Footprint::default();
                Stepper::new(&model, state.clone()).foresee(actor, &mut footprint);
                assert_eq!(footprint, outcomes(&model, &state, actor)[0].footprint, "{name}");
            }
        }
    }
}

#[test]
fn equal_fingerprints_are_equal_states() {
    for (name, source) in PROGRAMS {
        let model = model(source, Identity::Presence);
        let states = explore(&model).states;
        let mut by_fingerprint = HashMap::new();
        for state in &states {
            let other = by_fingerprint.insert(model.fingerprint(state), state);
            assert!(other.is_none(), "{name}: two states with one fingerprint: {other:?} and {state:?}");
        }
    }
}

/// Walks through a program at random in both ways of telling actors apart.
#[test]
fn both_identities_tell_the_same_situations() {
    for (name, source) in PROGRAMS {
        let (present, history) = (model(source, Identity::Presence), model(source, Identity::History));
        for seed in 0..40 {
            let schedule = random_schedule(&present, seed);
            let retold = Model::retell(&present, &history, &schedule).unwrap_or_else(|| panic!("{name}: no retelling"));
            compare(name, &present, &schedule, &history, &retold);
            let back = Model::retell(&history, &present, &retold).unwrap_or_else(|| panic!("{name}: no way back"));
            assert_eq!(back, schedule, "{name}");
            // What the other one can do at random must be possible here too.
            let schedule = random_schedule(&history, seed);
            let retold = Model::retell(&history, &present, &schedule).unwrap_or_else(|| panic!("{name}: no retelling"));
            compare(name, &history, &schedule, &present, &retold);
        }
    }
}

fn random_schedule(model: &Model, seed: u64) -> Schedule {
    let mut pick = common::random(seed);
    let mut state = model.initial_states().remove(0);
    let mut schedule = Schedule::default();
    for _ in 0..40 {
        let actors = enabled(model, &state);
        if actors.is_empty() {
            break;
        }
        let all = outcomes(model, &state, actors[pick(actors.len())]);
        let taken = &all[pick(all.len())];
        schedule.moves.push(taken.step);
        state = taken.after.clone();
    }
    schedule
}

/// Both schedules lead through the same situations with the same violations.
fn compare(name: &str, one: &Model, schedule: &Schedule, other: &Model, retold: &Schedule) {
    assert_eq!(schedule.moves.len(), retold.moves.len(), "{name}");
    let (mut here, mut there) = (one.initial_states().remove(0), other.initial_states().remove(0));
    let (mut step, mut step_there) = (Step::default(), Step::default());
    for (&Move { actor, outcome }, moved) in schedule.moves.iter().zip(&retold.moves) {
        assert_eq!(one.fingerprint(&here), other.fingerprint(&there), "{name}");
        assert!(enabled(other, &there).contains(&moved.actor), "{name}: the retold step is not possible");
        step.begin(outcome);
        one.step(&mut here, actor, &mut step);
        step_there.begin(moved.outcome);
        other.step(&mut there, moved.actor, &mut step_there);
        assert_eq!(step.next_outcome(), step_there.next_outcome(), "{name}");
        let sites = |step: &Step| step.violations().iter().map(common::tell).collect::<Vec<_>>();
        assert_eq!(sites(&step), sites(&step_there), "{name}");
    }
    assert_eq!(one.fingerprint(&here), other.fingerprint(&there), "{name}");
    assert_eq!(enabled(one, &here).is_empty(), enabled(other, &there).is_empty(), "{name}");
    if enabled(one, &here).is_empty() {
        assert_eq!(one.ending(&here), other.ending(&there), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn steps_of_random_programs_commute(source in common::program(), seed in any::<u64>()) {
        for identity in IDENTITIES {
            let model = model(&source, identity);
            let mut state = model.initial_states().remove(0);
            check_state(&model, &state, &source);
            for step in random_schedule(&model, seed).moves {
                state = take(&model, &state, step).0.after;
                check_state(&model, &state, &source);
            }
        }
        let (present, history) = (model(&source, Identity::Presence), model(&source, Identity::History));
        let schedule = random_schedule(&present, seed);
        let retold = Model::retell(&present, &history, &schedule);
        compare(&source, &present, &schedule, &history, &retold.unwrap_or_default());
    }
}
