//! A picture of a small part of an unfolding, as SVG.
//!
//! One column per actor, causes above their effects. An arrow leads from a cause to its effect, a dashed line joins events
//! in immediate conflict, and an event after which nothing needs to be explored has a dashed frame.

use crate::html::escape;
use std::fmt::Write as _;

/// Some events of an unfolding, causes before effects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unfolding {
    /// The events.
    pub events: Vec<Event>,
}

/// One step of one actor after one history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The actor that moves.
    pub actor: String,
    /// What it does.
    pub text: String,
    /// The nearest causes, by their places among the events.
    pub causes: Vec<usize>,
    /// Earlier events with which it is in immediate conflict.
    pub conflicts: Vec<usize>,
    /// Whether nothing needs to be explored after it.
    pub is_cutoff: bool,
}

const BOX_HEIGHT: usize = 28;
const LAYER_HEIGHT: usize = 66;
const GAP: usize = 18;
const COLUMN_GAP: usize = 44;
const MARGIN: usize = 16;
const HEADING: usize = 34;
/// How wide a character is, and how many of a text are shown.
const CHARACTER: usize = 8;
const MOST_CHARACTERS: usize = 26;

/// Its own colours, for a light and for a dark ground: the picture also stands alone.
const STYLE: &str = "\
.unfolding{--ink:#1c2330;--dim:#5e6675;--raised:#ffffff;--red:#b9281a;font:13px ui-monospace,Menlo,Consolas,monospace}\
@media(prefers-color-scheme:dark){.unfolding{--ink:#e8e6e1;--dim:#9aa3b2;--raised:#1b1f27;--red:#ff8675}}\
.unfolding text{fill:var(--ink);text-anchor:middle;dominant-baseline:central}\
.unfolding .actor{font-weight:bold}\
.unfolding rect{fill:var(--raised);stroke:var(--ink)}\
.unfolding .cutoff rect{stroke-dasharray:5 3;stroke:var(--dim)}\
.unfolding .cutoff text{fill:var(--dim)}\
.unfolding path{fill:none;stroke:var(--dim)}\
.unfolding .conflict{stroke:var(--red);stroke-dasharray:3 4}\
.unfolding marker path{fill:var(--dim);stroke:none}";

/// Where an event stands: its middle, and half of its width.
#[derive(Clone, Copy)]
struct Spot {
    x: usize,
    y: usize,
    half: usize,
}

/// The picture.
pub fn svg(unfolding: &Unfolding) -> String {
    let Layout { spots, columns, width, height } = Layout::of(unfolding);
    let conflicts: usize = unfolding.events.iter().map(|event| event.conflicts.len()).sum();
    let cutoffs = unfolding.events.iter().filter(|event| event.is_cutoff).count();
    let mut drawn = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"unfolding\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{} events, {conflicts} immediate conflicts, \
         {cutoffs} cutoffs\">\n<style>{STYLE}</style>\n<defs><marker id=\"cause\" viewBox=\"0 0 8 8\" refX=\"7\" \
         refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n",
        unfolding.events.len(),
    );
    for (name, x) in columns {
        line(&mut drawn, format_args!("<text class=\"actor\" x=\"{x}\" y=\"{MARGIN}\">{}</text>", escape(name)));
    }
    for (event, &spot) in unfolding.events.iter().zip(&spots) {
        for &cause in &event.causes {
            line(&mut drawn, format_args!("<path d=\"{}\" marker-end=\"url(#cause)\"/>", arrow(spots[cause], spot)));
        }
        for &other in &event.conflicts {
            line(&mut drawn, format_args!("<path class=\"conflict\" d=\"{}\"/>", join(spots[other], spot)));
        }
    }
    for (event, &spot) in unfolding.events.iter().zip(&spots) {
        draw_event(&mut drawn, event, spot);
    }
    drawn.push_str("</svg>\n");
    drawn
}

fn draw_event(drawn: &mut String, event: &Event, Spot { x, y, half }: Spot) {
    let (class, remark) = if event.is_cutoff { ("event cutoff", ", a cutoff") } else { ("event", "") };
    let (left, top, width) = (x - half, y - BOX_HEIGHT / 2, 2 * half);
    line(
        drawn,
        format_args!(
            "<g class=\"{class}\"><title>{}: {}{remark}</title><rect x=\"{left}\" y=\"{top}\" width=\"{width}\" \
             height=\"{BOX_HEIGHT}\" rx=\"6\"/><text x=\"{x}\" y=\"{y}\">{}</text></g>",
            escape(&event.actor),
            escape(&event.text),
            escape(&shown(&event.text)),
        ),
    );
}

fn line(drawn: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing into a string cannot fail.
    let _ = writeln!(drawn, "{text}");
}

