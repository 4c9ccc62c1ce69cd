//! A table over pairs of apps: which of them fight.

use crate::TextOptions;
use crate::format::{count, duration, number};
use crate::json::pretty;
use crate::layout::{Paint, excerpt, one_line, pad, quoted, width, wrap};
use crate::meaning::COMPLETE;
use crate::terminal::name;
use mazurka_core::Severity;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;

/// What is known of a pair of apps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairRow {
    /// The apps, as the table names them.
    pub apps: Vec<String>,
    /// `verified`, `violated`, `bounded`, `inconclusive`, `unsupported`, `accepted` if all that was found is, or `failed` if
    /// the pair could not be checked.
    pub verdict: String,
    /// What stands behind the verdict.
    pub reason: Option<String>,
    /// What was found.
    pub violations: Vec<PairViolation>,
    /// How many events can happen.
    pub events: Option<u64>,
    /// How many states were met.
    pub states: Option<u64>,
    /// How many steps were taken.
    pub transitions: Option<u64>,
    /// How long it took.
    pub seconds: f64,
    /// The most memory that was in use.
    pub peak_bytes: Option<u64>,
    /// The address of the page that shows what was found, if one was written.
    #[serde(skip)]
    pub page: Option<String>,
}

/// Something that was found in a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairViolation {
    /// The kind, as JSON reports name it.
    pub kind: String,
    /// What is wrong, in one sentence.
    pub message: String,
    /// The events that lead to it, in order.
    pub events: Vec<String>,
    /// How much it matters: `low`, `medium` or `high`.
    #[serde(default)]
    pub severity: Option<String>,
    /// Whether it is accepted.
    #[serde(default)]
    pub accepted: bool,
}

impl PairViolation {
    fn severity(&self) -> Severity {
        self.severity.as_deref().and_then(Severity::by_name).unwrap_or_default()
    }
}

/// What the rows of a table are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rows {
    /// Two apps each.
    #[default]
    Pairs,
    /// Three apps each.
    Triples,
    /// One program each.
    Programs,
    /// Some automations of a home with Home Assistant each.
    Slices,
}

impl Rows {
    fn title(self) -> &'static str {
        match self {
            Rows::Pairs | Rows::Triples => "apps",
            Rows::Programs => "program",
            Rows::Slices => "automations",
        }
    }

    pub(crate) fn title_of_all(self) -> &'static str {
        if self == Rows::Programs { "programs" } else { self.title() }
    }

    /// What the rows are, in a word.
    pub fn things(self) -> &'static str {
        match self {
            Rows::Pairs => "pairs",
            Rows::Triples => "triples",
            Rows::Programs => "programs",
            Rows::Slices => "slices",
        }
    }

    /// A number of rows, in words.
    pub fn counted(self, rows: usize) -> String {
        count(rows as u64, self.things().trim_end_matches('s'), self.things())
    }
}

/// The verdict of a pair that could not be checked: an app that cannot be read, a checker that did not come back.
const FAILED: &str = "failed";
/// The verdict of a pair in which everything that was found is accepted.
const ACCEPTED: &str = "accepted";

/// The part of a check's JSON report that a table needs.
#[derive(Deserialize)]
struct Checked {
    verdict: String,
    reason: Option<String>,
    violations: Vec<CheckedViolation>,
    statistics: CheckedStatistics,
}

#[derive(Deserialize)]
struct CheckedViolation {
    kind: String,
    message: String,
    severity: Option<String>,
    schedule: Vec<CheckedStep>,
}

#[derive(Deserialize)]
struct CheckedStep {
    actor: String,
}

#[derive(Deserialize)]
struct CheckedStatistics {
    events: Option<u64>,
    states: Option<u64>,
    transitions: Option<u64>,
    seconds: f64,
    peak_bytes: Option<u64>,
}

