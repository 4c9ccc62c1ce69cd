//! The user's own rules: what must never be, such as `lock == "unlocked" and mode == "Away"`.
//!
//! ```text
//! rule  = any ; any = all ("or" all)* ; all = not ("and" not)* ; not = "not" not | "(" any ")" | comparison
//! comparison = operand ("==" | "!=" | "<" | "<=" | ">" | ">=") operand
//! operand = a text in quotes | a number | true | false | null | a name
//! ```
//!
//! A name is `mode`, an attribute (`lock`), an attribute of a device (`"front door".lock`), or an entry of an app's
//! state (`"Fire Alarm".state.armed`).

use crate::app::nearest;
use crate::state::State;
use crate::store::{Slot, Store};
use mazurka_core::Diagnostic;
use mazurka_groovy::Frozen;
use std::cmp::Ordering;
use std::ops::Range;

/// How deep parentheses and `not` may be nested. No rule has more, and each takes a part of the stack.
const DEEPEST: usize = 100;

/// A rule: a state in which it is true is a violation.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// As the user wrote it.
    pub(crate) text: String,
    pub(crate) slots: Vec<(Slot, String)>,
    condition: Condition,
}

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    Or(Vec<Condition>),
    And(Vec<Condition>),
    Not(Box<Condition>),
    Compare(Operand, Comparison, Operand),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Debug, PartialEq)]
enum Operand {
    Value(Frozen),
    Slot(Slot),
}

/// Knows what the names of a rule mean.
pub(crate) trait Names {
    /// The slot of a name, given as the parts between its dots; or what is wrong with it and what was expected.
    fn find(&self, parts: &[String]) -> Result<Slot, (String, String)>;

    /// The texts that a slot can hold, if they are known.
    fn texts(&self, slot: Slot) -> Option<Vec<String>>;
}

impl Rule {
    /// Reads a rule.
    pub(crate) fn parse(text: &str, names: &dyn Names) -> Result<Rule, Diagnostic> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0, end: text.len(), depth: 0, names, slots: Vec::new() };
        let condition = parser.any()?;
        if let Some(token) = parser.tokens.get(parser.at) {
            let message = "the rule should end here";
            return Err(Diagnostic::new(message, token.span.clone(), "expected and, or, or nothing more"));
        }
        Ok(Rule { text: text.to_owned(), slots: parser.slots, condition })
    }

    /// The same without blanks around its text.
    pub(crate) fn trimmed(self) -> Self {
        Rule { text: self.text.trim().to_owned(), ..self }
    }

    /// Whether what the rule says is the case.
    pub(crate) fn holds(&self, state: &State, store: &Store) -> bool {
        self.condition.holds(state, store)
    }

    /// Whether what the rule forbids is the case.
    pub(crate) fn is_broken(&self, state: &State, store: &Store) -> bool {
        self.holds(state, store)
    }

    /// Whether the rule can be broken where only what `changes` may have other values than in this state.
    pub(crate) fn can_be_broken(&self, state: &State, store: &Store, changes: &dyn Fn(Slot) -> bool) -> bool {
        self.condition.can_be(true, state, store, changes)
    }
}

impl Condition {
    fn holds(&self, state: &State, store: &Store) -> bool {
        match self {
            Condition::Or(some) => some.iter().any(|one| one.holds(state, store)),
            Condition::And(all) => all.iter().all(|one| one.holds(state, store)),
            Condition::Not(one) => !one.holds(state, store),
            Condition::Compare(left, comparison, right) => {
                let value = |operand: &Operand| match operand {
                    Operand::Value(value) => value.clone(),
                    Operand::Slot(slot) => store.value(state.get(*slot)).unwrap_or_default(),
                };
                comparison.holds(&value(left), &value(right))
            }
        }
    }

