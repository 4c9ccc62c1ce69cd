//! Small scenarios, each with what Home Assistant itself did (2025.2.5 with the dispatch of 2026.7): the model does the same.
//!
//! The cases are in `cases.json`, in the form of `oracle/home_assistant.py`, which plays them in Home Assistant; `log` and
//! `final` are what it printed. Compared are the changes of states and the runs of automations, all in one order, and the
//! states at the end.

mod oracle;

use serde_json::Value as Json;

#[test]
fn the_model_does_what_home_assistant_did() {
    let cases: Json = serde_json::from_str(include_str!("cases.json")).expect("the cases are JSON");
    let cases = cases.as_array().expect("a list of cases");
    assert!(cases.iter().all(|case| oracle::scenario(case).is_some()), "a case cannot be read");
    let differences: Vec<String> = cases.iter().filter_map(|case| oracle::difference(case, case)).collect();
    assert!(
        differences.is_empty(),
        "{} of {} cases differ:\n{}",
        differences.len(),
        cases.len(),
        differences.join("\n")
    );
    assert_eq!(cases.len(), 63);
}
