//! The steps of a story, laid out.
//!
//! Three layouts, the first that fits: one column per actor with the changed values beside each step; one column per
//! actor with the values in a column of their own; one line per step with the actor's name in front. Each row of a
//! table has one filled cell, since only one actor moves at a time.

use crate::format::count;
use crate::layout::{Paint, one_line, pad, width, wrap};
use crate::{Change, Story, TextOptions, ToldLasso};
use std::ops::{Range, RangeInclusive};

const INDENT: &str = "  ";
const COLUMN_GAP: usize = 3;
const NOTE_GAP: usize = 3;
const CROSS: &str = "✗";

/// The steps of a story, one string per line.
pub(crate) fn lines(story: &Story, options: &TextOptions) -> Vec<String> {
    let table = Table::new(story, options);
    if story.rows.is_empty() {
        return table.ending(story);
    }
    let mut lines = table
        .columns(Notes::Beside)
        .or_else(|| table.columns(Notes::Apart))
        .unwrap_or_else(|| table.one_line_per_step());
    lines.extend(table.ending(story));
    lines
}

/// Where the changed values stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Notes {
    Beside,
    Apart,
}

/// A row, ready to be placed.
struct Cell {
    /// The numbers of its steps.
    steps: RangeInclusive<usize>,
    number: String,
    actor: usize,
    text: String,
    note: String,
}

enum Line {
    Step(Cell),
    /// This many steps are not shown, up to the one before this number.
    Gap(usize, usize),
}

struct Table {
    lines: Vec<Line>,
    actors: Vec<String>,
    number_width: usize,
    width: usize,
    paint: Paint,
    /// The steps that are repeated for ever, by their numbers.
    round: Option<RangeInclusive<usize>>,
}

impl Table {
    fn new(story: &Story, options: &TextOptions) -> Table {
        let rows = story.lines();
        let most = options.max_rows.max(2);
        // The end of a story explains more than its beginning.
        let (head, tail) =
            if rows.len() <= most { (rows.len(), rows.len()) } else { (most / 4, rows.len() - (most - most / 4)) };
        let mut lines: Vec<_> = rows[..head].iter().map(|rows| Line::Step(Cell::new(story, rows.clone()))).collect();
        if head < tail {
            lines.push(Line::Gap(rows[tail - 1].end - rows[head].start, rows[tail].start + 1));
        }
        lines.extend(rows[tail..].iter().map(|rows| Line::Step(Cell::new(story, rows.clone()))));
        let numbers = lines.iter().map(|line| match line {
            Line::Step(cell) => width(&cell.number),
            Line::Gap(..) => 0,
        });
        let number_width = numbers.max().unwrap_or(0).max(width(&story.rows.len().to_string())).max("step".len());
        Table {
            lines,
            actors: story.actors.iter().map(|name| one_line(name)).collect(),
            number_width,
            width: options.width,
            paint: Paint { colour: options.colour },
            round: story
                .lasso
                .as_ref()
                .filter(|lasso| lasso.from < story.rows.len())
                .map(|lasso| lasso.from + 1..=story.rows.len()),
        }
    }

    /// What comes after the last step.
    fn ending(&self, story: &Story) -> Vec<String> {
        let text = match &story.lasso {
            Some(ToldLasso { still: Some(still), .. }) => one_line(still),
            Some(lasso) => format!("again from step {}, for ever", lasso.from + 1),
            None if story.rows.is_empty() || !story.faithful || story.failing.is_some() => return Vec::new(),
            None => "no actor can move".to_owned(),
        };
        let left = INDENT.len() + self.number_width + 2;
        let mut lines: Vec<String> = wrap(&text, self.width.saturating_sub(left).max(20));
        for (index, line) in lines.iter_mut().enumerate() {
            let sign = if index == 0 { self.paint.alarm(CROSS) } else { " ".to_owned() };
            *line = format!("{INDENT}{sign}{:fill$}{line}", "", fill = self.number_width + 1);
        }
        lines
    }

