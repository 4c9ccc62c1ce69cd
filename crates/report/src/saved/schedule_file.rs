//! Saved schedules: a text that a person can read and edit.
//!
//! ```text
//! mazurka schedule 1
//! program examples/fig1.mz
//! source 5e1b9a3c7d204f8e9a6b0c1d2e3f4a5b
//! define N=3
//! engine stateful
//! violation assertion assertion failed: r1 == 0
//! at examples/fig1.mz:14
//! start 0
//! step T3
//! step T1 outcome 2
//! end
//! ```
//!
//! One line says one thing. `program` may stand several times, `define` and `at` may be absent, empty lines and lines
//! that begin with `#` are passed over. Where an execution has no end, a line `loop` stands before the first of the steps
//! that are repeated for ever, or behind the last step if the program stands still there; `loop strong` says that every
//! actor which is treated fairly at all is treated strongly so. Actors stand there by name, since names do not depend on the schedule. The last
//! line tells a whole file from one that was cut short. Within a name or a message, `\n`, `\r`, `\t`, `\s` (a space
//! at either end) and `\\` stand for what would tear the line, and `\u{1b}` for what would steer a terminal.

use crate::layout::excerpt;
use crate::terminal::{name, push_visible, steers};
use mazurka_core::{
    Fairness, Fingerprint, Found, Lasso, Machine, Move, Outcome, Schedule, Stepper, System, ViolationKind,
};
use std::fmt;

const FIRST_LINE: &str = "mazurka schedule 1";
const ANY_VERSION: &str = "mazurka schedule ";

/// Whether a file with this beginning may be replaced by a schedule: it is one, or what is left of one that was cut
/// short, be it nothing at all.
pub fn may_be_replaced(beginning: &[u8]) -> bool {
    let shown = ANY_VERSION.as_bytes();
    beginning.starts_with(shown) || shown.starts_with(beginning)
}

/// A schedule with what is needed to run it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduleFile {
    /// The files of the program, as the user named them.
    pub programs: Vec<String>,
    /// A fingerprint of their contents, to notice that they have changed.
    pub source: Fingerprint,
    /// The constants that were set, by name.
    pub defines: Vec<(String, String)>,
    /// The engine that found the schedule.
    pub engine: String,
    /// What kind of violation it leads to.
    pub kind: ViolationKind,
    /// The violation's message.
    pub message: String,
    /// The violation's place.
    pub at: Option<Place>,
    /// Which of the initial states it begins in.
    pub start: usize,
    /// The actors that move, one after the other.
    pub steps: Vec<SavedStep>,
    /// Where the steps are repeated from, in an execution without end.
    pub lasso: Option<SavedLoop>,
}

/// Where the loop of an execution without end begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedLoop {
    /// After how many steps.
    pub from: usize,
    /// How actors are treated that are treated fairly at all, if not as the program says.
    pub fairness: Option<Fairness>,
}

/// A line of a source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
}

/// One move of a saved schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedStep {
    /// The name of the actor that moves.
    pub actor: String,
    /// Which outcome it takes where it has a choice.
    pub outcome: Outcome,
}

/// Why a text is not a saved schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// A line says something else than it should.
    #[error("{}:{line}: expected {expected}, found `{found}`", name(.file))]
    Malformed {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What stands there.
        found: String,
        /// What should stand there.
        expected: String,
    },
    /// A line says again what may be said once.
    #[error("{}:{line}: there is a second line `{keyword}`, expected only one", name(.file))]
    Repeated {
        /// The file's name.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The line's first word.
        keyword: &'static str,
    },
    /// A line is missing.
    #[error("{}:{line}: the schedule ends without a line `{keyword}`", name(.file))]
    Missing {
        /// The file's name.
        file: String,
        /// The line of `end`, from 1.
        line: usize,
        /// The missing line's first word.
        keyword: &'static str,
    },
    /// The file ends too early.
    #[error("{}:{line}: the file is cut short: expected a last line `end`, found the end of the file", name(.file))]
    CutShort {
        /// The file's name.
        file: String,
        /// The last line that is there, from 1.
        line: usize,
    },
    /// The file was written by another version.
    #[error("{}:1: schedules of version `{found}` are unknown here, expected `{FIRST_LINE}`", name(.file))]
    UnknownVersion {
        /// The file's name.
        file: String,
        /// The version it states.
        found: String,
    },
}

