//! What an owner of a home with Home Assistant asks for: expectations, what is not to be told, what was considered.

use mazurka::report::accept::Accepted;
use mazurka::{Check, Checked, Verdict};
use mazurka_load::{Settings, load};
use std::fs;
use std::path::{Path, PathBuf};

/// A configuration in a folder of its own, which is gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("mazurka-owners-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&folder)).expect("a folder can be made");
            fs::write(path, text).expect("it can be written");
        }
        Folder(folder)
    }

    fn check_with(&self, settings: &Settings) -> Checked {
        let files = [self.0.display().to_string()];
        let loaded = load(&files, settings, false).unwrap_or_else(|error| panic!("{error}"));
        Check::new(&*loaded.subject).name("home").run()
    }

    fn check(&self) -> Checked {
        self.check_with(&Settings::default())
    }

    fn error(&self, settings: &Settings) -> String {
        load(&[self.0.display().to_string()], settings, false).map(|_| ()).expect_err("it is refused").to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn sentences(checked: &Checked) -> Vec<&str> {
    checked.exploration.violations.iter().map(|found| found.violation.message.as_str()).collect()
}

fn considered<'c>(checked: &'c Checked, what: &str) -> Vec<&'c str> {
    checked.basis.considered.iter().filter(|one| one.what.starts_with(what)).map(|one| one.text.as_str()).collect()
}

const DOOR: &str = "
automation:
  - alias: Lock
    triggers: {trigger: state, entity_id: person.anna, to: not_home}
    actions: {action: lock.lock, target: {entity_id: lock.front}}
  - alias: Parcel
    triggers: {trigger: event, event_type: parcel}
    actions:
      - {action: lock.unlock, target: {entity_id: lock.front}}
      - delay: '00:02:00'
      - {action: lock.lock, target: {entity_id: lock.front}} # mazurka: ok
";

fn door(name: &str, expectations: &str) -> Folder {
    Folder::new(name, &[("configuration.yaml", DOOR), ("mazurka.yaml", expectations)])
}

#[test]
fn what_must_never_be_is_found_with_its_story() {
    let checked = door("never", "Nobody gets in: never lock.front is unlocked and person.anna is not_home\n").check();
    assert_eq!(
        sentences(&checked)[0],
        "\"Nobody gets in\" does not hold: lock.front is unlocked and person.anna is not_home, which was never to be"
    );
    let location = checked.exploration.violations[0].violation.location.as_ref().map(ToString::to_string);
    assert_eq!(location.as_deref(), Some("mazurka.yaml:1"));
    let last = checked.stories[0].rows.last().map(|row| row.text.clone()).unwrap_or_default();
    assert!(last.contains("\"Parcel\" hears that the device has answered"), "{last}");
    assert!(last.contains("sets lock.front unlocked"), "{last}");
    let stated = door("never-stated", "").check_with(&Settings {
        never: vec!["lock.front == \"unlocked\" and person.anna == \"not_home\"".to_owned()],
        ..Settings::default()
    });
    assert!(sentences(&stated)[0].starts_with("lock.front == \"unlocked\""), "{:?}", sentences(&stated));
}

#[test]
fn what_must_be_within_a_time_takes_the_delays_into_account() {
    let within = |name: &str, length: &str| {
        let text = format!("Shut again: within {length} of lock.front is unlocked, lock.front is locked\n");
        sentences(&door(name, &text).check()).iter().any(|told| told.starts_with("\"Shut again\""))
    };
    assert!(within("short", "1 min"));
    assert!(!within("long", "3 min"));
    // The delay is as long as that, and the lock needs a moment.
    assert!(!within("equal", "2 min"));
}

#[test]
fn an_expectation_that_holds_is_counted() {
    let checked = door("holds", "Open a while: always lock.front is locked or lock.front is unlocked\n").check();
    assert_eq!(checked.exploration.verdict, Verdict::Verified, "{:?}", sentences(&checked));
    assert_eq!((checked.basis.stated, checked.basis.vacuous.len()), (1, 0));
    assert_eq!(considered(&checked, "expectations"), ["1"]);
}

