//! Findings that are accepted: a list that a person can read and edit.
//!
//! ```text
//! # The garden may wait.
//! garden-watering + leak-guard: "Leak Guard" closes the valve that "Garden Watering" opened
//! ```
//!
//! One line is one finding: the apps, and the sentence of the table without the events that lead there. `*` stands for any
//! other app, and alone for any apps. Numbers of lines, and what a sentence says after `because`, may differ. Where one pair has several findings with the same sentence, each of them needs a line. Empty lines and lines that begin with `#` are passed over.

use crate::layout::{excerpt, one_line};
use crate::pairs::{PairRow, PairViolation};
use crate::terminal::name;
use std::collections::{HashMap, HashSet};

/// A list of accepted findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accepted {
    /// The lines of each finding.
    entries: HashMap<Finding, Vec<AcceptedLine>>,
}

/// The apps, in the order of their names, and what is found in them.
type Finding = (Vec<String>, String);

/// What a list says beyond what was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marked {
    /// The entries, each with its line, that are not found any more.
    pub gone: Vec<(usize, String)>,
    /// How many entries are about other pairs.
    pub elsewhere: usize,
}

/// What stands for any other app.
const ANY: &str = "*";

/// What every list begins with that was written by [`list`].
pub const FIRST_LINE: &str = "# Findings that are accepted";

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AcceptedLine {
    line: usize,
    text: String,
}

/// A line that is not an accepted finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}:{line}: {found}\nexpected apps and a finding, as in: fire-alarm + night-light: \"Night Light\" turns off …",
name(.file)
)]
pub struct AcceptError {
    file: String,
    line: usize,
    found: String,
}

impl Accepted {
    /// Reads a list. The name is for error messages.
    pub fn parse(file: &str, text: &str) -> Result<Accepted, AcceptError> {
        let mut entries: HashMap<Finding, Vec<AcceptedLine>> = HashMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let finding =
                split(line).ok_or_else(|| AcceptError { file: file.to_owned(), line: number, found: excerpt(line) })?;
            entries.entry(finding).or_default().push(AcceptedLine { line: number, text: excerpt(line) });
        }
        Ok(Accepted { entries })
    }

    /// Marks the findings that are accepted, and says which entries accept nothing. Only rows in which everything was
    /// looked for can tell that.
    pub fn mark(&self, rows: &mut [PairRow]) -> Marked {
        let mut met = HashSet::new();
        for row in rows.iter_mut() {
            let apps = sorted(&row.apps);
            let mut alike: HashMap<String, usize> = HashMap::new();
            for violation in &mut row.violations {
                let message = comparable(&one_line(&violation.message));
                let number = alike.entry(message.clone()).or_default();
                let with_any = apps.iter().map(|app| sorted(&[ANY.to_owned(), app.clone()]));
                let any = vec![ANY.to_owned()];
                let findings = [apps.clone(), any].into_iter().chain(with_any).map(|apps| (apps, message.clone()));
                let accepting: Vec<usize> =
                    findings.filter_map(|finding| Some(self.entries.get(&finding)?.get(*number)?.line)).collect();
                violation.accepted = !accepting.is_empty();
                met.extend(accepting);
                *number += 1;
            }
            row.conclude_accepted();
        }
        let mut marked = Marked::default();
        let lines = self.entries.iter().flat_map(|((apps, _), lines)| lines.iter().map(move |line| (apps, line)));
        for (apps, entry) in lines.filter(|(_, entry)| !met.contains(&entry.line)) {
            let concerns = |row: &&PairRow| {
                let names = sorted(&row.apps);
                apps.iter().all(|app| app == ANY || names.contains(app))
            };
            let mut concerned = rows.iter().filter(concerns).peekable();
            if concerned.peek().is_none() {
                marked.elsewhere += 1;
            } else if concerned.all(PairRow::is_complete) {
                marked.gone.push((entry.line, entry.text.clone()));
            }
        }
        marked.gone.sort_unstable();
        marked
    }
}

/// A list that accepts all that was found.
pub fn list(rows: &[PairRow]) -> String {
    let mut text = format!("{FIRST_LINE}: one on each line. Take out what is not; `#` begins a comment.\n");
    let mut written: HashMap<String, usize> = HashMap::new();
    for row in rows {
        let mut alike: HashMap<String, usize> = HashMap::new();
        for violation in &row.violations {
            let line = entry(row, violation);
            let (number, before) = (alike.entry(line.clone()).or_default(), written.entry(line.clone()).or_default());
            *number += 1;
            if *number > *before {
                *before = *number;
                text.push_str(&line);
                text.push('\n');
            }
        }
    }
    text
}

fn entry(row: &PairRow, violation: &PairViolation) -> String {
    let apps: Vec<String> = row.apps.iter().map(|app| one_line(app)).collect();
    // A name with such signs in it could not be told from them; the sentence has the names as well.
    let is_plain = !apps.is_empty() && !apps.iter().any(|app| app.contains(": ") || app.contains(" + "));
    let apps = if is_plain { apps.join(" + ") } else { ANY.to_owned() };
    format!("{apps}: {}", one_line(&violation.message))
}

fn sorted(apps: &[String]) -> Vec<String> {
    let mut apps: Vec<String> = apps.iter().map(|app| one_line(app)).collect();
    apps.sort_unstable();
    apps
}

