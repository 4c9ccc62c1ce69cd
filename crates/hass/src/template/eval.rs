//! Rendering.

use super::filters;
use super::literal::native;
use super::tree::{Arguments, Comparison, Expr, Operator, Piece, Template};
use super::value::{Moment, Val};
use std::cmp::Ordering;
use std::sync::Arc;

/// What a template can see besides its own names.
pub trait World {
    /// The state of an entity; nothing if there is no such entity.
    fn state(&mut self, entity: &str) -> Option<Val>;

    /// An attribute of an entity; `none` if it has no such attribute.
    fn attribute(&mut self, entity: &str, attribute: &str) -> Val;

    /// The entities of a domain, or all of them.
    fn entities(&mut self, domain: Option<&str>) -> Val;

    /// The members of a group, or the entity itself.
    fn expand(&mut self, entity: &str) -> Vec<String>;

    /// The entities of an area, a device, a label, a floor or an integration (`area_entities` …), if that is known.
    fn members(&mut self, function: &str, of: &str) -> Option<Vec<String>>;

    /// The second of the day and the weekday (Monday is 0), as far as they are known.
    fn clock(&mut self) -> Option<(u32, Option<u32>)>;

    /// Whether the state of an entity changed more than this many milliseconds ago; nothing if that is not known.
    fn is_older(&mut self, entity: &str, milliseconds: i64) -> Option<bool>;

    /// Decides what cannot be known.
    fn decide(&mut self, why: &str) -> bool;
}

/// Names with values, the last ones first.
pub trait Variables {
    /// The value of a name.
    fn variable(&self, name: &str) -> Option<Val>;
}

impl Variables for [(Arc<str>, Val)] {
    fn variable(&self, name: &str) -> Option<Val> {
        self.iter().rev().find(|(known, _)| **known == *name).map(|(_, value)| value.clone())
    }
}

/// Why a template cannot be rendered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub String);

pub(super) type Result<T> = std::result::Result<T, Error>;

pub(super) fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(Error(message.into()))
}

/// How much one rendering may do.
const FUEL: usize = 100_000;

/// The most characters that one rendering may make, and the most items of a list.
pub(super) const MOST_OUTPUT: usize = 200_000;

/// Renders a template into text, without the white space around it.
pub fn render(template: &Template, world: &mut dyn World, variables: &dyn Variables) -> Result<Val> {
    let mut eval =
        Eval { world, variables, scopes: vec![Vec::new()], spaces: Vec::new(), macros: Vec::new(), fuel: FUEL };
    // Most templates are one expression.
    if let [Piece::Print(expr)] = template.body.as_slice() {
        let value = eval.expr(expr)?;
        if let Some(why) = value.why_opaque() {
            return Ok(Val::Opaque(why));
        }
        return Ok(Val::text(value.to_string().trim()));
    }
    let mut output = Output::default();
    eval.pieces(&template.body, &mut output)?;
    Ok(match output.opaque {
        Some(why) => Val::Opaque(why),
        None => Val::text(output.text.trim()),
    })
}

/// Renders a template into a value: the text is read back, as Home Assistant does.
pub fn evaluate(template: &Template, world: &mut dyn World, variables: &dyn Variables) -> Result<Val> {
    Ok(match render(template, world, variables)? {
        Val::Text(text) => native(&text),
        other => other,
    })
}

/// Whether a value is true; what cannot be known is decided by the world.
pub fn truth(value: &Val, world: &mut dyn World) -> bool {
    match value {
        Val::Undefined | Val::None => false,
        Val::Bool(value) => *value,
        Val::Int(value) => *value != 0,
        Val::Float(value) => value.0 != 0.0,
        Val::Text(text) => !text.is_empty(),
        Val::List(items) => !items.is_empty(),
        Val::Map(entries) => !entries.is_empty(),
        Val::Opaque(why) => world.decide(why),
        Val::Span(ms) => *ms != 0,
        Val::State(_) | Val::States(_) | Val::Moment(..) | Val::Between(..) | Val::Space(_) | Val::Macro(_) => true,
    }
}

#[derive(Default)]
struct Output {
    text: String,
    opaque: Option<Arc<str>>,
}

