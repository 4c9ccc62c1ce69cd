//! Reports in SARIF 2.1.0, the format in which code hosts take the findings of tools.
//!
//! A violation is a result with one flow of steps per actor, its two racing steps as related places. A search that
//! proves nothing and finds nothing is a result of the kind `open`: it must not look like a pass.

use crate::json::{BasisObject, pretty};
use crate::{Report, Row, Story, Vacuity, Vacuous, cycle, meaning};
use mazurka_core::{Fingerprint, Location, Verdict, ViolationKind};
use serde_json::{Map, Value, json};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The rules that a result can break, by the name of the kind of violation; the last one is for searches without an answer.
const RULES: [(&str, &str); 10] = [
    ("assertion", "An assertion fails in some order of events."),
    ("invariant", "A condition that must always hold is broken in some order of events."),
    ("deadlock", "In some order of events no actor can move, and at least one has not finished."),
    ("crash", "The program crashes in some order of events."),
    ("conflict", "Two apps fight over a device in some order of events."),
    ("cascade", "Apps set each other off without end in some order of events."),
    ("race", "Two accesses of a shared variable, not both atomic, that nothing orders."),
    ("liveness", "Something that has to happen in the end does not happen in some execution without end."),
    (VACUOUS, "A check was never put to the test: it would hold whatever it says."),
    (UNPROVEN, "The search ended without a proof and without a violation."),
];
const VACUOUS: &str = "vacuous";
const UNPROVEN: &str = "unproven";

/// The whole report as one SARIF log.
pub fn report(report: &Report<'_>) -> String {
    let mut results: Vec<Value> = report.stories.iter().map(result).collect();
    results.extend(unproven(report));
    results.extend(vacuous(report));
    let statistics = crate::json::statistics(&report.exploration.statistics);
    let rule = |(name, words): &(&str, &str)| json!({ "id": name, "shortDescription": { "text": words } });
    pretty(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "mazurka",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": !matches!(report.exploration.verdict, Verdict::Unsupported(_)),
                "exitCode": report.exploration.verdict.exit_code(),
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {
                "program": report.program,
                "engine": report.engine,
                "verdict": report.exploration.verdict.name(),
                "reason": meaning::reason(report),
                "basis": BasisObject::of(report),
                "statistics": statistics,
            },
        }],
    }))
}

/// A search without an answer.
fn unproven(report: &Report<'_>) -> Option<Value> {
    let reason = meaning::unproven(&report.exploration.verdict)?;
    let text = format!("{} is {}: {reason}", report.program, report.exploration.verdict.name());
    Some(json!({
        "ruleId": UNPROVEN,
        "ruleIndex": rule_index(UNPROVEN),
        "kind": "open",
        "level": "none",
        "message": { "text": text },
        "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(report.program) } } }],
    }))
}

/// What was verified without being put to the test.
fn vacuous(report: &Report<'_>) -> Vec<Value> {
    if report.vacuity() == Vacuity::None {
        return Vec::new();
    }
    let note = |vacuous: &Vacuous| {
        let here = || json!({ "artifactLocation": { "uri": uri(report.program) } });
        json!({
            "ruleId": VACUOUS,
            "ruleIndex": rule_index(VACUOUS),
            "kind": "review",
            "level": "none",
            "message": { "text": vacuous.told() },
            "locations": [{ "physicalLocation": vacuous.site.location.as_ref().map_or_else(here, place) }],
        })
    };
    report.basis.vacuous.iter().map(note).collect()
}

fn rule_index(name: &str) -> usize {
    RULES.iter().position(|(rule, _)| *rule == name).unwrap_or(RULES.len() - 1)
}

fn result(story: &Story) -> Value {
    let violation = &story.violation;
    let kind = violation.kind.name();
    let text = match &story.why {
        Some(why) => format!("{}: {why}", violation.message),
        None => violation.message.clone(),
    };
    let mut result = Map::new();
    result.insert("ruleId".to_owned(), kind.into());
    result.insert("ruleIndex".to_owned(), rule_index(kind).into());
    result.insert("level".to_owned(), "error".into());
    result.insert("message".to_owned(), json!({ "text": text }));
    if let Some(location) = &violation.location {
        result.insert("locations".to_owned(), json!([{ "physicalLocation": place(location) }]));
    }
    let related = related(story);
    if !related.is_empty() {
        result.insert("relatedLocations".to_owned(), related.into());
    }
    if !story.rows.is_empty() {
        let flows: Vec<_> = (0..story.actors.len()).map(|actor| flow(story, actor)).collect();
        result.insert("codeFlows".to_owned(), json!([{ "threadFlows": flows }]));
    }
    result.insert("partialFingerprints".to_owned(), json!({ "violation/v1": site(story) }));
    Value::Object(result)
}

/// The steps that the reason is about: the two sides of a race, a choice, or the actors that wait for each other.
fn related(story: &Story) -> Vec<Value> {
    let rows = match (&story.race, &story.early, &story.choice) {
        (Some(race), ..) => vec![race.first, race.second],
        (None, Some(early), _) => vec![early.step],
        (None, None, Some(choice)) => vec![choice.step],
        (None, None, None) => Vec::new(),
    };
    let mut related: Vec<_> =
        rows.into_iter().filter_map(|row| story.rows.get(row)).map(|row| step(story, row)).collect();
    if let Some(early) = &story.early {
        related.push(located(&early.actor, &early.text, early.location.as_ref()));
    }
    if related.is_empty() {
        let waiting = cycle(&story.waits).into_iter().map(|index| &story.waits[index]);
        related.extend(waiting.map(|wait| located(&wait.actor, &wait.text, wait.location.as_ref())));
    }
    related
}