    /// What stands in front of a line of some steps: a frame around those that are repeated.
    fn margin(&self, steps: &RangeInclusive<usize>, is_first_line: bool) -> &'static str {
        let Some(round) = &self.round else { return INDENT };
        match (round.contains(steps.start()), steps.start() == round.start(), steps.end() == round.end()) {
            (false, ..) => INDENT,
            (_, true, true) if is_first_line => "↻ ",
            (_, true, false) if is_first_line => "┌ ",
            (_, _, true) if is_first_line => "└ ",
            (_, _, true) => INDENT,
            _ => "│ ",
        }
    }

    fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.lines.iter().filter_map(|line| match line {
            Line::Step(cell) => Some(cell),
            Line::Gap(..) => None,
        })
    }

    /// One column per actor; `None` if that is too wide.
    fn columns(&self, notes: Notes) -> Option<Vec<String>> {
        let (mut texts, mut cells) = (vec![0; self.actors.len()], vec![0; self.actors.len()]);
        for cell in self.cells() {
            texts[cell.actor] = width(&cell.text).max(texts[cell.actor]);
        }
        for cell in self.cells() {
            let beside = notes == Notes::Beside && !cell.note.is_empty();
            let note = if beside { NOTE_GAP + width(&cell.note) } else { 0 };
            cells[cell.actor] = (texts[cell.actor] + note).max(cells[cell.actor]);
        }
        let mut starts = Vec::new();
        let mut end = INDENT.len() + self.number_width + 2;
        for (actor, name) in self.actors.iter().enumerate() {
            starts.push(end);
            end += cells[actor].max(width(name)) + COLUMN_GAP;
        }
        let notes_start = |cell: &Cell| match notes {
            Notes::Beside => starts[cell.actor] + texts[cell.actor] + NOTE_GAP,
            Notes::Apart => end,
        };
        let fits = end - COLUMN_GAP <= self.width
            && self.cells().all(|cell| cell.note.is_empty() || notes_start(cell) + width(&cell.note) <= self.width);
        fits.then(|| {
            let mut lines = vec![self.header(&starts, (notes == Notes::Apart).then_some(end))];
            lines.extend(self.lines.iter().map(|line| match line {
                Line::Gap(steps, before) => self.gap(*steps, *before),
                Line::Step(cell) => {
                    let mut line =
                        pad(&format!("{}{}", self.margin(&cell.steps, true), cell.number), starts[cell.actor]);
                    line.push_str(&cell.text);
                    self.push_note(&mut line, notes_start(cell), &cell.note);
                    line
                }
            }));
            lines
        })
    }

    fn gap(&self, steps: usize, before: usize) -> String {
        let steps = count(steps as u64, "step is", "steps are");
        format!(
            "{}{}{steps} not shown here",
            self.margin(&(before - 1..=before - 1), false),
            pad("…", self.number_width + 2)
        )
    }

    fn header(&self, starts: &[usize], values: Option<usize>) -> String {
        let mut header = format!("{INDENT}step");
        for (name, &start) in self.actors.iter().zip(starts) {
            header = pad(&header, start) + name;
        }
        let some_values = self.cells().any(|cell| !cell.note.is_empty());
        if let Some(start) = values.filter(|_| some_values) {
            header = pad(&header, start) + "values";
        }
        self.paint.bold(&header)
    }

    /// Adds a note at a column of the line.
    fn push_note(&self, line: &mut String, start: usize, note: &str) {
        if note.is_empty() {
            return;
        }
        *line = pad(line, start);
        match note.strip_prefix(CROSS) {
            Some(rest) => *line += &(self.paint.alarm(CROSS) + rest),
            None => *line += note,
        }
    }

    /// The layout for narrow screens and many actors: nothing is cut, long texts and notes go on below.
    fn one_line_per_step(&self) -> Vec<String> {
        let start = INDENT.len() + self.number_width + 2;
        let names = self.cells().map(|cell| width(&self.actors[cell.actor])).filter(|&name| name <= self.width / 3);
        let names = names.max().unwrap_or(0).max("actor".len());
        let left = start + names + 2;
        let room = self.width.saturating_sub(left).max(20);
        let texts = self.cells().map(|cell| width(self.text_after_name(cell))).filter(|&text| text <= room / 2);
        let texts = texts.max().unwrap_or(0);

        let mut lines = vec![self.paint.bold(&(pad(&format!("{INDENT}step"), start) + "actor"))];
        for line in &self.lines {
            match line {
                Line::Gap(steps, before) => lines.push(self.gap(*steps, *before)),
                Line::Step(cell) => self.push_step(&mut lines, cell, left, texts, room),
            }
        }
        lines
    }

    fn push_step(&self, lines: &mut Vec<String>, cell: &Cell, left: usize, texts: usize, room: usize) {
        let start = INDENT.len() + self.number_width + 2;
        let mut line =
            pad(&format!("{}{}", self.margin(&cell.steps, true), cell.number), start) + &self.actors[cell.actor];
        // Where the frame is, the lines below go on with it.
        let below = self.margin(&cell.steps, false).trim_end();
        if width(&line) + 2 > left {
            lines.push(line);
            line = below.to_owned();
        }
        let text = self.text_after_name(cell);
        let mut pieces = wrap(text, room).into_iter();
        line = pad(&line, left) + &pieces.next().unwrap_or_default();
        for piece in pieces {
            lines.push(line.trim_end().to_owned());
            line = pad(below, left) + &piece;
        }
        let gap = if texts == 0 && text.is_empty() { 0 } else { NOTE_GAP };
        let aligned = (left + texts).max(width(&line)) + gap;
        if cell.note.is_empty() || aligned + width(&cell.note) <= left + room {
            self.push_note(&mut line, aligned, &cell.note);
            lines.push(line.trim_end().to_owned());
            return;
        }
        lines.push(line.trim_end().to_owned());
        for piece in wrap(&cell.note, room.saturating_sub(2)) {
            let mut line = below.to_owned();
            self.push_note(&mut line, left + 2, &piece);
            lines.push(line);
        }
    }

    /// What a cell says beyond the name of its actor: an event may be described by its name alone.
    fn text_after_name<'a>(&self, cell: &'a Cell) -> &'a str {
        if cell.text == self.actors[cell.actor] { "" } else { &cell.text }
    }
}