/// Why a loop's body ended.
enum LoopFlow {
    Go,
    Break,
    Continue,
}

/// A macro: its parameters with their defaults, and its body.
type Macro = (Vec<(String, Option<Expr>)>, Vec<Piece>);

/// Arguments by place and by name.
type Given = (Vec<Val>, Vec<(String, Val)>);

pub(super) struct Eval<'e> {
    pub(super) world: &'e mut dyn World,
    variables: &'e dyn Variables,
    scopes: Vec<Vec<(Arc<str>, Val)>>,
    spaces: Vec<Vec<(Arc<str>, Val)>>,
    macros: Vec<Macro>,
    fuel: usize,
}

impl Eval<'_> {
    pub(super) fn spend(&mut self, work: usize) -> Result<()> {
        match self.fuel.checked_sub(work) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => fail("the template does more than is looked at"),
        }
    }

    fn set(&mut self, name: &str, value: Val) {
        if let Some(scope) = self.scopes.last_mut() {
            match scope.iter_mut().find(|(known, _)| **known == *name) {
                Some((_, known)) => *known = value,
                None => scope.push((Arc::from(name), value)),
            }
        }
    }

    fn lookup(&mut self, name: &str) -> Val {
        let own = self.scopes.iter().rev().find_map(|scope| scope.variable(name));
        own.or_else(|| self.variables.variable(name)).unwrap_or_else(|| match name {
            "states" => Val::States(None),
            "pi" => Val::float(std::f64::consts::PI),
            "e" => Val::float(std::f64::consts::E),
            "tau" => Val::float(std::f64::consts::TAU),
            "inf" => Val::float(f64::INFINITY),
            _ => Val::Undefined,
        })
    }

    fn is_set(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.variable(name).is_some()) || self.variables.variable(name).is_some()
    }

    fn pieces(&mut self, pieces: &[Piece], output: &mut Output) -> Result<LoopFlow> {
        for piece in pieces {
            self.spend(1)?;
            match piece {
                Piece::Text(text) => self.print(output, text)?,
                Piece::Print(expr) => {
                    let value = self.expr(expr)?;
                    match value.why_opaque() {
                        Some(why) => output.opaque = Some(why),
                        None => self.print(output, &value.to_string())?,
                    }
                }
                Piece::If(branches, otherwise) => {
                    let mut taken = otherwise.as_slice();
                    for (condition, body) in branches {
                        if self.test(condition)? {
                            taken = body;
                            break;
                        }
                    }
                    match self.pieces(taken, output)? {
                        LoopFlow::Go => {}
                        flow => return Ok(flow),
                    }
                }
                Piece::For { names, list, filter, body, otherwise } => {
                    self.repeat(names, list, filter.as_ref(), body, otherwise, output)?;
                }
                Piece::Set(names, expr) => {
                    let value = self.expr(expr)?;
                    self.assign(names, value)?;
                }
                Piece::SetAttribute(name, attribute, expr) => {
                    let value = self.expr(expr)?;
                    match self.lookup(name) {
                        Val::Space(space) => {
                            let space = &mut self.spaces[space];
                            match space.iter_mut().find(|(known, _)| **known == **attribute) {
                                Some((_, known)) => *known = value,
                                None => space.push((Arc::from(attribute.as_str()), value)),
                            }
                        }
                        Val::Opaque(_) => {}
                        _ => return fail(format!("`{name}` is no namespace")),
                    }
                }
                Piece::SetBlock(name, body) => {
                    let mut inner = Output::default();
                    self.pieces(body, &mut inner)?;
                    let value = inner.opaque.map_or_else(|| Val::text(&inner.text), Val::Opaque);
                    self.set(name, value);
                }
                Piece::Do(expr) => {
                    self.expr(expr)?;
                }
                Piece::Macro { name, parameters, body } => {
                    self.macros.push((parameters.clone(), body.clone()));
                    let number = self.macros.len() - 1;
                    self.set(name, Val::Macro(number));
                }
                Piece::Break => return Ok(LoopFlow::Break),
                Piece::Continue => return Ok(LoopFlow::Continue),
                Piece::Unknown(what, names) if names.is_empty() => output.opaque = Some(Arc::from(what.as_str())),
                Piece::Unknown(what, names) => {
                    for name in names {
                        self.set(name, Val::opaque(what));
                    }
                }
            }
        }
        Ok(LoopFlow::Go)
    }

    fn print(&mut self, output: &mut Output, text: &str) -> Result<()> {
        output.text.push_str(text);
        if output.text.len() > MOST_OUTPUT { fail("the template makes more text than is looked at") } else { Ok(()) }
    }

    fn assign(&mut self, names: &[String], value: Val) -> Result<()> {
        if let [name] = names {
            self.set(name, value);
            return Ok(());
        }
        let items = match &value {
            Val::Opaque(_) => vec![value.clone(); names.len()],
            other => self.items(other)?,
        };
        if items.len() != names.len() {
            return fail("a list does not have as many items as there are names");
        }
        for (name, item) in names.iter().zip(items) {
            self.set(name, item);
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        names: &[String],
        list: &Expr,
        filter: Option<&Expr>,
        body: &[Piece],
        otherwise: &[Piece],
        output: &mut Output,
    ) -> Result<()> {
        let list = self.expr(list)?;
        if let Val::Opaque(why) = &list {
            // What a loop over an unknown list sets and prints is unknown.
            output.opaque = Some(Arc::clone(why));
            return Ok(());
        }
        let mut items = Vec::new();
        for item in self.items(&list)? {
            self.spend(1)?;
            if let Some(filter) = filter {
                self.scopes.push(Vec::new());
                self.assign(names, item.clone())?;
                let keeps = self.test(filter);
                self.scopes.pop();
                if !keeps? {
                    continue;
                }
            }
            items.push(item);
        }
        if items.is_empty() {
            self.pieces(otherwise, output)?;
            return Ok(());
        }
        let count = items.len();
        for (index, item) in items.into_iter().enumerate() {
            self.spend(1)?;
            self.scopes.push(Vec::new());
            let entry = |name: &str, value: Val| (Val::text(name), value);
            let facts = vec![
                entry("index", Val::Int(index as i64 + 1)),
                entry("index0", Val::Int(index as i64)),
                entry("first", Val::Bool(index == 0)),
                entry("last", Val::Bool(index + 1 == count)),
                entry("length", Val::Int(count as i64)),
                entry("revindex", Val::Int((count - index) as i64)),
            ];
            self.set("loop", Val::Map(Arc::new(facts)));
            let flow = self.assign(names, item).and_then(|()| self.pieces(body, output));
            self.scopes.pop();
            if let LoopFlow::Break = flow? {
                break;
            }
        }
        Ok(())
    }

    /// Whether an expression is true.
    pub(super) fn test(&mut self, expr: &Expr) -> Result<bool> {
        let value = self.expr(expr)?;
        Ok(truth(&value, self.world))
    }

    /// The items of a list, the keys of a mapping, the characters of a text, the entities of a domain.
    pub(super) fn items(&mut self, value: &Val) -> Result<Vec<Val>> {
        let items = match value {
            Val::List(items) => items.as_ref().clone(),
            Val::Map(entries) => entries.iter().map(|(key, _)| key.clone()).collect(),
            Val::Text(text) => text.chars().map(|c| Val::text(c.to_string())).collect(),
            Val::States(domain) => match self.world.entities(domain.as_deref()) {
                Val::List(items) => items.as_ref().clone(),
                _ => return fail("the entities are not known"),
            },
            Val::Undefined => Vec::new(),
            other => return fail(format!("`{}` cannot be gone through", other.kind())),
        };
        self.spend(items.len())?;
        Ok(items)
    }

    pub(super) fn expr(&mut self, expr: &Expr) -> Result<Val> {
        self.spend(1)?;
        Ok(match expr {
            Expr::Val(value) => value.clone(),
            Expr::Name(name) => self.lookup(name),
            Expr::List(items) => Val::list(items.iter().map(|item| self.expr(item)).collect::<Result<_>>()?),
            Expr::Map(entries) => {
                let entries = entries
                    .iter()
                    .map(|(key, value)| Ok((self.expr(key)?, self.expr(value)?)))
                    .collect::<Result<_>>()?;
                Val::Map(Arc::new(entries))
            }
            Expr::Attribute(of, name) => {
                let of = self.expr(of)?;
                self.attribute(&of, name)?
            }
            Expr::Item(of, key) => {
                let (of, key) = (self.expr(of)?, self.expr(key)?);
                self.item(&of, &key)?
            }
            Expr::Slice(of, bounds) => {
                let of = self.expr(of)?;
                let mut numbers = [None; 3];
                for (number, bound) in numbers.iter_mut().zip(bounds) {
                    if let Some(bound) = bound {
                        *number = self.expr(bound)?.number().map(|number| number as i64);
                    }
                }
                self.slice(&of, numbers)?
            }
            Expr::Call(function, arguments) => self.call(function, arguments)?,
            Expr::Filter(value, name, arguments) => {
                let value = self.expr(value)?;
                let (positional, named) = self.arguments(arguments)?;
                filters::filter(self, name, value, positional, named)?
            }
            Expr::Test(value, name, arguments, negated) => {
                let value = self.expr(value)?;
                let arguments = arguments.iter().map(|argument| self.expr(argument)).collect::<Result<Vec<_>>>()?;
                match filters::test(self, name, &value, &arguments)? {
                    Val::Bool(holds) => Val::Bool(holds != *negated),
                    other => other,
                }
            }
            Expr::Not(value) => match self.expr(value)? {
                opaque @ Val::Opaque(_) => opaque,
                value => Val::Bool(!truth(&value, self.world)),
            },
            Expr::Negative(value) => match self.expr(value)? {
                Val::Int(number) => Val::Int(number.wrapping_neg()),
                Val::Float(number) => Val::float(-number.0),
                Val::Bool(value) => Val::Int(-i64::from(value)),
                Val::Span(ms) => Val::Span(-ms),
                opaque @ Val::Opaque(_) => opaque,
                other => return fail(format!("`{}` has no negative", other.kind())),
            },
            Expr::And(left, right) => {
                let left = self.expr(left)?;
                if truth(&left, self.world) { self.expr(right)? } else { as_decided(left, false) }
            }
            Expr::Or(left, right) => {
                let left = self.expr(left)?;
                if truth(&left, self.world) { as_decided(left, true) } else { self.expr(right)? }
            }
            Expr::Choose(value, condition, otherwise) => {
                if self.test(condition)? {
                    self.expr(value)?
                } else {
                    otherwise.as_ref().map_or(Ok(Val::Undefined), |otherwise| self.expr(otherwise))?
                }
            }
            Expr::Compare(first, rest) => {
                let mut left = self.expr(first)?;
                for (index, (comparison, right)) in rest.iter().enumerate() {
                    let right = self.expr(right)?;
                    let value = self.compare(*comparison, &left, &right)?;
                    if index + 1 == rest.len() || !truth(&value, self.world) {
                        return Ok(value);
                    }
                    left = right;
                }
                Val::Bool(true)
            }
            Expr::Binary(operator, left, right) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                binary(*operator, &left, &right)?
            }
        })
    }

    pub(super) fn arguments(&mut self, arguments: &Arguments) -> Result<Given> {
        let positional = arguments.positional.iter().map(|value| self.expr(value)).collect::<Result<_>>()?;
        let named =
            arguments.named.iter().map(|(name, value)| Ok((name.clone(), self.expr(value)?))).collect::<Result<_>>()?;
        Ok((positional, named))
    }

    fn call(&mut self, function: &Expr, arguments: &Arguments) -> Result<Val> {
        match function {
            Expr::Name(name) if !self.is_set(name) => {
                let (positional, named) = self.arguments(arguments)?;
                filters::function(self, name, positional, named)
            }
            Expr::Attribute(of, method) => {
                let of = self.expr(of)?;
                let (positional, named) = self.arguments(arguments)?;
                filters::method(self, &of, method, &positional, &named)
            }
            other => {
                let function = self.expr(other)?;
                let (positional, named) = self.arguments(arguments)?;
                match function {
                    Val::Macro(number) => self.run_macro(number, positional, named),
                    Val::Opaque(why) => Ok(Val::Opaque(why)),
                    Val::States(None) => filters::function(self, "states", positional, named),
                    other => fail(format!("`{}` cannot be called", other.kind())),
                }
            }
        }
    }

    fn run_macro(&mut self, number: usize, positional: Vec<Val>, named: Vec<(String, Val)>) -> Result<Val> {
        if self.scopes.len() > 40 {
            return fail("macros call each other too deeply");
        }
        let (parameters, body) = self.macros[number].clone();
        let mut scope = Vec::new();
        let mut positional = positional.into_iter();
        for (name, default) in &parameters {
            let given = named.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
            let value = match (positional.next().or(given), default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.expr(default)?,
                (None, None) => Val::Undefined,
            };
            scope.push((Arc::from(name.as_str()), value));
        }
        self.scopes.push(scope);
        let mut output = Output::default();
        let done = self.pieces(&body, &mut output);
        self.scopes.pop();
        done?;
        Ok(output.opaque.map_or_else(|| Val::text(&output.text), Val::Opaque))
    }

    pub(super) fn new_space(&mut self, entries: Vec<(String, Val)>) -> Val {
        self.spaces.push(entries.into_iter().map(|(name, value)| (Arc::from(name.as_str()), value)).collect());
        Val::Space(self.spaces.len() - 1)
    }

    pub(super) fn attribute(&mut self, of: &Val, name: &str) -> Result<Val> {
        Ok(match of {
            Val::Undefined => return fail(format!("nothing is defined that could have `{name}`")),
            Val::None => Val::Undefined,
            Val::Opaque(why) => Val::Opaque(Arc::clone(why)),
            Val::Map(entries) => entries
                .iter()
                .find(|(key, _)| matches!(key, Val::Text(key) if **key == *name))
                .map_or(Val::Undefined, |(_, value)| value.clone()),
            Val::Space(space) => self.spaces[*space].variable(name).unwrap_or(Val::Undefined),
            Val::States(None) => Val::States(Some(Arc::from(name))),
            Val::States(Some(domain)) => {
                let entity = format!("{domain}.{name}");
                match self.world.state(&entity) {
                    Some(_) => Val::State(Arc::from(entity)),
                    None => Val::Undefined,
                }
            }
            Val::State(entity) => match name {
                "state" => self.world.state(entity).unwrap_or(Val::None),
                "entity_id" => Val::Text(Arc::clone(entity)),
                "domain" => Val::text(entity.split('.').next().unwrap_or("")),
                "object_id" => Val::text(entity.split_once('.').map_or("", |(_, object)| object)),
                "name" => Val::text(entity.split_once('.').map_or("", |(_, object)| object)),
                "attributes" => Val::opaque("all attributes of an entity"),
                "last_changed" | "last_updated" | "last_reported" => {
                    Val::Moment(Moment::Changed(Arc::clone(entity)), 0)
                }
                _ => Val::opaque(format!("`{name}` of a state")),
            },
            Val::Moment(Moment::Now, 0) => match (name, self.world.clock()) {
                ("hour", Some((second, _))) => Val::Int(i64::from(second / 3600)),
                _ => Val::opaque(format!("`now().{name}`")),
            },
            Val::Moment(..) => Val::opaque(format!("`{name}` of a moment")),
            Val::Span(ms) => match name {
                "seconds" => Val::Int(ms / 1000 % 86_400),
                "days" => Val::Int(ms / 86_400_000),
                _ => Val::Undefined,
            },
            Val::Between(moments, plus) if name == "seconds" => Val::Between(moments.clone(), *plus),
            Val::Between(..) => Val::opaque(format!("`{name}` of a length of time")),
            _ => Val::Undefined,
        })
    }

    pub(super) fn item(&mut self, of: &Val, key: &Val) -> Result<Val> {
        Ok(match (of, key) {
            (Val::Opaque(_), _) => of.clone(),
            (_, Val::Opaque(_)) => key.clone(),
            (Val::List(items), Val::Int(index)) => {
                let at = if *index < 0 { *index + items.len() as i64 } else { *index };
                usize::try_from(at).ok().and_then(|at| items.get(at).cloned()).unwrap_or(Val::Undefined)
            }
            (Val::Text(text), Val::Int(index)) => {
                let chars: Vec<char> = text.chars().collect();
                let at = if *index < 0 { *index + chars.len() as i64 } else { *index };
                let found = usize::try_from(at).ok().and_then(|at| chars.get(at));
                found.map_or(Val::Undefined, |c| Val::text(c.to_string()))
            }
            (Val::Map(entries), key) => {
                entries.iter().find(|(known, _)| equal(known, key)).map_or(Val::Undefined, |(_, value)| value.clone())
            }
            (Val::States(None), Val::Text(entity)) if entity.contains('.') => match self.world.state(entity) {
                Some(_) => Val::State(Arc::clone(entity)),
                None => Val::Undefined,
            },
            (of, Val::Text(name)) => self.attribute(of, name)?,
            (Val::Undefined, _) => return fail("nothing is defined that could have an item"),
            _ => Val::Undefined,
        })
    }

    fn slice(&mut self, of: &Val, [from, to, step]: [Option<i64>; 3]) -> Result<Val> {
        let items = match of {
            Val::Opaque(_) => return Ok(of.clone()),
            other => self.items(other)?,
        };
        let count = items.len() as i64;
        let step = step.unwrap_or(1);
        let place = |at: i64| if at < 0 { (at + count).max(0) } else { at.min(count) };
        let picked: Vec<Val> = if step > 0 {
            let (from, to) = (from.map_or(0, place), to.map_or(count, place));
            (from..to).step_by(step as usize).map(|at| items[at as usize].clone()).collect()
        } else if step == -1 && from.is_none() && to.is_none() {
            items.into_iter().rev().collect()
        } else {
            return Ok(Val::opaque("a slice with a negative step"));
        };
        Ok(match of {
            Val::Text(_) => Val::text(picked.iter().map(Val::to_string).collect::<String>()),
            _ => Val::list(picked),
        })
    }

    pub(super) fn compare(&mut self, comparison: Comparison, left: &Val, right: &Val) -> Result<Val> {
        if let (Val::Opaque(_), _) | (_, Val::Opaque(_)) = (left, right) {
            // A list with something unknown in it may still have the value for sure.
            return Ok(if let Val::Opaque(_) = left { left.clone() } else { right.clone() });
        }
        if matches!(left, Val::Moment(..) | Val::Between(..)) || matches!(right, Val::Moment(..) | Val::Between(..)) {
            return Ok(self.compare_times(comparison, left, right));
        }
        Ok(Val::Bool(match comparison {
            Comparison::Equal => equal(left, right),
            Comparison::Unequal => !equal(left, right),
            Comparison::In | Comparison::NotIn => {
                let is_in = match right {
                    Val::Text(text) => match left {
                        Val::Text(part) => text.contains(&**part),
                        Val::Undefined => true,
                        other => return fail(format!("`{}` cannot be looked for in a text", other.kind())),
                    },
                    Val::Undefined => false,
                    Val::None => return fail("nothing can be looked for in `none`"),
                    other => {
                        let items = self.items(other)?;
                        match items.iter().find_map(Val::why_opaque) {
                            Some(why) if !items.iter().any(|item| equal(item, left)) => return Ok(Val::Opaque(why)),
                            _ => items.iter().any(|item| equal(item, left)),
                        }
                    }
                };
                is_in == (comparison == Comparison::In)
            }
            _ => {
                let Some(order) = order(left, right) else {
                    return fail(format!("`{}` and `{}` have no order", left.kind(), right.kind()));
                };
                match comparison {
                    Comparison::Less => order == Ordering::Less,
                    Comparison::AtMost => order != Ordering::Greater,
                    Comparison::Greater => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                }
            }
        }))
    }

    /// Compares how long ago a state changed with a length of time, and the time of day with one of this day.
    fn compare_times(&mut self, comparison: Comparison, left: &Val, right: &Val) -> Val {
        let length = |value: &Val| match value {
            Val::Span(ms) => Some(*ms),
            other => other.number().map(|seconds| (seconds * 1000.0) as i64),
        };
        let unknown = || Val::opaque("a comparison of times");
        let mirrored = match comparison {
            Comparison::Less => Comparison::Greater,
            Comparison::AtMost => Comparison::AtLeast,
            Comparison::Greater => Comparison::Less,
            Comparison::AtLeast => Comparison::AtMost,
            other => other,
        };
        // The difference of the two sides, and the length that it is compared with.
        let (moments, plus, comparison) = match (left, right) {
            (Val::Between(moments, plus), other) => match length(other) {
                Some(length) => (moments.as_ref().clone(), length - plus, comparison),
                None => return unknown(),
            },
            (other, Val::Between(moments, plus)) => match length(other) {
                Some(length) => (moments.as_ref().clone(), length - plus, mirrored),
                None => return unknown(),
            },
            (Val::Moment(one, plus), Val::Moment(other, more)) => {
                ((one.clone(), other.clone()), more - plus, comparison)
            }
            _ => return unknown(),
        };
        // Now the question is how `moments.0 - moments.1` compares with `plus`.
        let (later, comparison, plus) = match moments {
            (Moment::Now, later) => (later, comparison, plus),
            (later, Moment::Now) => {
                let mirrored = match comparison {
                    Comparison::Less => Comparison::Greater,
                    Comparison::AtMost => Comparison::AtLeast,
                    Comparison::Greater => Comparison::Less,
                    Comparison::AtLeast => Comparison::AtMost,
                    other => other,
                };
                (later, mirrored, -plus)
            }
            _ => return unknown(),
        };
        let is_more = match later {
            Moment::Changed(entity) => self.world.is_older(&entity, plus),
            Moment::Today => self.world.clock().map(|(second, _)| i64::from(second) * 1000 >= plus),
            Moment::Now => Some(0 > plus),
        };
        match (is_more, comparison) {
            (Some(is_more), Comparison::Greater | Comparison::AtLeast) => Val::Bool(is_more),
            (Some(is_more), Comparison::Less | Comparison::AtMost) => Val::Bool(!is_more),
            _ => unknown(),
        }
    }
}

