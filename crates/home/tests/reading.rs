//! What apps ask for.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::app;
use mazurka_home::{App, Capabilities, Faults, Home, InputKind, Options, Profile};

fn read(source: &str) -> App {
    App::read("a.groovy", source, &Capabilities::of(Profile::Usual), Profile::Usual)
        .unwrap_or_else(|diagnostics| panic!("{diagnostics:#?}"))
}

fn names(app: &App) -> Vec<&str> {
    app.inputs.iter().map(|input| input.name.as_str()).collect()
}

fn faults(apps: &[String]) -> Faults {
    let sources: Vec<(String, String)> = apps.iter().map(|app| ("a.groovy".to_owned(), app.clone())).collect();
    Home::load(&sources, &Options::default()).expect_err("something is wrong").swap_remove(0)
}

#[test]
fn inputs_in_all_their_forms() {
    let app = read(&app(
        "Forms",
        r#"
        input "a", "capability.switch", title: "A", multiple: true
        input("b", "enum", options: ["x", "y"], required: false)
        input(name: "c", type: "number", defaultValue: 5)
        input "people", "contact", title: "Who?" {
            input "phone", "phone", required: false
        }
        "#,
        "",
    ));
    assert_eq!(app.name, "Forms");
    assert_eq!(names(&app), ["a", "b", "c", "people", "phone"]);
    assert_eq!(app.inputs[0].kind, InputKind::Capability("switch".into()));
    assert!(app.inputs[0].multiple && app.inputs[0].required);
    assert_eq!(app.inputs[1].options, ["x", "y"]);
    assert!(!app.inputs[1].required);
    assert_eq!(app.inputs[4].kind, InputKind::Phone);
}

#[test]
fn pages_that_are_methods_are_run() {
    let app = read(
        r#"
        definition(name: "Pages")
        preferences {
            page(name: "first")
            page(name: "plain", title: "Plain") { section("s") { input "p", "text" } }
        }
        def first() {
            dynamicPage(name: "first", nextPage: "second") {
                section { input "count", "number" }
                section {
                    href "second", page: "second", title: "more"
                    for (i in 1..2) { input "light$i", "capability.switch" }
                }
            }
        }
        def second() { dynamicPage(name: "second") { section { if (count) { input "deep", "mode" } } } }
        "#,
    );
    assert_eq!(names(&app), ["p", "count", "light1", "light2", "deep"]);
}

#[test]
fn a_page_that_comes_into_trouble_keeps_what_was_read() {
    let source = "definition(name: \"T\")\npreferences { page(name: \"first\") }\ndef first() { dynamicPage(name: \"first\") \
                  { section { input \"a\", \"number\"\n null.boom() } } }";
    let app = read(source);
    assert_eq!(names(&app), ["a"]);
    assert!(app.page_trouble[0].starts_with("line 4:"), "{:?}", app.page_trouble);
}

#[test]
fn what_is_no_app_is_refused_with_reasons() {
    let fault = faults(&["preferences { }".to_owned()]);
    assert_eq!(fault.diagnostics[0].message, "the app has no definition");
    let fault = faults(&["definition(name: \"x\"".to_owned()]);
    assert_eq!(&*fault.file, "a.groovy");
    let wrong = app("W", "input \"a\", \"capability.swich\"\ninput \"b\", \"nmber\"", "");
    let fault = faults(std::slice::from_ref(&wrong));
    assert_eq!(fault.diagnostics.len(), 2);
    assert!(fault.diagnostics[0].message.contains("\"swich\""), "{:?}", fault.diagnostics[0]);
    assert!(fault.diagnostics[0].label.contains("switch"), "{:?}", fault.diagnostics[0]);
    assert!(wrong[fault.diagnostics[0].span.clone()].contains("swich"));
    assert!(fault.diagnostics[1].label.contains("number"), "{:?}", fault.diagnostics[1]);
}

#[test]
fn preferences_that_do_not_end_are_refused() {
    let source = "definition(name: \"x\")\npreferences { page(name: \"p\") }\ndef p() { while (true) { } }";
    assert_eq!(faults(&[source.to_owned()]).diagnostics[0].message, "the preferences cannot be followed to their end");
}

