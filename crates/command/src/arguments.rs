//! The command line: one table of options, from which the help and the checks come.

use crate::output::{Format, Output};
use anyhow::{Result, anyhow};
use clap::builder::{NonEmptyStringValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};
use mazurka::engines::{Capture, Cutoffs, Engine, Options};
use mazurka::report::format::{parse_duration, parse_size};
use mazurka::{Budget, Fairness, Traits};
use mazurka_home::Profile;
use mazurka_load::{Settings, parse_range};
use std::ops::RangeInclusive;
use std::time::Duration;

/// More threads than any machine has cores: a larger number is a slip.
const MOST_THREADS: usize = 1024;

/// More programs than anyone compares in one run: a larger number is a slip.
const MOST_POINTS: u64 = 1000;

/// Finds an order of events that breaks a program, or proves that there is none.
#[derive(Debug, Parser)]
#[command(
    name = "mazurka",
    version = env!("MAZURKA_VERSION"),
    max_term_width = 100,
    after_help = "\
Exit codes: 0 verified, 1 violated, 2 a usage or input error, 3 bounded, 4 inconclusive, 5 unsupported.

Try:  mazurka check examples/threads/lost-update.mz"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Whether results and errors have colours. `auto`: on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = ColourChoice::Auto, display_order = 1000)]
    pub(crate) color: ColourChoice,
}

/// When output has colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourChoice {
    Auto,
    Always,
    Never,
}

impl Arguments {
    pub(crate) fn quiet(&self) -> bool {
        match &self.command {
            Command::Check(check) => check.search.quiet,
            Command::Compare(compare) => compare.search.quiet,
            Command::Explore(explore) => explore.search.quiet,
            Command::Agree(agree) => agree.quiet,
            Command::Pairs(pairs) => pairs.quiet,
            Command::Apps(apps) => apps.quiet,
            Command::Work(work) => work.quiet,
            Command::Replay(_) | Command::Home(_) | Command::Completions(_) | Command::Man(_) => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a program: look for an order of events that breaks it.
    Check(Check),
    /// Check every pair of smart-home apps, or every slice of Home Assistant: which of them are in conflict?
    Pairs(Pairs),
    /// List smart-home apps, or the automations of Home Assistant: what Mazurka understands of them.
    Apps(Apps),
    /// Run a saved schedule again, step by step.
    Replay(Replay),
    /// Open a page on which you run a program yourself, step by step.
    Explore(Explore),
    /// Run all engines that support a program on it, side by side.
    Compare(Compare),
    /// Compare all engines with `exhaustive` on random programs.
    Agree(Agree),
    /// Help with the checks that `pairs --store postgres://…` has begun, on any machine.
    Work(Work),
    /// Write the home that smart-home apps are checked in, to be changed by hand.
    Home(HomeCommand),
    /// Print what a shell needs to complete this command.
    Completions(Completions),
    /// Write the pages of this command for `man`.
    Man(Man),
}

/// Which variant of an algorithm.
#[derive(Debug, Args)]
pub(crate) struct Variant {
    /// Run `dpor`, `sdpor`, `em-dpor` or `stateful` as published, without the optimisations that Mazurka adds.
    #[arg(long)]
    pub(crate) plain: bool,
    /// Run `stateful` as published, without the corrections that Mazurka makes: it misses violations, so its result proves
    /// nothing.
    #[arg(long)]
    pub(crate) as_published: bool,
    /// Run `dpor` without sleep sets, as the papers measured it.
    #[arg(long)]
    pub(crate) no_sleep: bool,
    /// How `sdpor` compares states [default: exact].
    #[arg(long, value_enum, value_name = "CAPTURE")]
    pub(crate) capture: Option<CaptureChoice>,
    /// Where `unfolding` stops at a state that it has met before [default: size].
    #[arg(long, value_enum, value_name = "CUTOFFS")]
    pub(crate) cutoffs: Option<CutoffsChoice>,
    /// Also look for data races: two accesses of a shared variable, not both atomic, that nothing orders.
    #[arg(long)]
    pub(crate) races: bool,
    /// How to treat threads, handlers and timers, and whatever else is treated fairly, where something has to happen in the
    /// end: not at all, weakly or strongly [default: as the program says, weakly if it says nothing].
    #[arg(long, value_enum, value_name = "FAIRNESS")]
    pub(crate) fairness: Option<FairnessChoice>,
}

impl Variant {
    /// What the engines are told.
    pub(crate) fn options(&self) -> Options {
        let capture = match self.capture {
            None | Some(CaptureChoice::Exact) => Capture::Exact,
            Some(CaptureChoice::Delta) => Capture::Delta,
        };
        let cutoffs = match self.cutoffs {
            None | Some(CutoffsChoice::Size) => Cutoffs::Size,
            Some(CutoffsChoice::Order) => Cutoffs::Order,
            Some(CutoffsChoice::None) => Cutoffs::None,
        };
        let Variant { plain, as_published, no_sleep, races, .. } = *self;
        let fairness = self.fairness.map(Fairness::from);
        Options { plain, as_published, no_sleep, capture, cutoffs, races, fairness, ..Options::default() }
    }

    /// Refuses an option of which none of the engines that run knows anything; `auto` leaves open which one that is, so
    /// it has none.
    pub(crate) fn refuse_others(&self, engines: &[Engine]) -> Result<()> {
        let given = [
            ("--plain", self.plain, PLAIN),
            ("--as-published", self.as_published, &[Engine::Stateful][..]),
            ("--no-sleep", self.no_sleep, &[Engine::Dpor]),
            ("--capture", self.capture.is_some(), &[Engine::Sdpor]),
            ("--cutoffs", self.cutoffs.is_some(), &[Engine::Unfolding]),
        ];
        for (option, is_given, fitting) in given {
            if is_given && !engines.iter().any(|engine| fitting.contains(engine)) {
                return Err(not_for_this_engine(option, fitting));
            }
        }
        if self.fairness.is_some() && !engines.is_empty() && !engines.contains(&Engine::Exhaustive) {
            return Err(not_for_this_engine("--fairness", &[Engine::Exhaustive]));
        }
        Ok(())
    }

    /// Refuses a fairness that no execution is asked for.
    pub(crate) fn refuse_pointless(&self, traits: &Traits) -> Result<()> {
        if self.fairness.is_none() || traits.liveness {
            return Ok(());
        }
        Err(anyhow!(
            "error: --fairness: nothing has to happen in the end\n\
             expected a program that says what has to, as in `eventually (done == 1);`"
        ))
    }
}

/// The engines that can do without the optimisations that are ours.
pub(crate) const PLAIN: &[Engine] = &[Engine::Dpor, Engine::Sdpor, Engine::EmDpor, Engine::Stateful];

/// What is said of an option that the engine would ignore.
pub(crate) fn not_for_this_engine(option: &str, fitting: &[Engine]) -> anyhow::Error {
    let names: Vec<&str> = fitting.iter().map(|engine| engine.name()).collect();
    let names = match names.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => names.concat(),
    };
    anyhow!("error: {option}: not for this engine\nexpected --engine {names} with it")
}

/// How actors are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FairnessChoice {
    /// Any of them may stop for ever.
    None,
    /// None of them can always move from some point on and never does.
    Weak,
    /// None of them can move again and again and never does.
    Strong,
}

