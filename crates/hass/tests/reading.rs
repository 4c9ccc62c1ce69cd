//! Reading configurations: what is understood, what is refused, and that one fault takes nothing else with it.

use mazurka_hass::config::{Configuration, Memory, Problem, TriggerKind, read_configuration, read_files};

fn read(files: &[(&str, &str)]) -> Configuration {
    read_configuration(&mut Memory::new(files.iter().copied())).expect("there is a configuration")
}

fn names(configuration: &Configuration) -> Vec<&str> {
    configuration.automations.iter().map(|automation| automation.name.as_str()).collect()
}

fn told(configuration: &Configuration, problem: &Problem) -> String {
    format!("{}: {}; {}", configuration.shown(problem.place), problem.message, problem.expected)
}

fn problems(configuration: &Configuration) -> Vec<String> {
    configuration.problems.iter().map(|problem| told(configuration, problem)).collect()
}

const HALL: &str = "
- alias: Hall on
  triggers: {trigger: state, entity_id: binary_sensor.hall, to: 'on'}
  actions: {action: light.turn_on, target: {entity_id: light.hall}}
";

#[test]
fn includes_of_every_form_are_followed() {
    let one = "alias: One\ntrigger: {platform: state, entity_id: switch.a, to: 'on'}\naction: {service: switch.turn_off, entity_id: switch.b}\n";
    let two = "- alias: Two\n  trigger: {platform: time, at: '07:00:00'}\n  action: []\n";
    let configuration = read(&[
        (
            "configuration.yaml",
            "automation: !include automations.yaml
automation listed: !include_dir_list listed
automation merged: !include_dir_merge_list merged
script: !include_dir_merge_named scripts
input_boolean: !include_dir_named helpers
homeassistant:
  packages: !include_dir_named packages
",
        ),
        ("automations.yaml", HALL),
        ("listed/one.yaml", one),
        ("listed/.hidden.yaml", "nonsense"),
        ("merged/sub/two.yaml", two),
        ("merged/secrets.yaml", "x: 1"),
        ("scripts/a.yaml", "wake: {sequence: [{delay: 5}]}"),
        ("scripts/b.yaml", "sleep: {sequence: [{delay: '00:05'}]}"),
        ("helpers/guests.yaml", "initial: on"),
        (
            "packages/night.yaml",
            "automation:\n  - alias: Night\n    trigger: {platform: sun, event: sunset}\n    action: []\ninput_boolean:\n  night:\n",
        ),
    ]);
    assert_eq!(names(&configuration), ["Hall on", "One", "Two", "Night"]);
    let scripts: Vec<&str> = configuration.scripts.iter().map(|script| script.entity.as_str()).collect();
    assert_eq!(scripts, ["script.wake", "script.sleep"]);
    let helpers: Vec<(&str, Option<&str>)> =
        configuration.helpers.iter().map(|helper| (helper.entity.as_str(), helper.initial.as_deref())).collect();
    assert_eq!(helpers, [("input_boolean.guests", Some("on")), ("input_boolean.night", None)]);
    assert_eq!(problems(&configuration), Vec::<String>::new());
    assert!(configuration.broken.is_empty());
}

#[test]
fn one_broken_automation_leaves_the_others_alone() {
    let automations = format!(
        "{HALL}
- alias: Boolean
  triggers: {{trigger: state, entity_id: light.a, to: on}}
  actions: []
- alias: No trigger
  actions: []
- alias: Odd action
  triggers: []
  actions:
    - flip: light.a
- alias: Odd template
  triggers: {{trigger: template, value_template: '{{{{ states( }}}}'}}
  actions: []
- nothing
{}",
        HALL.replace("Hall on", "Hall again")
    );
    let configuration = read(&[("configuration.yaml", "automation: !include a.yaml"), ("a.yaml", &automations)]);
    assert_eq!(names(&configuration), ["Hall on", "Hall again"]);
    let broken: Vec<String> = configuration
        .broken
        .iter()
        .map(|broken| format!("{} at {}", broken.name, told(&configuration, &broken.problem)))
        .collect();
    assert_eq!(
        broken,
        [
            "Boolean at a.yaml:7: a boolean stands where a state is wanted; expected a text in quotes, as in \"on\"",
            "No trigger at a.yaml:9: the automation has no triggers; expected `triggers:`",
            "Odd action at a.yaml:14: an action that is not known, with `flip`; expected `action:`, `delay:`, `choose:` or another action",
            "Odd template at a.yaml:16: the template cannot be read: expected an expression; expected a template of Home Assistant",
        ]
    );
    assert_eq!(
        problems(&configuration),
        ["a.yaml:18: a text stands in a list of automations or scenes; expected a mapping"]
    );
}

