//! Each kind of finding, with its words: what is found in a small home, and what is not once it is mended.

use mazurka_core::{Counter, Silent};
use mazurka_engines::{Engine, explore};
use mazurka_hass::config::{Memory, read_files};
use mazurka_hass::{Home, OneSlice, Options};

/// What is found in some automations, without doubles.
fn found_with(text: &str, options: &Options) -> Vec<String> {
    let configuration = read_files(&mut Memory::new([("automations.yaml", text)]), &["automations.yaml".to_owned()])
        .expect("it can be read");
    assert!(configuration.broken.is_empty(), "{:?}", configuration.broken);
    let home = Home::new(configuration, &[], options).expect("there are automations");
    let mut found = Vec::new();
    for slice in 0..home.slice_count().0 {
        let all = mazurka_engines::Options { all: true, ..mazurka_engines::Options::default() };
        let explored = explore(Engine::Exhaustive, &OneSlice(&home, slice), &all, &mut Silent);
        found.extend(explored.violations.into_iter().map(|found| found.violation.message));
    }
    found.sort();
    found.dedup();
    found
}

fn found(text: &str) -> Vec<String> {
    found_with(text, &Options { unavailable: false, ..Options::default() })
}

const HALL: &str = "
- alias: Hall on
  triggers: {trigger: state, entity_id: binary_sensor.hall, to: 'on'}
  actions: {action: light.turn_on, target: {entity_id: light.hall}}
- alias: Hall off
  triggers: {trigger: state, entity_id: binary_sensor.hall, to: 'off'}
  actions: {action: light.turn_off, target: {entity_id: light.hall}}
";

#[test]
fn a_fight_names_both_places_and_what_helps() {
    let text = "
- alias: Good night
  triggers: {trigger: state, entity_id: binary_sensor.bed, to: 'on'}
  actions: {action: light.turn_off, target: {entity_id: light.hall}}
- alias: Welcome
  triggers: {trigger: state, entity_id: binary_sensor.bed, to: 'on'}
  actions: {action: light.turn_on, target: {entity_id: light.hall}}
";
    let found = found(text);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(
        found[0],
        "\"Good night\" turns light.hall off, and \"Welcome\" turns light.hall on (automations.yaml:4 and automations.yaml:7), both because of one event; which of them wins depends on the order in which Home Assistant calls them, and that changes when you edit one of them: make them one automation with `choose`, or let one ask for a condition that the other one excludes"
    );
}

#[test]
fn what_follows_from_the_first_one_is_said_to() {
    let text = "
- alias: Hall on
  triggers: {trigger: state, entity_id: binary_sensor.hall, to: 'on'}
  actions: {action: input_boolean.turn_on, target: {entity_id: input_boolean.hall}}
- alias: Never on
  triggers: {trigger: state, entity_id: input_boolean.hall, to: 'on'}
  actions: {action: input_boolean.turn_off, target: {entity_id: input_boolean.hall}}
";
    let found = found(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("\"Never on\" follows from what was done first, and undoes it"), "{found:?}");
}

#[test]
fn whether_one_runs_may_depend_on_the_order() {
    let text = "
- alias: First
  triggers: {trigger: state, entity_id: binary_sensor.x, to: 'on'}
  actions: {action: input_boolean.turn_on, target: {entity_id: input_boolean.y}}
- alias: Second
  triggers: {trigger: state, entity_id: binary_sensor.x, to: 'on'}
  conditions: {condition: state, entity_id: input_boolean.y, state: 'off'}
  actions: {action: input_boolean.turn_on, target: {entity_id: input_boolean.z}}
- alias: Third
  triggers: {trigger: state, entity_id: binary_sensor.w, to: 'on'}
  actions: [{action: input_boolean.turn_on, target: {entity_id: input_boolean.y}}, {action: input_boolean.turn_on, target: {entity_id: input_boolean.z}}]
";
    let found = found(text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("order: \"Second\" does not run because \"First\" (automations.yaml:2), which has the same trigger, is called before it"), "{found:?}");
}