impl PairRow {
    /// Takes what a check of the pair reported in JSON.
    pub fn from_report(apps: Vec<String>, report: &str) -> Result<PairRow, String> {
        let checked: Checked = serde_json::from_str(report).map_err(|error| error.to_string())?;
        let violations = checked.violations.into_iter().map(|violation| PairViolation {
            kind: violation.kind,
            message: violation.message,
            events: violation.schedule.into_iter().map(|step| step.actor).collect(),
            severity: violation.severity,
            accepted: false,
        });
        let CheckedStatistics { events, states, transitions, seconds, peak_bytes } = checked.statistics;
        let (verdict, reason, violations) = (checked.verdict, checked.reason, violations.collect());
        let page = None;
        Ok(PairRow { apps, verdict, reason, violations, events, states, transitions, seconds, peak_bytes, page })
    }

    /// A pair that could not be checked.
    pub fn failed(apps: Vec<String>, reason: impl Into<String>, seconds: f64) -> PairRow {
        PairRow {
            apps,
            verdict: FAILED.to_owned(),
            reason: Some(reason.into()),
            violations: Vec::new(),
            events: None,
            states: None,
            transitions: None,
            seconds,
            peak_bytes: None,
            page: None,
        }
    }

    /// Whether the pair could not be checked.
    pub fn has_failed(&self) -> bool {
        self.verdict == FAILED
    }

    /// The row as it is kept: one line.
    pub fn store(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// A row that was kept.
    pub fn restore(text: &str) -> Option<PairRow> {
        serde_json::from_str(text).ok()
    }

    /// Whether nothing was left out: what is not there was not found.
    pub(crate) fn is_complete(&self) -> bool {
        match self.verdict.as_str() {
            "verified" | ACCEPTED => true,
            "violated" => self.reason.as_deref() == Some(COMPLETE),
            _ => false,
        }
    }

    /// Draws the conclusion from what is accepted: where that is all, there is nothing new, unless there may be more.
    pub(crate) fn conclude_accepted(&mut self) {
        if self.verdict != "violated" || self.new_findings().next().is_some() {
            return;
        }
        if self.is_complete() {
            self.verdict = ACCEPTED.to_owned();
        } else {
            let why = self.reason.take().unwrap_or_default();
            self.reason = Some(format!("all that was found is accepted, but {why}"));
            self.verdict = "inconclusive".to_owned();
        }
    }

    /// What was found and is not accepted.
    fn new_findings(&self) -> impl DoubleEndedIterator<Item = &PairViolation> {
        self.violations.iter().filter(|violation| !violation.accepted)
    }

    /// How many of the findings are accepted.
    pub(crate) fn accepted(&self) -> usize {
        self.violations.len() - self.new_findings().count()
    }

    /// The highest severity of what was found and is not accepted.
    pub(crate) fn severity(&self) -> Option<Severity> {
        self.new_findings().map(PairViolation::severity).max()
    }

    /// How many violations of a kind there are that are not accepted.
    pub(crate) fn found(&self, kind: &str) -> usize {
        self.new_findings().filter(|violation| violation.kind == kind).count()
    }

    /// What matters most comes first: what is wrong, the most severe first, by the number of fights, cascades, crashes and
    /// broken rules; then what is not known; then what is accepted; then peace.
    fn importance(&self) -> impl Ord + use<'_> {
        let rank = match self.verdict.as_str() {
            "violated" => 0,
            "inconclusive" | "bounded" => 1,
            "unsupported" => 2,
            FAILED => 3,
            ACCEPTED => 4,
            _ => 5,
        };
        let counts = ["conflict", "cascade", "crash", "invariant", "liveness"].map(|kind| Reverse(self.found(kind)));
        (rank, Reverse(self.severity()), counts, &self.apps)
    }

    /// What was found, counted: "2 conflicts, 1 crash".
    pub(crate) fn summary(&self) -> String {
        const KINDS: [(&str, &str, &str); 9] = [
            ("conflict", "conflict", "conflicts"),
            ("cascade", "cascade", "cascades"),
            ("crash", "crash", "crashes"),
            ("invariant", "broken rule", "broken rules"),
            ("assertion", "failed assertion", "failed assertions"),
            ("deadlock", "deadlock", "deadlocks"),
            ("livelock", "livelock", "livelocks"),
            ("liveness", "endless run", "endless runs"),
            ("race", "data race", "data races"),
        ];
        let counts = KINDS.map(|(kind, one, many)| (self.found(kind) as u64, one, many));
        let parts = counts.iter().filter(|(found, ..)| *found > 0).map(|&(found, one, many)| count(found, one, many));
        let accepted = Some(self.accepted()).filter(|&accepted| accepted > 0);
        parts.chain(accepted.map(|accepted| format!("{accepted} accepted"))).collect::<Vec<_>>().join(", ")
    }
}

