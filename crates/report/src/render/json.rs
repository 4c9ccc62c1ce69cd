//! Reports that a machine reads: one object, its names and their meanings stable.

use crate::terminal::steers;
use crate::{Change, Picked, Report, Row, Site, Story, Tried, Vacuous, Wait, cycle, meaning};
use mazurka_core::{Bound, Location, Severity, Statistics, Value, Verdict};
use serde::Serialize;
use serde_json::Map;

/// The whole report as one JSON object.
pub fn report(report: &Report<'_>) -> String {
    pretty(&ReportObject {
        program: report.program,
        engine: report.engine,
        picked: report.picked.map(PickedObject::new),
        verdict: report.exploration.verdict.name(),
        reason: meaning::reason(report),
        basis: BasisObject::of(report),
        cut: report.exploration.cut.map(CutObject::new),
        alternative: report.alternative,
        hint: report.hint,
        violations: report.stories.iter().map(ViolationObject::new).collect(),
        statistics: statistics(&report.exploration.statistics),
    })
}

/// One violation and its schedule as a JSON object.
pub fn story(story: &Story) -> String {
    pretty(&ViolationObject::new(story))
}

/// The counters that apply, by name, and the seconds.
pub(crate) fn statistics(statistics: &Statistics) -> Map<String, serde_json::Value> {
    let mut object: Map<_, _> =
        statistics.iter().map(|(counter, count)| (counter.name().to_owned(), count.into())).collect();
    object.insert("seconds".to_owned(), statistics.seconds.into());
    object
}

/// What is serialised here has string keys and no foreign `Serialize`, so it cannot fail; should it ever, the error is
/// said in JSON too.
pub(crate) fn pretty(object: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(object)
        .unwrap_or_else(|error| serde_json::json!({ "error": error.to_string() }).to_string());
    text.push('\n');
    without_controls(text)
}

/// JSON without the control characters that it may hold as they are: they all stand within strings.
fn without_controls(text: String) -> String {
    let steers = |c: char| c != '\n' && steers(c);
    if !text.contains(steers) {
        return text;
    }
    let written = |c: char| if steers(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    text.chars().map(written).collect()
}

#[derive(Serialize)]
struct ReportObject<'a> {
    program: &'a str,
    engine: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    picked: Option<PickedObject<'a>>,
    verdict: &'static str,
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    basis: Option<BasisObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cut: Option<CutObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternative: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    violations: Vec<ViolationObject<'a>>,
    statistics: Map<String, serde_json::Value>,
}

/// Why this engine ran, and which ones before it.
#[derive(Serialize)]
struct PickedObject<'a> {
    reason: &'a str,
    tried: Vec<TriedObject>,
}

#[derive(Serialize)]
struct TriedObject {
    engine: &'static str,
    statistics: Map<String, serde_json::Value>,
}

impl<'a> PickedObject<'a> {
    fn new(picked: &'a Picked) -> Self {
        let tried = |tried: &Tried| TriedObject { engine: tried.engine, statistics: statistics(&tried.statistics) };
        PickedObject { reason: &picked.reason, tried: picked.tried.iter().map(tried).collect() }
    }
}

/// What the search did not follow.
#[derive(Serialize)]
struct CutObject {
    bound: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    cuts: u64,
}

impl CutObject {
    fn new((bound, cuts): (Bound, u64)) -> Self {
        match bound {
            Bound::Depth(steps) => CutObject { bound: "depth", steps: Some(steps), cuts },
            Bound::Cycle => CutObject { bound: "cycle", steps: None, cuts },
        }
    }
}

/// What a proof rests on.
#[derive(Serialize)]
pub(crate) struct BasisObject<'a> {
    vacuity: &'static str,
    vacuous: Vec<VacuousObject<'a>>,
    unreached: Vec<SiteObject<'a>>,
    blocked_at: Vec<SiteObject<'a>>,
    waits_at: Vec<SiteObject<'a>>,
    considered: Map<String, serde_json::Value>,
}

impl<'a> BasisObject<'a> {
    /// Nothing is claimed where there is no proof.
    pub(crate) fn of(report: &Report<'a>) -> Option<Self> {
        let basis = report.basis;
        (report.exploration.verdict == Verdict::Verified).then(|| BasisObject {
            vacuity: report.vacuity().name(),
            vacuous: basis.vacuous.iter().map(VacuousObject::new).collect(),
            unreached: basis.unreached.iter().map(SiteObject::new).collect(),
            blocked_at: basis.blocked_at.iter().map(SiteObject::new).collect(),
            waits_at: basis.waits_at.iter().map(SiteObject::new).collect(),
            considered: basis.considered.iter().map(|one| (one.what.clone(), one.text.clone().into())).collect(),
        })
    }
}

#[derive(Serialize)]
struct VacuousObject<'a> {
    #[serde(flatten)]
    site: SiteObject<'a>,
    reason: &'a str,
    remedy: Option<&'a str>,
}

