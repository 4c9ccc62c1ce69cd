//! A table of smart-home apps: what each of them asks for, and how far it runs.

use crate::TextOptions;
use crate::format::{count, number};
use crate::json::pretty;
use crate::layout::{Paint, one_line, pad, width, wrap};
use serde::{Deserialize, Serialize};

/// How far an app came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// It could not be read.
    Unread,
    /// It was read, and could not be installed.
    Parsed,
    /// It was installed, and one of its handlers met something that is not modelled.
    Installed,
    /// Its handlers ran.
    Ran,
}

impl Stage {
    fn name(self) -> &'static str {
        match self {
            Stage::Unread => "unread",
            Stage::Parsed => "parsed",
            Stage::Installed => "installed",
            Stage::Ran => "ran",
        }
    }
}

/// An app of the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppRow {
    /// Its file.
    pub file: String,
    /// Its name, if it could be read.
    pub name: Option<String>,
    /// How far it came.
    pub stage: Stage,
    /// What it asks for: name, type and what that stands for.
    pub inputs: Vec<[String; 3]>,
    /// What it subscribes to.
    pub subscriptions: Vec<String>,
    /// What can happen to it.
    pub events: Vec<String>,
    /// How many states were met when it ran, and whether that was all of them.
    pub states: Option<u64>,
    /// Whether the run was cut short by its limit.
    pub cut: bool,
    /// What is wrong with it, each in a sentence with its place.
    pub faults: Vec<String>,
    /// The first thing that stopped it, and where.
    pub stopped: Option<String>,
}

impl AppRow {
    /// An app that could not be read, and why.
    pub fn unread(file: String, why: String) -> Self {
        AppRow {
            file,
            name: None,
            stage: Stage::Unread,
            inputs: Vec::new(),
            subscriptions: Vec::new(),
            events: Vec::new(),
            states: None,
            cut: false,
            faults: Vec::new(),
            stopped: Some(why),
        }
    }
}

/// The table for people: a line per app, and below it what stopped it or what is wrong with it.
pub fn text(rows: &[AppRow], options: &TextOptions) -> String {
    let paint = Paint { colour: options.colour };
    let cells: Vec<[String; 6]> = rows.iter().map(cells).collect();
    const TITLES: [&str; 6] = ["app", "stage", "inputs", "subscriptions", "events", "states"];
    let fill = |column: usize| cells.iter().map(|row| width(&row[column])).max().unwrap_or(0).max(TITLES[column].len());
    let fills: Vec<usize> = (0..TITLES.len()).map(fill).collect();
    let line = |row: &[String; 6], stage: &str| {
        let mut line = format!("{}  {stage}{}", pad(&row[0], fills[0]), pad("", fills[1] - width(&row[1])));
        for column in 2..TITLES.len() {
            line.push_str(&format!("  {:>fill$}", row[column], fill = fills[column]));
        }
        line.trim_end().to_owned()
    };
    let titles = TITLES.map(str::to_owned);
    let mut lines = vec![paint.bold(&line(&titles, &titles[1]))];
    for (row, cells) in rows.iter().zip(&cells) {
        let stage = if row.stage == Stage::Ran { paint.good(&cells[1]) } else { paint.alarm(&cells[1]) };
        lines.push(line(cells, &stage));
        for sentence in row.stopped.iter().chain(&row.faults) {
            lines.extend(
                wrap(&one_line(sentence), options.width.clamp(40, 120) - 4).iter().map(|piece| format!("    {piece}")),
            );
        }
    }
    lines.push(String::new());
    lines.push(conclusion(rows));
    lines.join("\n") + "\n"
}

fn cells(row: &AppRow) -> [String; 6] {
    let counted = |list: usize| if row.stage == Stage::Unread { "-".to_owned() } else { number(list as u64) };
    let states = row.states.map_or_else(|| "-".to_owned(), |states| number(states) + if row.cut { "+" } else { "" });
    let name = row.file.rsplit('/').next().unwrap_or(&row.file).trim_end_matches(".groovy");
    [
        one_line(name),
        row.stage.name().to_owned(),
        counted(row.inputs.len()),
        counted(row.subscriptions.len()),
        counted(row.events.len()),
        states,
    ]
}

fn conclusion(rows: &[AppRow]) -> String {
    let came = |stage: Stage| number(rows.iter().filter(|row| row.stage >= stage).count() as u64);
    let (parsed, installed, ran) = (came(Stage::Parsed), came(Stage::Installed), came(Stage::Ran));
    format!("{}: {parsed} parsed, {installed} installed, {ran} ran", count(rows.len() as u64, "app", "apps"))
}

/// The table as one JSON object.
pub fn json(rows: &[AppRow]) -> String {
    #[derive(Serialize)]
    struct AppsObject<'a> {
        apps: &'a [AppRow],
    }
    pretty(&AppsObject { apps: rows })
}

/// The rows of a table that [`json`] wrote.
pub fn restore(table: &str) -> Option<Vec<AppRow>> {
    #[derive(Deserialize)]
    struct SavedApps {
        apps: Vec<AppRow>,
    }
    serde_json::from_str(table).ok().map(|SavedApps { apps }| apps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_app_has_a_line() {
        let ran = AppRow {
            file: "apps/night-light.groovy".to_owned(),
            name: Some("Night Light".to_owned()),
            stage: Stage::Ran,
            inputs: vec![["lamp", "capability.switch", "switch"].map(str::to_owned)],
            subscriptions: vec!["motion sensor motion → seen".to_owned()],
            events: vec!["motion".to_owned(), "no motion".to_owned()],
            states: Some(1_234),
            cut: true,
            faults: vec!["night-light.groovy:9: null".to_owned()],
            stopped: None,
        };
        let unread = AppRow::unread("apps/odd.groovy".to_owned(), "odd.groovy:3: expected `)`".to_owned());
        let rows = [ran, unread];
        insta::assert_snapshot!(text(&rows, &TextOptions::default()), @"
        app          stage   inputs  subscriptions  events  states
        night-light  ran          1              1       2  1,234+
            night-light.groovy:9: null
        odd          unread       -              -       -       -
            odd.groovy:3: expected `)`

        2 apps: 1 parsed, 1 installed, 1 ran
        ");
        assert!(json(&rows).contains("\"stage\": \"unread\""));
        assert_eq!(restore(&json(&rows)).as_deref(), Some(&rows[..]));
        assert_eq!(restore("nothing"), None);
    }
}
