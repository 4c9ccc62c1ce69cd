//! A page over pairs of apps: a matrix of which apps fight, and below it what was found in each pair.

use crate::TextOptions;
use crate::format::{duration, number};
use crate::html::document;
use crate::pairs::{self, PairRow, PairViolation, Rows};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

const SCRIPTS: [&str; 2] = [include_str!("../render/html/dom.js"), include_str!("../render/html/matrix.js")];

/// The page. Rows that have pages of their own lead there.
pub fn page(rows: &[PairRow], kind: Rows) -> String {
    let plain = pairs::text(rows, kind, &TextOptions { width: 120, ..TextOptions::default() });
    let conclusion = pairs::conclusion(rows, kind);
    let cells = match kind {
        Rows::Pairs => rows.to_vec(),
        Rows::Triples | Rows::Programs | Rows::Slices => cells(rows),
    };
    let title = format!("{} side by side · {conclusion}", kind.title_of_all());
    document(&title, &plain, "", &MatrixObject::new(&cells, conclusion), &SCRIPTS)
}

/// Slices as pairs: a finding belongs to those that it names, or to all where it names none. One by itself is a pair with
/// itself.
fn cells(rows: &[PairRow]) -> Vec<PairRow> {
    let mut cells: BTreeMap<[&str; 2], PairRow> = BTreeMap::new();
    for row in rows {
        let all: Vec<&str> = row.apps.iter().map(String::as_str).collect();
        for names in pairs_among(&all) {
            let verdict = if row.verdict == "violated" { "verified" } else { &row.verdict };
            let cell = || PairRow {
                apps: names.map(str::to_owned).to_vec(),
                verdict: verdict.to_owned(),
                violations: Vec::new(),
                ..row.clone()
            };
            cells.entry(names).or_insert_with(cell);
        }
        for violation in &row.violations {
            let named: Vec<&str> =
                all.iter().copied().filter(|name| violation.message.contains(&format!("\"{name}\""))).collect();
            for names in pairs_among(if named.is_empty() { &all } else { &named }) {
                let cell = cells.entry(names).or_insert_with(|| PairRow {
                    apps: names.map(str::to_owned).to_vec(),
                    violations: Vec::new(),
                    ..row.clone()
                });
                cell.verdict = row.verdict.clone();
                if !cell.violations.contains(violation) {
                    cell.violations.push(violation.clone());
                }
            }
        }
    }
    cells.into_values().collect()
}

/// The pairs among some names, each in the order of the names; one by itself is a pair with itself.
fn pairs_among<'n>(names: &[&'n str]) -> Vec<[&'n str; 2]> {
    match names {
        [one] => vec![[one, one]],
        _ => {
            let pair = |one: &'n str, other: &'n str| [one.min(other), one.max(other)];
            let firsts = names.iter().enumerate();
            firsts.flat_map(|(at, one)| names[at + 1..].iter().map(move |other| pair(one, other))).collect()
        }
    }
}

#[derive(Serialize)]
struct MatrixObject<'a> {
    conclusion: String,
    /// Those with most trouble first, so that it stands together.
    apps: Vec<AppObject<'a>>,
    pairs: Vec<PairObject<'a>>,
}

#[derive(Serialize)]
struct AppObject<'a> {
    name: &'a str,
    /// With how many others it fights.
    fights: usize,
}

#[derive(Serialize)]
struct PairObject<'a> {
    /// The places of the two in the list of apps.
    apps: Vec<usize>,
    verdict: &'a str,
    /// In how many ways they fight.
    fights: usize,
    /// What was found, counted, or why nothing is known.
    summary: String,
    violations: &'a [PairViolation],
    reason: Option<&'a str>,
    effort: Option<String>,
    page: Option<&'a str>,
}

impl<'a> MatrixObject<'a> {
    fn new(rows: &'a [PairRow], conclusion: String) -> Self {
        let fights = |row: &PairRow| row.found("conflict") + row.found("cascade");
        let mut trouble: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for row in rows {
            let apps: BTreeSet<&str> = row.apps.iter().map(String::as_str).collect();
            for app in apps {
                let (fought, violated) = trouble.entry(app).or_default();
                *fought += usize::from(fights(row) > 0);
                *violated += usize::from(!row.violations.is_empty());
            }
        }
        let mut apps: Vec<(&str, (usize, usize))> = trouble.into_iter().collect();
        apps.sort_by_key(|&(_, trouble)| Reverse(trouble));
        let apps: Vec<_> = apps.into_iter().map(|(name, (fights, _))| AppObject { name, fights }).collect();
        let place: BTreeMap<&str, usize> = apps.iter().enumerate().map(|(index, app)| (app.name, index)).collect();
        let pair = |row: &'a PairRow| PairObject {
            apps: row.apps.iter().map(|app| place[app.as_str()]).collect(),
            verdict: &row.verdict,
            fights: fights(row),
            summary: row.summary(),
            violations: &row.violations,
            reason: row.reason.as_deref(),
            effort: row.states.map(|states| format!("{} states, {}", number(states), duration(row.seconds))),
            page: row.page.as_deref(),
        };
        MatrixObject { conclusion, pairs: rows.iter().map(pair).collect(), apps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_told_pair_by_pair() {
        let found = |message: &str| PairViolation {
            kind: "conflict".to_owned(),
            message: message.to_owned(),
            events: Vec::new(),
            severity: None,
            accepted: false,
        };
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let three = PairRow {
            verdict: "violated".to_owned(),
            violations: vec![found("\"B\" and \"A\" fight"), found("lost trigger: \"C\" waits")],
            ..PairRow::failed(names(&["B", "A", "C"]), "", 0.0)
        };
        let told: Vec<(Vec<String>, String, usize)> =
            cells(&[three]).into_iter().map(|cell| (cell.apps, cell.verdict, cell.violations.len())).collect();
        let expected = [("A B", "violated", 1), ("A C", "verified", 0), ("B C", "verified", 0), ("C C", "violated", 1)];
        let expected: Vec<_> = expected
            .iter()
            .map(|(apps, verdict, found)| (names(&apps.split(' ').collect::<Vec<_>>()), (*verdict).to_owned(), *found))
            .collect();
        assert_eq!(told, expected);
    }

    #[test]
    fn apps_with_most_trouble_come_first() {
        let rows = pairs::tests::some();
        let matrix = MatrixObject::new(&rows, String::new());
        let names: Vec<_> = matrix.apps.iter().map(|app| (app.name, app.fights)).collect();
        assert_eq!(names[..3], [("alarm", 1), ("lock", 1), ("big", 0)]);
        assert_eq!(matrix.pairs[0].apps, [0, 1]);
        assert_eq!(matrix.pairs[0].summary, "1 conflict");
    }
}