impl From<FairnessChoice> for Fairness {
    fn from(choice: FairnessChoice) -> Self {
        match choice {
            FairnessChoice::None => Fairness::None,
            FairnessChoice::Weak => Fairness::Weak,
            FairnessChoice::Strong => Fairness::Strong,
        }
    }
}

/// How states are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CaptureChoice {
    /// By everything in them.
    Exact,
    /// By shared values, and by how the local state of each actor has changed.
    Delta,
}

/// Where an unfolding is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CutoffsChoice {
    /// At an event whose state a smaller configuration has reached: one with fewer events.
    Size,
    /// Also at one whose state a configuration of the same size has reached that comes first in a total order.
    Order,
    /// Never.
    None,
}

/// What limits a search.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Stop after this time, as in 5s, 2m or 1h30m.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time_limit: Option<Duration>,
    /// Stop when the process uses this much memory, as in 512MiB or 4GiB
    /// [default: three quarters of the machine's memory].
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub(crate) memory_limit: Option<u64>,
    /// Cut each schedule after this many steps. If something was cut, the verdict is `bounded`.
    #[arg(long, value_name = "N", value_parser = whole_number)]
    pub(crate) max_steps: Option<u64>,
    /// Search on this many threads [default: all cores; `event`: one].
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true, value_parser = thread_count)]
    pub(crate) threads: usize,
    /// Set a constant of a .mz program, or a macro of a C program. `compare` takes a range, too, as in N=2..8, and runs
    /// each value.
    #[arg(short = 'D', value_name = "NAME=VALUE", value_parser = define)]
    pub(crate) define: Vec<Define>,
    /// The file with the dependences of a trace [default: dependence.txt in the folder of the trace].
    #[arg(long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) dependence: Option<String>,
    #[command(flatten)]
    pub(crate) c: CSettings,
    #[command(flatten)]
    pub(crate) home: HomeSettings,
    #[command(flatten)]
    pub(crate) promises: HomePromises,
    #[command(flatten)]
    pub(crate) assistant: AssistantSettings,
    #[command(flatten)]
    pub(crate) variant: Variant,
    /// Show no progress, and only the verdict.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// What a C program is made with.
