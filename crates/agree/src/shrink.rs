//! Makes a program smaller that still shows something.
//!
//! Greedy: each edit that makes the program smaller and leaves it showing what it is to show is kept, until none does.
//! Edits know nothing of the rules of the language. The caller, which asks whether a candidate still shows something, finds that
//! it does not compile.

use super::walk::{Part, walk};
use mazurka_lang::ast::{
    Block, Declaration, Expr, ExprKind, Function, Initial, Item, Place, Statement, StatementKind, Unit,
};
use mazurka_lang::print;

/// Changes the place with this number: whether there was something to change. `None` if there is no such place.
type Edit = fn(&mut Unit, usize) -> Option<bool>;

/// The edits, those that take away the most first.
const EDITS: [Edit; 5] = [remove_item, clear_block, edit_statement, edit_item, edit_expr];

/// The smallest program found within this many attempts for which `shows` holds, as it does for `unit`.
pub(super) fn shrink(unit: &Unit, most_attempts: usize, mut shows: impl FnMut(&Unit) -> bool) -> Unit {
    let mut best = unit.clone();
    let mut attempts = 0;
    loop {
        let before = cost(&best);
        for edit in EDITS {
            let mut place = 0;
            while attempts < most_attempts {
                let mut candidate = best.clone();
                let Some(changed) = edit(&mut candidate, place) else { break };
                if !changed || cost(&candidate) >= cost(&best) {
                    place += 1;
                    continue;
                }
                attempts += 1;
                if shows(&candidate) {
                    best = candidate;
                } else {
                    place += 1;
                }
            }
        }
        if cost(&best) == before || attempts >= most_attempts {
            return best;
        }
    }
}

/// What is to become smaller: the text, with words weighing more than numbers and signs, and then the numbers.
fn cost(unit: &Unit) -> (usize, u128) {
    let text = print(unit);
    let weight = |sign: char| match sign {
        sign if sign.is_whitespace() => 0,
        sign if sign.is_alphabetic() => 2,
        _ => 1,
    };
    let mut numbers = 0;
    walk(&mut unit.clone(), &mut |part| {
        if let Part::Expr(Expr { kind: ExprKind::Number(value), .. }) = part {
            numbers += u128::from(value.unsigned_abs());
        }
    });
    (text.chars().map(weight).sum(), numbers)
}

fn remove_item(unit: &mut Unit, place: usize) -> Option<bool> {
    (place < unit.items.len()).then(|| {
        unit.items.remove(place);
        true
    })
}

/// Finds the place with a number among parts that have several places each.
struct Finder {
    left: usize,
    found: Option<bool>,
}

impl Finder {
    fn new(place: usize) -> Self {
        Finder { left: place, found: None }
    }

    /// The number of the place within this part, if it is here.
    fn here(&mut self, places: usize) -> Option<usize> {
        if self.found.is_some() {
            return None;
        }
        if self.left < places {
            self.found = Some(false);
            return Some(self.left);
        }
        self.left -= places;
        None
    }
}

fn clear_block(unit: &mut Unit, place: usize) -> Option<bool> {
    let mut finder = Finder::new(place);
    walk(unit, &mut |part| {
        if let Part::Block(block) = part
            && finder.here(1).is_some()
        {
            finder.found = Some(!block.statements.is_empty());
            block.statements.clear();
        }
    });
    finder.found
}

/// What can be done with a statement: remove it, put an inner block in its place, make it simpler.
fn edit_statement(unit: &mut Unit, place: usize) -> Option<bool> {
    const EDITS: usize = 4;
    let mut finder = Finder::new(place);
    walk(unit, &mut |part| {
        let Part::Block(block) = part else { return };
        let Some(here) = finder.here(block.statements.len() * EDITS) else { return };
        let index = here / EDITS;
        let replacement = match here % EDITS {
            0 => Some(Vec::new()),
            1 => inner_block(&block.statements[index], 0),
            2 => inner_block(&block.statements[index], 1),
            _ => simpler(&block.statements[index]).map(|simpler| vec![simpler]),
        };
        finder.found = Some(replacement.is_some());
        if let Some(replacement) = replacement {
            block.statements.splice(index..=index, replacement);
        }
    });
    finder.found
}

