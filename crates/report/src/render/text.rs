//! Reports that a person reads.
//!
//! ```text
//! VIOLATION  assertion failed: r1 == 0                                  fig1.mz:14
//!   why      T3 incremented x before T1 read it; nothing orders the two
//!   race     T3  x++  (fig1.mz:13)   with   T1  x++  (fig1.mz:4)
//!
//!   step  T3                    T1
//!   1     r3 = z
//!   2     x++      x: 0 → 1
//!   3                           x++              x: 1 → 2
//!   4                           assert r1 == 0   ✗   r1 = 1
//!   shortened from 9 steps and 5 switches to 4 steps and 1 switch
//!
//!   replay   mazurka replay fig1.schedule
//! VERDICT  violated   stateful: 6 states, 9 transitions, 1 violation, 0.4 ms
//! ```

use crate::format::{count, counted, duration};
use crate::groups::by_race;
use crate::layout::{Paint, one_line, pad, shell_word, width, wrap, wrap_whole};
use crate::waits::cycle_of_names;
use crate::{Picked, Report, Side, Story, Vacuity, Wait, meaning, table};
use mazurka_core::{Counter, Location, Value, Verdict};

/// How a report in text looks.
#[derive(Clone, Copy, Debug)]
pub struct TextOptions {
    /// How many characters fit on a line.
    pub width: usize,
    /// Whether to use colours.
    pub colour: bool,
    /// How many steps of a schedule are shown; of a longer one, the beginning and the end.
    pub max_rows: usize,
    /// Whether all counters are shown, or only those of the summary.
    pub details: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        TextOptions { width: USUAL_WIDTH, colour: false, max_rows: 200, details: false }
    }
}

/// The counters of the summary; the others are details.
const SUMMARY: [Counter; 7] = [
    Counter::Executions,
    Counter::Traces,
    Counter::States,
    Counter::Transitions,
    Counter::Events,
    Counter::Configurations,
    Counter::AssumeBlocked,
];

/// The whole report: each violation, those of one race together, then the verdict and what it means.
pub fn report(report: &Report<'_>, options: &TextOptions) -> String {
    let mut text = String::new();
    for (index, group) in by_race(report.stories).into_iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let mut members = group.into_iter().map(|member| &report.stories[member]);
        text.extend(members.next().map(|told| story(told, options)));
        text.push_str(&same_race(members, options));
    }
    let untold = report.exploration.violations.len().saturating_sub(report.stories.len());
    if untold > 0 && !report.stories.is_empty() {
        let more = count(untold as u64, "more violation is", "more violations are");
        text.push_str(&format!("\n{more} not shown here\n\n"));
    }
    text.push_str(&verdict(report, options));
    text
}

/// Further violations behind which there is the same race: what and where, and how to see them.
fn same_race<'a>(stories: impl Iterator<Item = &'a Story>, options: &TextOptions) -> String {
    let mut page = Lines::new(options);
    for story in stories {
        let place = story.violation.location.as_ref().map(|location| format!(" ({})", place(location)));
        let steps = count(story.length.steps as u64, "step", "steps");
        let text = format!("{}{}, after {steps}", story.violation.message, place.unwrap_or_default());
        page.lines.push(String::new());
        page.labelled("same", &format!("the same race also leads to {text}"));
        page.replay(story);
    }
    if page.lines.is_empty() { String::new() } else { page.finish() }
}

