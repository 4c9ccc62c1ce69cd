//! What a template looks at and compares with, found without rendering it.

use super::filters::{FILTERS, FUNCTIONS, UNKNOWABLE, is_filter, seconds_of};
use super::tree::{Arguments, Comparison, Expr, Piece, Template};
use super::value::Val;

/// What a template looks at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reads {
    /// Entities, each with an attribute or its state, and the values that it is compared with.
    pub states: Vec<(String, Option<String>, Vec<Val>)>,
    /// Whole domains.
    pub domains: Vec<String>,
    /// Entities of which it looks at when they changed, with the milliseconds that this is compared with, if known.
    pub ages: Vec<(String, Option<i64>)>,
    /// Times of day in seconds that the clock is compared with.
    pub times: Vec<i64>,
    /// Whether it looks at the weekday.
    pub weekday: bool,
    /// Whether it reads the clock at all.
    pub clock: bool,
    /// The names that it uses and does not define.
    pub names: Vec<String>,
    /// What cannot be known, in words.
    pub opaque: Vec<String>,
}

/// Looks through a template.
pub fn scan(template: &Template) -> Reads {
    let mut scan = Scan::default();
    scan.pieces(&template.body);
    let Scan { mut reads, defined, plain_now, .. } = scan;
    reads.names.retain(|name| !defined.contains(name));
    reads.names.sort();
    reads.names.dedup();
    if plain_now
        && reads.ages.is_empty()
        && reads.times.is_empty()
        && !template.text.contains("last_changed")
        && !template.text.contains("last_updated")
    {
        reads.opaque.push("`now()`".to_owned());
    }
    reads.opaque.sort();
    reads.opaque.dedup();
    reads
}

#[derive(Default)]
struct Scan {
    reads: Reads,
    defined: Vec<String>,
    /// `{% set x = states('…') %}`
    aliases: Vec<(String, (String, Option<String>))>,
    plain_now: bool,
}