fn inner_block(statement: &Statement, number: usize) -> Option<Vec<Statement>> {
    let block: Option<&Block> = match (&statement.kind, number) {
        (
            StatementKind::If(_, block, _)
            | StatementKind::While(_, block)
            | StatementKind::DoWhile(block, _)
            | StatementKind::Atomic(block),
            0,
        ) => Some(block),
        (StatementKind::If(_, _, otherwise), 1) => otherwise.as_ref(),
        (StatementKind::For(name, from, _, block), 0) => {
            let first = StatementKind::Let(name.clone(), from.clone());
            let mut statements = vec![Statement { kind: first, span: 0..0 }];
            statements.extend(block.statements.iter().cloned());
            return Some(statements);
        }
        (StatementKind::Switch(_, cases), number) => {
            let mut statements = cases.get(number)?.body.statements.clone();
            statements.pop_if(|last| matches!(last.kind, StatementKind::Break));
            return Some(statements);
        }
        (StatementKind::ForLoop(of), 0) => {
            return Some(of.start.iter().chain(&of.body.statements).cloned().collect());
        }
        _ => None,
    };
    block.map(|block| block.statements.clone())
}

fn simpler(statement: &Statement) -> Option<Statement> {
    let kind = match &statement.kind {
        StatementKind::If(condition, then, Some(_)) => StatementKind::If(condition.clone(), then.clone(), None),
        StatementKind::Declare(of) if matches!(of.initial, Initial::Each(..)) => {
            let initial = Initial::Same(Expr::new(ExprKind::Number(0)));
            StatementKind::Declare(Box::new(Declaration { initial, ..(**of).clone() }))
        }
        StatementKind::Switch(value, cases) if !cases.is_empty() => {
            StatementKind::Switch(value.clone(), cases[..cases.len() - 1].to_vec())
        }
        StatementKind::Assert(condition, Some(_)) => StatementKind::Assert(condition.clone(), None),
        StatementKind::Update(place, _, value) => StatementKind::Assign(place.clone(), value.clone()),
        StatementKind::Spawn(Some(_), call) | StatementKind::Respawn(_, call) => {
            StatementKind::Spawn(None, call.clone())
        }
        StatementKind::Return(Some(_)) => StatementKind::Return(None),
        StatementKind::Let(_, value)
            if matches!(
                value.kind,
                ExprKind::Call(_)
                    | ExprKind::Cas(..)
                    | ExprKind::Swap(..)
                    | ExprKind::FetchAdd(..)
                    | ExprKind::Sync(..)
                    | ExprKind::WaitTimeout(..)
            ) =>
        {
            StatementKind::Evaluate(value.clone())
        }
        StatementKind::Broadcast(condition) => StatementKind::Signal(condition.clone()),
        StatementKind::Evaluate(Expr { kind: ExprKind::WaitTimeout(condition, mutex), .. }) => {
            StatementKind::Wait(condition.clone(), mutex.clone())
        }
        _ => return None,
    };
    Some(Statement { kind, span: 0..0 })
}

/// What can be done with a definition: a family becomes one, an array a variable; guards and parameters go.
fn edit_item(unit: &mut Unit, place: usize) -> Option<bool> {
    const EDITS: usize = 3;
    let index = place / EDITS;
    let item = unit.items.get_mut(index)?;
    Some(match (item, place % EDITS) {
        (
            Item::Shared { name, length, .. }
            | Item::Object { name, length, .. }
            | Item::Semaphore { name, length, .. }
            | Item::Channel { name, length, .. },
            0,
        ) => {
            let name = name.text.clone();
            let changed = length.take().is_some();
            strip_indices(unit, &name);
            changed
        }
        (Item::Shared { initial, .. } | Item::Semaphore { initial, .. }, 1) => {
            let each = matches!(initial, Initial::Each(..));
            if each {
                *initial = Initial::Same(Expr::new(ExprKind::Number(0)));
            }
            each
        }
        (Item::Thread { family, body, .. }, 0) => match family.take() {
            Some(family) => {
                substitute(body, &family.parameter.text, &family.from);
                true
            }
            None => false,
        },
        (Item::Event { name, family, body, .. }, 0) => match family.take() {
            Some(family) => {
                substitute(body, &family.parameter.text, &family.from);
                let name = name.text.clone();
                strip_indices(unit, &name);
                true
            }
            None => false,
        },
        (Item::Event { guard, .. }, 1) => guard.take().is_some(),
        (Item::Event { disabled, .. }, _) => std::mem::replace(disabled, false),
        (Item::Message(function) | Item::Def(function), number) => {
            let name = function.name.text.clone();
            let changed = remove_parameter(function, number);
            if changed {
                remove_argument(unit, &name, number);
            }
            changed
        }
        _ => false,
    })
}

fn strip_indices(unit: &mut Unit, name: &str) {
    walk(unit, &mut |part| {
        if let Part::Place(place) = part
            && place.name.text == name
        {
            place.index = None;
        }
    });
}

