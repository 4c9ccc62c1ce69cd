//! A report as one page that a browser shows: no network, nothing beside the file.
//!
//! The page is a template with a style and scripts (`html/`), and the report as JSON in an element of its own. The scripts
//! draw what they find there. Where scripts do not run, the report is there in text.

use crate::format::{count, duration, mebibytes, number};
use crate::graph::StateGraph;
use crate::groups::by_race;
use crate::json::ViolationObject;
use crate::unfolding::{self, Unfolding};
use crate::{Report, Story, TextOptions, Vacuity, Vacuous, meaning, text};
use mazurka_core::{Counter, Value};
use serde::Serialize;

/// What stands in every page that is ours, near its beginning: what tells it from a page of the user's.
pub const GENERATOR: &str = r#"<meta name="generator" content="mazurka">"#;

const TEMPLATE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/page.css");

/// The scripts of a report, each about one thing; `report.js` puts the page together.
const REPORT_SCRIPTS: [&str; 9] = [
    include_str!("html/dom.js"),
    include_str!("html/order.js"),
    include_str!("html/lanes.js"),
    include_str!("html/state.js"),
    include_str!("html/source.js"),
    include_str!("html/deadlock.js"),
    include_str!("html/graph.js"),
    include_str!("html/violation.js"),
    include_str!("html/report.js"),
];

const EXPLORER: &str = include_str!("html/explorer.html");
const EXPLORER_STYLE: &str = include_str!("html/explorer.css");

/// The scripts of the explorer; `explorer.js` puts the page together.
const EXPLORER_SCRIPTS: [&str; 9] = [
    include_str!("html/dom.js"),
    include_str!("html/order.js"),
    include_str!("html/lanes.js"),
    include_str!("html/source.js"),
    include_str!("html/explorer_server.js"),
    include_str!("html/explorer_actors.js"),
    include_str!("html/explorer_state.js"),
    include_str!("html/explorer_tree.js"),
    include_str!("html/explorer.js"),
];

/// A text of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The file, as locations name it.
    pub file: String,
    /// What stands in it.
    pub text: String,
}

/// What a page shows.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The result.
    pub report: &'a Report<'a>,
    /// The program's texts.
    pub sources: &'a [Source],
    /// All states, if the program is small.
    pub graph: Option<&'a StateGraph>,
    /// The page that leads here, if this one is part of something larger: what it is called, and its address.
    pub up: Option<(&'a str, &'a str)>,
    /// The events of the unfolding, if that is how it was explored and they are few.
    pub unfolding: Option<&'a Unfolding>,
}

/// The whole page.
pub fn page(page: &Page<'_>) -> String {
    let report = page.report;
    let title = format!("{} · {}", report.headline(), report.program);
    let plain = text::report(report, &TextOptions { width: 100, ..TextOptions::default() });
    let picture = page.unfolding.map(unfolding_section).unwrap_or_default();
    document(&title, &plain, &picture, &PageObject::new(page), &REPORT_SCRIPTS)
}

/// The picture of an unfolding with what it takes to read it.
fn unfolding_section(unfolding: &Unfolding) -> String {
    let cutoffs = unfolding.events.iter().filter(|event| event.is_cutoff).count();
    let cutoffs = if cutoffs == 0 {
        String::new()
    } else {
        format!(
            " After {} with a dashed frame nothing needs to be explored: the state to which it leads was met before.",
            count(cutoffs as u64, "event", "events")
        )
    };
    format!(
        "<section class=\"unfolding-section\" id=\"unfolding\"><h2>The unfolding</h2><p>Each box is an event: one step of \
         one actor after one history. An arrow leads from an event to what must come after it, a dashed red line joins \
         two events of which an execution has only one. Every execution is a set of boxes with all that leads to \
         them and no red line within.{cutoffs}</p><div class=\"unfolding-box\">{}</div></section>",
        unfolding::svg(unfolding)
    )
}

