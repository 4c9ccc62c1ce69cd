//! From the syntax tree back to text.

use crate::ast::{
    Block, Call, Expr, ExprKind, Family, Function, Initial, Item, Name, ObjectKind, Place, Statement, StatementKind,
    UnaryOp, Unit,
};
use mazurka_core::{Fairness, Form};
use std::fmt::{self, Display, Formatter, Write};

/// Writes a program as a person would.
pub fn print(unit: &Unit) -> String {
    let mut out = String::new();
    for item in &unit.items {
        // Writing to a string does not fail.
        let _ = writeln!(out, "{}", Show(item, 0));
    }
    out
}

/// Something and how deep it is indented.
struct Show<'t, T>(&'t T, usize);

fn list<'t, T>(items: &'t [T]) -> String
where
    Show<'t, T>: Display,
{
    items.iter().map(|item| Show(item, 0).to_string()).collect::<Vec<_>>().join(", ")
}

fn length(length: Option<&Expr>) -> String {
    length.map_or_else(String::new, |length| format!("[{}]", Show(length, 0)))
}

fn shown_as(of: Option<&Name>) -> String {
    of.map_or_else(String::new, |of| format!(": {}", of.text))
}

fn family(family: Option<&Family>) -> String {
    family.map_or_else(String::new, |family| {
        format!("({} in {}..{})", family.parameter.text, Show(&family.from, 0), Show(&family.to, 0))
    })
}

fn treated(fairness: Option<Fairness>) -> &'static str {
    match fairness {
        None => "",
        Some(Fairness::None) => "unfair ",
        Some(Fairness::Weak) => "fair ",
        Some(Fairness::Strong) => "strong ",
    }
}

impl Display for Show<'_, Item> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Item::Include { path, .. } => write!(f, "include \"{path}\";"),
            Item::Const { name, value } => write!(f, "const {} = {};", name.text, Show(value, 0)),
            Item::Enum { name, members } => {
                write!(f, "enum {} {{", name.text)?;
                for (number, (name, value)) in members.iter().enumerate() {
                    write!(f, "{} {}", if number == 0 { "" } else { "," }, name.text)?;
                    if let Some(value) = value {
                        write!(f, " = {}", Show(value, 0))?;
                    }
                }
                f.write_str(" }")
            }
            Item::Shared { name, length: size, of, initial } => {
                let (size, of) = (length(size.as_ref()), shown_as(of.as_ref()));
                write!(f, "shared {}{size}{of} = {};", name.text, Show(initial, 0))
            }
            Item::Semaphore { name, length: size, initial } => {
                write!(f, "semaphore {}{} = {};", name.text, length(size.as_ref()), Show(initial, 0))
            }
            Item::Channel { name, length: size, capacity } => {
                write!(f, "channel {}{}({});", name.text, length(size.as_ref()), Show(capacity, 0))
            }
            Item::Object { name, kind, length: size, fairness } => {
                let (word, end) = match kind {
                    ObjectKind::Mutex => ("mutex", ""),
                    ObjectKind::Cond => ("cond", ""),
                    ObjectKind::RwLock => ("rwlock", ""),
                    ObjectKind::FifoHandler => ("handler", ""),
                    ObjectKind::AnyHandler => ("handler", " any"),
                };
                write!(f, "{}{word} {}{}{end};", treated(*fairness), name.text, length(size.as_ref()))
            }
            Item::Thread { name, family: members, fairness, body } => {
                write!(f, "{}thread {}{} {}", treated(*fairness), name.text, family(members.as_ref()), Show(body, 0))
            }
            Item::Message(function) => write!(f, "message {}", Show(function, 0)),
            Item::Def(function) => write!(f, "def {}", Show(function, 0)),
            Item::Event { name, family: members, fairness, disabled, guard, body } => {
                write!(f, "{}event {}{} ", treated(*fairness), name.text, family(members.as_ref()))?;
                if *disabled {
                    f.write_str("disabled ")?;
                }
                if let Some(guard) = guard {
                    write!(f, "when {} ", Show(guard, 0))?;
                }
                write!(f, "{}", Show(body, 0))
            }
            Item::Never { condition } => write!(f, "never {};", Show(condition, 0)),
            Item::Promise { form, family: members, cause, goal, .. } => {
                let (members, goal) = (family(members.as_ref()), Show(goal, 0));
                match (form, cause) {
                    (Form::Eventually, _) => write!(f, "eventually{members} ({goal});"),
                    (_, Some(cause)) => write!(f, "leads_to{members} ({}) to ({goal});", Show(cause, 0)),
                    _ => write!(f, "always eventually{members} ({goal});"),
                }
            }
        }
    }
}