fn remove_parameter(function: &mut Function, number: usize) -> bool {
    if number >= function.parameters.len() {
        return false;
    }
    let parameter = function.parameters.remove(number);
    substitute(&mut function.body, &parameter.text, &Expr::new(ExprKind::Number(0)));
    true
}

fn remove_argument(unit: &mut Unit, name: &str, number: usize) {
    walk(unit, &mut |part| {
        if let Part::Call(call) = part
            && call.name.text == name
            && number < call.arguments.len()
        {
            call.arguments.remove(number);
        }
    });
}

/// Puts a value in the place of a variable wherever it is read.
fn substitute(body: &mut Block, name: &str, value: &Expr) {
    let held = Item::Message(Function {
        name: mazurka_lang::ast::Name::new(""),
        parameters: Vec::new(),
        body: std::mem::take(body),
    });
    let mut unit = Unit { items: vec![held] };
    walk(&mut unit, &mut |part| {
        if let Part::Expr(expr) = part
            && matches!(&expr.kind, ExprKind::Place(Place { name: other, index: None }) if other.text == name)
        {
            *expr = value.clone();
        }
    });
    if let Some(Item::Message(function)) = unit.items.pop() {
        *body = function.body;
    }
}

/// What can be done with an expression: a small constant or one of its parts takes its place, a number gets smaller.
fn edit_expr(unit: &mut Unit, place: usize) -> Option<bool> {
    const EDITS: usize = 5;
    let mut finder = Finder::new(place);
    walk(unit, &mut |part| {
        let Part::Expr(expr) = part else { return };
        let Some(here) = finder.here(EDITS) else { return };
        let replacement = match (here, &expr.kind) {
            (0, _) => Some(Expr::new(ExprKind::Number(0))),
            (1, _) => Some(Expr::new(ExprKind::Number(1))),
            (2, ExprKind::Number(value)) => Some(Expr::new(ExprKind::Number(value / 2))),
            (3, ExprKind::Number(value)) => Some(Expr::new(ExprKind::Number(value - value.signum()))),
            (2, _) => parts(expr).into_iter().next(),
            (3, _) => parts(expr).into_iter().nth(1),
            _ => parts(expr).into_iter().nth(2),
        };
        finder.found = Some(replacement.is_some());
        if let Some(replacement) = replacement {
            *expr = replacement;
        }
    });
    finder.found
}

fn parts(expr: &Expr) -> Vec<Expr> {
    let value = |place: &Place| Expr::new(ExprKind::Place(place.clone()));
    match &expr.kind {
        ExprKind::Number(_) => Vec::new(),
        ExprKind::Place(place) => place.index.iter().map(|index| (**index).clone()).collect(),
        ExprKind::Unary(_, operand) => vec![(**operand).clone()],
        ExprKind::Binary(_, left, right) | ExprKind::Logical(_, left, right) | ExprKind::Choose(left, right) => {
            vec![(**left).clone(), (**right).clone()]
        }
        ExprKind::Conditional(condition, then, otherwise) => {
            [condition, then, otherwise].into_iter().map(|part| (**part).clone()).collect()
        }
        ExprKind::Call(call) => call.arguments.clone(),
        ExprKind::Cas(place, old, new) => vec![value(place), (**old).clone(), (**new).clone()],
        ExprKind::Swap(place, other) | ExprKind::FetchAdd(place, other) => vec![value(place), (**other).clone()],
        ExprKind::Sync(_, _, operand) => operand.iter().map(|operand| (**operand).clone()).collect(),
        ExprKind::WaitTimeout(..) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mazurka_lang::{compile, parse};

    #[test]
    fn what_is_not_needed_goes() -> Result<(), String> {
        let source = "const N = 2; shared x[N] = [1, 2]; shared y = 0; mutex m[2]; handler h[2] any;
            def f(a, b) { for i in 0..2 { x[i] = a; } return b; }
            message p(v, w) { if (v > 1) { y = 7 + w; } else { y = 2; } }
            thread s(i in 0..2) { lock(m[i]); let r = f(1, 2); while (r < 3) { r += 1; } post h[i], p(i + 2, r); }
            event e(k in 1..3) disabled when y == 1 { disable e[k]; }";
        let unit = parse(source).map_err(|error| error.message)?;
        let shows = |unit: &Unit| {
            let text = print(unit);
            compile("t.mz", &text, &[]).is_ok() && text.contains("post h") && text.contains('7')
        };
        assert!(shows(&unit));
        let small = print(&shrink(&unit, 10_000, shows));
        assert_eq!(
            small,
            "shared y = 0;\nhandler h any;\nmessage p() {\n    y = 7;\n}\nthread s {\n    post h, p();\n}\n"
        );
        Ok(())
    }
}
