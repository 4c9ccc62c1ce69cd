//! Engines side by side on one program.

use crate::format::{duration, mebibytes, number};
use crate::html::document;
use crate::json::{pretty, statistics};
use crate::layout::{Paint, one_line, pad, width, wrap};
use crate::{TextOptions, meaning};
use mazurka_core::{Counter, Exploration, Statistics, Verdict};
use serde::Serialize;
use serde_json::Map;

/// What one engine made of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The engine's name.
    pub engine: String,
    /// What it concluded; [`Verdict::Unsupported`] if it refuses the program.
    pub verdict: Verdict,
    /// What it counted.
    pub statistics: Statistics,
    /// How many violations it found.
    pub violations: usize,
}

impl Entry {
    /// What an engine concluded.
    pub fn new(engine: impl Into<String>, exploration: &Exploration) -> Self {
        Entry {
            engine: engine.into(),
            verdict: exploration.verdict.clone(),
            statistics: exploration.statistics.clone(),
            violations: exploration.violations.len(),
        }
    }

    fn refusal(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Unsupported(reason) => Some(reason),
            _ => None,
        }
    }
}

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Counter(Counter),
    Violations,
    Time,
}

/// What is given up first where the table is too wide.
const LEAST_WANTED: [Column; 13] = [
    Column::Counter(Counter::Races),
    Column::Counter(Counter::BacktrackPoints),
    Column::Counter(Counter::MaxDepth),
    Column::Counter(Counter::EndStates),
    Column::Counter(Counter::PeakBytes),
    Column::Counter(Counter::Events),
    Column::Counter(Counter::Cutoffs),
    Column::Counter(Counter::Blocked),
    Column::Violations,
    Column::Counter(Counter::Revisited),
    Column::Counter(Counter::Configurations),
    Column::Counter(Counter::EventTraces),
    Column::Counter(Counter::Traces),
];

impl Column {
    fn title(self) -> String {
        match self {
            Column::Counter(Counter::PeakBytes) => "memory".to_owned(),
            Column::Counter(Counter::MaxDepth) => "depth".to_owned(),
            Column::Counter(Counter::BacktrackPoints) => "backtracks".to_owned(),
            Column::Counter(counter) => counter.name().replace('_', " "),
            Column::Violations => "violations".to_owned(),
            Column::Time => "time".to_owned(),
        }
    }

    fn value(self, entry: &Entry) -> String {
        match self {
            Column::Counter(counter) => match entry.statistics.get(counter) {
                Some(bytes) if counter == Counter::PeakBytes => mebibytes(bytes),
                Some(count) => number(count),
                None => "-".to_owned(),
            },
            Column::Violations => number(entry.violations as u64),
            Column::Time => duration(entry.statistics.seconds),
        }
    }

    fn number(self, entry: &Entry) -> Option<f64> {
        match self {
            Column::Counter(counter) => entry.statistics.get(counter).map(|count| count as f64),
            Column::Violations => Some(entry.violations as f64),
            Column::Time => Some(entry.statistics.seconds),
        }
    }

    fn meaning(self) -> &'static str {
        match self {
            Column::Counter(counter) => counter.meaning().trim(),
            Column::Violations => "Violations that were found.",
            Column::Time => "How long the search took.",
        }
    }

    fn width(self, entries: &[Entry]) -> usize {
        let values = entries.iter().filter(|entry| entry.refusal().is_none());
        values.map(|entry| width(&self.value(entry))).max().unwrap_or(0).max(width(&self.title()))
    }
}

/// The table as text: one line per engine, numbers to the right, the reason where an engine refuses or does not decide.
pub fn text(entries: &[Entry], options: &TextOptions) -> String {
    let paint = Paint { colour: options.colour };
    let engines = entries.iter().map(|entry| width(&entry.engine)).max().unwrap_or(0).max("engine".len());
    let verdicts = entries.iter().map(|entry| entry.verdict.name().len()).max().unwrap_or(0).max("verdict".len());
    let columns = columns(entries, options.width.saturating_sub(engines + 2 + verdicts));
    let row = |engine: &str, verdict: String, values: &[String]| {
        let mut line = format!("{}  {verdict}", pad(engine, engines));
        for (column, value) in columns.iter().zip(values) {
            line.push_str(&format!("  {value:>fill$}", fill = column.width(entries)));
        }
        line.trim_end().to_owned()
    };
    let titles: Vec<_> = columns.iter().map(|column| column.title()).collect();
    let mut lines = vec![paint.bold(&row("engine", pad("verdict", verdicts), &titles))];
    for entry in entries {
        let values: Vec<_> = columns.iter().map(|column| column.value(entry)).collect();
        let values = if entry.refusal().is_some() { &[][..] } else { &values };
        let name = entry.verdict.name();
        let verdict = coloured(paint, &entry.verdict) + &pad("", verdicts - name.len());
        lines.push(row(&entry.engine, verdict, values));
    }
    lines.extend(notes(entries, engines, options.width));
    lines.join("\n") + "\n"
}

