//! The worked examples of the study of VMCAI 2022, with apps of our own that do the same. The published numbers count one
//! more state (before the initial choice) and one for each question about the past; what is compared here are the states
//! between events, and the transitions, which are events times those states.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{app, study};
use mazurka_core::{Counter, Silent, System};
use mazurka_engines::{Engine, Options, explore};

/// How many events there are, and how many states and transitions an engine sees.
fn counts(engine: Engine, apps: &[String]) -> (usize, u64, u64) {
    let home = study(apps);
    let options = Options { all: true, threads: 1, ..Options::default() };
    let exploration = explore(engine, &home, &options, &mut Silent);
    assert_eq!(exploration.violations, []);
    let count = |counter| exploration.statistics.get(counter).unwrap();
    let mut enabled = Vec::new();
    home.enabled(&home.initial_states()[0], &mut enabled);
    (enabled.len(), count(Counter::States), count(Counter::Transitions))
}

fn dark_places() -> String {
    app(
        "Light Dark Places",
        "input \"contact1\", \"capability.contactSensor\"\ninput \"light1\", \"capability.illuminanceMeasurement\"\n\
         input \"switches\", \"capability.switch\"",
        "def installed() { subscribe(contact1, \"contact.open\", opened) }
         def opened(evt) { if (light1.currentIlluminance < 10) { switches.on() } }",
    )
}

fn on_by_time() -> String {
    app(
        "On By Time",
        "input \"switches\", \"capability.switch\"",
        "def installed() { log.debug \"hello\"\n schedule(\"0 0 12 * * ?\", turnOn) }\ndef turnOn() { switches.on() }",
    )
}

#[test]
fn a_light_by_a_door_and_a_light_by_time() {
    // A.2 no. 224: 4 states, 6 transitions.
    assert_eq!(counts(Engine::Exhaustive, &[dark_places(), on_by_time()]), (2, 3, 6));
    assert_eq!(counts(Engine::Stateful, &[dark_places(), on_by_time()]).1, 3);
}

#[test]
fn two_lights_at_sunset() {
    let at = |name: &str, event: &str, now: &str| {
        app(
            name,
            "input \"switches\", \"capability.switch\"",
            &format!("def installed() {{ {now}subscribe(location, \"{event}\", h) }}\ndef h(evt) {{ switches.on() }}"),
        )
    };
    // A.2 no. 199: 7 states, 12 transitions, of which no reduction saves any.
    let apps = [at("At Sunset", "sunset", ""), at("Before Sunset", "sunsetTime", "switches.on(); ")];
    assert_eq!(counts(Engine::Exhaustive, &apps), (2, 6, 12));
    assert_eq!(counts(Engine::Stateful, &apps), (2, 6, 12));
}

#[test]
fn the_order_in_which_keys_come_into_the_state_is_part_of_it() {
    let welcome = app(
        "Welcome",
        "input \"people\", \"capability.presenceSensor\"\ninput \"door\", \"capability.contactSensor\"\n\
         input \"lights\", \"capability.switch\"",
        "def installed() { subscribe(people, \"presence.present\", came); subscribe(door, \"contact.open\", opened) }
         def came(evt) { state.lastPresence = now(); check() }
         def opened(evt) { state.lastContact = now(); check() }
         def check() { if (state.lastPresence && state.lastContact) { lights.on() } }",
    );
    // A.2 no. 205: 7 states, 12 transitions.
    assert_eq!(counts(Engine::Exhaustive, &[dark_places(), welcome]), (2, 6, 12));
}