impl<'a> VacuousObject<'a> {
    fn new(vacuous: &'a Vacuous) -> Self {
        let Vacuous { site, reason, remedy } = vacuous;
        VacuousObject { site: SiteObject::new(site), reason, remedy: remedy.as_deref() }
    }
}

#[derive(Serialize)]
struct SiteObject<'a> {
    text: &'a str,
    r#where: Option<PlaceObject<'a>>,
}

impl<'a> SiteObject<'a> {
    fn new(site: &'a Site) -> Self {
        SiteObject { text: &site.text, r#where: site.location.as_ref().map(PlaceObject::new) }
    }
}

#[derive(Serialize)]
pub(crate) struct ViolationObject<'a> {
    kind: &'static str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    r#where: Option<PlaceObject<'a>>,
    actor: Option<&'a str>,
    values: Map<String, serde_json::Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    race: Option<RaceObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    early: Option<EarlyObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<ChoiceObject<'a>>,
    replayed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waits: Vec<WaitObject<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cycle: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    repeats: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<&'a str>,
    start: usize,
    schedule: Vec<StepObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#loop: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shortened_from: Option<LengthObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    schedule_file: Option<&'a str>,
}

impl<'a> ViolationObject<'a> {
    pub(crate) fn new(story: &'a Story) -> Self {
        let violation = &story.violation;
        let original = LengthObject { steps: story.original.steps, switches: story.original.switches };
        ViolationObject {
            kind: violation.kind.name(),
            message: &violation.message,
            severity: story.severity.map(Severity::name),
            r#where: violation.location.as_ref().map(PlaceObject::new),
            actor: story.culprit.as_deref(),
            values: values(&violation.values),
            why: story.why.as_deref(),
            race: story.race.as_ref().map(|race| RaceObject {
                first: race.first + 1,
                second: race.second + 1,
                object: &race.object,
            }),
            early: story.early.as_ref().map(|early| EarlyObject {
                step: early.step + 1,
                actor: &early.actor,
                text: &early.text,
                r#where: early.location.as_ref().map(PlaceObject::new),
                object: &early.object,
            }),
            choice: story
                .choice
                .as_ref()
                .map(|choice| ChoiceObject { step: choice.step + 1, instead: &choice.instead }),
            replayed: story.faithful,
            waits: story.waits.iter().map(WaitObject::new).collect(),
            cycle: cycle(&story.waits).into_iter().map(|index| story.waits[index].actor.as_str()).collect(),
            repeats: &story.repeats,
            remedy: story.lasso.as_ref().and_then(|lasso| lasso.remedy.as_deref()),
            r#loop: story.lasso.as_ref().map(|lasso| lasso.from + 1),
            start: story.start,
            schedule: story.rows.iter().map(|row| StepObject::new(story.actor(row), row)).collect(),
            shortened_from: story.was_shortened().then_some(original),
            schedule_file: story.saved.as_deref(),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct PlaceObject<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

impl<'a> PlaceObject<'a> {
    pub(crate) fn new(location: &'a Location) -> Self {
        PlaceObject { file: &location.file, line: location.line, column: location.column }
    }
}

/// The racing steps by their places in the schedule, from 1, and what they race for.
#[derive(Serialize)]
struct RaceObject<'a> {
    first: usize,
    second: usize,
    object: &'a str,
}

/// A step, by its place in the schedule, from 1, that came before another actor's step, which is not part of the schedule.
#[derive(Serialize)]
struct EarlyObject<'a> {
    step: usize,
    actor: &'a str,
    text: &'a str,
    r#where: Option<PlaceObject<'a>>,
    object: &'a str,
}

/// A step, by its place in the schedule, from 1, and how it would have gone with another outcome.
#[derive(Serialize)]
struct ChoiceObject<'a> {
    step: usize,
    instead: &'a str,
}

/// An actor that waits in a deadlock: what it wants to do, what it waits for, which actor holds that, and what it holds
/// itself.
#[derive(Serialize)]
struct WaitObject<'a> {
    actor: &'a str,
    text: &'a str,
    r#where: Option<PlaceObject<'a>>,
    r#for: String,
    held_by: Option<&'a str>,
    holds: &'a [String],
}

impl<'a> WaitObject<'a> {
    fn new(wait: &'a Wait) -> Self {
        WaitObject {
            actor: &wait.actor,
            text: &wait.text,
            r#where: wait.location.as_ref().map(PlaceObject::new),
            r#for: wait.awaited.words(),
            held_by: wait.awaited.actor(),
            holds: &wait.holds,
        }
    }
}

#[derive(Serialize)]
struct LengthObject {
    steps: usize,
    switches: usize,
}

#[derive(Serialize)]
pub(crate) struct StepObject<'a> {
    actor: &'a str,
    outcome: u64,
    text: &'a str,
    r#where: Option<PlaceObject<'a>>,
    changes: Vec<ChangeObject<'a>>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    locals: Map<String, serde_json::Value>,
}