/// A line of a list that does not name two apps.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {found}\nexpected {} apps, as in: fire-alarm, lock-when-away{}", name(.file), if *.wanted == 3 { "three" } else { "two" }, if *.wanted == 3 { ", night-light" } else { "" })]
pub struct ListError {
    file: String,
    line: usize,
    found: String,
    wanted: usize,
}

/// The pairs of a list, each with its line: two names on each line, or as many as are wanted, with a comma or blanks between them. Empty lines and
/// lines that begin with `#` are passed over. The name is for error messages.
pub fn listed(file: &str, text: &str, wanted: usize) -> Result<Vec<(usize, Vec<String>)>, ListError> {
    let mut pairs = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let names: Vec<&str> = line.split([',', '\t']).map(str::trim).filter(|name| !name.is_empty()).collect();
        let names = if names.len() == 1 { line.split_whitespace().collect() } else { names };
        if names.len() != wanted {
            return Err(ListError { file: file.to_owned(), line: number, found: excerpt(line), wanted });
        }
        pairs.push((number, names.into_iter().map(str::to_owned).collect()));
    }
    Ok(pairs)
}

/// Brings the rows into the order in which people want to read them.
pub fn sort(rows: &mut [PairRow]) {
    rows.sort_by(|one, other| one.importance().cmp(&other.importance()));
}

const TITLES: [&str; 7] = ["apps", "verdict", "found", "events", "states", "transitions", "time"];
const APPS: usize = 0;
/// What is given up first where the table is too wide: transitions, events, states.
const LEAST_WANTED: [usize; 3] = [5, 3, 4];
/// However narrow the screen is, the names of apps have this much room.
const LEAST_ROOM: usize = 20;

/// The table for people: a line per pair, and below it what was found or why nothing is known.
pub fn text(rows: &[PairRow], kind: Rows, options: &TextOptions) -> String {
    let paint = Paint { colour: options.colour };
    let cells: Vec<[String; 7]> = rows.iter().map(cells).collect();
    let fill = |column: usize| cells.iter().map(|row| width(&row[column])).max().unwrap_or(0).max(TITLES[column].len());
    let mut fills: Vec<usize> = (0..TITLES.len()).map(fill).collect();
    fills[APPS] = fills[APPS].max(kind.title().len());
    let mut columns: Vec<usize> = (0..TITLES.len()).collect();
    let total = |columns: &[usize], fills: &[usize]| columns.iter().map(|&column| fills[column] + 2).sum::<usize>() - 2;
    for unwanted in LEAST_WANTED {
        if total(&columns, &fills) > options.width {
            columns.retain(|&column| column != unwanted);
        }
    }
    let excess = total(&columns, &fills).saturating_sub(options.width);
    fills[APPS] = fills[APPS].min((fills[APPS].saturating_sub(excess)).max(LEAST_ROOM));
    let line = |row: &[String; 7], verdict: &str| {
        let mut names = folded(&row[APPS], fills[APPS]).into_iter();
        let mut line = pad(&names.next().unwrap_or_default(), fills[APPS]);
        for &column in &columns[1..] {
            let room = fills[column];
            let cell = match column {
                1 => verdict.to_owned() + &pad("", room - width(&row[1])),
                2 => pad(&row[2], room),
                _ => format!("{:>room$}", row[column]),
            };
            line.push_str("  ");
            line.push_str(&cell);
        }
        let rest = names.map(|name| format!("\n{name}")).collect::<String>();
        line.trim_end().to_owned() + &rest
    };
    let mut titles = TITLES.map(str::to_owned);
    titles[APPS] = kind.title().to_owned();
    let mut lines = vec![paint.bold(&line(&titles, &titles[1]))];
    for (row, cells) in rows.iter().zip(&cells) {
        let verdict = match row.verdict.as_str() {
            "verified" | ACCEPTED => paint.good(&row.verdict),
            "violated" => paint.alarm(&row.verdict),
            _ => paint.open(&row.verdict),
        };
        lines.push(line(cells, &verdict));
        lines.extend(notes(row, options.width));
    }
    lines.push(String::new());
    lines.push(conclusion(rows, kind));
    lines.join("\n") + "\n"
}

