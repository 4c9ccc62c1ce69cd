//! `--engine auto`: one search after the other, until one comes to its end.
//!
//! It begins with the search that finds the shortest schedule. Where that grows too large, one that reduces more takes
//! over: see [`stages`]. What counts is how large a search grew, never how long it took, so that the same program is
//! always searched in the same way. The limits of the user hold for all searches together.

use crate::subject::Subject;
use mazurka_core::{Counter, Exploration, Found, Observer, StopReason, Traits};
use mazurka_engines::{self as engines, Engine, Options, Stage, stages, stages_for_races};
use mazurka_report::format::count;
use mazurka_report::{Picked, Tried};
use std::time::Instant;

/// The search that came to its end, or to that of its limits.
pub(crate) struct Search {
    pub(crate) engine: Engine,
    pub(crate) picked: Picked,
    pub(crate) exploration: Exploration,
}

/// Searches a program in the way that suits it.
pub(crate) fn search(subject: &dyn Subject, options: &Options, observer: &mut dyn Observer) -> Search {
    let started = Instant::now();
    let traits = subject.traits();
    let mut stages = if options.races { stages_for_races(&traits) } else { stages(&traits) };
    if options.budget.depth.is_some() {
        // Only the first one looks at everything up to a length: a reduction that is cut may have left out what another
        // order shows within it.
        stages.truncate(1);
        stages.iter_mut().for_each(|stage| stage.size = None);
    }
    let mut reasons: Vec<String> = Vec::new();
    let mut tried: Vec<Tried> = Vec::new();
    let mut found: Vec<Found> = Vec::new();
    for Stage { engine, size, why } in stages {
        let mut options = options.clone();
        options.budget.size = size;
        options.budget.time = options.budget.time.map(|limit| limit.saturating_sub(started.elapsed()));
        if size.is_some() {
            // Where a search without states stops depends on its threads; a short one does not need them.
            options.threads = 1;
        }
        let mut exploration = subject.explore(engine, &options, observer);
        if size.is_some() && goes_on(engine, &exploration) {
            reasons.push(grown(engine, &exploration));
            tried.push(Tried { engine: engine.name(), statistics: exploration.statistics });
            found = joined(found, exploration.violations);
            continue;
        }
        if !found.is_empty() {
            let Exploration { stop, cut, violations, statistics, answered, .. } = exploration;
            let concluded = Exploration::conclude(stop, cut, joined(found, violations), statistics);
            exploration = Exploration { answered, ..concluded };
        }
        exploration.statistics.seconds = started.elapsed().as_secs_f64();
        for before in &tried {
            if let Some(bytes) = before.statistics.get(Counter::PeakBytes) {
                exploration.statistics.raise(Counter::PeakBytes, bytes);
            }
        }
        let reason = if reasons.is_empty() { why.to_owned() } else { reasons.join(", ") };
        return Search { engine, picked: Picked { reason, tried }, exploration };
    }
    unreachable!("the last search is not limited in size")
}

/// Whether another search has to take over: this one grew too large, or is not made for a program that turned out to
/// come back to a state.
fn goes_on(engine: Engine, exploration: &Exploration) -> bool {
    let is_cut = exploration.stop == StopReason::Complete && exploration.cut.is_some() && !engine.handles_cycles();
    exploration.stop == StopReason::SizeLimit || is_cut
}

/// Why another search took over.
fn grown(engine: Engine, exploration: &Exploration) -> String {
    if exploration.stop != StopReason::SizeLimit {
        return format!("{engine} came back to a state");
    }
    let most = engines::STAGE_SIZE;
    let counted = |counter| exploration.statistics.get(counter);
    match (counted(Counter::States), counted(Counter::Transitions)) {
        (Some(states), _) if states >= most => format!("{engine} met more than {}", count(most, "state", "states")),
        (None, Some(steps)) if steps >= most => format!("{engine} took more than {}", count(most, "step", "steps")),
        // A program may limit its parts, too.
        _ => format!("{engine} grew too large"),
    }
}

/// The violations of two searches, each once and with the shorter schedule.
fn joined(mut before: Vec<Found>, after: Vec<Found>) -> Vec<Found> {
    for found in after {
        match before.iter_mut().find(|known| known.violation.same_site(&found.violation)) {
            Some(known) if found.schedule.moves.len() < known.schedule.moves.len() => *known = found,
            Some(_) => {}
            None => before.push(found),
        }
    }
    before
}

/// What to try where a search did not come to its end, in one sentence. `growth` is asked after how many steps a run had
/// neither ended nor come back to a state.
pub(crate) fn alternative(
    traits: &Traits,
    engine: Engine,
    picked: Option<&Picked>,
    growth: impl FnOnce() -> Option<usize>,
) -> Option<String> {
    let grown = if traits.terminates { None } else { growth() };
    if let Some(steps) = grown {
        let steps = count(steps as u64, "step", "steps");
        return Some(format!(
            "a random run of {steps} neither ended nor came back to a state, so perhaps no engine can finish; \
             --max-steps checks all schedules up to a length"
        ));
    }
    let tried = picked.into_iter().flat_map(|picked| &picked.tried).filter_map(|tried| Engine::by_name(tried.engine));
    let mut tried: Vec<Engine> = tried.chain([engine]).collect();
    loop {
        let (engine, why) = engines::alternative(traits, &tried)?;
        // Where executions come back to states, engines that follow executions to their ends do not prove anything.
        if traits.terminates || engine.handles_cycles() {
            return Some(format!("--engine {engine} may finish: it {why}"));
        }
        tried.push(engine);
    }
}