/// What is the same for one fault of the program in every run, line numbers aside.
fn site(story: &Story) -> String {
    let file = story.violation.location.as_ref().map_or("", |location| &location.file);
    let kind: ViolationKind = story.violation.kind;
    let site = format!("{}\n{file}\n{}", kind.name(), story.violation.message);
    format!("{:032x}", Fingerprint::of_bytes(site.as_bytes()).0)
}

/// The steps of one actor.
fn flow(story: &Story, actor: usize) -> Value {
    let rows = story.rows.iter().filter(|row| row.actor == actor);
    let locations: Vec<_> = rows
        .map(|row| {
            let changed = row.changes.iter();
            let state: Map<_, _> = changed
                .map(|change| (change.name.clone(), json!({ "text": change.new.as_deref().unwrap_or("gone") })))
                .collect();
            let importance = if story.failing == Some(row.number - 1) { "essential" } else { "important" };
            let mut location = json!({
                "location": step(story, row),
                "executionOrder": row.number,
                "importance": importance,
                "state": state,
            });
            // The steps that are repeated for ever stand one level deeper.
            if let Some(lasso) = &story.lasso {
                location["nestingLevel"] = u64::from(row.number > lasso.from).into();
            }
            location
        })
        .collect();
    json!({ "id": story.actors[actor], "message": { "text": story.actors[actor] }, "locations": locations })
}

/// A step as a place with a message.
fn step(story: &Story, row: &Row) -> Value {
    located(&format!("step {}: {}", row.number, story.actor(row)), &row.text, row.location.as_ref())
}

/// What an actor does, with its place.
fn located(who: &str, text: &str, at: Option<&Location>) -> Value {
    let text = format!("{who}: {text}");
    let mut location = Map::new();
    if let Some(at) = at {
        location.insert("physicalLocation".to_owned(), place(at));
    }
    location.insert("message".to_owned(), json!({ "text": text }));
    Value::Object(location)
}

fn place(location: &Location) -> Value {
    json!({
        "artifactLocation": { "uri": uri(&location.file) },
        "region": { "startLine": location.line.max(1), "startColumn": location.column.max(1) },
    })
}

/// A file's name as a URI: relative to where the command ran, as the user named it.
fn uri(file: &str) -> String {
    let mut uri = if file.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basis;
    use crate::example::{Threads, counts};
    use mazurka_core::{Counter, Exploration, StopReason};

    fn log(exploration: &Exploration, stories: &[Story]) -> Value {
        let report = Report {
            program: "a program.mz",
            engine: "exhaustive",
            picked: None,
            basis: &Basis::default(),
            alternative: None,
            hint: None,
            exploration,
            stories,
        };
        serde_json::from_str(&super::report(&report)).expect("it is JSON")
    }

    fn conclude(stop: StopReason, threads: &Threads, moves: &[&[u32]]) -> Exploration {
        let found = moves.iter().map(|moves| threads.found(moves)).collect();
        Exploration::conclude(stop, None, found, counts(&[(Counter::States, 6)], 0.5))
    }

    #[test]
    fn a_violation_is_a_result_with_a_flow_for_each_actor() {
        let threads = Threads::three();
        let exploration = conclude(StopReason::Complete, &threads, &[&[2, 2, 0, 0]]);
        let log = log(&exploration, &[threads.tell(&[2, 2, 0, 0], 4)]);
        let result = &log["runs"][0]["results"][0];
        assert_eq!((&result["ruleId"], &result["level"]), (&json!("assertion"), &json!("error")));
        assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 2);
        assert_eq!(result["relatedLocations"][1]["message"]["text"], "step 3: T1: r1 = x++");
        let flows = &result["codeFlows"][0]["threadFlows"];
        let orders: Vec<Vec<u64>> = [0, 1]
            .map(|actor| {
                let steps = flows[actor]["locations"].as_array().expect("steps are listed");
                steps.iter().filter_map(|step| step["executionOrder"].as_u64()).collect()
            })
            .to_vec();
        assert_eq!(orders, [[1, 2], [3, 4]]);
        assert_eq!(flows[0]["locations"][1]["state"]["x"]["text"], "1");
    }

    #[test]
    fn a_proof_has_no_results_and_a_search_without_an_answer_has_an_open_one() {
        let threads = Threads::three();
        let proof = log(&conclude(StopReason::Complete, &threads, &[]), &[]);
        assert_eq!(proof["runs"][0]["results"], json!([]));
        let open = log(&conclude(StopReason::TimeLimit, &threads, &[]), &[]);
        let result = &open["runs"][0]["results"][0];
        assert_eq!((&result["kind"], &result["level"]), (&json!("open"), &json!("none")));
        assert_eq!(result["message"]["text"], "a program.mz is inconclusive: the time limit was reached");
        assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "a%20program.mz");
    }

    #[test]
    fn every_kind_of_violation_has_its_rule() {
        use ViolationKind::{Assertion, Conflict, Crash, Deadlock, Invariant, Race};
        for kind in [Assertion, Invariant, Deadlock, Crash, Conflict, Race] {
            assert_eq!(RULES[rule_index(kind.name())].0, kind.name());
        }
        assert_eq!(RULES[rule_index(UNPROVEN)].0, UNPROVEN);
    }
}