impl Display for Show<'_, Initial> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Initial::Same(value) => Show(value, 0).fmt(f),
            Initial::Each(values, _) => write!(f, "[{}]", list(values)),
        }
    }
}

impl Display for Show<'_, Function> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let parameters: Vec<&str> = self.0.parameters.iter().map(|name| name.text.as_str()).collect();
        write!(f, "{}({}) {}", self.0.name.text, parameters.join(", "), Show(&self.0.body, self.1))
    }
}

impl Display for Show<'_, Block> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let indent = "    ".repeat(self.1);
        f.write_str("{\n")?;
        for statement in &self.0.statements {
            writeln!(f, "{indent}    {}", Show(statement, self.1 + 1))?;
        }
        write!(f, "{indent}}}")
    }
}

impl Display for Show<'_, Place> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0.index {
            None => f.write_str(&self.0.name.text),
            Some(index) => write!(f, "{}[{}]", self.0.name.text, Show(&**index, 0)),
        }
    }
}

impl Display for Show<'_, Call> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.0.name.text, list(&self.0.arguments))
    }
}

impl Display for Show<'_, Statement> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let depth = self.1;
        match &self.0.kind {
            StatementKind::Let(name, value) => write!(f, "let {} = {};", name.text, Show(value, 0)),
            StatementKind::Declare(of) => {
                let (size, shown_as) = (length(of.length.as_ref()), shown_as(of.of.as_ref()));
                write!(f, "let {}{size}{shown_as} = {};", of.name.text, Show(&of.initial, 0))
            }
            StatementKind::Spawn(None, call) => write!(f, "spawn {};", Show(call, 0)),
            StatementKind::Spawn(Some(name), call) => write!(f, "let {} = spawn {};", name.text, Show(call, 0)),
            StatementKind::Respawn(name, call) => write!(f, "{} = spawn {};", name.text, Show(call, 0)),
            StatementKind::Assign(place, value) => write!(f, "{} = {};", Show(place, 0), Show(value, 0)),
            StatementKind::Update(place, op, value) => {
                write!(f, "{} {}= {};", Show(place, 0), op.sign(), Show(value, 0))
            }
            StatementKind::Evaluate(expr) => match &expr.kind {
                ExprKind::Call(_)
                | ExprKind::Cas(..)
                | ExprKind::Swap(..)
                | ExprKind::FetchAdd(..)
                | ExprKind::Sync(..)
                | ExprKind::WaitTimeout(..) => write!(f, "{};", Show(expr, 0)),
                _ => write!(f, "({});", Show(expr, 0)),
            },
            StatementKind::If(condition, then, otherwise) => {
                write!(f, "if ({}) {}", Show(condition, 0), Show(then, depth))?;
                match otherwise {
                    Some(otherwise) => write!(f, " else {}", Show(otherwise, depth)),
                    None => Ok(()),
                }
            }
            StatementKind::Switch(value, cases) => {
                writeln!(f, "switch ({}) {{", Show(value, 0))?;
                let indent = "    ".repeat(depth + 1);
                for case in cases {
                    for label in &case.labels {
                        match &label.value {
                            Some(value) => writeln!(f, "{indent}case {}:", Show(value, 0))?,
                            None => writeln!(f, "{indent}default:")?,
                        }
                    }
                    for statement in &case.body.statements {
                        writeln!(f, "{indent}    {}", Show(statement, depth + 2))?;
                    }
                }
                write!(f, "{}}}", "    ".repeat(depth))
            }
            StatementKind::While(condition, body) => write!(f, "while ({}) {}", Show(condition, 0), Show(body, depth)),
            StatementKind::DoWhile(body, condition) => {
                write!(f, "do {} while ({});", Show(body, depth), Show(condition, 0))
            }
            StatementKind::For(name, from, to, body) => {
                write!(f, "for {} in {}..{} {}", name.text, Show(from, 0), Show(to, 0), Show(body, depth))
            }
            StatementKind::ForLoop(of) => {
                let clause = |statement: &Option<Statement>| {
                    let text = statement.as_ref().map(|statement| Show(statement, 0).to_string());
                    text.map_or_else(String::new, |text| text.trim_end_matches(';').to_owned())
                };
                let condition = of.condition.as_ref().map(|condition| Show(condition, 0).to_string());
                write!(f, "for ({}; {}; ", clause(&of.start), condition.unwrap_or_default())?;
                write!(f, "{}) {}", clause(&of.next), Show(&of.body, depth))
            }
            StatementKind::Break => f.write_str("break;"),
            StatementKind::Continue => f.write_str("continue;"),
            StatementKind::Return(None) => f.write_str("return;"),
            StatementKind::Return(Some(value)) => write!(f, "return {};", Show(value, 0)),
            StatementKind::Assert(condition, None) => write!(f, "assert({});", Show(condition, 0)),
            StatementKind::Assert(condition, Some(text)) => write!(f, "assert({}, \"{text}\");", Show(condition, 0)),
            StatementKind::Assume(condition) => write!(f, "assume({});", Show(condition, 0)),
            StatementKind::Lock(mutex) => write!(f, "lock({});", Show(mutex, 0)),
            StatementKind::Unlock(mutex) => write!(f, "unlock({});", Show(mutex, 0)),
            StatementKind::Wait(condition, mutex) => write!(f, "wait({}, {});", Show(condition, 0), Show(mutex, 0)),
            StatementKind::Signal(condition) => write!(f, "signal({});", Show(condition, 0)),
            StatementKind::Broadcast(condition) => write!(f, "broadcast({});", Show(condition, 0)),
            StatementKind::Join(name) => write!(f, "join {};", name.text),
            StatementKind::Post(handler, call) => write!(f, "post {}, {};", Show(handler, 0), Show(call, 0)),
            StatementKind::Enable(event) => write!(f, "enable {};", Show(event, 0)),
            StatementKind::Disable(event) => write!(f, "disable {};", Show(event, 0)),
            StatementKind::Atomic(block) => write!(f, "atomic {}", Show(block, depth)),
            StatementKind::Progress => f.write_str("progress;"),
        }
    }
}