/// A violation and how it comes about.
pub fn story(story: &Story, options: &TextOptions) -> String {
    let mut page = Lines::new(options);
    page.headline(story);
    if let Some(why) = &story.why {
        page.labelled("why", why);
    }
    if let Some(race) = &story.race
        && let (Some(first), Some(second)) = (story.rows.get(race.first), story.rows.get(race.second))
    {
        page.pair(["race", "with"], story.side(first), story.side(second));
    }
    if let Some(early) = &story.early
        && let Some(row) = story.rows.get(early.step)
    {
        let (actor, text, location) = (&early.actor, &early.text, early.location.as_ref());
        page.pair(["early", "before"], story.side(row), Side { actor, text, location });
    }
    if let Some(choice) = &story.choice
        && let Some(row) = story.rows.get(choice.step)
    {
        page.pair(["choice", "not"], story.side(row), Side { actor: "", text: &choice.instead, location: None });
    }
    if let Some(remedy) = story.lasso.as_ref().and_then(|lasso| lasso.remedy.as_deref()) {
        page.labelled("remedy", remedy);
    }
    page.deadlock(&story.waits);
    page.round(&story.repeats);
    if story.failing.is_none() && !story.violation.values.is_empty() {
        page.labelled("values", &listed(&story.violation.values));
    }
    let start = start_values(story);
    if !start.is_empty() {
        page.labelled("start", &listed(&start));
    }
    let steps = table::lines(story, options);
    if !steps.is_empty() {
        page.lines.push(String::new());
        page.lines.extend(steps);
    }
    page.footnotes(story);
    page.finish()
}

/// How many values of an initial state are shown at most.
const MOST_START_VALUES: usize = 5;

/// What sets the initial state apart; where that is much, what of it matters: the values that some step changes.
fn start_values(story: &Story) -> Vec<Value> {
    let all = &story.start_values;
    let changes =
        |value: &&Value| story.rows.iter().flat_map(|row| &row.changes).any(|change| change.name == value.name);
    if all.len() <= MOST_START_VALUES { all.clone() } else { all.iter().filter(changes).cloned().collect() }
}

/// The verdict, what was counted, what it means and what to do next.
pub fn verdict(report: &Report<'_>, options: &TextOptions) -> String {
    let mut page = Lines::new(options);
    let exploration = report.exploration;
    let name = &*report.headline();
    let coloured = match exploration.verdict {
        Verdict::Verified if report.vacuity() != Vacuity::None => page.paint.open(name),
        Verdict::Verified => page.paint.good(name),
        Verdict::Violated => page.paint.alarm(name),
        Verdict::Bounded { .. } | Verdict::Inconclusive(_) | Verdict::Unsupported(_) => page.paint.open(name),
    };
    let label = page.paint.bold("VERDICT");
    let indent = "VERDICT  ".len();
    let lead = indent + width(name) + 3;
    let mut pieces = wrap_whole(&summary(report), page.width.saturating_sub(lead).max(20)).into_iter();
    page.lines.push(format!("{label}  {coloured}   {}", pieces.next().unwrap_or_default()));
    page.lines.extend(pieces.map(|piece| pad("", lead) + &piece));

    let details: Vec<_> = exploration.statistics.iter().filter(|(counter, _)| !SUMMARY.contains(counter)).collect();
    if options.details && !details.is_empty() {
        let details: Vec<_> = details.into_iter().map(|(counter, value)| counted(counter, value)).collect();
        page.hanging(indent, &details.join(", "));
    }
    if report.vacuity() != Vacuity::None {
        for vacuous in &report.basis.vacuous {
            page.hanging(indent, &vacuous.told());
        }
    }
    page.meaning(report, indent);
    for sentence in meaning::grounds(report) {
        page.hanging(indent, &sentence);
    }
    if let Some(hint) = report.hint {
        page.hanging(indent, hint);
    }
    if let Some(Picked { reason, .. }) = report.picked {
        page.hanging(indent, &format!("engine {} was picked: {reason}", report.engine));
    }
    page.finish()
}

/// The engine and what it counted, in pieces: `stateful: 6 states, 9 transitions, 1 violation, 0.4 ms`.
fn summary(report: &Report<'_>) -> Vec<String> {
    let exploration = report.exploration;
    if matches!(exploration.verdict, Verdict::Unsupported(_)) {
        return vec![report.engine.to_owned()];
    }
    // Events are a measure of the work only where configurations are made of them.
    let unfolds = exploration.statistics.get(Counter::Configurations).is_some();
    let is_shown = |counter: &Counter| SUMMARY.contains(counter) && (*counter != Counter::Events || unfolds);
    let counts = exploration.statistics.iter().filter(|(counter, _)| is_shown(counter));
    let mut parts: Vec<_> = counts.map(|(counter, value)| counted(counter, value)).collect();
    if !exploration.violations.is_empty() {
        parts.push(count(exploration.violations.len() as u64, "violation", "violations"));
    }
    parts.push(duration(exploration.statistics.seconds));
    if let Some(first) = parts.first_mut() {
        *first = format!("{}: {first}", report.engine);
    }
    parts
}

