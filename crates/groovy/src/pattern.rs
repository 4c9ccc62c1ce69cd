//! Regular expressions.
//!
//! The `regex` crate matches in linear time and knows no look-around and no back references: a pattern that needs them
//! is reported as unsupported.

use super::trouble::{Trouble, TroubleKind};
use super::value::Value;
use regex::Regex;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// A compiled regular expression.
pub struct Pattern {
    source: Arc<str>,
    regex: Regex,
    /// The same, for matches of a whole text.
    whole: Regex,
}

/// A compiled pattern may take this much memory.
const MAX_COMPILED: usize = 1 << 20;

impl Pattern {
    /// Compiles a pattern as Java writes it.
    pub fn new(source: &str) -> Result<Rc<Self>, Trouble> {
        let compile = |text: &str| regex::RegexBuilder::new(text).size_limit(MAX_COMPILED).build();
        let regex = compile(source).map_err(|error| bad_pattern(source, &error))?;
        let whole = compile(&format!("^(?:{source})$")).or_else(|_| compile(&format!("^(?:{source}\n)$")));
        let whole = whole.map_err(|error| bad_pattern(source, &error))?;
        Ok(Rc::new(Pattern { source: Arc::from(source), regex, whole }))
    }

    /// The text that it was made of.
    pub fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// Finds matches anywhere in a text.
    pub(super) fn regex(&self) -> &Regex {
        &self.regex
    }

    /// Whether the whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        self.whole.is_match(text)
    }
}

fn bad_pattern(source: &str, error: &regex::Error) -> Trouble {
    let beyond_us =
        ["(?=", "(?!", "(?<=", "(?<!", "\\1", "\\2", "++", "*+", "?+"].iter().any(|sign| source.contains(sign));
    if beyond_us || matches!(error, regex::Error::CompiledTooBig(_)) {
        return Trouble::unsupported(format!("the regular expression /{source}/"));
    }
    let message = format!("not a regular expression: {source}");
    Trouble::new(TroubleKind::BadFormat { class: "PatternSyntaxException", message })
}

/// What `text =~ pattern` gives: all matches of the pattern in the text.
pub struct Matcher {
    pattern: Rc<Pattern>,
    text: Arc<str>,
    /// Each match with its groups.
    matches: Vec<Vec<Option<Arc<str>>>>,
    /// The number of the match after the one that `find()` came to last.
    next: Cell<usize>,
    /// Set by `matches()`: groups are then those of the whole text.
    whole: Cell<bool>,
}

impl Matcher {
    /// Looks for the pattern in a text.
    pub(super) fn new(pattern: Rc<Pattern>, text: Arc<str>) -> Self {
        let group = |found: Option<regex::Match<'_>>| found.map(|found| Arc::from(found.as_str()));
        let matches = pattern.regex.captures_iter(&text).map(|captures| captures.iter().map(group).collect()).collect();
        Matcher { pattern, text, matches, next: Cell::new(0), whole: Cell::new(false) }
    }

    /// How many matches there are.
    pub(super) fn count(&self) -> usize {
        self.matches.len()
    }

    /// Whether there is any match, which is what the matcher is worth as a condition.
    pub(super) fn is_found(&self) -> bool {
        !self.matches.is_empty()
    }

    /// Goes on to the next match, if there is one.
    pub(super) fn find(&self) -> bool {
        let next = self.next.get();
        self.next.set(next + 1);
        next < self.matches.len()
    }

    /// Whether the whole text matches; the groups are then those of that match.
    pub(super) fn matches(&self) -> bool {
        let whole = self.pattern.matches(&self.text);
        self.whole.set(whole);
        whole
    }

    /// The match at an index: its text, or a list of its text and its groups if the pattern has groups.
    pub(super) fn at(&self, index: usize) -> Option<Value> {
        let groups = self.matches.get(index)?;
        let mut values = groups.iter().map(|group| group.clone().map_or(Value::Null, Value::Text));
        Some(if groups.len() == 1 { values.next().unwrap_or_default() } else { Value::list(values.collect()) })
    }

    /// A group of the present match.
    pub(super) fn group(&self, number: usize) -> Option<Value> {
        let found = if self.whole.get() {
            self.pattern.whole.captures(&self.text)?.get(number).map(|found| Arc::from(found.as_str()))
        } else {
            self.matches.get(self.next.get().checked_sub(1)?)?.get(number)?.clone()
        };
        Some(found.map_or(Value::Null, Value::Text))
    }

    /// The number of groups of the pattern.
    pub(super) fn group_count(&self) -> usize {
        self.pattern.regex.captures_len() - 1
    }

    /// The pattern.
    pub(super) fn pattern(&self) -> &Rc<Pattern> {
        &self.pattern
    }

    /// The text.
    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }
}