impl<'a> StepObject<'a> {
    pub(crate) fn new(actor: &'a str, row: &'a Row) -> Self {
        StepObject {
            actor,
            outcome: row.outcome.0,
            text: &row.text,
            r#where: row.location.as_ref().map(PlaceObject::new),
            changes: row.changes.iter().map(ChangeObject::new).collect(),
            locals: values(&row.locals),
        }
    }
}

#[derive(Serialize)]
struct ChangeObject<'a> {
    name: &'a str,
    old: Option<&'a str>,
    new: Option<&'a str>,
}

impl<'a> ChangeObject<'a> {
    fn new(change: &'a Change) -> Self {
        ChangeObject { name: &change.name, old: change.old.as_deref(), new: change.new.as_deref() }
    }
}

fn values(values: &[Value]) -> Map<String, serde_json::Value> {
    values.iter().map(|value| (value.name.clone(), value.value.clone().into())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basis;
    use crate::example::{Threads, counts};
    use mazurka_core::{Counter, Exploration, StopReason};

    #[test]
    fn a_violation_is_one_object() {
        let threads = Threads::three();
        let mut told = threads.tell(&[2, 2, 0, 0], 9);
        told.saved = Some("three.schedule".to_owned());
        told.rows.truncate(2);
        let statistics = counts(&[(Counter::Transitions, 9), (Counter::States, 6)], 0.25);
        let found = vec![threads.found(&[2, 2, 0, 0])];
        let exploration = Exploration::conclude(StopReason::FirstViolation, None, found, statistics);
        let (program, engine, basis) = ("three.mz", "stateful", &Basis::default());
        let stories = &[told];
        insta::assert_snapshot!(report(&Report { program, engine, picked: None, basis, alternative: None, hint: None, exploration: &exploration, stories }), @r#"
        {
          "program": "three.mz",
          "engine": "stateful",
          "verdict": "violated",
          "reason": "the search stopped at the first violation",
          "violations": [
            {
              "kind": "assertion",
              "message": "assertion failed: r1 == 0",
              "where": {
                "file": "three.mz",
                "line": 2,
                "column": 3
              },
              "actor": "T1",
              "values": {
                "r1": "1"
              },
              "why": "T3 incremented x before T1 did; nothing orders the two",
              "race": {
                "first": 2,
                "second": 3,
                "object": "x"
              },
              "replayed": true,
              "start": 0,
              "schedule": [
                {
                  "actor": "T3",
                  "outcome": 0,
                  "text": "r3 = z",
                  "where": {
                    "file": "three.mz",
                    "line": 21,
                    "column": 3
                  },
                  "changes": []
                },
                {
                  "actor": "T3",
                  "outcome": 0,
                  "text": "r3 = x++",
                  "where": {
                    "file": "three.mz",
                    "line": 22,
                    "column": 3
                  },
                  "changes": [
                    {
                      "name": "x",
                      "old": "0",
                      "new": "1"
                    }
                  ]
                }
              ],
              "shortened_from": {
                "steps": 9,
                "switches": 4
              },
              "schedule_file": "three.schedule"
            }
          ],
          "statistics": {
            "states": 6,
            "transitions": 9,
            "seconds": 0.25
          }
        }
        "#);
    }

    #[test]
    fn what_does_not_apply_is_null_or_absent() {
        insta::assert_snapshot!(story(&Threads::crossed_locks().tell(&[0, 1], 2)), @r#"
        {
          "kind": "deadlock",
          "message": "deadlock: T1 waits for lock 1, held by T2; T2 waits for lock 0, held by T1",
          "where": null,
          "actor": null,
          "values": {},
          "why": "T1 takes lock 0 before lock 1, T2 takes lock 1 before lock 0: a cycle",
          "replayed": true,
          "waits": [
            {
              "actor": "T1",
              "text": "lock 1",
              "where": {
                "file": "three.mz",
                "line": 2,
                "column": 3
              },
              "for": "lock 1",
              "held_by": "T2",
              "holds": [
                "lock 0"
              ]
            },
            {
              "actor": "T2",
              "text": "lock 0",
              "where": {
                "file": "three.mz",
                "line": 12,
                "column": 3
              },
              "for": "lock 0",
              "held_by": "T1",
              "holds": [
                "lock 1"
              ]
            }
          ],
          "cycle": [
            "T1",
            "T2"
          ],
          "start": 0,
          "schedule": [
            {
              "actor": "T1",
              "outcome": 0,
              "text": "lock 0",
              "where": {
                "file": "three.mz",
                "line": 1,
                "column": 3
              },
              "changes": [
                {
                  "name": "lock 0",
                  "old": null,
                  "new": "T1"
                }
              ]
            },
            {
              "actor": "T2",
              "outcome": 0,
              "text": "lock 1",
              "where": {
                "file": "three.mz",
                "line": 11,
                "column": 3
              },
              "changes": [
                {
                  "name": "lock 1",
                  "old": null,
                  "new": "T2"
                }
              ]
            }
          ]
        }
        "#);
    }
}