/// Lines that grow.
struct Lines {
    lines: Vec<String>,
    width: usize,
    paint: Paint,
}

/// The width of a screen when nothing else is known.
const USUAL_WIDTH: usize = 80;
/// Prose in longer lines is hard to read.
const WIDEST_PROSE: usize = 100;
/// Where the text after a label begins.
const LABELLED: usize = 11;

impl Lines {
    fn new(options: &TextOptions) -> Lines {
        Lines { lines: Vec::new(), width: options.width, paint: Paint { colour: options.colour } }
    }

    /// The violation, with its place at the right edge where there is room.
    fn headline(&mut self, story: &Story) {
        let message = one_line(&story.violation.message);
        let place = story.violation.location.as_ref().map(place).unwrap_or_default();
        let needed = width(&message) + 2 + width(&place);
        // On a very wide screen the place would be lost at its edge.
        let room = self.width.saturating_sub(LABELLED).min(needed.max(USUAL_WIDTH - LABELLED));
        let one_line_is_enough = needed <= room;
        let label = if story.faithful { self.paint.alarm("VIOLATION") } else { self.paint.open("NOT MET  ") };
        if one_line_is_enough && !place.is_empty() {
            let message = pad(&message, room - width(&place));
            self.lines.push(format!("{label}  {message}{}", self.paint.dim(&place)));
            return;
        }
        let mut pieces = wrap(&message, room.max(20)).into_iter();
        self.lines.push(format!("{label}  {}", pieces.next().unwrap_or_default()));
        self.lines.extend(pieces.map(|piece| pad("", LABELLED) + &piece));
        if !place.is_empty() {
            self.lines.push(format!("{}{}", pad("  where", LABELLED), self.paint.dim(&place)));
        }
    }

    fn labelled(&mut self, label: &str, text: &str) {
        let first = self.lines.len();
        self.hanging(LABELLED, text);
        if let Some(line) = self.lines.get_mut(first) {
            let text = line.split_off(LABELLED);
            *line = pad(&format!("  {label}"), LABELLED) + &text;
        }
    }

    /// A text with all its lines indented.
    fn hanging(&mut self, indent: usize, text: &str) {
        let room = self.width.min(WIDEST_PROSE).saturating_sub(indent).max(20);
        self.lines.extend(wrap(&one_line(text), room).into_iter().map(|piece| pad("", indent) + &piece));
    }

