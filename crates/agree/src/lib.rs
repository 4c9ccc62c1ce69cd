//! Agreement: random programs, and every engine against the oracle.
//!
//! [`generate`] makes a small program from a number. [`compare`] explores it with every engine that is made for it, and
//! looks for any difference in what they report: `exhaustive`, which visits every state, is the oracle, and is itself
//! compared with the plainest search there is. A program on which two accounts differ is made as small as it can be
//! while they still do. [`run`] does this for many programs.
//!
//! The n-th program of a run that begins at a number is the one of that number + n: one number shows a disagreement
//! again.
#![forbid(unsafe_code)]

mod as_c;
mod c;
mod closure;
mod compare;
mod contender;
mod footprints;
mod generator;
mod liveness;
mod observations;
mod reference;
mod shrink;
mod walk;

#[cfg(test)]
mod tests;

pub use as_c::{Accesses, C_PRELUDE, as_c, leave_out_what_c_lacks};
pub use c::{CDifference, CTally, compare_as_c};
pub use closure::{RustTally, compare_as_closures};
pub use compare::{Comparison, Difference, DifferenceKind, Standing, compare};
pub use contender::{Applies, Contender, Promise, Run, promise};
pub use generator::{Generated, Kind, Shape, generate};
pub use liveness::{LivenessAgreement, LivenessTally, run_liveness};
pub use observations::{EndClass, Observations, Sighting};

use mazurka_core::Cancel;
use mazurka_engines::{Engine, Options};
use mazurka_lang::print;
use std::fmt::{self, Write};
use std::time::{Duration, Instant};

/// How often a smaller program may be tried before the smallest so far is good enough.
const SHRINKING_ATTEMPTS: usize = 3_000;

/// What to run.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The number of the first program.
    pub seed: u64,
    /// How many programs; no limit if it is not given.
    pub programs: Option<u64>,
    /// For how long; no limit if it is not given.
    pub time: Option<Duration>,
    /// The engines that take part; all if none is given.
    pub engines: Vec<Engine>,
    /// In which variant of their algorithms the engines run: what `plain`, `no_sleep`, `capture` and `cutoffs` say;
    /// and whether data races are compared, by the engines that find them.
    pub variant: Options,
    /// Stops the run from outside.
    pub cancel: Cancel,
}

/// How one contender did so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// The contender.
    pub name: String,
    /// Programs on which it reported what it promises.
    pub agreed: u64,
    /// Programs that it could not finish, or on which it promises less.
    pub unfinished: u64,
    /// Executions that it ran in the programs on which it agreed.
    pub executions: u64,
    /// Executions beyond one for each trace, where it promises at least one.
    pub more: u64,
}

/// What was compared so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Programs that were made.
    pub programs: u64,
    /// Those whose executions all end.
    pub terminating: u64,
    /// Those that may run for ever.
    pub cyclic: u64,
    /// Those with too many states, which were left out.
    pub too_large: u64,
    /// States of all programs that were compared.
    pub states: u64,
    /// The contenders in their order.
    pub scores: Vec<Score>,
}