impl Scan {
    fn pieces(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Text(_) | Piece::Break | Piece::Continue => {}
                Piece::Print(expr) | Piece::Do(expr) => self.expr(expr),
                Piece::If(branches, otherwise) => {
                    for (condition, body) in branches {
                        self.expr(condition);
                        self.pieces(body);
                    }
                    self.pieces(otherwise);
                }
                Piece::For { names, list, filter, body, otherwise } => {
                    self.defined.extend(names.iter().cloned().chain(["loop".to_owned()]));
                    self.expr(list);
                    filter.iter().for_each(|filter| self.expr(filter));
                    self.pieces(body);
                    self.pieces(otherwise);
                }
                Piece::Set(names, expr) => {
                    self.expr(expr);
                    if let ([name], Some(source)) = (names.as_slice(), self.source(expr)) {
                        self.aliases.push((name.clone(), source));
                    }
                    self.defined.extend(names.iter().cloned());
                }
                Piece::SetAttribute(_, _, expr) => self.expr(expr),
                Piece::SetBlock(name, body) => {
                    self.defined.push(name.clone());
                    self.pieces(body);
                }
                Piece::Macro { name, parameters, body } => {
                    self.defined.push(name.clone());
                    self.defined.extend(parameters.iter().map(|(name, _)| name.clone()));
                    self.pieces(body);
                }
                Piece::Unknown(what, names) => {
                    self.reads.opaque.push(what.clone());
                    self.defined.extend(names.iter().cloned());
                }
            }
        }
    }

    fn read(&mut self, entity: &str, attribute: Option<&str>, compared: &[Val]) {
        let attribute = attribute.map(str::to_owned);
        let entity = entity.to_lowercase();
        let known = self.reads.states.iter_mut().find(|(name, of, _)| *name == entity && *of == attribute);
        match known {
            Some((_, _, values)) => {
                values.extend(compared.iter().filter(|value| !values.contains(value)).cloned().collect::<Vec<_>>())
            }
            None => self.reads.states.push((entity, attribute, compared.to_vec())),
        }
    }

    /// The state or attribute that an expression is, filters such as `float` left out.
    fn source(&self, expr: &Expr) -> Option<(String, Option<String>)> {
        match expr {
            Expr::Filter(value, name, arguments) => match name.as_str() {
                "int" | "float" | "lower" | "trim" | "string" | "round" | "default" | "bool" | "abs" => {
                    self.source(value)
                }
                "states" => Some((literal(value)?, None)),
                "state_attr" => Some((literal(value)?, Some(literal(arguments.positional.first()?)?))),
                _ => None,
            },
            Expr::Call(function, arguments) => match function.as_ref() {
                Expr::Name(name) => match (name.as_str(), arguments.positional.as_slice()) {
                    ("states", [entity, ..]) => Some((literal(entity)?, None)),
                    ("state_attr", [entity, attribute]) => Some((literal(entity)?, Some(literal(attribute)?))),
                    ("float" | "int" | "bool", [value, ..]) => self.source(value),
                    _ => None,
                },
                _ => None,
            },
            Expr::Attribute(of, name) if name == "state" => Some((object(of)?, None)),
            Expr::Attribute(of, name) => match of.as_ref() {
                Expr::Attribute(of, attributes) if attributes == "attributes" => {
                    Some((object(of)?, Some(name.clone())))
                }
                _ => None,
            },
            Expr::Item(of, name) => match of.as_ref() {
                Expr::Attribute(of, attributes) if attributes == "attributes" => {
                    Some((object(of)?, Some(literal(name)?)))
                }
                _ => None,
            },
            Expr::Name(name) => {
                self.aliases.iter().rev().find(|(known, _)| known == name).map(|(_, source)| source.clone())
            }
            _ => None,
        }
    }

    fn arguments(&mut self, arguments: &Arguments) {
        arguments.positional.iter().for_each(|argument| self.expr(argument));
        arguments.named.iter().for_each(|(_, argument)| self.expr(argument));
    }

    fn expr(&mut self, expr: &Expr) {
        if let Some((entity, attribute)) = self.source(expr) {
            self.read(&entity, attribute.as_deref(), &[]);
        }
        match expr {
            Expr::Val(_) => {}
            Expr::Name(name) => self.reads.names.push(name.clone()),
            Expr::List(items) => items.iter().for_each(|item| self.expr(item)),
            Expr::Map(entries) => entries.iter().for_each(|(key, value)| {
                self.expr(key);
                self.expr(value);
            }),
            Expr::Attribute(of, name) => self.attribute(of, name),
            Expr::Item(of, key) => {
                if let (Expr::Name(states), Some(entity)) = (of.as_ref(), literal(key))
                    && states == "states"
                {
                    self.read(&entity, None, &[]);
                    return;
                }
                self.expr(of);
                self.expr(key);
            }
            Expr::Slice(of, bounds) => {
                self.expr(of);
                bounds.iter().flatten().for_each(|bound| self.expr(bound));
            }
            Expr::Call(function, arguments) => self.call(function, arguments),
            Expr::Filter(value, name, arguments) => {
                self.expr(value);
                self.arguments(arguments);
                self.function(name, [value.as_ref()].into_iter().chain(&arguments.positional));
                if !is_filter(name) || UNKNOWABLE.contains(&name.as_str()) {
                    self.reads.opaque.push(format!("the filter `{name}`"));
                }
            }
            Expr::Test(value, name, arguments, _) => {
                self.expr(value);
                arguments.iter().for_each(|argument| self.expr(argument));
                if let (Some((entity, attribute)), "eq" | "equalto" | "in" | "lt" | "gt" | "ge" | "le", [literal]) =
                    (self.source(value), name.as_str(), arguments.as_slice())
                {
                    let values = literals(literal);
                    self.read(&entity, attribute.as_deref(), &values);
                }
            }
            Expr::Not(value) | Expr::Negative(value) => self.expr(value),
            Expr::And(left, right) | Expr::Or(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            Expr::Binary(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            Expr::Choose(value, condition, otherwise) => {
                self.expr(value);
                self.expr(condition);
                otherwise.iter().for_each(|otherwise| self.expr(otherwise));
            }
            Expr::Compare(first, rest) => {
                let mut left = first.as_ref();
                self.expr(left);
                for (comparison, right) in rest {
                    self.expr(right);
                    self.compare(left, *comparison, right);
                    left = right;
                }
            }
        }
    }

    fn attribute(&mut self, of: &Expr, name: &str) {
        if let Some(entity) = object(of) {
            match name {
                "last_changed" | "last_updated" | "last_reported" => self.reads.ages.push((entity.clone(), None)),
                _ => {}
            }
            self.read(&entity, None, &[]);
            return;
        }
        if is_now(of) {
            self.reads.clock = true;
            if name != "hour" {
                self.reads.opaque.push(format!("`now().{name}`"));
            }
            return;
        }
        if let Expr::Name(states) = of
            && states == "states"
        {
            self.reads.domains.push(name.to_owned());
            return;
        }
        if let Expr::Attribute(entity, attributes) = of
            && attributes == "attributes"
            && object(entity).is_some()
        {
            return;
        }
        self.expr(of);
    }

    fn call(&mut self, function: &Expr, arguments: &Arguments) {
        self.arguments(arguments);
        match function {
            Expr::Name(name) => {
                if name == "now" || name == "utcnow" {
                    self.plain_now = true;
                    self.reads.clock = true;
                    return;
                }
                self.function(name, &arguments.positional);
                if self.defined.contains(name) {
                    return;
                }
                let known = FUNCTIONS.contains(&name.as_str()) || FILTERS.contains(&name.as_str());
                if !known || UNKNOWABLE.contains(&name.as_str()) {
                    self.reads.opaque.push(format!("`{name}(…)`"));
                }
            }
            Expr::Attribute(of, method) if is_now(of) => {
                self.reads.clock = true;
                match (method.as_str(), arguments.positional.first().and_then(literal).as_deref()) {
                    ("weekday" | "isoweekday", _) | ("strftime", Some("%w" | "%u" | "%a" | "%A")) => {
                        self.reads.weekday = true
                    }
                    ("strftime", Some("%H:%M" | "%H:%M:%S" | "%H" | "%X" | "%T")) => {}
                    _ => self.reads.opaque.push(format!("`now().{method}()`")),
                }
            }
            Expr::Attribute(of, _) => self.expr(of),
            other => self.expr(other),
        }
    }

    fn function<'a>(&mut self, name: &str, arguments: impl IntoIterator<Item = &'a Expr>) {
        let arguments: Vec<&Expr> = arguments.into_iter().collect();
        let first = arguments.first().and_then(|argument| literal(argument));
        match (name, first) {
            ("is_state", Some(entity)) => {
                let values = arguments.get(1).map(|value| literals(value)).unwrap_or_default();
                self.read(&entity, None, &values);
            }
            ("is_state_attr", Some(entity)) => {
                if let Some(attribute) = arguments.get(1).and_then(|attribute| literal(attribute)) {
                    let values = arguments.get(2).map(|value| literals(value)).unwrap_or_default();
                    self.read(&entity, Some(&attribute), &values);
                }
            }
            ("has_value", Some(entity)) => self.read(&entity, None, &[Val::text("unavailable")]),
            ("today_at", Some(time)) => {
                self.reads.clock = true;
                self.reads.times.extend(seconds_of(&time));
            }
            ("expand", _) => {
                for argument in &arguments {
                    for value in literals(argument) {
                        if let Val::Text(entity) = value {
                            self.read(&entity, None, &[]);
                        }
                    }
                }
            }
            ("area_entities" | "device_entities" | "label_entities" | "floor_entities" | "integration_entities", _) => {
                self.reads.opaque.push(format!("`{name}`, which the registry would tell"));
            }
            _ => {}
        }
    }

    fn compare(&mut self, left: &Expr, comparison: Comparison, right: &Expr) {
        for (one, other) in [(left, right), (right, left)] {
            if let Some((entity, attribute)) = self.source(one) {
                let values = literals(other);
                self.read(&entity, attribute.as_deref(), &values);
            }
            if let (Expr::Attribute(now, hour), Expr::Val(Val::Int(number))) = (one, other)
                && is_now(now)
                && hour == "hour"
            {
                self.reads.times.push(number * 3600);
                if matches!(
                    comparison,
                    Comparison::Equal
                        | Comparison::Unequal
                        | Comparison::AtMost
                        | Comparison::Greater
                        | Comparison::AtLeast
                        | Comparison::Less
                ) {
                    self.reads.times.push((number + 1) * 3600);
                }
            }
            if let (Expr::Call(function, _), Expr::Val(Val::Text(time))) = (one, other)
                && let (Expr::Attribute(now, _), Some(second)) = (function.as_ref(), seconds_of(time))
                && is_now(now)
            {
                self.reads.times.push(second);
            }
        }
        // How long ago something changed, against a length of time.
        let mut ages = Vec::new();
        aged(left, &mut ages);
        aged(right, &mut ages);
        if let ([entity], Some(length)) = (ages.as_slice(), span(left).or_else(|| span(right))) {
            self.reads.ages.push((entity.clone(), Some(length)));
        }
    }
}