#[derive(Debug, Args)]
pub(crate) struct CSettings {
    /// Run this function instead of `main`.
    #[arg(help_heading = "C programs", long, value_name = "FUNCTION", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) entry: Option<String>,
    /// The values to explore where the program asks for any (`__VERIFIER_nondet_int`), as in 0..3.
    #[arg(help_heading = "C programs", long, value_name = "FROM..TO", value_parser = parse_range, allow_hyphen_values = true)]
    pub(crate) nondet: Option<(i64, i64)>,
    /// The arguments of the program, separated by blanks.
    #[arg(help_heading = "C programs", long, value_name = "ARGUMENTS", allow_hyphen_values = true)]
    pub(crate) arguments: Option<String>,
    /// The compile_commands.json of a build: which files there are, and what the compiler is told for each. With FILES only
    /// these are taken.
    #[arg(help_heading = "C programs", long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) compile_commands: Option<String>,
    /// Which file of the build has the `main` that is meant; others that have one are left out.
    #[arg(help_heading = "C programs", long, value_name = "FILE", requires = "compile_commands", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) main: Option<String>,
    /// Reading memory or a variable that was never set is a violation.
    #[arg(help_heading = "C programs", long)]
    pub(crate) uninitialized: bool,
    /// Threads that go on for ever, spin or wait, and never all come to their ends, are a violation: a livelock. Threads
    /// that are meant to run on call `mazurka_progress()` in each round.
    #[arg(help_heading = "C programs", long)]
    pub(crate) livelock: bool,
    /// Take a step for each access of local variables in memory, too: verdicts must be the same, and take longer.
    #[arg(help_heading = "C programs", long)]
    pub(crate) all_visible: bool,
    /// Options for clang.
    #[arg(help_heading = "C programs", last = true, value_name = "CLANG OPTIONS")]
    pub(crate) clang: Vec<String>,
}

/// What a smart home is made for.
#[derive(Debug, Args)]
pub(crate) struct HomeSettings {
    /// A file that says which devices the home has, and which of them each app uses.
    #[arg(help_heading = "Smart homes", long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) home: Option<String>,
    /// What must never be true, as in 'lock == "unlocked" and mode == "Away"'. May be repeated.
    #[arg(help_heading = "Smart homes", long, value_name = "RULE")]
    pub(crate) never: Vec<String>,
    /// Look for the libraries that Hubitat apps include in this folder, too; may be repeated.
    #[arg(help_heading = "Smart homes", long, value_name = "DIR", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) library: Vec<String>,
    /// Do not look for conflicts: apps that set one device to different values.
    #[arg(help_heading = "Smart homes", long)]
    pub(crate) no_conflicts: bool,
    /// Which events and values the home's environment has.
    #[arg(help_heading = "Smart homes", long, value_enum, default_value_t = ProfileChoice::Usual)]
    pub(crate) profile: ProfileChoice,
}

/// What has to happen in a smart home in the end.
#[derive(Debug, Args)]
pub(crate) struct HomePromises {
    /// What has to be true at some point, as in 'mode == "Night"'. May be repeated.
    #[arg(help_heading = "Smart homes", long, value_name = "RULE")]
    pub(crate) eventually: Vec<String>,
    /// What has to be true again and again, as in 'light == "off"'. May be repeated.
    #[arg(help_heading = "Smart homes", long, value_name = "RULE")]
    pub(crate) always_eventually: Vec<String>,
    /// What has to follow what, as in 'smoke == "clear" ~> alarm == "off"'. May be repeated.
    #[arg(help_heading = "Smart homes", long, value_name = "RULE ~> RULE")]
    pub(crate) leads_to: Vec<String>,
    /// A device or an event: what it can always do happens in the end. Otherwise nothing but timers has to happen. May be
    /// repeated.
    #[arg(help_heading = "Smart homes", long, value_name = "NAME")]
    pub(crate) fair: Vec<String>,
}

impl HomePromises {
    /// The options that are given, each with its values.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static str, &Vec<String>)> {
        let Self { eventually, always_eventually, leads_to, fair } = self;
        let all = [
            ("--eventually", eventually),
            ("--always-eventually", always_eventually),
            ("--leads-to", leads_to),
            ("--fair", fair),
        ];
        all.into_iter().filter(|(_, values)| !values.is_empty())
    }
}

