//! `mazurka agree`: random programs, every engine against `exhaustive`.

use crate::arguments::Agree as Arguments;
use crate::console::{Console, cancel_on_interrupt};
use anyhow::Result;
use mazurka::report::format::number;
use mazurka::{Engine, Verdict};
use mazurka_agree::{Contender, LivenessTally, Settings, Tally};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How long a run takes by default.
const SECONDS: u64 = 10;

pub(crate) fn run(arguments: &Arguments, console: &Console) -> Result<u8> {
    let engines = if arguments.engine.is_empty() { Engine::ALL } else { &arguments.engine[..] };
    arguments.variant.refuse_others(engines)?;
    let seconds = arguments.seconds.or_else(|| arguments.programs.is_none().then_some(SECONDS));
    let settings = Settings {
        seed: arguments.seed.unwrap_or_else(seed_from_clock),
        programs: arguments.programs,
        time: seconds.map(Duration::from_secs),
        engines: arguments.engine.clone(),
        variant: arguments.variant.options(),
        cancel: cancel_on_interrupt(),
    };
    if arguments.liveness {
        return Ok(liveness(&settings, console));
    }
    let line = console.progress(None);
    let started = Instant::now();
    let mut shown = started;
    let mut show = |tally: &Tally| {
        if shown.elapsed() >= Duration::from_millis(100) {
            shown = Instant::now();
            let rate = tally.programs as f64 / started.elapsed().as_secs_f64();
            line.show(format!("{} programs, {}/s, all agree", number(tally.programs), number(rate as u64)));
        }
    };
    let agreement = mazurka_agree::run(&settings, Contender::all(), &mut show);
    line.clear();
    let seed = format!("seed {}", settings.seed);
    console.print(&format!("{agreement}  {seed}"));
    Ok(if agreement.disagreement.is_some() { Verdict::Violated } else { Verdict::Verified }.exit_code())
}

/// What has to happen in the end.
fn liveness(settings: &Settings, console: &Console) -> u8 {
    let line = console.progress(None);
    let mut shown = Instant::now();
    let mut show = |tally: &LivenessTally| {
        if shown.elapsed() >= Duration::from_millis(100) {
            shown = Instant::now();
            line.show(format!("{} programs, {} questions", number(tally.programs), number(tally.questions)));
        }
    };
    let agreement = mazurka_agree::run_liveness(settings, &mut show);
    line.clear();
    let seed = format!("seed {}", settings.seed);
    match &agreement.disagreement {
        Some(disagreement) => console.print(&format!("{disagreement}\n  {seed}")),
        None => console.print(&format!("{}  {seed}", agreement.tally)),
    }
    let verdict = if agreement.disagreement.is_some() { Verdict::Violated } else { Verdict::Verified };
    verdict.exit_code()
}

/// Another run, other programs.
fn seed_from_clock() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |time| time.as_secs() % 1_000_000 * 1_000)
}
