//! Engines side by side on one program, or on one program with several values of its constants: a sweep.

use crate::format::{duration, mebibytes, number};
use crate::html::document;
use crate::json::{pretty, statistics};
use crate::layout::{Paint, one_line, pad, quoted, width, wrap};
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

/// A program with some values of its constants, and what each engine made of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The constants that differ from point to point, with their values. None where there is one point only.
    pub constants: Vec<(String, i64)>,
    /// One for each engine.
    pub entries: Vec<Entry>,
}

impl Point {
    /// `N=3, M=4`.
    fn name(&self) -> String {
        let constants: Vec<_> = self.constants.iter().map(|(name, value)| format!("{name}={value}")).collect();
        constants.join(", ")
    }
}

/// The engines of all points, in order.
fn entries(points: &[Point]) -> impl Iterator<Item = &Entry> + Clone {
    points.iter().flat_map(|point| &point.entries)
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

    fn width(self, points: &[Point]) -> usize {
        let values = entries(points).filter(|entry| entry.refusal().is_none());
        values.map(|entry| width(&self.value(entry))).max().unwrap_or(0).max(width(&self.title()))
    }
}

/// The table as text: one line per engine, numbers to the right, the reason where an engine refuses or does not decide.
/// Before the engine stand the constants that differ.
pub fn text(points: &[Point], options: &TextOptions) -> String {
    let paint = Paint { colour: options.colour };
    let lead = Lead::new(points);
    let engines = entries(points).map(|entry| width(&entry.engine)).max().unwrap_or(0).max("engine".len());
    let verdicts = entries(points).map(|entry| entry.verdict.name().len()).max().unwrap_or(0).max("verdict".len());
    let columns = columns(points, options.width.saturating_sub(lead.width() + engines + 2 + verdicts));
    let row = |lead: String, engine: &str, verdict: String, values: &[String]| {
        let mut line = format!("{lead}{}  {verdict}", pad(engine, engines));
        for (column, value) in columns.iter().zip(values) {
            line.push_str(&format!("  {value:>fill$}", fill = column.width(points)));
        }
        line.trim_end().to_owned()
    };
    let titles: Vec<_> = columns.iter().map(|column| column.title()).collect();
    let mut lines = vec![paint.bold(&row(lead.titles(), "engine", pad("verdict", verdicts), &titles))];
    for point in points {
        for entry in &point.entries {
            let values: Vec<_> = columns.iter().map(|column| column.value(entry)).collect();
            let values = if entry.refusal().is_some() { &[][..] } else { &values };
            let name = entry.verdict.name();
            let verdict = coloured(paint, &entry.verdict) + &pad("", verdicts - name.len());
            lines.push(row(lead.values(point), &entry.engine, verdict, values));
        }
    }
    lines.extend(notes(points, options.width));
    lines.join("\n") + "\n"
}

/// The columns of the constants that differ.
struct Lead(Vec<(String, usize)>);

impl Lead {
    fn new(points: &[Point]) -> Self {
        let names = points.first().map_or(&[][..], |point| &point.constants);
        let widest = |index: usize, name: &str| {
            let values = points.iter().filter_map(|point| point.constants.get(index));
            values.map(|(_, value)| value.to_string().len()).max().unwrap_or(0).max(width(name))
        };
        Lead(names.iter().enumerate().map(|(index, (name, _))| (name.clone(), widest(index, name))).collect())
    }

    fn width(&self) -> usize {
        self.0.iter().map(|(_, width)| width + 2).sum()
    }

    fn titles(&self) -> String {
        self.0.iter().map(|(name, fill)| format!("{}{name}  ", " ".repeat(fill - width(name)))).collect()
    }