/// Why a program does not follow a saved schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The program has fewer initial states.
    #[error("the schedule begins in initial state {start}, but the program has only {states}")]
    NoSuchStart {
        /// Which initial state the schedule names, from 0.
        start: usize,
        /// How many there are.
        states: usize,
    },
    /// The actor cannot move there, or there is none of that name.
    #[error("step {step}: `{}` cannot move here; {}", name(.actor), can_move(.able))]
    CannotMove {
        /// The step's number, from 1.
        step: usize,
        /// The actor's name.
        actor: String,
        /// The names of those that can.
        able: Vec<String>,
    },
    /// The actor can move, but not in that way.
    #[error("step {step}: `{}` has no outcome {} here", name(.actor), .outcome.0)]
    NoSuchOutcome {
        /// The step's number, from 1.
        step: usize,
        /// The actor's name.
        actor: String,
        /// The outcome that the schedule names.
        outcome: Outcome,
    },
}

fn can_move(able: &[String]) -> String {
    const MOST: usize = 8;
    let named: Vec<_> = able.iter().take(MOST).map(|able| format!("`{}`", name(able))).collect();
    match able.len() {
        0 => "no actor can".to_owned(),
        all if all <= MOST => format!("these can: {}", named.join(", ")),
        all => format!("these can: {} and {} more", named.join(", "), all - MOST),
    }
}

impl ScheduleFile {
    /// What to save of a violation that an engine found.
    pub fn record<S: System>(
        system: &S,
        found: &Found,
        engine: &str,
        programs: Vec<String>,
        source: Fingerprint,
        defines: Vec<(String, String)>,
    ) -> Self {
        let saved = |step: &Move| SavedStep { actor: system.narrator().actor_name(step.actor), outcome: step.outcome };
        let place = found.violation.location.as_ref();
        ScheduleFile {
            programs,
            source,
            defines,
            engine: engine.to_owned(),
            kind: found.violation.kind,
            message: found.violation.message.clone(),
            at: place.map(|location| Place { file: location.file.to_string(), line: location.line }),
            start: found.schedule.start,
            steps: found.schedule.moves.iter().map(saved).collect(),
            lasso: found.schedule.lasso.as_ref().map(|lasso| SavedLoop { from: lasso.from, fairness: lasso.fairness }),
        }
    }

    /// The schedule for a program: finds the actors by their names, step by step among those that can move.
    pub fn resolve<S: System>(&self, system: &S) -> Result<Schedule, ReplayError> {
        let mut states = system.initial_states();
        if self.start >= states.len() {
            return Err(ReplayError::NoSuchStart { start: self.start, states: states.len() });
        }
        let mut stepper = Stepper::new(system, states.swap_remove(self.start));
        let mut moves = Vec::with_capacity(self.steps.len());
        for (index, SavedStep { actor, outcome }) in self.steps.iter().enumerate() {
            let step = index + 1;
            let able = stepper.enabled();
            let Some(&id) = able.iter().find(|&&id| system.narrator().actor_name(id) == *actor) else {
                let able = able.iter().map(|&id| system.narrator().actor_name(id)).collect();
                return Err(ReplayError::CannotMove { step, actor: actor.clone(), able });
            };
            let next = Move { actor: id, outcome: *outcome };
            if stepper.try_step(next).is_none() {
                return Err(ReplayError::NoSuchOutcome { step, actor: actor.clone(), outcome: *outcome });
            }
            moves.push(next);
        }
        let lasso = self.lasso.as_ref().map(|of| Lasso { from: of.from, fairness: of.fairness, remedy: None });
        Ok(Schedule { start: self.start, moves, lasso })
    }

    /// Reads a saved schedule. The name is for error messages.
    pub fn parse(file_name: &str, text: &str) -> Result<ScheduleFile, ScheduleError> {
        let mut parser = Parser { file: file_name, line: 0, parts: Parts::default() };
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.split('\n').map(|line| line.trim_matches([' ', '\t', '\r'])).peekable();
        let cut_short = |line| ScheduleError::CutShort { file: file_name.to_owned(), line };
        parser.line = 1;
        parser.first_line(lines.next().unwrap_or_default(), text)?;
        let mut ended = None;
        while let Some(line) = lines.next() {
            parser.line += 1;
            let is_last = lines.peek().is_none();
            if line.is_empty() || line.starts_with('#') {
                continue;
            } else if ended.is_some() {
                return Err(parser.malformed(line, "nothing after the line `end`"));
            } else if line == "end" {
                ended = Some(parser.line);
            } else {
                // A last line that makes no sense is the rest of one that did.
                parser.line(line).map_err(|error| if is_last { cut_short(parser.line) } else { error })?;
            }
        }
        match ended {
            Some(line) => Parser { line, ..parser }.finish(),
            None => Err(cut_short(text.lines().count().max(1))),
        }
    }
}