#[test]
fn a_home_that_contradicts_its_apps_is_refused() {
    let lock = app(
        "Locker",
        "input \"door\", \"capability.lock\"\ninput \"when\", \"enum\", options: [\"now\", \"later\"]",
        "",
    );
    let refused = |toml: &str| {
        let home = Some(mazurka_home::HomeText { file: "home.toml".into(), text: toml.into() });
        let options = Options { home, ..Options::default() };
        let faults = Home::load(&[("locker.groovy".into(), lock.clone())], &options).expect_err("it contradicts");
        let diagnostic = faults[0].diagnostics[0].clone();
        (diagnostic.message, toml[diagnostic.span].to_owned(), diagnostic.label)
    };
    let door =
        "[[device]]\nname = \"front\"\ncapability = \"lock\"\n[[device]]\nname = \"lamp\"\ncapability = \"switch\"\n";
    let (message, place, expected) = refused(&format!("{door}[app.Loker]\n"));
    assert_eq!((message.as_str(), place.as_str()), ("there is no app \"Loker\"", "Loker"));
    assert_eq!(expected, "expected a file's name, or one of: Locker");
    let (message, _, expected) = refused(&format!("{door}[app.Locker]\ndor = \"front\""));
    assert_eq!(
        (message.as_str(), expected.as_str()),
        ("\"Locker\" has no input \"dor\"", "expected one of: door, when")
    );
    let (message, place, expected) = refused(&format!("{door}[app.Locker]\ndoor = \"back\""));
    assert_eq!((message.as_str(), place.as_str()), ("there is no device \"back\"", "\"back\""));
    assert!(expected.starts_with("expected one of: "), "{expected}");
    let (message, _, expected) = refused(&format!("{door}[app.\"locker.groovy\"]\ndoor = \"lamp\""));
    assert_eq!(message, "\"lamp\" is a switch, and the input \"door\" asks for a lock");
    assert_eq!(expected, "expected one of: front");
    let (message, _, expected) = refused(&format!("{door}[app.locker]\nwhen = \"never\""));
    assert_eq!(message, "the input \"when\" does not offer \"never\"");
    assert_eq!(expected, "expected one of: later, now");
    let (message, _, _) = refused(&format!("{door}[app.locker]\ndoor = [\"front\"]"));
    assert_eq!(message, "the input \"door\" takes one device");
    let (message, _, expected) = refused("[[device]]\nname = \"front\"\ncapability = \"lok\"\n");
    assert_eq!(message, "there is no capability \"lok\"");
    assert!(expected.starts_with("expected one of: lock"), "{expected}");
    let (message, _, _) = refused("[[device]]\nname = \"f\"\ncapability = \"lock\"\nstart = { lok = \"x\" }");
    assert_eq!(message, "\"f\" has no attribute \"lok\"");
    let start = |start: &str| {
        refused(&format!("[[device]]\nname = \"f\"\ncapability = [\"lock\", \"battery\"]\nstart = {{ {start} }}"))
    };
    let (message, place, expected) = start("lock = \"lockd\"");
    assert_eq!((message.as_str(), place.as_str()), ("\"lock\" is never \"lockd\"", "\"lockd\""));
    assert_eq!(expected, "expected one of: locked, unlocked");
    let (message, place, _) = start("lock = [\"locked\", \"unlockd\"]");
    assert_eq!((message.as_str(), place.as_str()), ("\"lock\" is never \"unlockd\"", "\"unlockd\""));
    let (message, place, expected) = start("lock = 5");
    assert_eq!((message.as_str(), place.as_str()), ("\"lock\" is never 5", "5"));
    assert_eq!(expected, "expected one of: locked, unlocked");
    let (message, _, expected) = start("battery = \"full\"");
    assert_eq!((message.as_str(), expected.as_str()), ("\"battery\" is never \"full\"", "expected a number"));
    let (message, place, _) = start("lock = [\"locked\", \"locked\", \"locked\"]");
    assert_eq!((message.as_str(), place.as_str()), ("\"lock\" has 3 starting values", "lock"));
    let (message, _, expected) = refused("mode = \"Party\"");
    assert_eq!(message, "the home has no mode \"Party\"");
    assert!(expected.contains("Away"), "{expected}");
}