/// The names of apps, one below the other where they are too long for one line.
fn folded(names: &str, room: usize) -> Vec<String> {
    if width(names) <= room {
        return vec![names.to_owned()];
    }
    let parts: Vec<&str> = names.split(" + ").collect();
    let shown = parts.iter().enumerate().map(|(index, name)| {
        let (before, after) = (if index > 0 { "  " } else { "" }, if index + 1 < parts.len() { " +" } else { "" });
        let room = room.saturating_sub(before.len() + after.len()).max(2);
        let kept: String = name.chars().take(room - 1).collect();
        let name = if width(name) > room { kept + "…" } else { (*name).to_owned() };
        format!("{before}{name}{after}")
    });
    shown.collect()
}

fn cells(row: &PairRow) -> [String; 7] {
    let counted = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), number);
    [
        row.apps.iter().map(|app| one_line(app)).collect::<Vec<_>>().join(" + "),
        row.verdict.clone(),
        row.summary(),
        counted(row.events),
        counted(row.states),
        counted(row.transitions),
        duration(row.seconds),
    ]
}

/// What was found, or why nothing is known, indented.
fn notes(row: &PairRow, screen: usize) -> Vec<String> {
    let sentences: Vec<String> = match row.verdict.as_str() {
        "violated" => {
            let mut findings: Vec<_> = row.new_findings().collect();
            findings.sort_by_key(|violation| Reverse(violation.severity()));
            findings.into_iter().map(sentence).collect()
        }
        "verified" | ACCEPTED => Vec::new(),
        _ => row.reason.iter().map(|reason| one_line(reason)).collect(),
    };
    let room = screen.clamp(40, 120) - 4;
    let wrapped = sentences.iter().flat_map(|sentence| {
        let pieces = wrap(sentence, room.saturating_sub(2)).into_iter().enumerate();
        pieces.map(|(index, piece)| format!("    {}{piece}", if index == 0 { "" } else { "  " }))
    });
    wrapped.collect()
}

fn sentence(violation: &PairViolation) -> String {
    let severity = violation.severity.as_ref().map_or_else(String::new, |severity| format!("{severity}: "));
    let message = severity + &one_line(&violation.message);
    if violation.events.is_empty() && violation.kind == "liveness" {
        return format!("{message} (if nothing else happens)");
    }
    if violation.events.is_empty() {
        return format!("{message} (as soon as they are installed)");
    }
    format!("{message} (after: {})", one_line(&violation.events.join(", ")))
}

/// How many pairs there are of each verdict.
pub(crate) fn conclusion(rows: &[PairRow], kind: Rows) -> String {
    let total = kind.counted(rows.len());
    let fights = rows.iter().filter(|row| row.found("conflict") > 0).count();
    let mut parts = Vec::new();
    if kind != Rows::Programs || fights > 0 {
        parts.push(format!("{} fight", number(fights as u64)));
    }
    for verdict in ["violated", "verified", "bounded", "inconclusive", "unsupported", FAILED, ACCEPTED] {
        let of_verdict = rows.iter().filter(|row| row.verdict == verdict).count();
        if of_verdict > 0 {
            parts.push(format!("{} {verdict}", number(of_verdict as u64)));
        }
    }
    let findings = match rows.iter().map(PairRow::accepted).sum::<usize>() {
        0 => String::new(),
        accepted => format!("; {}", count(accepted as u64, "finding is accepted", "findings are accepted")),
    };
    format!("{total}: {}{findings}", parts.join(", "))
}

