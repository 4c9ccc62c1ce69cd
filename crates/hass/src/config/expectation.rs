//! What an owner expects of the home, whatever happens in which order: the file `mazurka.yaml` beside the configuration.
//!
//! ```yaml
//! The door is locked while we are away: never lock.front is unlocked and person.anna is not_home
//! The hall goes dark: within 10 min of binary_sensor.hall is off, light.hall is off
//! ```
//!
//! ```text
//! expectation = ("never" | "always") any | "within" length "of" any "," any
//! any  = all ("or" all)*
//! all  = one ("and" one)*
//! one  = "not" one | "(" any ")" | "{{" template "}}" | entity test
//! test = ("is" | "==") value | ("is not" | "!=") value | ("<" | "<=" | ">" | ">=") number
//! ```
//!
//! An entity is `light.hall`, an attribute of it `light.hall.brightness`. A value is a word, or a text in quotes.

use super::ast::{Bound, Condition, ConditionKind};
use super::include::Problem;
use crate::template;
use crate::yaml::{Node, Place};
use std::sync::Arc;

/// Something that is expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// What the owner calls it.
    pub name: String,
    /// Where it stands; one of the command line stands nowhere.
    pub place: Option<Place>,
    /// The sentence.
    pub text: String,
    /// What it means.
    pub kind: Expected,
}

/// What is expected.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// This is never so.
    Never(Condition),
    /// This is always so, from the first time on.
    Always(Condition),
    /// When the first comes to be so and stays so, the second is so within as many milliseconds.
    Within(i64, Condition, Condition),
}

impl Expected {
    /// The conditions in it.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        let (first, second) = match self {
            Expected::Never(condition) | Expected::Always(condition) => (condition, None),
            Expected::Within(_, of, then) => (of, Some(then)),
        };
        std::iter::once(first).chain(second)
    }
}

impl Expectation {
    /// Reads a sentence. The error says what was expected.
    pub fn parse(name: &str, text: &str, place: Option<Place>) -> Result<Expectation, String> {
        let at = place.unwrap_or_default();
        let words = text.trim_start();
        let rest = |word: &str| words.strip_prefix(word).filter(|rest| rest.starts_with(char::is_whitespace));
        let kind = if let Some(rest) = rest("never") {
            Expected::Never(whole(rest, at)?)
        } else if let Some(rest) = rest("always") {
            Expected::Always(whole(rest, at)?)
        } else if let Some(rest) = rest("within") {
            within(rest, at)?
        } else {
            return Err("expected `never …`, `always …` or `within 10 min of …, …`".to_owned());
        };
        Ok(Expectation { name: name.to_owned(), place, text: text.trim().to_owned(), kind })
    }
}

/// How much of a sentence that cannot be read is shown.
const MOST_SHOWN: usize = 120;

/// The expectations of a file: a mapping of names to sentences.
pub(super) fn expectations(node: &Node) -> Result<Vec<Expectation>, Problem> {
    let wrong = |node: &Node, message: String, expected: String| Err(Problem::new(node.place, message, expected));
    if !node.is_map() && !node.is_null() {
        let expected =
            "expected names with sentences, as in `Dark at night: never light.hall is on and sun.sun is below_horizon`";
        return wrong(node, format!("the file is {}", node.kind()), expected.to_owned());
    }
    let mut found = Vec::new();
    for (name, value) in node.entries() {
        let Some(text) = value.text() else {
            let message = format!("the expectation `{name}` is {}", value.kind());
            return wrong(value, message, "expected a sentence such as `never light.hall is on`".to_owned());
        };
        match Expectation::parse(&name.to_string(), text, Some(name.place)) {
            Ok(expectation) => found.push(expectation),
            Err(expected) => {
                let shown: String = text.chars().take(MOST_SHOWN).collect();
                let more = if text.chars().count() > MOST_SHOWN { "…" } else { "" };
                return wrong(value, format!("the expectation `{name}`: {shown}{more}"), expected);
            }
        }
    }
    Ok(found)
}

fn whole(text: &str, place: Place) -> Result<Condition, String> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, place, depth: 0 };
    let condition = parser.any()?;
    parser.end()?;
    Ok(condition)
}

/// `10 min of A, B`
fn within(text: &str, place: Place) -> Result<Expected, String> {
    let Some((length, rest)) = text.split_once(" of ") else {
        return Err("expected `of` after the length of time, as in `within 10 min of …, …`".to_owned());
    };
    let milliseconds = length_of(length.trim()).filter(|&length| length > 0).ok_or_else(|| {
        format!("expected a length of time such as 30 s, 10 min or 1 h instead of `{}`", length.trim())
    })?;
    let mut parser = Parser { tokens: tokens(rest)?, at: 0, place, depth: 0 };
    let of = parser.any()?;
    if !parser.take(",") {
        return Err(parser.instead("a comma, and what is so then"));
    }
    let then = parser.any()?;
    parser.end()?;
    Ok(Expected::Within(milliseconds, of, then))
}