/// What of a Home Assistant configuration is checked.
#[derive(Debug, Args)]
pub(crate) struct AssistantSettings {
    /// Check this automation, with the others that are named so, by its alias or entity; any number of times.
    #[arg(help_heading = "Home Assistant", long, value_name = "NAME")]
    pub(crate) automation: Vec<String>,
    /// Check only what is expected under this name in mazurka.yaml.
    #[arg(help_heading = "Home Assistant", long, value_name = "NAME", conflicts_with = "automation")]
    pub(crate) expectation: Option<String>,
    /// Tell nothing of this automation, by its alias or entity; may be repeated. A comment `# mazurka: ok` on a line, or
    /// on the line before, does the same for what is found there.
    #[arg(help_heading = "Home Assistant", long, value_name = "NAME")]
    pub(crate) ignore: Vec<String>,
    /// Also tell where one automation undoes what another one did because of an earlier event: most homes want that.
    #[arg(help_heading = "Home Assistant", long)]
    pub(crate) takeovers: bool,
    /// A file with accepted findings, one on each line: only what is new is told.
    #[arg(help_heading = "Home Assistant", long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) accept: Option<String>,
}

/// The environments of a smart home.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProfileChoice {
    /// Those of a real home.
    Usual,
    /// Those of the study of VMCAI 2022, where timers run at once.
    Paper,
}

impl From<ProfileChoice> for Profile {
    fn from(choice: ProfileChoice) -> Self {
        match choice {
            ProfileChoice::Usual => Profile::Usual,
            ProfileChoice::Paper => Profile::Paper,
        }
    }
}

/// A constant, and the values that it takes one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Define {
    pub(crate) name: String,
    pub(crate) values: RangeInclusive<i64>,
}

impl Define {
    /// It has more than one value.
    pub(crate) fn is_range(&self) -> bool {
        self.values.start() < self.values.end()
    }

    /// `N=2..8`
    pub(crate) fn written(&self) -> String {
        let Define { name, values } = self;
        if self.is_range() {
            format!("{name}={}..{}", values.start(), values.end())
        } else {
            format!("{name}={}", values.start())
        }
    }
}

impl Search {
    /// Refuses constants with several values.
    pub(crate) fn refuse_ranges(&self) -> Result<()> {
        match self.define.iter().find(|define| define.is_range()) {
            None => Ok(()),
            Some(define) => Err(anyhow!(
                "error: -D {}: several values\nexpected one, as in {}={}; `mazurka compare` runs them all",
                define.written(),
                define.name,
                define.values.start()
            )),
        }
    }

    /// Every combination of the values that the constants take, the last constant changing fastest.
    pub(crate) fn combinations(&self) -> Result<Vec<Vec<(String, i64)>>> {
        let count = |define: &Define| define.values.end().abs_diff(*define.values.start()).saturating_add(1);
        let points = self.define.iter().map(count).fold(1u64, u64::saturating_mul);
        if points > MOST_POINTS {
            let ranges: Vec<_> = self.define.iter().filter(|one| one.is_range()).map(Define::written).collect();
            return Err(anyhow!(
                "error: -D {}: {points} combinations of values\nexpected at most {MOST_POINTS}",
                ranges.join(" -D ")
            ));
        }
        let mut combinations = vec![Vec::new()];
        for Define { name, values } in &self.define {
            let longer = |given: Vec<(String, i64)>| {
                values.clone().map(move |value| [&given[..], &[(name.clone(), value)]].concat())
            };
            combinations = combinations.into_iter().flat_map(longer).collect();
        }
        Ok(combinations)
    }

    /// What the program is read with.
    pub(crate) fn settings(&self) -> Settings {
        Settings {
            defines: self.define.iter().map(|define| (define.name.clone(), *define.values.start())).collect(),
            home: self.home.home.clone(),
            profile: self.home.profile.into(),
            libraries: self.home.library.clone(),
            never: self.home.never.clone(),
            eventually: self.promises.eventually.clone(),
            always_eventually: self.promises.always_eventually.clone(),
            leads_to: self.promises.leads_to.clone(),
            fair: self.promises.fair.clone(),
            no_conflicts: self.home.no_conflicts,
            automations: self.assistant.automation.clone(),
            expectation: self.assistant.expectation.clone(),
            ignored: self.assistant.ignore.clone(),
            takeovers: self.assistant.takeovers,
            accepted: self.assistant.accept.clone(),
            dependence: self.dependence.clone(),
            clang: self.c.clang.clone(),
            entry: self.c.entry.clone(),
            nondet: self.c.nondet,
            compile_commands: self.c.compile_commands.clone(),
            main: self.c.main.clone(),
            uninitialized: self.c.uninitialized,
            livelock: self.c.livelock,
            all_visible: self.c.all_visible,
            arguments: self.c.arguments.iter().flat_map(|given| given.split_whitespace()).map(str::to_owned).collect(),
        }
    }

