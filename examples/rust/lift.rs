//! A lift: a cabin in a shaft, a motor, doors, buttons on every floor and one that opens the doors from within. The
//! property: the motor never runs while the doors are open.
//!
//! The controller looks at the doors first and starts the motor a moment later. Between the two, a passenger may open
//! the doors, unless the controller locks them while it plans. Both designs are checked here:
//!
//! ```text
//! cargo run --release --example lift
//! ```
#![allow(clippy::print_stdout)]

use mazurka::Check;
use mazurka::model::{Model, View};
use std::process::ExitCode;

const FLOORS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Motor {
    Stopped,
    Up,
    Down,
}
use Motor::{Down, Stopped, Up};

/// The controller locks the doors before it starts the motor, or it does not.
fn lift(locks_doors: bool) -> Model {
    let mut model = Model::new();
    // The cabin may stand on any floor when the power comes on.
    let floor = model.variable_among("floor", 0..FLOORS);
    let motor = model.variable("motor", Stopped);
    let doors_open = model.variable("doors are open", false);
    let doors_locked = model.variable("doors are locked", false);
    // The cabin has come to a floor, and the controller has not yet said whether it stops there.
    let at_sensor = model.variable("cabin is at the sensor", false);
    // The direction in which the controller is about to start the motor.
    let plan = model.variable("plan", None);
    let calls: [_; FLOORS] = std::array::from_fn(|n| model.variable(format!("call from floor {n}"), false));

    for (n, call) in calls.into_iter().enumerate() {
        model.event(format!("call from floor {n}")).when(move |s| !s[call]).then(move |s| s[call] = true);
    }
    // The door machine works at a standstill only, and not while it is locked.
    model
        .event("open the doors from within")
        .when(move |s| s[motor] == Stopped && !s[doors_open] && !s[doors_locked])
        .then(move |s| s[doors_open] = true);
    model.event("ride to the next floor").when(move |s| s[motor] != Stopped && !s[at_sensor]).then(move |s| {
        let next = if s[motor] == Up { s[floor] + 1 } else { s[floor].wrapping_sub(1) };
        s.assert(next < FLOORS, "the cabin stays in its shaft");
        s[floor] = next.min(FLOORS - 1);
        s[at_sensor] = true;
    });

    // What the controller does.
    model.event("go on").when(move |s| s[at_sensor] && !s[calls[s[floor]]]).then(move |s| s[at_sensor] = false);
    model.event("stop here").when(move |s| s[at_sensor] && s[calls[s[floor]]]).then(move |s| {
        s[at_sensor] = false;
        s[motor] = Stopped;
        s[doors_locked] = false;
    });
    let may_open = move |s: &View<'_>| s[plan].is_none() && s[motor] == Stopped && s[calls[s[floor]]];
    model.event("open the doors").when(may_open).then(move |s| {
        let here = calls[s[floor]];
        s[here] = false;
        s[doors_open] = true;
    });
    let is_called_elsewhere = move |s: &View<'_>| {
        s[plan].is_none() && s[motor] == Stopped && !s[calls[s[floor]]] && calls.iter().any(|&call| s[call])
    };
    let shut = model.event("shut the doors").when(is_called_elsewhere).when(move |s| s[doors_open]);
    shut.then(move |s| s[doors_open] = false);
    model.event("plan").when(is_called_elsewhere).when(move |s| !s[doors_open]).then(move |s| {
        // The nearest call wins, the one below where two are equally near.
        let called = (0..FLOORS).filter(|&n| s[calls[n]]);
        let next = called.min_by_key(|n| n.abs_diff(s[floor])).unwrap_or(s[floor]);
        s[plan] = Some(if next > s[floor] { Up } else { Down });
        s[doors_locked] = locks_doors;
    });
    model.event("start the motor").when(move |s| s[plan].is_some()).then(move |s| {
        s[motor] = s[plan].unwrap_or(Stopped);
        s[plan] = None;
    });
    let safe = |(motor, doors_open): (_, bool)| motor == Stopped || !doors_open;
    model.invariant("the motor never runs while the doors are open", (motor, doors_open), safe);
    model
}

fn main() -> ExitCode {
    let right = Check::new(&lift(true)).name("a lift that locks its doors").run();
    println!("A lift that locks its doors before it starts:\n\n{right}");
    let wrong = Check::new(&lift(false)).name("a lift that does not").run();
    println!("A lift that only looks whether they are shut:\n\n{wrong}");
    if right.is_verified() && !wrong.is_verified() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[test]
fn a_lift_that_locks_its_doors_is_safe() {
    Check::new(&lift(true)).run().assert_verified();
}

#[test]
fn a_lift_that_only_looks_is_not() {
    let checked = Check::new(&lift(false)).all().run();
    assert_eq!(checked.exploration.verdict, mazurka::Verdict::Violated);
    assert_eq!(checked.stories.len(), 1);
    // A passenger calls, the controller plans, another one opens the doors, the controller starts the motor.
    assert_eq!(checked.stories[0].rows.len(), 4);
}
