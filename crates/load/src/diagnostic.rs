//! What is wrong with a source text, shown in the text.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use mazurka::Diagnostic;
use mazurka::report::layout::{Paint, one_line, width};
use mazurka::report::terminal::{name, steers};
use std::ops::Range;

/// A line longer than this is not shown whole.
const LONGEST_LINE: usize = 200;
/// How many characters of a longer line are shown on each side of the place.
const EXCERPT: usize = 30;

/// Shows diagnostics, each with its line of the source. Of a span over several lines, the first is shown; a span may
/// reach beyond the end of the source or into the middle of a character.
pub fn render(file_name: &str, source: &str, diagnostics: &[Diagnostic], colour: bool) -> String {
    let mut text = String::new();
    for (index, diagnostic) in diagnostics.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let spot = Spot::find(source, &diagnostic.span);
        text.push_str(&if spot.is_presentable() {
            snippet(file_name, &spot, diagnostic, colour)
        } else {
            plain(file_name, &spot, diagnostic, colour)
        });
        text.push('\n');
    }
    text
}

/// A line of the source, and the part of it that is meant.
struct Spot<'a> {
    line: &'a str,
    /// From 1.
    number: usize,
    within: Range<usize>,
}

impl<'a> Spot<'a> {
    fn find(source: &'a str, span: &Range<usize>) -> Spot<'a> {
        let start = floor(source, span.start.min(source.len()));
        let line_start = source[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = source[start..].find('\n').map_or(source.len(), |newline| start + newline);
        let line = source[line_start..line_end].trim_end_matches('\r');
        let within_start = (start - line_start).min(line.len());
        let within_end = floor(line, span.end.saturating_sub(line_start).clamp(within_start, line.len()));
        let number = source[..line_start].matches('\n').count() + 1;
        Spot { line, number, within: within_start..within_end.max(within_start) }
    }

    /// Whether the line can be shown as it is: short enough, and text.
    fn is_presentable(&self) -> bool {
        width(self.line) <= LONGEST_LINE && !self.line.chars().any(|c| steers(c) && c != '\t')
    }

    fn column(&self) -> usize {
        width(&self.line[..self.within.start]) + 1
    }

    /// The surroundings of the place.
    fn excerpt(&self) -> String {
        let (before, after) = self.line.split_at(self.within.start);
        let from = before.char_indices().rev().nth(EXCERPT - 1).map_or(0, |(index, _)| index);
        let to = after.char_indices().nth(EXCERPT).map_or(after.len(), |(index, _)| index);
        let visible = |text: &str| text.chars().map(|c| if steers(c) { '.' } else { c }).collect::<String>();
        let left = if from > 0 { "…" } else { "" };
        let right = if to < after.len() { "…" } else { "" };
        format!("{left}{}{}{right}", visible(&before[from..]), visible(&after[..to]))
    }
}

/// The last boundary of a character at or before an index.
fn floor(text: &str, index: usize) -> usize {
    (0..=index.min(text.len())).rev().find(|&index| text.is_char_boundary(index)).unwrap_or(0)
}

fn snippet(file_name: &str, spot: &Spot<'_>, diagnostic: &Diagnostic, colour: bool) -> String {
    let (message, label, path) = (one_line(&diagnostic.message), one_line(&diagnostic.label), name(file_name));
    let mut annotation = AnnotationKind::Primary.span(spot.within.clone());
    if !label.is_empty() {
        annotation = annotation.label(label);
    }
    let source = Snippet::source(spot.line).line_start(spot.number).path(path).annotation(annotation);
    let mut group: Group<'_> = Level::ERROR.primary_title(message).element(source);
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(one_line(note)));
    }
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

/// For lines that would flood the screen or steer the terminal.
fn plain(file_name: &str, spot: &Spot<'_>, diagnostic: &Diagnostic, colour: bool) -> String {
    let paint = Paint { colour };
    let (file_name, message) = (name(file_name), one_line(&diagnostic.message));
    let place = format!("{file_name}:{}:{}", spot.number, spot.column());
    let mut lines = vec![format!("{}: {}: {message}", paint.alarm("error"), paint.bold(&place))];
    let excerpt = spot.excerpt();
    if !excerpt.is_empty() {
        lines.push(format!("  near `{excerpt}`"));
    }
    if !diagnostic.label.is_empty() {
        lines.push(format!("  {}", one_line(&diagnostic.label)));
    }
    lines.extend(diagnostic.notes.iter().map(|note| format!("  note: {}", one_line(note))));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(span: Range<usize>) -> Diagnostic {
        Diagnostic {
            message: "unknown variable `y`".to_owned(),
            span,
            label: "expected one of: x, z".to_owned(),
            notes: vec!["variables are declared with `var`".to_owned()],
        }
    }

    #[test]
    fn an_error_shows_file_line_text_and_what_was_expected() {
        let source = "var x = 0\nthread T1 {\r\n\tx = y + 1\r\n}\n";
        let first = at(source.find("y +").map_or(0..0, |start| start..start + 1));
        insta::assert_snapshot!(render("fig1.mz", source, &[first, at(source.len()..source.len())], false), @"
        error: unknown variable `y`
         --> fig1.mz:3:6
          |
        3 |     x = y + 1
          |         ^ expected one of: x, z
          |
          = note: variables are declared with `var`

        error: unknown variable `y`
         --> fig1.mz:5:1
          |
        5 |
          | ^ expected one of: x, z
          |
          = note: variables are declared with `var`
        ");
    }

    #[test]
    fn an_empty_source_can_be_wrong_too() {
        insta::assert_snapshot!(render("empty.mz", "", &[at(5..9)], false), @"
        error: unknown variable `y`
         --> empty.mz:1:1
          |
        1 |
          | ^ expected one of: x, z
          |
          = note: variables are declared with `var`
        ");
    }

    #[test]
    fn a_very_long_line_is_shown_in_part() {
        let source = format!("first\n{}y{}", "x + ".repeat(100), " + x".repeat(1000));
        insta::assert_snapshot!(render("long.mz", &source, &[at(406..407)], false), @"
        error: long.mz:2:401: unknown variable `y`
          near `…+ x + x + x + x + x + x + x + y + x + x + x + x + x + x + x …`
          expected one of: x, z
          note: variables are declared with `var`
        ");
    }

    #[test]
    fn what_is_not_text_does_not_reach_the_terminal() {
        insta::assert_snapshot!(render("tool", "\u{7f}ELF\u{0}\u{1b}[2J\u{fffd}", &[at(0..1)], false), @"
        error: tool:1:1: unknown variable `y`
          near `.ELF..[2J�`
          expected one of: x, z
          note: variables are declared with `var`
        ");
    }

    #[test]
    fn colour_is_only_used_where_it_is_wanted() {
        for source in ["y", "\u{0}"] {
            assert!(render("a.mz", source, &[at(0..1)], true).contains('\u{1b}'));
            assert!(!render("a.mz", source, &[at(0..1)], false).contains('\u{1b}'));
        }
    }

    proptest! {
        #[test]
        fn no_span_and_no_source_panics(source in r"(.|\n|\r|\t|é|漢|\u{0})*", start in 0..80usize, end in 0..80usize) {
            let text = render("any.mz", &source, &[at(start..end), at(end..start)], false);
            prop_assert!(text.contains("unknown variable"));
        }
    }
}
