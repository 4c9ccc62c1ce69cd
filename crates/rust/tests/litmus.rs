//! Litmus tests: exact numbers of traces, and exactly the results that sequential consistency allows. The orderings are as weak as
//! they can be: they do not change what is read (the manual says so first of all), so the weak result is in none of them.
// As in the tests that users write.
#![allow(clippy::unwrap_used)]

mod common;

use common::{options, search};
use mazurka_core::{Counter, Verdict};
use mazurka_engines::Engine;
use mazurka_rust::sync::atomic::AtomicU32;
use mazurka_rust::{Closure, thread};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

const X: usize = 0;
const Y: usize = 1;

/// What a thread does: writes a number to a variable, or reads it.
#[derive(Clone, Copy)]
enum Act {
    W(usize, u32),
    R(usize),
}
use Act::{R, W};

/// The number of traces, and what is read in all of them, thread by thread, followed by the final values of `x` and `y` if
/// `finals` says so.
fn run(threads: &'static [&'static [Act]], finals: bool) -> (u64, BTreeSet<Vec<u32>>) {
    let seen = Arc::new(std::sync::Mutex::new(BTreeSet::new()));
    let results = Arc::clone(&seen);
    let closure = Closure::new(move || {
        let memory: Arc<[AtomicU32; 2]> = Arc::new([AtomicU32::new(0), AtomicU32::new(0)]);
        let handles: Vec<_> = threads
            .iter()
            .map(|acts| {
                let memory = Arc::clone(&memory);
                let act = move |act: &Act| match *act {
                    W(variable, number) => {
                        memory[variable].store(number, Relaxed);
                        None
                    }
                    R(variable) => Some(memory[variable].load(Relaxed)),
                };
                thread::spawn(move || acts.iter().filter_map(act).collect::<Vec<u32>>())
            })
            .collect();
        let mut read: Vec<u32> = handles.into_iter().flat_map(|handle| handle.join().unwrap()).collect();
        if finals {
            read.extend(memory.iter().map(|variable| variable.load(Relaxed)));
        }
        seen.lock().unwrap().insert(read);
    });
    let traces = search(&closure, Engine::Enumerate, &options()).get(Counter::Traces);
    results.lock().unwrap().clear();
    let searched = search(&closure, Engine::Optimal, &options());
    assert_eq!(searched.exploration.verdict, Verdict::Verified);
    assert_eq!(searched.get(Counter::Executions), traces);
    let results = results.lock().unwrap().clone();
    (traces, results)
}

/// Holds the results against all interleavings, worked out without the checker.
fn check(threads: &'static [&'static [Act]], finals: bool, traces: u64) {
    let (counted, results) = run(threads, finals);
    assert_eq!(results, interleavings(threads, finals));
    assert_eq!(counted, traces);
}

fn interleavings(threads: &[&[Act]], finals: bool) -> BTreeSet<Vec<u32>> {
    fn go(
        threads: &[&[Act]],
        at: &mut Vec<usize>,
        memory: [u32; 2],
        read: &mut Vec<Vec<u32>>,
        finals: bool,
        results: &mut BTreeSet<Vec<u32>>,
    ) {
        if threads.iter().zip(&*at).all(|(acts, &at)| at == acts.len()) {
            let mut all: Vec<u32> = read.concat();
            all.extend(finals.then_some(memory).into_iter().flatten());
            results.insert(all);
        }
        for thread in 0..threads.len() {
            let Some(&act) = threads[thread].get(at[thread]) else { continue };
            at[thread] += 1;
            let mut after = memory;
            match act {
                W(variable, number) => after[variable] = number,
                R(variable) => read[thread].push(memory[variable]),
            }
            go(threads, at, after, read, finals, results);
            if matches!(act, R(_)) {
                read[thread].pop();
            }
            at[thread] -= 1;
        }
    }
    let mut results = BTreeSet::new();
    let mut read = vec![Vec::new(); threads.len()];
    go(threads, &mut vec![0; threads.len()], [0, 0], &mut read, finals, &mut results);
    results
}

// The numbers of traces: each conflict has two orders, less those that would make a cycle.

#[test]
fn two_threads() {
    // SB, MP, LB, R, S, 2+2W: two conflicts and one cycle.
    check(&[&[W(X, 1), R(Y)], &[W(Y, 1), R(X)]], false, 3);
    check(&[&[W(X, 1), W(Y, 1)], &[R(Y), R(X)]], false, 3);
    check(&[&[R(X), W(Y, 1)], &[R(Y), W(X, 1)]], false, 3);
    check(&[&[W(X, 1), W(Y, 1)], &[W(Y, 2), R(X)]], true, 3);
    check(&[&[W(X, 2), W(Y, 1)], &[R(Y), W(X, 1)]], true, 3);
    check(&[&[W(X, 1), W(Y, 2)], &[W(Y, 1), W(X, 2)]], true, 3);
}

#[test]
fn one_variable() {
    // CoRR: the write comes before, between or after the reads. CoWR, CoRW: as many places for the other's write.
    check(&[&[W(X, 1)], &[R(X), R(X)]], false, 3);
    check(&[&[W(X, 1), R(X)], &[W(X, 2)]], true, 3);
    check(&[&[R(X), W(X, 1)], &[W(X, 2)]], true, 3);
    // CoRR2: the orders of two writes, times the places of two reads by each of two threads: 2 · 6 · 6.
    check(&[&[W(X, 1)], &[W(X, 2)], &[R(X), R(X)], &[R(X), R(X)]], false, 72);
}

#[test]
fn three_and_four_threads() {
    // WRC and ISA2-like chains: three conflicts, one cycle of all.
    check(&[&[W(X, 1)], &[R(X), W(Y, 1)], &[R(Y), R(X)]], false, 7);
    // RWC.
    check(&[&[W(X, 1)], &[R(X), R(Y)], &[W(Y, 1), R(X)]], false, 7);
    // IRIW: four conflicts, one cycle of all.
    check(&[&[W(X, 1)], &[W(Y, 1)], &[R(X), R(Y)], &[R(Y), R(X)]], false, 15);
}