/// The page of the live explorer, which asks its server for all that it shows. `nonce` is what its content security policy
/// knows its style and its script by.
pub fn explorer(nonce: &str) -> String {
    let style = format!("{STYLE}\n{EXPLORER_STYLE}");
    let values = [
        ("{generator}", GENERATOR),
        ("{nonce}", nonce),
        ("{style}", &style),
        ("{nonce}", nonce),
        ("{script}", &script(&EXPLORER_SCRIPTS)),
    ];
    fill(EXPLORER, &values)
}

/// Scripts as one, whose names are its own.
fn script(scripts: &[&str]) -> String {
    format!("(() => {{\n\"use strict\";\n{}\n}})();", scripts.join("\n"))
}

/// Fills the template. `plain` is what is read where scripts do not run, `picture` is markup that scripts put into place.
pub(crate) fn document(title: &str, plain: &str, picture: &str, data: &impl Serialize, scripts: &[&str]) -> String {
    fill(
        TEMPLATE,
        &[
            ("{generator}", GENERATOR),
            ("{title}", &escape(title)),
            ("{style}", STYLE),
            ("{picture}", picture),
            ("{plain}", &escape(plain)),
            ("{data}", &embedded(data)),
            ("{script}", &script(scripts)),
        ],
    )
}

/// Puts values in the places of a template that bear their names, from left to right: what a value contains is not
/// looked at again.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len() + values.iter().map(|(_, value)| value.len()).sum::<usize>());
    let mut rest = template;
    for (name, value) in values {
        let Some((before, after)) = rest.split_once(name) else { continue };
        filled.push_str(before);
        filled.push_str(value);
        rest = after;
    }
    filled.push_str(rest);
    filled
}

/// A text as HTML and XML take it.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(character),
        }
    }
    escaped
}

/// JSON that can stand in a `script` element: whatever could end the element or begin a comment stands only within
/// strings, where it can be written as an escape.
fn embedded(data: &impl Serialize) -> String {
    let json = serde_json::to_string(data).unwrap_or_else(|_| "null".to_owned());
    let mut safe = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => safe.push_str(&format!("\\u{:04x}", u32::from(character))),
            _ => safe.push(character),
        }
    }
    safe
}

#[derive(Serialize)]
struct PageObject<'a> {
    /// The page that leads here: what it is called, and its address.
    up: Option<(&'a str, &'a str)>,
    program: &'a str,
    engine: &'a str,
    verdict: &'static str,
    /// The verdict, and whether it is vacuous.
    headline: String,
    /// Sentences on what the verdict means, why this engine ran and what to do next.
    remarks: Vec<String>,
    statistics: Vec<StatisticObject>,
    /// How many violations there are beyond those that are told.
    untold: usize,
    violations: Vec<PageViolation<'a>>,
    /// The places of violations with one race behind them.
    groups: Vec<Vec<usize>>,
    sources: Vec<SourceObject<'a>>,
    graph: Option<GraphObject<'a>>,
}

impl<'a> PageObject<'a> {
    fn new(page: &Page<'a>) -> Self {
        let report = page.report;
        let exploration = report.exploration;
        PageObject {
            up: page.up,
            program: report.program,
            engine: report.engine,
            verdict: exploration.verdict.name(),
            headline: report.headline(),
            remarks: remarks(report),
            statistics: statistics(report),
            untold: exploration.violations.len().saturating_sub(report.stories.len()),
            violations: report.stories.iter().map(PageViolation::new).collect(),
            groups: by_race(report.stories),
            sources: page
                .sources
                .iter()
                .map(|source| SourceObject { file: &source.file, text: &source.text })
                .collect(),
            graph: page.graph.map(GraphObject::new),
        }
    }
}

fn remarks(report: &Report<'_>) -> Vec<String> {
    let meaning = match (meaning::reason(report), meaning::advice(report)) {
        (Some(reason), Some(advice)) => Some(format!("{reason}; {advice}")),
        (reason, _) => reason,
    };
    let picked = report.picked.map(|picked| format!("engine {} was picked: {}", report.engine, picked.reason));
    let vacuous = report.basis.vacuous.iter().filter(|_| report.vacuity() != Vacuity::None).map(Vacuous::told);
    let grounds = meaning::grounds(report);
    vacuous
        .chain(meaning)
        .chain(grounds)
        .chain(report.alternative.map(str::to_owned))
        .chain(report.hint.map(str::to_owned))
        .chain(picked)
        .collect()
}