    /// Whether it can be true, or false, where only what `changes` may have other values than in this state. What is
    /// compared may be anything then, so this may be said of a condition that never is.
    fn can_be(&self, wanted: bool, state: &State, store: &Store, changes: &dyn Fn(Slot) -> bool) -> bool {
        let can_be = |one: &Condition, wanted| one.can_be(wanted, state, store, changes);
        match self {
            Condition::Or(some) if wanted => some.iter().any(|one| can_be(one, true)),
            Condition::Or(all) => all.iter().all(|one| can_be(one, false)),
            Condition::And(all) if wanted => all.iter().all(|one| can_be(one, true)),
            Condition::And(some) => some.iter().any(|one| can_be(one, false)),
            Condition::Not(one) => can_be(one, !wanted),
            Condition::Compare(left, _, right) => {
                let varies = |operand: &Operand| matches!(operand, Operand::Slot(slot) if changes(*slot));
                varies(left) || varies(right) || self.holds(state, store) == wanted
            }
        }
    }
}

impl Comparison {
    fn holds(self, left: &Frozen, right: &Frozen) -> bool {
        let order = match (number(left), number(right)) {
            (Some(left), Some(right)) => left.partial_cmp(&right),
            _ if left == right => Some(Ordering::Equal),
            _ => None,
        };
        match self {
            Comparison::Equal => order == Some(Ordering::Equal),
            Comparison::Unequal => order != Some(Ordering::Equal),
            Comparison::Less => order == Some(Ordering::Less),
            Comparison::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Comparison::Greater => order == Some(Ordering::Greater),
            Comparison::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

/// A value as a number. A text counts as one if it looks like one: apps keep numbers as texts.
fn number(value: &Frozen) -> Option<f64> {
    match value {
        Frozen::Int(number) => Some(f64::from(*number)),
        Frozen::Long(number) => Some(*number as f64),
        Frozen::Double(bits) => Some(f64::from_bits(*bits)),
        Frozen::Decimal(number) => number.to_string().parse().ok(),
        Frozen::Text(text) => text.parse().ok(),
        _ => None,
    }
}

#[derive(Clone, Debug, PartialEq)]
struct Token {
    kind: TokenKind,
    span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
enum TokenKind {
    /// A name, a number, `and`, `or`, `not`.
    Word(String),
    /// A text in quotes.
    Text(String),
    /// A comparison, a parenthesis or a dot.
    Sign(&'static str),
}

const SIGNS: [&str; 9] = ["==", "!=", "<=", ">=", "<", ">", "(", ")", "."];

fn tokens(text: &str) -> Result<Vec<Token>, Diagnostic> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if first == '"' || first == '\'' {
            let Some(end) = rest[1..].find(first) else {
                return Err(Diagnostic::new("the text does not end", at..text.len(), "expected a closing quote"));
            };
            (TokenKind::Text(rest[1..=end].to_owned()), end + 2)
        } else if let Some(word) = word(rest) {
            (TokenKind::Word(word.to_owned()), word.len())
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (TokenKind::Sign(sign), sign.len())
        } else {
            let expected = "expected ==, !=, <, <=, >, >=, and, or, not, a name, a number or a text in quotes";
            return Err(Diagnostic::new("this has no meaning in a rule", at..at + first.len_utf8(), expected));
        };
        tokens.push(Token { kind, span: at..at + length });
        at += length;
    }
    Ok(tokens)
}

/// A name or a number at the start of a text. A number may have a fraction; a name has no dot.
fn word(text: &str) -> Option<&str> {
    let is_number = text.starts_with(|first: char| first.is_ascii_digit() || first == '-');
    let belongs =
        |letter: char| letter.is_alphanumeric() || letter == '_' || (is_number && (letter == '.' || letter == '-'));
    let length = text.find(|letter| !belongs(letter)).unwrap_or(text.len());
    (length > 0).then_some(&text[..length])
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    end: usize,
    /// How many parentheses and `not` are around this place.
    depth: usize,
    names: &'a dyn Names,
    slots: Vec<(Slot, String)>,
}

impl Parser<'_> {
    fn any(&mut self) -> Result<Condition, Diagnostic> {
        let mut some = vec![self.all()?];
        while self.take_word("or") {
            some.push(self.all()?);
        }
        Ok(if some.len() == 1 { some.remove(0) } else { Condition::Or(some) })
    }

    fn all(&mut self) -> Result<Condition, Diagnostic> {
        let mut all = vec![self.not()?];
        while self.take_word("and") {
            all.push(self.not()?);
        }
        Ok(if all.len() == 1 { all.remove(0) } else { Condition::And(all) })
    }

    fn not(&mut self) -> Result<Condition, Diagnostic> {
        if self.depth == DEEPEST {
            return Err(self.expected("the rule is nested too deeply", &format!("expected at most {DEEPEST} levels")));
        }
        self.depth += 1;
        let condition = if self.take_word("not") {
            Condition::Not(Box::new(self.not()?))
        } else if self.take_sign("(") {
            let inner = self.any()?;
            if !self.take_sign(")") {
                return Err(self.expected("a parenthesis is not closed", "expected )"));
            }
            inner
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Condition, Diagnostic> {
        let (left, left_span) = self.operand()?;
        const ALL: [(&str, Comparison); 6] = [
            ("==", Comparison::Equal),
            ("!=", Comparison::Unequal),
            ("<=", Comparison::LessOrEqual),
            (">=", Comparison::GreaterOrEqual),
            ("<", Comparison::Less),
            (">", Comparison::Greater),
        ];
        let Some((_, comparison)) = ALL.into_iter().find(|(sign, _)| self.take_sign(sign)) else {
            return Err(self.expected("a comparison is missing", "expected ==, !=, <, <=, > or >="));
        };
        let (right, right_span) = self.operand()?;
        self.check_text(&left, &right, &right_span)?;
        self.check_text(&right, &left, &left_span)?;
        Ok(Condition::Compare(left, comparison, right))
    }

    /// A text that something is compared with must be one that it can be.
    fn check_text(&self, of: &Operand, with: &Operand, span: &Range<usize>) -> Result<(), Diagnostic> {
        let (Operand::Slot(slot), Operand::Value(Frozen::Text(text))) = (of, with) else { return Ok(()) };
        let Some(known) = self.names.texts(*slot) else { return Ok(()) };
        if known.iter().any(|known| **known == **text) {
            return Ok(());
        }
        let expected = format!("expected one of: {}", nearest(text, known.iter().map(String::as_str)));
        Err(Diagnostic::new(format!("it is never {text:?}"), span.clone(), expected))
    }

    fn operand(&mut self) -> Result<(Operand, Range<usize>), Diagnostic> {
        let Some(token) = self.tokens.get(self.at).cloned() else {
            return Err(self.expected("the rule is not complete", "expected a name, a number or a text in quotes"));
        };
        self.at += 1;
        let mut span = token.span.clone();
        let first = match token.kind {
            TokenKind::Sign(_) => {
                self.at -= 1;
                return Err(self.expected("a value is missing", "expected a name, a number or a text in quotes"));
            }
            TokenKind::Text(text) if !self.next_is(".") => return Ok((Operand::Value(Frozen::text(&text)), span)),
            TokenKind::Word(word) => {
                if let Some(value) = literal(&word) {
                    return Ok((Operand::Value(value), span));
                }
                word
            }
            TokenKind::Text(text) => text,
        };
        let mut parts = vec![first];
        while self.take_sign(".") {
            match self.tokens.get(self.at) {
                Some(Token { kind: TokenKind::Word(part) | TokenKind::Text(part), span: end }) => {
                    parts.push(part.clone());
                    span.end = end.end;
                    self.at += 1;
                }
                _ => return Err(self.expected("a name is not complete", "expected a name")),
            }
        }
        let slot =
            self.names.find(&parts).map_err(|(message, expected)| Diagnostic::new(message, span.clone(), expected))?;
        if !self.slots.iter().any(|(known, _)| *known == slot) {
            self.slots.push((slot, parts.join(".")));
        }
        Ok((Operand::Slot(slot), span))
    }

    fn next_is(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token { kind: TokenKind::Sign(next), .. }) if *next == sign)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let is_next = self.next_is(sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn take_word(&mut self, word: &str) -> bool {
        let is_next =
            matches!(self.tokens.get(self.at), Some(Token { kind: TokenKind::Word(next), .. }) if next == word);
        self.at += usize::from(is_next);
        is_next
    }

    fn expected(&self, message: &str, label: &str) -> Diagnostic {
        let span = self.tokens.get(self.at).map_or(self.end..self.end, |token| token.span.clone());
        Diagnostic::new(message, span, label)
    }
}

fn literal(word: &str) -> Option<Frozen> {
    match word {
        "true" => Some(Frozen::Bool(true)),
        "false" => Some(Frozen::Bool(false)),
        "null" => Some(Frozen::Null),
        _ => match (word.parse::<i32>(), word.parse()) {
            (Ok(number), _) => Some(Frozen::Int(number)),
            (Err(_), Ok(number)) => Some(Frozen::Decimal(number)),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct TwoNames;

    impl Names for TwoNames {
        fn find(&self, parts: &[String]) -> Result<Slot, (String, String)> {
            match parts.join(".").as_str() {
                "lock" | "front door.lock" => Ok(Slot(0)),
                "temperature" => Ok(Slot(1)),
                "A.state.armed" => Ok(Slot(2)),
                other => Err((format!("nothing is called {other:?}"), "expected one of: lock, temperature".into())),
            }
        }

        fn texts(&self, slot: Slot) -> Option<Vec<String>> {
            (slot == Slot(0)).then(|| vec!["locked".into(), "unlocked".into()])
        }
    }

    fn holds(rule: &str) -> bool {
        let store = Store::new(5);
        let mut state = State::default();
        state.set(Slot(0), store.intern_value(Frozen::text("locked")));
        state.set(Slot(1), store.intern_value(Frozen::Int(55)));
        Rule::parse(rule, &TwoNames).expect("it is well formed").is_broken(&state, &store)
    }

    fn error(rule: &str) -> (String, String) {
        let error = Rule::parse(rule, &TwoNames).expect_err("it is not well formed");
        (error.message, rule[error.span].to_owned())
    }

    #[test]
    fn conditions_over_a_state() {
        assert!(holds("lock == \"locked\""));
        assert!(holds("'front door'.lock != 'unlocked' and temperature > 50"));
        assert!(holds("temperature < 50 or not (lock == \"unlocked\")"));
        assert!(!holds("temperature >= 55.5"));
        assert!(holds("temperature <= 55 and 55 == temperature"));
        assert!(holds("A.state.armed == null"));
        assert!(!holds("not not lock == 'unlocked'"));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        assert_eq!(error("lok == 'locked'"), ("nothing is called \"lok\"".into(), "lok".into()));
        assert_eq!(error("lock == 'open'"), ("it is never \"open\"".into(), "'open'".into()));
        assert_eq!(error("lock = 'open'"), ("this has no meaning in a rule".into(), "=".into()));
        assert_eq!(error("lock"), ("a comparison is missing".into(), String::new()));
        assert_eq!(error("(lock == 'locked'"), ("a parenthesis is not closed".into(), String::new()));
        assert_eq!(error("lock == 'locked"), ("the text does not end".into(), "'locked".into()));
        assert_eq!(error("lock == 'locked' temperature"), ("the rule should end here".into(), "temperature".into()));
        assert_eq!(error("lock == "), ("the rule is not complete".into(), String::new()));
        assert_eq!(error("lock == )"), ("a value is missing".into(), ")".into()));
        for deep in ["(", "not "] {
            let rule = format!("{}lock == 'locked'", deep.repeat(10_000));
            assert_eq!(error(&rule).0, "the rule is nested too deeply");
        }
        let nested = |depth: usize| format!("{}lock == 'locked'{}", "(".repeat(depth), ")".repeat(depth));
        assert!(holds(&nested(90)));
    }
}