/// The entities of which an expression uses when they changed.
fn aged(expr: &Expr, into: &mut Vec<String>) {
    match expr {
        Expr::Attribute(of, name) if name.starts_with("last_") => into.extend(object(of)),
        Expr::Attribute(of, _) | Expr::Not(of) | Expr::Negative(of) => aged(of, into),
        Expr::Filter(of, _, arguments) => {
            aged(of, into);
            arguments.positional.iter().for_each(|argument| aged(argument, into));
        }
        Expr::Call(function, arguments) => {
            aged(function, into);
            arguments.positional.iter().for_each(|argument| aged(argument, into));
        }
        Expr::Binary(_, left, right) => {
            aged(left, into);
            aged(right, into);
        }
        _ => {}
    }
}

/// The milliseconds of a literal length of time: a number of seconds, or `timedelta(…)`; of a sum that has one the same.
fn span(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Val(Val::Int(seconds)) => seconds.checked_mul(1000),
        Expr::Val(Val::Float(seconds)) => Some((seconds.0 * 1000.0) as i64),
        Expr::Call(function, arguments) if matches!(function.as_ref(), Expr::Name(name) if name == "timedelta") => {
            let mut total = 0;
            for (name, value) in &arguments.named {
                let Expr::Val(value) = value else { return None };
                let unit = match name.as_str() {
                    "days" => 86_400_000.0,
                    "hours" => 3_600_000.0,
                    "minutes" => 60_000.0,
                    "seconds" => 1000.0,
                    _ => return None,
                };
                total += (value.number()? * unit) as i64;
            }
            if let Some(Expr::Val(days)) = arguments.positional.first() {
                total += (days.number()? * 86_400_000.0) as i64;
            }
            Some(total)
        }
        Expr::Binary(_, left, right) => span(left).or_else(|| span(right)),
        _ => None,
    }
}