impl Cell {
    fn new(story: &Story, rows: Range<usize>) -> Cell {
        let fails = story.failing.is_some_and(|row| rows.contains(&row));
        let (row, last) = (&story.rows[rows.start], &story.rows[rows.end - 1]);
        Cell {
            steps: row.number..=last.number,
            number: if rows.len() > 1 { format!("{}-{}", row.number, last.number) } else { row.number.to_string() },
            actor: row.actor,
            text: one_line(&row.text),
            note: one_line(&note(story, &story.changes_of(rows), fails)),
        }
    }
}

/// The values beside a step: what it changed, and at the failing step also what it read.
fn note(story: &Story, changes: &[Change], fails: bool) -> String {
    let mut parts: Vec<String> = changes.iter().map(change_words).collect();
    if !fails {
        return parts.join(", ");
    }
    let changed = |name: &str| changes.iter().any(|change| change.name == name);
    let read = story.violation.values.iter().filter(|value| !changed(&value.name));
    parts.extend(read.map(|value| format!("{} = {}", value.name, value.value)));
    let line = story.line_behind_step().map_or_else(String::new, |line| format!(" line {line}"));
    format!("{CROSS}{line}   {}", parts.join(", ")).trim_end().to_owned()
}

/// A changed value: `x: 0 → 1`.
pub(crate) fn change_words(change: &Change) -> String {
    match (&change.old, &change.new) {
        (Some(old), Some(new)) => format!("{}: {old} → {new}", change.name),
        (None, Some(new)) => format!("{} = {new}", change.name),
        (Some(old), None) => format!("{}: {old} → gone", change.name),
        (None, None) => change.name.clone(),
    }
}
