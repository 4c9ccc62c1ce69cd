//! A bounded queue: producers and consumers share a buffer, a lock and two conditions.
//!
//! With one condition for both, a signal may wake the wrong thread, and all of them wait for ever:
//!
//! ```text
//! cargo run --release --example bounded-queue
//! ```
#![allow(clippy::print_stdout)]

use mazurka::{Check, Model};
use std::process::ExitCode;

fn bounded_queue(capacity: usize, pairs: usize, items: usize, two_conditions: bool) -> Model {
    let mut model = Model::new();
    let buffer = model.variable("buffer", Vec::new());
    let lock = model.mutex("the mutex");
    let not_full = model.condition("not full");
    let not_empty = if two_conditions { model.condition("not empty") } else { not_full };
    for n in 0..pairs {
        model.thread(format!("producer {n}"), |t| {
            for _ in 0..items {
                t.lock(lock);
                t.repeat_while("full?", move |s| s[buffer].len() == capacity, |t| t.wait(not_full, lock));
                t.step("put").then(move |s| s[buffer].push(n));
                t.signal(not_empty);
                t.unlock(lock);
            }
        });
        model.thread(format!("consumer {n}"), |t| {
            for _ in 0..items {
                t.lock(lock);
                t.repeat_while("empty?", move |s| s[buffer].is_empty(), |t| t.wait(not_empty, lock));
                t.step("take").then(move |s| {
                    s[buffer].remove(0);
                });
                t.signal(not_full);
                t.unlock(lock);
            }
        });
    }
    model.invariant("the buffer has room", buffer, move |buffer| buffer.len() <= capacity);
    model
}

fn main() -> ExitCode {
    let right = Check::new(&bounded_queue(1, 2, 1, true)).name("a queue with two conditions").run();
    let wrong = Check::new(&bounded_queue(1, 2, 1, false)).name("a queue with one condition").run();
    println!("{right}\n{wrong}");
    if right.is_verified() && !wrong.is_verified() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[test]
fn a_queue_needs_two_conditions() {
    Check::new(&bounded_queue(1, 2, 1, true)).run().assert_verified();
    let wrong = Check::new(&bounded_queue(1, 2, 1, false)).run();
    assert_eq!(wrong.stories[0].violation.kind, mazurka::ViolationKind::Deadlock);
}