/// The milliseconds of `10 min`, `1 h 30 min`, `00:10:00`, `90`.
fn length_of(text: &str) -> Option<i64> {
    if text.contains(':') || text.parse::<f64>().is_ok() {
        return crate::duration::of_text(text).filter(|length| *length < i64::from(i32::MAX));
    }
    let (mut total, mut rest) = (0.0, text);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').filter(|&end| end > 0)?;
        let number: f64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let letters = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        total += number
            * match &rest[..letters] {
                "s" | "sec" | "second" | "seconds" => 1000.0,
                "m" | "min" | "minute" | "minutes" => 60_000.0,
                "h" | "hour" | "hours" => 3_600_000.0,
                _ => return None,
            };
        rest = rest[letters..].trim_start();
    }
    (total < f64::from(i32::MAX)).then_some(total as i64)
}

#[derive(Clone, Debug, PartialEq)]
enum Sign {
    /// A name, a number, `is`, `and` and the like.
    Word(String),
    /// A text in quotes.
    Text(String),
    Template(String),
    Mark(&'static str),
}

const SIGNS: [&str; 9] = ["==", "!=", "<=", ">=", "<", ">", "(", ")", ","];

fn tokens(text: &str) -> Result<Vec<Sign>, String> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("{{") {
            let end = rest.find("}}").ok_or("expected `}}` at the end of the template")?;
            tokens.push(Sign::Template(rest[..end + 2].to_owned()));
            end + 2
        } else if first == '"' || first == '\'' {
            let end = rest[1..].find(first).ok_or_else(|| format!("expected a closing {first}"))?;
            tokens.push(Sign::Text(rest[1..=end].to_owned()));
            end + 2
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            tokens.push(Sign::Mark(sign));
            sign.len()
        } else {
            let is_part = |c: char| c.is_alphanumeric() || "_.-:+%".contains(c);
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            if end == 0 {
                return Err(format!("expected an entity, a value, `is`, `and`, `or` or `not` instead of `{first}`"));
            }
            tokens.push(Sign::Word(rest[..end].to_owned()));
            end
        };
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}

/// How deep parentheses and `not` may be nested.
const DEEPEST: usize = 40;

struct Parser {
    tokens: Vec<Sign>,
    at: usize,
    place: Place,
    depth: usize,
}

impl Parser {
    fn instead(&self, expected: &str) -> String {
        match self.tokens.get(self.at) {
            Some(Sign::Word(text) | Sign::Text(text) | Sign::Template(text)) => {
                format!("expected {expected} instead of `{text}`")
            }
            Some(Sign::Mark(sign)) => format!("expected {expected} instead of `{sign}`"),
            None => format!("expected {expected} at the end"),
        }
    }

    fn end(&self) -> Result<(), String> {
        if self.at == self.tokens.len() { Ok(()) } else { Err(self.instead("`and`, `or` or nothing more")) }
    }

    fn take(&mut self, sign: &str) -> bool {
        let is_it = matches!(self.tokens.get(self.at), Some(Sign::Mark(known)) if *known == sign);
        self.at += usize::from(is_it);
        is_it
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_it = matches!(self.tokens.get(self.at), Some(Sign::Word(known)) if known == word);
        self.at += usize::from(is_it);
        is_it
    }

    fn make(&self, kind: ConditionKind) -> Condition {
        Condition { place: self.place, kind }
    }

    fn any(&mut self) -> Result<Condition, String> {
        let mut some = vec![self.all()?];
        while self.take_word("or") {
            some.push(self.all()?);
        }
        Ok(if some.len() == 1 { some.remove(0) } else { self.make(ConditionKind::Or(some)) })
    }

