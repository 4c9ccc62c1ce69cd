//! What is told of a violation: the sentence, and the two steps that it is about.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{app, home};
use mazurka_core::{Found, Narrator, Silent, ViolationKind};
use mazurka_engines::{Engine, Options, explore};
use mazurka_home::Home;

fn found(home: &Home) -> Vec<Found> {
    let options = Options { all: true, threads: 1, ..Options::default() };
    explore(Engine::Exhaustive, home, &options, &mut Silent).violations
}

/// Waters at sunset; closes the valve and sends messages when there is a leak, and for other reasons.
fn valve() -> [String; 2] {
    let guard = app(
        "Guard",
        "input \"water\", \"capability.waterSensor\"\ninput \"valve\", \"capability.valve\"\ninput \"eye\", \"capability.motionSensor\"",
        "def installed() { subscribe(water, \"water.wet\", wet); subscribe(eye, \"motion\", seen) }
         def wet(evt) { sendPush(\"before\"); valve.close(); sendPush(\"after\") }
         def seen(evt) { sendPush(\"somebody is there\") }",
    );
    let garden = app(
        "Garden",
        "input \"valve\", \"capability.valve\"",
        "def installed() { subscribe(location, \"sunset\", dusk) }\ndef dusk(evt) { valve.open(); sendPush(\"watering\") }",
    );
    [guard, garden]
}

#[test]
fn the_reason_is_what_was_undone_and_not_a_message() {
    let home = home(&valve());
    let told: Vec<String> = found(&home).iter().map(|found| home.explain(found).unwrap()).collect();
    assert_eq!(
        told,
        [
            "when the sun sets, \"Garden\" opens the valve; when the water sensor gets wet after that, \"Guard\" closes the valve",
            "when the water sensor gets wet, \"Guard\" closes the valve; when the sun sets after that, \"Garden\" opens the valve",
        ]
    );
}

#[test]
fn the_race_is_about_the_steps_of_the_sentence() {
    let home = home(&valve());
    for found in found(&home) {
        assert_eq!(found.violation.kind, ViolationKind::Conflict);
        let race = home.told_steps(&found).expect("the sentence names its steps").expect("there are two of them");
        let name = |step: usize| home.actor_name(found.schedule.moves[step].actor);
        let mut names = [name(race.first), name(race.second)];
        names.sort();
        assert_eq!(names, ["sunset", "water sensor gets wet"]);
        assert_eq!(race.second + 1, found.schedule.moves.len());
        assert_eq!(home.object_name(race.object), "valve");
    }
}

#[test]
fn a_fight_within_one_event_has_no_race() {
    let on = app(
        "On",
        "input \"light\", \"capability.switch\"\ninput \"eye\", \"capability.motionSensor\"",
        "def installed() { subscribe(eye, \"motion.active\", h) }\ndef h(evt) { light.on() }",
    );
    let off = on.replace("\"On\"", "\"Off\"").replace("light.on()", "light.off()");
    let home = home(&[on, off]);
    let together = found(&home).into_iter().find(|found| found.schedule.moves.len() == 1).expect("one event is enough");
    assert!(home.explain(&together).unwrap().contains(", and then "));
    assert_eq!(home.told_steps(&together), Some(None));
}
