//! A table of the automations of a Home Assistant configuration: what was understood of each.

use crate::TextOptions;
use crate::format::count;
use crate::json::pretty;
use crate::layout::{Paint, one_line, pad, width, wrap};
use serde::Serialize;

/// How far an automation was understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Understanding {
    /// All of it.
    Understood,
    /// A part is left open.
    Opaque,
    /// It could not be read; Home Assistant would not load it.
    Unread,
}

impl Understanding {
    fn name(self) -> &'static str {
        match self {
            Understanding::Understood => "understood",
            Understanding::Opaque => "opaque in part",
            Understanding::Unread => "not read",
        }
    }
}

/// A part of an automation that is left open, or what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// Where, as `file:line`.
    pub place: String,
    /// What.
    pub text: String,
    /// Whether it decides something.
    pub decides: bool,
}

/// An automation or script.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AutomationRow {
    /// What its owner calls it.
    pub name: String,
    /// `automation` or `script`.
    pub kind: &'static str,
    /// Where it stands.
    pub place: String,
    /// How far it was understood.
    pub understanding: Understanding,
    /// Its mode.
    pub mode: Option<&'static str>,
    /// How many triggers it has.
    pub triggers: usize,
    /// What is left open or wrong.
    pub remarks: Vec<Remark>,
}

/// All that is told of a configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AutomationTable {
    /// Automations and scripts.
    pub automations: Vec<AutomationRow>,
    /// What else is wrong with the configuration, each with its place.
    pub problems: Vec<Remark>,
}

impl AutomationTable {
    fn share(&self, wanted: impl Fn(&AutomationRow) -> bool) -> usize {
        self.automations.iter().filter(|row| wanted(row)).count()
    }

    /// How many were read.
    pub fn read(&self) -> usize {
        self.share(|row| row.understanding != Understanding::Unread)
    }

    /// How many were read and have no opaque part that decides something.
    pub fn decided(&self) -> usize {
        self.share(|row| row.understanding != Understanding::Unread && !row.remarks.iter().any(|remark| remark.decides))
    }
}

/// The table for people.
pub fn text(table: &AutomationTable, options: &TextOptions) -> String {
    let paint = Paint { colour: options.colour };
    let fill = |cell: &dyn Fn(&AutomationRow) -> String, title: &str| {
        table.automations.iter().map(|row| width(&cell(row))).max().unwrap_or(0).max(title.len())
    };
    let name = |row: &AutomationRow| one_line(&row.name);
    let names = fill(&name, "automation").min(60);
    let places = fill(&|row| row.place.clone(), "place");
    let mut lines = vec![paint.bold(
        format!("{}  {}  {:<14}  mode", pad("automation", names), pad("place", places), "understanding").as_str(),
    )];
    for row in &table.automations {
        let word = pad(row.understanding.name(), 14);
        let word = if row.understanding == Understanding::Understood { paint.good(&word) } else { paint.alarm(&word) };
        let mode = if row.kind == "script" {
            format!("{} script", row.mode.unwrap_or(""))
        } else {
            row.mode.unwrap_or("").to_owned()
        };
        lines.push(
            format!("{}  {}  {word}  {mode}", pad(&name(row), names), pad(&row.place, places)).trim_end().to_owned(),
        );
        for remark in &row.remarks {
            let aside =
                if remark.decides || row.understanding == Understanding::Unread { "" } else { " (decides nothing)" };
            lines.extend(told(&format!("{}: {}{aside}", remark.place, remark.text), options));
        }
    }
    if !table.problems.is_empty() {
        lines.push(String::new());
        lines.push(paint.bold("Also:"));
        for problem in &table.problems {
            lines.extend(told(&format!("{}: {}", problem.place, problem.text), options));
        }
    }
    lines.push(String::new());
    let all = count(table.automations.len() as u64, "automation or script", "automations and scripts");
    lines.push(format!(
        "{all}: {} read, {} without an opaque part that decides something",
        table.read(),
        table.decided()
    ));
    lines.join("\n") + "\n"
}

fn told(sentence: &str, options: &TextOptions) -> Vec<String> {
    wrap(&one_line(sentence), options.width.clamp(40, 120) - 4).iter().map(|piece| format!("    {piece}")).collect()
}

/// The table as one JSON object.
pub fn json(table: &AutomationTable) -> String {
    pretty(table)
}