    /// Two steps of which one decides what the other one does, on one line or on two.
    fn pair(&mut self, [label, joint]: [&str; 2], first: Side<'_>, second: Side<'_>) {
        let side = |Side { actor, text, location }: Side<'_>| {
            let (actor, text) = (one_line(actor), one_line(text));
            let place = location.map(|location| format!("  ({})", place(location))).unwrap_or_default();
            let text = if actor == text || actor.is_empty() { text } else { format!("{actor}  {text}") };
            (text, place)
        };
        let (first, second) = (side(first), side(second));
        let cells = |(text, place): &(String, String)| width(text) + width(place);
        if LABELLED + cells(&first) + joint.len() + 6 + cells(&second) <= self.width {
            let [first, second] = [first, second].map(|(text, place)| text + &self.paint.dim(&place));
            self.lines.push(format!("{}{first}   {joint}   {second}", pad(&format!("  {label}"), LABELLED)));
        } else {
            for (label, side) in [(label.to_owned(), first), (format!("  {joint}"), second)] {
                if LABELLED + cells(&side) <= self.width {
                    let text = side.0 + &self.paint.dim(&side.1);
                    self.lines.push(pad(&format!("  {label}"), LABELLED) + &text);
                } else {
                    self.labelled(&label, &side.0);
                    self.hanging(LABELLED, &side.1);
                }
            }
        }
    }

    /// Which actor holds what in a deadlock, and which one waits for which in a cycle.
    fn deadlock(&mut self, waits: &[Wait]) {
        let held = |wait: &Wait| {
            let actor = wait.actor.clone();
            wait.holds.iter().map(move |object| format!("{object} by {actor}")).collect::<Vec<_>>()
        };
        let held: Vec<String> = waits.iter().flat_map(held).collect();
        if !held.is_empty() {
            self.labelled("held", &held.join("; "));
        }
        if let Some(cycle) = cycle_of_names(waits) {
            self.labelled("cycle", &cycle);
        }
    }

    /// What is done again and again, with a line from the last one back to the first.
    fn round(&mut self, deeds: &[String]) {
        let room = self.width.min(WIDEST_PROSE).saturating_sub(LABELLED + 3).max(20);
        for (index, deed) in deeds.iter().enumerate() {
            let (first, last) = (index == 0, index + 1 == deeds.len());
            let again = if last { "; from here it starts again" } else { "" };
            for (line, piece) in wrap(&format!("{}{again}", one_line(deed)), room).into_iter().enumerate() {
                let label = if first && line == 0 { "  again" } else { "" };
                let mark = match (line, first, last) {
                    (0, true, true) => "↻",
                    (0, true, false) => "┌>",
                    (0, false, true) => "└─",
                    (_, _, false) => "│",
                    (_, _, true) => "",
                };
                self.lines.push(format!("{}{}{piece}", pad(label, LABELLED), pad(mark, 3)));
            }
        }
    }

    /// What the verdict means and what to do next.
    fn meaning(&mut self, report: &Report<'_>, indent: usize) {
        let violated = report.exploration.verdict == Verdict::Violated;
        match (meaning::reason(report), meaning::advice(report)) {
            // That there are violations needs no explanation, but that there may be more does.
            (Some(reason), Some(advice)) if violated => self.hanging(indent, &format!("{reason}; {advice}")),
            (_, None) if violated => {}
            (reason, advice) => {
                for sentence in reason.iter().map(String::as_str).chain(advice).chain(report.alternative) {
                    self.hanging(indent, sentence);
                }
            }
        }
    }

    /// What there is to say below the steps.
    fn footnotes(&mut self, story: &Story) {
        if !story.faithful {
            let sentence = if story.rows.len() < story.length.steps {
                format!("the program does not follow this schedule beyond step {}", story.rows.len())
            } else {
                "the program follows this schedule to its end and does not come to the violation".to_owned()
            };
            self.hanging(2, &sentence);
        }
        if story.was_shortened() {
            self.hanging(2, &story.shortening());
        }
        if story.saved.is_some() {
            self.lines.push(String::new());
            self.replay(story);
        }
    }

    /// How to run a saved schedule again.
    fn replay(&mut self, story: &Story) {
        if let Some(file) = &story.saved {
            // A name that begins with a dash would be an option.
            let file = if file.starts_with('-') { format!("./{file}") } else { file.clone() };
            self.lines.push(format!("{}mazurka replay {}", pad("  replay", LABELLED), shell_word(&file)));
        }
    }

    fn finish(self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

fn place(location: &Location) -> String {
    one_line(&location.to_string())
}

fn listed(values: &[Value]) -> String {
    let listed: Vec<_> = values.iter().map(|value| format!("{} = {}", value.name, value.value)).collect();
    listed.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::{Op, Threads, counts};
    use crate::{Basis, Considered, Site, Vacuous};
    use mazurka_core::{Bound, Exploration, Found, StopReason};

    fn conclude(stop: StopReason, bounded: Option<(Bound, u64)>, violations: Vec<Found>) -> Exploration {
        let statistics = counts(&[(Counter::States, 6), (Counter::Transitions, 1), (Counter::MaxDepth, 4)], 0.0004);
        Exploration::conclude(stop, bounded, violations, statistics)
    }

    fn of(exploration: &Exploration, stories: &[Story], options: &TextOptions) -> String {
        let basis = Basis::of("every reachable state was visited: no assertion fails, nothing deadlocks");
        resting_on(&basis, exploration, stories, options)
    }

    fn resting_on(basis: &Basis, exploration: &Exploration, stories: &[Story], options: &TextOptions) -> String {
        report(
            &Report {
                program: "three.mz",
                engine: "exhaustive",
                picked: None,
                basis,
                alternative: None,
                hint: None,
                exploration,
                stories,
            },
            options,
        )
    }

    fn narrow(width: usize) -> TextOptions {
        TextOptions { width, ..TextOptions::default() }
    }

    #[test]
    fn a_violation_is_a_report_that_a_person_can_read() {
        let threads = Threads::three();
        let mut told = threads.tell(&[2, 2, 0, 0], 9);
        told.saved = Some("three.schedule".to_owned());
        let exploration = conclude(StopReason::FirstViolation, None, vec![threads.found(&[2, 2, 0, 0])]);
        insta::assert_snapshot!(of(&exploration, &[told], &TextOptions::default()), @"
        VIOLATION  assertion failed: r1 == 0                                  three.mz:2
          why      T3 incremented x before T1 did; nothing orders the two
          race     T3  r3 = x++  (three.mz:22)   with   T1  r1 = x++  (three.mz:1)

          step  T3                    T1
          1     r3 = z
          2     r3 = x++   x: 0 → 1
          3                           r1 = x++         x: 1 → 2, r1: 0 → 1
          4                           assert r1 == 0   ✗   r1 = 1
          shortened from 9 steps and 4 switches to 4 steps and 1 switch

          replay   mazurka replay three.schedule
        VERDICT  violated   exhaustive: 6 states, 1 transition, 1 violation, 0.4 ms
                 the search stopped at the first violation; --all looks for more
        ");
    }

    #[test]
    fn violations_with_one_race_are_told_together() {
        let threads = Threads::three();
        let first = threads.tell(&[2, 2, 0, 0], 4);
        let mut second = first.clone();
        second.violation.message = "assertion failed: r1 is what it was".to_owned();
        second.saved = Some("three-2.schedule".to_owned());
        let exploration = conclude(StopReason::Complete, None, vec![threads.found(&[2, 2, 0, 0]); 2]);
        let text = of(&exploration, &[first, second], &TextOptions::default());
        let told: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("  same")).take(3).collect();
        assert_eq!(
            told,
            [
                "  same     the same race also leads to assertion failed: r1 is what it was",
                "           (three.mz:2), after 4 steps",
                "  replay   mazurka replay three-2.schedule",
            ]
        );
        assert_eq!(text.matches("VIOLATION").count(), 1);
    }

    #[test]
    fn values_have_their_own_column_where_space_is_short() {
        let told = Threads::three().tell(&[1, 2, 2, 0, 0], 5);
        insta::assert_snapshot!(story(&told, &narrow(70)), @"
        VIOLATION  assertion failed: r1 == 0                        three.mz:2
          why      T2 incremented x before T3 did; nothing orders the two
          race     T2  r2 = x++  (three.mz:11)
            with   T3  r3 = x++  (three.mz:22)

          step  T2         T3         T1               values
          1     r2 = x++                               x: 0 → 1
          2                r3 = z
          3                r3 = x++                    x: 1 → 2, r3: 0 → 1
          4                           r1 = x++         x: 2 → 3, r1: 0 → 2
          5                           assert r1 == 0   ✗   r1 = 2
        ");
    }

    #[test]
    fn narrow_screens_have_one_line_per_step() {
        let told = Threads::three().tell(&[1, 2, 2, 0, 0], 5);
        insta::assert_snapshot!(story(&told, &narrow(44)), @"
        VIOLATION  assertion failed: r1 == 0
          where    three.mz:2
          why      T2 incremented x before T3 did;
                   nothing orders the two
          race     T2  r2 = x++  (three.mz:11)
            with   T3  r3 = x++  (three.mz:22)

          step  actor
          1     T2     r2 = x++         x: 0 → 1
          2     T3     r3 = z
          3     T3     r3 = x++
                         x: 1 → 2, r3: 0 → 1
          4     T1     r1 = x++
                         x: 2 → 3, r1: 0 → 2
          5     T1     assert r1 == 0   ✗   r1 = 2
        ");
    }

    #[test]
    fn long_names_and_many_values_are_folded() {
        let mut threads = Threads::three();
        threads.names[0] = "the hall / Good Night [motion active]".to_owned();
        threads.names[2] = "Let There Be Light".to_owned();
        let mut told = threads.tell(&[2, 2, 0, 0], 4);
        told.rows[2].text = "when the motion sensor of the hall reports motion, switch on all the lights".to_owned();
        told.rows[1].text = "Let There Be Light".to_owned();
        insta::assert_snapshot!(story(&told, &narrow(60)), @"
        VIOLATION  assertion failed: r1 == 0              three.mz:2
          why      Let There Be Light incremented x before the hall
                   / Good Night [motion active] did; nothing orders
                   the two
          race     Let There Be Light  (three.mz:22)
            with   the hall / Good Night [motion active] when the
                   motion sensor of the hall reports motion, switch
                   on all the lights
                   (three.mz:1)

          step  actor
          1     Let There Be Light  r3 = z
          2     Let There Be Light                   x: 0 → 1
          3     the hall / Good Night [motion active]
                                    when the motion sensor of the
                                    hall reports motion, switch on
                                    all the lights
                                      x: 1 → 2, r1: 0 → 1
          4     the hall / Good Night [motion active]
                                    assert r1 == 0   ✗   r1 = 1
        ");
    }

    #[test]
    fn of_a_very_long_schedule_the_ends_are_shown() {
        let told = Threads::of(vec![vec![Op::Increment; 12], vec![Op::Fail]])
            .tell(&[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], 13);
        let options = TextOptions { max_rows: 5, ..TextOptions::default() };
        insta::assert_snapshot!(story(&told, &options), @"
        VIOLATION  assertion failed: r2 == 0                                 three.mz:11
          why      it happens in every order of these steps

          step  T1                                   T2
          1     r1 = x++   x: 0 → 1
          …     8 steps are not shown here
          10    r1 = x++   x: 9 → 10, r1: 8 → 9
          11    r1 = x++   x: 10 → 11, r1: 9 → 10
          12    r1 = x++   x: 11 → 12, r1: 10 → 11
          13                                         assert r2 == 0   ✗   r2 = 0
        ");
    }

    #[test]
    fn a_deadlock_says_who_waits_for_what() {
        let told = Threads::crossed_locks().tell(&[0, 1], 2);
        insta::assert_snapshot!(story(&told, &TextOptions::default()), @"
        VIOLATION  deadlock: T1 waits for lock 1, held by T2; T2 waits for lock 0, held
                   by T1
          why      T1 takes lock 0 before lock 1, T2 takes lock 1 before lock 0: a cycle
          held     lock 0 by T1; lock 1 by T2
          cycle    T1 → T2 → T1

          step  T1                     T2
          1     lock 0   lock 0 = T1
          2                            lock 1   lock 1 = T2
          ✗     no actor can move
        ");
    }

    #[test]
    fn an_initial_state_needs_no_steps() {
        let told = Threads { bad_start: true, starts: vec![0, 1], ..Threads::three() }.tell(&[], 0);
        insta::assert_snapshot!(story(&told, &TextOptions::default()), @"
        VIOLATION  invariant broken: x > 0
          why      it is true in the initial state, before the first step
          values   x = 0
          start    x = 0
        ");
    }

    #[test]
    fn a_schedule_that_is_not_followed_is_not_hidden() {
        let told = Threads::three().tell(&[2, 2, 2, 0], 4);
        insta::assert_snapshot!(story(&told, &TextOptions::default()), @"
        NOT MET    it did not happen

          step  T3
          1     r3 = z
          2     r3 = x++   x: 0 → 1
          the program does not follow this schedule beyond step 2
        ");
    }

    #[test]
    fn every_verdict_says_what_it_means_and_what_to_do_next() {
        let found = || vec![Threads::three().found(&[2, 2, 0, 0])];
        let explorations = [
            conclude(StopReason::Complete, None, Vec::new()),
            conclude(StopReason::Complete, None, found()),
            conclude(StopReason::FirstViolation, None, found()),
            conclude(StopReason::TimeLimit, None, [found(), found()].concat()),
            conclude(StopReason::Complete, Some((Bound::Cycle, 2)), found()),
            conclude(StopReason::TimeLimit, Some((Bound::Depth(9), 1)), found()),
            conclude(StopReason::Complete, Some((Bound::Depth(1000), 12_345)), Vec::new()),
            conclude(StopReason::Complete, Some((Bound::Cycle, 1)), Vec::new()),
            conclude(StopReason::TimeLimit, None, Vec::new()),
            conclude(StopReason::MemoryLimit, None, Vec::new()),
            conclude(StopReason::Cancelled, None, Vec::new()),
            Exploration::unsupported("the program has events, and this engine is for threads only"),
        ];
        let texts: Vec<_> =
            explorations.iter().map(|exploration| of(exploration, &[], &TextOptions::default())).collect();
        insta::assert_snapshot!(texts.join("\n"), @"
        VERDICT  verified   exhaustive: 6 states, 1 transition, 0.4 ms
                 every reachable state was visited: no assertion fails, nothing
                 deadlocks

        VERDICT  violated   exhaustive: 6 states, 1 transition, 1 violation, 0.4 ms

        VERDICT  violated   exhaustive: 6 states, 1 transition, 1 violation, 0.4 ms
                 the search stopped at the first violation; --all looks for more

        VERDICT  violated   exhaustive: 6 states, 1 transition, 2 violations, 0.4 ms
                 the search stopped early: the time limit was reached; there may be more

        VERDICT  violated   exhaustive: 6 states, 1 transition, 1 violation, 0.4 ms
                 the search did not see everything: 2 schedules were cut where a state
                 came back; there may be more

        VERDICT  violated   exhaustive: 6 states, 1 transition, 1 violation, 0.4 ms
                 the search stopped early: the time limit was reached, and 1 schedule
                 was cut at 9 steps; there may be more

        VERDICT  bounded   exhaustive: 6 states, 1 transition, 0.4 ms
                 12,345 schedules were cut at 1,000 steps; nothing was found so far
                 a higher --max-steps checks longer schedules

        VERDICT  bounded   exhaustive: 6 states, 1 transition, 0.4 ms
                 1 schedule was cut where a state came back; nothing was found so far
                 an engine that follows cycles, such as --engine exhaustive, does not
                 cut them

        VERDICT  inconclusive   exhaustive: 6 states, 1 transition, 0.4 ms
                 the time limit was reached; nothing was found so far
                 a longer --time-limit lets the search continue

        VERDICT  inconclusive   exhaustive: 6 states, 1 transition, 0.4 ms
                 the memory limit was reached; nothing was found so far
                 a larger --memory-limit lets the search continue

        VERDICT  inconclusive   exhaustive: 6 states, 1 transition, 0.4 ms
                 interrupted; nothing was found so far
                 let the search run longer to get a verdict

        VERDICT  unsupported   exhaustive
                 the program has events, and this engine is for threads only
        ");
    }

    #[test]
    fn details_are_for_those_who_ask() {
        let all: Vec<_> = Counter::ALL.iter().map(|&counter| (counter, 1_234_567)).collect();
        let exploration = Exploration::conclude(StopReason::Complete, None, Vec::new(), counts(&all, 182.0));
        let options = TextOptions { details: true, ..TextOptions::default() };
        insta::assert_snapshot!(of(&exploration, &[], &options), @"
        VERDICT  verified   exhaustive: 1,234,567 executions, 1,234,567 traces,
                            1,234,567 states, 1,234,567 transitions, 1,234,567 events,
                            1,234,567 maximal configurations, 1,234,567 blocked ends,
                            3 min 2 s
                 1,234,567 blocked runs, 1,234,567 event-driven traces, 1,234,567 states
                 met again, 1,234,567 races, 1,234,567 backtracking points, 1,234,567
                 cutoffs, 1,234,567 end states, 1,234,567 kept steps, longest schedule
                 1,234,567 steps, 1.2 MiB of memory
                 every reachable state was visited: no assertion fails, nothing
                 deadlocks
                 1,234,567 ends are blocked by `assume`: to wait there is not a deadlock
        ");
    }

    #[test]
    fn what_is_not_told_is_counted() {
        let threads = Threads::of(vec![vec![Op::Fail]]);
        let exploration = conclude(StopReason::Complete, None, vec![threads.found(&[0]); 3]);
        insta::assert_snapshot!(of(&exploration, &[threads.tell(&[0], 1)], &TextOptions::default()), @"
        VIOLATION  assertion failed: r1 == 0                                  three.mz:1
          why      T1 alone causes it: no other actor has to move

          step  T1
          1     assert r1 == 0   ✗   r1 = 0

        2 more violations are not shown here

        VERDICT  violated   exhaustive: 6 states, 1 transition, 3 violations, 0.4 ms
        ");
    }

    #[test]
    fn a_proof_tells_what_it_rests_on_and_says_when_that_is_nothing() {
        let site = |text: &str, line| Site { text: text.to_owned(), location: Threads::location(0, line) };
        let vacuous = Vacuous {
            site: site("assert(x == 2)", 3),
            reason: "was never reached: `assume(x == 1)` is never true".to_owned(),
            remedy: Some("let a step write x".to_owned()),
        };
        let mut basis = Basis {
            considered: vec![Considered { what: "values".to_owned(), text: "x from 0 to 3".to_owned() }],
            stated: 2,
            unreached: vec![site("assert(x == 2)", 3), site("assert(false)", 4)],
            blocked_at: vec![site("assume(x == 1)", 2)],
            vacuous: vec![vacuous],
            ..Basis::of("no assertion fails")
        };
        let mut exploration = conclude(StopReason::Complete, None, Vec::new());
        exploration.statistics.set(Counter::AssumeBlocked, 1);
        insta::assert_snapshot!(resting_on(&basis, &exploration, &[], &TextOptions::default()), @"
        VERDICT  verified (partly vacuous)   exhaustive: 6 states, 1 transition,
                                             1 blocked end, 0.4 ms
                 `assert(x == 2)` (three.mz:4) was never reached: `assume(x == 1)` is
                 never true; let a step write x
                 no assertion fails
                 1 end is blocked by `assume` at `assume(x == 1)` (three.mz:3): to wait
                 there is not a deadlock
                 never reached: `assert(false)` (three.mz:5)
                 values: x from 0 to 3
        ");
        basis.stated = 1;
        let text = resting_on(&basis, &exploration, &[], &TextOptions::default());
        assert!(text.starts_with("VERDICT  verified (vacuous)   exhaustive: "), "{text}");
        let cut = conclude(StopReason::TimeLimit, None, Vec::new());
        let text = resting_on(&basis, &cut, &[], &TextOptions::default());
        assert!(!text.contains("vacuous") && !text.contains("reached:"), "nothing is claimed: {text}");
    }

    #[test]
    fn colours_do_not_move_anything() {
        let threads = Threads::three();
        let mut told = threads.tell(&[2, 2, 0, 0], 9);
        told.saved = Some("it's.schedule".to_owned());
        let exploration = conclude(StopReason::FirstViolation, None, vec![threads.found(&[2, 2, 0, 0])]);
        for width in [30, 44, 64, 80, 200] {
            let plain = of(&exploration, std::slice::from_ref(&told), &narrow(width));
            let coloured =
                of(&exploration, std::slice::from_ref(&told), &TextOptions { colour: true, ..narrow(width) });
            let mut stripped = coloured.clone();
            for code in ["1;31", "1;32", "1;33", "1", "2", "0"] {
                stripped = stripped.replace(&format!("\u{1b}[{code}m"), "");
            }
            assert_eq!(stripped, plain);
            assert!(coloured.contains("\u{1b}[1;31mVIOLATION\u{1b}[0m"));
            assert!(coloured.contains("\u{1b}[1;31m✗\u{1b}[0m"));
            assert!(plain.lines().all(|line| line == line.trim_end()), "{plain}");
        }
    }

    #[test]
    fn no_line_is_wider_than_the_screen() {
        let threads = Threads::three();
        let told = threads.tell(&[1, 2, 2, 0, 0], 9);
        for screen in 36..120 {
            let text = story(&told, &narrow(screen));
            let widest = text.lines().map(width).max();
            assert!(widest <= Some(screen), "{screen}: {text}");
        }
    }

    #[test]
    fn file_names_are_quoted_for_the_shell() {
        assert_eq!(shell_word("a/b-1.schedule"), "a/b-1.schedule");
        assert_eq!(shell_word("my file's"), r"'my file'\''s'");
    }
}