#[test]
fn an_expectation_that_nothing_can_test_is_told() {
    let text = "A: never lock.back is unlocked\nB: never person.anna is home and person.anna is not_home\n\
                C: within 5 min of lock.front is jammed, lock.front is locked\n";
    let checked = door("untested", text).check();
    let told: Vec<String> =
        checked.basis.vacuous.iter().map(|one| format!("{} {}", one.site.text, one.reason)).collect();
    assert_eq!(
        told,
        [
            "A speaks of lock.back, which nothing in the configuration knows",
            "B speaks of what no automation sets",
            "C was never put to the test, since what it speaks of never came to be so",
        ],
        "{:?}",
        sentences(&checked)
    );
}

#[test]
fn an_expectation_that_cannot_be_read_is_an_error_with_its_place() {
    let error = |text: &str| door("wrong", text).error(&Settings::default());
    assert!(
        error("A: never lock.front is\n").contains("mazurka.yaml:1: the expectation `A`"),
        "{}",
        error("A: never x.y is")
    );
    assert!(error("A: never lock.front is\n").contains("expected a value such as on at the end"));
    assert!(error("A: [never]\n").contains("the expectation `A` is a list"));
    assert!(error("- never x\n").contains("mazurka.yaml:1: the file is a list"));
    assert!(error("A: 'b\n").contains("mazurka.yaml"));
    let never = Settings { never: vec!["lock.front".to_owned()], ..Settings::default() };
    assert!(door("never-wrong", "").error(&never).starts_with("error: --never lock.front"));
}

/// Two automations that fight over two lights, and two others over one.
const FIGHTS: &str = "
automation:
  - alias: All on
    triggers: {trigger: state, entity_id: input_boolean.x, to: 'on'}
    actions:
      - {action: input_boolean.turn_on, target: {entity_id: input_boolean.a}}
      - {action: input_boolean.turn_on, target: {entity_id: input_boolean.b}}
  - alias: All off
    triggers: {trigger: state, entity_id: input_boolean.x, to: 'on'}
    actions:
      - {action: input_boolean.turn_off, target: {entity_id: input_boolean.a}}
      - {action: input_boolean.turn_off, target: {entity_id: input_boolean.b}}
  - alias: Lamp on
    triggers: {trigger: state, entity_id: input_boolean.y, to: 'on'}
    actions: {action: input_boolean.turn_on, target: {entity_id: input_boolean.c}}
  - alias: Lamp off
    triggers: {trigger: state, entity_id: input_boolean.y, to: 'on'}
    actions: {action: input_boolean.turn_off, target: {entity_id: input_boolean.c}}
input_boolean: {a: {}, b: {}, c: {}, x: {}, y: {}}
";

#[test]
fn findings_that_are_alike_are_told_once() {
    let checked = Folder::new("alike", &[("configuration.yaml", FIGHTS)]).check();
    assert_eq!(checked.exploration.violations.len(), 2, "{:?}", sentences(&checked));
    assert!(!considered(&checked, "alike").is_empty());
}

#[test]
fn comments_and_names_keep_findings_back() {
    let told = |name: &str, text: &str, settings: &Settings| {
        let checked = Folder::new(name, &[("configuration.yaml", text)]).check_with(settings);
        (sentences(&checked).len(), considered(&checked, "left out").len())
    };
    let usual = Settings::default();
    let ok = FIGHTS.replace("  - alias: Lamp on", "  - alias: Lamp on # mazurka: ok");
    assert_eq!(told("ok", &ok, &usual), (1, 1));
    let above = FIGHTS.replace("  - alias: Lamp on", "  # mazurka: ok, the lamp may flicker\n  - alias: Lamp on");
    assert_eq!(told("above", &above, &usual), (1, 1));
    let ignore = Settings { ignored: vec!["All on".to_owned()], ..Settings::default() };
    assert_eq!(told("ignore", FIGHTS, &ignore), (1, 1));
    let by_entity = Settings { ignored: vec!["automation.all_on".to_owned()], ..Settings::default() };
    assert_eq!(told("entity", FIGHTS, &by_entity), (1, 1));
    let unknown = Settings { ignored: vec!["All of".to_owned()], ..Settings::default() };
    let error = Folder::new("unknown", &[("configuration.yaml", FIGHTS)]).error(&unknown);
    assert!(error.starts_with("error: --ignore All of: there is no such automation"), "{error}");
}