    fn values(&self, point: &Point) -> String {
        self.0.iter().zip(&point.constants).map(|((_, fill), (_, value))| format!("{value:>fill$}  ")).collect()
    }
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
fn columns(points: &[Point], room: usize) -> Vec<Column> {
    let used = |counter: &Counter| entries(points).any(|entry| entry.statistics.get(*counter).is_some());
    let mut columns: Vec<_> = Counter::ALL.iter().copied().filter(used).map(Column::Counter).collect();
    if entries(points).any(|entry| entry.violations > 0) {
        columns.push(Column::Violations);
    }
    columns.push(Column::Time);
    for unwanted in LEAST_WANTED {
        if columns.iter().map(|column| column.width(points) + 2).sum::<usize>() <= room {
            break;
        }
        columns.retain(|&column| column != unwanted);
    }
    columns
}

/// Below the table, why engines refuse or do not decide. A reason that holds at several points is told once.
fn notes(points: &[Point], width_of_all: usize) -> Vec<String> {
    let mut told: Vec<(String, String)> = Vec::new();
    for point in points {
        for entry in &point.entries {
            let Some(reason) = meaning::unproven(&entry.verdict) else { continue };
            let reason = one_line(&reason);
            let refuses = entry.refusal().is_some() || point.constants.is_empty();
            let who = if refuses { entry.engine.clone() } else { format!("{}, {}", entry.engine, point.name()) };
            if !told.contains(&(who.clone(), reason.clone())) {
                told.push((who, reason));
            }
        }
    }
    let least = entries(points).map(|entry| width(&entry.engine)).max().unwrap_or(0).max("engine".len());
    let names = told.iter().map(|(who, _)| width(who)).max().unwrap_or(0).max(least);
    let room = width_of_all.saturating_sub(names + 2).max(20);
    let mut lines = Vec::new();
    for (who, reason) in &told {
        if lines.is_empty() {
            lines.push(String::new());
        }
        for (index, piece) in wrap(reason, room).into_iter().enumerate() {
            lines.push(format!("{}  {piece}", pad(if index == 0 { who } else { "" }, names)));
        }
    }
    lines
}

/// The table as one JSON object: `program`, and `engines` with the same names as in a report; in a sweep `points`, each
/// with its `constants` and its `engines`.
pub fn json(program: &str, points: &[Point]) -> String {
    match points {
        [point] if point.constants.is_empty() => pretty(&TableObject { program, engines: objects(&point.entries) }),
        _ => pretty(&SweepObject { program, points: points.iter().map(PointObject::new).collect() }),
    }
}

/// The table with commas between the columns: a line for each engine at each point, and a column for each counter that any
/// engine has.
pub fn csv(points: &[Point]) -> String {
    let used = |counter: &Counter| entries(points).any(|entry| entry.statistics.get(*counter).is_some());
    let counters: Vec<Counter> = Counter::ALL.iter().copied().filter(used).collect();
    let constants = points.first().map_or(&[][..], |point| &point.constants);
    let mut titles: Vec<&str> = constants.iter().map(|(name, _)| name.as_str()).collect();
    titles.extend(["engine", "verdict", "reason", "violations"]);
    titles.extend(counters.iter().map(|counter| counter.name()));
    titles.push("seconds");
    let mut lines = vec![titles.iter().map(|title| quoted(title)).collect::<Vec<_>>().join(",")];
    for point in points {
        for entry in &point.entries {
            let mut fields: Vec<String> = point.constants.iter().map(|(_, value)| value.to_string()).collect();
            let reason = meaning::unproven(&entry.verdict).map(|reason| one_line(&reason));
            fields.extend([entry.engine.clone(), entry.verdict.name().to_owned(), reason.unwrap_or_default()]);
            fields.push(entry.violations.to_string());
            let counted = |counter: &Counter| entry.statistics.get(*counter);
            fields.extend(counters.iter().map(|counter| counted(counter).map_or_else(String::new, |n| n.to_string())));
            fields.push(format!("{:.6}", entry.statistics.seconds));
            lines.push(fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(","));
        }
    }
    lines.join("\n") + "\n"
}

/// The table as a page for a browser: a bar chart for each column, or in a sweep how each column grows.
pub fn page(program: &str, points: &[Point]) -> String {
    let plain = text(points, &TextOptions { width: 120, ..TextOptions::default() });
    let title = format!("engines side by side · {program}");
    match points {
        [point] if point.constants.is_empty() => {
            document(&title, &plain, "", &bars(program, points, &point.entries), &PAGE_SCRIPTS)
        }
        _ => document(&title, &plain, "", &growth(program, points), &SWEEP_SCRIPTS),
    }
}

fn bars<'a>(program: &'a str, points: &[Point], entries: &'a [Entry]) -> ComparePage<'a> {
    let ran: Vec<usize> = (0..entries.len()).filter(|&index| entries[index].refusal().is_none()).collect();
    let metric = |column: Column| {
        let bar = |&index: &usize| {
            let entry = &entries[index];
            Some(BarObject { engine: index, number: column.number(entry)?, text: column.value(entry) })
        };
        MetricObject { name: column.title(), meaning: column.meaning(), bars: ran.iter().filter_map(bar).collect() }
    };
    let metrics = columns(points, usize::MAX).into_iter().map(metric).collect();
    ComparePage { program, engines: objects(entries), metrics }
}

fn growth<'a>(program: &'a str, points: &'a [Point]) -> GrowthPage<'a> {
    let mut engines: Vec<&str> = Vec::new();
    for entry in entries(points) {
        if !engines.contains(&entry.engine.as_str()) {
            engines.push(&entry.engine);
        }
    }
    let at = |engine: &str, point: &'a Point| point.entries.iter().find(|entry| entry.engine == engine);
    let curve = |column: Column, index: usize| {
        let dot = |(place, point): (usize, &'a Point)| {
            let entry = at(engines[index], point).filter(|entry| entry.refusal().is_none())?;
            let (number, text) = (column.number(entry)?, column.value(entry));
            let whole = matches!(entry.verdict, Verdict::Verified | Verdict::Violated);
            Some(DotObject { place, number, text, verdict: entry.verdict.name(), whole })
        };
        CurveObject { engine: index, dots: points.iter().enumerate().filter_map(dot).collect() }
    };
    let metric = |column: Column| GrowthObject {
        name: column.title(),
        meaning: column.meaning(),
        curves: (0..engines.len()).map(|index| curve(column, index)).filter(|curve| !curve.dots.is_empty()).collect(),
    };
    let grows = |column: &Column| entries(points).any(|entry| column.number(entry).is_some_and(|number| number > 0.0));
    let metrics = columns(points, usize::MAX).into_iter().filter(grows).map(metric).collect();
    GrowthPage { program, engines, points: points.iter().map(PointObject::new).collect(), metrics }
}

const PAGE_SCRIPTS: [&str; 2] = [include_str!("html/dom.js"), include_str!("html/compare.js")];
const SWEEP_SCRIPTS: [&str; 2] = [include_str!("html/dom.js"), include_str!("html/growth.js")];

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

/// How each column grows from point to point.
#[derive(Serialize)]
struct GrowthPage<'a> {
    program: &'a str,
    engines: Vec<&'a str>,
    points: Vec<PointObject<'a>>,
    metrics: Vec<GrowthObject>,
}