#[derive(Serialize)]
struct StatisticObject {
    name: String,
    value: String,
    meaning: &'static str,
}

fn statistics(report: &Report<'_>) -> Vec<StatisticObject> {
    let statistics = &report.exploration.statistics;
    let mut shown: Vec<_> = statistics
        .iter()
        .map(|(counter, counted)| StatisticObject {
            name: match counter {
                Counter::PeakBytes => "memory".to_owned(),
                Counter::MaxDepth => "longest schedule".to_owned(),
                _ => counter.name().replace('_', " "),
            },
            value: if counter == Counter::PeakBytes { mebibytes(counted) } else { number(counted) },
            meaning: counter.meaning().trim(),
        })
        .collect();
    if !shown.is_empty() {
        let meaning = "How long the search took.";
        shown.push(StatisticObject { name: "time".to_owned(), value: duration(statistics.seconds), meaning });
    }
    shown
}

/// What the machine-readable report has of a violation, and what a picture needs beyond that.
#[derive(Serialize)]
struct PageViolation<'a> {
    #[serde(flatten)]
    violation: ViolationObject<'a>,
    actors: &'a [String],
    /// The place of the step that is wrong in the schedule, from 0.
    failing: Option<usize>,
    /// The line that is wrong, if it is not the line of that step.
    failing_line: Option<u32>,
    initial: Vec<(&'a str, &'a str)>,
    start_values: Vec<(&'a str, &'a str)>,
    /// For each step those that it depends on.
    causes: Vec<Vec<CauseObject<'a>>>,
    /// Stretches of steps that are folded, from 0: the first, the last, and the lock that is held meanwhile; without one
    /// they are more steps on the line of the one before.
    folds: Vec<(usize, usize, &'a str)>,
    /// Why nothing happens any more, if the program stands still for ever at the end.
    still: Option<&'a str>,
    shortened: Option<String>,
}

impl<'a> PageViolation<'a> {
    fn new(story: &'a Story) -> Self {
        let causes = |row: &'a crate::Row| {
            let object = |cause: &'a crate::Cause| CauseObject {
                row: cause.row,
                object: &cause.object,
                kind: cause.kind.name(),
            };
            row.causes.iter().map(object).collect()
        };
        PageViolation {
            violation: ViolationObject::new(story),
            actors: &story.actors,
            failing: story.failing,
            failing_line: story.line_behind_step(),
            initial: pairs(&story.initial),
            start_values: pairs(&story.start_values),
            causes: story.rows.iter().map(causes).collect(),
            folds: story
                .folds()
                .into_iter()
                .map(|fold| (fold.first, fold.last, fold.lock))
                .chain(story.line_folds().into_iter().map(|rows| (rows.start, rows.end - 1, "")))
                .collect(),
            still: story.lasso.as_ref().and_then(|lasso| lasso.still.as_deref()),
            shortened: story.was_shortened().then(|| story.shortening()),
        }
    }
}

fn pairs(values: &[Value]) -> Vec<(&str, &str)> {
    values.iter().map(|value| (value.name.as_str(), value.value.as_str())).collect()
}

#[derive(Serialize)]
struct CauseObject<'a> {
    row: usize,
    object: &'a str,
    kind: &'static str,
}

#[derive(Serialize)]
struct SourceObject<'a> {
    file: &'a str,
    text: &'a str,
}

#[derive(Serialize)]
struct GraphObject<'a> {
    nodes: Vec<NodeObject<'a>>,
    edges: Vec<EdgeObject<'a>>,
    paths: &'a [Vec<usize>],
}

#[derive(Serialize)]
struct NodeObject<'a> {
    depth: usize,
    mark: &'static str,
    values: Vec<(&'a str, &'a str)>,
}

#[derive(Serialize)]
struct EdgeObject<'a> {
    from: usize,
    to: usize,
    actor: &'a str,
    text: &'a str,
    wrong: bool,
}