#[test]
fn a_full_queue_loses_triggers_too() {
    let text = "
- alias: Stairs
  mode: queued
  max: 1
  triggers: {trigger: state, entity_id: binary_sensor.stairs, to: 'on'}
  actions:
    - {action: light.turn_on, target: {entity_id: light.stairs}}
    - delay: '00:05:00'
    - {action: light.turn_off, target: {entity_id: light.stairs}}
";
    assert_eq!(
        found(text),
        [
            "lost trigger: \"Stairs\" was triggered again while it waited, at automations.yaml:8, `mode: queued` ignored that, and it turns light.stairs off too early; try `mode: restart`"
        ]
    );
    assert_eq!(found(&text.replace("queued\n  max: 1", "restart")), Vec::<String>::new());
}

#[test]
fn a_device_that_comes_back_is_no_news() {
    let shaky = Options::default();
    let found = found_with(HALL, &shaky);
    assert!(
        found.iter().any(|found| *found == "unavailable: binary_sensor.hall comes back from unavailable as it was before, and for that \"Hall on\" sets light.hall; try `not_from: [unavailable, unknown]`"),
        "{found:?}"
    );
    let mended = HALL
        .replace("to: 'on'", "to: 'on', not_from: [unavailable, unknown]")
        .replace("to: 'off'", "to: 'off', from: 'on'");
    assert_eq!(found_with(&mended, &shaky), Vec::<String>::new());
}

#[test]
fn takeovers_are_told_on_request() {
    assert_eq!(found(HALL), Vec::<String>::new());
    let found = found_with(HALL, &Options { takeovers: true, unavailable: false, ..Options::default() });
    assert_eq!(
        found,
        [
            "takeover: \"Hall off\" turns light.hall off, and later, because of another event, \"Hall on\" turns light.hall on (automations.yaml:7 and automations.yaml:4)",
            "takeover: \"Hall on\" turns light.hall on, and later, because of another event, \"Hall off\" turns light.hall off (automations.yaml:4 and automations.yaml:7)",
        ]
    );
}

/// What is found where all automations stand in one slice, and nobody operates a device by hand; with the number of states.
fn found_together(text: &str, names: &[&str]) -> (Vec<String>, u64) {
    let configuration = read_files(&mut Memory::new([("automations.yaml", text)]), &["automations.yaml".to_owned()])
        .expect("it can be read");
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let options = Options { unavailable: false, hands: false, ..Options::default() };
    let home = Home::new(configuration, &names, &options).expect("they are there");
    let all = mazurka_engines::Options { all: true, ..mazurka_engines::Options::default() };
    let explored = explore(Engine::Exhaustive, &OneSlice(&home, 0), &all, &mut Silent);
    let states = explored.statistics.get(Counter::States).unwrap_or(0);
    (explored.violations.into_iter().map(|found| found.violation.message).collect(), states)
}

#[test]
fn two_that_close_one_cover_do_not_fight() {
    let text = |second: &str| {
        format!(
            "
- alias: Evening
  triggers: {{trigger: state, entity_id: binary_sensor.dark, to: 'on'}}
  actions: {{action: cover.close_cover, target: {{entity_id: cover.blind}}}}
- alias: Evening again
  triggers: {{trigger: state, entity_id: binary_sensor.dark, to: 'on'}}
  actions: {{action: cover.{second}, target: {{entity_id: cover.blind}}}}
- alias: Tell
  triggers: {{trigger: state, entity_id: cover.blind, to: closing}}
  actions: {{action: notify.all, data: {{message: The blind is closing}}}}
"
        )
    };
    // The second one finds it closed, and reports that it is closing on its way there.
    assert_eq!(found(&text("close_cover")), Vec::<String>::new());
    assert_eq!(found(&text("open_cover")).len(), 2);
}

#[test]
fn an_automation_that_is_off_does_nothing_until_it_is_turned_on() {
    let fight = |state: &str| {
        format!(
            "
- alias: Good night
  initial_state: {state}
  triggers: {{trigger: state, entity_id: input_boolean.night, to: 'on'}}
  actions: {{action: light.turn_off, target: {{entity_id: light.hall}}}}
- alias: Night light
  triggers: {{trigger: state, entity_id: input_boolean.night, to: 'on'}}
  actions: {{action: light.turn_on, target: {{entity_id: light.hall}}}}
"
        )
    };
    // A text is a boolean here, as it is in Home Assistant.
    for (state, count) in [("true", 2), ("'on'", 2), ("false", 0), ("off", 0), ("'off'", 0), ("'False'", 0), ("0", 0)] {
        assert_eq!(found(&fight(state)).len(), count, "initial_state: {state}");
    }
}