#[derive(Serialize)]
struct GrowthObject {
    name: String,
    meaning: &'static str,
    curves: Vec<CurveObject>,
}

/// What one engine counts.
#[derive(Serialize)]
struct CurveObject {
    /// The engine's place in the list.
    engine: usize,
    dots: Vec<DotObject>,
}

#[derive(Serialize)]
struct DotObject {
    /// The point's place in the list.
    place: usize,
    number: f64,
    text: String,
    verdict: &'static str,
    /// The engine came to its end; otherwise it was stopped, and the number is too small.
    whole: bool,
}

#[derive(Serialize)]
struct SweepObject<'a> {
    program: &'a str,
    points: Vec<PointObject<'a>>,
}

#[derive(Serialize)]
struct PointObject<'a> {
    constants: Map<String, serde_json::Value>,
    engines: Vec<EntryObject<'a>>,
}

impl<'a> PointObject<'a> {
    fn new(point: &'a Point) -> Self {
        let constants = point.constants.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
        PointObject { constants, engines: objects(&point.entries) }
    }
}

fn objects(entries: &[Entry]) -> Vec<EntryObject<'_>> {
    entries.iter().map(EntryObject::new).collect()
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
        let page = page("three.mz", &one(entries()));
        assert!(page.contains(r#"{"name":"states","meaning":"Distinct states that were met.","bars":[{"engine":0,"number":12345.0,"text":"12,345"}"#));
        assert!(page.contains("<title>engines side by side · three.mz</title>"));
    }

    fn one(entries: Vec<Entry>) -> Vec<Point> {
        vec![Point { constants: Vec::new(), entries }]
    }

    fn sweep() -> Vec<Point> {
        let point = |n, m, entries| Point { constants: vec![("N".to_owned(), n), ("LONG".to_owned(), m)], entries };
        let entries = entries();
        vec![
            point(2, 10, vec![entries[2].clone(), entries[5].clone()]),
            point(10, -1, vec![entries[4].clone(), entries[5].clone()]),
        ]
    }

    #[test]
    fn a_sweep_has_a_column_for_each_constant() {
        insta::assert_snapshot!(text(&sweep(), &TextOptions { width: 120, ..TextOptions::default() }), @"
         N  LONG  engine     verdict       executions  traces  transitions  violations   time
         2    10  optimal    violated               6       6           40           2  20 µs
         2    10  em-dpor    unsupported
        10    -1  unfolding  inconclusive           9       -            -           0  1 min
        10    -1  em-dpor    unsupported

        em-dpor                   the program has no first-in-first-out mailbox
        unfolding, N=10, LONG=-1  the time limit was reached
        ");
        insta::assert_snapshot!(csv(&sweep()), @"
        N,LONG,engine,verdict,reason,violations,executions,traces,transitions,seconds
        2,10,optimal,violated,,2,6,6,40,0.000020
        2,10,em-dpor,unsupported,the program has no first-in-first-out mailbox,0,,,,0.000000
        10,-1,unfolding,inconclusive,the time limit was reached,0,9,,,60.000000
        10,-1,em-dpor,unsupported,the program has no first-in-first-out mailbox,0,,,,0.000000
        ");
        insta::assert_snapshot!(json("three.mz", &sweep()), @r#"
        {
          "program": "three.mz",
          "points": [
            {
              "constants": {
                "N": 2,
                "LONG": 10
              },
              "engines": [
                {
                  "engine": "optimal",
                  "verdict": "violated",
                  "reason": null,
                  "violations": 2,
                  "statistics": {
                    "executions": 6,
                    "traces": 6,
                    "transitions": 40,
                    "seconds": 0.00002
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
            },
            {
              "constants": {
                "N": 10,
                "LONG": -1
              },
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
          ]
        }
        "#);
    }

    #[test]
    fn a_page_of_a_sweep_marks_what_was_stopped() {
        let page = page("three.mz", &sweep());
        assert!(page.contains(r#""name":"executions""#), "{page}");
        assert!(page.contains(r#"{"place":0,"number":6.0,"text":"6","verdict":"violated","whole":true}"#), "{page}");
        assert!(
            page.contains(r#"{"place":1,"number":9.0,"text":"9","verdict":"inconclusive","whole":false}"#),
            "{page}"
        );
    }

    #[test]
    fn a_table_with_commas_has_all_counters() {
        insta::assert_snapshot!(csv(&one(entries())), @r#"
        engine,verdict,reason,violations,executions,blocked,traces,states,transitions,max_depth,peak_bytes,seconds
        exhaustive,violated,,2,,,,12345,45678,,5242880,0.041200
        dpor,violated,,2,720,31,,,4000,,,0.003100
        optimal,violated,,2,6,,6,,40,,,0.000020
        sdpor,bounded,"1 schedule was cut at 1,000 steps",0,,,,,,1000,,1.000000
        unfolding,inconclusive,the time limit was reached,0,9,,,,,,,60.000000
        em-dpor,unsupported,the program has no first-in-first-out mailbox,0,,,,,,,,0.000000
        "#);
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
        insta::assert_snapshot!(text(&one(entries()), &TextOptions { width: 120, ..TextOptions::default() }), @"
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
        insta::assert_snapshot!(text(&one(entries()), &TextOptions::default()), @"
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
        insta::assert_snapshot!(json("three.mz", &one(some)), @r#"
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
        assert_eq!(text(&one(Vec::new()), &TextOptions::default()), "engine  verdict  time\n");
    }
}