impl fmt::Display for ScheduleFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{FIRST_LINE}")?;
        for program in &self.programs {
            writeln!(f, "program {}", escape(program))?;
        }
        writeln!(f, "source {:032x}", self.source.0)?;
        for (name, value) in &self.defines {
            writeln!(f, "define {}", escape(&format!("{name}={value}")))?;
        }
        writeln!(f, "engine {}", escape(&self.engine))?;
        let gap = if self.message.is_empty() { "" } else { " " };
        writeln!(f, "violation {}{gap}{}", self.kind.name(), escape(&self.message))?;
        if let Some(Place { file, line }) = &self.at {
            writeln!(f, "at {}:{line}", escape(file))?;
        }
        writeln!(f, "start {}", self.start)?;
        let begins = |at: usize| self.lasso.as_ref().filter(|lasso| lasso.from == at);
        for (at, SavedStep { actor, outcome }) in self.steps.iter().enumerate() {
            begins(at).map_or(Ok(()), |lasso| lasso.fmt(f))?;
            let actor = escape(actor);
            // A name that looks as if it had an outcome is never written without one.
            if *outcome == Outcome::FIRST && split_outcome(&actor).1.is_none() {
                writeln!(f, "step {actor}")?;
            } else {
                writeln!(f, "step {actor} outcome {}", outcome.0)?;
            }
        }
        begins(self.steps.len()).map_or(Ok(()), |lasso| lasso.fmt(f))?;
        writeln!(f, "end")
    }
}

impl fmt::Display for SavedLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fairness {
            None => writeln!(f, "loop"),
            Some(fairness) => writeln!(f, "loop {}", fairness.name()),
        }
    }
}

/// What has been read so far.
#[derive(Default)]
struct Parts {
    programs: Vec<String>,
    source: Option<Fingerprint>,
    defines: Vec<(String, String)>,
    engine: Option<String>,
    violation: Option<(ViolationKind, String)>,
    at: Option<Place>,
    start: Option<usize>,
    steps: Vec<SavedStep>,
    lasso: Option<SavedLoop>,
}

struct Parser<'a> {
    file: &'a str,
    line: usize,
    parts: Parts,
}

