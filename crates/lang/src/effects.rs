//! What calling a function may do, found before anything is compiled: conditions may only look, and a step may not
//! wait in its middle.

use crate::ast::{Block, Call, Expr, ExprKind, Item, Place, Statement, StatementKind, Unit};
use hashbrown::{HashMap, HashSet};

/// What a function, or something that it calls, does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Changes something that others can see, or may fail an assertion.
    pub(crate) acts: bool,
    /// May have to wait.
    pub(crate) waits: bool,
    /// Has several outcomes.
    pub(crate) chooses: bool,
}

impl Effects {
    fn add(&mut self, other: Effects) {
        self.acts |= other.acts;
        self.waits |= other.waits;
        self.chooses |= other.chooses;
    }
}

/// The effects of each function by name.
pub(crate) fn function_effects(unit: &Unit) -> HashMap<String, Effects> {
    let mut effects: HashMap<String, Effects> = HashMap::new();
    let mut calls: HashMap<String, Vec<String>> = HashMap::new();
    for item in &unit.items {
        if let Item::Def(function) = item {
            let locals = function.parameters.iter().map(|name| name.text.clone()).collect();
            let mut finder = Finder { effects: Effects::default(), calls: Vec::new(), locals };
            finder.block(&function.body);
            effects.insert(function.name.text.clone(), finder.effects);
            calls.insert(function.name.text.clone(), finder.calls);
        }
    }
    // Spread along calls until nothing changes: each round adds at least one flag.
    loop {
        let mut changed = false;
        for (name, callees) in &calls {
            let mut sum = effects[name];
            for callee in callees {
                sum.add(effects.get(callee).copied().unwrap_or_default());
            }
            changed |= sum != effects[name];
            effects.insert(name.clone(), sum);
        }
        if !changed {
            return effects;
        }
    }
}

struct Finder {
    effects: Effects,
    calls: Vec<String>,
    /// Names that cannot be those of shared variables: locals may not share a name with them.
    locals: HashSet<String>,
}

impl Finder {
    fn block(&mut self, block: &Block) {
        block.statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Let(name, value) => {
                self.locals.insert(name.text.clone());
                self.expr(value);
            }
            StatementKind::Evaluate(value) => self.expr(value),
            StatementKind::Assign(place, value) | StatementKind::Update(place, _, value) => {
                self.effects.acts |= !self.locals.contains(&place.name.text);
                self.place(place);
                self.expr(value);
            }
            StatementKind::If(condition, then, otherwise) => {
                self.expr(condition);
                self.block(then);
                otherwise.iter().for_each(|block| self.block(block));
            }
            StatementKind::While(condition, body) => {
                self.expr(condition);
                self.block(body);
            }
            StatementKind::For(name, from, to, body) => {
                self.locals.insert(name.text.clone());
                self.expr(from);
                self.expr(to);
                self.block(body);
            }
            StatementKind::Return(value) => value.iter().for_each(|value| self.expr(value)),
            StatementKind::Break | StatementKind::Continue => {}
            StatementKind::Assert(condition, _) => {
                self.effects.acts = true;
                self.expr(condition);
            }
            StatementKind::Assume(condition) => {
                self.effects.waits = true;
                self.expr(condition);
            }
            StatementKind::Lock(_) | StatementKind::Wait(..) | StatementKind::Join(_) => {
                self.effects.waits = true;
                self.effects.acts = true;
            }
            StatementKind::Signal(_) => {
                self.effects.acts = true;
                self.effects.chooses = true;
            }
            StatementKind::Unlock(place)
            | StatementKind::Broadcast(place)
            | StatementKind::Enable(place)
            | StatementKind::Disable(place) => {
                self.effects.acts = true;
                self.place(place);
            }
            StatementKind::Spawn(_, call) | StatementKind::Post(_, call) => {
                self.effects.acts = true;
                call.arguments.iter().for_each(|argument| self.expr(argument));
            }
            StatementKind::Atomic(block) => self.block(block),
        }
    }

    fn place(&mut self, place: &Place) {
        place.index.iter().for_each(|index| self.expr(index));
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Number(_) => {}
            ExprKind::Place(place) => self.place(place),
            ExprKind::Unary(_, operand) => self.expr(operand),
            ExprKind::Binary(_, left, right) | ExprKind::Logical(_, left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Call(call) => self.call(call),
            ExprKind::Cas(place, old, new) => {
                self.effects.acts = true;
                self.place(place);
                self.expr(old);
                self.expr(new);
            }
            ExprKind::Swap(place, value) | ExprKind::FetchAdd(place, value) => {
                self.effects.acts = true;
                self.place(place);
                self.expr(value);
            }
            ExprKind::Choose(from, to) => {
                self.effects.chooses = true;
                self.expr(from);
                self.expr(to);
            }
        }
    }

    fn call(&mut self, call: &Call) {
        self.calls.push(call.name.text.clone());
        call.arguments.iter().for_each(|argument| self.expr(argument));
    }
}