fn coloured(paint: Paint, verdict: &Verdict) -> String {
    match verdict {
        Verdict::Verified => paint.good(verdict.name()),
        Verdict::Violated => paint.alarm(verdict.name()),
        Verdict::Unsupported(_) => paint.dim(verdict.name()),
        Verdict::Bounded { .. } | Verdict::Inconclusive(_) => paint.open(verdict.name()),
    }
}

/// The columns that some engine fills, as many as fit.
fn columns(entries: &[Entry], room: usize) -> Vec<Column> {
    let used = |counter: &Counter| entries.iter().any(|entry| entry.statistics.get(*counter).is_some());
    let mut columns: Vec<_> = Counter::ALL.iter().copied().filter(used).map(Column::Counter).collect();
    if entries.iter().any(|entry| entry.violations > 0) {
        columns.push(Column::Violations);
    }
    columns.push(Column::Time);
    for unwanted in LEAST_WANTED {
        if columns.iter().map(|column| column.width(entries) + 2).sum::<usize>() <= room {
            break;
        }
        columns.retain(|&column| column != unwanted);
    }
    columns
}

/// Below the table, why engines refuse or do not decide.
fn notes(entries: &[Entry], engines: usize, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in entries {
        let Some(reason) = meaning::unproven(&entry.verdict) else { continue };
        if lines.is_empty() {
            lines.push(String::new());
        }
        let room = width.saturating_sub(engines + 2).max(20);
        for (index, piece) in wrap(&one_line(&reason), room).into_iter().enumerate() {
            let engine = if index == 0 { entry.engine.as_str() } else { "" };
            lines.push(format!("{}  {piece}", pad(engine, engines)));
        }
    }
    lines
}

/// The table as one JSON object: `program`, and `engines` with the same names as in a report.
pub fn json(program: &str, entries: &[Entry]) -> String {
    pretty(&TableObject { program, engines: entries.iter().map(EntryObject::new).collect() })
}

/// The table as a page for a browser, with a bar chart for each column.
pub fn page(program: &str, entries: &[Entry]) -> String {
    let ran: Vec<usize> = (0..entries.len()).filter(|&index| entries[index].refusal().is_none()).collect();
    let metric = |column: Column| {
        let bar = |&index: &usize| {
            let entry = &entries[index];
            Some(BarObject { engine: index, number: column.number(entry)?, text: column.value(entry) })
        };
        MetricObject { name: column.title(), meaning: column.meaning(), bars: ran.iter().filter_map(bar).collect() }
    };
    let page = ComparePage {
        program,
        engines: entries.iter().map(EntryObject::new).collect(),
        metrics: columns(entries, usize::MAX).into_iter().map(metric).collect(),
    };
    let plain = text(entries, &TextOptions { width: 120, ..TextOptions::default() });
    document(&format!("engines side by side · {program}"), &plain, "", &page, &PAGE_SCRIPTS)
}

const PAGE_SCRIPTS: [&str; 2] = [include_str!("html/dom.js"), include_str!("html/compare.js")];

#[derive(Serialize)]
struct ComparePage<'a> {
    program: &'a str,
    engines: Vec<EntryObject<'a>>,
    metrics: Vec<MetricObject>,
}

/// What was counted, with a bar for each engine that counts it.
#[derive(Serialize)]
struct MetricObject {
    name: String,
    meaning: &'static str,
    bars: Vec<BarObject>,
}

#[derive(Serialize)]
struct BarObject {
    /// The engine's place in the list.
    engine: usize,
    number: f64,
    text: String,
}

#[derive(Serialize)]
struct TableObject<'a> {
    program: &'a str,
    engines: Vec<EntryObject<'a>>,
}

#[derive(Serialize)]
struct EntryObject<'a> {
    engine: &'a str,
    verdict: &'static str,
    reason: Option<String>,
    violations: usize,
    statistics: Map<String, serde_json::Value>,
}

