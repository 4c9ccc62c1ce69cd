//! What calling a function may do, found before anything is compiled: conditions may only look, and a step may not
//! wait in its middle.

use crate::ast::{Block, Call, Expr, ExprKind, Initial, Item, Place, Statement, StatementKind, Unit};
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
    let mut callers: HashMap<String, Vec<&str>> = HashMap::new();
    for item in &unit.items {
        if let Item::Def(function) = item {
            let locals = function.parameters.iter().map(|name| name.text.clone()).collect();
            let mut finder = Finder { effects: Effects::default(), calls: Vec::new(), locals };
            finder.block(&function.body);
            effects.insert(function.name.text.clone(), finder.effects);
            for callee in finder.calls {
                callers.entry(callee).or_default().push(&function.name.text);
            }
        }
    }
    // Propagate from callees to callers by a work list: a function that gains an effect is looked at again.
    let mut work: Vec<String> = effects.keys().cloned().collect();
    while let Some(callee) = work.pop() {
        let Some(&gained) = effects.get(&callee) else { continue };
        for &caller in callers.get(&callee).into_iter().flatten() {
            let Some(known) = effects.get_mut(caller) else { continue };
            let before = *known;
            known.add(gained);
            if *known != before {
                work.push(caller.to_owned());
            }
        }
    }
    effects
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
            StatementKind::Declare(of) => {
                self.locals.insert(of.name.text.clone());
                match &of.initial {
                    Initial::Same(value) => self.expr(value),
                    Initial::Each(values, _) => values.iter().for_each(|value| self.expr(value)),
                }
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
            StatementKind::Switch(value, cases) => {
                self.expr(value);
                cases.iter().for_each(|case| self.block(&case.body));
            }
            StatementKind::While(condition, body) | StatementKind::DoWhile(body, condition) => {
                self.expr(condition);
                self.block(body);
            }
            StatementKind::For(name, from, to, body) => {
                self.locals.insert(name.text.clone());
                self.expr(from);
                self.expr(to);
                self.block(body);
            }
            StatementKind::ForLoop(of) => {
                of.start.iter().chain(&of.next).for_each(|statement| self.statement(statement));
                of.condition.iter().for_each(|condition| self.expr(condition));
                self.block(&of.body);
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
            StatementKind::Signal(place) => {
                self.effects.acts = true;
                self.effects.chooses = true;
                self.place(place);
            }
            StatementKind::Unlock(place)
            | StatementKind::Broadcast(place)
            | StatementKind::Enable(place)
            | StatementKind::Disable(place) => {
                self.effects.acts = true;
                self.place(place);
            }
            StatementKind::Spawn(_, call) | StatementKind::Respawn(_, call) => {
                self.effects.acts = true;
                call.arguments.iter().for_each(|argument| self.expr(argument));
            }
            StatementKind::Post(handler, call) => {
                self.effects.acts = true;
                self.place(handler);
                call.arguments.iter().for_each(|argument| self.expr(argument));
            }
            StatementKind::Atomic(block) => self.block(block),
            StatementKind::Progress => self.effects.acts = true,
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
            ExprKind::Conditional(condition, then, otherwise) => {
                [condition, then, otherwise].into_iter().for_each(|part| self.expr(part));
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
            ExprKind::Sync(op, place, operand) => {
                self.effects.acts = true;
                self.effects.waits |= op.waits();
                self.place(place);
                operand.iter().for_each(|operand| self.expr(operand));
            }
            ExprKind::WaitTimeout(condition, mutex) => {
                self.effects.acts = true;
                self.effects.waits = true;
                self.place(condition);
                self.place(mutex);
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
