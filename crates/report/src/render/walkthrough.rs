//! A story told step by step, in answer to commands that a person types.
//!
//! Nothing is read or printed here: each line goes in, a text comes out.

use crate::format::count;
use crate::layout::{Paint, one_line, pad, width, wrap};
use crate::table;
use crate::waits::waits_in_words;
use crate::{Row, Story, TextOptions};

/// What the commands are.
pub const HELP: &str = "  n, next [N]   one step on, or N steps; so does an empty line
  b, back [N]   one step back, or N steps
  g, goto N     to step N; 0 is the start
  r, run        on to the violation
  s, state      the state here
  v, view       show steps, or steps with the state, or the table
  h, help       this list
  q, quit       the end
";

/// What is shown after each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Step,
    State,
    Table,
}

impl View {
    fn next(self) -> View {
        match self {
            View::Step => View::State,
            View::State => View::Table,
            View::Table => View::Step,
        }
    }

    fn words(self) -> &'static str {
        match self {
            View::Step => "each step",
            View::State => "each step and the state after it",
            View::Table => "the table up to each step",
        }
    }
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Something to show.
    Show(String),
    /// The person has seen enough.
    Quit,
}

/// A place in a story.
#[derive(Debug)]
pub struct Walkthrough<'a> {
    story: &'a Story,
    options: TextOptions,
    /// How many steps are done.
    at: usize,
    view: View,
}

impl<'a> Walkthrough<'a> {
    /// Stands before the first step.
    pub fn new(story: &'a Story, options: TextOptions) -> Self {
        Walkthrough { story, options, at: 0, view: View::Step }
    }

    /// What to show before the first command.
    pub fn begin(&self) -> String {
        let steps = count(self.story.rows.len() as u64, "step leads", "steps lead");
        let goal = one_line(&self.story.violation.message);
        let mut lines = wrap(&format!("{steps} to: {goal}"), self.options.width);
        lines.push("n goes one step on, r to the end, h lists all commands".to_owned());
        joined(lines)
    }

    /// What stands before the cursor.
    pub fn prompt(&self) -> String {
        format!("{}/{}> ", self.at, self.story.rows.len())
    }

    /// Does what a line says.
    pub fn obey(&mut self, line: &str) -> Reply {
        let mut words = line.split_whitespace();
        let (command, argument) = (words.next().unwrap_or("next"), words.next());
        if words.next().is_some() {
            return Reply::Show(format!("`{}` has too many words; h lists all commands\n", one_line(line)));
        }
        let number = argument.map(str::parse::<usize>);
        let far = self.story.rows.len();
        Reply::Show(match (command, number) {
            (_, Some(Err(_))) => format!("`{}` is not a number of steps\n", one_line(argument.unwrap_or_default())),
            ("n" | "next", by) => self.go(self.at.saturating_add(amount(by))),
            ("b" | "back", by) => self.go(self.at.saturating_sub(amount(by))),
            ("g" | "goto", Some(Ok(step))) if step <= far => self.go(step),
            ("g" | "goto", _) => format!("expected `goto` and a number from 0 to {far}\n"),
            ("r" | "run", None) => self.go(far),
            ("s" | "state", None) => self.state(),
            ("v" | "view", None) => {
                self.view = self.view.next();
                format!("from now on: {}\n{}", self.view.words(), self.here())
            }
            ("h" | "help" | "?", None) => HELP.to_owned(),
            ("q" | "quit" | "exit", None) => return Reply::Quit,
            _ => format!("`{}` is not a command; h lists all commands\n", one_line(line)),
        })
    }

    /// Goes to a step and shows it.
    fn go(&mut self, step: usize) -> String {
        let target = step.min(self.story.rows.len());
        if target == self.at {
            let where_ = if self.at == 0 { "this is the start" } else { "this is the end" };
            return format!("{where_}\n{}", self.here());
        }
        self.at = target;
        self.here()
    }

    /// What there is to see here, in the present view.
    fn here(&self) -> String {
        match self.view {
            View::Step => self.step(),
            View::State => self.step() + &self.state(),
            View::Table => self.table(),
        }
    }

    /// The step that led here.
    fn step(&self) -> String {
        let Some(row) = self.at.checked_sub(1).and_then(|index| self.story.rows.get(index)) else {
            return joined([vec!["before the first step".to_owned()], self.ending()].concat());
        };
        let paint = self.paint();
        let actor = paint.bold(&one_line(self.story.actor(row)));
        let place = row.location.as_ref().map(|place| format!("   {}", one_line(&place.to_string())));
        let place = paint.dim(&place.unwrap_or_default());
        let text = if row.text == self.story.actor(row) { String::new() } else { format!("  {}", one_line(&row.text)) };
        let mut lines = vec![format!("step {}  {actor}{text}{place}", row.number)];
        lines.extend(row.changes.iter().map(|change| format!("  {}", one_line(&table::change_words(change)))));
        lines.extend(self.race_partner(row).map(|partner| {
            let text = format!("races with step {}, {}", partner.number, self.story.actor(partner));
            format!("  {}", paint.open(&one_line(&text)))
        }));
        lines.extend(self.instead(row).map(|text| format!("  {}", paint.open(&one_line(&text)))));
        lines.extend(self.ending());
        joined(lines)
    }