/// The left side of `and` and `or`, after it was decided what it is.
fn as_decided(value: Val, decided: bool) -> Val {
    match value {
        Val::Opaque(_) => Val::Bool(decided),
        value => value,
    }
}

/// Whether two values are equal for Python.
pub(super) fn equal(left: &Val, right: &Val) -> bool {
    match (left.number(), right.number()) {
        (Some(left), Some(right)) => left == right,
        _ => match (left, right) {
            (Val::List(left), Val::List(right)) => {
                left.len() == right.len() && left.iter().zip(right.iter()).all(|(left, right)| equal(left, right))
            }
            _ => left == right,
        },
    }
}

/// How two values are ordered, if they are.
pub(super) fn order(left: &Val, right: &Val) -> Option<Ordering> {
    match (left, right) {
        (Val::Text(left), Val::Text(right)) => Some(left.cmp(right)),
        (Val::Span(left), Val::Span(right)) => Some(left.cmp(right)),
        (Val::List(left), Val::List(right)) => {
            for (left, right) in left.iter().zip(right.iter()) {
                match order(left, right)? {
                    Ordering::Equal => {}
                    other => return Some(other),
                }
            }
            Some(left.len().cmp(&right.len()))
        }
        _ => left.number()?.partial_cmp(&right.number()?),
    }
}