#[test]
fn questions_about_the_past_are_choices() {
    let double = app(
        "Double Tap",
        "input \"master\", \"capability.switch\"",
        "def installed() { subscribe(master, \"switch\", h) }
         def h(evt) { def recent = master.eventsSince(new Date(now() - 4000)); if (recent) { master.on() } }",
    );
    let smart = app(
        "Smart Turn It On",
        "input \"people\", \"capability.presenceSensor\"\ninput \"light\", \"capability.switch\"",
        "def installed() { if (true) { schedule(\"x\", on) } }
         def on() { if (people.currentPresence.contains(\"present\")) { light.on(); runIn(60, off) } }
         def off() { light.off() }",
    );
    // The light is on or off, and so is the list's copy, by what there was to be seen when it was last turned by hand.
    let (events, states, _) = counts(Engine::Exhaustive, &[double, smart]);
    assert_eq!((events, states), (2, 8));
}

#[test]
fn too_hot_and_too_cold() {
    let by = |name: &str, condition: &str| {
        app(
            name,
            "input \"sensor\", \"capability.temperatureMeasurement\"\ninput \"limit\", \"number\"\ninput \"fan\", \"capability.switch\"",
            &format!(
                "def installed() {{ subscribe(sensor, \"temperature\", h) }}
                 def h(evt) {{ if (evt.doubleValue {condition} limit) {{ fan.on() }} }}"
            ),
        )
    };
    // A.2 no. 171: 6 states between events, 12 transitions.
    let apps = [by("Too Hot", ">="), by("Too Cold", "<=")];
    assert_eq!(counts(Engine::Exhaustive, &apps), (2, 6, 12));
    // In four of the states one of the events would report what is there already.
    assert_eq!(counts(Engine::Stateful, &apps), (2, 6, 8));
}

#[test]
fn a_lock_that_is_left_open() {
    let leave = app(
        "Lock When I Leave",
        "input \"people\", \"capability.presenceSensor\"\ninput \"door\", \"capability.lock\"",
        "def installed() { subscribe(people, \"presence\", moved) }
         def moved(evt) { if (evt.value == \"present\") { door.unlock() } else { door.lock() } }",
    );
    let left = app(
        "Left Unlocked",
        "input \"door\", \"capability.lock\"\ninput \"contact\", \"capability.contactSensor\"",
        "def installed() { subscribe(door, \"lock\", h) }
         def h(evt) { if (evt.value == \"unlocked\") { state.retries = 0; runIn(60, check) } }
         def check() { if (contact.currentContact == \"open\") { state.retries = state.retries + 1 } else { door.lock() } }",
    );
    // A.2 no. 181: 11 states, 40 transitions. The study's reduction loses two states: it does not see that an event which
    // does nothing has looked at the lock.
    assert_eq!(counts(Engine::Exhaustive, &[leave.clone(), left.clone()]), (4, 10, 40));
    assert_eq!(counts(Engine::Stateful, &[leave, left]).1, 10);
}

#[test]
fn a_switch_turned_by_hand_leaves_a_copy_behind() {
    let opened = app(
        "Light On Opening",
        "input \"door\", \"capability.contactSensor\"\ninput \"light\", \"capability.switch\"",
        "def installed() { subscribe(light, \"switch\", h); subscribe(door, \"contact.open\", opened) }
         def h(evt) { }
         def opened(evt) { light.on() }",
    );
    // With the door open from the start, the light is on or off, and `currentSwitch` stays on: 2. With the door closed, the
    // light is on or off and `currentSwitch` off, and from the opening on it is on: 4.
    assert_eq!(counts(Engine::Exhaustive, std::slice::from_ref(&opened)), (3, 6, 18));

    // What an app does to each device of a list does not reach the list: off by hand, on by hand, or on by the app.
    let each = opened.replace("light.on()", "light.each { it.on() }");
    assert_eq!(counts(Engine::Exhaustive, &[each]), (3, 7, 21));
    let stale =
        opened.replace("light.on()", "if (light.currentSwitch == \"off\") { state.seen = light[0].currentSwitch }");
    // Beside 2 with an open door: off and on before the opening, and after it each with what was seen then.
    assert_eq!(counts(Engine::Exhaustive, &[stale]), (3, 8, 24));
}

#[test]
fn the_first_tap_is_remembered() {
    let tapped = app("Tapped", "", "def installed() { subscribe(app, h) }\ndef h(evt) { }");
    assert_eq!(counts(Engine::Exhaustive, &[tapped]), (2, 4, 8));
}

#[test]
fn a_mode_that_an_app_has_set_is_another_one() {
    let home = app(
        "Home By Motion",
        "input \"eye\", \"capability.motionSensor\"",
        "def installed() { subscribe(location, changed); subscribe(eye, \"motion.active\", seen) }
         def changed(evt) { }
         def seen(evt) { setLocationMode(\"home\") }",
    );
    // Three modes where there is motion from the start; three before there is any, and after it four: home by the app's
    // doing is another state than home by the environment's.
    assert_eq!(counts(Engine::Exhaustive, &[home]), (4, 10, 40));
}

#[test]
fn a_variable_outside_of_all_methods_lasts() {
    let last = app(
        "Last Seen",
        "input \"door\", \"capability.contactSensor\"",
        "def installed() { subscribe(door, \"contact\", h) }\ndef last\ndef h(evt) { last = evt.value }",
    );
    assert_eq!(counts(Engine::Exhaustive, &[last]), (2, 6, 12));
}

#[test]
fn a_color_given_to_each_light_is_only_a_color() {
    let red = |how: &str| {
        app(
            "Red On Opening",
            "input \"door\", \"capability.contactSensor\"\ninput \"lights\", \"capability.colorControl\"",
            &format!(
                "def installed() {{ subscribe(door, \"contact\", h); subscribe(lights, \"hue\", hue) }}
                 def h(evt) {{ {how} }}
                 def hue(evt) {{ state.hue = evt.value }}"
            ),
        )
    };
    let study = |how: &str| counts(Engine::Exhaustive, &[red(how)]).1;
    // The hue is 10 after each move of the door and 50 by hand; from a blue start, the door's first move changes the color.
    assert_eq!(study("lights.setColor([hex: \"#FF0000\", hue: 10])"), 10);
    // The hue stays: blue, or red with the door open or closed; and red from the start, with the hue changed by hand or not.
    assert_eq!(study("lights.each { it.setColor([hex: \"#FF0000\", hue: 10]) }"), 7);
}