    /// What would have avoided the violation here, if this is where it was decided by no step of the schedule.
    fn instead(&self, row: &Row) -> Option<String> {
        let index = row.number - 1;
        let early = self.story.early.as_ref().filter(|early| early.step == index);
        let choice = self.story.choice.as_ref().filter(|choice| choice.step == index);
        let early = early.map(|early| format!("came before {}: {}", early.actor, early.text));
        early.or_else(|| choice.map(|choice| format!("avoided by {}", choice.instead)))
    }

    /// The other step of the race, if this one is part of it.
    fn race_partner(&self, row: &Row) -> Option<&Row> {
        let race = self.story.race.as_ref()?;
        let index = row.number - 1;
        let partner =
            [(race.first, race.second), (race.second, race.first)].into_iter().find(|pair| pair.0 == index)?;
        self.story.rows.get(partner.1)
    }

    /// What is wrong here, at the end of the story.
    fn ending(&self) -> Vec<String> {
        if self.at < self.story.rows.len() {
            return Vec::new();
        }
        let paint = self.paint();
        let violation = &self.story.violation;
        if !self.story.faithful {
            return vec![paint.open("the schedule ends here, and the violation does not occur")];
        }
        let mut lines: Vec<String> = wrap(&one_line(&violation.message), self.options.width.saturating_sub(4).max(20));
        lines.iter_mut().for_each(|line| *line = format!("    {line}"));
        if let Some(first) = lines.first_mut() {
            *first = format!("  {} {}", paint.alarm("✗"), first.trim_start());
        }
        if let Some(lasso) = &self.story.lasso {
            let again = || format!("from here on it goes on with step {}, again and again", lasso.from + 1);
            lines.push(format!("    {}", one_line(&lasso.still.clone().unwrap_or_else(again))));
        }
        let values = violation.values.iter().map(|value| one_line(&format!("{} = {}", value.name, value.value)));
        let waits = waits_in_words(&self.story.waits).into_iter().map(|line| one_line(&line));
        lines.extend(values.chain(waits).map(|line| format!("    {line}")));
        lines
    }

    /// All values, and what the last step made of them.
    fn state(&self) -> String {
        let values = self.story.state_after(self.at);
        if values.is_empty() && self.story.locals_after(self.at).is_empty() {
            return "  there is nothing to see of the state\n".to_owned();
        }
        let names = values.iter().map(|value| width(&one_line(&value.name))).max().unwrap_or(0);
        let changes = self.at.checked_sub(1).map_or(&[][..], |index| &self.story.rows[index].changes);
        let line = |value: &mazurka_core::Value| {
            let was = changes.iter().find(|change| change.name == value.name).map(|change| match &change.old {
                Some(old) => format!("   was {}", one_line(old)),
                None => "   new".to_owned(),
            });
            let shown = format!("  {}  {}", pad(&one_line(&value.name), names), one_line(&value.value));
            shown + &self.paint().open(&was.unwrap_or_default())
        };
        let locals = self.story.locals_after(self.at).into_iter().map(|(actor, locals)| {
            let locals: Vec<String> = locals.iter().map(|value| format!("{} = {}", value.name, value.value)).collect();
            format!("  in {}: {}", one_line(actor), one_line(&locals.join(", ")))
        });
        joined(values.iter().map(line).chain(locals).collect())
    }

    /// The table up to here.
    fn table(&self) -> String {
        let told = Story {
            rows: self.story.rows[..self.at].to_vec(),
            failing: self.story.failing.filter(|&row| row < self.at),
            faithful: self.story.faithful && self.at == self.story.rows.len(),
            ..self.story.clone()
        };
        let lines = table::lines(&told, &self.options);
        if lines.is_empty() { self.step() } else { joined(lines) }
    }

    fn paint(&self) -> Paint {
        Paint { colour: self.options.colour }
    }
}

/// How far to go, where a number may be left out.
fn amount(by: Option<Result<usize, std::num::ParseIntError>>) -> usize {
    by.and_then(Result::ok).unwrap_or(1)
}