fn binary(operator: Operator, left: &Val, right: &Val) -> Result<Val> {
    if let Some(why) = [left, right].into_iter().find_map(|value| match value {
        Val::Opaque(why) => Some(why),
        _ => None,
    }) {
        return Ok(Val::Opaque(Arc::clone(why)));
    }
    if operator == Operator::Join {
        if let Some(why) = left.why_opaque().or_else(|| right.why_opaque()) {
            return Ok(Val::Opaque(why));
        }
        let text = format!("{left}{right}");
        return if text.len() > MOST_OUTPUT {
            fail("the template makes more text than is looked at")
        } else {
            Ok(Val::text(text))
        };
    }
    if let Some(value) = times(operator, left, right) {
        return Ok(value);
    }
    match (operator, left, right) {
        (Operator::Add, Val::Text(left), Val::Text(right)) => {
            let text = format!("{left}{right}");
            if text.len() > MOST_OUTPUT {
                fail("the template makes more text than is looked at")
            } else {
                Ok(Val::text(text))
            }
        }
        (Operator::Add, Val::List(left), Val::List(right)) => {
            if left.len() + right.len() > MOST_OUTPUT {
                return fail("the template makes a longer list than is looked at");
            }
            Ok(Val::list(left.iter().chain(right.iter()).cloned().collect()))
        }
        (Operator::Multiply, Val::Text(text), Val::Int(times))
        | (Operator::Multiply, Val::Int(times), Val::Text(text)) => {
            let times = usize::try_from(*times).unwrap_or(0);
            match text.len().checked_mul(times) {
                Some(length) if length <= MOST_OUTPUT => Ok(Val::text(text.repeat(times))),
                _ => fail("the template makes more text than is looked at"),
            }
        }
        (Operator::Modulo, Val::Text(_), _) => Ok(Val::opaque("a formatted text")),
        _ => arithmetic(operator, left, right),
    }
}

