//! An airlock: two doors, of which one is always shut. Each door looks at the other one before it opens.
//!
//! A door that looks and opens in one step is safe. One that looks first and opens a moment later is not:
//!
//! ```text
//! cargo run --release --example airlock
//! ```
#![allow(clippy::print_stdout)]

use mazurka::{Check, Model};
use std::process::ExitCode;

fn airlock(looks_and_opens_at_once: bool) -> Model {
    let mut model = Model::new();
    let doors = ["left door", "right door"].map(|name| model.variable(name, false));
    for (mine, other, name) in [(doors[0], doors[1], "left"), (doors[1], doors[0], "right")] {
        model.event(format!("shut the {name} door")).when(move |s| s[mine]).then(move |s| s[mine] = false);
        if looks_and_opens_at_once {
            model.event(format!("open the {name} door")).when(move |s| !s[other]).then(move |s| s[mine] = true);
        } else {
            let may_open = model.variable(format!("the {name} door may open"), false);
            model.event(format!("look from the {name} door")).then(move |s| s[may_open] = !s[other]);
            model.event(format!("open the {name} door")).when(move |s| s[may_open]).then(move |s| s[mine] = true);
        }
    }
    model.invariant("one of the doors is shut", doors, |[left, right]| !(left && right));
    model
}

fn main() -> ExitCode {
    let right = Check::new(&airlock(true)).name("doors that look and open in one step").run();
    let wrong = Check::new(&airlock(false)).name("doors that look first").run();
    println!("{right}\n{wrong}");
    if right.is_verified() && !wrong.is_verified() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[test]
fn a_door_must_look_and_open_in_one_step() {
    Check::new(&airlock(true)).run().assert_verified();
    let wrong = Check::new(&airlock(false)).run();
    assert_eq!(wrong.exploration.verdict, mazurka::Verdict::Violated);
    assert_eq!(wrong.stories[0].rows.len(), 4, "both look, and both open");
}