#[test]
fn a_file_that_is_no_yaml_is_told_and_left_out() {
    let configuration = read(&[
        ("configuration.yaml", "automation: !include a.yaml\nautomation more: !include b.yaml\n"),
        ("a.yaml", "- alias: [\n"),
        ("b.yaml", HALL),
    ]);
    assert_eq!(names(&configuration), ["Hall on"]);
    assert_eq!(configuration.problems.len(), 1);
    assert!(problems(&configuration)[0].starts_with("a.yaml:"), "{:?}", problems(&configuration));
}

#[test]
fn nothing_is_included_twice_around_or_from_outside() {
    let configuration = read(&[
        (
            "configuration.yaml",
            "automation: !include a.yaml\nscript: !include ../outside.yaml\nscene: !include /etc/passwd\ngroup: !include gone.yaml\n",
        ),
        ("a.yaml", "!include b.yaml"),
        ("b.yaml", "!include a.yaml"),
    ]);
    assert_eq!(
        problems(&configuration),
        [
            "b.yaml:1: a.yaml includes itself; expected files that come to an end",
            "configuration.yaml:2: ../outside.yaml lies outside of the folder; expected a path inside of the configuration's folder",
            "configuration.yaml:3: /etc/passwd lies outside of the folder; expected a path inside of the configuration's folder",
            "configuration.yaml:4: there is no file gone.yaml; expected a file of the configuration",
        ]
    );
}

#[test]
fn aliases_of_all_files_together_are_counted() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        bomb += &format!("a{level}: &a{level} [{}]\n", format!("*a{},", level - 1).repeat(10));
    }
    let configuration = read(&[
        ("configuration.yaml", "automation: !include a.yaml\nsensor: !include bomb.yaml\n"),
        ("a.yaml", HALL),
        ("bomb.yaml", &bomb),
    ]);
    assert_eq!(names(&configuration), ["Hall on"]);
    assert!(problems(&configuration)[0].contains("more than 2000000 values"), "{:?}", problems(&configuration));
}

#[test]
fn secrets_come_from_beside_or_above() {
    let configuration = read(&[
        ("configuration.yaml", "automation: !include_dir_merge_list a\n"),
        ("secrets.yaml", "who: person.ann\n"),
        (
            "a/one.yaml",
            "- alias: !secret title\n  triggers: {trigger: state, entity_id: !secret who, to: home}\n  actions: []\n",
        ),
        ("a/secrets.yaml", "title: Welcome\n"),
    ]);
    assert_eq!(names(&configuration), ["Welcome"]);
    let TriggerKind::State { entities, .. } = &configuration.automations[0].triggers[0].kind else {
        panic!("a state trigger")
    };
    assert_eq!(entities, &["person.ann"]);
    let unknown =
        read(&[("configuration.yaml", "automation:\n  alias: !secret gone\n  triggers: []\n  actions: []\n")]);
    assert_eq!(names(&unknown), ["<secret gone>"]);
}