/// Sums and differences of moments and lengths of time.
fn times(operator: Operator, left: &Val, right: &Val) -> Option<Val> {
    let sign = match operator {
        Operator::Add => 1,
        Operator::Subtract => -1,
        Operator::Multiply | Operator::Divide => {
            return match (left, right) {
                (Val::Span(ms), other) | (other, Val::Span(ms)) if operator == Operator::Multiply => {
                    Some(Val::Span((*ms as f64 * other.number()?) as i64))
                }
                (Val::Span(ms), other) => Some(Val::Span((*ms as f64 / other.number()?) as i64)),
                (Val::Between(..) | Val::Moment(..), _) | (_, Val::Between(..) | Val::Moment(..)) => {
                    Some(Val::opaque("a calculation with times"))
                }
                _ => None,
            };
        }
        _ => {
            let is_time = |value: &Val| matches!(value, Val::Between(..) | Val::Moment(..));
            return (is_time(left) || is_time(right)).then(|| Val::opaque("a calculation with times"));
        }
    };
    let length = |value: &Val| match value {
        Val::Span(ms) => Some(*ms),
        other => other.number().map(|seconds| (seconds * 1000.0) as i64),
    };
    match (left, right) {
        (Val::Moment(one, plus), Val::Moment(other, more)) if sign < 0 => {
            Some(Val::Between(Box::new((one.clone(), other.clone())), plus - more))
        }
        (Val::Moment(moment, plus), other) => Some(length(other).map_or_else(
            || Val::opaque("a calculation with times"),
            |ms| Val::Moment(moment.clone(), plus + sign * ms),
        )),
        (other, Val::Moment(moment, plus)) if sign > 0 => Some(
            length(other)
                .map_or_else(|| Val::opaque("a calculation with times"), |ms| Val::Moment(moment.clone(), plus + ms)),
        ),
        (Val::Between(moments, plus), other) => Some(length(other).map_or_else(
            || Val::opaque("a calculation with times"),
            |ms| Val::Between(moments.clone(), plus + sign * ms),
        )),
        (_, Val::Between(..) | Val::Moment(..)) => Some(Val::opaque("a calculation with times")),
        (Val::Span(left), Val::Span(right)) => Some(Val::Span(left + sign * right)),
        _ => None,
    }
}

fn arithmetic(operator: Operator, left: &Val, right: &Val) -> Result<Val> {
    let (Some(a), Some(b)) = (left.number(), right.number()) else {
        return fail(format!("`{}` and `{}` cannot be calculated with", left.kind(), right.kind()));
    };
    let whole = match (left, right) {
        (Val::Float(_), _) | (_, Val::Float(_)) => None,
        _ => Some((a as i64, b as i64)),
    };
    if matches!(operator, Operator::Divide | Operator::Floor | Operator::Modulo) && b == 0.0 {
        return fail("division by zero");
    }
    let exact = whole.and_then(|(a, b)| match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::Floor => Some(a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0)),
        Operator::Modulo => Some(a - b * (a as f64 / b as f64).floor() as i64),
        Operator::Power => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        Operator::Divide | Operator::Join => None,
    });
    Ok(exact.map_or_else(
        || {
            Val::float(match operator {
                Operator::Add => a + b,
                Operator::Subtract => a - b,
                Operator::Multiply => a * b,
                Operator::Divide => a / b,
                Operator::Floor => (a / b).floor(),
                Operator::Modulo => a - b * (a / b).floor(),
                Operator::Power | Operator::Join => a.powf(b),
            })
        },
        Val::Int,
    ))
}
