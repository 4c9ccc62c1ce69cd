//! `mazurka apps` for Home Assistant: what was understood of each automation.

use crate::arguments::{Apps as Arguments, ListFormat};
use crate::console::Console;
use anyhow::Result;
use mazurka::report::automations::{self, AutomationRow, AutomationTable, Remark, Understanding};
use mazurka_hass::config::{Configuration, Problem, Routine, RoutineKind};
use mazurka_load::load_configuration;

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let configuration = load_configuration(&arguments.files)?;
    let table = table_of(&configuration);
    console.print(&match arguments.format {
        ListFormat::Text => automations::text(&table, &console.text_options()),
        ListFormat::Json => automations::json(&table),
    });
    let is_clear =
        !table.automations.is_empty() && table.decided() == table.automations.len() && table.problems.is_empty();
    Ok(if is_clear { 0 } else { 5 })
}

fn table_of(configuration: &Configuration) -> AutomationTable {
    let routines = configuration.automations.iter().chain(&configuration.scripts);
    let mut rows: Vec<_> = routines.map(|routine| (routine.place, row(configuration, routine))).collect();
    rows.extend(configuration.broken.iter().map(|broken| {
        let row = AutomationRow {
            name: broken.name.clone(),
            kind: if broken.is_script { "script" } else { "automation" },
            place: configuration.shown(broken.place),
            understanding: Understanding::Unread,
            mode: None,
            triggers: 0,
            remarks: vec![remark(configuration, &broken.problem)],
        };
        (broken.place, row)
    }));
    rows.sort_by_key(|(place, row)| (row.kind == "script", *place));
    let problems = configuration.problems.iter().map(|problem| remark(configuration, problem));
    AutomationTable { automations: rows.into_iter().map(|(_, row)| row).collect(), problems: problems.collect() }
}

fn row(configuration: &Configuration, routine: &Routine) -> AutomationRow {
    let remarks = routine.opaque.iter().map(|opaque| Remark {
        place: configuration.shown(opaque.place),
        text: opaque.what.clone(),
        decides: opaque.decides,
    });
    AutomationRow {
        name: routine.name.clone(),
        kind: if routine.kind == RoutineKind::Script { "script" } else { "automation" },
        place: configuration.shown(routine.place),
        understanding: if routine.opaque.is_empty() { Understanding::Understood } else { Understanding::Opaque },
        mode: Some(routine.mode.name()),
        triggers: routine.triggers.len(),
        remarks: remarks.collect(),
    }
}

fn remark(configuration: &Configuration, problem: &Problem) -> Remark {
    let text = format!("{}; {}", problem.message, problem.expected);
    Remark { place: configuration.shown(problem.place), text, decides: false }
}