impl Tally {
    fn add(&mut self, comparison: Option<&Comparison>) {
        self.programs += 1;
        let Some(comparison) = comparison else {
            self.too_large += 1;
            return;
        };
        self.terminating += u64::from(comparison.terminates);
        self.cyclic += u64::from(!comparison.terminates);
        self.states += comparison.states;
        for (score, standing) in self.scores.iter_mut().zip(&comparison.standings) {
            match standing {
                Standing::NotApplicable => {}
                Standing::Unfinished => score.unfinished += 1,
                Standing::Agrees { executions, more } => {
                    score.agreed += 1;
                    score.executions += executions;
                    score.more += more;
                }
            }
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} programs: {} terminate, {} may run for ever, {} were too large; {} states",
            self.programs, self.terminating, self.cyclic, self.too_large, self.states
        )?;
        let compared = self.terminating + self.cyclic;
        writeln!(f, "  {:<12} {compared} programs, the oracle", Engine::Exhaustive.name())?;
        for score in &self.scores {
            write!(f, "  {:<12} {} programs", score.name, score.agreed)?;
            if score.executions > 0 {
                write!(f, ", {} executions", score.executions)?;
            }
            if score.more > 0 {
                write!(f, " ({} more than traces)", score.more)?;
            }
            if score.unfinished > 0 {
                write!(f, "; {} more in part", score.unfinished)?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// A program on which two accounts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The program's number.
    pub seed: u64,
    /// What differs in the program as it was made.
    pub difference: Difference,
    /// The program as it was made.
    pub source: String,
    /// A smaller program that shows a difference of the same kind.
    pub shrunk: String,
    /// What differs in the smaller program.
    pub shrunk_difference: Difference,
    /// The arguments that ask for the variant in which the engines ran.
    arguments: String,
}

impl Disagreement {
    /// The command that shows it again.
    pub fn command(&self) -> String {
        let mut command = format!("mazurka agree --seed {} --programs 1", self.seed);
        if let Some(engine) = Engine::by_name(&self.difference.engine) {
            // Writing to a string does not fail.
            let _ = write!(command, " --engine {engine}");
        }
        command + &self.arguments
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "DISAGREEMENT  {} on program {}", self.difference.engine, self.seed)?;
        writeln!(f, "  {}", self.difference.words)?;
        writeln!(f, "\nThe smallest program found that shows such a thing:\n")?;
        for line in self.shrunk.lines() {
            writeln!(f, "    {line}")?;
        }
        writeln!(f, "\n  {}: {}", self.shrunk_difference.engine, self.shrunk_difference.words)?;
        writeln!(f, "\nThe program as it was made:\n")?;
        for line in self.source.lines() {
            writeln!(f, "    {line}")?;
        }
        writeln!(f, "\n  again   {}", self.command())
    }
}

/// What came of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// What was compared.
    pub tally: Tally,
    /// The first disagreement, which ended the run.
    pub disagreement: Option<Disagreement>,
}

impl fmt::Display for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(disagreement) = &self.disagreement {
            writeln!(f, "{disagreement}")?;
        }
        self.tally.fmt(f)
    }
}

/// Makes programs and compares all accounts of each, up to the first disagreement or until a limit is reached.
pub fn run(settings: &Settings, contenders: Vec<Contender<'_>>, progress: &mut dyn FnMut(&Tally)) -> Agreement {
    let started = Instant::now();
    let contenders = chosen(settings, contenders);
    let scores = contenders.iter().map(|contender| Score { name: contender.name.clone(), ..Score::default() });
    let mut tally = Tally { scores: scores.collect(), ..Tally::default() };
    while !settings.cancel.is_cancelled()
        && settings.programs.is_none_or(|programs| tally.programs < programs)
        && settings.time.is_none_or(|time| started.elapsed() < time)
    {
        let seed = settings.seed.wrapping_add(tally.programs);
        match check(seed, &contenders, &settings.variant) {
            Ok(comparison) => tally.add(comparison.as_ref()),
            Err(disagreement) => return Agreement { tally, disagreement: Some(*disagreement) },
        }
        progress(&tally);
    }
    Agreement { tally, disagreement: None }
}

/// The contenders that take part, in their variant. The oracle always does.
fn chosen<'a>(settings: &Settings, contenders: Vec<Contender<'a>>) -> Vec<Contender<'a>> {
    let takes_part = |contender: &Contender<'_>| {
        let is_wanted = settings.engines.is_empty() || settings.engines.iter().any(|&engine| contender.is_of(engine));
        is_wanted && (!settings.variant.races || contender.finds_races())
    };
    contenders.into_iter().filter(takes_part).map(|contender| contender.varied(&settings.variant)).collect()
}

/// Compares all accounts of the program with this number.
fn check(seed: u64, contenders: &[Contender<'_>], variant: &Options) -> Result<Option<Comparison>, Box<Disagreement>> {
    let unit = generate(seed).unit;
    let source = print(&unit);
    compare(&source, contenders, variant.races).map_err(|difference| {
        let same = |other: &Difference| (&other.engine, other.kind) == (&difference.engine, difference.kind);
        let mut shrunk_difference = difference.clone();
        let small = shrink::shrink(&unit, SHRINKING_ATTEMPTS, |candidate| {
            let found = compare(&print(candidate), contenders, variant.races).err().filter(same);
            if let Some(found) = &found {
                shrunk_difference.clone_from(found);
            }
            found.is_some()
        });
        Box::new(Disagreement {
            seed,
            difference: difference.clone(),
            source,
            shrunk: print(&small),
            shrunk_difference,
            arguments: contender::arguments(variant),
        })
    })
}
