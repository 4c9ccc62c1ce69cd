//! Findings in Home Assistant configurations: what is found, what is advice, and what is clean.

use mazurka::engines::Options;
use mazurka::{Check, Checked, Engine, Verdict};
use mazurka_load::{Settings, load};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

fn check_file(file: &Path) -> Checked {
    let files = [file.display().to_string()];
    let loaded = load(&files, &Settings::default(), false).expect("it can be read");
    Check::new(&*loaded.subject).name("home").run()
}

fn example(name: &str) -> Checked {
    check_file(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/home-assistant").join(name))
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("mazurka-hass-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

fn check(name: &str, text: &str) -> Checked {
    let folder = folder(name);
    let file = folder.join("automations.yaml");
    fs::write(&file, text).expect("it can be written");
    let checked = check_file(&file);
    let _ = fs::remove_dir_all(&folder);
    checked
}

/// The beginnings of the sentences of what was found, with lines.
fn found(checked: &Checked) -> Vec<String> {
    let told = checked.exploration.violations.iter().map(|found| {
        let line = found.violation.location.as_ref().map_or(0, |place| place.line);
        format!(
            "{line} {}",
            found.violation.message.split(" waits for ").next().unwrap_or("").chars().take(60).collect::<String>()
        )
    });
    told.collect()
}

fn advice(checked: &Checked) -> Vec<&str> {
    checked.basis.considered.iter().filter(|one| one.what.starts_with("advice")).map(|one| one.text.as_str()).collect()
}

#[test]
fn the_light_by_motion_has_two_findings_one_of_them_advice() {
    let checked = example("light-by-motion.yaml");
    assert_eq!(found(&checked), ["36 missed wait: \"Light by motion\""]);
    assert_eq!(advice(&checked).len(), 1, "{:?}", advice(&checked));
    assert!(
        advice(&checked)[0].contains("unavailable: \"Light by motion\" waits for binary_sensor.motion with `from:`")
    );
    let mended = example("light-by-motion-mended.yaml");
    assert_eq!(mended.exploration.verdict, Verdict::Verified);
    assert_eq!(advice(&mended), Vec::<&str>::new());
}

/// What was cut, refused or not asked for in one slice is not verified for the whole home.
#[test]
fn a_slice_that_was_not_searched_to_its_end_is_no_proof() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/home-assistant/light-by-motion-mended.yaml");
    let loaded = load(&[file.display().to_string()], &Settings::default(), false).expect("it can be read");
    let verdict = |engine, options: &Options| {
        let subject = &*load(&loaded.files, &Settings::default(), false).expect("it can be read").subject;
        let exploration = Check::new(subject).engine(engine).options(options.clone()).run().exploration;
        (exploration.verdict, exploration.cut.is_some())
    };
    let mut short = Options::default();
    short.budget.depth = Some(1);
    let races = Options { races: true, ..Options::default() };
    for &engine in Engine::ALL {
        assert!(matches!(verdict(engine, &short), (Verdict::Bounded { .. }, true)), "{engine}, one step");
        assert!(matches!(verdict(engine, &races), (Verdict::Unsupported(_), false)), "{engine}, races");
        // The home comes back to states for ever. Where states are not stored, that is long before all orders were tried.
        let mut limited = Options::default();
        limited.budget.time = Some(Duration::from_secs(1));
        let (whole, is_cut) = verdict(engine, &limited);
        assert!(whole != Verdict::Verified || engine.handles_cycles(), "{engine}: {whole:?}");
        assert!(!is_cut || !engine.handles_cycles(), "{engine}");
    }
    for engine in [Engine::Exhaustive, Engine::Stateful] {
        assert_eq!(verdict(engine, &Options::default()), (Verdict::Verified, false), "{engine}");
    }
}

/// A configuration of which nothing was read is no pass, and one of which a part was not read says so.
#[test]
fn what_was_not_read_is_told() {
    let folder = folder("unread");
    let write = |name: &str, text: &str| fs::write(folder.join(name), text).expect("it can be written");
    let error = |name: &str| match load(&[folder.join(name).display().to_string()], &Settings::default(), false) {
        Ok(_) => panic!("{name} was read"),
        Err(error) => error.to_string(),
    };
    write("configuration.yaml", "automation: !include missing.yaml\n");
    let told = error("");
    assert!(told.contains("there is no automation") && told.contains("configuration.yaml:1: "), "{told}");
    write("empty.yaml", "[]\n");
    assert!(error("empty.yaml").contains("there is no automation"));
    write("large.yaml", &"#".repeat(9 << 20));
    assert_eq!(error("large.yaml").matches("large.yaml").count(), 1, "{}", error("large.yaml"));
    fs::create_dir_all(folder.join("folder.yaml")).expect("a folder can be made");
    assert!(error("folder.yaml").contains("there is no file configuration.yaml"), "{}", error("folder.yaml"));
    write("configuration.yaml", "automation: !include ok.yaml\nscene: !include missing.yaml\n");
    let ok =
        "- alias: One\n  triggers: []\n  actions:\n    - action: light.turn_on\n      target: { entity_id: light.a }\n";
    write("ok.yaml", ok);
    let checked = check_file(&folder);
    let unread: Vec<_> = checked.basis.considered.iter().filter(|one| one.what == "not read").collect();
    assert_eq!(unread.len(), 1, "{checked}");
    let _ = fs::remove_dir_all(&folder);
}

#[test]
fn one_button_for_two_automations_is_a_fight() {
    let checked = example("night-mode.yaml");
    assert_eq!(
        found(&checked),
        [
            // The other way round is told as alike.
            "28 \"Night begins\" turns input_boolean.night on, and \"Night ends",
        ]
    );
}

#[test]
fn a_trigger_that_single_ignores_is_lost() {
    assert_eq!(found(&example("hall.yaml")), ["12 lost trigger: \"Hall on\" was triggered again while it waited,"]);
    let text =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/home-assistant/hall.yaml"))
            .expect("it is there");
    let restarted = check("restart", &text.replace("- alias: Hall on", "- alias: Hall on\n  mode: restart"));
    assert_eq!(found(&restarted), Vec::<String>::new());
}

const HALL: &str = "
- alias: Hall on
  triggers: {trigger: state, entity_id: binary_sensor.hall, to: 'on'}
  actions: {action: light.turn_on, target: {entity_id: light.hall}}
- alias: Hall off
  triggers: {trigger: state, entity_id: binary_sensor.hall, to: 'off'}
  actions:
    - delay: '00:05:00'
    - {action: light.turn_off, target: {entity_id: light.hall}}
";

#[test]
fn an_action_after_a_delay_may_be_stale() {
    assert_eq!(found(&check("stale", HALL)), ["9 stale action: \"Hall off\" turns light.hall off after its dela"]);
    let with_for = HALL.replace("to: 'off'}", "to: 'off', for: '00:05:00'}").replace("    - delay: '00:05:00'\n", "");
    assert_eq!(found(&check("for", &with_for)), Vec::<String>::new());
    let asked = HALL.replace(
        "    - {action: light.turn_off",
        "    - {condition: state, entity_id: binary_sensor.hall, state: 'off'}\n    - {action: light.turn_off",
    );
    assert_eq!(found(&check("asked", &asked)), Vec::<String>::new());
}

#[test]
fn automations_that_set_each_other_off_are_a_loop() {
    let checked = check(
        "loop",
        "
- alias: A to B
  triggers: {trigger: state, entity_id: input_boolean.a}
  actions: {action: input_boolean.toggle, target: {entity_id: input_boolean.b}}
- alias: B to A
  triggers: {trigger: state, entity_id: input_boolean.b}
  actions: {action: input_boolean.toggle, target: {entity_id: input_boolean.a}}
",
    );
    assert!(
        found(&checked)
            .iter()
            .any(|told| told.ends_with("\"A to B\" and \"B to A\" set each other off again and again")),
        "{:?}",
        found(&checked)
    );
    // Single, and still endless: the trigger arrives when the run is over.
    let alone = check(
        "alone",
        "
- alias: Blink
  triggers: {trigger: state, entity_id: input_boolean.x, to: 'on'}
  actions:
    - {action: input_boolean.turn_off, target: {entity_id: input_boolean.x}}
    - {action: input_boolean.turn_on, target: {entity_id: input_boolean.x}}
",
    );
    assert_eq!(found(&alone), ["2 \"Blink\" sets itself off again and again"]);
}

#[test]
fn bad_configurations_are_told_and_end_nothing() {
    let folder = folder("bad");
    let load = |name: &str| {
        load(&[folder.join(name).display().to_string()], &Settings::default(), false)
            .map(|_| ())
            .expect_err("it is refused")
            .to_string()
    };
    fs::write(folder.join("bytes.yaml"), b"- alias: \xff\n").expect("it can be written");
    assert!(load("bytes.yaml").contains("byte 9 in line 1 is not UTF-8"), "{}", load("bytes.yaml"));
    let large = fs::File::create(folder.join("large.yaml")).expect("it can be made");
    large.set_len(50 << 20).expect("it can be made long");
    assert!(load("large.yaml").contains("the file is larger than 8 MiB"), "{}", load("large.yaml"));
    fs::write(folder.join("text.yaml"), "just words").expect("it can be written");
    assert!(load("text.yaml").contains("expected automations, scripts, a blueprint or a configuration"));
    #[cfg(unix)]
    {
        fs::write(folder.join("configuration.yaml"), "automation: !include link.yaml\n").expect("it can be written");
        std::os::unix::fs::symlink("/etc/passwd", folder.join("link.yaml")).expect("a link can be made");
        let configuration =
            mazurka_load::load_configuration(&[folder.display().to_string()]).expect("the rest can be read");
        assert!(
            configuration.problems[0].message.contains("a link leads out of the folder"),
            "{:?}",
            configuration.problems
        );
    }
    let _ = fs::remove_dir_all(&folder);
}
