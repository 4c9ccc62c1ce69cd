//! What `verified` says of a home.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{app, home_with};
use mazurka_core::{Silent, Verdict};
use mazurka_engines::{Engine, Options as Search, explore};
use mazurka_home::Options;

fn light() -> String {
    app(
        "Light",
        "input \"light\", \"capability.switch\"\ninput \"eye\", \"capability.motionSensor\"",
        "def installed() { subscribe(eye, \"motion.active\", h) }\ndef h(evt) { light.on() }",
    )
}

#[test]
fn only_what_was_checked_is_promised() {
    let other = light().replace("\"Light\"", "\"Lamp\"");
    let promise = |conflicts: bool, never: &[&str], apps: &[String]| {
        let never = never.iter().map(|&rule| rule.to_owned()).collect();
        home_with(&Options { conflicts, never, ..Options::default() }, apps).promise()
    };
    let both = [light(), other];
    assert_eq!(
        promise(true, &[], &both),
        "no order of events lets the apps fight, crash or set each other off without end"
    );
    assert_eq!(promise(false, &[], &both), "no order of events lets the apps crash or set each other off without end");
    let rule = "switch == \"on\" and motion == \"inactive\"";
    assert_eq!(
        promise(true, &[rule, rule], &both),
        "no order of events lets the apps fight, crash, set each other off without end or break a rule"
    );
    assert_eq!(
        promise(true, &[rule], &both[..1]),
        "no order of events lets the app crash, set itself off without end or break the rule"
    );
}

#[test]
fn what_was_considered_is_told() {
    let considered = home_with(&Options::default(), &[light()]).considered();
    assert_eq!(considered[0], ("events", "motion sensor sees motion, motion sensor sees no more motion".to_owned()));
    assert_eq!(considered[1].0, "values");
    assert!(considered[1].1.starts_with("motion sensor"), "{considered:?}");
    assert_eq!(considered[2].0, "modes");
    assert!(considered[2].1.starts_with("Home or Away from the start"), "{considered:?}");
}

#[test]
fn a_rule_about_what_never_changes_is_named() {
    let never = vec![
        "mode == \"Night\" and switch == \"on\"".to_owned(),
        "switch == \"off\" and motion == \"active\" and level == 3".to_owned(),
        "\"Light\".state.armed == true".to_owned(),
        "switch == \"off\" and motion == \"inactive\" and switch == \"on\"".to_owned(),
        // One start has this mode, and the rest changes: the rule was put to the test.
        "mode == \"Away\" and switch == \"off\" and switch == \"on\"".to_owned(),
    ];
    let home = home_with(&Options { never, ..Options::default() }, &[light()]);
    let options = Search { all: true, threads: 1, ..Search::default() };
    let exploration = explore(Engine::Stateful, &home, &options, &mut Silent);
    assert_eq!(exploration.verdict, Verdict::Verified);
    let idle: Vec<(String, String)> = home.idle_rules().into_iter().map(|rule| (rule.reason, rule.remedy)).collect();
    let told = |reason: &str, remedy: &str| (reason.to_owned(), remedy.to_owned());
    assert_eq!(
        idle,
        [
            told(
                "is about mode, which never changes: no app subscribes to it, and none sets it",
                "add an app that subscribes to the mode or sets it"
            ),
            told(
                "is about level, which never changes: no app subscribes to it, and none changes it",
                "add an app that subscribes to level or changes it"
            ),
            told(
                "is about Light.state.armed, which never changes: no app gives it a value",
                "let the app set Light.state.armed in a handler that runs"
            ),
        ]
    );
}

#[test]
fn what_has_to_happen_depends_on_who_has_to_come() {
    let promising = |fair: &[&str]| {
        let fair = fair.iter().map(|&name| name.to_owned()).collect();
        let leads_to = vec!["motion == \"inactive\" ~> switch == \"on\"".to_owned()];
        home_with(&Options { leads_to, fair, ..Options::default() }, &[light()])
    };
    let search = |fair: &[&str]| {
        let search = Search { threads: 1, ..Search::default() };
        explore(Engine::Exhaustive, &promising(fair), &search, &mut Silent)
    };
    let found = search(&[]).violations.pop().expect("no sensor has to report");
    assert_eq!(found.violation.message, "motion == \"inactive\" may never lead to switch == \"on\"");
    let remedy = found.schedule.lasso.and_then(|lasso| lasso.remedy);
    let words = "it would hold if motion sensor sees motion had to happen in the end: --fair 'motion sensor'";
    assert_eq!(remedy.as_deref(), Some(words));
    assert_eq!(search(&["motion sensor"]).verdict, Verdict::Verified);
    assert_eq!(search(&["motion sensor sees motion"]).verdict, Verdict::Verified);
}

#[test]
fn what_has_to_happen_may_name_only_what_is_there() {
    let fault = |options: Options| {
        let faults = mazurka_home::Home::load(&[("light.groovy".to_owned(), light())], &options).expect_err("a fault");
        let error = &faults[0].diagnostics[0];
        let marked = faults[0].source[error.span.clone()].to_owned();
        (faults[0].file.to_string(), error.message.clone(), marked)
    };
    let rules = |rule: &str| vec![rule.to_owned()];
    let told = |file: &str, message: &str, marked: &str| (file.to_owned(), message.to_owned(), marked.to_owned());
    assert_eq!(
        fault(Options { leads_to: rules("motion == \"active\""), ..Options::default() }),
        told("--leads-to", "there is no ~>", "motion == \"active\"")
    );
    let door = fault(Options { leads_to: rules("motion == \"active\" ~> door == \"open\""), ..Options::default() });
    assert_eq!((door.0.as_str(), door.2.as_str()), ("--leads-to", "door"));
    let door = fault(Options { eventually: rules("door == \"open\""), ..Options::default() });
    assert_eq!((door.0.as_str(), door.2.as_str()), ("--eventually", "door"));
    let eventually = rules("switch == \"on\"");
    assert_eq!(
        fault(Options { eventually, fair: rules("front door"), ..Options::default() }),
        told("--fair", "nothing that happens is called \"front door\"", "front door")
    );
    assert_eq!(
        fault(Options { fair: rules("motion sensor"), ..Options::default() }),
        told("--fair", "nothing has to happen in the end", "motion sensor")
    );
}
