//! Dining philosophers: each takes the fork on the left, then the one on the right, and eats. All of them with one fork in
//! hand is a deadlock, unless one of them begins with the other hand:
//!
//! ```text
//! cargo run --release --example dining-philosophers
//! ```
#![allow(clippy::print_stdout)]

use mazurka::{Check, Model};
use std::process::ExitCode;

fn table(seats: usize, one_is_left_handed: bool) -> Model {
    let mut model = Model::new();
    let forks: Vec<_> = (0..seats).map(|n| model.mutex(format!("fork {n}"))).collect();
    for n in 0..seats {
        let (mut first, mut second) = (forks[n], forks[(n + 1) % seats]);
        if one_is_left_handed && n == 0 {
            std::mem::swap(&mut first, &mut second);
        }
        let meals = model.variable(format!("meals of philosopher {n}"), 0);
        model.thread(format!("philosopher {n}"), |t| {
            t.lock(first);
            t.lock(second);
            t.step("eat").then(move |s| s[meals] += 1);
            t.unlock(second);
            t.unlock(first);
        });
    }
    model
}

fn main() -> ExitCode {
    let right = Check::new(&table(4, true)).name("one philosopher begins with the other hand").run();
    let wrong = Check::new(&table(4, false)).name("all begin with the same hand").run();
    println!("{right}\n{wrong}");
    if right.is_verified() && !wrong.is_verified() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[test]
fn one_must_begin_with_the_other_hand() {
    Check::new(&table(4, true)).run().assert_verified();
    let wrong = Check::new(&table(4, false)).run();
    assert_eq!(wrong.stories[0].violation.kind, mazurka::ViolationKind::Deadlock);
    assert_eq!(wrong.stories[0].rows.len(), 4, "each takes one fork");
}