#[test]
fn timers_never_go_off_in_an_order_that_their_lengths_exclude() {
    // Both begin with the same event. "Late" asks whether "Early" has been there.
    let text = |early: u32, late: u32| {
        format!(
            "
- alias: Early
  triggers: {{trigger: state, entity_id: binary_sensor.x, to: 'on'}}
  actions: [{{delay: {early}}}, {{action: switch.turn_on, target: {{entity_id: switch.a}}}}]
- alias: Late
  triggers: {{trigger: state, entity_id: binary_sensor.x, to: 'on'}}
  actions:
    - delay: {late}
    - {{condition: state, entity_id: switch.a, state: 'off'}}
    - {{action: switch.turn_on, target: {{entity_id: switch.bad}}}}
- alias: Bad on
  triggers: {{trigger: state, entity_id: switch.bad, to: 'on'}}
  actions: {{action: input_number.set_value, target: {{entity_id: input_number.n}}, data: {{value: 1}}}}
- alias: Bad off
  triggers: {{trigger: state, entity_id: switch.bad, to: 'on'}}
  actions: {{action: input_number.set_value, target: {{entity_id: input_number.n}}, data: {{value: 2}}}}
"
        )
    };
    let names = ["Early", "Late", "Bad on", "Bad off"];
    assert_eq!(found_together(&text(120, 300), &names).0, Vec::<String>::new());
    // A device answers within ten seconds: that much may pass after the delay.
    assert!(!found_together(&text(120, 125), &names).0.is_empty());
    assert!(!found_together(&text(300, 120), &names).0.is_empty());
}

#[test]
fn one_timer_alone_costs_nothing() {
    let text = |length: u32| {
        format!(
            "
- alias: Stairs
  mode: restart
  triggers: {{trigger: state, entity_id: binary_sensor.stairs, to: 'on'}}
  actions:
    - {{action: light.turn_on, target: {{entity_id: light.stairs}}}}
    - delay: {length}
    - {{action: light.turn_off, target: {{entity_id: light.stairs}}}}
"
        )
    };
    let (found, states) = found_together(&text(300), &["Stairs"]);
    assert_eq!((found.len(), states), (0, 18));
    assert_eq!(found_together(&text(86_000), &["Stairs"]).1, 18, "a longer delay has as many states");
}

#[test]
fn weekdays_keep_automations_apart() {
    let text = "
- alias: Bins out
  triggers: {trigger: time, at: '18:00:00'}
  conditions: {condition: time, weekday: [mon]}
  actions: {action: switch.turn_on, target: {entity_id: switch.reminder}}
- alias: Bins in
  triggers: {trigger: time, at: '18:00:00'}
  conditions: {condition: time, weekday: [tue, wed]}
  actions: {action: switch.turn_off, target: {entity_id: switch.reminder}}
- alias: Paper out
  triggers: {trigger: time, at: '18:00:00'}
  conditions: {condition: time, weekday: [thu]}
  actions: {action: switch.turn_on, target: {entity_id: switch.reminder}}
";
    assert_eq!(found(text), Vec::<String>::new());
}

#[test]
fn conditions_on_a_lamp_are_asked_before_it_answers() {
    let text = "
- alias: Kitchen on
  triggers: {trigger: event, event_type: click, event_data: {button: kitchen}}
  conditions: {condition: state, entity_id: light.kitchen, state: 'off'}
  actions: {action: light.turn_on, target: {entity_id: light.kitchen}}
- alias: Kitchen off
  triggers: {trigger: event, event_type: click, event_data: {button: kitchen}}
  conditions: {condition: state, entity_id: light.kitchen, state: 'on'}
  actions: {action: light.turn_off, target: {entity_id: light.kitchen}}
";
    assert_eq!(found(text), Vec::<String>::new());
}
