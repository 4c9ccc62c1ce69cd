//! A lift as a [`System`]: a cabin in a shaft, a motor, doors, buttons on every floor and one that opens the doors from
//! within. The property: the motor never runs while the doors are open.
//!
//! The controller looks at the doors first and starts the motor a moment later. Between the two, a passenger may open
//! the doors, unless the controller locks them while it plans. Both designs are checked here:
//!
//! ```text
//! cargo run --release --example lift
//! ```
#![allow(clippy::print_stdout)]

use mazurka::{Access, ActorId, Check, Description, Narrator, ObjectId, Outcome, Step, System, Traits, Value};
use std::process::ExitCode;

const FLOORS: usize = 4;

/// Who moves: a button on each floor, and then these.
const CONTROLLER: ActorId = ActorId(FLOORS as u32);
const CABIN: ActorId = ActorId(FLOORS as u32 + 1);
const DOOR_BUTTON: ActorId = ActorId(FLOORS as u32 + 2);

/// What several actors look at or change: the calls of the floors, and then these. The controller's plan is not here: it
/// belongs to the controller alone.
const FLOOR: ObjectId = ObjectId(FLOORS as u32);
const MOTOR: ObjectId = ObjectId(FLOORS as u32 + 1);
const DOORS: ObjectId = ObjectId(FLOORS as u32 + 2);
const LOCK: ObjectId = ObjectId(FLOORS as u32 + 3);
const SENSOR: ObjectId = ObjectId(FLOORS as u32 + 4);

