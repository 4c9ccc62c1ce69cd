//! A page over pairs of apps: a matrix of which apps fight, and below it what was found in each pair.

use crate::TextOptions;
use crate::format::{duration, number};
use crate::html::document;
use crate::pairs::{self, PairRow, PairViolation};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const SCRIPTS: [&str; 2] = [include_str!("../render/html/dom.js"), include_str!("../render/html/matrix.js")];

/// The page. Rows that have pages of their own lead there.
pub fn page(rows: &[PairRow]) -> String {
    let plain = pairs::text(rows, &TextOptions { width: 120, ..TextOptions::default() });
    let conclusion = pairs::conclusion(rows);
    document(&format!("apps side by side · {conclusion}"), &plain, "", &MatrixObject::new(rows, conclusion), &SCRIPTS)
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
            for app in &row.apps {
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
    fn apps_with_most_trouble_come_first() {
        let rows = pairs::tests::some();
        let matrix = MatrixObject::new(&rows, String::new());
        let names: Vec<_> = matrix.apps.iter().map(|app| (app.name, app.fights)).collect();
        assert_eq!(names[..3], [("alarm", 1), ("lock", 1), ("big", 0)]);
        assert_eq!(matrix.pairs[0].apps, [0, 1]);
        assert_eq!(matrix.pairs[0].summary, "1 conflict");
    }
}