fn is_now(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(function, _) if matches!(function.as_ref(), Expr::Name(name) if name == "now"))
}

/// The entity of `states.domain.object`, and of `states['domain.object']`.
fn object(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Attribute(of, object) => match of.as_ref() {
            Expr::Attribute(states, domain) if matches!(states.as_ref(), Expr::Name(name) if name == "states") => {
                Some(format!("{domain}.{object}"))
            }
            _ => None,
        },
        Expr::Item(of, key) => match of.as_ref() {
            Expr::Name(name) if name == "states" => literal(key),
            Expr::Attribute(states, domain) if matches!(states.as_ref(), Expr::Name(name) if name == "states") => {
                Some(format!("{domain}.{}", literal(key)?))
            }
            _ => None,
        },
        _ => None,
    }
}

fn literal(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Val(Val::Text(text)) => Some(text.to_string()),
        _ => None,
    }
}

fn literals(expr: &Expr) -> Vec<Val> {
    match expr {
        Expr::Val(value) => vec![value.clone()],
        Expr::Negative(value) => match value.as_ref() {
            Expr::Val(Val::Int(number)) => vec![Val::Int(-number)],
            Expr::Val(Val::Float(number)) => vec![Val::float(-number.0)],
            _ => Vec::new(),
        },
        Expr::List(items) => items.iter().flat_map(literals).collect(),
        _ => Vec::new(),
    }
}