impl Parser<'_> {
    fn first_line(&self, line: &str, text: &str) -> Result<(), ScheduleError> {
        if line == FIRST_LINE {
            return Ok(());
        }
        if FIRST_LINE.starts_with(line) && !text.contains('\n') {
            return Err(ScheduleError::CutShort { file: self.file.to_owned(), line: 1 });
        }
        match line.strip_prefix(ANY_VERSION) {
            Some(version) => Err(ScheduleError::UnknownVersion { file: self.file.to_owned(), found: excerpt(version) }),
            None => Err(self.malformed(line, &format!("a first line `{FIRST_LINE}`"))),
        }
    }

    fn line(&mut self, line: &str) -> Result<(), ScheduleError> {
        let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim_start_matches([' ', '\t']);
        match keyword {
            "program" => {
                let program = self.words(line, rest, "`program` and a file name")?;
                self.parts.programs.push(program);
            }
            "source" => {
                let digits = (rest.len() <= 32).then(|| u128::from_str_radix(rest, 16).ok()).flatten();
                let source = digits.filter(|_| rest.chars().all(|c| c.is_ascii_hexdigit())).map(Fingerprint);
                let source = source.ok_or_else(|| self.malformed(line, "`source` and up to 32 hexadecimal digits"))?;
                self.once("source", |parts| &mut parts.source, source)?;
            }
            "define" => {
                let define = self.words(line, rest, "`define NAME=VALUE`")?;
                let define = define.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned()));
                let define = define.ok_or_else(|| self.malformed(line, "`define NAME=VALUE`"))?;
                self.parts.defines.push(define);
            }
            "engine" => {
                let engine = self.words(line, rest, "`engine` and its name")?;
                self.once("engine", |parts| &mut parts.engine, engine)?;
            }
            "violation" => {
                let violation = self.violation(line, rest)?;
                self.once("violation", |parts| &mut parts.violation, violation)?;
            }
            "at" => {
                let place = self.place(line, rest)?;
                self.once("at", |parts| &mut parts.at, place)?;
            }
            "start" => {
                let start = rest.parse().map_err(|_| self.malformed(line, "`start` and a number"))?;
                self.once("start", |parts| &mut parts.start, start)?;
            }
            "step" => {
                let (actor, outcome) = split_outcome(rest);
                let actor = self.words(line, actor, "`step ACTOR` or `step ACTOR outcome NUMBER`")?;
                self.parts.steps.push(SavedStep { actor, outcome: outcome.unwrap_or(Outcome::FIRST) });
            }
            "loop" => {
                let fairness = match rest {
                    "" => None,
                    _ => Some(
                        Fairness::by_name(rest)
                            .ok_or_else(|| self.malformed(line, "`loop`, `loop none`, `loop weak` or `loop strong`"))?,
                    ),
                };
                let from = self.parts.steps.len();
                self.once("loop", |parts| &mut parts.lasso, SavedLoop { from, fairness })?;
            }
            _ => {
                let expected =
                    "`program`, `source`, `define`, `engine`, `violation`, `at`, `start`, `step`, `loop` or `end`";
                return Err(self.malformed(line, expected));
            }
        }
        Ok(())
    }

    fn violation(&self, line: &str, rest: &str) -> Result<(ViolationKind, String), ScheduleError> {
        let (kind, message) = rest.split_once(' ').unwrap_or((rest, ""));
        let expected = "`violation` and a kind (assertion, invariant, deadlock, livelock, liveness, crash, conflict, \
                        cascade, race, unsupported)";
        let kind = ViolationKind::by_name(kind).ok_or_else(|| self.malformed(line, expected))?;
        let message = unescape(message).ok_or_else(|| self.bad_escape(line))?;
        Ok((kind, message))
    }

    fn place(&self, line: &str, rest: &str) -> Result<Place, ScheduleError> {
        let expected = "`at FILE:LINE`";
        let (file, number) = rest.rsplit_once(':').ok_or_else(|| self.malformed(line, expected))?;
        let number = number.parse().map_err(|_| self.malformed(line, expected))?;
        Ok(Place { file: self.words(line, file, expected)?, line: number })
    }

    /// What follows a keyword, which must not be empty.
    fn words(&self, line: &str, rest: &str, expected: &str) -> Result<String, ScheduleError> {
        if rest.is_empty() {
            return Err(self.malformed(line, expected));
        }
        unescape(rest).ok_or_else(|| self.bad_escape(line))
    }

    fn once<T>(
        &mut self,
        keyword: &'static str,
        part: impl FnOnce(&mut Parts) -> &mut Option<T>,
        value: T,
    ) -> Result<(), ScheduleError> {
        match part(&mut self.parts).replace(value) {
            None => Ok(()),
            Some(_) => Err(ScheduleError::Repeated { file: self.file.to_owned(), line: self.line, keyword }),
        }
    }

    fn finish(self) -> Result<ScheduleFile, ScheduleError> {
        let missing = |keyword| ScheduleError::Missing { file: self.file.to_owned(), line: self.line, keyword };
        if self.parts.programs.is_empty() {
            return Err(missing("program"));
        }
        let (kind, message) = self.parts.violation.ok_or_else(|| missing("violation"))?;
        Ok(ScheduleFile {
            source: self.parts.source.ok_or_else(|| missing("source"))?,
            engine: self.parts.engine.ok_or_else(|| missing("engine"))?,
            start: self.parts.start.ok_or_else(|| missing("start"))?,
            programs: self.parts.programs,
            defines: self.parts.defines,
            kind,
            message,
            at: self.parts.at,
            steps: self.parts.steps,
            lasso: self.parts.lasso,
        })
    }

    fn bad_escape(&self, line: &str) -> ScheduleError {
        self.malformed(line, r"one of `\n`, `\r`, `\t`, `\s`, `\u{HEX}`, `\\` wherever there is a `\`")
    }

    fn malformed(&self, found: &str, expected: &str) -> ScheduleError {
        let (file, expected) = (self.file.to_owned(), expected.to_owned());
        ScheduleError::Malformed { file, line: self.line, found: excerpt(found), expected }
    }
}