fn joined(lines: Vec<String>) -> String {
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::Threads;

    /// What a person sees who types these lines.
    fn session(story: &Story, lines: &[&str]) -> String {
        let mut walk = Walkthrough::new(story, TextOptions::default());
        let mut seen = walk.begin();
        for line in lines {
            seen += format!("{}{line}", walk.prompt()).trim_end();
            seen.push('\n');
            match walk.obey(line) {
                Reply::Show(text) => seen += &text,
                Reply::Quit => return seen,
            }
        }
        seen
    }

    #[test]
    fn a_race_is_walked_through_in_both_directions() {
        let story = Threads::three().tell(&[2, 2, 0, 0], 4);
        insta::assert_snapshot!(session(&story, &["", "n", "state", "r", "n", "back 2", "g 0", "b", "q", "n"]), @"
        4 steps lead to: assertion failed: r1 == 0
        n goes one step on, r to the end, h lists all commands
        0/4>
        step 1  T3  r3 = z   three.mz:21
        1/4> n
        step 2  T3  r3 = x++   three.mz:22
          x: 0 → 1
          races with step 3, T1
        2/4> state
          x   1   was 0
          r1  0
          r2  0
          r3  0
        2/4> r
        step 4  T1  assert r1 == 0   three.mz:2
          ✗ assertion failed: r1 == 0
            r1 = 1
        4/4> n
        this is the end
        step 4  T1  assert r1 == 0   three.mz:2
          ✗ assertion failed: r1 == 0
            r1 = 1
        4/4> back 2
        step 2  T3  r3 = x++   three.mz:22
          x: 0 → 1
          races with step 3, T1
        2/4> g 0
        before the first step
        0/4> b
        this is the start
        before the first step
        0/4> q
        ");
    }

    #[test]
    fn views_show_the_state_or_the_table() {
        let story = Threads::three().tell(&[2, 2, 0, 0], 4);
        insta::assert_snapshot!(session(&story, &["g 2", "v", "v", "n 2"]), @"
        4 steps lead to: assertion failed: r1 == 0
        n goes one step on, r to the end, h lists all commands
        0/4> g 2
        step 2  T3  r3 = x++   three.mz:22
          x: 0 → 1
          races with step 3, T1
        2/4> v
        from now on: each step and the state after it
        step 2  T3  r3 = x++   three.mz:22
          x: 0 → 1
          races with step 3, T1
          x   1   was 0
          r1  0
          r2  0
          r3  0
        2/4> v
        from now on: the table up to each step
          step  T3                    T1
          1     r3 = z
          2     r3 = x++   x: 0 → 1
        2/4> n 2
          step  T3                    T1
          1     r3 = z
          2     r3 = x++   x: 0 → 1
          3                           r1 = x++         x: 1 → 2, r1: 0 → 1
          4                           assert r1 == 0   ✗   r1 = 1
        ");
    }

    #[test]
    fn a_deadlock_ends_with_what_each_actor_waits_for() {
        let story = Threads::crossed_locks().tell(&[0, 1], 2);
        insta::assert_snapshot!(session(&story, &["run"]), @"
        2 steps lead to: deadlock: T1 waits for lock 1, held by T2; T2 waits for lock 0,
        held by T1
        n goes one step on, r to the end, h lists all commands
        0/2> run
        step 2  T2  lock 1   three.mz:11
          lock 1 = T2
          ✗ deadlock: T1 waits for lock 1, held by T2; T2 waits for lock 0, held by T1
            T1 holds lock 0, waits for lock 1
            T2 holds lock 1, waits for lock 0
            a cycle: T1 → T2 → T1
        ");
    }

    #[test]
    fn what_is_not_understood_is_said() {
        let story = Threads::three().tell(&[2, 2, 2], 4);
        insta::assert_snapshot!(session(&story, &["g", "g 9", "n x", "jump", "n 1 2", "n 18446744073709551615", "h"]), @"
        2 steps lead to: it did not happen
        n goes one step on, r to the end, h lists all commands
        0/2> g
        expected `goto` and a number from 0 to 2
        0/2> g 9
        expected `goto` and a number from 0 to 2
        0/2> n x
        `x` is not a number of steps
        0/2> jump
        `jump` is not a command; h lists all commands
        0/2> n 1 2
        `n 1 2` has too many words; h lists all commands
        0/2> n 18446744073709551615
        step 2  T3  r3 = x++   three.mz:22
          x: 0 → 1
        the schedule ends here, and the violation does not occur
        2/2> h
          n, next [N]   one step on, or N steps; so does an empty line
          b, back [N]   one step back, or N steps
          g, goto N     to step N; 0 is the start
          r, run        on to the violation
          s, state      the state here
          v, view       show steps, or steps with the state, or the table
          h, help       this list
          q, quit       the end
        ");
    }
}