impl<'a> GraphObject<'a> {
    fn new(graph: &'a StateGraph) -> Self {
        let node = |node: &'a crate::graph::Node| NodeObject {
            depth: node.depth,
            mark: node.mark.name(),
            values: pairs(&node.values),
        };
        let edge = |edge: &'a crate::graph::Edge| EdgeObject {
            from: edge.from,
            to: edge.to,
            actor: &edge.actor,
            text: &edge.text,
            wrong: edge.wrong,
        };
        GraphObject {
            nodes: graph.nodes.iter().map(node).collect(),
            edges: graph.edges.iter().map(edge).collect(),
            paths: &graph.paths,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basis;
    use crate::example::{Threads, counts};
    use mazurka_core::{Exploration, StopReason};

    fn shown(threads: &Threads, moves: &[u32], source: &str) -> String {
        let statistics = counts(&[(Counter::States, 6), (Counter::PeakBytes, 5 << 20)], 0.25);
        let exploration =
            Exploration::conclude(StopReason::FirstViolation, None, vec![threads.found(moves)], statistics);
        let stories = [threads.tell(moves, 9)];
        let report = Report {
            program: "three.mz",
            engine: "exhaustive",
            picked: None,
            basis: &Basis::default(),
            alternative: None,
            hint: None,
            exploration: &exploration,
            stories: &stories,
        };
        let sources = [Source { file: "three.mz".to_owned(), text: source.to_owned() }];
        page(&Page { report: &report, sources: &sources, graph: None, unfolding: None, up: None })
    }

    fn data(page: &str) -> serde_json::Value {
        let start = page.find("id=\"data\">").expect("the data are there") + "id=\"data\">".len();
        let end = start + page[start..].find("</script>").expect("the data end");
        serde_json::from_str(&page[start..end]).expect("the data are JSON")
    }

    #[test]
    fn a_page_holds_what_its_scripts_draw() {
        let page = shown(&Threads::three(), &[2, 2, 0, 0], "x = 0");
        let data = data(&page);
        assert_eq!(data["verdict"], "violated");
        let violation = &data["violations"][0];
        assert_eq!(violation["actors"], serde_json::json!(["T3", "T1"]));
        assert_eq!(violation["failing"], 3);
        assert_eq!(violation["causes"][2], serde_json::json!([{ "row": 1, "object": "x", "kind": "variable" }]));
        assert_eq!(violation["initial"][0], serde_json::json!(["x", "0"]));
        assert_eq!(data["statistics"][1]["value"], "5.0 MiB");
        assert!(page.contains("<title>violated · three.mz</title>"));
    }

    #[test]
    fn a_deadlock_says_what_each_actor_waits_for() {
        let data = data(&shown(&Threads::crossed_locks(), &[0, 1], ""));
        assert_eq!(data["violations"][0]["cycle"], serde_json::json!(["T1", "T2"]));
        assert_eq!(data["violations"][0]["waits"][0]["held_by"], "T2");
    }

    #[test]
    fn nothing_that_a_program_says_ends_the_data() {
        let mean = "</script><script>alert(1)</script><!-- \u{2028} & {script} {data}";
        let mut threads = Threads::three();
        threads.names[2] = mean.to_owned();
        let page = shown(&threads, &[2, 2, 0, 0], mean);
        let data = data(&page);
        assert_eq!(data["sources"][0]["text"], mean);
        assert_eq!(data["violations"][0]["actors"][0], mean);
        assert!(!page.contains("alert(1)</script><!--"));
        assert_eq!(page.matches("</script>").count(), 2);
    }

    #[test]
    fn a_page_asks_for_nothing_from_elsewhere() {
        let page = shown(&Threads::three(), &[2, 2, 0, 0], "");
        for address in ["http://", "https://", "src=", "href=", "@import", "url("] {
            let used: Vec<_> =
                page.match_indices(address).map(|(at, _)| page[at..].chars().take(60).collect::<String>()).collect();
            let allowed = |used: &String| used.starts_with("http://www.w3.org/2000/svg") || used.starts_with("url(#");
            assert!(used.iter().all(allowed), "{used:?}");
        }
        assert!(page.find(GENERATOR).is_some_and(|at| at < 200));
    }
}