/// The table with commas between the columns, one line per pair.
pub fn csv(rows: &[PairRow], kind: Rows) -> String {
    let names = match kind {
        Rows::Programs => &["program"][..],
        Rows::Triples => &["first", "second", "third"],
        Rows::Pairs | Rows::Slices => &["first", "second"],
    };
    let mut text = names.join(",")
        + ",verdict,conflicts,cascades,crashes,rules,events,states,transitions,seconds,peak_bytes,found,severity,accepted\n";
    for row in rows {
        let counted = |value: Option<u64>| value.map_or_else(String::new, |value| value.to_string());
        let worst = row.new_findings().rev().max_by_key(|violation| violation.severity());
        let found = match worst {
            Some(violation) => violation.message.clone(),
            None => row
                .reason
                .clone()
                .filter(|_| !["verified", ACCEPTED].contains(&row.verdict.as_str()))
                .unwrap_or_default(),
        };
        let app = |index: usize| row.apps.get(index).map(|app| one_line(app)).unwrap_or_default();
        let mut fields: Vec<String> = (0..names.len()).map(app).collect();
        fields.push(row.verdict.clone());
        fields.extend(["conflict", "cascade", "crash", "invariant"].map(|kind| row.found(kind).to_string()));
        fields.extend([row.events, row.states, row.transitions].map(counted));
        fields.extend([format!("{:.6}", row.seconds), counted(row.peak_bytes), one_line(&found)]);
        let severity = row.severity().map_or("", Severity::name);
        fields.extend([severity.to_owned(), row.accepted().to_string()]);
        let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        text.push_str(&fields.join(","));
        text.push('\n');
    }
    text
}