fn call(floor: usize) -> ObjectId {
    ObjectId(floor as u32)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Motor {
    Stopped,
    Up,
    Down,
}

impl Motor {
    fn name(self) -> &'static str {
        match self {
            Motor::Stopped => "stopped",
            Motor::Up => "up",
            Motor::Down => "down",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    floor: usize,
    motor: Motor,
    doors_open: bool,
    doors_locked: bool,
    /// The cabin has come to a floor, and the controller has not yet said whether it stops there.
    at_sensor: bool,
    /// For each floor, whether somebody waits for the lift.
    calls: [bool; FLOORS],
    /// The direction in which the controller is about to start the motor.
    plan: Option<Motor>,
}

/// What the controller does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Start(Motor),
    StopHere,
    GoOn,
    OpenDoors,
    CloseDoors,
    Plan(Motor),
}

struct Lift {
    /// Whether the controller locks the doors before it starts the motor.
    locks_doors: bool,
}

impl Lift {
    /// What the controller does in this state, if there is something to do.
    fn action(&self, state: &State) -> Option<Action> {
        if let Some(direction) = state.plan {
            return Some(Action::Start(direction));
        }
        let called_here = state.calls[state.floor];
        if state.motor != Motor::Stopped {
            return state.at_sensor.then_some(if called_here { Action::StopHere } else { Action::GoOn });
        }
        if called_here {
            return Some(Action::OpenDoors);
        }
        // The nearest call wins, the one below where two are equally near.
        let next = (0..FLOORS).filter(|&floor| state.calls[floor]).min_by_key(|floor| floor.abs_diff(state.floor))?;
        if state.doors_open {
            return Some(Action::CloseDoors);
        }
        Some(Action::Plan(if next > state.floor { Motor::Up } else { Motor::Down }))
    }

    fn control(&self, state: &mut State, step: &mut Step) {
        // To find out what to do, the controller looks at everything but the lock.
        for object in [FLOOR, MOTOR, DOORS, SENSOR].into_iter().chain((0..FLOORS).map(call)) {
            step.read(object);
        }
        match self.action(state) {
            None => {}
            Some(Action::Plan(direction)) => {
                state.plan = Some(direction);
                if self.locks_doors {
                    step.write(LOCK);
                    state.doors_locked = true;
                }
            }
            Some(Action::Start(direction)) => {
                step.write(MOTOR);
                state.motor = direction;
                state.plan = None;
                step.assert(!state.doors_open, "the motor never runs while the doors are open");
            }
            Some(Action::GoOn) => {
                step.write(SENSOR);
                state.at_sensor = false;
            }
            Some(Action::StopHere) => {
                step.write(SENSOR);
                step.write(MOTOR);
                step.write(LOCK);
                state.at_sensor = false;
                state.motor = Motor::Stopped;
                state.doors_locked = false;
            }
            Some(Action::OpenDoors) => {
                step.write(call(state.floor));
                step.write(DOORS);
                state.calls[state.floor] = false;
                state.doors_open = true;
            }
            Some(Action::CloseDoors) => {
                step.write(DOORS);
                state.doors_open = false;
            }
        }
    }

    fn ride(&self, state: &mut State, step: &mut Step) {
        step.read(MOTOR);
        step.write(SENSOR);
        step.write(FLOOR);
        let next = match state.motor {
            Motor::Up => state.floor + 1,
            _ => state.floor.wrapping_sub(1),
        };
        step.assert(next < FLOORS, "the cabin stays in its shaft");
        if next < FLOORS {
            state.floor = next;
        }
        state.at_sensor = true;
    }
}

impl System for Lift {
    type State = State;

    /// The cabin may stand on any floor when the power comes on.
    fn initial_states(&self) -> Vec<State> {
        let standing_on = |floor| State {
            floor,
            motor: Motor::Stopped,
            doors_open: false,
            doors_locked: false,
            at_sensor: false,
            calls: [false; FLOORS],
            plan: None,
        };
        (0..FLOORS).map(standing_on).collect()
    }

    fn enabled(&self, state: &State, into: &mut Vec<ActorId>) {
        into.extend((0..FLOORS).filter(|&floor| !state.calls[floor]).map(|floor| ActorId(floor as u32)));
        if self.action(state).is_some() {
            into.push(CONTROLLER);
        }
        if state.motor != Motor::Stopped && !state.at_sensor {
            into.push(CABIN);
        }
        // The door machine works at a standstill only, and not while it is locked.
        if state.motor == Motor::Stopped && !state.doors_open && !state.doors_locked {
            into.push(DOOR_BUTTON);
        }
    }

    fn step(&self, state: &mut State, actor: ActorId, step: &mut Step) {
        match actor {
            CONTROLLER => self.control(state, step),
            CABIN => self.ride(state, step),
            DOOR_BUTTON => {
                step.read(MOTOR);
                step.read(LOCK);
                step.write(DOORS);
                state.doors_open = true;
            }
            button => {
                step.write(call(button.index()));
                state.calls[button.index()] = true;
            }
        }
    }

    fn traits(&self) -> Traits {
        // Everything here happens again and again.
        Traits { events: true, ..Traits::default() }
    }

    fn narrator(&self) -> &dyn Narrator<State> {
        self
    }
}

impl Narrator<State> for Lift {
    fn actor_name(&self, actor: ActorId) -> String {
        match actor {
            CONTROLLER => "controller".to_owned(),
            CABIN => "cabin".to_owned(),
            DOOR_BUTTON => "door button".to_owned(),
            button => format!("button on floor {}", button.0),
        }
    }

    fn object_name(&self, object: ObjectId) -> String {
        match object {
            FLOOR => "the floor".to_owned(),
            MOTOR => "the motor".to_owned(),
            DOORS => "the doors".to_owned(),
            LOCK => "the door lock".to_owned(),
            SENSOR => "the floor sensor".to_owned(),
            call => format!("the call from floor {}", call.0),
        }
    }

    fn touch_verb(&self, _object: ObjectId, access: Access) -> &'static str {
        if access.changes() { "changed" } else { "looked at" }
    }

    fn describe(&self, state: &State, actor: ActorId, _outcome: Outcome) -> Description {
        let text = match (actor, self.action(state)) {
            (CONTROLLER, Some(Action::Start(direction))) => format!("start the motor: {}", direction.name()),
            (CONTROLLER, Some(Action::Plan(direction))) => format!("doors shut: plan to go {}", direction.name()),
            (CONTROLLER, Some(Action::StopHere)) => "stop here".to_owned(),
            (CONTROLLER, Some(Action::GoOn)) => "go on".to_owned(),
            (CONTROLLER, Some(Action::OpenDoors)) => "open the doors".to_owned(),
            (CONTROLLER, Some(Action::CloseDoors)) => "shut the doors".to_owned(),
            (CABIN, _) => "ride to the next floor".to_owned(),
            (DOOR_BUTTON, _) => "open the doors".to_owned(),
            _ => "call the lift".to_owned(),
        };
        Description { text, location: None }
    }

    fn observe(&self, state: &State, into: &mut Vec<Value>) {
        let mut show = |name: &str, value: String| into.push(Value { name: name.to_owned(), value });
        show("floor", state.floor.to_string());
        show("motor", state.motor.name().to_owned());
        show("doors", if state.doors_open { "open" } else { "shut" }.to_owned());
        show("lock", if state.doors_locked { "on" } else { "off" }.to_owned());
        let calls: Vec<String> =
            (0..FLOORS).filter(|&floor| state.calls[floor]).map(|floor| floor.to_string()).collect();
        show("calls", format!("[{}]", calls.join(", ")));
    }
}

fn main() -> ExitCode {
    let right = Check::new(&Lift { locks_doors: true }).name("a lift that locks its doors").run();
    println!("A lift that locks its doors before it starts:\n\n{right}");
    let wrong = Check::new(&Lift { locks_doors: false }).name("a lift that does not").run();
    println!("A lift that only looks whether they are shut:\n\n{wrong}");
    if right.is_verified() && !wrong.is_verified() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka::Verdict;

    #[test]
    fn a_lift_that_locks_its_doors_is_safe() {
        Check::new(&Lift { locks_doors: true }).run().assert_verified();
    }

    #[test]
    fn a_lift_that_only_looks_is_not() {
        let checked = Check::new(&Lift { locks_doors: false }).all().run();
        assert_eq!(checked.exploration.verdict, Verdict::Violated);
        assert_eq!(checked.stories.len(), 1);
        // Somebody calls, the controller plans, a passenger opens the doors, the controller starts the motor.
        assert_eq!(checked.stories[0].rows.len(), 4);
    }
}