/// Takes ` outcome K` from the end of a step.
fn split_outcome(step: &str) -> (&str, Option<Outcome>) {
    let split = step.rsplit_once(' ').and_then(|(before, number)| {
        let actor = before.strip_suffix("outcome")?.strip_suffix(' ')?;
        let number = number.parse().ok().filter(|_| number.bytes().all(|b| b.is_ascii_digit()))?;
        Some((actor.trim_end_matches([' ', '\t']), Outcome(number)))
    });
    match split {
        Some((actor, outcome)) => (actor, Some(outcome)),
        None => (step, None),
    }
}

/// Writes a text so that it stays on its line and keeps its ends.
fn escape(text: &str) -> String {
    let last = text.chars().count().saturating_sub(1);
    let mut escaped = String::with_capacity(text.len());
    for (index, character) in text.chars().enumerate() {
        match character {
            '\\' => escaped.push_str(r"\\"),
            '\n' => escaped.push_str(r"\n"),
            '\r' => escaped.push_str(r"\r"),
            '\t' => escaped.push_str(r"\t"),
            ' ' if index == 0 || index == last => escaped.push_str(r"\s"),
            _ => push_visible(&mut escaped, character, !steers(character)),
        }
    }
    escaped
}

fn unescape(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '\\' => match characters.next()? {
                '\\' => '\\',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                's' => ' ',
                'u' => {
                    let (digits, rest) = characters.as_str().strip_prefix('{')?.split_once('}')?;
                    characters = rest.chars();
                    char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
                }
                _ => return None,
            },
            _ => character,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::example::Threads;
    use proptest::prelude::*;

    fn three_threads() -> ScheduleFile {
        let threads = Threads::three();
        let defines = vec![("N".to_owned(), "3".to_owned())];
        let source = Fingerprint(0x5e1b);
        ScheduleFile::record(
            &threads,
            &threads.found(&[2, 2, 0, 0]),
            "stateful",
            vec!["three.mz".to_owned()],
            source,
            defines,
        )
    }

    #[test]
    fn a_schedule_is_saved_as_a_person_would_write_it() {
        insta::assert_snapshot!(three_threads().to_string(), @"
        mazurka schedule 1
        program three.mz
        source 00000000000000000000000000005e1b
        define N=3
        engine stateful
        violation assertion assertion failed: r1 == 0
        at three.mz:2
        start 0
        step T3
        step T3
        step T1
        step T1
        end
        ");
    }

    #[test]
    fn a_saved_schedule_leads_to_the_same_moves() {
        let threads = Threads::three();
        assert_eq!(three_threads().resolve(&threads), Ok(threads.found(&[2, 2, 0, 0]).schedule));
    }

    #[test]
    fn a_program_that_does_not_follow_is_told_where_and_who_could_move() {
        let changed = |change: fn(&mut ScheduleFile)| {
            let mut file = three_threads();
            change(&mut file);
            file.resolve(&Threads::three()).unwrap_err().to_string()
        };
        assert_eq!(
            changed(|file| file.steps[2].actor = "T4".to_owned()),
            "step 3: `T4` cannot move here; these can: `T1`, `T2`"
        );
        assert_eq!(changed(|file| file.steps[3].outcome = Outcome(5)), "step 4: `T1` has no outcome 5 here");
        assert_eq!(
            changed(|file| file.start = 1),
            "the schedule begins in initial state 1, but the program has only 1"
        );
    }

    #[test]
    fn lines_may_end_as_on_windows_and_comments_are_passed_over() {
        let text =
            format!("\u{feff}{}", three_threads()).replace('\n', "\r\n").replace("step T1", "# now\r\n\r\nstep T1 ");
        assert_eq!(ScheduleFile::parse("three.schedule", &text), Ok(three_threads()));
        assert_eq!(ScheduleFile::parse("three.schedule", text.trim_end()), Ok(three_threads()));
    }

    #[test]
    fn errors_name_the_line_what_is_there_and_what_was_expected() {
        let error = |from: &str, to: &str| {
            let text = three_threads().to_string().replacen(from, to, 1);
            ScheduleFile::parse("three.schedule", &text).unwrap_err().to_string()
        };
        let errors = [
            error("mazurka schedule 1", "mazurka schedule 2"),
            error("mazurka schedule 1", "#!/bin/sh"),
            error("source", "sauce"),
            error("5e1b", "xyz"),
            error("violation assertion", "violation of taste"),
            error("start 0", "start zero"),
            error("start 0\n", ""),
            error("start 0", "start 0\nstart 1"),
            error("step T3", "step"),
            error("step T3", r"step T\3"),
            error("at three.mz:2", "at three.mz"),
            error("define N=3", "define N"),
            error("end", "end\nstep T1"),
            error("end\n", ""),
        ];
        insta::assert_snapshot!(errors.join("\n"), @r"
        three.schedule:1: schedules of version `2` are unknown here, expected `mazurka schedule 1`
        three.schedule:1: expected a first line `mazurka schedule 1`, found `#!/bin/sh`
        three.schedule:3: expected `program`, `source`, `define`, `engine`, `violation`, `at`, `start`, `step`, `loop` or `end`, found `sauce 00000000000000000000000000005e1b`
        three.schedule:3: expected `source` and up to 32 hexadecimal digits, found `source 0000000000000000000000000000xyz`
        three.schedule:6: expected `violation` and a kind (assertion, invariant, deadlock, livelock, liveness, crash, conflict, cascade, race, unsupported), found `violation of taste assertion failed: r1 == 0`
        three.schedule:8: expected `start` and a number, found `start zero`
        three.schedule:12: the schedule ends without a line `start`
        three.schedule:9: there is a second line `start`, expected only one
        three.schedule:9: expected `step ACTOR` or `step ACTOR outcome NUMBER`, found `step`
        three.schedule:9: expected one of `\n`, `\r`, `\t`, `\s`, `\u{HEX}`, `\\` wherever there is a `\`, found `step T\3`
        three.schedule:7: expected `at FILE:LINE`, found `at three.mz`
        three.schedule:4: expected `define NAME=VALUE`, found `define N`
        three.schedule:14: expected nothing after the line `end`, found `step T1`
        three.schedule:12: the file is cut short: expected a last line `end`, found the end of the file
        ");
    }

    #[test]
    fn every_file_that_was_cut_short_is_an_error() {
        let text = three_threads().to_string();
        let whole = text.trim_end().len();
        for length in 0..whole {
            let error = ScheduleFile::parse("three.schedule", &text[..length]).unwrap_err();
            assert!(error.to_string().contains("cut short"), "{error}");
        }
    }

    prop_compose! {
        fn any_file()(
            programs in prop::collection::vec(".+", 1..3),
            source in any::<u128>(),
            defines in prop::collection::vec(("[A-Za-z_]+", ".*"), 0..3),
            engine in "[a-z-]+",
            message in r"(.|\n|\r)*",
            at in prop::option::of((".+", any::<u32>())),
            start in any::<usize>(),
            steps in prop::collection::vec((r"([a-z/\[\] \\]|\t|\n|.)+|T1 outcome [0-9]+", 0..3u64), 0..6),
            lasso in prop::option::of((any::<prop::sample::Index>(), 0..4usize)),
        ) -> ScheduleFile {
            let lasso = lasso.map(|(from, fairness)| SavedLoop {
                from: from.index(steps.len() + 1),
                fairness: Fairness::ALL.get(fairness).copied(),
            });
            ScheduleFile {
                programs,
                source: Fingerprint(source),
                defines,
                engine,
                kind: ViolationKind::Crash,
                message,
                at: at.map(|(file, line)| Place { file, line }),
                start,
                steps: steps.into_iter().map(|(actor, outcome)| SavedStep { actor, outcome: Outcome(outcome) }).collect(),
                lasso,
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_saved_is_what_is_read(file in any_file()) {
            prop_assert_eq!(ScheduleFile::parse("any.schedule", &file.to_string()), Ok(file));
        }

        #[test]
        fn every_cut_of_any_file_is_an_error(file in any_file(), place in any::<prop::sample::Index>()) {
            let text = file.to_string();
            let mut length = place.index(text.trim_end().len());
            while !text.is_char_boundary(length) {
                length -= 1;
            }
            prop_assert!(ScheduleFile::parse("any.schedule", &text[..length]).is_err());
        }

        #[test]
        fn no_text_panics(text in r"(mazurka schedule 1\n)?((step|at|source|violation|start|loop|end|define) .*\n)*(.|\n)*") {
            let _ = ScheduleFile::parse("any.schedule", &text);
        }
    }
}