/// From the lower edge of a cause to the upper edge of its effect.
fn arrow(cause: Spot, effect: Spot) -> String {
    let (from, to) = (cause.y + BOX_HEIGHT / 2, effect.y - BOX_HEIGHT / 2);
    let middle = (from + to) / 2;
    format!("M{} {from}C{} {middle} {} {middle} {} {to}", cause.x, cause.x, effect.x, effect.x)
}

/// Between two events: side by side along a straight line, otherwise in a bow that leaves the middle free.
fn join(one: Spot, other: Spot) -> String {
    let (left, right) = if one.x <= other.x { (one, other) } else { (other, one) };
    if left.y == right.y && left.x != right.x {
        let bow = left.y + BOX_HEIGHT;
        return format!("M{} {}C{} {bow} {} {bow} {} {}", left.x, left.y, left.x, right.x, right.x, right.y);
    }
    format!("M{} {}L{} {}", left.x, left.y, right.x, right.y)
}

/// A text, shortened to what fits.
fn shown(text: &str) -> String {
    if text.chars().count() <= MOST_CHARACTERS {
        return text.to_owned();
    }
    text.chars().take(MOST_CHARACTERS - 1).chain(['…']).collect()
}

struct Layout<'u> {
    spots: Vec<Spot>,
    columns: Vec<(&'u str, usize)>,
    width: usize,
    height: usize,
}

impl<'u> Layout<'u> {
    fn of(unfolding: &'u Unfolding) -> Self {
        let events = &unfolding.events;
        let mut layers: Vec<usize> = Vec::with_capacity(events.len());
        for event in events {
            layers.push(event.causes.iter().map(|&cause| layers[cause] + 1).max().unwrap_or(0));
        }
        let depth = layers.iter().max().map_or(0, |deepest| deepest + 1);
        let mut actors: Vec<&str> = Vec::new();
        for event in events {
            if !actors.contains(&event.actor.as_str()) {
                actors.push(&event.actor);
            }
        }
        let half = |event: &Event| shown(&event.text).chars().count() * CHARACTER / 2 + 10;
        let mut spots = vec![Spot { x: 0, y: 0, half: 0 }; events.len()];
        let (mut columns, mut left) = (Vec::new(), MARGIN);
        for actor in actors {
            let of_layer = |layer: usize| {
                let belongs = |&index: &usize| layers[index] == layer && events[index].actor == actor;
                (0..events.len()).filter(belongs).collect::<Vec<_>>()
            };
            let rows: Vec<Vec<usize>> = (0..depth).map(&of_layer).collect();
            let width_of = |row: &Vec<usize>| {
                row.iter().map(|&index| 2 * half(&events[index])).sum::<usize>() + row.len().saturating_sub(1) * GAP
            };
            let width = rows.iter().map(width_of).max().unwrap_or(0).max(actor.chars().count() * CHARACTER);
            for (layer, row) in rows.iter().enumerate() {
                let mut x = left + (width - width_of(row)) / 2;
                for &index in row {
                    let half = half(&events[index]);
                    spots[index] = Spot { x: x + half, y: MARGIN + HEADING + layer * LAYER_HEIGHT, half };
                    x += 2 * half + GAP;
                }
            }
            columns.push((actor, left + width / 2));
            left += width + COLUMN_GAP;
        }
        let width = (left + MARGIN).saturating_sub(COLUMN_GAP);
        let height = 2 * MARGIN + HEADING + depth.saturating_sub(1) * LAYER_HEIGHT + BOX_HEIGHT / 2;
        Layout { spots, columns, width, height }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(actor: &str, text: &str, causes: &[usize], conflicts: &[usize], is_cutoff: bool) -> Event {
        let (actor, text) = (actor.to_owned(), text.to_owned());
        Event { actor, text, causes: causes.to_vec(), conflicts: conflicts.to_vec(), is_cutoff }
    }

    #[test]
    fn every_event_cause_and_conflict_is_drawn_once_and_texts_are_no_markup() {
        let unfolding = Unfolding {
            events: vec![
                event("w", "x = 1", &[], &[], false),
                event("r", "a < x", &[], &[0], false),
                event("r", "a < x", &[0], &[], true),
            ],
        };
        let drawn = svg(&unfolding);
        let times = |what: &str| drawn.matches(what).count();
        assert_eq!((times("<g class=\"event"), times("cutoff\"><title>"), times("url(#cause)")), (3, 1, 1));
        assert_eq!((times("class=\"conflict\""), times("a &lt; x</text>"), times("class=\"actor\"")), (1, 2, 2));
        assert!(drawn.contains("aria-label=\"3 events, 1 immediate conflicts, 1 cutoffs\""));
    }

    #[test]
    fn an_empty_unfolding_is_an_empty_picture() {
        assert!(svg(&Unfolding::default()).contains("0 events"));
    }
}