    /// The files that a program is read from, beside those that it includes.
    pub(crate) fn inputs(&self, files: &[String]) -> Vec<String> {
        files.iter().chain(&self.dependence).chain(&self.home.home).chain(&self.assistant.accept).cloned().collect()
    }

    /// What the engines are told; `cancel` stops them.
    pub(crate) fn options(&self, all: bool, cancel: mazurka::Cancel) -> Options {
        let budget = Budget {
            time: self.time_limit,
            memory: crate::console::memory_limit(self.memory_limit),
            depth: self.max_steps,
            memory_in_use: Some(crate::console::memory_in_use),
            size: None,
            cancel,
        };
        Options { budget, all, threads: self.threads, ..self.variant.options() }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
The verdict is `verified` (no order of events breaks the program), `violated`, `bounded` (a bound cut something), \
`inconclusive` (time or memory ran out, or Ctrl-C) or `unsupported` (the engine does not support this program).

Examples:
  mazurka check examples/threads/lost-update.mz
  mazurka check examples/threads/dining-philosophers.mz -D N=5 --all
  mazurka check main.c queue.c -D N=3 -- -Iinclude
  mazurka check big.mz --time-limit 10m --memory-limit 8GiB --format json
  mazurka check big.mz --format sarif=big.sarif --format junit=big.xml")]
pub(crate) struct Check {
    /// The program: a .mz file, C files (.c, preprocessed: .i, or LLVM IR: .ll), the .groovy files of a smart home's apps, the
    /// folder or .yaml files of a Home Assistant configuration, or a trace of an Android app (.txt).
    #[arg(required_unless_present = "compile_commands", value_name = "FILES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) files: Vec<String>,
    /// The algorithm. `auto` picks one and says why.
    #[arg(long, value_name = "ENGINE", default_value = "auto", value_parser = engine_or_auto(), hide_possible_values = true, long_help = engine_help())]
    pub(crate) engine: EngineChoice,
    /// Look for all violations instead of stopping at the first.
    #[arg(long)]
    pub(crate) all: bool,
    /// Save the schedule of the violation in this file, and the schedules of further ones in files beside it
    /// [default for text: NAME.schedule in the current folder].
    #[arg(long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) schedule: Option<String>,
    /// Write all findings of a Home Assistant configuration into this file, in the form that --accept reads.
    #[arg(long, value_name = "FILE", conflicts_with = "accept", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) write_accept: Option<String>,
    /// Do not save schedules.
    #[arg(long, conflicts_with = "schedule")]
    pub(crate) no_schedule: bool,
    /// Write a Python script that plays what was found in Home Assistant's own core: `python FILE`, with the package
    /// homeassistant.
    #[arg(help_heading = "Home Assistant", long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) as_test: Option<String>,
    /// End when the standard input is closed.
    #[arg(long, hide = true)]
    pub(crate) until_closed: bool,
    /// Read nothing outside of the current folder, and call no compiler.
    #[arg(long, hide = true)]
    pub(crate) confined: bool,
    /// Write a page about what was found into this file: one of those that `pairs` leads to.
    #[arg(long, hide = true, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) pair_page: Option<String>,
    /// Write a page for a browser into this folder: DIR/index.html.
    #[arg(long, value_name = "DIR", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) report: Option<String>,
    /// How to write the result: text, json, sarif, junit or html; with =FILE into a file, otherwise to standard output.
    /// May be repeated.
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = output)]
    pub(crate) format: Vec<Output>,
    #[command(flatten)]
    pub(crate) search: Search,
}

#[derive(Debug, Args)]
#[command(after_help = "\
On a terminal you walk through the schedule step by step: n goes on, b goes back, r goes to the violation, h lists all \
commands.

The program is looked for under the name in the schedule, and then in the folder of the schedule. It must not have \
changed, unless --program names it. The exit code is 1 if the violation occurs again, and 4 if it does not: other \
orders may still lead to it.

Examples:
  mazurka replay lost-update.schedule
  mazurka replay lost-update.schedule --program repaired.mz
  mazurka replay lost-update.schedule --emit-test lost-update.test.sh")]
pub(crate) struct Replay {
    /// A schedule that `mazurka check` saved.
    #[arg(value_name = "SCHEDULE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) schedule: String,
    /// Show all steps at once, even on a terminal.
    #[arg(long)]
    pub(crate) print: bool,
    /// Run it on this program, even if the program has changed.
    #[arg(long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) program: Option<String>,
    /// Write a regression test: a shell script that fails if the violation is back.
    #[arg(long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) emit_test: Option<String>,
    /// How to write the result: text or json; with =FILE into a file, otherwise to standard output. May be repeated.
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = output)]
    pub(crate) format: Vec<Output>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The page is served on this machine only, to those who have its address, until Ctrl-C. Nothing is written: a schedule that \