/// The table as one JSON object.
pub fn json(rows: &[PairRow]) -> String {
    #[derive(Serialize)]
    struct PairsObject<'a> {
        pairs: &'a [PairRow],
    }
    pretty(&PairsObject { pairs: rows })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn row(apps: [&str; 2], verdict: &str, found: &[(&str, &str, &[&str])]) -> PairRow {
        let violations = found.iter().map(|(kind, message, events)| PairViolation {
            kind: (*kind).to_owned(),
            message: (*message).to_owned(),
            events: events.iter().map(|event| (*event).to_owned()).collect(),
            severity: Some("high".to_owned()),
            accepted: false,
        });
        PairRow {
            apps: apps.map(str::to_owned).to_vec(),
            verdict: verdict.to_owned(),
            reason: Some(if verdict == "violated" { COMPLETE } else { "the time limit was reached" }.to_owned()),
            violations: violations.collect(),
            events: Some(4),
            states: Some(1_234),
            transitions: Some(5_678),
            seconds: 0.0123,
            peak_bytes: Some(1 << 20),
            page: None,
        }
    }

    pub(crate) fn some() -> Vec<PairRow> {
        let mut rows = vec![
            row(["night-light", "welcome"], "verified", &[]),
            row(["big", "bigger"], "inconclusive", &[]),
            row(
                ["alarm", "lock"],
                "violated",
                &[("conflict", "\"Lock\" locks what \"Alarm\" unlocked", &["smoke", "leave"])],
            ),
            PairRow::failed(vec!["broken".to_owned(), "lock".to_owned()], "broken.groovy:3: no definition", 0.001),
        ];
        sort(&mut rows);
        rows
    }

    #[test]
    fn fights_come_first_and_are_told() {
        insta::assert_snapshot!(text(&some(), Rows::Pairs, &TextOptions { width: 120, ..TextOptions::default() }), @r#"
        apps                   verdict       found       events  states  transitions    time
        alarm + lock           violated      1 conflict       4   1,234        5,678   12 ms
            high: "Lock" locks what "Alarm" unlocked (after: smoke, leave)
        big + bigger           inconclusive                   4   1,234        5,678   12 ms
            the time limit was reached
        broken + lock          failed                         -       -            -  1.0 ms
            broken.groovy:3: no definition
        night-light + welcome  verified                       4   1,234        5,678   12 ms

        4 pairs: 1 fight, 1 violated, 1 verified, 1 inconclusive, 1 failed
        "#);
    }

    #[test]
    fn a_narrow_screen_keeps_what_matters_most() {
        insta::assert_snapshot!(text(&some(), Rows::Pairs, &TextOptions { width: 54, ..TextOptions::default() }), @r#"
        apps                  verdict       found         time
        alarm + lock          violated      1 conflict   12 ms
            high: "Lock" locks what "Alarm" unlocked (after:
              smoke, leave)
        big + bigger          inconclusive               12 ms
            the time limit was reached
        broken + lock         failed                    1.0 ms
            broken.groovy:3: no definition
        night-light +         verified                   12 ms
          welcome

        4 pairs: 1 fight, 1 violated, 1 verified, 1 inconclusive, 1 failed
        "#);
        assert_eq!(folded("a-very-long-name-indeed + b", 12), ["a-very-lo… +", "  b"]);
    }

    #[test]
    fn machines_get_a_line_per_pair() {
        insta::assert_snapshot!(csv(&some(), Rows::Pairs), @r#"
        first,second,verdict,conflicts,cascades,crashes,rules,events,states,transitions,seconds,peak_bytes,found,severity,accepted
        alarm,lock,violated,1,0,0,0,4,1234,5678,0.012300,1048576,"""Lock"" locks what ""Alarm"" unlocked",high,0
        big,bigger,inconclusive,0,0,0,0,4,1234,5678,0.012300,1048576,the time limit was reached,,0
        broken,lock,failed,0,0,0,0,,,,0.001000,,broken.groovy:3: no definition,,0
        night-light,welcome,verified,0,0,0,0,4,1234,5678,0.012300,1048576,,,0
        "#);
    }

    #[test]
    fn what_is_accepted_is_counted_and_not_told() {
        let findings: &[(&str, &str, &[&str])] =
            &[("conflict", "they hum", &[]), ("conflict", "they whistle", &[]), ("crash", "it falls", &["dusk"])];
        let mut rows = vec![row(["a", "b"], "violated", findings), row(["c", "d"], "violated", &findings[..1])];
        rows[0].violations[0].severity = Some("low".to_owned());
        rows[0].violations[1].accepted = true;
        rows[1].violations[0].accepted = true;
        rows.iter_mut().for_each(PairRow::conclude_accepted);
        insta::assert_snapshot!(text(&rows, Rows::Pairs, &TextOptions { width: 120, ..TextOptions::default() }), @"
        apps   verdict   found                            events  states  transitions   time
        a + b  violated  1 conflict, 1 crash, 1 accepted       4   1,234        5,678  12 ms
            high: it falls (after: dusk)
            low: they hum (as soon as they are installed)
        c + d  accepted  1 accepted                            4   1,234        5,678  12 ms

        2 pairs: 1 fight, 1 violated, 1 accepted; 2 findings are accepted
        ");
        let lines = csv(&rows, Rows::Pairs);
        assert!(lines.contains("a,b,violated,1,0,1,0,") && lines.contains("it falls,high,1\n"), "{lines}");
        let mut stopped = row(["a", "b"], "violated", &findings[..1]);
        stopped.reason = Some("the search stopped at the first violation".to_owned());
        stopped.violations[0].accepted = true;
        stopped.conclude_accepted();
        assert_eq!(stopped.verdict, "inconclusive");
        assert!(stopped.reason.is_some_and(|reason| reason.starts_with("all that was found is accepted, but ")));
    }

    #[test]
    fn a_row_is_kept_as_it_is() {
        for row in some() {
            assert_eq!(PairRow::restore(&row.store()), Some(row));
        }
        assert_eq!(PairRow::restore("{\"apps\":"), None);
        assert!(json(&some()).starts_with("{\n  \"pairs\": ["));
    }

    #[test]
    fn a_report_of_a_check_becomes_a_row() {
        let report = r#"{"program": "a", "engine": "stateful", "verdict": "violated", "reason": null,
            "violations": [{"kind": "crash", "message": "oh", "schedule": [{"actor": "smoke"}]}],
            "statistics": {"states": 3, "transitions": 4, "events": 2, "seconds": 0.5}}"#;
        let row = PairRow::from_report(vec!["a".to_owned(), "b".to_owned()], report).expect("it is a report");
        assert_eq!((row.found("crash"), row.events, row.peak_bytes), (1, Some(2), None));
        assert_eq!(row.violations[0].events, ["smoke"]);
        assert!(PairRow::from_report(Vec::new(), "{}").is_err());
    }
}