    fn all(&mut self) -> Result<Condition, String> {
        let mut all = vec![self.one()?];
        while self.take_word("and") {
            all.push(self.one()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { self.make(ConditionKind::And(all)) })
    }

    fn one(&mut self) -> Result<Condition, String> {
        if self.depth == DEEPEST {
            return Err(format!("expected at most {DEEPEST} parentheses inside of each other"));
        }
        self.depth += 1;
        let condition = if self.take_word("not") {
            let inner = self.one()?;
            self.make(ConditionKind::Not(vec![inner]))
        } else if self.take("(") {
            let inner = self.any()?;
            if !self.take(")") {
                return Err(self.instead("`)`"));
            }
            inner
        } else if let Some(Sign::Template(text)) = self.tokens.get(self.at).cloned() {
            self.at += 1;
            let template =
                template::parse(&text, self.place).map_err(|why| format!("the template cannot be read: {why}"))?;
            self.make(ConditionKind::Template(Arc::new(template)))
        } else {
            self.test()?
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn test(&mut self) -> Result<Condition, String> {
        let Some(Sign::Word(name)) = self.tokens.get(self.at) else {
            return Err(self.instead("an entity such as light.hall"));
        };
        let mut parts = name.splitn(3, '.').map(str::to_lowercase);
        let (Some(domain), Some(object), attribute) = (parts.next(), parts.next(), parts.next()) else {
            return Err(self.instead("an entity such as light.hall"));
        };
        if domain.is_empty() || object.is_empty() || domain.parse::<f64>().is_ok() {
            return Err(self.instead("an entity such as light.hall"));
        }
        let entities = vec![format!("{domain}.{object}")];
        self.at += 1;
        if self.take("==") {
            return self.is(entities, attribute, false);
        }
        if self.take("!=") {
            return self.is(entities, attribute, true);
        }
        if self.take_word("is") {
            let not = self.take_word("not");
            return self.is(entities, attribute, not);
        }
        for (sign, is_above, is_not) in
            [("<=", true, true), (">=", false, true), ("<", false, false), (">", true, false)]
        {
            if self.take(sign) {
                let number = Bound::Number(self.number()?);
                let (above, below) = if is_above { (Some(number), None) } else { (None, Some(number)) };
                let inner = self.make(ConditionKind::Numeric { entities, attribute, above, below, value: None });
                return Ok(if is_not { self.make(ConditionKind::Not(vec![inner])) } else { inner });
            }
        }
        Err(self.instead("`is`, `is not`, `<`, `<=`, `>` or `>=`"))
    }

    fn is(&mut self, entities: Vec<String>, attribute: Option<String>, not: bool) -> Result<Condition, String> {
        let value = match self.tokens.get(self.at) {
            Some(Sign::Word(word)) if !["and", "or", "not", "is"].contains(&word.as_str()) => word.clone(),
            Some(Sign::Text(text)) => text.clone(),
            _ => return Err(self.instead("a value such as on")),
        };
        self.at += 1;
        let states = vec![value];
        let is = self.make(ConditionKind::State { entities, any: false, attribute, states, hold: None });
        Ok(if not { self.make(ConditionKind::Not(vec![is])) } else { is })
    }

    fn number(&mut self) -> Result<f64, String> {
        let number = match self.tokens.get(self.at) {
            Some(Sign::Word(word)) => word.parse().ok().filter(|number: &f64| number.is_finite()),
            _ => None,
        };
        let number = number.ok_or_else(|| self.instead("a number"))?;
        self.at += 1;
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Expected, String> {
        Expectation::parse("x", text, None).map(|expectation| expectation.kind)
    }

    #[test]
    fn sentences_are_read() {
        let Ok(Expected::Never(Condition { kind: ConditionKind::And(all), .. })) = parse(
            "never lock.front is unlocked and (alarm_control_panel.home == \"armed_away\" or sensor.x.level >= 3)",
        ) else {
            panic!("it is an expectation");
        };
        assert!(matches!(&all[0].kind, ConditionKind::State { entities, states, .. }
            if entities == &["lock.front"] && states == &["unlocked"]));
        assert!(matches!(&all[1].kind, ConditionKind::Or(some) if matches!(some[1].kind, ConditionKind::Not(_))));
        let Ok(Expected::Within(length, of, then)) =
            parse("within 1 h 30 min of {{ is_state('light.a', 'on') }}, light.b is not off")
        else {
            panic!("it is an expectation");
        };
        assert_eq!(length, 5_400_000);
        assert!(matches!(of.kind, ConditionKind::Template(_)) && matches!(then.kind, ConditionKind::Not(_)));
        assert!(parse("within 00:10:00 of light.a is on, light.b is on").is_ok());
        assert!(parse("always not light.a is on").is_ok());
    }

    #[test]
    fn what_is_wrong_is_told_with_what_was_expected() {
        let wrong = |text: &str| parse(text).expect_err("it is wrong");
        assert!(wrong("sometimes light.a is on").contains("`never …`"));
        assert!(wrong("never light is on").contains("an entity such as light.hall instead of `light`"));
        assert!(wrong("never light.a").contains("`is`"));
        assert!(wrong("never light.a is").contains("a value such as on at the end"));
        assert!(wrong("never light.a is on light.b is on").contains("`and`, `or` or nothing more"));
        assert!(wrong("within 10 bananas of light.a is on, light.b is on").contains("10 bananas"));
        assert!(wrong("within 10 min of light.a is on").contains("a comma"));
        assert!(wrong("never sensor.a > warm").contains("a number instead of `warm`"));
        assert!(wrong("never {{ states('x') ").contains("}}"));
        assert!(wrong(&format!("never {}light.a is on", "(".repeat(5_000))).contains("at most 40"));
        assert!(wrong("never light.a is 'on").contains("closing"));
    }
}
