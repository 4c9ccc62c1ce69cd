//! What a verdict means, and what to do next.

use crate::format::{count, number};
use crate::{Basis, Considered, Report, Site};
use mazurka_core::{Bound, Counter, StopReason, Verdict};

/// What is said of a complete search that found something.
pub(crate) const COMPLETE: &str = "the search is complete";

/// Why the verdict is what it is, in one sentence without a full stop.
pub(crate) fn reason(report: &Report<'_>) -> Option<String> {
    match &report.exploration.verdict {
        Verdict::Verified if report.basis.promise.is_empty() => None,
        Verdict::Verified => Some(report.basis.promise.clone()),
        Verdict::Violated => Some(match report.exploration.stop {
            StopReason::FirstViolation => "the search stopped at the first violation".to_owned(),
            StopReason::Complete => match cut(report) {
                Some(cut) => format!("the search did not see everything: {cut}"),
                None => COMPLETE.to_owned(),
            },
            early => {
                let cut = cut(report).map(|cut| format!(", and {cut}"));
                format!("the search stopped early: {}{}", early.words(), cut.unwrap_or_default())
            }
        }),
        Verdict::Unsupported(reason) => Some(reason.clone()),
        verdict @ (Verdict::Bounded { .. } | Verdict::Inconclusive(_)) => {
            unproven(verdict).map(|short| short + "; nothing was found so far")
        }
    }
}

/// Why a verdict is neither a proof nor a violation.
pub(crate) fn unproven(verdict: &Verdict) -> Option<String> {
    match verdict {
        Verdict::Verified | Verdict::Violated => None,
        Verdict::Bounded { bound, cuts } => Some(cut_words(*bound, *cuts)),
        Verdict::Inconclusive(stop) => Some(stop.words().to_owned()),
        Verdict::Unsupported(reason) => Some(reason.clone()),
    }
}

/// What the search did not follow.
fn cut(report: &Report<'_>) -> Option<String> {
    report.exploration.cut.map(|(bound, cuts)| cut_words(bound, cuts))
}

fn cut_words(bound: Bound, cuts: u64) -> String {
    match bound {
        Bound::Depth(steps) => format!("{} cut at {}", were(cuts), count(steps, "step", "steps")),
        Bound::Cycle => format!("{} cut where a state came back", were(cuts)),
    }
}

fn were(cuts: u64) -> String {
    if cuts == 1 { "1 schedule was".to_owned() } else { format!("{} schedules were", number(cuts)) }
}

/// What is told of what was considered even where there is no proof: what was found besides, and what was left out.
const TOLD_IN_ANY_CASE: [&str; 7] = ["also", "alike", "advice", "left out", "accepted", "given up", "untested"];

/// What a proof rests on, in sentences without full stops: first what was not tested, then what was considered.
pub(crate) fn grounds(report: &Report<'_>) -> Vec<String> {
    let basis = report.basis;
    if report.exploration.verdict != Verdict::Verified {
        // Some of it is worth telling in any case.
        let is_told = |one: &&Considered| TOLD_IN_ANY_CASE.iter().any(|what| one.what.starts_with(what));
        let advice = basis.considered.iter().filter(is_told);
        return advice.map(|Considered { what, text }| format!("{what}: {text}")).collect();
    }
    let vacuous = |site: &Site| basis.vacuous.iter().any(|vacuous| vacuous.site == *site);
    let unreached: Vec<_> = basis.unreached.iter().filter(|site| !vacuous(site)).map(Site::told).collect();
    let unreached = (!unreached.is_empty()).then(|| format!("never reached: {}", unreached.join(", ")));
    let considered = basis.considered.iter().map(|Considered { what, text }| format!("{what}: {text}"));
    blocked(report).into_iter().chain(unreached).chain(considered).collect()
}

/// How many executions ended where an assumption stayed false or an actor waited in a loop, and where.
fn blocked(report: &Report<'_>) -> Option<String> {
    let Basis { blocked_at, ended_in_loops, waits_at, .. } = report.basis;
    let statistics = &report.exploration.statistics;
    let blocked = statistics.get(Counter::AssumeBlocked).filter(|&blocked| blocked > 0)?;
    let ends = count(blocked, "end is", "ends are");
    let at = |sites: &[Site]| match sites {
        [] => String::new(),
        _ => format!(" at {}", sites.iter().map(Site::told).collect::<Vec<_>>().join(", ")),
    };
    let assumed = format!("by `assume`{}", at(blocked_at));
    let what_waits = match waits_at[..] {
        [] => "what these wait for comes in other executions".to_owned(),
        _ => format!("what is waited for{} never comes there", at(waits_at)),
    };
    Some(match (!blocked_at.is_empty(), *ended_in_loops) {
        (_, false) => format!("{ends} blocked {assumed}: to wait there is not a deadlock"),
        (false, true) => format!("{ends} blocked in loops that wait: {what_waits}"),
        (true, true) => format!("{ends} blocked {assumed}, or in loops that wait: {what_waits}"),
    })
}

/// What to do next, if there is something to do.
pub(crate) fn advice(report: &Report<'_>) -> Option<&'static str> {
    match (&report.exploration.verdict, report.exploration.stop) {
        (Verdict::Verified, _) => None,
        (Verdict::Violated, StopReason::Complete) if report.exploration.cut.is_none() => None,
        (Verdict::Violated, StopReason::FirstViolation) => Some("--all looks for more"),
        (Verdict::Violated, _) => Some("there may be more"),
        (Verdict::Bounded { bound: Bound::Depth(_), .. }, _) => Some("a higher --max-steps checks longer schedules"),
        (Verdict::Bounded { bound: Bound::Cycle, .. }, _) => {
            Some("an engine that follows cycles, such as --engine exhaustive, does not cut them")
        }
        (Verdict::Inconclusive(StopReason::TimeLimit), _) => Some("a longer --time-limit lets the search continue"),
        (Verdict::Inconclusive(StopReason::MemoryLimit), _) => Some("a larger --memory-limit lets the search continue"),
        // What was limited, and how to do with less, is for the program to say: `Report::hint`.
        (Verdict::Inconclusive(StopReason::SizeLimit), _) => None,
        (Verdict::Inconclusive(StopReason::NumbersRanOut), _) => {
            Some("--engine exhaustive has numbers for more states")
        }
        (Verdict::Inconclusive(_), _) => Some("let the search run longer to get a verdict"),
        // What to do instead depends on what was asked for: `Report::alternative` says it.
        (Verdict::Unsupported(_), _) => None,
    }
}