you save goes where your browser saves what it downloads.

The address of the page names the place where you stand, so that you can keep it. A place belongs to the program as it is; \
--at goes there again.

Examples:
  mazurka explore examples/threads/lost-update.mz
  mazurka explore lost-update.schedule
  mazurka explore examples/threads/dining-philosophers.mz -D N=3 --at 0-0.0.1")]
pub(crate) struct Explore {
    /// The program: a .mz file, C files (.c, preprocessed: .i, or LLVM IR: .ll), the .groovy files of a smart home's apps, the
    /// folder or .yaml files of a Home Assistant configuration, or a trace of an Android app (.txt). Or a schedule that
    /// `mazurka check` saved (.schedule): then the page begins at its violation.
    #[arg(required_unless_present = "compile_commands", value_name = "FILES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) files: Vec<String>,
    /// Begin at this place: what stands behind the last / of the page's address.
    #[arg(long, value_name = "PLACE")]
    pub(crate) at: Option<String>,
    /// Serve the page on this port [default: one that is free].
    #[arg(long, value_name = "PORT", default_value = "0", hide_default_value = true)]
    pub(crate) port: u16,
    /// Do not open a browser.
    #[arg(long)]
    pub(crate) no_open: bool,
    #[command(flatten)]
    pub(crate) search: Search,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Every engine looks for all violations, so that the counts can be compared. An engine that does not support the program \
says why. Without --time-limit each engine gets 10 seconds. --plain, --no-sleep, --capture and --cutoffs apply to the \
engines that have them.

A constant with a range of values makes a sweep: each value is a program of its own, and the page shows how the counts \
grow.

Examples:
  mazurka compare examples/handlers/work-pool.mz -D JOBS=3
  mazurka compare examples/handlers/work-pool.mz -D JOBS=1..4 --engine optimal,event --report growth
  mazurka compare examples/handlers/work-pool.mz -D JOBS=1..4 --format csv > growth.csv")]
pub(crate) struct Compare {
    /// The program: a .mz file, C files (.c, preprocessed: .i, or LLVM IR: .ll), the .groovy files of a smart home's apps, the
    /// folder or .yaml files of a Home Assistant configuration, or a trace of an Android app (.txt).
    #[arg(required_unless_present = "compile_commands", value_name = "FILES", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) files: Vec<String>,
    /// Only these engines.
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', value_parser = engine(), hide_possible_values = true)]
    pub(crate) engine: Vec<Engine>,
    /// Write a page with a chart for a browser into this folder: DIR/index.html.
    #[arg(long, value_name = "DIR", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) report: Option<String>,
    /// How to write the result: text, json, csv or html; with =FILE into a file, otherwise to standard output. May be
    /// repeated.
    #[arg(long, value_name = "FORMAT[=FILE]", value_parser = output)]
    pub(crate) format: Vec<Output>,
    #[command(flatten)]
    pub(crate) search: Search,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each program is made from a number. A program on which engines disagree is reduced to a few lines and shown with its \
number, so that it can be made again.

Examples:
  mazurka agree --seconds 120
  mazurka agree --programs 1000 --seed 42 --engine enumerate")]
pub(crate) struct Agree {
    /// Run for this long [default: 10 seconds, unless --programs is given].
    #[arg(long, value_name = "N", value_parser = whole_number)]
    pub(crate) seconds: Option<u64>,
    /// Stop after this many programs.
    #[arg(long, value_name = "N", value_parser = whole_number)]
    pub(crate) programs: Option<u64>,
    /// The number of the first program [default: from the clock].
    #[arg(long, value_name = "N", value_parser = whole_number)]
    pub(crate) seed: Option<u64>,
    /// Compare only these engines with `exhaustive`.
    #[arg(long, value_name = "ENGINE", value_delimiter = ',', value_parser = engine(), hide_possible_values = true)]
    pub(crate) engine: Vec<Engine>,
    /// Instead, ask random programs what has to happen in the end, and compare the answers with those of naive searches.
    #[arg(long, conflicts_with_all = ["engine", "races", "plain", "as_published", "no_sleep", "capture", "cutoffs"])]
    pub(crate) liveness: bool,
    #[command(flatten)]
    pub(crate) variant: Variant,
    /// Show no progress.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each pair is checked by its own process, on all cores. Results are kept in a file: the same command continues where \
it was stopped, and checks again only what has changed. The exit code is 1 if any pair is violated, and 0 if all are \
verified or accepted.

The rows of a Home Assistant configuration are its slices: automations that set the same thing, set each other off, or \
wait.

Examples:
  mazurka pairs examples/smart-home --report matrix
  mazurka pairs apps --list pairs.txt --time-limit 2m --format csv > table.csv
  mazurka pairs apps --write-accept accepted.txt; mazurka pairs apps --accept accepted.txt
  mazurka pairs programs --of 1 --store postgres://mazurka@server/mazurka")]
pub(crate) struct Pairs {
    /// Apps (.groovy), and folders with apps in them; or the folder of a Home Assistant configuration; with --of 1 any
    /// programs, and folders with programs in them.
    #[arg(required = true, value_name = "FILES|DIR", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) files: Vec<String>,
    /// Check all sets of this many apps: 2 is pairs, 3 is triples. With 1 each program in a folder is checked by itself,
    /// whatever kind it is of [default: 2].
    #[arg(long, value_name = "N", value_parser = value_parser!(u8).range(1..=3))]
    pub(crate) of: Option<u8>,
    /// Check only the pairs in this file: two apps on each line, separated by a comma.
    #[arg(long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) list: Option<String>,
    /// The algorithm [default: stateful; exhaustive where something has to happen in the end; for Home Assistant the one
    /// that suits the slice].
    #[arg(long, value_name = "ENGINE", value_parser = engine(), hide_possible_values = true)]
    pub(crate) engine: Option<Engine>,
    /// Stop each pair at its first violation.
    #[arg(long)]
    pub(crate) first: bool,
    /// Stop a pair after this time [default: 30s; a slice of Home Assistant: 2s].
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time_limit: Option<Duration>,
    /// Stop a pair when it uses this much memory.
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = size)]
    pub(crate) memory_limit: u64,
    /// Check this many pairs at a time [default: one for each core].
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true, value_parser = thread_count)]
    pub(crate) jobs: usize,
    /// Keep the results in this file; or in a PostgreSQL database, as in postgres://user@host/database, where `mazurka work`
    /// on other machines helps.
    #[arg(long, value_name = "FILE|ADDRESS", value_parser = NonEmptyStringValueParser::new(), default_value = "pairs.store")]
    pub(crate) store: String,
    /// Only look on while others work at the database, and print the table in the end.
    #[arg(long, conflicts_with_all = ["fresh", "no_store", "jobs"])]
    pub(crate) watch: bool,
    /// Do not keep results.
    #[arg(long, conflicts_with_all = ["store", "fresh"])]
    pub(crate) no_store: bool,
    /// Check all pairs again, even those whose results were kept.
    #[arg(long)]
    pub(crate) fresh: bool,
    /// A file with accepted findings, one on each line: they are counted, and do not make the exit code 1.
    #[arg(long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) accept: Option<String>,
    /// Write all findings into this file, in the form that --accept reads.
    #[arg(long, value_name = "FILE", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) write_accept: Option<String>,
    /// Write pages for a browser into this folder: DIR/index.html with a table of the apps, and a page for each pair with
    /// findings.
    #[arg(long, value_name = "DIR", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) report: Option<String>,
    #[command(flatten)]
    pub(crate) home: HomeSettings,
    #[command(flatten)]
    pub(crate) promises: HomePromises,
    /// Run the algorithm as published, without the optimisations that Mazurka adds.
    #[arg(long)]
    pub(crate) plain: bool,
    /// How to write the table.
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub(crate) format: TableFormat,
    /// Show no progress.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each app is read, installed in a home of its own, and run. The stage is `ran` if Mazurka could follow all that its \