#[test]
fn blueprints_are_filled_in() {
    let blueprint = "
blueprint:
  name: Light by motion
  domain: automation
  input:
    motion: {selector: {entity: {filter: {domain: binary_sensor}}}}
    more:
      input:
        wait: {default: 120, selector: {number: {min: 0, max: 3600}}}
triggers: {trigger: state, entity_id: !input motion, to: 'on'}
actions:
  - delay: !input wait
mode: restart
";
    let uses = "
- alias: Filled
  use_blueprint: {path: me/light.yaml, input: {motion: binary_sensor.hall}}
- alias: Forgotten
  use_blueprint: {path: me/light.yaml}
- alias: Gone
  use_blueprint: {path: me/gone.yaml}
- alias: Outside
  use_blueprint: {path: ../../secrets.yaml}
";
    let files = [
        ("configuration.yaml", "automation: !include a.yaml"),
        ("a.yaml", uses),
        ("blueprints/automation/me/light.yaml", blueprint),
    ];
    let configuration = read(&files);
    assert_eq!(names(&configuration), ["Filled"]);
    assert_eq!(configuration.automations[0].mode.name(), "restart");
    let broken: Vec<String> = configuration.broken.iter().map(|broken| told(&configuration, &broken.problem)).collect();
    assert_eq!(
        broken,
        [
            "a.yaml:5: the input `motion` of the blueprint me/light.yaml is not given; expected a value under `input:`, since the blueprint has no default",
            "a.yaml:7: there is no file blueprints/automation/me/gone.yaml; expected a file of the configuration",
            "a.yaml:9: ../../secrets.yaml lies outside of the folder; expected a path below blueprints",
        ]
    );
    let mut alone = Memory::new([("light.yaml", blueprint)]);
    let alone = read_files(&mut alone, &["light.yaml".to_owned()]).expect("it is a blueprint");
    assert_eq!(names(&alone), ["Light by motion"]);
    let TriggerKind::State { entities, .. } = &alone.automations[0].triggers[0].kind else { panic!("a state trigger") };
    assert_eq!(entities, &["binary_sensor.motion"]);
}

#[test]
fn what_the_user_interface_keeps_is_used() {
    let registry = r#"{"data": {"entities": [
        {"id": "0123456789abcdef0123456789abcdef", "entity_id": "light.desk", "device_id": "d1", "area_id": "study", "labels": []},
        {"id": "1123456789abcdef0123456789abcdef", "entity_id": "light.shelf", "device_id": "d1", "labels": ["cosy"]}]}}"#;
    let devices = r#"{"data": {"devices": [{"id": "d1", "area_id": "study", "labels": []}]}}"#;
    let helpers =
        r#"{"data": {"items": [{"id": "scene_of_day", "name": "Scene of day", "options": ["day", "night"]}]}}"#;
    let configuration = read(&[
        (
            "configuration.yaml",
            "automation:\n  alias: A\n  triggers: {trigger: device, domain: light, device_id: d1, entity_id: 0123456789abcdef0123456789abcdef, type: turned_on}\n  actions: []\n",
        ),
        (".storage/core.entity_registry", registry),
        (".storage/core.device_registry", devices),
        (".storage/input_select", helpers),
    ]);
    let TriggerKind::State { entities, .. } = &configuration.automations[0].triggers[0].kind else {
        panic!("a state trigger")
    };
    assert_eq!(entities, &["light.desk"]);
    assert_eq!(configuration.registry.members("area", "study"), ["light.desk", "light.shelf"]);
    assert_eq!(configuration.registry.members("label", "cosy"), ["light.shelf"]);
    assert_eq!(configuration.helpers[0].options, ["day", "night"]);
}

#[test]
fn both_spellings_are_one_automation() {
    let old = "
- alias: A
  trigger: {platform: numeric_state, entity_id: sensor.t, below: '20'}
  condition: '{{ is_state(\"switch.a\", \"on\") }}'
  action:
    - service: light.turn_on
      entity_id: light.a, light.b
    - service_template: 'light.turn_{{ \"on\" }}'
      data_template: {entity_id: light.a}
    - condition: state
      entity_id: light.a
      state: 'on'
";
    let new = "
- alias: A
  triggers: [{trigger: numeric_state, entity_id: [sensor.t], below: 20}]
  conditions: ['{{ is_state(\"switch.a\", \"on\") }}']
  actions:
    - action: light.turn_on
      target: {entity_id: [light.a, light.b]}
    - action: 'light.turn_{{ \"on\" }}'
      target: {entity_id: light.a}
    - {condition: state, entity_id: light.a, state: 'on'}
";
    let shape = |text: &str| {
        let configuration = read(&[("configuration.yaml", &format!("automation:{}", text.replace('\n', "\n  ")))]);
        let text = format!(
            "{:?} {:?} {:?}",
            configuration.automations[0].triggers,
            configuration.automations[0].conditions,
            configuration.automations[0].actions
        );
        // Places differ, of course.
        let mut plain = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find("Place {") {
            plain += &rest[..at];
            rest = rest[at..].split_once('}').map_or("", |(_, rest)| rest);
        }
        plain + rest
    };
    assert_eq!(shape(old), shape(new));
}