#[test]
fn with_a_list_of_accepted_findings_only_news_is_told() {
    let folder = Folder::new("accept", &[("configuration.yaml", FIGHTS)]);
    let all = folder.check();
    let list: String = sentences(&all).iter().map(|sentence| format!("*: {sentence}\n")).collect::<String>()
        + &considered(&all, "alike")
            .iter()
            .map(|told| format!("*: {}\n", told.split_once(": ").map_or("", |(_, sentence)| sentence)))
            .collect::<String>();
    assert!(Accepted::parse("list", &list).is_ok());
    let file = folder.0.join("accepted.txt");
    fs::write(&file, &list).expect("it can be written");
    let accepting = Settings { accepted: Some(file.display().to_string()), ..Settings::default() };
    let checked = folder.check_with(&accepting);
    assert_eq!(checked.exploration.verdict, Verdict::Verified, "{:?}", sentences(&checked));
    assert!(considered(&checked, "accepted")[0].ends_with("that the list has"));
    fs::write(&file, list + "*: \"X\" fights with \"Y\"\n").expect("it can be written");
    assert_eq!(considered(&folder.check_with(&accepting), "accepted and gone"), ["1 finding is not found any more"]);
}

#[test]
fn verified_lists_what_was_considered() {
    let text = "
automation:
  - alias: On
    triggers: {trigger: state, entity_id: binary_sensor.m, to: 'on'}
    conditions: \"{{ now().day > 3 }}\"
    actions:
      - {action: light.turn_on, target: {entity_id: light.x}}
      - {action: notify.phone, data: {message: on}}
  - alias: Also on
    triggers: {trigger: state, entity_id: binary_sensor.n, to: 'on'}
    actions: {action: light.turn_on, target: {entity_id: light.x}}
";
    let checked = Folder::new("considered", &[("configuration.yaml", text)]).check();
    assert_eq!(checked.exploration.verdict, Verdict::Verified);
    assert_eq!(considered(&checked, "events and values"), ["binary_sensor.m (off, on), binary_sensor.n (off, on)"]);
    assert_eq!(considered(&checked, "taken as without effect"), ["notify.* 1 ×"]);
    assert_eq!(
        considered(&checked, "left open"),
        ["`now().day` (configuration.yaml:5): tried both ways; `mazurka apps` lists all"]
    );
}

#[test]
fn a_configuration_without_automations_is_no_pass() {
    let error = Folder::new("none", &[("configuration.yaml", "light: []\n")]).error(&Settings::default());
    assert!(error.contains("there is no automation\nexpected automations under `automation:`"), "{error}");
    let broken = "automation:\n  - alias: A\n    triggers: []\n";
    let error = Folder::new("broken", &[("configuration.yaml", broken)]).error(&Settings::default());
    assert!(error.contains("no automation could be read; the first one at configuration.yaml:2"), "{error}");
}

#[test]
fn the_example_of_a_home_has_what_its_page_says() {
    let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/home-assistant/home");
    let loaded = load(&[home.display().to_string()], &Settings::default(), false).expect("it can be read");
    let checked = Check::new(&*loaded.subject).name("home").run();
    let told = sentences(&checked);
    assert!(told[0].starts_with("\"The door is locked while nobody is home\" does not hold"), "{told:?}");
}

#[test]
fn secrets_that_are_not_there_are_entities_of_their_own() {
    let text = "
automation:
  - alias: Home
    triggers: {trigger: state, entity_id: !secret somebody, to: home}
    actions: {action: light.turn_on, target: {entity_id: !secret lamp}}
";
    let folder = Folder::new("secrets", &[("configuration.yaml", text)]);
    let read = mazurka_load::load_configuration(&[folder.0.display().to_string()]).expect("it can be read");
    assert_eq!((read.automations.len(), read.broken.len()), (1, 0), "{:?}", read.broken);
}