fn split(line: &str) -> Option<Finding> {
    let (apps, message) = line.split_once(": ")?;
    let message = message.trim();
    // A line without blanks at its ends has an empty name before a leading sign, and after one at the end.
    if apps.starts_with("+ ") || apps.ends_with(" +") {
        return None;
    }
    let apps: Vec<String> = apps.split(" + ").map(|app| app.trim().to_owned()).collect();
    let apps = sorted(&apps);
    let is_whole = !message.is_empty() && apps.iter().all(|app| !app.is_empty());
    is_whole.then(|| (apps, comparable(message)))
}

/// A sentence without what changes when the program around it does: numbers of lines, and the event that came first.
fn comparable(sentence: &str) -> String {
    let mut text = sentence.to_owned();
    if let Some(start) = text.find(" because ")
        && let Some(length) = text[start..].find(';')
    {
        text.replace_range(start..start + length, "");
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(':') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let is_line = digits > 0 && rest[..at].ends_with(|letter: char| letter.is_alphanumeric());
        kept.push_str(&rest[..at]);
        if !is_line {
            kept.push(':');
        }
        rest = &rest[at + 1 + if is_line { digits } else { 0 }..];
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs;

    #[test]
    fn what_is_listed_is_accepted() {
        let mut rows = pairs::tests::some();
        let text = list(&rows);
        assert!(text.ends_with("\nalarm + lock: \"Lock\" locks what \"Alarm\" unlocked\n"), "{text}");
        let accepted = Accepted::parse("list", &text).expect("it is a list");
        assert_eq!(accepted.mark(&mut rows), Marked::default());
        assert!(rows[0].violations[0].accepted);
        assert_eq!(rows[0].verdict, "accepted");
    }

    #[test]
    fn each_of_several_findings_with_one_sentence_needs_a_line() {
        let mut rows = pairs::tests::some();
        let again = rows[0].violations[0].clone();
        let once = list(&rows);
        rows[0].violations.push(again);
        let twice = list(&rows);
        assert_eq!(twice.matches(&again_line(&rows[0])).count(), 2, "{twice}");
        let accepted = |rows: &[PairRow]| rows[0].violations.iter().map(|one| one.accepted).collect::<Vec<_>>();
        assert_eq!(Accepted::parse("list", &once).expect("it is a list").mark(&mut rows), Marked::default());
        assert_eq!((accepted(&rows), rows[0].verdict.as_str()), (vec![true, false], "violated"));
        assert_eq!(Accepted::parse("list", &twice).expect("it is a list").mark(&mut rows), Marked::default());
        assert_eq!(accepted(&rows), [true, true]);
        rows[0].violations.pop();
        let marked = Accepted::parse("list", &twice).expect("it is a list").mark(&mut rows);
        assert_eq!(marked.gone.len(), 1, "the second line has nothing to accept any more");
    }

    fn again_line(row: &PairRow) -> String {
        entry(row, &row.violations[0])
    }

    #[test]
    fn what_matches_nothing_any_more_is_told() {
        let mut rows = pairs::tests::some();
        let text =
            "# mine\n\nlock + alarm: it hums\nbig + bigger: unknown\nwelcome + night-light: \"A\" crashes\nx + y: z\n";
        let accepted = Accepted::parse("list", text).expect("it is a list");
        let marked = accepted.mark(&mut rows);
        let gone: Vec<usize> = marked.gone.iter().map(|(line, _)| *line).collect();
        assert_eq!((gone, marked.elsewhere), (vec![3, 5], 1), "what is not known of a pair decides nothing");
        assert_eq!(rows[0].verdict, "violated");
    }

    #[test]
    fn a_star_stands_for_any_other_app() {
        let mut rows = pairs::tests::some();
        let message = &rows[0].violations[0].message;
        let text = format!("lock + *: {message}\n* + big: it hums\nwelcome + *: it hums\nx + *: it hums\n");
        let marked = Accepted::parse("list", &text).expect("it is a list").mark(&mut rows);
        assert_eq!(rows[0].verdict, "accepted");
        let gone: Vec<usize> = marked.gone.iter().map(|(line, _)| *line).collect();
        assert_eq!((gone, marked.elsewhere), (vec![3], 1));
    }

    #[test]
    fn lines_may_move_and_causes_may_differ() {
        let one = "\"A\" turns x on (a.yaml:12 and b.yaml:3), both because of one event; which: \"B\" wins";
        let other = "\"A\" turns x on (a.yaml:17 and b.yaml:3), both because y became on; which: \"B\" wins";
        assert_eq!(comparable(one), comparable(other));
        assert_eq!(comparable(one), "\"A\" turns x on (a.yaml and b.yaml), both; which: \"B\" wins");
        assert_eq!(comparable("no colon"), "no colon");
    }

    #[test]
    fn a_star_alone_accepts_a_sentence_of_any_apps() {
        let mut rows = pairs::tests::some();
        let text = format!("*: {}\n*: it hums\n", rows[0].violations[0].message);
        let marked = Accepted::parse("list", &text).expect("it is a list").mark(&mut rows);
        assert_eq!(rows[0].verdict, "accepted");
        assert_eq!((marked.gone.len(), marked.elsewhere), (0, 0), "two of the pairs are not known to the end");
        rows.iter_mut().for_each(|row| row.apps[0] = format!("Lights: {}", row.apps[0]));
        assert!(list(&rows).ends_with("\n*: \"Lock\" locks what \"Alarm\" unlocked\n"), "{}", list(&rows));
    }

    #[test]
    fn a_line_that_is_no_finding_is_an_error_with_its_place() {
        for wrong in ["alarm", "alarm + lock", " + b: x", "a + b: "] {
            let error = Accepted::parse("list", &format!("# first\n{wrong}\n")).expect_err("it is no finding");
            assert!(error.to_string().starts_with("list:2: "), "{error}");
        }
    }
}