handlers do; otherwise the first thing that it could not follow is shown with its place. The exit code is 0 if all \
apps ran, 4 after Ctrl-C, and 5 otherwise.")]
pub(crate) struct Apps {
    /// Apps (.groovy), and folders with apps in them; or the folder of a Home Assistant configuration.
    #[arg(required = true, value_name = "FILES|DIR", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) files: Vec<String>,
    /// Stop an app after this time.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = duration)]
    pub(crate) time_limit: Duration,
    /// Which events and values the home's environment has.
    #[arg(long, value_enum, default_value_t = ProfileChoice::Usual)]
    pub(crate) profile: ProfileChoice,
    /// How to write the table.
    #[arg(long, value_enum, default_value_t = ListFormat::Text)]
    pub(crate) format: ListFormat,
    /// Show no progress.
    #[arg(short, long)]
    pub(crate) quiet: bool,
    /// Look for the libraries that Hubitat apps include in this folder, too; may be repeated.
    #[arg(long, value_name = "DIR", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) library: Vec<String>,
    /// Look at the apps in this process, and end when the standard input is closed.
    #[arg(long, hide = true)]
    pub(crate) until_closed: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HomeCommand {
    #[command(subcommand)]
    pub(crate) task: HomeTask,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HomeTask {
    /// Write a home.toml with the devices that the apps ask for and the values of their other inputs.
    Init(HomeInit),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Without a home.toml, each capability is one device that all apps share. The file says just that, so nothing changes until \
you change it.

Example:
  mazurka home init examples/smart-home/fire-alarm.groovy examples/smart-home/lock-when-away.groovy")]
pub(crate) struct HomeInit {
    /// Apps (.groovy), and folders with apps in them.
    #[arg(required = true, value_name = "FILES|DIR", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) files: Vec<String>,
    /// The file to write, which must not be there yet; `-` stands for standard output.
    #[arg(long, value_name = "FILE", default_value = "home.toml", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) output: String,
    /// Look for the libraries that Hubitat apps include in this folder, too; may be repeated.
    #[arg(long, value_name = "DIR", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) library: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Needs no files: what a job reads comes from the database. A job may only check a program; it reads no file of this machine. \
The password of the database is taken from the environment variable PGPASSWORD. Ctrl-C ends the work: jobs that are not \
done are free for others at once.

Example:
  mazurka work postgres://mazurka@server/mazurka")]
pub(crate) struct Work {
    /// The database, as in postgres://user@host/database.
    #[arg(value_name = "ADDRESS", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) address: String,
    /// Run this many jobs at a time [default: one for each core].
    #[arg(long, value_name = "N", default_value = "0", hide_default_value = true, value_parser = thread_count)]
    pub(crate) jobs: usize,
    /// End when all jobs are done, instead of waiting for more.
    #[arg(long)]
    pub(crate) until_done: bool,
    /// Say nothing but what goes wrong.
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  mazurka completions bash > ~/.local/share/bash-completion/completions/mazurka
  mazurka completions zsh > ~/.zfunc/_mazurka
  mazurka completions fish > ~/.config/fish/completions/mazurka.fish")]
pub(crate) struct Completions {
    /// The shell.
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  mazurka man ~/.local/share/man/man1; man mazurka-check")]
pub(crate) struct Man {
    /// The folder, which must be there: a page for the command, and one for each of its subcommands.
    #[arg(value_name = "DIR", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) folder: String,
}

/// How a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people.
    Text,
    /// For machines: one JSON object.
    Json,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableFormat {
    /// For people.
    Text,
    /// A line for each pair, with commas between the columns.
    Csv,
    /// For machines: one JSON object.
    Json,
}

/// An engine, or the one that suits the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EngineChoice {
    Auto,
    Engine(Engine),
}

fn engine_help() -> String {
    let mut help = "The algorithm:\n  auto         the engine that suits the program\n".to_owned();
    for engine in Engine::ALL {
        help += &format!("  {:<12} {}\n", engine.name(), engine.summary().trim_end_matches('.'));
    }
    help
}

/// An engine by its name. A name that looks like another one is answered with that.
fn engine() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(Engine::ALL.iter().map(|engine| engine.name()))
        .try_map(|name| Engine::by_name(&name).ok_or("expected the name of an engine"))
}

fn engine_or_auto() -> impl TypedValueParser<Value = EngineChoice> {
    let names = [AUTO].into_iter().chain(Engine::ALL.iter().map(|engine| engine.name()));
    PossibleValuesParser::new(names).map(|name| Engine::by_name(&name).map_or(EngineChoice::Auto, EngineChoice::Engine))
}

/// The name of the choice that is left to the program.
const AUTO: &str = "auto";

fn output(text: &str) -> Result<Output, String> {
    Output::parse(text).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
        format!("expected one of {}, alone or with =FILE, as in json=report.json", names.join(", "))
    })
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

fn size(text: &str) -> Result<u64, String> {
    parse_size(text).map_err(|error| error.to_string())
}

fn whole_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number".to_owned())
}

fn thread_count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if threads <= MOST_THREADS => Ok(threads),
        _ => Err(format!("expected a number from 1 to {MOST_THREADS}, or 0 for all cores")),
    }
}

fn define(text: &str) -> Result<Define, String> {
    let expected = "expected NAME=VALUE with a whole number, as in N=5";
    let (name, value) = text.split_once('=').ok_or(expected)?;
    let values = if value.contains("..") {
        let (from, to) = parse_range(value)?;
        from..=to
    } else {
        let value = value.trim().parse().map_err(|_| expected)?;
        value..=value
    };
    Ok(Define { name: name.trim().to_owned(), values })
}
