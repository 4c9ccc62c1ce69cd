//! The file of dependences: lines `src:<i> dest:<j>`, which say that operation i comes before operation j in every run.

use crate::line::Line;
use crate::operation::Operation;
use mazurka_core::Diagnostic;
use std::ops::Range;

/// One line, by the places of the two operations among the lines of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) source: usize,
    pub(crate) target: usize,
}

/// Reads all lines. Those of the trace stand in the order of their indices.
pub(crate) fn read_all(text: &str, lines: &[Line]) -> Result<Vec<Edge>, Diagnostic> {
    let mut edges = Vec::new();
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let content = whole.trim();
        let offset = start + (whole.len() - whole.trim_start().len());
        start += whole.len();
        if !content.is_empty() {
            edges.push(edge(content, offset..offset + content.len(), lines)?);
        }
    }
    Ok(edges)
}

fn edge(text: &str, span: Range<usize>, lines: &[Line]) -> Result<Edge, Diagnostic> {
    let mut words = text.split_ascii_whitespace();
    let mut index = |key: &str| words.next()?.strip_prefix(key)?.parse::<u32>().ok();
    let pair = (index("src:"), index("dest:"));
    let (Some(source), Some(target), None) = (pair.0, pair.1, words.next()) else {
        return Err(Diagnostic::new("not a dependence", span, "expected a line such as `src:21 dest:27`"));
    };
    let place = |index: u32| {
        let found = lines.binary_search_by_key(&index, |line| line.index);
        found.ok().filter(|&place| lines[place].operation != Operation::Start).ok_or_else(|| {
            let last = lines.last().map_or(0, |line| line.index);
            let expected = format!("expected the number of an operation, at most {last}");
            Diagnostic::new(format!("the trace has no operation {index}"), span.clone(), expected)
        })
    };
    let edge = Edge { source: place(source)?, target: place(target)? };
    if edge.source >= edge.target {
        return Err(Diagnostic::new(
            format!("operation {source} is not before operation {target} in the trace"),
            span,
            "expected an order that the trace has itself",
        ));
    }
    Ok(edge)
}