impl<'a> EntryObject<'a> {
    fn new(entry: &'a Entry) -> Self {
        EntryObject {
            engine: &entry.engine,
            verdict: entry.verdict.name(),
            reason: meaning::unproven(&entry.verdict),
            violations: entry.violations,
            statistics: statistics(&entry.statistics),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::counts;
    use mazurka_core::{Bound, StopReason};

    #[test]
    fn a_page_has_a_bar_for_each_engine_that_counts_something() {
        let page = page("three.mz", &entries());
        assert!(page.contains(r#"{"name":"states","meaning":"Distinct states that were met.","bars":[{"engine":0,"number":12345.0,"text":"12,345"}"#));
        assert!(page.contains("<title>engines side by side · three.mz</title>"));
    }

    fn entries() -> Vec<Entry> {
        let entry = |engine: &str, verdict, counted: &[(Counter, u64)], seconds, violations| {
            let statistics = counts(counted, seconds);
            Entry { engine: engine.to_owned(), verdict, statistics, violations }
        };
        use Counter::{Blocked, Executions, MaxDepth, PeakBytes, States, Traces, Transitions};
        let memory = (PeakBytes, 5 << 20);
        vec![
            entry("exhaustive", Verdict::Violated, &[(States, 12_345), (Transitions, 45_678), memory], 0.0412, 2),
            entry("dpor", Verdict::Violated, &[(Executions, 720), (Blocked, 31), (Transitions, 4_000)], 0.0031, 2),
            entry("optimal", Verdict::Violated, &[(Executions, 6), (Traces, 6), (Transitions, 40)], 0.00002, 2),
            entry("sdpor", Verdict::Bounded { bound: Bound::Depth(1000), cuts: 1 }, &[(MaxDepth, 1000)], 1.0, 0),
            entry("unfolding", Verdict::Inconclusive(StopReason::TimeLimit), &[(Executions, 9)], 60.0, 0),
            entry("em-dpor", Verdict::Unsupported("the program has no first-in-first-out mailbox".into()), &[], 0.0, 0),
        ]
    }

    #[test]
    fn engines_stand_side_by_side() {
        insta::assert_snapshot!(text(&entries(), &TextOptions { width: 120, ..TextOptions::default() }), @"
        engine      verdict       executions  blocked  traces  states  transitions  depth   memory  violations    time
        exhaustive  violated               -        -       -  12,345       45,678      -  5.0 MiB           2   41 ms
        dpor        violated             720       31       -       -        4,000      -        -           2  3.1 ms
        optimal     violated               6        -       6       -           40      -        -           2   20 µs
        sdpor       bounded                -        -       -       -            -  1,000        -           0   1.0 s
        unfolding   inconclusive           9        -       -       -            -      -        -           0   1 min
        em-dpor     unsupported

        sdpor       1 schedule was cut at 1,000 steps
        unfolding   the time limit was reached
        em-dpor     the program has no first-in-first-out mailbox
        ");
    }

    #[test]
    fn a_narrow_table_gives_up_what_is_least_wanted() {
        insta::assert_snapshot!(text(&entries(), &TextOptions::default()), @"
        engine      verdict       executions  traces  states  transitions    time
        exhaustive  violated               -       -  12,345       45,678   41 ms
        dpor        violated             720       -       -        4,000  3.1 ms
        optimal     violated               6       6       -           40   20 µs
        sdpor       bounded                -       -       -            -   1.0 s
        unfolding   inconclusive           9       -       -            -   1 min
        em-dpor     unsupported

        sdpor       1 schedule was cut at 1,000 steps
        unfolding   the time limit was reached
        em-dpor     the program has no first-in-first-out mailbox
        ");
    }

    #[test]
    fn a_table_is_one_object() {
        let some: Vec<_> = entries().into_iter().skip(4).collect();
        insta::assert_snapshot!(json("three.mz", &some), @r#"
        {
          "program": "three.mz",
          "engines": [
            {
              "engine": "unfolding",
              "verdict": "inconclusive",
              "reason": "the time limit was reached",
              "violations": 0,
              "statistics": {
                "executions": 9,
                "seconds": 60.0
              }
            },
            {
              "engine": "em-dpor",
              "verdict": "unsupported",
              "reason": "the program has no first-in-first-out mailbox",
              "violations": 0,
              "statistics": {
                "seconds": 0.0
              }
            }
          ]
        }
        "#);
    }

    #[test]
    fn an_empty_table_has_a_head() {
        assert_eq!(text(&[], &TextOptions::default()), "engine  verdict  time\n");
    }
}