impl Display for Show<'_, Expr> {
    /// Operands that are not simple stand in parentheses, so that no reader has to know which operator binds tighter;
    /// but `a + b - c` goes without.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            ExprKind::Number(value) => write!(f, "{value}"),
            ExprKind::Place(place) => Show(place, 0).fmt(f),
            // A sign before a number would be part of the number.
            ExprKind::Unary(UnaryOp::Negate, operand) if matches!(operand.kind, ExprKind::Number(0..)) => {
                write!(f, "-({})", Show(&**operand, 0))
            }
            ExprKind::Unary(op, operand) => {
                write!(f, "{}{}", if *op == UnaryOp::Negate { "-" } else { "!" }, Operand(operand))
            }
            ExprKind::Binary(op, left, right) => {
                match &left.kind {
                    ExprKind::Binary(before, ..) if before.strength() == op.strength() => Show(&**left, 0).fmt(f)?,
                    _ => Operand(left).fmt(f)?,
                }
                write!(f, " {} {}", op.sign(), Operand(right))
            }
            ExprKind::Logical(and, left, right) => {
                match &left.kind {
                    ExprKind::Logical(before, ..) if before == and => Show(&**left, 0).fmt(f)?,
                    _ => Operand(left).fmt(f)?,
                }
                write!(f, " {} {}", if *and { "&&" } else { "||" }, Operand(right))
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                write!(f, "{} ? {} : ", Operand(condition), Operand(then))?;
                match &otherwise.kind {
                    ExprKind::Conditional(..) => Show(&**otherwise, 0).fmt(f),
                    _ => Operand(otherwise).fmt(f),
                }
            }
            ExprKind::Call(call) => Show(call, 0).fmt(f),
            ExprKind::Cas(place, old, new) => {
                write!(f, "cas({}, {}, {})", Show(place, 0), Show(&**old, 0), Show(&**new, 0))
            }
            ExprKind::Swap(place, value) => write!(f, "swap({}, {})", Show(place, 0), Show(&**value, 0)),
            ExprKind::FetchAdd(place, value) => write!(f, "fetch_add({}, {})", Show(place, 0), Show(&**value, 0)),
            ExprKind::Sync(op, object, operand) => {
                write!(f, "{}({}", op.name(), Show(object, 0))?;
                operand.iter().try_for_each(|operand| write!(f, ", {}", Show(&**operand, 0)))?;
                f.write_char(')')
            }
            ExprKind::WaitTimeout(condition, mutex) => {
                write!(f, "wait_timeout({}, {})", Show(condition, 0), Show(mutex, 0))
            }
            ExprKind::Choose(from, to) => write!(f, "choose({}..{})", Show(&**from, 0), Show(&**to, 0)),
        }
    }
}

struct Operand<'t>(&'t Expr);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            ExprKind::Unary(..) | ExprKind::Binary(..) | ExprKind::Logical(..) | ExprKind::Conditional(..) => {
                write!(f, "({})", Show(self.0, 0))
            }
            ExprKind::Number(value) if *value < 0 => write!(f, "({value})"),
            _ => Show(self.0, 0).fmt(f),
        }
    }
}
